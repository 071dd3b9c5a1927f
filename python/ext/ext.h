/* The extension's types and what its files share. All state lives in mod_state: there are no
 * static Python objects. */
#ifndef HR_EXT_EXT_H
#define HR_EXT_EXT_H

#include "compat.h"

#include <headrace/headrace.h>

#include "pipeline/pipeline.h"

/* A function with keywords, as a table of methods wants it. */
#define METHOD(f) ((PyCFunction)(void (*)(void))(f))

/* The operators behind arithmetic signs. */
typedef enum hr_sign {
    SIGN_ADD, SIGN_SUB, SIGN_MUL, SIGN_DIV, SIGN_FLOORDIV, SIGN_MOD, SIGN_POW, SIGN_AND, SIGN_OR,
    SIGN_XOR, SIGN_SHL, SIGN_SHR, SIGN_EQ, SIGN_NE, SIGN_LT, SIGN_LE, SIGN_GT, SIGN_GE, SIGN_NEG,
    SIGN_INVERT, SIGN_ABS, N_SIGNS
} hr_sign;

typedef struct mod_state {
    PyTypeObject *tensor_type, *batch_type, *dtype_type, *op_type, *rng_type, *context_type,
        *pool_type, *tensor_list_type, *slicer_type, *source_type, *capture_type,
        *captured_loop_type, *reader_type, *loop_type;
    PyObject *data_error;   /* headrace.DataError */
    PyObject *dtypes;       /* dict: id -> DType */
    PyObject *slow;         /* headrace._slow: what runs rarely and is easier in Python */
    PyObject *image_type_enum, *interp_enum, *data_type_enum; /* headrace.types */
    PyObject *str_batch_size, *str_device, *str_rng, *str_cpu, *str_rng_key;
    PyObject *str_array_interface, *str_dlpack, *str_dlpack_device, *str_array;
    PyObject *as_tensor, *as_batch; /* the module's functions */
    PyObject *capture_watcher; /* called with each new capture; NULL: nobody wants to know */
    PyObject *signs[N_SIGNS]; /* Operators, by hr_sign */
    struct pool_object *default_pool; /* NULL until first used */
    struct invariant_table *invariants; /* proxy types; NULL until first used */
    struct graph_state *graphs;
} mod_state;

extern struct PyModuleDef hr_module_def;
mod_state *state_of_module(PyObject *module);
/* By any of our heap types, subclasses included. */
mod_state *state_of(PyObject *self);
/* headrace._slow.<name>(self, ...): methods that are rare and easier in Python. */
PyObject *call_slow(PyObject *self, const char *name, PyObject *args, PyObject *kw);

/* ---- errors.c -------------------------------------------------------------------- */

/* Raises the exception that belongs to the status; returns NULL. HR_CANCELLED keeps a pending
 * exception. */
PyObject *raise_error(mod_state *st, const hr_error *err);
/* PyArg_ParseTupleAndKeywords, but an unknown keyword's error proposes the known one. `format`
 * ends in ":name". */
int parse_arguments(PyObject *args, PyObject *kw, const char *format, char **names, ...);
/* The value of a function's only argument, given by place or by name. Borrowed. */
PyObject *only_argument(PyObject *args, PyObject *kw, const char *function, char *name);
int add_errors(PyObject *module, mod_state *st);

/* ---- dtype.c --------------------------------------------------------------------- */

typedef struct dtype_object {
    PyObject_HEAD
    hr_dtype id;
} dtype_object;

extern PyType_Spec dtype_spec;
int add_dtypes(PyObject *module, mod_state *st);
PyObject *dtype_get(mod_state *st, hr_dtype id); /* new reference */
/* From a DType, an enum value, a short or NumPy name, a NumPy, torch or ml_dtypes dtype. -1 with
 * an exception set when there is none. */
int dtype_from_object(mod_state *st, PyObject *obj, hr_dtype *out);
PyObject *module_dtype(PyObject *module, PyObject *obj);

/* ---- tensor.c, batch.c, tensor_list.c, selection.c -------------------------------- */

typedef struct tensor_object {
    PyObject_HEAD
    hr_tensor t;
    PyObject *weakrefs;
} tensor_object;

