/* Operators as Python callables: one type, one object an operator, one function for every call.
 * Between the user's call and the C core there is no Python frame. */
#include "ext.h"

#include "arith.h"
#include "capture.h"
#include "frames.h"
#include "invariant.h"

#include <string.h>

typedef struct op_object {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    const hr_op_desc *op;
    PyObject *names;  /* tuple of the arguments' names, interned */
    PyObject *module; /* "headrace.random" */
    PyObject *name;   /* "uniform" */
    PyObject *dict, *weakrefs;
} op_object;

enum { MAX_ARGS = 64, FEW_INPUTS = 8, MAX_OUTS = 8 };

/* A Python number as an input, without an object of its own. */
typedef struct scalar_input {
    hr_tensor t;
    union { int32_t i; float f; uint8_t b; } value;
} scalar_input;

typedef struct invocation {
    mod_state *st;
    op_object *self;
    const hr_op_desc *op;
    hr_input few[FEW_INPUTS];
    hr_input *ins;
    int n_in;
    int is_batch;
    hr_value values[MAX_ARGS];
    hr_call_options options;
    rng_object *rng; /* of a random call; borrowed */
    gil_gate gate;
    scalar_input scalars[FEW_INPUTS];
    int n_scalars;
    value_room room;
} invocation;

/* 1: taken; 0: no plain number, or too wide for int32 (which is for others to say). */
static int take_scalar(invocation *v, PyObject *obj, hr_input *in)
{
    if (v->n_scalars == FEW_INPUTS) return 0;
    scalar_input *s = &v->scalars[v->n_scalars];
    s->t = (hr_tensor){.data = &s->value};
    if (PyFloat_CheckExact(obj)) {
        s->t.dtype = HR_F32;
        s->value.f = (float)PyFloat_AS_DOUBLE(obj);
    } else if (PyBool_Check(obj)) {
        s->t.dtype = HR_BOOL;
        s->value.b = obj == Py_True;
    } else if (PyLong_CheckExact(obj)) {
        int overflow;
        long whole = PyLong_AsLongAndOverflow(obj, &overflow);
        if (overflow || whole < INT32_MIN || whole > INT32_MAX) return 0;
        s->t.dtype = HR_I32;
        s->value.i = (int32_t)whole;
    } else {
        return 0;
    }
    v->n_scalars++;
    in->t = &s->t;
    return 1;
}

static int take_input(invocation *v, PyObject *obj, hr_input *in)
{
    obj = invariant_value(v->st, obj);
    if (is_batch(v->st, obj)) {
        if (!batch_value(obj)) return -1;
        in->t = batch_of(obj)->t;
        in->n = batch_of(obj)->n;
        in->is_batch = v->is_batch = 1;
        return 0;
    }
    in->n = 1;
    in->is_batch = 0;
    if (obj == Py_None) {
        in->t = NULL;
        return 0;
    }
    if (take_scalar(v, obj, in)) return 0;
    if (!is_tensor(v->st, obj)) {
        hr_tensor t = {0};
        int copied;
        if (tensor_from_object(v->st, obj, &t, &copied) < 0) return -1;
        obj = tensor_wrap(v->st, &t);
        if (!obj || value_room_hold(&v->room, obj) < 0) return -1;
    }
    in->t = tensor_of(obj);
    return 0;
}

static int take_inputs(invocation *v, PyObject *const *args, Py_ssize_t n)
{
    v->ins = v->few;
    if (n > FEW_INPUTS && !(v->ins = PyMem_Malloc(sizeof *v->ins * (size_t)n))) {
        PyErr_NoMemory();
        return -1;
    }
    v->n_in = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (take_input(v, args[i], &v->ins[i]) == 0) continue;
        int last = v->op->n_ins - 1; /* a variadic input stands for all that follow */
        if (last >= 0)
            name_pending_error(v->op->name, "input", v->op->ins[i < last ? i : last].name);
        return -1;
    }
    return 0;
}

/* Index of an argument's name. Keyword names are interned, so comparing addresses finds all but
 * names made at run time. */
static int find_argument(const op_object *self, PyObject *name, int by_text)
{
    Py_ssize_t n = PyTuple_GET_SIZE(self->names);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *known = PyTuple_GET_ITEM(self->names, i);
        if (known == name || (by_text && PyUnicode_Compare(known, name) == 0)) return (int)i;
    }
    return -1;
}

