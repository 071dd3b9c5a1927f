/* Learns the execution graphs of a callable from a text file of calls, one a line:
 *
 *     2 ids=2,128 mask=2,128 mode:eval
 *
 * The batch size comes first ("-": not known), then tensors as name=sizes and values as name:text.
 * Calls whose tensors have the same names and ranks and whose values are equal are one graph. Prints
 * each graph with its axes and why they are what they are.
 *
 *     learn_shapes FILE
 *
 * Exit status: 0, or 2 with a message when a line makes no sense or the file cannot be read. */
#include <headrace/headrace.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GRAPHS = 1000, MAX_WORDS = 64, MAX_AXES = 32 };

typedef struct graph {
    char *line;      /* the first call's; its tree points into it */
    hr_tree tree;
    hr_spec **specs; /* by leaf; NULL for values */
    int64_t n_calls;
} graph;

typedef struct learner {
    hr_router *router;
    graph graphs[MAX_GRAPHS];
    int n;
} learner;

/* ---- texts are keys and values -------------------------------------------------------------- */

static uint64_t hash_of(const char *s)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static int equal_texts(const void *a, const void *b, void *user)
{
    (void)user;
    return strcmp(a, b) == 0;
}

/* ---- a line to a tree ------------------------------------------------------------------------- */

static hr_status read_sizes(char *text, const char *name, hr_tensor_facts *out, int64_t *sizes,
                            hr_error *err)
{
    *out = (hr_tensor_facts){0, sizes, 0, 0};
    while (*text) {
        char *end;
        long long size = strtoll(text, &end, 10);
        if (end == text || size < 0 || (*end && *end != ',') || out->rank == MAX_AXES)
            return hr_fail(err, HR_VALUE, "%s: sizes are up to %d whole numbers: \"%s\"", name, MAX_AXES,
                           text);
        sizes[out->rank++] = size;
        text = *end ? end + 1 : end;
    }
    return HR_OK;
}

static hr_status add_word(hr_tree *tree, char *word, hr_error *err)
{
    char *mark = word + strcspn(word, "=:");
    char kind = *mark;
    if (!kind || mark == word) return hr_fail(err, HR_VALUE, "\"%s\" is no name=sizes or name:text", word);
    *mark = '\0';
    int32_t node;
    HR_TRY(hr_tree_add_key(tree, -1, HR_PATH_MAPPING, word, hash_of(word), &node, err));
    if (kind == ':') return hr_tree_add_value(tree, node, mark + 1, mark + 1, hash_of(mark + 1), err);
    int64_t sizes[MAX_AXES];
    hr_tensor_facts facts;
    HR_TRY(read_sizes(mark + 1, word, &facts, sizes, err));
    return hr_tree_add_tensor(tree, node, &facts, err);
}

/* Cuts the line into words, which the tree points to. */
static hr_status read_call(char *line, hr_tree *tree, int64_t *batch, hr_error *err)
{
    char *rest = NULL, *word = strtok_r(line, " \t\r\n", &rest);
    char *end;
    *batch = strcmp(word, "-") ? strtoll(word, &end, 10) : HR_BATCH_UNKNOWN;
    if (strcmp(word, "-") && (*end || *batch < 0))
        return hr_fail(err, HR_VALUE, "\"%s\" is no batch size and no -", word);
    while ((word = strtok_r(NULL, " \t\r\n", &rest)) != NULL) HR_TRY(add_word(tree, word, err));
    hr_tree_seal(tree);
    return HR_OK;
}

/* ---- learning ------------------------------------------------------------------------------------ */

/* Takes the line and the tree over. */
static hr_status add_graph(learner *l, char *take_line, hr_tree *take_tree, int64_t batch, hr_error *err)
{
    if (l->n == MAX_GRAPHS) return hr_fail(err, HR_VALUE, "more than %d graphs", MAX_GRAPHS);
    graph *g = &l->graphs[l->n++];
    int32_t index;
    *g = (graph){take_line, *take_tree, NULL, 1};
    g->specs = calloc((size_t)g->tree.n_leaves + 1, sizeof(hr_spec *));
    if (!g->specs) return hr_fail(err, HR_NOMEM, "no memory for a graph");
    for (int32_t i = 0; i < g->tree.n_leaves; i++) {
        const hr_tree_leaf *leaf = &g->tree.leaves[i];
        if (leaf->rank < 0) continue;
        HR_TRY(hr_spec_create(&g->specs[i], leaf->rank, g->tree.sizes + leaf->sizes, batch, err));
    }
    return hr_router_add(l->router, &g->tree, NULL, 0, &index, err);
}

