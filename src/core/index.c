/* Index expressions: a part of a tensor as a view. */
#include <headrace/tensor.h>

#include <string.h>

typedef struct cursor {
    int axis;         /* next axis of the input */
    int named;        /* has the new axes' layout all letters so far? */
    hr_tensor out;
} cursor;

static hr_status keep_axis(cursor *c, const hr_tensor *in, hr_error *err)
{
    if (c->out.ndim == HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "an index gives more than %d axes", HR_MAX_NDIM);
    int d = c->out.ndim++;
    c->out.shape[d] = in->shape[c->axis];
    c->out.stride[d] = in->stride[c->axis];
    c->out.layout[d] = in->layout[0] ? in->layout[c->axis] : '\0';
    c->axis++;
    return HR_OK;
}

static hr_status add_axis(cursor *c, hr_error *err)
{
    if (c->out.ndim == HR_MAX_NDIM)
        return hr_fail(err, HR_VALUE, "an index gives more than %d axes", HR_MAX_NDIM);
    c->out.shape[c->out.ndim++] = 1; /* its stride is never used */
    c->named = 0;                    /* no letter is known for it */
    return HR_OK;
}

static hr_status take_place(cursor *c, const hr_tensor *in, int64_t place, hr_error *err)
{
    int64_t n = in->shape[c->axis];
    if (place < -n || place >= n)
        return hr_fail(err, HR_INDEX, "index %lld is outside axis %d, which has %lld elements",
                       (long long)place, c->axis, (long long)n);
    if (place < 0) place += n;
    c->out.data = (char *)c->out.data + place * in->stride[c->axis];
    c->axis++;
    return HR_OK;
}

/* As Python's slice: bounds are clamped, never an error. */
static hr_status take_range(cursor *c, const hr_tensor *in, const hr_index *part, hr_error *err)
{
    int64_t n = in->shape[c->axis], step = part->step;
    if (step == 0) return hr_fail(err, HR_VALUE, "the step of axis %d is 0", c->axis);
    if (step < -INT64_MAX / 2) step = -INT64_MAX / 2; /* so that it can be negated */
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t start = step > 0 ? low : high, stop = step > 0 ? high : low;
    if (part->has_start) {
        start = part->start < 0 ? (part->start < -n ? -1 : part->start + n) : part->start;
        start = start < low ? low : start > high ? high : start;
    }
    if (part->has_stop) {
        stop = part->stop < 0 ? (part->stop < -n ? -1 : part->stop + n) : part->stop;
        stop = stop < low ? low : stop > high ? high : stop;
    }
    int64_t count = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0)
                             : (start > stop ? (start - stop - 1) / -step + 1 : 0);
    HR_TRY(keep_axis(c, in, err));
    int d = c->out.ndim - 1;
    if (count) c->out.data = (char *)c->out.data + start * c->out.stride[d];
    c->out.shape[d] = count;
    c->out.stride[d] *= count > 1 ? step : 1;
    return HR_OK;
}

static hr_status take_part(cursor *c, const hr_tensor *in, const hr_index *part, int rest,
                           hr_error *err)
{
    switch (part->kind) {
    case HR_INDEX_AT: return take_place(c, in, part->start, err);
    case HR_INDEX_RANGE: return take_range(c, in, part, err);
    case HR_INDEX_NEW_AXIS: return add_axis(c, err);
    case HR_INDEX_REST:
        for (; rest > 0; rest--) HR_TRY(keep_axis(c, in, err));
        return HR_OK;
    }
    return hr_fail(err, HR_BUG, "unknown kind of index");
}

hr_status hr_tensor_index(hr_tensor *out, const hr_tensor *in, const hr_index *parts, int n,
                          hr_error *err)
{
    int used = 0, rests = 0;
    for (int i = 0; i < n; i++) {
        used += parts[i].kind == HR_INDEX_AT || parts[i].kind == HR_INDEX_RANGE;
        rests += parts[i].kind == HR_INDEX_REST;
    }
    if (used > in->ndim)
        return hr_fail(err, HR_VALUE, "an index of %d axes for a tensor of %d", used, in->ndim);
    if (rests > 1) return hr_fail(err, HR_VALUE, "an index has %d `...`, it may have one", rests);
    cursor c = {.named = in->layout[0] != '\0', .out = {.dtype = in->dtype, .data = in->data,
                .device_type = in->device_type, .device_id = in->device_id}};
    for (int i = 0; i < n; i++) HR_TRY(take_part(&c, in, &parts[i], in->ndim - used, err));
    while (c.axis < in->ndim) HR_TRY(keep_axis(&c, in, err));
    if (!c.named) memset(c.out.layout, 0, sizeof c.out.layout);
    c.out.buf = hr_buf_ref(in->buf, 1);
    c.out.meta = hr_meta_ref(in->meta);
    *out = c.out;
    return HR_OK;
}
