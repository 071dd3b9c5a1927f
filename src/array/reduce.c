/* Two cases: the innermost group is reduced (runs), or kept (columns). Narrow columns, such as the
 * three of a picture's channels, are laid side by side until they fill a row, and folded at the
 * end. */
#include "array/reduce.h"

#include <math.h>
#include <string.h>

void hr__groups_make(const hr_tensor *t, unsigned mask, hr__groups *g)
{
    int64_t unit = 1;
    *g = (hr__groups){.n_out = 1, .n_merged = 1};
    for (int k = 0; k < t->ndim; k++) {
        int is_kept = !(mask >> k & 1);
        if (is_kept) g->n_out *= t->shape[k];
        else g->n_merged *= t->shape[k];
        if (t->shape[k] == 1) continue;
        if (g->n && g->is_kept[g->n - 1] == is_kept) {
            g->extent[g->n - 1] *= t->shape[k];
            continue;
        }
        g->extent[g->n] = t->shape[k];
        g->is_kept[g->n++] = is_kept;
    }
    for (int k = g->n - 1; k >= 0; k--) {
        g->step[k] = unit;
        unit *= g->extent[k];
    }
}

/* ---- accumulators ---------------------------------------------------------------- */

typedef union cells {
    int64_t whole[HR_REDUCE_COLUMNS];
    double real[HR_REDUCE_COLUMNS];
    char bytes[HR_REDUCE_COLUMNS * sizeof(double)];
} cells;

typedef struct job {
    const hr__reduction *r;
    const hr__groups *g;
    size_t size, cell; /* bytes of an element and of an accumulator */
    double start;      /* bytes of an accumulator that nothing was added to */
    int64_t next;      /* output element whose turn it is */
    int64_t held;      /* runs: accumulators that wait in `acc` */
    cells acc;
    double mean[HR_REDUCE_COLUMNS];
} job;

static int is_extreme(int op) { return op == HR_REDUCE_MIN || op == HR_REDUCE_MAX; }

/* What nothing amounts to: 0, or the end of the type's range. */
static void set_start(job *j)
{
    double end = j->r->op == HR_REDUCE_MIN ? INFINITY : -INFINITY;
    j->start = 0;
    if (is_extreme(j->r->op)) hr_dtype_convert(j->r->dtype, &j->start, HR_F64, &end, 1);
}

static void clear(job *j, int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n; i++)
        memcpy(j->acc.bytes + (size_t)i * j->cell, &j->start, j->cell);
}

static void emit(job *j, int64_t n)
{
    j->r->emit(j->r->user, j->next, n, &j->acc);
    j->next += n;
}

/* ---- runs ------------------------------------------------------------------------ */

/* Adds every run of the element that begins at `src` to accumulator j->held. */
static void add_runs(job *j, int group, const char *src)
{
    const hr__groups *g = j->g;
    const hr__reduction *r = j->r;
    while (group < g->n - 1 && g->is_kept[group]) group++;
    if (group == g->n - 1) {
        r->kernels->reduce_run(r->op, r->dtype, j->acc.bytes + (size_t)j->held * j->cell, src,
                               g->extent[group], j->mean[j->held]);
        return;
    }
    for (int64_t i = 0; i < g->extent[group]; i++)
        add_runs(j, group + 1, src + (size_t)(i * g->step[group]) * j->size);
}

static void flush(job *j)
{
    if (j->held) emit(j, j->held);
    j->held = 0;
}

static void each_run(job *j, int group, const char *src)
{
    const hr__groups *g = j->g;
    while (group < g->n && !g->is_kept[group]) group++;
    if (group < g->n) {
        for (int64_t i = 0; i < g->extent[group]; i++)
            each_run(j, group + 1, src + (size_t)(i * g->step[group]) * j->size);
        return;
    }
    if (j->held == 0 && j->r->op == HR_REDUCE_DEVIATIONS) {
        int64_t n = g->n_out - j->next;
        if (n > HR_REDUCE_COLUMNS) n = HR_REDUCE_COLUMNS;
        j->r->mean(j->r->user, j->next, n, j->mean);
    }
    clear(j, j->held, 1);
    add_runs(j, 0, src);
    if (++j->held == HR_REDUCE_COLUMNS) flush(j);
}

/* ---- columns --------------------------------------------------------------------- */

typedef struct columns {
    int64_t width;  /* of the innermost group, or of the part of it that is dealt with */
    int64_t repeat; /* rows that lie side by side */
    int inner;      /* the innermost group */
    int rows;       /* the reduced group before it; -1: none */
} columns;

static void add_rows(job *j, const columns *c, const char *src)
{
    const hr__reduction *r = j->r;
    int64_t rows = c->rows < 0 ? 1 : j->g->extent[c->rows];
    int64_t stride = c->rows < 0 ? c->width : j->g->step[c->rows];
    hr_reduce_rows part = {.rows = rows / c->repeat, .stride = stride * c->repeat,
                           .n = c->width * c->repeat, .mean = j->mean};
    r->kernels->reduce_columns(r->op, r->dtype, &j->acc, src, &part);
    int64_t rest = rows % c->repeat;
    if (rest == 0) return;
    src += (size_t)(part.rows * part.stride) * j->size;
    part.rows = 1;
    part.n = c->width * rest;
    r->kernels->reduce_columns(r->op, r->dtype, &j->acc, src, &part);
}

