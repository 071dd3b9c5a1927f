/* A graph that is a chain of one operator, and pictures for it. */
#ifndef HR_TESTS_EXECUTOR_STEPS_H
#define HR_TESTS_EXECUTOR_STEPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "pipeline/pipeline.h"

enum { SAMPLES = 3, CHAIN = 5, SMALL = 4, LARGE = 256 }; /* large ones are shared among threads */
static int side = SMALL;

static hr_batch *picture(uint8_t first)
{
    hr_batch *b = NULL;
    const int64_t shape[] = {side, side, 1};
    assert_int_equal(hr_batch_create(&b, SAMPLES, NULL), HR_OK);
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(hr_tensor_shape(&b->t[i], HR_U8, 3, shape, NULL), HR_OK);
        strcpy(b->t[i].layout, "HWC");
    }
    assert_int_equal(hr_batch_allocate(b, NULL), HR_OK);
    uint8_t *data = b->t[0].data;
    for (int k = 0; k < SAMPLES * side * side; k++) data[k] = (uint8_t)(first + k);
    return b;
}

/* A chain of flips: an odd number of them mirrors the input once. */
static hr_graph *chain(const char *op_name)
{
    hr_graph *g = NULL;
    assert_int_equal(hr__graph_create(&g, 1, 0, NULL), HR_OK);
    const hr_op_desc *op = hr_op_find(op_name);
    assert_non_null(op);
    hr_value values[64] = {0};
    hr_operand args[64] = {0};
    for (int i = 0; i < CHAIN; i++) {
        hr_operand in = {.kind = HR_OPERAND_PORT, .port = {i - 1, 0}};
        hr_node node = {.op = op, .n_in = 1, .in = &in, .values = values, .args = args, .rng = -1};
        int32_t index;
        assert_int_equal(hr__graph_add(g, &node, &index, NULL), HR_OK);
        assert_int_equal(index, i);
    }
    return g;
}

static inline void check_mirrored(const hr_batch *b, uint8_t first)
{
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const uint8_t *data = b->t[i].data;
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                wrong += data[y * side + x] != (uint8_t)(first + (i * side + y) * side + side - 1 - x);
    }
    assert_int_equal(wrong, 0);
}

static inline void check_use(hr_executor *e)
{
    hr_executor_use use;
    hr__executor_get_use(e, &use);
    assert_int_equal(use.steps, 20);
    assert_int_equal(use.bytes_in, 20 * SAMPLES * side * side);
    assert_true(use.busy_ns > 0 && use.peak_bytes >= SAMPLES * side * side);
    int64_t sum = 0;
    for (int32_t i = 0; i < CHAIN; i++) {
        int64_t ns, bytes;
        hr__executor_get_node_use(e, i, &ns, &bytes);
        assert_int_equal(bytes, use.bytes_in); /* mirrored pictures are as large */
        sum += ns;
    }
    assert_int_equal(sum, use.busy_ns);
}

/* Twenty steps through an executor of their own; what is alive afterwards. */
static inline uint64_t run_steps(const hr_graph *g, hr_pool *pool)
{
    hr_executor *e = NULL;
    hr_step *steps[20];
    assert_int_equal(hr__executor_create(&e, g, pool, NULL), HR_OK);
    for (int k = 0; k < 20; k++) {
        hr_batch *in = picture((uint8_t)k);
        assert_int_equal(hr__executor_submit(e, k, &in, NULL, &steps[k], NULL), HR_OK);
    }
    for (int k = 19; k >= 0; k--) {
        hr_batch *b = NULL;
        int has_failed;
        assert_int_equal(hr__step_wait(steps[k], (hr_port){CHAIN - 1, 0}, NULL, NULL, &b, NULL),
                         HR_OK);
        check_mirrored(b, (uint8_t)k);
        assert_int_equal(hr__step_finish(steps[k], NULL, NULL, &has_failed, NULL), HR_OK);
        assert_false(has_failed);
        hr_batch_unref(&b);
        hr__step_unref(&steps[k]);
    }
    check_use(e);
    hr__executor_destroy(&e, 19);
    hr_alloc_stats stats;
    hr_alloc_get_stats(&stats);
    return stats.live_blocks;
}

#endif
