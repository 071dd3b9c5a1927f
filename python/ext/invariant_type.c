/* The proxy types: one for each wrapped type, made when it is first needed and kept in a table that
 * does not keep the wrapped type alive. Classes can be changed; a changed one gets a new proxy type. */
#include "invariant_type.h"

#include <string.h>

/* ---- what a type can do ---------------------------------------------------------- */

/* Its protocols, as far as they show in a proxy's type. */
typedef struct protocols {
    uint64_t slots;    /* bit i: invariant_forwards[i] */
    uint32_t specials, blocked; /* bit i: invariant_specials[i]; blocked: it is None */
    int has_hash, has_weakrefs, is_text, is_type;
    unsigned long kind; /* of a pattern: sequence, mapping */
} protocols;

_Static_assert(N_FORWARDS <= 64 && N_SPECIALS <= 32, "the protocols of a type are bits");

/* A method as the class has it; borrowed; NULL: it has none. */
static PyObject *look_up(PyTypeObject *type, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *found = key ? _PyType_Lookup(type, key) : NULL;
    Py_XDECREF(key);
    if (!key) PyErr_Clear();
    return found;
}

static int has_slot(PyTypeObject *type, const forward_row *row)
{
    const char *table = (const char *)type;
    if (row->group) memcpy(&table, (const char *)type + row->group, sizeof table);
    void *slot = NULL;
    if (table) memcpy(&slot, table + row->offset, sizeof slot);
    if (row->slot == Py_tp_iternext) /* classes without __next__ have a function that says so */
        return slot && look_up(type, "__next__");
    /* A class derived from dict has the item slots of a sequence, but is not taken for one. */
    if (row->slot == Py_sq_item || row->slot == Py_sq_ass_item)
        return slot && !PyType_IsSubtype(type, &PyDict_Type);
    return slot != NULL;
}

static void look_for_specials(PyTypeObject *type, protocols *p)
{
    for (int i = 0; i < N_SPECIALS; i++) {
        PyObject *found = look_up(type, invariant_specials[i].ml_name);
        if (found) p->specials |= 1u << i;
        if (found == Py_None) p->blocked |= 1u << i;
    }
    if (PyType_IsSubtype(type, &PyUnicode_Type) || PyType_IsSubtype(type, &PyBytes_Type))
        p->specials |= 1u << SPECIAL_FSPATH;
    if (PyType_IsSubtype(type, &PyComplex_Type)) p->specials |= 1u << SPECIAL_COMPLEX;
}

static void look_at(PyTypeObject *type, protocols *p)
{
    memset(p, 0, sizeof *p); /* with its padding: two are compared as bytes */
    for (int i = 0; i < N_FORWARDS; i++)
        p->slots |= (uint64_t)has_slot(type, &invariant_forwards[i]) << i;
    p->has_hash = type->tp_hash != PyObject_HashNotImplemented;
    p->has_weakrefs = PyType_SUPPORTS_WEAKREFS(type) != 0;
    p->kind = type->tp_flags & (Py_TPFLAGS_SEQUENCE | Py_TPFLAGS_MAPPING);
    p->is_text = type->tp_as_sequence && type->tp_as_sequence->sq_concat &&
                 (PyType_IsSubtype(type, &PyUnicode_Type) ||
                  PyType_IsSubtype(type, &PyBytes_Type) ||
                  PyType_IsSubtype(type, &PyTuple_Type));
    p->is_type = PyType_IsSubtype(type, &PyType_Type);
    look_for_specials(type, p);
}

/* ---- making a type --------------------------------------------------------------- */

static PyMemberDef with_weakrefs[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(invariant_object, weakrefs), Py_READONLY, NULL},
    {0},
};

