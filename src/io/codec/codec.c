/* Which codec a file's bytes belong to: by content, never by name. Formats that are not built in
 * are told apart too, so that an error can name them. */
#include "io/codec/codec.h"

#include <stdatomic.h>
#include <string.h>

#define CODEC(name) extern const hr_codec_desc hr_codec_##name;
#include "codecs_list.h"
#undef CODEC

static const hr_codec_desc *const codecs[] = {
#define CODEC(name) &hr_codec_##name,
#include "codecs_list.h"
#undef CODEC
    NULL,
};

const hr_codec_desc *hr_codec_at(int i)
{
    int n = (int)(sizeof codecs / sizeof *codecs);
    return i >= 0 && i < n ? codecs[i] : NULL;
}

/* ---- formats known by name only -------------------------------------------------- */

typedef struct signature {
    const char *name; /* of a picture format, or with ALIEN before it */
    int at; /* offset of the bytes */
    int size;
    const char *bytes;
} signature;

/* The first match counts. Source: each format's own specification; box brands: ISO/IEC 23008-12
 * and AV1-ISOBMFF. */
#define ALIEN "!" /* something, but no picture */
static const signature signatures[] = {
    {"JPEG-LS", 0, 4, "\xFF\xD8\xFF\xF7"},
    {"JPEG", 0, 3, "\xFF\xD8\xFF"},
    {"PNG", 0, 8, "\x89PNG\r\n\x1A\n"},
    {"MNG", 0, 8, "\x8AMNG\r\n\x1A\n"},
    {"GIF", 0, 6, "GIF87a"},
    {"GIF", 0, 6, "GIF89a"},
    {"WebP", 8, 4, "WEBP"},
    {"HEIC", 4, 8, "ftypheic"},
    {"HEIC", 4, 8, "ftypheix"},
    {"HEIC", 4, 8, "ftyphevc"},
    {"HEIC", 4, 8, "ftypheim"},
    {"HEIC", 4, 8, "ftypheis"},
    {"AVIF", 4, 8, "ftypavif"},
    {"AVIF", 4, 8, "ftypavis"},
    {"HEIF", 4, 8, "ftypmif1"},
    {"HEIF", 4, 8, "ftypmsf1"},
    {"JPEG XL", 0, 12, "\0\0\0\x0CJXL \r\n\x87\n"},
    {"JPEG XL", 0, 2, "\xFF\x0A"},
    {"JPEG 2000", 0, 12, "\0\0\0\x0CjP  \r\n\x87\n"},
    {"JPEG 2000", 0, 4, "\xFF\x4F\xFF\x51"},
    {"TIFF", 0, 4, "II*\0"},
    {"TIFF", 0, 4, "MM\0*"},
    {"BigTIFF", 0, 4, "II+\0"},
    {"BigTIFF", 0, 4, "MM\0+"},
    {"OpenEXR", 0, 4, "\x76\x2F\x31\x01"},
    {"Radiance HDR", 0, 10, "#?RADIANCE"},
    {"Photoshop PSD", 0, 4, "8BPS"},
    {"QOI", 0, 4, "qoif"},
    {"DDS", 0, 4, "DDS "},
    {"ICO", 0, 4, "\0\0\1\0"},
    {ALIEN "PDF", 0, 5, "%PDF-"},
    {ALIEN "PostScript", 0, 4, "%!PS"},
    {ALIEN "MP4 video", 4, 4, "ftyp"},
    {ALIEN "Matroska or WebM video", 0, 4, "\x1A\x45\xDF\xA3"},
    {ALIEN "WAV sound", 8, 4, "WAVE"},
    {ALIEN "NumPy array", 0, 6, "\x93NUMPY"},
    {ALIEN "gzip", 0, 2, "\x1F\x8B"},
    {ALIEN "ZIP", 0, 4, "PK\3\4"},
    {"BMP", 0, 2, "BM"},
};

static int is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* P1..P6 and P7 (PAM), or Pf, PF (PFM), and blank. */
static const char *name_netpbm(const uint8_t *data, size_t size)
{
    if (size < 3 || data[0] != 'P' || !is_space(data[2])) return NULL;
    if (data[1] == 'f' || data[1] == 'F') return "PFM";
    return data[1] >= '1' && data[1] <= '7' ? "PNM" : NULL;
}

