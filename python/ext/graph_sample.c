/* SampleMetadata's ground: the tree of one call, in one block with the object. Specs, locators and
 * the tuples that Python sees are made when somebody asks; a call that is only routed or compared
 * never has them. */
#include "graph.h"

typedef struct sample_object {
    PyObject_VAR_HEAD
    hr_tree tree;
    int64_t batch;
    int strict;
    PyObject *specs;       /* tuple of TensorSpecs, by tensor leaf; NULL until asked for */
    PyObject *tensor_data, *other_data; /* NULL until asked for */
    PyObject *weakrefs;
    int64_t block[];
} sample_object;

#define sample_of(o) ((sample_object *)(o))

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

static int64_t batch_of_number(PyObject *number)
{
    if (PyBool_Check(number) || !PyIndex_Check(number)) {
        PyErr_Format(PyExc_TypeError, "batch_size: %R is no whole number", number);
        return -2;
    }
    Py_ssize_t n = PyNumber_AsSsize_t(number, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) return -2;
    if (n >= 0) return n;
    PyErr_Format(PyExc_ValueError, "batch_size: %zd is negative", n);
    return -2;
}

static int scope_batch(mod_state *st, int64_t *out)
{
    PyObject *value = NULL;
    *out = HR_BATCH_UNKNOWN;
    if (PyContextVar_Get(st->graphs->scope, NULL, &value) < 0) return -1;
    if (!value) return 0;
    if (value != Py_None) *out = batch_of_number(value);
    Py_DECREF(value);
    return *out == -2 ? -1 : 0;
}

static int batch_size_of(mod_state *st, PyObject *given, int64_t *out)
{
    if (!given || given == Py_None) return scope_batch(st, out);
    *out = batch_of_number(given);
    return *out == -2 ? -1 : 0;
}

typedef struct options {
    PyObject *first; /* what is described */
    int strict;
    int64_t batch;
} options;

/* (value, strict=False, batch_size=None) */
static int parse(mod_state *st, const char *function, PyObject *const *args, Py_ssize_t n,
                 PyObject *kwnames, options *out)
{
    static const char *const names[2][3] = {{"inputs", "strict", "batch_size"},
                                            {"output", "strict", "batch_size"}};
    const char *const *words = names[strcmp(function, "from_inputs") != 0];
    PyObject *v[3] = {NULL, NULL, NULL};
    if (n > 3) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most 3 arguments, not %zd", function, n);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) v[i] = args[i];
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, k);
        int i = 0;
        while (i < 3 && PyUnicode_CompareWithASCIIString(name, words[i])) i++;
        if (i == 3 || v[i]) {
            PyErr_Format(PyExc_TypeError, i == 3 ? "%s() has no argument '%U'"
                                                 : "%s() got '%U' twice", function, name);
            return -1;
        }
        v[i] = args[n + k];
    }
    if (!v[0]) {
        PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, words[0]);
        return -1;
    }
    out->first = v[0];
    out->strict = v[1] ? PyObject_IsTrue(v[1]) : 0;
    return out->strict < 0 ? -1 : batch_size_of(st, v[2], &out->batch);
}

/* The end of each factory. */
static PyObject *finish(PyTypeObject *type, graph_walk *w, int failed, int64_t batch)
{
    PyObject *self = NULL;
    if (!failed) {
        hr_tree_seal(&w->tree);
        self = graph_sample_take(type, w, batch);
    }
    graph_walk_end(w);
    return self;
}

static PyObject *from_inputs(PyObject *cls, PyTypeObject *defining, PyObject *const *args, Py_ssize_t n,
                             PyObject *kwnames)
{
    mod_state *st = PyType_GetModuleState(defining);
    options o;
    if (parse(st, "from_inputs", args, n, kwnames, &o) < 0) return NULL;
    graph_walk w;
    graph_walk_begin(&w, st, o.strict, GRAPH_INPUTS);
    int failed = graph_walk_value(&w, o.first);
    if (!failed) failed = graph_note_phase(&w, o.first);
    return finish((PyTypeObject *)cls, &w, failed, o.batch);
}

static PyObject *from_outputs(PyObject *cls, PyTypeObject *defining, PyObject *const *args,
                              Py_ssize_t n, PyObject *kwnames)
{
    mod_state *st = PyType_GetModuleState(defining);
    options o;
    if (parse(st, "from_outputs", args, n, kwnames, &o) < 0) return NULL;
    graph_walk w;
    graph_walk_begin(&w, st, o.strict, GRAPH_OUTPUTS);
    int failed = graph_walk_value(&w, o.first);
    return finish((PyTypeObject *)cls, &w, failed, o.batch);
}

