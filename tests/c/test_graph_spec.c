/* What is learned of axes, and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include <headrace/graphs.h>
#include <headrace/memory.h>

enum { UNKNOWN = HR_BATCH_UNKNOWN };

typedef struct sample { int64_t batch, size; } sample;

static hr_spec *learn(const sample *v, int n)
{
    hr_spec *s;
    assert_int_equal(hr_spec_create(&s, 1, &v[0].size, v[0].batch, NULL), HR_OK);
    for (int i = 1; i < n; i++) assert_int_equal(hr_spec_see(s, 1, &v[i].size, v[i].batch, NULL), HR_OK);
    return s;
}

#define LEARN(...) learn((sample[]){__VA_ARGS__}, sizeof((sample[]){__VA_ARGS__}) / sizeof(sample))

static void check(hr_spec *take_spec, hr_axis_kind kind, int64_t min, int64_t max, double multiplier)
{
    hr_axis a = hr_spec_axis(take_spec, 0);
    assert_int_equal(a.kind, kind);
    assert_int_equal(a.min, min);
    assert_int_equal(a.max, max);
    assert_true(isnan(multiplier) ? isnan(a.multiplier) : a.multiplier == multiplier);
    hr_spec_destroy(&take_spec);
}

static void finds_batch_and_dynamic_axes(void **state)
{
    (void)state;
    check(LEARN({2, 3}), HR_AXIS_STATIC, 3, 3, 1.5);
    check(LEARN({1, 4}, {2, 4}, {4, 4}), HR_AXIS_STATIC, 4, 4, 4);
    check(LEARN({1, 1}, {4, 4}), HR_AXIS_BATCH, 1, 4, 1);
    check(LEARN({2, 6}, {3, 9}), HR_AXIS_BATCH, 6, 9, 3);
    check(LEARN({2, 3}, {4, 6}), HR_AXIS_DYNAMIC, 3, 6, NAN); /* one and a half times */
    check(LEARN({1, 2}, {2, 5}), HR_AXIS_DYNAMIC, 2, 5, NAN);
    check(LEARN({2, 2}, {2, 4}), HR_AXIS_DYNAMIC, 2, 4, NAN); /* one batch size */
    check(LEARN({1, 0}, {2, 2}), HR_AXIS_DYNAMIC, 0, 2, NAN);
    check(LEARN({0, 0}, {2, 2}, {4, 4}), HR_AXIS_BATCH, 0, 4, 1);
    check(LEARN({0, 3}, {2, 2}, {4, 4}), HR_AXIS_DYNAMIC, 2, 4, NAN);
    check(LEARN({0, 0}, {0, 1}, {1, 1}), HR_AXIS_DYNAMIC, 0, 1, NAN);
}

static void samples_without_a_batch_size(void **state)
{
    (void)state;
    check(LEARN({UNKNOWN, 1}, {UNKNOWN, 2}), HR_AXIS_DYNAMIC, 1, 2, NAN);
    check(LEARN({1, 1}, {2, 2}, {UNKNOWN, 2}), HR_AXIS_BATCH, 1, 2, 1); /* that of the sample before */
    check(LEARN({1, 1}, {2, 2}, {UNKNOWN, 5}), HR_AXIS_DYNAMIC, 1, 5, NAN);
    check(LEARN({UNKNOWN, 6}, {1, 3}, {4, 12}), HR_AXIS_BATCH, 3, 12, 3); /* could have been two */
    check(LEARN({UNKNOWN, 7}, {1, 3}, {4, 12}), HR_AXIS_DYNAMIC, 3, 12, NAN);
    check(LEARN({UNKNOWN, 3}, {UNKNOWN, 6}, {1, 3}, {4, 12}), HR_AXIS_DYNAMIC, 3, 12, NAN);
}

