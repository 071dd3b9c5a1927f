/* CapturedLoop: a root (a reader or an ExternalSource) through its epochs: how a loop begins, is left,
 * and tells its place. Its steps are in capture_steps.c. */
#include "capture_steps.h"

#define self_of(o) captured_loop_of(o)

static mod_state *st_of(captured_loop *l) { return state_of((PyObject *)l); }

/* ---- life ------------------------------------------------------------------------ */

int captured_loop_read(mod_state *st, const char *who, PyObject **ctx, PyObject *prefetch, int *out)
{
    *ctx = invariant_value(*ctx);
    if (*ctx != Py_None && !PyObject_TypeCheck(*ctx, st->context_type)) {
        PyErr_Format(PyExc_TypeError, "%s: ctx must be an EvalContext, got %.100s", who,
                     Py_TYPE(*ctx)->tp_name);
        return -1;
    }
    if (!prefetch) return 0;
    prefetch = invariant_value(prefetch);
    if (!PyIndex_Check(prefetch)) {
        PyErr_Format(PyExc_TypeError, "%s: prefetch is %.100R, it must be an integer within 1..%d", who,
                     prefetch, MAX_AHEAD);
        return -1;
    }
    Py_ssize_t n = PyNumber_AsSsize_t(prefetch, NULL); /* cut off at the ends of its range */
    if (n == -1 && PyErr_Occurred()) return -1;
    *out = (int)n;
    if (n >= 1 && n <= MAX_AHEAD) return 0;
    PyErr_Format(PyExc_ValueError, "%s: prefetch is %.100R, it must be within 1..%d", who, prefetch,
                 MAX_AHEAD);
    return -1;
}

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

static void leave_context(captured_loop *l)
{
    if (l->has_context) context_leave(l->ctx);
    l->has_context = 0;
}

static void free_sources(captured_loop *l)
{
    Py_ssize_t n = PyList_GET_SIZE(l->feeders);
    if (!l->is_reader) source_drop_role(l->root);
    else if (l->capture->state == CAPTURE_DISABLED) ((reader_object *)l->root)->use = USE_NONE;
    for (Py_ssize_t i = 0; i < n; i++) source_drop_role(PyList_GET_ITEM(l->feeders, i));
    if (PyList_SetSlice(l->feeders, 0, n, NULL) < 0 || PyList_SetSlice(l->ports, 0, n, NULL) < 0 ||
        (l->capture->lines && PyList_SetSlice(l->capture->lines, 0, n, NULL) < 0))
        PyErr_Clear();
}

