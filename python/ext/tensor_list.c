/* The list of samples that Batch.tensors gives: a lazy one, each made when it is asked for. */
#include "selection.h"

typedef struct tensor_list_object {
    PyObject_HEAD
    hr_batch *b;
    Py_ssize_t n;
    Py_ssize_t *index; /* the samples it shows */
} tensor_list_object;

#define list_of(o) ((tensor_list_object *)(o))

PyObject *tensor_list_new(mod_state *st, hr_batch *b, const Py_ssize_t *index, Py_ssize_t n)
{
    tensor_list_object *self = PyObject_New(tensor_list_object, st->tensor_list_type);
    if (!self) return NULL;
    self->b = hr_batch_ref(b);
    self->n = n;
    self->index = PyMem_Malloc(sizeof *index * (size_t)(n + 1));
    if (!self->index) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < n; i++) self->index[i] = index ? index[i] : i;
    return (PyObject *)self;
}

static void list_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyMem_Free(list_of(self)->index);
    hr_batch_unref(&list_of(self)->b);
    PyObject_Free(self);
    Py_DECREF(type);
}

static Py_ssize_t list_length(PyObject *self) { return list_of(self)->n; }

static PyObject *list_item(PyObject *self, Py_ssize_t i)
{
    tensor_list_object *l = list_of(self);
    if (i < 0 || i >= l->n)
        return PyErr_Format(PyExc_IndexError, "sample %zd is outside a list of %zd", i, l->n);
    return sample_at(state_of(self), l->b, l->index[i]);
}

static PyObject *list_subscript(PyObject *self, PyObject *sel)
{
    tensor_list_object *l = list_of(self);
    Py_ssize_t i, n;
    int one = read_index(sel, l->n, &i);
    if (one) return one < 0 ? NULL : list_item(self, i);
    Py_ssize_t *index = read_selection(sel, l->n, &n);
    if (!index) return NULL;
    for (Py_ssize_t k = 0; k < n; k++) index[k] = l->index[index[k]];
    PyObject *out = tensor_list_new(state_of(self), l->b, index, n);
    PyMem_Free(index);
    return out;
}

static PyObject *list_tolist(PyObject *self, PyObject *unused) { return PySequence_List(self); }

static PyObject *list_as_batch(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"copy", NULL};
    int want_copy = 0;
    if (!parse_arguments(args, kw, "|p:as_batch", names, &want_copy)) return NULL;
    tensor_list_object *l = list_of(self);
    PyObject *out = take_samples(state_of(self), l->b, l->index, l->n);
    if (!out || !want_copy) return out;
    PyObject *own = batch_copy(out);
    Py_DECREF(out);
    return own;
}

static PyObject *list_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "a list of a batch's samples cannot be pickled or copied: it looks "
                        "at the batch; send the batch, as_batch() or tolist()");
}

static PyMethodDef list_methods[] = {
    {"__reduce_ex__", list_reduce, METH_O, NULL},
    {"tolist", list_tolist, METH_NOARGS, "tolist($self, /)\n--\n\nA plain list of tensors."},
    {"as_batch", METHOD(list_as_batch), METH_VARARGS | METH_KEYWORDS,
     "as_batch($self, /, copy=False)\n--\n\nThe samples as a Batch."},
    {0},
};

static PyType_Slot list_slots[] = {
    {Py_tp_doc, "The samples of a batch, made one at a time as they are asked for."},
    {Py_tp_dealloc, list_dealloc},
    {Py_tp_methods, list_methods},
    {Py_sq_length, list_length},
    {Py_sq_item, list_item},
    {Py_mp_length, list_length},
    {Py_mp_subscript, list_subscript},
    {0, NULL},
};

PyType_Spec tensor_list_spec = {
    .name = "headrace.TensorList",
    .basicsize = sizeof(tensor_list_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = list_slots,
};
