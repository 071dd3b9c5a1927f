/* TIFF through libtiff, from memory: strips and tiles, joined or separate planes, gray, palette,
 * RGB, inks, and by libtiff's own conversion YCbCr and CIE L*a*b*. The first page counts. libtiff
 * prints nothing: each file has handlers of its own (libtiff 4.5).
 * Source: TIFF 6.0; numbers in messages are those of its tags. */
#include <stdio.h>
#include <string.h>

#include <tiffio.h>

#include "io/codec/codec.h"

/* libtiff may take this much, besides the file's size, in one piece: 64 MiB. */
enum { MAX_ALLOC = 64 << 20 };

/* The file, as libtiff reads it. */
typedef struct tiff_view {
    const uint8_t *data;
    size_t size, at;
    char text[200]; /* libtiff's first complaint */
} tiff_view;

/* How pixels are stored. */
typedef struct tiff_kind {
    uint32_t w, h;
    uint16_t bits, samples, photometric, planar, compression;
    int is_tiled;
    int is_foreign; /* to be converted by libtiff's RGBA interface */
    uint32_t piece_w, piece_h; /* of a tile or strip */
    uint16_t *map[3]; /* palette */
} tiff_kind;

static int tiff_probe(const uint8_t *data, size_t size)
{
    return size >= 4 && (!memcmp(data, "II*\0", 4) || !memcmp(data, "MM\0*", 4) ||
                         !memcmp(data, "II+\0", 4) || !memcmp(data, "MM\0+", 4));
}

/* ---- libtiff's view of memory ------------------------------------------------------------ */

static tmsize_t view_read(thandle_t h, void *to, tmsize_t n)
{
    tiff_view *v = h;
    if (n <= 0 || v->at >= v->size) return 0;
    size_t got = v->size - v->at < (size_t)n ? v->size - v->at : (size_t)n;
    memcpy(to, v->data + v->at, got);
    v->at += got;
    return (tmsize_t)got;
}

static tmsize_t view_write(thandle_t h, void *from, tmsize_t n) { return 0; }

static toff_t view_seek(thandle_t h, toff_t to, int whence)
{
    tiff_view *v = h;
    uint64_t base = whence == SEEK_CUR ? v->at : whence == SEEK_END ? v->size : 0;
    v->at = (size_t)(base + to); /* offsets back are large numbers: the sum wraps round */
    return v->at;
}

static int view_close(thandle_t h) { return 0; }

static toff_t view_size(thandle_t h) { return ((tiff_view *)h)->size; }

static int view_map(thandle_t h, void **base, toff_t *size)
{
    tiff_view *v = h;
    *base = (void *)(uintptr_t)v->data; /* read only, by libtiff's rules for mapped files */
    *size = v->size;
    return 1;
}

static void view_unmap(thandle_t h, void *base, toff_t size) {}

static int on_error(TIFF *t, void *user, const char *module, const char *format, va_list args)
{
    tiff_view *v = user;
    if (!v->text[0]) vsnprintf(v->text, sizeof v->text, format, args);
    return 1; /* handled: nothing is printed */
}

static int on_warning(TIFF *t, void *user, const char *module, const char *format, va_list args)
{
    return 1;
}

static TIFF *open_view(tiff_view *v)
{
    TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
    if (!o) return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(o, on_error, v);
    TIFFOpenOptionsSetWarningHandlerExtR(o, on_warning, v);
    TIFFOpenOptionsSetMaxSingleMemAlloc(o, (tmsize_t)(v->size + MAX_ALLOC));
    TIFF *t = TIFFClientOpenExt("memory", "r", v, view_read, view_write, view_seek, view_close,
                                view_size, view_map, view_unmap, o);
    TIFFOpenOptionsFree(o);
    return t;
}

static hr_status fail_tiff(const tiff_view *v, const char *what, hr_error *err)
{
    return hr_fail(err, HR_DATA, "TIFF: %s%s%s", what, v->text[0] ? ": " : "", v->text);
}

/* ---- header ------------------------------------------------------------------------------ */

static hr_status fail_tag(const char *what, int value, int tag, hr_error *err)
{
    return hr_fail(err, HR_UNSUPPORTED, "TIFF: %s %d (tag %d) is not supported in this build", what,
                   value, tag);
}

