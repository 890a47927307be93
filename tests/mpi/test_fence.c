/* test_fence.c - remote completion: what was issued before a fence or barrier is seen by anybody
 * told of it. */
#include "harness.h"

#include <unistd.h>

enum { ROUNDS = 40, CELLS = 64, TAG = 321 };

/* A value that no other round, writer and cell has. */
static long stamp(int round, int writer, int cell)
{
    return 1000000L * (round + 1) + 10000L * writer + cell;
}

static void fill(long *cells, int round, int writer)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = stamp(round, writer, i);
}

/* cells hold what `writer` put in `round`. */
static void check_cells(const long *cells, int round, int writer, const char *how)
{
    long expected[CELLS];
    fill(expected, round, writer);
    check_bytes(cells, expected, sizeof expected, "%s, round %d, written by %d", how, round,
                writer);
}

/* How the writer moves CELLS longs to memory that holds the cells `before`. */
enum { PUT, STRIDED_PUTS, ACCUMULATE, NONBLOCKING_PUTS, ADD_EACH, WRITES };

static void write_cells(int how, long *cells, const long *before, long *dst, int p)
{
    int half = CELLS / 2 * (int)sizeof(long), stride = 2 * (int)sizeof(long);
    int count[2] = {(int)sizeof(long), CELLS / 2};
    long one = 1, step[CELLS], old;
    armci_hdl_t hdl = new_handle();
    for (int i = 0; i < CELLS; i++)
        step[i] = cells[i] - before[i];
    switch (how) {
    case PUT: ARMCI_Put(cells, dst, 2 * half, p); break;
    case STRIDED_PUTS:
        ARMCI_PutS(cells, &stride, dst, &stride, count, 1, p);
        ARMCI_PutS(cells + 1, &stride, dst + 1, &stride, count, 1, p);
        break;
    case ACCUMULATE: ARMCI_Acc(ARMCI_ACC_LNG, &one, step, dst, 2 * half, p); break;
    case NONBLOCKING_PUTS:
        ARMCI_NbPut(cells, dst, half, p, &hdl);
        ARMCI_NbPut(cells + CELLS / 2, dst + CELLS / 2, half, p, &hdl);
        ARMCI_Wait(&hdl);
        break;
    default:
        for (int i = 0; i < CELLS; i++)
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, dst + i, (int)step[i], p);
    }
}

/* Everybody writes on the process `to` further on, fences, and tells the one `tell` further on, who
 * looks there: by loads into its own memory, else by a get. */
static void write_and_tell(void **base, int to, int tell, int round)
{
    int me = test_rank(), n = test_ranks(), target = (me + to) % n, writer = (me + n - tell) % n,
        place = (writer + to) % n;
    long cells[CELLS], before[CELLS] = {0};
    int token = round, told = -1;
    fill(cells, round, me);
    if (round > 0) fill(before, round - 1, me);
    write_cells(round % WRITES, cells, before, (long *)base[target] + me * CELLS, target);
    ARMCI_Fence(target);
    if (me + tell < n) armci_msg_snd(TAG, &token, sizeof token, me + tell);
    armci_msg_rcv(TAG, &told, sizeof told, NULL, writer);
    if (me + tell >= n) armci_msg_snd(TAG, &token, sizeof token, me + tell - n);
    check_long(told, round, "the message of %d", writer);
    ARMCI_Access_begin(base[me]);
    if (place == me) memcpy(cells, (long *)base[me] + writer * CELLS, sizeof cells);
    ARMCI_Access_end(base[me]);
    if (place != me) ARMCI_Get((long *)base[place] + writer * CELLS, cells, sizeof cells, place);
    check_cells(cells, round, writer,
                place == me ? "load after a fence and a message"
                            : "get after the fence of another and a message");
}

static void message_after_fence(void)
{
    int n = test_ranks();
    needs_ranks(2);
    for (int to = 0; to < n; to = next_distance(to))
        for (int tell = 1; tell < n; tell = next_distance(tell)) {
            void **base = region_zeroed((size_t)n * CELLS * sizeof(long));
            for (int round = 0; round < effort(ROUNDS); round++) {
                write_and_tell(base, to, tell, round);
                armci_msg_barrier();
            }
            region_done(base);
        }
}

