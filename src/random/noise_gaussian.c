/* noise.gaussian: adds normally distributed noise, a draw of its own for each element. */
#include <math.h>
#include <string.h>

#include "random/random.h"

typedef struct gaussian_args {
    float mean, stddev;
} gaussian_args;

static const hr_arg_desc gaussian_desc[] = {
    HR_ARG(gaussian_args, mean, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0",
           .doc = "Mean of the noise."),
    HR_ARG(gaussian_args, stddev, FLOAT, .flags = HR_PER_SAMPLE, .initial = "1.0",
           .doc = "Standard deviation of the noise."),
};

static void add_narrow(const hr_random_tile *t)
{
    const gaussian_args *a = t->params;
    const float *in = t->in;
    float *out = t->out;
    for (int64_t i = 0; i < t->n; i++) {
        float z = hr__normal_f32(t->words[2 * i], t->words[2 * i + 1]);
        out[i] = in[i] + fmaf(z, a->stddev, a->mean);
    }
}

static void add_wide(const hr_random_tile *t)
{
    const gaussian_args *a = t->params;
    const double *in = t->in;
    double *out = t->out;
    for (int64_t i = 0; i < t->n; i++) {
        const uint32_t *w = t->words + 4 * i;
        double z = hr__normal_f64(w[0] | (uint64_t)w[1] << 32, w[2] | (uint64_t)w[3] << 32);
        out[i] = in[i] + fma(z, a->stddev, a->mean);
    }
}

static hr_status gaussian_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, in->shape, err));
    return hr_tensor_set_layout(&s->out[0], s->call->in[0].layout, err);
}

static hr_status gaussian_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    int is_wide = hr__random_is_wide(s->out[0].dtype);
    hr_random_fill f = {is_wide ? add_wide : add_narrow, s->args, is_wide ? 4 : 2,
                        is_wide ? HR_F64 : HR_F32};
    hr__random_fill(s, s->in[0], &f);
    return HR_OK;
}

static const hr_in_desc gaussian_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_INT | HR_DTYPES(HR_F32),
     .doc = "Data of any shape: integers or float32."},
};

const hr_op_desc hr_op_noise_gaussian = {
    .name = "noise.gaussian",
    .doc = "Adds normally distributed noise. Sums are rounded and clamped to whole types.",
    .example = "stddev=10.0",
    .flags = HR_OP_RANDOM,
    .ins = gaussian_ins, .n_ins = 1, .n_out = 1,
    .outs = "the noisy input; same shape, type and layout",
    .args = gaussian_desc, .n_args = sizeof gaussian_desc / sizeof *gaussian_desc,
    .args_size = sizeof(gaussian_args),
    .infer = gaussian_infer, .run = gaussian_run,
};
