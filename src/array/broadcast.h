/* A packed output filled with a smaller packed tensor, broadcast as NumPy does; leading axes of
 * extent 1 that the output lacks are dropped.
 * Thread use: plain functions of their arguments. */
#ifndef HR_ARRAY_BROADCAST_H
#define HR_ARRAY_BROADCAST_H

#include <headrace/tensor.h>

/* HR_VALUE where `fill` does not broadcast to the shape of `out`. */
HR_CHECKED hr_status hr__broadcast_check(const hr_tensor *fill, const hr_tensor *out,
                                         hr_error *err);
/* Fills `dst`, of the shape of `out`; both of `size` bytes an element. */
void hr__broadcast_fill(void *dst, const hr_tensor *out, const hr_tensor *fill, const void *src,
                        size_t size);

#endif
