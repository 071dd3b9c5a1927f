/* Plans and streams of the resampler. Rows come first: an output row is summed from its source
 * rows as soon as the last of them is there; blocks of such rows then go through the horizontal
 * pass. Only the columns and rows that the wanted output needs are touched. */
#include "image/resample.h"

#include <string.h>

#include "core/core.h"

/* Beyond this many taps, 16-bit weights lose too much. */
enum { FIXED_TAPS = 64, LINES_SIZE = 48 << 10 };

/* ---- plan ------------------------------------------------------------------------ */

/* Source pixels [*first, *end) that an axis reads. */
static void axis_range(const hr__resample_axis *a, int64_t *first, int64_t *end)
{
    *first = *end = 0;
    if (a->n == 0) return;
    int64_t p = a->index[0], q = a->index[a->n - 1];
    *first = p < q ? p : q;
    *end = (p < q ? q : p) + a->taps;
}

/* Fraction bits that the largest sum leaves free in 16 bits; 0 if there are too few. */
static int fraction_bits(const hr__resample_axis *y, const hr__resample_axis *x)
{
    float most = y->most * x->most + y->least * x->least;
    float least = y->most * x->least + y->least * x->most;
    float top = 255 * (most > -least ? most : -least);
    int bits = 7;
    while (bits > 0 && top * (float)(1 << bits) > 32700) bits--;
    return bits > 4 ? bits : 0;
}

static hr_status choose_way(hr__resample_plan *p, hr_arena *arena, hr_error *err)
{
    if (p->y.taps == 1 && p->x.taps == 1) {
        p->way = HR__RESAMPLE_PICK;
        return HR_OK;
    }
    int64_t first[2], end[2]; /* of the sources */
    axis_range(&p->y, &first[0], &end[0]);
    axis_range(&p->x, &first[1], &end[1]);
    double n_y = (double)p->y.n, n_x = (double)p->x.n, both = n_y * n_x;
    double rows_first = n_y * (double)(end[1] - first[1]) * p->y.taps + both * p->x.taps;
    double cols_first = (double)(end[0] - first[0]) * n_x * p->x.taps + both * p->y.taps;
    p->way = cols_first * 1.5 < rows_first ? HR__RESAMPLE_COLS : HR__RESAMPLE_FLOAT;
    if (p->from != HR_U8 || p->to != HR_U8 || cols_first * 5 < rows_first) return HR_OK;
    if (p->y.taps > FIXED_TAPS || p->x.taps > FIXED_TAPS) return HR_OK;
    p->fraction = fraction_bits(&p->y, &p->x);
    if (!p->fraction) return HR_OK;
    p->way = HR__RESAMPLE_FIXED;
    HR_TRY(hr__resample_axis_fix(&p->y, arena, err));
    if (p->fraction > p->y.bits - 8) p->fraction = p->y.bits - 8; /* sources are 8 bits */
    return hr__resample_axis_fix(&p->x, arena, err);
}

/* Only outputs [first, first + n) from here on. */
static void slice_axis(hr__resample_axis *a, const hr__resample_span *s)
{
    a->index += s->first;
    a->weight += s->first * a->taps;
    if (a->weight16) a->weight16 += s->first * a->taps;
    a->n = s->count;
}

