/* The graph half's side of the extension: walking what a call is given into a tree of leaves, and
 * what is made of it. src/graphs does the rest. Everything here runs under the GIL. */
#ifndef HR_EXT_GRAPH_H
#define HR_EXT_GRAPH_H

#include "ext.h"

/* ---- graph_kind.c: how to walk a type ---------------------------------------------- */

typedef enum graph_way {
    GRAPH_VALUE, /* a leaf that is no tensor */
    GRAPH_IGNORED,
    GRAPH_LIST, GRAPH_TUPLE,
    GRAPH_DICT,    /* keys and values as they lie in the table */
    GRAPH_MAPPING, /* by its own iteration and subscript */
    GRAPH_USER_DICT, /* a UserDict whose `data` is asked directly */
    GRAPH_DATACLASS, GRAPH_USER,
    GRAPH_DLPACK, GRAPH_NUMPY, GRAPH_TENSOR, GRAPH_BATCH, /* tensors, by how they are read */
    GRAPH_SHAPED, /* a tensor: by `shape` and `dtype`, or registered getters */
} graph_way;

#define graph_is_container(way) ((way) >= GRAPH_LIST && (way) <= GRAPH_USER)
#define graph_is_tensor(way) ((way) >= GRAPH_DLPACK)

/* What is known of a type. Borrowed from the cache until the next call into Python. */
typedef struct graph_kind {
    PyTypeObject *type;  /* not counted: `alive` tells whether it still is the one */
    PyObject *alive;     /* weak reference to it */
    graph_way way;
    int only_tensors;    /* GRAPH_USER: below it, 1 drops values, 0 keeps them */
    PyObject *fields;    /* GRAPH_DATACLASS, GRAPH_USER: tuple of interned names */
    PyObject *shape, *dtype; /* GRAPH_SHAPED with getters; NULL: the attributes */
    int (*read)(void *obj, void *out); /* GRAPH_DLPACK */
    int is_careful;      /* GRAPH_DLPACK: it failed once, look at each tensor before */
    PyObject *device;    /* GRAPH_SHAPED: the device read last, */
    uint64_t device_id;  /* and its number */
    const void *dtype_mark;  /* the dtype read last as an object, or NULL, */
    uint32_t dtype_code;     /* or as DLPack writes it, or 0, */
    uint32_t dtype_id;       /* and its number */
} graph_kind;

typedef struct graph_state graph_state;

/* NULL with an exception. */
graph_kind *graph_kind_of(mod_state *st, PyObject *obj);
void graph_kinds_forget(graph_state *g);
/* An attribute of a module that is loaded; NULL without an exception when there is none. */
PyObject *graph_loaded(const char *module, const char *name);

/* ---- graph_types.c: registered types, and the state -------------------------------- */

int graph_state_init(PyObject *module, mod_state *st);
int graph_state_traverse(mod_state *st, visitproc visit, void *arg);
void graph_state_clear(mod_state *st);

/* ---- graph_tensor.c: tensors ------------------------------------------------------- */

/* A tensor's facts; its sizes lie in `room` or in the tensor. 0, -1 with an exception. */
enum { GRAPH_RANK_MAX = 64 };
int graph_read_tensor(mod_state *st, PyObject *obj, graph_kind *kind, int64_t room[GRAPH_RANK_MAX],
                      hr_tensor_facts *out);
/* The dtype that a number in a tree stands for; borrowed. */
PyObject *graph_dtype_object(mod_state *st, uint32_t id);
/* The device that a number in a tree stands for, as text; new reference. */
PyObject *graph_device_text(mod_state *st, uint64_t device);

/* ---- graph_value.c: values that are no tensors ------------------------------------- */

/* What stands for the value when it is compared (new reference) and its hash. Two tokens are equal
 * if the values have one type and are equal: True is not 1, NaN is NaN, arrays go by content. The
 * token does not change when the value is changed in place. 0, -1 with an exception. */
int graph_token(mod_state *st, PyObject *value, PyObject **token, uint64_t *hash);
/* 1, 0, -1 with an exception. */
int graph_token_equal(PyObject *a, PyObject *b);
/* How src/graphs compares keys and values. */
const hr_tree_ways *graph_ways(void);
int graph_key_hash(PyObject *key, uint64_t *hash);

/* ---- graph_walk.c: the walk -------------------------------------------------------- */

typedef struct graph_frame graph_frame;

/* One walk: begin, values, then either take the tree (graph_sample_take) or end. Not to be copied. */
typedef struct graph_walk {
    hr_tree tree;
    mod_state *st;
    int strict;        /* values are leaves as well */
    int opens;         /* where they are not, they are below a type that was registered so */
    int keep_tensors;  /* the tensors are held as values of their leaves */
    graph_frame *frames;
    int n_frames, room_frames, n_containers;
    hr_tree_room room;
} graph_walk;

/* Marks of trees, to be or-ed. */
enum { GRAPH_INPUTS = 0, GRAPH_OUTPUTS = 1, GRAPH_PREFILL = 2, GRAPH_DECODE = 4 };

void graph_walk_begin(graph_walk *w, mod_state *st, int strict, uint32_t mark);
/* Adds what `value` holds at the root, or at a place; 0, -1 with an exception that names the path.
 * The tree must be sealed (hr_tree_seal) afterwards. */
