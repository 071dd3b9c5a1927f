/* Axes that a call names, by numbers or by the letters of a layout.
 * Thread use: plain functions of their arguments. */
#ifndef HR_CORE_AXES_H
#define HR_CORE_AXES_H

#include <headrace/op.h>

typedef struct hr__axes {
    int n;
    int v[HR_MAX_NDIM]; /* in the order given, each 0..ndim-1 and once */
    unsigned mask;      /* bit k: axis k is among them */
} hr__axes;

typedef struct hr__axes_given {
    const hr_ints *numbers; /* negative ones count from the back */
    const char *names;      /* letters, in place of numbers; NULL: numbers */
    const char *layout;
    int ndim;
    hr_status outside; /* for a number out of range; 0: HR_VALUE */
} hr__axes_given;

/* HR_VALUE for a letter that is not in the layout and an axis given twice; `outside`. */
HR_CHECKED hr_status hr__axes_find(const hr__axes_given *given, hr__axes *out, hr_error *err);
/* Is an argument `axis_name` one letter? HR_VALUE. */
HR_CHECKED hr_status hr__axis_name_check(const char *name, hr_error *err);
/* Every axis, in order. */
void hr__axes_all(int ndim, hr__axes *out);

#endif
