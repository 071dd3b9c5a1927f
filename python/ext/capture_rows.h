/* What a capture remembers of every call of the body, for loop.explain() and capture="strict": one row
 * a site, with how often it was captured or eager, and why. */
#ifndef HR_EXT_CAPTURE_ROWS_H
#define HR_EXT_CAPTURE_ROWS_H

#include "ext.h"
#include "frames.h"

/* Why a call ran eagerly. The words are Python's: headrace.capture.reasons.CALLS, in this order. */
typedef enum eager_code {
    EAGER_UNSEEN, /* the site was not recorded: its row says more */
    EAGER_PROOF,  /* an argument is not proven: `proof` says why */
    EAGER_INPUT,
    EAGER_STALE_INPUT,
    EAGER_OTHER_INPUT,
    EAGER_OUTSIDE_INPUT,
    EAGER_OTHER_ARGUMENTS,
    EAGER_CHANGED_CONSTANT,
    EAGER_NEW_SITE,
    EAGER_NEW_PATH,
    EAGER_REPEATED_RANDOM,
    EAGER_RNG_AHEAD,
    EAGER_SINGLE_SAMPLE,
    EAGER_ARITHMETIC,
    EAGER_MATH,
    EAGER_SLICE,
    EAGER_COMPILED_ANEW,
} eager_code;

/* One reason, as it is noted. */
typedef struct eager_why {
    eager_code code;
    int position;    /* of the argument in the call; -1: it is not about one */
    PyObject *name;  /* its keyword; NULL: positional. Borrowed */
    int culprit;     /* the row whose result the argument is; -1: unknown */
    PyObject *proof; /* PROOF: a reasons.Reason. Borrowed */
} eager_why;

typedef struct row_reason {
    eager_why why;  /* `name` and `proof` are references of its own */
    int64_t count;  /* calls; 0: it only stood beside others */
    int in_trace;   /* noted in a traced step: holds for every eager call that follows */
} row_reason;

typedef struct call_row {
    PyObject *op; /* the type of slicers for `.slice[...]` */
    frame_key *chain;
    int n_chain, depth;
    int64_t captured, eager; /* calls */
    int64_t first_step;      /* running number of the step that it was first seen in */
    int64_t ns, bytes;       /* of the pipeline: time in it, and what it made */
    row_reason *reasons;
    int n_reasons;
    int next; /* in the hash chain; -1 ends */
} call_row;

enum { ROW_BUCKETS = 256, MAX_ROWS = 2000, MAX_REASONS = 16 };

typedef struct row_table {
    call_row *at;
    int n, room;
    int is_tracing; /* sites are told apart by their whole chains */
    int64_t left_out; /* calls of sites beyond MAX_ROWS */
    int buckets[ROW_BUCKETS];
} row_table;

void rows_init(row_table *t);
void rows_clear(row_table *t);
/* A traced step begins or has ended: chains are whole, or cut to what tells them apart. */
void rows_set_tracing(row_table *t, int is_tracing);

/* The row of the call that runs, added if need be; -1 beyond MAX_ROWS; -2: an exception. */
int rows_find(row_table *t, PyObject *op, int64_t step);
/* Counts a reason; adds it if it is new. -1: an exception. */
int rows_note(row_table *t, int row, const eager_why *why, int in_trace);
/* One more call of the row for every reason that the traced step gave; 0 where it gave none. */
int rows_repeat(row_table *t, int row);
/* The row as headrace.capture._explain reads it. */
PyObject *rows_describe(const row_table *t, int row);

#endif
