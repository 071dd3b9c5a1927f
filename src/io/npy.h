/* The .npy format (NumPy Enhancement Proposal 1), versions 1 to 3: header and elements. The bytes
 * may be anything: every read is bounded, nothing is unpickled.
 * Thread use: plain functions of their arguments. */
#ifndef HR_IO_NPY_H
#define HR_IO_NPY_H

#include <headrace/headrace.h>

typedef struct hr__npy {
    hr_dtype dtype;
    int ndim;
    int64_t shape[HR_MAX_NDIM];
    int is_fortran; /* the first axis varies fastest */
    int is_swapped; /* the other byte order */
    size_t offset;  /* of the elements in the file */
    size_t size;    /* bytes of all elements */
} hr__npy;

/* Bytes from which hr__npy_header_size knows the header's length. */
enum { HR__NPY_PREFIX = 12 };

/* The header's length, hence `offset`, from the file's first `size` bytes; HR_DATA for less than
 * HR__NPY_PREFIX bytes (or 10 in version 1), another format or version. */
HR_CHECKED hr_status hr__npy_header_size(const uint8_t *data, size_t size, size_t *out,
                                         hr_error *err);
/* Reads the header; the elements need not be there yet. HR_DATA: damaged; HR_UNSUPPORTED names a
 * type that is none of ours: object, structured, complex, text, dates … */
HR_CHECKED hr_status hr__npy_header(const uint8_t *data, size_t size, hr__npy *out, hr_error *err);
/* Does a file of `file_size` bytes hold all elements? HR_DATA. More bytes are no mistake. */
HR_CHECKED hr_status hr__npy_check_size(const hr__npy *npy, size_t file_size, hr_error *err);
/* The elements at `src` (any alignment) to packed, row-major, native ones. */
void hr__npy_read(void *dst, const hr__npy *npy, const void *src);

#endif
