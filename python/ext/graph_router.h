/* What is called: the router of a tuned module, and what stands in for a wrapped callable. */
#ifndef HR_EXT_GRAPH_ROUTER_H
#define HR_EXT_GRAPH_ROUTER_H

#include "ext.h"

extern PyType_Spec graph_router_spec, graph_entry_spec, graph_wrapper_spec;
/* Adds the types to the module; 0, -1. */
int graph_add_callables(PyObject *module);

#endif
