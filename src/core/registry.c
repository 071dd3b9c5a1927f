/* The list of operators, written by the build from src/ops.list. */
#include <headrace/op.h>

#include <string.h>

#define OP(name) extern const hr_op_desc hr_op_##name;
#include "ops_list.h"
#undef OP

static const hr_op_desc *const ops[] = {
#define OP(name) &hr_op_##name,
#include "ops_list.h"
#undef OP
};
enum { N_OPS = sizeof ops / sizeof *ops };

const hr_op_desc *hr_op_at(int i) { return i >= 0 && i < N_OPS ? ops[i] : NULL; }

const hr_op_desc *hr_op_find(const char *name)
{
    for (int i = 0; i < N_OPS; i++)
        if (!strcmp(ops[i]->name, name)) return ops[i];
    return NULL;
}
