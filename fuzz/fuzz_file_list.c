/* Bytes that claim to be a list of files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/file_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char list[64], path[4096];
    int fd = memfd_create("list", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(list, sizeof list, "/proc/self/fd/%d", fd);
    hr__file_table table = {0};
    hr_error err = {0};
    hr_status status = hr__file_list_read(&table, list, size % 2 ? "root" : NULL, &err);
    if (status != HR_OK && !err.message[0]) abort();
    for (int64_t i = 0; status == HR_OK && i < table.n; i++) {
        hr_error too_long = {0};
        if (hr__file_table_path(&table, i, path, sizeof path, &too_long) == HR_OK && !path[0])
            abort(); /* a file without a name */
    }
    hr__file_table_clear(&table);
    close(fd);
    return 0;
}
