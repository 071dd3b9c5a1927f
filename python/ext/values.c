/* Python objects to argument values. What a value refers to lives in the object itself or in the
 * room, a stretch of the caller's stack that continues on the heap. */
#include "ext.h"

#include "invariant.h"

#include <string.h>

void value_room_init(value_room *room)
{
    room->used = 0;
    room->blocks = NULL;
    room->n_blocks = 0;
    room->held = room->held_first;
    room->n_held = 0;
    room->room_held = (int)(sizeof room->held_first / sizeof *room->held_first);
}

void value_room_clear(value_room *room)
{
    for (int i = 0; i < room->n_held; i++) Py_DECREF(room->held[i]);
    if (room->held != room->held_first) PyMem_Free(room->held);
    for (int i = 0; i < room->n_blocks; i++) PyMem_Free(room->blocks[i]);
    PyMem_Free(room->blocks);
}

static void *room_take(value_room *room, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (sizeof room->bytes - room->used >= size) {
        void *p = room->bytes + room->used;
        room->used += size;
        return p;
    }
    void **blocks = PyMem_Realloc(room->blocks, sizeof *blocks * (size_t)(room->n_blocks + 1));
    if (!blocks) return PyErr_NoMemory();
    room->blocks = blocks;
    blocks[room->n_blocks] = PyMem_Malloc(size);
    if (!blocks[room->n_blocks]) return PyErr_NoMemory();
    return blocks[room->n_blocks++];
}

/* Keeps `take_obj` until the room is cleared. */
int value_room_hold(value_room *room, PyObject *take_obj)
{
    if (room->n_held == room->room_held) {
        int more = room->room_held * 2;
        PyObject **held = PyMem_Malloc(sizeof *held * (size_t)more);
        if (!held) {
            Py_DECREF(take_obj);
            PyErr_NoMemory();
            return -1;
        }
        memcpy(held, room->held, sizeof *held * (size_t)room->n_held);
        if (room->held != room->held_first) PyMem_Free(room->held);
        room->held = held;
        room->room_held = more;
    }
    room->held[room->n_held++] = take_obj;
    return 0;
}

/* Text as the file system has it: names that are not UTF-8 keep their bytes. */
static const char *text_of(PyObject *obj, value_room *room)
{
    if (PyUnicode_Check(obj)) {
        Py_ssize_t n;
        const char *s = PyUnicode_AsUTF8AndSize(obj, &n);
        if (s && strlen(s) == (size_t)n) return s;
        if (s) {
            PyErr_Format(PyExc_ValueError, "%R has a zero character", obj);
            return NULL;
        }
        PyErr_Clear();
    }
    PyObject *path = PyOS_FSPath(obj), *bytes = NULL;
    if (path && PyUnicode_FSConverter(path, &bytes)) {
        Py_DECREF(path);
        return value_room_hold(room, bytes) < 0 ? NULL : PyBytes_AS_STRING(bytes);
    }
    Py_XDECREF(path);
    return NULL;
}

PyObject *whole_number(const char *owner, const char *name, PyObject *obj)
{
    PyObject *whole = PyIndex_Check(obj) ? PyNumber_Index(obj) : NULL;
    if (whole || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))) return whole;
    return PyErr_Format(PyExc_TypeError, "%s: %s is %.100R, it must be an integer", owner, name, obj);
}

int whole_size(const char *owner, const char *name, PyObject *obj, Py_ssize_t *out)
{
    PyObject *whole = whole_number(owner, name, obj);
    if (!whole) return -1;
    *out = PyLong_AsSsize_t(whole);
    if (*out == -1 && PyErr_Occurred())
        PyErr_Format(PyExc_OverflowError, "%s: %s is %.100R, it is outside 64 bits", owner, name, whole);
    Py_DECREF(whole);
    return PyErr_Occurred() ? -1 : 0;
}