/* An answer is revised by what comes later, and the order of known samples plays no part. */
static void all_evidence_counts(void **state)
{
    (void)state;
    static const sample v[] = {{1, 4}, {2, 4}, {3, 12}, {5, 20}};
    for (int first = 0; first < 4; first++) {
        sample turned[4];
        for (int i = 0; i < 4; i++) turned[i] = v[(first + i) % 4];
        check(learn(turned, 4), HR_AXIS_DYNAMIC, 4, 20, NAN); /* 4 of 2 contradicts 4 of 1 */
    }
    hr_spec *s = LEARN({1, 4}, {1, 4});
    assert_int_equal(hr_spec_axis(s, 0).is_open, 1);
    assert_int_equal(hr_spec_see(s, 1, (int64_t[]){8}, 2, NULL), HR_OK);
    assert_int_equal(hr_spec_axis(s, 0).kind, HR_AXIS_BATCH);
    hr_axis a = hr_spec_axis(s, 0);
    assert_int_equal(a.n_pairs, 2);
    assert_int_equal(a.pairs[0].count, 2);
    hr_spec_destroy(&s);
}

static void merging_loses_nothing(void **state)
{
    (void)state;
    static const sample v[] = {{1, 3}, {2, 6}, {8, 24}, {8, 24}, {3, 9}, {5, 15}, {4, 11}};
    for (int n = 2; n <= 7; n++)
        for (int cut = 1; cut < n; cut++) {
            hr_spec *whole = learn(v, n), *left = learn(v, cut), *right = learn(v + cut, n - cut);
            assert_int_equal(hr_spec_merge(left, right, NULL), HR_OK);
            hr_axis a = hr_spec_axis(whole, 0), b = hr_spec_axis(left, 0);
            assert_int_equal(a.kind, b.kind);
            assert_int_equal(a.min, b.min);
            assert_int_equal(a.max, b.max);
            assert_int_equal(a.n_pairs, b.n_pairs);
            for (int64_t i = 0; i < a.n_pairs; i++) assert_int_equal(a.pairs[i].count, b.pairs[i].count);
            hr_spec_destroy(&whole);
            hr_spec_destroy(&left);
            hr_spec_destroy(&right);
        }
}

/* More pairs than are kept: the answer is the same. */
static void forgotten_pairs_still_count(void **state)
{
    (void)state;
    enum { N = HR_AXIS_PAIRS + 200 };
    hr_spec *s = LEARN({1, 2}), *copy, *other = LEARN({3, 6});
    for (int64_t b = 2; b <= N; b++) assert_int_equal(hr_spec_see(s, 1, (int64_t[]){2 * b}, b, NULL), HR_OK);
    hr_axis a = hr_spec_axis(s, 0);
    assert_int_equal(a.kind, HR_AXIS_BATCH);
    assert_int_equal(a.max, 2 * N);
    assert_int_equal(a.n_forgotten, 200);
    assert_int_equal(hr_spec_copy(&copy, s, NULL), HR_OK);
    assert_int_equal(hr_spec_see(copy, 1, (int64_t[]){5}, N + 1, NULL), HR_OK); /* not kept either */
    assert_int_equal(hr_spec_axis(copy, 0).kind, HR_AXIS_DYNAMIC);
    assert_int_equal(hr_spec_merge(other, s, NULL), HR_OK);
    assert_int_equal(hr_spec_axis(other, 0).kind, HR_AXIS_BATCH);
    assert_int_equal(hr_spec_axis(other, 0).max, 2 * N);
    assert_int_equal(hr_spec_merge(other, copy, NULL), HR_OK);
    assert_int_equal(hr_spec_axis(other, 0).kind, HR_AXIS_DYNAMIC);
    hr_spec_destroy(&s);
    hr_spec_destroy(&copy);
    hr_spec_destroy(&other);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    hr_error err = {0};
    hr_spec *s = LEARN({1, 2}), *flat;
    assert_int_equal(hr_spec_create(&flat, 0, NULL, 3, NULL), HR_OK);
    assert_int_equal(hr_spec_merge(s, flat, &err), HR_VALUE);
    assert_non_null(strstr(err.message, "rank 0 for a spec of rank 1"));
    assert_int_equal(hr_spec_see(s, 2, (int64_t[]){1, 1}, 1, NULL), HR_VALUE);
    assert_int_equal(hr_spec_see(s, 1, (int64_t[]){1}, -5, NULL), HR_VALUE);
    assert_int_equal(hr_spec_axis(s, 0).n_pairs, 1);
    hr_axis bad = {HR_AXIS_BATCH, 0, 2, 4, 1.5, NULL, 0, 0};
    assert_int_equal(hr_spec_declare(s, 0, &bad, NULL), HR_VALUE);
    assert_int_equal(hr_spec_declare(s, 1, &bad, NULL), HR_INDEX);
    hr_spec_destroy(&flat);
    check(s, HR_AXIS_STATIC, 2, 2, 2);
}

