/* random_resized_crop: a window of random area and aspect ratio, resized. The filter sees the pixels
 * around the window, as in a resize of that region. */
#include "image/resize.h"

#include "rng/rng.h"

typedef struct random_resized_crop_args {
    hr__filter_args filter;
    hr_dtype dtype;
    hr__crop_draw_args draw;
    int64_t minibatch_size, temp_buffer_hint;
    hr_ints size;
} random_resized_crop_args;

static const hr_arg_desc random_resized_crop_desc[] = {
    HR__ANTIALIAS_ARG(random_resized_crop_args, filter),
    HR__RESIZE_DTYPE_ARG(random_resized_crop_args),
    HR__INTERP_ARG(random_resized_crop_args, filter),
    HR__MAG_ARG(random_resized_crop_args, filter),
    HR__MIN_ARG(random_resized_crop_args, filter),
    HR__MINIBATCH_ARG(random_resized_crop_args),
    HR__CROP_ATTEMPTS_ARG(random_resized_crop_args, draw),
    HR__CROP_RANGE_ARGS(random_resized_crop_args, draw),
    HR_ARG(random_resized_crop_args, size, INTS, .flags = HR_REQUIRED, .min = 1,
           .max = HR__RESIZE_MAX, .min_n = 1, .max_n = 2,
           .doc = "Height and width of the output; one value stands for both."),
    HR__BUFFER_HINT_ARG(random_resized_crop_args),
};

static hr_status crop_setup(hr_call *call, hr_error *err)
{
    const random_resized_crop_args *a = (const random_resized_crop_args *)(const void *)call->args;
    return hr__crop_params_init(call->state, &a->draw, err);
}

/* The two axes before the window is drawn. */
static void whole_spans(const hr_sample *s, hr__resample_span *spans)
{
    const random_resized_crop_args *a = s->args;
    hr__picture_axes axes = hr__picture_axes_of(s->in[0], s->call->in[0].layout);
    for (int k = 0; k < 2; k++) {
        int64_t in = s->in[0]->shape[axes.first + k];
        int64_t out = a->size.v[a->size.n == 1 ? 0 : k];
        spans[k] = hr__resample_whole(in, in ? out : 0);
        spans[k].running = k == 0;
    }
}

static hr_status crop_infer(const hr_sample *s, hr_error *err)
{
    const random_resized_crop_args *a = s->args;
    hr__resample_span spans[2];
    whole_spans(s, spans);
    return hr__resize_output(s, a->dtype, spans, err);
}

static hr_status crop_run(const hr_sample *s, hr_error *err)
{
    const random_resized_crop_args *a = s->args;
    hr__resample_span spans[2];
    whole_spans(s, spans);
    for (int k = 0; k < 2; k++)
        if (spans[k].in > INT32_MAX)
            return hr_fail(err, HR_VALUE, "an extent of %lld pixels is over %d",
                           (long long)spans[k].in, INT32_MAX);
    hr_crop_window w = hr__crop_window(s->rng, spans[0].in, spans[1].in, s->state);
    spans[0].lo = (float)w.y;
    spans[0].hi = (float)(w.y + w.h);
    spans[1].lo = (float)w.x;
    spans[1].hi = (float)(w.x + w.w);
    hr__resample_filter filter = hr__resize_filter(s->call, &a->filter);
    return hr__resize_run(s, spans, &filter, err);
}

static const hr_in_desc crop_ins[] = {
    {.name = "input",
     .dtypes = HR_DTYPES(HR_U8) | HR_DTYPES(HR_U16) | HR_DTYPES(HR_I16) | HR_DTYPES(HR_F32),
     .layouts = "HWC CHW FHWC FCHW CFHW", .doc = "Pictures or sequences."},
};

const hr_op_desc hr_op_random_resized_crop = {
    .name = "random_resized_crop",
    .doc = "Resizes a window of random area and aspect ratio. The window is that of "
           "random_crop_generator under the same generator; a sequence has one window.",
    .example = "size=[4, 3]",
    .flags = HR_OP_RANDOM,
    .ins = crop_ins, .n_ins = 1, .n_out = 1, .outs = "the resized window, in the input's layout",
    .args = random_resized_crop_desc,
    .n_args = sizeof random_resized_crop_desc / sizeof *random_resized_crop_desc,
    .args_size = sizeof(random_resized_crop_args), .state_size = sizeof(hr_crop_params),
    .setup = crop_setup, .infer = crop_infer, .run = crop_run,
};
