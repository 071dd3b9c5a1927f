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

/* A source is used in one way: fixed by its first use, free again when its loop has gone. */
typedef enum source_role { SOURCE_UNUSED, SOURCE_EAGER, SOURCE_FEEDER, SOURCE_ROOT } source_role;
/* RuntimeError for another role, or a feeder of another root. `owner`: the root's number, else 0. */
int source_take_role(PyObject *self, source_role role, uint64_t owner);
void source_drop_role(PyObject *self);
/* One sample `n` times, sharing its memory. */
PyObject *batch_of_repeats(mod_state *st, const hr_tensor *t, Py_ssize_t n);

#endif
