/* Where a captured loop's time goes: the body, the source, waiting, the pipeline. */
#include "capture.h"

#include <string.h>
#include <time.h>

int64_t capture_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The calling thread's processor time. Slower than capture_now: a system call. */
static int64_t cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Where the body's thread and the pool's want the same cores, each fourth body's processor time is taken. */
static int is_measured(const capture_object *c)
{
    return c->executor && c->clock.given[c->state] % 4 == 1 && hr__executor_is_crowded(c->executor);
}

void capture_enter_body(capture_object *c)
{
    loop_clock *k = &c->clock;
    k->given[c->state]++;
    k->waited = k->cpu_waited = 0;
    k->cpu_entered = is_measured(c) ? cpu_now() : 0;
    k->entered = capture_now();
}

/* The last bodies count most. */
static void judge_body(capture_object *c, int64_t wall, int64_t cpu)
{
    loop_clock *k = &c->clock;
    k->wall_sum += wall - k->wall_sum / 4;
    k->cpu_sum += cpu - k->cpu_sum / 4;
    hr__executor_set_body(c->executor, 2 * k->cpu_sum > k->wall_sum);
}

void capture_leave_body(capture_object *c)
{
    loop_clock *k = &c->clock;
    if (!k->entered) return;
    int64_t wall = capture_now() - k->entered - k->waited;
    k->bodies[c->state]++;
    k->body_ns[c->state] += wall;
    if (k->cpu_entered && c->executor) judge_body(c, wall, cpu_now() - k->cpu_entered - k->cpu_waited);
    k->entered = 0;
}

wait_begin capture_begin_wait(const capture_object *c)
{
    return (wait_begin){capture_now(), c && c->clock.cpu_entered ? cpu_now() : 0};
}

void capture_end_wait(capture_object *c, const wait_begin *begin)
{
    loop_clock *k = &c->clock;
    int64_t ns = capture_now() - begin->wall;
    k->wait_ns += ns;
    if (!k->entered) return;
    k->waited += ns; /* it was the body that looked */
    if (begin->cpu) k->cpu_waited += cpu_now() - begin->cpu;
}

void capture_note_queue(capture_object *c, int n_ready, int n_ahead)
{
    loop_clock *k = &c->clock;
    k->asked++;
    k->ready += n_ready;
    k->ahead += n_ahead;
}

static void add_use(const hr_executor *e, pipeline_use *sum)
{
    hr_executor_use now;
    hr__executor_get_use(e, &now);
    sum->steps += now.steps;
    sum->busy_ns += now.busy_ns;
    sum->bytes_in += now.bytes_in;
    if (now.peak_bytes > sum->peak_bytes) sum->peak_bytes = now.peak_bytes;
}

void capture_pipeline_use(const capture_object *c, pipeline_use *out)
{
    *out = c->past;
    if (c->executor) add_use(c->executor, out);
}

void capture_node_use(const capture_object *c, const site *s, int64_t *ns, int64_t *bytes)
{
    *ns = *bytes = 0;
    if (c->executor) hr__executor_get_node_use(c->executor, s->node, ns, bytes);
}

void capture_take_times(capture_object *c, const hr_executor *e)
{
    add_use(e, &c->past);
    for (int i = 0; i < c->n_sites; i++) {
        const site *s = &c->sites[i];
        int64_t ns, bytes;
        if (s->row < 0) continue;
        hr__executor_get_node_use(e, s->node, &ns, &bytes);
        c->rows.at[s->row].ns += ns;
        c->rows.at[s->row].bytes += bytes;
    }
}
