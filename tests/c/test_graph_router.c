/* Routing: many graphs, guards, the nearest one, and searches beside one that adds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <pthread.h>
#include <stdatomic.h>

#include <cmocka.h>

#include <headrace/memory.h>

#include "call_trees.h"
#include "draw.h"

enum { N = 1000 };

static char words[N][8];
static hr_tree graphs[N];

/* f(x, mode): a tensor of rank 2 and a text. */
static void build_call(hr_tree *t, hr_tree_room *room, const char *word, const int64_t sizes[2])
{
    hr_tree_init(t, room, 0);
    hr_status a = add_tensor(t, add_key(t, -1, "x"), 2, sizes);
    hr_status b = add_text(t, add_key(t, -1, "mode"), word);
    if (a != HR_OK || b != HR_OK) abort();
    hr_tree_seal(t);
}

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(words[i], sizeof words[i], "m%d", i);
        build_call(&graphs[i], NULL, words[i], (int64_t[]){8, 128});
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) hr_tree_clear(&graphs[i]);
    return 0;
}

static hr_router *create(int n)
{
    hr_router *r;
    assert_int_equal(hr_router_create(&r, &text_ways, NULL), HR_OK);
    for (int i = 0; i < n; i++) {
        int32_t index = -1;
        assert_int_equal(hr_router_add(r, &graphs[i], NULL, 0, &index, NULL), HR_OK);
        assert_int_equal(index, i);
    }
    return r;
}

static hr_route find(const hr_router *r, const char *word, int64_t a, int64_t b)
{
    hr_tree t;
    hr_tree_room room;
    hr_route route;
    build_call(&t, &room, word, (int64_t[]){a, b});
    if (hr_router_find(r, &t, &route) != 0) abort();
    hr_tree_clear(&t);
    return route;
}

static void finds_each_of_many(void **state)
{
    (void)state;
    hr_router *r = create(N);
    assert_int_equal(hr_router_count(r), N);
    for (int i = 0; i < N; i++) assert_int_equal(find(r, words[i], i, 3).index, i);
    assert_int_equal(find(r, "other", 8, 128).index, -1);
    hr_router_destroy(&r);
    assert_null(r);
}

static void refuses_an_equal_key(void **state)
{
    (void)state;
    hr_error err = {0};
    int32_t index;
    hr_router *r = create(3);
    assert_int_equal(hr_router_add(r, &graphs[1], NULL, 0, &index, &err), HR_KEY);
    assert_non_null(strstr(err.message, "graph 1 has the same key"));
    hr_router_destroy(&r);
}

static void guards_tell_what_is_broken(void **state)
{
    (void)state;
    hr_router *r = create(1);
    int64_t min[2] = {1, 128}, max[2] = {16, 128};
    hr_guard guard = {0, HR_GUARD_RANGE | HR_GUARD_DTYPE | HR_GUARD_DEVICE, 7, 1, min, max};
    int32_t index;
    assert_int_equal(hr_router_add(r, &graphs[1], &guard, 1, &index, NULL), HR_OK);
    max[0] = 1; /* the router has its own copy */
    assert_int_equal(find(r, words[1], 16, 128).broken, 0);
    hr_route route = find(r, words[1], 17, 128);
    assert_int_equal(route.index, 1);
    assert_int_equal(route.broken, HR_GUARD_RANGE);
    assert_int_equal(route.leaf, 0);
    assert_int_equal(route.axis, 0);
    assert_int_equal(find(r, words[1], 2, 129).axis, 1);
    assert_int_equal(find(r, words[0], 999, 999).broken, 0); /* has no guard */
    hr_tree t;
    hr_tree_init(&t, NULL, 0);
    assert_int_equal(add_text(&t, add_key(&t, -1, "mode"), words[1]), HR_OK); /* the other order */
    hr_tensor_facts facts = {2, (int64_t[]){4, 128}, 8, 1};
    assert_int_equal(hr_tree_add_tensor(&t, add_key(&t, -1, "x"), &facts, NULL), HR_OK);
    hr_tree_seal(&t);
    assert_int_equal(hr_router_find(r, &t, &route), 0);
    assert_int_equal(route.index, 1);
    assert_int_equal(route.broken, HR_GUARD_DTYPE);
    assert_int_equal(route.leaf, 1);
    t.leaves[1].dtype = 7;
    t.leaves[1].device = 2;
    assert_int_equal(hr_router_find(r, &t, &route), 0);
    assert_int_equal(route.broken, HR_GUARD_DEVICE);
    hr_tree_clear(&t);
    guard.leaf = 1;
    assert_int_equal(hr_router_add(r, &graphs[2], &guard, 1, &index, NULL), HR_VALUE);
    guard.leaf = 0;
    guard.max = (int64_t[]){0, 0};
    assert_int_equal(hr_router_add(r, &graphs[2], &guard, 1, &index, NULL), HR_VALUE);
    hr_router_destroy(&r);
}

