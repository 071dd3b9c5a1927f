/* Subscripts: tensor[...] and batch.slice[...]. A part of a tensor shares its memory. */
#include "index.h"

#include "capture.h"

#include <string.h>

enum { MAX_PARTS = 2 * HR_MAX_NDIM };

/* A bound that differs between samples. */
typedef struct varying {
    int part;
    enum { BOUND_START, BOUND_STOP, BOUND_STEP } which;
    const hr_batch *values;
} varying;

typedef struct expression {
    hr_index parts[MAX_PARTS];
    int n;
    varying vary[3 * MAX_PARTS];
    int n_vary;
} expression;

/* A bound: an integer, or (where samples may differ) a batch of integers. */
static int read_bound(mod_state *st, expression *e, PyObject *obj, int which, int64_t *out)
{
    obj = invariant_value(obj);
    if (is_batch(st, obj)) {
        if (!batch_value(obj)) return -1;
        const hr_dtype_info *info = hr_dtype_get_info(batch_of(obj)->dtype);
        if (batch_of(obj)->ndim != 0 || info->kind == HR_KIND_FLOAT) {
            PyErr_SetString(PyExc_TypeError, "a batch as a bound holds one integer a sample");
            return -1;
        }
        e->vary[e->n_vary++] = (varying){e->n, which, batch_of(obj)};
        *out = which == BOUND_STEP;
        return 0;
    }
    *out = PyNumber_AsSsize_t(obj, NULL); /* huge bounds are clamped, as in Python */
    if (*out == -1 && PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "an index is made of integers, slices, `...` and None, "
                     "not %.100s", Py_TYPE(obj)->tp_name);
        return -1;
    }
    return 0;
}

static int read_slice(mod_state *st, expression *e, PyObject *obj)
{
    hr_index *p = &e->parts[e->n];
    *p = (hr_index){.kind = HR_INDEX_RANGE, .step = 1};
    PySliceObject *s = (PySliceObject *)obj;
    p->has_start = s->start != Py_None;
    p->has_stop = s->stop != Py_None;
    if (p->has_start && read_bound(st, e, s->start, BOUND_START, &p->start) < 0) return -1;
    if (p->has_stop && read_bound(st, e, s->stop, BOUND_STOP, &p->stop) < 0) return -1;
    if (s->step != Py_None && read_bound(st, e, s->step, BOUND_STEP, &p->step) < 0) return -1;
    return 0;
}

static int read_part(mod_state *st, expression *e, PyObject *obj)
{
    if (e->n == MAX_PARTS) {
        PyErr_Format(PyExc_ValueError, "an index has at most %d parts", MAX_PARTS);
        return -1;
    }
    hr_index *p = &e->parts[e->n];
    obj = invariant_value(obj);
    if (obj == Py_Ellipsis) {
        *p = (hr_index){.kind = HR_INDEX_REST};
    } else if (obj == Py_None) {
        *p = (hr_index){.kind = HR_INDEX_NEW_AXIS};
    } else if (PySlice_Check(obj)) {
        if (read_slice(st, e, obj) < 0) return -1;
    } else {
        *p = (hr_index){.kind = HR_INDEX_AT};
        if (PyBool_Check(obj)) {
            PyErr_SetString(PyExc_TypeError, "masks (bool) are no index here");
            return -1;
        }
        if (read_bound(st, e, obj, BOUND_START, &p->start) < 0) return -1;
    }
    e->n++;
    return 0;
}

static int read_expression(mod_state *st, expression *e, PyObject *key)
{
    e->n = e->n_vary = 0;
    key = invariant_value(key);
    if (!PyTuple_Check(key)) return read_part(st, e, key);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); i++)
        if (read_part(st, e, PyTuple_GET_ITEM(key, i)) < 0) return -1;
    return 0;
}

