/* EagerLoop: passes over a reader. It is its own iterator; `iter` on a finished loop begins the next
 * epoch, on a running one it changes nothing. */
#include "reader.h"

typedef enum loop_state { LOOP_READY, LOOP_RUNNING, LOOP_ENDED, LOOP_CLOSED } loop_state;

typedef struct loop_object {
    PyObject_HEAD
    reader_object *reader;
    PyObject *ctx; /* an EvalContext or None */
    int64_t batch_size; /* 0: single samples */
    loop_state state;
    uint64_t pass;  /* of the reader, while RUNNING or ENDED */
    int64_t n_batches; /* of this pass */
} loop_object;

static int64_t items_a_step(const loop_object *l) { return l->batch_size ? l->batch_size : 1; }

PyObject *loop_create(reader_object *r, int64_t batch_size, PyObject *ctx)
{
    PyTypeObject *type = state_of((PyObject *)r)->loop_type;
    loop_object *l = (loop_object *)type->tp_alloc(type, 0);
    if (!l) return NULL;
    l->reader = (reader_object *)Py_NewRef((PyObject *)r);
    l->ctx = Py_NewRef(ctx);
    l->batch_size = batch_size;
    return (PyObject *)l;
}

static int loop_traverse(PyObject *self, visitproc visit, void *arg)
{
    loop_object *l = (loop_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)l->reader);
    Py_VISIT(l->ctx);
    return 0;
}

static int loop_clear(PyObject *self)
{
    loop_object *l = (loop_object *)self;
    Py_CLEAR(l->reader);
    Py_CLEAR(l->ctx);
    return 0;
}

/* Is this loop in the middle of a pass, and the reader's latest? */
static int is_inside(const loop_object *l)
{
    return l->state == LOOP_RUNNING && l->reader && l->reader->reader &&
           l->pass == l->reader->pass;
}

/* A pass that is left in the middle ends the reading threads. */
static void leave(loop_object *l)
{
    reader_object *r = l->reader;
    if (!is_inside(l) || r->is_busy) return;
    hr_reader *reader = r->reader;
    r->is_busy = 1;
    Py_BEGIN_ALLOW_THREADS
    hr_reader_rest(reader);
    Py_END_ALLOW_THREADS
    r->is_busy = 0;
}

static void loop_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    leave((loop_object *)self);
    loop_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- a pass ---------------------------------------------------------------------- */

static int begin_pass(loop_object *l)
{
    reader_object *r = l->reader;
    if (reader_check(r) < 0) return -1;
    reader_use use = l->batch_size ? USE_BATCHES : USE_SAMPLES;
    if (reader_check_use(r, use, items_a_step(l)) < 0) return -1;
    int64_t n = reader_upcoming(r, items_a_step(l));
    if (n < 0 || reader_begin(r, use, items_a_step(l)) < 0) return -1;
    l->n_batches = n;
    l->pass = r->pass;
    l->state = LOOP_RUNNING;
    return 0;
}

static int check_open(const loop_object *l)
{
    if (l->state != LOOP_CLOSED) return 0;
    PyErr_SetString(PyExc_RuntimeError, "the loop is closed; next_epoch() gives a new one");
    return -1;
}

static PyObject *loop_iter(PyObject *self)
{
    loop_object *l = (loop_object *)self;
    if (check_open(l) < 0) return NULL;
    int goes_on = is_inside(l) && l->reader->set_epoch < 0;
    if (!goes_on && begin_pass(l) < 0) return NULL;
    return Py_NewRef(self);
}

static PyObject *loop_next(PyObject *self)
{
    loop_object *l = (loop_object *)self;
    if (l->state == LOOP_READY && begin_pass(l) < 0) return NULL;
    if (l->state != LOOP_RUNNING) return NULL;
    if (l->reader->reader && l->pass != l->reader->pass)
        return PyErr_Format(PyExc_RuntimeError, "another pass over this reader has begun, or its "
                            "state was set: a reader is read by one loop at a time");
    PyObject *out = reader_named(l->reader, reader_next(l->reader, l->batch_size == 0));
    if (!out && !PyErr_Occurred()) l->state = LOOP_ENDED;
    return out;
}

static Py_ssize_t loop_len(PyObject *self)
{
    loop_object *l = (loop_object *)self;
    if (is_inside(l)) return (Py_ssize_t)l->n_batches;
    if (reader_check(l->reader) < 0) return -1;
    return (Py_ssize_t)reader_upcoming(l->reader, items_a_step(l));
}

/* ---- methods --------------------------------------------------------------------- */

static PyObject *loop_close(PyObject *self, PyObject *unused)
{
    loop_object *l = (loop_object *)self;
    leave(l);
    l->state = LOOP_CLOSED;
    Py_RETURN_NONE;
}

static PyObject *loop_enter(PyObject *self, PyObject *unused)
{
    return check_open((loop_object *)self) < 0 ? NULL : Py_NewRef(self);
}

static PyObject *loop_exit(PyObject *self, PyObject *args) { return loop_close(self, NULL); }

