/* Rank, sizes, dtype and device of tensors, without Python objects where the library lets us: torch
 * by DLPack's table of C functions, NumPy by its struct, which has been the same since 1.0 and is
 * compared with NumPy's own answers before it is used. */
#include "graph.h"

typedef struct dl_view { /* DLTensor */
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_view;

typedef struct numpy_view { /* PyArrayObject_fields */
    PyObject_HEAD
    char *data;
    int ndim;
    Py_ssize_t *shape, *strides;
    PyObject *base, *dtype;
} numpy_view;

enum { DEVICE_CPU = 1, OTHER_DEVICE = 0xffff };
#define DEVICE(type, id) ((uint64_t)(uint32_t)(type) << 32 | (uint32_t)(id))

/* ---- dtypes and devices as numbers ------------------------------------------------- */

/* The number of a dtype; 0 with an exception. */
static uint32_t number_of_dtype(mod_state *st, PyObject *dtype)
{
    graph_state *g = st->graphs;
    PyObject *key = PyTuple_Pack(2, Py_TYPE(dtype), dtype), *number = NULL;
    if (!key) return 0;
    int found = PyDict_GetItemRef(g->dtype_numbers, key, &number);
    if (found == 0 && PyList_Append(g->dtypes, dtype) == 0) {
        number = PyLong_FromSsize_t(PyList_GET_SIZE(g->dtypes));
        if (number && PyDict_SetItem(g->dtype_numbers, key, number) < 0) Py_CLEAR(number);
    }
    Py_DECREF(key);
    uint32_t id = number ? (uint32_t)PyLong_AsUnsignedLong(number) : 0;
    Py_XDECREF(number);
    return id;
}

PyObject *graph_dtype_object(mod_state *st, uint32_t id)
{
    return id ? PyList_GET_ITEM(st->graphs->dtypes, (Py_ssize_t)id - 1) : Py_None;
}

static const struct { const char *name; uint32_t type; } device_names[] = { /* DLPack's numbers */
    {"cpu", DEVICE_CPU}, {"cuda", 2}, {"vulkan", 7}, {"mps", 8}, {"rocm", 10}, {"xpu", 14}};

/* The number of a device by its text, such as "cpu" or "cuda:0". 0, -1. */
static int number_of_device(mod_state *st, PyObject *text, uint64_t *out)
{
    const char *name = PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    if (!name) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "a device is a text, not %R", text);
        return -1;
    }
    const char *colon = strchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : strlen(name);
    for (size_t i = 0; i < sizeof device_names / sizeof *device_names; i++) {
        if (strlen(device_names[i].name) != n || strncmp(name, device_names[i].name, n)) continue;
        return *out = DEVICE(device_names[i].type, colon ? atoi(colon + 1) : 0), 0;
    }
    PyObject *number = NULL, *devices = st->graphs->devices;
    if (PyDict_GetItemRef(devices, text, &number) < 0) return -1;
    if (!number) {
        number = PyLong_FromSsize_t(PyDict_GET_SIZE(devices));
        if (!number || PyDict_SetItem(devices, text, number) < 0) {
            Py_XDECREF(number);
            return -1;
        }
    }
    *out = DEVICE(OTHER_DEVICE, (uint32_t)PyLong_AsUnsignedLong(number));
    Py_DECREF(number);
    return 0;
}

PyObject *graph_device_text(mod_state *st, uint64_t device)
{
    uint32_t type = (uint32_t)(device >> 32), id = (uint32_t)device;
    PyObject *text, *number;
    Py_ssize_t pos = 0;
    while (type == OTHER_DEVICE && PyDict_Next(st->graphs->devices, &pos, &text, &number))
        if (PyLong_AsUnsignedLong(number) == id) return Py_NewRef(text);
    if (type == DEVICE_CPU) return PyUnicode_FromString("cpu");
    for (size_t i = 0; i < sizeof device_names / sizeof *device_names; i++)
        if (device_names[i].type == type)
            return PyUnicode_FromFormat("%s:%u", device_names[i].name, (unsigned)id);
    return PyUnicode_FromFormat("device %u:%u", (unsigned)type, (unsigned)id);
}