/* A number of a list: 1 integer, 2 real, 0 neither, -1 exception. */
static int number_of(PyObject *obj, int64_t *whole, double *real)
{
    if (PyFloat_Check(obj)) {
        *real = PyFloat_AS_DOUBLE(obj);
        return 2;
    }
    if (PyIndex_Check(obj)) {
        PyObject *index = PyNumber_Index(obj);
        if (index) {
            int overflow = 0;
            *whole = PyLong_AsLongLongAndOverflow(index, &overflow);
            *real = overflow ? PyLong_AsDouble(index) : (double)*whole;
            Py_DECREF(index);
            if (*real == -1 && PyErr_Occurred()) return -1;
            return overflow ? 2 : 1;
        }
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Clear();
    }
    if (PyUnicode_Check(obj) || PyBytes_Check(obj) || !PyNumber_Check(obj)) return 0;
    *real = PyFloat_AsDouble(obj);
    return *real == -1 && PyErr_Occurred() ? -1 : 2;
}

static int fail_element(Py_ssize_t i, PyObject *item)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "element %zd is %.100s, which has no place in a list of "
                     "numbers or of str", i, Py_TYPE(item)->tp_name);
    return -1;
}

/* An element as it is without a mark; borrowed. */
static PyObject *element(PyObject *seq, Py_ssize_t i)
{
    return invariant_value(PySequence_Fast_GET_ITEM(seq, i));
}

static int list_of_text(PyObject *seq, value_room *room, hr_value *out)
{
    Py_ssize_t n = PySequence_Fast_GET_SIZE(seq);
    const char **texts = room_take(room, sizeof *texts * (size_t)(n + 1));
    if (!texts) return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = element(seq, i);
        texts[i] = text_of(item, room);
        if (!texts[i]) return fail_element(i, item);
    }
    out->kind = HR_VALUE_STRS;
    out->u.strs = texts;
    return 0;
}

static int list_of_numbers(PyObject *seq, value_room *room, hr_value *out)
{
    Py_ssize_t n = PySequence_Fast_GET_SIZE(seq);
    int64_t *whole = room_take(room, sizeof *whole * (size_t)(n + 1));
    double *real = room_take(room, sizeof *real * (size_t)(n + 1));
    if (!whole || !real) return -1;
    int any_real = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = element(seq, i);
        int kind = number_of(item, &whole[i], &real[i]);
        if (kind <= 0) return fail_element(i, item);
        any_real |= kind == 2;
    }
    out->kind = any_real ? HR_VALUE_FLOATS : HR_VALUE_INTS;
    if (any_real) out->u.floats = real;
    else out->u.ints = whole;
    return 0;
}

static int from_array(mod_state *st, PyObject *obj, value_room *room, hr_value *out)
{
    hr_tensor t = {0};
    int copied;
    if (tensor_from_object(st, obj, &t, &copied) < 0) return -1;
    PyObject *held = tensor_wrap(st, &t);
    if (!held || value_room_hold(room, held) < 0) return -1;
    out->kind = HR_VALUE_TENSOR;
    out->n = 1;
    out->u.t = tensor_of(held);
    return 0;
}

static int from_list(mod_state *st, const hr_arg_desc *arg, PyObject *obj, value_room *room,
                     hr_value *out)
{
    PyObject *seq = PySequence_Fast(obj, "a list is needed");
    if (!seq || value_room_hold(room, seq) < 0) return -1;
    out->n = PySequence_Fast_GET_SIZE(seq);
    PyObject *first = out->n ? element(seq, 0) : NULL;
    if (arg->flags & HR_SHAPED && first && (PyList_Check(first) || PyTuple_Check(first)))
        return from_array(st, obj, room, out);
    if (arg->kind == HR_ARG_STRS || (first && PyUnicode_Check(first)))
        return list_of_text(seq, room, out);
    return list_of_numbers(seq, room, out);
}

static int is_text_kind(hr_arg_kind kind)
{
    return kind == HR_ARG_STR || kind == HR_ARG_STRS || kind == HR_ARG_LAYOUT ||
           kind == HR_ARG_CHOICE;
}

