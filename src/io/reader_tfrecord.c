/* readers.TFRecord: features of tf.train.Example messages, an output each, by name. */
#include <stdio.h>
#include <string.h>

#include "io/file_table.h"
#include "io/grow.h"
#include "io/reader.h"
#include "io/tfrecord.h"
#include "io/wanted_feature.h"

enum { MAX_OPEN = 128 };     /* files that stay open */

typedef struct tfrecord_args {
    hr_reader_common common;
    hr_strs path, index_path, features;
    int verify, use_o_direct;
} tfrecord_args;

static const hr_arg_desc tfrecord_arg_desc[] = {
    HR_ARG(tfrecord_args, path, STRS, .flags = HR_REQUIRED, .doc = "The record files."),
    HR_ARG(tfrecord_args, index_path, STRS,
           .doc = "An index for each file: offset and size of a record a line, as the peer's "
                  "tfrecord2idx writes it. Not given: the files are walked."),
    HR_ARG(tfrecord_args, features, STRS, .flags = HR_REQUIRED,
           .doc = "A dict of names and descriptions from headrace.tfrecord: FixedLenFeature, "
                  "VarLenFeature."),
    HR_ARG(tfrecord_args, verify, BOOL, .initial = "True",
           .doc = "Check the checksums of each record's length and bytes."),
    HR_ARG(tfrecord_args, use_o_direct, BOOL, .initial = "False", .flags = HR_HINT,
           .doc = "Without effect: files are read through the page cache."),
    HR_READER_COMMON_ARGS(tfrecord_args),
};

typedef struct place {
    int64_t offset, size;
    int32_t file;
    uint32_t number; /* in its file */
} place;

/* A file that cannot be listed, or is damaged from some record on. */
typedef struct damage {
    int64_t item;
    hr_skip_reason reason;
    uint32_t text;
} damage;

typedef struct tfrecord_self {
    hr__file_table text;
    hr__range_file *files;
    uint32_t *paths;
    int n_files, n_out, verify, skips;
    hr__wanted wants[HR_READER_MAX_OUTS];
    const char *names[HR_READER_MAX_OUTS];
    place *places;
    size_t n, room;
    damage *damages;
    size_t n_damages, room_damages;
} tfrecord_self;

static hr_status set_features(tfrecord_self *s, const hr_strs *features, hr_error *err)
{
    int64_t n = features->n / HR__WANTED_WORDS;
    if (features->n % HR__WANTED_WORDS)
        return hr_fail(err, HR_VALUE, "`features` are to be described by headrace.tfrecord");
    if (n < 1 || n > HR_READER_MAX_OUTS)
        return hr_fail(err, HR_VALUE, "%lld features are outside 1..%d", (long long)n,
                       HR_READER_MAX_OUTS);
    for (int k = 0; k < n; k++) {
        s->n_out++;
        HR_TRY(hr__wanted_set(&s->wants[k], features->v + (ptrdiff_t)k * HR__WANTED_WORDS, err));
        s->names[k] = s->wants[k].name;
    }
    return HR_OK;
}

/* ---- the list ---------------------------------------------------------------------------- */

static const char *text_at(const tfrecord_self *s, uint32_t at)
{
    return hr__file_table_string(&s->text, at);
}

static hr_status add_place(tfrecord_self *s, place p, hr_error *err)
{
    void *more = hr__grow(s->places, &s->room, s->n, sizeof *s->places);
    if (!more) return hr_fail(err, HR_NOMEM, "no memory for the list of records");
    s->places = more;
    s->places[s->n++] = p;
    return HR_OK;
}

static hr_status add_damage(tfrecord_self *s, int32_t file, const hr_error *why,
                            hr_skip_reason reason, hr_error *err)
{
    damage d = {.item = (int64_t)s->n, .reason = reason};
    void *more = hr__grow(s->damages, &s->room_damages, s->n_damages, sizeof d);
    if (!more) return hr_fail(err, HR_NOMEM, "no memory for the list of records");
    s->damages = more;
    HR_TRY(hr__file_table_text(&s->text, why->message, strlen(why->message), &d.text, err));
    s->damages[s->n_damages++] = d;
    return add_place(s, (place){.file = file, .size = -1}, err);
}

static hr_status take_list(tfrecord_self *s, const hr__record_list *l, int32_t file, hr_error *err)
{
    if (l->n > UINT32_MAX) return hr_fail(err, HR_OVERFLOW, "a file has over 2^32 records");
    for (size_t i = 0; i < l->n; i++)
        HR_TRY(add_place(s, (place){l->v[i].offset, l->v[i].size, file, (uint32_t)i}, err));
    if (l->damage.status == HR_OK) return HR_OK;
    return add_damage(s, file, &l->damage, HR_SKIP_DAMAGED, err);
}

