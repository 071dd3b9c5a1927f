/* Forward signatures: a call's arguments go to parameters as Python would send them, without a
 * dictionary and without defaults. Equal calls, however written, are bound to equal arguments. */
#include "graph.h"

enum { POSITIONAL_ONLY, EITHER, REST, KEYWORD_ONLY, MORE };

#define signature_of(o) ((graph_signature *)(o))

/* ---- binding ----------------------------------------------------------------------- */

static int fail(const char *format, PyObject *name)
{
    PyErr_Format(PyExc_TypeError, format, name);
    return -1;
}

static int find_name(const graph_signature *s, PyObject *name)
{
    for (int i = 0; i < s->n; i++)
        if (PyTuple_GET_ITEM(s->names, i) == name) return i;
    for (int i = 0; i < s->n; i++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(s->names, i), name) == 0) return i;
    return -1;
}

static int bind_keyword(const graph_signature *s, PyObject *name, PyObject *value, graph_bound *out)
{
    int i = PyUnicode_Check(name) ? find_name(s, name) : -1;
    int kind = i >= 0 ? s->kinds[i] : MORE;
    if (i >= 0 && (kind == EITHER || kind == KEYWORD_ONLY)) {
        if (out->values[i]) return fail("multiple values for argument '%U'", name);
        out->values[i] = value;
        return 0;
    }
    if (s->more < 0) {
        if (kind == POSITIONAL_ONLY)
            return fail("'%U' parameter is positional only, but was passed as a keyword", name);
        return fail("got an unexpected keyword argument '%S'", name);
    }
    out->more[out->n_more * 2] = name;
    out->more[out->n_more * 2 + 1] = value;
    out->n_more++;
    return 0;
}

static int prepare(const graph_signature *s, PyObject *kwnames, graph_bound *out)
{
    Py_ssize_t n_keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    out->values = out->near_values;
    out->more = out->near_more;
    if ((size_t)s->n > sizeof out->near_values / sizeof *out->near_values)
        out->values = PyMem_Malloc((size_t)s->n * sizeof *out->values);
    if ((size_t)n_keywords * 2 > sizeof out->near_more / sizeof *out->near_more)
        out->more = PyMem_Malloc((size_t)n_keywords * 2 * sizeof *out->more);
    if (!out->values || !out->more) return PyErr_NoMemory(), -1;
    for (int i = 0; i < s->n; i++) out->values[i] = NULL;
    out->rest = NULL;
    out->n_rest = out->n_more = 0;
    return 0;
}

static int check_missing(const graph_signature *s, const graph_bound *b)
{
    for (int i = 0; i < s->n; i++) {
        if (b->values[i] || s->has_default[i] || i == s->rest || i == s->more) continue;
        return fail("missing a required argument: '%U'", PyTuple_GET_ITEM(s->names, i));
    }
    return 0;
}

static int bind(const graph_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *kwnames,
                graph_bound *out)
{
    Py_ssize_t taken = n < s->n_positional ? n : s->n_positional;
    for (Py_ssize_t i = 0; i < taken; i++) out->values[i] = args[i];
    if (n > taken && s->rest < 0) {
        PyErr_Format(PyExc_TypeError, "too many positional arguments: %zd for %d", n, s->n_positional);
        return -1;
    }
    if (n > taken) {
        out->rest = args + taken;
        out->n_rest = n - taken;
    }
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
        if (bind_keyword(s, PyTuple_GET_ITEM(kwnames, k), args[n + k], out) < 0) return -1;
    return check_missing(s, out);
}

int graph_bind(const graph_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *kwnames,
               graph_bound *out)
{
    int failed = prepare(s, kwnames, out) < 0 || bind(s, args, n, kwnames, out) < 0;
    if (failed) graph_bound_clear(out);
    return failed ? -1 : 0;
}

void graph_bound_clear(graph_bound *b)
{
    if (b->values != b->near_values) PyMem_Free(b->values);
    if (b->more != b->near_more) PyMem_Free(b->more);
    b->values = b->near_values;
    b->more = b->near_more;
}

/* ---- the tree of a bound call ------------------------------------------------------ */

