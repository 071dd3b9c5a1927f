/* Trees: the places and leaves of one call, in arrays. The hash of a leaf mixes the steps of its
 * path with its rank or value; the tree's hash is the sum, so that order plays no part. */
#include <string.h>

#include <headrace/memory.h>

#include "graphs/graphs.h"

enum { HEAP_NODES = 1, HEAP_LEAVES = 2, HEAP_SIZES = 4 };

void hr_tree_init(hr_tree *t, hr_tree_room *room, uint32_t mark)
{
    t->nodes = room ? room->nodes : NULL;
    t->leaves = room ? room->leaves : NULL;
    t->sizes = room ? room->sizes : NULL;
    t->room_nodes = room ? (int32_t)(sizeof room->nodes / sizeof *room->nodes) : 0;
    t->room_leaves = room ? (int32_t)(sizeof room->leaves / sizeof *room->leaves) : 0;
    t->room_sizes = room ? (int32_t)(sizeof room->sizes / sizeof *room->sizes) : 0;
    t->n_nodes = t->n_leaves = t->n_sizes = t->n_tensors = 0;
    t->mark = mark;
    t->hash = t->tensor_hash = 0;
    t->on_heap = 0;
}

/* Doubles an array that is full. */
static hr_status grow(void **array, int32_t n, int32_t *room, size_t size, hr_error *err)
{
    if (n >= HR_TREE_MAX)
        return hr_fail(err, HR_VALUE, "a call of more than %d values", HR_TREE_MAX);
    int32_t wish = *room ? *room * 2 : 64;
    void *larger = hr_alloc((size_t)wish, size);
    if (!larger) return hr_fail(err, HR_NOMEM, "no memory for a call of %d values", wish);
    if (n) memcpy(larger, *array, (size_t)n * size);
    *array = larger;
    *room = wish;
    return HR_OK;
}

static hr_status more_nodes(hr_tree *t, hr_error *err)
{
    void *array = t->nodes, *old = t->on_heap & HEAP_NODES ? t->nodes : NULL;
    HR_TRY(grow(&array, t->n_nodes, &t->room_nodes, sizeof *t->nodes, err));
    hr_free(old);
    t->nodes = array;
    t->on_heap |= HEAP_NODES;
    return HR_OK;
}

static hr_status more_leaves(hr_tree *t, hr_error *err)
{
    void *array = t->leaves, *old = t->on_heap & HEAP_LEAVES ? t->leaves : NULL;
    HR_TRY(grow(&array, t->n_leaves, &t->room_leaves, sizeof *t->leaves, err));
    hr_free(old);
    t->leaves = array;
    t->on_heap |= HEAP_LEAVES;
    return HR_OK;
}

static hr_status more_sizes(hr_tree *t, int32_t rank, hr_error *err)
{
    while (t->room_sizes - t->n_sizes < rank) {
        void *array = t->sizes, *old = t->on_heap & HEAP_SIZES ? t->sizes : NULL;
        HR_TRY(grow(&array, t->n_sizes, &t->room_sizes, sizeof *t->sizes, err));
        hr_free(old);
        t->sizes = array;
        t->on_heap |= HEAP_SIZES;
    }
    return HR_OK;
}

static hr_status add_node(hr_tree *t, const hr_tree_node *node, int32_t *out, hr_error *err)
{
    if (t->n_nodes == t->room_nodes) HR_TRY(more_nodes(t, err));
    t->nodes[t->n_nodes] = *node;
    *out = t->n_nodes++;
    return HR_OK;
}

static uint64_t path_hash(const hr_tree *t, int32_t parent)
{
    return parent < 0 ? UINT64_C(0x9d39247e33776d41) : t->nodes[parent].hash;
}

hr_status hr_tree_add_item(hr_tree *t, int32_t parent, int64_t index, int32_t *out, hr_error *err)
{
    uint64_t step = ((uint64_t)index << 3) + HR_PATH_SEQUENCE + 1;
    hr_tree_node node = {hr__mix(path_hash(t, parent), step), NULL, index, parent,
                         HR_PATH_SEQUENCE};
    return add_node(t, &node, out, err);
}

