/* The reader: epochs, batches and last-batch policies over a stream of items. Its position is
 * that of the first item not given out; reading ahead never moves it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/reader_engine.h"

enum { REPORT_SIZE = 256 };
static const int64_t max_epoch = INT64_C(1) << 60;

/* In force where no seed is given: the same order in every run. */
static const uint64_t default_seed = UINT64_C(0x686561647261ce);

struct hr_reader {
    hr_reader_desc own; /* the kind's, with the outputs of this reader */
    const hr_reader_desc *desc; /* &own */
    void *self;
    hr__ahead *ahead;
    hr__orders orders; /* for sizes; items are asked of `ahead` */
    hr_last_batch last;
    int skips;
    uint64_t seed;

    int is_begun;
    int64_t batch_size;
    int64_t epoch, step, total; /* the epoch, its batches given out, and those it makes */
    hr__place at;               /* of the next batch's first item */
    int64_t fill;
    int64_t skipped[HR_N_SKIP_REASONS];
    int has_sample; /* pad: `sample` is the epoch's last good one */
    hr_tensor *sample;     /* n_out */
    int64_t *sample_small; /* n_out */
    char report[REPORT_SIZE];
};

/* ---- kinds of readers ------------------------------------------------------------ */

#define READER(name) extern const hr_reader_desc hr_reader_##name;
#include "readers_list.h"
#undef READER

