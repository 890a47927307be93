/* test_notify.c - armci_notify and armci_notify_wait: what was put is seen; numbers; both
 * directions; oneself. */
#include "harness.h"

enum { CELLS = 500 };

/* How many notifications went from here to each process, came from each, in all tests so far. */
static int sent[64], waited[64];

static void notify(int p)
{
    check_long(armci_notify(p), ++sent[p], "armci_notify(%d): number sent so far", p);
}

static void wait_for(int p)
{
    int waits = -1, received = armci_notify_wait(p, &waits);
    check_long(waits, ++waited[p], "armci_notify_wait(%d): number of waits", p);
    check(received >= waits, "armci_notify_wait(%d): %d received after %d waits", p, received,
          waits);
}

static void fill(long *cells, int round, int writer)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = 1000000L * round + 1000L * writer + i + 1;
}

/* A ring: put, notify; the neighbour waits and loads. */
static void data_before_notification(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_create(CELLS * sizeof(long));
    long cells[CELLS], expected[CELLS], one = 1;
    for (int round = 0; round < effort(40); round++) {
        slice_fill(base[me], 0, sizeof cells);
        ARMCI_Barrier();
        fill(cells, round, me);
        fill(expected, round, left);
        if (round % 2)
            ARMCI_Put(cells, base[right], sizeof cells, right);
        else
            ARMCI_Acc(ARMCI_ACC_LNG, &one, cells, base[right], sizeof cells, right);
        notify(right);
        wait_for(left);
        ARMCI_Access_begin(base[me]);
        check_bytes(base[me], expected, sizeof expected,
                    "round %d: load after the notification of %d", round, left);
        ARMCI_Access_end(base[me]);
        ARMCI_Barrier();
    }
    region_free(base);
}

static void kept_by_an_aggregate(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_zeroed(sizeof(long));
    long value = 100 + me;
    armci_hdl_t handle = new_aggregate();
    ARMCI_NbPut(&value, base[right], sizeof value, right, &handle);
    notify(right);
    wait_for(left);
    check_long(ARMCI_GetValueLong(base[me], me), 100 + left,
               "put by an aggregate handle of %d, notified before ARMCI_Wait", left);
    ARMCI_Wait(&handle);
    region_done(base);
}

/* All of a number of notifications are there, one wait for each, whichever comes first. */
static void numbers(void)
{
    int n = test_ranks(), me = test_rank(), other = (me ^ 1) < n ? me ^ 1 : me;
    for (int times = 1; times < 6; times++) {
        for (int i = 0; i < times; i++)
            notify(other);
        if (times % 2) MPI_Barrier(test_comm());
        for (int i = 0; i < times; i++)
            wait_for(other);
    }
    MPI_Barrier(test_comm());
}

/* A ball goes to and fro between rank 0 and each other; nobody is woken by the notification of a
 * third. */
static void to_and_fro(void)
{
    int me = test_rank(), n = test_ranks();
    void **base = region_create((size_t)n * sizeof(int));
    for (int i = 0; i < effort(20); i++)
        for (int p = 1; p < n; p++) {
            int ball = 100 * i + p;
            if (me == 0) {
                ARMCI_Put(&ball, base[p], sizeof ball, p);
                notify(p);
                wait_for(p);
                check_long(ARMCI_GetValueInt((int *)base[0] + p, 0), ball + 1, "ball back from %d",
                           p);
            }
            if (me == p) {
                wait_for(0);
                ball = ARMCI_GetValueInt(base[me], me) + 1;
                check_long(ball, 100 * i + p + 1, "ball from 0");
                ARMCI_Put(&ball, (int *)base[0] + p, sizeof ball, 0);
                notify(0);
            }
        }
    region_done(base);
}

static void oneself(void)
{
    int me = test_rank();
    void **base = region_create(sizeof(int));
    for (int i = 0; i < 5; i++) {
        ARMCI_PutValueInt(i, base[me], me);
        notify(me);
        wait_for(me);
        ARMCI_Access_begin(base[me]);
        check_long(*(int *)base[me], i, "load after the own notification");
        ARMCI_Access_end(base[me]);
    }
    region_free(base);
}

static void wait_waits(void)
{
    int me = test_rank(), n = test_ranks();
    double begun = MPI_Wtime(); /* before the notifier's: the system may stop this process */
    needs_ranks(2);
    MPI_Barrier(test_comm());
    if (me == 0 && n > 1) {
        for (begun = MPI_Wtime(); MPI_Wtime() < begun + 0.2;)
            continue;
        for (int p = 1; p < n; p++)
            notify(p);
    }
    if (me > 0) {
        wait_for(0);
        check(MPI_Wtime() - begun > 0.19, "armci_notify_wait returned after %g s",
              MPI_Wtime() - begun);
    }
}

static const struct test tests[] = {
    {"data put before a notification are seen after it", data_before_notification},
    {"puts of an aggregate handle are seen after a notification", kept_by_an_aggregate},
    {"as many waits as notifications", numbers},
    {"data and notifications in both directions", to_and_fro},
    {"notifications to oneself", oneself},
    {"a wait does not return before the notification", wait_waits},
};
SUITE();
