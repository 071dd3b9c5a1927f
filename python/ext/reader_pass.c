/* Passes over a reader: who may read how, beginning, the next batch (which
 * enters no Python), and places as plain values. */
#include "reader.h"

#include <string.h>

#include "capture.h"
#include "frames.h"

static const char *kind_of(const reader_object *r) { return hr_reader_get_desc(r->reader)->name; }

/* ---- rules of use ---------------------------------------------------------------- */

int reader_check(reader_object *r)
{
    if (!r->reader)
        PyErr_SetString(PyExc_RuntimeError, "the reader is closed");
    else if (r->is_busy)
        PyErr_SetString(PyExc_RuntimeError,
                        "the reader is in use by another thread: one thread at a time");
    else
        return 0;
    return -1;
}

int reader_check_use(reader_object *r, reader_use use, int64_t batch_size)
{
    static const char *const ways[] = {"", "eagerly in single samples", "eagerly in batches",
                                       "eagerly by calls", "in captured loops"};
    if (r->use != USE_NONE && r->use != use)
        PyErr_Format(PyExc_RuntimeError, "%s: the reader was used %s and cannot be used %s now; "
                     "make another reader for that", kind_of(r), ways[r->use], ways[use]);
    else if (r->batch_size && r->batch_size != batch_size)
        PyErr_Format(PyExc_ValueError, "%s: batch_size %lld differs from %lld, which the reader "
                     "was used with before", kind_of(r), (long long)batch_size,
                     (long long)r->batch_size);
    else
        return 0;
    return -1;
}

/* ---- passes ---------------------------------------------------------------------- */

/* Raises the exception of a failed call; 0 for success. */
static int check(reader_object *r, hr_status status, hr_error *err)
{
    if (status == HR_OK) return 0;
    if (status != HR_CANCELLED && status != HR_NOMEM) add_caller_line(err);
    raise_error(state_of((PyObject *)r), err);
    return -1;
}

/* Applies a loaded state. */
static int settle(reader_object *r, int64_t batch_size)
{
    if (!r->has_position) return 0;
    hr_error err = {0};
    hr_status status = hr_reader_set_position(r->reader, &r->position, batch_size, &err);
    if (status == HR_OK) r->has_position = 0;
    return check(r, status, &err);
}

/* Batches that are left of the epoch that the reader stands in. */
static int64_t remaining(const reader_object *r, int64_t batch_size)
{
    hr_reader_position p;
    hr_reader_get_position(r->reader, &p);
    return hr_reader_epoch_batches(r->reader, p.epoch, batch_size) - p.step;
}

/* Batches of the next pass when a captured loop gives back what it has read ahead. */
static int64_t upcoming_from_front(const reader_object *r, int64_t batch_size)
{
    hr_reader_info info;
    hr_reader_get_info(r->reader, &info);
    int follows = r->front.step > 0 && info.last_batch == HR_LAST_WRAP;
    return hr_reader_epoch_batches(r->reader, r->front.epoch + follows, batch_size) -
           (follows ? 0 : r->front.step);
}

int64_t reader_upcoming(reader_object *r, int64_t batch_size)
{
    if (r->set_epoch >= 0) return hr_reader_epoch_batches(r->reader, r->set_epoch, batch_size);
    if (settle(r, batch_size) < 0) return -1;
    if (r->has_front) return upcoming_from_front(r, batch_size);
    if (r->is_resuming && remaining(r, batch_size) > 0) return remaining(r, batch_size);
    return hr_reader_epoch_batches(r->reader, -1, batch_size);
}

int reader_begin(reader_object *r, reader_use use, int64_t batch_size)
{
    if (reader_check(r) < 0 || reader_check_use(r, use, batch_size) < 0) return -1;
    hr_error err = {0};
    hr_status status = HR_OK;
    if (r->set_epoch >= 0) {
        status = hr_reader_begin(r->reader, r->set_epoch, batch_size, &err);
        r->has_position = 0;
    } else {
        if (settle(r, batch_size) < 0) return -1;
        if (!r->is_resuming || remaining(r, batch_size) <= 0)
            status = hr_reader_begin(r->reader, -1, batch_size, &err);
    }
    if (check(r, status, &err) < 0) return -1;
    r->set_epoch = -1;
    r->is_resuming = 0;
    r->use = use;
    r->batch_size = batch_size;
    r->pass++;
    return 0;
}

static PyObject *wrap_output(mod_state *st, hr_batch *take_b, int as_sample)
{
    if (!as_sample) return batch_wrap(st, take_b);
    hr_tensor t;
    hr_tensor_ref(&t, &take_b->t[0]);
    hr_batch_unref(&take_b);
    return tensor_wrap(st, &t);
}

static PyObject *wrap_outputs(reader_object *r, hr_batch **outs, int as_samples)
{
    mod_state *st = state_of((PyObject *)r);
    int n = hr_reader_get_desc(r->reader)->n_out;
    PyObject *out = PyTuple_New(n);
    for (int k = 0; k < n; k++) {
        PyObject *one = out ? wrap_output(st, outs[k], as_samples) : NULL;
        if (!out) hr_batch_unref(&outs[k]);
        else if (!one) Py_CLEAR(out);
        else PyTuple_SET_ITEM(out, k, one);
    }
    return out;
}

PyObject *reader_named(reader_object *r, PyObject *take_outputs)
{
    if (!take_outputs || !hr_reader_out_name(r->reader, 0)) return take_outputs;
    PyObject *out = PyDict_New();
    for (Py_ssize_t k = 0; out && k < PyTuple_GET_SIZE(take_outputs); k++)
        if (PyDict_SetItemString(out, hr_reader_out_name(r->reader, (int)k),
                                 PyTuple_GET_ITEM(take_outputs, k)) < 0)
            Py_CLEAR(out);
    Py_DECREF(take_outputs);
    return out;
}

