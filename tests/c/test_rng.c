/* The generator against published vectors, its skips and text form, kernels against it at every
 * CPU level, and distributions against their formulas. */
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

/* ---- the generator -------------------------------------------------------------------------- */

typedef struct known {
    uint32_t counter[4], key[2], words[4];
} known;

/* Known answers of the Random123 distribution for philox4x32, 10 rounds. */
static const known known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static hr_rng state_of(const known *k)
{
    return (hr_rng){
        .key = k->key[0] | (uint64_t)k->key[1] << 32,
        .lo = k->counter[0] | (uint64_t)k->counter[1] << 32,
        .hi = k->counter[2] | (uint64_t)k->counter[3] << 32,
    };
}

static void test_known_answers(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof known_answers / sizeof *known_answers; i++) {
        hr_rng rng = state_of(&known_answers[i]);
        hr_words words = hr__words_of(rng);
        for (int w = 0; w < 4; w++) {
            assert_int_equal(hr__words_next(&words), known_answers[i].words[w]);
            assert_int_equal(hr_rng_next(&rng), known_answers[i].words[w]);
        }
    }
    hr_rng rng = hr_rng_seed(1234);
    const uint32_t first[] = {546353992, 3665621163, 1140953199, 3419031310, 2666454581, 482218876};
    for (int i = 0; i < 6; i++) assert_int_equal(hr_rng_next(&rng), first[i]);
}

static int same_state(const hr_rng *a, const hr_rng *b)
{
    return a->key == b->key && a->hi == b->hi && a->lo == b->lo && a->phase == b->phase;
}

static void test_skip_equals_draws(void **unused)
{
    (void)unused;
    const hr_rng starts[] = {{1, 2, 3, 0}, {5, 6, UINT64_MAX - 3, 2}, {7, UINT64_MAX, UINT64_MAX, 3}};
    for (int s = 0; s < 3; s++) {
        hr_rng drawn = starts[s];
        hr_words words = hr__words_of(starts[s]);
        for (uint64_t n = 0; n < 40; n++) {
            hr_rng skipped = starts[s];
            hr_rng_skip(&skipped, n);
            assert_true(same_state(&skipped, &drawn));
            assert_true(same_state(&skipped, &words.rng));
            assert_int_equal(hr__words_next(&words), hr_rng_next(&drawn));
        }
    }
    hr_rng once = starts[1], twice = starts[1];
    hr_rng_skip(&once, UINT64_C(3) << 60);
    hr_rng_skip(&twice, UINT64_C(1) << 60);
    hr_rng_skip(&twice, UINT64_C(1) << 61);
    assert_true(same_state(&once, &twice));
}

static void test_call_sample_element(void **unused)
{
    (void)unused;
    hr_rng user = hr_rng_seed(42), copy = user;
    uint64_t w[HR_RNG_CALL_WORDS];
    for (int i = 0; i < HR_RNG_CALL_WORDS; i++) w[i] = hr_rng_next(&copy);
    hr_rng master = hr_rng_call(&user);
    const hr_rng expected = {w[0] | w[1] << 32, w[4] | w[5] << 32, w[2] | w[3] << 32,
                             (uint32_t)w[6] & 3};
    assert_true(same_state(&master, &expected));
    assert_true(same_state(&user, &copy));
    hr_rng sample = hr_rng_of_sample(&master, 3);
    assert_int_equal(sample.hi, master.hi + 3 * UINT64_C(65537));
    hr_rng element = hr_rng_of_element(&sample, 5), walked = sample;
    for (int i = 0; i < 5 * 257; i++) hr_rng_next(&walked);
    assert_true(same_state(&element, &walked));
}

/* ---- text form ------------------------------------------------------------------------------ */

