/* Class folders: what a root folder holds, by the bytes of the names. The kind of an entry comes
 * from the folder itself; only links, and systems that do not tell, cost a look at the file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_table.h"
#include "io/reader.h"

/* ---- name filters ---------------------------------------------------------------- */

/* "*" and plain bytes after it, the common case, needs no matcher. */
static int is_plain_ending(const char *pattern)
{
    if (pattern[0] != '*') return 0;
    for (const char *p = pattern + 1; *p; p++)
        if (strchr("*?[\\", *p) || (*p & 0x80)) return 0;
    return 1;
}

static int matches_one(const char *pattern, const char *name, int case_sensitive)
{
    if (is_plain_ending(pattern)) {
        size_t ending = strlen(pattern + 1), len = strlen(name);
        if (len < ending) return 0;
        const char *tail = name + len - ending;
        return !(case_sensitive ? strcmp(tail, pattern + 1) : strcasecmp(tail, pattern + 1));
    }
    return fnmatch(pattern, name, case_sensitive ? 0 : FNM_CASEFOLD) == 0;
}

static int passes(const hr__name_filter *f, const char *name)
{
    for (int64_t i = 0; i < f->patterns.n; i++)
        if (matches_one(f->patterns.v[i], name, f->case_sensitive)) return 1;
    return f->patterns.n < 1;
}

/* ---- folders --------------------------------------------------------------------- */

typedef struct lister {
    hr__file_table *table;
    const hr__folder_rules *rules;
} lister;

/* A folder that is being listed, and the one it lies in. */
typedef struct open_folders {
    dev_t dev;
    ino_t ino;
    const struct open_folders *outer;
} open_folders;

typedef enum entry_kind { ENTRY_FILE, ENTRY_FOLDER, ENTRY_OTHER } entry_kind;

/* A link counts as what it leads to; one that leads nowhere is a file that cannot be opened. */
static entry_kind kind_of(DIR *dir, const struct dirent *e)
{
    switch (e->d_type) {
    case DT_REG: return ENTRY_FILE;
    case DT_DIR: return ENTRY_FOLDER;
    case DT_LNK: case DT_UNKNOWN: break;
    default: return ENTRY_OTHER;
    }
    struct stat st;
    if (fstatat(dirfd(dir), e->d_name, &st, 0) != 0) return ENTRY_FILE;
    if (S_ISDIR(st.st_mode)) return ENTRY_FOLDER;
    return S_ISREG(st.st_mode) ? ENTRY_FILE : ENTRY_OTHER;
}

static hr_status fail_folder(const char *path, int sys_errno, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    return hr_fail_errno(err, sys_errno, "cannot read folder %s", hr__path_show(shown, path));
}

static DIR *open_folder(const char *path)
{
    int fd;
    do fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return NULL;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int saved = errno;
        (void)close(fd);
        errno = saved;
    }
    return dir;
}

typedef hr_status (*entry_fn)(lister *l, void *arg, DIR *dir, const struct dirent *e,
                              hr_error *err);

static hr_status each_entry(lister *l, const char *path, entry_fn fn, void *arg, hr_error *err)
{
    DIR *dir = open_folder(path);
    if (!dir) return fail_folder(path, errno, err);
    hr_status status = HR_OK;
    while (status == HR_OK) {
        errno = 0;
        const struct dirent *e = readdir(dir);
        if (!e && errno) status = fail_folder(path, errno, err);
        if (!e) break;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        status = fn(l, arg, dir, e, err);
    }
    closedir(dir);
    return status;
}

typedef struct class_folder {
    hr__file_entry entry; /* of its files, but for the name */
    hr__file_table inner; /* names of the folders in it */
} class_folder;

static hr_status add_file(lister *l, void *arg, DIR *dir, const struct dirent *e, hr_error *err)
{
    class_folder *f = arg;
    hr__file_entry entry = f->entry;
    int deep = l->rules->recursive, wanted = passes(&l->rules->files, e->d_name);
    if (e->d_type == DT_REG ? !wanted : e->d_type == DT_DIR ? !deep : !wanted && !deep)
        return HR_OK;
    switch (kind_of(dir, e)) {
    case ENTRY_FOLDER:
        return deep ? hr__file_table_add_path(&f->inner, "", e->d_name, 0, err) : HR_OK;
    case ENTRY_FILE:
        if (!wanted) return HR_OK;
        HR_TRY(hr__file_table_text(l->table, e->d_name, strlen(e->d_name), &entry.name, err));
        return hr__file_table_add(l->table, entry, err);
    default: return HR_OK;
    }
}

static hr_status add_folder(lister *l, void *arg, DIR *dir, const struct dirent *e,
                            hr_error *err)
{
    hr__file_table *found = arg;
    if (e->d_type == DT_REG || !passes(&l->rules->folders, e->d_name)) return HR_OK;
    if (kind_of(dir, e) != ENTRY_FOLDER) return HR_OK;
    return hr__file_table_add_path(found, "", e->d_name, 0, err);
}

