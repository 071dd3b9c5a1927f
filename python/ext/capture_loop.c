/* CapturedLoop: drives a root (a reader or an ExternalSource) through its epochs. The first step is
 * traced; from the second on the sources are pulled ahead, on the thread that drives the loop, and the
 * executor computes what was recorded. */
#include "capture_loop.h"

#include <string.h>

#include "reader.h"
#include "source.h"

typedef enum loop_state { LOOP_READY, LOOP_RUNNING, LOOP_ENDED, LOOP_CLOSED } loop_state;

enum { MAX_AHEAD = 64 };

/* A step that was pulled and not yet given to the body. */
typedef struct pending {
    hr_step *step;
    PyObject *outputs; /* the root's, a tuple of batches */
    PyObject *fed;     /* the feeders', a list of tuples */
    PyObject *items;   /* raw items of the root and the feeders, to be given back; NULL: a reader */
    hr_reader_position position; /* of the reader in front of it */
} pending;

typedef struct captured_loop {
    PyObject_HEAD
    capture_object *capture;
    PyObject *root;
    int is_reader;
    PyObject *ctx;
    int has_context; /* ctx is entered */
    int prefetch;
    loop_state state;
    pending ahead[MAX_AHEAD + 1];
    int n_ahead;
    int is_over;      /* the root has no more items in this epoch */
    int had_short;    /* a batch under the loop's size came: it must be the last */
    PyObject *error;  /* of a source: raised when its step is asked for */
    PyObject *feeders; /* list of sources, in the order of their first call */
    PyObject *ports;   /* their first step inputs */
    PyObject *fed;    /* of the step in the body: list of tuples; None where taken */
} captured_loop;

#define self_of(o) ((captured_loop *)(o))

static mod_state *st_of(captured_loop *l) { return state_of((PyObject *)l); }

/* ---- life ------------------------------------------------------------------------ */

PyObject *captured_loop_create(mod_state *st, PyObject *root, int is_reader, int64_t batch_size,
                               PyObject *ctx, int prefetch, PyObject *capture)
{
    captured_loop *l = (captured_loop *)st->captured_loop_type->tp_alloc(st->captured_loop_type, 0);
    if (!l) return NULL;
    l->root = Py_NewRef(root);
    l->is_reader = is_reader;
    l->ctx = Py_NewRef(ctx);
    l->prefetch = prefetch;
    l->capture = (capture_object *)Py_NewRef(capture);
    l->capture->batch_size = l->capture->current_size = batch_size;
    l->feeders = Py_NewRef(l->capture->feeders);
    l->ports = Py_NewRef(l->capture->ports);
    return (PyObject *)l;
}

static void drop_pending(pending *p)
{
    hr__step_unref(&p->step);
    Py_CLEAR(p->outputs);
    Py_CLEAR(p->fed);
    Py_CLEAR(p->items);
}

/* What was pulled and not given out goes back to the sources, in front of what they have. */
static int give_back(captured_loop *l)
{
    int bad = 0;
    if (l->n_ahead && l->is_reader)
        bad = reader_go_back((reader_object *)l->root, &l->ahead[0].position) < 0;
    for (int i = l->n_ahead - 1; i >= 0; i--) {
        PyObject *items = l->ahead[i].items;
        for (Py_ssize_t k = 0; items && k < PyList_GET_SIZE(items); k++) {
            PyObject *source = k == 0 && !l->is_reader
                                   ? l->root
                                   : PyList_GET_ITEM(l->feeders, k - !l->is_reader);
            if (source_give_back(source, PyList_GET_ITEM(items, k)) < 0) bad = 1;
        }
        drop_pending(&l->ahead[i]);
    }
    l->n_ahead = 0;
    return bad ? -1 : 0;
}

static void stop_executor(captured_loop *l)
{
    capture_object *c = l->capture;
    hr_executor **e = &c->executor;
    int64_t last = c->step;
    if (!*e) return;
    capture_take_times(c);
    Py_BEGIN_ALLOW_THREADS
    hr__executor_destroy(e, last);
    Py_END_ALLOW_THREADS
}

