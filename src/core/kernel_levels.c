/* Which level's table: those that the build has. */
#include "kernels/kernels.h"

extern const hr_kernels hr__kernels_base;
#if defined(__x86_64__)
extern const hr_kernels hr__kernels_avx2, hr__kernels_avx512;
#endif

const hr_kernels *hr__kernels_of(hr_cpu_level level)
{
#if defined(__x86_64__)
    if (level == HR_CPU_AVX512) return &hr__kernels_avx512;
    if (level == HR_CPU_AVX2) return &hr__kernels_avx2;
#endif
    (void)level;
    return &hr__kernels_base;
}
