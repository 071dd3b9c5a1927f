/* The walk over what a call is given: depth first, in order, with a stack of its own, one pass. It
 * holds a reference to everything that it looks at, so that code which runs in between (a getter, a
 * hash) may change the containers: what is there is walked, and nothing worse happens. */
#include "graph.h"

#include "invariant.h"

struct graph_frame {
    PyObject *obj;   /* the container */
    PyObject *aux;   /* names, keys, or the dict inside */
    Py_ssize_t pos, size;
    int32_t node;
    uint8_t way, strict;
};

typedef struct place {
    int32_t parent; /* -1 with kind -1: the root itself */
    int kind;
    PyObject *key;
    Py_ssize_t index;
} place;

static int fail(graph_walk *w, const hr_error *err) { raise_error(w->st, err); return -1; }

void graph_walk_begin(graph_walk *w, mod_state *st, int strict, uint32_t mark)
{
    hr_tree_init(&w->tree, &w->room, mark);
    w->st = st;
    w->strict = strict;
    w->keep_tensors = w->opens = 0;
    w->frames = NULL;
    w->n_frames = w->room_frames = w->n_containers = 0;
}

static void drop_frame(graph_frame *f)
{
    Py_DECREF(f->obj);
    Py_XDECREF(f->aux);
}

int graph_tree_traverse(const hr_tree *t, visitproc visit, void *arg)
{
    for (int32_t i = 0; i < t->n_nodes; i++) Py_VISIT((PyObject *)t->nodes[i].key);
    for (int32_t i = 0; i < t->n_leaves; i++) {
        Py_VISIT((PyObject *)t->leaves[i].value);
        Py_VISIT((PyObject *)t->leaves[i].token);
    }
    return 0;
}

void graph_tree_release(hr_tree *t)
{
    hr_tree old = *t;
    t->n_nodes = t->n_leaves = 0; /* what runs now finds nothing here */
    for (int32_t i = 0; i < old.n_nodes; i++) Py_XDECREF((PyObject *)old.nodes[i].key);
    for (int32_t i = 0; i < old.n_leaves; i++) {
        Py_XDECREF((PyObject *)old.leaves[i].value);
        Py_XDECREF((PyObject *)old.leaves[i].token);
    }
    hr_tree_clear(t);
}

void graph_walk_end(graph_walk *w)
{
    while (w->n_frames > 0) drop_frame(&w->frames[--w->n_frames]);
    PyMem_Free(w->frames);
    w->frames = NULL;
    graph_tree_release(&w->tree);
}

/* ---- paths in errors --------------------------------------------------------------- */

/* A key in brackets; one that cannot be told in words by its class. */
static PyObject *key_text(PyObject *key)
{
    PyObject *text = PyUnicode_FromFormat("[%S]", key);
    if (text || !PyErr_ExceptionMatches(PyExc_Exception)) return text;
    PyErr_Clear();
    return PyUnicode_FromFormat("[<%.100s>]", Py_TYPE(key)->tp_name);
}

static PyObject *step_text(const hr_tree_node *node, int is_first, int is_output)
{
    PyObject *key = (PyObject *)node->key;
    if (node->kind == HR_PATH_SEQUENCE) return PyUnicode_FromFormat("[%lld]", (long long)node->index);
    if (node->kind != HR_PATH_MAPPING) return PyUnicode_FromFormat(".%U", key);
    if (!PyUnicode_Check(key)) return key_text(key);
    if (is_first && !is_output && PyUnicode_IsIdentifier(key)) return Py_NewRef(key);
    return PyUnicode_FromFormat("[\"%U\"]", key);
}

PyObject *graph_path_text(const hr_tree *t, int32_t node)
{
    PyObject *steps = PyList_New(0), *none = PyUnicode_FromString("");
    for (int32_t i = node; steps && none && i >= 0; i = t->nodes[i].parent) {
        PyObject *text = step_text(&t->nodes[i], t->nodes[i].parent < 0, (t->mark & GRAPH_OUTPUTS) != 0);
        if (!text || PyList_Append(steps, text) < 0) Py_CLEAR(steps);
        Py_XDECREF(text);
    }
    PyObject *out = NULL;
    if (steps && none && PyList_Reverse(steps) == 0) out = PyUnicode_Join(none, steps);
    Py_XDECREF(steps);
    Py_XDECREF(none);
    if (!out || !(t->mark & GRAPH_OUTPUTS)) return out;
    PyObject *whole = PyUnicode_FromFormat("output%U", out);
    Py_DECREF(out);
    return whole;
}

