/* crop_mirror_normalize: window, mirroring, (x - mean) / std * scale + shift, axis order and type
 * in one pass over rows. */
#include <math.h>
#include <string.h>

#include "core/crop_box.h"
#include "core/place.h"
#include "image/normalize_rows.h"

typedef struct cmn_args {
    hr__crop_args window;
    hr_dtype dtype, output_dtype;
    hr_floats fill_values, mean, std;
    hr_image_type image_type;
    int64_t mirror;
    int out_of_bounds_policy, pad_output;
    const char *output_layout;
    float scale, shift;
} cmn_args;

static const hr_arg_desc cmn_desc[] = {
    HR__CROP_ARGS(cmn_args, window),
    HR_ARG(cmn_args, dtype, DTYPE, .initial = "float32",
           .doc = "Type of the output; integers are rounded, halves away from zero, and "
                  "clamped."),
    HR_ARG(cmn_args, fill_values, FLOATS, .initial = "[0.0]",
           .doc = "Output value outside the input, and of the channels that pad_output adds, "
                  "under \"pad\": one, or one a channel. For integers the fraction is cut off and the "
                  "value clamped to the type's range. Other policies add zeros."),
    HR_ARG(cmn_args, image_type, IMAGE_TYPE, .flags = HR_DEPRECATED,
           .doc = "No longer used."),
    HR_ARG(cmn_args, mean, FLOATS, .flags = HR_PER_SAMPLE, .initial = "[0.0]", .min_n = 1,
           .doc = "What is taken away: one value, or one a channel."),
    HR_ARG(cmn_args, mirror, INT, .flags = HR_PER_SAMPLE, .initial = "0",
           .doc = "Not 0: mirrors left and right."),
    HR__CROP_BOUNDS_ARG(cmn_args, out_of_bounds_policy),
    HR_ARG(cmn_args, output_dtype, DTYPE, .flags = HR_DEPRECATED,
           .doc = "Former name of `dtype`."),
    HR_ARG(cmn_args, output_layout, LAYOUT, .initial = "CHW",
           .doc = "Order of the output's axes: any order of the input's axes; \"\" keeps it."),
    HR_ARG(cmn_args, pad_output, BOOL, .initial = "False",
           .doc = "Adds channels up to a power of two."),
    HR__CROP_ROUNDING_ARG(cmn_args, window),
    HR_ARG(cmn_args, scale, FLOAT, .initial = "1.0", .doc = "Factor of the result."),
    HR_ARG(cmn_args, shift, FLOAT, .initial = "0.0", .doc = "Added to the scaled result."),
    HR_ARG(cmn_args, std, FLOATS, .flags = HR_PER_SAMPLE, .initial = "[1.0]", .min_n = 1,
           .doc = "What is divided by: one value, or one a channel."),
};

static hr_status cmn_setup(hr_call *call, hr_error *err)
{
    HR_TRY(hr__call_check_dtypes(call, err));
    return hr__crop_check(call, err);
}

/* Input and output axes side by side. */
typedef struct cmn_shape {
    hr__box box;
    int64_t channels, out_channels;
    int to_out[HR_MAX_NDIM]; /* the output's axis of each input axis */
    int w, c;                /* input axes */
    int64_t out[HR_MAX_NDIM];
    const char *layout;      /* of the output */
} cmn_shape;

static hr_status check_count(const char *name, int64_t n, const cmn_shape *sh, hr_error *err)
{
    if (n <= 1 || n == sh->channels || n == sh->out_channels) return HR_OK;
    return hr_fail(err, HR_VALUE, "`%s` has %lld values, it needs 1 or one for each of %lld "
                   "channels", name, (long long)n, (long long)sh->channels);
}

static hr_status check_values(const cmn_args *a, const cmn_shape *sh, hr_error *err)
{
    HR_TRY(check_count("mean", a->mean.n, sh, err));
    HR_TRY(check_count("std", a->std.n, sh, err));
    if (a->mean.n > 1 && a->std.n > 1 && a->mean.n != a->std.n)
        return hr_fail(err, HR_VALUE, "`mean` has %lld values and `std` %lld",
                       (long long)a->mean.n, (long long)a->std.n);
    if (!hr__bounds_fill(a->out_of_bounds_policy)) return HR_OK;
    return check_count("fill_values", a->fill_values.n, sh, err);
}

