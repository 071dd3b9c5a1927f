/* What the math kernels share: bits, rounding, selection and the first steps of each function. All is
 * plain double arithmetic without branches, so that loops over it run several elements at a time and
 * give the same bits at every CPU level. */
#ifndef HR_KERNELS_MATH_PARTS_H
#define HR_KERNELS_MATH_PARTS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/math_fit.h"

#define TO_WHOLE 0x1.8p52 /* a sum with this is rounded to a whole number, in its low bits */

/* Constants in two or three parts: products of the first ones with small whole numbers are exact. */
#define LN2_HI 0x1.62e42fee00000p-1
#define LN2_LO 0x1.a39ef35793c76p-33
#define INV_LN2 0x1.71547652b82fep+0
#define HALF_PI_1 0x1.921fb54400000p+0
#define HALF_PI_2 0x1.0b4611a600000p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define HALF_PI 0x1.921fb54442d18p+0 /* rounded, and what that lost */
#define HALF_PI_LOST 0x1.1a62633145c07p-54
#define INV_HALF_PI 0x1.45f306dc9c883p-1
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdu
#define CBRT_BIAS 715093532.0
#define TAN_PI_8 0x1.a827999fcef32p-2
#define TAN_3_PI_8 0x1.3504f333f9de6p+1

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The nearest whole number; its lowest bits in *low. */
static inline double whole(double x, uint64_t *low)
{
    double shifted = x + TO_WHOLE;
    *low = bits_of(shifted);
    return shifted - TO_WHOLE;
}

static inline double power_of_2(uint64_t low) { return of_bits((low + 1023) << 52); }

/* The first 26 bits: products of two such are exact. */
static inline double leading(double x) { return of_bits(bits_of(x) & 0xfffffffff8000000u); }

static inline double within(double x, double low, double high)
{
    x = x < low ? low : x; /* a NaN stays */
    return x > high ? high : x;
}

/* x = 2^k (1 + f), 1 + f between the roots of 1/2 and 2, of a positive normal number. */
typedef struct hr_log_parts {
    double k, f;
} hr_log_parts;

static inline hr_log_parts log_parts(double x)
{
    uint64_t bits = bits_of(x) + (0x3ff0000000000000u - SQRT_HALF_BITS);
    double k = of_bits(bits >> 52 | 0x4330000000000000u) - (0x1p52 + 1023);
    double m = of_bits((bits & 0x000fffffffffffffu) + SQRT_HALF_BITS);
    return (hr_log_parts){k, m - 1};
}

/* A logarithm's value where there is no finite one. */
static inline double log_special(double x, double value)
{
    value = x == 0 ? -INFINITY : value;
    value = x < 0 ? NAN : value;
    return x < INFINITY ? value : x;
}

/* The sine of q quarter turns and a remainder, from the remainder's sine and cosine. */
static inline double of_quarter(double sine, double cosine, uint64_t q)
{
    uint64_t odd = 0 - (q & 1);
    return of_bits(((bits_of(sine) & ~odd) | (bits_of(cosine) & odd)) ^ (q & 2) << 62);
}

/* The start of a cube root, within 3.5 %: a third of the exponent. */
static inline double cbrt_start(double a)
{
    uint64_t low;
    double high = of_bits(bits_of(a) >> 32 | 0x4330000000000000u) - 0x1p52;
    whole(high * (1.0 / 3) + CBRT_BIAS, &low);
    return of_bits(low << 32);
}

/* Halley's step: three times as many right bits. */
static inline double cbrt_step(double t, double a)
{
    double cube = t * t * t;
    return t - t * ((cube - a) / (cube + cube + a));
}

/* What y, below 2^51, does to the sign of a negative base; that base to a y that is no whole
 * number. */
static inline double pow_signed(double x, double y, double value)
{
    uint64_t low;
    double nearest = whole(y, &low);
    double odd = of_bits(bits_of(value) ^ (bits_of(x) & low << 63));
    value = x < 0 ? NAN : value;
    return nearest == y ? odd : value;
}

/* The quotient whose angle is within an eighth of a turn of j quarter-pis. */
typedef struct hr_angle_parts {
    double j, t;
} hr_angle_parts;

static inline hr_angle_parts angle_parts(double y, double x)
{
    double a = fabs(y), b = fabs(x), low = a > b ? b : a, high = a > b ? a : b;
    int is_low = low <= TAN_PI_8 * high;
    double j = is_low ? 0 : 1, over = is_low ? low : low - high;
    double t = over / (high == 0 ? 1 : is_low ? high : low + high);
    j = a > b ? 2 - j : j;
    t = a > b ? -t : t;
    int is_left = copysign(1, x) < 0;
    return (hr_angle_parts){is_left ? 4 - j : j, is_left ? -t : t};
}

#endif
