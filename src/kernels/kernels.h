/* Kernels: plain loops over packed elements, compiled once per CPU level (the build compiles every
 * file of this room with -DHR_LEVEL=base, avx2, avx512 and the matching flags). A file's functions
 * carry the level through HR_K(name); `table.c` lists them. Bits are equal at every level. */
#ifndef HR_KERNELS_KERNELS_H
#define HR_KERNELS_KERNELS_H

#include <headrace/headrace.h>

#define HR_K_PASTE_(name, level) hr__##name##_##level
#define HR_K_PASTE(name, level) HR_K_PASTE_(name, level)
#define HR_K(name) HR_K_PASTE(name, HR_LEVEL)

/* Every kernel: name, return type, parameters. One line adds it to the table of each level. */
#include "kernels/list.h"

typedef struct hr_kernels {
#define HR_KERNEL_FIELD(name, ret, params) ret(*name) params;
    HR_KERNEL_MAP(HR_KERNEL_FIELD)
#undef HR_KERNEL_FIELD
} hr_kernels;

#ifdef HR_LEVEL
#define HR_KERNEL_DECL(name, ret, params) ret HR_K(name) params;
HR_KERNEL_MAP(HR_KERNEL_DECL)
#undef HR_KERNEL_DECL
#endif

/* The table of a level; of the base where the build has no such level. */
const hr_kernels *hr__kernels_of(hr_cpu_level level);

#endif
