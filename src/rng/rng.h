/* Distributions over the counter-based generator, for the rooms above: bits agree with the peer's
 * where docs/random.md says "exact". Functions that take hr_words draw from them, the others are
 * pure. Thread use: everything here is re-entrant. */
#ifndef HR_RNG_RNG_H
#define HR_RNG_RNG_H

#include <headrace/rng.h>

#include "core/core.h"

/* ---- words ----------------------------------------------------------------------- */

/* The words of a generator in turn, four made at a time. */
typedef struct hr_words {
    hr_rng rng;
    uint32_t block[4];
    int is_made; /* is `block` the one that `rng` points into? */
} hr_words;

/* The four words of the generator's current block. */
void hr__rng_block(const hr_rng *rng, uint32_t block[4]);

static inline hr_words hr__words_of(hr_rng rng)
{
    hr_words w;
    w.rng = rng;
    w.is_made = 0;
    return w;
}

static inline uint32_t hr__words_next(hr_words *w)
{
    if (!w->is_made) hr__rng_block(&w->rng, w->block);
    uint32_t word = w->block[w->rng.phase & 3];
    w->is_made = w->rng.phase != 3;
    if (w->is_made) w->rng.phase++;
    else hr_rng_skip(&w->rng, 1);
    return word;
}

/* Two words, the low one first. */
static inline uint64_t hr__words_next64(hr_words *w)
{
    uint64_t low = hr__words_next(w);
    return low | (uint64_t)hr__words_next(w) << 32;
}

/* ---- numbers --------------------------------------------------------------------- */

/* [0, 1) from one word in float, and from two (low first) in double: never 1. */
float hr__canonical_f32(hr_words *words);
double hr__canonical_f64(hr_words *words);

/* Unbiased integer below n. n = 0 means 2^64. */
uint64_t hr__below(hr_words *words, uint64_t n);

/* One coordinate of the Box-Muller pair, mean 0, deviation 1. */
float hr__normal_f32(uint32_t r1, uint32_t r2);
double hr__normal_f64(uint64_t r1, uint64_t r2);

/* A word up to and including the threshold means "true". */
uint32_t hr__coin_threshold(float probability);

/* [a, b) of a uniform distribution: value = min(fma(real(r), step, low), top). Types are in the
 * working precision; `low` < or = `top`. */
typedef struct hr_uniform_f32 { float low, step, top; } hr_uniform_f32;
typedef struct hr_uniform_f64 { double low, step, top; } hr_uniform_f64;
hr_uniform_f32 hr__uniform_init_f32(float a, float b);
hr_uniform_f64 hr__uniform_init_f64(double a, double b);

/* Weights (not negative, sum above 0) to cumulative sums, the last one 1. */
void hr__discrete_init(double *cdf, const float *weights, int64_t n);
/* The first index whose cumulative sum reaches the drawn number. */
int64_t hr__discrete_draw(const double *cdf, int64_t n, hr_words *words);

/* ---- gamma, beta, Poisson -------------------------------------------------------- */

/* Polar normals come in pairs; the second of a pair waits here. */
typedef struct hr_polar_f32 { float saved; int has_saved; } hr_polar_f32;
typedef struct hr_polar_f64 { double saved; int has_saved; } hr_polar_f64;
float hr__polar_f32(hr_polar_f32 *p, hr_words *words);
double hr__polar_f64(hr_polar_f64 *p, hr_words *words);

typedef struct hr_gamma_f32 {
    float shape, shape1, a1, a2; /* shape1: shape, plus one below 1 */
    hr_polar_f32 polar;
} hr_gamma_f32;
typedef struct hr_gamma_f64 {
    double shape, shape1, a1, a2;
    hr_polar_f64 polar;
} hr_gamma_f64;
void hr__gamma_init_f32(hr_gamma_f32 *g, float shape);
void hr__gamma_init_f64(hr_gamma_f64 *g, double shape);
float hr__gamma_f32(hr_gamma_f32 *g, hr_words *words);
double hr__gamma_f64(hr_gamma_f64 *g, hr_words *words);

/* alpha and beta positive and finite. The struct carries normals from draw to draw. */
typedef struct hr_beta_f32 {
    float alpha, beta;
    int both_small; /* both parameters below 1 */
    hr_gamma_f32 a, b;
} hr_beta_f32;
typedef struct hr_beta_f64 {
    double alpha, beta;
    int both_small;
    hr_gamma_f64 a, b;
} hr_beta_f64;
void hr__beta_init_f32(hr_beta_f32 *d, float alpha, float beta);
void hr__beta_init_f64(hr_beta_f64 *d, double alpha, double beta);
float hr__beta_f32(hr_beta_f32 *d, hr_words *words);
double hr__beta_f64(hr_beta_f64 *d, hr_words *words);

/* A Poisson count, as a real number. `mean` >= 0; infinity gives infinity. */
double hr__poisson(double mean, hr_words *words);

/* ---- permutations ---------------------------------------------------------------- */

enum { HR_PERM_REPEATS = 1, HR_PERM_NO_FIXED = 2 };
/* Fills out[0..n-1]; NO_FIXED is ignored for n = 1. 0 <= n <= INT32_MAX. */
void hr__permutation(int32_t *out, int64_t n, int flags, hr_words *words);

/* ---- random crop windows --------------------------------------------------------- */

typedef struct hr_crop_params {
    float area[2];  /* fraction of the picture's area */
    float ratio[2]; /* width / height */
    int64_t attempts;
} hr_crop_params;

typedef struct hr_crop_window { int64_t y, x, h, w; } hr_crop_window;

/* What an operator with such windows embeds, and lists as HR__CROP_ATTEMPTS_ARG and
 * HR__CROP_RANGE_ARGS. */
typedef struct hr__crop_draw_args {
    int64_t num_attempts;
    hr_floats random_area, random_aspect_ratio;
} hr__crop_draw_args;

#define HR__CROP_ATTEMPTS_ARG(type, member)                                            \
    HR__MEMBER_ARG(type, member, num_attempts, INT, .initial = "10", .min = 0, .max = 1000000,  \
                   .doc = "How often area and ratio are drawn before the largest window that "  \
                          "is allowed is taken.")
#define HR__CROP_RANGE_ARGS(type, member)                                              \
    HR__MEMBER_ARG(type, member, random_area, FLOATS, .initial = "[0.08, 1.0]", .min_n = 1,  \
                   .max_n = 2,                                                         \
                   .doc = "Smallest and largest fraction of the picture's area; one value "  \
                          "fixes it."),                                                \
    HR__MEMBER_ARG(type, member, random_aspect_ratio, FLOATS,                          \
                   .initial = "[0.75, 1.33333337]", .min_n = 1, .max_n = 2,            \
                   .doc = "Smallest and largest width / height; one value fixes it.")

/* Checks the ranges. HR_VALUE. */
HR_CHECKED hr_status hr__crop_params_init(hr_crop_params *p, const hr__crop_draw_args *a,
                                          hr_error *err);
/* The window that a sample with state `sample` gets in a picture of h x w; all zero when h or w
 * is not positive. h and w up to INT32_MAX. */
hr_crop_window hr__crop_window(hr_rng sample, int64_t h, int64_t w, const hr_crop_params *p);

#endif
