/* Arguments that are left out: absent ones, defaults in any locale, from many threads, without memory. */
#include "args_fixture.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

static const hr_arg_desc with_defaults[N_ARGS] = {
    HR_ARG(all_args, flag, BOOL, .initial = "True"),
    HR_ARG(all_args, count, INT, .initial = "-7", .min = 0, .max = 10), /* none of the user's */
    HR_ARG(all_args, ratio, FLOAT, .initial = "1.3333"),
    HR_ARG(all_args, text, STR, .initial = "hello"),
    HR_ARG(all_args, mode, CHOICE, .initial = "pad", .choices = "error|pad|trim_to_shape"),
    HR_ARG(all_args, dtype, DTYPE, .initial = "float32"),
    HR_ARG(all_args, image, IMAGE_TYPE, .initial = "YCbCr"),
    HR_ARG(all_args, interp, INTERP, .initial = "INTERP_CUBIC"),
    HR_ARG(all_args, layout, LAYOUT, .initial = "CHW"),
    HR_ARG(all_args, sizes, INTS, .initial = "[3, -4]"),
    HR_ARG(all_args, scales, FLOATS, .initial = "[0.08, 1.0]"),
    HR_ARG(all_args, names, STRS, .initial = "['*.jpg', \"*.png\"]"),
};

static void test_absent(void **state)
{
    (void)state;
    all_args a;
    memset(&a, 0x55, sizeof a);
    assert_int_equal(bind(FLAG, (hr_value){0}, &a, NULL), HR_OK);
    assert_int_equal(a.flag, 0);
    assert_true(a.count == HR_INT_ABSENT);
    assert_true(hr_float_is_absent(a.ratio));
    assert_null(a.text);
    assert_int_equal(a.mode, -1);
    assert_int_equal(a.dtype, HR_DTYPE_NONE);
    assert_int_equal((int)a.image, -1);
    assert_int_equal((int)a.interp, -1);
    assert_null(a.layout);
    assert_int_equal(a.sizes.n, -1);
    assert_int_equal(a.scales.n, -1);
    assert_int_equal(a.names.n, -1);
    assert_false(hr_float_is_absent(NAN)); /* only the one NaN of its own */
    assert_false(hr_float_is_absent(0));
}

static void test_defaults(void **state)
{
    (void)state;
    all_args a;
    hr_value values[N_ARGS] = {0};
    hr_error err = {0};
    assert_int_equal(hr_args_bind(with_defaults, N_ARGS, "op", values, &a, arena, &err), HR_OK);
    assert_int_equal(a.flag, 1);
    assert_int_equal(a.count, -7);
    assert_true(a.ratio == 1.3333f);
    assert_string_equal(a.text, "hello");
    assert_int_equal(a.mode, 1);
    assert_int_equal(a.dtype, HR_F32);
    assert_int_equal(a.image, HR_YCBCR);
    assert_int_equal(a.interp, HR_INTERP_CUBIC);
    assert_string_equal(a.layout, "CHW");
    assert_int_equal(a.sizes.n, 2);
    assert_int_equal(a.sizes.v[0], 3);
    assert_int_equal(a.sizes.v[1], -4);
    assert_int_equal(a.scales.n, 2);
    assert_true(a.scales.v[0] == 0.08f && a.scales.v[1] == 1);
    assert_int_equal(a.names.n, 2);
    assert_string_equal(a.names.v[0], "*.jpg");
    assert_string_equal(a.names.v[1], "*.png");
    values[COUNT] = of_int(-1); /* the default may lie where a user's value may not */
    assert_int_equal(hr_args_bind(with_defaults, N_ARGS, "op", values, &a, arena, &err), HR_VALUE);
}

