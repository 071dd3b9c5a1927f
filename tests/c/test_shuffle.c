/* The epoch's order: a permutation for every size, and as good as a random one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/shuffle.h"

static hr__shuffle shuffle;

static void init(int64_t n, uint64_t seed, uint64_t epoch, uint32_t stream)
{
    hr__shuffle_init(&shuffle, n, (hr__shuffle_key){seed, epoch, stream});
}

static void check_permutation(int64_t n)
{
    uint8_t *seen = calloc((size_t)n + 1, 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = hr__shuffle_at(&shuffle, i);
        assert_true(v >= 0 && v < n);
        assert_int_equal(seen[v], 0);
        seen[v] = 1;
    }
    free(seen);
}

static void permutes_every_size(void **state)
{
    (void)state;
    static const int64_t large[] = {2047, 2048, 2049, 4095, 4096, 4097, 10007, 65536, 100003};
    for (int64_t n = 1; n <= 70; n++) {
        init(n, 5, 1, 0);
        check_permutation(n);
    }
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        init(large[k], 5, 1, 0);
        check_permutation(large[k]);
    }
}

static void is_a_function_of_the_key(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1000, 5000};
    for (int k = 0; k < 2; k++) {
        int64_t first[100], differ[3] = {0};
        init(sizes[k], 1, 2, 3);
        for (int i = 0; i < 100; i++) first[i] = hr__shuffle_at(&shuffle, i);
        init(sizes[k], 1, 2, 3);
        for (int i = 0; i < 100; i++)
            assert_int_equal(first[i], hr__shuffle_at(&shuffle, i));
        static const hr__shuffle_key others[] = {{2, 2, 3}, {1, 3, 3}, {1, 2, 4}};
        for (int j = 0; j < 3; j++) {
            hr__shuffle_init(&shuffle, sizes[k], others[j]);
            for (int i = 0; i < 100; i++) differ[j] += first[i] != hr__shuffle_at(&shuffle, i);
            assert_true(differ[j] > 90);
        }
    }
}

/* A size that no table holds is asked for at any place without work that grows with it. */
static void reaches_anywhere_in_a_huge_set(void **state)
{
    (void)state;
    int64_t n = INT64_C(1) << 40;
    init(n, 9, 0, 0);
    int64_t low = 0;
    for (int64_t i = 0; i < 2000; i++) {
        int64_t v = hr__shuffle_at(&shuffle, i * 7919);
        assert_true(v >= 0 && v < n);
        low += v < n / 2;
    }
    assert_in_range(low, 850, 1150); /* 1000 +- 6.7 sigma */
}

/* Every order of four items comes about equally often: 24 cells, 23 degrees of freedom; the
 * bounds leave one in a thousand on each side, and the seeds are fixed. */
static void small_orders_are_uniform(void **state)
{
    (void)state;
    int counts[256] = {0}, n_orders = 0;
    for (uint64_t epoch = 0; epoch < 24000; epoch++) {
        init(4, 3, epoch, 0);
        int code = 0;
        for (int i = 0; i < 4; i++) code = code * 4 + (int)hr__shuffle_at(&shuffle, i);
        counts[code]++;
    }
    double chi2 = 0;
    for (int c = 0; c < 256; c++) {
        if (!counts[c]) continue;
        n_orders++;
        chi2 += (counts[c] - 1000.0) * (counts[c] - 1000.0) / 1000.0;
    }
    assert_int_equal(n_orders, 24);
    assert_true(chi2 > 7.5 && chi2 < 49.7);
}

/* The normal approximation of chi-square with `cells` degrees of freedom: its z value. */
static double z_of(double chi2, double freedom)
{
    double s = 0, x = 2 * freedom;
    for (s = x; s * s > x * (1 + 1e-12);) s = (s + x / s) / 2; /* square root */
    return (chi2 - freedom) / s;
}

/* (place, sample) over 200 epochs, in 50 x 50 cells; a permutation's margins are fixed, so there
 * are 49 * 49 degrees of freedom. 1-99 % is |z| < 2.33. */
static double place_sample_z(int64_t n, uint64_t seed)
{
    enum { CELLS = 50, EPOCHS = 200 };
    static double counts[CELLS][CELLS];
    memset(counts, 0, sizeof counts);
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        init(n, seed, epoch, 1);
        for (int64_t i = 0; i < n; i++)
            counts[i * CELLS / n][hr__shuffle_at(&shuffle, i) * CELLS / n]++;
    }
    double expected = (double)n * EPOCHS / (CELLS * CELLS), chi2 = 0;
    for (int a = 0; a < CELLS; a++)
        for (int b = 0; b < CELLS; b++)
            chi2 += (counts[a][b] - expected) * (counts[a][b] - expected) / expected;
    return z_of(chi2 * (double)(n - 1) / (double)n, (CELLS - 1.0) * (CELLS - 1.0));
}

static void places_are_uniform(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1000, 3000};
    for (int k = 0; k < 2; k++) {
        int outside = 0;
        for (uint64_t seed = 0; seed < 8; seed++) {
            double z = place_sample_z(sizes[k], seed);
            outside += z < -2.33 || z > 2.33;
        }
        assert_true(outside <= 1); /* 0.16 expected; two are one in a hundred */
    }
}

/* Ten classes one after the other in the list: neighbours of the order are of one class about as
 * often as chance has it, (n / 10 - 1) / (n - 1). */
static void classes_do_not_clump(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1000, 10000};
    for (int k = 0; k < 2; k++) {
        int64_t n = sizes[k], same = 0, n_pairs = 0;
        for (uint64_t epoch = 0; epoch < 50; epoch++) {
            init(n, 4, epoch, 1);
            for (int64_t i = 1; i < n; i++, n_pairs++)
                same += hr__shuffle_at(&shuffle, i) * 10 / n ==
                        hr__shuffle_at(&shuffle, i - 1) * 10 / n;
        }
        double share = (double)same / (double)n_pairs;
        double chance = ((double)n / 10 - 1) / ((double)n - 1);
        double sigma = 0.3 / (k ? 707.0 : 223.0); /* sqrt(p (1 - p) / pairs) */
        assert_true(share > chance - 4 * sigma && share < chance + 4 * sigma);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutes_every_size),
        cmocka_unit_test(is_a_function_of_the_key),
        cmocka_unit_test(reaches_anywhere_in_a_huge_set),
        cmocka_unit_test(small_orders_are_uniform),
        cmocka_unit_test(places_are_uniform),
        cmocka_unit_test(classes_do_not_clump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
