/* mp3.h - macros through which old test programs of ARMCI and GA call MPI. */
#ifndef ARMCI_MP3_H_INCLUDED
#define ARMCI_MP3_H_INCLUDED

#ifdef __cplusplus
extern "C++" {
#endif
#include <mpi.h>
#ifdef __cplusplus
}
#endif

#define MP_INIT(ARGC, ARGV) MPI_Init(&(ARGC), &(ARGV))
#define MP_BARRIER()        MPI_Barrier(MPI_COMM_WORLD)
#define MP_FINALIZE()       MPI_Finalize()
#define MP_PROCS(P)         MPI_Comm_size(MPI_COMM_WORLD, (P))
#define MP_MYID(P)          MPI_Comm_rank(MPI_COMM_WORLD, (P))
#define MP_TIMER()          MPI_Wtime()
#define MP_ASSERT(C)                                                                               \
    do {                                                                                           \
        if ((C) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);                                      \
    } while (0)

#define GA_INIT(ARGC, ARGV)    GA_Initialize()
#define ARMCI_INIT(ARGC, ARGV) ARMCI_Init()

#endif
