/* Functions of float64, each within about 2 units of the last place. What cancels or is rounded in a
 * first step is kept as a second term. Arguments that a formula does not reach are left to the C
 * library, element by element. */
#include "kernels/math.h"
#include "kernels/math_parts.h"

/* ---- exponentials ---------------------------------------------------------------- */

/* value * 2^k where that may be no normal number */
static inline double scaled(double value, double k)
{
    uint64_t first, second;
    double half = whole(0.5 * k, &first);
    whole(k - half, &second);
    return value * power_of_2(first) * power_of_2(second);
}

/* e^x = 2^k (1 + tail) */
typedef struct exp_parts {
    double k, tail;
    uint64_t low;
} exp_parts;

static inline exp_parts exp_split(double x)
{
    exp_parts p;
    p.k = whole(x * INV_LN2, &p.low);
    double hi = x - p.k * LN2_HI, lo = p.k * LN2_LO, r = hi - lo;
    double lost = (hi - r) - lo;
    p.tail = r + (lost + r * r * hr__fit_exp(r));
    return p;
}

static inline double exp_of(double x)
{
    exp_parts p = exp_split(within(x, -800, 800)); /* float64 is over at 710 */
    return scaled(1 + p.tail, p.k);
}

/* e^x - 1 for moderate x */
static inline double less_1(const exp_parts *p)
{
    double power = power_of_2(p->low);
    return power * p->tail + (power - 1);
}

static inline double sinh_of(double x)
{
    double a = fabs(x), z = a * a, small = a + a * z * hr__fit_sinh(z);
    exp_parts p = exp_split(within(a, 0, 800));
    double e = less_1(&p);
    return copysign(a < 1 ? small : a < 22 ? 0.5 * (e + e / (e + 1)) : scaled(1 + p.tail, p.k - 1), x);
}

static inline double cosh_of(double x)
{
    exp_parts p = exp_split(within(fabs(x), 0, 800));
    double half = scaled(1 + p.tail, p.k - 1);
    return half + 0.25 / half;
}

static inline double tanh_of(double x)
{
    double a = fabs(x), z = a * a, small = a + a * z * hr__fit_tanh(z);
    exp_parts p = exp_split(2 * within(a, 0, 50));
    return copysign(a < 0.55 ? small : 1 - 2 / (less_1(&p) + 2), x);
}

/* ---- logarithms ------------------------------------------------------------------ */

/* ln(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)), s = f / (2 + f); added: further terms of the inner sum */
static inline double log_sum(hr_log_parts p, double added)
{
    double s = p.f / (2 + p.f), z = s * s, half = 0.5 * p.f * p.f;
    double inner = s * (half + z * hr__fit_log(z)) + (p.k * LN2_LO + added);
    return p.k * LN2_HI - ((half - inner) - p.f);
}

static inline double log_of(double x) { return log_special(x, log_sum(log_parts(x), 0)); }

/* ln(1 + f) as hi + lo, hi of few bits */
static inline double log_pair(double f, double *lo)
{
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double hi = leading(f - half);
    *lo = ((f - hi) - half) + s * (half + z * hr__fit_log(z));
    return hi;
}

static inline double log2_of(double x)
{
    hr_log_parts p = log_parts(x);
    double lo, hi = log_pair(p.f, &lo);
    double main = hi * 0x1.7154760000000p+0;
    double rest = (lo + hi) * 0x1.4ae0bf85ddf44p-26 + lo * 0x1.7154760000000p+0;
    double sum = p.k + main;
    return log_special(x, sum + (rest + ((p.k - sum) + main)));
}

static inline double log10_of(double x)
{
    hr_log_parts p = log_parts(x);
    double lo, hi = log_pair(p.f, &lo);
    double main = hi * 0x1.bcb7b10000000p-2, whole_part = p.k * 0x1.34413509e0000p-2;
    double rest = (lo + hi) * 0x1.49b9438ca9aaep-28 + lo * 0x1.bcb7b10000000p-2 +
                  p.k * 0x1.79fef311f12b3p-38;
    double sum = whole_part + main;
    return log_special(x, sum + (rest + ((whole_part - sum) + main)));
}

