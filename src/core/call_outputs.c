/* A call's outputs: shapes by the operator's rule, memory, and where samples come from. */
#include <string.h>

#include "core/call.h"

static hr_status infer_one(hr__op_call *k, int64_t i, hr_sample *s, hr_tensor *outs, hr_error *err)
{
    hr_arena *arena = k->c.arena;
    hr__arena_mark mark = hr__arena_get_mark(arena);
    s->out = outs;
    hr_status status = k->op->infer(s, err);
    hr__arena_release(arena, mark);
    return status == HR_OK ? HR_OK : hr__call_name_failure(k, i, status, err);
}

/* A failed sample whose stand-in fits no shape rule takes the first sound sample's shape. */
static void infer_failed(hr__op_call *k, int64_t i, const hr_tensor *outs)
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

static hr_status infer_all(hr__op_call *k, hr_error *err)
{
    const hr_op_desc *op = k->op;
    const hr_tensor **ins = hr_arena_take(k->c.arena, (size_t)(k->c.n_in + 1) * sizeof *ins);
    if (!ins) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", op->name);
    int64_t late = 0; /* failed samples are shaped after the sound ones */
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < k->c.n; i++) {
            hr_sample s;
            hr_tensor outs[HR__MAX_OUT] = {0};
            hr__call_view_sample(k, &s, ins, i);
            hr_meta *failed = hr__call_failed_meta(&s);
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
static void hand_on_meta(hr__op_call *k)
{
    for (int64_t i = 0; i < k->c.n; i++) {
        hr_meta *meta = NULL;
        for (int j = 0; j < k->c.n_in; j++) {
            const hr_tensor *t = hr__call_input_of(&k->c.in[j], i);
            if (t && t->meta && (!meta || (t->meta->failure && !meta->failure))) meta = t->meta;
        }
        for (int o = 0; meta && o < k->n_out; o++)
            k->outs[o]->t[i].meta = hr_meta_ref(meta);
    }
}

/* Outputs that share the first input's memory; strided or borrowed memory is copied. */
static hr_status view_outputs(hr__op_call *k, hr_error *err)
{
    for (int64_t i = 0; i < k->c.n; i++) {
        const hr_tensor *in = hr__call_input_of(&k->c.in[0], i);
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
    return err->status;
}

hr_status hr__call_make_outputs(hr__op_call *k, hr_error *err)
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
        return err->status;
    }
    hand_on_meta(k);
    return HR_OK;
}

/* Type, rank and layout by the shape rules, from samples of equal extents. */
static int infer_stand_in(hr__op_call *k, int64_t extent, hr_tensor *outs)
{
    const hr_tensor **ins = hr_arena_take(k->c.arena, (size_t)(k->c.n_in + 1) * sizeof *ins);
    if (!ins) return 0;
    hr_sample s;
    hr__call_view_sample(k, &s, ins, 0);
    for (int j = 0; j < k->c.n_in; j++) {
        if (!ins[j] || k->c.in[j].n) continue;
        ins[j] = hr__stand_in(hr__call_in_desc(k->op, j), ins[j], extent, k->c.arena);
        if (!ins[j]) return 0;
    }
    s.out = outs;
    return k->op->infer(&s, NULL) == HR_OK;
}

/* No sample to infer from. A window may be too large for a small stand-in; where none fits, the
 * outputs look like the first input. */
void hr__call_shape_empty(hr__op_call *k)
{
    static const int64_t extents[] = {1, 32, 256, 1024};
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        hr_tensor outs[HR__MAX_OUT] = {0};
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
