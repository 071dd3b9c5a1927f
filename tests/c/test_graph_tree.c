/* Trees of calls: what makes two of them the same key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <headrace/memory.h>

#include "call_trees.h"

static const int64_t sizes[8] = {2, 3, 4, 5, 6, 7, 8, 9};

/* {"x": tensor of rank, "opts": ["a", {"k": tensor of rank 2}]}, or with the keys the other way. */
static void build(hr_tree *t, hr_tree_room *room, int32_t rank, const char *word, int turned)
{
    hr_tree_init(t, room, 0);
    for (int i = 0; i < 2; i++) {
        if (i == turned) {
            assert_int_equal(add_tensor(t, add_key(t, -1, "x"), rank, sizes), HR_OK);
            continue;
        }
        int32_t opts = add_key(t, -1, "opts");
        assert_int_equal(add_text(t, add_item(t, opts, 0), word), HR_OK);
        int32_t dict = add_item(t, opts, 1);
        assert_int_equal(add_tensor(t, add_key(t, dict, "k"), 2, sizes + rank), HR_OK);
    }
    hr_tree_seal(t);
}

static int same(int32_t rank, const char *word, int turned)
{
    hr_tree a, b;
    hr_tree_room rooms[2];
    build(&a, &rooms[0], 1, "a", 0);
    build(&b, &rooms[1], rank, word, turned);
    int equal = hr_tree_equal(&a, &b, &text_ways);
    assert_int_equal(equal, hr_tree_equal(&b, &a, &text_ways));
    if (equal) assert_true(a.hash == b.hash);
    hr_tree_clear(&a);
    hr_tree_clear(&b);
    return equal;
}

static void key_is_ranks_places_and_values(void **state)
{
    (void)state;
    char word[] = "a"; /* another address */
    assert_int_equal(same(1, word, 0), 1);
    assert_int_equal(same(1, "a", 1), 1); /* whatever the order */
    assert_int_equal(same(2, "a", 0), 0);
    assert_int_equal(same(1, "b", 0), 0);
    assert_int_equal(same(1, "b", 1), 0);
}

static void marks_and_kinds_of_steps_differ(void **state)
{
    (void)state;
    hr_tree a, b;
    int32_t node;
    hr_tree_init(&a, NULL, 0);
    hr_tree_init(&b, NULL, 1);
    assert_int_equal(add_tensor(&a, add_key(&a, -1, "x"), 1, sizes), HR_OK);
    assert_int_equal(add_tensor(&b, add_key(&b, -1, "x"), 1, sizes), HR_OK);
    hr_tree_seal(&a);
    hr_tree_seal(&b);
    assert_int_equal(hr_tree_equal(&a, &b, &text_ways), 0);
    hr_tree_clear(&b);
    hr_tree_init(&b, NULL, 0);
    assert_int_equal(hr_tree_add_key(&b, -1, HR_PATH_RECORD, "x", text_hash("x"), &node, NULL), HR_OK);
    assert_int_equal(add_tensor(&b, node, 1, sizes), HR_OK);
    hr_tree_seal(&b);
    assert_int_equal(hr_tree_equal(&a, &b, &text_ways), 0);
    hr_tree_clear(&a);
    hr_tree_clear(&b);
}

/* Grows past its room, many leaves of one hash value, the second tree in reverse. */
static void large_trees_in_any_order(void **state)
{
    (void)state;
    enum { N = 3000 };
    static char keys[N][8];
    hr_tree a, b, packed;
    hr_tree_room room;
    int32_t *map = malloc(N * sizeof *map);
    hr_tree_init(&a, &room, 0);
    hr_tree_init(&b, NULL, 0);
    for (int i = 0; i < N; i++) snprintf(keys[i], sizeof keys[i], "%d", i);
    for (int i = 0; i < N; i++) {
        assert_int_equal(add_tensor(&a, add_key(&a, -1, keys[i]), i % 4, sizes), HR_OK);
        int j = N - 1 - i;
        assert_int_equal(add_tensor(&b, add_key(&b, -1, keys[j]), j % 4, sizes), HR_OK);
    }
    hr_tree_seal(&a);
    hr_tree_seal(&b);
    assert_int_equal(hr_tree_equal(&a, &b, &text_ways), 1);
    assert_int_equal(hr_tree_map_tensors(&a, &b, &text_ways, map), 1);
    for (int i = 0; i < N; i++) assert_int_equal(map[i], N - 1 - i);
    void *block = malloc(hr_tree_packed_size(&b));
    hr_tree_pack(&packed, &b, block);
    assert_int_equal(b.n_leaves, 0);
    assert_int_equal(hr_tree_equal(&a, &packed, &text_ways), 1);
    assert_int_equal(packed.sizes[packed.leaves[1].sizes], sizes[0]);
    hr_tree_clear(&a);
    hr_tree_clear(&packed);
    free(block);
    free(map);
}

