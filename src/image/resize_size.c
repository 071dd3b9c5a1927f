/* From the arguments of a resize to the axes of one picture: output extents, the region of the
 * source, flips. Rules: docs/resize.md. */
#include "image/resize.h"

#include <math.h>

static const char *const axis_names[3] = {"resize_z", "resize_y", "resize_x"};
static const float roi_min = 1e-3f; /* a region is at least this wide, in pixels */
static const float size_min = 0.1f; /* an extent below stretches the region no further */

static int has_axes(const hr_call *call)
{
    return hr_call_has(call, "resize_x") || hr_call_has(call, "resize_y") ||
           hr_call_has(call, "resize_z");
}

hr_status hr__size_check(const hr_call *call, hr__size_way *way, hr_error *err)
{
    int shorter = hr_call_has(call, "resize_shorter");
    int longer = hr_call_has(call, "resize_longer");
    int list = hr_call_has(call, "size"), axes = has_axes(call);
    if (shorter + longer + list + axes != 1)
        return hr_fail(err, HR_VALUE,
                       "give the size in one way, not %d: `size`, or `resize_x`, `resize_y`, "
                       "`resize_z`, or `resize_shorter`, or `resize_longer`",
                       shorter + longer + list + axes);
    if ((shorter || longer) && hr_call_has(call, "mode"))
        return hr_fail(err, HR_VALUE, "`%s` has a mode of its own: `mode` cannot be given too",
                       shorter ? "resize_shorter" : "resize_longer");
    if (hr_call_has(call, "roi_start") != hr_call_has(call, "roi_end"))
        return hr_fail(err, HR_VALUE, "`roi_start` and `roi_end` must be given together");
    *way = shorter ? HR__SIZE_SHORTER : longer ? HR__SIZE_LONGER
           : list  ? HR__SIZE_LIST
                   : HR__SIZE_AXES;
    return HR_OK;
}

/* Element k of a list with one value for all axes or one an axis. */
static hr_status list_at(float *out, const char *name, hr_floats list, int k, int ndim,
                         hr_error *err)
{
    if (list.n != 1 && list.n != ndim)
        return hr_fail(err, HR_VALUE, "`%s` has %lld values, a picture of %d axes takes 1 or %d",
                       name, (long long)list.n, ndim, ndim);
    *out = list.v[list.n == 1 ? 0 : k];
    if (!isfinite(*out))
        return hr_fail(err, HR_VALUE, "`%s` is %g, a finite number is needed", name,
                       (double)*out);
    return HR_OK;
}

/* Edges of the region along an axis. */
static hr_status find_region(const hr__size_args *a, int k, int ndim, hr__resample_span *s,
                             hr_error *err)
{
    s->lo = 0;
    s->hi = (float)s->in;
    if (a->roi_start.n < 0) return HR_OK;
    HR_TRY(list_at(&s->lo, "roi_start", a->roi_start, k, ndim, err));
    HR_TRY(list_at(&s->hi, "roi_end", a->roi_end, k, ndim, err));
    if (a->roi_relative) {
        s->lo *= (float)s->in;
        s->hi *= (float)s->in;
    }
    if (fabsf(s->hi - s->lo) < roi_min) {
        float out = s->lo <= s->hi ? roi_min / 2 : -roi_min / 2;
        s->lo -= out;
        s->hi += out;
    }
    return HR_OK;
}

typedef struct request {
    float want[3]; /* 0: not given; negative: flipped */
    float limit[3]; /* 0: none */
    float along[3]; /* -1: the region is given from its far end */
    int mode;
    int given;
} request;

static hr_status read_request(const hr__size_args *a, hr__size_way way, int ndim, request *r,
                              hr_error *err)
{
    const float axes[3] = {a->resize_z, a->resize_y, a->resize_x};
    const char *name = way == HR__SIZE_SHORTER ? "resize_shorter"
                       : way == HR__SIZE_LONGER ? "resize_longer"
                                                : "size";
    *r = (request){.mode = way == HR__SIZE_SHORTER ? HR__MODE_NOT_SMALLER
                           : way == HR__SIZE_LONGER ? HR__MODE_NOT_LARGER
                                                    : a->mode};
    for (int k = 0; k < ndim; k++) {
        float v = way == HR__SIZE_SHORTER ? a->resize_shorter : a->resize_longer;
        if (way == HR__SIZE_AXES) name = axis_names[3 - ndim + k];
        if (way == HR__SIZE_AXES) v = axes[3 - ndim + k];
        if (way == HR__SIZE_LIST) HR_TRY(list_at(&v, name, a->size, k, ndim, err));
        if (!isfinite(v) || fabsf(v) > HR__RESIZE_MAX)
            return hr_fail(err, HR_VALUE, "`%s` is %g, it must lie within -%d and %d", name,
                           (double)v, HR__RESIZE_MAX, HR__RESIZE_MAX);
        r->want[k] = v;
        r->given += v != 0;
        if (a->max_size.n >= 0)
            HR_TRY(list_at(&r->limit[k], "max_size", a->max_size, k, ndim, err));
    }
    if (way == HR__SIZE_AXES && ndim == 2 && a->resize_z != 0)
        return hr_fail(err, HR_VALUE, "`resize_z` is %g, but the input has no depth",
                       (double)a->resize_z);
    if (r->given) return HR_OK;
    if (way == HR__SIZE_AXES)
        return hr_fail(err, HR_VALUE, "`resize_x` and `resize_y` are 0, a size is needed");
    return hr_fail(err, HR_VALUE, "`%s` is 0, a size is needed", name);
}

