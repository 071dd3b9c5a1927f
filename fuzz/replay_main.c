/* Stands in for libFuzzer: runs a target once on each file named, or in each folder named. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PATH = 4096 };

/* Files run; -1 when one cannot be read. */
static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) return perror(path), -1;
    long size = ftell(f);
    rewind(f);
    uint8_t *data = size >= 0 ? malloc((size_t)size + (size == 0)) : NULL;
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) return perror(path), -1;
    fclose(f);
    uint8_t *exact = malloc((size_t)size); /* no spare byte: reading past the end is seen */
    if (exact) memcpy(exact, data, (size_t)size);
    free(data);
    LLVMFuzzerTestOneInput(exact, (size_t)size);
    free(exact);
    return 1;
}

static int replay(const char *path)
{
    struct stat st;
    if (stat(path, &st)) return perror(path), -1;
    if (!S_ISDIR(st.st_mode)) return replay_file(path);
    DIR *dir = opendir(path);
    if (!dir) return perror(path), -1;
    int n = 0;
    for (struct dirent *e = readdir(dir); e && n >= 0; e = readdir(dir)) {
        char name[MAX_PATH];
        if (e->d_name[0] == '.') continue;
        if ((size_t)snprintf(name, sizeof name, "%s/%s", path, e->d_name) >= sizeof name) continue;
        int more = replay(name);
        n = more < 0 ? more : n + more;
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++) {
        int more = replay(argv[i]);
        if (more < 0) return 1;
        n += more;
    }
    printf("%d inputs\n", n);
    return n == 0; /* nothing to replay is a mistake in the build */
}
