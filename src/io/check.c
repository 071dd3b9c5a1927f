/* What a file is, is told by its content; only record files, which begin with nothing of their
 * own, are told by a right checksum of their first length or by their name. */
#include <stdio.h>
#include <string.h>

#include <headrace/codec.h>
#include <headrace/files.h>

#include "io/npy.h"
#include "io/reader.h"
#include "io/tfrecord.h"
#include "io/verify.h"
#include "io/wds_list.h"

/* A finding; also of an error that is set, which is cleared. */
static hr_status tell(hr_file_check *c, const char *where, hr_error *why, hr_error *err)
{
    hr_status status = why->status;
    if (status == HR_NOMEM) return hr_fail(err, HR_NOMEM, "%s", why->message);
    int ends = c->found(c->user, where, why->message);
    hr_error_clear(why);
    return ends ? hr_fail(err, HR_CANCELLED, "cancelled") : HR_OK;
}

static hr_status tell_unless(hr_file_check *c, const char *where, hr_status status, hr_error *why,
                             hr_error *err)
{
    return status == HR_OK ? HR_OK : tell(c, where, why, err);
}

/* ---- one thing --------------------------------------------------------------------------- */

static hr_status check_array(const uint8_t *data, size_t size, hr_error *err)
{
    hr__npy npy;
    HR_TRY(hr__npy_header(data, size, &npy, err));
    return hr__npy_check_size(&npy, size, err);
}

static int is_array(const uint8_t *data, size_t size)
{
    return size >= 6 && !memcmp(data, "\x93NUMPY", 6);
}

static int has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcmp(name + n - m, ending);
}

static hr_status check_bytes(const uint8_t *data, size_t size, const char *name, hr_error *err)
{
    if (is_array(data, size) || has_ending(name, ".npy")) return check_array(data, size, err);
    return hr__picture_verify(data, size, name, err);
}

static hr_status check_whole(hr_file_check *c, const char *path, hr_error *err)
{
    hr__file file;
    hr_error why = {0};
    hr_skip_reason reason;
    const hr_codec_desc *codec;
    hr_status status = hr__file_read(path, &file, &reason, &why);
    if (status != HR_OK) return tell(c, "", &why, err);
    const uint8_t *data = file.buf->data;
    c->parts = 1;
    c->kind = "other";
    if (is_array(data, file.size)) c->kind = "array";
    else if (hr_codec_find(data, file.size, &codec, &why) == HR_OK) c->kind = "picture";
    hr_error_clear(&why);
    status = check_bytes(data, file.size, path, &why);
    if (status == HR_OK && !strcmp(c->kind, "other") && !hr__content_is_known(data, file.size))
        status = hr_codec_find(data, file.size, &codec, &why); /* says what it looks like */
    hr_buf_unref(&file.buf, 1);
    return tell_unless(c, "", status, &why, err);
}

/* ---- archives ---------------------------------------------------------------------------- */

static hr_status check_part(const hr__range_file *f, const hr__wds_part *p, const char *name,
                            hr_error *err)
{
    if (p->flags & HR__WDS_CUT)
        return hr_fail(err, HR_DATA, "cut off: the archive ends inside it");
    if (p->flags & HR__WDS_SPARSE)
        return hr_fail(err, HR_UNSUPPORTED, "stored as a sparse file, which is not supported");
    hr_buf *buf = hr_buf_create((size_t)p->size + 1);
    if (!buf) return hr_fail(err, HR_NOMEM, "no memory for %lld bytes", (long long)p->size);
    hr_status status = hr__range_read(f, p->offset, buf->data, (size_t)p->size, err);
    if (status == HR_OK && p->size > 0) status = check_bytes(buf->data, (size_t)p->size, name, err);
    hr_buf_unref(&buf, 1);
    return status;
}

static hr_status check_archive(hr_file_check *c, const hr__range_file *f, hr_error *err)
{
    hr__file_table text = {0};
    hr__wds_list list = {.text = &text};
    hr_error why = {0};
    c->kind = "archive";
    hr_status status = hr__wds_walk(&list, f, &why);
    c->parts = (int64_t)list.n_parts;
    status = tell_unless(c, "", status, &why, err);
    for (size_t i = 0; i < list.n_parts && status == HR_OK; i++) {
        const char *name = hr__file_table_string(&text, list.parts[i].name);
        status = check_part(f, &list.parts[i], name, &why);
        status = tell_unless(c, name, status, &why, err);
    }
    if (status == HR_OK && list.damage.status != HR_OK) status = tell(c, "", &list.damage, err);
    hr__wds_list_clear(&list);
    hr__file_table_clear(&text);
    return status;
}

