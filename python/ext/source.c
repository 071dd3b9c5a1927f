/* ExternalSource's pull: the next item of a Python iterable or callable as tensors or batches. The
 * class itself (headrace._source) checks the arguments, once. */
#include "source.h"

#include "capture_loop.h"
#include "invariant.h"

#include <string.h>

enum { CYCLE_NO, CYCLE_QUIET, CYCLE_RAISE };

typedef struct source_object {
    PyObject_HEAD
    PyObject *source;   /* a callable without parameters, or an iterable */
    PyObject *iterator; /* of the iterable; NULL before the first pull and after its end */
    PyObject *layouts, *dtypes; /* tuples, one an output; None: as it comes */
    PyObject *returned; /* list of items that a loop pulled and did not give out, last first */
    PyObject *due;      /* an exception behind the returned items, to be raised once more */
    int is_callable, cycle, is_over;
    source_place place; /* of the next item */
    int64_t skip;       /* items of this pass to be read and dropped first: a loaded place */
    int was_left;       /* a loop ended by break or the like, and nothing was pulled since */
    int may_be_short; /* a loop's pull: a batch under the size is for the loop to judge */
    source_role role;
    uint64_t owner; /* FEEDER: the number of the loop's root */
    Py_ssize_t n_out;
} source_object;

#define self_of(o) ((source_object *)(o))

static int source_init(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"source", "is_callable", "cycle", "num_outputs", "layouts", "dtypes",
                            NULL};
    PyObject *source, *layouts, *dtypes;
    int is_callable, cycle;
    Py_ssize_t n;
    if (!parse_arguments(args, kw, "OpinO!O!", names, &source, &is_callable, &cycle,
                                     &n, &PyTuple_Type, &layouts, &PyTuple_Type, &dtypes))
        return -1;
    if (n < 1 || PyTuple_GET_SIZE(layouts) != n || PyTuple_GET_SIZE(dtypes) != n) {
        PyErr_SetString(PyExc_ValueError, "a source needs one layout and dtype an output");
        return -1;
    }
    source_object *s = self_of(self);
    Py_XSETREF(s->source, Py_NewRef(source));
    Py_XSETREF(s->layouts, Py_NewRef(layouts));
    Py_XSETREF(s->dtypes, Py_NewRef(dtypes));
    Py_CLEAR(s->iterator);
    s->is_callable = is_callable;
    s->cycle = cycle;
    s->is_over = 0;
    s->n_out = n;
    return 0;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self_of(self)->source);
    Py_VISIT(self_of(self)->iterator);
    Py_VISIT(self_of(self)->layouts);
    Py_VISIT(self_of(self)->dtypes);
    Py_VISIT(self_of(self)->returned);
    Py_VISIT(self_of(self)->due);
    return 0;
}