/* A container that exists only as arguments: *args, **kwargs. */
static int add_parameter(graph_walk *w, PyObject *name, int32_t *node)
{
    hr_error err = {0};
    uint64_t hash;
    if (graph_key_hash(name, &hash) < 0) return -1;
    if (hr_tree_add_key(&w->tree, -1, HR_PATH_MAPPING, name, hash, node, &err) != HR_OK)
        return raise_error(w->st, &err), -1;
    Py_INCREF(name);
    return 0;
}

static void drop_empty(graph_walk *w, int32_t node)
{
    if (w->tree.n_nodes != node + 1) return;
    PyObject *key = (PyObject *)w->tree.nodes[node].key;
    hr_tree_drop_nodes(&w->tree, node);
    Py_DECREF(key);
}

static int walk_variadic(graph_walk *w, const graph_signature *s, const graph_bound *b, int i)
{
    Py_ssize_t n = i == s->rest ? b->n_rest : b->n_more;
    int32_t node;
    if (n == 0) return 0;
    if (add_parameter(w, PyTuple_GET_ITEM(s->names, i), &node) < 0) return -1;
    for (Py_ssize_t k = 0; k < n; k++) {
        int failed = i == s->rest ? graph_walk_item(w, node, k, b->rest[k])
                                  : graph_walk_key(w, node, HR_PATH_MAPPING, b->more[k * 2],
                                                   b->more[k * 2 + 1]);
        if (failed) return -1;
    }
    drop_empty(w, node);
    return 0;
}

int graph_walk_bound(graph_walk *w, const graph_signature *s, const graph_bound *b)
{
    int strict = w->strict, failed = 0;
    for (int i = 0; !failed && i < s->n; i++) {
        w->strict = strict && !s->is_free[i];
        if (i == s->rest || i == s->more)
            failed = walk_variadic(w, s, b, i);
        else if (b->values[i])
            failed = graph_walk_key(w, -1, HR_PATH_MAPPING, PyTuple_GET_ITEM(s->names, i), b->values[i]);
    }
    w->strict = strict;
    if (!failed && s->cache_position >= 0 && b->values[s->cache_position])
        failed = graph_note_phase_of(w, b->values[s->cache_position]);
    if (!failed) hr_tree_seal(&w->tree);
    return failed;
}

/* ---- calling with normalised arguments --------------------------------------------- */

/* How many leading parameters go by position: up to the first one that is absent. */
static int n_leading(const graph_signature *s, const graph_bound *b)
{
    int i = 0;
    while (i < s->n_positional && b->values[i]) i++;
    return i;
}

/* The keywords of a normalised call: values after the leading ones, then **kwargs. */
static Py_ssize_t count_keywords(const graph_signature *s, const graph_bound *b, int leading)
{
    Py_ssize_t n = b->n_more;
    for (int i = leading; i < s->n; i++) n += b->values[i] != NULL;
    return n;
}

static PyObject *fill_keywords(const graph_signature *s, const graph_bound *b, int leading,
                               PyObject **values)
{
    Py_ssize_t n = count_keywords(s, b, leading), at = 0;
    PyObject *names = PyTuple_New(n);
    if (!names) return NULL;
    for (int i = leading; i < s->n; i++) {
        if (!b->values[i]) continue;
        PyTuple_SET_ITEM(names, at, Py_NewRef(PyTuple_GET_ITEM(s->names, i)));
        values[at++] = b->values[i];
    }
    for (Py_ssize_t k = 0; k < b->n_more; k++) {
        PyTuple_SET_ITEM(names, at, Py_NewRef(b->more[k * 2]));
        values[at++] = b->more[k * 2 + 1];
    }
    return names;
}

