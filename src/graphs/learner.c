/* What is learned of a tensor's axes. Every axis keeps its evidence, all distinct pairs of batch size
 * and size, and beside it what the decision needs of them, in constant space and whatever their
 * order: so an axis can change its kind with any sample, and what two specs saw can be joined.
 *
 * A sample without a batch size is taken to have the one seen last. Samples in front of the first
 * batch size share one that nobody knows: they fit a batch axis if they all have one size. */
#include <math.h>
#include <string.h>

#include <headrace/memory.h>

#include "graphs/learner.h"

__extension__ typedef __int128 wide; /* products of two sizes */

/* ---- one axis ---------------------------------------------------------------------- */

static void note_known(hr__axis *a, int64_t batch, int64_t size)
{
    if (!a->n_known++) {
        a->batch0 = batch;
        a->size0 = size;
        a->batch_min = a->batch_max = batch;
    }
    if (batch < a->batch_min) a->batch_min = batch;
    if (batch > a->batch_max) a->batch_max = batch;
    if (a->batch0 == 0 && batch > 0 && !a->is_broken) { /* 0 of a batch of 0 said nothing */
        a->batch0 = batch;
        a->size0 = size;
    }
    /* size / batch == size0 / batch0, in whole numbers */
    int same = batch ? (wide)size * a->batch0 == (wide)a->size0 * batch : size == 0;
    if (same || a->is_broken) return;
    a->is_broken = 1;
    a->broken_batch = batch;
    a->broken_size = size;
}

static void note_unknown(hr__axis *a, int64_t size)
{
    if (!a->n_unknown++) a->unknown_min = a->unknown_max = size;
    if (size < a->unknown_min) a->unknown_min = size;
    if (size > a->unknown_max) a->unknown_max = size;
}

static hr_status keep_pair(hr__axis *a, const hr_axis_pair *pair, hr_error *err)
{
    for (int64_t i = a->n_pairs - 1; i >= 0; i--) {
        hr_axis_pair *p = &a->pairs[i];
        if (p->batch != pair->batch || p->size != pair->size || p->assumed != pair->assumed) continue;
        if (p->count <= INT32_MAX - pair->count) p->count += pair->count;
        return HR_OK;
    }
    if (a->n_pairs == HR_AXIS_PAIRS) {
        a->n_forgotten += pair->count;
        return HR_OK;
    }
    if (a->n_pairs == a->room) {
        int64_t room = a->room ? a->room * 2 : 4;
        hr_axis_pair *larger = hr_alloc((size_t)room, sizeof *larger);
        if (!larger) return hr_fail(err, HR_NOMEM, "no memory for an axis' samples");
        if (a->n_pairs) memcpy(larger, a->pairs, (size_t)a->n_pairs * sizeof *larger);
        hr_free(a->pairs);
        a->pairs = larger;
        a->room = room;
    }
    a->pairs[a->n_pairs++] = *pair;
    return HR_OK;
}

static void note_size(hr__axis *a, int64_t size)
{
    if (!a->n_seen++) a->min = a->max = size;
    if (size < a->min) a->min = size;
    if (size > a->max) a->max = size;
}

static hr_status note_pair(hr__axis *a, const hr_axis_pair *pair, hr_error *err)
{
    HR_TRY(keep_pair(a, pair, err));
    note_size(a, pair->size);
    a->n_seen += pair->count - 1;
    if (pair->batch == HR_BATCH_UNKNOWN)
        note_unknown(a, pair->size);
    else
        note_known(a, pair->batch, pair->size);
    return HR_OK;
}

/* The whole multiplier that all known pairs share; 0: there is none. */
static int64_t multiplier_of(const hr__axis *a)
{
    if (!a->n_known || a->is_broken || a->batch0 <= 0 || a->size0 % a->batch0) return 0;
    return a->size0 / a->batch0;
}

