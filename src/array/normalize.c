/* normalize: (x - mean) / deviation * scale + shift, with the mean and the standard deviation
 * given, or taken over some of the axes, of each sample or of the whole batch. */
#include <math.h>
#include <string.h>

#include "array/reduce.h"
#include "core/axes.h"

typedef struct normalize_args {
    hr_ints axes;
    const char *axis_names;
    int batch;
    int64_t ddof;
    hr_dtype dtype;
    float epsilon, scale, shift;
    hr_shaped mean, stddev;
} normalize_args;

static const hr_arg_desc normalize_desc[] = {
    HR_ARG(normalize_args, axes, INTS,
           .doc = "The axes that the statistics are taken over, negative ones counted from the "
                  "back. Not given: those along which `mean` and `stddev` have an extent of 1; "
                  "without these, or where they are single numbers, all."),
    HR_ARG(normalize_args, axis_names, LAYOUT,
           .doc = "The axes by their letters in the input's layout, in place of `axes`."),
    HR_ARG(normalize_args, batch, BOOL, .initial = "False",
           .doc = "Are the statistics those of the whole batch? Then axes that are not reduced "
                  "have one extent in all samples; not together with `mean` or `stddev`."),
    HR_ARG(normalize_args, ddof, INT, .initial = "0", .min = -0x1p31, .max = 0x1p31,
           .doc = "Taken from the number of elements before it divides the sum of squares."),
    HR_ARG(normalize_args, dtype, DTYPE, .initial = "float32",
           .doc = "Type of the output. Integers are rounded, halves away from zero, and clamped."),
    HR_ARG(normalize_args, epsilon, FLOAT, .initial = "0.0",
           .doc = "Added to the variance (to the square of `stddev`)."),
    HR_ARG(normalize_args, mean, FLOATS, .flags = HR_PER_SAMPLE | HR_SHAPED,
           .doc = "What is taken off, in place of the elements' mean: a number, or a tensor of "
                  "the input's rank with extents of 1 along the reduced axes."),
    HR_ARG(normalize_args, scale, FLOAT, .initial = "1.0",
           .doc = "The standard deviation of the output."),
    HR_ARG(normalize_args, shift, FLOAT, .initial = "0.0", .doc = "The mean of the output."),
    HR_ARG(normalize_args, stddev, FLOATS, .flags = HR_PER_SAMPLE | HR_SHAPED,
           .doc = "What divides, in place of the elements' standard deviation: as `mean`."),
};

typedef struct normalize_state {
    double *mean, *square; /* of the batch: one a kept element; NULL: of each sample */
} normalize_state;

/* ---- axes and given statistics --------------------------------------------------- */

/* Whether a given statistic is a single number, which goes with any axes. */
static int is_single(const hr_shaped *v) { return v->list.n == 1 && v->ndim <= 1; }

static hr_status check_shape(const hr_shaped *v, const char *name, const hr_tensor *in,
                             hr_error *err)
{
    if (v->list.n < 0 || is_single(v)) return HR_OK;
    if (v->ndim != in->ndim)
        return hr_fail(err, HR_VALUE, "`%s` has %d axes, the input has %d", name, v->ndim,
                       in->ndim);
    for (int k = 0; k < in->ndim; k++)
        if (v->shape[k] != 1 && v->shape[k] != in->shape[k])
            return hr_fail(err, HR_VALUE, "`%s` has extent %lld in axis %d, it must be 1 or %lld",
                           name, (long long)v->shape[k], k, (long long)in->shape[k]);
    return HR_OK;
}

/* The axes along which the statistic has an extent of 1. */
static unsigned open_axes(const hr_shaped *v)
{
    unsigned mask = 0;
    for (int k = 0; k < v->ndim; k++)
        if (v->shape[k] == 1) mask |= 1u << k;
    return mask;
}

