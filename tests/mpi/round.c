/* round.c - a round through the library, with results that are checked: it ends with 0 and "right",
 * or by an error of the library; "WRONG" is neither. For checks that make the system fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armcix.h>
#include <message.h>

#include "pretended_nodes.h"

enum { ROWS = 40, COLUMNS = 100, SIDE = ROWS * COLUMNS, LONG = 1 << 18, PENDING = 12, MOST = 16 };

static int rank, ranks, other;

static void need(int good, const char *what)
{
    if (good) return;
    printf("WRONG: rank %d: %s\n", rank, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The library ends the job where its call fails, or says so by the result. */
static void done(int code, const char *what)
{
    if (code == 0) return;
    printf("result %d of %s\n", code, what);
    fflush(stdout);
    ARMCI_Error((char *)what, 1);
}

static double local[SIDE], back[SIDE], *base[MOST];
static char long_local[LONG], long_back[LONG];
static int strides[] = {COLUMNS * sizeof(double)}, count[] = {60 * sizeof(double), ROWS};

static void fill(double value)
{
    for (int i = 0; i < SIDE; i++)
        local[i] = value + i % 50;
}

static void check_patch(double value, double factor, const char *what)
{
    memset(back, 0, sizeof back);
    done(ARMCI_GetS(base[other], strides, back, strides, count, 1, other), "ARMCI_GetS");
    for (int i = 0; i < SIDE; i++)
        need(back[i] == (i % COLUMNS < 60 ? factor * (value + i % 50) : 0), what);
}

static void strided(void)
{
    double scale = 2;
    fill(1 + rank);
    done(ARMCI_PutS(local, strides, base[other], strides, count, 1, other), "ARMCI_PutS");
    done(ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, strides, base[other], strides, count, 1, other),
         "ARMCI_AccS");
    check_patch(1 + rank, 3, "a strided put and accumulate");
    ARMCI_Barrier();
}

static void vectors(void)
{
    void *from[ROWS], *to[ROWS];
    armci_giov_t iov = {
        .src_ptr_array = from, .dst_ptr_array = to, .bytes = sizeof(double), .ptr_array_len = ROWS};
    fill(7 + rank);
    for (int i = 0; i < ROWS; i++) {
        from[i] = &local[i * 7];
        to[i] = base[other] + i * COLUMNS;
    }
    done(ARMCI_PutV(&iov, 1, other), "ARMCI_PutV");
    for (int i = 0; i < ROWS; i++) {
        from[i] = base[other] + i * COLUMNS;
        to[i] = &back[i];
    }
    done(ARMCI_GetV(&iov, 1, other), "ARMCI_GetV");
    for (int i = 0; i < ROWS; i++)
        need(back[i] == local[i * 7], "vectors");
    ARMCI_Barrier();
}

static void nonblocking(void)
{
    armci_hdl_t handle[PENDING], together;
    fill(9 + rank);
    for (int i = 0; i < PENDING; i++) {
        ARMCI_INIT_HANDLE(&handle[i]);
        done(ARMCI_NbPutS(local, strides, base[other], strides, count, 1, other, &handle[i]),
             "ARMCI_NbPutS");
    }
    for (int i = 0; i < PENDING; i++)
        done(ARMCI_Wait(&handle[i]), "ARMCI_Wait");
    ARMCI_Fence(other);
    check_patch(9 + rank, 1, "nonblocking puts");
    ARMCI_INIT_HANDLE(&together);
    ARMCI_SET_AGGREGATE_HANDLE(&together);
    for (int i = 0; i < ROWS; i++)
        done(ARMCI_NbPut(&local[i], base[other] + 2 * i, sizeof(double), other, &together),
             "ARMCI_NbPut");
    done(ARMCI_Wait(&together), "ARMCI_Wait");
    ARMCI_UNSET_AGGREGATE_HANDLE(&together);
    done(ARMCI_NbGet(base[other], back, sizeof back, other, NULL), "ARMCI_NbGet");
    done(ARMCI_WaitAll(), "ARMCI_WaitAll");
    for (int i = 0; i < ROWS; i++)
        need(back[2 * i] == local[i], "an aggregate handle");
    ARMCI_Barrier();
}

