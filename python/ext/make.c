/* tensor(), as_tensor(), batch() and as_batch(): values to tensors and batches. */
#include "ext.h"

#include "invariant.h"

#include <math.h>
#include <string.h>

typedef struct wish {
    PyObject *data;
    hr_dtype dtype; /* HR_DTYPE_NONE: as it is */
    const char *layout; /* NULL: as it is */
    int pad, copy;
} wish;

int check_device(mod_state *st, PyObject *device)
{
    if (!device || device == Py_None || device == st->str_cpu) return 0;
    device = invariant_value(device);
    PyObject *ok = PyObject_CallMethod(st->slow, "check_device", "(O)", device);
    Py_XDECREF(ok);
    return ok ? 0 : -1;
}

static int parse_wish(mod_state *st, PyObject *args, PyObject *kw, const char *name, wish *w)
{
    int is_batch = strstr(name, "atch") != NULL, is_type = name[0] == 'T' || name[0] == 'B';
    char *names[] = {is_batch ? "tensors" : "data", "dtype", "device", "layout",
                     is_batch || is_type ? NULL : "pad", NULL};
    PyObject *dtype = Py_None, *device = Py_None, *layout = Py_None;
    char format[32];
    snprintf(format, sizeof format, names[4] ? "O|OOOp:%s" : "O|OOO:%s", name);
    if (!parse_arguments(args, kw, format, names, &w->data, &dtype, &device, &layout, &w->pad))
        return -1;
    w->data = invariant_value(w->data);
    dtype = invariant_value(dtype);
    layout = invariant_value(layout);
    w->dtype = HR_DTYPE_NONE;
    if (dtype != Py_None && dtype_from_object(st, dtype, &w->dtype) < 0) return -1;
    if (check_device(st, device) < 0) return -1;
    if (layout != Py_None && !PyUnicode_Check(layout)) {
        PyErr_Format(PyExc_ValueError, "%s(): layout must be a str, got %.100s", name,
                     Py_TYPE(layout)->tp_name);
        return -1;
    }
    w->layout = layout == Py_None ? NULL : PyUnicode_AsUTF8(layout);
    return layout != Py_None && !w->layout ? -1 : 0;
}

