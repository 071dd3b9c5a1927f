/* The thread pool where it ends and begins anew: shutdown, fork after work and in the middle of it. */
#include "pool_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void test_shutdown_and_start_anew(void **state)
{
    (void)state;
    hr_pool *p = make_pool(4), *q = make_pool(2);
    tally first = {.fail_at = -1};
    assert_int_equal(hr_pool_run(p, 100, count_item, &first, NULL, NULL, NULL), HR_OK);
    hr_shutdown();
    sleep_ms(100); /* a thread that was joined may be counted for a moment longer */
    int before = thread_count(); /* a sanitizer's own thread comes with the first of a program */
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
        cmocka_unit_test(test_shutdown_and_start_anew),
        cmocka_unit_test(test_fork_after_work),
        cmocka_unit_test(test_fork_in_the_middle),
        cmocka_unit_test(test_fork_inside_a_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
