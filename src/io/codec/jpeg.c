/* JPEG through libjpeg-turbo's jpeglib.h. Invariant: the bits of a region equal those of the same
 * region of a full decode. Smooth chroma upsampling looks one chroma sample past each pixel, so
 * the region is widened before libjpeg crops, and narrowed when rows are handed on.
 * libjpeg reports errors by longjmp: setjmp is here and nowhere else. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "io/codec/codec.h"
#include "io/codec/jpeg_header.h"

/* More scans than any encoder writes; each one costs a pass over the whole picture. */
enum { MAX_SCANS = 100 };

typedef struct jpeg_job {
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    const hr_image_info *info;
    const hr_decode_options *options;
    void *out;
    hr_arena *arena;
    hr_error *err;
    hr_status status;
} jpeg_job;

static jpeg_job *job_of(j_common_ptr c) { return c->client_data; }

_Noreturn static void leave(jpeg_job *job, hr_status status)
{
    job->status = status;
    longjmp(job->jump, 1);
}

/* ---- callbacks ------------------------------------------------------------------- */

static void on_error(j_common_ptr c)
{
    jpeg_job *job = job_of(c);
    char text[JMSG_LENGTH_MAX];
    c->err->format_message(c, text);
    if (c->err->msg_code == JERR_OUT_OF_MEMORY)
        leave(job, hr_fail(job->err, HR_NOMEM, "JPEG: out of memory"));
    leave(job, hr_fail(job->err, HR_DATA, "JPEG: %s", text));
}

/* Damaged entropy data is decoded as well as can be, silently, as the peer does. */
static void on_message(j_common_ptr c, int level)
{
    if (level < 0) c->err->num_warnings++;
}

static void on_output(j_common_ptr c) { (void)c; }

static void on_progress(j_common_ptr c)
{
    jpeg_job *job = job_of(c);
    if (job->c.input_scan_number > MAX_SCANS)
        leave(job, hr_fail(job->err, HR_DATA, "JPEG: more than %d scans", MAX_SCANS));
}

static void source_start(j_decompress_ptr c) { (void)c; }

/* All bytes were there from the start: being asked for more means that the file is cut. */
_Noreturn static void fail_short(jpeg_job *job)
{
    unsigned height = job->c.image_height, row = job->c.output_scanline;
    if (job->c.global_state == 0 || height == 0 || job->c.input_scan_number == 0)
        leave(job, hr_fail(job->err, HR_DATA, "JPEG: the data ends in the header"));
    if (job->c.progressive_mode)
        leave(job, hr_fail(job->err, HR_DATA, "JPEG: the data ends in scan %d",
                           job->c.input_scan_number));
    leave(job, hr_fail(job->err, HR_DATA, "JPEG: the data ends after row %u of %u", row, height));
}

static boolean source_fill(j_decompress_ptr c)
{
    fail_short(c->client_data);
}

static void source_skip(j_decompress_ptr c, long n)
{
    if (n <= 0) return;
    if ((size_t)n > c->src->bytes_in_buffer) fail_short(c->client_data);
    c->src->next_input_byte += n;
    c->src->bytes_in_buffer -= (size_t)n;
}

static void source_end(j_decompress_ptr c) { (void)c; }

static void job_init(jpeg_job *job, const uint8_t *data, size_t size)
{
    job->c.err = jpeg_std_error(&job->errors);
    job->errors.error_exit = on_error;
    job->errors.emit_message = on_message;
    job->errors.output_message = on_output;
    job->progress.progress_monitor = on_progress;
    job->source = (struct jpeg_source_mgr){
        .next_input_byte = data, .bytes_in_buffer = size, .init_source = source_start,
        .fill_input_buffer = source_fill, .skip_input_data = source_skip,
        .resync_to_restart = jpeg_resync_to_restart, .term_source = source_end};
    job->c.client_data = job;
}

/* ---- decoding -------------------------------------------------------------------- */