/* Where a captured batch comes from: an output of a node (or source) in a step of a trace. */
typedef struct provenance {
    uint64_t id; /* of the trace; 0: none. No reference: kept batches must keep no loop alive */
    int64_t step; /* without a trace: the root's id where a call of its body gave the batch (see
                   * capture_eager.c), and `port.node` is the call's row */
    hr_port port;
} provenance;

typedef struct batch_object {
    PyObject_HEAD
    hr_batch *b;   /* NULL until someone looks at a captured result */
    hr_step *step; /* that computes it; NULL once `b` is there */
    provenance from;
    PyObject *weakrefs;
} batch_object;

extern PyType_Spec tensor_spec, batch_spec, tensor_list_spec;
/* Takes over `t`'s references, also on failure. */
PyObject *tensor_wrap(mod_state *st, hr_tensor *take_t);
/* Replaces `t` by a packed copy with memory of its own; -1 with an exception, and `t` cleared. */
int tensor_make_own(mod_state *st, hr_tensor *t);
/* Takes over the reference, also on failure. */
PyObject *batch_wrap(mod_state *st, hr_batch *take_b);
/* A copy with its own memory. */
PyObject *batch_copy(PyObject *batch);
#define tensor_of(obj) (&((tensor_object *)(obj))->t)
#define batch_of(obj) (((batch_object *)(obj))->b)
/* The value; waits for a captured one. Borrowed; NULL with an exception when its step failed. */
hr_batch *batch_wait(PyObject *batch);
static inline hr_batch *batch_value(PyObject *batch)
{
    return batch_of(batch) ? batch_of(batch) : batch_wait(batch);
}
/* A batch that `step` computes; and the place that a batch gets or has. */
PyObject *batch_handle(mod_state *st, hr_step *step, const provenance *from);
void batch_set_provenance(PyObject *batch, const provenance *from);
static inline const provenance *batch_provenance(PyObject *batch)
{
    return &((batch_object *)batch)->from;
}
static inline int is_tensor(const mod_state *st, PyObject *o)
{
    return Py_IS_TYPE(o, st->tensor_type);
}
static inline int is_batch(const mod_state *st, PyObject *o)
{
    return Py_IS_TYPE(o, st->batch_type);
}
PyObject *tuple_of_extents(const int64_t *v, int n);
PyObject *layout_object(const char *layout); /* None for "" */
PyObject *module_drop_failed(PyObject *module, PyObject *const *args, Py_ssize_t n);

/* ---- make.c: tensor(), batch() and friends --------------------------------------- */

PyObject *module_tensor(PyObject *m, PyObject *args, PyObject *kw);
PyObject *module_as_tensor(PyObject *m, PyObject *args, PyObject *kw);
PyObject *module_batch(PyObject *m, PyObject *args, PyObject *kw);
PyObject *module_as_batch(PyObject *m, PyObject *args, PyObject *kw);
/* The types' own constructors: as_tensor and as_batch. */
PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *kw);
PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *kw);
/* None and "cpu" are fine; 0, or -1 with an exception: RuntimeError for a GPU. */
int check_device(mod_state *st, PyObject *device);

/* ---- array_in.c, array_out.c, dlpack.c --------------------------------------------- */

/* Any array-like as a tensor: shares memory where it can. `*copied` tells. */
int tensor_from_object(mod_state *st, PyObject *obj, hr_tensor *out, int *copied);
int tensor_from_dlpack(mod_state *st, PyObject *obj, hr_tensor *out);
/* numbers.c: an int, a float, nested lists of them. `wish` may be HR_DTYPE_NONE. 1: the lists hold
 * something else (no exception). */
int is_number_like(PyObject *o);
int tensor_from_numbers(mod_state *st, PyObject *obj, hr_dtype wish, hr_tensor *out);
PyObject *tensor_to_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames);
PyObject *tensor_dlpack_device(PyObject *self, PyObject *unused);
int tensor_get_buffer(PyObject *self, Py_buffer *view, int flags);
void tensor_release_buffer(PyObject *self, Py_buffer *view);
PyObject *tensor_array_interface(PyObject *self, void *closure);
PyObject *tensor_array(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames);
/* A Python number, or nested lists of them (tolist). */
PyObject *tensor_to_list(const hr_tensor *t);
PyObject *element_to_object(hr_dtype dtype, const void *data);

/* ---- op.c, op_call.c, op_describe.c ---------------------------------------------- */

