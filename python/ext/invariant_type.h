/* What the three files of the proxy share. */
#ifndef HR_EXT_INVARIANT_TYPE_H
#define HR_EXT_INVARIANT_TYPE_H

#include "invariant.h"

/* One slot that a proxy's type has if the wrapped type has it. */
typedef struct forward_row {
    int slot;      /* Py_nb_add and the like */
    size_t group;  /* in PyTypeObject: where the table of methods is pointed to; 0: no table */
    size_t offset; /* in that table, or in PyTypeObject */
    void *forward;
} forward_row;

enum { N_FORWARDS = 56 };
extern const forward_row invariant_forwards[N_FORWARDS];

/* str, bytes and tuple beside a proxy on their right: `"a" + p`. */
PyObject *invariant_add_right(PyObject *v, PyObject *w);
PyObject *invariant_multiply_in_place(PyObject *v, PyObject *w);
PyObject *invariant_get_item(PyObject *self, PyObject *key);

/* Special methods without a slot, in the order of special_id. */
typedef enum special_id {
    SPECIAL_FSPATH, SPECIAL_COMPLEX, SPECIAL_FIRST_PLAIN, N_SPECIALS = 19
} special_id;
extern PyMethodDef invariant_specials[N_SPECIALS];

/* The slots that every proxy has, up to {0, NULL}; the type's methods are among them. */
extern const PyType_Slot invariant_common[];

/* The proxy type for values of `wrapped`; a new reference. */
PyTypeObject *invariant_type_for(mod_state *st, PyTypeObject *wrapped);

#define VALUE(self) (((invariant_object *)(self))->value)

#endif
