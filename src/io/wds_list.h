/* The samples of a WebDataset archive: members that share the name up to its first dot, found by
 * walking the archive or read from its index.
 * Thread use: plain functions of their arguments. */
#ifndef HR_IO_WDS_LIST_H
#define HR_IO_WDS_LIST_H

#include "io/file_table.h"
#include "io/reader.h"

enum { HR__WDS_SPARSE = 1, HR__WDS_CUT = 2 };

typedef struct hr__wds_part {
    int64_t offset, size; /* of the bytes in the archive */
    uint32_t name, ext;   /* places in the texts: the member's name, what follows its first dot */
    int flags;
    int64_t next; /* of the same sample; -1: none */
} hr__wds_part;

typedef struct hr__wds_sample {
    uint32_t key; /* the name up to its dot, without "./" before it; "" where an index has none */
    int64_t first, last; /* parts */
} hr__wds_sample;

/* Starts with a text to keep the names in; the rest zeroed. */
typedef struct hr__wds_list {
    hr__file_table *text;
    hr__wds_part *parts;
    hr__wds_sample *samples;
    size_t n_parts, n_samples, room_parts, room_samples;
    int64_t *slots; /* by hash of the key: the latest sample of it; -1 */
    size_t n_slots;
    hr_error damage; /* status HR_OK: the archive was read to its end */
} hr__wds_list;

/* Walks the archive. Members whose names have no dot or begin with one are left out, and whatever
 * is no file. A member joins the sample before it when the keys agree; else an earlier one that
 * has no part of its extension; else it begins a new one. Damage past the first header ends the
 * walk and is noted in `damage`. HR_DATA: no archive at all; HR_IO, HR_NOMEM. */
hr_status hr__wds_walk(hr__wds_list *list, const hr__range_file *archive, hr_error *err);
/* Reads the index (text, versions v1.1 and v1.2: a sample a line, each part as extension, offset,
 * size and, in v1.2, name). HR_DATA names the line: damaged, or not that of this archive. */
hr_status hr__wds_read_index(hr__wds_list *list, const char *path, const hr__range_file *archive,
                             hr_error *err);
void hr__wds_list_clear(hr__wds_list *list);

#endif
