/* Samples of a batch, chosen by an int, a slice, a list of ints, or by their soundness. */
#include "selection.h"

PyObject *sample_at(mod_state *st, const hr_batch *b, Py_ssize_t i)
{
    hr_tensor t;
    hr_tensor_ref(&t, &b->t[i]);
    return tensor_wrap(st, &t);
}

PyObject *take_samples(mod_state *st, const hr_batch *b, const Py_ssize_t *index,
                              Py_ssize_t n)
{
    hr_batch *out = NULL;
    hr_error err = {0};
    if (hr_batch_create(&out, n, &err) != HR_OK) return raise_error(st, &err);
    for (Py_ssize_t i = 0; i < n; i++) hr_tensor_ref(&out->t[i], &b->t[index[i]]);
    if (n == 0) hr_batch_set_empty(out, b->dtype, b->ndim, b->layout);
    else if (hr_batch_seal(out, &err) != HR_OK) {
        hr_batch_unref(&out);
        return raise_error(st, &err);
    }
    return batch_wrap(st, out);
}

Py_ssize_t *read_selection(PyObject *sel, Py_ssize_t n, Py_ssize_t *count)
{
    Py_ssize_t start = 0, stop, step = 1, *index;
    if (PySlice_Check(sel) || sel == Py_Ellipsis) {
        *count = n;
        if (sel != Py_Ellipsis) {
            if (PySlice_Unpack(sel, &start, &stop, &step) < 0) return NULL;
            *count = PySlice_AdjustIndices(n, &start, &stop, step);
        }
        index = PyMem_Malloc(sizeof *index * (size_t)(*count + 1));
        if (!index) return (Py_ssize_t *)PyErr_NoMemory();
        for (Py_ssize_t i = 0; i < *count; i++) index[i] = start + i * step;
        return index;
    }
    if (!PyList_Check(sel) && !PyTuple_Check(sel) && !PyRange_Check(sel)) {
        PyErr_Format(PyExc_TypeError,
                     "samples are chosen by an int, a slice, a list of ints or ..., not %.100s",
                     Py_TYPE(sel)->tp_name);
        return NULL;
    }
    PyObject *seq = PySequence_Fast(sel, "samples are chosen by a list of ints");
    if (!seq) return NULL;
    *count = PySequence_Fast_GET_SIZE(seq);
    index = PyMem_Malloc(sizeof *index * (size_t)(*count + 1));
    if (!index) PyErr_NoMemory();
    for (Py_ssize_t i = 0; index && i < *count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(seq, i);
        PyObject *whole = whole_number("samples", "a place", item);
        Py_ssize_t at = whole ? PyNumber_AsSsize_t(whole, PyExc_IndexError) : -1;
        Py_XDECREF(whole);
        Py_ssize_t real = at < 0 ? at + n : at;
        if (at == -1 && PyErr_Occurred()) {
        } else if (PyBool_Check(item)) { /* meant as a mask, which would choose other samples */
            PyErr_Format(PyExc_TypeError, "samples are chosen by a list of ints, not by a mask (bool)");
        } else if (real < 0 || real >= n) {
            PyErr_Format(PyExc_IndexError, "sample %zd is outside a batch of %zd", at, n);
        } else {
            index[i] = real;
            continue;
        }
        PyMem_Free(index);
        index = NULL;
    }
    Py_DECREF(seq);
    return index;
}

int read_index(PyObject *sel, Py_ssize_t n, Py_ssize_t *i)
{
    if (!PyIndex_Check(sel)) return 0;
    Py_ssize_t at = PyNumber_AsSsize_t(sel, PyExc_IndexError);
    if (at == -1 && PyErr_Occurred()) return -1;
    *i = at < 0 ? at + n : at;
    if (*i >= 0 && *i < n) return 1;
    PyErr_Format(PyExc_IndexError, "sample %zd is outside a batch of %zd", at, n);
    return -1;
}

/* The places at which no batch of `args` has a failed sample. */
static Py_ssize_t *sound_places(PyObject *const *args, Py_ssize_t n_args, Py_ssize_t size,
                                Py_ssize_t *count)
{
    Py_ssize_t *index = PyMem_Malloc(sizeof *index * (size_t)(size + 1));
    if (!index) return (Py_ssize_t *)PyErr_NoMemory();
    *count = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        int failed = 0;
        for (Py_ssize_t a = 0; a < n_args && !failed; a++) {
            const hr_meta *m = batch_of(args[a])->t[i].meta;
            failed = m && m->failure;
        }
        if (!failed) index[(*count)++] = i;
    }
    return index;
}

PyObject *module_drop_failed(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    mod_state *st = state_of_module(module);
    if (n == 0) {
        PyErr_SetString(PyExc_TypeError, "drop_failed() needs at least one batch");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!is_batch(st, args[i]))
            return PyErr_Format(PyExc_TypeError, "drop_failed(): argument %zd is %.100s, not a "
                                "Batch", i + 1, Py_TYPE(args[i])->tp_name);
        if (!batch_value(args[i])) return NULL;
        if (batch_of(args[i])->n != batch_of(args[0])->n)
            return PyErr_Format(PyExc_ValueError, "drop_failed(): argument %zd has %lld "
                                "samples, the first has %lld", i + 1,
                                (long long)batch_of(args[i])->n,
                                (long long)batch_of(args[0])->n);
    }
    Py_ssize_t size = (Py_ssize_t)batch_of(args[0])->n, count = 0;
    Py_ssize_t *index = sound_places(args, n, size, &count);
    if (!index) return NULL;
    PyObject *out = n == 1 ? NULL : PyTuple_New(n);
    for (Py_ssize_t i = 0; i < n && (n == 1 || out); i++) {
        PyObject *one = count == size ? Py_NewRef(args[i])
                                      : take_samples(st, batch_of(args[i]), index, count);
        if (n == 1) out = one;
        else if (!one) Py_CLEAR(out);
        else PyTuple_SET_ITEM(out, i, one);
    }
    PyMem_Free(index);
    return out;
}
