/* A long list of files in little memory: 12 bytes each and the name; folders are kept once. */
#ifndef HR_IO_FILE_TABLE_H
#define HR_IO_FILE_TABLE_H

#include <headrace/headrace.h>

typedef struct hr__file_entry {
    uint32_t name, folder; /* places in the text */
    int32_t label;
} hr__file_entry;

typedef struct hr__blocks {
    char **v; /* equal blocks; never moved, so that growing copies nothing */
    size_t n, room;
} hr__blocks;

typedef struct hr__file_table {
    hr__blocks text, entries, classes; /* strings; hr__file_entry; uint32_t places of strings */
    int64_t n, n_classes;
    uint64_t text_used;
    int has_no_labels; /* they are the items' numbers: the list file had names alone */
    int takes_no_labels; /* set before a list file is read: each line is a name as it stands */
} hr__file_table;

/* Starts zeroed. Each add answers HR_NOMEM, or HR_OVERFLOW past 4 GiB of text. */
hr_status hr__file_table_text(hr__file_table *t, const char *s, size_t len, uint32_t *place,
                              hr_error *err);
hr_status hr__file_table_add(hr__file_table *t, hr__file_entry entry, hr_error *err);
hr_status hr__file_table_add_class(hr__file_table *t, uint32_t place, hr_error *err);
const char *hr__file_table_class(const hr__file_table *t, int64_t i); /* i < n_classes */
/* A path whose folder is `root` (may be "") followed by what `path` has before its last slash. A
 * `path` that begins with a slash stands for itself. */
hr_status hr__file_table_add_path(hr__file_table *t, const char *root, const char *path,
                                  int32_t label, hr_error *err);
const char *hr__file_table_string(const hr__file_table *t, uint32_t place);
hr__file_entry *hr__file_table_at(const hr__file_table *t, int64_t i);
/* Orders the entries from `first` on, which share a folder, by the bytes of their names. */
hr_status hr__file_table_sort(hr__file_table *t, int64_t first, hr_error *err);
/* The path of entry `i`; HR_IO when it is longer than `size`. */
hr_status hr__file_table_path(const hr__file_table *t, int64_t i, char *path, size_t size,
                              hr_error *err);
/* HR_IO naming the first entry that does not exist. */
hr_status hr__file_table_check_exist(const hr__file_table *t, hr_error *err);
void hr__file_table_clear(hr__file_table *t);

/* ---- folder_list.c --------------------------------------------------------------- */

typedef struct hr__name_filter {
    hr_strs patterns; /* shell patterns; n < 1: everything passes */
    int case_sensitive;
} hr__name_filter;

typedef struct hr__folder_rules {
    hr__name_filter folders, files; /* of classes; of files */
    int recursive; /* a class has the files of all folders below its own */
} hr__folder_rules;

/* The files of `root` itself, then those of its folders, or of all below; without classes. */
hr_status hr__folder_list_files(hr__file_table *t, const char *root, const hr__name_filter *files,
                                int recursive, hr_error *err);
/* The files of the folders of `root`: classes by the bytes of the folder's name, files by the
 * bytes of theirs. Links to folders count as folders; deeper folders are entered if the rules say
 * so, each after the files beside it and none from within itself, so that loops of links end. A
 * folder without files has its label all the same. HR_IO for a folder that cannot be read. */
hr_status hr__folder_list(hr__file_table *t, const char *root, const hr__folder_rules *rules,
                          hr_error *err);

/* ---- file_list.c ----------------------------------------------------------------- */

/* The first `len` bytes of `folder`, a slash at their end; of none, none. From hr_alloc, or NULL. */
char *hr__file_root(const char *folder, size_t len);

/* The files that the text file `list` names, one a line, each followed by blanks and a
 * whole-number label; or, in a list where no line has one, without labels: then the item's number
 * is its label. Lines of blanks only do not count; CRLF, a byte order mark and a missing last
 * line end are fine. Names are relative to `root`, or to the list's folder when it is NULL. */
hr_status hr__file_list_read(hr__file_table *t, const char *list, const char *root,
                             hr_error *err);

#endif
