/* A call's samples: on the calling thread or on the pool, the largest first. */
#include <stdlib.h>
#include <string.h>

#include "core/call.h"

/* Below this many bytes in and out a call is done before a thread would wake. */
static const int64_t inline_bytes = 48 << 10;

void hr__call_go_long(hr__op_call *k)
{
    if (k->is_long) return;
    k->is_long = 1;
    if (k->options->begin_long) k->options->begin_long(k->options->arg);
}

static int is_ready(const hr_tensor *t)
{
    return hr_tensor_is_contiguous(t) && !((uintptr_t)t->data & (hr_dtype_size(t->dtype) - 1));
}

/* A packed view of a strided input, or of one between elements' places, in the arena. */
static hr_status pack_inputs(hr_sample *s, const hr_tensor **ins, hr_error *err)
{
    for (int j = 0; j < s->n_in; j++) {
        if (!ins[j] || is_ready(ins[j])) continue;
        hr_tensor *t = hr_arena_take(s->arena, sizeof *t);
        if (!t) return hr_fail(err, HR_NOMEM, "no memory to pack input %d", j);
        HR_TRY(hr_tensor_shape(t, ins[j]->dtype, ins[j]->ndim, ins[j]->shape, err));
        memcpy(t->layout, ins[j]->layout, sizeof t->layout);
        t->meta = ins[j]->meta;
        t->data = hr_arena_take(s->arena, hr_tensor_nbytes(t));
        if (!t->data) return hr_fail(err, HR_NOMEM, "no memory to pack input %d", j);
        hr_tensor_pack(t->data, ins[j]);
        ins[j] = t;
    }
    return HR_OK;
}

static hr_status run_sample(hr__op_call *k, hr_arena *arena, int64_t i, hr_error *err)
{
    const hr_op_desc *op = k->op;
    const hr_tensor **ins = hr_arena_take(arena, (size_t)(k->c.n_in + 1) * sizeof *ins);
    if (!ins) return hr_fail(err, HR_NOMEM, "no memory for a sample");
    hr_sample s;
    hr_tensor outs[HR__MAX_OUT];
    hr__call_view_sample(k, &s, ins, i);
    s.arena = arena;
    s.out = outs;
    for (int o = 0; o < k->n_out; o++) outs[o] = k->outs[o]->t[i];
    if (hr__call_failed_meta(&s)) {
        for (int o = 0; o < k->n_out; o++) memset(outs[o].data, 0, hr_tensor_nbytes(&outs[o]));
        return HR_OK;
    }
    if (!(op->flags & HR_OP_STRIDED)) HR_TRY(pack_inputs(&s, ins, err));
    HR_TRY(op->run(&s, err));
    for (int o = 0; o < k->n_out; o++) { /* a decoder may have marked the sample */
        hr_tensor *t = &k->outs[o]->t[i];
        if (outs[o].meta == t->meta) continue;
        hr_meta_unref(&t->meta);
        t->meta = outs[o].meta;
    }
    return HR_OK;
}

static hr_status run_task(void *arg, int64_t i, hr_error *err)
{
    hr__op_call *k = arg;
    if (k->order) i = k->order[i];
    hr_arena *arena = hr__arena_of_thread();
    if (!arena) return hr_fail(err, HR_NOMEM, "%s: no memory for a thread", k->op->name);
    hr__arena_mark mark = hr__arena_get_mark(arena);
    hr_status status = run_sample(k, arena, i, err);
    hr__arena_release(arena, mark);
    return status == HR_OK ? HR_OK : hr__call_name_failure(k, i, status, err);
}

typedef struct weight {
    int64_t bytes, i;
} weight;

static int by_bytes(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->i < y->i ? -1 : 1;
}

static int64_t sample_bytes(const hr__op_call *k, int64_t i)
{
    int64_t bytes = 0;
    for (int j = 0; j < k->c.n_in; j++) {
        const hr_tensor *t = hr__call_input_of(&k->c.in[j], i);
        if (t) bytes += (int64_t)hr_tensor_nbytes(t);
    }
    for (int o = 0; o < k->n_out; o++)
        bytes += (int64_t)hr_tensor_nbytes(&k->outs[o]->t[i]);
    return bytes;
}

/* The largest samples first, so that none is begun when the others are done. */
static void plan_order(hr__op_call *k)
{
    int64_t n = k->c.n;
    weight *w = hr_arena_take(k->c.arena, (size_t)n * sizeof *w);
    int64_t *order = hr_arena_take(k->c.arena, (size_t)n * sizeof *order);
    if (!w || !order) return; /* any order will do */
    int sorted = 1;
    for (int64_t i = 0; i < n; i++) {
        w[i] = (weight){sample_bytes(k, i), i};
        if (i && w[i].bytes > w[i - 1].bytes) sorted = 0;
    }
    if (sorted) return;
    qsort(w, (size_t)n, sizeof *w, by_bytes);
    for (int64_t i = 0; i < n; i++) order[i] = w[i].i;
    k->order = order;
}

static int is_small(const hr__op_call *k)
{
    if (k->op->flags & HR_OP_HEAVY) return 0;
    int64_t bytes = 0;
    for (int64_t i = 0; i < k->c.n && bytes <= inline_bytes; i++) bytes += sample_bytes(k, i);
    return bytes <= inline_bytes;
}

hr_status hr__call_run_in_turn(hr__op_call *k, hr_error *err)
{
    if (!hr__call_has_samples(k)) return HR_OK;
    for (int64_t i = 0; i < k->c.n; i++) HR_TRY(run_task(k, i, err));
    return HR_OK;
}

hr_status hr__call_run_one(hr__op_call *k, int64_t i, hr_error *err) { return run_task(k, i, err); }

int64_t hr__call_share(hr__op_call *k)
{
    const hr_pool *pool = k->options->pool;
    if (!hr__call_has_samples(k) || !pool || hr_pool_size(pool) == 1 || is_small(k)) return 0;
    plan_order(k);
    return k->c.n;
}

hr_status hr__call_run(hr__op_call *k, hr_error *err)
{
    const hr_call_options *o = k->options;
    int64_t n = k->c.n;
    int threads = o->pool ? hr_pool_size(o->pool) : 1;
    if (is_small(k)) return hr__call_run_in_turn(k, err);
    hr__call_go_long(k);
    if (threads == 1 && !o->poll) return hr__call_run_in_turn(k, err);
    if (threads > 1) plan_order(k);
    if (!o->pool) { /* alone, but interruptible */
        for (int64_t i = 0; i < n; i++) {
            HR_TRY(run_task(k, i, err));
            if (o->poll && o->poll(o->arg)) return hr_fail(err, HR_CANCELLED, "cancelled");
        }
        return HR_OK;
    }
    return hr_pool_run(o->pool, n, run_task, k, o->poll, o->arg, err);
}
