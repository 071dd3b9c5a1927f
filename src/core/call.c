/* An operator call: check the inputs, bind the arguments, set up, infer shapes, allocate, run the
 * samples. Everything that all operators share is here, so that an operator is its formula. */
#include <string.h>

#include "core/call.h"

hr_status hr__call_name_failure(const hr__op_call *k, int64_t i, hr_status status, hr_error *err)
{
    if (!err) return status;
    const char *source = "";
    for (int j = 0; j < k->c.n_in && !source[0]; j++) {
        const hr_tensor *t = hr__call_input_of(&k->c.in[j], i);
        if (t && t->meta) source = t->meta->source;
    }
    if (source[0])
        hr_error_prefix(err, "%s: sample %lld (%s)", k->op->name, (long long)i, source);
    else if (k->c.n > 1)
        hr_error_prefix(err, "%s: sample %lld", k->op->name, (long long)i);
    else
        hr_error_prefix(err, "%s", k->op->name);
    err->sample = i;
    return status;
}

static int count_outputs(const hr_op_desc *op, const char *args)
{
    for (int i = 0; op->n_out > 1 && i < op->n_args; i++)
        if (op->args[i].flags & HR_ADDS_OUTPUT)
            return op->n_out - !*(const int *)(const void *)(args + op->args[i].offset);
    return op->n_out;
}

static hr_status prepare(hr__op_call *k, const hr_value *values, hr_error *err)
{
    const hr_op_desc *op = k->op;
    hr__args_request r = {op->args, op->n_args, op->args_size, op->name, values, k->c.n,
                          k->c.arena};
    hr__args_bound bound;
    HR_TRY(hr__args_bind_all(&r, &bound, err));
    k->c.args = bound.data;
    k->c.args_stride = bound.stride;
    k->c.args_given = bound.given;
    k->n_out = count_outputs(op, bound.data);
    if (op->flags & HR_OP_RANDOM) {
        if (!k->options->rng)
            return hr_fail(err, HR_VALUE, "%s: a random operator needs a generator", op->name);
        k->c.rng = hr_rng_call(k->options->rng);
    }
    if (op->state_size) {
        k->c.state = hr_arena_take(k->c.arena, op->state_size);
        if (!k->c.state) return hr_fail(err, HR_NOMEM, "%s: no memory for its state", op->name);
        memset(k->c.state, 0, op->state_size);
    }
    if (op->setup && op->setup(&k->c, err) != HR_OK) {
        hr_error_prefix(err, "%s", op->name);
        return err->status;
    }
    return HR_OK;
}

/* All but the samples. */
static hr_status open_call(hr__op_call *k, const hr_input *ins, int n_in, const hr_value *values,
                           hr_error *err)
{
    HR_TRY(hr__call_take_inputs(k, ins, n_in, err));
    HR_TRY(hr__call_settle_size(k, values, err));
    HR_TRY(prepare(k, values, err));
    if (k->op->flags & HR_OP_HEAVY) hr__call_go_long(k); /* headers are read as well */
    HR_TRY(hr__call_make_outputs(k, err));
    if (k->c.n == 0) hr__call_shape_empty(k);
    return HR_OK;
}

void hr__call_end(hr__op_call *k, hr_status status, hr_batch **outs)
{
    for (int o = 0; o < k->n_out; o++) {
        if (status == HR_OK) outs[o] = k->outs[o];
        else hr_batch_unref(&k->outs[o]);
    }
}

hr_status hr__call_begin(hr__op_call **out, const hr__call_request *r, hr_error *err)
{
    hr__op_call *k = hr_arena_take(r->arena, sizeof *k);
    if (!k) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", r->op->name);
    *k = (hr__op_call){.op = r->op, .options = r->options,
                       .c = {.op = r->op, .arena = r->arena, .kernels = hr__kernels()}};
    hr_status status = open_call(k, r->ins, r->n_ins, r->values, err);
    if (status == HR_OK) *out = k;
    else hr__call_end(k, status, NULL);
    return status;
}

hr_status hr_op_call_indexed(const hr_op_desc *op, const hr_input *ins, int n_ins,
                             const hr_value *values, const hr_call_options *options,
                             hr_batch **outs, hr_error *err)
{
    hr_error own = {0};
    if (!err) err = &own;
    hr_arena *arena = hr__arena_of_thread();
    if (!arena) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", op->name);
    hr__arena_mark mark = hr__arena_get_mark(arena);
    hr__op_call k = {.op = op, .options = options,
                     .c = {.op = op, .arena = arena, .kernels = hr__kernels()}};
    hr_status status = open_call(&k, ins, n_ins, values, err);
    if (status == HR_OK && hr__call_has_samples(&k)) status = hr__call_run(&k, err);
    hr__arena_release(arena, mark);
    if (k.is_long && options->end_long) options->end_long(options->arg);
    hr__call_end(&k, status, outs);
    return status;
}

int hr_call_has(const hr_call *c, const char *name)
{
    for (int i = 0; i < c->op->n_args; i++)
        if (!strcmp(c->op->args[i].name, name)) return (int)(c->args_given >> i & 1);
    return 0;
}

hr_status hr__call_check_dtypes(const hr_call *call, hr_error *err)
{
    if (hr_call_has(call, "dtype") && hr_call_has(call, "output_dtype"))
        return hr_fail(err, HR_TYPE, "`output_dtype` is the former name of `dtype`: give one");
    return HR_OK;
}

hr_status hr_op_call(const hr_op_desc *op, const hr_input *ins, int n_ins,
                     const hr_named *values, int n_values, const hr_call_options *options,
                     hr_batch **outs, hr_error *err)
{
    hr_value indexed[64] = {0};
    if (op->n_args > 64) return hr_fail(err, HR_BUG, "%s: over 64 arguments", op->name);
    for (int v = 0; v < n_values; v++) {
        int i = 0;
        while (i < op->n_args && strcmp(op->args[i].name, values[v].name)) i++;
        if (i == op->n_args)
            return hr_fail(err, HR_TYPE, "%s: has no argument `%s`", op->name, values[v].name);
        indexed[i] = values[v].value;
    }
    hr_call_options none = {0};
    return hr_op_call_indexed(op, ins, n_ins, indexed, options ? options : &none, outs, err);
}
