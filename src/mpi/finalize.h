/* finalize.h - the finalize barrier: makes all processes enter MPI_Finalize together, for MPI libraries in which a process that enters it
 * earlier makes the others hang.  Both functions do nothing unless a quirk requires them. */
#ifndef ARMCII_FINALIZE_H
#define ARMCII_FINALIZE_H

#include <mpi.h>

/* Makes MPI_Finalize pause after the barrier.  MPI_Finalize runs the callbacks of attributes in reverse order of their setup: call this
 * before armcii_finalize_prepare_barrier.  Callbacks that are set up later, such as the implicit ARMCI_Finalize (armci/init.c), run
 * before the barrier. */
void armcii_finalize_prepare_pause(void);
/* Collective over comm.  Makes MPI_Finalize wait until all processes of comm are in it; call it once for each set of processes.  Does
 * nothing if comm has processes outside of MPI_COMM_WORLD, which may end at another time. */
void armcii_finalize_prepare_barrier(MPI_Comm comm);

#endif
