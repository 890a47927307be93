/* test_mixed.c - jobs that span nodes: put and get of a neighbour on the own node are loads and
 * stores, everything else goes by messages.  Updates from near and far must add up exactly. */
#include "../mpi/op.h"

enum { DRAWS = 160 };

/* Counters on all processes; the winner of ticket t of counter c writes slot t of process (c + 1) %
 * ranks. */
static void tickets_and_slots(void)
{
    int n = test_ranks(), total = effort(DRAWS) * n;
    struct rng r = rng_stream(82000 + (uint64_t)test_rank());
    void **base = region_zeroed(((size_t)total + 1) * sizeof(long));
    long sum = 0, draws = 0;
    for (int i = 0; i < effort(DRAWS); i++) {
        int counter = rng_between(&r, 0, n - 1), home = (counter + 1) % n;
        long ticket = -1, *slots = (long *)base[home] + 1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, base[counter], 1, counter);
        if (!check(ticket >= 0 && ticket < total, "ticket %ld of counter %d", ticket, counter))
            continue;
        check_long(ARMCI_GetValueLong(slots + ticket, home), 0,
                   "slot %ld on %d before it is written", ticket, home);
        ARMCI_PutValueLong(1000 + ticket, slots + ticket, home);
    }
    ARMCI_Barrier();
    for (int p = 0; p < n; p++)
        sum += ARMCI_GetValueLong(base[p], p);
    check_long(sum, total, "sum of all counters");
    draws = ARMCI_GetValueLong(base[(test_rank() + n - 1) % n], (test_rank() + n - 1) % n);
    ARMCI_Access_begin(base[test_rank()]);
    for (long t = 0; t < total; t++)
        check_long(((long *)base[test_rank()])[1 + t], t < draws ? 1000 + t : 0,
                   "slot %ld of %ld draws", t, draws);
    ARMCI_Access_end(base[test_rank()]);
    region_free(base);
}

/* Read, add to and write back a long, by calls drawn at random. */
static void add_by_hand(struct rng *r, long *at, long step, int target)
{
    enum op_how how = (enum op_how)rng_between(r, OP_BLOCKING, OP_IMPLICIT);
    struct op get = {.kind = OP_GET, .how = how}, put = {.kind = OP_PUT, .how = how};
    long value = -1;
    armci_hdl_t handle = new_handle();
    op_contiguous(&get, &value, at, sizeof value, target, &handle);
    op_wait(&get, &handle);
    value += step;
    op_contiguous(&put, &value, at, sizeof value, target, &handle);
    op_wait(&put, &handle);
}

/* Mutex m of process h protects two longs of process (h + m) % ranks: one changed by get and put,
 * one by accumulate. */
static void locked_sums(void)
{
    int n = test_ranks(), rounds = effort(160);
    struct rng r = rng_stream(83000 + (uint64_t)test_rank());
    void **base = region_zeroed(2 * (size_t)(n * n) * sizeof(long));
    long *steps = calloc((size_t)(n * n), sizeof *steps), one = 1;
    ARMCI_Create_mutexes(n);
    for (int i = 0; i < rounds; i++) {
        int m = rng_between(&r, 0, n - 1), h = rng_between(&r, 0, n - 1), target = (h + m) % n;
        long *at = (long *)base[target] + 2 * (h * n + m), step = rng_between(&r, 1, 9);
        ARMCI_Lock(m, h);
        add_by_hand(&r, at, step, target);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &step, at + 1, sizeof step, target);
        check_long(ARMCI_GetValueLong(at + 1, target), ARMCI_GetValueLong(at, target),
                   "what mutex %d of %d protects on %d: accumulated, and put", m, h, target);
        ARMCI_Unlock(m, h);
        steps[h * n + m] += step;
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    MPI_Allreduce(MPI_IN_PLACE, steps, n * n, MPI_LONG, MPI_SUM, test_comm());
    for (int h = 0; h < n; h++)
        for (int m = 0; m < n; m++)
            check_long(ARMCI_GetValueLong((long *)base[(h + m) % n] + 2 * (h * n + m), (h + m) % n),
                       steps[h * n + m], "what was added under mutex %d of %d", m, h);
    region_done(base);
    free(steps);
}

struct group_work {
    ARMCI_Group group;
    int members, list[64];
    void *base[64], **world_base;
    armcix_mutex_hdl_t mutex;
};

/* Every member adds to every member's long 0 by accumulate, 1 by rmw, 2 by hand under a mutex.  The
 * holder also adds to processes of the world: one that waits for the mutex must go on serving. */
