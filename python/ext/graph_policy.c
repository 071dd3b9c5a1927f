/* Where a call goes: to its graph, or, of no graph or outside what the graph's backend takes, by
 * policy. */
#include "graph_router.h"

/* Distinct unknown graphs that are told of; later ones are only counted. */
enum { TOLD_MAX = 64 };

/* ---- in words ---------------------------------------------------------------------------------- */

static PyObject *range_text(const hr_tree *call, const hr_tree_leaf *leaf, const hr_route *route)
{
    long long size = call->sizes[leaf->sizes + route->axis];
    long long min = route->guard->min[route->axis], max = route->guard->max[route->axis];
    int axis = route->axis;
    if (min == max) return PyUnicode_FromFormat("axis %d has size %lld, not %lld", axis, size, min);
    return PyUnicode_FromFormat("axis %d has size %lld, not %lld to %lld", axis, size, min, max);
}

static PyObject *device_text(mod_state *st, uint64_t is, uint64_t wanted)
{
    PyObject *a = graph_device_text(st, is), *b = a ? graph_device_text(st, wanted) : NULL;
    PyObject *out = b ? PyUnicode_FromFormat("is on %U, not %U", a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return out;
}

/* Why the call's leaf does not meet a guard. New reference. */
static PyObject *reason_of(mod_state *st, const hr_tree *call, const hr_route *route)
{
    if (route->index < 0) return Py_NewRef(Py_None);
    const hr_tree_leaf *leaf = &call->leaves[route->leaf];
    const hr_guard *guard = route->guard;
    PyObject *path = graph_path_text(call, leaf->node), *why = NULL;
    if (!path) return NULL;
    if (route->broken == HR_GUARD_RANGE)
        why = range_text(call, leaf, route);
    else if (route->broken == HR_GUARD_DTYPE)
        why = PyUnicode_FromFormat("has dtype %S, not %S", graph_dtype_object(st, leaf->dtype),
                                   graph_dtype_object(st, guard->dtype));
    else
        why = device_text(st, leaf->device, guard->device);
    PyObject *out = why ? PyUnicode_FromFormat("%U %U", path, why) : NULL;
    Py_XDECREF(why);
    Py_DECREF(path);
    return out;
}

/* ---- counted, told, refused -------------------------------------------------------------------- */

/* The walk's tree as metadata; the walk is empty afterwards. */
static PyObject *take_sample(router_object *r, graph_walk *w)
{
    return graph_sample_take((PyTypeObject *)r->sample_class, w, HR_BATCH_UNKNOWN);
}

/* Is this the first time? Counts. `*sample` is made where it is. 1, 0, -1. */
static int is_news(router_object *r, graph_walk *w, const hr_route *route, PyObject **sample)
{
    if (route->index >= 0) {
        r->n_outside++;
        if (r->is_told[route->index]) return 0;
        r->is_told[route->index] = 1;
        return (*sample = take_sample(r, w)) ? 1 : -1;
    }
    r->n_unknown++;
    hr_route seen;
    hr_error err = {0};
    int32_t index;
    if (hr_router_find(r->told, &w->tree, &seen) < 0) return -1;
    if (seen.index >= 0 || hr_router_count(r->told) >= TOLD_MAX) return 0;
    if (!(*sample = take_sample(r, w))) return -1;
    if (PyList_Append(r->strange, *sample) < 0) return -1;
    if (hr_router_add(r->told, graph_sample_tree(*sample), NULL, 0, &index, &err) == HR_OK) return 1;
    if (err.status == HR_KEY) return 0; /* the making of the sample ran another call of this kind */
    if (!PyErr_Occurred()) raise_error(w->st, &err);
    return -1;
}

/* Tells of it, or refuses. 0, or -1 with an exception. */
static int notice(router_object *r, graph_walk *w, const hr_route *route, int is_refused)
{
    PyObject *sample = NULL, *reason = reason_of(w->st, &w->tree, route), *answer = NULL;
    if (!reason) return -1;
    int news = is_news(r, w, route, &sample);
    if (news == 1 || (news == 0 && is_refused)) {
        if (!sample) sample = take_sample(r, w);
        PyObject *graph = PyLong_FromLong(route->index);
        if (sample && graph)
            answer = PyObject_CallMethod((PyObject *)r, is_refused ? "_refuse" : "_tell", "OOO", sample,
                                         graph, reason);
        Py_XDECREF(graph);
        news = answer ? 0 : -1;
    }
    Py_XDECREF(answer);
    Py_XDECREF(sample);
    Py_DECREF(reason);
    if (news < 0 && !PyErr_Occurred()) PyErr_NoMemory();
    if (news == 0 && is_refused) {
        PyErr_SetString(PyExc_RuntimeError, "_refuse() raised nothing");
        news = -1;
    }
    return news;
}

/* What serves a call of no known graph: 1 with *index, 0 for the original, -1 with an exception. */
static int choose(router_object *r, graph_walk *w, const hr_route *route, int32_t *index)
{
    *index = -1;
    router_policy policy = r->policy; /* may be set by another thread while values are compared */
    if (policy == NEAREST) {
        *index = route->index;
        if (*index < 0 && hr_router_nearest(r->graphs, &w->tree, index) < 0)
            return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
    }
    int is_refused = *index < 0 && (policy == ERROR || !r->original);
    if (notice(r, w, route, is_refused) < 0) return -1;
    return *index >= 0;
}

/* ---- the graph of a call ----------------------------------------------------------------------- */

int32_t graph_route(mod_state *st, router_object *r, const graph_bound *b)
{
    graph_walk w;
    hr_route route;
    int32_t index = -2;
    graph_walk_begin(&w, st, r->is_strict, GRAPH_INPUTS);
    if (graph_walk_bound(&w, r->signature, b) == 0) {
        if (hr_router_find(r->graphs, &w.tree, &route) < 0) {
            if (!PyErr_Occurred()) PyErr_NoMemory();
        } else if (route.index >= 0 && !route.broken) {
            index = route.index;
        } else {
            int chosen = choose(r, &w, &route, &index);
            if (chosen <= 0) index = chosen < 0 ? -2 : -1;
        }
    }
    graph_walk_end(&w);
    return index;
}