static hr_status list_file(tfrecord_self *s, const tfrecord_args *a, int32_t i,
                           hr_skip_reason *reason, hr_error *err)
{
    hr__range_file *f = &s->files[i];
    hr__record_list list = {0};
    HR_TRY(hr__range_open(f, text_at(s, s->paths[i]), reason, err));
    *reason = f->size ? HR_SKIP_DAMAGED : HR_SKIP_EMPTY;
    hr_status status = a->index_path.n > 0
                           ? hr__record_read_index(&list, a->index_path.v[i], f, err)
                           : hr__record_walk(&list, f, s->verify, err);
    if (status == HR_OK) {
        *reason = HR_SKIP_NONE;
        status = take_list(s, &list, i, err);
    }
    hr__record_list_clear(&list);
    if (i >= MAX_OPEN) hr__range_close(f);
    return status;
}

/* With on_error="skip" a file that cannot be listed counts as one item that is left out. */
static hr_status list_all(tfrecord_self *s, const tfrecord_args *a, hr_error *err)
{
    for (int32_t i = 0; i < s->n_files; i++) {
        hr_skip_reason reason = HR_SKIP_NONE;
        hr_error why = {0};
        hr_status status = list_file(s, a, i, &reason, &why);
        if (status == HR_OK) continue;
        if (s->skips && reason != HR_SKIP_NONE && (status == HR_IO || status == HR_DATA)) {
            HR_TRY(add_damage(s, i, &why, reason, err));
            continue;
        }
        if (err) *err = why;
        return status;
    }
    if (s->n > 0) return HR_OK;
    return hr_fail(err, HR_VALUE, "there are no records in the %d files", s->n_files);
}

static hr_status set_files(tfrecord_self *s, const tfrecord_args *a, hr_error *err)
{
    if (a->path.n < 1 || a->path.n > INT32_MAX) return hr_fail(err, HR_VALUE, "`path` is empty");
    if (a->index_path.n > 0 && a->index_path.n != a->path.n)
        return hr_fail(err, HR_VALUE, "`index_path` has %lld entries for %lld in `path`",
                       (long long)a->index_path.n, (long long)a->path.n);
    s->files = hr_alloc((size_t)a->path.n, sizeof *s->files);
    s->paths = hr_alloc((size_t)a->path.n, sizeof *s->paths);
    if (!s->files || !s->paths) return hr_fail(err, HR_NOMEM, "no memory for the list of files");
    for (int64_t i = 0; i < a->path.n; i++) {
        const char *path = a->path.v[i];
        HR_TRY(hr__file_table_text(&s->text, path, strlen(path), &s->paths[i], err));
        s->files[i] = (hr__range_file){.fd = -1};
        s->n_files++;
    }
    return HR_OK;
}

static hr_status tfrecord_open(void *self, const void *args, hr_error *err)
{
    const tfrecord_args *a = args;
    tfrecord_self *s = self;
    s->verify = a->verify;
    s->skips = a->common.on_error == 1;
    HR_TRY(set_features(s, &a->features, err));
    HR_TRY(set_files(s, a, err));
    return list_all(s, a, err);
}

static void tfrecord_close(void *self)
{
    tfrecord_self *s = self;
    for (int k = 0; k < s->n_out; k++) hr__wanted_clear(&s->wants[k]);
    for (int i = 0; i < s->n_files; i++) hr__range_close(&s->files[i]);
    hr_free(s->files);
    hr_free(s->paths);
    hr_free(s->places);
    hr_free(s->damages);
    hr__file_table_clear(&s->text);
    *s = (tfrecord_self){0};
}

/* ---- reading ----------------------------------------------------------------------------- */

/* A record's bytes, and the memory that they lie in. */
typedef struct record {
    hr_buf *buf;
    hr__bytes bytes;
} record;

/* Out of the stretch that was read, else from the file. */
static hr_status read_record(const tfrecord_self *s, const hr__range_file *f, const place *p,
                             const hr__stretch *stretch, record *out, hr_error *err)
{
    const uint8_t *data;
    if (hr__stretch_has(stretch, p->file, p->offset, p->offset + p->size)) {
        out->buf = hr_buf_ref(stretch->buf, 1);
        data = (const uint8_t *)stretch->buf->data + (p->offset - stretch->start);
    } else {
        out->buf = hr_buf_create((size_t)p->size);
        if (!out->buf) return hr_fail(err, HR_NOMEM, "no memory for %lld bytes", (long long)p->size);
        HR_TRY(hr__range_read(f, p->offset, out->buf->data, (size_t)p->size, err));
        data = out->buf->data;
    }
    return hr__record_open(data, (size_t)p->size, s->verify, &out->bytes.p, &out->bytes.n, err);
}

