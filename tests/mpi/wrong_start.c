/* wrong_start.c - wrong starts and ends of the library. */
#include "wrong_calls.h"

static int starts_and_ends(struct row *row)
{
    WRONG(ARMCI_Init_thread, unknown, ARGUMENT, "requested", "77", ARMCI_Init_thread(77));
    WRONG(ARMCI_Init_thread, negative, ARGUMENT, "requested", "",
          ARMCI_Init_thread(MPI_THREAD_SINGLE - 1));
    WRONG(ARMCI_Init_thread_comm, unknown, ARGUMENT, "requested", "",
          ARMCI_Init_thread_comm(MPI_THREAD_MULTIPLE + 1, MPI_COMM_WORLD));
    WRONG(ARMCI_Init_thread_comm, null, ARGUMENT, "comm", "MPI_COMM_NULL",
          ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_NULL));
    WRONG(ARMCI_Init_thread_comm, between, ARGUMENT, "comm", "",
          ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, stage.between));
    WRONG(ARMCI_Init_mpi_comm, null, ARGUMENT, "comm", "MPI_COMM_NULL",
          gives_nothing(ARMCI_Init_mpi_comm(MPI_COMM_NULL) == 0, "ARMCI_Init_mpi_comm"));
    WRONG(ARMCI_Init_mpi_comm, between, ARGUMENT, "comm", "",
          gives_nothing(ARMCI_Init_mpi_comm(stage.between) == 0, "ARMCI_Init_mpi_comm"));
    WRONG_AT(ARMCI_UNUSED, ARMCI_Finalize, off, STATE, "state", "", ARMCI_Finalize());
    WRONG_AT(MPI_OFF, ARMCI_Init_mpi_comm, mpi_off, STATE, "comm", "",
             gives_nothing(ARMCI_Init_mpi_comm(MPI_COMM_SELF) == 0, "ARMCI_Init_mpi_comm"));
    WRONG_AT(MPI_OFF, ARMCI_Init_thread_comm, mpi_off, STATE, "comm", "",
             ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_SELF));
    WRONG_AT(MPI_OFF, armci_msg_me, mpi_off, STATE, "state", "",
             gives_nothing(armci_msg_me() < 0, "armci_msg_me"));
    WRONG_AT(MPI_OFF, armci_msg_nproc, mpi_off, STATE, "state", "",
             gives_nothing(armci_msg_nproc() < 0, "armci_msg_nproc"));
    WRONG_AT(MPI_ENDED, ARMCI_Init, mpi_ended, STATE, "state", "", ARMCI_Init());
    WRONG_AT(MPI_ENDED, ARMCI_Init_args, mpi_ended, STATE, "state", "",
             ARMCI_Init_args(NULL, NULL));
    WRONG_AT(MPI_ENDED, ARMCI_Init_thread, mpi_ended, STATE, "state", "",
             ARMCI_Init_thread(MPI_THREAD_SINGLE));
    /* They may be called at any time, or end the job. */
    NEVER_WRONG(ARMCI_Initialized);
    NEVER_WRONG(ARMCI_Cleanup);
    NEVER_WRONG(ARMCI_Error);
    NEVER_WRONG(ARMCI_RMA_Version);
    NEVER_WRONG(ARMCIX_Counters);
    NEVER_WRONG(armci_msg_init);
    NEVER_WRONG(armci_msg_init_comm);
    NEVER_WRONG(armci_msg_finalize);
    NEVER_WRONG(armci_msg_abort);
    NEVER_WRONG(armci_timer);
    return 0;
}

void wrong_start_collect(void)
{
    wrong_calls_add(starts_and_ends);
}
