/* Allocation and buffers: counters, the failing mode, blocks kept for reuse, the allocator
 * underneath, overflow, and releases that run exactly once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <headrace/memory.h>

#include "core/core.h"

#include "draw.h"

static hr_alloc_stats stats(void)
{
    hr_alloc_stats s;
    hr_alloc_get_stats(&s);
    return s;
}

static void test_alignment_and_counters(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 65535, 65536, 65537, 1 << 20, 70 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hr_alloc_stats before = stats();
        unsigned char *p = hr_alloc(sizes[i], 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        hr_alloc_stats during = stats();
        assert_int_equal(during.live_blocks, before.live_blocks + 1);
        assert_true(during.live_bytes >= before.live_bytes + sizes[i]);
        assert_int_equal(during.total_allocs, before.total_allocs + 1);
        if (sizes[i]) p[0] = p[sizes[i] - 1] = 1;
        hr_free(p);
        hr_alloc_stats after = stats();
        assert_int_equal(after.live_blocks, before.live_blocks);
        assert_int_equal(after.live_bytes, before.live_bytes);
    }
    hr_free(NULL);
}

static void test_zeroed_also_when_reused(void **state)
{
    (void)state;
    enum { N = 100000 };
    for (int round = 0; round < 3; round++) {
        unsigned char *p = hr_alloc_zero(N / 4, 4);
        assert_non_null(p);
        for (int i = 0; i < N; i++) assert_int_equal(p[i], 0);
        memset(p, 0xAB, N);
        hr_free(p);
    }
}

static void test_overflow_is_no_memory(void **state)
{
    (void)state;
    hr_alloc_stats before = stats();
    assert_null(hr_alloc(SIZE_MAX, 2));
    assert_null(hr_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(hr_alloc((size_t)1 << 32, (size_t)1 << 32));
    assert_null(hr_alloc(SIZE_MAX, 1));
    assert_null(hr_alloc(1, SIZE_MAX - 63));
    assert_null(hr_alloc_zero(SIZE_MAX, SIZE_MAX));
    assert_null(hr_buf_create(SIZE_MAX));
    assert_null(hr_buf_create(SIZE_MAX - 64));
    assert_int_equal(stats().live_blocks, before.live_blocks);
}

static void test_failing_mode(void **state)
{
    (void)state;
    hr_alloc_fail_at(0);
    for (uint64_t nth = 1; nth < 5; nth++) {
        hr_alloc_fail_at(nth);
        for (uint64_t i = 1; i < 8; i++) {
            void *p = hr_alloc(i, 8);
            assert_int_equal(p == NULL, i == nth); /* once */
            hr_free(p);
        }
        assert_int_equal(hr_alloc_fail_at(0), 7);
    }
    hr_alloc_fail_at(1);
    assert_null(hr_alloc_zero(4, 4));
    hr_alloc_fail_at(1);
    assert_null(hr_buf_create(10));
    hr_alloc_fail_at(1);
    assert_int_equal(hr_alloc_fail_at(0), 0);
    void *p = hr_alloc(1, 1); /* the mode is off */
    assert_non_null(p);
    hr_free(p);
}

/* Under AddressSanitizer nothing is kept, so that use after free is seen. */
static int keeps_blocks(void)
{
    hr_alloc_trim();
    hr_free(hr_alloc(1, 1 << 20));
    return stats().cached_bytes != 0;
}

static void test_large_blocks_are_reused(void **state)
{
    (void)state;
    if (!keeps_blocks()) return;
    hr_alloc_trim();
    assert_int_equal(stats().cached_bytes, 0);
    void *p = hr_alloc(1, 1 << 20);
    hr_free(p);
    assert_true(stats().cached_bytes >= 1 << 20);
    void *q = hr_alloc(1, (1 << 20) - 1000); /* same class */
    assert_ptr_equal(p, q);
    assert_int_equal(stats().cached_bytes, 0);
    hr_free(q);
    void *small = hr_alloc(1, 1000), *other = hr_alloc(1, 3 << 20);
    assert_ptr_not_equal(other, p);
    hr_free(small);
    hr_free(other);
    hr_alloc_trim();
    assert_int_equal(stats().cached_bytes, 0);
}

