/* Arrays in by the buffer protocol, __array_interface__ and __array__. Memory is shared wherever
 * geometry and byte order allow it. */
#include "ext.h"

#include "invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- foreign memory -------------------------------------------------------------- */

typedef struct holder {
    Py_buffer view; /* view.obj NULL: only `obj` is held */
    PyObject *obj;
} holder;

static void release_holder(void *arg)
{
    holder *h = arg;
    PyGILState_STATE gil = PyGILState_Ensure(); /* the last reference may go on any thread */
    if (h->view.obj) PyBuffer_Release(&h->view);
    Py_XDECREF(h->obj);
    PyMem_RawFree(h);
    PyGILState_Release(gil);
}

/* Ties `t`'s memory to `h`; takes `h` over, also on failure. */
static int adopt(hr_tensor *t, holder *take_h, int readonly)
{
    t->buf = hr_buf_adopt(t->data, hr_tensor_nbytes(t), release_holder, take_h);
    if (!t->buf) {
        release_holder(take_h);
        PyErr_NoMemory();
        return -1;
    }
    t->buf->readonly = readonly;
    return 0;
}

static int set_geometry(mod_state *st, hr_tensor *t, hr_dtype dtype, int ndim,
                        const Py_ssize_t *shape, const Py_ssize_t *strides)
{
    hr_error err = {0};
    int64_t extents[HR_MAX_NDIM] = {0};
    for (int d = 0; d < ndim && d < HR_MAX_NDIM; d++) extents[d] = shape[d];
    if (hr_tensor_shape(t, dtype, ndim, extents, &err) != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    for (int d = 0; strides && d < ndim; d++) t->stride[d] = strides[d];
    return 0;
}

/* Turns the bytes of every element round, into memory of the tensor's own. */
static int swap_bytes(mod_state *st, hr_tensor *t)
{
    if (tensor_make_own(st, t) < 0) return -1;
    size_t size = hr_dtype_size(t->dtype), n = (size_t)hr_tensor_size(t);
    for (uint8_t *p = t->data; n > 0; n--, p += size)
        for (size_t i = 0; i < size / 2; i++) {
            uint8_t x = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = x;
        }
    return 0;
}

static int is_foreign_order(char mark)
{
    const uint16_t one = 1;
    int little = *(const uint8_t *)&one;
    return mark == (little ? '>' : '<') || (mark == '!' && little);
}

/* ---- the buffer protocol, in ----------------------------------------------------- */

static hr_dtype dtype_of_format(const char *format, Py_ssize_t itemsize, int *swap)
{
    *swap = 0;
    if (!format) return HR_U8;
    char order = format[0];
    if (strchr("@=<>!", order)) {
        format++;
        *swap = itemsize > 1 && is_foreign_order(order);
    }
    if (!format[0] || format[1]) return HR_DTYPE_NONE;
    static const hr_dtype ints[2][4] = {{HR_U8, HR_U16, HR_U32, HR_U64},
                                        {HR_I8, HR_I16, HR_I32, HR_I64}};
    int width = itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : 3;
    if (strchr("bhilqn", format[0])) return ints[1][width];
    if (strchr("BHILQNc", format[0])) return ints[0][width];
    switch (format[0]) {
    case '?': return HR_BOOL;
    case 'e': return HR_F16;
    case 'f': return HR_F32;
    case 'd': return HR_F64;
    default: return HR_DTYPE_NONE;
    }
}

static int fail_type(PyObject *obj, const char *format)
{
    PyObject *dtype = PyObject_GetAttrString(obj, "dtype"); /* says it in words, if there is one */
    if (!dtype) PyErr_Clear();
    PyObject *words = dtype ? PyObject_Str(dtype) : PyUnicode_FromString(format ? format : "?");
    Py_XDECREF(dtype);
    if (!words) return -1;
    PyErr_Format(PyExc_TypeError, "%.100s with elements of type '%.60U' cannot become a tensor",
                 Py_TYPE(obj)->tp_name, words);
    Py_DECREF(words);
    return -1;
}

/* A NumPy scalar of a time shows its eight bytes as if it were an array of them. */
static int is_time_scalar(PyObject *obj, const Py_buffer *view)
{
    const char *name = Py_TYPE(obj)->tp_name;
    return view->ndim == 1 && view->len == 8 &&
           (!strcmp(name, "numpy.datetime64") || !strcmp(name, "numpy.timedelta64"));
}

/* 1: not a buffer that can be read this way (no exception). */
static int from_buffer(mod_state *st, PyObject *obj, hr_tensor *out)
{
    holder *h = PyMem_RawCalloc(1, sizeof *h);
    if (!h) {
        PyErr_NoMemory();
        return -1;
    }
    if (PyObject_GetBuffer(obj, &h->view, PyBUF_FULL_RO) < 0) {
        PyMem_RawFree(h);
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) return -1;
        PyErr_Clear();
        return 1;
    }
    int swap;
    hr_dtype dtype = dtype_of_format(h->view.format, h->view.itemsize, &swap);
    if (dtype == HR_DTYPE_NONE || h->view.suboffsets || is_time_scalar(obj, &h->view)) {
        int bad = fail_type(obj, h->view.format);
        release_holder(h);
        return bad;
    }
    if (set_geometry(st, out, dtype, h->view.ndim, h->view.shape, h->view.strides) < 0) {
        release_holder(h);
        return -1;
    }
    out->data = h->view.buf;
    if (adopt(out, h, h->view.readonly) < 0) return -1;
    return swap ? swap_bytes(st, out) : 0;
}

