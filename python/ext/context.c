/* EvalContext: where operators run; and the GIL's side of long calls. */
#include "thread_pool.h"

#include "invariant.h"

static _Thread_local context_object *current; /* innermost context of the thread, with a reference
                                                 for each one that is entered */

/* The thread's innermost context that no other thread has left on its behalf. */
static context_object *innermost(void)
{
    while (current && current->is_abandoned) {
        context_object *c = current;
        current = c->outer;
        c->outer = NULL;
        c->depth = c->is_abandoned = 0;
        Py_DECREF((PyObject *)c);
    }
    return current;
}

/* ---- the GIL round long work ----------------------------------------------------- */

void gate_leave_python(void *gate) { ((gil_gate *)gate)->saved = PyEval_SaveThread(); }
void gate_enter_python(void *gate) { PyEval_RestoreThread(((gil_gate *)gate)->saved); }

/* Ctrl-C and other signals, while a call waits or works. */
int gate_poll(void *gate)
{
    gate_enter_python(gate);
    int interrupted = PyErr_CheckSignals();
    gate_leave_python(gate);
    return interrupted;
}

/* Another thread may replace the default pool while a call runs on it. */
hr_pool *hold_current_pool(mod_state *st, PyObject **held)
{
    context_object *c = innermost();
    pool_object *p = c && c->pool ? c->pool : thread_pool_default(st);
    *held = Py_XNewRef((PyObject *)p);
    return p ? p->pool : NULL;
}

/* ---- EvalContext ----------------------------------------------------------------- */

static PyObject *make_context(PyTypeObject *type, pool_object *take_pool)
{
    context_object *self = PyObject_GC_New(context_object, type);
    if (!self) {
        Py_XDECREF(take_pool);
        return NULL;
    }
    self->pool = take_pool;
    self->depth = self->is_abandoned = 0;
    self->thread = 0;
    self->outer = NULL;
    self->checkpoint = self->weakrefs = NULL;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"num_threads", "device_id", "cuda_stream", "thread_pool", NULL};
    PyObject *n = Py_None, *device = Py_None, *stream = Py_None, *pool = Py_None;
    if (!parse_arguments(args, kw, "|$OOOO:EvalContext", names, &n, &device,
                                     &stream, &pool))
        return NULL;
    mod_state *st = PyType_GetModuleState(type);
    n = invariant_value(n);
    pool = invariant_value(pool);
    if (invariant_value(device) != Py_None || invariant_value(stream) != Py_None) {
        PyErr_SetString(PyExc_RuntimeError, "EvalContext: device_id and cuda_stream need a GPU; "
                        "this build has none");
        return NULL;
    }
    if (n != Py_None && pool != Py_None) {
        PyErr_SetString(PyExc_ValueError,
                        "EvalContext: give num_threads or thread_pool, not both");
        return NULL;
    }
    int count;
    if (thread_count_of(n, &count) < 0) return NULL;
    if (pool != Py_None && !Py_IS_TYPE(pool, st->pool_type)) {
        PyErr_Format(PyExc_TypeError, "EvalContext: thread_pool must be a ThreadPool, got "
                     "%.100s", Py_TYPE(pool)->tp_name);
        return NULL;
    }
    PyObject *own = pool != Py_None ? Py_NewRef(pool)
                    : n != Py_None  ? thread_pool_create(st, count)
                                    : NULL;
    if (n != Py_None && !own) return NULL;
    return make_context(type, (pool_object *)own);
}

static int context_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((context_object *)self)->checkpoint);
    return 0;
}

static int context_clear(PyObject *self)
{
    Py_CLEAR(((context_object *)self)->checkpoint);
    return 0;
}

