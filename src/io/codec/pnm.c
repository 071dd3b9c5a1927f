/* Netpbm's formats by hand: P1 to P6, and P7 (PAM) with one to four channels. Samples are scaled
 * from the file's maximum to the full range of 8 bits, or of 16 where the maximum is over 255;
 * halves are rounded up. Of several pictures in a file the first one counts.
 * Source: the manual pages pbm(5), pgm(5), ppm(5), pam(5) of Netpbm. */
#include <string.h>

#include "io/codec/codec.h"

typedef struct pnm_file {
    const uint8_t *data, *end;
    const uint8_t *at; /* what comes next: after the header, the pixels */
    int kind;          /* 1..7 */
    int64_t w, h;
    int channels;
    uint32_t maximum;  /* 1..65535 */
} pnm_file;

static int is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static int is_plain(const pnm_file *f) { return f->kind <= 3; }
static int is_bitmap(const pnm_file *f) { return f->kind == 1 || f->kind == 4; }

static int pnm_probe(const uint8_t *data, size_t size)
{
    return size >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7' &&
           (is_space(data[2]) || data[2] == '#');
}

/* ---- text -------------------------------------------------------------------------------- */

static void skip_line(pnm_file *f)
{
    while (f->at < f->end && *f->at != '\n' && *f->at != '\r') f->at++;
}

static void skip_blanks(pnm_file *f)
{
    while (f->at < f->end && (is_space(*f->at) || *f->at == '#')) {
        if (*f->at == '#') skip_line(f);
        else f->at++;
    }
}

static hr_status fail_text(const pnm_file *f, const char *what, hr_error *err)
{
    if (f->at >= f->end) return hr_fail(err, HR_DATA, "PNM: the data ends before the %s", what);
    return hr_fail(err, HR_DATA, "PNM: byte 0x%02x at offset %zu is no number for the %s", *f->at,
                   (size_t)(f->at - f->data), what);
}

/* A whole number, saturated. */
static hr_status read_number(pnm_file *f, const char *what, uint32_t *out, hr_error *err)
{
    skip_blanks(f);
    if (f->at >= f->end || !is_digit(*f->at)) return fail_text(f, what, err);
    uint64_t v = 0;
    for (; f->at < f->end && is_digit(*f->at); f->at++) {
        v = v * 10 + (uint64_t)(*f->at - '0');
        if (v > UINT32_MAX) v = UINT32_MAX;
    }
    *out = (uint32_t)v;
    return HR_OK;
}

/* ---- header ------------------------------------------------------------------------------ */

static hr_status check_maximum(pnm_file *f, uint32_t maximum, hr_error *err)
{
    f->maximum = maximum;
    if (maximum >= 1 && maximum <= 65535) return HR_OK;
    return hr_fail(err, HR_DATA, "PNM: the maximum %u is outside 1..65535", maximum);
}

static hr_status read_classic(pnm_file *f, hr_error *err)
{
    uint32_t w, h, maximum = 1;
    HR_TRY(read_number(f, "width", &w, err));
    HR_TRY(read_number(f, "height", &h, err));
    if (!is_bitmap(f)) HR_TRY(read_number(f, "maximum", &maximum, err));
    f->w = w;
    f->h = h;
    f->channels = f->kind == 3 || f->kind == 6 ? 3 : 1;
    HR_TRY(check_maximum(f, maximum, err));
    if (is_plain(f)) return HR_OK;
    if (f->at >= f->end || !is_space(*f->at))
        return fail_text(f, "pixels", err);
    f->at++; /* one blank, even if the first pixel looks like another */
    return HR_OK;
}

static int begins_with(const pnm_file *f, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(f->end - f->at) > n && !memcmp(f->at, word, n) && is_space(f->at[n]);
}

