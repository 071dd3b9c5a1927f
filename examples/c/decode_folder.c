/* Decodes every picture of a folder, resizes it, and prints a line a picture: name, size as stored
 * and as resized, mean colour. Files are read ahead by the reader while pictures are decoded.
 *
 *     decode_folder FOLDER [HEIGHT WIDTH]
 *
 * Exit status: 0, 1 when a picture could not be decoded, 2 when nothing could be done. */
#include <headrace/headrace.h>

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16 };

typedef struct names {
    char **v;
    int64_t n, room;
} names;

typedef struct totals {
    int64_t pictures, failures, bytes;
} totals;

/* ---- the folder's files ------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(names *list, const char *name)
{
    if (list->n == list->room) {
        int64_t room = list->room ? 2 * list->room : 64;
        char **v = realloc(list->v, (size_t)room * sizeof *v);
        if (!v) return 0;
        list->v = v;
        list->room = room;
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy) return 0;
    list->v[list->n++] = memcpy(copy, name, size);
    return 1;
}

static void clear_names(names *list)
{
    for (int64_t i = 0; i < list->n; i++) free(list->v[i]);
    free(list->v);
}

static int is_picture_name(const char *name)
{
    static const char *const ends[] = {".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i])) return 1;
    return 0;
}

static hr_status list_folder(const char *folder, names *list, hr_error *err)
{
    DIR *dir = opendir(folder);
    if (!dir) return hr_fail_errno(err, errno, "cannot open \"%s\"", folder);
    int ok = 1;
    for (struct dirent *e; ok && (e = readdir(dir)) != NULL;)
        if (is_picture_name(e->d_name)) ok = add_name(list, e->d_name);
    closedir(dir);
    if (!ok) return hr_fail(err, HR_NOMEM, "no memory for the names in \"%s\"", folder);
    if (!list->n) return hr_fail(err, HR_VALUE, "no pictures in \"%s\"", folder);
    qsort(list->v, (size_t)list->n, sizeof *list->v, by_name);
    return HR_OK;
}

/* ---- the reader ---------------------------------------------------------------------------- */

/* A reader takes one value for each of its arguments, in the descriptor's order. */
static hr_status set_value(const hr_reader_desc *desc, hr_value *values, const char *name,
                           hr_value value)
{
    for (int i = 0; i < desc->n_args; i++)
        if (!strcmp(desc->args[i].name, name)) {
            values[i] = value;
            return HR_OK;
        }
    return HR_KEY;
}

static hr_status open_reader(const char *folder, const names *list, hr_reader **out, hr_error *err)
{
    hr_value values[64] = {{0}};
    const hr_reader_desc *desc = hr_reader_find("readers.File");
    hr_value root = {.kind = HR_VALUE_STR, .u.s = folder};
    hr_value files = {.kind = HR_VALUE_STRS, .n = list->n, .u.strs = (const char *const *)list->v};
    hr_value partial = {.kind = HR_VALUE_STR, .u.s = "partial"};
    if (!desc || desc->n_args > 64 || set_value(desc, values, "file_root", root) != HR_OK ||
        set_value(desc, values, "files", files) != HR_OK ||
        set_value(desc, values, "last_batch", partial) != HR_OK)
        return hr_fail(err, HR_BUG, "this library's readers.File is another one");
    HR_TRY(hr_reader_create(out, desc, values, err));
    return hr_reader_begin(*out, 0, BATCH, err);
}

/* ---- pictures ------------------------------------------------------------------------------ */

static hr_status call(const char *name, const hr_batch *in, const hr_named *values, int n_values,
                      const hr_call_options *options, hr_batch **out, hr_error *err)
{
    const hr_op_desc *op = hr_op_find(name);
    hr_input input = {.t = in->t, .n = in->n, .is_batch = 1};
    if (!op) return hr_fail(err, HR_UNSUPPORTED, "this library has no %s", name);
    return hr_op_call(op, &input, 1, values, n_values, options, out, err);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_picture(const hr_tensor *picture, const hr_tensor *small)
{
    const uint8_t *p = small->data;
    int64_t pixels = small->shape[0] * small->shape[1];
    double sum[3] = {0, 0, 0};
    for (int64_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++) sum[c] += p[3 * i + c];
    for (int c = 0; c < 3; c++) sum[c] /= pixels ? (double)pixels : 1;
    printf("%s  %lld x %lld -> %lld x %lld  mean %.1f %.1f %.1f\n",
           base_name(picture->meta ? picture->meta->source : "?"), (long long)picture->shape[1],
           (long long)picture->shape[0], (long long)small->shape[1], (long long)small->shape[0],
           sum[0], sum[1], sum[2]);
}

/* Broken pictures come out of the decoder marked, so that the rest of the batch is not lost. */
static hr_status take_batch(const hr_batch *files, const int64_t size[2],
                            const hr_call_options *options, totals *t, hr_error *err)
{
    hr_batch *pictures = NULL, *small = NULL;
    const hr_named blank = {"on_error", {.kind = HR_VALUE_STR, .u.s = "blank"}};
    const hr_named resize = {"size", {.kind = HR_VALUE_INTS, .n = 2, .u.ints = size}};
    hr_status status = call("decoders.image", files, &blank, 1, options, &pictures, err);
    if (status == HR_OK) status = call("resize", pictures, &resize, 1, options, &small, err);
    for (int64_t i = 0; status == HR_OK && i < files->n; i++) {
        const hr_meta *meta = pictures->t[i].meta;
        t->pictures++;
        t->bytes += hr_tensor_size(&files->t[i]);
        if (meta && meta->failure) {
            t->failures++;
            printf("%s  %s\n", base_name(meta->source), meta->failure);
        } else {
            print_picture(&pictures->t[i], &small->t[i]);
        }
    }
    hr_batch_unref(&small);
    hr_batch_unref(&pictures);
    return status;
}

static hr_status run(const char *folder, const int64_t size[2], totals *t, hr_error *err)
{
    names list = {0};
    hr_reader *reader = NULL;
    hr_call_options options = {0};
    hr_status status = list_folder(folder, &list, err);
    if (status == HR_OK) status = hr_pool_create(&options.pool, 0, err);
    if (status == HR_OK) status = open_reader(folder, &list, &reader, err);
    while (status == HR_OK) {
        hr_batch *outs[2] = {NULL, NULL}; /* content, label */
        status = hr_reader_next(reader, outs, NULL, NULL, err);
        if (status == HR_OK) status = take_batch(outs[0], size, &options, t, err);
        hr_batch_unref(&outs[0]);
        hr_batch_unref(&outs[1]);
    }
    hr_reader_destroy(&reader);
    hr_pool_destroy(&options.pool);
    clear_names(&list);
    return status == HR_STOP ? HR_OK : status;
}

int main(int argc, char **argv)
{
    int64_t size[2] = {64, 64};
    totals t = {0};
    hr_error err = {0};
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: %s FOLDER [HEIGHT WIDTH]\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++) size[i - 2] = strtoll(argv[i], NULL, 10);
    if (run(argv[1], size, &t, &err) != HR_OK) {
        fprintf(stderr, "%s: %s\n", argv[0], err.message);
        return 2;
    }
    printf("%lld pictures, %lld broken, %lld bytes, headrace %s, %s\n", (long long)t.pictures,
           (long long)t.failures, (long long)t.bytes, hr_version(),
           hr_cpu_level_name(hr_cpu_level_get()));
    hr_shutdown();
    return t.failures != 0;
}
