/* Element conversion for every pair of dtypes. Invariant: bits are the same at every CPU level.
 *
 * Rules (asked of the peer's `cast`): real to integer rounds halves away from zero and clamps,
 * NaN gives 0; integer to integer clamps; a real is true unless it rounds to zero; float16 is
 * made from float32, halves away from zero. bfloat16 rounds halves to even, as elsewhere.
 * float16 and bfloat16 go by way of float32, in blocks that stay in the first-level cache. */
#include "kernels/kernels.h"
#include "kernels/short_types.h"

#include <math.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

typedef uint8_t b8; /* bool: any non-zero byte is true */

typedef void (*convert_fn)(void *restrict dst, const void *restrict src, size_t n);

#define LOOP(S, T, EXPR)                                                               \
    static void S##_to_##T(void *restrict dst, const void *restrict src, size_t n)     \
    {                                                                                  \
        T *restrict d = dst;                                                           \
        const S *restrict s = src;                                                     \
        for (size_t i = 0; i < n; i++) {                                               \
            S x = s[i];                                                                \
            d[i] = EXPR;                                                               \
        }                                                                              \
    }

/* ---- integer to integer ---------------------------------------------------------- */

enum { BITS_u8 = 8, BITS_u16 = 16, BITS_u32 = 32, BITS_u64 = 64,
       BITS_i8 = 7, BITS_i16 = 15, BITS_i32 = 31, BITS_i64 = 63 }; /* without the sign */
#define MAX_u8 UINT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_u64 UINT64_MAX
#define MAX_i8 INT8_MAX
#define MAX_i16 INT16_MAX
#define MAX_i32 INT32_MAX
#define MAX_i64 INT64_MAX
#define MIN_u8 0
#define MIN_u16 0
#define MIN_u32 0
#define MIN_u64 0
#define MIN_i8 INT8_MIN
#define MIN_i16 INT16_MIN
#define MIN_i32 INT32_MIN
#define MIN_i64 INT64_MIN

#define LESSER_AND_GREATER(S)                                                          \
    static inline S S##_lesser(S a, S b) { return a < b ? a : b; }                     \
    static inline S S##_greater(S a, S b) { return a > b ? a : b; }
LESSER_AND_GREATER(u8)
LESSER_AND_GREATER(u16)
LESSER_AND_GREATER(u32)
LESSER_AND_GREATER(u64)
LESSER_AND_GREATER(i8)
LESSER_AND_GREATER(i16)
LESSER_AND_GREATER(i32)
LESSER_AND_GREATER(i64)

