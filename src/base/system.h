/* system.h - what the system allows this process, and the files it has loaded. */
#ifndef ARMCII_SYSTEM_H
#define ARMCII_SYSTEM_H

#include <stddef.h>
#include <stdbool.h>

/* SIZE_MAX always means: no limit, or unknown. */
struct limits {
    size_t file; /* bytes of the longest file (RLIMIT_FSIZE): bounds the shared memory of one region
                    on a node */
    size_t locked;      /* bytes that may be locked (RLIMIT_MEMLOCK): some networks need it */
    size_t descriptors; /* open files (RLIMIT_NOFILE) */
    size_t descriptors_used;
    size_t mappings; /* vm.max_map_count */
    size_t mappings_used;
};

void armcii_system_limits(struct limits *limits);

/* The file that contains this library; *is_program: the program, which links it statically. Returns
 * buffer, empty if unknown. */
const char *armcii_system_library_file(char *buffer, size_t size, int *is_program);

/* Text such as "1.5 GiB", "128" or, for SIZE_MAX, "no limit". Returns buffer. */
const char *armcii_system_format_bytes(size_t bytes, char *buffer, size_t size);
const char *armcii_system_format_count(size_t count, char *buffer, size_t size);
/* A number in use and its limit: "4 of 20000". */
const char *armcii_system_format_use(size_t used, size_t limit, char *buffer, size_t size);

/* True if this process has loaded a shared object whose path contains `name`. */
bool armcii_object_is_loaded(const char *name);
/* The paths of loaded shared objects whose file name contains `name`: at most `most`; returns how
 * many. */
int armcii_objects_with(const char *name, const char *paths[], int most);

#endif
