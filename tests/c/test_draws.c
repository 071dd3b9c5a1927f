/* What is drawn from the generator: permutations, Poisson and beta numbers, crop windows, against
 * their formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "rng/rng.h"

/* ---- permutations ------------------------------------------------------------------------------ */

static void check_order(int64_t n, int flags, uint64_t seed)
{
    int32_t *order = malloc(((size_t)n + 1) * sizeof *order);
    int32_t *seen = calloc((size_t)n + 1, sizeof *seen);
    hr_words words = hr__words_of(hr_rng_seed(seed));
    hr__permutation(order, n, flags, &words);
    for (int64_t i = 0; i < n; i++) {
        assert_true(order[i] >= 0 && order[i] < n);
        if (flags & HR_PERM_NO_FIXED && n > 1) assert_int_not_equal(order[i], i);
        if (!(flags & HR_PERM_REPEATS)) assert_int_equal(seen[order[i]]++, 0);
    }
    free(order);
    free(seen);
}

static void test_permutations(void **unused)
{
    (void)unused;
    const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 13, 65535, 65536, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int flags = 0; flags < 4; flags++)
            for (uint64_t seed = 0; seed < (sizes[i] < 100 ? 50 : 1); seed++)
                check_order(sizes[i], flags, seed);
    /* Every order of three comes up about equally often. */
    int counts[9] = {0};
    hr_words words = hr__words_of(hr_rng_seed(8));
    for (int k = 0; k < 6000; k++) {
        int32_t order[3];
        hr__permutation(order, 3, 0, &words);
        counts[order[0] * 3 + order[1]]++;
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (a != b) assert_in_range(counts[a * 3 + b], 1000 - 145, 1000 + 145);
}

/* ---- Poisson and beta --------------------------------------------------------------------------- */

/* Chi-square of 100000 counts in cells of one number, tails joined, against the formula. */
static void check_poisson(double mean)
{
    enum { N = 100000, CELLS = 400 };
    static int counts[CELLS];
    memset(counts, 0, sizeof counts);
    int first = (int)fmax(0, mean - 4 * sqrt(mean)), last = (int)(mean + 4 * sqrt(mean));
    assert_true(last - first + 1 < CELLS);
    const hr_rng sample = hr_rng_seed(77);
    for (uint64_t j = 0; j < N; j++) {
        hr_words words = hr__words_of(hr_rng_of_element(&sample, j));
        double k = hr__poisson(mean, &words);
        assert_true(k >= 0 && k == floor(k));
        counts[(int)fmin(fmax(k, first), last) - first]++;
    }
    double chi2 = 0, rest_p = 1, rest_n = N;
    int cells = 0;
    for (int k = first + 1; k < last; k++) {
        double p = exp(k * log(mean) - mean - lgamma(k + 1.0));
        double d = counts[k - first] - N * p;
        if (N * p < 5) continue;
        chi2 += d * d / (N * p);
        rest_p -= p;
        rest_n -= counts[k - first];
        cells++;
    }
    chi2 += (rest_n - N * rest_p) * (rest_n - N * rest_p) / (N * rest_p);
    /* Mean `cells`, deviation sqrt(2 cells): five of them. */
    assert_true(chi2 < cells + 5 * sqrt(2.0 * cells));
}

static void test_poisson(void **unused)
{
    (void)unused;
    const double means[] = {0.3, 5, 11.99, 12, 12.5, 13, 30.25, 100, 1000};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) check_poisson(means[i]);
    hr_words words = hr__words_of(hr_rng_seed(1));
    assert_true(hr__poisson(0, &words) == 0);
    assert_true(isinf(hr__poisson(INFINITY, &words)));
}

/* Mean and variance over the range of methods; five deviations of each. */
static void test_poisson_moments(void **unused)
{
    (void)unused;
    enum { N = 20000 };
    const double means[] = {12, 1e4, 1e6, 1e9, 1e12, 1e15};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        const double mean = means[i];
        double sum = 0, squares = 0;
        hr_words words = hr__words_of(hr_rng_seed(i));
        for (int k = 0; k < N; k++) {
            double z = (hr__poisson(mean, &words) - mean) / sqrt(mean);
            sum += z;
            squares += z * z;
        }
        assert_true(fabs(sum / N) < 5 / sqrt(N));
        assert_true(fabs(squares / N - 1) < 5 * sqrt((2 + 1 / mean) / N));
    }
}