static void nearest_has_the_same_tensors(void **state)
{
    (void)state;
    hr_router *r = create(5);
    hr_tree t;
    int32_t index;
    build_call(&t, NULL, "unheard of", (int64_t[]){1, 1});
    assert_int_equal(hr_router_nearest(r, &t, &index), 0);
    assert_int_equal(index, 0);
    hr_tree_clear(&t);
    hr_tree_init(&t, NULL, 0);
    assert_int_equal(add_tensor(&t, add_key(&t, -1, "y"), 2, (int64_t[]){1, 1}), HR_OK);
    hr_tree_seal(&t);
    assert_int_equal(hr_router_nearest(r, &t, &index), 0);
    assert_int_equal(index, -1);
    hr_tree_clear(&t);
    hr_router_destroy(&r);
}

static hr_router *shared;
static _Atomic int wrong, done;

static void *search(void *arg)
{
    uint32_t seed = (uint32_t)(uintptr_t)arg;
    while (!atomic_load(&done)) {
        int32_t n = hr_router_count(shared);
        if (!n) continue;
        int i = (int)draw_below(&seed, n);
        if (find(shared, words[i], i, i).index != i) atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

static void threads_search_while_one_adds(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    shared = create(0);
    atomic_store(&done, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, search, (void *)(uintptr_t)(i + 1)), 0);
    for (int i = 0; i < N; i++) {
        int32_t index;
        assert_int_equal(hr_router_add(shared, &graphs[i], NULL, 0, &index, NULL), HR_OK);
    }
    atomic_store(&done, 1);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    hr_router_destroy(&shared);
}

static void fails_cleanly_without_memory(void **state)
{
    (void)state;
    hr_alloc_stats before, after;
    hr_alloc_get_stats(&before);
    int64_t bounds[2] = {0, 0};
    hr_guard guard = {0, HR_GUARD_RANGE, 0, 0, bounds, bounds};
    for (uint64_t nth = 1; nth <= 60; nth++) {
        hr_router *r;
        int32_t index;
        hr_alloc_fail_at(nth);
        hr_status status = hr_router_create(&r, &text_ways, NULL);
        for (int i = 0; status == HR_OK && i < 20; i++)
            status = hr_router_add(r, &graphs[i], &guard, 1, &index, NULL);
        hr_alloc_fail_at(0);
        assert_true(status == HR_OK || status == HR_NOMEM);
        hr_router_destroy(&r);
    }
    hr_alloc_get_stats(&after);
    assert_true(after.live_blocks == before.live_blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_each_of_many),
        cmocka_unit_test(refuses_an_equal_key),
        cmocka_unit_test(guards_tell_what_is_broken),
        cmocka_unit_test(nearest_has_the_same_tensors),
        cmocka_unit_test(threads_search_while_one_adds),
        cmocka_unit_test(fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
