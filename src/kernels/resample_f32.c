/* Resampling in float, for every number format. Products are added in the order of the taps and
 * never fused, so that the bits are the same at each CPU level. */
#include "kernels/kernels.h"

#include "kernels/resample_vec.h"

enum { LANES = HR_RESAMPLE_LANES_F32, WIDE = 64 };

/* ---- vertical -------------------------------------------------------------------- */

/* Constant tap counts keep the sum in a register; the loop over taps serves the rest. */
#define ROWS_FIXED(T, N)                                                               \
    case N:                                                                            \
        for (int64_t i = 0; i < n; i++) {                                              \
            float sum = (float)r[0][i] * w[0];                                         \
            for (int k = 1; k < N; k++) sum += (float)r[k][i] * w[k];                  \
            dst[i] = sum;                                                              \
        }                                                                              \
        return;

#define ROWS(T, name)                                                                  \
    /* m elements; with a constant m the sums stay in registers */                     \
    static inline void rows_step_##name(float *restrict dst, const T *const *rows,     \
                                        const hr_resample_taps_f32 *t, int64_t i,      \
                                        const int m)                                   \
    {                                                                                  \
        float sum[WIDE];                                                               \
        for (int j = 0; j < m; j++) sum[j] = (float)rows[0][i + j] * t->w[0];          \
        int k = 1;                                                                     \
        for (; k + 4 <= t->n; k += 4) {                                                \
            const T *restrict a = rows[k] + i, *restrict b = rows[k + 1] + i;          \
            const T *restrict c = rows[k + 2] + i, *restrict d = rows[k + 3] + i;      \
            const float *w = t->w + k;                                                 \
            for (int j = 0; j < m; j++) {                                              \
                float v = sum[j] + (float)a[j] * w[0];                                 \
                v += (float)b[j] * w[1];                                               \
                v += (float)c[j] * w[2];                                               \
                sum[j] = v + (float)d[j] * w[3];                                       \
            }                                                                          \
        }                                                                              \
        for (; k < t->n; k++)                                                          \
            for (int j = 0; j < m; j++) sum[j] += (float)rows[k][i + j] * t->w[k];     \
        for (int j = 0; j < m; j++) dst[i + j] = sum[j];                               \
    }                                                                                  \
    static void rows_many_##name(float *restrict dst, const T *const *rows,            \
                                 const hr_resample_taps_f32 *t, int64_t n)             \
    {                                                                                  \
        int64_t i = 0;                                                                 \
        for (; i + WIDE <= n; i += WIDE) rows_step_##name(dst, rows, t, i, WIDE);      \
        if (i < n) rows_step_##name(dst, rows, t, i, (int)(n - i));                    \
    }                                                                                  \
    static void rows_##name(float *restrict dst, const T *const *rows,                 \
                            const hr_resample_taps_f32 *t, int64_t n)                  \
    {                                                                                  \
        const T *r[6];                                                                 \
        float w[6];                                                                    \
        for (int k = 0; k < t->n && k < 6; k++) r[k] = rows[k], w[k] = t->w[k];        \
        switch (t->n) {                                                                \
        case 1:                                                                        \
            for (int64_t i = 0; i < n; i++) dst[i] = (float)r[0][i];                   \
            return;                                                                    \
            ROWS_FIXED(T, 2)                                                           \
            ROWS_FIXED(T, 3)                                                           \
            ROWS_FIXED(T, 4)                                                           \
            ROWS_FIXED(T, 5)                                                           \
            ROWS_FIXED(T, 6)                                                           \
        default: rows_many_##name(dst, rows, t, n);                                    \
        }                                                                              \
    }

ROWS(uint8_t, u8)
ROWS(uint16_t, u16)
ROWS(int16_t, i16)
ROWS(float, f32)

void HR_K(resample_rows_f32)(float *restrict dst, hr_dtype from, const void *const *rows,
                             const hr_resample_taps_f32 *t, int64_t n)
{
    switch (from) {
    case HR_U8: rows_u8(dst, (const uint8_t *const *)rows, t, n); return;
    case HR_U16: rows_u16(dst, (const uint16_t *const *)rows, t, n); return;
    case HR_I16: rows_i16(dst, (const int16_t *const *)rows, t, n); return;
    default: rows_f32(dst, (const float *const *)rows, t, n); return;
    }
}

/* ---- horizontal ------------------------------------------------------------------ */

enum { PART = 4, STEP = PART * HR_V16_PARTS }; /* floats in a part, rows in a vector */

