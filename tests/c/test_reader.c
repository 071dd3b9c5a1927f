/* Epochs, shards, last-batch policies and positions of readers, against a slow model. */
#include "reader_fixture.h"

#include <sys/wait.h>

enum { MAX_N = 20, MAX_SHARDS = 4, MAX_BATCH = 5, N_EPOCHS = 5 };

static const char *const policies[] = {"wrap", "pad", "partial", "drop"};

/* ---- the model --------------------------------------------------------------------------- */

typedef struct setting {
    int64_t n, batch, shards, shard, policy, stick;
} setting;

/* The items of order e of a shard, in sequence. */
static int64_t order_of(const setting *s, int64_t e, int64_t *items)
{
    int64_t shard = s->stick ? s->shard : (s->shard + e) % s->shards, n = 0;
    for (int64_t i = s->n * shard / s->shards; i < s->n * (shard + 1) / s->shards; i++)
        items[n++] = i;
    return n;
}

static int64_t largest(const setting *s) { return (s->n + s->shards - 1) / s->shards; }

/* The k-th item of the stream, and its order. */
static int64_t stream_item(const setting *s, int64_t k)
{
    int64_t items[MAX_N], n, e = 0;
    while ((n = order_of(s, e, items)) <= k) {
        k -= n;
        e++;
    }
    return items[k];
}

typedef struct expected {
    int64_t n_batches, sizes[MAX_N + 1], labels[MAX_N + 1][MAX_BATCH];
} expected;

/* Epoch e; `*used` is what the epochs before took of the stream (wrap). */
static void model_epoch(const setting *s, int64_t e, int64_t *used, expected *x)
{
    int64_t items[MAX_N], n = order_of(s, e, items), b = s->batch;
    int64_t padded = s->policy == 1 ? largest(s) : n;
    x->n_batches = s->policy == 3 ? n / b : (padded + b - 1) / b;
    for (int64_t k = 0; k < x->n_batches; k++) {
        x->sizes[k] = s->policy == 2 && (k + 1) * b > n ? n - k * b : b;
        for (int64_t j = 0; j < x->sizes[k]; j++) {
            int64_t at = k * b + j;
            x->labels[k][j] = s->policy == 0 ? stream_item(s, *used + at)
                              : items[at < n ? at : n - 1];
        }
    }
    *used += x->n_batches * b;
}

static hr_reader *open_setting(const setting *s)
{
    arguments a = numbered(s->n);
    set_int(&a, "num_shards", s->shards);
    set_int(&a, "shard_id", s->shard);
    set_bool(&a, "stick_to_shard", s->stick);
    set_text(&a, "last_batch", policies[s->policy]);
    set_bool(&a, "lazy_init", 1);
    return open_reader(&a);
}

static void check_epoch(hr_reader *r, const expected *x)
{
    int64_t labels[MAX_BATCH];
    for (int64_t k = 0; k < x->n_batches; k++) {
        int64_t got = next_labels(r, labels);
        assert_int_equal(got, x->sizes[k]);
        assert_memory_equal(labels, x->labels[k], sizeof labels[0] * (size_t)got);
    }
    assert_int_equal(next_labels(r, labels), -1);
}

/* One batch size, from epoch 0 on. */
static void check_batch_size(hr_reader *r, const setting *s)
{
    int64_t used = 0;
    for (int64_t e = 0; e < N_EPOCHS; e++) {
        expected x;
        model_epoch(s, e, &used, &x);
        int64_t which = e == 0 ? 0 : -1;
        assert_int_equal(hr_reader_epoch_batches(r, which, s->batch), x.n_batches);
        begin(r, which, s->batch);
        check_epoch(r, &x);
    }
}

static void check_setting(setting *s)
{
    hr_reader *r = open_setting(s);
    for (s->batch = 1; s->batch <= MAX_BATCH; s->batch++) check_batch_size(r, s);
    hr_reader_destroy(&r);
}

static int next_setting(setting *s)
{
    if (++s->stick < 2) return 1;
    s->stick = 0;
    if (++s->policy < 4) return 1;
    s->policy = 0;
    if (++s->shard < s->shards) return 1;
    s->shard = 0;
    if (++s->shards <= (s->n < MAX_SHARDS ? s->n : MAX_SHARDS)) return 1;
    s->shards = 1;
    return ++s->n <= MAX_N;
}

