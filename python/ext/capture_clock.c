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

void capture_pipeline_use(const capture_object *c, pipeline_use *out)
{
    hr_executor_use now = {0};
    if (c->executor) hr__executor_get_use(c->executor, &now);
    *out = c->past;
    out->steps += now.steps;
    out->busy_ns += now.busy_ns;
    out->bytes_in += now.bytes_in;
    if (now.peak_bytes > out->peak_bytes) out->peak_bytes = now.peak_bytes;
}

void capture_node_use(const capture_object *c, const site *s, int64_t *ns, int64_t *bytes)
{
    *ns = s->row < 0 ? 0 : c->rows.at[s->row].ns;
    *bytes = s->row < 0 ? 0 : c->rows.at[s->row].bytes;
    if (!c->executor) return;
    int64_t more_ns, more_bytes;
    hr__executor_get_node_use(c->executor, s->node, &more_ns, &more_bytes);
    *ns += more_ns;
    *bytes += more_bytes;
}

void capture_take_times(capture_object *c)
{
    pipeline_use all;
    capture_pipeline_use(c, &all);
    c->past = all;
    for (int i = 0; i < c->n_sites; i++) {
        const site *s = &c->sites[i];
        int64_t ns, bytes;
        if (s->row < 0) continue;
        capture_node_use(c, s, &ns, &bytes);
        c->rows.at[s->row].ns = ns;
        c->rows.at[s->row].bytes = bytes;
    }
}
