/* Statuses and the error that travels with them. An error is the caller's: it is filled by the
 * function that failed, on whatever thread that ran, and read by whoever waits for the result.
 * Thread use: an hr_error belongs to one thread at a time. */
#ifndef HR_ERROR_H
#define HR_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(HR_BUILDING) && defined(__GNUC__)
#define HR_API __attribute__((visibility("default")))
#else
#define HR_API
#endif

#if defined(__GNUC__)
#define HR_CHECKED __attribute__((warn_unused_result))
#define HR_PRINTF(fmt, first) __attribute__((format(printf, fmt, first), cold))
#else
#define HR_CHECKED
#define HR_PRINTF(fmt, first)
#endif

#define HR_STATUS_MAP(X)                                                               \
    X(OK) X(VALUE) X(TYPE) X(NOMEM) X(IO) X(DATA) X(STATE) X(INDEX) X(KEY)             \
    X(OVERFLOW) X(BUFFER) X(UNSUPPORTED) X(STOP) X(CANCELLED) X(BUG)

typedef enum hr_status {
#define HR_STATUS_ENUM(name) HR_##name,
    HR_STATUS_MAP(HR_STATUS_ENUM)
#undef HR_STATUS_ENUM
} hr_status;

/* What went wrong. Starts zeroed; hr_fail fills it, and the first error wins. */
typedef struct hr_error {
    hr_status status;
    int sys_errno;  /* with HR_IO: the system's number, else 0 */
    int64_t sample; /* index in the batch, or -1 */
    char message[488];
} hr_error;

/* Sets the text (printf rules, cut at the buffer's end) and returns `status`. `err` may be NULL.
 * An error that is already set stays. */
HR_API hr_status hr_fail(hr_error *err, hr_status status, const char *format, ...)
    HR_PRINTF(3, 4);

/* As hr_fail with HR_IO; keeps `sys_errno` and ends the text with the system's words for it. */
HR_API hr_status hr_fail_errno(hr_error *err, int sys_errno, const char *format, ...)
    HR_PRINTF(3, 4);

/* Puts "prefix: " before the text of a set error. */
HR_API void hr_error_prefix(hr_error *err, const char *format, ...) HR_PRINTF(2, 3);

/* Back to zeroed. */
HR_API void hr_error_clear(hr_error *err);

/* "VALUE", "IO", … */
HR_API const char *hr_status_name(hr_status status);

#define HR_TRY(call)                                                                   \
    do {                                                                               \
        hr_status hr_try_status_ = (call);                                             \
        if (hr_try_status_ != HR_OK) return hr_try_status_;                            \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
