/* Trial decoding, for verify="decode".
 * Thread use: plain functions of their arguments. */
#ifndef HR_IO_VERIFY_H
#define HR_IO_VERIFY_H

#include <headrace/error.h>

/* Is the picture sound to its last pixel? Bytes that are no picture pass, unless the ending of
 * `name` is a picture's. HR_DATA or HR_UNSUPPORTED with the codec's words; HR_NOMEM. */
HR_CHECKED hr_status hr__picture_verify(const void *data, size_t size, const char *name,
                                        hr_error *err);

#endif
