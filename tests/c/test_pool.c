/* The thread pool: every item once, failures and cancels stop the rest, jobs inside jobs, many
 * callers at once. */
#include "pool_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void test_sizes(void **state)
{
    (void)state;
    hr_pool *p = make_pool(0);
    assert_int_equal(hr_pool_size(p), hr_thread_count_default());
    hr_pool_destroy(&p);
    assert_null(p);
    hr_pool_destroy(&p);
    hr_error err = {0};
    assert_int_equal(hr_pool_create(&p, -1, &err), HR_VALUE);
    assert_string_equal(err.message, "thread count -1 is outside 0..4096");
    assert_int_equal(hr_pool_create(&p, HR_MAX_THREADS + 1, NULL), HR_VALUE);
    hr_alloc_fail_at(1);
    assert_int_equal(hr_pool_create(&p, 2, NULL), HR_NOMEM);
    assert_null(p);
}

static void test_each_item_once(void **state)
{
    (void)state;
    for (int size = 1; size <= 8; size++) {
        hr_pool *p = make_pool(size);
        for (int64_t n = 0; n <= 1000; n = n < 4 ? n + 1 : n * 3) {
            tally t = {.fail_at = -1};
            assert_int_equal(hr_pool_run(p, n, count_item, &t, NULL, NULL, NULL), HR_OK);
            for (int64_t i = 0; i < 1000; i++) assert_int_equal(t.seen[i], i < n);
        }
        hr_pool_destroy(&p);
    }
}

/* With one thread, and with several: in order of their numbers, each taken by whoever is free. */
static hr_status note_order(void *arg, int64_t i, hr_error *err)
{
    (void)err;
    int64_t *next = arg;
    if (*next != i) return HR_BUG;
    ++*next;
    return HR_OK;
}

static void test_alone_in_order(void **state)
{
    (void)state;
    hr_pool *p = make_pool(1);
    int64_t next = 0;
    assert_int_equal(hr_pool_run(p, 500, note_order, &next, NULL, NULL, NULL), HR_OK);
    assert_int_equal(next, 500);
    hr_pool_destroy(&p);
}

static void test_threads_start_with_work(void **state)
{
    (void)state;
    int before = thread_count();
    if (before < 0) return;
    hr_pool *p = make_pool(4);
    check_thread_count(before);
    tally t = {.fail_at = -1};
    assert_int_equal(hr_pool_run(p, 1, count_item, &t, NULL, NULL, NULL), HR_OK);
    check_thread_count(before); /* one item needs nobody else */
    assert_int_equal(hr_pool_run(p, 50, count_item, &t, NULL, NULL, NULL), HR_OK);
    check_thread_count(before + 3);
    hr_pool_destroy(&p);
    check_thread_count(before);
}


static hr_status meet(void *arg, int64_t i, hr_error *err)
{
    (void)i, (void)err;
    pthread_barrier_wait(arg); /* returns only if all are here at once */
    return HR_OK;
}

static void test_items_run_at_the_same_time(void **state)
{
    (void)state;
    enum { N = 4 };
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, N);
    hr_pool *p = make_pool(N);
    assert_int_equal(hr_pool_run(p, N, meet, &barrier, NULL, NULL, NULL), HR_OK);
    hr_pool_destroy(&p);
    pthread_barrier_destroy(&barrier);
}

static void test_failure_stops_the_rest(void **state)
{
    (void)state;
    for (int size = 1; size <= 4; size++) {
        hr_pool *p = make_pool(size);
        tally t = {.fail_at = 5, .wait_ms = 1};
        hr_error err = {0};
        assert_int_equal(hr_pool_run(p, 900, count_item, &t, NULL, NULL, &err), HR_DATA);
        assert_string_equal(err.message, "item 5 is broken");
        assert_in_range(t.done, 6, 200);
        tally again = {.fail_at = -1}; /* and the pool is as good as new */
        assert_int_equal(hr_pool_run(p, 100, count_item, &again, NULL, NULL, NULL), HR_OK);
        assert_int_equal(again.done, 100);
        hr_pool_destroy(&p);
    }
}

static hr_status fail_all(void *arg, int64_t i, hr_error *err)
{
    (void)arg;
    return hr_fail(err, HR_VALUE, "item %d", (int)i);
}

