/* Tensors out by the buffer protocol, __array_interface__, __array__ and as Python numbers. */
#include "ext.h"

#include <stdio.h>

static const char *format_of(hr_dtype dtype)
{
    switch (dtype) {
    case HR_U8: return "B";
    case HR_U16: return "H";
    case HR_U32: return "I";
    case HR_U64: return "Q";
    case HR_I8: return "b";
    case HR_I16: return "h";
    case HR_I32:
    case HR_DATA_TYPE:
    case HR_IMAGE_TYPE:
    case HR_INTERP_TYPE: return "i";
    case HR_I64: return "q";
    case HR_F16: return "e";
    case HR_F32: return "f";
    case HR_F64: return "d";
    case HR_BOOL: return "?";
    case HR_BF16:
    case HR_DTYPE_NONE: break;
    }
    return NULL;
}

int tensor_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    const hr_tensor *t = tensor_of(self);
    const char *format = format_of(t->dtype);
    int readonly = t->buf && t->buf->readonly;
    view->obj = NULL;
    if (!format) {
        PyErr_SetString(PyExc_BufferError, "bfloat16 has no buffer format; use DLPack "
                        "(torch.from_dlpack) instead");
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) && readonly) {
        PyErr_SetString(PyExc_BufferError, "the tensor shares read-only memory");
        return -1;
    }
    int packed = hr_tensor_is_contiguous(t);
    if (!packed && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "the tensor is strided, the request is not");
        return -1;
    }
    _Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "extents are handed out as they are");
    *view = (Py_buffer){
        .buf = t->data, .len = (Py_ssize_t)hr_tensor_nbytes(t),
        .itemsize = (Py_ssize_t)hr_dtype_size(t->dtype), .readonly = readonly,
        .ndim = flags & PyBUF_ND ? t->ndim : 1,
        .format = flags & PyBUF_FORMAT ? (char *)format : NULL,
        .shape = flags & PyBUF_ND ? (Py_ssize_t *)(uintptr_t)t->shape : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
                       ? (Py_ssize_t *)(uintptr_t)t->stride : NULL,
    };
    if (!view->shape) view->ndim = 1;
    view->obj = Py_NewRef(self);
    return 0;
}

void tensor_release_buffer(PyObject *self, Py_buffer *view) { (void)self; (void)view; }

PyObject *tensor_array_interface(PyObject *self, void *closure)
{
    const hr_tensor *t = tensor_of(self);
    static const char kinds[] = {'u', 'i', 'f', 'b', 'i'};
    const hr_dtype_info *info = hr_dtype_get_info(t->dtype);
    if (t->dtype == HR_BF16) {
        PyErr_SetString(PyExc_AttributeError, "__array_interface__ has no bfloat16; use DLPack");
        return NULL;
    }
    const uint16_t one = 1;
    char order = info->bytes == 1 ? '|' : *(const uint8_t *)&one ? '<' : '>';
    char typestr[8];
    snprintf(typestr, sizeof typestr, "%c%c%d", order, kinds[info->kind], info->bytes);
    PyObject *shape = tuple_of_extents(t->shape, t->ndim);
    PyObject *strides = hr_tensor_is_contiguous(t) ? Py_NewRef(Py_None) /* as NumPy; Pillow wants it */
                                                   : tuple_of_extents(t->stride, t->ndim);
    PyObject *out = NULL;
    if (shape && strides)
        out = Py_BuildValue("{s:i,s:s,s:O,s:O,s:(KO)}", "version", 3, "typestr", typestr,
                            "shape", shape, "strides", strides, "data",
                            (unsigned long long)(uintptr_t)t->data,
                            t->buf && t->buf->readonly ? Py_True : Py_False);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return out;
}

PyObject *tensor_array(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    PyObject *f = PyObject_GetAttrString(state_of(self)->slow, "tensor_array");
    Py_ssize_t n_all = n + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject **all = f ? PyMem_Malloc(sizeof *all * (size_t)(n_all + 1)) : NULL;
    if (!all) {
        Py_XDECREF(f);
        return f ? PyErr_NoMemory() : NULL;
    }
    all[0] = self;
    for (Py_ssize_t i = 0; i < n_all; i++) all[i + 1] = args[i];
    PyObject *out = PyObject_Vectorcall(f, all, (size_t)(n + 1), kwnames);
    PyMem_Free(all);
    Py_DECREF(f);
    return out;
}

PyObject *element_to_object(hr_dtype dtype, const void *data)
{
    const hr_dtype_info *info = hr_dtype_get_info(dtype);
    double real;
    int64_t whole;
    uint64_t natural;
    switch (info->kind) {
    case HR_KIND_BOOL: return PyBool_FromLong(*(const uint8_t *)data != 0);
    case HR_KIND_FLOAT:
        hr_dtype_convert(HR_F64, &real, dtype, data, 1);
        return PyFloat_FromDouble(real);
    case HR_KIND_UNSIGNED:
        hr_dtype_convert(HR_U64, &natural, dtype, data, 1);
        return PyLong_FromUnsignedLongLong(natural);
    default:
        hr_dtype_convert(HR_I64, &whole, dtype, data, 1);
        return PyLong_FromLongLong(whole);
    }
}

static PyObject *axis_to_list(const hr_tensor *t, int axis, const char *data)
{
    if (axis == t->ndim) return element_to_object(t->dtype, data);
    PyObject *out = PyList_New((Py_ssize_t)t->shape[axis]);
    for (Py_ssize_t i = 0; out && i < t->shape[axis]; i++) {
        PyObject *item = axis_to_list(t, axis + 1, data + i * t->stride[axis]);
        if (!item) Py_CLEAR(out);
        else PyList_SET_ITEM(out, i, item);
    }
    return out;
}

PyObject *tensor_to_list(const hr_tensor *t) { return axis_to_list(t, 0, t->data); }
