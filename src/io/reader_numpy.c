/* readers.Numpy: array files, whole or a region of each. A whole plain array stays where the file
 * was read to; of a region only the slowest axis's part of the file is read. */
#include <limits.h>
#include <string.h>

#include "core/place.h"
#include "io/file_table.h"
#include "io/npy_region.h"
#include "io/reader.h"

typedef struct numpy_args {
    hr_reader_common common;
    const char *file_root, *file_list, *file_filter;
    hr_strs files;
    hr_ints roi_start, roi_end, roi_shape, roi_axes;
    hr_floats rel_roi_start, rel_roi_end, rel_roi_shape;
    int out_of_bounds_policy, recursive;
    float fill_value;
    int cache_header_information, register_buffers, use_o_direct; /* hints */
} numpy_args;

#define ROI_COUNT "one value, or one for each of `roi_axes`"

static const hr_arg_desc numpy_arg_desc[] = {
    HR_ARG(numpy_args, file_root, STR,
           .doc = "Folder of the files: those in it, then those of its folders, by the bytes of "
                  "their names; deeper ones with `recursive`. With `files` or `file_list`: the "
                  "folder of relative names."),
    HR_ARG(numpy_args, file_list, STR,
           .doc = "Text file with a file name a line, relative to `file_root`, else to the list's "
                  "own folder."),
    HR_ARG(numpy_args, files, STRS, .doc = "Names of the files."),
    HR_ARG(numpy_args, file_filter, STR, .initial = "*.npy",
           .doc = "Shell pattern of the names to take from `file_root`; capitals count."),
    HR_ARG(numpy_args, recursive, BOOL, .initial = "False",
           .doc = "Enter all folders below `file_root`: a folder's files, then each folder in it."),
    HR_ARG(numpy_args, roi_start, INTS,
           .doc = "Where the region begins, in elements: " ROI_COUNT ". Not given: 0."),
    HR_ARG(numpy_args, rel_roi_start, FLOATS, .doc = "The same as a share of the extent."),
    HR_ARG(numpy_args, roi_end, INTS,
           .doc = "Where the region ends (not in it), in elements. Of `roi_end`, `rel_roi_end`, "
                  "`roi_shape`, `rel_roi_shape` at most one is given; without, the region ends "
                  "with the array."),
    HR_ARG(numpy_args, rel_roi_end, FLOATS, .doc = "The same as a share of the extent."),
    HR_ARG(numpy_args, roi_shape, INTS, .doc = "Extents of the region, in elements."),
    HR_ARG(numpy_args, rel_roi_shape, FLOATS, .doc = "The same as a share of the array's."),
    HR_ARG(numpy_args, roi_axes, INTS, .initial = "[]",
           .doc = "The axes that the region is given for, negative ones counted from the back; "
                  "empty: all."),
    HR_ARG(numpy_args, out_of_bounds_policy, CHOICE, .initial = "error",
           .choices = "error|pad|trim_to_shape",
           .doc = "What a region over the array's edge means: an error, filling up with "
                  "`fill_value`, or a smaller region."),
    HR_ARG(numpy_args, fill_value, FLOAT, .initial = "0.0",
           .doc = "What \"pad\" fills with, rounded and clamped to the array's type."),
    HR_ARG(numpy_args, cache_header_information, BOOL, .initial = "False", .flags = HR_HINT,
           .doc = "Without effect: headers are read with the elements."),
    HR_ARG(numpy_args, register_buffers, BOOL, .initial = "True", .flags = HR_HINT,
           .doc = "For GPUs only."),
    HR_ARG(numpy_args, use_o_direct, BOOL, .initial = "False", .flags = HR_HINT,
           .doc = "Without effect: files are read through the page cache."),
    HR_READER_COMMON_ARGS(numpy_args),
};

typedef struct numpy_self {
    hr__file_table table;
    hr__npy_roi roi;
    float fill_value;
} numpy_self;

/* ---- reading a region -------------------------------------------------------------------- */

/* The file's elements in its own order: axes reversed for Fortran's, so that the first is always
 * the slowest. */
