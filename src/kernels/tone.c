/* uint8 through an affine map in float32: clamp((x * mul + add) rounded, halves away from zero).
 * As a vector loop this is faster than a table of 256 entries. */
#include "kernels/kernels.h"

void HR_K(affine_u8)(uint8_t *restrict dst, const uint8_t *restrict src, int64_t n, float mul,
                     float add)
{
    const float below_half = 0x1.fffffep-2f; /* the float below one half: see convert.c */
    for (int64_t i = 0; i < n; i++) {
        float y = (float)src[i] * mul + add;
        y = y > 0 ? y : 0; /* NaN too */
        y = y < 255 ? y : 255;
        dst[i] = (uint8_t)(int32_t)(y + below_half);
    }
}
