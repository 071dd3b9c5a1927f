/* TensorSpec as Python sees it: how one is made, its attributes and its type. */
#include "graph_spec.h"

#include <math.h>

/* ---- making ------------------------------------------------------------------------ */

static int read_batch(PyObject *value, int64_t *out)
{
    *out = HR_BATCH_UNKNOWN;
    if (value == Py_None) return 0;
    double x = PyFloat_AsDouble(value);
    if (x == -1 && PyErr_Occurred()) return -1;
    if (isnan(x)) return 0;
    if (x != floor(x) || x < 0 || x > 1e15) {
        PyErr_Format(PyExc_ValueError, "batch_size: %R is no whole size", value);
        return -1;
    }
    *out = (int64_t)x;
    return 0;
}

/* from_tensor(tensor, batch_size) */
static PyObject *from_tensor(PyObject *cls, PyObject *args, PyObject *kw)
{
    static char *words[] = {"tensor", "batch_size", NULL};
    PyObject *tensor, *size = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|O:from_tensor", words, &tensor, &size)) return NULL;
    mod_state *st = PyModule_GetState(PyType_GetModuleByDef((PyTypeObject *)cls, &hr_module_def));
    int64_t batch, room[GRAPH_RANK_MAX];
    hr_tensor_facts facts;
    hr_error err = {0};
    hr_spec *spec;
    graph_kind *kind = graph_kind_of(st, tensor);
    if (!kind || read_batch(size, &batch) < 0) return NULL;
    if (graph_read_tensor(st, tensor, kind, room, &facts) < 0) return NULL;
    if (hr_spec_create(&spec, facts.rank, facts.sizes, batch, &err) != HR_OK) return raise_error(st, &err);
    return graph_spec_wrap((PyTypeObject *)cls, spec, graph_dtype_object(st, facts.dtype));
}

static PyObject *spec_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"shape", "min_shape", "max_shape", "dtype", "_bs_multipliers", NULL};
    PyObject *given[N_LISTS], *dtype;
    hr_error err = {0};
    hr_spec *spec;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OOOOO:TensorSpec", words, &given[SHAPE], &given[MIN],
                                     &given[MAX], &dtype, &given[MULTIPLIERS]))
        return NULL;
    mod_state *st = PyModule_GetState(PyType_GetModuleByDef(type, &hr_module_def));
    Py_ssize_t rank = PySequence_Size(given[SHAPE]);
    if (rank < 0) return NULL;
    if (rank > GRAPH_RANK_MAX)
        return PyErr_Format(PyExc_ValueError, "a spec of rank %zd, at most %d", rank, GRAPH_RANK_MAX);
    static const int64_t zeros[GRAPH_RANK_MAX];
    if (hr_spec_create(&spec, (int32_t)rank, zeros, HR_BATCH_UNKNOWN, &err) != HR_OK)
        return raise_error(st, &err);
    PyObject *self = graph_spec_wrap(type, spec, dtype);
    for (int list = 0; self && list < N_LISTS; list++) {
        spec_of(self)->lists[list] = PySequence_List(given[list]);
        if (!spec_of(self)->lists[list]) Py_CLEAR(self);
    }
    if (self && (graph_spec_read_lists(st, spec_of(self)) < 0 || graph_spec_write_lists(spec_of(self)) < 0))
        Py_CLEAR(self);
    return self;
}

/* ---- what Python sees -------------------------------------------------------------- */

static PyObject *get_list(PyObject *self, void *closure)
{
    if (graph_spec_make_lists(spec_of(self)) < 0) return NULL;
    return Py_NewRef(spec_of(self)->lists[(intptr_t)closure]);
}

static int set_list(PyObject *self, PyObject *value, void *closure)
{
    if (!value) return PyErr_SetString(PyExc_AttributeError, "a spec's lists cannot be deleted"), -1;
    if (graph_spec_make_lists(spec_of(self)) < 0) return -1;
    PyObject *list = PySequence_List(value);
    if (!list) return -1;
    Py_SETREF(spec_of(self)->lists[(intptr_t)closure], list);
    return 0;
}

static PyObject *get_dtype(PyObject *self, void *closure) { return Py_NewRef(spec_of(self)->dtype); }

