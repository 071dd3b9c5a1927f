/* One argument value into one field of an operator's struct, checked against its descriptor. */
#include "core/args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/args_text.h"
#include "core/core.h"

static hr_status fail_kind(const hr__arg_binder *b, const char *got, hr_error *err)
{
    /* Text where a number belongs is a bad value, as at the peer. */
    hr_status status = !strcmp(got, "a str") ? HR_VALUE : HR_TYPE;
    return hr_fail(err, status, "%s: argument `%s` must be %s, got %s", b->owner, b->arg->name,
                   hr__arg_kind_words(b->arg), got);
}

/* A whole number with all of its digits. */
static void write_number(char text[32], double v)
{
    snprintf(text, 32, v == trunc(v) && fabs(v) < 1e19 ? "%.0f" : "%.9g", v);
}

static hr_status check_bounds(const hr__arg_binder *b, double v, hr_error *err)
{
    const hr_arg_desc *a = b->arg;
    if (a->min == 0 && a->max == 0) return HR_OK;
    if (v >= a->min && v <= a->max) return HR_OK; /* NaN fails */
    char value[32], least[32], most[32];
    write_number(value, v);
    write_number(least, a->min);
    write_number(most, a->max);
    if (a->max == INFINITY)
        return hr_fail(err, HR_VALUE, "%s: argument `%s` is %s, it must be at least %s", b->owner,
                       a->name, value, least);
    return hr_fail(err, HR_VALUE, "%s: argument `%s` is %s, it must be within %s..%s", b->owner,
                   a->name, value, least, most);
}

static hr_status check_count(const hr__arg_binder *b, int64_t n, hr_error *err)
{
    const hr_arg_desc *a = b->arg;
    if (a->min_n == 0 && a->max_n == 0) return HR_OK;
    if (n >= a->min_n && (n <= a->max_n || a->max_n == 0)) return HR_OK;
    if (a->min_n == a->max_n)
        return hr_fail(err, HR_VALUE, "%s: argument `%s` has %lld elements, it needs %d",
                       b->owner, a->name, (long long)n, a->min_n);
    return hr_fail(err, HR_VALUE, "%s: argument `%s` has %lld elements, it needs %d to %d",
                   b->owner, a->name, (long long)n, a->min_n, a->max_n);
}

static hr_status set_int(const hr__arg_binder *b, int64_t v, void *field, hr_error *err)
{
    HR_TRY(check_bounds(b, (double)v, err));
    memcpy(field, &v, sizeof v);
    return HR_OK;
}

static hr_status set_float(const hr__arg_binder *b, double v, void *field, hr_error *err)
{
    HR_TRY(check_bounds(b, v, err));
    float f = (float)v;
    memcpy(field, &f, sizeof f);
    return HR_OK;
}

static hr_status set_enum(const hr__arg_binder *b, const hr_value *v, hr_error *err, int *out)
{
    static const hr_value_kind own[] = {
        [HR_ARG_DTYPE] = HR_VALUE_DTYPE,
        [HR_ARG_IMAGE_TYPE] = HR_VALUE_IMAGE_TYPE,
        [HR_ARG_INTERP] = HR_VALUE_INTERP,
    };
    const hr_arg_desc *a = b->arg;
    if (v->kind != own[a->kind] && v->kind != HR_VALUE_INT)
        return fail_kind(b, hr__value_kind_words(v), err);
    int64_t top = a->kind == HR_ARG_IMAGE_TYPE ? HR_ANY_DATA : HR_INTERP_GAUSSIAN;
    if (a->kind == HR_ARG_DTYPE) top = 255;
    int known = v->u.i >= 0 && v->u.i <= top &&
                (a->kind != HR_ARG_DTYPE || hr_dtype_get_info((hr_dtype)v->u.i));
    if (!known)
        return hr_fail(err, HR_VALUE, "%s: argument `%s`: %lld is not %s", b->owner, a->name,
                       (long long)v->u.i, hr__arg_kind_words(a));
    *out = (int)v->u.i;
    return HR_OK;
}

static hr_status set_choice(const hr__arg_binder *b, const char *text, void *field, hr_error *err)
{
    const char *p = b->arg->choices;
    size_t n = strlen(text);
    for (int i = 0; *p; i++) {
        size_t len = strcspn(p, "|");
        if (len == n && !strncmp(p, text, n)) {
            memcpy(field, &i, sizeof i);
            return HR_OK;
        }
        p += len + (p[len] == '|');
    }
    return hr_fail(err, HR_VALUE, "%s: argument `%s` is \"%.64s\", it must be one of %s",
                   b->owner, b->arg->name, text, b->arg->choices);
}

static hr_status no_memory(const hr__arg_binder *b, hr_error *err)
{
    return hr_fail(err, HR_NOMEM, "%s: no memory for argument `%s`", b->owner, b->arg->name);
}