/* ln(2^k (1 + u)) for u > -1/2 */
static inline double log_of_1_and(double u, double k)
{
    double sum = 1 + u;
    double lost = u < 1 ? u - (sum - 1) : 1 - (sum - u);
    hr_log_parts p = log_parts(sum);
    p.k += k;
    return log_sum(p, lost / sum);
}

#define HYPERBOLA_LIMIT 0x1p28 /* beyond, ln(2 x) */

static inline double asinh_of(double x)
{
    double a = fabs(x), z = x * x, far = a < HYPERBOLA_LIMIT ? 0 : 1;
    double u = far ? a - 1 : a + z / (1 + sqrt(z + 1));
    return copysign(a < INFINITY ? log_of_1_and(u, far) : a, x);
}

static inline double acosh_of(double x)
{
    double t = x - 1, far = x < HYPERBOLA_LIMIT ? 0 : 1;
    double value = log_of_1_and(far ? t : t + sqrt(t + t + t * t), far);
    value = x < 1 ? NAN : value;
    return x < INFINITY ? value : x;
}

static inline double atanh_of(double x)
{
    double a = fabs(x), twice = a + a;
    double u = a < 0.5 ? twice + twice * a / (1 - a) : twice / (1 - a);
    double value = 0.5 * log_of_1_and(u, 0);
    value = a < 1 ? value : a == 1 ? INFINITY : NAN;
    return copysign(value, x);
}

/* ---- angles ---------------------------------------------------------------------- */

#define ANGLE_LIMIT 0x1p20

/* What remains after q quarter turns, as r + *lost. */
static inline double remainder_of(double x, double *lost, uint64_t *q)
{
    double k = whole(x * INV_HALF_PI, q);
    double first = x - k * HALF_PI_1, second = k * HALF_PI_2, rest = first - second;
    double third = k * HALF_PI_3 - ((first - rest) - second);
    double r = rest - third;
    *lost = (rest - r) - third;
    return r;
}

static inline double sin_near_0(double r, double lost)
{
    double z = r * r;
    return r + (r * z * hr__fit_sin(z) + lost * (1 - 0.5 * z));
}

static inline double cos_near_0(double r, double lost)
{
    double z = r * r, half = 0.5 * z, first = 1 - half;
    return first + (((1 - first) - half) + (z * z * hr__fit_cos(z) - r * lost));
}

static inline double sin_of(double x)
{
    uint64_t q;
    double lost, r = remainder_of(x, &lost, &q);
    return x == 0 ? x : of_quarter(sin_near_0(r, lost), cos_near_0(r, lost), q);
}

static inline double cos_of(double x)
{
    uint64_t q;
    double lost, r = remainder_of(x, &lost, &q);
    return of_quarter(sin_near_0(r, lost), cos_near_0(r, lost), q + 1);
}

/* value + *lost, of which the sum was rounded */
static inline double rounded_sum(double first, double second, double *lost)
{
    double sum = first + second;
    *lost = (first - sum) + second;
    return sum;
}

/* The quotient of sine and cosine, of which each takes the other's place after an odd turn, mended
 * by what their last sums lost. */
static inline double tan_of(double x)
{
    uint64_t q;
    double lost, r = remainder_of(x, &lost, &q), z = r * r, half = 0.5 * z, first = 1 - half;
    double s_lost, s = rounded_sum(r, r * z * hr__fit_sin(z) + lost * (1 - half), &s_lost);
    double c_tail = ((1 - first) - half) + (z * z * hr__fit_cos(z) - r * lost);
    double c_lost, c = rounded_sum(first, c_tail, &c_lost);
    double over = of_quarter(s, c, q), under = of_quarter(s, c, q + 1), quotient = over / under;
    double over_lost = of_quarter(s_lost, c_lost, q), under_lost = of_quarter(s_lost, c_lost, q + 1);
    return x == 0 ? x : quotient + (over_lost - quotient * under_lost) / under;
}

/* The root of z, and what its leading bits lack. */
static inline double root_pair(double z, double *lacks)
{
    double root = sqrt(z), first = leading(root);
    *lacks = z == 0 ? 0 : (z - first * first) / (root + first);
    return first;
}

