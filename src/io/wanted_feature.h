/* A feature that readers.TFRecord is asked for: its description, and the tensors made of what
 * records have of it.
 * Thread use: a feature is set by one thread; any number may put. */
#ifndef HR_IO_WANTED_FEATURE_H
#define HR_IO_WANTED_FEATURE_H

#include <headrace/tensor.h>

#include "io/example.h"

enum { HR__WANTED_WORDS = 5 }; /* name, kind, type, shape, default */

typedef struct hr__wanted {
    char *words; /* a copy of the description, which `name` and `text` point into */
    const char *name;
    int is_fixed;
    hr__feature_kind kind;
    int ndim;
    int64_t shape[HR_MAX_NDIM]; /* VarLen: of the axes behind the first */
    int64_t step;               /* values of that shape */
    const char *text;           /* default; NULL: none */
    int64_t whole;
    float real;
} hr__wanted;

/* From the words of headrace.tfrecord; `w` is zeroed before. HR_VALUE; clear it in any case. */
HR_CHECKED hr_status hr__wanted_set(hr__wanted *w, const char *const *from, hr_error *err);
void hr__wanted_clear(hr__wanted *w);
/* The tensor of a record's feature, or of the default where it is missing. Strings are views of
 * `record`, the memory that the feature lies in. HR_DATA: another kind or number of values. */
HR_CHECKED hr_status hr__wanted_put(const hr__wanted *w, const hr__feature *f, hr_buf *record,
                                    hr_tensor *out, hr_error *err);

#endif
