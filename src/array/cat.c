/* cat: joins tensors along an axis that they have. An input without elements takes no part: its
 * extents need not fit. */
#include <string.h>

#include "array/join.h"
#include "core/axes.h"

typedef struct cat_args {
    int64_t axis;
    const char *axis_name;
} cat_args;

typedef struct cat_state {
    int axis;
} cat_state;

static const hr_arg_desc cat_desc[] = {
    HR_ARG(cat_args, axis, INT, .initial = "0",
           .doc = "The axis to join along; negative ones count from the back."),
    HR_ARG(cat_args, axis_name, STR,
           .doc = "The axis by its letter in the input's layout, in place of `axis`."),
};

static hr_status named_axis(const hr_call *call, const char *name, int *axis, hr_error *err)
{
    if (hr_call_has(call, "axis"))
        return hr_fail(err, HR_VALUE, "`axis` and `axis_name` exclude each other");
    HR_TRY(hr__axis_name_check(name, err));
    const char *layout = "";
    for (int j = 0; j < call->n_in && !layout[0]; j++) layout = call->in[j].layout;
    *axis = hr_layout_find(layout, name[0]);
    if (*axis < 0)
        return hr_fail(err, HR_VALUE, "axis '%s' is not in the inputs' layout \"%s\"", name,
                       layout);
    return HR_OK;
}

static hr_status check_layouts(const hr_call *call, hr_error *err)
{
    const char *layout = "";
    for (int j = 0; j < call->n_in; j++) {
        const char *own = call->in[j].layout;
        if (!layout[0]) layout = own;
        if (own[0] && strcmp(layout, own) != 0)
            return hr_fail(err, HR_VALUE, "input %d has layout \"%s\", an earlier one \"%s\"", j,
                           own, layout);
    }
    return HR_OK;
}

static hr_status cat_setup(hr_call *call, hr_error *err)
{
    const cat_args *a = (const void *)call->args;
    cat_state *state = call->state;
    const hr_tensor *first = call->in[0].t;
    HR_TRY(check_layouts(call, err));
    if (a->axis_name) return named_axis(call, a->axis_name, &state->axis, err);
    int ndim = first->ndim;
    if (a->axis < -ndim || a->axis >= ndim)
        return hr_fail(err, HR_VALUE,
                       "`axis` is %lld, it must be within %d..%d for inputs of %d axes",
                       (long long)a->axis, -ndim, ndim - 1, ndim);
    state->axis = (int)(a->axis < 0 ? a->axis + ndim : a->axis);
    return HR_OK;
}

/* The input whose extents the others must share: the first one with elements. */
static int reference_input(const hr_sample *s)
{
    for (int j = 0; j < s->n_in; j++)
        if (hr_tensor_size(s->in[j]) > 0) return j;
    return 0;
}

static hr_status cat_infer(const hr_sample *s, hr_error *err)
{
    int axis = ((const cat_state *)s->state)->axis;
    int ref = reference_input(s);
    const hr_tensor *like = s->in[ref];
    int64_t shape[HR_MAX_NDIM] = {0};
    memcpy(shape, like->shape, sizeof shape);
    for (int j = 0; j < s->n_in; j++) {
        const hr_tensor *t = s->in[j];
        HR_TRY(hr__join_check(t, s->in[0], j, err));
        if (j == ref || hr_tensor_size(t) == 0) continue;
        for (int k = 0; k < t->ndim; k++)
            if (k != axis && t->shape[k] != like->shape[k])
                return hr_fail(err, HR_VALUE, "input %d has extent %lld in axis %d, input %d "
                               "has %lld; only axis %d may differ", j, (long long)t->shape[k],
                               k, ref, (long long)like->shape[k], axis);
        if (shape[axis] > INT64_MAX - t->shape[axis])
            return hr_fail(err, HR_OVERFLOW, "axis %d of the output is over 2^63", axis);
        shape[axis] += t->shape[axis];
    }
    HR_TRY(hr_tensor_shape(&s->out[0], like->dtype, like->ndim, shape, err));
    memcpy(s->out[0].layout, s->call->in[0].layout, sizeof s->out[0].layout);
    return HR_OK;
}

static hr_status cat_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    int axis = ((const cat_state *)s->state)->axis;
    const hr_tensor *out = &s->out[0];
    size_t outer = 1, inner = hr_dtype_size(out->dtype);
    if (hr_tensor_size(out) == 0) return HR_OK;
    for (int k = 0; k < axis; k++) outer *= (size_t)out->shape[k];
    for (int k = axis + 1; k < out->ndim; k++) inner *= (size_t)out->shape[k];
    size_t row = (size_t)out->shape[axis] * inner;
    char *column = out->data;
    for (int j = 0; j < s->n_in; j++) {
        const hr_tensor *t = s->in[j];
        if (hr_tensor_size(t) == 0) continue;
        size_t part = (size_t)t->shape[axis] * inner;
        for (size_t i = 0; i < outer; i++)
            memcpy(column + i * row, (const char *)t->data + i * part, part);
        column += part;
    }
    return HR_OK;
}

static const hr_in_desc cat_ins[] = {
    {.name = "input", .flags = HR_IN_VARIADIC,
     .doc = "Tensors of one type and rank, equal in all axes but one."},
};

const hr_op_desc hr_op_cat = {
    .name = "cat",
    .doc = "Joins the inputs along an axis that they have. Inputs without elements take no "
           "part, whatever their extents.",
    .ins = cat_ins, .n_ins = 1, .n_out = 1,
    .outs = "the inputs one after the other, in the first one's layout",
    .args = cat_desc, .n_args = sizeof cat_desc / sizeof *cat_desc,
    .args_size = sizeof(cat_args), .state_size = sizeof(cat_state),
    .setup = cat_setup, .infer = cat_infer, .run = cat_run,
};
