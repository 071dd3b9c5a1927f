/* Bytes that claim to be a tar archive: walked to the end; members lie inside. */
#include "io/tar.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static hr_status read_bytes(const void *user, int64_t at, void *dst, size_t n, hr_error *err)
{
    const bytes *b = user;
    if (at < 0 || (uint64_t)at > b->size || n > b->size - (size_t)at) abort();
    memcpy(dst, b->data + at, n);
    return HR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    hr__tar tar;
    hr__tar_member m;
    hr_error err = {0};
    hr_status status;
    int64_t before = -1;
    hr__tar_init(&tar, &(hr__tar_source){read_bytes, &b, (int64_t)size});
    while ((status = hr__tar_next(&tar, &m, &err)) == HR_OK) {
        if (m.header <= before || m.offset > (int64_t)size || m.size < 0 || !m.name) abort();
        if (!m.is_cut && m.size > (int64_t)size - m.offset) abort();
        before = m.header;
    }
    if (!err.message[0]) abort(); /* an end without words */
    hr__tar_clear(&tar);
    return 0;
}
