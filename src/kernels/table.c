/* The table of one level. */
#include "kernels/kernels.h"

extern const hr_kernels HR_K(kernels);
const hr_kernels HR_K(kernels) = {
#define HR_KERNEL_ROW(name, ret, params) .name = HR_K(name),
    HR_KERNEL_MAP(HR_KERNEL_ROW)
#undef HR_KERNEL_ROW
};
