/* The generator against published vectors, its skips and text form, and kernels against it at every
 * CPU level. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
