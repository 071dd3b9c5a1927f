/* Values that are no tensors: what stands for them in a key. Plain immutable values stand for
 * themselves. Others get a token of tuples and frozen sets in which every value comes with its type,
 * so that Python's own comparison of tokens is a typed comparison of the values: `(type, content)`.
 *
 * An object whose class has no comparison of its own is compared by class and attributes if these
 * are plain values, few and shallow; by identity otherwise. */
#include "graph.h"

#include "invariant.h"

#define MIX(hash, salt) (((uint64_t)(hash) ^ (salt)) * UINT64_C(0x9e3779b97f4a7c15))

enum { DEPTH = 8, BUDGET = 4096 };

typedef struct freezer {
    mod_state *st;
    int depth;
    int left;   /* values that may still be looked at */
    int in_state; /* inside an object that is compared by its attributes */
    int failed; /* the token cannot be made: compare by identity */
} freezer;

static PyObject *freeze(freezer *f, PyObject *value);

/* ---- small pieces ------------------------------------------------------------------ */

static PyObject *pair(PyTypeObject *type, PyObject *take_content)
{
    PyObject *out = take_content ? PyTuple_Pack(2, (PyObject *)type, take_content) : NULL;
    Py_XDECREF(take_content);
    return out;
}

static int is_nan(PyObject *number)
{
    return PyFloat_Check(number) && Py_IS_NAN(PyFloat_AS_DOUBLE(number));
}

/* Immutable and compared by value, with nothing inside. */
static int is_plain(PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    return v == Py_None || t == &PyLong_Type || t == &PyBool_Type || t == &PyUnicode_Type ||
           t == &PyBytes_Type || v == Py_Ellipsis || v == Py_NotImplemented;
}

/* The items of an iterable as a tuple of tokens. */
static PyObject *freeze_items(freezer *f, PyObject *iterable)
{
    PyObject *items = PySequence_Tuple(iterable);
    PyObject *out = items ? PyTuple_New(PyTuple_GET_SIZE(items)) : NULL;
    for (Py_ssize_t i = 0; out && i < PyTuple_GET_SIZE(items); i++) {
        PyObject *token = freeze(f, PyTuple_GET_ITEM(items, i));
        if (token) PyTuple_SET_ITEM(out, i, token);
        else Py_CLEAR(out);
    }
    Py_XDECREF(items);
    return out;
}

static PyObject *freeze_set(freezer *f, PyObject *iterable)
{
    PyObject *items = freeze_items(f, iterable);
    PyObject *out = items ? PyFrozenSet_New(items) : NULL;
    Py_XDECREF(items);
    return out;
}

static PyObject *freeze_dict(freezer *f, PyObject *dict)
{
    PyObject *items = PyDict_Items(dict);
    PyObject *out = items ? freeze_set(f, items) : NULL;
    Py_XDECREF(items);
    return out;
}

/* ---- arrays, by content ------------------------------------------------------------ */

static PyObject *freeze_buffer(PyObject *value)
{
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) < 0) return NULL;
    PyObject *shape = PyTuple_New(view.ndim), *bytes = PyBytes_FromStringAndSize(NULL, view.len);
    for (int d = 0; shape && d < view.ndim; d++)
        PyTuple_SET_ITEM(shape, d, PyLong_FromSsize_t(view.shape ? view.shape[d] : view.len));
    if (bytes && PyBuffer_ToContiguous(PyBytes_AS_STRING(bytes), &view, view.len, 'C') < 0)
        Py_CLEAR(bytes);
    PyObject *out = shape && bytes && !PyErr_Occurred()
                        ? Py_BuildValue("(sOO)", view.format ? view.format : "B", shape, bytes) : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(bytes);
    PyBuffer_Release(&view);
    return out;
}

static PyObject *freeze_tensor(freezer *f, PyObject *value)
{
    hr_tensor t = {0};
    int copied;
    if (tensor_from_object(f->st, value, &t, &copied) < 0) return NULL;
    PyObject *tensor = tensor_wrap(f->st, &t);
    PyObject *out = tensor ? freeze_buffer(tensor) : NULL;
    Py_XDECREF(tensor);
    return out;
}

/* ---- objects ----------------------------------------------------------------------- */

