/* program.c - which ARMCI and which MPI library a program uses. The program does not run. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "info.h"

/* Text in each ARMCI, stripped or not. The version follows that of this library. */
static const char own_mark[] = "libarmci of ARMCI-RMA ";
enum { PATH_ROOM = 4096 };

static const struct {
    const char *mark, *name;
} others[] = {
    {"ARMCI-MPI initialized", "ARMCI-MPI"},
    {"comex group lookup failed",
     "ComEx"}, /* not a name of its variables: Global Arrays 5.9 reads one itself */
};
enum { OTHERS = sizeof others / sizeof others[0] };

struct image {
    const char *bytes;
    size_t size;
};

/* false, with a message, if the file cannot be read. */
static bool map_file(const char *path, struct image *image)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) fprintf(stderr, "armci-info: %s: %m\n", path);
    if (fd >= 0) close(fd);
    if (bytes == MAP_FAILED) return false;
    *image = (struct image){bytes, (size_t)status.st_size};
    return true;
}

static const char *find_text(struct image image, const char *text)
{
    return memmem(image.bytes, image.size, text, strlen(text));
}

/* Programs that only mention the mark have no version behind it. */
static const char *find_own_version(struct image image)
{
    for (const char *at; (at = find_text(image, own_mark)) != NULL;) {
        at += sizeof own_mark - 1;
        image.size -= (size_t)(at - image.bytes);
        image.bytes = at;
        if (image.size > 0 && isdigit((unsigned char)*at)) return at;
    }
    return NULL;
}

/* Print the ARMCI that is in the file; `how` it gets into the program. Returns false if there is
 * none. */
static bool print_armci(const char *file, const char *how)
{
    struct image image;
    if (!map_file(file, &image)) return false;
    const char *version = find_own_version(image), *other = NULL;
    for (int i = 0; i < OTHERS && !other; i++)
        if (find_text(image, others[i].mark)) other = others[i].name;
    if (version)
        printf("ARMCI  ARMCI-RMA %.20s, %s %s\n", version, how, file);
    else if (other)
        printf("ARMCI  %s, %s %s\n", other, how, file);
    munmap((void *)image.bytes, image.size);
    return version || other;
}

/* A library as ldd prints it: "NAME => PATH (ADDRESS)", or "NAME => not found". */
static bool print_library(const char *line)
{
    char name[PATH_ROOM], path[PATH_ROOM];
    if (sscanf(line, " %4095s => %4095s", name, path) != 2) return false;
    bool is_mpi = strncmp(name, "libmpi", strlen("libmpi")) == 0,
         is_armci = strncmp(name, "libarmci", strlen("libarmci")) == 0;
    if (path[0] == '/' && !is_mpi) return print_armci(path, "shared,");
    if (is_mpi || is_armci)
        printf("%s  %s\n", is_mpi ? "MPI  " : "ARMCI",
               path[0] == '/' ? path : line + strspn(line, " \t"));
    return is_armci;
}

/* The libraries that the loader would load; none for a static program. */
static bool print_libraries(const char *file)
{
    char line[2 * PATH_ROOM];
    bool any = false;
    setenv("PROGRAM", file, 1);
    FILE *list = popen("exec ldd -- \"$PROGRAM\" 2>&1", "r");
    if (!list) return false;
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        any |= print_library(line);
    }
    if (pclose(list) == 127 << 8)
        fprintf(stderr, "armci-info: ldd is missing, so shared libraries are not listed\n");
    return any;
}

/* A script may start a program: one of libtool's stands for a program in .libs beside it. */
static bool is_script(const char *path)
{
    char first[2] = {0};
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool found = fread(first, 1, sizeof first, file) == sizeof first && memcmp(first, "#!", 2) == 0;
    fclose(file);
    return found;
}

int info_print_program(const char *file)
{
    if (access(file, R_OK) != 0) {
        fprintf(stderr, "armci-info: %s: %m\n", file);
        return 1;
    }
    struct stat status;
    if (stat(file, &status) == 0 && !S_ISREG(status.st_mode)) { /* a pipe would never open */
        fprintf(stderr, "armci-info: %s: is %s\n", file,
                S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
        return 1;
    }
    if (is_script(file)) {
        const char *slash = strrchr(file, '/');
        fprintf(stderr, "armci-info: %s: a script; try .libs/%s in its folder\n", file,
                slash ? slash + 1 : file);
        return 1;
    }
    bool any = print_armci(file, "static, in");
    fflush(stdout);
    any |= print_libraries(file);
    if (!any) printf("ARMCI  none that is known\n");
    return any ? 0 : 1;
}
