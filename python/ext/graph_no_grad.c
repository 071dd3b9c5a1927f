/* A torch module called without gradients, with no Python between: what torch.no_grad() does around a
 * call, by the two functions of torch that it does it with. torch.compile finds no frame to compile here
 * either, and goes on with what is called. */
#include "graph_router.h"

typedef struct no_grad_object {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *module, *is_enabled, *set_enabled;
} no_grad_object;

#define no_grad_of(o) ((no_grad_object *)(o))

static int set_enabled(no_grad_object *n, PyObject *on)
{
    PyObject *done = PyObject_CallOneArg(n->set_enabled, on);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static PyObject *no_grad_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *kwnames)
{
    no_grad_object *n = no_grad_of(self);
    PyObject *on = PyObject_CallNoArgs(n->is_enabled);
    int was_on = on ? PyObject_IsTrue(on) : -1;
    Py_XDECREF(on);
    if (was_on < 0) return NULL;
    if (!was_on) return PyObject_Vectorcall(n->module, args, flags, kwnames);
    if (set_enabled(n, Py_False) < 0) return NULL;
    PyObject *out = PyObject_Vectorcall(n->module, args, flags, kwnames);
    PyObject *pending = PyErr_GetRaisedException();
    if (set_enabled(n, Py_True) < 0) Py_CLEAR(out);
    if (pending) PyErr_SetRaisedException(pending);
    return out;
}

static PyObject *no_grad_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"module", "is_enabled", "set_enabled", NULL};
    PyObject *module, *is, *set;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OOO:GraphNoGrad", words, &module, &is, &set)) return NULL;
    PyObject *bad = !PyCallable_Check(module) ? module : !PyCallable_Check(is) ? is
                                                     : !PyCallable_Check(set) ? set : NULL;
    if (bad) return PyErr_Format(PyExc_TypeError, "GraphNoGrad: %R cannot be called", bad);
    no_grad_object *n = (no_grad_object *)type->tp_alloc(type, 0);
    if (!n) return NULL;
    n->call = no_grad_call;
    n->module = Py_NewRef(module);
    n->is_enabled = Py_NewRef(is);
    n->set_enabled = Py_NewRef(set);
    return (PyObject *)n;
}

static int no_grad_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(no_grad_of(self)->module);
    Py_VISIT(no_grad_of(self)->is_enabled);
    Py_VISIT(no_grad_of(self)->set_enabled);
    return 0;
}

static int no_grad_clear(PyObject *self)
{
    Py_CLEAR(no_grad_of(self)->module);
    Py_CLEAR(no_grad_of(self)->is_enabled);
    Py_CLEAR(no_grad_of(self)->set_enabled);
    return 0;
}

static void no_grad_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    no_grad_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(no_grad_object, call), Py_READONLY, NULL},
    {"__wrapped__", Py_T_OBJECT_EX, offsetof(no_grad_object, module), Py_READONLY, "The module."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "GraphNoGrad(module, is_enabled, set_enabled)\n--\n\n"
                "Calls a module while gradients are off; the two functions ask and switch."},
    {Py_tp_new, no_grad_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, no_grad_dealloc},
    {Py_tp_traverse, no_grad_traverse},
    {Py_tp_clear, no_grad_clear},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec graph_no_grad_spec = {
    .name = "headrace._core.GraphNoGrad",
    .basicsize = sizeof(no_grad_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots,
};