/* Gives `t` another type, in memory of its own. */
static int convert(mod_state *st, hr_tensor *t, hr_dtype to)
{
    if (to == HR_DTYPE_NONE || to == t->dtype) return 0;
    hr_tensor packed, out;
    hr_error err = {0};
    hr_status status = hr_tensor_copy(&packed, t, &err);
    if (status == HR_OK) {
        status = hr_tensor_create(&out, to, t->ndim, t->shape, &err);
        if (status == HR_OK) {
            hr_dtype_convert(to, out.data, t->dtype, packed.data, (size_t)hr_tensor_size(t));
            memcpy(out.layout, t->layout, sizeof out.layout);
            out.meta = hr_meta_ref(t->meta);
        }
        hr_tensor_clear(&packed);
    }
    if (status != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    hr_tensor_clear(t);
    *t = out;
    return 0;
}

static int set_layout(mod_state *st, hr_tensor *t, const char *layout)
{
    hr_error err = {0};
    if (!layout || hr_tensor_set_layout(t, layout, &err) == HR_OK) return 0;
    raise_error(st, &err);
    return -1;
}

/* A batch of unequal shapes as one tensor, smaller samples filled up with zeros. */
static int pad_batch(mod_state *st, const hr_batch *b, hr_tensor *out)
{
    int64_t shape[HR_MAX_NDIM + 1] = {b->n};
    for (int64_t i = 0; i < b->n; i++)
        for (int d = 0; d < b->ndim; d++)
            if (b->t[i].shape[d] > shape[d + 1]) shape[d + 1] = b->t[i].shape[d];
    hr_error err = {0};
    if (hr_tensor_create(out, b->dtype, b->ndim + 1, shape, &err) != HR_OK) {
        raise_error(st, &err);
        return -1;
    }
    if (b->layout[0]) snprintf(out->layout, sizeof out->layout, "N%.*s", HR_MAX_NDIM - 1, b->layout);
    memset(out->data, 0, hr_tensor_nbytes(out));
    for (int64_t i = 0; i < b->n; i++) {
        const hr_tensor *t = &b->t[i];
        int64_t n = hr_tensor_size(t);
        size_t size = hr_dtype_size(t->dtype);
        for (int64_t e = 0; e < n; e++) {
            int64_t rest = e;
            const char *src = t->data;
            char *dst = (char *)out->data + i * out->stride[0];
            for (int d = b->ndim - 1; d >= 0; d--) {
                int64_t at = rest % t->shape[d];
                rest /= t->shape[d];
                src += at * t->stride[d];
                dst += at * out->stride[d + 1];
            }
            memcpy(dst, src, size);
        }
    }
    return 0;
}

static int tensor_of_batch(mod_state *st, const hr_batch *b, int pad, hr_tensor *out)
{
    hr_error err = {0};
    hr_status status = hr_batch_as_tensor(out, b, pad ? NULL : &err);
    if (status == HR_VALUE && pad) return pad_batch(st, b, out);
    if (status != HR_OK) {
        if (err.status == HR_OK) err.status = status;
        raise_error(st, &err);
        return -1;
    }
    if (!out->layout[0] && out->ndim == 1) out->layout[0] = 'N';
    return 0;
}

/* One value as a tensor with the wished type. */
static int make_sample(mod_state *st, const wish *w, PyObject *data, hr_tensor *out,
                       int *copied)
{
    if (is_batch(st, data)) {
        if (!batch_value(data) || tensor_of_batch(st, batch_of(data), w->pad, out) < 0) return -1;
        *copied = out->buf != batch_of(data)->t[0].buf;
    } else {
        int status = 1;
        *copied = 1;
        if (is_number_like(data)) status = tensor_from_numbers(st, data, w->dtype, out);
        if (status == 1) status = tensor_from_object(st, data, out, copied);
        if (status < 0) return -1;
    }
    if (w->dtype != HR_DTYPE_NONE && w->dtype != out->dtype) *copied = 1;
    if (convert(st, out, w->dtype) < 0) {
        hr_tensor_clear(out);
        return -1;
    }
    return 0;
}

static PyObject *make_tensor(mod_state *st, PyObject *args, PyObject *kw, const char *name,
                             int copy)
{
    wish w = {.copy = copy};
    if (parse_wish(st, args, kw, name, &w) < 0) return NULL;
    hr_tensor t = {0};
    int copied;
    if (make_sample(st, &w, w.data, &t, &copied) < 0) return NULL;
    if (copy && !copied && tensor_make_own(st, &t) < 0) return NULL;
    if (set_layout(st, &t, w.layout) < 0) {
        hr_tensor_clear(&t);
        return NULL;
    }
    return tensor_wrap(st, &t);
}

PyObject *module_tensor(PyObject *m, PyObject *args, PyObject *kw)
{
    return make_tensor(state_of_module(m), args, kw, "tensor", 1);
}

PyObject *module_as_tensor(PyObject *m, PyObject *args, PyObject *kw)
{
    return make_tensor(state_of_module(m), args, kw, "as_tensor", 0);
}

PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    return make_tensor(PyType_GetModuleState(type), args, kw, "Tensor", 0);
}

/* ---- batches --------------------------------------------------------------------- */

/* Sample i of a tensor's first axis. */
static void split_first(const hr_tensor *t, int64_t i, hr_tensor *out)
{
    *out = (hr_tensor){.dtype = t->dtype, .ndim = t->ndim - 1};
    memcpy(out->shape, t->shape + 1, sizeof out->shape[0] * (size_t)out->ndim);
    memcpy(out->stride, t->stride + 1, sizeof out->stride[0] * (size_t)out->ndim);
    if (t->layout[0]) memcpy(out->layout, t->layout + 1, (size_t)out->ndim);
    out->data = (char *)t->data + i * t->stride[0];
    out->buf = hr_buf_ref(t->buf, 1);
}

static hr_batch *batch_of_array(mod_state *st, const wish *w)
{
    hr_tensor t = {0};
    int copied;
    wish plain = *w;
    plain.layout = NULL;
    if (make_sample(st, &plain, w->data, &t, &copied) < 0) return NULL;
    hr_batch *b = NULL;
    hr_error err = {0};
    if (t.ndim == 0) {
        hr_status status = hr_fail(&err, HR_VALUE, "a batch needs a first axis to be split "
                                   "along; this value has none");
        (void)status;
    } else if (hr_batch_create(&b, t.shape[0], &err) == HR_OK) {
        for (int64_t i = 0; i < b->n; i++) split_first(&t, i, &b->t[i]);
        if (b->n == 0) hr_batch_set_empty(b, t.dtype, t.ndim - 1, t.layout[0] ? t.layout + 1 : "");
    }
    hr_tensor_clear(&t);
    if (!b) raise_error(st, &err);
    return b;
}

