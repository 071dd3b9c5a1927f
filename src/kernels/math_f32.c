/* Functions of float32, computed in double and rounded once: their own error, below 2^-29, hardly
 * adds to that of the rounding. Arguments that a formula does not reach are left to the C library. */
#include "kernels/math.h"
#include "kernels/math_parts.h"

/* ---- exponentials ---------------------------------------------------------------- */

static inline double exp_of(double x)
{
    uint64_t low;
    x = within(x, -500, 500); /* float32 is over at 89 */
    double k = whole(x * INV_LN2, &low);
    double r = (x - k * LN2_HI) - k * LN2_LO;
    return (1 + (r + r * r * hr__fit_exp_short(r))) * power_of_2(low);
}

static inline double sinh_of(double x)
{
    double a = fabs(x), e = exp_of(a), z = x * x;
    double small = a + a * z * hr__fit_sinh_short(z);
    return copysign(a < 1 ? small : 0.5 * (e - 1 / e), x);
}

static inline double cosh_of(double x)
{
    double e = exp_of(fabs(x));
    return 0.5 * (e + 1 / e);
}

static inline double tanh_of(double x)
{
    double a = fabs(x), z = x * x;
    double small = a + a * z * hr__fit_tanh_short(z);
    return copysign(a < 0.55 ? small : 1 - 2 / (exp_of(2 * a) + 1), x);
}

/* ---- logarithms ------------------------------------------------------------------ */

/* ln(1 + f) of log_parts */
static inline double log_near_1(double f)
{
    double s = f / (2 + f), z = s * s;
    return 2 * s + s * z * hr__fit_log_short(z);
}

static inline double log_positive(double x)
{
    hr_log_parts p = log_parts(x);
    return p.k * LN2_HI + (log_near_1(p.f) + p.k * LN2_LO);
}

static inline double log_of(double x) { return log_special(x, log_positive(x)); }

static inline double log2_of(double x)
{
    hr_log_parts p = log_parts(x);
    return log_special(x, p.k + log_near_1(p.f) * INV_LN2);
}

static inline double log10_of(double x)
{
    return log_special(x, log_positive(x) * 0x1.bcb7b1526e50ep-2);
}

static inline double asinh_of(double x)
{
    double a = fabs(x), z = x * x;
    double small = a - a * z * (1.0 / 6 - z * (3.0 / 40));
    return copysign(a < 0x1p-8 ? small : a < INFINITY ? log_positive(a + sqrt(z + 1)) : a, x);
}

static inline double acosh_of(double x)
{
    double t = x - 1, value = log_positive(1 + (t + sqrt(t * (x + 1))));
    value = x < 1 ? NAN : value;
    return x < INFINITY ? value : x;
}

static inline double atanh_of(double x)
{
    double a = fabs(x), z = x * x;
    double small = a + a * z * (1.0 / 3 + z * (1.0 / 5));
    double large = 0.5 * log_positive((1 + a) / (1 - a));
    large = a < 1 ? large : a == 1 ? INFINITY : NAN;
    return copysign(a < 0x1p-8 ? small : large, x);
}

/* ---- angles ---------------------------------------------------------------------- */

/* Turns are told exactly below this. */
#define ANGLE_LIMIT 0x1p20f

static inline double remainder_of(double x, uint64_t *q)
{
    double k = whole(x * INV_HALF_PI, q);
    return ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3;
}

static inline double sin_near_0(double r)
{
    double z = r * r;
    return r + r * z * hr__fit_sin_short(z);
}

static inline double cos_near_0(double r)
{
    double z = r * r;
    return 1 - z * (0.5 - z * hr__fit_cos_short(z));
}

static inline double sin_of(double x)
{
    uint64_t q;
    double r = remainder_of(x, &q);
    return x == 0 ? x : of_quarter(sin_near_0(r), cos_near_0(r), q);
}

static inline double cos_of(double x)
{
    uint64_t q;
    double r = remainder_of(x, &q);
    return of_quarter(sin_near_0(r), cos_near_0(r), q + 1);
}

static inline double tan_of(double x)
{
    uint64_t q;
    double r = remainder_of(x, &q), s = sin_near_0(r), c = cos_near_0(r);
    return x == 0 ? x : of_quarter(s, c, q) / of_quarter(s, c, q + 1);
}

static inline double asin_near_0(double x, double z) { return x + x * z * hr__fit_asin_short(z); }

static inline double asin_of(double x)
{
    double a = fabs(x), far = 0.5 * (1 - a);
    double z = a < 0.5 ? a * a : far, near_0 = asin_near_0(a < 0.5 ? a : sqrt(far), z);
    return copysign(a < 0.5 ? near_0 : HALF_PI - 2 * near_0, x);
}

