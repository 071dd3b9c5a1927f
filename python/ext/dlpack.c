/* DLPack, both ways. The structs are the exchange's ABI, version 1.0 (dmlc/dlpack, dlpack.h). */
#include "ext.h"

#include <string.h>

typedef struct dl_device { int32_t type, id; } dl_device;
typedef struct dl_dtype { uint8_t code, bits; uint16_t lanes; } dl_dtype;

typedef struct dl_tensor {
    void *data;
    dl_device device;
    int32_t ndim;
    dl_dtype dtype;
    int64_t *shape, *strides; /* in elements; strides NULL: packed */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor t;
    void *ctx;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    uint32_t major, minor;
    void *ctx;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor t;
} dl_versioned;

enum { DL_CPU = 1, DL_CUDA_HOST = 3, DL_READ_ONLY = 1, DL_COPIED = 2 };
enum { DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT = 4, DL_BOOL = 6 };
#define NAME_OLD "dltensor"
#define NAME_NEW "dltensor_versioned"

/* ---- out ------------------------------------------------------------------------- */

/* What an export keeps alive; one block with the struct that the consumer sees. */
typedef struct export {
    union { dl_managed old; dl_versioned now; } u;
    hr_tensor t;
    int64_t strides[HR_MAX_NDIM];
} export;

static void delete_old(dl_managed *self)
{
    export *e = self->ctx;
    hr_tensor_clear(&e->t);
    hr_free(e);
}

static void delete_now(dl_versioned *self)
{
    export *e = self->ctx;
    hr_tensor_clear(&e->t);
    hr_free(e);
}

static void drop_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, NAME_OLD)) {
        dl_managed *m = PyCapsule_GetPointer(capsule, NAME_OLD);
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, NAME_NEW)) {
        dl_versioned *m = PyCapsule_GetPointer(capsule, NAME_NEW);
        m->deleter(m);
    } /* a used capsule has another name, and its consumer deletes */
}

static void describe(export *e, dl_tensor *out)
{
    static const uint8_t codes[] = {[HR_KIND_UNSIGNED] = DL_UINT, [HR_KIND_SIGNED] = DL_INT,
                                    [HR_KIND_FLOAT] = DL_FLOAT, [HR_KIND_BOOL] = DL_BOOL,
                                    [HR_KIND_ENUM] = DL_INT};
    const hr_dtype_info *info = hr_dtype_get_info(e->t.dtype);
    for (int d = 0; d < e->t.ndim; d++) e->strides[d] = e->t.stride[d] / info->bytes;
    *out = (dl_tensor){
        .data = e->t.data, .device = {DL_CPU, 0}, .ndim = e->t.ndim,
        .dtype = {e->t.dtype == HR_BF16 ? DL_BFLOAT : codes[info->kind], (uint8_t)info->bits, 1},
        .shape = e->t.shape, .strides = e->strides};
}

static PyObject *make_capsule(export *e, int versioned, uint64_t flags)
{
    PyObject *capsule;
    if (versioned) {
        e->u.now = (dl_versioned){.major = 1, .ctx = e, .deleter = delete_now, .flags = flags};
        describe(e, &e->u.now.t);
        capsule = PyCapsule_New(&e->u.now, NAME_NEW, drop_capsule);
    } else {
        e->u.old = (dl_managed){.ctx = e, .deleter = delete_old};
        describe(e, &e->u.old.t);
        capsule = PyCapsule_New(&e->u.old, NAME_OLD, drop_capsule);
    }
    if (!capsule) {
        hr_tensor_clear(&e->t);
        hr_free(e);
    }
    return capsule;
}

typedef struct request {
    PyObject *stream, *max_version, *dl_device, *copy;
} request;

