/* Python numbers and nested lists of them to tensors: measured first, then filled into 64-bit
 * numbers, then narrowed to the tensor's type, where what does not fit is an error. */
#include "ext.h"

#include "invariant.h"

#include <math.h>
#include <string.h>

typedef union number {
    double real;
    int64_t whole;
    uint64_t natural;
} number;

typedef struct nest {
    int ndim, is_real, is_bool, is_odd; /* is_odd: a leaf that is no plain number */
    int64_t shape[HR_MAX_NDIM];
    int64_t at[HR_MAX_NDIM]; /* where measuring is */
    hr_dtype wish; /* HR_DTYPE_NONE: int32, float32, bool by the numbers' kind */
    number *v;
    int64_t n, count;
} nest;

static int is_list(PyObject *o) { return PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o); }

/* numpy.float64 is a float, and an array of its own type. */
int is_number_like(PyObject *o)
{
    return PyLong_Check(o) || (PyFloat_Check(o) && !PyObject_CheckBuffer(o)) || is_list(o);
}

/* "data[1][0]" */
static void show_place(const nest *x, int depth, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "data");
    for (int d = 0; d < depth && n < size; d++)
        n += (size_t)snprintf(text + n, size - n, "[%lld]", (long long)x->at[d]);
}

static int fail_unequal(const nest *x, int depth, const char *format, int64_t got, int64_t others)
{
    char place[512], words[128];
    show_place(x, depth, place, sizeof place);
    snprintf(words, sizeof words, format, (long long)got, (long long)others);
    PyErr_Format(PyExc_ValueError, "nested lists are unequal: %s %s", place, words);
    return -1;
}

static int measure(PyObject *obj, nest *x, int depth)
{
    obj = invariant_value(obj);
    if (!is_list(obj)) {
        if (!PyFloat_Check(obj) && !PyLong_Check(obj)) { /* an array, perhaps, with axes of its own */
            x->is_odd = 1;
            return 0;
        }
        if (x->ndim < 0) x->ndim = depth;
        if (depth != x->ndim)
            return fail_unequal(x, depth, "is a number at depth %lld, others are at depth %lld",
                                depth, x->ndim);
        if (PyFloat_Check(obj)) x->is_real = 1, x->is_bool = 0;
        else x->is_bool = x->is_bool && PyBool_Check(obj);
        return 0;
    }
    if (depth >= HR_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "lists are nested deeper than %d", HR_MAX_NDIM);
        return -1;
    }
    Py_ssize_t n = PySequence_Size(obj);
    if (n < 0) return -1;
    if (x->shape[depth] < 0) x->shape[depth] = n;
    if (x->shape[depth] != n)
        return fail_unequal(x, depth, "has %lld elements, others of its depth have %lld", n,
                            x->shape[depth]);
    if (n == 0 && x->ndim < 0) x->ndim = depth + 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(obj, i);
        x->at[depth] = i;
        int bad = !item || measure(item, x, depth + 1) < 0;
        Py_XDECREF(item);
        if (bad) return -1;
    }
    return 0;
}

static int fail_fit(PyObject *obj, hr_dtype dtype)
{
    PyErr_Clear();
    PyErr_Format(PyExc_OverflowError, "%R does not fit %s", obj,
                 hr_dtype_get_info(dtype)->numpy_name);
    return -1;
}

static hr_dtype type_of(const nest *x)
{
    if (x->wish != HR_DTYPE_NONE) return x->wish;
    if (x->is_real || x->count == 0) return HR_F32;
    return x->is_bool ? HR_BOOL : HR_I32;
}