static int is_gray(const tiff_kind *k)
{
    return k->photometric == PHOTOMETRIC_MINISBLACK || k->photometric == PHOTOMETRIC_MINISWHITE;
}

static hr_status check_compression(TIFF *t, const tiff_kind *k, hr_error *err)
{
    if (k->compression == COMPRESSION_OJPEG || !TIFFIsCODECConfigured(k->compression))
        return fail_tag("compression", k->compression, TIFFTAG_COMPRESSION, err);
    return HR_OK;
}

static hr_status check_samples(TIFF *t, const tiff_kind *k, hr_error *err)
{
    uint16_t format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format);
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
        return fail_tag("sample format", format, TIFFTAG_SAMPLEFORMAT, err);
    int is_small = k->bits == 1 || k->bits == 2 || k->bits == 4;
    int may_be_small = k->samples == 1 && (is_gray(k) || k->photometric == PHOTOMETRIC_PALETTE);
    if (!(is_small && may_be_small) && k->bits != 8 &&
        !(k->bits == 16 && k->photometric != PHOTOMETRIC_PALETTE))
        return fail_tag("the number of bits", k->bits, TIFFTAG_BITSPERSAMPLE, err);
    return HR_OK;
}

/* Does the number of samples fit the model? Models that are not known here are libtiff's. */
static hr_status check_model(TIFF *t, tiff_kind *k, hr_error *err)
{
    int least = 1, most = 2;
    switch (k->photometric) {
    case PHOTOMETRIC_MINISBLACK: case PHOTOMETRIC_MINISWHITE: break;
    case PHOTOMETRIC_PALETTE: most = 1; break;
    case PHOTOMETRIC_RGB: least = 3; most = 4; break;
    case PHOTOMETRIC_SEPARATED: least = most = 4; break;
    case PHOTOMETRIC_YCBCR:
        if (k->compression == COMPRESSION_JPEG && k->samples == 3) {
            TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            k->photometric = PHOTOMETRIC_RGB;
            return HR_OK;
        }
        k->is_foreign = 1;
        return HR_OK;
    case PHOTOMETRIC_CIELAB: k->is_foreign = 1; return HR_OK;
    default: return fail_tag("the colour model", k->photometric, TIFFTAG_PHOTOMETRIC, err);
    }
    if (k->samples >= least && k->samples <= most) return HR_OK;
    return hr_fail(err, HR_UNSUPPORTED, "TIFF: %d samples (tag %d) of colour model %d are not "
                   "supported in this build", k->samples, TIFFTAG_SAMPLESPERPIXEL, k->photometric);
}

/* The limit on pixels holds for a piece as well: it has to be unpacked whole. */
static hr_status read_pieces(TIFF *t, tiff_kind *k, hr_error *err)
{
    k->is_tiled = TIFFIsTiled(t);
    if (k->is_tiled) {
        TIFFGetField(t, TIFFTAG_TILEWIDTH, &k->piece_w);
        TIFFGetField(t, TIFFTAG_TILELENGTH, &k->piece_h);
    } else {
        uint32_t rows = 0;
        TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &rows);
        k->piece_w = k->w;
        k->piece_h = rows < k->h ? rows : k->h;
    }
    hr_image_info piece = {.format = "TIFF (a tile)", .width = k->piece_w, .height = k->piece_h};
    return hr__image_check(&piece, err);
}

static hr_status read_kind(TIFF *t, tiff_kind *k, hr_error *err)
{
    char text[1024];
    memset(k, 0, sizeof *k);
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &k->w);
    TIFFGetField(t, TIFFTAG_IMAGELENGTH, &k->h);
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &k->bits);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &k->samples);
    TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &k->planar);
    TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &k->compression);
    if (!TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &k->photometric))
        k->photometric = k->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    hr_image_info info = {.format = "TIFF", .width = k->w, .height = k->h};
    HR_TRY(hr__image_check(&info, err));
    HR_TRY(check_compression(t, k, err));
    HR_TRY(check_model(t, k, err));
    if (k->is_foreign)
        return TIFFRGBAImageOK(t, text) ? HR_OK
                                        : hr_fail(err, HR_UNSUPPORTED, "TIFF: colour model %d (tag "
                                                  "%d): %s", k->photometric, TIFFTAG_PHOTOMETRIC,
                                                  text);
    HR_TRY(check_samples(t, k, err));
    if (k->photometric == PHOTOMETRIC_PALETTE &&
        !TIFFGetField(t, TIFFTAG_COLORMAP, &k->map[0], &k->map[1], &k->map[2]))
        return hr_fail(err, HR_DATA, "TIFF: the palette (tag %d) is missing", TIFFTAG_COLORMAP);
    return read_pieces(t, k, err);
}