static int set_dtype(PyObject *self, PyObject *value, void *closure)
{
    if (!value) return PyErr_SetString(PyExc_AttributeError, "a spec's dtype cannot be deleted"), -1;
    Py_SETREF(spec_of(self)->dtype, Py_NewRef(value));
    return 0;
}

static PyObject *update_shapes_seen(PyObject *self, PyObject *other)
{
    if (graph_spec_merge(state_of(self), self, other) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *matches(PyObject *self, PyObject *other)
{
    mod_state *st = state_of(self);
    hr_spec *theirs = graph_spec_of(st, other), *mine = theirs ? graph_spec_of(st, self) : NULL;
    return mine ? PyBool_FromLong(hr_spec_matches(mine, theirs)) : NULL;
}

static PyObject *explain(PyObject *self, PyObject *axis)
{
    hr_spec *spec = graph_spec_of(state_of(self), self);
    Py_ssize_t d = spec ? PyNumber_AsSsize_t(axis, PyExc_IndexError) : -1;
    if (d == -1 && PyErr_Occurred()) return NULL;
    if (d < 0 || d >= hr_spec_rank(spec))
        return PyErr_Format(PyExc_IndexError, "axis %zd of a spec of rank %d", d, hr_spec_rank(spec));
    char text[1024];
    hr_spec_explain(spec, (int32_t)d, text, sizeof text);
    return PyUnicode_FromString(text);
}

/* [(kind, is_open, min, max, multiplier, [(batch size or None, size, assumed, count), ...]), ...] */
static PyObject *get_axes(PyObject *self, void *closure)
{
    static const char *const kinds[] = {"static", "batch", "dynamic"};
    hr_spec *spec = graph_spec_of(state_of(self), self);
    PyObject *out = spec ? PyList_New(0) : NULL;
    for (int32_t d = 0; out && d < hr_spec_rank(spec); d++) {
        hr_axis a = hr_spec_axis(spec, d);
        PyObject *pairs = PyList_New(0), *item = NULL;
        for (int64_t i = 0; pairs && i < a.n_pairs; i++) {
            const hr_axis_pair *p = &a.pairs[i];
            PyObject *batch = p->batch < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(p->batch);
            PyObject *pair = batch ? Py_BuildValue("(NLOi)", batch, (long long)p->size,
                                                   p->assumed ? Py_True : Py_False, p->count) : NULL;
            if (!pair || PyList_Append(pairs, pair) < 0) Py_CLEAR(pairs);
            Py_XDECREF(pair);
        }
        if (pairs)
            item = Py_BuildValue("(sOLLdN)", kinds[a.kind], a.is_open ? Py_True : Py_False,
                                 (long long)a.min, (long long)a.max, a.multiplier, pairs);
        if (!item || PyList_Append(out, item) < 0) Py_CLEAR(out);
        Py_XDECREF(item);
    }
    return out;
}

static PyObject *get_last_batch(PyObject *self, void *closure)
{
    int64_t batch = hr_spec_last_batch(spec_of(self)->spec);
    return batch < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(batch);
}

static int recall_axis(mod_state *st, spec_object *s, int32_t d, PyObject *pairs)
{
    hr_error err = {0};
    Py_ssize_t n = PyList_GET_SIZE(pairs);
    hr_axis_pair *v = PyMem_Calloc((size_t)n + 1, sizeof *v);
    int failed = !v;
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        PyObject *batch;
        long long size;
        failed = !PyArg_ParseTuple(PyList_GET_ITEM(pairs, i), "OLpi;pairs are (batch, size, assumed, count)",
                                   &batch, &size, &v[i].assumed, &v[i].count) ||
                 read_batch(batch, &v[i].batch) < 0;
        if (!failed) v[i].size = size;
    }
    if (!failed && hr_spec_recall(s->spec, d, v, n, &err) != HR_OK) raise_error(st, &err), failed = 1;
    PyMem_Free(v);
    return failed ? -1 : 0;
}

/* _recall(pairs by axis, last batch size): puts evidence in the place of what the lists say. */
static PyObject *recall(PyObject *self, PyObject *args)
{
    PyObject *by_axis, *last;
    mod_state *st = state_of(self);
    spec_object *s = spec_of(self);
    hr_error err = {0};
    int64_t batch;
    if (!PyArg_ParseTuple(args, "O!O:_recall", &PyList_Type, &by_axis, &last)) return NULL;
    if (read_batch(last, &batch) < 0 || graph_spec_read_lists(st, s) < 0) return NULL;
    if (PyList_GET_SIZE(by_axis) != hr_spec_rank(s->spec))
        return PyErr_Format(PyExc_ValueError, "evidence of %zd axes for a spec of rank %d",
                            PyList_GET_SIZE(by_axis), hr_spec_rank(s->spec));
    for (int32_t d = 0; d < hr_spec_rank(s->spec); d++) {
        PyObject *pairs = PyList_GET_ITEM(by_axis, d);
        int is_there = PyList_Check(pairs) && PyList_GET_SIZE(pairs) > 0;
        if (is_there && recall_axis(st, s, d, pairs) < 0) return NULL;
    }
    if (hr_spec_assume_batch(s->spec, batch, &err) != HR_OK) return raise_error(st, &err);
    if (s->lists[SHAPE] && graph_spec_write_lists(s) < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- the type ---------------------------------------------------------------------- */

static Py_hash_t spec_hash(PyObject *self) { return 7919 + hr_spec_rank(spec_of(self)->spec); }

static PyObject *spec_compare(PyObject *self, PyObject *other, int op)
{
    mod_state *st = state_of(self);
    if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    if (!PyObject_TypeCheck(other, st->graphs->spec_type)) Py_RETURN_NOTIMPLEMENTED;
    int same = hr_spec_rank(spec_of(self)->spec) == hr_spec_rank(spec_of(other)->spec);
    return PyBool_FromLong(same == (op == Py_EQ));
}

static int spec_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(spec_of(self)->dtype);
    for (int list = 0; list < N_LISTS; list++) Py_VISIT(spec_of(self)->lists[list]);
    return 0;
}

static int spec_clear(PyObject *self)
{
    Py_CLEAR(spec_of(self)->dtype);
    for (int list = 0; list < N_LISTS; list++) Py_CLEAR(spec_of(self)->lists[list]);
    return 0;
}

static void spec_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (spec_of(self)->weakrefs) PyObject_ClearWeakRefs(self);
    spec_clear(self);
    hr_spec_destroy(&spec_of(self)->spec);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"from_tensor", (PyCFunction)(void (*)(void))from_tensor, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_tensor($cls, tensor, batch_size=None)\n--\n\n"
     "What one tensor tells; it needs no more than `shape` and `dtype`. None and NaN: the batch size is\n"
     "not known."},
    {"update_shapes_seen", update_shapes_seen, METH_O,
     "update_shapes_seen($self, other, /)\n--\n\n"
     "Learns all that the other spec has seen; ValueError for another rank."},
    {"matches", matches, METH_O,
     "matches($self, other, /)\n--\n\n"
     "Equal rank, and no axis that is an integer in both and differs."},
    {"explain", explain, METH_O, "explain($self, axis, /)\n--\n\nWhy an axis is what it is, in words."},
    {"_recall", recall, METH_VARARGS, NULL},
    {0},
};

static PyGetSetDef getset[] = {
    {"shape", get_list, set_list, "List of sizes; 'batch<axis>' or 'dim<axis>' where they change.",
     (void *)SHAPE},
    {"min_shape", get_list, set_list, "List of the smallest sizes seen.", (void *)MIN},
    {"max_shape", get_list, set_list, "List of the largest sizes seen.", (void *)MAX},
    {"_bs_multipliers", get_list, set_list, "List of size over batch size; NaN where there is none.",
     (void *)MULTIPLIERS},
    {"dtype", get_dtype, set_dtype, "The first tensor's dtype.", NULL},
    {"axes", get_axes, NULL,
     "By axis (kind, is_open, min, max, multiplier, evidence): the evidence is a list of\n"
     "(batch size or None, size, assumed, count).", NULL},
    {"_last_batch", get_last_batch, NULL, NULL, NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(spec_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, spec_new},
    {Py_tp_dealloc, spec_dealloc},
    {Py_tp_traverse, spec_traverse},
    {Py_tp_clear, spec_clear},
    {Py_tp_hash, spec_hash},
    {Py_tp_richcompare, spec_compare},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec graph_spec_spec = {
    .name = "headrace._core.GraphTensorSpec",
    .basicsize = sizeof(spec_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
