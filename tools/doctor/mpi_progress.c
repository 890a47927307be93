/* mpi_progress.c - do one-sided operations progress while their target computes, does the target
 * see them, and do late receives complete?
 */
#include "probes.h"

#include <stdio.h>
#include <string.h>

#include "area.h"
#include "lines.h"

#define BUSY 0.25

/* Seconds that `operate` takes at rank 0 while the last rank computes. */
static double timed(void (*operate)(struct area *a, MPI_Aint at), struct area *a, MPI_Aint at)
{
    double begun, taken = 0;
    MPI_Barrier(job->comm);
    if (job->rank == job->size - 1) keep_busy(BUSY);
    if (job->rank == 0) {
        keep_busy(0.02); /* until the target computes */
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
    tell(f, "%s (put %.*f, get %.*f, accumulate %.*f, %s %.*f ms, target computes %.0f ms)",
         waiting == 0   ? "ASYNCHRONOUS"
         : waiting == 4 ? "every operation waits for its target"
                        : "some operations wait for their target",
         decimals(ms[0]), ms[0], decimals(ms[1]), ms[1], decimals(ms[2]), ms[2], fourth,
         decimals(ms[3]), ms[3], 1000 * busy_seconds);
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

/* Poll memory without calling MPI: seconds until the value appears; -1: not within 2 BUSY.  The
 * last check is after that time. */
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
    keep_busy(0.02); /* until the target polls */
    double begun = now();
    MPI_Put(value, sizeof *value, MPI_BYTE, to, a->kind == AREA_DYNAMIC ? a->origin + 128 : 128,
            sizeof *value, MPI_BYTE, a->win);
    MPI_Win_flush(to, a->win);
    return now() - begun;
}

/* The last rank polls its memory, without calling MPI, while rank 0 puts there and flushes. It
 * polls for 2 BUSY after rank 0's barrier: a flush that returns within BUSY of that returns while
 * it polls. */
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
    if (job->rank == last)
        seen_after = watch((volatile long *)(volatile void *)(a.slice + 128), value);
    if (job->rank == 0) {
        taken = put_and_flush(&a, last, &value);
        passed = now() - begun;
    }
    MPI_Bcast(&seen_after, 1, MPI_DOUBLE, last, job->comm);
    area_close(&a);
    bool early = job->rank == 0 && seen_after < 0 && passed < BUSY;
    if (seen_after >= 0)
        tell(f, "a target that only looks at its memory sees a put after %.2f ms",
             1000 * seen_after);
    else
        tell(f, "a target that only looks at its memory, without calling MPI, sees no put%s",
             early ? ", though it was flushed" : "");
    if (job->probing && job->rank == 0)
        found(f, !early,
              "put and flush took %.2f ms, the data are not there before the target calls MPI",
              1000 * taken);
}

/* ---------------------------------------------------------------- messages --------- */

enum { TAG_LATE = 11, TAG_BEHIND = 12, LATE_MESSAGES = 4 };
#define LATE_SECONDS 0.5

/* Post the receive after the message has arrived, as a message sent after it shows. */
static bool receive_late(int source, int *value)
{
    MPI_Request request;
    int done = 0, behind;
    MPI_Recv(&behind, 1, MPI_INT, job->origin, TAG_BEHIND, job->comm, MPI_STATUS_IGNORE);
    MPI_Irecv(value, 1, MPI_INT, source, TAG_LATE, job->comm, &request);
    for (double begun = now(); !done && now() < begun + LATE_SECONDS;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) MPI_Request_free(&request);
    return done;
}

static void try_source(struct finding *f, int source, const char *name)
{
    static int value[2 * LATE_MESSAGES]; /* a receive that never completes may write late */
    static int next;
    int *own = &value[next++ % (2 * LATE_MESSAGES)], message = 100 + job->rank;
    MPI_Request sent[2];
    MPI_Status status[2];
    MPI_Isend(&message, 1, MPI_INT, job->target, TAG_LATE, job->comm, &sent[0]);
    MPI_Isend(&message, 1, MPI_INT, job->target, TAG_BEHIND, job->comm, &sent[1]);
    bool done = receive_late(source, own);
    found(f, done && *own == 100 + job->origin,
          "a receive from %s that is posted when its message is there %s", name,
          done ? "gets another one" : "never completes");
    MPI_Waitall(2, sent, status);
    MPI_Barrier(job->comm);
}

void probe_late_receives(struct finding *f)
{
    for (int i = 0; i < LATE_MESSAGES; i++) {
        try_source(f, job->origin, "a rank");
        try_source(f, MPI_ANY_SOURCE, "MPI_ANY_SOURCE");
    }
    tell(f, "%ld receives posted when their message was there", f->tried);
}
