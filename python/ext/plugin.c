/* Operators that other packages bring (headrace/plugin.h): the table of functions that they call,
 * and their way into `ops`. */
#include <headrace/plugin.h>

#include <string.h>

#include "ext.h"

static const hr_plugin_table table = {
    .size = sizeof(hr_plugin_table),
    .abi = HR_PLUGIN_ABI,
#define ENTRY(result, name, parameters) .name = hr_##name,
    HR_PLUGIN_MAP(ENTRY)
#undef ENTRY
};

int add_plugin_table(PyObject *module)
{
    PyObject *capsule = PyCapsule_New((void *)(uintptr_t)&table, HR_PLUGIN_TABLE, NULL);
    int bad = !capsule || PyModule_AddObjectRef(module, "_plugin_table", capsule) < 0;
    Py_XDECREF(capsule);
    return bad ? -1 : 0;
}

/* "garden.invert": words of letters, digits and _, none beginning with a digit or _, with dots
 * between them. */
static int is_name(const char *name)
{
    int starts = 1;
    for (const char *p = name; *p; p++) {
        int letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
        int inner = letter || (*p >= '0' && *p <= '9') || *p == '_';
        if (starts ? !letter : !inner && *p != '.') return 0;
        starts = *p == '.';
    }
    return !starts;
}

/* NULL, or what is wrong with the descriptor in words. */
static const char *fault_of(const hr_op_desc *op)
{
    if (!op->name || !is_name(op->name)) return "its name is not one";
    if (op->n_ins < 0 || (op->n_ins > 0 && !op->ins)) return "it has no inputs where it says so";
    if (op->n_args < 0 || op->n_args > 64 || (op->n_args > 0 && !op->args))
        return "it has no arguments where it says so, or over 64";
    if (op->n_out < 1 || op->n_out > 8) return "its number of outputs is outside 1..8";
    if (!op->infer) return "`infer` is missing";
    if (!op->run && !(op->flags & HR_OP_VIEW)) return "`run` is missing";
    for (int i = 0; i < op->n_ins; i++)
        if (!op->ins[i].name) return "an input has no name";
    for (int i = 0; i < op->n_args; i++) {
        const hr_arg_desc *a = &op->args[i];
        if (!a->name || !is_name(a->name) || strchr(a->name, '.')) return "an argument has no name";
        if (a->kind < HR_ARG_BOOL || a->kind > HR_ARG_STRS) return "an argument is of unknown kind";
        if (a->kind == HR_ARG_CHOICE && !a->choices) return "a choice has no choices";
        if (a->offset >= op->args_size) return "an argument lies outside of the struct";
    }
    return NULL;
}

PyObject *module_add_operator(PyObject *module, PyObject *capsule)
{
    mod_state *st = state_of_module(module);
    if (!PyCapsule_CheckExact(capsule))
        return PyErr_Format(PyExc_TypeError, "an operator comes as a capsule of "
                            "hr_plugin_operator(), got %.100s", Py_TYPE(capsule)->tp_name);
    const char *kind = PyCapsule_GetName(capsule);
    if (!kind || strcmp(kind, HR_PLUGIN_OPERATOR) != 0)
        return PyErr_Format(PyExc_TypeError, "a capsule \"%.100s\" is no operator of this Headrace, "
                            "which takes \"%s\"", kind ? kind : "", HR_PLUGIN_OPERATOR);
    const hr_op_desc *op = PyCapsule_GetPointer(capsule, HR_PLUGIN_OPERATOR);
    if (!op) return NULL;
    const char *fault = fault_of(op);
    if (fault)
        return PyErr_Format(PyExc_ValueError, "operator %.100s: %s", op->name ? op->name : "?", fault);
    PyObject *ops = PyObject_GetAttrString(module, "ops");
    PyObject *there = ops ? PyDict_GetItemString(ops, op->name) : NULL;
    PyObject *out = NULL;
    if (there)
        PyErr_Format(PyExc_ValueError, "operator %.100s: there is one of that name", op->name);
    else if (ops && (out = op_create(st, op)) && PyDict_SetItemString(ops, op->name, out) < 0)
        Py_CLEAR(out);
    Py_XDECREF(ops);
    return out;
}
