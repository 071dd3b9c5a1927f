/* readers.Webdataset: samples from tar archives, an output for each kind of member. Archives are
 * listed once; members that lie side by side are read in one go, and small samples as well. */
#include <string.h>

#include "io/reader.h"
#include "io/verify.h"
#include "io/wds_table.h"

enum { VERIFY_NOTHING = -1, VERIFY_DECODE };
/* Members are read together when no more than this lies between them: headers, mostly. */
enum { MAX_GAP = 4096 };

typedef struct webdataset_args {
    hr_reader_common common;
    hr_strs paths, ext, index_paths;
    hr_ints dtypes;
    int missing, case_sensitive_extensions, verify;
} webdataset_args;

static const hr_arg_desc webdataset_arg_desc[] = {
    HR_ARG(webdataset_args, paths, STRS, .flags = HR_REQUIRED, .doc = "The tar archives."),
    HR_ARG(webdataset_args, ext, STRS, .flags = HR_REQUIRED,
           .doc = "What each output holds: the member whose name after its first dot is this "
                  "(\"jpg\"), or one of several (\"jpg;png\"; the first one in the archive)."),
    HR_ARG(webdataset_args, index_paths, STRS,
           .doc = "An index for each archive, as `headrace index` and the peer's wds2idx write "
                  "it. Not given: the archives are walked."),
    HR_ARG(webdataset_args, dtypes, INTS,
           .doc = "Type of each output's elements; not given: uint8, the bytes."),
    { .name = "missing_component_behavior", .kind = HR_ARG_CHOICE,
      .offset = offsetof(webdataset_args, missing), .initial = "empty",
      .choices = "empty|skip|error",
      .doc = "What becomes of a sample that lacks an output's member: a tensor without elements, "
             "the sample is left out, or an error when the reader is made." },
    HR_ARG(webdataset_args, case_sensitive_extensions, BOOL, .initial = "True",
           .doc = "Tell capitals from small letters in `ext`."),
    HR_ARG(webdataset_args, verify, CHOICE, .choices = "decode",
           .doc = "\"decode\": pictures are decoded for a trial, so that `on_error` holds for "
                  "damaged pixels as well."),
    HR_READER_COMMON_ARGS(webdataset_args),
};

typedef struct webdataset_self {
    hr__wds_table table;
    int verify;
} webdataset_self;

/* ---- arguments --------------------------------------------------------------------------- */

static hr_status set_output(hr__wds_output *o, const char *text, int64_t dtype, hr_error *err)
{
    size_t n = strlen(text), used = 0;
    o->names = hr_alloc_zero(1, n + 2);
    if (!o->names) return hr_fail(err, HR_NOMEM, "no memory for the reader's arguments");
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, ";");
        memcpy(o->names + used, p, len);
        if (len) used += len + 1; /* the room is zeroed */
        p += len + (p[len] == ';');
    }
    if (!used) return hr_fail(err, HR_VALUE, "`ext` has \"%s\", which names no extension", text);
    o->dtype = (hr_dtype)dtype;
    if (dtype >= 0 && dtype <= 63 && (HR_DTYPES_NUMBER | HR_DTYPES(HR_BOOL)) >> dtype & 1)
        return HR_OK;
    return hr_fail(err, HR_VALUE, "`dtypes` has %lld, which is no element type of a member",
                   (long long)dtype);
}

static hr_status set_outputs(hr__wds_table *t, const webdataset_args *a, hr_error *err)
{
    if (a->ext.n < 1 || a->ext.n > HR_READER_MAX_OUTS)
        return hr_fail(err, HR_VALUE, "`ext` has %lld entries, it needs 1 to %d",
                       (long long)a->ext.n, HR_READER_MAX_OUTS);
    if (a->dtypes.n >= 0 && a->dtypes.n != a->ext.n)
        return hr_fail(err, HR_VALUE, "`dtypes` has %lld entries for %lld in `ext`",
                       (long long)a->dtypes.n, (long long)a->ext.n);
    for (int64_t k = 0; k < a->ext.n; k++) {
        t->n_out++;
        HR_TRY(set_output(&t->outputs[k], a->ext.v[k], a->dtypes.n > 0 ? a->dtypes.v[k] : HR_U8,
                          err));
    }
    return HR_OK;
}