/* from_call(signature, strict, batch_size, /, *args, **kwargs) */
static PyObject *from_call(PyObject *cls, PyTypeObject *defining, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames)
{
    mod_state *st = PyType_GetModuleState(defining);
    if (n < 3 || !Py_IS_TYPE(args[0], st->graphs->signature_type)) {
        PyErr_SetString(PyExc_TypeError, "from_call(signature, strict, batch_size, /, *args, **kwargs)");
        return NULL;
    }
    int strict = PyObject_IsTrue(args[1]);
    int64_t batch;
    graph_bound b;
    const graph_signature *s = (const graph_signature *)args[0];
    if (strict < 0 || batch_size_of(st, args[2], &batch) < 0) return NULL;
    if (graph_bind(s, args + 3, n - 3, kwnames, &b) < 0) return NULL;
    graph_walk w;
    graph_walk_begin(&w, st, strict, GRAPH_INPUTS);
    int failed = graph_walk_bound(&w, s, &b);
    PyObject *self = finish((PyTypeObject *)cls, &w, failed, batch);
    graph_bound_clear(&b);
    return self;
}

/* ---- from parts: what was pickled, or put together by hand ------------------------- */

/* The path that was added last, as places: the next one often begins alike. Sharing places saves memory
 * and nothing else; what is equal is told by paths. */
typedef struct last_path {
    int32_t *places;
    Py_ssize_t n, room;
} last_path;

static int keep_place(last_path *l, Py_ssize_t depth, int32_t node)
{
    if (depth == l->room) {
        Py_ssize_t room = l->room ? l->room * 2 : 16;
        int32_t *places = PyMem_Realloc(l->places, (size_t)room * sizeof *places);
        if (!places) return PyErr_NoMemory(), -1;
        l->places = places;
        l->room = room;
    }
    l->places[depth] = node;
    l->n = depth + 1;
    return 0;
}

static int is_step(const hr_tree_node *node, int kind, int64_t index, PyObject *accessor)
{
    if (node->kind != kind) return 0;
    return kind == HR_PATH_SEQUENCE ? node->index == index
                                    : graph_token_equal((PyObject *)node->key, accessor);
}

static int add_step(graph_walk *w, int kind, int64_t index, PyObject *accessor, int32_t *node)
{
    hr_error err = {0};
    hr_status status;
    uint64_t hash;
    if (kind == HR_PATH_SEQUENCE) {
        status = hr_tree_add_item(&w->tree, *node, index, node, &err);
    } else {
        if (graph_key_hash(accessor, &hash) < 0) return -1;
        status = hr_tree_add_key(&w->tree, *node, (hr_path_kind)kind, accessor, hash, node, &err);
        if (status == HR_OK) Py_INCREF(accessor);
    }
    return status == HR_OK ? 0 : (raise_error(w->st, &err), -1);
}

/* The place of a path of (accessor, kind) pairs. */
static int add_path(graph_walk *w, PyObject *pairs, last_path *last, int32_t *node)
{
    Py_ssize_t depth = PyTuple_GET_SIZE(pairs);
    int shares = 1;
    *node = -1;
    for (Py_ssize_t i = 0; i < depth; i++) {
        PyObject *accessor;
        int kind;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, i), "Oi;steps are (accessor, kind)", &accessor, &kind))
            return -1;
        if (kind < HR_PATH_SEQUENCE || kind > HR_PATH_USER) {
            PyErr_Format(PyExc_ValueError, "a step of kind %d", kind);
            return -1;
        }
        int64_t index = kind == HR_PATH_SEQUENCE ? PyLong_AsLongLong(accessor) : 0;
        if (index == -1 && PyErr_Occurred()) return -1;
        shares = shares && i < last->n && i + 1 < depth;
        if (shares) shares = is_step(&w->tree.nodes[last->places[i]], kind, index, accessor);
        if (shares < 0) return -1;
        if (shares) *node = last->places[i];
        else if (add_step(w, kind, index, accessor, node) < 0 || keep_place(last, i, *node) < 0) return -1;
    }
    return 0;
}