/* ---- __array_interface__, in ----------------------------------------------------- */

typedef struct interface {
    PyObject *dict, *shape, *typestr, *data, *strides;
} interface;

static PyObject *field(PyObject *dict, const char *name)
{
    PyObject *v = PyDict_GetItemString(dict, name);
    return v == Py_None ? NULL : v;
}

static hr_dtype dtype_of_typestr(const char *s, int *swap)
{
    *swap = 0;
    if (strlen(s) < 3) return HR_DTYPE_NONE;
    int size = atoi(s + 2);
    *swap = size > 1 && is_foreign_order(s[0]);
    char name[16];
    switch (s[1]) {
    case 'b': return size == 1 ? HR_BOOL : HR_DTYPE_NONE;
    case 'u': snprintf(name, sizeof name, "u%d", size * 8); break;
    case 'i': snprintf(name, sizeof name, "i%d", size * 8); break;
    case 'f': snprintf(name, sizeof name, "f%d", size * 8); break;
    default: return HR_DTYPE_NONE;
    }
    return hr_dtype_parse(name);
}

static int read_extents(PyObject *tuple, Py_ssize_t *out, int *n)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > HR_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "__array_interface__: at most %d axes", HR_MAX_NDIM);
        return -1;
    }
    *n = (int)PyTuple_GET_SIZE(tuple);
    for (int d = 0; d < *n; d++) {
        out[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, d));
        if (out[d] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}

/* `data` is (pointer, read-only) or an object with a buffer. */
static int take_interface_data(PyObject *obj, PyObject *data, hr_tensor *out)
{
    holder *h = PyMem_RawCalloc(1, sizeof *h);
    if (!h) {
        PyErr_NoMemory();
        return -1;
    }
    int readonly = 1;
    if (data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2) {
        out->data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
        readonly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) != 0;
    } else if (PyObject_GetBuffer(data ? data : obj, &h->view, PyBUF_SIMPLE) == 0) {
        out->data = h->view.buf;
        readonly = h->view.readonly;
        if ((size_t)h->view.len < hr_tensor_nbytes(out))
            PyErr_Format(PyExc_ValueError, "__array_interface__: %zd bytes of data, the shape "
                         "needs %zu", h->view.len, hr_tensor_nbytes(out));
    }
    h->obj = Py_NewRef(obj);
    if (PyErr_Occurred()) {
        release_holder(h);
        return -1;
    }
    return adopt(out, h, readonly);
}

static int from_interface(mod_state *st, PyObject *obj, PyObject *dict, hr_tensor *out)
{
    if (!PyDict_Check(dict)) return fail_type(obj, "__array_interface__");
    PyObject *typestr = field(dict, "typestr"), *shape = field(dict, "shape");
    PyObject *strides = field(dict, "strides");
    const char *s = typestr ? PyUnicode_AsUTF8(typestr) : NULL;
    if (!s || !shape) return fail_type(obj, "__array_interface__");
    int swap, ndim, ndim_strides;
    hr_dtype dtype = dtype_of_typestr(s, &swap);
    if (dtype == HR_DTYPE_NONE) return fail_type(obj, s);
    Py_ssize_t extents[HR_MAX_NDIM], steps[HR_MAX_NDIM];
    if (read_extents(shape, extents, &ndim) < 0) return -1;
    if (strides && read_extents(strides, steps, &ndim_strides) < 0) return -1;
    if (set_geometry(st, out, dtype, ndim, extents, strides ? steps : NULL) < 0) return -1;
    if (take_interface_data(obj, field(dict, "data"), out) < 0) return -1;
    return swap ? swap_bytes(st, out) : 0;
}

