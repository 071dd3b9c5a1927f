/* The thread pool. A job is a range of items; hr_pool_run's lies on its caller's stack, and the caller works
 * on it too, so a pool of n has n - 1 threads of its own. Nobody waits for a submitted job: the thread that
 * leaves it last goes on with what comes after it. Threads start with the first job that wants them. */
#include <headrace/context.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "core/core.h"

typedef hr__job job;

struct hr_pool {
    int size;
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job was added, or the pool ends */
    pthread_cond_t idle; /* a helper left a job */
    pthread_cond_t rest; /* hr__pool_wake: where resting threads wait */
    job *jobs;           /* lock: those with items left, or helpers in them, by rank */
    int stopping;        /* lock */
    int n_started;       /* lock */
    _Atomic int n_cpus;  /* 0: not yet asked for */
    pthread_t *threads;  /* lock */
    hr__stopper stopper;
};

/* Also in the child of a fork, which has neither the threads nor usable locks. */
static void init_sync(void *arg)
{
    hr_pool *p = arg;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p->work, &attr);
    pthread_cond_init(&p->idle, &attr);
    pthread_cond_init(&p->rest, &attr);
    pthread_condattr_destroy(&attr);
    p->jobs = NULL;
    p->n_started = 0;
    p->stopping = 0;
}

static void fail_job(hr_pool *p, job *j, const hr_error *err)
{
    pthread_mutex_lock(&p->lock);
    if (j->error.status == HR_OK) j->error = *err;
    pthread_mutex_unlock(&p->lock);
    atomic_store(&j->stopped, 1);
}

