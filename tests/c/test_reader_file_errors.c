/* readers.File over files that are wrong or change: errors, on_error="skip", no memory. */
#include "reader_fixture.h"

#include <fcntl.h>

/* ---- failures ---------------------------------------------------------------------------- */

static void check_fails(hr_reader *r, hr_status status, int64_t sample, const char *words)
{
    hr_batch *outs[2];
    hr_error err = {0};
    assert_int_equal(hr_reader_next(r, outs, NULL, NULL, &err), status);
    assert_null(outs[0]);
    assert_null(outs[1]);
    assert_int_equal(err.sample, sample);
    if (!strstr(err.message, words)) fail_msg("\"%s\" lacks \"%s\"", err.message, words);
}

/* The error comes with its own batch, and the batch again once the file is there. */
static void a_missing_file_is_named(void **state)
{
    (void)state;
    static const char *const files[] = {"0", "1", "2", "late", "4"};
    arguments a = numbered(5);
    set_texts(&a, "files", files, 5);
    set_bool(&a, "lazy_init", 1);
    hr_reader *r = open_reader(&a);
    int64_t labels[8];
    begin(r, -1, 2);
    assert_int_equal(next_labels(r, labels), 2);
    check_fails(r, HR_IO, 1, "item 3: cannot open ");
    check_fails(r, HR_IO, 1, "/late: No such file");
    write_text("late", "3");
    hr_batch *outs[2];
    hr_error err = {0};
    assert_int_equal(hr_reader_next(r, outs, NULL, NULL, &err), HR_OK);
    assert_int_equal(*(const int32_t *)outs[1]->t[1].data, 3);
    hr_batch_unref(&outs[0]);
    hr_batch_unref(&outs[1]);
    hr_reader_destroy(&r);
    unlink(path_to("late"));
}

static void other_failures_are_named(void **state)
{
    (void)state;
    write_text("void", "");
    static const struct {
        const char *file;
        hr_status status;
        const char *words;
    } rows[] = {{"void", HR_DATA, "void is empty"},
                {"folder", HR_IO, "Is a directory"},
                {"pipe.jpg", HR_IO, "no regular file"}};
    make_folder("folder");
    assert_int_equal(mkfifo(path_to("pipe.jpg"), 0644), 0);
    for (int i = 0; i < 3; i++) {
        arguments a = numbered(1);
        set_texts(&a, "files", &rows[i].file, 1);
        hr_reader *r = open_reader(&a);
        begin(r, -1, 1);
        check_fails(r, rows[i].status, 0, rows[i].words);
        hr_reader_destroy(&r);
    }
}

static void a_folder_that_disappears_is_an_error(void **state)
{
    (void)state;
    make_folder("gone");
    make_folder("gone/class");
    write_text("gone/class/1.jpg", "x");
    arguments a = {0};
    set_text(&a, "file_root", path_to("gone"));
    hr_reader *r = open_reader(&a);
    unlink(path_to("gone/class/1.jpg"));
    rmdir(path_to("gone/class"));
    begin(r, -1, 1);
    check_fails(r, HR_IO, 0, "gone/class/1.jpg");
    hr_reader_destroy(&r);
}

/* Contents that a file may have had: the whole of what is there at the end of reading. */
static void files_that_change_are_read_to_their_end(void **state)
{
    (void)state;
    static char large[300000];
    memset(large, 'a', sizeof large);
    static const char *const files[] = {"changes"};
    static const int64_t sizes[] = {300000, 1, 77777, 4096};
    for (int i = 0; i < 4; i++) {
        write_file("changes", large, (size_t)sizes[i]);
        arguments a = numbered(1);
        set_texts(&a, "files", files, 1);
        hr_reader *r = open_reader(&a);
        if (truncate(path_to("changes"), sizes[(i + 1) % 4]) != 0) fail();
        begin(r, -1, 1);
        hr_batch *outs[2];
        hr_error err = {0};
        assert_int_equal(hr_reader_next(r, outs, NULL, NULL, &err), HR_OK);
        assert_int_equal(outs[0]->t[0].shape[0], sizes[(i + 1) % 4]);
        hr_batch_unref(&outs[0]);
        hr_batch_unref(&outs[1]);
        hr_reader_destroy(&r);
    }
}

