/* The router: an open table of graphs by the hashes of their trees. A table is never changed once
 * it can be seen: adding publishes a new view, and the old ones live as long as the router, so that
 * a search needs no lock. Views double, so that all old ones together are no larger than the last. */
#include <stdatomic.h>
#include <string.h>

#include <headrace/memory.h>

#include "graphs/graphs.h"

typedef struct entry {
    const hr_tree *tree;
    hr_guard *guards; /* in the order of the leaves */
    int32_t n_guards;
    int64_t *bounds;  /* that the guards point into */
} entry;

typedef struct slot {
    uint64_t hash;
    _Atomic int32_t index; /* -1: free */
} slot;

/* Room for `room` entries; filled from the front. */
typedef struct view {
    struct view *older;
    uint64_t mask;
    slot *slots;
    entry **entries;
    int32_t room;
    _Atomic int32_t n;
} view;

struct hr_router {
    hr_tree_ways ways;
    _Atomic(view *) now;
};

static void destroy_view(view *v)
{
    hr_free(v->slots);
    hr_free(v->entries);
    hr_free(v);
}

static view *create_view(int32_t room)
{
    view *v = hr_alloc_zero(1, sizeof *v);
    if (!v) return NULL;
    size_t n_slots = (size_t)room * 2;
    v->mask = n_slots - 1;
    v->room = room;
    v->slots = hr_alloc(n_slots, sizeof *v->slots);
    v->entries = hr_alloc_zero((size_t)room, sizeof *v->entries);
    if (!v->slots || !v->entries) {
        destroy_view(v);
        return NULL;
    }
    for (size_t i = 0; i < n_slots; i++) {
        v->slots[i].hash = 0;
        atomic_init(&v->slots[i].index, -1);
    }
    return v;
}

hr_status hr_router_create(hr_router **out, const hr_tree_ways *ways, hr_error *err)
{
    *out = NULL;
    hr_router *r = hr_alloc_zero(1, sizeof *r);
    view *v = r ? create_view(8) : NULL;
    if (!v) {
        hr_free(r);
        return hr_fail(err, HR_NOMEM, "no memory for a router");
    }
    r->ways = *ways;
    atomic_init(&r->now, v);
    *out = r;
    return HR_OK;
}

static void destroy_entry(entry *e)
{
    if (!e) return;
    hr_free(e->guards);
    hr_free(e->bounds);
    hr_free(e);
}

void hr_router_destroy(hr_router **router)
{
    hr_router *r = *router;
    *router = NULL;
    if (!r) return;
    view *v = atomic_load(&r->now);
    for (int32_t i = 0; i < atomic_load(&v->n); i++) destroy_entry(v->entries[i]);
    while (v) {
        view *older = v->older;
        destroy_view(v);
        v = older;
    }
    hr_free(r);
}

int32_t hr_router_count(const hr_router *router)
{
    const view *v = atomic_load_explicit(&((hr_router *)router)->now, memory_order_acquire);
    return atomic_load_explicit(&((view *)v)->n, memory_order_acquire);
}

/* ---- adding ------------------------------------------------------------------------ */

static hr_status check_guard(const hr_tree *tree, const hr_guard *g, hr_error *err)
{
    if (g->leaf < 0 || g->leaf >= tree->n_leaves || tree->leaves[g->leaf].rank < 0)
        return hr_fail(err, HR_VALUE, "guard: leaf %d is no tensor of the graph", g->leaf);
    for (int32_t d = 0; g->demands & HR_GUARD_RANGE && d < tree->leaves[g->leaf].rank; d++)
        if (g->min[d] > g->max[d])
            return hr_fail(err, HR_VALUE, "guard: axis %d from %lld to %lld", d,
                           (long long)g->min[d], (long long)g->max[d]);
    return HR_OK;
}

static hr_status copy_guards(entry *e, const hr_guard *guards, hr_error *err)
{
    int64_t n_bounds = 0, used = 0;
    for (int32_t i = 0; i < e->n_guards; i++) {
        HR_TRY(check_guard(e->tree, &guards[i], err));
        n_bounds += 2 * e->tree->leaves[guards[i].leaf].rank;
    }
    e->guards = hr_alloc((size_t)e->n_guards, sizeof *e->guards);
    e->bounds = hr_alloc((size_t)n_bounds, sizeof *e->bounds);
    if (!e->guards || !e->bounds) return hr_fail(err, HR_NOMEM, "no memory for guards");
    for (int32_t i = 0; i < e->n_guards; i++) {
        hr_guard *g = &e->guards[i];
        *g = guards[i];
        if (!(g->demands & HR_GUARD_RANGE)) continue;
        size_t rank = (size_t)e->tree->leaves[g->leaf].rank;
        if (rank) {
            memcpy(e->bounds + used, g->min, rank * sizeof *e->bounds);
            memcpy(e->bounds + used + rank, g->max, rank * sizeof *e->bounds);
        }
        g->min = e->bounds + used;
        g->max = e->bounds + used + rank;
        used += 2 * (int64_t)rank;
    }
    return HR_OK;
}