/* `folder`/`name`/ in memory of its own; NULL when there is none left. */
static char *join(const char *folder, const char *name)
{
    size_t nf = strlen(folder), nn = strlen(name);
    char *path = hr_alloc(1, nf + nn + 3);
    if (!path) return NULL;
    memcpy(path, folder, nf);
    if (nf && path[nf - 1] != '/') path[nf++] = '/';
    memcpy(path + nf, name, nn);
    memcpy(path + nf + nn, nn ? "/" : "", 2 - !nn);
    return path;
}

/* 1: `path` is one of the folders that it lies in, by a loop of links. */
static int is_open(const char *path, open_folders *here)
{
    struct stat st;
    if (stat(path, &st) != 0) return 0; /* for the listing to say */
    here->dev = st.st_dev;
    here->ino = st.st_ino;
    for (const open_folders *o = here->outer; o; o = o->outer)
        if (o->dev == st.st_dev && o->ino == st.st_ino) return 1;
    return 0;
}

static hr_status list_class(lister *l, const char *path, int32_t label,
                            const open_folders *outer, hr_error *err);

/* The folders in a folder, by the bytes of their names. */
static hr_status list_inner(lister *l, const char *path, class_folder *f,
                            const open_folders *here, hr_error *err)
{
    HR_TRY(hr__file_table_sort(&f->inner, 0, err));
    for (int64_t i = 0; i < f->inner.n; i++) {
        const hr__file_entry *e = hr__file_table_at(&f->inner, i);
        char *inner = join(path, hr__file_table_string(&f->inner, e->name));
        if (!inner) return hr_fail(err, HR_NOMEM, "no memory for a path");
        hr_status status = list_class(l, inner, f->entry.label, here, err);
        hr_free(inner);
        HR_TRY(status);
    }
    return HR_OK;
}

/* The files of one class folder, or of one below it; `path` ends in a slash. */
static hr_status list_class(lister *l, const char *path, int32_t label,
                            const open_folders *outer, hr_error *err)
{
    open_folders here = {.outer = outer};
    class_folder f = {.entry = {.label = label}};
    int64_t first = l->table->n;
    if (l->rules->recursive && is_open(path, &here)) return HR_OK;
    HR_TRY(hr__file_table_text(l->table, path, strlen(path), &f.entry.folder, err));
    hr_status status = each_entry(l, path, add_file, &f, err);
    if (status == HR_OK) status = hr__file_table_sort(l->table, first, err);
    if (status == HR_OK && f.inner.n) status = list_inner(l, path, &f, &here, err);
    hr__file_table_clear(&f.inner);
    return status;
}

static hr_status list_classes(lister *l, const char *root, const hr__file_table *found,
                              hr_error *err)
{
    if (found->n > INT32_MAX)
        return hr_fail(err, HR_OVERFLOW, "%lld folders are over int32's labels",
                       (long long)found->n);
    for (int64_t i = 0; i < found->n; i++) {
        const char *name = hr__file_table_string(found, hr__file_table_at(found, i)->name);
        uint32_t place;
        HR_TRY(hr__file_table_text(l->table, name, strlen(name), &place, err));
        HR_TRY(hr__file_table_add_class(l->table, place, err));
        char *path = join(root, name);
        if (!path) return hr_fail(err, HR_NOMEM, "no memory for a path");
        hr_status status = list_class(l, path, (int32_t)i, NULL, err);
        hr_free(path);
        HR_TRY(status);
    }
    return HR_OK;
}

static hr_status list_root(lister *l, const char *root, hr_error *err)
{
    hr__file_table found = {0}; /* names of the class folders */
    hr_status status = each_entry(l, root, add_folder, &found, err);
    if (status == HR_OK) status = hr__file_table_sort(&found, 0, err);
    if (status == HR_OK) status = list_classes(l, root, &found, err);
    hr__file_table_clear(&found);
    return status;
}

/* The files of the root first, as a class of their own. */
static hr_status list_root_files(lister *l, const char *root, hr_error *err)
{
    char *path = join(root, "");
    if (!path) return hr_fail(err, HR_NOMEM, "no memory for a path");
    hr_status status = list_class(l, path, 0, NULL, err);
    hr_free(path);
    return status;
}

typedef hr_status (*list_fn)(lister *l, const char *root, hr_error *err);

/* Patterns see names as UTF-8 text whatever the program's locale is. */
static hr_status run_in_utf8(list_fn fn, lister *l, const char *root, hr_error *err)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    hr_status status = fn(l, root, err);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return status;
}

hr_status hr__folder_list(hr__file_table *t, const char *root, const hr__folder_rules *rules,
                          hr_error *err)
{
    lister l = {t, rules};
    return run_in_utf8(list_root, &l, root, err);
}

hr_status hr__folder_list_files(hr__file_table *t, const char *root, const hr__name_filter *files,
                                int recursive, hr_error *err)
{
    hr__folder_rules rules = {.files = *files, .recursive = recursive};
    lister l = {t, &rules};
    HR_TRY(run_in_utf8(list_root_files, &l, root, err));
    return recursive ? HR_OK : run_in_utf8(list_root, &l, root, err);
}
