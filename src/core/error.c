/* Errors: one text, made where the failure is seen; the first one wins. */
#include <headrace/error.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set_text(hr_error *err, hr_status status, int sys_errno, const char *format,
                     va_list ap)
{
    err->status = status;
    err->sys_errno = sys_errno;
    err->sample = -1;
    vsnprintf(err->message, sizeof err->message, format, ap);
}

hr_status hr_fail(hr_error *err, hr_status status, const char *format, ...)
{
    if (err && err->status == HR_OK) {
        va_list ap;
        va_start(ap, format);
        set_text(err, status, 0, format, ap);
        va_end(ap);
    }
    return status;
}

hr_status hr_fail_errno(hr_error *err, int sys_errno, const char *format, ...)
{
    if (err && err->status == HR_OK) {
        va_list ap;
        va_start(ap, format);
        set_text(err, HR_IO, sys_errno, format, ap);
        va_end(ap);
        size_t n = strlen(err->message);
        char words[128];
        /* GNU's strerror_r may return another buffer than ours; XSI's returns a number. */
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
        const char *text = strerror_r(sys_errno, words, sizeof words);
#else
        const char *text = words;
        if (strerror_r(sys_errno, words, sizeof words) != 0)
            snprintf(words, sizeof words, "error %d", sys_errno);
#endif
        snprintf(err->message + n, sizeof err->message - n, ": %s", text);
    }
    return HR_IO;
}

void hr_error_prefix(hr_error *err, const char *format, ...)
{
    if (!err || err->status == HR_OK) return;
    char text[sizeof err->message];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (n < 0) return;
    size_t used = strlen(text), left = sizeof text - used;
    size_t colon = left > 2 ? 2 : 0, rest = strlen(err->message);
    memcpy(text + used, ": ", colon);
    used += colon;
    if (rest > sizeof text - 1 - used) rest = sizeof text - 1 - used;
    memcpy(text + used, err->message, rest);
    text[used + rest] = '\0';
    memcpy(err->message, text, sizeof text);
}

void hr_error_clear(hr_error *err)
{
    if (err) memset(err, 0, sizeof *err);
}

const char *hr_status_name(hr_status status)
{
    switch (status) {
#define HR_STATUS_CASE(name)                                                           \
    case HR_##name: return #name;
        HR_STATUS_MAP(HR_STATUS_CASE)
#undef HR_STATUS_CASE
    }
    return "unknown";
}
