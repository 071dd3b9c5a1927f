/* The list of what owns threads, and the fork counter: after fork the child has none of them. */
#include "core/core.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hr__stopper *head; /* lock */
static _Atomic uint32_t generation;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork_parent(void) { pthread_mutex_unlock(&lock); }
static void after_fork_child(void)
{
    atomic_fetch_add(&generation, 1);
    for (hr__stopper *s = head; s; s = s->next)
        if (s->forked) s->forked(s->arg);
    pthread_mutex_unlock(&lock);
}

static void hook_fork(void)
{
    hr__memory_hook_fork(); /* a thread that is joined under our lock may still free memory */
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

uint32_t hr__fork_generation(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hook_fork);
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

void hr__stopper_add(hr__stopper *s)
{
    hr__fork_generation();
    pthread_mutex_lock(&lock);
    s->prev = NULL;
    s->next = head;
    if (head) head->prev = s;
    head = s;
    pthread_mutex_unlock(&lock);
}

void hr__stopper_remove(hr__stopper *s)
{
    pthread_mutex_lock(&lock);
    if (s->prev) s->prev->next = s->next; else head = s->next;
    if (s->next) s->next->prev = s->prev;
    pthread_mutex_unlock(&lock);
}

void hr_shutdown(void)
{
    pthread_mutex_lock(&lock);
    for (hr__stopper *s = head; s; s = s->next) s->stop(s->arg);
    pthread_mutex_unlock(&lock);
}
