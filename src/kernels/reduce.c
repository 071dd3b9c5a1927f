/* Sums and extremes over runs and over columns. The order of additions is written out (lanes, then
 * a tree, then blocks), so that bits are the same at every CPU level; sums of 8- and 16-bit
 * integers are kept in 32 bits for as many rows as cannot overflow. */
#include "kernels/kernels.h"
#include "kernels/short_types.h"


enum {
    LANES = 16,   /* independent chains of additions */
    BLOCK = 4096, /* elements summed before they meet the total: errors grow with n / BLOCK */
    SHORT = 1 << 15, /* rows: 2^15 * 65535 and 2^15 * 255^2 fit an int32_t */
};

/* ---- sums ------------------------------------------------------------------------ */

/* TERM is an expression of x (an element as ACC) and m (the mean). */
#define RUN(name, T, ACC, TERM)                                                        \
    static ACC run_##name##_##T(const T *restrict s, int64_t n, f64 m)                 \
    {                                                                                  \
        ACC total = 0;                                                                 \
        (void)m;                                                                       \
        if (n < LANES) {                                                               \
            for (int64_t i = 0; i < n; i++) {                                          \
                ACC x = (ACC)s[i];                                                     \
                total += TERM;                                                         \
            }                                                                          \
            return total;                                                              \
        }                                                                              \
        for (int64_t b = 0; b < n; b += BLOCK) {                                       \
            int64_t k = n - b < BLOCK ? n - b : BLOCK, i = 0;                          \
            ACC lane[LANES] = {0};                                                     \
            for (; i + LANES <= k; i += LANES)                                         \
                for (int l = 0; l < LANES; l++) {                                      \
                    ACC x = (ACC)s[b + i + l];                                         \
                    lane[l] += TERM;                                                   \
                }                                                                      \
            for (; i < k; i++) {                                                       \
                ACC x = (ACC)s[b + i];                                                 \
                lane[i % LANES] += TERM;                                               \
            }                                                                          \
            for (int w = LANES / 2; w; w /= 2)                                         \
                for (int l = 0; l < w; l++) lane[l] += lane[l + w];                    \
            total += lane[0];                                                          \
        }                                                                              \
        return total;                                                                  \
    }

/* As RUN, with a block in 32 bits: 4096 * 65535 and 4096 * 255^2 fit an int32_t. */
#define SHORT_RUN(name, T, TERM)                                                       \
    static i64 run_##name##_##T(const T *restrict s, int64_t n, f64 m)                 \
    {                                                                                  \
        i64 total = 0;                                                                 \
        (void)m;                                                                       \
        for (int64_t b = 0; b < n; b += BLOCK) {                                       \
            int64_t k = n - b < BLOCK ? n - b : BLOCK;                                 \
            i32 part = 0;                                                              \
            for (int64_t i = 0; i < k; i++) {                                          \
                i32 x = s[b + i];                                                      \
                part += TERM;                                                          \
            }                                                                          \
            total += part;                                                             \
        }                                                                              \
        return total;                                                                  \
    }

#define COLUMNS(name, T, ACC, TERM)                                                    \
    static void columns_##name##_##T(ACC *restrict acc, const T *restrict s,           \
                                     const hr_reduce_rows *r)                          \
    {                                                                                  \
        const f64 *restrict mean = r->mean;                                            \
        (void)mean;                                                                    \
        for (int64_t y = 0; y < r->rows; y++, s += r->stride)                          \
            for (int64_t j = 0; j < r->n; j++) {                                       \
                ACC x = (ACC)s[j];                                                     \
                acc[j] += TERM;                                                        \
            }                                                                          \
    }

/* As COLUMNS, through 32-bit sums. */
#define SHORT_COLUMNS(name, T, ACC, TERM)                                              \
    static void columns_##name##_##T(ACC *restrict acc, const T *restrict s,           \
                                     const hr_reduce_rows *r)                          \
    {                                                                                  \
        i32 part[HR_REDUCE_COLUMNS];                                                   \
        for (int64_t y = 0; y < r->rows; y += SHORT) {                                 \
            int64_t rows = r->rows - y < SHORT ? r->rows - y : SHORT;                  \
            for (int64_t j = 0; j < r->n; j++) part[j] = 0;                            \
            for (int64_t i = 0; i < rows; i++, s += r->stride)                         \
                for (int64_t j = 0; j < r->n; j++) {                                   \
                    i32 x = s[j];                                                      \
                    part[j] += TERM;                                                   \
                }                                                                      \
            for (int64_t j = 0; j < r->n; j++) acc[j] += (ACC)part[j];                 \
        }                                                                              \
    }

#define BOTH(name, T, ACC, TERM, COLUMN_TERM)                                          \
    RUN(name, T, ACC, TERM)                                                            \
    COLUMNS(name, T, ACC, COLUMN_TERM)

#define REAL_SUMS(T)                                                                   \
    BOTH(squares, T, f64, x * x, x * x)                                                \
    BOTH(deviations, T, f64, (x - m) * (x - m), (x - mean[j]) * (x - mean[j]))
#define SMALL_INTEGER(T)                                                               \
    SHORT_RUN(sum, T, x)                                                               \
    SHORT_COLUMNS(sum, T, i64, x)                                                      \
    BOTH(real_sum, T, f64, x, x)
#define INTEGER(T)                                                                     \
    BOTH(sum, T, u64, x, x)                                                            \
    BOTH(real_sum, T, f64, x, x)                                                       \
    REAL_SUMS(T)
#define REAL(T)                                                                        \
    BOTH(sum, T, f64, x, x)                                                            \
    REAL_SUMS(T)

