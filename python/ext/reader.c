/* Reader: what every class of headrace.readers is made of. Reading a batch enters no Python. */
#include "reader.h"

#include <string.h>

#include "frames.h"

enum { MAX_ARGS = 64, MAX_OUTS = 16 };

/* ---- creation ------------------------------------------------------------------------------ */

static int find_argument(const hr_reader_desc *d, PyObject *name)
{
    for (int i = 0; i < d->n_args; i++)
        if (PyUnicode_CompareWithASCIIString(name, d->args[i].name) == 0) return i;
    return -1;
}

static int take_arguments(mod_state *st, const hr_reader_desc *d, PyObject *arguments,
                          value_room *room, hr_value *values)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(arguments, &at, &key, &value)) {
        int i = find_argument(d, key);
        if (i < 0) {
            PyErr_Format(PyExc_TypeError, "%s: has no argument `%U`", d->name, key);
            return -1;
        }
        if (value_from_object(st, &d->args[i], value, room, &values[i]) < 0) return -1;
    }
    return 0;
}

static hr_reader *open_reader(mod_state *st, const hr_reader_desc *d, const hr_value *values)
{
    hr_reader *reader = NULL;
    hr_error err = {0};
    hr_status status;
    Py_BEGIN_ALLOW_THREADS
    status = hr_reader_create(&reader, d, values, &err);
    Py_END_ALLOW_THREADS
    if (status == HR_OK) return reader;
    raise_error(st, &err);
    return NULL;
}

static int take_size(PyObject *obj, const char *what, int64_t *out)
{
    *out = 0;
    if (obj == Py_None) return 0;
    Py_ssize_t n = PyNumber_AsSsize_t(obj, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) return -1;
    *out = n;
    if (n >= 1 && n <= HR_READER_MAX_BATCH) return 0;
    PyErr_Format(PyExc_ValueError, "%s is %zd, it must be in 1..%d", what, n,
                 (int)HR_READER_MAX_BATCH);
    return -1;
}

static int take_sizes(reader_object *r, PyObject *max_batch_size, PyObject *batch_size)
{
    if (take_size(max_batch_size, "max_batch_size", &r->max_batch_size) < 0 ||
        take_size(batch_size, "batch_size", &r->given_batch_size) < 0)
        return -1;
    if (!r->max_batch_size || r->given_batch_size <= r->max_batch_size) return 0;
    PyErr_Format(PyExc_ValueError, "batch_size %lld is over max_batch_size %lld",
                 (long long)r->given_batch_size, (long long)r->max_batch_size);
    return -1;
}

static int reader_init(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"kind", "name", "max_batch_size", "batch_size", "arguments", NULL};
    reader_object *r = (reader_object *)self;
    mod_state *st = state_of(self);
    const char *kind;
    PyObject *name, *max_batch_size, *batch_size, *arguments;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "sOOOO!:Reader", names, &kind, &name,
                                     &max_batch_size, &batch_size, &PyDict_Type, &arguments))
        return -1;
    const hr_reader_desc *d = hr_reader_find(kind);
    if (!d || d->n_args > MAX_ARGS || d->n_out > MAX_OUTS || r->reader) {
        PyErr_Format(PyExc_RuntimeError, "there is no reader %s to create", kind);
        return -1;
    }
    if (take_sizes(r, max_batch_size, batch_size) < 0) return -1;
    hr_value values[MAX_ARGS] = {{0}};
    value_room room;
    value_room_init(&room);
    if (take_arguments(st, d, arguments, &room, values) == 0)
        r->reader = open_reader(st, d, values);
    value_room_clear(&room);
    Py_XSETREF(r->name, Py_NewRef(name));
    return r->reader ? 0 : -1;
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    reader_object *r = (reader_object *)type->tp_alloc(type, 0);
    if (r) r->set_epoch = -1;
    return (PyObject *)r;
}

static void end_reader(reader_object *r)
{
    hr_reader *reader = r->reader;
    r->reader = NULL;
    Py_BEGIN_ALLOW_THREADS
    hr_reader_destroy(&reader);
    Py_END_ALLOW_THREADS
}

