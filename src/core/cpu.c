/* What the machine offers: instruction sets, and CPUs that this process may use. */
#include <headrace/context.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "kernels/kernels.h"

static _Atomic(const hr_kernels *) kernels_in_use;
static _Atomic int level_in_use;

static hr_cpu_level machine_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return HR_CPU_BASE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return HR_CPU_AVX512;
    return HR_CPU_AVX2;
#else
    return HR_CPU_BASE;
#endif
}

const char *hr_cpu_level_name(hr_cpu_level level)
{
    static const char *const names[] = {"base", "avx2", "avx512"};
    return (unsigned)level < 3 ? names[level] : "unknown";
}

static void use_level(hr_cpu_level level)
{
    atomic_store_explicit(&level_in_use, level, memory_order_relaxed);
    atomic_store_explicit(&kernels_in_use, hr__kernels_of(level), memory_order_release);
}

static void detect(void)
{
    hr_cpu_level level = machine_level();
    const char *wish = getenv("HEADRACE_CPU");
    for (int l = 0; wish && l < (int)level; l++)
        if (!strcmp(wish, hr_cpu_level_name((hr_cpu_level)l))) level = (hr_cpu_level)l;
    use_level(level);
}

const hr_kernels *hr__kernels(void)
{
    const hr_kernels *k = atomic_load_explicit(&kernels_in_use, memory_order_acquire);
    if (k) return k;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, detect);
    return atomic_load_explicit(&kernels_in_use, memory_order_acquire);
}

hr_cpu_level hr_cpu_level_get(void)
{
    hr__kernels();
    return (hr_cpu_level)atomic_load(&level_in_use);
}

hr_status hr_cpu_level_set(hr_cpu_level level, hr_error *err)
{
    hr__kernels();
    if ((int)level < 0 || level > machine_level())
        return hr_fail(err, HR_VALUE, "CPU level %s: this machine has %s",
                       hr_cpu_level_name(level), hr_cpu_level_name(machine_level()));
    use_level(level);
    return HR_OK;
}

/* ---- CPUs ------------------------------------------------------------------------ */

int hr_cpu_count(void)
{
    int n = 0;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
    if (n < 1) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int quota = hr__cgroup_cpus("");
    if (quota && quota < n) n = quota;
    return n < 1 ? 1 : n;
}

int hr_thread_count_default(void)
{
    static const char *const names[] = {"HEADRACE_NUM_THREADS", "OMP_NUM_THREADS"};
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        char *end;
        long n = text ? strtol(text, &end, 10) : 0;
        /* OMP allows a list, one number a nesting level: the first counts. */
        if (text && end != text && (*end == '\0' || *end == ',') && n > 0 &&
            n <= HR_MAX_THREADS)
            return (int)n;
    }
    return hr_cpu_count();
}

const char *hr_version(void) { return HR_VERSION; }
