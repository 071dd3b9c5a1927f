/* Batch: samples of one dtype, rank and layout. */
#include "ext.h"

#include "arith.h"
#include "capture.h"
#include "index.h"
#include "invariant.h"
#include "selection.h"
#include "source.h"

#include <string.h>

PyObject *batch_wrap(mod_state *st, hr_batch *take_b)
{
    batch_object *self = PyObject_New(batch_object, st->batch_type);
    if (!self) {
        hr_batch_unref(&take_b);
        return NULL;
    }
    self->b = take_b;
    self->step = NULL;
    self->from = (provenance){0};
    self->weakrefs = NULL;
    return (PyObject *)self;
}

PyObject *batch_handle(mod_state *st, hr_step *step, const provenance *from)
{
    PyObject *self = batch_wrap(st, NULL);
    if (!self) return NULL;
    ((batch_object *)self)->step = hr__step_ref(step);
    ((batch_object *)self)->from = *from;
    return self;
}

void batch_set_provenance(PyObject *batch, const provenance *from)
{
    ((batch_object *)batch)->from = *from;
}

hr_batch *batch_wait(PyObject *batch)
{
    batch_object *self = (batch_object *)batch;
    hr_error err = {0};
    gil_gate gate;
    hr_status status;
    hr_step *step = hr__step_ref(self->step);
    hr_port port = self->from.port;
    hr_batch *b = NULL;
    if (hr__step_is_ready(step, port)) {
        status = hr__step_wait(step, port, NULL, NULL, &b, &err);
    } else {
        capture_object *c = capture_active();
        if (c && c->id != self->from.id) c = NULL;
        wait_begin begin = capture_begin_wait(c);
        gate_leave_python(&gate);
        status = hr__step_wait(step, port, gate_poll, &gate, &b, &err);
        gate_enter_python(&gate);
        if (c && capture_active() == c && c->id == self->from.id) capture_end_wait(c, &begin);
    }
    int32_t failed = status == HR_OK ? -1 : hr__step_cause(step, port.node);
    hr__step_unref(&step);
    if (status != HR_OK) {
        capture_raise(state_of(batch), &self->from, failed, &err);
        return NULL;
    }
    if (self->b) { /* another thread was quicker */
        hr_batch_unref(&b);
        return self->b;
    }
    self->b = b;
    hr__step_unref(&self->step);
    return b;
}

