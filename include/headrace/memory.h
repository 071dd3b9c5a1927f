/* Memory: the library's only door to the allocator, and counted buffers over it.
 * Thread use: every function may be called from any thread. */
#ifndef HR_MEMORY_H
#define HR_MEMORY_H

#include <headrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `count * size` bytes, 64-byte aligned, contents undefined; NULL when the product overflows or
 * memory is out. A product of 0 gives a valid pointer. Large blocks are kept for reuse. */
HR_API void *hr_alloc(size_t count, size_t size);
/* As hr_alloc, zeroed. */
HR_API void *hr_alloc_zero(size_t count, size_t size);
/* Frees what hr_alloc gave; NULL is allowed. */
HR_API void hr_free(void *ptr);

/* Counters of hr_alloc, for tests and reports. */
typedef struct hr_alloc_stats {
    uint64_t live_blocks;  /* handed out, not yet freed */
    uint64_t live_bytes;
    uint64_t total_allocs; /* since the start, */
    uint64_t system_allocs; /* and those of them that no kept block could serve */
    uint64_t cached_bytes; /* freed blocks kept for reuse */
} hr_alloc_stats;

HR_API void hr_alloc_get_stats(hr_alloc_stats *stats);

/* Test mode: the `nth` allocation from now on (1 = the next) on the calling thread and all others
 * fails, once; 0 turns the mode off. Returns how many allocations were made since the last call. */
HR_API uint64_t hr_alloc_fail_at(uint64_t nth);

/* Gives the kept blocks back to the system. */
HR_API void hr_alloc_trim(void);

/* The allocator underneath. Set before the first allocation; `align` is 64. */
typedef struct hr_allocator {
    void *(*alloc)(size_t size, size_t align, void *user);
    void (*free)(void *ptr, size_t size, void *user);
    void *user;
} hr_allocator;

/* HR_STATE when blocks are live. NULL goes back to the C library's. */
HR_API HR_CHECKED hr_status hr_set_allocator(const hr_allocator *allocator, hr_error *err);

/* A counted run of bytes. Shared and immutable once published; writing needs count 1. */
typedef struct hr_buf {
    void *data;
    size_t size;
    int64_t refs; /* atomic; touched by hr_buf_ref and hr_buf_unref only */
    int readonly; /* borrowed memory that must never be written */
    void (*release)(void *owner); /* NULL: the bytes came with the struct */
    void *owner;
} hr_buf;

/* A new buffer of `size` bytes, count 1; NULL when memory is out. */
HR_API hr_buf *hr_buf_create(size_t size);
/* Adopts foreign memory: `release(owner)` runs once, on any thread, when the last reference goes.
 * NULL when memory is out (then the caller still owns). */
HR_API hr_buf *hr_buf_adopt(void *data, size_t size, void (*release)(void *owner), void *owner);
/* Adds `n` references; returns `buf`. */
HR_API hr_buf *hr_buf_ref(hr_buf *buf, int64_t n);
/* Takes `n` references away and sets *buf to NULL; NULL inside is allowed. */
HR_API void hr_buf_unref(hr_buf **buf, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