static void test_text_round_trip(void **unused)
{
    (void)unused;
    const hr_rng states[] = {{0, 0, 0, 0}, {UINT64_MAX, UINT64_MAX, UINT64_MAX, 3},
                             {0x0123456789ABCDEF, 0xFEDCBA9876543210, 0xA5, 2}};
    char text[HR_RNG_TEXT_SIZE];
    for (int i = 0; i < 3; i++) {
        hr_rng back = {0};
        hr_rng_to_text(&states[i], text);
        assert_int_equal(strlen(text), HR_RNG_TEXT_SIZE - 1);
        assert_int_equal(hr_rng_from_text(&back, text, strlen(text), NULL), HR_OK);
        assert_true(same_state(&states[i], &back));
    }
    assert_string_equal(text, "Philox_0123456789ABCDEF_FEDCBA9876543210:00000000000000A5_2");
    for (char *p = text + 7; *p; p++)
        if (*p >= 'A' && *p <= 'F') *p = (char)(*p - 'A' + 'a');
    hr_rng lower = {0};
    assert_int_equal(hr_rng_from_text(&lower, text, strlen(text), NULL), HR_OK);
    assert_true(same_state(&states[2], &lower));
}

static void test_text_is_strict(void **unused)
{
    (void)unused;
    const char *good = "Philox_0123456789ABCDEF_FEDCBA9876543210:00000000000000A5_2";
    const size_t len = HR_RNG_TEXT_SIZE - 1;
    hr_rng rng = hr_rng_seed(9), before = rng;
    char text[HR_RNG_TEXT_SIZE];
    for (size_t i = 0; i < len; i++) { /* no byte may be anything */
        strcpy(text, good);
        text[i] = 'g';
        hr_error err = {0};
        assert_int_equal(hr_rng_from_text(&rng, text, len, &err), HR_VALUE);
        assert_int_equal(err.status, HR_VALUE);
        assert_true(same_state(&rng, &before));
    }
    strcpy(text, good);
    text[len - 1] = '4';
    assert_int_equal(hr_rng_from_text(&rng, text, len, NULL), HR_VALUE);
    assert_int_equal(hr_rng_from_text(&rng, good, len - 1, NULL), HR_VALUE);
    assert_int_equal(hr_rng_from_text(&rng, good, len + 1, NULL), HR_VALUE);
    assert_int_equal(hr_rng_from_text(&rng, "", 0, NULL), HR_VALUE);
    assert_true(same_state(&rng, &before));
}

/* ---- kernels at each level -------------------------------------------------------------------- */

enum { N_KERNEL = 1000 };

static void check_words(const hr_kernels *kernels, const hr_rng *sample, int64_t n, int words)
{
    static uint32_t out[N_KERNEL * 7 + 1];
    out[n * words] = 0xC0FFEE;
    kernels->philox(sample, 11, n, words, out);
    assert_int_equal(out[n * words], 0xC0FFEE);
    for (int64_t j = 0; j < n; j++) {
        hr_rng rng = hr_rng_of_element(sample, (uint64_t)(11 + j));
        for (int w = 0; w < words; w++) assert_int_equal(out[j * words + w], hr_rng_next(&rng));
    }
}

static void check_uniform(const hr_kernels *kernels)
{
    static uint32_t words[2 * N_KERNEL];
    static float narrow[N_KERNEL], narrow_base[N_KERNEL];
    static double wide[N_KERNEL], wide_base[N_KERNEL];
    const hr_kernels *base = hr__kernels_of(HR_CPU_BASE);
    const hr_rng rng = hr_rng_seed(3);
    base->philox(&rng, 0, N_KERNEL, 2, words);
    words[0] = words[1] = UINT32_MAX; /* rounds up to 2^32 and must stay below the end */
    const hr_uniform_f32 u = hr__uniform_init_f32(-3.7f, 11.1f);
    const hr_uniform_f64 v = hr__uniform_init_f64(-3.7, 1e9);
    base->uniform_f32(words, N_KERNEL, u.low, u.step, u.top, narrow_base);
    base->uniform_f64(words, N_KERNEL, v.low, v.step, v.top, wide_base);
    kernels->uniform_f32(words, N_KERNEL, u.low, u.step, u.top, narrow);
    kernels->uniform_f64(words, N_KERNEL, v.low, v.step, v.top, wide);
    assert_memory_equal(narrow, narrow_base, sizeof narrow);
    assert_memory_equal(wide, wide_base, sizeof wide);
    for (int i = 0; i < N_KERNEL; i++) {
        assert_true(narrow[i] >= -3.7f && narrow[i] < 11.1f);
        assert_true(wide[i] >= -3.7 && wide[i] < 1e9);
    }
}