static inline double asin_of(double x)
{
    double a = fabs(x), far = 0.5 * (1 - a), lacks, first = root_pair(far, &lacks);
    double z = a < 0.5 ? a * a : far, tail = z * hr__fit_asin(z);
    double outer = 2 * sqrt(far) * tail - (HALF_PI_LOST - 2 * lacks);
    outer = HALF_PI / 2 - (outer - (HALF_PI / 2 - 2 * first));
    return copysign(a < 0.5 ? a + a * tail : outer, x);
}

static inline double acos_of(double x)
{
    double a = fabs(x), far = 0.5 * (1 - a), lacks, first = root_pair(far, &lacks);
    double z = a < 0.5 ? a * a : far, tail = z * hr__fit_asin(z);
    double root = sqrt(far), inner = HALF_PI - (x - (HALF_PI_LOST - x * tail));
    double right = 2 * (first + (root * tail + lacks));
    double left = 2 * (HALF_PI - (root + (root * tail - HALF_PI_LOST)));
    return a < 0.5 ? inner : x < 0 ? left : right;
}

static inline double angle_of(double j, double t)
{
    double z = t * t, tail = t * z * hr__fit_atan(z);
    double low = j * (0.5 * HALF_PI_2) + j * (0.5 * HALF_PI_3);
    return j * (0.5 * HALF_PI_1) + (t + (tail + low));
}

#include "kernels/math_atan_tmpl.h"

/* ---- powers ---------------------------------------------------------------------- */

static inline double cbrt_of(double x)
{
    double a = fabs(x);
    double t = leading(cbrt_step(cbrt_step(cbrt_start(a), a), a));
    double r = a / (t * t); /* the square is exact */
    t = t + t * ((r - t) / (t + t + r));
    return copysign(((a == 0) | (a == INFINITY)) ? a : t, x);
}

/* The logarithm to base 2 of 2^k (1 + f) as hi + lo, some 11 bits more than a double has: with
 * s = f / (2 + f), ln(1 + f) = 2 s / 3 (3 + s^2 + s^4 fit(s^2)), the leading terms in pairs. */
static inline double log2_pair(hr_log_parts p, double *lo)
{
    double under = 2 + p.f, s = p.f / under, s1 = leading(s);
    double under1 = leading(under), under2 = p.f - (under1 - 2);
    double s2 = ((p.f - s1 * under1) - s1 * under2) / under;
    double z = s * s, square = s1 * s1;
    double rest = z * z * hr__fit_pow(z) + s2 * (s1 + s);
    double t1 = leading(3 + square + rest), t2 = rest - ((t1 - 3) - square);
    double u = s1 * t1, v = s2 * t1 + t2 * s;
    double p1 = leading(u + v), p2 = v - (p1 - u);
    double main = p1 * 0x1.ec709d8000000p-1; /* 2 / (3 ln 2) */
    double more = p1 * 0x1.0e80ff5d27f05p-27 + p2 * 0x1.ec709dc3a03fdp-1;
    double hi = leading((main + more) + p.k);
    *lo = more - ((hi - p.k) - main);
    return hi;
}

static inline double pow_of(double x, double y)
{
    double log_lo, log_hi = log2_pair(log_parts(fabs(x)), &log_lo);
    log_hi = x == 0 ? -0x1p900 : log_hi;
    double y1 = leading(y), main = y1 * log_hi, more = (y - y1) * log_hi + y * log_lo;
    double e = main + more;
    main = fabs(e) < 1200 ? main : copysign(1200, e);
    more = fabs(e) < 1200 ? more : 0;
    uint64_t low;
    double k = whole(main + more, &low), fine = main - k;
    double t = leading(fine + more), left = more - (t - fine);
    double u = t * 0x1.62e42f8000000p-1; /* ln 2 */
    double v = left * (LN2_HI + LN2_LO) + t * 0x1.be8e7bcd5e4f2p-27;
    double r = u + v, lost = v - (r - u);
    double value = scaled(1 + (r + (lost + r * r * hr__fit_exp(r))), k);
    return pow_signed(x, y, value);
}

/* ---- loops ----------------------------------------------------------------------- */

#define LOOP1(F, C, IS_WILD)                                                           \
    do {                                                                               \
        int wild = 0;                                                                  \
        for (int64_t i = 0; i < n; i++) dst[i] = F(src[i]);                            \
        for (int64_t i = 0; i < n; i++) wild |= IS_WILD(src[i], dst[i]);               \
        for (int64_t i = 0; wild && i < n; i++)                                        \
            if (IS_WILD(src[i], dst[i])) dst[i] = C(src[i]);                           \
        return;                                                                        \
    } while (0)

