/* The core room's private face: what other rooms may use besides the public headers. */
#ifndef HR_CORE_CORE_H
#define HR_CORE_CORE_H

#include <headrace/headrace.h>

/* ---- arena.c: scratch memory with stack discipline, one per thread --------------- */

typedef struct hr__arena_mark {
    void *chunk;
    size_t used;
} hr__arena_mark;

/* The calling thread's arena, freed when the thread ends; NULL when memory is out. */
hr_arena *hr__arena_of_thread(void);
hr__arena_mark hr__arena_get_mark(const hr_arena *arena);
/* Everything taken since `mark` is given up. */
void hr__arena_release(hr_arena *arena, hr__arena_mark mark);

/* ---- memory.c -------------------------------------------------------------------- */

/* Bytes handed out and not yet freed: hr_alloc_stats.live_bytes without a lock. */
uint64_t hr__alloc_live_bytes(void);
/* Makes fork wait for the allocator. Whoever takes a lock of its own round fork calls this first:
 * fork takes the locks in the reverse order, the allocator's last. */
void hr__memory_hook_fork(void);

/* ---- stand_in.c ------------------------------------------------------------------ */

/* A sample of `like`'s type and rank with equal extents (files: a small picture) for the shape
 * rules of an empty batch; NULL when there is none. */
const hr_tensor *hr__stand_in(const hr_in_desc *desc, const hr_tensor *like, int64_t extent,
                              hr_arena *arena);

/* ---- cpu.c ----------------------------------------------------------------------- */


struct hr_kernels;
/* The table of the level in use. */
const struct hr_kernels *hr__kernels(void);

/* ---- cgroup.c -------------------------------------------------------------------- */

/* CPUs that the control groups (version 1 and 2) of this process allow; 0: no limit. `root` goes
 * before each path that is read: "" but for tests. */
int hr__cgroup_cpus(const char *root);
/* Bytes of memory, likewise. */
int64_t hr__cgroup_memory(const char *root);
/* Bytes that this process may use: the machine's, or its control groups' limit; 0: unknown. */
int64_t hr__memory_size(void);

/* ---- shutdown.c: what owns threads registers how to stop them -------------------- */

typedef struct hr__stopper {
    void (*stop)(void *arg); /* joins threads; they may be started anew later */
    void (*forked)(void *arg); /* in the child, before anything else runs there; may be NULL */
    void *arg;
    struct hr__stopper *next, *prev;
} hr__stopper;

void hr__stopper_add(hr__stopper *s);
void hr__stopper_remove(hr__stopper *s);
/* Number of forks between the first process that used the library and this one: what holds
 * threads compares it to learn that they are gone. */
uint32_t hr__fork_generation(void);

/* `ms` from now, for a pthread_cond_timedwait on the monotonic clock. */
struct timespec hr__in_ms(int ms);

/* ---- pool.c: work that nobody waits for ------------------------------------------ */

/* Items 0..n-1 for whoever of the pool's threads is free. The job's memory is its owner's, until `done`. */
typedef struct hr__job {
    hr_task_fn fn;
    void *arg;
    int64_t n;
    int64_t rank; /* items of lower ranks go first; hr_pool_run's before them all */
    /* Called once, on the thread that left last, without locks, when no item is left or one failed:
     * `error` tells. It may submit the job anew. NULL: hr_pool_run waits for it. */
    void (*done)(struct hr__job *job);
    hr_error error;       /* pool's lock */
    _Atomic int64_t next; /* first item that nobody has taken */
    _Atomic int stopped;  /* a failure or a cancel: take no more */
    uint32_t process;     /* the fork generation that it was begun in */
    int helpers;          /* pool's lock: threads inside */
    struct hr__job *after, *before; /* pool's lock */
} hr__job;

/* Sets what is not the owner's, and puts the job in line. n > 0. */
void hr__pool_submit(hr_pool *pool, hr__job *job);
/* How long a thread works for a pool beside the pool's own. Both functions are asked before each item or
 * job, some times with the pool's lock held, and again after hr__pool_wake. */
typedef struct hr__lease {
    int (*is_over)(void *arg);
    int (*is_resting)(void *arg); /* NULL: never */
    void *arg;
    int ask_ms; /* > 0: ask that often while there is nothing to do */
} hr__lease;
void hr__pool_lend(hr_pool *pool, const hr__lease *lease);
void hr__pool_wake(hr_pool *pool);
/* With one thread more than the pool has, are there more than cores? */
int hr__pool_is_full(hr_pool *pool);

/* ---- call.c: a call whose samples another runs ----------------------------------- */

typedef struct hr__op_call hr__op_call;
typedef struct hr__call_request {
    const hr_op_desc *op;
    const hr_input *ins;
    int n_ins;
    const hr_value *values;
    const hr_call_options *options; /* without poll, begin_long and end_long */
    hr_arena *arena;
} hr__call_request;

/* All but the samples: checks, arguments, shapes, memory. What the request points to, and what was taken
 * from its arena since, stays until the call is ended. `err` is not NULL. */
HR_CHECKED hr_status hr__call_begin(hr__op_call **out, const hr__call_request *r, hr_error *err);
/* Samples worth sharing among threads, each by hr__call_run_one; 0: use hr__call_run_in_turn. */
int64_t hr__call_share(hr__op_call *call);
HR_CHECKED hr_status hr__call_run_in_turn(hr__op_call *call, hr_error *err);
HR_CHECKED hr_status hr__call_run_one(hr__op_call *call, int64_t i, hr_error *err);
/* Hands the outputs over; frees them where `status` is not HR_OK. */
void hr__call_end(hr__op_call *call, hr_status status, hr_batch **outs);

/* ---- args.c: argument values to argument structs --------------------------------- */

/* An argument of a struct that several operators embed as `member` of their own. */
#define HR__MEMBER_ARG(type, member, field, kind_, ...)                                \
    { .name = #field, .kind = HR_ARG_##kind_, .offset = offsetof(type, member.field),  \
      __VA_ARGS__ }

typedef struct hr__args_request {
    const hr_arg_desc *args;
    int n_args;
    size_t size;
    const char *owner; /* for messages: the operator's name */
    const hr_value *values;
    int64_t n; /* samples; values of kind BATCH have as many */
    hr_arena *arena;
} hr__args_request;

typedef struct hr__args_bound {
    char *data;
    size_t stride; /* 0: one struct for all samples */
    uint64_t given;
} hr__args_bound;

hr_status hr__args_bind_all(const hr__args_request *r, hr__args_bound *out, hr_error *err);

/* ---- call.c ---------------------------------------------------------------------- */

/* "uint8, int16": the types of a set of HR_DTYPES. What does not fit is left out. */
void hr__dtype_names(uint64_t types, char *text, size_t size);

/* Of `dtype` and its former name `output_dtype` one may be given. HR_TYPE. For setup. */
HR_CHECKED hr_status hr__call_check_dtypes(const hr_call *call, hr_error *err);

#endif
