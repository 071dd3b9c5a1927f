/* Calls of the body that are not captured: noted with their reason, and refused in strict loops. */
#include "capture.h"

/* An eager result has no place in the pipeline; it carries the root and the row of its call. */
void capture_mark_eager(capture_object *c, PyObject *result, int row)
{
    mod_state *st = state_of((PyObject *)c);
    provenance p = {.step = (int64_t)c->root_id, .port = {row, 0}};
    Py_ssize_t n = PyTuple_Check(result) ? PyTuple_GET_SIZE(result) : 1;
    for (Py_ssize_t o = 0; o < n; o++) {
        PyObject *one = PyTuple_Check(result) ? PyTuple_GET_ITEM(result, o) : result;
        if (is_batch(st, one)) batch_set_provenance(one, &p);
    }
}

void capture_blame(capture_object *c, PyObject *obj, eager_why *why)
{
    mod_state *st = state_of((PyObject *)c);
    why->code = EAGER_OUTSIDE_INPUT;
    why->culprit = -1;
    if (!is_batch(st, obj)) return;
    const provenance *p = batch_provenance(obj);
    if (p->id == c->id) {
        why->code = p->step == c->step ? EAGER_OTHER_INPUT : EAGER_STALE_INPUT;
    } else if (!p->id && p->step == (int64_t)c->root_id && p->port.node < c->rows.n) {
        why->code = EAGER_INPUT;
        why->culprit = p->port.node;
    }
}

int capture_refuse(capture_object *c, int row)
{
    if (!c->is_strict) return 0;
    if (row < 0) {
        PyErr_Format(PyExc_RuntimeError, "capture=\"strict\": a call runs eagerly, and the loop has "
                     "over %d call sites to tell of", MAX_ROWS);
        return -1;
    }
    PyObject *module = PyImport_ImportModule("headrace.capture._explain");
    PyObject *told = module ? rows_describe(&c->rows, row) : NULL;
    PyObject *text = told ? PyObject_CallMethod(module, "refusal", "(O)", told) : NULL;
    if (text) PyErr_SetObject(PyExc_RuntimeError, text);
    Py_XDECREF(text);
    Py_XDECREF(told);
    Py_XDECREF(module);
    return -1;
}

/* Was the row's site recorded in this trace? Then the call came by another path. */
static int is_recorded(const capture_object *c, int row)
{
    for (int i = 0; i < c->n_sites; i++)
        if (c->sites[i].row == row) return 1;
    return 0;
}

/* Did an earlier row's call stand in code that reads the same, but is another object? `exec` and `eval` of
 * a text make one each time. */
static int is_compiled_anew(const capture_object *c, int row)
{
    const call_row *r = &c->rows.at[row];
    for (int i = 0; i < row; i++) {
        const call_row *o = &c->rows.at[i];
        if (o->op != r->op || o->chain[0].offset != r->chain[0].offset ||
            o->chain[0].code == r->chain[0].code)
            continue;
        int same = PyObject_RichCompareBool((PyObject *)o->chain[0].code, (PyObject *)r->chain[0].code,
                                            Py_EQ);
        if (same < 0) PyErr_Clear();
        if (same > 0) return 1;
    }
    return 0;
}

static int note(capture_object *c, int row, const eager_why *why)
{
    if (row < 0) return row;
    eager_why w = *why;
    c->rows.at[row].eager++;
    if (w.code == EAGER_UNSEEN) {
        if (rows_repeat(&c->rows, row)) return row;
        w.code = is_recorded(c, row)        ? EAGER_NEW_PATH
                 : is_compiled_anew(c, row) ? EAGER_COMPILED_ANEW
                                            : EAGER_NEW_SITE;
    }
    return rows_note(&c->rows, row, &w, c->state == CAPTURE_TRACING) < 0 ? -2 : row;
}

int capture_note_eager(capture_object *c, PyObject *op, const eager_why *why)
{
    int row = note(c, rows_find(&c->rows, op, c->step), why);
    return row == -2 || capture_refuse(c, row) < 0 ? -2 : row;
}

int capture_note_sign(capture_object *c, PyObject *op, PyObject *const *args, Py_ssize_t n,
                      eager_code code)
{
    mod_state *st = state_of((PyObject *)c);
    int any_batch = 0, any_captured = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *obj = invariant_value(args[i]);
        if (!is_batch(st, obj)) continue;
        any_batch = 1;
        any_captured |= batch_provenance(obj)->id != 0;
    }
    if (!any_batch) return -1;
    eager_why why = {code, -1, NULL, -1, NULL};
    int row = note(c, rows_find(&c->rows, op, c->step), &why);
    return row == -2 || (any_captured && capture_refuse(c, row) < 0) ? -2 : row;
}

void capture_set_maker(capture_object *c, int skip)
{
    PyFrameObject *f = frame_of_caller();
    while (f && skip-- > 0) f = frame_outwards(f);
    if (!f) return;
    Py_XSETREF(c->made_at.code, NULL);
    c->made_at = frame_place(f);
    Py_DECREF(f);
}

int capture_read_mode(PyObject *mode, const char *call)
{
    mode = invariant_value(mode);
    if (!PyUnicode_Check(mode)) return PyObject_IsTrue(mode);
    if (PyUnicode_CompareWithASCIIString(mode, "strict") == 0) return CAPTURE_STRICT;
    if (PyUnicode_CompareWithASCIIString(mode, "guarded") == 0)
        PyErr_Format(PyExc_NotImplementedError, "%s: capture=\"guarded\" is reserved: a later version "
                     "will capture what cannot be proven and check it in every step; use "
                     "capture=True or capture=\"strict\"", call);
    else
        PyErr_Format(PyExc_ValueError, "%s: capture is %R, it must be False, True or \"strict\"",
                     call, mode);
    return -1;
}
