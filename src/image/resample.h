/* Separable resampling of a picture: weights of an axis, a plan for both axes, and a stream that
 * takes source rows as they come (from memory or from a decoder) and writes finished output rows.
 * Formulas and their source: docs/resize.md.
 * Thread use: an axis and a plan are constant once made; a stream belongs to one thread. */
#ifndef HR_IMAGE_RESAMPLE_H
#define HR_IMAGE_RESAMPLE_H

#include <headrace/headrace.h>

#include "kernels/kernels.h"

/* One axis as asked for: the region [lo, hi] of `in` source pixels (edges, not centres; lo > hi
 * flips) becomes `out` pixels, of which [first, first + count) are wanted. What is wanted changes no
 * bits of it. */
typedef struct hr__resample_span {
    int64_t in, out;
    float lo, hi;
    int64_t first, count;
    int running; /* nearest neighbour: positions by a running sum (rows and slices) */
    int64_t from; /* filters: the source pixel that positions count from, see hr__resample_origins */
} hr__resample_span;

/* Which filter where: `min` if the axis shrinks, `mag` if not. */
typedef struct hr__resample_filter {
    hr_interp min, mag;
    int antialias; /* widen the filter by the scale when shrinking */
} hr__resample_filter;

/* One axis as weights: output i is the sum of weight[i * taps + k] times source pixel index[i] + k,
 * always inside the source. One tap: a copy, the weight is 1. */
typedef struct hr__resample_axis {
    int64_t n;  /* outputs */
    int64_t in;
    int taps;
    int32_t *index; /* monotonous */
    float *weight;
    int16_t *weight16; /* the same times 2^bits, adding up to 2^bits; NULL if not asked for */
    int bits;          /* 14 or 15 */
    float most, least; /* largest sum of a pixel's positive weights, of its negative ones */
} hr__resample_axis;

/* The whole of an axis. */
hr__resample_span hr__resample_whole(int64_t in, int64_t out);
/* All `out` outputs. Memory from `arena`. HR_VALUE for a region that is not finite or too wide; HR_NOMEM. */
HR_CHECKED hr_status hr__resample_axis_make(hr__resample_axis *axis,
                                            const hr__resample_span *span,
                                            const hr__resample_filter *filter,
                                            hr_arena *arena, hr_error *err);
/* Sets `from` of the axis that the peer filters second: it cuts the source to what is needed first,
 * and a Gaussian's ties fall as positions round. */
void hr__resample_origins(hr__resample_span *y, const hr__resample_filter *filter_y,
                          hr__resample_span *x, const hr__resample_filter *filter_x);
/* Adds weight16. HR_NOMEM. */
HR_CHECKED hr_status hr__resample_axis_fix(hr__resample_axis *axis, hr_arena *arena,
                                           hr_error *err);

typedef struct hr__resample_spec {
    hr__resample_span y, x;
    hr__resample_filter filter_y, filter_x;
    int64_t channels; /* interleaved elements of a pixel */
    hr_dtype from;    /* HR_U8, HR_U16, HR_I16 or HR_F32 */
    hr_dtype to;      /* `from` or HR_F32; from HR_F32, any of them */
} hr__resample_spec;

typedef enum hr__resample_way {
    HR__RESAMPLE_PICK,  /* both axes copy: nearest neighbour, identity, flips */
    HR__RESAMPLE_FIXED, /* uint8 in fixed point */
    HR__RESAMPLE_FLOAT, /* rows first, in float */
    HR__RESAMPLE_COLS   /* columns first, in float: where that is far less work */
} hr__resample_way;

typedef struct hr__resample_plan {
    hr__resample_axis y, x;
    int64_t channels;
    hr_dtype from, to;
    hr__resample_way way;
    int fraction; /* FIXED: fraction bits between the passes */
    int64_t first_row, end_row; /* source rows that are needed */
    int64_t first_col, n_cols;  /* likewise; x.index counts from first_col */
    int is_x_copy;              /* columns are only copied, in order */
    const hr_kernels *kernels;
} hr__resample_plan;

/* Makes tables in `arena`. HR_VALUE, HR_NOMEM as hr__resample_axis_make. */
HR_CHECKED hr_status hr__resample_plan_make(hr__resample_plan *plan,
                                            const hr__resample_spec *spec,
                                            const hr_kernels *kernels, hr_arena *arena,
                                            hr_error *err);

/* A picture under way. */
typedef struct hr__resample_stream hr__resample_stream;

/* `dst`: row i of the wanted rows begins at byte i * dst_stride. Scratch from `arena`: it holds
 * `plan` and the stream until the last row is written. HR_NOMEM. */
HR_CHECKED hr_status hr__resample_begin(hr__resample_stream **out,
                                        const hr__resample_plan *plan, void *dst,
                                        int64_t dst_stride, hr_arena *arena,
                                        hr_error *err);
/* Source rows [y, y + n), whole, `stride` bytes apart; the first call begins at plan->first_row or
 * before, the others where the last one ended. Rows are read during the call only; what a later
 * output row needs is copied, so the fewer calls the better. HR_NOMEM; HR_BUG for a gap. */
HR_CHECKED hr_status hr__resample_rows(hr__resample_stream *s, int64_t y, int64_t n,
                                       const void *rows, int64_t stride, hr_error *err);
/* Is all output written? */
int hr__resample_is_done(const hr__resample_stream *s);

/* A picture in memory, both packed; scratch is given back. HR_NOMEM. */
HR_CHECKED hr_status hr__resample_picture(const hr__resample_plan *plan, const void *src,
                                          void *dst, hr_arena *arena, hr_error *err);

#endif
