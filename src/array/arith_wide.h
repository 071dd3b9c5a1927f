/* uint64 beside a signed type. int64, their common type, does not hold both, so what does not
 * follow from the low 64 bits is computed in 128.
 * Thread use: plain functions of their arguments. */
#ifndef HR_ARRAY_ARITH_WIDE_H
#define HR_ARRAY_ARITH_WIDE_H

#include <stdint.h>

/* Whether the operator needs this. `op`: an hr_binary. */
int hr__arith_is_wide(int op);
/* Elements of a and b, of which one is uint64 (a_natural: it is a) and the other int64. Comparisons
 * make bytes, the others int64: the low bits of the result, or for min and max its nearest.
 * Gives an hr_arith_fault. */
int hr__arith_wide(int op, void *dst, const void *a, const void *b, int a_natural, int64_t n);

#endif
