/* readers.File: files as bytes with a label each, from class folders, a list file or names. */
#include <limits.h>
#include <string.h>

#include "io/file_table.h"
#include "io/reader.h"
#include "io/verify.h"

typedef struct file_self {
    hr__file_table table;
    int decodes; /* verify="decode" */
} file_self;

typedef struct file_args {
    hr_reader_common common;
    const char *file_root, *file_list;
    hr_strs files, file_filters, dir_filters;
    hr_ints labels;
    int case_sensitive_filter, recursive, verify;
} file_args;

static const hr_arg_desc file_arg_desc[] = {
    HR_ARG(file_args, file_root, STR,
           .doc = "Folder whose folders are the classes: labels 0, 1, ... by the bytes of their "
                  "names. With `files` or `file_list`: the folder of relative names."),
    HR_ARG(file_args, file_list, STR,
           .doc = "Text file with a file name and a whole-number label a line, or names alone. "
                  "Names are relative to `file_root`, else to the list's own folder."),
    HR_ARG(file_args, files, STRS, .doc = "Names of the files."),
    HR_ARG(file_args, labels, INTS,
           .doc = "One label for each of `files`; not given: 0, 1, ..."),
    HR_ARG(file_args, file_filters, STRS,
           .initial = "['*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm', "
                      "'*.ppm', '*.pgm', '*.pbm', '*.jp2', '*.webp', '*.flac', '*.ogg', "
                      "'*.wav']",
           .doc = "Shell patterns; a file of a class folder that matches one is read."),
    HR_ARG(file_args, dir_filters, STRS,
           .doc = "Shell patterns; a folder that matches one is a class. Not given: each is."),
    HR_ARG(file_args, case_sensitive_filter, BOOL, .initial = "False",
           .doc = "Tell capitals from small letters in both filters."),
    HR_ARG(file_args, recursive, BOOL, .initial = "False",
           .doc = "A class has the files of all folders below its own as well: a folder's files, "
                  "then those of each folder in it."),
    HR_ARG(file_args, verify, CHOICE, .choices = "decode",
           .doc = "\"decode\": pictures are decoded for a trial, so that `on_error` holds for "
                  "damaged pixels as well."),
    HR_READER_COMMON_ARGS(file_args),
};

static hr_status check_args(const file_args *a, hr_error *err)
{
    int has_files = a->files.n >= 0;
    if (has_files && a->file_list)
        return hr_fail(err, HR_VALUE, "`files` and `file_list` exclude each other");
    if (!has_files && !a->file_list && !a->file_root)
        return hr_fail(err, HR_VALUE, "`file_root`, `files` or `file_list` must be given");
    if (!has_files && a->labels.n >= 0)
        return hr_fail(err, HR_VALUE, "`labels` needs `files`");
    if (a->files.n == 0) return hr_fail(err, HR_VALUE, "`files` is empty");
    if (a->labels.n >= 0 && a->labels.n != a->files.n)
        return hr_fail(err, HR_VALUE, "`labels` has %lld entries for %lld `files`",
                       (long long)a->labels.n, (long long)a->files.n);
    if (a->file_filters.n == 0) return hr_fail(err, HR_VALUE, "`file_filters` is empty");
    if (a->dir_filters.n == 0) return hr_fail(err, HR_VALUE, "`dir_filters` is empty");
    return HR_OK;
}

static hr_status label_of(const file_args *a, int64_t i, int32_t *label, hr_error *err)
{
    int64_t value = a->labels.n >= 0 ? a->labels.v[i] : i;
    if (value < INT32_MIN || value > INT32_MAX)
        return hr_fail(err, HR_VALUE, "label %lld of file %lld is outside int32",
                       (long long)value, (long long)i);
    *label = (int32_t)value;
    return HR_OK;
}

static hr_status add_files(hr__file_table *t, const file_args *a, hr_error *err)
{
    const char *folder = a->file_root ? a->file_root : "";
    char *root = hr__file_root(folder, strlen(folder));
    if (!root) return hr_fail(err, HR_NOMEM, "no memory for a path");
    hr_status status = HR_OK;
    for (int64_t i = 0; i < a->files.n && status == HR_OK; i++) {
        int32_t label = 0;
        status = label_of(a, i, &label, err);
        if (status == HR_OK)
            status = hr__file_table_add_path(t, root, a->files.v[i], label, err);
    }
    hr_free(root);
    return status;
}

