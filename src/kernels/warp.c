/* Rows of pixels taken from places of a source that lie on a line. Places come by repeated addition
 * in float32, beginning anew every 256 pixels, as the peer has them: its rounding decides which
 * pixel a place on an edge belongs to. Places move in one direction, so those inside of the source
 * are one run of the row, found by bisection; inside there is no test for a pixel. */
#include "kernels/kernels.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 256 };

/* A block of places, then of their pixels: p[k][i] is turned into at[k][i] and, for mixing, the
 * share of the next pixel, which stays in p[k][i]. */
typedef struct places {
    int ndim, n;
    float p[3][BLOCK];
    int32_t at[3][BLOCK];
} places;

typedef struct span {
    int first, end;
} span;

/* The places of at most BLOCK pixels from pixel `first` on. All axes in one loop: each waits for its
 * own sum only. */
static void walk(places *restrict b, const hr_warp *w, const hr_warp_row *row, int64_t first,
                 int64_t end)
{
    const int n = b->n = end - first < BLOCK ? (int)(end - first) : BLOCK;
    float at[3] = {0};
    b->ndim = w->ndim;
    for (int k = 0; k < w->ndim; k++) {
        at[k] = w->origin[k] + w->step[k] * 0.5f + row->y[k];
        if (w->ndim == 3) at[k] += row->z[k];
        if (first) at[k] += w->step[k] * (float)first;
    }
    const float dx = w->step[0], dy = w->step[1], dz = w->step[2];
    float x = at[0], y = at[1], z = at[2];
    if (w->ndim == 2) {
        for (int i = 0; i < n; i++, x += dx, y += dy) b->p[0][i] = x, b->p[1][i] = y;
        return;
    }
    for (int i = 0; i < n; i++, x += dx, y += dy, z += dz)
        b->p[0][i] = x, b->p[1][i] = y, b->p[2][i] = z;
}

/* The first of n places that is at `bound` or past it, in the direction of the steps. */
static int bisect(const float *p, int n, float bound, int falls)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        int before = falls ? p[mid] >= bound : p[mid] < bound;
        if (before) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* Places with low <= p < size + high on every axis. */
static span find_inside(const places *b, const hr_warp *w, float low, float high)
{
    span s = {0, b->n};
    for (int k = 0; k < b->ndim; k++) {
        int falls = w->step[k] < 0;
        float top = (float)w->size[k] + high;
        int first = bisect(b->p[k], b->n, falls ? top : low, falls);
        int end = bisect(b->p[k], b->n, falls ? low : top, falls);
        if (first > s.first) s.first = first;
        if (end < s.end) s.end = end;
    }
    if (s.end < s.first) s.end = s.first;
    return s;
}

#if defined(__AVX2__)

/* Four bytes at each of eight offsets. */
INLINE __m256i fetch(const uint8_t *src, __m256i at)
{
    return _mm256_i32gather_epi32((const int *)(const void *)src, at, 1);
}

/* The first `channels` bytes of each lane, side by side. */
INLINE void store_eight(uint8_t *dst, __m256i v, int channels)
{
    uint8_t packed[32];
    if (channels == 4) {
        _mm256_storeu_si256((__m256i *)(void *)dst, v);
        return;
    }
    const __m256i order = channels == 3
        ? _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6,
                           8, 9, 10, 12, 13, 14, -1, -1, -1, -1)
        : _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                           -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    _mm256_storeu_si256((__m256i *)(void *)packed, _mm256_shuffle_epi8(v, order));
    memcpy(dst, packed, (size_t)(4 * channels));
    memcpy(dst + 4 * channels, packed + 16, (size_t)(4 * channels));
}

#endif

/* ---- nearest pixel --------------------------------------------------------------- */

