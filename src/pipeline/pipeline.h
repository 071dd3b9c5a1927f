/* Graphs of operator calls, and the executor that runs them step by step ahead of its user.
 * A graph is built once and then constant. A step is one run of it: it takes the sources' outputs and
 * the generators' states in, and holds every node's outputs until the last reference to it goes.
 * Thread use: one thread builds and submits; steps may be waited for from any thread. */
#ifndef HR_PIPELINE_PIPELINE_H
#define HR_PIPELINE_PIPELINE_H

#include <headrace/headrace.h>

/* ---- graph.c --------------------------------------------------------------------- */

/* Where a value comes from: output `out` of node `node`, or for node < 0 input -1 - node of the
 * step (out is 0 then). */
typedef struct hr_port {
    int32_t node, out;
} hr_port;
#define HR_PORT_INPUT(k) ((hr_port){-1 - (k), 0})

typedef enum hr_operand_kind { HR_OPERAND_NONE, HR_OPERAND_PORT, HR_OPERAND_BATCH } hr_operand_kind;

/* An input of a node: a port, or the same batch (or tensor, is_batch = 0) in every step. */
typedef struct hr_operand {
    hr_operand_kind kind;
    hr_port port;
    hr_batch *batch;
    int is_batch;
} hr_operand;

typedef struct hr_node {
    const hr_op_desc *op;
    int n_in;
    hr_operand *in;
    hr_value *values;  /* one an argument, lists copied */
    hr_operand *args;  /* one an argument: PORT or BATCH where `values` has none */
    int64_t batch_size; /* 0: from the inputs */
    int rng;            /* index of the generator, -1: none */
    uint64_t rng_offset; /* words that the step draws before this call */
} hr_node;

typedef struct hr_graph hr_graph;

HR_CHECKED hr_status hr__graph_create(hr_graph **out, int n_inputs, int n_rngs, hr_error *err);
void hr__graph_destroy(hr_graph **graph);
/* Adds a copy of `node` (batches get a reference of their own); *index becomes its number. Ports
 * must name earlier nodes. */
HR_CHECKED hr_status hr__graph_add(hr_graph *graph, const hr_node *node, int32_t *index,
                                   hr_error *err);
/* The numbers of inputs and generators, once they are known: at most those of its creation. */
void hr__graph_seal(hr_graph *graph, int n_inputs, int n_rngs);
int32_t hr__graph_size(const hr_graph *graph);
int hr__graph_inputs(const hr_graph *graph);
int hr__graph_rngs(const hr_graph *graph);
const hr_node *hr__graph_node(const hr_graph *graph, int32_t i);

/* ---- executor.c ------------------------------------------------------------------ */

typedef struct hr_step hr_step;
typedef struct hr_executor hr_executor;

/* Runs `graph` on the threads of `pool` and one of its own, several steps at once. The graph must outlive
 * it; `pool` as well. */
HR_CHECKED hr_status hr__executor_create(hr_executor **out, const hr_graph *graph, hr_pool *pool,
                                         hr_error *err);
/* Finishes the steps up to `last`, fails the others (HR_CANCELLED), joins. Nothing may be submitted any
 * more; what the executor did can still be asked. */
void hr__executor_stop(hr_executor *executor, int64_t last);
/* Stops it if that was not done. NULL is allowed. */
void hr__executor_destroy(hr_executor **executor, int64_t last);

/* A new step in line; takes over the references in `take_inputs` (also on failure). `rngs`: each
 * generator's state at the step's start. The caller gets one reference. */
HR_CHECKED hr_status hr__executor_submit(hr_executor *executor, int64_t number,
                                         hr_batch **take_inputs, const hr_rng *rngs,
                                         hr_step **out, hr_error *err);

/* With the body's thread, are there more threads than cores? Then the executor should know of the body: */
int hr__executor_is_crowded(hr_executor *executor);
/* What the loop's body does between its waits: computes, or sleeps. */
void hr__executor_set_body(hr_executor *executor, int computes);

/* What the executor did so far: steps begun, nanoseconds of work in nodes (of all threads together), bytes
 * of the steps' inputs, and the most bytes that the library's allocator had handed out when a node ended. */
typedef struct hr_executor_use {
    int64_t steps, busy_ns, bytes_in, peak_bytes;
} hr_executor_use;
void hr__executor_get_use(const hr_executor *executor, hr_executor_use *out);
/* Nanoseconds of work in one node, and bytes of its outputs. */
void hr__executor_get_node_use(const hr_executor *executor, int32_t node, int64_t *ns, int64_t *bytes);

/* ---- step.c ---------------------------------------------------------------------- */

int64_t hr__step_number(const hr_step *step);
hr_step *hr__step_ref(hr_step *step);
void hr__step_unref(hr_step **step);
/* Waits for a value: a new reference in *out, or the error of the node that failed. */
HR_CHECKED hr_status hr__step_wait(hr_step *step, hr_port port, hr_poll_fn poll, void *poll_arg,
                                   hr_batch **out, hr_error *err);
/* The node whose failure made `node` fail: itself, or one that it needs; -1: it has not failed. */
int32_t hr__step_cause(hr_step *step, int32_t node);
/* Is the value there (or failed) already? */
int hr__step_is_ready(hr_step *step, hr_port port);
/* Waits for all nodes; did any of them fail? */
HR_CHECKED hr_status hr__step_finish(hr_step *step, hr_poll_fn poll, void *poll_arg, int *has_failed,
                                     hr_error *err);

#endif
