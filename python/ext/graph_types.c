/* How to walk each type, found out once: a table of types with room for GRAPH_CACHE of them, where a
 * type may lie in GRAPH_PROBES places. Registering a type empties it. */
#include "graph.h"

#include "invariant.h"

/* ---- the table --------------------------------------------------------------------- */

static void kind_clear(graph_kind *k)
{
    graph_kind old = *k;
    memset(k, 0, sizeof *k);
    Py_XDECREF(old.alive);
    Py_XDECREF(old.fields);
    Py_XDECREF(old.shape);
    Py_XDECREF(old.dtype);
    Py_XDECREF(old.device);
}

static void forget_all(graph_state *g)
{
    for (int i = 0; i < GRAPH_CACHE; i++) kind_clear(&g->cache[i]);
}

static size_t place_of(const PyTypeObject *type)
{
    uint64_t h = (uint64_t)(uintptr_t)type * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 40) % GRAPH_CACHE;
}

static graph_kind *find(graph_state *g, PyTypeObject *type)
{
    size_t at = place_of(type);
    for (int i = 0; i < GRAPH_PROBES; i++) {
        graph_kind *k = &g->cache[(at + (size_t)i) % GRAPH_CACHE];
        if (k->type == type && weak_ref_is(k->alive, (PyObject *)type)) return k;
    }
    return NULL;
}

static graph_kind *put(graph_state *g, const graph_kind *take)
{
    size_t at = place_of(take->type);
    graph_kind *k = &g->cache[at]; /* no place is free: the first one's guest goes */
    for (int i = GRAPH_PROBES - 1; i >= 0; i--) {
        graph_kind *other = &g->cache[(at + (size_t)i) % GRAPH_CACHE];
        if (!other->type || other->type == take->type) k = other;
    }
    kind_clear(k);
    *k = *take;
    return k;
}

/* ---- what a type is ---------------------------------------------------------------- */

PyObject *graph_loaded(const char *module, const char *name)
{
    PyObject *modules = PyImport_GetModuleDict(), *m = NULL, *out = NULL;
    m = Py_XNewRef(PyDict_GetItemString(modules, module));
    if (m && PyObject_GetOptionalAttrString(m, name, &out) < 0) PyErr_Clear();
    Py_XDECREF(m);
    return out;
}

/* Is it an instance of a loaded module's class? */
static int is_of(PyObject *obj, const char *module, const char *name)
{
    PyObject *cls = graph_loaded(module, name);
    int yes = cls && PyType_Check(cls) ? PyObject_IsInstance(obj, cls) : 0;
    Py_XDECREF(cls);
    return yes;
}

/* Does `type` have the attribute unchanged from `base`? */
static int shares(PyTypeObject *type, PyObject *base, const char *name)
{
    PyObject *a = NULL, *b = NULL;
    if (PyObject_GetOptionalAttrString((PyObject *)type, name, &a) < 0) PyErr_Clear();
    if (PyObject_GetOptionalAttrString(base, name, &b) < 0) PyErr_Clear();
    int same = a == b;
    if (!same && a && b && PyMethod_Check(a) && PyMethod_Check(b)) /* class methods bind anew */
        same = PyMethod_GET_FUNCTION(a) == PyMethod_GET_FUNCTION(b);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return same;
}

typedef struct dl_api {
    uint32_t major, minor;
    struct dl_api *older;
    int (*allocate)(void *, void **, void *, void (*)(void *, const char *, const char *));
    int (*export)(void *, void **);
    int (*import)(void *, void **);
    int (*view)(void *obj, void *out);
} dl_api;

