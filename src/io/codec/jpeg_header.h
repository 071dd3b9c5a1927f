/* What can be learnt from a JPEG's markers without decoding. */
#ifndef HR_IO_CODEC_JPEG_HEADER_H
#define HR_IO_CODEC_JPEG_HEADER_H

#include <headrace/codec.h>

int hr__jpeg_probe(const uint8_t *data, size_t size);
hr_status hr__jpeg_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err);

#endif