/* The end of an epoch, or of the loop in the middle of one. */
static void leave(captured_loop *l, int early)
{
    capture_object *c = l->capture;
    PyObject *pending_error = PyErr_GetRaisedException();
    l->is_busy++;
    c->clock.entered = 0; /* a body that was left early is not counted */
    capture_deactivate(c);
    capture_stop(c);
    if (early) loop_give_back(l);
    l->is_over = 0;
    leave_context(l);
    Py_CLEAR(l->fed);
    int stateful = c->n_rngs > 0 || PyList_GET_SIZE(l->feeders) > 0;
    if (c->state != CAPTURE_REPLAYING || (early && (!l->is_reader || stateful))) {
        free_sources(l);
        capture_reset(c); /* the next loop traces anew */
    }
    hr__step_unref(&c->current);
    if (c->loop == (PyObject *)l) c->loop = NULL;
    l->is_busy--;
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
    Py_VISIT(l->fed);
    Py_VISIT(l->loaded);
    for (int i = 0; i < l->n_ahead; i++) {
        Py_VISIT(l->ahead[i].outputs);
        Py_VISIT(l->ahead[i].fed);
        Py_VISIT(l->ahead[i].items);
        Py_VISIT(l->ahead[i].error);
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
    Py_CLEAR(l->fed);
    Py_CLEAR(l->loaded);
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
    if (!same)
        capture_fail("a captured loop runs in one EvalContext: the first epoch, begun at %U, ran in %R, "
                     "and this one has another: %R", l->capture->begun_at, first, ctx);
    Py_DECREF(ctx);
    return same ? 0 : -1;
}

/* Only one loop over a root runs: one that was left in the middle and is still there ends now. */
static int end_other_loop(captured_loop *l)
{
    capture_object *c = l->capture;
    captured_loop *other = c->loop ? self_of(c->loop) : NULL;
    if (!other || other == l) return 0;
    if (other->is_busy || capture_is_elsewhere(c)) {
        return capture_fail("another captured loop over the same reader or source, begun at %U, is in the "
                            "middle of a step, in another thread or around this one", c->begun_at);
    }
    leave(other, 1);
    other->state = LOOP_REPLACED;
    return 0;
}

static int begin_reader(captured_loop *l)
{
    reader_object *r = (reader_object *)l->root;
    int64_t n = reader_check(r) < 0 ? -1 : reader_upcoming(r, l->capture->batch_size);
    if (n < 0 || reader_begin(r, USE_CAPTURE, l->capture->batch_size) < 0) return -1;
    l->pass = r->pass;
    l->length = (Py_ssize_t)n;
    return 0;
}

static int enter_context(captured_loop *l)
{
    if (check_context(l) < 0) return -1;
    if (l->ctx == Py_None || l->has_context) return 0;
    PyObject *r = PyObject_CallMethod(l->ctx, "__enter__", NULL);
    Py_XDECREF(r);
    l->has_context = r != NULL;
    return r ? 0 : -1;
}

/* All checks; then nothing can fail any more. */
static int prepare_epoch(captured_loop *l)
{
    const capture_object *c = l->capture;
    if (end_other_loop(l) < 0) return -1;
    if (c->pins) return capture_fail("a call inside the loop that ended is not through yet");
    if (!l->is_reader && source_take_role(l->root, SOURCE_ROOT, 0) < 0) return -1;
    if (enter_context(l) < 0) return -1;
    if (!l->is_reader) l->length = loop_source_length(l);
    if (!l->is_reader || begin_reader(l) == 0) return 0;
    leave_context(l);
    return -1;
}

static int begin_epoch(captured_loop *l)
{
    capture_object *c = l->capture;
    PyObject *place = capture_text_of_caller();
    if (!place || prepare_epoch(l) < 0) {
        Py_XDECREF(place);
        return -1;
    }
    Py_XSETREF(c->begun_at, place);
    l->is_over = l->had_short = 0;
    l->is_first = 1;
    l->state = LOOP_RUNNING;
    c->loop = (PyObject *)l;
    if (c->must_rebase) capture_rebase_rngs(c);
    c->must_rebase = 0;
    return 0;
}

static PyObject *first_step(captured_loop *l)
{
    capture_object *c = l->capture;
    if (c->state == CAPTURE_REPLAYING && capture_check_rngs(c, 0) < 0) return NULL;
    return loop_step(l);
}

static int check_may_go_on(const captured_loop *l)
{
    const capture_object *other = capture_active();
    if (other && other != l->capture) {
        PyGC_Collect(); /* it may be garbage that waits for this: rather slow than wrong */
        other = capture_active();
    }
    if (l->is_busy)
        PyErr_SetString(PyExc_RuntimeError, "the captured loop is being advanced already: by another "
                        "thread, or by its own source");
    else if (l->state == LOOP_REPLACED)
        capture_fail("another loop over the same reader or source has begun, at %U: this one has lost its "
                     "place",
                     l->capture->begun_at);
    else if (other && other != l->capture)
        capture_fail("only one captured loop may be active in a thread: another one, begun at %U, is in "
                     "the middle of a step; finish it, or close() it first", other->begun_at);
    else
        return 0;
    return -1;
}

static PyObject *loop_next(PyObject *self)
{
    captured_loop *l = self_of(self);
    if (l->state == LOOP_CLOSED || l->state == LOOP_ENDED) return NULL;
    if (check_may_go_on(l) < 0) return NULL;
    capture_object *c = l->capture;
    int is_first = l->state == LOOP_READY;
    if (is_first && begin_epoch(l) < 0) {
        l->state = LOOP_CLOSED;
        return NULL;
    }
    l->is_busy++;
    capture_leave_body(c);
    capture_deactivate(c); /* the sources' code is no part of the body */
    PyObject *out = is_first ? first_step(l) : loop_step(l);
    l->is_busy--;
    if (out) {
        capture_activate(c);
        capture_enter_body(c);
        return out;
    }
    int early = PyErr_Occurred() != NULL;
    leave(l, early);
    l->state = early ? LOOP_CLOSED : LOOP_ENDED;
    return NULL;
}

static int check_open(const captured_loop *l)
{
    if (l->state != LOOP_CLOSED && l->state != LOOP_REPLACED) return 0;
    PyErr_SetString(PyExc_RuntimeError, "the captured loop is closed; next_epoch() or captured() gives a "
                    "new one");
    return -1;
}

static PyObject *loop_iter(PyObject *self)
{
    captured_loop *l = self_of(self);
    if (check_open(l) < 0) return NULL;
    if (l->state == LOOP_ENDED) l->state = LOOP_READY;
    return Py_NewRef(self);
}

/* ---- methods --------------------------------------------------------------------- */

static PyObject *loop_close(PyObject *self, PyObject *unused)
{
    captured_loop *l = self_of(self);
    if (l->is_busy)
        return PyErr_Format(PyExc_RuntimeError, "the captured loop is being advanced and cannot be closed "
                            "now: by another thread, or by its own source");
    if (l->state == LOOP_RUNNING) leave(l, 1);
    l->state = LOOP_CLOSED;
    Py_RETURN_NONE;
}

static PyObject *loop_enter(PyObject *self, PyObject *unused)
{
    return check_open(self_of(self)) < 0 ? NULL : Py_NewRef(self);
}

static PyObject *loop_exit(PyObject *self, PyObject *args) { return loop_close(self, NULL); }

static PyObject *loop_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "a captured loop cannot be pickled: it stands in the middle of a "
                        "reader or source; send that one's arguments and state_dict()");
}

