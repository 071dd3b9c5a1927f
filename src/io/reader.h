/* What a kind of reader gives to the engine: a numbered list of items, and how to fetch one.
 * A reader is one file, src/io/reader_<name>.c, with `const hr_reader_desc hr_reader_<name>`, and
 * one line `<name>` in src/io/readers.list; sharding, order, epochs, reading ahead and arguments
 * common to all readers come from the engine. */
#ifndef HR_IO_READER_H
#define HR_IO_READER_H

#include "core/core.h"

/* ---- arguments of all readers: the first member of each reader's argument struct ---- */

typedef struct hr_reader_common {
    int64_t shard_id, num_shards, seed, shuffle_after_epoch_seed;
    int64_t initial_fill, prefetch_queue_depth, tensor_init_bytes;
    int stick_to_shard, random_shuffle, shuffle_after_epoch, pad_last_batch;
    int last_batch, on_error; /* index of the choice; last_batch -1: not given */
    int lazy_init;
    int read_ahead, skip_cached_images, dont_use_mmap;
} hr_reader_common;

#define HR_READER_ARG(type, field, kind_, ...)                                         \
    HR__MEMBER_ARG(type, common, field, kind_, __VA_ARGS__)

#define HR_READER_COMMON_ARGS(type)                                                    \
    HR_READER_ARG(type, shard_id, INT, .initial = "0",                                 \
                  .doc = "Which shard of the items to read, from 0."),                 \
    HR_READER_ARG(type, num_shards, INT, .initial = "1",                               \
                  .doc = "Number of shards. Shard i has the items from "               \
                         "floor(items * i / num_shards) up to the next shard's first."), \
    HR_READER_ARG(type, stick_to_shard, BOOL, .initial = "False",                      \
                  .doc = "Read the same shard in each epoch; otherwise each epoch reads " \
                         "the next shard, beginning with `shard_id`."),                \
    HR_READER_ARG(type, last_batch, CHOICE, .choices = "wrap|pad|partial|drop",        \
                  .doc = "What becomes of an incomplete last batch: filled up from the " \
                         "order that follows (\"wrap\", the default), filled up with the " \
                         "last sample (\"pad\"), shorter (\"partial\"), left out "     \
                         "(\"drop\")."),                                               \
    HR_READER_ARG(type, pad_last_batch, BOOL, .initial = "False",                      \
                  .doc = "True means last_batch=\"pad\"."),                            \
    HR_READER_ARG(type, on_error, CHOICE, .initial = "raise", .choices = "raise|skip", \
                  .doc = "What to do with items that are missing, unreadable, empty or, " \
                         "with \"skip\", of unknown kind by their content: raise an error " \
                         "that names the item, or leave the item out."),               \
    HR_READER_ARG(type, random_shuffle, BOOL, .initial = "False",                      \
                  .doc = "Give the shard's items in a new random order in each epoch. The " \
                         "whole shard is permuted, whatever `initial_fill` says."),    \
    HR_READER_ARG(type, seed, INT, .initial = "-1",                                    \
                  .doc = "Seed of `random_shuffle`. -1: the library's own fixed seed."), \
    HR_READER_ARG(type, shuffle_after_epoch, BOOL, .initial = "False",                 \
                  .doc = "Permute all items anew in each epoch, equally in every shard, " \
                         "before they are divided into shards."),                      \
    HR_READER_ARG(type, shuffle_after_epoch_seed, INT,                                 \
                  .doc = "Seed of `shuffle_after_epoch`; must be equal in every shard. Not " \
                         "given: the library's own fixed seed."),                      \
    HR_READER_ARG(type, lazy_init, BOOL, .initial = "False",                           \
                  .doc = "Do not check at creation that each listed file exists."),    \
    HR_READER_ARG(type, initial_fill, INT, .initial = "1024", .flags = HR_HINT,        \
                  .min = 1, .max = 2147483647,                                         \
                  .doc = "Without effect: a shuffle permutes the whole shard."),       \
    HR_READER_ARG(type, prefetch_queue_depth, INT, .initial = "1", .flags = HR_HINT,   \
                  .min = 1, .max = 2147483647,                                         \
                  .doc = "Batches to read ahead, besides the one asked for."),         \
    HR_READER_ARG(type, tensor_init_bytes, INT, .initial = "1048576", .flags = HR_HINT, \
                  .min = 0, .max = 1e15, .doc = "Without effect: memory is taken as needed."), \
    HR_READER_ARG(type, read_ahead, BOOL, .initial = "False", .flags = HR_HINT,        \
                  .doc = "Without effect: files are always read ahead."),              \
    HR_READER_ARG(type, skip_cached_images, BOOL, .initial = "False", .flags = HR_HINT, \
                  .doc = "Without effect: decoders keep no images."),                  \
    HR_READER_ARG(type, dont_use_mmap, BOOL, .initial = "False", .flags = HR_HINT,     \
                  .doc = "Without effect: files are read, never mapped.")