static int take_batch_size(invocation *v, PyObject *obj)
{
    obj = invariant_value(v->st, obj);
    if (obj == Py_None) return 0;
    v->options.batch_size = PyNumber_AsSsize_t(obj, PyExc_OverflowError);
    if (v->options.batch_size == -1 && PyErr_Occurred()) return -1;
    v->is_batch = 1;
    if (v->options.batch_size >= 1) return 0;
    PyErr_Format(PyExc_ValueError, "%s: batch_size is %lld, it must be at least 1", v->op->name,
                 (long long)v->options.batch_size);
    return -1;
}

static int take_rng(invocation *v, PyObject *obj)
{
    obj = invariant_value(v->st, obj);
    if (obj == Py_None) return 0;
    if (!Py_IS_TYPE(obj, v->st->rng_type)) {
        PyErr_Format(PyExc_ValueError, "%s: rng must be a headrace.random.RNG, got %.100s",
                     v->op->name, Py_TYPE(obj)->tp_name);
        return -1;
    }
    v->rng = (rng_object *)obj;
    v->options.rng = &v->rng->rng;
    return 0;
}

static int take_argument(invocation *v, int i, PyObject *obj)
{
    const hr_arg_desc *arg = &v->op->args[i];
    if (value_from_object(v->st, arg, obj, &v->room, &v->values[i]) < 0) {
        name_pending_error(v->op->name, "argument", arg->name);
        return -1;
    }
    if (arg->flags & HR_DEPRECATED && obj != Py_None &&
        PyErr_WarnFormat(PyExc_DeprecationWarning, 1, "%s: argument `%s` is deprecated: %s",
                         v->op->name, arg->name, arg->doc) < 0)
        return -1;
    if (v->values[i].kind == HR_VALUE_BATCH) v->is_batch = 1;
    return 0;
}

static int take_keyword(invocation *v, PyObject *name, PyObject *obj)
{
    for (int by_text = 0; by_text < 2; by_text++) {
        const mod_state *st = v->st;
        int i = find_argument(v->self, name, by_text);
        if (i >= 0) return take_argument(v, i, obj);
        PyObject *const shared[] = {st->str_batch_size, st->str_device, st->str_rng};
        for (i = 0; i < 3; i++)
            if (name == shared[i] || (by_text && PyUnicode_Compare(name, shared[i]) == 0)) break;
        if (i == 0) return take_batch_size(v, obj);
        if (i == 1) return check_device(v->st, obj);
        if (i == 2 && v->op->flags & HR_OP_RANDOM) return take_rng(v, obj);
    }
    PyObject *r = PyObject_CallMethod(v->st->slow, "unknown_argument", "OO", v->self, name);
    Py_XDECREF(r);
    return -1;
}

static PyObject *wrap_outputs(invocation *v, hr_batch **outs)
{
    PyObject *wrapped[MAX_OUTS];
    int n = v->op->n_out, ok = 1;
    if (!outs[n - 1]) n--; /* an output that was not asked for */
    for (int o = 0; o < n; o++) {
        if (v->is_batch) {
            wrapped[o] = batch_wrap(v->st, outs[o]);
        } else {
            hr_tensor t;
            hr_tensor_ref(&t, &outs[o]->t[0]);
            hr_batch_unref(&outs[o]);
            wrapped[o] = tensor_wrap(v->st, &t);
        }
        ok &= wrapped[o] != NULL;
    }
    PyObject *out = n == 1 ? wrapped[0] : ok ? PyTuple_New(n) : NULL;
    for (int o = 0; n > 1 && o < n; o++) {
        if (out) PyTuple_SET_ITEM(out, o, wrapped[o]);
        else Py_XDECREF(wrapped[o]);
    }
    return out;
}

