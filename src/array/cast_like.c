/* cast_like: the same values in the dtype of another input. */
#include <string.h>

#include "kernels/kernels.h"

static hr_status cast_like_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], s->in[1]->dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status cast_like_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const hr_tensor *in = s->in[0];
    s->kernels->convert(s->out[0].dtype, s->out[0].data, in->dtype, in->data,
                        (size_t)hr_tensor_size(in));
    return HR_OK;
}

static const hr_in_desc cast_like_ins[] = {
    {.name = "input_0", .doc = "Tensors of any rank and type."},
    {.name = "input_1", .doc = "Tells the type of the output; its values are not looked at."},
};

const hr_op_desc hr_op_cast_like = {
    .name = "cast_like",
    .doc = "Converts the first input to the type of the second, by the rules of `cast`.",
    .ins = cast_like_ins, .n_ins = 2, .n_out = 1,
    .outs = "the first input in the second one's type",
    .infer = cast_like_infer, .run = cast_like_run,
};