static void batches_are_those_of_the_model(void **state)
{
    (void)state;
    setting s = {1, 1, 1, 0, 0, 0};
    do check_setting(&s);
    while (next_setting(&s));
}

/* No items, and fewer items than shards, are refused at creation. */
static void too_few_items_are_refused(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 4; n++) {
        arguments a = numbered(n);
        set_int(&a, "num_shards", n + 1);
        hr_reader *r;
        hr_error err;
        assert_int_equal(try_open(&a, &r, &err), HR_VALUE);
        assert_null(r);
    }
}

/* Each item comes once an epoch from the shards together (all but drop and padding). */
static void shards_cover_all_items_once(void **state)
{
    (void)state;
    for (int64_t n = 4; n <= MAX_N; n++)
        for (int64_t e = 0; e < 3; e++) {
            int seen[MAX_N] = {0};
            for (int64_t shard = 0; shard < 4; shard++) {
                setting s = {n, 3, 4, shard, 2, 0};
                hr_reader *r = open_setting(&s);
                int64_t labels[MAX_BATCH], got;
                begin(r, e, 3);
                while ((got = next_labels(r, labels)) >= 0)
                    for (int64_t i = 0; i < got; i++) seen[labels[i]]++;
                hr_reader_destroy(&r);
            }
            for (int64_t i = 0; i < n; i++) assert_int_equal(seen[i], 1);
        }
}

/* ---- shuffles ---------------------------------------------------------------------------- */

static arguments shuffled(int64_t n, const char *which, int64_t shards, int64_t shard)
{
    arguments a = numbered(n);
    set_bool(&a, which, 1);
    set_int(&a, "num_shards", shards);
    set_int(&a, "shard_id", shard);
    set_text(&a, "last_batch", "partial");
    return a;
}

static int64_t read_epoch(hr_reader *r, int64_t epoch, int64_t batch, int64_t *labels)
{
    int64_t n = 0, got;
    begin(r, epoch, batch);
    while ((got = next_labels(r, labels + n)) >= 0) n += got;
    return n;
}

static void epochs_are_permutations_and_repeat(void **state)
{
    (void)state;
    arguments a = shuffled(20, "random_shuffle", 1, 0);
    set_int(&a, "seed", 7);
    hr_reader *one = open_reader(&a), *two = open_reader(&a);
    int64_t x[4][20], y[20];
    for (int e = 0; e < 4; e++) {
        assert_int_equal(read_epoch(one, -1, 3, x[e]), 20);
        int seen[20] = {0};
        for (int i = 0; i < 20; i++) seen[x[e][i]]++;
        for (int i = 0; i < 20; i++) assert_int_equal(seen[i], 1);
        if (e) assert_memory_not_equal(x[e], x[e - 1], sizeof x[e]);
    }
    for (int e = 3; e >= 0; e--) { /* begun anew, other batches */
        assert_int_equal(read_epoch(two, e, 7, y), 20);
        assert_memory_equal(y, x[e], sizeof y);
    }
    hr_reader_destroy(&one);
    hr_reader_destroy(&two);
}

/* All ranks divide the same order, and a rank's items change. */
static void shuffle_after_epoch_is_one_for_all_shards(void **state)
{
    (void)state;
    int64_t before[5] = {0};
    for (int64_t e = 0; e < 3; e++) {
        int seen[20] = {0};
        for (int64_t shard = 0; shard < 4; shard++) {
            arguments a = shuffled(20, "shuffle_after_epoch", 4, shard);
            hr_reader *r = open_reader(&a);
            int64_t x[20];
            assert_int_equal(read_epoch(r, e, 2, x), 5);
            for (int i = 0; i < 5; i++) seen[x[i]]++;
            if (shard == 0) {
                assert_memory_not_equal(x, before, sizeof before);
                memcpy(before, x, sizeof before);
            }
            hr_reader_destroy(&r);
        }
        for (int i = 0; i < 20; i++) assert_int_equal(seen[i], 1);
    }
}

/* ---- places ------------------------------------------------------------------------------ */

