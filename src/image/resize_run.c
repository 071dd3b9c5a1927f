/* Resizing a tensor of any accepted layout: planes, sequences, volumes. A volume's depth is one more
 * axis of whole slices, before or after the other two, whichever is less work. */
#include "image/resize.h"

#include <string.h>

#include "core/core.h"

hr__resample_filter hr__resize_filter(const hr_call *call, const hr__filter_args *a)
{
    int min = hr_call_has(call, "min_filter"), mag = hr_call_has(call, "mag_filter");
    return (hr__resample_filter){.min = min ? a->min_filter : a->interp_type,
                                 .mag = mag ? a->mag_filter : a->interp_type,
                                 .antialias = a->antialias};
}

hr__picture_axes hr__picture_axes_of(const hr_tensor *t, const char *layout)
{
    int depth = hr_layout_find(layout, 'D'), last = hr_layout_find(layout, 'W');
    hr__picture_axes a = {.first = depth >= 0 ? depth : last - 1, .outer = 1, .channels = 1};
    a.n = last + 1 - a.first;
    for (int k = 0; k < a.first; k++) a.outer *= t->shape[k];
    for (int k = last + 1; k < t->ndim; k++) a.channels *= t->shape[k];
    return a;
}

hr_status hr__resize_output(const hr_sample *s, hr_dtype dtype, const hr__resample_span *spans,
                            hr_error *err)
{
    const hr_tensor *in = s->in[0];
    const char *layout = s->call->in[0].layout;
    if (dtype == HR_DTYPE_NONE) dtype = in->dtype;
    if (dtype != in->dtype && dtype != HR_F32)
        return hr_fail(err, HR_VALUE, "`dtype` is %s, the output is float32 or as the input, %s",
                       hr_dtype_get_info(dtype)->numpy_name,
                       hr_dtype_get_info(in->dtype)->numpy_name);
    hr__picture_axes a = hr__picture_axes_of(in, layout);
    int64_t shape[HR_MAX_NDIM];
    memcpy(shape, in->shape, sizeof shape);
    for (int k = 0; k < a.n; k++) shape[a.first + k] = spans[k].out;
    HR_TRY(hr_tensor_shape(&s->out[0], dtype, in->ndim, shape, err));
    memcpy(s->out[0].layout, layout, sizeof s->out[0].layout);
    return HR_OK;
}

/* ---- volumes --------------------------------------------------------------------- */

typedef struct volume {
    hr__resample_axis z;
    hr__resample_spec plane;
    hr_dtype from, to;
    int64_t slice_in, slice_out; /* elements */
    const hr_kernels *kernels;
} volume;

/* Slice z of the output from slices of elements of type `from`; `row` is room for it in float, if
 * `to` is another type. */
static void mix_slices(const volume *v, void *dst, hr_dtype from, const char *slices, int64_t n,
                       int64_t z, const void **rows, float *row)
{
    hr_resample_taps_f32 taps = {.w = v->z.weight + z * v->z.taps, .n = v->z.taps};
    int64_t step = n * (int64_t)hr_dtype_size(from);
    for (int k = 0; k < v->z.taps; k++) rows[k] = slices + (v->z.index[z] + k) * step;
    v->kernels->resample_rows_f32(row ? row : dst, from, rows, &taps, n);
    if (row) v->kernels->convert(v->to, dst, HR_F32, row, (size_t)n);
}

/* Depth is only picked: each output slice is one source slice resized. */
static hr_status run_pick(const volume *v, const char *src, char *dst, hr_arena *arena,
                          hr_error *err)
{
    hr__resample_plan plan;
    HR_TRY(hr__resample_plan_make(&plan, &v->plane, v->kernels, arena, err));
    int64_t in = v->slice_in * (int64_t)hr_dtype_size(v->from);
    int64_t out = v->slice_out * (int64_t)hr_dtype_size(v->to);
    for (int64_t z = 0; z < v->z.n; z++)
        HR_TRY(hr__resample_picture(&plan, src + v->z.index[z] * in, dst + z * out, arena,
                                    err));
    return HR_OK;
}

