/* Result types of arithmetic (spec: integers of the same sign take the wider type; signed with
 * unsigned the next wider signed one, at most int64; an integer with a float that float; truth
 * values count as the other operand's type).
 * Thread use: plain functions of their arguments. */
#ifndef HR_ARRAY_PROMOTE_H
#define HR_ARRAY_PROMOTE_H

#include <headrace/dtype.h>

typedef struct hr__promotion {
    hr_dtype compute;  /* the type that the kernels work in */
    hr_dtype result;
    int is_wide;       /* uint64 beside a signed type, for hr__arith_wide */
} hr__promotion;

/* HR_TYPE for operands that the operator does not take. `op`: hr_binary, hr_unary. */
hr_status hr__promote_binary(int op, hr_dtype a, hr_dtype b, hr__promotion *out, hr_error *err);
hr_status hr__promote_unary(int op, hr_dtype a, hr__promotion *out, hr_error *err);

#endif
