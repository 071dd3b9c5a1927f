/* From slicing arguments to a region. Shares are turned into elements as the peer's results show:
 * rel_start and rel_end times the extent in float; begin plus extent, and the two inputs, in
 * double; then rounded, halves away from zero. */
#include "core/slice_box.h"

#include <math.h>
#include <string.h>

#include "core/axes.h"

hr_status hr__slice_check(const hr_call *call, hr_error *err)
{
    static const char *const ends[] = {"end", "rel_end", "shape", "rel_shape"};
    const char *last = NULL, *first = hr_call_has(call, "start") ? "start" : NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (!hr_call_has(call, ends[i])) continue;
        if (last)
            return hr_fail(err, HR_VALUE, "`%s` and `%s` exclude each other", last, ends[i]);
        last = ends[i];
    }
    if (hr_call_has(call, "rel_start")) {
        if (first) return hr_fail(err, HR_VALUE, "`start` and `rel_start` exclude each other");
        first = "rel_start";
    }
    if (hr_call_has(call, "axes") && hr_call_has(call, "axis_names"))
        return hr_fail(err, HR_VALUE, "`axes` and `axis_names` exclude each other");
    int anchor = call->n_in > 1 && call->in[1].t, shape = call->n_in > 2 && call->in[2].t;
    if (anchor != shape)
        return hr_fail(err, HR_VALUE, "the inputs `anchor` and `shape_input` go together: `%s` "
                       "is missing", anchor ? "shape_input" : "anchor");
    if (anchor && (first || last))
        return hr_fail(err, HR_VALUE, "the inputs `anchor` and `shape_input` exclude `%s`",
                       first ? first : last);
    if (!anchor && !first && !last)
        return hr_fail(err, HR_VALUE, "no region is given: it takes arguments such as `start` and "
                       "`end`, or the inputs `anchor` and `shape_input`");
    return HR_OK;
}

const char *hr__slice_default_layout(int ndim)
{
    return ndim == 2 ? "HW" : ndim == 3 ? "HWC" : ndim == 4 ? "DHWC" : "";
}

static hr_status slice_axes(const hr__slice_args *a, const hr__slice_target *t, hr__axes *out,
                            hr_error *err)
{
    int by_number = hr_call_has(t->call, "axes");
    /* Without letters to look up, the default of `axes` stands. */
    if (!by_number && !hr_call_has(t->call, "axis_names") && !t->layout[0]) by_number = 1;
    hr__axes_given given = {.numbers = &a->axes, .names = by_number ? NULL : a->axis_names,
                            .layout = t->layout, .ndim = t->ndim};
    HR_TRY(hr__axes_find(&given, out, err));
    if (out->n == 0) hr__axes_all(t->ndim, out);
    return HR_OK;
}

/* ---- the numbers of one axis ----------------------------------------------------- */

typedef struct range {
    double start, end; /* not yet rounded */
} range;

static hr_status count_values(const char *name, int64_t n, int axes, hr_error *err)
{
    if (n < 0 || n == 1 || n == axes) return HR_OK;
    return hr_fail(err, HR_VALUE, "`%s` has %lld values, it needs 1 or one for each of %d axes",
                   name, (long long)n, axes);
}

static hr_status check_counts(const hr__slice_args *a, int axes, hr_error *err)
{
    HR_TRY(count_values("start", a->start.n, axes, err));
    HR_TRY(count_values("end", a->end.n, axes, err));
    HR_TRY(count_values("shape", a->shape.n, axes, err));
    HR_TRY(count_values("rel_start", a->rel_start.n, axes, err));
    HR_TRY(count_values("rel_end", a->rel_end.n, axes, err));
    return count_values("rel_shape", a->rel_shape.n, axes, err);
}

static double int_at(const hr_ints *list, int i) { return (double)list->v[list->n == 1 ? 0 : i]; }
static float float_at(const hr_floats *list, int i) { return list->v[list->n == 1 ? 0 : i]; }

static hr_status check_shape(double shape, int axis, hr_error *err)
{
    if (shape >= 0) return HR_OK; /* NaN fails */
    return hr_fail(err, HR_VALUE, "the region's extent in axis %d is %g, it must not be negative",
                   axis, shape);
}