/* The path of a place that may have no node yet. */
static PyObject *place_text(graph_walk *w, const place *p)
{
    if (p->kind < 0) return graph_path_text(&w->tree, -1);
    hr_tree_node node = {0, p->key, p->index, p->parent, p->kind};
    PyObject *front = graph_path_text(&w->tree, p->parent);
    PyObject *step = front ? step_text(&node, p->parent < 0, (w->tree.mark & GRAPH_OUTPUTS) != 0) : NULL;
    PyObject *out = step ? PyUnicode_Concat(front, step) : NULL;
    Py_XDECREF(front);
    Py_XDECREF(step);
    return out;
}

/* Puts the path in front of a pending exception of the usual kinds. */
static int fail_at(graph_walk *w, const place *p)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyTypeObject *kind = exc ? Py_TYPE(exc) : NULL;
    PyObject *path = exc ? place_text(w, p) : NULL;
    int is_usual = (PyObject *)kind == PyExc_TypeError || (PyObject *)kind == PyExc_ValueError ||
                   (PyObject *)kind == PyExc_RuntimeError || (PyObject *)kind == PyExc_AttributeError;
    if (path && is_usual && PyUnicode_GET_LENGTH(path) > 0) {
        PyErr_Format((PyObject *)kind, "%U: %S", path, exc);
        PyObject *named = PyErr_GetRaisedException();
        if (named && Py_IS_TYPE(named, kind)) PyException_SetCause(named, Py_NewRef(exc));
        PyErr_SetRaisedException(named);
        Py_DECREF(exc);
    } else {
        PyErr_Clear();
        if (exc) PyErr_SetRaisedException(exc);
    }
    Py_XDECREF(path);
    return -1;
}

/* ---- places and leaves ------------------------------------------------------------- */

static int add_place(graph_walk *w, const place *p, int32_t *node)
{
    hr_error err = {0};
    hr_status status = HR_OK;
    if (p->kind < 0) return *node = -1, 0;
    if (p->kind == HR_PATH_SEQUENCE) {
        status = hr_tree_add_item(&w->tree, p->parent, p->index, node, &err);
    } else {
        uint64_t hash;
        if (graph_key_hash(p->key, &hash) < 0) return -1;
        status = hr_tree_add_key(&w->tree, p->parent, (hr_path_kind)p->kind, p->key, hash, node, &err);
        if (status == HR_OK) Py_INCREF(p->key);
    }
    return status == HR_OK ? 0 : fail(w, &err);
}

static int add_tensor(graph_walk *w, const place *p, PyObject *value, graph_kind *kind)
{
    hr_error err = {0};
    hr_tensor_facts facts;
    int64_t room[GRAPH_RANK_MAX];
    int32_t node;
    if (graph_read_tensor(w->st, value, kind, room, &facts) < 0) return fail_at(w, p);
    if (facts.sizes != room && facts.rank > 0) { /* the hash of a key may run Python */
        if (facts.rank > GRAPH_RANK_MAX) facts.rank = GRAPH_RANK_MAX;
        memcpy(room, facts.sizes, (size_t)facts.rank * sizeof *room);
        facts.sizes = room;
    }
    if (add_place(w, p, &node) < 0) return -1;
    if (hr_tree_add_tensor(&w->tree, node, &facts, &err) != HR_OK) return fail(w, &err);
    if (w->keep_tensors) w->tree.leaves[w->tree.n_leaves - 1].value = Py_NewRef(value);
    return 0;
}

static int add_value(graph_walk *w, const place *p, PyObject *value)
{
    hr_error err = {0};
    PyObject *token;
    uint64_t hash;
    int32_t node;
    if (graph_token(w->st, value, &token, &hash) < 0) return fail_at(w, p);
    int failed = add_place(w, p, &node);
    if (!failed && hr_tree_add_value(&w->tree, node, value, token, hash, &err) == HR_OK) {
        Py_INCREF(value);
        return 0;
    }
    Py_DECREF(token);
    return failed ? -1 : fail(w, &err);
}

/* ---- containers -------------------------------------------------------------------- */

/* A container inside itself comes back in a fixed rhythm on the way down, so that comparing with one
 * frame, which moves on at each power of two, finds it (Brent). */
static int check_cycle(graph_walk *w, const place *p, PyObject *value)
{
    int n = w->n_frames, mark = 1;
    while (mark * 2 <= n) mark *= 2;
    if (n == 0 || w->frames[mark - 1].obj != value) return 0;
    int32_t node = w->frames[mark - 1].node;
    PyObject *inner = place_text(w, p), *outer = NULL;
    if (inner) outer = graph_path_text(&w->tree, node);
    if (outer && PyUnicode_GET_LENGTH(outer) == 0) Py_SETREF(outer, PyUnicode_FromString("the whole call"));
    if (outer)
        PyErr_Format(PyExc_ValueError, "%U is %U again: a container that holds itself has no end", inner,
                     outer);
    Py_XDECREF(inner);
    Py_XDECREF(outer);
    return -1;
}

