/* Uniform, normal, coin and discrete distributions. Each operation rounds to the type it is
 * written in: a contracted multiply-add would change bits. */
#include "rng/rng.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

float hr__canonical_f32(hr_words *words)
{
    float v = (float)hr__words_next(words) * 0x1p-32f;
    return v < 1 ? v : 0x1.fffffep-1f; /* words near 2^32 round up to 1 */
}

double hr__canonical_f64(hr_words *words)
{
    /* Summed in double, so that the words' rounding is the same as the peer's. */
    double low = (double)hr__words_next(words);
    double v = (low + (double)hr__words_next(words) * 0x1p32) * 0x1p-64;
    return v < 1 ? v : 0x1.fffffffffffffp-1;
}

/* Lemire's multiply and reject, "Fast random integer generation in an interval", 2019.
 * 1 <= n < 2^32. */
static uint32_t below_32(hr_words *words, uint32_t n)
{
    uint64_t m = (uint64_t)hr__words_next(words) * n;
    if ((uint32_t)m < n) {
        uint32_t reject = (uint32_t)-n % n;
        while ((uint32_t)m < reject) m = (uint64_t)hr__words_next(words) * n;
    }
    return (uint32_t)(m >> 32);
}

uint64_t hr__below(hr_words *words, uint64_t n)
{
    uint64_t last = n - 1;
    if (last < UINT32_MAX) return below_32(words, (uint32_t)n);
    if (last == UINT32_MAX) return hr__words_next(words);
    /* A high part that may overshoot in its last step, then a low word; both anew if over. */
    uint64_t n_high = (last >> 32) + 1, v;
    do {
        uint64_t high = n_high > UINT32_MAX ? hr__words_next(words)
                                            : below_32(words, (uint32_t)n_high);
        v = high << 32 | hr__words_next(words);
    } while (v > last);
    return v;
}

float hr__normal_f32(uint32_t r1, uint32_t r2)
{
    float u = (float)r1 * 0x1p-32f, v = (float)r2 * 0x1p-32f;
    if (u == 0) {
        u = v == 0 ? 1e-30f : v;
        v = 0;
    }
    float radius = sqrtf(-2.0f * logf(u));
    return radius * cosf(0x1.921fb6p+2f * v); /* 2 pi */
}

double hr__normal_f64(uint64_t r1, uint64_t r2)
{
    double u = (double)r1 * 0x1p-64, v = (double)r2 * 0x1p-64;
    if (u == 0) {
        u = v == 0 ? 1e-30f : v;
        v = 0;
    }
    double radius = sqrt(-2.0 * log(u));
    return radius * cos(0x1.921fb54442d18p+2 * v);
}

uint32_t hr__coin_threshold(float probability)
{
    float t = probability * 0x1p32f;
    if (t >= 0x1p32f) return UINT32_MAX;
    return t > 0 ? (uint32_t)t : 0;
}

hr_uniform_f32 hr__uniform_init_f32(float a, float b)
{
    float top = nextafterf(b, a);
    float low = a > top ? top : a;
    if (a > top) top = a;
    return (hr_uniform_f32){ .low = low, .step = (top - low) * 0x1p-32f, .top = top };
}

hr_uniform_f64 hr__uniform_init_f64(double a, double b)
{
    double top = nextafter(b, a);
    double low = a > top ? top : a;
    if (a > top) top = a;
    return (hr_uniform_f64){ .low = low, .step = (top - low) * 0x1p-64, .top = top };
}

void hr__discrete_init(double *cdf, const float *weights, int64_t n)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++) sum += weights[i];
    for (int64_t i = 0; i < n; i++) {
        total += weights[i] / sum;
        cdf[i] = total;
    }
    if (n > 0) cdf[n - 1] = 1;
}

int64_t hr__discrete_draw(const double *cdf, int64_t n, hr_words *words)
{
    double u = hr__canonical_f64(words);
    int64_t first = 0, count = n;
    while (count > 0) {
        int64_t half = count / 2;
        if (cdf[first + half] < u) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first < n ? first : n - 1;
}
