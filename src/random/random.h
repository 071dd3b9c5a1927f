/* What the operators of this room share: output shapes and tiles of independent elements. */
#ifndef HR_RANDOM_RANDOM_H
#define HR_RANDOM_RANDOM_H

#include "kernels/kernels.h"
#include "rng/rng.h"

/* The output of a generator: as `shape`, else as input `like` (an index; may be absent), else a
 * scalar. `pool` (may be NULL) adds the axes of its rows. HR_VALUE when both are given. */
HR_CHECKED hr_status hr__random_infer(const hr_sample *s, hr_dtype dtype, hr_ints shape, int like,
                                      const hr_tensor *pool, hr_error *err);

/* Is `given` (HR_DTYPE_NONE: `fallback`) one of `allowed`? HR_TYPE names it. */
HR_CHECKED hr_status hr__random_dtype(hr_dtype *out, hr_dtype given, hr_dtype fallback,
                                      uint64_t allowed, hr_error *err);

/* Types whose numbers are made in double: integers of 4 and more bytes, and double. */
int hr__random_is_wide(hr_dtype dtype);

/* Argument `name` as a whole type has it: cut to an integer, which must lie within the type
 * (HR_VALUE). A float cannot hold the largest numbers of 32 and 64 bits; what it rounds them to,
 * one above, stands for them. */
HR_CHECKED hr_status hr__random_to_whole(double *out, const char *name, float value,
                                         hr_dtype dtype, hr_error *err);

/* The types that continuous distributions are made in. */
#define HR_DTYPES_RANDOM (HR_DTYPES_INT | HR_DTYPES(HR_F32) | HR_DTYPES(HR_F64))

/* The number of elements whose words, numbers and inputs lie in the first-level cache. */
enum { HR_RANDOM_TILE = 256, HR_RANDOM_MAX_WORDS = 4 };

/* Makes elements first..first+n-1 of a tile: `words` holds n * n_words words, `in` n input
 * elements in the working type (NULL without input), `out` takes n in the working type. */
typedef struct hr_random_tile {
    const void *params;
    const hr_kernels *kernels;
    const uint32_t *words;
    const void *in;
    void *out;
    int64_t n;
} hr_random_tile;

typedef struct hr_random_fill {
    void (*make)(const hr_random_tile *tile);
    const void *params;
    int n_words;   /* words an element takes */
    hr_dtype work; /* the working type */
} hr_random_fill;

/* Fills s->out[0] tile by tile, converting from the working type; with `in`, hands its elements
 * over in the working type. */
void hr__random_fill(const hr_sample *s, const hr_tensor *in, const hr_random_fill *f);

#endif
