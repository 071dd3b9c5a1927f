/* A member is a header block of 512 bytes, then its bytes, filled up to whole blocks. Headers of
 * type L, x and g say more about what follows them.
 * Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block"; the tar manual of
 * GNU, "Basic Tar Format". */
#include "io/tar.h"

#include <string.h>

enum { BLOCK = 512, MAX_WORDS = 1 << 20 }; /* a long name, or PAX records: 1 MiB */
enum { AT_NAME = 0, AT_SIZE = 124, AT_SUM = 148, AT_TYPE = 156, AT_MAGIC = 257, AT_PREFIX = 345 };

void hr__tar_init(hr__tar *t, const hr__tar_source *source)
{
    *t = (hr__tar){.source = *source, .global = {.size = -1}, .local = {.size = -1}};
}

static void forget(hr__tar_words *w)
{
    hr_free(w->path);
    *w = (hr__tar_words){.size = -1};
}

void hr__tar_clear(hr__tar *t)
{
    forget(&t->global);
    forget(&t->local);
    hr_free(t->name);
    t->name = NULL;
    t->name_room = 0;
}

static hr_status fail_at(int64_t at, const char *what, hr_error *err)
{
    return hr_fail(err, HR_DATA, "tar: the header at byte %lld %s", (long long)at, what);
}

/* ---- fields of a header ------------------------------------------------------------------ */

/* Octal digits between blanks, or, for large numbers, binary with the highest bit set. -1 for what
 * is neither, or does not fit. */
static int64_t read_number(const uint8_t *p, int n)
{
    uint64_t v = 0;
    int i = 0;
    if (p[0] & 0x80) {
        if (p[0] != 0x80) return -1; /* negative, or over 88 bits */
        for (i = 1; i < n; i++) {
            if (v >> 55) return -1;
            v = v << 8 | p[i];
        }
        return (int64_t)v;
    }
    while (i < n && p[i] == ' ') i++;
    for (; i < n && p[i] >= '0' && p[i] <= '7'; i++) {
        if (v >> 60) return -1;
        v = v << 3 | (uint64_t)(p[i] - '0');
    }
    if (i < n && p[i] != ' ' && p[i] != '\0') return -1;
    return (int64_t)v;
}

/* The bytes' sum, the sum's own field counted as blanks. Some old writers added signed bytes. */
static int has_right_sum(const uint8_t *h)
{
    int64_t expected = read_number(h + AT_SUM, 8), sum = 0, sum_signed = 0;
    for (int i = 0; i < BLOCK; i++) {
        int c = i >= AT_SUM && i < AT_SUM + 8 ? ' ' : h[i];
        sum += c;
        sum_signed += (int8_t)c;
    }
    return expected == sum || expected == sum_signed;
}

static int is_zero(const uint8_t *h, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (h[i]) return 0;
    return 1;
}

static size_t length(const uint8_t *p, size_t n)
{
    const uint8_t *end = memchr(p, 0, n);
    return end ? (size_t)(end - p) : n;
}

static hr_status set_name(hr__tar *t, const void *head, size_t n_head, const void *tail,
                          size_t n_tail, hr_error *err)
{
    size_t n = n_head + n_tail + 2;
    if (n > t->name_room) {
        char *room = hr_alloc(1, n * 2);
        if (!room) return hr_fail(err, HR_NOMEM, "no memory for a member's name");
        hr_free(t->name);
        t->name = room;
        t->name_room = n * 2;
    }
    char *to = t->name;
    memcpy(to, head, n_head);
    to += n_head;
    if (n_head) *to++ = '/';
    memcpy(to, tail, n_tail);
    to[n_tail] = '\0';
    return HR_OK;
}

