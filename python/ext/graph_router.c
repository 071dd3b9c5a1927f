/* The router: a callable that sends each call to its graph's backend. One binding, one walk and one
 * lookup a call, no Python between the user's call and the backend, and nothing locked: graphs are
 * only added, and what a call uses it holds. */
#include "graph_router.h"

#define router_of(o) ((router_object *)(o))

/* ---- a call ------------------------------------------------------------------------------------ */

static PyObject *serve(router_object *r, const graph_bound *b, int32_t index)
{
    r->served[index]++;
    PyObject *backend = Py_NewRef(PyList_GET_ITEM(r->backends, index));
    PyObject *infer = PyObject_GetAttr(backend, r->str_infer);
    PyObject *out = infer ? graph_bound_call(r->signature, b, infer) : NULL;
    Py_XDECREF(infer);
    Py_DECREF(backend);
    return out;
}

static PyObject *router_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    router_object *r = router_of(self);
    Py_ssize_t n = PyVectorcall_NARGS(flags);
    graph_bound b;
    if (!r->graphs || PyList_GET_SIZE(r->backends) == 0) {
        PyErr_SetString(PyExc_RuntimeError, "a router without graphs was called");
        return NULL;
    }
    mod_state *st = PyModule_GetState(PyType_GetModuleByDef(Py_TYPE(self), &hr_module_def));
    if (graph_bind(r->signature, args, n, kwnames, &b) < 0) return NULL;
    int is_sure = !r->is_checked && PyList_GET_SIZE(r->backends) == 1;
    int32_t index = is_sure ? 0 : graph_route(st, r, &b);
    PyObject *out = NULL, *original = NULL;
    if (index >= 0) {
        out = serve(r, &b, index);
    } else if (index == -1 && (original = Py_XNewRef(r->original))) {
        out = PyObject_Vectorcall(original, args, (size_t)n, kwnames);
        Py_DECREF(original);
    }
    graph_bound_clear(&b);
    return out;
}

/* ---- graphs ------------------------------------------------------------------------------------ */

static int read_bounds(PyObject *sizes, int32_t rank, int64_t *out)
{
    if (!PyTuple_Check(sizes) || PyTuple_GET_SIZE(sizes) != rank) {
        PyErr_Format(PyExc_ValueError, "guard: %R is no tuple of %d sizes", sizes, (int)rank);
        return -1;
    }
    for (int32_t d = 0; d < rank; d++) {
        out[d] = PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, d));
        if (out[d] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}

/* The leaf of the n-th tensor; -1: there are fewer. */
static int32_t tensor_leaf(const hr_tree *t, int n)
{
    for (int32_t i = 0; n >= 0 && i < t->n_leaves; i++)
        if (t->leaves[i].rank >= 0 && n-- == 0) return i;
    return -1;
}

/* One guard from (tensor, demands, min, max); dtype and device are the sample's own. */
static int read_guard(const hr_tree *t, PyObject *entry, int64_t *bounds, hr_guard *out)
{
    int tensor, demands;
    PyObject *min, *max;
    if (!PyTuple_Check(entry)) {
        PyErr_Format(PyExc_TypeError, "guard: %R is no tuple", entry);
        return -1;
    }
    if (!PyArg_ParseTuple(entry, "iiOO;guards are (tensor, demands, min, max)", &tensor, &demands, &min,
                          &max))
        return -1;
    int32_t leaf = tensor_leaf(t, tensor);
    if (leaf < 0 || demands & ~(HR_GUARD_RANGE | HR_GUARD_DTYPE | HR_GUARD_DEVICE)) {
        PyErr_Format(PyExc_ValueError, "guard: tensor %d of %d, demands %d", tensor, (int)t->n_tensors,
                     demands);
        return -1;
    }
    const hr_tree_leaf *l = &t->leaves[leaf];
    *out = (hr_guard){leaf, (uint32_t)demands, l->dtype, l->device, bounds, bounds + GRAPH_RANK_MAX};
    if (!(demands & HR_GUARD_RANGE)) return 0;
    return read_bounds(min, l->rank, bounds) || read_bounds(max, l->rank, bounds + GRAPH_RANK_MAX);
}

static int make_room(router_object *r)
{
    int n = (int)PyList_GET_SIZE(r->backends);
    if (n < r->n_room) return 0;
    int room = r->n_room ? r->n_room * 2 : 8;
    int64_t *served = PyMem_Realloc(r->served, (size_t)room * sizeof *served);
    if (served) r->served = served;
    char *is_told = PyMem_Realloc(r->is_told, (size_t)room);
    if (is_told) r->is_told = is_told;
    if (!served || !is_told) return PyErr_NoMemory(), -1;
    for (int i = n; i < room; i++) served[i] = is_told[i] = 0;
    r->n_room = room;
    return 0;
}

