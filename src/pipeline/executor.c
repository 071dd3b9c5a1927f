/* The executor: one thread that runs the steps in line, node after node, each on the pool. A step
 * has a value for every port; a failed node fails those that need it, with the same error. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "pipeline/pipeline.h"

enum { MAX_OUT = 8, STATE_PENDING = 0, STATE_DONE, STATE_FAILED };

struct hr_step {
    int64_t refs; /* atomic */
    int64_t number;
    const hr_graph *graph; /* valid while the executor lives; sizes are copied for later */
    int32_t n_nodes;
    int n_inputs, n_rngs;
    struct shared *shared;
    hr_batch **inputs;
    hr_rng *rngs;
    hr_batch *(*outs)[MAX_OUT]; /* a node's outputs; written before its state */
    _Atomic int8_t *states;
    int32_t failed;  /* first node that failed, or -1: written before its state */
    hr_error error;  /* of that node: written before its state */
    struct hr_step *after; /* executor's queue */
};

/* What steps need after their executor has gone. */
typedef struct shared {
    int64_t refs; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t ready; /* some node of some step is done, and someone waits */
    int waiters;          /* lock */
    uint32_t generation;  /* of the fork that the executor's thread belongs to */
} shared;

typedef struct node_use {
    _Atomic int64_t ns, bytes;
} node_use;

struct hr_executor {
    const hr_graph *graph;
    hr_pool *pool;
    shared *shared;
    pthread_t thread;
    uint32_t generation; /* of the fork that the thread belongs to */
    pthread_cond_t work;
    hr_step *first, *last; /* shared->lock: steps in line */
    int64_t end;           /* shared->lock: INT64_MAX, or the last step to run */
    int stopping;          /* shared->lock */
    _Atomic int64_t steps, busy_ns, bytes_in, peak_bytes; /* written by its thread alone */
    node_use *nodes;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what steps share ------------------------------------------------------------ */

static shared *shared_create(void)
{
    shared *s = hr_alloc_zero(1, sizeof *s);
    if (!s) return NULL;
    s->refs = 1;
    s->generation = hr__fork_generation();
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->ready, &attr);
    pthread_condattr_destroy(&attr);
    return s;
}

static void shared_unref(shared *s)
{
    if (atomic_fetch_sub((_Atomic int64_t *)&s->refs, 1) != 1) return;
    pthread_cond_destroy(&s->ready);
    pthread_mutex_destroy(&s->lock);
    hr_free(s);
}

/* ---- steps ----------------------------------------------------------------------- */

static hr_step *step_create(hr_executor *e, int64_t number)
{
    int32_t n = hr__graph_size(e->graph);
    int n_inputs = hr__graph_inputs(e->graph), n_rngs = hr__graph_rngs(e->graph);
    size_t size = sizeof(hr_step) + (size_t)n * (sizeof(hr_batch *[MAX_OUT]) + 1) +
                  (size_t)n_inputs * sizeof(hr_batch *) + (size_t)n_rngs * sizeof(hr_rng);
    hr_step *s = hr_alloc_zero(1, size);
    if (!s) return NULL;
    s->refs = 1;
    s->number = number;
    s->graph = e->graph;
    s->n_nodes = n;
    s->n_inputs = n_inputs;
    s->n_rngs = n_rngs;
    s->failed = -1;
    s->outs = (void *)(s + 1);
    s->rngs = (void *)(s->outs + n);
    s->inputs = (void *)(s->rngs + n_rngs);
    s->states = (void *)(s->inputs + n_inputs);
    s->shared = e->shared;
    atomic_fetch_add((_Atomic int64_t *)&e->shared->refs, 1);
    return s;
}

hr_step *hr__step_ref(hr_step *s)
{
    atomic_fetch_add_explicit((_Atomic int64_t *)&s->refs, 1, memory_order_relaxed);
    return s;
}

