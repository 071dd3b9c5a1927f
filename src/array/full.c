/* full: new tensors that repeat a fill value, broadcast as NumPy does. Leading axes of extent 1
 * that the output lacks are dropped. */
#include <string.h>

#include <headrace/op.h>

#include "array/broadcast.h"

typedef struct full_args {
    const char *layout;
    hr_ints shape;
} full_args;

static const hr_arg_desc full_desc[] = {
    HR_ARG(full_args, layout, LAYOUT, .doc = "Layout of the output, one letter an axis."),
    HR_ARG(full_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Extents of the output; not given: a single number without axes."),
};

static hr_status full_infer(const hr_sample *s, hr_error *err)
{
    const full_args *a = s->args;
    int64_t ndim = a->shape.n < 0 ? 0 : a->shape.n;
    if (ndim > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "`shape` has %lld extents, the limit is %d",
                       (long long)ndim, HR_MAX_NDIM);
    HR_TRY(hr_tensor_shape(&s->out[0], s->in[0]->dtype, (int)ndim, a->shape.v, err));
    HR_TRY(hr_tensor_set_layout(&s->out[0], a->layout ? a->layout : "", err));
    return hr__broadcast_check(s->in[0], &s->out[0], err);
}

static hr_status full_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const hr_tensor *out = &s->out[0];
    hr__broadcast_fill(out->data, out, s->in[0], s->in[0]->data, hr_dtype_size(out->dtype));
    return HR_OK;
}

static const hr_in_desc full_ins[] = {
    {.name = "fill_value", .doc = "What to repeat: a number, or a tensor that broadcasts to "
                                  "the output's shape."},
};

const hr_op_desc hr_op_full = {
    .name = "full",
    .doc = "Makes new tensors that repeat `fill_value`, in its type.",
    .example = "shape=[2, 3]",
    .ins = full_ins, .n_ins = 1, .n_out = 1, .outs = "the filled tensors",
    .args = full_desc, .n_args = sizeof full_desc / sizeof *full_desc,
    .args_size = sizeof(full_args),
    .infer = full_infer, .run = full_run,
};