static void leave_context(captured_loop *l)
{
    if (!l->has_context) return;
    l->has_context = 0;
    PyObject *r = PyObject_CallMethod(l->ctx, "__exit__", "OOO", Py_None, Py_None, Py_None);
    if (!r) PyErr_Clear();
    Py_XDECREF(r);
}

static void free_sources(captured_loop *l)
{
    Py_ssize_t n = PyList_GET_SIZE(l->feeders);
    if (!l->is_reader) source_drop_role(l->root);
    else if (l->capture->state == CAPTURE_DISABLED) ((reader_object *)l->root)->use = USE_NONE;
    for (Py_ssize_t i = 0; i < n; i++) source_drop_role(PyList_GET_ITEM(l->feeders, i));
    if (PyList_SetSlice(l->feeders, 0, n, NULL) < 0 || PyList_SetSlice(l->ports, 0, n, NULL) < 0)
        PyErr_Clear();
}

/* The end of an epoch, or of the loop in the middle of one. */
static void leave(captured_loop *l, int early)
{
    capture_object *c = l->capture;
    PyObject *pending_error = PyErr_GetRaisedException();
    if (capture_active() == c) capture_set_active(NULL);
    stop_executor(l);
    if (give_back(l) < 0) PyErr_Clear();
    leave_context(l);
    Py_CLEAR(l->error);
    Py_CLEAR(l->fed);
    int stateful = c->n_rngs > 0 || PyList_GET_SIZE(l->feeders) > 0;
    if (c->state != CAPTURE_REPLAYING || (early && (!l->is_reader || stateful))) {
        free_sources(l);
        capture_reset(c); /* the next loop traces anew */
    }
    hr__step_unref(&c->current);
    if (pending_error) PyErr_SetRaisedException(pending_error);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    captured_loop *l = self_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)l->capture);
    Py_VISIT(l->root);
    Py_VISIT(l->ctx);
    Py_VISIT(l->feeders);
    Py_VISIT(l->ports);
    Py_VISIT(l->error);
    Py_VISIT(l->fed);
    for (int i = 0; i < l->n_ahead; i++) {
        Py_VISIT(l->ahead[i].outputs);
        Py_VISIT(l->ahead[i].fed);
        Py_VISIT(l->ahead[i].items);
    }
    return 0;
}

static int clear(PyObject *self)
{
    captured_loop *l = self_of(self);
    if (l->state == LOOP_RUNNING && l->capture) leave(l, 1);
    l->state = LOOP_CLOSED;
    Py_CLEAR(l->capture);
    Py_CLEAR(l->root);
    Py_CLEAR(l->ctx);
    Py_CLEAR(l->feeders);
    Py_CLEAR(l->ports);
    Py_CLEAR(l->error);
    Py_CLEAR(l->fed);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    PyObject *pending_error = PyErr_GetRaisedException();
    clear(self);
    if (pending_error) PyErr_SetRaisedException(pending_error);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- pulling --------------------------------------------------------------------- */

/* Outputs as a tuple of batches of the loop's size; a smaller one may be the epoch's last. */
static PyObject *check_outputs(captured_loop *l, PyObject *take_out)
{
    mod_state *st = st_of(l);
    PyObject *out = take_out;
    if (out && !PyTuple_Check(out)) {
        out = PyTuple_Pack(1, take_out);
        Py_DECREF(take_out);
    }
    for (Py_ssize_t i = 0; out && i < PyTuple_GET_SIZE(out); i++) {
        PyObject *one = PyTuple_GET_ITEM(out, i);
        if (!is_batch(st, one)) continue;
        int64_t n = batch_value(one)->n, most = l->capture->batch_size;
        if (n == most && !l->had_short) continue;
        if (n < most && n > 0 && !l->had_short) continue;
        if (l->had_short)
            PyErr_Format(PyExc_ValueError, "a batch of %lld follows a shorter one: only the last "
                         "of an epoch may be short", (long long)n);
        else
            PyErr_Format(PyExc_ValueError, "the source gave a batch of %lld, expected batch size "
                         "%lld", (long long)n, (long long)most);
        Py_CLEAR(out);
    }
    if (out && PyTuple_GET_SIZE(out) && is_batch(st, PyTuple_GET_ITEM(out, 0)))
        l->had_short |= batch_value(PyTuple_GET_ITEM(out, 0))->n < l->capture->batch_size;
    return out;
}

/* The root's next outputs; NULL without an exception at the end of the epoch. */
static PyObject *pull_root(captured_loop *l, PyObject **item)
{
    *item = NULL;
    if (l->is_reader) return reader_next((reader_object *)l->root, 0);
    PyObject *out = source_pull_item(l->root, l->capture->batch_size, item);
    if (!out && PyErr_ExceptionMatches(PyExc_StopIteration)) PyErr_Clear();
    return out;
}

static PyObject *pull_feeders(captured_loop *l, PyObject *items)
{
    Py_ssize_t n = PyList_GET_SIZE(l->feeders);
    PyObject *fed = PyList_New(0);
    for (Py_ssize_t i = 0; fed && i < n; i++) {
        PyObject *item = NULL;
        PyObject *out = source_pull_item(PyList_GET_ITEM(l->feeders, i), l->capture->batch_size,
                                         &item);
        if (!out && PyErr_ExceptionMatches(PyExc_StopIteration))
            PyErr_SetString(PyExc_RuntimeError, "an ExternalSource inside a captured loop was "
                            "exhausted before the loop's own source");
        if (out && !PyTuple_Check(out)) {
            PyObject *one = PyTuple_Pack(1, out);
            Py_DECREF(out);
            out = one;
        }
        int bad = !out || PyList_Append(fed, out) < 0 ||
                  (items && PyList_Append(items, item ? item : Py_None) < 0);
        Py_XDECREF(out);
        Py_XDECREF(item);
        if (bad) Py_CLEAR(fed);
    }
    return fed;
}

static void take_batches(hr_batch **inputs, int *n, PyObject *outputs)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); i++)
        inputs[(*n)++] = hr_batch_ref(batch_value(PyTuple_GET_ITEM(outputs, i)));
}

