/* A small part of the protocol buffers' encoding: fields of a number and a wire type, nested
 * messages as bytes with a length. Lists of numbers come packed or one by one.
 * Source: the encoding page of the protocol buffers' documentation; example.proto and
 * feature.proto of TensorFlow. */
#include "io/example.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };

typedef struct field {
    uint64_t number;
    int type;
    uint64_t value; /* of a varint */
    hr__bytes bytes; /* of all other types */
} field;

static int take_varint(hr__bytes *b, uint64_t *out)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 70 && b->n > 0; shift += 7) {
        uint8_t byte = *b->p++;
        b->n--;
        if (shift < 64) v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = v;
            return 1;
        }
    }
    return 0;
}

static int take_bytes(hr__bytes *b, uint64_t n, hr__bytes *out)
{
    if (n > b->n) return 0;
    *out = (hr__bytes){b->p, (size_t)n};
    b->p += n;
    b->n -= (size_t)n;
    return 1;
}

/* The next field; 0 for damage. */
static int take_field(hr__bytes *b, field *out)
{
    uint64_t tag, n;
    if (!take_varint(b, &tag)) return 0;
    out->number = tag >> 3;
    out->type = (int)(tag & 7);
    switch (out->type) {
    case VARINT: return take_varint(b, &out->value);
    case FIXED64: return take_bytes(b, 8, &out->bytes);
    case LENGTH: return take_varint(b, &n) && take_bytes(b, n, &out->bytes);
    case FIXED32: return take_bytes(b, 4, &out->bytes);
    default: return 0; /* groups went out of use before the format began */
    }
}

static hr_status fail_damaged(const char *what, hr_error *err)
{
    return hr_fail(err, HR_DATA, "the bytes are no tf.train.Example: %s", what);
}

/* ---- the message of a feature ------------------------------------------------------------ */

typedef struct list_walk {
    hr__bytes feature, list;
    hr__feature_kind kind;
} list_walk;

/* The next field of the feature's list of values. 0 at the end, -1 for damage. A list that is
 * split goes on. */
static int next_in_list(list_walk *w, field *out)
{
    for (;;) {
        if (w->list.n > 0) {
            if (!take_field(&w->list, out)) return -1;
            if (out->number == 1) return 1;
            continue;
        }
        if (w->feature.n == 0) return 0;
        field f;
        if (!take_field(&w->feature, &f)) return -1;
        if (f.type == LENGTH && f.number == (uint64_t)w->kind) w->list = f.bytes;
    }
}

/* Values in one field of a list; -1 for damage or another type. */
static int64_t count_values(hr__feature_kind kind, const field *f)
{
    if (kind == HR__FEATURE_BYTES) return f->type == LENGTH ? 1 : -1;
    if (kind == HR__FEATURE_FLOAT && f->type == FIXED32) return 1;
    if (kind == HR__FEATURE_INT64 && f->type == VARINT) return 1;
    if (f->type != LENGTH) return -1;
    if (kind == HR__FEATURE_FLOAT) return f->bytes.n % 4 ? -1 : (int64_t)(f->bytes.n / 4);
    int64_t n = 0;
    uint64_t v;
    for (hr__bytes b = f->bytes; b.n > 0; n++)
        if (!take_varint(&b, &v)) return -1;
    return n;
}

/* Which list the feature has (of several the last one), and how many values. */
static int read_feature(hr__feature *out)
{
    hr__bytes rest = out->message;
    field f;
    out->kind = HR__FEATURE_NONE;
    out->n = 0;
    while (rest.n > 0) {
        if (!take_field(&rest, &f)) return 0;
        if (f.type == LENGTH && f.number >= HR__FEATURE_BYTES && f.number <= HR__FEATURE_INT64)
            out->kind = (hr__feature_kind)f.number;
    }
    if (out->kind == HR__FEATURE_NONE) return 1;
    list_walk w = {.feature = out->message, .kind = out->kind};
    int more;
    while ((more = next_in_list(&w, &f)) > 0) {
        int64_t n = count_values(out->kind, &f);
        if (n < 0) return 0;
        out->n += n;
    }
    return more == 0;
}

static float float_at(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                    (uint32_t)p[3] << 24;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

void hr__feature_ints(const hr__feature *feature, int64_t *out)
{
    list_walk w = {.feature = feature->message, .kind = feature->kind};
    field f;
    while (next_in_list(&w, &f) > 0) {
        uint64_t v = f.value;
        if (f.type == VARINT) *out++ = (int64_t)v;
        for (hr__bytes b = f.bytes; f.type == LENGTH && b.n > 0 && take_varint(&b, &v);)
            *out++ = (int64_t)v;
    }
}

void hr__feature_floats(const hr__feature *feature, float *out)
{
    list_walk w = {.feature = feature->message, .kind = feature->kind};
    field f;
    while (next_in_list(&w, &f) > 0)
        for (size_t i = 0; i + 4 <= f.bytes.n; i += 4) *out++ = float_at(f.bytes.p + i);
}

hr__bytes hr__feature_bytes(const hr__feature *feature, int64_t i)
{
    list_walk w = {.feature = feature->message, .kind = feature->kind};
    field f;
    while (next_in_list(&w, &f) > 0)
        if (i-- == 0) return f.bytes;
    return (hr__bytes){NULL, 0};
}

/* ---- the message ------------------------------------------------------------------------- */

/* An entry of the map: a name and a feature. */
static int read_entry(hr__bytes entry, const char *const *names, int n, hr__feature *out)
{
    hr__bytes key = {NULL, 0}, value = {NULL, 0};
    field f;
    while (entry.n > 0) {
        if (!take_field(&entry, &f)) return 0;
        if (f.type == LENGTH && f.number == 1) key = f.bytes;
        if (f.type == LENGTH && f.number == 2) value = f.bytes;
    }
    for (int k = 0; k < n; k++)
        if (strlen(names[k]) == key.n && !memcmp(names[k], key.p, key.n)) out[k].message = value;
    return 1;
}

static int read_features(hr__bytes features, const char *const *names, int n, hr__feature *out)
{
    field f;
    while (features.n > 0) {
        if (!take_field(&features, &f)) return 0;
        if (f.type == LENGTH && f.number == 1 && !read_entry(f.bytes, names, n, out)) return 0;
    }
    return 1;
}

hr_status hr__example_find(hr__bytes example, const char *const *names, int n, hr__feature *out,
                           hr_error *err)
{
    field f;
    memset(out, 0, (size_t)n * sizeof *out);
    while (example.n > 0) {
        if (!take_field(&example, &f)) return fail_damaged("a field is damaged", err);
        if (f.type == LENGTH && f.number == 1 && !read_features(f.bytes, names, n, out))
            return fail_damaged("its map of features is damaged", err);
    }
    for (int k = 0; k < n; k++)
        if (!read_feature(&out[k]))
            return hr_fail(err, HR_DATA, "feature \"%s\" is damaged", names[k]);
    return HR_OK;
}