static const hr_reader_desc *const kinds[] = {
#define READER(name) &hr_reader_##name,
#include "readers_list.h"
#undef READER
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const hr_reader_desc *hr_reader_at(int i) { return i >= 0 && i < N_KINDS ? kinds[i] : NULL; }

const hr_reader_desc *hr_reader_find(const char *name)
{
    for (int i = 0; i < N_KINDS; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

/* ---- creation -------------------------------------------------------------------- */

static int is_given(const hr_reader_desc *desc, const hr_value *values, const char *name)
{
    for (int i = 0; i < desc->n_args; i++)
        if (!strcmp(desc->args[i].name, name)) return values[i].kind != HR_VALUE_NONE;
    return 0;
}

static hr_status choose_last(hr_reader *r, const hr_reader_common *c, const hr_value *values,
                             hr_error *err)
{
    static const char *const names[] = {"wrap", "pad", "partial", "drop"};
    r->last = c->last_batch >= 0 ? (hr_last_batch)c->last_batch
              : c->pad_last_batch ? HR_LAST_PAD : HR_LAST_WRAP;
    if (c->last_batch < 0 || !is_given(r->desc, values, "pad_last_batch")) return HR_OK;
    if ((r->last == HR_LAST_PAD) == (c->pad_last_batch != 0)) return HR_OK;
    return hr_fail(err, HR_VALUE, "last_batch=\"%s\" contradicts pad_last_batch=%s",
                   names[r->last], c->pad_last_batch ? "True" : "False");
}

static hr_status check_common(const hr_reader_common *c, hr_error *err)
{
    if (c->num_shards < 1)
        return hr_fail(err, HR_VALUE, "`num_shards` is %" PRId64 ", it must be at least 1",
                       c->num_shards);
    if (c->shard_id < 0 || c->shard_id >= c->num_shards)
        return hr_fail(err, HR_VALUE, "`shard_id` is %" PRId64 ", it must be within 0..%" PRId64,
                       c->shard_id, c->num_shards - 1);
    if (c->shuffle_after_epoch && c->random_shuffle)
        return hr_fail(err, HR_VALUE,
                       "`shuffle_after_epoch` and `random_shuffle` exclude each other");
    if (c->shuffle_after_epoch && c->stick_to_shard)
        return hr_fail(err, HR_VALUE,
                       "`shuffle_after_epoch` and `stick_to_shard` exclude each other");
    return HR_OK;
}

static uint64_t choose_seed(const hr_reader_common *c)
{
    int64_t seed = c->shuffle_after_epoch ? c->shuffle_after_epoch_seed : c->seed;
    int64_t absent = c->shuffle_after_epoch ? HR_INT_ABSENT : -1;
    return seed == absent ? default_seed : (uint64_t)seed;
}

static hr_status divide(hr_reader *r, const hr_reader_common *c, hr_error *err)
{
    int64_t n = r->desc->ops->count(r->self);
    if (c->num_shards > n)
        return hr_fail(err, HR_VALUE, "%" PRId64 " items cannot be divided into %" PRId64
                       " shards", n, c->num_shards);
    r->seed = choose_seed(c);
    r->skips = c->on_error == 1;
    r->orders = (hr__orders){.n = n,
                             .shard_id = c->shard_id,
                             .num_shards = c->num_shards,
                             .stick = c->stick_to_shard,
                             .mode = c->shuffle_after_epoch ? HR__SHUFFLE_ALL
                                     : c->random_shuffle    ? HR__SHUFFLE_SHARD
                                                            : HR__IN_SEQUENCE,
                             .seed = r->seed};
    hr__ahead_source source = {r->desc, r->self, r->skips, c->prefetch_queue_depth};
    return hr__ahead_create(&r->ahead, &source, &r->orders, err);
}

static hr_status count_outputs(hr_reader *r, hr_error *err)
{
    if (r->desc->ops->n_out) r->own.n_out = r->desc->ops->n_out(r->self);
    if (r->own.n_out < 1 || r->own.n_out > HR_READER_MAX_OUTS)
        return hr_fail(err, HR_VALUE, "%d outputs are outside 1..%d", r->own.n_out,
                       HR_READER_MAX_OUTS);
    r->sample = hr_alloc_zero((size_t)r->own.n_out, sizeof *r->sample);
    r->sample_small = hr_alloc_zero((size_t)r->own.n_out, sizeof *r->sample_small);
    if (r->sample && r->sample_small) return HR_OK;
    return hr_fail(err, HR_NOMEM, "no memory for a reader");
}

static hr_status open_reader(hr_reader *r, const hr_value *values, hr_arena *arena,
                             hr_error *err)
{
    const hr_reader_desc *d = r->desc;
    void *args = hr_arena_take(arena, d->args_size);
    if (!args) return hr_fail(err, HR_NOMEM, "no memory for the arguments");
    HR_TRY(hr_args_bind(d->args, d->n_args, d->name, values, args, arena, err));
    const hr_reader_common *common = args;
    hr_status status = check_common(common, err);
    if (status == HR_OK) status = choose_last(r, common, values, err);
    if (status == HR_OK) status = d->ops->open(r->self, args, err);
    if (status == HR_OK) status = count_outputs(r, err);
    if (status == HR_OK) status = divide(r, common, err);
    if (status != HR_OK) hr_error_prefix(err, "%s", d->name);
    return status;
}

hr_status hr_reader_create(hr_reader **out, const hr_reader_desc *desc, const hr_value *values,
                           hr_error *err)
{
    hr_arena *arena = NULL;
    *out = NULL;
    hr_reader *r = hr_alloc_zero(1, sizeof *r);
    if (!r) return hr_fail(err, HR_NOMEM, "no memory for a reader");
    r->own = *desc;
    r->desc = &r->own;
    r->self = hr_alloc_zero(1, desc->ops->self_size);
    hr_status status = r->self ? hr_arena_create(&arena, err)
                               : hr_fail(err, HR_NOMEM, "no memory for a reader");
    if (status == HR_OK) status = open_reader(r, values, arena, err);
    hr_arena_destroy(&arena);
    if (status != HR_OK) hr_reader_destroy(&r);
    *out = r;
    return status;
}

static void forget_sample(hr_reader *r)
{
    for (int k = 0; k < r->desc->n_out && r->sample; k++) hr_tensor_clear(&r->sample[k]);
    r->has_sample = 0;
}

void hr_reader_destroy(hr_reader **reader)
{
    hr_reader *r = *reader;
    *reader = NULL;
    if (!r) return;
    hr__ahead_destroy(&r->ahead);
    if (r->self) r->desc->ops->close(r->self);
    forget_sample(r);
    hr_free(r->sample_small);
    hr_free(r->sample);
    hr_free(r->self);
    hr_free(r);
}

/* ---- what is known --------------------------------------------------------------- */

const hr_reader_desc *hr_reader_get_desc(const hr_reader *r) { return r->desc; }

void hr_reader_get_info(const hr_reader *r, hr_reader_info *info)
{
    const hr__orders *o = &r->orders;
    int64_t padded = o->num_shards * hr__orders_largest(o);
    *info = (hr_reader_info){.epoch_size = o->n,
                             .epoch_size_padded = r->last == HR_LAST_PAD ? padded : o->n,
                             .shard_size = hr__orders_size(o, r->epoch),
                             .shard_id = o->shard_id,
                             .num_shards = o->num_shards,
                             .last_batch = r->last,
                             .stick_to_shard = o->stick,
                             .seed = r->seed,
                             .fill = r->fill};
    for (int i = 0; i < HR_N_SKIP_REASONS; i++) info->skipped += r->skipped[i];
}

const char *hr_reader_out_name(const hr_reader *r, int k)
{
    return r->desc->ops->out_name ? r->desc->ops->out_name(r->self, k) : NULL;
}

const char *hr_reader_class_name(const hr_reader *r, int64_t i)
{
    return r->desc->ops->class_name ? r->desc->ops->class_name(r->self, i) : NULL;
}

const char *hr_reader_skip_report(hr_reader *r)
{
    static const char *const names[HR_N_SKIP_REASONS] = {
        "", "missing", "unreadable", "empty", "unknown kind", "damaged"};
    size_t used = 0;
    r->report[0] = '\0';
    for (int i = 1; i < HR_N_SKIP_REASONS; i++) {
        if (!r->skipped[i]) continue;
        int got = snprintf(r->report + used, REPORT_SIZE - used, "%s%s: %" PRId64,
                           used ? "\n" : "", names[i], r->skipped[i]);
        used += (size_t)got; /* 5 lines of at most 35 bytes */
    }
    return r->report;
}

/* ---- epochs ---------------------------------------------------------------------- */

typedef enum next_epoch {
    EPOCH_STAYS,   /* nothing of it was given out */
    EPOCH_GOES_ON, /* left in the middle, and to be ended */
    EPOCH_FOLLOWS,
} next_epoch;

static next_epoch look_ahead(const hr_reader *r)
{
    if (!r->is_begun) return EPOCH_STAYS;
    if (r->step >= r->total) return EPOCH_FOLLOWS;
    if (r->step == 0) return EPOCH_STAYS;
    return r->last == HR_LAST_WRAP ? EPOCH_FOLLOWS : EPOCH_GOES_ON;
}

int64_t hr_reader_epoch_batches(const hr_reader *r, int64_t epoch, int64_t batch_size)
{
    if (batch_size < 1) return 0;
    next_epoch next = look_ahead(r);
    if (epoch < 0) epoch = next == EPOCH_FOLLOWS ? r->epoch + 1 : r->epoch;
    else next = EPOCH_STAYS;
    int64_t batches = hr__orders_batches(&r->orders, r->last, epoch, batch_size);
    return next == EPOCH_GOES_ON ? batches - r->step : batches;
}

static hr_status check_batch_size(int64_t batch_size, hr_error *err)
{
    if (batch_size >= 1 && batch_size <= HR_READER_MAX_BATCH) return HR_OK;
    return hr_fail(err, HR_VALUE, "batch size %" PRId64 " is outside 1..%d", batch_size,
                   HR_READER_MAX_BATCH);
}

static hr_status go_to(hr_reader *r, const hr_reader_position *p, int64_t batch_size,
                       hr_error *err)
{
    r->is_begun = 0;
    hr__place at = {p->order, p->offset};
    hr__ahead_reseed(r->ahead, p->seed);
    HR_TRY(hr__ahead_seek(r->ahead, at, batch_size, err));
    forget_sample(r);
    r->seed = p->seed;
    r->at = at;
    r->epoch = p->epoch;
    r->step = p->step;
    r->total = hr__orders_batches(&r->orders, r->last, p->epoch, batch_size);
    r->batch_size = batch_size;
    r->is_begun = 1;
    return HR_OK;
}

hr_status hr_reader_begin(hr_reader *r, int64_t epoch, int64_t batch_size, hr_error *err)
{
    HR_TRY(check_batch_size(batch_size, err));
    if (epoch < -1 || epoch > max_epoch)
        return hr_fail(err, HR_VALUE, "epoch %" PRId64 " is outside 0..%" PRId64, epoch,
                       max_epoch);
    next_epoch next = look_ahead(r);
    hr_reader_position p = {.epoch = epoch, .order = epoch, .seed = r->seed};
    if (epoch < 0) {
        if (next == EPOCH_GOES_ON && batch_size == r->batch_size) return HR_OK;
        if (next == EPOCH_GOES_ON)
            return hr_fail(err, HR_VALUE, "the epoch in progress has batches of %" PRId64
                           ", not %" PRId64, r->batch_size, batch_size);
        hr_reader_get_position(r, &p);
        if (next == EPOCH_FOLLOWS) {
            p.epoch++;
            p.step = 0;
            if (r->last != HR_LAST_WRAP) {
                p.order = p.epoch;
                p.offset = 0;
            }
        }
    }
    return go_to(r, &p, batch_size, err);
}

void hr_reader_get_position(const hr_reader *r, hr_reader_position *p)
{
    *p = (hr_reader_position){r->epoch, r->step, r->at.order, r->at.offset, r->seed};
}

hr_status hr_reader_set_position(hr_reader *r, const hr_reader_position *p, int64_t batch_size,
                                 hr_error *err)
{
    HR_TRY(check_batch_size(batch_size, err));
    if (p->epoch < 0 || p->step < 0 || p->order < 0 || p->offset < 0 ||
        p->epoch > max_epoch || p->order > max_epoch ||
        p->offset >= hr__orders_size(&r->orders, p->order) ||
        p->step > hr__orders_batches(&r->orders, r->last, p->epoch, batch_size))
        return hr_fail(err, HR_VALUE, "%s: there is no position epoch %" PRId64 ", batch %" PRId64
                       ", order %" PRId64 ", item %" PRId64, r->desc->name, p->epoch, p->step,
                       p->order, p->offset);
    return go_to(r, p, batch_size, err);
}

void hr_reader_rest(hr_reader *r) { hr__ahead_rest(r->ahead); }

/* ---- batches --------------------------------------------------------------------- */

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
    return hr_fail(err, HR_DATA, "%s: on_error=\"skip\" left out all %" PRId64 " items in a row "
                   "(%" PRId64 " missing, %" PRId64 " empty, %" PRId64 " of unknown kind)",
                   m->r->desc->name, n, m->skipped[HR_SKIP_MISSING], m->skipped[HR_SKIP_EMPTY],
                   m->skipped[HR_SKIP_UNKNOWN_KIND]);
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
    forget_sample(r);
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
