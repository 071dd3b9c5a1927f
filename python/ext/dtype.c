/* DType: element types as Python objects, one object a type. */
#include "ext.h"

#include "invariant.h"

#include <string.h>

static const char *kind_name(hr_dtype_kind kind)
{
    static const char *const names[] = {"unsigned", "signed", "float", "bool", "enum"};
    return names[kind];
}

static const hr_dtype_info *info_of(PyObject *self)
{
    return hr_dtype_get_info(((dtype_object *)self)->id);
}

static PyObject *get_kind(PyObject *self, void *closure)
{
    PyObject *slow = state_of(self)->slow;
    return PyObject_CallMethod(slow, "dtype_kind", "s", kind_name(info_of(self)->kind));
}

static PyObject *get_name(PyObject *self, void *closure)
{
    return PyUnicode_FromString(info_of(self)->name);
}

static PyObject *get_type_id(PyObject *self, void *closure)
{
    mod_state *st = state_of(self);
    return PyObject_CallFunction(st->data_type_enum, "i", (int)((dtype_object *)self)->id);
}

enum { FIELD_BITS, FIELD_BYTES, FIELD_EXPONENT, FIELD_SIGNIFICAND };

static PyObject *get_number(PyObject *self, void *closure)
{
    const hr_dtype_info *i = info_of(self);
    intptr_t field = (intptr_t)closure;
    if (field >= FIELD_EXPONENT && i->kind != HR_KIND_FLOAT) Py_RETURN_NONE;
    switch (field) {
    case FIELD_BITS: return PyLong_FromLong(i->bits);
    case FIELD_BYTES: return PyLong_FromLong(i->bytes);
    case FIELD_EXPONENT: return PyLong_FromLong(i->exponent_bits);
    default: return PyLong_FromLong(i->significand_bits);
    }
}

static PyGetSetDef getset[] = {
    {"kind", get_kind, NULL, "One of DType.Kind: signed, unsigned, float, bool, enum.", NULL},
    {"name", get_name, NULL, "The short name: 'u8', 'f32'.", NULL},
    {"type_id", get_type_id, NULL, "The value in headrace.types.DALIDataType.", NULL},
    {"bits", get_number, NULL, "Bits of an element.", (void *)FIELD_BITS},
    {"bytes", get_number, NULL, "Bytes of an element.", (void *)FIELD_BYTES},
    {"exponent_bits", get_number, NULL, "Bits of the exponent; None but for floats.",
     (void *)FIELD_EXPONENT},
    {"significand_bits", get_number, NULL, "Stored bits of the significand; None but for floats.",
     (void *)FIELD_SIGNIFICAND},
    {0},
};

PyObject *dtype_get(mod_state *st, hr_dtype id)
{
    PyObject *key = PyLong_FromLong(id), *out = NULL;
    if (!key) return NULL;
    int found = PyDict_GetItemRef(st->dtypes, key, &out);
    Py_DECREF(key);
    if (found == 0) PyErr_Format(PyExc_ValueError, "%d is no dtype", (int)id);
    return out;
}

static hr_dtype dtype_of_text(PyObject *text)
{
    const char *s = PyUnicode_AsUTF8(text);
    if (!s) {
        PyErr_Clear();
        return HR_DTYPE_NONE;
    }
    if (!strncmp(s, "torch.", 6)) s += 6; /* str(torch.uint8) */
    return hr_dtype_parse(s);
}

/* numpy.dtype, numpy scalar types, torch and ml_dtypes types: by the name they carry. */
static int dtype_of_foreign(PyObject *obj, hr_dtype *out)
{
    static const char *const attrs[] = {"name", "__name__"};
    *out = HR_DTYPE_NONE;
    for (int i = 0; i < 2 && *out == HR_DTYPE_NONE; i++) {
        PyObject *name;
        int found = PyObject_GetOptionalAttrString(obj, attrs[i], &name);
        if (found < 0) return -1;
        if (found && PyUnicode_Check(name)) *out = dtype_of_text(name);
        Py_XDECREF(name);
    }
    if (*out != HR_DTYPE_NONE) return 0;
    PyObject *text = PyObject_Str(obj);
    if (!text) return -1;
    *out = dtype_of_text(text);
    Py_DECREF(text);
    return 0;
}

int dtype_from_object(mod_state *st, PyObject *obj, hr_dtype *out)
{
    *out = HR_DTYPE_NONE;
    obj = invariant_value(obj);
    if (Py_IS_TYPE(obj, st->dtype_type)) {
        *out = ((dtype_object *)obj)->id;
        return 0;
    }
    if (PyUnicode_Check(obj)) {
        *out = dtype_of_text(obj);
    } else if (obj == (PyObject *)&PyBool_Type) {
        *out = HR_BOOL;
    } else if (obj == (PyObject *)&PyLong_Type) {
        *out = HR_I64;
    } else if (obj == (PyObject *)&PyFloat_Type) {
        *out = HR_F32; /* as Python's floats are counted here */
    } else if (PyLong_Check(obj) && !PyBool_Check(obj)) {
        long id = PyLong_AsLong(obj);
        if (id == -1 && PyErr_Occurred()) PyErr_Clear();
        else if (id == (int)id && hr_dtype_get_info((hr_dtype)id)) *out = (hr_dtype)id;
    } else if (dtype_of_foreign(obj, out) < 0) {
        return -1;
    }
    if (*out != HR_DTYPE_NONE) return 0;
    PyErr_Format(PyUnicode_Check(obj) || PyLong_Check(obj) ? PyExc_ValueError : PyExc_TypeError,
                 "%R is no dtype: give a DType, a name such as 'u8' or 'uint8', or a NumPy or "
                 "torch dtype", obj);
    return -1;
}