/* The number of the object's dtype, remembered for its type if the table keeps this very dtype: no
 * other object can have its address then. */
static uint32_t learn_dtype(mod_state *st, PyObject *obj, PyObject *dtype)
{
    uint32_t id = number_of_dtype(st, dtype);
    if (!id || graph_dtype_object(st, id) != dtype) return id;
    graph_kind *kind = graph_kind_of(st, obj);
    if (!kind) return 0;
    kind->dtype_mark = dtype;
    kind->dtype_code = 0; /* of another dtype than this number, from now on */
    kind->dtype_id = id;
    return id;
}

static uint32_t dtype_of(mod_state *st, PyObject *obj)
{
    PyObject *dtype = PyObject_GetAttr(obj, st->graphs->str_dtype);
    uint32_t id = dtype ? number_of_dtype(st, dtype) : 0;
    Py_XDECREF(dtype);
    return id;
}

/* ---- by attributes ----------------------------------------------------------------- */

static int read_sizes(PyObject *shape, const char *type, int64_t *room, hr_tensor_facts *out)
{
    PyObject *sizes = PySequence_Fast(shape, "");
    if (!sizes) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Format(PyExc_TypeError, "the shape of a %.100s is a %.100s", type, Py_TYPE(shape)->tp_name);
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(sizes);
    int failed = n > GRAPH_RANK_MAX;
    if (failed)
        PyErr_Format(PyExc_ValueError, "a %.100s of %zd axes, at most %d", type, n, GRAPH_RANK_MAX);
    for (Py_ssize_t d = 0; !failed && d < n; d++) {
        PyObject *size = PyNumber_Index(PySequence_Fast_GET_ITEM(sizes, d));
        int overflow = 0;
        room[d] = size ? PyLong_AsLongLongAndOverflow(size, &overflow) : -1;
        Py_XDECREF(size);
        failed = PyErr_Occurred() != NULL;
        if (failed || (!overflow && room[d] >= 0)) continue;
        PyErr_Format(PyExc_ValueError, "axis %zd of a %.100s has the size %R", d, type,
                     PySequence_Fast_GET_ITEM(sizes, d));
        failed = 1;
    }
    Py_DECREF(sizes);
    out->rank = (int32_t)n;
    out->sizes = room;
    return failed ? -1 : 0;
}

static PyObject *ask(PyObject *obj, PyObject *get, PyObject *name)
{
    return get ? PyObject_CallOneArg(get, obj) : PyObject_GetAttr(obj, name);
}

/* Torch says `is_cpu`, whose answer is cheaper than the device's text; others' devices are remembered
 * for their type, as most libraries have one object a device. */
static uint64_t device_of(mod_state *st, PyObject *obj)
{
    graph_state *g = st->graphs;
    PyObject *device = NULL, *text = NULL, *is_cpu = NULL;
    uint64_t id = DEVICE(DEVICE_CPU, 0);
    graph_kind *kind = graph_kind_of(st, obj);
    if (kind && !kind->device && PyObject_GetOptionalAttr(obj, g->str_is_cpu, &is_cpu) < 0) PyErr_Clear();
    Py_XDECREF(is_cpu);
    if (is_cpu == Py_True) return id;
    int found = PyObject_GetOptionalAttr(obj, g->str_device, &device);
    kind = found == 1 ? graph_kind_of(st, obj) : NULL;
    if (kind && kind->device == device) id = kind->device_id;
    else if (found == 1) text = PyObject_Str(device);
    if (text && number_of_device(st, text, &id) == 0 && (kind = graph_kind_of(st, obj)) != NULL && !is_cpu) {
        kind->device_id = id;
        Py_XSETREF(kind->device, Py_NewRef(device));
    }
    PyErr_Clear(); /* one without a device: the CPU */
    Py_XDECREF(device);
    Py_XDECREF(text);
    return id;
}