static void add_in_group(struct group_work *w, struct rng *r)
{
    long one = 1, step = 3, old;
    for (int i = 0; i < effort(80); i++) {
        for (int k = 0; k < w->members; k++) {
            int to = (k + w->group.rank) % w->members, p = w->list[to];
            long *there = w->base[to];
            ARMCI_Acc(ARMCI_ACC_LNG, &one, &step, there, sizeof step, p);
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there + 1, 1, p);
        }
        int to = i % w->members, p = (test_rank() + i) % test_ranks();
        ARMCIX_Lock_hdl(w->mutex, 0, (to + 1) % w->members);
        add_by_hand(r, (long *)w->base[to] + 2, 5, w->list[to]);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &step, w->world_base[p], sizeof step, p);
        ARMCI_Fence(p);
        ARMCIX_Unlock_hdl(w->mutex, 0, (to + 1) % w->members);
    }
}

/* How often add_in_group adds by hand to the member `to`, in all. */
static long hand_turns(const struct group_work *w, int to)
{
    long turns = 0;
    for (int i = 0; i < effort(80); i++)
        turns += i % w->members == to;
    return turns * w->members;
}

static void check_group(struct group_work *w, const char *what)
{
    long *mine = w->base[w->group.rank], all = (long)effort(80) * w->members;
    ARMCI_AllFence();
    armci_msg_group_barrier(&w->group);
    ARMCI_Access_begin(mine);
    check_long(mine[0], 3 * all, "sum in a group %s", what);
    check_long(mine[1], all, "counter in a group %s", what);
    check_long(mine[2], 5 * hand_turns(w, w->group.rank), "sum under a mutex of a group %s", what);
    ARMCI_Access_end(mine);
    armci_msg_group_barrier(&w->group);
}

/* A group of the processes for which color is the same, ascending. */
static void try_groups(int color_of(int rank), const char *what)
{
    struct group_work w = {.world_base = region_zeroed(sizeof(long))};
    struct rng r = rng_stream(86000 + (uint64_t)test_rank());
    int n = test_ranks();
    long sum = 0;
    for (int p = 0; p < n; p++)
        if (color_of(p) == color_of(test_rank())) w.list[w.members++] = p;
    ARMCI_Group_create(w.members, w.list, &w.group);
    ARMCI_Malloc_group(w.base, 3 * sizeof(long), &w.group);
    w.mutex = ARMCIX_Create_mutexes_hdl(1, &w.group);
    memset(w.base[w.group.rank], 0, 3 * sizeof(long));
    armci_msg_group_barrier(&w.group);
    add_in_group(&w, &r);
    check_group(&w, what);
    ARMCIX_Destroy_mutexes_hdl(w.mutex);
    ARMCI_Free_group(w.base[w.group.rank], &w.group);
    ARMCI_Group_free(&w.group);
    ARMCI_Barrier();
    for (int p = 0; p < n; p++)
        sum += ARMCI_GetValueLong(w.world_base[p], p);
    check_long(sum, 3L * effort(80) * n, "sum over the world beside groups %s", what);
    ARMCI_Barrier();
    region_free(w.world_base);
}

static int half_of(int rank)
{
    return rank >= (test_ranks() + 1) / 2;
}

static int parity_of(int rank)
{
    return rank % 2;
}

static void groups(void)
{
    try_groups(half_of, "of neighbours in rank");
    try_groups(parity_of, "of every second rank");
}

/* What a process accumulated on itself goes on to others from there, and comes back to there. */
static void through_own_slice(void)
{
    enum { LONGS = 50 };
    int me = test_rank(), n = test_ranks();
    void **base = region_zeroed(LONGS * (size_t)(n + 1) * sizeof(long));
    long *own = (long *)base[me] + LONGS * n, step[LONGS], zeros[LONGS] = {0}, one = 1, factor = 0;
    for (int i = 0; i < LONGS; i++)
        step[i] = i + 1;
    for (int k = 0; k < effort(80); k++) {
        int target = (me + k) % n;
        long *there = (long *)base[target] + LONGS * me;
        if (k % 8 == 0) ARMCI_Put(zeros, own, sizeof zeros, me);
        factor = k % 8 == 0 ? 2 : 2 * (factor + 1);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, step, own, sizeof step, me);
        ARMCI_Put(own, there, sizeof step, target);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, own, there, sizeof step, target);
        ARMCI_Get(there, own, sizeof step, target);
        for (int i = 0; i < LONGS; i++)
            check_long(own[i], factor * step[i], "long %d in round %d, through %d", i, k, target);
    }
    region_done(base);
}

static const struct test tests[] = {
    {"tickets by rmw are distinct, and slots put by them", tickets_and_slots},
    {"mutexes protect data on all nodes", locked_sums},
    {"groups on one node and across, beside the world", groups},
    {"the own slice can be the local side", through_own_slice},
};
SUITE();