typedef struct stored {
    int ndim;
    int64_t shape[HR_MAX_NDIM], start[HR_MAX_NDIM], size[HR_MAX_NDIM];
    size_t element;
    int64_t row;   /* bytes of one step of the first axis */
    int64_t first; /* of the first axis: what is read */
    int64_t n;
} stored;

static void plan_stored(stored *p, const hr__npy *npy, const hr__npy_region *r)
{
    *p = (stored){.ndim = npy->ndim, .element = hr_dtype_size(npy->dtype)};
    for (int k = 0; k < p->ndim; k++) {
        int from = npy->is_fortran ? p->ndim - 1 - k : k;
        p->shape[k] = npy->shape[from];
        p->start[k] = r->start[from];
        p->size[k] = r->size[from];
    }
    p->row = (int64_t)p->element;
    for (int k = 1; k < p->ndim; k++) p->row *= p->shape[k];
    p->n = 1;
    if (p->ndim == 0) return;
    int64_t end = p->start[0] + p->size[0], extent = p->shape[0];
    p->first = p->start[0] < 0 ? 0 : p->start[0] > extent ? extent : p->start[0];
    p->n = (end < 0 ? 0 : end > extent ? extent : end) - p->first;
    if (p->n < 0) p->n = 0;
    p->shape[0] = p->n;
    p->start[0] -= p->first;
}

/* The region out of what was read, in the file's order of axes. */
static void cut(const numpy_self *s, const hr__npy *npy, const stored *p, void *dst,
                const void *src)
{
    double fill[1];
    hr_dtype_convert(npy->dtype, fill, HR_F32, &s->fill_value, 1);
    hr__placement place = {.ndim = p->ndim, .src_shape = p->shape, .start = p->start,
                           .dst_shape = p->size, .src_size = p->element, .dst_size = p->element,
                           .fill = fill, .n_fill = 1};
    hr__place(&place, dst, src);
}

static hr_status finish_region(const numpy_self *s, const hr__npy *npy, const stored *p,
                               void *bytes, hr_tensor *out, hr_error *err)
{
    if (!npy->is_fortran) {
        cut(s, npy, p, out->data, bytes);
        return HR_OK;
    }
    size_t size = hr_tensor_nbytes(out);
    void *turned = hr_alloc(1, size);
    if (!turned) return hr_fail(err, HR_NOMEM, "no memory for %zu bytes", size);
    cut(s, npy, p, turned, bytes);
    hr__npy whole = *npy;
    memcpy(whole.shape, out->shape, sizeof whole.shape);
    whole.size = size;
    whole.is_swapped = 0;
    hr__npy_read(out->data, &whole, turned);
    hr_free(turned);
    return HR_OK;
}

/* The part of the file that the region needs, its elements in native order. */
static hr_status read_part(const hr__range_file *f, const hr__npy *npy, const stored *p,
                           void *bytes, hr_error *err)
{
    size_t n = (size_t)(p->n * p->row);
    HR_TRY(hr__range_read(f, (int64_t)npy->offset + p->first * p->row, bytes, n, err));
    if (!npy->is_swapped && npy->dtype != HR_BOOL) return HR_OK;
    hr__npy line = {.dtype = npy->dtype, .ndim = 1, .is_swapped = npy->is_swapped, .size = n};
    line.shape[0] = (int64_t)(n / p->element);
    void *copy = hr_alloc(1, n);
    if (!copy) return hr_fail(err, HR_NOMEM, "no memory for %zu bytes", n);
    hr__npy_read(copy, &line, bytes);
    memcpy(bytes, copy, n);
    hr_free(copy);
    return HR_OK;
}

