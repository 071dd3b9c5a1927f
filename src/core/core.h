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

/* CPUs that the control groups (version 1 and 2) of this process allow; 0: no limit. `root` goes
 * before each path that is read: "" but for tests. */
int hr__cgroup_cpus(const char *root);

struct hr_kernels;
/* The table of the level in use. */
const struct hr_kernels *hr__kernels(void);

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

/* ---- args.c: argument values to argument structs --------------------------------- */

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

#endif
