/* Sources: batches from Python iterables and callables. */
#ifndef HR_EXT_SOURCE_H
#define HR_EXT_SOURCE_H

#include "ext.h"

extern PyType_Spec source_spec;
/* The next item as a Tensor, Batch or tuple; batch_size -1: as it comes. StopIteration at the end. */
PyObject *source_pull(PyObject *self, Py_ssize_t batch_size);
/* The same with the raw item (a new reference), for source_give_back. */
PyObject *source_pull_item(PyObject *self, Py_ssize_t batch_size, PyObject **item);
/* The next pull gives this item. */
int source_give_back(PyObject *self, PyObject *item);
/* Behind the items that were given back comes this exception, StopIteration included. */
void source_give_back_error(PyObject *self, PyObject *take_error);

/* The next item's place: ends that were met, items since then. */
typedef struct source_place {
    int64_t pass, item;
} source_place;

void source_get_place(PyObject *self, source_place *out);
/* The next pull gives that item; what lies in front of it is read and dropped then. ValueError where
 * the source can only go on and stands behind it. */
int source_set_place(PyObject *self, const source_place *place);
/* A place as plain values, and back; ValueError, TypeError. */
PyObject *source_state(const source_place *place);
int source_place_of(PyObject *state, source_place *out);
/* A loop was left early and all it had pulled ahead given back: the next item is that of `place`. */
void source_set_left(PyObject *self, const source_place *place);
int source_was_left(PyObject *self);
/* Items of a loop that begins at `at`; was_left: where another one was left early. -1, without an
 * exception: not known, or there is no end. */
Py_ssize_t source_length(PyObject *self, const source_place *at, int was_left);

/* A source is used in one way: fixed by its first use, free again when its loop has gone. */
typedef enum source_role { SOURCE_UNUSED, SOURCE_EAGER, SOURCE_FEEDER, SOURCE_ROOT } source_role;
/* RuntimeError for another role, or a feeder of another root. `owner`: the root's number, else 0. */
int source_take_role(PyObject *self, source_role role, uint64_t owner);
void source_drop_role(PyObject *self);
/* One sample `n` times, sharing its memory. */
PyObject *batch_of_repeats(mod_state *st, const hr_tensor *t, Py_ssize_t n);

#endif