static hr_status read_pam(pnm_file *f, hr_error *err)
{
    static const char *const words[] = {"WIDTH", "HEIGHT", "DEPTH", "MAXVAL"};
    uint32_t v[4] = {0};
    for (;;) {
        skip_blanks(f);
        if (begins_with(f, "ENDHDR")) break;
        if (f->at >= f->end) return fail_text(f, "line ENDHDR", err);
        int k = 0;
        while (k < 4 && !begins_with(f, words[k])) k++;
        if (k < 4) {
            f->at += strlen(words[k]);
            HR_TRY(read_number(f, words[k], &v[k], err));
        } else {
            skip_line(f); /* the tuple's type says nothing that the depth does not */
        }
    }
    skip_line(f);
    f->at += f->at < f->end;
    f->w = v[0];
    f->h = v[1];
    f->channels = v[2] <= 4 ? (int)v[2] : 0;
    HR_TRY(check_maximum(f, v[3], err));
    if (v[2] > 4) return hr_fail(err, HR_UNSUPPORTED, "PNM: %u channels are over 4", v[2]);
    return v[2] ? HR_OK : hr_fail(err, HR_DATA, "PNM: a depth of 0 channels is not valid");
}

static hr_status pnm_parse(pnm_file *f, const uint8_t *data, size_t size, hr_error *err)
{
    *f = (pnm_file){.data = data, .at = data + 2, .end = data + size, .kind = data[1] - '0'};
    return f->kind == 7 ? read_pam(f, err) : read_classic(f, err);
}

static hr_status pnm_header(const uint8_t *data, size_t size, hr_image_info *info, hr_error *err)
{
    pnm_file f;
    *info = (hr_image_info){.format = "PNM", .orientation = 1};
    if (!pnm_probe(data, size)) return hr_fail(err, HR_DATA, "PNM: the data ends in the header");
    HR_TRY(pnm_parse(&f, data, size, err));
    info->width = f.w;
    info->height = f.h;
    info->channels = f.channels;
    info->dtype = f.maximum > 255 ? HR_U16 : HR_U8;
    return hr__image_check(info, err);
}

/* ---- rows -------------------------------------------------------------------------------- */

typedef struct pnm_job {
    pnm_file f;
    hr__rows rows;
    uint8_t *row; /* the region's part, converted */
    uint8_t scale[256];
    hr_error *err;
} pnm_job;

static uint32_t scaled(uint32_t v, uint32_t maximum)
{
    uint32_t full = maximum > 255 ? 65535 : 255;
    if (v >= maximum) return full;
    return (uint32_t)(((uint64_t)v * full * 2 + maximum) / (2 * (uint64_t)maximum));
}

static void put_value(pnm_job *job, int64_t i, uint32_t value)
{
    if (job->f.maximum > 255) {
        uint16_t v = (uint16_t)scaled(value, job->f.maximum);
        memcpy(job->row + 2 * i, &v, 2);
    } else {
        job->row[i] = job->scale[value > 255 ? 255 : value];
    }
}

static hr_status fail_short(const pnm_job *job, int64_t y)
{
    return hr_fail(job->err, HR_DATA, "PNM: the data ends in row %lld of %lld", (long long)y,
                   (long long)job->f.h);
}

/* A sample of a plain file. Those of bitmaps are single digits, with or without blanks. */
static hr_status read_sample(pnm_job *job, int64_t y, uint32_t *out)
{
    pnm_file *f = &job->f;
    skip_blanks(f);
    if (f->at >= f->end) return fail_short(job, y);
    if (f->kind == 1 && (*f->at == '0' || *f->at == '1')) {
        *out = (uint32_t)('1' - *f->at++);
        return HR_OK;
    }
    if (f->kind != 1) HR_TRY(read_number(f, "pixels", out, job->err));
    if (f->kind != 1 && *out <= f->maximum) return HR_OK;
    if (f->kind == 1) return fail_text(f, "pixels", job->err);
    return hr_fail(job->err, HR_DATA, "PNM: the value %u in row %lld is over the maximum %u", *out,
                   (long long)y, f->maximum);
}

