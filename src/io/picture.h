/* What the picture decoders share: their common arguments, and one sample's way from bytes to
 * pixels, with the on_error policy. */
#ifndef HR_IO_PICTURE_H
#define HR_IO_PICTURE_H

#include <headrace/codec.h>

#include "core/core.h"

enum { HR__ON_ERROR_RAISE, HR__ON_ERROR_BLANK };

/* First member of every picture decoder's argument struct, named `picture`. */
typedef struct hr__picture_args {
    int adjust_orientation;
    hr_dtype dtype;
    int on_error;
    hr_image_type output_type;
    int use_fast_idct;
    struct { /* hints: one place each kind, never read */
        int flag;
        int64_t number;
        float real;
        const char *text;
    } hint;
} hr__picture_args;

typedef struct hr__picture {
    const uint8_t *data;
    size_t size;
    const hr_codec_desc *codec;
    hr_image_info info;
    int64_t w, h; /* as it will come out: upright, or as stored */
} hr__picture;

/* Does this build decode to `dtype`? Once a call, from setup. */
hr_status hr__picture_check(const hr__picture_args *a, hr_error *err);
/* Reads the header of the sample's only input. */
hr_status hr__picture_open(hr__picture *p, const hr_sample *s, const hr__picture_args *a,
                           hr_error *err);
/* Opens the sample's picture and says which region of it is wanted; the same in infer and run. */
typedef hr_status (*hr__picture_find)(hr__picture *p, const hr_sample *s, hr_rect *region,
                                      hr_error *err);
/* The output's shape is h x w, or that of the stand-in for a file that cannot be opened. */
hr_status hr__picture_infer(const hr_sample *s, const hr__picture_args *a, hr__picture_find find,
                            hr_error *err);
/* Decodes the region, or fills a stand-in. */
hr_status hr__picture_run(const hr_sample *s, const hr__picture_args *a, hr__picture_find find,
                          hr_error *err);

extern const hr_in_desc hr__picture_in[1];

/* ---- descriptors ----------------------------------------------------------------- */

#define HR__PICTURE_ARG(type, field, kind_, ...)                                       \
    HR__MEMBER_ARG(type, picture, field, kind_, __VA_ARGS__)
#define HR__PICTURE_HINT(type, name_, kind_, place, initial_, doc_)                    \
    { .name = #name_, .kind = HR_ARG_##kind_, .flags = HR_HINT,                         \
      .offset = offsetof(type, picture.hint.place), .initial = initial_, .doc = doc_ }
#define HR__GPU_ONLY "For GPU decoders only; changes nothing here."

/* In alphabetical order, with gaps for an operator's own arguments. */
#define HR__PICTURE_ARGS_TO_AFFINE(type)                                               \
    HR__PICTURE_ARG(type, adjust_orientation, BOOL, .initial = "True",                 \
        .doc = "Turn and mirror the picture upright, as its EXIF orientation says "    \
               "(JPEG's APP1 segment, PNG's eXIf chunk, WebP's and TIFF's tag)."),          \
    HR__PICTURE_HINT(type, affine, BOOL, flag, "True", HR__GPU_ONLY)

#define HR__PICTURE_ARGS_TO_DTYPE(type)                                                \
    HR__PICTURE_HINT(type, device_memory_padding, INT, number, "16777216", HR__GPU_ONLY), \
    HR__PICTURE_HINT(type, device_memory_padding_jpeg2k, INT, number, "0", HR__GPU_ONLY), \
    HR__PICTURE_ARG(type, dtype, DTYPE, .initial = "uint8",                            \
        .doc = "Type of the pixels: uint8, int8, uint16, int16, uint32, int32, float16 or " \
               "float32. The stored range 0..255 (16-bit files: 0..65535) becomes 0..the " \
               "type's maximum, 0..1 for reals; halves are rounded up.")

#define HR__PICTURE_ARGS_FROM_HOST(type)                                               \
    HR__PICTURE_HINT(type, host_memory_padding, INT, number, "8388608", HR__GPU_ONLY), \
    HR__PICTURE_HINT(type, host_memory_padding_jpeg2k, INT, number, "0", HR__GPU_ONLY), \
    HR__PICTURE_HINT(type, hw_decoder_load, FLOAT, real, "0.65", HR__GPU_ONLY),        \
    HR__PICTURE_HINT(type, hybrid_huffman_threshold, INT, number, "1000000", HR__GPU_ONLY), \
    HR__PICTURE_HINT(type, jpeg_fancy_upsampling, BOOL, flag, "False",                 \
        "Changes nothing here: chroma is always upsampled smoothly, as with True."),   \
    HR__PICTURE_HINT(type, memory_stats, BOOL, flag, "False", HR__GPU_ONLY)

#define HR__PICTURE_ARGS_TO_MEMORY(type)                                               \
    HR__PICTURE_ARGS_TO_DTYPE(type), HR__PICTURE_ARGS_FROM_HOST(type)

#define HR__PICTURE_ARG_ON_ERROR(type)                                                 \
    HR__PICTURE_ARG(type, on_error, CHOICE, .initial = "raise", .choices = "raise|blank", \
        .doc = "What becomes of a file that cannot be decoded. \"raise\": an error that names " \
               "it. \"blank\": a sample of zeros, of the size that was to come out or 1x1 if " \
               "that is not known, marked as failed, which drop_failed removes.")

#define HR__PICTURE_ARGS_TO_PREALLOCATE(type)                                          \
    HR__PICTURE_ARG(type, output_type, IMAGE_TYPE, .initial = "RGB",                   \
        .doc = "Colour model: RGB, BGR, GRAY (BT.601 weights; of a JPEG: its luma), YCbCr " \
               "(BT.601, studio range) or ANY_DATA: the stored channels, alpha and the four " \
               "inks of CMYK (255: full ink) among them. Else alpha is dropped."),     \
    HR__PICTURE_HINT(type, preallocate_height_hint, INT, number, "0", HR__GPU_ONLY),   \
    HR__PICTURE_HINT(type, preallocate_width_hint, INT, number, "0", HR__GPU_ONLY)

#define HR__PICTURE_ARG_SPLIT(type)                                                    \
    HR__PICTURE_HINT(type, split_stages, BOOL, flag, "False", HR__GPU_ONLY)

#define HR__PICTURE_ARGS_FROM_CHUNK(type)                                              \
    HR__PICTURE_HINT(type, use_chunk_allocator, BOOL, flag, "False", HR__GPU_ONLY),    \
    HR__PICTURE_ARG(type, use_fast_idct, BOOL, .initial = "False",                     \
        .doc = "JPEG: the faster, less exact inverse transform; values differ by a few levels.")

#define HR__PICTURE_ARGS_FROM_SPLIT(type)                                              \
    HR__PICTURE_ARG_SPLIT(type), HR__PICTURE_ARGS_FROM_CHUNK(type)

#endif
