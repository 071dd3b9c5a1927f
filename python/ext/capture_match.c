/* Replay: is this call the recorded one? Looks the site up by the caller's place, compares the
 * arguments, and gives the result's handle without computing anything. */
#include "capture.h"

#include <string.h>

/* ---- sites ----------------------------------------------------------------------- */

static unsigned bucket_of(PyObject *op, frame_key key)
{
    uintptr_t h = (uintptr_t)op / 16 * 31 + (uintptr_t)key.code / 16 * 17 + (uintptr_t)key.offset;
    return (unsigned)(h ^ h >> 8) % SITE_BUCKETS;
}

void capture_index_site(capture_object *c, int index)
{
    site *s = &c->sites[index];
    frame_key key = {s->chain[0].code, capture_first_offset(c, s->chain[0])};
    int *head = &c->buckets[bucket_of(s->op, key)];
    s->next = *head;
    *head = index;
}

static int same_place(const capture_object *c, frame_key a, frame_key b)
{
    return a.code == b.code &&
           (a.offset == b.offset ||
            (c->n_aliases && capture_first_offset(c, a) == capture_first_offset(c, b)));
}

/* Do the frames outwards of the caller's own agree with the site's chain? */
static int same_callers(const capture_object *c, const site *s, PyFrameObject *frame)
{
    PyFrameObject *f = (PyFrameObject *)Py_NewRef(frame);
    int same = 1;
    for (int d = 1; d < s->depth && same; d++) {
        f = frame_outwards(f);
        if (!f) return 0;
        frame_key key = frame_place(f);
        same = same_place(c, key, s->chain[d]);
        Py_DECREF(key.code);
    }
    Py_DECREF(f);
    return same;
}

static site *find_site(capture_object *c, PyObject *op)
{
    PyFrameObject *frame = frame_of_caller();
    if (!frame) return NULL;
    frame_key key = frame_place(frame), first = {key.code, key.offset};
    if (c->n_aliases) first.offset = capture_first_offset(c, key);
    site *found = NULL;
    for (int i = c->buckets[bucket_of(op, first)]; i >= 0; i = c->sites[i].next) {
        site *s = &c->sites[i];
        if (s->op != op || !same_place(c, key, s->chain[0]) ||
            (s->depth > 1 && !same_callers(c, s, frame)))
            continue;
        /* Copies of one call that were both traced are sites of their own. */
        if (!found || s->chain[0].offset == key.offset) found = s;
        if (!c->n_aliases || s->chain[0].offset == key.offset) break;
    }
    Py_DECREF(key.code);
    Py_DECREF(frame);
    return found;
}

/* ---- arguments ------------------------------------------------------------------- */

int capture_is_matched(mod_state *st, PyObject *name)
{
    return name != st->str_rng && name != st->str_device && name != st->str_batch_size;
}

/* An object of the user can only be here by a mark on an item of a list; what it cannot compare (as
 * arrays) is another value. */
static int same_object(PyObject *a, PyObject *b)
{
    int same = PyObject_RichCompareBool(a, b, Py_EQ);
    if (same < 0 && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        same = 0;
    }
    return same;
}

