/* examples_start.c - linked (--wrap) into the original ARMCI's examples with another library: they
 * ask for the number of processes before ARMCI_Init, which only the original and this one allow,
 * and ARMCI-MPI has neither function. */
#include <armci.h>
#include <mpi.h>

void __wrap_armci_msg_init(int *count, char ***words);
void __wrap_armci_msg_finalize(void);

void __wrap_armci_msg_init(int *count, char ***words)
{
    MPI_Init(count, words);
    ARMCI_Init();
}

void __wrap_armci_msg_finalize(void)
{
    MPI_Finalize();
}
