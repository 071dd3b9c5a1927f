/* Batches: n tensors of one dtype, rank and layout; what the library makes lies in one buffer. */
#include <headrace/tensor.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE_ALIGN = 64 };

hr_status hr_batch_create(hr_batch **out, int64_t n, hr_error *err)
{
    if (n < 0) return hr_fail(err, HR_VALUE, "batch size %lld is negative", (long long)n);
    if (n > INT64_MAX / 1024)
        return hr_fail(err, HR_OVERFLOW, "batch size %lld is over 2^53", (long long)n);
    size_t bytes = sizeof(hr_batch) + (size_t)(n + !n) * sizeof(hr_tensor);
    hr_batch *b = hr_alloc_zero(1, bytes);
    if (!b) return hr_fail(err, HR_NOMEM, "no memory for a batch of %lld", (long long)n);
    *b = (hr_batch){.refs = 1, .n = n, .dtype = HR_DTYPE_NONE, .t = (hr_tensor *)(b + 1)};
    *out = b;
    return HR_OK;
}

void hr_batch_set_empty(hr_batch *b, hr_dtype dtype, int ndim, const char *layout)
{
    b->dtype = b->t[0].dtype = dtype;
    b->ndim = b->t[0].ndim = ndim;
    snprintf(b->layout, sizeof b->layout, "%s", layout);
    memcpy(b->t[0].layout, b->layout, sizeof b->layout);
    b->is_block = 1;
}

static int same_shape(const hr_tensor *a, const hr_tensor *b)
{
    return a->ndim == b->ndim &&
           !memcmp(a->shape, b->shape, sizeof a->shape[0] * (size_t)a->ndim);
}

static hr_status check_alike(const hr_batch *b, hr_error *err)
{
    for (int64_t i = 1; i < b->n; i++) {
        const hr_tensor *t = &b->t[i], *first = &b->t[0];
        if (t->dtype != first->dtype)
            return hr_fail(err, HR_VALUE, "sample %lld is %s, sample 0 is %s", (long long)i,
                           hr_dtype_get_info(t->dtype)->numpy_name,
                           hr_dtype_get_info(first->dtype)->numpy_name);
        if (t->ndim != first->ndim)
            return hr_fail(err, HR_VALUE, "sample %lld has %d axes, sample 0 has %d",
                           (long long)i, t->ndim, first->ndim);
        if (strcmp(t->layout, first->layout))
            return hr_fail(err, HR_VALUE,
                           "sample %lld has layout \"%s\", sample 0 has \"%s\"", (long long)i,
                           t->layout, first->layout);
    }
    return HR_OK;
}

static void take_head(hr_batch *b)
{
    if (b->n == 0) return;
    b->dtype = b->t[0].dtype;
    b->ndim = b->t[0].ndim;
    memcpy(b->layout, b->t[0].layout, sizeof b->layout);
}

hr_status hr_batch_allocate(hr_batch *b, hr_error *err)
{
    HR_TRY(check_alike(b, err));
    take_head(b);
    int uniform = 1;
    for (int64_t i = 1; i < b->n && uniform; i++) uniform = same_shape(&b->t[i], &b->t[0]);
    size_t total = 0;
    for (int64_t i = 0; i < b->n; i++) {
        size_t bytes = hr_tensor_nbytes(&b->t[i]);
        if (!uniform) bytes = (bytes + SAMPLE_ALIGN - 1) & ~(size_t)(SAMPLE_ALIGN - 1);
        if (__builtin_add_overflow(total, bytes, &total) || total > SIZE_MAX / 2)
            return hr_fail(err, HR_OVERFLOW, "a batch of these shapes is too large: over 2^63 bytes with "
                           "sample %lld", (long long)i);
    }
    hr_buf *buf = hr_buf_create(total);
    if (!buf) return hr_fail(err, HR_NOMEM, "no memory for a batch of %zu bytes", total);
    if (b->n > 1) hr_buf_ref(buf, b->n - 1);
    char *at = buf->data;
    for (int64_t i = 0; i < b->n; i++) {
        size_t bytes = hr_tensor_nbytes(&b->t[i]);
        if (!uniform) bytes = (bytes + SAMPLE_ALIGN - 1) & ~(size_t)(SAMPLE_ALIGN - 1);
        b->t[i].data = at;
        b->t[i].buf = buf;
        at += bytes;
    }
    if (b->n == 0) hr_buf_unref(&buf, 1);
    b->is_block = uniform;
    return HR_OK;
}