static hr_batch *batch_of_items(mod_state *st, const wish *w, PyObject *seq)
{
    Py_ssize_t n = PySequence_Fast_GET_SIZE(seq);
    hr_batch *b = NULL;
    hr_error err = {0};
    if (n == 0 && w->dtype == HR_DTYPE_NONE) {
        PyErr_SetString(PyExc_ValueError, "an empty batch needs a dtype");
        return NULL;
    }
    if (hr_batch_create(&b, n, &err) != HR_OK) {
        raise_error(st, &err);
        return NULL;
    }
    if (n == 0) hr_batch_set_empty(b, w->dtype, 0, w->layout ? w->layout : "");
    wish each = *w;
    for (Py_ssize_t i = 0; i < n; i++) {
        int copied;
        PyObject *item = invariant_value(PySequence_Fast_GET_ITEM(seq, i));
        if (is_batch(st, item)) {
            PyErr_Format(PyExc_TypeError, "sample %zd is a Batch; a batch is made of samples", i);
        } else if (make_sample(st, &each, item, &b->t[i], &copied) == 0) {
            if (i == 0) each.dtype = b->t[0].dtype; /* the first item decides, */
            else if (!b->t[i].layout[0] && b->t[i].ndim == b->t[0].ndim) /* also the layout */
                memcpy(b->t[i].layout, b->t[0].layout, sizeof b->t[i].layout);
            continue;
        } else {
            name_pending_sample(i);
        }
        hr_batch_unref(&b);
        return NULL;
    }
    return b;
}

/* A list, tuple, generator or set of samples; NULL without an exception for an array. */
static PyObject *items_of(mod_state *st, PyObject *data)
{
    if (PyList_Check(data) || PyTuple_Check(data)) return Py_NewRef(data);
    if (is_tensor(st, data) || PyObject_CheckBuffer(data) || PyObject_HasAttr(data, st->str_dlpack) ||
        PyObject_HasAttr(data, st->str_array_interface) || PyObject_HasAttr(data, st->str_array))
        return NULL;
    return PySequence_Fast(data, "a batch is made of a list of samples or of one array");
}

static int finish_batch(mod_state *st, hr_batch *b, const wish *w)
{
    hr_error err = {0};
    for (int64_t i = 0; i < b->n; i++)
        if (set_layout(st, &b->t[i], w->layout) < 0) return -1;
    if (b->n == 0) return 0;
    if (hr_batch_seal(b, &err) == HR_OK) return 0;
    raise_error(st, &err);
    return -1;
}

static PyObject *make_batch(mod_state *st, PyObject *args, PyObject *kw, const char *name,
                            int copy)
{
    wish w = {.copy = copy};
    if (parse_wish(st, args, kw, name, &w) < 0) return NULL;
    if (is_batch(st, w.data) && !copy && w.dtype == HR_DTYPE_NONE && !w.layout)
        return Py_NewRef(w.data);
    if (is_batch(st, w.data) && !batch_value(w.data)) return NULL;
    hr_batch *b;
    PyObject *seq = NULL;
    if (is_batch(st, w.data)) {
        PyObject *list = PyObject_GetAttrString(w.data, "tensors");
        seq = list ? PySequence_List(list) : NULL;
        Py_XDECREF(list);
        if (seq && w.dtype == HR_DTYPE_NONE) w.dtype = batch_of(w.data)->dtype;
    } else {
        seq = items_of(st, w.data);
    }
    if (!seq && PyErr_Occurred()) return NULL;
    b = seq ? batch_of_items(st, &w, seq) : batch_of_array(st, &w);
    Py_XDECREF(seq);
    if (!b) return NULL;
    if (finish_batch(st, b, &w) < 0) {
        hr_batch_unref(&b);
        return NULL;
    }
    if (!copy) return batch_wrap(st, b);
    hr_batch *own = NULL;
    hr_error err = {0};
    hr_status status = hr_batch_copy(&own, b, &err);
    hr_batch_unref(&b);
    return status == HR_OK ? batch_wrap(st, own) : raise_error(st, &err);
}

PyObject *module_batch(PyObject *m, PyObject *args, PyObject *kw)
{
    return make_batch(state_of_module(m), args, kw, "batch", 1);
}

PyObject *module_as_batch(PyObject *m, PyObject *args, PyObject *kw)
{
    return make_batch(state_of_module(m), args, kw, "as_batch", 0);
}

PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    return make_batch(PyType_GetModuleState(type), args, kw, "Batch", 0);
}
