/* Files into buffers, whole or in parts, and what their first bytes say. A file may change while it is read:
 * what counts is its content up to the end that reading met. */
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *hr__path_show(char text[HR__PATH_SHOWN], const char *path)
{
    size_t len = strlen(path);
    if (len < HR__PATH_SHOWN) {
        memcpy(text, path, len + 1);
    } else {
        memcpy(text, "...", 3);
        memcpy(text + 3, path + len - (HR__PATH_SHOWN - 4), HR__PATH_SHOWN - 3);
    }
    return text;
}

/* Is it the file's fault, not that of the process or the machine? */
static hr_skip_reason reason_of(int sys_errno)
{
    switch (sys_errno) {
    case ENOENT: case ENOTDIR: return HR_SKIP_MISSING;
    case EMFILE: case ENFILE: case ENOMEM: case EINTR: return HR_SKIP_NONE;
    default: return HR_SKIP_UNREADABLE;
    }
}

static int open_file(const char *path)
{
    int fd;
    do /* NONBLOCK: a pipe without a writer must not hold us up */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    return fd;
}

enum { SMALL = 1 << 24 }; /* 16 MiB: no machine has less than twice that */

/* Half of the memory; asked of the system for files that might be over it. */
static uint64_t size_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return SIZE_MAX / 4;
    return (uint64_t)pages * (uint64_t)page / 2;
}

static int is_over_limit(uint64_t size) { return size > SMALL && size > size_limit(); }

static hr_status fail_size(const char *path, uint64_t size, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    return hr_fail(err, HR_DATA, "%s has %llu bytes: over half of the memory",
                   hr__path_show(shown, path), (unsigned long long)size);
}

/* A larger buffer with the first `used` bytes of the old one, which is released. */
static hr_status grow(hr__file *f, size_t used, const char *path, hr_error *err)
{
    size_t size = f->buf->size * 2 + 65536;
    hr_buf *larger = hr_buf_create(size);
    if (!larger) {
        char shown[HR__PATH_SHOWN];
        return hr_fail(err, HR_NOMEM, "no memory for %zu bytes of %s", size,
                       hr__path_show(shown, path));
    }
    memcpy(larger->data, f->buf->data, used);
    hr_buf_unref(&f->buf, 1);
    f->buf = larger;
    return HR_OK;
}

/* Reads to the end. One byte more than the expected size is asked for, so that a file that has
 * not changed takes one call. */
