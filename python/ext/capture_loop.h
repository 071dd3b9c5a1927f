/* Captured loops: the driver's side. */
#ifndef HR_EXT_CAPTURE_LOOP_H
#define HR_EXT_CAPTURE_LOOP_H

#include "capture.h"

extern PyType_Spec captured_loop_spec;

/* What both kinds of loops are asked for: *ctx is unwrapped; *out is how many steps may be ahead, and
 * stays where prefetch is NULL. -1: an exception. */
int captured_loop_read(mod_state *st, const char *who, PyObject **ctx, PyObject *prefetch, int *out);
/* A loop over `root` (a reader or a source); `capture` is what all loops of the root share. */
PyObject *captured_loop_create(mod_state *st, PyObject *root, int is_reader, int64_t batch_size,
                               PyObject *ctx, int prefetch, PyObject *capture);
/* A source that is called inside a captured loop's body: its outputs of this step. */
PyObject *captured_loop_feed(capture_object *c, PyObject *source, int64_t batch_size);
/* Module function: captured_loop(root, is_reader, batch_size, ctx, prefetch, capture or None,
 * mode). */
PyObject *module_captured_loop(PyObject *module, PyObject *args);

#endif