static void find_nearest(places *restrict b, const hr_warp *w)
{
    const int n = b->n;
    for (int k = 0; k < b->ndim; k++) {
        const float *restrict p = b->p[k];
        int32_t *restrict at = b->at[k];
        const float top = (float)(w->size[k] - 1);
        const int32_t last = (int32_t)(w->size[k] - 1);
        for (int i = 0; i < n; i++) {
            float v = p[i] > 0 ? p[i] : 0;
            int32_t j = (int32_t)(v < top ? v : top);
            at[i] = j < last ? j : last;
        }
    }
    const int32_t row = (int32_t)w->size[0], plane = (int32_t)(w->size[0] * w->size[1]);
    int32_t *restrict x = b->at[0];
    const int32_t *restrict y = b->at[1], *restrict z = b->at[2];
    for (int i = 0; i < n; i++) x[i] += y[i] * row;
    if (b->ndim == 3)
        for (int i = 0; i < n; i++) x[i] += z[i] * plane;
}

/* n elements of `size` bytes. */
static void fill_elements(void *restrict dst, const void *restrict fill, int64_t size, int64_t n)
{
    if (size == 1) {
        memset(dst, *(const uint8_t *)fill, (size_t)n);
    } else if (size == 2) {
        uint16_t *d = dst, v = *(const uint16_t *)fill;
        for (int64_t i = 0; i < n; i++) d[i] = v;
    } else {
        uint32_t *d = dst, v;
        memcpy(&v, fill, sizeof v);
        for (int64_t i = 0; i < n; i++) d[i] = v;
    }
}

/* Pixels of three bytes, the common case, go by eights as long as no fourth byte is missing. */
static int pick_eights(uint8_t *dst, const hr_warp *w, const places *b, span s)
{
    int i = s.first;
#if defined(__AVX2__)
    int64_t pixels = w->size[0] * w->size[1] * (w->ndim == 3 ? w->size[2] : 1);
    if (w->type != HR_U8 || w->channels != 3 || pixels > INT32_MAX / 3 || pixels < 2) return i;
    const __m256i last = _mm256_set1_epi32((int)pixels - 2), three = _mm256_set1_epi32(3);
    for (; i + 8 <= s.end; i += 8) {
        __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(b->at[0] + i));
        __m256i past = _mm256_cmpgt_epi32(at, last);
        if (!_mm256_testz_si256(past, past)) break;
        store_eight(dst + 3 * i, fetch(w->src, _mm256_mullo_epi32(at, three)), 3);
    }
#else
    (void)dst, (void)w, (void)b;
#endif
    return i;
}

void HR_K(warp_pick)(void *restrict dst, const hr_warp *w, const hr_warp_row *row, int64_t n)
{
    places b;
    int64_t size = (int64_t)hr_dtype_size(w->type), pixel = size * w->channels;
    for (int64_t i = 0; i < n; i += BLOCK) {
        uint8_t *d = (uint8_t *)dst + i * pixel;
        walk(&b, w, row, i, n);
        span s = {0, b.n};
        if (w->fill) s = find_inside(&b, w, 0, 0);
        find_nearest(&b, w);
        if (w->fill) fill_elements(d, w->fill, size, s.first * w->channels);
        int done = pick_eights(d, w, &b, s);
        HR_K(resample_pick)(d + done * pixel, w->src, b.at[0] + done, s.end - done, pixel);
        if (w->fill) fill_elements(d + s.end * pixel, w->fill, size, (b.n - s.end) * w->channels);
    }
}

/* ---- linear mixing --------------------------------------------------------------- */

/* Places to the lower pixel of each pair and the share of the upper one; outside, the edge. */
static void find_pairs(places *restrict b, const hr_warp *w)
{
    const int n = b->n;
    for (int k = 0; k < b->ndim; k++) {
        float *restrict p = b->p[k];
        int32_t *restrict at = b->at[k];
        const float top = (float)(w->size[k] - 1);
        const int32_t last = w->size[k] > 1 ? (int32_t)(w->size[k] - 2) : 0;
        for (int i = 0; i < n; i++) {
            float v = p[i] - 0.5f;
            v = v > 0 ? v : 0;
            v = v < top ? v : top;
            int32_t j = (int32_t)v;
            j = j < last ? j : last;
            at[i] = j;
            p[i] = v - (float)j;
        }
    }
}

