/* What a loop says of itself: the counts; words and tables are Python's
 * (headrace.capture._explain, _stats). */
#include "capture.h"

static PyObject *ask(const char *where, const char *name, PyObject *take_args)
{
    PyObject *module = take_args ? PyImport_ImportModule(where) : NULL;
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *out = f ? PyObject_CallObject(f, take_args) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(module);
    Py_XDECREF(take_args);
    return out;
}

/* {"file", "line": where the loop was made, "steps", "left_out", "rows": of rows_describe}. */
static PyObject *describe_rows(const capture_object *c)
{
    PyObject *rows = PyList_New(0);
    for (int i = 0; rows && i < c->rows.n; i++) {
        PyObject *one = rows_describe(&c->rows, i);
        if (!one || PyList_Append(rows, one) < 0) Py_CLEAR(rows);
        Py_XDECREF(one);
    }
    const frame_key *at = &c->made_at;
    return rows ? Py_BuildValue("{s:O,s:i,s:L,s:L,s:N}", "file",
                                at->code ? at->code->co_filename : Py_None, "line",
                                at->code ? PyCode_Addr2Line(at->code, at->offset) : 0, "steps",
                                (long long)c->n_steps, "left_out", (long long)c->rows.left_out,
                                "rows", rows)
                : NULL;
}

PyObject *module_watch_captures(PyObject *module, PyObject *watcher)
{
    mod_state *st = state_of_module(module);
    Py_XSETREF(st->capture_watcher, watcher == Py_None ? NULL : Py_NewRef(watcher));
    Py_RETURN_NONE;
}

PyObject *module_describe_capture(PyObject *module, PyObject *capture)
{
    if (Py_IS_TYPE(capture, state_of_module(module)->capture_type))
        return describe_rows((capture_object *)capture);
    return PyErr_Format(PyExc_TypeError, "describe_capture() takes a Capture, not %.100s",
                        Py_TYPE(capture)->tp_name);
}

PyObject *capture_explain(capture_object *c)
{
    PyObject *told = c ? describe_rows(c) : Py_NewRef(Py_None);
    return told ? ask("headrace.capture._explain", "explain", Py_BuildValue("(N)", told)) : NULL;
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
    if (!c) return ask("headrace.capture._stats", "stats", Py_BuildValue("(ii[])", 0, 0));
    if (c->executor) capture_take_times(c);
    PyObject *nodes = node_times(c);
    return nodes ? ask("headrace.capture._stats", "stats", Py_BuildValue("(LLN)", (long long)c->timed_steps,
                                                     (long long)c->busy_ns, nodes))
                 : NULL;
}