static hr_value_kind enum_kind(const mod_state *st, PyObject *obj)
{
    PyObject *type = (PyObject *)Py_TYPE(obj);
    return type == st->image_type_enum ? HR_VALUE_IMAGE_TYPE
           : type == st->interp_enum   ? HR_VALUE_INTERP
           : type == st->data_type_enum ? HR_VALUE_DTYPE
                                        : HR_VALUE_INT;
}

/* A Python int: as a number of the argument's kind, so that 2**70 is a fine float. */
static int from_int(const mod_state *st, const hr_arg_desc *arg, PyObject *obj, hr_value *out)
{
    int overflow = 0;
    out->kind = PyLong_CheckExact(obj) ? HR_VALUE_INT : enum_kind(st, obj);
    out->u.i = PyLong_AsLongLongAndOverflow(obj, &overflow);
    if (!overflow) return out->u.i == -1 && PyErr_Occurred() ? -1 : 0;
    if (arg->kind == HR_ARG_FLOAT || arg->kind == HR_ARG_FLOATS) {
        out->kind = HR_VALUE_FLOAT;
        out->u.f = PyLong_AsDouble(obj);
        return out->u.f == -1 && PyErr_Occurred() ? -1 : 0;
    }
    PyErr_Format(PyExc_OverflowError, "%R does not fit 64 bits", obj);
    return -1;
}

int value_from_object(mod_state *st, const hr_arg_desc *arg, PyObject *obj, value_room *room,
                      hr_value *out)
{
    obj = invariant_value(obj);
    out->n = 1;
    if (obj == Py_None) {
        out->kind = HR_VALUE_NONE;
    } else if (arg->kind == HR_ARG_DTYPE && !is_tensor(st, obj) && !is_batch(st, obj)) {
        hr_dtype dtype;
        if (dtype_from_object(st, obj, &dtype) < 0) return -1;
        out->kind = HR_VALUE_DTYPE;
        out->u.i = dtype;
    } else if (PyBool_Check(obj)) {
        out->kind = HR_VALUE_BOOL;
        out->u.i = obj == Py_True;
    } else if (PyLong_Check(obj)) {
        return from_int(st, arg, obj, out);
    } else if (PyFloat_Check(obj)) {
        out->kind = HR_VALUE_FLOAT;
        out->u.f = PyFloat_AS_DOUBLE(obj);
    } else if (PyUnicode_Check(obj) ||
               (is_text_kind(arg->kind) && !PyList_Check(obj) && !PyTuple_Check(obj))) {
        out->kind = HR_VALUE_STR;
        out->u.s = text_of(obj, room);
        return out->u.s ? 0 : -1;
    } else if (is_batch(st, obj)) {
        out->kind = HR_VALUE_BATCH;
        if (!batch_value(obj)) return -1;
        out->n = batch_of(obj)->n;
        out->u.t = batch_of(obj)->t;
    } else if (is_tensor(st, obj)) {
        out->kind = HR_VALUE_TENSOR;
        out->u.t = tensor_of(obj);
    } else if (PyList_Check(obj) || PyTuple_Check(obj) || PyRange_Check(obj)) {
        return from_list(st, arg, obj, room, out);
    } else {
        return from_array(st, obj, room, out);
    }
    return 0;
}

/* Says whose value it is. Errors of a caller's own __array__ and the like stay as they are. */
/* The pending exception, if its text may be put into other words; else NULL, and it stays. */
static PyObject *take_plain_error(void)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *type = (PyObject *)Py_TYPE(exc);
    if (type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_OverflowError ||
        type == PyExc_BufferError)
        return exc;
    PyErr_SetRaisedException(exc);
    return NULL;
}

void name_pending_error(const char *owner, const char *role, const char *name)
{
    PyObject *exc = take_plain_error();
    if (exc) PyErr_Format((PyObject *)Py_TYPE(exc), "%s: %s `%s`: %S", owner, role, name, exc);
    Py_XDECREF(exc);
}

void name_pending_sample(Py_ssize_t i)
{
    PyObject *exc = take_plain_error();
    if (exc) PyErr_Format((PyObject *)Py_TYPE(exc), "sample %zd: %S", i, exc);
    Py_XDECREF(exc);
}