static void fill_slots(const protocols *p, PyType_Slot *slots)
{
    int n = 0, has_add = 0, has_item = 0, has_multiply = 0, has_repeat = 0;
    for (const PyType_Slot *s = invariant_common; s->slot; s++)
        if (s->slot != Py_tp_hash || p->has_hash) slots[n++] = *s;
    if (!p->has_hash) slots[n++] = (PyType_Slot){Py_tp_hash, PyObject_HashNotImplemented};
    for (int i = 0; i < N_FORWARDS; i++) {
        if (!(p->slots >> i & 1)) continue;
        const forward_row *row = &invariant_forwards[i];
        slots[n++] = (PyType_Slot){row->slot, row->forward};
        has_add |= row->slot == Py_nb_add;
        has_item |= row->slot == Py_mp_subscript;
        has_multiply |= row->slot == Py_nb_multiply;
        has_repeat |= row->slot == Py_nb_inplace_multiply || row->slot == Py_sq_repeat;
    }
    if (has_multiply && !has_repeat) /* `n *= "ab"` asks only types that are not made at run time */
        slots[n++] = (PyType_Slot){Py_nb_inplace_multiply, (void *)invariant_multiply_in_place};
    if (p->is_text && !has_add) slots[n++] = (PyType_Slot){Py_nb_add, invariant_add_right};
    if (p->is_type && !has_item) /* `list[int]` is the class's own doing: no slot shows it */
        slots[n++] = (PyType_Slot){Py_mp_subscript, invariant_get_item};
    if (p->has_weakrefs) slots[n++] = (PyType_Slot){Py_tp_members, with_weakrefs};
    slots[n] = (PyType_Slot){0, NULL};
}

static int add_specials(PyTypeObject *type, const protocols *p)
{
    for (int i = 0; i < N_SPECIALS; i++) {
        if (!(p->specials >> i & 1)) continue;
        PyObject *method = p->blocked >> i & 1 ? Py_NewRef(Py_None)
                                               : PyDescr_NewMethod(type, &invariant_specials[i]);
        int bad = !method || PyObject_SetAttrString((PyObject *)type,
                                                    invariant_specials[i].ml_name, method) < 0;
        Py_XDECREF(method);
        if (bad) return -1;
    }
    return 0;
}

/* `__iter__ = None` and the like: the class says that it has none, and ABCs look for it. */
static int block_methods(PyTypeObject *type, PyTypeObject *wrapped)
{
    static const char *const names[] = {"__iter__", "__contains__", "__len__", "__call__",
                                        "__getitem__", "__aiter__", "__await__", "__next__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (look_up(wrapped, names[i]) == Py_None &&
            PyObject_SetAttrString((PyObject *)type, names[i], Py_None) < 0)
            return -1;
    return 0;
}

static PyTypeObject *finish_type(PyTypeObject *take_type, const protocols *p,
                                 PyTypeObject *wrapped, const char *short_name)
{
    PyTypeObject *type = take_type;
    int bad = add_specials(type, p) < 0 || block_methods(type, wrapped) < 0;
#if PY_VERSION_HEX < 0x030B0000 /* the type does not copy its name: let it own one */
    PyObject *name = bad ? NULL : PyUnicode_FromString(short_name);
    bad = bad || !name || PyObject_SetAttrString((PyObject *)type, "__name__", name) < 0;
    Py_XDECREF(name);
#endif
    (void)short_name;
    if (bad) Py_CLEAR(type);
    return type;
}

static PyTypeObject *make_type(mod_state *st, PyTypeObject *wrapped, const protocols *p)
{
    static const char prefix[] = "headrace.capture.";
    const char *last = strrchr(wrapped->tp_name, '.');
    last = last ? last + 1 : wrapped->tp_name;
    size_t size = sizeof prefix + sizeof "_Invariant_" + strlen(last);
    char *name = PyMem_Malloc(size);
    if (!name) return (PyTypeObject *)PyErr_NoMemory();
    snprintf(name, size, "%s_Invariant_%s", prefix, last);
    PyType_Slot slots[N_FORWARDS + 16];
    fill_slots(p, slots);
    PyType_Spec spec = {
        .name = name,
        .basicsize = sizeof(invariant_object),
        .flags = (unsigned)(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION | p->kind),
        .slots = slots,
    };
    PyObject *module = PyType_GetModule(st->tensor_type);
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (type) type = finish_type(type, p, wrapped, name + sizeof prefix - 1);
    PyMem_Free(name);
    return type;
}

/* ---- the table ------------------------------------------------------------------- */

typedef struct entry {
    PyTypeObject *wrapped; /* its address only; NULL: a free place */
    PyObject *ref;         /* weak, to the wrapped type */
    PyTypeObject *proxy;
    unsigned version; /* of the wrapped type when it was last looked at; 0: it had none */
    protocols what;
} entry;

/* By address, with open places; what has died stays until the table grows. */
struct invariant_table {
    size_t n, room; /* room: a power of two */
    entry e[];
};

static entry *place_of(struct invariant_table *t, const PyTypeObject *wrapped)
{
    size_t i = (uintptr_t)wrapped / 16 * 31;
    for (i &= t->room - 1; t->e[i].wrapped && t->e[i].wrapped != wrapped;)
        i = (i + 1) & (t->room - 1);
    return &t->e[i];
}