static inline void turn_4x4(hr_v16 a[4])
{
    for (int round = 0; round < 2; round++) {
        hr_v16 b0 = v16_lo32(a[0], a[2]), b1 = v16_hi32(a[0], a[2]);
        hr_v16 b2 = v16_lo32(a[1], a[3]), b3 = v16_hi32(a[1], a[3]);
        a[0] = b0, a[1] = b1, a[2] = b2, a[3] = b3;
    }
}

/* Elements [at, at + n) of every row become lines; n is rounded up to 4. */
static void rows_to_lines(const hr_resample_cols *job, int64_t at, int64_t n)
{
    float *lines = job->lines;
    const char *rows[LANES];
    for (int r = 0; r < LANES; r++) /* missing rows repeat the last one */
        rows[r] = (const char *)((const float *)job->src + at +
                                 (r < job->n_rows ? r : job->n_rows - 1) * job->stride);
    for (int64_t i = 0; i < n; i += PART)
        for (int r0 = 0; r0 < LANES; r0 += STEP) {
            hr_v16 a[PART];
            for (int r = 0; r < PART; r++)
                a[r] = v16_load_parts(rows + r0 + r, i * (int64_t)sizeof(float), PART);
            turn_4x4(a);
            for (int r = 0; r < PART; r++)
                v16_store((int16_t *)(void *)(lines + (i + r) * LANES + r0), a[r]);
        }
}

#define COLS_FIXED(N)                                                                  \
    case N:                                                                            \
        for (int64_t c = 0; c < job->channels; c++, out += LANES, lines += LANES)      \
            for (int j = 0; j < LANES; j++) {                                          \
                float sum = lines[j] * w[0];                                           \
                for (int k = 1; k < N; k++) sum += lines[k * step + j] * w[k];         \
                out[j] = sum;                                                          \
            }                                                                          \
        return;

static inline void cols_of_pixel(float *restrict out, const float *restrict lines,
                                 const float *restrict w, const hr_resample_cols *job)
{
    const int64_t step = job->channels * LANES;
    switch (job->taps) {
    case 1: memcpy(out, lines, (size_t)step * sizeof *out); return;
        COLS_FIXED(2)
        COLS_FIXED(3)
        COLS_FIXED(4)
        COLS_FIXED(5)
        COLS_FIXED(6)
        COLS_FIXED(7)
        COLS_FIXED(8)
    default: break;
    }
    for (int64_t c = 0; c < job->channels; c++, out += LANES, lines += LANES) {
        float sum[LANES];
        for (int j = 0; j < LANES; j++) sum[j] = lines[j] * w[0];
        int k = 1;
        for (; k + 4 <= job->taps; k += 4)
            for (int j = 0; j < LANES; j++) {
                const float *restrict line = lines + k * step + j;
                float v = sum[j] + line[0] * w[k];
                v += line[step] * w[k + 1];
                v += line[2 * step] * w[k + 2];
                sum[j] = v + line[3 * step] * w[k + 3];
            }
        for (; k < job->taps; k++)
            for (int j = 0; j < LANES; j++) sum[j] += lines[k * step + j] * w[k];
        memcpy(out, sum, sizeof sum);
    }
}

/* `n` lines become elements [at, at + n) of the output rows. */
static void lines_to_rows(const hr_resample_cols *job, int64_t at, int64_t n)
{
    const float *lines = job->out_lines;
    float part[LANES][PART];
    char *parts[LANES], *rows[LANES] = {0};
    for (int r = 0; r < LANES; r++) parts[r] = (char *)part[r];
    for (int r = 0; r < job->n_rows; r++) rows[r] = (char *)((float *)job->dst[r] + at);
    for (int64_t i = 0; i < n; i += PART) {
        int whole = n - i >= PART && job->n_rows == LANES;
        size_t size = sizeof(float) * (size_t)(n - i < PART ? n - i : PART);
        int64_t byte = i * (int64_t)sizeof(float);
        for (int r0 = 0; r0 < LANES; r0 += STEP) {
            hr_v16 a[PART];
            for (int r = 0; r < PART; r++)
                a[r] = v16_load((const int16_t *)(const void *)(lines + (i + r) * LANES + r0));
            turn_4x4(a);
            for (int r = 0; r < PART; r++)
                v16_store_parts((whole ? rows : parts) + r0 + r, whole ? byte : 0, PART, a[r]);
        }
        for (int r = 0; !whole && r < job->n_rows; r++) memcpy(rows[r] + byte, part[r], size);
    }
}

#define COLS resample_cols_f32
#define WEIGHT float
#define LINE float
#define OUT float
#include "kernels/resample_cols_tmpl.h"
