/* random_crop_generator: windows of random area and aspect ratio, from picture shapes. */
#include <string.h>

#include "random/random.h"

typedef struct generator_args {
    hr__crop_draw_args draw;
} generator_args;

static const hr_arg_desc generator_desc[] = {
    HR__CROP_ATTEMPTS_ARG(generator_args, draw),
    HR__CROP_RANGE_ARGS(generator_args, draw),
};

static hr_status generator_setup(hr_call *call, hr_error *err)
{
    const generator_args *a = (const generator_args *)(const void *)call->args;
    return hr__crop_params_init(call->state, &a->draw, err);
}

static hr_status generator_infer(const hr_sample *s, hr_error *err)
{
    const int64_t two = 2, n = s->in[0]->shape[0];
    /* n = 1 stands for "unknown" where an empty batch is shaped. */
    if (n != 2 && n != 3 && s->call->n > 0)
        return hr_fail(err, HR_VALUE, "a shape of %lld extents, 2 (HW) or 3 (HWC) are needed",
                       (long long)n);
    HR_TRY(hr_tensor_shape(&s->out[0], HR_I32, 1, &two, err));
    return hr_tensor_shape(&s->out[1], HR_I32, 1, &two, err);
}

static hr_status generator_run(const hr_sample *s, hr_error *err)
{
    int64_t hw[2];
    hr_dtype_convert(HR_I64, hw, s->in[0]->dtype, s->in[0]->data, 2);
    for (int k = 0; k < 2; k++)
        if (hw[k] < 0 || hw[k] > INT32_MAX)
            return hr_fail(err, HR_VALUE, "extent %lld is outside 0..%d", (long long)hw[k],
                           INT32_MAX);
    hr_crop_window c = hr__crop_window(s->rng, hw[0], hw[1], s->state);
    const int32_t anchor[2] = {(int32_t)c.y, (int32_t)c.x};
    const int32_t shape[2] = {(int32_t)c.h, (int32_t)c.w};
    memcpy(s->out[0].data, anchor, sizeof anchor);
    memcpy(s->out[1].data, shape, sizeof shape);
    return HR_OK;
}

static const hr_in_desc generator_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_INT & ~HR_DTYPES(HR_U64), .min_ndim = 1, .max_ndim = 1,
     .doc = "The picture's shape, HW or HWC."},
};

const hr_op_desc hr_op_random_crop_generator = {
    .name = "random_crop_generator",
    .doc = "Draws a crop window of random area and aspect ratio for a picture of a given shape. "
           "The same draws as in random_resized_crop.",
    .example = "[480, 640]",
    .flags = HR_OP_RANDOM,
    .ins = generator_ins, .n_ins = 1, .n_out = 2, .outs = "anchor (y, x), shape (height, width)",
    .args = generator_desc, .n_args = sizeof generator_desc / sizeof *generator_desc,
    .args_size = sizeof(generator_args), .state_size = sizeof(hr_crop_params),
    .setup = generator_setup, .infer = generator_infer, .run = generator_run,
};
