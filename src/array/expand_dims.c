/* expand_dims: with new axes of extent 1. */
#include <string.h>

#include <headrace/op.h>

typedef struct expand_args {
    hr_ints axes;
    const char *new_axis_names;
} expand_args;

static const hr_arg_desc expand_desc[] = {
    HR_ARG(expand_args, axes, INTS, .flags = HR_REQUIRED,
           .doc = "Places of the new axes in the output, negative ones counted from its back."),
    HR_ARG(expand_args, new_axis_names, LAYOUT, .initial = "",
           .doc = "Letters of the new axes, one for each of `axes`. Without them the output "
                  "has no layout."),
};

static hr_status check_names(const expand_args *a, const hr_tensor *in, hr_error *err)
{
    int64_t n = (int64_t)strlen(a->new_axis_names);
    if (n == 0) return HR_OK;
    if (n != a->axes.n)
        return hr_fail(err, HR_VALUE, "`new_axis_names` is \"%.32s\", it needs %lld letters",
                       a->new_axis_names, (long long)a->axes.n);
    if (in->ndim && !in->layout[0])
        return hr_fail(err, HR_VALUE, "`new_axis_names` is \"%.32s\", but the input has no layout",
                       a->new_axis_names);
    return HR_OK;
}

/* letters[k]: of the new axis at place k, ' ' for one without; 0: an axis of the input. */
static hr_status place_axes(const expand_args *a, int ndim, char *letters, hr_error *err)
{
    for (int64_t i = 0; i < a->axes.n; i++) {
        int64_t k = a->axes.v[i];
        if (k < -ndim || k >= ndim)
            return hr_fail(err, HR_VALUE, "`axes` has %lld, it must be within %d..%d for an "
                           "output of %d axes", (long long)k, -ndim, ndim - 1, ndim);
        if (k < 0) k += ndim;
        if (letters[k])
            return hr_fail(err, HR_VALUE, "`axes` names axis %lld twice", (long long)k);
        letters[k] = a->new_axis_names[0] ? a->new_axis_names[i] : ' ';
    }
    return HR_OK;
}

static hr_status expand_infer(const hr_sample *s, hr_error *err)
{
    const expand_args *a = s->args;
    const hr_tensor *in = s->in[0];
    if (a->axes.n > HR_MAX_NDIM - in->ndim)
        return hr_fail(err, HR_VALUE, "the output would have %lld axes, the limit is %d",
                       (long long)a->axes.n + in->ndim, HR_MAX_NDIM);
    HR_TRY(check_names(a, in, err));
    int ndim = in->ndim + (int)a->axes.n, k = 0;
    char letters[HR_MAX_NDIM + 1] = "", layout[HR_MAX_NDIM + 1] = "";
    int64_t shape[HR_MAX_NDIM];
    HR_TRY(place_axes(a, ndim, letters, err));
    for (int i = 0; i < ndim; i++) {
        shape[i] = letters[i] ? 1 : in->shape[k];
        layout[i] = letters[i] ? letters[i] : in->layout[k];
        if (!letters[i]) k++;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, ndim, shape, err));
    int is_named = a->new_axis_names[0] || (a->axes.n == 0 && in->layout[0]);
    return hr_tensor_set_layout(&s->out[0], is_named ? layout : "", err);
}

static const hr_in_desc expand_ins[] = {
    {.name = "data", .doc = "Tensors of any type."},
};

const hr_op_desc hr_op_expand_dims = {
    .name = "expand_dims",
    .doc = "Puts in new axes of extent 1. Nothing is copied: the output shares the input's "
           "memory.",
    .example = "axes=[0]",
    .flags = HR_OP_VIEW,
    .ins = expand_ins, .n_ins = 1, .n_out = 1, .outs = "the elements with the new axes",
    .args = expand_desc, .n_args = sizeof expand_desc / sizeof *expand_desc,
    .args_size = sizeof(expand_args),
    .infer = expand_infer,
};