static int make_room(graph_walk *w)
{
    if (w->n_frames < w->room_frames) return 0;
    int room = w->room_frames ? w->room_frames * 2 : 16;
    graph_frame *frames = PyMem_Realloc(w->frames, (size_t)room * sizeof *frames);
    if (!frames) return PyErr_NoMemory(), -1;
    w->frames = frames;
    w->room_frames = room;
    return 0;
}

static int by_name(PyObject *names) { return names ? PyList_Sort(names) : -1; }

/* Names of a registered object's data: the class's and the object's own. */
static PyObject *names_of_user(graph_walk *w, PyObject *obj, PyObject *of_class)
{
    PyObject *names = PySet_New(of_class), *dict = NULL, *key, *value;
    Py_ssize_t pos = 0;
    if (!names || PyObject_GetOptionalAttr(obj, w->st->graphs->str_dict, &dict) < 0) goto failed;
    while (dict && PyDict_Check(dict) && PyDict_Next(dict, &pos, &key, &value)) {
        if (!PyUnicode_Check(key) || PyUnicode_GET_LENGTH(key) == 0) continue;
        if (PyUnicode_READ_CHAR(key, 0) == '_') continue;
        PyObject *of_type = NULL, *name = Py_NewRef(key);
        int found = PyObject_GetOptionalAttr((PyObject *)Py_TYPE(obj), name, &of_type);
        int hidden = found == 1 && (PyCallable_Check(of_type) || Py_TYPE(of_type)->tp_descr_set);
        int failed = found < 0 || (!hidden && PySet_Add(names, name) < 0);
        Py_XDECREF(of_type);
        Py_DECREF(name);
        if (failed) goto failed;
    }
    Py_XDECREF(dict);
    dict = PySequence_List(names);
    Py_DECREF(names);
    if (by_name(dict) < 0) Py_CLEAR(dict);
    return dict;
failed:
    Py_XDECREF(names);
    Py_XDECREF(dict);
    return NULL;
}

/* What the frame needs beside the container; NULL with an exception. */
static PyObject *aux_of(graph_walk *w, PyObject *obj, graph_kind *kind)
{
    switch (kind->way) {
    case GRAPH_DATACLASS: return Py_NewRef(kind->fields);
    case GRAPH_MAPPING: return PySequence_List(obj);
    case GRAPH_USER_DICT: return PyObject_GetAttr(obj, w->st->graphs->str_data);
    case GRAPH_USER: {
        PyObject *fields = Py_NewRef(kind->fields), *names = names_of_user(w, obj, fields);
        Py_DECREF(fields);
        return names;
    }
    default: return NULL;
    }
}

static int push(graph_walk *w, const place *p, PyObject *obj, graph_kind *kind, int strict)
{
    graph_way way = kind->way;
    if (way == GRAPH_USER) strict = !kind->only_tensors && (w->strict || w->opens);
    if (check_cycle(w, p, obj) < 0) return -1;
    if (++w->n_containers > HR_TREE_MAX) {
        PyErr_Format(PyExc_ValueError, "a call of more than %d containers", HR_TREE_MAX);
        return fail_at(w, p);
    }
    PyObject *aux = aux_of(w, obj, kind);
    if (!aux && PyErr_Occurred()) return fail_at(w, p);
    if (way == GRAPH_USER_DICT && !PyDict_Check(aux)) { /* somebody put another mapping there */
        Py_SETREF(aux, PySequence_List(obj));
        if (!aux) return fail_at(w, p);
        way = GRAPH_MAPPING;
    }
    int32_t node;
    if (make_room(w) < 0 || add_place(w, p, &node) < 0) {
        Py_XDECREF(aux);
        return -1;
    }
    PyObject *dict = way == GRAPH_USER_DICT ? aux : obj;
    Py_ssize_t size = way == GRAPH_DICT || way == GRAPH_USER_DICT ? PyDict_GET_SIZE(dict) : 0;
    w->frames[w->n_frames++] = (graph_frame){Py_NewRef(obj), aux, 0, size, node, (uint8_t)way,
                                             (uint8_t)strict};
    return 0;
}

static void pop(graph_walk *w)
{
    graph_frame f = w->frames[--w->n_frames];
    hr_tree *t = &w->tree;
    if (f.node >= 0 && t->n_nodes == f.node + 1) { /* nothing was in it: no trace is left */
        PyObject *key = (PyObject *)t->nodes[f.node].key;
        hr_tree_drop_nodes(t, f.node);
        Py_XDECREF(key);
    }
    drop_frame(&f);
}

/* ---- the walk ---------------------------------------------------------------------- */

