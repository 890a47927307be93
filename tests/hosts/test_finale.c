/* test_finale.c - the end of programs that span hosts: a process may call MPI while others have come to MPI_Finalize already. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <armci.h>
#include <mpi.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a program does between ARMCI_Finalize and MPI_Finalize: ask for messages. */
static void call_mpi_for(double seconds)
{
    int flag;

    for (double until = now() + seconds; now() < until;)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* An earlier time with ARMCI, of every other process alone. */
static void use_on_a_part(int rank)
{
    MPI_Comm part;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    if (rank % 2 == 0) {
        ARMCI_Init_mpi_comm(part);
        ARMCI_Barrier();
        ARMCI_Finalize();
    }
    MPI_Comm_free(&part);
}

/* A program that forgets ARMCI_Finalize: its processes come to MPI_Finalize one after the other. */
static void forget(int rank)
{
    enum { APART = 3000000 }; /* nanoseconds */
    nanosleep(&(struct timespec){ .tv_nsec = APART * rank }, NULL);
}

/* The job must end; the launcher's time limit says when it does not. */
int main(int argc, char **argv)
{
    int rank, size;
    long one = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use_on_a_part(rank);
    if (ARMCI_Init() != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    void *base[size];
    ARMCI_Malloc(base, sizeof(long));
    ARMCI_Put(&one, base[(rank + 1) % size], sizeof one, (rank + 1) % size);
    ARMCI_Barrier();
    ARMCI_Free(base[rank]);
    if (argc > 1 && strcmp(argv[1], "--how=forgotten") == 0)
        forget(rank);
    else
        ARMCI_Finalize();
    if (argc == 1 && rank == size - 1)
        call_mpi_for(1);
    MPI_Finalize();
    if (rank == 0)
        puts("1 passed, 0 failed, 0 skipped: all came back from MPI_Finalize");
    return 0;
}
