/* CPUs and memory that may be used: control groups of both versions read from a made-up root, environment,
 * affinity; and the levels of instructions. */
#include <ftw.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"
#include "kernels/kernels.h"

/* ---- a root of our own -------------------------------------------------------------------- */

static char root[256];

static int make_root(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(root, sizeof root, "%.200s/headrace-cpu-XXXXXX", base ? base : "/tmp");
    return mkdtemp(root) ? 0 : -1;
}

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static int drop_root(void **state)
{
    (void)state;
    return nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
        *p = '\0';
        mkdir(whole, 0755);
    }
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_no_groups(void **state)
{
    (void)state;
    assert_int_equal(hr__cgroup_cpus(root), 0); /* no /proc at all */
    put("/proc/self/cgroup", "");
    assert_int_equal(hr__cgroup_cpus(root), 0);
    put("/proc/self/cgroup", "0::/\n");
    assert_int_equal(hr__cgroup_cpus(root), 0);
    put("/proc/self/cgroup", "nonsense\n::\n:\n7:cpu\n\n");
    assert_int_equal(hr__cgroup_cpus(root), 0);
}

static void test_version_2(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a.slice/b.scope\n");
    put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "max 100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 0);
    put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "400000 100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 4);
    put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "150000 100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 2); /* a part of a CPU is worth a thread */
    put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "5000 100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 1);
    put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "800000 100000\n");
    put("/sys/fs/cgroup/a.slice/cpu.max", "300000 100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 3); /* the parent is tighter */
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 2); /* what a container sees as its root */
    put("/sys/fs/cgroup/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/a.slice/cpu.max", "broken\n");
    assert_int_equal(hr__cgroup_cpus(root), 8);
    put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "0 0\n");
    assert_int_equal(hr__cgroup_cpus(root), 0);
}

static void test_version_1(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "11:memory:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/x\n");
    put("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 0);
    put("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "250000\n");
    assert_int_equal(hr__cgroup_cpus(root), 3);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"); /* inside a container */
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(hr__cgroup_cpus(root), 2);
}

static void test_memory(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a.slice/b.scope\n");
    assert_int_equal(hr__cgroup_memory(root), 0);
    put("/sys/fs/cgroup/a.slice/b.scope/memory.max", "max\n");
    assert_int_equal(hr__cgroup_memory(root), 0);
    put("/sys/fs/cgroup/a.slice/memory.max", "1073741824\n");
    assert_int_equal(hr__cgroup_memory(root), 1073741824);
    put("/sys/fs/cgroup/a.slice/b.scope/memory.max", "536870912\n");
    assert_int_equal(hr__cgroup_memory(root), 536870912);
    put("/proc/self/cgroup", "4:memory:/box\n1:cpu:/box\n");
    put("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(hr__cgroup_memory(root), 0);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"); /* inside a container */
    assert_int_equal(hr__cgroup_memory(root), 268435456);
    assert_true(hr__memory_size() > 0);
}

static void test_overlong_paths(void **state)
{
    (void)state;
    char line[5000] = "0::/";
    memset(line + 4, 'a', sizeof line - 5);
    put("/proc/self/cgroup", line);
    assert_int_equal(hr__cgroup_cpus(root), 0);
}

/* ---- counts ------------------------------------------------------------------------------- */

static void test_affinity_is_respected(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(hr_cpu_count(), 1, CPU_COUNT(&before));
    int first = 0;
    while (!CPU_ISSET(first, &before)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hr_cpu_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static int count_with(const char *own, const char *omp)
{
    if (own) setenv("HEADRACE_NUM_THREADS", own, 1);
    else unsetenv("HEADRACE_NUM_THREADS");
    if (omp) setenv("OMP_NUM_THREADS", omp, 1);
    else unsetenv("OMP_NUM_THREADS");
    return hr_thread_count_default();
}

static void test_environment(void **state)
{
    (void)state;
    int cpus = hr_cpu_count();
    assert_int_equal(count_with(NULL, NULL), cpus);
    assert_int_equal(count_with("17", NULL), 17);
    assert_int_equal(count_with("17", "5"), 17);
    assert_int_equal(count_with(NULL, "5"), 5);
    assert_int_equal(count_with(NULL, "6,2,1"), 6);
    static const char *const bad[] = {"",     " ",  "0", "-3",
                                      "many", "4x", "99999999999999999999", "5000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(count_with(bad[i], NULL), cpus);
        assert_int_equal(count_with(bad[i], "5"), 5);
    }
    assert_int_equal(count_with("4096", NULL), HR_MAX_THREADS);
    count_with(NULL, NULL);
}

/* ---- levels ------------------------------------------------------------------------------- */

static void test_levels(void **state)
{
    (void)state;
    hr_cpu_level top = hr_cpu_level_get();
    hr_error err = {0};
    assert_string_equal(hr_cpu_level_name(HR_CPU_BASE), "base");
    assert_string_equal(hr_cpu_level_name(HR_CPU_AVX2), "avx2");
    assert_string_equal(hr_cpu_level_name(HR_CPU_AVX512), "avx512");
    assert_string_equal(hr_cpu_level_name((hr_cpu_level)77), "unknown");
    for (int l = 0; l <= (int)top; l++) {
        assert_int_equal(hr_cpu_level_set((hr_cpu_level)l, &err), HR_OK);
        assert_int_equal(hr_cpu_level_get(), l);
        assert_ptr_equal(hr__kernels(), hr__kernels_of((hr_cpu_level)l));
    }
    assert_int_equal(hr_cpu_level_set((hr_cpu_level)3, &err), HR_VALUE);
    assert_non_null(strstr(err.message, "this machine has"));
    assert_int_equal(hr_cpu_level_set((hr_cpu_level)-1, NULL), HR_VALUE);
    assert_int_equal(hr_cpu_level_get(), top);
}

static void test_version(void **state)
{
    (void)state;
    int parts[3];
    assert_int_equal(sscanf(hr_version(), "%d.%d.%d", &parts[0], &parts[1], &parts[2]), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_groups, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_version_2, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_version_1, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_memory, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_overlong_paths, make_root, drop_root),
        cmocka_unit_test(test_affinity_is_respected),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
