/* Captured loops: what a root's loops share, the sites of calls, and the hooks that operators,
 * generators and batches have. */
#ifndef HR_EXT_CAPTURE_H
#define HR_EXT_CAPTURE_H

#include "capture_rows.h"
#include "invariant.h"
#include "pipeline/pipeline.h"

typedef enum capture_state {
    CAPTURE_TRACING,  /* the next step is traced, or is being traced */
    CAPTURE_REPLAYING,
    CAPTURE_DISABLED, /* nothing was recorded: the rest of the epoch is eager */
    CAPTURE_STATES,
} capture_state;

typedef enum record_kind { RECORD_PORT, RECORD_MARKED, RECORD_CONSTANT } record_kind;

/* An argument of a recorded call that was present (not None). */
typedef struct arg_record {
    record_kind kind;
    int is_data;     /* not PORT: a batch or tensor */
    hr_port port;    /* PORT */
    PyObject *value; /* as it was passed; NULL for PORT */
} arg_record;

/* A recorded call. */
typedef struct site {
    PyObject *op;
    frame_key *chain; /* from the caller outwards */
    int n_chain, depth; /* `depth` frames tell it from every other site */
    Py_ssize_t n_args;  /* positional, then keyword; rng, device and batch_size left out */
    Py_ssize_t n_positional;
    int n_out;
    PyObject *kwnames;  /* as passed, or NULL */
    arg_record *args;   /* one an entry of the call, kind -1 where absent or left out */
    int32_t node;
    int has_port;       /* an argument is a result of the step */
    int has_size;       /* batch_size was given */
    int row;            /* of the capture's rows, or -1 */
    int rng;            /* index in the capture's generators; -1: none */
    uint64_t rng_drawn; /* the generator's count of words in front of the call */
    int warned;         /* the user was, that it ran more than once in a step */
    int64_t used_in;    /* last step that took its result: a random site serves once a step */
    int next;           /* in the hash chain; -1 ends */
} site;

typedef struct tracked_rng {
    rng_object *rng;
    hr_rng start;       /* at the start of the current step */
    uint64_t replaced;  /* rng->replaced that is expected */
    uint64_t mark;      /* rng->drawn at the start of the traced step */
    uint64_t begun;     /* rng->drawn at the start of the current step */
    uint64_t period;    /* words a step */
} tracked_rng;

/* Counts and nanoseconds of the driving thread; arrays by capture_state. */
typedef struct loop_clock {
    int64_t given[CAPTURE_STATES];   /* steps */
    int64_t bodies[CAPTURE_STATES];  /* that ended, and their time without waiting */
    int64_t body_ns[CAPTURE_STATES];
    int64_t source_ns;               /* pulling the root and the feeders ahead */
    int64_t wait_ns;                 /* for results: in the body, and where a step is left */
    int64_t asked, ready, ahead;     /* steps asked for; sums of those complete and in line then */
    int64_t entered, waited;         /* the body that runs; 0: none */
    int64_t cpu_entered, cpu_waited; /* its thread's time, where it is measured; 0: not in this step */
    int64_t cpu_sum, wall_sum;       /* of the bodies measured last */
} loop_clock;

/* When a thread began to wait. */
typedef struct wait_begin {
    int64_t wall, cpu;
} wait_begin;

/* What the executors did. */
typedef struct pipeline_use {
    int64_t steps, busy_ns, bytes_in, peak_bytes;
} pipeline_use;

enum { SITE_BUCKETS = 256, MAX_SOURCES = 64, MAX_RNGS = 64 };

/* A second copy of a call's instruction, and the first (capture_alias.c). */
typedef struct place_alias {
    PyCodeObject *code;
    int offset, first;
} place_alias;