/* The statistic has as many elements as the output has groups, or one. */
static hr_status fit_axes(const hr_shaped *v, const char *name, const hr_tensor *in,
                          unsigned mask, hr_error *err)
{
    if (v->list.n < 0 || is_single(v)) return HR_OK;
    for (int k = 0; k < in->ndim; k++) {
        int64_t want = mask >> k & 1 ? 1 : in->shape[k];
        if (v->shape[k] != want)
            return hr_fail(err, HR_VALUE, "`%s` has extent %lld in axis %d, it must be %lld as "
                           "that axis is %s", name, (long long)v->shape[k], k, (long long)want,
                           mask >> k & 1 ? "reduced" : "kept");
    }
    return HR_OK;
}

static hr_status find_axes(const normalize_args *a, const hr_tensor *in, unsigned *mask,
                           hr_error *err)
{
    HR_TRY(check_shape(&a->mean, "mean", in, err));
    HR_TRY(check_shape(&a->stddev, "stddev", in, err));
    if (a->axes.n >= 0 || a->axis_names) {
        hr__axes_given given = {.numbers = &a->axes, .names = a->axis_names,
                                .layout = in->layout, .ndim = in->ndim};
        hr__axes axes;
        HR_TRY(hr__axes_find(&given, &axes, err));
        *mask = axes.mask;
    } else {
        const hr_shaped *shaped = a->mean.list.n >= 0 && !is_single(&a->mean)       ? &a->mean
                                  : a->stddev.list.n >= 0 && !is_single(&a->stddev) ? &a->stddev
                                                                                   : NULL;
        *mask = shaped ? open_axes(shaped) : (1u << in->ndim) - 1;
    }
    HR_TRY(fit_axes(&a->mean, "mean", in, *mask, err));
    return fit_axes(&a->stddev, "stddev", in, *mask, err);
}