/* Completion towards everybody: by a barrier, or by fences, then a message. */
enum { BARRIER, GROUP_BARRIER, ALL_FENCE, GROUP_FENCE, FENCES };
static const char *const completions[] = {"ARMCI_Barrier", "ARMCI_GroupBarrier", "ARMCI_AllFence",
                                          "ARMCI_GroupFence", "a fence for each"};

static void complete(int by)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    if (by == BARRIER) ARMCI_Barrier();
    if (by == GROUP_BARRIER) ARMCI_GroupBarrier(&world);
    if (by == BARRIER || by == GROUP_BARRIER) return;
    if (by == ALL_FENCE) ARMCI_AllFence();
    if (by == GROUP_FENCE) ARMCI_GroupFence(&world);
    for (int p = 0; by == FENCES && p < test_ranks(); p++)
        ARMCI_Fence(p);
    armci_msg_barrier();
}

/* Everybody writes its row on everybody; after that call all rows are there. */
static void exchange_rows(const void *row)
{
    int me = test_rank(), n = test_ranks(), by = *(const int *)row;
    void **base = region_create((size_t)n * CELLS * sizeof(long));
    long *mine = base[me], cells[CELLS], zero[CELLS] = {0};
    for (int round = 0; round < effort(ROUNDS / 2); round++) {
        slice_fill(mine, 0, (size_t)n * sizeof cells);
        armci_msg_barrier();
        fill(cells, round, me);
        for (int p = 0; p < n; p++)
            write_cells(round % WRITES, cells, zero, (long *)base[p] + me * CELLS, p);
        complete(by);
        ARMCI_Access_begin(mine);
        for (int p = 0; p < n; p++)
            check_cells(mine + p * CELLS, round, p, completions[by]);
        ARMCI_Access_end(mine);
        armci_msg_barrier();
    }
    region_free(base);
}

/* All but the last rank share another region; fences for the last rank work all the same. */
static void fence_outside_a_group_region(void)
{
    int me = test_rank(), n = test_ranks(), last = n - 1, list[MOST_RANKS];
    void **base = region_create(CELLS * sizeof(long) * (size_t)n), *group_base[MOST_RANKS];
    long cells[CELLS];
    ARMCI_Group group;
    needs_ranks(2);
    list_ranks(0, 1, list);
    if (n > 1) ARMCI_Group_create(last, list, &group);
    if (me < last) {
        ARMCI_Malloc_group(group_base, CELLS * sizeof(long), &group);
        fill(cells, 0, me);
        ARMCI_Put(cells, group_base[0], sizeof cells, 0);
        ARMCI_Put(cells, (long *)base[last] + me * CELLS, sizeof cells, last);
        ARMCI_Fence(last);
        ARMCI_AllFence();
    }
    armci_msg_barrier();
    ARMCI_Access_begin(base[me]);
    for (int p = 0; p < last && me == last; p++)
        check_cells((long *)base[me] + p * CELLS, 0, p, "load after the fence");
    ARMCI_Access_end(base[me]);
    for (int p = 0; p < n; p++)
        ARMCI_Fence(p);
    ARMCI_Barrier();
    if (me < last) {
        ARMCI_Free_group(group_base[me], &group);
        ARMCI_Group_free(&group);
    }
    region_free(base);
}

/* After ARMCI_GroupFence and a message, or after ARMCI_GroupBarrier. */
static void completion_in_a_group(const void *row)
{
    int me = test_rank(), n = test_ranks(), members = (n + 1) / 2, list[MOST_RANKS];
    void **base = region_create((size_t)n * CELLS * sizeof(long));
    long cells[CELLS];
    ARMCI_Group group;
    list_ranks(0, 2, list);
    ARMCI_Group_create(members, list, &group);
    if (me % 2 == 0) {
        fill(cells, 3, me);
        for (int i = 0; i < members; i++)
            ARMCI_Put(cells, (long *)base[list[i]] + me * CELLS, sizeof cells, list[i]);
        if (*(const int *)row == GROUP_BARRIER) {
            ARMCI_GroupBarrier(&group);
        } else {
            ARMCI_GroupFence(&group);
            armci_msg_group_barrier(&group);
        }
        ARMCI_Access_begin(base[me]);
        for (int i = 0; i < members; i++)
            check_cells((long *)base[me] + list[i] * CELLS, 3, list[i],
                        completions[*(const int *)row]);
        ARMCI_Access_end(base[me]);
        armci_msg_group_barrier(&group);
        ARMCI_Group_free(&group);
    }
    region_done(base);
}