static hr_status set_ints(const hr__arg_binder *b, const int64_t *v, int64_t n, void *field,
                          hr_error *err)
{
    HR_TRY(check_count(b, n, err));
    int64_t *copy = hr_arena_take(b->arena, (size_t)n * sizeof *copy);
    if (!copy) return no_memory(b, err);
    for (int64_t i = 0; i < n; i++) {
        HR_TRY(check_bounds(b, (double)v[i], err));
        copy[i] = v[i];
    }
    hr_ints list = {copy, n};
    memcpy(field, &list, sizeof list);
    return HR_OK;
}

/* The shape that numbers were given in, for arguments that want to know. */
static void set_shape(const hr__arg_binder *b, int ndim, const int64_t *shape, void *field)
{
    if (!(b->arg->flags & HR_SHAPED)) return;
    hr_shaped *shaped = field;
    shaped->ndim = ndim;
    memcpy(shaped->shape, shape, (size_t)ndim * sizeof *shape);
}

static hr_status set_floats(const hr__arg_binder *b, const double *v, int64_t n, void *field,
                            hr_error *err)
{
    HR_TRY(check_count(b, n, err));
    float *copy = hr_arena_take(b->arena, (size_t)n * sizeof *copy);
    if (!copy) return no_memory(b, err);
    for (int64_t i = 0; i < n; i++) {
        HR_TRY(check_bounds(b, v[i], err));
        copy[i] = (float)v[i];
    }
    hr_floats list = {copy, n};
    memcpy(field, &list, sizeof list);
    set_shape(b, 1, &n, field);
    return HR_OK;
}

static hr_status set_strs(const hr__arg_binder *b, const char *const *v, int64_t n, void *field,
                          hr_error *err)
{
    HR_TRY(check_count(b, n, err));
    size_t bytes = (size_t)n * sizeof(char *);
    for (int64_t i = 0; i < n; i++) bytes += strlen(v[i]) + 1;
    char **copy = hr_arena_take(b->arena, bytes);
    if (!copy) return no_memory(b, err);
    char *text = (char *)(copy + n);
    for (int64_t i = 0; i < n; i++) {
        size_t len = strlen(v[i]) + 1;
        copy[i] = memcpy(text, v[i], len);
        text += len;
    }
    hr_strs list = {(const char *const *)copy, n};
    memcpy(field, &list, sizeof list);
    return HR_OK;
}

static hr_status set_text(const hr__arg_binder *b, const char *s, void *field, hr_error *err)
{
    size_t n = strlen(s) + 1;
    char *copy = hr_arena_take(b->arena, n);
    if (!copy) return no_memory(b, err);
    memcpy(copy, s, n);
    memcpy(field, &copy, sizeof copy);
    return HR_OK;
}

/* Floats without a fraction count as integers, and a list of one number as that number. */
static hr_value simplify(const hr_arg_desc *a, const hr_value *v)
{
    hr_value out = *v;
    if (v->kind == HR_VALUE_INTS && v->n == 1) {
        out.kind = HR_VALUE_INT;
        out.u.i = v->u.ints[0];
    } else if (v->kind == HR_VALUE_FLOATS && v->n == 1) {
        out.kind = HR_VALUE_FLOAT;
        out.u.f = v->u.floats[0];
    }
    if (a->kind == HR_ARG_INT && out.kind == HR_VALUE_FLOAT && fabs(out.u.f) < 0x1p62 &&
        out.u.f == trunc(out.u.f)) {
        out.kind = HR_VALUE_INT;
        out.u.i = (int64_t)out.u.f;
    }
    return out;
}

static hr_status bind_scalar(const hr__arg_binder *b, const hr_value *given, void *field,
                             hr_error *err)
{
    const hr_value simple = simplify(b->arg, given), *v = &simple;
    int is_int = v->kind == HR_VALUE_INT || v->kind == HR_VALUE_BOOL;
    int number = 0;
    switch (b->arg->kind) {
    case HR_ARG_BOOL:
        if (!is_int) break;
        number = v->u.i != 0;
        memcpy(field, &number, sizeof number);
        return HR_OK;
    case HR_ARG_INT:
        if (!is_int) break;
        return set_int(b, v->u.i, field, err);
    case HR_ARG_FLOAT:
        if (!is_int && v->kind != HR_VALUE_FLOAT) break;
        return set_float(b, is_int ? (double)v->u.i : v->u.f, field, err);
    case HR_ARG_CHOICE:
        if (v->kind != HR_VALUE_STR) break;
        return set_choice(b, v->u.s, field, err);
    case HR_ARG_STR:
    case HR_ARG_LAYOUT:
        if (v->kind != HR_VALUE_STR) break;
        return set_text(b, v->u.s, field, err);
    case HR_ARG_DTYPE:
    case HR_ARG_IMAGE_TYPE:
    case HR_ARG_INTERP:
        HR_TRY(set_enum(b, v, err, &number));
        memcpy(field, &number, sizeof number);
        return HR_OK;
    default:
        break;
    }
    return fail_kind(b, hr__value_kind_words(v), err);
}