static void declared_axes_go_on_learning(void **state)
{
    (void)state;
    hr_spec *s = LEARN({1, 2});
    hr_axis record = {HR_AXIS_BATCH, 0, 2, 16, 2, NULL, 0, 0};
    assert_int_equal(hr_spec_declare(s, 0, &record, NULL), HR_OK);
    assert_int_equal(hr_spec_axis(s, 0).kind, HR_AXIS_BATCH);
    assert_int_equal(hr_spec_see(s, 1, (int64_t[]){64}, 32, NULL), HR_OK);
    hr_spec *copy;
    assert_int_equal(hr_spec_copy(&copy, s, NULL), HR_OK);
    check(copy, HR_AXIS_BATCH, 2, 64, 2);
    assert_int_equal(hr_spec_see(s, 1, (int64_t[]){5}, 2, NULL), HR_OK);
    check(s, HR_AXIS_DYNAMIC, 2, 64, NAN);
    s = LEARN({2, 2}); /* a name for an axis of one size */
    record = (hr_axis){HR_AXIS_BATCH, 0, 2, 2, 1, NULL, 0, 0};
    assert_int_equal(hr_spec_declare(s, 0, &record, NULL), HR_OK);
    check(s, HR_AXIS_BATCH, 2, 2, 1);
}

static void says_why(void **state)
{
    (void)state;
    struct { hr_spec *spec; const char *words; } cases[] = {
        {LEARN({1, 1}, {4, 4}), "1 times the batch size in all 2 samples (1 at batch size 1, 4 at batch size 4)"},
        {LEARN({1, 1}), "always 1 in 1 sample of batch size 1: still open, record one more sample"},
        {LEARN({1, 4}, {2, 4}), "always 4 in 2 samples of batch sizes 1 to 2: of one size"},
        {LEARN({1, 2}, {2, 5}), "2 at batch size 1, but 5 at batch size 2"},
        {LEARN({2, 2}, {UNKNOWN, 3}), "2 at batch size 2, but 3 at batch size 2"},
        {LEARN({UNKNOWN, 2}, {UNKNOWN, 3}), "no sample had a batch size"},
        {LEARN({UNKNOWN, 7}, {1, 2}, {2, 4}), "samples without a batch size have sizes from 7 to 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256], cut[12];
        size_t n = hr_spec_explain(cases[i].spec, 0, text, sizeof text);
        assert_int_equal(n, strlen(text));
        if (!strstr(text, cases[i].words)) fail_msg("%s\nlacks: %s", text, cases[i].words);
        assert_int_equal(hr_spec_explain(cases[i].spec, 0, cut, sizeof cut), n);
        assert_int_equal(strlen(cut), sizeof cut - 1);
        assert_memory_equal(cut, text, sizeof cut - 1);
        hr_spec_destroy(&cases[i].spec);
    }
}

static void fails_cleanly_without_memory(void **state)
{
    (void)state;
    hr_alloc_stats before, after;
    hr_alloc_get_stats(&before);
    for (uint64_t nth = 1; nth <= 8; nth++) {
        hr_spec *s, *copy = NULL;
        hr_alloc_fail_at(nth);
        hr_status status = hr_spec_create(&s, 2, (int64_t[]){1, 2}, 1, NULL);
        for (int64_t b = 2; status == HR_OK && b < 8; b++)
            status = hr_spec_see(s, 2, (int64_t[]){b, 2}, b, NULL);
        if (status == HR_OK) status = hr_spec_copy(&copy, s, NULL);
        hr_alloc_fail_at(0);
        assert_true(status == HR_OK || status == HR_NOMEM);
        hr_spec_destroy(&copy);
        hr_spec_destroy(&s);
    }
    hr_alloc_get_stats(&after);
    assert_true(after.live_blocks == before.live_blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_batch_and_dynamic_axes),
        cmocka_unit_test(samples_without_a_batch_size),
        cmocka_unit_test(all_evidence_counts),
        cmocka_unit_test(merging_loses_nothing),
        cmocka_unit_test(forgotten_pairs_still_count),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(declared_axes_go_on_learning),
        cmocka_unit_test(says_why),
        cmocka_unit_test(fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
