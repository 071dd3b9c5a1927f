/* flip: mirrors images, sequences and volumes along width, height and depth. */
#include <string.h>

#include "kernels/kernels.h"

typedef struct flip_args {
    int64_t depthwise, horizontal, vertical;
} flip_args;

static const hr_arg_desc flip_desc[] = {
    HR_ARG(flip_args, depthwise, INT, .flags = HR_PER_SAMPLE, .initial = "0",
           .doc = "Not 0: mirrors front and back (the D axis)."),
    HR_ARG(flip_args, horizontal, INT, .flags = HR_PER_SAMPLE, .initial = "1",
           .doc = "Not 0: mirrors left and right (the W axis)."),
    HR_ARG(flip_args, vertical, INT, .flags = HR_PER_SAMPLE, .initial = "0",
           .doc = "Not 0: mirrors top and bottom (the H axis)."),
};

static hr_status flip_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, s->call->in[0].layout, sizeof in->layout);
    return HR_OK;
}

typedef struct flip_plan {
    int ndim, inner; /* axes up to `inner` are walked, the rest is one run of bytes */
    int64_t shape[HR_MAX_NDIM];
    int mirrored[HR_MAX_NDIM];
    int64_t bytes; /* of that run */
    const hr_kernels *kernels;
} flip_plan;

static void flip_axis(const flip_plan *p, uint8_t *dst, const uint8_t *src, int axis,
                      int64_t bytes)
{
    int64_t n = p->shape[axis], step = n ? bytes / n : 0;
    if (axis == p->inner - 1 && p->mirrored[axis]) {
        p->kernels->reverse(dst, src, n, step);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *from = src + (p->mirrored[axis] ? n - 1 - i : i) * step;
        if (axis == p->inner - 1) memcpy(dst + i * step, from, (size_t)step);
        else flip_axis(p, dst + i * step, from, axis + 1, step);
    }
}

static hr_status flip_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const flip_args *a = s->args;
    const hr_tensor *in = s->in[0];
    const char *layout = s->call->in[0].layout;
    flip_plan p = {.ndim = in->ndim, .kernels = s->kernels};
    memcpy(p.shape, in->shape, sizeof p.shape);
    const struct { char axis; int64_t on; } flips[] = {
        {'D', a->depthwise}, {'H', a->vertical}, {'W', a->horizontal}};
    for (int f = 0; f < 3; f++) {
        int axis = hr_layout_find(layout, flips[f].axis);
        if (axis < 0 || !flips[f].on) continue;
        p.mirrored[axis] = 1;
        if (axis + 1 > p.inner) p.inner = axis + 1;
    }
    size_t bytes = hr_tensor_nbytes(in);
    if (bytes == 0) return HR_OK;
    if (p.inner == 0) memcpy(s->out[0].data, in->data, bytes);
    else flip_axis(&p, s->out[0].data, in->data, 0, (int64_t)bytes);
    return HR_OK;
}

static const hr_in_desc flip_ins[] = {
    {.name = "input", .layouts = "HWC CHW FHWC FCHW DHWC CDHW FDHWC FCDHW HW",
     .doc = "Images, sequences or volumes."},
};

const hr_op_desc hr_op_flip = {
    .name = "flip",
    .doc = "Mirrors images, sequences or volumes along the chosen axes.",
    .ins = flip_ins, .n_ins = 1, .n_out = 1, .outs = "the mirrored input, same layout",
    .args = flip_desc, .n_args = sizeof flip_desc / sizeof *flip_desc,
    .args_size = sizeof(flip_args),
    .infer = flip_infer, .run = flip_run,
};
