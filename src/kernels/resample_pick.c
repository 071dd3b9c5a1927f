/* Nearest neighbour along a row: whole pixels are copied. */
#include "kernels/kernels.h"

#include <string.h>

#define PICK(size_)                                                                    \
    case size_:                                                                        \
        for (int64_t i = 0; i < n; i++)                                                \
            memcpy(out + i * size_, in + (int64_t)index[i] * size_, size_);            \
        return;

void HR_K(resample_pick)(void *restrict dst, const void *restrict src, const int32_t *index,
                         int64_t n, int64_t size)
{
    char *out = dst;
    const char *in = src;
    switch (size) {
        PICK(1)
        PICK(2)
        PICK(3)
        PICK(4)
        PICK(6)
        PICK(8)
        PICK(12)
        PICK(16)
    default: break;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * size, in + index[i] * size, (size_t)size);
}
