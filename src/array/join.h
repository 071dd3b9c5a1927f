/* What cat and stack ask of their inputs.
 * Thread use: a plain function of its arguments. */
#ifndef HR_ARRAY_JOIN_H
#define HR_ARRAY_JOIN_H

#include <headrace/op.h>

/* Is input j of the type and rank of input 0, `like`? HR_TYPE, HR_VALUE. */
HR_CHECKED hr_status hr__join_check(const hr_tensor *t, const hr_tensor *like, int j, hr_error *err);

#endif
