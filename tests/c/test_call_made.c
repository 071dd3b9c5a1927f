/* Calls of a made-up operator: two outputs, state, randomness, a per-sample argument. */
#include "call_fixture.h"

#include <math.h>

typedef struct made_args {
    float scale;
} made_args;

typedef struct made_state {
    float doubled_base;
} made_state;

static const hr_arg_desc made_desc[] = {
    HR_ARG(made_args, scale, FLOAT, .initial = "2", .flags = HR_PER_SAMPLE),
};
static const hr_in_desc made_ins[] = {{.name = "input", .dtypes = HR_DTYPES(HR_F32)}};

static hr_status made_setup(hr_call *c, hr_error *err)
{
    made_state *st = c->state;
    if (st->doubled_base != 0) return hr_fail(err, HR_BUG, "state is not zeroed");
    st->doubled_base = 20;
    if (c->n == 13) return hr_fail(err, HR_VALUE, "unlucky");
    return HR_OK;
}

static hr_status made_infer(const hr_sample *s, hr_error *err)
{
    HR_TRY(hr_tensor_shape(&s->out[0], HR_F32, s->in[0]->ndim, s->in[0]->shape, err));
    HR_TRY(hr_tensor_shape(&s->out[1], HR_U32, 1, (int64_t[]){2}, err));
    return HR_OK;
}

static hr_status made_run(const hr_sample *s, hr_error *err)
{
    const made_args *a = s->args;
    const made_state *st = s->state;
    const float *in = s->in[0]->data;
    hr_rng rng = s->rng;
    float *out = s->out[0].data;
    uint32_t *words = s->out[1].data;
    for (int64_t k = 0; k < hr_tensor_size(s->in[0]); k++) {
        if (in[k] < 0) return hr_fail(err, HR_DATA, "element %d is negative", (int)k);
        out[k] = in[k] * a->scale + st->doubled_base;
    }
    words[0] = hr_rng_next(&rng);
    words[1] = (uint32_t)s->i;
    return HR_OK;
}

static const hr_op_desc made = {
    .name = "made", .flags = HR_OP_RANDOM, .ins = made_ins, .n_ins = 1, .n_out = 2,
    .args = made_desc, .n_args = 1, .args_size = sizeof(made_args),
    .state_size = sizeof(made_state), .setup = made_setup, .infer = made_infer, .run = made_run,
};

enum { MADE_N = 6, MADE_ROOM = 4000 };
static float made_values[MADE_N][MADE_ROOM];

static void make_made_inputs(hr_tensor *t)
{
    for (int i = 0; i < MADE_N; i++) {
        for (int k = 0; k < MADE_ROOM; k++) made_values[i][k] = (float)(i + k);
        int64_t n = MADE_ROOM - 100 * ((i * 5) % MADE_N); /* not in order of size */
        assert_int_equal(hr_tensor_shape(&t[i], HR_F32, 1, &n, NULL), HR_OK);
        t[i].data = made_values[i];
    }
}

static void test_made_operator(void **state)
{
    (void)state;
    hr_tensor t[MADE_N];
    uint32_t words[2][MADE_N];
    make_made_inputs(t);
    hr_input input = {.t = t, .n = MADE_N, .is_batch = 1};
    for (int round = 0; round < 2; round++) {
        hr_pool *pool = NULL;
        if (round) assert_int_equal(hr_pool_create(&pool, 3, NULL), HR_OK);
        hr_rng rng = hr_rng_seed(5);
        hr_call_options options = {.pool = pool, .rng = &rng};
        hr_batch *outs[2] = {NULL, NULL};
        hr_error err = {0};
        assert_int_equal(hr_op_call(&made, &input, 1, NULL, 0, &options, outs, &err), HR_OK);
        for (int i = 0; i < MADE_N; i++) {
            assert_true(((float *)outs[0]->t[i].data)[7] == (float)(i + 7) * 2 + 20);
            words[round][i] = ((uint32_t *)outs[1]->t[i].data)[0];
            assert_int_equal(((uint32_t *)outs[1]->t[i].data)[1], i);
        }
        hr_rng expected = hr_rng_seed(5);
        hr_rng_skip(&expected, HR_RNG_CALL_WORDS);
        assert_memory_equal(&rng, &expected, sizeof rng);
        hr_batch_unref(&outs[0]);
        hr_batch_unref(&outs[1]);
        hr_pool_destroy(&pool);
    }
    assert_memory_equal(words[0], words[1], sizeof words[0]); /* threads change no draw */
    assert_int_not_equal(words[0][0], words[0][1]);
}

static void test_made_operator_fails(void **state)
{
    (void)state;
    hr_tensor t[MADE_N];
    make_made_inputs(t);
    hr_input input = {.t = t, .n = MADE_N, .is_batch = 1};
    hr_rng rng = hr_rng_seed(5);
    hr_call_options options = {.rng = &rng};
    hr_batch *outs[2] = {NULL, NULL};
    hr_error err = {0};
    made_values[4][9] = -1;
    assert_int_equal(hr_op_call(&made, &input, 1, NULL, 0, &options, outs, &err), HR_DATA);
    assert_string_equal(err.message, "made: sample 4: element 9 is negative");
    assert_int_equal(err.sample, 4);
    hr_error_clear(&err);
    input.n = 1;
    input.is_batch = 0;
    options.batch_size = 13;
    assert_int_equal(hr_op_call(&made, &input, 1, NULL, 0, &options, outs, &err), HR_VALUE);
    assert_string_equal(err.message, "made: unlucky");
    hr_error_clear(&err);
    assert_int_equal(hr_op_call(&made, &input, 1, NULL, 0, NULL, outs, &err), HR_VALUE);
    assert_string_equal(err.message, "made: a random operator needs a generator");
    assert_null(outs[0]);
    assert_null(outs[1]);
    assert_int_equal(hr_op_call(&made, &input, 1, NULL, 0, NULL, outs, NULL), HR_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_operator),
        cmocka_unit_test(test_made_operator_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
