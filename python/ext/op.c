/* Operators as Python callables: one type, one object an operator, one function for every call;
 * and where a call goes: named inputs, captured loops, the call itself. */
#include "op.h"

#include "arith.h"
#include "capture.h"
#include "invariant.h"

#include <string.h>

/* Arithmetic signs and hr.math: not captured, by the rules. */
static int is_sign(const hr_op_desc *op)
{
    return strchr(op->name, ' ') || op_takes_names(op);
}

/* The generator that a random call will draw from; borrowed. */
static rng_object *generator_of(mod_state *st, PyObject *const *args, Py_ssize_t n,
                                PyObject *kwnames)
{
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *given = invariant_value(args[n + k]);
        if (PyTuple_GET_ITEM(kwnames, k) == st->str_rng && given != Py_None)
            return Py_IS_TYPE(given, st->rng_type) ? (rng_object *)given : NULL;
    }
    return default_rng(st);
}

/* An eager call of the body whose reason is known in front of it: its row is noted. */
static PyObject *call_noted(capture_object *c, const call_args *call, const eager_why *why)
{
    const hr_op_desc *op = ((op_object *)call->op)->op;
    eager_code sign = strchr(op->name, ' ') ? EAGER_ARITHMETIC : EAGER_MATH;
    int row = is_sign(op) ? capture_note_sign(c, call->op, call->args, call->n, sign)
                          : capture_note_eager(c, call->op, why);
    if (row == -2) return NULL;
    PyObject *out = op_call_eagerly(call->op, call->args, (size_t)call->n, call->kwnames);
    if (out && row >= 0) capture_mark_eager(c, out, row);
    return out;
}

/* Inside a captured loop's step: traced, or taken from the pipeline. */
static PyObject *call_in_step(capture_object *c, PyObject *callable, PyObject *const *args,
                              size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    call_args call = {callable, args, n, kwnames ? PyTuple_GET_SIZE(kwnames) : 0, kwnames};
    PyObject *out;
    eager_why why = {EAGER_UNSEEN, -1, NULL, -1, NULL};
    if (c->state == CAPTURE_REPLAYING && capture_replay(c, &call, &out, &why)) return out;
    if (c->state == CAPTURE_TRACING && capture_check_batch_size(c, &call) < 0) return NULL;
    if (is_sign(((op_object *)callable)->op) || c->state != CAPTURE_TRACING)
        return call_noted(c, &call, &why);
    mod_state *st = PyType_GetModuleState(Py_TYPE(callable));
    int is_random = ((op_object *)callable)->op->flags & HR_OP_RANDOM;
    rng_object *rng = is_random ? generator_of(st, args, n, kwnames) : NULL;
    if (is_random && rng) rng_note_draws(rng, 0); /* where it stands in front of the call */
    uint64_t drawn = rng ? rng->drawn : 0;
    out = op_call_eagerly(callable, args, nargsf, kwnames);
    if (out && capture_record(c, &call, out, drawn, rng) < 0) Py_CLEAR(out);
    return out;
}

static PyObject *call_captured(capture_object *c, PyObject *callable, PyObject *const *args,
                              size_t nargsf, PyObject *kwnames)
{
    capture_pin(c);
    PyObject *out = call_in_step(c, callable, args, nargsf, kwnames);
    capture_unpin(c);
    return out;
}

/* Keyword `name` in kwnames; its index, or -1. */
static Py_ssize_t find_keyword(PyObject *kwnames, const char *name)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), name) == 0) return k;
    return -1;
}

/* hr.math.clamp(x, lo=0, hi=1): the inputs of these functions may be named, as the peer's. Puts
 * them in their places. Returns how many there are then; -1 with an exception. */
static Py_ssize_t place_named(const hr_op_desc *op, PyObject *const *args, Py_ssize_t n,
                              PyObject *kwnames, PyObject **flat, PyObject **rest)
{
    Py_ssize_t n_kw = PyTuple_GET_SIZE(kwnames), n_rest = 0, placed = n;
    if (n) memcpy(flat, args, (size_t)n * sizeof *flat);
    for (; placed < op->n_ins; placed++) {
        Py_ssize_t k = find_keyword(kwnames, op->ins[placed].name);
        if (k < 0) {
            PyErr_Format(PyExc_TypeError, "%s: input `%s` is missing", op->name,
                         op->ins[placed].name);
            return -1;
        }
        flat[placed] = args[n + k];
    }
    for (Py_ssize_t k = 0; k < n_kw; k++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, k);
        int is_placed = 0;
        for (Py_ssize_t i = n; i < placed; i++)
            is_placed |= PyUnicode_CompareWithASCIIString(name, op->ins[i].name) == 0;
        if (is_placed) continue;
        flat[placed + n_rest] = args[n + k];
        rest[n_rest++] = name;
    }
    return placed;
}

enum { MAX_NAMED = 12 }; /* inputs, batch_size, device; more is an error anyway */

static PyObject *call_by_name(PyObject *callable, PyObject *const *args, Py_ssize_t n,
                              PyObject *kwnames)
{
    const hr_op_desc *op = ((op_object *)callable)->op;
    Py_ssize_t n_kw = PyTuple_GET_SIZE(kwnames);
    PyObject *flat[MAX_NAMED], *rest[MAX_NAMED];
    if (n >= op->n_ins || n + n_kw > MAX_NAMED)
        return op_call_eagerly(callable, args, (size_t)n, kwnames);
    Py_ssize_t placed = place_named(op, args, n, kwnames, flat, rest);
    if (placed < 0) return NULL;
    Py_ssize_t n_rest = n + n_kw - placed;
    PyObject *names = n_rest ? PyTuple_New(n_rest) : NULL;
    if (n_rest && !names) return NULL;
    for (Py_ssize_t k = 0; k < n_rest; k++) PyTuple_SET_ITEM(names, k, Py_NewRef(rest[k]));
    PyObject *out = PyObject_Vectorcall(callable, flat, (size_t)placed, names);
    Py_XDECREF(names);
    return out;
}

