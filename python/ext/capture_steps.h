/* A running captured loop: what its life (capture_loop.c), its steps, its sources and its places share. */
#ifndef HR_EXT_CAPTURE_STEPS_H
#define HR_EXT_CAPTURE_STEPS_H

#include "capture_loop.h"
#include "reader.h"
#include "source.h"

typedef enum loop_state {
    LOOP_READY, /* iter() or next() begins an epoch */
    LOOP_RUNNING,
    LOOP_ENDED,
    LOOP_CLOSED,
    LOOP_REPLACED, /* another loop over the same root began */
} loop_state;

enum { MAX_AHEAD = 64, BY_LAST_ITEM = -1, BY_NO_SOURCE = -2 };

/* The place of a root in front of a step. */
typedef union root_place {
    hr_reader_position reader;
    source_place source;
} root_place;

/* A step that was pulled and not yet given to the body; or what was pulled until an error. */
typedef struct pending {
    hr_step *step;
    PyObject *outputs; /* the root's, a tuple of batches */
    PyObject *fed;     /* the feeders', a list of tuples */
    PyObject *items;   /* raw items of the root and the feeders, to be given back; NULL: a reader */
    PyObject *error;   /* raised when the step is asked for; NULL: none */
    int raised_by;     /* ERROR only: the source that raised it, 0 the root; or an enum of these: */
    int64_t fill;      /* a reader's last samples that only fill the batch up */
    root_place place;
} pending;

typedef struct captured_loop {
    PyObject_HEAD
    capture_object *capture;
    PyObject *root;
    int is_reader;
    PyObject *ctx;
    int has_context; /* ctx is entered */
    int prefetch;
    loop_state state;
    int is_busy; /* inside next() or close(), which may run Python or let the GIL go */
    pending ahead[MAX_AHEAD + 1];
    int n_ahead;
    int is_first;     /* nothing of this epoch was pulled yet */
    int is_over;      /* the root has no more items in this epoch */
    root_place end;   /* IS_OVER: the place in front of that end */
    int had_short;    /* a batch under the loop's size came: it must be the last */
    uint64_t pass;    /* of the reader, in this epoch */
    int64_t fill;      /* of the step in the body */
    Py_ssize_t length; /* of this epoch; -1: not known */
    PyObject *feeders; /* list of sources, in the order of their first call */
    PyObject *ports;   /* their first step inputs */
    PyObject *fed;    /* of the step in the body: list of tuples; None where taken */
    PyObject *loaded; /* places of the feeders from a loaded state; NULL: none */
} captured_loop;

#define captured_loop_of(o) ((captured_loop *)(o))

/* ---- capture_steps.c --------------------------------------------------------------- */

/* The next step's outputs for the body; NULL without an exception at the end of the epoch. */
PyObject *loop_step(captured_loop *l);

/* ---- capture_pull.c ---------------------------------------------------------------- */

/* One more step ahead, submitted. 1: done; 0: the last one, or one with an error; -1: an exception. */
int loop_pull_ahead(captured_loop *l);
/* The root's next outputs for a step that is not computed ahead: nothing is kept to be given back. */
PyObject *loop_pull_unkept(captured_loop *l);
/* Outputs as a tuple of batches of the loop's size; a smaller one may be the epoch's last. */
PyObject *loop_check_outputs(captured_loop *l, PyObject *take_out);
PyObject *loop_as_tuple(PyObject *take_out);
/* 1: `take_one` is NULL, or there is no memory. */
int loop_append(PyObject *list, PyObject *take_one);
/* Where the body first read a feeder; borrowed. */
PyObject *loop_feeder_line(const captured_loop *l, Py_ssize_t which);
/* A feeder's StopIteration becomes an error that names it. */
PyObject *loop_without_stop(const captured_loop *l, int which, PyObject *take_error);
void pending_drop(pending *p);
/* The first `n` raw items of a step go back to their sources. */
void loop_give_back_items(captured_loop *l, pending *p, Py_ssize_t n);
/* What was pulled and not given out goes back to the sources, in front of what they have. Errors
 * that could not be raised are reported as unraisable. */
void loop_give_back(captured_loop *l);
/* Items of feeder `i` that were pulled for steps that the body did not get. */
int loop_fed_ahead(const captured_loop *l, Py_ssize_t i);
/* The place in front of the first step that the body did not get. */
void loop_place(const captured_loop *l, root_place *out);

/* ---- capture_place.c: of a loop over an ExternalSource ----------------------------- */

/* Steps of the epoch that begins next; -1 without an exception: not known. */
Py_ssize_t loop_source_length(const captured_loop *l);
PyObject *loop_source_state(captured_loop *l);
int loop_load_source_state(captured_loop *l, PyObject *state);

#endif
