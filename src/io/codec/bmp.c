/* Windows and OS/2 bitmaps by hand: 1 to 32 bits, run lengths, bit fields, either direction. Rows
 * are read where they lie; nothing of a picture but a row or two is ever in scratch.
 * Source: the structures BITMAPCOREHEADER to BITMAPV5HEADER of the Windows GDI documentation. */
#include <string.h>

#include "io/codec/codec.h"

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, OS2_HEADER = 64 };
enum { AT_MASKS = FILE_HEADER + INFO_HEADER };
enum { BI_RGB, BI_RLE8, BI_RLE4, BI_BITFIELDS, BI_JPEG, BI_PNG, BI_ALPHABITFIELDS };

typedef struct bmp_field {
    uint32_t mask;
    int shift;
    uint32_t max; /* of the shifted value; 0: no such field */
} bmp_field;

typedef struct bmp_file {
    const uint8_t *data;
    size_t size;
    int64_t w, h;
    int depth, compression, is_top_down;
    int header;        /* bytes of the second header */
    size_t pixels;     /* where they begin */
    size_t row_bytes;  /* of an uncompressed row, with its padding */
    int is_gray;       /* a palette of grays alone */
    bmp_field field[4]; /* red, green, blue, alpha of 16 and 32 bits */
    uint8_t palette[256][3];
} bmp_file;

static uint32_t le16(const uint8_t *p) { return (uint32_t)p[1] << 8 | p[0]; }
static uint32_t le32(const uint8_t *p) { return le16(p + 2) << 16 | le16(p); }

static int is_header_size(uint32_t n)
{
    return n == CORE_HEADER || n == 16 || n == INFO_HEADER || n == 52 || n == 56 ||
           n == OS2_HEADER || n == 108 || n == 124;
}

static int bmp_probe(const uint8_t *data, size_t size)
{
    return size >= 2 && data[0] == 'B' && data[1] == 'M';
}

/* ---- header ------------------------------------------------------------------------------ */

static int is_valid_depth(int depth)
{
    return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16 || depth == 24 ||
           depth == 32;
}

static hr_status read_sizes(bmp_file *f, hr_error *err)
{
    const uint8_t *p = f->data + FILE_HEADER;
    if (f->size < FILE_HEADER + 4 || !is_header_size(le32(p)))
        return f->size < FILE_HEADER + 4
                   ? hr_fail(err, HR_DATA, "BMP: the data ends in the header")
                   : hr_fail(err, HR_DATA, "BMP: a header of %u bytes is not valid", le32(p));
    f->header = (int)le32(p);
    if (f->size < (size_t)(FILE_HEADER + f->header))
        return hr_fail(err, HR_DATA, "BMP: the data ends in the header");
    if (f->header == CORE_HEADER) {
        f->w = le16(p + 4);
        f->h = le16(p + 6);
        f->depth = (int)le16(p + 10);
    } else {
        f->w = (int32_t)le32(p + 4);
        f->h = (int32_t)le32(p + 8);
        f->depth = (int)le16(p + 14);
        f->compression = f->header > 16 ? (int)le32(p + 16) : BI_RGB;
    }
    f->is_top_down = f->h < 0;
    if (f->is_top_down) f->h = -f->h;
    if (!is_valid_depth(f->depth))
        return hr_fail(err, HR_DATA, "BMP: %d bits a pixel is not valid", f->depth);
    return HR_OK;
}

static hr_status check_compression(const bmp_file *f, hr_error *err)
{
    int c = f->compression, d = f->depth, is_os2 = f->header == OS2_HEADER;
    if ((c == BI_BITFIELDS || c == BI_JPEG) && is_os2)
        return hr_fail(err, HR_UNSUPPORTED, "BMP: %s compression of OS/2 is not supported",
                       c == BI_JPEG ? "24-bit run-length" : "Huffman");
    if (c == BI_JPEG || c == BI_PNG)
        return hr_fail(err, HR_UNSUPPORTED, "BMP: a %s file inside is not supported",
                       c == BI_JPEG ? "JPEG" : "PNG");
    int is_fields = c == BI_BITFIELDS || c == BI_ALPHABITFIELDS;
    if (c == BI_RGB || (c == BI_RLE8 && d == 8) || (c == BI_RLE4 && d == 4) ||
        (is_fields && (d == 16 || d == 32)))
        return HR_OK;
    return hr_fail(err, HR_DATA, "BMP: compression %d of %d bits a pixel is not valid", c, d);
}