static hr_status read_all(int fd, size_t expected, const char *path, hr__file *f, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    f->buf = hr_buf_create(expected + 1);
    if (!f->buf)
        return hr_fail(err, HR_NOMEM, "no memory for %zu bytes of %s", expected,
                       hr__path_show(shown, path));
    size_t used = 0;
    for (;;) {
        ssize_t got = read(fd, (char *)f->buf->data + used, f->buf->size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return hr_fail_errno(err, errno, "cannot read %s", hr__path_show(shown, path));
        used += (size_t)got;
        if (got == 0 || used == expected) break;
        if (used < f->buf->size) continue;
        if (is_over_limit(used)) return fail_size(path, used, err);
        HR_TRY(grow(f, used, path, err));
    }
    f->size = used;
    return HR_OK;
}

static hr_status read_open(int fd, const char *path, hr__file *out, hr_skip_reason *reason,
                           hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    struct stat st;
    *reason = HR_SKIP_UNREADABLE;
    if (fstat(fd, &st) != 0)
        return hr_fail_errno(err, errno, "cannot read %s", hr__path_show(shown, path));
    if (S_ISDIR(st.st_mode))
        return hr_fail_errno(err, EISDIR, "cannot read %s", hr__path_show(shown, path));
    if (!S_ISREG(st.st_mode))
        return hr_fail(err, HR_IO, "cannot read %s: it is no regular file",
                       hr__path_show(shown, path));
    if (is_over_limit((uint64_t)st.st_size)) return fail_size(path, (uint64_t)st.st_size, err);
    hr_status status = read_all(fd, (size_t)st.st_size, path, out, err);
    if (status == HR_NOMEM) *reason = HR_SKIP_NONE;
    HR_TRY(status);
    if (out->size > 0) return HR_OK;
    *reason = HR_SKIP_EMPTY;
    return hr_fail(err, HR_DATA, "%s is empty", hr__path_show(shown, path));
}

hr_status hr__file_read(const char *path, hr__file *out, hr_skip_reason *reason, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    *out = (hr__file){0};
    int fd = open_file(path);
    if (fd < 0) {
        int saved = errno;
        *reason = reason_of(saved);
        return hr_fail_errno(err, saved, "cannot open %s", hr__path_show(shown, path));
    }
    hr_status status = read_open(fd, path, out, reason, err);
    close(fd);
    if (status == HR_OK) return HR_OK;
    hr_buf_unref(&out->buf, 1);
    return status;
}

/* ---- parts ------------------------------------------------------------------------------ */

static hr_status check_range_file(hr__range_file *f, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return hr_fail_errno(err, errno, "cannot read %s", hr__path_show(shown, f->path));
    if (S_ISDIR(st.st_mode))
        return hr_fail_errno(err, EISDIR, "cannot read %s", hr__path_show(shown, f->path));
    if (!S_ISREG(st.st_mode))
        return hr_fail(err, HR_IO, "cannot read %s: it is no regular file",
                       hr__path_show(shown, f->path));
    f->size = st.st_size;
    return HR_OK;
}

hr_status hr__range_open(hr__range_file *f, const char *path, hr_skip_reason *reason,
                         hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    *f = (hr__range_file){.path = path, .fd = open_file(path)};
    if (f->fd < 0) {
        int saved = errno;
        if (reason) *reason = reason_of(saved);
        return hr_fail_errno(err, saved, "cannot open %s", hr__path_show(shown, path));
    }
    hr_status status = check_range_file(f, err);
    if (status == HR_OK) return HR_OK;
    if (reason) *reason = HR_SKIP_UNREADABLE;
    hr__range_close(f);
    return status;
}

hr_status hr__range_read(const hr__range_file *f, int64_t at, void *dst, size_t n, hr_error *err)
{
    char shown[HR__PATH_SHOWN], *to = dst;
    while (n > 0) {
        ssize_t got = pread(f->fd, to, n, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return hr_fail_errno(err, errno, "cannot read %s", hr__path_show(shown, f->path));
        if (got == 0)
            return hr_fail(err, HR_DATA, "%s ends at byte %lld, %zu bytes early",
                           hr__path_show(shown, f->path), (long long)at, n);
        to += got;
        at += got;
        n -= (size_t)got;
    }
    return HR_OK;
}

void hr__range_close(hr__range_file *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

/* ---- kinds ------------------------------------------------------------------------------ */

/* First bytes; '?' stands for any byte. */
typedef struct magic {
    const char *text;
    size_t size;
} magic;

static const magic magics[] = {
#define MAGIC(text) {text, sizeof text - 1}
    MAGIC("\xff\xd8\xff"),                              /* JPEG */
    MAGIC("\x89PNG\r\n\x1a\n"),
    MAGIC("BM"),
    MAGIC("II*\0"), MAGIC("MM\0*"), MAGIC("II+\0"), MAGIC("MM\0+"), /* TIFF, BigTIFF */
    MAGIC("P1"), MAGIC("P2"), MAGIC("P3"), MAGIC("P4"), MAGIC("P5"), MAGIC("P6"), MAGIC("P7"),
    MAGIC("RIFF????WEBP"),
    MAGIC("\0\0\0\x0cjP  \r\n\x87\n"), MAGIC("\xff\x4f\xff\x51"), /* JPEG 2000 */
    MAGIC("RIFF????WAVE"), MAGIC("RIFX????WAVE"), MAGIC("RF64????WAVE"),
    MAGIC("fLaC"), MAGIC("OggS"),
    MAGIC("\x93NUMPY"),
#undef MAGIC
};

static int has_magic(const uint8_t *data, size_t size, const magic *m)
{
    if (size < m->size) return 0;
    for (size_t i = 0; i < m->size; i++)
        if (m->text[i] != '?' && data[i] != (uint8_t)m->text[i]) return 0;
    return 1;
}

int hr__content_is_known(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (has_magic(data, size, &magics[i])) return 1;
    return 0;
}