typedef struct capture_object {
    PyObject_HEAD
    capture_state state;
    int64_t batch_size;
    int64_t step;        /* running number of the step in the body; -1 before the first */
    uint64_t id;         /* of this trace: provenance of another trace never matches */
    int n_sources;       /* step inputs: the root's outputs, then the feeders' */
    site *sites;
    int n_sites, room_sites;
    int buckets[SITE_BUCKETS];
    place_alias *aliases;
    int n_aliases;
    tracked_rng *rngs;
    int n_rngs;
    hr_graph *graph;
    hr_executor *executor;
    hr_step *current;    /* the step in the body (replay) */
    int64_t current_size; /* its batch size */
    row_table rows;      /* what explain() shows */
    int is_strict;       /* of the loop that runs: a call that is not captured is an error */
    frame_key made_at;   /* where the latest loop was made; code NULL: not known */
    int64_t error_seen;  /* step whose error was raised where its result was looked at */
    PyObject *loop;      /* borrowed: the loop of the root that runs; NULL: none */
    struct thread_slot *slot; /* of the thread in which it is active; NULL: none */
    PyObject *pool;      /* that the executor runs on, kept while it does */
    int pins;            /* calls that are in the middle of this trace */
    int is_stale;        /* to be reset when they are through */
    int must_rebase;     /* a state was loaded: generators may stand anywhere when it goes on */
    struct capture_object *newer, *older; /* all that are alive */
    loop_clock clock;
    pipeline_use past;   /* of the executors that have ended */
    PyObject *feeders;   /* list of sources, in the order of their first call */
    PyObject *lines;     /* list: where that call is */
    PyObject *begun_at;  /* where the loop that runs was asked for its first step */
    PyObject *ports;     /* list: their first step inputs */
    PyObject *ctx;       /* the EvalContext of the first epoch */
    uint64_t root_id;    /* of the root, for its feeders */
} capture_object;

extern PyType_Spec capture_spec;

/* The capture whose step this thread is in; NULL outside. Borrowed. */
capture_object *capture_active(void);
/* From now on `c` is active in this thread, and in no other; or in none. */
void capture_activate(capture_object *c);
void capture_deactivate(capture_object *c);
/* Is a living thread other than this one in the middle of a step of `c`? */
int capture_is_elsewhere(const capture_object *c);

PyObject *capture_new(mod_state *st, int64_t batch_size, int n_sources);
/* Ends the executor, after the step that is in the body. */
void capture_stop(capture_object *c);
/* A call in the middle of a step: the trace stays even if that call ends the loop. */
static inline void capture_pin(capture_object *c)
{
    Py_INCREF((PyObject *)c);
    c->pins++;
}
void capture_reset_stale(capture_object *c);
static inline void capture_unpin(capture_object *c)
{
    if (--c->pins == 0 && c->is_stale) capture_reset_stale(c);
    Py_DECREF((PyObject *)c);
}
/* Forgets the trace: the next step traces anew. The executor must be gone. */
void capture_reset(capture_object *c);

/* ---- capture_trace.c ------------------------------------------------------------- */

/* A call as the operator got it. */
typedef struct call_args {
    PyObject *op;
    PyObject *const *args;
    Py_ssize_t n, n_kw;
    PyObject *kwnames;
} call_args;

/* The frames from the caller outwards, with references of their own. */
int capture_take_chain(frame_key **chain, int *n);
/* After an eager call in the traced step: records it if it can be, and marks its results. */
int capture_record(capture_object *c, const call_args *call, PyObject *result, uint64_t drawn,
                   rng_object *rng);
/* The traced step is over: sites get their depth, generators their periods. */
int capture_compile(capture_object *c);

/* ---- capture_alias.c ------------------------------------------------------------- */

/* Finds the copies of the sites' calls; -1 and an exception. */
int capture_find_aliases(capture_object *c);
/* The offset under which the place's copies are known as one. */
int capture_first_offset(const capture_object *c, frame_key key);

/* ---- capture_errors.c ------------------------------------------------------------ */

/* "train.py:12": the place of the Python code that called. */
PyObject *capture_text_of_caller(void);
/* RuntimeError with the caller's place; -1, as the following. */
int capture_fail(const char *format, ...);
int capture_fail_marker(const call_args *call, const site *s, Py_ssize_t entry, PyObject *traced);
int capture_fail_device(const call_args *call, const site *s, PyObject *device);
int capture_fail_draws(const capture_object *c, const tracked_rng *t, const char *what);

/* ---- capture_match.c ------------------------------------------------------------- */

