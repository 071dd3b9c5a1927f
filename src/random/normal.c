/* random.normal: normally distributed numbers, each from words of its own (Box and Muller, 1958,
 * first coordinate). */
#include <math.h>

#include "random/random.h"

typedef struct normal_args {
    hr_dtype dtype;
    float mean;
    hr_ints shape;
    float stddev;
} normal_args;

static const hr_arg_desc normal_desc[] = {
    HR_ARG(normal_args, dtype, DTYPE,
           .doc = "Type of the output, float32 if not given; float16 and bool are not made. "
                  "Numbers are rounded to whole types and clamped to their range."),
    HR_ARG(normal_args, mean, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0",
           .doc = "Mean of the distribution."),
    HR_ARG(normal_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Shape of the output; a scalar if there is no shape-like input either."),
    HR_ARG(normal_args, stddev, FLOAT, .flags = HR_PER_SAMPLE, .initial = "1.0",
           .doc = "Standard deviation; below 0 it mirrors the numbers about the mean."),
};

static void make_narrow(const hr_random_tile *t)
{
    const normal_args *a = t->params;
    float *out = t->out;
    for (int64_t i = 0; i < t->n; i++) {
        float z = hr__normal_f32(t->words[2 * i], t->words[2 * i + 1]);
        out[i] = fmaf(z, a->stddev, a->mean);
    }
}

static void make_wide(const hr_random_tile *t)
{
    const normal_args *a = t->params;
    double *out = t->out;
    for (int64_t i = 0; i < t->n; i++) {
        const uint32_t *w = t->words + 4 * i;
        double z = hr__normal_f64(w[0] | (uint64_t)w[1] << 32, w[2] | (uint64_t)w[3] << 32);
        out[i] = fma(z, a->stddev, a->mean);
    }
}

static hr_status normal_infer(const hr_sample *s, hr_error *err)
{
    const normal_args *a = s->args;
    hr_dtype dtype;
    HR_TRY(hr__random_dtype(&dtype, a->dtype, HR_F32, HR_DTYPES_RANDOM, err));
    return hr__random_infer(s, dtype, a->shape, 0, NULL, err);
}

static hr_status normal_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    int is_wide = hr__random_is_wide(s->out[0].dtype);
    hr_random_fill f = {is_wide ? make_wide : make_narrow, s->args, is_wide ? 4 : 2,
                        is_wide ? HR_F64 : HR_F32};
    hr__random_fill(s, NULL, &f);
    return HR_OK;
}

static const hr_in_desc normal_ins[] = {
    {.name = "shape_like", .flags = HR_IN_OPTIONAL, .doc = "Gives the output its shape."},
};

const hr_op_desc hr_op_random_normal = {
    .name = "random.normal",
    .doc = "Draws normally distributed numbers.",
    .example = "shape=[3], mean=5.0",
    .flags = HR_OP_RANDOM | HR_OP_STRIDED,
    .ins = normal_ins, .n_ins = 1, .n_out = 1, .outs = "the numbers",
    .args = normal_desc, .n_args = sizeof normal_desc / sizeof *normal_desc,
    .args_size = sizeof(normal_args),
    .infer = normal_infer, .run = normal_run,
};
