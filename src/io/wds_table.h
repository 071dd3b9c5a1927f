/* What readers.Webdataset reads: the samples of several archives, and of each the member for every
 * output.
 * Thread use: a table is filled by one thread; any number may read it. */
#ifndef HR_IO_WDS_TABLE_H
#define HR_IO_WDS_TABLE_H

#include "io/wds_list.h"

/* What becomes of a sample that lacks a member. */
enum { HR__WDS_MISSING_EMPTY, HR__WDS_MISSING_SKIP, HR__WDS_MISSING_ERROR };

/* A member that an output is made of. */
typedef struct hr__wds_member {
    int64_t offset, size; /* size -1: missing */
    uint32_t name;
    int flags; /* HR__WDS_ */
} hr__wds_member;

/* A sample, or a place where the archive is damaged. */
typedef struct hr__wds_row {
    int32_t shard;
    int reason;    /* hr_skip_reason of a damaged place; HR_SKIP_NONE for a sample */
    uint32_t text; /* the sample's key, or what is wrong */
} hr__wds_row;

typedef struct hr__wds_output {
    char *names; /* alternatives, each ended with a zero, and one more at the end */
    hr_dtype dtype;
} hr__wds_output;

/* Zeroed, then given what precedes `rows`; the table owns all of it. */
typedef struct hr__wds_table {
    hr__file_table text; /* names, keys, messages, paths */
    hr__range_file *shards;
    uint32_t *paths;
    int n_shards, n_out, missing, ignores_case, skips;
    hr__wds_output outputs[HR_READER_MAX_OUTS];
    hr__wds_row *rows;
    hr__wds_member *members; /* n_out a row */
    size_t n, room, room_members;
} hr__wds_table;

/* Lists all archives, by their indexes if there are `index_paths`. With `skips` one that cannot be
 * listed is a row of its own. HR_DATA, HR_IO, HR_NOMEM; HR_VALUE: there are no samples. */
HR_CHECKED hr_status hr__wds_table_fill(hr__wds_table *t, const hr_strs *index_paths, hr_error *err);
void hr__wds_table_clear(hr__wds_table *t);
const char *hr__wds_text(const hr__wds_table *t, uint32_t place);

#endif
