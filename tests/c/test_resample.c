/* The resampler: weights, exact copies, the fixed-point path against real arithmetic, equal bits at
 * every CPU level, rows that come in pieces, windows of the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "image/resample.h"

enum { SIDE = 90, MOST = SIDE * SIDE * 5 };

static hr_arena *arena;
static uint8_t bytes[MOST], out_a[MOST * 4], out_b[MOST * 4];
static float reals[MOST];

static int set_up(void **state)
{
    (void)state;
    uint32_t x = 2463534242u;
    for (size_t i = 0; i < MOST; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        bytes[i] = (uint8_t)(x % 5 == 0 ? 255 : x % 5 == 1 ? 0 : x >> 11);
        reals[i] = (float)bytes[i] / 7 - 11;
    }
    return hr_arena_create(&arena, NULL) == HR_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    hr_arena_destroy(&arena);
    return 0;
}

static int has_level(hr_cpu_level level)
{
    hr_cpu_level before = hr_cpu_level_get();
    int has = hr_cpu_level_set(level, NULL) == HR_OK;
    assert_int_equal(hr_cpu_level_set(before, NULL), HR_OK);
    return has;
}

static hr__resample_axis make_axis(hr__resample_span span, hr_interp interp, int antialias)
{
    hr__resample_axis a;
    hr__resample_filter filter = {interp, interp, antialias};
    assert_int_equal(hr__resample_axis_make(&a, &span, &filter, arena, NULL), HR_OK);
    return a;
}

static void check_axis(const hr__resample_axis *a, int one)
{
    for (int64_t i = 0; i < a->n; i++) {
        double sum = 0;
        int fixed = 0;
        for (int k = 0; k < a->taps; k++) {
            sum += (double)a->weight[i * a->taps + k];
            fixed += a->weight16[i * a->taps + k];
        }
        assert_true(fabs(sum - 1) < 1e-5);
        if (a->taps > 1) assert_int_equal(fixed, one);
        assert_true(a->index[i] >= 0 && a->index[i] + a->taps <= a->in);
        if (i) assert_true((a->index[i] >= a->index[i - 1]) ==
                           (a->index[a->n - 1] >= a->index[0]) ||
                           a->index[i] == a->index[i - 1]);
    }
}

static void test_weights(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 13, 40, 57, 300};
    for (int f = 0; f <= HR_INTERP_GAUSSIAN; f++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                for (int flip = 0; flip < 2; flip++) {
                    hr__arena_mark mark = hr__arena_get_mark(arena);
                    hr__resample_span s = hr__resample_whole(sizes[i], sizes[j]);
                    if (flip) s.lo = s.hi, s.hi = 0;
                    hr__resample_axis a = make_axis(s, (hr_interp)f, (i + j) % 2);
                    assert_int_equal(hr__resample_axis_fix(&a, arena, NULL), HR_OK);
                    check_axis(&a, 1 << a.bits);
                    hr__arena_release(arena, mark);
                }
}

static void test_copies(void **state)
{
    (void)state;
    for (int f = 0; f < HR_INTERP_GAUSSIAN; f++) {
        hr__resample_axis a = make_axis(hr__resample_whole(9, 9), (hr_interp)f, 1);
        assert_int_equal(a.taps, 1);
        for (int i = 0; i < 9; i++) assert_int_equal(a.index[i], i);
        a = make_axis((hr__resample_span){.in = 9, .out = 9, .lo = 9, .count = 9},
                      (hr_interp)f, 1);
        assert_int_equal(a.taps, 1);
        for (int i = 0; i < 9; i++) assert_int_equal(a.index[i], 8 - i);
    }
}

static void test_bad_regions(void **state)
{
    (void)state;
    const float bad[][2] = {{0, INFINITY}, {NAN, 3}, {0, 3e9f}, {-INFINITY, 0}};
    hr__resample_filter filter = {HR_INTERP_LINEAR, HR_INTERP_LINEAR, 1};
    for (int i = 0; i < 4; i++) {
        hr__resample_span s = {.in = 9, .out = 4, .lo = bad[i][0], .hi = bad[i][1], .count = 4};
        hr__resample_axis a;
        hr_error err = {0};
        assert_int_equal(hr__resample_axis_make(&a, &s, &filter, arena, &err), HR_VALUE);
        assert_non_null(strstr(err.message, "region"));
    }
    /* Far outside, but of a sane width: the edge. */
    hr__resample_span far_away = {.in = 9, .out = 4, .lo = 1e6f, .hi = 1e6f + 8, .count = 4};
    hr__resample_axis a = make_axis(far_away, HR_INTERP_LINEAR, 1);
    for (int i = 0; i < 4; i++) {
        float last = a.weight[i * a.taps + 8 - a.index[i]];
        assert_true(fabsf(last - 1) < 1e-5f);
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

typedef struct job {
    int h, w, oh, ow, channels, filter, antialias;
    hr_dtype from, to;
    const float *region; /* y0 y1 x0 x1, or NULL */
} job;

static hr__resample_spec spec_of(const job *j)
{
    hr__resample_filter f = {(hr_interp)j->filter, (hr_interp)j->filter, j->antialias};
    hr__resample_spec s = {.y = hr__resample_whole(j->h, j->oh),
                           .x = hr__resample_whole(j->w, j->ow), .filter_y = f, .filter_x = f,
                           .channels = j->channels, .from = j->from, .to = j->to};
    s.y.running = 1;
    if (j->region) {
        s.y.lo = j->region[0], s.y.hi = j->region[1];
        s.x.lo = j->region[2], s.x.hi = j->region[3];
    }
    return s;
}

static size_t resample(const job *j, const hr__resample_spec *s, hr_cpu_level level, int batch,
                       void *dst)
{
    hr__arena_mark mark = hr__arena_get_mark(arena);
    hr__resample_plan p;
    assert_int_equal(hr__resample_plan_make(&p, s, hr__kernels_of(level), arena, NULL), HR_OK);
    const void *src = j->from == HR_U8 ? (const void *)bytes : (const void *)reals;
    int64_t in = j->w * j->channels * (int64_t)hr_dtype_size(j->from);
    int64_t out = s->x.count * j->channels * (int64_t)hr_dtype_size(j->to);
    hr__resample_stream *q;
    assert_int_equal(hr__resample_begin(&q, &p, dst, out, arena, NULL), HR_OK);
    for (int64_t y = 0; y < j->h; y += batch) {
        int64_t n = j->h - y < batch ? j->h - y : batch;
        char *rows = malloc((size_t)(n * in)); /* exactly: nothing beyond may be read */
        memcpy(rows, (const char *)src + y * in, (size_t)(n * in));
        assert_int_equal(hr__resample_rows(q, y, n, rows, in, NULL), HR_OK);
        memset(rows, 0xA5, (size_t)(n * in));
        free(rows);
    }
    assert_true(hr__resample_is_done(q));
    hr__arena_release(arena, mark);
    return (size_t)(s->y.count * out);
}

static const int sizes[][4] = {{24, 40, 13, 57}, {40, 24, 57, 13}, {33, 35, 34, 36},
                               {90, 90, 33, 31}, {1, 1, 5, 4},     {1, 40, 3, 13},
                               {40, 1, 13, 3},   {80, 3, 3, 80},   {3, 80, 80, 3},
                               {17, 19, 1, 1},   {10, 11, 10, 25}, {11, 10, 25, 10}};

/* Calls check for every size, filter and format. */
static void each_job(void (*check)(const job *))
{
    static const float region[] = {0.1f, 1.2f, 0.8f, 0.3f};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int f = 0; f <= HR_INTERP_GAUSSIAN; f++)
            for (int kind = 0; kind < 12; kind++) {
                const int *d = sizes[i];
                float r[4] = {region[0] * (float)d[0], region[1] * (float)d[0],
                              region[2] * (float)d[1], region[3] * (float)d[1]};
                int c = kind % 4 + 1 + (kind % 4 == 3);
                job j = {d[0], d[1], d[2], d[3], c, f, kind % 2,
                         kind / 4 == 2 ? HR_F32 : HR_U8, kind / 4 ? HR_F32 : HR_U8,
                         kind % 3 == 2 ? r : NULL};
                check(&j);
            }
}

