/* A call's inputs: their number, types, ranks and layouts, and the batch size that they give. */
#include <string.h>

#include "core/call.h"

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
        if (!ins[i].t && !(hr__call_in_desc(op, i)->flags & HR_IN_OPTIONAL))
            return hr_fail(err, HR_TYPE, "%s: input `%s` is missing", op->name,
                           hr__call_in_desc(op, i)->name);
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

static hr_status fail_type(const hr_op_desc *op, const hr_in_desc *d, const hr_dtype_info *info,
                           hr_error *err)
{
    char types[160];
    hr__dtype_names(d->dtypes, types, sizeof types);
    return hr_fail(err, HR_TYPE, "%s: input `%s` is of type %s, which is not supported, only %s",
                   op->name, d->name, info ? info->numpy_name : "none", types);
}

static hr_status fail_rank(const hr_op_desc *op, const hr_in_desc *d, int ndim, hr_error *err)
{
    if (d->min_ndim == d->max_ndim)
        return hr_fail(err, HR_VALUE, "%s: input `%s` has %d axes, it needs %d", op->name, d->name, ndim,
                       d->min_ndim);
    return hr_fail(err, HR_VALUE, "%s: input `%s` has %d axes, it needs %d to %d", op->name, d->name, ndim,
                   d->min_ndim, d->max_ndim);
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
        return fail_type(op, d, info, err);
    if ((d->min_ndim || d->max_ndim) && (t->ndim < d->min_ndim || t->ndim > d->max_ndim))
        return fail_rank(op, d, t->ndim, err);
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

hr_status hr__call_take_inputs(hr__op_call *k, const hr_input *ins, int n_in, hr_error *err)
{
    const hr_op_desc *op = k->op;
    HR_TRY(check_count(op, ins, n_in, err));
    hr_input *own = hr_arena_take(k->c.arena, (size_t)(n_in + 1) * sizeof *own);
    if (!own) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", op->name);
    for (int i = 0; i < n_in; i++) {
        own[i] = ins[i];
        if (!ins[i].t) continue;
        HR_TRY(check_input(op, hr__call_in_desc(op, i), &own[i], err));
    }
    k->c.in = own;
    k->c.n_in = n_in;
    return HR_OK;
}

hr_status hr__call_settle_size(hr__op_call *k, const hr_value *values, hr_error *err)
{
    const hr_op_desc *op = k->op;
    int64_t n = k->options->batch_size > 0 ? k->options->batch_size : -1;
    for (int i = 0; i < k->c.n_in; i++) {
        const hr_input *in = &k->c.in[i];
        if (!in->t || !in->is_batch) continue;
        if (n >= 0 && in->n != n)
            return hr_fail(err, HR_VALUE, "%s: input `%s` is a batch of %lld, the call's batch "
                           "size is %lld", op->name, hr__call_in_desc(op, i)->name, (long long)in->n,
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
