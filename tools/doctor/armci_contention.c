/* armci_contention.c - all ranks concurrently on the same memory: accumulates, rmw, mutexes,
 * notifications; and order. */
#include "probes.h"

#include <stdlib.h>
#include <string.h>

#include <armci.h>

enum { ROUNDS = 25, ELEMENTS = 300, LOCKS = 12 };

/* One slice: sums, a counter for tickets, a number protected by a mutex, room for the data of a
 * message. */
struct slice {
    double sum[2 * ELEMENTS];
    int numbers[ELEMENTS];
    long tickets, protected;
    int swapped, flag;
    long payload[16];
};

/* Contiguous, strided and vector accumulates of all ranks on the last rank's slice. */
static void accumulate(struct finding *f, struct slice **base)
{
    int to = job->size - 1;
    double ones[2 * ELEMENTS], two = 2;
    int units[ELEMENTS], one = 1;
    for (int i = 0; i < ELEMENTS; i++)
        ones[2 * i] = ones[2 * i + 1] = units[i] = 1;
    for (int i = 0; i < ROUNDS; i++) {
        ARMCI_Acc(ARMCI_ACC_DBL, &two, ones, base[to]->sum, (int)sizeof base[to]->sum, to);
        ARMCI_AccS(ARMCI_ACC_DBL, &two, ones, (int[]){16}, base[to]->sum, (int[]){16},
                   (int[]){8, ELEMENTS}, 1, to);
        void *src[3] = {units, units + 100, units + 250},
             *dst[3] = {base[to]->numbers, base[to]->numbers + 100, base[to]->numbers + 250};
        armci_giov_t v = {src, dst, 50 * (int)sizeof(int), 3};
        ARMCI_AccV(ARMCI_ACC_INT, &one, &v, 1, to);
    }
    ARMCI_Barrier();
    if (job->rank != to) return;
    ARMCI_Access_begin(base[to]);
    for (int i = 0; i < ELEMENTS; i++) {
        int each = ROUNDS * job->size, hit = i < 50 || (i >= 100 && i < 150) || i >= 250;
        const double *sum = &base[to]->sum[2 * i];
        int number = base[to]->numbers[i], right = hit ? each : 0;
        found(f, sum[0] == 4 * each && sum[1] == 2 * each,
              "accumulates of all ranks at once: %g instead of %d", sum[0], 4 * each);
        found(f, number == right, "vector accumulates of all ranks at once: %d instead of %d",
              number, right);
    }
    ARMCI_Access_end(base[to]);
}

/* Each ticket 0, 1, 2 ... is drawn once: check their number and their sum. */
static void draw_tickets(struct finding *f, struct slice **base)
{
    long sum = 0, total, all = (long)4 * ROUNDS * job->size, end;
    for (int i = 0; i < 4 * ROUNDS; i++) {
        long ticket = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, &base[0]->tickets, 1, 0);
        sum += ticket;
    }
    ARMCI_Barrier();
    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, job->comm);
    ARMCI_Get(&base[0]->tickets, &end, sizeof end, 0);
    found(f, end == all && total == all * (all - 1) / 2,
          "fetch-and-add of all ranks: %ld instead of %ld, sum of tickets %ld", end, all, total);
}

/* A swap returns the value of the previous one: the sum of the values put in equals the sum of the
 * values returned and the last value. */
static void swap(struct finding *f, struct slice **base)
{
    int put_in = 0, taken = 0, last, in, out, to = job->size - 1;
    for (int i = 1; i <= ROUNDS; i++) {
        int value = job->rank * ROUNDS + i;
        put_in += value;
        ARMCI_Rmw(ARMCI_SWAP, &value, &base[to]->swapped, 0, to);
        taken += value;
    }
    ARMCI_Barrier();
    MPI_Allreduce(&put_in, &in, 1, MPI_INT, MPI_SUM, job->comm);
    MPI_Allreduce(&taken, &out, 1, MPI_INT, MPI_SUM, job->comm);
    ARMCI_Get(&base[to]->swapped, &last, sizeof last, to);
    found(f, in == out + last, "swaps of all ranks: %d put in, %d taken out", in, out + last);
}

static void lock(struct finding *f, struct slice **base)
{
    long seen;
    ARMCI_Create_mutexes(job->rank == 0 ? 2 : 0);
    for (int i = 0; i < LOCKS; i++) {
        ARMCI_Lock(1, 0);
        ARMCI_Get(&base[0]->protected, &seen, sizeof seen, 0);
        seen++;
        ARMCI_Put(&seen, &base[0]->protected, sizeof seen, 0);
        ARMCI_Unlock(1, 0);
    }
    ARMCI_Barrier();
    ARMCI_Get(&base[0]->protected, &seen, sizeof seen, 0);
    found(f, seen == (long)LOCKS * job->size, "a number protected by a mutex is %ld instead of %d",
          seen, LOCKS * job->size);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
}

/* A put before a notification is seen after it; a process that sees the flag sees the data. */
static void notify(struct finding *f, struct slice **base)
{
    int waits;
    long payload[16];
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < 16; i++)
            payload[i] = 1000 * job->rank + round + i;
        ARMCI_Put_flag(payload, base[job->target]->payload, sizeof payload,
                       &base[job->target]->flag, round, job->target);
        armci_notify(job->target);
        armci_notify_wait(job->origin, &waits);
        ARMCI_Access_begin(base[job->rank]);
        bool right = base[job->rank]->flag == round;
        for (int i = 0; i < 16; i++)
            right = right && base[job->rank]->payload[i] == 1000 * job->origin + round + i;
        ARMCI_Access_end(base[job->rank]);
        found(f, right, "a put is not seen after its notification (round %d)", round);
        ARMCI_Barrier();
    }
}

void contention_run(struct finding *f)
{
    static void (*const parts[])(struct finding * f, struct slice * *base) = {
        accumulate, draw_tickets, swap, lock, notify};
    struct slice **base = malloc((size_t)job->size * sizeof *base);
    ARMCI_Malloc((void **)base, sizeof **base);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ARMCI_Access_begin(base[job->rank]);
        memset(base[job->rank], 0, sizeof **base);
        ARMCI_Access_end(base[job->rank]);
        ARMCI_Barrier();
        parts[i](f, base);
        ARMCI_Barrier();
    }
    ARMCI_Free(base[job->rank]);
    free(base);
}
