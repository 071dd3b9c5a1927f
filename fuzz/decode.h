/* One codec on one input: header, whole picture, a region of it. A region that decodes must be
 * equal to the whole's; everything else is for the sanitizers to find. */
#ifndef HR_FUZZ_DECODE_H
#define HR_FUZZ_DECODE_H

#include <headrace/codec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_MAX_PIXELS = 1 << 16 };

typedef struct fuzz_case {
    const hr_codec_desc *codec;
    const uint8_t *data;
    size_t size;
    hr_image_info info;
    hr_decode_options options;
    int64_t w, h; /* of the whole picture that comes out */
    size_t pixel;
} fuzz_case;

static uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a: every byte may change the options */
    for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* A block of exactly the output's size, so that one byte too many is seen; NULL on failure. */
static uint8_t *fuzz_decode(const fuzz_case *c, hr_rect region)
{
    int64_t w = region.w ? region.w : c->w, h = region.w ? region.h : c->h;
    hr_decode_options options = c->options;
    options.region = region;
    uint8_t *out = malloc((size_t)(w * h) * c->pixel);
    hr_arena *arena = NULL;
    hr_error err = {0};
    hr_status status = hr_arena_create(&arena, &err);
    if (status == HR_OK)
        status = c->codec->decode(c->data, c->size, &c->info, &options, out, arena, &err);
    hr_arena_destroy(&arena);
    if (status == HR_OK) return out;
    if (!err.message[0]) abort(); /* a failure without words */
    free(out);
    return NULL;
}

static void fuzz_compare(const fuzz_case *c, const uint8_t *whole, uint64_t h)
{
    hr_rect r = {.w = 1 + (int64_t)(h % (uint64_t)c->w),
                 .h = 1 + (int64_t)(h / 7 % (uint64_t)c->h)};
    r.x = (int64_t)(h / 11 % (uint64_t)(c->w - r.w + 1));
    r.y = (int64_t)(h / 13 % (uint64_t)(c->h - r.h + 1));
    uint8_t *part = fuzz_decode(c, r);
    if (!part && whole) abort(); /* the whole is sound, so its part is */
    for (int64_t y = 0; part && whole && y < r.h; y++)
        if (memcmp(part + (size_t)(y * r.w) * c->pixel,
                   whole + (size_t)((r.y + y) * c->w + r.x) * c->pixel, (size_t)r.w * c->pixel)) {
            fprintf(stderr, "row %lld of the region differs\n", (long long)y);
            abort();
        }
    free(part);
}

static void fuzz_codec(const char *name, const uint8_t *data, size_t size)
{
    static const hr_dtype dtypes[] = {HR_U8, HR_U8, HR_U16, HR_F32, HR_I32, HR_F16};
    fuzz_case c = {.data = data, .size = size};
    hr_error err = {0};
    for (int i = 0; hr_codec_at(i); i++)
        if (!strcmp(hr_codec_at(i)->name, name)) c.codec = hr_codec_at(i);
    if (!c.codec) abort(); /* built without the codec that is to be tested */
    hr_image_pixel_limit(FUZZ_MAX_PIXELS);
    const hr_codec_desc *found;
    if (hr_codec_find(data, size, &found, &err) == HR_OK && found == c.codec && !c.codec->version())
        abort();
    hr_error_clear(&err);
    if (c.codec->header(data, size, &c.info, &err) != HR_OK) return;
    uint64_t h = fuzz_hash(data, size);
    c.options = (hr_decode_options){.type = (hr_image_type)(h % 5), .dtype = dtypes[h / 5 % 6],
                                    .keep_orientation = (int)(h >> 20 & 1),
                                    .fast_idct = (int)(h >> 21 & 1)};
    int is_turned = !c.options.keep_orientation && c.info.orientation >= 5;
    c.w = is_turned ? c.info.height : c.info.width;
    c.h = is_turned ? c.info.width : c.info.height;
    c.pixel = (size_t)hr_image_channels(c.options.type, &c.info) * hr_dtype_size(c.options.dtype);
    uint8_t *whole = fuzz_decode(&c, (hr_rect){0});
    fuzz_compare(&c, whole, h >> 8);
    free(whole);
}

#endif
