/* RNG: the counter-based generator as a Python object, and each thread's default one. */
#include "ext.h"

#include "capture.h"
#include "invariant.h"

#include <string.h>
#include <sys/random.h>

#define rng_of(o) (&((rng_object *)(o))->rng)

void rng_note_draws(rng_object *rng, uint64_t n)
{
    const capture_object *c = capture_active();
    if (c && c->state == CAPTURE_TRACING && rng->trace_id != c->id) {
        rng->trace_id = c->id; /* the first draw of the traced step */
        rng->trace_mark = rng->drawn;
    }
    rng->drawn += n;
}

static PyObject *text_of(const hr_rng *rng)
{
    char text[HR_RNG_TEXT_SIZE];
    hr_rng_to_text(rng, text);
    return PyUnicode_FromString(text);
}

static int set_text(PyObject *self, PyObject *value)
{
    mod_state *st = state_of(self);
    value = invariant_value(value);
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "an RNG's state is a str such as \"Philox_...\", got %.100s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(value, &n);
    hr_error err = {0};
    hr_rng rng;
    if (!text) return -1;
    if (hr_rng_from_text(&rng, text, (size_t)n, &err) != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    *rng_of(self) = rng;
    ((rng_object *)self)->replaced++;
    return 0;
}

static int set_seed(PyObject *self, PyObject *value)
{
    PyObject *whole = whole_number("RNG", "seed", value);
    if (!whole) return -1;
    uint64_t seed = PyLong_AsUnsignedLongLongMask(whole); /* modulo 2^64 */
    Py_DECREF(whole);
    if (seed == UINT64_MAX && PyErr_Occurred()) return -1;
    *rng_of(self) = hr_rng_seed(seed);
    ((rng_object *)self)->replaced++;
    return 0;
}

static int seed_at_random(PyObject *self)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    *rng_of(self) = hr_rng_seed(seed);
    return 0;
}

static PyObject *new_rng(PyTypeObject *type)
{
    rng_object *self = PyObject_New(rng_object, type);
    if (self) {
        self->rng = hr_rng_seed(0);
        self->replaced = self->drawn = self->trace_id = self->trace_mark = 0;
        self->weakrefs = NULL;
    }
    return (PyObject *)self;
}

static PyObject *rng_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"seed", "state", NULL};
    PyObject *seed = Py_None, *state = Py_None;
    if (!parse_arguments(args, kw, "|OO:RNG", names, &seed, &state)) return NULL;
    seed = invariant_value(seed);
    state = invariant_value(state);
    if (seed != Py_None && state != Py_None) {
        PyErr_SetString(PyExc_ValueError, "RNG: give a seed or a state, not both");
        return NULL;
    }
    PyObject *self = new_rng(type);
    if (!self) return NULL;
    int bad = seed != Py_None    ? set_seed(self, seed)
              : state != Py_None ? set_text(self, state)
                                 : seed_at_random(self);
    if (bad) Py_CLEAR(self);
    return self;
}