static PyObject *invoke(invocation *v)
{
    if (v->op->flags & HR_OP_RANDOM && !v->options.rng) {
        rng_object *rng = default_rng(v->st);
        if (!rng) return NULL;
        v->options.rng = &rng->rng;
        v->rng = rng;
    }
    PyObject *held;
    v->options.pool = hold_current_pool(v->st, &held);
    if (!v->options.pool) return NULL;
    v->options.poll = gate_poll;
    v->options.begin_long = gate_leave_python;
    v->options.end_long = gate_enter_python;
    v->options.arg = &v->gate;
    hr_batch *outs[MAX_OUTS];
    outs[v->op->n_out - 1] = NULL; /* the call may not make it */
    hr_error err;
    err.status = HR_OK;
    uint32_t phase = v->rng ? v->rng->rng.phase : 0; /* a call's draws change it */
    hr_status status = hr_op_call_indexed(v->op, v->ins, v->n_in, v->values, &v->options, outs,
                                          &err);
    Py_DECREF(held);
    if (v->rng && v->rng->rng.phase != phase) rng_note_draws(v->rng, HR_RNG_CALL_WORDS);
    if (status == HR_OK) return wrap_outputs(v, outs);
    if (err.status != HR_CANCELLED && err.status != HR_NOMEM) add_caller_line(&err);
    return raise_error(v->st, &err);
}

static PyObject *call_eagerly(PyObject *callable, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames)
{
    invocation v;
    v.self = (op_object *)callable;
    v.op = v.self->op;
    v.st = PyType_GetModuleState(Py_TYPE(callable));
    v.is_batch = 0;
    v.n_scalars = 0;
    v.rng = NULL;
    v.options = (hr_call_options){0};
    value_room_init(&v.room);
    for (int i = 0; i < v.op->n_args; i++) v.values[i].kind = HR_VALUE_NONE;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    Py_ssize_t n_kw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    int ok = take_inputs(&v, args, n) == 0;
    for (Py_ssize_t k = 0; ok && k < n_kw; k++)
        ok = take_keyword(&v, PyTuple_GET_ITEM(kwnames, k), args[n + k]) == 0;
    PyObject *out = ok ? invoke(&v) : NULL;
    if (v.ins != v.few) PyMem_Free(v.ins);
    value_room_clear(&v.room);
    return out;
}

/* Arithmetic signs and hr.math: not captured, by the rules. */
static int is_sign(const hr_op_desc *op)
{
    return strchr(op->name, ' ') || !strncmp(op->name, "math.", 5);
}

/* The generator that a random call will draw from; borrowed. */
static rng_object *generator_of(mod_state *st, PyObject *const *args, Py_ssize_t n,
                                PyObject *kwnames)
{
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *given = invariant_value(st, args[n + k]);
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
    PyObject *out = call_eagerly(call->op, call->args, (size_t)call->n, call->kwnames);
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
    out = call_eagerly(callable, args, nargsf, kwnames);
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
        return call_eagerly(callable, args, (size_t)n, kwnames);
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

static int takes_names(const hr_op_desc *op) { return !strncmp(op->name, "math.", 5); }

static PyObject *op_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                               PyObject *kwnames)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    const hr_op_desc *op = ((op_object *)callable)->op;
    if (kwnames && n < op->n_ins && takes_names(op))
        return call_by_name(callable, args, n, kwnames);
    capture_object *c = capture_active();
    if (c) return call_captured(c, callable, args, nargsf, kwnames);
    return call_eagerly(callable, args, nargsf, kwnames);
}

const hr_op_desc *op_descriptor(PyObject *op) { return ((op_object *)op)->op; }

int op_argument_index(PyObject *op, PyObject *name)
{
    int i = find_argument((op_object *)op, name, 0);
    return i >= 0 ? i : find_argument((op_object *)op, name, 1);
}

/* ---- the descriptor as plain data, for signatures, documents, stubs and tests ---- */

static PyObject *names_of_dtypes(uint64_t set)
{
    PyObject *out = PyList_New(0);
    const hr_dtype_info *info;
    for (int i = 0; out && (info = hr_dtype_at(i)) != NULL; i++) {
        if (set && !(set & HR_DTYPES(info->id))) continue;
        PyObject *name = PyUnicode_FromString(info->kind == HR_KIND_ENUM ? info->name
                                                                         : info->numpy_name);
        if (!name || PyList_Append(out, name) < 0) Py_CLEAR(out);
        Py_XDECREF(name);
    }
    return out;
}

