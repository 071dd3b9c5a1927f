/* The number protocol that Tensor and Batch share. */
#ifndef HR_EXT_ARITH_H
#define HR_EXT_ARITH_H

#include "ext.h"

PyObject *arith_add(PyObject *a, PyObject *b);
PyObject *arith_sub(PyObject *a, PyObject *b);
PyObject *arith_mul(PyObject *a, PyObject *b);
PyObject *arith_div(PyObject *a, PyObject *b);
PyObject *arith_floordiv(PyObject *a, PyObject *b);
PyObject *arith_mod(PyObject *a, PyObject *b);
PyObject *arith_pow(PyObject *a, PyObject *b, PyObject *modulus);
PyObject *arith_and(PyObject *a, PyObject *b);
PyObject *arith_or(PyObject *a, PyObject *b);
PyObject *arith_xor(PyObject *a, PyObject *b);
PyObject *arith_shl(PyObject *a, PyObject *b);
PyObject *arith_shr(PyObject *a, PyObject *b);
PyObject *arith_neg(PyObject *a);
PyObject *arith_pos(PyObject *a);
PyObject *arith_abs(PyObject *a);
PyObject *arith_invert(PyObject *a);
PyObject *arith_compare(PyObject *a, PyObject *b, int op);

PyObject *tensor_array_ufunc(PyObject *self, PyObject *args, PyObject *kw);

/* The slots of a type. */
#define ARITH_SLOTS                                                                    \
    {Py_nb_add, arith_add}, {Py_nb_subtract, arith_sub}, {Py_nb_multiply, arith_mul},  \
    {Py_nb_true_divide, arith_div}, {Py_nb_floor_divide, arith_floordiv},              \
    {Py_nb_remainder, arith_mod}, {Py_nb_power, arith_pow}, {Py_nb_and, arith_and},    \
    {Py_nb_or, arith_or}, {Py_nb_xor, arith_xor}, {Py_nb_lshift, arith_shl},           \
    {Py_nb_rshift, arith_shr}, {Py_nb_negative, arith_neg},                            \
    {Py_nb_positive, arith_pos}, {Py_nb_absolute, arith_abs},                          \
    {Py_nb_invert, arith_invert}, {Py_tp_richcompare, arith_compare}

int add_signs(mod_state *st, PyObject *ops);

#endif
