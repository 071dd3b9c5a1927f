/* Element-wise operations over packed elements of one type. Integers wrap; division and modulo are
 * Python's (towards minus infinity, the divisor's sign); a shift past the width gives 0 or the
 * sign. Comparisons give one byte an element. */
#include "kernels/math.h"
#include "kernels/short_types.h"

#include <math.h>
#include <string.h>

/* ---- integers -------------------------------------------------------------------- */

#define NEGATIVE_0(a) 0
#define NEGATIVE_1(a) ((a) < 0)

/* U: the unsigned type of the same width; arithmetic in it wraps without undefined behaviour.
 * Small types are widened by C before they multiply, which may overflow int: hence u64. */
#define INT_HELPERS(T, U, IS_SIGNED)                                                   \
    static inline T add_##T(T a, T b) { return (T)(U)((U)a + (U)b); }                  \
    static inline T sub_##T(T a, T b) { return (T)(U)((U)a - (U)b); }                  \
    static inline T mul_##T(T a, T b) { return (T)(U)((u64)a * (u64)b); }              \
    static inline T pow_##T(T a, T b)                                                  \
    {                                                                                  \
        T out = 1;                                                                     \
        for (U e = (U)b; e; e = (U)(e >> 1), a = mul_##T(a, a))                        \
            if (e & 1) out = mul_##T(out, a);                                          \
        return out;                                                                    \
    }                                                                                  \
    static inline T shl_##T(T a, T b)                                                  \
    {                                                                                  \
        return (U)b < 8 * sizeof(T) ? (T)(U)((U)a << (U)b) : 0;                        \
    }                                                                                  \
    static inline T shr_##T(T a, T b)                                                  \
    {                                                                                  \
        return (U)b < 8 * sizeof(T) ? (T)(a >> (U)b) : NEGATIVE_##IS_SIGNED(a) ? (T)-1 : 0; \
    }                                                                                  \
    static inline T min_##T(T a, T b) { return a < b ? a : b; }                        \
    static inline T max_##T(T a, T b) { return a > b ? a : b; }                        \
    static inline T and_##T(T a, T b) { return (T)(a & b); }                           \
    static inline T or_##T(T a, T b) { return (T)(a | b); }                            \
    static inline T xor_##T(T a, T b) { return (T)(a ^ b); }                           \
    static inline T neg_##T(T a) { return sub_##T(0, a); }                             \
    static inline T invert_##T(T a) { return (T)~a; }                                  \
    static inline T abs_##T(T a) { return NEGATIVE_##IS_SIGNED(a) ? neg_##T(a) : a; }

INT_HELPERS(u8, u8, 0)
INT_HELPERS(u16, u16, 0)
INT_HELPERS(u32, u32, 0)
INT_HELPERS(u64, u64, 0)
INT_HELPERS(i8, u8, 1)
INT_HELPERS(i16, u16, 1)
INT_HELPERS(i32, u32, 1)
INT_HELPERS(i64, u64, 1)

/* Division by reals, which is done several at a time: a quotient that is no whole number is at
 * least 1/b away from one, more than the real type's rounding. */
#define DIVIDE_REAL(T, REAL, FLOOR, WRAP)                                           \
    static inline T floordiv_##T(T a, T b)                                             \
    {                                                                                  \
        REAL q = FLOOR((REAL)a / (REAL)b);                                             \
        return (T)(i32)(q WRAP);                                                       \
    }                                                                                  \
    static inline T mod_##T(T a, T b)                                                  \
    {                                                                                  \
        return sub_##T(a, mul_##T(floordiv_##T(a, b), b));                             \
    }

/* Whole quotients outside int32: of uint32, and the least int32 by -1, which wraps. */
#define WRAPPED -(q >= 2147483648.0 ? 4294967296.0 : 0)
DIVIDE_REAL(u8, f32, floorf, )
DIVIDE_REAL(i8, f32, floorf, )
DIVIDE_REAL(u16, f32, floorf, )
DIVIDE_REAL(i16, f32, floorf, )
DIVIDE_REAL(u32, f64, floor, WRAPPED)
DIVIDE_REAL(i32, f64, floor, WRAPPED)

static inline u64 floordiv_u64(u64 a, u64 b) { return a / b; }
static inline u64 mod_u64(u64 a, u64 b) { return a % b; }

static inline i64 floordiv_i64(i64 a, i64 b)
{
    if (b == -1) return neg_i64(a); /* the least / -1 traps */
    i64 q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static inline i64 mod_i64(i64 a, i64 b)
{
    if (b == -1) return 0;
    i64 r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* ---- reals ----------------------------------------------------------------------- */

/* Floor division and modulo by way of fmod, so that a == (a // b) * b + a % b as closely as the
 * type allows; by zero they give infinities and NaN. */
#define REAL_HELPERS(T, S)                                                             \
    static inline T add_##T(T a, T b) { return a + b; }                                \
    static inline T sub_##T(T a, T b) { return a - b; }                                \
    static inline T mul_##T(T a, T b) { return a * b; }                                \
    static inline T div_##T(T a, T b) { return a / b; }                                \
    static inline T mod_##T(T a, T b)                                                  \
    {                                                                                  \
        T r = fmod##S(a, b);                                                           \
        if (r != 0) return (b < 0) != (r < 0) ? r + b : r;                             \
        return copysign##S(r, b == b ? b : r);                                         \
    }                                                                                  \
    static inline T floordiv_##T(T a, T b)                                             \
    {                                                                                  \
        if (b == 0) return a / b;                                                      \
        T r = fmod##S(a, b), q = (a - r) / b;                                          \
        if (r != 0 && (b < 0) != (r < 0)) q -= 1;                                      \
        if (q == 0) return copysign##S(0, a / b);                                      \
        T f = floor##S(q);                                                             \
        return q - f > (T)0.5 ? f + 1 : f;                                             \
    }                                                                                  \
    static inline T min_##T(T a, T b) { return a < b || a != a ? a : b; }              \
    static inline T max_##T(T a, T b) { return a > b || a != a ? a : b; }              \
    static inline T neg_##T(T a) { return -a; }                                        \
    static inline T abs_##T(T a) { return fabs##S(a); }                                \
    static inline T rsqrt_##T(T a) { return 1 / sqrt##S(a); }

REAL_HELPERS(f32, f)
REAL_HELPERS(f64, )

/* float32 division in double, several at a time, for quotients below 2^24: they are then exact,
 * and so is what remains. Others (infinities, by zero) are left to fmod. */
static inline f64 remainder_of(f64 a, f64 b) { return a - trunc(a / b) * b; }

static inline f32 tame_mod(f32 a, f32 b)
{
    f64 r = remainder_of(a, b);
    if (r != 0) return (f32)((b < 0) != (r < 0) ? r + b : r);
    return copysignf(0, b);
}

static inline f32 tame_floordiv(f32 a, f32 b)
{
    f64 q = floor((f64)a / b);
    return q != 0 ? (f32)q : copysignf(0, a / b);
}

static int is_tame(const f32 *restrict a, const f32 *restrict b, int64_t n)
{
    int wild = 0;
    for (int64_t i = 0; i < n; i++) wild |= !(fabs((f64)a[i] / b[i]) < 16777216.0);
    return !wild;
}

/* ---- float16 ----------------------------------------------------------------------------------- */

void HR_K(half_even)(uint16_t *restrict dst, const float *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        u32 bits, small_bits;
        memcpy(&bits, &src[i], sizeof bits);
        u32 sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
        u32 half = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;
        f32 small = fabsf(src[i]) + 0.5f; /* the sum counts units of 2^-24, rounded to even */
        memcpy(&small_bits, &small, sizeof small_bits);
        half = a < 0x38800000u ? small_bits - 0x3f000000u : half;
        half = a >= 0x477ff000u ? 0x7c00u : half; /* infinity */
        half = a > 0x7f800000u ? 0x7e00u : half;
        dst[i] = (u16)(sign | half);
    }
}

/* ---- loops ----------------------------------------------------------------------- */

#define LOOP2(T, R, EXPR)                                                              \
    do {                                                                               \
        const T *restrict x = a;                                                       \
        const T *restrict y = b;                                                       \
        R *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            T p = x[i], q = y[i];                                                      \
            d[i] = (R)(EXPR);                                                          \
        }                                                                              \
    } while (0)

#define ANY(T, TEST)                                                                   \
    ({                                                                                 \
        const T *restrict y = b;                                                       \
        int found = 0;                                                                 \
        (void)y;                                                                       \
        for (int64_t i = 0; i < n; i++) found |= TEST;                                 \
        found;                                                                         \
    })

#define CASE2(OP, T, F)                                                                \
    case HR_BINARY_##OP: LOOP2(T, T, F##_##T(p, q)); return HR_ARITH_FINE;
#define COMPARE(OP, T, C)                                                              \
    case HR_BINARY_##OP: LOOP2(T, u8, p C q); return HR_ARITH_FINE;

#define COMMON2(T)                                                                     \
    CASE2(ADD, T, add)                                                                 \
    CASE2(SUB, T, sub)                                                                 \
    CASE2(MUL, T, mul)                                                                 \
    CASE2(MIN, T, min)                                                                 \
    CASE2(MAX, T, max)                                                                 \
    COMPARE(EQ, T, ==)                                                                 \
    COMPARE(NE, T, !=)                                                                 \
    COMPARE(LT, T, <)                                                                  \
    COMPARE(LE, T, <=)                                                                 \
    COMPARE(GT, T, >)                                                                  \
    COMPARE(GE, T, >=)

typedef int (*binary_fn)(int op, void *restrict dst, const void *restrict a,
                         const void *restrict b, int64_t n);

#define BINARY_INT(T, IS_SIGNED)                                                                  \
    static int binary_##T(int op, void *restrict dst, const void *restrict a,          \
                          const void *restrict b, int64_t n)                           \
    {                                                                                  \
        if ((op == HR_BINARY_FLOORDIV || op == HR_BINARY_MOD) && ANY(T, y[i] == 0))    \
            return HR_ARITH_ZERO;                                                      \
        if (op == HR_BINARY_POW && ANY(T, NEGATIVE_##IS_SIGNED(y[i])))                 \
            return HR_ARITH_NEGATIVE;                                                  \
        switch (op) {                                                                  \
            COMMON2(T)                                                                 \
            CASE2(FLOORDIV, T, floordiv)                                               \
            CASE2(MOD, T, mod)                                                         \
            CASE2(POW, T, pow)                                                         \
            CASE2(AND, T, and)                                                         \
            CASE2(OR, T, or)                                                           \
            CASE2(XOR, T, xor)                                                         \
            CASE2(SHL, T, shl)                                                         \
            CASE2(SHR, T, shr)                                                         \
        default: return HR_ARITH_FINE;                                                 \
        }                                                                              \
    }

BINARY_INT(u8, 0)
BINARY_INT(u16, 0)
BINARY_INT(u32, 0)
BINARY_INT(u64, 0)
BINARY_INT(i8, 1)
BINARY_INT(i16, 1)
BINARY_INT(i32, 1)
BINARY_INT(i64, 1)

#define TAME_f32(op)                                                                   \
    if ((op == HR_BINARY_FLOORDIV || op == HR_BINARY_MOD) && is_tame(a, b, n)) {       \
        if (op == HR_BINARY_MOD) LOOP2(f32, f32, tame_mod(p, q));                      \
        else LOOP2(f32, f32, tame_floordiv(p, q));                                     \
        return HR_ARITH_FINE;                                                          \
    }
#define TAME_f64(op)

/* Squares are the usual power, and pow is slow. */
#define BINARY_REAL(T)                                                                 \
    static int binary_##T(int op, void *restrict dst, const void *restrict a,          \
                          const void *restrict b, int64_t n)                           \
    {                                                                                  \
        TAME_##T(op)                                                                   \
        if ((op == HR_BINARY_POW || op == HR_BINARY_FPOW) && !ANY(T, y[i] != 2)) {     \
            LOOP2(T, T, ((void)q, p * p));                                             \
            return HR_ARITH_FINE;                                                      \
        }                                                                              \
        switch (op) {                                                                  \
            COMMON2(T)                                                                 \
            CASE2(DIV, T, div)                                                         \
            CASE2(FLOORDIV, T, floordiv)                                               \
            CASE2(MOD, T, mod)                                                         \
        default: HR_K(math2_##T)(op, dst, a, b, n); return HR_ARITH_FINE;              \
        }                                                                              \
    }

BINARY_REAL(f32)
BINARY_REAL(f64)

int HR_K(binary)(int op, hr_dtype t, void *restrict dst, const void *restrict a,
                 const void *restrict b, int64_t n)
{
    static const binary_fn table[] = {
        [HR_U8] = binary_u8,   [HR_U16] = binary_u16, [HR_U32] = binary_u32,
        [HR_U64] = binary_u64, [HR_I8] = binary_i8,   [HR_I16] = binary_i16,
        [HR_I32] = binary_i32, [HR_I64] = binary_i64, [HR_F16] = NULL,
        [HR_F32] = binary_f32, [HR_F64] = binary_f64, [HR_BOOL] = binary_u8};
    return table[t](op, dst, a, b, n);
}

#define LOOP1(T, EXPR)                                                                 \
    do {                                                                               \
        const T *restrict x = src;                                                     \
        T *restrict d = dst;                                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            T p = x[i];                                                                \
            d[i] = (EXPR);                                                             \
        }                                                                              \
        return;                                                                        \
    } while (0)

#define UNARY_INT(T)                                                                   \
    case HR_UNARY_NEG: LOOP1(T, neg_##T(p));                                           \
    case HR_UNARY_INVERT: LOOP1(T, invert_##T(p));                                     \
    case HR_UNARY_ABS: LOOP1(T, abs_##T(p));                                           \
    default: return;

#define UNARY_REAL(T, S)                                                               \
    case HR_UNARY_NEG: LOOP1(T, -p);                                                   \
    case HR_UNARY_FABS:                                                                \
    case HR_UNARY_ABS: LOOP1(T, fabs##S(p));                                           \
    case HR_UNARY_SQRT: LOOP1(T, sqrt##S(p));                                          \
    case HR_UNARY_RSQRT: LOOP1(T, rsqrt_##T(p));                                       \
    case HR_UNARY_FLOOR: LOOP1(T, floor##S(p));                                        \
    case HR_UNARY_CEIL: LOOP1(T, ceil##S(p));                                          \
    default: HR_K(math1_##T)(op, dst, src, n); return;

#define UNARY(T, CASES)                                                                \
    static void unary_##T(int op, void *restrict dst, const void *restrict src, int64_t n) \
    {                                                                                  \
        switch (op) { CASES }                                                          \
    }
UNARY(u8, UNARY_INT(u8))
UNARY(u16, UNARY_INT(u16))
UNARY(u32, UNARY_INT(u32))
UNARY(u64, UNARY_INT(u64))
UNARY(i8, UNARY_INT(i8))
UNARY(i16, UNARY_INT(i16))
UNARY(i32, UNARY_INT(i32))
UNARY(i64, UNARY_INT(i64))
UNARY(f32, UNARY_REAL(f32, f))
UNARY(f64, UNARY_REAL(f64, ))

void HR_K(unary)(int op, hr_dtype t, void *restrict dst, const void *restrict src, int64_t n)
{
    typedef void (*unary_fn)(int op, void *restrict dst, const void *restrict src, int64_t n);
    static const unary_fn table[] = {
        [HR_U8] = unary_u8,   [HR_U16] = unary_u16, [HR_U32] = unary_u32, [HR_U64] = unary_u64,
        [HR_I8] = unary_i8,   [HR_I16] = unary_i16, [HR_I32] = unary_i32, [HR_I64] = unary_i64,
        [HR_F16] = NULL,      [HR_F32] = unary_f32, [HR_F64] = unary_f64};
    table[t](op, dst, src, n);
}