/* The name in the header itself. Only POSIX archives have a prefix; GNU's use its place. */
static hr_status read_name(hr__tar *t, const uint8_t *h, hr_error *err)
{
    size_t n = length(h + AT_NAME, 100), n_prefix = 0;
    if (!memcmp(h + AT_MAGIC, "ustar\0", 6)) n_prefix = length(h + AT_PREFIX, 155);
    return set_name(t, h + AT_PREFIX, n_prefix, h + AT_NAME, n, err);
}

/* ---- headers about headers --------------------------------------------------------------- */

static hr_status take_path(hr__tar_words *w, const char *s, size_t n, hr_error *err)
{
    char *path = hr_alloc(1, n + 1);
    if (!path) return hr_fail(err, HR_NOMEM, "no memory for a member's name");
    memcpy(path, s, n);
    path[n] = '\0';
    hr_free(w->path);
    w->path = path;
    return HR_OK;
}

typedef struct record {
    const char *key, *value;
    size_t n_key, n_value;
} record;

static int is_key(const record *r, const char *name)
{
    return r->n_key == strlen(name) && !memcmp(r->key, name, r->n_key);
}

/* "LENGTH key=value\n", LENGTH counting all of it. Bytes used; 0 for what is no record. */
static size_t read_record(const char *p, size_t n, record *out)
{
    size_t size = 0, i = 0;
    for (; i < n && i < 7 && p[i] >= '0' && p[i] <= '9'; i++)
        size = size * 10 + (size_t)(p[i] - '0');
    if (i == 0 || i >= n || p[i] != ' ' || size > n || size < i + 3 || p[size - 1] != '\n')
        return 0;
    out->key = p + i + 1;
    size_t left = size - i - 2;
    const char *equals = memchr(out->key, '=', left);
    if (!equals) return 0;
    out->n_key = (size_t)(equals - out->key);
    out->value = equals + 1;
    out->n_value = left - out->n_key - 1;
    return size;
}

/* A value of no bytes takes back what was said before. */
static hr_status take_size(hr__tar_words *w, const record *r, int64_t at, hr_error *err)
{
    int64_t v = 0;
    for (size_t i = 0; i < r->n_value; i++) {
        if (r->value[i] < '0' || r->value[i] > '9' || v > INT64_MAX / 10 - 9)
            return fail_at(at, "has a PAX size that is no number", err);
        v = v * 10 + (r->value[i] - '0');
    }
    w->size = r->n_value ? v : -1;
    return HR_OK;
}

static hr_status take_record(hr__tar_words *w, const record *r, int64_t at, hr_error *err)
{
    if (is_key(r, "path") && !r->n_value) {
        hr_free(w->path);
        w->path = NULL;
        return HR_OK;
    }
    if (is_key(r, "path")) return take_path(w, r->value, r->n_value, err);
    if (is_key(r, "size")) return take_size(w, r, at, err);
    if (r->n_key >= 10 && !memcmp(r->key, "GNU.sparse", 10)) w->is_sparse = 1;
    return HR_OK;
}

static hr_status read_records(hr__tar_words *w, const char *p, size_t n, int64_t at,
                              hr_error *err)
{
    while (n > 0 && *p != '\0') {
        record r;
        size_t used = read_record(p, n, &r);
        if (!used) return fail_at(at, "has PAX records that are damaged", err);
        HR_TRY(take_record(w, &r, at, err));
        p += used;
        n -= used;
    }
    return HR_OK;
}

/* The bytes of a header of type L, x or g. */
static hr_status read_words(hr__tar *t, int type, int64_t at, size_t n, hr_error *err)
{
    char *bytes = hr_alloc(1, n + 1);
    if (!bytes) return hr_fail(err, HR_NOMEM, "no memory for a header of %zu bytes", n);
    hr_status status = t->source.read(t->source.user, at + BLOCK, bytes, n, err);
    if (status == HR_OK && type == 'L')
        status = take_path(&t->local, bytes, length((const uint8_t *)bytes, n), err);
    else if (status == HR_OK)
        status = read_records(type == 'g' ? &t->global : &t->local, bytes, n, at, err);
    hr_free(bytes);
    return status;
}

