/* capture.invariant(): marking values, attributes of marked values, special methods without a slot,
 * copies, and taking marks off. */
#include "invariant_type.h"

#include <string.h>

/* ---- objects --------------------------------------------------------------------- */

/* The value marked (a new reference); a proxy is returned itself. */
static PyObject *mark(mod_state *st, PyObject *value)
{
    if (is_invariant(value)) return Py_NewRef(value);
    PyTypeObject *type = invariant_type_for(st, Py_TYPE(value));
    invariant_object *self = type ? PyObject_GC_New(invariant_object, type) : NULL;
    Py_XDECREF((PyObject *)type);
    if (!self) return NULL;
    self->value = Py_NewRef(value);
    self->weakrefs = NULL;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

/* There is no tp_clear, as there is none for tuples: a cycle through a proxy has an object in it that
 * can be changed, which is where it is broken, and `value` is never NULL. */
static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(VALUE(self));
    return 0;
}

void invariant_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((invariant_object *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    Py_DECREF(VALUE(self));
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* ---- attributes ------------------------------------------------------------------ */

static int is_dunder(PyObject *name)
{
    Py_ssize_t n = PyUnicode_GetLength(name);
    return n > 4 && PyUnicode_READ_CHAR(name, 0) == '_' && PyUnicode_READ_CHAR(name, 1) == '_' &&
           PyUnicode_READ_CHAR(name, n - 1) == '_' && PyUnicode_READ_CHAR(name, n - 2) == '_';
}

/* Copying and pickling look these up on the object; the value's own would make no value of it. */
static int is_of_proxy(PyObject *name)
{
    static const char *const names[] = {"__reduce_ex__", "__reduce__", "__copy__", "__deepcopy__"};
    for (int i = 0; i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return 1;
    return 0;
}

static PyObject *get_attribute(PyObject *self, PyObject *name)
{
    int plain = is_dunder(name);
    if (plain && is_of_proxy(name)) return PyObject_GenericGetAttr(self, name);
    PyObject *found = PyObject_GetAttr(VALUE(self), name);
    if (!found || plain) return found;
    PyObject *marked = mark(PyType_GetModuleState(Py_TYPE(self)), found);
    Py_DECREF(found);
    return marked;
}

static int set_attribute(PyObject *self, PyObject *name, PyObject *item)
{
    return item ? PyObject_SetAttr(VALUE(self), name, item)
                : PyObject_DelAttr(VALUE(self), name);
}

/* ---- what every object can do ---------------------------------------------------- */

static PyObject *forward_repr(PyObject *self) { return PyObject_Repr(VALUE(self)); }
static PyObject *forward_str(PyObject *self) { return PyObject_Str(VALUE(self)); }
static Py_hash_t forward_hash(PyObject *self) { return PyObject_Hash(VALUE(self)); }

static PyObject *forward_compare(PyObject *a, PyObject *b, int op)
{
    return PyObject_RichCompare(VALUE(a), invariant_value(b), op);
}

/* ---- copies ---------------------------------------------------------------------- */

static PyObject *call_of_module(const char *module, const char *name, PyObject *a, PyObject *b)
{
    PyObject *m = PyImport_ImportModule(module);
    PyObject *f = m ? PyObject_GetAttrString(m, name) : NULL;
    PyObject *out = f ? PyObject_CallFunctionObjArgs(f, a, b, NULL) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(m);
    return out;
}

static PyObject *copy_value(PyObject *self, PyObject *unused)
{
    return call_of_module("copy", "copy", VALUE(self), NULL);
}

static PyObject *copy_deeply(PyObject *self, PyObject *memo)
{
    return call_of_module("copy", "deepcopy", VALUE(self), memo);
}

/* As `operator.getitem((value,), 0)`: it unpickles to the plain value, without this library. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    PyObject *m = PyImport_ImportModule("operator");
    PyObject *f = m ? PyObject_GetAttrString(m, "getitem") : NULL;
    Py_XDECREF(m);
    return f ? Py_BuildValue("N((O)i)", f, VALUE(self), 0) : NULL;
}

static PyMethodDef methods[] = {
    {"__copy__", copy_value, METH_NOARGS, NULL},
    {"__deepcopy__", copy_deeply, METH_O, NULL},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {"__reduce_ex__", reduce, METH_O, NULL},
    {0},
};

const PyType_Slot invariant_common[] = {
    {Py_tp_dealloc, invariant_dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_getattro, get_attribute},
    {Py_tp_setattro, set_attribute},
    {Py_tp_repr, forward_repr},
    {Py_tp_str, forward_str},
    {Py_tp_richcompare, forward_compare},
    {Py_tp_methods, methods},
    {Py_tp_hash, forward_hash}, /* the last: not taken for values that have no hash */
    {0, NULL},
};

/* ---- special methods without a slot ---------------------------------------------- */

enum { MAX_SPECIAL_ARGS = 8 };

/* The method as the value's type has it, bound to the value; a new reference. */
static PyObject *special_method(PyObject *value, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name);
    if (!key) return NULL;
    PyObject *method = Py_XNewRef(_PyType_Lookup(Py_TYPE(value), key));
    Py_DECREF(key);
    if (!method)
        return PyErr_Format(PyExc_TypeError, "'%.200s' object has no %s",
                            Py_TYPE(value)->tp_name, name);
    descrgetfunc get = Py_TYPE(method)->tp_descr_get;
    if (!get) return method;
    PyObject *bound = get(method, value, (PyObject *)Py_TYPE(value));
    Py_DECREF(method);
    return bound;
}

static PyObject *call_special(PyObject *self, const char *name, PyObject *const *args,
                              Py_ssize_t n, PyObject *kwnames)
{
    PyObject *plain[MAX_SPECIAL_ARGS];
    Py_ssize_t all = n + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *method = special_method(VALUE(self), name);
    if (!method) return NULL;
    for (Py_ssize_t i = 0; i < all && all <= MAX_SPECIAL_ARGS; i++)
        plain[i] = invariant_value(args[i]);
    PyObject *out = PyObject_Vectorcall(method, all <= MAX_SPECIAL_ARGS ? plain : args, (size_t)n,
                                        kwnames);
    Py_DECREF(method);
    return out;
}

#define SPECIAL(name)                                                                  \
    static PyObject *call_##name(PyObject *self, PyObject *const *args, Py_ssize_t n,  \
                                 PyObject *kwnames)                                    \
    {                                                                                  \
        return call_special(self, "__" #name "__", args, n, kwnames);                  \
    }
SPECIAL(enter) SPECIAL(exit) SPECIAL(aenter) SPECIAL(aexit) SPECIAL(reversed) SPECIAL(round)
SPECIAL(trunc) SPECIAL(floor) SPECIAL(ceil) SPECIAL(format) SPECIAL(bytes)
SPECIAL(length_hint) SPECIAL(dir) SPECIAL(instancecheck) SPECIAL(subclasscheck)
SPECIAL(set_name) SPECIAL(replace)

/* A str or bytes is a path by its type; as a proxy it becomes one by this method. */
static PyObject *call_fspath(PyObject *self, PyObject *const *args, Py_ssize_t n,
                             PyObject *kwnames)
{
    if (PyUnicode_Check(VALUE(self)) || PyBytes_Check(VALUE(self))) return Py_NewRef(VALUE(self));
    return call_special(self, "__fspath__", args, n, kwnames);
}

/* Before CPython 3.11 complex numbers have no such method, and are known by their type. */
static PyObject *call_complex(PyObject *self, PyObject *const *args, Py_ssize_t n,
                              PyObject *kwnames)
{
    if (PyComplex_CheckExact(VALUE(self))) return Py_NewRef(VALUE(self));
    return call_special(self, "__complex__", args, n, kwnames);
}

#define ROW(name) {"__" #name "__", METHOD(call_##name), METH_FASTCALL | METH_KEYWORDS, NULL}
PyMethodDef invariant_specials[N_SPECIALS] = {
    ROW(fspath), ROW(complex), ROW(enter), ROW(exit), ROW(aenter), ROW(aexit),
    ROW(reversed), ROW(round), ROW(trunc), ROW(floor), ROW(ceil), ROW(format),
    ROW(bytes), ROW(length_hint), ROW(dir), ROW(instancecheck),
    ROW(subclasscheck), ROW(set_name), ROW(replace),
};

/* ---- without marks --------------------------------------------------------------- */

static PyObject *plain_sequence(mod_state *st, PyObject *seq)
{
    Py_ssize_t n = PySequence_Fast_GET_SIZE(seq);
    PyObject *out = NULL;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(seq) && i < n; i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(seq, i));
        PyObject *plain = invariant_plain(st, item);
        int changed = plain != item;
        Py_DECREF(item);
        if (plain && changed && !out) out = PySequence_List(seq);
        if (plain && changed && out && i < PyList_GET_SIZE(out))
            PyList_SetItem(out, i, Py_NewRef(plain));
        int bad = !plain || (changed && !out);
        Py_XDECREF(plain);
        if (bad) {
            Py_XDECREF(out);
            return NULL;
        }
    }
    if (!out) return Py_NewRef(seq);
    if (PyList_CheckExact(seq)) return out;
    PyObject *tuple = PyList_AsTuple(out);
    Py_DECREF(out);
    return tuple;
}

PyObject *invariant_plain(mod_state *st, PyObject *o)
{
    o = invariant_value(o);
    if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o)) return Py_NewRef(o);
    if (Py_EnterRecursiveCall(" while marks are taken off")) return NULL;
    PyObject *out = plain_sequence(st, o);
    Py_LeaveRecursiveCall();
    return out;
}

/* ---- the module's functions ------------------------------------------------------ */

PyObject *module_invariant(PyObject *module, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames)
{
    Py_ssize_t n_kw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    if (n + n_kw == 1 &&
        (n == 1 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "value") == 0))
        return mark(state_of_module(module), args[0]);
    return PyErr_Format(PyExc_TypeError, "invariant() takes one argument, `value`");
}

PyObject *module_is_invariant(PyObject *module, PyObject *value)
{
    return PyBool_FromLong(is_invariant(value));
}

PyObject *module_plain(PyObject *module, PyObject *value)
{
    return invariant_plain(state_of_module(module), value);
}
