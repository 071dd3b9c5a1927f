/* The region of an array that readers.Numpy is asked for: bounds in elements or shares of the extent.
 * Thread use: plain functions of their arguments. */
#ifndef HR_IO_NPY_REGION_H
#define HR_IO_NPY_REGION_H

#include <headrace/op.h>

#include "io/npy.h"

typedef struct hr__npy_roi_args {
    hr_ints start, end, shape, axes;
    hr_floats rel_start, rel_end, rel_shape;
    int policy;
} hr__npy_roi_args;

enum { HR__NPY_ERROR, HR__NPY_PAD, HR__NPY_TRIM }; /* a region over the array's edge */

/* One of start, end and shape: at most one of the lists is given. */
typedef struct hr__npy_bound {
    int n; /* values; 0: not given */
    int is_share;
    int64_t whole[HR_MAX_NDIM];
    float share[HR_MAX_NDIM];
} hr__npy_bound;

typedef struct hr__npy_roi {
    int is_given, policy;
    int n_axes; /* 0: all */
    int64_t axes[HR_MAX_NDIM];
    hr__npy_bound bounds[3]; /* start, end, shape */
} hr__npy_roi;

/* `roi` starts zeroed. HR_VALUE for arguments that contradict one another. */
HR_CHECKED hr_status hr__npy_roi_set(hr__npy_roi *roi, const hr__npy_roi_args *args,
                                     hr_error *err);

typedef struct hr__npy_region {
    int64_t start[HR_MAX_NDIM], size[HR_MAX_NDIM];
} hr__npy_region;

/* HR_VALUE for a region that the array does not have. */
HR_CHECKED hr_status hr__npy_roi_find(const hr__npy_roi *roi, const hr__npy *npy,
                                      hr__npy_region *out, hr_error *err);

#endif
