/* Transposition of a plane of elements in tiles that stay in the first-level cache: whole lines of
 * the source are read and whole lines of the output written. */
#include "kernels/kernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { TILE = 32 };

/* dst[x][y] = src[y][x]; sizes in elements of `size` bytes, a constant where it is called. */
INLINE void tile(uint8_t *restrict dst, const uint8_t *restrict src, const hr_plane *p,
                 int64_t rows, int64_t cols, int size)
{
    for (int64_t x = 0; x < cols; x++)
        for (int64_t y = 0; y < rows; y++)
            memcpy(dst + (x * p->dst_stride + y) * size, src + (y * p->src_stride + x) * size,
                   (size_t)size);
}

INLINE void plane(uint8_t *restrict dst, const uint8_t *restrict src, const hr_plane *p, int size)
{
    for (int64_t y = 0; y < p->rows; y += TILE) {
        int64_t rows = p->rows - y < TILE ? p->rows - y : TILE;
        for (int64_t x = 0; x < p->cols; x += TILE) {
            int64_t cols = p->cols - x < TILE ? p->cols - x : TILE;
            uint8_t *d = dst + (x * p->dst_stride + y) * size;
            const uint8_t *s = src + (y * p->src_stride + x) * size;
            if (rows == TILE && cols == TILE) tile(d, s, p, TILE, TILE, size);
            else tile(d, s, p, rows, cols, size);
        }
    }
}

void HR_K(transpose)(void *restrict dst, const void *restrict src, const hr_plane *p)
{
    switch (p->size) {
    case 1: plane(dst, src, p, 1); return;
    case 2: plane(dst, src, p, 2); return;
    case 4: plane(dst, src, p, 4); return;
    default: plane(dst, src, p, 8); return;
    }
}
