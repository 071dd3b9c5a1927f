/* What a step is made of: for the executor, which fills it, and step.c, where others wait for it. */
#ifndef HR_PIPELINE_STEP_H
#define HR_PIPELINE_STEP_H

#include <pthread.h>

#include "core/core.h"
#include "pipeline/pipeline.h"

/* STATE_AWAITED: pending, and a thread that waits for it helps meanwhile. */
enum { MAX_OUT = 8, STATE_PENDING = 0, STATE_AWAITED, STATE_DONE, STATE_FAILED };

/* What steps need after their executor has gone. */
typedef struct shared {
    int64_t refs; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t ready; /* some node of some step is done, and someone waits */
    int waiters;          /* lock */
    int helpers;          /* lock: of the waiters, those that are at work in the pool */
    uint32_t generation;  /* of the fork that the executor's thread belongs to */
} shared;

shared *hr__shared_create(void);
void hr__shared_unref(shared *s);

/* The node in work; its thread's, but for `ns`. */
typedef struct node_run {
    int32_t at;
    hr__op_call *call; /* NULL: none is open */
    int32_t cause; /* a failed node whose result it needs; -1: none */
    hr__arena_mark mark;
    hr_rng rng;
    hr_call_options options;
    _Atomic int64_t ns; /* of all threads */
} node_run;

/* A node that failed by itself. */
typedef struct failure {
    int32_t node;
    hr_error error;
    struct failure *next;
} failure;

struct hr_step {
    int64_t refs; /* atomic */
    int64_t number;
    const hr_graph *graph; /* valid while the executor lives; sizes are copied for later */
    int32_t n_nodes;
    int n_inputs, n_rngs;
    shared *shared;
    hr_executor *executor; /* until the last node is done, as all down to `run` */
    hr_arena *arena;
    hr__job job;
    node_run run;
    hr_batch **inputs;
    hr_rng *rngs;
    hr_batch *(*outs)[MAX_OUT]; /* a node's outputs; written before its state */
    _Atomic int8_t *states;
    int32_t *causes; /* of a failed node: the one that failed by itself; written before its state */
    failure *failures; /* lock: of those, the first one first */
    failure first;     /* there without memory */
};

/* A step with one reference; NULL when memory is out. */
hr_step *hr__step_create(const hr_graph *graph, shared *sh, int64_t number);
/* Until no thread that waits for a step works in its executor's pool any more. */
void hr__shared_wait_for_helpers(shared *s);
/* The pool to help while waiting for one of the executor's steps; NULL: others do its work. */
hr_pool *hr__executor_needs_help(hr_executor *executor);
hr_pool *hr__executor_pool(hr_executor *executor);
/* A node's outputs are there, or it failed by itself: tells those who wait. */
void hr__step_publish(hr_step *s, int32_t node, const hr_error *err);
/* It failed because `cause` did. */
void hr__step_publish_caused(hr_step *s, int32_t node, int32_t cause);

#endif
