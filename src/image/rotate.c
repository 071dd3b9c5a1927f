/* rotate: pictures about their centre, volumes about an axis through it. */
#include <math.h>
#include <string.h>

#include "core/args_text.h"
#include "image/resize.h"
#include "image/warp.h"

typedef struct rotate_args {
    float angle, fill_value;
    hr_floats axis, size;
    hr_dtype dtype, output_dtype;
    hr_interp interp_type;
    int keep_size;
} rotate_args;

static const hr_arg_desc rotate_desc[] = {
    HR_ARG(rotate_args, angle, FLOAT, .flags = HR_REQUIRED | HR_PER_SAMPLE,
           .doc = "Angle in degrees, counter-clockwise as seen on the screen; of volumes: as seen "
                  "from the end of `axis`, with y pointing down."),
    HR_ARG(rotate_args, axis, FLOATS, .flags = HR_PER_SAMPLE,
           .doc = "Volumes: the axis (x, y, z), of any length but 0. Not looked at for pictures."),
    HR_ARG(rotate_args, dtype, DTYPE,
           .doc = "Type of the output: the input's, which is the default, or float32; from float32 "
                  "also uint8, uint16, int16 and int32, rounded, halves away from zero, and "
                  "clamped."),
    HR_ARG(rotate_args, fill_value, FLOAT,
           .doc = "Value of what lies outside of the input, converted to the output's type. When "
                  "not given, the nearest pixel of the input is repeated."),
    HR_ARG(rotate_args, interp_type, INTERP, .initial = "INTERP_LINEAR",
           .doc = "INTERP_LINEAR or INTERP_NN (nearest neighbour)."),
    HR_ARG(rotate_args, keep_size, BOOL, .initial = "False",
           .doc = "The output has the input's extents; what turns out of them is lost. By default "
                  "it is as large as the turned input."),
    HR_ARG(rotate_args, output_dtype, DTYPE, .flags = HR_DEPRECATED,
           .doc = "Former name of `dtype`."),
    HR_ARG(rotate_args, size, FLOATS, .flags = HR_PER_SAMPLE, .initial = "[]", .max_n = 3,
           .doc = "Extents of the output, (H, W) or (D, H, W), cut off to whole pixels; stronger "
                  "than `keep_size`. Empty: not given."),
};

static hr_status rotate_setup(hr_call *call, hr_error *err)
{
    const rotate_args *a = (const rotate_args *)(const void *)call->args;
    HR_TRY(hr__call_check_dtypes(call, err));
    if (a->interp_type != HR_INTERP_NN && a->interp_type != HR_INTERP_LINEAR)
        return hr_fail(err, HR_VALUE, "`interp_type` is %s, it must be INTERP_NN or INTERP_LINEAR",
                       hr__interp_name(a->interp_type));
    return HR_OK;
}

static float to_radians(float degrees) { return degrees * 0.017453292519943295f; }

/* From output to source: the turn by -angle. y points down, which makes the angle of a picture
 * counter-clockwise. */
static void turn_picture(float m[3][3], float radians)
{
    float c = (float)cos(radians), s = (float)sin(radians);
    m[0][0] = c, m[0][1] = -s;
    m[1][0] = s, m[1][1] = c;
}

/* Rodrigues' formula; in single precision for places, in double for the canvas. */
#define TURN_VOLUME(T, root)                                                           \
    static void turn_volume_##T(T m[3][3], const float *axis, float radians)           \
    {                                                                                  \
        T a = axis[0], b = axis[1], d = axis[2], n = root(a * a + b * b + d * d);      \
        T x = a / n, y = b / n, z = d / n;                                             \
        T c = (T)cos(radians), s = (T)sin(radians), k = 1 - c;                         \
        const T rows[3][3] = {                                                         \
            {x * x * k + c, x * y * k - z * s, x * z * k + y * s},                     \
            {y * x * k + z * s, y * y * k + c, y * z * k - x * s},                     \
            {z * x * k - y * s, z * y * k + x * s, z * z * k + c},                     \
        };                                                                             \
        memcpy(m, rows, sizeof rows);                                                  \
    }
TURN_VOLUME(float, sqrtf)
TURN_VOLUME(double, sqrt)

static hr_status find_turn(const rotate_args *a, int ndim, hr__warp_map *map, hr_error *err)
{
    float radians = to_radians(a->angle);
    if (!isfinite(a->angle))
        return hr_fail(err, HR_VALUE, "`angle` is %g, a finite number is needed",
                       (double)a->angle);
    memset(map, 0, sizeof *map);
    if (ndim == 2) {
        turn_picture(map->m, radians);
        return HR_OK;
    }
    if (a->axis.n != 3)
        return hr_fail(err, HR_VALUE, a->axis.n < 0 ? "a volume needs an `axis` to turn about"
                                                    : "`axis` has %lld values, it needs 3",
                       (long long)a->axis.n);
    const float *v = a->axis.v;
    float n = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!(isnormal(n) && n > 0))
        return hr_fail(err, HR_VALUE, "`axis` is (%g, %g, %g), which has no direction",
                       (double)v[0], (double)v[1], (double)v[2]);
    turn_volume_float(map->m, v, -radians);
    return HR_OK;
}

/* The smallest canvas that holds the turned input, up to a hundredth of a pixel. An extent is made
 * even or odd like that of the input's axis that lies closest to it, so that small turns blur
 * less (the peer's rule). Extents in the order x, y, z. */