static int submit(captured_loop *l, pending *p)
{
    capture_object *c = l->capture;
    hr_batch *inputs[MAX_SOURCES] = {0};
    hr_rng rngs[MAX_RNGS];
    int n = 0;
    int64_t number = c->step + 1 + l->n_ahead;
    take_batches(inputs, &n, p->outputs);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(p->fed); i++)
        take_batches(inputs, &n, PyList_GET_ITEM(p->fed, i));
    for (int i = 0; i < c->n_rngs; i++) {
        rngs[i] = c->rngs[i].start;
        hr_rng_skip(&rngs[i], c->rngs[i].period * (uint64_t)l->n_ahead);
    }
    hr_error err = {0};
    if (hr__executor_submit(c->executor, number, inputs, rngs, &p->step, &err) == HR_OK) return 0;
    raise_error(st_of(l), &err);
    return -1;
}

/* One more step ahead. 0: none is left, or an error waits for its turn. */
static int pull_ahead(captured_loop *l)
{
    pending p = {0};
    PyObject *item = NULL;
    if (l->is_reader) reader_position((reader_object *)l->root, &p.position);
    p.outputs = pull_root(l, &item);
    if (!p.outputs && !PyErr_Occurred()) {
        l->is_over = 1;
        return 0;
    }
    p.outputs = check_outputs(l, p.outputs);
    p.items = p.outputs ? PyList_New(0) : NULL;
    int bad = !p.items || (!l->is_reader && PyList_Append(p.items, item ? item : Py_None) < 0);
    Py_XDECREF(item);
    if (!bad) p.fed = pull_feeders(l, p.items);
    if (bad || !p.fed || submit(l, &p) < 0) {
        drop_pending(&p);
        l->error = PyErr_GetRaisedException();
        return 0;
    }
    l->ahead[l->n_ahead++] = p;
    return 1;
}

/* ---- steps ----------------------------------------------------------------------- */

/* Batches of the step's own that carry their place: a source may give the same object twice. */
static PyObject *with_places(capture_object *c, mod_state *st, PyObject *outputs, int first_port)
{
    Py_ssize_t n = PyTuple_GET_SIZE(outputs);
    PyObject *out = PyTuple_New(n);
    for (Py_ssize_t i = 0; out && i < n; i++) {
        PyObject *one = batch_wrap(st, hr_batch_ref(batch_value(PyTuple_GET_ITEM(outputs, i))));
        provenance p = {c, c->id, c->step, HR_PORT_INPUT(first_port + (int)i)};
        if (one) batch_set_provenance(one, &p);
        if (one) PyTuple_SET_ITEM(out, i, one);
        else Py_CLEAR(out);
    }
    return out;
}