/* Distances to the upper pixels, in elements: 0 on an axis of one pixel. */
typedef struct pair_steps {
    int64_t row, plane, dx, dy, dz;
} pair_steps;

static pair_steps steps_of(const hr_warp *w)
{
    pair_steps s = {.row = w->size[0] * w->channels};
    s.plane = w->ndim == 3 ? s.row * w->size[1] : 0;
    s.dx = w->size[0] > 1 ? w->channels : 0;
    s.dy = w->size[1] > 1 ? s.row : 0;
    s.dz = w->ndim == 3 && w->size[2] > 1 ? s.plane : 0;
    return s;
}

/* The order of operations is the peer's: along x by two products, then along y and z by a
 * difference. */
#define ALONG_X(p, o) ((float)(p)[o] * px + (float)(p)[(o) + t->dx] * qx)
#define PLANE(p, o, v)                                                                 \
    float v = ALONG_X(p, o);                                                           \
    v = v + (ALONG_X(p, (o) + t->dy) - v) * qy

#define MIX(T, C)                                                                      \
    for (int i = s.first; i < s.end; i++) {                                            \
        const T *p = (const T *)w->src + b->at[0][i] * w->channels + b->at[1][i] * t->row; \
        float qx = b->p[0][i], px = 1 - qx, qy = b->p[1][i];                           \
        float *restrict d = dst + (int64_t)i * (C);                                    \
        if (b->ndim == 3) {                                                            \
            float qz = b->p[2][i];                                                     \
            p += b->at[2][i] * t->plane;                                               \
            for (int64_t c = 0; c < (C); c++) {                                        \
                PLANE(p, c, low);                                                      \
                PLANE(p, c + t->dz, high);                                             \
                d[c] = low + (high - low) * qz;                                        \
            }                                                                          \
        } else {                                                                       \
            for (int64_t c = 0; c < (C); c++) {                                        \
                PLANE(p, c, v);                                                        \
                d[c] = v;                                                              \
            }                                                                          \
        }                                                                              \
    }

#define MIX_TYPE(T)                                                                    \
    static void mix_##T(float *restrict dst, const hr_warp *w, const places *b,        \
                        const pair_steps *t, span s)                                   \
    {                                                                                  \
        switch (w->channels) {                                                         \
        case 1: MIX(T, 1) break;                                                       \
        case 3: MIX(T, 3) break;                                                       \
        default: MIX(T, w->channels) break;                                            \
        }                                                                              \
    }
MIX_TYPE(uint8_t)
MIX_TYPE(uint16_t)
MIX_TYPE(int16_t)
MIX_TYPE(int32_t)
MIX_TYPE(float)

static void mix(float *restrict dst, const hr_warp *w, const places *b, const pair_steps *t,
                span s)
{
    switch (w->type) {
    case HR_U8: mix_uint8_t(dst, w, b, t, s); break;
    case HR_U16: mix_uint16_t(dst, w, b, t, s); break;
    case HR_I16: mix_int16_t(dst, w, b, t, s); break;
    case HR_I32: mix_int32_t(dst, w, b, t, s); break;
    default: mix_float(dst, w, b, t, s); break;
    }
}

static float load(hr_dtype type, const void *src, int64_t i)
{
    switch (type) {
    case HR_U8: return ((const uint8_t *)src)[i];
    case HR_U16: return ((const uint16_t *)src)[i];
    case HR_I16: return ((const int16_t *)src)[i];
    case HR_I32: return (float)((const int32_t *)src)[i];
    default: return ((const float *)src)[i];
    }
}

/* Element c of pixel (x, y, z), or what stands for it. */
static float element_at(const hr_warp *w, const int64_t *at, int64_t c)
{
    for (int k = 0; k < w->ndim; k++)
        if (at[k] < 0 || at[k] >= w->size[k]) return load(w->type, w->fill, 0);
    int64_t z = w->ndim == 3 ? at[2] : 0;
    int64_t pixel = (z * w->size[1] + at[1]) * w->size[0] + at[0];
    return load(w->type, w->src, pixel * w->channels + c);
}