static void check_levels(const job *j)
{
    hr__resample_spec s = spec_of(j);
    size_t n = resample(j, &s, HR_CPU_BASE, j->h, out_a);
    for (int level = HR_CPU_AVX2; level <= HR_CPU_AVX512; level++) {
        if (!has_level((hr_cpu_level)level)) continue;
        resample(j, &s, (hr_cpu_level)level, j->h, out_b);
        assert_memory_equal(out_a, out_b, n);
    }
}

static void test_levels(void **state)
{
    (void)state;
    each_job(check_levels);
}

static void check_pieces(const job *j)
{
    static const int pieces[] = {1, 3, 16};
    hr__resample_spec s = spec_of(j);
    size_t n = resample(j, &s, hr_cpu_level_get(), j->h, out_a);
    for (int i = 0; i < 3; i++) {
        resample(j, &s, hr_cpu_level_get(), pieces[i], out_b);
        assert_memory_equal(out_a, out_b, n);
    }
}

static void test_pieces(void **state)
{
    (void)state;
    each_job(check_pieces);
}

/* A part of the output has the bits of the same part of the whole. */
static void check_window(const job *j)
{
    if (j->oh < 4 || j->ow < 4) return;
    hr__resample_spec s = spec_of(j);
    resample(j, &s, hr_cpu_level_get(), j->h, out_a);
    hr__resample_spec part = s;
    part.y.first = 1, part.y.count = j->oh - 3;
    part.x.first = 2, part.x.count = j->ow - 3;
    resample(j, &part, hr_cpu_level_get(), j->h, out_b);
    size_t size = (size_t)j->channels * hr_dtype_size(j->to);
    for (int64_t y = 0; y < part.y.count; y++)
        assert_memory_equal(out_b + (size_t)(y * part.x.count) * size,
                            out_a + (size_t)((y + 1) * j->ow + 2) * size,
                            (size_t)part.x.count * size);
}

