/* Phases of a language model: an argument called `cache_position`, as transformers name it, whose
 * first element is 0 in the prefill and another number in decoding. Both are graphs of their own. */
#include "graph.h"

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
    if (!w->st->graphs->has_phases) return;
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