PyObject *tensor_subscript(PyObject *self, PyObject *key)
{
    mod_state *st = state_of(self);
    expression e;
    if (read_expression(st, &e, key) < 0) return NULL;
    if (e.n_vary) {
        PyErr_SetString(PyExc_TypeError, "a tensor's index cannot be a batch; batch.slice can");
        return NULL;
    }
    hr_tensor out;
    hr_error err = {0};
    if (hr_tensor_index(&out, tensor_of(self), e.parts, e.n, &err) != HR_OK)
        return raise_error(st, &err);
    return tensor_wrap(st, &out);
}

/* ---- batch.slice ----------------------------------------------------------------- */

typedef struct slicer_object {
    PyObject_HEAD
    PyObject *batch;
} slicer_object;

PyObject *slicer_new(mod_state *st, PyObject *batch)
{
    slicer_object *self = PyObject_New(slicer_object, st->slicer_type);
    if (self) self->batch = Py_NewRef(batch);
    return (PyObject *)self;
}

static void slicer_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((slicer_object *)self)->batch);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Puts sample i's bounds into the expression. */
static void settle(expression *e, int64_t i)
{
    for (int v = 0; v < e->n_vary; v++) {
        const hr_tensor *t = &e->vary[v].values->t[i];
        int64_t value;
        hr_dtype_convert(HR_I64, &value, t->dtype, t->data, 1);
        hr_index *p = &e->parts[e->vary[v].part];
        if (e->vary[v].which == BOUND_START) p->start = value;
        else if (e->vary[v].which == BOUND_STOP) p->stop = value;
        else p->step = value;
    }
}

static hr_status slice_all(const hr_batch *b, expression *e, hr_batch *out, hr_error *err)
{
    for (int v = 0; v < e->n_vary; v++)
        if (e->vary[v].values->n != b->n)
            return hr_fail(err, HR_VALUE, "slice: a bound is a batch of %lld, the batch has "
                           "%lld samples", (long long)e->vary[v].values->n, (long long)b->n);
    for (int64_t i = 0; i < b->n; i++) {
        settle(e, i);
        hr_status status = hr_tensor_index(&out->t[i], &b->t[i], e->parts, e->n, err);
        if (status == HR_OK) continue;
        hr_error_prefix(err, "slice: sample %lld", (long long)i);
        err->sample = i;
        return status;
    }
    return hr_batch_seal(out, err);
}

static PyObject *slicer_subscript(PyObject *self, PyObject *key)
{
    mod_state *st = state_of(self);
    PyObject *batch = ((slicer_object *)self)->batch;
    capture_object *c = capture_active();
    int row = c ? capture_note_sign(c, (PyObject *)Py_TYPE(self), &batch, 1, EAGER_SLICE) : -1;
    const hr_batch *b = row == -2 ? NULL : batch_value(batch);
    if (!b) return NULL;
    expression e;
    if (read_expression(st, &e, key) < 0) return NULL;
    hr_batch *out = NULL;
    hr_error err = {0};
    hr_status status = hr_batch_create(&out, b->n, &err);
    if (status == HR_OK && b->n) status = slice_all(b, &e, out, &err);
    else if (status == HR_OK) hr_batch_set_empty(out, b->dtype, b->ndim, b->layout);
    if (status == HR_OK) {
        PyObject *given = batch_wrap(st, out);
        if (given && row >= 0) capture_mark_eager(c, given, row);
        return given;
    }
    hr_batch_unref(&out);
    return raise_error(st, &err);
}

static PyObject *slicer_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "batch.slice cannot be pickled or copied: it looks at the batch; "
                        "send the batch");
}

static PyMethodDef slicer_methods[] = {
    {"__reduce_ex__", slicer_reduce, METH_O, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "batch.slice[...]: indexes every sample. Bounds are shared, or batches of one\n"
                "integer a sample."},
    {Py_tp_dealloc, slicer_dealloc},
    {Py_mp_subscript, slicer_subscript},
    {Py_tp_methods, slicer_methods},
    {0, NULL},
};

PyType_Spec slicer_spec = {
    .name = "headrace.BatchSlicer",
    .basicsize = sizeof(slicer_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
