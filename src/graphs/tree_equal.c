/* Comparison of trees. Two calls written alike have the same nodes in the same order, and one pass
 * tells; otherwise leaves are brought together by their hashes and compared with their paths. */
#include <stdlib.h>

#include <headrace/memory.h>

#include "graphs/graphs.h"

enum { ON_STACK = 64 };

static int equal_step(const hr_tree_node *a, const hr_tree_node *b, const hr_tree_ways *ways)
{
    if (a->kind != b->kind || a->index != b->index) return 0;
    return a->key == b->key ? 1 : ways->equal_keys(a->key, b->key, ways->user);
}

/* 1: node for node the same tree. */
static int equal_nodes(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways)
{
    if (a->n_nodes != b->n_nodes) return 0;
    for (int32_t i = 0; i < a->n_nodes; i++) {
        const hr_tree_node *x = &a->nodes[i], *y = &b->nodes[i];
        if (x->hash != y->hash || x->parent != y->parent) return 0;
        int same = equal_step(x, y, ways);
        if (same != 1) return same;
    }
    return 1;
}

static int equal_paths(const hr_tree *a, int32_t i, const hr_tree *b, int32_t j,
                       const hr_tree_ways *ways)
{
    for (; i >= 0 && j >= 0; i = a->nodes[i].parent, j = b->nodes[j].parent) {
        if (a->nodes[i].hash != b->nodes[j].hash) return 0;
        int same = equal_step(&a->nodes[i], &b->nodes[j], ways);
        if (same != 1) return same;
    }
    return i == j;
}

static int equal_content(const hr_tree_leaf *a, const hr_tree_leaf *b, const hr_tree_ways *ways)
{
    if (a->hash != b->hash || a->rank != b->rank) return 0;
    if (a->rank >= 0) return 1;
    return ways->equal_values(a->token, b->token, ways->user);
}

typedef struct by_hash {
    uint64_t hash;
    int32_t leaf;
} by_hash;

static int order(const void *a, const void *b)
{
    const by_hash *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

static int32_t sorted_leaves(const hr_tree *t, int only_tensors, by_hash *out)
{
    int32_t n = 0;
    for (int32_t i = 0; i < t->n_leaves; i++)
        if (!only_tensors || t->leaves[i].rank >= 0) out[n++] = (by_hash){t->leaves[i].hash, i};
    qsort(out, (size_t)n, sizeof *out, order);
    return n;
}

typedef struct pairing {
    const hr_tree *a, *b;
    const hr_tree_ways *ways;
    int32_t *map; /* may be NULL */
} pairing;

/* Finds x's partner among the leaves of y from `at` on with its hash, and moves it to `at`. */
static int take_partner(const pairing *p, const by_hash *x, by_hash *y, int32_t at, int32_t n)
{
    const hr_tree_leaf *leaf = &p->a->leaves[x->leaf];
    for (int32_t k = at; k < n && y[k].hash == x->hash; k++) {
        const hr_tree_leaf *other = &p->b->leaves[y[k].leaf];
        int same = equal_content(leaf, other, p->ways);
        if (same == 1) same = equal_paths(p->a, leaf->node, p->b, other->node, p->ways);
        if (same < 0) return -1;
        if (!same) continue;
        by_hash found = y[k];
        y[k] = y[at];
        y[at] = found;
        if (p->map) p->map[x->leaf] = found.leaf;
        return 1;
    }
    return 0;
}

static int pair_leaves(const pairing *p, int only_tensors)
{
    by_hash near_x[ON_STACK], near_y[ON_STACK], *x = near_x, *y = near_y;
    int is_large = p->a->n_leaves > ON_STACK || p->b->n_leaves > ON_STACK;
    if (is_large) {
        x = hr_alloc((size_t)p->a->n_leaves, sizeof *x);
        y = hr_alloc((size_t)p->b->n_leaves, sizeof *y);
    }
    int same = x && y ? 1 : -1;
    if (same == 1) {
        int32_t n = sorted_leaves(p->a, only_tensors, x);
        same = n == sorted_leaves(p->b, only_tensors, y);
        for (int32_t i = 0; same == 1 && i < n; i++) same = take_partner(p, &x[i], y, i, n);
    }
    if (is_large) {
        hr_free(x);
        hr_free(y);
    }
    return same;
}

/* One pass in order; 0 says nothing of another order. */
static int equal_in_order(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways)
{
    if (a->n_leaves != b->n_leaves) return 0;
    for (int32_t i = 0; i < a->n_leaves; i++) {
        if (a->leaves[i].node != b->leaves[i].node) return 0;
        int same = equal_content(&a->leaves[i], &b->leaves[i], ways);
        if (same != 1) return same;
    }
    return equal_nodes(a, b, ways);
}

int hr__tree_equal(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways, int *in_order)
{
    *in_order = 0;
    if (a->hash != b->hash || a->mark != b->mark || a->n_leaves != b->n_leaves) return 0;
    int same = equal_in_order(a, b, ways);
    *in_order = same == 1;
    if (same != 0) return same;
    pairing p = {a, b, ways, NULL};
    return pair_leaves(&p, 0);
}

int hr_tree_equal(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways)
{
    int in_order;
    return hr__tree_equal(a, b, ways, &in_order);
}

int hr_tree_equal_tensors(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways)
{
    return hr_tree_map_tensors(a, b, ways, NULL);
}

static void map_in_order(const hr_tree *a, int32_t *map)
{
    for (int32_t i = 0; map && i < a->n_leaves; i++) map[i] = a->leaves[i].rank >= 0 ? i : -1;
}

int hr_tree_map_tensors(const hr_tree *a, const hr_tree *b, const hr_tree_ways *ways, int32_t *map)
{
    if (a->tensor_hash != b->tensor_hash || a->mark != b->mark || a->n_tensors != b->n_tensors)
        return 0;
    if (a->hash == b->hash) {
        int same = equal_in_order(a, b, ways);
        if (same == 1) map_in_order(a, map);
        if (same != 0) return same;
    }
    for (int32_t i = 0; map && i < a->n_leaves; i++) map[i] = -1;
    pairing p = {a, b, ways, map};
    return pair_leaves(&p, 1);
}
