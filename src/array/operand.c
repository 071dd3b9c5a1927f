/* Operands of element-wise operators. What repeats is kept as a tile (one element for all, a value
 * for each channel); what repeats otherwise is picked run by run. */
#include "array/operand.h"

#include <string.h>

enum { BLOCK = HR__OPERAND_BLOCK };

/* ---- shapes and layouts -------------------------------------------------------------------- */

/* The longest layout names the axes; others must be its end, as axes are paired from the right. */
static hr_status join_layouts(const hr_tensor *const *ins, int n, hr_tensor *out, hr_error *err)
{
    const char *longest = "";
    for (int i = 0; i < n; i++)
        if (strlen(ins[i]->layout) > strlen(longest)) longest = ins[i]->layout;
    for (int i = 0; i < n; i++)
        if (strcmp(longest + strlen(longest) - strlen(ins[i]->layout), ins[i]->layout) != 0)
            return hr_fail(err, HR_VALUE, "operands have the layouts \"%s\" and \"%s\", which name "
                           "their last axes differently", longest, ins[i]->layout);
    if ((int)strlen(longest) == out->ndim) memcpy(out->layout, longest, strlen(longest) + 1);
    return HR_OK;
}

hr_status hr__operand_shape(const hr_tensor *const *ins, int n, hr_dtype dtype, hr_tensor *out,
                            hr_error *err)
{
    int ndim = 0;
    int64_t shape[HR_MAX_NDIM];
    for (int i = 0; i < n; i++)
        if (ins[i]->ndim > ndim) ndim = ins[i]->ndim;
    for (int d = 0; d < HR_MAX_NDIM; d++) shape[d] = 1;
    for (int i = 0; i < n; i++) {
        int64_t *paired = shape + ndim - ins[i]->ndim;
        for (int d = 0; d < ins[i]->ndim; d++) {
            int64_t x = paired[d], y = ins[i]->shape[d];
            if (x != y && x != 1 && y != 1)
                return hr_fail(err, HR_VALUE, "operands have extents %lld and %lld in axis %d from "
                               "the right, which do not go together", (long long)x, (long long)y,
                               ins[i]->ndim - d);
            if (x == 1) paired[d] = y;
        }
    }
    HR_TRY(hr_tensor_shape(out, dtype, ndim, shape, err));
    return join_layouts(ins, n, out, err);
}

/* ---- broadcasting ------------------------------------------------------------------------------ */

/* The output's axes from the right, with the operand's strides; neighbours that one step serves
 * are joined, extents of 1 are left out. */
static void join_axes(hr__operand *o, const hr_tensor *in, const hr_tensor *out)
{
    int64_t step = 1;
    o->n_axes = 0;
    for (int d = 0; d < out->ndim; d++) { /* axis d from the right */
        int64_t extent = out->shape[out->ndim - 1 - d];
        int64_t own = d < in->ndim ? in->shape[in->ndim - 1 - d] : 1;
        int64_t stride = own == 1 ? 0 : step;
        step *= own;
        if (extent == 1) continue;
        int k = o->n_axes - 1;
        int joins = k >= 0 && (stride ? stride == o->stride[k] * o->extent[k] && o->stride[k]
                                      : o->stride[k] == 0);
        if (joins) {
            o->extent[k] *= extent;
            continue;
        }
        o->extent[o->n_axes] = extent;
        o->stride[o->n_axes++] = stride;
    }
}

/* The tile, and as much of its repetition as a block from any place in it needs. */
static void fill_tile(hr__operand *o, int64_t most)
{
    size_t size = hr_dtype_size(o->to), have = (size_t)o->period * size;
    size_t want = (size_t)(o->period == 1 ? most : most + o->period) * size;
    o->k->convert(o->to, o->block, o->from, o->data, (size_t)o->period);
    while (have < want) {
        size_t more = have < want - have ? have : want - have;
        memcpy(o->block + have, o->block, more);
        have += more;
    }
}

hr_status hr__operand_open(hr__operand *o, const hr_sample *s, const hr_tensor *in, hr_dtype to,
                           hr_error *err)
{
    const hr_tensor *out = &s->out[0];
    int64_t n = hr_tensor_size(out), room = n < BLOCK ? n : BLOCK;
    o->data = in->data;
    o->from = in->dtype;
    o->to = to;
    o->k = s->kernels;
    o->picked = o->block = NULL;
    join_axes(o, in, out);
    int is_whole = o->n_axes == 0 || (o->n_axes == 1 && o->stride[0] == 1);
    int is_tile = o->n_axes == 1 ? o->stride[0] == 0
                                 : o->n_axes == 2 && o->stride[0] == 1 && o->stride[1] == 0;
    o->period = o->n_axes == 2 ? o->extent[0] : 1;
    o->way = is_whole                         ? HR__OPERAND_WHOLE
             : is_tile && o->period <= BLOCK ? HR__OPERAND_TILE
                                              : HR__OPERAND_WALK;
    size_t element = hr_dtype_size(o->from);
    if (o->way == HR__OPERAND_WALK &&
        !(o->picked = hr_arena_take(s->arena, (size_t)room * element)))
        return hr_fail(err, HR_NOMEM, "no memory for an operand");
    if (o->from == to && o->way != HR__OPERAND_TILE) return HR_OK;
    int64_t more = o->way == HR__OPERAND_TILE ? o->period : 0;
    o->block = hr_arena_take(s->arena, (size_t)(room + more) * hr_dtype_size(to));
    if (!o->block) return hr_fail(err, HR_NOMEM, "no memory for an operand");
    if (o->way == HR__OPERAND_TILE) fill_tile(o, room);
    return HR_OK;
}

