/* Element conversion: every pair of dtypes against a slow reference in long double, and the bits
 * of each CPU level against those of the base. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

enum { N_SMALL = 1 << 16, N_EDGES = 4096, N_BYTES = N_SMALL * 8 };

/* ---- elements as long double (which holds every value of every type) ------------------------ */

static long double small_float(unsigned bits, int exponent_bits, int significand_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    unsigned sign = bits >> (exponent_bits + significand_bits) & 1;
    unsigned e = bits >> significand_bits & ((1u << exponent_bits) - 1);
    unsigned s = bits & ((1u << significand_bits) - 1);
    long double v;
    if (e == (1u << exponent_bits) - 1) v = s ? NAN : INFINITY;
    else if (e == 0) v = ldexpl(s, 1 - bias - significand_bits);
    else v = ldexpl(s + (1u << significand_bits), (int)e - bias - significand_bits);
    return sign ? -v : v;
}

#define READ(T)                                                                        \
    do {                                                                               \
        T v;                                                                           \
        memcpy(&v, p, sizeof v);                                                       \
        return v;                                                                      \
    } while (0)

static long double value_of(hr_dtype dtype, const void *p)
{
    uint16_t h;
    memcpy(&h, p, hr_dtype_size(dtype) >= 2 ? 2 : 1);
    switch (dtype) {
    case HR_U8: READ(uint8_t);
    case HR_U16: READ(uint16_t);
    case HR_U32: READ(uint32_t);
    case HR_U64: READ(uint64_t);
    case HR_I8: READ(int8_t);
    case HR_I16: READ(int16_t);
    case HR_I64: READ(int64_t);
    case HR_F16: return small_float(h, 5, 10);
    case HR_BF16: return small_float(h, 8, 7);
    case HR_F32: READ(float);
    case HR_F64: READ(double);
    case HR_BOOL: return *(const uint8_t *)p != 0;
    default: READ(int32_t);
    }
}

static int is_real(hr_dtype dtype) { return hr_dtype_get_info(dtype)->kind == HR_KIND_FLOAT; }

/* To the grid of a short float, from float32; `away` says what halves do. */
static long double on_grid(long double x, int least_exponent, int bits, int away)
{
    x = (float)x;
    if (!isfinite(x) || x == 0) return x;
    int e = ilogbl(x);
    if (e < least_exponent) e = least_exponent;
    long double q = ldexpl(x, bits - e);
    q = away ? roundl(q) : rintl(q);
    long double y = ldexpl(q, e - bits), top = ldexpl(1, bits == 10 ? 16 : 128);
    return fabsl(y) >= top ? copysignl(INFINITY, x) : y;
}

static long double expected(hr_dtype to, hr_dtype from, long double x)
{
    const hr_dtype_info *info = hr_dtype_get_info(to);
    switch (info->kind) {
    case HR_KIND_FLOAT:
        if (to == HR_F16) return on_grid(x, -14, 10, 1);
        if (to == HR_BF16) return on_grid(x, -126, 7, 0);
        return to == HR_F32 ? (long double)(float)x : (long double)(double)x;
    case HR_KIND_BOOL: return is_real(from) ? !(fabsl(x) < 0.5L) : x != 0;
    default: break;
    }
    int is_signed = info->kind != HR_KIND_UNSIGNED;
    long double top = ldexpl(1, info->bits - is_signed) - 1;
    long double bottom = is_signed ? -ldexpl(1, info->bits - 1) : 0;
    if (isnan(x)) return 0;
    x = roundl(x);
    return x > top ? top : x < bottom ? bottom : x + 0.0L; /* no -0 */
}

static int is_same(long double a, long double b)
{
    return (isnan(a) && isnan(b)) || (a == b && (a != 0 || signbit(a) == signbit(b)));
}

/* ---- inputs -------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double edge(int i, uint64_t *state)
{
    static const double near_zero[] = {0, 0.5, 0.49999997, 0.49999999999999994, 1.5, 2.5, 3.5,
                                       65504, 65519, 65520, 2049, 2051, 0x1p-24, 0x1p-25,
                                       0x1.8p-24, 0x1p-14, 8388609.5, 4503599627370497.5};
    int n = (int)(sizeof near_zero / sizeof *near_zero);
    double v;
    if (i < 2 * n) v = near_zero[i / 2];
    else if (i < 2 * n + 130) v = ldexp(1, (i - 2 * n) / 2);
    else if (i < 2 * n + 390) v = ldexp(1, (i - 2 * n - 130) / 4) + (i % 4 < 2 ? -0.5 : 1);
    else v = (double)(draw(state) % 140000) / 2;
    return i & 1 ? -v : v;
}

/* All patterns of a type of up to 16 bits; edges and random bits of the others. */
static size_t make_input(hr_dtype dtype, char *data)
{
    size_t size = hr_dtype_size(dtype);
    uint64_t state = 88172645463325252u;
    if (size <= 2) {
        size_t n = size == 1 ? 256 : N_SMALL;
        for (size_t i = 0; i < n; i++) {
            uint16_t bits = (uint16_t)i;
            memcpy(data + i * size, &bits, size);
        }
        return n;
    }
    for (int i = 0; i < N_EDGES; i++) {
        uint64_t bits = draw(&state);
        double v = edge(i, &state);
        float f = (float)v;
        if (i % 3 == 0) memcpy(data + (size_t)i * size, &bits, size);
        else if (dtype == HR_F32) memcpy(data + (size_t)i * size, &f, size);
        else if (dtype == HR_F64) memcpy(data + (size_t)i * size, &v, size);
        else {
            int64_t whole = fabs(v) < 0x1p63 ? (int64_t)v : INT64_MIN + i;
            memcpy(data + (size_t)i * size, &whole, size); /* the low bytes */
        }
    }
    return N_EDGES;
}

