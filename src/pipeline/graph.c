/* Graphs: nodes in the order of their first run, so that every port names an earlier node. */
#include <string.h>

#include "pipeline/pipeline.h"

struct hr_graph {
    int n_inputs, n_rngs;
    int32_t n, room;
    hr_node **nodes;
    hr_arena *arena; /* nodes, their lists and texts */
};

hr_status hr__graph_create(hr_graph **out, int n_inputs, int n_rngs, hr_error *err)
{
    hr_graph *g = hr_alloc_zero(1, sizeof *g);
    if (!g) return hr_fail(err, HR_NOMEM, "no memory for a graph");
    if (hr_arena_create(&g->arena, err) != HR_OK) {
        hr_free(g);
        return HR_NOMEM;
    }
    g->n_inputs = n_inputs;
    g->n_rngs = n_rngs;
    *out = g;
    return HR_OK;
}

static void drop_operands(hr_operand *o, int n)
{
    for (int i = 0; i < n; i++) hr_batch_unref(&o[i].batch);
}

void hr__graph_destroy(hr_graph **graph)
{
    hr_graph *g = *graph;
    *graph = NULL;
    if (!g) return;
    for (int32_t i = 0; i < g->n; i++) {
        drop_operands(g->nodes[i]->in, g->nodes[i]->n_in);
        drop_operands(g->nodes[i]->args, g->nodes[i]->op->n_args);
    }
    hr_free(g->nodes);
    hr_arena_destroy(&g->arena);
    hr_free(g);
}

static void *copy_bytes(hr_arena *arena, const void *src, size_t size)
{
    void *p = hr_arena_take(arena, size + !size);
    return p ? memcpy(p, src, size) : NULL;
}

static int copy_texts(hr_arena *arena, hr_value *v)
{
    const char **texts = hr_arena_take(arena, (size_t)(v->n + 1) * sizeof *texts);
    for (int64_t i = 0; texts && i < v->n; i++) {
        texts[i] = copy_bytes(arena, v->u.strs[i], strlen(v->u.strs[i]) + 1);
        if (!texts[i]) return 0;
    }
    v->u.strs = texts;
    return texts != NULL;
}

/* What the value points at must live as long as the graph. */
static int own_value(hr_arena *arena, hr_value *v)
{
    size_t n = (size_t)v->n;
    switch (v->kind) {
    case HR_VALUE_STR: return (v->u.s = copy_bytes(arena, v->u.s, strlen(v->u.s) + 1)) != NULL;
    case HR_VALUE_INTS:
        return (v->u.ints = copy_bytes(arena, v->u.ints, n * sizeof *v->u.ints)) != NULL;
    case HR_VALUE_FLOATS:
        return (v->u.floats = copy_bytes(arena, v->u.floats, n * sizeof *v->u.floats)) != NULL;
    case HR_VALUE_STRS: return copy_texts(arena, v);
    default: return 1;
    }
}

static int is_earlier(const hr_graph *g, const hr_operand *o)
{
    if (o->kind != HR_OPERAND_PORT) return 1;
    if (o->port.node < 0) return -1 - o->port.node < g->n_inputs;
    return o->port.node < g->n && o->port.out >= 0 &&
           o->port.out < g->nodes[o->port.node]->op->n_out;
}

static hr_status check_ports(const hr_graph *g, const hr_node *node, hr_error *err)
{
    for (int i = 0; i < node->n_in; i++)
        if (!is_earlier(g, &node->in[i]))
            return hr_fail(err, HR_VALUE, "graph: input %d of %s names no earlier output", i,
                           node->op->name);
    for (int i = 0; i < node->op->n_args; i++)
        if (!is_earlier(g, &node->args[i]))
            return hr_fail(err, HR_VALUE, "graph: argument `%s` of %s names no earlier output",
                           node->op->args[i].name, node->op->name);
    if (node->rng >= g->n_rngs)
        return hr_fail(err, HR_VALUE, "graph: generator %d of %d", node->rng, g->n_rngs);
    return HR_OK;
}

static int make_room(hr_graph *g)
{
    if (g->n < g->room) return 1;
    int32_t room = g->room ? g->room * 2 : 16;
    hr_node **nodes = hr_alloc((size_t)room, sizeof *nodes);
    if (!nodes) return 0;
    if (g->n) memcpy(nodes, g->nodes, (size_t)g->n * sizeof *nodes);
    hr_free(g->nodes);
    g->nodes = nodes;
    g->room = room;
    return 1;
}

hr_status hr__graph_add(hr_graph *g, const hr_node *node, int32_t *index, hr_error *err)
{
    HR_TRY(check_ports(g, node, err));
    int n_args = node->op->n_args;
    hr_node *own = copy_bytes(g->arena, node, sizeof *node);
    int ok = own && make_room(g);
    if (ok) {
        own->in = copy_bytes(g->arena, node->in, (size_t)node->n_in * sizeof *node->in);
        own->values = copy_bytes(g->arena, node->values, (size_t)n_args * sizeof *node->values);
        own->args = copy_bytes(g->arena, node->args, (size_t)n_args * sizeof *node->args);
        ok = own->in && own->values && own->args;
    }
    for (int i = 0; ok && i < n_args; i++) ok = own_value(g->arena, &own->values[i]);
    if (!ok) return hr_fail(err, HR_NOMEM, "no memory for a node of a graph");
    for (int i = 0; i < node->n_in; i++) hr_batch_ref(own->in[i].batch);
    for (int i = 0; i < n_args; i++) hr_batch_ref(own->args[i].batch);
    *index = g->n;
    g->nodes[g->n++] = own;
    return HR_OK;
}

void hr__graph_seal(hr_graph *g, int n_inputs, int n_rngs)
{
    g->n_inputs = n_inputs;
    g->n_rngs = n_rngs;
}

int32_t hr__graph_size(const hr_graph *g) { return g->n; }
int hr__graph_inputs(const hr_graph *g) { return g->n_inputs; }
int hr__graph_rngs(const hr_graph *g) { return g->n_rngs; }
const hr_node *hr__graph_node(const hr_graph *g, int32_t i) { return g->nodes[i]; }
