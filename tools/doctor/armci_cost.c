/* armci_cost.c - latency and bandwidth of ARMCI as configured, and times while the target computes.
 */
#include "probes.h"

#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "lines.h"
#include "mpi/world.h"

enum { BIG = 1 << 20, ROWS = 256, ROW = 256, PITCH = 1024 };

const char *const speed_names[SPEEDS] = {"put 8 B + fence",
                                         "get 8 B",
                                         "accumulate 8 B + fence",
                                         "rmw",
                                         "lock + unlock",
                                         "put 1 MiB + fence",
                                         "get 1 MiB",
                                         "accumulate 1 MiB + fence",
                                         "get 64 KiB strided"};
static const int bytes_of[SPEEDS] = {8, 8, 8, 8, 0, BIG, BIG, BIG, ROWS *ROW};

static char *there, *local;
static int target;

static void put(int bytes)
{
    ARMCI_Put(local, there, bytes, target);
    ARMCI_Fence(target);
}
static void get(int bytes)
{
    ARMCI_Get(there, local, bytes, target);
}
static void accumulate(int bytes)
{
    double one = 1;
    ARMCI_Acc(ARMCI_ACC_DBL, &one, local, there, bytes, target);
    ARMCI_Fence(target);
}
static void rmw(int bytes)
{
    long old;
    (void)bytes;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, 1, target);
}
static void lock(int bytes)
{
    (void)bytes;
    ARMCI_Lock(0, target);
    ARMCI_Unlock(0, target);
}
static void get_strided(int bytes)
{
    (void)bytes;
    ARMCI_GetS(there, (int[]){PITCH}, local, (int[]){ROW}, (int[]){ROW, ROWS}, 1, target);
}

static void (*const operations[SPEEDS])(int bytes) = {put, get, accumulate, rmw,        lock,
                                                      put, get, accumulate, get_strided};

/* Seconds per call, measured for `seconds`. */
static double measure_once(int i, double seconds)
{
    int n = 0;
    double begun = now();
    do {
        operations[i](bytes_of[i]);
        n++;
    } while (now() - begun < seconds);
    return (now() - begun) / n;
}

/* Microseconds per call: the best of five, because other work may use the machine. */
static double measure(int i, double seconds)
{
    double best = measure_once(i, 0);
    for (int k = 0; k < 5; k++) {
        double taken = measure_once(i, seconds / 5);
        if (taken < best) best = taken;
    }
    return 1e6 * best;
}

/* The last rank on another node than rank 0; on one node the last rank. */
static int far_rank(void)
{
    for (int rank = job->size - 1; rank > 0; rank--)
        if (armcii_world->node_of[rank] != armcii_world->node_of[0]) return rank;
    return job->size - 1;
}

/* Zeroed slices of 1 MiB on all ranks. */
static char **open_slices(void)
{
    char **base = malloc((size_t)job->size * sizeof *base);
    ARMCI_Malloc((void **)base, BIG);
    ARMCI_Access_begin(base[job->rank]);
    memset(base[job->rank], 0, BIG);
    ARMCI_Access_end(base[job->rank]);
    ARMCI_Create_mutexes(1);
    target = far_rank();
    there = base[target];
    local = ARMCI_Malloc_local(BIG);
    memset(local, 0, BIG);
    ARMCI_Barrier();
    return base;
}

static void close_slices(char **base)
{
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free_local(local);
    ARMCI_Free(base[job->rank]);
    free(base);
}

void cost_measure(const char *path, double seconds_each, struct cost *cost)
{
    char **base = open_slices();
    for (int i = 0; i < SPEEDS; i++) {
        if (job->rank == 0) cost->microseconds[i] = measure(i, seconds_each);
        MPI_Barrier(job->comm);
    }
    MPI_Bcast(cost->microseconds, SPEEDS, MPI_DOUBLE, 0, job->comm);
    for (int i = 0; i < SPEEDS && job->rank == 0; i++)
        line_write("speed\t%s\t%s\t%.5f\t%.1f", path, speed_names[i], cost->microseconds[i],
                   bytes_of[i] > 8 ? bytes_of[i] / cost->microseconds[i] * 1e6 / (1 << 20) : 0.0);
    close_slices(base);
}

void cost_busy(double busy, double ms[4])
{
    char **base = open_slices();
    for (int i = 0; i < 4; i++) {
        operations[i](1024);
        ARMCI_Barrier();
        if (job->rank == target) keep_busy(busy);
        if (job->rank == 0) {
            keep_busy(0.02); /* until the target computes */
            double begun = now();
            operations[i](1024);
            ms[i] = 1000 * (now() - begun);
        }
        ARMCI_Barrier();
    }
    MPI_Bcast(ms, 4, MPI_DOUBLE, 0, job->comm);
    close_slices(base);
}

/* ---------------------------------------------------------------- figures of a route - */

static const struct figure {
    const char *what;
    void (*run)(int bytes);
    int bytes;
} figures[] = {
    {"get 8 B", get, 8}, {"put 8 B + fence", put, 8},   {"accumulate 8 B + fence", accumulate, 8},
    {"rmw", rmw, 8},     {"get 64 KiB", get, BIG / 16}, {"get 1 MiB", get, BIG},
};

enum { SAMPLES = 4096 };
static struct {
    double microseconds[SAMPLES];
    int count;
} samples;

/* Take samples for `seconds`; returns the first one. Each is the mean of so many calls that reading
 * the clock does not count. */
static double take_samples(const struct figure *f, double seconds)
{
    const double shortest = 5e-6;
    int calls = 1;
    double end = now() + seconds, first = 0;
    do {
        double begun = now();
        for (int i = 0; i < calls; i++)
            f->run(f->bytes);
        double taken = now() - begun;
        if (taken < shortest && calls < 1000) {
            calls *= 2;
            continue;
        }
        if (first == 0) first = 1e6 * taken / calls;
        if (samples.count < SAMPLES) samples.microseconds[samples.count++] = 1e6 * taken / calls;
    } while (first == 0 || now() < end);
    return first;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the samples taken since the last call; 0: none. */
static double take_median(void)
{
    int count = samples.count;
    samples.count = 0;
    qsort(samples.microseconds, (size_t)count, sizeof samples.microseconds[0], compare);
    return count > 0 ? samples.microseconds[count / 2] : 0;
}

static double measure_idle(const struct figure *f)
{
    if (job->rank == 0) f->run(f->bytes); /* may make connections */
    if (job->rank == 0) take_samples(f, 0.1);
    MPI_Barrier(job->comm);
    return take_median();
}

/* Rank 0 begins when the others compute. What waits for the target takes the rest of their time. */
static double measure_computing(const struct figure *f, double idle, bool *waits)
{
    enum { TIMES = 5 };
    const double computing = 0.015, before = 0.001;
    int waited = 0;
    for (int i = 0; i < TIMES; i++) {
        MPI_Barrier(job->comm);
        keep_busy(job->rank == 0 ? before : computing);
        if (job->rank == 0) waited += take_samples(f, computing / 2) - idle > 1e6 * computing / 2;
    }
    MPI_Barrier(job->comm);
    *waits = waited == TIMES;
    return take_median();
}

void cost_figures(const char *route)
{
    char **base = open_slices();
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        bool waits;
        double idle = measure_idle(&figures[i]),
               computing = measure_computing(&figures[i], idle, &waits);
        if (job->rank == 0)
            line_write("figure\t%s\t%s\t%d\t%.5f\t%.5f\t%s", route, figures[i].what,
                       figures[i].bytes, idle, computing, waits ? "yes" : "no");
    }
    close_slices(base);
}