/* ---- all ways in ----------------------------------------------------------------- */

/* NumPy has no bfloat16 of its own; ml_dtypes' arrays cross as their 16-bit words. */
static int from_bfloat16(mod_state *st, PyObject *obj, hr_tensor *out)
{
    PyObject *dtype = NULL, *name = NULL;
    int is_bf16 = 0;
    if (PyObject_GetOptionalAttrString(obj, "dtype", &dtype) > 0 &&
        PyObject_GetOptionalAttrString(dtype, "name", &name) > 0 && PyUnicode_Check(name))
        is_bf16 = PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0;
    Py_XDECREF(dtype);
    Py_XDECREF(name);
    if (PyErr_Occurred()) return -1;
    if (!is_bf16) return 1;
    PyObject *words = PyObject_CallMethod(obj, "view", "s", "uint16");
    if (!words) {
        PyErr_Clear();
        return 1;
    }
    int status = from_buffer(st, words, out);
    Py_DECREF(words);
    if (status == 0) out->dtype = HR_BF16;
    return status;
}

static int from_attribute(mod_state *st, PyObject *obj, hr_tensor *out)
{
    PyObject *attr = NULL;
    int found = PyObject_GetOptionalAttr(obj, st->str_dlpack, &attr);
    Py_CLEAR(attr);
    if (found < 0) return -1;
    if (found > 0) {
        if (tensor_from_dlpack(st, obj, out) == 0) return 0;
        if (!PyErr_ExceptionMatches(PyExc_BufferError)) return -1;
        PyObject *exc = PyErr_GetRaisedException();
        if (!PyObject_HasAttr(obj, st->str_array_interface)) {
            PyErr_SetRaisedException(exc);
            return -1;
        }
        Py_DECREF(exc); /* NumPy's types outside the exchange: its interface names them */
    }
    found = PyObject_GetOptionalAttr(obj, st->str_array_interface, &attr);
    if (found > 0) {
        int status = from_interface(st, obj, attr, out);
        Py_DECREF(attr);
        return status;
    }
    if (found == 0) found = PyObject_GetOptionalAttr(obj, st->str_array, &attr);
    if (found <= 0) return found < 0 ? -1 : 1;
    PyObject *array = PyObject_CallNoArgs(attr);
    Py_DECREF(attr);
    int status = array ? from_buffer(st, array, out) : -1;
    Py_XDECREF(array);
    return status;
}

/* Lists of arrays and the like: NumPy knows how to stack them. */
static int from_numpy_stack(mod_state *st, PyObject *obj, hr_tensor *out)
{
    PyObject *plain = invariant_plain(st, obj);
    PyObject *array = plain ? PyObject_CallMethod(st->slow, "stack", "(O)", plain) : NULL;
    Py_XDECREF(plain);
    int status = array ? from_buffer(st, array, out) : -1;
    Py_XDECREF(array);
    return status;
}

int tensor_from_object(mod_state *st, PyObject *obj, hr_tensor *out, int *copied)
{
    *copied = 0;
    obj = invariant_value(obj);
    if (is_tensor(st, obj)) {
        hr_tensor_ref(out, tensor_of(obj));
        return 0;
    }
    int status = 1;
    if (PyObject_CheckBuffer(obj)) status = from_buffer(st, obj, out);
    if (status == 1) status = from_bfloat16(st, obj, out);
    if (status == 1 && !is_number_like(obj)) status = from_attribute(st, obj, out);
    if (status != 1) return status;
    *copied = 1;
    if (is_number_like(obj)) {
        status = tensor_from_numbers(st, obj, HR_DTYPE_NONE, out);
        return status == 1 ? from_numpy_stack(st, obj, out) : status;
    }
    PyErr_Format(PyExc_TypeError, "%.100s cannot become a tensor: give an array, a number or "
                 "nested lists of numbers", Py_TYPE(obj)->tp_name);
    return -1;
}
