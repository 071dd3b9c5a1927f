/* The executor: runs the steps in line on the pool's threads and one more. Whoever of them does the last
 * sample of a node goes on with the step's next node, so that no thread waits for another: while one is
 * held up, the rest do samples of the same step or of the next. Steps that were submitted earlier go first.
 * A body that computes needs a core as well. Where the pool has them all, the lent thread rests then, and the
 * body's thread works for the pool while it waits: as many threads as cores, and none ousts another. */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "pipeline/step.h"

enum { SPARE_ARENAS = 8, STOPPING = 1, ONE_STEP = 2 };

typedef struct node_use {
    _Atomic int64_t ns, bytes;
} node_use;

struct hr_executor {
    const hr_graph *graph;
    hr_pool *pool, *own_pool; /* own_pool: of one thread, where none was given */
    shared *shared;
    pthread_t thread;    /* lent to the pool */
    uint32_t generation; /* of the fork that the thread belongs to */
    _Atomic int64_t in_line; /* steps not yet done times ONE_STEP, and STOPPING */
    _Atomic int64_t end;     /* INT64_MAX, or the last step to run */
    _Atomic int rests;       /* the lent thread */
    hr_arena *arenas[SPARE_ARENAS]; /* shared->lock: of steps that are done */
    int n_arenas;
    _Atomic int64_t steps, busy_ns, bytes_in, peak_bytes;
    node_use *nodes;
};

static _Atomic int64_t steps_begun; /* of all executors: loops that share a pool take turns */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what the steps did ------------------------------------------------------------ */

static void add_to(_Atomic int64_t *sum, int64_t n)
{
    atomic_fetch_add_explicit(sum, n, memory_order_relaxed);
}

static int64_t bytes_of(const hr_batch *b)
{
    int64_t bytes = 0;
    for (int64_t i = 0; b && i < b->n; i++) bytes += (int64_t)hr_tensor_nbytes(&b->t[i]);
    return bytes;
}

static void count_use(hr_executor *e, hr_step *s)
{
    int32_t node = s->run.at;
    int64_t bytes = 0, live = (int64_t)hr__alloc_live_bytes();
    int64_t ns = atomic_load_explicit(&s->run.ns, memory_order_relaxed);
    for (int o = 0; o < MAX_OUT; o++) bytes += bytes_of(s->outs[node][o]);
    add_to(&e->nodes[node].ns, ns);
    add_to(&e->nodes[node].bytes, bytes);
    add_to(&e->busy_ns, ns);
    int64_t peak = atomic_load_explicit(&e->peak_bytes, memory_order_relaxed);
    while (live > peak && !atomic_compare_exchange_weak(&e->peak_bytes, &peak, live)) { }
}

/* ---- a step's arena ---------------------------------------------------------------- */

/* Used again, so that steps allocate nothing once their arenas are warm. */
static hr_arena *take_arena(hr_executor *e)
{
    hr_arena *a = NULL;
    pthread_mutex_lock(&e->shared->lock);
    if (e->n_arenas) a = e->arenas[--e->n_arenas];
    pthread_mutex_unlock(&e->shared->lock);
    if (!a && hr_arena_create(&a, NULL) != HR_OK) return NULL;
    return a;
}

static void give_arena(hr_executor *e, hr_arena *a)
{
    pthread_mutex_lock(&e->shared->lock);
    if (a && e->n_arenas < SPARE_ARENAS) {
        e->arenas[e->n_arenas++] = a;
        a = NULL;
    }
    pthread_mutex_unlock(&e->shared->lock);
    hr_arena_destroy(&a);
}

/* ---- a node ------------------------------------------------------------------------ */

/* The batch behind an operand; NULL when what it needs has failed, which becomes the node's cause. */
static const hr_batch *batch_of(hr_step *s, const hr_operand *o)
{
    if (o->kind == HR_OPERAND_BATCH) return o->batch;
    if (o->port.node < 0) return s->inputs[-1 - o->port.node];
    const hr_batch *b = s->outs[o->port.node][o->port.out];
    if (!b) s->run.cause = o->port.node;
    return b;
}