/* Publishes a graph once everything that a call of it needs is there. */
static int publish(mod_state *st, router_object *r, PyObject *sample, PyObject *backend,
                   const hr_guard *guards, int n_guards)
{
    hr_error err = {0};
    int32_t index;
    if (make_room(r) < 0 || PyList_Append(r->samples, sample) < 0) return -1;
    Py_ssize_t n = PyList_GET_SIZE(r->backends);
    int failed = PyList_Append(r->backends, backend) < 0;
    if (!failed && hr_router_add(r->graphs, graph_sample_tree(sample), guards, n_guards, &index, &err) ==
                       HR_OK)
        return 0;
    PyObject *pending = PyErr_GetRaisedException();
    if (!failed) PyList_SetSlice(r->backends, n, n + 1, NULL);
    PyList_SetSlice(r->samples, n, n + 1, NULL);
    if (pending) PyErr_SetRaisedException(pending);
    else raise_error(st, &err);
    return -1;
}

static PyObject *router_add(PyObject *self, PyObject *args)
{
    router_object *r = router_of(self);
    PyObject *sample, *backend, *entries = NULL;
    if (!PyArg_ParseTuple(args, "OO|O!:add", &sample, &backend, &PyTuple_Type, &entries)) return NULL;
    mod_state *st = PyModule_GetState(PyType_GetModuleByDef(Py_TYPE(self), &hr_module_def));
    if (!graph_is_sample(st, sample)) {
        PyErr_Format(PyExc_TypeError, "graphs are known by SampleMetadata, not by %R", sample);
        return NULL;
    }
    Py_ssize_t n = entries ? PyTuple_GET_SIZE(entries) : 0;
    hr_guard *guards = PyMem_Calloc((size_t)n + 1, sizeof *guards);
    int64_t *bounds = PyMem_Calloc((size_t)n + 1, 2 * GRAPH_RANK_MAX * sizeof *bounds);
    int failed = !guards || !bounds;
    if (failed) PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < n; i++)
        failed = read_guard(graph_sample_tree(sample), PyTuple_GET_ITEM(entries, i),
                            bounds + 2 * GRAPH_RANK_MAX * i, &guards[i]);
    if (!failed && r->is_adding) {
        PyErr_SetString(PyExc_RuntimeError, "another graph is being added to this router");
        failed = 1;
    }
    if (!failed) {
        r->is_adding = 1;
        failed = publish(st, r, sample, backend, guards, (int)n);
        r->is_adding = 0;
    }
    PyMem_Free(guards);
    PyMem_Free(bounds);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* ---- the type ---------------------------------------------------------------------------------- */

static const char *const policies[] = {"fallback", "error", "nearest"};

static int read_policy(PyObject *text, router_policy *out)
{
    for (int i = 0; i < 3; i++) {
        if (!PyUnicode_Check(text) || PyUnicode_CompareWithASCIIString(text, policies[i])) continue;
        *out = (router_policy)i;
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "unknown: %R is none of 'fallback', 'error', 'nearest'", text);
    return -1;
}

/* Everything that a router owns; 0, -1. */
static int create_parts(router_object *r)
{
    hr_error err = {0};
    r->samples = PyList_New(0);
    r->backends = PyList_New(0);
    r->strange = PyList_New(0);
    r->str_infer = PyUnicode_InternFromString("infer");
    if (!r->samples || !r->backends || !r->strange || !r->str_infer) return -1;
    if (hr_router_create(&r->graphs, graph_ways(), &err) == HR_OK &&
        hr_router_create(&r->told, graph_ways(), &err) == HR_OK)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static PyObject *router_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    router_object *r = (router_object *)type->tp_alloc(type, 0);
    (void)args, (void)kw;
    if (!r) return NULL;
    r->call = router_call;
    if (create_parts(r) == 0) return (PyObject *)r;
    Py_DECREF(r);
    return NULL;
}

