/* system.h - descriptors, the files that this process has loaded, and sizes as text. */
#ifndef ARMCII_SYSTEM_H
#define ARMCII_SYSTEM_H

#include <stddef.h>
#include <stdbool.h>

/* Move a new descriptor of this library, or -1, above those of standard input, output and error:
 * where a program has closed these, it, or a library, may still write to them. */
int armcii_system_descriptor(int fd);

/* The file that contains this library; *is_program: the program, which links it statically. Returns
 * buffer, empty if unknown. */
const char *armcii_system_library_file(char *buffer, size_t size, int *is_program);

/* Text such as "1.5 GiB", "128" or, for SIZE_MAX, "no limit". Returns buffer. */
const char *armcii_system_format_bytes(size_t bytes, char *buffer, size_t size);
const char *armcii_system_format_count(size_t count, char *buffer, size_t size);

/* True if this process has loaded a shared object whose path contains `name`. */
bool armcii_object_is_loaded(const char *name);
/* The paths of loaded shared objects whose file name contains `name`: at most `most`; returns how
 * many. */
int armcii_objects_with(const char *name, const char *paths[], int most);

#endif
