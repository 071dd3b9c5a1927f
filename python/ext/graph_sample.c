/* SampleMetadata's ground: the tree of one call, in one block with the object. Specs, locators and
 * the tuples that Python sees are made when somebody asks; a call that is only routed or compared
 * never has them. */
#include "graph_sample.h"

/* ---- making ------------------------------------------------------------------------ */

int graph_is_sample(mod_state *st, PyObject *o)
{
    return PyObject_TypeCheck(o, st->graphs->sample_type);
}

const hr_tree *graph_sample_tree(PyObject *sample) { return &sample_of(sample)->tree; }

PyObject *graph_sample_take(PyTypeObject *type, graph_walk *w, int64_t batch)
{
    size_t bytes = hr_tree_packed_size(&w->tree);
    PyObject *self = type->tp_alloc(type, (Py_ssize_t)((bytes + 7) / 8));
    if (!self) return NULL;
    sample_object *s = sample_of(self);
    hr_tree_pack(&s->tree, &w->tree, s->block);
    s->batch = batch;
    s->strict = w->strict;
    return self;
}

/* ---- what Python sees -------------------------------------------------------------- */

static PyObject *locator_of(mod_state *st, const hr_tree *t, int32_t node)
{
    graph_state *g = st->graphs;
    int depth = 0;
    for (int32_t i = node; i >= 0; i = t->nodes[i].parent) depth++;
    PyObject *steps = PyTuple_New(depth);
    for (int32_t i = node; steps && i >= 0; i = t->nodes[i].parent) {
        const hr_tree_node *n = &t->nodes[i];
        PyObject *key = n->kind == HR_PATH_SEQUENCE ? PyLong_FromLongLong(n->index)
                                                    : Py_NewRef((PyObject *)n->key);
        PyObject *kind = g->path_kinds[n->kind] ? g->path_kinds[n->kind] : Py_None;
        PyObject *step = key ? PyTuple_Pack(2, key, kind) : NULL;
        Py_XDECREF(key);
        if (step) PyTuple_SET_ITEM(steps, --depth, step);
        else Py_CLEAR(steps);
    }
    if (!g->locator_class) PyErr_SetString(PyExc_RuntimeError, "headrace.graphs is not imported");
    if (!g->locator_class) Py_CLEAR(steps);
    PyObject *is_output = t->mark & GRAPH_OUTPUTS ? Py_True : Py_False;
    PyObject *out = steps ? PyObject_CallFunctionObjArgs(g->locator_class, steps, is_output, NULL) : NULL;
    Py_XDECREF(steps);
    return out;
}

static PyObject *make_specs(mod_state *st, sample_object *s)
{
    const hr_tree *t = &s->tree;
    PyObject *out = PyTuple_New(t->n_tensors);
    Py_ssize_t at = 0;
    for (int32_t i = 0; out && i < t->n_leaves; i++) {
        const hr_tree_leaf *l = &t->leaves[i];
        if (l->rank < 0) continue;
        hr_tensor_facts facts = {l->rank, t->sizes + l->sizes, l->dtype, l->device};
        PyObject *spec = graph_spec_make(st, &facts, s->batch);
        if (spec) PyTuple_SET_ITEM(out, at++, spec);
        else Py_CLEAR(out);
    }
    return out;
}

/* Borrowed; NULL with an exception. */
static PyObject *specs_of(PyObject *self)
{
    sample_object *s = sample_of(self);
    if (!s->specs) {
        PyObject *specs = make_specs(state_of(self), s);
        if (s->specs) Py_XDECREF(specs); /* somebody was faster */
        else s->specs = specs;
    }
    return s->specs;
}

/* Pairs of locators and `of(leaf)`. */
static PyObject *make_data(PyObject *self, int tensors)
{
    mod_state *st = state_of(self);
    sample_object *s = sample_of(self);
    const hr_tree *t = &s->tree;
    PyObject *specs = tensors ? specs_of(self) : NULL;
    if (tensors && !specs) return NULL;
    PyObject *out = PyTuple_New(tensors ? t->n_tensors : t->n_leaves - t->n_tensors);
    Py_ssize_t at = 0;
    for (int32_t i = 0; out && i < t->n_leaves; i++) {
        if ((t->leaves[i].rank >= 0) != tensors) continue;
        PyObject *locator = locator_of(st, t, t->leaves[i].node);
        PyObject *what = tensors ? PyTuple_GET_ITEM(specs, at) : (PyObject *)t->leaves[i].value;
        PyObject *pair = locator ? PyTuple_Pack(2, locator, what) : NULL;
        Py_XDECREF(locator);
        if (pair) PyTuple_SET_ITEM(out, at++, pair);
        else Py_CLEAR(out);
    }
    return out;
}