/* The entry that belongs to the living type, or NULL. */
static entry *find(struct invariant_table *t, PyTypeObject *wrapped)
{
    entry *e = t ? place_of(t, wrapped) : NULL;
    return e && e->wrapped && weak_ref_is(e->ref, (PyObject *)wrapped) ? e : NULL;
}

static struct invariant_table *new_table(size_t room)
{
    struct invariant_table *t = PyMem_Calloc(1, sizeof *t + room * sizeof t->e[0]);
    if (t) t->room = room;
    else PyErr_NoMemory();
    return t;
}

static void drop_entry(entry *e)
{
    Py_XDECREF(e->ref);
    Py_XDECREF((PyObject *)e->proxy);
}

/* Makes room, and lets go of the entries whose types have died. Freeing types may run code that comes
 * back to the table, so that is done when the new one stands. */
static int grow(mod_state *st)
{
    struct invariant_table *old = st->invariants;
    size_t living = 0, room = 16;
    for (size_t i = 0; old && i < old->room; i++)
        living += old->e[i].wrapped && weak_ref_is(old->e[i].ref, (PyObject *)old->e[i].wrapped);
    while (room < 4 * (living + 1)) room *= 2;
    struct invariant_table *t = new_table(room);
    if (!t) return -1;
    for (size_t i = 0; old && i < old->room; i++) {
        entry *e = &old->e[i];
        if (!e->wrapped || !weak_ref_is(e->ref, (PyObject *)e->wrapped)) continue;
        *place_of(t, e->wrapped) = *e;
        *e = (entry){0};
        t->n++;
    }
    st->invariants = t;
    for (size_t i = 0; old && i < old->room; i++) drop_entry(&old->e[i]);
    PyMem_Free(old);
    return 0;
}

/* Takes over the entry's references. */
static int put(mod_state *st, entry take)
{
    while (!st->invariants || 2 * (st->invariants->n + 1) > st->invariants->room) {
        if (grow(st) < 0) {
            drop_entry(&take);
            return -1;
        }
    }
    entry *e = place_of(st->invariants, take.wrapped), old = *e;
    if (!e->wrapped) st->invariants->n++;
    *e = take;
    drop_entry(&old);
    return 0;
}

/* First use of the type, or it was changed since. */
static PyTypeObject *make_entry(mod_state *st, PyTypeObject *wrapped)
{
    entry fresh = {.wrapped = wrapped};
    look_at(wrapped, &fresh.what);
    fresh.version = wrapped->tp_version_tag;
    entry *known = find(st->invariants, wrapped);
    if (known && memcmp(&known->what, &fresh.what, sizeof fresh.what) == 0) {
        known->version = fresh.version;
        return (PyTypeObject *)Py_NewRef((PyObject *)known->proxy);
    }
    fresh.proxy = make_type(st, wrapped, &fresh.what);
    fresh.ref = fresh.proxy ? PyWeakref_NewRef((PyObject *)wrapped, NULL) : NULL;
    if (!fresh.ref) {
        Py_XDECREF((PyObject *)fresh.proxy);
        return NULL;
    }
    PyTypeObject *proxy = (PyTypeObject *)Py_NewRef((PyObject *)fresh.proxy);
    if (put(st, fresh) < 0) Py_CLEAR(proxy);
    return proxy;
}

PyTypeObject *invariant_type_for(mod_state *st, PyTypeObject *wrapped)
{
    if (!st->tensor_type) { /* a finalizer's call when the module is gone */
        PyErr_SetString(PyExc_RuntimeError, "headrace is shut down");
        return NULL;
    }
    entry *e = find(st->invariants, wrapped);
    if (e && e->version && e->version == wrapped->tp_version_tag)
        return (PyTypeObject *)Py_NewRef((PyObject *)e->proxy);
    return make_entry(st, wrapped);
}

int invariant_traverse_types(mod_state *st, visitproc visit, void *arg)
{
    struct invariant_table *t = st->invariants;
    for (size_t i = 0; t && i < t->room; i++) {
        Py_VISIT(t->e[i].ref);
        Py_VISIT((PyObject *)t->e[i].proxy);
    }
    return 0;
}

void invariant_clear_types(mod_state *st)
{
    struct invariant_table *t = st->invariants;
    st->invariants = NULL;
    for (size_t i = 0; t && i < t->room; i++) drop_entry(&t->e[i]);
    PyMem_Free(t);
}
