/* What stands in for a wrapped callable. An entry takes the place of `forward` once, when a module is
 * wrapped, and sends each call to its target of the moment: recorder, router or the original. A call
 * from within a call of the same entry, on the same thread, goes to the original, so that recursion
 * and backends that call the module are served as without a wrapper; nothing is swapped meanwhile.
 *
 * A wrapper is the user's handle. It calls the entry directly where the module has no hooks, and the
 * module itself where it has. */
#include "graph_router.h"

#include "pythread.h"

/* A call under way, in the frame of the call; changed under the GIL. */
typedef struct running {
    struct running *next, **place;
    unsigned long thread;
} running;

typedef struct entry_object {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *original, *target;
    PyObject *owner;   /* the wrapper, which lives as long as the entry */
    PyObject *restore; /* what a copy or pickle of the entry is: a reduce value */
    running *calls;
    PyObject *weakrefs;
} entry_object;

#define entry_of(o) ((entry_object *)(o))

static int is_inside(const entry_object *e, unsigned long thread)
{
    for (const running *r = e->calls; r; r = r->next)
        if (r->thread == thread) return 1;
    return 0;
}

static void enter(entry_object *e, running *r)
{
    r->next = e->calls;
    r->place = &e->calls;
    if (r->next) r->next->place = &r->next;
    e->calls = r;
}

static void leave(running *r)
{
    *r->place = r->next;
    if (r->next) r->next->place = r->place;
}

static PyObject *entry_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    entry_object *e = entry_of(self);
    running r = {.thread = PyThread_get_thread_ident()};
    int inside = is_inside(e, r.thread);
    PyObject *callable = Py_XNewRef(inside || !e->target ? e->original : e->target);
    if (!callable) {
        PyErr_SetString(PyExc_RuntimeError, "the wrapped callable is gone");
        return NULL;
    }
    if (inside) {
        PyObject *out = PyObject_Vectorcall(callable, args, flags, kwnames);
        Py_DECREF(callable);
        return out;
    }
    Py_INCREF(self);
    enter(e, &r);
    PyObject *out = PyObject_Vectorcall(callable, args, flags, kwnames);
    leave(&r);
    Py_DECREF(callable);
    Py_DECREF(self);
    return out;
}

static PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"original", "restore", NULL};
    PyObject *original, *restore;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OO!:GraphEntry", words, &original, &PyTuple_Type, &restore))
        return NULL;
    if (!PyCallable_Check(original)) {
        PyErr_Format(PyExc_TypeError, "GraphEntry: %R cannot be called", original);
        return NULL;
    }
    entry_object *e = (entry_object *)type->tp_alloc(type, 0);
    if (!e) return NULL;
    e->call = entry_call;
    e->original = Py_NewRef(original);
    e->restore = Py_NewRef(restore);
    return (PyObject *)e;
}

static int entry_traverse(PyObject *self, visitproc visit, void *arg)
{
    entry_object *e = entry_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(e->original);
    Py_VISIT(e->target);
    Py_VISIT(e->owner);
    Py_VISIT(e->restore);
    return 0;
}

static int entry_clear(PyObject *self)
{
    entry_object *e = entry_of(self);
    Py_CLEAR(e->original);
    Py_CLEAR(e->target);
    Py_CLEAR(e->owner);
    Py_CLEAR(e->restore);
    return 0;
}

static void entry_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (entry_of(self)->weakrefs) PyObject_ClearWeakRefs(self);
    entry_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* What it has not itself is the original's: its name, its code, … */
static PyObject *entry_getattr(PyObject *self, PyObject *name)
{
    PyObject *own = PyObject_GenericGetAttr(self, name);
    if (own || !entry_of(self)->original || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
    PyErr_Clear();
    return PyObject_GetAttr(entry_of(self)->original, name);
}

static PyObject *entry_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(entry_of(self)->restore);
}

static PyMethodDef entry_methods[] = {
    {"__reduce__", entry_reduce, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef entry_members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(entry_object, call), Py_READONLY, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(entry_object, weakrefs), Py_READONLY, NULL},
    {"__wrapped__", Py_T_OBJECT_EX, offsetof(entry_object, original), Py_READONLY, "The original."},
    {"target", Py_T_OBJECT_EX, offsetof(entry_object, target), 0, "What serves calls; absent: the original."},
    {"owner", Py_T_OBJECT_EX, offsetof(entry_object, owner), 0, "The wrapper."},
    {0},
};

static PyType_Slot entry_slots[] = {
    {Py_tp_doc, "GraphEntry(original, restore)\n--\n\n"
                "Stands in for a callable; copies of it are what the reduce value `restore` makes."},
    {Py_tp_new, entry_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getattro, entry_getattr},
    {Py_tp_dealloc, entry_dealloc},
    {Py_tp_traverse, entry_traverse},
    {Py_tp_clear, entry_clear},
    {Py_tp_methods, entry_methods},
    {Py_tp_members, entry_members},
    {0, NULL},
};

