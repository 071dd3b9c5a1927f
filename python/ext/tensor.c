/* Tensor: one sample. */
#include "ext.h"

#include "arith.h"
#include "index.h"

#include <string.h>

PyObject *tensor_wrap(mod_state *st, hr_tensor *take_t)
{
    tensor_object *self = PyObject_New(tensor_object, st->tensor_type);
    if (!self) {
        hr_tensor_clear(take_t);
        return NULL;
    }
    self->t = *take_t;
    self->weakrefs = NULL;
    memset(take_t, 0, sizeof *take_t);
    return (PyObject *)self;
}

int tensor_make_own(mod_state *st, hr_tensor *t)
{
    hr_tensor own;
    hr_error err = {0};
    hr_status status = hr_tensor_copy(&own, t, &err);
    hr_tensor_clear(t);
    if (status != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    *t = own;
    return 0;
}

static void tensor_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((tensor_object *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    hr_tensor_clear(tensor_of(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *tuple_of_extents(const int64_t *v, int n)
{
    PyObject *out = PyTuple_New(n);
    for (int d = 0; out && d < n; d++) {
        PyObject *x = PyLong_FromLongLong(v[d]);
        if (!x) Py_CLEAR(out);
        else PyTuple_SET_ITEM(out, d, x);
    }
    return out;
}

PyObject *layout_object(const char *layout)
{
    if (!layout[0]) Py_RETURN_NONE;
    return PyUnicode_FromString(layout);
}

static PyObject *get_shape(PyObject *self, void *closure)
{
    return tuple_of_extents(tensor_of(self)->shape, tensor_of(self)->ndim);
}

static PyObject *get_ndim(PyObject *self, void *closure)
{
    return PyLong_FromLong(tensor_of(self)->ndim);
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
    return dtype_get(state_of(self), tensor_of(self)->dtype);
}

static PyObject *get_layout(PyObject *self, void *closure)
{
    return layout_object(tensor_of(self)->layout);
}

static PyObject *get_device(PyObject *self, void *closure)
{
    return PyObject_GetAttrString(state_of(self)->slow, "CPU");
}

static PyObject *get_size(PyObject *self, void *closure)
{
    return PyLong_FromLongLong(hr_tensor_size(tensor_of(self)));
}

static PyObject *get_nbytes(PyObject *self, void *closure)
{
    return PyLong_FromSize_t(hr_tensor_nbytes(tensor_of(self)));
}

static PyObject *get_itemsize(PyObject *self, void *closure)
{
    return PyLong_FromSize_t(hr_dtype_size(tensor_of(self)->dtype));
}

static PyObject *get_source(PyObject *self, void *closure)
{
    const hr_meta *m = tensor_of(self)->meta;
    if (!m || !m->source[0]) Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(m->source);
}

static PyObject *get_failure(PyObject *self, void *closure)
{
    const hr_meta *m = tensor_of(self)->meta;
    if (!m || !m->failure) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(m->failure, (Py_ssize_t)strlen(m->failure), "replace");
}

static PyObject *get_cuda_interface(PyObject *self, void *closure)
{
    PyErr_SetString(PyExc_AttributeError,
                    "__cuda_array_interface__ is for tensors on a GPU; this one is on the CPU");
    return NULL;
}

static PyGetSetDef getset[] = {
    {"shape", get_shape, NULL, "Extents, one an axis.", NULL},
    {"ndim", get_ndim, NULL, "Number of axes.", NULL},
    {"dtype", get_dtype, NULL, "Element type.", NULL},
    {"layout", get_layout, NULL, "Axis letters such as 'HWC'; None when unknown.", NULL},
    {"device", get_device, NULL, "Where the data is.", NULL},
    {"size", get_size, NULL, "Number of elements.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of an element.", NULL},
    {"source_info", get_source, NULL, "The file that the sample comes from, or None.", NULL},
    {"failure", get_failure, NULL,
     "Why the sample is a blank stand-in for a broken one; None for a sound sample.", NULL},
    {"__array_interface__", tensor_array_interface, NULL, "NumPy's array interface, version 3.",
     NULL},
    {"__cuda_array_interface__", get_cuda_interface, NULL, "For GPU tensors only.", NULL},
    {0},
};

static PyObject *evaluate(PyObject *self, PyObject *unused) { return Py_NewRef(self); }

static PyObject *item(PyObject *self, PyObject *unused)
{
    const hr_tensor *t = tensor_of(self);
    if (hr_tensor_size(t) != 1)
        return PyErr_Format(PyExc_ValueError, "item(): the tensor has %lld elements, not one",
                            (long long)hr_tensor_size(t));
    return element_to_object(t->dtype, t->data);
}

static PyObject *tolist(PyObject *self, PyObject *unused)
{
    return tensor_to_list(tensor_of(self));
}

static PyObject *copy_of(PyObject *self)
{
    mod_state *st = state_of(self);
    hr_tensor t;
    hr_error err = {0};
    if (hr_tensor_copy(&t, tensor_of(self), &err) != HR_OK) return raise_error(st, &err);
    return tensor_wrap(st, &t);
}

static PyObject *copy(PyObject *self, PyObject *unused) { return copy_of(self); }

static PyObject *to_device(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"device", "force_copy", NULL};
    PyObject *device;
    int force = 0;
    if (!parse_arguments(args, kw, "O|p:to_device", names, &device, &force))
        return NULL;
    if (check_device(state_of(self), device) < 0) return NULL;
    return force ? copy_of(self) : Py_NewRef(self);
}

static PyObject *cpu(PyObject *self, PyObject *unused) { return Py_NewRef(self); }

static PyObject *torch(PyObject *self, PyObject *args, PyObject *kw)
{
    return call_slow(self, "tensor_torch", args, kw);
}

static PyObject *gpu(PyObject *self, PyObject *args, PyObject *kw)
{
    return call_slow(self, "tensor_gpu", args, kw);
}

static PyObject *reduce_ex(PyObject *self, PyObject *args)
{
    return call_slow(self, "tensor_reduce", args, NULL);
}

/* bytes() would take a tensor of one integer for a length. */
static PyObject *to_bytes(PyObject *self, PyObject *unused)
{
    PyObject *view = PyMemoryView_FromObject(self);
    PyObject *out = view ? PyBytes_FromObject(view) : NULL;
    Py_XDECREF(view);
    return out;
}

static PyObject *repr(PyObject *self) { return call_slow(self, "tensor_repr", NULL, NULL); }

/* ---- sequence and number protocols ----------------------------------------------- */

static Py_ssize_t length(PyObject *self)
{
    const hr_tensor *t = tensor_of(self);
    if (t->ndim) return (Py_ssize_t)t->shape[0];
    PyErr_SetString(PyExc_TypeError, "len() of a tensor without axes");
    return -1;
}

static PyObject *get_row(PyObject *self, Py_ssize_t i)
{
    const hr_index place = {.kind = HR_INDEX_AT, .start = i};
    hr_tensor row;
    hr_error err = {0};
    if (i < 0 && tensor_of(self)->ndim) /* len() was added already: iteration ends here */
        return PyErr_Format(PyExc_IndexError, "index %zd is outside axis 0", i);
    if (hr_tensor_index(&row, tensor_of(self), &place, 1, &err) != HR_OK)
        return raise_error(state_of(self), &err);
    return tensor_wrap(state_of(self), &row);
}

static PyObject *iterate(PyObject *self)
{
    if (tensor_of(self)->ndim) return PySeqIter_New(self);
    PyErr_SetString(PyExc_TypeError, "a tensor without axes has nothing to iterate over");
    return NULL;
}

/* Is any element equal to `value`? The axes from `axis` on, at `data`. */
static int axis_contains(const hr_tensor *t, int axis, const char *data, PyObject *value)
{
    if (axis == t->ndim) {
        PyObject *element = element_to_object(t->dtype, data);
        int equal = element ? PyObject_RichCompareBool(element, value, Py_EQ) : -1;
        Py_XDECREF(element);
        return equal;
    }
    int found = 0;
    for (int64_t i = 0; i < t->shape[axis] && found == 0; i++)
        found = axis_contains(t, axis + 1, data + i * t->stride[axis], value);
    return found;
}

static int contains(PyObject *self, PyObject *value)
{
    return axis_contains(tensor_of(self), 0, tensor_of(self)->data, value);
}

static PyObject *single(PyObject *self, const char *what)
{
    const hr_tensor *t = tensor_of(self);
    if (hr_tensor_size(t) == 1) return element_to_object(t->dtype, t->data);
    return PyErr_Format(PyExc_TypeError, "%s of a tensor with %lld elements needs exactly one",
                        what, (long long)hr_tensor_size(t));
}

static PyObject *as_float(PyObject *self)
{
    PyObject *x = single(self, "float()"), *out = x ? PyNumber_Float(x) : NULL;
    Py_XDECREF(x);
    return out;
}

static PyObject *as_int(PyObject *self)
{
    PyObject *x = single(self, "int()"), *out = x ? PyNumber_Long(x) : NULL;
    Py_XDECREF(x);
    return out;
}

static PyObject *as_index(PyObject *self)
{
    const hr_tensor *t = tensor_of(self);
    const hr_dtype_info *info = hr_dtype_get_info(t->dtype);
    if (t->ndim || info->kind == HR_KIND_FLOAT)
        return PyErr_Format(PyExc_TypeError,
                            "only a tensor of one integer without axes is an index");
    return as_int(self);
}

static int as_bool(PyObject *self)
{
    if (hr_tensor_size(tensor_of(self)) != 1) {
        PyErr_Format(PyExc_ValueError, "the truth of a tensor with %lld elements is ambiguous",
                     (long long)hr_tensor_size(tensor_of(self)));
        return -1;
    }
    PyObject *x = single(self, "bool()");
    int truth = x ? PyObject_IsTrue(x) : -1;
    Py_XDECREF(x);
    return truth;
}

static PyMethodDef methods[] = {
    {"evaluate", evaluate, METH_NOARGS,
     "evaluate($self, /)\n--\n\nWaits for the value; returns the tensor itself."},
    {"item", item, METH_NOARGS,
     "item($self, /)\n--\n\nThe only element as a Python number; else ValueError."},
    {"tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nNested lists of Python numbers."},
    {"cpu", cpu, METH_NOARGS, "cpu($self, /)\n--\n\nThe tensor on the CPU: itself."},
    {"gpu", METHOD(gpu), METH_VARARGS | METH_KEYWORDS,
     "gpu($self, /, index=None)\n--\n\nRuntimeError: this build has no GPU."},
    {"to_device", METHOD(to_device), METH_VARARGS | METH_KEYWORDS,
     "to_device($self, /, device, force_copy=False)\n--\n\n"
     "The tensor on `device`: itself when it is there and no copy is forced."},
    {"torch", METHOD(torch), METH_VARARGS | METH_KEYWORDS,
     "torch($self, /, copy=False)\n--\n\nA torch tensor; shares memory unless `copy`."},
    {"__array__", METHOD(tensor_array), METH_FASTCALL | METH_KEYWORDS,
     "__array__($self, /, dtype=None, copy=None)\n--\n\nA NumPy array, a view where it can be."},
    {"__array_ufunc__", METHOD(tensor_array_ufunc), METH_VARARGS | METH_KEYWORDS,
     "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\n"
     "NumPy's functions: arrays, but for a sign between an array and a tensor."},
    {"__dlpack__", METHOD(tensor_to_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule, the versioned one where `max_version` allows it."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\n(1, 0): the CPU."},
    {"__copy__", copy, METH_NOARGS, "__copy__($self, /)\n--\n\nA copy with its own memory."},
    {"__deepcopy__", copy, METH_O, "__deepcopy__($self, memo, /)\n--\n\nAs __copy__."},
    {"tobytes", to_bytes, METH_NOARGS, "tobytes($self, /)\n--\n\nThe elements' bytes, packed."},
    {"__bytes__", to_bytes, METH_NOARGS, "__bytes__($self, /)\n--\n\nThe elements' bytes, packed."},
    {"__reduce_ex__", reduce_ex, METH_VARARGS, "__reduce_ex__($self, protocol, /)\n--\n\nPickles."},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(tensor_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Tensor(data, dtype=None, device=None, layout=None)\n--\n\n"
                "One sample: numbers of one type in a rectangle of axes."},
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_repr, repr},
    {Py_tp_hash, PyObject_HashNotImplemented},
    ARITH_SLOTS,
    {Py_mp_length, length},
    {Py_mp_subscript, tensor_subscript},
    {Py_sq_length, length},
    {Py_sq_item, get_row},
    {Py_sq_contains, contains},
    {Py_tp_iter, iterate},
    {Py_nb_float, as_float},
    {Py_nb_int, as_int},
    {Py_nb_index, as_index},
    {Py_nb_bool, as_bool},
    {Py_bf_getbuffer, tensor_get_buffer},
    {Py_bf_releasebuffer, tensor_release_buffer},
    {0, NULL},
};

PyType_Spec tensor_spec = {
    .name = "headrace.Tensor",
    .basicsize = sizeof(tensor_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
