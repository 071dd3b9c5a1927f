/* io.file.read: paths, as bytes, to the files' content. The size is asked for first and must still
 * hold when the file is read. */
#include "io/packed.h"
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct read_args {
    int dont_use_mmap, use_o_direct;
} read_args;

static const hr_arg_desc read_desc[] = {
    HR_ARG(read_args, dont_use_mmap, BOOL, .initial = "False", .flags = HR_HINT,
           .doc = "Without effect: files are read, never mapped."),
    HR_ARG(read_args, use_o_direct, BOOL, .initial = "False", .flags = HR_HINT,
           .doc = "Without effect: reading goes by way of the page cache."),
};

/* The path of the sample: without "file://" in front and without zeros behind, with which paths of
 * unequal length are filled up. */
static hr_status take_path(const hr_sample *s, const char **out, hr_error *err)
{
    const uint8_t *bytes;
    size_t n;
    HR_TRY(hr__packed_bytes(s->in[0], s->arena, &bytes, &n, err));
    while (n && bytes[n - 1] == '\0') n--;
    if (n == 0) return hr_fail(err, HR_VALUE, "the path is empty");
    const uint8_t *zero = memchr(bytes, '\0', n);
    if (zero)
        return hr_fail(err, HR_VALUE, "the path has a zero byte at place %zu of %zu",
                       (size_t)(zero - bytes), n);
    if (n > 7 && memcmp(bytes, "file://", 7) == 0) {
        bytes += 7;
        n -= 7;
    }
    char *path = hr_arena_take(s->arena, n + 1);
    if (!path) return hr_fail(err, HR_NOMEM, "no memory for a path of %zu bytes", n);
    memcpy(path, bytes, n);
    path[n] = '\0';
    *out = path;
    return HR_OK;
}

static hr_status check_file(const struct stat *st, const char *path, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    if (S_ISDIR(st->st_mode))
        return hr_fail_errno(err, EISDIR, "cannot read %s", hr__path_show(shown, path));
    if (S_ISREG(st->st_mode)) return HR_OK;
    return hr_fail(err, HR_IO, "cannot read %s: it is no regular file",
                   hr__path_show(shown, path));
}

static hr_status read_infer(const hr_sample *s, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    const char *path;
    struct stat st;
    HR_TRY(take_path(s, &path, err));
    if (stat(path, &st) != 0)
        return hr_fail_errno(err, errno, "cannot open %s", hr__path_show(shown, path));
    HR_TRY(check_file(&st, path, err));
    int64_t size = st.st_size;
    return hr_tensor_shape(&s->out[0], HR_U8, 1, &size, err);
}

static hr_status read_bytes(int fd, const char *path, char *dst, size_t size, hr_error *err)
{
    char shown[HR__PATH_SHOWN], more;
    size_t used = 0;
    for (;;) { /* one byte more is asked for at the end, which must not be there */
        int is_full = used == size;
        ssize_t got = read(fd, is_full ? &more : dst + used, is_full ? 1 : size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return hr_fail_errno(err, errno, "cannot read %s", hr__path_show(shown, path));
        if (is_full ? got > 0 : got == 0)
            return hr_fail(err, HR_IO, "%s changed while it was read: it had %zu bytes",
                           hr__path_show(shown, path), size);
        if (is_full) return HR_OK;
        used += (size_t)got;
    }
}

static hr_status read_open(int fd, const char *path, hr_tensor *out, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    struct stat st;
    if (fstat(fd, &st) != 0)
        return hr_fail_errno(err, errno, "cannot read %s", hr__path_show(shown, path));
    HR_TRY(check_file(&st, path, err));
    return read_bytes(fd, path, out->data, hr_tensor_nbytes(out), err);
}

static hr_status read_run(const hr_sample *s, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    const char *path;
    int fd;
    HR_TRY(take_path(s, &path, err));
    do /* NONBLOCK: a pipe without a writer must not hold us up */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return hr_fail_errno(err, errno, "cannot open %s", hr__path_show(shown, path));
    hr_status status = read_open(fd, path, &s->out[0], err);
    close(fd);
    HR_TRY(status);
    hr_meta *meta = hr_meta_create(path, NULL);
    if (!meta) return hr_fail(err, HR_NOMEM, "no memory for a path");
    s->out[0].meta = meta; /* the framework releases the one that was there */
    return HR_OK;
}

static const hr_in_desc read_ins[] = {
    {.name = "filepaths", .flags = HR_IN_ENCODED, .dtypes = HR_DTYPES(HR_U8) | HR_DTYPES(HR_I8),
     .min_ndim = 1, .max_ndim = 1,
     .doc = "The bytes of a path, as os.fsencode gives them; \"file://\" may stand before it, "
            "zeros behind it."},
};

const hr_op_desc hr_op_io_file_read = {
    .name = "io.file.read",
    .doc = "Reads whole files, given by path. An empty file gives an empty tensor. What goes wrong "
           "is an error that names the file; it is of the kind that open() raises. Errors of later "
           "operators name the file too.",
    .flags = HR_OP_HEAVY,
    .ins = read_ins, .n_ins = 1, .n_out = 1, .outs = "the content, bytes",
    .args = read_desc, .n_args = sizeof read_desc / sizeof *read_desc,
    .args_size = sizeof(read_args), .infer = read_infer, .run = read_run,
};