/* Inputs and arguments of one call; 0 when one of them has failed. */
static int gather(hr_step *s, const hr_node *n, hr_input *ins, hr_value *values)
{
    for (int i = 0; i < n->n_in; i++) {
        memset(&ins[i], 0, sizeof ins[i]);
        if (n->in[i].kind == HR_OPERAND_NONE) continue;
        const hr_batch *b = batch_of(s, &n->in[i]);
        if (!b) return 0;
        int is_batch = n->in[i].kind == HR_OPERAND_PORT || n->in[i].is_batch;
        ins[i] = (hr_input){.t = b->t, .n = is_batch ? b->n : 1, .is_batch = is_batch};
    }
    for (int i = 0; i < n->op->n_args; i++) {
        values[i] = n->values[i];
        if (n->args[i].kind == HR_OPERAND_NONE) continue;
        const hr_batch *b = batch_of(s, &n->args[i]);
        if (!b) return 0;
        int is_batch = n->args[i].kind == HR_OPERAND_PORT || n->args[i].is_batch;
        values[i] = (hr_value){.kind = is_batch ? HR_VALUE_BATCH : HR_VALUE_TENSOR,
                               .n = is_batch ? b->n : 1, .u.t = b->t};
    }
    return 1;
}

static hr_status open_node(hr_step *s, const hr_node *n, hr_error *err)
{
    node_run *r = &s->run;
    hr_input *ins = hr_arena_take(s->arena, (size_t)(n->n_in + 1) * sizeof *ins);
    hr_value *values = hr_arena_take(s->arena, (size_t)(n->op->n_args + 1) * sizeof *values);
    if (!ins || !values) return hr_fail(err, HR_NOMEM, "%s: no memory for the call", n->op->name);
    if (!gather(s, n, ins, values)) return hr_fail(err, HR_STATE, "needs a result that failed");
    if (n->rng >= 0) {
        r->rng = s->rngs[n->rng];
        hr_rng_skip(&r->rng, n->rng_offset);
    }
    /* a short batch may be an epoch's last: calls with a batch size of their own follow it */
    int64_t size = n->batch_size && s->n_inputs ? s->inputs[0]->n : n->batch_size;
    r->options = (hr_call_options){.pool = s->executor->pool, .batch_size = size,
                                   .rng = n->rng >= 0 ? &r->rng : NULL};
    hr__call_request request = {n->op, ins, n->n_in, values, &r->options, s->arena};
    return hr__call_begin(&r->call, &request, err);
}

static void end_node(hr_step *s, const hr_error *err)
{
    node_run *r = &s->run;
    if (r->call) hr__call_end(r->call, err->status, s->outs[r->at]);
    r->call = NULL;
    hr__arena_release(s->arena, r->mark);
    count_use(s->executor, s);
    if (r->cause < 0) hr__step_publish(s, r->at, err);
    else hr__step_publish_caused(s, r->at, r->cause);
    r->at++;
}

static hr_status run_sample(void *arg, int64_t i, hr_error *err)
{
    hr_step *s = arg;
    int64_t begin = now_ns();
    hr_status status = hr__call_run_one(s->run.call, i, err);
    add_to(&s->run.ns, now_ns() - begin);
    return status;
}

/* ---- a step ------------------------------------------------------------------------ */

static void go_on(hr__job *job);

/* 1: the samples are the pool's now, and the last of them goes on. */
static int run_node(hr_step *s)
{
    node_run *r = &s->run;
    hr_error err = {0};
    int64_t begin = now_ns();
    r->mark = hr__arena_get_mark(s->arena);
    r->cause = -1;
    hr_status status = open_node(s, hr__graph_node(s->graph, r->at), &err);
    int64_t n = status == HR_OK ? hr__call_share(r->call) : 0;
    if (status == HR_OK && !n) err.status = hr__call_run_in_turn(r->call, &err);
    atomic_store_explicit(&r->ns, now_ns() - begin, memory_order_relaxed);
    if (n) {
        s->job.fn = run_sample;
        s->job.n = n;
        hr__pool_submit(s->executor->pool, &s->job);
        return 1;
    }
    end_node(s, &err);
    return 0;
}

