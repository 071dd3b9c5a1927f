/* crop: a window of an image, sequence or volume, cut, filled up or trimmed at the edge. */
#include <string.h>

#include "core/cut_convert.h"

typedef struct crop_args {
    hr__crop_args window;
    hr_dtype dtype, output_dtype;
    hr_floats fill_values;
    hr_image_type image_type;
    int out_of_bounds_policy;
} crop_args;

static const hr_arg_desc crop_desc[] = {
    HR__CROP_ARGS(crop_args, window),
    HR_ARG(crop_args, dtype, DTYPE,
           .doc = "Type of the output; the input's when not given. Reals are cut off to "
                  "integers, and values over the type's range are clamped."),
    HR_ARG(crop_args, fill_values, FLOATS, .initial = "[0.0]",
           .doc = "Value outside the input under \"pad\": one, or one a channel. For integers the "
                  "fraction is cut off and the value clamped to the type's range."),
    HR_ARG(crop_args, image_type, IMAGE_TYPE, .flags = HR_DEPRECATED,
           .doc = "No longer used."),
    HR__CROP_BOUNDS_ARG(crop_args, out_of_bounds_policy),
    HR_ARG(crop_args, output_dtype, DTYPE, .flags = HR_DEPRECATED,
           .doc = "Former name of `dtype`."),
    HR__CROP_ROUNDING_ARG(crop_args, window),
};

static hr_status crop_setup(hr_call *call, hr_error *err)
{
    HR_TRY(hr__call_check_dtypes(call, err));
    return hr__crop_check(call, err);
}

static hr_status check_fill(const crop_args *a, const hr_tensor *in, const char *layout,
                            hr_error *err)
{
    int64_t n = a->fill_values.n, channels = in->shape[hr_layout_find(layout, 'C')];
    if (!hr__bounds_fill(a->out_of_bounds_policy) || n <= 1 || n == channels) return HR_OK;
    return hr_fail(err, HR_VALUE, "`fill_values` has %lld values, the input has %lld channels",
                   (long long)n, (long long)channels);
}

static hr_status crop_infer(const hr_sample *s, hr_error *err)
{
    const crop_args *a = s->args;
    const hr_tensor *in = s->in[0];
    const char *layout = s->call->in[0].layout;
    hr__box box;
    HR_TRY(hr__crop_box(&a->window, in, layout, a->out_of_bounds_policy, &box, err));
    HR_TRY(check_fill(a, in, layout, err));
    hr_dtype dtype = a->dtype != HR_DTYPE_NONE          ? a->dtype
                     : a->output_dtype != HR_DTYPE_NONE ? a->output_dtype
                                                        : in->dtype;
    HR_TRY(hr_tensor_shape(&s->out[0], dtype, in->ndim, box.size, err));
    memcpy(s->out[0].layout, layout, sizeof s->out[0].layout);
    return HR_OK;
}

static hr_status crop_run(const hr_sample *s, hr_error *err)
{
    const crop_args *a = s->args;
    const hr_tensor *in = s->in[0];
    const char *layout = s->call->in[0].layout;
    hr__box box;
    HR_TRY(hr__crop_box(&a->window, in, layout, a->out_of_bounds_policy, &box, err));
    hr_floats fill = hr__bounds_fill(a->out_of_bounds_policy) ? a->fill_values : (hr_floats){0};
    return hr__cut(s, &box, fill, hr_layout_find(layout, 'C'), err);
}

static const hr_in_desc crop_ins[] = {
    {.name = "input", .layouts = "HWC CHW DHWC CDHW FHWC FCHW CFHW FDHWC FCDHW CFDHW",
     .doc = "Images, sequences or volumes."},
};

const hr_op_desc hr_op_crop = {
    .name = "crop",
    .doc = "Cuts a window out of images, sequences or volumes. The window's size is given in "
           "pixels, its place by relative positions: 0 is the left, top or front end, 1 the "
           "other one.",
    .example = "crop=[2, 2]",
    .ins = crop_ins, .n_ins = 1, .n_out = 1, .outs = "the window, in the input's layout",
    .args = crop_desc, .n_args = sizeof crop_desc / sizeof *crop_desc,
    .args_size = sizeof(crop_args),
    .setup = crop_setup, .infer = crop_infer, .run = crop_run,
};