/* ---- walking ----------------------------------------------------------------------------- */

/* Do members of this type have bytes behind their header? Types that nobody knows do. */
static int has_bytes(int type) { return !(type >= '1' && type <= '6'); }

static int is_words(int type) { return type == 'L' || type == 'x' || type == 'g' || type == 'X'; }

static int64_t skip_blocks(int64_t at, int64_t size)
{
    return at + (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* Reads a header block. HR_STOP at the end. */
static hr_status read_block(const hr__tar *t, uint8_t *h, hr_error *err)
{
    int64_t left = t->source.size - t->at;
    size_t n = left < BLOCK ? (size_t)(left > 0 ? left : 0) : BLOCK;
    if (n > 0) HR_TRY(t->source.read(t->source.user, t->at, h, n, err));
    if (is_zero(h, n)) return hr_fail(err, HR_STOP, "the archive is over");
    if (n < BLOCK) return fail_at(t->at, "is cut off", err);
    if (has_right_sum(h)) return HR_OK;
    if (t->at == 0) return hr_fail(err, HR_DATA, "tar: no archive begins like this");
    return fail_at(t->at, "has a wrong checksum", err);
}

/* Header and PAX words of a member together; the words are used up. */
static hr_status fill_member(hr__tar *t, const uint8_t *h, int64_t size, hr__tar_member *out,
                             hr_error *err)
{
    int type = h[AT_TYPE];
    const char *path = t->local.path ? t->local.path : t->global.path;
    if (path) HR_TRY(set_name(t, "", 0, path, strlen(path), err));
    else HR_TRY(read_name(t, h, err));
    size_t n = strlen(t->name);
    int is_folder = n > 0 && t->name[n - 1] == '/'; /* of the oldest archives */
    if (!has_bytes(type)) size = 0;
    *out = (hr__tar_member){.name = t->name, .header = t->at, .offset = t->at + BLOCK, .size = size,
                            .is_file = (type == '0' || type == '\0' || type == '7') && !is_folder,
                            .is_sparse = type == 'S' || t->local.is_sparse || t->global.is_sparse};
    if (type == 'S') out->is_file = 1;
    out->is_cut = size > t->source.size - out->offset;
    t->at = out->is_cut ? t->source.size : skip_blocks(out->offset, size);
    /* A sparse header of the old kind may go on in further blocks: those are skipped as well. */
    for (int goes_on = type == 'S' && h[482]; goes_on && t->at < t->source.size;) {
        uint8_t more[BLOCK];
        if (t->source.size - t->at < BLOCK) break;
        HR_TRY(t->source.read(t->source.user, out->offset, more, BLOCK, err));
        out->offset += BLOCK;
        t->at += BLOCK;
        goes_on = more[504];
    }
    forget(&t->local);
    return HR_OK;
}

hr_status hr__tar_next(hr__tar *t, hr__tar_member *out, hr_error *err)
{
    uint8_t h[BLOCK];
    for (;;) {
        HR_TRY(read_block(t, h, err));
        int type = h[AT_TYPE];
        int64_t size = read_number(h + AT_SIZE, 12);
        int64_t said = t->local.size >= 0 ? t->local.size : t->global.size;
        if (!is_words(type) && type != 'K' && said >= 0) size = said;
        if (size < 0) return fail_at(t->at, "has a size that is no number", err);
        if (!is_words(type) && type != 'K') return fill_member(t, h, size, out, err);
        if (size > MAX_WORDS) return fail_at(t->at, "has a name or PAX records over 1 MiB", err);
        if (size > t->source.size - t->at - BLOCK) return fail_at(t->at, "is cut off", err);
        if (type != 'K') HR_TRY(read_words(t, type, t->at, (size_t)size, err));
        t->at = skip_blocks(t->at + BLOCK, size);
    }
}
