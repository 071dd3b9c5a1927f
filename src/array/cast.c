/* cast: the same values in another dtype. */
#include <string.h>

#include "kernels/kernels.h"

typedef struct cast_args {
    hr_dtype dtype;
} cast_args;

static const hr_arg_desc cast_desc[] = {
    HR_ARG(cast_args, dtype, DTYPE, .flags = HR_REQUIRED, .doc = "Type of the output."),
};

static hr_status cast_infer(const hr_sample *s, hr_error *err)
{
    const cast_args *a = s->args;
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], a->dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status cast_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const hr_tensor *in = s->in[0];
    s->kernels->convert(s->out[0].dtype, s->out[0].data, in->dtype, in->data,
                        (size_t)hr_tensor_size(in));
    return HR_OK;
}

static const hr_in_desc cast_ins[] = {
    {.name = "input", .doc = "Tensors of any rank and type."},
};

const hr_op_desc hr_op_cast = {
    .name = "cast",
    .doc = "Converts to another type. Reals become integers by rounding, halves away from "
           "zero; what is over the type's range is clamped, NaN becomes 0. A real becomes "
           "False when it rounds to zero. float16 is made from float32, halves away from zero.",
    .example = "dtype=\"float32\"",
    .ins = cast_ins, .n_ins = 1, .n_out = 1, .outs = "the input in the wanted type",
    .args = cast_desc, .n_args = sizeof cast_desc / sizeof *cast_desc,
    .args_size = sizeof(cast_args),
    .infer = cast_infer, .run = cast_run,
};
