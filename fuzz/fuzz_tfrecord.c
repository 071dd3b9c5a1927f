/* Bytes as a record (with and without checksums), and as a tf.train.Example. */
#include <stdlib.h>
#include <string.h>

#include "io/example.h"
#include "io/tfrecord.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_values(const hr__feature *f)
{
    if (f->n < 0 || f->n > 1 << 20) abort(); /* a value takes a byte at least */
    if (f->kind == HR__FEATURE_INT64) {
        int64_t *v = malloc((size_t)f->n * sizeof *v);
        hr__feature_ints(f, v);
        free(v);
    } else if (f->kind == HR__FEATURE_FLOAT) {
        float *v = malloc((size_t)f->n * sizeof *v);
        hr__feature_floats(f, v);
        free(v);
    } else if (f->kind == HR__FEATURE_BYTES) {
        for (int64_t i = 0; i < f->n && i < 9; i++)
            if (hr__feature_bytes(f, i).n > f->message.n) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a", "b", "image"};
    hr__feature found[3];
    hr_error err = {0};
    const uint8_t *inside;
    size_t n;
    if (hr__example_find((hr__bytes){data, size}, names, 3, found, &err) == HR_OK)
        for (int k = 0; k < 3; k++) read_values(&found[k]);
    else if (!err.message[0]) abort();
    for (int verify = 0; verify < 2; verify++) {
        hr_error_clear(&err);
        if (hr__record_open(data, size, verify, &inside, &n, &err) != HR_OK) continue;
        if (inside < data || n > size) abort();
        if (hr__example_find((hr__bytes){inside, n}, names, 3, found, &err) == HR_OK)
            for (int k = 0; k < 3; k++) read_values(&found[k]);
    }
    return 0;
}
