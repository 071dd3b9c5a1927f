/* Tar archives: USTAR, GNU long names, PAX. Walks the headers; members' bytes are not touched.
 * Thread use: an archive that is walked belongs to one thread. */
#ifndef HR_IO_TAR_H
#define HR_IO_TAR_H

#include <headrace/headrace.h>

/* Where the bytes come from. `read` gives exactly `n` of them, or fails. */
typedef struct hr__tar_source {
    hr_status (*read)(const void *user, int64_t at, void *dst, size_t n, hr_error *err);
    const void *user;
    int64_t size;
} hr__tar_source;

/* What a header, or the PAX records before it, say of a member; NULL and -1: nothing. */
typedef struct hr__tar_words {
    char *path;
    int64_t size;
    int is_sparse;
} hr__tar_words;

typedef struct hr__tar {
    hr__tar_source source;
    int64_t at; /* of the next header */
    hr__tar_words global, local;
    char *name; /* of the latest member */
    size_t name_room;
} hr__tar;

typedef struct hr__tar_member {
    const char *name; /* until the next call */
    int64_t header;   /* offset of the member's own header */
    int64_t offset, size;
    int is_file;      /* a regular file; else a folder, link, device ... */
    int is_sparse;    /* stored with its holes left out */
    int is_cut;       /* the archive ends before the member does */
} hr__tar_member;

void hr__tar_init(hr__tar *t, const hr__tar_source *source);
/* The next member. HR_STOP at the end: blocks of zeros, or the archive's last byte. HR_DATA for a
 * header that is damaged or cut; what follows cannot be found then. */
HR_CHECKED hr_status hr__tar_next(hr__tar *t, hr__tar_member *out, hr_error *err);
void hr__tar_clear(hr__tar *t);

#endif