static bmp_field field_of(uint32_t mask)
{
    bmp_field f = {.mask = mask};
    while (mask && !(mask & 1)) {
        mask >>= 1;
        f.shift++;
    }
    f.max = mask;
    return f;
}

/* Bytes of the masks between the header and the palette. */
static size_t mask_bytes(const bmp_file *f)
{
    if (f->header != INFO_HEADER) return 0;
    return f->compression == BI_BITFIELDS ? 12 : f->compression == BI_ALPHABITFIELDS ? 16 : 0;
}

static hr_status read_masks(bmp_file *f, hr_error *err)
{
    static const uint32_t masks16[4] = {0x7C00, 0x3E0, 0x1F}, masks32[4] = {0xFF0000, 0xFF00, 0xFF};
    const uint32_t *masks = f->depth == 16 ? masks16 : masks32;
    uint32_t own[4] = {0};
    if (f->depth != 16 && f->depth != 32) return HR_OK;
    if (f->compression != BI_RGB) {
        int n = f->header >= 56 || f->compression == BI_ALPHABITFIELDS ? 4 : 3;
        if (f->size < AT_MASKS + 16)
            return hr_fail(err, HR_DATA, "BMP: the data ends in the colour masks");
        for (int k = 0; k < n; k++) own[k] = le32(f->data + AT_MASKS + 4 * k);
        masks = own;
    }
    for (int k = 0; k < 4; k++) {
        f->field[k] = field_of(masks[k]);
        if (f->field[k].max & (f->field[k].max + 1))
            return hr_fail(err, HR_DATA, "BMP: the colour mask 0x%08x has gaps", masks[k]);
    }
    return HR_OK;
}

/* Colours that a pixel names but the palette does not have are black. */
static void read_palette(bmp_file *f)
{
    size_t entry = f->header == CORE_HEADER ? 3 : 4, n = (size_t)1 << f->depth;
    size_t at = FILE_HEADER + (size_t)f->header + mask_bytes(f);
    size_t end = f->pixels < f->size ? f->pixels : f->size;
    uint32_t used = f->header >= INFO_HEADER ? le32(f->data + FILE_HEADER + 32) : 0;
    if (used && used < n) n = used;
    if (at > end) n = 0;
    else if (n > (end - at) / entry) n = (end - at) / entry;
    f->is_gray = 1;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = f->data + at + i * entry;
        for (int k = 0; k < 3; k++) f->palette[i][k] = p[2 - k];
        if (p[0] != p[1] || p[1] != p[2]) f->is_gray = 0;
    }
}

static hr_status bmp_parse(bmp_file *f, const uint8_t *data, size_t size, hr_error *err)
{
    memset(f, 0, sizeof *f);
    f->data = data;
    f->size = size;
    HR_TRY(read_sizes(f, err));
    HR_TRY(check_compression(f, err));
    HR_TRY(read_masks(f, err));
    f->pixels = le32(data + 10);
    size_t least = FILE_HEADER + (size_t)f->header + mask_bytes(f);
    if (f->pixels < least) f->pixels = least; /* 0 from careless writers */
    if (f->depth <= 8) read_palette(f);
    f->row_bytes = ((size_t)f->w * (size_t)f->depth + 31) / 32 * 4;
    return HR_OK;
}

static int channels_of(const bmp_file *f)
{
    if (f->depth <= 8) return f->is_gray ? 1 : 3;
    return f->field[3].max ? 4 : 3;
}

static hr_status bmp_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err)
{
    bmp_file f;
    *info = (hr_image_info){.format = "BMP", .orientation = 1, .dtype = HR_U8};
    HR_TRY(bmp_parse(&f, data, size, err));
    info->width = f.w;
    info->height = f.h;
    info->channels = channels_of(&f);
    return hr__image_check(info, err);
}

/* ---- rows -------------------------------------------------------------------------------- */