hr_status hr__resample_plan_make(hr__resample_plan *p, const hr__resample_spec *spec,
                                 const hr_kernels *kernels, hr_arena *arena, hr_error *err)
{
    memset(p, 0, sizeof *p);
    p->channels = spec->channels;
    p->from = spec->from;
    p->to = spec->to;
    p->kernels = kernels;
    hr__resample_span y = spec->y, x = spec->x;
    hr__resample_origins(&y, &spec->filter_y, &x, &spec->filter_x);
    HR_TRY(hr__resample_axis_make(&p->y, &y, &spec->filter_y, arena, err));
    HR_TRY(hr__resample_axis_make(&p->x, &x, &spec->filter_x, arena, err));
    HR_TRY(choose_way(p, arena, err)); /* by the whole: a part has the same bits */
    slice_axis(&p->y, &spec->y);
    slice_axis(&p->x, &spec->x);
    int64_t end_col;
    axis_range(&p->y, &p->first_row, &p->end_row);
    axis_range(&p->x, &p->first_col, &end_col);
    p->n_cols = end_col - p->first_col;
    p->is_x_copy = p->x.taps == 1;
    for (int64_t i = 0; i < p->x.n; i++) {
        p->x.index[i] -= (int32_t)p->first_col;
        if (p->x.index[i] != i) p->is_x_copy = 0;
    }
    return HR_OK;
}

/* ---- stream ---------------------------------------------------------------------- */

struct hr__resample_stream {
    const hr__resample_plan *plan;
    hr_arena *arena;
    char *dst;
    int64_t dst_stride;
    int64_t done;       /* output rows so far, in the order of their source rows */
    int64_t next_row;   /* source row that comes next */
    const void **rows;  /* taps pointers: the source rows of one output row */
    char *ring;         /* source row r, if kept, is in slot r mod taps */
    int64_t row_bytes;  /* of the needed columns */
    char *block;        /* rows after the vertical pass */
    int64_t block_step; /* elements between its rows */
    int lanes, held;    /* rows in a full block, rows in it now */
    void **lane_dst;    /* where each row of the block goes */
    float *finished;    /* finished float rows on their way to another type */
    float *columns;     /* COLS: all source rows after the horizontal pass */
    hr_resample_cols cols;
};

static size_t round_up(size_t v, size_t to) { return (v + to - 1) / to * to; }

/* Output pixels to work on at a time, and the source pixels that they span at most. */
static int64_t choose_chunk(const hr__resample_plan *p, int64_t *span)
{
    const hr__resample_axis *x = &p->x;
    double scale = (double)p->n_cols / (double)x->n;
    double fit = (double)LINES_SIZE / (64.0 * (double)p->channels) - x->taps;
    double want = scale > 1 ? fit / scale : fit;
    int64_t chunk = want < 16 ? 16 : (int64_t)want;
    if (chunk > x->n) chunk = x->n;
    *span = 0;
    for (int64_t i = 0; i < x->n; i += chunk) {
        int64_t last = i + chunk < x->n ? i + chunk - 1 : x->n - 1;
        int64_t d = x->index[last] - (int64_t)x->index[i];
        if (d < 0) d = -d;
        if (d + x->taps > *span) *span = d + x->taps;
    }
    return chunk;
}

static int alloc_block(hr__resample_stream *s, hr_arena *arena)
{
    const hr__resample_plan *p = s->plan;
    int fixed = p->way == HR__RESAMPLE_FIXED;
    size_t size = fixed ? sizeof(int16_t) : sizeof(float);
    size_t width = (size_t)p->n_cols * (size_t)p->channels;
    s->lanes = p->is_x_copy ? 1 : fixed ? HR_RESAMPLE_LANES_U8 : HR_RESAMPLE_LANES_F32;
    s->block_step = (int64_t)round_up(width + HR_RESAMPLE_SLACK, 64 / size);
    s->block = hr_arena_take(arena, ((size_t)s->block_step * (size_t)s->lanes +
                                     HR_RESAMPLE_SLACK) * size);
    s->lane_dst = hr_arena_take(arena, (size_t)s->lanes * sizeof *s->lane_dst);
    if (!s->block || !s->lane_dst) return 0;
    if (p->is_x_copy) return 1;
    int64_t span, chunk = choose_chunk(p, &span);
    size_t c = (size_t)p->channels;
    s->cols = (hr_resample_cols){.src = s->block, .stride = s->block_step,
                                 .dst = s->lane_dst, .index = p->x.index,
                                 .weight = fixed ? (const void *)p->x.weight16
                                                 : (const void *)p->x.weight,
                                 .taps = p->x.taps, .n = p->x.n,
                                 .channels = p->channels, .chunk = chunk};
    if (fixed) s->cols.round = p->fraction + (p->x.taps == 1 ? 0 : p->x.bits - 15);
    s->cols.lines = hr_arena_take(arena, round_up((size_t)span * c, 16) * 64);
    s->cols.out_lines =
        hr_arena_take(arena, round_up((size_t)chunk * c, 16) * (fixed ? 32 : 64));
    return s->cols.lines && s->cols.out_lines;
}