/* Wherever a run is left, another reader goes on from there with the same batches. */
static void check_resume(const arguments *a, int64_t batch)
{
    enum { N_BATCHES = 24 };
    int64_t all[N_BATCHES + 1][MAX_BATCH], sizes[N_BATCHES + 1];
    hr_reader_position at[N_BATCHES + 1];
    hr_reader *r = open_reader(a);
    begin(r, -1, batch);
    for (int i = 0; i <= N_BATCHES; i++) {
        hr_reader_get_position(r, &at[i]);
        while ((sizes[i] = next_labels(r, all[i])) < 0) begin(r, -1, batch);
    }
    hr_reader_destroy(&r);
    for (int i = 0; i <= N_BATCHES; i += 3) {
        hr_error err = {0};
        r = open_reader(a);
        assert_int_equal(hr_reader_set_position(r, &at[i], batch, &err), HR_OK);
        for (int j = i; j <= N_BATCHES; j++) {
            int64_t labels[MAX_BATCH], got;
            while ((got = next_labels(r, labels)) < 0) begin(r, -1, batch);
            assert_int_equal(got, sizes[j]);
            assert_memory_equal(labels, all[j], sizeof labels[0] * (size_t)got);
        }
        hr_reader_destroy(&r);
    }
}

static void positions_resume_exactly(void **state)
{
    (void)state;
    for (int policy = 0; policy < 4; policy++)
        for (int mode = 0; mode < 3; mode++)
            for (int64_t shard = 0; shard < 3; shard += 2) {
                arguments a = numbered(11);
                set_text(&a, "last_batch", policies[policy]);
                set_int(&a, "num_shards", 3);
                set_int(&a, "shard_id", shard);
                if (mode) set_bool(&a, mode == 1 ? "random_shuffle" : "shuffle_after_epoch", 1);
                check_resume(&a, 2);
            }
}

/* The seed travels with the position. */
static void positions_carry_the_seed(void **state)
{
    (void)state;
    arguments a = shuffled(20, "random_shuffle", 1, 0);
    set_int(&a, "seed", 5);
    hr_reader *one = open_reader(&a);
    set_int(&a, "seed", 6);
    hr_reader *two = open_reader(&a);
    int64_t x[20], y[20];
    hr_reader_position at;
    read_epoch(one, 1, 4, x);
    begin(one, 1, 4);
    hr_reader_get_position(one, &at);
    hr_error err = {0};
    assert_int_equal(hr_reader_set_position(two, &at, 4, &err), HR_OK);
    int64_t n = 0, got;
    while ((got = next_labels(two, y + n)) >= 0) n += got;
    assert_memory_equal(x, y, sizeof x);
    hr_reader_destroy(&one);
    hr_reader_destroy(&two);
}

/* An epoch left in the middle: wrap goes on with a new one from there, the others end it. */
static void nothing_is_lost_by_leaving(void **state)
{
    (void)state;
    for (int policy = 0; policy < 4; policy++) {
        setting s = {8, 2, 1, 0, policy, 0};
        hr_reader *r = open_setting(&s);
        int64_t labels[MAX_BATCH];
        begin(r, -1, 2);
        next_labels(r, labels);
        int64_t promised = hr_reader_epoch_batches(r, -1, 2);
        assert_int_equal(promised, policy == 0 ? 4 : 3);
        begin(r, -1, 2);
        int64_t n = 0;
        for (int64_t next = 2; next_labels(r, labels) >= 0; n++, next += 2)
            assert_int_equal(labels[0], next % 8);
        assert_int_equal(n, promised);
        hr_reader_position p;
        hr_reader_get_position(r, &p);
        assert_int_equal(p.epoch, policy == 0 ? 1 : 0);
        hr_reader_destroy(&r);
    }
}

static void an_epoch_can_be_begun_by_number(void **state)
{
    (void)state;
    setting s = {5, 2, 1, 0, 0, 0};
    hr_reader *r = open_setting(&s);
    int64_t labels[MAX_BATCH];
    for (int64_t e = 0; e < 3; e++) {
        begin(r, e, 2);
        next_labels(r, labels);
        assert_int_equal(labels[0], 0);
    }
    hr_error err = {0};
    assert_int_equal(hr_reader_begin(r, -2, 2, &err), HR_VALUE);
    hr_reader_destroy(&r);
}

