/* slice: a region of an array, cut, filled up or trimmed at the edge. */
#include <string.h>

#include "core/cut_convert.h"
#include "core/slice_box.h"

typedef struct slice_args {
    hr__slice_args region;
    hr_dtype dtype, output_dtype;
    hr_floats fill_values;
    hr_image_type image_type;
    int out_of_bounds_policy;
} slice_args;

static const hr_arg_desc slice_desc[] = {
    HR__SLICE_AXES_ARGS(slice_args, region),
    HR_ARG(slice_args, dtype, DTYPE,
           .doc = "Type of the output; the input's when not given. Reals are cut off to "
                  "integers, and values over the type's range are clamped."),
    HR__SLICE_END_ARG(slice_args, region),
    HR_ARG(slice_args, fill_values, FLOATS, .initial = "[0.0]",
           .doc = "Value outside the input under \"pad\": one, or one for each element of the "
                  "output's axis C. For integers the fraction is cut off and the value "
                  "clamped."),
    HR_ARG(slice_args, image_type, IMAGE_TYPE, .flags = HR_DEPRECATED,
           .doc = "No longer used."),
    HR__SLICE_NORMALIZED_ARGS(slice_args, region),
    HR__CROP_BOUNDS_ARG(slice_args, out_of_bounds_policy),
    HR_ARG(slice_args, output_dtype, DTYPE, .flags = HR_DEPRECATED,
           .doc = "Former name of `dtype`."),
    HR__SLICE_PLACE_ARGS(slice_args, region),
};

static hr_status slice_setup(hr_call *call, hr_error *err)
{
    HR_TRY(hr__call_check_dtypes(call, err));
    return hr__slice_check(call, err);
}

static const char *layout_of(const hr_tensor *in)
{
    return in->layout[0] ? in->layout : hr__slice_default_layout(in->ndim);
}

static hr_status find_box(const hr_sample *s, hr__box *box, hr_error *err)
{
    const slice_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr__slice_target target = {
        .call = s->call, .ndim = in->ndim, .extent = in->shape, .layout = layout_of(in),
        .anchor = s->n_in > 1 ? s->in[1] : NULL, .shape = s->n_in > 2 ? s->in[2] : NULL};
    HR_TRY(hr__slice_find(&a->region, &target, box, err));
    return hr__slice_limit(in->shape, a->out_of_bounds_policy, box, err);
}

static hr_status check_fill(const slice_args *a, const hr_tensor *in, const hr__box *box,
                            hr_error *err)
{
    int64_t n = a->fill_values.n;
    if (!hr__bounds_fill(a->out_of_bounds_policy) || n <= 1) return HR_OK;
    int axis = hr_layout_find(layout_of(in), 'C');
    if (axis < 0)
        return hr_fail(err, HR_VALUE, "`fill_values` has %lld values, but the layout \"%s\" has "
                       "no axis C", (long long)n, in->layout);
    if (box->size[axis] != n)
        return hr_fail(err, HR_VALUE, "`fill_values` has %lld values, the output has %lld "
                       "channels", (long long)n, (long long)box->size[axis]);
    return HR_OK;
}

static hr_status slice_infer(const hr_sample *s, hr_error *err)
{
    const slice_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr__box box;
    HR_TRY(find_box(s, &box, err));
    HR_TRY(check_fill(a, in, &box, err));
    hr_dtype dtype = a->dtype != HR_DTYPE_NONE          ? a->dtype
                     : a->output_dtype != HR_DTYPE_NONE ? a->output_dtype
                                                        : in->dtype;
    HR_TRY(hr_tensor_shape(&s->out[0], dtype, in->ndim, box.size, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status slice_run(const hr_sample *s, hr_error *err)
{
    const slice_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr__box box;
    HR_TRY(find_box(s, &box, err));
    hr_floats fill = hr__bounds_fill(a->out_of_bounds_policy) ? a->fill_values : (hr_floats){0};
    return hr__cut(s, &box, fill, hr_layout_find(layout_of(in), 'C'), err);
}

static const hr_in_desc slice_ins[] = {
    {.name = "data", .min_ndim = 1, .max_ndim = HR_MAX_NDIM,
     .doc = "Tensors with at least one axis."},
    {.name = "anchor", .flags = HR_IN_OPTIONAL, .dtypes = HR_DTYPES_NUMBER, .max_ndim = 1,
     .doc = "Where the region begins: a number an axis. Integers are elements, reals shares of "
            "the extent unless `normalized_anchor` is False."},
    {.name = "shape_input", .flags = HR_IN_OPTIONAL, .dtypes = HR_DTYPES_NUMBER, .max_ndim = 1,
     .doc = "The region's extents, likewise."},
};

const hr_op_desc hr_op_slice = {
    .name = "slice",
    .doc = "Cuts a region out of arrays. It is given by arguments (where it begins: `start` or "
           "`rel_start`; where it ends: `end`, `rel_end`, `shape` or `rel_shape`), or by two "
           "more inputs. Places that are no whole numbers are rounded, halves away from zero.",
    .example = "start=[1, 1], end=[3, 3]",
    .ins = slice_ins, .n_ins = 3, .n_out = 1, .outs = "the region, in the input's layout",
    .args = slice_desc, .n_args = sizeof slice_desc / sizeof *slice_desc,
    .args_size = sizeof(slice_args),
    .setup = slice_setup, .infer = slice_infer, .run = slice_run,
};
