/* Codecs below the operators: regions against whole decodes, cut files, names of foreign formats,
 * depth at every CPU level. Values of pixels are the Python tests' matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jpeglib.h>

#include "core/core.h"
#include "io/codec/codec.h"
#include "kernels/kernels.h"

#include "draw.h"

/* ---- inputs ------------------------------------------------------------------------------ */

typedef struct jpeg_kind {
    int w, h, sample_h, sample_v, is_gray, scans; /* scans: 0 baseline, -1 all, else as many */
    int restart, is_split, quality;
} jpeg_kind;

typedef struct file {
    uint8_t *data;
    unsigned long size;
} file;

static void set_scans(struct jpeg_compress_struct *c, const jpeg_kind *k)
{
    static const jpeg_scan_info split[3] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    if (k->scans) {
        jpeg_simple_progression(c);
        if (k->scans > 0 && k->scans < c->num_scans) c->num_scans = k->scans;
    } else if (k->is_split && !k->is_gray) {
        c->scan_info = split;
        c->num_scans = 3;
    }
    c->restart_interval = (unsigned)k->restart;
}

static file make_jpeg(const jpeg_kind *k, uint32_t *seed)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    file f = {NULL, 0};
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &f.data, &f.size);
    c.image_width = (JDIMENSION)k->w;
    c.image_height = (JDIMENSION)k->h;
    c.input_components = k->is_gray ? 1 : 3;
    c.in_color_space = k->is_gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, k->quality, TRUE);
    c.comp_info[0].h_samp_factor = k->sample_h;
    c.comp_info[0].v_samp_factor = k->sample_v;
    set_scans(&c, k);
    jpeg_start_compress(&c, TRUE);
    uint8_t row[3 * 256];
    JSAMPROW rows[1] = {row};
    while (c.next_scanline < c.image_height) {
        for (int x = 0; x < k->w * c.input_components; x++)
            row[x] = (uint8_t)((unsigned)x * c.next_scanline / 3 + draw(seed) % 60);
        jpeg_write_scanlines(&c, rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return f;
}

static jpeg_kind draw_kind(uint32_t *s)
{
    static const int factors[8][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2},
                                      {4, 1}, {1, 4}, {4, 2}, {2, 4}};
    int limit = draw(s) % 3 ? 120 : 20, f = (int)(draw(s) % 8);
    jpeg_kind k = {.w = 1 + (int)draw_below(s, limit), .h = 1 + (int)draw_below(s, limit),
                   .sample_h = factors[f][0], .sample_v = factors[f][1],
                   .is_gray = draw(s) % 6 == 0, .is_split = draw(s) % 4 == 0,
                   .restart = draw(s) % 2 ? 0 : (int)draw_below(s, 9),
                   .quality = 30 + (int)draw_below(s, 70)};
    if (draw(s) % 3 == 0) k.scans = draw(s) % 3 ? -1 : 1 + (int)draw_below(s, 5);
    return k;
}

/* ---- decoding ---------------------------------------------------------------------------- */

static hr_status decode_file(const file *f, const hr_decode_options *o, void *out, hr_error *err)
{
    const hr_codec_desc *codec;
    hr_image_info info;
    hr_arena *arena = NULL;
    hr_status status = hr_codec_find(f->data, f->size, &codec, err);
    if (status == HR_OK) status = codec->header(f->data, f->size, &info, err);
    if (status == HR_OK) status = hr_arena_create(&arena, err);
    if (status == HR_OK) status = codec->decode(f->data, f->size, &info, o, out, arena, err);
    hr_arena_destroy(&arena);
    return status;
}

/* libjpeg by itself, as simply as it can be called. */
static uint8_t *decode_plainly(const file *f, int fast)
{
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    c.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&c);
    jpeg_mem_src(&c, f->data, f->size);
    jpeg_read_header(&c, TRUE);
    c.out_color_space = JCS_RGB;
    c.dct_method = fast ? JDCT_IFAST : JDCT_ISLOW;
    jpeg_start_decompress(&c);
    size_t stride = (size_t)c.output_width * 3;
    uint8_t *out = malloc(stride * c.output_height);
    while (c.output_scanline < c.output_height) {
        JSAMPROW row = out + stride * c.output_scanline;
        jpeg_read_scanlines(&c, &row, 1);
    }
    jpeg_finish_decompress(&c);
    jpeg_destroy_decompress(&c);
    return out;
}

