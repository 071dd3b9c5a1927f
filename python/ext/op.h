/* An operator's object, and what the files about it share. */
#ifndef HR_EXT_OP_H
#define HR_EXT_OP_H

#include "ext.h"

typedef struct op_object {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    const hr_op_desc *op;
    PyObject *names;  /* tuple of the arguments' names, interned */
    PyObject *module; /* "headrace.random" */
    PyObject *name;   /* "uniform" */
    PyObject *weakrefs;
} op_object;

enum { OP_MAX_ARGS = 64, OP_MAX_OUTS = 8 };

/* op_call.c: the call itself, whatever loop it stands in. */
PyObject *op_call_eagerly(PyObject *callable, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames);

/* The inputs of these operators may be named, as the peer's. */
int op_takes_names(const hr_op_desc *op);

/* op_describe.c: the descriptor as plain data, for signatures, documents, stubs and tests. */
PyObject *op_describe(PyObject *self, PyObject *unused);

#endif