static PyObject *by_identity(PyObject *value)
{
    PyObject *number = PyLong_FromVoidPtr(value);
    PyObject *out = number ? PyTuple_Pack(3, Py_TYPE(value), number, value) : NULL;
    Py_XDECREF(number);
    return out;
}

static int has_state(PyObject *value)
{
    PyTypeObject *t = Py_TYPE(value);
    return t->tp_flags & Py_TPFLAGS_HEAPTYPE && t->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
           !PyType_Check(value) && !PyCallable_Check(value) && !PyIter_Check(value);
}

/* By class and attributes; NULL without an exception: by identity. */
static PyObject *freeze_state(freezer *f, PyObject *value)
{
    PyObject *dict = NULL;
    int found = PyObject_GetOptionalAttr(value, f->st->graphs->str_dict, &dict);
    if (found < 0) PyErr_Clear();
    PyObject *out = NULL;
    f->in_state++;
    if (found == 1 && PyDict_CheckExact(dict) && PyDict_GET_SIZE(dict) > 0) out = freeze_dict(f, dict);
    f->in_state--;
    Py_XDECREF(dict);
    return out ? pair(Py_TYPE(value), out) : NULL;
}

static PyObject *freeze_number(PyObject *value)
{
    if (PyComplex_CheckExact(value)) {
        Py_complex c = PyComplex_AsCComplex(value);
        if (Py_IS_NAN(c.real) || Py_IS_NAN(c.imag))
            return Py_BuildValue("(ONN)", Py_TYPE(value), pair(&PyFloat_Type, PyObject_Repr(value)),
                                 PyUnicode_FromString("nan"));
    }
    if (is_nan(value)) return pair(Py_TYPE(value), PyUnicode_FromString("nan"));
    return pair(Py_TYPE(value), Py_NewRef(value));
}

/* By the class's own comparison: NumPy's scalars, enum members, strings' and numbers' subclasses,
 * what users wrote. A value that is not equal to itself is a NaN of some kind. */
static PyObject *freeze_comparable(PyObject *value)
{
    Py_hash_t hash = PyObject_Hash(value);
    if (hash == -1) return NULL;
    int same = PyObject_RichCompareBool(value, value, Py_EQ); /* true for one object */
    PyObject *equal = same == 1 ? PyObject_RichCompare(value, value, Py_EQ) : NULL;
    int is_itself = equal ? PyObject_IsTrue(equal) : -1;
    Py_XDECREF(equal);
    if (is_itself < 0) return NULL;
    if (!is_itself) return pair(Py_TYPE(value), PyUnicode_FromString("nan"));
    return pair(Py_TYPE(value), Py_NewRef(value));
}

static PyObject *freeze_range(freezer *f, PyObject *value)
{
    if (PyRange_Check(value)) return pair(Py_TYPE(value), Py_NewRef(value));
    PySliceObject *s = (PySliceObject *)value;
    PyObject *parts = PyTuple_Pack(3, s->start, s->stop, s->step);
    PyObject *out = parts ? freeze_items(f, parts) : NULL;
    Py_XDECREF(parts);
    return out ? pair(Py_TYPE(value), out) : NULL;
}

static int is_named(PyTypeObject *type, const char *name)
{
    return strcmp(type->tp_name, name) == 0;
}

/* Bags of attributes: they compare as dicts do, but here with types. */
static int is_namespace(PyTypeObject *type)
{
    if (type->tp_hash != PyObject_HashNotImplemented) return 0;
    if (is_named(type, "types.SimpleNamespace")) return 1;
    PyObject *parsed = graph_loaded("argparse", "Namespace");
    Py_XDECREF(parsed);
    return parsed && (PyObject *)type == parsed;
}

