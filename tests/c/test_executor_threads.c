/* The executor and threads: those that look, help, share the pool, fork. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor_steps.h"

enum { THREADS = 3, STEPS = 60 };

typedef struct shared_steps {
    hr_step *at[STEPS];
    _Atomic int n;
    _Atomic int wrong;
} shared_steps;

/* Looks at every step, some values early and some when all is done; waits for the rest. */
static void *look_at_steps(void *arg)
{
    shared_steps *s = arg;
    for (int k = 0; k < STEPS; k++) {
        while (atomic_load(&s->n) <= k) sched_yield();
        hr_batch *b = NULL;
        hr_error err = {0};
        int has_failed;
        hr_port port = {k % CHAIN, 0};
        if (k % 3 == 0) (void)hr__step_is_ready(s->at[k], port);
        hr_status status = hr__step_wait(s->at[k], port, NULL, NULL, &b, &err);
        if (status == HR_OK && b->n != SAMPLES) atomic_store(&s->wrong, 1);
        if (status != HR_OK && status != HR_CANCELLED) atomic_store(&s->wrong, 1);
        hr_batch_unref(&b);
        if (k % 4) continue;
        hr_status all = hr__step_finish(s->at[k], NULL, NULL, &has_failed, &err);
        int is_whole = status == HR_OK && port.node == CHAIN - 1;
        if (all != HR_OK || (is_whole && has_failed)) atomic_store(&s->wrong, 1);
    }
    return NULL;
}

static hr_pool *pool_of_all_cores(void)
{
    hr_pool *pool = NULL;
    int n = hr_cpu_count();
    assert_int_equal(hr_pool_create(&pool, n < 2 ? 2 : n, NULL), HR_OK);
    return pool;
}

/* Steps are submitted by one thread, looked at by several, and the executor goes in the middle. The
 * bodies compute now and then: those who look help. */
static void look_and_end(int last)
{
    hr_pool *pool = NULL;
    hr_executor *e = NULL;
    hr_graph *g = chain("flip");
    shared_steps s = {{0}, 0, 0};
    pthread_t threads[THREADS];
    pool = pool_of_all_cores();
    assert_int_equal(hr__executor_create(&e, g, pool, NULL), HR_OK);
    assert_true(hr__executor_is_crowded(e));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_at_steps, &s), 0);
    for (int k = 0; k < STEPS; k++) {
        hr_batch *in = picture((uint8_t)k);
        assert_int_equal(hr__executor_submit(e, k, &in, NULL, &s.at[k], NULL), HR_OK);
        atomic_store(&s.n, k + 1);
        hr__executor_set_body(e, k % 10 > 2);
        hr_executor_use use;
        int64_t ns, bytes;
        hr__executor_get_use(e, &use); /* while it works */
        hr__executor_get_node_use(e, k % CHAIN, &ns, &bytes);
        assert_true(use.steps >= 0 && ns >= 0 && bytes >= 0);
    }
    hr__executor_destroy(&e, last);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&s.wrong), 0);
    for (int k = 0; k < STEPS; k++) hr__step_unref(&s.at[k]);
    hr__graph_destroy(&g);
    hr_pool_destroy(&pool);
}

static void test_steps_are_looked_at_by_several_threads(void **state)
{
    (void)state;
    look_and_end(STEPS);
    look_and_end(STEPS / 2);
    look_and_end(-1);
    side = LARGE;
    look_and_end(STEPS);
    look_and_end(STEPS / 2);
    side = SMALL;
}

