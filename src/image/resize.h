/* The arguments that resize, random_resized_crop and their relatives share, and what they mean for
 * a picture of a given size. */
#ifndef HR_IMAGE_RESIZE_H
#define HR_IMAGE_RESIZE_H

#include "core/core.h"
#include "image/resample.h"

/* What resize and resize_crop_mirror take. */
extern const hr_in_desc hr__resize_ins[1];

/* ---- filters --------------------------------------------------------------------- */

typedef struct hr__filter_args {
    int antialias;
    hr_interp interp_type, mag_filter, min_filter;
} hr__filter_args;

#define HR__ANTIALIAS_ARG(type, m)                                                     \
    HR__MEMBER_ARG(type, m, antialias, BOOL, .initial = "True",                        \
                   .doc = "Widen the filter by the scale when shrinking. Nearest "     \
                          "neighbour is never widened.")
#define HR__INTERP_ARG(type, m)                                                        \
    HR__MEMBER_ARG(type, m, interp_type, INTERP, .initial = "INTERP_LINEAR",           \
                   .flags = HR_PER_SAMPLE, .doc = "Filter for both directions.")
#define HR__MAG_ARG(type, m)                                                           \
    HR__MEMBER_ARG(type, m, mag_filter, INTERP, .initial = "INTERP_LINEAR",            \
                   .flags = HR_PER_SAMPLE,                                             \
                   .doc = "Filter of an axis that grows or stays; `interp_type` when " \
                          "not given.")
#define HR__MIN_ARG(type, m)                                                           \
    HR__MEMBER_ARG(type, m, min_filter, INTERP, .initial = "INTERP_LINEAR",            \
                   .flags = HR_PER_SAMPLE,                                             \
                   .doc = "Filter of an axis that shrinks; `interp_type` when not given.")

/* The filter that the call's arguments mean. */
hr__resample_filter hr__resize_filter(const hr_call *call, const hr__filter_args *a);

/* ---- sizes ----------------------------------------------------------------------- */

typedef struct hr__size_args {
    hr_floats max_size, roi_end, roi_start, size;
    int mode, roi_relative, subpixel_scale;
    float resize_longer, resize_shorter, resize_x, resize_y, resize_z;
} hr__size_args;

/* mode, resize_longer, resize_shorter; roi_relative, roi_start; subpixel_scale. */
#define HR__SIZE_MODE_ARGS(type, m)                                                    \
    HR__MEMBER_ARG(type, m, mode, CHOICE, .choices = "default|stretch|not_larger|not_smaller",  \
                   .initial = "default",                                               \
                   .doc = "\"default\": axes without a size take the mean scale of the others. "  \
                          "\"stretch\": they stay. \"not_larger\", \"not_smaller\": the aspect ratio is "  \
                          "kept, and the picture fits into the size, or covers it."),  \
    HR__MEMBER_ARG(type, m, resize_longer, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,  \
                   .doc = "Extent of the longer side; the aspect ratio is kept."),     \
    HR__MEMBER_ARG(type, m, resize_shorter, FLOAT, .initial = "0.0", .flags = HR_PER_SAMPLE,  \
                   .doc = "Extent of the shorter side; the aspect ratio is kept. See `max_size`.")
#define HR__SIZE_ROI_ARGS(type, m)                                                     \
    HR__MEMBER_ARG(type, m, roi_relative, BOOL, .initial = "False",                    \
                   .doc = "The region is given in fractions of the input's extents."), \
    HR__MEMBER_ARG(type, m, roi_start, FLOATS, .flags = HR_PER_SAMPLE,                 \
                   .doc = "Start of the region; given together with `roi_end`.")
#define HR__SIZE_SUBPIXEL_ARG(type, m)                                                 \
    HR__MEMBER_ARG(type, m, subpixel_scale, BOOL, .initial = "True",                   \
                   .doc = "If an extent must be rounded, keep the scale and adjust the region; else the "  \
                          "region stays and the scale changes.")

enum { HR__MODE_DEFAULT, HR__MODE_STRETCH, HR__MODE_NOT_LARGER, HR__MODE_NOT_SMALLER };

/* What the arguments ask for, before a picture is known. */
typedef enum hr__size_way {
    HR__SIZE_AXES,    /* resize_x, resize_y, resize_z */
    HR__SIZE_LIST,    /* size */
    HR__SIZE_SHORTER, /* resize_shorter */
    HR__SIZE_LONGER   /* resize_longer */
} hr__size_way;

enum { HR__RESIZE_MAX = 1 << 24 }; /* largest extent: floats count that far */

/* Checks which arguments go together. HR_VALUE. */
HR_CHECKED hr_status hr__size_check(const hr_call *call, hr__size_way *way, hr_error *err);
/* The axes of a picture (ndim 2: H, W; 3: D, H, W) of extents `in`. HR_VALUE names the argument
 * that cannot be met. */
HR_CHECKED hr_status hr__size_spans(const hr__size_args *a, hr__size_way way, const int64_t *in,
                                    int ndim, hr__resample_span *spans, hr_error *err);

/* ---- the rest -------------------------------------------------------------------- */

#define HR__RESIZE_DTYPE_ARG(type)                                                     \
    HR_ARG(type, dtype, DTYPE,                                                         \
           .doc = "Type of the output: float32, or the input's, which is the default. Integers "  \
                  "are rounded, halves away from zero, and clamped.")
/* How the peer is to work; nothing here. */
#define HR__MINIBATCH_ARG(type)                                                        \
    HR_ARG(type, minibatch_size, INT, .initial = "32", .flags = HR_HINT,               \
           .doc = "Pictures the peer works on at a time; changes nothing here.")
#define HR__BUFFER_HINT_ARG(type)                                                      \
    HR_ARG(type, temp_buffer_hint, INT, .initial = "0", .flags = HR_HINT,              \
           .doc = "Size of a buffer of the peer; changes nothing here.")

/* ---- layouts --------------------------------------------------------------------- */

/* A tensor as `outer` pictures or volumes of `channels` interleaved elements. */
typedef struct hr__picture_axes {
    int first, n; /* spatial axes: they are neighbours in every layout accepted */
    int64_t outer, channels;
} hr__picture_axes;

hr__picture_axes hr__picture_axes_of(const hr_tensor *t, const char *layout);
/* The output of a resize of s->in[0]: `dtype` (or the input's), the spans' extents, the layout. */
HR_CHECKED hr_status hr__resize_output(const hr_sample *s, hr_dtype dtype,
                                       const hr__resample_span *spans, hr_error *err);
/* Resamples s->in[0] into s->out[0]. */
HR_CHECKED hr_status hr__resize_run(const hr_sample *s, const hr__resample_span *spans,
                                    const hr__resample_filter *filter, hr_error *err);

#endif
