/* New extents over the same bytes. Sizes are compared in bytes, so that a change of type counts. */
#include "array/new_shape.h"

#include <math.h>
#include <string.h>

typedef struct extents {
    int n;
    int open; /* the axis left open, or -1 */
    int64_t v[HR_MAX_NDIM];
} extents;

static int has_input(const hr_call *call) { return call->n_in > 1 && call->in[1].t; }

int hr__new_shape_given(const hr_call *call)
{
    return has_input(call) || hr_call_has(call, "shape") || hr_call_has(call, "rel_shape") ||
           hr_call_has(call, "src_dims");
}

hr_status hr__new_shape_check(const hr_call *call, hr_error *err)
{
    const char *input = has_input(call) ? "shape_input" : NULL;
    const char *shape = hr_call_has(call, "shape") ? "shape" : NULL;
    const char *rel = hr_call_has(call, "rel_shape") ? "rel_shape" : NULL;
    if ((input != NULL) + (shape != NULL) + (rel != NULL) > 1)
        return hr_fail(err, HR_VALUE, "`%s` and `%s` exclude each other", input ? input : shape,
                       input && shape ? shape : rel);
    return HR_OK;
}

static hr_status add_extent(extents *e, int64_t v, hr_error *err)
{
    if (e->n == HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "the new shape has more than %d extents", HR_MAX_NDIM);
    if (v < 0 && e->open >= 0)
        return hr_fail(err, HR_VALUE, "the new shape has two negative extents, at %d and %d",
                       e->open, e->n);
    if (v < 0) e->open = e->n;
    e->v[e->n++] = v < 0 ? 1 : v;
    return HR_OK;
}

/* A list, or a row a sample of a table that is shared by all. */
static hr_status from_input(const hr_sample *s, extents *e, hr_error *err)
{
    const hr_tensor *t = s->in[1];
    int64_t rows = s->call->in[1].is_batch ? 1 : s->call->n;
    int64_t row = s->call->in[1].is_batch ? 0 : s->i;
    if (t->ndim == 2 && t->shape[0] == 1) rows = 1, row = 0;
    if (t->ndim < 1 || t->ndim > 2 || (t->ndim == 2 && t->shape[0] != rows))
        return hr_fail(err, HR_VALUE, "input `shape_input` has %d axes, it needs a list of "
                       "extents, or %lld rows of them", t->ndim, (long long)rows);
    const char *p = (const char *)t->data + (t->ndim == 2 ? row * t->stride[0] : 0);
    for (int64_t i = 0; i < t->shape[t->ndim - 1]; i++) {
        int64_t v;
        hr_dtype_convert(HR_I64, &v, t->dtype, p + i * t->stride[t->ndim - 1], 1);
        HR_TRY(add_extent(e, v, err));
    }
    return HR_OK;
}

/* The input's extent that axis i of the output goes by. */
static hr_status base_extent(const hr__new_shape_args *a, const hr_tensor *in, int64_t i,
                             int64_t *base, hr_error *err)
{
    int64_t k = a->src_dims.n >= 0 ? a->src_dims.v[i] : i;
    if (k < -1 || k >= in->ndim)
        return hr_fail(err, HR_VALUE, "`src_dims` has %lld, it must be an axis within 0..%d, or "
                       "-1 for a new one", (long long)k, in->ndim - 1);
    *base = k < 0 ? 1 : in->shape[k];
    return HR_OK;
}

static hr_status from_relative(const hr__new_shape_args *a, const hr_tensor *in, extents *e,
                               hr_error *err)
{
    int64_t n = a->rel_shape.n;
    if (a->src_dims.n >= 0 && n != a->src_dims.n)
        return hr_fail(err, HR_VALUE, "`rel_shape` has %lld values, `src_dims` has %lld",
                       (long long)n, (long long)a->src_dims.n);
    if (a->src_dims.n < 0 && n > in->ndim)
        return hr_fail(err, HR_VALUE, "`rel_shape` has %lld values, the input has %d axes; "
                       "`src_dims` adds new ones", (long long)n, in->ndim);
    for (int64_t i = 0; i < n; i++) {
        int64_t base = 0;
        HR_TRY(base_extent(a, in, i, &base, err));
        double v = round((double)a->rel_shape.v[i] * (double)base);
        if (!(fabs(v) < 0x1p62)) /* NaN fails */
            return hr_fail(err, HR_VALUE, "`rel_shape` has %g, which makes no extent of %lld",
                           (double)a->rel_shape.v[i], (long long)base);
        HR_TRY(add_extent(e, a->rel_shape.v[i] < 0 ? -1 : (int64_t)v, err));
    }
    return HR_OK;
}

