/* Messages of type tf.train.Example, as far as features of them are asked for.
 * Thread use: plain functions of their arguments. */
#ifndef HR_IO_EXAMPLE_H
#define HR_IO_EXAMPLE_H

#include <headrace/error.h>

typedef struct hr__bytes {
    const uint8_t *p;
    size_t n;
} hr__bytes;

typedef enum hr__feature_kind {
    HR__FEATURE_NONE, /* not there, or without a list */
    HR__FEATURE_BYTES,
    HR__FEATURE_FLOAT,
    HR__FEATURE_INT64,
} hr__feature_kind;

/* A feature's values, where they lie in the message. */
typedef struct hr__feature {
    hr__bytes message;
    hr__feature_kind kind;
    int64_t n; /* values */
} hr__feature;

/* Finds the features of these names. Of several with one name the last one counts. HR_DATA: no
 * message of this type, or damaged. */
HR_CHECKED hr_status hr__example_find(hr__bytes example, const char *const *names, int n,
                                      hr__feature *out, hr_error *err);
/* The values, `n` of them, of a feature of that kind. */
void hr__feature_ints(const hr__feature *f, int64_t *out);
void hr__feature_floats(const hr__feature *f, float *out);
/* Value `i` < n. */
hr__bytes hr__feature_bytes(const hr__feature *f, int64_t i);

#endif
