/* A captured loop's sources: they are pulled ahead, on the thread that drives the loop, and what the body
 * does not get goes back to them. */
#include "capture_steps.h"

static mod_state *st_of(captured_loop *l) { return state_of((PyObject *)l); }

/* ---- back to the sources --------------------------------------------------------- */

void pending_drop(pending *p)
{
    hr__step_unref(&p->step);
    Py_CLEAR(p->outputs);
    Py_CLEAR(p->fed);
    Py_CLEAR(p->items);
    Py_CLEAR(p->error);
}

static PyObject *source_at(const captured_loop *l, Py_ssize_t i)
{
    if (l->is_reader) i++; /* a reader has no items to give back */
    return i == 0 ? l->root : PyList_GET_ITEM(l->feeders, i - 1);
}

void loop_give_back_items(captured_loop *l, pending *p, Py_ssize_t n)
{
    if (p->items && n > PyList_GET_SIZE(p->items)) n = PyList_GET_SIZE(p->items);
    for (Py_ssize_t i = 0; p->items && i < n; i++)
        if (source_give_back(source_at(l, i), PyList_GET_ITEM(p->items, i)) < 0)
            PyErr_WriteUnraisable(l->root);
}

static void give_back_end(captured_loop *l)
{
    if (l->is_reader || !l->is_over) return;
    PyErr_SetNone(PyExc_StopIteration);
    source_give_back_error(l->root, PyErr_GetRaisedException());
}

void loop_place(const captured_loop *l, root_place *out)
{
    if (l->n_ahead) *out = l->ahead[0].place;
    else if (l->is_over) *out = l->end;
    else if (l->is_reader) reader_position((reader_object *)l->root, &out->reader);
    else source_get_place(l->root, &out->source);
}

int loop_fed_ahead(const captured_loop *l, Py_ssize_t i)
{
    int n = 0;
    for (int k = 0; k < l->n_ahead; k++)
        n += l->ahead[k].items && PyList_GET_SIZE(l->ahead[k].items) > i + !l->is_reader;
    return n;
}

void loop_give_back(captured_loop *l)
{
    reader_object *reader = l->is_reader ? (reader_object *)l->root : NULL;
    int was_moved = reader && reader->pass != l->pass; /* to a place of its own */
    root_place place;
    loop_place(l, &place);
    if (reader) reader->has_front = 0;
    if (l->n_ahead && reader && !was_moved && reader_go_back(reader, &place.reader) < 0)
        PyErr_WriteUnraisable(l->root);
    give_back_end(l);
    for (int i = l->n_ahead - 1; i >= 0; i--) {
        pending *p = &l->ahead[i];
        if (p->error && p->raised_by >= 0)
            source_give_back_error(source_at(l, p->raised_by), Py_NewRef(p->error));
        loop_give_back_items(l, p, PY_SSIZE_T_MAX);
        pending_drop(p);
    }
    if (!reader) source_set_left(l->root, &place.source);
    l->n_ahead = l->is_over = 0;
}

/* ---- pulling --------------------------------------------------------------------- */

PyObject *loop_check_outputs(captured_loop *l, PyObject *take_out)
{
    mod_state *st = st_of(l);
    PyObject *out = take_out;
    if (out && !PyTuple_Check(out)) {
        out = PyTuple_Pack(1, take_out);
        Py_DECREF(take_out);
    }
    for (Py_ssize_t i = 0; out && i < PyTuple_GET_SIZE(out); i++) {
        PyObject *one = PyTuple_GET_ITEM(out, i);
        if (!is_batch(st, one)) continue;
        int64_t n = batch_value(one)->n, most = l->capture->batch_size;
        if (n == most && !l->had_short) continue;
        if (n < most && n > 0 && !l->had_short) continue;
        if (l->had_short)
            PyErr_Format(PyExc_ValueError, "a batch of %lld follows a shorter one: only the last "
                         "of an epoch may be short", (long long)n);
        else
            PyErr_Format(PyExc_ValueError, "the source gave a batch of %lld, expected batch size "
                         "%lld", (long long)n, (long long)most);
        Py_CLEAR(out);
    }
    if (out && PyTuple_GET_SIZE(out) && is_batch(st, PyTuple_GET_ITEM(out, 0)))
        l->had_short |= batch_value(PyTuple_GET_ITEM(out, 0))->n < l->capture->batch_size;
    return out;
}

/* The root's next outputs; NULL without an exception at the end of the epoch. */
static PyObject *pull_root(captured_loop *l, PyObject **item)
{
    *item = NULL;
    if (l->is_reader) return reader_next((reader_object *)l->root, 0);
    int is_first = l->is_first;
    l->is_first = 0;
    PyObject *out = source_pull_item(l->root, l->capture->batch_size, item);
    if (out || !PyErr_ExceptionMatches(PyExc_StopIteration)) return out;
    PyErr_Clear();
    /* a pass that was left behind its last item has no empty one after it */
    return is_first && source_was_left(l->root) ? pull_root(l, item) : NULL;
}

static int64_t fill_of_root(const captured_loop *l)
{
    hr_reader_info info;
    if (!l->is_reader) return 0;
    hr_reader_get_info(((reader_object *)l->root)->reader, &info);
    return info.fill;
}

PyObject *loop_pull_unkept(captured_loop *l)
{
    PyObject *item;
    PyObject *out = pull_root(l, &item);
    Py_XDECREF(item);
    l->fill = fill_of_root(l);
    return out;
}

