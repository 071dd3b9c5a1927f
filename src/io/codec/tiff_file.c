/* TIFF files as libtiff reads them: from memory, and how their pixels are stored. libtiff prints
 * nothing: each file has handlers of its own (libtiff 4.5). */
#include <stdio.h>
#include <string.h>

#include "io/codec/tiff.h"

/* libtiff may take this much, besides the file's size, in one piece: 64 MiB. */
enum { MAX_ALLOC = 64 << 20 };

/* ---- libtiff's view of memory ------------------------------------------------------------ */

static tmsize_t view_read(thandle_t h, void *to, tmsize_t n)
{
    hr__tiff_view *v = h;
    if (n <= 0 || v->at >= v->size) return 0;
    size_t got = v->size - v->at < (size_t)n ? v->size - v->at : (size_t)n;
    memcpy(to, v->data + v->at, got);
    v->at += got;
    return (tmsize_t)got;
}

static tmsize_t view_write(thandle_t h, void *from, tmsize_t n) { return 0; }

static toff_t view_seek(thandle_t h, toff_t to, int whence)
{
    hr__tiff_view *v = h;
    uint64_t base = whence == SEEK_CUR ? v->at : whence == SEEK_END ? v->size : 0;
    v->at = (size_t)(base + to); /* offsets back are large numbers: the sum wraps round */
    return v->at;
}

static int view_close(thandle_t h) { return 0; }

static toff_t view_size(thandle_t h) { return ((hr__tiff_view *)h)->size; }

static int view_map(thandle_t h, void **base, toff_t *size)
{
    hr__tiff_view *v = h;
    *base = (void *)(uintptr_t)v->data; /* read only, by libtiff's rules for mapped files */
    *size = v->size;
    return 1;
}

static void view_unmap(thandle_t h, void *base, toff_t size) {}

static int on_error(TIFF *t, void *user, const char *module, const char *format, va_list args)
{
    hr__tiff_view *v = user;
    if (!v->text[0]) vsnprintf(v->text, sizeof v->text, format, args);
    return 1; /* handled: nothing is printed */
}

static int on_warning(TIFF *t, void *user, const char *module, const char *format, va_list args)
{
    return 1;
}

TIFF *hr__tiff_open(hr__tiff_view *v)
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

hr_status hr__tiff_fail(const hr__tiff_view *v, const char *what, hr_error *err)
{
    return hr_fail(err, HR_DATA, "TIFF: %s%s%s", what, v->text[0] ? ": " : "", v->text);
}

/* ---- header ------------------------------------------------------------------------------ */

static hr_status fail_tag(const char *what, int value, int tag, hr_error *err)
{
    return hr_fail(err, HR_UNSUPPORTED, "TIFF: %s %d (tag %d) is not supported in this build", what,
                   value, tag);
}

static hr_status check_compression(const hr__tiff_kind *k, hr_error *err)
{
    if (k->compression == COMPRESSION_OJPEG || !TIFFIsCODECConfigured(k->compression))
        return fail_tag("compression", k->compression, TIFFTAG_COMPRESSION, err);
    return HR_OK;
}

static hr_status check_samples(TIFF *t, const hr__tiff_kind *k, hr_error *err)
{
    uint16_t format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format);
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
        return fail_tag("sample format", format, TIFFTAG_SAMPLEFORMAT, err);
    int is_small = k->bits == 1 || k->bits == 2 || k->bits == 4;
    int may_be_small = k->samples == 1 && (hr__tiff_is_gray(k) || k->photometric == PHOTOMETRIC_PALETTE);
    if (!(is_small && may_be_small) && k->bits != 8 &&
        !(k->bits == 16 && k->photometric != PHOTOMETRIC_PALETTE))
        return fail_tag("the number of bits", k->bits, TIFFTAG_BITSPERSAMPLE, err);
    return HR_OK;
}

/* Does the number of samples fit the model? YCbCr and CIE L*a*b* are libtiff's to convert. */
static hr_status check_model(TIFF *t, hr__tiff_kind *k, hr_error *err)
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
static hr_status read_pieces(TIFF *t, hr__tiff_kind *k, hr_error *err)
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

/* Palettes have 16 bits; those of old writers, which fill 8, are taken as such. */
static int map_shift(const hr__tiff_kind *k)
{
    for (int i = 0; i < 1 << k->bits; i++)
        for (int c = 0; c < 3; c++)
            if (k->map[c][i] > 255) return 8;
    return 0;
}

hr_status hr__tiff_read_kind(TIFF *t, hr__tiff_kind *k, hr_error *err)
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
    HR_TRY(check_compression(k, err));
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
    if (k->photometric == PHOTOMETRIC_PALETTE) k->map_shift = map_shift(k);
    k->sample = k->bits == 16 ? 2 : 1;
    k->pixel = k->sample * k->samples;
    return read_pieces(t, k, err);
}

void hr__tiff_fill_info(TIFF *t, const hr__tiff_kind *k, hr_image_info *info)
{
    uint16_t orientation = 1;
    TIFFGetFieldDefaulted(t, TIFFTAG_ORIENTATION, &orientation);
    info->width = k->w;
    info->height = k->h;
    info->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    info->channels = k->is_foreign || k->photometric == PHOTOMETRIC_PALETTE ? 3 : k->samples;
    info->dtype = k->bits == 16 && !k->is_foreign ? HR_U16 : HR_U8;
}
