/* Philox 4x32 with 10 rounds: a keyed bijection of 128-bit counters, so that any draw can be
 * reached without making those before it. Source: Salmon, Moraes, Dror, Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011. */
#include <string.h>

#include "rng/rng.h"

enum { ROUNDS = 10, PHASES = 4 };
#define MUL_0 UINT64_C(0xD2511F53)
#define MUL_1 UINT64_C(0xCD9E8D57)
#define WEYL_0 UINT32_C(0x9E3779B9) /* golden ratio */
#define WEYL_1 UINT32_C(0xBB67AE85) /* sqrt(3) - 1 */

/* Distances that keep samples and elements apart, the same as the peer's. */
#define SAMPLE_SEQUENCES UINT64_C(65537)
#define ELEMENT_DRAWS UINT64_C(257)

void hr__rng_block(const hr_rng *rng, uint32_t x[4])
{
    uint32_t k0 = (uint32_t)rng->key, k1 = (uint32_t)(rng->key >> 32);
    x[0] = (uint32_t)rng->lo;
    x[1] = (uint32_t)(rng->lo >> 32);
    x[2] = (uint32_t)rng->hi;
    x[3] = (uint32_t)(rng->hi >> 32);
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t a = MUL_0 * x[0], b = MUL_1 * x[2];
        x[0] = (uint32_t)(b >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)a;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
}

hr_rng hr_rng_seed(uint64_t seed)
{
    return (hr_rng){ .key = seed };
}

uint32_t hr_rng_next(hr_rng *rng)
{
    uint32_t x[PHASES];
    hr__rng_block(rng, x);
    uint32_t word = x[rng->phase & (PHASES - 1)];
    hr_rng_skip(rng, 1);
    return word;
}

void hr_rng_skip(hr_rng *rng, uint64_t n)
{
    uint64_t blocks = n / PHASES;
    rng->phase += (uint32_t)(n % PHASES);
    if (rng->phase >= PHASES) {
        rng->phase -= PHASES;
        blocks++;
    }
    rng->lo += blocks;
    if (rng->lo < blocks) rng->hi++;
}

void hr_rng_skip_sequence(hr_rng *rng, uint64_t n)
{
    rng->hi += n;
}

hr_rng hr_rng_call(hr_rng *rng)
{
    uint64_t w[HR_RNG_CALL_WORDS];
    for (int i = 0; i < HR_RNG_CALL_WORDS; i++) w[i] = hr_rng_next(rng);
    return (hr_rng){
        .key = w[0] | w[1] << 32,
        .lo = w[2] | w[3] << 32,
        .hi = w[4] | w[5] << 32,
        .phase = (uint32_t)(w[6] % PHASES),
    };
}

hr_rng hr_rng_of_sample(const hr_rng *master, int64_t i)
{
    hr_rng rng = *master;
    hr_rng_skip_sequence(&rng, (uint64_t)i * SAMPLE_SEQUENCES);
    return rng;
}

hr_rng hr_rng_of_element(const hr_rng *sample, uint64_t j)
{
    hr_rng rng = *sample;
    hr_rng_skip(&rng, j * ELEMENT_DRAWS);
    return rng;
}

/* ---- text form: Philox_<key>_<hi>:<lo>_<phase> ----------------------------------- */

enum { KEY_AT = 7, HI_AT = 24, LO_AT = 41, PHASE_AT = 58, WORD_DIGITS = 16 };
static const char TEXT_MOULD[HR_RNG_TEXT_SIZE] =
    "Philox_0000000000000000_0000000000000000:0000000000000000_0";

static void write_word(char *text, uint64_t v)
{
    for (int i = WORD_DIGITS; i-- > 0; v >>= 4) text[i] = "0123456789ABCDEF"[v & 15];
}

void hr_rng_to_text(const hr_rng *rng, char text[HR_RNG_TEXT_SIZE])
{
    memcpy(text, TEXT_MOULD, HR_RNG_TEXT_SIZE);
    write_word(text + KEY_AT, rng->key);
    write_word(text + HI_AT, rng->hi);
    write_word(text + LO_AT, rng->lo);
    text[PHASE_AT] = (char)('0' + (rng->phase & (PHASES - 1)));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int is_separator(size_t i)
{
    return i < KEY_AT || i == HI_AT - 1 || i == LO_AT - 1 || i == PHASE_AT - 1;
}

static uint64_t read_word(const char *text)
{
    uint64_t v = 0;
    for (int i = 0; i < WORD_DIGITS; i++) v = v << 4 | (uint64_t)hex_digit(text[i]);
    return v;
}

hr_status hr_rng_from_text(hr_rng *rng, const char *text, size_t len, hr_error *err)
{
    if (len != HR_RNG_TEXT_SIZE - 1)
        return hr_fail(err, HR_VALUE,
                       "RNG state: %zu characters, not the %d of Philox_KEY_HIGH:LOW_PHASE", len,
                       HR_RNG_TEXT_SIZE - 1);
    for (size_t i = 0; i < len; i++) {
        int ok = is_separator(i) ? text[i] == TEXT_MOULD[i] : hex_digit(text[i]) >= 0;
        if (i == PHASE_AT) ok = text[i] >= '0' && text[i] < '0' + PHASES;
        if (ok) continue;
        const char *want = is_separator(i) ? "a separator"
                           : i == PHASE_AT ? "a phase of 0..3"
                                           : "a hexadecimal digit";
        return hr_fail(err, HR_VALUE, "RNG state: byte 0x%02X at place %zu is not %s",
                       (unsigned char)text[i], i, want);
    }
    rng->key = read_word(text + KEY_AT);
    rng->hi = read_word(text + HI_AT);
    rng->lo = read_word(text + LO_AT);
    rng->phase = (uint32_t)(text[PHASE_AT] - '0');
    return HR_OK;
}
