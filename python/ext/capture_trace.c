/* Tracing: each call of the first step runs eagerly, and is then recorded if every argument is a
 * result of this step, marked, or proven constant. The proof is Python's part, once a site. */
#include "capture.h"

#include <string.h>


/* ---- the call's place ------------------------------------------------------------ */

static int take_chain(site *s)
{
    int room = 0;
    for (PyFrameObject *f = frame_of_caller(); f; f = frame_outwards(f)) {
        if (s->n_chain == room) {
            room = room ? room * 2 : 16;
            frame_key *more = PyMem_Realloc(s->chain, sizeof *more * (size_t)room);
            if (!more) {
                Py_DECREF(f);
                PyErr_NoMemory();
                return -1;
            }
            s->chain = more;
        }
        s->chain[s->n_chain++] = frame_place(f);
    }
    return s->n_chain ? 0 : -1;
}

static int same_chain(const site *a, const site *b)
{
    if (a->op != b->op || a->n_chain != b->n_chain) return 0;
    for (int i = 0; i < a->n_chain; i++)
        if (a->chain[i].code != b->chain[i].code || a->chain[i].offset != b->chain[i].offset)
            return 0;
    return 1;
}

/* ---- arguments ------------------------------------------------------------------- */

static PyObject *frames_list(void)
{
    PyObject *out = PyList_New(0);
    for (PyFrameObject *f = frame_of_caller(); f; f = frame_outwards(f))
        if (out && PyList_Append(out, (PyObject *)f) < 0) Py_CLEAR(out);
    return out;
}

/* Asks the prover about the arguments that are neither results nor marked: a list with, for each
 * entry of the call, the number of frames that the proof needed, or a reason. */
static PyObject *ask_prover(const call_args *call, const site *s)
{
    PyObject *module = PyImport_ImportModule("headrace.capture._trace");
    PyObject *f = module ? PyObject_GetAttrString(module, "classify") : NULL;
    PyObject *frames = f ? frames_list() : NULL;
    PyObject *values = frames ? PyTuple_New(call->n + call->n_kw) : NULL;
    for (Py_ssize_t i = 0; values && i < call->n + call->n_kw; i++)
        PyTuple_SET_ITEM(values, i, Py_NewRef(call->args[i]));
    PyObject *names = call->kwnames ? Py_NewRef(call->kwnames) : PyTuple_New(0);
    PyObject *wanted = PyList_New(0);
    for (Py_ssize_t i = 0; wanted && i < s->n_args; i++) {
        if (s->args[i].kind != RECORD_CONSTANT) continue;
        PyObject *index = PyLong_FromSsize_t(i);
        if (!index || PyList_Append(wanted, index) < 0) Py_CLEAR(wanted);
        Py_XDECREF(index);
    }
    PyObject *out = values && names && wanted
                        ? PyObject_CallFunction(f, "OOOOO", call->op, frames, names, values, wanted)
                        : NULL;
    Py_XDECREF(wanted);
    Py_XDECREF(names);
    Py_XDECREF(values);
    Py_XDECREF(frames);
    Py_XDECREF(f);
    Py_XDECREF(module);
    return out;
}

static PyObject *name_of_entry(const call_args *call, Py_ssize_t i)
{
    return i < call->n ? NULL : PyTuple_GET_ITEM(call->kwnames, i - call->n);
}

/* Results and marks; the rest is for the prover. -1: an exception, 0: none is left, 1: some are. */
static int sort_arguments(capture_object *c, mod_state *st, const call_args *call, site *s)
{
    int open = 0;
    for (Py_ssize_t i = 0; i < s->n_args; i++) {
        arg_record *r = &s->args[i];
        PyObject *obj = call->args[i], *name = name_of_entry(call, i);
        r->kind = (record_kind)-1;
        if (obj == Py_None || (name && !capture_is_matched(st, name))) continue;
        PyObject *plain = invariant_value(st, obj); /* a marked result is a result */
        const provenance *p = is_batch(st, plain) ? batch_provenance(plain) : NULL;
        if (p && p->id == c->id && p->step == c->step) {
            r->kind = RECORD_PORT;
            s->has_port = 1;
            r->port = p->port;
        } else {
            r->kind = is_invariant(st, obj) ? RECORD_MARKED : RECORD_CONSTANT;
            r->value = Py_NewRef(obj);
            open |= r->kind == RECORD_CONSTANT;
        }
    }
    return open;
}

