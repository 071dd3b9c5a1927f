/* Graphs and the executor: values of chains, failures, leaving early, steps that outlive it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"
#include "pipeline/pipeline.h"

enum { SAMPLES = 3, CHAIN = 5, SMALL = 4, LARGE = 256 }; /* large ones are shared among threads */
static int side = SMALL;

static hr_batch *picture(uint8_t first)
{
    hr_batch *b = NULL;
    const int64_t shape[] = {side, side, 1};
    assert_int_equal(hr_batch_create(&b, SAMPLES, NULL), HR_OK);
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(hr_tensor_shape(&b->t[i], HR_U8, 3, shape, NULL), HR_OK);
        strcpy(b->t[i].layout, "HWC");
    }
    assert_int_equal(hr_batch_allocate(b, NULL), HR_OK);
    uint8_t *data = b->t[0].data;
    for (int k = 0; k < SAMPLES * side * side; k++) data[k] = (uint8_t)(first + k);
    return b;
}

/* A chain of flips: an odd number of them mirrors the input once. */
static hr_graph *chain(const char *op_name)
{
    hr_graph *g = NULL;
    assert_int_equal(hr__graph_create(&g, 1, 0, NULL), HR_OK);
    const hr_op_desc *op = hr_op_find(op_name);
    assert_non_null(op);
    hr_value values[64] = {0};
    hr_operand args[64] = {0};
    for (int i = 0; i < CHAIN; i++) {
        hr_operand in = {.kind = HR_OPERAND_PORT, .port = {i - 1, 0}};
        hr_node node = {.op = op, .n_in = 1, .in = &in, .values = values, .args = args, .rng = -1};
        int32_t index;
        assert_int_equal(hr__graph_add(g, &node, &index, NULL), HR_OK);
        assert_int_equal(index, i);
    }
    return g;
}

static void check_mirrored(const hr_batch *b, uint8_t first)
{
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const uint8_t *data = b->t[i].data;
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                wrong += data[y * side + x] != (uint8_t)(first + (i * side + y) * side + side - 1 - x);
    }
    assert_int_equal(wrong, 0);
}

static void check_use(hr_executor *e)
{
    hr_executor_use use;
    hr__executor_get_use(e, &use);
    assert_int_equal(use.steps, 20);
    assert_int_equal(use.bytes_in, 20 * SAMPLES * side * side);
    assert_true(use.busy_ns > 0 && use.peak_bytes >= SAMPLES * side * side);
    int64_t sum = 0;
    for (int32_t i = 0; i < CHAIN; i++) {
        int64_t ns, bytes;
        hr__executor_get_node_use(e, i, &ns, &bytes);
        assert_int_equal(bytes, use.bytes_in); /* mirrored pictures are as large */
        sum += ns;
    }
    assert_int_equal(sum, use.busy_ns);
}

