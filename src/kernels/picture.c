/* Colour model and depth of decoded pixels. `size` is the bytes of a stored sample: 1 or 2, full
 * range 255 or 65535. Gray and YCbCr follow the peer's bits:
 *   gray   the BT.601 weights in 15 fractional bits; 8-bit samples cut off, 16-bit ones rounded
 *   YCbCr  BT.601 in studio range (Y 16..235, Cb and Cr 16..240 of 255)
 *   depth  value / full range * the new type's maximum, halves upwards */
#include "kernels/kernels.h"

#define RGB_LOOP(T, STEP, G, B)                                                        \
    do {                                                                               \
        const T *restrict s = src;                                                     \
        T *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            d[3 * i] = s[STEP * i];                                                    \
            d[3 * i + 1] = s[STEP * i + G];                                            \
            d[3 * i + 2] = s[STEP * i + B];                                            \
        }                                                                              \
    } while (0)

#define RGB_SWITCH(T)                                                                  \
    switch (channels) {                                                                \
    case 1: RGB_LOOP(T, 1, 0, 0); break;                                               \
    case 2: RGB_LOOP(T, 2, 0, 0); break;                                               \
    default: RGB_LOOP(T, 4, 1, 2); break;                                              \
    }

void HR_K(picture_rgb)(void *restrict dst, const void *restrict src, int64_t n, int channels,
                       int64_t size)
{
    if (size == 1) RGB_SWITCH(uint8_t)
    else RGB_SWITCH(uint16_t)
}

#define FIRST_LOOP(T)                                                                  \
    do {                                                                               \
        const T *restrict s = src;                                                     \
        T *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) d[i] = s[channels * i];                        \
    } while (0)

void HR_K(picture_first)(void *restrict dst, const void *restrict src, int64_t n, int channels,
                         int64_t size)
{
    if (size == 1) FIRST_LOOP(uint8_t);
    else FIRST_LOOP(uint16_t);
}

#define SWAP_LOOP(T)                                                                   \
    do {                                                                               \
        const T *restrict s = src;                                                     \
        T *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            d[3 * i] = s[3 * i + 2];                                                   \
            d[3 * i + 1] = s[3 * i + 1];                                               \
            d[3 * i + 2] = s[3 * i];                                                   \
        }                                                                              \
    } while (0)

void HR_K(picture_swap)(void *restrict dst, const void *restrict src, int64_t n, int64_t size)
{
    if (size == 1) SWAP_LOOP(uint8_t);
    else SWAP_LOOP(uint16_t);
}

/* The weights add up to 2^15, so gray pixels keep their value. */
enum { GRAY_R = 9797, GRAY_G = 19234, GRAY_B = 3737, GRAY_SHIFT = 15 };

#define GRAY_LOOP(T, HALF)                                                             \
    do {                                                                               \
        const T *restrict s = src;                                                     \
        T *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++)                                                \
            d[i] = (T)((GRAY_R * (uint32_t)s[3 * i] + GRAY_G * (uint32_t)s[3 * i + 1] + \
                        GRAY_B * (uint32_t)s[3 * i + 2] + (HALF)) >> GRAY_SHIFT);      \
    } while (0)

void HR_K(picture_gray)(void *restrict dst, const void *restrict src, int64_t n, int64_t size)
{
    if (size == 1) GRAY_LOOP(uint8_t, 0u);
    else GRAY_LOOP(uint16_t, 1u << (GRAY_SHIFT - 1));
}

/* Largest value of an integer type that decoding can give; 1 for reals. */
static inline double maximum_of(hr_dtype d)
{
    switch (d) {
    case HR_U8: return 255.0;
    case HR_I8: return 127.0;
    case HR_U16: return 65535.0;
    case HR_I16: return 32767.0;
    case HR_U32: return 4294967295.0;
    case HR_I32: return 2147483647.0;
    default: return 1.0;
    }
}

/* Halves upwards; adding one half first would be wrong above 2^23, where it is rounded itself. */
static inline int32_t round_small(float v)
{
    int32_t whole = (int32_t)v;
    return whole + (v - (float)whole >= 0.5f);
}

static inline int64_t round_large(float v)
{
    int64_t whole = (int64_t)v;
    return whole + (v - (float)whole >= 0.5f);
}

#define DEPTH_SMALL(S, D)                                                              \
    do {                                                                               \
        const S *restrict s = src;                                                     \
        D *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) d[i] = (D)round_small((float)s[i] * unit * top); \
    } while (0)

