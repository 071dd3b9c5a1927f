/* Thread pools as objects, and the numbers of threads that users give. */
#ifndef HR_EXT_THREAD_POOL_H
#define HR_EXT_THREAD_POOL_H

#include "ext.h"

/* A number of threads within its bounds; 0 for None. -1 with an exception. */
int thread_count_of(PyObject *n, int *out);
/* A ThreadPool of n threads; 0: the default number. */
PyObject *thread_pool_create(mod_state *st, int n);
/* The process's pool, made at its first use; borrowed. */
pool_object *thread_pool_default(mod_state *st);

#endif
