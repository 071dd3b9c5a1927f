/* Arguments: values by kind to the fields of an operator's struct, with one set of rules and
 * messages for the C call, the Python call and readers. Defaults are parsed once a descriptor. */
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/args_text.h"
#include "core/core.h"

/* ---- absent numbers -------------------------------------------------------------- */

static const uint32_t absent_bits = 0x7FC0A5A5u;

float hr_float_absent(void)
{
    float v;
    memcpy(&v, &absent_bits, sizeof v);
    return v;
}

int hr_float_is_absent(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits == absent_bits;
}

/* ---- one value into one field ---------------------------------------------------- */

typedef struct binder {
    const hr_arg_desc *arg;
    const char *owner;
    hr_arena *arena;
    int64_t sample; /* -1: the value is shared */
} binder;

static hr_status fail_kind(const binder *b, const char *got, hr_error *err)
{
    /* Text where a number belongs is a bad value, as at the peer. */
    hr_status status = !strcmp(got, "a str") ? HR_VALUE : HR_TYPE;
    return hr_fail(err, status, "%s: argument `%s` must be %s, got %s", b->owner, b->arg->name,
                   hr__arg_kind_words(b->arg), got);
}

static hr_status check_bounds(const binder *b, double v, hr_error *err)
{
    const hr_arg_desc *a = b->arg;
    if (a->min == 0 && a->max == 0) return HR_OK;
    if (v >= a->min && v <= a->max) return HR_OK; /* NaN fails */
    if (a->max == INFINITY)
        return hr_fail(err, HR_VALUE, "%s: argument `%s` is %.9g, it must be at least %.9g",
                       b->owner, a->name, v, a->min);
    return hr_fail(err, HR_VALUE, "%s: argument `%s` is %.9g, it must be within %.9g..%.9g",
                   b->owner, a->name, v, a->min, a->max);
}

static hr_status check_count(const binder *b, int64_t n, hr_error *err)
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

static hr_status set_int(const binder *b, int64_t v, void *field, hr_error *err)
{
    HR_TRY(check_bounds(b, (double)v, err));
    memcpy(field, &v, sizeof v);
    return HR_OK;
}

static hr_status set_float(const binder *b, double v, void *field, hr_error *err)
{
    HR_TRY(check_bounds(b, v, err));
    float f = (float)v;
    memcpy(field, &f, sizeof f);
    return HR_OK;
}

static hr_status set_enum(const binder *b, const hr_value *v, hr_error *err, int *out)
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

static hr_status set_choice(const binder *b, const char *text, void *field, hr_error *err)
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

static hr_status no_memory(const binder *b, hr_error *err)
{
    return hr_fail(err, HR_NOMEM, "%s: no memory for argument `%s`", b->owner, b->arg->name);
}

