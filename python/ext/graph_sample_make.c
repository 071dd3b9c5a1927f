/* How SampleMetadata comes into being: by walking what a callable is given or returned, or from the parts
 * that one was taken to. */
#include "graph_sample.h"

/* ---- by walking -------------------------------------------------------------------- */

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

PyObject *graph_sample_from_inputs(PyObject *cls, PyTypeObject *defining, PyObject *const *args, Py_ssize_t n,
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

PyObject *graph_sample_from_outputs(PyObject *cls, PyTypeObject *defining, PyObject *const *args,
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
PyObject *graph_sample_from_call(PyObject *cls, PyTypeObject *defining, PyObject *const *args, Py_ssize_t n,
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

PyObject *graph_sample_new(PyTypeObject *type, PyObject *args, PyObject *kw)
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