static int axis_unknown_fits(const hr__axis *a, int64_t multiplier)
{
    if (!a->n_unknown) return 1;
    return a->unknown_min == a->unknown_max && a->unknown_min % multiplier == 0;
}

hr_axis_kind hr__axis_kind(const hr__axis *a)
{
    if (a->min == a->max) return a->forced;
    int64_t m = multiplier_of(a);
    int is_batch = m > 0 && a->batch_min < a->batch_max && axis_unknown_fits(a, m);
    return is_batch ? HR_AXIS_BATCH : HR_AXIS_DYNAMIC;
}

static double ratio_of(const hr__axis *a, hr_axis_kind kind)
{
    if (kind == HR_AXIS_DYNAMIC || !a->n_known || a->batch0 <= 0) return NAN;
    if (kind == HR_AXIS_STATIC && a->pairs) {
        const hr_axis_pair *first = &a->pairs[0];
        return first->batch > 0 ? (double)first->size / (double)first->batch : NAN;
    }
    return (double)a->size0 / (double)a->batch0;
}

int hr__axis_is_open(const hr__axis *a)
{
    return hr__axis_kind(a) == HR_AXIS_STATIC && (!a->n_known || a->batch_min == a->batch_max);
}

/* ---- specs ------------------------------------------------------------------------- */

static hr_status check_batch(int64_t batch, hr_error *err)
{
    if (batch >= 0 || batch == HR_BATCH_UNKNOWN) return HR_OK;
    return hr_fail(err, HR_VALUE, "a batch size of %lld", (long long)batch);
}

static hr_status new_spec(hr_spec **out, int32_t rank, hr_error *err)
{
    if (rank < 0) return hr_fail(err, HR_VALUE, "a tensor of rank %d", rank);
    hr_spec *s = hr_alloc_zero(1, sizeof *s + (size_t)rank * sizeof *s->axes);
    if (!s) return hr_fail(err, HR_NOMEM, "no memory for a spec of %d axes", rank);
    s->rank = rank;
    s->last_batch = HR_BATCH_UNKNOWN;
    *out = s;
    return HR_OK;
}

static hr_status see(hr_spec *s, const int64_t *sizes, int64_t batch, hr_error *err)
{
    hr_axis_pair pair = {batch, 0, 0, 1};
    if (batch == HR_BATCH_UNKNOWN && s->last_batch != HR_BATCH_UNKNOWN) {
        pair.batch = s->last_batch;
        pair.assumed = 1;
    }
    for (int32_t d = 0; d < s->rank; d++) {
        pair.size = sizes[d];
        HR_TRY(note_pair(&s->axes[d], &pair, err));
    }
    if (batch != HR_BATCH_UNKNOWN) s->last_batch = batch;
    return HR_OK;
}

hr_status hr_spec_create(hr_spec **out, int32_t rank, const int64_t *sizes, int64_t batch,
                         hr_error *err)
{
    *out = NULL;
    HR_TRY(check_batch(batch, err));
    hr_spec *s;
    HR_TRY(new_spec(&s, rank, err));
    hr_status status = see(s, sizes, batch, err);
    if (status != HR_OK) hr_spec_destroy(&s);
    *out = s;
    return status;
}

static hr_status copy_axis(hr__axis *dst, const hr__axis *src, hr_error *err)
{
    *dst = *src;
    dst->pairs = NULL;
    dst->room = 0;
    if (!src->n_pairs) return HR_OK;
    dst->pairs = hr_alloc((size_t)src->n_pairs, sizeof *dst->pairs);
    if (!dst->pairs) {
        dst->n_pairs = 0;
        return hr_fail(err, HR_NOMEM, "no memory for an axis' samples");
    }
    memcpy(dst->pairs, src->pairs, (size_t)src->n_pairs * sizeof *dst->pairs);
    dst->room = src->n_pairs;
    return HR_OK;
}

