/* What is called: the router of a tuned module, and what stands in for a wrapped callable. */
#ifndef HR_EXT_GRAPH_ROUTER_H
#define HR_EXT_GRAPH_ROUTER_H

#include "graph.h"

typedef enum router_policy { FALLBACK, ERROR, NEAREST } router_policy;

typedef struct router_object {
    PyObject_HEAD
    vectorcallfunc call;
    graph_signature *signature;
    PyObject *original;  /* NULL: there is none */
    PyObject *samples;   /* list: keeps the trees of `graphs` */
    PyObject *backends;  /* list, by graph */
    hr_router *graphs;
    PyObject *sample_class;
    PyObject *strange;   /* list of samples: keeps the trees of `told` */
    hr_router *told;     /* unknown graphs that were told of */
    int64_t *served;     /* calls by graph */
    char *is_told;       /* by graph: a failed guard was told of */
    int n_room;
    int64_t n_unknown, n_outside;
    PyObject *str_infer;
    int is_strict, is_checked;
    int is_adding; /* a graph is being added; comparing it may let other threads run */
    router_policy policy;
} router_object;

/* The graph of a bound call: its number, -1 for the original, -2 with an exception. What is of no graph
 * or outside a guard goes by policy, is counted always and told once. */
int32_t graph_route(mod_state *st, router_object *r, const graph_bound *b);

extern PyType_Spec graph_router_spec, graph_entry_spec, graph_wrapper_spec, graph_no_grad_spec;
/* Adds the types to the module; 0, -1. */
int graph_add_callables(PyObject *module);

#endif