static hr_rect draw_region(uint32_t *s, const jpeg_kind *k)
{
    int is_small = draw(s) % 3 == 0;
    hr_rect r = {.w = 1 + draw_below(s, is_small && k->w > 4 ? 4 : k->w),
                 .h = 1 + draw_below(s, is_small && k->h > 4 ? 4 : k->h)};
    r.x = draw_below(s, k->w - r.w + 1);
    r.y = draw_below(s, k->h - r.h + 1);
    return r;
}

/* Over subsamplings, scan scripts (also unfinished ones, where libjpeg smooths), restart markers,
 * odd sizes: a region's bits are those of the whole. */
static void test_jpeg_region_equals_crop(void **state)
{
    (void)state;
    uint32_t seed = 20261130;
    for (int n = 0; n < 400; n++) {
        jpeg_kind k = draw_kind(&seed);
        file f = make_jpeg(&k, &seed);
        int fast = draw(&seed) % 5 == 0;
        uint8_t *whole = decode_plainly(&f, fast), *part = malloc((size_t)(k.w * k.h) * 3);
        for (int i = 0; i < 25; i++) {
            hr_error err = {0};
            hr_rect r = i ? draw_region(&seed, &k) : (hr_rect){0, 0, k.w, k.h};
            hr_decode_options o = {.region = r, .fast_idct = fast};
            assert_int_equal(decode_file(&f, &o, part, &err), HR_OK);
            for (int64_t y = 0; y < r.h; y++)
                assert_memory_equal(part + y * r.w * 3, whole + ((r.y + y) * k.w + r.x) * 3,
                                    (size_t)r.w * 3);
        }
        free(part);
        free(whole);
        free(f.data);
    }
}

static void test_jpeg_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    uint32_t seed = 7;
    uint8_t out[3 * 40 * 24];
    for (int scans = -1; scans <= 0; scans++) {
        jpeg_kind k = {.w = 40, .h = 24, .sample_h = 2, .sample_v = 2, .scans = scans,
                       .quality = 75};
        file f = make_jpeg(&k, &seed);
        hr_decode_options o = {.type = HR_RGB};
        hr_error err = {0};
        assert_int_equal(decode_file(&f, &o, out, &err), HR_OK);
        for (unsigned long size = 0; size < f.size; size++) {
            file cut = {malloc(size ? size : 1), size}; /* exact, so that reading on is seen */
            memcpy(cut.data, f.data, size);
            hr_error_clear(&err);
            assert_int_equal(decode_file(&cut, &o, out, &err), HR_DATA);
            assert_true(err.message[0]);
            free(cut.data);
        }
        free(f.data);
    }
}

static void test_jpeg_damage_is_survived(void **state)
{
    (void)state;
    uint32_t seed = 11;
    uint8_t out[3 * 61 * 47];
    jpeg_kind k = {.w = 61, .h = 47, .sample_h = 2, .sample_v = 1, .restart = 3, .quality = 80};
    file f = make_jpeg(&k, &seed);
    for (int n = 0; n < 3000; n++) {
        file bad = {malloc(f.size), f.size};
        memcpy(bad.data, f.data, f.size);
        size_t at = (size_t)draw_below(&seed, (int64_t)f.size);
        bad.data[at] ^= (uint8_t)(1u << draw(&seed) % 8);
        const hr_codec_desc *codec;
        hr_image_info info;
        hr_error err = {0};
        hr_decode_options o = {.region = {3, 5, 20, 30}};
        if (hr_codec_find(bad.data, bad.size, &codec, &err) == HR_OK &&
            codec->header(bad.data, bad.size, &info, &err) == HR_OK && info.width == 61 &&
            info.height == 47) {
            hr_error again = {0};
            hr_status status = decode_file(&bad, &o, out, &again);
            assert_true(status == HR_OK || again.message[0]);
        }
        free(bad.data);
    }
    free(f.data);
}