static int parse_request(PyObject *const *args, Py_ssize_t n, PyObject *kwnames, request *r)
{
    static const char *const names[] = {"stream", "max_version", "dl_device", "copy"};
    PyObject **fields[] = {&r->stream, &r->max_version, &r->dl_device, &r->copy};
    if (n > 1) {
        PyErr_SetString(PyExc_TypeError, "__dlpack__() takes keyword arguments only");
        return -1;
    }
    if (n == 1) r->stream = args[0];
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, k);
        int i = 0;
        while (i < 4 && PyUnicode_CompareWithASCIIString(name, names[i])) i++;
        if (i == 4) {
            PyErr_Format(PyExc_TypeError, "__dlpack__() has no argument %R", name);
            return -1;
        }
        *fields[i] = args[n + k] == Py_None ? NULL : args[n + k];
    }
    return 0;
}

static int check_request(const request *r, int *versioned, int *copy)
{
    *versioned = 0;
    *copy = -1;
    if (r->stream && r->stream != Py_None) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__: `stream` must be None for CPU data");
        return -1;
    }
    if (r->max_version) {
        PyObject *major = PySequence_GetItem(r->max_version, 0);
        long v = major ? PyLong_AsLong(major) : -1;
        Py_XDECREF(major);
        if (PyErr_Occurred()) return -1;
        *versioned = v >= 1;
    }
    if (r->dl_device) {
        int type, id;
        if (!PyArg_ParseTuple(r->dl_device, "ii:dl_device", &type, &id)) return -1;
        if (type != DL_CPU) {
            PyErr_Format(PyExc_BufferError, "__dlpack__: the data is on the CPU, device type %d "
                         "was asked for", type);
            return -1;
        }
    }
    if (r->copy) *copy = PyObject_IsTrue(r->copy);
    return r->copy && *copy < 0 ? -1 : 0;
}

PyObject *tensor_to_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames)
{
    mod_state *st = state_of(self);
    const hr_tensor *t = tensor_of(self);
    request r = {0};
    int versioned, copy;
    if (parse_request(args, n, kwnames, &r) < 0 || check_request(&r, &versioned, &copy) < 0)
        return NULL;
    int readonly = t->buf && t->buf->readonly, must_copy = 0;
    for (int d = 0; d < t->ndim; d++) /* backward strides end a process in which torch meets them */
        must_copy |= (t->stride[d] < 0 && t->shape[d] > 1) ||
                     t->stride[d] % (int64_t)hr_dtype_size(t->dtype) != 0;
    must_copy |= readonly && !versioned; /* the old struct cannot say so */
    if (must_copy && copy == 0) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__: copy=False, but this tensor's memory "
                        "cannot be shared");
        return NULL;
    }
    must_copy |= copy == 1;
    export *e = hr_alloc_zero(1, sizeof *e);
    if (!e) return PyErr_NoMemory();
    hr_error err = {0};
    if (!must_copy) {
        hr_tensor_ref(&e->t, t);
    } else if (hr_tensor_copy(&e->t, t, &err) != HR_OK) {
        hr_free(e);
        return raise_error(st, &err);
    }
    uint64_t flags = must_copy ? DL_COPIED : readonly ? DL_READ_ONLY : 0;
    return make_capsule(e, versioned, flags);
}

PyObject *tensor_dlpack_device(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("(ii)", DL_CPU, 0);
}

/* ---- in -------------------------------------------------------------------------- */

static void release_old(void *arg)
{
    PyGILState_STATE gil = PyGILState_Ensure(); /* some deleters touch Python objects */
    dl_managed *m = arg;
    if (m->deleter) m->deleter(m);
    PyGILState_Release(gil);
}

static void release_now(void *arg)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    dl_versioned *m = arg;
    if (m->deleter) m->deleter(m);
    PyGILState_Release(gil);
}

static hr_dtype dtype_of_dl(dl_dtype d)
{
    if (d.lanes != 1) return HR_DTYPE_NONE;
    char name[16];
    switch (d.code) {
    case DL_INT: snprintf(name, sizeof name, "i%d", d.bits); break;
    case DL_UINT: snprintf(name, sizeof name, "u%d", d.bits); break;
    case DL_FLOAT: snprintf(name, sizeof name, "f%d", d.bits); break;
    case DL_BFLOAT: return d.bits == 16 ? HR_BF16 : HR_DTYPE_NONE;
    case DL_BOOL: return d.bits == 8 ? HR_BOOL : HR_DTYPE_NONE;
    default: return HR_DTYPE_NONE;
    }
    return hr_dtype_parse(name);
}

