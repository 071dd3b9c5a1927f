/* Reductions: their codes, and what the accumulators are. */
#ifndef HR_KERNELS_REDUCE_H
#define HR_KERNELS_REDUCE_H

#include <stdint.h>

/* Accumulators: SUM of integers: int64_t, modulo 2^64; SUM of reals, REAL_SUM, SQUARES and
 * DEVIATIONS: double; MIN, MAX: the element's type, NaN is passed over. */
typedef enum hr_reduce {
    HR_REDUCE_SUM,
    HR_REDUCE_REAL_SUM,   /* of integers, in double */
    HR_REDUCE_SQUARES,    /* of x * x */
    HR_REDUCE_DEVIATIONS, /* of (x - mean)^2 */
    HR_REDUCE_MIN,
    HR_REDUCE_MAX,
} hr_reduce;

/* `rows` rows of `n` elements, `stride` elements apart: column j is added to accumulator j. */
typedef struct hr_reduce_rows {
    int64_t rows, stride, n;
    const double *mean; /* one a column, for DEVIATIONS */
} hr_reduce_rows;

/* Columns that a call may have. */
enum { HR_REDUCE_COLUMNS = 1024 };

#endif
