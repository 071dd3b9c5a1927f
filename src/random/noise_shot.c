/* noise.shot: each element becomes a count of events of size `factor` whose expected sum is the
 * element: the noise of counting photons. */
#include <math.h>
#include <string.h>

#include "random/random.h"

typedef struct shot_args {
    float factor;
} shot_args;

static const hr_arg_desc shot_desc[] = {
    HR_ARG(shot_args, factor, FLOAT, .flags = HR_PER_SAMPLE, .initial = "12.0",
           .doc = "What one event adds; outputs are its multiples. 0 copies the input. The "
                  "default is the one that the peer's results show; its documentation says 20."),
};

static hr_status shot_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    float factor = ((const shot_args *)s->args)->factor;
    if (!isfinite(factor))
        return hr_fail(err, HR_VALUE, "`factor` is %g, it must be finite", (double)factor);
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, in->shape, err));
    return hr_tensor_set_layout(&s->out[0], s->call->in[0].layout, err);
}

/* n elements from `first`; how many words an element takes is not known before. */
static void count_events(const hr_sample *s, int64_t first, int64_t n, const float *in, float *out)
{
    float factor = ((const shot_args *)s->args)->factor, per_event = 1 / factor;
    for (int64_t i = 0; i < n; i++) {
        float mean = in[i] * per_event;
        hr_words words = hr__words_of(hr_rng_of_element(&s->rng, (uint64_t)(first + i)));
        float count = mean > 0 ? (float)hr__poisson(mean, &words) : 0;
        /* So many events leave no noise that a float could show. */
        out[i] = isinf(mean) && mean > 0 ? in[i] : count * factor;
    }
}

static hr_status shot_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    float in[HR_RANDOM_TILE], out[HR_RANDOM_TILE];
    const hr_tensor *src = s->in[0], *dst = &s->out[0];
    const int64_t n = hr_tensor_size(dst);
    if (((const shot_args *)s->args)->factor == 0) {
        memcpy(dst->data, src->data, hr_tensor_nbytes(dst));
        return HR_OK;
    }
    const size_t size = hr_dtype_size(dst->dtype);
    for (int64_t j = 0; j < n; j += HR_RANDOM_TILE) {
        int64_t count = n - j < HR_RANDOM_TILE ? n - j : HR_RANDOM_TILE;
        size_t at = (size_t)j * size;
        s->kernels->convert(HR_F32, in, src->dtype, (const char *)src->data + at, (size_t)count);
        count_events(s, j, count, in, out);
        s->kernels->convert(dst->dtype, (char *)dst->data + at, HR_F32, out, (size_t)count);
    }
    return HR_OK;
}

static const hr_in_desc shot_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_INT | HR_DTYPES(HR_F32),
     .doc = "Data of any shape: integers or float32. What is not positive becomes 0."},
};

const hr_op_desc hr_op_noise_shot = {
    .name = "noise.shot",
    .doc = "Applies shot noise: poisson(input / factor) * factor.",
    .example = "factor=5.0",
    .flags = HR_OP_RANDOM,
    .ins = shot_ins, .n_ins = 1, .n_out = 1,
    .outs = "the noisy input; same shape, type and layout",
    .args = shot_desc, .n_args = sizeof shot_desc / sizeof *shot_desc,
    .args_size = sizeof(shot_args),
    .infer = shot_infer, .run = shot_run,
};
