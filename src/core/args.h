/* What the files about arguments share: one value's way into its field, and the defaults. */
#ifndef HR_CORE_ARGS_H
#define HR_CORE_ARGS_H

#include <headrace/op.h>

/* ---- args_value.c ---------------------------------------------------------------- */

typedef struct hr__arg_binder {
    const hr_arg_desc *arg;
    const char *owner; /* for messages: the operator's name */
    hr_arena *arena;   /* lists and texts are copied there */
    int64_t sample;    /* -1: the value is shared */
} hr__arg_binder;

/* Converts `v` to the argument's kind, checks its bounds and count, and writes it to `field`. */
hr_status hr__arg_bind(const hr__arg_binder *b, const hr_value *v, void *field, hr_error *err);

/* ---- args_defaults.c ------------------------------------------------------------- */

/* The argument struct (`size` bytes) with every default, parsed once a descriptor and kept; NULL
 * with an error. */
const void *hr__args_defaults(const hr_arg_desc *args, int n_args, size_t size, hr_error *err);

#endif
