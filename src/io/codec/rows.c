/* The way of a decoded row to the caller: colour model, then depth, then its upright place. Values
 * are those of the peer (docs: decoders.image): gray and YCbCr by the formulas of
 * kernels/picture.c, depth scaled so that full range stays full range. */
#include <string.h>

#include "core/core.h"
#include "io/codec/codec.h"
#include "kernels/kernels.h"

enum { STEP_FIRST, STEP_RGB, STEP_SWAP, STEP_GRAY, STEP_YCBCR, STEP_DEPTH, STEP_HALF };

hr_status hr__decode_dtype_check(hr_dtype dtype, hr_error *err)
{
    uint64_t targets = HR_DTYPES(HR_U8) | HR_DTYPES(HR_I8) | HR_DTYPES(HR_U16) |
                       HR_DTYPES(HR_I16) | HR_DTYPES(HR_U32) | HR_DTYPES(HR_I32) |
                       HR_DTYPES(HR_F32) | HR_DTYPES(HR_F16);
    const hr_dtype_info *d = hr_dtype_get_info(dtype);
    if (d && (targets >> dtype & 1)) return HR_OK;
    return hr_fail(err, HR_VALUE,
                   "`dtype` is %s, pictures are decoded to uint8, int8, uint16, int16, uint32, "
                   "int32, float16 or float32", d ? d->numpy_name : "none");
}

static hr_status check_region(const hr_rect *r, int64_t w, int64_t h, hr_error *err)
{
    if (r->x < 0 || r->y < 0 || r->w < 1 || r->h < 1 || r->x > w - r->w || r->y > h - r->h)
        return hr_fail(err, HR_VALUE,
                       "the region of %lld x %lld at (%lld, %lld) is not inside the picture of "
                       "%lld x %lld", (long long)r->w, (long long)r->h, (long long)r->x,
                       (long long)r->y, (long long)w, (long long)h);
    return HR_OK;
}

hr_status hr__rows_init(hr__rows *r, const hr_image_info *info, const hr_decode_options *options,
                        void *out, hr_error *err)
{
    int orientation = options->keep_orientation ? 1 : info->orientation;
    int is_swapped = orientation >= 5;
    int64_t w = is_swapped ? info->height : info->width;
    int64_t h = is_swapped ? info->width : info->height;
    hr_rect region = options->region;
    memset(r, 0, sizeof *r);
    HR_TRY(hr__decode_dtype_check(options->dtype, err));
    if (options->type < HR_RGB || options->type > HR_ANY_DATA)
        return hr_fail(err, HR_VALUE, "%d is no colour model", (int)options->type);
    if (region.w == 0) region = (hr_rect){0, 0, w, h};
    HR_TRY(check_region(&region, w, h, err));
    r->region = hr__orient_region(orientation, region, info->width, info->height);
    r->orient = hr__orient_of(orientation, r->region.w, r->region.h);
    r->dtype = options->dtype;
    r->channels = hr_image_channels(options->type, info);
    r->out = out;
    r->kernels = hr__kernels();
    return HR_OK;
}

static void add_step(hr__rows *r, int step)
{
    r->steps[r->n_steps++] = step;
}

/* Every colour conversion starts from packed RGB or packed gray. */
static void plan_colour(hr__rows *r, hr_image_type to)
{
    const hr__rows_source *in = &r->in;
    if (to == HR_ANY_DATA || in->type == HR_ANY_DATA) return;
    if (in->type == HR_GRAY && to == HR_GRAY) {
        if (in->channels > 1) add_step(r, STEP_FIRST);
        return;
    }
    if (in->channels != 3) add_step(r, STEP_RGB);
    if (in->type == to || in->type == HR_GRAY) {
        if (to == HR_YCBCR) add_step(r, STEP_YCBCR);
        return;
    }
    if (in->type == HR_BGR || to == HR_BGR) add_step(r, STEP_SWAP);
    if (to == HR_GRAY) add_step(r, STEP_GRAY);
    if (to == HR_YCBCR) add_step(r, STEP_YCBCR);
}

