/* What is an error in a captured loop, never a fallback: each message says the call's file and line,
 * what was traced and what came. */
#include "capture.h"

#include <stdarg.h>
#include <string.h>

static PyObject *text_of_place(PyCodeObject *code, int line)
{
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) return NULL;
    const char *slash = strrchr(file, '/');
    return PyUnicode_FromFormat("%s:%d", slash ? slash + 1 : file, line);
}

PyObject *capture_text_of_caller(void)
{
    PyFrameObject *frame = frame_of_caller();
    if (!frame) return PyUnicode_FromString("?");
    frame_key key = frame_place(frame);
    PyObject *out = text_of_place(key.code, frame_line(frame));
    Py_DECREF(key.code);
    Py_DECREF(frame);
    return out;
}

static PyObject *text_of_site(const site *s)
{
    return text_of_place(s->chain[0].code,
                         PyCode_Addr2Line(s->chain[0].code, s->chain[0].offset));
}

int capture_fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    PyObject *text = PyUnicode_FromFormatV(format, values);
    va_end(values);
    PyObject *place = text ? capture_text_of_caller() : NULL;
    if (place) PyErr_Format(PyExc_RuntimeError, "%U (called at %U)", text, place);
    Py_XDECREF(place);
    Py_XDECREF(text);
    return -1;
}

/* "argument `size`", "input 0". */
static PyObject *name_of_entry(const call_args *call, Py_ssize_t entry)
{
    if (entry < call->n) return PyUnicode_FromFormat("input %zd", entry);
    return PyUnicode_FromFormat("argument `%U`", PyTuple_GET_ITEM(call->kwnames, entry - call->n));
}

int capture_fail_marker(const call_args *call, const site *s, Py_ssize_t entry, PyObject *traced)
{
    PyObject *name = name_of_entry(call, entry), *place = text_of_site(s);
    if (name && place)
        capture_fail("%R: %U was marked by capture.invariant() when the loop was traced, with the value "
                     "%.200R, "
                     "at %U, and must remain marked; %.200R came without the mark", call->op, name, traced,
                     place, call->args[entry]);
    Py_XDECREF(place);
    Py_XDECREF(name);
    return -1;
}

int capture_fail_device(const call_args *call, const site *s, PyObject *device)
{
    PyObject *place = text_of_site(s);
    if (place)
        capture_fail("%R: device=%R came, the traced call at %U ran on \"cpu\": a captured call's device "
                     "cannot change", call->op, device, place);
    Py_XDECREF(place);
    return -1;
}

/* "uniform at train.py:12 (word 0)", one after the other. */
static PyObject *calls_of(const capture_object *c, const tracked_rng *t)
{
    PyObject *out = PyUnicode_FromString("");
    for (int i = 0; out && i < c->n_sites; i++) {
        const site *s = &c->sites[i];
        if (s->rng < 0 || &c->rngs[s->rng] != t) continue;
        PyObject *place = text_of_site(s);
        PyObject *more = place ? PyUnicode_FromFormat("%U%s%s at %U (word %llu)", out,
                                                      PyUnicode_GET_LENGTH(out) ? ", " : "",
                                                      op_descriptor(s->op)->name, place,
                                                      (unsigned long long)(s->rng_drawn - t->mark))
                               : NULL;
        Py_XDECREF(place);
        Py_SETREF(out, more);
    }
    return out;
}

int capture_fail_draws(const capture_object *c, const tracked_rng *t, const char *what)
{
    char now[HR_RNG_TEXT_SIZE];
    hr_rng_to_text(&t->rng->rng, now);
    PyObject *calls = calls_of(c, t);
    if (calls)
        capture_fail("the RNG of a captured operator was used unexpectedly: %s. Each step must draw as the "
                     "traced "
                     "one did: %llu words, with %U; in step %lld, %llu came so far, and it stands at %s",
                     what,
                     (unsigned long long)t->period, calls, (long long)c->step,
                     (unsigned long long)(t->rng->drawn - t->begun), now);
    Py_XDECREF(calls);
    return -1;
}
