/* WebP through libwebp: lossy and lossless, alpha, and of an animation the first frame on its
 * canvas. Invariant: the bits of a region equal those of the same region of a full decode. Smooth
 * chroma upsampling looks one chroma sample past each pixel, so the region is widened before
 * libwebp crops, to even numbers as it rounds them itself. */
#include <stdio.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "io/codec/codec.h"

static int webp_probe(const uint8_t *data, size_t size)
{
    return size >= 12 && !memcmp(data, "RIFF", 4) && !memcmp(data + 8, "WEBP", 4);
}

/* ---- header ------------------------------------------------------------------------------ */

/* The first frame: its own bytes, and its place on the canvas. */
typedef struct webp_frame {
    WebPData bytes;
    int64_t x, y, w, h;
    int has_alpha; /* the canvas: of a file that says so, or that the frame does not fill */
} webp_frame;

static int exif_orientation(const WebPDemuxer *d)
{
    WebPChunkIterator it;
    memset(&it, 0, sizeof it);
    int orientation = 1;
    if (WebPDemuxGetChunk(d, "EXIF", 1, &it)) {
        const uint8_t *p = it.chunk.bytes;
        size_t n = it.chunk.size;
        if (n > 6 && !memcmp(p, "Exif\0", 5)) p += 6, n -= 6; /* some writers keep JPEG's mark */
        orientation = hr__exif_orientation(p, n);
    }
    WebPDemuxReleaseChunkIterator(&it);
    return orientation;
}

static hr_status read_demuxer(const WebPDemuxer *d, hr_image_info *info, webp_frame *frame,
                              hr_error *err)
{
    WebPIterator it;
    memset(&it, 0, sizeof it);
    info->width = WebPDemuxGetI(d, WEBP_FF_CANVAS_WIDTH);
    info->height = WebPDemuxGetI(d, WEBP_FF_CANVAS_HEIGHT);
    info->frames = (int)WebPDemuxGetI(d, WEBP_FF_FRAME_COUNT);
    if (!WebPDemuxGetFrame(d, 1, &it)) {
        WebPDemuxReleaseIterator(&it);
        return hr_fail(err, HR_DATA, "WebP: the data ends before the first frame");
    }
    *frame = (webp_frame){.bytes = it.fragment, .x = it.x_offset, .y = it.y_offset,
                          .w = it.width, .h = it.height};
    int fills = it.width == info->width && it.height == info->height;
    frame->has_alpha = it.has_alpha || !fills ||
                       (WebPDemuxGetI(d, WEBP_FF_FORMAT_FLAGS) & ALPHA_FLAG) != 0;
    WebPDemuxReleaseIterator(&it);
    info->orientation = exif_orientation(d);
    return HR_OK;
}

/* Does not look at pixels: a file whose first frame is cut is found out by decoding. */
static hr_status webp_read(const uint8_t *data, size_t size, hr_image_info *info,
                           webp_frame *frame, hr_error *err)
{
    *info = (hr_image_info){.format = "WebP", .orientation = 1, .dtype = HR_U8};
    WebPData whole = {data, size};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    WebPDemuxer *d = WebPDemuxPartial(&whole, &state);
    if (!d || state < WEBP_DEMUX_PARSED_HEADER) {
        WebPDemuxDelete(d);
        int is_short = state == WEBP_DEMUX_PARSING_HEADER;
        return hr_fail(err, HR_DATA, is_short ? "WebP: the data ends in the header"
                                              : "WebP: the structure of the file is not valid");
    }
    hr_status status = read_demuxer(d, info, frame, err);
    WebPDemuxDelete(d);
    HR_TRY(status);
    info->channels = frame->has_alpha ? 4 : 3;
    return hr__image_check(info, err);
}

static hr_status webp_header(const uint8_t *data, size_t size, hr_image_info *info,
                             hr_error *err)
{
    webp_frame frame;
    if (!webp_probe(data, size)) return hr_fail(err, HR_DATA, "WebP: the data ends in the header");
    return webp_read(data, size, info, &frame, err);
}