static char *src, *dst, *base;

static int set_up(void **state)
{
    (void)state;
    src = malloc(N_BYTES + 64);
    dst = malloc(N_BYTES + 64);
    base = malloc(N_BYTES + 64);
    return !src || !dst || !base;
}

static int tear_down(void **state)
{
    (void)state;
    free(src);
    free(dst);
    free(base);
    return 0;
}

typedef void (*pair_test)(hr_dtype to, hr_dtype from, size_t n);

static void for_pairs(pair_test test)
{
    for (int i = 0; hr_dtype_at(i); i++) {
        size_t n = make_input(hr_dtype_at(i)->id, src);
        for (int j = 0; hr_dtype_at(j); j++) test(hr_dtype_at(j)->id, hr_dtype_at(i)->id, n);
    }
}

/* ---- tests --------------------------------------------------------------------------------- */

static void check_values(hr_dtype to, hr_dtype from, size_t n)
{
    size_t a = hr_dtype_size(from), b = hr_dtype_size(to);
    hr__kernels_of(HR_CPU_BASE)->convert(to, dst, from, src, n);
    for (size_t i = 0; i < n; i++) {
        long double x = value_of(from, src + i * a), y = value_of(to, dst + i * b);
        long double e = expected(to, from, x);
        if (!is_same(y, e))
            fail_msg("%s to %s: %.20Lg gives %.20Lg, not %.20Lg", hr_dtype_get_info(from)->name,
                     hr_dtype_get_info(to)->name, x, y, e);
    }
}

static void test_values(void **state)
{
    (void)state;
    for_pairs(check_values);
}

static hr_cpu_level level;

/* Odd lengths and places, so that vector loops and their remainders are both met. */
static void check_level(hr_dtype to, hr_dtype from, size_t n)
{
    size_t a = hr_dtype_size(from), b = hr_dtype_size(to);
    static const size_t skip[] = {0, 1, 7}, drop[] = {0, 5, 17};
    for (int k = 0; k < 3; k++) {
        const char *in = src + skip[k] * a;
        size_t count = n - skip[k] - drop[k];
        memset(dst, 0xa5, n * b + 64);
        memset(base, 0xa5, n * b + 64);
        hr__kernels_of(HR_CPU_BASE)->convert(to, base, from, in, count);
        hr__kernels_of(level)->convert(to, dst, from, in, count);
        if (memcmp(dst, base, n * b + 64) != 0)
            fail_msg("%s to %s differs at level %s", hr_dtype_get_info(from)->name,
                     hr_dtype_get_info(to)->name, hr_cpu_level_name(level));
    }
}

static void test_levels(void **state)
{
    (void)state;
    hr_cpu_level before = hr_cpu_level_get();
    for (int l = HR_CPU_AVX2; l <= HR_CPU_AVX512; l++) {
        level = (hr_cpu_level)l;
        if (hr_cpu_level_set(level, NULL) != HR_OK) {
            print_message("# this machine has no %s\n", hr_cpu_level_name(level));
            continue;
        }
        for_pairs(check_level);
    }
    assert_int_equal(hr_cpu_level_set(before, NULL), HR_OK);
}

static void check_in_place(hr_dtype to, hr_dtype from, size_t n)
{
    size_t a = hr_dtype_size(from);
    if (a != hr_dtype_size(to)) return;
    hr_dtype_convert(to, base, from, src, n);
    memcpy(dst, src, n * a);
    hr_dtype_convert(to, dst, from, dst, n);
    assert_memory_equal(dst, base, n * a);
}

static void test_in_place(void **state)
{
    (void)state;
    for_pairs(check_in_place);
}

static void test_nothing(void **state)
{
    (void)state;
    char guard = 42;
    hr_dtype_convert(HR_F32, &guard, HR_U8, src, 0);
    assert_int_equal(guard, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
