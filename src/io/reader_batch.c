/* The reader's batches: items of the stream, skipped ones counted, and what becomes of the last batch
 * of an epoch. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/reader_engine.h"

/* A batch in the making. */
typedef struct making {
    hr_reader *r;
    hr_batch **outs;
    hr_tensor *tensors; /* n_out, of one sample */
    int64_t *smalls;    /* (batch size + 1) * n_out, the last row for what comes in */
    int64_t n;          /* samples so far */
    int64_t skipped[HR_N_SKIP_REASONS];
    hr__poll poll;
} making;

static int64_t *small_row(const making *m, int64_t i) { return m->smalls + i * m->r->desc->n_out; }

/* The tensors of m->tensors become sample m->n, their small values those of `from`. */
static void accept(making *m, const int64_t *from)
{
    int n_out = m->r->desc->n_out;
    int64_t *to = small_row(m, m->n);
    for (int k = 0; k < n_out; k++) {
        m->outs[k]->t[m->n] = m->tensors[k];
        to[k] = from[k];
    }
    memset(m->tensors, 0, (size_t)n_out * sizeof *m->tensors);
    m->n++;
}

/* Without skipping: an item's failure is the batch's. */
static hr_status judge(making *m, const hr__taken *t, hr_status status, const hr_error *why,
                       hr_error *err)
{
    if (m->r->skips && t->reason != HR_SKIP_NONE) {
        m->skipped[t->reason]++;
        return HR_OK;
    }
    if (err) {
        *err = *why;
        err->sample = m->n;
        if (status != HR_CANCELLED)
            hr_error_prefix(err, "%s: sample %" PRId64, m->r->desc->name, m->n);
    }
    return status;
}

static hr_status fail_all_skipped(const making *m, int64_t n, hr_error *err)
{
    char counts[HR__REPORT_SIZE] = "";
    size_t used = 0;
    for (int i = 1; i < HR_N_SKIP_REASONS; i++)
        if (m->skipped[i])
            used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%" PRId64 " %s",
                                     used ? ", " : "", m->skipped[i], hr__skip_words[i]);
    return hr_fail(err, HR_DATA, "%s: on_error=\"skip\" left out all %" PRId64 " items in a row (%s)",
                   m->r->desc->name, n, counts);
}

/* Takes items until the batch is full or, save for wrap, the epoch's order ends. */
static hr_status gather(making *m, hr_error *err)
{
    hr_reader *r = m->r;
    int64_t *row = small_row(m, r->batch_size);
    int64_t in_a_row = 0; /* skipped */
    while (m->n < r->batch_size) {
        if (r->last != HR_LAST_WRAP && hr__ahead_place(r->ahead).order != r->epoch) break;
        hr__taken t = {.out = m->tensors, .small = row, .more = r->batch_size - m->n - 1};
        hr_error why = {0};
        hr_status status = hr__ahead_take(r->ahead, &t, m->poll, &why);
        if (status == HR_OK) {
            accept(m, row);
            in_a_row = 0;
            continue;
        }
        HR_TRY(judge(m, &t, status, &why, err));
        if (++in_a_row >= r->orders.n) return fail_all_skipped(m, in_a_row, err);
    }
    return HR_OK;
}

void hr__reader_forget_sample(hr_reader *r)
{
    for (int k = 0; k < r->desc->n_out && r->sample; k++) hr_tensor_clear(&r->sample[k]);
    r->has_sample = 0;
}

/* The latest good sample of the epoch, read once more when it was not kept; what is skipped on
 * the way was counted when its turn came. */
static hr_status find_sample(making *m, hr_error *err)
{
    hr_reader *r = m->r;
    int64_t counted[HR_N_SKIP_REASONS];
    memcpy(counted, m->skipped, sizeof counted);
    int64_t size = hr__orders_size(&r->orders, r->epoch);
    for (int64_t i = size - 1; i >= 0 && !r->has_sample; i--) {
        hr__taken t = {.out = r->sample, .small = r->sample_small};
        hr_error why = {0};
        hr_status status = hr__ahead_fetch(r->ahead, (hr__place){r->epoch, i}, &t, &why);
        r->has_sample = status == HR_OK;
        if (status != HR_OK) HR_TRY(judge(m, &t, status, &why, err));
    }
    if (!r->has_sample) return fail_all_skipped(m, size, err);
    memcpy(m->skipped, counted, sizeof counted);
    return HR_OK;
}