static int clear(PyObject *self)
{
    Py_CLEAR(self_of(self)->source);
    Py_CLEAR(self_of(self)->iterator);
    Py_CLEAR(self_of(self)->layouts);
    Py_CLEAR(self_of(self)->dtypes);
    Py_CLEAR(self_of(self)->returned);
    Py_CLEAR(self_of(self)->due);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- the next item --------------------------------------------------------------- */

/* NULL without an exception at the iterator's end. */
static PyObject *next_of_iterator(source_object *s)
{
    if (!s->iterator && !(s->iterator = PyObject_GetIter(s->source))) return NULL;
    PyObject *item = PyIter_Next(s->iterator);
    if (!item && !PyErr_Occurred()) Py_CLEAR(s->iterator);
    return item;
}

/* The end is StopIteration, again and again unless the source cycles. */
static PyObject *raw_item(source_object *s)
{
    if (s->is_callable) return PyObject_CallNoArgs(s->source);
    PyObject *item = s->is_over ? NULL : next_of_iterator(s);
    if (!item && !PyErr_Occurred() && s->cycle == CYCLE_QUIET) item = next_of_iterator(s);
    if (item || PyErr_Occurred()) return item;
    s->is_over = s->cycle == CYCLE_NO;
    PyErr_SetNone(PyExc_StopIteration);
    return NULL;
}

static int skip_items(source_object *s)
{
    for (; s->skip; s->skip--) {
        PyObject *item = raw_item(s);
        if (!item && PyErr_ExceptionMatches(PyExc_StopIteration)) {
            PyErr_Clear();
            PyErr_Format(PyExc_ValueError, "the source ended %lld items in front of the place that was "
                         "loaded: it has another length than the one whose state this is",
                         (long long)s->skip);
        }
        if (!item) return -1;
        Py_DECREF(item);
    }
    return 0;
}

static PyObject *next_item(source_object *s)
{
    if (s->skip && skip_items(s) < 0) return NULL;
    Py_ssize_t n = s->returned ? PyList_GET_SIZE(s->returned) : 0;
    PyObject *item = NULL;
    if (n) {
        item = Py_NewRef(PyList_GET_ITEM(s->returned, n - 1));
        if (PyList_SetSlice(s->returned, n - 1, n, NULL) < 0) Py_CLEAR(item);
    } else if (s->due) {
        PyErr_SetRaisedException(s->due);
        s->due = NULL;
    } else {
        item = raw_item(s);
    }
    if (item) s->was_left = 0;
    if (item) s->place.item++;
    else if (PyErr_ExceptionMatches(PyExc_StopIteration)) s->place = (source_place){s->place.pass + 1, 0};
    return item;
}

/* ---- items to outputs ------------------------------------------------------------ */

PyObject *batch_of_repeats(mod_state *st, const hr_tensor *t, Py_ssize_t n)
{
    hr_batch *b = NULL;
    hr_error err = {0};
    if (hr_batch_create(&b, n, &err) != HR_OK) return raise_error(st, &err);
    for (Py_ssize_t i = 0; i < n; i++) hr_tensor_ref(&b->t[i], t);
    if (n == 0) hr_batch_set_empty(b, t->dtype, t->ndim, t->layout);
    else if (hr_batch_seal(b, &err) != HR_OK) {
        hr_batch_unref(&b);
        return raise_error(st, &err);
    }
    return batch_wrap(st, b);
}

static PyObject *convert(source_object *s, PyObject *module_function, PyObject *item,
                         Py_ssize_t which)
{
    PyObject *args[] = {item, PyTuple_GET_ITEM(s->dtypes, which), Py_None,
                        PyTuple_GET_ITEM(s->layouts, which)};
    return PyObject_Vectorcall(module_function, args, 4, NULL);
}

static PyObject *make_output(mod_state *st, source_object *s, PyObject *item, Py_ssize_t which,
                             Py_ssize_t batch_size)
{
    item = invariant_value(item);
    if (is_batch(st, item) || Py_IS_TYPE(item, st->tensor_list_type)) {
        PyObject *plain = is_batch(st, item) ? Py_NewRef(item)
                                             : PyObject_CallMethod(item, "as_batch", NULL);
        PyObject *b = plain ? convert(s, st->as_batch, plain, which) : NULL;
        Py_XDECREF(plain);
        if (!b || batch_size < 0 || batch_of(b)->n == batch_size ||
            (s->may_be_short && batch_of(b)->n < batch_size))
            return b;
        PyErr_Format(PyExc_ValueError, "the source gave a batch of %lld, expected batch size %zd",
                     (long long)batch_of(b)->n, batch_size);
        Py_DECREF(b);
        return NULL;
    }
    PyObject *t = convert(s, st->as_tensor, item, which);
    if (!t || batch_size < 0) return t;
    PyObject *b = batch_of_repeats(st, tensor_of(t), batch_size);
    Py_DECREF(t);
    return b;
}

static PyObject *make_outputs(mod_state *st, source_object *s, PyObject *item,
                              Py_ssize_t batch_size)
{
    item = invariant_value(item);
    if (s->n_out == 1) return make_output(st, s, item, 0, batch_size);
    if ((!PyTuple_Check(item) && !PyList_Check(item)) ||
        PySequence_Fast_GET_SIZE(item) != s->n_out)
        return PyErr_Format(PyExc_ValueError, "the source must give a tuple of %zd outputs, it "
                            "gave %.100s", s->n_out, Py_TYPE(item)->tp_name);
    PyObject *out = PyTuple_New(s->n_out);
    for (Py_ssize_t i = 0; out && i < s->n_out; i++) {
        PyObject *part = Py_NewRef(PySequence_Fast_GET_ITEM(item, i));
        PyObject *one = make_output(st, s, part, i, batch_size);
        Py_DECREF(part);
        if (one) PyTuple_SET_ITEM(out, i, one);
        else Py_CLEAR(out);
        if (out && !Py_IS_TYPE(one, Py_TYPE(PyTuple_GET_ITEM(out, 0)))) {
            PyErr_SetString(PyExc_TypeError,
                            "a source's outputs must be all tensors or all batches");
            Py_CLEAR(out);
        }
    }
    return out;
}

PyObject *source_pull_item(PyObject *self, Py_ssize_t batch_size, PyObject **item)
{
    source_object *s = self_of(self);
    *item = next_item(s);
    s->may_be_short = s->role == SOURCE_ROOT;
    PyObject *out = *item ? make_outputs(state_of(self), s, *item, batch_size) : NULL;
    s->may_be_short = 0;
    if (!out) Py_CLEAR(*item);
    return out;
}

PyObject *source_pull(PyObject *self, Py_ssize_t batch_size)
{
    PyObject *item;
    PyObject *out = source_pull_item(self, batch_size, &item);
    Py_XDECREF(item);
    return out;
}

int source_give_back(PyObject *self, PyObject *item)
{
    source_object *s = self_of(self);
    if (!s->returned && !(s->returned = PyList_New(0))) return -1;
    s->place.item--;
    return PyList_Append(s->returned, item);
}

void source_give_back_error(PyObject *self, PyObject *take_error)
{
    Py_XSETREF(self_of(self)->due, take_error);
}

/* ---- places ---------------------------------------------------------------------- */

void source_get_place(PyObject *self, source_place *out) { *out = self_of(self)->place; }

void source_set_left(PyObject *self, const source_place *place)
{
    self_of(self)->place = *place;
    self_of(self)->was_left = 1;
}

int source_was_left(PyObject *self) { return self_of(self)->was_left; }

/* Can the source start over? An iterator, as a callable, only goes on. */
static int is_restartable(const source_object *s) { return !s->is_callable && !PyIter_Check(s->source); }

static Py_ssize_t items_of_pass(const source_object *s)
{
    if (s->is_callable || PyIter_Check(s->source)) return -1;
    Py_ssize_t n = PyObject_Size(s->source);
    if (n < 0) PyErr_Clear();
    return n;
}

int source_set_place(PyObject *self, const source_place *place)
{
    source_object *s = self_of(self);
    if (is_restartable(s)) {
        Py_ssize_t n = s->cycle == CYCLE_QUIET ? items_of_pass(s) : -1;
        s->skip = n > 0 ? place->item % n : place->item;
        s->is_over = s->cycle == CYCLE_NO && place->pass > 0;
        if (s->is_over) s->skip = 0;
        Py_CLEAR(s->iterator);
        Py_CLEAR(s->returned);
        Py_CLEAR(s->due);
    } else if (place->pass != s->place.pass || place->item < s->place.item) {
        PyErr_Format(PyExc_ValueError, "the place is item %lld of pass %lld, the source stands at item %lld "
                     "of pass %lld and only goes on: give a list, another iterable or a generator function, "
                     "or a new source", (long long)place->item, (long long)place->pass,
                     (long long)s->place.item, (long long)s->place.pass);
        return -1;
    } else {
        Py_ssize_t n = s->returned ? PyList_GET_SIZE(s->returned) : 0;
        int64_t skip = place->item - s->place.item;
        Py_ssize_t kept = skip < n ? n - (Py_ssize_t)skip : 0;
        if (n > kept && PyList_SetSlice(s->returned, kept, n, NULL) < 0) return -1;
        s->skip += skip - (n - kept);
    }
    s->place = *place;
    s->was_left = 1;
    return 0;
}

static int64_t number_of(PyObject *state, const char *key)
{
    PyObject *value = PyDict_GetItemString(state, key); /* borrowed */
    int64_t n = value && PyLong_Check(value) ? PyLong_AsLongLong(value) : -1;
    if (n >= 0) return n;
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "a source's state needs a whole number `%s` of at least 0", key);
    return -1;
}

