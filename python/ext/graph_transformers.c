/* What the models of transformers are called with, beside tensors. An argument `cache_position` tells
 * the phase of a language model: its first element is 0 in the prefill, another number in decoding, and
 * both are graphs of their own. A cache holds what was computed of the tokens before: it is another
 * object in each generation and holds more with each call, so as a value it would make a graph each time. */
#include "graph.h"

/* ---- caches ------------------------------------------------------------------------ */

/* A static cache is its tensors, whose sizes stay; others grow by themselves and count for nothing. The
 * first class that a type comes from decides. */
static const struct {
    const char *name;
    graph_way way;
} caches[] = {
    {"StaticCache", GRAPH_USER},
    {"StaticLayer", GRAPH_USER},
    {"EncoderDecoderCache", GRAPH_USER}, /* two caches of any kind */
    {"Cache", GRAPH_IGNORED},
};

graph_way graph_cache_way(PyTypeObject *type)
{
    graph_way way = GRAPH_VALUE;
    for (size_t i = 0; way == GRAPH_VALUE && i < sizeof caches / sizeof *caches; i++) {
        PyObject *cls = graph_loaded("transformers.cache_utils", caches[i].name);
        if (cls && PyType_Check(cls) && PyType_IsSubtype(type, (PyTypeObject *)cls)) way = caches[i].way;
        Py_XDECREF(cls);
    }
    return way;
}

/* ---- phases ------------------------------------------------------------------------ */

/* Of an array, a number, or a list of numbers: 1: it is zero, 0: not, -1: nothing to go by, maybe with
 * an exception. */
static int first_is_zero(mod_state *st, PyObject *value)
{
    hr_tensor t = {0};
    int copied;
    PyObject *first = NULL;
    if (value == Py_None || PyUnicode_Check(value)) return -1;
    if (tensor_from_object(st, value, &t, &copied) == 0) {
        if (hr_tensor_size(&t) > 0) first = element_to_object(t.dtype, t.data);
        hr_tensor_clear(&t);
    } else if (PyErr_ExceptionMatches(PyExc_Exception)) { /* it carries gradients, is sparse, … */
        PyErr_Clear();
        PyObject *zero = PyLong_FromLong(0);
        first = zero ? PyObject_GetItem(value, zero) : NULL;
        Py_XDECREF(zero);
    }
    int is_true = first ? PyObject_IsTrue(first) : -1;
    Py_XDECREF(first);
    return is_true < 0 ? -1 : !is_true;
}

/* What tells the phase: the last leaf of a container if that is a tensor or None, else the whole of it.
 * New reference; NULL, maybe with an exception: there is nothing. */
static PyObject *telling_part(mod_state *st, PyObject *value)
{
    graph_kind *kind = graph_kind_of(st, value);
    if (!kind) return NULL;
    if (!graph_is_container(kind->way)) return Py_NewRef(value);
    graph_walk w;
    PyObject *out = NULL;
    graph_walk_begin(&w, st, 1, GRAPH_INPUTS);
    w.keep_tensors = 1;
    if (graph_walk_value(&w, value) == 0 && w.tree.n_leaves > 0) {
        const hr_tree_leaf *last = &w.tree.leaves[w.tree.n_leaves - 1];
        int is_told = last->rank >= 0 || last->value == Py_None;
        out = Py_NewRef(is_told ? (PyObject *)last->value : value);
    }
    graph_walk_end(&w);
    return out;
}

int graph_note_phase_of(graph_walk *w, PyObject *cache_position)
{
    if (!w->st->graphs->has_transformers) return 0;
    PyObject *part = telling_part(w->st, cache_position);
    int zero = part ? first_is_zero(w->st, part) : -1;
    Py_XDECREF(part);
    if (zero >= 0) w->tree.mark |= zero ? GRAPH_PREFILL : GRAPH_DECODE;
    else if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) return -1;
    PyErr_Clear(); /* what tells nothing is no error: the walk of the call itself says what is wrong */
    return 0;
}

/* An argument of a mapping or of a dataclass: 1 with a new reference, 0: there is none, -1. */
static int find_argument(mod_state *st, PyObject *inputs, PyObject *name, PyObject **value)
{
    *value = NULL;
    if (PyDict_CheckExact(inputs)) return PyDict_GetItemRef(inputs, name, value);
    graph_kind *kind = graph_kind_of(st, inputs);
    if (!kind) return -1;
    graph_way way = kind->way;
    if (way == GRAPH_DICT) return PyDict_GetItemRef(inputs, name, value);
    int found = 0, is_record = way == GRAPH_DATACLASS;
    if (is_record) found = PySequence_Contains(kind->fields, name);
    else if (way == GRAPH_MAPPING || way == GRAPH_USER_DICT) found = PySequence_Contains(inputs, name);
    if (found <= 0) return found;
    *value = is_record ? PyObject_GetAttr(inputs, name) : PyObject_GetItem(inputs, name);
    return *value ? 1 : -1;
}

int graph_note_phase(graph_walk *w, PyObject *inputs)
{
    PyObject *value;
    int found = find_argument(w->st, inputs, w->st->graphs->str_cache_position, &value);
    int failed = found == 1 ? graph_note_phase_of(w, value) : found;
    Py_XDECREF(value);
    return failed;
}
