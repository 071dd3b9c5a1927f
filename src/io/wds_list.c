/* Samples of a WebDataset archive. Source of the rules and of the index: the WebDataset library's
 * documentation; the index format is the one that the peer's wds2idx writes. */
#include "io/wds_list.h"

#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/tar.h"

static hr_status fail_memory(hr_error *err)
{
    return hr_fail(err, HR_NOMEM, "no memory for the list of samples");
}

void hr__wds_list_clear(hr__wds_list *l)
{
    hr_free(l->parts);
    hr_free(l->samples);
    hr_free(l->slots);
    *l = (hr__wds_list){.text = l->text};
}

static const char *text_at(const hr__wds_list *l, uint32_t place)
{
    return hr__file_table_string(l->text, place);
}

/* ---- keys -------------------------------------------------------------------------------- */

static uint64_t hash_key(const char *key, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)key[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

/* The slot of the key, or the free one where it belongs. */
static size_t find_slot(const hr__wds_list *l, const char *key, size_t n)
{
    size_t i = hash_key(key, n) & (l->n_slots - 1);
    for (;; i = (i + 1) & (l->n_slots - 1)) {
        if (l->slots[i] < 0) return i;
        const char *other = text_at(l, l->samples[l->slots[i]].key);
        if (!strncmp(other, key, n) && other[n] == '\0') return i;
    }
}

/* At most half of the slots are taken. */
static hr_status need_slots(hr__wds_list *l, hr_error *err)
{
    if (l->n_samples * 2 < l->n_slots) return HR_OK;
    size_t n = l->n_slots ? l->n_slots * 2 : 64;
    int64_t *slots = hr_alloc(n, sizeof *slots);
    if (!slots) return fail_memory(err);
    for (size_t i = 0; i < n; i++) slots[i] = -1;
    hr_free(l->slots);
    l->slots = slots;
    l->n_slots = n;
    for (size_t i = 0; i < l->n_samples; i++) {
        const char *key = text_at(l, l->samples[i].key);
        l->slots[find_slot(l, key, strlen(key))] = (int64_t)i;
    }
    return HR_OK;
}

/* ---- adding ------------------------------------------------------------------------------ */

static hr_status add_sample(hr__wds_list *l, const char *key, size_t n, hr_error *err)
{
    void *more = hr__grow(l->samples, &l->room_samples, l->n_samples, sizeof *l->samples);
    if (!more) return fail_memory(err);
    l->samples = more;
    hr__wds_sample s = {.first = -1, .last = -1};
    HR_TRY(hr__file_table_text(l->text, key, n, &s.key, err));
    l->samples[l->n_samples++] = s;
    return HR_OK;
}

static hr_status add_part(hr__wds_list *l, int64_t sample, const hr__wds_part *part,
                          hr_error *err)
{
    void *more = hr__grow(l->parts, &l->room_parts, l->n_parts, sizeof *l->parts);
    if (!more) return fail_memory(err);
    l->parts = more;
    hr__wds_sample *s = &l->samples[sample];
    int64_t i = (int64_t)l->n_parts++;
    l->parts[i] = *part;
    l->parts[i].next = -1;
    if (s->last >= 0) l->parts[s->last].next = i;
    else s->first = i;
    s->last = i;
    return HR_OK;
}

static int has_extension(const hr__wds_list *l, int64_t sample, const char *ext)
{
    for (int64_t i = l->samples[sample].first; i >= 0; i = l->parts[i].next)
        if (!strcmp(text_at(l, l->parts[i].ext), ext)) return 1;
    return 0;
}

/* The dot that ends the key: the first one of the last component. NULL: none, or a hidden file. */
static const char *find_dot(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *dot = strchr(base, '.');
    return dot == base ? NULL : dot;
}

static hr_status add_member(hr__wds_list *l, const hr__tar_member *m, hr_error *err)
{
    const char *key = m->name;
    while (key[0] == '.' && key[1] == '/') key += 2;
    const char *dot = find_dot(key);
    if (!dot) return HR_OK;
    size_t n = (size_t)(dot - key);
    hr__wds_part part = {.offset = m->offset, .size = m->size};
    part.flags = (m->is_sparse ? HR__WDS_SPARSE : 0) | (m->is_cut ? HR__WDS_CUT : 0);
    HR_TRY(hr__file_table_text(l->text, m->name, strlen(m->name), &part.name, err));
    part.ext = part.name + (uint32_t)(dot + 1 - m->name);
    HR_TRY(need_slots(l, err));
    size_t slot = find_slot(l, key, n);
    int64_t latest = l->slots[slot], previous = (int64_t)l->n_samples - 1;
    if (latest < 0 || (latest != previous && has_extension(l, latest, dot + 1))) {
        latest = previous + 1;
        HR_TRY(add_sample(l, key, n, err));
        l->slots[slot] = latest;
    }
    return add_part(l, latest, &part, err);
}

/* ---- walking ----------------------------------------------------------------------------- */

static hr_status read_archive(const void *user, int64_t at, void *dst, size_t n, hr_error *err)
{
    return hr__range_read(user, at, dst, n, err);
}

static hr_status fail_archive(const hr__range_file *archive, hr_status status, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    if (status == HR_DATA && !strstr(err->message, hr__path_show(shown, archive->path)))
        hr_error_prefix(err, "%s", shown);
    return status;
}

/* Compressed archives cannot be read in parts; their names say what they are. */
static hr_status check_start(const hr__range_file *archive, hr_error *err)
{
    uint8_t start[6] = {0};
    size_t n = archive->size < 6 ? (size_t)archive->size : 6;
    char shown[HR__PATH_SHOWN];
    if (n == 0) return hr_fail(err, HR_DATA, "%s is empty", hr__path_show(shown, archive->path));
    HR_TRY(hr__range_read(archive, 0, start, n, err));
    const char *kind = !memcmp(start, "\x1f\x8b", 2)             ? "gzip"
                       : !memcmp(start, "BZh", 3)                ? "bzip2"
                       : !memcmp(start, "\xfd" "7zXZ", 5)        ? "xz"
                       : !memcmp(start, "\x28\xb5\x2f\xfd", 4)   ? "zstd"
                       : !memcmp(start, "PK\3\4", 4)             ? "ZIP"
                                                                 : NULL;
    if (!kind) return HR_OK;
    return hr_fail(err, HR_DATA, "%s is compressed (%s): archives must be plain tar files",
                   hr__path_show(shown, archive->path), kind);
}

hr_status hr__wds_walk(hr__wds_list *l, const hr__range_file *archive, hr_error *err)
{
    hr__tar tar;
    hr__tar_member m;
    hr_error why = {0};
    HR_TRY(check_start(archive, err));
    hr__tar_init(&tar, &(hr__tar_source){read_archive, archive, archive->size});
    hr_status status = HR_OK;
    while (status == HR_OK) {
        status = hr__tar_next(&tar, &m, &why);
        if (status == HR_OK && m.is_file) status = add_member(l, &m, &why);
    }
    int is_begun = tar.at > 0;
    hr__tar_clear(&tar);
    if (status == HR_STOP) return HR_OK;
    fail_archive(archive, status, &why);
    if (status == HR_DATA && is_begun) {
        l->damage = why;
        return HR_OK;
    }
    if (err) *err = why;
    return status;
}

/* ---- indexes ----------------------------------------------------------------------------- */

typedef struct index_text {
    char *at, *end; /* of the line */
    const char *path;
    int64_t line;
    int has_names;
    int64_t archive_size;
} index_text;

static hr_status fail_index(const index_text *t, const char *what, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    return hr_fail(err, HR_DATA, "index %s, line %lld: %s", hr__path_show(shown, t->path),
                   (long long)t->line, what);
}

/* The next word of the line, ended with a zero; NULL at its end. */
static char *next_word(index_text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r')) t->at++;
    if (t->at >= t->end) return NULL;
    char *word = t->at;
    while (t->at < t->end && *t->at != ' ' && *t->at != '\t' && *t->at != '\r') t->at++;
    if (t->at < t->end) *t->at++ = '\0';
    return word;
}

static int read_count(const char *word, int64_t *out)
{
    if (!word || *word < '0' || *word > '9') return 0;
    char *end;
    long long v = strtoll(word, &end, 10);
    *out = v;
    return *end == '\0';
}

/* Does the rest of the line begin with "extension offset size", as after a name's end? */
static int is_part_next(const char *p, const char *end)
{
    for (int word = 0; word < 3; word++) {
        while (p < end && *p == ' ') p++;
        const char *start = p;
        while (p < end && *p != ' ' && *p != '\r') {
            if (word > 0 && (*p < '0' || *p > '9')) return 0;
            p++;
        }
        if (p == start) return 0;
    }
    return 1;
}

/* A name, which may have blanks in it. */
static char *next_name(index_text *t)
{
    char *name = next_word(t);
    while (name && t->at < t->end && !is_part_next(t->at, t->end)) {
        char *gap = t->at - 1, *more = next_word(t);
        if (!more) break;
        *gap = ' ';
    }
    return name;
}

static hr_status add_index_part(hr__wds_list *l, index_text *t, int64_t sample, char *ext,
                                hr_error *err)
{
    hr__wds_part part = {0};
    char *offset = next_word(t), *size = next_word(t);
    if (!read_count(offset, &part.offset) || !read_count(size, &part.size))
        return fail_index(t, "extension, offset and size are due", err);
    char *name = t->has_names ? next_name(t) : ext;
    if (!name) return fail_index(t, "a name is due", err);
    if (part.offset % 512) return fail_index(t, "an offset is no multiple of 512", err);
    if (part.offset < 512 || part.offset > t->archive_size ||
        part.size > t->archive_size - part.offset)
        return fail_index(t, "the bytes are not inside the archive: it is another one, or changed",
                          err);
    HR_TRY(hr__file_table_text(l->text, name, strlen(name), &part.name, err));
    HR_TRY(hr__file_table_text(l->text, ext, strlen(ext), &part.ext, err));
    return add_part(l, sample, &part, err);
}

static hr_status add_index_line(hr__wds_list *l, index_text *t, hr_error *err)
{
    char *ext = next_word(t);
    if (!ext) return fail_index(t, "a sample without parts", err);
    int64_t sample = (int64_t)l->n_samples;
    HR_TRY(add_sample(l, "", 0, err));
    for (; ext; ext = next_word(t)) HR_TRY(add_index_part(l, t, sample, ext, err));
    if (!t->has_names) return HR_OK;
    const char *key = text_at(l, l->parts[l->samples[sample].first].name);
    while (key[0] == '.' && key[1] == '/') key += 2;
    const char *dot = find_dot(key);
    return hr__file_table_text(l->text, key, dot ? (size_t)(dot - key) : strlen(key),
                               &l->samples[sample].key, err);
}

/* The first line: version and number of samples. */
static hr_status read_head(index_text *t, int64_t *n, hr_error *err)
{
    const char *version = next_word(t), *count = next_word(t);
    if (!version || version[0] != 'v' || !read_count(count, n))
        return fail_index(t, "\"v1.2\" and the number of samples are due", err);
    t->has_names = !strcmp(version, "v1.2");
    if (t->has_names || !strcmp(version, "v1.1")) return HR_OK;
    char shown[HR__PATH_SHOWN];
    return hr_fail(err, HR_UNSUPPORTED, "index %s: version %.20s is not known (v1.1, v1.2)",
                   hr__path_show(shown, t->path), version);
}

static hr_status read_lines(hr__wds_list *l, index_text *t, char *data, size_t size,
                            hr_error *err)
{
    char *end = data + size;
    int64_t n = -1;
    for (char *p = data; p < end;) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        t->at = p;
        t->end = stop ? stop : end;
        t->line++;
        *t->end = '\0';
        p = t->end + 1;
        if (n >= 0 && (int64_t)l->n_samples == n) { /* nothing but empty lines may follow */
            if (!next_word(t)) continue;
            return fail_index(t, "the index goes on behind the number of samples that it names", err);
        }
        HR_TRY(n < 0 ? read_head(t, &n, err) : add_index_line(l, t, err));
    }
    if (n >= 0 && (int64_t)l->n_samples == n) return HR_OK;
    return fail_index(t, "the index ends before the number of samples that it names", err);
}

hr_status hr__wds_read_index(hr__wds_list *l, const char *path, const hr__range_file *archive,
                             hr_error *err)
{
    hr__file file;
    hr_skip_reason reason = HR_SKIP_NONE;
    HR_TRY(hr__file_read(path, &file, &reason, err)); /* the buffer has a byte more */
    index_text t = {.path = path, .archive_size = archive->size};
    hr_status status = read_lines(l, &t, file.buf->data, file.size, err);
    hr_buf_unref(&file.buf, 1);
    return status;
}