/* Adds a leaf for (locator, spec or value). */
static int add_part(graph_walk *w, PyObject *part, int is_tensor, last_path *last)
{
    hr_error err = {0};
    PyObject *locator, *what, *token;
    uint64_t hash;
    int32_t node;
    if (!PyArg_ParseTuple(part, "OO;data are (locator, spec or value)", &locator, &what)) return -1;
    PyObject *pairs = NULL;
    int found = PyObject_GetOptionalAttrString(locator, "_pairs", &pairs);
    int failed = found <= 0 || !PyTuple_Check(pairs) || add_path(w, pairs, last, &node) < 0;
    Py_XDECREF(pairs);
    if (failed) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%R is no locator", locator);
        return -1;
    }
    if (is_tensor) {
        hr_spec *spec = graph_spec_of(w->st, what);
        if (!spec) return -1;
        int64_t sizes[GRAPH_RANK_MAX] = {0};
        hr_tensor_facts facts = {hr_spec_rank(spec), sizes, 0, 0};
        for (int32_t d = 0; d < facts.rank && d < GRAPH_RANK_MAX; d++)
            sizes[d] = hr_spec_axis(spec, d).max;
        if (hr_tree_add_tensor(&w->tree, node, &facts, &err) != HR_OK)
            return raise_error(w->st, &err), -1;
        return 0;
    }
    if (graph_token(w->st, what, &token, &hash) < 0) return -1;
    if (hr_tree_add_value(&w->tree, node, Py_NewRef(what), token, hash, &err) == HR_OK) return 0;
    Py_DECREF(token);
    Py_DECREF(what);
    return raise_error(w->st, &err), -1;
}

static int add_parts(graph_walk *w, PyObject *parts, int is_tensor)
{
    last_path last = {NULL, 0, 0};
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(parts); i++)
        failed = add_part(w, PyTuple_GET_ITEM(parts, i), is_tensor, &last);
    PyMem_Free(last.places);
    return failed;
}

static PyObject *specs_of_parts(PyObject *parts)
{
    PyObject *out = PyTuple_New(PyTuple_GET_SIZE(parts));
    for (Py_ssize_t i = 0; out && i < PyTuple_GET_SIZE(parts); i++)
        PyTuple_SET_ITEM(out, i, Py_NewRef(PyTuple_GET_ITEM(PyTuple_GET_ITEM(parts, i), 1)));
    return out;
}

static int phase_of_text(PyObject *text, uint32_t *mark)
{
    if (!text || text == Py_None) return 0;
    const char *s = PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    if (s && !strcmp(s, "prefill")) *mark |= GRAPH_PREFILL;
    else if (s && !strcmp(s, "decode")) *mark |= GRAPH_DECODE;
    else if (!s || *s) {
        PyErr_Format(PyExc_ValueError, "llm_phase: %R is none of 'prefill', 'decode', None", text);
        return -1;
    }
    return 0;
}

static PyObject *sample_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"tensor_data", "other_data", "strict", "llm_phase", "is_output", NULL};
    PyObject *tensors, *others, *phase = NULL;
    int strict = 0, is_output = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OO|pO$p:SampleMetadata", words, &tensors, &others, &strict,
                                     &phase, &is_output))
        return NULL;
    mod_state *st = PyModule_GetState(PyType_GetModuleByDef(type, &hr_module_def));
    uint32_t mark = is_output ? GRAPH_OUTPUTS : GRAPH_INPUTS;
    if (phase_of_text(phase, &mark) < 0) return NULL;
    tensors = PySequence_Tuple(tensors);
    others = tensors ? PySequence_Tuple(others) : NULL;
    if (!others) {
        Py_XDECREF(tensors);
        return NULL;
    }
    graph_walk w;
    graph_walk_begin(&w, st, strict, mark);
    int failed = add_parts(&w, tensors, 1) < 0 || add_parts(&w, others, 0) < 0;
    PyObject *self = finish(type, &w, failed, HR_BATCH_UNKNOWN);
    if (self) {
        sample_of(self)->specs = specs_of_parts(tensors);
        sample_of(self)->tensor_data = tensors;
        sample_of(self)->other_data = others;
        if (sample_of(self)->specs) return self;
        Py_DECREF(self);
        return NULL;
    }
    Py_DECREF(tensors);
    Py_DECREF(others);
    return NULL;
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
    {"from_inputs", FACTORY(from_inputs), FACTORY_FLAGS,
     "from_inputs($cls, inputs, strict=False, batch_size=None)\n--\n\n"
     "Describes what a callable is given: a dict by parameter, or any nested value. `strict` keeps\n"
     "the values that are no tensors. Without a batch size, that in scope counts."},
    {"from_outputs", FACTORY(from_outputs), FACTORY_FLAGS,
     "from_outputs($cls, output, strict=False, batch_size=None)\n--\n\n"
     "Describes what a callable returned."},
    {"from_call", FACTORY(from_call), FACTORY_FLAGS,
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
    {Py_tp_new, sample_new},
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