static hr_status read_region(const numpy_self *s, const hr__range_file *f, const hr__npy *npy,
                             hr_item *item, hr_error *err)
{
    hr__npy_region r;
    stored p;
    item->reason = HR_SKIP_NONE;
    HR_TRY(hr__npy_roi_find(&s->roi, npy, &r, err));
    plan_stored(&p, npy, &r);
    HR_TRY(hr_tensor_create(&item->out[0], npy->dtype, npy->ndim, r.size, err));
    size_t n = (size_t)(p.n * p.row);
    void *bytes = hr_alloc(1, n);
    if (!bytes) return hr_fail(err, HR_NOMEM, "no memory for %zu bytes", n);
    item->reason = HR_SKIP_UNREADABLE;
    hr_status status = read_part(f, npy, &p, bytes, err);
    if (status == HR_OK) status = finish_region(s, npy, &p, bytes, &item->out[0], err);
    hr_free(bytes);
    return status;
}

static hr_status read_header(const hr__range_file *f, hr__npy *npy, hr_error *err)
{
    uint8_t start[HR__NPY_PREFIX], *header;
    size_t n = f->size < HR__NPY_PREFIX ? (size_t)f->size : HR__NPY_PREFIX, size = 0;
    HR_TRY(hr__range_read(f, 0, start, n, err));
    HR_TRY(hr__npy_header_size(start, n, &size, err));
    if (size > (uint64_t)f->size) size = (size_t)f->size;
    header = hr_alloc(1, size);
    if (!header) return hr_fail(err, HR_NOMEM, "no memory for %zu bytes", size);
    hr_status status = hr__range_read(f, 0, header, size, err);
    if (status == HR_OK) status = hr__npy_header(header, size, npy, err);
    if (status == HR_OK) status = hr__npy_check_size(npy, (size_t)f->size, err);
    hr_free(header);
    return status;
}

static hr_status fetch_region(const numpy_self *s, const char *path, hr_item *item,
                              hr_error *err)
{
    hr__range_file f;
    hr__npy npy;
    HR_TRY(hr__range_open(&f, path, &item->reason, err));
    item->reason = f.size ? HR_SKIP_DAMAGED : HR_SKIP_EMPTY;
    hr_status status = f.size ? read_header(&f, &npy, err) : hr_fail(err, HR_DATA, "empty");
    if (status == HR_OK) status = read_region(s, &f, &npy, item, err);
    hr__range_close(&f);
    return status;
}

/* ---- whole files ------------------------------------------------------------------------- */

static hr_status take_elements(hr_buf *buf, const hr__npy *npy, hr_tensor *out, hr_error *err)
{
    char *at = (char *)buf->data + npy->offset;
    int is_packed = !npy->is_swapped && !(npy->is_fortran && npy->ndim > 1);
    /* Flags may be other bytes than 0 and 1 in the file. */
    if (!is_packed || npy->dtype == HR_BOOL || (uintptr_t)at % hr_dtype_size(npy->dtype)) {
        HR_TRY(hr_tensor_create(out, npy->dtype, npy->ndim, npy->shape, err));
        hr__npy_read(out->data, npy, at);
        return HR_OK;
    }
    HR_TRY(hr_tensor_shape(out, npy->dtype, npy->ndim, npy->shape, err));
    out->buf = hr_buf_ref(buf, 1);
    out->data = at;
    return HR_OK;
}

static hr_status fetch_whole(const char *path, hr_item *item, hr_error *err)
{
    hr__file file;
    hr__npy npy;
    HR_TRY(hr__file_read(path, &file, &item->reason, err));
    item->reason = HR_SKIP_DAMAGED;
    hr_status status = hr__npy_header(file.buf->data, file.size, &npy, err);
    if (status == HR_OK) status = hr__npy_check_size(&npy, file.size, err);
    if (status == HR_OK) status = take_elements(file.buf, &npy, &item->out[0], err);
    hr_buf_unref(&file.buf, 1);
    return status;
}

/* ---- the reader -------------------------------------------------------------------------- */

static hr_status add_files(hr__file_table *t, const numpy_args *a, hr_error *err)
{
    const char *folder = a->file_root ? a->file_root : "";
    char *root = hr__file_root(folder, strlen(folder));
    if (!root) return hr_fail(err, HR_NOMEM, "no memory for a path");
    hr_status status = HR_OK;
    for (int64_t i = 0; i < a->files.n && status == HR_OK; i++)
        status = hr__file_table_add_path(t, root, a->files.v[i], 0, err);
    hr_free(root);
    return status;
}