PyObject *module_dtype(PyObject *module, PyObject *obj)
{
    mod_state *st = state_of_module(module);
    hr_dtype id;
    return dtype_from_object(st, obj, &id) < 0 ? NULL : dtype_get(st, id);
}

static PyObject *from_object(PyObject *cls, PyObject *obj)
{
    mod_state *st = PyType_GetModuleState((PyTypeObject *)cls);
    hr_dtype id;
    return dtype_from_object(st, obj, &id) < 0 ? NULL : dtype_get(st, id);
}

/* The class methods differ in the name of their argument only, which is the peer's. */
#define FROM_OBJECT(function, argument) \
    static PyObject *function(PyObject *cls, PyObject *args, PyObject *kw) \
    { \
        PyObject *obj = only_argument(args, kw, #function, argument); \
        return obj ? from_object(cls, obj) : NULL; \
    }
FROM_OBJECT(from_type_id, "type_id")
FROM_OBJECT(from_fw_type, "numpy_type")
FROM_OBJECT(from_numpy, "numpy_type")
FROM_OBJECT(parse, "name")

static PyObject *dtype_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    PyObject *obj;
    if (!PyArg_ParseTuple(args, "O:DType", &obj)) return NULL;
    return from_object((PyObject *)type, obj);
}

static PyObject *dtype_reduce(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("O(s)", Py_TYPE(self), info_of(self)->name);
}

#define METHOD(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef methods[] = {
    {"from_type_id", METHOD(from_type_id), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_type_id(type_id)\n--\n\nThe DType of an enumeration value."},
    {"from_fw_type", METHOD(from_fw_type), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_fw_type(numpy_type)\n--\n\nThe DType of a NumPy, torch or ml_dtypes dtype."},
    {"from_numpy", METHOD(from_numpy), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_numpy(numpy_type)\n--\n\nThe DType of a NumPy dtype."},
    {"parse", METHOD(parse), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "parse(name)\n--\n\nThe DType of a name such as 'u8' or 'uint8'."},
    {"__reduce__", dtype_reduce, METH_NOARGS, NULL},
    {0},
};

static PyObject *dtype_str(PyObject *self) { return get_name(self, NULL); }

static PyObject *dtype_repr(PyObject *self)
{
    const hr_dtype_info *i = info_of(self);
    if (i->kind != HR_KIND_FLOAT)
        return PyUnicode_FromFormat("DType(kind=Kind.%s, bits=%d)", kind_name(i->kind), i->bits);
    return PyUnicode_FromFormat("DType(kind=Kind.float, bits=%d, exponent_bits=%d, "
                                "significand_bits=%d)", i->bits, i->exponent_bits,
                                i->significand_bits);
}

static Py_hash_t dtype_hash(PyObject *self) { return ((dtype_object *)self)->id + 1000003; }

static PyObject *dtype_compare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE) || Py_TYPE(a) != Py_TYPE(b)) Py_RETURN_NOTIMPLEMENTED;
    int equal = ((dtype_object *)a)->id == ((dtype_object *)b)->id;
    return PyBool_FromLong(equal == (op == Py_EQ));
}


static void dtype_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "An element type. Compares and hashes by meaning; str() gives the short name."},
    {Py_tp_new, dtype_new},
    {Py_tp_dealloc, dtype_dealloc},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_str, dtype_str},
    {Py_tp_repr, dtype_repr},
    {Py_tp_hash, dtype_hash},
    {Py_tp_richcompare, dtype_compare},
    {0, NULL},
};

PyType_Spec dtype_spec = {
    .name = "headrace.DType",
    .basicsize = sizeof(dtype_object),
    .flags = Py_TPFLAGS_DEFAULT, /* DType.Kind is set on it once */
    .slots = slots,
};

int add_dtypes(PyObject *module, mod_state *st)
{
    if (!(st->dtypes = PyDict_New())) return -1;
    const hr_dtype_info *info;
    for (int i = 0; (info = hr_dtype_at(i)) != NULL; i++) {
        dtype_object *d = PyObject_New(dtype_object, st->dtype_type);
        PyObject *key = PyLong_FromLong(info->id);
        if (d) d->id = info->id;
        int bad = !d || !key || PyDict_SetItem(st->dtypes, key, (PyObject *)d) < 0 ||
                  PyModule_AddObjectRef(module, info->kind == HR_KIND_ENUM
                                                    ? info->name : info->numpy_name,
                                        (PyObject *)d) < 0;
        Py_XDECREF(key);
        Py_XDECREF(d);
        if (bad) return -1;
    }
    return 0;
}
