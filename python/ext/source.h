/* Sources: batches from Python iterables and callables. */
#ifndef HR_EXT_SOURCE_H
#define HR_EXT_SOURCE_H

#include "ext.h"

extern PyType_Spec source_spec;
/* The next item as a Tensor, Batch or tuple; batch_size -1: as it comes. StopIteration at the end. */
PyObject *source_pull(PyObject *self, Py_ssize_t batch_size);
/* One sample `n` times, sharing its memory. */
PyObject *batch_of_repeats(mod_state *st, const hr_tensor *t, Py_ssize_t n);

#endif
