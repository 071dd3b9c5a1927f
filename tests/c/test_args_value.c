/* One argument: every kind from every kind of value, bounds, counts. */
#include "args_fixture.h"

#include <math.h>
#include <string.h>

static void test_numbers(void **state)
{
    (void)state;
    all_args a;
    assert_int_equal(bind(FLAG, of_bool(1), &a, NULL), HR_OK);
    assert_int_equal(a.flag, 1);
    assert_int_equal(bind(FLAG, of_int(-3), &a, NULL), HR_OK);
    assert_int_equal(a.flag, 1);
    assert_int_equal(bind(FLAG, of_float(1), &a, "must be True or False, got a float"), HR_TYPE);
    assert_int_equal(bind(COUNT, of_int(10), &a, NULL), HR_OK);
    assert_int_equal(a.count, 10);
    assert_int_equal(bind(COUNT, of_int(-5), &a, NULL), HR_OK);
    assert_int_equal(bind(COUNT, of_bool(1), &a, NULL), HR_OK);
    assert_int_equal(a.count, 1);
    assert_int_equal(bind(COUNT, of_int(11), &a, "`count` is 11, it must be within -5..10"),
                     HR_VALUE);
    assert_int_equal(bind(COUNT, of_int(-6), &a, "-6"), HR_VALUE);
    assert_int_equal(bind(COUNT, of_int(INT64_MIN), &a, NULL), HR_VALUE);
    assert_int_equal(bind(COUNT, of_float(3), &a, NULL), HR_OK); /* whole floats are integers */
    assert_int_equal(a.count, 3);
    assert_int_equal(bind(COUNT, of_float(1.5), &a, "an integer, got a float"), HR_TYPE);
    assert_int_equal(bind(COUNT, of_float(1e300), &a, NULL), HR_TYPE);
    assert_int_equal(bind(COUNT, of_float(NAN), &a, NULL), HR_TYPE);
    assert_int_equal(bind(COUNT, of_str("1"), &a, "an integer, got a str"), HR_VALUE);
    assert_int_equal(bind(COUNT, of_ints((int64_t[]){2}, 1), &a, NULL), HR_OK);
    assert_int_equal(a.count, 2);
    assert_int_equal(bind(COUNT, of_ints((int64_t[]){1, 2}, 2), &a, "a list of integers"), HR_TYPE);
    assert_int_equal(bind(RATIO, of_int(2), &a, NULL), HR_OK);
    assert_true(a.ratio == 2);
    assert_int_equal(bind(RATIO, of_float(0.1), &a, NULL), HR_OK);
    assert_true(a.ratio == 0.1f);
    assert_int_equal(bind(RATIO, of_float(INFINITY), &a, NULL), HR_OK);
    assert_int_equal(bind(RATIO, of_float(-0.5), &a, "`ratio` is -0.5, it must be at least 0"),
                     HR_VALUE);
    assert_int_equal(bind(RATIO, of_float(NAN), &a, "nan"), HR_VALUE);
}

