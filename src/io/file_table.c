/* A list of files in blocks that never move: adding a million names copies none of them twice. */
#include "io/file_table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/reader.h"

enum { BLOCK = 1 << 18, PER_BLOCK = 1 << 14 };

static hr_status fail_memory(hr_error *err)
{
    return hr_fail(err, HR_NOMEM, "no memory for the list of files");
}

/* Makes blocks 0..index exist. */
static hr_status need_block(hr__blocks *b, size_t index, size_t bytes, hr_error *err)
{
    if (index >= b->room) {
        size_t room = index * 2 + 16;
        char **v = hr_alloc(room, sizeof *v);
        if (!v) return fail_memory(err);
        if (b->n) memcpy(v, b->v, b->n * sizeof *v);
        hr_free(b->v);
        b->v = v;
        b->room = room;
    }
    while (b->n <= index) {
        char *block = hr_alloc(1, bytes);
        if (!block) return fail_memory(err);
        b->v[b->n++] = block;
    }
    return HR_OK;
}

static void clear_blocks(hr__blocks *b)
{
    for (size_t i = 0; i < b->n; i++) hr_free(b->v[i]);
    hr_free(b->v);
    *b = (hr__blocks){0};
}

hr_status hr__file_table_text(hr__file_table *t, const char *s, size_t len, uint32_t *place,
                              hr_error *err)
{
    if (len >= BLOCK)
        return hr_fail(err, HR_VALUE, "a path of %zu bytes is too long", len);
    uint64_t at = t->text_used;
    if (at % BLOCK + len + 1 > BLOCK) at += BLOCK - at % BLOCK;
    if (at + len + 1 > UINT32_MAX)
        return hr_fail(err, HR_OVERFLOW, "the names of the files take over 4 GiB");
    HR_TRY(need_block(&t->text, (size_t)(at / BLOCK), BLOCK, err));
    char *to = t->text.v[at / BLOCK] + at % BLOCK;
    memcpy(to, s, len);
    to[len] = '\0';
    t->text_used = at + len + 1;
    *place = (uint32_t)at;
    return HR_OK;
}

const char *hr__file_table_string(const hr__file_table *t, uint32_t place)
{
    return t->text.v[place / BLOCK] + place % BLOCK;
}

hr__file_entry *hr__file_table_at(const hr__file_table *t, int64_t i)
{
    return (hr__file_entry *)t->entries.v[i / PER_BLOCK] + i % PER_BLOCK;
}

hr_status hr__file_table_add(hr__file_table *t, hr__file_entry entry, hr_error *err)
{
    HR_TRY(need_block(&t->entries, (size_t)(t->n / PER_BLOCK),
                      PER_BLOCK * sizeof(hr__file_entry), err));
    *hr__file_table_at(t, t->n++) = entry;
    return HR_OK;
}

hr_status hr__file_table_add_class(hr__file_table *t, uint32_t place, hr_error *err)
{
    int64_t i = t->n_classes;
    HR_TRY(need_block(&t->classes, (size_t)(i / PER_BLOCK), PER_BLOCK * sizeof(uint32_t), err));
    ((uint32_t *)t->classes.v[i / PER_BLOCK])[i % PER_BLOCK] = place;
    t->n_classes++;
    return HR_OK;
}

const char *hr__file_table_class(const hr__file_table *t, int64_t i)
{
    return hr__file_table_string(t, ((uint32_t *)t->classes.v[i / PER_BLOCK])[i % PER_BLOCK]);
}

/* Is the table's latest folder root + "/" + the first `len` bytes of `path`? */
static int is_latest_folder(const hr__file_table *t, const char *root, const char *path,
                            size_t len)
{
    if (t->n == 0) return 0;
    const char *folder = hr__file_table_string(t, hr__file_table_at(t, t->n - 1)->folder);
    size_t root_len = strlen(root);
    return strlen(folder) == root_len + len && !memcmp(folder, root, root_len) &&
           !memcmp(folder + root_len, path, len);
}

hr_status hr__file_table_add_path(hr__file_table *t, const char *root, const char *path,
                                  int32_t label, hr_error *err)
{
    if (path[0] == '/') root = "";
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0; /* folders end in a slash */
    hr__file_entry e = {.label = label};
    if (is_latest_folder(t, root, path, len)) {
        e.folder = hr__file_table_at(t, t->n - 1)->folder;
    } else {
        size_t root_len = strlen(root);
        char *folder = hr_alloc(1, root_len + len + 1);
        if (!folder) return fail_memory(err);
        memcpy(folder, root, root_len);
        memcpy(folder + root_len, path, len);
        hr_status status = hr__file_table_text(t, folder, root_len + len, &e.folder, err);
        hr_free(folder);
        HR_TRY(status);
    }
    HR_TRY(hr__file_table_text(t, path + len, strlen(path + len), &e.name, err));
    return hr__file_table_add(t, e, err);
}

typedef struct sort_key {
    const char *name;
    uint32_t place;
} sort_key;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const sort_key *)a)->name, ((const sort_key *)b)->name);
}

hr_status hr__file_table_sort(hr__file_table *t, int64_t first, hr_error *err)
{
    size_t n = (size_t)(t->n - first);
    if (n < 2) return HR_OK;
    sort_key *keys = hr_alloc(n, sizeof *keys);
    if (!keys) return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        keys[i].place = hr__file_table_at(t, first + (int64_t)i)->name;
        keys[i].name = hr__file_table_string(t, keys[i].place);
    }
    qsort(keys, n, sizeof *keys, compare_names);
    for (size_t i = 0; i < n; i++)
        hr__file_table_at(t, first + (int64_t)i)->name = keys[i].place;
    hr_free(keys);
    return HR_OK;
}

hr_status hr__file_table_path(const hr__file_table *t, int64_t i, char *path, size_t size,
                              hr_error *err)
{
    const hr__file_entry *e = hr__file_table_at(t, i);
    const char *folder = hr__file_table_string(t, e->folder);
    const char *name = hr__file_table_string(t, e->name);
    size_t nf = strlen(folder), nn = strlen(name);
    if (nf + nn + 1 > size) {
        char shown[HR__PATH_SHOWN];
        return hr_fail_errno(err, ENAMETOOLONG, "cannot open %s", hr__path_show(shown, name));
    }
    memcpy(path, folder, nf);
    memcpy(path + nf, name, nn + 1);
    return HR_OK;
}

/* Names that were written by hand or by another program may be wrong: better said now. */
hr_status hr__file_table_check_exist(const hr__file_table *t, hr_error *err)
{
    char path[PATH_MAX], shown[HR__PATH_SHOWN];
    struct stat st;
    for (int64_t i = 0; i < t->n; i++) {
        HR_TRY(hr__file_table_path(t, i, path, sizeof path, err));
        if (stat(path, &st) != 0)
            return hr_fail_errno(err, errno, "item %lld: cannot open %s%s", (long long)i,
                                 hr__path_show(shown, path),
                                 t->has_no_labels ? " (no line of the list ends in a "
                                                    "whole-number label)" : "");
    }
    return HR_OK;
}

void hr__file_table_clear(hr__file_table *t)
{
    clear_blocks(&t->text);
    clear_blocks(&t->entries);
    clear_blocks(&t->classes);
    *t = (hr__file_table){0};
}
