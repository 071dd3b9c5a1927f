/* resize: pictures, sequences and volumes to another size. */
#include "image/resize.h"

typedef struct resize_args {
    hr__filter_args filter;
    hr__size_args size;
    hr_dtype dtype;
    hr_image_type image_type;
    int64_t minibatch_size, temp_buffer_hint;
    int save_attrs;
} resize_args;

#define SIZE_ARG(field, kind, ...) HR__MEMBER_ARG(resize_args, size, field, kind, __VA_ARGS__)

static const hr_arg_desc resize_desc[] = {
    HR__ANTIALIAS_ARG(resize_args, filter),
    HR__RESIZE_DTYPE_ARG(resize_args),
    HR_ARG(resize_args, image_type, IMAGE_TYPE, .flags = HR_DEPRECATED,
           .doc = "No longer used."),
    HR__INTERP_ARG(resize_args, filter),
    HR__MAG_ARG(resize_args, filter),
    SIZE_ARG(max_size, FLOATS,
             .doc = "Largest extents of the output: one for all axes, or one an axis. Where the "
                    "aspect ratio is kept, the whole picture is scaled to fit; else each axis is "
                    "limited on its own. 0 or less: no limit."),
    HR__MIN_ARG(resize_args, filter),
    HR__MINIBATCH_ARG(resize_args),
    HR__SIZE_MODE_ARGS(resize_args, size),
    SIZE_ARG(resize_x, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,
             .doc = "Width of the output; 0: not given, negative: flipped."),
    SIZE_ARG(resize_y, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,
             .doc = "Height of the output; 0: not given, negative: flipped."),
    SIZE_ARG(resize_z, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,
             .doc = "Depth of the output; 0: not given, negative: flipped."),
    SIZE_ARG(roi_end, FLOATS, .flags = HR_PER_SAMPLE,
             .doc = "End of the region that becomes the output, one value an axis (D, H, W order). "
                    "Pixels around the region are seen by the filter. An end before the start "
                    "flips the axis."),
    HR__SIZE_ROI_ARGS(resize_args, size),
    HR_ARG(resize_args, save_attrs, BOOL, .initial = "False",
           .flags = HR_ADDS_OUTPUT,
           .doc = "Adds an output: the input's extents before the resize (D, H, W order), int32."),
    SIZE_ARG(size, FLOATS, .flags = HR_PER_SAMPLE,
             .doc = "Extents of the output, one an axis (D, H, W order) or one for all. 0: not "
                    "given, negative: flipped."),
    HR__SIZE_SUBPIXEL_ARG(resize_args, size),
    HR__BUFFER_HINT_ARG(resize_args),
};

static hr_status resize_setup(hr_call *call, hr_error *err)
{
    return hr__size_check(call, call->state, err);
}

static hr_status resize_spans(const hr_sample *s, hr__resample_span *spans, hr_error *err)
{
    const resize_args *a = s->args;
    const hr__size_way *way = s->state;
    hr__picture_axes axes = hr__picture_axes_of(s->in[0], s->call->in[0].layout);
    return hr__size_spans(&a->size, *way, s->in[0]->shape + axes.first, axes.n, spans, err);
}

static hr_status resize_infer(const hr_sample *s, hr_error *err)
{
    const resize_args *a = s->args;
    hr__resample_span spans[3];
    HR_TRY(resize_spans(s, spans, err));
    if (a->save_attrs) {
        int64_t n = hr__picture_axes_of(s->in[0], s->call->in[0].layout).n;
        HR_TRY(hr_tensor_shape(&s->out[1], HR_I32, 1, &n, err));
    }
    return hr__resize_output(s, a->dtype, spans, err);
}

static hr_status resize_run(const hr_sample *s, hr_error *err)
{
    const resize_args *a = s->args;
    hr__resample_span spans[3];
    HR_TRY(resize_spans(s, spans, err));
    if (a->save_attrs) {
        hr__picture_axes axes = hr__picture_axes_of(s->in[0], s->call->in[0].layout);
        int32_t *extents = s->out[1].data;
        for (int k = 0; k < axes.n; k++) extents[k] = (int32_t)s->in[0]->shape[axes.first + k];
    }
    hr__resample_filter filter = hr__resize_filter(s->call, &a->filter);
    return hr__resize_run(s, spans, &filter, err);
}

const hr_in_desc hr__resize_ins[1] = {
    {.name = "input",
     .dtypes = HR_DTYPES(HR_U8) | HR_DTYPES(HR_U16) | HR_DTYPES(HR_I16) | HR_DTYPES(HR_F32),
     .layouts = "HWC FHWC CHW FCHW CFHW DHWC FDHWC CDHW FCDHW CFDHW",
     .doc = "Pictures, sequences or volumes."},
};

const hr_op_desc hr_op_resize = {
    .name = "resize",
    .doc = "Resizes pictures, sequences and volumes. Give the size in one way: `size`, or "
           "`resize_x`, `resize_y`, `resize_z`, or `resize_shorter`, or `resize_longer`. The "
           "filter is applied along one axis after the other; docs/resize.md has the formulas.",
    .example = "size=[4, 3]",
    .ins = hr__resize_ins, .n_ins = 1, .n_out = 2,
    .outs = "the resized input, in its layout; with `save_attrs` also the extents it had",
    .args = resize_desc, .n_args = sizeof resize_desc / sizeof *resize_desc,
    .args_size = sizeof(resize_args), .state_size = sizeof(hr__size_way),
    .setup = resize_setup, .infer = resize_infer, .run = resize_run,
};
