/* replay.c FILE|FOLDER... - run a fuzz target on the files of a corpus, without a fuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

/* Read a whole file into memory of just its size, so that a step beyond it is seen; NULL: it cannot
 * be read. */
static uint8_t *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    uint8_t buffer[1 << 16];
    *size = fread(buffer, 1, sizeof buffer, file);
    uint8_t *data = feof(file) ? malloc(*size > 0 ? *size : 1) : NULL;
    if (data != NULL) memcpy(data, buffer, *size);
    fclose(file);
    return data;
}

static void replay_file(const char *path)
{
    size_t size;
    uint8_t *data = contents(path, &size);
    if (data == NULL) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    printf("%s\n", path); /* the last one named is the one that fails */
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

/* The files of a folder; returns how many.  Of a file: that one. */
static int replay(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        replay_file(path);
        return 1;
    }
    int files = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char file[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        replay_file(file);
        files++;
    }
    closedir(folder);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++)
        files += replay(argv[i]);
    printf("%d inputs replayed\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
