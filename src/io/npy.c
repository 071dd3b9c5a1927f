/* The header is a Python dictionary in text: 'descr', 'fortran_order' and 'shape', in any order. It
 * is read as that, word by word; what goes beyond is refused. */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

hr_status hr__npy_header_size(const uint8_t *data, size_t size, size_t *out, hr_error *err)
{
    size_t known = size < 6 ? size : 6;
    if (size == 0) return hr_fail(err, HR_DATA, "no bytes");
    if (memcmp(data, magic, known) != 0)
        return hr_fail(err, HR_DATA, "not an .npy file: it does not begin with \\x93NUMPY");
    if (size >= 7 && (data[6] < 1 || data[6] > 3))
        return hr_fail(err, HR_DATA, ".npy version %d is unknown, 1 to 3 are read", data[6]);
    size_t prefix = size >= 7 && data[6] == 1 ? 10 : 12;
    if (size < prefix) return hr_fail(err, HR_DATA, ".npy header cut off after %zu bytes", size);
    size_t length = (size_t)data[8] | (size_t)data[9] << 8;
    if (data[6] > 1) length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    *out = prefix + length;
    return HR_OK;
}

/* ---- the dictionary's text ----------------------------------------------------------- */

typedef struct text {
    const char *at, *end;
} text;

static void skip_blanks(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || (*t->at >= '\t' && *t->at <= '\r'))) t->at++;
}

/* Takes the character, if it is what comes next. */
static int take(text *t, char c)
{
    skip_blanks(t);
    if (t->at == t->end || *t->at != c) return 0;
    t->at++;
    return 1;
}

static int take_word(text *t, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0) return 0;
    t->at += n;
    return 1;
}

static hr_status fail_syntax(const text *t, const char *wanted, hr_error *err)
{
    char shown[24] = "";
    size_t n = 0;
    for (const char *p = t->at; p < t->end && n < sizeof shown - 1; p++)
        shown[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
    return hr_fail(err, HR_DATA, ".npy header is damaged: %s expected at \"%s\"", wanted, shown);
}

/* A string in quotes, without escapes. */
static hr_status take_string(text *t, text *out, hr_error *err)
{
    skip_blanks(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"'))
        return fail_syntax(t, "a string", err);
    char quote = *t->at++;
    *out = (text){t->at, t->at};
    while (t->at < t->end && *t->at != quote && *t->at != '\\') t->at++;
    if (t->at == t->end || *t->at == '\\') return fail_syntax(t, "a string's end", err);
    out->end = t->at++;
    return HR_OK;
}

static int is_text(const text *t, const char *word)
{
    size_t n = (size_t)(t->end - t->at);
    return n == strlen(word) && memcmp(t->at, word, n) == 0;
}

/* ---- 'descr' ------------------------------------------------------------------------- */

typedef struct kind {
    char letter;
    int size; /* 0: any */
    hr_dtype dtype;
    const char *name; /* of what is refused */
} kind;

static const kind kinds[] = {
    {'u', 1, HR_U8, ""}, {'u', 2, HR_U16, ""}, {'u', 4, HR_U32, ""}, {'u', 8, HR_U64, ""},
    {'i', 1, HR_I8, ""}, {'i', 2, HR_I16, ""}, {'i', 4, HR_I32, ""}, {'i', 8, HR_I64, ""},
    {'f', 2, HR_F16, ""}, {'f', 4, HR_F32, ""}, {'f', 8, HR_F64, ""}, {'b', 1, HR_BOOL, ""},
    {'c', 8, HR_DTYPE_NONE, "complex64"}, {'c', 16, HR_DTYPE_NONE, "complex128"},
    {'c', 0, HR_DTYPE_NONE, "complex"}, {'f', 0, HR_DTYPE_NONE, "long double"},
    {'O', 0, HR_DTYPE_NONE, "object (a pickle, which is never opened)"},
    {'U', 0, HR_DTYPE_NONE, "text (str)"}, {'S', 0, HR_DTYPE_NONE, "text (bytes)"},
    {'a', 0, HR_DTYPE_NONE, "text (bytes)"}, {'T', 0, HR_DTYPE_NONE, "text (StringDType)"},
    {'M', 0, HR_DTYPE_NONE, "datetime64"}, {'m', 0, HR_DTYPE_NONE, "timedelta64"},
    {'V', 0, HR_DTYPE_NONE, "void"},
};

static int is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 0;
}

static hr_status refuse_type(const char *name, const text *descr, hr_error *err)
{
    int n = (int)(descr->end - descr->at);
    char shown[40];
    snprintf(shown, sizeof shown, "%.*s", n, descr->at);
    for (char *p = shown; *p; p++)
        if (*p < ' ' || *p > '~') *p = '?'; /* messages are ASCII */
    return hr_fail(err, HR_UNSUPPORTED, ".npy files of type %s are not supported ('descr': %s)",
                   name, shown);
}

static hr_status find_type(text descr, hr__npy *out, hr_error *err)
{
    text whole = descr;
    int is_big = is_big_endian();
    if (descr.at < descr.end && strchr("<>|=", *descr.at)) {
        if (*descr.at == '<') is_big = 0;
        if (*descr.at == '>') is_big = 1;
        descr.at++;
    }
    char letter = descr.at < descr.end ? *descr.at++ : 0;
    int size = 0, n = 0;
    for (; descr.at < descr.end && *descr.at >= '0' && *descr.at <= '9' && n < 4; descr.at++, n++)
        size = size * 10 + (*descr.at - '0');
    for (size_t i = 0; letter && i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        if (k->letter != letter || (k->size && k->size != size)) continue;
        if (k->dtype == HR_DTYPE_NONE) return refuse_type(k->name, &whole, err);
        if (descr.at != descr.end) break;
        out->dtype = k->dtype;
        out->is_swapped = size > 1 && is_big != is_big_endian();
        return HR_OK;
    }
    return refuse_type("unknown", &whole, err);
}

static hr_status read_descr(text *t, hr__npy *out, hr_error *err)
{
    text descr;
    skip_blanks(t);
    if (t->at < t->end && (*t->at == '[' || *t->at == '(' || *t->at == '{'))
        return refuse_type("structured", t, err);
    HR_TRY(take_string(t, &descr, err));
    return find_type(descr, out, err);
}

/* ---- 'shape' ------------------------------------------------------------------------- */

static hr_status read_extent(text *t, int64_t *out, hr_error *err)
{
    int64_t v = 0;
    skip_blanks(t);
    if (t->at == t->end || *t->at < '0' || *t->at > '9')
        return fail_syntax(t, "an extent", err);
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        if (v > (INT64_MAX - 9) / 10) return fail_syntax(t, "an extent below 2^63", err);
        v = v * 10 + (*t->at - '0');
    }
    if (t->at < t->end && *t->at == 'L') t->at++; /* as Python 2 wrote it */
    *out = v;
    return HR_OK;
}