static void test_words(void **state)
{
    (void)state;
    all_args a;
    char text[] = "as given";
    assert_int_equal(bind(TEXT, of_str(text), &a, NULL), HR_OK);
    text[0] = 'X';
    assert_string_equal(a.text, "as given"); /* copied */
    assert_int_equal(bind(TEXT, of_int(1), &a, "a str, got an int"), HR_TYPE);
    assert_int_equal(bind(LAYOUT, of_str("HWC"), &a, NULL), HR_OK);
    assert_string_equal(a.layout, "HWC");
    assert_int_equal(bind(MODE, of_str("error"), &a, NULL), HR_OK);
    assert_int_equal(a.mode, 0);
    assert_int_equal(bind(MODE, of_str("trim_to_shape"), &a, NULL), HR_OK);
    assert_int_equal(a.mode, 2);
    static const char *const no_modes[] = {"",    "erro", "error|pad",     "errors",
                                           "PAD", "|",    "trim_to_shape|"};
    for (size_t i = 0; i < sizeof no_modes / sizeof *no_modes; i++)
        assert_int_equal(bind(MODE, of_str(no_modes[i]), &a,
                              "it must be one of error|pad|trim_to_shape"), HR_VALUE);
    assert_int_equal(bind(MODE, of_int(1), &a, NULL), HR_TYPE);
    char endless[2000];
    memset(endless, 'e', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    assert_int_equal(bind(MODE, of_str(endless), &a, "error|pad|trim"), HR_VALUE); /* still told */
}

static void test_enumerations(void **state)
{
    (void)state;
    all_args a;
    hr_value v = {.kind = HR_VALUE_DTYPE, .u.i = HR_F64};
    assert_int_equal(bind(DTYPE, v, &a, NULL), HR_OK);
    assert_int_equal(a.dtype, HR_F64);
    assert_int_equal(bind(DTYPE, of_int(HR_U8), &a, NULL), HR_OK); /* by the peer's number */
    assert_int_equal(bind(DTYPE, of_int(12), &a, "12 is not a DType"), HR_VALUE);
    assert_int_equal(bind(DTYPE, of_int(-1), &a, NULL), HR_VALUE);
    assert_int_equal(bind(DTYPE, of_int(INT64_C(1) << 32), &a, NULL), HR_VALUE);
    assert_int_equal(bind(DTYPE, of_str("float32"), &a, NULL), HR_VALUE);
    v = (hr_value){.kind = HR_VALUE_IMAGE_TYPE, .u.i = HR_GRAY};
    assert_int_equal(bind(IMAGE, v, &a, NULL), HR_OK);
    assert_int_equal(a.image, HR_GRAY);
    assert_int_equal(bind(INTERP, v, &a, "an interpolation type, got an image type"), HR_TYPE);
    assert_int_equal(bind(IMAGE, of_int(5), &a, NULL), HR_VALUE);
    v = (hr_value){.kind = HR_VALUE_INTERP, .u.i = HR_INTERP_GAUSSIAN};
    assert_int_equal(bind(INTERP, v, &a, NULL), HR_OK);
    assert_int_equal(a.interp, HR_INTERP_GAUSSIAN);
    v.u.i = 6;
    assert_int_equal(bind(INTERP, v, &a, "6 is not an interp"), HR_VALUE);
}

static void test_lists(void **state)
{
    (void)state;
    all_args a;
    int64_t four[4] = {1, 2, 3, 4};
    assert_int_equal(bind(SIZES, of_ints(four, 3), &a, NULL), HR_OK);
    four[0] = 99;
    assert_int_equal(a.sizes.n, 3);
    assert_int_equal(a.sizes.v[0], 1); /* copied */
    assert_int_equal(bind(SIZES, of_ints(four, 4), &a, "has 4 elements, it needs 1 to 3"),
                     HR_VALUE);
    assert_int_equal(bind(SIZES, of_ints(four, 0), &a, "has 0 elements"), HR_VALUE);
    assert_int_equal(bind(SIZES, of_ints((int64_t[]){1, 101}, 2), &a, "101"), HR_VALUE);
    assert_int_equal(bind(SIZES, of_int(7), &a, NULL), HR_OK); /* one stands for a list of one */
    assert_int_equal(a.sizes.n, 1);
    assert_int_equal(a.sizes.v[0], 7);
    assert_int_equal(bind(SIZES, of_floats((double[]){1, 2}, 2), &a, NULL), HR_OK);
    assert_int_equal(a.sizes.v[1], 2);
    assert_int_equal(bind(SIZES, of_floats((double[]){1, 2.5}, 2), &a, "2.5 is no integer"),
                     HR_TYPE);
    assert_int_equal(bind(SIZES, of_floats((double[]){1, NAN}, 2), &a, NULL), HR_TYPE);
    assert_int_equal(bind(SCALES, of_floats((double[]){0.25, 1}, 2), &a, NULL), HR_OK);
    assert_true(a.scales.v[0] == 0.25f);
    assert_int_equal(bind(SCALES, of_ints((int64_t[]){0, 1}, 2), &a, NULL), HR_OK);
    assert_true(a.scales.n == 2 && a.scales.v[1] == 1);
    assert_int_equal(bind(SCALES, of_float(0.5), &a, "has 1 elements, it needs 2"), HR_VALUE);
    assert_int_equal(bind(SCALES, of_floats((double[]){0.5, 1.5}, 2), &a, "1.5"), HR_VALUE);
    const char *names[3] = {"a", "", "c"};
    hr_value v = {.kind = HR_VALUE_STRS, .n = 2, .u.strs = names};
    assert_int_equal(bind(NAMES, v, &a, NULL), HR_OK);
    assert_string_equal(a.names.v[0], "a");
    assert_string_equal(a.names.v[1], "");
    v.n = 3;
    assert_int_equal(bind(NAMES, v, &a, "it needs 0 to 2"), HR_VALUE);
    assert_int_equal(bind(NAMES, of_ints(NULL, 0), &a, NULL), HR_OK); /* [] has no type */
    assert_int_equal(a.names.n, 0);
    assert_int_equal(bind(NAMES, of_str("single"), &a, NULL), HR_OK);
    assert_int_equal(a.names.n, 1);
}

static void test_tensors(void **state)
{
    (void)state;
    all_args a;
    int16_t shorts[6] = {5, 0, 7, 0, 9, 0};
    float real = 2.6f;
    hr_tensor t = make_tensor(HR_I16, 1, 3, shorts);
    t.stride[0] = 4; /* every second */
    assert_int_equal(bind(SIZES, of_tensor(&t), &a, NULL), HR_OK);
    assert_int_equal(a.sizes.n, 3);
    assert_int_equal(a.sizes.v[2], 9);
    assert_int_equal(bind(COUNT, of_tensor(&t), &a,
                          "a tensor of rank 1 with 3 elements is no single number"), HR_VALUE);
    t = make_tensor(HR_F32, 0, 0, &real);
    assert_int_equal(bind(RATIO, of_tensor(&t), &a, NULL), HR_OK);
    assert_true(a.ratio == 2.6f);
    assert_int_equal(bind(COUNT, of_tensor(&t), &a, NULL), HR_OK);
    assert_int_equal(a.count, 3); /* rounded, as a cast would */
    t = make_tensor(HR_F32, 1, 1, &real);
    assert_int_equal(bind(RATIO, of_tensor(&t), &a, NULL), HR_OK);
    t = make_tensor(HR_F32, 2, 1, &real);
    assert_int_equal(bind(RATIO, of_tensor(&t), &a, "rank 2"), HR_VALUE);
    assert_int_equal(bind(SCALES, of_tensor(&t), &a, "is no list"), HR_VALUE);
    real = -1;
    t = make_tensor(HR_F32, 0, 0, &real);
    assert_int_equal(bind(RATIO, of_tensor(&t), &a, "at least 0"), HR_VALUE);
    assert_int_equal(bind(TEXT, of_tensor(&t), &a, "a str, got a tensor"), HR_TYPE);
    assert_int_equal(bind(NAMES, of_tensor(&t), &a, "got a tensor"), HR_TYPE);
    t = make_tensor(HR_U8, 1, 0, &real);
    assert_int_equal(bind(SIZES, of_tensor(&t), &a, "has 0 elements"), HR_VALUE);
    t = make_tensor(HR_U8, 1, INT64_MAX / 16, &real); /* more than memory, seen through stride 0 */
    t.stride[0] = 0;
    assert_int_equal(bind(SIZES, of_tensor(&t), &a, "no memory"), HR_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_enumerations),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_tensors),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