static hr_status set_ints(const binder *b, const int64_t *v, int64_t n, void *field,
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
static void set_shape(const binder *b, int ndim, const int64_t *shape, void *field)
{
    if (!(b->arg->flags & HR_SHAPED)) return;
    hr_shaped *shaped = field;
    shaped->ndim = ndim;
    memcpy(shaped->shape, shape, (size_t)ndim * sizeof *shape);
}

static hr_status set_floats(const binder *b, const double *v, int64_t n, void *field,
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

static hr_status set_strs(const binder *b, const char *const *v, int64_t n, void *field,
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

static hr_status set_text(const binder *b, const char *s, void *field, hr_error *err)
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

static hr_status bind_scalar(const binder *b, const hr_value *given, void *field,
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

static hr_status ints_of_floats(const binder *b, const hr_value *v, void *field,
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

static hr_status bind_list(const binder *b, const hr_value *v, void *field, hr_error *err)
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
static hr_status bind_tensor(const binder *b, const hr_tensor *t, void *field, hr_error *err)
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

static hr_status bind_one(const binder *b, const hr_value *v, void *field, hr_error *err)
{
    if (v->kind == HR_VALUE_TENSOR || v->kind == HR_VALUE_BATCH)
        return bind_tensor(b, v->u.t, field, err);
    hr_arg_kind kind = b->arg->kind;
    if (kind == HR_ARG_INTS || kind == HR_ARG_FLOATS || kind == HR_ARG_STRS)
        return bind_list(b, v, field, err);
    return bind_scalar(b, v, field, err);
}

/* ---- defaults, once a descriptor ------------------------------------------------- */

struct hr__args_table {
    const hr_arg_desc *key;
    hr_arena *arena; /* holds the struct's lists and texts */
    char *initial;   /* the argument struct with every default */
};

static void set_absent(const hr_arg_desc *a, char *field)
{
    static const int none = -1;
    static const int64_t no_int = HR_INT_ABSENT;
    static const hr_ints no_list = {NULL, -1};
    float no_float = hr_float_absent();
    switch (a->kind) {
    case HR_ARG_INT: memcpy(field, &no_int, sizeof no_int); break;
    case HR_ARG_FLOAT: memcpy(field, &no_float, sizeof no_float); break;
    case HR_ARG_CHOICE:
    case HR_ARG_DTYPE:
    case HR_ARG_IMAGE_TYPE:
    case HR_ARG_INTERP: memcpy(field, &none, sizeof none); break;
    case HR_ARG_INTS:
    case HR_ARG_FLOATS:
    case HR_ARG_STRS: memcpy(field, &no_list, sizeof no_list); break;
    case HR_ARG_BOOL:
    case HR_ARG_STR:
    case HR_ARG_LAYOUT: break; /* zero */
    }
}

static hr_status fill_table(hr__args_table *t, int n_args, size_t size, hr_error *err)
{
    HR_TRY(hr_arena_create(&t->arena, err));
    t->initial = hr_arena_take(t->arena, size + !size);
    if (!t->initial) return hr_fail(err, HR_NOMEM, "no memory for default arguments");
    memset(t->initial, 0, size);
    for (int i = 0; i < n_args; i++) {
        const hr_arg_desc *a = &t->key[i];
        set_absent(a, t->initial + a->offset);
        if (!a->initial) continue;
        hr_value v = {0};
        HR_TRY(hr__arg_text_parse(a, t->arena, &v, err));
        /* A default may lie outside what a user may give: it is not checked against bounds. */
        hr_arg_desc free_arg = *a;
        free_arg.min = free_arg.max = 0;
        free_arg.min_n = free_arg.max_n = 0;
        binder b = {&free_arg, "default", t->arena, -1};
        HR_TRY(bind_one(&b, &v, t->initial + a->offset, err));
    }
    return HR_OK;
}

static void free_table(hr__args_table *t)
{
    if (t) hr_arena_destroy(&t->arena);
    hr_free(t);
}

/* Defaults are written as in C and Python, "0.5", whatever the process's locale writes. */
static hr__args_table *make_table(const hr_arg_desc *args, int n_args, size_t size,
                                  hr_error *err)
{
    hr__args_table *t = hr_alloc_zero(1, sizeof *t);
    locale_t plain = t ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : (locale_t)0;
    hr_status status = HR_NOMEM;
    if (plain) {
        locale_t before = uselocale(plain);
        t->key = args;
        status = fill_table(t, n_args, size, err);
        uselocale(before);
        freelocale(plain);
    } else {
        status = hr_fail(err, HR_NOMEM, "no memory for default arguments");
    }
    if (status == HR_OK) return t;
    free_table(t);
    return NULL;
}

enum { TABLE_SLOTS = 1024 };
static _Atomic(hr__args_table *) slots[TABLE_SLOTS]; /* open addressing by descriptor address */

static size_t slot_of(const hr_arg_desc *key)
{
    return (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 54) % TABLE_SLOTS;
}

static hr__args_table *look_up(const hr_arg_desc *key, size_t *free_slot)
{
    size_t s = slot_of(key);
    for (int probes = 0; probes < TABLE_SLOTS; probes++, s = (s + 1) % TABLE_SLOTS) {
        hr__args_table *t = atomic_load_explicit(&slots[s], memory_order_acquire);
        if (!t) {
            *free_slot = s;
            return NULL;
        }
        if (t->key == key) return t;
    }
    *free_slot = TABLE_SLOTS;
    return NULL;
}

const hr__args_table *hr__args_table_of(const hr_arg_desc *args, int n_args, size_t size,
                                        hr_error *err)
{
    size_t slot;
    hr__args_table *t = look_up(args, &slot), *own, *none;
    if (t) return t;
    own = make_table(args, n_args, size, err);
    if (!own) return NULL;
    do { /* no lock: a fork in the middle would leave it locked */
        t = look_up(args, &slot);
        if (t || slot == TABLE_SLOTS) break;
        none = NULL;
    } while (!atomic_compare_exchange_strong(&slots[slot], &none, own));
    if (!t && slot < TABLE_SLOTS) return own;
    free_table(own);
    if (!t) (void)hr_fail(err, HR_BUG, "over %d operators", TABLE_SLOTS);
    return t;
}

/* ---- all arguments of a call ----------------------------------------------------- */

static hr_status bind_batch(const hr__args_request *r, int index, char *data, size_t stride,
                            hr_error *err)
{
    const hr_arg_desc *a = &r->args[index];
    const hr_value *v = &r->values[index];
    for (int64_t i = 0; i < r->n; i++) {
        binder b = {a, r->owner, r->arena, i};
        hr_value one = {.kind = HR_VALUE_TENSOR, .n = 1, .u.t = &v->u.t[i]};
        char *field = data + (size_t)i * stride + a->offset;
        if (bind_one(&b, &one, field, err) == HR_OK) continue;
        if (!err || err->status == HR_NOMEM) return err ? err->status : HR_VALUE;
        char owner[96]; /* once more, for a text that names the sample */
        snprintf(owner, sizeof owner, "%s: sample %lld", r->owner, (long long)i);
        b.owner = owner;
        hr_error_clear(err);
        hr_status status = bind_one(&b, &one, field, err);
        err->sample = i;
        if (status != HR_OK) return status;
    }
    return HR_OK;
}

static hr_status bind_shared(const hr__args_request *r, int index, char *data, hr_error *err)
{
    const hr_arg_desc *a = &r->args[index];
    binder b = {a, r->owner, r->arena, -1};
    return bind_one(&b, &r->values[index], data + a->offset, err);
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
    const hr__args_table *t = NULL;
    if (r->n_args && !(t = hr__args_table_of(r->args, r->n_args, r->size, err)))
        return err ? err->status : HR_NOMEM;
    int per_sample = 0;
    out->given = 0;
    HR_TRY(check_given(r, &per_sample, &out->given, err));
    size_t stride = (r->size + 15) & ~(size_t)15;
    size_t n = per_sample && r->n > 0 ? (size_t)r->n : 1;
    char *data = hr_arena_take(r->arena, n * stride + 1);
    if (!data) return hr_fail(err, HR_NOMEM, "%s: no memory for arguments", r->owner);
    if (t) memcpy(data, t->initial, r->size);
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
