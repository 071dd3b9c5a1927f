/* resize_crop_mirror: a window of the resized picture, mirrored, in one resampling: the window and
 * the mirror only move the ends of the region that is resampled, and nothing else is computed. */
#include "core/crop_box.h"
#include "image/resize.h"

typedef struct rcm_args {
    hr__crop_args window;
    hr__filter_args filter;
    hr__size_args size;
    hr_dtype dtype;
    int64_t mirror, minibatch_size, temp_buffer_hint;
} rcm_args;

#define SIZE_ARG(field, kind, ...) HR__MEMBER_ARG(rcm_args, size, field, kind, __VA_ARGS__)

static const hr_arg_desc rcm_desc[] = {
    HR__ANTIALIAS_ARG(rcm_args, filter),
    HR__CROP_ARGS(rcm_args, window),
    HR__RESIZE_DTYPE_ARG(rcm_args),
    HR__INTERP_ARG(rcm_args, filter),
    HR__MAG_ARG(rcm_args, filter),
    SIZE_ARG(max_size, FLOATS,
             .doc = "Largest extents of the resized picture: one for all axes, or one an axis; as "
                    "in resize."),
    HR__MIN_ARG(rcm_args, filter),
    HR__MINIBATCH_ARG(rcm_args),
    HR_ARG(rcm_args, mirror, INT, .flags = HR_PER_SAMPLE, .initial = "0",
           .doc = "What to mirror in the window: the sum of 1 for left and right, 2 for top and "
                  "bottom, 4 for the depth of a volume. (With axes before the picture's, as in "
                  "CHW, the peer mirrors others than it says.)"),
    HR__SIZE_MODE_ARGS(rcm_args, size),
    SIZE_ARG(resize_x, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,
             .doc = "Width of the resized picture; 0: not given, negative: flipped."),
    SIZE_ARG(resize_y, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,
             .doc = "Height of the resized picture; 0: not given, negative: flipped."),
    SIZE_ARG(resize_z, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,
             .doc = "Depth of the resized volume; 0: not given, negative: flipped."),
    SIZE_ARG(roi_end, FLOATS, .flags = HR_PER_SAMPLE,
             .doc = "End of the region of the input that is resized, one value an axis (D, H, W "
                    "order); as in resize."),
    HR__SIZE_ROI_ARGS(rcm_args, size),
    HR__CROP_ROUNDING_ARG(rcm_args, window),
    SIZE_ARG(size, FLOATS, .flags = HR_PER_SAMPLE,
             .doc = "Extents of the resized picture, one an axis (D, H, W order) or one for all. "
                    "0: not given, negative: flipped."),
    HR__SIZE_SUBPIXEL_ARG(rcm_args, size),
    HR__BUFFER_HINT_ARG(rcm_args),
};

static hr_status rcm_setup(hr_call *call, hr_error *err)
{
    HR_TRY(hr__crop_check(call, err));
    return hr__size_check(call, call->state, err);
}

/* The part of the region that pixels [start, start + count) of its output stand for; it may reach
 * over the source, whose edge is then repeated. */
static hr_status cut_span(hr__resample_span *s, int64_t start, int64_t count, hr_error *err)
{
    if (count > HR__RESIZE_MAX)
        return hr_fail(err, HR_VALUE, "a window of %lld pixels is over %d", (long long)count,
                       HR__RESIZE_MAX);
    if (s->out > 0 && (start != 0 || count != s->out)) {
        double lo = s->lo, scale = ((double)s->hi - lo) / (double)s->out;
        s->lo = (float)(lo + scale * (double)start);
        s->hi = (float)(lo + scale * (double)(start + count));
    }
    s->out = s->count = s->in > 0 ? count : 0;
    return HR_OK;
}

static hr_status rcm_spans(const hr_sample *s, hr__resample_span *spans, hr_error *err)
{
    const rcm_args *a = s->args;
    const hr__size_way *way = s->state;
    hr__picture_axes axes = hr__picture_axes_of(s->in[0], s->call->in[0].layout);
    HR_TRY(hr__size_spans(&a->size, *way, s->in[0]->shape + axes.first, axes.n, spans, err));
    int64_t extent[3] = {-1, -1, -1};
    for (int k = 0; k < axes.n; k++) extent[3 - axes.n + k] = spans[k].out;
    hr__window w;
    HR_TRY(hr__window_find(&a->window, extent, &w, err));
    for (int k = 0; k < axes.n; k++) {
        int at = 3 - axes.n + k;
        HR_TRY(cut_span(&spans[k], w.start[at], w.size[at], err));
    }
    for (int k = 0; k < axes.n; k++) {
        hr__resample_span *x = &spans[axes.n - 1 - k];
        float lo = x->lo;
        if (!(a->mirror >> k & 1)) continue;
        x->lo = x->hi;
        x->hi = lo;
    }
    return HR_OK;
}

static hr_status rcm_infer(const hr_sample *s, hr_error *err)
{
    const rcm_args *a = s->args;
    hr__resample_span spans[3];
    HR_TRY(rcm_spans(s, spans, err));
    return hr__resize_output(s, a->dtype, spans, err);
}

static hr_status rcm_run(const hr_sample *s, hr_error *err)
{
    const rcm_args *a = s->args;
    hr__resample_span spans[3];
    HR_TRY(rcm_spans(s, spans, err));
    hr__resample_filter filter = hr__resize_filter(s->call, &a->filter);
    return hr__resize_run(s, spans, &filter, err);
}

const hr_op_desc hr_op_resize_crop_mirror = {
    .name = "resize_crop_mirror",
    .doc = "Resizes, cuts a window out of the result and mirrors it, in one pass that computes the "
           "window alone. A window larger than the resized picture repeats the picture's edge. "
           "Sizes and filters as in resize, windows as in crop.",
    .example = "size=[4, 3]",
    .ins = hr__resize_ins, .n_ins = 1, .n_out = 1,
    .outs = "the window of the resized input, in its layout",
    .args = rcm_desc, .n_args = sizeof rcm_desc / sizeof *rcm_desc,
    .args_size = sizeof(rcm_args), .state_size = sizeof(hr__size_way),
    .setup = rcm_setup, .infer = rcm_infer, .run = rcm_run,
};
