/* Tensors: shapes that overflow, packing of any strides, layouts, references. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <headrace/tensor.h>

#include "draw.h"

static uint64_t live_blocks(void)
{
    hr_alloc_stats s;
    hr_alloc_get_stats(&s);
    return s.live_blocks;
}

static void test_shape(void **state)
{
    (void)state;
    hr_tensor t;
    hr_error err = {0};
    memset(&t, 0xFF, sizeof t);
    assert_int_equal(hr_tensor_shape(&t, HR_F32, 3, (int64_t[]){4, 5, 3}, &err), HR_OK);
    assert_int_equal(t.stride[0], 60);
    assert_int_equal(t.stride[1], 12);
    assert_int_equal(t.stride[2], 4);
    assert_int_equal(hr_tensor_size(&t), 60);
    assert_int_equal(hr_tensor_nbytes(&t), 240);
    assert_null(t.data);
    assert_null(t.buf);
    assert_null(t.meta);
    assert_string_equal(t.layout, "");
    assert_true(hr_tensor_is_contiguous(&t));
    assert_int_equal(hr_tensor_shape(&t, HR_U8, 0, NULL, &err), HR_OK);
    assert_int_equal(hr_tensor_size(&t), 1);
    assert_int_equal(hr_tensor_shape(&t, HR_U8, 2, (int64_t[]){0, 7}, &err), HR_OK);
    assert_int_equal(hr_tensor_size(&t), 0);
}

static hr_status shape_status(hr_dtype dtype, int ndim, const int64_t *shape, const char *words)
{
    hr_tensor t;
    hr_error err = {0};
    hr_status status = hr_tensor_shape(&t, dtype, ndim, shape, &err);
    if (words && !strstr(err.message, words)) fail_msg("\"%s\" lacks \"%s\"", err.message, words);
    return status;
}

static void test_impossible_shapes(void **state)
{
    (void)state;
    static const int64_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(shape_status(HR_U8, 8, ones, NULL), HR_OK);
    assert_int_equal(shape_status(HR_U8, 9, ones, "rank 9 is outside 0..8"), HR_VALUE);
    assert_int_equal(shape_status(HR_U8, -1, ones, "rank -1"), HR_VALUE);
    assert_int_equal(shape_status(HR_U8, 2, (int64_t[]){3, -2}, "-2 of axis 1"), HR_VALUE);
    int64_t big = INT64_C(1) << 40;
    assert_int_equal(shape_status(HR_U8, 2, (int64_t[]){big, big}, "too large"), HR_OVERFLOW);
    assert_int_equal(shape_status(HR_F64, 1, (int64_t[]){INT64_MAX / 4}, NULL), HR_OVERFLOW);
    assert_int_equal(shape_status(HR_F64, 1, (int64_t[]){INT64_MAX}, NULL), HR_OVERFLOW);
    /* A zero does not hide what the other axes' strides come to. */
    assert_int_equal(shape_status(HR_U8, 3, (int64_t[]){0, big, big}, NULL), HR_OVERFLOW);
    assert_int_equal(shape_status(HR_U8, 3, (int64_t[]){big, big, 0}, NULL), HR_OVERFLOW);
    assert_int_equal(shape_status(HR_U8, 8, (int64_t[]){256, 256, 256, 256, 256, 256, 256, 256},
                                  NULL), HR_OVERFLOW);
    hr_tensor t = {0};
    hr_error err = {0};
    assert_int_equal(hr_tensor_create(&t, HR_U8, 1, (int64_t[]){INT64_C(1) << 59}, &err), HR_NOMEM);
    assert_null(t.buf);
}

/* What packing means, said element by element. */
static void pack_plainly(char *dst, const hr_tensor *t)
{
    size_t size = hr_dtype_size(t->dtype);
    int64_t n = hr_tensor_size(t);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at = 0;
        for (int d = t->ndim - 1; d >= 0; d--) {
            at += rest % t->shape[d] * t->stride[d];
            rest /= t->shape[d];
        }
        memcpy(dst + (size_t)i * size, (char *)t->data + at, size);
    }
}

