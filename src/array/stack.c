/* stack: joins tensors of one shape along a new axis. */
#include <string.h>

#include "array/join.h"
#include "core/axes.h"

typedef struct stack_args {
    int64_t axis;
    const char *axis_name;
} stack_args;

static const hr_arg_desc stack_desc[] = {
    HR_ARG(stack_args, axis, INT, .initial = "0",
           .doc = "Place of the new axis in the output; negative ones count from the back, -1 "
                  "being the last."),
    HR_ARG(stack_args, axis_name, STR,
           .doc = "Letter of the new axis; without it the output has no layout."),
};

static hr_status stack_setup(hr_call *call, hr_error *err)
{
    const stack_args *a = (const void *)call->args;
    if (!a->axis_name) return HR_OK;
    HR_TRY(hr__axis_name_check(a->axis_name, err));
    const char *layout = call->in[0].layout;
    if (call->in[0].t->ndim && !layout[0])
        return hr_fail(err, HR_VALUE, "`axis_name` is \"%s\", but the first input has no layout",
                       a->axis_name);
    for (int j = 1; j < call->n_in; j++)
        if (call->in[j].layout[0] && strcmp(call->in[j].layout, layout) != 0)
            return hr_fail(err, HR_VALUE, "input %d has layout \"%s\", the first one \"%s\"", j,
                           call->in[j].layout, layout);
    return HR_OK;
}

static hr_status find_axis(const stack_args *a, int ndim, int *axis, hr_error *err)
{
    if (a->axis < -ndim || a->axis > ndim)
        return hr_fail(err, HR_VALUE, "`axis` is %lld, it must be within %d..%d for inputs of %d "
                       "axes", (long long)a->axis, -ndim, ndim, ndim);
    *axis = (int)(a->axis < 0 ? a->axis + ndim + 1 : a->axis);
    return HR_OK;
}

static hr_status check_input(const hr_tensor *t, const hr_tensor *like, int j, hr_error *err)
{
    HR_TRY(hr__join_check(t, like, j, err));
    for (int k = 0; k < t->ndim; k++)
        if (t->shape[k] != like->shape[k])
            return hr_fail(err, HR_VALUE, "input %d has extent %lld in axis %d, input 0 has %lld",
                           j, (long long)t->shape[k], k, (long long)like->shape[k]);
    return HR_OK;
}

static hr_status stack_infer(const hr_sample *s, hr_error *err)
{
    const stack_args *a = s->args;
    const hr_tensor *like = s->in[0];
    int axis = 0;
    HR_TRY(find_axis(a, like->ndim, &axis, err));
    if (like->ndim == HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "inputs of %d axes leave no place for a new one", like->ndim);
    for (int j = 1; j < s->n_in; j++) HR_TRY(check_input(s->in[j], like, j, err));
    int64_t shape[HR_MAX_NDIM];
    char layout[HR_MAX_NDIM + 1] = "";
    for (int i = 0, k = 0; i <= like->ndim; i++) {
        shape[i] = i == axis ? s->n_in : like->shape[k];
        if (a->axis_name) layout[i] = i == axis ? a->axis_name[0] : s->call->in[0].layout[k];
        if (i != axis) k++;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], like->dtype, like->ndim + 1, shape, err));
    return hr_tensor_set_layout(&s->out[0], layout, err);
}

/* Blocks of a size known to the compiler: a new innermost axis moves single elements. */
static void spread(char *restrict dst, const char *restrict src, size_t n, size_t step,
                   size_t size)
{
    for (size_t i = 0; i < n; i++) memcpy(dst + i * step, src + i * size, size);
}

static hr_status stack_run(const hr_sample *s, hr_error *err)
{
    const stack_args *a = s->args;
    const hr_tensor *like = s->in[0];
    int axis = 0;
    HR_TRY(find_axis(a, like->ndim, &axis, err));
    if (hr_tensor_size(like) == 0) return HR_OK;
    size_t block = hr_dtype_size(like->dtype), outer = 1;
    for (int k = 0; k < axis; k++) outer *= (size_t)like->shape[k];
    for (int k = axis; k < like->ndim; k++) block *= (size_t)like->shape[k];
    size_t step = block * (size_t)s->n_in;
    for (int j = 0; j < s->n_in; j++) {
        char *dst = (char *)s->out[0].data + (size_t)j * block;
        const char *src = s->in[j]->data;
        switch (block) {
        case 1: spread(dst, src, outer, step, 1); break;
        case 2: spread(dst, src, outer, step, 2); break;
        case 4: spread(dst, src, outer, step, 4); break;
        case 8: spread(dst, src, outer, step, 8); break;
        default: spread(dst, src, outer, step, block);
        }
    }
    return HR_OK;
}

static const hr_in_desc stack_ins[] = {
    {.name = "input", .flags = HR_IN_VARIADIC, .doc = "Tensors of one type and shape."},
};

const hr_op_desc hr_op_stack = {
    .name = "stack",
    .doc = "Joins the inputs along a new axis.",
    .ins = stack_ins, .n_ins = 1, .n_out = 1, .outs = "the inputs, one after the other",
    .args = stack_desc, .n_args = sizeof stack_desc / sizeof *stack_desc,
    .args_size = sizeof(stack_args),
    .setup = stack_setup, .infer = stack_infer, .run = stack_run,
};