static void wrong_positions_are_refused(void **state)
{
    (void)state;
    static const hr_reader_position wrong[] = {
        {-1, 0, 0, 0, 0}, {0, -1, 0, 0, 0}, {0, 4, 0, 0, 0},         {0, 0, -1, 0, 0},
        {0, 0, 0, 5, 0},  {0, 0, 0, -1, 0}, {0, 0, INT64_MAX, 0, 0}, {INT64_MAX, 0, 0, 0, 0},
    };
    setting s = {5, 2, 1, 0, 0, 0};
    hr_reader *r = open_setting(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hr_error err = {0};
        assert_int_equal(hr_reader_set_position(r, &wrong[i], 2, &err), HR_VALUE);
    }
    hr_error err = {0};
    hr_batch *outs[2];
    assert_int_equal(hr_reader_next(r, outs, NULL, NULL, &err), HR_STATE);
    static const int64_t sizes[] = {0, -1, HR_READER_MAX_BATCH + 1, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        err = (hr_error){0};
        assert_int_equal(hr_reader_begin(r, -1, sizes[i], &err), HR_VALUE);
    }
    hr_reader_destroy(&r);
}

static void surplus_samples_are_counted(void **state)
{
    (void)state;
    static const int64_t fills[4][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 0}, {0, 0, -1}};
    for (int policy = 0; policy < 4; policy++) {
        setting s = {5, 2, 1, 0, policy, 0};
        hr_reader *r = open_setting(&s);
        int64_t labels[MAX_BATCH];
        begin(r, -1, 2);
        for (int k = 0; next_labels(r, labels) >= 0; k++) {
            hr_reader_info info;
            hr_reader_get_info(r, &info);
            assert_int_equal(info.fill, fills[policy][k]);
        }
        hr_reader_destroy(&r);
    }
}

/* ---- processes --------------------------------------------------------------------------- */

#if !defined(__SANITIZE_THREAD__) /* it cannot follow a child that starts threads */
static void both_processes_go_on_after_fork(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        setting s = {20, 3, 1, 0, 2, 0};
        hr_reader *r = open_setting(&s);
        int64_t labels[MAX_BATCH];
        begin(r, -1, 3);
        next_labels(r, labels);
        pid_t child = fork();
        assert_true(child >= 0);
        int64_t next = 3, got;
        while ((got = next_labels(r, labels)) >= 0) {
            if (child == 0 && labels[0] != next) _exit(1);
            assert_int_equal(labels[0], next);
            next += got;
        }
        hr_reader_destroy(&r);
        if (child == 0) _exit(next == 20 ? 0 : 2);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

#endif

static int cancel_at_once(void *arg)
{
    ++*(int *)arg;
    return 1;
}

/* A cancelled call gives nothing out and loses nothing. */
static void a_cancelled_batch_comes_again(void **state)
{
    (void)state;
    setting s = {20, 3, 1, 0, 2, 0};
    int n_polls = 0, n_cancelled = 0;
    for (int round = 0; round < 50; round++) {
        hr_reader *r = open_setting(&s);
        begin(r, -1, 3);
        hr_batch *outs[2];
        hr_error err = {0};
        hr_status status = hr_reader_next(r, outs, cancel_at_once, &n_polls, &err);
        int64_t labels[MAX_BATCH];
        if (status == HR_CANCELLED) {
            n_cancelled++;
            next_labels(r, labels);
            assert_int_equal(labels[0], 0);
        } else {
            assert_int_equal(status, HR_OK);
            hr_batch_unref(&outs[0]);
            hr_batch_unref(&outs[1]);
        }
        hr_reader_destroy(&r);
    }
    assert_int_equal(n_cancelled, n_polls);
    assert_true(n_cancelled > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_those_of_the_model),
        cmocka_unit_test(too_few_items_are_refused),
        cmocka_unit_test(shards_cover_all_items_once),
        cmocka_unit_test(epochs_are_permutations_and_repeat),
        cmocka_unit_test(shuffle_after_epoch_is_one_for_all_shards),
        cmocka_unit_test(positions_resume_exactly),
        cmocka_unit_test(positions_carry_the_seed),
        cmocka_unit_test(nothing_is_lost_by_leaving),
        cmocka_unit_test(an_epoch_can_be_begun_by_number),
        cmocka_unit_test(wrong_positions_are_refused),
        cmocka_unit_test(surplus_samples_are_counted),
#if !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(both_processes_go_on_after_fork),
#endif
        cmocka_unit_test(a_cancelled_batch_comes_again),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
