/* Cut off and clamp, in blocks that stay in the first-level cache; and a window cut out that way. */
#include "core/cut_convert.h"

#include <float.h>
#include <math.h>

#include "core/place.h"

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

static void convert_cut(hr_dtype to, void *dst, hr_dtype from, const void *src, int64_t n)
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

typedef struct cut_types {
    hr_dtype from, to;
} cut_types;

static void copy_run(const void *user, void *dst, const void *src, int64_t n)
{
    const cut_types *t = user;
    convert_cut(t->to, dst, t->from, src, n);
}

hr_status hr__cut(const hr_sample *s, const hr__box *box, hr_floats fill, int fill_axis, hr_error *err)
{
    static const float zero = 0;
    const hr_tensor *in = s->in[0], *out = &s->out[0];
    int64_t n_fill = fill.n > 0 ? fill.n : 1;
    void *values = hr_arena_take(s->arena, (size_t)n_fill * sizeof(double));
    if (!values) return hr_fail(err, HR_NOMEM, "no memory for %lld fill values", (long long)n_fill);
    hr__fill_values(values, out->dtype, fill.n > 0 ? fill.v : &zero, n_fill);
    cut_types types = {in->dtype, out->dtype};
    hr__placement p = {
        .ndim = in->ndim, .src_shape = in->shape, .start = box->start, .dst_shape = out->shape,
        .src_size = hr_dtype_size(in->dtype), .dst_size = hr_dtype_size(out->dtype),
        .fill = values, .n_fill = n_fill, .fill_axis = fill_axis,
        .copy = in->dtype == out->dtype ? NULL : copy_run, .user = &types,
    };
    hr__place(&p, out->data, in->data);
    return HR_OK;
}