static void fail_rest(hr_step *s, hr_status why, const char *text)
{
    hr_error err = {0};
    hr_status status = hr_fail(&err, why, "%s", text);
    (void)status;
    int32_t first = s->run.at;
    if (first < s->n_nodes) hr__step_publish(s, first, &err);
    for (int32_t i = first + 1; i < s->n_nodes; i++) hr__step_publish_caused(s, i, first);
    s->run.at = s->n_nodes;
}

static void end_step(hr_step *s)
{
    hr_executor *e = s->executor;
    hr_pool *pool = e->pool;
    give_arena(e, s->arena);
    s->arena = NULL;
    hr__step_unref(&s);
    /* With the last step gone the executor may be gone as well: its pool is not. */
    if (atomic_fetch_sub(&e->in_line, ONE_STEP) == (ONE_STEP | STOPPING)) hr__pool_wake(pool);
}

static void go_on(hr__job *job)
{
    hr_step *s = job->arg;
    hr_executor *e = s->executor;
    if (s->run.call) end_node(s, &job->error);
    while (s->run.at < s->n_nodes) {
        if (s->number > atomic_load(&e->end)) fail_rest(s, HR_CANCELLED, "the loop ended before this step");
        else if (run_node(s)) return;
    }
    end_step(s);
}

/* The first job of a step, for whoever is free. */
static hr_status begin_step(void *arg, int64_t i, hr_error *err)
{
    (void)i;
    (void)err;
    hr_step *s = arg;
    hr_executor *e = s->executor;
    if (s->number > atomic_load(&e->end)) return HR_OK;
    add_to(&e->steps, 1);
    for (int k = 0; k < s->n_inputs; k++) add_to(&e->bytes_in, bytes_of(s->inputs[k]));
    s->arena = take_arena(e);
    if (!s->arena) fail_rest(s, HR_NOMEM, "no memory for a step");
    return HR_OK;
}

/* ---- life ------------------------------------------------------------------------ */

static int is_over(void *arg)
{
    hr_executor *e = arg;
    return atomic_load(&e->in_line) == STOPPING;
}

static int is_resting(void *arg) { return atomic_load(&((hr_executor *)arg)->rests); }

static void *work(void *arg)
{
    hr_executor *e = arg;
    hr__lease lease = {.is_over = is_over, .is_resting = is_resting, .arg = e};
    hr__pool_lend(e->pool, &lease);
    return NULL;
}

