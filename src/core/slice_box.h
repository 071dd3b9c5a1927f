/* The arguments that the slicing operators share: which axes, and where the region begins and
 * ends. An operator embeds hr__slice_args in its argument struct and lists HR__SLICE_AXES_ARGS,
 * HR__SLICE_END_ARG, HR__SLICE_NORMALIZED_ARGS and HR__SLICE_PLACE_ARGS in alphabetical order.
 * Thread use: plain functions of their arguments. */
#ifndef HR_CORE_SLICE_BOX_H
#define HR_CORE_SLICE_BOX_H

#include "core/crop_box.h"

typedef struct hr__slice_args {
    hr_ints axes, start, end, shape;
    hr_floats rel_start, rel_end, rel_shape;
    const char *axis_names;
    int normalized_anchor, normalized_shape;
} hr__slice_args;

#define HR__SLICE_AXES_ARGS(type, member)                                              \
    HR__MEMBER_ARG(type, member, axes, INTS, .flags = HR_PER_SAMPLE, .initial = "[1, 0]",  \
                   .doc = "The axes that the region is given for, negative ones counted from "  \
                          "the back; all when empty. Not together with `axis_names`."),  \
    HR__MEMBER_ARG(type, member, axis_names, LAYOUT, .initial = "WH",                   \
                   .doc = "The axes by their letters in the input's layout; an input without "  \
                          "layout counts as HW, HWC or DHWC. Stands before the default of "  \
                          "`axes`.")

#define HR__SLICE_END_ARG(type, member)                                                \
    HR__MEMBER_ARG(type, member, end, INTS, .flags = HR_PER_SAMPLE,                     \
                   .doc = "Where the region ends (not in it), in elements; one value, or one an "  \
                          "axis. Of `end`, `rel_end`, `shape`, `rel_shape` at most one is "  \
                          "given; without one the region ends with the input.")

#define HR__SLICE_NORMALIZED_ARGS(type, member)                                        \
    HR__MEMBER_ARG(type, member, normalized_anchor, BOOL, .initial = "True",            \
                   .doc = "Is the `anchor` input in shares of the extent? Integers never "  \
                          "are."),                                                     \
    HR__MEMBER_ARG(type, member, normalized_shape, BOOL, .initial = "True",             \
                   .doc = "Is the `shape_input` in shares of the extent? Integers never are.")

#define HR__SLICE_REL_ARGS(type, member)                                               \
    HR__MEMBER_ARG(type, member, rel_end, FLOATS, .flags = HR_PER_SAMPLE,               \
                   .doc = "Where the region ends, as a share of the extent."),         \
    HR__MEMBER_ARG(type, member, rel_shape, FLOATS, .flags = HR_PER_SAMPLE,             \
                   .doc = "Extents of the region, as shares of the input's."),         \
    HR__MEMBER_ARG(type, member, rel_start, FLOATS, .flags = HR_PER_SAMPLE,             \
                   .doc = "Where the region begins, as a share of the extent. Not together "  \
                          "with `start`.")

#define HR__SLICE_PLACE_ARGS(type, member)                                             \
    HR__SLICE_REL_ARGS(type, member),                                                  \
    HR__MEMBER_ARG(type, member, shape, INTS, .flags = HR_PER_SAMPLE,                   \
                   .doc = "Extents of the region, in elements."),                      \
    HR__MEMBER_ARG(type, member, start, INTS, .flags = HR_PER_SAMPLE,                   \
                   .doc = "Where the region begins, in elements; 0 when not given.")

/* Are the arguments and the inputs after the first given in an allowed combination? For setup. */
HR_CHECKED hr_status hr__slice_check(const hr_call *call, hr_error *err);

/* An input to cut a region out of, and the two inputs that may place it (NULL: left out). */
typedef struct hr__slice_target {
    const hr_call *call; /* tells which arguments were given */
    int ndim;
    const int64_t *extent;
    const char *layout; /* with the default for its rank, or "" */
    const hr_tensor *anchor, *shape;
} hr__slice_target;

/* The region on every axis; axes that are not named are whole. No policy is applied yet. */
HR_CHECKED hr_status hr__slice_find(const hr__slice_args *a, const hr__slice_target *t,
                                    hr__box *out, hr_error *err);

/* The policy for regions over the edge: HR_VALUE ("error"), or trimmed. */
HR_CHECKED hr_status hr__slice_limit(const int64_t *extent, int policy, hr__box *box,
                                     hr_error *err);

/* "", HW, HWC or DHWC: what slicing takes a tensor without a layout for. */
const char *hr__slice_default_layout(int ndim);

#endif
