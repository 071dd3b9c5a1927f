/* See packed.h. */
#include "io/packed.h"

hr_status hr__packed_bytes(const hr_tensor *in, hr_arena *arena, const uint8_t **data, size_t *size,
                           hr_error *err)
{
    *size = hr_tensor_nbytes(in);
    *data = in->data;
    if (hr_tensor_is_contiguous(in)) return HR_OK;
    uint8_t *packed = hr_arena_take(arena, *size);
    if (!packed) return hr_fail(err, HR_NOMEM, "no memory to pack %zu bytes", *size);
    hr_tensor_pack(packed, in);
    *data = packed;
    return HR_OK;
}
