/* brightness_contrast, brightness, contrast: one affine map of values, computed in float32 as
 *     x * (brightness * contrast)
 *       + (brightness_shift * range + brightness * (centre - contrast * centre))
 * in this order of operations, which is the peer's, so that results agree to the bit. */
#include <string.h>

#include "kernels/kernels.h"

enum { BOTH, BRIGHTNESS, CONTRAST };

typedef struct tone_args {
    float brightness, brightness_shift, contrast, contrast_center;
    hr_dtype dtype;
} tone_args;

#define TONE_BRIGHTNESS                                                                \
    HR_ARG(tone_args, brightness, FLOAT, .flags = HR_PER_SAMPLE, .initial = "1.0",     \
           .doc = "Factor of the values, after the contrast."),                        \
    HR_ARG(tone_args, brightness_shift, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0", \
           .doc = "Added to the result, in parts of the output type's range: 1 stands for its " \
                  "largest value, or for 1.0 with reals.")
#define TONE_CONTRAST                                                                  \
    HR_ARG(tone_args, contrast, FLOAT, .flags = HR_PER_SAMPLE, .initial = "1.0",       \
           .doc = "Factor of a value's distance from `contrast_center`."),             \
    HR_ARG(tone_args, contrast_center, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.5", \
           .doc = "The value that a change of contrast keeps. When not given: the middle of the " \
                  "input type's range, the power of two: 128 for uint8, 0.5 for reals.")
#define TONE_DTYPE                                                                     \
    HR_ARG(tone_args, dtype, DTYPE,                                                    \
           .doc = "Type of the output; the input's when not given. Integers are rounded, halves " \
                  "away from zero, and clamped; NaN gives 0.")

static const hr_arg_desc both_desc[] = {TONE_BRIGHTNESS, TONE_CONTRAST, TONE_DTYPE};
static const hr_arg_desc brightness_desc[] = {TONE_BRIGHTNESS, TONE_DTYPE};
static const hr_arg_desc contrast_desc[] = {TONE_CONTRAST, TONE_DTYPE};

#define TONE_DTYPES                                                                    \
    (HR_DTYPES(HR_U8) | HR_DTYPES(HR_I8) | HR_DTYPES(HR_U16) | HR_DTYPES(HR_I16) |     \
     HR_DTYPES(HR_I32) | HR_DTYPES(HR_F16) | HR_DTYPES(HR_F32))

static hr_status tone_setup(hr_call *call, hr_error *err)
{
    const tone_args *a = (const tone_args *)(const void *)call->args;
    if (a->dtype == HR_DTYPE_NONE || (HR_DTYPES(a->dtype) & TONE_DTYPES)) return HR_OK;
    return hr_fail(err, HR_VALUE, "`dtype` is %s, it must be uint8, int8, uint16, int16, int32, "
                   "float16 or float32", hr_dtype_get_info(a->dtype)->numpy_name);
}

static hr_status tone_infer(const hr_sample *s, hr_error *err)
{
    const tone_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr_dtype dtype = a->dtype == HR_DTYPE_NONE ? in->dtype : a->dtype;
    HR_TRY(hr_tensor_shape(&s->out[0], dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, s->call->in[0].layout, sizeof s->out[0].layout);
    return HR_OK;
}

static float range_of(hr_dtype dtype)
{
    const hr_dtype_info *d = hr_dtype_get_info(dtype);
    int bits = d->kind == HR_KIND_SIGNED ? d->bits - 1 : d->bits;
    return d->kind == HR_KIND_FLOAT ? 1 : (float)(((uint64_t)1 << bits) - 1);
}

static float middle_of(hr_dtype dtype)
{
    const hr_dtype_info *d = hr_dtype_get_info(dtype);
    int bits = d->kind == HR_KIND_SIGNED ? d->bits - 2 : d->bits - 1;
    return d->kind == HR_KIND_FLOAT ? 0.5f : (float)((uint64_t)1 << bits);
}

static void find_map(const hr_sample *s, float *mul, float *add)
{
    const tone_args *a = s->args;
    int variant = s->call->op->variant;
    float brightness = variant == CONTRAST ? 1 : a->brightness;
    float shift = variant == CONTRAST ? 0 : a->brightness_shift;
    float contrast = variant == BRIGHTNESS ? 1 : a->contrast;
    float centre = middle_of(s->in[0]->dtype);
    if (variant != BRIGHTNESS && hr_call_has(s->call, "contrast_center"))
        centre = a->contrast_center;
    *mul = brightness * contrast;
    *add = shift * range_of(s->out[0].dtype) + brightness * (centre - contrast * centre);
}

enum { BLOCK = 2048 }; /* floats: two blocks stay in the first-level cache */

static hr_status tone_run(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    hr_tensor *out = &s->out[0];
    int64_t n = hr_tensor_size(in);
    float mul, add, zero = 0;
    find_map(s, &mul, &add);
    if (in->dtype == HR_U8 && out->dtype == HR_U8) {
        s->kernels->affine_u8(out->data, in->data, n, mul, add);
        return HR_OK;
    }
    const hr_affine map = {.mean = &zero, .mul = &mul, .add = &add, .period = 1};
    int is_plain = in->dtype == HR_U8 || in->dtype == HR_F32;
    float *from = hr_arena_take(s->arena, BLOCK * sizeof *from);
    float *to = hr_arena_take(s->arena, BLOCK * sizeof *to);
    if (!from || !to) return hr_fail(err, HR_NOMEM, "no memory for a block of values");
    int64_t in_size = (int64_t)hr_dtype_size(in->dtype);
    int64_t out_size = (int64_t)hr_dtype_size(out->dtype);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t k = n - i < BLOCK ? n - i : BLOCK;
        const char *src = (const char *)in->data + i * in_size;
        char *dst = (char *)out->data + i * out_size;
        float *mapped = out->dtype == HR_F32 ? (float *)(void *)dst : to;
        if (!is_plain) s->kernels->convert(HR_F32, from, in->dtype, src, (size_t)k);
        s->kernels->affine(mapped, is_plain ? (const void *)src : from,
                           is_plain ? in->dtype : HR_F32, k, &map);
        if (mapped == to) s->kernels->convert(out->dtype, dst, HR_F32, to, (size_t)k);
    }
    return HR_OK;
}

static const hr_in_desc tone_ins[] = {
    {.name = "input", .dtypes = TONE_DTYPES, .layouts = "HWC FHWC DHWC",
     .doc = "Pictures, sequences or volumes."},
};

#define TONE(symbol, name_, variant_, desc, ...)                                       \
    const hr_op_desc hr_op_##symbol = {                                                \
        .name = name_, .variant = variant_, .doc = __VA_ARGS__,                        \
        .ins = tone_ins, .n_ins = 1, .n_out = 1, .outs = "the adjusted input, in its layout", \
        .args = desc, .n_args = sizeof desc / sizeof *desc, .args_size = sizeof(tone_args), \
        .setup = tone_setup, .infer = tone_infer, .run = tone_run,                     \
    }

TONE(brightness_contrast, "brightness_contrast", BOTH, both_desc,
     "Changes brightness and contrast: brightness_shift * range + brightness * (centre + "
     "contrast * (x - centre)), in float32. int8, uint16 and float16 are taken too, which the "
     "peer refuses.");
TONE(brightness, "brightness", BRIGHTNESS, brightness_desc,
     "Changes the brightness: brightness_shift * range + brightness * x, in float32.");
TONE(contrast, "contrast", CONTRAST, contrast_desc,
     "Changes the contrast: centre + contrast * (x - centre), in float32.");
