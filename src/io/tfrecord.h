/* TFRecord files: records with their checksums, found by walking the file or by its index.
 * Thread use: plain functions of their arguments. */
#ifndef HR_IO_TFRECORD_H
#define HR_IO_TFRECORD_H

#include "io/reader.h"

/* Before a record's bytes: their number and its checksum; behind them: theirs. */
enum { HR__RECORD_HEAD = 12, HR__RECORD_TAIL = 4 };

/* The length that a record's head says. HR_DATA: the checksum is wrong (with `verify`). */
HR_CHECKED hr_status hr__record_length(const uint8_t head[HR__RECORD_HEAD], int verify,
                                       uint64_t *out, hr_error *err);
/* The bytes of the record that fills `whole` from head to tail. HR_DATA: a wrong checksum (with
 * `verify`), or another length than there is room for. */
HR_CHECKED hr_status hr__record_open(const uint8_t *whole, size_t size, int verify,
                                     const uint8_t **data, size_t *n, hr_error *err);

typedef struct hr__record_place {
    int64_t offset, size; /* from head to tail */
} hr__record_place;

typedef struct hr__record_list {
    hr__record_place *v;
    size_t n, room;
    hr_error damage; /* status HR_OK: the file was walked to its end */
} hr__record_list;

/* Walks the file by the records' lengths. Damage ends the walk and is noted in `damage`, with the
 * record's number and offset. HR_DATA: compressed, or empty; HR_IO, HR_NOMEM. */
hr_status hr__record_walk(hr__record_list *list, const hr__range_file *file, int verify,
                          hr_error *err);
/* Reads the index: offset and size of a record a line. HR_DATA names the line. */
hr_status hr__record_read_index(hr__record_list *list, const char *path,
                                const hr__range_file *file, hr_error *err);
void hr__record_list_clear(hr__record_list *list);

#endif
