/* What the graph half of the extension knows: the types that were registered, the classes that Python
 * handed over, and what is remembered between calls. */
#include "graph.h"

/* ---- registering ------------------------------------------------------------------- */

static int check_type(PyObject *cls, const char *what)
{
    if (PyType_Check(cls)) return 0;
    PyErr_Format(PyExc_TypeError, "%s: %R is no class", what, cls);
    return -1;
}

static PyObject *registry_changed(graph_state *g)
{
    static PyTypeObject *const quick[] = {&PyDict_Type, &PyList_Type, &PyTuple_Type, &PyUnicode_Type,
                                          &PyLong_Type, &PyFloat_Type, &PyBool_Type};
    g->has_builtins = 0;
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++) {
        PyObject *t = (PyObject *)quick[i];
        int in = PySet_Contains(g->ignored_types, t) | PyDict_Contains(g->tensor_types, t);
        if (in < 0) return NULL;
        g->has_builtins |= in;
    }
    graph_kinds_forget(g);
    Py_RETURN_NONE;
}

static int drop_key(PyObject *dict, PyObject *key)
{
    int found = PyDict_Contains(dict, key);
    return found < 0 || (found && PyDict_DelItem(dict, key) < 0) ? -1 : 0;
}

/* What is known without being registered is a value from now on. */
static int make_plain(graph_state *g, PyObject *cls)
{
    return graph_cache_way((PyTypeObject *)cls) == GRAPH_VALUE ? 0 : PySet_Add(g->plain_types, cls);
}

static PyObject *register_user(PyObject *module, PyObject *args)
{
    graph_state *g = state_of_module(module)->graphs;
    PyObject *cls;
    int only_tensors = 0;
    if (!PyArg_ParseTuple(args, "O|p:register_user_type", &cls, &only_tensors)) return NULL;
    if (check_type(cls, "register_user_type()") < 0) return NULL;
    if (PySet_Discard(g->ignored_types, cls) < 0 || drop_key(g->tensor_types, cls) < 0 ||
        PySet_Discard(g->plain_types, cls) < 0)
        return NULL;
    if (PyDict_SetItem(g->user_types, cls, only_tensors ? Py_True : Py_False) < 0) return NULL;
    return registry_changed(g);
}

static PyObject *unregister_user(PyObject *module, PyObject *cls)
{
    graph_state *g = state_of_module(module)->graphs;
    if (check_type(cls, "unregister_user_type()") < 0 || drop_key(g->user_types, cls) < 0 ||
        make_plain(g, cls) < 0)
        return NULL;
    return registry_changed(g);
}

static PyObject *ignore(PyObject *module, PyObject *cls)
{
    graph_state *g = state_of_module(module)->graphs;
    if (check_type(cls, "ignore_type()") < 0 || drop_key(g->user_types, cls) < 0 ||
        drop_key(g->tensor_types, cls) < 0 || PySet_Discard(g->plain_types, cls) < 0 ||
        PySet_Add(g->ignored_types, cls) < 0)
        return NULL;
    return registry_changed(g);
}

static PyObject *unignore(PyObject *module, PyObject *cls)
{
    graph_state *g = state_of_module(module)->graphs;
    if (check_type(cls, "unignore_type()") < 0 || PySet_Discard(g->ignored_types, cls) < 0 ||
        make_plain(g, cls) < 0)
        return NULL;
    return registry_changed(g);
}

/* (class, shape getter or None, dtype getter or None); both getters None unregisters. */
static PyObject *register_tensor(PyObject *module, PyObject *args)
{
    graph_state *g = state_of_module(module)->graphs;
    PyObject *cls, *shape, *dtype;
    if (!PyArg_ParseTuple(args, "OOO:register_tensor_type", &cls, &shape, &dtype)) return NULL;
    if (check_type(cls, "register_tensor_type()") < 0) return NULL;
    if (shape == Py_None && dtype == Py_None) {
        if (drop_key(g->tensor_types, cls) < 0) return NULL;
        return registry_changed(g);
    }
    PyObject *bad = !PyCallable_Check(shape) ? shape : !PyCallable_Check(dtype) ? dtype : NULL;
    if (bad) return PyErr_Format(PyExc_TypeError, "register_tensor_type(): %R cannot be called", bad);
    PyObject *pair = PyTuple_Pack(2, shape, dtype);
    int failed = !pair || PySet_Discard(g->ignored_types, cls) < 0 || drop_key(g->user_types, cls) < 0 ||
                 PyDict_SetItem(g->tensor_types, cls, pair) < 0;
    Py_XDECREF(pair);
    return failed ? NULL : registry_changed(g);
}

/* The classes of headrace.graphs, which are written in Python: Locator and the members of ObjectType. */
static PyObject *set_locator(PyObject *module, PyObject *args)
{
    graph_state *g = state_of_module(module)->graphs;
    PyObject *locator, *kinds[4];
    if (!PyArg_ParseTuple(args, "O!OOOO:graph_set_locator", &PyType_Type, &locator, &kinds[0], &kinds[1],
                          &kinds[2], &kinds[3]))
        return NULL;
    Py_XSETREF(g->locator_class, Py_NewRef(locator));
    for (int i = 0; i < 4; i++) Py_XSETREF(g->path_kinds[i], Py_NewRef(kinds[i]));
    Py_RETURN_NONE;
}

static PyObject *set_spec(PyObject *module, PyObject *spec)
{
    graph_state *g = state_of_module(module)->graphs;
    if (!PyType_Check(spec) || !PyType_IsSubtype((PyTypeObject *)spec, g->spec_type))
        return PyErr_Format(PyExc_TypeError, "graph_set_spec(): %R is no spec", spec);
    Py_XSETREF(g->spec_class, Py_NewRef(spec));
    Py_RETURN_NONE;
}