static PyObject *give_outputs(captured_loop *l, PyObject *outputs)
{
    PyObject *out = with_places(l->capture, st_of(l), outputs, 0);
    if (!out || PyTuple_GET_SIZE(out) != 1 || l->is_reader) return out;
    PyObject *one = Py_NewRef(PyTuple_GET_ITEM(out, 0));
    Py_DECREF(out);
    return one;
}

/* All epochs of a root run in the same context. */
static int check_context(captured_loop *l)
{
    PyObject *ctx = l->ctx != Py_None
                        ? Py_NewRef(l->ctx)
                        : PyObject_CallMethod((PyObject *)st_of(l)->context_type, "current", NULL);
    if (!ctx) return -1;
    PyObject *first = l->capture->ctx;
    int same = !first || first == ctx;
    if (!first) l->capture->ctx = Py_NewRef(ctx);
    Py_DECREF(ctx);
    if (same) return 0;
    PyErr_SetString(PyExc_RuntimeError, "a captured loop runs in one EvalContext: this epoch has "
                    "another one than the first");
    return -1;
}

static int begin_epoch(captured_loop *l)
{
    if (!l->is_reader && source_take_role(l->root, SOURCE_ROOT, 0) < 0) return -1;
    if (l->is_reader) {
        reader_object *r = (reader_object *)l->root;
        if (reader_begin(r, USE_CAPTURE, l->capture->batch_size) < 0) return -1;
    }
    if (check_context(l) < 0) return -1;
    if (l->ctx != Py_None && !l->has_context) {
        PyObject *r = PyObject_CallMethod(l->ctx, "__enter__", NULL);
        Py_XDECREF(r);
        if (!r) return -1;
        l->has_context = 1;
    }
    l->is_over = l->had_short = 0;
    l->state = LOOP_RUNNING;
    if (l->capture->state == CAPTURE_REPLAYING) return capture_check_rngs(l->capture, 0);
    return 0;
}

static PyObject *trace_step(captured_loop *l)
{
    capture_object *c = l->capture;
    PyObject *item;
    PyObject *out = pull_root(l, &item);
    Py_XDECREF(item);
    if (!out && !PyErr_Occurred()) return NULL;
    out = check_outputs(l, out);
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
    PyObject *item;
    PyObject *out = pull_root(l, &item);
    Py_XDECREF(item);
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
        if (PyList_GET_ITEM(l->fed, i) != Py_None) {
            PyErr_SetString(PyExc_RuntimeError, "an ExternalSource inside a captured loop was not "
                            "consumed in this step: it must be read exactly once a step");
            return -1;
        }
    return 0;
}

/* The step in the body ends: draws, feeders, errors that nobody looked at. */
static int end_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (!c->current) return check_fed(l);
    if (check_fed(l) < 0 || capture_check_rngs(c, 1) < 0) return -1;
    hr_error err = {0};
    int32_t node;
    gil_gate gate;
    gate_leave_python(&gate);
    hr_status status = hr__step_finish(c->current, gate_poll, &gate, &node, &err);
    gate_enter_python(&gate);
    hr__step_unref(&c->current);
    if (status == HR_OK || c->error_seen == c->step) return 0;
    if (status != HR_CANCELLED) capture_add_line(c, node, &err);
    raise_error(st_of(l), &err);
    return -1;
}

static int start_replay(captured_loop *l)
{
    capture_object *c = l->capture;
    mod_state *st = st_of(l);
    hr_error err = {0};
    hr_pool *pool = current_pool(st);
    if (!pool) return -1;
    if (hr__executor_create(&c->executor, c->graph, pool, &err) == HR_OK) return 0;
    raise_error(st, &err);
    return -1;
}

