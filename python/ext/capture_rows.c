/* The table of rows: one a call site of the body, captured or not. */
#include "capture_rows.h"

#include <string.h>

#include "capture.h"

/* ---- the table ------------------------------------------------------------------- */

void rows_init(row_table *t)
{
    memset(t, 0, sizeof *t);
    for (int i = 0; i < ROW_BUCKETS; i++) t->buckets[i] = -1;
}

static void clear_row(call_row *r)
{
    for (int i = 0; i < r->n_chain; i++) Py_DECREF(r->chain[i].code);
    PyMem_Free(r->chain);
    for (int i = 0; i < r->n_reasons; i++) {
        Py_XDECREF(r->reasons[i].why.name);
        Py_XDECREF(r->reasons[i].why.proof);
    }
    PyMem_Free(r->reasons);
    Py_XDECREF(r->op);
}

void rows_clear(row_table *t)
{
    row_table old = *t;
    rows_init(t);
    for (int i = 0; i < old.n; i++) clear_row(&old.at[i]);
    PyMem_Free(old.at);
}

static unsigned bucket_of(PyObject *op, frame_key key)
{
    uintptr_t h = (uintptr_t)op / 16 * 31 + (uintptr_t)key.code / 16 * 17 + (uintptr_t)key.offset;
    return (unsigned)(h ^ h >> 8) % ROW_BUCKETS;
}

static int same_key(const frame_key *a, const frame_key *b)
{
    return a->code == b->code && a->offset == b->offset;
}

/* One call of the source may be compiled twice (see capture_alias.c). */
static int same_source(const frame_key *a, const frame_key *b)
{
#if PY_VERSION_HEX >= 0x030B0000
    int p[4], q[4];
    return a->code == b->code &&
           PyCode_Addr2Location(a->code, a->offset, &p[0], &p[1], &p[2], &p[3]) &&
           PyCode_Addr2Location(b->code, b->offset, &q[0], &q[1], &q[2], &q[3]) &&
           memcmp(p, q, sizeof p) == 0 && p[1] >= 0;
#else
    return 0;
#endif
}

/* The shortest prefix of the row's chain that tells it from every other. */
static int depth_of(const row_table *t, int row)
{
    const call_row *r = &t->at[row];
    int depth = 1;
    int i = t->buckets[bucket_of(r->op, r->chain[0])];
    for (; i >= 0; i = t->at[i].next) {
        const call_row *o = &t->at[i];
        if (i == row || o->op != r->op) continue;
        int same = 0;
        while (same < r->n_chain && same < o->n_chain && same_key(&r->chain[same], &o->chain[same]))
            same++;
        if (same + 1 > depth) depth = same + 1;
    }
    return depth < r->n_chain ? depth : r->n_chain;
}

void rows_set_tracing(row_table *t, int is_tracing)
{
    t->is_tracing = is_tracing;
    for (int i = 0; i < t->n; i++) t->at[i].depth = depth_of(t, i);
}

/* ---- finding the call's row ------------------------------------------------------ */

/* Do the frames outwards of the caller's own agree with the row's chain? */
static int same_callers(const row_table *t, const call_row *r, PyFrameObject *frame)
{
    int depth = t->is_tracing ? r->n_chain : r->depth;
    PyFrameObject *f = (PyFrameObject *)Py_NewRef(frame);
    for (int d = 1; d < depth; d++) {
        f = frame_outwards(f);
        if (!f) return 0;
        frame_key key = frame_place(f);
        int same = same_key(&key, &r->chain[d]) || (!t->is_tracing && same_source(&key, &r->chain[d]));
        Py_DECREF(key.code);
        if (same) continue;
        Py_DECREF(f);
        return 0;
    }
    if (t->is_tracing && !(f = frame_outwards(f))) return 1; /* the chain ends here, too */
    Py_DECREF(f);
    return !t->is_tracing;
}

static int add_row(row_table *t, PyObject *op, int64_t step)
{
    if (t->n == MAX_ROWS) {
        t->left_out++;
        return -1;
    }
    if (t->n == t->room) {
        int room = t->room ? t->room * 2 : 16;
        call_row *more = PyMem_Realloc(t->at, sizeof *more * (size_t)room);
        if (!more) {
            PyErr_NoMemory();
            return -2;
        }
        t->at = more;
        t->room = room;
    }
    call_row r = {.first_step = step};
    if (capture_take_chain(&r.chain, &r.n_chain) < 0) {
        clear_row(&r);
        return -2;
    }
    r.op = Py_NewRef(op);
    int *head = &t->buckets[bucket_of(op, r.chain[0])];
    r.next = *head;
    *head = t->n;
    t->at[t->n] = r;
    t->at[t->n].depth = depth_of(t, t->n);
    return t->n++;
}