/* Places over the edge, where some of the pixels are the fill value. */
static void mix_edge(float *restrict dst, const hr_warp *w, const places *b, span s)
{
    for (int i = s.first; i < s.end; i++) {
        int64_t at[3] = {0};
        float q[3] = {0};
        for (int k = 0; k < w->ndim; k++) {
            float v = b->p[k][i] - 0.5f; /* above -1 */
            at[k] = (int64_t)(v + 1) - 1;
            q[k] = v - (float)at[k];
        }
        for (int64_t c = 0; c < w->channels; c++) {
            float plane[2] = {0};
            for (int z = 0; z < w->ndim - 1; z++) {
                float line[2];
                for (int y = 0; y < 2; y++) {
                    int64_t left[3] = {at[0], at[1] + y, at[2] + z};
                    int64_t right[3] = {at[0] + 1, at[1] + y, at[2] + z};
                    line[y] = element_at(w, left, c) * (1 - q[0]) + element_at(w, right, c) * q[0];
                }
                plane[z] = line[0] + (line[1] - line[0]) * q[1];
            }
            dst[(int64_t)i * w->channels + c] =
                w->ndim == 3 ? plane[0] + (plane[1] - plane[0]) * q[2] : plane[0];
        }
    }
}

static void mix_fill(float *restrict dst, const hr_warp *w, span s)
{
    float fill = load(w->type, w->fill, 0);
    for (int64_t i = s.first * w->channels; i < s.end * w->channels; i++) dst[i] = fill;
}

/* All of a block but the run inside, which is returned with its pairs found. */
static span mix_outside(float *restrict dst, const hr_warp *w, places *b)
{
    span inside = {0, b->n};
    if (w->fill) {
        span touched = find_inside(b, w, -0.5f, 0.5f);
        inside = find_inside(b, w, 0.5f, -0.5f);
        if (inside.first == inside.end) inside = (span){touched.end, touched.end};
        mix_fill(dst, w, (span){0, touched.first});
        mix_edge(dst, w, b, (span){touched.first, inside.first});
        mix_edge(dst, w, b, (span){inside.end, touched.end});
        mix_fill(dst, w, (span){touched.end, b->n});
    }
    find_pairs(b, w);
    return inside;
}

void HR_K(warp_mix)(float *restrict dst, const hr_warp *w, const hr_warp_row *row, int64_t n)
{
    places b;
    const pair_steps t = steps_of(w);
    for (int64_t i = 0; i < n; i += BLOCK) {
        float *d = dst + i * w->channels;
        walk(&b, w, row, i, n);
        span inside = mix_outside(d, w, &b);
        mix(d, w, &b, &t, inside);
    }
}

/* ---- uint8 pictures of 1, 3 or 4 channels ---------------------------------------- */

#if defined(__AVX2__)

/* Byte `c` of each lane as float. */
INLINE __m256 byte_of(__m256i v, int c)
{
    __m256i shifted = c ? _mm256_srli_epi32(v, 8 * c) : v;
    return _mm256_cvtepi32_ps(_mm256_and_si256(shifted, _mm256_set1_epi32(255)));
}

typedef struct lanes {
    __m256 px, qx, qy;
} lanes;

INLINE __m256i mix_byte(__m256 a, __m256 b, __m256 c, __m256 d, const lanes *l)
{
    __m256 top = _mm256_add_ps(_mm256_mul_ps(a, l->px), _mm256_mul_ps(b, l->qx));
    __m256 low = _mm256_add_ps(_mm256_mul_ps(c, l->px), _mm256_mul_ps(d, l->qx));
    __m256 v = _mm256_add_ps(top, _mm256_mul_ps(_mm256_sub_ps(low, top), l->qy));
    return _mm256_cvttps_epi32(_mm256_add_ps(v, _mm256_set1_ps(0x1.fffffep-2f)));
}

