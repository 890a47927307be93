/* test_verify.c - ARMCI_VERIFY: correct programs pass even if their processes use the same bytes at once; a defect of MPI ends the job.
 *
 * TEST_DEFECT=NAME: the MPI library has this defect (faulty_mpi.h) while operations of every kind are tried, and the job must end
 * with the line of that defect.  TEST_FAULT=NAME, for check-verify: a fault of faults.txt, in a library built with them, is injected
 * instead. */
#include <sched.h>

#include "harness.h"
#include "faulty_mpi.h"

static int next_rank(void)
{
    return (test_rank() + 1) % test_ranks();
}

/* Each rank puts to its neighbour, who changes what it found at once. */
static void cells_reset_at_once(void)
{
    int me = test_rank(), next = next_rank(), previous = (me + test_ranks() - 1) % test_ranks();
    void **base = region_zeroed(2 * sizeof(long));
    long *mine = base[me], rounds = effort(80);
    for (long i = 1; i <= rounds; i++) {
        ARMCI_PutValueLong(i, base[next], next);
        for (int turns = 0; ARMCI_GetValueLong(mine, me) != i; turns++)
            if (turns > 100) sched_yield();
        ARMCI_PutValueLong(0, mine, me);
        ARMCI_PutValueLong(i, (long *)base[previous] + 1, previous);
        for (int turns = 0; ARMCI_GetValueLong(mine + 1, me) != i; turns++)
            if (turns > 100) sched_yield();
    }
    ARMCI_Barrier();
    check_long(ARMCI_GetValueLong(base[next], next), 0, "the cell of %d", next);
    region_free(base);
}

enum { CONTENDED = 4096 };

static void racing_puts(void)
{
    int me = test_rank(), n = test_ranks(), strides[1] = {64}, count[2] = {32, CONTENDED / 64};
    void **base = region_create(CONTENDED);
    unsigned char *mine = need_memory(CONTENDED), *seen = need_memory(CONTENDED);
    memset(mine, 1 + me, CONTENDED);
    memset(base[me], 1, CONTENDED);
    ARMCI_Barrier();
    for (int i = 0; i < effort(200); i++) {
        int target = i % n;
        ARMCI_Put(mine, base[target], CONTENDED, target);
        ARMCI_PutS(mine, strides, base[target], strides, count, 1, target);
        ARMCI_Get(base[target], seen, CONTENDED, target);
        ARMCI_GetS(base[target], strides, seen, strides, count, 1, target);
    }
    ARMCI_Barrier();
    for (int i = 0; i < CONTENDED; i++)
        check(seen[i] >= 1 && seen[i] <= n, "byte %d is %d, which nobody put", i, seen[i]);
    free(mine);
    free(seen);
    region_free(base);
}

/* The local side of everybody's transfers is memory that the neighbour writes. */
static void local_in_global(void)
{
    int me = test_rank(), next = next_rank();
    void **base = region_create(2 * CONTENDED);
    char *mine = base[me];
    memset(mine, 1, 2 * CONTENDED);
    ARMCI_Barrier();
    for (int i = 0; i < effort(100); i++) {
        ARMCI_Put(mine, base[next], CONTENDED, next);
        ARMCI_Put(mine, mine + CONTENDED, CONTENDED, me);
        ARMCI_Get(base[next], mine + CONTENDED, CONTENDED, next);
    }
    ARMCI_Barrier();
    for (int i = 0; i < 2 * CONTENDED; i++)
        check(mine[i] == 1, "byte %d is %d, all that was put is 1", i, mine[i]);
    region_done(base);
}

enum { ROW = 128 };
static double local[ROW * ROW];

struct target {
    double *there; /* ROW * ROW numbers of the target */
    int target;
};

/* A block of 7 planes of 3 rows of 5 numbers. */
static void block(int strides[2], int count[3])
{
    strides[0] = ROW * (int)sizeof(double);
    strides[1] = 4 * strides[0];
    count[0] = 5 * (int)sizeof(double);
    count[1] = 3;
    count[2] = 7;
}

static void try_vectors(const struct target *s)
{
    void *from[5], *to[5];
    armci_giov_t v = {from, to, 3 * sizeof(double), 5};
    double scale = 3;
    for (int i = 0; i < 5; i++)
        from[i] = local + 10 * i, to[i] = s->there + 10 * i + i % 2;
    ARMCI_PutV(&v, 1, s->target);
    ARMCI_AccV(ARMCI_ACC_DBL, &scale, &v, 1, s->target);
}

