/* The one table from statuses to exceptions. */
#include "ext.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static PyObject *exception_of(mod_state *st, hr_status status)
{
    switch (status) {
    case HR_VALUE: return PyExc_ValueError;
    case HR_TYPE: return PyExc_TypeError;
    case HR_NOMEM: return PyExc_MemoryError;
    case HR_IO: return PyExc_OSError;
    case HR_DATA: return st->data_error;
    case HR_STATE: return PyExc_RuntimeError;
    case HR_INDEX: return PyExc_IndexError;
    case HR_KEY: return PyExc_KeyError;
    case HR_OVERFLOW: return PyExc_OverflowError;
    case HR_BUFFER: return PyExc_BufferError;
    case HR_UNSUPPORTED: return PyExc_NotImplementedError;
    case HR_STOP: return PyExc_StopIteration;
    case HR_OK:
    case HR_CANCELLED:
    case HR_BUG: break;
    }
    return PyExc_SystemError;
}

PyObject *raise_error(mod_state *st, const hr_error *err)
{
    if (err->status == HR_CANCELLED && PyErr_Occurred()) return NULL;
    PyObject *type = exception_of(st, err->status);
    PyObject *text = PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message),
                                          "surrogateescape");
    if (!text) return NULL;
    if (err->status == HR_STOP) {
        PyErr_SetNone(type);
    } else if (err->status == HR_IO && err->sys_errno) {
        /* OSError picks FileNotFoundError and its kind by the number. */
        PyObject *exc = PyObject_CallFunction(type, "iO", err->sys_errno, text);
        if (exc) {
            PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
            Py_DECREF(exc);
        }
    } else {
        PyErr_SetObject(type, text);
    }
    Py_DECREF(text);
    return NULL;
}

int add_errors(PyObject *module, mod_state *st)
{
    st->data_error = PyErr_NewExceptionWithDoc(
        "headrace.DataError",
        "Bytes that are not what they should be: a broken picture, archive or record.\n\n"
        "The text names the file, the sample and the reason.",
        PyExc_RuntimeError, NULL);
    if (!st->data_error) return -1;
    return PyModule_AddObjectRef(module, "DataError", st->data_error);
}

/* ---- arguments ------------------------------------------------------------------- */

static int is_known(PyObject *name, char **names)
{
    for (; *names; names++)
        if (PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, *names)) return 1;
    return 0;
}

/* Puts "tensor: has no argument `dtyp`; did you mean `dtype`?" in place of the exception. */
static void name_unknown(PyObject *name, const char *function, char **names)
{
    PyErr_Clear();
    PyObject *slow = PyImport_ImportModule("headrace._slow");
    PyObject *known = slow ? PyList_New(0) : NULL;
    for (; known && *names; names++) {
        PyObject *one = PyUnicode_FromString(*names);
        if (!one || PyList_Append(known, one) < 0) Py_CLEAR(known);
        Py_XDECREF(one);
    }
    PyObject *r = known ? PyObject_CallMethod(slow, "unknown_keyword", "sOO", function, name, known)
                        : NULL;
    Py_XDECREF(r);
    Py_XDECREF(known);
    Py_XDECREF(slow);
}

PyObject *only_argument(PyObject *args, PyObject *kw, const char *function, char *name)
{
    if (!kw && PyTuple_GET_SIZE(args) == 1) return PyTuple_GET_ITEM(args, 0);
    char *names[] = {name, NULL}, format[64];
    PyObject *value;
    snprintf(format, sizeof format, "O:%s", function);
    return parse_arguments(args, kw, format, names, &value) ? value : NULL;
}

int parse_arguments(PyObject *args, PyObject *kw, const char *format, char **names, ...)
{
    va_list ap;
    va_start(ap, names);
    int ok = PyArg_VaParseTupleAndKeywords(args, kw, format, names, ap);
    va_end(ap);
    if (ok || !kw || !PyErr_ExceptionMatches(PyExc_TypeError)) return ok;
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(kw, &at, &name, &value)) {
        if (is_known(name, names)) continue;
        name_unknown(name, strchr(format, ':') + 1, names);
        break;
    }
    return 0;
}
