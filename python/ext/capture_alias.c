/* One call of the source may be compiled twice: CPython copies short ends of functions, the tests of
 * `while` loops and `finally` blocks. A call is known by its source position, so the copies' places
 * count as one. Looked for once a trace, in the functions that sites need to be told apart. */
#include "capture.h"

/* The copies in one code object, as pairs of instructions: a later one and the first. */
typedef struct pairs {
    int *units;
    int n, room;
} pairs;

static int add_pair(pairs *p, int later, int first)
{
    if (p->n + 2 > p->room) {
        int room = p->room ? 2 * p->room : 64;
        int *more = PyMem_Realloc(p->units, sizeof *more * (size_t)room);
        if (!more) {
            PyErr_NoMemory();
            return -1;
        }
        p->units = more;
        p->room = room;
    }
    p->units[p->n++] = later;
    p->units[p->n++] = first;
    return 0;
}

/* `positions`: one (line, end line, column, end column) a unit of code. A run is a row of units of one
 * position; a call's own instruction stands at the same place of each of its runs. */
static int find_pairs(PyObject *positions, PyObject *first_of, pairs *p)
{
    int begin = 0, first = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(positions); i++) {
        PyObject *at = PyList_GET_ITEM(positions, i);
        int same = i ? PyObject_RichCompareBool(at, PyList_GET_ITEM(positions, i - 1), Py_EQ) : 0;
        if (same < 0) return -1;
        if (!same) {
            begin = first = (int)i;
            PyObject *seen = PyDict_GetItemWithError(first_of, at);
            if (!seen && PyErr_Occurred()) return -1;
            if (seen) {
                first = (int)PyLong_AsLong(seen);
            } else {
                PyObject *n = PyLong_FromSsize_t(i);
                int status = n ? PyDict_SetItem(first_of, at, n) : -1;
                Py_XDECREF(n);
                if (status < 0) return -1;
            }
        }
        if (first != begin && add_pair(p, (int)i, first + (int)i - begin) < 0) return -1;
    }
    return 0;
}

static int has_place(const capture_object *c, PyCodeObject *code, int offset)
{
    for (int i = 0; i < c->n_sites; i++)
        for (int d = 0; d < c->sites[i].depth; d++)
            if (c->sites[i].chain[d].code == code && c->sites[i].chain[d].offset == offset) return 1;
    return 0;
}

static int keep_alias(capture_object *c, PyCodeObject *code, int offset, int first)
{
    place_alias *more = PyMem_Realloc(c->aliases, sizeof *more * (size_t)(c->n_aliases + 1));
    if (!more) {
        PyErr_NoMemory();
        return -1;
    }
    c->aliases = more;
    more[c->n_aliases++] = (place_alias){code, offset, first}; /* the site's chain keeps the code */
    return 0;
}

static int find_in_code(capture_object *c, PyCodeObject *code)
{
    PyObject *iterator = PyObject_CallMethod((PyObject *)code, "co_positions", NULL);
    PyObject *positions = iterator ? PySequence_List(iterator) : NULL;
    PyObject *first_of = positions ? PyDict_New() : NULL;
    pairs p = {0};
    int status = first_of ? find_pairs(positions, first_of, &p) : -1;
    for (int i = 0; i < p.n && status == 0; i += 2) {
        int later = 2 * p.units[i], first = 2 * p.units[i + 1]; /* a unit has two bytes */
        if (has_place(c, code, later) || has_place(c, code, first))
            status = keep_alias(c, code, later, first);
    }
    PyMem_Free(p.units);
    Py_XDECREF(first_of);
    Py_XDECREF(positions);
    Py_XDECREF(iterator);
    return status;
}

int capture_find_aliases(capture_object *c)
{
    PyMem_Free(c->aliases);
    c->aliases = NULL;
    c->n_aliases = 0;
#if PY_VERSION_HEX >= 0x030B0000 /* 3.10 knows lines only */
    PyObject *done = PySet_New(NULL);
    int status = done ? 0 : -1;
    for (int i = 0; i < c->n_sites && status == 0; i++)
        for (int d = 0; d < c->sites[i].depth && status == 0; d++) {
            PyCodeObject *code = c->sites[i].chain[d].code;
            PyObject *id = PyLong_FromVoidPtr(code);
            int seen = id ? PySet_Contains(done, id) : -1;
            status = seen < 0 ? -1 : seen ? 0 : PySet_Add(done, id);
            if (status == 0 && !seen) status = find_in_code(c, code);
            Py_XDECREF(id);
        }
    Py_XDECREF(done);
    return status;
#else
    return 0;
#endif
}

int capture_first_offset(const capture_object *c, frame_key key)
{
    for (int i = 0; i < c->n_aliases; i++)
        if (c->aliases[i].code == key.code && c->aliases[i].offset == key.offset)
            return c->aliases[i].first;
    return key.offset;
}