hr_status hr__rows_begin(hr__rows *r, const hr__rows_source *in, const hr_decode_options *options,
                         hr_arena *arena, hr_error *err)
{
    r->in = *in;
    r->n_steps = 0;
    plan_colour(r, options->type);
    int has_ycbcr = r->n_steps > 0 && r->steps[r->n_steps - 1] == STEP_YCBCR;
    if (!has_ycbcr && in->dtype != r->dtype) add_step(r, STEP_DEPTH);
    if (r->dtype == HR_F16) add_step(r, STEP_HALF);
    int is_turned = r->orient.dx != 1;
    r->is_plain = r->n_steps == 0 && !is_turned;
    if (r->is_plain) return HR_OK;
    size_t w = (size_t)r->region.w; /* at most 2^31 or so: codecs refuse more */
    size_t pixel = (size_t)r->channels * hr_dtype_size(r->dtype);
    r->strip = hr_arena_take(arena, HR__STRIP_ROWS * w * pixel);
    r->temp[0] = hr_arena_take(arena, w * 16); /* four channels of four bytes */
    r->temp[1] = hr_arena_take(arena, w * 16);
    if (!r->strip || !r->temp[0] || !r->temp[1])
        return hr_fail(err, HR_NOMEM, "no memory for %d rows of %zu pixels", HR__STRIP_ROWS, w);
    return HR_OK;
}

static void run_step(const hr__rows *r, int step, void *dst, const void *src)
{
    const hr_kernels *k = r->kernels;
    int64_t n = r->region.w, size = (int64_t)hr_dtype_size(r->in.dtype);
    hr_dtype wide = r->dtype == HR_F16 ? HR_F32 : r->dtype;
    switch (step) {
    case STEP_FIRST: k->picture_first(dst, src, n, r->in.channels, size); break;
    case STEP_RGB: k->picture_rgb(dst, src, n, r->in.channels, size); break;
    case STEP_SWAP: k->picture_swap(dst, src, n, size); break;
    case STEP_GRAY: k->picture_gray(dst, src, n, size); break;
    case STEP_YCBCR: k->picture_ycbcr(wide, dst, src, n, size); break;
    case STEP_DEPTH: k->picture_depth(wide, dst, src, n * r->channels, size); break;
    case STEP_HALF:
        k->convert(HR_F16, dst, HR_F32, src, (size_t)(n * r->channels));
        break;
    default: break;
    }
}

/* Runs the steps back and forth between two rows of scratch; the last one writes `dst`. */
static void convert_row(const hr__rows *r, void *dst, const void *src)
{
    if (r->n_steps == 0)
        memcpy(dst, src, (size_t)r->region.w * (size_t)r->channels * hr_dtype_size(r->dtype));
    for (int i = 0; i < r->n_steps; i++) {
        void *to = i == r->n_steps - 1 ? dst : r->temp[i & 1];
        run_step(r, r->steps[i], to, src);
        src = to;
    }
}

uint8_t *hr__rows_place(const hr__rows *r, int64_t y)
{
    size_t pixel = (size_t)r->channels * hr_dtype_size(r->dtype);
    return r->out + (size_t)(r->orient.origin + y * r->orient.dy) * pixel;
}

void hr__rows_put(hr__rows *r, int64_t y, int64_t n, const uint8_t *rows, size_t stride)
{
    size_t pixel = (size_t)r->channels * hr_dtype_size(r->dtype);
    size_t row = (size_t)r->region.w * pixel;
    if (r->orient.dx == 1) { /* upright columns: straight to the place */
        for (int64_t j = 0; j < n; j++)
            convert_row(r, hr__rows_place(r, y + j), rows + (size_t)j * stride);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        convert_row(r, r->strip + (size_t)j * row, rows + (size_t)j * stride);
    hr__strip s = {.rows = r->strip, .y = y, .n = n, .w = r->region.w, .pixel_size = pixel};
    hr__orient_place(r->out, &r->orient, &s);
}
