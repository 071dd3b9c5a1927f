/* Short names for the macros that make a kernel for each element type. */
#ifndef HR_KERNELS_SHORT_TYPES_H
#define HR_KERNELS_SHORT_TYPES_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;

#endif
