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

/* The last rank watches its memory, without calling MPI, while rank 0 puts there and flushes. */
void probe_visible(struct finding *f)
{
    struct area a;
    long value = 77, last = job->size - 1;
    double seen_after = -1;
    f->note = true;
    if (!area_possible(f) || !area_open(&a, area_used(), 4096, f)) return;
    volatile long *here = (volatile long *)(volatile void *)(a.slice + 128);
    MPI_Barrier(job->comm);
    if (job->rank == last)
        for (double begun = now(); seen_after < 0 && now() < begun + 2 * BUSY;)
            if (*here == value) seen_after = now() - begun;
    if (job->rank == 0) {
        MPI_Put(&value, sizeof value, MPI_BYTE, (int)last, a.kind == AREA_DYNAMIC ? a.origin + 128 : 128, sizeof value,
                MPI_BYTE, a.win);
        MPI_Win_flush((int)last, a.win);
    }
    MPI_Bcast(&seen_after, 1, MPI_DOUBLE, (int)last, job->comm);
    area_close(&a);
    if (seen_after >= 0)
        tell(f, "a target that only looks at its memory sees a put after %.2f ms", 1000 * seen_after);
    else
        tell(f, "a target that only looks at its memory, without calling MPI, sees no put");
}
