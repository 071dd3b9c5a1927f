/* Orders of 0..n-1, drawn one after the other from one generator. */
#include "rng/rng.h"

static void swap_items(int32_t *v, uint64_t i, uint64_t j)
{
    int32_t t = v[i];
    v[i] = v[j];
    v[j] = t;
}

/* Fisher-Yates upwards. Below 2^16 items, one draw below (i+1)(i+2) serves two swaps; above, the
 * product would not fit in a word. */
static void shuffle(int32_t *out, uint64_t n, hr_words *words)
{
    enum { PAIRED_BELOW = 65536 };
    uint64_t i = 1;
    if (n >= PAIRED_BELOW) {
        for (; i < n; i++) swap_items(out, i, hr__below(words, i + 1));
        return;
    }
    if (n % 2 == 0 && n > 0) {
        swap_items(out, 1, hr__below(words, 2));
        i = 2;
    }
    for (; i < n; i += 2) {
        uint64_t x = hr__below(words, (i + 1) * (i + 2));
        swap_items(out, i, x / (i + 2));
        swap_items(out, i + 1, x % (i + 2));
    }
}

void hr__permutation(int32_t *out, int64_t n, int flags, hr_words *words)
{
    uint64_t count = n > 0 ? (uint64_t)n : 0;
    int no_fixed = (flags & HR_PERM_NO_FIXED) && count > 1;
    for (uint64_t i = 0; i < count; i++) out[i] = (int32_t)i;
    if (flags & HR_PERM_REPEATS) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t x = hr__below(words, count - (no_fixed ? 1 : 0));
            out[i] = (int32_t)(x + (no_fixed && x >= i ? 1 : 0));
        }
    } else if (no_fixed) {
        /* Always swapping forwards gives one single cycle, which has no fixed point. */
        for (uint64_t i = 0; i + 1 < count; i++)
            swap_items(out, i, i + 1 + hr__below(words, count - 1 - i));
    } else {
        shuffle(out, count, words);
    }
}