/* Hashes that say nothing: comparison alone must tell. */
static void equal_hashes_are_not_equal_keys(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "b", "c", "d"};
    hr_tree t[3];
    for (int k = 0; k < 3; k++) {
        hr_tree_init(&t[k], NULL, 0);
        for (int i = 0; i < 4; i++) {
            int j = k == 1 ? 3 - i : i;
            int32_t node;
            assert_int_equal(hr_tree_add_key(&t[k], -1, HR_PATH_MAPPING, words[j], 5, &node, NULL), HR_OK);
            const char *value = k == 2 && j == 3 ? "x" : "v";
            assert_int_equal(hr_tree_add_value(&t[k], node, value, value, 5, NULL), HR_OK);
        }
        hr_tree_seal(&t[k]);
    }
    assert_true(t[0].hash == t[1].hash && t[0].hash == t[2].hash);
    assert_int_equal(hr_tree_equal(&t[0], &t[1], &text_ways), 1);
    assert_int_equal(hr_tree_equal(&t[0], &t[2], &text_ways), 0);
    assert_int_equal(hr_tree_equal(&t[1], &t[2], &text_ways), 0);
    for (int k = 0; k < 3; k++) hr_tree_clear(&t[k]);
}

static void failing_comparison_is_told(void **state)
{
    (void)state;
    hr_tree a, b;
    hr_tree_room rooms[2];
    char word[] = "a";
    build(&a, &rooms[0], 1, "a", 0);
    build(&b, &rooms[1], 1, word, 1);
    for (int left = 0; left < 3; left++) {
        int n = left;
        hr_tree_ways ways = {equal_texts, equal_texts, &n};
        assert_int_equal(hr_tree_equal(&a, &b, &ways), left ? (n < 0 ? -1 : 1) : -1);
    }
    hr_tree_clear(&a);
    hr_tree_clear(&b);
}

static void empty_places_are_taken_back(void **state)
{
    (void)state;
    hr_tree a, b;
    hr_tree_init(&a, NULL, 0);
    hr_tree_init(&b, NULL, 0);
    int32_t node = add_key(&a, -1, "nothing");
    assert_int_equal(add_item(&a, node, 0), node + 1);
    hr_tree_drop_nodes(&a, node);
    assert_int_equal(add_tensor(&a, add_key(&a, -1, "x"), 0, NULL), HR_OK);
    assert_int_equal(add_tensor(&b, add_key(&b, -1, "x"), 0, NULL), HR_OK);
    hr_tree_seal(&a);
    hr_tree_seal(&b);
    assert_int_equal(hr_tree_equal(&a, &b, &text_ways), 1);
    hr_tree_clear(&a);
    hr_tree_clear(&b);
}

static void fails_cleanly_without_memory(void **state)
{
    (void)state;
    hr_alloc_stats before, after;
    hr_alloc_get_stats(&before);
    for (uint64_t nth = 1; nth <= 12; nth++) {
        hr_tree t;
        hr_tree_init(&t, NULL, 0);
        hr_alloc_fail_at(nth);
        hr_status status = HR_OK;
        int32_t node;
        for (int i = 0; status == HR_OK && i < 500; i++) {
            status = hr_tree_add_item(&t, -1, i, &node, NULL);
            if (status == HR_OK) status = add_tensor(&t, node, 2, sizes);
        }
        hr_alloc_fail_at(0);
        assert_true(status == HR_OK || status == HR_NOMEM);
        hr_tree_clear(&t);
    }
    hr_alloc_get_stats(&after);
    assert_true(after.live_blocks == before.live_blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_is_ranks_places_and_values),
        cmocka_unit_test(marks_and_kinds_of_steps_differ),
        cmocka_unit_test(large_trees_in_any_order),
        cmocka_unit_test(equal_hashes_are_not_equal_keys),
        cmocka_unit_test(failing_comparison_is_told),
        cmocka_unit_test(empty_places_are_taken_back),
        cmocka_unit_test(fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
