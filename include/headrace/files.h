/* Looks at files besides reading them: damage, and the samples of an archive.
 * Thread use: both functions are re-entrant; they call back on the calling thread. */
#ifndef HR_FILES_H
#define HR_FILES_H

#include <headrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A check of one file: picture, array, tar archive, record file. */
typedef struct hr_file_check {
    const char *kind; /* out: "picture", "array", "archive", "records", "other", or "" */
    int64_t parts;    /* out: members, records; 1 for a file that is one thing */
    /* Told of each finding; `where` is a member's name, "record 3 at byte 90", or "". Another
     * value than 0 ends the check. */
    int (*found)(void *user, const char *where, const char *reason);
    void *user;
} hr_file_check;

/* HR_NOMEM, or HR_CANCELLED by `found`; everything else is a finding. */
HR_API HR_CHECKED hr_status hr_file_check_run(hr_file_check *check, const char *path,
                                              hr_error *err);

/* A member of a tar archive's sample (see readers.Webdataset). */
typedef struct hr_archive_part {
    int64_t sample; /* its number, from 0 */
    const char *ext, *name;
    int64_t offset, size; /* of its bytes in the archive */
} hr_archive_part;

/* Tells of each part, sample by sample; another value than 0 from `found` ends the walk with
 * HR_CANCELLED. HR_IO, HR_NOMEM; HR_DATA: no tar archive, or damaged. */
HR_API HR_CHECKED hr_status hr_archive_walk(const char *path,
                                            int (*found)(void *user, const hr_archive_part *part),
                                            void *user, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