/* Modes that keep the aspect ratio: one scale for all axes. */
static void fit_all(request *r, const float *in, int ndim)
{
    double scale = 0; /* of floats, as the peer has it; but limits in double */
    int first = 1;
    for (int k = 0; k < ndim; k++) {
        if (r->want[k] == 0 || in[k] == 0) continue;
        float s = fabsf(r->want[k]) / in[k];
        if (first || (r->mode == HR__MODE_NOT_SMALLER ? s > scale : s < scale)) scale = s;
        first = 0;
    }
    for (int k = 0; k < ndim; k++)
        if (r->limit[k] > 0 && in[k] > 0)
            scale = fmin(scale, (double)r->limit[k] / (double)in[k]);
    for (int k = 0; k < ndim; k++) {
        /* the axis that decided keeps what was asked for, without the way through the scale */
        if (in[k] > 0 && fabsf(r->want[k]) / in[k] == scale) continue;
        r->want[k] = (float)((r->want[k] < 0 ? -1 : 1) * (double)in[k] * scale);
    }
}

/* Each axis on its own; those not given take the mean scale of the others, or stay. Without a size
 * of its own an axis is not flipped by its region either (as the peer has it). */
static void fit_each(request *r, const float *in, int ndim)
{
    float mean = 1;
    int n = 0;
    for (int k = 0; k < ndim; k++) {
        if (r->want[k] == 0 || in[k] == 0) continue;
        mean *= fabsf(r->want[k]) / in[k];
        n++;
    }
    if (n > 1) mean = powf(mean, 1.0f / (float)n);
    if (r->mode == HR__MODE_STRETCH || n == 0) mean = 1;
    for (int k = 0; k < ndim; k++) {
        if (r->want[k] == 0) r->want[k] = r->along[k] * in[k] * mean;
        if (r->limit[k] > 0 && fabsf(r->want[k]) > r->limit[k])
            r->want[k] = copysignf(r->limit[k], r->want[k]);
    }
}

/* Rounds the extent; the region then grows or shrinks about its centre by as much as the rounding
 * did, or the scale changes. */
static hr_status set_extent(hr__resample_span *s, float want, int keep_scale, hr_error *err)
{
    float size = fabsf(want), whole = fmaxf(1, roundf(size));
    if (s->in == 0) whole = 0;
    if (!(whole <= HR__RESIZE_MAX))
        return hr_fail(err, HR_VALUE, "an output extent of %g pixels is over %d; see `max_size`",
                       (double)size, HR__RESIZE_MAX);
    if (want < 0) {
        float lo = s->lo;
        s->lo = s->hi;
        s->hi = lo;
    }
    if (keep_scale && whole != size && whole > 0) {
        /* In double, as the peer does: a centre may lie on a pixel's edge. */
        double centre = ((double)s->lo + (double)s->hi) / 2;
        double ratio = (double)whole / (double)fmaxf(size, size_min);
        s->lo = (float)(centre + ((double)s->lo - centre) * ratio);
        s->hi = (float)(centre + ((double)s->hi - centre) * ratio);
    }
    s->out = s->count = (int64_t)whole;
    return HR_OK;
}

hr_status hr__size_spans(const hr__size_args *a, hr__size_way way, const int64_t *in, int ndim,
                         hr__resample_span *spans, hr_error *err)
{
    float extent[3];
    request r;
    for (int k = 0; k < ndim; k++) {
        spans[k] = (hr__resample_span){.in = in[k], .running = k < ndim - 1};
        HR_TRY(find_region(a, k, ndim, &spans[k], err));
        extent[k] = in[k] ? fabsf(spans[k].hi - spans[k].lo) : 0;
    }
    HR_TRY(read_request(a, way, ndim, &r, err));
    for (int k = 0; k < ndim; k++) r.along[k] = spans[k].lo > spans[k].hi ? -1 : 1;
    if (r.mode == HR__MODE_NOT_LARGER || r.mode == HR__MODE_NOT_SMALLER)
        fit_all(&r, extent, ndim);
    else
        fit_each(&r, extent, ndim);
    for (int k = 0; k < ndim; k++)
        HR_TRY(set_extent(&spans[k], r.want[k], a->subpixel_scale, err));
    return HR_OK;
}
