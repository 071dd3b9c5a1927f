/* An operand of an element-wise operator as packed elements of the type that is computed in, a
 * block at a time: converted and broadcast on the way, so that nothing of the output's size is
 * made. Blocks are asked for in order or not; a block lives until the next is asked for.
 * Thread use: one thread an operand. */
#ifndef HR_ARRAY_OPERAND_H
#define HR_ARRAY_OPERAND_H

#include "kernels/kernels.h"

enum { HR__OPERAND_BLOCK = 1024 }; /* elements; a few blocks fit the first-level cache */

typedef struct hr__operand {
    const char *data; /* packed, of type `from` */
    hr_dtype from, to;
    enum { HR__OPERAND_WHOLE, HR__OPERAND_TILE, HR__OPERAND_WALK } way;
    int64_t period;   /* TILE: elements that repeat */
    int n_axes;       /* WALK: the output's axes from the right, joined where they can be */
    int64_t extent[HR_MAX_NDIM], stride[HR_MAX_NDIM]; /* stride: elements of the operand */
    char *picked;     /* WALK: a block of type `from` */
    char *block;      /* of type `to`; TILE: a block and a period */
    const hr_kernels *k;
} hr__operand;

/* Dtype, shape and layout of the result: equal extents, or 1 on one side; axes are paired from
 * the right. HR_VALUE with the extents or layouts that do not go together. */
HR_CHECKED hr_status hr__operand_shape(const hr_tensor *const *ins, int n, hr_dtype dtype,
                                       hr_tensor *out, hr_error *err);
/* Operand `in` of a result of out's shape. HR_NOMEM. */
HR_CHECKED hr_status hr__operand_open(hr__operand *o, const hr_sample *s, const hr_tensor *in,
                                      hr_dtype to, hr_error *err);
/* Elements first..first+n-1 of the broadcast operand; n at most HR__OPERAND_BLOCK. */
const void *hr__operand_block(hr__operand *o, int64_t first, int64_t n);
/* n computed elements of type `made` as elements of the result's type. */
void hr__result_store(const hr_kernels *k, hr_dtype result, void *dst, hr_dtype made,
                      const void *src, int64_t n);

#endif
