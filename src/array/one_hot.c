/* one_hot: class numbers to vectors that mark them. */
#include <string.h>

#include "core/axes.h"
#include "core/place.h"
#include "kernels/kernels.h"

typedef struct one_hot_args {
    int64_t axis, num_classes;
    const char *axis_name;
    hr_dtype dtype;
    float off_value, on_value;
} one_hot_args;

typedef struct one_hot_state {
    int is_single; /* every sample is one element, and the axis is not given */
} one_hot_state;

static const hr_arg_desc one_hot_desc[] = {
    HR_ARG(one_hot_args, axis, INT, .initial = "-1", .min = -1, .max = HR_MAX_NDIM - 1,
           .doc = "Place of the new axis in the output, -1 being the last. Where it is not given "
                  "and every sample has a single element, the output has this axis alone."),
    HR_ARG(one_hot_args, axis_name, STR,
           .doc = "Letter of the new axis; without it the output has no layout."),
    HR_ARG(one_hot_args, dtype, DTYPE, .initial = "float32", .doc = "Type of the output."),
    HR_ARG(one_hot_args, num_classes, INT, .initial = "0", .min = 0, .max = 0x1p62,
           .doc = "Extent of the new axis. Numbers outside 0..num_classes - 1 mark nothing."),
    HR_ARG(one_hot_args, off_value, FLOAT, .initial = "0.0",
           .doc = "Value where the class is another; its fraction is cut off for integers, and it "
                  "is clamped to the type's range."),
    HR_ARG(one_hot_args, on_value, FLOAT, .initial = "1.0",
           .doc = "Value at the class's place, likewise."),
};

static hr_status one_hot_setup(hr_call *call, hr_error *err)
{
    const one_hot_args *a = (const void *)call->args;
    const hr_input *in = &call->in[0];
    one_hot_state *state = call->state;
    if (a->axis_name) HR_TRY(hr__axis_name_check(a->axis_name, err));
    state->is_single = !hr_call_has(call, "axis");
    for (int64_t i = 0; i < (in->is_batch ? in->n : 1) && state->is_single; i++)
        if (hr_tensor_size(&in->t[i]) != 1) state->is_single = 0;
    return HR_OK;
}

static hr_status one_hot_infer(const hr_sample *s, hr_error *err)
{
    const one_hot_args *a = s->args;
    const one_hot_state *state = s->state;
    const hr_tensor *in = s->in[0];
    int ndim = state->is_single ? 0 : in->ndim;
    if (ndim == HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "an input of %d axes leaves no place for a new one", ndim);
    if (a->axis > ndim)
        return hr_fail(err, HR_VALUE, "`axis` is %lld, it must be within -1..%d for an input of %d "
                       "axes", (long long)a->axis, ndim, in->ndim);
    if (a->axis_name && ndim && !in->layout[0])
        return hr_fail(err, HR_VALUE, "`axis_name` is \"%s\", but the input has no layout",
                       a->axis_name);
    int axis = (int)(a->axis < 0 ? ndim : a->axis);
    int64_t shape[HR_MAX_NDIM];
    char layout[HR_MAX_NDIM + 1] = "";
    for (int i = 0, k = 0; i <= ndim; i++) {
        shape[i] = i == axis ? a->num_classes : in->shape[k];
        if (a->axis_name) layout[i] = i == axis ? a->axis_name[0] : in->layout[k];
        if (i != axis) k++;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], a->dtype, ndim + 1, shape, err));
    return hr_tensor_set_layout(&s->out[0], layout, err);
}

/* The class of each of n elements: fractions are cut off; -1 for what is no class. */
static void find_classes(const hr_sample *s, int64_t first, int64_t n, int64_t *out)
{
    const hr_tensor *in = s->in[0];
    const char *src = (const char *)in->data + (size_t)first * hr_dtype_size(in->dtype);
    if (hr_dtype_get_info(in->dtype)->kind != HR_KIND_FLOAT) {
        s->kernels->convert(HR_I64, out, in->dtype, src, (size_t)n); /* 2^64 - 1 is clamped */
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double v;
        hr_dtype_convert(HR_F64, &v, in->dtype, src + (size_t)i * hr_dtype_size(in->dtype), 1);
        out[i] = v > -1 && v < 0x1p62 ? (int64_t)v : -1; /* NaN is no class */
    }
}

enum { BLOCK = 256 };

static hr_status one_hot_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const one_hot_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr_tensor *out = &s->out[0];
    size_t size = hr_dtype_size(out->dtype);
    double on, off;
    hr__fill_values(&on, out->dtype, &a->on_value, 1);
    hr__fill_values(&off, out->dtype, &a->off_value, 1);
    hr__fill(out->data, &off, size, hr_tensor_size(out));
    if (hr_tensor_size(out) == 0) return HR_OK;
    int axis = (int)(a->axis < 0 ? out->ndim - 1 : a->axis);
    int64_t inner = 1, n = hr_tensor_size(in);
    for (int k = axis + 1; k < out->ndim; k++) inner *= out->shape[k];
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK, found[BLOCK];
        find_classes(s, i, m, found);
        for (int64_t j = 0; j < m; j++) {
            if (found[j] < 0 || found[j] >= a->num_classes) continue;
            int64_t at = ((i + j) / inner * a->num_classes + found[j]) * inner + (i + j) % inner;
            memcpy((char *)out->data + (size_t)at * size, &on, size);
        }
    }
    return HR_OK;
}

static const hr_in_desc one_hot_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_VALUE, .doc = "Class numbers."},
};

const hr_op_desc hr_op_one_hot = {
    .name = "one_hot",
    .doc = "Puts in a new axis of `num_classes` elements: `on_value` at the place that the input "
           "says, `off_value` elsewhere. Class numbers with a fraction are cut off.",
    .example = "num_classes=5",
    .ins = one_hot_ins, .n_ins = 1, .n_out = 1, .outs = "the vectors",
    .args = one_hot_desc, .n_args = sizeof one_hot_desc / sizeof *one_hot_desc,
    .args_size = sizeof(one_hot_args), .state_size = sizeof(one_hot_state),
    .setup = one_hot_setup, .infer = one_hot_infer, .run = one_hot_run,
};
