/* reshape: other extents or another layout over the same elements. */
#include "array/new_shape.h"

typedef struct reshape_args {
    hr__new_shape_args base;
} reshape_args;

static const hr_arg_desc reshape_desc[] = {
    HR__NEW_SHAPE_ARGS(reshape_args),
};

static hr_status reshape_setup(hr_call *call, hr_error *err)
{
    if (!hr__new_shape_given(call) && !hr_call_has(call, "layout"))
        return hr_fail(err, HR_VALUE, "neither a new shape nor a new layout is given");
    return hr__new_shape_check(call, err);
}

static hr_status reshape_infer(const hr_sample *s, hr_error *err)
{
    const reshape_args *a = s->args;
    return hr__new_shape_infer(s, &a->base, s->in[0]->dtype, err);
}

const hr_op_desc hr_op_reshape = {
    .name = "reshape",
    .doc = "Gives the same elements, in the same order, another shape or layout. Nothing is "
           "copied: the output shares the input's memory. Extents come from `shape`, the input "
           "`shape_input`, `rel_shape` or `src_dims`.",
    .example = "shape=[-1]",
    .flags = HR_OP_VIEW,
    .ins = hr__new_shape_ins, .n_ins = 2, .n_out = 1, .outs = "the elements in the new shape",
    .args = reshape_desc, .n_args = sizeof reshape_desc / sizeof *reshape_desc,
    .args_size = sizeof(reshape_args),
    .setup = reshape_setup, .infer = reshape_infer,
};