void hr__step_unref(hr_step **step)
{
    hr_step *s = *step;
    *step = NULL;
    if (!s || atomic_fetch_sub((_Atomic int64_t *)&s->refs, 1) != 1) return;
    for (int i = 0; i < s->n_inputs; i++) hr_batch_unref(&s->inputs[i]);
    for (int32_t i = 0; i < s->n_nodes; i++)
        for (int o = 0; o < MAX_OUT; o++) hr_batch_unref(&s->outs[i][o]);
    shared_unref(s->shared);
    hr_free(s);
}

int64_t hr__step_number(const hr_step *s) { return s->number; }

static int state_of(hr_step *s, int32_t node)
{
    return node < 0 ? STATE_DONE : atomic_load_explicit(&s->states[node], memory_order_acquire);
}

int hr__step_is_ready(hr_step *s, hr_port port) { return state_of(s, port.node) != STATE_PENDING; }

/* When to look for Ctrl-C. */
static struct timespec soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 50000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* Waits until `node` is no longer pending; HR_CANCELLED when `poll` says so. */
static hr_status wait_for(hr_step *s, int32_t node, hr_poll_fn poll, void *arg)
{
    shared *sh = s->shared;
    if (sh->generation != hr__fork_generation()) return HR_STATE; /* its thread is not here */
    pthread_mutex_lock(&sh->lock);
    sh->waiters++;
    struct timespec until = soon(); /* other nodes may wake us more often than that */
    while (state_of(s, node) == STATE_PENDING) {
        int timed_out = pthread_cond_timedwait(&sh->ready, &sh->lock, &until) != 0;
        if (!timed_out) continue;
        until = soon();
        if (!poll) continue;
        pthread_mutex_unlock(&sh->lock);
        int cancel = poll(arg);
        pthread_mutex_lock(&sh->lock);
        if (!cancel) continue;
        sh->waiters--;
        pthread_mutex_unlock(&sh->lock);
        return HR_CANCELLED;
    }
    sh->waiters--;
    pthread_mutex_unlock(&sh->lock);
    return HR_OK;
}

static hr_status copy_error(hr_step *s, hr_error *err)
{
    hr_error e = s->error; /* written once, in front of the state that was read */
    if (err && err->status == HR_OK) *err = e;
    return e.status;
}

static hr_status wait_until_done(hr_step *s, int32_t node, hr_poll_fn poll, void *arg,
                                 hr_error *err)
{
    if (state_of(s, node) != STATE_PENDING) return HR_OK;
    hr_status status = wait_for(s, node, poll, arg);
    if (status == HR_STATE)
        return hr_fail(err, HR_STATE, "a captured loop's results cannot be awaited in a forked "
                       "process");
    return status == HR_OK ? HR_OK : hr_fail(err, HR_CANCELLED, "cancelled");
}

hr_status hr__step_wait(hr_step *s, hr_port port, hr_poll_fn poll, void *poll_arg,
                        hr_batch **out, hr_error *err)
{
    HR_TRY(wait_until_done(s, port.node, poll, poll_arg, err));
    if (state_of(s, port.node) == STATE_FAILED) return copy_error(s, err);
    *out = hr_batch_ref(port.node < 0 ? s->inputs[-1 - port.node]
                                      : s->outs[port.node][port.out]);
    return HR_OK;
}

int32_t hr__step_failed(const hr_step *s) { return s->failed; }

hr_status hr__step_finish(hr_step *s, hr_poll_fn poll, void *poll_arg, int32_t *node,
                          hr_error *err)
{
    for (int32_t i = 0; i < s->n_nodes; i++)
        HR_TRY(wait_until_done(s, i, poll, poll_arg, err));
    *node = s->failed;
    return s->failed < 0 ? HR_OK : copy_error(s, err);
}

/* ---- running --------------------------------------------------------------------- */