hr_status hr_tree_add_key(hr_tree *t, int32_t parent, hr_path_kind kind, const void *key,
                          uint64_t key_hash, int32_t *out, hr_error *err)
{
    uint64_t step = key_hash * 8 + (key_hash >> 61) + (uint64_t)kind + 1;
    hr_tree_node node = {hr__mix(path_hash(t, parent), step), key, 0, parent, (int32_t)kind};
    return add_node(t, &node, out, err);
}

void hr_tree_drop_nodes(hr_tree *t, int32_t n_nodes)
{
    t->n_nodes = n_nodes;
}

hr_status hr_tree_add_tensor(hr_tree *t, int32_t node, const hr_tensor_facts *facts, hr_error *err)
{
    if (t->n_leaves == t->room_leaves) HR_TRY(more_leaves(t, err));
    HR_TRY(more_sizes(t, facts->rank, err));
    hr_tree_leaf *leaf = &t->leaves[t->n_leaves++];
    leaf->hash = hr__mix(path_hash(t, node), (uint64_t)facts->rank + 1);
    leaf->value = leaf->token = NULL;
    leaf->node = node;
    leaf->rank = facts->rank;
    leaf->sizes = t->n_sizes;
    leaf->dtype = facts->dtype;
    leaf->device = facts->device;
    for (int32_t d = 0; d < facts->rank; d++) t->sizes[t->n_sizes + d] = facts->sizes[d];
    t->n_sizes += facts->rank;
    t->n_tensors++;
    return HR_OK;
}

hr_status hr_tree_add_value(hr_tree *t, int32_t node, const void *value, const void *token,
                            uint64_t hash, hr_error *err)
{
    if (t->n_leaves == t->room_leaves) HR_TRY(more_leaves(t, err));
    hr_tree_leaf *leaf = &t->leaves[t->n_leaves++];
    leaf->hash = hr__mix(path_hash(t, node), hash ^ UINT64_C(0x5851f42d4c957f2d));
    leaf->value = value;
    leaf->token = token;
    leaf->node = node;
    leaf->rank = HR_RANK_VALUE;
    leaf->sizes = 0;
    leaf->dtype = 0;
    leaf->device = 0;
    return HR_OK;
}

void hr_tree_seal(hr_tree *t)
{
    uint64_t tensors = 0, values = 0;
    for (int32_t i = 0; i < t->n_leaves; i++)
        *(t->leaves[i].rank >= 0 ? &tensors : &values) += t->leaves[i].hash;
    t->tensor_hash = hr__mix(tensors, t->mark);
    t->hash = hr__mix(t->tensor_hash + values, (uint64_t)(uint32_t)t->n_leaves);
}

size_t hr_tree_packed_size(const hr_tree *t)
{
    return (size_t)t->n_nodes * sizeof *t->nodes + (size_t)t->n_leaves * sizeof *t->leaves +
           (size_t)t->n_sizes * sizeof *t->sizes;
}

void hr_tree_pack(hr_tree *dst, hr_tree *src, void *block)
{
    size_t nodes = (size_t)src->n_nodes * sizeof *src->nodes;
    size_t leaves = (size_t)src->n_leaves * sizeof *src->leaves;
    size_t sizes = (size_t)src->n_sizes * sizeof *src->sizes;
    hr_tree copy = *src;
    copy.nodes = block;
    copy.leaves = (hr_tree_leaf *)((char *)block + nodes);
    copy.sizes = (int64_t *)((char *)block + nodes + leaves);
    if (nodes) memcpy(copy.nodes, src->nodes, nodes);
    if (leaves) memcpy(copy.leaves, src->leaves, leaves);
    if (sizes) memcpy(copy.sizes, src->sizes, sizes);
    copy.room_nodes = src->n_nodes;
    copy.room_leaves = src->n_leaves;
    copy.room_sizes = src->n_sizes;
    copy.on_heap = 0;
    hr_tree_clear(src);
    *dst = copy;
}

void hr_tree_clear(hr_tree *t)
{
    if (t->on_heap & HEAP_NODES) hr_free(t->nodes);
    if (t->on_heap & HEAP_LEAVES) hr_free(t->leaves);
    if (t->on_heap & HEAP_SIZES) hr_free(t->sizes);
    memset(t, 0, sizeof *t);
}
