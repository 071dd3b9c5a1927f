/* Batches of pictures, and operators by name, for calls. */
#ifndef HR_TESTS_CALL_FIXTURE_H
#define HR_TESTS_CALL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <headrace/headrace.h>

static inline uint64_t live_blocks(void)
{
    hr_alloc_stats s;
    hr_alloc_get_stats(&s);
    return s.live_blocks;
}

/* n pictures of h + i rows (all alike if `more` is 0), numbered elements. */
static inline hr_batch *make_pictures(int64_t n, int64_t h, int64_t w, int64_t more)
{
    hr_batch *b = NULL;
    assert_int_equal(hr_batch_create(&b, n, NULL), HR_OK);
    for (int64_t i = 0; i < n; i++) {
        int64_t shape[] = {h + i * more, w, 3};
        assert_int_equal(hr_tensor_shape(&b->t[i], HR_U8, 3, shape, NULL), HR_OK);
        assert_int_equal(hr_tensor_set_layout(&b->t[i], "HWC", NULL), HR_OK);
    }
    assert_int_equal(hr_batch_allocate(b, NULL), HR_OK);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *p = b->t[i].data;
        for (int64_t k = 0; k < hr_tensor_size(&b->t[i]); k++) p[k] = (uint8_t)(k * 7 + i);
    }
    return b;
}

static inline hr_input input_of(const hr_batch *b)
{
    return (hr_input){.t = b->t, .n = b->n, .is_batch = 1};
}

static inline hr_named named_int(const char *name, int64_t i)
{
    return (hr_named){name, {.kind = HR_VALUE_INT, .u.i = i}};
}

static inline const hr_op_desc *op_named(const char *name)
{
    const hr_op_desc *op = hr_op_find(name);
    if (!op) fail_msg("no operator %s", name);
    return op;
}

static inline void check_flipped(const hr_batch *out, const hr_batch *in)
{
    assert_int_equal(out->n, in->n);
    assert_string_equal(out->layout, "HWC");
    for (int64_t i = 0; i < in->n; i++) {
        int64_t h = in->t[i].shape[0], w = in->t[i].shape[1];
        assert_memory_equal(out->t[i].shape, in->t[i].shape, 3 * sizeof(int64_t));
        for (int64_t y = 0; y < h; y++)
            for (int64_t x = 0; x < w; x++)
                assert_memory_equal((uint8_t *)out->t[i].data + (y * w + x) * 3,
                                    (uint8_t *)in->t[i].data + (y * w + w - 1 - x) * 3, 3);
    }
}

#endif