static void fill_info(TIFF *t, const tiff_kind *k, hr_image_info *info)
{
    uint16_t orientation = 1;
    TIFFGetFieldDefaulted(t, TIFFTAG_ORIENTATION, &orientation);
    info->width = k->w;
    info->height = k->h;
    info->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    info->channels = k->is_foreign || k->photometric == PHOTOMETRIC_PALETTE ? 3 : k->samples;
    info->dtype = k->bits == 16 && !k->is_foreign ? HR_U16 : HR_U8;
}

static hr_status tiff_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err)
{
    tiff_view view = {.data = data, .size = size};
    tiff_kind k;
    *info = (hr_image_info){.format = "TIFF", .orientation = 1};
    TIFF *t = open_view(&view);
    if (!t) return fail_tiff(&view, "the header cannot be read", err);
    hr_status status = read_kind(t, &k, err);
    if (status == HR_OK) {
        fill_info(t, &k, info);
        info->frames = (int)TIFFNumberOfDirectories(t);
    }
    TIFFClose(t);
    return status;
}

/* ---- samples ----------------------------------------------------------------------------- */

typedef struct tiff_job {
    TIFF *t;
    tiff_view view;
    tiff_kind k;
    const hr_decode_options *options;
    hr_arena *arena;
    hr_error *err;
    hr__rows rows;
    size_t sample;     /* bytes, unpacked */
    size_t pixel;      /* bytes of all samples, unpacked */
    size_t line;       /* bytes of a stored piece's row, of one plane */
    uint8_t *piece;    /* stored bytes: a row of a strip, or a whole piece */
    uint8_t *band;     /* unpacked rows of the region */
    uint8_t *row;      /* converted row */
} tiff_job;

static void unpack_bits(uint8_t *out, const uint8_t *in, int64_t x, int64_t n, int bits)
{
    int mask = (1 << bits) - 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t bit = (x + i) * bits;
        out[i] = (uint8_t)(in[bit >> 3] >> (8 - bits - (int)(bit & 7)) & mask);
    }
}

/* Pixels x..x+n of a stored row become pixels at `out`; of separate planes, sample `s` of them. */
static void unpack(const tiff_job *job, uint8_t *out, const uint8_t *in, int64_t x, int64_t n,
                   int s)
{
    const tiff_kind *k = &job->k;
    if (k->bits < 8) {
        unpack_bits(out, in, x, n, k->bits);
    } else if (k->planar == PLANARCONFIG_CONTIG || k->samples == 1) {
        memcpy(out, in + (size_t)x * job->pixel, (size_t)n * job->pixel);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(out + (size_t)i * job->pixel + (size_t)s * job->sample,
                   in + (size_t)(x + i) * job->sample, job->sample);
    }
}

static void convert_gray(const tiff_kind *k, uint8_t *p, int64_t n)
{
    int step = k->samples, is_white = k->photometric == PHOTOMETRIC_MINISWHITE;
    if (k->bits == 16) {
        uint16_t *q = (uint16_t *)(void *)p;
        for (int64_t i = 0; is_white && i < n; i++) q[i * step] = (uint16_t)(65535 - q[i * step]);
        return;
    }
    int top = (1 << k->bits) - 1, scale = 255 / top;
    for (int64_t i = 0; (is_white || scale > 1) && i < n; i++)
        p[i * step] = (uint8_t)((is_white ? top - p[i * step] : p[i * step]) * scale);
}

/* Full value is full ink; red is (1 - cyan) * (1 - black), cut off as for JPEG. */
static void mix_inks(const tiff_kind *k, uint8_t *out, const uint8_t *p, int64_t n)
{
    if (k->bits == 16) {
        const uint16_t *q = (const uint16_t *)(const void *)p;
        uint16_t *to = (uint16_t *)(void *)out;
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                to[3 * i + c] = (uint16_t)((uint64_t)(65535u - q[4 * i + c]) *
                                           (65535u - q[4 * i + 3]) / 65535u);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = (uint8_t)((255u - p[4 * i + c]) * (255u - p[4 * i + 3]) / 255u);
}

/* Palettes have 16 bits; those of old writers, which fill 8, are taken as such. */
static void look_up(const tiff_kind *k, uint8_t *out, const uint8_t *p, int64_t n)
{
    int shift = 0;
    for (int i = 0; i < 1 << k->bits; i++)
        for (int c = 0; c < 3; c++)
            if (k->map[c][i] > 255) shift = 8;
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) out[3 * i + c] = (uint8_t)(k->map[c][p[i]] >> shift);
}

