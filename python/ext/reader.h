/* Readers and their loops: what the two files share. */
#ifndef HR_EXT_READER_H
#define HR_EXT_READER_H

#include "ext.h"

enum { READER_MAX_OUTS = HR_READER_MAX_OUTS };

/* How a reader is used: in one way for good. */
typedef enum reader_use { USE_NONE, USE_SAMPLES, USE_BATCHES, USE_CALLS, USE_CAPTURE } reader_use;

typedef struct reader_object {
    PyObject_HEAD
    hr_reader *reader; /* NULL until __init__ and after close() */
    PyObject *name;
    int64_t max_batch_size; /* 0: not given */
    int64_t given_batch_size; /* of the constructor; 0: not given */
    reader_use use;
    int64_t batch_size; /* in use; 0: none yet */
    uint64_t pass;      /* running number of passes: the latest loop owns the reader */
    int is_busy;        /* a thread is inside, without the GIL */
    int64_t set_epoch;  /* of set_epoch(), for the next pass; -1: none */
    /* A state that was loaded and is not applied yet, as that takes a batch size. */
    int has_position;
    hr_reader_position position;
    int is_resuming; /* the next pass is the rest of the epoch that the state was taken in */
    /* A captured loop has read ahead: the place in front of what its body did not get. */
    int has_front;
    hr_reader_position front;
    PyObject *capture; /* what the captured loops over this reader share; NULL before the first */
    PyObject *weakrefs;
} reader_object;

/* 0, or -1 with an exception: closed, or another thread is inside. */
int reader_check(reader_object *r);
/* Can the reader be used in this way, with this batch size? */
int reader_check_use(reader_object *r, reader_use use, int64_t batch_size);
/* Batches of the next pass; applies a loaded state. -1 with an exception. */
int64_t reader_upcoming(reader_object *r, int64_t batch_size);
/* Begins the next pass: that of set_epoch(), the rest of a loaded state's epoch, or the next
 * epoch. */
int reader_begin(reader_object *r, reader_use use, int64_t batch_size);
/* The next batch as a tuple of batches, or of tensors. NULL without an exception at the epoch's
 * end. */
PyObject *reader_next(reader_object *r, int as_samples);
/* The tuple as the caller gets it: a dict where the outputs have names. */
PyObject *reader_named(reader_object *r, PyObject *take_outputs);
/* The place in front of the next batch, and back to such a place. */
void reader_position(reader_object *r, hr_reader_position *out);
int reader_go_back(reader_object *r, const hr_reader_position *position);
PyObject *reader_state(reader_object *r);
int reader_set_state(reader_object *r, PyObject *state, int exact);

PyObject *loop_create(reader_object *r, int64_t batch_size, PyObject *ctx);

#endif