static void test_kernels(void **unused)
{
    (void)unused;
    const hr_rng samples[] = {{0x123456789abcdef, 7, 99, 0},
                              {1, UINT64_MAX, UINT64_MAX - 4000, 3},
                              {5, 6, 7, 1},
                              {5, 6, UINT64_MAX - 64, 2}};
    const int64_t sizes[] = {0, 1, 5, 47, 48, 127, 128, 129, 255, 256, N_KERNEL};
    const hr_cpu_level before = hr_cpu_level_get();
    for (int level = HR_CPU_BASE; level <= HR_CPU_AVX512; level++) {
        if (hr_cpu_level_set((hr_cpu_level)level, NULL) != HR_OK) continue;
        const hr_kernels *kernels = hr__kernels_of((hr_cpu_level)level);
        for (int s = 0; s < 4; s++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                for (int words = 1; words <= 7; words++)
                    check_words(kernels, &samples[s], sizes[i], words);
        check_uniform(kernels);
    }
    assert_int_equal(hr_cpu_level_set(before, NULL), HR_OK);
}

/* ---- integers below n ------------------------------------------------------------------------ */

static void test_below(void **unused)
{
    (void)unused;
    const uint64_t limits[] = {1, 2, 3, 7, 1000, 0x80000001, UINT32_MAX, UINT64_C(1) << 32,
                               (UINT64_C(1) << 32) + 1, UINT64_C(3) << 61, UINT64_MAX};
    hr_words words = hr__words_of(hr_rng_seed(5));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        double sum = 0;
        for (int k = 0; k < 20000; k++) {
            uint64_t v = hr__below(&words, limits[i]);
            assert_true(v < limits[i]);
            sum += (double)v / (double)limits[i];
        }
        /* Mean of 20000 uniform numbers: 1/2 - 1/(2n), deviation below 0.0021. */
        assert_true(fabs(sum / 20000 - 0.5 + 0.5 / (double)limits[i]) < 0.0105);
    }
}

/* At 3/4 of 2^32 a plain multiply would give each third number twice the chance of the others. */
static void test_below_is_unbiased(void **unused)
{
    (void)unused;
    const uint64_t n = 0xC0000000;
    hr_words words = hr__words_of(hr_rng_seed(6));
    int thirds[3] = {0};
    for (int k = 0; k < 30000; k++) thirds[hr__below(&words, n) % 3]++;
    for (int k = 0; k < 3; k++) assert_in_range(thirds[k], 10000 - 410, 10000 + 410);
}

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
    assert_int_equal(hr__crop_params_init(&p, (hr_floats){areas, 2}, (hr_floats){ratios, 2}, 10, &err),
                     HR_OK);
    assert_int_equal(hr__crop_params_init(&q, (hr_floats){small, 1}, (hr_floats){square, 1}, 0, &err),
                     HR_OK);
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
    const struct { const float *area, *ratio; int64_t n, attempts; } bad[] = {
        {reversed, area, 2, 10}, {area, reversed, 2, 10}, {negative, area, 2, 10},
        {area, negative, 2, 10}, {area, zero, 2, 10},     {odd, area, 2, 10},
        {area, endless, 2, 10},  {area, area, 0, 10},     {area, area, 3, 10},
        {area, area, 2, -1},     {area, area, 2, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_crop_params p;
        hr_error err = {0};
        hr_floats a = {bad[i].area, bad[i].n}, r = {bad[i].ratio, bad[i].n};
        assert_int_equal(hr__crop_params_init(&p, a, r, bad[i].attempts, &err), HR_VALUE);
        assert_true(err.message[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_skip_equals_draws),
        cmocka_unit_test(test_call_sample_element),
        cmocka_unit_test(test_text_round_trip),
        cmocka_unit_test(test_text_is_strict),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_below_is_unbiased),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_poisson_moments),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_crop_windows),
        cmocka_unit_test(test_crop_params),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
