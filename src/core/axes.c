/* Axes by number or letter: one rule and one set of messages. */
#include "core/axes.h"

#include <string.h>

static hr_status number_at(const hr__axes_given *g, int64_t i, int *axis, hr_error *err)
{
    int64_t k = g->numbers->v[i];
    hr_status status = g->outside ? g->outside : HR_VALUE;
    if (g->ndim == 0)
        return hr_fail(err, status, "`axes` has %lld, the input has no axes", (long long)k);
    if (k < -g->ndim || k >= g->ndim)
        return hr_fail(err, status, "`axes` has %lld, it must be within %d..%d", (long long)k,
                       -g->ndim, g->ndim - 1);
    *axis = (int)(k < 0 ? k + g->ndim : k);
    return HR_OK;
}

hr_status hr__axes_find(const hr__axes_given *g, hr__axes *out, hr_error *err)
{
    int64_t n = g->names ? (int64_t)strlen(g->names) : g->numbers->n;
    *out = (hr__axes){0};
    for (int64_t i = 0; i < n; i++) {
        int k = g->names ? hr_layout_find(g->layout, g->names[i]) : -1;
        if (g->names && k < 0)
            return hr_fail(err, HR_VALUE, "axis '%c' of `axis_names` is not in the layout \"%s\"",
                           g->names[i], g->layout);
        if (!g->names) HR_TRY(number_at(g, i, &k, err));
        if (out->mask >> k & 1) return hr_fail(err, HR_VALUE, "axis %d is given twice", k);
        out->mask |= 1u << k;
        out->v[out->n++] = k;
    }
    return HR_OK;
}

hr_status hr__axis_name_check(const char *name, hr_error *err)
{
    if (strlen(name) == 1) return HR_OK;
    return hr_fail(err, HR_VALUE, "`axis_name` is \"%.32s\", it must be one letter", name);
}

void hr__axes_all(int ndim, hr__axes *out)
{
    *out = (hr__axes){.n = ndim, .mask = (1u << ndim) - 1};
    for (int k = 0; k < ndim; k++) out->v[k] = k;
}
