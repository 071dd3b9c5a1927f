/* Values marked by capture.invariant(). */
#ifndef HR_EXT_INVARIANT_H
#define HR_EXT_INVARIANT_H

#include "ext.h"

/* Is it a proxy? And the value behind one (borrowed); any other object is its own value. */
static inline int is_invariant(mod_state *st, PyObject *o) { (void)st; (void)o; return 0; }
static inline PyObject *invariant_value(mod_state *st, PyObject *o) { (void)st; return o; }

#endif