/* ---- records ----------------------------------------------------------------------------- */

static hr_status check_record(const hr__range_file *f, const hr__record_place *p, hr_error *err)
{
    const uint8_t *data;
    size_t n;
    hr_buf *buf = hr_buf_create((size_t)p->size);
    if (!buf) return hr_fail(err, HR_NOMEM, "no memory for %lld bytes", (long long)p->size);
    hr_status status = hr__range_read(f, p->offset, buf->data, (size_t)p->size, err);
    if (status == HR_OK)
        status = hr__record_open(buf->data, (size_t)p->size, 1, &data, &n, err);
    hr_buf_unref(&buf, 1);
    return status;
}

static hr_status check_records(hr_file_check *c, const hr__range_file *f, hr_error *err)
{
    hr__record_list list = {0};
    hr_error why = {0};
    char where[48];
    c->kind = "records";
    hr_status status = hr__record_walk(&list, f, 1, &why);
    c->parts = (int64_t)list.n;
    status = tell_unless(c, "", status, &why, err);
    for (size_t i = 0; i < list.n && status == HR_OK; i++) {
        snprintf(where, sizeof where, "record %zu at byte %lld", i, (long long)list.v[i].offset);
        status = check_record(f, &list.v[i], &why);
        status = tell_unless(c, where, status, &why, err);
    }
    if (status == HR_OK && list.damage.status != HR_OK) status = tell(c, "", &list.damage, err);
    hr__record_list_clear(&list);
    return status;
}

/* ---- which ------------------------------------------------------------------------------- */

typedef enum file_kind { ONE_THING, ARCHIVE, RECORDS } file_kind;

static file_kind kind_of(const hr__range_file *f)
{
    uint8_t start[262] = {0};
    uint64_t length;
    size_t n = f->size < (int64_t)sizeof start ? (size_t)f->size : sizeof start;
    const char *slash = strrchr(f->path, '/');
    if (hr__range_read(f, 0, start, n, NULL) != HR_OK || n == 0) return ONE_THING;
    if (!memcmp(start + 257, "ustar", 5) || has_ending(f->path, ".tar")) return ARCHIVE;
    int is_head = n >= HR__RECORD_HEAD && hr__record_length(start, 1, &length, NULL) == HR_OK;
    return is_head || strstr(slash ? slash : f->path, ".tfrec") ? RECORDS : ONE_THING;
}

hr_status hr_file_check_run(hr_file_check *c, const char *path, hr_error *err)
{
    hr__range_file f;
    hr_error why = {0};
    c->kind = "";
    c->parts = 0;
    if (hr__range_open(&f, path, NULL, &why) != HR_OK) return tell(c, "", &why, err);
    file_kind kind = kind_of(&f);
    hr_status status = kind == ARCHIVE   ? check_archive(c, &f, err)
                       : kind == RECORDS ? check_records(c, &f, err)
                                         : check_whole(c, path, err);
    hr__range_close(&f);
    return status;
}

/* ---- samples ----------------------------------------------------------------------------- */

static hr_status tell_parts(const hr__wds_list *l, int (*found)(void *, const hr_archive_part *),
                            void *user, hr_error *err)
{
    for (size_t i = 0; i < l->n_samples; i++)
        for (int64_t k = l->samples[i].first; k >= 0; k = l->parts[k].next) {
            const hr__wds_part *p = &l->parts[k];
            hr_archive_part part = {(int64_t)i, hr__file_table_string(l->text, p->ext),
                                    hr__file_table_string(l->text, p->name), p->offset, p->size};
            if (found(user, &part)) return hr_fail(err, HR_CANCELLED, "cancelled");
        }
    return HR_OK;
}

hr_status hr_archive_walk(const char *path, int (*found)(void *user, const hr_archive_part *part),
                          void *user, hr_error *err)
{
    hr__range_file f;
    hr__file_table text = {0};
    hr__wds_list list = {.text = &text};
    HR_TRY(hr__range_open(&f, path, NULL, err));
    hr_status status = hr__wds_walk(&list, &f, err);
    if (status == HR_OK && list.damage.status != HR_OK)
        status = hr_fail(err, list.damage.status, "%s", list.damage.message);
    if (status == HR_OK) status = tell_parts(&list, found, user, err);
    hr__range_close(&f);
    hr__wds_list_clear(&list);
    hr__file_table_clear(&text);
    return status;
}
