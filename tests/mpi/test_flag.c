/* test_flag.c - ARMCI_Put_flag, ARMCI_PutS_flag and ARMCI_PutS_flag_dir: a process that sees the
 * flag sees the data. */
#include "harness.h"

enum { FEW = 40, MANY = 4000, ROW = 24, STRIDE = 50, TIMEOUT = 10 /* seconds */ };

/* A slice: the flag, then the data. */
struct slice {
    int flag, unused;
    unsigned char data[MANY * STRIDE];
};

/* One of the three calls, of rows of ROW bytes or of all bytes. */
typedef int (*flagged_put)(unsigned char *src, struct slice *dst, int value, int proc);

static int rows, source_stride = STRIDE, target_stride = STRIDE;

static int put_contiguous(unsigned char *src, struct slice *dst, int value, int proc)
{
    return ARMCI_Put_flag(src, dst->data, rows * STRIDE, &dst->flag, value, proc);
}

static int put_strided(unsigned char *src, struct slice *dst, int value, int proc)
{
    int count[2] = {ROW, rows};
    return ARMCI_PutS_flag(src, &source_stride, dst->data, &target_stride, count, 1, &dst->flag,
                           value, proc);
}

static int put_strided_dir(unsigned char *src, struct slice *dst, int value, int proc)
{
    int count[2] = {ROW, rows};
    return ARMCI_PutS_flag_dir(src, &source_stride, dst->data, &target_stride, count, 1, &dst->flag,
                               value, proc);
}

static bool flag_comes(struct slice *mine, int value)
{
    double begun = MPI_Wtime();
    int seen = ~value;
    while (MPI_Wtime() - begun < TIMEOUT) {
        check_long(ARMCI_Get(&mine->flag, &seen, sizeof seen, test_rank()), 0,
                   "ARMCI_Get of the flag: code");
        if (seen == value) return true;
        ARMCIX_Progress();
    }
    return check(false, "flag %d did not come in %d s; it is %d", value, TIMEOUT, seen);
}

struct call {
    flagged_put put;
    int rows;
    bool strided;
    const char *name;
};

/* Each round, every rank puts to its neighbour, waits for its own flag and looks at the data at
 * once. */
static void run(const void *row)
{
    const struct call *call = row;
    struct rng r = rng_stream(1), from_left = rng_stream(1);
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_zeroed(sizeof(struct slice));
    struct slice *mine = base[me];
    static unsigned char source[MANY * STRIDE], expected[MANY * STRIDE], seen[MANY * STRIDE];
    bool comes = true;
    rows = call->rows;
    const int bytes = rows * STRIDE;
    r.state += (uint64_t)me;
    from_left.state += (uint64_t)left;
    for (int round = 1; round <= effort(100); round++) {
        rng_bytes(&r, source, (size_t)bytes);
        rng_bytes(&from_left, expected, (size_t)bytes);
        for (int i = 0; call->strided && i < rows; i++)
            memset(expected + i * STRIDE + ROW, 0, STRIDE - ROW);
        check_long(call->put(source, base[to], round, to), 0, "%s to %d: code", call->name, to);
        comes = comes && flag_comes(mine, round);
        ARMCI_Get(mine->data, seen, bytes, me);
        check_bytes(seen, expected, (size_t)bytes, "data behind the flag of %s from %d", call->name,
                    left);
        MPI_Barrier(test_comm());
    }
    region_done(base);
}

/* The flag follows what its caller started before, too: a long put and one in the queue of an
 * aggregate handle, whose handles are not waited for. */
