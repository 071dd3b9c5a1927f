/* A permutation of 0..n-1 chosen by a key, in constant memory and with random access. */
#ifndef HR_IO_SHUFFLE_H
#define HR_IO_SHUFFLE_H

#include <headrace/headrace.h>

/* Up to this size the permutation is drawn uniformly and kept in a table. */
enum { HR__SHUFFLE_TABLE = 2048 };

typedef struct hr__shuffle_key {
    uint64_t seed, epoch;
    uint32_t stream; /* tells permutations of one epoch apart */
} hr__shuffle_key;

typedef struct hr__shuffle {
    int64_t n;
    int64_t rows, columns; /* Feistel halves: rows * columns >= n, as square as can be */
    hr__shuffle_key key;
    uint16_t table[HR__SHUFFLE_TABLE];
} hr__shuffle;

/* n >= 0. */
void hr__shuffle_init(hr__shuffle *s, int64_t n, hr__shuffle_key key);
/* The image of `i`, 0 <= i < n. */
int64_t hr__shuffle_at(const hr__shuffle *s, int64_t i);

#endif