static void try_rmw(const struct target *s)
{
    int old;
    long replaced = 12345;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, s->there, 5, s->target);
    ARMCI_Rmw(ARMCI_SWAP_LONG, &replaced, s->there, 0, s->target);
}

static void try_handles(const struct target *s)
{
    armci_hdl_t handle = new_aggregate();
    for (int i = 0; i < 4; i++)
        ARMCI_NbPut(local + i, s->there + 3 * i, sizeof(double), s->target, &handle);
    ARMCI_Wait(&handle);
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(s->there, local + ROW, 1000, s->target, &handle);
    ARMCI_Wait(&handle);
}

/* Operations of every kind, until one is found wrong. */
static void try_everything(const struct target *s)
{
    int strides[2], count[3];
    double scale = 2.5;
    block(strides, count);
    ARMCI_Put(local, s->there, 1000, s->target);
    ARMCI_Get(s->there + ROW, local + 5 * ROW, 1000, s->target);
    ARMCI_PutS(local, strides, s->there, strides, count, 2, s->target);
    ARMCI_GetS(s->there + 4 * ROW, strides, local, strides, count, 2, s->target);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, s->there, 80, s->target);
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, strides, s->there, strides, count, 2, s->target);
    try_vectors(s);
    try_handles(s);
    try_rmw(s);
    ARMCI_Fence(s->target);
}

/* Rank 0 tries everything with its neighbour while `begin` makes something fail, then all make a region. */
static void try_while(void (*begin)(const char *), const char *name)
{
    void **base = region_create(sizeof local);
    for (int i = 0; i < ROW * ROW; i++)
        local[i] = i % 1000 + test_rank() * 1000 + 1, ((double *)base[test_rank()])[i] = i % 89 + 7;
    ARMCI_Barrier();
    begin(name);
    if (test_rank() == 0) try_everything(&(struct target){base[next_rank()], next_rank()});
    region_free(region_create(64));
    region_free(base);
}

/* What the library must report of each defect. */
static const struct {
    const char *name, *report;
} defects[] = {
    {"put-lost", "ARMCI_Put: put of 1000 bytes in 1 pieces, process 1, by the path contiguous"},
    {"put-strided", "ARMCI_PutS: put of 840 bytes in 21 pieces, process 1, by the path datatype"},
    {"get-strided", "ARMCI_GetS: get of 840 bytes in 21 pieces, process 1, by the path datatype"},
    {"acc-strided", "ARMCI_AccS: accumulate of 840 bytes in 21 pieces, process 1, by the path datatype"},
    {"acc-twice", "ARMCI_Acc: accumulate of 80 bytes in 1 pieces, process 1, by the path contiguous"},
    {"fetch-old", "ARMCI_Rmw: process 1, by the path atomic"},
    {"fetch-lost", "ARMCI_Rmw: process 1, by the path atomic"},
};
enum { DEFECTS = sizeof defects / sizeof *defects };

static void defective_library(void)
{
    const char *given = getenv("TEST_DEFECT");
    int i = 0;
    if (!given) {
        skip("TEST_DEFECT is not set");
        return;
    }
    while (i < DEFECTS && strcmp(defects[i].name, given) != 0)
        i++;
    if (!check(i < DEFECTS, "TEST_DEFECT=%s: no such defect", given)) return;
    expect_abort(defects[i].report);
    try_while(faulty_mpi_begin, given);
    faulty_mpi_end();
}

static void inject(const char *fault)
{
    setenv("ARMCI_FAULT", fault, 1);
}

static void injected_fault(void)
{
    const char *fault = getenv("TEST_FAULT");
    if (!fault) {
        skip("TEST_FAULT is not set");
        return;
    }
    try_while(inject, fault);
    unsetenv("ARMCI_FAULT");
}

static const struct test tests[] = {
    {"puts that their reader changes at once raise no alarm", cells_reset_at_once},
    {"puts of all to the same bytes raise no alarm", racing_puts},
    {"local buffers that others write raise no alarm", local_in_global},
    {"a defective MPI library ends the job", defective_library},
    {"an injected fault ends the job", injected_fault},
};
SUITE();
