/* Arguments that a call leaves out: absent, or their defaults, which are parsed once a descriptor. */
#include <locale.h>
#include <stdatomic.h>
#include <string.h>

#include "core/args.h"
#include "core/args_text.h"
#include "core/core.h"

/* ---- absent values --------------------------------------------------------------- */

static const uint32_t absent_bits = 0x7FC0A5A5u;

float hr_float_absent(void)
{
    float v;
    memcpy(&v, &absent_bits, sizeof v);
    return v;
}

int hr_float_is_absent(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits == absent_bits;
}

static void set_absent(const hr_arg_desc *a, char *field)
{
    static const int none = -1;
    static const int64_t no_int = HR_INT_ABSENT;
    static const hr_ints no_list = {NULL, -1};
    float no_float = hr_float_absent();
    switch (a->kind) {
    case HR_ARG_INT: memcpy(field, &no_int, sizeof no_int); break;
    case HR_ARG_FLOAT: memcpy(field, &no_float, sizeof no_float); break;
    case HR_ARG_CHOICE:
    case HR_ARG_DTYPE:
    case HR_ARG_IMAGE_TYPE:
    case HR_ARG_INTERP: memcpy(field, &none, sizeof none); break;
    case HR_ARG_INTS:
    case HR_ARG_FLOATS:
    case HR_ARG_STRS: memcpy(field, &no_list, sizeof no_list); break;
    case HR_ARG_BOOL:
    case HR_ARG_STR:
    case HR_ARG_LAYOUT: break; /* zero */
    }
}

/* ---- a descriptor's defaults ----------------------------------------------------- */

typedef struct defaults {
    const hr_arg_desc *key;
    hr_arena *arena; /* holds the struct's lists and texts */
    char *initial;   /* the argument struct with every default */
} defaults;

static hr_status fill_table(defaults *t, int n_args, size_t size, hr_error *err)
{
    HR_TRY(hr_arena_create(&t->arena, err));
    t->initial = hr_arena_take(t->arena, size + !size);
    if (!t->initial) return hr_fail(err, HR_NOMEM, "no memory for default arguments");
    memset(t->initial, 0, size);
    for (int i = 0; i < n_args; i++) {
        const hr_arg_desc *a = &t->key[i];
        set_absent(a, t->initial + a->offset);
        if (!a->initial) continue;
        hr_value v = {0};
        HR_TRY(hr__arg_text_parse(a, t->arena, &v, err));
        /* A default may lie outside what a user may give: it is not checked against bounds. */
        hr_arg_desc free_arg = *a;
        free_arg.min = free_arg.max = 0;
        free_arg.min_n = free_arg.max_n = 0;
        hr__arg_binder b = {&free_arg, "default", t->arena, -1};
        HR_TRY(hr__arg_bind(&b, &v, t->initial + a->offset, err));
    }
    return HR_OK;
}

static void free_table(defaults *t)
{
    if (t) hr_arena_destroy(&t->arena);
    hr_free(t);
}

/* Defaults are written as in C and Python, "0.5", whatever the process's locale writes. */
static defaults *make_table(const hr_arg_desc *args, int n_args, size_t size, hr_error *err)
{
    defaults *t = hr_alloc_zero(1, sizeof *t);
    locale_t plain = t ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : (locale_t)0;
    hr_status status = HR_NOMEM;
    if (plain) {
        locale_t before = uselocale(plain);
        t->key = args;
        status = fill_table(t, n_args, size, err);
        uselocale(before);
        freelocale(plain);
    } else {
        status = hr_fail(err, HR_NOMEM, "no memory for default arguments");
    }
    if (status == HR_OK) return t;
    free_table(t);
    return NULL;
}

enum { TABLE_SLOTS = 1024 };
static _Atomic(defaults *) slots[TABLE_SLOTS]; /* open addressing by descriptor address */

static size_t slot_of(const hr_arg_desc *key)
{
    return (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 54) % TABLE_SLOTS;
}

static defaults *look_up(const hr_arg_desc *key, size_t *free_slot)
{
    size_t s = slot_of(key);
    for (int probes = 0; probes < TABLE_SLOTS; probes++, s = (s + 1) % TABLE_SLOTS) {
        defaults *t = atomic_load_explicit(&slots[s], memory_order_acquire);
        if (!t) {
            *free_slot = s;
            return NULL;
        }
        if (t->key == key) return t;
    }
    *free_slot = TABLE_SLOTS;
    return NULL;
}

const void *hr__args_defaults(const hr_arg_desc *args, int n_args, size_t size, hr_error *err)
{
    size_t slot;
    defaults *t = look_up(args, &slot), *own, *none;
    if (t) return t->initial;
    own = make_table(args, n_args, size, err);
    if (!own) return NULL;
    do { /* no lock: a fork in the middle would leave it locked */
        t = look_up(args, &slot);
        if (t || slot == TABLE_SLOTS) break;
        none = NULL;
    } while (!atomic_compare_exchange_strong(&slots[slot], &none, own));
    if (!t && slot < TABLE_SLOTS) return own->initial;
    free_table(own);
    if (!t) (void)hr_fail(err, HR_BUG, "over %d operators", TABLE_SLOTS);
    return t ? t->initial : NULL;
}