static hr_status cmn_shapes(const hr_sample *s, cmn_shape *sh, hr_error *err)
{
    const cmn_args *a = s->args;
    const hr_tensor *in = s->in[0];
    const char *layout = s->call->in[0].layout;
    HR_TRY(hr__crop_box(&a->window, in, layout, a->out_of_bounds_policy, &sh->box, err));
    sh->w = hr_layout_find(layout, 'W');
    sh->c = hr_layout_find(layout, 'C');
    sh->channels = in->shape[sh->c];
    if (sh->channels > 1 << 28)
        return hr_fail(err, HR_VALUE, "%lld channels are over the limit of 2^28",
                       (long long)sh->channels);
    sh->out_channels = sh->channels;
    if (a->pad_output)
        for (sh->out_channels = 1; sh->out_channels < sh->channels;) sh->out_channels *= 2;
    sh->layout = a->output_layout && a->output_layout[0] ? a->output_layout : layout;
    int fits = strlen(sh->layout) == (size_t)in->ndim;
    for (int k = 0; k < in->ndim && fits; k++) {
        int to = sh->to_out[k] = hr_layout_find(sh->layout, layout[k]);
        if (to < 0) fits = 0;
        else sh->out[to] = k == sh->c ? sh->out_channels : sh->box.size[k];
    }
    if (!fits)
        return hr_fail(err, HR_VALUE, "`output_layout` is \"%.16s\", it must have the axes of "
                       "the input's layout \"%s\"", sh->layout, layout);
    return check_values(a, sh, err);
}

static hr_status cmn_infer(const hr_sample *s, hr_error *err)
{
    const cmn_args *a = s->args;
    cmn_shape sh;
    HR_TRY(cmn_shapes(s, &sh, err));
    hr_dtype dtype = a->output_dtype != HR_DTYPE_NONE ? a->output_dtype : a->dtype;
    HR_TRY(hr_tensor_shape(&s->out[0], dtype, s->in[0]->ndim, sh.out, err));
    return hr_tensor_set_layout(&s->out[0], sh.layout, err);
}

/* The shift goes into the mean, as the peer does it: (x - (mean - shift / mul)) * mul with
 * mul = scale / std. Where that has no finite value the shift is added. */
static hr_status prepare_map(const cmn_args *a, hr__row_plan *p, hr_arena *arena, hr_error *err)
{
    int64_t c = p->channels, period = c > 0 && c < 128 ? 128 / c * c : c;
    float *v = hr_arena_take(arena, (size_t)period * 3 * sizeof *v);
    if (!v) return hr_fail(err, HR_NOMEM, "no memory for %lld channels", (long long)c);
    for (int64_t i = 0; i < period; i++) {
        int64_t k = i % c;
        float mul = a->scale / a->std.v[a->std.n == 1 ? 0 : k];
        float mean = a->mean.v[a->mean.n == 1 ? 0 : k];
        float moved = mean - a->shift / mul;
        int is_moved = isfinite(moved) && mul != 0;
        v[i] = is_moved ? moved : mean;
        v[period + i] = mul;
        v[2 * period + i] = is_moved ? 0 : a->shift;
    }
    p->mean = v;
    p->mul = v + period;
    p->add = v + 2 * period;
    p->period = period;
    return HR_OK;
}

static hr_status prepare_fill(const cmn_args *a, hr__row_plan *p, hr_arena *arena, hr_error *err)
{
    int64_t n = hr__bounds_fill(a->out_of_bounds_policy) ? a->fill_values.n : 0;
    float *values = hr_arena_take(arena, (size_t)p->out_channels * sizeof *values);
    char *fill = hr_arena_take(arena, (size_t)p->out_channels * p->out.size);
    if (!values || !fill)
        return hr_fail(err, HR_NOMEM, "no memory for %d fill values", p->out_channels);
    for (int k = 0; k < p->out_channels; k++)
        values[k] = n == 1 ? a->fill_values.v[0] : k < n ? a->fill_values.v[k] : 0;
    hr__fill_values(fill, p->out.dtype, values, p->out_channels);
    p->fill = fill;
    return HR_OK;
}