static PyObject *describe_input(const hr_in_desc *d)
{
    return Py_BuildValue(
        "{s:s,s:O,s:O,s:O,s:N,s:s,s:i,s:i,s:s}", "name", d->name, "optional",
        d->flags & HR_IN_OPTIONAL ? Py_True : Py_False, "variadic",
        d->flags & HR_IN_VARIADIC ? Py_True : Py_False, "encoded",
        d->flags & HR_IN_ENCODED ? Py_True : Py_False, "dtypes", names_of_dtypes(d->dtypes),
        "layouts", d->layouts ? d->layouts : "", "min_ndim", d->min_ndim, "max_ndim",
        d->max_ndim, "doc", d->doc ? d->doc : "");
}

static PyObject *describe_argument(const hr_arg_desc *a)
{
    static const char *const kinds[] = {
        [HR_ARG_BOOL] = "bool", [HR_ARG_INT] = "int", [HR_ARG_FLOAT] = "float",
        [HR_ARG_STR] = "str", [HR_ARG_CHOICE] = "choice", [HR_ARG_DTYPE] = "dtype",
        [HR_ARG_IMAGE_TYPE] = "image_type", [HR_ARG_INTERP] = "interp",
        [HR_ARG_LAYOUT] = "layout", [HR_ARG_INTS] = "ints", [HR_ARG_FLOATS] = "floats",
        [HR_ARG_STRS] = "strs"};
    return Py_BuildValue(
        "{s:s,s:s,s:O,s:O,s:O,s:O,s:O,s:z,s:d,s:d,s:i,s:i,s:z,s:s}", "name", a->name, "kind",
        kinds[a->kind], "required", a->flags & HR_REQUIRED ? Py_True : Py_False, "per_sample",
        a->flags & HR_PER_SAMPLE ? Py_True : Py_False, "hint",
        a->flags & HR_HINT ? Py_True : Py_False, "deprecated",
        a->flags & HR_DEPRECATED ? Py_True : Py_False, "adds_output",
        a->flags & HR_ADDS_OUTPUT ? Py_True : Py_False, "initial", a->initial, "min", a->min,
        "max", a->max, "min_n", a->min_n, "max_n", a->max_n, "choices", a->choices, "doc",
        a->doc ? a->doc : "");
}

PyObject *describe_arguments(const hr_arg_desc *args, int n)
{
    PyObject *out = PyList_New(n);
    for (int i = 0; out && i < n; i++) {
        PyObject *one = describe_argument(&args[i]);
        if (!one) Py_CLEAR(out);
        else PyList_SET_ITEM(out, i, one);
    }
    return out;
}

static PyObject *op_describe(PyObject *self, PyObject *unused)
{
    const hr_op_desc *op = ((op_object *)self)->op;
    PyObject *ins = PyList_New(op->n_ins), *args = describe_arguments(op->args, op->n_args);
    for (int i = 0; ins && i < op->n_ins; i++) {
        PyObject *one = describe_input(&op->ins[i]);
        if (!one) Py_CLEAR(ins);
        else PyList_SET_ITEM(ins, i, one);
    }
    if (!ins || !args) {
        Py_XDECREF(ins);
        Py_XDECREF(args);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:O,s:O,s:O,s:O,s:i,s:s,s:N,s:N}", "name", op->name, "doc",
                         op->doc ? op->doc : "", "example", op->example ? op->example : "",
                         "named", takes_names(op) ? Py_True : Py_False,
                         "random", op->flags & HR_OP_RANDOM ? Py_True : Py_False, "batchwise",
                         op->flags & HR_OP_BATCHWISE ? Py_True : Py_False, "view",
                         op->flags & HR_OP_VIEW ? Py_True : Py_False, "n_out", op->n_out,
                         "outs", op->outs ? op->outs : "", "ins", ins, "args", args);
}

/* ---- the type -------------------------------------------------------------------- */

static PyObject *ask_slow(PyObject *self, const char *name)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(self));
    return PyObject_CallMethod(st->slow, name, "O", self);
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
    if (op->n_args > MAX_ARGS || op->n_out > MAX_OUTS)
        return PyErr_Format(PyExc_SystemError, "%s: over %d arguments or %d outputs", op->name,
                            MAX_ARGS, MAX_OUTS);
    op_object *self = PyObject_New(op_object, st->op_type);
    if (!self) return NULL;
    const char *dot = strrchr(op->name, '.');
    self->vectorcall = op_vectorcall;
    self->op = op;
    self->weakrefs = self->dict = NULL;
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
