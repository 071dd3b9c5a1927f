/* The Poisson distribution. Small means: Knuth's product of uniform numbers. Larger ones: the
 * rejection method of Devroye, "Non-uniform random variate generation", 1986, section X.3.3, with
 * its errata (the extra strip at +1), which is also what GNU's C++ library uses. */
#include "rng/rng.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define SMALL_MEAN 12.0
/* From here on log-factorials cancel badly, while the normal limit errs by less than 1e-6. */
#define HUGE_MEAN 0x1p40
#define PI_OVER_4 0x1.921fb54442d18p-1
#define EXP_1_78 1.0129030479320018583 /* exp(1/78) */

static double small_mean(double mean, hr_words *words)
{
    double limit = exp(-mean), product = 1;
    int64_t n = -1;
    do {
        product *= hr__canonical_f64(words);
        n++;
    } while (product > limit);
    return (double)n;
}

/* log(k!) for whole k >= 0: a running product, above it Stirling's series. (lgamma writes a global
 * variable, so it is not for threads.) */
static double log_factorial(double k)
{
    if (k < 16) {
        double product = 1;
        for (int i = 2; i <= (int)k; i++) product *= i;
        return log(product);
    }
    double x = k + 1, r = 1 / x, r2 = r * r;
    double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 / 1680)));
    return (x - 0.5) * log(x) - x + 0.91893853320467274178 + series; /* log(2 pi) / 2 */
}

static double exponential(hr_words *words)
{
    return -log(1 - hr__canonical_f64(words));
}

/* The dominating curve about the mode m: a normal to the left, a normal to the right up to d, an
 * exponential tail beyond, and strips at -1, 0 and +1. Fields are areas and scales. */
typedef struct dominating {
    double m, log_mean, log_m_factorial;
    double d, cx, left_scale, right_scale;
    double to_left, to_right, to_minus1, to_zero, to_plus1, total;
} dominating;

static void dominating_init(dominating *c, double mean)
{
    double m = floor(mean);
    c->m = m;
    c->log_mean = log(mean);
    c->log_m_factorial = log_factorial(m);
    c->left_scale = sqrt(m);
    double d = sqrt(2 * m * log(32 * m / PI_OVER_4));
    d = round(fmax(6, fmin(m, d)));
    double cx = 2 * m + d;
    c->d = d;
    c->cx = cx;
    c->right_scale = sqrt(cx / 2);
    c->to_left = c->left_scale * sqrt(2 * PI_OVER_4);
    c->to_right = c->to_left + sqrt(PI_OVER_4 * cx) * exp(1 / cx);
    c->to_minus1 = c->to_right + 1;
    c->to_zero = c->to_minus1 + 1;
    c->to_plus1 = c->to_zero + EXP_1_78;
    c->total = c->to_plus1 + 2 * cx * exp(-d / cx * (1 + d / 2)) / d;
}

/* A candidate's distance from m; *w is the logarithm of the curve there. */
static double candidate(const dominating *c, double u, hr_polar_f64 *polar, double *w,
                        hr_words *words)
{
    *w = 0;
    if (u <= c->to_left) {
        double n = hr__polar_f64(polar, words);
        *w = -n * n / 2;
        return floor(-fabs(n) * c->left_scale - 1);
    }
    if (u <= c->to_right) {
        double y = 1 + fabs(hr__polar_f64(polar, words)) * c->right_scale;
        *w = y * (2 - y) / c->cx;
        return ceil(y);
    }
    if (u <= c->to_minus1) return -1;
    if (u <= c->to_zero) return 0;
    if (u <= c->to_plus1) {
        *w = 1.0 / 78; /* the strip is that much higher than the curve's top */
        return 1;
    }
    double y = c->d + exponential(words) * 2 * c->cx / c->d;
    *w = -c->d / c->cx * (1 + y / 2);
    return ceil(y);
}

static double large_mean(double mean, hr_words *words)
{
    dominating c;
    dominating_init(&c, mean);
    hr_polar_f64 polar = { 0 };
    for (;;) {
        double w;
        double u = c.total * hr__canonical_f64(words);
        double e = exponential(words);
        double x = candidate(&c, u, &polar, &w, words);
        if (x < -c.m) continue;
        if (u > c.to_left && u <= c.to_right && x > c.d) continue;
        if (w - e - x * c.log_mean <= c.log_m_factorial - log_factorial(x + c.m))
            return x + c.m;
    }
}

double hr__poisson(double mean, hr_words *words)
{
    if (!(mean > 0)) return 0;
    if (mean < SMALL_MEAN) return small_mean(mean, words);
    if (mean < HUGE_MEAN) return large_mean(mean, words);
    if (isinf(mean)) return mean;
    uint64_t r1 = hr__words_next64(words), r2 = hr__words_next64(words);
    return rint(mean + sqrt(mean) * hr__normal_f64(r1, r2));
}