static hr_status read_shape(text *t, hr__npy *out, hr_error *err)
{
    out->ndim = 0;
    if (!take(t, '(')) return fail_syntax(t, "a shape", err);
    while (!take(t, ')')) {
        int64_t extent = 0;
        HR_TRY(read_extent(t, &extent, err));
        if (out->ndim == HR_MAX_NDIM)
            return hr_fail(err, HR_UNSUPPORTED, ".npy array has over %d axes", HR_MAX_NDIM);
        out->shape[out->ndim++] = extent;
        if (take(t, ',')) continue;
        if (!take(t, ')')) return fail_syntax(t, "a shape's end", err);
        return HR_OK;
    }
    return HR_OK;
}

/* ---- the whole ----------------------------------------------------------------------- */

enum { DESCR = 1, ORDER = 2, SHAPE = 4 };

static hr_status read_item(text *t, hr__npy *out, int *seen, hr_error *err)
{
    text key, before = *t;
    HR_TRY(take_string(t, &key, err));
    if (!take(t, ':')) return fail_syntax(t, "a colon", err);
    int which = is_text(&key, "descr") ? DESCR : is_text(&key, "fortran_order") ? ORDER
                : is_text(&key, "shape") ? SHAPE : 0;
    if (!which || (*seen & which))
        return fail_syntax(&before, "one each of 'descr', 'fortran_order' and 'shape'", err);
    *seen |= which;
    if (which == DESCR) return read_descr(t, out, err);
    if (which == SHAPE) return read_shape(t, out, err);
    out->is_fortran = take_word(t, "True");
    if (!out->is_fortran && !take_word(t, "False")) return fail_syntax(t, "True or False", err);
    return HR_OK;
}

static hr_status read_dictionary(text *t, hr__npy *out, hr_error *err)
{
    int seen = 0;
    if (!take(t, '{')) return fail_syntax(t, "a dictionary", err);
    while (!take(t, '}')) {
        HR_TRY(read_item(t, out, &seen, err));
        if (take(t, ',')) continue;
        if (!take(t, '}')) return fail_syntax(t, "a dictionary's end", err);
        break;
    }
    skip_blanks(t);
    while (t->at < t->end && *t->at == '\0') t->at++; /* some writers pad with zeros */
    if (t->at != t->end) return fail_syntax(t, "nothing more", err);
    if (seen == (DESCR | ORDER | SHAPE)) return HR_OK;
    return hr_fail(err, HR_DATA, ".npy header lacks '%s'", !(seen & DESCR) ? "descr"
                   : !(seen & SHAPE) ? "shape" : "fortran_order");
}