static hr__row_form form_of(const hr_tensor *t, int w, int c)
{
    size_t size = hr_dtype_size(t->dtype);
    return (hr__row_form){t->dtype, size, t->stride[w] / (int64_t)size,
                          t->stride[c] / (int64_t)size};
}

/* The axes that are walked row by row: all but width and channels. */
typedef struct cmn_walk {
    const hr__row_plan *plan;
    int n;
    int64_t start[HR_MAX_NDIM], size[HR_MAX_NDIM], extent[HR_MAX_NDIM];
    int64_t in_stride[HR_MAX_NDIM], out_stride[HR_MAX_NDIM];
} cmn_walk;

static void walk_rows(const cmn_walk *w, int axis, char *dst, const char *src, int inside)
{
    if (axis == w->n) {
        if (inside) hr__row_run(w->plan, dst, src);
        else hr__row_fill(w->plan, dst);
        return;
    }
    for (int64_t i = 0; i < w->size[axis]; i++) {
        int64_t at = w->start[axis] + i;
        int is_in = inside && at >= 0 && at < w->extent[axis];
        const char *from = is_in ? src + at * w->in_stride[axis] : src;
        walk_rows(w, axis + 1, dst + i * w->out_stride[axis], from, is_in);
    }
}

static hr_status cmn_run(const hr_sample *s, hr_error *err)
{
    const cmn_args *a = s->args;
    const hr_tensor *out = &s->out[0];
    hr_tensor packed; /* the input with the strides of packed data, also for axes of extent 1 */
    const hr_tensor *in = &packed;
    cmn_shape sh;
    HR_TRY(cmn_shapes(s, &sh, err));
    if (hr_tensor_size(out) == 0) return HR_OK;
    HR_TRY(hr_tensor_shape(&packed, s->in[0]->dtype, s->in[0]->ndim, s->in[0]->shape, err));
    int64_t start = sh.box.start[sh.w], width = sh.box.size[sh.w], extent = in->shape[sh.w];
    int64_t first = start < 0 ? -start : 0, end = extent - start;
    first = first > width ? width : first;
    end = end > width ? width : end < first ? first : end;
    hr__row_plan p = {
        .kernels = s->kernels, .in = form_of(in, sh.w, sh.c),
        .out = form_of(out, sh.to_out[sh.w], sh.to_out[sh.c]), .channels = (int)sh.channels,
        .out_channels = (int)sh.out_channels, .mirror = a->mirror != 0, .width = width,
        .left = first, .n = sh.channels > 0 ? end - first : 0,
    };
    if (sh.channels == 0) p.left = width;
    HR_TRY(prepare_map(a, &p, s->arena, err));
    HR_TRY(prepare_fill(a, &p, s->arena, err));
    HR_TRY(hr__row_prepare(&p, s->arena, err));
    cmn_walk w = {.plan = &p};
    for (int k = 0; k < in->ndim; k++) {
        if (k == sh.w || k == sh.c) continue;
        w.start[w.n] = sh.box.start[k];
        w.size[w.n] = sh.box.size[k];
        w.extent[w.n] = in->shape[k];
        w.in_stride[w.n] = in->stride[k];
        w.out_stride[w.n] = out->stride[sh.to_out[k]];
        w.n++;
    }
    const char *src = s->in[0]->data;
    if (p.n > 0) src += (start + first) * in->stride[sh.w];
    walk_rows(&w, 0, out->data, src, 1);
    return HR_OK;
}

static const hr_in_desc cmn_ins[] = {
    {.name = "input", .layouts = "HWC CHW DHWC CDHW FHWC FCHW CFHW FDHWC FCDHW CFDHW",
     .doc = "Images, sequences or volumes; computed in float32."},
};

const hr_op_desc hr_op_crop_mirror_normalize = {
    .name = "crop_mirror_normalize",
    .doc = "Cuts a window, mirrors it, normalises it and puts its axes in order, in one pass: "
           "scale * (x - mean) / std + shift. Without crop arguments the whole input is taken.",
    .example = "output_layout=\"\"",
    .ins = cmn_ins, .n_ins = 1, .n_out = 1, .outs = "the normalised window",
    .args = cmn_desc, .n_args = sizeof cmn_desc / sizeof *cmn_desc,
    .args_size = sizeof(cmn_args),
    .setup = cmn_setup, .infer = cmn_infer, .run = cmn_run,
};
