/* random.coin_flip: zeros and ones with a probability. */
#include "random/random.h"

typedef struct coin_args {
    hr_dtype dtype;
    float probability;
    hr_ints shape;
} coin_args;

static const hr_arg_desc coin_desc[] = {
    HR_ARG(coin_args, dtype, DTYPE,
           .doc = "Type of the output: int32 if not given, or uint8 or bool."),
    HR_ARG(coin_args, probability, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.5", .min = 0,
           .max = 1, .doc = "Chance of a one."),
    HR_ARG(coin_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Shape of the output; a scalar if there is no shape-like input either."),
};

static void make_flips(const hr_random_tile *t)
{
    uint32_t threshold = *(const uint32_t *)t->params;
    uint8_t *out = t->out;
    for (int64_t i = 0; i < t->n; i++) out[i] = t->words[i] <= threshold;
}

static hr_status coin_infer(const hr_sample *s, hr_error *err)
{
    const coin_args *a = s->args;
    const uint64_t allowed = HR_DTYPES(HR_I32) | HR_DTYPES(HR_U8) | HR_DTYPES(HR_BOOL);
    hr_dtype dtype;
    HR_TRY(hr__random_dtype(&dtype, a->dtype, HR_I32, allowed, err));
    return hr__random_infer(s, dtype, a->shape, 0, NULL, err);
}

static hr_status coin_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    uint32_t threshold = hr__coin_threshold(((const coin_args *)s->args)->probability);
    hr_random_fill f = {make_flips, &threshold, 1, HR_U8};
    hr__random_fill(s, NULL, &f);
    return HR_OK;
}

static const hr_in_desc coin_ins[] = {
    {.name = "shape_like", .flags = HR_IN_OPTIONAL, .doc = "Gives the output its shape."},
};

const hr_op_desc hr_op_random_coin_flip = {
    .name = "random.coin_flip",
    .doc = "Flips coins: ones with the given probability, else zeros.",
    .example = "shape=[3], probability=0.25",
    .flags = HR_OP_RANDOM | HR_OP_STRIDED,
    .ins = coin_ins, .n_ins = 1, .n_out = 1, .outs = "zeros and ones",
    .args = coin_desc, .n_args = sizeof coin_desc / sizeof *coin_desc,
    .args_size = sizeof(coin_args),
    .infer = coin_infer, .run = coin_run,
};