/* A call in a replayed step: 1 with *out (or NULL and an exception); 0: to be run eagerly, and why. */
int capture_replay(capture_object *c, const call_args *call, PyObject **out, eager_why *why);
/* Of a step that is through: the node to blame for the first call of the body whose value failed, and its
 * error; -1: none did. */
int32_t capture_find_failure(const capture_object *c, hr_step *step, hr_error *err);
/* RuntimeError for an explicit batch_size that is not the loop's. */
int capture_check_batch_size(capture_object *c, const call_args *call);
/* Every tracked generator must stand `steps` periods after its start (0 or 1). */
int capture_check_rngs(capture_object *c, int steps);
/* The next step begins where the generators stand now. */
void capture_rebase_rngs(capture_object *c);

/* ---- capture_eager.c ------------------------------------------------------------- */

/* Notes that a call runs eagerly, in front of it. The row, -1 if it has none; -2: an exception (in
 * strict loops always). */
int capture_note_eager(capture_object *c, PyObject *op, const eager_why *why);
/* The same for arithmetic, hr.math and `.slice[...]`, on batches only: -1 for others. Strict loops
 * refuse them on captured batches. */
int capture_note_sign(capture_object *c, PyObject *op, PyObject *const *args, Py_ssize_t n,
                      eager_code code);
/* Batches that an eager call gave know its row, so that what depends on them can say so. */
void capture_mark_eager(capture_object *c, PyObject *result, int row);
/* Why `obj` is no captured argument of this step: fills code and culprit. */
void capture_blame(capture_object *c, PyObject *obj, eager_why *why);
/* The traced step's call was eager for the reasons of `row`: RuntimeError if the loop is strict. */
int capture_refuse(capture_object *c, int row);
enum { CAPTURE_STRICT = 2 };
/* The argument `capture`: 0, 1, CAPTURE_STRICT, or -1 and an exception. */
int capture_read_mode(PyObject *mode, const char *call);
/* The loop is made where the user's code stands, `skip` frames outwards. */
void capture_set_maker(capture_object *c, int skip);

/* capture_report.c: the reports of loop.explain() and loop.stats(); `c` may be NULL. */
PyObject *capture_explain(capture_object *c);
PyObject *capture_stats(capture_object *c);
/* Module functions: watch_captures(f) calls f(capture) from now on for each new one, None: no more;
 * describe_capture(capture) is what explain() puts into words. */
PyObject *module_watch_captures(PyObject *module, PyObject *watcher);
PyObject *module_describe_capture(PyObject *module, PyObject *capture);

/* ---- capture_clock.c ------------------------------------------------------------- */

int64_t capture_now(void); /* monotonic nanoseconds */
void capture_enter_body(capture_object *c);
void capture_leave_body(capture_object *c);
/* The driving thread waits for a result, perhaps at work for the pool. `c` may be NULL for the first. */
wait_begin capture_begin_wait(const capture_object *c);
void capture_end_wait(capture_object *c, const wait_begin *begin);
/* A step is asked for: how many are complete, of those in line. */
void capture_note_queue(capture_object *c, int n_ready, int n_ahead);
/* The executors' work, the running one's included; and the running one's in one site. */
void capture_pipeline_use(const capture_object *c, pipeline_use *out);
void capture_node_use(const capture_object *c, const site *s, int64_t *ns, int64_t *bytes);
/* The executor has ended: its counts are added to the past ones. */
void capture_take_times(capture_object *c, const hr_executor *e);

/* ---- capture.c: errors ----------------------------------------------------------- */

/* The error of a node (or -1), with the line of its call: in the text, and as the exception's cause,
 * whose traceback leads there. */
void capture_raise_node(mod_state *st, const capture_object *c, int32_t node, hr_error *err);
/* The same, to whoever looked at the result `from` of which node `failed`: the step will not raise
 * it again. */
void capture_raise(mod_state *st, const provenance *from, int32_t failed, hr_error *err);

/* Puts a site into the table. */
void capture_index_site(capture_object *c, int index);

/* The same value of the same type, bit for bit; 1, 0, or -1 with an exception. */
int capture_same_constant(PyObject *a, PyObject *b);
/* Is the argument looked at when calls are matched? (rng, device and batch_size are not.) */
int capture_is_matched(mod_state *st, PyObject *kwname);

#endif
