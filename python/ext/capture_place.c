/* A captured loop over an ExternalSource: how many steps its epoch has, and its place as plain values. */
#include "capture_steps.h"

/* Items of a source's epoch that begins now: a loop that still stands gives back what it has ahead. */
Py_ssize_t loop_source_length(const captured_loop *l)
{
    captured_loop *other = l->capture->loop ? captured_loop_of(l->capture->loop) : NULL;
    root_place place;
    if (other && other->state == LOOP_RUNNING) loop_place(other, &place);
    else source_get_place(l->root, &place.source), other = NULL;
    return source_length(l->root, &place.source, other || source_was_left(l->root));
}

PyObject *loop_source_state(captured_loop *l)
{
    root_place place;
    loop_place(l, &place);
    PyObject *feeders = PyList_New(0);
    Py_ssize_t n = PyList_GET_SIZE(l->feeders);
    for (Py_ssize_t i = 0; feeders && i < n; i++) {
        source_place p;
        source_get_place(PyList_GET_ITEM(l->feeders, i), &p);
        p.item -= loop_fed_ahead(l, i);
        PyObject *one = source_state(&p);
        if (!one || PyList_Append(feeders, one) < 0) Py_CLEAR(feeders);
        Py_XDECREF(one);
    }
    if (!feeders) return NULL;
    return Py_BuildValue("{s:s,s:i,s:L,s:L,s:L,s:N}", "source", "ExternalSource", "format", 1, "pass",
                         (long long)place.source.pass, "item", (long long)place.source.item, "batch_size",
                         (long long)l->capture->batch_size, "feeders", feeders);
}

static int check_source_state(const captured_loop *l, PyObject *state, source_place *place,
                              PyObject **feeders)
{
    if (source_place_of(state, place) < 0) return -1;
    PyObject *format = PyDict_GetItemString(state, "format"); /* borrowed */
    if (!format || !PyLong_Check(format) || PyLong_AsLong(format) != 1) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "the state has `format` %R, this version reads 1",
                     format ? format : Py_None);
        return -1;
    }
    PyObject *size = PyDict_GetItemString(state, "batch_size"); /* borrowed, as the next */
    *feeders = PyDict_GetItemString(state, "feeders");
    if (!size || !PyLong_Check(size) || PyLong_AsLongLong(size) != l->capture->batch_size) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "the state was taken with `batch_size` %R, the loop has %lld",
                     size ? size : Py_None, (long long)l->capture->batch_size);
        return -1;
    }
    Py_ssize_t n = *feeders && PyList_Check(*feeders) ? PyList_GET_SIZE(*feeders) : -1;
    Py_ssize_t known = PyList_GET_SIZE(l->feeders);
    if (n < 0 || (known && n != known)) {
        PyErr_Format(PyExc_ValueError, "the state has %R for the sources that the body reads, the loop has "
                     "%zd", *feeders ? *feeders : Py_None, known);
        return -1;
    }
    source_place each;
    for (Py_ssize_t i = 0; i < n; i++)
        if (source_place_of(PyList_GET_ITEM(*feeders, i), &each) < 0) return -1;
    return 0;
}

/* What was pulled ahead is back in its sources then: they go on from where the body stood. */
int loop_load_source_state(captured_loop *l, PyObject *state)
{
    source_place place, each;
    PyObject *feeders;
    if (check_source_state(l, state, &place, &feeders) < 0) return -1;
    if (l->state == LOOP_RUNNING) loop_give_back(l);
    if (source_set_place(l->root, &place) < 0) return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(l->feeders); i++)
        if (source_place_of(PyList_GET_ITEM(feeders, i), &each) < 0 ||
            source_set_place(PyList_GET_ITEM(l->feeders, i), &each) < 0)
            return -1;
    Py_XSETREF(l->loaded, Py_NewRef(feeders));
    return 0;
}
