/* The order of an epoch: a permutation that any place can be asked for, without a list of it.
 * Small sets: Fisher-Yates in a fixed table, every order equally likely. Large sets: a Feistel
 * network over rows x columns with Philox as round function, walked until the value is below n. */
#include "io/shuffle.h"

enum { ROUNDS = 8 };

/* Keeps the orders apart from operators' draws with the same seed. */
static const uint64_t seed_tag = UINT64_C(0x6f72646572);

static uint32_t scale(uint32_t word, uint32_t n) { return (uint32_t)((uint64_t)word * n >> 32); }

/* An unbiased number below n: Lemire's rejection (ACM TOMACS 29(1), 2019). */
static uint32_t draw_below(hr_rng *rng, uint32_t n)
{
    uint64_t product = (uint64_t)hr_rng_next(rng) * n;
    if ((uint32_t)product < n) {
        uint32_t reject = (uint32_t)-n % n;
        while ((uint32_t)product < reject) product = (uint64_t)hr_rng_next(rng) * n;
    }
    return (uint32_t)(product >> 32);
}

static hr_rng state_of(const hr__shuffle_key *key)
{
    hr_rng rng = hr_rng_seed(key->seed ^ seed_tag);
    rng.hi = key->epoch;
    rng.lo = (uint64_t)(key->stream & 0xffffff) << 40;
    rng.phase = 0;
    return rng;
}

static void fill_table(hr__shuffle *s)
{
    hr_rng rng = state_of(&s->key);
    for (uint32_t i = 0; i < (uint32_t)s->n; i++) {
        uint32_t j = draw_below(&rng, i + 1);
        s->table[i] = s->table[j];
        s->table[j] = (uint16_t)i;
    }
}

void hr__shuffle_init(hr__shuffle *s, int64_t n, hr__shuffle_key key)
{
    s->n = n;
    s->key = key;
    if (n <= HR__SHUFFLE_TABLE) {
        fill_table(s);
        return;
    }
    int64_t rows = 1;
    for (int64_t bit = INT64_C(1) << 31; bit; bit >>= 1)
        if ((rows | bit) * (rows | bit) <= n) rows |= bit;
    s->rows = rows;
    s->columns = (n + rows - 1) / rows;
}

static int64_t walk_once(const hr__shuffle *s, int64_t x)
{
    uint32_t rows = (uint32_t)s->rows, columns = (uint32_t)s->columns;
    uint32_t r = (uint32_t)(x / columns), c = (uint32_t)(x % columns);
    hr_rng base = state_of(&s->key);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        hr_rng rng = base;
        int odd = round & 1;
        rng.lo |= (uint64_t)round << 32 | (odd ? r : c);
        uint32_t word = hr_rng_next(&rng);
        if (odd)
            c = (uint32_t)(((uint64_t)c + scale(word, columns)) % columns);
        else
            r = (uint32_t)(((uint64_t)r + scale(word, rows)) % rows);
    }
    return (int64_t)r * columns + c;
}

int64_t hr__shuffle_at(const hr__shuffle *s, int64_t i)
{
    if (s->n <= HR__SHUFFLE_TABLE) return s->table[i];
    do i = walk_once(s, i);
    while (i >= s->n); /* ends: walking from a value below n comes back below n */
    return i;
}
