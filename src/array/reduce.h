/* The walk behind reductions and normalize: a packed array is reduced over a set of axes; the
 * accumulators of each output element are handed over in runs, in memory order. The order of
 * additions depends on the shape alone.
 * Thread use: plain functions of their arguments. */
#ifndef HR_ARRAY_REDUCE_H
#define HR_ARRAY_REDUCE_H

#include "kernels/kernels.h"

/* Axes merged into groups that are reduced or kept, by turns; extents of 1 are left out. */
typedef struct hr__groups {
    int n;
    int64_t extent[HR_MAX_NDIM], step[HR_MAX_NDIM]; /* step: elements of the array */
    int is_kept[HR_MAX_NDIM];
    int64_t n_out;    /* elements of the output */
    int64_t n_merged; /* elements of the array for each of them */
} hr__groups;

/* `mask`: the axes to reduce. */
void hr__groups_make(const hr_tensor *t, unsigned mask, hr__groups *out);

typedef struct hr__reduction {
    int op;         /* hr_reduce */
    hr_dtype dtype; /* integers of 8 to 64 bits, float32, float64 */
    const void *src;
    const hr_kernels *kernels;
    /* The means of output elements first..first+n-1, n <= HR_REDUCE_COLUMNS; DEVIATIONS only. */
    void (*mean)(void *user, int64_t first, int64_t n, double *out);
    /* Takes their accumulators (see kernels/reduce.h). */
    void (*emit)(void *user, int64_t first, int64_t n, const void *acc);
    void *user;
} hr__reduction;

void hr__reduce(const hr__reduction *r, const hr__groups *g);

/* The array as a type that the kernels take: itself, or converted into `arena` (truth values as
 * uint8, short floats as float32). HR_NOMEM. */
HR_CHECKED hr_status hr__reduce_source(const hr_tensor *t, const hr_kernels *kernels,
                                       hr_arena *arena, hr_dtype *dtype, const void **src,
                                       hr_error *err);

#endif
