/* squeeze: without some of the axes of extent 1. */
#include "core/axes.h"

typedef struct squeeze_args {
    hr_ints axes;
    const char *axis_names;
} squeeze_args;

static const hr_arg_desc squeeze_desc[] = {
    HR_ARG(squeeze_args, axes, INTS, .flags = HR_PER_SAMPLE,
           .doc = "The axes to take away, negative ones counted from the back. This or "
                  "`axis_names` must be given."),
    HR_ARG(squeeze_args, axis_names, LAYOUT,
           .doc = "The axes by their letters in the input's layout."),
};

static hr_status squeeze_setup(hr_call *call, hr_error *err)
{
    int axes = hr_call_has(call, "axes"), names = hr_call_has(call, "axis_names");
    if (axes && names)
        return hr_fail(err, HR_VALUE, "`axes` and `axis_names` exclude each other");
    if (!axes && !names) return hr_fail(err, HR_VALUE, "`axes` or `axis_names` must be given");
    return HR_OK;
}

static hr_status squeeze_infer(const hr_sample *s, hr_error *err)
{
    const squeeze_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr__axes_given given = {.numbers = &a->axes, .names = a->axis_names, .layout = in->layout,
                            .ndim = in->ndim};
    hr__axes axes;
    HR_TRY(hr__axes_find(&given, &axes, err));
    int64_t shape[HR_MAX_NDIM];
    char layout[HR_MAX_NDIM + 1] = "";
    int n = 0;
    for (int k = 0; k < in->ndim; k++) {
        if (axes.mask >> k & 1) {
            if (in->shape[k] == 1) continue;
            return hr_fail(err, HR_VALUE, "axis %d has extent %lld, only an extent of 1 can go", k,
                           (long long)in->shape[k]);
        }
        shape[n] = in->shape[k];
        if (in->layout[0]) layout[n] = in->layout[k];
        n++;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, n, shape, err));
    return hr_tensor_set_layout(&s->out[0], layout, err);
}

static const hr_in_desc squeeze_ins[] = {
    {.name = "data", .doc = "Tensors of any rank and type."},
};

const hr_op_desc hr_op_squeeze = {
    .name = "squeeze",
    .doc = "Takes axes of extent 1 away. Nothing is copied: the output shares the input's "
           "memory.",
    .example = "axes=[]",
    .flags = HR_OP_VIEW,
    .ins = squeeze_ins, .n_ins = 1, .n_out = 1,
    .outs = "the elements without these axes; the layout loses their letters",
    .args = squeeze_desc, .n_args = sizeof squeeze_desc / sizeof *squeeze_desc,
    .args_size = sizeof(squeeze_args),
    .setup = squeeze_setup, .infer = squeeze_infer,
};