static void reader_dealloc(PyObject *self)
{
    reader_object *r = (reader_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (r->weakrefs) PyObject_ClearWeakRefs(self);
    end_reader(r);
    Py_CLEAR(r->name);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- rules of use --------------------------------------------------------------------------- */

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

static const char *kind_of(const reader_object *r) { return hr_reader_get_desc(r->reader)->name; }

int64_t reader_batch_size(reader_object *r, PyObject *argument)
{
    int64_t n;
    if (take_size(argument, "batch_size", &n) < 0) return -1;
    if (n == 0) n = r->given_batch_size ? r->given_batch_size : r->max_batch_size;
    if (r->max_batch_size && n > r->max_batch_size) {
        PyErr_Format(PyExc_ValueError, "%s: batch_size %lld is over the max_batch_size %lld that "
                     "the reader was created with", kind_of(r), (long long)n,
                     (long long)r->max_batch_size);
        return -1;
    }
    return n;
}

int reader_check_use(reader_object *r, reader_use use, int64_t batch_size)
{
    static const char *const ways[] = {"", "in single samples", "in batches", "by calls"};
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

/* ---- passes ----------------------------------------------------------------------------------- */

/* Raises the exception of a failed call; 0 for success. */
static int check(reader_object *r, hr_status status, hr_error *err)
{
    if (status == HR_OK) return 0;
    if (status != HR_CANCELLED && status != HR_NOMEM) add_caller_line(err);
    raise_error(state_of((PyObject *)r), err);
    return -1;
}

int reader_settle(reader_object *r, int64_t batch_size)
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

int64_t reader_upcoming(reader_object *r, int64_t batch_size)
{
    if (r->set_epoch >= 0) return hr_reader_epoch_batches(r->reader, r->set_epoch, batch_size);
    if (reader_settle(r, batch_size) < 0) return -1;
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
        if (reader_settle(r, batch_size) < 0) return -1;
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

PyObject *reader_next(reader_object *r, int as_samples)
{
    if (reader_check(r) < 0) return NULL;
    hr_batch *outs[MAX_OUTS];
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

/* ---- states ------------------------------------------------------------------------------------ */

PyObject *reader_state(reader_object *r)
{
    hr_reader_info info;
    hr_reader_position p;
    hr_reader_get_info(r->reader, &info);
    hr_reader_get_position(r->reader, &p);
    if (r->has_position) p = r->position;
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

/* The reader must be over the same number of items, divided in the same way. */
static int check_same(const reader_object *r, PyObject *state)
{
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
    r->pass++; /* a loop that runs has lost its place */
    return 0;
}

/* ---- methods -------------------------------------------------------------------------------------- */

static PyObject *next_epoch(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"batch_size", "ctx", "capture", NULL};
    reader_object *r = (reader_object *)self;
    PyObject *size = Py_None, *ctx = Py_None;
    int capture = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|OOp:next_epoch", names, &size, &ctx, &capture) ||
        reader_check(r) < 0)
        return NULL;
    if (ctx != Py_None && !PyObject_TypeCheck(ctx, state_of(self)->context_type))
        return PyErr_Format(PyExc_TypeError, "next_epoch: ctx must be an EvalContext, got %.100s",
                            Py_TYPE(ctx)->tp_name);
    int64_t batch_size = reader_batch_size(r, size);
    if (batch_size < 0) return NULL;
    if (capture && batch_size == 0)
        return PyErr_Format(PyExc_ValueError, "next_epoch: capture=True needs a batch_size");
    if (capture)
        return PyErr_Format(PyExc_NotImplementedError,
                            "next_epoch: capture=True is not available in this version");
    reader_use use = batch_size ? USE_BATCHES : USE_SAMPLES;
    if (reader_check_use(r, use, batch_size ? batch_size : 1) < 0) return NULL;
    return loop_create(r, batch_size, ctx);
}

/* A batch without epochs: one after the other. Epochs may be empty (last_batch="drop"), but not
 * those of all shards. */
static PyObject *call_next(reader_object *r, int64_t batch_size, int as_samples)
{
    hr_reader_info info;
    hr_reader_get_info(r->reader, &info);
    for (int64_t i = 0; i <= info.num_shards + 1; i++) {
        if (r->use != USE_CALLS || r->has_position || r->set_epoch >= 0 || i > 0)
            if (reader_begin(r, USE_CALLS, batch_size) < 0) return NULL;
        PyObject *out = reader_next(r, as_samples);
        if (out || PyErr_Occurred()) return out;
    }
    return PyErr_Format(PyExc_RuntimeError, "%s: no shard has a whole batch of %lld", kind_of(r),
                        (long long)batch_size);
}

static PyObject *reader_call(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"batch_size", NULL};
    reader_object *r = (reader_object *)self;
    PyObject *size = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|$O:Reader", names, &size) || reader_check(r) < 0)
        return NULL;
    int64_t n = reader_batch_size(r, size);
    if (n < 0) return NULL;
    if (size == Py_None) n = r->given_batch_size;
    if (reader_check_use(r, USE_CALLS, n ? n : 1) < 0) return NULL;
    return call_next(r, n ? n : 1, n == 0);
}

static PyObject *get_metadata(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"batch_size", NULL};
    reader_object *r = (reader_object *)self;
    PyObject *size = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|O:get_metadata", names, &size) ||
        reader_check(r) < 0 || reader_batch_size(r, size) < 0)
        return NULL;
    hr_reader_info info;
    hr_reader_get_info(r->reader, &info);
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:i,s:i}", "epoch_size", (long long)info.epoch_size,
                         "epoch_size_padded", (long long)info.epoch_size_padded,
                         "number_of_shards", (long long)info.num_shards, "shard_id",
                         (long long)info.shard_id, "pad_last_batch",
                         info.last_batch == HR_LAST_PAD, "stick_to_shard", info.stick_to_shard);
}