static hr_status named_range(const hr__slice_args *a, int i, int axis, int64_t extent, range *r,
                             hr_error *err)
{
    double n = (double)extent, start = 0;
    *r = (range){0, n};
    if (a->start.n > 0) start = r->start = int_at(&a->start, i);
    if (a->rel_start.n > 0) {
        float share = float_at(&a->rel_start, i);
        start = (double)share * n;
        r->start = (double)(share * (float)extent);
    }
    if (a->end.n > 0) r->end = int_at(&a->end, i);
    if (a->rel_end.n > 0) r->end = (double)(float_at(&a->rel_end, i) * (float)extent);
    int has_shape = a->shape.n > 0 || a->rel_shape.n > 0;
    if (!has_shape) return HR_OK;
    double shape = a->shape.n > 0 ? int_at(&a->shape, i) : (double)float_at(&a->rel_shape, i) * n;
    HR_TRY(check_shape(shape, axis, err));
    r->end = start + shape;
    if (r->end < r->start) r->end = r->start; /* float and double may round apart */
    return HR_OK;
}

/* Element i of a list that comes as an input (any strides; a single number has one element). */
static double input_at(const hr_tensor *t, int i)
{
    double v;
    const char *p = t->data;
    if (t->ndim) p += i * t->stride[0];
    hr_dtype_convert(HR_F64, &v, t->dtype, p, 1);
    return v;
}

static int is_share(const hr_tensor *t, int normalized)
{
    return normalized && hr_dtype_get_info(t->dtype)->kind == HR_KIND_FLOAT;
}

static hr_status input_range(const hr__slice_args *a, const hr__slice_target *t, int i, int axis,
                             range *r, hr_error *err)
{
    double n = (double)t->extent[axis];
    double start = input_at(t->anchor, i), shape = input_at(t->shape, i);
    if (is_share(t->anchor, a->normalized_anchor)) start *= n;
    if (is_share(t->shape, a->normalized_shape)) shape *= n;
    HR_TRY(check_shape(shape, axis, err));
    *r = (range){start, start + shape};
    return HR_OK;
}

static hr_status check_input(const hr_tensor *t, const char *name, int axes, hr_error *err)
{
    if (t->ndim <= 1 && hr_tensor_size(t) == axes) return HR_OK;
    return hr_fail(err, HR_VALUE, "input `%s` has %lld numbers in %d axes, it needs a list of %d",
                   name, (long long)hr_tensor_size(t), t->ndim, axes);
}

static hr_status round_range(const range *r, int axis, int64_t *start, int64_t *size,
                             hr_error *err)
{
    const double limit = 0x1p62;
    if (!(fabs(r->start) < limit && fabs(r->end) < limit)) /* NaN fails */
        return hr_fail(err, HR_VALUE, "the region takes %g..%g of axis %d, it must be within "
                       "+-2^62", r->start, r->end, axis);
    int64_t first = (int64_t)round(r->start), last = (int64_t)round(r->end);
    if (last < first)
        return hr_fail(err, HR_VALUE, "the region ends before it starts in axis %d: %lld..%lld",
                       axis, (long long)first, (long long)last);
    *start = first;
    *size = last - first;
    return HR_OK;
}

hr_status hr__slice_find(const hr__slice_args *a, const hr__slice_target *t, hr__box *out,
                         hr_error *err)
{
    hr__axes axes;
    HR_TRY(slice_axes(a, t, &axes, err));
    out->ndim = t->ndim;
    memset(out->start, 0, sizeof out->start);
    memcpy(out->size, t->extent, sizeof *t->extent * (size_t)t->ndim);
    if (t->anchor) {
        HR_TRY(check_input(t->anchor, "anchor", axes.n, err));
        HR_TRY(check_input(t->shape, "shape_input", axes.n, err));
    } else {
        HR_TRY(check_counts(a, axes.n, err));
    }
    for (int i = 0; i < axes.n; i++) {
        int k = axes.v[i];
        range r;
        if (t->anchor) HR_TRY(input_range(a, t, i, k, &r, err));
        else HR_TRY(named_range(a, i, k, t->extent[k], &r, err));
        HR_TRY(round_range(&r, k, &out->start[k], &out->size[k], err));
    }
    return HR_OK;
}

hr_status hr__slice_limit(const int64_t *extent, int policy, hr__box *box, hr_error *err)
{
    for (int k = 0; k < box->ndim; k++) {
        int64_t start = box->start[k], end = start + box->size[k];
        if (start >= 0 && end <= extent[k]) continue;
        if (policy == HR__BOUNDS_ERROR)
            return hr_fail(err, HR_VALUE, "the region takes %lld..%lld of axis %d, the input has "
                           "0..%lld", (long long)start, (long long)end, k, (long long)extent[k]);
        if (policy != HR__BOUNDS_TRIM) continue;
        start = start < 0 ? 0 : start > extent[k] ? extent[k] : start;
        end = end > extent[k] ? extent[k] : end;
        box->start[k] = start;
        box->size[k] = end > start ? end - start : 0;
    }
    return HR_OK;
}
