/* An operator call: check the inputs, bind the arguments, set up, infer shapes, allocate, run the
 * samples. Everything that all operators share is here, so that an operator is its formula. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

enum { MAX_OUT = 8 };
/* Below this many bytes in and out a call is done before a thread would wake. */
static const int64_t inline_bytes = 48 << 10;

typedef struct call {
    hr_call c; /* what the operator sees */
    const hr_op_desc *op;
    const hr_call_options *options;
    int n_out; /* the operator's, or without the one that is not asked for */
    hr_batch *outs[MAX_OUT];
    const int64_t *order; /* samples, the largest first; NULL: as they come */
    int is_long;          /* options->begin_long was called */
} call;

static void go_long(call *k)
{
    if (k->is_long) return;
    k->is_long = 1;
    if (k->options->begin_long) k->options->begin_long(k->options->arg);
}

/* ---- inputs ---------------------------------------------------------------------- */

static const hr_in_desc *in_desc(const hr_op_desc *op, int i)
{
    return &op->ins[i < op->n_ins ? i : op->n_ins - 1];
}

static hr_status check_count(const hr_op_desc *op, const hr_input *ins, int n, hr_error *err)
{
    int least = 0, most = op->n_ins;
    for (int i = 0; i < op->n_ins; i++) {
        if (!(op->ins[i].flags & HR_IN_OPTIONAL)) least = i + 1;
        if (op->ins[i].flags & HR_IN_VARIADIC) most = 999;
    }
    if (n > most || n < least) {
        if (least == most)
            return hr_fail(err, HR_TYPE, "%s: takes %d input%s, got %d", op->name, most,
                           most == 1 ? "" : "s", n);
        return hr_fail(err, HR_TYPE, "%s: takes %d to %d inputs, got %d", op->name, least, most,
                       n);
    }
    for (int i = 0; i < n; i++)
        if (!ins[i].t && !(in_desc(op, i)->flags & HR_IN_OPTIONAL))
            return hr_fail(err, HR_TYPE, "%s: input `%s` is missing", op->name,
                           in_desc(op, i)->name);
    return HR_OK;
}

/* Looks for `layout` in "HWC FHWC"; without one, for the first of the rank. NULL: none. */
static const char *find_layout(const char *list, const char *layout, int ndim, size_t *len)
{
    for (const char *p = list; *p;) {
        *len = strcspn(p, " ");
        if (layout[0] ? strlen(layout) == *len && !strncmp(p, layout, *len)
                      : (size_t)ndim == *len)
            return p;
        p += *len;
        p += strspn(p, " ");
    }
    return NULL;
}

static hr_status check_input(const hr_op_desc *op, const hr_in_desc *d, hr_input *in,
                             hr_error *err)
{
    const hr_tensor *t = in->t;
    if (t->device_type != HR_CPU)
        return hr_fail(err, HR_STATE, "%s: input `%s` is on a GPU; this build has none",
                       op->name, d->name);
    const hr_dtype_info *info = hr_dtype_get_info(t->dtype);
    if (!info || (d->dtypes && !(d->dtypes & HR_DTYPES(t->dtype))))
        return hr_fail(err, HR_TYPE, "%s: input `%s` is of type %s, which is not supported",
                       op->name, d->name, info ? info->numpy_name : "none");
    if ((d->min_ndim || d->max_ndim) && (t->ndim < d->min_ndim || t->ndim > d->max_ndim))
        return hr_fail(err, HR_VALUE, "%s: input `%s` has %d axes, it needs %d to %d", op->name,
                       d->name, t->ndim, d->min_ndim, d->max_ndim);
    memcpy(in->layout, t->layout, sizeof in->layout);
    if (!d->layouts) return HR_OK;
    size_t len;
    const char *found = find_layout(d->layouts, t->layout, t->ndim, &len);
    if (!found && t->layout[0])
        return hr_fail(err, HR_VALUE, "%s: input `%s` has layout \"%s\", it needs one of %s",
                       op->name, d->name, t->layout, d->layouts);
    if (!found)
        return hr_fail(err, HR_VALUE,
                       "%s: input `%s` has %d axes and no layout, it needs one of %s", op->name,
                       d->name, t->ndim, d->layouts);
    memset(in->layout, 0, sizeof in->layout);
    memcpy(in->layout, found, len);
    return HR_OK;
}

static hr_status take_inputs(call *k, const hr_input *ins, int n_in, hr_error *err)
{
    const hr_op_desc *op = k->op;
    HR_TRY(check_count(op, ins, n_in, err));
    hr_input *own = hr_arena_take(k->c.arena, (size_t)(n_in + 1) * sizeof *own);
    if (!own) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", op->name);
    for (int i = 0; i < n_in; i++) {
        own[i] = ins[i];
        if (!ins[i].t) continue;
        HR_TRY(check_input(op, in_desc(op, i), &own[i], err));
    }
    k->c.in = own;
    k->c.n_in = n_in;
    return HR_OK;
}