hr_status hr_batch_seal(hr_batch *b, hr_error *err)
{
    HR_TRY(check_alike(b, err));
    take_head(b);
    b->is_block = 1;
    const hr_tensor *first = b->t;
    size_t bytes = b->n ? hr_tensor_nbytes(first) : 0;
    for (int64_t i = 0; i < b->n && b->is_block; i++) {
        const hr_tensor *t = &b->t[i];
        b->is_block = t->buf == first->buf && same_shape(t, first) &&
                      hr_tensor_is_contiguous(t) &&
                      (char *)t->data == (char *)first->data + (size_t)i * bytes;
    }
    return HR_OK;
}

hr_batch *hr_batch_ref(hr_batch *b)
{
    if (b) atomic_fetch_add_explicit((_Atomic int64_t *)&b->refs, 1, memory_order_relaxed);
    return b;
}

void hr_batch_unref(hr_batch **pb)
{
    hr_batch *b = *pb;
    *pb = NULL;
    if (!b) return;
    if (atomic_fetch_sub_explicit((_Atomic int64_t *)&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    int64_t i = 0;
    while (i < b->n) { /* one count for a run of samples in the same buffer */
        hr_buf *buf = b->t[i].buf;
        int64_t run = 0;
        for (; i < b->n && b->t[i].buf == buf; i++, run++) hr_meta_unref(&b->t[i].meta);
        hr_buf_unref(&buf, run);
    }
    hr_free(b);
}

static hr_status copy_samples(hr_batch *out, const hr_batch *b, hr_error *err)
{
    for (int64_t i = 0; i < b->n; i++) {
        const hr_tensor *t = &b->t[i];
        HR_TRY(hr_tensor_shape(&out->t[i], t->dtype, t->ndim, t->shape, err));
        memcpy(out->t[i].layout, t->layout, sizeof t->layout);
    }
    HR_TRY(hr_batch_allocate(out, err));
    for (int64_t i = 0; i < b->n; i++) {
        hr_tensor_pack(out->t[i].data, &b->t[i]);
        out->t[i].meta = hr_meta_ref(b->t[i].meta);
    }
    return HR_OK;
}

hr_status hr_batch_copy(hr_batch **out, const hr_batch *b, hr_error *err)
{
    hr_batch *copy = NULL;
    HR_TRY(hr_batch_create(&copy, b->n, err));
    hr_status status = HR_OK;
    if (b->n == 0) hr_batch_set_empty(copy, b->dtype, b->ndim, b->layout);
    else status = copy_samples(copy, b, err);
    if (status != HR_OK) hr_batch_unref(&copy);
    *out = copy;
    return status;
}

hr_status hr_batch_as_tensor(hr_tensor *out, const hr_batch *b, hr_error *err)
{
    if (b->ndim + 1 > HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "a batch of rank %d has no room for a sample axis (at "
                       "most %d axes)", b->ndim, HR_MAX_NDIM);
    int64_t shape[HR_MAX_NDIM + 1] = {b->n};
    for (int64_t i = 1; i < b->n; i++)
        if (!same_shape(&b->t[i], &b->t[0]))
            return hr_fail(err, HR_VALUE, "sample %lld has another shape than sample 0: one "
                           "tensor needs equal shapes", (long long)i);
    if (b->n) memcpy(shape + 1, b->t[0].shape, sizeof shape[0] * (size_t)b->ndim);
    hr_tensor t = {0};
    HR_TRY(hr_tensor_shape(&t, b->dtype, b->ndim + 1, shape, err));
    if (b->layout[0]) {
        t.layout[0] = 'N';
        memcpy(t.layout + 1, b->layout, (size_t)b->ndim);
    }
    if (b->is_block && b->n) {
        t.data = b->t[0].data;
        t.buf = hr_buf_ref(b->t[0].buf, 1);
    } else {
        size_t bytes = b->n ? hr_tensor_nbytes(&b->t[0]) : 0;
        t.buf = hr_buf_create(bytes * (size_t)b->n);
        if (!t.buf)
            return hr_fail(err, HR_NOMEM, "no memory for %zu bytes", bytes * (size_t)b->n);
        t.data = t.buf->data;
        for (int64_t i = 0; i < b->n; i++)
            hr_tensor_pack((char *)t.data + (size_t)i * bytes, &b->t[i]);
    }
    *out = t;
    return HR_OK;
}