PyObject *reader_next(reader_object *r, int as_samples)
{
    if (reader_check(r) < 0) return NULL;
    hr_batch *outs[READER_MAX_OUTS];
    hr_error err;
    err.status = HR_OK;
    gil_gate gate;
    r->is_busy = 1;
    gate_leave_python(&gate);
    hr_status status = hr_reader_next(r->reader, outs, gate_poll, &gate, &err);
    gate_enter_python(&gate);
    r->is_busy = 0;
    if (status == HR_OK) return wrap_outputs(r, outs, as_samples);
    if (status != HR_STOP) check(r, status, &err);
    return NULL;
}

void reader_position(reader_object *r, hr_reader_position *out)
{
    hr_reader_get_position(r->reader, out);
}

int reader_go_back(reader_object *r, const hr_reader_position *position)
{
    if (!r->reader) return 0;
    hr_error err = {0};
    hr_status status = hr_reader_set_position(r->reader, position, r->batch_size, &err);
    return check(r, status, &err);
}

/* ---- states ---------------------------------------------------------------------- */

PyObject *reader_state(reader_object *r)
{
    hr_reader_info info;
    hr_reader_position p;
    hr_reader_get_info(r->reader, &info);
    hr_reader_get_position(r->reader, &p);
    if (r->has_position) p = r->position;
    else if (r->has_front) p = r->front;
    if (r->set_epoch >= 0)
        p = (hr_reader_position){.epoch = r->set_epoch, .order = r->set_epoch, .seed = p.seed};
    return Py_BuildValue("{s:s,s:i,s:L,s:L,s:L,s:L,s:K,s:L,s:L,s:L,s:L}", "reader", kind_of(r),
                         "format", 1, "epoch", (long long)p.epoch, "step", (long long)p.step,
                         "order", (long long)p.order, "offset", (long long)p.offset, "seed",
                         (unsigned long long)p.seed, "batch_size", (long long)r->batch_size,
                         "items", (long long)info.epoch_size, "shard_id",
                         (long long)info.shard_id, "num_shards", (long long)info.num_shards);
}

static int state_number(PyObject *state, const char *key, int64_t *out)
{
    PyObject *value = PyDict_GetItemString(state, key); /* borrowed */
    if (!value || !PyLong_Check(value)) {
        PyErr_Format(PyExc_ValueError, "a reader's state needs a whole number `%s`", key);
        return -1;
    }
    int overflow;
    *out = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow > 0) *out = (int64_t)PyLong_AsUnsignedLongLong(value); /* the seed */
    if (!PyErr_Occurred() && (overflow == 0 || (overflow > 0 && !strcmp(key, "seed")))) return 0;
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "a reader's state has %R for `%s`", value, key);
    return -1;
}

/* The reader must be of the same kind, over the same number of items, divided in the same way. */
static int check_same(const reader_object *r, PyObject *state)
{
    PyObject *kind = PyDict_GetItemString(state, "reader"); /* borrowed */
    if (!kind || !PyUnicode_Check(kind) || PyUnicode_CompareWithASCIIString(kind, kind_of(r)) != 0) {
        PyErr_Format(PyExc_ValueError, "%s: the state is that of %.100R", kind_of(r),
                     kind ? kind : Py_None);
        return -1;
    }
    hr_reader_info info;
    hr_reader_get_info(r->reader, &info);
    const struct { const char *key; int64_t value; } known[] = {
        {"format", 1}, {"items", info.epoch_size}, {"shard_id", info.shard_id},
        {"num_shards", info.num_shards}};
    for (int i = 0; i < 4; i++) {
        int64_t value;
        if (state_number(state, known[i].key, &value) < 0) return -1;
        if (value == known[i].value) continue;
        PyErr_Format(PyExc_ValueError, "%s: the state has %s %lld, the reader has %lld",
                     kind_of(r), known[i].key, (long long)value, (long long)known[i].value);
        return -1;
    }
    return 0;
}

int reader_set_state(reader_object *r, PyObject *state, int exact)
{
    int64_t seed, batch_size;
    hr_reader_position p;
    if (reader_check(r) < 0) return -1;
    if (!PyDict_Check(state)) {
        PyErr_Format(PyExc_TypeError, "a reader's state is a dict, got %.100s",
                     Py_TYPE(state)->tp_name);
        return -1;
    }
    if (check_same(r, state) < 0 || state_number(state, "epoch", &p.epoch) < 0 ||
        state_number(state, "step", &p.step) < 0 || state_number(state, "order", &p.order) < 0 ||
        state_number(state, "offset", &p.offset) < 0 || state_number(state, "seed", &seed) < 0 ||
        state_number(state, "batch_size", &batch_size) < 0)
        return -1;
    p.seed = (uint64_t)seed;
    int64_t known = r->batch_size ? r->batch_size : r->given_batch_size;
    if (batch_size && known && batch_size != known) {
        PyErr_Format(PyExc_ValueError, "%s: the state was taken with batches of %lld, the reader "
                     "has %lld", kind_of(r), (long long)batch_size, (long long)known);
        return -1;
    }
    hr_error err = {0};
    hr_status status = hr_reader_set_position(r->reader, &p, batch_size ? batch_size : 1, &err);
    if (check(r, status, &err) < 0) return -1;
    r->position = p;
    r->has_position = 1;
    if (batch_size) r->batch_size = batch_size;
    r->is_resuming = exact;
    r->set_epoch = -1;
    r->has_front = 0;
    r->pass++; /* a loop that runs has lost its place */
    if (r->capture) ((capture_object *)r->capture)->must_rebase = 1;
    return 0;
}