/* The same value of the same type, marked or not; lists and tuples element by element. 1, 0, or -1. */
int capture_same_constant(PyObject *a, PyObject *b)
{
    a = invariant_value(a);
    b = invariant_value(b);
    if (a == b) return 1;
    if (Py_TYPE(a) != Py_TYPE(b)) return 0;
    if (PyFloat_CheckExact(a)) { /* -0.0 is another value than 0.0; so is any NaN */
        double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    if (PyList_Check(a) || PyTuple_Check(a)) {
        Py_ssize_t n = PySequence_Fast_GET_SIZE(a);
        if (n != PySequence_Fast_GET_SIZE(b)) return 0;
        for (Py_ssize_t i = 0; i < n; i++) {
            int same = capture_same_constant(PySequence_Fast_GET_ITEM(a, i),
                                             PySequence_Fast_GET_ITEM(b, i));
            if (same != 1) return same;
        }
        return 1;
    }
    return same_object(a, b);
}

enum { LOST_MARK = -2 };

/* 1: as recorded; 0: eager; LOST_MARK; -1: an exception. */
static int same_argument(capture_object *c, mod_state *st, const arg_record *r, PyObject *obj,
                         eager_why *why)
{
    switch (r->kind) {
    case RECORD_PORT: {
        obj = invariant_value(obj);
        if (!is_batch(st, obj)) return 0;
        const provenance *p = batch_provenance(obj);
        if (p->id == c->id && p->step == c->step && p->port.node == r->port.node &&
            p->port.out == r->port.out)
            return 1;
        capture_blame(c, obj, why);
        return 0;
    }
    case RECORD_MARKED:
        return is_invariant(obj) ? 1 : LOST_MARK;
    case RECORD_CONSTANT:
        if (is_batch(st, obj) || is_tensor(st, obj)) return 0;
        why->code = EAGER_CHANGED_CONSTANT;
        return capture_same_constant(r->value, obj);
    }
    return 0;
}

/* The value of one of the arguments that are not matched, or NULL. */
static PyObject *keyword(const call_args *call, PyObject *name)
{
    for (Py_ssize_t k = 0; k < call->n_kw; k++)
        if (PyTuple_GET_ITEM(call->kwnames, k) == name) {
            PyObject *v = invariant_value(call->args[call->n + k]);
            return v == Py_None ? NULL : v;
        }
    return NULL;
}

/* The entry of a keyword in the recorded call; -1: it has none. */
static Py_ssize_t entry_of(const site *s, PyObject *name)
{
    Py_ssize_t n = s->kwnames ? PyTuple_GET_SIZE(s->kwnames) : 0;
    for (Py_ssize_t k = 0; k < n; k++)
        if (PyTuple_GET_ITEM(s->kwnames, k) == name ||
            PyUnicode_Compare(PyTuple_GET_ITEM(s->kwnames, k), name) == 0)
            return s->n_positional + k;
    return -1;
}

static int is_absent(const arg_record *r) { return (int)r->kind < 0; }

/* A batch size that is given is the step's own (in a short step the loop's is another one), and is given
 * wherever nothing else says how many samples the call makes. */
static int same_size(const capture_object *c, mod_state *st, const site *s, const call_args *call)
{
    PyObject *size = keyword(call, st->str_batch_size);
    if (!size) return s->has_port || !s->has_size;
    if (!s->has_port && !s->has_size) return 0;
    Py_ssize_t n = PyNumber_AsSsize_t(size, NULL);
    if (n == -1 && PyErr_Occurred()) return -1;
    return n == c->current_size;
}

static int same_arguments(capture_object *c, mod_state *st, const site *s, const call_args *call,
                          eager_why *why)
{
    *why = (eager_why){EAGER_OTHER_ARGUMENTS, -1, NULL, -1, NULL};
    if (call->n != s->n_positional) return 0;
    int size = same_size(c, st, s, call);
    if (size != 1) return size;
    Py_ssize_t matched = 0, wanted = 0;
    for (Py_ssize_t i = 0; i < s->n_args; i++) wanted += !is_absent(&s->args[i]);
    for (Py_ssize_t i = 0; i < call->n + call->n_kw; i++) {
        PyObject *obj = call->args[i];
        Py_ssize_t entry = i;
        if (i >= call->n) {
            PyObject *name = PyTuple_GET_ITEM(call->kwnames, i - call->n);
            if (!capture_is_matched(st, name)) continue;
            if (call->kwnames != s->kwnames) entry = entry_of(s, name);
        }
        if (obj == Py_None) continue;
        if (entry < 0 || is_absent(&s->args[entry])) return 0;
        int same = same_argument(c, st, &s->args[entry], obj, why);
        if (same == LOST_MARK) return capture_fail_marker(call, s, i, s->args[entry].value);
        if (same != 1) {
            why->position = (int)i;
            why->name = i < call->n ? NULL : PyTuple_GET_ITEM(call->kwnames, i - call->n);
            return same;
        }
        why->code = EAGER_OTHER_ARGUMENTS;
        matched++;
    }
    return matched == wanted;
}

/* ---- what may not differ --------------------------------------------------------- */

int capture_check_batch_size(capture_object *c, const call_args *call)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(call->op));
    PyObject *size = keyword(call, st->str_batch_size);
    if (!size) return 0;
    Py_ssize_t n = PyNumber_AsSsize_t(size, NULL);
    if (n == -1 && PyErr_Occurred()) return -1;
    if (n == c->batch_size || n == c->current_size) return 0;
    return capture_fail("%R: the conflicting batch size %zd: the captured loop has %lld", call->op,
                        n, (long long)c->batch_size);
}

static int same_state(const hr_rng *a, const hr_rng *b)
{
    return a->key == b->key && a->hi == b->hi && a->lo == b->lo && a->phase == b->phase;
}

