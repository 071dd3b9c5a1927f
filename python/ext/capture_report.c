/* What a loop says of itself: the counts; words and tables are Python's (headrace.capture._report). */
#include "capture.h"

static PyObject *ask_report(const char *name, PyObject *take_args)
{
    PyObject *module = take_args ? PyImport_ImportModule("headrace.capture._report") : NULL;
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *out = f ? PyObject_CallObject(f, take_args) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(module);
    Py_XDECREF(take_args);
    return out;
}

PyObject *capture_explain(capture_object *c)
{
    if (!c) return ask_report("explain", Py_BuildValue("([])"));
    return ask_report("explain", PyTuple_Pack(1, c->rows));
}

/* (file, line, operator, nanoseconds) of each node. */
static PyObject *node_times(capture_object *c)
{
    PyObject *out = PyList_New(0);
    for (int i = 0; out && i < c->n_sites; i++) {
        const site *s = &c->sites[i];
        PyObject *one = Py_BuildValue(
            "(OisL)", s->chain[0].code->co_filename,
            PyCode_Addr2Line(s->chain[0].code, s->chain[0].offset), op_descriptor(s->op)->name,
            c->node_ns && s->node < c->n_times ? (long long)c->node_ns[s->node] : 0LL);
        if (!one || PyList_Append(out, one) < 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

PyObject *capture_stats(capture_object *c)
{
    if (!c) return ask_report("stats", Py_BuildValue("(ii[])", 0, 0));
    if (c->executor) capture_take_times(c);
    PyObject *nodes = node_times(c);
    return nodes ? ask_report("stats", Py_BuildValue("(LLN)", (long long)c->timed_steps,
                                                     (long long)c->busy_ns, nodes))
                 : NULL;
}
