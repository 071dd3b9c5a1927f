/* A small generator: the same numbers in every run. */
#ifndef HR_TESTS_DRAW_H
#define HR_TESTS_DRAW_H

#include <stdint.h>

static inline uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline int64_t draw_below(uint32_t *state, int64_t n)
{
    return draw(state) % (uint32_t)n;
}

#endif
