/* The row engine of crop_mirror_normalize: one row of pixels in, one row out, with whatever
 * element types and axis orders they have. */
#ifndef HR_IMAGE_NORMALIZE_ROWS_H
#define HR_IMAGE_NORMALIZE_ROWS_H

#include "kernels/kernels.h"

/* How a row's elements lie: strides in elements. */
typedef struct hr__row_form {
    hr_dtype dtype;
    size_t size;
    int64_t pixel, channel;
} hr__row_form;

typedef struct hr__row_plan {
    const hr_kernels *kernels;
    hr__row_form in, out;
    int channels, out_channels; /* out_channels - channels are filled */
    int mirror;
    int64_t width; /* of an output row */
    int64_t left;  /* pixels before the input's first, without mirroring */
    int64_t n;     /* pixels that the input has */
    const char *fill; /* one output element a channel */
    const float *mean, *mul, *add; /* one a channel, repeated to `period` */
    int64_t period;
    void *turned;  /* scratch: the input's row in another order */
    float *real;   /* scratch: as float32 */
    float *mapped; /* scratch: after the affine map */
    char *planes;  /* scratch: output elements, plane by plane */
} hr__row_plan;

/* Completes a plan: scratch memory from `arena`. HR_NOMEM. */
HR_CHECKED hr_status hr__row_prepare(hr__row_plan *p, hr_arena *arena, hr_error *err);
/* `src`: the input's first pixel of the row. */
void hr__row_run(const hr__row_plan *p, char *dst, const char *src);
/* Fill values only. */
void hr__row_fill(const hr__row_plan *p, char *dst);

#endif
