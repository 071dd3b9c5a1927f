/* PNG through libspng: every colour type and depth. Rows of a plain file are decoded one by one,
 * and none below the region; an interlaced file is decoded whole first. A wrong CRC is an error. */
#include <spng.h>
#include <string.h>

#include "io/codec/codec.h"

enum { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGB_ALPHA = 6 };
/* Ancillary chunks (profiles, text) over this size are refused: 16 MiB. */
enum { MAX_CHUNK = 16 << 20 };

static const uint8_t png_magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

static int png_probe(const uint8_t *data, size_t size)
{
    return size >= sizeof png_magic && !memcmp(data, png_magic, sizeof png_magic);
}

/* ---- header ---------------------------------------------------------------------- */

static int is_valid_depth(int type, int depth)
{
    switch (type) {
    case GRAY: return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case PALETTE: return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case RGB: case GRAY_ALPHA: case RGB_ALPHA: return depth == 8 || depth == 16;
    default: return 0;
    }
}

static int channels_of(int type)
{
    static const int channels[7] = {1, 0, 3, 3, 2, 0, 4};
    return channels[type];
}

/* What is met on the way: transparency of a palette makes a fourth channel. */
static void read_chunk(const uint8_t *chunk, size_t n, int type, hr_image_info *info)
{
    const uint8_t *name = chunk + 4, *body = chunk + 8;
    if (type == PALETTE && !memcmp(name, "tRNS", 4) && n > 0) info->channels = 4;
    if (memcmp(name, "eXIf", 4)) return;
    if (n > 6 && !memcmp(body, "Exif\0", 5)) body += 6, n -= 6; /* some writers keep JPEG's mark */
    info->orientation = hr__exif_orientation(body, n);
}

static hr_status png_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err)
{
    *info = (hr_image_info){.format = "PNG", .orientation = 1};
    if (size < 8 + 8 + 13 + 4 || memcmp(data + 8, "\0\0\0\x0DIHDR", 8))
        return hr_fail(err, HR_DATA, "PNG: the data ends in the header");
    const uint8_t *ihdr = data + 16;
    int depth = ihdr[8], type = ihdr[9];
    if (!is_valid_depth(type, depth))
        return hr_fail(err, HR_DATA, "PNG: colour type %d with %d bits is not valid", type, depth);
    info->width = hr__read_be32(ihdr);
    info->height = hr__read_be32(ihdr + 4);
    info->channels = channels_of(type);
    info->dtype = depth == 16 ? HR_U16 : HR_U8;
    size_t at = 8;
    while (size - at >= 12) {
        size_t n = hr__read_be32(data + at);
        if (n > size - at - 12) break; /* decoding will say where */
        read_chunk(data + at, n, type, info);
        at += n + 12;
    }
    return hr__image_check(info, err);
}

/* ---- decoding -------------------------------------------------------------------- */

typedef struct png_job {
    spng_ctx *ctx;
    const hr_image_info *info;
    const hr_decode_options *options;
    hr__rows rows;
    struct spng_ihdr ihdr;
    size_t row_bytes; /* of the whole picture's row, as libspng gives it */
    size_t pixel;
    hr_arena *arena;
    hr_error *err;
} png_job;

static hr_status fail_spng(const png_job *job, int code, int64_t row)
{
    if (code == SPNG_EMEM) return hr_fail(job->err, HR_NOMEM, "PNG: out of memory");
    if (row < 0) return hr_fail(job->err, HR_DATA, "PNG: %s", spng_strerror(code));
    return hr_fail(job->err, HR_DATA, "PNG: %s in row %lld of %lld", spng_strerror(code),
                   (long long)row, (long long)job->info->height);
}

/* libspng widens small gray depths and looks palettes up; all else comes as stored. */
static int choose_format(const png_job *job, hr__rows_source *in)
{
    int type = job->ihdr.color_type, is_any = job->options->type == HR_ANY_DATA;
    *in = (hr__rows_source){.type = HR_RGB, .channels = job->info->channels,
                            .dtype = job->info->dtype};
    if (type == GRAY || type == GRAY_ALPHA) in->type = HR_GRAY;
    if (type == PALETTE && !(is_any && in->channels == 4)) in->channels = 3;
    if (is_any) in->type = HR_ANY_DATA;
    if (type == PALETTE) return in->channels == 4 ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;
    return type == GRAY && job->ihdr.bit_depth <= 8 ? SPNG_FMT_G8 : SPNG_FMT_PNG;
}

