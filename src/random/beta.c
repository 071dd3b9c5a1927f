/* random.beta: numbers of [0, 1] with a beta distribution, as quotients of gamma variates. */
#include <math.h>

#include "random/random.h"

typedef struct beta_args {
    float alpha, beta;
    hr_dtype dtype;
    hr_ints shape;
} beta_args;

static const hr_arg_desc beta_desc[] = {
    HR_ARG(beta_args, alpha, FLOAT, .flags = HR_PER_SAMPLE, .initial = "1.0",
           .doc = "First parameter, positive: the weight near 1."),
    HR_ARG(beta_args, beta, FLOAT, .flags = HR_PER_SAMPLE, .initial = "1.0",
           .doc = "Second parameter, positive: the weight near 0."),
    HR_ARG(beta_args, dtype, DTYPE,
           .doc = "Type of the output: float32 if not given, or float64."),
    HR_ARG(beta_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Shape of the output; a scalar if there is no shape-like input either."),
};

static hr_status check_parameter(const char *name, float v, hr_error *err)
{
    if (v > 0 && isfinite(v)) return HR_OK;
    return hr_fail(err, HR_VALUE, "`%s` is %g, it must be positive and finite", name, (double)v);
}

static hr_status beta_infer(const hr_sample *s, hr_error *err)
{
    const beta_args *a = s->args;
    hr_dtype dtype;
    HR_TRY(hr__random_dtype(&dtype, a->dtype, HR_F32, HR_DTYPES(HR_F32) | HR_DTYPES(HR_F64),
                            err));
    HR_TRY(check_parameter("alpha", a->alpha, err));
    HR_TRY(check_parameter("beta", a->beta, err));
    return hr__random_infer(s, dtype, a->shape, 0, NULL, err);
}

/* Samples of 2^18 elements and more are made in runs of about 2^16, as the peer makes them: within
 * a run normal numbers are carried from one element to the next, so its borders show in values. */
typedef struct runs {
    int64_t n, n_runs;
} runs;

static runs runs_of(int64_t n)
{
    const int64_t split_from = 1 << 18, length = 1 << 16;
    return (runs){n, n < split_from ? 1 : n / length + (n % length != 0)};
}

/* Where run r begins; n * r could overflow. */
static int64_t run_begin(const runs *all, int64_t r)
{
    int64_t whole = all->n / all->n_runs, rest = all->n % all->n_runs;
    return whole * r + rest * r / all->n_runs;
}

static void fill_f32(const hr_sample *s, float *out, int64_t from, int64_t to)
{
    const beta_args *a = s->args;
    hr_beta_f32 d;
    hr__beta_init_f32(&d, a->alpha, a->beta);
    for (int64_t j = from; j < to; j++) {
        hr_words words = hr__words_of(hr_rng_of_element(&s->rng, (uint64_t)j));
        out[j] = hr__beta_f32(&d, &words);
    }
}

static void fill_f64(const hr_sample *s, double *out, int64_t from, int64_t to)
{
    const beta_args *a = s->args;
    hr_beta_f64 d;
    hr__beta_init_f64(&d, a->alpha, a->beta);
    for (int64_t j = from; j < to; j++) {
        hr_words words = hr__words_of(hr_rng_of_element(&s->rng, (uint64_t)j));
        out[j] = hr__beta_f64(&d, &words);
    }
}

static hr_status beta_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const hr_tensor *out = &s->out[0];
    const runs all = runs_of(hr_tensor_size(out));
    for (int64_t r = 0; r < all.n_runs; r++) {
        int64_t from = run_begin(&all, r), to = run_begin(&all, r + 1);
        if (out->dtype == HR_F32) fill_f32(s, out->data, from, to);
        else fill_f64(s, out->data, from, to);
    }
    return HR_OK;
}

static const hr_in_desc beta_ins[] = {
    {.name = "shape_like", .flags = HR_IN_OPTIONAL, .doc = "Gives the output its shape."},
};

const hr_op_desc hr_op_random_beta = {
    .name = "random.beta",
    .doc = "Draws numbers of [0, 1] that follow a beta distribution.",
    .example = "shape=[3], alpha=2.0, beta=3.0",
    .flags = HR_OP_RANDOM | HR_OP_STRIDED,
    .ins = beta_ins, .n_ins = 1, .n_out = 1, .outs = "the numbers",
    .args = beta_desc, .n_args = sizeof beta_desc / sizeof *beta_desc,
    .args_size = sizeof(beta_args),
    .infer = beta_infer, .run = beta_run,
};