static void test_kept_blocks_are_bounded(void **state)
{
    (void)state;
    if (!keeps_blocks()) return;
    enum { N = 40 };
    void *p[N];
    for (int i = 0; i < N; i++) assert_non_null(p[i] = hr_alloc(1, 16 << 20));
    for (int i = 0; i < N; i++) hr_free(p[i]);
    uint64_t bound = (uint64_t)hr__memory_size() / 16;
    if (bound < (uint64_t)64 << 20) bound = (uint64_t)64 << 20;
    assert_true(stats().cached_bytes <= (bound < (uint64_t)512 << 20 ? bound : (uint64_t)512 << 20));
    assert_true(stats().cached_bytes >= (size_t)64 << 20);
    void *q = hr_alloc(1, 16 << 20);
    assert_ptr_equal(q, p[N - 1]); /* the latest is the warmest */
    hr_free(q);
    hr_alloc_trim();
    assert_int_equal(stats().cached_bytes, 0);
}

/* ---- the allocator underneath --------------------------------------------------------------- */

typedef struct ledger {
    int64_t allocs, frees, bytes;
    int full; /* answer NULL */
} ledger;

static void *ledger_alloc(size_t size, size_t align, void *user)
{
    ledger *l = user;
    assert_int_equal(align, 64);
    if (l->full) return NULL;
    l->allocs++;
    l->bytes += (int64_t)size;
    void *p = NULL;
    return posix_memalign(&p, align, size) ? NULL : p;
}

static void ledger_free(void *ptr, size_t size, void *user)
{
    ledger *l = user;
    l->frees++;
    l->bytes -= (int64_t)size; /* the size that it was asked for */
    free(ptr);
}

static void test_allocator_hook(void **state)
{
    (void)state;
    ledger l = {0};
    hr_allocator own = {ledger_alloc, ledger_free, &l};
    hr_error err = {0};
    void *live = hr_alloc(1, 1);
    assert_int_equal(hr_set_allocator(&own, &err), HR_STATE);
    assert_non_null(strstr(err.message, "1 blocks are live"));
    hr_free(live);
    hr_error_clear(&err);
    assert_int_equal(hr_set_allocator(&own, &err), HR_OK);
    void *p = hr_alloc(10, 10), *q = hr_alloc(1, 1 << 20);
    assert_int_equal(l.allocs, 2);
    assert_true(l.bytes >= 100 + (1 << 20));
    hr_free(p);
    hr_free(q);
    l.full = 1;
    assert_null(hr_alloc(1, 5 << 20)); /* what was kept was given back in the attempt */
    assert_int_equal(l.frees, 2);
    l.full = 0;
    assert_int_equal(hr_set_allocator(NULL, &err), HR_OK);
    assert_int_equal(l.frees, l.allocs);
    assert_int_equal(l.bytes, 0);
    hr_free(hr_alloc(1, 1));
    assert_int_equal(l.allocs, 2);
}

/* ---- buffers ------------------------------------------------------------------------------ */

static void count_release(void *owner) { ++*(int *)owner; }

static void test_buffers(void **state)
{
    (void)state;
    hr_alloc_stats before = stats();
    hr_buf *b = hr_buf_create(100);
    assert_int_equal((uintptr_t)b->data % 64, 0);
    assert_int_equal(b->size, 100);
    assert_int_equal(b->refs, 1);
    memset(b->data, 1, 100);
    hr_buf *c = hr_buf_ref(b, 3);
    assert_ptr_equal(c, b);
    hr_buf_unref(&c, 2);
    assert_null(c);
    assert_int_equal(b->refs, 2);
    c = b;
    hr_buf_unref(&c, 0);
    assert_int_equal(b->refs, 2);
    hr_buf_unref(&b, 2);
    assert_null(b);
    hr_buf_unref(&b, 1);
    assert_null(hr_buf_ref(NULL, 1));
    assert_int_equal(stats().live_blocks, before.live_blocks);
}

