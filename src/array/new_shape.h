/* What reshape and reinterpret share: extents from `shape` (argument or input), `rel_shape` and
 * `src_dims`, with at most one left open. An operator embeds hr__new_shape_args first in its
 * argument struct and lists HR__NEW_SHAPE_ARGS.
 * Thread use: plain functions of their arguments. */
#ifndef HR_ARRAY_NEW_SHAPE_H
#define HR_ARRAY_NEW_SHAPE_H

#include "core/core.h"

typedef struct hr__new_shape_args {
    const char *layout;
    hr_floats rel_shape;
    hr_ints shape, src_dims;
} hr__new_shape_args;

/* layout … src_dims of the struct `base` of `type`. */
#define HR__NEW_SHAPE_ARGS(type)                                                       \
    HR__MEMBER_ARG(type, base, layout, LAYOUT,                                         \
        .doc = "Layout of the output; \"\" takes it away. Not given: the input's where the "  \
               "number of axes stays, else none."),                                    \
    HR__MEMBER_ARG(type, base, rel_shape, FLOATS, .flags = HR_PER_SAMPLE,              \
        .doc = "Extents as multiples of the input's (of those in `src_dims`, if given), "  \
               "rounded. One may be negative, as in `shape`."),                        \
    HR__MEMBER_ARG(type, base, shape, INTS, .flags = HR_PER_SAMPLE,                    \
        .doc = "Extents of the output. One may be negative: it becomes what the number of "  \
               "bytes asks for. Not together with `rel_shape` or the input `shape_input`."),  \
    HR__MEMBER_ARG(type, base, src_dims, INTS, .flags = HR_PER_SAMPLE,                 \
        .doc = "For each axis of the output the input's axis whose extent it takes, or -1 for "  \
               "a new axis of extent 1. `shape` takes its place.")

/* At most one source of extents. For setup. */
HR_CHECKED hr_status hr__new_shape_check(const hr_call *call, hr_error *err);
/* Does the call give extents by any argument or input? */
int hr__new_shape_given(const hr_call *call);
/* Shape, dtype and layout of s->out[0]: as many bytes as the input. */
HR_CHECKED hr_status hr__new_shape_infer(const hr_sample *s, const hr__new_shape_args *a,
                                         hr_dtype dtype, hr_error *err);

extern const hr_in_desc hr__new_shape_ins[2];

#endif
