/* decoders.image: the bytes of a picture file to HWC pixels. */
#include "io/picture.h"

typedef struct decode_args {
    hr__picture_args picture;
} decode_args;

static const hr_arg_desc decode_desc[] = {
    HR__PICTURE_ARGS_TO_AFFINE(decode_args),
    HR__PICTURE_HINT(decode_args, cache_batch_copy, BOOL, flag, "True", HR__GPU_ONLY),
    HR__PICTURE_HINT(decode_args, cache_debug, BOOL, flag, "False", HR__GPU_ONLY),
    HR__PICTURE_HINT(decode_args, cache_size, INT, number, "0", HR__GPU_ONLY),
    HR__PICTURE_HINT(decode_args, cache_threshold, INT, number, "0", HR__GPU_ONLY),
    HR__PICTURE_HINT(decode_args, cache_type, STR, text, "", HR__GPU_ONLY),
    HR__PICTURE_ARGS_TO_MEMORY(decode_args),
    HR__PICTURE_ARG_ON_ERROR(decode_args),
    HR__PICTURE_ARGS_TO_PREALLOCATE(decode_args),
    HR__PICTURE_ARGS_FROM_SPLIT(decode_args),
};

static hr_status decode_setup(hr_call *call, hr_error *err)
{
    return hr__picture_check(&((const decode_args *)call->args)->picture, err);
}

static hr_status open_whole(hr__picture *p, const hr_sample *s, hr_rect *region, hr_error *err)
{
    HR_TRY(hr__picture_open(p, s, &((const decode_args *)s->args)->picture, err));
    *region = (hr_rect){0, 0, p->w, p->h};
    return HR_OK;
}

static hr_status decode_infer(const hr_sample *s, hr_error *err)
{
    return hr__picture_infer(s, &((const decode_args *)s->args)->picture, open_whole, err);
}

static hr_status decode_run(const hr_sample *s, hr_error *err)
{
    return hr__picture_run(s, &((const decode_args *)s->args)->picture, open_whole, err);
}

const hr_op_desc hr_op_decoders_image = {
    .name = "decoders.image",
    .doc = "Decodes picture files to pixels; the format is told by content. JPEG: baseline and "
           "progressive, gray, colour, CMYK and YCCK "
           "(turned into RGB as if stored inverted, which is Adobe's way); by "
           "libjpeg-turbo with smooth chroma upsampling. Damaged but complete entropy data is "
           "decoded as well as can be; a file that ends early is an error. PNG: every colour type "
           "and depth, interlaced or not; a wrong checksum is an error. WebP: lossy and lossless; of "
           "an animation the first frame on its canvas. BMP: 1 to 32 bits, run lengths, bit "
           "fields. PNM: P1 to P7, scaled from the file's maximum to the full range. TIFF, where "
           "the build has libtiff: the first page; 1 to 16 bits, gray, palette, RGB, CMYK. Other "
           "formats, and what a format has besides, are refused by name.",
    .flags = HR_OP_HEAVY,
    .ins = hr__picture_in, .n_ins = 1, .n_out = 1, .outs = "the pixels, HWC",
    .args = decode_desc, .n_args = sizeof decode_desc / sizeof *decode_desc,
    .args_size = sizeof(decode_args),
    .setup = decode_setup, .infer = decode_infer, .run = decode_run,
};