static inline double acos_of(double x)
{
    double a = fabs(x), far = 0.5 * (1 - a);
    double z = a < 0.5 ? a * a : far, near_0 = asin_near_0(a < 0.5 ? x : sqrt(far), z);
    double outer = x < 0 ? 2 * HALF_PI - 2 * near_0 : 2 * near_0;
    return a < 0.5 ? HALF_PI - near_0 : outer;
}

static inline double angle_of(double j, double t)
{
    double z = t * t;
    return j * (HALF_PI / 2) + (t + t * z * hr__fit_atan_short(z));
}

#include "kernels/math_atan_tmpl.h"

/* ---- powers ---------------------------------------------------------------------- */

static inline double cbrt_of(double x)
{
    double a = fabs(x);
    double t = cbrt_step(cbrt_step(cbrt_start(a), a), a);
    return copysign(((a == 0) | (a == INFINITY)) ? a : t, x);
}

static inline double pow_of(double x, double y)
{
    uint64_t low;
    hr_log_parts p = log_parts(fabs(x));
    double log = x == 0 ? -0x1p900 : p.k + log_near_1(p.f) * INV_LN2;
    double e = within(y * log, -500, 500), k = whole(e, &low);
    double r = (e - k) * (LN2_HI + LN2_LO);
    double value = (1 + (r + r * r * hr__fit_exp_short(r))) * power_of_2(low);
    return pow_signed(x, y, value);
}

/* ---- loops ----------------------------------------------------------------------- */

#define LOOP1(F)                                                                       \
    for (int64_t i = 0; i < n; i++) dst[i] = (float)F((double)src[i]);                 \
    return

/* Angles far out. */
#define LOOP1_ANGLE(F, C)                                                              \
    do {                                                                               \
        int far = 0;                                                                   \
        for (int64_t i = 0; i < n; i++) dst[i] = (float)F((double)src[i]);             \
        for (int64_t i = 0; i < n; i++) far |= !(fabsf(src[i]) < ANGLE_LIMIT);         \
        for (int64_t i = 0; far && i < n; i++)                                         \
            if (!(fabsf(src[i]) < ANGLE_LIMIT)) dst[i] = C(src[i]);                    \
        return;                                                                        \
    } while (0)

void HR_K(math1_f32)(int op, float *restrict dst, const float *restrict src, int64_t n)
{
    switch (op) {
    case HR_UNARY_CBRT: LOOP1(cbrt_of);
    case HR_UNARY_EXP: LOOP1(exp_of);
    case HR_UNARY_LOG: LOOP1(log_of);
    case HR_UNARY_LOG2: LOOP1(log2_of);
    case HR_UNARY_LOG10: LOOP1(log10_of);
    case HR_UNARY_SIN: LOOP1_ANGLE(sin_of, sinf);
    case HR_UNARY_COS: LOOP1_ANGLE(cos_of, cosf);
    case HR_UNARY_TAN: LOOP1_ANGLE(tan_of, tanf);
    case HR_UNARY_ASIN: LOOP1(asin_of);
    case HR_UNARY_ACOS: LOOP1(acos_of);
    case HR_UNARY_ATAN: LOOP1(atan_of);
    case HR_UNARY_SINH: LOOP1(sinh_of);
    case HR_UNARY_COSH: LOOP1(cosh_of);
    case HR_UNARY_TANH: LOOP1(tanh_of);
    case HR_UNARY_ASINH: LOOP1(asinh_of);
    case HR_UNARY_ACOSH: LOOP1(acosh_of);
    case HR_UNARY_ATANH: LOOP1(atanh_of);
    default: return;
    }
}

#define LOOP2(F, C, IS_WILD)                                                           \
    do {                                                                               \
        int wild = 0;                                                                  \
        for (int64_t i = 0; i < n; i++) dst[i] = (float)F((double)a[i], (double)b[i]); \
        for (int64_t i = 0; i < n; i++) wild |= IS_WILD(a[i], b[i]);                   \
        for (int64_t i = 0; wild && i < n; i++)                                        \
            if (IS_WILD(a[i], b[i])) dst[i] = C(a[i], b[i]);                           \
        return;                                                                        \
    } while (0)

static inline int is_pow_wild(float x, float y)
{
    return (!(fabsf(x) < INFINITY)) | (!(fabsf(y) < 0x1p51f));
}

static inline int is_atan2_wild(float y, float x)
{
    return (!(fabsf(y) < INFINITY)) | (!(fabsf(x) < INFINITY));
}

void HR_K(math2_f32)(int op, float *restrict dst, const float *restrict a,
                     const float *restrict b, int64_t n)
{
    switch (op) {
    case HR_BINARY_ATAN2: LOOP2(atan2_of, atan2f, is_atan2_wild);
    case HR_BINARY_POW:
    case HR_BINARY_FPOW: LOOP2(pow_of, powf, is_pow_wild);
    default: return;
    }
}