static hr_status list_files(hr__file_table *t, const file_args *a, hr_error *err)
{
    hr__folder_rules rules = {.folders = {a->dir_filters, a->case_sensitive_filter},
                              .files = {a->file_filters, a->case_sensitive_filter},
                              .recursive = a->recursive};
    char shown[HR__PATH_SHOWN];
    if (a->file_list)
        HR_TRY(hr__file_list_read(t, a->file_list, a->file_root, err));
    else if (a->files.n >= 0)
        HR_TRY(add_files(t, a, err));
    else
        HR_TRY(hr__folder_list(t, a->file_root, &rules, err));
    if (t->n > 0) return HR_OK;
    if (a->file_list)
        return hr_fail(err, HR_VALUE, "file list %s names no files",
                       hr__path_show(shown, a->file_list));
    if (t->n_classes == 0)
        return hr_fail(err, HR_VALUE, "%s has no folder that passes `dir_filters`: the classes "
                       "are its folders", hr__path_show(shown, a->file_root));
    return hr_fail(err, HR_VALUE, "none of the %lld folders in %s has a file that passes "
                   "`file_filters`", (long long)t->n_classes,
                   hr__path_show(shown, a->file_root));
}

static hr_status file_open(void *self, const void *args, hr_error *err)
{
    const file_args *a = args;
    file_self *s = self;
    HR_TRY(check_args(a, err));
    HR_TRY(list_files(&s->table, a, err));
    s->decodes = a->verify >= 0;
    int listed = a->file_list || a->files.n >= 0;
    if (!listed || a->common.lazy_init || a->common.on_error != 0) return HR_OK;
    return hr__file_table_check_exist(&s->table, err);
}

static int64_t file_count(const void *self) { return ((const file_self *)self)->table.n; }

static hr_status verify_file(const hr__file *file, const char *path, hr_item *item, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    hr_error why = {0};
    hr_status status = hr__picture_verify(file->buf->data, file->size, path, &why);
    if (status == HR_OK) return HR_OK;
    item->reason = status == HR_NOMEM ? HR_SKIP_NONE : HR_SKIP_DAMAGED;
    return hr_fail(err, status, "%s: %s", hr__path_show(shown, path), why.message);
}

static hr_status file_fetch(const void *self, int64_t i, hr_item *item, hr_error *err)
{
    const file_self *s = self;
    char path[PATH_MAX], shown[HR__PATH_SHOWN];
    hr__file file;
    item->reason = HR_SKIP_UNREADABLE;
    HR_TRY(hr__file_table_path(&s->table, i, path, sizeof path, err));
    HR_TRY(hr__file_read(path, &file, &item->reason, err));
    hr_tensor *content = &item->out[0];
    int64_t size = (int64_t)file.size;
    hr_status status = hr_tensor_shape(content, HR_U8, 1, &size, err);
    content->buf = file.buf;
    content->data = file.buf->data;
    item->reason = HR_SKIP_NONE;
    HR_TRY(status);
    if (item->check_kind && !hr__content_is_known(file.buf->data, file.size)) {
        item->reason = HR_SKIP_UNKNOWN_KIND;
        return hr_fail(err, HR_DATA, "%s is of unknown kind", hr__path_show(shown, path));
    }
    if (s->decodes) HR_TRY(verify_file(&file, path, item, err));
    hr__item_put_i32(item, 1, hr__file_table_at(&s->table, i)->label);
    content->meta = hr_meta_create(path, NULL);
    if (!content->meta) return hr_fail(err, HR_NOMEM, "no memory for an item's name");
    item->out[1].meta = hr_meta_ref(content->meta);
    return HR_OK;
}

static const char *file_class_name(const void *self, int64_t i)
{
    const hr__file_table *t = &((const file_self *)self)->table;
    if (i < 0 || i >= t->n_classes) return NULL;
    return hr__file_table_class(t, i);
}

static void file_close(void *self) { hr__file_table_clear(&((file_self *)self)->table); }

static const struct hr_reader_ops file_ops = {
    .self_size = sizeof(file_self),
    .open = file_open,
    .count = file_count,
    .fetch = file_fetch,
    .class_name = file_class_name,
    .close = file_close,
};

const hr_reader_desc hr_reader_file = {
    .name = "readers.File",
    .doc = "Reads whole files: the bytes of each, and its label.",
    .n_out = 2,
    .outs = "content, label",
    .args = file_arg_desc,
    .n_args = sizeof file_arg_desc / sizeof *file_arg_desc,
    .args_size = sizeof(file_args),
    .ops = &file_ops,
};