#define DEPTH_LARGE(S, D, MAX)                                                         \
    do {                                                                               \
        const S *restrict s = src;                                                     \
        D *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            int64_t v = round_large((float)s[i] * unit * top);                         \
            d[i] = (D)(v > (int64_t)(MAX) ? (int64_t)(MAX) : v);                       \
        }                                                                              \
    } while (0)

#define DEPTH_FLOAT(S)                                                                 \
    do {                                                                               \
        const S *restrict s = src;                                                     \
        float *restrict d = dst;                                                       \
        for (int64_t i = 0; i < n; i++) d[i] = (float)s[i] * unit;                     \
    } while (0)

#define DEPTH_SWITCH(S)                                                                \
    switch (to) {                                                                      \
    case HR_U8: DEPTH_SMALL(S, uint8_t); break;                                        \
    case HR_I8: DEPTH_SMALL(S, int8_t); break;                                         \
    case HR_U16: DEPTH_SMALL(S, uint16_t); break;                                      \
    case HR_I16: DEPTH_SMALL(S, int16_t); break;                                       \
    case HR_U32: DEPTH_LARGE(S, uint32_t, UINT32_MAX); break;                          \
    case HR_I32: DEPTH_LARGE(S, int32_t, INT32_MAX); break;                            \
    default: DEPTH_FLOAT(S); break;                                                    \
    }

void HR_K(picture_depth)(hr_dtype to, void *restrict dst, const void *restrict src, int64_t n,
                         int64_t size)
{
    float unit = size == 1 ? 1.0f / 255.0f : 1.0f / 65535.0f, top = (float)maximum_of(to);
    if (size == 1) DEPTH_SWITCH(uint8_t)
    else DEPTH_SWITCH(uint16_t)
}

/* Rows of the BT.601 matrix for full-range RGB to studio-range YCbCr. */
static const double ycbcr_matrix[3][3] = {
    {0.25678823529, 0.50412941176, 0.09790588235},
    {-0.14822289945, -0.29099278682, 0.43921568627},
    {0.43921568627, -0.36778831435, -0.07142737192},
};

typedef struct ycbcr_weights {
    float m[3][3], bias[3];
} ycbcr_weights;

/* The type's own zero level is at 1/16 (Y) and 1/2 of its range, of the power of two for integers:
 * 16 and 128 in uint8. */
static ycbcr_weights weights_for(hr_dtype to, int64_t size)
{
    ycbcr_weights w;
    double top = maximum_of(to), range = top > 1.0 ? top + 1.0 : 1.0;
    float scale = (float)(top / (size == 1 ? 255.0 : 65535.0));
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) w.m[k][c] = (float)ycbcr_matrix[k][c] * scale;
        w.bias[k] = (float)((k == 0 ? 0.0625 : 0.5) * range);
    }
    return w;
}

#define YCBCR_LOOP(S, D, ROUND)                                                        \
    do {                                                                               \
        const S *restrict s = src;                                                     \
        D *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++)                                                \
            for (int k = 0; k < 3; k++) {                                              \
                float v = (float)s[3 * i] * w.m[k][0] + (float)s[3 * i + 1] * w.m[k][1] + \
                          (float)s[3 * i + 2] * w.m[k][2] + w.bias[k];                 \
                d[3 * i + k] = (D)ROUND(v);                                            \
            }                                                                          \
    } while (0)

#define YCBCR_SWITCH(S)                                                                \
    switch (to) {                                                                      \
    case HR_U8: YCBCR_LOOP(S, uint8_t, round_small); break;                            \
    case HR_I8: YCBCR_LOOP(S, int8_t, round_small); break;                             \
    case HR_U16: YCBCR_LOOP(S, uint16_t, round_small); break;                          \
    case HR_I16: YCBCR_LOOP(S, int16_t, round_small); break;                           \
    case HR_U32: YCBCR_LOOP(S, uint32_t, round_large); break;                          \
    case HR_I32: YCBCR_LOOP(S, int32_t, round_large); break;                           \
    default: YCBCR_LOOP(S, float, ); break;                                            \
    }

void HR_K(picture_ycbcr)(hr_dtype to, void *restrict dst, const void *restrict src, int64_t n,
                         int64_t size)
{
    const ycbcr_weights w = weights_for(to, size);
    if (size == 1) YCBCR_SWITCH(uint8_t)
    else YCBCR_SWITCH(uint16_t)
}