static hr_status list_files(hr__file_table *t, const numpy_args *a, hr_error *err)
{
    char shown[HR__PATH_SHOWN];
    hr__name_filter filter = {{&a->file_filter, 1}, 1};
    if (a->files.n >= 0 && a->file_list)
        return hr_fail(err, HR_VALUE, "`files` and `file_list` exclude each other");
    if (a->files.n < 0 && !a->file_list && !a->file_root)
        return hr_fail(err, HR_VALUE, "`file_root`, `files` or `file_list` must be given");
    if (a->files.n == 0) return hr_fail(err, HR_VALUE, "`files` is empty");
    t->takes_no_labels = 1;
    if (a->file_list) HR_TRY(hr__file_list_read(t, a->file_list, a->file_root, err));
    else if (a->files.n > 0) HR_TRY(add_files(t, a, err));
    else HR_TRY(hr__folder_list_files(t, a->file_root, &filter, a->recursive, err));
    if (t->n > 0) return HR_OK;
    if (a->file_list)
        return hr_fail(err, HR_VALUE, "file list %s names no files",
                       hr__path_show(shown, a->file_list));
    return hr_fail(err, HR_VALUE, "no file in %s or its folders matches \"%s\"",
                   hr__path_show(shown, a->file_root), a->file_filter);
}

static hr_status numpy_open(void *self, const void *args, hr_error *err)
{
    const numpy_args *a = args;
    numpy_self *s = self;
    const hr__npy_roi_args roi = {
        a->roi_start, a->roi_end, a->roi_shape, a->roi_axes, a->rel_roi_start, a->rel_roi_end,
        a->rel_roi_shape, a->out_of_bounds_policy};
    s->fill_value = a->fill_value;
    HR_TRY(hr__npy_roi_set(&s->roi, &roi, err));
    HR_TRY(list_files(&s->table, a, err));
    int listed = a->file_list || a->files.n >= 0;
    return listed && !a->common.lazy_init && a->common.on_error == 0
               ? hr__file_table_check_exist(&s->table, err)
               : HR_OK;
}

static int64_t numpy_count(const void *self) { return ((const numpy_self *)self)->table.n; }

static hr_status numpy_fetch(const void *self, int64_t i, hr_item *item, hr_error *err)
{
    const numpy_self *s = self;
    char path[PATH_MAX], shown[HR__PATH_SHOWN];
    item->reason = HR_SKIP_UNREADABLE;
    HR_TRY(hr__file_table_path(&s->table, i, path, sizeof path, err));
    hr_error own = {0};
    hr_status status = s->roi.is_given ? fetch_region(s, path, item, &own)
                                     : fetch_whole(path, item, &own);
    if (status == HR_OVERFLOW) own.status = status = HR_DATA; /* it is the header that lies */
    if (status != HR_OK) {
        if (!strstr(own.message, hr__path_show(shown, path))) hr_error_prefix(&own, "%s", shown);
        if (err) *err = own;
        return status;
    }
    item->out[0].meta = hr_meta_create(path, NULL);
    return item->out[0].meta ? HR_OK : hr_fail(err, HR_NOMEM, "no memory for an item's name");
}

static void numpy_close(void *self) { hr__file_table_clear(&((numpy_self *)self)->table); }

static const struct hr_reader_ops numpy_ops = {
    .self_size = sizeof(numpy_self),
    .open = numpy_open,
    .count = numpy_count,
    .fetch = numpy_fetch,
    .close = numpy_close,
};

const hr_reader_desc hr_reader_numpy = {
    .name = "readers.Numpy",
    .doc = "Reads arrays from .npy files of versions 1 to 3, in either byte order and order of "
           "axes, whole or a region of each. Object, structured, complex, text and time types are "
           "refused by name; nothing is unpickled.",
    .n_out = 1,
    .outs = "array",
    .args = numpy_arg_desc,
    .n_args = sizeof numpy_arg_desc / sizeof *numpy_arg_desc,
    .args_size = sizeof(numpy_args),
    .ops = &numpy_ops,
};