typedef struct bmp_job {
    const bmp_file *f;
    hr__rows rows;
    uint8_t *indices; /* a row of them */
    uint8_t *row;     /* of the region, converted */
    hr_error *err;
} bmp_job;

static void unpack_indices(uint8_t *out, const uint8_t *row, int64_t x, int64_t n, int depth)
{
    int mask = (1 << depth) - 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t bit = (x + i) * depth;
        out[i] = (uint8_t)(row[bit >> 3] >> (8 - depth - (int)(bit & 7)) & mask);
    }
}

static void look_up(const bmp_file *f, uint8_t *out, const uint8_t *indices, int64_t n)
{
    if (f->is_gray) {
        for (int64_t i = 0; i < n; i++) out[i] = f->palette[indices[i]][0];
        return;
    }
    for (int64_t i = 0; i < n; i++) memcpy(out + 3 * i, f->palette[indices[i]], 3);
}

/* Parts of the full range, cut off. */
static uint8_t field_value(const bmp_field *f, uint32_t pixel)
{
    if (f->max == 0) return 0;
    return (uint8_t)((uint64_t)((pixel & f->mask) >> f->shift) * 255 / f->max);
}

static void split_fields(const bmp_file *f, uint8_t *out, const uint8_t *row, int64_t n)
{
    int channels = channels_of(f), bytes = f->depth / 8;
    for (int64_t i = 0; i < n; i++, row += bytes, out += channels) {
        uint32_t pixel = bytes == 2 ? le16(row) : le32(row);
        for (int k = 0; k < channels; k++) out[k] = field_value(&f->field[k], pixel);
    }
}

/* Hands on the region's part of an uncompressed row; `y` counts from the region's first. */
static void put_row(bmp_job *job, int64_t y, const uint8_t *row)
{
    const bmp_file *f = job->f;
    const hr_rect *region = &job->rows.region;
    if (f->depth == 24) {
        hr__rows_put(&job->rows, y, 1, row + 3 * region->x, f->row_bytes);
        return;
    }
    if (f->depth > 8) {
        split_fields(f, job->row, row + region->x * (f->depth / 8), region->w);
    } else {
        unpack_indices(job->indices, row, region->x, region->w, f->depth);
        look_up(f, job->row, job->indices, region->w);
    }
    hr__rows_put(&job->rows, y, 1, job->row, 0);
}

static hr_status fail_short(const bmp_job *job, int64_t y)
{
    return hr_fail(job->err, HR_DATA, "BMP: the data ends in row %lld of %lld", (long long)y,
                   (long long)job->f->h);
}

static hr_status decode_plain(bmp_job *job)
{
    const bmp_file *f = job->f;
    const hr_rect *region = &job->rows.region;
    size_t need = ((size_t)f->w * (size_t)f->depth + 7) / 8; /* the last padding may be missing */
    for (int64_t y = 0; y < region->h; y++) {
        int64_t at = region->y + y, stored = f->is_top_down ? at : f->h - 1 - at;
        if (f->pixels > f->size || f->size - f->pixels < need ||
            (size_t)stored > (f->size - f->pixels - need) / f->row_bytes)
            return fail_short(job, at);
        put_row(job, y, f->data + f->pixels + (size_t)stored * f->row_bytes);
    }
    return HR_OK;
}

/* ---- run lengths ------------------------------------------------------------------------- */

typedef struct rle {
    const uint8_t *p, *end;
    int64_t x, line; /* of the pixel that comes next; lines in stored order */
} rle;

/* Hands on the row that is finished, and begins the next one with blanks. */
static void next_line(bmp_job *job, rle *r)
{
    const bmp_file *f = job->f;
    const hr_rect *region = &job->rows.region;
    int64_t y = (f->is_top_down ? r->line : f->h - 1 - r->line) - region->y;
    if (y >= 0 && y < region->h) {
        look_up(f, job->row, job->indices + region->x, region->w);
        hr__rows_put(&job->rows, y, 1, job->row, 0);
    }
    memset(job->indices, 0, (size_t)f->w);
    r->line++;
}

static void put_pixel(bmp_job *job, rle *r, int value)
{
    if (r->x < job->f->w) job->indices[r->x] = (uint8_t)value; /* what is over is left out */
    r->x++;
}

