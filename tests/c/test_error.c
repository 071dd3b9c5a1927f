/* Errors: the first one wins, texts are cut at the buffer's end, prefixes go in front. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <headrace/error.h>

enum { ROOM = sizeof(((hr_error *)0)->message) };

static void test_fail_sets_text_and_status(void **state)
{
    (void)state;
    hr_error err = {0};
    assert_int_equal(hr_fail(&err, HR_VALUE, "width %d is over %d", 7, 5), HR_VALUE);
    assert_int_equal(err.status, HR_VALUE);
    assert_int_equal(err.sys_errno, 0);
    assert_int_equal(err.sample, -1);
    assert_string_equal(err.message, "width 7 is over 5");
}

static void test_the_first_error_wins(void **state)
{
    (void)state;
    hr_error err = {0};
    assert_int_equal(hr_fail(&err, HR_DATA, "first"), HR_DATA);
    assert_int_equal(hr_fail(&err, HR_NOMEM, "second"), HR_NOMEM); /* its own status, still */
    assert_int_equal(hr_fail_errno(&err, ENOENT, "third"), HR_IO);
    assert_int_equal(err.status, HR_DATA);
    assert_int_equal(err.sys_errno, 0);
    assert_string_equal(err.message, "first");
    hr_error_clear(&err);
    assert_int_equal(err.status, HR_OK);
    assert_string_equal(err.message, "");
    assert_int_equal(hr_fail(&err, HR_KEY, "anew"), HR_KEY);
    assert_string_equal(err.message, "anew");
}

static void test_null_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(hr_fail(NULL, HR_INDEX, "%s", "unheard"), HR_INDEX);
    assert_int_equal(hr_fail_errno(NULL, EACCES, "unheard"), HR_IO);
    hr_error_prefix(NULL, "unheard");
    hr_error_clear(NULL);
}

static void test_text_is_cut_at_the_end(void **state)
{
    (void)state;
    char text[3 * ROOM];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (size_t n = ROOM - 3; n < ROOM + 3; n++) {
        hr_error err = {0};
        assert_int_equal(hr_fail(&err, HR_VALUE, "%.*s", (int)n, text), HR_VALUE);
        assert_int_equal(strlen(err.message), n < ROOM ? n : ROOM - 1);
    }
    hr_error err = {0};
    assert_int_equal(hr_fail_errno(&err, ENOENT, "%s", text), HR_IO);
    assert_int_equal(strlen(err.message), ROOM - 1);
    assert_int_equal(err.sys_errno, ENOENT);
}

static void test_errno_words(void **state)
{
    (void)state;
    hr_error err = {0};
    assert_int_equal(hr_fail_errno(&err, ENOENT, "cannot read \"%s\"", "a.jpg"), HR_IO);
    assert_string_equal(err.message, "cannot read \"a.jpg\": No such file or directory");
    assert_int_equal(err.sys_errno, ENOENT);
    hr_error_clear(&err);
    assert_int_equal(hr_fail_errno(&err, 123456, "strange"), HR_IO);
    assert_non_null(strstr(err.message, "123456"));
}

static void test_prefix(void **state)
{
    (void)state;
    hr_error err = {0};
    hr_error_prefix(&err, "nothing to put it before");
    assert_int_equal(err.status, HR_OK);
    assert_string_equal(err.message, "");
    assert_int_equal(hr_fail(&err, HR_DATA, "no end of image"), HR_DATA);
    hr_error_prefix(&err, "sample %d", 3);
    hr_error_prefix(&err, "%s", "decoders.image");
    assert_string_equal(err.message, "decoders.image: sample 3: no end of image");
    assert_int_equal(err.status, HR_DATA);
}

/* For every length of text and prefix round the room: terminated, and the front is kept. */
static void test_prefix_is_cut(void **state)
{
    (void)state;
    char text[2 * ROOM], prefix[2 * ROOM];
    memset(text, 't', sizeof text);
    memset(prefix, 'p', sizeof prefix);
    for (int n = 0; n < ROOM + 4; n += n < ROOM - 8 ? 37 : 1)
        for (int m = 0; m < ROOM + 4; m += m < ROOM - 8 ? 29 : 1) {
            hr_error err = {0};
            assert_int_equal(hr_fail(&err, HR_VALUE, "%.*s", n, text), HR_VALUE);
            hr_error_prefix(&err, "%.*s", m, prefix);
            char whole[4 * ROOM];
            memcpy(whole, prefix, (size_t)m);
            memcpy(whole + m, ": ", 2);
            memcpy(whole + m + 2, text, (size_t)n);
            size_t got = strlen(err.message), full = (size_t)(n < ROOM ? n : ROOM - 1) + 2 +
                                                     (size_t)(m < ROOM ? m : ROOM - 1);
            if (full < ROOM) assert_int_equal(got, full);
            else assert_in_range(got, ROOM - 3, ROOM - 1); /* the colon is kept whole or not */
            assert_memory_equal(err.message, whole, got < ROOM - 3 ? got : ROOM - 3);
        }
}

static void test_status_names(void **state)
{
    (void)state;
    assert_string_equal(hr_status_name(HR_OK), "OK");
    assert_string_equal(hr_status_name(HR_CANCELLED), "CANCELLED");
    assert_string_equal(hr_status_name(HR_BUG), "BUG");
    assert_string_equal(hr_status_name((hr_status)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fail_sets_text_and_status),
        cmocka_unit_test(test_the_first_error_wins),
        cmocka_unit_test(test_null_is_allowed),
        cmocka_unit_test(test_text_is_cut_at_the_end),
        cmocka_unit_test(test_errno_words),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_prefix_is_cut),
        cmocka_unit_test(test_status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
