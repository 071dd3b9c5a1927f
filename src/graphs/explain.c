/* Why an axis is what it is, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "graphs/learner.h"

typedef struct words {
    char *text;
    size_t size, length;
} words;

HR_PRINTF(2, 3)
static void say(words *w, const char *format, ...)
{
    char *at = w->length < w->size ? w->text + w->length : NULL;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(at, at ? w->size - w->length : 0, format, ap);
    va_end(ap);
    if (n > 0) w->length += (size_t)n;
}

static void say_pair(words *w, int64_t size, int64_t batch)
{
    if (batch == HR_BATCH_UNKNOWN)
        say(w, "%lld at an unknown batch size", (long long)size);
    else
        say(w, "%lld at batch size %lld", (long long)size, (long long)batch);
}

static void say_pairs(words *w, const hr__axis *a)
{
    enum { SHOWN = 6 };
    for (int64_t i = 0; i < a->n_pairs && i < SHOWN; i++) {
        say(w, i ? ", " : " (");
        say_pair(w, a->pairs[i].size, a->pairs[i].batch);
        if (a->pairs[i].assumed) say(w, " (assumed)");
    }
    int64_t more = a->n_pairs - SHOWN;
    if (more > 0) say(w, " and %lld more", (long long)more);
    if (a->n_pairs) say(w, ")");
}

static void explain_static(words *w, const hr__axis *a)
{
    say(w, "always %lld in %lld sample%s", (long long)a->min, (long long)a->n_seen,
        a->n_seen == 1 ? "" : "s");
    if (!hr__axis_is_open(a)) {
        say(w, " of batch sizes %lld to %lld: of one size", (long long)a->batch_min,
            (long long)a->batch_max);
        return;
    }
    if (a->n_known)
        say(w, " of batch size %lld", (long long)a->batch_min);
    else
        say(w, " without a batch size");
    say(w, ": still open, record one more sample with another batch size");
}

static void explain_dynamic(words *w, const hr__axis *a)
{
    say(w, "from %lld to %lld, and no whole multiple of the batch size: ", (long long)a->min,
        (long long)a->max);
    if (!a->n_known)
        say(w, "no sample had a batch size");
    else if (a->is_broken && a->broken_batch + a->broken_size) {
        say_pair(w, a->size0, a->batch0);
        say(w, ", but ");
        say_pair(w, a->broken_size, a->broken_batch);
    } else if (a->is_broken)
        say(w, "so a record says");
    else if (a->batch0 > 0 && (a->size0 % a->batch0 || !a->size0))
        say_pair(w, a->size0, a->batch0);
    else if (a->batch_min == a->batch_max)
        say(w, "only batch size %lld was seen, record one more sample with another",
            (long long)a->batch_min);
    else
        say(w, "samples without a batch size have sizes from %lld to %lld",
            (long long)a->unknown_min, (long long)a->unknown_max);
}

size_t hr_spec_explain(const hr_spec *spec, int32_t d, char *text, size_t size)
{
    words w = {text, size, 0};
    const hr__axis *a = &spec->axes[d];
    if (size) text[0] = '\0';
    switch (hr__axis_kind(a)) {
    case HR_AXIS_STATIC: explain_static(&w, a); break;
    case HR_AXIS_BATCH:
        say(&w, "%lld times the batch size in all %lld samples",
            (long long)(a->batch0 > 0 ? a->size0 / a->batch0 : 1), (long long)a->n_seen);
        say_pairs(&w, a);
        break;
    case HR_AXIS_DYNAMIC: explain_dynamic(&w, a); break;
    }
    return w.length;
}
