/* Regions of arrays: from what a reader was asked for to elements. */
#include "io/npy_region.h"

#include <math.h>
#include <string.h>

enum { START, END, SHAPE, N_ENDS };

/* ---- as asked for ------------------------------------------------------------------------ */

static hr_status set_bound(hr__npy_bound *b, const char *name, hr_ints whole, hr_floats share,
                           hr_error *err)
{
    int64_t n = whole.n >= 0 ? whole.n : share.n;
    if (whole.n >= 0 && share.n >= 0)
        return hr_fail(err, HR_VALUE, "`%s` and `rel_%s` exclude each other", name, name);
    if (n < 0) return HR_OK;
    if (n < 1 || n > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "`%s%s` has %lld values, it needs 1 to %d",
                       whole.n >= 0 ? "" : "rel_", name, (long long)n, HR_MAX_NDIM);
    b->n = (int)n;
    b->is_share = whole.n < 0;
    for (int i = 0; i < b->n; i++) {
        if (b->is_share) b->share[i] = share.v[i];
        else b->whole[i] = whole.v[i];
    }
    return HR_OK;
}

hr_status hr__npy_roi_set(hr__npy_roi *s, const hr__npy_roi_args *a, hr_error *err)
{
    hr__npy_bound *b = s->bounds;
    HR_TRY(set_bound(&b[START], "roi_start", a->start, a->rel_start, err));
    HR_TRY(set_bound(&b[END], "roi_end", a->end, a->rel_end, err));
    HR_TRY(set_bound(&b[SHAPE], "roi_shape", a->shape, a->rel_shape, err));
    if (b[END].n && b[SHAPE].n)
        return hr_fail(err, HR_VALUE, "of `roi_end`, `rel_roi_end`, `roi_shape` and "
                       "`rel_roi_shape` at most one can be given");
    if (a->axes.n > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "`roi_axes` has %lld axes, at most %d are possible",
                       (long long)a->axes.n, HR_MAX_NDIM);
    s->is_given = b[START].n || b[END].n || b[SHAPE].n;
    if (a->axes.n > 0 && !s->is_given)
        return hr_fail(err, HR_VALUE, "`roi_axes` needs a region: `roi_start`, `roi_end`, ...");
    for (int64_t i = 0; i < a->axes.n; i++) s->axes[s->n_axes++] = a->axes.v[i];
    s->policy = a->policy;
    return HR_OK;
}

/* ---- of an array ------------------------------------------------------------------------- */

static double value_of(const hr__npy_bound *b, int i, int64_t extent, int in_float)
{
    int at = b->n == 1 ? 0 : i;
    if (!b->is_share) return (double)b->whole[at];
    return in_float ? (double)(b->share[at] * (float)extent) : (double)b->share[at] * (double)extent;
}

/* Shares become elements as the peer's results show: begin and end in float, begin plus extent in
 * double; then rounded, halves away from zero. */
static hr_status find_range(const hr__npy_roi *s, int i, int axis, int64_t extent,
                            hr__npy_region *out, hr_error *err)
{
    const hr__npy_bound *b = s->bounds;
    const double limit = 0x1p62;
    double start = 0, end = (double)extent;
    if (b[START].n) start = value_of(&b[START], i, extent, 1);
    if (b[END].n) end = value_of(&b[END], i, extent, 1);
    if (b[SHAPE].n) {
        double shape = value_of(&b[SHAPE], i, extent, 0);
        if (!(shape >= 0))
            return hr_fail(err, HR_VALUE, "the region's extent in axis %d is %g", axis, shape);
        end = (b[START].n ? value_of(&b[START], i, extent, 0) : 0) + shape;
        if (end < start) end = start; /* float and double may round apart */
    }
    if (!(fabs(start) < limit && fabs(end) < limit)) /* NaN fails */
        return hr_fail(err, HR_VALUE, "the region takes %g..%g of axis %d, it must be within "
                       "+-2^62", start, end, axis);
    out->start[axis] = (int64_t)round(start);
    out->size[axis] = (int64_t)round(end) - out->start[axis];
    if (out->size[axis] >= 0) return HR_OK;
    return hr_fail(err, HR_VALUE, "the region ends before it begins in axis %d: %lld..%lld", axis,
                   (long long)out->start[axis], (long long)(int64_t)round(end));
}

static hr_status find_axis(const hr__npy_roi *s, int i, int ndim, unsigned *seen, int *axis,
                           hr_error *err)
{
    int64_t k = s->n_axes ? s->axes[i] : i;
    if (k < -ndim || k >= ndim)
        return hr_fail(err, HR_VALUE, "`roi_axes` has %lld, the array has the axes 0..%d",
                       (long long)k, ndim - 1);
    *axis = (int)(k < 0 ? k + ndim : k);
    if (*seen >> *axis & 1)
        return hr_fail(err, HR_VALUE, "`roi_axes` has axis %d twice", *axis);
    *seen |= 1u << *axis;
    return HR_OK;
}

static hr_status apply_policy(const hr__npy_roi *s, int axis, int64_t extent, hr__npy_region *r,
                              hr_error *err)
{
    int64_t start = r->start[axis], end = start + r->size[axis];
    if ((start >= 0 && end <= extent) || s->policy == HR__NPY_PAD) return HR_OK;
    if (s->policy == HR__NPY_ERROR)
        return hr_fail(err, HR_VALUE, "the region takes %lld..%lld of axis %d, the array has "
                       "0..%lld", (long long)start, (long long)end, axis, (long long)extent);
    start = start < 0 ? 0 : start > extent ? extent : start;
    end = end > extent ? extent : end;
    r->start[axis] = start;
    r->size[axis] = end > start ? end - start : 0;
    return HR_OK;
}

hr_status hr__npy_roi_find(const hr__npy_roi *s, const hr__npy *npy, hr__npy_region *out,
                           hr_error *err)
{
    int n = s->n_axes ? s->n_axes : npy->ndim;
    unsigned seen = 0;
    memset(out, 0, sizeof *out);
    memcpy(out->size, npy->shape, sizeof out->size);
    for (int k = 0; k < N_ENDS; k++)
        if (s->bounds[k].n > 1 && s->bounds[k].n != n)
            return hr_fail(err, HR_VALUE, "the region has %d values, it needs 1 or one for each of "
                           "%d axes", s->bounds[k].n, n);
    for (int i = 0; i < n; i++) {
        int axis = 0;
        HR_TRY(find_axis(s, i, npy->ndim, &seen, &axis, err));
        HR_TRY(find_range(s, i, axis, npy->shape[axis], out, err));
        HR_TRY(apply_policy(s, axis, npy->shape[axis], out, err));
    }
    return HR_OK;
}
