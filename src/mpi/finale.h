/* finale.h - seeing to it that all processes enter MPI_Finalize together, for MPI libraries where one that enters it earlier keeps the
 * others there for ever. */
#ifndef ARMCII_FINALE_H
#define ARMCII_FINALE_H

#include <mpi.h>

/* From now on MPI_Finalize begins by waiting for all processes of comm to have come to it, where the quirks in force ask for that.  Collective;
 * once in the life of a process: later calls do nothing. */
void armcii_finale_prepare(MPI_Comm comm);

#endif
