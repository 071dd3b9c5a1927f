/* decoders.image_crop: a window of a picture; what lies outside is not decoded as far as the format
 * allows. The pixels are those of a full decode. */
#include "core/crop_box.h"
#include "io/picture.h"

typedef struct crop_args {
    hr__picture_args picture;
    hr__crop_args window;
} crop_args;

static const hr_arg_desc crop_desc[] = {
    HR__PICTURE_ARGS_TO_AFFINE(crop_args),
    HR__CROP_ARGS(crop_args, window),
    HR__PICTURE_ARGS_TO_MEMORY(crop_args),
    HR__PICTURE_ARG_ON_ERROR(crop_args),
    HR__PICTURE_ARGS_TO_PREALLOCATE(crop_args),
    HR__CROP_ROUNDING_ARG(crop_args, window),
    HR__PICTURE_ARGS_FROM_SPLIT(crop_args),
};

static hr_status crop_setup(hr_call *call, hr_error *err)
{
    HR_TRY(hr__picture_check(&((const crop_args *)(const void *)call->args)->picture, err));
    return hr__crop_check(call, err);
}

static hr_status check_side(const char *name, int64_t start, int64_t size, int64_t extent,
                            hr_error *err)
{
    if (start >= 0 && size <= extent - start) return HR_OK;
    return hr_fail(err, HR_VALUE, "the window takes %lld..%lld of the picture's %s, which is %lld",
                   (long long)start, (long long)(start + size), name, (long long)extent);
}

/* A window that does not fit is the arguments' fault, not the file's: `blank` does not hide it. */
static hr_status find_window(const hr__crop_args *a, const hr__picture *p, hr_rect *region,
                             hr_error *err)
{
    const int64_t extent[3] = {-1, p->h, p->w};
    hr__window w;
    HR_TRY(hr__window_find(a, extent, &w, err));
    *region = (hr_rect){w.start[2], w.start[1], w.size[2], w.size[1]};
    HR_TRY(check_side("height", region->y, region->h, p->h, err));
    return check_side("width", region->x, region->w, p->w, err);
}

static hr_status open_window(hr__picture *p, const hr_sample *s, hr_rect *region, hr_error *err)
{
    const crop_args *a = s->args;
    if (s->call->n == 0) { /* an empty batch: any size will do for type, rank and layout */
        *region = (hr_rect){0, 0, 1, 1};
        return HR_OK;
    }
    HR_TRY(hr__picture_open(p, s, &a->picture, err));
    return find_window(&a->window, p, region, err);
}

static hr_status crop_infer(const hr_sample *s, hr_error *err)
{
    return hr__picture_infer(s, &((const crop_args *)s->args)->picture, open_window, err);
}

static hr_status crop_run(const hr_sample *s, hr_error *err)
{
    return hr__picture_run(s, &((const crop_args *)s->args)->picture, open_window, err);
}

const hr_op_desc hr_op_decoders_image_crop = {
    .name = "decoders.image_crop",
    .doc = "Decodes a window of picture files. Its place is meant for the picture as it comes out "
           "(upright, unless `adjust_orientation` is False); its pixels are those that "
           "decoders.image gives there. Rows below it are neither decoded nor checked.",
    .flags = HR_OP_HEAVY,
    .ins = hr__picture_in, .n_ins = 1, .n_out = 1, .outs = "the window's pixels, HWC",
    .args = crop_desc, .n_args = sizeof crop_desc / sizeof *crop_desc,
    .args_size = sizeof(crop_args),
    .setup = crop_setup, .infer = crop_infer, .run = crop_run,
};
