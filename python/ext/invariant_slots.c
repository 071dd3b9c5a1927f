/* The proxy's slots: each does to the value what was asked of the proxy. Operands and keys that are
 * marked themselves are passed on without the mark; results are ordinary. */
#include "invariant_type.h"

#define PLAIN(o) invariant_value(o)

/* The value's type may have lost a method since its proxy's type was made. */
static PyObject *fail_lost(PyObject *value, const char *what)
{
    return PyErr_Format(PyExc_TypeError, "'%.200s' object %s", Py_TYPE(value)->tp_name, what);
}

/* ---- numbers --------------------------------------------------------------------- */

static binaryfunc number_slot(PyObject *o, size_t offset)
{
    PyNumberMethods *m = Py_TYPE(o)->tp_as_number;
    return m ? *(binaryfunc *)((char *)m + offset) : NULL;
}

/* `+` and `*` fall back to sequences after this, so NotImplemented has to come back: the interpreter
 * knows whether the statement was `x *= p`, which changes a list in place, or `x * p`. */
static PyObject *try_binary(PyObject *v, PyObject *w, size_t offset)
{
    binaryfunc of_v = number_slot(v, offset), of_w = number_slot(w, offset);
    if (of_w == of_v) of_w = NULL;
    if (of_v && of_w && PyType_IsSubtype(Py_TYPE(w), Py_TYPE(v))) {
        binaryfunc first = of_w;
        of_w = of_v;
        of_v = first;
    }
    if (of_v) {
        PyObject *r = of_v(v, w);
        if (r != Py_NotImplemented || !of_w) return r;
        Py_DECREF(r);
    }
    if (of_w) return of_w(v, w);
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *forward_add(PyObject *v, PyObject *w)
{
    return try_binary(PLAIN(v), PLAIN(w), offsetof(PyNumberMethods, nb_add));
}

static PyObject *forward_multiply(PyObject *v, PyObject *w)
{
    return try_binary(PLAIN(v), PLAIN(w), offsetof(PyNumberMethods, nb_multiply));
}

PyObject *invariant_add_right(PyObject *v, PyObject *w)
{
    if (PyUnicode_Check(v) || PyBytes_Check(v) || PyTuple_Check(v))
        return PyNumber_Add(v, PLAIN(w));
    Py_RETURN_NOTIMPLEMENTED;
}

#define BINARY(name, function)                                                         \
    static PyObject *forward_##name(PyObject *v, PyObject *w)                          \
    {                                                                                  \
        return function(PLAIN(v), PLAIN(w));                                           \
    }
BINARY(subtract, PyNumber_Subtract)
BINARY(remainder, PyNumber_Remainder)
BINARY(divmod, PyNumber_Divmod)
BINARY(lshift, PyNumber_Lshift)
BINARY(rshift, PyNumber_Rshift)
BINARY(and, PyNumber_And)
BINARY(xor, PyNumber_Xor)
BINARY(or, PyNumber_Or)
BINARY(floor_divide, PyNumber_FloorDivide)
BINARY(true_divide, PyNumber_TrueDivide)
BINARY(matrix_multiply, PyNumber_MatrixMultiply)
BINARY(inplace_add, PyNumber_InPlaceAdd)
BINARY(inplace_subtract, PyNumber_InPlaceSubtract)
BINARY(inplace_remainder, PyNumber_InPlaceRemainder)
BINARY(inplace_lshift, PyNumber_InPlaceLshift)
BINARY(inplace_rshift, PyNumber_InPlaceRshift)
BINARY(inplace_and, PyNumber_InPlaceAnd)
BINARY(inplace_xor, PyNumber_InPlaceXor)
BINARY(inplace_or, PyNumber_InPlaceOr)
BINARY(inplace_floor_divide, PyNumber_InPlaceFloorDivide)
BINARY(inplace_true_divide, PyNumber_InPlaceTrueDivide)
BINARY(inplace_matrix_multiply, PyNumber_InPlaceMatrixMultiply)
BINARY(concat, PySequence_Concat)
BINARY(inplace_concat, PySequence_InPlaceConcat)

PyObject *invariant_multiply_in_place(PyObject *v, PyObject *w)
{
    return PyNumber_InPlaceMultiply(PLAIN(v), PLAIN(w));
}

static PyObject *forward_power(PyObject *v, PyObject *w, PyObject *z)
{
    return PyNumber_Power(PLAIN(v), PLAIN(w), PLAIN(z));
}

static PyObject *forward_inplace_power(PyObject *v, PyObject *w, PyObject *z)
{
    return PyNumber_InPlacePower(PLAIN(v), PLAIN(w), PLAIN(z));
}

#define UNARY(name, function)                                                          \
    static PyObject *forward_##name(PyObject *self) { return function(VALUE(self)); }
UNARY(negative, PyNumber_Negative)
UNARY(positive, PyNumber_Positive)
UNARY(absolute, PyNumber_Absolute)
UNARY(invert, PyNumber_Invert)
UNARY(int, PyNumber_Long)
UNARY(float, PyNumber_Float)
UNARY(index, PyNumber_Index)
UNARY(iter, PyObject_GetIter)

static int forward_bool(PyObject *self) { return PyObject_IsTrue(VALUE(self)); }

/* ---- containers ------------------------------------------------------------------ */

static Py_ssize_t forward_length(PyObject *self) { return PyObject_Size(VALUE(self)); }

static PyObject *forward_repeat(PyObject *self, Py_ssize_t n)
{
    return PySequence_Repeat(VALUE(self), n);
}

static PyObject *forward_inplace_repeat(PyObject *self, Py_ssize_t n)
{
    return PySequence_InPlaceRepeat(VALUE(self), n);
}

/* By the slot itself: the length was added to a negative index already. */
static PyObject *forward_item(PyObject *self, Py_ssize_t i)
{
    PyObject *value = VALUE(self);
    PySequenceMethods *m = Py_TYPE(value)->tp_as_sequence;
    return m && m->sq_item ? m->sq_item(value, i) : fail_lost(value, "is not subscriptable");
}

static int forward_ass_item(PyObject *self, Py_ssize_t i, PyObject *item)
{
    PyObject *value = VALUE(self);
    PySequenceMethods *m = Py_TYPE(value)->tp_as_sequence;
    if (m && m->sq_ass_item) return m->sq_ass_item(value, i, item);
    fail_lost(value, "does not support item assignment");
    return -1;
}

static int forward_contains(PyObject *self, PyObject *item)
{
    return PySequence_Contains(VALUE(self), PLAIN(item));
}

PyObject *invariant_get_item(PyObject *self, PyObject *key)
{
    return PyObject_GetItem(VALUE(self), PLAIN(key));
}

static int forward_ass_subscript(PyObject *self, PyObject *key, PyObject *item)
{
    return item ? PyObject_SetItem(VALUE(self), PLAIN(key), item)
                : PyObject_DelItem(VALUE(self), PLAIN(key));
}

/* By the slot itself, which hands StopIteration's value through. */
static PyObject *forward_iternext(PyObject *self)
{
    PyObject *value = VALUE(self);
    iternextfunc next = Py_TYPE(value)->tp_iternext;
    return next ? next(value) : fail_lost(value, "is not an iterator");
}

/* The value itself is the exporter: the view refers to it, and goes back to it. */
static int forward_buffer(PyObject *self, Py_buffer *view, int flags)
{
    return PyObject_GetBuffer(VALUE(self), view, flags);
}

/* ---- coroutines ------------------------------------------------------------------ */

#define ASYNC(name, member)                                                            \
    static PyObject *forward_##name(PyObject *self)                                    \
    {                                                                                  \
        PyObject *value = VALUE(self);                                                 \
        PyAsyncMethods *m = Py_TYPE(value)->tp_as_async;                               \
        return m && m->member ? m->member(value)                                       \
                              : fail_lost(value, "has lost " #member);                 \
    }
ASYNC(await, am_await)
ASYNC(aiter, am_aiter)
ASYNC(anext, am_anext)

static PySendResult forward_send(PyObject *self, PyObject *arg, PyObject **result)
{
    return PyIter_Send(VALUE(self), arg, result);
}

/* ---- calls, descriptors ---------------------------------------------------------- */

static PyObject *forward_call(PyObject *self, PyObject *args, PyObject *kw)
{
    return PyObject_Call(VALUE(self), args, kw);
}

static PyObject *forward_descr_get(PyObject *self, PyObject *obj, PyObject *type)
{
    PyObject *value = VALUE(self);
    descrgetfunc get = Py_TYPE(value)->tp_descr_get;
    return get ? get(value, obj, type) : Py_NewRef(self);
}

static int forward_descr_set(PyObject *self, PyObject *obj, PyObject *item)
{
    PyObject *value = VALUE(self);
    descrsetfunc set = Py_TYPE(value)->tp_descr_set;
    if (set) return set(value, obj, item);
    fail_lost(value, "cannot be set as an attribute");
    return -1;
}

/* ---- the rows -------------------------------------------------------------------- */

#define ROW(group, table, prefix, name, function)                                      \
    {Py_##prefix##_##name, offsetof(PyTypeObject, group),                              \
     offsetof(table, prefix##_##name), (void *)(function)}
#define NB(name, function) ROW(tp_as_number, PyNumberMethods, nb, name, function)
#define SQ(name, function) ROW(tp_as_sequence, PySequenceMethods, sq, name, function)
#define MP(name, function) ROW(tp_as_mapping, PyMappingMethods, mp, name, function)
#define AM(name, function) ROW(tp_as_async, PyAsyncMethods, am, name, function)
#define BF(name, function) ROW(tp_as_buffer, PyBufferProcs, bf, name, function)
#define TP(name, function)                                                             \
    {Py_tp_##name, 0, offsetof(PyTypeObject, tp_##name), (void *)(function)}

const forward_row invariant_forwards[N_FORWARDS] = {
    NB(add, forward_add), NB(subtract, forward_subtract), NB(multiply, forward_multiply),
    NB(remainder, forward_remainder), NB(divmod, forward_divmod), NB(power, forward_power),
    NB(negative, forward_negative), NB(positive, forward_positive),
    NB(absolute, forward_absolute), NB(bool, forward_bool), NB(invert, forward_invert),
    NB(lshift, forward_lshift), NB(rshift, forward_rshift), NB(and, forward_and),
    NB(xor, forward_xor), NB(or, forward_or), NB(int, forward_int), NB(float, forward_float),
    NB(inplace_add, forward_inplace_add), NB(inplace_subtract, forward_inplace_subtract),
    NB(inplace_multiply, invariant_multiply_in_place),
    NB(inplace_remainder, forward_inplace_remainder),
    NB(inplace_power, forward_inplace_power), NB(inplace_lshift, forward_inplace_lshift),
    NB(inplace_rshift, forward_inplace_rshift), NB(inplace_and, forward_inplace_and),
    NB(inplace_xor, forward_inplace_xor), NB(inplace_or, forward_inplace_or),
    NB(floor_divide, forward_floor_divide), NB(true_divide, forward_true_divide),
    NB(inplace_floor_divide, forward_inplace_floor_divide),
    NB(inplace_true_divide, forward_inplace_true_divide), NB(index, forward_index),
    NB(matrix_multiply, forward_matrix_multiply),
    NB(inplace_matrix_multiply, forward_inplace_matrix_multiply),
    SQ(length, forward_length), SQ(concat, forward_concat), SQ(repeat, forward_repeat),
    SQ(item, forward_item), SQ(ass_item, forward_ass_item), SQ(contains, forward_contains),
    SQ(inplace_concat, forward_inplace_concat), SQ(inplace_repeat, forward_inplace_repeat),
    MP(length, forward_length), MP(subscript, invariant_get_item),
    MP(ass_subscript, forward_ass_subscript),
    AM(await, forward_await), AM(aiter, forward_aiter), AM(anext, forward_anext),
    AM(send, forward_send), BF(getbuffer, forward_buffer),
    TP(call, forward_call), TP(iter, forward_iter), TP(iternext, forward_iternext),
    TP(descr_get, forward_descr_get), TP(descr_set, forward_descr_set),
};
