/* Tracing: each call of the first step runs eagerly, and is then recorded if every argument is a
 * result of this step, marked, or proven constant. The proof is Python's part, once a site. */
#include "capture.h"

#include <string.h>


/* ---- the call's place ------------------------------------------------------------ */

int capture_take_chain(frame_key **chain, int *n)
{
    int room = 0;
    for (PyFrameObject *f = frame_of_caller(); f; f = frame_outwards(f)) {
        if (*n == room) {
            room = room ? room * 2 : 16;
            frame_key *more = PyMem_Realloc(*chain, sizeof *more * (size_t)room);
            if (!more) {
                Py_DECREF(f);
                PyErr_NoMemory();
                return -1;
            }
            *chain = more;
        }
        (*chain)[(*n)++] = frame_place(f);
    }
    return *n ? 0 : -1;
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

/* Constants to be; batches and tensors from elsewhere never are. */
static int needs_proof(const site *s, Py_ssize_t i)
{
    return s->args[i].kind == RECORD_CONSTANT && !s->args[i].is_data;
}

/* Asks the prover about the arguments that are neither results nor marked: a list with, for each
 * entry of the call, the number of frames that the proof needed, or a reason. */
static PyObject *ask_prover(const call_args *call, const site *s)
{
    PyObject *module = PyImport_ImportModule("headrace.capture._trace");
    PyObject *f = module ? PyObject_GetAttrString(module, "prove") : NULL;
    PyObject *frames = f ? frames_list() : NULL;
    PyObject *values = frames ? PyTuple_New(call->n + call->n_kw) : NULL;
    for (Py_ssize_t i = 0; values && i < call->n + call->n_kw; i++)
        PyTuple_SET_ITEM(values, i, Py_NewRef(call->args[i]));
    PyObject *names = call->kwnames ? Py_NewRef(call->kwnames) : PyTuple_New(0);
    PyObject *wanted = PyList_New(0);
    for (Py_ssize_t i = 0; wanted && i < s->n_args; i++) {
        if (!needs_proof(s, i)) continue;
        PyObject *index = PyLong_FromSsize_t(i);
        if (!index || PyList_Append(wanted, index) < 0) Py_CLEAR(wanted);
        Py_XDECREF(index);
    }
    PyObject *out = values && names && wanted
                        ? PyObject_CallFunction(f, "OOOO", frames, names, values, wanted)
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

static int note_argument(capture_object *c, const call_args *call, const site *s, Py_ssize_t i,
                         eager_why why)
{
    why.position = (int)i;
    why.name = name_of_entry(call, i);
    return rows_note(&c->rows, s->row, &why, 1);
}

/* Results and marks are told apart. *open: some arguments are for the prover. 1: no other has come;
 * 0: a batch or tensor from elsewhere, which is noted; -1: an exception. */
static int sort_arguments(capture_object *c, mod_state *st, const call_args *call, site *s, int *open)
{
    int captured = 1;
    *open = 0;
    for (Py_ssize_t i = 0; i < s->n_args; i++) {
        arg_record *r = &s->args[i];
        PyObject *obj = call->args[i], *name = name_of_entry(call, i);
        r->kind = (record_kind)-1;
        if (obj == Py_None || (name && !capture_is_matched(st, name))) continue;
        PyObject *plain = invariant_value(obj); /* a marked result is a result */
        const provenance *p = is_batch(st, plain) ? batch_provenance(plain) : NULL;
        if (p && p->id == c->id && p->step == c->step) {
            r->kind = RECORD_PORT;
            s->has_port = 1;
            r->port = p->port;
        } else {
            r->kind = is_invariant(obj) ? RECORD_MARKED : RECORD_CONSTANT;
            r->value = Py_NewRef(obj);
            r->is_data = is_batch(st, obj) || is_tensor(st, obj);
            *open |= needs_proof(s, i);
            if (r->kind != RECORD_CONSTANT || !r->is_data) continue;
            eager_why why = {.culprit = -1};
            capture_blame(c, obj, &why);
            captured = 0;
            if (note_argument(c, call, s, i, why) < 0) return -1;
        }
    }
    return captured;
}

/* 1: all proven; 0: some are not, which is noted; -1: an exception. */
static int prove_arguments(capture_object *c, const call_args *call, site *s)
{
    PyObject *answers = ask_prover(call, s);
    int proven = answers ? 1 : -1;
    for (Py_ssize_t i = 0; i < s->n_args && proven >= 0; i++) {
        if (!needs_proof(s, i)) continue;
        PyObject *answer = PyList_GetItem(answers, i); /* borrowed */
        if (!answer) {
            proven = -1;
        } else if (PyLong_Check(answer)) {
            int depth = (int)PyLong_AsLong(answer);
            if (depth > s->depth) s->depth = depth;
        } else {
            eager_why why = {.code = EAGER_PROOF, .culprit = -1, .proof = answer};
            proven = note_argument(c, call, s, i, why);
        }
    }
    Py_XDECREF(answers);
    return proven;
}

/* ---- the node -------------------------------------------------------------------- */

/* A tensor or array as an operand that is the same in every step. */
static int constant_operand(mod_state *st, PyObject *obj, hr_operand *o)
{
    hr_error err = {0};
    obj = invariant_value(obj);
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
    PyObject *plain = invariant_value(a->value);
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

static void mark_results(capture_object *c, const site *s, PyObject *result)
{
    Py_ssize_t n = PyTuple_Check(result) ? PyTuple_GET_SIZE(result) : 1;
    for (Py_ssize_t o = 0; o < n; o++) {
        PyObject *one = PyTuple_Check(result) ? PyTuple_GET_ITEM(result, o) : result;
        provenance p = {c->id, c->step, {s->node, (int32_t)o}};
        batch_set_provenance(one, &p);
    }
}

static int all_batches(mod_state *st, PyObject *result)
{
    if (!PyTuple_Check(result)) return is_batch(st, result);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); i++)
        if (!is_batch(st, PyTuple_GET_ITEM(result, i))) return 0;
    return 1;
}

static int has_keyword(const call_args *call, PyObject *name)
{
    for (Py_ssize_t k = 0; k < call->n_kw; k++)
        if (PyTuple_GET_ITEM(call->kwnames, k) == name && call->args[call->n + k] != Py_None)
            return 1;
    return 0;
}

/* Has the same call other arguments this time? 1: no; 0: yes, which is noted; -1: an exception. */
static int same_as_recorded(capture_object *c, const call_args *call, const site *old, const site *s)
{
    eager_why why = {.code = EAGER_OTHER_ARGUMENTS, .position = -1, .culprit = -1};
    if (old->n_args != s->n_args || old->n_positional != s->n_positional)
        return rows_note(&c->rows, s->row, &why, 1);
    for (Py_ssize_t i = 0; i < s->n_args; i++) {
        const arg_record *a = &old->args[i], *b = &s->args[i];
        if (a->kind != b->kind) return note_argument(c, call, s, i, why);
        if ((int)a->kind < 0 || a->kind == RECORD_MARKED) continue;
        why.code = a->kind == RECORD_PORT ? EAGER_OTHER_INPUT : EAGER_CHANGED_CONSTANT;
        int same = a->kind == RECORD_PORT
                       ? a->port.node == b->port.node && a->port.out == b->port.out
                       : capture_same_constant(a->value, b->value);
        if (same < 0) return -1;
        if (!same) return note_argument(c, call, s, i, why);
        why.code = EAGER_OTHER_ARGUMENTS;
    }
    return 1;
}

/* Once a line, whatever the paths that lead there. */
static int has_warned(const capture_object *c, const site *s)
{
    for (int i = 0; i < c->n_sites; i++)
        if (c->sites[i].warned && c->sites[i].chain[0].code == s->chain[0].code &&
            c->sites[i].chain[0].offset == s->chain[0].offset)
            return 1;
    return 0;
}

/* The same site once more in the traced step: captured as well if its arguments are the recorded
 * ones; a generator's second draw is never taken from the pipeline. */
static int record_again(capture_object *c, mod_state *st, const call_args *call, site *old,
                        const site *s, PyObject *result)
{
    int same = same_as_recorded(c, call, old, s);
    if (same <= 0) return same;
    mark_results(c, old, result); /* before the warning, which may run code of the user */
    if (old->rng >= 0 && !has_warned(c, old)) {
        old->warned = 1;
        PyObject *warning = PyObject_GetAttrString(st->slow, "HeadraceWarning");
        int bad = !warning || PyErr_WarnFormat(warning, 1, "%R runs more than once per iteration "
                      "of a captured loop: the first call of each step is captured, the others run "
                      "eagerly; use a call site of its own for each", old->op) < 0;
        Py_XDECREF(warning);
        if (bad) return -1;
    }
    return 1;
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

static int same_chain_as_any(const capture_object *c, const site *s)
{
    int i = 0;
    while (i < c->n_sites && !same_chain(&c->sites[i], s)) i++;
    return i < c->n_sites ? i : -1;
}

/* 1: captured, *kept: the site belongs to the capture now; 0: eager; -1: an exception. */
static int record_site(capture_object *c, mod_state *st, const call_args *call, site *s,
                       PyObject *result, rng_object *rng, int *kept)
{
    int open, captured = sort_arguments(c, st, call, s, &open);
    if (captured >= 0 && open) {
        int proven = prove_arguments(c, call, s);
        captured = proven < 0 ? -1 : captured && proven;
    }
    if (captured <= 0) return captured;
    int again = same_chain_as_any(c, s);
    if (again >= 0) return record_again(c, st, call, &c->sites[again], s, result);
    if (rng && (s->rng = track_rng(c, rng)) < 0) return -1;
    s->has_size = has_keyword(call, st->str_batch_size);
    if (open_graph(c, st) < 0 || add_node(c, call, s) < 0 ||
        keep_site(c, s) < 0)
        return -1;
    *kept = 1;
    mark_results(c, s, result);
    return 1;
}

/* Counts the traced call; an eager one is refused where the loop is strict. */
static int count_call(capture_object *c, const site *s, PyObject *result, int captured)
{
    if (s->row >= 0 && captured) c->rows.at[s->row].captured++;
    if (captured) return 0;
    if (s->row >= 0) {
        c->rows.at[s->row].eager++;
        capture_mark_eager(c, result, s->row);
    }
    return capture_refuse(c, s->row);
}

int capture_record(capture_object *c, const call_args *call, PyObject *result, uint64_t drawn,
                   rng_object *rng)
{
    mod_state *st = PyType_GetModuleState(Py_TYPE(call->op));
    int row = rows_find(&c->rows, call->op, c->step), captured = -1, kept = 0;
    if (row == -2) return -1;
    site s = {.op = Py_NewRef(call->op), .depth = 1, .n_args = call->n + call->n_kw, .row = row,
              .n_out = PyTuple_Check(result) ? (int)PyTuple_GET_SIZE(result) : 1,
              .n_positional = call->n, .kwnames = Py_XNewRef(call->kwnames), .rng = -1,
              .rng_drawn = drawn, .used_in = -1, .next = -1};
    s.args = PyMem_Calloc((size_t)s.n_args + 1, sizeof *s.args);
    if (!s.args) {
        PyErr_NoMemory();
    } else if (!all_batches(st, result)) {
        eager_why why = {.code = EAGER_SINGLE_SAMPLE, .position = -1, .culprit = -1};
        captured = rows_note(&c->rows, row, &why, 1);
    } else if (capture_take_chain(&s.chain, &s.n_chain) == 0) {
        captured = record_site(c, st, call, &s, result, rng, &kept);
    }
    if (captured >= 0 && count_call(c, &s, result, captured) < 0) captured = -1;
    if (!kept) drop_site(&s);
    return captured < 0 ? -1 : 0;
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
    if (capture_find_aliases(c) < 0) return -1;
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