static hr_status put_features(const tfrecord_self *s, const record *r, hr_item *item, hr_error *err)
{
    hr__feature found[HR_READER_MAX_OUTS];
    HR_TRY(hr__example_find(r->bytes, s->names, s->n_out, found, err));
    for (int k = 0; k < s->n_out; k++)
        HR_TRY(hr__wanted_put(&s->wants[k], &found[k], r->buf, &item->out[k], err));
    return HR_OK;
}

static hr_status name_outputs(const tfrecord_self *s, const char *path, const place *p,
                              hr_item *item, hr_error *err)
{
    size_t n = strlen(path) + 32;
    char *text = hr_alloc(1, n);
    if (text) {
        snprintf(text, n, "%s: record %u", path, p->number);
        item->out[0].meta = hr_meta_create(text, NULL);
    }
    hr_free(text);
    if (!item->out[0].meta) return hr_fail(err, HR_NOMEM, "no memory for an item's name");
    for (int k = 1; k < s->n_out; k++) item->out[k].meta = hr_meta_ref(item->out[0].meta);
    return HR_OK;
}

static hr_status fail_damaged(const tfrecord_self *s, int64_t i, hr_item *item, hr_error *err)
{
    size_t k = 0;
    while (s->damages[k].item != i) k++;
    item->reason = s->damages[k].reason;
    return hr_fail(err, HR_DATA, "%s", text_at(s, s->damages[k].text));
}

static hr_status fetch_open(const tfrecord_self *s, const hr__range_file *f, const place *p,
                            hr_item *item, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    hr_error why = {0};
    record r = {0};
    hr_status status = read_record(s, f, p, item->stretch, &r, &why);
    if (status == HR_OK) status = put_features(s, &r, item, &why);
    hr_buf_unref(&r.buf, 1);
    if (status == HR_OK) return name_outputs(s, f->path, p, item, err);
    hr_error_prefix(&why, "%s: record %u at byte %lld", hr__path_show(shown, f->path), p->number,
                    (long long)p->offset);
    if (err) *err = why;
    return status;
}

static int64_t tfrecord_count(const void *self) { return (int64_t)((const tfrecord_self *)self)->n; }

static hr_status tfrecord_fetch(const void *self, int64_t i, hr_item *item, hr_error *err)
{
    const tfrecord_self *s = self;
    const place *p = &s->places[i];
    if (p->size < 0) return fail_damaged(s, i, item, err);
    const hr__range_file *f = &s->files[p->file];
    hr__range_file own = {.fd = -1};
    if (f->fd < 0) {
        HR_TRY(hr__range_open(&own, text_at(s, s->paths[p->file]), &item->reason, err));
        f = &own;
    }
    item->reason = HR_SKIP_DAMAGED;
    hr_status status = fetch_open(s, f, p, item, err);
    hr__range_close(&own);
    return status;
}

/* What goes wrong here goes wrong again, and is told, when the record itself is read. */
static void tfrecord_read_stretch(const void *self, const int64_t *items, int n, hr__stretch *out)
{
    const tfrecord_self *s = self;
    const place *first = &s->places[items[0]], *p = first;
    const hr__range_file *f = &s->files[first->file];
    for (int i = 0; i < n; i++, p++) /* records side by side */
        if (p != &s->places[items[i]] || p->size < 0 || p->file != first->file) return;
    int64_t end = p[-1].offset + p[-1].size;
    if (f->fd < 0 || end <= first->offset || end - first->offset > HR__MAX_STRETCH) return;
    hr_buf *buf = hr_buf_create((size_t)(end - first->offset));
    if (buf && hr__range_read(f, first->offset, buf->data, buf->size, NULL) == HR_OK)
        *out = (hr__stretch){buf, first->file, first->offset, end};
    else
        hr_buf_unref(&buf, 1);
}

static int tfrecord_n_out(const void *self) { return ((const tfrecord_self *)self)->n_out; }

static const char *tfrecord_out_name(const void *self, int k)
{
    return ((const tfrecord_self *)self)->names[k];
}

static const struct hr_reader_ops tfrecord_ops = {
    .self_size = sizeof(tfrecord_self),
    .open = tfrecord_open,
    .count = tfrecord_count,
    .fetch = tfrecord_fetch,
    .read_stretch = tfrecord_read_stretch,
    .n_out = tfrecord_n_out,
    .out_name = tfrecord_out_name,
    .close = tfrecord_close,
};

const hr_reader_desc hr_reader_tfrecord = {
    .name = "readers.TFRecord",
    .doc = "Reads features of tf.train.Example messages from TFRecord files, as a dict by name. A "
           "feature that is missing takes its default, in the whole of its shape; one of another "
           "type or number of values is an error. A string gives its bytes. Compressed files are "
           "refused.",
    .n_out = 0,
    .outs = "a dict: a tensor for each of `features`",
    .args = tfrecord_arg_desc,
    .n_args = sizeof tfrecord_arg_desc / sizeof *tfrecord_arg_desc,
    .args_size = sizeof(tfrecord_args),
    .ops = &tfrecord_ops,
};
