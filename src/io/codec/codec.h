/* What codecs share: the way of finished rows to the caller, EXIF orientation, size limits. A codec
 * decodes rows of the stored region and hands them to hr__rows; it never looks at orientation,
 * channel order or depth itself. */
#ifndef HR_IO_CODEC_CODEC_H
#define HR_IO_CODEC_CODEC_H

#include <headrace/headrace.h>

struct hr_kernels;

static inline uint32_t hr__read_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t hr__read_be32(const uint8_t *p)
{
    return hr__read_be16(p) << 16 | hr__read_be16(p + 2);
}

/* ---- codec.c --------------------------------------------------------------------- */

/* Is the size sane and within the pixel limit? Codecs call it at the end of `header`. */
hr_status hr__image_check(const hr_image_info *info, hr_error *err);

/* ---- exif.c ---------------------------------------------------------------------- */

/* The orientation in a TIFF block, 1..8; 1 for a block that is damaged or says nothing. */
int hr__exif_orientation(const uint8_t *tiff, size_t size);

/* ---- orient.c -------------------------------------------------------------------- */

/* Pixel (x, y) of a stored region lands at origin + x*dx + y*dy of the upright one (in pixels). */
typedef struct hr__orient {
    int64_t origin, dx, dy;
} hr__orient;

/* For a stored region of w x h. */
hr__orient hr__orient_of(int orientation, int64_t w, int64_t h);
/* The stored region behind an upright one, in a stored picture of width x height. */
hr_rect hr__orient_region(int orientation, hr_rect upright, int64_t width, int64_t height);
/* Rows of stored pixels, packed, that hr__orient_place puts in their places. */
typedef struct hr__strip {
    const uint8_t *rows;
    int64_t y, n, w;   /* first row, rows, pixels a row */
    size_t pixel_size; /* bytes */
} hr__strip;

void hr__orient_place(uint8_t *dst, const hr__orient *o, const hr__strip *strip);

/* ---- rows.c: depth, colour model and orientation of decoded rows ----------------- */

enum { HR__STRIP_ROWS = 16 }; /* rows that hr__rows_put takes at most */
enum { HR__MAX_STEPS = 5 };

/* What a decoder hands in. */
typedef struct hr__rows_source {
    hr_image_type type; /* HR_GRAY, HR_RGB, HR_BGR: the first channels are of that model;
                           HR_ANY_DATA: as it shall go out */
    int channels;       /* 1..4; a gray of 2, an RGB of 4 channels has alpha last */
    hr_dtype dtype;     /* HR_U8 or HR_U16 */
} hr__rows_source;

typedef struct hr__rows {
    hr_rect region; /* in stored coordinates: what the decoder must deliver */
    hr__rows_source in;
    hr_dtype dtype; /* of the output */
    int channels;
    hr__orient orient;
    int is_plain; /* neither conversion nor turning: rows may be decoded in place */
    int n_steps;
    int steps[HR__MAX_STEPS];
    uint8_t *out, *strip, *temp[2];
    const struct hr_kernels *kernels;
} hr__rows;

/* Is `dtype` one that pictures are decoded to? HR_VALUE. */
hr_status hr__decode_dtype_check(hr_dtype dtype, hr_error *err);
/* Checks region and dtype of `options` against `info` and prepares the way from `in` to `out`. */
hr_status hr__rows_init(hr__rows *r, const hr_image_info *info, const hr_decode_options *options,
                        void *out, hr_error *err);
/* Then, when the decoder knows what it delivers: the conversion and its scratch. */
hr_status hr__rows_begin(hr__rows *r, const hr__rows_source *in, const hr_decode_options *options,
                         hr_arena *arena, hr_error *err);
/* Where row `y` of the region may be decoded to directly; only when is_plain. */
uint8_t *hr__rows_place(const hr__rows *r, int64_t y);
/* Takes `n` <= HR__STRIP_ROWS rows from `y` on, `stride` bytes apart. */
void hr__rows_put(hr__rows *r, int64_t y, int64_t n, const uint8_t *rows, size_t stride);

#endif
