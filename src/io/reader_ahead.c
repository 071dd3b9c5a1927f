/* Reading ahead: threads claim places of the stream in order and put what they read into a ring,
 * from which the reader takes it in the same order. A seek makes a new generation: what older
 * claims bring is let go. Bounded by items and by bytes; the item that is waited for may always be
 * read. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "io/reader_engine.h"

enum { N_THREADS = 4, MIN_ITEMS = 16, MAX_ITEMS = 1024, RUN = 16 };
static const int64_t poll_ns = 50000000;
static const int64_t quick_ns = 20000; /* an item that is read faster is one of a run */
static const size_t max_bytes = (size_t)64 << 20;

typedef struct slot {
    int is_done; /* the rest is filled */
    hr_status status;
    hr_error *error; /* NULL: no memory for it */
    int64_t item;
    hr_skip_reason reason;
    size_t bytes;
} slot;

/* What one thread reads a run of items into, then moved to the ring. */
typedef struct desk {
    hr_tensor *out;
    int64_t *small;
    const hr__stretch *stretch; /* NULL: none */
} desk;

struct hr__ahead {
    hr__ahead_source source;
    int n_out;
    uint32_t process; /* fork generation that the threads belong to */
    hr__stopper stopper;
    int64_t polled_ns; /* the owner's: when it last polled */

    pthread_mutex_t lock; /* all below */
    pthread_cond_t space; /* a claim became possible, or the threads are to end */
    pthread_cond_t ready; /* the slot `awaited` is done, or a thread ran out of claims */
    int64_t awaited;      /* -1: nobody waits */
    pthread_t threads[N_THREADS];
    int n_started, n_seated; /* threads made, and those that have their desk */
    int n_idle, stopping;
    int n_cpus; /* 0: not yet asked for */
    int is_parked; /* no reading ahead until the next item is asked for */
    hr__orders orders;
    uint64_t generation;
    hr__place head, next;    /* of the items `taken` and `claimed` */
    int64_t taken, claimed;  /* running numbers; the ring holds those between */
    int64_t room;            /* slots of the ring; 0: no seek yet */
    size_t bytes;            /* in done slots */
    int is_quick;            /* the items of the latest run were */
    slot *slots;
    hr_tensor *outs; /* room * n_out */
    int64_t *smalls; /* room * n_out */
    desk desks[N_THREADS + 1]; /* the last one is the owner's */
};

void hr__item_put_i32(hr_item *item, int k, int32_t value)
{
    hr_tensor *t = &item->out[k];
    t->dtype = HR_I32;
    t->ndim = 1;
    t->shape[0] = 1;
    t->stride[0] = (int64_t)sizeof value;
    memcpy(&item->small[k], &value, sizeof value);
}