#if defined(__linux__)
/* A file whose size the system does not know beforehand. */
static void files_without_a_size_are_read(void **state)
{
    (void)state;
    static const char *const files[] = {"/proc/self/status"};
    arguments a = numbered(1);
    set_texts(&a, "files", files, 1);
    hr_reader *r = open_reader(&a);
    begin(r, -1, 1);
    hr_batch *outs[2];
    hr_error err = {0};
    assert_int_equal(hr_reader_next(r, outs, NULL, NULL, &err), HR_OK);
    assert_true(outs[0]->t[0].shape[0] > 500);
    assert_memory_equal(outs[0]->t[0].data, "Name:", 5);
    hr_batch_unref(&outs[0]);
    hr_batch_unref(&outs[1]);
    hr_reader_destroy(&r);
}
#endif

/* ---- on_error="skip" --------------------------------------------------------------------- */

static const char png[] = "\x89PNG\r\n\x1a\n", gif[] = "GIF89a", html[] = "<html>";

/* Files p0..p9: some gone, empty, of unknown kind. */
static arguments spoiled(const char *kinds)
{
    static char spoiled_names[16][8];
    static const char *files[16];
    int64_t n = (int64_t)strlen(kinds);
    for (int64_t i = 0; i < n; i++) {
        snprintf(spoiled_names[i], sizeof spoiled_names[i], "p%d", (int)i);
        files[i] = spoiled_names[i];
        unlink(path_to(files[i]));
        if (kinds[i] == '.') write_file(files[i], png, sizeof png);
        if (kinds[i] == 'e') write_text(files[i], "");
        if (kinds[i] == 'u') write_text(files[i], i % 2 ? html : gif);
    }
    arguments a = numbered(n);
    set_texts(&a, "files", files, n);
    set_text(&a, "on_error", "skip");
    return a;
}

/* The labels of one epoch, batches between bars: "0 1|2". */
static void check_labels(hr_reader *r, int64_t batch, const char *expected)
{
    char text[256] = "";
    size_t used = 0;
    begin(r, -1, batch);
    for (int first = 1;; first = 0) {
        hr_batch *outs[2];
        hr_error err = {0};
        hr_status status = hr_reader_next(r, outs, NULL, NULL, &err);
        if (status == HR_STOP) break;
        if (status != HR_OK) fail_msg("%s", err.message);
        for (int64_t i = 0; i < outs[1]->n; i++) {
            int label = *(const int32_t *)outs[1]->t[i].data;
            char name[8];
            snprintf(name, sizeof name, "p%d", label);
            assert_string_equal(outs[0]->t[i].meta->source, path_to(name));
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d",
                                     i ? " " : first ? "" : "|", label);
        }
        hr_batch_unref(&outs[0]);
        hr_batch_unref(&outs[1]);
    }
    assert_string_equal(text, expected);
}

static void bad_files_are_skipped_and_batches_close_up(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *kinds, *first, *second;
    } rows[] = {
        {"partial", "..m.e..u", "0 1 3|5 6", "0 1 3|5 6"},
        {"drop", "..m.e..u", "0 1 3", "0 1 3"},
        {"pad", "..m.e..u", "0 1 3|5 6 6|6 6 6", "0 1 3|5 6 6|6 6 6"},
        {"wrap", "..m.e..u", "0 1 3|5 6 0|1 3 5", "6 0 1|3 5 6|0 1 3"},
        {"pad", "...mmm", "0 1 2|2 2 2", "0 1 2|2 2 2"},
        {"partial", "mmm...", "3 4 5", "3 4 5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arguments a = spoiled(rows[i].kinds);
        set_text(&a, "last_batch", rows[i].policy);
        hr_reader *r = open_reader(&a);
        check_labels(r, 3, rows[i].first);
        check_labels(r, 3, rows[i].second);
        hr_reader_destroy(&r);
    }
}

