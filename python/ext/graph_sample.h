/* SampleMetadata's object, for the files that it is made of. */
#ifndef HR_EXT_GRAPH_SAMPLE_H
#define HR_EXT_GRAPH_SAMPLE_H

#include "graph.h"

typedef struct sample_object {
    PyObject_VAR_HEAD
    hr_tree tree;
    int64_t batch;
    int strict;
    PyObject *specs;       /* tuple of TensorSpecs, by tensor leaf; NULL until asked for */
    PyObject *tensor_data, *other_data; /* NULL until asked for */
    PyObject *weakrefs;
    int64_t block[];
} sample_object;

#define sample_of(o) ((sample_object *)(o))

/* ---- graph_sample_make.c ----------------------------------------------------------- */

/* Class methods (METH_METHOD | METH_FASTCALL | METH_KEYWORDS). */
PyObject *graph_sample_from_inputs(PyObject *cls, PyTypeObject *defining, PyObject *const *args, Py_ssize_t n,
                                   PyObject *kwnames);
PyObject *graph_sample_from_outputs(PyObject *cls, PyTypeObject *defining, PyObject *const *args,
                                    Py_ssize_t n, PyObject *kwnames);
PyObject *graph_sample_from_call(PyObject *cls, PyTypeObject *defining, PyObject *const *args, Py_ssize_t n,
                                 PyObject *kwnames);
/* tp_new: from tensor_data and other_data. */
PyObject *graph_sample_new(PyTypeObject *type, PyObject *args, PyObject *kw);

#endif