extern PyType_Spec op_spec;
PyObject *op_create(mod_state *st, const hr_op_desc *op);
int add_ops(PyObject *module, mod_state *st);
const hr_op_desc *op_descriptor(PyObject *op);
int op_argument_index(PyObject *op, PyObject *name); /* -1: none */
/* Argument descriptors as a list of dicts. */
PyObject *describe_arguments(const hr_arg_desc *args, int n);

/* ---- plugin.c -------------------------------------------------------------------- */

int add_plugin_table(PyObject *module);
PyObject *module_add_operator(PyObject *module, PyObject *capsule);

/* ---- values.c -------------------------------------------------------------------- */

/* Storage for converted argument values: a stretch of the stack, then the heap. */
typedef struct value_room {
    size_t used;
    void **blocks;
    int n_blocks;
    PyObject **held;
    int n_held, room_held;
    char bytes[1024];
    PyObject *held_first[16];
} value_room;

void value_room_init(value_room *room);
void value_room_clear(value_room *room);
/* Keeps `take_obj` until the room is cleared; takes it also on failure. */
int value_room_hold(value_room *room, PyObject *take_obj);
/* Converts an argument; what it refers to lives in `room` or in `obj`. */
int value_from_object(mod_state *st, const hr_arg_desc *arg, PyObject *obj, value_room *room,
                      hr_value *out);
/* A whole number as an int (a new reference) and as a size; what is none, or too large, is an error that
 * names it: "owner: name is 1.5, it must be an integer". */
PyObject *whole_number(const char *owner, const char *name, PyObject *obj);
int whole_size(const char *owner, const char *name, PyObject *obj, Py_ssize_t *out);
/* Puts "owner: role `name`: " before the text of the pending exception. */
void name_pending_error(const char *owner, const char *role, const char *name);
/* Likewise "sample 3: ". */
void name_pending_sample(Py_ssize_t i);

/* ---- rng.c ----------------------------------------------------------------------- */

typedef struct rng_object {
    PyObject_HEAD
    hr_rng rng;
    uint64_t drawn;      /* words since it was made */
    uint64_t trace_id;   /* the latest trace that it drew in, and its `drawn` in front of that */
    uint64_t trace_mark;
    uint64_t replaced; /* how often the state was set: captured loops look at it */
    PyObject *weakrefs;
} rng_object;

extern PyType_Spec rng_spec;
/* `n` words will be drawn: counts them. */
void rng_note_draws(rng_object *rng, uint64_t n);
/* Borrowed: the thread's default generator. */
rng_object *default_rng(mod_state *st);
PyObject *module_get_default_rng(PyObject *module, PyObject *unused);
PyObject *module_set_seed(PyObject *module, PyObject *args, PyObject *kw);

/* ---- context.c, thread_pool.c ---------------------------------------------------- */

typedef struct pool_object {
    PyObject_HEAD
    hr_pool *pool;
    PyObject *weakrefs;
} pool_object;

typedef struct context_object {
    PyObject_HEAD
    pool_object *pool; /* NULL: the process's default pool */
    int depth;
    unsigned long thread; /* that is inside, while depth > 0 */
    struct context_object *outer; /* the context to go back to */
    int is_abandoned; /* left by another thread: its own one drops it when it looks */
    PyObject *checkpoint; /* made when it is asked for */
    PyObject *weakrefs;
} context_object;

extern PyType_Spec context_spec, pool_spec;
/* Leaves an entered context wherever it stands among the thread's, and whichever thread entered it. */
void context_leave(PyObject *context);
/* The same, with a reference that keeps it while a call runs without the GIL. */
hr_pool *hold_current_pool(mod_state *st, PyObject **held);
PyObject *module_set_num_threads(PyObject *module, PyObject *args, PyObject *kw);
PyObject *module_get_num_threads(PyObject *module, PyObject *unused);

/* The GIL's side of a long call: options for hr_op_call and others. */
typedef struct gil_gate {
    PyThreadState *saved;
} gil_gate;
void gate_leave_python(void *gate);
void gate_enter_python(void *gate);
int gate_poll(void *gate);

/* ---- reader.c -------------------------------------------------------------------- */

extern PyType_Spec reader_spec, loop_spec;
int add_readers(PyObject *module, mod_state *st);
int add_inspection(PyObject *module);

#endif
