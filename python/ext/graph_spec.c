/* TensorSpec's ground: what is learned of one tensor. The learner (src/graphs) holds the truth; the
 * lists that Python was given are kept in step with it, and what Python wrote into them is taken over
 * before the next look. */
#include "graph_spec.h"

#include <math.h>

/* ---- lists ------------------------------------------------------------------------- */

static PyObject *entry(const hr_axis *axis, int32_t d, int list)
{
    switch (list) {
    case MIN: return PyLong_FromLongLong(axis->min);
    case MAX: return PyLong_FromLongLong(axis->max);
    case MULTIPLIERS: return PyFloat_FromDouble(axis->multiplier);
    default: break;
    }
    if (axis->kind == HR_AXIS_STATIC) return PyLong_FromLongLong(axis->min);
    return PyUnicode_FromFormat(axis->kind == HR_AXIS_BATCH ? "batch%d" : "dim%d", d);
}

int graph_spec_write_lists(spec_object *s)
{
    int32_t rank = hr_spec_rank(s->spec);
    for (int32_t d = 0; d < rank; d++) {
        hr_axis axis = hr_spec_axis(s->spec, d);
        for (int list = 0; list < N_LISTS; list++) {
            PyObject *value = entry(&axis, d, list);
            if (!value) return -1;
            if (PyList_GET_SIZE(s->lists[list]) != rank || PyList_SetItem(s->lists[list], d, value) < 0)
                return -1;
        }
    }
    return 0;
}

int graph_spec_make_lists(spec_object *s)
{
    if (s->lists[SHAPE]) return 0;
    PyObject *lists[N_LISTS] = {NULL};
    int32_t rank = hr_spec_rank(s->spec), failed = 0;
    for (int list = 0; !failed && list < N_LISTS; list++) {
        lists[list] = PyList_New(rank);
        failed = !lists[list];
        for (int32_t d = 0; !failed && d < rank; d++) {
            hr_axis axis = hr_spec_axis(s->spec, d);
            PyObject *value = entry(&axis, d, list);
            failed = !value;
            if (value) PyList_SET_ITEM(lists[list], d, value);
        }
    }
    for (int list = 0; list < N_LISTS; list++) {
        if (failed || s->lists[list]) Py_XDECREF(lists[list]);
        else s->lists[list] = lists[list];
    }
    return failed ? -1 : 0;
}

static int read_size(PyObject *value, int32_t d, int64_t *out)
{
    *out = PyLong_Check(value) && !PyBool_Check(value) ? PyLong_AsLongLong(value) : -1;
    if (*out >= 0) return 0;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "axis %d of a spec has the size %R", d, value);
    return -1;
}

/* An axis as the lists have it; `changed` unless the learner says the same. */
static int read_axis(spec_object *s, int32_t d, hr_axis *out, int *changed)
{
    const hr_axis now = hr_spec_axis(s->spec, d);
    PyObject *size = PyList_GET_ITEM(s->lists[SHAPE], d);
    int64_t one = -1;
    *out = now;
    if (read_size(PyList_GET_ITEM(s->lists[MIN], d), d, &out->min) < 0 ||
        read_size(PyList_GET_ITEM(s->lists[MAX], d), d, &out->max) < 0)
        return -1;
    out->multiplier = PyFloat_AsDouble(PyList_GET_ITEM(s->lists[MULTIPLIERS], d));
    if (PyErr_Occurred()) return -1;
    if (PyUnicode_Check(size)) {
        const char *text = PyUnicode_AsUTF8(size);
        if (!text) return -1;
        int is_batch = strncmp(text, "batch", 5) == 0;
        if (!is_batch && strncmp(text, "dim", 3)) {
            PyErr_Format(PyExc_ValueError, "axis %d of a spec is named %R, not batch%d or dim%d", d,
                         size, d, d);
            return -1;
        }
        out->kind = is_batch ? HR_AXIS_BATCH : HR_AXIS_DYNAMIC;
    } else {
        if (read_size(size, d, &one) < 0) return -1;
        out->kind = HR_AXIS_STATIC;
        if (out->min == now.min && out->max == now.max && one != now.min) out->min = out->max = one;
    }
    int same_ratio = out->multiplier == now.multiplier || (isnan(out->multiplier) && isnan(now.multiplier));
    *changed = out->kind != now.kind || out->min != now.min || out->max != now.max || !same_ratio;
    return 0;
}

