/* Resampling of uint8 in fixed point. Every product is rounded to the sum's fraction bits; sums add
 * the taps in order and saturate, so the result does not depend on the vectors' width. */
#include "kernels/kernels.h"

#include "kernels/resample_vec.h"

enum { LANES = HR_RESAMPLE_LANES_U8, PER_LINE = LANES / HR_V16, WIDE = 4 };

/* ---- vertical -------------------------------------------------------------------- */

/* WIDE vectors of the row at element i. */
static inline void rows_step(int16_t *dst, const uint8_t *const *rows,
                             const hr_resample_taps_u8 *t, int64_t i)
{
    hr_v16 sum[WIDE];
    for (int j = 0; j < WIDE; j++) sum[j] = v16_zero();
    for (int k = 0; k < t->n; k++) {
        const uint8_t *src = rows[k] + i;
        hr_v16 w = v16_set1(t->w[k]);
        for (int j = 0; j < WIDE; j++) {
            hr_v16 v = v16_shl(v16_load_u8(src + j * HR_V16), t->shift);
            sum[j] = v16_add(sum[j], v16_mulhrs(v, w));
        }
    }
    for (int j = 0; j < WIDE; j++) v16_store(dst + i + j * HR_V16, sum[j]);
}

static inline int16_t rows_one(const uint8_t *const *rows, const hr_resample_taps_u8 *t,
                               int64_t i)
{
    int sum = 0;
    for (int k = 0; k < t->n; k++) {
        sum += ((rows[k][i] << t->shift) * t->w[k] + 0x4000) >> 15;
        sum = sum < INT16_MIN ? INT16_MIN : sum > INT16_MAX ? INT16_MAX : sum;
    }
    return (int16_t)sum;
}

void HR_K(resample_rows_u8)(int16_t *restrict dst, const uint8_t *const *rows,
                            const hr_resample_taps_u8 *t, int64_t n)
{
    enum { STEP = WIDE * HR_V16 };
    if (t->n == 1) {
        const uint8_t *src = rows[0];
        const int shift = t->copy_shift;
        for (int64_t i = 0; i < n; i++) dst[i] = (int16_t)(src[i] << shift);
        return;
    }
    if (n < STEP) {
        for (int64_t i = 0; i < n; i++) dst[i] = rows_one(rows, t, i);
        return;
    }
    for (int64_t i = 0; i + STEP <= n; i += STEP) rows_step(dst, rows, t, i);
    if (n % STEP) rows_step(dst, rows, t, n - STEP); /* the last step overlaps */
}