static hr_status settle_size(call *k, const hr_value *values, hr_error *err)
{
    const hr_op_desc *op = k->op;
    int64_t n = k->options->batch_size > 0 ? k->options->batch_size : -1;
    for (int i = 0; i < k->c.n_in; i++) {
        const hr_input *in = &k->c.in[i];
        if (!in->t || !in->is_batch) continue;
        if (n >= 0 && in->n != n)
            return hr_fail(err, HR_VALUE, "%s: input `%s` is a batch of %lld, the call's batch "
                           "size is %lld", op->name, in_desc(op, i)->name, (long long)in->n,
                           (long long)n);
        n = in->n;
    }
    for (int i = 0; n < 0 && i < op->n_args; i++)
        if (values[i].kind == HR_VALUE_BATCH) n = values[i].n;
    k->c.is_batch = n >= 0;
    if (n < 0 && op->flags & HR_OP_BATCHWISE && op->n_ins == 0)
        return hr_fail(err, HR_VALUE, "%s: needs a batch_size", op->name);
    k->c.n = n < 0 ? 1 : n;
    return HR_OK;
}

/* ---- samples --------------------------------------------------------------------- */

static const hr_tensor *input_of(const hr_input *in, int64_t i)
{
    return in->t ? in->t + (in->is_batch ? i : 0) : NULL;
}

static void view_sample(const call *k, hr_sample *s, const hr_tensor **ins, int64_t i)
{
    const hr_call *c = &k->c;
    for (int j = 0; j < c->n_in; j++) ins[j] = input_of(&c->in[j], i);
    *s = (hr_sample){.call = c, .args = c->args + (size_t)i * c->args_stride, .state = c->state,
                     .in = ins, .n_in = c->n_in, .i = i, .arena = c->arena,
                     .kernels = c->kernels};
    if (k->op->flags & HR_OP_RANDOM) s->rng = hr_rng_of_sample(&c->rng, i);
}

/* What went wrong belongs to a sample: say which operator, sample and file. */
static hr_status name_failure(const call *k, int64_t i, hr_status status, hr_error *err)
{
    if (!err) return status;
    const char *source = "";
    for (int j = 0; j < k->c.n_in && !source[0]; j++) {
        const hr_tensor *t = input_of(&k->c.in[j], i);
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

/* A failed input makes a failed output: the operator is not run on a stand-in's pixels. */
static hr_meta *failed_meta(const hr_sample *s)
{
    for (int j = 0; j < s->n_in; j++)
        if (s->in[j] && s->in[j]->meta && s->in[j]->meta->failure) return s->in[j]->meta;
    return NULL;
}

static hr_status infer_one(call *k, int64_t i, hr_sample *s, hr_tensor *outs, hr_error *err)
{
    hr_arena *arena = k->c.arena;
    hr__arena_mark mark = hr__arena_get_mark(arena);
    s->out = outs;
    hr_status status = k->op->infer(s, err);
    hr__arena_release(arena, mark);
    return status == HR_OK ? HR_OK : name_failure(k, i, status, err);
}

/* A failed sample whose stand-in fits no shape rule takes the first sound sample's shape. */
static void infer_failed(call *k, int64_t i, const hr_tensor *outs)
{
    for (int o = 0; o < k->n_out; o++) {
        const hr_tensor *like = NULL;
        for (int64_t j = 0; j < k->c.n && !like; j++)
            if (k->outs[o]->t[j].dtype != HR_DTYPE_NONE && j != i) like = &k->outs[o]->t[j];
        if (like) k->outs[o]->t[i] = *like;
        else k->outs[o]->t[i] = outs[o];
        k->outs[o]->t[i].meta = NULL;
    }
}

static hr_status infer_all(call *k, hr_error *err)
{
    const hr_op_desc *op = k->op;
    const hr_tensor **ins = hr_arena_take(k->c.arena, (size_t)(k->c.n_in + 1) * sizeof *ins);
    if (!ins) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", op->name);
    int64_t late = 0; /* failed samples are shaped after the sound ones */
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < k->c.n; i++) {
            hr_sample s;
            hr_tensor outs[MAX_OUT] = {0};
            view_sample(k, &s, ins, i);
            hr_meta *failed = failed_meta(&s);
            if ((failed != NULL) != (pass == 1)) {
                late += failed != NULL;
                for (int o = 0; pass == 0 && o < k->n_out; o++)
                    k->outs[o]->t[i].dtype = HR_DTYPE_NONE;
                continue;
            }
            hr_error ignored = {0};
            hr_status status = infer_one(k, i, &s, outs, failed ? &ignored : err);
            if (status == HR_NOMEM || (!failed && status != HR_OK)) return status;
            if (status != HR_OK) infer_failed(k, i, outs);
            else for (int o = 0; o < k->n_out; o++) k->outs[o]->t[i] = outs[o];
        }
        if (!late) break;
    }
    return HR_OK;
}