PyType_Spec graph_entry_spec = {
    .name = "headrace._core.GraphEntry",
    .basicsize = sizeof(entry_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = entry_slots,
};

/* ---- the wrapper ------------------------------------------------------------------------------- */

typedef struct wrapper_object {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *entry;
    PyObject *module; /* NULL: the callable is no module, and has no hooks */
    PyObject *attributes; /* the module's __dict__ */
    PyObject *own;    /* tuple of names: dicts in `attributes` that are empty without hooks */
    PyObject *shared; /* tuple of dicts that are empty without hooks; NULL: always ask the module */
    PyObject *weakrefs;
} wrapper_object;

#define wrapper_of(o) ((wrapper_object *)(o))

static int is_empty(PyObject *hooks)
{
    return hooks == Py_None || (PyDict_Check(hooks) && PyDict_GET_SIZE(hooks) == 0);
}

/* 1: hooks, or something that is not known, -1 with an exception. */
static int has_hooks(const wrapper_object *w)
{
    if (!w->module) return 0;
    if (!w->shared) return 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(w->shared); i++)
        if (!is_empty(PyTuple_GET_ITEM(w->shared, i))) return 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(w->own); i++) {
        PyObject *hooks;
        int found = PyDict_GetItemRef(w->attributes, PyTuple_GET_ITEM(w->own, i), &hooks);
        if (found < 0) return -1;
        int empty = !found || is_empty(hooks);
        Py_XDECREF(hooks);
        if (!empty) return 1;
    }
    return 0;
}

static PyObject *wrapper_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    wrapper_object *w = wrapper_of(self);
    int hooks = has_hooks(w);
    if (hooks < 0) return NULL;
    PyObject *callable = Py_XNewRef(hooks ? w->module : w->entry);
    if (!callable) {
        PyErr_SetString(PyExc_RuntimeError, "a wrapper that holds no module was called");
        return NULL;
    }
    PyObject *out = PyObject_Vectorcall(callable, args, flags, kwnames);
    Py_DECREF(callable);
    return out;
}

static PyObject *wrapper_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    wrapper_object *w = (wrapper_object *)type->tp_alloc(type, 0);
    (void)args, (void)kw;
    if (w) w->call = wrapper_call;
    return (PyObject *)w;
}

/* _hold(entry, module, own, shared) */
static PyObject *wrapper_hold(PyObject *self, PyObject *args)
{
    wrapper_object *w = wrapper_of(self);
    PyObject *entry, *module, *own, *shared, *attributes = NULL;
    if (!PyArg_ParseTuple(args, "OOO!O:_hold", &entry, &module, &PyTuple_Type, &own, &shared)) return NULL;
    if (shared != Py_None && !PyTuple_Check(shared)) {
        PyErr_Format(PyExc_TypeError, "_hold: %R is no tuple", shared);
        return NULL;
    }
    if (module != Py_None && !(attributes = PyObject_GetAttrString(module, "__dict__"))) return NULL;
    if (attributes && !PyDict_Check(attributes)) shared = Py_None;
    Py_XSETREF(w->entry, Py_NewRef(entry));
    Py_XSETREF(w->module, module == Py_None ? NULL : Py_NewRef(module));
    Py_XSETREF(w->attributes, attributes);
    Py_XSETREF(w->own, Py_NewRef(own));
    Py_XSETREF(w->shared, shared == Py_None ? NULL : Py_NewRef(shared));
    Py_RETURN_NONE;
}

static int wrapper_traverse(PyObject *self, visitproc visit, void *arg)
{
    wrapper_object *w = wrapper_of(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(w->entry);
    Py_VISIT(w->module);
    Py_VISIT(w->attributes);
    Py_VISIT(w->own);
    Py_VISIT(w->shared);
    return 0;
}

static int wrapper_clear(PyObject *self)
{
    wrapper_object *w = wrapper_of(self);
    Py_CLEAR(w->entry);
    Py_CLEAR(w->module);
    Py_CLEAR(w->attributes);
    Py_CLEAR(w->own);
    Py_CLEAR(w->shared);
    return 0;
}

static void wrapper_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (wrapper_of(self)->weakrefs) PyObject_ClearWeakRefs(self);
    wrapper_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef wrapper_methods[] = {
    {"_hold", wrapper_hold, METH_VARARGS, NULL},
    {0},
};

static PyMemberDef wrapper_members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(wrapper_object, call), Py_READONLY, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(wrapper_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot wrapper_slots[] = {
    {Py_tp_doc, "Calls an entry, or the module around it where there are hooks; Module is made of it."},
    {Py_tp_new, wrapper_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, wrapper_dealloc},
    {Py_tp_traverse, wrapper_traverse},
    {Py_tp_clear, wrapper_clear},
    {Py_tp_methods, wrapper_methods},
    {Py_tp_members, wrapper_members},
    {0, NULL},
};

PyType_Spec graph_wrapper_spec = {
    .name = "headrace._core.GraphWrapper",
    .basicsize = sizeof(wrapper_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = wrapper_slots,
};

int graph_add_callables(PyObject *module)
{
    PyType_Spec *specs[] = {&graph_router_spec, &graph_entry_spec, &graph_wrapper_spec, &graph_no_grad_spec};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        PyObject *type = PyType_FromModuleAndSpec(module, specs[i], NULL);
        int failed = !type || PyModule_AddType(module, (PyTypeObject *)type) < 0;
        Py_XDECREF(type);
        if (failed) return -1;
    }
    return 0;
}