/* Fences with nothing to complete, before, between and after operations, with and without regions.
 */
static void nothing_pending(void)
{
    int me = test_rank(), n = test_ranks(), value = 1, seen = 0;
    for (int p = 0; p < n; p++)
        ARMCI_Fence(p);
    ARMCI_AllFence();
    void **base = region_create((size_t)n * sizeof(int));
    for (int i = 0; i < 2000; i++)
        ARMCI_Fence(i % n);
    for (int p = 0; p < n; p++) {
        ARMCI_Put(&value, (int *)base[p] + me, sizeof value, p);
        ARMCI_Fence(p);
        ARMCI_Fence(p);
        ARMCI_Get((int *)base[p] + me, &seen, sizeof seen, p);
        check_long(seen, 1, "get after two fences");
        seen = 0;
    }
    ARMCI_AllFence();
    ARMCI_AllFence();
    ARMCI_Barrier();
    region_done(base);
    ARMCI_Fence(me);
    ARMCI_Barrier();
}

/* Processes 0 and 2 fence gets from 1 and 3, which have put much and do not take in the
 * acknowledgements: with some MPI libraries the queue to them is full, and holds the gets back. */
static void a_full_queue(void)
{
    enum { PUTS = 200, MS = 50 };
    int me = test_rank(), n = test_ranks(), partner = me ^ 1, value = me + 1, seen = 0;
    void **base = region_create((PUTS + 1) * sizeof(int));
    ARMCI_Put(&value, base[me], sizeof value, me);
    ARMCI_Barrier();
    if (partner < n && me % 2 == 1) {
        for (int i = 1; i <= PUTS; i++)
            ARMCI_NbPut(&value, (int *)base[partner] + i, sizeof value, partner, NULL);
        usleep(MS * 1000);
    } else if (partner < n) {
        armci_hdl_t hdl = new_handle();
        usleep(MS * 500);
        for (int i = 0; i < PUTS; i++)
            ARMCIX_Progress();
        ARMCI_NbPut(&value, base[me], sizeof value, me, NULL);
        ARMCI_NbGet(base[partner], &seen, sizeof seen, partner, &hdl);
        ARMCI_AllFence();
        ARMCI_Wait(&hdl);
        check_long(seen, partner + 1, "a get before ARMCI_AllFence, after ARMCI_Wait");
    }
    ARMCI_Barrier();
    region_done(base);
}

static const struct test tests[] = {
    {"a message after a fence: whoever is told sees the data, the target or another",
     message_after_fence},
    {"fences for each process complete everything", ONE_ROW(exchange_rows, int, FENCES)},
    {"ARMCI_AllFence completes everything", ONE_ROW(exchange_rows, int, ALL_FENCE)},
    {"ARMCI_GroupFence of the world completes everything",
     ONE_ROW(exchange_rows, int, GROUP_FENCE)},
    {"ARMCI_GroupFence of some completes towards them",
     ONE_ROW(completion_in_a_group, int, GROUP_FENCE)},
    {"ARMCI_GroupBarrier of some completes what they issued",
     ONE_ROW(completion_in_a_group, int, GROUP_BARRIER)},
    {"ARMCI_GroupBarrier of the world completes everything",
     ONE_ROW(exchange_rows, int, GROUP_BARRIER)},
    {"ARMCI_Barrier completes everything", ONE_ROW(exchange_rows, int, BARRIER)},
    {"fence for a process that a group region excludes", fence_outside_a_group_region},
    {"fences with nothing pending", nothing_pending},
    {"a fence waits for what a full queue holds back", a_full_queue},
};
SUITE();
