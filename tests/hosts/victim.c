/* victim.c - a job that never ends by itself: everybody works on everybody's memory until one rank
 * kills itself in the middle of it.
 *
 * victim.mpi RANK put|get|acc|lock|barrier */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <armcix.h>

enum {
    PIECE = 1 << 20,
    ROWS = 1024,
    ROW = PIECE / ROWS,
    BEFORE_MICROSECONDS = 300000,
    MOST_SECONDS = 50
};

struct work {
    int rank, ranks;
    void **base;
    char *local; /* as much as a slice */
};

static void put(const struct work *w, int target)
{
    ARMCI_NbPut(w->local, w->base[target], PIECE, target, NULL);
}

static void get(const struct work *w, int target)
{
    int far[] = {2 * ROW}, near[] = {2 * ROW}, rows[] = {ROW, ROWS};
    ARMCI_NbGetS(w->base[target], far, w->local, near, rows, 1, target, NULL);
}

static void acc(const struct work *w, int target)
{
    int one = 1;
    ARMCI_NbAcc(ARMCI_ACC_INT, &one, w->local, w->base[target], PIECE, target, NULL);
}

/* The victim may die with the mutex. */
static void lock(const struct work *w, int target)
{
    long old;
    ARMCI_Lock(0, target);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, w->base[target], 1, target);
    ARMCI_Unlock(0, target);
}

static void barrier(const struct work *w, int target)
{
    put(w, target);
    ARMCI_Barrier();
}

static const struct {
    const char *name;
    void (*once)(const struct work *w, int target);
} operations[] = {{"put", put},   {"get", get},         {"acc", acc},
                  {"lock", lock}, {"barrier", barrier}, {NULL, NULL}};

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

/* From a signal's handler: wherever the process is, in the library or in MPI. */
static void die_later(void)
{
    struct itimerval in = {.it_value = {.tv_usec = BEFORE_MICROSECONDS}};
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &in, NULL);
}

static void go_on(const struct work *w, void (*once)(const struct work *, int))
{
    double until = MPI_Wtime() + MOST_SECONDS;
    while (MPI_Wtime() < until) {
        for (int i = 0; i < w->ranks; i++)
            once(w, (w->rank + i) % w->ranks);
        ARMCI_WaitAll();
        ARMCI_AllFence();
    }
}

int main(int argc, char **argv)
{
    struct work w;
    int victim = argc == 3 ? atoi(argv[1]) : -1, i = 0;
    while (argc == 3 && operations[i].name && strcmp(operations[i].name, argv[2]) != 0)
        i++;
    if (victim < 0 || !operations[i].name) {
        fprintf(stderr, "usage: %s RANK put|get|acc|lock|barrier\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(ARMCIX_Get_world_comm(), &w.rank);
    MPI_Comm_size(ARMCIX_Get_world_comm(), &w.ranks);
    w.base = calloc((size_t)w.ranks, sizeof *w.base);
    w.local = calloc(2, PIECE);
    if (!w.base || !w.local || ARMCI_Malloc(w.base, 2 * PIECE) != 0 || ARMCI_Create_mutexes(1) != 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    ARMCI_Barrier();
    if (w.rank == 0) {
        puts("everybody transfers");
        fflush(stdout);
    }
    if (w.rank == victim) die_later();
    go_on(&w, operations[i].once);
    puts("nobody was killed");
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
