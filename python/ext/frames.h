#ifndef HR_EXT_FRAMES_H
#define HR_EXT_FRAMES_H

#include "compat.h"

#include <headrace/error.h>

/* Ends the text with the line of the user's call: "(called at train.py:12)". */
void add_caller_line(hr_error *err);

/* The same for a place in a code object: offset as PyFrame_GetLasti gives it. */
void add_line_of(PyCodeObject *code, int offset, hr_error *err);

/* Puts that place on top of the pending exception's traceback. */
void add_traceback_of(PyCodeObject *code, int offset);

/* A place in the code: which code object, which instruction. */
typedef struct frame_key {
    PyCodeObject *code;
    int offset;
} frame_key;

/* The frame of the Python code that called into C: a new reference, or NULL. */
PyFrameObject *frame_of_caller(void);
/* The frame that called `take_frame`; takes the reference over. NULL at the outermost. */
PyFrameObject *frame_outwards(PyFrameObject *take_frame);
/* The frame's place; `code` is a new reference. */
frame_key frame_place(PyFrameObject *frame);
/* Module function: frame_local(frame, name, missing): a variable's value, or `missing`. */
PyObject *module_frame_local(PyObject *module, PyObject *args);
/* "train.py", 12. `file` is borrowed from the code object. */
int frame_line(PyFrameObject *frame);

#endif
