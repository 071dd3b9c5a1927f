/* Arguments: values by kind to the fields of an operator's struct, with one set of rules and
 * messages for the C call, the Python call and readers. */
#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/args_text.h"
#include "core/core.h"

static hr_status bind_batch(const hr__args_request *r, int index, char *data, size_t stride,
                            hr_error *err)
{
    const hr_arg_desc *a = &r->args[index];
    const hr_value *v = &r->values[index];
    for (int64_t i = 0; i < r->n; i++) {
        hr__arg_binder b = {a, r->owner, r->arena, i};
        hr_value one = {.kind = HR_VALUE_TENSOR, .n = 1, .u.t = &v->u.t[i]};
        char *field = data + (size_t)i * stride + a->offset;
        if (hr__arg_bind(&b, &one, field, err) == HR_OK) continue;
        if (!err || err->status == HR_NOMEM) return err ? err->status : HR_VALUE;
        char owner[96]; /* once more, for a text that names the sample */
        snprintf(owner, sizeof owner, "%s: sample %lld", r->owner, (long long)i);
        b.owner = owner;
        hr_error_clear(err);
        hr_status status = hr__arg_bind(&b, &one, field, err);
        err->sample = i;
        if (status != HR_OK) return status;
    }
    return HR_OK;
}

static hr_status bind_shared(const hr__args_request *r, int index, char *data, hr_error *err)
{
    const hr_arg_desc *a = &r->args[index];
    hr__arg_binder b = {a, r->owner, r->arena, -1};
    return hr__arg_bind(&b, &r->values[index], data + a->offset, err);
}

static hr_status check_given(const hr__args_request *r, int *per_sample, uint64_t *given,
                             hr_error *err)
{
    for (int i = 0; i < r->n_args; i++) {
        const hr_arg_desc *a = &r->args[i];
        const hr_value *v = &r->values[i];
        if (v->kind == HR_VALUE_NONE) {
            if (a->flags & HR_REQUIRED)
                return hr_fail(err, HR_TYPE, "%s: missing the required argument `%s`",
                               r->owner, a->name);
            continue;
        }
        *given |= UINT64_C(1) << i;
        if (v->kind != HR_VALUE_BATCH) continue;
        if (!(a->flags & HR_PER_SAMPLE))
            return hr_fail(err, HR_TYPE, "%s: argument `%s` is one value for the whole call, "
                           "it cannot be a batch", r->owner, a->name);
        if (v->n != r->n)
            return hr_fail(err, HR_VALUE, "%s: argument `%s` is a batch of %lld, the call has "
                           "%lld samples", r->owner, a->name, (long long)v->n, (long long)r->n);
        *per_sample = 1;
    }
    return HR_OK;
}

hr_status hr__args_bind_all(const hr__args_request *r, hr__args_bound *out, hr_error *err)
{
    const void *defaults = NULL;
    if (r->n_args && !(defaults = hr__args_defaults(r->args, r->n_args, r->size, err)))
        return err ? err->status : HR_NOMEM;
    int per_sample = 0;
    out->given = 0;
    HR_TRY(check_given(r, &per_sample, &out->given, err));
    size_t stride = (r->size + 15) & ~(size_t)15;
    size_t n = per_sample && r->n > 0 ? (size_t)r->n : 1;
    char *data = hr_arena_take(r->arena, n * stride + 1);
    if (!data) return hr_fail(err, HR_NOMEM, "%s: no memory for arguments", r->owner);
    if (defaults) memcpy(data, defaults, r->size);
    else memset(data, 0, r->size);
    for (int i = 0; i < r->n_args; i++) {
        hr_value_kind kind = r->values[i].kind;
        if (kind != HR_VALUE_NONE && kind != HR_VALUE_BATCH)
            HR_TRY(bind_shared(r, i, data, err));
    }
    for (size_t i = 1; i < n; i++) memcpy(data + i * stride, data, r->size);
    for (int i = 0; per_sample && i < r->n_args; i++)
        if (r->values[i].kind == HR_VALUE_BATCH)
            HR_TRY(bind_batch(r, i, data, stride, err));
    out->data = data;
    out->stride = n > 1 || (per_sample && r->n == 1) ? stride : 0;
    return HR_OK;
}

hr_status hr_args_bind(const hr_arg_desc *args, int n_args, const char *owner,
                       const hr_value *values, void *out, hr_arena *arena, hr_error *err)
{
    size_t size = 0; /* the fields' end; the widest field is a list */
    for (int i = 0; i < n_args; i++) {
        size_t end = args[i].offset + hr__arg_field_size(args[i].kind);
        if (end > size) size = end;
    }
    hr__args_request r = {args, n_args, size, owner, values, 1, arena};
    hr__args_bound bound;
    HR_TRY(hr__args_bind_all(&r, &bound, err));
    memcpy(out, bound.data, size);
    return HR_OK;
}
