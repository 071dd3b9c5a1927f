/* Runs of independent elements: words from the kernel, numbers from the distribution, and one
 * conversion to the output type. A tile's borders change no value. */
#include "random/random.h"

#include <math.h>
#include <string.h>

int hr__random_is_wide(hr_dtype dtype)
{
    return dtype == HR_F64 || dtype == HR_I32 || dtype == HR_U32 || dtype == HR_I64 ||
           dtype == HR_U64;
}

hr_status hr__random_dtype(hr_dtype *out, hr_dtype given, hr_dtype fallback, uint64_t allowed,
                           hr_error *err)
{
    *out = given == HR_DTYPE_NONE ? fallback : given;
    if (allowed & HR_DTYPES(*out)) return HR_OK;
    char text[160];
    hr__dtype_names(allowed, text, sizeof text);
    const hr_dtype_info *info = hr_dtype_get_info(*out);
    return hr_fail(err, HR_TYPE, "`dtype` is %s, it must be one of %s",
                   info ? info->numpy_name : "unknown", text);
}

hr_status hr__random_to_whole(double *out, const char *name, float value, hr_dtype dtype,
                              hr_error *err)
{
    const hr_dtype_info *info = hr_dtype_get_info(dtype);
    int bits = info->bits - (info->kind == HR_KIND_SIGNED); /* without the sign */
    uint64_t most = UINT64_MAX >> (64 - bits);
    double above = ldexp(1, bits), least = info->kind == HR_KIND_SIGNED ? -above : 0;
    double whole = trunc(value) + 0.0; /* no minus zero */
    if (bits >= 31 && whole == above) whole = (double)most;
    else if (!(whole >= least && whole < above))
        return hr_fail(err, HR_VALUE, "`%s` has %.9g, it must be within %s's %.0f..%llu",
                       name, (double)value, info->numpy_name, least, (unsigned long long)most);
    *out = whole;
    return HR_OK;
}

hr_status hr__random_infer(const hr_sample *s, hr_dtype dtype, hr_ints shape, int like,
                           const hr_tensor *pool, hr_error *err)
{
    int64_t extents[HR_MAX_NDIM];
    const hr_tensor *model = s->n_in > like ? s->in[like] : NULL;
    int n_rows = pool && pool->ndim > 1 ? pool->ndim - 1 : 0;
    int64_t n = model ? model->ndim : shape.n > 0 ? shape.n : 0;
    if (model && shape.n >= 0)
        return hr_fail(err, HR_VALUE, "`shape` and a shape-like input exclude each other");
    if (n + n_rows > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "the output would have %lld axes, the limit is %d",
                       (long long)(n + n_rows), HR_MAX_NDIM);
    for (int64_t k = 0; k < n; k++) extents[k] = model ? model->shape[k] : shape.v[k];
    for (int k = 0; k < n_rows; k++) extents[n + k] = pool->shape[k + 1];
    return hr_tensor_shape(&s->out[0], dtype, (int)n + n_rows, extents, err);
}

void hr__random_fill(const hr_sample *s, const hr_tensor *in, const hr_random_fill *f)
{
    uint32_t words[HR_RANDOM_TILE * HR_RANDOM_MAX_WORDS];
    double in_work[HR_RANDOM_TILE], out_work[HR_RANDOM_TILE];
    const hr_tensor *out = &s->out[0];
    const size_t size = hr_dtype_size(out->dtype);
    const int64_t n = hr_tensor_size(out);
    for (int64_t j = 0; j < n; j += HR_RANDOM_TILE) {
        int64_t count = n - j < HR_RANDOM_TILE ? n - j : HR_RANDOM_TILE;
        char *dst = (char *)out->data + (size_t)j * size;
        int direct = out->dtype == f->work;
        hr_random_tile tile = {
            .params = f->params, .kernels = s->kernels, .words = words,
            .in = in ? in_work : NULL, .out = direct ? (void *)dst : out_work, .n = count,
        };
        s->kernels->philox(&s->rng, (uint64_t)j, count, f->n_words, words);
        if (in) {
            const char *src = (const char *)in->data + (size_t)j * size;
            s->kernels->convert(f->work, in_work, in->dtype, src, (size_t)count);
        }
        f->make(&tile);
        if (!direct) s->kernels->convert(out->dtype, dst, f->work, out_work, (size_t)count);
    }
}
