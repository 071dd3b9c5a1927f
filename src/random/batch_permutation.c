/* batch_permutation: an order of the batch's samples, one index a sample. It is drawn once for the
 * whole call. */
#include <string.h>

#include "random/random.h"

typedef struct permutation_args {
    int allow_repetitions, no_fixed_points;
} permutation_args;

static const hr_arg_desc permutation_desc[] = {
    HR_ARG(permutation_args, allow_repetitions, BOOL, .initial = "False",
           .doc = "Draw each index by itself, so that some may repeat and others be left out."),
    HR_ARG(permutation_args, no_fixed_points, BOOL, .initial = "False",
           .doc = "Let no sample keep its place. Of no effect in a batch of one."),
};

typedef struct permutation_state {
    const int32_t *order;
} permutation_state;

static hr_status permutation_setup(hr_call *call, hr_error *err)
{
    const permutation_args *a = (const permutation_args *)(const void *)call->args;
    permutation_state *state = call->state;
    if (call->n > INT32_MAX)
        return hr_fail(err, HR_VALUE, "a batch of %lld is over %d samples", (long long)call->n,
                       INT32_MAX);
    int32_t *order = hr_arena_take(call->arena, (size_t)call->n * sizeof *order);
    if (!order)
        return hr_fail(err, HR_NOMEM, "no memory for %lld indices", (long long)call->n);
    hr_words words = hr__words_of(call->rng);
    int flags = (a->allow_repetitions ? HR_PERM_REPEATS : 0) |
                (a->no_fixed_points ? HR_PERM_NO_FIXED : 0);
    hr__permutation(order, call->n, flags, &words);
    state->order = order;
    return HR_OK;
}

static hr_status permutation_infer(const hr_sample *s, hr_error *err)
{
    return hr_tensor_shape(&s->out[0], HR_I32, 0, NULL, err);
}

static hr_status permutation_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const permutation_state *state = s->state;
    memcpy(s->out[0].data, &state->order[s->i], sizeof *state->order);
    return HR_OK;
}

const hr_op_desc hr_op_batch_permutation = {
    .name = "batch_permutation",
    .doc = "Draws an order of a batch: sample i holds the index that comes to place i.",
    .example = "batch_size=4",
    .flags = HR_OP_RANDOM | HR_OP_BATCHWISE,
    .n_out = 1, .outs = "int32 scalars",
    .args = permutation_desc, .n_args = sizeof permutation_desc / sizeof *permutation_desc,
    .args_size = sizeof(permutation_args), .state_size = sizeof(permutation_state),
    .setup = permutation_setup, .infer = permutation_infer, .run = permutation_run,
};