static void run_behind_others(const void *row)
{
    const struct call *call = row;
    enum { LONG = MANY * STRIDE };
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n, left = (me + n - 1) % n;
    struct others {
        struct slice slice;
        unsigned char before[LONG];
        double queued;
    };
    void **base = region_zeroed(sizeof(struct others));
    struct others *mine = base[me], *theirs = base[to];
    static unsigned char source[LONG], before[LONG], expected[LONG], seen[LONG];
    struct rng r = rng_stream(2);
    bool comes = true;
    rows = call->rows;
    for (int round = 1; round <= effort(50); round++) {
        double value = round * n + me;
        armci_hdl_t handle, aggregate;
        rng_bytes(&r, expected, sizeof expected); /* the same for all, before `left` is added */
        for (int i = 0; i < LONG; i++)
            before[i] = (unsigned char)(expected[i] + me);
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_INIT_HANDLE(&aggregate);
        ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
        ARMCI_NbPut(before, theirs->before, LONG, to, &handle);
        ARMCI_NbPut(&value, &theirs->queued, sizeof value, to, &aggregate);
        check_long(call->put(source, &theirs->slice, round, to), 0, "%s to %d: code", call->name,
                   to);
        comes = comes && flag_comes(&mine->slice, round);
        check_double(ARMCI_GetValueDouble(&mine->queued, me), round * n + left,
                     "queued before the flag");
        ARMCI_Get(mine->before, seen, LONG, me);
        for (int i = 0; i < LONG; i++)
            expected[i] = (unsigned char)(expected[i] + left);
        check_bytes(seen, expected, LONG, "put before the flag of %s from %d", call->name, left);
        ARMCI_Wait(&handle);
        ARMCI_Wait(&aggregate);
        MPI_Barrier(test_comm());
    }
    region_done(base);
}

/* Who has put a flag puts into the same place again: in this order. */
static void test_flag_then_put(void)
{
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n;
    void **base = region_zeroed(sizeof(struct slice));
    struct slice *mine = base[me], *theirs = base[to];
    static unsigned char source[MANY * STRIDE];
    for (int round = 1; round <= effort(100); round++) {
        ARMCI_Put_flag(source, theirs->data, sizeof source, &theirs->flag, round, to);
        if (round % 2 == 0)
            ARMCI_PutValueInt(-round, &theirs->flag, to);
        else
            check_long(ARMCI_GetValueInt(&theirs->flag, to), round, "the caller's own flag");
        ARMCI_Fence(to);
        MPI_Barrier(test_comm());
        check_long(ARMCI_GetValueInt(&mine->flag, me), round % 2 == 0 ? -round : round,
                   "a put into the flag");
        MPI_Barrier(test_comm());
    }
    region_done(base);
}

/* Nobody waits for the flag: what a fence completes is there behind a barrier of MPI. */
static void test_fence(void)
{
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_zeroed(sizeof(struct slice));
    struct slice *mine = base[me], *theirs = base[to];
    for (int round = 1; round <= effort(200); round++) {
        int value = round * n + me;
        ARMCI_Put_flag(&value, theirs->data, sizeof value, &theirs->flag, round, to);
        if (round % 3 == 0) ARMCI_PutValueInt(value, &theirs->unused, to);
        if (round % 2 == 0)
            ARMCI_Fence(to);
        else
            ARMCI_AllFence();
        MPI_Barrier(test_comm());
        check_long(ARMCI_GetValueInt(mine->data, me), round * n + left, "data");
        check_long(ARMCI_GetValueInt(&mine->flag, me), round, "flag");
        if (round % 3 == 0)
            check_long(ARMCI_GetValueInt(&mine->unused, me), round * n + left, "a put behind it");
        MPI_Barrier(test_comm());
    }
    region_done(base);
}

static void test_flag_elsewhere(void)
{
    void **data = region_create(sizeof(double)), **flag = region_create(sizeof(int));
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n, zero = 0, seen = 0;
    double value = me + 0.5;
    ARMCI_Put(&zero, flag[me], sizeof zero, me);
    ARMCI_Barrier();
    check_long(ARMCI_Put_flag(&value, data[to], sizeof value, flag[to], -5, to), 0,
               "ARMCI_Put_flag: code");
    for (double begun = MPI_Wtime(); seen != -5 && MPI_Wtime() - begun < TIMEOUT; ARMCIX_Progress())
        ARMCI_Get(flag[me], &seen, sizeof seen, me);
    check_long(seen, -5, "flag in another region");
    check_double(ARMCI_GetValueDouble(data[me], me), (me + n - 1) % n + 0.5,
                 "data behind a flag in another region");
    region_done(data);
    region_free(flag);
}

