/* A temporary folder of numbered files, and readers over it. */
#ifndef HR_TESTS_READER_FIXTURE_H
#define HR_TESTS_READER_FIXTURE_H

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <headrace/headrace.h>

enum { MAX_FILES = 64, MAX_ARGS = 64 };

static char folder[512];
static char names[MAX_FILES][32];
static const char *name_list[MAX_FILES];

static inline const char *path_to(const char *name)
{
    static char text[4][1024];
    static int i;
    i = (i + 1) % 4;
    snprintf(text[i], sizeof text[i], "%s/%s", folder, name);
    return text[i];
}

static inline void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(path_to(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static inline void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static inline void make_folder(const char *name) { assert_int_equal(mkdir(path_to(name), 0755), 0); }

/* File i is named "<i>" and holds its number as text. */
static inline int make_files(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/headrace-reader-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder)) return -1;
    for (int i = 0; i < MAX_FILES; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        name_list[i] = names[i];
        write_text(names[i], names[i]);
    }
    return 0;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline int remove_files(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Arguments by name. */
typedef struct arguments {
    hr_value v[MAX_ARGS];
} arguments;

static inline hr_value *argument(arguments *a, const char *name)
{
    const hr_reader_desc *d = hr_reader_find("readers.File");
    assert_non_null(d);
    assert_true(d->n_args <= MAX_ARGS);
    for (int i = 0; i < d->n_args; i++)
        if (!strcmp(d->args[i].name, name)) return &a->v[i];
    fail_msg("no argument %s", name);
    return NULL;
}

static inline void set_int(arguments *a, const char *name, int64_t i)
{
    *argument(a, name) = (hr_value){.kind = HR_VALUE_INT, .u.i = i};
}

static inline void set_bool(arguments *a, const char *name, int64_t i)
{
    *argument(a, name) = (hr_value){.kind = HR_VALUE_BOOL, .u.i = i};
}

static inline void set_text(arguments *a, const char *name, const char *s)
{
    *argument(a, name) = (hr_value){.kind = HR_VALUE_STR, .u.s = s};
}

static inline void set_texts(arguments *a, const char *name, const char *const *s, int64_t n)
{
    *argument(a, name) = (hr_value){.kind = HR_VALUE_STRS, .n = n, .u.strs = s};
}

/* The first n numbered files, their number as label. */
static inline arguments numbered(int64_t n)
{
    arguments a = {0};
    set_text(&a, "file_root", folder);
    set_texts(&a, "files", name_list, n);
    return a;
}

static inline hr_status try_open(const arguments *a, hr_reader **out, hr_error *err)
{
    *err = (hr_error){0};
    return hr_reader_create(out, hr_reader_find("readers.File"), a->v, err);
}

static inline hr_reader *open_reader(const arguments *a)
{
    hr_reader *r;
    hr_error err;
    if (try_open(a, &r, &err) != HR_OK) fail_msg("%s", err.message);
    return r;
}

/* The labels of the next batch, checked against the contents; -1 at the epoch's end. */
static inline int64_t next_labels(hr_reader *r, int64_t *labels)
{
    hr_batch *outs[2];
    hr_error err = {0};
    hr_status status = hr_reader_next(r, outs, NULL, NULL, &err);
    if (status == HR_STOP) return -1;
    if (status != HR_OK) fail_msg("%s", err.message);
    int64_t n = outs[0]->n;
    assert_int_equal(outs[1]->n, n);
    assert_true(outs[1]->is_block);
    for (int64_t i = 0; i < n; i++) {
        const hr_tensor *content = &outs[0]->t[i], *label = &outs[1]->t[i];
        assert_int_equal(content->dtype, HR_U8);
        assert_int_equal(content->ndim, 1);
        assert_int_equal(label->dtype, HR_I32);
        assert_int_equal(label->shape[0], 1);
        labels[i] = *(const int32_t *)label->data;
        char expected[32];
        snprintf(expected, sizeof expected, "%d", (int)labels[i]);
        assert_int_equal(content->shape[0], strlen(expected));
        assert_memory_equal(content->data, expected, strlen(expected));
        assert_string_equal(content->meta->source, path_to(expected));
    }
    hr_batch_unref(&outs[0]);
    hr_batch_unref(&outs[1]);
    return n;
}

static inline void begin(hr_reader *r, int64_t epoch, int64_t batch_size)
{
    hr_error err = {0};
    if (hr_reader_begin(r, epoch, batch_size, &err) != HR_OK) fail_msg("%s", err.message);
}

#endif