static int (*dlpack_view(PyTypeObject *type))(void *, void *)
{
    PyObject *capsule = NULL;
    int found = PyObject_GetOptionalAttrString((PyObject *)type, "__dlpack_c_exchange_api__", &capsule);
    dl_api *api = NULL;
    if (found == 1 && PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
        api = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    PyErr_Clear();
    Py_XDECREF(capsule); /* the type keeps it */
    while (api && api->major > 1) api = api->older;
    return api && api->major == 1 ? api->view : NULL;
}

/* Torch's own way of shapes, which a subclass may have changed. */
static int is_plain_torch(PyTypeObject *type, PyObject *base)
{
    if ((PyObject *)type == base) return 1;
    PyObject *parameter = graph_loaded("torch.nn", "Parameter");
    int is_parameter = (PyObject *)type == parameter;
    Py_XDECREF(parameter);
    return is_parameter || (shares(type, base, "shape") && shares(type, base, "dtype") &&
                            shares(type, base, "__torch_function__") &&
                            shares(type, base, "__torch_dispatch__"));
}

static void tensor_kind(mod_state *st, PyObject *obj, graph_kind *k)
{
    graph_state *g = st->graphs;
    PyTypeObject *type = k->type;
    if (type == st->tensor_type || type == st->batch_type) {
        k->way = type == st->tensor_type ? GRAPH_TENSOR : GRAPH_BATCH;
        return;
    }
    PyObject *torch = graph_loaded("torch", "Tensor"), *array = graph_loaded("numpy", "ndarray");
    if (torch && PyType_Check(torch) && PyType_IsSubtype(type, (PyTypeObject *)torch)) {
        k->read = is_plain_torch(type, torch) ? dlpack_view(type) : NULL;
        k->way = k->read ? GRAPH_DLPACK : GRAPH_SHAPED;
    } else if (array && PyType_Check(array) && PyType_IsSubtype(type, (PyTypeObject *)array)) {
        int is_plain = shares(type, array, "shape") && shares(type, array, "dtype");
        if (!g->numpy_array) g->numpy_array = Py_NewRef(array);
        k->way = is_plain && g->numpy_array == array ? GRAPH_NUMPY : GRAPH_SHAPED;
    } else {
        int yes = is_of(obj, "jax", "Array");
        if (yes < 0) PyErr_Clear();
        if (yes == 1) k->way = GRAPH_SHAPED;
    }
    Py_XDECREF(torch);
    Py_XDECREF(array);
}

static int names_of_fields(PyTypeObject *type, graph_kind *k)
{
    PyObject *module = PyImport_ImportModule("dataclasses"), *name = NULL;
    PyObject *fields = module ? PyObject_CallMethod(module, "fields", "(O)", type) : NULL;
    Py_XDECREF(module);
    Py_ssize_t n = fields && PyTuple_Check(fields) ? PyTuple_GET_SIZE(fields) : 0;
    PyObject *names = fields ? PyTuple_New(n) : NULL;
    for (Py_ssize_t i = 0; names && i < n; i++) {
        name = PyObject_GetAttrString(PyTuple_GET_ITEM(fields, i), "name");
        if (name && PyUnicode_CheckExact(name)) {
            PyUnicode_InternInPlace(&name);
            PyTuple_SET_ITEM(names, i, name);
        } else {
            Py_XDECREF(name);
            Py_CLEAR(names);
        }
    }
    Py_XDECREF(fields);
    if (!names && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "the fields of %.100s have no names", type->tp_name);
    k->fields = names;
    return names ? 0 : -1;
}

/* Attributes of the class that hold data: public, no properties, nothing that can be called, and no
 * descriptors but slots. */
static int is_data_of_class(PyTypeObject *type, PyObject *name)
{
    Py_ssize_t n = 0;
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &n) : NULL;
    if (!text || n == 0 || text[0] == '_') return PyErr_Clear(), 0;
    PyObject *value = NULL;
    if (PyObject_GetOptionalAttr((PyObject *)type, name, &value) <= 0) return PyErr_Clear(), 0;
    int yes = !PyCallable_Check(value);
    if (yes && Py_TYPE(value)->tp_descr_get)
        yes = Py_IS_TYPE(value, &PyMemberDescr_Type) || Py_IS_TYPE(value, &PyGetSetDescr_Type);
    Py_DECREF(value);
    return yes;
}

static int names_of_class(PyTypeObject *type, graph_kind *k)
{
    PyObject *all = PyObject_Dir((PyObject *)type), *found = PyList_New(0);
    for (Py_ssize_t i = 0; all && found && i < PyList_GET_SIZE(all); i++) {
        PyObject *name = PyList_GET_ITEM(all, i);
        if (is_data_of_class(type, name) && PyList_Append(found, name) < 0) Py_CLEAR(found);
    }
    if (all && found) k->fields = PyList_AsTuple(found);
    Py_XDECREF(all);
    Py_XDECREF(found);
    return k->fields ? 0 : -1;
}

