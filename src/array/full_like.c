/* full_like: a fill value, broadcast to the shape of another tensor and in its type. */
#include <string.h>

#include "array/broadcast.h"
#include "kernels/kernels.h"

static hr_status full_like_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *like = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], like->dtype, like->ndim, like->shape, err));
    memcpy(s->out[0].layout, like->layout, sizeof like->layout);
    return hr__broadcast_check(s->in[1], &s->out[0], err);
}

static hr_status full_like_run(const hr_sample *s, hr_error *err)
{
    const hr_tensor *fill = s->in[1];
    hr_tensor *out = &s->out[0];
    size_t size = hr_dtype_size(out->dtype), n = (size_t)hr_tensor_size(fill);
    const void *src = fill->data;
    if (fill->dtype != out->dtype) {
        void *converted = hr_arena_take(s->arena, n * size);
        if (!converted) return hr_fail(err, HR_NOMEM, "no memory for the fill values");
        s->kernels->convert(out->dtype, converted, fill->dtype, src, n);
        src = converted;
    }
    hr__broadcast_fill(out->data, out, fill, src, size);
    return HR_OK;
}

static const hr_in_desc full_like_ins[] = {
    {.name = "data_like", .doc = "Tells shape, type and layout; its values are not looked at."},
    {.name = "fill_value", .doc = "What to repeat: a number, or a tensor that broadcasts to the "
                                  "output's shape. It is converted by the rules of `cast`."},
};

const hr_op_desc hr_op_full_like = {
    .name = "full_like",
    .doc = "Makes tensors that repeat `fill_value` in the shape and type of others.",
    .ins = full_like_ins, .n_ins = 2, .n_out = 1,
    .outs = "the filled tensors, in the layout of `data_like`",
    .infer = full_like_infer, .run = full_like_run,
};
