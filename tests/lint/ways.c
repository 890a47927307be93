/* ways.c - the functions of the library that some calls pass through, each counted once. For make
 * metrics, which compiles the library with -O0 -finstrument-functions and links it statically.
 *
 * On 4 ranks, with ARMCI_TEST_NODE=2. Rank 0 prints a line for each call: its name, and the
 * addresses of the functions that its second time entered. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>

#include <armci.h>

#include "../mpi/pretended_nodes.h"

#define PLAIN __attribute__((no_instrument_function))

enum { MOST = 1000, BYTES = 64, ROWS = 8, STRIDE = 256, NEAR = 1, FAR = 2 };

static const void *seen[MOST];
static int count;
static _Thread_local bool recording;

static char local[ROWS * STRIDE];
static void *base[4];

PLAIN void __cyg_profile_func_enter(const void *function, const void *caller);
PLAIN void __cyg_profile_func_exit(const void *function, const void *caller);

void __cyg_profile_func_enter(const void *function, const void *caller)
{
    (void)caller;
    if (!recording) return;
    for (int i = 0; i < count; i++)
        if (seen[i] == function) return;
    if (count < MOST) seen[count++] = function;
}

void __cyg_profile_func_exit(const void *function, const void *caller)
{
    (void)function, (void)caller;
}

PLAIN static void put(int to)
{
    ARMCI_Put(local, base[to], BYTES, to);
}

PLAIN static void put_strided(int to)
{
    int count_of_level[] = {BYTES, ROWS}, stride[] = {STRIDE};
    ARMCI_PutS(local, stride, base[to], stride, count_of_level, 1, to);
}

PLAIN static void accumulate_strided(int to)
{
    int count_of_level[] = {BYTES, ROWS}, stride[] = {STRIDE}, one = 1;
    ARMCI_AccS(ARMCI_ACC_INT, &one, local, stride, base[to], stride, count_of_level, 1, to);
}

PLAIN static void read_modify_write(int to)
{
    long old;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, base[to], 1, to);
}

PLAIN static void lock(int to)
{
    ARMCI_Lock(0, to);
    recording = false;
    ARMCI_Unlock(0, to);
}

PLAIN static void fence(int to)
{
    ARMCI_Fence(to);
}

static const struct {
    const char *name;
    void (*call)(int to);
} calls[] = {
    {"Put", put},   {"PutS", put_strided}, {"AccS", accumulate_strided}, {"Rmw", read_modify_write},
    {"Lock", lock}, {"Fence", fence}};

PLAIN static void follow(const char *where, size_t i, int to)
{
    for (int times = 0; times < 2; times++) {
        ARMCI_AllFence();
        count = 0;
        recording = true;
        calls[i].call(to);
        recording = false;
    }
    printf("way: %s %s", calls[i].name, where);
    for (int n = 0; n < count; n++)
        printf(" %p", seen[n]);
    printf("\n");
}

PLAIN int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ARMCI_Malloc(base, sizeof local);
    ARMCI_Create_mutexes(1);
    for (size_t i = 0; rank == 0 && i < sizeof calls / sizeof calls[0]; i++) {
        follow("near", i, NEAR);
        follow("far", i, FAR);
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(base[rank]);
    ARMCI_Finalize();
    return MPI_Finalize();
}
