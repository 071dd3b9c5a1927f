/* lookup_table: integers to the values that a table gives them. */
#include <string.h>

#include "core/core.h"
#include "kernels/kernels.h"

typedef struct lookup_args {
    float default_value;
    hr_dtype dtype, output_dtype;
    hr_ints keys;
    hr_floats values;
} lookup_args;

enum { MAX_KEY = 65535 };

typedef struct lookup_state {
    hr_dtype dtype;
    int64_t n;   /* entries; numbers from n on take the default */
    void *table; /* n + 1 elements, the last one being the default */
} lookup_state;

static const hr_arg_desc lookup_desc[] = {
    HR_ARG(lookup_args, default_value, FLOAT, .initial = "0.0",
           .doc = "What numbers become that are no key."),
    HR_ARG(lookup_args, dtype, DTYPE, .initial = "float32",
           .doc = "Type of the output. Values are rounded to integers, halves away from zero, "
                  "and clamped to the type's range."),
    HR_ARG(lookup_args, keys, INTS, .initial = "[]", .min = 0, .max = MAX_KEY,
           .doc = "The numbers that the table knows; of equal ones the last counts."),
    HR_ARG(lookup_args, output_dtype, DTYPE, .flags = HR_DEPRECATED,
           .doc = "Former name of `dtype`."),
    HR_ARG(lookup_args, values, FLOATS, .initial = "[]",
           .doc = "What they become, one value a key."),
};

static hr_status lookup_setup(hr_call *call, hr_error *err)
{
    const lookup_args *a = (const void *)call->args;
    lookup_state *state = call->state;
    HR_TRY(hr__call_check_dtypes(call, err));
    if (a->keys.n != a->values.n)
        return hr_fail(err, HR_VALUE, "`keys` has %lld elements, `values` has %lld",
                       (long long)a->keys.n, (long long)a->values.n);
    state->dtype = a->output_dtype == HR_DTYPE_NONE ? a->dtype : a->output_dtype;
    for (int64_t i = 0; i < a->keys.n; i++)
        if (a->keys.v[i] >= state->n) state->n = a->keys.v[i] + 1;
    size_t n = (size_t)state->n + 1;
    float *reals = hr_arena_take(call->arena, n * sizeof *reals);
    state->table = hr_arena_take(call->arena, n * sizeof(double));
    if (!reals || !state->table) return hr_fail(err, HR_NOMEM, "no memory for the table");
    for (size_t i = 0; i < n; i++) reals[i] = a->default_value;
    for (int64_t i = 0; i < a->keys.n; i++) reals[a->keys.v[i]] = a->values.v[i];
    call->kernels->convert(state->dtype, state->table, HR_F32, reals, n);
    return HR_OK;
}

static hr_status lookup_infer(const hr_sample *s, hr_error *err)
{
    const lookup_state *state = s->state;
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], state->dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

/* Negative numbers are large ones without sign: past the table. */
#define LOOK_UP(from, to)                                                              \
    do {                                                                               \
        const from *src = in->data;                                                    \
        const to *table = state->table;                                                \
        to *dst = s->out[0].data;                                                      \
        for (int64_t i = 0; i < n; i++) {                                              \
            uint64_t key = (uint64_t)(int64_t)src[i];                                  \
            dst[i] = table[key < entries ? key : entries];                             \
        }                                                                              \
    } while (0)
#define LOOK_UP_FROM(from)                                                             \
    switch (hr_dtype_size(state->dtype)) {                                             \
    case 1: LOOK_UP(from, uint8_t); return HR_OK;                                      \
    case 2: LOOK_UP(from, uint16_t); return HR_OK;                                     \
    case 4: LOOK_UP(from, uint32_t); return HR_OK;                                     \
    default: LOOK_UP(from, uint64_t); return HR_OK;                                    \
    }

static hr_status lookup_run(const hr_sample *s, hr_error *err)
{
    const lookup_state *state = s->state;
    const hr_tensor *in = s->in[0];
    int64_t n = hr_tensor_size(in);
    uint64_t entries = (uint64_t)state->n;
    switch (in->dtype) {
    case HR_U8: LOOK_UP_FROM(uint8_t)
    case HR_U16: LOOK_UP_FROM(uint16_t)
    case HR_U32: LOOK_UP_FROM(uint32_t)
    case HR_U64: LOOK_UP_FROM(uint64_t)
    case HR_I8: LOOK_UP_FROM(int8_t)
    case HR_I16: LOOK_UP_FROM(int16_t)
    case HR_I32: LOOK_UP_FROM(int32_t)
    case HR_I64: LOOK_UP_FROM(int64_t)
    default: return hr_fail(err, HR_BUG, "no look-up of type %d", (int)in->dtype);
    }
}

static const hr_in_desc lookup_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_INT, .doc = "Integers."},
};

const hr_op_desc hr_op_lookup_table = {
    .name = "lookup_table",
    .doc = "Replaces each integer by the value that the table of `keys` and `values` has for it.",
    .example = "default_value=3.0",
    .ins = lookup_ins, .n_ins = 1, .n_out = 1, .outs = "the values, in the input's layout",
    .args = lookup_desc, .n_args = sizeof lookup_desc / sizeof *lookup_desc,
    .args_size = sizeof(lookup_args), .state_size = sizeof(lookup_state),
    .setup = lookup_setup, .infer = lookup_infer, .run = lookup_run,
};