/* 1: all proven; 0: some are not; -1: an exception. */
static int prove_arguments(mod_state *st, const call_args *call, site *s, PyObject **reasons)
{
    (void)st;
    *reasons = ask_prover(call, s);
    if (!*reasons) return -1;
    for (Py_ssize_t i = 0; i < s->n_args; i++) {
        if (s->args[i].kind != RECORD_CONSTANT) continue;
        PyObject *answer = PyList_GetItem(*reasons, i); /* borrowed */
        if (!answer) return -1;
        if (!PyLong_Check(answer)) return 0;
        int depth = (int)PyLong_AsLong(answer);
        if (depth > s->depth) s->depth = depth;
    }
    return 1;
}

/* ---- the node -------------------------------------------------------------------- */

/* A tensor or array as an operand that is the same in every step. */
static int constant_operand(mod_state *st, PyObject *obj, hr_operand *o)
{
    hr_error err = {0};
    obj = invariant_value(st, obj);
    o->kind = HR_OPERAND_BATCH;
    o->is_batch = is_batch(st, obj);
    if (o->is_batch) {
        hr_batch *b = batch_value(obj);
        o->batch = b ? hr_batch_ref(b) : NULL;
        return b ? 0 : -1;
    }
    hr_tensor t = {0};
    int copied;
    if (tensor_from_object(st, obj, &t, &copied) < 0) return -1;
    if (hr_batch_create(&o->batch, 1, &err) != HR_OK) {
        hr_tensor_clear(&t);
        raise_error(st, &err);
        return -1;
    }
    o->batch->t[0] = t;
    if (hr_batch_seal(o->batch, &err) == HR_OK) return 0;
    raise_error(st, &err);
    return -1;
}

typedef struct node_room {
    hr_operand *in, *args;
    hr_value *values;
    value_room room;
} node_room;

static int fill_entry(mod_state *st, const call_args *call, const site *s, hr_node *node,
                      node_room *r, Py_ssize_t i)
{
    const arg_record *a = &s->args[i];
    if ((int)a->kind < 0) return 0;
    int is_input = i < call->n;
    int index = is_input ? (int)i : op_argument_index(call->op, name_of_entry(call, i));
    if (index < 0) return 0; /* refused by the eager call already */
    hr_operand *o = is_input ? &r->in[index] : &r->args[index];
    if (a->kind == RECORD_PORT) {
        *o = (hr_operand){.kind = HR_OPERAND_PORT, .port = a->port};
        return 0;
    }
    if (is_input) return constant_operand(st, a->value, o);
    PyObject *plain = invariant_value(st, a->value);
    hr_value *v = &r->values[index];
    if (value_from_object(st, &node->op->args[index], plain, &r->room, v) < 0) return -1;
    if (v->kind != HR_VALUE_TENSOR && v->kind != HR_VALUE_BATCH) return 0;
    v->kind = HR_VALUE_NONE;
    return constant_operand(st, plain, o);
}

static int add_node(capture_object *c, const call_args *call, site *s)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(call->op));
    const hr_op_desc *op = op_descriptor(call->op);
    node_room r = {PyMem_Calloc((size_t)call->n + 1, sizeof *r.in),
                   PyMem_Calloc((size_t)op->n_args + 1, sizeof *r.args),
                   PyMem_Calloc((size_t)op->n_args + 1, sizeof *r.values), {0}};
    hr_node node = {.op = op, .n_in = (int)call->n, .in = r.in, .values = r.values,
                    .args = r.args, .batch_size = s->has_size ? c->batch_size : 0,
                    .rng = s->rng};
    if (s->rng >= 0) node.rng_offset = s->rng_drawn - c->rngs[s->rng].rng->trace_mark;
    value_room_init(&r.room);
    int bad = !r.in || !r.args || !r.values;
    if (bad) PyErr_NoMemory();
    for (Py_ssize_t i = 0; !bad && i < s->n_args; i++)
        bad = fill_entry(st, call, s, &node, &r, i) < 0;
    hr_error err = {0};
    if (!bad && hr__graph_add(c->graph, &node, &s->node, &err) != HR_OK) {
        raise_error(st, &err);
        bad = 1;
    }
    for (Py_ssize_t i = 0; r.in && i < call->n; i++) hr_batch_unref(&r.in[i].batch);
    for (int i = 0; r.args && i < op->n_args; i++) hr_batch_unref(&r.args[i].batch);
    value_room_clear(&r.room);
    PyMem_Free(r.in);
    PyMem_Free(r.args);
    PyMem_Free(r.values);
    return bad ? -1 : 0;
}