/* After allocation: sources and failures travel from inputs to outputs. */
static void hand_on_meta(call *k)
{
    for (int64_t i = 0; i < k->c.n; i++) {
        hr_meta *meta = NULL;
        for (int j = 0; j < k->c.n_in; j++) {
            const hr_tensor *t = input_of(&k->c.in[j], i);
            if (t && t->meta && (!meta || (t->meta->failure && !meta->failure))) meta = t->meta;
        }
        for (int o = 0; meta && o < k->n_out; o++)
            k->outs[o]->t[i].meta = hr_meta_ref(meta);
    }
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

static hr_status run_sample(call *k, hr_arena *arena, int64_t i, hr_error *err)
{
    const hr_op_desc *op = k->op;
    const hr_tensor **ins = hr_arena_take(arena, (size_t)(k->c.n_in + 1) * sizeof *ins);
    if (!ins) return hr_fail(err, HR_NOMEM, "no memory for a sample");
    hr_sample s;
    hr_tensor outs[MAX_OUT];
    view_sample(k, &s, ins, i);
    s.arena = arena;
    s.out = outs;
    for (int o = 0; o < k->n_out; o++) outs[o] = k->outs[o]->t[i];
    if (failed_meta(&s)) {
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
    call *k = arg;
    if (k->order) i = k->order[i];
    hr_arena *arena = hr__arena_of_thread();
    if (!arena) return hr_fail(err, HR_NOMEM, "%s: no memory for a thread", k->op->name);
    hr__arena_mark mark = hr__arena_get_mark(arena);
    hr_status status = run_sample(k, arena, i, err);
    hr__arena_release(arena, mark);
    return status == HR_OK ? HR_OK : name_failure(k, i, status, err);
}

/* ---- running --------------------------------------------------------------------- */

typedef struct weight {
    int64_t bytes, i;
} weight;

static int by_bytes(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->i < y->i ? -1 : 1;
}

static int64_t sample_bytes(const call *k, int64_t i)
{
    int64_t bytes = 0;
    for (int j = 0; j < k->c.n_in; j++) {
        const hr_tensor *t = input_of(&k->c.in[j], i);
        if (t) bytes += (int64_t)hr_tensor_nbytes(t);
    }
    for (int o = 0; o < k->n_out; o++)
        bytes += (int64_t)hr_tensor_nbytes(&k->outs[o]->t[i]);
    return bytes;
}

/* The largest samples first, so that none is begun when the others are done. */
static int64_t plan_order(call *k)
{
    int64_t n = k->c.n, total = 0;
    weight *w = hr_arena_take(k->c.arena, (size_t)n * sizeof *w);
    int64_t *order = hr_arena_take(k->c.arena, (size_t)n * sizeof *order);
    int sorted = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t bytes = sample_bytes(k, i);
        total += bytes;
        if (w) w[i] = (weight){bytes, i};
        if (w && i && w[i].bytes > w[i - 1].bytes) sorted = 0;
    }
    if (!w || !order || sorted) return total;
    qsort(w, (size_t)n, sizeof *w, by_bytes);
    for (int64_t i = 0; i < n; i++) order[i] = w[i].i;
    k->order = order;
    return total;
}

static hr_status run_all(call *k, hr_error *err)
{
    const hr_call_options *o = k->options;
    int64_t n = k->c.n;
    int threads = o->pool ? hr_pool_size(o->pool) : 1;
    int64_t bytes = 0;
    if (k->op->flags & HR_OP_HEAVY) bytes = inline_bytes + 1;
    for (int64_t i = 0; i < n && bytes <= inline_bytes; i++) bytes += sample_bytes(k, i);
    if (bytes <= inline_bytes || (threads == 1 && !o->poll)) {
        if (bytes > inline_bytes) go_long(k);
        for (int64_t i = 0; i < n; i++) HR_TRY(run_task(k, i, err));
        return HR_OK;
    }
    go_long(k);
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

static int count_outputs(const hr_op_desc *op, const char *args)
{
    for (int i = 0; op->n_out > 1 && i < op->n_args; i++)
        if (op->args[i].flags & HR_ADDS_OUTPUT)
            return op->n_out - !*(const int *)(const void *)(args + op->args[i].offset);
    return op->n_out;
}

static hr_status prepare(call *k, const hr_value *values, hr_error *err)
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
        return err ? err->status : HR_VALUE;
    }
    return HR_OK;
}

