/* Operators: one descriptor each, from which the C call, the Python function, its signature,
 * documentation, stub and contract tests are made. CONTRIBUTING.md adds one in ten lines.
 * Thread use: descriptors are constant; hr_op_call may run on several threads at once. */
#ifndef HR_OP_H
#define HR_OP_H

#include <headrace/context.h>
#include <headrace/rng.h>
#include <headrace/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arguments ------------------------------------------------------------------------- */

/* The kind says which C type the argument's field in the operator's struct has. */
typedef enum hr_arg_kind {
    HR_ARG_BOOL,       /* int */
    HR_ARG_INT,        /* int64_t */
    HR_ARG_FLOAT,      /* float */
    HR_ARG_STR,        /* const char *; NULL when absent */
    HR_ARG_CHOICE,     /* int: index in `choices`; -1 when absent */
    HR_ARG_DTYPE,      /* hr_dtype; HR_DTYPE_NONE when absent */
    HR_ARG_IMAGE_TYPE, /* hr_image_type */
    HR_ARG_INTERP,     /* hr_interp */
    HR_ARG_LAYOUT,     /* const char *; NULL when absent */
    HR_ARG_INTS,       /* hr_ints; n = -1 when absent */
    HR_ARG_FLOATS,     /* hr_floats; n = -1 when absent */
    HR_ARG_STRS,       /* hr_strs; n = -1 when absent */
} hr_arg_kind;

typedef struct hr_ints { const int64_t *v; int64_t n; } hr_ints;
typedef struct hr_floats { const float *v; int64_t n; } hr_floats;
typedef struct hr_strs { const char *const *v; int64_t n; } hr_strs;
/* HR_ARG_FLOATS with HR_SHAPED: numbers in row-major order with the shape they were given in. */
typedef struct hr_shaped { hr_floats list; int32_t ndim; int64_t shape[HR_MAX_NDIM]; } hr_shaped;

/* An optional number that was not given. */
#define HR_INT_ABSENT INT64_MIN
HR_API float hr_float_absent(void); /* one NaN of its own */
HR_API int hr_float_is_absent(float v);

/* The peer's numbers. */
typedef enum hr_image_type { HR_RGB, HR_BGR, HR_GRAY, HR_YCBCR, HR_ANY_DATA } hr_image_type;
typedef enum hr_interp {
    HR_INTERP_NN, HR_INTERP_LINEAR, HR_INTERP_CUBIC, HR_INTERP_LANCZOS3,
    HR_INTERP_TRIANGULAR, HR_INTERP_GAUSSIAN
} hr_interp;

enum {
    HR_REQUIRED = 1,   /* must be given */
    HR_PER_SAMPLE = 2, /* may be a batch: one value a sample */
    HR_HINT = 4,       /* accepted for the peer's sake; changes no value */
    HR_DEPRECATED = 8, /* accepted with a warning that quotes its doc */
    HR_SHAPED = 16,    /* HR_ARG_FLOATS of any rank: the field is an hr_shaped */
    HR_ADDS_OUTPUT = 32, /* HR_ARG_BOOL: a call makes the last output only where this is True */
};

typedef struct hr_arg_desc {
    const char *name;
    hr_arg_kind kind;
    uint32_t flags;
    size_t offset;       /* of the field in the operator's argument struct */
    const char *initial; /* default, written as in Python: "0.5", "[0.08, 1.0]", "linear",
                            "True", "float32"; NULL: optional without a default, or required */
    double min, max;     /* bounds of a number, and of each element; both 0: none */
    int min_n, max_n;    /* bounds of a list's length; both 0: none */
    const char *choices; /* HR_ARG_CHOICE: "error|pad|trim_to_shape" */
    const char *doc;     /* one or more sentences: meaning, unit */
} hr_arg_desc;

