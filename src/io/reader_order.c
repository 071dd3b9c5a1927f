/* Orders: the permutation of a shard for each number, a function of (seed, number, shard) alone,
 * so that any epoch can be begun at once and again. */
#include "io/reader_engine.h"

/* The shard's first item; shard num_shards begins after the last. */
static int64_t shard_begin(const hr__orders *o, int64_t shard)
{
    return (int64_t)((__int128)o->n * shard / o->num_shards);
}

static int64_t shard_of(const hr__orders *o, int64_t order)
{
    if (o->stick || o->mode == HR__SHUFFLE_ALL) return o->shard_id;
    return (o->shard_id + order % o->num_shards) % o->num_shards;
}

int64_t hr__orders_size(const hr__orders *o, int64_t order)
{
    int64_t shard = shard_of(o, order);
    return shard_begin(o, shard + 1) - shard_begin(o, shard);
}

int64_t hr__orders_largest(const hr__orders *o)
{
    return (o->n + o->num_shards - 1) / o->num_shards;
}

static int64_t permuted(hr__orders *o, int64_t order, int64_t n, int64_t i)
{
    if (o->shuffled != order) {
        uint32_t stream = o->mode == HR__SHUFFLE_ALL ? 0 : (uint32_t)shard_of(o, order) + 1;
        hr__shuffle_init(&o->shuffle, n, (hr__shuffle_key){o->seed, (uint64_t)order, stream});
        o->shuffled = order;
    }
    return hr__shuffle_at(&o->shuffle, i);
}

int64_t hr__orders_item(hr__orders *o, hr__place at)
{
    int64_t begin = shard_begin(o, shard_of(o, at.order));
    switch (o->mode) {
    case HR__SHUFFLE_SHARD:
        return begin + permuted(o, at.order, hr__orders_size(o, at.order), at.offset);
    case HR__SHUFFLE_ALL: return permuted(o, at.order, o->n, begin + at.offset);
    default: return begin + at.offset;
    }
}

hr__place hr__orders_next(const hr__orders *o, hr__place at)
{
    at.offset++;
    return at.offset < hr__orders_size(o, at.order) ? at : (hr__place){at.order + 1, 0};
}

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

int64_t hr__orders_batches(const hr__orders *o, hr_last_batch last, int64_t epoch,
                           int64_t batch_size)
{
    int64_t size = hr__orders_size(o, epoch);
    switch (last) {
    case HR_LAST_DROP: return size / batch_size;
    case HR_LAST_PAD: return divide_up(hr__orders_largest(o), batch_size);
    default: return divide_up(size, batch_size);
    }
}
