/* What the control groups of this process allow, versions 1 and 2: processor time and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"

/* One kind of limit: where it stands, and what its text says; 0: no limit. */
typedef struct kind {
    const char *v2; /* file */
    const char *controller, *mounts[2];
    const char *v1[2]; /* files, the second may be NULL */
    double (*parse)(const char *first, const char *second); /* version 2 has both in one line */
} kind;

static int read_line(const char *path, char *line, size_t size)
{
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    int ok = fgets(line, (int)size, f) != NULL;
    fclose(f);
    return ok;
}

static double tighter(double a, double b) { return a > 0 && (b <= 0 || a < b) ? a : b; }

/* The tightest limit on the way from `path` to the root. */
static double limit_v2(const kind *k, const char *root, char *path)
{
    double best = 0;
    for (;;) {
        char file[1100], line[64];
        snprintf(file, sizeof file, "%.500s/sys/fs/cgroup%.500s/%s", root, path, k->v2);
        if (read_line(file, line, sizeof line)) {
            char *second = strchr(line, ' ');
            best = tighter(k->parse(line, second ? second : ""), best);
        }
        char *slash = strrchr(path, '/');
        if (!slash) return best;
        *slash = '\0';
    }
}

/* The group as named, and the root of a container's view. */
static double limit_v1(const kind *k, const char *root, const char *path)
{
    double best = 0;
    for (int r = 0; r < 4; r++) {
        char lines[2][64] = {"", ""};
        for (int i = 0; i < 2 && k->v1[i]; i++) {
            char file[1200];
            snprintf(file, sizeof file, "%.500s/sys/fs/cgroup/%s%.500s/%s", root, k->mounts[r / 2],
                     r & 1 ? "" : path, k->v1[i]);
            if (!read_line(file, lines[i], sizeof lines[i])) lines[i][0] = '\0';
        }
        best = tighter(k->parse(lines[0], lines[1]), best);
    }
    return best;
}

static double find_limit(const kind *k, const char *root)
{
    char line[600];
    snprintf(line, sizeof line, "%.500s/proc/self/cgroup", root);
    FILE *f = fopen(line, "re");
    if (!f) return 0;
    double best = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        if (controllers[1] == '\0') best = tighter(limit_v2(k, root, path), best);
        else if (strstr(controllers, k->controller)) best = tighter(limit_v1(k, root, path), best);
    }
    fclose(f);
    return best;
}

/* "max" and -1 stand for no limit. */
static double parse_cpu(const char *quota, const char *period)
{
    double q = atof(quota), p = atof(period);
    return q > 0 && p > 0 ? q / p : 0;
}

static double parse_memory(const char *bytes, const char *none)
{
    (void)none;
    return atof(bytes);
}

int hr__cgroup_cpus(const char *root)
{
    static const kind cpu = {"cpu.max", "cpu", {"cpu", "cpu,cpuacct"},
                             {"cpu.cfs_quota_us", "cpu.cfs_period_us"}, parse_cpu};
    double cpus = find_limit(&cpu, root);
    if (cpus <= 0) return 0;
    return cpus < 1 ? 1 : cpus > 1e6 ? 1000000 : (int)(cpus + 0.999);
}

int64_t hr__cgroup_memory(const char *root)
{
    static const kind memory = {"memory.max", "memory", {"memory", "memory"},
                                {"memory.limit_in_bytes", NULL}, parse_memory};
    double bytes = find_limit(&memory, root);
    return bytes > 0 && bytes < 0x1p60 ? (int64_t)bytes : 0; /* version 1 has a huge number for none */
}

int64_t hr__memory_size(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t all = pages > 0 && page > 0 ? (int64_t)pages * page : 0, group = hr__cgroup_memory("");
    return group && (!all || group < all) ? group : all;
}