static void add_columns(job *j, const columns *c, int group, const char *src)
{
    const hr__groups *g = j->g;
    while (group < c->inner && (g->is_kept[group] || group == c->rows)) group++;
    if (group == c->inner) {
        add_rows(j, c, src);
        return;
    }
    for (int64_t i = 0; i < g->extent[group]; i++)
        add_columns(j, c, group + 1, src + (size_t)(i * g->step[group]) * j->size);
}

/* The rows that lay side by side come together, in order: each is a row of one more array. */
static void fold(job *j, const columns *c)
{
    const hr__reduction *r = j->r;
    if (c->repeat == 1) return;
    hr_dtype cell = is_extreme(r->op) ? r->dtype : HR_F64;
    int op = is_extreme(r->op) ? r->op : HR_REDUCE_SUM;
    int is_real = hr_dtype_get_info(r->dtype)->kind == HR_KIND_FLOAT;
    if (r->op == HR_REDUCE_SUM && !is_real) cell = HR_I64;
    hr_reduce_rows rest = {.rows = c->repeat - 1, .stride = c->width, .n = c->width};
    double folded[HR_REDUCE_COLUMNS];
    memcpy(folded, &j->acc, (size_t)c->width * j->cell);
    r->kernels->reduce_columns(op, cell, folded, j->acc.bytes + (size_t)c->width * j->cell,
                               &rest);
    memcpy(&j->acc, folded, (size_t)c->width * j->cell);
}

static void do_columns(job *j, columns *c, const char *src)
{
    int64_t width = j->g->n ? j->g->extent[c->inner] : 1;
    for (int64_t x = 0; x < width; x += c->width) {
        columns part = *c;
        if (part.width > width - x) part.width = width - x;
        if (j->r->op == HR_REDUCE_DEVIATIONS) {
            j->r->mean(j->r->user, j->next, part.width, j->mean);
            for (int64_t i = part.width; i < part.width * part.repeat; i++)
                j->mean[i] = j->mean[i - part.width];
        }
        clear(j, 0, part.width * part.repeat);
        add_columns(j, &part, 0, src + (size_t)x * j->size);
        fold(j, &part);
        emit(j, part.width);
    }
}

static void each_column(job *j, columns *c, int group, const char *src)
{
    const hr__groups *g = j->g;
    while (group < c->inner && !g->is_kept[group]) group++;
    if (group >= c->inner) {
        do_columns(j, c, src);
        return;
    }
    for (int64_t i = 0; i < g->extent[group]; i++)
        each_column(j, c, group + 1, src + (size_t)(i * g->step[group]) * j->size);
}

static void start_columns(job *j)
{
    const hr__groups *g = j->g;
    columns c = {.inner = g->n ? g->n - 1 : 0, .rows = g->n > 1 ? g->n - 2 : -1, .repeat = 1};
    int64_t width = g->n ? g->extent[c.inner] : 1;
    c.width = width < HR_REDUCE_COLUMNS ? width : HR_REDUCE_COLUMNS;
    if (c.rows >= 0 && width <= HR_REDUCE_COLUMNS / 4) {
        c.repeat = HR_REDUCE_COLUMNS / width;
        if (c.repeat > g->extent[c.rows]) c.repeat = g->extent[c.rows];
    }
    each_column(j, &c, 0, j->r->src);
}

/* ---- all ------------------------------------------------------------------------- */

static void emit_nothing(job *j)
{
    clear(j, 0, HR_REDUCE_COLUMNS);
    while (j->next < j->g->n_out) {
        int64_t n = j->g->n_out - j->next;
        emit(j, n < HR_REDUCE_COLUMNS ? n : HR_REDUCE_COLUMNS);
    }
}

void hr__reduce(const hr__reduction *r, const hr__groups *g)
{
    job j = {.r = r, .g = g, .size = hr_dtype_size(r->dtype)};
    j.cell = is_extreme(r->op) ? j.size : sizeof(double);
    set_start(&j);
    if (g->n_out == 0) return;
    if (g->n_merged == 0) {
        emit_nothing(&j);
    } else if (g->n && !g->is_kept[g->n - 1]) {
        each_run(&j, 0, r->src);
        flush(&j);
    } else {
        start_columns(&j);
    }
}

hr_status hr__reduce_source(const hr_tensor *t, const hr_kernels *kernels, hr_arena *arena,
                            hr_dtype *dtype, const void **src, hr_error *err)
{
    *dtype = t->dtype == HR_BOOL                         ? HR_U8
             : t->dtype == HR_F16 || t->dtype == HR_BF16 ? HR_F32
                                                         : t->dtype;
    *src = t->data;
    if (*dtype == t->dtype) return HR_OK;
    size_t n = (size_t)hr_tensor_size(t);
    void *copy = hr_arena_take(arena, n * hr_dtype_size(*dtype));
    if (!copy) return hr_fail(err, HR_NOMEM, "no memory for the elements as %s",
                              hr_dtype_get_info(*dtype)->numpy_name);
    kernels->convert(*dtype, copy, t->dtype, t->data, n);
    *src = copy;
    return HR_OK;
}
