/* Bytes as two calls and a history of samples. The keys of the calls are compared in both directions
 * and with copies, the sizes are learned in one go and in two parts that are joined. */
#include <headrace/graphs.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *p;
    size_t n;
} bytes;

static unsigned take(bytes *b)
{
    if (!b->n) return 0;
    b->n--;
    return *b->p++;
}

/* Keys and values are numbers from 1 to 4, as pointers. */
static const void *number(unsigned v) { return (const void *)(uintptr_t)(v % 4 + 1); }

static int equal_numbers(const void *a, const void *b, void *user) { return a == b; }

static const hr_tree_ways ways = {equal_numbers, equal_numbers, NULL};

static void read_tree(bytes *b, hr_tree *t)
{
    hr_tree_init(t, NULL, take(b) & 1);
    for (unsigned n = take(b) % 24; n > 0; n--) {
        unsigned what = take(b), key = take(b);
        int32_t parent = t->n_nodes ? (int32_t)(take(b) % (unsigned)(t->n_nodes + 1)) - 1 : -1, node;
        hr_path_kind kind = (hr_path_kind)(HR_PATH_MAPPING + what / 4 % 3);
        uint64_t hash = what & 2 ? key % 4 : 0; /* or all the same */
        hr_status status = what & 1 ? hr_tree_add_item(t, parent, key, &node, NULL)
                                    : hr_tree_add_key(t, parent, kind, number(key), hash, &node, NULL);
        int64_t sizes[4] = {1, 2, 3, 4};
        hr_tensor_facts facts = {(int32_t)(key % 5), sizes, 0, 0};
        if (status == HR_OK && what & 64)
            status = hr_tree_add_tensor(t, node, &facts, NULL);
        else if (status == HR_OK && what & 128)
            status = hr_tree_add_value(t, node, number(what), number(key), 0, NULL);
        if (status != HR_OK) abort();
    }
    hr_tree_seal(t);
}

static void compare(const hr_tree *a, const hr_tree *b)
{
    int32_t map[64];
    int same = hr_tree_equal(a, b, &ways);
    if (same != hr_tree_equal(b, a, &ways) || (same && a->hash != b->hash)) abort();
    int tensors = hr_tree_map_tensors(a, b, &ways, map);
    if (same && !tensors) abort();
    if (tensors != hr_tree_equal_tensors(b, a, &ways)) abort();
    for (int32_t i = 0; tensors && i < a->n_leaves; i++)
        if (map[i] >= 0 && a->leaves[i].rank != b->leaves[map[i]].rank) abort();
}

static void route(const hr_tree *a, const hr_tree *b)
{
    hr_router *r;
    hr_route found;
    int32_t index;
    if (hr_router_create(&r, &ways, NULL) != HR_OK) return;
    if (hr_router_add(r, a, NULL, 0, &index, NULL) != HR_OK) abort();
    if (hr_router_find(r, b, &found) != 0 || (found.index == 0) != hr_tree_equal(a, b, &ways)) abort();
    hr_router_destroy(&r);
}

static hr_spec *learn(const uint8_t *p, size_t n)
{
    hr_spec *s = NULL;
    for (size_t i = 0; i + 1 < n; i += 2) {
        int64_t size = p[i] % 16, batch = (int64_t)(p[i + 1] % 8) - 1;
        hr_status status = s ? hr_spec_see(s, 1, &size, batch, NULL)
                             : hr_spec_create(&s, 1, &size, batch, NULL);
        if (status != HR_OK) abort();
    }
    return s;
}

static void check_learning(bytes b)
{
    size_t half = b.n / 4 * 2;
    hr_spec *whole = learn(b.p, b.n), *left = learn(b.p, half), *right = learn(b.p + half, b.n - half);
    if (whole && left && right) {
        char text[300];
        if (hr_spec_merge(left, right, NULL) != HR_OK) abort();
        hr_axis x = hr_spec_axis(whole, 0), y = hr_spec_axis(left, 0);
        if (x.min != y.min || x.max != y.max || x.min > x.max) abort();
        if ((x.kind == HR_AXIS_STATIC) != (x.min == x.max)) abort();
        if (x.kind == HR_AXIS_BATCH && !(x.multiplier >= 1)) abort();
        if (hr_spec_explain(whole, 0, text, sizeof text) == 0 || !hr_spec_matches(whole, whole)) abort();
    }
    hr_spec_destroy(&whole);
    hr_spec_destroy(&left);
    hr_spec_destroy(&right);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    hr_tree t[2];
    read_tree(&b, &t[0]);
    read_tree(&b, &t[1]);
    compare(&t[0], &t[0]);
    compare(&t[0], &t[1]);
    route(&t[0], &t[1]);
    check_learning(b);
    hr_tree_clear(&t[0]);
    hr_tree_clear(&t[1]);
    return 0;
}