hr_status hr_spec_copy(hr_spec **out, const hr_spec *spec, hr_error *err)
{
    *out = NULL;
    hr_spec *s;
    HR_TRY(new_spec(&s, spec->rank, err));
    s->last_batch = spec->last_batch;
    for (int32_t d = 0; d < s->rank; d++) {
        hr_status status = copy_axis(&s->axes[d], &spec->axes[d], err);
        if (status == HR_OK) continue;
        hr_spec_destroy(&s);
        return status;
    }
    *out = s;
    return HR_OK;
}

void hr_spec_destroy(hr_spec **spec)
{
    hr_spec *s = *spec;
    *spec = NULL;
    if (!s) return;
    for (int32_t d = 0; d < s->rank; d++) hr_free(s->axes[d].pairs);
    hr_free(s);
}

static hr_status check_rank(const hr_spec *s, int32_t rank, hr_error *err)
{
    if (rank == s->rank) return HR_OK;
    return hr_fail(err, HR_VALUE, "a tensor of rank %d for a spec of rank %d", rank, s->rank);
}

hr_status hr_spec_see(hr_spec *spec, int32_t rank, const int64_t *sizes, int64_t batch,
                      hr_error *err)
{
    HR_TRY(check_rank(spec, rank, err));
    HR_TRY(check_batch(batch, err));
    return see(spec, sizes, batch, err);
}

/* What the decision needs of samples whose pairs were not kept. */
static void merge_forgotten(hr__axis *a, const hr__axis *b)
{
    a->n_forgotten += b->n_forgotten;
    if (b->is_broken && !a->is_broken) {
        a->is_broken = 1;
        a->broken_batch = b->broken_batch;
        a->broken_size = b->broken_size;
    }
    if (b->n_known) {
        int64_t batch = b->batch0 > 0 ? b->batch0 : 1; /* the ends' sizes are whole: they were seen */
        note_known(a, b->batch_min, (int64_t)((wide)b->size0 * b->batch_min / batch));
        note_known(a, b->batch_max, (int64_t)((wide)b->size0 * b->batch_max / batch));
    }
    if (b->n_unknown) {
        note_unknown(a, b->unknown_min);
        note_unknown(a, b->unknown_max);
    }
}

/* `assume` is the batch size of the other's samples that have none, or HR_BATCH_UNKNOWN. */
static hr_status merge_axis(hr__axis *a, const hr__axis *b, int64_t assume, hr_error *err)
{
    int64_t n_seen = a->n_seen + b->n_seen;
    if (a->forced == HR_AXIS_STATIC) a->forced = b->forced;
    for (int64_t i = 0; i < b->n_pairs; i++) {
        hr_axis_pair pair = b->pairs[i];
        if (pair.batch == HR_BATCH_UNKNOWN && assume != HR_BATCH_UNKNOWN) {
            pair.batch = assume;
            pair.assumed = 1;
        }
        HR_TRY(note_pair(a, &pair, err));
    }
    note_size(a, b->min);
    note_size(a, b->max);
    a->n_seen = n_seen;
    if (b->n_forgotten) merge_forgotten(a, b);
    if (b->is_broken && !a->is_broken) { /* from a record: its pairs are not all there */
        a->is_broken = 1;
        a->broken_batch = b->broken_batch;
        a->broken_size = b->broken_size;
    }
    return HR_OK;
}

hr_status hr_spec_merge(hr_spec *spec, const hr_spec *other, hr_error *err)
{
    HR_TRY(check_rank(spec, other->rank, err));
    if (spec == other) return HR_OK;
    for (int32_t d = 0; d < spec->rank; d++)
        HR_TRY(merge_axis(&spec->axes[d], &other->axes[d], spec->last_batch, err));
    if (other->last_batch != HR_BATCH_UNKNOWN) spec->last_batch = other->last_batch;
    return HR_OK;
}

int32_t hr_spec_rank(const hr_spec *spec) { return spec->rank; }

