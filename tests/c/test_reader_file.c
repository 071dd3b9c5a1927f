/* readers.File: what it lists, what it refuses, and files that are wrong or change. */
#include "reader_fixture.h"

#include <errno.h>
#include <fcntl.h>

/* ---- listings ---------------------------------------------------------------------------- */

typedef struct listing {
    int n;
    int32_t labels[MAX_FILES];
    char sources[MAX_FILES][256]; /* without the temporary folder */
} listing;

/* Reads one epoch in single samples. */
static listing list(const arguments *a)
{
    static listing l;
    l = (listing){0};
    arguments with = *a;
    set_text(&with, "last_batch", "partial");
    hr_reader *r = open_reader(&with);
    begin(r, -1, 1);
    for (;;) {
        hr_batch *outs[2];
        hr_error err = {0};
        hr_status status = hr_reader_next(r, outs, NULL, NULL, &err);
        if (status == HR_STOP) break;
        if (status != HR_OK) fail_msg("%s", err.message);
        assert_true(l.n < MAX_FILES);
        l.labels[l.n] = *(const int32_t *)outs[1]->t[0].data;
        snprintf(l.sources[l.n++], sizeof l.sources[0], "%s",
                 outs[0]->t[0].meta->source + strlen(folder) + 1);
        hr_batch_unref(&outs[0]);
        hr_batch_unref(&outs[1]);
    }
    hr_reader_destroy(&r);
    return l;
}

/* "label source, label source, ..." */
static void check_list(const arguments *a, const char *expected)
{
    listing l = list(a);
    static char text[MAX_FILES * 300];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < l.n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", i ? ", " : "",
                                 (int)l.labels[i], l.sources[i]);
    assert_string_equal(text, expected);
}

static void check_refused(const arguments *a, hr_status status, const char *words)
{
    hr_reader *r;
    hr_error err;
    assert_int_equal(try_open(a, &r, &err), status);
    assert_null(r);
    if (!strstr(err.message, words)) fail_msg("\"%s\" lacks \"%s\"", err.message, words);
}

static int make_tree(void **state)
{
    if (make_files(state) != 0) return -1;
    static const char *const folders[] = {"root", "root/Bird", "root/cat", "root/dog",
                                          "root/dog/deep", "root/empty", "root/.hidden",
                                          "root/cat/x.jpg", "none"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) make_folder(folders[i]);
    static const char *const files[] = {
        "root/top.jpg", "root/Bird/b.jpg", "root/Bird/10.png", "root/Bird/9.PNG",
        "root/Bird/note.txt", "root/cat/.h.jpg", "root/cat/\xc3\xa9.jpg", "root/cat/a b.jpg",
        "root/cat/\xff.jpg", "root/dog/z.jpg", "root/dog/deep/d.jpg", "root/.hidden/s.jpg",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) write_text(files[i], "x");
    if (symlink("Bird", path_to("root/link")) != 0) return -1;
    if (symlink("../Bird/b.jpg", path_to("root/dog/l.jpg")) != 0) return -1;
    if (symlink("..", path_to("root/dog/loop.jpg")) != 0) return -1;
    return mkfifo(path_to("root/dog/pipe.jpg"), 0644);
}

static void folders_are_classes_by_bytes(void **state)
{
    (void)state;
    arguments a = {0};
    set_text(&a, "file_root", path_to("root"));
    check_list(&a, "0 root/.hidden/s.jpg, 1 root/Bird/10.png, 1 root/Bird/9.PNG, "
                   "1 root/Bird/b.jpg, 2 root/cat/.h.jpg, 2 root/cat/a b.jpg, "
                   "2 root/cat/\xc3\xa9.jpg, 2 root/cat/\xff.jpg, 3 root/dog/l.jpg, "
                   "3 root/dog/z.jpg, 5 root/link/10.png, 5 root/link/9.PNG, "
                   "5 root/link/b.jpg");
    hr_reader *r = open_reader(&a);
    assert_string_equal(hr_reader_class_name(r, 1), "Bird");
    assert_string_equal(hr_reader_class_name(r, 4), "empty");
    assert_null(hr_reader_class_name(r, 6));
    assert_null(hr_reader_class_name(r, -1));
    hr_reader_destroy(&r);
}

