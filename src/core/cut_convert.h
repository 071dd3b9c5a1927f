/* A window cut out and converted as the cropping operators do it: reals are cut off to integers,
 * values over the type's range are clamped (float16 at 65504), NaN stays NaN or gives 0.
 * Thread use: a plain function of its arguments. */
#ifndef HR_CORE_CUT_CONVERT_H
#define HR_CORE_CUT_CONVERT_H

#include "core/crop_box.h"

/* The window `box` of s->in[0] into s->out[0], converted to its type. What lies outside takes `fill`:
 * one value, or one for each element of the output's axis `fill_axis`; none: zero. HR_NOMEM. */
HR_CHECKED hr_status hr__cut(const hr_sample *s, const hr__box *box, hr_floats fill, int fill_axis,
                             hr_error *err);

#endif