static inline int never(double x, double out) { return 0; }

static inline int is_denormal(double x, double out) { return (fabs(x) < 0x1p-1022) & (x != 0); }

/* Where the first guess is off, or its cube over. */
static double cbrt_far(double x)
{
    return fabs(x) < 1 ? cbrt_of(x * 0x1p600) * 0x1p-200 : cbrt_of(x * 0x1p-600) * 0x1p200;
}

static inline int is_cbrt_wild(double x, double out)
{
    return is_denormal(x, out) | (fabs(x) > 0x1p1000);
}

/* Far out, or so near a whole number of turns that the third part of pi / 2 is too short. */
static inline int is_far(double x, double out)
{
    int is_lost = (fabs(x) > 1) & ((fabs(out) < 0x1p-27) | (fabs(out) > 0x1p27));
    return (!(fabs(x) < ANGLE_LIMIT)) | is_lost;
}

void HR_K(math1_f64)(int op, double *restrict dst, const double *restrict src, int64_t n)
{
    switch (op) {
    case HR_UNARY_CBRT: LOOP1(cbrt_of, cbrt_far, is_cbrt_wild);
    case HR_UNARY_EXP: LOOP1(exp_of, exp, never);
    case HR_UNARY_LOG: LOOP1(log_of, log, is_denormal);
    case HR_UNARY_LOG2: LOOP1(log2_of, log2, is_denormal);
    case HR_UNARY_LOG10: LOOP1(log10_of, log10, is_denormal);
    case HR_UNARY_SIN: LOOP1(sin_of, sin, is_far);
    case HR_UNARY_COS: LOOP1(cos_of, cos, is_far);
    case HR_UNARY_TAN: LOOP1(tan_of, tan, is_far);
    case HR_UNARY_ASIN: LOOP1(asin_of, asin, never);
    case HR_UNARY_ACOS: LOOP1(acos_of, acos, never);
    case HR_UNARY_ATAN: LOOP1(atan_of, atan, never);
    case HR_UNARY_SINH: LOOP1(sinh_of, sinh, never);
    case HR_UNARY_COSH: LOOP1(cosh_of, cosh, never);
    case HR_UNARY_TANH: LOOP1(tanh_of, tanh, never);
    case HR_UNARY_ASINH: LOOP1(asinh_of, asinh, never);
    case HR_UNARY_ACOSH: LOOP1(acosh_of, acosh, never);
    case HR_UNARY_ATANH: LOOP1(atanh_of, atanh, never);
    default: return;
    }
}

#define LOOP2(F, C, IS_WILD)                                                           \
    do {                                                                               \
        int wild = 0;                                                                  \
        for (int64_t i = 0; i < n; i++) dst[i] = F(a[i], b[i]);                        \
        for (int64_t i = 0; i < n; i++) wild |= IS_WILD(a[i], b[i]);                   \
        for (int64_t i = 0; wild && i < n; i++)                                        \
            if (IS_WILD(a[i], b[i])) dst[i] = C(a[i], b[i]);                           \
        return;                                                                        \
    } while (0)

static inline int is_pow_wild(double x, double y)
{
    int is_tiny = (fabs(y) < 0x1p-100) & (y != 0);
    return is_denormal(x, 0) | is_tiny | (!(fabs(x) < INFINITY)) | (!(fabs(y) < 0x1p51));
}

/* Quotients, and sums, are then normal numbers. */
static inline int is_coordinate(double x)
{
    return ((fabs(x) > 0x1p-500) & (fabs(x) < 0x1p500)) | (x == 0);
}

static inline int is_atan2_wild(double y, double x)
{
    return !(is_coordinate(y) & is_coordinate(x));
}

void HR_K(math2_f64)(int op, double *restrict dst, const double *restrict a,
                     const double *restrict b, int64_t n)
{
    switch (op) {
    case HR_BINARY_ATAN2: LOOP2(atan2_of, atan2, is_atan2_wild);
    case HR_BINARY_POW:
    case HR_BINARY_FPOW: LOOP2(pow_of, pow, is_pow_wild);
    default: return;
    }
}