static void test_unaligned(void)
{
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_zeroed(sizeof(struct slice));
    struct slice *mine = base[me], *theirs = base[to];
    static unsigned char source[MANY * STRIDE];
    for (int bytes = 1; bytes <= MANY * STRIDE; bytes *= 2) {
        memset(source, me + bytes, (size_t)bytes);
        check_long(ARMCI_Put_flag(source, theirs->data, bytes, (void *)((char *)&theirs->flag + 1),
                                  bytes, to),
                   0, "ARMCI_Put_flag of %d bytes: code", bytes);
        ARMCI_Barrier();
        check_long(ARMCI_GetValueInt((char *)&mine->flag + 1, me), bytes, "unaligned flag");
        check_long(mine->data[bytes - 1], (unsigned char)(left + bytes), "last of %d bytes", bytes);
        ARMCI_Barrier();
    }
    region_done(base);
}

/* Without another call of the process that has queued it: it had been told that more follows. */
static void test_refused(void)
{
    const char *errors = getenv("ARMCI_ERRORS");
    if (!errors || strcmp(errors, "return") != 0) {
        skip("needs ARMCI_ERRORS=return");
        return;
    }
    void *base[MOST_RANKS];
    ARMCI_Malloc(base, sizeof(struct slice));
    struct slice *mine = base[test_rank()], *next = base[(test_rank() + 1) % test_ranks()];
    const int target = (test_rank() + 1) % test_ranks();
    memset(mine, 0, sizeof *mine);
    ARMCI_Barrier();
    for (int value = 1; value <= FEW; value++) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        ARMCI_NbPut(&value, &next->flag, sizeof value, target, &handle);
        check(ARMCI_Put_flag(&value, &value, sizeof value, &next->unused, value, target) != 0,
              "a put to memory of nobody");
        ARMCI_Wait(&handle);
        if (!check(flag_comes(mine, value), "value %d has not come", value)) break;
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    ARMCI_Barrier();
    ARMCI_Free(mine);
}

static const struct test tests[] = {
    {"ARMCI_Put_flag: data before flag",
     ONE_ROW(run, struct call, put_contiguous, FEW, false, "ARMCI_Put_flag")},
    {"ARMCI_Put_flag: long data before flag",
     ONE_ROW(run, struct call, put_contiguous, MANY, false, "ARMCI_Put_flag")},
    {"ARMCI_PutS_flag: data before flag, returns 0",
     ONE_ROW(run, struct call, put_strided, FEW, true, "ARMCI_PutS_flag")},
    {"ARMCI_PutS_flag: long data before flag",
     ONE_ROW(run, struct call, put_strided, MANY, true, "ARMCI_PutS_flag")},
    {"ARMCI_PutS_flag_dir: data before flag, value by value",
     ONE_ROW(run, struct call, put_strided_dir, FEW, true, "ARMCI_PutS_flag_dir")},
    {"ARMCI_Put_flag: earlier puts before flag",
     ONE_ROW(run_behind_others, struct call, put_contiguous, FEW, false, "ARMCI_Put_flag")},
    {"ARMCI_Put_flag: earlier puts before the flag of long data",
     ONE_ROW(run_behind_others, struct call, put_contiguous, MANY, false, "ARMCI_Put_flag")},
    {"a put after a flag in the same place", test_flag_then_put},
    {"a fence completes data and flag", test_fence},
    {"a flag in another region", test_flag_elsewhere},
    {"a flag that is not aligned, behind data of any length", test_unaligned},
    {"what is queued arrives although the flagged put is refused", test_refused},
};
SUITE();
