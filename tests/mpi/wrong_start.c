/* wrong_start.c - wrong starts and ends of the library. */
#include "wrong_calls.h"

static int thread(int level) { return ARMCI_Init_thread(level); }
static int thread_comm(int level, MPI_Comm comm) { return ARMCI_Init_thread_comm(level, comm); }
static int thread_unknown(void) { return thread(77); }
static int thread_negative(void) { return thread(MPI_THREAD_SINGLE - 1); }
static int thread_comm_unknown(void) { return thread_comm(MPI_THREAD_MULTIPLE + 1, MPI_COMM_WORLD); }
static int thread_comm_null(void) { return thread_comm(MPI_THREAD_SINGLE, MPI_COMM_NULL); }
static int thread_comm_between(void) { return thread_comm(MPI_THREAD_SINGLE, stage.between); }
static int comm_null(void) { return ARMCI_Init_mpi_comm(MPI_COMM_NULL); }
static int comm_between(void) { return ARMCI_Init_mpi_comm(stage.between); }

static const struct single_call singles[] = {
    { "ARMCI_Init_thread", "unknown", ARMCI_ERR_ARGUMENT, "requested", "77", thread_unknown },
    { "ARMCI_Init_thread", "negative", ARMCI_ERR_ARGUMENT, "requested", "", thread_negative },
    { "ARMCI_Init_thread_comm", "unknown", ARMCI_ERR_ARGUMENT, "requested", "", thread_comm_unknown },
    { "ARMCI_Init_thread_comm", "null", ARMCI_ERR_ARGUMENT, "comm", "MPI_COMM_NULL", thread_comm_null },
    { "ARMCI_Init_thread_comm", "between", ARMCI_ERR_ARGUMENT, "comm", "", thread_comm_between },
    { "ARMCI_Init_mpi_comm", "null", ARMCI_ERR_ARGUMENT, "comm", "MPI_COMM_NULL", comm_null },
    { "ARMCI_Init_mpi_comm", "between", ARMCI_ERR_ARGUMENT, "comm", "", comm_between },
    { NULL, NULL, 0, NULL, NULL, NULL },
};

static int thread_comm_self(void) { return thread_comm(MPI_THREAD_SINGLE, MPI_COMM_SELF); }
static int comm_self(void) { return ARMCI_Init_mpi_comm(MPI_COMM_SELF); }
static int thread_single(void) { return thread(MPI_THREAD_SINGLE); }
static int init_args(void) { return ARMCI_Init_args(NULL, NULL); }
static int me(void)
{
    check(armci_msg_me() < 0, "armci_msg_me gives a rank");
    return SAYS_NOTHING;
}
static int nproc(void)
{
    check(armci_msg_nproc() < 0, "armci_msg_nproc gives a number of processes");
    return SAYS_NOTHING;
}

static const struct off_call off[] = {
    { "ARMCI_Finalize", ARMCI_Finalize },
    { NULL, NULL },
};
static const struct off_call no_communicator[] = {
    { "ARMCI_Init_mpi_comm", comm_self },
    { "ARMCI_Init_thread_comm", thread_comm_self },
    { NULL, NULL },
};
static const struct off_call mpi_off[] = {
    { "armci_msg_me", me },
    { "armci_msg_nproc", nproc },
    { NULL, NULL },
};
static const struct off_call mpi_ended[] = {
    { "ARMCI_Init", ARMCI_Init },
    { "ARMCI_Init_args", init_args },
    { "ARMCI_Init_thread", thread_single },
    { NULL, NULL },
};

/* They may be called at any time, or end the job. */
static const struct off_call never[] = {
    { "ARMCI_Initialized", NULL },
    { "ARMCI_Cleanup", NULL },
    { "ARMCI_Error", NULL },
    { "ARMCI_RMA_Version", NULL },
    { "armci_msg_init", NULL },
    { "armci_msg_finalize", NULL },
    { "armci_msg_abort", NULL },
    { "armci_timer", NULL },
    { NULL, NULL },
};

void wrong_start_collect(void)
{
    wrong_calls_add_singles(RUNNING, singles);
    wrong_calls_add_off(ARMCI_OFF, "state", off);
    wrong_calls_add_off(MPI_OFF, "comm", no_communicator);
    wrong_calls_add_off(MPI_OFF, "state", mpi_off);
    wrong_calls_add_off(MPI_ENDED, "state", mpi_ended);
    wrong_calls_add_off(NEVER, "state", never);
}
