/* Where operators run: thread pools, and the CPU level whose kernels they use.
 * Thread use: all functions may be called from several threads at once; hr_pool_destroy and hr_shutdown
 * want no work to be running. */
#ifndef HR_CONTEXT_H
#define HR_CONTEXT_H

#include <headrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_pool hr_pool;

/* A pool of `n_threads` threads, the caller's included; 0 means hr_thread_count_default().
 * Threads start with the first work, end with the pool, and are started anew after fork.
 * HR_VALUE outside 0..HR_MAX_THREADS; HR_NOMEM. */
enum { HR_MAX_THREADS = 4096 };
HR_API HR_CHECKED hr_status hr_pool_create(hr_pool **out, int n_threads, hr_error *err);
/* Joins the threads. No work may be running. NULL is allowed. */
HR_API void hr_pool_destroy(hr_pool **pool);
HR_API int hr_pool_size(const hr_pool *pool);
HR_API int hr_pool_started(hr_pool *pool); /* threads of its own that run by now */

/* Runs fn(arg, i) for i in 0..n-1 on the pool and the calling thread; returns when all are done.
 * The first failure stops what has not begun and is returned. `poll`, if given, is called on the
 * calling thread at least every 50 ms between items; non-zero cancels (HR_CANCELLED). */
typedef hr_status (*hr_task_fn)(void *arg, int64_t i, hr_error *err);
typedef int (*hr_poll_fn)(void *arg);
HR_API HR_CHECKED hr_status hr_pool_run(hr_pool *pool, int64_t n, hr_task_fn fn, void *arg,
                                        hr_poll_fn poll, void *poll_arg, hr_error *err);

/* HEADRACE_NUM_THREADS, else OMP_NUM_THREADS, else hr_cpu_count(). */
HR_API int hr_thread_count_default(void);
/* CPUs that this process may use: affinity mask and cgroup quota. At least 1. */
HR_API int hr_cpu_count(void);

typedef enum hr_cpu_level { HR_CPU_BASE, HR_CPU_AVX2, HR_CPU_AVX512 } hr_cpu_level;
/* The level in use: what the machine has, lowered by HEADRACE_CPU=base|avx2|avx512. */
HR_API hr_cpu_level hr_cpu_level_get(void);
/* "base", "avx2", "avx512". */
HR_API const char *hr_cpu_level_name(hr_cpu_level level);
/* Lowers (or raises, up to the machine's) the level for work that starts from now on. HR_VALUE
 * for a level that the machine lacks. */
HR_API HR_CHECKED hr_status hr_cpu_level_set(hr_cpu_level level, hr_error *err);

/* Joins every thread that the library has running: pools' and readers'. Call it before the process
 * ends, or let it run: threads start anew with the next work. No work may be running. */
HR_API void hr_shutdown(void);

/* The library's version, "1.2.3". */
HR_API const char *hr_version(void);

#ifdef __cplusplus
}
#endif
#endif