static int visit(graph_walk *w, const place *p, PyObject *value, int strict)
{
    static graph_kind quick_list = {.way = GRAPH_LIST}, quick_tuple = {.way = GRAPH_TUPLE},
                      quick_dict = {.way = GRAPH_DICT};
    if (is_invariant(value)) value = invariant_value(value);
    PyTypeObject *t = Py_TYPE(value);
    if (!w->st->graphs->has_builtins) {
        if (t == &PyUnicode_Type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyBool_Type ||
            value == Py_None)
            return strict ? add_value(w, p, value) : 0;
        if (t == &PyDict_Type) return push(w, p, value, &quick_dict, strict);
        if (t == &PyList_Type) return push(w, p, value, &quick_list, strict);
        if (t == &PyTuple_Type) return push(w, p, value, &quick_tuple, strict);
    }
    graph_kind *kind = graph_kind_of(w->st, value);
    if (!kind) return fail_at(w, p);
    if (graph_is_tensor(kind->way)) return add_tensor(w, p, value, kind);
    if (graph_is_container(kind->way)) return push(w, p, value, kind, strict);
    return kind->way == GRAPH_VALUE && strict ? add_value(w, p, value) : 0;
}

/* The next thing in the frame: 1 with new references, 0 at the end, -1. */
static int next_of(graph_walk *w, graph_frame *f, place *p, PyObject **value)
{
    *p = (place){f->node, HR_PATH_SEQUENCE, NULL, f->pos};
    switch (f->way) {
    case GRAPH_LIST:
        if (f->pos >= PyList_GET_SIZE(f->obj)) return 0;
        *value = Py_NewRef(PyList_GET_ITEM(f->obj, f->pos++));
        return 1;
    case GRAPH_TUPLE:
        if (f->pos >= PyTuple_GET_SIZE(f->obj)) return 0;
        *value = Py_NewRef(PyTuple_GET_ITEM(f->obj, f->pos++));
        return 1;
    case GRAPH_DICT:
    case GRAPH_USER_DICT: {
        PyObject *dict = f->way == GRAPH_DICT ? f->obj : f->aux;
        p->kind = HR_PATH_MAPPING;
        if (PyDict_GET_SIZE(dict) != f->size) {
            PyErr_SetString(PyExc_RuntimeError, "a dict changed its size while it was walked");
            return -1;
        }
        if (!PyDict_Next(dict, &f->pos, &p->key, value)) return 0;
        Py_INCREF(p->key);
        Py_INCREF(*value);
        return 1;
    }
    default: break;
    }
    Py_ssize_t n = f->way == GRAPH_DATACLASS ? PyTuple_GET_SIZE(f->aux) : PyList_GET_SIZE(f->aux);
    if (f->pos >= n) return 0;
    PyObject *key = f->way == GRAPH_DATACLASS ? PyTuple_GET_ITEM(f->aux, f->pos)
                                              : PyList_GET_ITEM(f->aux, f->pos);
    f->pos++;
    PyObject *obj = f->obj; /* the stack may move, the frame keeps the object */
    p->kind = f->way == GRAPH_DATACLASS ? HR_PATH_RECORD : f->way == GRAPH_USER ? HR_PATH_USER
                                                                              : HR_PATH_MAPPING;
    p->key = Py_NewRef(key);
    *value = p->kind == HR_PATH_MAPPING ? PyObject_GetItem(obj, key) : PyObject_GetAttr(obj, key);
    if (*value) return 1;
    fail_at(w, p);
    Py_DECREF(key);
    return -1;
}

static int walk(graph_walk *w, const place *start, PyObject *value, int strict)
{
    int bottom = w->n_frames;
    if (visit(w, start, value, strict) < 0) return -1;
    while (w->n_frames > bottom) {
        place p;
        graph_frame *f = &w->frames[w->n_frames - 1];
        int got = next_of(w, f, &p, &value);
        if (got < 0) return -1;
        if (!got) {
            pop(w);
            continue;
        }
        int failed = visit(w, &p, value, f->strict);
        Py_DECREF(value);
        Py_XDECREF(p.key);
        if (failed) return -1;
    }
    return 0;
}

int graph_walk_value(graph_walk *w, PyObject *value)
{
    place root = {-1, -1, NULL, 0};
    return walk(w, &root, value, w->strict);
}

int graph_walk_key(graph_walk *w, int32_t parent, hr_path_kind kind, PyObject *key, PyObject *value)
{
    place p = {parent, (int)kind, key, 0};
    return walk(w, &p, value, w->strict);
}

int graph_walk_item(graph_walk *w, int32_t parent, Py_ssize_t index, PyObject *value)
{
    place p = {parent, HR_PATH_SEQUENCE, NULL, index};
    return walk(w, &p, value, w->strict);
}