/* Does the text begin with `word` (in small letters), case aside? */
static int has_word(const uint8_t *p, size_t n, const char *word)
{
    size_t len = strlen(word);
    if (n < len) return 0;
    for (size_t i = 0; i < len; i++) {
        uint8_t c = p[i] >= 'A' && p[i] <= 'Z' ? (uint8_t)(p[i] + 32) : p[i];
        if (c != (uint8_t)word[i]) return 0;
    }
    return 1;
}

static int has_word_inside(const uint8_t *p, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (has_word(p + i, n - i, word)) return 1;
    return 0;
}

/* Markup: what a server sends in place of a picture, and SVG. */
static const char *name_text(const uint8_t *p, size_t n)
{
    if (n >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3)) p += 3, n -= 3;
    while (n > 0 && is_space(*p)) p++, n--;
    if (n > 1024) n = 1024;
    if (n == 0 || *p != '<') return NULL;
    if (has_word_inside(p, n, "<svg")) return "SVG";
    if (has_word(p, n, "<!doctype html") || has_word_inside(p, n, "<html")) return ALIEN "HTML text";
    return has_word(p, n, "<?xml") ? ALIEN "XML text" : NULL;
}

static const char *name_format(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];
        if (size >= (size_t)(s->at + s->size) && !memcmp(data + s->at, s->bytes, (size_t)s->size))
            return s->name;
    }
    const char *name = name_netpbm(data, size);
    return name ? name : name_text(data, size);
}

static hr_status fail_unknown(const uint8_t *data, size_t size, hr_error *err)
{
    size_t n = size < 8 ? size : 8;
    char hex[3 * 8 + 1] = "";
    for (size_t i = 0; i < n; i++) {
        hex[3 * i] = "0123456789abcdef"[data[i] >> 4];
        hex[3 * i + 1] = "0123456789abcdef"[data[i] & 15];
        hex[3 * i + 2] = i + 1 < n ? ' ' : '\0';
    }
    return hr_fail(err, HR_DATA, "no picture format known here begins with the bytes %s", hex);
}

hr_status hr_codec_find(const uint8_t *data, size_t size, const hr_codec_desc **out,
                        hr_error *err)
{
    *out = NULL;
    if (size == 0) return hr_fail(err, HR_DATA, "empty: there are no bytes to decode");
    for (int i = 0; codecs[i]; i++)
        if (codecs[i]->probe(data, size)) {
            *out = codecs[i];
            return HR_OK;
        }
    const char *name = name_format(data, size);
    if (name && name[0] == ALIEN[0])
        return hr_fail(err, HR_DATA, "%s, not a picture", name + 1);
    if (name) return hr_fail(err, HR_UNSUPPORTED, "%s is not supported in this build", name);
    return fail_unknown(data, size, err);
}

/* ---- sizes ----------------------------------------------------------------------- */

static const int64_t default_limit = INT64_C(1) << 28;
static _Atomic int64_t pixel_limit = INT64_C(1) << 28;

int64_t hr_image_pixel_limit(int64_t pixels)
{
    if (pixels < 0) return atomic_load_explicit(&pixel_limit, memory_order_relaxed);
    return atomic_exchange_explicit(&pixel_limit, pixels ? pixels : default_limit,
                                    memory_order_relaxed);
}

hr_status hr__image_check(const hr_image_info *info, hr_error *err)
{
    int64_t limit = atomic_load_explicit(&pixel_limit, memory_order_relaxed);
    int64_t w = info->width, h = info->height;
    if (w < 1 || h < 1 || w > INT32_MAX || h > INT32_MAX)
        return hr_fail(err, HR_DATA, "%s: a size of %lld x %lld is not valid", info->format,
                       (long long)w, (long long)h);
    if (w > limit / h)
        return hr_fail(err, HR_DATA, "%s: %lld x %lld is over the limit of %lld pixels",
                       info->format, (long long)w, (long long)h, (long long)limit);
    return HR_OK;
}

int hr_image_channels(hr_image_type type, const hr_image_info *info)
{
    if (type == HR_GRAY) return 1;
    return type == HR_ANY_DATA ? info->channels : 3;
}
