/* Batches: blocks and scattered samples, what may lie in one batch, empty ones, references. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <headrace/tensor.h>

static uint64_t live_blocks(void)
{
    hr_alloc_stats s;
    hr_alloc_get_stats(&s);
    return s.live_blocks;
}

/* n rows of int16, the i-th of `first + i * more` elements, numbered through. */
static hr_batch *make_rows(int64_t n, int64_t first, int64_t more)
{
    hr_batch *b = NULL;
    assert_int_equal(hr_batch_create(&b, n, NULL), HR_OK);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(
            hr_tensor_shape(&b->t[i], HR_I16, 1, (int64_t[]){first + i * more}, NULL), HR_OK);
    assert_int_equal(hr_batch_allocate(b, NULL), HR_OK);
    int16_t value = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < b->t[i].shape[0]; k++) ((int16_t *)b->t[i].data)[k] = value++;
    return b;
}

static void test_uniform_samples_are_a_block(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_batch *b = make_rows(5, 3, 0);
    assert_true(b->is_block);
    assert_int_equal(b->dtype, HR_I16);
    assert_int_equal(b->ndim, 1);
    assert_int_equal(b->t[0].buf->refs, 5);
    hr_tensor t;
    hr_error err = {0};
    assert_int_equal(hr_batch_as_tensor(&t, b, &err), HR_OK);
    assert_ptr_equal(t.data, b->t[0].data); /* no copy */
    assert_int_equal(t.ndim, 2);
    assert_int_equal(t.shape[0], 5);
    assert_int_equal(t.shape[1], 3);
    for (int16_t i = 0; i < 15; i++) assert_int_equal(((int16_t *)t.data)[i], i);
    hr_batch_unref(&b);
    assert_null(b);
    assert_int_equal(((int16_t *)t.data)[14], 14); /* the tensor keeps the memory */
    hr_tensor_clear(&t);
    assert_int_equal(live_blocks(), before);
}

static void test_ragged_samples(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_batch *b = make_rows(4, 1, 2);
    assert_false(b->is_block);
    for (int i = 0; i < 4; i++) assert_int_equal((uintptr_t)b->t[i].data % 64, 0);
    hr_tensor t = {0};
    hr_error err = {0};
    assert_int_equal(hr_batch_as_tensor(&t, b, &err), HR_VALUE);
    assert_non_null(strstr(err.message, "sample 1 has another shape"));
    hr_batch *copy = NULL;
    assert_int_equal(hr_batch_copy(&copy, b, NULL), HR_OK);
    hr_batch_unref(&b);
    assert_int_equal(((int16_t *)copy->t[3].data)[6], 15);
    hr_batch_unref(&copy);
    assert_int_equal(live_blocks(), before);
}

static void set_shape(hr_tensor *t, hr_dtype dtype, int ndim, const char *layout)
{
    static const int64_t shape[] = {2, 2, 2};
    assert_int_equal(hr_tensor_shape(t, dtype, ndim, shape, NULL), HR_OK);
    assert_int_equal(hr_tensor_set_layout(t, layout, NULL), HR_OK);
}

static void check_refused(hr_tensor second, const char *words)
{
    uint64_t before = live_blocks();
    hr_batch *b = NULL;
    hr_error err = {0};
    assert_int_equal(hr_batch_create(&b, 2, &err), HR_OK);
    set_shape(&b->t[0], HR_U8, 2, "HW");
    b->t[1] = second;
    assert_int_equal(hr_batch_allocate(b, &err), HR_VALUE);
    assert_string_equal(err.message, words);
    assert_int_equal(hr_batch_seal(b, NULL), HR_VALUE);
    hr_batch_unref(&b);
    assert_int_equal(live_blocks(), before);
}

static void test_samples_must_be_alike(void **state)
{
    (void)state;
    hr_tensor t;
    set_shape(&t, HR_U16, 2, "HW");
    check_refused(t, "sample 1 is uint16, sample 0 is uint8");
    set_shape(&t, HR_U8, 3, "HWC");
    check_refused(t, "sample 1 has 3 axes, sample 0 has 2");
    set_shape(&t, HR_U8, 2, "");
    check_refused(t, "sample 1 has layout \"\", sample 0 has \"HW\"");
}

static void test_sealing_finds_blocks(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_batch *rows = make_rows(4, 6, 0), *b = NULL;
    assert_int_equal(hr_batch_create(&b, 3, NULL), HR_OK);
    for (int i = 0; i < 3; i++) hr_tensor_ref(&b->t[i], &rows->t[i + 1]);
    assert_int_equal(hr_batch_seal(b, NULL), HR_OK);
    assert_true(b->is_block); /* neighbours, though not from the front */
    hr_tensor t;
    assert_int_equal(hr_batch_as_tensor(&t, b, NULL), HR_OK);
    assert_int_equal(((int16_t *)t.data)[0], 6);
    hr_tensor_clear(&t);
    hr_batch_unref(&b);
    assert_int_equal(hr_batch_create(&b, 2, NULL), HR_OK);
    hr_tensor_ref(&b->t[0], &rows->t[2]);
    hr_tensor_ref(&b->t[1], &rows->t[1]); /* the wrong way round */
    assert_int_equal(hr_batch_seal(b, NULL), HR_OK);
    assert_false(b->is_block);
    assert_int_equal(hr_batch_as_tensor(&t, b, NULL), HR_OK);
    assert_ptr_not_equal(t.data, b->t[0].data);
    assert_int_equal(((int16_t *)t.data)[0], 12);
    assert_int_equal(((int16_t *)t.data)[6], 6);
    hr_tensor_clear(&t);
    hr_batch_unref(&b);
    hr_batch_unref(&rows);
    assert_int_equal(live_blocks(), before);
}

