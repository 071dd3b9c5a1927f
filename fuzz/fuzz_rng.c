/* Bytes that claim to be a generator's state: what is accepted is written back the same,
 * but for the case of its digits. */
#include <headrace/rng.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hr_rng rng = {0};
    hr_error err = {0};
    char text[HR_RNG_TEXT_SIZE];
    if (hr_rng_from_text(&rng, (const char *)data, size, &err) != HR_OK) {
        if (err.status != HR_VALUE || !err.message[0]) abort();
        return 0;
    }
    hr_rng_to_text(&rng, text);
    if (size != HR_RNG_TEXT_SIZE - 1 || strncasecmp(text, (const char *)data, size)) abort();
    hr_rng_next(&rng);
    return 0;
}