hr_status hr__npy_header(const uint8_t *data, size_t size, hr__npy *out, hr_error *err)
{
    memset(out, 0, sizeof *out);
    HR_TRY(hr__npy_header_size(data, size, &out->offset, err));
    if (out->offset > size)
        return hr_fail(err, HR_DATA, ".npy header of %zu bytes is cut off after %zu", out->offset,
                       size);
    const char *first = (const char *)data + (data[6] == 1 ? 10 : 12);
    text t = {first, (const char *)data + out->offset};
    HR_TRY(read_dictionary(&t, out, err));
    hr_tensor shaped;
    HR_TRY(hr_tensor_shape(&shaped, out->dtype, out->ndim, out->shape, err));
    out->size = hr_tensor_nbytes(&shaped);
    return HR_OK;
}

hr_status hr__npy_check_size(const hr__npy *npy, size_t file_size, hr_error *err)
{
    if (file_size >= npy->offset && file_size - npy->offset >= npy->size) return HR_OK;
    return hr_fail(err, HR_DATA, ".npy file has %zu bytes, header and elements need %zu + %zu",
                   file_size, npy->offset, npy->size);
}

/* ---- elements ------------------------------------------------------------------------ */

#define SWAP(T, swap)                                                                  \
    static void swap_##T(void *data, size_t n)                                         \
    {                                                                                  \
        char *p = data;                                                                \
        for (size_t i = 0; i < n; i++) {                                               \
            T v;                                                                       \
            memcpy(&v, p + i * sizeof v, sizeof v);                                    \
            v = swap;                                                                  \
            memcpy(p + i * sizeof v, &v, sizeof v);                                    \
        }                                                                              \
    }
SWAP(uint16_t, (uint16_t)(v >> 8 | v << 8))
SWAP(uint32_t, v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24)

static void swap_8(void *data, size_t n)
{
    uint32_t *p = data; /* packed output: aligned */
    swap_uint32_t(data, 2 * n);
    for (size_t i = 0; i < n; i++) {
        uint32_t v = p[2 * i];
        p[2 * i] = p[2 * i + 1];
        p[2 * i + 1] = v;
    }
}

/* A plane of `rows` x `cols` elements, whose rows lie side by side in the source, in tiles that
 * stay in the first-level cache. Strides in elements. */
typedef struct plane {
    int64_t rows, cols, src_col, dst_row;
    size_t size;
} plane;

enum { TILE = 32 };

#define TURN(SIZE)                                                                     \
    for (int64_t j = y; j < y_end; j++)                                                \
        for (int64_t i = x; i < x_end; i++)                                            \
            memcpy(dst + (size_t)(j * p->dst_row + i) * (SIZE),                        \
                   src + (size_t)(i * p->src_col + j) * (SIZE), SIZE)

static void turn_plane(char *restrict dst, const char *restrict src, const plane *p)
{
    for (int64_t y = 0; y < p->rows; y += TILE)
        for (int64_t x = 0; x < p->cols; x += TILE) {
            int64_t y_end = y + TILE < p->rows ? y + TILE : p->rows;
            int64_t x_end = x + TILE < p->cols ? x + TILE : p->cols;
            switch (p->size) {
            case 1: TURN(1); break;
            case 2: TURN(2); break;
            case 4: TURN(4); break;
            default: TURN(8); break;
            }
        }
}

/* Column-major elements to row-major: planes of the first and the last axis, for each place on the
 * axes between. */
static void turn(char *dst, const hr__npy *npy, const char *src)
{
    int n = npy->ndim;
    size_t size = hr_dtype_size(npy->dtype);
    int64_t first = npy->shape[0], last = npy->shape[n - 1], between = 1;
    for (int k = 1; k < n - 1; k++) between *= npy->shape[k];
    const plane p = {first, last, first * between, between * last, size};
    for (int64_t b = 0; b < between; b++) {
        int64_t rest = b, from = 0, step = first; /* b counts row-major */
        int64_t at[HR_MAX_NDIM];
        for (int k = n - 2; k > 0; k--) {
            at[k] = rest % npy->shape[k];
            rest /= npy->shape[k];
        }
        for (int k = 1; k < n - 1; k++) {
            from += at[k] * step;
            step *= npy->shape[k];
        }
        turn_plane(dst + (size_t)(b * last) * size, src + (size_t)from * size, &p);
    }
}

void hr__npy_read(void *dst, const hr__npy *npy, const void *src)
{
    if (npy->size == 0) return;
    size_t size = hr_dtype_size(npy->dtype), n = npy->size / size;
    if (npy->is_fortran && npy->ndim > 1) turn(dst, npy, src);
    else memcpy(dst, src, npy->size);
    if (npy->is_swapped && size == 2) swap_uint16_t(dst, n);
    if (npy->is_swapped && size == 4) swap_uint32_t(dst, n);
    if (npy->is_swapped && size == 8) swap_8(dst, n);
    uint8_t *flags = dst;
    for (size_t i = 0; npy->dtype == HR_BOOL && i < n; i++) flags[i] = flags[i] != 0;
}