static hr_status run_depth_first(const volume *v, const char *src, char *dst, hr_arena *arena,
                                 hr_error *err)
{
    hr__resample_spec spec = v->plane;
    hr__resample_plan plan;
    spec.from = HR_F32;
    HR_TRY(hr__resample_plan_make(&plan, &spec, v->kernels, arena, err));
    const void **rows = hr_arena_take(arena, (size_t)v->z.taps * sizeof *rows);
    float *slice = hr_arena_take(arena, (size_t)v->slice_in * sizeof *slice);
    if (!rows || !slice) return hr_fail(err, HR_NOMEM, "no memory for a slice");
    int64_t out = v->slice_out * (int64_t)hr_dtype_size(v->to);
    for (int64_t z = 0; z < v->z.n; z++) {
        mix_slices(v, slice, v->from, src, v->slice_in, z, rows, NULL);
        HR_TRY(hr__resample_picture(&plan, slice, dst + z * out, arena, err));
    }
    return HR_OK;
}

static hr_status run_depth_last(const volume *v, const char *src, char *dst, hr_arena *arena,
                                hr_error *err)
{
    hr__resample_spec spec = v->plane;
    hr__resample_plan plan;
    spec.to = HR_F32;
    HR_TRY(hr__resample_plan_make(&plan, &spec, v->kernels, arena, err));
    size_t n = (size_t)v->slice_out, depth = (size_t)v->z.in;
    const void **rows = hr_arena_take(arena, (size_t)v->z.taps * sizeof *rows);
    int fits = !n || depth < SIZE_MAX / 8 / n;
    float *slices = fits ? hr_arena_take(arena, depth * n * sizeof *slices) : NULL;
    float *row = v->to == HR_F32 ? NULL : hr_arena_take(arena, n * sizeof *row);
    if (!rows || !slices || (v->to != HR_F32 && !row))
        return hr_fail(err, HR_NOMEM, "no memory for %zu slices", depth);
    int64_t in = v->slice_in * (int64_t)hr_dtype_size(v->from);
    int64_t out = v->slice_out * (int64_t)hr_dtype_size(v->to);
    for (size_t z = 0; z < depth; z++)
        HR_TRY(hr__resample_picture(&plan, src + (int64_t)z * in, slices + z * n, arena, err));
    for (int64_t z = 0; z < v->z.n; z++)
        mix_slices(v, dst + z * out, HR_F32, (const char *)slices, v->slice_out, z, rows, row);
    return HR_OK;
}

static hr_status run_volume(const volume *v, const char *src, char *dst, hr_arena *arena,
                            hr_error *err)
{
    double plane = (double)v->slice_in + (double)v->slice_out;
    double first = (double)v->z.n * ((double)v->slice_in * v->z.taps + 4 * plane);
    double last = (double)v->z.in * 4 * plane +
                  (double)v->z.n * (double)v->slice_out * v->z.taps;
    if (v->z.taps == 1) return run_pick(v, src, dst, arena, err);
    return first < last ? run_depth_first(v, src, dst, arena, err)
                        : run_depth_last(v, src, dst, arena, err);
}

hr_status hr__resize_run(const hr_sample *s, const hr__resample_span *spans,
                         const hr__resample_filter *filter, hr_error *err)
{
    const hr_tensor *in = s->in[0], *out = &s->out[0];
    hr__picture_axes a = hr__picture_axes_of(in, s->call->in[0].layout);
    if (hr_tensor_size(out) == 0) return HR_OK;
    const hr__resample_span one = {.in = 1, .out = 1, .hi = 1, .count = 1, .running = 1};
    const hr__resample_span *z = a.n == 3 ? &spans[0] : &one;
    volume v = {.plane = {.y = spans[a.n - 2], .x = spans[a.n - 1], .filter_y = *filter,
                          .filter_x = *filter, .channels = a.channels, .from = in->dtype,
                          .to = out->dtype},
                .from = in->dtype, .to = out->dtype, .kernels = s->kernels};
    const hr__resample_filter copy = {HR_INTERP_NN, HR_INTERP_NN, 0};
    HR_TRY(hr__resample_axis_make(&v.z, z, a.n == 3 ? filter : &copy, s->arena, err));
    v.slice_in = v.plane.y.in * v.plane.x.in * a.channels;
    v.slice_out = v.plane.y.count * v.plane.x.count * a.channels;
    size_t step_in = (size_t)(z->in * v.slice_in) * hr_dtype_size(v.from);
    size_t step_out = (size_t)(z->count * v.slice_out) * hr_dtype_size(v.to);
    for (int64_t i = 0; i < a.outer; i++) {
        hr__arena_mark mark = hr__arena_get_mark(s->arena);
        hr_status status = run_volume(&v, (const char *)in->data + (size_t)i * step_in,
                                      (char *)out->data + (size_t)i * step_out, s->arena, err);
        hr__arena_release(s->arena, mark);
        HR_TRY(status);
    }
    return HR_OK;
}