/* ---- generators ------------------------------------------------------------------ */

static int track_rng(capture_object *c, rng_object *rng)
{
    for (int i = 0; i < c->n_rngs; i++)
        if (c->rngs[i].rng == rng) return i;
    tracked_rng *more = PyMem_Realloc(c->rngs, sizeof *more * (size_t)(c->n_rngs + 1));
    if (!more) {
        PyErr_NoMemory();
        return -1;
    }
    c->rngs = more;
    more[c->n_rngs] = (tracked_rng){.rng = (rng_object *)Py_NewRef((PyObject *)rng),
                                    .replaced = rng->replaced};
    return c->n_rngs++;
}

/* ---- recording ------------------------------------------------------------------- */

static int mark_results(capture_object *c, mod_state *st, const site *s, PyObject *result)
{
    Py_ssize_t n = PyTuple_Check(result) ? PyTuple_GET_SIZE(result) : 1;
    for (Py_ssize_t o = 0; o < n; o++) {
        PyObject *one = PyTuple_Check(result) ? PyTuple_GET_ITEM(result, o) : result;
        provenance p = {c->id, c->step, {s->node, (int32_t)o}};
        batch_set_provenance(one, &p);
    }
    (void)st;
    return 0;
}

static int all_batches(mod_state *st, PyObject *result)
{
    if (!PyTuple_Check(result)) return is_batch(st, result);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); i++)
        if (!is_batch(st, PyTuple_GET_ITEM(result, i))) return 0;
    return 1;
}

static int note_row(capture_object *c, mod_state *st, const call_args *call, int captured,
                    PyObject *reasons)
{
    PyObject *module = PyImport_ImportModule("headrace.capture._trace");
    PyObject *names = call->kwnames ? Py_NewRef(call->kwnames) : PyTuple_New(0);
    PyObject *frames = frames_list();
    PyObject *row = module && names && frames
                        ? PyObject_CallMethod(module, "row", "OOOiO", call->op, frames, names,
                                              captured, reasons ? reasons : Py_None)
                        : NULL;
    int bad = !row || PyList_Append(c->rows, row) < 0;
    Py_XDECREF(row);
    Py_XDECREF(frames);
    Py_XDECREF(names);
    Py_XDECREF(module);
    (void)st;
    return bad ? -1 : 0;
}

static int has_keyword(const call_args *call, PyObject *name)
{
    for (Py_ssize_t k = 0; k < call->n_kw; k++)
        if (PyTuple_GET_ITEM(call->kwnames, k) == name && call->args[call->n + k] != Py_None)
            return 1;
    return 0;
}

/* The same site once more in the traced step: captured as well if its arguments are the recorded
 * ones; a generator's second draw is never taken from the pipeline. */
static int record_again(capture_object *c, mod_state *st, const site *old, const site *s,
                        PyObject *result)
{
    for (Py_ssize_t i = 0; i < s->n_args; i++) {
        const arg_record *a = &old->args[i], *b = &s->args[i];
        if (a->kind != b->kind) return 0;
        if ((int)a->kind < 0 || a->kind == RECORD_MARKED) continue;
        int same = a->kind == RECORD_PORT
                       ? a->port.node == b->port.node && a->port.out == b->port.out
                       : capture_same_constant(a->value, b->value);
        if (same <= 0) return same;
    }
    if (old->rng >= 0 && !c->warned_repeat) {
        c->warned_repeat = 1;
        PyObject *warning = PyObject_GetAttrString(st->slow, "HeadraceWarning");
        int bad = !warning || PyErr_WarnFormat(warning, 1, "%R runs more than once per iteration "
                      "of a captured loop: the first call of each step is captured, the others run "
                      "eagerly; use a call site of its own for each", old->op) < 0;
        Py_XDECREF(warning);
        if (bad) return -1;
    }
    return mark_results(c, st, old, result);
}

