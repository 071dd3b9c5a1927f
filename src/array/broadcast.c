/* Axis by axis: what repeats is copied from the first time. */
#include "array/broadcast.h"

#include <string.h>

#include "core/place.h"

hr_status hr__broadcast_check(const hr_tensor *fill, const hr_tensor *out, hr_error *err)
{
    int extra = out->ndim - fill->ndim; /* axes that the output has before the fill's */
    for (int k = 0; k < fill->ndim; k++) {
        int64_t have = fill->shape[k], want = k + extra < 0 ? 1 : out->shape[k + extra];
        if (have != 1 && have != want)
            return hr_fail(err, HR_VALUE,
                           "`fill_value` has extent %lld in axis %d, it must be 1 or the "
                           "output's %lld", (long long)have, k, (long long)want);
    }
    return HR_OK;
}

typedef struct filling {
    const hr_tensor *out, *fill;
    size_t size;
} filling;

/* Fills axes axis..ndim-1 at dst; returns the end. */
static char *fill_axis(const filling *f, int axis, char *dst, const char *src)
{
    const hr_tensor *fill = f->fill, *out = f->out;
    if (axis == out->ndim) {
        memcpy(dst, src, f->size);
        return dst + f->size;
    }
    int k = axis + fill->ndim - out->ndim;
    int64_t n = out->shape[axis], step = 0, block = (int64_t)f->size;
    for (int j = axis + 1; j < out->ndim; j++) block *= out->shape[j];
    if (k >= 0 && fill->shape[k] != 1) {
        step = (int64_t)f->size;
        for (int j = k + 1; j < fill->ndim; j++) step *= fill->shape[j];
    }
    if (axis == out->ndim - 1 && step == 0) {
        hr__fill(dst, src, f->size, n);
        return dst + n * block;
    }
    char *first = dst;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && step == 0) {
            memcpy(dst, first, (size_t)block);
            dst += block;
        } else {
            dst = fill_axis(f, axis + 1, dst, src + i * step);
        }
    }
    return dst;
}

void hr__broadcast_fill(void *dst, const hr_tensor *out, const hr_tensor *fill, const void *src,
                        size_t size)
{
    filling f = {out, fill, size};
    if (hr_tensor_size(out) > 0) fill_axis(&f, 0, dst, src);
}
