/* copy: the same elements in memory of their own. */
#include <string.h>

#include <headrace/op.h>

static hr_status copy_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status copy_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    hr_tensor_pack(s->out[0].data, s->in[0]);
    return HR_OK;
}

static const hr_in_desc copy_ins[] = {
    {.name = "input", .doc = "Tensors of any rank and type."},
};

const hr_op_desc hr_op_copy = {
    .name = "copy",
    .doc = "Copies tensors into memory of their own, packed.",
    .flags = HR_OP_STRIDED,
    .ins = copy_ins, .n_ins = 1, .n_out = 1, .outs = "the copy, in the input's type and layout",
    .infer = copy_infer, .run = copy_run,
};