void HR_K(resample_round_u8)(uint8_t *restrict dst, const int16_t *restrict src, int64_t n,
                             int round)
{
    const int half = 1 << (round - 1);
    for (int64_t i = 0; i < n; i++) {
        int v = (src[i] + half) >> round;
        dst[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

/* ---- horizontal ------------------------------------------------------------------ */

/* Perfect shuffles turn a square: three of 8 vectors of 8 numbers, in every part at once. */
static inline void turn_8x8(hr_v16 a[8])
{
    for (int round = 0; round < 3; round++) {
        hr_v16 b[8];
        for (int r = 0; r < 4; r++) {
            b[2 * r] = v16_lo16(a[r], a[r + 4]);
            b[2 * r + 1] = v16_hi16(a[r], a[r + 4]);
        }
        for (int r = 0; r < 8; r++) a[r] = b[r];
    }
}

/* Elements [at, at + n) of every row become lines; n is rounded up to 8. */
static void rows_to_lines(const hr_resample_cols *job, int64_t at, int64_t n)
{
    int16_t *lines = job->lines;
    const char *rows[LANES];
    for (int r = 0; r < LANES; r++) /* missing rows repeat the last one */
        rows[r] = (const char *)((const int16_t *)job->src + at +
                                 (r < job->n_rows ? r : job->n_rows - 1) * job->stride);
    for (int64_t i = 0; i < n; i += 8)
        for (int r0 = 0; r0 < LANES; r0 += HR_V16) {
            hr_v16 a[8];
            for (int r = 0; r < 8; r++)
                a[r] = v16_load_parts(rows + r0 + r, i * (int64_t)sizeof(int16_t), 8);
            turn_8x8(a);
            for (int r = 0; r < 8; r++) v16_store(lines + (i + r) * LANES + r0, a[r]);
        }
}

/* The sums of `m` neighbouring channels of one output pixel: m lines. */
static inline void cols_sum(uint8_t *restrict out, const int16_t *restrict lines,
                            const int16_t *w, const hr_resample_cols *job, const int m)
{
    const int64_t step = job->channels * LANES;
    const hr_v16 half = v16_set1((int16_t)(1 << (job->round - 1)));
    hr_v16 sum[4 * PER_LINE];
    for (int j = 0; j < m * PER_LINE; j++) sum[j] = half;
    if (job->taps == 1) {
        for (int j = 0; j < m * PER_LINE; j++)
            sum[j] = v16_add(half, v16_load(lines + j * HR_V16));
    } else {
        for (int k = 0; k < job->taps; k++) {
            hr_v16 wk = v16_set1(w[k]);
            for (int j = 0; j < m * PER_LINE; j++) {
                hr_v16 v = v16_load(lines + k * step + j * HR_V16);
                sum[j] = v16_add(sum[j], v16_mulhrs(v, wk));
            }
        }
    }
    for (int j = 0; j < m * PER_LINE; j++)
        v16_store_u8(out + j * HR_V16, v16_shr(sum[j], job->round));
}

static void cols_of_pixel(uint8_t *restrict out, const int16_t *restrict lines,
                          const int16_t *w, const hr_resample_cols *job)
{
    int64_t c = 0;
    for (; c + 4 <= job->channels; c += 4)
        cols_sum(out + c * LANES, lines + c * LANES, w, job, 4);
    out += c * LANES;
    lines += c * LANES;
    switch (job->channels - c) {
    case 1: cols_sum(out, lines, w, job, 1); break;
    case 2: cols_sum(out, lines, w, job, 2); break;
    case 3: cols_sum(out, lines, w, job, 3); break;
    default: break;
    }
}

/* 16 lines of HR_V8 rows become 16 bytes of each row. */
static inline void turn_16x16(hr_v8 a[16])
{
    for (int round = 0; round < 4; round++) {
        hr_v8 b[16];
        for (int r = 0; r < 8; r++) {
            b[2 * r] = v8_lo8(a[r], a[r + 8]);
            b[2 * r + 1] = v8_hi8(a[r], a[r + 8]);
        }
        for (int r = 0; r < 16; r++) a[r] = b[r];
    }
}

static inline void lines_step(const uint8_t *lines, uint8_t *const rows[LANES], int64_t at)
{
    for (int r0 = 0; r0 < LANES; r0 += HR_V8) {
        hr_v8 a[16];
        for (int i = 0; i < 16; i++) a[i] = v8_load(lines + i * LANES + r0);
        turn_16x16(a);
#if defined(__AVX2__)
        for (int r = 0; r < 16; r++)
            v8_store_parts(rows[r] + at, rows[r + 16] + at, a[r]);
#else
        for (int r = 0; r < 16; r++) v8_store(rows[r0 + r] + at, a[r]);
#endif
    }
}

/* `n` lines become elements [at, at + n) of the output rows. */
static void lines_to_rows(const hr_resample_cols *job, int64_t at, int64_t n)
{
    const uint8_t *lines = job->out_lines;
    uint8_t *rows[LANES] = {0};
    for (int r = 0; r < job->n_rows; r++) rows[r] = (uint8_t *)job->dst[r] + at;
    if (n < 16 || job->n_rows < LANES) {
        uint8_t part[LANES][16], *parts[LANES];
        for (int r = 0; r < LANES; r++) parts[r] = part[r];
        for (int64_t i = 0; i < n; i += 16) {
            lines_step(lines + i * LANES, parts, 0);
            for (int r = 0; r < job->n_rows; r++)
                memcpy(rows[r] + i, part[r], (size_t)(n - i < 16 ? n - i : 16));
        }
        return;
    }
    for (int64_t i = 0; i + 16 <= n; i += 16) lines_step(lines + i * LANES, rows, i);
    if (n % 16) lines_step(lines + (n - 16) * LANES, rows, n - 16);
}

#define COLS resample_cols_u8
#define WEIGHT int16_t
#define LINE int16_t
#define OUT uint8_t
#include "kernels/resample_cols_tmpl.h"
