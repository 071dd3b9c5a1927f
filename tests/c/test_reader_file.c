/* readers.File: what it lists, and the arguments that it refuses. */
#include "reader_fixture.h"

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

/* Memory that is handed out next is full of digits: nothing may read them behind a file's end. */
static void leave_digits(void)
{
    enum { N = 16 };
    char *p[N];
    for (size_t size = 8; size <= 1024; size += 8) {
        for (int i = 0; i < N; i++) {
            p[i] = hr_alloc(1, size);
            assert_non_null(p[i]);
            memset(p[i], '9', size);
        }
        for (int i = 0; i < N; i++) hr_free(p[i]);
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
        leave_digits();
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
    check_refused(&a, HR_VALUE, "`shard_id` is 1, it must be within 0..0");
    set_int(&a, "num_shards", 0);
    check_refused(&a, HR_VALUE, "`num_shards` is 0");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_classes_by_bytes),
        cmocka_unit_test(filters_choose),
        cmocka_unit_test(list_files_are_understood),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_files);
}
