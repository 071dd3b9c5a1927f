/* The one thing that decoding needs from an EXIF block: the orientation, tag 0x0112 of the first
 * directory (TIFF 6.0, section 2; CIPA DC-008, section 4.6.4). Anything odd means "upright". */
#include "io/codec/codec.h"

enum {
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    TYPE_LONG = 4,
    ENTRY_SIZE = 12,
};

typedef struct tiff_block {
    const uint8_t *data;
    size_t size;
    int big_endian;
} tiff_block;

/* 0 where the block ends early. */
static uint32_t read_u16(const tiff_block *t, size_t at)
{
    if (t->size < 2 || at > t->size - 2) return 0;
    const uint8_t *p = t->data + at;
    return t->big_endian ? hr__read_be16(p) : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t read_u32(const tiff_block *t, size_t at)
{
    if (t->size < 4 || at > t->size - 4) return 0;
    uint32_t first = read_u16(t, at), second = read_u16(t, at + 2);
    return t->big_endian ? first << 16 | second : second << 16 | first;
}

static int entry_orientation(const tiff_block *t, size_t at)
{
    uint32_t type = read_u16(t, at + 2), count = read_u32(t, at + 4), value = 0;
    if (count != 1) return 1;
    if (type == TYPE_SHORT) value = read_u16(t, at + 8);
    if (type == TYPE_LONG) value = read_u32(t, at + 8);
    return value >= 1 && value <= 8 ? (int)value : 1;
}

int hr__exif_orientation(const uint8_t *tiff, size_t size)
{
    if (size < 8 || tiff[0] != tiff[1] || (tiff[0] != 'I' && tiff[0] != 'M')) return 1;
    tiff_block t = {.data = tiff, .size = size, .big_endian = tiff[0] == 'M'};
    if (read_u16(&t, 2) != 42) return 1;
    size_t directory = read_u32(&t, 4);
    if (directory > size - 2) return 1;
    size_t n = read_u16(&t, directory), at = directory + 2;
    for (size_t i = 0; i < n; i++, at += ENTRY_SIZE) {
        if (size < ENTRY_SIZE || at > size - ENTRY_SIZE) return 1;
        if (read_u16(&t, at) == TAG_ORIENTATION) return entry_orientation(&t, at);
    }
    return 1;
}
