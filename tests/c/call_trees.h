/* Small trees for the tests of execution graphs: keys and values are C texts. */
#ifndef HR_TESTS_CALL_TREES_H
#define HR_TESTS_CALL_TREES_H

#include <string.h>

#include <headrace/graphs.h>

static inline uint64_t text_hash(const char *s)
{
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static inline int equal_texts(const void *a, const void *b, void *user)
{
    if (user && --*(int *)user < 0) return -1;
    return strcmp(a, b) == 0;
}

static const hr_tree_ways text_ways = {equal_texts, equal_texts, NULL};

static inline int32_t add_key(hr_tree *t, int32_t parent, const char *key)
{
    int32_t node = -2;
    hr_status s = hr_tree_add_key(t, parent, HR_PATH_MAPPING, key, text_hash(key), &node, NULL);
    return s == HR_OK ? node : -2;
}

static inline int32_t add_item(hr_tree *t, int32_t parent, int64_t index)
{
    int32_t node = -2;
    return hr_tree_add_item(t, parent, index, &node, NULL) == HR_OK ? node : -2;
}

static inline hr_status add_tensor(hr_tree *t, int32_t node, int32_t rank, const int64_t *sizes)
{
    hr_tensor_facts facts = {rank, sizes, 7, 1};
    return hr_tree_add_tensor(t, node, &facts, NULL);
}

static inline hr_status add_text(hr_tree *t, int32_t node, const char *value)
{
    return hr_tree_add_value(t, node, value, value, text_hash(value), NULL);
}

#endif
