/* test_finale.c - the end of programs that span nodes: a process may call MPI while others have
 * come to MPI_Finalize already.
 *
 * test_finale.mpi [--how=NAME]
 *   usual       the last process calls MPI between ARMCI_Finalize and MPI_Finalize, where the
 * others are forgotten   MPI_Finalize without ARMCI_Finalize, one process shortly after the other
 *   late        as forgotten; the last process waits for its processor whenever it sleeps
 *   early       the same; the first process is there at once, the others go on working with its
 * memory attribute   as early, but by PMPI_Finalize, which the library cannot intercept: it is told
 * by an attribute exit        as early, from a function of atexit */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <armci.h>
#include <message.h>
#include <mpi.h>
#include "../../tools/lib/clock.h"

enum { DOUBLES = 1000 };
/* Seconds. */
static const double WORKING = 0.5, MOST = 5.0;

static int rank, size, errors;

static void check(int ok, const char *what)
{
    if (ok) return;
    errors++;
    printf("rank %d: wrong: %s\n", rank, what);
    fflush(stdout);
}

/* What a program does between ARMCI_Finalize and MPI_Finalize: ask for messages. */
static void call_mpi_for(double seconds)
{
    int flag;
    for (double until = now() + seconds; now() < until;)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* An earlier time with ARMCI, of every other process alone. */
static void use_on_a_part(void)
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

/* The library's sleep, too: on a busy machine a process wakes late. */
static long late; /* nanoseconds */
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    struct timespec time = *wanted;
    if (time.tv_sec == 0 && time.tv_nsec < late) time.tv_nsec = late;
    return clock_nanosleep(CLOCK_REALTIME, 0, &time, left);
}

static void come_one_after_the_other(void)
{
    enum { APART = 3000000 }; /* nanoseconds */
    nanosleep(&(struct timespec){.tv_nsec = APART * rank}, NULL);
}

/* Gets, puts, accumulates and locks in the memory of the first process, which is in MPI_Finalize.
 * Each process has a part of the memory; what it put and added there it gets back. */
static void work_with_the_first(double *first)
{
    double *part = first + rank * DOUBLES, ones[DOUBLES], seen[DOUBLES], one = 1;
    long times = 0;
    for (int i = 0; i < DOUBLES; i++)
        ones[i] = 1;
    ARMCI_Put(ones, part, sizeof ones, 0);
    for (double until = now() + WORKING; now() < until; times++) {
        ARMCI_Acc(ARMCI_ACC_DBL, &one, ones, part, sizeof ones, 0);
        ARMCI_Lock(0, 0);
        ARMCI_Get(part, seen, sizeof *seen, 0);
        ARMCI_Unlock(0, 0);
        check(seen[0] == (double)(times + 2),
              "what was accumulated into the memory of a process in MPI_Finalize");
    }
    ARMCI_Get(part, seen, sizeof seen, 0);
    check(memcmp(&seen[0], &seen[DOUBLES - 1], sizeof one) == 0, "all of it");
    check(times > 0, "something was done");
    ARMCI_Acc(ARMCI_ACC_DBL, &one, ones, part, sizeof ones, 0); /* and nobody waits for it */
}

/* What the process writes to standard error goes to a file without a name. */
static int redirect_errors(int *file)
{
    int before = dup(STDERR_FILENO);
    *file = memfd_create("errors", MFD_CLOEXEC);
    fflush(stderr);
    dup2(*file, STDERR_FILENO);
    return before;
}

static int count_warnings(int file, int before)
{
    char text[4096];
    int count = 0;
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    long length = pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    for (char *at = text; (at = strstr(at, "ARMCI_Finalize first")); at++)
        count++;
    return count;
}

static void end_mpi(int (*finalize)(void))
{
    int file, before = redirect_errors(&file);
    double called = now();
    finalize();
    check(now() - called < WORKING + MOST, "MPI_Finalize returned in time");
    check(count_warnings(file, before) == (rank == 0),
          "the first process, and no other, warns of the missing ARMCI_Finalize");
    check(!ARMCI_Initialized(), "ARMCI has ended");
    check(ARMCI_Finalize() == 0, "ARMCI_Finalize after MPI_Finalize");
}

static void forget(const char *how)
{
    void *base[size];
    ARMCI_Malloc(base, sizeof(double[DOUBLES]) * (size_t)size);
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    if (strcmp(how, "late") == 0 && rank == size - 1) late = 60000000;
    if (strcmp(how, "forgotten") == 0 || strcmp(how, "late") == 0)
        come_one_after_the_other();
    else if (rank > 0)
        work_with_the_first(base[0]);
    end_mpi(strcmp(how, "attribute") == 0 ? PMPI_Finalize : MPI_Finalize);
}

static void tell(void)
{
    if (errors == 0 && rank == 0)
        puts("1 passed, 0 failed, 0 skipped: all came back from MPI_Finalize");
    fflush(stdout);
}

static void forget_at_exit(void)
{
    forget("exit");
    tell();
    _exit(errors > 0);
}

/* The job must end; the launcher's time limit says when it does not. */
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] + strlen("--how=") : "usual";
    long one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!getenv("ARMCI_PROGRESS")) use_on_a_part();
    if (ARMCI_Init() != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    rank = armci_msg_me();
    size = armci_msg_nproc();
    void *base[size];
    ARMCI_Malloc(base, sizeof(long));
    ARMCI_Put(&one, base[(rank + 1) % size], sizeof one, (rank + 1) % size);
    ARMCI_Barrier();
    ARMCI_Free(base[rank]);
    if (strcmp(how, "exit") == 0) {
        atexit(forget_at_exit);
        return 0;
    }
    if (strcmp(how, "usual") != 0) {
        forget(how);
    } else {
        ARMCI_Finalize();
        if (rank == size - 1) call_mpi_for(1);
        MPI_Finalize();
    }
    tell();
    return errors > 0;
}