static hr_status ints_of_floats(const hr__arg_binder *b, const hr_value *v, void *field,
                                hr_error *err)
{
    int64_t n = v->kind == HR_VALUE_FLOAT ? 1 : v->n;
    const double *from = v->kind == HR_VALUE_FLOAT ? &v->u.f : v->u.floats;
    int64_t *whole = hr_arena_take(b->arena, (size_t)n * sizeof *whole);
    if (!whole) return no_memory(b, err);
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(from[i]) < 0x1p62) || from[i] != trunc(from[i]))
            return hr_fail(err, HR_TYPE, "%s: argument `%s`: %.9g is no integer", b->owner,
                           b->arg->name, from[i]);
        whole[i] = (int64_t)from[i];
    }
    return set_ints(b, whole, n, field, err);
}

static hr_status bind_list(const hr__arg_binder *b, const hr_value *v, void *field, hr_error *err)
{
    int is_int = v->kind == HR_VALUE_INT || v->kind == HR_VALUE_BOOL;
    double one = is_int ? (double)v->u.i : v->u.f;
    switch (b->arg->kind) {
    case HR_ARG_INTS:
        if (is_int) return set_ints(b, &v->u.i, 1, field, err);
        if (v->kind == HR_VALUE_INTS) return set_ints(b, v->u.ints, v->n, field, err);
        if (v->kind == HR_VALUE_FLOATS || v->kind == HR_VALUE_FLOAT)
            return ints_of_floats(b, v, field, err);
        break;
    case HR_ARG_FLOATS:
        if (is_int || v->kind == HR_VALUE_FLOAT) return set_floats(b, &one, 1, field, err);
        if (v->kind == HR_VALUE_FLOATS) return set_floats(b, v->u.floats, v->n, field, err);
        if (v->kind == HR_VALUE_INTS) {
            double *wide = hr_arena_take(b->arena, (size_t)v->n * sizeof *wide);
            if (!wide) return no_memory(b, err);
            for (int64_t i = 0; i < v->n; i++) wide[i] = (double)v->u.ints[i];
            return set_floats(b, wide, v->n, field, err);
        }
        break;
    case HR_ARG_STRS:
        if (v->kind == HR_VALUE_STR) return set_strs(b, &v->u.s, 1, field, err);
        if (v->kind == HR_VALUE_STRS) return set_strs(b, v->u.strs, v->n, field, err);
        if (v->kind == HR_VALUE_INTS && v->n == 0) return set_strs(b, NULL, 0, field, err);
        break;
    default:
        break;
    }
    return fail_kind(b, hr__value_kind_words(v), err);
}

/* A tensor as an argument: its elements are converted to the argument's type. */
static hr_status bind_tensor(const hr__arg_binder *b, const hr_tensor *t, void *field, hr_error *err)
{
    hr_arg_kind kind = b->arg->kind;
    int64_t n = hr_tensor_size(t);
    int is_list = kind == HR_ARG_INTS || kind == HR_ARG_FLOATS;
    int is_real = kind == HR_ARG_FLOAT || kind == HR_ARG_FLOATS;
    if (kind == HR_ARG_STR || kind == HR_ARG_LAYOUT || kind == HR_ARG_CHOICE ||
        kind == HR_ARG_STRS)
        return fail_kind(b, "a tensor", err);
    int any_rank = kind == HR_ARG_FLOATS && b->arg->flags & HR_SHAPED;
    if ((t->ndim > 1 && !any_rank) || (!is_list && n != 1))
        return hr_fail(err, HR_VALUE,
                       "%s: argument `%s`%s: a tensor of rank %d with %lld elements is no %s",
                       b->owner, b->arg->name, b->sample >= 0 ? " (per sample)" : "", t->ndim,
                       (long long)n, is_list ? "list" : "single number");
    void *packed = hr_arena_take(b->arena, hr_tensor_nbytes(t));
    void *wide = hr_arena_take(b->arena, (size_t)n * sizeof(double));
    if (!packed || !wide) return no_memory(b, err);
    hr_tensor_pack(packed, t);
    hr_dtype_convert(is_real ? HR_F64 : HR_I64, wide, t->dtype, packed, (size_t)n);
    if (kind == HR_ARG_INTS) return set_ints(b, wide, n, field, err);
    if (kind == HR_ARG_FLOATS) {
        HR_TRY(set_floats(b, wide, n, field, err));
        set_shape(b, t->ndim, t->shape, field);
        return HR_OK;
    }
    hr_value v = {.kind = is_real ? HR_VALUE_FLOAT : HR_VALUE_INT};
    memcpy(&v.u, wide, sizeof v.u.i);
    return bind_scalar(b, &v, field, err);
}

hr_status hr__arg_bind(const hr__arg_binder *b, const hr_value *v, void *field, hr_error *err)
{
    if (v->kind == HR_VALUE_TENSOR || v->kind == HR_VALUE_BATCH)
        return bind_tensor(b, v->u.t, field, err);
    hr_arg_kind kind = b->arg->kind;
    if (kind == HR_ARG_INTS || kind == HR_ARG_FLOATS || kind == HR_ARG_STRS)
        return bind_list(b, v, field, err);
    return bind_scalar(b, v, field, err);
}
