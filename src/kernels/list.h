/* The kernel list: X(name, return type, (parameters)). Add a line, and the function HR_K(name) in
 * a file of this room named in meson.build. */
#ifndef HR_KERNELS_LIST_H
#define HR_KERNELS_LIST_H

#include "kernels/arith.h"
#include "kernels/normalize.h"
#include "kernels/reduce.h"
#include "kernels/resample.h"
#include "kernels/transpose.h"
#include "kernels/warp.h"

#define HR_KERNEL_MAP(X)                                                               \
    /* convert.c: n elements, see hr_dtype_convert */                                  \
    X(convert, void,                                                                   \
      (hr_dtype to, void *restrict dst, hr_dtype from, const void *restrict src, size_t n)) \
    /* arith.c: n elements of one type; an hr_arith_fault */                           \
    X(binary, int, (int op, hr_dtype t, void *restrict dst, const void *restrict a,    \
                    const void *restrict b, int64_t n))                                \
    X(unary, void,                                                                     \
      (int op, hr_dtype t, void *restrict dst, const void *restrict src, int64_t n))   \
    /* to float16, halves to even, as hardware computes; a cast rounds them away from 0 */ \
    X(half_even, void, (uint16_t * restrict dst, const float *restrict src, int64_t n))  \
    /* flip.c: n pixels of `size` bytes in reverse order */                            \
    X(reverse, void, (uint8_t * restrict dst, const uint8_t *restrict src, int64_t n,  \
                      int64_t size))                                                   \
    /* crc32c.c: the checksum of `n` more bytes; 0 to begin with */                    \
    X(crc32c, uint32_t, (uint32_t crc, const uint8_t *p, size_t n))                    \
    /* philox.c: `words` words for each of a sample's elements first..first+n-1 */     \
    X(philox, void, (const hr_rng *sample, uint64_t first, int64_t n, int words,       \
                     uint32_t *restrict out))                                          \
    /* philox.c: n times min(fma(word, step, low), top) */                             \
    X(uniform_f32, void, (const uint32_t *restrict words, int64_t n, float low,        \
                          float step, float top, float *restrict out))                 \
    X(uniform_f64, void, (const uint32_t *restrict words, int64_t n, double low,       \
                          double step, double top, double *restrict out))              \
    /* normalize.c: pixels to planes, planes to pixels */                              \
    X(split, void, (void *restrict dst, const void *restrict src, const hr_lanes *l))  \
    X(merge, void, (void *restrict dst, const void *restrict src, const hr_lanes *l))  \
    /* reduce.c: a run of n elements into one accumulator, rows into one a column */   \
    X(reduce_run, void, (int op, hr_dtype t, void *restrict acc, const void *restrict src, \
                         int64_t n, double mean))                                      \
    X(reduce_columns, void, (int op, hr_dtype t, void *restrict acc,                   \
                             const void *restrict src, const hr_reduce_rows *r))       \
    /* transpose.c: a plane of elements, turned */                                     \
    X(transpose, void, (void *restrict dst, const void *restrict src, const hr_plane *p)) \
    /* normalize.c: n elements of uint8 or float32 through an affine map */            \
    X(affine, void, (float *restrict dst, const void *restrict src, hr_dtype from,     \
                     int64_t n, const hr_affine *a))                                   \
    /* the same in double: uint8, float32, float64 to float32, float64 */              \
    X(standardize, void, (hr_dtype to, void *restrict dst, hr_dtype from,              \
                          const void *restrict src, int64_t n, const hr_standard *m))  \
    /* tone.c: n uint8 elements to round(x * mul + add), clamped */                    \
    X(affine_u8, void, (uint8_t * restrict dst, const uint8_t *restrict src, int64_t n, \
                        float mul, float add))                                         \
    /* colour.c: n uint8 pixels; `red`: 2 for BGR */                                   \
    X(colour_gray, void, (uint8_t * restrict dst, const uint8_t *restrict src,         \
                          int64_t n, int red))                                         \
    X(colour_to_ycbcr, void, (uint8_t * restrict dst, const uint8_t *restrict src,     \
                              int64_t n, int red))                                     \
    X(colour_from_ycbcr, void, (uint8_t * restrict dst, const uint8_t *restrict src,   \
                                int64_t n, int red))                                   \
    X(colour_gray_to_ycbcr, void, (uint8_t * restrict dst, const uint8_t *restrict src, \
                                   int64_t n))                                         \
    X(colour_luma_to_gray, void, (uint8_t * restrict dst, const uint8_t *restrict src, \
                                  int64_t n))                                          \
    /* warp.c: a row of n pixels; mix_u8: pictures of 1, 3 or 4 channels */            \
    X(warp_pick, void, (void *restrict dst, const hr_warp *w, const hr_warp_row *row,  \
                        int64_t n))                                                    \
    X(warp_mix, void, (float *restrict dst, const hr_warp *w, const hr_warp_row *row,  \
                       int64_t n))                                                     \
    X(warp_mix_u8, void, (uint8_t * restrict dst, const hr_warp *w,                    \
                          const hr_warp_row *row, int64_t n))                          \
    /* picture.c: n decoded pixels of samples of `size` bytes; see there */            \
    X(picture_rgb, void, (void *restrict dst, const void *restrict src, int64_t n,     \
                          int channels, int64_t size))                                 \
    X(picture_first, void, (void *restrict dst, const void *restrict src, int64_t n,   \
                            int channels, int64_t size))                               \
    X(picture_swap, void, (void *restrict dst, const void *restrict src, int64_t n,    \
                           int64_t size))                                              \
    X(picture_gray, void, (void *restrict dst, const void *restrict src, int64_t n,    \
                           int64_t size))                                              \
    X(picture_ycbcr, void, (hr_dtype to, void *restrict dst, const void *restrict src, \
                            int64_t n, int64_t size))                                  \
    X(picture_depth, void, (hr_dtype to, void *restrict dst, const void *restrict src, \
                            int64_t n, int64_t size))                                  \
    /* resample_u8.c, resample_f32.c: n elements of one output row from t->n source rows */ \
    X(resample_rows_u8, void,                                                          \
      (int16_t * restrict dst, const uint8_t *const *rows,                             \
       const hr_resample_taps_u8 *t, int64_t n))                                       \
    X(resample_rows_f32, void,                                                         \
      (float *restrict dst, hr_dtype from, const void *const *rows,                    \
       const hr_resample_taps_f32 *t, int64_t n))                                      \
    /* the row is finished: clamp((v + half) >> round) */                              \
    X(resample_round_u8, void,                                                         \
      (uint8_t *restrict dst, const int16_t *restrict src, int64_t n, int round))      \
    X(resample_cols_u8, void, (const hr_resample_cols *job))                           \
    X(resample_cols_f32, void, (const hr_resample_cols *job))                          \
    /* resample_pick.c: dst pixel i = src pixel index[i], of `size` bytes */           \
    X(resample_pick, void,                                                             \
      (void *restrict dst, const void *restrict src, const int32_t *index, int64_t n,  \
       int64_t size))

#endif
