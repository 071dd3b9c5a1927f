/* noise.salt_and_pepper: some pixels, or some elements, take the highest or the lowest value. */
#include <math.h>
#include <string.h>

#include "random/random.h"

typedef struct pepper_args {
    float pepper_val;
    int per_channel;
    float prob, salt_val, salt_vs_pepper;
} pepper_args;

static const hr_arg_desc pepper_desc[] = {
    HR_ARG(pepper_args, pepper_val, FLOAT, .flags = HR_PER_SAMPLE,
           .doc = "Value of pepper, cut to an integer for whole types, whose range must hold it. "
                  "If not given: -1.0, or the whole type's lowest."),
    HR_ARG(pepper_args, per_channel, BOOL, .initial = "False",
           .doc = "Whether each channel of a pixel is drawn for itself. If not, channels must be "
                  "the first or the last axis; without a layout they are the last."),
    HR_ARG(pepper_args, prob, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.05", .min = 0,
           .max = 1, .doc = "Chance that a pixel (or element) becomes salt or pepper."),
    HR_ARG(pepper_args, salt_val, FLOAT, .flags = HR_PER_SAMPLE,
           .doc = "Value of salt, as for pepper. If not given: 1.0, or the whole type's highest."),
    HR_ARG(pepper_args, salt_vs_pepper, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.5",
           .min = 0, .max = 1, .doc = "Which part of what is changed becomes salt."),
};

/* One element's bytes, in the data's type. */
typedef struct grain { char bytes[8]; } grain;

/* `is_salt`: the value that stands for an absent one is the type's highest, else the lowest. */
static hr_status grain_init(grain *g, hr_dtype dtype, float value, int is_salt, hr_error *err)
{
    int is_absent = hr_float_is_absent(value);
    double v = value;
    if (dtype == HR_F32) v = is_absent ? (is_salt ? 1.0 : -1.0) : value;
    else if (is_absent) v = is_salt ? INFINITY : -INFINITY; /* the conversion clamps */
    else HR_TRY(hr__random_to_whole(&v, is_salt ? "salt_val" : "pepper_val", value, dtype, err));
    hr_dtype_convert(dtype, g->bytes, HR_F64, &v, 1);
    return HR_OK;
}

/* How draws map to elements: draw q writes `run` elements, `step` apart, from element q * first. */
typedef struct spread {
    int64_t draws, run, step, first;
} spread;

static hr_status spread_init(spread *p, const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    const char *layout = s->call->in[0].layout;
    int per_channel = ((const pepper_args *)s->args)->per_channel;
    int64_t n = hr_tensor_size(in);
    *p = (spread){.draws = n, .run = 1, .step = 1, .first = 1};
    if (per_channel || in->ndim == 0) return HR_OK;
    int axis = layout[0] ? hr_layout_find(layout, 'C') : in->ndim - 1;
    if (axis < 0 || (axis > 0 && axis != in->ndim - 1))
        return hr_fail(err, HR_VALUE, "layout \"%s\" has no C first or last; per_channel=True "
                       "needs none", layout);
    int64_t channels = in->shape[axis];
    int64_t pixels = channels ? n / channels : 0;
    int is_last = axis == in->ndim - 1;
    *p = (spread){.draws = pixels, .run = channels, .step = is_last ? 1 : pixels,
                  .first = is_last ? channels : 1};
    return HR_OK;
}

static hr_status pepper_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    const pepper_args *a = s->args;
    spread p;
    grain g;
    HR_TRY(spread_init(&p, s, err));
    HR_TRY(grain_init(&g, in->dtype, a->salt_val, 1, err));
    HR_TRY(grain_init(&g, in->dtype, a->pepper_val, 0, err));
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, in->shape, err));
    return hr_tensor_set_layout(&s->out[0], s->call->in[0].layout, err);
}

static void scatter(char *dst, const grain *g, size_t size, const spread *p)
{
    for (int64_t c = 0; c < p->run; c++)
        memcpy(dst + (size_t)(c * p->step) * size, g->bytes, size);
}

static hr_status pepper_run(const hr_sample *s, hr_error *err)
{
    const pepper_args *a = s->args;
    const hr_tensor *out = &s->out[0];
    const size_t size = hr_dtype_size(out->dtype);
    const float salt_below = a->prob * a->salt_vs_pepper;
    uint32_t words[HR_RANDOM_TILE];
    spread p;
    grain salt, pepper;
    HR_TRY(spread_init(&p, s, err));
    HR_TRY(grain_init(&salt, out->dtype, a->salt_val, 1, err));
    HR_TRY(grain_init(&pepper, out->dtype, a->pepper_val, 0, err));
    memcpy(out->data, s->in[0]->data, hr_tensor_nbytes(out));
    for (int64_t q = 0; q < p.draws; q += HR_RANDOM_TILE) {
        int64_t n = p.draws - q < HR_RANDOM_TILE ? p.draws - q : HR_RANDOM_TILE;
        s->kernels->philox(&s->rng, (uint64_t)q, n, 1, words);
        for (int64_t i = 0; i < n; i++) {
            float u = (float)words[i] * 0x1p-32f;
            if (!(u < a->prob)) continue;
            char *dst = (char *)out->data + (size_t)((q + i) * p.first) * size;
            scatter(dst, u < salt_below ? &salt : &pepper, size, &p);
        }
    }
    return HR_OK;
}

static const hr_in_desc pepper_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_INT | HR_DTYPES(HR_F32),
     .doc = "Images or other data: integers or float32."},
};

const hr_op_desc hr_op_noise_salt_and_pepper = {
    .name = "noise.salt_and_pepper",
    .doc = "Replaces random pixels by a high value (salt) or a low one (pepper).",
    .example = "prob=0.2",
    .flags = HR_OP_RANDOM,
    .ins = pepper_ins, .n_ins = 1, .n_out = 1,
    .outs = "the noisy input; same shape, type and layout",
    .args = pepper_desc, .n_args = sizeof pepper_desc / sizeof *pepper_desc,
    .args_size = sizeof(pepper_args),
    .infer = pepper_infer, .run = pepper_run,
};