static PyObject *get_data(PyObject *self, void *closure)
{
    int tensors = closure != NULL;
    PyObject **kept = tensors ? &sample_of(self)->tensor_data : &sample_of(self)->other_data;
    if (!*kept) {
        PyObject *data = make_data(self, tensors);
        if (!data) return NULL;
        if (*kept) Py_DECREF(data);
        else *kept = data;
    }
    return Py_NewRef(*kept);
}

static PyObject *get_specs(PyObject *self, void *closure)
{
    PyObject *specs = specs_of(self);
    return specs ? PySequence_List(specs) : NULL;
}

static PyObject *get_strict(PyObject *self, void *closure)
{
    return PyBool_FromLong(sample_of(self)->strict);
}

static PyObject *get_is_output(PyObject *self, void *closure)
{
    return PyBool_FromLong((sample_of(self)->tree.mark & GRAPH_OUTPUTS) != 0);
}

static PyObject *get_phase(PyObject *self, void *closure)
{
    uint32_t mark = sample_of(self)->tree.mark;
    return PyUnicode_FromString(mark & GRAPH_PREFILL ? "prefill" : mark & GRAPH_DECODE ? "decode" : "");
}

/* Tensor leaves of `other` by those of `self`, both counted among the tensors. */
static int pair_specs(PyObject *self, PyObject *other, int32_t *map)
{
    const hr_tree *a = &sample_of(self)->tree, *b = &sample_of(other)->tree;
    int same = hr_tree_map_tensors(a, b, graph_ways(), map);
    if (same == 1) return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(same ? PyExc_MemoryError : PyExc_ValueError,
                        same ? "no memory to compare two calls"
                             : "update_shapes_seen: the other call has other tensors or ranks");
    return -1;
}

/* `map` has the other's leaf by mine; `numbers` has room for each of the other's leaves. */
static int learn(sample_object *s, sample_object *o, const int32_t *map, int32_t *numbers)
{
    const hr_tree *a = &s->tree, *b = &o->tree;
    mod_state *st = state_of((PyObject *)s);
    int32_t at = 0, number = 0;
    for (int32_t i = 0; i < b->n_leaves; i++) { /* among the tensors */
        numbers[i] = number;
        number += b->leaves[i].rank >= 0;
    }
    for (int32_t i = 0; i < a->n_leaves; i++) {
        if (a->leaves[i].rank < 0) continue;
        PyObject *mine = PyTuple_GET_ITEM(s->specs, at++);
        const hr_tree_leaf *leaf = &b->leaves[map[i]];
        int failed = o->specs ? graph_spec_merge(st, mine, PyTuple_GET_ITEM(o->specs, numbers[map[i]]))
                              : graph_spec_see(st, mine, leaf->rank, b->sizes + leaf->sizes, o->batch);
        if (failed) return -1;
    }
    return 0;
}