static void put(view *v, entry *e)
{
    int32_t index = atomic_load_explicit(&v->n, memory_order_relaxed);
    uint64_t at = e->tree->hash & v->mask;
    while (atomic_load_explicit(&v->slots[at].index, memory_order_relaxed) >= 0)
        at = (at + 1) & v->mask;
    v->entries[index] = e;
    v->slots[at].hash = e->tree->hash;
    atomic_store_explicit(&v->slots[at].index, index, memory_order_release);
    atomic_store_explicit(&v->n, index + 1, memory_order_release);
}

static hr_status make_room(hr_router *r, hr_error *err)
{
    view *old = atomic_load_explicit(&r->now, memory_order_relaxed);
    if (atomic_load_explicit(&old->n, memory_order_relaxed) < old->room) return HR_OK;
    view *v = create_view(old->room * 2);
    if (!v) return hr_fail(err, HR_NOMEM, "no memory for %d graphs", old->room * 2);
    v->older = old;
    for (int32_t i = 0; i < old->room; i++) put(v, old->entries[i]);
    atomic_store_explicit(&r->now, v, memory_order_release);
    return HR_OK;
}

hr_status hr_router_add(hr_router *r, const hr_tree *tree, const hr_guard *guards, int32_t n_guards,
                        int32_t *index, hr_error *err)
{
    hr_route found;
    if (hr_router_find(r, tree, &found) < 0)
        return hr_fail(err, HR_STATE, "router: the comparison with a graph failed");
    if (found.index >= 0)
        return hr_fail(err, HR_KEY, "router: graph %d has the same key", found.index);
    entry *e = hr_alloc_zero(1, sizeof *e);
    if (!e) return hr_fail(err, HR_NOMEM, "no memory for a graph");
    e->tree = tree;
    e->n_guards = n_guards;
    hr_status status = n_guards ? copy_guards(e, guards, err) : HR_OK;
    if (status == HR_OK) status = make_room(r, err);
    if (status != HR_OK) {
        destroy_entry(e);
        return status;
    }
    view *v = atomic_load_explicit(&r->now, memory_order_relaxed);
    *index = atomic_load_explicit(&v->n, memory_order_relaxed);
    put(v, e);
    return HR_OK;
}

/* ---- searching --------------------------------------------------------------------- */

/* Is the demand of `g` met by the call's leaf? Says in `out` what is not. */
static int meets(const hr_guard *g, const hr_tree *call, int32_t leaf, hr_route *out)
{
    const hr_tree_leaf *l = &call->leaves[leaf];
    out->leaf = leaf;
    out->guard = g;
    if (g->demands & HR_GUARD_DTYPE && l->dtype != g->dtype) return out->broken = HR_GUARD_DTYPE, 0;
    if (g->demands & HR_GUARD_DEVICE && l->device != g->device)
        return out->broken = HR_GUARD_DEVICE, 0;
    if (!(g->demands & HR_GUARD_RANGE)) return 1;
    const int64_t *sizes = call->sizes + l->sizes;
    for (int32_t d = 0; d < l->rank; d++) {
        if (sizes[d] >= g->min[d] && sizes[d] <= g->max[d]) continue;
        out->axis = d;
        return out->broken = HR_GUARD_RANGE, 0;
    }
    return 1;
}

enum { MAP_ON_STACK = 128 };

/* The call's leaves stand in another order than the graph's. */
static int check_out_of_order(const hr_router *r, const entry *e, const hr_tree *call,
                              hr_route *out)
{
    int32_t near_map[MAP_ON_STACK], *map = near_map, n = e->tree->n_leaves;
    if (n > MAP_ON_STACK) map = hr_alloc((size_t)n, sizeof *map);
    int fine = map ? hr_tree_map_tensors(e->tree, call, &r->ways, map) : -1;
    for (int32_t i = 0; fine == 1 && i < e->n_guards; i++)
        if (!meets(&e->guards[i], call, map[e->guards[i].leaf], out)) break;
    if (n > MAP_ON_STACK) hr_free(map);
    return fine == 1 ? 0 : -1;
}

int hr_router_find(const hr_router *r, const hr_tree *call, hr_route *out)
{
    *out = (hr_route){-1, 0, -1, -1, NULL};
    view *v = atomic_load_explicit(&((hr_router *)r)->now, memory_order_acquire);
    for (uint64_t at = call->hash & v->mask;; at = (at + 1) & v->mask) {
        int32_t index = atomic_load_explicit(&v->slots[at].index, memory_order_acquire);
        if (index < 0) return 0;
        if (v->slots[at].hash != call->hash) continue;
        const entry *e = v->entries[index];
        int in_order, same = hr__tree_equal(e->tree, call, &r->ways, &in_order);
        if (same < 0) return -1;
        if (!same) continue;
        out->index = index;
        if (e->n_guards && !in_order) return check_out_of_order(r, e, call, out);
        for (int32_t i = 0; i < e->n_guards; i++)
            if (!meets(&e->guards[i], call, e->guards[i].leaf, out)) break;
        return 0;
    }
}

int hr_router_nearest(const hr_router *r, const hr_tree *call, int32_t *index)
{
    *index = -1;
    view *v = atomic_load_explicit(&((hr_router *)r)->now, memory_order_acquire);
    int32_t n = atomic_load_explicit(&v->n, memory_order_acquire);
    for (int32_t i = 0; i < n; i++) {
        int same = hr_tree_equal_tensors(v->entries[i]->tree, call, &r->ways);
        if (same < 0) return -1;
        if (!same) continue;
        *index = i;
        return 0;
    }
    return 0;
}
