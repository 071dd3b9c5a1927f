/* Values marked by capture.invariant(): transparent proxies. A proxy's type is made for the type of
 * its value, with that type's slots and no others, so that each protocol is there or missing as it is
 * for the value. */
#ifndef HR_EXT_INVARIANT_H
#define HR_EXT_INVARIANT_H

#include "ext.h"

typedef struct invariant_object {
    PyObject_HEAD
    PyObject *value; /* never NULL, never a proxy */
    PyObject *weakrefs;
} invariant_object;

void invariant_dealloc(PyObject *self);

/* Is it a proxy? All their types have this one destructor, and no other type has it. */
static inline int is_invariant(PyObject *o)
{
    return Py_TYPE(o)->tp_dealloc == invariant_dealloc;
}

/* The value behind a proxy (borrowed); any other object is its own value. */
static inline PyObject *invariant_value(PyObject *o)
{
    return is_invariant(o) ? ((invariant_object *)o)->value : o;
}

/* Without marks, those inside lists and tuples included; a new reference. */
PyObject *invariant_plain(mod_state *st, PyObject *o);

PyObject *module_invariant(PyObject *module, PyObject *const *args, Py_ssize_t n,
                           PyObject *kwnames);
PyObject *module_is_invariant(PyObject *module, PyObject *value);
PyObject *module_plain(PyObject *module, PyObject *value);

/* The table of proxy types, in the module's state. */
int invariant_traverse_types(mod_state *st, visitproc visit, void *arg);
void invariant_clear_types(mod_state *st);

#endif
