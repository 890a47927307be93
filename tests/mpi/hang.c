/* hang.c - jobs of two ranks that hang: rank 1 stops itself (SIGSTOP), and rank 0 waits for it
 * until somebody continues rank 1.
 *
 * hang KIND.  With ARMCI_TEST_NODE=1 each rank is a node of its own: rank 0 needs the server of
 * rank 1. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armcix.h>
#include <message.h>

#include "pretended_nodes.h"

enum { BYTES = 800, OFFSET = 16, TAG = 7 };

static void *base[2];
static long value = 5;
static char *remote(void)
{
    return (char *)base[1] + OFFSET;
}

static void get(void)
{
    ARMCI_Get(remote(), &value, sizeof value, 1);
}

static void put_fence(void)
{
    ARMCI_Put(&value, remote(), sizeof value, 1);
    ARMCI_Fence(1);
}

static void nbget_wait(void)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(remote(), &value, sizeof value, 1, &handle);
    ARMCI_Wait(&handle);
}

static void rmw(void)
{
    long old;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote(), 1, 1);
}

static void lock(void)
{
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
}

static void take_lock(void)
{
    ARMCI_Lock(0, 0);
}

static void release_lock(void)
{
    ARMCI_Unlock(0, 0);
}

static void allocate(void)
{
    void *more[2];
    int me = armci_msg_me();
    ARMCI_Malloc(more, 100);
    ARMCI_Free(more[me]);
}

static void wait_for_notification(void)
{
    int waited;
    armci_notify_wait(1, &waited);
}

static void notify(void)
{
    armci_notify(0);
}

static void receive(void)
{
    int length;
    armci_msg_rcv(TAG, &value, sizeof value, &length, 1);
}

static void send(void)
{
    armci_msg_snd(TAG, &value, sizeof value, 0);
}

/* For 3 s, whatever signals come. */
static void compute(void)
{
    for (unsigned left = 3; left > 0;)
        left = sleep(left);
}

static void compute_with_lock(void)
{
    ARMCI_Lock(0, 0);
    compute();
    ARMCI_Unlock(0, 0);
}

static void sum(void)
{
    int one = 1;
    armci_msg_igop(&one, 1, "+");
}

static void nothing(void)
{
}

/* All call, but not the same; for ever. */
static void call_different(int me)
{
    if (me == 0) ARMCI_Barrier();
    allocate();
}

/* What rank 0 does while rank 1 is stopped; what rank 1 does before and after. */
static const struct {
    const char *name;
    void (*wait)(void), (*before)(void), (*after)(void);
} kinds[] = {
    {"get", get, nothing, nothing},
    {"put_fence", put_fence, nothing, nothing},
    {"nbget_wait", nbget_wait, nothing, nothing},
    {"rmw", rmw, nothing, nothing},
    {"lock", lock, take_lock, release_lock},
    {"barrier", ARMCI_Barrier, nothing, ARMCI_Barrier},
    {"malloc", allocate, nothing, allocate},
    {"notify", wait_for_notification, nothing, notify},
    {"receive", receive, nothing, send},
    {"compute", compute, nothing, nothing},
    {"compute_with_lock", compute_with_lock, nothing, nothing},
    {"sum", sum, nothing, sum},
};

/* The state of a process in the eyes of the kernel: T: stopped. */
static char state_of(int pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = '?';
    if (f) fclose(f);
    return state;
}

static void run(size_t i, int me)
{
    int stopping = (int)getpid();
    armci_msg_brdcst(&stopping, (int)sizeof stopping, 1);
    if (me == 1) kinds[i].before();
    ARMCI_Barrier();
    if (me == 0) {
        while (state_of(stopping) != 'T')
            usleep(10000);
        kinds[i].wait();
    } else {
        kill(getpid(), SIGSTOP);
        kinds[i].after();
    }
    ARMCI_Barrier();
}

static void own_handler(int number)
{
    (void)number;
    if (write(1, "own handler\n", 12) < 0) _exit(1);
}

int main(int argc, char **argv)
{
    if (getenv("TEST_HANDLER")) signal(SIGUSR1, own_handler);
    ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
    int me = armci_msg_me();
    ARMCI_Malloc(base, BYTES);
    ARMCI_Create_mutexes(1);
    printf("rank %d pid %ld base %p\n", me, (long)getpid(), base[1]);
    fflush(stdout);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0) run(i, me);
    if (argc > 1 && strcmp(argv[1], "different") == 0) call_different(me);
    ARMCI_Destroy_mutexes();
    ARMCI_Free(base[me]);
    ARMCI_Finalize();
    if (me == 0) printf("PASS\n");
    return 0;
}