int op_takes_names(const hr_op_desc *op) { return !strncmp(op->name, "math.", 5); }

static PyObject *op_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                               PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    const hr_op_desc *op = ((op_object *)callable)->op;
    if (kwnames && n < op->n_ins && op_takes_names(op))
        return call_by_name(callable, args, n, kwnames);
    capture_object *c = capture_active();
    if (c) return call_captured(c, callable, args, nargsf, kwnames);
    return op_call_eagerly(callable, args, nargsf, kwnames);
}

const hr_op_desc *op_descriptor(PyObject *op) { return ((op_object *)op)->op; }

/* ---- the type -------------------------------------------------------------------- */

static PyObject *ask_slow(PyObject *self, const char *name)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(self));
    return PyObject_CallMethod(st->slow, name, "(O)", self);
}

static PyObject *get_signature(PyObject *self, void *c) { return ask_slow(self, "op_signature"); }
static PyObject *get_text_signature(PyObject *self, void *c)
{
    return ask_slow(self, "op_text_signature");
}
static PyObject *get_doc(PyObject *self, void *c) { return ask_slow(self, "op_doc"); }
static PyObject *get_name(PyObject *self, void *c)
{
    return Py_NewRef(((op_object *)self)->name);
}
static PyObject *get_module(PyObject *self, void *c)
{
    return Py_NewRef(((op_object *)self)->module);
}

static PyGetSetDef getset[] = {
    {"__signature__", get_signature, NULL, NULL, NULL},
    {"__text_signature__", get_text_signature, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__module__", get_module, NULL, NULL, NULL},
    {0},
};

static PyObject *op_reduce(PyObject *self, PyObject *unused)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(self));
    PyObject *f = PyObject_GetAttrString(st->slow, "find_op");
    return f ? Py_BuildValue("N(s)", f, ((op_object *)self)->op->name) : NULL;
}

static PyMethodDef methods[] = {
    {"describe", op_describe, METH_NOARGS,
     "describe($self, /)\n--\n\nThe operator's descriptor as plain data."},
    {"__reduce__", op_reduce, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(op_object, vectorcall), Py_READONLY, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(op_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyObject *op_repr(PyObject *self)
{
    op_object *o = (op_object *)self;
    return PyUnicode_FromFormat("<operator %U.%U>", o->module, o->name);
}

/* Like a function, an operator as a class attribute becomes no method: its first parameter is
 * an input, not `self`. So there is no __get__. */

static void op_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    op_object *o = (op_object *)self;
    if (o->weakrefs) PyObject_ClearWeakRefs(self);
    Py_XDECREF(o->names);
    Py_XDECREF(o->module);
    Py_XDECREF(o->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, op_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_repr, op_repr},
    {0, NULL},
};

PyType_Spec op_spec = {
    .name = "headrace._core.Operator",
    .basicsize = sizeof(op_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

static PyObject *names_of(const hr_op_desc *op)
{
    PyObject *out = PyTuple_New(op->n_args);
    for (int i = 0; out && i < op->n_args; i++) {
        PyObject *name = PyUnicode_InternFromString(op->args[i].name);
        if (!name) Py_CLEAR(out);
        else PyTuple_SET_ITEM(out, i, name);
    }
    return out;
}

/* "headrace.random" of "random.uniform". */
static PyObject *module_name(const char *op)
{
    const char *dot = strrchr(op, '.');
    PyObject *path = PyUnicode_FromStringAndSize(op, dot ? dot - op : 0);
    PyObject *out = path ? PyUnicode_FromFormat(dot ? "headrace.%U" : "headrace", path) : NULL;
    Py_XDECREF(path);
    return out;
}

PyObject *op_create(mod_state *st, const hr_op_desc *op)
{
    if (op->n_args > OP_MAX_ARGS || op->n_out > OP_MAX_OUTS)
        return PyErr_Format(PyExc_SystemError, "%s: over %d arguments or %d outputs", op->name,
                            OP_MAX_ARGS, OP_MAX_OUTS);
    op_object *self = PyObject_New(op_object, st->op_type);
    if (!self) return NULL;
    const char *dot = strrchr(op->name, '.');
    self->vectorcall = op_vectorcall;
    self->op = op;
    self->weakrefs = NULL;
    self->names = names_of(op);
    self->name = PyUnicode_FromString(dot ? dot + 1 : op->name);
    self->module = module_name(op->name);
    if (self->names && self->name && self->module) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

int add_ops(PyObject *module, mod_state *st)
{
    PyObject *ops = PyDict_New();
    const hr_op_desc *op;
    for (int i = 0; ops && (op = hr_op_at(i)) != NULL; i++) {
        PyObject *one = op_create(st, op);
        if (!one || PyDict_SetItemString(ops, op->name, one) < 0) Py_CLEAR(ops);
        Py_XDECREF(one);
    }
    if (!ops) return -1;
    int bad = PyModule_AddObjectRef(module, "ops", ops) < 0 || add_signs(st, ops) < 0 ? -1 : 0;
    Py_DECREF(ops);
    return bad;
}
