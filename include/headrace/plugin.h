/* Operators in Python packages of others: descriptors as in op.h, handed to Headrace through the
 * entry-point group "headrace.operators". Such a package links with nothing: it includes this
 * header, and the functions it names are found at run time. examples/plugin/ is a whole one.
 *
 *   #include <Python.h>
 *   #include <headrace/plugin.h>
 *   static const hr_op_desc invert = {...};
 *   // in the module's init: hr_plugin_import() >= 0
 *   // what the entry point names: a list of hr_plugin_operator(&invert), or a function giving it
 *
 * Only one file of an extension may include this header, or each calls hr_plugin_import.
 * Thread use: the table is constant. */
#ifndef HR_PLUGIN_H
#define HR_PLUGIN_H

#include <headrace/dtype.h>
#include <headrace/error.h>
#include <headrace/op.h>
#include <headrace/rng.h>
#include <headrace/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the layout of any struct that descriptors and their functions see. */
#define HR_PLUGIN_ABI 1
#define HR_PLUGIN_TABLE "headrace._core._plugin_table" /* capsule with the table */
#define HR_PLUGIN_OPERATOR "headrace.operator.1"      /* capsule with an hr_op_desc; ends in the ABI */

/* What operators call. */
#define HR_PLUGIN_MAP(X)                                                               \
    X(hr_status, fail, (hr_error *, hr_status, const char *, ...))                     \
    X(hr_status, fail_errno, (hr_error *, int, const char *, ...))                     \
    X(void, error_prefix, (hr_error *, const char *, ...))                             \
    X(void *, arena_take, (hr_arena *, size_t))                                        \
    X(int, call_has, (const hr_call *, const char *))                                  \
    X(float, float_absent, (void))                                                     \
    X(int, float_is_absent, (float))                                                   \
    X(const hr_dtype_info *, dtype_get_info, (hr_dtype))                               \
    X(size_t, dtype_size, (hr_dtype))                                                  \
    X(void, dtype_convert, (hr_dtype, void *, hr_dtype, const void *, size_t))         \
    X(hr_status, tensor_shape, (hr_tensor *, hr_dtype, int, const int64_t *, hr_error *)) \
    X(int64_t, tensor_size, (const hr_tensor *))                                       \
    X(size_t, tensor_nbytes, (const hr_tensor *))                                      \
    X(int, tensor_is_contiguous, (const hr_tensor *))                                  \
    X(void, tensor_pack, (void *, const hr_tensor *))                                  \
    X(hr_status, tensor_set_layout, (hr_tensor *, const char *, hr_error *))           \
    X(int, layout_find, (const char *, char))                                          \
    X(uint32_t, rng_next, (hr_rng *))                                                  \
    X(void, rng_skip, (hr_rng *, uint64_t))                                            \
    X(hr_rng, rng_of_element, (const hr_rng *, uint64_t))

typedef struct hr_plugin_table {
    size_t size; /* of the struct: a later Headrace may have more at its end */
    int abi;     /* HR_PLUGIN_ABI of the Headrace that runs */
#define HR_PLUGIN_MEMBER(result, name, parameters) result(*name) parameters;
    HR_PLUGIN_MAP(HR_PLUGIN_MEMBER)
#undef HR_PLUGIN_MEMBER
} hr_plugin_table;

/* Headrace itself includes this for the table alone. */
#if defined(Py_PYTHON_H) && !defined(HR_BUILDING)

static const hr_plugin_table *hr_plugin;

/* 0; -1 with ImportError where Headrace is missing or has another ABI. */
static inline int hr_plugin_import(void)
{
    PyObject *package = PyImport_ImportModule("headrace._core");
    Py_XDECREF(package);
    if (!package) return -1;
    hr_plugin = (const hr_plugin_table *)PyCapsule_Import(HR_PLUGIN_TABLE, 0);
    if (!hr_plugin) return -1;
    if (hr_plugin->abi == HR_PLUGIN_ABI && hr_plugin->size >= sizeof(hr_plugin_table)) return 0;
    PyErr_Format(PyExc_ImportError, "built for operators of ABI %d, this Headrace has ABI %d",
                 HR_PLUGIN_ABI, hr_plugin->abi);
    return -1;
}

/* The descriptor, which must never go away, as the entry point hands it over. */
static inline PyObject *hr_plugin_operator(const hr_op_desc *op)
{
    return PyCapsule_New((void *)(uintptr_t)op, HR_PLUGIN_OPERATOR, NULL);
}

#define hr_fail hr_plugin->fail
#define hr_fail_errno hr_plugin->fail_errno
#define hr_error_prefix hr_plugin->error_prefix
#define hr_arena_take hr_plugin->arena_take
#define hr_call_has hr_plugin->call_has
#define hr_float_absent hr_plugin->float_absent
#define hr_float_is_absent hr_plugin->float_is_absent
#define hr_dtype_get_info hr_plugin->dtype_get_info
#define hr_dtype_size hr_plugin->dtype_size
#define hr_dtype_convert hr_plugin->dtype_convert
#define hr_tensor_shape hr_plugin->tensor_shape
#define hr_tensor_size hr_plugin->tensor_size
#define hr_tensor_nbytes hr_plugin->tensor_nbytes
#define hr_tensor_is_contiguous hr_plugin->tensor_is_contiguous
#define hr_tensor_pack hr_plugin->tensor_pack
#define hr_tensor_set_layout hr_plugin->tensor_set_layout
#define hr_layout_find hr_plugin->layout_find
#define hr_rng_next hr_plugin->rng_next
#define hr_rng_skip hr_plugin->rng_skip
#define hr_rng_of_element hr_plugin->rng_of_element

#endif

#ifdef __cplusplus
}
#endif
#endif
