/* math.clamp: the value, or the bound that it passes. A NaN anywhere gives NaN. */
#include "array/operand.h"
#include "array/promote.h"

enum { BLOCK = HR__OPERAND_BLOCK };

static hr_status clamp_infer(const hr_sample *s, hr_error *err)
{
    hr__promotion low, both;
    HR_TRY(hr__promote_binary(HR_BINARY_MAX, s->in[0]->dtype, s->in[1]->dtype, &low, err));
    HR_TRY(hr__promote_binary(HR_BINARY_MIN, low.result, s->in[2]->dtype, &both, err));
    return hr__operand_shape(s->in, 3, both.result, &s->out[0], err);
}

/* Values that the common type does not hold (uint64 beside a signed type) are taken as its
 * greatest. */
static hr_status clamp_run(const hr_sample *s, hr_error *err)
{
    hr_tensor *out = &s->out[0];
    hr_dtype result = out->dtype;
    hr_dtype compute = result == HR_F16 || result == HR_BF16 ? HR_F32 : result;
    int64_t n = hr_tensor_size(out);
    if (n == 0) return HR_OK;
    hr__operand v[3];
    for (int i = 0; i < 3; i++) HR_TRY(hr__operand_open(&v[i], s, s->in[i], compute, err));
    void *low = hr_arena_take(s->arena, BLOCK * sizeof(double));
    void *block = hr_arena_take(s->arena, BLOCK * sizeof(double));
    if (!low || !block) return hr_fail(err, HR_NOMEM, "no memory for a result");
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        char *dst = (char *)out->data + (size_t)i * hr_dtype_size(result);
        void *made = compute == result ? dst : block;
        s->kernels->binary(HR_BINARY_MAX, compute, low, hr__operand_block(&v[0], i, m),
                           hr__operand_block(&v[1], i, m), m);
        s->kernels->binary(HR_BINARY_MIN, compute, made, low, hr__operand_block(&v[2], i, m), m);
        if (made != dst) hr__result_store(s->kernels, result, dst, compute, made, m);
    }
    return HR_OK;
}

static const hr_in_desc clamp_ins[] = {
    {.name = "value", .dtypes = HR_DTYPES_VALUE, .doc = "Values."},
    {.name = "lo", .dtypes = HR_DTYPES_VALUE, .doc = "Lower bound."},
    {.name = "hi", .dtypes = HR_DTYPES_VALUE, .doc = "Upper bound; where it is under the lower one, it "
                                                "is the result."},
};

const hr_op_desc hr_op_math_clamp = {
    .name = "math.clamp",
    .doc = "The value, or the bound that it passes, in the common type of all three. Shapes are "
           "broadcast from the right.",
    .ins = clamp_ins, .n_ins = 3, .n_out = 1, .outs = "values within lo..hi",
    .infer = clamp_infer, .run = clamp_run,
};