static hr_status from_axes(const hr__new_shape_args *a, const hr_tensor *in, extents *e,
                           hr_error *err)
{
    for (int64_t i = 0; i < a->src_dims.n; i++) {
        int64_t base = 0;
        HR_TRY(base_extent(a, in, i, &base, err));
        HR_TRY(add_extent(e, base, err));
    }
    return HR_OK;
}

/* Elements of the output that the input's bytes make; sets the open extent. */
static hr_status close_shape(const hr_tensor *in, hr_dtype dtype, extents *e, hr_error *err)
{
    hr_tensor probe;
    HR_TRY(hr_tensor_shape(&probe, dtype, e->n, e->v, err));
    size_t have = hr_tensor_nbytes(in), rest = hr_tensor_nbytes(&probe);
    if (e->open >= 0) {
        if (rest == 0)
            return hr_fail(err, HR_VALUE, "extent %d is left open, but the others make no "
                           "elements", e->open);
        e->v[e->open] = (int64_t)(have / rest);
        rest *= have / rest;
    }
    if (rest == have) return HR_OK;
    return hr_fail(err, HR_VALUE, "the new shape makes %zu bytes, the input has %zu (%lld elements "
                   "of %s)", rest, have, (long long)hr_tensor_size(in),
                   hr_dtype_get_info(in->dtype)->numpy_name);
}

/* The innermost axis takes the change of type. */
static hr_status keep_shape(const hr_tensor *in, hr_dtype dtype, extents *e, hr_error *err)
{
    size_t from = hr_dtype_size(in->dtype), to = hr_dtype_size(dtype);
    if (from == to) return HR_OK;
    if (e->n == 0)
        return hr_fail(err, HR_VALUE, "a single %s has no axis that could take the change to %s",
                       hr_dtype_get_info(in->dtype)->numpy_name,
                       hr_dtype_get_info(dtype)->numpy_name);
    int64_t *last = &e->v[e->n - 1];
    if (*last > INT64_MAX / (int64_t)from || *last * (int64_t)from % (int64_t)to)
        return hr_fail(err, HR_VALUE, "the innermost extent is %lld of %zu bytes, which makes no "
                       "whole number of %s", (long long)*last, from,
                       hr_dtype_get_info(dtype)->numpy_name);
    *last = *last * (int64_t)from / (int64_t)to;
    return HR_OK;
}

hr_status hr__new_shape_infer(const hr_sample *s, const hr__new_shape_args *a, hr_dtype dtype,
                              hr_error *err)
{
    const hr_tensor *in = s->in[0];
    extents e = {.open = -1};
    int is_free = 1; /* the extents stand for themselves, not for the input's */
    if (s->n_in > 1 && s->in[1]) {
        HR_TRY(from_input(s, &e, err));
    } else if (a->shape.n >= 0) {
        for (int64_t i = 0; i < a->shape.n; i++) HR_TRY(add_extent(&e, a->shape.v[i], err));
    } else if (a->rel_shape.n >= 0) {
        HR_TRY(from_relative(a, in, &e, err));
    } else {
        is_free = 0;
        if (a->src_dims.n >= 0) {
            HR_TRY(from_axes(a, in, &e, err));
        } else {
            e.n = in->ndim;
            memcpy(e.v, in->shape, sizeof e.v);
        }
        HR_TRY(keep_shape(in, dtype, &e, err));
    }
    if (is_free || a->src_dims.n >= 0) HR_TRY(close_shape(in, dtype, &e, err));
    hr_tensor *out = &s->out[0];
    HR_TRY(hr_tensor_shape(out, dtype, e.n, e.v, err));
    if (a->layout) return hr_tensor_set_layout(out, a->layout, err);
    if (e.n == in->ndim) memcpy(out->layout, in->layout, sizeof in->layout);
    return HR_OK;
}

const hr_in_desc hr__new_shape_ins[2] = {
    {.name = "data", .doc = "Tensors of any rank and type."},
    {.name = "shape_input", .flags = HR_IN_OPTIONAL, .dtypes = HR_DTYPES_INT,
     .doc = "Extents of the output, as the argument `shape`."},
};
