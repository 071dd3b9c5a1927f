/* TensorSpec's object, for the files that it is made of. */
#ifndef HR_EXT_GRAPH_SPEC_H
#define HR_EXT_GRAPH_SPEC_H

#include "graph.h"

enum { SHAPE, MIN, MAX, MULTIPLIERS, N_LISTS };

typedef struct spec_object {
    PyObject_HEAD
    hr_spec *spec;
    PyObject *dtype;
    PyObject *lists[N_LISTS]; /* all or none */
    PyObject *weakrefs;
} spec_object;

#define spec_of(o) ((spec_object *)(o))

/* Makes the object; owns the spec from then on, also where it fails. */
PyObject *graph_spec_wrap(PyTypeObject *type, hr_spec *take_spec, PyObject *dtype);
/* The lists, from what the learner says; 0, -1. */
int graph_spec_make_lists(spec_object *s);
int graph_spec_write_lists(spec_object *s);
/* Takes over what was written into the lists; 0, -1. */
int graph_spec_read_lists(mod_state *st, spec_object *s);

#endif
