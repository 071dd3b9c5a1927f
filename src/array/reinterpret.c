/* reinterpret: another type, shape or layout over the same bytes. */
#include "array/new_shape.h"

typedef struct reinterpret_args {
    hr__new_shape_args base;
    hr_dtype dtype;
} reinterpret_args;

static const hr_arg_desc reinterpret_desc[] = {
    HR_ARG(reinterpret_args, dtype, DTYPE,
           .doc = "Type of the output; the input's when not given. Without a new shape the "
                  "innermost extent takes the change of size."),
    HR__NEW_SHAPE_ARGS(reinterpret_args),
};

static hr_status reinterpret_setup(hr_call *call, hr_error *err)
{
    if (!hr__new_shape_given(call) && !hr_call_has(call, "layout") && !hr_call_has(call, "dtype"))
        return hr_fail(err, HR_VALUE, "neither a new shape, a new layout nor a type is given");
    return hr__new_shape_check(call, err);
}

static hr_status reinterpret_infer(const hr_sample *s, hr_error *err)
{
    const reinterpret_args *a = s->args;
    hr_dtype dtype = a->dtype == HR_DTYPE_NONE ? s->in[0]->dtype : a->dtype;
    return hr__new_shape_infer(s, &a->base, dtype, err);
}

const hr_op_desc hr_op_reinterpret = {
    .name = "reinterpret",
    .doc = "Takes the same bytes for elements of another type, in another shape or layout. "
           "Nothing is copied: the output shares the input's memory.",
    .example = "dtype=\"uint8\"",
    .flags = HR_OP_VIEW,
    .ins = hr__new_shape_ins, .n_ins = 2, .n_out = 1, .outs = "the bytes as the new elements",
    .args = reinterpret_desc, .n_args = sizeof reinterpret_desc / sizeof *reinterpret_desc,
    .args_size = sizeof(reinterpret_args),
    .setup = reinterpret_setup, .infer = reinterpret_infer,
};
