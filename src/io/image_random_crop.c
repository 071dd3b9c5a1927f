/* decoders.image_random_crop: a random window of a picture; what lies outside is not decoded as far
 * as the format allows. The pixels are those of a full decode. */
#include "io/picture.h"
#include "rng/rng.h"

typedef struct crop_args {
    hr__picture_args picture;
    hr__crop_draw_args draw;
} crop_args;

static const hr_arg_desc crop_desc[] = {
    HR__PICTURE_ARGS_TO_AFFINE(crop_args),
    HR__PICTURE_ARGS_TO_MEMORY(crop_args),
    HR__CROP_ATTEMPTS_ARG(crop_args, draw),
    HR__PICTURE_ARG_ON_ERROR(crop_args),
    HR__PICTURE_ARGS_TO_PREALLOCATE(crop_args),
    HR__CROP_RANGE_ARGS(crop_args, draw),
    HR__PICTURE_ARGS_FROM_SPLIT(crop_args),
};

static hr_status crop_setup(hr_call *call, hr_error *err)
{
    const crop_args *a = (const crop_args *)call->args;
    HR_TRY(hr__picture_check(&a->picture, err));
    return hr__crop_params_init(call->state, &a->draw, err);
}

/* The sample's state is a copy, so infer and run get the same window. */
static hr_status open_window(hr__picture *p, const hr_sample *s, hr_rect *region, hr_error *err)
{
    const crop_args *a = s->args;
    HR_TRY(hr__picture_open(p, s, &a->picture, err));
    hr_crop_window w = hr__crop_window(s->rng, p->h, p->w, s->state);
    *region = (hr_rect){w.x, w.y, w.w, w.h};
    return HR_OK;
}

static hr_status crop_infer(const hr_sample *s, hr_error *err)
{
    return hr__picture_infer(s, &((const crop_args *)s->args)->picture, open_window, err);
}

static hr_status crop_run(const hr_sample *s, hr_error *err)
{
    return hr__picture_run(s, &((const crop_args *)s->args)->picture, open_window, err);
}

const hr_op_desc hr_op_decoders_image_random_crop = {
    .name = "decoders.image_random_crop",
    .doc = "Decodes a random window of picture files. The window is that of "
           "random_crop_generator for the upright picture's size and the same generator; its "
           "pixels are those that decoders.image gives there. Rows below it are neither decoded "
           "nor checked.",
    .flags = HR_OP_RANDOM | HR_OP_HEAVY,
    .ins = hr__picture_in, .n_ins = 1, .n_out = 1, .outs = "the window's pixels, HWC",
    .args = crop_desc, .n_args = sizeof crop_desc / sizeof *crop_desc,
    .args_size = sizeof(crop_args), .state_size = sizeof(hr_crop_params),
    .setup = crop_setup, .infer = crop_infer, .run = crop_run,
};
