/* Source: TensorFlow's documentation of the format (tf_record): length, masked CRC-32C of the
 * length, bytes, masked CRC-32C of the bytes; all little-endian. */
#include "io/tfrecord.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "io/grow.h"
#include "kernels/kernels.h"

static uint32_t read_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The checksum as it is stored: turned by 15 bits, and a constant added. */
static uint32_t checksum(const uint8_t *p, size_t n)
{
    uint32_t c = hr__kernels()->crc32c(0, p, n);
    return (c >> 15 | c << 17) + 0xa282ead8u;
}

hr_status hr__record_length(const uint8_t head[HR__RECORD_HEAD], int verify, uint64_t *out,
                            hr_error *err)
{
    *out = (uint64_t)read_u32(head + 4) << 32 | read_u32(head);
    if (!verify || checksum(head, 8) == read_u32(head + 8)) return HR_OK;
    return hr_fail(err, HR_DATA, "the checksum of the length is wrong");
}

hr_status hr__record_open(const uint8_t *whole, size_t size, int verify, const uint8_t **data,
                          size_t *n, hr_error *err)
{
    uint64_t length = 0;
    if (size < HR__RECORD_HEAD + HR__RECORD_TAIL)
        return hr_fail(err, HR_DATA, "%zu bytes are too few for a record", size);
    HR_TRY(hr__record_length(whole, verify, &length, err));
    if (length != size - HR__RECORD_HEAD - HR__RECORD_TAIL)
        return hr_fail(err, HR_DATA, "the record says that it has %llu bytes, there are %zu",
                       (unsigned long long)length, size - HR__RECORD_HEAD - HR__RECORD_TAIL);
    *data = whole + HR__RECORD_HEAD;
    *n = (size_t)length;
    if (!verify || checksum(*data, *n) == read_u32(*data + *n)) return HR_OK;
    return hr_fail(err, HR_DATA, "the checksum of the bytes is wrong");
}

/* ---- lists ------------------------------------------------------------------------------- */

static hr_status add_record(hr__record_list *l, hr__record_place place, hr_error *err)
{
    void *more = hr__grow(l->v, &l->room, l->n, sizeof *l->v);
    if (!more) return hr_fail(err, HR_NOMEM, "no memory for the list of records");
    l->v = more;
    l->v[l->n++] = place;
    return HR_OK;
}

void hr__record_list_clear(hr__record_list *l)
{
    hr_free(l->v);
    *l = (hr__record_list){0};
}

static hr_status next_record(const hr__range_file *f, int64_t at, int verify,
                             hr__record_place *out, hr_error *err)
{
    uint8_t head[HR__RECORD_HEAD];
    uint64_t length = 0;
    int64_t left = f->size - at - HR__RECORD_HEAD - HR__RECORD_TAIL;
    if (left < 0) return hr_fail(err, HR_DATA, "the file ends inside the record's head");
    HR_TRY(hr__range_read(f, at, head, sizeof head, err));
    HR_TRY(hr__record_length(head, verify, &length, err));
    if (length > (uint64_t)left)
        return hr_fail(err, HR_DATA, "the file ends inside the record: %llu bytes are due, %lld "
                       "are left", (unsigned long long)length, (long long)left);
    *out = (hr__record_place){at, (int64_t)length + HR__RECORD_HEAD + HR__RECORD_TAIL};
    return HR_OK;
}

static hr_status check_start(const hr__range_file *f, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    uint8_t start[HR__RECORD_HEAD] = {0};
    if (f->size == 0) return hr_fail(err, HR_DATA, "%s is empty", hr__path_show(shown, f->path));
    HR_TRY(hr__range_read(f, 0, start, f->size < HR__RECORD_HEAD ? (size_t)f->size : HR__RECORD_HEAD,
                          err));
    uint64_t length;
    if (hr__record_length(start, 1, &length, NULL) == HR_OK) return HR_OK;
    int is_zlib = (start[0] & 15) == 8 && start[0] >> 4 <= 7 && (start[0] * 256 + start[1]) % 31 == 0;
    const char *kind = !memcmp(start, "\x1f\x8b", 2) ? "gzip" : is_zlib ? "zlib" : NULL;
    if (!kind) return HR_OK;
    return hr_fail(err, HR_DATA, "%s is compressed (%s): records are read from plain files only",
                   hr__path_show(shown, f->path), kind);
}

hr_status hr__record_walk(hr__record_list *l, const hr__range_file *f, int verify, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    HR_TRY(check_start(f, err));
    for (int64_t at = 0; at < f->size;) {
        hr__record_place place = {0, 0};
        hr_error why = {0};
        hr_status status = next_record(f, at, verify, &place, &why);
        if (status == HR_DATA) {
            hr_error_prefix(&why, "%s: record %zu at byte %lld", hr__path_show(shown, f->path), l->n,
                            (long long)at);
            l->damage = why;
            return HR_OK;
        }
        if (status != HR_OK) {
            if (err) *err = why;
            return status;
        }
        HR_TRY(add_record(l, place, err));
        at += place.size;
    }
    return HR_OK;
}

static int read_count(char **p, int64_t *out)
{
    while (**p == ' ' || **p == '\t') (*p)++;
    if (**p < '0' || **p > '9') return 0;
    *out = strtoll(*p, p, 10);
    return 1;
}

static hr_status add_line(hr__record_list *l, char *line, const hr__range_file *f, hr_error *err)
{
    hr__record_place place = {0, 0};
    if (!read_count(&line, &place.offset) || !read_count(&line, &place.size))
        return hr_fail(err, HR_DATA, "offset and size of a record are due");
    if (place.size < HR__RECORD_HEAD + HR__RECORD_TAIL || place.offset > f->size ||
        place.size > f->size - place.offset)
        return hr_fail(err, HR_DATA, "the record is not inside the file: the index is that of "
                       "another one, or the file changed");
    return add_record(l, place, err);
}

static hr_status add_lines(hr__record_list *l, char *data, size_t size, const hr__range_file *f,
                           hr_error *err)
{
    char *end = data + size;
    int64_t number = 0;
    for (char *p = data; p < end; number++) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        *stop = '\0';
        if (p[strspn(p, " \t\r")] != '\0') {
            hr_status status = add_line(l, p, f, err);
            if (status != HR_OK) hr_error_prefix(err, "line %lld", (long long)number + 1);
            HR_TRY(status);
        }
        p = stop + 1;
    }
    return HR_OK;
}

hr_status hr__record_read_index(hr__record_list *l, const char *path, const hr__range_file *f,
                                hr_error *err)
{
    hr__file file;
    char shown[HR__PATH_SHOWN];
    hr_skip_reason reason = HR_SKIP_NONE;
    HR_TRY(hr__file_read(path, &file, &reason, err)); /* the buffer has a byte more */
    hr_status status = add_lines(l, file.buf->data, file.size, f, err);
    if (status != HR_OK) hr_error_prefix(err, "index %s", hr__path_show(shown, path));
    hr_buf_unref(&file.buf, 1);
    return status;
}
