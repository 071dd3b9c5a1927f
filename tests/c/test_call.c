/* Operator calls from C, by name: results, threads, strides, layouts, empty batches, cancels. */
#include "call_fixture.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static void test_registry(void **state)
{
    (void)state;
    int n = 0;
    for (const hr_op_desc *op; (op = hr_op_at(n)) != NULL; n++)
        assert_ptr_equal(hr_op_find(op->name), op); /* no name twice */
    assert_true(n > 10);
    assert_null(hr_op_at(-1));
    assert_null(hr_op_find("no.such"));
    assert_null(hr_op_find(""));
}

static void test_flip_on_any_pool(void **state)
{
    (void)state;
    uint64_t before = live_blocks();
    for (int threads = 0; threads <= 3; threads++) {
        hr_pool *pool = NULL;
        if (threads) assert_int_equal(hr_pool_create(&pool, threads, NULL), HR_OK);
        hr_call_options options = {.pool = pool};
        for (int more = 0; more < 2; more++) {
            hr_batch *in = make_pictures(9, 60, 41, more), *out = NULL; /* over the inline size */
            hr_input input = input_of(in);
            hr_error err = {0};
            assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, &options, &out, &err),
                             HR_OK);
            assert_int_equal(out->is_block, !more);
            check_flipped(out, in);
            hr_batch_unref(&out);
            hr_batch_unref(&in);
        }
        hr_pool_destroy(&pool);
    }
    assert_in_range(live_blocks(), before, before + 2 + 2 * 3); /* threads' arenas, defaults */
}

static void test_resize_by_name(void **state)
{
    (void)state;
    hr_batch *in = make_pictures(2, 8, 8, 0), *out = NULL;
    memset(in->t[0].data, 77, 2 * 8 * 8 * 3);
    hr_input input = input_of(in);
    hr_error err = {0};
    const hr_named values[] = {
        {"size", {.kind = HR_VALUE_INTS, .n = 2, .u.ints = (int64_t[]){5, 3}}},
        {"interp_type", {.kind = HR_VALUE_INTERP, .u.i = HR_INTERP_LINEAR}}};
    assert_int_equal(hr_op_call(op_named("resize"), &input, 1, values, 2, NULL, &out, &err), HR_OK);
    assert_int_equal(out->t[1].shape[0], 5);
    assert_int_equal(out->t[1].shape[1], 3);
    assert_int_equal(out->t[1].shape[2], 3);
    for (int k = 0; k < 2 * 5 * 3 * 3; k++) assert_int_equal(((uint8_t *)out->t[0].data)[k], 77);
    hr_batch_unref(&out);
    hr_batch_unref(&in);
}

/* One value a sample, by a batch of scalars. */
static void test_per_sample_argument(void **state)
{
    (void)state;
    hr_batch *in = make_pictures(3, 4, 5, 0), *out = NULL;
    int32_t on[3] = {1, 0, 1};
    hr_tensor scalars[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hr_tensor_shape(&scalars[i], HR_I32, 0, NULL, NULL), HR_OK);
        scalars[i].data = &on[i];
    }
    hr_named v = {"horizontal", {.kind = HR_VALUE_BATCH, .n = 3, .u.t = scalars}};
    hr_input input = input_of(in);
    hr_error err = {0};
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, &v, 1, NULL, &out, &err), HR_OK);
    assert_memory_equal(out->t[1].data, in->t[1].data, 60);
    assert_memory_not_equal(out->t[0].data, in->t[0].data, 60);
    hr_batch_unref(&out);
    v.value.n = 2;
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, &v, 1, NULL, &out, &err), HR_VALUE);
    assert_null(out);
    hr_batch_unref(&in);
}

static void test_strided_and_borrowed_input(void **state)
{
    (void)state;
    uint8_t bytes[4 * 10 * 3];
    for (int i = 0; i < 120; i++) bytes[i] = (uint8_t)i;
    hr_tensor t; /* every second column, upside down */
    assert_int_equal(hr_tensor_shape(&t, HR_U8, 3, (int64_t[]){4, 5, 3}, NULL), HR_OK);
    t.data = bytes + 3 * 30;
    t.stride[0] = -30;
    t.stride[1] = 6;
    hr_input input = {.t = &t, .n = 1};
    hr_batch *out = NULL;
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, NULL, &out, NULL), HR_OK);
    assert_int_equal(out->n, 1);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++)
            assert_int_equal(((uint8_t *)out->t[0].data)[(y * 5 + x) * 3],
                             bytes[(3 - y) * 30 + (4 - x) * 6]);
    hr_batch_unref(&out);
}

