/* Windows of packed arrays: axis by axis, the part outside the input is filled in one run, the
 * part inside goes down to the next axis; trailing axes that are whole are copied at once. */
#include "core/place.h"

#include <math.h>
#include <string.h>

void hr__fill(void *dst, const void *value, size_t size, int64_t n)
{
    unsigned char *d = dst;
    size_t total = (size_t)n * size, done = size;
    if (n <= 0) return;
    if (size == 1) {
        memset(d, *(const unsigned char *)value, total);
        return;
    }
    memcpy(d, value, size);
    while (done < total) { /* doubling: long copies for long runs */
        size_t k = done < total - done ? done : total - done;
        if (k > 4096) k = 4096 / size * size;
        memcpy(d + done, d, k);
        done += k;
    }
}

void hr__fill_values(void *dst, hr_dtype dtype, const float *values, int64_t n)
{
    hr_dtype_kind kind = hr_dtype_get_info(dtype)->kind;
    size_t size = hr_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++) {
        float v = values[i];
        if (kind == HR_KIND_BOOL) v = v != 0;
        else if (kind != HR_KIND_FLOAT) v = truncf(v);
        hr_dtype_convert(dtype, (char *)dst + (size_t)i * size, HR_F32, &v, 1);
    }
}

void hr__fill_tensor(const hr_tensor *t, float value)
{
    double converted;
    if (value == 0) {
        memset(t->data, 0, hr_tensor_nbytes(t));
        return;
    }
    hr__fill_values(&converted, t->dtype, &value, 1);
    hr__fill(t->data, &converted, hr_dtype_size(t->dtype), hr_tensor_size(t));
}

typedef struct walk {
    const hr__placement *p;
    int last; /* axes after this one are whole */
    int64_t src_step[HR_MAX_NDIM], dst_step[HR_MAX_NDIM]; /* elements a unit of the axis */
    int64_t fill_run; /* neighbours in the output that share a fill value */
    char *dst;
    const char *src;
} walk;

/* Elements first..first+n-1 of the output, counted in memory order. */
static void fill_range(const walk *w, int64_t first, int64_t n)
{
    const hr__placement *p = w->p;
    const char *fill = p->fill;
    char *d = w->dst + (size_t)first * p->dst_size;
    if (p->n_fill == 1) {
        hr__fill(d, fill, p->dst_size, n);
        return;
    }
    for (int64_t i = first, end = first + n; i < end;) {
        int64_t run = w->fill_run - i % w->fill_run, k = i / w->fill_run % p->n_fill;
        if (run > end - i) run = end - i;
        hr__fill(d, fill + (size_t)k * p->dst_size, p->dst_size, run);
        d += (size_t)run * p->dst_size;
        i += run;
    }
}

static void copy_run(const walk *w, int64_t to, int64_t from, int64_t n)
{
    const hr__placement *p = w->p;
    char *d = w->dst + (size_t)to * p->dst_size;
    const char *s = w->src + (size_t)from * p->src_size;
    if (p->copy) p->copy(p->user, d, s, n);
    else memcpy(d, s, (size_t)n * p->dst_size);
}

static void place_axis(const walk *w, int axis, int64_t to, int64_t from)
{
    const hr__placement *p = w->p;
    int64_t n = p->dst_shape[axis], start = p->start[axis], extent = p->src_shape[axis];
    int64_t first = start < 0 ? -start : 0, end = extent - start;
    first = first > n ? n : first;
    end = end > n ? n : end < first ? first : end;
    int64_t step = w->dst_step[axis];
    if (first > 0) fill_range(w, to, first * step);
    if (axis == w->last && end > first) {
        copy_run(w, to + first * step, from + (start + first) * w->src_step[axis],
                 (end - first) * step);
    } else {
        for (int64_t i = first; i < end; i++)
            place_axis(w, axis + 1, to + i * step, from + (start + i) * w->src_step[axis]);
    }
    if (n > end) fill_range(w, to + end * step, (n - end) * step);
}

void hr__place(const hr__placement *p, void *dst, const void *src)
{
    walk w = {.p = p, .dst = dst, .src = src};
    int64_t src_step = 1, dst_step = 1;
    for (int i = p->ndim - 1; i >= 0; i--) {
        w.src_step[i] = src_step;
        w.dst_step[i] = dst_step;
        src_step *= p->src_shape[i];
        dst_step *= p->dst_shape[i];
    }
    if (dst_step == 0) return;
    if (p->ndim == 0) {
        copy_run(&w, 0, 0, 1);
        return;
    }
    w.fill_run = p->n_fill > 1 ? w.dst_step[p->fill_axis] : 1;
    w.last = p->ndim - 1;
    while (w.last > 0 && p->start[w.last] == 0 && p->src_shape[w.last] == p->dst_shape[w.last])
        w.last--;
    place_axis(&w, 0, 0, 0);
}