static PyObject *set_epoch(PyObject *self, PyObject *epoch)
{
    reader_object *r = (reader_object *)self;
    if (reader_check(r) < 0) return NULL;
    Py_ssize_t n = PyNumber_AsSsize_t(epoch, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) return NULL;
    if (n < 0 || n > (Py_ssize_t)1 << 60)
        return PyErr_Format(PyExc_ValueError, "set_epoch: %zd is outside 0..2**60", n);
    r->set_epoch = n;
    Py_RETURN_NONE;
}

static PyObject *state_dict(PyObject *self, PyObject *unused)
{
    reader_object *r = (reader_object *)self;
    return reader_check(r) < 0 ? NULL : reader_state(r);
}

static PyObject *load_state_dict(PyObject *self, PyObject *state)
{
    if (reader_set_state((reader_object *)self, state, 1) < 0) return NULL;
    Py_RETURN_NONE;
}

/* For set_state, whose states are text: only on a reader that was not used. */
static PyObject *load_start(PyObject *self, PyObject *state)
{
    reader_object *r = (reader_object *)self;
    if (r->use != USE_NONE)
        return PyErr_Format(PyExc_RuntimeError, "set_state: the reader was used already; set the "
                            "state of a new one");
    if (reader_set_state(r, state, 0) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *reader_close(PyObject *self, PyObject *unused)
{
    reader_object *r = (reader_object *)self;
    if (r->reader && reader_check(r) < 0) return NULL;
    end_reader(r);
    Py_RETURN_NONE;
}

static PyObject *reader_enter(PyObject *self, PyObject *unused) { return Py_NewRef(self); }

static PyObject *reader_exit(PyObject *self, PyObject *args) { return reader_close(self, NULL); }

static PyObject *reader_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "a reader cannot be pickled: it holds threads and a "
                        "place; send its arguments and its state_dict()");
}

static PyObject *get_name(PyObject *self, void *c)
{
    reader_object *r = (reader_object *)self;
    return Py_NewRef(r->name ? r->name : Py_None);
}

static PyObject *get_batch_size(PyObject *self, void *c)
{
    reader_object *r = (reader_object *)self;
    int64_t n = r->use == USE_BATCHES || r->use == USE_CALLS ? r->batch_size
                : r->given_batch_size ? r->given_batch_size : r->max_batch_size;
    if (n == 0) Py_RETURN_NONE;
    return PyLong_FromLongLong(n);
}

static PyObject *get_skip_report(PyObject *self, void *c)
{
    reader_object *r = (reader_object *)self;
    if (reader_check(r) < 0) return NULL;
    return PyUnicode_FromString(hr_reader_skip_report(r->reader));
}

