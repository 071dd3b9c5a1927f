/* An operator call under way: what its files share. The order of work is in call.c. */
#ifndef HR_CORE_CALL_H
#define HR_CORE_CALL_H

#include "core/core.h"

enum { HR__MAX_OUT = 8 };

struct hr__op_call {
    hr_call c; /* what the operator sees */
    const hr_op_desc *op;
    const hr_call_options *options;
    int n_out; /* the operator's, or without the one that is not asked for */
    hr_batch *outs[HR__MAX_OUT];
    const int64_t *order; /* samples, the largest first; NULL: as they come */
    int is_long;          /* options->begin_long was called */
};

/* A variadic input's descriptor stands for all that follow. */
static inline const hr_in_desc *hr__call_in_desc(const hr_op_desc *op, int i)
{
    return &op->ins[i < op->n_ins ? i : op->n_ins - 1];
}

static inline const hr_tensor *hr__call_input_of(const hr_input *in, int64_t i)
{
    return in->t ? in->t + (in->is_batch ? i : 0) : NULL;
}

/* Sample i of the call; `ins` has room for its inputs. */
static inline void hr__call_view_sample(const hr__op_call *k, hr_sample *s, const hr_tensor **ins,
                                        int64_t i)
{
    const hr_call *c = &k->c;
    for (int j = 0; j < c->n_in; j++) ins[j] = hr__call_input_of(&c->in[j], i);
    *s = (hr_sample){.call = c, .args = c->args + (size_t)i * c->args_stride, .state = c->state,
                     .in = ins, .n_in = c->n_in, .i = i, .arena = c->arena,
                     .kernels = c->kernels};
    if (k->op->flags & HR_OP_RANDOM) s->rng = hr_rng_of_sample(&c->rng, i);
}

/* A failed input makes a failed output: the operator is not run on a stand-in's pixels. */
static inline hr_meta *hr__call_failed_meta(const hr_sample *s)
{
    for (int j = 0; j < s->n_in; j++)
        if (s->in[j] && s->in[j]->meta && s->in[j]->meta->failure) return s->in[j]->meta;
    return NULL;
}

/* What went wrong belongs to sample i: says which operator, sample and file. Returns `status`. */
hr_status hr__call_name_failure(const hr__op_call *k, int64_t i, hr_status status, hr_error *err);

/* call_inputs.c: checks the inputs against the descriptor and keeps them in the arena. */
hr_status hr__call_take_inputs(hr__op_call *k, const hr_input *ins, int n_in, hr_error *err);
/* The call's batch size, by the option, the batches among the inputs, those among the values. */
hr_status hr__call_settle_size(hr__op_call *k, const hr_value *values, hr_error *err);

/* call_outputs.c: infers the outputs' shapes and allocates them, or makes them views. */
hr_status hr__call_make_outputs(hr__op_call *k, hr_error *err);
/* Type, rank and layout of the outputs of a call without samples. */
void hr__call_shape_empty(hr__op_call *k);

/* Are there samples to run? */
static inline int hr__call_has_samples(const hr__op_call *k)
{
    return k->c.n > 0 && !(k->op->flags & HR_OP_VIEW);
}

/* call_run.c: the operator on every sample, at once or on the pool. */
hr_status hr__call_run(hr__op_call *k, hr_error *err);
/* From here on the call may take long: tells the caller, once. */
void hr__call_go_long(hr__op_call *k);

#endif
