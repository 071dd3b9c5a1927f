/* The capture that a root's loops share: state, sites and generators. */
#include "capture.h"

#include <string.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- which one is active in which thread ----------------------------------------- */

/* A loop may be advanced, left and freed by another thread than the one whose body its step is in,
 * and may outlive it: so what a thread knows stands in a block that both sides hold. */
typedef struct thread_slot {
    _Atomic int refs;
    capture_object *active; /* this and the next under the GIL */
    uint64_t thread;        /* the interpreter's number of the thread in which it was set */
} thread_slot;

static _Thread_local thread_slot *own_slot;
static pthread_key_t slot_key;

static void slot_unref(thread_slot *s)
{
    if (s && atomic_fetch_sub(&s->refs, 1) == 1) free(s);
}

static void end_of_thread(void *slot)
{
    own_slot = NULL;
    slot_unref(slot);
}

static void make_key(void) { (void)pthread_key_create(&slot_key, end_of_thread); }

static thread_slot *slot_of_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (own_slot) return own_slot;
    pthread_once(&once, make_key);
    thread_slot *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->refs = 1;
    if (pthread_setspecific(slot_key, s) != 0) {
        free(s);
        return NULL;
    }
    return own_slot = s;
}

capture_object *capture_active(void) { return own_slot ? own_slot->active : NULL; }

void capture_deactivate(capture_object *c)
{
    thread_slot *s = c->slot;
    if (!s) return;
    c->slot = NULL;
    if (s->active == c) s->active = NULL;
    slot_unref(s);
}

void capture_activate(capture_object *c)
{
    thread_slot *s = slot_of_thread();
    if (c->slot != s) capture_deactivate(c);
    if (!s) return; /* no memory: its calls run eagerly */
    s->active = c;
    s->thread = PyThreadState_GetID(PyThreadState_Get());
    if (c->slot == s) return;
    c->slot = s;
    atomic_fetch_add(&s->refs, 1);
}

int capture_is_elsewhere(const capture_object *c)
{
    const thread_slot *s = c->slot;
    if (!s || s == own_slot) return 0;
    PyThreadState *t = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    while (t && PyThreadState_GetID(t) != s->thread) t = PyThreadState_Next(t);
    return t != NULL;
}

/* ---- the captures that are alive ------------------------------------------------- */

static capture_object *newest; /* under the GIL */

static void list_add(capture_object *c)
{
    c->older = newest;
    if (newest) newest->newer = c;
    newest = c;
}

static void list_remove(capture_object *c)
{
    if (c->newer) c->newer->older = c->older;
    else if (newest == c) newest = c->older;
    if (c->older) c->older->newer = c->newer;
    c->newer = c->older = NULL;
}

static capture_object *find_trace(uint64_t id)
{
    capture_object *c = newest;
    while (c && c->id != id) c = c->older;
    return c;
}

static uint64_t next_id(void)
{
    static uint64_t last; /* under the GIL */
    return ++last;
}

PyObject *capture_new(mod_state *st, int64_t batch_size, int n_sources)
{
    capture_object *c = (capture_object *)st->capture_type->tp_alloc(st->capture_type, 0);
    if (!c) return NULL;
    c->batch_size = c->current_size = batch_size;
    c->n_sources = n_sources;
    rows_init(&c->rows);
    capture_reset(c);
    c->root_id = c->id;
    c->feeders = PyList_New(0);
    c->ports = PyList_New(0);
    c->lines = PyList_New(0);
    list_add(c);
    PyObject *seen = NULL;
    if (c->feeders && c->ports && c->lines)
        seen = st->capture_watcher ? PyObject_CallOneArg(st->capture_watcher, (PyObject *)c)
                                   : Py_NewRef(Py_None);
    if (!seen) Py_CLEAR(c);
    Py_XDECREF(seen);
    return (PyObject *)c;
}

static void clear_site(site *s)
{
    for (int i = 0; i < s->n_chain; i++) Py_XDECREF(s->chain[i].code);
    PyMem_Free(s->chain);
    for (Py_ssize_t i = 0; i < s->n_args; i++) Py_XDECREF(s->args[i].value);
    PyMem_Free(s->args);
    Py_XDECREF(s->kwnames);
    Py_XDECREF(s->op);
}

