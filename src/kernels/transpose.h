/* What the transposing kernel is told. */
#ifndef HR_KERNELS_TRANSPOSE_H
#define HR_KERNELS_TRANSPOSE_H

#include <stdint.h>

/* `rows` x `cols` elements of `size` bytes (1, 2, 4 or 8) become `cols` x `rows`. Strides, between
 * rows of the source and of the output, in elements. */
typedef struct hr_plane {
    int64_t rows, cols, src_stride, dst_stride;
    int size;
} hr_plane;

#endif
