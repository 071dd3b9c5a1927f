/* What the files of this room share. */
#ifndef HR_GRAPHS_GRAPHS_H
#define HR_GRAPHS_GRAPHS_H

#include <headrace/graphs.h>

/* Two words to one, each bit of both in most bits of the result. */
static inline uint64_t hr__mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ (h >> 32);
}

/* As hr_tree_equal; *in_order: leaf i of one is leaf i of the other. */
int hr__tree_equal(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways, int *in_order);

#endif