void capture_reset(capture_object *c)
{
    c->is_stale = c->pins > 0;
    if (c->is_stale) return;
    hr__step_unref(&c->current);
    for (int i = 0; i < c->n_sites; i++) clear_site(&c->sites[i]);
    for (int i = 0; i < c->n_rngs; i++) Py_CLEAR(c->rngs[i].rng);
    PyMem_Free(c->sites);
    PyMem_Free(c->rngs);
    PyMem_Free(c->aliases);
    c->aliases = NULL;
    c->n_aliases = 0;
    c->sites = NULL;
    c->rngs = NULL;
    c->n_sites = c->room_sites = c->n_rngs = 0;
    hr__graph_destroy(&c->graph);
    Py_CLEAR(c->ctx);
    for (int i = 0; i < SITE_BUCKETS; i++) c->buckets[i] = -1;
    c->state = CAPTURE_TRACING;
    c->step = -1;
    c->error_seen = -1;
    c->n_sources = 0;
    c->id = next_id();
    rows_set_tracing(&c->rows, 1);
}

void capture_reset_stale(capture_object *c)
{
    PyObject *pending_error = PyErr_GetRaisedException();
    capture_reset(c);
    if (pending_error) PyErr_SetRaisedException(pending_error);
}

void capture_stop(capture_object *c)
{
    hr_executor *e = c->executor;
    int64_t last = c->step;
    c->executor = NULL; /* while the GIL is ours */
    if (e) {
        Py_BEGIN_ALLOW_THREADS
        hr__executor_stop(e, last);
        Py_END_ALLOW_THREADS
        capture_take_times(c, e);
        hr__executor_destroy(&e, last);
    }
    Py_CLEAR(c->pool);
}

/* The pending exception gets a twin as its cause, whose traceback leads to the line of the call. */
static void set_cause(mod_state *st, const site *s, const hr_error *err)
{
    PyObject *exc = PyErr_GetRaisedException();
    raise_error(st, err);
    add_traceback_of(s->chain[0].code, s->chain[0].offset);
    PyObject *cause = PyErr_GetRaisedException();
    if (exc && cause) PyException_SetCause(exc, cause);
    else Py_XDECREF(cause);
    if (exc) PyErr_SetRaisedException(exc);
}

void capture_raise_node(mod_state *st, const capture_object *c, int32_t node, hr_error *err)
{
    const site *s = NULL;
    for (int i = 0; c && i < c->n_sites && !s; i++)
        if (c->sites[i].node == node && c->sites[i].n_chain) s = &c->sites[i];
    if (s) add_line_of(s->chain[0].code, s->chain[0].offset, err);
    raise_error(st, err);
    if (s) set_cause(st, s, err);
}

void capture_raise(mod_state *st, const provenance *from, int32_t failed, hr_error *err)
{
    capture_object *c = err->status == HR_CANCELLED ? NULL : find_trace(from->id);
    if (c) c->error_seen = from->step;
    capture_raise_node(st, c, failed >= 0 ? failed : from->port.node, err);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    capture_object *c = (capture_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(c->feeders);
    Py_VISIT(c->ports);
    Py_VISIT(c->lines);
    Py_VISIT(c->ctx);
    for (int i = 0; i < c->n_sites; i++) {
        Py_VISIT(c->sites[i].op);
        for (Py_ssize_t a = 0; a < c->sites[i].n_args; a++) Py_VISIT(c->sites[i].args[a].value);
    }
    return 0;
}

static int clear(PyObject *self)
{
    capture_object *c = (capture_object *)self;
    Py_CLEAR(c->feeders);
    Py_CLEAR(c->ports);
    Py_CLEAR(c->lines);
    Py_CLEAR(c->begun_at);
    Py_CLEAR(c->ctx);
    if (!c->executor) capture_reset(c);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    capture_object *c = (capture_object *)self;
    PyObject_GC_UnTrack(self);
    list_remove(c);
    capture_deactivate(c);
    capture_stop(c);
    clear(self);
    rows_clear(&c->rows);
    Py_XDECREF(c->made_at.code);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {0, NULL},
};

PyType_Spec capture_spec = {
    .name = "headrace._core.Capture",
    .basicsize = sizeof(capture_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