/* A view into `bytes`: axes in any order, some backwards, some repeated (stride 0). */
static hr_tensor draw_view(uint32_t *seed, char *bytes, int64_t room)
{
    static const hr_dtype dtypes[] = {HR_U8, HR_I16, HR_F32, HR_F64};
    hr_tensor t = {.dtype = dtypes[draw(seed) % 4], .ndim = (int)(draw(seed) % 6)};
    int64_t size = (int64_t)hr_dtype_size(t.dtype), step = size, first = 0;
    int order[6] = {0, 1, 2, 3, 4, 5};
    for (int d = t.ndim - 1; d > 0; d--) {
        int k = (int)(draw(seed) % (uint32_t)(d + 1)), was = order[d];
        order[d] = order[k];
        order[k] = was;
    }
    for (int k = 0; k < t.ndim; k++) {
        int d = order[k];
        t.shape[d] = draw(seed) % 4 + (draw(seed) % 8 != 0);
        t.stride[d] = draw(seed) % 5 ? step : 0;
        if (t.stride[d]) step *= t.shape[d] + (draw(seed) % 3 == 0);
        if (draw(seed) % 4 == 0 && t.shape[d] > 0) {
            first += t.stride[d] * (t.shape[d] - 1);
            t.stride[d] = -t.stride[d];
        }
    }
    assert_true(step <= room);
    t.data = bytes + first;
    return t;
}

static void test_pack_any_strides(void **state)
{
    (void)state;
    enum { ROOM = 8 * 5 * 5 * 5 * 5 * 5 };
    char *bytes = malloc(ROOM);
    uint32_t seed = 42;
    int packed = 0;
    for (int i = 0; i < ROOM; i++) bytes[i] = (char)(draw(&seed) >> 3);
    for (int n = 0; n < 20000; n++) {
        hr_tensor t = draw_view(&seed, bytes, ROOM);
        size_t size = hr_tensor_nbytes(&t);
        char *expected = malloc(size + 1), *got = malloc(size + 1);
        got[size] = 'g';
        pack_plainly(expected, &t);
        hr_tensor_pack(got, &t);
        assert_memory_equal(got, expected, size);
        assert_int_equal(got[size], 'g');
        if (hr_tensor_is_contiguous(&t)) {
            packed++;
            assert_memory_equal(t.data, expected, size);
        }
        free(expected);
        free(got);
    }
    assert_true(packed > 100);
    free(bytes);
}

static void test_contiguous(void **state)
{
    (void)state;
    hr_tensor t;
    assert_int_equal(hr_tensor_shape(&t, HR_U16, 3, (int64_t[]){2, 1, 3}, NULL), HR_OK);
    t.stride[1] = 12345; /* an axis of one is never stepped along */
    assert_true(hr_tensor_is_contiguous(&t));
    t.stride[0] = 8;
    assert_false(hr_tensor_is_contiguous(&t));
    t.shape[2] = 0; /* nothing to be scattered */
    assert_true(hr_tensor_is_contiguous(&t));
}

static void test_copy_and_references(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_error err = {0};
    hr_tensor t, second, copy;
    assert_int_equal(hr_tensor_create(&t, HR_I32, 2, (int64_t[]){2, 3}, &err), HR_OK);
    for (int i = 0; i < 6; i++) ((int32_t *)t.data)[i] = i;
    t.meta = hr_meta_create("a.jpg", NULL);
    assert_int_equal(hr_tensor_set_layout(&t, "HW", &err), HR_OK);
    hr_tensor_ref(&second, &t);
    assert_ptr_equal(second.data, t.data);
    assert_int_equal(t.buf->refs, 2);
    assert_int_equal(t.meta->refs, 2);
    hr_tensor turned = second; /* a transposed view, borrowed */
    turned.shape[0] = 3;
    turned.shape[1] = 2;
    turned.stride[0] = 4;
    turned.stride[1] = 12;
    assert_int_equal(hr_tensor_copy(&copy, &turned, &err), HR_OK);
    assert_memory_equal(copy.data, ((int32_t[]){0, 3, 1, 4, 2, 5}), 24);
    assert_string_equal(copy.layout, "HW");
    assert_string_equal(copy.meta->source, "a.jpg");
    assert_null(copy.meta->failure);
    hr_tensor_clear(&t);
    hr_tensor_clear(&t); /* twice is fine */
    assert_int_equal(((int32_t *)second.data)[5], 5);
    hr_alloc_fail_at(1);
    hr_tensor none = {0};
    assert_int_equal(hr_tensor_copy(&none, &second, &err), HR_NOMEM);
    assert_null(none.buf);
    hr_tensor_clear(&second);
    hr_tensor_clear(&copy);
    assert_int_equal(live_blocks(), before);
}