/* ---- decoding ---------------------------------------------------------------------------- */

typedef struct webp_job {
    const hr_decode_options *options;
    hr_arena *arena;
    hr_error *err;
    hr__rows rows;
    webp_frame frame;
    hr_rect part; /* of the frame, in its own coordinates: what libwebp decodes */
    uint8_t *pixels; /* of the part */
    int channels;
    int is_direct; /* `pixels` is the output itself */
} webp_job;

static hr_status fail_webp(const webp_job *job, VP8StatusCode code)
{
    static const char *const texts[] = {
        "", "out of memory", "a parameter is not valid", "the bitstream is damaged",
        "a feature of the file is not supported", "suspended", "stopped",
        "the data ends too early"};
    if (code == VP8_STATUS_OUT_OF_MEMORY)
        return hr_fail(job->err, HR_NOMEM, "WebP: out of memory");
    const char *text = (size_t)code < sizeof texts / sizeof *texts ? texts[code] : "unknown error";
    return hr_fail(job->err, HR_DATA, "WebP: %s", text);
}

/* Where the region and the frame meet, widened by a chroma sample; w = 0: nowhere. Alpha is decoded
 * from the top: libwebp's horizontal filter would miss the rows above. */
static void choose_part(webp_job *job)
{
    const hr_rect *region = &job->rows.region;
    const webp_frame *f = &job->frame;
    int64_t left = region->x - f->x, top = region->y - f->y;
    int64_t right = left + region->w, bottom = top + region->h;
    job->part = (hr_rect){0};
    if (right <= 0 || bottom <= 0 || left >= f->w || top >= f->h) return;
    left = left > 2 ? (left - 2) & ~INT64_C(1) : 0;
    top = top > 2 && job->channels == 3 ? (top - 2) & ~INT64_C(1) : 0;
    right = right + 2 < f->w ? right + 2 : f->w;
    bottom = bottom + 2 < f->h ? bottom + 2 : f->h;
    job->part = (hr_rect){left, top, right - left, bottom - top};
}

static hr__rows_source choose_model(const webp_job *job, int has_alpha, WEBP_CSP_MODE *mode)
{
    hr__rows_source in = {.type = HR_RGB, .channels = 3, .dtype = HR_U8};
    *mode = MODE_RGB;
    if (job->options->type == HR_ANY_DATA && has_alpha) {
        in.channels = 4;
        *mode = MODE_RGBA;
    } else if (job->options->type == HR_BGR) {
        in.type = HR_BGR;
        *mode = MODE_BGR;
    }
    return in;
}

static hr_status place_pixels(webp_job *job)
{
    const hr_rect *region = &job->rows.region, *part = &job->part;
    size_t bytes = (size_t)part->w * (size_t)part->h * (size_t)job->channels;
    int is_upright = job->rows.is_plain && job->rows.orient.dy == region->w;
    job->is_direct = is_upright && part->w == region->w && part->h == region->h &&
                     part->x + job->frame.x == region->x && part->y + job->frame.y == region->y;
    job->pixels = job->is_direct ? hr__rows_place(&job->rows, 0) : hr_arena_take(job->arena, bytes);
    if (job->pixels) return HR_OK;
    return hr_fail(job->err, HR_NOMEM, "WebP: no memory for %lld x %lld pixels",
                   (long long)part->w, (long long)part->h);
}