static void test_strided_sample_is_no_block(void **state)
{
    (void)state;
    int16_t values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    hr_batch *b = NULL;
    assert_int_equal(hr_batch_create(&b, 1, NULL), HR_OK);
    b->t[0] = (hr_tensor){.dtype = HR_I16, .ndim = 1, .data = values, .shape = {4}, .stride = {4}};
    assert_int_equal(hr_batch_seal(b, NULL), HR_OK);
    assert_false(b->is_block);
    hr_tensor t;
    assert_int_equal(hr_batch_as_tensor(&t, b, NULL), HR_OK);
    assert_memory_equal(t.data, ((int16_t[]){0, 2, 4, 6}), 8);
    hr_tensor_clear(&t);
    hr_batch_unref(&b);
}

static void test_empty_batch(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_batch *b = NULL, *copy = NULL;
    assert_int_equal(hr_batch_create(&b, 0, NULL), HR_OK);
    hr_batch_set_empty(b, HR_F32, 3, "HWC");
    assert_true(b->is_block);
    assert_int_equal(hr_batch_copy(&copy, b, NULL), HR_OK);
    assert_int_equal(copy->n, 0);
    assert_int_equal(copy->dtype, HR_F32);
    assert_string_equal(copy->layout, "HWC");
    hr_tensor t;
    assert_int_equal(hr_batch_as_tensor(&t, copy, NULL), HR_OK);
    assert_int_equal(t.ndim, 4);
    assert_int_equal(t.shape[0], 0);
    assert_string_equal(t.layout, "NHWC");
    hr_tensor_clear(&t);
    hr_batch_unref(&b);
    hr_batch_unref(&copy);
    assert_int_equal(live_blocks(), before);
}

static void test_impossible_batches(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_batch *b = NULL;
    hr_error err = {0};
    assert_int_equal(hr_batch_create(&b, -1, &err), HR_VALUE);
    assert_int_equal(hr_batch_create(&b, INT64_MAX, NULL), HR_OVERFLOW);
    assert_int_equal(hr_batch_create(&b, INT64_MAX / 1024, NULL), HR_NOMEM);
    assert_null(b);
    assert_int_equal(hr_batch_create(&b, 32, NULL), HR_OK);
    for (int i = 0; i < 32; i++) /* each is possible, all together are not */
        assert_int_equal(hr_tensor_shape(&b->t[i], HR_U8, 1, (int64_t[]){INT64_MAX / 16}, NULL),
                         HR_OK);
    assert_int_equal(hr_batch_allocate(b, NULL), HR_OVERFLOW);
    hr_batch_unref(&b);
    assert_int_equal(hr_batch_create(&b, 1, NULL), HR_OK);
    b->t[0] = (hr_tensor){.dtype = HR_U8, .ndim = 8, .shape = {1, 1, 1, 1, 1, 1, 1, 1}};
    assert_int_equal(hr_batch_allocate(b, NULL), HR_OK);
    hr_tensor t = {0};
    hr_error_clear(&err);
    assert_int_equal(hr_batch_as_tensor(&t, b, &err), HR_VALUE);
    assert_non_null(strstr(err.message, "no room for a sample axis"));
    hr_batch_unref(&b);
    hr_batch_unref(&b);
    assert_int_equal(live_blocks(), before);
}

/* Every allocation of a copy fails once: an error, and nothing is left behind. */
static void test_copy_without_memory(void **state)
{
    (void)state;
    hr_batch *b = make_rows(3, 2, 1), *copy = NULL;
    for (int i = 0; i < 3; i++) b->t[i].meta = hr_meta_create("file", NULL);
    uint64_t before = live_blocks();
    hr_status status = HR_NOMEM;
    int nth = 0;
    while (status != HR_OK && nth < 20) {
        hr_alloc_fail_at((uint64_t)++nth);
        status = hr_batch_copy(&copy, b, NULL);
        assert_true(status == HR_OK || (status == HR_NOMEM && !copy && live_blocks() == before));
    }
    hr_alloc_fail_at(0);
    assert_true(nth > 1);
    assert_ptr_equal(copy->t[2].meta, b->t[2].meta);
    hr_batch *again = hr_batch_ref(copy);
    hr_batch_unref(&again);
    hr_batch_unref(&copy);
    assert_int_equal(live_blocks(), before);
    hr_batch_unref(&b);
    assert_null(hr_batch_ref(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_samples_are_a_block),
        cmocka_unit_test(test_ragged_samples),
        cmocka_unit_test(test_samples_must_be_alike),
        cmocka_unit_test(test_sealing_finds_blocks),
        cmocka_unit_test(test_strided_sample_is_no_block),
        cmocka_unit_test(test_empty_batch),
        cmocka_unit_test(test_impossible_batches),
        cmocka_unit_test(test_copy_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