static hr_status normalize_infer(const hr_sample *s, hr_error *err)
{
    const normalize_args *a = s->args;
    const hr_tensor *in = s->in[0];
    unsigned mask;
    HR_TRY(find_axes(a, in, &mask, err));
    HR_TRY(hr_tensor_shape(&s->out[0], a->dtype, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

/* ---- statistics ------------------------------------------------------------------ */

typedef struct statistics {
    const double *mean;
    double *out;   /* a sum for each group */
    int is_whole;  /* the accumulators are integers */
} statistics;

static void add_sums(void *user, int64_t first, int64_t n, const void *acc)
{
    const statistics *t = user;
    const int64_t *whole = acc;
    const double *real = acc;
    for (int64_t i = 0; i < n; i++) t->out[first + i] += t->is_whole ? (double)whole[i] : real[i];
}

static void give_means(void *user, int64_t first, int64_t n, double *out)
{
    const statistics *t = user;
    memcpy(out, t->mean + first, (size_t)n * sizeof *out);
}

typedef struct source {
    const hr_kernels *kernels;
    hr_dtype dtype;
    const void *src;
    hr__groups groups;
} source;

/* Adds each group's elements to sums[], or with `mean` the squares of their differences. */
static void accumulate(const source *from, const double *mean, double *sums)
{
    hr_dtype t = from->dtype;
    int is_whole = !mean && hr_dtype_get_info(t)->kind != HR_KIND_FLOAT && hr_dtype_size(t) < 8;
    statistics user = {.mean = mean, .out = sums, .is_whole = is_whole};
    hr__reduction r = {.op = mean       ? HR_REDUCE_DEVIATIONS
                             : is_whole ? HR_REDUCE_SUM
                                        : HR_REDUCE_REAL_SUM,
                       .dtype = t, .src = from->src, .kernels = from->kernels,
                       .mean = give_means, .emit = add_sums, .user = &user};
    hr__reduce(&r, &from->groups);
}

static hr_status open_source(const hr_tensor *in, unsigned mask, const hr_kernels *kernels,
                             hr_arena *arena, source *out, hr_error *err)
{
    out->kernels = kernels;
    hr__groups_make(in, mask, &out->groups);
    return hr__reduce_source(in, kernels, arena, &out->dtype, &out->src, err);
}

static double *new_numbers(hr_arena *arena, int64_t n, hr_error *err)
{
    double *v = hr_arena_take(arena, (size_t)n * sizeof *v);
    if (!v) (void)hr_fail(err, HR_NOMEM, "no memory for %lld statistics", (long long)n);
    else memset(v, 0, (size_t)n * sizeof *v);
    return v;
}

/* The divisor of squares; where ddof leaves nothing the deviation counts as 0. */
static double share(int64_t n, int64_t ddof) { return n > ddof ? 1.0 / (double)(n - ddof) : 0; }

/* ---- statistics of the batch ----------------------------------------------------- */

static int is_failed(const hr_tensor *t) { return t->meta && t->meta->failure; }

static hr_status check_batch(const hr_tensor *t, const hr_tensor *like, unsigned mask, int64_t i,
                             hr_error *err)
{
    if (t->ndim != like->ndim)
        return hr_fail(err, HR_VALUE, "sample %lld has %d axes, an earlier one %d", (long long)i,
                       t->ndim, like->ndim);
    for (int k = 0; k < t->ndim; k++)
        if (!(mask >> k & 1) && t->shape[k] != like->shape[k])
            return hr_fail(err, HR_VALUE, "sample %lld has extent %lld in axis %d, an earlier one "
                           "%lld; `batch` needs one extent along axes that are not reduced",
                           (long long)i, (long long)t->shape[k], k, (long long)like->shape[k]);
    return HR_OK;
}

/* A packed form of a sample, in the arena. */
static hr_status pack(const hr_tensor *in, hr_tensor *out, hr_arena *arena, hr_error *err)
{
    *out = *in;
    if (hr_tensor_is_contiguous(in)) return HR_OK;
    HR_TRY(hr_tensor_shape(out, in->dtype, in->ndim, in->shape, err));
    out->data = hr_arena_take(arena, hr_tensor_nbytes(in));
    if (!out->data) return hr_fail(err, HR_NOMEM, "no memory to pack a sample");
    hr_tensor_pack(out->data, in);
    return HR_OK;
}

/* One pass over the batch: sums, or with `mean` squares. */
static hr_status batch_pass(hr_call *call, unsigned mask, const double *mean, double *sums,
                            int64_t *count, hr_error *err)
{
    const hr_input *in = &call->in[0];
    *count = 0;
    for (int64_t i = 0; i < (in->is_batch ? in->n : 1); i++) {
        if (is_failed(&in->t[i])) continue;
        hr_tensor packed;
        source from;
        HR_TRY(pack(&in->t[i], &packed, call->arena, err));
        HR_TRY(open_source(&packed, mask, call->kernels, call->arena, &from, err));
        accumulate(&from, mean, sums);
        *count += from.groups.n_merged;
    }
    return HR_OK;
}

static hr_status batch_statistics(hr_call *call, hr_error *err)
{
    const normalize_args *a = (const void *)call->args;
    normalize_state *state = call->state;
    const hr_input *in = &call->in[0];
    const hr_tensor *like = NULL;
    unsigned mask = 0;
    for (int64_t i = 0; i < (in->is_batch ? in->n : 1); i++) {
        if (is_failed(&in->t[i])) continue;
        HR_TRY(find_axes(a, &in->t[i], &mask, err));
        if (like) HR_TRY(check_batch(&in->t[i], like, mask, i, err));
        else like = &in->t[i];
    }
    if (!like) return HR_OK; /* nothing to normalise */
    hr__groups groups;
    hr__groups_make(like, mask, &groups);
    state->mean = new_numbers(call->arena, groups.n_out, err);
    state->square = new_numbers(call->arena, groups.n_out, err);
    if (!state->mean || !state->square) return HR_NOMEM;
    int64_t count;
    HR_TRY(batch_pass(call, mask, NULL, state->mean, &count, err));
    for (int64_t i = 0; i < groups.n_out; i++) state->mean[i] /= (double)count;
    HR_TRY(batch_pass(call, mask, state->mean, state->square, &count, err));
    for (int64_t i = 0; i < groups.n_out; i++) state->square[i] *= share(count, a->ddof);
    return HR_OK;
}

static hr_status normalize_setup(hr_call *call, hr_error *err)
{
    const normalize_args *a = (const void *)call->args;
    if (hr_call_has(call, "axes") && hr_call_has(call, "axis_names"))
        return hr_fail(err, HR_VALUE, "`axes` and `axis_names` exclude each other");
    if (hr_call_has(call, "axes") && a->axes.n == 0)
        return hr_fail(err, HR_VALUE, "`axes` is empty, it needs at least one axis");
    if (!a->batch) return HR_OK;
    if (hr_call_has(call, "mean") || hr_call_has(call, "stddev"))
        return hr_fail(err, HR_VALUE, "`batch` takes the statistics from the batch: `%s` cannot "
                       "be given", hr_call_has(call, "mean") ? "mean" : "stddev");
    return batch_statistics(call, err);
}

/* ---- the map --------------------------------------------------------------------- */

enum { MAP_BLOCK = 1024, MAP_ROW = 256 };

typedef struct map {
    const hr_sample *s;
    const source *from;
    double *mean, *mul; /* one a group */
    double add;
    int64_t inner; /* extent of the innermost group where that is kept, else 1 */
    int64_t row;   /* the same, repeated where it is short: elements of a row of the statistics */
} map;

/* What the kernel takes and gives; other types go by way of double. */
static int is_taken(hr_dtype t) { return t == HR_U8 || t == HR_F32 || t == HR_F64; }
static int is_given(hr_dtype t) { return t == HR_F32 || t == HR_F64; }

/* Elements at..at+n-1, which begin with group `group`: whole rows, or one group's. */
static void map_run(const map *m, int64_t at, int64_t n, int64_t group)
{
    hr_tensor *out = &m->s->out[0];
    const hr_kernels *k = m->s->kernels;
    hr_dtype from = m->from->dtype, to = out->dtype;
    int direct_in = is_taken(from), direct_out = is_given(to);
    int64_t period = m->inner > 1 ? m->row : 1, first = group / m->inner * m->row, turn = 0;
    double read[MAP_BLOCK], made[MAP_BLOCK];
    for (int64_t i = 0, part; i < n; i += part) {
        part = n - i;
        if (!(direct_in && direct_out)) {
            if (part > MAP_BLOCK) part = MAP_BLOCK;
            if (period > 1 && part > period - turn) part = period - turn;
        }
        const char *src = (const char *)m->from->src + (size_t)(at + i) * hr_dtype_size(from);
        char *dst = (char *)out->data + (size_t)(at + i) * hr_dtype_size(to);
        hr_standard here = {m->mean + first + turn, m->mul + first + turn, m->add, period};
        if (!direct_in) k->convert(HR_F64, read, from, src, (size_t)part);
        k->standardize(direct_out ? to : HR_F64, direct_out ? (void *)dst : made,
                       direct_in ? from : HR_F64, direct_in ? (const void *)src : read, part,
                       &here);
        if (!direct_out) k->convert(to, dst, HR_F64, made, (size_t)part);
        if (period > 1) turn = (turn + part) % period;
    }
}

/* The groups from `axis` on, at element `at`; `group` is the kept element that they begin with. */
static void map_groups(const map *m, int axis, int64_t at, int64_t group)
{
    const hr__groups *g = &m->from->groups;
    int last = g->n - 1;
    if (axis > last) {
        map_run(m, at, 1, group);
        return;
    }
    if (axis == last || (axis == last - 1 && g->is_kept[last])) {
        map_run(m, at, g->extent[axis] * g->step[axis], group);
        return;
    }
    int64_t step = 0; /* kept elements that a step of this axis passes */
    if (g->is_kept[axis]) {
        step = 1;
        for (int k = axis + 1; k < g->n; k++) step *= g->is_kept[k] ? g->extent[k] : 1;
    }
    for (int64_t i = 0; i < g->extent[axis]; i++)
        map_groups(m, axis + 1, at + i * g->step[axis], group + i * step);
}

static double *repeat(const double *v, int64_t n, const map *m, hr_error *err)
{
    double *out = new_numbers(m->s->arena, n / m->inner * m->row, err);
    for (int64_t i = 0; out && i < n / m->inner; i++)
        for (int64_t j = 0; j < m->row; j++)
            out[i * m->row + j] = v[i * m->inner + j % m->inner];
    return out;
}

/* Short rows of statistics, such as one a channel, are repeated: long inner loops. */
static hr_status lay_out(map *m, hr_error *err)
{
    const hr__groups *g = &m->from->groups;
    m->inner = g->n && g->is_kept[g->n - 1] ? g->extent[g->n - 1] : 1;
    m->row = m->inner;
    if (m->inner == 1 || m->inner >= MAP_ROW || g->n < 2 || g->extent[g->n - 2] < MAP_ROW)
        return HR_OK;
    m->row = MAP_ROW / m->inner * m->inner;
    m->mean = repeat(m->mean, g->n_out, m, err);
    m->mul = repeat(m->mul, g->n_out, m, err);
    return m->mean && m->mul ? HR_OK : HR_NOMEM;
}

/* ---- a sample -------------------------------------------------------------------- */

static double given_at(const hr_shaped *v, int64_t i)
{
    return (double)v->list.v[v->list.n == 1 ? 0 : i];
}

/* scale / sqrt(square + epsilon), where a deviation of 0 makes 0. */
static double factor(const normalize_args *a, double square)
{
    double v = square + (double)a->epsilon;
    return v == 0 ? 0 : (double)a->scale / sqrt(v);
}

static void find_means(const normalize_args *a, const normalize_state *state, const source *from,
                       double *mean)
{
    int64_t n = from->groups.n_out;
    if (state->mean) {
        memcpy(mean, state->mean, (size_t)n * sizeof *mean);
    } else if (a->mean.list.n >= 0) {
        for (int64_t i = 0; i < n; i++) mean[i] = given_at(&a->mean, i);
    } else {
        accumulate(from, NULL, mean);
        for (int64_t i = 0; i < n; i++) mean[i] /= (double)from->groups.n_merged;
    }
}

static void find_factors(const normalize_args *a, const normalize_state *state,
                         const source *from, map *m)
{
    int64_t n = from->groups.n_out;
    if (state->square) {
        for (int64_t i = 0; i < n; i++) m->mul[i] = factor(a, state->square[i]);
    } else if (a->stddev.list.n >= 0) {
        for (int64_t i = 0; i < n; i++) {
            double v = given_at(&a->stddev, i);
            m->mul[i] = a->epsilon != 0 ? factor(a, v * v) : v == 0 ? 0 : (double)a->scale / v;
        }
    } else {
        double part = share(from->groups.n_merged, a->ddof);
        accumulate(from, m->mean, m->mul);
        for (int64_t i = 0; i < n; i++) m->mul[i] = factor(a, m->mul[i] * part);
    }
}

static hr_status normalize_run(const hr_sample *s, hr_error *err)
{
    const normalize_args *a = s->args;
    const hr_tensor *in = s->in[0];
    if (hr_tensor_size(in) == 0) return HR_OK;
    unsigned mask;
    source from;
    HR_TRY(find_axes(a, in, &mask, err));
    HR_TRY(open_source(in, mask, s->kernels, s->arena, &from, err));
    map m = {.s = s, .from = &from, .add = (double)a->shift};
    m.mean = new_numbers(s->arena, from.groups.n_out, err);
    m.mul = new_numbers(s->arena, from.groups.n_out, err);
    if (!m.mean || !m.mul) return HR_NOMEM;
    find_means(a, s->state, &from, m.mean);
    find_factors(a, s->state, &from, &m);
    HR_TRY(lay_out(&m, err));
    map_groups(&m, 0, 0, 0);
    return HR_OK;
}

static const hr_in_desc normalize_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BOOL) | HR_DTYPES(HR_BF16),
     .doc = "Tensors of any rank."},
};

const hr_op_desc hr_op_normalize = {
    .name = "normalize",
    .doc = "Takes the mean off and divides by the standard deviation: (x - mean) / "
           "sqrt(variance + epsilon) * scale + shift. Both are computed over the chosen axes, in "
           "double, unless they are given. Where the deviation is 0 the output is `shift`.",
    .flags = HR_OP_BATCHWISE,
    .ins = normalize_ins, .n_ins = 1, .n_out = 1,
    .outs = "the normalised elements, in the input's layout",
    .args = normalize_desc, .n_args = sizeof normalize_desc / sizeof *normalize_desc,
    .args_size = sizeof(normalize_args), .state_size = sizeof(normalize_state),
    .setup = normalize_setup, .infer = normalize_infer, .run = normalize_run,
};