/* ARG(struct, field, KIND, ...designated initialisers...) */
#define HR_ARG(type, field, kind_, ...)                                                \
    { .name = #field, .kind = HR_ARG_##kind_, .offset = offsetof(type, field), __VA_ARGS__ }

/* ---- inputs ---------------------------------------------------------------------------- */

enum {
    HR_IN_OPTIONAL = 1, /* may be left out */
    HR_IN_VARIADIC = 2, /* the last input; one or more */
    HR_IN_ENCODED = 4,  /* bytes of a file: uint8, one axis (for tests and docs) */
};

typedef struct hr_in_desc {
    const char *name;
    uint32_t flags;
    uint64_t dtypes;     /* HR_DTYPES… ; 0: all */
    const char *layouts; /* "HWC FHWC DHWC": layouts that are accepted; a tensor without a
                            layout takes the first one of its rank. NULL: any */
    int min_ndim, max_ndim; /* both 0: any rank */
    const char *doc;
} hr_in_desc;

/* ---- the call as an operator sees it --------------------------------------------------- */

typedef struct hr_arena hr_arena;
/* `size` bytes, 64-byte aligned, valid until the sample (or the call) is done; NULL when memory
 * is out. Allocates only until the thread's high-water mark is reached. */
HR_API void *hr_arena_take(hr_arena *arena, size_t size);

struct hr_op_desc;
struct hr_kernels;

typedef struct hr_input {
    const hr_tensor *t; /* NULL: left out */
    int64_t n;          /* samples; 1 for a plain tensor */
    int is_batch;       /* 0: one tensor, seen by every sample */
    char layout[HR_MAX_NDIM + 1]; /* the tensor's, or the default for its rank */
} hr_input;

/* The whole call, for setup. */
typedef struct hr_call {
    const struct hr_op_desc *op;
    int64_t n; /* samples to make */
    int is_batch; /* 0: the call makes one plain sample */
    int n_in;
    const hr_input *in;
    const char *args;   /* argument struct of sample 0 */
    size_t args_stride; /* 0: one struct for all samples */
    uint64_t args_given; /* bit i: argument i of the descriptor was given */
    hr_rng rng; /* the call's master state (random operators) */
    void *state; /* state_size bytes, zeroed before setup */
    hr_arena *arena; /* lives as long as the call */
    const struct hr_kernels *kernels;
} hr_call;

/* One sample, for infer and run. */
typedef struct hr_sample {
    const hr_call *call;
    const void *args;
    void *state;               /* the call's; read-only here */
    const hr_tensor *const *in; /* n_in tensors; NULL where left out */
    int n_in;
    hr_tensor *out; /* n_out tensors */
    int64_t i;      /* index in the batch */
    hr_rng rng;     /* this sample's state (random operators); a copy: draw freely */
    hr_arena *arena; /* emptied before each sample */
    const struct hr_kernels *kernels;
} hr_sample;

/* Is argument `name`'s field given by the caller (not defaulted)? Looks in the descriptor. */
HR_API int hr_call_has(const hr_call *call, const char *name);

/* ---- the descriptor -------------------------------------------------------------------- */

enum {
    HR_OP_RANDOM = 1,    /* takes rng=; draws HR_RNG_CALL_WORDS words a call */
    HR_OP_BATCHWISE = 2, /* output i may need other samples than input i */
    HR_OP_STRIDED = 4,   /* run accepts inputs of any strides (else they are packed first) */
    HR_OP_VIEW = 16,     /* the output is the first input's packed bytes under another shape, type
                            or layout: infer says which; run is not called and may be NULL */
    HR_OP_HEAVY = 8,     /* work far above its bytes (decoding): always worth a thread */
};

typedef struct hr_op_desc {
    const char *name; /* "flip", "random.uniform" */
    const char *doc;  /* first sentence: what it does; then details, formula and source */
    const char *example; /* arguments as written in Python, enough for a call: "size=[4, 3]" */
    uint32_t flags;
    int variant; /* for a file that describes several operators: which one */
    const hr_in_desc *ins;
    int n_ins;
    int n_out;
    const char *outs; /* what comes out, in words: "the flipped image" */
    const hr_arg_desc *args;
    int n_args;
    size_t args_size;
    size_t state_size;
    /* Once a call, may be NULL: checks arguments that belong together and prepares `state`.
     * Memory comes from call->arena. */
    hr_status (*setup)(hr_call *call, hr_error *err);
    /* Sets dtype, shape (hr_tensor_shape) and layout of each s->out[k]; touches no pixel data. */
    hr_status (*infer)(const hr_sample *s, hr_error *err);
    /* Fills s->out[k].data (packed). Re-entrant; allocates from s->arena only. */
    hr_status (*run)(const hr_sample *s, hr_error *err);
} hr_op_desc;

/* ---- registry and calls ---------------------------------------------------------------- */

/* The i-th operator, in the order of ops.list; NULL past the end. */
HR_API const hr_op_desc *hr_op_at(int i);
/* NULL when there is none of that name. */
HR_API const hr_op_desc *hr_op_find(const char *name);

typedef enum hr_value_kind {
    HR_VALUE_NONE,
    HR_VALUE_BOOL,
    HR_VALUE_INT,
    HR_VALUE_FLOAT,
    HR_VALUE_STR,
    HR_VALUE_DTYPE,
    HR_VALUE_IMAGE_TYPE,
    HR_VALUE_INTERP,
    HR_VALUE_INTS,
    HR_VALUE_FLOATS,
    HR_VALUE_STRS,
    HR_VALUE_TENSOR, /* one tensor for all samples, rank 0 or 1 */
    HR_VALUE_BATCH,  /* n tensors, one a sample */
} hr_value_kind;

/* An argument's value, borrowed for the call. */
typedef struct hr_value {
    hr_value_kind kind;
    int64_t n; /* elements of a list, samples of a batch */
    union {
        int64_t i; /* BOOL, INT, DTYPE, IMAGE_TYPE, INTERP */
        double f;
        const char *s;
        const int64_t *ints;
        const double *floats;
        const char *const *strs;
        const hr_tensor *t;
    } u;
} hr_value;

typedef struct hr_named {
    const char *name;
    hr_value value;
} hr_named;

typedef struct hr_call_options {
    hr_pool *pool;      /* NULL: the calling thread alone */
    int64_t batch_size; /* 0: from the inputs; no batch among them: one sample */
    hr_rng *rng;        /* random operators: advanced by the call; required there */
    hr_poll_fn poll;    /* see hr_pool_run */
    /* Called on the calling thread round work that is worth a thread (some 10 us and more), so
     * that an interpreter can let its lock go. May be NULL. */
    void (*begin_long)(void *arg);
    void (*end_long)(void *arg);
    void *arg; /* of poll, begin_long and end_long */
} hr_call_options;

/* Calls an operator. `values` are named; `outs` receives n_out new references. The last one stays as it is
 * where the operator has an argument with HR_ADDS_OUTPUT and it is not True. */
HR_API HR_CHECKED hr_status hr_op_call(const hr_op_desc *op, const hr_input *ins, int n_ins,
                                       const hr_named *values, int n_values,
                                       const hr_call_options *options, hr_batch **outs,
                                       hr_error *err);
/* The same with one value for each argument of the descriptor, in its order (kind NONE: not
 * given): no look-up by name. */
HR_API HR_CHECKED hr_status hr_op_call_indexed(const hr_op_desc *op, const hr_input *ins,
                                               int n_ins, const hr_value *values,
                                               const hr_call_options *options,
                                               hr_batch **outs, hr_error *err);

/* Fills an argument struct from values in the descriptor's order, one sample, for readers and
 * others that describe their arguments the same way. Lists live in `arena`. */
HR_API HR_CHECKED hr_status hr_args_bind(const hr_arg_desc *args, int n_args,
                                         const char *owner, const hr_value *values,
                                         void *out, hr_arena *arena, hr_error *err);
HR_API HR_CHECKED hr_status hr_arena_create(hr_arena **out, hr_error *err);
HR_API void hr_arena_destroy(hr_arena **arena);

#ifdef __cplusplus
}
#endif
#endif