static hr_status set_shards(hr__wds_table *t, const webdataset_args *a, hr_error *err)
{
    if (a->paths.n < 1 || a->paths.n > INT32_MAX)
        return hr_fail(err, HR_VALUE, "`paths` is empty");
    if (a->index_paths.n > 0 && a->index_paths.n != a->paths.n)
        return hr_fail(err, HR_VALUE, "`index_paths` has %lld entries for %lld `paths`",
                       (long long)a->index_paths.n, (long long)a->paths.n);
    t->shards = hr_alloc((size_t)a->paths.n, sizeof *t->shards);
    t->paths = hr_alloc((size_t)a->paths.n, sizeof *t->paths);
    if (!t->shards || !t->paths) return hr_fail(err, HR_NOMEM, "no memory for the reader's arguments");
    for (int64_t i = 0; i < a->paths.n; i++) {
        HR_TRY(hr__file_table_text(&t->text, a->paths.v[i], strlen(a->paths.v[i]), &t->paths[i],
                                   err));
        t->shards[i] = (hr__range_file){.fd = -1};
        t->n_shards++;
    }
    return HR_OK;
}

static hr_status webdataset_open(void *self, const void *args, hr_error *err)
{
    const webdataset_args *a = args;
    webdataset_self *s = self;
    hr__wds_table *t = &s->table;
    uint32_t none;
    s->verify = a->verify;
    HR_TRY(hr__file_table_text(&t->text, "", 0, &none, err)); /* place 0 */
    t->missing = a->missing;
    t->ignores_case = !a->case_sensitive_extensions;
    t->skips = a->common.on_error == 1;
    HR_TRY(set_outputs(t, a, err));
    HR_TRY(set_shards(t, a, err));
    return hr__wds_table_fill(t, &a->index_paths, err);
}

