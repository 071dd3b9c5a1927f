/* Size, components and orientation of a JPEG: a walk over its marker segments (ITU-T T.81, annex B)
 * up to the first scan. No memory, no libjpeg: it runs for every sample before any is decoded. */
#include "io/codec/jpeg_header.h"

#include <string.h>

#include "io/codec/codec.h"

enum {
    M_SOF0 = 0xC0, M_SOF2 = 0xC2, M_SOF9 = 0xC9, M_SOF10 = 0xCA, M_SOF15 = 0xCF,
    M_DHT = 0xC4, M_JPG = 0xC8, M_DAC = 0xCC,
    M_RST0 = 0xD0, M_RST7 = 0xD7, M_SOI = 0xD8, M_EOI = 0xD9, M_SOS = 0xDA,
    M_APP1 = 0xE1, M_TEM = 0x01,
};

int hr__jpeg_probe(const uint8_t *data, size_t size)
{
    return size >= 3 && data[0] == 0xFF && data[1] == 0xD8 && data[2] == 0xFF &&
           !(size >= 4 && data[3] == 0xF7); /* JPEG-LS */
}

static int is_frame(int marker)
{
    return marker >= M_SOF0 && marker <= M_SOF15 && marker != M_DHT && marker != M_JPG &&
           marker != M_DAC;
}

static int has_no_length(int marker)
{
    return marker == M_TEM || (marker >= M_RST0 && marker <= M_SOI);
}

static hr_status read_frame(int marker, const uint8_t *p, size_t n, hr_image_info *info,
                            hr_error *err)
{
    if (n < 6 || n < 6 + 3 * (size_t)p[5])
        return hr_fail(err, HR_DATA, "JPEG: the frame header of %zu bytes is too short", n);
    int is_known = marker <= M_SOF2 || marker == M_SOF9 || marker == M_SOF10;
    if (!is_known)
        return hr_fail(err, HR_UNSUPPORTED,
                       "JPEG: coding process SOF%d (lossless or hierarchical) is not supported",
                       marker - M_SOF0);
    if (p[0] != 8)
        return hr_fail(err, HR_UNSUPPORTED, "JPEG: %d bits a sample are not supported, only 8",
                       p[0]);
    info->height = hr__read_be16(p + 1);
    info->width = hr__read_be16(p + 3);
    info->channels = p[5];
    if (p[5] != 1 && p[5] != 3 && p[5] != 4)
        return hr_fail(err, HR_UNSUPPORTED, "JPEG: %d components are not supported: 1, 3 or 4",
                       p[5]);
    return HR_OK;
}

/* The length field's own two bytes are part of the length. */
static hr_status read_segment(int marker, const uint8_t *p, size_t n, hr_image_info *info,
                              hr_error *err)
{
    if (is_frame(marker)) {
        if (info->channels) return hr_fail(err, HR_DATA, "JPEG: a second frame header");
        return read_frame(marker, p, n, info, err);
    }
    if (marker == M_APP1 && n > 6 && !memcmp(p, "Exif\0", 5) && info->orientation == 1)
        info->orientation = hr__exif_orientation(p + 6, n - 6);
    return HR_OK;
}

hr_status hr__jpeg_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err)
{
    *info = (hr_image_info){.format = "JPEG", .dtype = HR_U8, .orientation = 1};
    if (!hr__jpeg_probe(data, size)) return hr_fail(err, HR_DATA, "JPEG: no start marker");
    size_t at = 2;
    for (;;) {
        while (at < size && data[at] != 0xFF) at++; /* libjpeg skips stray bytes too */
        while (at < size && data[at] == 0xFF) at++;
        if (at >= size) return hr_fail(err, HR_DATA, "JPEG: the data ends in the header");
        int marker = data[at++];
        if (marker == M_SOS) break;
        if (marker == M_EOI) return hr_fail(err, HR_DATA, "JPEG: the file has no picture");
        if (marker == 0 || has_no_length(marker)) continue;
        if (size - at < 2) return hr_fail(err, HR_DATA, "JPEG: the data ends in the header");
        size_t length = hr__read_be16(data + at);
        if (length < 2)
            return hr_fail(err, HR_DATA, "JPEG: segment %02X has a length of %zu", marker, length);
        if (length > size - at)
            return hr_fail(err, HR_DATA, "JPEG: the data ends in the header");
        HR_TRY(read_segment(marker, data + at + 2, length - 2, info, err));
        at += length;
    }
    if (!info->channels) return hr_fail(err, HR_DATA, "JPEG: a scan before the frame header");
    return hr__image_check(info, err);
}