static void skipped_files_are_counted(void **state)
{
    (void)state;
    arguments a = spoiled(".m.euu.m");
    set_text(&a, "last_batch", "partial");
    hr_reader *r = open_reader(&a);
    assert_string_equal(hr_reader_skip_report(r), "");
    check_labels(r, 2, "0 2|6");
    assert_string_equal(hr_reader_skip_report(r), "missing: 2\nempty: 1\nunknown kind: 2");
    hr_reader_info info;
    hr_reader_get_info(r, &info);
    assert_int_equal(info.skipped, 5);
    hr_reader_destroy(&r);
}

static void nothing_but_bad_files_is_an_error(void **state)
{
    (void)state;
    static const char *const policies[] = {"wrap", "pad", "partial", "drop"};
    for (int i = 0; i < 4; i++) {
        arguments a = spoiled("meum");
        set_text(&a, "last_batch", policies[i]);
        hr_reader *r = open_reader(&a);
        begin(r, -1, 2);
        check_fails(r, HR_DATA, -1, "(2 missing, 1 empty, 1 unknown kind)");
        hr_reader_destroy(&r);
    }
}

/* A place in the middle, after a skipped file, is taken up again exactly. */
static void places_count_skipped_files(void **state)
{
    (void)state;
    static const char *const policies[] = {"wrap", "pad", "partial", "drop"};
    for (int i = 0; i < 4; i++) {
        arguments a = spoiled(".m..u..e");
        set_text(&a, "last_batch", policies[i]);
        hr_reader *r = open_reader(&a), *other = open_reader(&a);
        begin(r, -1, 2);
        for (;;) {
            hr_reader_position at;
            hr_reader_get_position(r, &at);
            hr_error err = {0};
            hr_batch *x[2], *y[2];
            assert_int_equal(hr_reader_set_position(other, &at, 2, &err), HR_OK);
            hr_status status = hr_reader_next(r, x, NULL, NULL, &err);
            assert_int_equal(hr_reader_next(other, y, NULL, NULL, &err), status);
            if (status == HR_STOP) break;
            assert_int_equal(status, HR_OK);
            assert_int_equal(x[1]->n, y[1]->n);
            assert_memory_equal(x[1]->t[0].data, y[1]->t[0].data, 4 * (size_t)x[1]->n);
            for (int k = 0; k < 2; k++) {
                hr_batch_unref(&x[k]);
                hr_batch_unref(&y[k]);
            }
        }
        hr_reader_destroy(&r);
        hr_reader_destroy(&other);
    }
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Whatever allocation fails, the call says so and nothing is left behind. */
static void a_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    int n_failed = 0;
    for (uint64_t nth = 1; nth < 400; nth++) {
        hr_alloc_stats before, after;
        hr_alloc_get_stats(&before);
        arguments a = numbered(6);
        hr_reader *r = NULL;
        hr_error err;
        hr_batch *outs[2] = {NULL};
        hr_alloc_fail_at(nth);
        hr_status status = try_open(&a, &r, &err);
        if (status == HR_OK) status = hr_reader_begin(r, -1, 4, &err);
        if (status == HR_OK) status = hr_reader_next(r, outs, NULL, NULL, &err);
        if (status == HR_OK) {
            hr_batch_unref(&outs[0]);
            hr_batch_unref(&outs[1]);
            status = hr_reader_next(r, outs, NULL, NULL, &err);
        }
        hr_alloc_fail_at(0);
        if (status == HR_OK) {
            hr_batch_unref(&outs[0]);
            hr_batch_unref(&outs[1]);
        } else {
            assert_int_equal(status, HR_NOMEM);
            n_failed++;
        }
        hr_reader_destroy(&r);
        hr_alloc_get_stats(&after);
        assert_int_equal(before.live_blocks, after.live_blocks);
    }
    assert_true(n_failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(other_failures_are_named),
        cmocka_unit_test(a_folder_that_disappears_is_an_error),
        cmocka_unit_test(files_that_change_are_read_to_their_end),
#if defined(__linux__)
        cmocka_unit_test(files_without_a_size_are_read),
#endif
        cmocka_unit_test(bad_files_are_skipped_and_batches_close_up),
        cmocka_unit_test(skipped_files_are_counted),
        cmocka_unit_test(nothing_but_bad_files_is_an_error),
        cmocka_unit_test(places_count_skipped_files),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
