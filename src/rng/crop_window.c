/* Random crop windows: an area and an aspect ratio are drawn until a window fits. Source of the
 * method: Szegedy et al., "Going deeper with convolutions", 2015; bits as docs/random.md. */
#include "rng/rng.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Keeps crop draws apart from every other draw of the sample. */
#define CROP_KEY UINT64_C(0x012345678ABCDEFE)

static hr_status set_range(float out[2], const char *name, hr_floats list, float above,
                           hr_error *err)
{
    out[0] = list.v[0];
    out[1] = list.v[list.n - 1];
    if (!(out[0] <= out[1]))
        return hr_fail(err, HR_VALUE, "`%s` is [%g, %g], an empty range", name, out[0], out[1]);
    if (!(out[0] > above) || !isfinite(out[1]))
        return hr_fail(err, HR_VALUE, "`%s` is [%g, %g], it must be finite and %s", name, out[0],
                       out[1], above < 0 ? "not negative" : "positive");
    return HR_OK;
}

hr_status hr__crop_params_init(hr_crop_params *p, const hr__crop_draw_args *a, hr_error *err)
{
    HR_TRY(set_range(p->area, "random_area", a->random_area, -0x1p-149f, err));
    HR_TRY(set_range(p->ratio, "random_aspect_ratio", a->random_aspect_ratio, 0, err));
    p->attempts = a->num_attempts;
    return HR_OK;
}

/* Positive reals only; at least 1, and what int32 holds. */
static int64_t whole(float v)
{
    if (!(v >= 1)) return 1;
    return v < 0x1p31f ? (int64_t)v : INT32_MAX;
}

static float area_of(int64_t h, int64_t w)
{
    return (float)(h * w); /* both below 2^31: no overflow */
}

static int draw_size(hr_crop_window *c, int64_t h, int64_t w, const hr_crop_params *p,
                     hr_words *words)
{
    float log_low = logf(p->ratio[0]), log_span = logf(p->ratio[1]) - log_low;
    float area_span = p->area[1] - p->area[0];
    for (int64_t i = 0; i < p->attempts; i++) {
        float scale = hr__canonical_f32(words) * area_span + p->area[0];
        float area = scale * area_of(h, w);
        float ratio = expf(hr__canonical_f32(words) * log_span + log_low);
        c->w = whole(roundf(sqrtf(area * ratio)));
        c->h = whole(roundf(sqrtf(area / ratio)));
        float got = (float)c->w / (float)c->h;
        if (c->w <= w && c->h <= h && got >= p->ratio[0] && got <= p->ratio[1]) return 1;
    }
    return 0;
}

/* The largest window of an allowed ratio, scaled down to the largest allowed area. */
static void fall_back(hr_crop_window *c, int64_t h, int64_t w, const hr_crop_params *p,
                      int64_t max_w, int64_t max_h)
{
    float ratio = (float)w / (float)h;
    c->h = ratio < p->ratio[0] ? max_h : h;
    c->w = ratio > p->ratio[1] ? max_w : w;
    float most = p->area[1] * (float)w * (float)h / area_of(c->h, c->w);
    float side = sqrtf(most < 1 ? most : 1);
    c->h = whole((float)c->h * side);
    c->w = whole((float)c->w * side);
}

hr_crop_window hr__crop_window(hr_rng sample, int64_t h, int64_t w, const hr_crop_params *p)
{
    hr_crop_window c = { 0 };
    if (h <= 0 || w <= 0) return c;
    sample.key ^= CROP_KEY;
    hr_words words = hr__words_of(sample);
    float min_area = area_of(h, w) * p->area[0];
    int64_t max_w = whole((float)h * p->ratio[1]);
    int64_t max_h = whole((float)w * (1 / p->ratio[0]));
    if (area_of(h, max_w) < min_area) {
        c.h = h;
        c.w = max_w;
    } else if (area_of(max_h, w) < min_area) {
        c.h = max_h;
        c.w = w;
    } else if (!draw_size(&c, h, w, p, &words)) {
        fall_back(&c, h, w, p, max_w, max_h);
    }
    if (c.h > h) c.h = h;
    if (c.w > w) c.w = w;
    c.y = (int64_t)hr__below(&words, (uint64_t)(h - c.h + 1));
    c.x = (int64_t)hr__below(&words, (uint64_t)(w - c.w + 1));
    return c;
}