/* Sets libjpeg's output model; the rest is for hr__rows. */
static hr__rows_source choose_model(jpeg_job *job)
{
    struct jpeg_decompress_struct *c = &job->c;
    hr__rows_source in = {.type = HR_RGB, .channels = 3, .dtype = HR_U8};
    hr_image_type type = job->options->type;
    if (c->num_components == 4) { /* turned into RGB, or handed on, by put_inks */
        c->out_color_space = JCS_CMYK;
        if (type == HR_ANY_DATA) in = (hr__rows_source){HR_ANY_DATA, 4, HR_U8};
    } else if (c->num_components == 1 || type == HR_GRAY) {
        c->out_color_space = JCS_GRAYSCALE;
        in = (hr__rows_source){HR_GRAY, 1, HR_U8};
    } else if (type == HR_BGR) {
        c->out_color_space = JCS_EXT_BGR;
        in.type = HR_BGR;
    } else {
        c->out_color_space = JCS_RGB;
    }
    c->dct_method = job->options->fast_idct ? JDCT_IFAST : JDCT_ISLOW;
    c->do_fancy_upsampling = TRUE;
    return in;
}

/* Ink files store 255 for no ink (Adobe's convention; those without its marker do the same):
 * red is C*K/255. For HR_ANY_DATA the four inks are handed out with 255 for full ink. */
static void turn_inks(uint8_t *row, unsigned n, int keep)
{
    for (unsigned i = 0; i < n; i++) {
        uint8_t *p = row + 4 * (size_t)i;
        if (keep) {
            for (int k = 0; k < 4; k++) p[k] = (uint8_t)(255 - p[k]);
            continue;
        }
        uint8_t *q = row + 3 * (size_t)i;
        unsigned black = p[3];
        for (int k = 0; k < 3; k++) {
            unsigned v = p[k] * black;
            q[k] = (uint8_t)((v + 1 + (v >> 8)) >> 8); /* v / 255, cut off as at the peer */
        }
    }
}

typedef struct jpeg_crop {
    JDIMENSION left;    /* columns before the region in libjpeg's cropped rows */
    size_t stride;      /* bytes of a row as libjpeg writes it */
    int is_direct;      /* those rows are the region's, to be written in place */
    int is_whole;       /* nothing may be left out */
    uint8_t *strip;
} jpeg_crop;

/* Does libjpeg guess coefficients that the scans did not bring, from blocks around? Its guesses at
 * the edge of a cropped picture are others than inside the whole one. */
static int is_smoothed(const struct jpeg_decompress_struct *c)
{
    if (!c->progressive_mode || !c->coef_bits) return 0;
    for (int i = 0; i < c->num_components; i++)
        for (int k = 1; k < DCTSIZE2; k++)
            if (c->coef_bits[i][k] != 0) return 1;
    return 0;
}

/* One chroma sample of context on each side (two pixels), and never so few columns that libjpeg's
 * upsampler would leave its normal path. Cropping begins at a whole block. */
static void crop_columns(jpeg_job *job, const hr_rect *region, jpeg_crop *crop)
{
    struct jpeg_decompress_struct *c = &job->c;
    JDIMENSION block = (JDIMENSION)(DCTSIZE * c->max_h_samp_factor), width = c->output_width;
    JDIMENSION left = (JDIMENSION)region->x, right = (JDIMENSION)(region->x + region->w);
    left = left > 0 ? left - 1 : 0;
    left -= left % block;
    right = width - right > 2 ? right + 2 : width;
    if (right - left < 2 * block) left = left > block ? left - block : 0;
    if (right - left < 2 * block) right = width - left > 2 * block ? left + 2 * block : width;
    crop->left = (JDIMENSION)region->x;
    crop->is_whole = is_smoothed(c);
    if (crop->is_whole || (left == 0 && right == width)) return;
    JDIMENSION x = left, w = right - left;
    jpeg_crop_scanline(c, &x, &w);
    crop->left = (JDIMENSION)region->x - x;
}

static void put_strip(jpeg_job *job, hr__rows *rows, const jpeg_crop *crop, unsigned y,
                      unsigned n)
{
    size_t pixel = (size_t)rows->in.channels;
    if (job->c.num_components == 4)
        for (unsigned j = 0; j < n; j++)
            turn_inks(crop->strip + j * crop->stride, job->c.output_width,
                      job->options->type == HR_ANY_DATA);
    hr__rows_put(rows, y, n, crop->strip + crop->left * pixel, crop->stride);
}