static hr_status see(graph *g, const hr_tree *call, int64_t batch, const hr_tree_ways *ways, hr_error *err)
{
    int32_t *map = malloc(((size_t)call->n_leaves + 1) * sizeof *map);
    if (!map) return hr_fail(err, HR_NOMEM, "no memory for a call");
    hr_status status = HR_OK;
    if (hr_tree_map_tensors(&g->tree, call, ways, map) != 1) status = HR_NOMEM;
    for (int32_t i = 0; status == HR_OK && i < g->tree.n_leaves; i++) {
        if (map[i] < 0) continue;
        const hr_tree_leaf *leaf = &call->leaves[map[i]];
        status = hr_spec_see(g->specs[i], leaf->rank, call->sizes + leaf->sizes, batch, err);
    }
    free(map);
    g->n_calls++;
    return status;
}

static hr_status learn_line(learner *l, const char *text, const hr_tree_ways *ways, hr_error *err)
{
    char *line = strdup(text);
    hr_tree tree;
    hr_route route;
    int64_t batch;
    if (!line) return hr_fail(err, HR_NOMEM, "no memory for a line");
    hr_tree_init(&tree, NULL, 0);
    hr_status status = read_call(line, &tree, &batch, err);
    if (status == HR_OK && hr_router_find(l->router, &tree, &route) != 0)
        status = hr_fail(err, HR_NOMEM, "no memory for a comparison");
    if (status == HR_OK && route.index < 0) return add_graph(l, line, &tree, batch, err);
    if (status == HR_OK) status = see(&l->graphs[route.index], &tree, batch, ways, err);
    hr_tree_clear(&tree);
    free(line);
    return status;
}

/* ---- what was learned ------------------------------------------------------------------------------ */

static void print_tensor(const hr_spec *spec, const char *name)
{
    static const char *const kinds[] = {"", "batch", "dim"};
    printf("  %s\n", name);
    for (int32_t d = 0; d < hr_spec_rank(spec); d++) {
        hr_axis axis = hr_spec_axis(spec, d);
        char why[512];
        hr_spec_explain(spec, d, why, sizeof why);
        if (axis.kind == HR_AXIS_STATIC) printf("    axis %d: %lld", d, (long long)axis.min);
        else printf("    axis %d: %s%d", d, kinds[axis.kind], d);
        printf("  (%s)\n", why);
    }
}

static void print_graph(const graph *g, int number)
{
    printf("graph %d, %lld call%s\n", number, (long long)g->n_calls, g->n_calls == 1 ? "" : "s");
    for (int32_t i = 0; i < g->tree.n_leaves; i++) {
        const hr_tree_leaf *leaf = &g->tree.leaves[i];
        const char *name = g->tree.nodes[leaf->node].key;
        if (leaf->rank < 0) printf("  %s = %s\n", name, (const char *)leaf->value);
        else print_tensor(g->specs[i], name);
    }
}

static void clear(learner *l)
{
    hr_router_destroy(&l->router);
    for (int k = 0; k < l->n; k++) {
        graph *g = &l->graphs[k];
        for (int32_t i = 0; g->specs && i < g->tree.n_leaves; i++) hr_spec_destroy(&g->specs[i]);
        free(g->specs);
        hr_tree_clear(&g->tree);
        free(g->line);
    }
}

static hr_status run(learner *l, FILE *file, hr_error *err)
{
    static const hr_tree_ways ways = {equal_texts, equal_texts, NULL};
    char line[4096];
    HR_TRY(hr_router_create(&l->router, &ways, err));
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        if (line[strspn(line, " \t\r\n")] == '\0') continue;
        hr_status status = learn_line(l, line, &ways, err);
        if (status == HR_OK) continue;
        hr_error_prefix(err, "line %d", number);
        return status;
    }
    return HR_OK;
}

int main(int argc, char **argv)
{
    static learner l;
    hr_error err = {0};
    if (argc != 2) return fprintf(stderr, "usage: learn_shapes FILE\n"), 2;
    FILE *file = fopen(argv[1], "r");
    if (!file) return fprintf(stderr, "\"%s\": %s\n", argv[1], strerror(errno)), 2;
    hr_status status = run(&l, file, &err);
    fclose(file);
    if (status != HR_OK) fprintf(stderr, "%s\n", err.message);
    for (int k = 0; status == HR_OK && k < l.n; k++) print_graph(&l.graphs[k], k);
    clear(&l);
    hr_shutdown();
    return status == HR_OK ? 0 : 2;
}
