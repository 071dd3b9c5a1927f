/* Features that are asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <headrace/memory.h>

#include "io/wanted_feature.h"

/* ---- descriptions ------------------------------------------------------------------------ */

static const char *const type_names[] = {"", "string", "float32", "int64"};

static hr_status set_shape(hr__wanted *w, const char *text, hr_error *err)
{
    w->step = 1;
    for (const char *p = text; *p;) {
        char *end;
        if (w->ndim == HR_MAX_NDIM - 1)
            return hr_fail(err, HR_VALUE, "feature \"%s\": the shape has over %d axes", w->name,
                           HR_MAX_NDIM - 1);
        int64_t extent = strtoll(p, &end, 10);
        if (end == p || extent < 0 || __builtin_mul_overflow(w->step, extent, &w->step) ||
            w->step > INT64_MAX / 16)
            return hr_fail(err, HR_VALUE, "feature \"%s\": the shape (%s) is not valid", w->name,
                           text);
        w->shape[w->ndim++] = extent;
        p = *end == ',' ? end + 1 : end;
    }
    if (w->kind == HR__FEATURE_BYTES && w->step != 1)
        return hr_fail(err, HR_VALUE, "feature \"%s\": a string makes a tensor of its bytes; "
                       "tensors of several strings, of shape (%s), are not possible", w->name, text);
    if (!w->is_fixed && w->step == 0)
        return hr_fail(err, HR_VALUE, "feature \"%s\": the shape (%s) has no elements", w->name,
                       text);
    return HR_OK;
}

hr_status hr__wanted_set(hr__wanted *w, const char *const *from, hr_error *err)
{
    size_t at[HR__WANTED_WORDS], n = 0;
    for (int i = 0; i < HR__WANTED_WORDS; i++) {
        at[i] = n;
        n += strlen(from[i]) + 1;
    }
    w->words = hr_alloc(1, n);
    if (!w->words) return hr_fail(err, HR_NOMEM, "no memory for the features");
    for (int i = 0; i < HR__WANTED_WORDS; i++) memcpy(w->words + at[i], from[i], strlen(from[i]) + 1);
    w->name = w->words;
    w->is_fixed = !strcmp(from[1], "fixed");
    for (int k = HR__FEATURE_BYTES; k <= HR__FEATURE_INT64; k++)
        if (!strcmp(from[2], type_names[k])) w->kind = (hr__feature_kind)k;
    const char *text = w->words + at[4]; /* "=" and the value, or nothing */
    if (*text == '=') w->text = text + 1;
    if (w->text && w->kind == HR__FEATURE_INT64) w->whole = strtoll(w->text, NULL, 10);
    if (w->text && w->kind == HR__FEATURE_FLOAT) w->real = strtof(w->text, NULL);
    if (!*w->name || w->kind == HR__FEATURE_NONE || (!w->is_fixed && strcmp(from[1], "var")))
        return hr_fail(err, HR_VALUE, "`features` are to be described by headrace.tfrecord");
    return set_shape(w, w->words + at[3], err);
}

void hr__wanted_clear(hr__wanted *w)
{
    hr_free(w->words);
    *w = (hr__wanted){0};
}

/* ---- values ------------------------------------------------------------------------------ */

/* ---- values ------------------------------------------------------------------------------ */

static const char *kind_name(hr__feature_kind kind) { return type_names[kind]; }

static hr_status fail_count(const hr__wanted *w, int64_t n, hr_error *err)
{
    char shape[128] = "";
    size_t used = 0;
    for (int k = 0; k < w->ndim && used < sizeof shape - 24; k++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", k ? ", " : "",
                                 (long long)w->shape[k]);
    if (w->kind == HR__FEATURE_BYTES)
        return hr_fail(err, HR_DATA, "feature \"%s\" has %lld strings, one is asked for", w->name,
                       (long long)n);
    return hr_fail(err, HR_DATA, "feature \"%s\" has %lld values, the shape (%s) takes %s%lld",
                   w->name, (long long)n, shape, w->is_fixed ? "" : "a multiple of ",
                   (long long)w->step);
}

/* A string is a view of the record's bytes. */
static hr_status put_string(hr__bytes bytes, hr_buf *record, hr_tensor *out, hr_error *err)
{
    int64_t n = (int64_t)bytes.n;
    HR_TRY(hr_tensor_shape(out, HR_U8, 1, &n, err));
    out->buf = hr_buf_ref(record, 1);
    out->data = bytes.n ? (void *)(uintptr_t)bytes.p : record->data;
    return HR_OK;
}

/* Memory for `n` values, in the wanted shape. */
static hr_status make_numbers(const hr__wanted *w, int64_t n, hr_tensor *out, hr_error *err)
{
    int64_t shape[HR_MAX_NDIM];
    int first = !w->is_fixed;
    shape[0] = n / w->step;
    memcpy(shape + first, w->shape, (size_t)w->ndim * sizeof *shape);
    return hr_tensor_create(out, w->kind == HR__FEATURE_INT64 ? HR_I64 : HR_F32, w->ndim + first,
                            shape, err);
}

static hr_status put_default(const hr__wanted *w, hr_tensor *out, hr_error *err)
{
    if (!w->text)
        return hr_fail(err, HR_DATA, "feature \"%s\" is missing, and has no default", w->name);
    if (w->kind == HR__FEATURE_BYTES) {
        int64_t n = (int64_t)strlen(w->text);
        HR_TRY(hr_tensor_create(out, HR_U8, 1, &n, err));
        memcpy(out->data, w->text, (size_t)n);
        return HR_OK;
    }
    HR_TRY(make_numbers(w, w->step, out, err));
    for (int64_t i = 0; i < w->step; i++) {
        if (w->kind == HR__FEATURE_INT64) ((int64_t *)out->data)[i] = w->whole;
        else ((float *)out->data)[i] = w->real;
    }
    return HR_OK;
}

hr_status hr__wanted_put(const hr__wanted *w, const hr__feature *f, hr_buf *record, hr_tensor *out,
                             hr_error *err)
{
    if (f->kind == HR__FEATURE_NONE) return put_default(w, out, err);
    if (f->kind != w->kind)
        return hr_fail(err, HR_DATA, "feature \"%s\" holds %s values, %s is asked for", w->name,
                       kind_name(f->kind), kind_name(w->kind));
    if (w->kind == HR__FEATURE_BYTES) {
        if (f->n != 1) return fail_count(w, f->n, err);
        return put_string(hr__feature_bytes(f, 0), record, out, err);
    }
    if (w->is_fixed ? f->n != w->step : f->n % w->step) return fail_count(w, f->n, err);
    HR_TRY(make_numbers(w, f->n, out, err));
    if (w->kind == HR__FEATURE_INT64) hr__feature_ints(f, out->data);
    else hr__feature_floats(f, out->data);
    return HR_OK;
}