/* ---- length and state ------------------------------------------------------------ */

static Py_ssize_t known_length(captured_loop *l)
{
    if (l->state == LOOP_RUNNING) return l->length;
    if (!l->is_reader) return loop_source_length(l);
    if (reader_check((reader_object *)l->root) < 0) return -1;
    return (Py_ssize_t)reader_upcoming((reader_object *)l->root, l->capture->batch_size);
}

static Py_ssize_t loop_len(PyObject *self)
{
    Py_ssize_t n = known_length(self_of(self));
    if (n < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the loop's length is not known: its source is a callable, an "
                        "iterator, has no len() itself, or never ends (cycle=\"quiet\")");
    return n;
}

static int loop_bool(PyObject *self) { return 1; } /* whatever its length, known or not */

static PyObject *state_dict(PyObject *self, PyObject *unused)
{
    captured_loop *l = self_of(self);
    if (!l->is_reader) return loop_source_state(l);
    reader_object *r = (reader_object *)l->root;
    return reader_check(r) < 0 ? NULL : reader_state(r);
}

static PyObject *load_state_dict(PyObject *self, PyObject *state)
{
    captured_loop *l = self_of(self);
    if (check_open(l) < 0) return NULL;
    if (l->is_busy)
        return PyErr_Format(PyExc_RuntimeError, "the captured loop is being advanced: its state cannot be "
                            "set now");
    int bad = l->is_reader ? reader_set_state((reader_object *)l->root, state, 1) < 0
                           : loop_load_source_state(l, state) < 0;
    if (bad) return NULL;
    if (l->state == LOOP_RUNNING) {
        if (l->is_reader) loop_give_back(l); /* forgets only: the reader has another place now */
        leave(l, 0);
    }
    l->state = LOOP_READY;
    l->capture->must_rebase = 1;
    Py_RETURN_NONE;
}

/* ---- reports --------------------------------------------------------------------- */

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
    {"state_dict", state_dict, METH_NOARGS,
     "state_dict($self, /)\n--\n\n"
     "The place in front of the first batch that the body did not get, as plain values. Of an\n"
     "ExternalSource these are counts of items: the sources that the body reads are included."},
    {"load_state_dict", load_state_dict, METH_O,
     "load_state_dict($self, state, /)\n--\n\n"
     "Goes to a place of state_dict(): the next step is the first of the rest of that epoch. A source\n"
     "starts over and drops the items in front of the place; a callable or an iterator only goes on\n"
     "(ValueError where it stands behind the place). Generators may be restored until that step."},
    {"explain", explain, METH_NOARGS,
     "explain($self, /)\n--\n\n"
     "One row a call site of the traced step: captured or eager, why, and what would capture it."},
    {"stats", loop_stats, METH_NOARGS,
     "stats($self, /)\n--\n\nSteps, and the pipeline's time by call site."},
    {"__enter__", loop_enter, METH_NOARGS, NULL},
    {"__exit__", loop_exit, METH_VARARGS, NULL},
    {"__reduce_ex__", loop_reduce, METH_O, NULL},
    {0},
};