/* Buffers that only some ways need. */
static int alloc_rest(hr__resample_stream *s, hr_arena *arena)
{
    const hr__resample_plan *p = s->plan;
    size_t out = (size_t)p->x.n * (size_t)p->channels, rows = 0;
    s->rows = hr_arena_take(arena, (size_t)p->y.taps * sizeof *s->rows);
    if (!s->rows) return 0;
    if (p->way == HR__RESAMPLE_COLS) {
        rows = (size_t)(p->end_row - p->first_row);
        if (out && rows > SIZE_MAX / sizeof(float) / out) return 0;
        s->columns = hr_arena_take(arena, rows * out * sizeof(float));
        if (!s->columns) return 0;
    }
    rows = 0;
    if (p->way == HR__RESAMPLE_PICK) rows = p->from != p->to;
    else if (p->to != HR_F32) rows = p->way == HR__RESAMPLE_FLOAT ? (size_t)s->lanes : 1;
    if (p->way == HR__RESAMPLE_FIXED) rows = 0;
    s->finished = rows ? hr_arena_take(arena, rows * out * sizeof(float)) : NULL;
    return !rows || s->finished;
}

hr_status hr__resample_begin(hr__resample_stream **out, const hr__resample_plan *p, void *dst,
                             int64_t dst_stride, hr_arena *arena, hr_error *err)
{
    hr__resample_stream *s = hr_arena_take(arena, sizeof *s);
    if (!s) return hr_fail(err, HR_NOMEM, "no memory for a resampling stream");
    *s = (hr__resample_stream){.plan = p, .dst = dst, .dst_stride = dst_stride,
                               .arena = arena, .next_row = -1};
    s->row_bytes = p->n_cols * p->channels * (int64_t)hr_dtype_size(p->from);
    *out = s;
    if (p->y.n == 0 || p->x.n == 0 || p->channels == 0) {
        s->done = p->y.n;
        return HR_OK;
    }
    if ((p->way == HR__RESAMPLE_PICK || alloc_block(s, arena)) && alloc_rest(s, arena))
        return HR_OK;
    return hr_fail(err, HR_NOMEM, "no memory for rows of %lld bytes",
                   (long long)s->row_bytes);
}

/* The j-th output row in the order of source rows. */
static int64_t output_at(const hr__resample_plan *p, int64_t j)
{
    int descends = p->y.index[0] > p->y.index[p->y.n - 1];
    return descends ? p->y.n - 1 - j : j;
}

static void store_row(const hr__resample_stream *s, int64_t i, const float *row)
{
    const hr__resample_plan *p = s->plan;
    p->kernels->convert(p->to, s->dst + i * s->dst_stride, HR_F32, row,
                        (size_t)(p->x.n * p->channels));
}

/* The block's rows go through the horizontal pass. */
static void flush(hr__resample_stream *s)
{
    const hr__resample_plan *p = s->plan;
    if (!s->held) return;
    s->cols.n_rows = s->held;
    if (p->way == HR__RESAMPLE_FIXED) p->kernels->resample_cols_u8(&s->cols);
    else p->kernels->resample_cols_f32(&s->cols);
    if (p->way == HR__RESAMPLE_FLOAT && s->finished)
        for (int k = 0; k < s->held; k++)
            store_row(s, output_at(p, s->done - s->held + k),
                      s->finished + k * p->x.n * p->channels);
    s->held = 0;
}

