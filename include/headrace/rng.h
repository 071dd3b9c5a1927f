/* The counter-based generator (Philox 4x32, 10 rounds) behind every random operator.
 * Bits agree with the peer's: see docs/random.md. Plain values: copy them freely. */
#ifndef HR_RNG_H
#define HR_RNG_H

#include <headrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_rng {
    uint64_t key, hi, lo; /* the key and the 128-bit counter */
    uint32_t phase;       /* 0..3: which word of the block comes next */
} hr_rng;

enum { HR_RNG_TEXT_SIZE = 60, HR_RNG_CALL_WORDS = 7 };

HR_API hr_rng hr_rng_seed(uint64_t seed);
/* The next 32-bit word. */
HR_API uint32_t hr_rng_next(hr_rng *rng);
/* Equal to `n` draws. */
HR_API void hr_rng_skip(hr_rng *rng, uint64_t n);
/* Moves on by `n` sequences of 2^64 blocks. */
HR_API void hr_rng_skip_sequence(hr_rng *rng, uint64_t n);
/* One operator call: draws HR_RNG_CALL_WORDS words and makes the call's master state. */
HR_API hr_rng hr_rng_call(hr_rng *rng);
/* The states of sample `i` of a call, and of element `j` of that sample. */
HR_API hr_rng hr_rng_of_sample(const hr_rng *master, int64_t i);
HR_API hr_rng hr_rng_of_element(const hr_rng *sample, uint64_t j);
/* Text form, 59 characters and a NUL; reading answers HR_VALUE to anything else. */
HR_API void hr_rng_to_text(const hr_rng *rng, char text[HR_RNG_TEXT_SIZE]);
HR_API HR_CHECKED hr_status hr_rng_from_text(hr_rng *rng, const char *text, size_t len,
                                             hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