/* Pixel `i` of a run or of literals that begin at `p`. */
static int nibble(const uint8_t *p, int i) { return i & 1 ? p[i / 2] & 15 : p[i / 2] >> 4; }

static hr_status put_literals(bmp_job *job, rle *r, int n)
{
    int is_4 = job->f->depth == 4;
    ptrdiff_t bytes = is_4 ? (n + 1) / 2 : n;
    if (r->end - r->p < bytes) return fail_short(job, r->line);
    for (int i = 0; i < n; i++) put_pixel(job, r, is_4 ? nibble(r->p, i) : r->p[i]);
    r->p += bytes;
    if ((bytes & 1) && r->p < r->end) r->p++; /* padded to words */
    return HR_OK;
}

static hr_status skip(bmp_job *job, rle *r)
{
    if (r->end - r->p < 2) return fail_short(job, r->line);
    r->x += r->p[0];
    for (int n = r->p[1]; n > 0 && r->line < job->f->h; n--) next_line(job, r);
    r->p += 2;
    return HR_OK;
}

/* Lines that the data does not have are blank, provided that it says where it ends. */
static hr_status decode_rle(bmp_job *job)
{
    const bmp_file *f = job->f;
    size_t at = f->pixels < f->size ? f->pixels : f->size;
    rle r = {.p = f->data + at, .end = f->data + f->size};
    memset(job->indices, 0, (size_t)f->w);
    while (r.line < f->h) {
        if (r.end - r.p < 2) return fail_short(job, r.line);
        int n = r.p[0], value = r.p[1];
        r.p += 2;
        if (n > 0) {
            for (int i = 0; i < n; i++)
                put_pixel(job, &r, f->depth == 4 ? nibble(r.p - 1, i & 1) : value);
        } else if (value == 0) {
            next_line(job, &r);
            r.x = 0;
        } else if (value == 1) {
            while (r.line < f->h) next_line(job, &r);
        } else if (value == 2) {
            HR_TRY(skip(job, &r));
        } else {
            HR_TRY(put_literals(job, &r, value));
        }
    }
    return HR_OK;
}

/* ---- decoding ---------------------------------------------------------------------------- */

static hr_status begin(bmp_job *job, const hr_decode_options *options, hr_arena *arena)
{
    const bmp_file *f = job->f;
    hr__rows_source in = {.type = HR_RGB, .channels = channels_of(f), .dtype = HR_U8};
    hr_decode_options o = *options;
    if (in.channels == 1) in.type = HR_GRAY;
    if (f->depth == 24) {
        in.type = HR_BGR;
        if (o.type == HR_ANY_DATA) o.type = HR_RGB;
    }
    HR_TRY(hr__rows_begin(&job->rows, &in, &o, arena, job->err));
    job->indices = hr_arena_take(arena, (size_t)f->w);
    job->row = hr_arena_take(arena, (size_t)job->rows.region.w * 4);
    if (!job->indices || !job->row)
        return hr_fail(job->err, HR_NOMEM, "BMP: no memory for a row of %lld pixels",
                       (long long)f->w);
    return HR_OK;
}

static hr_status bmp_decode(const uint8_t *data, size_t size, const hr_image_info *info,
                            const hr_decode_options *options, void *out, hr_arena *arena,
                            hr_error *err)
{
    bmp_file f;
    bmp_job job = {.f = &f, .err = err};
    HR_TRY(bmp_parse(&f, data, size, err));
    if (f.w != info->width || f.h != info->height || channels_of(&f) != info->channels)
        return hr_fail(err, HR_DATA, "BMP: the bytes changed while they were decoded");
    HR_TRY(hr__rows_init(&job.rows, info, options, out, err));
    HR_TRY(begin(&job, options, arena));
    int is_rle = f.compression == BI_RLE8 || f.compression == BI_RLE4;
    return is_rle ? decode_rle(&job) : decode_plain(&job);
}

static const char *bmp_version(void) { return "built in"; }

const hr_codec_desc hr_codec_bmp = {
    .name = "BMP",
    .version = bmp_version,
    .probe = bmp_probe,
    .header = bmp_header,
    .decode = bmp_decode,
};
