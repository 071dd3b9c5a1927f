/* Stored TIFF samples to pixels: bits, planes, inverted gray, inks, palettes. */
#include <string.h>

#include "io/codec/tiff.h"

static void unpack_bits(uint8_t *out, const uint8_t *in, int64_t x, int64_t n, int bits)
{
    int mask = (1 << bits) - 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t bit = (x + i) * bits;
        out[i] = (uint8_t)(in[bit >> 3] >> (8 - bits - (int)(bit & 7)) & mask);
    }
}

void hr__tiff_unpack(const hr__tiff_kind *k, uint8_t *out, const uint8_t *in, int64_t x, int64_t n,
                     int s)
{
    if (k->bits < 8) {
        unpack_bits(out, in, x, n, k->bits);
    } else if (k->planar == PLANARCONFIG_CONTIG || k->samples == 1) {
        memcpy(out, in + (size_t)x * k->pixel, (size_t)n * k->pixel);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(out + (size_t)i * k->pixel + (size_t)s * k->sample,
                   in + (size_t)(x + i) * k->sample, k->sample);
    }
}

static void convert_gray(const hr__tiff_kind *k, uint8_t *p, int64_t n)
{
    int step = k->samples, is_white = k->photometric == PHOTOMETRIC_MINISWHITE;
    if (k->bits == 16) {
        uint16_t *q = (uint16_t *)(void *)p;
        for (int64_t i = 0; is_white && i < n; i++) q[i * step] = (uint16_t)(65535 - q[i * step]);
        return;
    }
    int top = (1 << k->bits) - 1, scale = 255 / top;
    for (int64_t i = 0; (is_white || scale > 1) && i < n; i++)
        p[i * step] = (uint8_t)((is_white ? top - p[i * step] : p[i * step]) * scale);
}

/* Full value is full ink; red is (1 - cyan) * (1 - black), cut off as for JPEG. */
static void mix_inks(const hr__tiff_kind *k, uint8_t *out, const uint8_t *p, int64_t n)
{
    if (k->bits == 16) {
        const uint16_t *q = (const uint16_t *)(const void *)p;
        uint16_t *to = (uint16_t *)(void *)out;
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                to[3 * i + c] = (uint16_t)((uint64_t)(65535u - q[4 * i + c]) *
                                           (65535u - q[4 * i + 3]) / 65535u);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = (uint8_t)((255u - p[4 * i + c]) * (255u - p[4 * i + 3]) / 255u);
}

static void look_up(const hr__tiff_kind *k, uint8_t *out, const uint8_t *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) out[3 * i + c] = (uint8_t)(k->map[c][p[i]] >> k->map_shift);
}

const uint8_t *hr__tiff_convert(const hr__tiff_kind *k, hr_image_type type, uint8_t *row,
                                uint8_t *pixels, int64_t n)
{
    if (hr__tiff_is_gray(k)) convert_gray(k, pixels, n);
    if (k->photometric == PHOTOMETRIC_PALETTE) look_up(k, row, pixels, n);
    else if (k->photometric == PHOTOMETRIC_SEPARATED && type != HR_ANY_DATA)
        mix_inks(k, row, pixels, n);
    else return pixels;
    return row;
}