static void rng_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((rng_object *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *rng_call(PyObject *self, PyObject *args, PyObject *kw)
{
    if (PyTuple_GET_SIZE(args) || (kw && PyDict_GET_SIZE(kw))) {
        PyErr_SetString(PyExc_TypeError, "an RNG is called without arguments");
        return NULL;
    }
    rng_note_draws((rng_object *)self, 1);
    return PyLong_FromUnsignedLong(hr_rng_next(rng_of(self)));
}

static PyObject *advance(PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *n = only_argument(args, kw, "advance", "n");
    PyObject *whole = n ? whole_number("advance", "n", n) : NULL;
    if (!whole) return NULL;
    PyObject *zero = PyLong_FromLong(0);
    int negative = zero ? PyObject_RichCompareBool(whole, zero, Py_LT) : -1;
    Py_XDECREF(zero);
    uint64_t count = negative == 0 ? PyLong_AsUnsignedLongLong(whole) : 0;
    if (negative == 1)
        PyErr_Format(PyExc_ValueError, "advance(%R): the count is negative", n);
    else if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Format(PyExc_OverflowError, "advance(%R): the count must be below 2**64", n);
    Py_DECREF(whole);
    if (PyErr_Occurred()) return NULL;
    rng_note_draws((rng_object *)self, count);
    hr_rng_skip(rng_of(self), count);
    Py_RETURN_NONE;
}

static PyObject *clone_rng(PyObject *self, PyObject *unused)
{
    PyObject *out = new_rng(Py_TYPE(self));
    if (out) *rng_of(out) = *rng_of(self);
    return out;
}

static PyObject *get_state(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"cuda_stream", NULL};
    PyObject *stream = Py_None;
    if (!parse_arguments(args, kw, "|$O:get_state", names, &stream)) return NULL;
    if (invariant_value(stream) != Py_None) {
        PyErr_SetString(PyExc_RuntimeError, "RNG.get_state: cuda_stream needs a GPU; this build has none");
        return NULL;
    }
    return text_of(rng_of(self));
}

static PyObject *set_state(PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *value = only_argument(args, kw, "set_state", "value");
    if (!value || set_text(self, value) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *state_getter(PyObject *self, void *closure) { return text_of(rng_of(self)); }

static int state_setter(PyObject *self, PyObject *value, void *closure)
{
    if (value) return set_text(self, value);
    PyErr_SetString(PyExc_AttributeError, "an RNG's state cannot be deleted");
    return -1;
}

static PyObject *seed_getter(PyObject *self, void *closure)
{
    PyErr_SetString(PyExc_AttributeError, "RNG.seed is write-only; read `state` instead");
    return NULL;
}

static int seed_setter(PyObject *self, PyObject *value, void *closure)
{
    if (value) return set_seed(self, value);
    PyErr_SetString(PyExc_AttributeError, "an RNG's seed cannot be deleted");
    return -1;
}

static PyGetSetDef getset[] = {
    {"state", state_getter, state_setter, "The state as text; assigning restores it.", NULL},
    {"seed", seed_getter, seed_setter, "Write-only: starts anew from a seed (modulo 2**64).",
     NULL},
    {0},
};

static PyObject *rng_repr(PyObject *self)
{
    PyObject *text = text_of(rng_of(self));
    PyObject *out = text ? PyUnicode_FromFormat("RNG(state='%U')", text) : NULL;
    Py_XDECREF(text);
    return out;
}

static PyObject *rng_reduce(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("O(ON)", Py_TYPE(self), Py_None, text_of(rng_of(self)));
}

static PyMethodDef methods[] = {
    {"advance", METHOD(advance), METH_VARARGS | METH_KEYWORDS,
     "advance($self, /, n)\n--\n\nSkips n draws."},
    {"clone", clone_rng, METH_NOARGS, "clone($self, /)\n--\n\nAn independent generator in this state."},
    {"get_state", METHOD(get_state), METH_VARARGS | METH_KEYWORDS,
     "get_state($self, /, *, cuda_stream=None)\n--\n\n"
     "The state as text. `cuda_stream` can only be None: this build has no GPU."},
    {"set_state", METHOD(set_state), METH_VARARGS | METH_KEYWORDS,
     "set_state($self, /, value)\n--\n\nRestores a state."},
    {"__reduce__", rng_reduce, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(rng_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_members, members},
    {Py_tp_doc, "RNG(seed=None, state=None)\n--\n\n"
                "A counter-based random generator (Philox 4x32, 10 rounds). Called, it gives one\n"
                "32-bit word; a random operator draws seven words a call, whatever its batch\n"
                "size. Without a seed it starts at random."},
    {Py_tp_new, rng_new},
    {Py_tp_dealloc, rng_dealloc},
    {Py_tp_call, rng_call},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_repr, rng_repr},
    {0, NULL},
};

PyType_Spec rng_spec = {
    .name = "headrace.random.RNG",
    .basicsize = sizeof(rng_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

rng_object *default_rng(mod_state *st)
{
    PyObject *dict = PyThreadState_GetDict(), *rng = NULL;
    if (!dict) {
        PyErr_SetString(PyExc_RuntimeError, "no thread state for a default generator");
        return NULL;
    }
    int found = PyDict_GetItemRef(dict, st->str_rng_key, &rng);
    if (found == 0) {
        rng = new_rng(st->rng_type);
        if (rng && (seed_at_random(rng) < 0 || PyDict_SetItem(dict, st->str_rng_key, rng) < 0))
            Py_CLEAR(rng);
    }
    Py_XDECREF(rng); /* the thread's dict keeps it */
    return (rng_object *)rng;
}

PyObject *module_get_default_rng(PyObject *module, PyObject *unused)
{
    return Py_XNewRef((PyObject *)default_rng(state_of_module(module)));
}

PyObject *module_set_seed(PyObject *module, PyObject *args, PyObject *kw)
{
    PyObject *seed = only_argument(args, kw, "set_seed", "seed");
    rng_object *rng = seed ? default_rng(state_of_module(module)) : NULL;
    if (!rng || set_seed((PyObject *)rng, seed) < 0) return NULL;
    Py_RETURN_NONE;
}