static void test_meta(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    hr_meta *m = hr_meta_create("dir/b.jpg", "cut short");
    assert_string_equal(m->source, "dir/b.jpg");
    assert_string_equal(m->failure, "cut short");
    hr_meta *again = hr_meta_ref(m);
    hr_meta_unref(&m);
    assert_null(m);
    assert_string_equal(again->failure, "cut short");
    hr_meta_unref(&again);
    hr_meta_unref(&again);
    assert_null(hr_meta_ref(NULL));
    hr_alloc_fail_at(1);
    assert_null(hr_meta_create("", NULL));
    hr_alloc_fail_at(0);
    assert_int_equal(live_blocks(), before);
}

static void test_layouts(void **state)
{
    (void)state;
    hr_tensor t;
    hr_error err = {0};
    assert_int_equal(hr_tensor_shape(&t, HR_U8, 3, (int64_t[]){1, 1, 1}, &err), HR_OK);
    assert_int_equal(hr_tensor_set_layout(&t, "HWC", &err), HR_OK);
    assert_string_equal(t.layout, "HWC");
    assert_int_equal(hr_tensor_set_layout(&t, "HW", &err), HR_VALUE);
    assert_string_equal(err.message, "layout \"HW\" has 2 axes, the tensor 3");
    hr_error_clear(&err);
    assert_int_equal(hr_tensor_set_layout(&t, "HWH", &err), HR_VALUE);
    assert_string_equal(t.layout, "HWC"); /* a refused one changes nothing */
    assert_int_equal(hr_tensor_set_layout(&t, "", NULL), HR_OK);
    assert_string_equal(t.layout, "");
    assert_int_equal(hr_layout_find("FHWC", 'H'), 1);
    assert_int_equal(hr_layout_find("FHWC", 'D'), -1);
    assert_int_equal(hr_layout_find("", 'H'), -1);
    assert_int_equal(hr_layout_find("HW", '\0'), -1);
}

static void test_dtypes(void **state)
{
    (void)state;
    int n = 0;
    for (const hr_dtype_info *d; (d = hr_dtype_at(n)) != NULL; n++) {
        assert_ptr_equal(hr_dtype_get_info(d->id), d);
        assert_int_equal(hr_dtype_parse(d->name), d->id);
        assert_int_equal(hr_dtype_size(d->id), d->bits / 8);
    }
    assert_int_equal(n, 16);
    assert_int_equal(hr_dtype_parse("float32"), HR_F32);
    assert_int_equal(hr_dtype_parse("int32"), HR_I32); /* not one of the enumerations */
    assert_int_equal(hr_dtype_parse("bf16"), HR_BF16);
    assert_int_equal(hr_dtype_parse("float31"), HR_DTYPE_NONE);
    static const int no_dtypes[] = {-1, 12, 19, 31, 33, 1000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof no_dtypes / sizeof *no_dtypes; i++)
        assert_null(hr_dtype_get_info((hr_dtype)no_dtypes[i]));
    assert_int_equal(hr_dtype_size(HR_DTYPE_NONE), 0);
    assert_null(hr_dtype_at(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_impossible_shapes),
        cmocka_unit_test(test_pack_any_strides),
        cmocka_unit_test(test_contiguous),
        cmocka_unit_test(test_copy_and_references),
        cmocka_unit_test(test_meta),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_dtypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
