/* Allocation: every block has a 64-byte header before its 64-byte aligned data. Freed blocks of
 * 8 KiB and more are kept, up to a bound, and handed out again: a fresh large block costs a page
 * fault every 4 KiB, which is more than many kernels cost. The longest unused ones go first, and those
 * that a while of work had no use for: a huge sample's memory is given back. */
#include <headrace/memory.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/core.h"

enum { HEADER = 64, CLASS_STEPS = 8, N_CLASSES = 64 * CLASS_STEPS };
static const size_t cache_min = (size_t)8 << 10;
static const size_t cache_block_max = (size_t)128 << 20;
/* At most this is kept, or a sixteenth of the memory that the process may use; a start is kept before that
 * is asked for. */
static const size_t cache_total_max = (size_t)512 << 20, cache_start = (size_t)64 << 20;
/* A kept block is stale when so many large ones were returned since, and so much time went by: a loop of
 * slow steps, or of steps with many blocks, keeps those that it uses once a step. */
static const size_t stale_counts = (size_t)64 << 10; /* what is large here */
static const struct { uint32_t returns; int64_t ns; } stale[] = {{512, 250000000},
                                                                   {64, 2000000000}};

#if defined(__SANITIZE_ADDRESS__)
#define CACHE_OFF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CACHE_OFF 1
#endif
#endif
#ifndef CACHE_OFF
#define CACHE_OFF 0
#endif

typedef struct block {
    size_t size;     /* of the data, as asked for from the allocator */
    uint32_t class_; /* its list when it is kept */
    struct block *newer, *older; /* all kept blocks by time of their return */
    struct block *next, *prev;   /* those of one class, the latest first */
    uint32_t returned; /* its return's number, modulo 2^32 */
    int64_t time;      /* of its return, ns */
} block;
_Static_assert(sizeof(block) <= HEADER, "the header must fit");

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static block *class_head[N_CLASSES];      /* cache_lock */
static block *cache_newest, *cache_oldest; /* cache_lock */
static size_t cache_bytes;                /* cache_lock */
static size_t cache_bound;                /* cache_lock; 0: not known */
static uint32_t cache_returns;            /* cache_lock; of large blocks */
static int64_t cache_time;                /* cache_lock; of the latest of these */

/* Smaller ones are kept as well, the latest first: an aligned block of the C library costs more. */
static const size_t small_total_max = (size_t)8 << 20;
static pthread_mutex_t small_lock = PTHREAD_MUTEX_INITIALIZER;
static block *small_head[N_CLASSES]; /* small_lock */
static size_t small_bytes;           /* small_lock */

static _Atomic uint64_t live_blocks, live_bytes, total_allocs, system_allocs;
static _Atomic uint64_t fail_countdown, fail_seen;

static void *system_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    void *p = NULL;
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

static void system_free(void *ptr, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(ptr);
}

static hr_allocator allocator = {system_alloc, system_free, NULL};

static void lock_before_fork(void)
{
    pthread_mutex_lock(&cache_lock);
    pthread_mutex_lock(&small_lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&small_lock);
    pthread_mutex_unlock(&cache_lock);
}

static void hook_fork(void)
{
    pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
}

void hr__memory_hook_fork(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hook_fork);
}

/* Sizes in eighths of a power of two: at most 12.5 % of a kept block lies idle. */
static uint32_t size_class(size_t *size)
{
    int top = 63 - __builtin_clzll(*size);
    size_t step = (size_t)1 << (top > 3 ? top - 3 : 0);
    *size = (*size + step - 1) & ~(step - 1);
    top = 63 - __builtin_clzll(*size);
    return (uint32_t)(top * CLASS_STEPS + ((*size >> (top > 3 ? top - 3 : 0)) & 7));
}

static void cache_unlink(block *b)
{
    if (b->newer) b->newer->older = b->older; else cache_newest = b->older;
    if (b->older) b->older->newer = b->newer; else cache_oldest = b->newer;
    if (b->prev) b->prev->next = b->next; else class_head[b->class_] = b->next;
    if (b->next) b->next->prev = b->prev;
    cache_bytes -= b->size;
}

static void cache_link(block *b)
{
    b->newer = NULL;
    b->older = cache_newest;
    if (cache_newest) cache_newest->newer = b; else cache_oldest = b;
    cache_newest = b;
    b->prev = NULL;
    b->next = class_head[b->class_];
    if (b->next) b->next->prev = b;
    class_head[b->class_] = b;
    cache_bytes += b->size;
}

static int64_t time_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* With cache_lock held: is the oldest block not worth keeping, now that `latest` came back? */
static int is_oldest_unused(const block *latest)
{
    const block *b = cache_oldest;
    if (cache_bytes > (cache_bound ? cache_bound : cache_total_max)) return 1;
    uint32_t returns = latest->returned - b->returned;
    int64_t ns = latest->time - b->time;
    return (returns > stale[0].returns && ns > stale[0].ns) ||
           (returns > stale[1].returns && ns > stale[1].ns);
}

static int is_cached_size(size_t size)
{
    return !CACHE_OFF && size >= cache_min && size <= cache_block_max;
}

/* ---- small blocks ---------------------------------------------------------------- */

static int is_small(size_t size) { return !CACHE_OFF && size < cache_min; }

static block *small_take(size_t *size, uint32_t *class_)
{
    hr__memory_hook_fork();
    *size = (*size + HEADER - 1) & ~(size_t)(HEADER - 1);
    *class_ = size_class(size);
    pthread_mutex_lock(&small_lock);
    block *b = small_head[*class_];
    if (b) {
        small_head[*class_] = b->next;
        small_bytes -= b->size;
    }
    pthread_mutex_unlock(&small_lock);
    return b;
}