/* ---- items ----------------------------------------------------------------------- */

/* Why an item can be left out by on_error="skip". */
typedef enum hr_skip_reason {
    HR_SKIP_NONE, /* the failure is not the item's: it is raised always */
    HR_SKIP_MISSING,
    HR_SKIP_UNREADABLE,
    HR_SKIP_EMPTY,
    HR_SKIP_UNKNOWN_KIND,
    HR_SKIP_DAMAGED,
    HR_N_SKIP_REASONS
} hr_skip_reason;

/* Bytes of a reader's source that several small items have in common, read at once. */
typedef struct hr__stretch {
    hr_buf *buf; /* NULL: none */
    int64_t source, start, end; /* which file, where in it */
} hr__stretch;
/* The largest: who keeps one of its items keeps all. */
enum { HR__MAX_STRETCH = 1 << 20 };

/* Does it hold these bytes? `s` may be NULL. */
static inline int hr__stretch_has(const hr__stretch *s, int64_t source, int64_t start, int64_t end)
{
    return s && s->buf && s->source == source && start >= s->start && end <= s->end;
}

typedef struct hr_item {
    hr_tensor *out; /* n_out zeroed tensors to fill; the engine releases them on failure too */
    int64_t *small; /* n_out words: memory for outputs of up to 8 bytes, which then have no buf
                       and travel in one block a batch (hr__item_put_i32) */
    const hr__stretch *stretch; /* may hold the item's bytes */
    int check_kind; /* also fail with HR_SKIP_UNKNOWN_KIND where the content tells nothing */
    hr_skip_reason reason; /* set on failure */
} hr_item;

/* Output k becomes the int32 tensor [value]. */
void hr__item_put_i32(hr_item *item, int k, int32_t value);

typedef struct hr_reader_ops {
    size_t self_size; /* bytes of the reader's own state, zeroed before open */
    /* Lists the items. What it keeps of `args` it copies. On failure close is called too. */
    hr_status (*open)(void *self, const void *args, hr_error *err);
    int64_t (*count)(const void *self);
    /* Item `i` into item->out, with meta->source in each. Re-entrant: runs on I/O threads. */
    hr_status (*fetch)(const void *self, int64_t i, hr_item *item, hr_error *err);
    /* Before a run of items is fetched: their bytes, if they lie close together. May be NULL. */
    void (*read_stretch)(const void *self, const int64_t *items, int n, hr__stretch *out);
    const char *(*class_name)(const void *self, int64_t i); /* may be NULL */
    /* After open; NULL: the descriptor's. At most HR_READER_MAX_OUTS. */
    int (*n_out)(const void *self);
    const char *(*out_name)(const void *self, int k); /* may be NULL */
    void (*close)(void *self);
} hr_reader_ops;

/* ---- file_content.c: whole files, and parts of them ------------------------------ */

enum { HR__PATH_SHOWN = 320 };
/* The path for messages: its end when it is long. Returns `text`. */
const char *hr__path_show(char text[HR__PATH_SHOWN], const char *path);

typedef struct hr__file {
    hr_buf *buf;
    size_t size; /* of the content; the buffer has at least one byte more */
} hr__file;

/* The content as it is at the end of reading. HR_IO: cannot be read; HR_DATA: no bytes, or more
 * than half of the machine's memory; HR_NOMEM. `reason` is set on failure. */
hr_status hr__file_read(const char *path, hr__file *out, hr_skip_reason *reason, hr_error *err);
/* A file of which parts are read; the path is the caller's. */
typedef struct hr__range_file {
    const char *path;
    int fd; /* -1: closed */
    int64_t size;
} hr__range_file;

/* HR_IO with `reason`, which may be NULL. */
hr_status hr__range_open(hr__range_file *f, const char *path, hr_skip_reason *reason,
                         hr_error *err);
/* Exactly `n` bytes from offset `at`. HR_IO; HR_DATA when the file ends before. Re-entrant. */
hr_status hr__range_read(const hr__range_file *f, int64_t at, void *dst, size_t n, hr_error *err);
void hr__range_close(hr__range_file *f);

/* Do the first bytes look like a picture, a sound or an array? */
int hr__content_is_known(const uint8_t *data, size_t size);

#endif
