/* Differences between CPython versions, and nothing else. */
#ifndef HR_EXT_COMPAT_H
#define HR_EXT_COMPAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000
#define PyType_GetModuleByDef _PyType_GetModuleByDef
#endif

#if PY_VERSION_HEX < 0x030D0000
/* 1: found, a new reference; 0: absent; -1: error. */
static inline int PyDict_GetItemRef(PyObject *dict, PyObject *key, PyObject **out)
{
    *out = Py_XNewRef(PyDict_GetItemWithError(dict, key));
    return *out ? 1 : PyErr_Occurred() ? -1 : 0;
}

static inline int PyObject_GetOptionalAttr(PyObject *o, PyObject *name, PyObject **out)
{
    *out = PyObject_GetAttr(o, name);
    if (*out) return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
}

static inline int PyObject_GetOptionalAttrString(PyObject *o, const char *name, PyObject **out)
{
    *out = PyObject_GetAttrString(o, name);
    if (*out) return 1;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
}
#endif

/* Does the weak reference refer to `o` (and not to something that had its address)? */
static inline int weak_ref_is(PyObject *ref, PyObject *o)
{
#if PY_VERSION_HEX < 0x030D0000
    return PyWeakref_GET_OBJECT(ref) == o;
#else
    PyObject *found = NULL;
    if (PyWeakref_GetRef(ref, &found) <= 0) return 0;
    Py_DECREF(found);
    return found == o;
#endif
}

#if PY_VERSION_HEX < 0x030C0000
#ifndef Py_T_OBJECT_EX
#include <structmember.h>
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif
/* The pending exception as one object, and back. */
static inline PyObject *PyErr_GetRaisedException(void)
{
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    if (tb && value) PyException_SetTraceback(value, tb);
    Py_XDECREF(type);
    Py_XDECREF(tb);
    return value;
}

static inline void PyErr_SetRaisedException(PyObject *exc)
{
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exc)), exc, PyException_GetTraceback(exc));
}
#endif

#endif