static void publish(hr_step *s, int32_t node, int8_t state, const hr_error *err)
{
    shared *sh = s->shared;
    pthread_mutex_lock(&sh->lock);
    if (state == STATE_FAILED && s->failed < 0) {
        s->failed = node;
        s->error = *err;
    }
    atomic_store_explicit(&s->states[node], state, memory_order_release);
    if (sh->waiters) pthread_cond_broadcast(&sh->ready);
    pthread_mutex_unlock(&sh->lock);
}

/* The batch behind an operand; NULL when what it needs has failed. */
static hr_batch *batch_of(hr_step *s, const hr_operand *o)
{
    if (o->kind == HR_OPERAND_BATCH) return o->batch;
    if (o->port.node < 0) return s->inputs[-1 - o->port.node];
    return s->outs[o->port.node][o->port.out];
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

/* One thread writes: no other can come between the read and the write. */
static void add_to(_Atomic int64_t *sum, int64_t n)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static int64_t bytes_of(const hr_batch *b)
{
    int64_t bytes = 0;
    for (int64_t i = 0; b && i < b->n; i++) bytes += (int64_t)hr_tensor_nbytes(&b->t[i]);
    return bytes;
}

static void count_use(hr_executor *e, const hr_step *s, int32_t node, int64_t ns)
{
    int64_t bytes = 0, live = (int64_t)hr__alloc_live_bytes();
    for (int o = 0; o < MAX_OUT; o++) bytes += bytes_of(s->outs[node][o]);
    add_to(&e->nodes[node].ns, ns);
    add_to(&e->nodes[node].bytes, bytes);
    add_to(&e->busy_ns, ns);
    if (live > atomic_load_explicit(&e->peak_bytes, memory_order_relaxed))
        atomic_store_explicit(&e->peak_bytes, live, memory_order_relaxed);
}

static void run_node(hr_executor *e, hr_step *s, int32_t i)
{
    const hr_node *n = hr__graph_node(e->graph, i);
    hr_arena *arena = hr__arena_of_thread();
    hr_error err = {0};
    hr_status status = HR_OK;
    int64_t begin = now_ns();
    hr__arena_mark mark = {0};
    hr_input *ins = NULL;
    hr_value *values = NULL;
    if (arena) {
        mark = hr__arena_get_mark(arena);
        ins = hr_arena_take(arena, (size_t)(n->n_in + 1) * sizeof *ins);
        values = hr_arena_take(arena, (size_t)(n->op->n_args + 1) * sizeof *values);
    }
    if (!ins || !values) {
        status = hr_fail(&err, HR_NOMEM, "%s: no memory for the call", n->op->name);
    } else if (!gather(s, n, ins, values)) {
        status = hr_fail(&err, HR_STATE, "needs a result that failed"); /* first error wins */
    } else {
        hr_rng rng = n->rng >= 0 ? s->rngs[n->rng] : (hr_rng){0};
        if (n->rng >= 0) hr_rng_skip(&rng, n->rng_offset);
        /* a short batch may be an epoch's last: calls with a batch size of their own follow it */
        int64_t size = n->batch_size && s->n_inputs ? s->inputs[0]->n : n->batch_size;
        hr_call_options o = {.pool = e->pool, .batch_size = size,
                             .rng = n->rng >= 0 ? &rng : NULL};
        status = hr_op_call_indexed(n->op, ins, n->n_in, values, &o, s->outs[i], &err);
    }
    if (arena) hr__arena_release(arena, mark);
    count_use(e, s, i, now_ns() - begin);
    publish(s, i, status == HR_OK ? STATE_DONE : STATE_FAILED, &err);
}

static void fail_rest(hr_step *s)
{
    hr_error err = {0};
    hr_status status = hr_fail(&err, HR_CANCELLED, "the loop ended before this step");
    (void)status;
    for (int32_t i = 0; i < s->n_nodes; i++) publish(s, i, STATE_FAILED, &err);
}

static void *work(void *arg)
{
    hr_executor *e = arg;
    pthread_mutex_lock(&e->shared->lock);
    for (;;) {
        while (!e->first && !e->stopping) pthread_cond_wait(&e->work, &e->shared->lock);
        hr_step *s = e->first;
        if (!s) break;
        e->first = s->after;
        if (!e->first) e->last = NULL;
        int run = s->number <= e->end;
        pthread_mutex_unlock(&e->shared->lock);
        if (!run) fail_rest(s);
        add_to(&e->steps, run); /* begun, that is */
        for (int i = 0; run && i < s->n_inputs; i++) add_to(&e->bytes_in, bytes_of(s->inputs[i]));
        for (int32_t i = 0; run && i < s->n_nodes; i++) run_node(e, s, i);
        hr__step_unref(&s);
        pthread_mutex_lock(&e->shared->lock);
    }
    pthread_mutex_unlock(&e->shared->lock);
    return NULL;
}

/* ---- life ------------------------------------------------------------------------ */

static int start_thread(hr_executor *e)
{
    sigset_t all, before; /* signals belong to the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&e->thread, NULL, work, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

hr_status hr__executor_create(hr_executor **out, const hr_graph *graph, hr_pool *pool,
                              hr_error *err)
{
    hr_executor *e = hr_alloc_zero(1, sizeof *e);
    node_use *nodes = hr_alloc_zero((size_t)hr__graph_size(graph) + 1, sizeof *nodes);
    shared *s = e && nodes ? shared_create() : NULL;
    if (!s) {
        hr_free(nodes);
        hr_free(e);
        return hr_fail(err, HR_NOMEM, "no memory for an executor");
    }
    e->graph = graph;
    e->pool = pool;
    e->shared = s;
    e->nodes = nodes;
    e->end = INT64_MAX;
    e->generation = hr__fork_generation();
    pthread_cond_init(&e->work, NULL);
    int error = start_thread(e);
    if (error) {
        shared_unref(s);
        hr_free(nodes);
        hr_free(e);
        return hr_fail_errno(err, error, "cannot start the executor's thread");
    }
    *out = e;
    return HR_OK;
}

void hr__executor_stop(hr_executor *e, int64_t last)
{
    if (e->generation != hr__fork_generation()) return; /* a forked child has no such thread */
    pthread_mutex_lock(&e->shared->lock);
    int was_stopping = e->stopping;
    e->end = last;
    e->stopping = 1;
    pthread_cond_broadcast(&e->work);
    pthread_mutex_unlock(&e->shared->lock);
    if (!was_stopping) pthread_join(e->thread, NULL);
}

void hr__executor_destroy(hr_executor **executor, int64_t last)
{
    hr_executor *e = *executor;
    *executor = NULL;
    if (!e || e->generation != hr__fork_generation()) return;
    hr__executor_stop(e, last);
    pthread_cond_destroy(&e->work);
    shared_unref(e->shared);
    hr_free(e->nodes);
    hr_free(e);
}

hr_status hr__executor_submit(hr_executor *e, int64_t number, hr_batch **take_inputs,
                              const hr_rng *rngs, hr_step **out, hr_error *err)
{
    hr_step *s = e->generation == hr__fork_generation() ? step_create(e, number) : NULL;
    int n_inputs = hr__graph_inputs(e->graph);
    if (!s) {
        for (int i = 0; i < n_inputs; i++) hr_batch_unref(&take_inputs[i]);
        if (e->generation != hr__fork_generation())
            return hr_fail(err, HR_STATE, "a captured loop cannot go on in a forked process");
        return hr_fail(err, HR_NOMEM, "no memory for a step");
    }
    for (int i = 0; i < n_inputs; i++) s->inputs[i] = take_inputs[i];
    for (int i = 0; i < s->n_rngs; i++) s->rngs[i] = rngs[i];
    *out = hr__step_ref(s); /* the other reference is the queue's */
    pthread_mutex_lock(&e->shared->lock);
    if (e->last) e->last->after = s;
    else e->first = s;
    e->last = s;
    pthread_cond_signal(&e->work);
    pthread_mutex_unlock(&e->shared->lock);
    return HR_OK;
}

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