/* A short file may ask for any number of passes over a large picture. */
static void test_jpeg_of_many_scans(void **state)
{
    (void)state;
    uint32_t seed = 9;
    uint8_t out[3 * 40 * 24];
    jpeg_kind k = {.w = 40, .h = 24, .sample_h = 1, .sample_v = 1, .scans = -1, .quality = 75};
    file f = make_jpeg(&k, &seed);
    size_t last = f.size - 2; /* the last scan is repeated, before the end marker */
    while (f.data[last] != 0xFF || f.data[last + 1] != 0xDA) last--;
    size_t scan = f.size - 2 - last;
    for (size_t n = 10; n <= 1000; n *= 10) {
        hr_error err = {0};
        file many = {malloc(f.size + n * scan), f.size + n * scan};
        memcpy(many.data, f.data, f.size - 2);
        for (size_t i = 0; i < n; i++)
            memcpy(many.data + f.size - 2 + i * scan, f.data + last, scan);
        memcpy(many.data + f.size - 2 + n * scan, "\xFF\xD9", 2);
        hr_decode_options o = {.type = HR_RGB};
        hr_status status = decode_file(&many, &o, out, &err);
        assert_int_equal(status, n == 10 ? HR_OK : HR_DATA);
        if (n > 10) assert_non_null(strstr(err.message, "scans"));
        free(many.data);
    }
    free(f.data);
}

/* Every allocation of ours fails once: an error, and nothing is left behind. */
static void test_decode_without_memory(void **state)
{
    (void)state;
    uint32_t seed = 3;
    uint8_t out[4 * 3 * 40 * 24];
    jpeg_kind k = {.w = 40, .h = 24, .sample_h = 2, .sample_v = 2, .quality = 75};
    file f = make_jpeg(&k, &seed);
    hr_decode_options o = {.type = HR_YCBCR, .dtype = HR_F32, .region = {5, 5, 20, 10}};
    hr_alloc_stats before, after;
    hr_alloc_get_stats(&before);
    hr_status status = HR_NOMEM;
    for (uint64_t nth = 1; status != HR_OK && nth < 100; nth++) {
        hr_error err = {0};
        hr_alloc_fail_at(nth);
        status = decode_file(&f, &o, out, &err);
        assert_true(status == HR_OK || status == HR_NOMEM);
        if (nth == 1) assert_int_equal(status, HR_NOMEM);
    }
    hr_alloc_fail_at(0);
    assert_int_equal(status, HR_OK);
    hr_alloc_get_stats(&after);
    assert_int_equal(after.live_blocks, before.live_blocks);
    free(f.data);
}

/* ---- names and limits -------------------------------------------------------------------- */

static void check_name(const char *bytes, size_t size, hr_status status, const char *word)
{
    const hr_codec_desc *codec;
    hr_error err = {0};
    uint8_t *exact = malloc(size + 1);
    memcpy(exact, bytes, size);
    assert_int_equal(hr_codec_find(exact, size, &codec, &err), status);
    assert_null(codec);
    if (!strstr(err.message, word)) fail_msg("\"%s\" does not say %s", err.message, word);
    free(exact);
}

#define CHECK_NAME(bytes, status, word) check_name(bytes, sizeof bytes - 1, status, word)

static void test_names(void **state)
{
    (void)state;
    CHECK_NAME("", HR_DATA, "empty");
    CHECK_NAME("GIF89a\1\0\1\0", HR_UNSUPPORTED, "GIF is not supported");
    CHECK_NAME("PF\n1 1\n-1\n", HR_UNSUPPORTED, "PFM");
    CHECK_NAME("\0\0\0\x18" "ftypheic\0\0\0\0", HR_UNSUPPORTED, "HEIC");
    CHECK_NAME("\0\0\0\x1c" "ftypavif\0\0\0\0", HR_UNSUPPORTED, "AVIF");
    CHECK_NAME("\xFF\x0A\0\0", HR_UNSUPPORTED, "JPEG XL");
    CHECK_NAME("\0\0\0\x0CjP  \r\n\x87\n", HR_UNSUPPORTED, "JPEG 2000");
    CHECK_NAME("\xFF\xD8\xFF\xF7\0\0", HR_UNSUPPORTED, "JPEG-LS");
    CHECK_NAME("qoif\0\0\0\1", HR_UNSUPPORTED, "QOI");
    CHECK_NAME("<?xml version='1.0'?>\n<svg>", HR_UNSUPPORTED, "SVG");
    CHECK_NAME(" \n<!DOCTYPE HTML><p>no", HR_DATA, "HTML text, not a picture");
    CHECK_NAME("what is this", HR_DATA, "77 68 61 74");
    CHECK_NAME("\xFF", HR_DATA, "ff");
    CHECK_NAME("\x89PNG\r\n\x1a", HR_DATA, "89 50 4e 47");
}

