/* Arguments: every kind from every kind of value, bounds, counts, defaults, what is absent, and
 * one value a sample. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

typedef struct all_args {
    int flag;
    int64_t count;
    float ratio;
    const char *text;
    int mode;
    hr_dtype dtype;
    hr_image_type image;
    hr_interp interp;
    const char *layout;
    hr_ints sizes;
    hr_floats scales;
    hr_strs names;
} all_args;

enum { FLAG, COUNT, RATIO, TEXT, MODE, DTYPE, IMAGE, INTERP, LAYOUT, SIZES, SCALES, NAMES, N_ARGS };

/* All optional, without defaults. */
static const hr_arg_desc plain[N_ARGS] = {
    HR_ARG(all_args, flag, BOOL),
    HR_ARG(all_args, count, INT, .min = -5, .max = 10, .flags = HR_PER_SAMPLE),
    HR_ARG(all_args, ratio, FLOAT, .min = 0, .max = INFINITY, .flags = HR_PER_SAMPLE),
    HR_ARG(all_args, text, STR),
    HR_ARG(all_args, mode, CHOICE, .choices = "error|pad|trim_to_shape"),
    HR_ARG(all_args, dtype, DTYPE),
    HR_ARG(all_args, image, IMAGE_TYPE),
    HR_ARG(all_args, interp, INTERP),
    HR_ARG(all_args, layout, LAYOUT),
    HR_ARG(all_args, sizes, INTS, .min = 1, .max = 100, .min_n = 1, .max_n = 3,
           .flags = HR_PER_SAMPLE),
    HR_ARG(all_args, scales, FLOATS, .min_n = 2, .max_n = 2, .min = 0, .max = 1),
    HR_ARG(all_args, names, STRS, .max_n = 2),
};

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

static hr_arena *arena;

static int set_up(void **state)
{
    (void)state;
    return hr_arena_create(&arena, NULL) != HR_OK;
}

static int tear_down(void **state)
{
    (void)state;
    hr_arena_destroy(&arena);
    return 0;
}

/* Binds one value; the message is checked to hold `words` when it fails. */
static hr_status bind(int index, hr_value value, all_args *out, const char *words)
{
    hr_value values[N_ARGS] = {0};
    hr_error err = {0};
    values[index] = value;
    hr_status status = hr_args_bind(plain, N_ARGS, "op", values, out, arena, &err);
    assert_int_equal(err.status, status);
    if (words && !strstr(err.message, words)) fail_msg("\"%s\" lacks \"%s\"", err.message, words);
    return status;
}

static hr_value of_int(int64_t i) { return (hr_value){.kind = HR_VALUE_INT, .u.i = i}; }
static hr_value of_bool(int i) { return (hr_value){.kind = HR_VALUE_BOOL, .u.i = i}; }
static hr_value of_float(double f) { return (hr_value){.kind = HR_VALUE_FLOAT, .u.f = f}; }
static hr_value of_str(const char *s) { return (hr_value){.kind = HR_VALUE_STR, .u.s = s}; }
static hr_value of_ints(const int64_t *v, int64_t n)
{
    return (hr_value){.kind = HR_VALUE_INTS, .n = n, .u.ints = v};
}
static hr_value of_floats(const double *v, int64_t n)
{
    return (hr_value){.kind = HR_VALUE_FLOATS, .n = n, .u.floats = v};
}
static hr_value of_tensor(const hr_tensor *t)
{
    return (hr_value){.kind = HR_VALUE_TENSOR, .n = 1, .u.t = t};
}

static hr_tensor make_tensor(hr_dtype dtype, int ndim, int64_t n, void *data)
{
    hr_tensor t;
    assert_int_equal(hr_tensor_shape(&t, dtype, ndim, (int64_t[]){n, 1}, NULL), HR_OK);
    t.data = data;
    return t;
}

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

/* ---- one value a sample ------------------------------------------------------------------ */

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
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_enumerations),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_per_sample),
        cmocka_unit_test(test_shared_values_cost_one_struct),
        cmocka_unit_test(test_batch_of_one_and_of_none),
        cmocka_unit_test(test_required),
        cmocka_unit_test(test_no_arguments_at_all),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_first_use_from_many_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
