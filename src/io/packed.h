/* Bytes of an input side by side, also in infer, where inputs still have their strides. */
#ifndef HR_IO_PACKED_H
#define HR_IO_PACKED_H

#include <headrace/op.h>

/* The bytes of `in`; copied to `arena` if they come with a stride (x[::2]). HR_NOMEM. */
HR_CHECKED hr_status hr__packed_bytes(const hr_tensor *in, hr_arena *arena, const uint8_t **data,
                                      size_t *size, hr_error *err);

#endif