static void test_default_that_is_none(void **state)
{
    (void)state;
    static const hr_arg_desc bad[][1] = {
        {HR_ARG(all_args, count, INT, .initial = "12a")},
        {HR_ARG(all_args, ratio, FLOAT, .initial = "")},
        {HR_ARG(all_args, dtype, DTYPE, .initial = "float33")},
        {HR_ARG(all_args, image, IMAGE_TYPE, .initial = "rgb")},
        {HR_ARG(all_args, interp, INTERP, .initial = "LINEAR")},
        {HR_ARG(all_args, sizes, INTS, .initial = "3")},
        {HR_ARG(all_args, sizes, INTS, .initial = "[3")},
        {HR_ARG(all_args, sizes, INTS, .initial = "[a]")},
        {HR_ARG(all_args, names, STRS, .initial = "['a]")},
        {HR_ARG(all_args, mode, CHOICE, .initial = "never", .choices = "error|pad")},
    };
    hr_alloc_stats before, after;
    hr_alloc_get_stats(&before);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        all_args a;
        hr_value none = {0};
        hr_error err = {0};
        hr_status status = hr_args_bind(bad[i], 1, "op", &none, &a, arena, &err);
        if (status != HR_BUG && status != HR_VALUE) fail_msg("default %zu: %d", i, (int)status);
        assert_non_null(strstr(err.message, bad[i][0].name));
    }
    hr_alloc_get_stats(&after);
    assert_int_equal(after.live_blocks, before.live_blocks);
}

/* Where numbers are written with a comma, defaults still mean what they say. */
static void test_defaults_in_other_locales(void **state)
{
    (void)state;
    static const hr_arg_desc arg[] = {HR_ARG(all_args, ratio, FLOAT, .initial = "0.75")};
    static const char *const places[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *now = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !now; i++)
        now = setlocale(LC_NUMERIC, places[i]);
    if (!now) return; /* none such is installed */
    all_args a;
    hr_value none = {0};
    hr_status status = hr_args_bind(arg, 1, "op", &none, &a, arena, NULL);
    const char *point = localeconv()->decimal_point;
    assert_string_equal(point, ","); /* the caller's locale is as it was */
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, HR_OK);
    assert_true(a.ratio == 0.75f);
}

/* Every allocation fails once, the parsing of defaults included. */
static void test_without_memory(void **state)
{
    (void)state;
    static const hr_arg_desc late[] = {
        HR_ARG(all_args, sizes, INTS, .initial = "[1, 2, 3]"),
        HR_ARG(all_args, names, STRS, .initial = "['a', 'b']"),
    };
    hr_status status = HR_NOMEM;
    int nth = 0;
    while (status == HR_NOMEM && nth < 30) {
        hr_alloc_stats before, after;
        hr_arena *own = NULL;
        all_args a;
        hr_value none[2] = {{0}};
        hr_alloc_get_stats(&before);
        assert_int_equal(hr_arena_create(&own, NULL), HR_OK);
        hr_alloc_fail_at((uint64_t)++nth);
        status = hr_args_bind(late, 2, "op", none, &a, own, NULL);
        hr_alloc_fail_at(0);
        hr_arena_destroy(&own);
        hr_alloc_get_stats(&after);
        if (status == HR_NOMEM && nth < 4) /* later ones leave the table of defaults behind */
            assert_int_equal(after.live_blocks, before.live_blocks);
    }
    assert_int_equal(status, HR_OK);
    assert_true(nth > 3);
}

static const hr_arg_desc fresh[1] = {HR_ARG(all_args, ratio, FLOAT, .initial = "0.5")};

static void *bind_fresh(void *out)
{
    hr_arena *own = NULL;
    hr_value none = {0};
    if (hr_arena_create(&own, NULL) != HR_OK) return "arena";
    for (int i = 0; i < 64; i++) {
        all_args a = {0};
        hr_status status = hr_args_bind(fresh, 1, "op", &none, &a, own, NULL);
        if (status != HR_OK || a.ratio != 0.5f) return "wrong";
    }
    hr_arena_destroy(&own);
    return out;
}

static void test_first_use_from_many_threads(void **state)
{
    (void)state;
    enum { N = 8 };
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, bind_fresh, NULL), 0);
    for (int i = 0; i < N; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        assert_null(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_in_other_locales),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_default_that_is_none),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_first_use_from_many_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
