/* zeros_like, ones_like: tensors of one value, shaped like others. */
#include <string.h>

#include <headrace/op.h>

#include "core/place.h"

typedef struct like_args {
    hr_dtype dtype;
} like_args;

static const hr_arg_desc like_desc[] = {
    HR_ARG(like_args, dtype, DTYPE, .doc = "Type of the output; the input's when not given."),
};

static hr_status like_infer(const hr_sample *s, hr_error *err)
{
    const like_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr_dtype dtype = a->dtype == HR_DTYPE_NONE ? in->dtype : a->dtype;
    HR_TRY(hr_tensor_shape(&s->out[0], dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status like_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    hr__fill_tensor(&s->out[0], (float)s->call->op->variant);
    return HR_OK;
}

static const hr_in_desc like_ins[] = {
    {.name = "data_like", .doc = "Tells shape, type and layout; its values are not looked at."},
};

#define FILLED(name_, value_, doc_)                                                    \
    const hr_op_desc hr_op_##name_ = {                                                 \
        .name = #name_, .doc = doc_, .flags = HR_OP_STRIDED, .variant = value_,        \
        .ins = like_ins, .n_ins = 1, .n_out = 1,                                       \
        .outs = "tensors of the input's shape and layout",                             \
        .args = like_desc, .n_args = sizeof like_desc / sizeof *like_desc,             \
        .args_size = sizeof(like_args), .infer = like_infer, .run = like_run,          \
    };

FILLED(zeros_like, 0, "Makes tensors of zeros in the shape of others.")
FILLED(ones_like, 1, "Makes tensors of ones in the shape of others.")