/* The lent thread rests, and the pool has none of its own: who waits does all the work. */
static void test_a_waiting_thread_does_the_work(void **state)
{
    (void)state;
    hr_pool *pool = pool_of_all_cores();
    hr_executor *e = NULL;
    hr_graph *g = chain("flip");
    hr_step *s = NULL;
    hr_batch *b = NULL;
    side = LARGE;
    assert_int_equal(hr__executor_create(&e, g, pool, NULL), HR_OK);
    hr__executor_set_body(e, 1);
    for (int k = 0; k < 10; k++) {
        hr_batch *in = picture((uint8_t)k);
        assert_int_equal(hr__executor_submit(e, k, &in, NULL, &s, NULL), HR_OK);
        hr_shutdown(); /* joins the pool's threads */
        assert_int_equal(hr__step_wait(s, (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, NULL), HR_OK);
        check_mirrored(b, (uint8_t)k);
        hr_batch_unref(&b);
        hr__step_unref(&s);
    }
    hr__executor_destroy(&e, 9);
    hr__graph_destroy(&g);
    hr_pool_destroy(&pool);
    side = SMALL;
}

/* A pool of one is the executor's thread alone, which never rests. */
static void test_the_only_worker_never_rests(void **state)
{
    (void)state;
    hr_pool *pool = NULL;
    hr_executor *e = NULL;
    hr_graph *g = chain("flip");
    hr_step *s = NULL;
    hr_batch *in = picture(3);
    int asked = 0;
    assert_int_equal(hr_pool_create(&pool, 1, NULL), HR_OK);
    assert_int_equal(hr__executor_create(&e, g, pool, NULL), HR_OK);
    assert_false(hr__executor_is_crowded(e));
    hr__executor_set_body(e, 1);
    assert_int_equal(hr__executor_submit(e, 0, &in, NULL, &s, NULL), HR_OK);
    while (!hr__step_is_ready(s, (hr_port){CHAIN - 1, 0}) && asked++ < 10000) usleep(1000);
    assert_true(hr__step_is_ready(s, (hr_port){CHAIN - 1, 0}));
    hr__step_unref(&s);
    hr__executor_destroy(&e, 0);
    hr__graph_destroy(&g);
    hr_pool_destroy(&pool);
}

static int cancel_at_once(void *arg)
{
    *(int *)arg += 1;
    return 1;
}

/* A wait that is given up leaves the step as it was. */
static void test_a_wait_is_given_up(void **state)
{
    (void)state;
    hr_executor *e = NULL;
    hr_graph *g = chain("flip");
    hr_step *s[40] = {0};
    int asked = 0, given_up = 0;
    assert_int_equal(hr__executor_create(&e, g, NULL, NULL), HR_OK);
    for (int k = 0; k < 40; k++) {
        hr_batch *in = picture((uint8_t)k);
        assert_int_equal(hr__executor_submit(e, k, &in, NULL, &s[k], NULL), HR_OK);
    }
    for (int k = 39; k >= 0; k--) {
        hr_batch *b = NULL;
        hr_error err = {0};
        hr_status status = hr__step_wait(s[k], (hr_port){CHAIN - 1, 0}, cancel_at_once, &asked, &b, &err);
        given_up += status == HR_CANCELLED;
        if (status == HR_OK) check_mirrored(b, (uint8_t)k);
        hr_batch_unref(&b);
        assert_int_equal(hr__step_wait(s[k], (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, NULL), HR_OK);
        check_mirrored(b, (uint8_t)k);
        hr_batch_unref(&b);
        hr__step_unref(&s[k]);
    }
    assert_true(given_up <= asked);
    hr__executor_destroy(&e, 39);
    hr__graph_destroy(&g);
}

static void *run_one_executor(void *arg)
{
    run_steps(arg, NULL);
    return NULL;
}

/* Loops of several threads share nothing but, here, the graph. */
static void test_executors_of_several_threads(void **state)
{
    (void)state;
    hr_graph *g = chain("flip");
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_one_executor, g), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    hr__graph_destroy(&g);
}

typedef struct gate {
    _Atomic int arrived, is_open;
} gate;

static hr_status wait_at_gate(void *arg, int64_t i, hr_error *err)
{
    (void)i, (void)err;
    gate *g = arg;
    atomic_fetch_add(&g->arrived, 1);
    while (!atomic_load(&g->is_open)) sched_yield();
    return HR_OK;
}

static void no_more(hr__job *job) { (void)job; }

static void submit_busy(hr_executor *e, hr_batch *in, int first, int end, hr_step **last)
{
    for (int k = first; k < end; k++) {
        hr_batch *own = hr_batch_ref(in);
        hr__step_unref(last);
        assert_int_equal(hr__executor_submit(e, k, &own, NULL, last, NULL), HR_OK);
    }
}

/* A loop with many steps in line does not keep another one, further on, from its turn. All threads wait at a
 * gate until the line stands. */
static void test_loops_take_turns(void **state)
{
    (void)state;
    enum { BEFORE = 10, AFTER = 800 };
    hr_pool *pool = NULL;
    hr_executor *busy = NULL, *other = NULL;
    hr_graph *g = chain("flip");
    hr_step *last = NULL, *s = NULL;
    hr_batch *b = NULL;
    gate held = {0, 0};
    hr__job job = {.fn = wait_at_gate, .arg = &held, .n = 3, .rank = -1, .done = no_more};
    side = LARGE;
    hr_batch *in = picture(1), *own = hr_batch_ref(in);
    assert_int_equal(hr_pool_create(&pool, 2, NULL), HR_OK);
    assert_int_equal(hr__executor_create(&busy, g, pool, NULL), HR_OK);
    assert_int_equal(hr__executor_create(&other, g, pool, NULL), HR_OK);
    hr__pool_submit(pool, &job);
    while (atomic_load(&held.arrived) < 3) sched_yield();
    submit_busy(busy, in, 0, BEFORE, &last);
    assert_int_equal(hr__executor_submit(other, 1000000, &own, NULL, &s, NULL), HR_OK);
    submit_busy(busy, in, BEFORE, AFTER, &last);
    atomic_store(&held.is_open, 1);
    assert_int_equal(hr__step_wait(s, (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, NULL), HR_OK);
    assert_false(hr__step_is_ready(last, (hr_port){CHAIN - 1, 0}));
    hr_batch_unref(&b);
    hr_batch_unref(&in);
    hr__step_unref(&last);
    hr__step_unref(&s);
    hr__executor_destroy(&busy, AFTER);
    hr__executor_destroy(&other, 1000000);
    hr__graph_destroy(&g);
    hr_pool_destroy(&pool);
    side = SMALL;
}

/* The child has no executor thread: what is there can be read, the rest is an error, nothing hangs. */
static void test_a_fork_in_the_middle(void **state)
{
    (void)state;
    hr_executor *e = NULL;
    hr_graph *g = chain("flip");
    hr_step *s[30] = {0};
    assert_int_equal(hr__executor_create(&e, g, NULL, NULL), HR_OK);
    for (int k = 0; k < 30; k++) {
        hr_batch *in = picture((uint8_t)k);
        assert_int_equal(hr__executor_submit(e, k, &in, NULL, &s[k], NULL), HR_OK);
    }
    pid_t child = fork();
    if (child == 0) {
        int bad = 0;
        for (int k = 0; k < 30; k++) {
            hr_batch *b = NULL;
            hr_error err = {0};
            hr_status status = hr__step_wait(s[k], (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, &err);
            bad |= status != HR_OK && status != HR_STATE;
            hr_batch_unref(&b);
            hr__step_unref(&s[k]);
        }
        hr_batch *in = picture(0);
        hr_step *more = NULL;
        bad |= hr__executor_submit(e, 30, &in, NULL, &more, NULL) != HR_STATE;
        hr__executor_destroy(&e, 30);
        _exit(bad ? 1 : 7);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    for (int k = 0; k < 30; k++) {
        hr_batch *b = NULL;
        assert_int_equal(hr__step_wait(s[k], (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, NULL), HR_OK);
        check_mirrored(b, (uint8_t)k);
        hr_batch_unref(&b);
        hr__step_unref(&s[k]);
    }
    hr__executor_destroy(&e, 29);
    hr__graph_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_looked_at_by_several_threads),
        cmocka_unit_test(test_a_waiting_thread_does_the_work),
        cmocka_unit_test(test_loops_take_turns),
        cmocka_unit_test(test_the_only_worker_never_rests),
        cmocka_unit_test(test_a_wait_is_given_up),
        cmocka_unit_test(test_executors_of_several_threads),
        cmocka_unit_test(test_a_fork_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
