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

/* 1: zero, 0: not, -1: nothing to go by. Never leaves an exception. */
static int first_is_zero(mod_state *st, PyObject *value)
{
    hr_tensor t = {0};
    int copied, answer = -1;
    if (value == Py_None || PyUnicode_Check(value)) return -1;
    if (tensor_from_object(st, value, &t, &copied) == 0) {
        PyObject *first = hr_tensor_size(&t) > 0 ? element_to_object(t.dtype, t.data) : NULL;
        int is_true = first ? PyObject_IsTrue(first) : -1;
        if (is_true >= 0) answer = !is_true;
        Py_XDECREF(first);
        hr_tensor_clear(&t);
    }
    PyErr_Clear();
    return answer;
}

void graph_note_phase_of(graph_walk *w, PyObject *cache_position)
{
    if (!w->st->graphs->has_transformers) return;
    int zero = first_is_zero(w->st, cache_position);
    if (zero >= 0) w->tree.mark |= zero ? GRAPH_PREFILL : GRAPH_DECODE;
}

int graph_note_phase(graph_walk *w, PyObject *inputs)
{
    if (!PyDict_CheckExact(inputs)) return 0;
    PyObject *value = NULL;
    int found = PyDict_GetItemRef(inputs, w->st->graphs->str_cache_position, &value);
    if (found == 1) graph_note_phase_of(w, value);
    Py_XDECREF(value);
    return found < 0 ? -1 : 0;
}