/* Outputs that share the first input's memory; strided or borrowed memory is copied. */
static hr_status view_outputs(call *k, hr_error *err)
{
    for (int64_t i = 0; i < k->c.n; i++) {
        const hr_tensor *in = input_of(&k->c.in[0], i);
        hr_tensor *out = &k->outs[0]->t[i];
        size_t size = hr_tensor_nbytes(out);
        int fits = size == hr_tensor_nbytes(in); /* a failed sample has another's shape */
        if (fits && in->buf && hr_tensor_is_contiguous(in)) {
            out->buf = hr_buf_ref(in->buf, 1);
            out->data = in->data;
            continue;
        }
        out->buf = hr_buf_create(size);
        if (!out->buf) return hr_fail(err, HR_NOMEM, "%s: no memory for a copy", k->op->name);
        out->data = out->buf->data;
        if (fits) hr_tensor_pack(out->data, in);
        else memset(out->data, 0, size);
    }
    if (hr_batch_seal(k->outs[0], err) == HR_OK) return HR_OK;
    hr_error_prefix(err, "%s", k->op->name);
    return err ? err->status : HR_VALUE;
}

static hr_status make_outputs(call *k, hr_error *err)
{
    const hr_op_desc *op = k->op;
    for (int o = 0; o < k->n_out; o++) HR_TRY(hr_batch_create(&k->outs[o], k->c.n, err));
    HR_TRY(infer_all(k, err));
    if (op->flags & HR_OP_VIEW) {
        HR_TRY(view_outputs(k, err));
        hand_on_meta(k);
        return HR_OK;
    }
    for (int o = 0; o < k->n_out; o++) {
        if (hr_batch_allocate(k->outs[o], err) == HR_OK) continue;
        hr_error_prefix(err, "%s", op->name);
        return err ? err->status : HR_VALUE;
    }
    hand_on_meta(k);
    return HR_OK;
}

/* Type, rank and layout by the shape rules, from samples of equal extents. */
static int infer_stand_in(call *k, int64_t extent, hr_tensor *outs)
{
    const hr_tensor **ins = hr_arena_take(k->c.arena, (size_t)(k->c.n_in + 1) * sizeof *ins);
    if (!ins) return 0;
    hr_sample s;
    view_sample(k, &s, ins, 0);
    for (int j = 0; j < k->c.n_in; j++) {
        if (!ins[j] || k->c.in[j].n) continue;
        ins[j] = hr__stand_in(in_desc(k->op, j), ins[j], extent, k->c.arena);
        if (!ins[j]) return 0;
    }
    s.out = outs;
    return k->op->infer(&s, NULL) == HR_OK;
}

/* No sample to infer from. A window may be too large for a small stand-in; where none fits, the
 * outputs look like the first input. */
static void shape_empty(call *k)
{
    static const int64_t extents[] = {1, 32, 256, 1024};
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        hr_tensor outs[MAX_OUT] = {0};
        if (!infer_stand_in(k, extents[e], outs)) continue;
        for (int o = 0; o < k->n_out; o++)
            hr_batch_set_empty(k->outs[o], outs[o].dtype, outs[o].ndim, outs[o].layout);
        return;
    }
    const hr_input *like = k->c.n_in && k->c.in[0].t ? &k->c.in[0] : NULL;
    for (int o = 0; o < k->n_out; o++)
        hr_batch_set_empty(k->outs[o], like ? like->t->dtype : HR_F32, like ? like->t->ndim : 0,
                           like ? like->layout : "");
}

static hr_status call_in_arena(call *k, const hr_input *ins, int n_in, const hr_value *values,
                               hr_error *err)
{
    HR_TRY(take_inputs(k, ins, n_in, err));
    HR_TRY(settle_size(k, values, err));
    HR_TRY(prepare(k, values, err));
    if (k->op->flags & HR_OP_HEAVY) go_long(k); /* headers are read as well */
    HR_TRY(make_outputs(k, err));
    if (k->c.n == 0) {
        shape_empty(k);
        return HR_OK;
    }
    return k->op->flags & HR_OP_VIEW ? HR_OK : run_all(k, err);
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
    call k = {.op = op, .options = options,
              .c = {.op = op, .arena = arena, .kernels = hr__kernels()}};
    hr_status status = call_in_arena(&k, ins, n_ins, values, err);
    hr__arena_release(arena, mark);
    if (k.is_long && options->end_long) options->end_long(options->arg);
    for (int o = 0; o < k.n_out; o++) {
        if (status == HR_OK) outs[o] = k.outs[o];
        else hr_batch_unref(&k.outs[o]);
    }
    return status;
}

int hr_call_has(const hr_call *c, const char *name)
{
    for (int i = 0; i < c->op->n_args; i++)
        if (!strcmp(c->op->args[i].name, name)) return (int)(c->args_given >> i & 1);
    return 0;
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