/* 0: there are enough already. */
static int small_keep(block *b)
{
    pthread_mutex_lock(&small_lock);
    int keep = small_bytes + b->size <= small_total_max;
    if (keep) {
        b->next = small_head[b->class_];
        small_head[b->class_] = b;
        small_bytes += b->size;
    }
    pthread_mutex_unlock(&small_lock);
    return keep;
}

static void small_trim(void)
{
    pthread_mutex_lock(&small_lock);
    for (int i = 0; i < N_CLASSES; i++) {
        while (small_head[i]) {
            block *b = small_head[i];
            small_head[i] = b->next;
            small_bytes -= b->size;
            allocator.free(b, b->size + HEADER, allocator.user);
        }
    }
    pthread_mutex_unlock(&small_lock);
}

/* ---- all blocks ------------------------------------------------------------------ */

static int must_fail(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0) return 0;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

void *hr_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    if (bytes > SIZE_MAX / 4) return NULL;
    atomic_fetch_add_explicit(&total_allocs, 1, memory_order_relaxed);
    if (must_fail()) return NULL;
    if (bytes == 0) bytes = 1;
    block *b = NULL;
    uint32_t class_ = 0;
    if (is_cached_size(bytes)) {
        hr__memory_hook_fork();
        class_ = size_class(&bytes);
        pthread_mutex_lock(&cache_lock);
        b = class_head[class_];
        if (b) cache_unlink(b);
        pthread_mutex_unlock(&cache_lock);
    } else if (is_small(bytes)) {
        b = small_take(&bytes, &class_);
    }
    if (!b) {
        atomic_fetch_add_explicit(&system_allocs, 1, memory_order_relaxed);
        b = allocator.alloc(bytes + HEADER, HEADER, allocator.user);
        if (!b) {
            hr_alloc_trim();
            b = allocator.alloc(bytes + HEADER, HEADER, allocator.user);
        }
        if (!b) return NULL;
        b->size = bytes;
        b->class_ = class_;
    }
    atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&live_bytes, b->size, memory_order_relaxed);
    return (char *)b + HEADER;
}

/* Files are read for it: once, and not where little is kept. */
static void find_bound(void)
{
    int64_t memory = hr__memory_size();
    size_t bound = memory > 0 ? (size_t)memory / 16 : cache_start;
    if (bound < cache_start) bound = cache_start;
    if (bound > cache_total_max) bound = cache_total_max;
    pthread_mutex_lock(&cache_lock);
    cache_bound = bound;
    pthread_mutex_unlock(&cache_lock);
}

void *hr_alloc_zero(size_t count, size_t size)
{
    void *p = hr_alloc(count, size);
    if (p) memset(p, 0, count * size);
    return p;
}

void hr_free(void *ptr)
{
    if (!ptr) return;
    block *b = (block *)((char *)ptr - HEADER);
    atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&live_bytes, b->size, memory_order_relaxed);
    if (is_small(b->size) && small_keep(b)) return;
    if (!is_cached_size(b->size)) {
        allocator.free(b, b->size + HEADER, allocator.user);
        return;
    }
    block *doomed = NULL;
    int64_t now = b->size >= stale_counts ? time_now() : 0;
    pthread_mutex_lock(&cache_lock);
    if (now) {
        cache_returns++;
        cache_time = now;
    }
    b->returned = cache_returns;
    b->time = cache_time;
    cache_link(b);
    while (is_oldest_unused(b)) {
        block *old = cache_oldest;
        cache_unlink(old);
        old->next = doomed;
        doomed = old;
    }
    int is_bound_wanted = !cache_bound && cache_bytes > cache_start;
    pthread_mutex_unlock(&cache_lock);
    if (is_bound_wanted) find_bound();
    while (doomed) {
        block *next = doomed->next;
        allocator.free(doomed, doomed->size + HEADER, allocator.user);
        doomed = next;
    }
}

void hr_alloc_trim(void)
{
    pthread_mutex_lock(&cache_lock);
    while (cache_oldest) {
        block *b = cache_oldest;
        cache_unlink(b);
        allocator.free(b, b->size + HEADER, allocator.user);
    }
    pthread_mutex_unlock(&cache_lock);
    small_trim();
}

uint64_t hr__alloc_live_bytes(void)
{
    return atomic_load_explicit(&live_bytes, memory_order_relaxed);
}

void hr_alloc_get_stats(hr_alloc_stats *stats)
{
    stats->live_blocks = atomic_load(&live_blocks);
    stats->live_bytes = atomic_load(&live_bytes);
    stats->total_allocs = atomic_load(&total_allocs);
    pthread_mutex_lock(&cache_lock);
    stats->cached_bytes = cache_bytes;
    pthread_mutex_unlock(&cache_lock);
    pthread_mutex_lock(&small_lock);
    stats->cached_bytes += small_bytes;
    pthread_mutex_unlock(&small_lock);
    stats->system_allocs = atomic_load(&system_allocs);
}

uint64_t hr_alloc_fail_at(uint64_t nth)
{
    uint64_t now = atomic_load(&total_allocs);
    uint64_t made = now - atomic_exchange(&fail_seen, now);
    atomic_store(&fail_countdown, nth);
    return made;
}

hr_status hr_set_allocator(const hr_allocator *a, hr_error *err)
{
    uint64_t live = atomic_load(&live_blocks);
    if (live)
        return hr_fail(err, HR_STATE, "allocator: %llu blocks are live; set it first",
                       (unsigned long long)live);
    hr_alloc_trim();
    allocator = a ? *a : (hr_allocator){system_alloc, system_free, NULL};
    return HR_OK;
}