static void pick_row(hr__resample_stream *s, int64_t i)
{
    const hr__resample_plan *p = s->plan;
    int64_t size = p->channels * (int64_t)hr_dtype_size(p->from);
    char *dst = s->dst + i * s->dst_stride;
    void *to = s->finished ? (void *)s->finished : (void *)dst;
    if (p->is_x_copy) memcpy(to, s->rows[0], (size_t)(size * p->x.n));
    else p->kernels->resample_pick(to, s->rows[0], p->x.index, p->x.n, size);
    if (s->finished)
        p->kernels->convert(p->to, dst, p->from, to, (size_t)(p->x.n * p->channels));
}

static void fixed_row(hr__resample_stream *s, int64_t i)
{
    const hr__resample_plan *p = s->plan;
    hr_resample_taps_u8 taps = {.w = p->y.weight16 + i * p->y.taps, .n = p->y.taps,
                                .shift = p->fraction + 15 - p->y.bits,
                                .copy_shift = p->fraction};
    int64_t width = p->n_cols * p->channels;
    int16_t *row = (int16_t *)(void *)s->block + s->held * s->block_step;
    uint8_t *dst = (uint8_t *)s->dst + i * s->dst_stride;
    p->kernels->resample_rows_u8(row, (const uint8_t *const *)s->rows, &taps, width);
    if (p->is_x_copy) {
        p->kernels->resample_round_u8(dst, row, width, p->fraction);
        return;
    }
    s->lane_dst[s->held++] = dst;
}

static void float_row(hr__resample_stream *s, int64_t i)
{
    const hr__resample_plan *p = s->plan;
    hr_resample_taps_f32 taps = {.w = p->y.weight + i * p->y.taps, .n = p->y.taps};
    int64_t width = p->n_cols * p->channels, out = p->x.n * p->channels;
    float *row = (float *)(void *)s->block + s->held * s->block_step;
    void *dst = s->dst + i * s->dst_stride;
    if (p->is_x_copy && p->to == HR_F32) row = dst;
    p->kernels->resample_rows_f32(row, p->from, s->rows, &taps, width);
    if (!p->is_x_copy) {
        s->lane_dst[s->held] = s->finished ? s->finished + s->held * out : dst;
        s->held++;
    } else if (p->to != HR_F32) {
        store_row(s, i, row);
    }
}

/* Where source row r is: among the rows at hand, or kept. */
typedef struct at_hand {
    int64_t y, n, stride;
    const char *rows; /* first needed column of row y */
} at_hand;

static const void *source_row(const hr__resample_stream *s, const at_hand *h, int64_t r)
{
    if (r >= h->y) return h->rows + (r - h->y) * h->stride;
    return s->ring + r % s->plan->y.taps * s->row_bytes;
}

/* Rows at hand that the next output row needs besides later ones. */
static int keep_rows(hr__resample_stream *s, const at_hand *h)
{
    const hr__resample_plan *p = s->plan;
    if (s->done == p->y.n) return 1;
    int64_t r = p->y.index[output_at(p, s->done)], end = h->y + h->n;
    if (r < end && !s->ring) {
        s->ring = hr_arena_take(s->arena, (size_t)(p->y.taps * s->row_bytes));
        if (!s->ring) return 0;
    }
    for (r = r < h->y ? h->y : r; r < end; r++)
        memcpy(s->ring + r % p->y.taps * s->row_bytes, source_row(s, h, r),
               (size_t)s->row_bytes);
    return 1;
}