static PyObject *update_shapes_seen(PyObject *self, PyObject *other)
{
    mod_state *st = state_of(self);
    if (!graph_is_sample(st, other))
        return PyErr_Format(PyExc_TypeError, "update_shapes_seen: %R is no SampleMetadata", other);
    if (!specs_of(self)) return NULL;
    size_t n = (size_t)sample_of(self)->tree.n_leaves, m = (size_t)sample_of(other)->tree.n_leaves;
    int32_t near_map[128], *map = near_map;
    if (n + m > sizeof near_map / sizeof *near_map) map = PyMem_Malloc((n + m) * sizeof *map);
    if (!map) return PyErr_NoMemory();
    int failed = pair_specs(self, other, map) < 0 ||
                 learn(sample_of(self), sample_of(other), map, map + n) < 0;
    if (map != near_map) PyMem_Free(map);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* ---- comparison -------------------------------------------------------------------- */

static Py_hash_t sample_hash(PyObject *self)
{
    Py_hash_t h = (Py_hash_t)sample_of(self)->tree.hash;
    return h == -1 ? -2 : h;
}

static PyObject *sample_compare(PyObject *self, PyObject *other, int op)
{
    mod_state *st = state_of(self);
    if ((op != Py_EQ && op != Py_NE) || !graph_is_sample(st, other)) Py_RETURN_NOTIMPLEMENTED;
    int same = self == other ? 1 : hr_tree_equal(&sample_of(self)->tree, &sample_of(other)->tree,
                                                 graph_ways());
    if (same < 0) return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    return PyBool_FromLong(same == (op == Py_EQ));
}

/* ---- leaves without metadata ------------------------------------------------------- */

/* graph_find_leaves(obj, only_tensors, is_output): list of (Locator, value). */
PyObject *graph_find_leaves(PyObject *module, PyObject *args)
{
    PyObject *obj;
    int only_tensors, is_output;
    if (!PyArg_ParseTuple(args, "Opp:graph_find_leaves", &obj, &only_tensors, &is_output)) return NULL;
    mod_state *st = state_of_module(module);
    graph_walk w;
    graph_walk_begin(&w, st, !only_tensors, is_output ? GRAPH_OUTPUTS : GRAPH_INPUTS);
    w.keep_tensors = w.opens = 1;
    PyObject *out = graph_walk_value(&w, obj) < 0 ? NULL : PyList_New(0);
    for (int32_t i = 0; out && i < w.tree.n_leaves; i++) {
        PyObject *locator = locator_of(st, &w.tree, w.tree.leaves[i].node);
        PyObject *pair = locator ? PyTuple_Pack(2, locator, (PyObject *)w.tree.leaves[i].value) : NULL;
        if (!pair || PyList_Append(out, pair) < 0) Py_CLEAR(out);
        Py_XDECREF(locator);
        Py_XDECREF(pair);
    }
    graph_walk_end(&w);
    return out;
}

/* graph_sizes(tensor): its sizes as the learner sees them. */
PyObject *graph_sizes(PyObject *module, PyObject *tensor)
{
    mod_state *st = state_of_module(module);
    int64_t room[GRAPH_RANK_MAX];
    hr_tensor_facts facts;
    graph_kind *kind = graph_kind_of(st, tensor);
    if (!kind || graph_read_tensor(st, tensor, kind, room, &facts) < 0) return NULL;
    return tuple_of_extents(facts.sizes, facts.rank);
}

/* ---- the type ---------------------------------------------------------------------- */

static int sample_traverse(PyObject *self, visitproc visit, void *arg)
{
    sample_object *s = sample_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(s->specs);
    Py_VISIT(s->tensor_data);
    Py_VISIT(s->other_data);
    return graph_tree_traverse(&s->tree, visit, arg);
}

static int sample_clear(PyObject *self)
{
    sample_object *s = sample_of(self);
    Py_CLEAR(s->specs);
    Py_CLEAR(s->tensor_data);
    Py_CLEAR(s->other_data);
    graph_tree_release(&s->tree);
    return 0;
}

static void sample_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (sample_of(self)->weakrefs) PyObject_ClearWeakRefs(self);
    sample_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

#define FACTORY(f) ((PyCFunction)(void (*)(void))(f))
#define FACTORY_FLAGS (METH_METHOD | METH_FASTCALL | METH_KEYWORDS | METH_CLASS)

static PyMethodDef methods[] = {
    {"from_inputs", FACTORY(graph_sample_from_inputs), FACTORY_FLAGS,
     "from_inputs($cls, inputs, strict=False, batch_size=None)\n--\n\n"
     "Describes what a callable is given: a dict by parameter, or any nested value. `strict` keeps\n"
     "the values that are no tensors. Without a batch size, that in scope counts."},
    {"from_outputs", FACTORY(graph_sample_from_outputs), FACTORY_FLAGS,
     "from_outputs($cls, output, strict=False, batch_size=None)\n--\n\n"
     "Describes what a callable returned."},
    {"from_call", FACTORY(graph_sample_from_call), FACTORY_FLAGS,
     "from_call($cls, signature, strict, batch_size, /, *args, **kwargs)\n--\n\n"
     "Describes a call of what has the signature (ForwardSignature.native()): as from_inputs() of its\n"
     "bound arguments, in one pass."},
    {"update_shapes_seen", update_shapes_seen, METH_O,
     "update_shapes_seen($self, other, /)\n--\n\n"
     "Learns the sizes of another call with the same tensors and ranks; ValueError otherwise, with\n"
     "nothing changed."},
    {0},
};

static PyGetSetDef getset[] = {
    {"tensor_data", get_data, NULL, "Tuple of (Locator, TensorSpec), in the order of the walk.", "t"},
    {"other_data", get_data, NULL, "Tuple of (Locator, value); empty unless strict.", NULL},
    {"tensor_specs", get_specs, NULL, "List of the TensorSpecs.", NULL},
    {"strict", get_strict, NULL, "Whether values count.", NULL},
    {"is_output", get_is_output, NULL, "Whether an output is described.", NULL},
    {"llm_phase", get_phase, NULL, "'prefill', 'decode' or ''.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(sample_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, graph_sample_new},
    {Py_tp_dealloc, sample_dealloc},
    {Py_tp_traverse, sample_traverse},
    {Py_tp_clear, sample_clear},
    {Py_tp_hash, sample_hash},
    {Py_tp_richcompare, sample_compare},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec graph_sample_spec = {
    .name = "headrace._core.GraphSample",
    .basicsize = sizeof(sample_object),
    .itemsize = sizeof(int64_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
