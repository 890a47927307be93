/* version.c - the first line of MPI_Get_library_version: MPICH goes on with its options in further lines, its words apart by tabs. */
#include "mpi/version.h"

#include <stdio.h>
#include <string.h>

void armcii_version_line(const char *text, char *line, size_t size)
{
    snprintf(line, size, "%.*s", (int)strcspn(text, "\r\n"), text);
    for (char *c = line; *c; c++)
        if (*c == '\t') *c = ' ';
}
