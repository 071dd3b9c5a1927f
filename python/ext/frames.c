/* Python frames: the only file that touches them. */
#include "frames.h"

#include <stdio.h>
#include <string.h>

void add_caller_line(hr_error *err)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    if (!frame) return;
    PyCodeObject *code = PyFrame_GetCode(frame);
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    const char *slash = file ? strrchr(file, '/') : NULL;
    size_t n = strlen(err->message);
    snprintf(err->message + n, sizeof err->message - n, " (called at %s:%d)",
             slash ? slash + 1 : file ? file : "?", PyFrame_GetLineNumber(frame));
    Py_DECREF(code);
    Py_DECREF(frame);
}
