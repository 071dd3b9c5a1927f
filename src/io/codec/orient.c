/* EXIF orientations 1 to 8 as index arithmetic: three bits say whether the stored x runs backwards,
 * the stored y runs backwards, and whether the axes change places. */
#include <string.h>

#include "io/codec/codec.h"

static int is_x_flipped(int o) { return o == 2 || o == 3 || o == 7 || o == 8; }
static int is_y_flipped(int o) { return o == 3 || o == 4 || o == 6 || o == 7; }
static int is_swapped(int o) { return o >= 5; }

hr__orient hr__orient_of(int orientation, int64_t w, int64_t h)
{
    hr__orient o = {0, 1, w};
    if (is_swapped(orientation)) {
        o.dx = h;
        o.dy = 1;
    }
    if (is_x_flipped(orientation)) {
        o.origin += (w - 1) * o.dx;
        o.dx = -o.dx;
    }
    if (is_y_flipped(orientation)) {
        o.origin += (h - 1) * o.dy;
        o.dy = -o.dy;
    }
    return o;
}

hr_rect hr__orient_region(int orientation, hr_rect upright, int64_t width, int64_t height)
{
    hr_rect r = upright;
    if (is_swapped(orientation)) r = (hr_rect){upright.y, upright.x, upright.h, upright.w};
    if (is_x_flipped(orientation)) r.x = width - r.x - r.w;
    if (is_y_flipped(orientation)) r.y = height - r.y - r.h;
    return r;
}

/* Rows innermost: for the turned cases a strip's pixels of one column lie side by side. */
static inline void place_columns(uint8_t *dst, const hr__orient *o, const hr__strip *s,
                                 size_t size)
{
    int64_t first = o->origin + s->y * o->dy;
    size_t row = (size_t)s->w * size;
    for (int64_t x = 0; x < s->w; x++) {
        const uint8_t *from = s->rows + (size_t)x * size;
        int64_t to = first + x * o->dx;
        for (int64_t j = 0; j < s->n; j++, to += o->dy, from += row)
            memcpy(dst + (size_t)to * size, from, size);
    }
}

static inline void place_mirrored(uint8_t *dst, const hr__orient *o, const hr__strip *s,
                                  size_t size)
{
    const uint8_t *from = s->rows;
    for (int64_t j = 0; j < s->n; j++) {
        uint8_t *to = dst + (size_t)(o->origin + (s->y + j) * o->dy) * size;
        for (int64_t x = 0; x < s->w; x++, from += size, to -= size) memcpy(to, from, size);
    }
}

static inline void place_turned(uint8_t *dst, const hr__orient *o, const hr__strip *s,
                                size_t size)
{
    if (o->dx == -1) place_mirrored(dst, o, s, size);
    else place_columns(dst, o, s, size);
}

void hr__orient_place(uint8_t *dst, const hr__orient *o, const hr__strip *s)
{
    if (o->dx == 1) {
        size_t row = (size_t)s->w * s->pixel_size;
        for (int64_t j = 0; j < s->n; j++)
            memcpy(dst + (size_t)(o->origin + (s->y + j) * o->dy) * s->pixel_size,
                   s->rows + (size_t)j * row, row);
        return;
    }
    switch (s->pixel_size) { /* constant sizes become plain moves */
    case 1: place_turned(dst, o, s, 1); break;
    case 2: place_turned(dst, o, s, 2); break;
    case 3: place_turned(dst, o, s, 3); break;
    case 4: place_turned(dst, o, s, 4); break;
    case 6: place_turned(dst, o, s, 6); break;
    case 8: place_turned(dst, o, s, 8); break;
    case 12: place_turned(dst, o, s, 12); break;
    default: place_turned(dst, o, s, s->pixel_size); break;
    }
}
