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

static int64_t sum_of(const int64_t *by_state)
{
    return by_state[CAPTURE_TRACING] + by_state[CAPTURE_REPLAYING] + by_state[CAPTURE_DISABLED];
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
                                (long long)sum_of(c->clock.given), "left_out", (long long)c->rows.left_out,
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

/* (file, line, operator, nanoseconds, bytes) of each site that was captured. */
static PyObject *describe_work(const capture_object *c)
{
    PyObject *out = PyList_New(0);
    for (int i = 0; out && i < c->rows.n; i++) {
        const call_row *r = &c->rows.at[i];
        int64_t ns = 0, bytes = 0;
        for (int k = 0; k < c->n_sites; k++)
            if (c->sites[k].row == i) capture_node_use(c, &c->sites[k], &ns, &bytes);
        if (!r->captured) continue;
        ns += r->ns;
        bytes += r->bytes;
        PyObject *one = Py_BuildValue(
            "(OisLL)", r->chain[0].code->co_filename,
            PyCode_Addr2Line(r->chain[0].code, r->chain[0].offset), op_descriptor(r->op)->name,
            (long long)ns, (long long)bytes);
        if (!one || PyList_Append(out, one) < 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

PyObject *capture_stats(capture_object *c)
{
    if (!c) return ask("headrace.capture._stats", "stats", PyTuple_Pack(1, Py_None));
    const loop_clock *k = &c->clock;
    pipeline_use use;
    capture_pipeline_use(c, &use);
    PyObject *work = describe_work(c);
    PyObject *told = work ? Py_BuildValue(
        "{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:N}",
        "traced", (long long)k->given[CAPTURE_TRACING],
        "captured", (long long)k->given[CAPTURE_REPLAYING],
        "eager", (long long)k->given[CAPTURE_DISABLED],
        "bodies", (long long)k->bodies[CAPTURE_REPLAYING],
        "body_ns", (long long)k->body_ns[CAPTURE_REPLAYING],
        "traced_ns", (long long)k->body_ns[CAPTURE_TRACING],
        "source_ns", (long long)k->source_ns, "wait_ns", (long long)k->wait_ns,
        "asked", (long long)k->asked, "ready", (long long)k->ready, "ahead", (long long)k->ahead,
        "steps", (long long)use.steps, "busy_ns",
        (long long)use.busy_ns, "bytes_in", (long long)use.bytes_in, "peak_bytes",
        (long long)use.peak_bytes, "work", work) : NULL;
    return told ? ask("headrace.capture._stats", "stats", Py_BuildValue("(N)", told)) : NULL;
}