static void test_input_between_the_places(void **state)
{
    (void)state;
    char bytes[4 * 4 + 4];
    float values[4] = {1, 2, 3, 4};
    char *odd = bytes + 1 + ((uintptr_t)bytes & 1);
    memcpy(odd, values, sizeof values);
    hr_tensor t;
    assert_int_equal(hr_tensor_shape(&t, HR_F32, 3, (int64_t[]){1, 4, 1}, NULL), HR_OK);
    t.data = odd;
    hr_input input = {.t = &t, .n = 1};
    hr_batch *out = NULL;
    hr_named dtype = {"dtype", {.kind = HR_VALUE_DTYPE, .u.i = HR_I32}};
    assert_int_equal(hr_op_call(op_named("cast"), &input, 1, &dtype, 1, NULL, &out, NULL), HR_OK);
    assert_memory_equal(out->t[0].data, ((int32_t[]){1, 2, 3, 4}), 16);
    hr_batch_unref(&out);
    double wide[4];
    hr_dtype_convert(HR_F64, wide, HR_F32, odd, 4);
    assert_true(wide[0] == 1 && wide[3] == 4);
}

static void check_refused(const char *op, const hr_input *in, int n_in, hr_status status,
                          const char *words)
{
    hr_batch *out = NULL;
    hr_error err = {0};
    assert_int_equal(hr_op_call(op_named(op), in, n_in, NULL, 0, NULL, &out, &err), status);
    assert_null(out);
    if (!strstr(err.message, words)) fail_msg("\"%s\" lacks \"%s\"", err.message, words);
}

static void test_inputs_that_do_not_fit(void **state)
{
    (void)state;
    uint8_t bytes[16] = {0};
    hr_tensor t;
    hr_input in[2] = {{.t = &t, .n = 1}, {.t = &t, .n = 1}};
    assert_int_equal(hr_tensor_shape(&t, HR_U8, 3, (int64_t[]){2, 2, 3}, NULL), HR_OK);
    t.data = bytes;
    check_refused("flip", in, 0, HR_TYPE, "flip: takes 1 input, got 0");
    check_refused("flip", in, 2, HR_TYPE, "flip: takes 1 input, got 2");
    strcpy(t.layout, "XYZ");
    check_refused("flip", in, 1, HR_VALUE, "has layout \"XYZ\", it needs one of");
    t.layout[0] = '\0';
    t.device_type = HR_GPU;
    check_refused("flip", in, 1, HR_STATE, "is on a GPU");
    t.device_type = HR_CPU;
    t.dtype = HR_DTYPE_NONE;
    check_refused("flip", in, 1, HR_TYPE, "of type none");
    assert_int_equal(hr_tensor_shape(&t, HR_U8, 1, (int64_t[]){2}, NULL), HR_OK);
    check_refused("flip", in, 1, HR_VALUE, "has 1 axes and no layout");
    in[0].t = NULL;
    check_refused("flip", in, 1, HR_TYPE, "flip: input `input` is missing");
    hr_batch *out = NULL;
    hr_error err = {0};
    hr_named v = named_int("sideways", 1);
    in[0].t = &t;
    assert_int_equal(hr_op_call(op_named("flip"), in, 1, &v, 1, NULL, &out, &err), HR_TYPE);
    assert_string_equal(err.message, "flip: has no argument `sideways`");
}

static void test_batch_sizes_must_agree(void **state)
{
    (void)state;
    hr_batch *in = make_pictures(3, 2, 2, 0), *out = NULL;
    hr_input input = input_of(in);
    hr_call_options options = {.batch_size = 4};
    hr_error err = {0};
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, &options, &out, &err),
                     HR_VALUE);
    assert_string_equal(err.message,
                        "flip: input `input` is a batch of 3, the call's batch size is 4");
    input.is_batch = 0; /* one picture, seen by four samples */
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, &options, &out, NULL), HR_OK);
    assert_int_equal(out->n, 4);
    assert_memory_equal(out->t[3].data, out->t[0].data, 12);
    hr_batch_unref(&out);
    hr_batch_unref(&in);
}

