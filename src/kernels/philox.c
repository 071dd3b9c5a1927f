/* Words for a run of a sample's elements, all elements at once: element j starts 257 j draws after
 * the sample's state, which is 64 j + (phase + j) / 4 blocks and word (phase + j) % 4. Elements
 * four apart share the word's place, and their counters are 257 blocks apart, so that each of
 * the four groups is a plain loop over lanes. Invariant: the words are those of hr_rng_of_element
 * and hr_rng_next. */
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

enum { LANES = 32, GROUPS = 4, TILE = LANES * GROUPS, ROUNDS = 10 };
#define STEP UINT64_C(257) /* blocks between two elements of a group: 4 elements * 257 / 4 */

#if defined(__AVX512F__)
#define WIDE 8
typedef __m512i wide;
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define SET1(v) _mm512_set1_epi64((int64_t)(v))
#define MUL(a, b) _mm512_mul_epu32(a, b)
#define HIGH(a) _mm512_srli_epi64(a, 32)
#define XOR3(a, b, c) _mm512_xor_si512(_mm512_xor_si512(a, b), c)
#elif defined(__AVX2__)
#define WIDE 4
typedef __m256i wide;
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define SET1(v) _mm256_set1_epi64x((int64_t)(v))
#define MUL(a, b) _mm256_mul_epu32(a, b)
#define HIGH(a) _mm256_srli_epi64(a, 32)
#define XOR3(a, b, c) _mm256_xor_si256(_mm256_xor_si256(a, b), c)
#endif

#ifdef WIDE
/* Word w of lane i is the low half of x[w][i]; the high half may hold anything. */
typedef struct lanes { uint64_t x[4][LANES]; } lanes;

/* The compiler packs and unpacks halves between rounds; the widening multiply of x86 needs none of
 * that, as it ignores the high halves. (m) 2 times the plain loop. */
static inline __attribute__((always_inline)) void
rounds(lanes *restrict b, uint64_t key)
{
    enum { AT_ONCE = 2 };
    const wide mul0 = SET1(0xD2511F53), mul1 = SET1(0xCD9E8D57);
    for (int i = 0; i < LANES; i += WIDE * AT_ONCE) {
        wide x[4][AT_ONCE];
        for (int w = 0; w < 4; w++)
            for (int t = 0; t < AT_ONCE; t++) x[w][t] = LOAD(&b->x[w][i + t * WIDE]);
        uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
        for (int r = 0; r < ROUNDS; r++) {
            for (int t = 0; t < AT_ONCE; t++) {
                wide p = MUL(x[0][t], mul0), q = MUL(x[2][t], mul1);
                x[0][t] = XOR3(HIGH(q), x[1][t], SET1(k0));
                x[1][t] = q;
                x[2][t] = XOR3(HIGH(p), x[3][t], SET1(k1));
                x[3][t] = p;
            }
            k0 += UINT32_C(0x9E3779B9);
            k1 += UINT32_C(0xBB67AE85);
        }
        for (int w = 0; w < 4; w++)
            for (int t = 0; t < AT_ONCE; t++) STORE(&b->x[w][i + t * WIDE], x[w][t]);
    }
}
#else
typedef struct lanes { uint32_t x[4][LANES]; } lanes;

static inline __attribute__((always_inline)) void
rounds(lanes *restrict b, uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < LANES; i++) {
            uint64_t p = UINT64_C(0xD2511F53) * b->x[0][i];
            uint64_t q = UINT64_C(0xCD9E8D57) * b->x[2][i];
            b->x[0][i] = (uint32_t)(q >> 32) ^ b->x[1][i] ^ k0;
            b->x[1][i] = (uint32_t)q;
            b->x[2][i] = (uint32_t)(p >> 32) ^ b->x[3][i] ^ k1;
            b->x[3][i] = (uint32_t)p;
        }
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}
#endif

/* The blocks of LANES elements from counter (hi, lo), STEP apart. */
static void blocks(lanes *restrict b, uint64_t key, uint64_t hi, uint64_t lo)
{
    for (int i = 0; i < LANES; i++) {
        uint64_t low = lo + STEP * (uint64_t)i;
        uint64_t high = hi + (low < lo);
        b->x[0][i] = (uint32_t)low;
        b->x[1][i] = (uint32_t)(low >> 32);
        b->x[2][i] = (uint32_t)high;
        b->x[3][i] = (uint32_t)(high >> 32);
    }
    rounds(b, key);
}

/* `words` words of the elements first + 4 i, i = 0..LANES-1, to out[(4 i) * words]. */
static void group(hr_rng at, int words, uint32_t *restrict out)
{
    lanes b;
    int phase = (int)at.phase, done = 0;
    while (done < words) {
        blocks(&b, at.key, at.hi, at.lo);
        int take = 4 - phase < words - done ? 4 - phase : words - done;
        for (int w = 0; w < take; w++)
            for (int i = 0; i < LANES; i++)
                out[(int64_t)i * GROUPS * words + done + w] = (uint32_t)b.x[phase + w][i];
        done += take;
        phase = 0;
        if (++at.lo == 0) at.hi++;
    }
}

static void tile(const hr_rng *sample, uint64_t first, int words, uint32_t *restrict out)
{
    for (int g = 0; g < GROUPS; g++)
        group(hr_rng_of_element(sample, first + (uint64_t)g), words, out + g * words);
}

/* A tile that is not full costs as much as a full one: below this many, one by one. */
enum { WORTH_A_TILE = 48, MOST_WORDS = 4 };

void HR_K(philox)(const hr_rng *sample, uint64_t first, int64_t n, int words,
                  uint32_t *restrict out)
{
    int64_t j = 0;
    for (; j + TILE <= n; j += TILE) tile(sample, first + (uint64_t)j, words, out + j * words);
    if (n - j >= WORTH_A_TILE && words <= MOST_WORDS) {
        uint32_t rest[TILE * MOST_WORDS];
        tile(sample, first + (uint64_t)j, words, rest);
        memcpy(out + j * words, rest, (size_t)((n - j) * words) * sizeof *out);
        return;
    }
    for (; j < n; j++) {
        hr_rng rng = hr_rng_of_element(sample, first + (uint64_t)j);
        for (int w = 0; w < words; w++) out[j * words + w] = hr_rng_next(&rng);
    }
}

void HR_K(uniform_f32)(const uint32_t *restrict words, int64_t n, float low, float step,
                       float top, float *restrict out)
{
    for (int64_t i = 0; i < n; i++) {
        float v = fmaf((float)words[i], step, low);
        out[i] = v < top ? v : top;
    }
}

void HR_K(uniform_f64)(const uint32_t *restrict words, int64_t n, double low, double step,
                       double top, double *restrict out)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t r = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
        double v = fma((double)r, step, low);
        out[i] = v < top ? v : top;
    }
}
