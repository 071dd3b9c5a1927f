/* The steps of a captured loop. The first is traced; from the second on the executor computes what was
 * recorded, from what was pulled ahead (capture_pull.c). */
#include "capture_steps.h"

#include <string.h>

static mod_state *st_of(captured_loop *l) { return state_of((PyObject *)l); }

/* ---- steps ----------------------------------------------------------------------- */

/* Batches of the step's own that carry their place: a source may give the same object twice. */
static PyObject *with_places(capture_object *c, mod_state *st, PyObject *outputs, int first_port)
{
    Py_ssize_t n = PyTuple_GET_SIZE(outputs);
    PyObject *out = PyTuple_New(n);
    for (Py_ssize_t i = 0; out && i < n; i++) {
        PyObject *one = batch_wrap(st, hr_batch_ref(batch_value(PyTuple_GET_ITEM(outputs, i))));
        provenance p = {c->id, c->step, HR_PORT_INPUT(first_port + (int)i)};
        if (one) batch_set_provenance(one, &p);
        if (one) PyTuple_SET_ITEM(out, i, one);
        else Py_CLEAR(out);
    }
    return out;
}

static PyObject *give_outputs(captured_loop *l, PyObject *outputs)
{
    PyObject *out = with_places(l->capture, st_of(l), outputs, 0);
    if (l->is_reader) return reader_named((reader_object *)l->root, out);
    if (!out || PyTuple_GET_SIZE(out) != 1) return out;
    PyObject *one = Py_NewRef(PyTuple_GET_ITEM(out, 0));
    Py_DECREF(out);
    return one;
}

static PyObject *trace_step(captured_loop *l)
{
    capture_object *c = l->capture;
    PyObject *out = loop_pull_unkept(l);
    if (!out) return NULL;
    out = loop_check_outputs(l, out);
    if (!out) return NULL;
    c->n_sources = (int)PyTuple_GET_SIZE(out);
    c->step = 0;
    c->current_size = batch_value(PyTuple_GET_ITEM(out, 0))->n;
    PyObject *given = give_outputs(l, out);
    Py_DECREF(out);
    return given;
}

static PyObject *eager_step(captured_loop *l)
{
    PyObject *out = loop_pull_unkept(l);
    if (!out) return NULL;
    l->capture->step++;
    if (!l->is_reader) return out;
    PyObject *given = give_outputs(l, out); /* a reader's batches keep their places */
    Py_DECREF(out);
    return given;
}

/* Feeders are read exactly once a step. */
static int check_fed(captured_loop *l)
{
    for (Py_ssize_t i = 0; l->fed && i < PyList_GET_SIZE(l->fed); i++)
        if (PyList_GET_ITEM(l->fed, i) != Py_None)
            return capture_fail("an ExternalSource inside a captured loop was not consumed in step %lld: "
                                "the traced step read it at %S, and it must be read exactly once a step",
                                (long long)l->capture->step, loop_feeder_line(l, i));
    return 0;
}

/* The step in the body ends: draws, feeders, errors that nobody looked at. */
static int end_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (!c->current) return check_fed(l);
    if (check_fed(l) < 0 || capture_check_rngs(c, 1) < 0) return -1;
    hr_error err = {0};
    int32_t node = -1;
    int has_failed = 0;
    gil_gate gate;
    hr_step *step = c->current; /* the reference moves */
    c->current = NULL;
    wait_begin begin = capture_begin_wait(c);
    gate_leave_python(&gate);
    hr_status status = hr__step_finish(step, gate_poll, &gate, &has_failed, &err);
    gate_enter_python(&gate);
    capture_end_wait(c, &begin);
    if (has_failed && c->error_seen != c->step) node = capture_find_failure(c, step, &err);
    hr__step_unref(&step);
    if (status == HR_OK && node < 0) return 0;
    capture_raise_node(st_of(l), c, node, &err);
    return -1;
}

static int start_replay(captured_loop *l)
{
    capture_object *c = l->capture;
    mod_state *st = st_of(l);
    hr_error err = {0};
    PyObject *held;
    hr_pool *pool = hold_current_pool(st, &held);
    if (!pool) return -1;
    Py_XSETREF(c->pool, held); /* set_num_threads() may replace it meanwhile */
    if (hr__executor_create(&c->executor, c->graph, pool, &err) == HR_OK) return 0;
    Py_CLEAR(c->pool);
    raise_error(st, &err);
    return -1;
}

