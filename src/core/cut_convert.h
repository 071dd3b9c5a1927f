/* Conversion of packed elements as the cropping operators do it: reals are cut off to integers,
 * values over the type's range are clamped (float16 at 65504), NaN stays NaN or gives 0.
 * Thread use: a plain function of its arguments. */
#ifndef HR_CORE_CUT_CONVERT_H
#define HR_CORE_CUT_CONVERT_H

#include <headrace/dtype.h>

void hr__convert_cut(hr_dtype to, void *dst, hr_dtype from, const void *src, int64_t n);

/* The same for hr__placement.copy; `user` is one of these. */
typedef struct hr__cut_types { hr_dtype from, to; } hr__cut_types;
void hr__cut_run(const void *user, void *dst, const void *src, int64_t n);

#endif
