/* Graphs and the executor: values of chains, failures, steps that outlive it. */
#include "executor_steps.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_step),
        cmocka_unit_test(test_values_of_shared_samples),
        cmocka_unit_test(test_a_step_outlives_its_executor),
        cmocka_unit_test(test_a_failure_reaches_what_needs_it),
        cmocka_unit_test(test_failures_do_not_mix),
        cmocka_unit_test(test_ports_name_earlier_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
