/* finalize.h - seeing to it that all processes enter MPI_Finalize together, for MPI libraries where one that enters it earlier keeps the
 * others there for ever.  Both functions do nothing where the quirks in force do not ask for it. */
#ifndef ARMCII_FINALIZE_H
#define ARMCII_FINALIZE_H

#include <mpi.h>

/* MPI_Finalize takes back what was set up in the reverse order: what is set up after both of these functions goes before this process waits
 * for the others.  So does ARMCI itself, where the program forgets ARMCI_Finalize (armci/init.c). */
void armcii_finalize_prepare_pause(void);
/* From now on MPI_Finalize begins by waiting for all processes of comm to have come to it.  Collective over comm; again for each other set
 * of processes.  Nothing for a comm with processes outside of MPI_COMM_WORLD, which may end at another time. */
void armcii_finalize_prepare_barrier(MPI_Comm comm);

#endif
