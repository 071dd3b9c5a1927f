/* Pools, a count of the process's threads, and work that counts its items. */
#ifndef HR_TESTS_POOL_FIXTURE_H
#define HR_TESTS_POOL_FIXTURE_H

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>
#include <headrace/headrace.h>

static inline hr_pool *make_pool(int n)
{
    hr_pool *p = NULL;
    assert_int_equal(hr_pool_create(&p, n, NULL), HR_OK);
    return p;
}

static inline void sleep_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&t, &t)) continue;
}

/* Threads of this process; -1 where /proc does not tell. */
static inline int thread_count(void)
{
    DIR *d = opendir("/proc/self/task");
    if (!d) return -1;
    int n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* A thread that was joined may be in /proc for a moment longer. */
static inline void check_thread_count(int expected)
{
    for (int i = 0; i < 2000 && thread_count() != expected; i++) sleep_ms(1);
    assert_int_equal(thread_count(), expected);
}

typedef struct tally {
    _Atomic int seen[1000];
    _Atomic int done;
    int64_t fail_at;
    int wait_ms;
} tally;

static inline hr_status count_item(void *arg, int64_t i, hr_error *err)
{
    tally *t = arg;
    atomic_fetch_add(&t->seen[i], 1);
    if (t->wait_ms) sleep_ms(t->wait_ms);
    atomic_fetch_add(&t->done, 1);
    if (i == t->fail_at) return hr_fail(err, HR_DATA, "item %d is broken", (int)i);
    return HR_OK;
}

/* The caller's own item is short, a helper's is long: it is asked while it waits. */
static inline hr_status one_long_item(void *arg, int64_t i, hr_error *err)
{
    (void)err;
    pthread_t *caller = arg;
    if (pthread_equal(*caller, pthread_self())) sleep_ms(5);
    else if (i >= 0) sleep_ms(400);
    return HR_OK;
}

#endif
