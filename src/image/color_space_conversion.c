/* color_space_conversion: RGB, BGR, GRAY and YCbCr into one another. Exact formulas: kernels/colour.c. */
#include <string.h>

#include "kernels/kernels.h"

typedef struct colour_args {
    hr_image_type image_type, output_type;
} colour_args;

static const hr_arg_desc colour_desc[] = {
    HR_ARG(colour_args, image_type, IMAGE_TYPE, .flags = HR_REQUIRED,
           .doc = "Colour model of the input: RGB, BGR, GRAY or YCbCr."),
    HR_ARG(colour_args, output_type, IMAGE_TYPE, .flags = HR_REQUIRED,
           .doc = "Colour model of the output. The input's own gives a copy, which the peer "
                  "refuses."),
};

static int channels_of(hr_image_type type) { return type == HR_GRAY ? 1 : 3; }

static hr_status check_type(const char *name, hr_image_type type, hr_error *err)
{
    if (type != HR_ANY_DATA) return HR_OK;
    return hr_fail(err, HR_VALUE, "`%s` is ANY_DATA, it must be RGB, BGR, GRAY or YCbCr", name);
}

static hr_status colour_setup(hr_call *call, hr_error *err)
{
    const colour_args *a = (const colour_args *)(const void *)call->args;
    HR_TRY(check_type("image_type", a->image_type, err));
    return check_type("output_type", a->output_type, err);
}

static hr_status colour_infer(const hr_sample *s, hr_error *err)
{
    static const char *const names[] = {"RGB", "BGR", "GRAY", "YCbCr"};
    const colour_args *a = s->args;
    const hr_tensor *in = s->in[0];
    int64_t shape[HR_MAX_NDIM], channels = in->shape[in->ndim - 1];
    int wanted = channels_of(a->image_type);
    if (channels != wanted)
        return hr_fail(err, HR_VALUE, "the input has %lld channels, %s has %d",
                       (long long)channels, names[a->image_type], wanted);
    memcpy(shape, in->shape, sizeof shape);
    shape[in->ndim - 1] = channels_of(a->output_type);
    HR_TRY(hr_tensor_shape(&s->out[0], HR_U8, in->ndim, shape, err));
    memcpy(s->out[0].layout, s->call->in[0].layout, sizeof s->out[0].layout);
    return HR_OK;
}

/* `red`: the place of red in a pixel, 0 or 2. */
static void from_colour(const hr_kernels *k, hr_image_type to, uint8_t *dst, const uint8_t *src,
                        int64_t n, int red)
{
    if (to == HR_GRAY) k->colour_gray(dst, src, n, red);
    else if (to == HR_YCBCR) k->colour_to_ycbcr(dst, src, n, red);
    else k->picture_swap(dst, src, n, 1);
}

static void from_ycbcr(const hr_kernels *k, hr_image_type to, uint8_t *dst, const uint8_t *src,
                       int64_t n)
{
    if (to == HR_GRAY) k->colour_luma_to_gray(dst, src, n);
    else k->colour_from_ycbcr(dst, src, n, to == HR_BGR ? 2 : 0);
}

static void from_gray(const hr_kernels *k, hr_image_type to, uint8_t *dst, const uint8_t *src,
                      int64_t n)
{
    if (to == HR_YCBCR) k->colour_gray_to_ycbcr(dst, src, n);
    else k->picture_rgb(dst, src, n, 1, 1);
}

static hr_status colour_run(const hr_sample *s, hr_error *err)
{
    const colour_args *a = s->args;
    const uint8_t *src = s->in[0]->data;
    uint8_t *dst = s->out[0].data;
    int64_t n = hr_tensor_size(s->in[0]) / channels_of(a->image_type);
    (void)err;
    if (a->image_type == a->output_type) memcpy(dst, src, hr_tensor_nbytes(&s->out[0]));
    else if (a->image_type == HR_GRAY) from_gray(s->kernels, a->output_type, dst, src, n);
    else if (a->image_type == HR_YCBCR) from_ycbcr(s->kernels, a->output_type, dst, src, n);
    else from_colour(s->kernels, a->output_type, dst, src, n, a->image_type == HR_BGR ? 2 : 0);
    return HR_OK;
}

static const hr_in_desc colour_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES(HR_U8), .layouts = "HWC FHWC DHWC FDHWC",
     .doc = "Pictures, sequences or volumes."},
};

const hr_op_desc hr_op_color_space_conversion = {
    .name = "color_space_conversion",
    .doc = "Converts pixels to another colour model. Gray: BT.601 luma over the whole range. "
           "YCbCr: BT.601 in studio range, Y within 16..235, Cb and Cr within 16..240.",
    .example = "image_type=0, output_type=3",
    .ins = colour_ins, .n_ins = 1, .n_out = 1, .outs = "the converted pixels, in the input's layout",
    .args = colour_desc, .n_args = sizeof colour_desc / sizeof *colour_desc,
    .args_size = sizeof(colour_args),
    .setup = colour_setup, .infer = colour_infer, .run = colour_run,
};