int source_place_of(PyObject *state, source_place *out)
{
    if (!PyDict_Check(state)) {
        PyErr_Format(PyExc_TypeError, "a source's state is a dict, got %.100s", Py_TYPE(state)->tp_name);
        return -1;
    }
    out->pass = number_of(state, "pass");
    out->item = out->pass < 0 ? -1 : number_of(state, "item");
    return out->item < 0 ? -1 : 0;
}

PyObject *source_state(const source_place *place)
{
    return Py_BuildValue("{s:L,s:L}", "pass", (long long)place->pass, "item", (long long)place->item);
}

Py_ssize_t source_length(PyObject *self, const source_place *at, int was_left)
{
    const source_object *s = self_of(self);
    Py_ssize_t n = items_of_pass(s);
    if (s->is_callable || s->cycle == CYCLE_QUIET || n < 0) return -1;
    if (s->is_over && at->pass > 0) return 0;
    if (n > at->item) return n - (Py_ssize_t)at->item;
    return was_left && s->cycle == CYCLE_RAISE ? n : 0; /* no empty pass behind one that was left */
}

/* ---- roles ----------------------------------------------------------------------- */

int source_take_role(PyObject *self, source_role role, uint64_t owner)
{
    static const char *const names[] = {
        "", "eagerly, by __call__() outside of a loop",
        "inside a capture-mode loop, by __call__() in its body",
        "as the driver of a capture-mode loop, by captured()"};
    source_object *s = self_of(self);
    if (s->role != SOURCE_UNUSED && s->role != role) {
        PyErr_Format(PyExc_RuntimeError, "the ExternalSource was used %s and cannot be used %s: one "
                     "source has one role", names[s->role], names[role]);
        return -1;
    }
    if (s->role == SOURCE_FEEDER && s->owner != owner) {
        PyErr_SetString(PyExc_RuntimeError, "the ExternalSource was used inside a different "
                        "capture-mode loop: it belongs to that one");
        return -1;
    }
    s->role = role;
    s->owner = owner;
    return 0;
}