struct timespec hr__in_ms(int ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ms * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct poller {
    hr_poll_fn fn;
    void *arg;
    double last;
} poller;

enum { POLL_MS = 50 };

static int is_due(const poller *q) { return now_s() - q->last > POLL_MS * 1e-3; }

static void poll_now(hr_pool *p, job *j, poller *q)
{
    if (!q->fn || atomic_load(&j->stopped)) return;
    q->last = now_s();
    if (q->fn(q->arg)) {
        hr_error err = {0};
        hr_status status = hr_fail(&err, HR_CANCELLED, "cancelled");
        (void)status;
        fail_job(p, j, &err);
    }
}

static void run_items(hr_pool *p, job *j, poller *q, const hr__lease *lease)
{
    while (!atomic_load_explicit(&j->stopped, memory_order_relaxed)) {
        if (lease && lease->is_over(lease->arg)) return;
        int64_t i = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (i >= j->n) return;
        hr_error err = {0};
        if (j->fn(j->arg, i, &err) != HR_OK) fail_job(p, j, &err);
        if (q && q->fn && is_due(q)) poll_now(p, j, q);
    }
}

static int has_items(const job *j)
{
    return !atomic_load(&j->stopped) && atomic_load(&j->next) < j->n;
}

static void unlink_job(hr_pool *p, job *j)
{
    if (j->before) j->before->after = j->after; else p->jobs = j->after;
    if (j->after) j->after->before = j->before;
}

/* Takes part in a job; the lock is held before and after. */
static void help(hr_pool *p, job *j, const hr__lease *lease)
{
    j->helpers++;
    pthread_mutex_unlock(&p->lock);
    run_items(p, j, NULL, lease);
    pthread_mutex_lock(&p->lock);
    if (--j->helpers || has_items(j)) return; /* a lease may be over before the items are */
    if (!j->done) {
        pthread_cond_broadcast(&p->idle);
        return;
    }
    unlink_job(p, j); /* it has no items: nobody can come in any more */
    pthread_mutex_unlock(&p->lock);
    j->done(j);
    pthread_mutex_lock(&p->lock);
}

static job *find_work(const hr_pool *p)
{
    job *j = p->jobs;
    while (j && !has_items(j)) j = j->after;
    return j;
}

static void *work(void *arg)
{
    hr_pool *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping) {
        job *j = find_work(p);
        if (j) help(p, j, NULL);
        else pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* A thread that stops working may have been woken for a job, in another's stead. */
static void pass_on(hr_pool *p)
{
    if (find_work(p)) pthread_cond_signal(&p->work);
}

/* Until hr__pool_wake; with the lock held. */
static void rest(hr_pool *p, const hr__lease *lease)
{
    pass_on(p);
    while (!lease->is_over(lease->arg) && lease->is_resting(lease->arg))
        pthread_cond_wait(&p->rest, &p->lock);
}

void hr__pool_lend(hr_pool *p, const hr__lease *lease)
{
    pthread_mutex_lock(&p->lock);
    while (!lease->is_over(lease->arg)) {
        job *j = find_work(p);
        if (lease->is_resting && lease->is_resting(lease->arg)) rest(p, lease);
        else if (j) help(p, j, lease);
        else if (!lease->ask_ms) pthread_cond_wait(&p->work, &p->lock);
        else {
            struct timespec until = hr__in_ms(lease->ask_ms);
            pthread_cond_timedwait(&p->work, &p->lock, &until);
        }
    }
    pass_on(p);
    pthread_mutex_unlock(&p->lock);
}

void hr__pool_wake(hr_pool *p)
{
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->work);
    pthread_cond_broadcast(&p->rest);
    pthread_mutex_unlock(&p->lock);
}

int hr__pool_is_full(hr_pool *p)
{
    int n = atomic_load(&p->n_cpus);
    if (!n) atomic_store(&p->n_cpus, n = hr_cpu_count());
    return p->size >= n;
}

/* Signals belong to the program's own threads. Call with the lock held. */
static void start_threads(hr_pool *p)
{
    if (p->n_started || p->size < 2 || p->stopping) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->n_started < p->size - 1 &&
           pthread_create(&p->threads[p->n_started], NULL, work, p) == 0) {
#if defined(__linux__)
        pthread_setname_np(p->threads[p->n_started], "headrace");
#endif
        p->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_threads(void *arg)
{
    hr_pool *p = arg;
    pthread_mutex_lock(&p->lock);
    int n = p->n_started;
    p->stopping = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < n; i++) pthread_join(p->threads[i], NULL);
    pthread_mutex_lock(&p->lock);
    p->n_started = 0;
    p->stopping = 0;
    pthread_mutex_unlock(&p->lock);
}

hr_status hr_pool_create(hr_pool **out, int n_threads, hr_error *err)
{
    if (n_threads < 0 || n_threads > HR_MAX_THREADS)
        return hr_fail(err, HR_VALUE, "thread count %d is outside 0..%d", n_threads,
                       HR_MAX_THREADS);
    if (n_threads == 0) n_threads = hr_thread_count_default();
    hr_pool *p = hr_alloc_zero(1, sizeof *p + (size_t)n_threads * sizeof(pthread_t));
    if (!p) return hr_fail(err, HR_NOMEM, "no memory for a pool of %d threads", n_threads);
    p->size = n_threads;
    p->threads = (pthread_t *)(p + 1);
    init_sync(p);
    p->stopper = (hr__stopper){.stop = stop_threads, .forked = init_sync, .arg = p};
    hr__stopper_add(&p->stopper);
    *out = p;
    return HR_OK;
}

void hr_pool_destroy(hr_pool **pool)
{
    hr_pool *p = *pool;
    *pool = NULL;
    if (!p) return;
    hr__stopper_remove(&p->stopper);
    stop_threads(p);
    pthread_cond_destroy(&p->rest);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    hr_free(p);
}

int hr_pool_size(const hr_pool *pool) { return pool->size; }

int hr_pool_started(hr_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    int n = pool->n_started;
    pthread_mutex_unlock(&pool->lock);
    return n;
}

/* Into the list, behind those of lower and equal ranks; wakes who may help. Call with the lock held. */
static void link_job(hr_pool *p, job *j)
{
    job *before = NULL, *after = p->jobs;
    while (after && after->rank <= j->rank) {
        before = after;
        after = after->after;
    }
    j->before = before;
    j->after = after;
    if (before) before->after = j; else p->jobs = j;
    if (after) after->before = j;
    if (j->n > 2) pthread_cond_broadcast(&p->work); else pthread_cond_signal(&p->work);
}

/* A poll may fork: the child goes on inside the call, but its helpers stayed with the parent. */
static int is_orphan(const job *j) { return j->process != hr__fork_generation(); }

/* Waits until no helper is inside; call with the lock held. */
static void wait_for_helpers(hr_pool *p, job *j, poller *q)
{
    while (j->helpers && !is_orphan(j)) {
        if (!q->fn) {
            pthread_cond_wait(&p->idle, &p->lock);
            continue;
        }
        struct timespec until = hr__in_ms(POLL_MS);
        pthread_cond_timedwait(&p->idle, &p->lock, &until);
        if (j->helpers && is_due(q)) {
            pthread_mutex_unlock(&p->lock);
            poll_now(p, j, q);
            pthread_mutex_lock(&p->lock);
        }
    }
}

hr_status hr_pool_run(hr_pool *p, int64_t n, hr_task_fn fn, void *arg, hr_poll_fn poll,
                      void *poll_arg, hr_error *err)
{
    job j = {.fn = fn, .arg = arg, .n = n, .rank = INT64_MIN, .process = hr__fork_generation()};
    poller q = {poll, poll_arg, poll ? now_s() : 0};
    int shared = p->size > 1 && n > 1;
    if (shared) {
        pthread_mutex_lock(&p->lock);
        start_threads(p);
        link_job(p, &j);
        pthread_mutex_unlock(&p->lock);
    }
    run_items(p, &j, &q, NULL);
    if (shared) {
        pthread_mutex_lock(&p->lock);
        if (!is_orphan(&j)) unlink_job(p, &j);
        wait_for_helpers(p, &j, &q);
        pthread_mutex_unlock(&p->lock);
        if (is_orphan(&j))
            return hr_fail(err, HR_STATE, "the process was forked in the middle of this call");
    }
    if (j.error.status != HR_OK && err && err->status == HR_OK) *err = j.error;
    return j.error.status;
}

void hr__pool_submit(hr_pool *p, hr__job *j)
{
    j->next = 0;
    j->stopped = 0;
    j->helpers = 0;
    j->process = hr__fork_generation();
    j->error.status = HR_OK;
    pthread_mutex_lock(&p->lock);
    start_threads(p);
    link_job(p, j);
    pthread_mutex_unlock(&p->lock);
}
