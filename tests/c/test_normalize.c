/* The kernels of normalisation: planes and pixels against indexing, the affine map against its
 * formula, and the bits of every CPU level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

enum { MOST = 200, CHANNELS = 6, BYTES = MOST * CHANNELS * 8 };

static uint8_t pixels[BYTES], planes[BYTES], back[BYTES];

static void fill_random(uint8_t *p, size_t n)
{
    uint32_t x = 2463534242u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        p[i] = (uint8_t)(x >> 11);
    }
}

static int has_level(hr_cpu_level level)
{
    hr_cpu_level before = hr_cpu_level_get();
    int has = hr_cpu_level_set(level, NULL) == HR_OK;
    assert_int_equal(hr_cpu_level_set(before, NULL), HR_OK);
    return has;
}

static void check_lanes(const hr_kernels *k, const hr_lanes *l)
{
    size_t size = (size_t)l->size, n = (size_t)l->n, c = (size_t)l->channels;
    k->split(planes, pixels, l);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < c; j++) {
            size_t at = l->mirror ? n - 1 - i : i;
            assert_memory_equal(planes + (j * n + at) * size, pixels + (i * c + j) * size, size);
        }
    k->merge(back, planes, l);
    assert_memory_equal(back, pixels, n * c * size);
}

static void test_lanes(void **state)
{
    (void)state;
    static const int64_t lengths[] = {0, 1, 2, 15, 16, 17, 48, 63, MOST};
    static const int sizes[] = {1, 2, 4, 8};
    fill_random(pixels, sizeof pixels);
    for (int level = HR_CPU_BASE; level <= HR_CPU_AVX512; level++) {
        if (!has_level((hr_cpu_level)level)) continue;
        const hr_kernels *k = hr__kernels_of((hr_cpu_level)level);
        for (int a = 0; a < 9; a++)
            for (int b = 0; b < 4; b++)
                for (int c = 1; c <= CHANNELS; c++)
                    for (int m = 0; m < 2; m++)
                        check_lanes(k, &(hr_lanes){lengths[a], c, sizes[b], m});
    }
}

static float at(hr_dtype from, const void *src, int64_t i)
{
    return from == HR_U8 ? (float)((const uint8_t *)src)[i] : ((const float *)src)[i];
}

static void check_map(const hr_kernels *k, hr_dtype from, int64_t n, const hr_affine *a)
{
    static float src_real[MOST], out[MOST + 1];
    for (int i = 0; i < MOST; i++) src_real[i] = (float)pixels[i] * 1.37f - 100.0f;
    const void *src = from == HR_U8 ? (const void *)pixels : src_real;
    out[n] = 42.0f;
    k->affine(out, src, from, n, a);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = i % a->period;
        /* volatile: the product is rounded before the sum */
        volatile float product = (at(from, src, i) - a->mean[j]) * a->mul[j];
        float want = product + a->add[j];
        assert_memory_equal(&out[i], &want, sizeof want);
    }
    assert_true(out[n] == 42.0f);
}

static void test_map(void **state)
{
    (void)state;
    float mean[12], mul[12], add[12];
    for (int i = 0; i < 12; i++) {
        mean[i] = 100.1f + (float)i * 3.3f;
        mul[i] = 1 / (50.7f + (float)i);
        add[i] = (float)(i % 3) * 0.7f;
    }
    fill_random(pixels, sizeof pixels);
    static const int64_t lengths[] = {0, 1, 7, 31, 33, 64, 199};
    static const int64_t periods[] = {1, 3, 12};
    for (int level = HR_CPU_BASE; level <= HR_CPU_AVX512; level++) {
        if (!has_level((hr_cpu_level)level)) continue;
        const hr_kernels *k = hr__kernels_of((hr_cpu_level)level);
        for (int i = 0; i < 7; i++)
            for (int p = 0; p < 3; p++) {
                hr_affine a = {mean, mul, add, periods[p]};
                check_map(k, HR_U8, lengths[i], &a);
                check_map(k, HR_F32, lengths[i], &a);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes), cmocka_unit_test(test_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