static PyObject *get_classes(PyObject *self, void *c)
{
    reader_object *r = (reader_object *)self;
    PyObject *out = reader_check(r) < 0 ? NULL : PyList_New(0);
    const char *text;
    for (int64_t i = 0; out && (text = hr_reader_class_name(r->reader, i)) != NULL; i++) {
        PyObject *one = PyUnicode_DecodeFSDefault(text);
        if (!one || PyList_Append(out, one) < 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

#define METHOD(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef methods[] = {
    {"next_epoch", METHOD(next_epoch), METH_VARARGS | METH_KEYWORDS,
     "next_epoch($self, /, batch_size=None, ctx=None, capture=False)\n--\n\n"
     "A loop over the next epoch: tuples of batches, or of single samples where no batch size is\n"
     "known. The loop may be iterated again, each time over one epoch more."},
    {"get_metadata", METHOD(get_metadata), METH_VARARGS | METH_KEYWORDS,
     "get_metadata($self, /, batch_size=None)\n--\n\n"
     "A dict with epoch_size, epoch_size_padded, number_of_shards, shard_id, pad_last_batch and\n"
     "stick_to_shard."},
    {"set_epoch", set_epoch, METH_O,
     "set_epoch($self, epoch, /)\n--\n\n"
     "The next pass begins with the first item of this epoch's own order."},
    {"state_dict", state_dict, METH_NOARGS,
     "state_dict($self, /)\n--\n\n"
     "The place in front of the first batch that was not given out, as plain values."},
    {"load_state_dict", load_state_dict, METH_O,
     "load_state_dict($self, state, /)\n--\n\n"
     "Goes to a place of state_dict(): the next pass gives the rest of that epoch."},
    {"_load_start", load_start, METH_O, NULL},
    {"close", reader_close, METH_NOARGS,
     "close($self, /)\n--\n\nEnds the reading threads and lets go of the files. May be repeated."},
    {"__enter__", reader_enter, METH_NOARGS, NULL},
    {"__exit__", reader_exit, METH_VARARGS, NULL},
    {"__reduce_ex__", reader_reduce, METH_O, NULL},
    {0},
};

static PyGetSetDef getset[] = {
    {"name", get_name, NULL, "The name that the reader was given, or None.", NULL},
    {"batch_size", get_batch_size, NULL, "Samples of a batch, or None.", NULL},
    {"skip_report", get_skip_report, NULL,
     "What on_error=\"skip\" left out so far: a reason and its count a line.", NULL},
    {"classes", get_classes, NULL, "Names of the classes by label, where there are any.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(reader_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "What the classes of headrace.readers are made of."},
    {Py_tp_new, reader_new},
    {Py_tp_init, reader_init},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_call, reader_call},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec reader_spec = {
    .name = "headrace._core.Reader",
    .basicsize = sizeof(reader_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

/* ---- the kinds of readers, for headrace.readers ------------------------------------------------------ */

static PyObject *describe(const hr_reader_desc *d)
{
    PyObject *args = describe_arguments(d->args, d->n_args);
    return args ? Py_BuildValue("{s:s,s:s,s:s,s:i,s:N}", "name", d->name, "doc", d->doc, "outs",
                                d->outs, "n_out", d->n_out, "args", args)
                : NULL;
}

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out)
{
    *out = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *out ? PyModule_AddType(module, *out) : -1;
}

int add_readers(PyObject *module, mod_state *st)
{
    if (add_type(module, &reader_spec, &st->reader_type) < 0 ||
        add_type(module, &loop_spec, &st->loop_type) < 0)
        return -1;
    PyObject *kinds = PyDict_New();
    const hr_reader_desc *d;
    for (int i = 0; kinds && (d = hr_reader_at(i)) != NULL; i++) {
        PyObject *one = describe(d);
        if (!one || PyDict_SetItemString(kinds, d->name, one) < 0) Py_CLEAR(kinds);
        Py_XDECREF(one);
    }
    if (!kinds) return -1;
    int bad = PyModule_AddObjectRef(module, "reader_kinds", kinds);
    Py_DECREF(kinds);
    return bad;
}
