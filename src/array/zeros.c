/* zeros: new tensors of zeros. */
#include <string.h>

#include <headrace/op.h>

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
    memset(s->out[0].data, 0, hr_tensor_nbytes(&s->out[0]));
    return HR_OK;
}

const hr_op_desc hr_op_zeros = {
    .name = "zeros",
    .doc = "Makes new tensors of zeros.",
    .example = "shape=[2, 3]",
    .n_out = 1, .outs = "the zeros",
    .args = zeros_desc, .n_args = sizeof zeros_desc / sizeof *zeros_desc,
    .args_size = sizeof(zeros_args),
    .infer = zeros_infer, .run = zeros_run,
};
