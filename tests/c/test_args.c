/* A call's arguments: one value a sample, shared ones, what is required. */
#include "args_fixture.h"

#include <string.h>

static hr_status bind_all(const hr_value *values, int64_t n, hr__args_bound *out, hr_error *err)
{
    hr__args_request r = {.args = plain, .n_args = N_ARGS, .size = sizeof(all_args),
                          .owner = "op", .values = values, .n = n, .arena = arena};
    return hr__args_bind_all(&r, out, err);
}

static const all_args *args_of(const hr__args_bound *b, int64_t i)
{
    return (const void *)(b->data + (size_t)i * b->stride);
}

static void test_per_sample(void **state)
{
    (void)state;
    enum { N = 3 };
    int32_t counts[N] = {4, -5, 10};
    hr_tensor t[N];
    for (int i = 0; i < N; i++) t[i] = make_tensor(HR_I32, i & 1, 1, &counts[i]);
    hr_value values[N_ARGS] = {0};
    hr__args_bound b;
    hr_error err = {0};
    values[COUNT] = (hr_value){.kind = HR_VALUE_BATCH, .n = N, .u.t = t};
    values[RATIO] = of_float(0.5);
    assert_int_equal(bind_all(values, N, &b, &err), HR_OK);
    assert_int_equal(b.given, 1 << COUNT | 1 << RATIO);
    for (int i = 0; i < N; i++) {
        assert_int_equal(args_of(&b, i)->count, counts[i]);
        assert_true(args_of(&b, i)->ratio == 0.5f);
    }
    assert_int_equal(bind_all(values, N + 1, &b, &err), HR_VALUE);
    assert_string_equal(err.message,
                        "op: argument `count` is a batch of 3, the call has 4 samples");
    hr_error_clear(&err);
    counts[2] = 11;
    assert_int_equal(bind_all(values, N, &b, &err), HR_VALUE);
    assert_int_equal(err.sample, 2);
    assert_non_null(strstr(err.message, "op: sample 2: argument `count` is 11"));
    values[SCALES] = values[COUNT];
    values[COUNT] = (hr_value){0};
    hr_error_clear(&err);
    assert_int_equal(bind_all(values, N, &b, &err), HR_TYPE);
    assert_non_null(strstr(err.message, "`scales` is one value for the whole call"));
}

static void test_shared_values_cost_one_struct(void **state)
{
    (void)state;
    hr_value values[N_ARGS] = {0};
    hr__args_bound b;
    values[COUNT] = of_int(3);
    assert_int_equal(bind_all(values, 1000000, &b, NULL), HR_OK);
    assert_int_equal(b.stride, 0);
    assert_int_equal(args_of(&b, 999999)->count, 3);
}

static void test_batch_of_one_and_of_none(void **state)
{
    (void)state;
    int64_t count = 6;
    hr_tensor t = make_tensor(HR_I64, 0, 0, &count);
    hr_value values[N_ARGS] = {0};
    hr__args_bound b;
    values[COUNT] = (hr_value){.kind = HR_VALUE_BATCH, .n = 1, .u.t = &t};
    assert_int_equal(bind_all(values, 1, &b, NULL), HR_OK);
    assert_int_equal(args_of(&b, 0)->count, 6);
    values[COUNT].n = 0;
    assert_int_equal(bind_all(values, 0, &b, NULL), HR_OK);
}

static void test_required(void **state)
{
    (void)state;
    static const hr_arg_desc arg[] = {HR_ARG(all_args, sizes, INTS, .flags = HR_REQUIRED)};
    all_args a;
    hr_value none = {0};
    hr_error err = {0};
    assert_int_equal(hr_args_bind(arg, 1, "op", &none, &a, arena, &err), HR_TYPE);
    assert_string_equal(err.message, "op: missing the required argument `sizes`");
}

static void test_no_arguments_at_all(void **state)
{
    (void)state;
    all_args a = {.count = 5};
    assert_int_equal(hr_args_bind(NULL, 0, "op", NULL, &a, arena, NULL), HR_OK);
    assert_int_equal(a.count, 5);
    hr__args_request r = {.size = 64, .owner = "op", .n = 4, .arena = arena};
    hr__args_bound b;
    assert_int_equal(hr__args_bind_all(&r, &b, NULL), HR_OK);
    for (int i = 0; i < 64; i++) assert_int_equal(b.data[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_per_sample),
        cmocka_unit_test(test_shared_values_cost_one_struct),
        cmocka_unit_test(test_batch_of_one_and_of_none),
        cmocka_unit_test(test_required),
        cmocka_unit_test(test_no_arguments_at_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
