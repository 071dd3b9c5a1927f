/* Subscripts of tensors and batches. */
#ifndef HR_EXT_INDEX_H
#define HR_EXT_INDEX_H

#include "ext.h"

extern PyType_Spec slicer_spec;
PyObject *tensor_subscript(PyObject *self, PyObject *key);
PyObject *slicer_new(mod_state *st, PyObject *batch);

#endif
