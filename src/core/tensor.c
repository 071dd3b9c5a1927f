/* Tensors: plain geometry; the only ownership is one reference each to buffer and meta. */
#include <headrace/tensor.h>

#include <stdatomic.h>
#include <string.h>

hr_meta *hr_meta_create(const char *source, const char *failure)
{
    size_t ns = strlen(source) + 1, nf = failure ? strlen(failure) + 1 : 0;
    hr_meta *m = hr_alloc(1, sizeof *m + ns + nf);
    if (!m) return NULL;
    char *text = (char *)(m + 1);
    memcpy(text, source, ns);
    if (failure) memcpy(text + ns, failure, nf);
    *m = (hr_meta){.refs = 1, .source = text, .failure = failure ? text + ns : NULL};
    return m;
}

hr_meta *hr_meta_ref(hr_meta *meta)
{
    if (meta) atomic_fetch_add_explicit((_Atomic int64_t *)&meta->refs, 1, memory_order_relaxed);
    return meta;
}

void hr_meta_unref(hr_meta **pmeta)
{
    hr_meta *meta = *pmeta;
    *pmeta = NULL;
    if (!meta) return;
    if (atomic_fetch_sub_explicit((_Atomic int64_t *)&meta->refs, 1, memory_order_acq_rel) == 1)
        hr_free(meta);
}

hr_status hr_tensor_shape(hr_tensor *t, hr_dtype dtype, int ndim, const int64_t *shape,
                          hr_error *err)
{
    if (ndim < 0 || ndim > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "rank %d is outside 0..%d", ndim, HR_MAX_NDIM);
    memset(t, 0, sizeof *t);
    t->dtype = dtype;
    t->ndim = ndim;
    int64_t step = (int64_t)hr_dtype_size(dtype);
    int64_t bytes = step;
    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] < 0)
            return hr_fail(err, HR_VALUE, "extent %lld of axis %d is negative",
                           (long long)shape[d], d);
        t->shape[d] = shape[d];
        t->stride[d] = step;
        /* Zero extents must not hide an overflow of the others' strides. */
        if (__builtin_mul_overflow(step, shape[d] ? shape[d] : 1, &step) ||
            __builtin_mul_overflow(bytes, shape[d], &bytes) || step > INT64_MAX / 8)
            return hr_fail(err, HR_OVERFLOW, "a tensor of this shape is too large: over 2^60 bytes "
                           "with %lld in axis %d", (long long)shape[d], d);
    }
    return HR_OK;
}

hr_status hr_tensor_create(hr_tensor *t, hr_dtype dtype, int ndim, const int64_t *shape,
                           hr_error *err)
{
    HR_TRY(hr_tensor_shape(t, dtype, ndim, shape, err));
    t->buf = hr_buf_create(hr_tensor_nbytes(t));
    if (!t->buf)
        return hr_fail(err, HR_NOMEM, "no memory for a tensor of %zu bytes",
                       hr_tensor_nbytes(t));
    t->data = t->buf->data;
    return HR_OK;
}

int64_t hr_tensor_size(const hr_tensor *t)
{
    int64_t n = 1;
    for (int d = 0; d < t->ndim; d++) n *= t->shape[d];
    return n;
}

size_t hr_tensor_nbytes(const hr_tensor *t)
{
    return (size_t)hr_tensor_size(t) * hr_dtype_size(t->dtype);
}

int hr_tensor_is_contiguous(const hr_tensor *t)
{
    int64_t step = (int64_t)hr_dtype_size(t->dtype);
    int packed = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->shape[d] == 0) return 1;
        if (t->shape[d] != 1 && t->stride[d] != step) packed = 0;
        step *= t->shape[d];
    }
    return packed;
}

void hr_tensor_ref(hr_tensor *dst, const hr_tensor *src)
{
    *dst = *src;
    hr_buf_ref(dst->buf, 1);
    hr_meta_ref(dst->meta);
}

void hr_tensor_clear(hr_tensor *t)
{
    hr_buf_unref(&t->buf, 1);
    hr_meta_unref(&t->meta);
    memset(t, 0, sizeof *t);
}

static void pack_axis(char **dst, const char *src, const hr_tensor *t, int axis, int inner)
{
    size_t size = hr_dtype_size(t->dtype);
    if (axis == inner) { /* from here on the source is packed */
        size_t bytes = size;
        for (int d = axis; d < t->ndim; d++) bytes *= (size_t)t->shape[d];
        memcpy(*dst, src, bytes);
        *dst += bytes;
        return;
    }
    int64_t n = t->shape[axis], stride = t->stride[axis];
    if (axis == t->ndim - 1) {
        for (int64_t i = 0; i < n; i++, *dst += size) memcpy(*dst, src + i * stride, size);
        return;
    }
    for (int64_t i = 0; i < n; i++) pack_axis(dst, src + i * stride, t, axis + 1, inner);
}

void hr_tensor_pack(void *dst, const hr_tensor *src)
{
    if (hr_tensor_size(src) == 0) return;
    int inner = src->ndim; /* first axis from which on the data is packed */
    int64_t step = (int64_t)hr_dtype_size(src->dtype);
    for (int d = src->ndim - 1; d >= 0; d--) {
        if (src->shape[d] != 1 && src->stride[d] != step) break;
        step *= src->shape[d];
        inner = d;
    }
    char *at = dst;
    pack_axis(&at, src->data, src, 0, inner);
}

hr_status hr_tensor_copy(hr_tensor *dst, const hr_tensor *src, hr_error *err)
{
    hr_tensor t = {0};
    HR_TRY(hr_tensor_create(&t, src->dtype, src->ndim, src->shape, err));
    hr_tensor_pack(t.data, src);
    memcpy(t.layout, src->layout, sizeof t.layout);
    t.meta = hr_meta_ref(src->meta);
    t.device_type = src->device_type;
    t.device_id = src->device_id;
    *dst = t;
    return HR_OK;
}

hr_status hr_tensor_set_layout(hr_tensor *t, const char *layout, hr_error *err)
{
    size_t n = strlen(layout);
    if (n != 0 && n != (size_t)t->ndim)
        return hr_fail(err, HR_VALUE, "layout \"%.16s\" has %zu axes, the tensor %d", layout, n,
                       t->ndim);
    for (size_t i = 0; i < n; i++)
        if (layout[i] <= ' ' || layout[i] > '~') /* chars below 0 are no ASCII */
            return hr_fail(err, HR_VALUE, "a layout has one ASCII letter an axis, byte %d is none",
                           (unsigned char)layout[i]);
    for (size_t i = 0; i < n; i++)
        if (strchr(layout + i + 1, layout[i]))
            return hr_fail(err, HR_VALUE, "layout \"%.16s\" names axis '%c' twice", layout,
                           layout[i]);
    memset(t->layout, 0, sizeof t->layout);
    memcpy(t->layout, layout, n);
    return HR_OK;
}

int hr_layout_find(const char *layout, char letter)
{
    const char *p = letter ? strchr(layout, letter) : NULL;
    return p ? (int)(p - layout) : -1;
}
