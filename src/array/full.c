/* full: new tensors that repeat a fill value, broadcast as NumPy does. Leading axes of extent 1
 * that the output lacks are dropped. */
#include <string.h>

#include <headrace/op.h>

#include "core/place.h"

typedef struct full_args {
    const char *layout;
    hr_ints shape;
} full_args;

static const hr_arg_desc full_desc[] = {
    HR_ARG(full_args, layout, LAYOUT, .doc = "Layout of the output, one letter an axis."),
    HR_ARG(full_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Extents of the output; not given: a single number without axes."),
};

static hr_status check_broadcast(const hr_tensor *fill, const hr_tensor *out, hr_error *err)
{
    int extra = out->ndim - fill->ndim; /* axes that the output has before the fill's */
    for (int k = 0; k < fill->ndim; k++) {
        int64_t have = fill->shape[k], want = k + extra < 0 ? 1 : out->shape[k + extra];
        if (have != 1 && have != want)
            return hr_fail(err, HR_VALUE,
                           "`fill_value` has extent %lld in axis %d, it must be 1 or the "
                           "output's %lld", (long long)have, k, (long long)want);
    }
    return HR_OK;
}

static hr_status full_infer(const hr_sample *s, hr_error *err)
{
    const full_args *a = s->args;
    int64_t ndim = a->shape.n < 0 ? 0 : a->shape.n;
    if (ndim > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "`shape` has %lld extents, the limit is %d",
                       (long long)ndim, HR_MAX_NDIM);
    HR_TRY(hr_tensor_shape(&s->out[0], s->in[0]->dtype, (int)ndim, a->shape.v, err));
    HR_TRY(hr_tensor_set_layout(&s->out[0], a->layout ? a->layout : "", err));
    return check_broadcast(s->in[0], &s->out[0], err);
}

/* Fills axes axis..ndim-1 at dst; returns the end. */
static char *full_axis(const hr_tensor *fill, const hr_tensor *out, int axis, char *dst,
                       const char *src)
{
    size_t size = hr_dtype_size(out->dtype);
    if (axis == out->ndim) {
        memcpy(dst, src, size);
        return dst + size;
    }
    int k = axis + fill->ndim - out->ndim;
    int64_t n = out->shape[axis], step = 0, block = (int64_t)size;
    for (int j = axis + 1; j < out->ndim; j++) block *= out->shape[j];
    if (k >= 0 && fill->shape[k] != 1) {
        step = (int64_t)size;
        for (int j = k + 1; j < fill->ndim; j++) step *= fill->shape[j];
    }
    if (axis == out->ndim - 1 && step == 0) {
        hr__fill(dst, src, size, n);
        return dst + n * block;
    }
    char *first = dst;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && step == 0) {
            memcpy(dst, first, (size_t)block);
            dst += block;
        } else {
            dst = full_axis(fill, out, axis + 1, dst, src + i * step);
        }
    }
    return dst;
}

static hr_status full_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    if (hr_tensor_size(&s->out[0]) > 0)
        full_axis(s->in[0], &s->out[0], 0, s->out[0].data, s->in[0]->data);
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