int graph_walk_value(graph_walk *w, PyObject *value);
int graph_walk_key(graph_walk *w, int32_t parent, hr_path_kind kind, PyObject *key, PyObject *value);
int graph_walk_item(graph_walk *w, int32_t parent, Py_ssize_t index, PyObject *value);
/* Gives back the tree's references and memory. */
void graph_walk_end(graph_walk *w);
/* References of a tree that was taken out of a walk. */
int graph_tree_traverse(const hr_tree *t, visitproc visit, void *arg);
void graph_tree_release(hr_tree *t);
/* The path of a leaf as text, such as `values[3]["t"]`. New reference. */
PyObject *graph_path_text(const hr_tree *t, int32_t node);

/* ---- graph_bind.c: forward signatures ---------------------------------------------- */

typedef struct graph_signature {
    PyObject_HEAD
    PyObject *names;   /* tuple of interned names */
    char *kinds;       /* inspect's: 0 positional only, 1 either, 2 *args, 3 keyword only, 4 **kwargs */
    char *has_default;
    int n, rest, more; /* rest: the number of *args, more: of **kwargs; -1: none */
    int n_positional;
    char *is_free;     /* parameters whose values make no graphs */
    int cache_position; /* the number of that parameter; -1: none */
} graph_signature;

/* A call bound to a signature. Borrows everything from the call's vectors. */
typedef struct graph_bound {
    PyObject **values;       /* by parameter; NULL: not given (always for *args and **kwargs) */
    PyObject *const *rest;   /* what goes to *args */
    Py_ssize_t n_rest;
    PyObject **more;         /* what goes to **kwargs: name, value, name, value … */
    Py_ssize_t n_more;
    PyObject *near_values[24], *near_more[16];
} graph_bound;

/* As Python binds: 0, or -1 with its TypeError. `args` with `n` positional ones, as in a vectorcall. */
int graph_bind(const graph_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *kwnames,
               graph_bound *out);
void graph_bound_clear(graph_bound *b);
/* Walks the bound arguments; seals the tree. */
int graph_walk_bound(graph_walk *w, const graph_signature *s, const graph_bound *b);
/* Calls with normalised arguments: what can be positional is. */
PyObject *graph_bound_call(const graph_signature *s, const graph_bound *b, PyObject *callable);

/* ---- graph_sample.c, graph_spec.c: SampleMetadata and TensorSpec ------------------- */

/* The metadata of a walk that has ended well; `type` is SampleMetadata or a subclass. `batch` may be
 * HR_BATCH_UNKNOWN. Takes the tree out of the walk (which is to be ended all the same). */
PyObject *graph_sample_take(PyTypeObject *type, graph_walk *w, int64_t batch);
int graph_is_sample(mod_state *st, PyObject *o);
/* Its tree, sealed; lives as long as the object. */
const hr_tree *graph_sample_tree(PyObject *sample);
PyObject *graph_find_leaves(PyObject *module, PyObject *args);
PyObject *graph_sizes(PyObject *module, PyObject *tensor);

PyObject *graph_spec_make(mod_state *st, const hr_tensor_facts *facts, int64_t batch);
/* In step with the lists that were handed out; borrowed; NULL with an exception. */
hr_spec *graph_spec_of(mod_state *st, PyObject *spec);
/* Learning, with the lists following: 0, -1 with an exception. */
int graph_spec_see(mod_state *st, PyObject *spec, int32_t rank, const int64_t *sizes, int64_t batch);
int graph_spec_merge(mod_state *st, PyObject *spec, PyObject *other);

/* ---- graph_transformers.c: what models of transformers are called with ------------- */

/* How to walk a cache: as a record of tensors, or not at all; GRAPH_VALUE: it is none. */
graph_way graph_cache_way(PyTypeObject *type);
/* Marks the tree with the phase that an argument `cache_position` tells, before it is sealed. 0, -1. */
int graph_note_phase(graph_walk *w, PyObject *inputs);
int graph_note_phase_of(graph_walk *w, PyObject *cache_position);

extern PyType_Spec graph_signature_spec, graph_sample_spec, graph_spec_spec;
extern PyMethodDef graph_methods[];

/* ---- the state --------------------------------------------------------------------- */

enum { GRAPH_CACHE = 512, GRAPH_PROBES = 4 };

struct graph_state {
    graph_kind cache[GRAPH_CACHE];
    PyObject *user_types;    /* dict: type -> bool, only_tensors */
    PyObject *ignored_types; /* set */
    PyObject *plain_types;   /* set: caches that are to be values, as the user said */
    PyObject *tensor_types;  /* dict: type -> (shape getter, dtype getter) */
    int has_builtins;        /* a built-in type is in one of these */
    int has_transformers;    /* arguments of transformers' models are known, see graph_transformers.c */
    PyObject *dtypes;        /* list: number - 1 -> dtype */
    PyObject *dtype_numbers; /* dict: (type of the dtype, dtype) -> number */
    PyObject *devices;       /* dict: text -> number */
    PyObject *scope;         /* ContextVar of the batch size */
    PyObject *spec_class, *locator_class; /* of headrace.graphs; NULL until they are imported */
    PyObject *path_kinds[4]; /* ObjectType's members */
    PyObject *numpy_array;   /* type; NULL until one was met, or if its struct is unknown */
    int numpy_known;         /* 1: the struct is as expected, -1: it is not */
    PyTypeObject *signature_type, *sample_type, *spec_type;
    PyObject *str_shape, *str_dtype, *str_data, *str_dict, *str_device, *str_is_cpu, *str_layout, *str_torch,
        *str_strided, *str_cache_position;
};

#endif