static int read_tensor(mod_state *st, const dl_tensor *d, hr_tensor *out)
{
    if (d->device.type != DL_CPU && d->device.type != DL_CUDA_HOST) {
        PyErr_Format(PyExc_RuntimeError, "DLPack: the data is on device type %d; this build "
                     "works on the CPU only", d->device.type);
        return -1;
    }
    hr_dtype dtype = dtype_of_dl(d->dtype);
    if (dtype == HR_DTYPE_NONE) {
        PyErr_Format(PyExc_TypeError, "DLPack: elements of code %d with %d bits and %d lanes "
                     "cannot become a tensor", d->dtype.code, d->dtype.bits, d->dtype.lanes);
        return -1;
    }
    hr_error err = {0};
    if (hr_tensor_shape(out, dtype, d->ndim, d->shape, &err) != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    if (!d->data && hr_tensor_size(out)) {
        PyErr_SetString(PyExc_BufferError, "DLPack: no data for a tensor that is not empty");
        return -1;
    }
    int64_t size = (int64_t)hr_dtype_size(dtype);
    for (int i = 0; d->strides && i < d->ndim; i++) out->stride[i] = d->strides[i] * size;
    out->data = d->data ? (char *)d->data + d->byte_offset : NULL;
    return 0;
}

/* Takes the struct out of the capsule; from then on its deleter is ours to call. */
static int take_capsule(mod_state *st, PyObject *capsule, hr_tensor *out)
{
    int versioned = PyCapsule_IsValid(capsule, NAME_NEW);
    if (!versioned && !PyCapsule_IsValid(capsule, NAME_OLD)) {
        PyErr_SetString(PyExc_BufferError, "DLPack: not a capsule that can be taken (already "
                        "used?)");
        return -1;
    }
    void *managed = PyCapsule_GetPointer(capsule, versioned ? NAME_NEW : NAME_OLD);
    dl_versioned *now = managed;
    if (versioned && now->major > 1) {
        PyErr_Format(PyExc_BufferError, "DLPack version %u is not understood", now->major);
        return -1;
    }
    const dl_tensor *d = versioned ? &now->t : &((dl_managed *)managed)->t;
    if (read_tensor(st, d, out) < 0) return -1;
    out->buf = hr_buf_adopt(out->data, hr_tensor_nbytes(out),
                            versioned ? release_now : release_old, managed);
    if (!out->buf) {
        PyErr_NoMemory();
        return -1;
    }
    out->buf->readonly = versioned && (now->flags & DL_READ_ONLY) != 0;
    return PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor");
}

static PyObject *ask_capsule(mod_state *st, PyObject *obj)
{
    PyObject *method = PyObject_GetAttr(obj, st->str_dlpack);
    if (!method) return NULL;
    PyObject *empty = PyTuple_New(0), *kw = Py_BuildValue("{s:(ii)}", "max_version", 1, 0);
    PyObject *capsule = empty && kw ? PyObject_Call(method, empty, kw) : NULL;
    Py_XDECREF(empty);
    Py_XDECREF(kw);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) { /* from before version 1 */
        PyErr_Clear();
        capsule = PyObject_CallNoArgs(method);
    }
    Py_DECREF(method);
    return capsule;
}

int tensor_from_dlpack(mod_state *st, PyObject *obj, hr_tensor *out)
{
    PyObject *capsule = ask_capsule(st, obj);
    if (!capsule) return -1;
    int status = PyCapsule_CheckExact(capsule) ? take_capsule(st, capsule, out) : -1;
    if (status < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_BufferError, "__dlpack__() gave no capsule");
    Py_DECREF(capsule);
    return status;
}
