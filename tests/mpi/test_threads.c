/* test_threads.c - several threads of each process at once, under MPI_THREAD_MULTIPLE. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 80, CELLS = 50, LINE = 16 };

static int level; /* the thread level that MPI gives */

static void start_threaded(int *argc, char ***argv)
{
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    if (ARMCI_Init_thread(MPI_THREAD_MULTIPLE) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void stop_threaded(void)
{
    ARMCI_Finalize();
    MPI_Finalize();
}

/* What a thread works on, and how many errors it saw: check() is for the first thread only. */
struct job {
    int number, wrong;
    void **base;
    int *tickets;
};

/* Run `work` in THREADS threads of every process; false where threads may not call MPI: the test is skipped. */
static bool run_threads(void *(*work)(void *), size_t bytes, struct job *jobs)
{
    pthread_t threads[THREADS];
    void **base;

    if (level < MPI_THREAD_MULTIPLE) {
        skip("MPI gives thread level %d, not MPI_THREAD_MULTIPLE", level);
        return false;
    }
    base = region_create(bytes);
    ARMCI_Access_begin(base[test_rank()]);
    memset(base[test_rank()], 0, bytes);
    ARMCI_Access_end(base[test_rank()]);
    ARMCI_Barrier();
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (struct job){ .number = t, .base = base, .tickets = need_memory(ROUNDS * sizeof(int)) };
        pthread_create(&threads[t], NULL, work, &jobs[t]);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        check_long(jobs[t].wrong, 0, "errors in thread %d", t);
    }
    ARMCI_Barrier();
    return true;
}

static void end_threads(struct job *jobs)
{
    region_free(jobs[0].base);
    for (int t = 0; t < THREADS; t++)
        free(jobs[t].tickets);
}

/* Each thread of each process has cells of its own on every process. */
static void *put_and_get(void *argument)
{
    struct job *job = argument;
    int n = test_ranks(), slot = test_rank() * THREADS + job->number;
    long out[CELLS], in[CELLS];

    for (int i = 0; i < effort(ROUNDS); i++) {
        int p = (i + job->number) % n, half = CELLS / 2 * (int)sizeof(long);
        long *there = (long *)job->base[p] + slot * CELLS;
        armci_hdl_t hdl;
        for (int c = 0; c < CELLS; c++)
            out[c] = 1000000L * slot + 100L * i + c;
        ARMCI_INIT_HANDLE(&hdl);
        if (i % 2) {
            ARMCI_Put(out, there, sizeof out, p);
        } else {
            ARMCI_NbPut(out, there, half, p, &hdl);
            ARMCI_NbPut(out + CELLS / 2, there + CELLS / 2, half, p, &hdl);
            ARMCI_Wait(&hdl);
            ARMCI_Fence(p);
        }
        memset(in, 0, sizeof in);
        if (i % 3) {
            ARMCI_Get(there, in, sizeof in, p);
        } else {
            ARMCI_NbGet(there, in, sizeof in, p, &hdl);
            ARMCI_Wait(&hdl);
        }
        job->wrong += memcmp(in, out, sizeof out) != 0;
    }
    return NULL;
}

static void disjoint_transfers(void)
{
    struct job jobs[THREADS];

    if (run_threads(put_and_get, (size_t)test_ranks() * THREADS * CELLS * sizeof(long), jobs))
        end_threads(jobs);
}

/* All threads add to the same cells of every process, in one piece and strided. */
static void *add(void *argument)
{
    struct job *job = argument;
    long one = 1, ones[CELLS];
    int stride = 2 * (int)sizeof(long), count[2] = { (int)sizeof(long), CELLS / 2 };

    for (int c = 0; c < CELLS; c++)
        ones[c] = 1;
    for (int i = 0; i < effort(ROUNDS); i++)
        for (int p = 0; p < test_ranks(); p++) {
            if ((i + job->number) % 2) {
                ARMCI_Acc(ARMCI_ACC_LNG, &one, ones, job->base[p], sizeof ones, p);
                continue;
            }
            ARMCI_AccS(ARMCI_ACC_LNG, &one, ones, &stride, job->base[p], &stride, count, 1, p);
            ARMCI_AccS(ARMCI_ACC_LNG, &one, ones + 1, &stride, (long *)job->base[p] + 1, &stride, count, 1, p);
        }
    return NULL;
}

static void common_accumulates(void)
{
    struct job jobs[THREADS];
    long cells[CELLS];

    if (!run_threads(add, CELLS * sizeof(long), jobs))
        return;
    ARMCI_Get(jobs[0].base[test_rank()], cells, sizeof cells, test_rank());
    for (int c = 0; c < CELLS; c++)
        check_long(cells[c], (long)test_ranks() * THREADS * effort(ROUNDS), "sum in cell %d", c);
    ARMCI_Barrier();
    end_threads(jobs);
}

/* All threads draw from one counter. */
static void *draw(void *argument)
{
    struct job *job = argument;

    for (int i = 0; i < effort(ROUNDS); i++) {
        job->tickets[i] = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &job->tickets[i], job->base[0], 1, 0);
    }
    return NULL;
}

static void common_counter(void)
{
    int total = effort(ROUNDS) * THREADS * test_ranks(), *tally = calloc((size_t)total, sizeof *tally);
    struct job jobs[THREADS];

    if (run_threads(draw, LINE, jobs)) {
        for (int t = 0; t < THREADS; t++)
            for (int i = 0; i < effort(ROUNDS); i++)
                if (check(jobs[t].tickets[i] >= 0 && jobs[t].tickets[i] < total, "draw gave %d", jobs[t].tickets[i]))
                    tally[jobs[t].tickets[i]]++;
        MPI_Allreduce(MPI_IN_PLACE, tally, total, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < total; i++)
            check_long(tally[i], 1, "how often ticket %d was drawn", i);
        end_threads(jobs);
    }
    free(tally);
}

/* Threads mix kinds; each waits for its own handle only. */
static void *everything(void *argument)
{
    struct job *job = argument;

    draw(argument);
    for (int p = 0; p < test_ranks(); p++) {
        long one = 1, value = 5 + job->number, seen = -1;
        long *own = (long *)job->base[p] + 2 + test_rank() * THREADS + job->number;
        ARMCI_Put(&value, own, sizeof value, p);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, (long *)job->base[p] + 1, sizeof one, p);
        ARMCI_Get(own, &seen, sizeof seen, p);
        job->wrong += seen != value;
        ARMCI_Fence(p);
    }
    ARMCI_AllFence();
    return NULL;
}

static void mixed(void)
{
    struct job jobs[THREADS];

    if (!run_threads(everything, (size_t)(2 + test_ranks() * THREADS) * sizeof(long), jobs))
        return;
    check_long(ARMCI_GetValueLong((long *)jobs[0].base[test_rank()] + 1, test_rank()), (long)test_ranks() * THREADS,
               "sum of the accumulates");
    check_long(ARMCI_GetValueInt(jobs[0].base[0], 0), (long)effort(ROUNDS) * THREADS * test_ranks(), "counter");
    ARMCI_Barrier();
    end_threads(jobs);
}

static const struct test tests[] = {
    { "threads transfer to cells of their own", disjoint_transfers },
    { "threads accumulate on the same cells", common_accumulates },
    { "threads draw from one counter", common_counter },
    { "threads mix kinds of operations", mixed },
    { NULL, NULL },
};
const struct suite suite = { tests, start_threaded, stop_threaded };
