/* The thread pool: every item once, failures and cancels stop the rest, jobs inside jobs, many
 * callers at once, fork in the middle of work, shutdown and a new start. */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <headrace/context.h>

#include "core/core.h"

/* ThreadSanitizer of gcc 12 cannot follow threads that a forked child starts; AddressSanitizer's
 * allocator may be locked in the child when another thread was inside it. */
#if defined(__SANITIZE_THREAD__)
enum { CAN_FORK = 0, CAN_FORK_IN_THE_MIDDLE = 0 };
#elif defined(__SANITIZE_ADDRESS__)
enum { CAN_FORK = 1, CAN_FORK_IN_THE_MIDDLE = 0 };
#else
enum { CAN_FORK = 1, CAN_FORK_IN_THE_MIDDLE = 1 };
#endif

static hr_pool *make_pool(int n)
{
    hr_pool *p = NULL;
    assert_int_equal(hr_pool_create(&p, n, NULL), HR_OK);
    return p;
}

static void sleep_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&t, &t)) continue;
}

/* Threads of this process; -1 where /proc does not tell. */
static int thread_count(void)
{
    DIR *d = opendir("/proc/self/task");
    if (!d) return -1;
    int n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* A thread that was joined may be in /proc for a moment longer. */
static void check_thread_count(int expected)
{
    for (int i = 0; i < 2000 && thread_count() != expected; i++) sleep_ms(1);
    assert_int_equal(thread_count(), expected);
}

typedef struct tally {
    _Atomic int seen[1000];
    _Atomic int done;
    int64_t fail_at;
    int wait_ms;
} tally;

static hr_status count_item(void *arg, int64_t i, hr_error *err)
{
    tally *t = arg;
    atomic_fetch_add(&t->seen[i], 1);
    if (t->wait_ms) sleep_ms(t->wait_ms);
    atomic_fetch_add(&t->done, 1);
    if (i == t->fail_at) return hr_fail(err, HR_DATA, "item %d is broken", (int)i);
    return HR_OK;
}

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

/* The caller's own item is short, a helper's is long: it is asked while it waits. */
static hr_status one_long_item(void *arg, int64_t i, hr_error *err)
{
    (void)err;
    pthread_t *caller = arg;
    if (pthread_equal(*caller, pthread_self())) sleep_ms(5);
    else if (i >= 0) sleep_ms(400);
    return HR_OK;
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

/* ---- shutdown, fork ------------------------------------------------------------------------- */

static void test_shutdown_and_start_anew(void **state)
{
    (void)state;
    int before = thread_count();
    hr_pool *p = make_pool(4), *q = make_pool(2);
    for (int round = 0; round < 20; round++) {
        tally t = {.fail_at = -1};
        assert_int_equal(hr_pool_run(p, 100, count_item, &t, NULL, NULL, NULL), HR_OK);
        assert_int_equal(hr_pool_run(q, 100, count_item, &t, NULL, NULL, NULL), HR_OK);
        assert_int_equal(t.done, 200);
        hr_shutdown();
        check_thread_count(before);
    }
    hr_shutdown(); /* with nothing to stop */
    hr_pool_destroy(&p);
    hr_pool_destroy(&q);
    hr_shutdown();
}

/* Exit status of a child that runs `body`; -1 when it hangs or dies of a signal. */
static int in_child(int (*body)(void *), void *arg)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        _exit(body(arg));
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

static int use_pool(void *arg)
{
    hr_pool *p = arg;
    for (int round = 0; round < 10; round++) {
        tally t = {.fail_at = -1};
        if (hr_pool_run(p, 200, count_item, &t, NULL, NULL, NULL) != HR_OK) return 1;
        for (int i = 0; i < 200; i++)
            if (t.seen[i] != 1) return 2;
    }
    void *block = hr_alloc(1, 1 << 20);
    if (!block) return 3;
    hr_free(block);
    hr_shutdown();
    hr_pool_destroy(&p);
    return 0;
}

static int use_pool_in_grandchild(void *arg)
{
    int status = in_child(use_pool, arg);
    return status ? status : use_pool(arg);
}

static void test_fork_after_work(void **state)
{
    (void)state;
    if (!CAN_FORK) return;
    hr_pool *p = make_pool(4);
    assert_int_equal(in_child(use_pool, p), 0); /* before the threads are there */
    tally t = {.fail_at = -1};
    assert_int_equal(hr_pool_run(p, 200, count_item, &t, NULL, NULL, NULL), HR_OK);
    assert_int_equal(in_child(use_pool, p), 0);
    assert_int_equal(in_child(use_pool_in_grandchild, p), 0);
    tally u = {.fail_at = -1};
    assert_int_equal(hr_pool_run(p, 200, count_item, &u, NULL, NULL, NULL), HR_OK);
    assert_int_equal(u.done, 200);
    hr_pool_destroy(&p);
}

typedef struct busy {
    hr_pool *pool;
    _Atomic int stop;
} busy;

static void *keep_busy(void *arg)
{
    busy *b = arg;
    while (!atomic_load(&b->stop)) {
        tally t = {.fail_at = -1};
        if (hr_pool_run(b->pool, 20, count_item, &t, NULL, NULL, NULL) != HR_OK) return "failed";
        void *block = hr_alloc(1, 100000);
        hr_free(block);
        if (t.done != 20) return "items lost";
    }
    return NULL;
}

/* Other threads are inside the pool and the allocator while this one forks. */
static void test_fork_in_the_middle(void **state)
{
    (void)state;
    if (!CAN_FORK_IN_THE_MIDDLE) return;
    enum { N = 3 };
    busy b = {.pool = make_pool(3)};
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, &b), 0);
    for (int round = 0; round < 30; round++) assert_int_equal(in_child(use_pool, b.pool), 0);
    atomic_store(&b.stop, 1);
    for (int i = 0; i < N; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        assert_null(problem);
    }
    hr_pool_destroy(&b.pool);
}

typedef struct fork_poll {
    pid_t child;
    int calls;
} fork_poll;

static int fork_once(void *arg)
{
    fork_poll *f = arg;
    if (f->calls++ == 0) {
        f->child = fork();
        if (f->child == 0) alarm(20);
    }
    return 0;
}

/* A signal handler that a poll runs may fork. The parent's call goes on; the child's ends with an
 * error, as its helpers are gone, and the pool works there too. */
static void test_fork_inside_a_poll(void **state)
{
    (void)state;
    if (!CAN_FORK) return;
    hr_pool *p = make_pool(2);
    pthread_t self = pthread_self();
    fork_poll f = {.child = -1};
    hr_error err = {0};
    hr_status status = hr_pool_run(p, 20, one_long_item, &self, fork_once, &f, &err);
    if (f.child == 0) {
        if (status != HR_STATE || !strstr(err.message, "forked")) _exit(50);
        _exit(use_pool(p));
    }
    assert_int_equal(status, HR_OK);
    int child;
    assert_int_equal(waitpid(f.child, &child, 0), f.child);
    assert_true(WIFEXITED(child));
    assert_int_equal(WEXITSTATUS(child), 0);
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
        cmocka_unit_test(test_shutdown_and_start_anew),
        cmocka_unit_test(test_fork_after_work),
        cmocka_unit_test(test_fork_in_the_middle),
        cmocka_unit_test(test_fork_inside_a_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
