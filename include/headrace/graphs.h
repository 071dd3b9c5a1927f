/* Execution graphs: what a callable is called with, as a flat tree of leaves; the key that decides
 * which graph a call belongs to; what is learned of its tensors' axes; guards; and the router from
 * keys to numbers. Values and mapping keys are opaque: the caller hashes and compares them.
 *
 * Thread use: a tree or a spec belongs to one thread at a time. hr_router_find and
 * hr_router_nearest may run on any number of threads, beside one that adds. */
#ifndef HR_GRAPHS_H
#define HR_GRAPHS_H

#include <headrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the tree of a call ------------------------------------------------------------ */

/* How a step goes from a container to what it holds. */
typedef enum hr_path_kind {
    HR_PATH_SEQUENCE, /* by index */
    HR_PATH_MAPPING,  /* by key */
    HR_PATH_RECORD,   /* by declared field */
    HR_PATH_USER,     /* by attribute of a registered type */
} hr_path_kind;

/* One place in the tree: a step from the place `parent`, or from the root (-1). */
typedef struct hr_tree_node {
    uint64_t hash;   /* of the path */
    const void *key; /* opaque; NULL for a sequence */
    int64_t index;   /* in a sequence */
    int32_t parent;
    int32_t kind;    /* hr_path_kind */
} hr_tree_node;

enum { HR_RANK_VALUE = -1 };

/* A tensor or an opaque value. */
typedef struct hr_tree_leaf {
    uint64_t hash;     /* of path and rank, or of path and value */
    const void *value; /* opaque; NULL for a tensor */
    const void *token; /* opaque: what is compared */
    int32_t node;      /* -1: the call is this leaf */
    int32_t rank;      /* HR_RANK_VALUE: no tensor */
    int32_t sizes;     /* a tensor's sizes begin here */
    uint32_t dtype;    /* the caller's number */
    uint64_t device;   /* the caller's number */
} hr_tree_leaf;

/* Nodes in the order of the walk, parents first; only places that lead to a leaf. */
typedef struct hr_tree {
    hr_tree_node *nodes;
    hr_tree_leaf *leaves;
    int64_t *sizes;
    int32_t n_nodes, n_leaves, n_sizes, n_tensors;
    int32_t room_nodes, room_leaves, room_sizes;
    uint32_t mark;        /* trees of different marks are never equal */
    uint64_t hash;        /* of all leaves, whatever their order; set by hr_tree_seal */
    uint64_t tensor_hash; /* of the tensors alone */
    uint32_t on_heap;
} hr_tree;

/* Storage for small trees in the caller's frame. */
typedef struct hr_tree_room {
    hr_tree_node nodes[64];
    hr_tree_leaf leaves[32];
    int64_t sizes[128];
} hr_tree_room;

/* Most nodes and leaves of a tree. */
enum { HR_TREE_MAX = 1 << 22 };

typedef struct hr_tensor_facts {
    int32_t rank;
    const int64_t *sizes;
    uint32_t dtype;
    uint64_t device;
} hr_tensor_facts;

/* Comparison of what is opaque: 1 equal, 0 not, -1 failed (the search ends and says so). */
typedef struct hr_tree_ways {
    int (*equal_keys)(const void *a, const void *b, void *user);
    int (*equal_values)(const void *a, const void *b, void *user);
    void *user;
} hr_tree_ways;

/* An empty tree. `room` must live as long as the tree; NULL: the heap from the start. */
HR_API void hr_tree_init(hr_tree *tree, hr_tree_room *room, uint32_t mark);
/* A place under `parent`; `key_hash` is that of `key`. Returns its number in *out. HR_NOMEM, HR_VALUE
 * past HR_TREE_MAX. */
HR_API HR_CHECKED hr_status hr_tree_add_item(hr_tree *tree, int32_t parent, int64_t index,
                                             int32_t *out, hr_error *err);
HR_API HR_CHECKED hr_status hr_tree_add_key(hr_tree *tree, int32_t parent, hr_path_kind kind,
                                            const void *key, uint64_t key_hash, int32_t *out,
                                            hr_error *err);
/* Takes back the last places, down to `n_nodes`, while none of them has leaves. */
HR_API void hr_tree_drop_nodes(hr_tree *tree, int32_t n_nodes);
/* A leaf at a place. */
HR_API HR_CHECKED hr_status hr_tree_add_tensor(hr_tree *tree, int32_t node,
                                               const hr_tensor_facts *facts, hr_error *err);
HR_API HR_CHECKED hr_status hr_tree_add_value(hr_tree *tree, int32_t node, const void *value,
                                              const void *token, uint64_t hash, hr_error *err);
/* Sums up the hashes; to be called once after the last leaf. */
HR_API void hr_tree_seal(hr_tree *tree);
/* Moves a sealed tree into `block`, the caller's memory of hr_tree_packed_size bytes, 8-byte aligned;
 * `src` is left empty. A packed tree does not grow. */
HR_API size_t hr_tree_packed_size(const hr_tree *tree);
HR_API void hr_tree_pack(hr_tree *dst, hr_tree *src, void *block);
/* Frees what it has on the heap; what is opaque is the caller's to release before. */
HR_API void hr_tree_clear(hr_tree *tree);

/* Same key: the same places with tensors of the same ranks and equal values, in any order.
 * 1, 0, or -1 when a comparison failed. Both are sealed. */
HR_API int hr_tree_equal(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways);
/* The same of the tensors alone. */
HR_API int hr_tree_equal_tensors(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways);
/* The leaf of `b` at the place of each tensor leaf of `a` into map[leaf of a] (-1 for values);
 * `b` must have equal tensors. 1; 0 when it has not; -1 failed. */