static void clear_tensors(hr_tensor *t, int n)
{
    for (int k = 0; k < n; k++) hr_tensor_clear(&t[k]);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- one item -------------------------------------------------------------------- */

static hr_status fetch(const hr__ahead *a, int64_t i, const desk *d, hr_skip_reason *reason,
                       hr_error *err)
{
    hr_item item = {.out = d->out, .small = d->small, .stretch = d->stretch,
                    .check_kind = a->source.check_kind};
    hr_status status = a->source.desc->ops->fetch(a->source.self, i, &item, err);
    *reason = HR_SKIP_NONE;
    if (status == HR_OK) return HR_OK;
    if (status == HR_IO || status == HR_DATA || status == HR_UNSUPPORTED) *reason = item.reason;
    hr_error_prefix(err, "item %lld", (long long)i);
    clear_tensors(d->out, a->n_out);
    return status;
}

static void clear_slot(hr__ahead *a, int64_t number)
{
    slot *s = &a->slots[number % a->room];
    if (!s->is_done) return;
    clear_tensors(a->outs + number % a->room * a->n_out, a->n_out);
    hr_free(s->error);
    a->bytes -= s->bytes;
    *s = (slot){0};
}

static size_t bytes_of(const hr_tensor *t, int n)
{
    size_t bytes = 0;
    for (int k = 0; k < n; k++) bytes += t[k].buf ? hr_tensor_nbytes(&t[k]) : 0;
    return bytes;
}

/* Moves what lies on the desk into slot `number`; the lock is held. */
static void publish(hr__ahead *a, int64_t number, const desk *d, const slot *result)
{
    slot *s = &a->slots[number % a->room];
    *s = *result;
    s->is_done = 1;
    s->bytes = bytes_of(d->out, a->n_out);
    a->bytes += s->bytes;
    size_t at = (size_t)(number % a->room) * (size_t)a->n_out;
    memcpy(a->outs + at, d->out, (size_t)a->n_out * sizeof *d->out);
    memcpy(a->smalls + at, d->small, (size_t)a->n_out * sizeof *d->small);
    memset(d->out, 0, (size_t)a->n_out * sizeof *d->out);
    if (number == a->awaited) pthread_cond_signal(&a->ready);
}

static int can_claim(const hr__ahead *a)
{
    int64_t ahead = a->claimed - a->taken;
    return !a->is_parked && ahead < a->room && (ahead == 0 || a->bytes < max_bytes);
}

/* Reads an item into place `k` of the desk. */
static void read_item(const hr__ahead *a, const desk *d, int k, slot *result)
{
    desk place = {d->out + k * a->n_out, d->small + k * a->n_out, d->stretch};
    hr_error err = {0};
    result->status = fetch(a, result->item, &place, &result->reason, &err);
    if (result->status == HR_OK) return;
    result->error = hr_alloc(1, sizeof *result->error);
    if (result->error) *result->error = err;
}

static void read_run(const hr__ahead *a, const desk *d, slot *results, int n)
{
    const hr_reader_ops *ops = a->source.desc->ops;
    hr__stretch stretch = {0};
    int64_t items[RUN];
    for (int k = 0; k < n; k++) items[k] = results[k].item;
    if (n > 1 && ops->read_stretch) ops->read_stretch(a->source.self, items, n, &stretch);
    desk with = {d->out, d->small, &stretch};
    for (int k = 0; k < n; k++) read_item(a, &with, k, &results[k]);
    hr_buf_unref(&stretch.buf, 1);
}

/* Claims the items of a run: one, or several while items take no longer than handing them over. */
static int claim_run(hr__ahead *a, slot *results)
{
    int64_t most = a->is_quick ? a->room / 8 : 1; /* the other threads shall have some, too */
    int n = 0;
    do {
        results[n++] = (slot){.item = hr__orders_item(&a->orders, a->next)};
        a->next = hr__orders_next(&a->orders, a->next);
        a->claimed++;
    } while (n < most && n < RUN && can_claim(a));
    return n;
}

/* Claims, reads and publishes a run of items; the lock is held, but not while reading. */
static void work_once(hr__ahead *a, const desk *d)
{
    int64_t first = a->claimed;
    uint64_t generation = a->generation;
    slot results[RUN];
    int n = claim_run(a, results);
    pthread_mutex_unlock(&a->lock);

    int64_t begin = now_ns();
    read_run(a, d, results, n);
    int64_t end = now_ns();

    pthread_mutex_lock(&a->lock);
    a->is_quick = end - begin < n * quick_ns;
    for (int k = 0; k < n; k++) {
        desk place = {d->out + k * a->n_out, d->small + k * a->n_out, NULL};
        if (generation == a->generation && first + k >= a->taken) {
            publish(a, first + k, &place, &results[k]);
        } else {
            clear_tensors(place.out, a->n_out);
            hr_free(results[k].error);
        }
    }
}

/* ---- threads --------------------------------------------------------------------- */


static void *run(void *arg)
{
    hr__ahead *a = arg;
    pthread_mutex_lock(&a->lock);
    const desk *d = &a->desks[a->n_seated++];
    while (!a->stopping) {
        if (can_claim(a)) {
            work_once(a, d);
            continue;
        }
        a->n_idle++;
        if (a->awaited >= 0) pthread_cond_signal(&a->ready);
        pthread_cond_wait(&a->space, &a->lock);
        a->n_idle--;
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void init_sync(hr__ahead *a)
{
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->space, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&a->ready, &attr);
    pthread_condattr_destroy(&attr);
    a->process = hr__fork_generation();
    a->n_started = 0;
    a->n_seated = 0;
    a->n_idle = 0;
    a->stopping = 0;
    a->awaited = -1;
}

/* Lets go of all that was read; the place stays. */
static void drain(hr__ahead *a)
{
    for (int64_t i = a->taken; i < a->claimed; i++) clear_slot(a, i);
    a->generation++;
    a->claimed = a->taken;
    a->next = a->head;
}

/* After fork the child has no threads: it begins anew at its place. If a thread was writing when
 * the process forked, what lay in the ring cannot be trusted and is left alone. */
static void enter_process(hr__ahead *a)
{
    if (a->process == hr__fork_generation()) return;
    int is_sound = pthread_mutex_trylock(&a->lock) == 0;
    if (is_sound) pthread_mutex_unlock(&a->lock);
    init_sync(a);
    if (!is_sound && a->room) {
        memset(a->slots, 0, (size_t)a->room * sizeof *a->slots);
        a->bytes = 0;
    }
    for (int i = 0; i <= N_THREADS; i++)
        memset(a->desks[i].out, 0, RUN * (size_t)a->n_out * sizeof *a->desks[i].out);
    a->orders.shuffled = -1;
    if (a->room) drain(a);
}

static void stop_threads(void *arg)
{
    hr__ahead *a = arg;
    enter_process(a);
    pthread_mutex_lock(&a->lock);
    int n = a->n_started;
    a->stopping = 1;
    pthread_cond_broadcast(&a->space);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < n; i++) pthread_join(a->threads[i], NULL);
    pthread_mutex_lock(&a->lock);
    a->n_started = 0;
    a->n_seated = 0;
    a->stopping = 0;
    pthread_mutex_unlock(&a->lock);
}

/* Does the owner read itself rather than wait? Where items come from memory, the system's or the archive's
 * cache, waking and being woken costs more than they do. Single files may keep a reader waiting for good,
 * so they are left to the threads. */
static int helps(const hr__ahead *a)
{
    return a->is_quick && a->source.desc->ops->read_stretch && can_claim(a);
}

/* One thread more, when the reader has to wait and all that there are have work. Signals belong
 * to the program's own threads. The lock is held. */
static void start_thread(hr__ahead *a)
{
    if (a->n_started == N_THREADS || a->n_idle || a->stopping) return;
    if (!a->n_cpus) a->n_cpus = hr_cpu_count();
    if (a->n_started && helps(a) && a->n_started + 1 >= a->n_cpus) return; /* with the owner */
    if (a->n_started && !can_claim(a)) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t *t = &a->threads[a->n_started];
    if (pthread_create(t, NULL, run, a) == 0) {
        a->n_started++;
#if defined(__linux__)
        pthread_setname_np(*t, "headrace-io");
#endif
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the owner's side ------------------------------------------------------------ */

static void free_ring(hr__ahead *a)
{
    hr_free(a->slots);
    hr_free(a->outs);
    hr_free(a->smalls);
    a->slots = NULL;
    a->outs = NULL;
    a->smalls = NULL;
    a->room = 0;
}

hr_status hr__ahead_create(hr__ahead **out, const hr__ahead_source *source,
                           const hr__orders *orders, hr_error *err)
{
    size_t n_out = (size_t)source->desc->n_out;
    size_t n_desk = RUN * n_out, desk_bytes = n_desk * (sizeof(hr_tensor) + sizeof(int64_t));
    hr__ahead *a = hr_alloc_zero(1, sizeof *a + (N_THREADS + 1) * desk_bytes);
    if (!a) return hr_fail(err, HR_NOMEM, "no memory for a reader");
    a->source = *source;
    a->n_out = (int)n_out;
    a->orders = *orders;
    a->orders.shuffled = -1;
    hr_tensor *outs = (hr_tensor *)(a + 1);
    int64_t *smalls = (int64_t *)(outs + (N_THREADS + 1) * n_desk);
    for (size_t i = 0; i <= N_THREADS; i++)
        a->desks[i] = (desk){outs + i * n_desk, smalls + i * n_desk, NULL};
    init_sync(a);
    a->stopper = (hr__stopper){.stop = stop_threads, .arg = a};
    hr__stopper_add(&a->stopper);
    *out = a;
    return HR_OK;
}

void hr__ahead_destroy(hr__ahead **ahead)
{
    hr__ahead *a = *ahead;
    *ahead = NULL;
    if (!a) return;
    hr__stopper_remove(&a->stopper);
    stop_threads(a);
    if (a->room) drain(a);
    free_ring(a);
    pthread_cond_destroy(&a->ready);
    pthread_cond_destroy(&a->space);
    pthread_mutex_destroy(&a->lock);
    hr_free(a);
}

static hr_status make_ring(hr__ahead *a, int64_t room, hr_error *err)
{
    if (a->room) drain(a);
    free_ring(a);
    size_t n = (size_t)room * (size_t)a->n_out;
    a->slots = hr_alloc_zero((size_t)room, sizeof *a->slots);
    a->outs = hr_alloc_zero(n, sizeof *a->outs);
    a->smalls = hr_alloc_zero(n, sizeof *a->smalls);
    if (!a->slots || !a->outs || !a->smalls) {
        free_ring(a);
        return hr_fail(err, HR_NOMEM, "no memory to read %lld items ahead", (long long)room);
    }
    a->taken = 0;
    a->claimed = 0;
    a->room = room;
    return HR_OK;
}

static int64_t room_for(const hr__ahead *a, int64_t batch_size)
{
    int64_t batches = a->source.batches < MAX_ITEMS ? a->source.batches + 1 : MAX_ITEMS;
    int64_t items = batch_size < MAX_ITEMS ? batch_size * batches : MAX_ITEMS;
    return items < MIN_ITEMS ? MIN_ITEMS : items > MAX_ITEMS ? MAX_ITEMS : items;
}

static int is_same(hr__place p, hr__place q)
{
    return p.order == q.order && p.offset == q.offset;
}

/* Moves to `at`: a place that was claimed already keeps what was read from there on. */
static void move_to(hr__ahead *a, hr__place at)
{
    int64_t number = a->taken;
    hr__place p = a->head;
    while (number < a->claimed && !is_same(p, at)) {
        p = hr__orders_next(&a->orders, p);
        number++;
    }
    if (is_same(p, at)) {
        for (; a->taken < number; a->taken++) clear_slot(a, a->taken);
        a->head = at;
    } else {
        a->head = at;
        drain(a);
    }
}

hr_status hr__ahead_seek(hr__ahead *a, hr__place at, int64_t batch_size, hr_error *err)
{
    enter_process(a);
    pthread_mutex_lock(&a->lock);
    int64_t room = room_for(a, batch_size);
    hr_status status = room == a->room ? HR_OK : make_ring(a, room, err);
    if (status == HR_OK) move_to(a, at);
    pthread_mutex_unlock(&a->lock);
    return status;
}

void hr__ahead_rewind(hr__ahead *a, hr__place at)
{
    enter_process(a);
    pthread_mutex_lock(&a->lock);
    a->head = at;
    drain(a);
    a->is_parked = 1;
    pthread_mutex_unlock(&a->lock);
}

void hr__ahead_rest(hr__ahead *a)
{
    stop_threads(a);
    pthread_mutex_lock(&a->lock);
    if (a->room) drain(a);
    a->is_parked = 1;
    pthread_mutex_unlock(&a->lock);
}

hr__place hr__ahead_place(const hr__ahead *a) { return a->head; }

void hr__ahead_reseed(hr__ahead *a, uint64_t seed)
{
    enter_process(a);
    pthread_mutex_lock(&a->lock);
    if (seed != a->orders.seed) {
        a->orders.seed = seed;
        a->orders.shuffled = -1;
        if (a->room) drain(a);
    }
    pthread_mutex_unlock(&a->lock);
}

/* Wakes idle threads once there is a good deal of room, not for each item. */
static void wake_threads(hr__ahead *a, int is_waiting)
{
    if (!a->n_idle || !can_claim(a)) return;
    int64_t ahead = a->claimed - a->taken;
    int much = ahead * 2 <= a->room && a->bytes <= max_bytes / 2;
    if (much || is_waiting) pthread_cond_broadcast(&a->space);
}

/* Waits a little for the next slot, or polls when it is time; the lock is held, but not then. */
static hr_status wait_a_little(hr__ahead *a, hr__poll poll, hr_error *err)
{
    int64_t now = now_ns();
    if (poll.fn && now - a->polled_ns >= poll_ns) {
        pthread_mutex_unlock(&a->lock);
        int cancel = poll.fn(poll.arg);
        pthread_mutex_lock(&a->lock);
        a->polled_ns = now;
        return cancel ? hr_fail(err, HR_CANCELLED, "cancelled") : HR_OK;
    }
    wake_threads(a, 1);
    now += poll_ns;
    struct timespec t = {(time_t)(now / 1000000000), (long)(now % 1000000000)};
    pthread_cond_timedwait(&a->ready, &a->lock, &t);
    return HR_OK;
}

static int is_done(const hr__ahead *a, int64_t number) { return a->slots[number % a->room].is_done; }

/* Waits for the next slot. A caller that takes `more` after it sleeps until some of those are done
 * as well, rather than waking up for each; should the threads have nothing left to claim before,
 * for the next one alone. */
static hr_status await(hr__ahead *a, int64_t more, hr__poll poll, hr_error *err)
{
    int64_t reach = more < a->room / 4 ? more : a->room / 4;
    hr_status status = HR_OK;
    while (status == HR_OK && !is_done(a, a->taken)) {
        start_thread(a);
        if (a->n_started == 0 || helps(a)) { /* the system may give us no threads */
            work_once(a, &a->desks[N_THREADS]);
            continue;
        }
        if (is_done(a, a->taken + reach) || (a->n_idle && !can_claim(a))) reach = 0;
        a->awaited = a->taken + reach;
        status = wait_a_little(a, poll, err);
        a->awaited = -1;
        reach = 0;
    }
    return status;
}

static hr_status move_out(hr__ahead *a, hr__taken *out, hr_error *err)
{
    int64_t number = a->taken;
    slot *s = &a->slots[number % a->room];
    size_t at = (size_t)(number % a->room) * (size_t)a->n_out;
    memcpy(out->out, a->outs + at, (size_t)a->n_out * sizeof *out->out);
    memcpy(out->small, a->smalls + at, (size_t)a->n_out * sizeof *out->small);
    memset(a->outs + at, 0, (size_t)a->n_out * sizeof *out->out);
    hr_status status = s->status;
    out->item = s->item;
    out->reason = s->reason;
    if (status != HR_OK && s->error && err) *err = *s->error;
    if (status != HR_OK && !s->error) status = hr_fail(err, HR_NOMEM, "no memory for an item");
    clear_slot(a, number);
    a->taken++;
    a->head = hr__orders_next(&a->orders, a->head);
    return status;
}

hr_status hr__ahead_take(hr__ahead *a, hr__taken *out, hr__poll poll, hr_error *err)
{
    enter_process(a);
    pthread_mutex_lock(&a->lock);
    a->is_parked = 0;
    hr_status status = await(a, out->more, poll, err);
    if (status == HR_OK) {
        status = move_out(a, out, err);
        wake_threads(a, 0);
    }
    pthread_mutex_unlock(&a->lock);
    return status;
}

hr_status hr__ahead_fetch(hr__ahead *a, hr__place at, hr__taken *out, hr_error *err)
{
    enter_process(a);
    pthread_mutex_lock(&a->lock);
    out->item = hr__orders_item(&a->orders, at);
    pthread_mutex_unlock(&a->lock);
    desk d = {out->out, out->small, NULL};
    return fetch(a, out->item, &d, &out->reason, err);
}
