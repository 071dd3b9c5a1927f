/* Vectors of int16 for the fixed-point resampler: the compiler does not find the rounding
 * high multiplication (one instruction on each architecture) in a plain loop whose weight is the
 * same for all elements. `hr_v16` holds HR_V16 numbers; sums saturate. */
#ifndef HR_KERNELS_RESAMPLE_VEC_H
#define HR_KERNELS_RESAMPLE_VEC_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__)
#include <immintrin.h>
enum { HR_V16 = 32 };
typedef __m512i hr_v16;
static inline hr_v16 v16_zero(void) { return _mm512_setzero_si512(); }
static inline hr_v16 v16_set1(int16_t a) { return _mm512_set1_epi16(a); }
static inline hr_v16 v16_load(const int16_t *p) { return _mm512_loadu_si512(p); }
static inline void v16_store(int16_t *p, hr_v16 a) { _mm512_storeu_si512(p, a); }
static inline hr_v16 v16_load_u8(const uint8_t *p)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}
static inline hr_v16 v16_add(hr_v16 a, hr_v16 b) { return _mm512_adds_epi16(a, b); }
static inline hr_v16 v16_mulhrs(hr_v16 a, hr_v16 b) { return _mm512_mulhrs_epi16(a, b); }
static inline hr_v16 v16_shl(hr_v16 a, int n)
{
    return _mm512_sll_epi16(a, _mm_cvtsi32_si128(n));
}
static inline hr_v16 v16_shr(hr_v16 a, int n)
{
    return _mm512_sra_epi16(a, _mm_cvtsi32_si128(n));
}
/* HR_V16 bytes, clamped to 0..255. */
static inline void v16_store_u8(uint8_t *p, hr_v16 a)
{
    a = _mm512_max_epi16(a, _mm512_setzero_si512());
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtusepi16_epi8(a));
}
static inline hr_v16 v16_lo16(hr_v16 a, hr_v16 b) { return _mm512_unpacklo_epi16(a, b); }
static inline hr_v16 v16_hi16(hr_v16 a, hr_v16 b) { return _mm512_unpackhi_epi16(a, b); }
static inline hr_v16 v16_lo32(hr_v16 a, hr_v16 b) { return _mm512_unpacklo_epi32(a, b); }
static inline hr_v16 v16_hi32(hr_v16 a, hr_v16 b) { return _mm512_unpackhi_epi32(a, b); }
/* 16 bytes from byte `at` of p[0], p[step], p[2 step], p[3 step]: the vector's parts. */
static inline __m128i v16_part(const char *p, int64_t at)
{
    return _mm_loadu_si128((const __m128i *)(p + at));
}
static inline hr_v16 v16_load_parts(const char *const *p, int64_t at, int step)
{
    hr_v16 a = _mm512_castsi128_si512(v16_part(p[0], at));
    a = _mm512_inserti32x4(a, v16_part(p[step], at), 1);
    a = _mm512_inserti32x4(a, v16_part(p[2 * step], at), 2);
    return _mm512_inserti32x4(a, v16_part(p[3 * step], at), 3);
}
static inline void v16_store_parts(char *const *p, int64_t at, int step, hr_v16 a)
{
    _mm_storeu_si128((__m128i *)(p[0] + at), _mm512_castsi512_si128(a));
    _mm_storeu_si128((__m128i *)(p[step] + at), _mm512_extracti32x4_epi32(a, 1));
    _mm_storeu_si128((__m128i *)(p[2 * step] + at), _mm512_extracti32x4_epi32(a, 2));
    _mm_storeu_si128((__m128i *)(p[3 * step] + at), _mm512_extracti32x4_epi32(a, 3));
}
#elif defined(__AVX2__)
#include <immintrin.h>
enum { HR_V16 = 16 };
typedef __m256i hr_v16;
static inline hr_v16 v16_zero(void) { return _mm256_setzero_si256(); }
static inline hr_v16 v16_set1(int16_t a) { return _mm256_set1_epi16(a); }
static inline hr_v16 v16_load(const int16_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}
static inline void v16_store(int16_t *p, hr_v16 a) { _mm256_storeu_si256((__m256i *)p, a); }
static inline hr_v16 v16_load_u8(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}
static inline hr_v16 v16_add(hr_v16 a, hr_v16 b) { return _mm256_adds_epi16(a, b); }
static inline hr_v16 v16_mulhrs(hr_v16 a, hr_v16 b) { return _mm256_mulhrs_epi16(a, b); }
static inline hr_v16 v16_shl(hr_v16 a, int n)
{
    return _mm256_sll_epi16(a, _mm_cvtsi32_si128(n));
}
static inline hr_v16 v16_shr(hr_v16 a, int n)
{
    return _mm256_sra_epi16(a, _mm_cvtsi32_si128(n));
}
static inline void v16_store_u8(uint8_t *p, hr_v16 a)
{
    __m128i lo = _mm256_castsi256_si128(a), hi = _mm256_extracti128_si256(a, 1);
    _mm_storeu_si128((__m128i *)p, _mm_packus_epi16(lo, hi));
}
static inline hr_v16 v16_lo16(hr_v16 a, hr_v16 b) { return _mm256_unpacklo_epi16(a, b); }
static inline hr_v16 v16_hi16(hr_v16 a, hr_v16 b) { return _mm256_unpackhi_epi16(a, b); }
static inline hr_v16 v16_lo32(hr_v16 a, hr_v16 b) { return _mm256_unpacklo_epi32(a, b); }
static inline hr_v16 v16_hi32(hr_v16 a, hr_v16 b) { return _mm256_unpackhi_epi32(a, b); }
/* 16 bytes from byte `at` of p[0] and p[step]: the vector's parts. */
static inline hr_v16 v16_load_parts(const char *const *p, int64_t at, int step)
{
    hr_v16 a = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p[0] + at)));
    __m128i b = _mm_loadu_si128((const __m128i *)(p[step] + at));
    return _mm256_inserti128_si256(a, b, 1);
}
static inline void v16_store_parts(char *const *p, int64_t at, int step, hr_v16 a)
{
    _mm_storeu_si128((__m128i *)(p[0] + at), _mm256_castsi256_si128(a));
    _mm_storeu_si128((__m128i *)(p[step] + at), _mm256_extracti128_si256(a, 1));
}
#elif defined(__SSE2__)
#include <emmintrin.h>
enum { HR_V16 = 8 };
typedef __m128i hr_v16;
static inline hr_v16 v16_zero(void) { return _mm_setzero_si128(); }
static inline hr_v16 v16_set1(int16_t a) { return _mm_set1_epi16(a); }
static inline hr_v16 v16_load(const int16_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void v16_store(int16_t *p, hr_v16 a) { _mm_storeu_si128((__m128i *)p, a); }
static inline hr_v16 v16_load_u8(const uint8_t *p)
{
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
static inline hr_v16 v16_add(hr_v16 a, hr_v16 b) { return _mm_adds_epi16(a, b); }
/* SSE2 has no rounding form: bits 15..30 of the product, plus bit 14. */
static inline hr_v16 v16_mulhrs(hr_v16 a, hr_v16 b)
{
    __m128i lo = _mm_mullo_epi16(a, b), hi = _mm_mulhi_epi16(a, b);
    __m128i up = _mm_srli_epi16(_mm_slli_epi16(lo, 1), 15);
    return _mm_add_epi16(_mm_or_si128(_mm_slli_epi16(hi, 1), _mm_srli_epi16(lo, 15)), up);
}
static inline hr_v16 v16_shl(hr_v16 a, int n)
{
    return _mm_sll_epi16(a, _mm_cvtsi32_si128(n));
}
static inline hr_v16 v16_shr(hr_v16 a, int n)
{
    return _mm_sra_epi16(a, _mm_cvtsi32_si128(n));
}
static inline void v16_store_u8(uint8_t *p, hr_v16 a)
{
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(a, a));
}
static inline hr_v16 v16_lo16(hr_v16 a, hr_v16 b) { return _mm_unpacklo_epi16(a, b); }
static inline hr_v16 v16_hi16(hr_v16 a, hr_v16 b) { return _mm_unpackhi_epi16(a, b); }
static inline hr_v16 v16_lo32(hr_v16 a, hr_v16 b) { return _mm_unpacklo_epi32(a, b); }
static inline hr_v16 v16_hi32(hr_v16 a, hr_v16 b) { return _mm_unpackhi_epi32(a, b); }
#elif defined(__ARM_NEON)
#include <arm_neon.h>
enum { HR_V16 = 8 };
typedef int16x8_t hr_v16;
static inline hr_v16 v16_zero(void) { return vdupq_n_s16(0); }
static inline hr_v16 v16_set1(int16_t a) { return vdupq_n_s16(a); }
static inline hr_v16 v16_load(const int16_t *p) { return vld1q_s16(p); }
static inline void v16_store(int16_t *p, hr_v16 a) { vst1q_s16(p, a); }
static inline hr_v16 v16_load_u8(const uint8_t *p)
{
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(p)));
}
static inline hr_v16 v16_add(hr_v16 a, hr_v16 b) { return vqaddq_s16(a, b); }
static inline hr_v16 v16_mulhrs(hr_v16 a, hr_v16 b) { return vqrdmulhq_s16(a, b); }
static inline hr_v16 v16_shl(hr_v16 a, int n) { return vshlq_s16(a, vdupq_n_s16((int16_t)n)); }
static inline hr_v16 v16_shr(hr_v16 a, int n) { return vshlq_s16(a, vdupq_n_s16((int16_t)-n)); }
static inline void v16_store_u8(uint8_t *p, hr_v16 a) { vst1_u8(p, vqmovun_s16(a)); }
static inline hr_v16 v16_lo16(hr_v16 a, hr_v16 b) { return vzip1q_s16(a, b); }
static inline hr_v16 v16_hi16(hr_v16 a, hr_v16 b) { return vzip2q_s16(a, b); }
static inline hr_v16 v16_lo32(hr_v16 a, hr_v16 b)
{
    return vreinterpretq_s16_s32(
        vzip1q_s32(vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(b)));
}
static inline hr_v16 v16_hi32(hr_v16 a, hr_v16 b)
{
    return vreinterpretq_s16_s32(
        vzip2q_s32(vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(b)));
}
#else
enum { HR_V16 = 8 };
typedef struct { int16_t e[8]; } hr_v16;
static inline hr_v16 v16_set1(int16_t a)
{
    hr_v16 v;
    for (int j = 0; j < 8; j++) v.e[j] = a;
    return v;
}
static inline hr_v16 v16_zero(void) { return v16_set1(0); }
static inline hr_v16 v16_load(const int16_t *p)
{
    hr_v16 v;
    memcpy(v.e, p, sizeof v.e);
    return v;
}
static inline void v16_store(int16_t *p, hr_v16 a) { memcpy(p, a.e, sizeof a.e); }
static inline hr_v16 v16_load_u8(const uint8_t *p)
{
    hr_v16 v;
    for (int j = 0; j < 8; j++) v.e[j] = p[j];
    return v;
}
static inline hr_v16 v16_add(hr_v16 a, hr_v16 b)
{
    for (int j = 0; j < 8; j++) {
        int v = a.e[j] + b.e[j];
        a.e[j] = (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
    }
    return a;
}
static inline hr_v16 v16_mulhrs(hr_v16 a, hr_v16 b)
{
    for (int j = 0; j < 8; j++) a.e[j] = (int16_t)((a.e[j] * b.e[j] + 0x4000) >> 15);
    return a;
}
static inline hr_v16 v16_shl(hr_v16 a, int n)
{
    for (int j = 0; j < 8; j++) a.e[j] = (int16_t)(uint16_t)((uint16_t)a.e[j] << n);
    return a;
}
static inline hr_v16 v16_shr(hr_v16 a, int n)
{
    for (int j = 0; j < 8; j++) a.e[j] = (int16_t)(a.e[j] >> n);
    return a;
}
static inline void v16_store_u8(uint8_t *p, hr_v16 a)
{
    for (int j = 0; j < 8; j++) p[j] = a.e[j] < 0 ? 0 : a.e[j] > 255 ? 255 : (uint8_t)a.e[j];
}
static inline hr_v16 v16_lo16(hr_v16 a, hr_v16 b)
{
    hr_v16 v;
    for (int j = 0; j < 4; j++) v.e[2 * j] = a.e[j], v.e[2 * j + 1] = b.e[j];
    return v;
}
static inline hr_v16 v16_hi16(hr_v16 a, hr_v16 b)
{
    hr_v16 v;
    for (int j = 0; j < 4; j++) v.e[2 * j] = a.e[4 + j], v.e[2 * j + 1] = b.e[4 + j];
    return v;
}
static inline hr_v16 v16_lo32(hr_v16 a, hr_v16 b)
{
    hr_v16 v = {{a.e[0], a.e[1], b.e[0], b.e[1], a.e[2], a.e[3], b.e[2], b.e[3]}};
    return v;
}
static inline hr_v16 v16_hi32(hr_v16 a, hr_v16 b)
{
    hr_v16 v = {{a.e[4], a.e[5], b.e[4], b.e[5], a.e[6], a.e[7], b.e[6], b.e[7]}};
    return v;
}
#endif

#if !defined(__AVX512BW__) && !defined(__AVX2__)
static inline hr_v16 v16_load_parts(const char *const *p, int64_t at, int step)
{
    (void)step;
    return v16_load((const int16_t *)(p[0] + at));
}
static inline void v16_store_parts(char *const *p, int64_t at, int step, hr_v16 a)
{
    (void)step;
    v16_store((int16_t *)(p[0] + at), a);
}
#endif

/* The parts of a vector: runs of 8 elements (16 bytes) that interleaves stay within. */
enum { HR_V16_PARTS = HR_V16 / 8 };

/* Bytes, for turning the result: 32 at a time where the machine can. */
#if defined(__AVX2__)
enum { HR_V8 = 32 };
typedef __m256i hr_v8;
static inline hr_v8 v8_load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline hr_v8 v8_lo8(hr_v8 a, hr_v8 b) { return _mm256_unpacklo_epi8(a, b); }
static inline hr_v8 v8_hi8(hr_v8 a, hr_v8 b) { return _mm256_unpackhi_epi8(a, b); }
/* 16 bytes to `lo`, 16 to `hi`. */
static inline void v8_store_parts(uint8_t *lo, uint8_t *hi, hr_v8 a)
{
    _mm_storeu_si128((__m128i *)lo, _mm256_castsi256_si128(a));
    _mm_storeu_si128((__m128i *)hi, _mm256_extracti128_si256(a, 1));
}
#elif defined(__SSE2__)
enum { HR_V8 = 16 };
typedef __m128i hr_v8;
static inline hr_v8 v8_load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline hr_v8 v8_lo8(hr_v8 a, hr_v8 b) { return _mm_unpacklo_epi8(a, b); }
static inline hr_v8 v8_hi8(hr_v8 a, hr_v8 b) { return _mm_unpackhi_epi8(a, b); }
static inline void v8_store(uint8_t *p, hr_v8 a) { _mm_storeu_si128((__m128i *)p, a); }
#elif defined(__ARM_NEON)
enum { HR_V8 = 16 };
typedef uint8x16_t hr_v8;
static inline hr_v8 v8_load(const uint8_t *p) { return vld1q_u8(p); }
static inline hr_v8 v8_lo8(hr_v8 a, hr_v8 b) { return vzip1q_u8(a, b); }
static inline hr_v8 v8_hi8(hr_v8 a, hr_v8 b) { return vzip2q_u8(a, b); }
static inline void v8_store(uint8_t *p, hr_v8 a) { vst1q_u8(p, a); }
#else
enum { HR_V8 = 16 };
typedef struct { uint8_t e[16]; } hr_v8;
static inline hr_v8 v8_load(const uint8_t *p)
{
    hr_v8 v;
    memcpy(v.e, p, 16);
    return v;
}
static inline hr_v8 v8_lo8(hr_v8 a, hr_v8 b)
{
    hr_v8 v;
    for (int j = 0; j < 8; j++) v.e[2 * j] = a.e[j], v.e[2 * j + 1] = b.e[j];
    return v;
}
static inline hr_v8 v8_hi8(hr_v8 a, hr_v8 b)
{
    hr_v8 v;
    for (int j = 0; j < 8; j++) v.e[2 * j] = a.e[8 + j], v.e[2 * j + 1] = b.e[8 + j];
    return v;
}
static inline void v8_store(uint8_t *p, hr_v8 a) { memcpy(p, a.e, 16); }
#endif

#endif
