/* The table of element types. */
#include <headrace/dtype.h>

#include <string.h>

#include "core/core.h"
#include "kernels/kernels.h"

static const hr_dtype_info table[] = {
#define ROW(id, sym, name, np, kind, bits, e, s)                                       \
    {HR_##sym, name, np, HR_KIND_##kind, bits, (bits) / 8, e, s},
    HR_DTYPE_MAP(ROW)
#undef ROW
};
enum { N_DTYPES = sizeof table / sizeof *table, MAX_ID = 32 };

static const int8_t row_of_id[MAX_ID + 1] = {
    [HR_U8] = 1,  [HR_U16] = 2,  [HR_U32] = 3,  [HR_U64] = 4,
    [HR_I8] = 5,  [HR_I16] = 6,  [HR_I32] = 7,  [HR_I64] = 8,
    [HR_F16] = 9, [HR_F32] = 10, [HR_F64] = 11, [HR_BOOL] = 12,
    [HR_DATA_TYPE] = 13, [HR_IMAGE_TYPE] = 14, [HR_INTERP_TYPE] = 15, [HR_BF16] = 16,
};

const hr_dtype_info *hr_dtype_get_info(hr_dtype dtype)
{
    if ((int)dtype < 0 || (int)dtype > MAX_ID) return NULL;
    int row = row_of_id[dtype];
    return row ? &table[row - 1] : NULL;
}

const hr_dtype_info *hr_dtype_at(int i)
{
    return i >= 0 && i < N_DTYPES ? &table[i] : NULL;
}

void hr__dtype_names(uint64_t types, char *text, size_t size)
{
    const hr_dtype_info *info;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; (info = hr_dtype_at(i)) != NULL; i++) {
        const char *name = info->kind == HR_KIND_ENUM ? info->name : info->numpy_name;
        size_t len = strlen(name);
        if (!(types & HR_DTYPES(info->id)) || used + len + 3 > size) continue;
        if (used) {
            memcpy(text + used, ", ", 2);
            used += 2;
        }
        memcpy(text + used, name, len + 1);
        used += len;
    }
}

hr_dtype hr_dtype_parse(const char *name)
{
    /* The enum kinds share NumPy's "int32"; the number types come first in the table. */
    for (int i = 0; i < N_DTYPES; i++)
        if (!strcmp(name, table[i].name) || !strcmp(name, table[i].numpy_name))
            return table[i].id;
    return strcmp(name, "bf16") ? HR_DTYPE_NONE : HR_BF16;
}

size_t hr_dtype_size(hr_dtype dtype)
{
    const hr_dtype_info *info = hr_dtype_get_info(dtype);
    return info ? (size_t)info->bytes : 0;
}

/* Foreign memory may begin anywhere; kernels want whole elements. */
static void convert_misplaced(hr_dtype to, char *dst, hr_dtype from, const char *src, size_t n)
{
    enum { STEP = 64 };
    uint64_t aligned[STEP];
    size_t size = hr_dtype_size(from), dst_size = hr_dtype_size(to);
    for (size_t i = 0; i < n; i += STEP) {
        size_t k = n - i < STEP ? n - i : STEP;
        memcpy(aligned, src + i * size, k * size);
        hr__kernels()->convert(to, dst + i * dst_size, from, aligned, k);
    }
}

void hr_dtype_convert(hr_dtype to, void *dst, hr_dtype from, const void *src, size_t n)
{
    if ((uintptr_t)src & (hr_dtype_size(from) - 1)) convert_misplaced(to, dst, from, src, n);
    else hr__kernels()->convert(to, dst, from, src, n);
}