/* After the traced step: the graph, or the news that there is none. */
static int finish_trace(captured_loop *l)
{
    capture_object *c = l->capture;
    if (check_fed(l) < 0) return -1;
    rows_set_tracing(&c->rows, 0);
    PyObject *prove = PyImport_ImportModule("headrace.capture.prove");
    PyObject *forgot = prove ? PyObject_CallMethod(prove, "forget", NULL) : NULL;
    Py_XDECREF(prove);
    Py_XDECREF(forgot);
    if (!forgot) return -1;
    if (c->n_sites) return capture_compile(c);
    c->state = CAPTURE_DISABLED;
    PyObject *warning = PyObject_GetAttrString(st_of(l)->slow, "HeadraceWarning");
    int bad = !warning ||
              PyErr_WarnEx(warning, "no operators were captured in this loop: it runs eagerly; "
                           "loop.explain() says why", 1) < 0;
    Py_XDECREF(warning);
    return bad ? -1 : 0;
}

/* The reader's state is the place in front of what the body did not get. */
static void note_front(captured_loop *l)
{
    if (!l->is_reader) return;
    reader_object *r = (reader_object *)l->root;
    r->has_front = l->n_ahead > 0;
    if (r->has_front) r->front = l->ahead[0].place.reader;
}

/* A step whose pull failed: what the failing source gave is gone, as in an eager loop; what the others
 * gave for it was not given to the body. */
static PyObject *fail_step(captured_loop *l, pending *p)
{
    Py_ssize_t n = p->items ? PyList_GET_SIZE(p->items) : 0;
    loop_give_back_items(l, p, n - (n > 0 && p->raised_by == BY_LAST_ITEM));
    if (l->is_reader && p->outputs && reader_go_back((reader_object *)l->root, &p->place.reader) < 0)
        PyErr_WriteUnraisable(l->root);
    PyErr_SetRaisedException(loop_without_stop(l, p->raised_by - 1, Py_NewRef(p->error)));
    pending_drop(p);
    return NULL;
}

static PyObject *give_step(captured_loop *l, pending *p)
{
    capture_object *c = l->capture;
    c->step++;
    hr__step_unref(&c->current);
    c->current = p->step; /* the reference moves */
    p->step = NULL;
    l->fill = p->fill;
    c->current_size = batch_value(PyTuple_GET_ITEM(p->outputs, 0))->n;
    Py_XSETREF(l->fed, Py_NewRef(p->fed));
    PyObject *out = give_outputs(l, p->outputs);
    pending_drop(p);
    return out;
}

/* Nodes run in their order: with the last one a step is complete. */
static void count_ready(captured_loop *l)
{
    hr_port last = {hr__graph_size(l->capture->graph) - 1, 0};
    int n = 0;
    while (n < l->n_ahead && l->ahead[n].step && hr__step_is_ready(l->ahead[n].step, last)) n++;
    capture_note_queue(l->capture, n, l->n_ahead);
}

static PyObject *replay_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (!c->executor && start_replay(l) < 0) return NULL;
    int more = !(l->n_ahead && l->ahead[l->n_ahead - 1].error);
    while (more > 0 && l->n_ahead <= l->prefetch && !l->is_over) more = loop_pull_ahead(l);
    if (more < 0 || l->n_ahead == 0) return NULL;
    count_ready(l);
    pending p = l->ahead[0];
    memmove(l->ahead, l->ahead + 1, sizeof *l->ahead * (size_t)--l->n_ahead);
    note_front(l);
    return p.error ? fail_step(l, &p) : give_step(l, &p);
}

static int check_pass(const captured_loop *l)
{
    if (!l->is_reader || ((reader_object *)l->root)->pass == l->pass) return 0;
    return capture_fail("the reader's state was set while this loop ran: it has lost its place; begin "
                        "another loop, or use its own load_state_dict()");
}