static void test_pixel_limit(void **state)
{
    (void)state;
    uint32_t seed = 1;
    jpeg_kind k = {.w = 40, .h = 24, .sample_h = 1, .sample_v = 1, .quality = 75};
    file f = make_jpeg(&k, &seed);
    hr_image_info info;
    hr_error err = {0};
    const hr_codec_desc *codec;
    assert_int_equal(hr_codec_find(f.data, f.size, &codec, &err), HR_OK);
    int64_t before = hr_image_pixel_limit(40 * 24 - 1);
    assert_int_equal(codec->header(f.data, f.size, &info, &err), HR_DATA);
    assert_non_null(strstr(err.message, "40 x 24 is over the limit of 959 pixels"));
    hr_error_clear(&err);
    assert_int_equal(hr_image_pixel_limit(40 * 24), 40 * 24 - 1);
    assert_int_equal(codec->header(f.data, f.size, &info, &err), HR_OK);
    hr_image_pixel_limit(0);
    assert_int_equal(hr_image_pixel_limit(before), 1 << 28);
    free(f.data);
}

static void test_bad_options(void **state)
{
    (void)state;
    uint32_t seed = 1;
    jpeg_kind k = {.w = 40, .h = 24, .sample_h = 1, .sample_v = 1, .quality = 75};
    file f = make_jpeg(&k, &seed);
    uint8_t out[8];
    static const hr_decode_options bad[] = {
        {.region = {0, 0, 41, 1}}, {.region = {-1, 0, 2, 2}}, {.region = {39, 0, 2, 1}},
        {.region = {0, 24, 1, 1}}, {.region = {0, INT64_MAX, 1, 1}}, {.region = {0, 0, 1, 0}},
        {.region = {1, 1, INT64_MAX, 1}}, {.region = {0, 0, 1, 1}, .dtype = HR_BOOL},
        {.region = {0, 0, 1, 1}, .dtype = HR_I64}, {.region = {0, 0, 1, 1}, .type = 7},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_error err = {0};
        assert_int_equal(decode_file(&f, &bad[i], out, &err), HR_VALUE);
    }
    free(f.data);
}

/* ---- kernels ----------------------------------------------------------------------------- */

/* Every 8- and 16-bit value to every type, and each CPU level's bits against the base's. */
static void test_depth_levels(void **state)
{
    (void)state;
    static const hr_dtype to[] = {HR_U8, HR_I8, HR_U16, HR_I16, HR_U32, HR_I32, HR_F32};
    enum { N = 65536 };
    uint16_t *src = malloc(2 * N);
    uint8_t *base = malloc(4 * 3 * N), *other = malloc(4 * 3 * N);
    for (int i = 0; i < N; i++) src[i] = (uint16_t)i;
    const hr_kernels *b = hr__kernels_of(HR_CPU_BASE);
    for (int level = 0; level <= (int)hr_cpu_level_get(); level++)
        for (size_t t = 0; t < sizeof to / sizeof *to; t++)
            for (int size = 1; size <= 2; size++) {
                const hr_kernels *k = hr__kernels_of((hr_cpu_level)level);
                size_t bytes = hr_dtype_size(to[t]) * N;
                b->picture_depth(to[t], base, src, N, size);
                k->picture_depth(to[t], other, src, N, size);
                assert_memory_equal(base, other, bytes);
                b->picture_ycbcr(to[t], base, src, N / 3, size);
                k->picture_ycbcr(to[t], other, src, N / 3, size);
                assert_memory_equal(base, other, hr_dtype_size(to[t]) * (N / 3) * 3);
                b->picture_gray(base, src, N / 3, size);
                k->picture_gray(other, src, N / 3, size);
                assert_memory_equal(base, other, (size_t)(N / 3 * size));
            }
    b->picture_depth(HR_I16, base, src, N, 2); /* against the formula in integers */
    for (int i = 0; i < N; i++)
        assert_int_equal(((int16_t *)base)[i], (2 * (int64_t)i * 32767 + 65535) / (2 * 65535));
    b->picture_depth(HR_U8, base, src, N, 2);
    for (int i = 0; i < N; i++) assert_int_equal(base[i], (2 * i * 255 + 65535) / (2 * 65535));
    free(other);
    free(base);
    free(src);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jpeg_region_equals_crop),
        cmocka_unit_test(test_jpeg_cut_anywhere_is_an_error),
        cmocka_unit_test(test_jpeg_damage_is_survived),
        cmocka_unit_test(test_jpeg_of_many_scans),
        cmocka_unit_test(test_decode_without_memory),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_pixel_limit),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_depth_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