/* Hands on an unpacked row of the region. */
static void put_row(tiff_job *job, int64_t y, uint8_t *pixels)
{
    const tiff_kind *k = &job->k;
    int64_t n = job->rows.region.w;
    const uint8_t *from = job->row;
    if (is_gray(k)) convert_gray(k, pixels, n);
    if (k->photometric == PHOTOMETRIC_PALETTE) look_up(k, job->row, pixels, n);
    else if (k->photometric == PHOTOMETRIC_SEPARATED && job->options->type != HR_ANY_DATA)
        mix_inks(k, job->row, pixels, n);
    else from = pixels;
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
    return fail_tiff(&job->view, what, job->err);
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
        unpack(job, job->band, job->piece, region->x, region->w, 0);
        put_row(job, y - region->y, job->band);
    }
    return HR_OK;
}

/* Reads the piece with pixel (x, y) of plane `s`. */
static hr_status read_piece(tiff_job *job, int64_t x, int64_t y, int s)
{
    const tiff_kind *k = &job->k;
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
    const tiff_kind *k = &job->k;
    const hr_rect *region = &job->rows.region;
    int64_t right = region->x + region->w, w = k->piece_w;
    int planes = k->planar == PLANARCONFIG_SEPARATE ? k->samples : 1;
    for (int64_t x = region->x / w * w; x < right; x += w) {
        int64_t from = x > region->x ? x : region->x, end = x + w < right ? x + w : right;
        for (int s = 0; s < planes; s++) {
            HR_TRY(read_piece(job, x, top, s));
            for (int64_t j = 0; j < n; j++)
                unpack(job, job->band + (size_t)(j * region->w + from - region->x) * job->pixel,
                       job->piece + (size_t)(first - top + j) * job->line, from - x, end - from, s);
        }
    }
    return HR_OK;
}

static hr_status decode_pieces(tiff_job *job)
{
    const tiff_kind *k = &job->k;
    const hr_rect *region = &job->rows.region;
    int64_t bottom = region->y + region->h, h = k->piece_h;
    size_t row = (size_t)region->w * job->pixel, size = job->line * (size_t)h;
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
    const tiff_kind *k = &job->k;
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
    if (!is_good) return fail_tiff(&job->view, "the pixels cannot be read", job->err);
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
    const tiff_kind *k = &job->k;
    hr__rows_source in = {.type = HR_RGB, .channels = info->channels, .dtype = info->dtype};
    int is_any = job->options->type == HR_ANY_DATA;
    if (is_gray(k)) in.type = HR_GRAY;
    if (k->photometric == PHOTOMETRIC_SEPARATED && !is_any) in.channels = 3;
    if (is_any) in.type = HR_ANY_DATA;
    return in;
}

static hr_status decode_open(tiff_job *job, const hr_image_info *info, void *out)
{
    tiff_kind *k = &job->k;
    hr_image_info now;
    HR_TRY(read_kind(job->t, k, job->err));
    fill_info(job->t, k, &now);
    if (now.width != info->width || now.height != info->height ||
        now.channels != info->channels || now.dtype != info->dtype)
        return hr_fail(job->err, HR_DATA, "TIFF: the bytes changed while they were decoded");
    HR_TRY(hr__rows_init(&job->rows, info, job->options, out, job->err));
    hr__rows_source in = choose_model(job, info);
    HR_TRY(hr__rows_begin(&job->rows, &in, job->options, job->arena, job->err));
    size_t w = (size_t)job->rows.region.w;
    int joined = k->planar == PLANARCONFIG_SEPARATE ? 1 : k->samples;
    job->sample = k->bits == 16 ? 2 : 1;
    job->pixel = job->sample * k->samples;
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
    job.t = open_view(&job.view);
    if (!job.t) return fail_tiff(&job.view, "the header cannot be read", err);
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