/* Into a whole type: a float as int() does, towards zero. */
static int fill_whole(PyObject *obj, hr_dtype dtype, number *out)
{
    const hr_dtype_info *info = hr_dtype_get_info(dtype);
    if (PyFloat_Check(obj) && isnan(PyFloat_AS_DOUBLE(obj))) {
        PyErr_Format(PyExc_ValueError, "NaN does not fit %s", info->numpy_name);
        return -1;
    }
    PyObject *whole = PyNumber_Long(obj); /* infinities are an OverflowError */
    if (!whole) return PyErr_ExceptionMatches(PyExc_OverflowError) ? fail_fit(obj, dtype) : -1;
    int fits;
    if (info->kind == HR_KIND_UNSIGNED) {
        out->natural = PyLong_AsUnsignedLongLong(whole);
        fits = !PyErr_Occurred() && (info->bits == 64 || out->natural >> info->bits == 0);
    } else {
        out->whole = PyLong_AsLongLong(whole);
        int64_t top = INT64_MAX >> (64 - info->bits);
        fits = !PyErr_Occurred() && out->whole <= top && out->whole >= -top - 1;
    }
    Py_DECREF(whole);
    return fits ? 0 : fail_fit(obj, dtype);
}

static int fill_one(PyObject *obj, nest *x)
{
    hr_dtype dtype = type_of(x);
    hr_dtype_kind kind = hr_dtype_get_info(dtype)->kind;
    if (x->n == x->count || !(PyLong_Check(obj) || PyFloat_Check(obj))) {
        PyErr_SetString(PyExc_ValueError, "a list changed while it was read");
        return -1;
    }
    number *out = &x->v[x->n++];
    if (kind == HR_KIND_BOOL) {
        out->whole = PyObject_IsTrue(obj);
    } else if (kind == HR_KIND_FLOAT) {
        out->real = PyFloat_AsDouble(obj);
        if (out->real == -1 && PyErr_Occurred()) return fail_fit(obj, dtype);
    } else {
        return fill_whole(obj, dtype, out);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* The depth is the measured one, whatever the lists say by now. */
static int fill(PyObject *obj, nest *x, int depth)
{
    obj = invariant_value(obj);
    if (depth == x->ndim) return fill_one(obj, x);
    Py_ssize_t n = is_list(obj) ? PySequence_Size(obj) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(obj, i);
        int bad = !item || fill(item, x, depth + 1) < 0;
        Py_XDECREF(item);
        if (bad) return -1;
    }
    return n < 0 ? -1 : 0;
}

static int fill_all(PyObject *obj, nest *x, hr_tensor *out)
{
    x->v = PyMem_Malloc((size_t)(x->count + 1) * sizeof *x->v);
    if (!x->v) {
        PyErr_NoMemory();
        return -1;
    }
    int bad = x->count ? fill(obj, x, 0) : 0;
    if (!bad && x->n != x->count) {
        PyErr_SetString(PyExc_ValueError, "a list changed while it was read");
        bad = -1;
    }
    hr_dtype_kind kind = hr_dtype_get_info(out->dtype)->kind;
    hr_dtype from = kind == HR_KIND_FLOAT      ? HR_F64
                    : kind == HR_KIND_UNSIGNED ? HR_U64
                                               : HR_I64;
    if (!bad) hr_dtype_convert(out->dtype, out->data, from, x->v, (size_t)x->count);
    PyMem_Free(x->v);
    return bad;
}

int tensor_from_numbers(mod_state *st, PyObject *obj, hr_dtype wish, hr_tensor *out)
{
    nest x = {.ndim = -1, .is_bool = 1, .wish = wish, .count = 1};
    for (int d = 0; d < HR_MAX_NDIM; d++) x.shape[d] = -1;
    if (measure(obj, &x, 0) < 0) return -1;
    if (x.is_odd) return 1;
    hr_error err = {0};
    for (int d = 0; d < x.ndim; d++) {
        if (x.shape[d] < 0) x.shape[d] = 0;
        if (x.shape[d] == 0) x.count = 0;
    }
    if (hr_tensor_create(out, type_of(&x), x.ndim, x.shape, &err) != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    x.count = hr_tensor_size(out);
    int bad = fill_all(obj, &x, out);
    if (bad) hr_tensor_clear(out);
    return bad;
}
