/* reductions.*: a statistic over some of the axes. Integers are added exactly (modulo 2^64), reals
 * in double, in an order that depends on the shape alone; the result is rounded once. */
#include <math.h>
#include <string.h>

#include "array/reduce.h"
#include "core/axes.h"

enum { R_MAX, R_MIN, R_SUM, R_MEAN, R_MEAN_SQUARE, R_RMS, R_VARIANCE, R_STD_DEV };

typedef struct reduce_args {
    hr_ints axes;
    const char *axis_names;
    int64_t ddof;
    hr_dtype dtype;
    int keep_dims;
} reduce_args;

#define AXES_ARGS                                                                      \
    HR_ARG(reduce_args, axes, INTS,                                                    \
           .doc = "The axes to reduce, negative ones counted from the back; all when not given, "  \
                  "none when empty."),                                                 \
    HR_ARG(reduce_args, axis_names, LAYOUT,                                            \
           .doc = "The axes by their letters in the input's layout, in place of `axes`.")
#define DTYPE_ARG(doc_) HR_ARG(reduce_args, dtype, DTYPE, .doc = doc_)
#define KEEP_ARG                                                                       \
    HR_ARG(reduce_args, keep_dims, BOOL, .initial = "False",                           \
           .doc = "Keeps the reduced axes, with an extent of 1.")

static const hr_arg_desc extreme_desc[] = {AXES_ARGS, KEEP_ARG};
static const hr_arg_desc sum_desc[] = {
    AXES_ARGS,
    DTYPE_ARG("Type of the output. Not given: uint64 for integers without sign and truth values, "
              "int64 for those with, the input's for reals (float32 for shorter ones). Sums of "
              "integers are taken modulo the range of an integer type."),
    KEEP_ARG};
static const hr_arg_desc mean_desc[] = {
    AXES_ARGS,
    DTYPE_ARG("Type of the output; float32 when not given, float64 for that. For integers the "
              "fraction is cut off and the value clamped."),
    KEEP_ARG};
static const hr_arg_desc spread_desc[] = {
    AXES_ARGS,
    HR_ARG(reduce_args, ddof, INT, .initial = "0", .min = -0x1p31, .max = 0x1p31,
           .doc = "Taken from the number of elements before it divides. Where nothing is left, the "
                  "result is infinite, or NaN."),
    KEEP_ARG};

static hr_status reduce_setup(hr_call *call, hr_error *err)
{
    if (hr_call_has(call, "axes") && hr_call_has(call, "axis_names"))
        return hr_fail(err, HR_VALUE, "`axes` and `axis_names` exclude each other");
    return HR_OK;
}

static hr_status find_axes(const reduce_args *a, const hr_tensor *in, hr__axes *axes,
                           hr_error *err)
{
    if (a->axes.n < 0 && !a->axis_names) {
        hr__axes_all(in->ndim, axes);
        return HR_OK;
    }
    hr__axes_given given = {.numbers = &a->axes, .names = a->axis_names, .layout = in->layout,
                            .ndim = in->ndim, .outside = HR_INDEX};
    return hr__axes_find(&given, axes, err);
}

static hr_dtype output_type(int what, const reduce_args *a, hr_dtype in)
{
    hr_dtype_kind kind = hr_dtype_get_info(in)->kind;
    if (what == R_MAX || what == R_MIN) return in;
    int has_dtype = what != R_VARIANCE && what != R_STD_DEV;
    if (has_dtype && a->dtype != HR_DTYPE_NONE) return a->dtype;
    if (in == HR_F64) return HR_F64;
    if (what != R_SUM || kind == HR_KIND_FLOAT) return HR_F32;
    return kind == HR_KIND_SIGNED ? HR_I64 : HR_U64;
}

static int has_mean(int what) { return what == R_VARIANCE || what == R_STD_DEV; }

/* One number for all, or the output's shape; extents of 1 do not count. */
static hr_status check_mean(const hr_tensor *mean, const hr_tensor *in, unsigned mask,
                            hr_error *err)
{
    if (hr_tensor_size(mean) == 1) return HR_OK;
    int k = 0;
    for (int i = 0; i < in->ndim; i++) {
        if (mask >> i & 1 || in->shape[i] == 1) continue;
        while (k < mean->ndim && mean->shape[k] == 1) k++;
        if (k == mean->ndim || mean->shape[k] != in->shape[i])
            return hr_fail(err, HR_VALUE, "input `mean` has no extent of %lld for the data's axis "
                           "%d; it needs one element, or the output's shape",
                           (long long)in->shape[i], i);
        k++;
    }
    while (k < mean->ndim && mean->shape[k] == 1) k++;
    if (k == mean->ndim) return HR_OK;
    return hr_fail(err, HR_VALUE, "input `mean` has an extent of %lld too many; it needs one "
                   "element, or the output's shape", (long long)mean->shape[k]);
}

