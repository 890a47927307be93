/* mpi_progress.c - does MPI carry one-sided operations out while their target computes, and does the target see them?
 */
#include "probes.h"

#include <stdio.h>
#include <string.h>

#include "area.h"

#define BUSY 0.25

/* Seconds that `operate` takes at rank 0 while the last rank computes. */
static double timed(void (*operate)(struct area *a, MPI_Aint at), struct area *a, MPI_Aint at)
{
    double begun, taken = 0;
    MPI_Barrier(job->comm);
    if (job->rank == job->size - 1) keep_busy(BUSY);
    if (job->rank == 0) {
        keep_busy(0.02); /* until the other really computes */
        begun = now();
        operate(a, at);
        MPI_Win_flush(job->size - 1, a->win);
        taken = now() - begun;
    }
    MPI_Barrier(job->comm);
    return taken;
}

static void put(struct area *a, MPI_Aint at)
{
    static char data[1024];
    MPI_Put(data, sizeof data, MPI_BYTE, job->size - 1, at, sizeof data, MPI_BYTE, a->win);
}
static void get(struct area *a, MPI_Aint at)
{
    static char data[1024];
    MPI_Get(data, sizeof data, MPI_BYTE, job->size - 1, at, sizeof data, MPI_BYTE, a->win);
}
static void add(struct area *a, MPI_Aint at)
{
    static const long one = 1;
    MPI_Accumulate(&one, 1, MPI_LONG, job->size - 1, at, 1, MPI_LONG, MPI_SUM, a->win);
}
static void fetch(struct area *a, MPI_Aint at)
{
    static const long one = 1;
    static long old;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, job->size - 1, at, MPI_SUM, a->win);
}

int tell_waiting(struct finding *f, const double ms[4], const char *fourth, double busy_seconds)
{
    int waiting = 0;
    for (int i = 0; i < 4; i++)
        waiting += ms[i] > 1000 * busy_seconds / 2;
    tell(f, "%s (put %.2f, get %.2f, accumulate %.2f, %s %.2f ms, target computes %.0f ms)",
         waiting == 0   ? "ASYNCHRONOUS"
         : waiting == 4 ? "every operation waits for its target"
                        : "some operations wait for their target",
         ms[0], ms[1], ms[2], fourth, ms[3], 1000 * busy_seconds);
    return waiting;
}

void probe_progress(struct finding *f)
{
    void (*const operate[])(struct area * a, MPI_Aint at) = {put, get, add, fetch};
    struct area a;
    double ms[4];
    f->note = true;
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    for (int i = 0; i < 4; i++)
        ms[i] = 1000 * timed(operate[i], &a, 64);
    area_close(&a);
    tell_waiting(f, ms, "fetch-and-op", BUSY);
}

/* Seconds until the value is seen there, without a call of MPI; -1: not within 2 BUSY.  The last look is after those. */
static double watch(const volatile long *here, long value)
{
    double begun = now();
    while (now() < begun + 2 * BUSY)
        if (*here == value) return now() - begun;
    return *here == value ? now() - begun : -1;
}

/* Seconds until the flush returns. */
static double put_and_flush(struct area *a, int to, const long *value)
{
    keep_busy(0.02); /* until the other really looks */
    double begun = now();
    MPI_Put(value, sizeof *value, MPI_BYTE, to, a->kind == AREA_DYNAMIC ? a->origin + 128 : 128, sizeof *value, MPI_BYTE, a->win);
    MPI_Win_flush(to, a->win);
    return now() - begun;
}

/* The last rank watches its memory, without calling MPI, while rank 0 puts there and flushes.  It begins to look later
 * than rank 0 comes to the barrier: a flush that returns within BUSY of that does so while it looks. */
void probe_visible(struct finding *f)
{
    struct area a;
    long value = 77;
    int last = job->size - 1;
    double seen_after = -1, taken = 0, passed = 0;
    f->note = true;
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    double begun = now();
    MPI_Barrier(job->comm);
    if (job->rank == last) seen_after = watch((volatile long *)(volatile void *)(a.slice + 128), value);
    if (job->rank == 0) {
        taken = put_and_flush(&a, last, &value);
        passed = now() - begun;
    }
    MPI_Bcast(&seen_after, 1, MPI_DOUBLE, last, job->comm);
    area_close(&a);
    bool early = job->rank == 0 && seen_after < 0 && passed < BUSY;
    if (seen_after >= 0)
        tell(f, "a target that only looks at its memory sees a put after %.2f ms", 1000 * seen_after);
    else
        tell(f, "a target that only looks at its memory, without calling MPI, sees no put%s", early ? ", though it was flushed" : "");
    if (job->probing && job->rank == 0)
        found(f, !early, "put and flush took %.2f ms, the data are not there before the target calls MPI", 1000 * taken);
}
