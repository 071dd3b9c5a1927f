/* TIFF through libtiff, from memory: strips and tiles, joined or separate planes, gray, palette,
 * RGB, inks, and by libtiff's own conversion YCbCr and CIE L*a*b*. The first page counts.
 * Source: TIFF 6.0; numbers in messages are those of its tags. */
#include <stdio.h>
#include <string.h>

#include "io/codec/tiff.h"

static int tiff_probe(const uint8_t *data, size_t size)
{
    return size >= 4 && (!memcmp(data, "II*\0", 4) || !memcmp(data, "MM\0*", 4) ||
                         !memcmp(data, "II+\0", 4) || !memcmp(data, "MM\0+", 4));
}

static hr_status tiff_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err)
{
    hr__tiff_view view = {.data = data, .size = size};
    hr__tiff_kind k;
    *info = (hr_image_info){.format = "TIFF", .orientation = 1};
    TIFF *t = hr__tiff_open(&view);
    if (!t) return hr__tiff_fail(&view, "the header cannot be read", err);
    hr_status status = hr__tiff_read_kind(t, &k, err);
    if (status == HR_OK) {
        hr__tiff_fill_info(t, &k, info);
        info->frames = (int)TIFFNumberOfDirectories(t);
    }
    TIFFClose(t);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------ */

typedef struct tiff_job {
    TIFF *t;
    hr__tiff_view view;
    hr__tiff_kind k;
    const hr_decode_options *options;
    hr_arena *arena;
    hr_error *err;
    hr__rows rows;
    size_t line;    /* bytes of a stored piece's row, of one plane */
    uint8_t *piece; /* stored bytes: a row of a strip, or a whole piece */
    uint8_t *band;  /* unpacked rows of the region */
    uint8_t *row;   /* converted row */
} tiff_job;

/* Hands on an unpacked row of the region. */
static void put_row(tiff_job *job, int64_t y, uint8_t *pixels)
{
    const uint8_t *from = hr__tiff_convert(&job->k, job->options->type, job->row, pixels,
                                           job->rows.region.w);
    hr__rows_put(&job->rows, y, 1, from, 0);
}

/* ---- strips, tiles ----------------------------------------------------------------------- */

static hr_status fail_memory(const tiff_job *job, size_t bytes)
{
    return hr_fail(job->err, HR_NOMEM, "TIFF: no memory for %zu bytes", bytes);
}

static hr_status fail_row(const tiff_job *job, int64_t y)
{
    char what[64];
    snprintf(what, sizeof what, "row %lld of %u", (long long)y, job->k.h);
    return hr__tiff_fail(&job->view, what, job->err);
}

static hr_status decode_strips(tiff_job *job)
{
    const hr_rect *region = &job->rows.region;
    if (TIFFScanlineSize64(job->t) != job->line)
        return hr_fail(job->err, HR_DATA, "TIFF: rows of %llu bytes where %zu are due",
                       (unsigned long long)TIFFScanlineSize64(job->t), job->line);
    job->piece = hr_arena_take(job->arena, job->line);
    if (!job->piece) return fail_memory(job, job->line);
    int64_t first = region->y - region->y % job->k.piece_h; /* strips are read from their top */
    for (int64_t y = first; y < region->y + region->h; y++) {
        memset(job->piece, 0, job->line); /* decoders may leave a damaged end as it is */
        if (TIFFReadScanline(job->t, job->piece, (uint32_t)y, 0) < 0) return fail_row(job, y);
        if (y < region->y) continue;
        hr__tiff_unpack(&job->k, job->band, job->piece, region->x, region->w, 0);
        put_row(job, y - region->y, job->band);
    }
    return HR_OK;
}

/* Reads the piece with pixel (x, y) of plane `s`. */
static hr_status read_piece(tiff_job *job, int64_t x, int64_t y, int s)
{
    const hr__tiff_kind *k = &job->k;
    int64_t rows = k->piece_h;
    if (!k->is_tiled && k->h - y < rows) rows = k->h - y;
    tmsize_t size = (tmsize_t)(job->line * (size_t)rows), got;
    uint16_t plane = (uint16_t)s;
    memset(job->piece, 0, (size_t)size); /* decoders may leave a damaged end as it is */
    if (k->is_tiled) {
        uint32_t tile = TIFFComputeTile(job->t, (uint32_t)x, (uint32_t)y, 0, plane);
        got = TIFFReadEncodedTile(job->t, tile, job->piece, size);
    } else {
        uint32_t strip = TIFFComputeStrip(job->t, (uint32_t)y, plane);
        got = TIFFReadEncodedStrip(job->t, strip, job->piece, size);
    }
    return got == size ? HR_OK : fail_row(job, y);
}

/* All pieces that begin in row `top` and meet the region's columns, into the band. */
static hr_status read_band(tiff_job *job, int64_t top, int64_t first, int64_t n)
{
    const hr__tiff_kind *k = &job->k;
    const hr_rect *region = &job->rows.region;
    int64_t right = region->x + region->w, w = k->piece_w;
    int planes = k->planar == PLANARCONFIG_SEPARATE ? k->samples : 1;
    for (int64_t x = region->x / w * w; x < right; x += w) {
        int64_t from = x > region->x ? x : region->x, end = x + w < right ? x + w : right;
        for (int s = 0; s < planes; s++) {
            HR_TRY(read_piece(job, x, top, s));
            for (int64_t j = 0; j < n; j++)
                hr__tiff_unpack(k, job->band + (size_t)(j * region->w + from - region->x) * k->pixel,
                                job->piece + (size_t)(first - top + j) * job->line, from - x,
                                end - from, s);
        }
    }
    return HR_OK;
}

static hr_status decode_pieces(tiff_job *job)
{
    const hr__tiff_kind *k = &job->k;
    const hr_rect *region = &job->rows.region;
    int64_t bottom = region->y + region->h, h = k->piece_h;
    size_t row = (size_t)region->w * k->pixel, size = job->line * (size_t)h;
    job->piece = hr_arena_take(job->arena, size);
    job->band = hr_arena_take(job->arena, row * (size_t)(h < region->h ? h : region->h));
    if (!job->piece || !job->band) return fail_memory(job, size);
    for (int64_t top = region->y / h * h; top < bottom; top += h) {
        int64_t first = top > region->y ? top : region->y;
        int64_t n = (top + h < bottom ? top + h : bottom) - first;
        HR_TRY(read_band(job, top, first, n));
        for (int64_t j = 0; j < n; j++)
            put_row(job, first - region->y + j, job->band + (size_t)j * row);
    }
    return HR_OK;
}

/* Colour models that libtiff converts: the whole picture, top row first. */
static hr_status decode_foreign(tiff_job *job)
{
    const hr_rect *region = &job->rows.region;
    const hr__tiff_kind *k = &job->k;
    char text[1024] = "";
    TIFFRGBAImage image;
    size_t size = (size_t)k->w * k->h * 4;
    uint32_t *raster = hr_arena_take(job->arena, size);
    if (!raster) return fail_memory(job, size);
    memset(raster, 0, size);
    if (!TIFFRGBAImageBegin(&image, job->t, 1, text))
        return hr_fail(job->err, HR_DATA, "TIFF: %s", text);
    image.orientation = ORIENTATION_TOPLEFT; /* turning is for hr__rows */
    image.req_orientation = ORIENTATION_TOPLEFT;
    int is_good = TIFFRGBAImageGet(&image, raster, k->w, k->h);
    TIFFRGBAImageEnd(&image);
    if (!is_good) return hr__tiff_fail(&job->view, "the pixels cannot be read", job->err);
    for (int64_t y = 0; y < region->h; y++) {
        const uint32_t *from = raster + (size_t)(region->y + y) * k->w + region->x;
        for (int64_t i = 0; i < region->w; i++) {
            job->row[3 * i] = (uint8_t)TIFFGetR(from[i]);
            job->row[3 * i + 1] = (uint8_t)TIFFGetG(from[i]);
            job->row[3 * i + 2] = (uint8_t)TIFFGetB(from[i]);
        }
        hr__rows_put(&job->rows, y, 1, job->row, 0);
    }
    return HR_OK;
}

/* ---- decoding ---------------------------------------------------------------------------- */

static hr__rows_source choose_model(const tiff_job *job, const hr_image_info *info)
{
    const hr__tiff_kind *k = &job->k;
    hr__rows_source in = {.type = HR_RGB, .channels = info->channels, .dtype = info->dtype};
    int is_any = job->options->type == HR_ANY_DATA;
    if (hr__tiff_is_gray(k)) in.type = HR_GRAY;
    if (k->photometric == PHOTOMETRIC_SEPARATED && !is_any) in.channels = 3;
    if (is_any) in.type = HR_ANY_DATA;
    return in;
}

static hr_status decode_open(tiff_job *job, const hr_image_info *info, void *out)
{
    hr__tiff_kind *k = &job->k;
    hr_image_info now;
    HR_TRY(hr__tiff_read_kind(job->t, k, job->err));
    hr__tiff_fill_info(job->t, k, &now);
    if (now.width != info->width || now.height != info->height ||
        now.channels != info->channels || now.dtype != info->dtype)
        return hr_fail(job->err, HR_DATA, "TIFF: the bytes changed while they were decoded");
    HR_TRY(hr__rows_init(&job->rows, info, job->options, out, job->err));
    hr__rows_source in = choose_model(job, info);
    HR_TRY(hr__rows_begin(&job->rows, &in, job->options, job->arena, job->err));
    size_t w = (size_t)job->rows.region.w;
    int joined = k->planar == PLANARCONFIG_SEPARATE ? 1 : k->samples;
    job->line = ((size_t)k->piece_w * (size_t)joined * k->bits + 7) / 8;
    job->row = hr_arena_take(job->arena, w * 8);
    job->band = hr_arena_take(job->arena, w * 8);
    if (!job->row || !job->band) return fail_memory(job, w * 8);
    if (k->is_foreign) return decode_foreign(job);
    int is_separate = k->planar == PLANARCONFIG_SEPARATE && k->samples > 1;
    return k->is_tiled || is_separate ? decode_pieces(job) : decode_strips(job);
}

static hr_status tiff_decode(const uint8_t *data, size_t size, const hr_image_info *info,
                             const hr_decode_options *options, void *out, hr_arena *arena,
                             hr_error *err)
{
    tiff_job job = {.view = {.data = data, .size = size}, .options = options, .arena = arena,
                    .err = err};
    job.t = hr__tiff_open(&job.view);
    if (!job.t) return hr__tiff_fail(&job.view, "the header cannot be read", err);
    hr_status status = decode_open(&job, info, out);
    TIFFClose(job.t);
    return status;
}

static const char *tiff_version(void)
{
    static _Thread_local char text[64];
    const char *v = TIFFGetVersion(); /* "LIBTIFF, Version 4.5.0\n..." */
    const char *number = strstr(v, "Version ");
    int n = number ? (int)strcspn(number + 8, "\n") : 0;
    snprintf(text, sizeof text, "libtiff %.*s", n, number ? number + 8 : "");
    return text;
}

const hr_codec_desc hr_codec_tiff = {
    .name = "TIFF",
    .version = tiff_version,
    .probe = tiff_probe,
    .header = tiff_header,
    .decode = tiff_decode,
};