static void long_transfers(void)
{
    void *memory[MOST];
    done(ARMCI_Malloc(memory, LONG), "ARMCI_Malloc");
    memset(long_local, 'a' + rank, LONG);
    done(ARMCI_Put(long_local, memory[other], LONG, other), "ARMCI_Put");
    done(ARMCI_Get(memory[other], long_back, LONG, other), "ARMCI_Get");
    need(memcmp(long_local, long_back, LONG) == 0, "a long put");
    ARMCI_Barrier();
    done(ARMCI_Free(memory[rank]), "ARMCI_Free");
}

static void words(void)
{
    void *counter[MOST];
    long old, sum = 0, seen[2];
    int value;
    done(ARMCI_Malloc(counter, rank == 0 ? 64 : 128), "ARMCI_Malloc");
    memset(counter[rank], 0, 64);
    done(ARMCI_Create_mutexes(2), "ARMCI_Create_mutexes");
    ARMCI_Barrier();
    for (int i = 0; i < 5; i++) {
        done(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, counter[0], 1, 0), "ARMCI_Rmw");
        ARMCI_Lock(1, 0);
        done(ARMCI_Get((long *)counter[0] + 1, &sum, sizeof sum, 0), "ARMCI_Get");
        sum++;
        done(ARMCI_Put(&sum, (long *)counter[0] + 1, sizeof sum, 0), "ARMCI_Put");
        ARMCI_Fence(0);
        ARMCI_Unlock(1, 0);
    }
    armci_notify(other);
    armci_notify_wait((rank + ranks - 1) % ranks, &value);
    ARMCI_Barrier();
    done(ARMCI_Get(counter[0], seen, sizeof seen, 0), "ARMCI_Get");
    need(seen[0] == 5L * ranks && seen[1] == 5L * ranks, "rmw and locks");
    ARMCI_Barrier();
    done(ARMCI_Destroy_mutexes(), "ARMCI_Destroy_mutexes");
    done(ARMCI_Free(counter[rank]), "ARMCI_Free");
}

static void groups(void)
{
    ARMCI_Group group;
    void *memory[MOST];
    int list[MOST], value = rank + 1, seen = 0;
    for (int i = 0; i < ranks; i++)
        list[i] = ranks - 1 - i;
    ARMCI_Group_create(ranks, list, &group);
    const int here = ranks - 1 - rank, next = (here + 1) % ranks;
    done(ARMCI_Malloc_group(memory, 256, &group), "ARMCI_Malloc_group");
    done(ARMCI_Put(&value, memory[next], sizeof value, list[next]), "ARMCI_Put");
    armci_msg_group_barrier(&group);
    ARMCI_Barrier();
    done(ARMCI_Get(memory[next], &seen, sizeof seen, list[next]), "ARMCI_Get");
    need(seen == value, "memory of a group");
    armci_msg_group_igop(&seen, 1, "+", &group);
    need(seen == ranks * (ranks + 1) / 2, "a sum in a group");
    done(ARMCI_Free_group(memory[here], &group), "ARMCI_Free_group");
    ARMCI_Group_free(&group);
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    done(ARMCI_Init(), "ARMCI_Init");
    rank = armci_msg_me();
    ranks = armci_msg_nproc();
    other = (rank + 1) % ranks;
    done(ARMCI_Malloc((void **)base, sizeof local), "ARMCI_Malloc");
    memset(base[rank], 0, sizeof local);
    ARMCI_Barrier();
    strided();
    vectors();
    nonblocking();
    long_transfers();
    words();
    groups();
    done(ARMCI_Free(base[rank]), "ARMCI_Free");
    done(ARMCI_Finalize(), "ARMCI_Finalize");
    MPI_Finalize();
    if (rank == 0) puts("right");
    return 0;
}