static void filters_choose(void **state)
{
    (void)state;
    static const struct {
        const char *folders, *files;
        int case_sensitive;
        const char *expected;
    } rows[] = {
        {"b*", "*.jpg", 0, "0 root/Bird/b.jpg"},
        {"[Bc]*", "*.png", 0, "0 root/Bird/10.png, 0 root/Bird/9.PNG"},
        {"[Bc]*", "*.png", 1, "0 root/Bird/10.png"},
        {"*", "?.txt", 0, ""},
        {"*", "n?te.*", 0, "1 root/Bird/note.txt, 5 root/link/note.txt"},
        {"cat", "?.jpg", 0, "0 root/cat/\xc3\xa9.jpg, 0 root/cat/\xff.jpg"},
        {"cat", "\xc3\x89.jpg", 0, "0 root/cat/\xc3\xa9.jpg"},
        {"cat", "\xc3\x89.jpg", 1, ""},
        {"dog", "[!l]*", 0, "0 root/dog/z.jpg"},
        {"Bird", "\\9.png", 0, "0 root/Bird/9.PNG"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arguments a = {0};
        set_text(&a, "file_root", path_to("root"));
        set_texts(&a, "dir_filters", &rows[i].folders, 1);
        set_texts(&a, "file_filters", &rows[i].files, 1);
        set_bool(&a, "case_sensitive_filter", rows[i].case_sensitive);
        if (rows[i].expected[0]) check_list(&a, rows[i].expected);
        else check_refused(&a, HR_VALUE, "passes `");
    }
}

static void list_files_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected; /* NULL: refused with `words` */
        const char *words;
    } rows[] = {
        {"1 7\n2 8\n", "7 1, 8 2", NULL},
        {"1 7\r\n2 8\r\n", "7 1, 8 2", NULL},
        {"\n1 7\n\n \t\n2 8", "7 1, 8 2", NULL},
        {"\xef\xbb\xbf" "1\t7\n2 \t 8  \n", "7 1, 8 2", NULL},
        {"1 -7\n2 -2147483648\n", "-7 1, -2147483648 2", NULL},
        {"root/cat/a b.jpg 4\n", "4 root/cat/a b.jpg", NULL},
        {"root/cat/a b.jpg\n3\n", "0 root/cat/a b.jpg, 1 3", NULL},
        {"5\n", "0 5", NULL},
        {"1 7\n2\n", NULL, "line 2: expected a file name followed by a whole-number label"},
        {"1 7\n2 cat\n", NULL, "the line has \"2 cat\""},
        {"1 7\n2 1.5\n", NULL, "line 2"},
        {"1 7\n2 3000000000\n", NULL, "outside int32"},
        {"1 7\n2 99999999999999999999\n", NULL, "outside int32"},
        {"\n \n", NULL, "names no files"},
        {"", NULL, "is empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text("list.txt", rows[i].text);
        arguments a = {0};
        set_text(&a, "file_list", path_to("list.txt"));
        if (rows[i].expected) {
            check_list(&a, rows[i].expected);
        } else {
            hr_reader *r;
            hr_error err;
            assert_int_not_equal(try_open(&a, &r, &err), HR_OK);
            if (!strstr(err.message, rows[i].words)) fail_msg("%zu: %s", i, err.message);
        }
    }
    write_file("list.txt", "1\0 7\n", 5);
    arguments a = {0};
    set_text(&a, "file_list", path_to("list.txt"));
    check_refused(&a, HR_DATA, "zero bytes");
    write_text("list.txt", "b.jpg 3\n");
    set_text(&a, "file_root", path_to("root/Bird"));
    check_list(&a, "3 root/Bird/b.jpg");
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    arguments none = {0}, a;
    check_refused(&none, HR_VALUE, "must be given");
    a = none;
    set_text(&a, "file_root", path_to("nowhere"));
    check_refused(&a, HR_IO, "nowhere");
    set_text(&a, "file_root", path_to("none"));
    check_refused(&a, HR_VALUE, "none");
    set_text(&a, "file_root", path_to("1"));
    check_refused(&a, HR_IO, "cannot read folder");
    a = numbered(3);
    set_text(&a, "file_list", path_to("list.txt"));
    check_refused(&a, HR_VALUE, "exclude each other");
    a = numbered(3);
    static const int64_t labels[] = {1, 2, 2147483648};
    *argument(&a, "labels") = (hr_value){.kind = HR_VALUE_INTS, .n = 2, .u.ints = labels};
    check_refused(&a, HR_VALUE, "2 entries for 3");
    argument(&a, "labels")->n = 3;
    check_refused(&a, HR_VALUE, "2147483648");
    a = none;
    set_text(&a, "file_root", path_to("root"));
    *argument(&a, "labels") = (hr_value){.kind = HR_VALUE_INTS, .n = 2, .u.ints = labels};
    check_refused(&a, HR_VALUE, "needs `files`");
    a = numbered(3);
    set_int(&a, "shard_id", 1);
    check_refused(&a, HR_VALUE, "shard_id 1 is outside 0..0");
    set_int(&a, "num_shards", 0);
    check_refused(&a, HR_VALUE, "num_shards is 0");
    a = numbered(3);
    set_bool(&a, "pad_last_batch", 1);
    set_text(&a, "last_batch", "partial");
    check_refused(&a, HR_VALUE, "contradicts");
    set_text(&a, "last_batch", "short");
    check_refused(&a, HR_VALUE, "short");
    a = numbered(3);
    set_bool(&a, "random_shuffle", 1);
    set_bool(&a, "shuffle_after_epoch", 1);
    check_refused(&a, HR_VALUE, "exclude each other");
    static const char *const gone[] = {"1", "gone"};
    a = numbered(3);
    set_texts(&a, "files", gone, 2);
    check_refused(&a, HR_IO, "gone");
    write_text("list.txt", "1 cat\n2 dog\n");
    a = none;
    set_text(&a, "file_list", path_to("list.txt"));
    check_refused(&a, HR_IO, "1 cat (no line of the list ends in a whole-number label)");
}

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
                {"root", HR_IO, "Is a directory"},
                {"root/dog/pipe.jpg", HR_IO, "no regular file"}};
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
        check_fails(r, HR_DATA, -1, "2 missing, 1 empty, 1 of unknown kind");
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
        cmocka_unit_test(folders_are_classes_by_bytes),
        cmocka_unit_test(filters_choose),
        cmocka_unit_test(list_files_are_understood),
        cmocka_unit_test(wrong_arguments_are_refused),
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
    return cmocka_run_group_tests(tests, make_tree, remove_files);
}