/* The token, or NULL: with an exception, or without for "by identity". */
static PyObject *freeze_other(freezer *f, PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    graph_kind *kind = graph_kind_of(f->st, v);
    if (!kind) return NULL;
    graph_way way = kind->way;
    if (graph_is_tensor(way) && f->in_state) return f->failed = 1, NULL; /* weights: too much */
    if (graph_is_tensor(way)) return pair(t, freeze_tensor(f, v));
    if (PyAnySet_Check(v)) return pair(t, freeze_set(f, v));
    if (way == GRAPH_LIST || way == GRAPH_TUPLE || is_named(t, "collections.deque"))
        return pair(t, freeze_items(f, v));
    if (PyDict_Check(v)) return pair(t, freeze_dict(f, v));
    if (PyRange_Check(v) || PySlice_Check(v)) return freeze_range(f, v);
    if (PyType_Check(v) || is_named(Py_TYPE(t), "EnumType") || is_named(Py_TYPE(t), "EnumMeta"))
        return by_identity(v);
    int is_buffer = PyObject_CheckBuffer(v) && t->tp_hash == PyObject_HashNotImplemented;
    if (is_buffer || PyMemoryView_Check(v)) return pair(t, freeze_buffer(v));
    if (is_namespace(t)) return freeze_state(f, v);
    if (t->tp_richcompare != PyBaseObject_Type.tp_richcompare) return freeze_comparable(v);
    return has_state(v) ? freeze_state(f, v) : NULL;
}

static PyObject *freeze(freezer *f, PyObject *value)
{
    value = invariant_value(value);
    if (is_plain(value)) return PyTuple_Pack(2, Py_TYPE(value), value);
    if (PyFloat_CheckExact(value) || PyComplex_CheckExact(value)) return freeze_number(value);
    if (f->depth >= DEPTH || --f->left < 0) {
        f->failed = 1;
        return NULL;
    }
    f->depth++;
    PyObject *out = freeze_other(f, value);
    f->depth--;
    if (!out && !f->failed && !PyErr_Occurred()) return by_identity(value);
    return out;
}

/* ---- tokens ------------------------------------------------------------------------ */

/* A value whose token cannot be made is compared by its own ==, if it has one, and else by identity;
 * its class alone is its hash. */
static int stand_for_itself(PyObject *value, PyObject **token, uint64_t *hash)
{
    *token = Py_NewRef(value);
    *hash = MIX((uintptr_t)Py_TYPE(value), 0xb0b);
    return 0;
}

static int make_token(mod_state *st, PyObject *value, PyObject **token, uint64_t *hash)
{
    freezer f = {.st = st, .left = BUDGET};
    PyObject *made = freeze(&f, value);
    Py_hash_t h = made ? PyObject_Hash(made) : -1;
    if (made && h != -1) {
        *token = made;
        *hash = MIX(h, 0x70e);
        return 0;
    }
    Py_XDECREF(made);
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) return -1;
    PyErr_Clear(); /* unhashable, or an error in the class's own comparison */
    return stand_for_itself(value, token, hash);
}

int graph_token(mod_state *st, PyObject *value, PyObject **token, uint64_t *hash)
{
    PyTypeObject *t = Py_TYPE(value);
    uint64_t salt;
    if (t == &PyUnicode_Type) salt = 1;
    else if (value == Py_None) salt = 2;
    else if (t == &PyBool_Type) salt = 3;
    else if (t == &PyLong_Type) salt = 4;
    else if (t == &PyFloat_Type) salt = 5;
    else if (t == &PyBytes_Type) salt = 6;
    else return make_token(st, value, token, hash);
    Py_hash_t h = is_nan(value) ? 99 : value == Py_None ? 0 : PyObject_Hash(value);
    *token = Py_NewRef(value);
    *hash = MIX(h, salt);
    return 0;
}

int graph_token_equal(PyObject *a, PyObject *b)
{
    if (a == b) return 1;
    if (Py_TYPE(a) != Py_TYPE(b)) return 0;
    if (is_nan(a) && is_nan(b)) return 1;
    int same = PyObject_RichCompareBool(a, b, Py_EQ);
    if (same >= 0 || !PyErr_ExceptionMatches(PyExc_Exception)) return same;
    PyErr_Clear(); /* what cannot be compared is not equal */
    return 0;
}

int graph_key_hash(PyObject *key, uint64_t *hash)
{
    Py_hash_t h = PyObject_Hash(key);
    if (h == -1) return -1;
    *hash = (uint64_t)h;
    if (Py_IS_TYPE(key, &PyUnicode_Type)) return 0;
    *hash = is_nan(key) ? 99 : MIX(h, (uintptr_t)Py_TYPE(key));
    return 0;
}

static int equal_tokens(const void *a, const void *b, void *user)
{
    return graph_token_equal((PyObject *)a, (PyObject *)b);
}

const hr_tree_ways *graph_ways(void)
{
    static const hr_tree_ways ways = {equal_tokens, equal_tokens, NULL};
    return &ways;
}
