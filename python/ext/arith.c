/* The number protocol of tensors and batches: each sign is an operator call. A Python int counts
 * as int32, a float as float32; NumPy's scalars and arrays keep their type. */
#include "arith.h"

#include "invariant.h"


static int is_ours(mod_state *st, PyObject *o) { return is_tensor(st, o) || is_batch(st, o); }

/* What may stand beside a tensor: the rest is for its own type to answer. */
static int is_operand(mod_state *st, PyObject *o)
{
    return is_ours(st, o) || PyLong_Check(o) || PyFloat_Check(o) || PyObject_CheckBuffer(o) ||
           PyList_Check(o) || PyTuple_Check(o) ||
           PyObject_HasAttr((PyObject *)Py_TYPE(o), st->str_array_interface) ||
           PyObject_HasAttr((PyObject *)Py_TYPE(o), st->str_array) ||
           PyObject_HasAttr((PyObject *)Py_TYPE(o), st->str_dlpack);
}

static mod_state *state_of_either(PyObject *a, PyObject *b)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(a), &hr_module_def);
    if (!module) {
        PyErr_Clear();
        module = PyType_GetModuleByDef(Py_TYPE(b), &hr_module_def);
    }
    return module ? PyModule_GetState(module) : NULL;
}

static PyObject *call_sign(mod_state *st, hr_sign which, PyObject *a, PyObject *b)
{
    PyObject *args[2] = {a, b};
    return PyObject_Vectorcall(st->signs[which], args, b ? 2 : 1, NULL);
}

static PyObject *binary(PyObject *a, PyObject *b, hr_sign which)
{
    mod_state *st = state_of_either(a, b);
    if (!st) return NULL;
    a = invariant_value(a);
    b = invariant_value(b);
    if (!is_operand(st, a) || !is_operand(st, b)) Py_RETURN_NOTIMPLEMENTED;
    return call_sign(st, which, a, b);
}

#define BINARY(name, which)                                                            \
    PyObject *arith_##name(PyObject *a, PyObject *b) { return binary(a, b, which); }
BINARY(add, SIGN_ADD)
BINARY(sub, SIGN_SUB)
BINARY(mul, SIGN_MUL)
BINARY(div, SIGN_DIV)
BINARY(floordiv, SIGN_FLOORDIV)
BINARY(mod, SIGN_MOD)
BINARY(and, SIGN_AND)
BINARY(or, SIGN_OR)
BINARY(xor, SIGN_XOR)
BINARY(shl, SIGN_SHL)
BINARY(shr, SIGN_SHR)

PyObject *arith_pow(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus == Py_None) return binary(a, b, SIGN_POW);
    PyErr_SetString(PyExc_TypeError, "pow() of a tensor takes no modulus");
    return NULL;
}

PyObject *arith_neg(PyObject *a) { return call_sign(state_of(a), SIGN_NEG, a, NULL); }
PyObject *arith_pos(PyObject *a) { return Py_NewRef(a); }
PyObject *arith_abs(PyObject *a) { return call_sign(state_of(a), SIGN_ABS, a, NULL); }
PyObject *arith_invert(PyObject *a) { return call_sign(state_of(a), SIGN_INVERT, a, NULL); }

PyObject *arith_compare(PyObject *a, PyObject *b, int op)
{
    static const hr_sign signs[] = {[Py_LT] = SIGN_LT, [Py_LE] = SIGN_LE, [Py_EQ] = SIGN_EQ,
                                    [Py_NE] = SIGN_NE, [Py_GT] = SIGN_GT, [Py_GE] = SIGN_GE};
    return binary(a, b, signs[op]);
}

/* NumPy's arrays and scalars leave `array + batch` to us: their own answer would be an array of
 * objects. */
static int claim_numpy(PyTypeObject *type)
{
    int bad = PyDict_SetItemString(type->tp_dict, "__array_ufunc__", Py_None);
    PyType_Modified(type);
    return bad;
}

/* `array + tensor` and NumPy's functions of tensors: rare enough for Python. */
PyObject *tensor_array_ufunc(PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *f = PyObject_GetAttrString(state_of(self)->slow, "tensor_ufunc");
    PyObject *out = f ? PyObject_Call(f, args, kw) : NULL;
    Py_XDECREF(f);
    return out;
}

int add_signs(mod_state *st, PyObject *ops)
{
    if (claim_numpy(st->batch_type) < 0) return -1;
    static const char *const names[N_SIGNS] = {
        [SIGN_ADD] = "operator +", [SIGN_SUB] = "operator -", [SIGN_MUL] = "operator *",
        [SIGN_DIV] = "operator /", [SIGN_FLOORDIV] = "operator //",
        [SIGN_MOD] = "operator %", [SIGN_POW] = "operator **", [SIGN_AND] = "operator &",
        [SIGN_OR] = "operator |", [SIGN_XOR] = "operator ^", [SIGN_SHL] = "operator <<",
        [SIGN_SHR] = "operator >>", [SIGN_EQ] = "operator ==", [SIGN_NE] = "operator !=",
        [SIGN_LT] = "operator <", [SIGN_LE] = "operator <=", [SIGN_GT] = "operator >",
        [SIGN_GE] = "operator >=", [SIGN_NEG] = "operator -x", [SIGN_INVERT] = "operator ~",
        [SIGN_ABS] = "math.abs"};
    for (int i = 0; i < N_SIGNS; i++) {
        st->signs[i] = Py_XNewRef(PyDict_GetItemString(ops, names[i]));
        if (st->signs[i]) continue;
        PyErr_Format(PyExc_SystemError, "operator %s is missing", names[i]);
        return -1;
    }
    return 0;
}