static hr_status reduce_infer(const hr_sample *s, hr_error *err)
{
    const reduce_args *a = s->args;
    const hr_tensor *in = s->in[0];
    int what = s->call->op->variant, n = 0;
    hr__axes axes;
    HR_TRY(find_axes(a, in, &axes, err));
    if (has_mean(what)) HR_TRY(check_mean(s->in[1], in, axes.mask, err));
    int64_t shape[HR_MAX_NDIM];
    char layout[HR_MAX_NDIM + 1] = "";
    for (int k = 0; k < in->ndim; k++) {
        int is_reduced = axes.mask >> k & 1;
        if (is_reduced && !a->keep_dims) continue;
        shape[n] = is_reduced ? 1 : in->shape[k];
        if (in->layout[0]) layout[n] = in->layout[k];
        n++;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], output_type(what, a, in->dtype), n, shape, err));
    return hr_tensor_set_layout(&s->out[0], layout, err);
}

/* ---- from accumulators to results ------------------------------------------------ */

typedef struct finish {
    const hr_sample *s;
    int what;
    hr_dtype source;    /* type of the elements that were reduced */
    int64_t n;          /* elements for each result */
    int64_t ddof;
    const double *mean;
    int64_t n_mean;
} finish;

static void give_means(void *user, int64_t first, int64_t n, double *out)
{
    const finish *f = user;
    for (int64_t i = 0; i < n; i++) out[i] = f->mean[f->n_mean == 1 ? 0 : first + i];
}

static void *result_at(const finish *f, int64_t i)
{
    const hr_tensor *out = &f->s->out[0];
    return (char *)out->data + (size_t)i * hr_dtype_size(out->dtype);
}

static void emit_extremes(void *user, int64_t first, int64_t n, const void *acc)
{
    const finish *f = user;
    f->s->kernels->convert(f->s->out[0].dtype, result_at(f, first), f->source, acc, (size_t)n);
}

static int is_real(hr_dtype t) { return hr_dtype_get_info(t)->kind == HR_KIND_FLOAT; }

static void emit_reals(void *user, int64_t first, int64_t n, const void *acc)
{
    const finish *f = user;
    const double *in = acc;
    hr_dtype out = f->s->out[0].dtype;
    double v[HR_REDUCE_COLUMNS], count = (double)f->n;
    if (has_mean(f->what)) count = f->n > f->ddof ? (double)(f->n - f->ddof) : 0;
    for (int64_t i = 0; i < n; i++) v[i] = f->what == R_SUM ? in[i] : in[i] / count;
    if (f->what == R_RMS || f->what == R_STD_DEV)
        for (int64_t i = 0; i < n; i++) v[i] = sqrt(v[i]);
    if (!is_real(out) && out != HR_BOOL)
        for (int64_t i = 0; i < n; i++) v[i] = trunc(v[i]);
    f->s->kernels->convert(out, result_at(f, first), HR_F64, v, (size_t)n);
}

/* Exact sums of short integers on their way to a real result. */
static void emit_counts(void *user, int64_t first, int64_t n, const void *acc)
{
    const int64_t *in = acc;
    double v[HR_REDUCE_COLUMNS];
    for (int64_t i = 0; i < n; i++) v[i] = (double)in[i];
    emit_reals(user, first, n, v);
}

