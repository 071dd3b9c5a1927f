/* Stand-ins: what a sample of an empty batch would look like, so that shape rules can tell the
 * type, rank and layout of an empty output. Their elements are zeros; a file is the smallest PNG. */
#include "core/core.h"

#include <string.h>

/* One gray pixel (ISO/IEC 15948): signature, IHDR, IDAT, IEND. */
static const uint8_t smallest_png[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0,
    0, 1, 8, 0, 0, 0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 218, 99,
    96, 0, 0, 0, 2, 0, 1, 229, 39, 222, 252, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96,
    130};

/* Rules may look at the elements of lists, not of pictures: a list's are all there. */
enum { ZEROS = 8 << 10 };

const hr_tensor *hr__stand_in(const hr_in_desc *desc, const hr_tensor *like, int64_t extent,
                              hr_arena *arena)
{
    int is_file = (desc->flags & HR_IN_ENCODED) != 0;
    if (is_file) extent = (int64_t)sizeof smallest_png;
    int64_t shape[HR_MAX_NDIM];
    for (int d = 0; d < HR_MAX_NDIM; d++) shape[d] = extent;
    hr_tensor *t = hr_arena_take(arena, sizeof *t);
    uint8_t *data = hr_arena_take(arena, ZEROS);
    if (!t || !data || hr_tensor_shape(t, like->dtype, like->ndim, shape, NULL) != HR_OK)
        return NULL;
    memset(data, 0, ZEROS);
    if (is_file) memcpy(data, smallest_png, sizeof smallest_png);
    memcpy(t->layout, like->layout, sizeof t->layout);
    t->data = data;
    return t;
}
