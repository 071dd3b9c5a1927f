/* Bytes that claim to be an .npy file: header, then elements where all are there. */
#include "io/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hr__npy npy;
    hr_error err = {0};
    size_t header;
    if (hr__npy_header_size(data, size, &header, &err) != HR_OK) return 0;
    if (hr__npy_header(data, size, &npy, &err) != HR_OK) return 0;
    if (npy.offset != header) abort();
    if (hr__npy_check_size(&npy, size, &err) != HR_OK || npy.size > LARGEST) return 0;
    void *elements = malloc(npy.size + 1);
    if (elements) hr__npy_read(elements, &npy, data + npy.offset);
    free(elements);
    return 0;
}