HR_API int hr_tree_map_tensors(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways,
                               int32_t *map);

/* ---- what is learned of one tensor ------------------------------------------------- */

typedef struct hr_spec hr_spec;

enum { HR_BATCH_UNKNOWN = -1 };

typedef enum hr_axis_kind {
    HR_AXIS_STATIC,  /* one size in all samples */
    HR_AXIS_BATCH,   /* an integer multiple of the batch size */
    HR_AXIS_DYNAMIC, /* its size changes otherwise */
} hr_axis_kind;

/* One sample's word on an axis. */
typedef struct hr_axis_pair {
    int64_t batch;   /* HR_BATCH_UNKNOWN, or the batch size */
    int64_t size;
    int32_t assumed; /* the sample had no batch size: the one seen last is assumed */
    int32_t count;   /* how often it was seen */
} hr_axis_pair;

typedef struct hr_axis {
    hr_axis_kind kind;
    int is_open;       /* more samples could still change the answer from static */
    int64_t min, max;
    double multiplier; /* size over batch size; NaN when there is none */
    const hr_axis_pair *pairs; /* distinct; borrowed until the spec changes */
    int64_t n_pairs;
    int64_t n_forgotten; /* samples whose pairs were over HR_AXIS_PAIRS; they count all the same */
} hr_axis;

enum { HR_AXIS_PAIRS = 1024 };

/* A spec that has seen one sample. `batch` is at least 0 or HR_BATCH_UNKNOWN. HR_NOMEM, HR_VALUE. */
HR_API HR_CHECKED hr_status hr_spec_create(hr_spec **out, int32_t rank, const int64_t *sizes,
                                           int64_t batch, hr_error *err);
HR_API HR_CHECKED hr_status hr_spec_copy(hr_spec **out, const hr_spec *spec, hr_error *err);
HR_API void hr_spec_destroy(hr_spec **spec);
/* Learns from one more sample, or from all that another spec has seen. HR_VALUE for another rank,
 * with nothing changed; HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_spec_see(hr_spec *spec, int32_t rank, const int64_t *sizes,
                                        int64_t batch, hr_error *err);
HR_API HR_CHECKED hr_status hr_spec_merge(hr_spec *spec, const hr_spec *other, hr_error *err);
HR_API int32_t hr_spec_rank(const hr_spec *spec);
HR_API hr_axis hr_spec_axis(const hr_spec *spec, int32_t d);
/* The batch size seen last, which samples without one are taken to have. */
HR_API int64_t hr_spec_last_batch(const hr_spec *spec);
HR_API HR_CHECKED hr_status hr_spec_assume_batch(hr_spec *spec, int64_t batch, hr_error *err);
/* Sets an axis from a record of the answer instead of from samples: kind, min, max and multiplier
 * are read. HR_INDEX, HR_VALUE for what contradicts itself. */
HR_API HR_CHECKED hr_status hr_spec_declare(hr_spec *spec, int32_t d, const hr_axis *axis,
                                            hr_error *err);
/* Sets an axis from a record of its pairs. */
HR_API HR_CHECKED hr_status hr_spec_recall(hr_spec *spec, int32_t d, const hr_axis_pair *pairs,
                                           int64_t n, hr_error *err);
/* Equal rank, and no axis that is static in both with different sizes. */
HR_API int hr_spec_matches(const hr_spec *a, const hr_spec *b);
/* Why the axis is what it is, in words; cut at `size`. Returns the length that it would have. */
HR_API size_t hr_spec_explain(const hr_spec *spec, int32_t d, char *text, size_t size);

/* ---- guards and routing ------------------------------------------------------------ */

enum { HR_GUARD_RANGE = 1, HR_GUARD_DTYPE = 2, HR_GUARD_DEVICE = 4 };

/* What a graph's callable demands of the tensor at one leaf of the graph's tree. */
typedef struct hr_guard {
    int32_t leaf;     /* in the tree given to hr_router_add */
    uint32_t demands; /* HR_GUARD_ */
    uint32_t dtype;
    uint64_t device;
    const int64_t *min, *max; /* `rank` sizes each, for HR_GUARD_RANGE; copied */
} hr_guard;

typedef struct hr_router hr_router;

typedef struct hr_route {
    int32_t index; /* of the graph; -1: none */
    uint32_t broken; /* the demand that is not met, HR_GUARD_; 0: all are */
    int32_t leaf;    /* of the call, where it is not met */
    int32_t axis;    /* for HR_GUARD_RANGE */
    const hr_guard *guard; /* what asks for it; lives as long as the router */
} hr_route;

HR_API HR_CHECKED hr_status hr_router_create(hr_router **out, const hr_tree_ways *ways,
                                             hr_error *err);
HR_API void hr_router_destroy(hr_router **router);
/* A graph by its first tree, which must be sealed and outlive the router; *index counts from 0.
 * HR_KEY when an equal tree is there, HR_STATE when a comparison failed, HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_router_add(hr_router *router, const hr_tree *tree,
                                          const hr_guard *guards, int32_t n_guards, int32_t *index,
                                          hr_error *err);
HR_API int32_t hr_router_count(const hr_router *router);
/* The call's graph. 0, or -1 when a comparison failed. */
HR_API int hr_router_find(const hr_router *router, const hr_tree *call, hr_route *out);
/* The first graph with the same tensors and ranks, whatever its values. 0 or -1. */
HR_API int hr_router_nearest(const hr_router *router, const hr_tree *call, int32_t *index);

#ifdef __cplusplus
}
#endif
#endif
