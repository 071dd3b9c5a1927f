/* Readers: a list of items, a shard of it, an order for each epoch, and bytes read ahead.
 *
 * An *order* is a permutation of one shard's items. Order e is that of shard `shard_id + e`, or of
 * `shard_id` itself with stick_to_shard; it depends on (seed, e, shard) alone. The orders, one
 * after the other, are the reader's stream; an *epoch* takes batches of it:
 *   wrap     ceil(shard / batch) full batches, going on where the epoch before ended;
 *   pad      order e; filled up with its last sample to the batches of the largest shard;
 *   partial  order e; the last batch is shorter;
 *   drop     order e; an incomplete last batch is left out.
 *
 * Thread use: a reader belongs to one thread at a time; its reads run on threads of its own, which
 * start with the first read. After fork each process goes on from the same place by itself. */
#ifndef HR_READER_H
#define HR_READER_H

#include <headrace/op.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_reader hr_reader;

enum { HR_READER_MAX_OUTS = 64 };

/* A kind of reader; its arguments are described like an operator's. */
typedef struct hr_reader_desc {
    const char *name; /* "readers.File" */
    const char *doc;
    int n_out;        /* 0: by the arguments, see hr_reader_get_desc */
    const char *outs; /* "content, label" */
    const hr_arg_desc *args;
    int n_args;
    size_t args_size;
    /* Opens what `args` names; see src/io/reader.h for the rest of the interface. */
    const struct hr_reader_ops *ops;
} hr_reader_desc;

HR_API const hr_reader_desc *hr_reader_at(int i);
HR_API const hr_reader_desc *hr_reader_find(const char *name);

typedef enum hr_last_batch {
    HR_LAST_WRAP,    /* filled up from the order that follows */
    HR_LAST_PAD,     /* filled up with the last sample repeated */
    HR_LAST_PARTIAL, /* shorter */
    HR_LAST_DROP,    /* left out */
} hr_last_batch;

/* Values in the descriptor's order, as for hr_op_call_indexed. Lists files; starts no thread.
 * HR_VALUE: arguments that contradict one another, nothing to read, more shards than items;
 * HR_IO: what does not exist; HR_DATA: a list that cannot be understood; HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_reader_create(hr_reader **out, const hr_reader_desc *desc,
                                             const hr_value *values, hr_error *err);
/* Ends the reading threads. NULL is allowed. */
HR_API void hr_reader_destroy(hr_reader **reader);
/* The kind's descriptor, with the number of this reader's outputs. */
HR_API const hr_reader_desc *hr_reader_get_desc(const hr_reader *reader);
/* The name of output `k` where outputs have names (then all have one); else NULL. */
HR_API const char *hr_reader_out_name(const hr_reader *reader, int k);

typedef struct hr_reader_info {
    int64_t epoch_size;        /* items of all shards */
    int64_t epoch_size_padded; /* pad: num_shards * the largest shard; else epoch_size */
    int64_t shard_size;        /* items of the shard of the current epoch */
    int64_t shard_id, num_shards;
    hr_last_batch last_batch;
    int stick_to_shard;
    uint64_t seed;   /* in force */
    int64_t fill;    /* last samples of the latest batch that only fill it up (wrap, pad) */
    int64_t skipped; /* items left out so far by on_error="skip" */
} hr_reader_info;
HR_API void hr_reader_get_info(const hr_reader *reader, hr_reader_info *info);

/* Batches that hr_reader_next gives after hr_reader_begin with the same `epoch`. Items that
 * on_error="skip" leaves out can only lower the number (partial, drop). 0 for a batch size < 1. */
HR_API int64_t hr_reader_epoch_batches(const hr_reader *reader, int64_t epoch,
                                       int64_t batch_size);

/* Begins an epoch: `epoch` (>= 0) with the first item of its own order; or with -1 the next one.
 * An epoch left in the middle: wrap goes on from there with a new epoch, the others end it first.
 * HR_VALUE: a batch size outside 1..HR_READER_MAX_BATCH. */
enum { HR_READER_MAX_BATCH = 1 << 20 };
HR_API HR_CHECKED hr_status hr_reader_begin(hr_reader *reader, int64_t epoch,
                                            int64_t batch_size, hr_error *err);
/* The next batch of the epoch: n_out new references. HR_STOP at its end; HR_STATE when none was
 * begun. After an error or a cancel the reader stands where it stood: a second call tries again. */
HR_API HR_CHECKED hr_status hr_reader_next(hr_reader *reader, hr_batch **outs, hr_poll_fn poll,
                                           void *poll_arg, hr_error *err);

/* Ends the reading threads and lets go of what was read ahead; the place stays, and the next read
 * starts them anew. */
HR_API void hr_reader_rest(hr_reader *reader);

/* Where the reader stands: in front of the first item that was not given out, however much was
 * read ahead. All zero: the start. */
typedef struct hr_reader_position {
    int64_t epoch;         /* running number */
    int64_t step;          /* batches of it given out */
    int64_t order, offset; /* the next item: its order, and its place there */
    uint64_t seed;         /* of the orders */
} hr_reader_position;
HR_API void hr_reader_get_position(const hr_reader *reader, hr_reader_position *position);
/* Goes on with the epoch from there. HR_VALUE for a place that does not exist. */
HR_API HR_CHECKED hr_status hr_reader_set_position(hr_reader *reader,
                                                   const hr_reader_position *position,
                                                   int64_t batch_size, hr_error *err);

/* Reasons and counts of skipped items, one text line each ("empty: 3"), for reports. The text
 * lives until the next call. */
HR_API const char *hr_reader_skip_report(hr_reader *reader);
/* The name that label `i` stands for, where the source has names (folders); else NULL. */
HR_API const char *hr_reader_class_name(const hr_reader *reader, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