static int read_by_attributes(mod_state *st, PyObject *obj, const graph_kind *kind, int64_t *room,
                              hr_tensor_facts *out)
{
    graph_state *g = st->graphs;
    PyObject *by_shape = Py_XNewRef(kind->shape), *by_dtype = Py_XNewRef(kind->dtype);
    PyTypeObject *type = Py_TYPE(obj);
    PyObject *shape = ask(obj, by_shape, g->str_shape);
    int failed = !shape || read_sizes(shape, Py_TYPE(obj)->tp_name, room, out) < 0;
    PyObject *dtype = failed ? NULL : ask(obj, by_dtype, g->str_dtype);
    graph_kind *known = dtype ? graph_kind_of(st, obj) : NULL;
    if (known && known->type == type && known->dtype_mark == dtype) out->dtype = known->dtype_id;
    else out->dtype = dtype ? learn_dtype(st, obj, dtype) : 0;
    failed |= out->dtype == 0;
    if (!failed) out->device = device_of(st, obj);
    Py_XDECREF(shape);
    Py_XDECREF(dtype);
    Py_XDECREF(by_shape);
    Py_XDECREF(by_dtype);
    return failed ? -1 : 0;
}

/* ---- by the library's structs ------------------------------------------------------ */

/* Has torch's tensor memory of the usual kind, on the CPU? */
static int is_ordinary(mod_state *st, PyObject *obj)
{
    graph_state *g = st->graphs;
    PyObject *is_cpu = PyObject_GetAttr(obj, g->str_is_cpu);
    PyObject *layout = is_cpu == Py_True ? PyObject_GetAttr(obj, g->str_layout) : NULL;
    PyObject *torch = layout ? PyImport_GetModule(g->str_torch) : NULL;
    PyObject *strided = torch ? PyObject_GetAttr(torch, g->str_strided) : NULL;
    int yes = strided && layout == strided;
    PyErr_Clear();
    Py_XDECREF(is_cpu);
    Py_XDECREF(layout);
    Py_XDECREF(torch);
    Py_XDECREF(strided);
    return yes;
}

static int read_dlpack(mod_state *st, PyObject *obj, graph_kind *kind, int64_t *room,
                       hr_tensor_facts *out)
{
    static const graph_kind by_attributes = {.way = GRAPH_SHAPED};
    PyTypeObject *type = kind->type;
    dl_view view;
    if (kind->is_careful) {
        int fine = is_ordinary(st, obj) && kind->type == type && kind->way == GRAPH_DLPACK;
        if (!fine) return read_by_attributes(st, obj, &by_attributes, room, out);
    }
    if (kind->read(obj, &view) != 0) { /* no memory of a usual kind: sparse, meta, … */
        if (!PyErr_ExceptionMatches(PyExc_Exception)) return -1;
        PyErr_Clear();
        if (kind->type == type) kind->is_careful = 1; /* a C++ exception costs milliseconds */
        return read_by_attributes(st, obj, &by_attributes, room, out);
    }
    uint32_t code = (uint32_t)view.code << 24 | (uint32_t)view.bits << 16 | view.lanes;
    out->rank = view.ndim;
    out->sizes = view.shape;
    out->device = DEVICE(view.device_type, view.device_id);
    if (kind->dtype_code == code) {
        out->dtype = kind->dtype_id;
        return 0;
    }
    for (int32_t d = 0; d < view.ndim && d < GRAPH_RANK_MAX; d++) room[d] = view.shape[d];
    if (view.ndim > GRAPH_RANK_MAX) return read_by_attributes(st, obj, &by_attributes, room, out);
    out->sizes = room; /* Python may run from here on */
    out->dtype = dtype_of(st, obj);
    graph_kind *again = out->dtype ? graph_kind_of(st, obj) : NULL;
    if (again && again->type == type && again->way == GRAPH_DLPACK) {
        again->dtype_mark = NULL;
        again->dtype_code = code;
        again->dtype_id = out->dtype;
    }
    return out->dtype ? 0 : -1;
}

