/* From the cropping arguments to a window: start = round(position * (extent - window)). The
 * product is taken in double, as the peer's starts show (float would round 0.9 * 5 up to 4.5). */
#include "core/crop_box.h"

#include <math.h>
#include <string.h>

hr_status hr__crop_check(const hr_call *call, hr_error *err)
{
    int crop = hr_call_has(call, "crop"), d = hr_call_has(call, "crop_d");
    int h = hr_call_has(call, "crop_h"), w = hr_call_has(call, "crop_w");
    if (crop && (d || h || w))
        return hr_fail(err, HR_VALUE, "`crop` and `crop_%c` exclude each other",
                       d ? 'd' : h ? 'h' : 'w');
    if (h != w)
        return hr_fail(err, HR_VALUE, "`crop_%c` needs `crop_%c`: give both or neither",
                       h ? 'h' : 'w', h ? 'w' : 'h');
    if (d && !h)
        return hr_fail(err, HR_VALUE, "`crop_d` needs `crop_h` and `crop_w`: give all three");
    return HR_OK;
}

static const char axis_letter[3] = {'z', 'y', 'x'};
static const char *const size_name[3] = {"depth", "height", "width"};

static hr_status window_size(float wanted, int axis, int64_t extent, int64_t *size,
                             hr_error *err)
{
    if (!(wanted < 0x1p31f && wanted > -0x1p31f))
        return hr_fail(err, HR_VALUE, "the window's %s is %g, it must be below 2^31",
                       size_name[axis], (double)wanted);
    *size = wanted < 1 ? extent : (int64_t)wanted;
    return HR_OK;
}

static hr_status window_start(float position, int axis, int64_t room, int rounding,
                              int64_t *start, hr_error *err)
{
    if (!(position >= 0 && position <= 1))
        return hr_fail(err, HR_VALUE, "`crop_pos_%c` is %g, it must be within 0..1",
                       axis_letter[axis], (double)position);
    double x = (double)position * (double)room;
    *start = (int64_t)(rounding == HR__TRUNCATE ? x : round(x));
    return HR_OK;
}

hr_status hr__window_find(const hr__crop_args *a, const int64_t extent[3], hr__window *out,
                          hr_error *err)
{
    float wanted[3] = {a->crop_d, a->crop_h, a->crop_w};
    const float position[3] = {a->crop_pos_z, a->crop_pos_y, a->crop_pos_x};
    if (a->crop.n >= 2) {
        wanted[0] = a->crop.n >= 3 ? a->crop.v[0] : 0;
        wanted[1] = a->crop.v[a->crop.n - 2];
        wanted[2] = a->crop.v[a->crop.n - 1];
    }
    for (int i = 0; i < 3; i++) {
        out->start[i] = 0;
        out->size[i] = 1;
        if (extent[i] < 0) continue;
        HR_TRY(window_size(wanted[i], i, extent[i], &out->size[i], err));
        HR_TRY(window_start(position[i], i, extent[i] - out->size[i], a->rounding,
                            &out->start[i], err));
    }
    return HR_OK;
}

static hr_status apply_policy(const hr_tensor *in, char letter, int axis, int policy,
                              hr__box *b, hr_error *err)
{
    int64_t extent = in->shape[axis], start = b->start[axis], end = start + b->size[axis];
    if (start >= 0 && end <= extent) return HR_OK;
    if (policy == HR__BOUNDS_ERROR)
        return hr_fail(err, HR_VALUE,
                       "the window takes %lld..%lld of axis %c, the input has 0..%lld",
                       (long long)start, (long long)end, letter, (long long)extent);
    if (policy == HR__BOUNDS_TRIM) {
        start = start < 0 ? 0 : start;
        end = end > extent ? extent : end;
        b->start[axis] = start;
        b->size[axis] = end > start ? end - start : 0;
    }
    return HR_OK;
}

hr_status hr__crop_box(const hr__crop_args *a, const hr_tensor *in, const char *layout,
                       int policy, hr__box *out, hr_error *err)
{
    static const char letters[] = "DHW"; /* without a D axis, F is cropped as depth */
    int axis[3];
    int64_t extent[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = hr_layout_find(layout, letters[i]);
        if (i == 0 && axis[i] < 0) axis[i] = hr_layout_find(layout, 'F');
        extent[i] = axis[i] < 0 ? -1 : in->shape[axis[i]];
    }
    hr__window w;
    HR_TRY(hr__window_find(a, extent, &w, err));
    out->ndim = in->ndim;
    memset(out->start, 0, sizeof out->start);
    memcpy(out->size, in->shape, sizeof out->size);
    for (int i = 0; i < 3; i++) {
        if (axis[i] < 0) continue;
        out->start[axis[i]] = w.start[i];
        out->size[axis[i]] = w.size[i];
        HR_TRY(apply_policy(in, layout[axis[i]], axis[i], policy, out, err));
    }
    return HR_OK;
}
