/* decoders.image_slice: a region of a picture, given by arguments or by two more inputs; what lies
 * outside is not decoded as far as the format allows. The pixels are those of a full decode. */
#include "core/slice_box.h"
#include "io/picture.h"

typedef struct slice_args {
    hr__picture_args picture;
    hr__slice_args region;
} slice_args;

static const hr_arg_desc slice_desc[] = {
    HR__PICTURE_ARGS_TO_AFFINE(slice_args),
    HR__SLICE_AXES_ARGS(slice_args, region),
    HR__PICTURE_ARGS_TO_DTYPE(slice_args),
    HR__SLICE_END_ARG(slice_args, region),
    HR__PICTURE_ARGS_FROM_HOST(slice_args),
    HR__SLICE_NORMALIZED_ARGS(slice_args, region),
    HR__PICTURE_ARG_ON_ERROR(slice_args),
    HR__PICTURE_ARGS_TO_PREALLOCATE(slice_args),
    HR__SLICE_REL_ARGS(slice_args, region),
    HR__MEMBER_ARG(slice_args, region, shape, INTS, .flags = HR_PER_SAMPLE,
                   .doc = "Extents of the region, in pixels."),
    HR__PICTURE_ARG_SPLIT(slice_args),
    HR__MEMBER_ARG(slice_args, region, start, INTS, .flags = HR_PER_SAMPLE,
                   .doc = "Where the region begins, in pixels; 0 when not given."),
    HR__PICTURE_ARGS_FROM_CHUNK(slice_args),
};

static hr_status slice_setup(hr_call *call, hr_error *err)
{
    HR_TRY(hr__picture_check(&((const slice_args *)(const void *)call->args)->picture, err));
    return hr__slice_check(call, err);
}

/* A region that does not fit is the arguments' fault, not the file's: `blank` does not hide it. */
static hr_status open_region(hr__picture *p, const hr_sample *s, hr_rect *region, hr_error *err)
{
    const slice_args *a = s->args;
    if (s->call->n == 0) { /* an empty batch: any size will do for type, rank and layout */
        *region = (hr_rect){0, 0, 1, 1};
        return HR_OK;
    }
    HR_TRY(hr__picture_open(p, s, &a->picture, err));
    const int64_t extent[2] = {p->h, p->w};
    const hr__slice_target target = {
        .call = s->call, .ndim = 2, .extent = extent, .layout = "HW",
        .anchor = s->n_in > 1 ? s->in[1] : NULL, .shape = s->n_in > 2 ? s->in[2] : NULL};
    hr__box box;
    HR_TRY(hr__slice_find(&a->region, &target, &box, err));
    HR_TRY(hr__slice_limit(extent, HR__BOUNDS_ERROR, &box, err));
    if (box.size[0] == 0 || box.size[1] == 0)
        return hr_fail(err, HR_VALUE, "the region of %lld x %lld pixels has none",
                       (long long)box.size[0], (long long)box.size[1]);
    *region = (hr_rect){box.start[1], box.start[0], box.size[1], box.size[0]};
    return HR_OK;
}

static hr_status slice_infer(const hr_sample *s, hr_error *err)
{
    return hr__picture_infer(s, &((const slice_args *)s->args)->picture, open_region, err);
}

static hr_status slice_run(const hr_sample *s, hr_error *err)
{
    return hr__picture_run(s, &((const slice_args *)s->args)->picture, open_region, err);
}

static const hr_in_desc slice_ins[] = {
    {.name = "data", .flags = HR_IN_ENCODED, .dtypes = HR_DTYPES(HR_U8), .min_ndim = 1,
     .max_ndim = 1, .doc = "The bytes of a picture file; its kind is told by content."},
    {.name = "anchor", .flags = HR_IN_OPTIONAL, .dtypes = HR_DTYPES_NUMBER, .max_ndim = 1,
     .doc = "Where the region begins: a number an axis. Integers are pixels, reals shares of the "
            "extent unless `normalized_anchor` is False."},
    {.name = "shape_input", .flags = HR_IN_OPTIONAL, .dtypes = HR_DTYPES_NUMBER, .max_ndim = 1,
     .doc = "The region's extents, likewise."},
};

const hr_op_desc hr_op_decoders_image_slice = {
    .name = "decoders.image_slice",
    .doc = "Decodes a region of picture files. It is given as in slice, for the axes H and W of the "
           "picture as it comes out (upright, unless `adjust_orientation` is False), in the order "
           "W, H unless `axes` or `axis_names` say otherwise. Its pixels are those that "
           "decoders.image gives there. Rows below it are neither decoded nor checked.",
    .example = "start=[1, 1], end=[3, 4]",
    .flags = HR_OP_HEAVY,
    .ins = slice_ins, .n_ins = 3, .n_out = 1, .outs = "the region's pixels, HWC",
    .args = slice_desc, .n_args = sizeof slice_desc / sizeof *slice_desc,
    .args_size = sizeof(slice_args),
    .setup = slice_setup, .infer = slice_infer, .run = slice_run,
};