#define REPEAT(T)                                                                      \
    do {                                                                               \
        T value;                                                                       \
        memcpy(&value, src, sizeof value);                                             \
        for (int64_t i = 0; i < n; i++) ((T *)dst)[i] = value;                         \
    } while (0)

static void repeat(char *dst, const char *src, size_t size, int64_t n)
{
    switch (size) {
    case 1: memset(dst, *src, (size_t)n); return;
    case 2: REPEAT(uint16_t); return;
    case 4: REPEAT(uint32_t); return;
    default: REPEAT(uint64_t); return;
    }
}

/* Single elements that each are repeated `each` times: a map over channels, say. */
#define SPREAD(T)                                                                      \
    for (int64_t r = 0; r < runs; r++, src += step)                                    \
        for (int64_t i = 0; i < each; i++, dst += sizeof(T)) memcpy(dst, src, sizeof(T))

static void spread(char *dst, const char *src, size_t size, int64_t step, int64_t runs,
                   int64_t each)
{
    switch (size) {
    case 1: SPREAD(uint8_t); return;
    case 2: SPREAD(uint16_t); return;
    case 4: SPREAD(uint32_t); return;
    default: SPREAD(uint64_t); return;
    }
}

/* Where element `first` of the output comes from; `at`: its place in each axis. */
static int64_t locate(const hr__operand *o, int64_t first, int64_t *at)
{
    int64_t offset = 0;
    for (int d = 0; d < o->n_axes; d++) {
        at[d] = first % o->extent[d];
        first /= o->extent[d];
        offset += at[d] * o->stride[d];
    }
    return offset;
}

/* On to the next run: the innermost axis is through. Gives the element. */
static int64_t next_run(const hr__operand *o, int64_t *at)
{
    at[0] = 0;
    int d = 1;
    while (d < o->n_axes && ++at[d] == o->extent[d]) at[d++] = 0;
    int64_t offset = 0;
    for (d = 1; d < o->n_axes; d++) offset += at[d] * o->stride[d];
    return offset;
}

static void pick(const hr__operand *o, int64_t first, int64_t n)
{
    size_t size = hr_dtype_size(o->from);
    int64_t at[HR_MAX_NDIM], offset = locate(o, first, at);
    char *dst = o->picked, *end = dst + (size_t)n * size;
    while (dst < end) {
        int64_t left = (end - dst) / (int64_t)size, run = o->extent[0] - at[0];
        if (run > left) run = left;
        const char *src = o->data + (size_t)offset * size;
        int64_t runs = o->extent[1] - at[1] - 1; /* whole ones that follow, but for the last */
        if (runs > left / o->extent[0] - 1) runs = left / o->extent[0] - 1;
        if (o->stride[0]) {
            memcpy(dst, src, (size_t)run * size);
        } else if (at[0] == 0 && runs > 0) {
            spread(dst, src, size, o->stride[1] * (int64_t)size, runs, o->extent[0]);
            dst += (size_t)(runs * o->extent[0]) * size;
            at[1] += runs;
            offset += runs * o->stride[1];
            continue;
        } else {
            repeat(dst, src, size, run);
        }
        dst += (size_t)run * size;
        offset = next_run(o, at);
    }
}

const void *hr__operand_block(hr__operand *o, int64_t first, int64_t n)
{
    if (o->way == HR__OPERAND_TILE)
        return o->block + (size_t)(first % o->period) * hr_dtype_size(o->to);
    const char *src = o->data + (size_t)first * hr_dtype_size(o->from);
    if (o->way == HR__OPERAND_WALK) {
        pick(o, first, n);
        src = o->picked;
    }
    if (o->from == o->to) return src;
    o->k->convert(o->to, o->block, o->from, src, (size_t)n);
    return o->block;
}

void hr__result_store(const hr_kernels *k, hr_dtype result, void *dst, hr_dtype made,
                      const void *src, int64_t n)
{
    if (result == HR_F16 && made == HR_F32) k->half_even(dst, src, n);
    else k->convert(result, dst, made, src, (size_t)n);
}