#define BYTE(T)                                                                        \
    SMALL_INTEGER(T)                                                                   \
    SHORT_RUN(squares, T, x * x)                                                       \
    SHORT_COLUMNS(squares, T, f64, x * x)                                              \
    BOTH(deviations, T, f64, (x - m) * (x - m), (x - mean[j]) * (x - mean[j]))
#define WORD(T)                                                                        \
    SMALL_INTEGER(T)                                                                   \
    REAL_SUMS(T)

BYTE(u8)
BYTE(i8)
WORD(u16)
WORD(i16)
INTEGER(u32)
INTEGER(i32)
INTEGER(u64)
INTEGER(i64)
REAL(f32)
REAL(f64)

/* ---- extremes -------------------------------------------------------------------- */

/* A comparison with NaN is false: the accumulator stays. */
#define EXTREME(name, T, OP)                                                           \
    static T run_##name##_##T(const T *restrict s, int64_t n, T start)                 \
    {                                                                                  \
        enum { WIDE = 64 / sizeof(T) };                                                \
        T lane[WIDE];                                                                  \
        int64_t i = 0;                                                                 \
        if (n < WIDE) {                                                                \
            for (; i < n; i++) start = s[i] OP start ? s[i] : start;                   \
            return start;                                                              \
        }                                                                              \
        for (int l = 0; l < WIDE; l++) lane[l] = start;                                \
        for (; i + WIDE <= n; i += WIDE)                                               \
            for (int l = 0; l < WIDE; l++) lane[l] = s[i + l] OP lane[l] ? s[i + l] : lane[l]; \
        for (int l = 0; l < WIDE; l++) start = lane[l] OP start ? lane[l] : start;     \
        for (; i < n; i++) start = s[i] OP start ? s[i] : start;                       \
        return start;                                                                  \
    }                                                                                  \
    static void columns_##name##_##T(T *restrict acc, const T *restrict s,             \
                                     const hr_reduce_rows *r)                          \
    {                                                                                  \
        for (int64_t y = 0; y < r->rows; y++, s += r->stride)                          \
            for (int64_t j = 0; j < r->n; j++) acc[j] = s[j] OP acc[j] ? s[j] : acc[j];  \
    }

#define EXTREMES(T)                                                                    \
    EXTREME(min, T, <)                                                                 \
    EXTREME(max, T, >)

EXTREMES(u8)
EXTREMES(i8)
EXTREMES(u16)
EXTREMES(i16)
EXTREMES(u32)
EXTREMES(i32)
EXTREMES(u64)
EXTREMES(i64)
EXTREMES(f32)
EXTREMES(f64)

/* ---- by code and type ------------------------------------------------------------ */

#define EACH_TYPE(X)                                                                   \
    X(U8, u8) X(I8, i8) X(U16, u16) X(I16, i16) X(U32, u32) X(I32, i32) X(U64, u64)    \
    X(I64, i64)
#define EACH_REAL(X) X(F32, f32) X(F64, f64)

void HR_K(reduce_run)(int op, hr_dtype t, void *restrict acc, const void *restrict src, int64_t n,
                      double mean)
{
    i64 *whole = acc;
    f64 *real = acc;
#define EXTREME_CASES(D, T)                                                            \
    case HR_REDUCE_MIN: *(T *)acc = run_min_##T(src, n, *(T *)acc); return;            \
    case HR_REDUCE_MAX: *(T *)acc = run_max_##T(src, n, *(T *)acc); return;            \
    case HR_REDUCE_SQUARES: *real += (f64)run_squares_##T(src, n, mean); return;       \
    case HR_REDUCE_DEVIATIONS: *real += run_deviations_##T(src, n, mean); return;
#define INTEGER_RUN(D, T)                                                              \
    case HR_##D:                                                                       \
        switch (op) {                                                                  \
            EXTREME_CASES(D, T)                                                        \
        case HR_REDUCE_SUM:                                                            \
            *whole = (i64)((u64)*whole + (u64)run_sum_##T(src, n, mean));              \
            return;                                                                    \
        default: *real += run_real_sum_##T(src, n, mean); return;                      \
        }
#define REAL_RUN(D, T)                                                                 \
    case HR_##D:                                                                       \
        switch (op) {                                                                  \
            EXTREME_CASES(D, T)                                                        \
        default: *real += run_sum_##T(src, n, mean); return;                           \
        }
    switch (t) {
        EACH_TYPE(INTEGER_RUN)
        EACH_REAL(REAL_RUN)
    default: return;
    }
}

void HR_K(reduce_columns)(int op, hr_dtype t, void *restrict acc, const void *restrict src,
                          const hr_reduce_rows *r)
{
#define COLUMN_CASES(D, T)                                                             \
    case HR_REDUCE_MIN: columns_min_##T(acc, src, r); return;                          \
    case HR_REDUCE_MAX: columns_max_##T(acc, src, r); return;                          \
    case HR_REDUCE_SQUARES: columns_squares_##T(acc, src, r); return;                  \
    case HR_REDUCE_DEVIATIONS: columns_deviations_##T(acc, src, r); return;
#define INTEGER_COLUMNS(D, T)                                                          \
    case HR_##D:                                                                       \
        switch (op) {                                                                  \
            COLUMN_CASES(D, T)                                                         \
        case HR_REDUCE_SUM: columns_sum_##T(acc, src, r); return;                      \
        default: columns_real_sum_##T(acc, src, r); return;                            \
        }
#define REAL_COLUMNS(D, T)                                                             \
    case HR_##D:                                                                       \
        switch (op) {                                                                  \
            COLUMN_CASES(D, T)                                                         \
        default: columns_sum_##T(acc, src, r); return;                                 \
        }
    switch (t) {
        EACH_TYPE(INTEGER_COLUMNS)
        EACH_REAL(REAL_COLUMNS)
    default: return;
    }
}
