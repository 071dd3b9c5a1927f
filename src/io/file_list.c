/* Text lists of files: a name and a label a line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/file_table.h"
#include "io/reader.h"

typedef struct line {
    int64_t number;   /* from 1 */
    char *start, *end; /* without the blanks at its end */
    char *name_end;   /* where the label's blanks begin, else `end` */
    long long label;  /* saturated */
} line;

typedef struct text {
    char *at, *end; /* what is not read yet; *end may be written */
    int64_t number;
    const char *list; /* the file's name */
    int takes_no_labels;
} text;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static int has_label(const line *l) { return l->name_end < l->end; }

/* A label is a whole number between blanks and the end of the line. */
static void find_label(line *l)
{
    char *digits = l->end;
    while (digits > l->start && isdigit((unsigned char)digits[-1])) digits--;
    if (digits == l->end) return;
    char *number = digits > l->start && digits[-1] == '-' ? digits - 1 : digits;
    char *name_end = number;
    while (name_end > l->start && is_blank(name_end[-1])) name_end--;
    if (name_end == number || name_end == l->start) return;
    l->name_end = name_end;
    l->label = strtoll(number, NULL, 10);
}

/* The next line that has more than blanks; 0 at the end. */
static int next_line(text *t, line *out)
{
    while (t->at < t->end) {
        char *start = t->at, *end = memchr(start, '\n', (size_t)(t->end - start));
        if (!end) end = t->end;
        t->at = end < t->end ? end + 1 : end;
        t->number++;
        while (end > start && is_blank(end[-1])) end--;
        if (end == start) continue;
        *out = (line){.number = t->number, .start = start, .end = end, .name_end = end};
        if (!t->takes_no_labels) find_label(out);
        return 1;
    }
    return 0;
}

static hr_status fail_line(const text *t, const line *l, const char *what, hr_error *err)
{
    char shown[HR__PATH_SHOWN], list[HR__PATH_SHOWN];
    *l->end = '\0';
    return hr_fail(err, HR_DATA, "file list %s, line %lld: %s; the line has \"%s\"",
                   hr__path_show(list, t->list), (long long)l->number, what,
                   hr__path_show(shown, l->start));
}

static hr_status check_line(const text *t, const line *l, int labelled, hr_error *err)
{
    if (labelled && !has_label(l))
        return fail_line(t, l, "expected a file name followed by a whole-number label", err);
    if (l->label < INT32_MIN || l->label > INT32_MAX)
        return fail_line(t, l, "the label is outside int32", err);
    return HR_OK;
}

static hr_status add_lines(hr__file_table *table, text *t, const char *root, hr_error *err)
{
    if (memchr(t->at, '\0', (size_t)(t->end - t->at))) {
        char shown[HR__PATH_SHOWN];
        return hr_fail(err, HR_DATA, "file list %s has zero bytes: it is no text",
                       hr__path_show(shown, t->list));
    }
    text look = *t;
    line l;
    int labelled = 0;
    while (!labelled && next_line(&look, &l)) labelled = has_label(&l);
    table->has_no_labels = !labelled;
    while (next_line(t, &l)) {
        HR_TRY(check_line(t, &l, labelled, err));
        if (!labelled && table->n > INT32_MAX)
            return fail_line(t, &l, "the item's number is outside int32", err);
        int32_t label = labelled ? (int32_t)l.label : (int32_t)table->n;
        *l.name_end = '\0';
        HR_TRY(hr__file_table_add_path(table, root, l.start, label, err));
    }
    return HR_OK;
}

char *hr__file_root(const char *folder, size_t len)
{
    char *root = hr_alloc(1, len + 2);
    if (!root) return NULL;
    memcpy(root, folder, len);
    if (len && root[len - 1] != '/') root[len++] = '/';
    root[len] = '\0';
    return root;
}

hr_status hr__file_list_read(hr__file_table *table, const char *list, const char *folder,
                             hr_error *err)
{
    hr__file file;
    hr_skip_reason reason = HR_SKIP_NONE;
    hr_status status = hr__file_read(list, &file, &reason, err);
    if (status != HR_OK) {
        hr_error_prefix(err, "file list");
        return status;
    }
    const char *slash = strrchr(list, '/');
    char *data = file.buf->data;
    data[file.size] = '\0'; /* the last line may end in a label's digits */
    char *root = folder ? hr__file_root(folder, strlen(folder))
                        : hr__file_root(list, slash ? (size_t)(slash - list) + 1 : 0);
    if (!root) status = hr_fail(err, HR_NOMEM, "no memory for a path");
    if (status == HR_OK) {
        text t = {data, data + file.size, 0, list, table->takes_no_labels};
        if (file.size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) t.at += 3;
        status = add_lines(table, &t, root, err);
    }
    hr_free(root);
    hr_buf_unref(&file.buf, 1);
    return status;
}
