/* progress.h - progress in MPI: a call for its sake, and whether another call makes it, too. */
#ifndef ARMCII_MPI_PROGRESS_H
#define ARMCII_MPI_PROGRESS_H

#include <mpi.h>
#include <stdbool.h>

/* Makes progress in MPI, by a call on the control communicator. */
void armcii_mpi_progress(MPI_Comm control);

/* Around another call of the library that makes progress. */
void armcii_mpi_begin_progress(void);
void armcii_mpi_end_progress(void);

/* The number of calls that made progress, of all threads. */
unsigned armcii_mpi_progress_calls(void);
/* True if a thread is in such a call now: then another one is not needed. */
bool armcii_mpi_is_progressing(void);

#endif
