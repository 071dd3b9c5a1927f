/* ThreadPool, and the default pool that calls run on without one. */
#include "thread_pool.h"

#include "invariant.h"

int thread_count_of(PyObject *n, int *out)
{
    *out = 0;
    n = invariant_value(n);
    if (n == Py_None) return 0;
    PyObject *whole = PyIndex_Check(n) ? PyNumber_Index(n) : NULL;
    if (!whole) {
        PyErr_Format(PyExc_TypeError, "the number of threads must be an int, got %.100s",
                     Py_TYPE(n)->tp_name);
        return -1;
    }
    long v = PyLong_AsLong(whole), most = 100L * hr_cpu_count();
    Py_DECREF(whole);
    if (v == -1 && PyErr_Occurred()) PyErr_Clear();
    if (most > HR_MAX_THREADS) most = HR_MAX_THREADS;
    if (v >= 1 && v <= most) {
        *out = (int)v;
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "the number of threads is %R, it must be within 1..%ld", n,
                 most);
    return -1;
}

PyObject *thread_pool_create(mod_state *st, int n)
{
    pool_object *self = PyObject_New(pool_object, st->pool_type);
    if (!self) return NULL;
    self->pool = NULL;
    self->weakrefs = NULL;
    hr_error err = {0};
    if (hr_pool_create(&self->pool, n, &err) != HR_OK) {
        Py_DECREF(self);
        return raise_error(st, &err);
    }
    return (PyObject *)self;
}

static PyObject *pool_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"num_threads", "device_id", NULL};
    PyObject *n = Py_None, *device = Py_None;
    int count;
    if (!parse_arguments(args, kw, "|O$O:ThreadPool", names, &n, &device))
        return NULL;
    if (invariant_value(device) != Py_None) {
        PyErr_SetString(PyExc_RuntimeError,
                        "ThreadPool: device_id names a GPU; this build has none");
        return NULL;
    }
    if (thread_count_of(n, &count) < 0) return NULL;
    return thread_pool_create(PyType_GetModuleState(type), count);
}

/* Only where there are threads to wait for: letting the GIL go and taking it back at once wakes the
 * threads that wait for it in vain, and keeps them from asking for it. */
static void pool_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    hr_pool **pool = &((pool_object *)self)->pool;
    if (((pool_object *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    PyThreadState *released = *pool && hr_pool_started(*pool) ? PyEval_SaveThread() : NULL;
    hr_pool_destroy(pool);
    if (released) PyEval_RestoreThread(released);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *pool_num_threads(PyObject *self, void *closure)
{
    return PyLong_FromLong(hr_pool_size(((pool_object *)self)->pool));
}

static PyObject *get_none(PyObject *self, void *closure) { Py_RETURN_NONE; }

static PyObject *pool_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "a ThreadPool cannot be pickled or copied: it holds threads; send "
                        "its num_threads");
}

static PyMethodDef pool_methods[] = {
    {"__reduce_ex__", pool_reduce, METH_O, NULL},
    {0},
};

static PyGetSetDef pool_getset[] = {
    {"num_threads", pool_num_threads, NULL, "Threads, the calling one included.", NULL},
    {"device_id", get_none, NULL, "None: the pool is on the CPU.", NULL},
    {0},
};

static PyMemberDef pool_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(pool_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot pool_slots[] = {
    {Py_tp_members, pool_members},
    {Py_tp_doc, "ThreadPool(num_threads=None, *, device_id=None)\n--\n\n"
                "Threads that contexts may share. None: as many as the process may use."},
    {Py_tp_new, pool_new},
    {Py_tp_dealloc, pool_dealloc},
    {Py_tp_methods, pool_methods},
    {Py_tp_getset, pool_getset},
    {0, NULL},
};

PyType_Spec pool_spec = {
    .name = "headrace.ThreadPool",
    .basicsize = sizeof(pool_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = pool_slots,
};

/* ---- the default pool ------------------------------------------------------------ */

pool_object *thread_pool_default(mod_state *st)
{
    if (!st->default_pool)
        st->default_pool = (pool_object *)thread_pool_create(st, 0);
    return st->default_pool;
}

PyObject *module_set_num_threads(PyObject *module, PyObject *args, PyObject *kw)
{
    mod_state *st = state_of_module(module);
    PyObject *n = only_argument(args, kw, "set_num_threads", "n");
    int count;
    if (!n || thread_count_of(n, &count) < 0) return NULL;
    PyObject *pool = thread_pool_create(st, count);
    if (!pool) return NULL;
    PyObject *old = (PyObject *)st->default_pool;
    st->default_pool = (pool_object *)pool;
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

PyObject *module_get_num_threads(PyObject *module, PyObject *unused)
{
    pool_object *p = thread_pool_default(state_of_module(module));
    return p ? PyLong_FromLong(hr_pool_size(p->pool)) : NULL;
}