/* Twenty steps through an executor of their own; what is alive afterwards. */
static uint64_t run_steps(const hr_graph *g, hr_pool *pool)
{
    hr_executor *e = NULL;
    hr_step *steps[20];
    assert_int_equal(hr__executor_create(&e, g, pool, NULL), HR_OK);
    for (int k = 0; k < 20; k++) {
        hr_batch *in = picture((uint8_t)k);
        assert_int_equal(hr__executor_submit(e, k, &in, NULL, &steps[k], NULL), HR_OK);
    }
    for (int k = 19; k >= 0; k--) {
        hr_batch *b = NULL;
        int has_failed;
        assert_int_equal(hr__step_wait(steps[k], (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, NULL),
                         HR_OK);
        check_mirrored(b, (uint8_t)k);
        assert_int_equal(hr__step_finish(steps[k], NULL, NULL, &has_failed, NULL), HR_OK);
        assert_false(has_failed);
        hr_batch_unref(&b);
        hr__step_unref(&steps[k]);
    }
    check_use(e);
    hr__executor_destroy(&e, 19);
    hr_alloc_stats stats;
    hr_alloc_get_stats(&stats);
    return stats.live_blocks;
}

static void test_values_of_every_step(void **state)
{
    (void)state;
    hr_pool *pool = NULL;
    hr_graph *g = chain("flip");
    assert_int_equal(hr_pool_create(&pool, 2, NULL), HR_OK);
    run_steps(g, pool); /* defaults of arguments are parsed once and stay */
    uint64_t least = run_steps(g, pool), most = least;
    for (int k = 0; k < 5; k++) { /* a thread's arena comes with its first work */
        uint64_t now = run_steps(g, pool);
        if (now < least) least = now;
        if (now > most) most = now;
    }
    assert_true(most <= least + 2 * 2);
    hr__graph_destroy(&g);
    hr_pool_destroy(&pool);
}

/* Samples of several steps side by side. */
static void test_values_of_shared_samples(void **state)
{
    side = LARGE;
    test_values_of_every_step(state);
    side = SMALL;
}

static void test_a_step_outlives_its_executor(void **state)
{
    (void)state;
    hr_executor *e = NULL;
    hr_graph *g = chain("flip");
    hr_step *done = NULL, *dropped = NULL;
    hr_batch *first = picture(1), *second = picture(2), *b = NULL;
    hr_error err = {0};
    assert_int_equal(hr__executor_create(&e, g, NULL, NULL), HR_OK);
    assert_int_equal(hr__executor_submit(e, 0, &first, NULL, &done, NULL), HR_OK);
    assert_int_equal(hr__executor_submit(e, 1, &second, NULL, &dropped, NULL), HR_OK);
    hr__executor_destroy(&e, 0); /* finishes step 0; step 1 may be either */
    hr__graph_destroy(&g);
    assert_int_equal(hr__step_wait(done, (hr_port){0, 0}, NULL, NULL, &b, NULL), HR_OK);
    check_mirrored(b, 1);
    hr_batch_unref(&b);
    hr_status status = hr__step_wait(dropped, (hr_port){0, 0}, NULL, NULL, &b, &err);
    assert_true(status == HR_OK || status == HR_CANCELLED);
    hr_batch_unref(&b);
    hr__step_unref(&done);
    hr__step_unref(&dropped);
}

static void test_a_failure_reaches_what_needs_it(void **state)
{
    (void)state;
    hr_executor *e = NULL;
    hr_graph *g = chain("decoders.image"); /* pictures are no encoded bytes */
    hr_step *s = NULL;
    hr_batch *in = picture(0), *b = NULL;
    hr_error err = {0};
    int has_failed;
    assert_int_equal(hr__executor_create(&e, g, NULL, NULL), HR_OK);
    assert_int_equal(hr__executor_submit(e, 0, &in, NULL, &s, NULL), HR_OK);
    assert_int_not_equal(hr__step_wait(s, (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, &err), HR_OK);
    assert_non_null(strstr(err.message, "decoders.image"));
    assert_int_equal(hr__step_finish(s, NULL, NULL, &has_failed, NULL), HR_OK);
    assert_true(has_failed);
    for (int32_t i = 0; i < CHAIN; i++) assert_int_equal(hr__step_cause(s, i), 0);
    hr__step_unref(&s);
    hr__executor_destroy(&e, 0);
    hr__graph_destroy(&g);
}

/* Two that fail by themselves, what needs the second, and one that is sound. */
static void test_failures_do_not_mix(void **state)
{
    (void)state;
    static const char *const names[] = {"decoders.image", "decoders.numpy", "flip", "flip"};
    static const int inputs[] = {-1, -1, 1, -1}, causes[] = {0, 1, 1, -1};
    hr_executor *e = NULL;
    hr_graph *g = NULL;
    hr_step *s = NULL;
    hr_batch *in = picture(0);
    hr_value values[64] = {0};
    hr_operand args[64] = {0};
    assert_int_equal(hr__graph_create(&g, 1, 0, NULL), HR_OK);
    for (int i = 0; i < 4; i++) {
        hr_operand from = {.kind = HR_OPERAND_PORT, .port = {inputs[i], 0}};
        hr_node node = {.op = hr_op_find(names[i]), .n_in = 1, .in = &from, .values = values, .args = args,
                        .rng = -1};
        int32_t index;
        assert_int_equal(hr__graph_add(g, &node, &index, NULL), HR_OK);
    }
    assert_int_equal(hr__executor_create(&e, g, NULL, NULL), HR_OK);
    assert_int_equal(hr__executor_submit(e, 0, &in, NULL, &s, NULL), HR_OK);
    for (int32_t i = 3; i >= 0; i--) {
        hr_batch *b = NULL;
        hr_error err = {0};
        hr_status status = hr__step_wait(s, (hr_port){i, 0}, NULL, NULL, &b, &err);
        assert_int_equal(hr__step_cause(s, i), causes[i]);
        if (causes[i] < 0) assert_int_equal(status, HR_OK);
        else assert_non_null(strstr(err.message, names[causes[i]]));
        hr_batch_unref(&b);
    }
    hr__step_unref(&s);
    hr__executor_destroy(&e, 0);
    hr__graph_destroy(&g);
}

static void test_ports_name_earlier_nodes(void **state)
{
    (void)state;
    hr_graph *g = NULL;
    hr_value values[64] = {0};
    hr_operand args[64] = {0}, in = {.kind = HR_OPERAND_PORT, .port = {3, 0}};
    hr_node node = {.op = hr_op_find("flip"), .n_in = 1, .in = &in, .values = values,
                    .args = args, .rng = -1};
    int32_t index;
    assert_int_equal(hr__graph_create(&g, 1, 0, NULL), HR_OK);
    assert_int_equal(hr__graph_add(g, &node, &index, NULL), HR_VALUE);
    in.port = HR_PORT_INPUT(1);
    assert_int_equal(hr__graph_add(g, &node, &index, NULL), HR_VALUE);
    assert_int_equal(hr__graph_size(g), 0);
    hr__graph_destroy(&g);
}

/* ---- several threads --------------------------------------------------------------------- */

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
    enum { BEFORE = 10, AFTER = 2000 };
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
        cmocka_unit_test(test_values_of_every_step),
        cmocka_unit_test(test_values_of_shared_samples),
        cmocka_unit_test(test_a_step_outlives_its_executor),
        cmocka_unit_test(test_a_failure_reaches_what_needs_it),
        cmocka_unit_test(test_failures_do_not_mix),
        cmocka_unit_test(test_ports_name_earlier_nodes),
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