/* Takes over what was written into the lists. */
int graph_spec_read_lists(mod_state *st, spec_object *s)
{
    hr_error err = {0};
    if (!s->lists[SHAPE]) return 0;
    int32_t rank = hr_spec_rank(s->spec);
    for (int list = 0; list < N_LISTS; list++) {
        if (PyList_GET_SIZE(s->lists[list]) == rank) continue;
        PyErr_Format(PyExc_ValueError, "a list of a spec of rank %d has %zd entries", rank,
                     PyList_GET_SIZE(s->lists[list]));
        return -1;
    }
    for (int32_t d = 0; d < rank; d++) {
        hr_axis axis;
        int changed;
        if (read_axis(s, d, &axis, &changed) < 0) return -1;
        if (!changed) continue;
        if (hr_spec_declare(s->spec, d, &axis, &err) != HR_OK) return raise_error(st, &err), -1;
    }
    return 0;
}

/* ---- for the extension ------------------------------------------------------------- */

PyObject *graph_spec_wrap(PyTypeObject *type, hr_spec *take_spec, PyObject *dtype)
{
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) {
        hr_spec_destroy(&take_spec);
        return NULL;
    }
    spec_of(self)->spec = take_spec;
    spec_of(self)->dtype = Py_NewRef(dtype);
    return self;
}

PyObject *graph_spec_make(mod_state *st, const hr_tensor_facts *facts, int64_t batch)
{
    graph_state *g = st->graphs;
    hr_error err = {0};
    hr_spec *spec;
    if (hr_spec_create(&spec, facts->rank, facts->sizes, batch, &err) != HR_OK) return raise_error(st, &err);
    PyTypeObject *type = g->spec_class ? (PyTypeObject *)g->spec_class : g->spec_type;
    return graph_spec_wrap(type, spec, graph_dtype_object(st, facts->dtype));
}

hr_spec *graph_spec_of(mod_state *st, PyObject *spec)
{
    if (!PyObject_TypeCheck(spec, st->graphs->spec_type)) {
        PyErr_Format(PyExc_TypeError, "%R is no TensorSpec", spec);
        return NULL;
    }
    return graph_spec_read_lists(st, spec_of(spec)) < 0 ? NULL : spec_of(spec)->spec;
}

/* After learning: the lists follow. */
static int learned(mod_state *st, PyObject *spec, hr_status status, const hr_error *err)
{
    int failed = spec_of(spec)->lists[SHAPE] && graph_spec_write_lists(spec_of(spec)) < 0;
    if (status != HR_OK) return raise_error(st, err), -1;
    return failed ? -1 : 0;
}

int graph_spec_see(mod_state *st, PyObject *spec, int32_t rank, const int64_t *sizes, int64_t batch)
{
    hr_error err = {0};
    hr_spec *mine = graph_spec_of(st, spec);
    if (!mine) return -1;
    hr_status status = hr_spec_see(mine, rank, sizes, batch, &err);
    return learned(st, spec, status, &err);
}

int graph_spec_merge(mod_state *st, PyObject *spec, PyObject *other)
{
    hr_error err = {0};
    hr_spec *theirs = graph_spec_of(st, other), *mine = theirs ? graph_spec_of(st, spec) : NULL;
    if (!mine) return -1;
    hr_status status = hr_spec_merge(mine, theirs, &err);
    return learned(st, spec, status, &err);
}