PyObject *loop_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (check_pass(l) < 0) return NULL;
    if (c->state == CAPTURE_TRACING && c->step < 0) return trace_step(l);
    if (c->state == CAPTURE_DISABLED) return eager_step(l);
    if (end_step(l) < 0) return NULL;
    if (c->state == CAPTURE_TRACING && finish_trace(l) < 0) return NULL;
    Py_CLEAR(l->fed);
    return c->state == CAPTURE_DISABLED ? eager_step(l) : replay_step(l);
}

/* ---- feeders --------------------------------------------------------------------- */

static PyObject *give_fed(captured_loop *l, PyObject *outputs, int first_port)
{
    PyObject *out = with_places(l->capture, st_of(l), outputs, first_port);
    if (!out || PyTuple_GET_SIZE(out) != 1) return out;
    PyObject *one = Py_NewRef(PyTuple_GET_ITEM(out, 0));
    Py_DECREF(out);
    return one;
}

/* The place of a loaded state, in the order of the first calls. */
static int set_feeder_place(captured_loop *l, PyObject *source)
{
    Py_ssize_t which = PyList_GET_SIZE(l->feeders);
    if (!l->loaded || which >= PyList_GET_SIZE(l->loaded)) return 0;
    source_place place;
    if (source_place_of(PyList_GET_ITEM(l->loaded, which), &place) < 0) return -1;
    return source_set_place(source, &place);
}

/* A feeder's first call, in the traced step. */
static PyObject *add_feeder(captured_loop *l, PyObject *source)
{
    capture_object *c = l->capture;
    if (source_take_role(source, SOURCE_FEEDER, c->root_id) < 0) return NULL;
    if (set_feeder_place(l, source) < 0) return NULL;
    capture_deactivate(c); /* what the source calls is no part of the body */
    PyObject *out = loop_as_tuple(source_pull(source, c->current_size));
    capture_activate(c);
    if (!out) return NULL;
    if (!l->fed) l->fed = PyList_New(0);
    PyObject *port = PyLong_FromLong(c->n_sources);
    int bad = !l->fed || !port || PyList_Append(l->feeders, source) < 0 ||
              PyList_Append(l->ports, port) < 0 || PyList_Append(l->fed, Py_None) < 0 ||
              loop_append(c->lines, capture_text_of_caller());
    Py_XDECREF(port);
    PyObject *given = bad ? NULL : give_fed(l, out, c->n_sources);
    c->n_sources += (int)PyTuple_GET_SIZE(out);
    Py_DECREF(out);
    return given;
}

PyObject *captured_loop_feed(capture_object *c, PyObject *source, int64_t batch_size)
{
    captured_loop *l = captured_loop_of(c->loop);
    Py_ssize_t n = PyList_GET_SIZE(l->feeders), which = 0;
    if (source == l->root) {
        capture_fail("the source drives this loop, by captured(), and cannot be read inside it");
        return NULL;
    }
    if (batch_size >= 0 && batch_size != c->batch_size && batch_size != c->current_size) {
        capture_fail("batch_size=%lld for a source inside a captured loop conflicts with its batch size %lld",
                     (long long)batch_size, (long long)c->batch_size);
        return NULL;
    }
    while (which < n && PyList_GET_ITEM(l->feeders, which) != source) which++;
    if (which == n && c->state == CAPTURE_TRACING) return add_feeder(l, source);
    if (which == n && c->state == CAPTURE_REPLAYING) {
        capture_fail("an ExternalSource was first read after the tracing step: all that a captured loop "
                     "reads are read in its first step");
        return NULL;
    }
    if (c->state == CAPTURE_DISABLED) return source_pull(source, batch_size);
    PyObject *out = l->fed && which < PyList_GET_SIZE(l->fed) ? PyList_GET_ITEM(l->fed, which)
                                                              : Py_None;
    if (out == Py_None) {
        capture_fail("an ExternalSource inside a captured loop was read twice in step %lld, the traced "
                     "step read it "
                     "at %S: it must be read exactly once a step",
                     (long long)c->step, loop_feeder_line(l, which));
        return NULL;
    }
    Py_INCREF(out);
    int port = (int)PyLong_AsLong(PyList_GET_ITEM(l->ports, which));
    PyList_SetItem(l->fed, which, Py_NewRef(Py_None));
    PyObject *given = give_fed(l, out, port);
    Py_DECREF(out);
    return given;
}

