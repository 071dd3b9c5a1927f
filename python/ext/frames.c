/* Python frames: the only file that touches them. */
#include "frames.h"

#include <frameobject.h>
#include <stdio.h>
#include <string.h>

static void add_place(PyCodeObject *code, int line, hr_error *err)
{
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    const char *slash = file ? strrchr(file, '/') : NULL;
    size_t n = strlen(err->message);
    snprintf(err->message + n, sizeof err->message - n, " (called at %s:%d)",
             slash ? slash + 1 : file ? file : "?", line);
}

/* Does the frame run code of this package (imread, say, or a ufunc's dispatch)? */
static int is_ours(PyFrameObject *frame)
{
#if PY_VERSION_HEX >= 0x030B0000
    PyObject *globals = PyFrame_GetGlobals(frame);
#else
    PyObject *globals = Py_NewRef(frame->f_globals);
#endif
    PyObject *name = PyMapping_GetItemString(globals, "__name__");
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    int out = text && !strncmp(text, "headrace.", 9);
    PyErr_Clear();
    Py_XDECREF(name);
    Py_DECREF(globals);
    return out;
}

/* The innermost frame of the user's, else the innermost one. */
static PyFrameObject *user_frame(void)
{
    PyFrameObject *innermost = PyThreadState_GetFrame(PyThreadState_Get());
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef((PyObject *)innermost);
    while (frame && is_ours(frame)) frame = frame_outwards(frame);
    if (!frame) return innermost;
    Py_DECREF(innermost);
    return frame;
}

void add_caller_line(hr_error *err)
{
    PyFrameObject *frame = user_frame();
    if (!frame) return;
    PyCodeObject *code = PyFrame_GetCode(frame);
    add_place(code, PyFrame_GetLineNumber(frame), err);
    Py_DECREF(code);
    Py_DECREF(frame);
}

void add_line_of(PyCodeObject *code, int offset, hr_error *err)
{
    add_place(code, PyCode_Addr2Line(code, offset), err);
}

void add_traceback_of(PyCodeObject *where, int offset)
{
    PyObject *exc = PyErr_GetRaisedException(); /* none may be pending in what follows */
    const char *file = PyUnicode_AsUTF8(where->co_filename), *name = PyUnicode_AsUTF8(where->co_name);
    int line = PyCode_Addr2Line(where, offset);
    PyCodeObject *code = file && name ? PyCode_NewEmpty(file, name, line) : NULL;
    PyObject *globals = code ? PyDict_New() : NULL;
    PyFrameObject *frame = globals ? PyFrame_New(PyThreadState_Get(), code, globals, NULL) : NULL;
#if PY_VERSION_HEX < 0x030B0000
    if (frame) frame->f_lineno = line;
#endif
    if (PyErr_Occurred()) PyErr_Clear();
    if (exc) PyErr_SetRaisedException(exc);
    if (frame && exc) PyTraceBack_Here(frame);
    Py_XDECREF(frame);
    Py_XDECREF(globals);
    Py_XDECREF(code);
}

PyFrameObject *frame_of_caller(void) { return PyThreadState_GetFrame(PyThreadState_Get()); }

PyFrameObject *frame_outwards(PyFrameObject *take_frame)
{
    PyFrameObject *back = PyFrame_GetBack(take_frame);
    Py_DECREF(take_frame);
    return back;
}

frame_key frame_place(PyFrameObject *frame)
{
#if PY_VERSION_HEX >= 0x030B0000
    return (frame_key){PyFrame_GetCode(frame), PyFrame_GetLasti(frame)};
#else /* 3.10 counts instructions of two bytes */
    return (frame_key){PyFrame_GetCode(frame), frame->f_lasti * 2};
#endif
}

PyObject *module_frame_local(PyObject *module, PyObject *args)
{
    PyObject *frame, *name, *missing, *out = NULL;
    if (!PyArg_ParseTuple(args, "O!UO:frame_local", &PyFrame_Type, &frame, &name, &missing))
        return NULL;
#if PY_VERSION_HEX >= 0x030C0000
    out = PyFrame_GetVar((PyFrameObject *)frame, name);
    if (!out && !PyErr_ExceptionMatches(PyExc_NameError)) return NULL;
#else /* leaves a copy of all locals in the frame until it ends */
    PyObject *all = PyObject_GetAttrString(frame, "f_locals");
    if (!all) return NULL;
    out = PyObject_GetItem(all, name);
    Py_DECREF(all);
    if (!out && !PyErr_ExceptionMatches(PyExc_KeyError)) return NULL;
#endif
    if (out) return out;
    PyErr_Clear();
    return Py_NewRef(missing);
}

int frame_line(PyFrameObject *frame) { return PyFrame_GetLineNumber(frame); }
