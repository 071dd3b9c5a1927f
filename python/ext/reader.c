/* Reader: what every class of headrace.readers is made of. */
#include "reader.h"

#include "capture_loop.h"
#include "invariant.h"

enum { MAX_ARGS = 64 };

/* ---- creation -------------------------------------------------------------------- */

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
        if (value_from_object(st, &d->args[i], value, room, &values[i]) < 0) {
            name_pending_error(d->name, "argument", d->args[i].name);
            return -1;
        }
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
    obj = invariant_value(obj);
    if (obj == Py_None) return 0;
    if (!PyIndex_Check(obj)) {
        PyErr_Format(PyExc_TypeError, "%s is %.100R, it must be an integer", what, obj);
        return -1;
    }
    Py_ssize_t n = PyNumber_AsSsize_t(obj, NULL); /* beyond: the most, which is refused below */
    if (n == -1 && PyErr_Occurred()) return -1;
    *out = n;
    if (n >= 1 && n <= HR_READER_MAX_BATCH) return 0;
    PyErr_Format(PyExc_ValueError, "%s is %S, it must be in 1..%d", what, obj,
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
    if (!parse_arguments(args, kw, "sOOOO!:Reader", names, &kind, &name,
                                     &max_batch_size, &batch_size, &PyDict_Type, &arguments))
        return -1;
    const hr_reader_desc *d = hr_reader_find(kind);
    if (!d || d->n_args > MAX_ARGS || d->n_out > READER_MAX_OUTS || r->reader) {
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
    Py_XSETREF(r->name, Py_NewRef(invariant_value(name)));
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

static int reader_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((reader_object *)self)->name);
    Py_VISIT(((reader_object *)self)->capture);
    return 0;
}

static int reader_clear(PyObject *self)
{
    Py_CLEAR(((reader_object *)self)->name);
    Py_CLEAR(((reader_object *)self)->capture);
    return 0;
}

static void reader_dealloc(PyObject *self)
{
    reader_object *r = (reader_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (r->weakrefs) PyObject_ClearWeakRefs(self);
    end_reader(r);
    reader_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- methods --------------------------------------------------------------------- */

static const char *kind_of(const reader_object *r) { return hr_reader_get_desc(r->reader)->name; }

/* The batch size for a pass: the argument, else what is known; 0 stands for single samples. -1 with
 * an exception. */
static int64_t batch_size_of(reader_object *r, PyObject *argument)
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

/* All captured loops over a reader share what the first one recorded. */
static PyObject *captured_epoch(reader_object *r, int64_t batch_size, PyObject *ctx, int prefetch,
                                int mode)
{
    mod_state *st = state_of((PyObject *)r);
    if (reader_check_use(r, USE_CAPTURE, batch_size) < 0) return NULL;
    if (!r->capture && !(r->capture = capture_new(st, batch_size, 0))) return NULL;
    r->use = USE_CAPTURE;
    r->batch_size = batch_size;
    capture_object *c = (capture_object *)r->capture;
    c->is_strict = mode == CAPTURE_STRICT;
    capture_set_maker(c, 0);
    return captured_loop_create(st, (PyObject *)r, 1, batch_size, ctx, prefetch, r->capture);
}

static PyObject *next_epoch(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"batch_size", "ctx", "capture", "prefetch", NULL};
    reader_object *r = (reader_object *)self;
    PyObject *size = Py_None, *ctx = Py_None, *mode = Py_False, *wished = NULL;
    int prefetch = 2;
    if (!parse_arguments(args, kw, "|OOO$O:next_epoch", names, &size, &ctx, &mode, &wished) ||
        reader_check(r) < 0)
        return NULL;
    int capture = capture_read_mode(mode, "next_epoch");
    if (capture < 0) return NULL;
    if (captured_loop_read(state_of(self), "next_epoch", &ctx, wished, &prefetch) < 0) return NULL;
    int64_t batch_size = batch_size_of(r, size);
    if (batch_size < 0) return NULL;
    if (capture && batch_size == 0)
        return PyErr_Format(PyExc_ValueError, "next_epoch: capture=True needs a batch_size");
    if (capture) return captured_epoch(r, batch_size, ctx, prefetch, capture);
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
        PyObject *out = reader_named(r, reader_next(r, as_samples));
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
    if (!parse_arguments(args, kw, "|$O:Reader", names, &size) || reader_check(r) < 0)
        return NULL;
    int64_t n = batch_size_of(r, size);
    if (n < 0) return NULL;
    if (invariant_value(size) == Py_None) n = r->given_batch_size;
    if (reader_check_use(r, USE_CALLS, n ? n : 1) < 0) return NULL;
    PyObject *out = call_next(r, n ? n : 1, n == 0);
    if (!out || !PyTuple_CheckExact(out) || PyTuple_GET_SIZE(out) != 1) return out;
    PyObject *only = Py_NewRef(PyTuple_GET_ITEM(out, 0)); /* as an operator's: epochs give tuples */
    Py_DECREF(out);
    return only;
}

static PyObject *get_metadata(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"batch_size", NULL};
    reader_object *r = (reader_object *)self;
    PyObject *size = Py_None;
    if (!parse_arguments(args, kw, "|O:get_metadata", names, &size) ||
        reader_check(r) < 0 || batch_size_of(r, size) < 0)
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
    Py_ssize_t n;
    if (whole_size("set_epoch", "epoch", epoch, &n) < 0) return NULL;
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

static PyMethodDef methods[] = {
    {"next_epoch", METHOD(next_epoch), METH_VARARGS | METH_KEYWORDS,
     "next_epoch($self, /, batch_size=None, ctx=None, capture=False, *, prefetch=2)\n--\n\n"
     "A loop over the next epoch: tuples of batches, or of single samples where no batch size is\n"
     "known. The loop may be iterated again, each time over one epoch more. With capture=True the\n"
     "first step is traced, and `prefetch` steps (1 to 64) are computed ahead of the body."},
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
    {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear},
    {Py_tp_call, reader_call},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec reader_spec = {
    .name = "headrace._core.Reader",
    .basicsize = sizeof(reader_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

/* ---- the kinds of readers, for headrace.readers ---------------------------------- */

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