/* libjpeg gives one row group a call; asking for more costs nothing and saves calls. */
static void read_rows(jpeg_job *job, hr__rows *rows, const jpeg_crop *crop)
{
    struct jpeg_decompress_struct *c = &job->c;
    unsigned first = (unsigned)rows->region.y, end = first + (unsigned)rows->region.h;
    JSAMPROW to[HR__STRIP_ROWS];
    while (c->output_scanline < end) {
        unsigned y = c->output_scanline - first, n = end - c->output_scanline;
        if (n > HR__STRIP_ROWS) n = HR__STRIP_ROWS;
        for (unsigned j = 0; j < n; j++)
            to[j] = crop->is_direct ? hr__rows_place(rows, y + j) : crop->strip + j * crop->stride;
        unsigned got = 0;
        while (got < n) {
            unsigned more = jpeg_read_scanlines(c, to + got, n - got);
            if (more == 0) fail_short(job); /* cannot happen: the source never suspends */
            got += more;
        }
        if (!crop->is_direct) put_strip(job, rows, crop, y, n);
    }
}

static hr_status prepare_strip(jpeg_job *job, const hr__rows *rows, jpeg_crop *crop)
{
    struct jpeg_decompress_struct *c = &job->c;
    crop->stride = (size_t)c->output_width * (size_t)c->output_components;
    int has_discarded = crop->is_whole && rows->region.y > 0;
    crop->is_direct = rows->is_plain && !has_discarded && c->num_components != 4 &&
                      crop->left == 0 && c->output_width == (JDIMENSION)rows->region.w;
    if (crop->is_direct) return HR_OK;
    crop->strip = hr_arena_take(job->arena, HR__STRIP_ROWS * crop->stride);
    if (crop->strip) return HR_OK;
    return hr_fail(job->err, HR_NOMEM, "JPEG: no memory for %d rows of %zu bytes", HR__STRIP_ROWS,
                   crop->stride);
}

/* Rows that are skipped are only entropy-decoded, but for the context that smooth vertical
 * upsampling needs: libjpeg sees to that. */
static void skip_rows(jpeg_job *job, const hr__rows *rows, const jpeg_crop *crop)
{
    struct jpeg_decompress_struct *c = &job->c;
    JDIMENSION y = (JDIMENSION)rows->region.y;
    if (y > 0 && !crop->is_whole) jpeg_skip_scanlines(c, y);
    while (c->output_scanline < y) {
        JSAMPROW to = crop->strip;
        jpeg_read_scanlines(c, &to, 1);
    }
}

static hr_status decode_job(jpeg_job *job)
{
    struct jpeg_decompress_struct *c = &job->c;
    hr__rows rows;
    jpeg_crop crop = {0};
    jpeg_create_decompress(c);
    c->progress = &job->progress;
    c->src = &job->source;
    jpeg_read_header(c, TRUE);
    if (c->image_width != job->info->width || c->image_height != job->info->height ||
        c->num_components != job->info->channels)
        return hr_fail(job->err, HR_DATA, "JPEG: the header changed its mind about the size");
    HR_TRY(hr__rows_init(&rows, job->info, job->options, job->out, job->err));
    hr__rows_source in = choose_model(job);
    HR_TRY(hr__rows_begin(&rows, &in, job->options, job->arena, job->err));
    jpeg_start_decompress(c);
    crop_columns(job, &rows.region, &crop);
    HR_TRY(prepare_strip(job, &rows, &crop));
    skip_rows(job, &rows, &crop);
    read_rows(job, &rows, &crop);
    if (c->output_scanline >= c->output_height) jpeg_finish_decompress(c);
    return HR_OK;
}

/* The object that changes after setjmp is the caller's, so its value is defined after longjmp. */
static hr_status decode_guarded(jpeg_job *job)
{
    if (setjmp(job->jump)) return job->status;
    return decode_job(job);
}

static hr_status jpeg_decode(const uint8_t *data, size_t size, const hr_image_info *info,
                             const hr_decode_options *options, void *out, hr_arena *arena,
                             hr_error *err)
{
    jpeg_job job;
    memset(&job, 0, sizeof job);
    job.info = info;
    job.options = options;
    job.out = out;
    job.arena = arena;
    job.err = err;
    job_init(&job, data, size);
    hr_status status = decode_guarded(&job);
    jpeg_destroy_decompress(&job.c);
    return status;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const char *jpeg_version(void)
{
#ifdef LIBJPEG_TURBO_VERSION
    return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION);
#else
    return "libjpeg " TEXT(JPEG_LIB_VERSION);
#endif
}

const hr_codec_desc hr_codec_jpeg = {
    .name = "JPEG",
    .version = jpeg_version,
    .probe = hr__jpeg_probe,
    .header = hr__jpeg_header,
    .decode = jpeg_decode,
};