hr_axis hr_spec_axis(const hr_spec *spec, int32_t d)
{
    const hr__axis *a = &spec->axes[d];
    hr_axis out = {hr__axis_kind(a), hr__axis_is_open(a), a->min, a->max, 0, a->pairs, a->n_pairs,
                   a->n_forgotten};
    out.multiplier = ratio_of(a, out.kind);
    return out;
}

int64_t hr_spec_last_batch(const hr_spec *spec) { return spec->last_batch; }

/* Stands for samples that nobody kept: the fewest pairs that lead to the same answer. */
hr_status hr_spec_declare(hr_spec *spec, int32_t d, const hr_axis *axis, hr_error *err)
{
    if (d < 0 || d >= spec->rank)
        return hr_fail(err, HR_INDEX, "axis %d of a spec of rank %d", d, spec->rank);
    if (axis->min > axis->max || axis->min < 0)
        return hr_fail(err, HR_VALUE, "axis %d from %lld to %lld", d, (long long)axis->min,
                       (long long)axis->max);
    double m = axis->multiplier;
    if (axis->kind == HR_AXIS_STATIC && axis->min != axis->max)
        return hr_fail(err, HR_VALUE, "axis %d is of one size, but from %lld to %lld", d,
                       (long long)axis->min, (long long)axis->max);
    if (axis->kind == HR_AXIS_BATCH && !(m >= 1 && m == floor(m)))
        return hr_fail(err, HR_VALUE, "axis %d is a batch axis with a multiplier of %g", d, m);
    hr__axis *a = &spec->axes[d];
    hr_free(a->pairs);
    *a = (hr__axis){.forced = axis->kind};
    const int64_t sizes[2] = {axis->min, axis->max};
    for (int i = 0; i < 1 + (axis->min != axis->max); i++) {
        double batch = axis->kind == HR_AXIS_DYNAMIC ? NAN : (double)sizes[i] / m;
        if (m == 0 && sizes[i] == 0) batch = 1; /* of any batch */
        int is_whole = isfinite(batch) && batch >= 0 && batch == floor(batch) && batch < 1e15;
        hr_axis_pair pair = {is_whole ? (int64_t)batch : HR_BATCH_UNKNOWN, sizes[i], 0, 1};
        HR_TRY(note_pair(a, &pair, err));
    }
    a->is_broken |= axis->kind == HR_AXIS_DYNAMIC;
    return HR_OK;
}

hr_status hr_spec_recall(hr_spec *spec, int32_t d, const hr_axis_pair *pairs, int64_t n,
                         hr_error *err)
{
    if (d < 0 || d >= spec->rank)
        return hr_fail(err, HR_INDEX, "axis %d of a spec of rank %d", d, spec->rank);
    hr__axis *a = &spec->axes[d];
    hr_free(a->pairs);
    *a = (hr__axis){.forced = HR_AXIS_STATIC};
    for (int64_t i = 0; i < n; i++) {
        if (pairs[i].size < 0 || pairs[i].count < 1)
            return hr_fail(err, HR_VALUE, "axis %d: a size of %lld, seen %d times", d,
                           (long long)pairs[i].size, pairs[i].count);
        HR_TRY(check_batch(pairs[i].batch, err));
        HR_TRY(note_pair(a, &pairs[i], err));
    }
    return HR_OK;
}

hr_status hr_spec_assume_batch(hr_spec *spec, int64_t batch, hr_error *err)
{
    HR_TRY(check_batch(batch, err));
    spec->last_batch = batch;
    return HR_OK;
}

int hr_spec_matches(const hr_spec *a, const hr_spec *b)
{
    if (a->rank != b->rank) return 0;
    for (int32_t d = 0; d < a->rank; d++) {
        const hr__axis *x = &a->axes[d], *y = &b->axes[d];
        if (hr__axis_kind(x) == HR_AXIS_STATIC && hr__axis_kind(y) == HR_AXIS_STATIC &&
            x->min != y->min)
            return 0;
    }
    return 1;
}