static int router_init(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *words[] = {"signature", "sample_class", "strict", "original", "unknown", "checked", NULL};
    router_object *r = router_of(self);
    PyObject *signature, *sample_class, *original, *policy;
    int is_strict, is_checked;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OOpOOp:GraphRouter", words, &signature, &sample_class,
                                     &is_strict, &original, &policy, &is_checked))
        return -1;
    mod_state *st = PyModule_GetState(PyType_GetModuleByDef(Py_TYPE(self), &hr_module_def));
    if (!Py_IS_TYPE(signature, st->graphs->signature_type) || !PyType_Check(sample_class) ||
        !PyType_IsSubtype((PyTypeObject *)sample_class, st->graphs->sample_type)) {
        PyErr_SetString(PyExc_TypeError, "GraphRouter(GraphSignature, a class of samples, …)");
        return -1;
    }
    if (r->signature || read_policy(policy, &r->policy) < 0) {
        if (r->signature) PyErr_SetString(PyExc_RuntimeError, "a router is made only once");
        return -1;
    }
    r->signature = (graph_signature *)Py_NewRef(signature);
    r->sample_class = Py_NewRef(sample_class);
    r->original = original == Py_None ? NULL : Py_NewRef(original);
    r->is_strict = is_strict;
    r->is_checked = is_checked;
    return 0;
}

static int router_traverse(PyObject *self, visitproc visit, void *arg)
{
    router_object *r = router_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(r->signature);
    Py_VISIT(r->original);
    Py_VISIT(r->samples);
    Py_VISIT(r->backends);
    Py_VISIT(r->sample_class);
    Py_VISIT(r->strange);
    return 0;
}

/* The tables go first: their entries borrow the trees of the samples. */
static int router_clear(PyObject *self)
{
    router_object *r = router_of(self);
    hr_router_destroy(&r->graphs);
    hr_router_destroy(&r->told);
    Py_CLEAR(r->original);
    Py_CLEAR(r->samples);
    Py_CLEAR(r->backends);
    Py_CLEAR(r->strange);
    Py_CLEAR(r->sample_class);
    Py_CLEAR(r->signature);
    return 0;
}

static void router_dealloc(PyObject *self)
{
    router_object *r = router_of(self);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    router_clear(self);
    Py_CLEAR(r->str_infer);
    PyMem_Free(r->served);
    PyMem_Free(r->is_told);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *get_served(PyObject *self, void *closure)
{
    router_object *r = router_of(self);
    (void)closure;
    Py_ssize_t n = r->backends ? PyList_GET_SIZE(r->backends) : 0;
    PyObject *out = PyTuple_New(n);
    for (Py_ssize_t i = 0; out && i < n; i++) {
        PyObject *count = PyLong_FromLongLong(r->served[i]);
        if (count) PyTuple_SET_ITEM(out, i, count);
        else Py_CLEAR(out);
    }
    return out;
}

static PyObject *get_count(PyObject *self, void *closure)
{
    return PyLong_FromLongLong(closure ? router_of(self)->n_outside : router_of(self)->n_unknown);
}

static PyObject *get_strange(PyObject *self, void *closure)
{
    (void)closure;
    return router_of(self)->strange ? PyList_AsTuple(router_of(self)->strange) : PyTuple_New(0);
}

static PyObject *get_policy(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(policies[router_of(self)->policy]);
}

static int set_policy(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    if (value) return read_policy(value, &router_of(self)->policy);
    PyErr_SetString(PyExc_AttributeError, "unknown cannot be deleted");
    return -1;
}

static PyObject *get_checked(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(router_of(self)->is_checked);
}

static PyMethodDef methods[] = {
    {"_add", router_add, METH_VARARGS,
     "_add($self, sample, backend, guards=(), /)\n--\n\n"
     "A graph by its metadata. `guards` are (number of the tensor, demands, min, max): 1 asks for sizes\n"
     "within min and max, 2 for the sample's dtype, 4 for its device. KeyError when the graph is there."},
    {0},
};

static PyGetSetDef getset[] = {
    {"served", get_served, NULL, "Calls that each graph has served, in the order of the graphs.", NULL},
    {"n_unknown", get_count, NULL, "Calls that belonged to no graph.", NULL},
    {"n_outside", get_count, NULL, "Calls of a graph that were outside what its backend takes.", "o"},
    {"unknown", get_policy, set_policy,
     "The policy for calls of no graph. May be set while others call; a call goes by one policy.", NULL},
    {"check_graph", get_checked, NULL, "Whether calls are compared with the graph where it is the only one.",
     NULL},
    {"unknown_graphs", get_strange, NULL, "SampleMetadata of unknown graphs, the first 64.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(router_object, call), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "GraphRouter(signature, sample_class, strict, original, unknown, checked)\n--\n\n"
                "Sends each call to the backend of its graph; TunedModule is made of it."},
    {Py_tp_new, router_new},
    {Py_tp_init, router_init},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, router_dealloc},
    {Py_tp_traverse, router_traverse},
    {Py_tp_clear, router_clear},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec graph_router_spec = {
    .name = "headrace._core.GraphRouter",
    .basicsize = sizeof(router_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots,
};