static graph_way way_of_dict(PyTypeObject *type)
{
    int is_plain = type->tp_iter == PyDict_Type.tp_iter && type->tp_as_mapping &&
                   type->tp_as_mapping->mp_subscript == PyDict_Type.tp_as_mapping->mp_subscript;
    return is_plain ? GRAPH_DICT : GRAPH_MAPPING;
}

static int user_dict_kind(graph_kind *k)
{
    PyObject *cls = graph_loaded("collections", "UserDict");
    if (cls && PyType_Check(cls) && PyType_IsSubtype(k->type, (PyTypeObject *)cls)) {
        int is_plain = shares(k->type, cls, "__iter__") && shares(k->type, cls, "__getitem__");
        k->way = is_plain ? GRAPH_USER_DICT : GRAPH_MAPPING;
    }
    Py_XDECREF(cls);
    return k->way != GRAPH_VALUE;
}

/* Getters of the nearest class that was registered as a tensor. 1, 0, -1. */
static int registered_tensor(graph_state *g, graph_kind *k)
{
    PyObject *mro = k->type->tp_mro, *getters = NULL;
    if (PyDict_GET_SIZE(g->tensor_types) == 0 || !mro) return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        int found = PyDict_GetItemRef(g->tensor_types, PyTuple_GET_ITEM(mro, i), &getters);
        if (found < 0) return -1;
        if (!found) continue;
        k->way = GRAPH_SHAPED;
        k->shape = Py_NewRef(PyTuple_GET_ITEM(getters, 0));
        k->dtype = Py_NewRef(PyTuple_GET_ITEM(getters, 1));
        Py_DECREF(getters);
        return 1;
    }
    return 0;
}

static int is_dataclass(PyTypeObject *type)
{
    PyObject *fields = NULL;
    int found = PyObject_GetOptionalAttrString((PyObject *)type, "__dataclass_fields__", &fields);
    if (found < 0) PyErr_Clear();
    Py_XDECREF(fields);
    return found == 1;
}

static int find_out(mod_state *st, PyObject *obj, graph_kind *k)
{
    graph_state *g = st->graphs;
    PyTypeObject *type = k->type;
    PyObject *flag = NULL;
    int found = PySet_Contains(g->ignored_types, (PyObject *)type);
    if (found) return k->way = GRAPH_IGNORED, found < 0 ? -1 : 0;
    if ((found = registered_tensor(g, k)) != 0) return found < 0 ? -1 : 0;
    if (PyType_FastSubclass(type, Py_TPFLAGS_LIST_SUBCLASS)) return k->way = GRAPH_LIST, 0;
    if (PyType_FastSubclass(type, Py_TPFLAGS_TUPLE_SUBCLASS)) return k->way = GRAPH_TUPLE, 0;
    if (PyType_FastSubclass(type, Py_TPFLAGS_DICT_SUBCLASS)) return k->way = way_of_dict(type), 0;
    if (user_dict_kind(k)) return 0;
    if (is_dataclass(type)) return k->way = GRAPH_DATACLASS, names_of_fields(type, k);
    found = PyDict_GetItemRef(g->user_types, (PyObject *)type, &flag);
    if (found < 0) return -1;
    if (found) {
        k->way = GRAPH_USER;
        k->only_tensors = flag == Py_True;
        Py_DECREF(flag);
        return names_of_class(type, k);
    }
    if ((found = PySet_Contains(g->plain_types, (PyObject *)type)) < 0) return -1;
    k->way = found || !g->has_transformers ? GRAPH_VALUE : graph_cache_way(type);
    k->only_tensors = k->way == GRAPH_USER;
    if (k->way == GRAPH_USER) return names_of_class(type, k);
    if (k->way == GRAPH_VALUE) tensor_kind(st, obj, k);
    return 0;
}

graph_kind *graph_kind_of(mod_state *st, PyObject *obj)
{
    graph_state *g = st->graphs;
    graph_kind *known = find(g, Py_TYPE(obj));
    if (known) return known;
    graph_kind k = {.type = Py_TYPE(obj)};
    k.alive = PyWeakref_NewRef((PyObject *)k.type, NULL);
    if (!k.alive || find_out(st, obj, &k) < 0) {
        kind_clear(&k);
        return NULL;
    }
    return put(g, &k);
}

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
    forget_all(g);
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
    forget_all(g);
#define CLEAR(field) Py_CLEAR(g->field);
    FOR_EACH_OBJECT(CLEAR)
#undef CLEAR
    PyMem_Free(g);
}
