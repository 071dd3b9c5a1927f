/* zeros, ones: new tensors of one value. */
#include <headrace/op.h>

#include "core/place.h"

typedef struct zeros_args {
    hr_dtype dtype;
    const char *layout;
    hr_ints shape;
} zeros_args;

static const hr_arg_desc zeros_desc[] = {
    HR_ARG(zeros_args, dtype, DTYPE, .initial = "int32", .doc = "Type of the output."),
    HR_ARG(zeros_args, layout, LAYOUT, .doc = "Layout of the output, one letter an axis."),
    HR_ARG(zeros_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Extents of the output; not given: a single number without axes."),
};

static hr_status zeros_infer(const hr_sample *s, hr_error *err)
{
    const zeros_args *a = s->args;
    int64_t ndim = a->shape.n < 0 ? 0 : a->shape.n;
    if (ndim > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "`shape` has %lld extents, the limit is %d",
                       (long long)ndim, HR_MAX_NDIM);
    HR_TRY(hr_tensor_shape(&s->out[0], a->dtype, (int)ndim, a->shape.v, err));
    return hr_tensor_set_layout(&s->out[0], a->layout ? a->layout : "", err);
}

static hr_status zeros_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    hr__fill_tensor(&s->out[0], (float)s->call->op->variant);
    return HR_OK;
}

#define FILLED(name_, value_, doc_)                                                    \
    const hr_op_desc hr_op_##name_ = {                                                 \
        .name = #name_, .doc = doc_, .example = "shape=[2, 3]", .variant = value_,     \
        .n_out = 1, .outs = "the " #name_,                                             \
        .args = zeros_desc, .n_args = sizeof zeros_desc / sizeof *zeros_desc,          \
        .args_size = sizeof(zeros_args), .infer = zeros_infer, .run = zeros_run,       \
    };

FILLED(zeros, 0, "Makes new tensors of zeros.")
FILLED(ones, 1, "Makes new tensors of ones.")
