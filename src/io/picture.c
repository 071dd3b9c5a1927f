/* One encoded picture to pixels: the part that all picture decoders have in common. Infer and run
 * both read the header; what run finds must fit what infer promised, since the bytes are the
 * caller's and may change in between. */
#include "io/picture.h"

#include <string.h>

#include "io/codec/codec.h"
#include "io/packed.h"

const hr_in_desc hr__picture_in[1] = {
    {.name = "input", .flags = HR_IN_ENCODED, .dtypes = HR_DTYPES(HR_U8), .min_ndim = 1,
     .max_ndim = 1, .doc = "The bytes of a picture file; its format is told by content."},
};

hr_status hr__picture_check(const hr__picture_args *a, hr_error *err)
{
    return hr__decode_dtype_check(a->dtype, err);
}

hr_status hr__picture_open(hr__picture *p, const hr_sample *s, const hr__picture_args *a,
                           hr_error *err)
{
    HR_TRY(hr__packed_bytes(s->in[0], s->arena, &p->data, &p->size, err));
    HR_TRY(hr_codec_find(p->data, p->size, &p->codec, err));
    HR_TRY(p->codec->header(p->data, p->size, &p->info, err));
    int is_turned = a->adjust_orientation && p->info.orientation >= 5;
    p->w = is_turned ? p->info.height : p->info.width;
    p->h = is_turned ? p->info.width : p->info.height;
    return HR_OK;
}

/* Is the failure the file's own fault, so that a stand-in may take its place? */
static int is_blankable(const hr__picture_args *a, hr_status status)
{
    return a->on_error == HR__ON_ERROR_BLANK && (status == HR_DATA || status == HR_UNSUPPORTED);
}

/* Colours of a stand-in, where the file cannot say. */
static int channels_for(const hr__picture_args *a, const hr__picture *p, hr_status opened)
{
    static const hr_image_info unknown = {.channels = 3};
    return hr_image_channels(a->output_type, opened == HR_OK ? &p->info : &unknown);
}

hr_status hr__picture_infer(const hr_sample *s, const hr__picture_args *a, hr__picture_find find,
                            hr_error *err)
{
    hr__picture p = {0};
    hr_rect region = {0};
    hr_error own = {0};
    if (!err) err = &own;
    hr_status opened = find(&p, s, &region, err);
    if (opened != HR_OK) {
        if (!is_blankable(a, opened)) return opened;
        hr_error_clear(err);
    }
    int64_t shape[3] = {1, 1, channels_for(a, &p, opened)};
    if (opened == HR_OK) {
        shape[0] = region.h;
        shape[1] = region.w;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], a->dtype, 3, shape, err));
    return hr_tensor_set_layout(&s->out[0], "HWC", err);
}

static hr_status blank(const hr_sample *s, hr_error *err)
{
    const hr_meta *in = s->in[0]->meta;
    hr_tensor *out = &s->out[0];
    hr_meta *meta = hr_meta_create(in && in->source ? in->source : "", err->message);
    hr_error_clear(err);
    if (!meta) return hr_fail(err, HR_NOMEM, "no memory to mark a failed sample");
    memset(out->data, 0, hr_tensor_nbytes(out));
    out->meta = meta; /* the framework releases the one that was there */
    return HR_OK;
}

static int has_shape(const hr_tensor *t, const hr_rect *region, int channels)
{
    return t->shape[0] == region->h && t->shape[1] == region->w && t->shape[2] == channels;
}

static hr_status decode(const hr_sample *s, const hr__picture_args *a, const hr__picture *p,
                        const hr_rect *region, hr_error *err)
{
    if (!has_shape(&s->out[0], region, hr_image_channels(a->output_type, &p->info)))
        return hr_fail(err, HR_DATA, "the bytes changed while they were decoded");
    hr_decode_options o = {.type = a->output_type, .dtype = a->dtype, .region = *region,
                           .keep_orientation = !a->adjust_orientation,
                           .fast_idct = a->use_fast_idct};
    return p->codec->decode(p->data, p->size, &p->info, &o, s->out[0].data, s->arena, err);
}

hr_status hr__picture_run(const hr_sample *s, const hr__picture_args *a, hr__picture_find find,
                          hr_error *err)
{
    hr__picture p = {0};
    hr_rect region = {0};
    hr_error own = {0};
    if (!err) err = &own;
    hr_status status = find(&p, s, &region, err);
    if (status == HR_OK) status = decode(s, a, &p, &region, err);
    return is_blankable(a, status) ? blank(s, err) : status;
}