static void test_adopted_memory_is_released_once(void **state)
{
    (void)state;
    hr_alloc_stats before = stats();
    int released = 0;
    char bytes[10];
    hr_buf *b = hr_buf_adopt(bytes, sizeof bytes, count_release, &released);
    assert_ptr_equal(b->data, bytes);
    hr_buf *second = hr_buf_ref(b, 1);
    hr_buf_unref(&b, 1);
    assert_int_equal(released, 0);
    hr_buf_unref(&second, 1);
    assert_int_equal(released, 1);
    b = hr_buf_adopt(NULL, 0, count_release, &released); /* an empty array may have no address */
    assert_non_null(b);
    assert_null(b->data);
    hr_buf_unref(&b, 1);
    assert_int_equal(released, 2);
    hr_alloc_fail_at(1);
    assert_null(hr_buf_adopt(bytes, 10, count_release, &released)); /* still the caller's */
    hr_alloc_fail_at(0);
    assert_int_equal(released, 2);
    assert_int_equal(stats().live_blocks, before.live_blocks);
}

static void *drop_references(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        hr_buf *b = arg;
        hr_buf_unref(&b, 1);
    }
    return NULL;
}

static void test_counts_from_many_threads(void **state)
{
    (void)state;
    enum { N = 4 };
    int released = 0;
    pthread_t threads[N];
    hr_buf *b = hr_buf_adopt(NULL, 0, count_release, &released);
    hr_buf_ref(b, N * 1000 - 1);
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, drop_references, b), 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    assert_int_equal(released, 1);
}

static void *take_and_give(void *arg)
{
    uint32_t seed = (uint32_t)(uintptr_t)arg;
    for (int i = 0; i < 3000; i++) {
        size_t size = draw(&seed) % (300 << 10);
        unsigned char *p = hr_alloc(1, size + 1);
        if (!p) return "no memory";
        p[0] = p[size] = (unsigned char)seed;
        if (p[0] != (unsigned char)seed) return "shared block";
        hr_free(p);
        if (i % 1000 == 999) hr_alloc_trim();
    }
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    enum { N = 4 };
    hr_alloc_stats before = stats();
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, take_and_give, (void *)(uintptr_t)(i + 1)), 0);
    for (int i = 0; i < N; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        assert_null(problem);
    }
    assert_int_equal(stats().live_blocks, before.live_blocks);
    assert_int_equal(stats().live_bytes, before.live_bytes);
}

/* ---- arenas ------------------------------------------------------------------------------- */

static void test_arena_keeps_what_it_needs(void **state)
{
    (void)state;
    hr_alloc_stats before = stats();
    hr_arena *a = NULL;
    assert_int_equal(hr_arena_create(&a, NULL), HR_OK);
    for (int round = 0; round < 4; round++) {
        hr_alloc_fail_at(0);
        hr__arena_mark mark = hr__arena_get_mark(a);
        unsigned char *first = hr_arena_take(a, 1000), *p;
        memset(first, 7, 1000);
        hr__arena_mark inner = hr__arena_get_mark(a);
        for (int i = 0; i < 50; i++) {
            p = hr_arena_take(a, 5000);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 64, 0);
            memset(p, i, 5000);
        }
        hr__arena_release(a, inner);
        for (int i = 0; i < 1000; i++) assert_int_equal(first[i], 7);
        hr__arena_release(a, mark);
        uint64_t made = hr_alloc_fail_at(0);
        if (round > 1) assert_int_equal(made, 0); /* warm */
    }
    assert_null(hr_arena_take(a, SIZE_MAX));
    assert_null(hr_arena_take(a, SIZE_MAX / 2 + 2));
    assert_non_null(hr_arena_take(a, 0));
    hr_arena_destroy(&a);
    hr_arena_destroy(&a);
    assert_int_equal(stats().live_blocks, before.live_blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocator_hook),
        cmocka_unit_test(test_alignment_and_counters),
        cmocka_unit_test(test_zeroed_also_when_reused),
        cmocka_unit_test(test_overflow_is_no_memory),
        cmocka_unit_test(test_failing_mode),
        cmocka_unit_test(test_large_blocks_are_reused),
        cmocka_unit_test(test_kept_blocks_are_bounded),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_adopted_memory_is_released_once),
        cmocka_unit_test(test_counts_from_many_threads),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_arena_keeps_what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
