/* An affine map over all rows of the output. */
#include "image/warp.h"

#include <string.h>

#include "image/resize.h"

/* Sums in pairs, as the peer has them. */
void hr__warp_centre(hr__warp_map *map, const int64_t *in, const int64_t *out, int ndim)
{
    for (int i = 0; i < ndim; i++) {
        float first = map->m[i][0] * (-0.5f * (float)out[0]);
        float second = map->m[i][1] * (-0.5f * (float)out[1]);
        float rest = 0.5f * (float)in[i];
        if (ndim == 3) rest = map->m[i][2] * (-0.5f * (float)out[2]) + rest;
        map->t[i] = (first + second) + rest;
    }
}

hr_status hr__warp_check(const int64_t *in, const int64_t *out, int ndim, hr_error *err)
{
    int64_t pixels = 1;
    for (int k = 0; k < ndim; k++) {
        if (in[k] > INT32_MAX || (in[k] && pixels > INT32_MAX / in[k]))
            return hr_fail(err, HR_VALUE, "a source of more than %d pixels is not supported",
                           INT32_MAX);
        pixels *= in[k] ? in[k] : 1;
        if (out[k] > HR__RESIZE_MAX)
            return hr_fail(err, HR_VALUE, "an output extent of %lld pixels is over %d",
                           (long long)out[k], HR__RESIZE_MAX);
    }
    return HR_OK;
}

/* How rows get into the output. */
typedef struct row_job {
    hr_warp warp;
    hr_dtype to;
    int64_t width; /* pixels of an output row */
    int is_linear, is_fast;
    void *row; /* scratch for a row before its conversion; NULL: none is needed */
    const hr_kernels *kernels;
} row_job;

static void make_row(const row_job *j, void *dst, const hr_warp_row *line)
{
    const hr_kernels *k = j->kernels;
    size_t n = (size_t)(j->width * j->warp.channels);
    void *first = j->row ? j->row : dst;
    if (j->is_fast) {
        k->warp_mix_u8(dst, &j->warp, line, j->width);
        return;
    }
    if (j->is_linear) k->warp_mix(first, &j->warp, line, j->width);
    else k->warp_pick(first, &j->warp, line, j->width);
    if (j->row) k->convert(j->to, dst, j->is_linear ? HR_F32 : j->warp.type, j->row, n);
}

static void make_rows(const row_job *j, const hr__warp_map *map, char *dst, const int64_t *out)
{
    int ndim = j->warp.ndim;
    int64_t bytes = j->width * j->warp.channels * (int64_t)hr_dtype_size(j->to);
    for (int64_t z = 0; z < (ndim == 3 ? out[2] : 1); z++)
        for (int64_t y = 0; y < out[1]; y++, dst += bytes) {
            hr_warp_row line = {{0}, {0}};
            for (int i = 0; i < ndim; i++) {
                line.y[i] = map->m[i][1] * ((float)y + 0.5f);
                line.z[i] = map->m[i][2] * ((float)z + 0.5f);
            }
            make_row(j, dst, &line);
        }
}

/* The fill value is first made an element of the output, then one of the source, as the peer does;
 * so it is whole where either is an integer. */
static void convert_fill(const hr_kernels *k, float fill, hr_dtype to, hr_dtype from, void *out)
{
    double middle; /* room for any element */
    k->convert(to, &middle, HR_F32, &fill, 1);
    k->convert(from, out, to, &middle, 1);
}

static hr_status prepare(row_job *j, const hr_sample *s, const hr__warp_args *a,
                         const hr__picture_axes *axes, hr_error *err)
{
    const hr_tensor *in = s->in[0], *out = &s->out[0];
    *j = (row_job){.to = out->dtype, .is_linear = a->interp == HR_INTERP_LINEAR,
                   .width = out->shape[axes->first + axes->n - 1], .kernels = s->kernels};
    j->warp = (hr_warp){.type = in->dtype, .ndim = axes->n, .channels = axes->channels};
    for (int k = 0; k < axes->n; k++) j->warp.size[k] = in->shape[axes->first + axes->n - 1 - k];
    j->is_fast = j->is_linear && axes->n == 2 && in->dtype == HR_U8 && out->dtype == HR_U8 &&
                 (axes->channels == 1 || axes->channels == 3 || axes->channels == 4);
    if (j->is_fast || out->dtype == (j->is_linear ? HR_F32 : in->dtype)) return HR_OK;
    j->row = hr_arena_take(s->arena, (size_t)(j->width * axes->channels) * sizeof(float));
    return j->row ? HR_OK : hr_fail(err, HR_NOMEM, "no memory for a row of pixels");
}

hr_status hr__warp_run(const hr_sample *s, const hr__warp_map *map, const hr__warp_args *a,
                       hr_error *err)
{
    const hr_tensor *in = s->in[0], *out = &s->out[0];
    hr__picture_axes axes = hr__picture_axes_of(in, s->call->in[0].layout);
    double fill = 0;
    row_job j;
    if (hr_tensor_size(out) == 0) return HR_OK;
    HR_TRY(prepare(&j, s, a, &axes, err));
    if (!hr_float_is_absent(a->fill)) {
        convert_fill(s->kernels, a->fill, out->dtype, in->dtype, &fill);
        j.warp.fill = &fill;
    }
    if (hr_tensor_size(in) == 0) { /* nothing to take: all of it is outside */
        if (!hr_float_is_absent(a->fill)) s->kernels->convert(out->dtype, &fill, HR_F32, &a->fill, 1);
        size_t size = hr_dtype_size(out->dtype);
        for (int64_t i = 0; i < hr_tensor_size(out); i++)
            memcpy((char *)out->data + (size_t)i * size, &fill, size);
        return HR_OK;
    }
    int64_t extent[3] = {0};
    size_t in_step = hr_tensor_nbytes(in) / (size_t)axes.outer;
    size_t out_step = hr_tensor_nbytes(out) / (size_t)axes.outer;
    for (int k = 0; k < axes.n; k++) {
        extent[k] = out->shape[axes.first + axes.n - 1 - k];
        j.warp.step[k] = map->m[k][0];
        j.warp.origin[k] = map->t[k];
    }
    for (int64_t f = 0; f < axes.outer; f++) {
        j.warp.src = (const char *)in->data + (size_t)f * in_step;
        make_rows(&j, map, (char *)out->data + (size_t)f * out_step, extent);
    }
    return HR_OK;
}
