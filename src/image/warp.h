/* Affine maps of pictures and volumes: output pixel centres to source places.
 * Thread use: plain functions of their arguments. */
#ifndef HR_IMAGE_WARP_H
#define HR_IMAGE_WARP_H

#include "kernels/kernels.h"

/* Axes in the order x, y, z: place[i] = m[i][0] * x + m[i][1] * y (+ m[i][2] * z) + t[i]. */
typedef struct hr__warp_map {
    float m[3][3], t[3];
} hr__warp_map;

/* Turns about the centres of a source of `in` and an output of `out` pixels. */
void hr__warp_centre(hr__warp_map *map, const int64_t *in, const int64_t *out, int ndim);

typedef struct hr__warp_args {
    hr_interp interp; /* HR_INTERP_NN or HR_INTERP_LINEAR */
    float fill;       /* absent: the nearest pixel of the source */
} hr__warp_args;

/* HR_VALUE for a source of 2^31 pixels or more, or an output axis over 2^24 (floats count that
 * far). `in` and `out` as above. */
HR_CHECKED hr_status hr__warp_check(const int64_t *in, const int64_t *out, int ndim,
                                    hr_error *err);
/* Fills s->out[0] from s->in[0] of the layout [F]HWC or [F]DHWC; all frames alike. */
HR_CHECKED hr_status hr__warp_run(const hr_sample *s, const hr__warp_map *map,
                                  const hr__warp_args *a, hr_error *err);

#endif
