/* What the files of the TIFF codec share: a file in memory and how its pixels are stored. */
#ifndef HR_IO_CODEC_TIFF_H
#define HR_IO_CODEC_TIFF_H

#include <tiffio.h>

#include "io/codec/codec.h"

/* The file, as libtiff reads it. */
typedef struct hr__tiff_view {
    const uint8_t *data;
    size_t size, at;
    char text[200]; /* libtiff's first complaint */
} hr__tiff_view;

/* How pixels are stored. */
typedef struct hr__tiff_kind {
    uint32_t w, h;
    uint16_t bits, samples, photometric, planar, compression;
    int is_tiled;
    int is_foreign; /* to be converted by libtiff's RGBA interface */
    uint32_t piece_w, piece_h; /* of a tile or strip */
    size_t sample, pixel;      /* bytes of a sample, and of all of them, unpacked */
    uint16_t *map[3]; /* palette */
    int map_shift;    /* of its values, to 8 bits */
} hr__tiff_kind;

static inline int hr__tiff_is_gray(const hr__tiff_kind *k)
{
    return k->photometric == PHOTOMETRIC_MINISBLACK || k->photometric == PHOTOMETRIC_MINISWHITE;
}

/* ---- tiff_file.c ------------------------------------------------------------------- */

/* NULL where it is no TIFF; hr__tiff_fail knows why. For TIFFClose. */
TIFF *hr__tiff_open(hr__tiff_view *v);
/* HR_DATA with libtiff's complaint. */
hr_status hr__tiff_fail(const hr__tiff_view *v, const char *what, hr_error *err);
/* HR_UNSUPPORTED, with the tag's number, for what this build does not decode. */
hr_status hr__tiff_read_kind(TIFF *t, hr__tiff_kind *k, hr_error *err);
void hr__tiff_fill_info(TIFF *t, const hr__tiff_kind *k, hr_image_info *info);

/* ---- tiff_pixels.c ----------------------------------------------------------------- */

/* Pixels x..x+n of a stored row become pixels at `out`; of separate planes, sample `s` of them. */
void hr__tiff_unpack(const hr__tiff_kind *k, uint8_t *out, const uint8_t *in, int64_t x, int64_t n,
                     int s);
/* Unpacked pixels as gray, RGB or, for HR_ANY_DATA, inks; in place or in `row`. Returns where. */
const uint8_t *hr__tiff_convert(const hr__tiff_kind *k, hr_image_type type, uint8_t *row,
                                uint8_t *pixels, int64_t n);

#endif