static int start_thread(hr_executor *e)
{
    sigset_t all, before; /* signals belong to the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&e->thread, NULL, work, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void free_executor(hr_executor *e)
{
    for (int i = 0; i < e->n_arenas; i++) hr_arena_destroy(&e->arenas[i]);
    if (e->shared) hr__shared_unref(e->shared);
    hr_pool_destroy(&e->own_pool);
    hr_free(e->nodes);
    hr_free(e);
}

/* All but the thread. */
static hr_status fill_executor(hr_executor *e, const hr_graph *graph, hr_pool *pool, hr_error *err)
{
    e->graph = graph;
    e->end = INT64_MAX;
    e->generation = hr__fork_generation();
    e->nodes = hr_alloc_zero((size_t)hr__graph_size(graph) + 1, sizeof *e->nodes);
    e->shared = hr__shared_create();
    if (!e->nodes || !e->shared) return hr_fail(err, HR_NOMEM, "no memory for an executor");
    if (!pool) HR_TRY(hr_pool_create(&e->own_pool, 1, err));
    e->pool = pool ? pool : e->own_pool;
    return HR_OK;
}

hr_status hr__executor_create(hr_executor **out, const hr_graph *graph, hr_pool *pool,
                              hr_error *err)
{
    hr_executor *e = hr_alloc_zero(1, sizeof *e);
    if (!e) return hr_fail(err, HR_NOMEM, "no memory for an executor");
    hr_status status = fill_executor(e, graph, pool, err);
    int error = status == HR_OK ? start_thread(e) : 0;
    if (error) status = hr_fail_errno(err, error, "cannot start the executor's thread");
    if (status != HR_OK) free_executor(e);
    else *out = e;
    return status;
}

void hr__executor_stop(hr_executor *e, int64_t last)
{
    if (e->generation != hr__fork_generation()) return; /* a forked child has no such thread */
    atomic_store(&e->end, last);
    if (atomic_fetch_or(&e->in_line, STOPPING) & STOPPING) return;
    atomic_store(&e->rests, 0);
    hr__pool_wake(e->pool);
    pthread_join(e->thread, NULL);
    hr__shared_wait_for_helpers(e->shared);
}

void hr__executor_destroy(hr_executor **executor, int64_t last)
{
    hr_executor *e = *executor;
    *executor = NULL;
    if (!e || e->generation != hr__fork_generation()) return;
    hr__executor_stop(e, last);
    free_executor(e);
}

hr_status hr__executor_submit(hr_executor *e, int64_t number, hr_batch **take_inputs,
                              const hr_rng *rngs, hr_step **out, hr_error *err)
{
    int is_here = e->generation == hr__fork_generation();
    hr_step *s = is_here ? hr__step_create(e->graph, e->shared, number) : NULL;
    int n_inputs = hr__graph_inputs(e->graph);
    if (!s) {
        for (int i = 0; i < n_inputs; i++) hr_batch_unref(&take_inputs[i]);
        if (!is_here) return hr_fail(err, HR_STATE, "a captured loop cannot go on in a forked process");
        return hr_fail(err, HR_NOMEM, "no memory for a step");
    }
    for (int i = 0; i < s->n_inputs; i++) s->inputs[i] = take_inputs[i];
    for (int i = 0; i < s->n_rngs; i++) s->rngs[i] = rngs[i];
    s->executor = e;
    s->job = (hr__job){.fn = begin_step, .arg = s, .n = 1, .done = go_on,
                       .rank = atomic_fetch_add_explicit(&steps_begun, 1, memory_order_relaxed)};
    *out = hr__step_ref(s); /* the other reference is the executor's */
    atomic_fetch_add(&e->in_line, ONE_STEP);
    hr__pool_submit(e->pool, &s->job);
    return HR_OK;
}

int hr__executor_is_crowded(hr_executor *e)
{
    return e->pool != e->own_pool && hr_pool_size(e->pool) > 1 && hr__pool_is_full(e->pool);
}

void hr__executor_set_body(hr_executor *e, int computes)
{
    int rests = computes && hr__executor_is_crowded(e);
    if (e->generation != hr__fork_generation() || atomic_load(&e->in_line) & STOPPING) return;
    if (atomic_exchange(&e->rests, rests) != rests) hr__pool_wake(e->pool);
}

hr_pool *hr__executor_pool(hr_executor *e) { return e->pool; }

hr_pool *hr__executor_needs_help(hr_executor *e) { return atomic_load(&e->rests) ? e->pool : NULL; }

void hr__executor_get_use(const hr_executor *e, hr_executor_use *out)
{
    *out = (hr_executor_use){atomic_load(&e->steps), atomic_load(&e->busy_ns),
                             atomic_load(&e->bytes_in), atomic_load(&e->peak_bytes)};
}

void hr__executor_get_node_use(const hr_executor *e, int32_t node, int64_t *ns, int64_t *bytes)
{
    *ns = atomic_load(&e->nodes[node].ns);
    *bytes = atomic_load(&e->nodes[node].bytes);
}