/* Eight pixels into the lanes of the result, channel c in byte c. */
INLINE __m256i mix_eight(const uint8_t *src, __m256i at, int dx, int dy, const lanes *l,
                         int channels)
{
    __m256i down = _mm256_add_epi32(at, _mm256_set1_epi32(dy)), out = _mm256_setzero_si256();
    __m256i a = fetch(src, at), c = fetch(src, down), b = a, d = c;
    if (channels > 1) {
        b = fetch(src, _mm256_add_epi32(at, _mm256_set1_epi32(dx)));
        d = fetch(src, _mm256_add_epi32(down, _mm256_set1_epi32(dx)));
    }
    for (int k = 0; k < channels; k++) {
        int next = channels > 1 ? k : 1; /* one channel: the right pixel is the next byte */
        __m256i v = mix_byte(byte_of(a, k), byte_of(b, next), byte_of(c, k), byte_of(d, next), l);
        out = _mm256_or_si256(out, k ? _mm256_slli_epi32(v, 8 * k) : v);
    }
    return out;
}

/* As many pixels of the run as go by eights without reading past the source; the end of those. */
INLINE int mix_eights(uint8_t *dst, const hr_warp *w, const places *b, const pair_steps *t,
                      span s, int channels)
{
    const uint8_t *src = w->src;
    const int dx = (int)t->dx, dy = (int)t->dy;
    int64_t bytes = w->size[0] * w->size[1] * channels;
    int64_t room = bytes - dx - dy - 4; /* largest offset to fetch four bytes from */
    if (bytes > INT32_MAX || room < 0) return s.first;
    const __m256i row = _mm256_set1_epi32((int)t->row), last = _mm256_set1_epi32((int)room);
    int i = s.first;
    for (; i + 8 <= s.end; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(b->at[0] + i));
        __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(b->at[1] + i));
        __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(x, _mm256_set1_epi32(channels)),
                                      _mm256_mullo_epi32(y, row));
        __m256i past = _mm256_cmpgt_epi32(at, last);
        if (!_mm256_testz_si256(past, past)) return i;
        lanes l = {.qx = _mm256_loadu_ps(b->p[0] + i), .qy = _mm256_loadu_ps(b->p[1] + i)};
        l.px = _mm256_sub_ps(_mm256_set1_ps(1), l.qx);
        store_eight(dst + i * channels, mix_eight(src, at, dx, dy, &l, channels), channels);
    }
    return i;
}

static int mix_fast(uint8_t *dst, const hr_warp *w, const places *b, const pair_steps *t, span s)
{
    switch (w->channels) {
    case 1: return mix_eights(dst, w, b, t, s, 1);
    case 3: return mix_eights(dst, w, b, t, s, 3);
    default: return mix_eights(dst, w, b, t, s, 4);
    }
}

#else

static int mix_fast(uint8_t *dst, const hr_warp *w, const places *b, const pair_steps *t, span s)
{
    (void)dst, (void)w, (void)b, (void)t;
    return s.first;
}

#endif

static void store_span(uint8_t *dst, const float *mixed, int64_t channels, span s)
{
    if (s.first < s.end)
        HR_K(convert)(HR_U8, dst + s.first * channels, HR_F32, mixed + s.first * channels,
                      (size_t)((s.end - s.first) * channels));
}

void HR_K(warp_mix_u8)(uint8_t *restrict dst, const hr_warp *w, const hr_warp_row *row, int64_t n)
{
    places b;
    float mixed[BLOCK * 4];
    const pair_steps t = steps_of(w);
    for (int64_t i = 0; i < n; i += BLOCK) {
        uint8_t *d = dst + i * w->channels;
        walk(&b, w, row, i, n);
        span inside = mix_outside(mixed, w, &b);
        int first = inside.first;
        inside.first = mix_fast(d, w, &b, &t, inside);
        mix(mixed, w, &b, &t, inside);
        store_span(d, mixed, w->channels, (span){0, first});
        store_span(d, mixed, w->channels, (span){inside.first, b.n});
    }
}
