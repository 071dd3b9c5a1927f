/* pad: grows samples to a common extent, a given one, or a multiple. Batch-wise: an axis without
 * a given extent takes the largest of the batch, over all samples. */
#include <string.h>

#include "core/axes.h"
#include "core/place.h"
#include "kernels/kernels.h"

typedef struct pad_args {
    hr_ints align, axes, shape;
    const char *axis_names;
    float fill_value;
} pad_args;

typedef struct pad_state {
    int64_t largest[HR_MAX_NDIM]; /* extent of each axis over the batch */
} pad_state;

static const hr_arg_desc pad_desc[] = {
    HR_ARG(pad_args, align, INTS, .flags = HR_PER_SAMPLE, .min = 1, .max = 0x1p62,
           .doc = "The padded extents become multiples of this: one value, or one an axis of "
                  "`axes`."),
    HR_ARG(pad_args, axes, INTS, .flags = HR_PER_SAMPLE,
           .doc = "The axes to pad, negative ones counted from the back; all when empty or "
                  "not given."),
    HR_ARG(pad_args, axis_names, LAYOUT,
           .doc = "The axes by their letters in the input's layout, in place of `axes`."),
    HR_ARG(pad_args, fill_value, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0",
           .doc = "What the new elements are. For integers the fraction is cut off and the "
                  "value clamped to the type's range."),
    HR_ARG(pad_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Least extents: one value, or one an axis of `axes`. 0 or less: the largest "
                  "extent in the batch."),
};

static hr_status pad_setup(hr_call *call, hr_error *err)
{
    pad_state *state = call->state;
    const hr_input *in = &call->in[0];
    if (hr_call_has(call, "axes") && hr_call_has(call, "axis_names"))
        return hr_fail(err, HR_VALUE, "`axes` and `axis_names` exclude each other");
    for (int64_t i = 0; i < (in->is_batch ? in->n : 1); i++) {
        const hr_tensor *t = &in->t[i];
        if (t->meta && t->meta->failure) continue;
        for (int k = 0; k < t->ndim; k++)
            if (t->shape[k] > state->largest[k]) state->largest[k] = t->shape[k];
    }
    return HR_OK;
}

static hr_status pad_axes(const pad_args *a, const hr_tensor *in, hr__axes *axes, hr_error *err)
{
    const char *names = a->axis_names && a->axis_names[0] ? a->axis_names : NULL;
    if (!names && a->axes.n <= 0) {
        hr__axes_all(in->ndim, axes);
        return HR_OK;
    }
    hr__axes_given given = {.numbers = &a->axes, .names = names, .layout = in->layout,
                            .ndim = in->ndim};
    return hr__axes_find(&given, axes, err);
}

/* The i-th of `list` for n axes: the only one, or one each; `absent` where none is given. */
static int64_t list_at(const hr_ints *list, int i, int64_t absent)
{
    if (list->n <= 0) return absent;
    return list->v[list->n == 1 ? 0 : i];
}

static hr_status check_list(const hr_ints *list, const char *name, int n, hr_error *err)
{
    if (list->n <= 1 || list->n == n) return HR_OK;
    return hr_fail(err, HR_VALUE, "`%s` has %lld values, it needs 1 or one for each of %d axes",
                   name, (long long)list->n, n);
}

static hr_status pad_infer(const hr_sample *s, hr_error *err)
{
    const pad_args *a = s->args;
    const pad_state *state = s->state;
    const hr_tensor *in = s->in[0];
    hr__axes axes;
    int64_t shape[HR_MAX_NDIM] = {0};
    HR_TRY(pad_axes(a, in, &axes, err));
    HR_TRY(check_list(&a->shape, "shape", axes.n, err));
    HR_TRY(check_list(&a->align, "align", axes.n, err));
    memcpy(shape, in->shape, sizeof shape);
    for (int i = 0; i < axes.n; i++) {
        int k = axes.v[i];
        int64_t least = list_at(&a->shape, i, -1), align = list_at(&a->align, i, 1);
        if (least <= 0) least = state->largest[k];
        if (shape[k] < least) shape[k] = least;
        int64_t over = shape[k] % align;
        if (over && shape[k] > INT64_MAX - (align - over))
            return hr_fail(err, HR_OVERFLOW, "axis %d: %lld aligned to %lld is over 2^63", k,
                           (long long)shape[k], (long long)align);
        if (over) shape[k] += align - over;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status pad_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const pad_args *a = s->args;
    const hr_tensor *in = s->in[0];
    static const int64_t start[HR_MAX_NDIM];
    size_t size = hr_dtype_size(in->dtype);
    double fill;
    hr__fill_values(&fill, in->dtype, &a->fill_value, 1);
    hr__placement p = {.ndim = in->ndim, .src_shape = in->shape, .start = start,
                       .dst_shape = s->out[0].shape, .src_size = size, .dst_size = size,
                       .fill = &fill, .n_fill = 1};
    hr__place(&p, s->out[0].data, in->data);
    return HR_OK;
}

static const hr_in_desc pad_ins[] = {
    {.name = "input", .min_ndim = 1, .max_ndim = HR_MAX_NDIM,
     .doc = "Tensors with at least one axis."},
};

const hr_op_desc hr_op_pad = {
    .name = "pad",
    .doc = "Grows samples at the end of the chosen axes: to the largest extent in the batch, "
           "or to `shape`, then up to a multiple of `align`. No axis gets smaller.",
    .flags = HR_OP_BATCHWISE,
    .ins = pad_ins, .n_ins = 1, .n_out = 1, .outs = "the padded samples, in the input's layout",
    .args = pad_desc, .n_args = sizeof pad_desc / sizeof *pad_desc,
    .args_size = sizeof(pad_args), .state_size = sizeof(pad_state),
    .setup = pad_setup, .infer = pad_infer, .run = pad_run,
};