static void test_empty_batch(void **state)
{
    (void)state;
    hr_batch *in = NULL, *out = NULL;
    assert_int_equal(hr_batch_create(&in, 0, NULL), HR_OK);
    hr_batch_set_empty(in, HR_F32, 3, "HWC");
    hr_input input = input_of(in);
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, NULL, &out, NULL), HR_OK);
    assert_int_equal(out->n, 0);
    assert_int_equal(out->dtype, HR_F32);
    assert_int_equal(out->ndim, 3);
    assert_string_equal(out->layout, "HWC");
    hr_batch_unref(&out);
    hr_batch_unref(&in);
}

/* ---- long calls ------------------------------------------------------------------------- */

typedef struct gate {
    int begun, ended, polls, stop;
} gate;

static void begin_long(void *arg) { ((gate *)arg)->begun++; }
static void end_long(void *arg) { ((gate *)arg)->ended++; }
static int poll_gate(void *arg)
{
    gate *g = arg;
    g->polls++;
    return g->stop;
}

static void test_long_calls_open_the_gate(void **state)
{
    (void)state;
    gate g = {0};
    hr_call_options options = {.begin_long = begin_long, .end_long = end_long, .arg = &g,
                               .poll = poll_gate};
    hr_batch *in = make_pictures(2, 4, 4, 0), *out = NULL;
    hr_input input = input_of(in);
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, &options, &out, NULL), HR_OK);
    assert_int_equal(g.begun, 0); /* not worth it */
    hr_batch_unref(&out);
    hr_batch_unref(&in);
    in = make_pictures(4, 300, 300, 0);
    input = input_of(in);
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, &options, &out, NULL), HR_OK);
    assert_int_equal(g.begun, 1);
    assert_int_equal(g.ended, 1);
    check_flipped(out, in);
    hr_batch_unref(&out);
    g.stop = 1;
    hr_error err = {0};
    assert_int_equal(hr_op_call(op_named("flip"), &input, 1, NULL, 0, &options, &out, &err),
                     HR_CANCELLED);
    assert_int_equal(g.ended, 2); /* closed again, however it ends */
    assert_null(out);
    hr_batch_unref(&in);
}

static void *call_often(void *arg)
{
    hr_pool *pool = arg;
    const hr_op_desc *op = hr_op_find("flip");
    for (int round = 0; round < 50; round++) {
        int64_t shape[] = {40, 40 + round % 7, 3};
        hr_call_options options = {.pool = pool, .batch_size = 5};
        hr_batch *out = NULL;
        hr_tensor t;
        if (hr_tensor_create(&t, HR_U8, 3, shape, NULL) != HR_OK) return "no memory";
        memset(t.data, round, hr_tensor_nbytes(&t));
        hr_input input = {.t = &t, .n = 1};
        if (hr_op_call(op, &input, 1, NULL, 0, &options, &out, NULL) != HR_OK) return "failed";
        if (((uint8_t *)out->t[4].data)[100] != round) return "wrong";
        hr_batch_unref(&out);
        hr_tensor_clear(&t);
    }
    return NULL;
}

static void test_calls_side_by_side(void **state)
{
    (void)state;
    enum { N = 4 };
    hr_pool *pool = NULL;
    pthread_t threads[N];
    assert_int_equal(hr_pool_create(&pool, 2, NULL), HR_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, pool), 0);
    for (int i = 0; i < N; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        if (problem) fail_msg("%s", (const char *)problem);
    }
    hr_pool_destroy(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_flip_on_any_pool),
        cmocka_unit_test(test_resize_by_name),
        cmocka_unit_test(test_per_sample_argument),
        cmocka_unit_test(test_strided_and_borrowed_input),
        cmocka_unit_test(test_input_between_the_places),
        cmocka_unit_test(test_inputs_that_do_not_fit),
        cmocka_unit_test(test_batch_sizes_must_agree),
        cmocka_unit_test(test_empty_batch),
        cmocka_unit_test(test_long_calls_open_the_gate),
        cmocka_unit_test(test_calls_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
