/* What the normalisation kernels are told. */
#ifndef HR_KERNELS_NORMALIZE_H
#define HR_KERNELS_NORMALIZE_H

#include <stdint.h>

/* `n` pixels of `channels` elements of `size` bytes (1, 2, 4 or 8). Plane c of the planar form
 * begins at byte c * n * size. */
typedef struct hr_lanes {
    int64_t n;
    int channels, size;
    int mirror; /* 1: the pixels come in reverse order */
} hr_lanes;

/* Element i becomes (x - mean[k]) * mul[k] + add[k], k = i mod period. Runs of a period above 1
 * are the inner loop: make it long (a hundred elements) by repeating the values. */
typedef struct hr_affine {
    const float *mean, *mul, *add;
    int64_t period;
} hr_affine;

/* Element i becomes (x - mean[k]) * mul[k] + add in double, k = i mod period. */
typedef struct hr_standard {
    const double *mean, *mul;
    double add;
    int64_t period;
} hr_standard;

#endif