static void drop_site(site *s)
{
    for (int i = 0; i < s->n_chain; i++) Py_DECREF(s->chain[i].code);
    PyMem_Free(s->chain);
    for (Py_ssize_t i = 0; s->args && i < s->n_args; i++) Py_XDECREF(s->args[i].value);
    PyMem_Free(s->args);
    Py_XDECREF(s->kwnames);
    Py_XDECREF(s->op);
}

static int keep_site(capture_object *c, site *s)
{
    if (c->n_sites == c->room_sites) {
        int room = c->room_sites ? c->room_sites * 2 : 16;
        site *more = PyMem_Realloc(c->sites, sizeof *more * (size_t)room);
        if (!more) {
            PyErr_NoMemory();
            return -1;
        }
        c->sites = more;
        c->room_sites = room;
    }
    c->sites[c->n_sites++] = *s;
    return 0;
}

static int open_graph(capture_object *c, mod_state *st)
{
    hr_error err = {0};
    if (c->graph || hr__graph_create(&c->graph, MAX_SOURCES, MAX_RNGS, &err) == HR_OK) return 0;
    raise_error(st, &err);
    return -1;
}

/* 1: kept (the site belongs to the capture now); 0: not; -1: an exception. */
static int record_site(capture_object *c, mod_state *st, const call_args *call, site *s,
                       PyObject *result, rng_object *rng)
{
    int open = sort_arguments(c, st, call, s), proven = 1;
    PyObject *reasons = NULL;
    if (open) proven = prove_arguments(st, call, s, &reasons);
    if (proven >= 0 && note_row(c, st, call, proven, reasons) < 0) proven = -1;
    Py_XDECREF(reasons);
    if (proven <= 0) return proven;
    for (int i = 0; i < c->n_sites; i++)
        if (same_chain(&c->sites[i], s)) return record_again(c, st, &c->sites[i], s, result);
    if (rng && (s->rng = track_rng(c, rng)) < 0) return -1;
    s->has_size = has_keyword(call, st->str_batch_size);
    if (open_graph(c, st) < 0 || add_node(c, call, s) < 0 ||
        keep_site(c, s) < 0)
        return -1;
    mark_results(c, st, s, result);
    return 1;
}

int capture_record(capture_object *c, const call_args *call, PyObject *result, uint64_t drawn,
                   rng_object *rng)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(call->op));
    if (!all_batches(st, result)) return 0;
    site s = {.op = Py_NewRef(call->op), .depth = 1, .n_args = call->n + call->n_kw,
              .n_out = PyTuple_Check(result) ? (int)PyTuple_GET_SIZE(result) : 1,
              .n_positional = call->n, .kwnames = Py_XNewRef(call->kwnames), .rng = -1,
              .rng_drawn = drawn, .used_in = -1, .next = -1};
    s.args = PyMem_Calloc((size_t)s.n_args + 1, sizeof *s.args);
    int kept = -1;
    if (!s.args) PyErr_NoMemory();
    else if (take_chain(&s) == 0) kept = record_site(c, st, call, &s, result, rng);
    if (kept != 1) drop_site(&s);
    return kept < 0 ? -1 : 0;
}

/* ---- after the traced step ------------------------------------------------------- */

/* The shortest prefix of the chain that tells the site from every other of its operator. */
static void cut_chain(capture_object *c, int index)
{
    site *s = &c->sites[index];
    for (int k = 0; k < c->n_sites; k++) {
        const site *o = &c->sites[k];
        if (k == index || o->op != s->op) continue;
        int same = 0;
        while (same < s->n_chain && same < o->n_chain &&
               s->chain[same].code == o->chain[same].code &&
               s->chain[same].offset == o->chain[same].offset)
            same++;
        if (same + 1 > s->depth) s->depth = same + 1;
    }
    if (s->depth > s->n_chain) s->depth = s->n_chain;
}

int capture_compile(capture_object *c)
{
    for (int i = 0; i < c->n_sites; i++) cut_chain(c, i);
    for (int i = 0; i < c->n_sites; i++) capture_index_site(c, i);
    for (int i = 0; i < c->n_rngs; i++) {
        tracked_rng *t = &c->rngs[i];
        t->mark = t->rng->trace_mark;
        t->period = t->rng->drawn - t->mark;
    }
    capture_rebase_rngs(c); /* the next step begins where the traced one ended */
    hr__graph_seal(c->graph, c->n_sources, c->n_rngs);
    c->state = CAPTURE_REPLAYING;
    return 0;
}