/* Keeps the batch's last sample for padding. */
static void keep_sample(making *m)
{
    hr_reader *r = m->r;
    if (m->n == 0) return;
    hr__reader_forget_sample(r);
    for (int k = 0; k < r->desc->n_out; k++) {
        r->sample[k] = m->outs[k]->t[m->n - 1];
        hr_buf_ref(r->sample[k].buf, r->sample[k].buf != NULL);
        hr_meta_ref(r->sample[k].meta);
        r->sample_small[k] = small_row(m, m->n - 1)[k];
    }
    r->has_sample = 1;
}

static hr_status pad(making *m, hr_error *err)
{
    hr_reader *r = m->r;
    keep_sample(m);
    if (m->n == r->batch_size) return HR_OK;
    HR_TRY(find_sample(m, err));
    while (m->n < r->batch_size) {
        for (int k = 0; k < r->desc->n_out; k++) {
            m->tensors[k] = r->sample[k];
            hr_buf_ref(m->tensors[k].buf, m->tensors[k].buf != NULL);
            hr_meta_ref(m->tensors[k].meta);
        }
        accept(m, r->sample_small);
    }
    return HR_OK;
}

/* Small outputs get one block for all samples. */
static hr_status finish_output(making *m, int k, hr_error *err)
{
    hr_batch *b = m->outs[k];
    b->n = m->n;
    if (b->n == 0 || b->t[0].buf) return hr_batch_seal(b, err);
    HR_TRY(hr_batch_allocate(b, err));
    for (int64_t i = 0; i < b->n; i++)
        memcpy(b->t[i].data, &small_row(m, i)[k], hr_tensor_nbytes(&b->t[i]));
    return HR_OK;
}

/* HR_STOP when the epoch has no further batch after all. */
static hr_status complete(making *m, hr_error *err)
{
    hr_reader *r = m->r;
    int64_t taken = m->n;
    if (r->last == HR_LAST_PAD) HR_TRY(pad(m, err));
    int is_short = m->n < r->batch_size;
    if (m->n == 0 && r->step == 0)
        return fail_all_skipped(m, hr__orders_size(&r->orders, r->epoch), err);
    if (m->n == 0 || (is_short && r->last == HR_LAST_DROP))
        return hr_fail(err, HR_STOP, "the epoch is over");
    for (int k = 0; k < r->desc->n_out; k++) HR_TRY(finish_output(m, k, err));
    int64_t surplus = (r->step + 1) * r->batch_size - hr__orders_size(&r->orders, r->epoch);
    r->fill = r->last == HR_LAST_PAD     ? m->n - taken
              : r->last != HR_LAST_WRAP || surplus < 0 ? 0
              : surplus < m->n           ? surplus
                                         : m->n;
    return HR_OK;
}

static void count_skipped(making *m)
{
    for (int i = 0; i < HR_N_SKIP_REASONS; i++) m->r->skipped[i] += m->skipped[i];
}

static hr_status make(making *m, hr_error *err)
{
    hr_reader *r = m->r;
    hr_status status = gather(m, err);
    if (status == HR_OK) status = complete(m, err);
    if (status == HR_OK || status == HR_STOP) {
        count_skipped(m);
        r->at = hr__ahead_place(r->ahead);
        if (status == HR_OK) r->step++;
        else r->total = r->step;
        return status;
    }
    hr__ahead_rewind(r->ahead, r->at);
    return status;
}

static hr_status make_batches(making *m, hr_error *err)
{
    hr_reader *r = m->r;
    for (int k = 0; k < r->desc->n_out; k++)
        HR_TRY(hr_batch_create(&m->outs[k], r->batch_size, err));
    return make(m, err);
}

hr_status hr_reader_next(hr_reader *r, hr_batch **outs, hr_poll_fn poll, void *poll_arg,
                         hr_error *err)
{
    size_t n_out = (size_t)r->desc->n_out;
    memset(outs, 0, n_out * sizeof *outs);
    if (!r->is_begun) return hr_fail(err, HR_STATE, "%s: no epoch was begun", r->desc->name);
    if (r->step >= r->total) return hr_fail(err, HR_STOP, "the epoch is over");
    size_t rows = (size_t)r->batch_size + 1;
    making m = {.r = r, .outs = outs, .poll = {poll, poll_arg}};
    m.tensors = hr_alloc_zero(n_out, sizeof *m.tensors);
    m.smalls = hr_alloc(rows * n_out, sizeof *m.smalls);
    hr_status status = m.tensors && m.smalls
                           ? make_batches(&m, err)
                           : hr_fail(err, HR_NOMEM, "no memory for a batch");
    hr_free(m.smalls);
    hr_free(m.tensors);
    if (status == HR_OK) return HR_OK;
    for (size_t k = 0; k < n_out; k++) hr_batch_unref(&outs[k]);
    return status;
}