static PyObject *state_dict(PyObject *self, PyObject *unused)
{
    reader_object *r = ((loop_object *)self)->reader;
    return reader_check(r) < 0 ? NULL : reader_state(r);
}

static PyObject *load_state_dict(PyObject *self, PyObject *state)
{
    loop_object *l = (loop_object *)self;
    if (check_open(l) < 0 || reader_set_state(l->reader, state, 1) < 0) return NULL;
    if (reader_check_use(l->reader, l->batch_size ? USE_BATCHES : USE_SAMPLES,
                         items_a_step(l)) < 0)
        return NULL;
    l->state = LOOP_READY;
    Py_RETURN_NONE;
}

static PyObject *set_epoch(PyObject *self, PyObject *epoch)
{
    return PyObject_CallMethod((PyObject *)((loop_object *)self)->reader, "set_epoch", "(O)", epoch);
}

static PyObject *loop_reduce(PyObject *self, PyObject *protocol)
{
    return PyErr_Format(PyExc_TypeError, "a loop cannot be pickled: it stands in the middle of a "
                        "reader; send the reader's arguments and state_dict()");
}

static PyMethodDef methods[] = {
    {"close", loop_close, METH_NOARGS,
     "close($self, /)\n--\n\nLeaves the loop and ends the reading threads. May be repeated."},
    {"state_dict", state_dict, METH_NOARGS,
     "state_dict($self, /)\n--\n\n"
     "The place in front of the first batch that the body did not get, as plain values."},
    {"load_state_dict", load_state_dict, METH_O,
     "load_state_dict($self, state, /)\n--\n\n"
     "Goes to a place of state_dict(): the next pass gives the rest of that epoch."},
    {"set_epoch", set_epoch, METH_O,
     "set_epoch($self, epoch, /)\n--\n\n"
     "The next pass begins with the first item of this epoch's own order."},
    {"__enter__", loop_enter, METH_NOARGS, NULL},
    {"__exit__", loop_exit, METH_VARARGS, NULL},
    {"__reduce_ex__", loop_reduce, METH_O, NULL},
    {0},
};

static PyObject *get_batch_size(PyObject *self, void *c)
{
    int64_t n = ((loop_object *)self)->batch_size;
    if (n == 0) Py_RETURN_NONE;
    return PyLong_FromLongLong(n);
}

static int get_info(PyObject *self, hr_reader_info *info)
{
    reader_object *r = ((loop_object *)self)->reader;
    if (reader_check(r) < 0) return -1;
    hr_reader_get_info(r->reader, info);
    return 0;
}

static PyObject *get_drop_last(PyObject *self, void *c)
{
    hr_reader_info info;
    return get_info(self, &info) < 0 ? NULL : PyBool_FromLong(info.last_batch == HR_LAST_DROP);
}

static PyObject *get_num_shards(PyObject *self, void *c)
{
    hr_reader_info info;
    return get_info(self, &info) < 0 ? NULL : PyLong_FromLongLong(info.num_shards);
}

static PyObject *get_shard_id(PyObject *self, void *c)
{
    hr_reader_info info;
    return get_info(self, &info) < 0 ? NULL : PyLong_FromLongLong(info.shard_id);
}

static PyObject *get_fill(PyObject *self, void *c)
{
    hr_reader_info info;
    return get_info(self, &info) < 0 ? NULL : PyLong_FromLongLong(info.fill);
}

static PyObject *get_epoch(PyObject *self, void *c)
{
    loop_object *l = (loop_object *)self;
    if (reader_check(l->reader) < 0) return NULL;
    hr_reader_position p;
    hr_reader_get_position(l->reader->reader, &p);
    return PyLong_FromLongLong(p.epoch);
}

static PyObject *get_reader(PyObject *self, void *c)
{
    return Py_NewRef((PyObject *)((loop_object *)self)->reader);
}

static PyGetSetDef getset[] = {
    {"batch_size", get_batch_size, NULL, "Samples of a batch; None for single samples.", NULL},
    {"drop_last", get_drop_last, NULL, "Is an incomplete last batch left out?", NULL},
    {"num_shards", get_num_shards, NULL, "Shards that the reader's items are divided into.", NULL},
    {"shard_id", get_shard_id, NULL, "The reader's shard, from 0.", NULL},
    {"epoch", get_epoch, NULL, "Running number of the epoch that the reader stands in.", NULL},
    {"num_padded", get_fill, NULL,
     "Last samples of the latest batch that only fill it up (last_batch \"wrap\" and \"pad\").",
     NULL},
    {"reader", get_reader, NULL, "The reader.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Passes over a reader: what next_epoch() returns."},
    {Py_tp_dealloc, loop_dealloc},
    {Py_tp_traverse, loop_traverse},
    {Py_tp_clear, loop_clear},
    {Py_tp_iter, loop_iter},
    {Py_tp_iternext, loop_next},
    {Py_sq_length, loop_len},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};

PyType_Spec loop_spec = {
    .name = "headrace._core.EagerLoop",
    .basicsize = sizeof(loop_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
