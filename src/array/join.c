/* What cat and stack ask of their inputs. */
#include "array/join.h"

hr_status hr__join_check(const hr_tensor *t, const hr_tensor *like, int j, hr_error *err)
{
    if (t->dtype != like->dtype)
        return hr_fail(err, HR_TYPE, "input %d is of type %s, input 0 of type %s", j,
                       hr_dtype_get_info(t->dtype)->numpy_name,
                       hr_dtype_get_info(like->dtype)->numpy_name);
    if (t->ndim != like->ndim)
        return hr_fail(err, HR_VALUE, "input %d has %d axes, input 0 has %d", j, t->ndim,
                       like->ndim);
    return HR_OK;
}