static void context_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((context_object *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    context_clear(self);
    Py_XDECREF(((context_object *)self)->pool);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *context_enter(PyObject *self, PyObject *unused)
{
    context_object *c = (context_object *)self;
    unsigned long thread = PyThread_get_thread_ident();
    innermost();
    if (c->depth && c->thread != thread) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the EvalContext is in use by another thread: one thread at a time");
        return NULL;
    }
    if (c->depth++ == 0) {
        c->thread = thread;
        c->outer = current;
        current = (context_object *)Py_NewRef(self);
    }
    return Py_NewRef(self);
}

static PyObject *context_exit(PyObject *self, PyObject *args)
{
    context_object *c = (context_object *)self;
    if (c->depth == 0 || c->thread != PyThread_get_thread_ident() ||
        (c->depth == 1 && innermost() != c)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the EvalContext is left out of order, or was never entered");
        return NULL;
    }
    if (--c->depth == 0) {
        current = c->outer;
        c->outer = NULL;
        Py_DECREF(self);
    }
    Py_RETURN_NONE;
}

void context_leave(PyObject *context)
{
    context_object *c = (context_object *)context;
    if (c->depth != 1) { /* others are still inside */
        c->depth -= c->depth > 1;
        return;
    }
    if (c->thread != PyThread_get_thread_ident()) {
        c->is_abandoned = 1;
        return;
    }
    context_object **at = &current;
    while (*at && *at != c) at = &(*at)->outer;
    if (!*at) return;
    *at = c->outer;
    c->outer = NULL;
    c->depth = 0;
    Py_DECREF(context);
}

static PyObject *context_default(PyObject *cls, PyObject *unused)
{
    mod_state *st = PyType_GetModuleState((PyTypeObject *)cls);
    PyObject *dict = PyThreadState_GetDict(), *c = NULL;
    if (!dict) return PyErr_NoMemory();
    int found = PyDict_GetItemRef(dict, (PyObject *)st->context_type, &c);
    if (found) return c;
    c = make_context(st->context_type, NULL);
    if (c && PyDict_SetItem(dict, (PyObject *)st->context_type, c) < 0) Py_CLEAR(c);
    return c;
}

static PyObject *context_current(PyObject *cls, PyObject *unused)
{
    context_object *c = innermost();
    if (c) return Py_NewRef((PyObject *)c);
    return context_default(cls, NULL);
}

/* Operators have finished when their call returns, so there is nothing left to wait for. */
static PyObject *evaluate_all(PyObject *self, PyObject *unused) { Py_RETURN_NONE; }

static PyObject *get_none(PyObject *self, void *closure) { Py_RETURN_NONE; }

static PyObject *get_pool(PyObject *self, void *closure)
{
    pool_object *p = ((context_object *)self)->pool;
    if (!p) p = thread_pool_default(state_of(self));
    return Py_XNewRef((PyObject *)p);
}

static PyObject *get_num_threads(PyObject *self, void *closure)
{
    PyObject *pool = get_pool(self, NULL);
    PyObject *out = pool ? PyLong_FromLong(hr_pool_size(((pool_object *)pool)->pool)) : NULL;
    Py_XDECREF(pool);
    return out;
}

static PyObject *get_checkpoint(PyObject *self, void *closure)
{
    context_object *c = (context_object *)self;
    if (!c->checkpoint)
        c->checkpoint = PyObject_CallMethod(state_of(self)->slow, "new_checkpoint", NULL);
    return Py_XNewRef(c->checkpoint);
}

/* Reserved: this version keeps no results. */
static PyObject *cached_results(PyObject *self, PyObject *args, PyObject *kw)
{
    if (!only_argument(args, kw, "cached_results", "invocation")) return NULL;
    Py_RETURN_NONE;
}

static PyObject *cache_results(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"invocation", "results", NULL};
    PyObject *invocation, *results;
    if (!parse_arguments(args, kw, "OO:cache_results", names, &invocation, &results))
        return NULL;
    Py_RETURN_NONE;
}

#define METHOD(f) ((PyCFunction)(void (*)(void))(f))

static PyObject *context_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "an EvalContext cannot be pickled or copied: it belongs to the "
                        "threads of this process; make one where it is wanted");
}

static PyMethodDef context_methods[] = {
    {"__reduce_ex__", context_reduce, METH_O, NULL},
    {"__enter__", context_enter, METH_NOARGS,
     "__enter__($self, /)\n--\n\nMakes it the thread's current context."},
    {"__exit__", context_exit, METH_VARARGS,
     "__exit__($self, /, *exc)\n--\n\nWaits for pending work and goes back to the outer context."},
    {"current", context_current, METH_NOARGS | METH_CLASS,
     "current()\n--\n\nThe innermost entered context of the thread, else its default one."},
    {"default", context_default, METH_NOARGS | METH_CLASS,
     "default()\n--\n\nThe thread's default context."},
    {"evaluate_all", evaluate_all, METH_NOARGS,
     "evaluate_all($self, /)\n--\n\nWaits for all pending work of the context."},
    {"cached_results", METHOD(cached_results), METH_VARARGS | METH_KEYWORDS,
     "cached_results($self, /, invocation)\n--\n\nReserved: None, as results are not kept."},
    {"cache_results", METHOD(cache_results), METH_VARARGS | METH_KEYWORDS,
     "cache_results($self, /, invocation, results)\n--\n\nReserved: without effect."},
    {0},
};

static PyGetSetDef context_getset[] = {
    {"num_threads", get_num_threads, NULL, "Threads that operators run on.", NULL},
    {"thread_pool", get_pool, NULL, "The ThreadPool that operators run on.", NULL},
    {"checkpoint", get_checkpoint, NULL, "The context's own Checkpoint.", NULL},
    {"device_id", get_none, NULL, "None: the context is on the CPU.", NULL},
    {"cuda_stream", get_none, NULL, "None: the context is on the CPU.", NULL},
    {0},
};

static PyMemberDef context_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(context_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot context_slots[] = {
    {Py_tp_members, context_members},
    {Py_tp_doc, "EvalContext(*, num_threads=None, device_id=None, cuda_stream=None, "
                "thread_pool=None)\n--\n\n"
                "Where operators run. Entered by `with`, it is the thread's current context."},
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_traverse, context_traverse},
    {Py_tp_clear, context_clear},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_getset},
    {0, NULL},
};

PyType_Spec context_spec = {
    .name = "headrace.EvalContext",
    .basicsize = sizeof(context_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = context_slots,
};