static hr_status decode_part(webp_job *job, WEBP_CSP_MODE mode)
{
    WebPDecoderConfig c;
    if (!WebPInitDecoderConfig(&c))
        return hr_fail(job->err, HR_BUG, "WebP: the library is not the one of the headers");
    const webp_frame *f = &job->frame;
    VP8StatusCode code = WebPGetFeatures(f->bytes.bytes, f->bytes.size, &c.input);
    if (code != VP8_STATUS_OK) return fail_webp(job, code);
    if (c.input.width != f->w || c.input.height != f->h)
        return hr_fail(job->err, HR_DATA, "WebP: the frame is %d x %d, the file says %lld x %lld",
                       c.input.width, c.input.height, (long long)f->w, (long long)f->h);
    HR_TRY(place_pixels(job));
    size_t stride = (size_t)job->part.w * (size_t)job->channels;
    c.options.use_cropping = 1;
    c.options.crop_left = (int)job->part.x;
    c.options.crop_top = (int)job->part.y;
    c.options.crop_width = (int)job->part.w;
    c.options.crop_height = (int)job->part.h;
    c.output.colorspace = mode;
    c.output.is_external_memory = 1;
    c.output.u.RGBA = (WebPRGBABuffer){.rgba = job->pixels, .stride = (int)stride,
                                       .size = stride * (size_t)job->part.h};
    code = WebPDecode(f->bytes.bytes, f->bytes.size, &c);
    WebPFreeDecBuffer(&c.output);
    return code == VP8_STATUS_OK ? HR_OK : fail_webp(job, code);
}

/* Copies what the frame has of row `y` of the region into `row`, which is otherwise transparent
 * black: the canvas of an animation before its first frame. */
static const uint8_t *canvas_row(const webp_job *job, int64_t y, uint8_t *row)
{
    const hr_rect *region = &job->rows.region, *part = &job->part;
    int64_t py = region->y + y - job->frame.y - part->y;
    int64_t px = region->x - job->frame.x - part->x;
    int64_t first = px < 0 ? -px : 0, end = part->w - px < region->w ? part->w - px : region->w;
    if (first == 0 && end == region->w && py >= 0 && py < part->h)
        return job->pixels + (size_t)(py * part->w + px) * (size_t)job->channels;
    size_t pixel = (size_t)job->channels;
    memset(row, 0, (size_t)region->w * pixel);
    if (part->w > 0 && py >= 0 && py < part->h && first < end)
        memcpy(row + (size_t)first * pixel,
               job->pixels + (size_t)(py * part->w + px + first) * pixel,
               (size_t)(end - first) * pixel);
    return row;
}

static hr_status put_region(webp_job *job)
{
    const hr_rect *region = &job->rows.region;
    uint8_t *row = hr_arena_take(job->arena, (size_t)region->w * (size_t)job->channels);
    if (!row)
        return hr_fail(job->err, HR_NOMEM, "WebP: no memory for a row of %lld pixels",
                       (long long)region->w);
    for (int64_t y = 0; y < region->h; y++)
        hr__rows_put(&job->rows, y, 1, canvas_row(job, y, row), 0);
    return HR_OK;
}

static hr_status webp_decode(const uint8_t *data, size_t size, const hr_image_info *info,
                             const hr_decode_options *options, void *out, hr_arena *arena,
                             hr_error *err)
{
    webp_job job = {.options = options, .arena = arena, .err = err};
    hr_image_info now;
    WEBP_CSP_MODE mode;
    HR_TRY(webp_read(data, size, &now, &job.frame, err));
    if (now.width != info->width || now.height != info->height || now.channels != info->channels)
        return hr_fail(err, HR_DATA, "WebP: the bytes changed while they were decoded");
    HR_TRY(hr__rows_init(&job.rows, info, options, out, err));
    hr__rows_source in = choose_model(&job, info->channels == 4, &mode);
    HR_TRY(hr__rows_begin(&job.rows, &in, options, arena, err));
    job.channels = in.channels;
    choose_part(&job);
    if (job.part.w > 0) HR_TRY(decode_part(&job, mode));
    return job.is_direct ? HR_OK : put_region(&job);
}

static const char *webp_version(void)
{
    static _Thread_local char text[32];
    int v = WebPGetDecoderVersion();
    snprintf(text, sizeof text, "libwebp %d.%d.%d", v >> 16, v >> 8 & 255, v & 255);
    return text;
}

const hr_codec_desc hr_codec_webp = {
    .name = "WebP",
    .version = webp_version,
    .probe = webp_probe,
    .header = webp_header,
    .decode = webp_decode,
};