PyObject *graph_bound_call(const graph_signature *s, const graph_bound *b, PyObject *callable)
{
    int leading = n_leading(s, b);
    Py_ssize_t n_keywords = count_keywords(s, b, leading), n = leading + b->n_rest;
    PyObject *near[32], **v = near;
    if ((size_t)(n + n_keywords + 1) > sizeof near / sizeof *near)
        v = PyMem_Malloc((size_t)(n + n_keywords + 1) * sizeof *v);
    if (!v) return PyErr_NoMemory();
    v[0] = NULL; /* room for a bound method's self */
    for (int i = 0; i < leading; i++) v[1 + i] = b->values[i];
    for (Py_ssize_t k = 0; k < b->n_rest; k++) v[1 + leading + k] = b->rest[k];
    PyObject *names = n_keywords ? fill_keywords(s, b, leading, v + 1 + n) : NULL, *out = NULL;
    if (names || !n_keywords)
        out = PyObject_Vectorcall(callable, v + 1, (size_t)n | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    Py_XDECREF(names);
    if (v != near) PyMem_Free(v);
    return out;
}

/* Such arguments as objects: (args, kwargs), new references. */
static PyObject *pack(const graph_signature *s, const graph_bound *b)
{
    int leading = n_leading(s, b);
    PyObject *args = PyTuple_New(leading + b->n_rest), *kwargs = PyDict_New();
    if (!args || !kwargs) goto failed;
    for (int i = 0; i < leading; i++) PyTuple_SET_ITEM(args, i, Py_NewRef(b->values[i]));
    for (Py_ssize_t k = 0; k < b->n_rest; k++)
        PyTuple_SET_ITEM(args, leading + k, Py_NewRef(b->rest[k]));
    for (int i = leading; i < s->n; i++)
        if (b->values[i] && PyDict_SetItem(kwargs, PyTuple_GET_ITEM(s->names, i), b->values[i]) < 0)
            goto failed;
    for (Py_ssize_t k = 0; k < b->n_more; k++)
        if (PyDict_SetItem(kwargs, b->more[k * 2], b->more[k * 2 + 1]) < 0) goto failed;
    return Py_BuildValue("(NN)", args, kwargs);
failed:
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return NULL;
}

/* By parameter, as a dict: *args is a tuple, **kwargs a dict. */
static PyObject *arguments_of(const graph_signature *s, const graph_bound *b)
{
    PyObject *out = PyDict_New();
    for (int i = 0; out && i < s->n; i++) {
        PyObject *value = Py_XNewRef(b->values[i]);
        if (i == s->rest && b->n_rest) {
            value = PyTuple_New(b->n_rest);
            for (Py_ssize_t k = 0; value && k < b->n_rest; k++)
                PyTuple_SET_ITEM(value, k, Py_NewRef(b->rest[k]));
        } else if (i == s->more && b->n_more) {
            value = PyDict_New();
            for (Py_ssize_t k = 0; value && k < b->n_more; k++)
                if (PyDict_SetItem(value, b->more[k * 2], b->more[k * 2 + 1]) < 0) Py_CLEAR(value);
        }
        if (PyErr_Occurred() ||
            (value && PyDict_SetItem(out, PyTuple_GET_ITEM(s->names, i), value) < 0))
            Py_CLEAR(out);
        Py_XDECREF(value);
    }
    return out;
}

/* bind(args, kwargs): (arguments, args, kwargs). */
static PyObject *signature_bind(PyObject *self, PyObject *given)
{
    PyObject *args, *kwargs, *key, *value, *out = NULL;
    if (!PyArg_ParseTuple(given, "O!O!:bind", &PyTuple_Type, &args, &PyDict_Type, &kwargs)) return NULL;
    const graph_signature *s = signature_of(self);
    Py_ssize_t n = PyTuple_GET_SIZE(args), n_kw = PyDict_GET_SIZE(kwargs), pos = 0, k = 0;
    PyObject **v = PyMem_Malloc((size_t)(n + n_kw + 1) * sizeof *v), *names = PyTuple_New(n_kw);
    if (!v || !names) goto done;
    for (Py_ssize_t i = 0; i < n; i++) v[i] = PyTuple_GET_ITEM(args, i);
    for (; k < n_kw && PyDict_Next(kwargs, &pos, &key, &value); k++) {
        PyTuple_SET_ITEM(names, k, Py_NewRef(key));
        v[n + k] = value;
    }
    graph_bound b;
    if (graph_bind(s, v, n, names, &b) < 0) goto done;
    PyObject *arguments = arguments_of(s, &b), *packed = arguments ? pack(s, &b) : NULL;
    if (packed)
        out = PyTuple_Pack(3, arguments, PyTuple_GET_ITEM(packed, 0), PyTuple_GET_ITEM(packed, 1));
    Py_XDECREF(arguments);
    Py_XDECREF(packed);
    graph_bound_clear(&b);
done:
    PyMem_Free(v);
    Py_XDECREF(names);
    return out;
}

/* ---- the type ---------------------------------------------------------------------- */

/* Reads (name, kind, has_default) of parameter `i`. */
static int read_parameter(graph_signature *s, int i, PyObject *parameter)
{
    PyObject *name;
    int kind, has_default;
    if (!PyArg_ParseTuple(parameter, "Uip;parameters are (name, kind, has_default)", &name, &kind,
                          &has_default))
        return -1;
    if (kind < POSITIONAL_ONLY || kind > MORE || (i > 0 && kind < s->kinds[i - 1]) ||
        ((kind == REST || kind == MORE) && i > 0 && kind == s->kinds[i - 1])) {
        PyErr_Format(PyExc_ValueError, "parameter '%U' of kind %d stands in the wrong place", name, kind);
        return -1;
    }
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    PyTuple_SET_ITEM(s->names, i, name);
    s->kinds[i] = (char)kind;
    s->has_default[i] = (char)has_default;
    s->is_free[i] = 0;
    if (kind <= EITHER) s->n_positional = i + 1;
    if (PyUnicode_CompareWithASCIIString(name, "cache_position") == 0 && kind != REST && kind != MORE)
        s->cache_position = i;
    if (kind == REST) s->rest = i;
    if (kind == MORE) s->more = i;
    return 0;
}

static int set_free(graph_signature *s, PyObject *free_names)
{
    PyObject *names = PySequence_Tuple(free_names);
    if (!names) return -1;
    int failed = 0;
    for (Py_ssize_t k = 0; !failed && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        int i = PyUnicode_Check(name) ? find_name(s, name) : -1;
        failed = i < 0;
        if (failed) PyErr_Format(PyExc_ValueError, "free argument %R is no parameter", name);
        else s->is_free[i] = 1;
    }
    Py_DECREF(names);
    return failed ? -1 : 0;
}

static PyObject *signature_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"parameters", "free", NULL};
    PyObject *parameters, *free_names = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O!|O:GraphSignature", words, &PyTuple_Type, &parameters,
                                     &free_names))
        return NULL;
    graph_signature *s = (graph_signature *)type->tp_alloc(type, 0);
    if (!s) return NULL;
    s->n = (int)PyTuple_GET_SIZE(parameters);
    s->rest = s->more = s->cache_position = -1;
    s->names = PyTuple_New(s->n);
    s->kinds = PyMem_Calloc(3, (size_t)s->n + 1);
    if (!s->names || !s->kinds) goto failed;
    s->has_default = s->kinds + s->n + 1;
    s->is_free = s->has_default + s->n + 1;
    for (int i = 0; i < s->n; i++)
        if (read_parameter(s, i, PyTuple_GET_ITEM(parameters, i)) < 0) goto failed;
    if (free_names && set_free(s, free_names) < 0) goto failed;
    return (PyObject *)s;
failed:
    if (!PyErr_Occurred()) PyErr_NoMemory();
    Py_DECREF(s);
    return NULL;
}

static void signature_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(signature_of(self)->names);
    PyMem_Free(signature_of(self)->kinds);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"bind", signature_bind, METH_VARARGS,
     "bind($self, args, kwargs, /)\n--\n\n"
     "(arguments, args, kwargs): by parameter, without defaults, and as a call that is written alike\n"
     "for all equal calls. TypeError where Python's call would raise it."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "GraphSignature(parameters, free=())\n--\n\n"
                "How calls are bound; parameters are (name, kind, has_default) tuples. Values of the\n"
                "arguments named in `free` make no graphs."},
    {Py_tp_new, signature_new},
    {Py_tp_dealloc, signature_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec graph_signature_spec = {
    .name = "headrace._core.GraphSignature",
    .basicsize = sizeof(graph_signature),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
