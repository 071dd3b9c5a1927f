/* A packed output that holds a window of a packed input; what the input does not cover takes a
 * fill value. Shared by crop and pad.
 * Thread use: plain functions of their arguments. */
#ifndef HR_CORE_PLACE_H
#define HR_CORE_PLACE_H

#include <headrace/tensor.h>

typedef struct hr__placement {
    int ndim;
    const int64_t *src_shape; /* of the packed input */
    const int64_t *start;     /* of the window in the input; may be negative */
    const int64_t *dst_shape; /* of the window, packed */
    size_t src_size, dst_size; /* bytes an element */
    const void *fill; /* n_fill elements of the output; may be NULL where nothing is filled */
    int64_t n_fill;   /* 1, or the extent of fill_axis: one value a channel */
    int fill_axis;
    /* Copies a run of n elements; NULL: plain bytes (equal sizes). */
    void (*copy)(const void *user, void *dst, const void *src, int64_t n);
    const void *user;
} hr__placement;

void hr__place(const hr__placement *p, void *dst, const void *src);

/* n elements of `size` bytes, all equal to *value. */
void hr__fill(void *dst, const void *value, size_t size, int64_t n);

/* Fill values as `dtype`: the fraction is cut off for integers, as the peer does, and what is
 * over the range is clamped (the peer wraps); NaN gives 0. */
void hr__fill_values(void *dst, hr_dtype dtype, const float *values, int64_t n);

/* All elements of a packed tensor. */
void hr__fill_tensor(const hr_tensor *t, float value);

#endif