/* After the traced step: the graph, or the news that there is none. */
static int finish_trace(captured_loop *l)
{
    capture_object *c = l->capture;
    if (check_fed(l) < 0) return -1;
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

static PyObject *replay_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (!c->executor && start_replay(l) < 0) return NULL;
    while (l->n_ahead <= l->prefetch && !l->is_over && !l->error && pull_ahead(l)) {
    }
    if (l->n_ahead == 0) {
        if (l->error) {
            PyErr_SetRaisedException(l->error);
            l->error = NULL;
        }
        return NULL;
    }
    pending p = l->ahead[0];
    memmove(l->ahead, l->ahead + 1, sizeof *l->ahead * (size_t)--l->n_ahead);
    c->step++;
    hr__step_unref(&c->current);
    c->current = p.step;
    c->current_size = batch_value(PyTuple_GET_ITEM(p.outputs, 0))->n;
    Py_XSETREF(l->fed, p.fed);
    PyObject *out = give_outputs(l, p.outputs);
    Py_DECREF(p.outputs);
    Py_XDECREF(p.items);
    return out;
}

static PyObject *next_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (c->state == CAPTURE_TRACING && c->step < 0) return trace_step(l);
    if (c->state == CAPTURE_DISABLED) return eager_step(l);
    if (end_step(l) < 0) return NULL;
    if (c->state == CAPTURE_TRACING && finish_trace(l) < 0) return NULL;
    Py_CLEAR(l->fed);
    return c->state == CAPTURE_DISABLED ? eager_step(l) : replay_step(l);
}

static PyObject *loop_next(PyObject *self)
{
    captured_loop *l = self_of(self);
    if (l->state == LOOP_CLOSED || l->state == LOOP_ENDED) return NULL;
    capture_object *other = capture_active();
    if (other && other != l->capture) {
        PyErr_SetString(PyExc_RuntimeError, "only one captured loop may be active in a thread: "
                        "another one is in the middle of a step");
        return NULL;
    }
    capture_set_active(NULL);
    PyObject *out = NULL;
    if (l->state != LOOP_READY || begin_epoch(l) == 0) out = next_step(l);
    if (out) {
        capture_set_active(l->capture);
        l->capture->loop = self;
        return out;
    }
    int early = PyErr_Occurred() != NULL;
    leave(l, early);
    l->state = early ? LOOP_CLOSED : LOOP_ENDED;
    return NULL;
}

