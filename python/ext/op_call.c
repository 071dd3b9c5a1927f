/* A call of an operator: inputs and arguments are taken, the C core is called, outputs wrapped.
 * Between the user's call and the C core there is no Python frame. */
#include "op.h"

#include "frames.h"
#include "invariant.h"

enum { FEW_INPUTS = 8 };

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
    hr_value values[OP_MAX_ARGS];
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
    obj = invariant_value(obj);
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
    obj = invariant_value(obj);
    if (obj == Py_None) return 0;
    Py_ssize_t n;
    if (whole_size(v->op->name, "batch_size", obj, &n) < 0) return -1;
    v->options.batch_size = n;
    v->is_batch = 1;
    if (v->options.batch_size >= 1) return 0;
    PyErr_Format(PyExc_ValueError, "%s: batch_size is %lld, it must be at least 1", v->op->name,
                 (long long)v->options.batch_size);
    return -1;
}

static int take_rng(invocation *v, PyObject *obj)
{
    obj = invariant_value(obj);
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
    PyObject *wrapped[OP_MAX_OUTS];
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
    hr_batch *outs[OP_MAX_OUTS];
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

PyObject *op_call_eagerly(PyObject *callable, PyObject *const *args, size_t nargsf,
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

int op_argument_index(PyObject *op, PyObject *name)
{
    int i = find_argument((op_object *)op, name, 0);
    return i >= 0 ? i : find_argument((op_object *)op, name, 1);
}