static PyObject *get_batch_size(PyObject *self, void *closure)
{
    return PyLong_FromLongLong(self_of(self)->capture->batch_size);
}

static PyObject *get_prefetch(PyObject *self, void *closure)
{
    return PyLong_FromLong(self_of(self)->prefetch);
}

static int get_info(captured_loop *l, hr_reader_info *info)
{
    *info = (hr_reader_info){.num_shards = 1};
    if (!l->is_reader) return 0;
    if (reader_check((reader_object *)l->root) < 0) return -1;
    hr_reader_get_info(((reader_object *)l->root)->reader, info);
    return 0;
}

static PyObject *get_drop_last(PyObject *self, void *closure)
{
    hr_reader_info info;
    if (get_info(self_of(self), &info) < 0) return NULL;
    return PyBool_FromLong(self_of(self)->is_reader && info.last_batch == HR_LAST_DROP);
}

static PyObject *get_num_shards(PyObject *self, void *closure)
{
    hr_reader_info info;
    return get_info(self_of(self), &info) < 0 ? NULL : PyLong_FromLongLong(info.num_shards);
}

static PyObject *get_shard_id(PyObject *self, void *closure)
{
    hr_reader_info info;
    return get_info(self_of(self), &info) < 0 ? NULL : PyLong_FromLongLong(info.shard_id);
}

static PyObject *get_fill(PyObject *self, void *closure)
{
    return PyLong_FromLongLong(self_of(self)->fill);
}

static PyGetSetDef getset[] = {
    {"batch_size", get_batch_size, NULL, "Samples of a batch; an epoch's last may have fewer.", NULL},
    {"prefetch", get_prefetch, NULL, "Steps that are computed ahead of the body.", NULL},
    {"drop_last", get_drop_last, NULL, "Is an incomplete last batch left out?", NULL},
    {"num_shards", get_num_shards, NULL, "Shards that a reader's items are divided into.", NULL},
    {"num_padded", get_fill, NULL,
     "Last samples of the body's batch that only fill it up (a reader's last_batch \"wrap\" and \"pad\").",
     NULL},
    {"shard_id", get_shard_id, NULL, "A reader's shard, from 0.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_iter, loop_iter},
    {Py_tp_iternext, loop_next},
    {Py_sq_length, loop_len},
    {Py_nb_bool, loop_bool},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
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
    PyObject *root, *ctx, *capture, *how, *wished;
    int is_reader, prefetch;
    Py_ssize_t batch_size;
    if (!PyArg_ParseTuple(args, "OpnOOOO:captured_loop", &root, &is_reader, &batch_size, &ctx, &wished,
                          &capture, &how) ||
        captured_loop_read(st, "captured()", &ctx, wished, &prefetch) < 0)
        return NULL;
    int mode = capture_read_mode(how, "captured()");
    if (mode < 0) return NULL;
    if (mode == 0)
        return PyErr_Format(PyExc_ValueError, "captured(): capture is %R: this loop always captures; "
                            "call the source itself to read it eagerly", how);
    if (capture != Py_None) {
        int64_t before = ((capture_object *)capture)->batch_size;
        if (before != batch_size)
            return PyErr_Format(PyExc_ValueError, "captured(): batch_size cannot change from %lld "
                                "to %zd", (long long)before, batch_size);
    }
    if (source_take_role(root, SOURCE_ROOT, 0) < 0) return NULL;
    PyObject *own = capture == Py_None ? capture_new(st, batch_size, 0) : Py_NewRef(capture);
    if (own) {
        ((capture_object *)own)->is_strict = mode == CAPTURE_STRICT;
        capture_set_maker((capture_object *)own, 2); /* captured() and its check of keywords */
    }
    PyObject *loop = own ? captured_loop_create(st, root, is_reader, batch_size, ctx, prefetch, own)
                         : NULL;
    PyObject *out = loop ? PyTuple_Pack(2, loop, own) : NULL;
    Py_XDECREF(loop);
    Py_XDECREF(own);
    return out;
}
