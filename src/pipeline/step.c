/* Steps: values and errors of nodes, and waiting for them. A step has a value for every port; a failed node
 * fails those that need it, with its error. */
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
    size_t size = sizeof(hr_step) + (size_t)n * (sizeof(hr_batch *[MAX_OUT]) + sizeof(int32_t) + 1) +
                  (size_t)n_inputs * sizeof(hr_batch *) + (size_t)n_rngs * sizeof(hr_rng);
    hr_step *s = hr_alloc_zero(1, size);
    if (!s) return NULL;
    s->refs = 1;
    s->number = number;
    s->graph = graph;
    s->n_nodes = n;
    s->n_inputs = n_inputs;
    s->n_rngs = n_rngs;
    s->outs = (void *)(s + 1);
    s->rngs = (void *)(s->outs + n);
    s->inputs = (void *)(s->rngs + n_rngs);
    s->causes = (void *)(s->inputs + n_inputs);
    s->states = (void *)(s->causes + n);
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
    while (s->failures) {
        failure *next = s->failures->next;
        if (s->failures != &s->first) hr_free(s->failures);
        s->failures = next;
    }
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

/* The error behind a failed node. */
static hr_status copy_error(hr_step *s, int32_t node, hr_error *err)
{
    pthread_mutex_lock(&s->shared->lock);
    const failure *f = s->failures;
    while (f->next && f->node != s->causes[node]) f = f->next; /* the last one: if memory ran out */
    hr_status status = f->error.status;
    if (err && err->status == HR_OK) *err = f->error;
    pthread_mutex_unlock(&s->shared->lock);
    return status;
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
    if (state_of(s, port.node) == STATE_FAILED) return copy_error(s, port.node, err);
    *out = hr_batch_ref(port.node < 0 ? s->inputs[-1 - port.node]
                                      : s->outs[port.node][port.out]);
    return HR_OK;
}

int32_t hr__step_cause(hr_step *s, int32_t node)
{
    return node >= 0 && state_of(s, node) == STATE_FAILED ? s->causes[node] : -1;
}

hr_status hr__step_finish(hr_step *s, hr_poll_fn poll, void *poll_arg, int *has_failed, hr_error *err)
{
    *has_failed = 0;
    if (s->n_nodes) /* they are done in order */
        HR_TRY(wait_until_done(s, s->n_nodes - 1, poll, poll_arg, err));
    *has_failed = s->failures != NULL;
    return HR_OK;
}

/* With the lock held. Without memory the node has the latest error that there is room for. */
static void add_failure(hr_step *s, int32_t node, const hr_error *err)
{
    failure **end = &s->failures, *f = s->failures ? hr_alloc(1, sizeof *f) : &s->first;
    if (!f) return;
    while (*end) end = &(*end)->next;
    *f = (failure){.node = node, .error = *err};
    *end = f;
}

/* Lets the lock go, which is held. */
static void set_state(hr_step *s, int32_t node, int8_t state)
{
    shared *sh = s->shared;
    int8_t before = atomic_exchange_explicit(&s->states[node], state, memory_order_acq_rel);
    if (sh->waiters) pthread_cond_broadcast(&sh->ready);
    hr_pool *pool = before == STATE_AWAITED ? hr__executor_pool(s->executor) : NULL;
    pthread_mutex_unlock(&sh->lock);
    if (pool) hr__pool_wake(pool);
}

void hr__step_publish(hr_step *s, int32_t node, const hr_error *err)
{
    pthread_mutex_lock(&s->shared->lock);
    s->causes[node] = node;
    if (err->status != HR_OK) add_failure(s, node, err);
    set_state(s, node, err->status == HR_OK ? STATE_DONE : STATE_FAILED);
}

void hr__step_publish_caused(hr_step *s, int32_t node, int32_t cause)
{
    pthread_mutex_lock(&s->shared->lock);
    s->causes[node] = s->causes[cause];
    set_state(s, node, STATE_FAILED);
}
