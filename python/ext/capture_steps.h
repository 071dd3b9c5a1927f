/* A running captured loop: what its life (capture_loop.c) and its steps (capture_steps.c) share. */
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

/* The next step's outputs for the body; NULL without an exception at the end of the epoch. */
PyObject *loop_step(captured_loop *l);
/* What was pulled and not given out goes back to the sources, in front of what they have. Errors
 * that could not be raised are reported as unraisable. */
void loop_give_back(captured_loop *l);
/* Items of feeder `i` that were pulled for steps that the body did not get. */
int loop_fed_ahead(const captured_loop *l, Py_ssize_t i);
/* The place in front of the first step that the body did not get. */
void loop_place(const captured_loop *l, root_place *out);

#endif