/* The conditions are constants: only a bound that can be passed is compared. */
#define CLAMP_TOP(S, T, x) (BITS_##S > BITS_##T ? S##_lesser(x, (S)MAX_##T) : (x))
#define CLAMP_BOTTOM(S, T, x)                                                          \
    (BITS_##S > BITS_##T || MIN_##T == 0 ? S##_greater(x, (S)MIN_##T) : (x))
#define FROM_UNSIGNED(S, T) LOOP(S, T, (T)CLAMP_TOP(S, T, x))
#define FROM_SIGNED(S, T) LOOP(S, T, (T)CLAMP_TOP(S, T, CLAMP_BOTTOM(S, T, x)))

/* ---- real to integer ------------------------------------------------------------- */

/* Adding the number just below one half, with the sign of x, and cutting off the fraction
 * rounds halves away from zero for every x. */
#define BELOW_HALF_f32 0x1.fffffep-2f
#define BELOW_HALF_f64 0x1.fffffffffffffp-2
#define SIGNED_HALF_f32(x) copysignf(BELOW_HALF_f32, x)
#define SIGNED_HALF_f64(x) copysign(BELOW_HALF_f64, x)

/* Comparisons are written so that NaN falls to the second branch. */
#define REAL_TO_UNSIGNED(S, T)                                                         \
    static inline T S##_round_##T(S x)                                                 \
    {                                                                                  \
        S y = x > 0 ? x : 0;                                                           \
        y = y < (S)MAX_##T ? y : (S)MAX_##T;                                           \
        return (T)(i32)(y + BELOW_HALF_##S);                                           \
    }                                                                                  \
    LOOP(S, T, S##_round_##T(x))
#define REAL_TO_SIGNED(S, T)                                                           \
    static inline T S##_round_##T(S x)                                                 \
    {                                                                                  \
        S y = x == x ? x : 0;                                                          \
        y = y > (S)MIN_##T ? y : (S)MIN_##T;                                           \
        y = y < (S)MAX_##T ? y : (S)MAX_##T;                                           \
        return (T)(i32)(y + SIGNED_HALF_##S(y));                                       \
    }                                                                                  \
    LOOP(S, T, S##_round_##T(x))

REAL_TO_UNSIGNED(f32, u8)
REAL_TO_UNSIGNED(f32, u16)
REAL_TO_SIGNED(f32, i8)
REAL_TO_SIGNED(f32, i16)
REAL_TO_UNSIGNED(f64, u8)
REAL_TO_UNSIGNED(f64, u16)
REAL_TO_SIGNED(f64, i8)
REAL_TO_SIGNED(f64, i16)
REAL_TO_SIGNED(f64, i32)

/* The largest float32 below 2^31; nothing at or above it has a fraction. */
#define F32_BELOW_2_31 0x1.fffffep30f

static inline i32 f32_round_i32(f32 x)
{
    f32 y = x == x ? x : 0;
    y = y > -0x1p31f ? y : -0x1p31f;
    y = y < F32_BELOW_2_31 ? y : F32_BELOW_2_31;
    i32 r = (i32)(y + SIGNED_HALF_f32(y));
    return x >= 0x1p31f ? INT32_MAX : r;
}
LOOP(f32, i32, f32_round_i32(x))

static inline u32 f32_round_u32(f32 x)
{
    f32 y = x > 0 ? x : 0;
    y = y < 0x1.fffffep31f ? y : 0x1.fffffep31f;
    y += BELOW_HALF_f32;
    f32 low = y >= 0x1p31f ? y - 0x1p31f : y;
    u32 r = (u32)(i32)low + (y >= 0x1p31f ? 0x80000000u : 0);
    return x >= 0x1p32f ? UINT32_MAX : r;
}
LOOP(f32, u32, f32_round_u32(x))

static inline u32 f64_round_u32(f64 x)
{
    f64 y = x > 0 ? x : 0;
    y = y < 0x1.fffffffep31 ? y : 0x1.fffffffep31;
    return (u32)(i64)(y + BELOW_HALF_f64);
}
LOOP(f64, u32, f64_round_u32(x))

static inline i64 f64_round_i64(f64 x)
{
    f64 y = x == x ? x : 0;
    y = y > -0x1p63 ? y : -0x1p63;
    y = y < 0x1.fffffffffffffp62 ? y : 0x1.fffffffffffffp62;
    i64 r = (i64)(y + SIGNED_HALF_f64(y));
    return x >= 0x1p63 ? INT64_MAX : r;
}
LOOP(f64, i64, f64_round_i64(x))

static inline u64 f64_round_u64(f64 x)
{
    f64 y = x > 0 ? x : 0;
    y = y < 0x1.fffffffffffffp63 ? y : 0x1.fffffffffffffp63;
    y += BELOW_HALF_f64;
    f64 low = y >= 0x1p63 ? y - 0x1p63 : y;
    u64 r = (u64)(i64)low + (y >= 0x1p63 ? UINT64_C(1) << 63 : 0);
    return x >= 0x1p64 ? UINT64_MAX : r;
}
LOOP(f64, u64, f64_round_u64(x))

LOOP(f32, i64, f64_round_i64((f64)x))
LOOP(f32, u64, f64_round_u64((f64)x))

/* ---- the other direction, reals among themselves, bool --------------------------- */

#define PLAIN(S, T) LOOP(S, T, (T)x)
#define FROM_BOOL(S, T) LOOP(S, T, (T)(x != 0))
#define INT_TO_BOOL(S) LOOP(S, b8, x != 0)
#define REAL_TO_BOOL(S) LOOP(S, b8, !(x < (S)0.5 && x > (S)-0.5))

#define EACH_INT(X, S)                                                                 \
    X(S, u8) X(S, u16) X(S, u32) X(S, u64) X(S, i8) X(S, i16) X(S, i32) X(S, i64)

FROM_UNSIGNED(u8, u16)
FROM_UNSIGNED(u8, u32)
FROM_UNSIGNED(u8, u64)
FROM_UNSIGNED(u8, i8)
FROM_UNSIGNED(u8, i16)
FROM_UNSIGNED(u8, i32)
FROM_UNSIGNED(u8, i64)
FROM_UNSIGNED(u16, u8)
FROM_UNSIGNED(u16, u32)
FROM_UNSIGNED(u16, u64)
FROM_UNSIGNED(u16, i8)
FROM_UNSIGNED(u16, i16)
FROM_UNSIGNED(u16, i32)
FROM_UNSIGNED(u16, i64)
FROM_UNSIGNED(u32, u8)
FROM_UNSIGNED(u32, u16)
FROM_UNSIGNED(u32, u64)
FROM_UNSIGNED(u32, i8)
FROM_UNSIGNED(u32, i16)
FROM_UNSIGNED(u32, i32)
FROM_UNSIGNED(u32, i64)
FROM_UNSIGNED(u64, u8)
FROM_UNSIGNED(u64, u16)
FROM_UNSIGNED(u64, u32)
FROM_UNSIGNED(u64, i8)
FROM_UNSIGNED(u64, i16)
FROM_UNSIGNED(u64, i32)
FROM_UNSIGNED(u64, i64)
FROM_SIGNED(i8, u8)
FROM_SIGNED(i8, u16)
FROM_SIGNED(i8, u32)
FROM_SIGNED(i8, u64)
FROM_SIGNED(i8, i16)
FROM_SIGNED(i8, i32)
FROM_SIGNED(i8, i64)
FROM_SIGNED(i16, u8)
FROM_SIGNED(i16, u16)
FROM_SIGNED(i16, u32)
FROM_SIGNED(i16, u64)
FROM_SIGNED(i16, i8)
FROM_SIGNED(i16, i32)
FROM_SIGNED(i16, i64)
FROM_SIGNED(i32, u8)
FROM_SIGNED(i32, u16)
FROM_SIGNED(i32, u32)
FROM_SIGNED(i32, u64)
FROM_SIGNED(i32, i8)
FROM_SIGNED(i32, i16)
FROM_SIGNED(i32, i64)
FROM_SIGNED(i64, u8)
FROM_SIGNED(i64, u16)
FROM_SIGNED(i64, u32)
FROM_SIGNED(i64, u64)
FROM_SIGNED(i64, i8)
FROM_SIGNED(i64, i16)
FROM_SIGNED(i64, i32)

#define TO_REAL_AND_BOOL(S) PLAIN(S, f32) PLAIN(S, f64) INT_TO_BOOL(S)
TO_REAL_AND_BOOL(u8)
TO_REAL_AND_BOOL(u16)
TO_REAL_AND_BOOL(u32)
TO_REAL_AND_BOOL(u64)
TO_REAL_AND_BOOL(i8)
TO_REAL_AND_BOOL(i16)
TO_REAL_AND_BOOL(i32)
TO_REAL_AND_BOOL(i64)
PLAIN(f32, f64)
PLAIN(f64, f32)
REAL_TO_BOOL(f32)
REAL_TO_BOOL(f64)
EACH_INT(FROM_BOOL, b8)
FROM_BOOL(b8, f32)
FROM_BOOL(b8, f64)

/* ---- the two short floats -------------------------------------------------------- */

static inline u32 bits_of(f32 x)
{
    u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline f32 of_bits(u32 u)
{
    f32 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline u16 half_of(f32 x)
{
    u32 u = bits_of(x), a = u & 0x7fffffffu;
    /* Below 2^-14 a half counts units of 2^-24. */
    u32 tiny = (u32)(i32)(of_bits(a < 0x38800000u ? a : 0) * 0x1p24f + BELOW_HALF_f32);
    u32 h = (a + 0x1000u - 0x38000000u) >> 13;
    h = a < 0x38800000u ? tiny : h;
    h = a >= 0x477ff000u ? 0x7c00u : h;
    h = a > 0x7f800000u ? (0x7e00u | ((a >> 13) & 0x3ffu)) : h;
    return (u16)(h | ((u >> 16) & 0x8000u));
}

static inline f32 of_half(u16 h)
{
    u32 a = h & 0x7fffu;
    /* Shifted into place, the number is too small by 2^112; numbers below 2^-14 come out right
     * by the same product, infinities and NaN need their exponent. */
    u32 u = bits_of(of_bits(a << 13) * 0x1p112f);
    u32 special = 0x7f800000u | (a << 13) | (a > 0x7c00u ? 0x400000u : 0);
    u = a >= 0x7c00u ? special : u;
    return of_bits(u | ((u32)(h & 0x8000u) << 16));
}

/* The instructions for float16 are 5.6 (to) and 9 (from) times as fast as the loops (gcc 12, AVX2). */
static void f32_to_f16(void *restrict dst, const void *restrict src, size_t n)
{
    u16 *restrict d = dst;
    const f32 *restrict s = src;
    size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        __m512i u = _mm512_loadu_si512((const void *)(s + i));
        __mmask16 finite = _mm512_cmpneq_epi32_mask(
            _mm512_and_si512(u, _mm512_set1_epi32(0x7fffffff)), _mm512_set1_epi32(0x7f800000));
        u = _mm512_mask_or_epi32(u, finite, u, _mm512_set1_epi32(1));
        _mm256_storeu_si256((__m256i *)(void *)(d + i),
                            _mm512_cvtps_ph(_mm512_castsi512_ps(u), _MM_FROUND_TO_NEAREST_INT));
    }
#endif
#if defined(__F16C__) && defined(__AVX2__)
    /* The hardware rounds halves to even; the lowest bit, set, turns a half into a little more
     * and changes nothing else (an infinity, which it would make NaN, is left alone). */
    for (; i + 8 <= n; i += 8) {
        __m256i u = _mm256_loadu_si256((const __m256i *)(const void *)(s + i));
        __m256i inf = _mm256_cmpeq_epi32(_mm256_and_si256(u, _mm256_set1_epi32(0x7fffffff)),
                                         _mm256_set1_epi32(0x7f800000));
        u = _mm256_or_si256(u, _mm256_andnot_si256(inf, _mm256_set1_epi32(1)));
        _mm_storeu_si128((__m128i *)(void *)(d + i),
                         _mm256_cvtps_ph(_mm256_castsi256_ps(u), _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < n; i++) d[i] = half_of(s[i]);
}

static void f16_to_f32(void *restrict dst, const void *restrict src, size_t n)
{
    f32 *restrict d = dst;
    const u16 *restrict s = src;
    size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(d + i,
                         _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(s + i))));
#endif
    for (; i < n; i++) d[i] = of_half(s[i]);
}

static void f32_to_bf16(void *restrict dst, const void *restrict src, size_t n)
{
    u16 *restrict d = dst;
    const u32 *restrict s = src;
    for (size_t i = 0; i < n; i++) {
        u32 u = s[i], rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
        d[i] = (u16)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
    }
}

static void bf16_to_f32(void *restrict dst, const void *restrict src, size_t n)
{
    u32 *restrict d = dst;
    const u16 *restrict s = src;
    for (size_t i = 0; i < n; i++) d[i] = (u32)s[i] << 16;
}

/* ---- dispatch -------------------------------------------------------------------- */

enum { U8, U16, U32, U64, I8, I16, I32, I64, F32, F64, B8, N_WIDE };

#define ROW(S)                                                                         \
    {                                                                                  \
        S##_to_u8, S##_to_u16, S##_to_u32, S##_to_u64, S##_to_i8, S##_to_i16,          \
            S##_to_i32, S##_to_i64, S##_to_f32, S##_to_f64, S##_to_b8                  \
    }
/* Equal types are copied before the table is asked. */
#define u8_to_u8 NULL
#define u16_to_u16 NULL
#define u32_to_u32 NULL
#define u64_to_u64 NULL
#define i8_to_i8 NULL
#define i16_to_i16 NULL
#define i32_to_i32 NULL
#define i64_to_i64 NULL
#define f32_to_f32 NULL
#define f64_to_f64 NULL
#define b8_to_b8 NULL
static const convert_fn table[N_WIDE][N_WIDE] = {
    ROW(u8), ROW(u16), ROW(u32), ROW(u64), ROW(i8), ROW(i16),
    ROW(i32), ROW(i64), ROW(f32), ROW(f64), ROW(b8),
};

/* The row or column of a dtype; the short floats stand in as float32, the enumerations are
 * int32. */
static int wide_of(hr_dtype dtype)
{
    switch (dtype) {
    case HR_U8: return U8;
    case HR_U16: return U16;
    case HR_U32: return U32;
    case HR_U64: return U64;
    case HR_I8: return I8;
    case HR_I16: return I16;
    case HR_I64: return I64;
    case HR_F64: return F64;
    case HR_BOOL: return B8;
    case HR_F16:
    case HR_BF16:
    case HR_F32: return F32;
    default: return I32;
    }
}

static convert_fn widen_fn(hr_dtype dtype)
{
    return dtype == HR_F16 ? f16_to_f32 : dtype == HR_BF16 ? bf16_to_f32 : NULL;
}

static convert_fn narrow_fn(hr_dtype dtype)
{
    return dtype == HR_F16 ? f32_to_f16 : dtype == HR_BF16 ? f32_to_bf16 : NULL;
}

enum { BLOCK = 512 };

static void convert_blocks(hr_dtype to, char *dst, hr_dtype from, const char *src, size_t n)
{
    convert_fn widen = widen_fn(from), narrow = narrow_fn(to);
    convert_fn middle = table[wide_of(from)][wide_of(to)];
    size_t src_size = hr_dtype_size(from), dst_size = hr_dtype_size(to);
    f32 a[BLOCK], b[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t k = n - i < BLOCK ? n - i : BLOCK;
        const void *in = src + i * src_size;
        void *out = dst + i * dst_size;
        if (widen) {
            widen(a, in, k);
            in = a;
        }
        if (middle) {
            middle(narrow ? (void *)b : out, in, k);
            in = b;
        }
        if (narrow) narrow(out, in, k);
    }
}

void HR_K(convert)(hr_dtype to, void *restrict dst, hr_dtype from, const void *restrict src,
                   size_t n)
{
    convert_fn widen = widen_fn(from), narrow = narrow_fn(to);
    convert_fn direct = table[wide_of(from)][wide_of(to)];
    if (n == 0) return;
    if (to == from || (!direct && !widen && !narrow)) {
        memmove(dst, src, n * hr_dtype_size(to));
    } else if (!widen && !narrow) {
        direct(dst, src, n);
    } else if (!direct && !(widen && narrow)) {
        (widen ? widen : narrow)(dst, src, n);
    } else {
        convert_blocks(to, dst, from, src, n);
    }
}
