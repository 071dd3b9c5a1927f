/* Steps: values and errors of nodes, and waiting for them. A step has a value for every port; a failed node
 * fails those that need it, with the same error. */
#include "pipeline/step.h"

#include <stdatomic.h>
#include <time.h>

/* ---- what steps share ------------------------------------------------------------ */

shared *hr__shared_create(void)
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

void hr__shared_unref(shared *s)
{
    if (atomic_fetch_sub((_Atomic int64_t *)&s->refs, 1) != 1) return;
    pthread_cond_destroy(&s->ready);
    pthread_mutex_destroy(&s->lock);
    hr_free(s);
}

/* ---- steps ----------------------------------------------------------------------- */

hr_step *hr__step_create(const hr_graph *graph, shared *sh, int64_t number)
{
    int32_t n = hr__graph_size(graph);
    int n_inputs = hr__graph_inputs(graph), n_rngs = hr__graph_rngs(graph);
    size_t size = sizeof(hr_step) + (size_t)n * (sizeof(hr_batch *[MAX_OUT]) + 1) +
                  (size_t)n_inputs * sizeof(hr_batch *) + (size_t)n_rngs * sizeof(hr_rng);
    hr_step *s = hr_alloc_zero(1, size);
    if (!s) return NULL;
    s->refs = 1;
    s->number = number;
    s->graph = graph;
    s->n_nodes = n;
    s->n_inputs = n_inputs;
    s->n_rngs = n_rngs;
    s->failed = -1;
    s->outs = (void *)(s + 1);
    s->rngs = (void *)(s->outs + n);
    s->inputs = (void *)(s->rngs + n_rngs);
    s->states = (void *)(s->inputs + n_inputs);
    s->shared = sh;
    atomic_fetch_add((_Atomic int64_t *)&sh->refs, 1);
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
    hr__shared_unref(s->shared);
    hr_free(s);
}

int64_t hr__step_number(const hr_step *s) { return s->number; }

static int state_of(hr_step *s, int32_t node)
{
    return node < 0 ? STATE_DONE : atomic_load_explicit(&s->states[node], memory_order_acquire);
}

int hr__step_is_ready(hr_step *s, hr_port port) { return state_of(s, port.node) >= STATE_DONE; }

/* ---- waiting ----------------------------------------------------------------------- */

enum { POLL_MS = 50 }; /* how often to look for Ctrl-C */

static int is_pending(hr_step *s, int32_t node) { return state_of(s, node) < STATE_DONE; }

/* Sleeps until the node is there, or POLL_MS; with the lock held. */
static void sleep_for(hr_step *s, int32_t node)
{
    shared *sh = s->shared;
    struct timespec until = hr__in_ms(POLL_MS); /* other nodes may wake us more often than that */
    sh->waiters++;
    while (is_pending(s, node))
        if (pthread_cond_timedwait(&sh->ready, &sh->lock, &until) != 0) break;
    sh->waiters--;
}

typedef struct awaited {
    hr_step *step;
    int32_t node;
    struct timespec until;
} awaited;

static int is_waiting_over(void *arg)
{
    awaited *a = arg;
    if (!is_pending(a->step, a->node)) return 1;
    struct timespec now = hr__in_ms(0);
    return now.tv_sec != a->until.tv_sec ? now.tv_sec > a->until.tv_sec : now.tv_nsec > a->until.tv_nsec;
}

/* Works for the pool until the node is there, or POLL_MS; with the lock held before and after. The
 * executor waits for its helpers before it goes. */
static void help_for(hr_step *s, int32_t node, hr_pool *pool)
{
    shared *sh = s->shared;
    awaited a = {s, node, hr__in_ms(POLL_MS)};
    hr__lease lease = {.is_over = is_waiting_over, .arg = &a, .ask_ms = POLL_MS};
    atomic_store_explicit(&s->states[node], STATE_AWAITED, memory_order_relaxed);
    sh->helpers++;
    pthread_mutex_unlock(&sh->lock);
    hr__pool_lend(pool, &lease);
    pthread_mutex_lock(&sh->lock);
    if (--sh->helpers == 0) pthread_cond_broadcast(&sh->ready);
}

void hr__shared_wait_for_helpers(shared *sh)
{
    pthread_mutex_lock(&sh->lock);
    while (sh->helpers) pthread_cond_wait(&sh->ready, &sh->lock);
    pthread_mutex_unlock(&sh->lock);
}

/* Waits until `node` is no longer pending; HR_CANCELLED when `poll` says so. */
static hr_status wait_for(hr_step *s, int32_t node, hr_poll_fn poll, void *arg)
{
    shared *sh = s->shared;
    int cancel = 0;
    while (!cancel && is_pending(s, node)) {
        if (sh->generation != hr__fork_generation()) return HR_STATE; /* its thread is not here */
        pthread_mutex_lock(&sh->lock);
        if (is_pending(s, node)) { /* so the executor lives */
            hr_pool *pool = hr__executor_needs_help(s->executor);
            if (pool) help_for(s, node, pool);
            else sleep_for(s, node);
        }
        pthread_mutex_unlock(&sh->lock);
        if (poll && is_pending(s, node)) cancel = poll(arg);
    }
    return cancel ? HR_CANCELLED : HR_OK;
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
    if (s->n_nodes) /* they are done in order */
        HR_TRY(wait_until_done(s, s->n_nodes - 1, poll, poll_arg, err));
    *node = s->failed;
    return s->failed < 0 ? HR_OK : copy_error(s, err);
}

void hr__step_publish(hr_step *s, int32_t node, int8_t state, const hr_error *err)
{
    shared *sh = s->shared;
    pthread_mutex_lock(&sh->lock);
    if (state == STATE_FAILED && s->failed < 0) {
        s->failed = node;
        s->error = *err;
    }
    int8_t before = atomic_exchange_explicit(&s->states[node], state, memory_order_acq_rel);
    if (sh->waiters) pthread_cond_broadcast(&sh->ready);
    hr_pool *pool = before == STATE_AWAITED ? hr__executor_pool(s->executor) : NULL;
    pthread_mutex_unlock(&sh->lock);
    if (pool) hr__pool_wake(pool);
}