static PyObject *set_transformers(PyObject *module, PyObject *on)
{
    graph_state *g = state_of_module(module)->graphs;
    int yes = PyObject_IsTrue(on);
    if (yes < 0) return NULL;
    g->has_transformers = yes;
    return registry_changed(g);
}

/* ---- the state --------------------------------------------------------------------- */

PyMethodDef graph_methods[] = {
    {"graph_register_user_type", register_user, METH_VARARGS, NULL},
    {"graph_unregister_user_type", unregister_user, METH_O,
     "graph_unregister_user_type(cls, /)\n--\n\nInstances of `cls` are values again."},
    {"graph_ignore_type", ignore, METH_O,
     "graph_ignore_type(cls, /)\n--\n\nInstances of `cls` count for nothing."},
    {"graph_unignore_type", unignore, METH_O,
     "graph_unignore_type(cls, /)\n--\n\nInstances of `cls` count again."},
    {"graph_register_tensor_type", register_tensor, METH_VARARGS, NULL},
    {"graph_find_leaves", graph_find_leaves, METH_VARARGS, NULL},
    {"graph_sizes", graph_sizes, METH_O,
     "graph_sizes(tensor, /)\n--\n\nA tensor's sizes, as the walk reads them."},
    {"graph_set_transformers", set_transformers, METH_O,
     "graph_set_transformers(on, /)\n--\n\nAre the phases and caches of transformers' models known?"},
    {"graph_set_locator", set_locator, METH_VARARGS, NULL},
    {"graph_set_spec", set_spec, METH_O,
     "graph_set_spec(spec, /)\n--\n\nThe class that specs of leaves are made of."},
    {0},
};

static int add_names(graph_state *g)
{
    return (g->str_shape = PyUnicode_InternFromString("shape")) &&
                   (g->str_dtype = PyUnicode_InternFromString("dtype")) &&
                   (g->str_data = PyUnicode_InternFromString("data")) &&
                   (g->str_dict = PyUnicode_InternFromString("__dict__")) &&
                   (g->str_device = PyUnicode_InternFromString("device")) &&
                   (g->str_is_cpu = PyUnicode_InternFromString("is_cpu")) &&
                   (g->str_layout = PyUnicode_InternFromString("layout")) &&
                   (g->str_torch = PyUnicode_InternFromString("torch")) &&
                   (g->str_strided = PyUnicode_InternFromString("strided")) &&
                   (g->str_cache_position = PyUnicode_InternFromString("cache_position"))
               ? 0 : -1;
}

static int add_types(PyObject *module, graph_state *g)
{
    struct { PyType_Spec *spec; PyTypeObject **out; } types[] = {
        {&graph_signature_spec, &g->signature_type},
        {&graph_sample_spec, &g->sample_type},
        {&graph_spec_spec, &g->spec_type},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        *types[i].out = (PyTypeObject *)PyType_FromModuleAndSpec(module, types[i].spec, NULL);
        if (!*types[i].out || PyModule_AddType(module, *types[i].out) < 0) return -1;
    }
    return 0;
}

int graph_state_init(PyObject *module, mod_state *st)
{
    graph_state *g = st->graphs = PyMem_Calloc(1, sizeof *g);
    if (!g) return PyErr_NoMemory(), -1;
    g->has_transformers = 1;
    g->user_types = PyDict_New();
    g->ignored_types = PySet_New(NULL);
    g->plain_types = PySet_New(NULL);
    g->tensor_types = PyDict_New();
    g->dtypes = PyList_New(0);
    g->dtype_numbers = PyDict_New();
    g->devices = PyDict_New();
    g->scope = PyContextVar_New("headrace.batch_size", NULL);
    if (!g->user_types || !g->ignored_types || !g->plain_types || !g->tensor_types || !g->dtypes ||
        !g->dtype_numbers || !g->devices || !g->scope || add_names(g) < 0 || add_types(module, g) < 0)
        return -1;
    if (PyModule_AddObjectRef(module, "graph_batch_size", g->scope) < 0) return -1;
    return PyModule_AddFunctions(module, graph_methods);
}

#define FOR_EACH_OBJECT(X)                                                                        \
    X(user_types) X(ignored_types) X(plain_types) X(tensor_types)                                 \
    X(dtypes) X(dtype_numbers) X(devices) X(scope)                                                \
    X(spec_class) X(locator_class) X(path_kinds[0]) X(path_kinds[1]) X(path_kinds[2])             \
    X(path_kinds[3]) X(numpy_array) X(signature_type) X(sample_type) X(spec_type) X(str_shape)    \
    X(str_dtype) X(str_data) X(str_dict) X(str_device) X(str_is_cpu)  \
    X(str_layout) X(str_torch) X(str_strided) X(str_cache_position)

int graph_state_traverse(mod_state *st, visitproc visit, void *arg)
{
    graph_state *g = st->graphs;
    if (!g) return 0;
#define VISIT(field) Py_VISIT((PyObject *)g->field);
    FOR_EACH_OBJECT(VISIT)
#undef VISIT
    for (int i = 0; i < GRAPH_CACHE; i++) {
        Py_VISIT(g->cache[i].alive);
        Py_VISIT(g->cache[i].fields);
        Py_VISIT(g->cache[i].shape);
        Py_VISIT(g->cache[i].dtype);
        Py_VISIT(g->cache[i].device);
    }
    return 0;
}

void graph_state_clear(mod_state *st)
{
    graph_state *g = st->graphs;
    if (!g) return;
    st->graphs = NULL;
    graph_kinds_forget(g);
#define CLEAR(field) Py_CLEAR(g->field);
    FOR_EACH_OBJECT(CLEAR)
#undef CLEAR
    PyMem_Free(g);
}