/* Integers as results: sums wrap round, means are clamped. */
static void emit_whole(void *user, int64_t first, int64_t n, const void *acc)
{
    const finish *f = user;
    const int64_t *in = acc;
    hr_dtype out = f->s->out[0].dtype;
    int is_signed = hr_dtype_get_info(f->source)->kind == HR_KIND_SIGNED;
    int wraps = f->what == R_SUM && !is_real(out) && out != HR_BOOL;
    int64_t v[HR_REDUCE_COLUMNS], count = f->n > 0 ? f->n : 1;
    uint64_t *natural = (uint64_t *)v;
    for (int64_t i = 0; i < n; i++) {
        if (f->what == R_SUM) v[i] = in[i];
        else if (is_signed) v[i] = in[i] / count;
        else natural[i] = (uint64_t)in[i] / (uint64_t)count;
    }
    if (!wraps) {
        f->s->kernels->convert(out, result_at(f, first), is_signed ? HR_I64 : HR_U64, v,
                               (size_t)n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint8_t b8 = (uint8_t)natural[i];
        uint16_t b16 = (uint16_t)natural[i];
        uint32_t b32 = (uint32_t)natural[i];
        switch (hr_dtype_size(out)) {
        case 1: memcpy(result_at(f, first + i), &b8, 1); break;
        case 2: memcpy(result_at(f, first + i), &b16, 2); break;
        case 4: memcpy(result_at(f, first + i), &b32, 4); break;
        default: memcpy(result_at(f, first + i), &natural[i], 8);
        }
    }
}

/* What is accumulated, and how it ends. */
static void choose(finish *f, hr__reduction *r)
{
    static const int ops[] = {[R_MAX] = HR_REDUCE_MAX, [R_MIN] = HR_REDUCE_MIN,
                              [R_SUM] = HR_REDUCE_SUM, [R_MEAN] = HR_REDUCE_SUM,
                              [R_MEAN_SQUARE] = HR_REDUCE_SQUARES, [R_RMS] = HR_REDUCE_SQUARES,
                              [R_VARIANCE] = HR_REDUCE_DEVIATIONS,
                              [R_STD_DEV] = HR_REDUCE_DEVIATIONS};
    r->op = ops[f->what];
    r->emit = emit_reals;
    if (f->what == R_MAX || f->what == R_MIN) r->emit = emit_extremes;
    if (r->op != HR_REDUCE_SUM || is_real(f->source)) return;
    hr_dtype out = f->s->out[0].dtype;
    int may_wrap = hr_dtype_size(f->source) == 8;
    if (is_real(out) && may_wrap) r->op = HR_REDUCE_REAL_SUM;
    else r->emit = is_real(out) ? emit_counts : emit_whole;
}

static hr_status take_mean(const hr_sample *s, finish *f, hr_error *err)
{
    const hr_tensor *mean = s->in[1];
    f->n_mean = hr_tensor_size(mean);
    double *copy = hr_arena_take(s->arena, (size_t)f->n_mean * sizeof *copy);
    if (!copy) return hr_fail(err, HR_NOMEM, "no memory for the means");
    s->kernels->convert(HR_F64, copy, mean->dtype, mean->data, (size_t)f->n_mean);
    f->mean = copy;
    return HR_OK;
}

static hr_status reduce_run(const hr_sample *s, hr_error *err)
{
    const reduce_args *a = s->args;
    const hr_tensor *in = s->in[0];
    hr__axes axes;
    hr__groups groups;
    HR_TRY(find_axes(a, in, &axes, err));
    hr__groups_make(in, axes.mask, &groups);
    finish f = {.s = s, .what = s->call->op->variant, .n = groups.n_merged, .ddof = a->ddof};
    if (has_mean(f.what)) HR_TRY(take_mean(s, &f, err));
    hr__reduction r = {.kernels = s->kernels, .user = &f, .mean = give_means};
    HR_TRY(hr__reduce_source(in, s->kernels, s->arena, &r.dtype, &r.src, err));
    f.source = r.dtype;
    choose(&f, &r);
    hr__reduce(&r, &groups);
    return HR_OK;
}

static const hr_in_desc reduce_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_VALUE, .doc = "Tensors of any rank."},
};
static const hr_in_desc spread_ins[] = {
    {.name = "data", .dtypes = HR_DTYPES_VALUE, .doc = "Tensors of any rank."},
    {.name = "mean", .dtypes = HR_DTYPES_VALUE,
     .doc = "What the elements are compared with: one number, or the output's shape."},
};

#define REDUCTION(name_, variant_, ins_, n_ins_, args_, doc_)                          \
    const hr_op_desc hr_op_reductions_##name_ = {                                      \
        .name = "reductions." #name_, .variant = variant_, .doc = doc_,                \
        .ins = ins_, .n_ins = n_ins_, .n_out = 1,                                      \
        .outs = "the results; the layout loses the letters of axes that go",           \
        .args = args_, .n_args = sizeof args_ / sizeof *args_,                         \
        .args_size = sizeof(reduce_args),                                              \
        .setup = reduce_setup, .infer = reduce_infer, .run = reduce_run,               \
    };

REDUCTION(max, R_MAX, reduce_ins, 1, extreme_desc,
          "The greatest element. NaN is passed over; of nothing it is the lowest value of the "
          "type (-inf for reals).")
REDUCTION(min, R_MIN, reduce_ins, 1, extreme_desc,
          "The least element. NaN is passed over; of nothing it is the greatest value of the "
          "type (inf for reals).")
REDUCTION(sum, R_SUM, reduce_ins, 1, sum_desc, "The sum; of nothing it is 0.")
REDUCTION(mean, R_MEAN, reduce_ins, 1, mean_desc,
          "The arithmetic mean; of nothing it is NaN, or 0 as an integer.")
REDUCTION(mean_square, R_MEAN_SQUARE, reduce_ins, 1, mean_desc, "The mean of the squares.")
REDUCTION(rms, R_RMS, reduce_ins, 1, mean_desc, "The square root of the mean of the squares.")
REDUCTION(variance, R_VARIANCE, spread_ins, 2, spread_desc,
          "The mean of the squares of the differences from `mean`.")
REDUCTION(std_dev, R_STD_DEV, spread_ins, 2, spread_desc,
          "The square root of the mean of the squares of the differences from `mean`.")
