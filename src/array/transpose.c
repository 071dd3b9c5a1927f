/* transpose: the axes in another order. Axes that stay together are one axis; what is left is
 * planes to transpose, or runs to copy where the innermost axis stays. */
#include <string.h>

#include "kernels/kernels.h"

typedef struct transpose_args {
    const char *output_layout;
    hr_ints perm;
    int transpose_layout;
} transpose_args;

static const hr_arg_desc transpose_desc[] = {
    HR_ARG(transpose_args, output_layout, LAYOUT,
           .doc = "Layout of the output, whatever `transpose_layout` says. It does not choose the "
                  "order of the axes."),
    HR_ARG(transpose_args, perm, INTS,
           .doc = "For each axis of the output the number of the input's axis. Not given: in "
                  "reverse order."),
    HR_ARG(transpose_args, transpose_layout, BOOL, .initial = "True",
           .doc = "Do the layout's letters move with the axes? Else the layout stays."),
};

static hr_status find_perm(const transpose_args *a, int ndim, int *perm, hr_error *err)
{
    unsigned seen = 0;
    if (a->perm.n < 0) {
        for (int k = 0; k < ndim; k++) perm[k] = ndim - 1 - k;
        return HR_OK;
    }
    if (a->perm.n != ndim)
        return hr_fail(err, HR_VALUE, "`perm` has %lld elements, the input has %d axes",
                       (long long)a->perm.n, ndim);
    for (int k = 0; k < ndim; k++) {
        int64_t p = a->perm.v[k];
        if (p < 0 || p >= ndim)
            return hr_fail(err, HR_VALUE, "`perm` has %lld, it must be within 0..%d", (long long)p,
                           ndim - 1);
        if (seen >> p & 1)
            return hr_fail(err, HR_VALUE, "`perm` has axis %lld twice", (long long)p);
        seen |= 1u << p;
        perm[k] = (int)p;
    }
    return HR_OK;
}

static hr_status transpose_infer(const hr_sample *s, hr_error *err)
{
    const transpose_args *a = s->args;
    const hr_tensor *in = s->in[0];
    int perm[HR_MAX_NDIM] = {0};
    HR_TRY(find_perm(a, in->ndim, perm, err));
    if (a->output_layout && !a->output_layout[0])
        return hr_fail(err, HR_VALUE, "`output_layout` is empty, it needs %d letters", in->ndim);
    int64_t shape[HR_MAX_NDIM] = {0};
    char layout[HR_MAX_NDIM + 1] = "";
    for (int k = 0; k < in->ndim; k++) {
        shape[k] = in->shape[perm[k]];
        if (in->layout[0]) layout[k] = in->layout[a->transpose_layout ? perm[k] : k];
    }
    HR_TRY(hr_tensor_shape(&s->out[0], in->dtype, in->ndim, shape, err));
    return hr_tensor_set_layout(&s->out[0], a->output_layout ? a->output_layout : layout, err);
}

/* ---- the walk -------------------------------------------------------------------- */

/* Output axes in order, with steps in elements; axes that stay together are merged. */
typedef struct walk {
    int n;
    int64_t extent[HR_MAX_NDIM], src[HR_MAX_NDIM], dst[HR_MAX_NDIM];
} walk;

static void make_walk(const hr_tensor *in, const int *perm, walk *w)
{
    int64_t step[HR_MAX_NDIM], unit = 1;
    for (int k = in->ndim - 1; k >= 0; k--) {
        step[k] = unit;
        unit *= in->shape[k];
    }
    w->n = 0;
    for (int k = 0; k < in->ndim; k++) {
        int64_t extent = in->shape[perm[k]];
        if (extent == 1) continue;
        if (w->n && w->src[w->n - 1] == step[perm[k]] * extent) {
            w->extent[w->n - 1] *= extent;
            w->src[w->n - 1] = step[perm[k]];
            continue;
        }
        w->extent[w->n] = extent;
        w->src[w->n++] = step[perm[k]];
    }
    unit = 1;
    for (int k = w->n - 1; k >= 0; k--) {
        w->dst[k] = unit;
        unit *= w->extent[k];
    }
}

typedef struct plane_job {
    const hr_sample *s;
    hr_plane plane;
    int64_t run; /* bytes of a run that is copied; 0: planes */
} plane_job;

static void do_plane(const plane_job *j, char *dst, const char *src)
{
    const hr_kernels *k = j->s->kernels;
    const hr_plane *p = &j->plane;
    if (j->run) {
        memcpy(dst, src, (size_t)j->run);
    } else if (p->cols <= 4 && p->src_stride == p->cols && p->dst_stride == p->rows) {
        hr_lanes lanes = {.n = p->rows, .channels = (int)p->cols, .size = p->size};
        k->split(dst, src, &lanes);
    } else if (p->rows <= 4 && p->src_stride == p->cols && p->dst_stride == p->rows) {
        hr_lanes lanes = {.n = p->cols, .channels = (int)p->rows, .size = p->size};
        k->merge(dst, src, &lanes);
    } else {
        k->transpose(dst, src, p);
    }
}

/* Takes axis `axis` of the walk out, for the plane. */
static void drop_axis(walk *w, int axis)
{
    w->n--;
    for (int k = axis; k < w->n; k++) {
        w->extent[k] = w->extent[k + 1];
        w->src[k] = w->src[k + 1];
        w->dst[k] = w->dst[k + 1];
    }
}

static void walk_axes(const walk *w, int axis, const plane_job *j, char *dst, const char *src)
{
    if (axis == w->n) {
        do_plane(j, dst, src);
        return;
    }
    int64_t size = j->plane.size;
    for (int64_t i = 0; i < w->extent[axis]; i++)
        walk_axes(w, axis + 1, j, dst + i * w->dst[axis] * size, src + i * w->src[axis] * size);
}

static hr_status transpose_run(const hr_sample *s, hr_error *err)
{
    const transpose_args *a = s->args;
    const hr_tensor *in = s->in[0];
    int perm[HR_MAX_NDIM] = {0};
    HR_TRY(find_perm(a, in->ndim, perm, err));
    if (hr_tensor_size(in) == 0) return HR_OK;
    walk w;
    make_walk(in, perm, &w);
    plane_job j = {.s = s, .plane = {.size = (int)hr_dtype_size(in->dtype)}};
    int last = w.n - 1;
    if (w.n == 0 || w.src[last] == 1) { /* the innermost axis stays: runs */
        j.run = j.plane.size * (w.n ? w.extent[last] : 1);
        if (w.n) drop_axis(&w, last);
    } else {
        int inner = 0; /* the input's innermost axis, in the output's order */
        while (w.src[inner] != 1) inner++;
        j.plane.rows = w.extent[last];
        j.plane.src_stride = w.src[last];
        j.plane.cols = w.extent[inner];
        j.plane.dst_stride = w.dst[inner];
        drop_axis(&w, last);
        drop_axis(&w, inner);
    }
    walk_axes(&w, 0, &j, s->out[0].data, in->data);
    return HR_OK;
}

static const hr_in_desc transpose_ins[] = {
    {.name = "input", .doc = "Tensors of any rank and type."},
};

const hr_op_desc hr_op_transpose = {
    .name = "transpose",
    .doc = "Puts the axes in another order.",
    .ins = transpose_ins, .n_ins = 1, .n_out = 1, .outs = "the tensor with its axes reordered",
    .args = transpose_desc, .n_args = sizeof transpose_desc / sizeof *transpose_desc,
    .args_size = sizeof(transpose_args),
    .infer = transpose_infer, .run = transpose_run,
};
