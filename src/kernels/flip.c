/* Reversal of pixels: constant sizes become shuffles or plain vector loads and stores. */
#include "kernels/kernels.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define REVERSE_AS(type)                                                               \
    do {                                                                               \
        type *restrict d = (type *)(void *)dst;                                        \
        const type *restrict s = (const type *)(const void *)src;                      \
        for (int64_t i = 0; i < n; i++) d[i] = s[n - 1 - i];                           \
    } while (0)

/* Pixels of `k` bytes, k known to the compiler. */
static inline __attribute__((always_inline)) void
reverse_const(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < n; i++) memcpy(dst + i * k, src + (n - 1 - i) * k, (size_t)k);
}

/* RGB bytes: five pixels a shuffle. A load begins one byte before its pixels and a store ends one
 * byte after them, so one pixel more must follow. 6 times the plain loop (bench_kernels). */
static void reverse_rgb(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX2__)
    const __m128i order = _mm_setr_epi8(13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 0);
    for (; n - i >= 6; i += 5) {
        const uint8_t *from = src + (n - 5 - i) * 3 - 1;
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
        _mm_storeu_si128((__m128i *)(void *)(dst + i * 3), _mm_shuffle_epi8(v, order));
    }
#endif
    reverse_const(dst + i * 3, src, n - i, 3);
}

static int is_aligned(const void *a, const void *b, uintptr_t to)
{
    return (((uintptr_t)a | (uintptr_t)b) & (to - 1)) == 0;
}

void HR_K(reverse)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n, int64_t size)
{
    switch (size) {
    case 1: REVERSE_AS(uint8_t); return;
    case 2:
        if (is_aligned(dst, src, 2)) REVERSE_AS(uint16_t);
        else reverse_const(dst, src, n, 2);
        return;
    case 3: reverse_rgb(dst, src, n); return;
    case 4:
        if (is_aligned(dst, src, 4)) REVERSE_AS(uint32_t);
        else reverse_const(dst, src, n, 4);
        return;
    case 8: reverse_const(dst, src, n, 8); return;
    case 12: reverse_const(dst, src, n, 12); return;
    default: reverse_const(dst, src, n, size); return;
    }
}
