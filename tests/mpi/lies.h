/* lies.h - an MPI library that lies: one-sided calls of this program do something else while a lie is on (through MPI's profiling
 * interface, so with any MPI library).  For tests of ARMCI_VERIFY. */
#ifndef TEST_LIES_H
#define TEST_LIES_H

/* What a lie does, in the calls of this process:
 *   put-lost          MPI_Put moves nothing
 *   put-strided       MPI_Put with derived datatypes goes 8 bytes beside its place
 *   get-strided       MPI_Get with derived datatypes moves nothing
 *   acc-strided       MPI_Accumulate with derived datatypes adds nothing
 *   acc-twice         MPI_Accumulate adds twice
 *   fetch-old         MPI_Fetch_and_op returns a number that was not there
 *   fetch-lost        MPI_Fetch_and_op leaves the number as it was */
void lie_begin(const char *name);
void lie_end(void);

#endif
