/* A row goes through at most four steps, each of which is left out where it has nothing to do:
 * order (planes, mirroring), float32, affine map, output type. Between them the row lies in
 * scratch that stays in the first-level cache. */
#include "image/normalize_rows.h"

#include <string.h>

#include "core/place.h"

static int is_interleaved(const hr__row_form *f, int channels)
{
    return f->channel == 1 && f->pixel == channels;
}

/* Whole pixels in, whole pixels out: no planes needed. */
static int is_flat(const hr__row_plan *p)
{
    return p->channels > 1 && p->channels == p->out_channels &&
           is_interleaved(&p->in, p->channels) && is_interleaved(&p->out, p->channels);
}

hr_status hr__row_prepare(hr__row_plan *p, hr_arena *arena, hr_error *err)
{
    size_t n = (size_t)p->n, c = (size_t)p->channels, all = n * (is_flat(p) ? c : 1);
    p->turned = hr_arena_take(arena, n * c * p->in.size);
    p->real = hr_arena_take(arena, all * sizeof(float));
    p->mapped = hr_arena_take(arena, all * sizeof(float));
    p->planes = hr_arena_take(arena, n * (size_t)p->out_channels * p->out.size);
    if (!p->turned || !p->real || !p->mapped || !p->planes)
        return hr_fail(err, HR_NOMEM, "no memory for a row of %lld pixels", (long long)p->n);
    return HR_OK;
}

/* n elements of the input's type to n of the output's. */
static void map_run(const hr__row_plan *p, char *dst, const void *src, int64_t n,
                    const hr_affine *a)
{
    hr_dtype from = p->in.dtype;
    float *out = p->out.dtype == HR_F32 ? (float *)(void *)dst : p->mapped;
    if (from != HR_U8 && from != HR_F32) {
        p->kernels->convert(HR_F32, p->real, from, src, (size_t)n);
        src = p->real;
        from = HR_F32;
    }
    p->kernels->affine(out, src, from, n, a);
    if (p->out.dtype != HR_F32)
        p->kernels->convert(p->out.dtype, dst, HR_F32, out, (size_t)n);
}

static void run_flat(const hr__row_plan *p, char *dst, const char *src)
{
    int64_t c = p->channels;
    if (p->mirror) {
        p->kernels->reverse(p->turned, (const uint8_t *)src, p->n, c * (int64_t)p->in.size);
        src = p->turned;
    }
    map_run(p, dst, src, p->n * c, &(hr_affine){p->mean, p->mul, p->add, p->period});
}

/* The plane of channel c in reading order of the output. */
static const void *input_plane(const hr__row_plan *p, const char *src, int c)
{
    size_t bytes = (size_t)p->n * p->in.size;
    uint8_t *turned = (uint8_t *)p->turned + (size_t)c * bytes;
    if (is_interleaved(&p->in, p->channels) && p->channels > 1) return turned; /* split */
    const char *plane = src + (size_t)(c * p->in.channel) * p->in.size;
    if (!p->mirror) return plane;
    p->kernels->reverse(turned, (const uint8_t *)plane, p->n, (int64_t)p->in.size);
    return turned;
}

/* n elements of a plane to their places in the row. */
static void scatter(const hr__row_plan *p, char *dst, const char *plane)
{
    size_t step = (size_t)p->out.pixel * p->out.size, size = p->out.size;
    for (int64_t i = 0; i < p->n; i++)
        memcpy(dst + (size_t)i * step, plane + (size_t)i * size, size);
}

static void run_planes(const hr__row_plan *p, char *dst, const char *src)
{
    size_t size = p->out.size, plane_bytes = (size_t)p->n * size;
    int to_planes = p->out.pixel == 1;
    int to_pixels = !to_planes && is_interleaved(&p->out, p->out_channels);
    if (is_interleaved(&p->in, p->channels) && p->channels > 1)
        p->kernels->split(p->turned, src,
                          &(hr_lanes){p->n, p->channels, (int)p->in.size, p->mirror});
    for (int c = 0; c < p->out_channels; c++) {
        char *place = dst + (size_t)(c * p->out.channel) * size;
        char *target = to_planes ? place : p->planes + (size_t)c * plane_bytes;
        if (c < p->channels)
            map_run(p, target, input_plane(p, src, c), p->n,
                    &(hr_affine){p->mean + c, p->mul + c, p->add + c, 1});
        else
            hr__fill(target, p->fill + (size_t)c * size, size, p->n);
        if (!to_planes && !to_pixels) scatter(p, place, target);
    }
    if (to_pixels)
        p->kernels->merge(dst, p->planes, &(hr_lanes){p->n, p->out_channels, (int)size, 0});
}

static void fill_pixels(const hr__row_plan *p, char *dst, int64_t n)
{
    size_t size = p->out.size;
    for (int c = 0; c < p->out_channels && n > 0; c++) {
        char *d = dst + (size_t)(c * p->out.channel) * size;
        const char *value = p->fill + (size_t)c * size;
        if (p->out.pixel == 1) {
            hr__fill(d, value, size, n);
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            memcpy(d + (size_t)(i * p->out.pixel) * size, value, size);
    }
}

void hr__row_fill(const hr__row_plan *p, char *dst)
{
    fill_pixels(p, dst, p->width);
}

void hr__row_run(const hr__row_plan *p, char *dst, const char *src)
{
    int64_t right = p->width - p->left - p->n;
    int64_t before = p->mirror ? right : p->left, after = p->mirror ? p->left : right;
    size_t pixel = (size_t)p->out.pixel * p->out.size;
    fill_pixels(p, dst, before);
    dst += (size_t)before * pixel;
    if (p->n > 0) {
        if (is_flat(p)) run_flat(p, dst, src);
        else run_planes(p, dst, src);
    }
    fill_pixels(p, dst + (size_t)p->n * pixel, after);
}