/* COLS: source rows pass horizontally first. */
static void rows_to_columns(hr__resample_stream *s, const at_hand *h)
{
    const hr__resample_plan *p = s->plan;
    static const float one = 1;
    hr_resample_taps_f32 copy = {.w = &one, .n = 1};
    int64_t end = h->y + h->n < p->end_row ? h->y + h->n : p->end_row;
    int64_t width = p->n_cols * p->channels, out = p->x.n * p->channels;
    for (int64_t r = h->y < p->first_row ? p->first_row : h->y; r < end; r++) {
        float *done = s->columns + (r - p->first_row) * out;
        float *row = p->is_x_copy ? done
                                  : (float *)(void *)s->block + s->held * s->block_step;
        const void *src = source_row(s, h, r);
        p->kernels->resample_rows_f32(row, p->from, &src, &copy, width);
        if (p->is_x_copy) continue;
        s->lane_dst[s->held++] = done;
        if (s->held == s->lanes) flush(s);
    }
    flush(s);
}

static void columns_to_output(hr__resample_stream *s)
{
    const hr__resample_plan *p = s->plan;
    int64_t out = p->x.n * p->channels;
    for (int64_t i = 0; i < p->y.n; i++) {
        hr_resample_taps_f32 taps = {.w = p->y.weight + i * p->y.taps, .n = p->y.taps};
        for (int k = 0; k < p->y.taps; k++)
            s->rows[k] = s->columns + (p->y.index[i] + k - p->first_row) * out;
        float *row = s->finished ? s->finished
                                 : (float *)(void *)(s->dst + i * s->dst_stride);
        p->kernels->resample_rows_f32(row, HR_F32, s->rows, &taps, out);
        if (s->finished) store_row(s, i, row);
    }
    s->done = p->y.n;
}

hr_status hr__resample_rows(hr__resample_stream *s, int64_t y, int64_t n, const void *rows,
                            int64_t stride, hr_error *err)
{
    const hr__resample_plan *p = s->plan;
    if (s->done == p->y.n) return HR_OK;
    if (s->next_row < 0 ? y > p->first_row : y != s->next_row)
        return hr_fail(err, HR_BUG, "resampling got row %lld where %lld comes next",
                       (long long)y, (long long)(s->next_row < 0 ? p->first_row : s->next_row));
    s->next_row = y + n;
    at_hand h = {y, n, stride, (const char *)rows};
    h.rows += p->first_col * p->channels * (int64_t)hr_dtype_size(p->from);
    if (p->way == HR__RESAMPLE_COLS) {
        rows_to_columns(s, &h);
        if (y + n >= p->end_row) columns_to_output(s);
        return HR_OK;
    }
    while (s->done < p->y.n) {
        int64_t i = output_at(p, s->done), first = p->y.index[i];
        if (first + p->y.taps > y + n) break;
        for (int k = 0; k < p->y.taps; k++) s->rows[k] = source_row(s, &h, first + k);
        s->done++;
        if (p->way == HR__RESAMPLE_PICK) pick_row(s, i);
        else if (p->way == HR__RESAMPLE_FIXED) fixed_row(s, i);
        else float_row(s, i);
        if (s->held && (s->held == s->lanes || s->done == p->y.n)) flush(s);
    }
    if (keep_rows(s, &h)) return HR_OK;
    return hr_fail(err, HR_NOMEM, "no memory for %d rows", p->y.taps);
}

int hr__resample_is_done(const hr__resample_stream *s) { return s->done == s->plan->y.n; }

hr_status hr__resample_picture(const hr__resample_plan *p, const void *src, void *dst,
                               hr_arena *arena, hr_error *err)
{
    hr__resample_stream *s;
    int64_t in = p->x.in * p->channels * (int64_t)hr_dtype_size(p->from);
    int64_t out = p->x.n * p->channels * (int64_t)hr_dtype_size(p->to);
    hr__arena_mark mark = hr__arena_get_mark(arena);
    hr_status status = hr__resample_begin(&s, p, dst, out, arena, err);
    if (status == HR_OK) status = hr__resample_rows(s, 0, p->y.in, src, in, err);
    hr__arena_release(arena, mark);
    return status;
}
