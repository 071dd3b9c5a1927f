/* An argument of every kind, and values to bind to them. */
#ifndef HR_TESTS_ARGS_FIXTURE_H
#define HR_TESTS_ARGS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

static hr_arena *arena;

static inline int set_up(void **state)
{
    (void)state;
    return hr_arena_create(&arena, NULL) != HR_OK;
}

static inline int tear_down(void **state)
{
    (void)state;
    hr_arena_destroy(&arena);
    return 0;
}

/* Binds one value; the message is checked to hold `words` when it fails. */
static inline hr_status bind(int index, hr_value value, all_args *out, const char *words)
{
    hr_value values[N_ARGS] = {0};
    hr_error err = {0};
    values[index] = value;
    hr_status status = hr_args_bind(plain, N_ARGS, "op", values, out, arena, &err);
    assert_int_equal(err.status, status);
    if (words && !strstr(err.message, words)) fail_msg("\"%s\" lacks \"%s\"", err.message, words);
    return status;
}

static inline hr_value of_int(int64_t i) { return (hr_value){.kind = HR_VALUE_INT, .u.i = i}; }
static inline hr_value of_bool(int i) { return (hr_value){.kind = HR_VALUE_BOOL, .u.i = i}; }
static inline hr_value of_float(double f) { return (hr_value){.kind = HR_VALUE_FLOAT, .u.f = f}; }
static inline hr_value of_str(const char *s) { return (hr_value){.kind = HR_VALUE_STR, .u.s = s}; }
static inline hr_value of_ints(const int64_t *v, int64_t n)
{
    return (hr_value){.kind = HR_VALUE_INTS, .n = n, .u.ints = v};
}
static inline hr_value of_floats(const double *v, int64_t n)
{
    return (hr_value){.kind = HR_VALUE_FLOATS, .n = n, .u.floats = v};
}
static inline hr_value of_tensor(const hr_tensor *t)
{
    return (hr_value){.kind = HR_VALUE_TENSOR, .n = 1, .u.t = t};
}

static inline hr_tensor make_tensor(hr_dtype dtype, int ndim, int64_t n, void *data)
{
    hr_tensor t;
    assert_int_equal(hr_tensor_shape(&t, dtype, ndim, (int64_t[]){n, 1}, NULL), HR_OK);
    t.data = data;
    return t;
}

#endif