/* Compares the struct's fields with what NumPy says of an array of its own. */
static int numpy_is_as_expected(graph_state *g)
{
    PyObject *array = PyObject_CallFunction(g->numpy_array, "((iii)s)", 3, 5, 7, "i2");
    PyObject *dtype = array ? PyObject_GetAttr(array, g->str_dtype) : NULL;
    const numpy_view *v = (const numpy_view *)array;
    int fine = dtype && Py_TYPE(array)->tp_basicsize >= (Py_ssize_t)sizeof *v && v->ndim == 3 &&
               v->dtype == dtype && v->shape[0] == 3 && v->shape[1] == 5 && v->shape[2] == 7 &&
               v->strides[2] == 2;
    PyErr_Clear();
    Py_XDECREF(dtype);
    Py_XDECREF(array);
    return fine;
}

static int read_numpy(mod_state *st, PyObject *obj, graph_kind *kind, int64_t *room,
                      hr_tensor_facts *out)
{
    graph_state *g = st->graphs;
    if (!g->numpy_known) g->numpy_known = numpy_is_as_expected(g) ? 1 : -1;
    if (g->numpy_known < 0) return read_by_attributes(st, obj, kind, room, out);
    const numpy_view *v = (const numpy_view *)obj;
    out->rank = v->ndim;
    for (int d = 0; d < v->ndim && d < GRAPH_RANK_MAX; d++) room[d] = v->shape[d];
    out->sizes = room;
    out->device = DEVICE(DEVICE_CPU, 0);
    if (kind->dtype_mark == v->dtype) {
        out->dtype = kind->dtype_id;
        return 0;
    }
    PyObject *dtype = Py_NewRef(v->dtype);
    out->dtype = learn_dtype(st, obj, dtype);
    Py_DECREF(dtype);
    return out->dtype ? 0 : -1;
}

static uint32_t own_dtype(mod_state *st, hr_dtype id)
{
    PyObject *dtype = dtype_get(st, id);
    uint32_t number = dtype ? number_of_dtype(st, dtype) : 0;
    Py_XDECREF(dtype);
    return number;
}

static int read_own_tensor(mod_state *st, PyObject *obj, int64_t *room, hr_tensor_facts *out)
{
    const hr_tensor *t = tensor_of(obj);
    for (int d = 0; d < t->ndim; d++) room[d] = t->shape[d];
    *out = (hr_tensor_facts){t->ndim, room, 0, DEVICE(DEVICE_CPU, 0)};
    out->dtype = own_dtype(st, t->dtype);
    return out->dtype ? 0 : -1;
}

/* A batch is one tensor: samples first, then the largest extent of each axis. */
static int read_own_batch(mod_state *st, PyObject *obj, int64_t *room, hr_tensor_facts *out)
{
    const hr_batch *b = batch_value(obj);
    if (!b) return -1;
    int ndim = b->ndim;
    room[0] = b->n;
    for (int d = 0; d < ndim; d++) room[d + 1] = 0;
    for (int64_t i = 0; i < b->n; i++)
        for (int d = 0; d < ndim; d++)
            if (b->t[i].shape[d] > room[d + 1]) room[d + 1] = b->t[i].shape[d];
    *out = (hr_tensor_facts){ndim + 1, room, 0, DEVICE(DEVICE_CPU, 0)};
    out->dtype = own_dtype(st, b->dtype);
    return out->dtype ? 0 : -1;
}

int graph_read_tensor(mod_state *st, PyObject *obj, graph_kind *kind, int64_t room[GRAPH_RANK_MAX],
                      hr_tensor_facts *out)
{
    switch (kind->way) {
    case GRAPH_DLPACK: return read_dlpack(st, obj, kind, room, out);
    case GRAPH_NUMPY: return read_numpy(st, obj, kind, room, out);
    case GRAPH_TENSOR: return read_own_tensor(st, obj, room, out);
    case GRAPH_BATCH: return read_own_batch(st, obj, room, out);
    default: return read_by_attributes(st, obj, kind, room, out);
    }
}
