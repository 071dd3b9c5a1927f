/* What the warping kernels are told: a packed source and a walk through it in equal steps. */
#ifndef HR_KERNELS_WARP_H
#define HR_KERNELS_WARP_H

#include <headrace/dtype.h>

typedef struct hr_warp {
    const void *src;
    hr_dtype type;    /* of the source: HR_U8, HR_U16, HR_I16, HR_I32 or HR_F32 */
    int ndim;         /* 2: pictures; 3: volumes */
    int64_t size[3];  /* x, y, z; at least 1 each, fewer than 2^31 pixels together */
    int64_t channels;
    const void *fill; /* an element of `type` for what lies outside; NULL: the nearest pixel */
    float step[3];    /* from one output pixel to the next, in source pixels; pixel i's centre is
                         at i + 0.5 */
    float origin[3];  /* the place of output (0, 0, 0) */
} hr_warp;

/* What an output row adds to its places: its y times the map's column for y, likewise z. */
typedef struct hr_warp_row {
    float y[3], z[3];
} hr_warp_row;

#endif
