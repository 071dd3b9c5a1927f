/* The engine's parts: orders (which item comes at which place), reading ahead, and the reader over
 * both. */
#ifndef HR_IO_READER_ENGINE_H
#define HR_IO_READER_ENGINE_H

#include "io/reader.h"
#include "io/shuffle.h"

/* ---- reader_order.c -------------------------------------------------------------- */

typedef struct hr__place {
    int64_t order, offset;
} hr__place;

typedef enum hr__shuffle_mode {
    HR__IN_SEQUENCE,
    HR__SHUFFLE_SHARD, /* the shard's items among themselves */
    HR__SHUFFLE_ALL,   /* all items, before they are divided; then the shard stays */
} hr__shuffle_mode;

typedef struct hr__orders {
    int64_t n, shard_id, num_shards; /* 1 <= num_shards <= n */
    int stick;
    hr__shuffle_mode mode;
    uint64_t seed;
    hr__shuffle shuffle;   /* that of `shuffled`, kept for the places that follow */
    int64_t shuffled;      /* -1: none */
} hr__orders;

/* Items of an order, and of the largest shard. */
int64_t hr__orders_size(const hr__orders *o, int64_t order);
int64_t hr__orders_largest(const hr__orders *o);
int64_t hr__orders_item(hr__orders *o, hr__place at);
/* The place after `at`. */
hr__place hr__orders_next(const hr__orders *o, hr__place at);
/* Batches of an epoch. */
int64_t hr__orders_batches(const hr__orders *o, hr_last_batch last, int64_t epoch,
                           int64_t batch_size);

/* ---- reader_ahead.c -------------------------------------------------------------- */

/* Items read ahead, from one place on. */
typedef struct hr__ahead hr__ahead;

typedef struct hr__ahead_source {
    const hr_reader_desc *desc;
    const void *self; /* the reader's own state */
    int check_kind;
    int64_t batches; /* to read ahead, besides the one asked for */
} hr__ahead_source;

/* Keeps a copy of `orders`. */
hr_status hr__ahead_create(hr__ahead **out, const hr__ahead_source *source,
                           const hr__orders *orders, hr_error *err);
void hr__ahead_destroy(hr__ahead **ahead);
/* Go on at `at`; what was read is kept where it belongs there. */
hr_status hr__ahead_seek(hr__ahead *a, hr__place at, int64_t batch_size, hr_error *err);
/* Back to `at` after a failure: what was read ahead is read anew, with the next take. */
void hr__ahead_rewind(hr__ahead *a, hr__place at);
/* No threads and nothing read ahead until the next take. */
void hr__ahead_rest(hr__ahead *a);
/* The place of the item that comes next. */
hr__place hr__ahead_place(const hr__ahead *a);
/* Another seed from the next seek on. */
void hr__ahead_reseed(hr__ahead *a, uint64_t seed);

typedef struct hr__taken {
    hr_tensor *out; /* the caller's: n_out zeroed tensors that are filled; without buf, the data
                       lies in small[k] */
    int64_t *small; /* the caller's: n_out words */
    int64_t more;   /* the caller's: how many it takes after this one, for sure */
    int64_t item;
    hr_skip_reason reason; /* of a failure */
} hr__taken;

typedef struct hr__poll {
    hr_poll_fn fn;
    void *arg;
} hr__poll;

/* Waits for the next item and moves it out. A failure is the item's own, and the place moves on,
 * except for HR_CANCELLED. */
hr_status hr__ahead_take(hr__ahead *a, hr__taken *out, hr__poll poll, hr_error *err);
/* Reads the item at `at` on the calling thread, besides what is read ahead. */
hr_status hr__ahead_fetch(hr__ahead *a, hr__place at, hr__taken *out, hr_error *err);

/* ---- reader.c, reader_batch.c ---------------------------------------------------- */

enum { HR__REPORT_SIZE = 256 }; /* 5 reasons of at most 35 bytes */
/* Reasons in words; "" for none. */
extern const char *const hr__skip_words[HR_N_SKIP_REASONS];

struct hr_reader {
    hr_reader_desc own; /* the kind's, with the outputs of this reader */
    const hr_reader_desc *desc; /* &own */
    void *self;
    hr__ahead *ahead;
    hr__orders orders; /* for sizes; items are asked of `ahead` */
    hr_last_batch last;
    int skips;
    uint64_t seed;

    int is_begun;
    int64_t batch_size;
    int64_t epoch, step, total; /* the epoch, its batches given out, and those it makes */
    hr__place at;               /* of the next batch's first item */
    int64_t fill;
    int64_t skipped[HR_N_SKIP_REASONS];
    int has_sample; /* pad: `sample` is the epoch's last good one */
    hr_tensor *sample;     /* n_out */
    int64_t *sample_small; /* n_out */
    char report[HR__REPORT_SIZE];
};

/* Forgets the sample that is kept for padding. */
void hr__reader_forget_sample(hr_reader *r);

#endif
