/* Colour models of uint8 pixels, bits as the peer's:
 *   gray    BT.601 weights in 15 fractional bits, rounded
 *   YCbCr   BT.601 in studio range (Y 16..235, Cb and Cr 16..240), float32, halves upwards
 * Pixels are taken apart into planes of a block, which the arithmetic then walks in vectors. */
#include "kernels/kernels.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 256 };

typedef struct planes {
    uint8_t v[3][BLOCK];
} planes;

INLINE void take_apart(planes *restrict p, const uint8_t *restrict src, int n)
{
    for (int i = 0; i < n; i++) p->v[0][i] = src[3 * i];
    for (int i = 0; i < n; i++) p->v[1][i] = src[3 * i + 1];
    for (int i = 0; i < n; i++) p->v[2][i] = src[3 * i + 2];
}

INLINE void put_together(uint8_t *restrict dst, const planes *restrict p, int n)
{
    for (int i = 0; i < n; i++) {
        dst[3 * i] = p->v[0][i];
        dst[3 * i + 1] = p->v[1][i];
        dst[3 * i + 2] = p->v[2][i];
    }
}

/* Halves upwards, clamped. */
INLINE uint8_t round_level(float v)
{
    v = v > 0 ? v : 0;
    v = v < 255 ? v : 255;
    return (uint8_t)(int32_t)(v + 0.5f);
}

/* The weights add up to 2^15. */
enum { GRAY_R = 9798, GRAY_G = 19235, GRAY_B = 3735, GRAY_HALF = 1 << 14, GRAY_SHIFT = 15 };

INLINE void gray_block(uint8_t *restrict dst, const uint8_t *restrict src, int red, int n)
{
    planes p;
    take_apart(&p, src, n);
    const uint8_t *restrict r = p.v[red], *restrict g = p.v[1], *restrict b = p.v[2 - red];
    for (int i = 0; i < n; i++)
        dst[i] = (uint8_t)((GRAY_R * (uint32_t)r[i] + GRAY_G * (uint32_t)g[i] +
                            GRAY_B * (uint32_t)b[i] + GRAY_HALF) >> GRAY_SHIFT);
}

INLINE void to_ycbcr_block(uint8_t *restrict dst, const uint8_t *restrict src, int red, int n)
{
    planes p, q;
    take_apart(&p, src, n);
    const uint8_t *restrict r = p.v[red], *restrict g = p.v[1], *restrict b = p.v[2 - red];
    for (int i = 0; i < n; i++) {
        float x = r[i], y = g[i], z = b[i];
        q.v[0][i] = round_level(x * 0.25678823529f + y * 0.50412941176f + z * 0.09790588235f + 16);
        q.v[1][i] = round_level(x * -0.14822289945f + y * -0.29099278682f +
                                z * 0.43921568627f + 128);
        q.v[2][i] = round_level(x * 0.43921568627f + y * -0.36778831435f +
                                z * -0.07142737192f + 128);
    }
    put_together(dst, &q, n);
}

INLINE void from_ycbcr_block(uint8_t *restrict dst, const uint8_t *restrict src, int red, int n)
{
    planes p, q;
    take_apart(&p, src, n);
    uint8_t *restrict r = q.v[red], *restrict g = q.v[1], *restrict b = q.v[2 - red];
    for (int i = 0; i < n; i++) {
        float y = ((float)p.v[0][i] - 16) * 1.16438356f;
        float cb = (float)p.v[1][i] - 128, cr = (float)p.v[2][i] - 128;
        r[i] = round_level(y + 1.59602678f * cr);
        g[i] = round_level(y - 0.39176229f * cb - 0.81296764f * cr);
        b[i] = round_level(y + 2.01723214f * cb);
    }
    put_together(dst, &q, n);
}

#define EACH_BLOCK(f, from, to)                                                        \
    for (int64_t i = 0; i < n; i += BLOCK) {                                           \
        int k = n - i < BLOCK ? (int)(n - i) : BLOCK;                                  \
        uint8_t *d = dst + (to) * i;                                                   \
        const uint8_t *s = src + (from) * i;                                           \
        if (red) f(d, s, 2, k);                                                        \
        else f(d, s, 0, k);                                                            \
    }

void HR_K(colour_gray)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n, int red)
{
    EACH_BLOCK(gray_block, 3, 1)
}

void HR_K(colour_to_ycbcr)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n, int red)
{
    EACH_BLOCK(to_ycbcr_block, 3, 3)
}

void HR_K(colour_from_ycbcr)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n,
                             int red)
{
    EACH_BLOCK(from_ycbcr_block, 3, 3)
}

void HR_K(colour_gray_to_ycbcr)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        dst[3 * i] = round_level((float)src[i] * (219.0f / 255.0f) + 16);
        dst[3 * i + 1] = 128;
        dst[3 * i + 2] = 128;
    }
}

void HR_K(colour_luma_to_gray)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dst[i] = round_level(((float)src[3 * i] - 16) * (255.0f / 219.0f));
}
