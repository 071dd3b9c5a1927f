/* random.uniform: numbers of a half-open range, or of a list with equal chances. */
#include <math.h>

#include "random/random.h"

typedef struct uniform_args {
    hr_dtype dtype;
    hr_floats range;
    hr_ints shape;
    hr_floats values;
} uniform_args;

static const hr_arg_desc uniform_desc[] = {
    HR_ARG(uniform_args, dtype, DTYPE,
           .doc = "Type of the output, float32 if not given; float16 and bool are not made. "
                  "Numbers are rounded to whole types, so the range's end may appear there."),
    HR_ARG(uniform_args, range, FLOATS, .flags = HR_PER_SAMPLE, .initial = "[-1.0, 1.0]",
           .min_n = 2, .max_n = 2,
           .doc = "[a, b): a may be drawn, b may not. For whole types both are first cut to "
                  "integers, which must lie within the type. Excludes `values`."),
    HR_ARG(uniform_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Shape of the output; a scalar if there is no shape-like input either."),
    HR_ARG(uniform_args, values, FLOATS, .flags = HR_PER_SAMPLE,
           .doc = "The numbers to draw from, instead of a range."),
};

/* One sample's distribution. */
typedef struct source {
    hr_uniform_f32 narrow;
    hr_uniform_f64 wide;
    hr_floats values;
} source;

static void make_narrow(const hr_random_tile *t)
{
    const hr_uniform_f32 *u = &((const source *)t->params)->narrow;
    t->kernels->uniform_f32(t->words, t->n, u->low, u->step, u->top, t->out);
}

static void make_wide(const hr_random_tile *t)
{
    const hr_uniform_f64 *u = &((const source *)t->params)->wide;
    t->kernels->uniform_f64(t->words, t->n, u->low, u->step, u->top, t->out);
}

static void make_values(const hr_random_tile *t)
{
    const hr_floats *list = &((const source *)t->params)->values;
    float *out = t->out;
    for (int64_t i = 0; i < t->n; i++)
        out[i] = list->v[t->words[i] * (uint64_t)list->n >> 32];
}

static hr_status convert_end(double *v, float end, hr_dtype dtype, hr_error *err)
{
    *v = end;
    if (!isfinite(end))
        return hr_fail(err, HR_VALUE, "`range` has %g, it must be a finite float32", (double)end);
    if (dtype == HR_F32 || dtype == HR_F64) return HR_OK;
    return hr__random_to_whole(v, "range", end, dtype, err);
}

static hr_status source_init(source *u, const uniform_args *a, hr_dtype dtype, hr_error *err)
{
    double low, high;
    u->values = a->values;
    if (a->values.n == 0) return hr_fail(err, HR_VALUE, "`values` has no elements, it needs at least 1");
    if (a->values.n > 0) return HR_OK;
    const float *r = a->range.v;
    if (!(r[1] > r[0]))
        return hr_fail(err, HR_VALUE, "`range` is [%g, %g), which is empty", (double)r[0],
                       (double)r[1]);
    HR_TRY(convert_end(&low, r[0], dtype, err));
    HR_TRY(convert_end(&high, r[1], dtype, err));
    u->narrow = hr__uniform_init_f32((float)low, (float)high);
    u->wide = hr__uniform_init_f64(low, high);
    if (!hr__random_is_wide(dtype) && !isfinite(u->narrow.step))
        return hr_fail(err, HR_VALUE, "`range` is [%g, %g), wider than float32's largest number",
                       (double)r[0], (double)r[1]);
    return HR_OK;
}

static hr_status uniform_setup(hr_call *call, hr_error *err)
{
    if (hr_call_has(call, "values") && hr_call_has(call, "range"))
        return hr_fail(err, HR_VALUE, "`range` and `values` exclude each other");
    return HR_OK;
}

static hr_status uniform_infer(const hr_sample *s, hr_error *err)
{
    const uniform_args *a = s->args;
    hr_dtype dtype;
    source u;
    HR_TRY(hr__random_dtype(&dtype, a->dtype, HR_F32, HR_DTYPES_RANDOM, err));
    HR_TRY(source_init(&u, a, dtype, err));
    return hr__random_infer(s, dtype, a->shape, 0, NULL, err);
}

static hr_status uniform_run(const hr_sample *s, hr_error *err)
{
    source u;
    hr_dtype dtype = s->out[0].dtype;
    HR_TRY(source_init(&u, s->args, dtype, err));
    hr_random_fill f = {make_narrow, &u, 1, HR_F32};
    if (u.values.n > 0) {
        f.make = make_values;
    } else if (hr__random_is_wide(dtype)) {
        f = (hr_random_fill){make_wide, &u, 2, HR_F64};
    }
    hr__random_fill(s, NULL, &f);
    return HR_OK;
}

static const hr_in_desc uniform_ins[] = {
    {.name = "shape_like", .flags = HR_IN_OPTIONAL, .doc = "Gives the output its shape."},
};

const hr_op_desc hr_op_random_uniform = {
    .name = "random.uniform",
    .doc = "Draws numbers that are uniform over a range, or over a list of values.",
    .example = "shape=[3], range=[0.0, 1.0]",
    .flags = HR_OP_RANDOM | HR_OP_STRIDED,
    .ins = uniform_ins, .n_ins = 1, .n_out = 1, .outs = "the numbers",
    .args = uniform_desc, .n_args = sizeof uniform_desc / sizeof *uniform_desc,
    .args_size = sizeof(uniform_args),
    .setup = uniform_setup, .infer = uniform_infer, .run = uniform_run,
};
