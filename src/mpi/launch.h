/* launch.h - whether the launcher, the program and this library use the same MPI library. Otherwise
 * programs start all the same: every process is alone in its MPI_COMM_WORLD, or calls reach another
 * library than they were compiled for. */
#ifndef ARMCII_LAUNCH_H
#define ARMCII_LAUNCH_H

#include <stdbool.h>

/* The number of processes that the launcher started where MPI sees only one of them; 0: MPI sees
 * them, or the caller is not the first of them. Requires that MPI runs. */
long armcii_launch_alone(void);

/* The descriptor by which MPI speaks PMI-1 with Hydra; -1: it does not. Other launchers that set
 * PMI_FD may speak PMI-2. Requires that MPI runs. */
int armcii_launch_pmi_descriptor(void);

/* True if two MPI libraries are loaded into this process; files: theirs. Before MPI_Init, too. */
bool armcii_launch_two_libraries(const char *files[2]);

/* The file of the MPI library that calls reach, if it has the standard ABI and this library was not
 * compiled for that, or the other way round: then it takes the handles for others. NULL: they
 * agree. Before MPI_Init, too. */
const char *armcii_launch_other_abi(void);

#endif