static void test_an_earlier_error_stays(void **state)
{
    (void)state;
    hr_pool *p = make_pool(3);
    hr_error err = {0};
    assert_int_equal(hr_fail(&err, HR_KEY, "before"), HR_KEY);
    assert_int_equal(hr_pool_run(p, 100, fail_all, NULL, NULL, NULL, &err), HR_VALUE);
    assert_string_equal(err.message, "before");
    assert_int_equal(hr_pool_run(p, 100, fail_all, NULL, NULL, NULL, NULL), HR_VALUE);
    hr_pool_destroy(&p);
}

typedef struct watch {
    pthread_t caller;
    int calls, stop_after, elsewhere;
} watch;

static int look(void *arg)
{
    watch *w = arg;
    if (!pthread_equal(w->caller, pthread_self())) w->elsewhere = 1;
    return ++w->calls >= w->stop_after;
}

static void test_poll_cancels(void **state)
{
    (void)state;
    for (int size = 1; size <= 3; size++) {
        hr_pool *p = make_pool(size);
        tally t = {.fail_at = -1, .wait_ms = 10};
        watch w = {.caller = pthread_self(), .stop_after = 3};
        hr_error err = {0};
        assert_int_equal(hr_pool_run(p, 1000, count_item, &t, look, &w, &err), HR_CANCELLED);
        assert_int_equal(err.status, HR_CANCELLED);
        assert_int_equal(w.calls, 3); /* not asked again once it said stop */
        assert_int_equal(w.elsewhere, 0);
        assert_in_range(t.done, 1, 900);
        hr_pool_destroy(&p);
    }
}

static void test_poll_while_waiting(void **state)
{
    (void)state;
    hr_pool *p = make_pool(2);
    pthread_t self = pthread_self();
    watch w = {.caller = self, .stop_after = 1000};
    assert_int_equal(hr_pool_run(p, 40, one_long_item, &self, look, &w, NULL), HR_OK);
    assert_true(w.calls >= 3);
    assert_int_equal(w.elsewhere, 0);
    hr_pool_destroy(&p);
}

/* ---- jobs inside jobs, and side by side ----------------------------------------------------- */

typedef struct nest {
    hr_pool *pool;
    int depth;
    _Atomic int *leaves;
} nest;

static hr_status descend(void *arg, int64_t i, hr_error *err)
{
    const nest *n = arg;
    (void)i;
    if (n->depth == 0) {
        atomic_fetch_add(n->leaves, 1);
        return HR_OK;
    }
    nest below = {n->pool, n->depth - 1, n->leaves};
    return hr_pool_run(n->pool, 5, descend, &below, NULL, NULL, err);
}

static void test_nested(void **state)
{
    (void)state;
    for (int size = 1; size <= 4; size++) {
        hr_pool *p = make_pool(size);
        _Atomic int leaves = 0;
        nest top = {p, 3, &leaves};
        assert_int_equal(hr_pool_run(p, 5, descend, &top, NULL, NULL, NULL), HR_OK);
        assert_int_equal(leaves, 625);
        hr_pool_destroy(&p);
    }
}

static void *call_often(void *arg)
{
    hr_pool *p = arg;
    for (int round = 0; round < 200; round++) {
        tally t = {.fail_at = round % 7 == 3 ? round % 50 : -1};
        hr_error err = {0};
        int64_t n = 1 + round % 60;
        hr_status status = hr_pool_run(p, n, count_item, &t, NULL, NULL, &err);
        hr_status expected = t.fail_at >= 0 && t.fail_at < n ? HR_DATA : HR_OK;
        if (status != expected || err.status != expected) return "wrong status";
        for (int64_t i = 0; i < n; i++)
            if (t.seen[i] > 1 || (status == HR_OK && t.seen[i] != 1)) return "wrong items";
    }
    return NULL;
}

static void test_many_callers(void **state)
{
    (void)state;
    enum { N = 6 };
    hr_pool *p = make_pool(3);
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, p), 0);
    for (int i = 0; i < N; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        if (problem) fail_msg("%s", (const char *)problem);
    }
    hr_pool_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_each_item_once),
        cmocka_unit_test(test_alone_in_order),
        cmocka_unit_test(test_threads_start_with_work),
        cmocka_unit_test(test_items_run_at_the_same_time),
        cmocka_unit_test(test_failure_stops_the_rest),
        cmocka_unit_test(test_an_earlier_error_stays),
        cmocka_unit_test(test_poll_cancels),
        cmocka_unit_test(test_poll_while_waiting),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_many_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