static hr_status decode_plain(pnm_job *job)
{
    const hr_rect *region = &job->rows.region;
    int64_t channels = job->f.channels, n = job->f.w * channels;
    int64_t first = region->x * channels, end = (region->x + region->w) * channels;
    for (int64_t y = 0; y < region->y + region->h; y++) {
        for (int64_t i = 0; i < n; i++) {
            uint32_t value = 0;
            HR_TRY(read_sample(job, y, &value));
            if (i >= first && i < end) put_value(job, i - first, value);
        }
        if (y >= region->y) hr__rows_put(&job->rows, y - region->y, 1, job->row, 0);
    }
    return HR_OK;
}

/* The region's part of a row; its samples begin at sample `first` of the row. */
static void convert_row(pnm_job *job, const uint8_t *row, int64_t first, int64_t n)
{
    const pnm_file *f = &job->f;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = first + i;
        if (f->kind == 4) job->row[i] = row[at >> 3] >> (7 - (at & 7)) & 1 ? 0 : 255;
        else if (f->maximum > 255) put_value(job, i, hr__read_be16(row + 2 * at));
        else job->row[i] = job->scale[row[at]];
    }
}

static hr_status decode_raw(pnm_job *job)
{
    const pnm_file *f = &job->f;
    const hr_rect *region = &job->rows.region;
    size_t samples = (size_t)f->w * (size_t)f->channels, left = (size_t)(f->end - f->at);
    size_t row_bytes = f->kind == 4 ? (samples + 7) / 8 : f->maximum > 255 ? samples * 2 : samples;
    int64_t first = region->x * f->channels, n = region->w * f->channels;
    for (int64_t y = 0; y < region->h; y++) {
        size_t stored = (size_t)(region->y + y);
        if (left / row_bytes <= stored) return fail_short(job, region->y + y);
        const uint8_t *row = f->at + stored * row_bytes;
        if (f->maximum == 255) {
            hr__rows_put(&job->rows, y, 1, row + first, 0);
            continue;
        }
        convert_row(job, row, first, n);
        hr__rows_put(&job->rows, y, 1, job->row, 0);
    }
    return HR_OK;
}

/* ---- decoding ---------------------------------------------------------------------------- */

static hr_status begin(pnm_job *job, const hr_decode_options *options, hr_arena *arena)
{
    const pnm_file *f = &job->f;
    hr__rows_source in = {.type = f->channels <= 2 ? HR_GRAY : HR_RGB, .channels = f->channels,
                          .dtype = f->maximum > 255 ? HR_U16 : HR_U8};
    HR_TRY(hr__rows_begin(&job->rows, &in, options, arena, job->err));
    size_t bytes = (size_t)job->rows.region.w * (size_t)f->channels * hr_dtype_size(in.dtype);
    job->row = hr_arena_take(arena, bytes);
    if (!job->row)
        return hr_fail(job->err, HR_NOMEM, "PNM: no memory for a row of %zu bytes", bytes);
    for (uint32_t i = 0; i < 256 && f->maximum <= 255; i++)
        job->scale[i] = (uint8_t)scaled(i, f->maximum);
    return HR_OK;
}

static hr_status pnm_decode(const uint8_t *data, size_t size, const hr_image_info *info,
                            const hr_decode_options *options, void *out, hr_arena *arena,
                            hr_error *err)
{
    pnm_job job = {.err = err};
    if (!pnm_probe(data, size)) return hr_fail(err, HR_DATA, "PNM: the data ends in the header");
    HR_TRY(pnm_parse(&job.f, data, size, err));
    if (job.f.w != info->width || job.f.h != info->height || job.f.channels != info->channels)
        return hr_fail(err, HR_DATA, "PNM: the bytes changed while they were decoded");
    HR_TRY(hr__rows_init(&job.rows, info, options, out, err));
    HR_TRY(begin(&job, options, arena));
    return is_plain(&job.f) ? decode_plain(&job) : decode_raw(&job);
}

static const char *pnm_version(void) { return "built in"; }

const hr_codec_desc hr_codec_pnm = {
    .name = "PNM",
    .version = pnm_version,
    .probe = pnm_probe,
    .header = pnm_header,
    .decode = pnm_decode,
};
