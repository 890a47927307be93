/* version.h - the text by which an MPI library tells its version, as lines of ours can have it. */
#ifndef ARMCII_VERSION_H
#define ARMCII_VERSION_H

#include <stddef.h>

/* line becomes the first line of MPI_Get_library_version's text, with blanks for its tabs, cut where it is longer than size - 1 bytes. */
void armcii_version_line(const char *text, char *line, size_t size);

#endif
