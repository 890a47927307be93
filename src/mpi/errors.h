/* errors.h - which MPI errors end the job.
 *
 * The library's communicators have MPI_ERRORS_ARE_FATAL: MPI explains the error and ends the job.
 * Where a communicator or a window is created, the library asks for the code instead, and reads it.
 */
#ifndef ARMCII_ERRORS_H
#define ARMCII_ERRORS_H

#include <mpi.h>
#include <stdbool.h>

/* Between the two functions, calls on comm return their code. No other thread uses comm meanwhile.
 */
MPI_Errhandler armcii_errors_ask(MPI_Comm comm);
void armcii_errors_end(MPI_Comm comm, MPI_Errhandler before);

/* The same for a communicator that several threads use: each asks for itself. */
void armcii_errors_prepare_threads(MPI_Comm comm);
void armcii_errors_ask_here(bool ask);

/* The result of a call that creates a communicator. Errors on the new one end the job; if there is
 * none, a warning says why. Returns whether it exists, or is MPI_COMM_NULL because the caller is
 * no member. */
bool armcii_errors_is_made(int code, MPI_Comm comm);

#endif