static void check_beta(double alpha, double beta)
{
    enum { N = 40000 };
    hr_beta_f64 wide;
    hr_beta_f32 narrow;
    double sum[2] = {0}, squares[2] = {0};
    hr__beta_init_f64(&wide, alpha, beta);
    hr__beta_init_f32(&narrow, (float)alpha, (float)beta);
    hr_words words = hr__words_of(hr_rng_seed(31));
    for (int k = 0; k < N; k++) {
        double v[2] = {hr__beta_f64(&wide, &words), hr__beta_f32(&narrow, &words)};
        for (int p = 0; p < 2; p++) {
            assert_true(v[p] >= 0 && v[p] <= 1);
            sum[p] += v[p];
            squares[p] += v[p] * v[p];
        }
    }
    double t = alpha + beta, mean = alpha / t, variance = alpha * beta / (t * t * (t + 1));
    for (int p = 0; p < 2; p++) {
        double m = sum[p] / N;
        assert_true(fabs(m - mean) < 5 * sqrt(variance / N));
        /* Their kurtosis is below 5: one deviation of the variance is below 1 % of it. */
        assert_true(fabs(squares[p] / N - m * m - variance) < 0.05 * variance);
    }
}

static void test_beta(void **unused)
{
    (void)unused;
    const double parameters[][2] = {{1, 1}, {2, 3}, {0.5, 0.5}, {0.1, 0.3}, {0.5, 2}, {50, 7}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        check_beta(parameters[i][0], parameters[i][1]);
    hr_beta_f64 d; /* gamma variates of such parameters are all zero */
    hr__beta_init_f64(&d, 1e-300, 1e-300);
    hr_words words = hr__words_of(hr_rng_seed(2));
    int ones = 0;
    for (int k = 0; k < 1000; k++) {
        double v = hr__beta_f64(&d, &words);
        assert_true(v == 0 || v == 1);
        ones += v == 1;
    }
    assert_in_range(ones, 400, 600);
}

/* ---- crop windows ------------------------------------------------------------------------------- */

static void check_windows(int64_t h, int64_t w, const hr_crop_params *p)
{
    for (int64_t i = 0; i < 20; i++) {
        const hr_rng master = hr_rng_seed((uint64_t)(h * 31 + w));
        hr_crop_window c = hr__crop_window(hr_rng_of_sample(&master, i), h, w, p);
        if (h == 0 || w == 0) {
            assert_true(c.x == 0 && c.y == 0 && c.h == 0 && c.w == 0);
            continue;
        }
        assert_true(c.h >= 1 && c.w >= 1 && c.y >= 0 && c.x >= 0);
        assert_true(c.y + c.h <= h && c.x + c.w <= w);
        if (h < 64 || w < 64) continue; /* rounding to pixels no longer matters much */
        double ratio = (double)c.w / (double)c.h, area = (double)c.w * (double)c.h;
        if (fmax((double)h / (double)w, (double)w / (double)h) > 4) continue; /* may not fit */
        assert_true(ratio > 0.95 * p->ratio[0] && ratio < 1.05 * p->ratio[1]);
        assert_true(area > 0.9 * p->area[0] * (double)(h * w));
        assert_true(area < 1.1 * p->area[1] * (double)(h * w));
    }
}

static void test_crop_windows(void **unused)
{
    (void)unused;
    const float areas[] = {0.08f, 1}, ratios[] = {3.0f / 4, 4.0f / 3};
    const float small[] = {0.25f}, square[] = {1};
    hr_crop_params p, q;
    hr_error err = {0};
    const hr__crop_draw_args usual = {10, {areas, 2}, {ratios, 2}}, fixed = {0, {small, 1}, {square, 1}};
    assert_int_equal(hr__crop_params_init(&p, &usual, &err), HR_OK);
    assert_int_equal(hr__crop_params_init(&q, &fixed, &err), HR_OK);
    const int64_t extents[] = {0, 1, 2, 17, 64, 100, 640, 4000, 100000, INT32_MAX};
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) check_windows(extents[i], extents[j], &p);
    check_windows(640, 640, &q);
}

static void test_crop_params(void **unused)
{
    (void)unused;
    const float area[] = {0.1f, 1}, reversed[] = {1, 0.5f}, negative[] = {-1, 1}, zero[] = {0, 1};
    const float odd[] = {NAN, 1}, endless[] = {1, INFINITY};
    const struct { const float *area, *ratio; } bad[] = {
        {reversed, area}, {area, reversed}, {negative, area}, {area, negative},
        {area, zero},     {odd, area},      {area, endless},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_crop_params p;
        hr_error err = {0};
        const hr__crop_draw_args a = {10, {bad[i].area, 2}, {bad[i].ratio, 2}};
        assert_int_equal(hr__crop_params_init(&p, &a, &err), HR_VALUE);
        assert_true(err.message[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_poisson_moments),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_crop_windows),
        cmocka_unit_test(test_crop_params),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
