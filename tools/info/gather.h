/* gather.h - collects the facts. The configuration must have been read. */
#ifndef INFO_GATHER_H
#define INFO_GATHER_H

#include "facts.h"

/* "major.minor.patch" of this ARMCI-RMA. */
const char *info_version(void);
/* The text of MPI_Get_library_version; needs no MPI_Init. */
const char *info_mpi_library(void);

/* Section i of the report, NULL after the last. */
const struct section *info_section(size_t i);

#endif
