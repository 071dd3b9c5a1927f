/* Decodes a picture as it is stored and lets go of the pixels. */
#include "io/verify.h"

#include <string.h>
#include <strings.h>

#include <headrace/codec.h>

#include "core/core.h"

static int has_picture_ending(const char *name)
{
    static const char *const endings[] = {"jpg", "jpeg", "png", "webp", "bmp", "ppm", "pgm", "pbm",
                                          "pnm", "pam", "tif", "tiff"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcasecmp(dot + 1, endings[i])) return 1;
    return 0;
}

static hr_status decode(const hr_codec_desc *codec, const void *data, size_t size,
                        hr_error *err)
{
    hr_image_info info;
    HR_TRY(codec->header(data, size, &info, err));
    hr_decode_options options = {.type = HR_ANY_DATA, .dtype = info.dtype, .keep_orientation = 1};
    size_t pixel = (size_t)info.channels * hr_dtype_size(info.dtype);
    hr_arena *arena = hr__arena_of_thread();
    if (!arena) return hr_fail(err, HR_NOMEM, "no memory to verify a picture");
    hr__arena_mark mark = hr__arena_get_mark(arena);
    void *pixels = hr_alloc((size_t)info.width * (size_t)info.height, pixel);
    hr_status status = pixels ? codec->decode(data, size, &info, &options, pixels, arena, err)
                              : hr_fail(err, HR_NOMEM, "no memory for %lld x %lld pixels",
                                        (long long)info.width, (long long)info.height);
    hr_free(pixels);
    hr__arena_release(arena, mark);
    return status;
}

hr_status hr__picture_verify(const void *data, size_t size, const char *name, hr_error *err)
{
    const hr_codec_desc *codec;
    hr_error why = {0};
    hr_status status = hr_codec_find(data, size, &codec, &why);
    if (status == HR_OK) return decode(codec, data, size, err);
    if (status == HR_DATA && !has_picture_ending(name)) return HR_OK;
    if (err) *err = why;
    return status;
}