static void batch_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((batch_object *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    hr_batch_unref(&batch_of(self));
    hr__step_unref(&((batch_object *)self)->step);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- attributes ------------------------------------------------------------------ */

static PyObject *get_batch_size(PyObject *self, void *closure)
{
    const hr_batch *b = batch_value(self);
    return b ? PyLong_FromLongLong(b->n) : NULL;
}

static PyObject *get_shape(PyObject *self, void *closure)
{
    const hr_batch *b = batch_value(self);
    if (!b) return NULL;
    PyObject *out = PyList_New((Py_ssize_t)b->n);
    for (Py_ssize_t i = 0; out && i < b->n; i++) {
        PyObject *one = tuple_of_extents(b->t[i].shape, b->t[i].ndim);
        if (!one) Py_CLEAR(out);
        else PyList_SET_ITEM(out, i, one);
    }
    return out;
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
    const hr_batch *b = batch_value(self);
    return b ? dtype_get(state_of(self), b->dtype) : NULL;
}

static PyObject *get_layout(PyObject *self, void *closure)
{
    const hr_batch *b = batch_value(self);
    return b ? layout_object(b->layout) : NULL;
}

static PyObject *get_ndim(PyObject *self, void *closure)
{
    if (!batch_value(self)) return NULL;
    if (batch_of(self)->n == 0) {
        PyErr_SetString(PyExc_ValueError, "an empty batch has no rank");
        return NULL;
    }
    return PyLong_FromLong(batch_of(self)->ndim);
}

static PyObject *get_device(PyObject *self, void *closure)
{
    return PyObject_GetAttrString(state_of(self)->slow, "CPU");
}

static PyObject *get_tensors(PyObject *self, void *closure)
{
    hr_batch *b = batch_value(self);
    if (!b) return NULL;
    return tensor_list_new(state_of(self), b, NULL, (Py_ssize_t)b->n);
}

static PyObject *get_sources(PyObject *self, void *closure)
{
    const hr_batch *b = batch_value(self);
    if (!b) return NULL;
    PyObject *out = PyList_New((Py_ssize_t)b->n);
    for (Py_ssize_t i = 0; out && i < b->n; i++) {
        const hr_meta *m = b->t[i].meta;
        PyObject *one = m && m->source[0] ? PyUnicode_DecodeFSDefault(m->source)
                                          : Py_NewRef(Py_None);
        if (!one) Py_CLEAR(out);
        else PyList_SET_ITEM(out, i, one);
    }
    return out;
}

static PyObject *get_failures(PyObject *self, void *closure)
{
    const hr_batch *b = batch_value(self);
    if (!b) return NULL;
    PyObject *out = PyDict_New();
    for (Py_ssize_t i = 0; out && i < b->n; i++) {
        const hr_meta *m = b->t[i].meta;
        if (!m || !m->failure) continue;
        PyObject *key = PyLong_FromSsize_t(i);
        PyObject *text = PyUnicode_DecodeUTF8(m->failure, (Py_ssize_t)strlen(m->failure),
                                              "replace");
        if (!key || !text || PyDict_SetItem(out, key, text) < 0) Py_CLEAR(out);
        Py_XDECREF(key);
        Py_XDECREF(text);
    }
    return out;
}

static PyObject *get_slice(PyObject *self, void *closure)
{
    return slicer_new(state_of(self), self);
}

static PyObject *get_capture_ref(PyObject *self, void *closure)
{
    const provenance *p = batch_provenance(self);
    if (!p->id) Py_RETURN_NONE;
    return Py_BuildValue("(Lii)", (long long)p->step, (int)p->port.node, (int)p->port.out);
}

static PyGetSetDef getset[] = {
    {"batch_size", get_batch_size, NULL, "Number of samples.", NULL},
    {"shape", get_shape, NULL, "The samples' shapes: a list of tuples.", NULL},
    {"dtype", get_dtype, NULL, "Element type.", NULL},
    {"layout", get_layout, NULL, "Axis letters such as 'HWC'; None when unknown.", NULL},
    {"ndim", get_ndim, NULL, "Number of axes of each sample.", NULL},
    {"device", get_device, NULL, "Where the data is.", NULL},
    {"slice", get_slice, NULL, "slice[...] indexes every sample; bounds may be batches.", NULL},
    {"_capture_ref", get_capture_ref, NULL,
     "The place (step, node, output) of a captured result; None for any other batch.", NULL},
    {"tensors", get_tensors, NULL, "The samples as a lazy list.", NULL},
    {"source_info", get_sources, NULL, "The samples' files (None where unknown).", NULL},
    {"failures", get_failures, NULL,
     "Broken samples that a blank one stands for: index to reason.", NULL},
    {0},
};

/* ---- methods ---------------------------------------------------------------------- */

static PyObject *batch_select(PyObject *self, PyObject *args, PyObject *kw)
{
    mod_state *st = state_of(self);
    PyObject *sel = only_argument(args, kw, "select", "sample_range");
    const hr_batch *b = sel ? batch_value(self) : NULL;
    if (!b) return NULL;
    Py_ssize_t i, n;
    sel = invariant_value(sel);
    int one = read_index(sel, (Py_ssize_t)b->n, &i);
    if (one) return one < 0 ? NULL : sample_at(st, b, i);
    Py_ssize_t *index = read_selection(sel, (Py_ssize_t)b->n, &n);
    if (!index) return NULL;
    PyObject *out = take_samples(st, b, index, n);
    PyMem_Free(index);
    return out;
}

static PyObject *evaluate(PyObject *self, PyObject *unused)
{
    return batch_value(self) ? Py_NewRef(self) : NULL;
}

static PyObject *cpu(PyObject *self, PyObject *unused) { return Py_NewRef(self); }

PyObject *batch_copy(PyObject *self)
{
    mod_state *st = state_of(self);
    hr_batch *out = NULL;
    hr_error err = {0};
    if (!batch_value(self)) return NULL;
    if (hr_batch_copy(&out, batch_of(self), &err) != HR_OK) return raise_error(st, &err);
    return batch_wrap(st, out);
}

static PyObject *copy(PyObject *self, PyObject *unused) { return batch_copy(self); }

static PyObject *to_device(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"device", "force_copy", NULL};
    PyObject *device;
    int force = 0;
    if (!parse_arguments(args, kw, "O|p:to_device", names, &device, &force))
        return NULL;
    if (check_device(state_of(self), device) < 0) return NULL;
    return force ? batch_copy(self) : Py_NewRef(self);
}

static PyObject *torch(PyObject *self, PyObject *args, PyObject *kw)
{
    return call_slow(self, "batch_torch", args, kw);
}

static PyObject *gpu(PyObject *self, PyObject *args, PyObject *kw)
{
    return call_slow(self, "tensor_gpu", args, kw);
}

static PyObject *reduce_ex(PyObject *self, PyObject *args)
{
    return call_slow(self, "batch_reduce", args, NULL);
}

static PyObject *repr(PyObject *self) { return call_slow(self, "batch_repr", NULL, NULL); }

static PyObject *no_index(PyObject *self, PyObject *key)
{
    PyErr_SetString(PyExc_TypeError,
                    "a batch is not indexed itself: .tensors[i] or .select(i) choose samples");
    return NULL;
}

static PyObject *iterate(PyObject *self)
{
    PyObject *list = get_tensors(self, NULL);
    PyObject *it = list ? PySeqIter_New(list) : NULL;
    Py_XDECREF(list);
    return it;
}

/* Batch.broadcast(sample, batch_size, device=None, dtype=None) */
static PyObject *broadcast(PyObject *cls, PyObject *args, PyObject *kw)
{
    static char *names[] = {"sample", "batch_size", "device", "dtype", NULL};
    mod_state *st = PyType_GetModuleState((PyTypeObject *)cls);
    PyObject *sample, *size, *device = Py_None, *dtype = Py_None;
    Py_ssize_t n;
    if (!parse_arguments(args, kw, "OO|OO:broadcast", names, &sample, &size, &device, &dtype) ||
        whole_size("broadcast", "batch_size", invariant_value(size), &n) < 0)
        return NULL;
    sample = invariant_value(sample);
    if (is_batch(st, sample)) {
        PyErr_SetString(PyExc_ValueError, "broadcast(): the sample is a Batch already");
        return NULL;
    }
    if (n < 0) return PyErr_Format(PyExc_ValueError, "broadcast: batch_size is %zd, it is negative", n);
    PyObject *t = PyObject_CallFunctionObjArgs(st->as_tensor, sample, dtype, device, NULL);
    PyObject *out = t ? batch_of_repeats(st, tensor_of(t), n) : NULL;
    Py_XDECREF(t);
    return out;
}

static PyMethodDef methods[] = {
    {"evaluate", evaluate, METH_NOARGS,
     "evaluate($self, /)\n--\n\nWaits for the values; returns the batch itself."},
    {"select", METHOD(batch_select), METH_VARARGS | METH_KEYWORDS,
     "select($self, /, sample_range)\n--\n\n"
     "An int gives that sample as a Tensor; a slice, a list of ints or ... a Batch of them."},
    {"broadcast", METHOD(broadcast), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "broadcast(sample, batch_size, device=None, dtype=None)\n--\n\n"
     "One sample `batch_size` times, sharing its memory."},
    {"cpu", cpu, METH_NOARGS, "cpu($self, /)\n--\n\nThe batch on the CPU: itself."},
    {"gpu", METHOD(gpu), METH_VARARGS | METH_KEYWORDS,
     "gpu($self, /, index=None)\n--\n\nRuntimeError: this build has no GPU."},
    {"to_device", METHOD(to_device), METH_VARARGS | METH_KEYWORDS,
     "to_device($self, /, device, force_copy=False)\n--\n\n"
     "The batch on `device`: itself when it is there and no copy is forced."},
    {"torch", METHOD(torch), METH_VARARGS | METH_KEYWORDS,
     "torch($self, /, copy=None, pad=False)\n--\n\n"
     "One torch tensor with a leading sample axis. `copy`: None shares if possible, True\n"
     "copies, False is an error if a copy is needed. Unequal shapes need `pad=True`."},
    {"__copy__", copy, METH_NOARGS, "__copy__($self, /)\n--\n\nA copy with its own memory."},
    {"__deepcopy__", copy, METH_O, "__deepcopy__($self, memo, /)\n--\n\nAs __copy__."},
    {"__reduce_ex__", reduce_ex, METH_VARARGS, "__reduce_ex__($self, protocol, /)\n--\n\nPickles."},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(batch_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Batch(tensors, dtype=None, device=None, layout=None)\n--\n\n"
                "Samples of one dtype, rank and layout, each with a shape of its own."},
    {Py_tp_new, batch_new},
    {Py_tp_dealloc, batch_dealloc},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_repr, repr},
    {Py_tp_iter, iterate},
    {Py_mp_subscript, no_index},
    {Py_tp_hash, PyObject_HashNotImplemented},
    ARITH_SLOTS,
    {0, NULL},
};

PyType_Spec batch_spec = {
    .name = "headrace.Batch",
    .basicsize = sizeof(batch_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