static void webdataset_close(void *self)
{
    hr__wds_table_clear(&((webdataset_self *)self)->table);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* What one sample's members are read with. */
typedef struct reading {
    const hr__wds_table *table;
    const hr__range_file *shard;
    const hr__wds_member *members;
    hr_buf *together;   /* NULL: each for itself */
    int64_t base;       /* where `together` begins */
    int verify;
} reading;

static hr_status fail_member(const reading *r, const hr__wds_member *p, const char *what,
                             hr_error *err)
{
    char shown[HR__PATH_SHOWN], name[HR__PATH_SHOWN];
    return hr_fail(err, HR_DATA, "%s: member %s %s", hr__path_show(shown, r->shard->path),
                   hr__path_show(name, hr__wds_text(r->table, p->name)), what);
}

static hr_status check_part(const reading *r, int k, hr_error *err)
{
    const hr__wds_member *p = &r->members[k];
    size_t size = hr_dtype_size(r->table->outputs[k].dtype);
    if (p->flags & HR__WDS_SPARSE)
        return fail_member(r, p, "is stored as a sparse file, which is not supported", err);
    if (p->flags & HR__WDS_CUT || p->size > r->shard->size - p->offset)
        return fail_member(r, p, "is cut off: the archive ends inside it", err);
    if (p->size % (int64_t)size == 0) return HR_OK;
    char shown[HR__PATH_SHOWN], name[HR__PATH_SHOWN];
    return hr_fail(err, HR_DATA, "%s: member %s has %lld bytes, which is no multiple of %s's %zu",
                   hr__path_show(shown, r->shard->path),
                   hr__path_show(name, hr__wds_text(r->table, p->name)), (long long)p->size,
                   hr_dtype_get_info(r->table->outputs[k].dtype)->numpy_name, size);
}

/* Bytes from the first to the last of several parts. */
typedef struct extent {
    int64_t start, end, sum; /* sum: of the parts alone */
    int n;
} extent;

static void extend(extent *e, const hr__wds_member *members, int n)
{
    for (int k = 0; k < n; k++) {
        const hr__wds_member *p = &members[k];
        if (p->size < 0) continue;
        if (e->n == 0 || p->offset < e->start) e->start = p->offset;
        if (e->n == 0 || p->offset + p->size > e->end) e->end = p->offset + p->size;
        e->sum += p->size;
        e->n++;
    }
}

/* Are they close enough to be read in one go? */
static int is_dense(const extent *e)
{
    return e->n > 1 && e->end - e->start <= e->sum + (int64_t)MAX_GAP * e->n;
}

/* The sample's bytes at once: out of the stretch that was read, else from the archive. */
static hr_status read_together(reading *r, const hr__stretch *stretch, int32_t shard,
                               hr_error *err)
{
    extent e = {0};
    extend(&e, r->members, r->table->n_out);
    r->base = e.start;
    if (e.n > 0 && hr__stretch_has(stretch, shard, e.start, e.end)) {
        r->together = hr_buf_ref(stretch->buf, 1);
        r->base = stretch->start;
        return HR_OK;
    }
    if (!is_dense(&e)) return HR_OK;
    r->together = hr_buf_create((size_t)(e.end - e.start));
    if (!r->together) return hr_fail(err, HR_NOMEM, "no memory for a sample");
    return hr__range_read(r->shard, e.start, r->together->data, r->together->size, err);
}

static hr_status read_part(const reading *r, int k, hr_tensor *out, hr_error *err)
{
    const hr__wds_member *p = &r->members[k];
    hr_dtype dtype = r->table->outputs[k].dtype;
    int64_t n = p->size > 0 ? p->size / (int64_t)hr_dtype_size(dtype) : 0;
    HR_TRY(hr_tensor_shape(out, dtype, 1, &n, err));
    if (n > 0 && r->together && (p->offset - r->base) % 8 == 0) {
        out->buf = hr_buf_ref(r->together, 1);
        out->data = (char *)r->together->data + (p->offset - r->base);
        return HR_OK;
    }
    out->buf = hr_buf_create(n > 0 ? (size_t)p->size : 1);
    if (!out->buf) return hr_fail(err, HR_NOMEM, "no memory for %lld bytes", (long long)p->size);
    out->data = out->buf->data;
    return n > 0 ? hr__range_read(r->shard, p->offset, out->data, (size_t)p->size, err) : HR_OK;
}

static hr_status name_part(const reading *r, int k, const hr__wds_row *from, hr_tensor *out,
                           hr_error *err)
{
    const char *path = r->shard->path;
    const hr__wds_member *p = &r->members[k];
    const char *name = hr__wds_text(r->table, p->size >= 0 ? p->name : from->text);
    size_t n = strlen(path), m = strlen(name);
    char few[512], *many = n + m + 3 > sizeof few ? hr_alloc(1, n + m + 3) : NULL;
    char *text = n + m + 3 > sizeof few ? many : few;
    if (text) {
        memcpy(text, path, n);
        memcpy(text + n, ": ", 2);
        memcpy(text + n + 2, name, m + 1);
        out->meta = hr_meta_create(text, NULL);
    }
    hr_free(many);
    return out->meta ? HR_OK : hr_fail(err, HR_NOMEM, "no memory for an item's name");
}

static hr_status verify_part(const reading *r, int k, const hr_tensor *t, hr_error *err)
{
    const hr__wds_member *p = &r->members[k];
    hr_error why = {0};
    if (r->verify != VERIFY_DECODE || p->size < 0) return HR_OK;
    const char *name = hr__wds_text(r->table, p->name);
    hr_status status = hr__picture_verify(t->data, (size_t)p->size, name, &why);
    if (status == HR_OK) return HR_OK;
    return status == HR_NOMEM ? hr_fail(err, status, "%s", why.message)
                              : fail_member(r, p, why.message, err);
}

static hr_status read_parts(reading *r, const hr__wds_row *from, hr_item *item, hr_error *err)
{
    int n = r->table->n_out;
    for (int k = 0; k < n; k++)
        if (r->members[k].size >= 0) HR_TRY(check_part(r, k, err));
    HR_TRY(read_together(r, item->stretch, from->shard, err));
    for (int k = 0; k < n; k++) {
        HR_TRY(read_part(r, k, &item->out[k], err));
        HR_TRY(verify_part(r, k, &item->out[k], err));
        HR_TRY(name_part(r, k, from, &item->out[k], err));
    }
    return HR_OK;
}

static int64_t webdataset_count(const void *self)
{
    return (int64_t)((const webdataset_self *)self)->table.n;
}

static hr_status webdataset_fetch(const void *self, int64_t i, hr_item *item, hr_error *err)
{
    const webdataset_self *s = self;
    const hr__wds_table *t = &s->table;
    const hr__wds_row *from = &t->rows[i];
    hr__range_file own = {.fd = -1};
    reading r = {.table = t, .shard = &t->shards[from->shard], .members = &t->members[i * t->n_out],
                 .verify = s->verify};
    if (from->reason != HR_SKIP_NONE) {
        item->reason = (hr_skip_reason)from->reason;
        return hr_fail(err, HR_DATA, "%s", hr__wds_text(t, from->text));
    }
    if (r.shard->fd < 0) {
        HR_TRY(hr__range_open(&own, hr__wds_text(t, t->paths[from->shard]), &item->reason, err));
        r.shard = &own;
    }
    item->reason = HR_SKIP_DAMAGED;
    hr_status status = read_parts(&r, from, item, err);
    hr_buf_unref(&r.together, 1);
    hr__range_close(&own);
    return status;
}

/* What goes wrong here goes wrong again, and is told, when the item itself is read. */
static void webdataset_read_stretch(const void *self, const int64_t *items, int n,
                                    hr__stretch *out)
{
    const hr__wds_table *t = &((const webdataset_self *)self)->table;
    int32_t shard = t->rows[items[0]].shard;
    const hr__range_file *f = &t->shards[shard];
    extent e = {0};
    for (int i = 0; i < n; i++) {
        const hr__wds_member *members = &t->members[items[i] * t->n_out];
        const hr__wds_row *from = &t->rows[items[i]];
        if (from->reason != HR_SKIP_NONE || from->shard != shard) return;
        for (int k = 0; k < t->n_out; k++)
            if (members[k].size > f->size - members[k].offset) return;
        extend(&e, members, t->n_out);
    }
    if (f->fd < 0 || !is_dense(&e) || e.end - e.start > HR__MAX_STRETCH) return;
    hr_buf *buf = hr_buf_create((size_t)(e.end - e.start));
    if (buf && hr__range_read(f, e.start, buf->data, buf->size, NULL) == HR_OK)
        *out = (hr__stretch){buf, shard, e.start, e.end};
    else
        hr_buf_unref(&buf, 1);
}

static int webdataset_n_out(const void *self)
{
    return ((const webdataset_self *)self)->table.n_out;
}

static const struct hr_reader_ops webdataset_ops = {
    .self_size = sizeof(webdataset_self),
    .open = webdataset_open,
    .count = webdataset_count,
    .fetch = webdataset_fetch,
    .read_stretch = webdataset_read_stretch,
    .n_out = webdataset_n_out,
    .close = webdataset_close,
};

const hr_reader_desc hr_reader_webdataset = {
    .name = "readers.Webdataset",
    .doc = "Reads samples from tar archives. Members whose names agree up to the first dot after "
           "the last slash make a sample (\"./\" before a name does not count), wherever in the "
           "archive they lie; what follows that dot is the extension. Names without a dot, or "
           "that begin with one, belong to no sample. USTAR, GNU and PAX archives; compressed "
           "ones are refused.",
    .n_out = 0,
    .outs = "the bytes of one member for each entry of `ext`",
    .args = webdataset_arg_desc,
    .n_args = sizeof webdataset_arg_desc / sizeof *webdataset_arg_desc,
    .args_size = sizeof(webdataset_args),
    .ops = &webdataset_ops,
};