int rows_find(row_table *t, PyObject *op, int64_t step)
{
    PyFrameObject *frame = frame_of_caller();
    if (!frame) return -1; /* called by C code without any Python: no place to tell of */
    frame_key key = frame_place(frame);
    int found = t->buckets[bucket_of(op, key)];
    for (; found >= 0; found = t->at[found].next) {
        const call_row *r = &t->at[found];
        if (r->op == op && same_key(&r->chain[0], &key) && same_callers(t, r, frame)) break;
    }
    for (int i = 0; i < t->n && found < 0 && !t->is_tracing; i++) {
        const call_row *r = &t->at[i];
        if (r->op == op && same_source(&r->chain[0], &key) && same_callers(t, r, frame)) found = i;
    }
    Py_DECREF(key.code);
    Py_DECREF(frame);
    return found >= 0 ? found : add_row(t, op, step);
}

/* ---- reasons --------------------------------------------------------------------- */

static int same_reason(const eager_why *a, const eager_why *b)
{
    if (a->code != b->code || a->position != b->position || a->culprit != b->culprit) return 0;
    if (a->proof == b->proof) return 1;
    int same = a->proof && b->proof ? PyObject_RichCompareBool(a->proof, b->proof, Py_EQ) : 0;
    if (same < 0) PyErr_Clear();
    return same > 0;
}

int rows_note(row_table *t, int row, const eager_why *why, int in_trace)
{
    if (row < 0) return 0;
    call_row *r = &t->at[row];
    for (int i = 0; i < r->n_reasons; i++) {
        if (!same_reason(&r->reasons[i].why, why)) continue;
        r->reasons[i].count++;
        r->reasons[i].in_trace |= in_trace;
        return 0;
    }
    if (r->n_reasons == MAX_REASONS) return 0;
    row_reason *more = PyMem_Realloc(r->reasons, sizeof *more * (size_t)(r->n_reasons + 1));
    if (!more) {
        PyErr_NoMemory();
        return -1;
    }
    r->reasons = more;
    Py_XINCREF(why->name);
    Py_XINCREF(why->proof);
    more[r->n_reasons++] = (row_reason){*why, 1, in_trace};
    return 0;
}

int rows_repeat(row_table *t, int row)
{
    int any = 0;
    for (int i = 0; row >= 0 && i < t->at[row].n_reasons; i++) {
        row_reason *r = &t->at[row].reasons[i];
        if (!r->in_trace) continue;
        r->count++;
        any = 1;
    }
    return any;
}

/* ---- as Python reads it ---------------------------------------------------------- */

static const char *name_of(PyObject *op)
{
    return PyType_Check(op) ? ".slice[...]" : op_descriptor(op)->name;
}

static PyObject *describe_place(const frame_key *key)
{
    return Py_BuildValue("(Oii)", key->code, key->offset,
                         PyCode_Addr2Line(key->code, key->offset));
}

static PyObject *describe_culprit(const row_table *t, int row)
{
    if (row < 0) Py_RETURN_NONE;
    const call_row *r = &t->at[row];
    return Py_BuildValue("(sOi)", name_of(r->op), r->chain[0].code->co_filename,
                         PyCode_Addr2Line(r->chain[0].code, r->chain[0].offset));
}

static PyObject *describe_reason(const row_table *t, const row_reason *r)
{
    return Py_BuildValue("{s:i,s:i,s:O,s:N,s:O,s:L,s:O}", "code", (int)r->why.code, "position",
                         r->why.position, "name", r->why.name ? r->why.name : Py_None, "culprit",
                         describe_culprit(t, r->why.culprit), "proof",
                         r->why.proof ? r->why.proof : Py_None, "count", (long long)r->count,
                         "in_trace", r->in_trace ? Py_True : Py_False);
}

PyObject *rows_describe(const row_table *t, int row)
{
    const call_row *r = &t->at[row];
    PyObject *chain = PyList_New(0), *reasons = PyList_New(0);
    for (int i = 0; chain && i < (r->depth ? r->depth : 1); i++) {
        PyObject *one = describe_place(&r->chain[i]);
        if (!one || PyList_Append(chain, one) < 0) Py_CLEAR(chain);
        Py_XDECREF(one);
    }
    for (int i = 0; reasons && i < r->n_reasons; i++) {
        PyObject *one = describe_reason(t, &r->reasons[i]);
        if (!one || PyList_Append(reasons, one) < 0) Py_CLEAR(reasons);
        Py_XDECREF(one);
    }
    if (!chain || !reasons) {
        Py_XDECREF(chain);
        Py_XDECREF(reasons);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:N,s:L,s:L,s:L,s:L,s:L,s:N}", "operator", name_of(r->op), "chain",
                         chain, "captured", (long long)r->captured, "eager", (long long)r->eager,
                         "first_step", (long long)r->first_step, "ns", (long long)r->ns, "bytes",
                         (long long)r->bytes, "reasons", reasons);
}
