/* Choosing samples of a batch, and the list that shows them. */
#ifndef HR_EXT_SELECTION_H
#define HR_EXT_SELECTION_H

#include "ext.h"

PyObject *sample_at(mod_state *st, const hr_batch *b, Py_ssize_t i);
/* The samples `index[0..n)` as a batch that shares their memory. */
PyObject *take_samples(mod_state *st, const hr_batch *b, const Py_ssize_t *index, Py_ssize_t n);
/* Reads a slice, an Ellipsis or a list of ints over `n`; NULL with an exception. Free with
 * PyMem_Free. */
Py_ssize_t *read_selection(PyObject *sel, Py_ssize_t n, Py_ssize_t *count);
/* An int selects one: 1 with *i set; 0: something else; -1: an exception. */
int read_index(PyObject *sel, Py_ssize_t n, Py_ssize_t *i);

/* tensor_list.c: the samples `index[0..n)` of a batch as a list; without `index` the first n. */
PyObject *tensor_list_new(mod_state *st, hr_batch *b, const Py_ssize_t *index, Py_ssize_t n);

#endif