static hr_status begin(png_job *job, const uint8_t *data, size_t size, void *out)
{
    hr__rows_source in;
    int code = spng_set_chunk_limits(job->ctx, MAX_CHUNK, MAX_CHUNK);
    if (!code) code = spng_set_crc_action(job->ctx, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
    if (!code) code = spng_set_png_buffer(job->ctx, data, size);
    if (!code) code = spng_get_ihdr(job->ctx, &job->ihdr);
    if (code) return fail_spng(job, code, -1);
    if (job->ihdr.width != job->info->width || job->ihdr.height != job->info->height)
        return hr_fail(job->err, HR_DATA, "PNG: the header changed its mind about the size");
    HR_TRY(hr__rows_init(&job->rows, job->info, job->options, out, job->err));
    int format = choose_format(job, &in);
    HR_TRY(hr__rows_begin(&job->rows, &in, job->options, job->arena, job->err));
    job->pixel = (size_t)in.channels * hr_dtype_size(in.dtype);
    job->row_bytes = job->pixel * job->ihdr.width;
    code = spng_decode_image(job->ctx, NULL, 0, format,
                             SPNG_DECODE_PROGRESSIVE |
                                 (format == SPNG_FMT_RGBA8 ? SPNG_DECODE_TRNS : 0));
    return code ? fail_spng(job, code, -1) : HR_OK;
}

/* After the last row: the rest of the data's CRC, and the chunks behind it. */
static hr_status finish(png_job *job)
{
    int code = spng_decode_chunks(job->ctx);
    return code ? fail_spng(job, code, -1) : HR_OK;
}

static hr_status decode_rows(png_job *job)
{
    const hr_rect *region = &job->rows.region;
    int64_t end = region->y + region->h;
    int is_direct = job->rows.is_plain && region->w == job->ihdr.width;
    uint8_t *scratch = hr_arena_take(job->arena, job->row_bytes);
    if (!scratch)
        return hr_fail(job->err, HR_NOMEM, "PNG: no memory for a row of %zu bytes",
                       job->row_bytes);
    for (int64_t y = 0; y < end; y++) {
        int is_inside = y >= region->y;
        uint8_t *to = is_inside && is_direct ? hr__rows_place(&job->rows, y - region->y) : scratch;
        int code = spng_decode_row(job->ctx, to, job->row_bytes);
        if (code && !(code == SPNG_EOI && y == job->info->height - 1))
            return fail_spng(job, code, y);
        if (is_inside && !is_direct)
            hr__rows_put(&job->rows, y - region->y, 1,
                         scratch + (size_t)region->x * job->pixel, job->row_bytes);
    }
    return end == job->info->height ? finish(job) : HR_OK;
}

/* Every pass adds pixels all over the picture: it must be whole before it can be cropped. */
static hr_status decode_interlaced(png_job *job)
{
    const hr_rect *region = &job->rows.region;
    size_t height = job->ihdr.height;
    uint8_t *picture = NULL;
    if (job->row_bytes <= SIZE_MAX / height)
        picture = hr_arena_take(job->arena, job->row_bytes * height);
    if (!picture)
        return hr_fail(job->err, HR_NOMEM, "PNG: no memory for %zu rows of %zu bytes", height,
                       job->row_bytes);
    int code = 0;
    while (!code) {
        struct spng_row_info at;
        code = spng_get_row_info(job->ctx, &at);
        if (code) break;
        code = spng_decode_row(job->ctx, picture + job->row_bytes * at.row_num, job->row_bytes);
        if (code && code != SPNG_EOI) return fail_spng(job, code, at.row_num);
    }
    if (code != SPNG_EOI) return fail_spng(job, code, -1);
    for (int64_t y = 0; y < region->h; y += HR__STRIP_ROWS) {
        int64_t n = region->h - y < HR__STRIP_ROWS ? region->h - y : HR__STRIP_ROWS;
        hr__rows_put(&job->rows, y, n, picture + (size_t)(region->y + y) * job->row_bytes +
                     (size_t)region->x * job->pixel, job->row_bytes);
    }
    return finish(job);
}

static hr_status png_decode(const uint8_t *data, size_t size, const hr_image_info *info,
                            const hr_decode_options *options, void *out, hr_arena *arena,
                            hr_error *err)
{
    png_job job = {.info = info, .options = options, .arena = arena, .err = err};
    job.ctx = spng_ctx_new(0);
    if (!job.ctx) return hr_fail(err, HR_NOMEM, "PNG: out of memory");
    hr_status status = begin(&job, data, size, out);
    if (status == HR_OK)
        status = job.ihdr.interlace_method ? decode_interlaced(&job) : decode_rows(&job);
    spng_ctx_free(job.ctx);
    return status;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const char *png_version(void)
{
    return "libspng " TEXT(SPNG_VERSION_MAJOR) "." TEXT(SPNG_VERSION_MINOR) "." TEXT(
        SPNG_VERSION_PATCH);
}

const hr_codec_desc hr_codec_png = {
    .name = "PNG",
    .version = png_version,
    .probe = png_probe,
    .header = png_header,
    .decode = png_decode,
};