static PyObject *loop_iter(PyObject *self)
{
    captured_loop *l = self_of(self);
    if (l->state == LOOP_CLOSED) {
        PyErr_SetString(PyExc_RuntimeError, "the captured loop is closed");
        return NULL;
    }
    if (l->state == LOOP_ENDED) l->state = LOOP_READY;
    return Py_NewRef(self);
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

/* A feeder's first call, in the traced step. */
static PyObject *add_feeder(captured_loop *l, PyObject *source)
{
    capture_object *c = l->capture;
    if (source_take_role(source, SOURCE_FEEDER, c->root_id) < 0) return NULL;
    PyObject *out = source_pull(source, c->current_size);
    if (out && !PyTuple_Check(out)) {
        PyObject *one = PyTuple_Pack(1, out);
        Py_DECREF(out);
        out = one;
    }
    if (!out) return NULL;
    if (!l->fed) l->fed = PyList_New(0);
    PyObject *port = PyLong_FromLong(c->n_sources);
    int bad = !l->fed || !port || PyList_Append(l->feeders, source) < 0 ||
              PyList_Append(l->ports, port) < 0 || PyList_Append(l->fed, Py_None) < 0;
    Py_XDECREF(port);
    PyObject *given = bad ? NULL : give_fed(l, out, c->n_sources);
    c->n_sources += (int)PyTuple_GET_SIZE(out);
    Py_DECREF(out);
    return given;
}

PyObject *captured_loop_feed(capture_object *c, PyObject *source, int64_t batch_size)
{
    captured_loop *l = self_of(c->loop);
    Py_ssize_t n = PyList_GET_SIZE(l->feeders), which = 0;
    if (source == l->root) {
        PyErr_SetString(PyExc_RuntimeError, "the source drives this loop, by captured(), and cannot "
                        "be read inside it");
        return NULL;
    }
    if (batch_size >= 0 && batch_size != c->batch_size && batch_size != c->current_size)
        return PyErr_Format(PyExc_RuntimeError, "batch_size=%lld for a source inside a captured "
                            "loop conflicts with its batch size %lld", (long long)batch_size,
                            (long long)c->batch_size);
    while (which < n && PyList_GET_ITEM(l->feeders, which) != source) which++;
    if (which == n && c->state == CAPTURE_TRACING) return add_feeder(l, source);
    if (which == n && c->state == CAPTURE_REPLAYING)
        return PyErr_Format(PyExc_RuntimeError,
                            "an ExternalSource was first read after the tracing step");
    if (c->state == CAPTURE_DISABLED) return source_pull(source, batch_size);
    PyObject *out = l->fed && which < PyList_GET_SIZE(l->fed) ? PyList_GET_ITEM(l->fed, which)
                                                              : Py_None;
    if (out == Py_None)
        return PyErr_Format(PyExc_RuntimeError, "an ExternalSource inside a captured loop was read "
                            "twice in a step: it must be read exactly once");
    Py_INCREF(out);
    int port = (int)PyLong_AsLong(PyList_GET_ITEM(l->ports, which));
    PyList_SetItem(l->fed, which, Py_NewRef(Py_None));
    PyObject *given = give_fed(l, out, port);
    Py_DECREF(out);
    return given;
}

/* ---- methods --------------------------------------------------------------------- */

static PyObject *loop_close(PyObject *self, PyObject *unused)
{
    captured_loop *l = self_of(self);
    if (l->state == LOOP_RUNNING) leave(l, 1);
    l->state = LOOP_CLOSED;
    Py_RETURN_NONE;
}

static PyObject *loop_enter(PyObject *self, PyObject *unused) { return Py_NewRef(self); }
static PyObject *loop_exit(PyObject *self, PyObject *args) { return loop_close(self, NULL); }

static PyObject *explain(PyObject *self, PyObject *unused)
{
    return capture_explain(self_of(self)->capture);
}

static PyObject *loop_stats(PyObject *self, PyObject *unused)
{
    return capture_stats(self_of(self)->capture);
}

static PyMethodDef methods[] = {
    {"close", loop_close, METH_NOARGS,
     "close($self, /)\n--\n\nLeaves the loop; what was pulled ahead goes back to its source."},
    {"explain", explain, METH_NOARGS,
     "explain($self, /)\n--\n\n"
     "One row a call site of the traced step: captured or eager, why, and what would capture it."},
    {"stats", loop_stats, METH_NOARGS,
     "stats($self, /)\n--\n\nSteps, and the pipeline's time by call site."},
    {"__enter__", loop_enter, METH_NOARGS, NULL},
    {"__exit__", loop_exit, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_iter, loop_iter},
    {Py_tp_iternext, loop_next},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec captured_loop_spec = {
    .name = "headrace._core.CapturedLoop",
    .basicsize = sizeof(captured_loop),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

PyObject *module_captured_loop(PyObject *module, PyObject *args)
{
    mod_state *st = state_of_module(module);
    PyObject *root, *ctx, *capture;
    int is_reader, prefetch;
    Py_ssize_t batch_size;
    if (!PyArg_ParseTuple(args, "OpnOiO:captured_loop", &root, &is_reader, &batch_size, &ctx,
                          &prefetch, &capture))
        return NULL;
    if (prefetch < 1 || prefetch > MAX_AHEAD)
        return PyErr_Format(PyExc_ValueError, "prefetch is %d, it must be within 1..%d", prefetch,
                            MAX_AHEAD);
    if (capture != Py_None) {
        int64_t before = ((capture_object *)capture)->batch_size;
        if (before != batch_size)
            return PyErr_Format(PyExc_ValueError, "captured(): batch_size cannot change from %lld "
                                "to %zd", (long long)before, batch_size);
    }
    if (source_take_role(root, SOURCE_ROOT, 0) < 0) return NULL;
    PyObject *own = capture == Py_None ? capture_new(st, batch_size, 0) : Py_NewRef(capture);
    PyObject *loop = own ? captured_loop_create(st, root, is_reader, batch_size, ctx, prefetch, own)
                         : NULL;
    PyObject *out = loop ? PyTuple_Pack(2, loop, own) : NULL;
    Py_XDECREF(loop);
    Py_XDECREF(own);
    return out;
}
