/* peek_image_shape: what decoders.image would give, from the header alone. */
#include "io/picture.h"
#include "kernels/kernels.h"

typedef struct peek_args {
    hr__picture_args picture; /* adjust_orientation alone is an argument here */
    hr_dtype dtype;
    hr_image_type image_type;
} peek_args;

static const hr_arg_desc peek_desc[] = {
    HR__PICTURE_ARG(peek_args, adjust_orientation, BOOL, .initial = "True",
        .doc = "Height and width of the picture turned upright, as its EXIF orientation says."),
    HR_ARG(peek_args, dtype, DTYPE, .initial = "int64",
           .doc = "Type of the output: int32, uint32, int64, uint64, float32 or float64."),
    HR_ARG(peek_args, image_type, IMAGE_TYPE, .initial = "RGB",
           .doc = "Colour model that the number of channels is given for; ANY_DATA: the stored "
                  "channels."),
};

static hr_status peek_setup(hr_call *call, hr_error *err)
{
    static const uint64_t allowed = HR_DTYPES(HR_I32) | HR_DTYPES(HR_U32) | HR_DTYPES(HR_I64) |
                                    HR_DTYPES(HR_U64) | HR_DTYPES(HR_F32) | HR_DTYPES(HR_F64);
    hr_dtype dtype = ((const peek_args *)(const void *)call->args)->dtype;
    if (HR_DTYPES(dtype) & allowed) return HR_OK;
    return hr_fail(err, HR_VALUE, "`dtype` is %s, it must be int32, uint32, int64, uint64, float32 "
                   "or float64", hr_dtype_get_info(dtype)->numpy_name);
}

static hr_status peek_infer(const hr_sample *s, hr_error *err)
{
    static const int64_t three = 3;
    return hr_tensor_shape(&s->out[0], ((const peek_args *)s->args)->dtype, 1, &three, err);
}

static hr_status peek_run(const hr_sample *s, hr_error *err)
{
    const peek_args *a = s->args;
    hr__picture p = {0};
    HR_TRY(hr__picture_open(&p, s, &a->picture, err));
    const int64_t shape[3] = {p.h, p.w, hr_image_channels(a->image_type, &p.info)};
    s->kernels->convert(a->dtype, s->out[0].data, HR_I64, shape, 3);
    return HR_OK;
}

const hr_op_desc hr_op_peek_image_shape = {
    .name = "peek_image_shape",
    .doc = "Reads the shape that decoders.image would give, height, width and channels, from the "
           "header of picture files. Nothing is decoded.",
    .ins = hr__picture_in, .n_ins = 1, .n_out = 1, .outs = "height, width, channels",
    .args = peek_desc, .n_args = sizeof peek_desc / sizeof *peek_desc,
    .args_size = sizeof(peek_args),
    .setup = peek_setup, .infer = peek_infer, .run = peek_run,
};
