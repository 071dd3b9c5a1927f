/* Argument kinds in words, and defaults as descriptors write them. */
#include "core/args_text.h"

#include <stdlib.h>
#include <string.h>

const char *hr__arg_kind_words(const hr_arg_desc *arg)
{
    static const char *const words[] = {
        [HR_ARG_BOOL] = "True or False",
        [HR_ARG_INT] = "an integer",
        [HR_ARG_FLOAT] = "a number",
        [HR_ARG_STR] = "a str",
        [HR_ARG_CHOICE] = "a str",
        [HR_ARG_DTYPE] = "a DType",
        [HR_ARG_IMAGE_TYPE] = "an image type",
        [HR_ARG_INTERP] = "an interpolation type",
        [HR_ARG_LAYOUT] = "a str",
        [HR_ARG_INTS] = "a list of integers",
        [HR_ARG_FLOATS] = "a list of numbers",
        [HR_ARG_STRS] = "a list of str",
    };
    return words[arg->kind];
}

const char *hr__value_kind_words(const hr_value *value)
{
    static const char *const words[] = {
        [HR_VALUE_NONE] = "None",
        [HR_VALUE_BOOL] = "a bool",
        [HR_VALUE_INT] = "an int",
        [HR_VALUE_FLOAT] = "a float",
        [HR_VALUE_STR] = "a str",
        [HR_VALUE_DTYPE] = "a DType",
        [HR_VALUE_IMAGE_TYPE] = "an image type",
        [HR_VALUE_INTERP] = "an interpolation type",
        [HR_VALUE_INTS] = "a list of integers",
        [HR_VALUE_FLOATS] = "a list of numbers",
        [HR_VALUE_STRS] = "a list of str",
        [HR_VALUE_TENSOR] = "a tensor",
        [HR_VALUE_BATCH] = "a batch",
    };
    return words[value->kind];
}

size_t hr__arg_field_size(hr_arg_kind kind)
{
    switch (kind) {
    case HR_ARG_INT: return sizeof(int64_t);
    case HR_ARG_FLOAT: return sizeof(float);
    case HR_ARG_STR:
    case HR_ARG_LAYOUT: return sizeof(char *);
    case HR_ARG_INTS:
    case HR_ARG_FLOATS:
    case HR_ARG_STRS: return sizeof(hr_ints);
    default: return sizeof(int);
    }
}

static int find_name(const char *const *names, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], text)) return i;
    return -1;
}

static const char *const interps[] = {"INTERP_NN",       "INTERP_LINEAR",     "INTERP_CUBIC",
                                      "INTERP_LANCZOS3", "INTERP_TRIANGULAR", "INTERP_GAUSSIAN"};

const char *hr__interp_name(hr_interp interp) { return interps[interp]; }

static int64_t parse_enum(const hr_arg_desc *arg)
{
    static const char *const images[] = {"RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA"};
    if (arg->kind == HR_ARG_DTYPE) return hr_dtype_parse(arg->initial);
    if (arg->kind == HR_ARG_IMAGE_TYPE) return find_name(images, 5, arg->initial);
    return find_name(interps, 6, arg->initial);
}

/* "[a, b]" to items of `size` bytes; the text's commas bound their number. */
static hr_status parse_list(const hr_arg_desc *arg, hr_arena *arena, hr_value *out,
                            hr_error *err)
{
    const char *p = arg->initial;
    size_t room = 1;
    for (const char *q = p; *q; q++) room += *q == ',';
    if (*p++ != '[') return hr_fail(err, HR_BUG, "default of `%s` is no list", arg->name);
    void *items = hr_arena_take(arena, room * sizeof(double));
    if (!items) return hr_fail(err, HR_NOMEM, "no memory for default arguments");
    int64_t n = 0;
    for (p += strspn(p, " "); *p != ']'; p += strspn(p, " ,")) {
        char *end = NULL;
        if (arg->kind == HR_ARG_INTS) {
            ((int64_t *)items)[n++] = strtoll(p, &end, 10);
        } else if (arg->kind == HR_ARG_FLOATS) {
            ((double *)items)[n++] = strtod(p, &end);
        } else if (*p == '\'' || *p == '"') {
            size_t len = strcspn(p + 1, (char[]){*p, '\0'});
            if (!p[1 + len])
                return hr_fail(err, HR_BUG, "default of `%s`: \"%s\"", arg->name, arg->initial);
            char *s = hr_arena_take(arena, len + 1);
            if (!s) return hr_fail(err, HR_NOMEM, "no memory for default arguments");
            memcpy(s, p + 1, len);
            s[len] = '\0';
            ((const char **)items)[n++] = s;
            end = (char *)p + len + 2;
        }
        if (!end || end == p || !*end)
            return hr_fail(err, HR_BUG, "default of `%s`: \"%s\"", arg->name, arg->initial);
        p = end;
    }
    out->n = n;
    out->kind = arg->kind == HR_ARG_INTS     ? HR_VALUE_INTS
                : arg->kind == HR_ARG_FLOATS ? HR_VALUE_FLOATS
                                             : HR_VALUE_STRS;
    out->u.ints = items;
    return HR_OK;
}

hr_status hr__arg_text_parse(const hr_arg_desc *arg, hr_arena *arena, hr_value *out,
                             hr_error *err)
{
    char *end = NULL;
    switch (arg->kind) {
    case HR_ARG_BOOL:
        out->kind = HR_VALUE_BOOL;
        out->u.i = !strcmp(arg->initial, "True");
        return HR_OK;
    case HR_ARG_INT:
        out->kind = HR_VALUE_INT;
        out->u.i = strtoll(arg->initial, &end, 10);
        break;
    case HR_ARG_FLOAT:
        out->kind = HR_VALUE_FLOAT;
        out->u.f = strtod(arg->initial, &end);
        break;
    case HR_ARG_STR:
    case HR_ARG_CHOICE:
    case HR_ARG_LAYOUT:
        out->kind = HR_VALUE_STR;
        out->u.s = arg->initial;
        return HR_OK;
    case HR_ARG_DTYPE:
    case HR_ARG_IMAGE_TYPE:
    case HR_ARG_INTERP:
        out->kind = HR_VALUE_INT;
        out->u.i = parse_enum(arg);
        if (out->u.i < 0)
            return hr_fail(err, HR_BUG, "default of `%s`: \"%s\"", arg->name, arg->initial);
        return HR_OK;
    default:
        return parse_list(arg, arena, out, err);
    }
    if (end == arg->initial || *end)
        return hr_fail(err, HR_BUG, "default of `%s`: \"%s\"", arg->name, arg->initial);
    return HR_OK;
}
