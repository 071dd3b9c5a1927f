/* The reader: kinds, creation and epochs over a stream of items. Its position is that of the first
 * item not given out; reading ahead never moves it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/reader_engine.h"

static const int64_t max_epoch = INT64_C(1) << 60;

/* In force where no seed is given: the same order in every run. */
static const uint64_t default_seed = UINT64_C(0x686561647261ce);

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

void hr_reader_destroy(hr_reader **reader)
{
    hr_reader *r = *reader;
    *reader = NULL;
    if (!r) return;
    hr__ahead_destroy(&r->ahead);
    if (r->self) r->desc->ops->close(r->self);
    hr__reader_forget_sample(r);
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

const char *const hr__skip_words[HR_N_SKIP_REASONS] = {
    "", "missing", "unreadable", "empty", "unknown kind", "damaged"};

const char *hr_reader_skip_report(hr_reader *r)
{
    size_t used = 0;
    r->report[0] = '\0';
    for (int i = 1; i < HR_N_SKIP_REASONS; i++) {
        if (!r->skipped[i]) continue;
        int got = snprintf(r->report + used, HR__REPORT_SIZE - used, "%s%s: %" PRId64,
                           used ? "\n" : "", hr__skip_words[i], r->skipped[i]);
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
    hr__reader_forget_sample(r);
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
