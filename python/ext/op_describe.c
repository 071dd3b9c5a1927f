/* The descriptor as plain data, for signatures, documents, stubs and tests. */
#include "op.h"

static PyObject *names_of_dtypes(uint64_t set)
{
    PyObject *out = PyList_New(0);
    const hr_dtype_info *info;
    for (int i = 0; out && (info = hr_dtype_at(i)) != NULL; i++) {
        if (set && !(set & HR_DTYPES(info->id))) continue;
        PyObject *name = PyUnicode_FromString(info->kind == HR_KIND_ENUM ? info->name
                                                                         : info->numpy_name);
        if (!name || PyList_Append(out, name) < 0) Py_CLEAR(out);
        Py_XDECREF(name);
    }
    return out;
}

static PyObject *describe_input(const hr_in_desc *d)
{
    return Py_BuildValue(
        "{s:s,s:O,s:O,s:O,s:N,s:s,s:i,s:i,s:s}", "name", d->name, "optional",
        d->flags & HR_IN_OPTIONAL ? Py_True : Py_False, "variadic",
        d->flags & HR_IN_VARIADIC ? Py_True : Py_False, "encoded",
        d->flags & HR_IN_ENCODED ? Py_True : Py_False, "dtypes", names_of_dtypes(d->dtypes),
        "layouts", d->layouts ? d->layouts : "", "min_ndim", d->min_ndim, "max_ndim",
        d->max_ndim, "doc", d->doc ? d->doc : "");
}

static PyObject *describe_argument(const hr_arg_desc *a)
{
    static const char *const kinds[] = {
        [HR_ARG_BOOL] = "bool", [HR_ARG_INT] = "int", [HR_ARG_FLOAT] = "float",
        [HR_ARG_STR] = "str", [HR_ARG_CHOICE] = "choice", [HR_ARG_DTYPE] = "dtype",
        [HR_ARG_IMAGE_TYPE] = "image_type", [HR_ARG_INTERP] = "interp",
        [HR_ARG_LAYOUT] = "layout", [HR_ARG_INTS] = "ints", [HR_ARG_FLOATS] = "floats",
        [HR_ARG_STRS] = "strs"};
    return Py_BuildValue(
        "{s:s,s:s,s:O,s:O,s:O,s:O,s:O,s:z,s:d,s:d,s:i,s:i,s:z,s:s}", "name", a->name, "kind",
        kinds[a->kind], "required", a->flags & HR_REQUIRED ? Py_True : Py_False, "per_sample",
        a->flags & HR_PER_SAMPLE ? Py_True : Py_False, "hint",
        a->flags & HR_HINT ? Py_True : Py_False, "deprecated",
        a->flags & HR_DEPRECATED ? Py_True : Py_False, "adds_output",
        a->flags & HR_ADDS_OUTPUT ? Py_True : Py_False, "initial", a->initial, "min", a->min,
        "max", a->max, "min_n", a->min_n, "max_n", a->max_n, "choices", a->choices, "doc",
        a->doc ? a->doc : "");
}

PyObject *describe_arguments(const hr_arg_desc *args, int n)
{
    PyObject *out = PyList_New(n);
    for (int i = 0; out && i < n; i++) {
        PyObject *one = describe_argument(&args[i]);
        if (!one) Py_CLEAR(out);
        else PyList_SET_ITEM(out, i, one);
    }
    return out;
}

PyObject *op_describe(PyObject *self, PyObject *unused)
{
    const hr_op_desc *op = ((op_object *)self)->op;
    PyObject *ins = PyList_New(op->n_ins), *args = describe_arguments(op->args, op->n_args);
    for (int i = 0; ins && i < op->n_ins; i++) {
        PyObject *one = describe_input(&op->ins[i]);
        if (!one) Py_CLEAR(ins);
        else PyList_SET_ITEM(ins, i, one);
    }
    if (!ins || !args) {
        Py_XDECREF(ins);
        Py_XDECREF(args);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:O,s:O,s:O,s:O,s:i,s:s,s:N,s:N}", "name", op->name, "doc",
                         op->doc ? op->doc : "", "example", op->example ? op->example : "",
                         "named", op_takes_names(op) ? Py_True : Py_False,
                         "random", op->flags & HR_OP_RANDOM ? Py_True : Py_False, "batchwise",
                         op->flags & HR_OP_BATCHWISE ? Py_True : Py_False, "view",
                         op->flags & HR_OP_VIEW ? Py_True : Py_False, "n_out", op->n_out,
                         "outs", op->outs ? op->outs : "", "ins", ins, "args", args);
}
