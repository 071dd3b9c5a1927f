/* Image codecs: one descriptor each. Every function works on (data, size) that may hold anything,
 * checks before it reads and caps sizes before it allocates.
 * Thread use: all functions are re-entrant. */
#ifndef HR_CODEC_H
#define HR_CODEC_H

#include <headrace/op.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_image_info {
    const char *format;   /* "JPEG" */
    int64_t width, height; /* as stored */
    int channels;         /* as stored: 1..4 (palette: of its colours) */
    hr_dtype dtype;       /* HR_U8 or HR_U16 as stored */
    int orientation;      /* EXIF 1..8; 1 when not given */
    int frames;           /* pictures in the file, where the codec knows; 0: one. The first counts */
} hr_image_info;

typedef struct hr_rect { int64_t x, y, w, h; } hr_rect;

typedef struct hr_decode_options {
    hr_image_type type;   /* colour model of the output */
    hr_dtype dtype;       /* HR_U8, HR_U16, HR_I16… any number type: scaled from the stored depth */
    hr_rect region;       /* upright coordinates; w = 0: the whole picture */
    int keep_orientation; /* 1: leave the pixels as stored */
    int fast_idct;        /* JPEG: the faster, less exact transform */
} hr_decode_options;

typedef struct hr_codec_desc {
    const char *name; /* "JPEG" */
    const char *(*version)(void); /* of the library behind it: "libjpeg-turbo 2.1.5" */
    int (*probe)(const uint8_t *data, size_t size);
    hr_status (*header)(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err);
    /* Fills `out`, packed region.h x region.w x channels of options->dtype. Bits equal those of
     * the same region of a full decode. Scratch comes from `arena`. */
    hr_status (*decode)(const uint8_t *data, size_t size, const hr_image_info *info,
                        const hr_decode_options *options, void *out, hr_arena *arena,
                        hr_error *err);
} hr_codec_desc;

/* The i-th codec of this build; NULL past the end. */
HR_API const hr_codec_desc *hr_codec_at(int i);
/* By content. HR_UNSUPPORTED names a known format that is not built in ("GIF is not supported");
 * HR_DATA for unknown or no bytes. */
HR_API HR_CHECKED hr_status hr_codec_find(const uint8_t *data, size_t size,
                                          const hr_codec_desc **out, hr_error *err);
/* Channels that an output model has (HR_ANY_DATA: the stored number). */
HR_API int hr_image_channels(hr_image_type type, const hr_image_info *info);
/* Pictures of more pixels than this are refused before memory is taken; default 2^28.
 * 0 restores the default. Returns the limit in force before. */
HR_API int64_t hr_image_pixel_limit(int64_t pixels);

#ifdef __cplusplus
}
#endif
#endif
