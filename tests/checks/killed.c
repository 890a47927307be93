/* killed.c - a program for test_stats.py: each rank puts 100 times 8 * (rank + 1) bytes to the
 * next one, rank 0 says so, and what happens then the first argument says. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <armci.h>
#include <mpi.h>

static volatile sig_atomic_t signalled;

static void handle(int signal)
{
    signalled = signal;
}

static void compute_for_ever(void)
{
    for (;;)
        signalled = 0;
}

/* A child of fork dies by SIGTERM. */
static int status_of_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    kill(child, SIGTERM);
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

int main(int argc, char **argv)
{
    int rank, size;
    char own[64] = {0};
    const char *then = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(then, "handler") == 0) signal(SIGTERM, handle);
    ARMCI_Init();
    void *segments[size];
    ARMCI_Malloc(segments, sizeof own);
    int next = (rank + 1) % size;
    for (int i = 0; i < 100; i++)
        ARMCI_Put(own, segments[next], 8 * (rank + 1), next);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) puts("ready");
    fflush(stdout);
    if (strcmp(then, "barrier") == 0 && rank == 0) ARMCI_Barrier();
    if (strcmp(then, "receive") == 0 && rank == 0)
        MPI_Recv(own, 1, MPI_CHAR, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(then, "barrier") == 0 || strcmp(then, "receive") == 0) compute_for_ever();
    while (strcmp(then, "handler") == 0 && !signalled)
        usleep(10000);
    int died_by = strcmp(then, "fork") == 0 ? status_of_child() : SIGTERM;
    if (died_by != SIGTERM) printf("the child ended with %d\n", died_by);
    MPI_Barrier(MPI_COMM_WORLD);
    ARMCI_Free(segments[rank]);
    ARMCI_Finalize();
    MPI_Finalize();
    return died_by == SIGTERM ? 0 : 1;
}
