/* What the resampling kernels share with their callers. A picture is resampled rows first: each
 * output row is a weighted sum of source rows. Rows are then taken in blocks and turned so that one
 * vector holds one column of the block ("line"): the horizontal sum is then the same loop as the
 * vertical one, whatever the number of channels. */
#ifndef HR_KERNELS_RESAMPLE_H
#define HR_KERNELS_RESAMPLE_H

#include <stdint.h>

/* Rows in a block, i.e. elements of a line: 64 bytes in both number formats. */
enum { HR_RESAMPLE_LANES_U8 = 32, HR_RESAMPLE_LANES_F32 = 16 };

/* Elements that may be read, never used, behind a row handed to the column kernels. */
enum { HR_RESAMPLE_SLACK = 16 };

/* One row's weights. Fixed point: dst = sum of round((src << shift) * w / 2^15). With one tap the
 * weight is 1 and is not looked at; the shift of that case is `copy_shift`. */
typedef struct hr_resample_taps_u8 {
    const int16_t *w;
    int n, shift, copy_shift;
} hr_resample_taps_u8;

typedef struct hr_resample_taps_f32 {
    const float *w;
    int n;
} hr_resample_taps_f32;

/* A block's horizontal pass. Output pixel x is the sum over k of weight[x * taps + k] times source
 * pixel index[x] + k; one tap is a copy. The index is monotonous. */
typedef struct hr_resample_cols {
    const void *src; /* row r begins at src + r * stride (elements) */
    int64_t stride;
    int n_rows;
    void *const *dst; /* n_rows pointers: uint8 in the u8 kernel, float in the other */
    const int32_t *index;
    const void *weight; /* int16_t or float */
    int taps;
    int round;        /* u8: fraction bits of the sum */
    int64_t n;        /* output pixels */
    int64_t channels;
    int64_t chunk;    /* output pixels to work on at a time */
    void *lines;      /* room for the lines of a chunk's sources, in multiples of 16 lines */
    void *out_lines;  /* room for the lines of a chunk's outputs, likewise */
} hr_resample_cols;

#endif