int loop_append(PyObject *list, PyObject *take_one)
{
    int bad = !take_one || PyList_Append(list, take_one) < 0;
    Py_XDECREF(take_one);
    return bad;
}

PyObject *loop_as_tuple(PyObject *take_out)
{
    if (!take_out || PyTuple_Check(take_out)) return take_out;
    PyObject *one = PyTuple_Pack(1, take_out);
    Py_DECREF(take_out);
    return one;
}

static int pull_feeders(captured_loop *l, pending *p)
{
    int64_t size = batch_value(PyTuple_GET_ITEM(p->outputs, 0))->n; /* short ones included */
    p->fed = PyList_New(0);
    for (Py_ssize_t i = 0; p->fed && i < PyList_GET_SIZE(l->feeders); i++) {
        PyObject *item;
        PyObject *out = source_pull_item(PyList_GET_ITEM(l->feeders, i), size, &item);
        if (!out) {
            p->raised_by = item ? BY_LAST_ITEM : (int)i + !l->is_reader;
            int bad = item && loop_append(p->items, item);
            (void)bad; /* then the item is lost, for want of memory */
            return -1;
        }
        if (loop_append(p->items, item) || loop_append(p->fed, loop_as_tuple(out))) return -1;
    }
    return p->fed ? 0 : -1;
}

static void take_batches(hr_batch **inputs, int *n, PyObject *outputs)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); i++)
        inputs[(*n)++] = hr_batch_ref(batch_value(PyTuple_GET_ITEM(outputs, i)));
}

static int submit(captured_loop *l, pending *p)
{
    capture_object *c = l->capture;
    hr_batch *inputs[MAX_SOURCES] = {0};
    hr_rng rngs[MAX_RNGS];
    int n = 0;
    int64_t number = c->step + 1 + l->n_ahead;
    take_batches(inputs, &n, p->outputs);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(p->fed); i++)
        take_batches(inputs, &n, PyList_GET_ITEM(p->fed, i));
    for (int i = 0; i < c->n_rngs; i++) {
        rngs[i] = c->rngs[i].start;
        hr_rng_skip(&rngs[i], c->rngs[i].period * (uint64_t)l->n_ahead);
    }
    hr_error err = {0};
    if (hr__executor_submit(c->executor, number, inputs, rngs, &p->step, &err) == HR_OK) return 0;
    raise_error(st_of(l), &err);
    return -1;
}

static int pull_step(captured_loop *l, pending *p)
{
    PyObject *item;
    p->outputs = pull_root(l, &item);
    p->fill = fill_of_root(l);
    p->items = PyList_New(0);
    if (!p->outputs && !PyErr_Occurred()) return 0;
    if (!p->outputs && !item && !l->is_reader) p->raised_by = 0;
    if (!p->items || (item && loop_append(p->items, item))) return -1;
    if (p->outputs) p->outputs = loop_check_outputs(l, p->outputs);
    if (!p->outputs && p->raised_by == BY_NO_SOURCE) p->raised_by = BY_LAST_ITEM;
    return p->outputs && pull_feeders(l, p) == 0 && submit(l, p) == 0 ? 1 : -1;
}

/* Its frames would keep the loop alive, and with it all that was pulled ahead: they become text. */
static int loosen(PyObject *error)
{
    PyObject *module = PyImport_ImportModule("headrace.capture._ahead");
    PyObject *r = module ? PyObject_CallMethod(module, "loosen", "(O)", error) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(r);
    return r ? 0 : -1;
}

/* The exception becomes the step's, raised when its turn comes. One that is no Exception (Ctrl-C) does
 * not wait for that: -1. */
static int keep_error(pending *p)
{
    int is_urgent = !PyErr_ExceptionMatches(PyExc_Exception);
    p->error = PyErr_GetRaisedException();
    if (!is_urgent) return loosen(p->error);
    p->raised_by = BY_NO_SOURCE; /* raised now, and not once more */
    PyErr_SetRaisedException(Py_NewRef(p->error));
    return -1;
}

PyObject *loop_feeder_line(const captured_loop *l, Py_ssize_t which) /* borrowed */
{
    PyObject *lines = l->capture->lines;
    return which >= 0 && which < PyList_GET_SIZE(lines) ? PyList_GET_ITEM(lines, which) : Py_None;
}

PyObject *loop_without_stop(const captured_loop *l, int which, PyObject *take_error)
{
    if (!PyErr_GivenExceptionMatches(take_error, PyExc_StopIteration)) return take_error;
    Py_DECREF(take_error);
    capture_fail("an ExternalSource inside a captured loop, read at %S, was exhausted before the loop's "
                 "own source",
                 loop_feeder_line(l, which));
    return PyErr_GetRaisedException();
}

int loop_pull_ahead(captured_loop *l)
{
    pending p = {.raised_by = BY_NO_SOURCE};
    if (l->is_reader) reader_position((reader_object *)l->root, &p.place.reader);
    else source_get_place(l->root, &p.place.source);
    int64_t begin = capture_now();
    int pulled = pull_step(l, &p);
    l->capture->clock.source_ns += capture_now() - begin;
    if (pulled == 0) {
        l->is_over = 1;
        l->end = p.place;
        pending_drop(&p);
        return 0;
    }
    int bad = pulled < 0 ? keep_error(&p) : 0;
    l->ahead[l->n_ahead++] = p;
    return bad < 0 ? -1 : pulled > 0;
}
