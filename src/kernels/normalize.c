/* Rows of pixels: apart into planes, back together, and the affine map of normalisation.
 * The product and the sum are rounded apart (no fused multiply-add), so that bits are the same
 * at every CPU level. */
#include "kernels/kernels.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* ---- interleaved to planar ----------------------------------------------------------------- */

/* Pixels first..n-1; channels, size and mirror are constants where this is called. */
INLINE void split_plain(uint8_t *restrict dst, const uint8_t *restrict src, int64_t first,
                        const hr_lanes *l, int channels, int size)
{
    int64_t n = l->n;
    for (int c = 0; c < channels; c++) {
        uint8_t *restrict d = dst + c * n * size;
        const uint8_t *restrict s = src + c * size;
        if (l->mirror)
            for (int64_t i = first; i < n; i++)
                memcpy(d + (n - 1 - i) * size, s + i * channels * size, (size_t)size);
        else
            for (int64_t i = first; i < n; i++)
                memcpy(d + i * size, s + i * channels * size, (size_t)size);
    }
}

#if defined(__AVX2__)
/* Byte j of a plane's 16 comes from byte 3 j + c of the 48: one shuffle for each 16 of them.
 * The plain loop takes 12 times as long (gcc 12, AVX2). */
static int64_t split_u8x3(uint8_t *restrict dst, const uint8_t *restrict src, const hr_lanes *l)
{
    __m128i mask[3][3];
    for (int c = 0; c < 3; c++)
        for (int part = 0; part < 3; part++) {
            int8_t m[16];
            for (int j = 0; j < 16; j++) {
                int from = 3 * (l->mirror ? 15 - j : j) + c - 16 * part;
                m[j] = (int8_t)(from >= 0 && from < 16 ? from : -1);
            }
            mask[c][part] = _mm_loadu_si128((const __m128i *)(const void *)m);
        }
    int64_t i = 0;
    for (; i + 16 <= l->n; i += 16) {
        const __m128i *p = (const __m128i *)(const void *)(src + 3 * i);
        __m128i x = _mm_loadu_si128(p), y = _mm_loadu_si128(p + 1), z = _mm_loadu_si128(p + 2);
        int64_t at = l->mirror ? l->n - 16 - i : i;
        for (int c = 0; c < 3; c++) {
            __m128i v = _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(x, mask[c][0]),
                                                  _mm_shuffle_epi8(y, mask[c][1])),
                                     _mm_shuffle_epi8(z, mask[c][2]));
            _mm_storeu_si128((__m128i *)(void *)(dst + c * l->n + at), v);
        }
    }
    return i;
}
#endif

#define EACH_CHANNELS(f, size)                                                         \
    switch (l->channels) {                                                             \
    case 1: f(1, size); return;                                                        \
    case 2: f(2, size); return;                                                        \
    case 3: f(3, size); return;                                                        \
    case 4: f(4, size); return;                                                        \
    default: f(l->channels, size); return;                                             \
    }
#define EACH_SIZE(f)                                                                   \
    switch (l->size) {                                                                 \
    case 1: EACH_CHANNELS(f, 1)                                                        \
    case 2: EACH_CHANNELS(f, 2)                                                        \
    case 4: EACH_CHANNELS(f, 4)                                                        \
    default: EACH_CHANNELS(f, 8)                                                       \
    }

void HR_K(split)(void *restrict dst, const void *restrict src, const hr_lanes *l)
{
    int64_t first = 0;
#if defined(__AVX2__)
    if (l->channels == 3 && l->size == 1) first = split_u8x3(dst, src, l);
#endif
#define SPLIT(channels, size) split_plain(dst, src, first, l, channels, size)
    EACH_SIZE(SPLIT)
}

/* ---- planar to interleaved ----------------------------------------------------------------- */

INLINE void merge_plain(uint8_t *restrict dst, const uint8_t *restrict src, const hr_lanes *l,
                        int channels, int size)
{
    int64_t n = l->n;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = l->mirror ? n - 1 - i : i;
        for (int c = 0; c < channels; c++)
            memcpy(dst + (i * channels + c) * size, src + (c * n + from) * size, (size_t)size);
    }
}

void HR_K(merge)(void *restrict dst, const void *restrict src, const hr_lanes *l)
{
#define MERGE(channels, size) merge_plain(dst, src, l, channels, size)
    EACH_SIZE(MERGE)
}

/* ---- the affine map ------------------------------------------------------------------------ */

#define MAP(type)                                                                      \
    static void map_one_##type(float *restrict dst, const type *restrict src, int64_t n, \
                               const hr_affine *a)                                     \
    {                                                                                  \
        float mean = a->mean[0], mul = a->mul[0], add = a->add[0];                     \
        for (int64_t i = 0; i < n; i++) dst[i] = ((float)src[i] - mean) * mul + add;   \
    }                                                                                  \
    static void map_many_##type(float *restrict dst, const type *restrict src, int64_t n, \
                                const hr_affine *a)                                    \
    {                                                                                  \
        const float *restrict mean = a->mean, *restrict mul = a->mul,                  \
                              *restrict add = a->add;                                  \
        for (int64_t i = 0; i < n; i += a->period) {                                   \
            int64_t k = n - i < a->period ? n - i : a->period;                         \
            for (int64_t j = 0; j < k; j++)                                            \
                dst[i + j] = ((float)src[i + j] - mean[j]) * mul[j] + add[j];          \
        }                                                                              \
    }
MAP(uint8_t)
MAP(float)

void HR_K(affine)(float *restrict dst, const void *restrict src, hr_dtype from, int64_t n,
                  const hr_affine *a)
{
    if (a->period == 1) {
        if (from == HR_U8) map_one_uint8_t(dst, src, n, a);
        else map_one_float(dst, src, n, a);
    } else {
        if (from == HR_U8) map_many_uint8_t(dst, src, n, a);
        else map_many_float(dst, src, n, a);
    }
}
