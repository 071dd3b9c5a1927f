/* Weights of one axis. Positions and filters are evaluated in single precision and filters read
 * from short tables, as the peer does (docs/resize.md): on a wide picture a position's rounding
 * shows in the weights, and equal rounding keeps the pictures equal. */
#include "image/resample.h"

#include <math.h>
#include <string.h>

enum { TABLE_MAX = 193 };
static const float span_max = 1 << 24; /* pixels a region may span */

typedef struct filter {
    float table[TABLE_MAX + 3]; /* samples over the filter's width, zeros behind */
    int last;                   /* index of the last sample */
    float per_pixel;            /* samples for each source pixel */
    float radius;               /* in source pixels */
    int taps;
    int has_lobes;
} filter;

static double cubic(double x)
{
    x = fabs(x);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
    return 0;
}

static double sinc(double x)
{
    const double pi = 3.14159265358979323846;
    return fabs(x) < 1e-8 ? 1 : sin(pi * x) / (pi * x);
}

static double lanczos3(double x) { return fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

static double gaussian(double x) { return exp(-4 * x * x); }

static double triangle(double x) { return fabs(x) < 1 ? 1 - fabs(x) : 0; }

static void fill_table(filter *f, double (*at)(double), double support, int n)
{
    for (int i = 0; i < n; i++) f->table[i] = (float)at(support * (2.0 * i / (n - 1) - 1));
    f->table[n] = f->table[n + 1] = f->table[n + 2] = 0;
    f->last = n - 1;
}

/* `scale`: source pixels for each unit of the filter's argument, at least 1. */
static void set_width(filter *f, hr_interp interp, float scale)
{
    float support = interp == HR_INTERP_CUBIC ? 2 : interp == HR_INTERP_LANCZOS3 ? 3 : 1;
    f->last = interp == HR_INTERP_CUBIC      ? 128
              : interp == HR_INTERP_LANCZOS3 ? 192
              : interp == HR_INTERP_GAUSSIAN ? 64
                                             : 2;
    f->radius = support * scale;
    f->per_pixel = (float)f->last / (2 * f->radius);
    if (interp == HR_INTERP_GAUSSIAN) {
        /* The peer goes by way of sigma. The detour's rounding decides which end of a window of
         * whole width is cut off, and a Gaussian is not zero there. */
        float sigma = (float)(scale * 0.70710678118654752 / 2);
        f->per_pixel = (float)f->last / (sigma * (float)(4 * 1.41421356237309505));
        f->radius = (float)(f->last / 2) / f->per_pixel;
    }
    f->taps = (int)ceilf(2 * f->radius);
    if (f->taps < 1) f->taps = 1;
}

static void make_filter(filter *f, hr_interp interp, float scale)
{
    f->has_lobes = interp == HR_INTERP_CUBIC || interp == HR_INTERP_LANCZOS3;
    switch (interp) {
    case HR_INTERP_CUBIC: fill_table(f, cubic, 2, 129); break;
    case HR_INTERP_LANCZOS3: fill_table(f, lanczos3, 3, 193); break;
    case HR_INTERP_GAUSSIAN: fill_table(f, gaussian, 1, 65); break;
    default: fill_table(f, triangle, 1, 3); break;
    }
    set_width(f, interp, scale);
}

/* The filter of an axis, and the scale it is widened by. */
static hr_interp choose(const hr__resample_span *s, const hr__resample_filter *choice, float *scale)
{
    float span = fabsf(s->hi - s->lo);
    *scale = span / (float)s->out;
    if (!choice->antialias || !(*scale > 1)) *scale = 1;
    return (float)s->out < span ? choice->min : choice->mag;
}

/* Values at x[i] + k pixels from the filter's left end, 0 <= x[i] < 1. The triangle's table of three
 * samples is two straight lines. */
static void filter_at(const filter *f, float *restrict v, const float *restrict x, int k,
                      int64_t n)
{
    if (f->last == 2) {
        for (int64_t i = 0; i < n; i++) {
            float q = (x[i] + (float)k) * f->per_pixel;
            float rest = 2 - q;
            rest = rest < 0 ? 0 : rest;
            v[i] = q < rest ? q : rest;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        float q = (x[i] + (float)k) * f->per_pixel;
        int j = (int)q;
        j = j > f->last + 1 ? f->last + 1 : j;
        const float *t = f->table + j;
        v[i] = t[0] + (q - (float)j) * (t[1] - t[0]);
    }
}

hr__resample_span hr__resample_whole(int64_t in, int64_t out)
{
    return (hr__resample_span){.in = in, .out = out, .hi = (float)in, .count = out};
}

/* Whole pixels left of the region: nearest neighbour counts from there. */
static float origin(const hr__resample_span *s)
{
    float o = floorf(s->lo < s->hi ? s->lo : s->hi);
    return o < 0 ? 0 : o > (float)s->in ? (float)s->in : o;
}

static int64_t clamp64(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static hr_status alloc_axis(hr__resample_axis *a, hr_arena *arena, hr_error *err)
{
    size_t n = (size_t)a->n, taps = (size_t)a->taps;
    if (taps > SIZE_MAX / 8 / (n + 1))
        return hr_fail(err, HR_OVERFLOW, "%zu weights for each of %zu pixels are too many",
                       taps, n);
    a->index = hr_arena_take(arena, n * sizeof *a->index);
    a->weight = hr_arena_take(arena, n * taps * sizeof *a->weight);
    if (!a->index || !a->weight)
        return hr_fail(err, HR_NOMEM, "no memory for %zu weights", n * taps);
    return HR_OK;
}

/* The peer finds columns by multiplication and rows by a running sum, whose rounding decides
 * where a position meets a pixel's edge. */
static void make_nearest(hr__resample_axis *a, const hr__resample_span *s)
{
    float scale = (s->hi - s->lo) / (float)s->out, from = origin(s), lo = s->lo - from;
    float sum = lo + 0.5f * scale;
    for (int64_t i = 0; i < a->n; i++, sum += scale) {
        float at = s->running ? sum : lo + ((float)i + 0.5f) * scale;
        at = fminf(fmaxf(floorf(at), -(float)s->in), (float)s->in);
        a->index[i] = (int32_t)clamp64((int64_t)at + (int64_t)from, 0, s->in - 1);
        a->weight[i] = 1;
    }
    a->most = 1;
}

/* Weights of one output whose window begins at source pixel `start`: those outside of the source
 * are added to the edge's. Weight k is w[k * a->n]. */
static void fold(hr__resample_axis *a, int64_t i, int64_t start, const float *w, int n)
{
    int64_t base = clamp64(start, 0, a->in - a->taps);
    float *out = a->weight + i * a->taps;
    a->index[i] = (int32_t)base;
    if (base == start && n == a->taps) {
        for (int k = 0; k < n; k++) out[k] = w[k * a->n];
        return;
    }
    memset(out, 0, (size_t)a->taps * sizeof *out);
    for (int k = 0; k < n; k++)
        out[clamp64(start + k, 0, a->in - 1) - base] += w[k * a->n];
}

/* Bounds of what a pixel's weights can make of values in 0..1. */
static void find_bounds(hr__resample_axis *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        float most = 0, least = 0;
        for (int k = 0; k < a->taps; k++) {
            float w = a->weight[i * a->taps + k];
            most += w > 0 ? w : 0;
            least += w < 0 ? w : 0;
        }
        a->most = most > a->most ? most : a->most;
        a->least = least < a->least ? least : a->least;
    }
}

/* Where each output's window begins, and how far that is from the filter's left end. */
static void find_windows(const hr__resample_span *s, const filter *f, float *restrict start,
                         float *restrict ahead)
{
    const float scale = (s->hi - s->lo) / (float)s->out, bound = 2 * span_max;
    const float first = (s->lo - (float)s->from) + (0.5f * scale - 0.5f - f->radius);
    for (int64_t i = 0; i < s->out; i++) {
        float at = first + (float)i * scale;
        at = at < -bound ? -bound : at > bound ? bound : at;
        float whole = (float)(int)at;
        start[i] = whole < at ? whole + 1 : whole;
        ahead[i] = start[i] - at;
    }
}

static hr_status make_filtered(hr__resample_axis *a, const hr__resample_span *s,
                               const filter *f, hr_arena *arena, hr_error *err)
{
    /* By taps first: plain loops over the outputs, which the compiler makes vectors of. */
    size_t n = (size_t)a->n, taps = (size_t)f->taps;
    float *start = taps < SIZE_MAX / 8 / n ? hr_arena_take(arena, (taps + 3) * n * 4) : NULL;
    if (!start) return hr_fail(err, HR_NOMEM, "no memory for %zu weights", n * taps);
    float *ahead = start + n, *sum = start + 2 * n, *w = start + 3 * n;
    find_windows(s, f, start, ahead);
    memset(sum, 0, n * sizeof *sum);
    for (int k = 0; k < f->taps; k++) {
        float *restrict wk = w + (size_t)k * n;
        filter_at(f, wk, ahead, k, a->n);
        for (size_t i = 0; i < n; i++) sum[i] += wk[i];
    }
    for (size_t i = 0; i < n; i++) sum[i] = 1 / sum[i];
    for (int k = 0; k < f->taps; k++) {
        float *restrict wk = w + (size_t)k * n;
        for (size_t i = 0; i < n; i++) wk[i] *= sum[i];
    }
    for (int64_t i = 0; i < a->n; i++) fold(a, i, s->from + (int64_t)start[i], w + i, f->taps);
    a->most = 1.00001f; /* of a filter without negative lobes */
    if (f->has_lobes) find_bounds(a);
    return HR_OK;
}

/* Every weight one or zero, with the ones in step: a copy in disguise (size kept, flips). */
static void find_copy(hr__resample_axis *a)
{
    if (a->taps > 8) return;
    for (int64_t i = 0; i < a->n; i++) {
        int ones = 0;
        for (int k = 0; k < a->taps; k++) {
            float w = a->weight[i * a->taps + k];
            if (fabsf(w) > 1e-6f && fabsf(w - 1) > 1e-6f) return;
            ones += w > 0.5f;
        }
        if (ones != 1) return;
    }
    for (int64_t i = 0; i < a->n; i++) {
        int at = 0;
        while (a->weight[i * a->taps + at] < 0.5f) at++;
        a->index[i] += at;
    }
    for (int64_t i = 0; i < a->n; i++) a->weight[i] = 1;
    a->taps = 1;
    a->most = 1;
    a->least = 0;
}

hr_status hr__resample_axis_make(hr__resample_axis *a, const hr__resample_span *s,
                                 const hr__resample_filter *choice, hr_arena *arena,
                                 hr_error *err)
{
    float span = fabsf(s->hi - s->lo);
    if (!isfinite(s->lo) || !isfinite(s->hi) || !(span <= span_max))
        return hr_fail(err, HR_VALUE, "a region from %g to %g spans more than %g pixels",
                       (double)s->lo, (double)s->hi, (double)span_max);
    if (s->in > INT32_MAX / 2 || s->out > INT32_MAX / 2)
        return hr_fail(err, HR_VALUE, "an extent of %lld pixels is over %d",
                       (long long)(s->in > s->out ? s->in : s->out), INT32_MAX / 2);
    *a = (hr__resample_axis){.n = s->out, .in = s->in, .taps = 1};
    float scale;
    hr_interp interp = choose(s, choice, &scale);
    if (interp == HR_INTERP_NN || a->n == 0 || s->in == 0) {
        HR_TRY(alloc_axis(a, arena, err));
        if (s->in > 0) make_nearest(a, s);
        return HR_OK;
    }
    filter f;
    make_filter(&f, interp, scale);
    a->taps = f.taps < s->in ? f.taps : (int)s->in;
    HR_TRY(alloc_axis(a, arena, err));
    HR_TRY(make_filtered(a, s, &f, arena, err));
    find_copy(a);
    return HR_OK;
}

/* What a pass along an axis needs. */
typedef struct pass {
    int is_filter, is_gaussian;
    double taps, out, in; /* in: source pixels that are read */
    int64_t from;         /* the first of them */
} pass;

static pass plan_pass(const hr__resample_span *s, const hr__resample_filter *choice)
{
    float scale, low = fminf(s->lo, s->hi), high = fmaxf(s->lo, s->hi);
    pass p = {.out = (double)s->out};
    if (s->in == 0 || s->out == 0) return p;
    if (!(fabsf(s->lo) < span_max && fabsf(s->hi) < span_max)) return p; /* NaN, or an error later */
    hr_interp interp = choose(s, choice, &scale);
    p.is_filter = interp != HR_INTERP_NN;
    p.is_gaussian = interp == HR_INTERP_GAUSSIAN;
    if (!p.is_filter) return p;
    filter f;
    set_width(&f, interp, scale);
    p.taps = f.taps;
    double first = floor((double)low) - ceil((double)f.radius);
    double half = 0.5 * p.taps, end = ceil(high + half), begin = floor(low - half);
    p.from = (int64_t)fmin(fmax(first, 0), (double)s->in);
    p.in = fmin(end, (double)s->in) - fmax(begin, 0);
    return p;
}

/* Which pass comes first was found by asking the peer for some 3000 pictures: it is as if a tap of
 * an output element took 1 along rows and 0.69 along columns, beside 2 and 2.07 for itself. */
void hr__resample_origins(hr__resample_span *y, const hr__resample_filter *filter_y,
                          hr__resample_span *x, const hr__resample_filter *filter_x)
{
    pass py = plan_pass(y, filter_y), px = plan_pass(x, filter_x);
    if (!py.is_filter || !px.is_filter || !(py.is_gaussian || px.is_gaussian)) return;
    double cost_y = 0.69 * (py.taps + 3), cost_x = px.taps + 2, both = py.out * px.out;
    double y_first = py.out * px.in * cost_y + both * cost_x;
    double x_first = py.in * px.out * cost_x + both * cost_y;
    if (y_first < x_first) x->from = px.from;
    else y->from = py.from;
}

/* Rounds a pixel's weights; what they miss to a sum of one goes to the largest, and past int16
 * to the next one. */
static void fix_pixel(int16_t *out, const float *w, int taps, int one)
{
    int left = one, best = 0;
    for (int k = 0; k < taps; k++) {
        int v = (int)lrintf(w[k] * (float)one);
        if (v > INT16_MAX) v = INT16_MAX;
        out[k] = (int16_t)v;
        left -= v;
        if (w[k] > w[best]) best = k;
    }
    int room = INT16_MAX - out[best], add = left < room ? left : room;
    out[best] = (int16_t)(out[best] + add);
    left -= add;
    if (left) {
        int next = best ? best - 1 : taps > 1;
        out[next] = (int16_t)(out[next] + left);
    }
}

hr_status hr__resample_axis_fix(hr__resample_axis *a, hr_arena *arena, hr_error *err)
{
    size_t n = (size_t)a->n * (size_t)a->taps;
    a->weight16 = hr_arena_take(arena, n * sizeof *a->weight16);
    if (!a->weight16) return hr_fail(err, HR_NOMEM, "no memory for %zu weights", n);
    a->bits = 15;
    for (size_t i = 0; i < n; i++)
        if (a->weight[i] > 1.00002f || a->weight[i] < -0.9999f) a->bits = 14;
    for (int64_t i = 0; i < a->n; i++)
        fix_pixel(a->weight16 + i * a->taps, a->weight + i * a->taps, a->taps,
                  1 << a->bits);
    return HR_OK;
}