int capture_check_rngs(capture_object *c, int steps)
{
    for (int i = 0; i < c->n_rngs; i++) {
        tracked_rng *t = &c->rngs[i];
        hr_rng expected = t->start;
        if (steps) hr_rng_skip(&expected, t->period);
        const char *what = NULL;
        if (t->rng->replaced != t->replaced)
            what = "its state was set while the loop lives";
        else if (!same_state(&t->rng->rng, &expected))
            what = steps ? "the step drew more or fewer words"
                         : "words were drawn between two steps";
        if (what) return capture_fail_draws(c, t, what);
        t->start = expected;
        t->begun = t->rng->drawn;
    }
    return 0;
}

void capture_rebase_rngs(capture_object *c)
{
    for (int i = 0; i < c->n_rngs; i++) {
        tracked_rng *t = &c->rngs[i];
        t->replaced = t->rng->replaced;
        t->begun = t->rng->drawn;
        t->start = t->rng->rng;
    }
}

/* The site's generator must be the recorded one, at the recorded place; it then moves on. */
static int take_draws(capture_object *c, mod_state *st, const site *s, const call_args *call)
{
    tracked_rng *t = &c->rngs[s->rng];
    PyObject *given = keyword(call, st->str_rng);
    if (given && !Py_IS_TYPE(given, st->rng_type)) return 0; /* its error comes eagerly */
    rng_object *rng = given ? (rng_object *)given : default_rng(st);
    if (!rng) return -1;
    hr_rng expected = t->start;
    uint64_t offset = s->rng_drawn - t->mark;
    hr_rng_skip(&expected, offset);
    if (rng == t->rng && rng->replaced == t->replaced && rng->drawn - t->begun > offset)
        return 0; /* ahead: this call draws eagerly, and the step's end says what is wrong */
    const char *what = rng != t->rng                     ? "another generator was passed"
                       : rng->replaced != t->replaced    ? "its state was set while the loop lives"
                       : !same_state(&rng->rng, &expected) ? "it stands at another place"
                                                           : NULL;
    if (what) return capture_fail_draws(c, t, what);
    hr_rng_skip(&rng->rng, HR_RNG_CALL_WORDS);
    rng->drawn += HR_RNG_CALL_WORDS;
    return 1;
}

/* ---- the result ------------------------------------------------------------------ */

static PyObject *make_handles(capture_object *c, mod_state *st, const site *s)
{
    int n = s->n_out;
    PyObject *out = n == 1 ? NULL : PyTuple_New(n);
    for (int o = 0; o < n && (n == 1 || out); o++) {
        provenance p = {c->id, c->step, {s->node, o}};
        if (!c->current)
            PyErr_SetString(PyExc_RuntimeError, "the loop was left in the middle of this call");
        PyObject *one = c->current ? batch_handle(st, c->current, &p) : NULL;
        if (n == 1) return one;
        if (one) PyTuple_SET_ITEM(out, o, one);
        else Py_CLEAR(out);
    }
    return out;
}

int capture_replay(capture_object *c, const call_args *call, PyObject **out, eager_why *why)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(call->op));
    *out = NULL;
    if (capture_check_batch_size(c, call) < 0) return 1;
    site *s = find_site(c, call->op);
    *why = (eager_why){s ? EAGER_REPEATED_RANDOM : EAGER_UNSEEN, -1, NULL, -1, NULL};
    if (!s || (s->rng >= 0 && s->used_in == c->step)) return 0;
    int same = same_arguments(c, st, s, call, why);
    if (same < 0) return 1;
    if (!same) return 0;
    PyObject *device = keyword(call, st->str_device);
    if (device && check_device(st, device) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_RuntimeError)) return 1;
        PyErr_Clear();
        return capture_fail_device(call, s, device), 1;
    }
    if (s->rng >= 0) {
        int taken = take_draws(c, st, s, call);
        why->code = EAGER_RNG_AHEAD;
        if (taken <= 0) return taken < 0;
    }
    s->used_in = c->step;
    *out = make_handles(c, st, s);
    if (s->row >= 0) c->rows.at[s->row].captured++;
    return 1;
}

int32_t capture_find_failure(const capture_object *c, hr_step *step, hr_error *err)
{
    for (int i = 0; i < c->n_sites; i++) {
        hr_batch *unused = NULL;
        int32_t node = c->sites[i].node;
        if (c->sites[i].used_in != c->step) continue;
        if (hr__step_wait(step, (hr_port){node, 0}, NULL, NULL, &unused, err) != HR_OK)
            return hr__step_cause(step, node);
        hr_batch_unref(&unused);
    }
    return -1;
}
