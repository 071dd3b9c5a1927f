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

void capture_enter_body(capture_object *c)
{
    loop_clock *k = &c->clock;
    k->given[c->state]++;
    k->waited = 0;
    k->entered = capture_now();
}

void capture_leave_body(capture_object *c)
{
    loop_clock *k = &c->clock;
    if (!k->entered) return;
    k->bodies[c->state]++;
    k->body_ns[c->state] += capture_now() - k->entered - k->waited;
    k->entered = 0;
}

void capture_waited(capture_object *c, int64_t since)
{
    loop_clock *k = &c->clock;
    int64_t ns = capture_now() - since;
    k->wait_ns += ns;
    if (k->entered) k->waited += ns; /* it was the body that looked */
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
