/* The float functions among the unary and binary operations, for the element types that have them. */
#ifndef HR_KERNELS_MATH_H
#define HR_KERNELS_MATH_H

#include "kernels/kernels.h"

/* n elements; `op`: from CBRT to ATANH but roots, magnitudes and roundings, which are instructions */
void HR_K(math1_f32)(int op, float *restrict dst, const float *restrict src, int64_t n);
void HR_K(math1_f64)(int op, double *restrict dst, const double *restrict src, int64_t n);

/* `op`: ATAN2, or POW and FPOW */
void HR_K(math2_f32)(int op, float *restrict dst, const float *restrict a,
                     const float *restrict b, int64_t n);
void HR_K(math2_f64)(int op, double *restrict dst, const double *restrict a,
                     const double *restrict b, int64_t n);

#endif
