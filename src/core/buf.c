/* Counted buffers: own bytes lie behind the struct in one block, foreign ones have a release. */
#include <headrace/memory.h>

#include <stdatomic.h>

enum { BUF_HEADER = 64 };
_Static_assert(sizeof(hr_buf) <= BUF_HEADER, "data must stay 64-byte aligned");

#define COUNT(buf) ((_Atomic int64_t *)&(buf)->refs)

static hr_buf *buf_new(size_t bytes, void *data, size_t size)
{
    hr_buf *b = hr_alloc(1, bytes);
    if (!b) return NULL;
    *b = (hr_buf){.data = data ? data : (char *)b + BUF_HEADER, .size = size, .refs = 1};
    return b;
}

hr_buf *hr_buf_create(size_t size)
{
    if (size > SIZE_MAX - BUF_HEADER) return NULL;
    return buf_new(size + BUF_HEADER, NULL, size);
}

hr_buf *hr_buf_adopt(void *data, size_t size, void (*release)(void *), void *owner)
{
    hr_buf *b = buf_new(sizeof(hr_buf), data ? data : (void *)"", size);
    if (!b) return NULL;
    b->data = data;
    b->release = release;
    b->owner = owner;
    return b;
}

hr_buf *hr_buf_ref(hr_buf *buf, int64_t n)
{
    if (buf) atomic_fetch_add_explicit(COUNT(buf), n, memory_order_relaxed);
    return buf;
}

void hr_buf_unref(hr_buf **pbuf, int64_t n)
{
    hr_buf *buf = *pbuf;
    *pbuf = NULL;
    if (!buf || n == 0) return;
    if (atomic_fetch_sub_explicit(COUNT(buf), n, memory_order_acq_rel) != n) return;
    if (buf->release) buf->release(buf->owner);
    hr_free(buf);
}