static void test_windows(void **state)
{
    (void)state;
    each_job(check_window);
}

/* Fixed point against float: at most rounding apart. */
static void check_fixed(const job *j)
{
    if (j->from != HR_U8 || j->to != HR_U8) return;
    hr__resample_spec s = spec_of(j);
    size_t n = resample(j, &s, hr_cpu_level_get(), j->h, out_a);
    s.to = HR_F32;
    job real = *j;
    real.to = HR_F32;
    resample(&real, &s, hr_cpu_level_get(), j->h, out_b);
    for (size_t i = 0; i < n; i++) {
        float want;
        memcpy(&want, out_b + i * sizeof want, sizeof want);
        want = want < 0 ? 0 : want > 255 ? 255 : want;
        assert_true(fabsf((float)out_a[i] - want) < 0.6f);
    }
}

static void test_fixed(void **state)
{
    (void)state;
    each_job(check_fixed);
}

static void test_constant(void **state)
{
    (void)state;
    static uint8_t flat[SIDE * SIDE], got[SIDE * SIDE];
    for (int f = 0; f <= HR_INTERP_GAUSSIAN; f++)
        for (int v = 0; v < 256; v += 51)
            for (int ow = 1; ow < SIDE; ow += 8) {
                memset(flat, v, sizeof flat);
                job j = {SIDE, SIDE, SIDE + 1 - ow, ow, 1, f, 1, HR_U8, HR_U8, NULL};
                hr__resample_spec s = spec_of(&j);
                hr__resample_plan p;
                hr__arena_mark mark = hr__arena_get_mark(arena);
                assert_int_equal(
                    hr__resample_plan_make(&p, &s, hr__kernels_of(hr_cpu_level_get()), arena,
                                           NULL), HR_OK);
                assert_int_equal(hr__resample_picture(&p, flat, got, arena, NULL), HR_OK);
                for (int i = 0; i < j.oh * j.ow; i++) assert_int_equal(got[i], v);
                hr__arena_release(arena, mark);
            }
}

static void test_gap(void **state)
{
    (void)state;
    job j = {24, 40, 13, 20, 1, HR_INTERP_LINEAR, 1, HR_U8, HR_U8, NULL};
    hr__resample_spec s = spec_of(&j);
    hr__resample_plan p;
    hr__resample_stream *q;
    hr_error err = {0};
    const hr_kernels *k = hr__kernels_of(HR_CPU_BASE);
    assert_int_equal(hr__resample_plan_make(&p, &s, k, arena, NULL), HR_OK);
    assert_int_equal(hr__resample_begin(&q, &p, out_a, 20, arena, NULL), HR_OK);
    assert_int_equal(hr__resample_rows(q, 0, 4, bytes, 40, NULL), HR_OK);
    assert_int_equal(hr__resample_rows(q, 5, 4, bytes, 40, &err), HR_BUG);
    assert_non_null(strstr(err.message, "row 5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_bad_regions), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_pieces),      cmocka_unit_test(test_windows),
        cmocka_unit_test(test_fixed),       cmocka_unit_test(test_constant),
        cmocka_unit_test(test_gap),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
