/* Cut off and clamp, in blocks that stay in the first-level cache. */
#include "core/cut_convert.h"

#include <float.h>
#include <math.h>

enum { BLOCK = 256 };

/* float16 holds up to 65504, where the peer clamps; NaN stays. */
static float limit_of(hr_dtype to)
{
    return to == HR_F16 ? 65504.0f : FLT_MAX;
}

static void adjust_floats(float *v, int64_t n, hr_dtype to)
{
    if (hr_dtype_get_info(to)->kind == HR_KIND_FLOAT) {
        float top = limit_of(to);
        for (int64_t i = 0; i < n; i++) v[i] = v[i] > top ? top : v[i] < -top ? -top : v[i];
    } else {
        for (int64_t i = 0; i < n; i++) v[i] = truncf(v[i]);
    }
}

static void adjust_doubles(double *v, int64_t n, hr_dtype to)
{
    if (hr_dtype_get_info(to)->kind == HR_KIND_FLOAT) {
        double top = (double)limit_of(to);
        for (int64_t i = 0; i < n; i++) v[i] = v[i] > top ? top : v[i] < -top ? -top : v[i];
    } else {
        for (int64_t i = 0; i < n; i++) v[i] = trunc(v[i]);
    }
}

/* Integers to anything but float16, and reals to wider reals, need no adjustment. */
static int is_plain(hr_dtype from, hr_dtype to)
{
    int from_real = hr_dtype_get_info(from)->kind == HR_KIND_FLOAT;
    if (to == HR_F64 || to == HR_BOOL || (to == HR_F32 && from != HR_F64)) return 1;
    return !from_real && to != HR_F16;
}

void hr__convert_cut(hr_dtype to, void *dst, hr_dtype from, const void *src, int64_t n)
{
    if (is_plain(from, to)) {
        hr_dtype_convert(to, dst, from, src, (size_t)n);
        return;
    }
    int is_wide = from == HR_F64;
    hr_dtype middle = is_wide ? HR_F64 : HR_F32;
    union {
        float f[BLOCK];
        double d[BLOCK];
    } b;
    size_t src_size = hr_dtype_size(from), dst_size = hr_dtype_size(to);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t k = n - i < BLOCK ? n - i : BLOCK;
        hr_dtype_convert(middle, &b, from, (const char *)src + (size_t)i * src_size, (size_t)k);
        if (is_wide) adjust_doubles(b.d, k, to);
        else adjust_floats(b.f, k, to);
        hr_dtype_convert(to, (char *)dst + (size_t)i * dst_size, middle, &b, (size_t)k);
    }
}

void hr__cut_run(const void *user, void *dst, const void *src, int64_t n)
{
    const hr__cut_types *t = user;
    hr__convert_cut(t->to, dst, t->from, src, n);
}