void source_drop_role(PyObject *self) { self_of(self)->role = SOURCE_UNUSED; }

static PyObject *source_call(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"batch_size", NULL};
    PyObject *size = Py_None;
    if (!parse_arguments(args, kw, "|$O:ExternalSource", names, &size)) return NULL;
    if (!self_of(self)->source) {
        PyErr_SetString(PyExc_RuntimeError, "ExternalSource.__init__() was not called");
        return NULL;
    }
    Py_ssize_t n = -1;
    size = invariant_value(size);
    if (size != Py_None) {
        if (whole_size("ExternalSource", "batch_size", size, &n) < 0) return NULL;
        if (n < 0) return PyErr_Format(PyExc_ValueError, "batch_size is %zd, it is negative", n);
    }
    capture_object *c = capture_active();
    if (c && c->loop) {
        capture_pin(c);
        PyObject *loop = Py_NewRef(c->loop);
        PyObject *fed = captured_loop_feed(c, self, n);
        Py_DECREF(loop);
        capture_unpin(c);
        return fed;
    }
    if (source_take_role(self, SOURCE_EAGER, 0) < 0) return NULL;
    PyObject *out = source_pull(self, n);
    return out;
}

static PyType_Slot slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, source_init},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_call, source_call},
    {0, NULL},
};

PyType_Spec source_spec = {
    .name = "headrace._core.Source",
    .basicsize = sizeof(source_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