static void find_canvas(const rotate_args *a, const hr__warp_map *map, const int64_t *in, int ndim,
                        int64_t *out)
{
    float radians = to_radians(a->angle);
    double c = cos(radians), s = sin(radians), m[3][3] = {{c, s}, {s, c}};
    if (ndim == 3) turn_volume_double(m, a->axis.v, radians);
    for (int i = 0; i < ndim; i++) {
        double sum = 0;
        int main = i; /* wins ties; which there are in single precision, as the peer has volumes */
        for (int j = 0; j < ndim; j++) {
            sum += fabs(m[i][j]) * (double)in[j];
            double gain = ndim == 3 ? fabsf(map->m[j][i]) - fabsf(map->m[main][i])
                                    : fabs(m[i][j]) - fabs(m[i][main]);
            if (gain > 0) main = j;
        }
        int64_t extent = (int64_t)ceil(sum - 1e-2);
        out[i] = extent + (extent % 2 != in[main] % 2);
    }
}

static hr_status read_size(const rotate_args *a, int ndim, int64_t *out, hr_error *err)
{
    if (a->size.n != ndim)
        return hr_fail(err, HR_VALUE, "`size` has %lld values, the input has %d axes to turn",
                       (long long)a->size.n, ndim);
    for (int k = 0; k < ndim; k++) {
        float v = a->size.v[ndim - 1 - k];
        if (!(v >= 0 && v <= HR__RESIZE_MAX))
            return hr_fail(err, HR_VALUE, "`size` is %g, it must lie within 0 and %d", (double)v,
                           HR__RESIZE_MAX);
        out[k] = (int64_t)v;
    }
    return HR_OK;
}

typedef struct turn {
    hr__picture_axes axes;
    hr__warp_map map;
    int64_t out[3]; /* x, y, z */
} turn;

static hr_status find_all(const hr_sample *s, turn *t, hr_error *err)
{
    const rotate_args *a = s->args;
    const hr_tensor *in = s->in[0];
    int64_t extent[3] = {0};
    t->axes = hr__picture_axes_of(in, s->call->in[0].layout);
    int ndim = t->axes.n;
    for (int k = 0; k < ndim; k++) extent[k] = in->shape[t->axes.first + ndim - 1 - k];
    HR_TRY(find_turn(a, ndim, &t->map, err));
    if (a->size.n > 0) HR_TRY(read_size(a, ndim, t->out, err));
    else if (a->keep_size) memcpy(t->out, extent, sizeof extent);
    else find_canvas(a, &t->map, extent, ndim, t->out);
    HR_TRY(hr__warp_check(extent, t->out, ndim, err));
    hr__warp_centre(&t->map, extent, t->out, ndim);
    return HR_OK;
}

static int is_allowed(hr_dtype from, hr_dtype to)
{
    uint64_t whole = HR_DTYPES(HR_U8) | HR_DTYPES(HR_U16) | HR_DTYPES(HR_I16) | HR_DTYPES(HR_I32);
    return to == from || to == HR_F32 || (from == HR_F32 && (HR_DTYPES(to) & whole));
}

static hr_status rotate_infer(const hr_sample *s, hr_error *err)
{
    const rotate_args *a = s->args;
    const hr_tensor *in = s->in[0];
    turn t;
    HR_TRY(find_all(s, &t, err));
    hr_dtype to = a->dtype != HR_DTYPE_NONE          ? a->dtype
                  : a->output_dtype != HR_DTYPE_NONE ? a->output_dtype
                                                     : in->dtype;
    if (!is_allowed(in->dtype, to))
        return hr_fail(err, HR_VALUE, "`dtype` is %s, from %s the output is of that type or float32",
                       hr_dtype_get_info(to)->numpy_name, hr_dtype_get_info(in->dtype)->numpy_name);
    int64_t shape[HR_MAX_NDIM];
    memcpy(shape, in->shape, sizeof shape);
    for (int k = 0; k < t.axes.n; k++) shape[t.axes.first + t.axes.n - 1 - k] = t.out[k];
    HR_TRY(hr_tensor_shape(&s->out[0], to, in->ndim, shape, err));
    memcpy(s->out[0].layout, s->call->in[0].layout, sizeof s->out[0].layout);
    return HR_OK;
}

static hr_status rotate_run(const hr_sample *s, hr_error *err)
{
    const rotate_args *a = s->args;
    turn t;
    HR_TRY(find_all(s, &t, err));
    const hr__warp_args warp = {
        .interp = a->interp_type,
        .fill = hr_call_has(s->call, "fill_value") ? a->fill_value : hr_float_absent()};
    return hr__warp_run(s, &t.map, &warp, err);
}

static const hr_in_desc rotate_ins[] = {
    {.name = "input",
     .dtypes = HR_DTYPES(HR_U8) | HR_DTYPES(HR_U16) | HR_DTYPES(HR_I16) | HR_DTYPES(HR_I32) |
               HR_DTYPES(HR_F32),
     .layouts = "HWC FHWC DHWC FDHWC", .doc = "Pictures, sequences or volumes."},
};

const hr_op_desc hr_op_rotate = {
    .name = "rotate",
    .doc = "Turns pictures about their centre, volumes about an axis through it. uint16 is taken "
           "too, which the peer refuses.",
    .example = "angle=30.0, axis=[0.0, 0.0, 1.0]",
    .ins = rotate_ins, .n_ins = 1, .n_out = 1, .outs = "the turned input, in its layout",
    .args = rotate_desc, .n_args = sizeof rotate_desc / sizeof *rotate_desc,
    .args_size = sizeof(rotate_args),
    .setup = rotate_setup, .infer = rotate_infer, .run = rotate_run,
};
