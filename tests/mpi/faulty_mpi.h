/* faulty_mpi.h - an MPI library with a defect: one-sided calls of this program do something else while it is on (through MPI's profiling
 * interface, so with any MPI library).  For tests of ARMCI_VERIFY. */
#ifndef TEST_FAULTY_MPI_H
#define TEST_FAULTY_MPI_H

/* What a defect does to the calls of this process:
 *   put-lost          MPI_Put moves nothing
 *   put-strided       MPI_Put with derived datatypes goes 8 bytes beside its address
 *   get-strided       MPI_Get with derived datatypes moves nothing
 *   acc-strided       MPI_Accumulate with derived datatypes adds nothing
 *   acc-twice         MPI_Accumulate adds twice
 *   fetch-old         MPI_Fetch_and_op returns a number that was not there
 *   fetch-lost        MPI_Fetch_and_op leaves the number as it was */
void faulty_mpi_begin(const char *name);
void faulty_mpi_end(void);

#endif
