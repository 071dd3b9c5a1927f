/* The window arguments that all cropping operators share: crop, crop_d/h/w, crop_pos_x/y/z,
 * rounding, out_of_bounds_policy. An operator embeds hr__crop_args in its argument struct and
 * lists HR__CROP_ARGS and HR__CROP_ROUNDING_ARG in its descriptor (alphabetical order).
 * Thread use: plain functions of their arguments. */
#ifndef HR_CORE_CROP_BOX_H
#define HR_CORE_CROP_BOX_H

#include "core/core.h"

typedef struct hr__crop_args {
    hr_floats crop; /* (h, w) or (d, h, w) */
    float crop_d, crop_h, crop_w;
    float crop_pos_x, crop_pos_y, crop_pos_z;
    int rounding; /* hr__rounding */
} hr__crop_args;

enum { HR__ROUND, HR__TRUNCATE };
enum { HR__BOUNDS_ERROR, HR__BOUNDS_CONSTANT, HR__BOUNDS_PAD, HR__BOUNDS_TRIM };
/* Does the policy fill up what lies outside? */
static inline int hr__bounds_fill(int policy)
{
    return policy == HR__BOUNDS_PAD || policy == HR__BOUNDS_CONSTANT;
}

/* crop … crop_w of the struct `member` of `type`. */
#define HR__CROP_ARGS(type, member)                                                    \
    HR__MEMBER_ARG(type, member, crop, FLOATS, .flags = HR_PER_SAMPLE, .min_n = 2,     \
                   .max_n = 3,                                                         \
                   .doc = "Shape of the window: (height, width) or (depth, height, width); "  \
                          "fractions are cut off, and an extent below 1 means the whole "  \
                          "axis. Not together with crop_d, crop_h, crop_w."),          \
    HR__MEMBER_ARG(type, member, crop_d, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0",  \
                   .doc = "Depth of the window (volumes; frames of a sequence); needs crop_h and "  \
                          "crop_w."),                                                  \
    HR__MEMBER_ARG(type, member, crop_h, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0",  \
                   .doc = "Height of the window; needs crop_w. 0: the whole height."), \
    HR__MEMBER_ARG(type, member, crop_pos_x, FLOAT, .flags = HR_PER_SAMPLE,            \
                   .initial = "0.5", .min = 0, .max = 1,                               \
                   .doc = "Place of the window in x: 0 is the left end, 1 the right end; "  \
                          "the first column is crop_pos_x * (width - window width)."), \
    HR__MEMBER_ARG(type, member, crop_pos_y, FLOAT, .flags = HR_PER_SAMPLE,            \
                   .initial = "0.5", .min = 0, .max = 1,                               \
                   .doc = "Place of the window in y, likewise; 0 is the top."),        \
    HR__MEMBER_ARG(type, member, crop_pos_z, FLOAT, .flags = HR_PER_SAMPLE,            \
                   .initial = "0.5", .min = 0, .max = 1,                               \
                   .doc = "Place of the window in depth or frames, likewise; 0 is the first."),  \
    HR__MEMBER_ARG(type, member, crop_w, FLOAT, .flags = HR_PER_SAMPLE, .initial = "0.0",  \
                   .doc = "Width of the window; needs crop_h. 0: the whole width.")

#define HR__CROP_ROUNDING_ARG(type, member)                                            \
    HR__MEMBER_ARG(type, member, rounding, CHOICE, .initial = "round",                 \
                   .choices = "round|truncate",                                        \
                   .doc = "How the window's first row and column become whole numbers: "  \
                          "to the nearest, halves away from zero, or cut off.")

#define HR__CROP_BOUNDS_ARG(type, field)                                               \
    HR_ARG(type, field, CHOICE, .initial = "error",                                    \
           .choices = "error|constant|pad|trim_to_shape",                              \
           .doc = "What a window over the input's edge means: an error, filling up with "  \
                  "fill_values (\"pad\" or \"constant\"), or a smaller window.")

/* Are the size arguments given in an allowed combination? HR_VALUE. For setup. */
HR_CHECKED hr_status hr__crop_check(const hr_call *call, hr_error *err);

/* A window over up to three axes, in the order z y x. */
typedef struct hr__window {
    int64_t start[3], size[3];
} hr__window;

/* The window in an input of `extent`; an axis of extent -1 does not exist (start 0, size 1).
 * HR_VALUE for a size that is not finite or over 2^31, or a position outside 0..1. */
HR_CHECKED hr_status hr__window_find(const hr__crop_args *a, const int64_t extent[3],
                                     hr__window *out, hr_error *err);

/* The same for a tensor: window starts and sizes of every axis of `layout`, whole axes besides
 * D (or else F), H and W; then the policy: HR_VALUE for a window over the edge ("error"), or
 * trimmed. */
typedef struct hr__box {
    int ndim;
    int64_t start[HR_MAX_NDIM], size[HR_MAX_NDIM];
} hr__box;
HR_CHECKED hr_status hr__crop_box(const hr__crop_args *a, const hr_tensor *in,
                                  const char *layout, int policy, hr__box *out, hr_error *err);

#endif
