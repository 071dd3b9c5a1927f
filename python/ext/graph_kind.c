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

void graph_kinds_forget(graph_state *g)
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
