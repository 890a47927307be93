/* test_fence.c - remote completion: what was issued before a fence or barrier is seen by anybody told of it. */
#include "harness.h"

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
    check_bytes(cells, expected, sizeof expected, "%s, round %d, written by %d", how, round, writer);
}

/* How the writer moves CELLS longs: in one piece, every other, by accumulate, non-blocking. */
static void write_cells(int how, long *cells, void *dst, int p)
{
    int half = CELLS / 2 * (int)sizeof(long), stride = 2 * (int)sizeof(long);
    int count[2] = {(int)sizeof(long), CELLS / 2};
    long one = 1;
    armci_hdl_t hdl;
    switch (how) {
    case 0: ARMCI_Put(cells, dst, CELLS * (int)sizeof(long), p); break;
    case 1:
        ARMCI_PutS(cells, &stride, dst, &stride, count, 1, p);
        ARMCI_PutS(cells + 1, &stride, (long *)dst + 1, &stride, count, 1, p);
        break;
    case 2: ARMCI_Acc(ARMCI_ACC_LNG, &one, cells, dst, CELLS * (int)sizeof(long), p); break;
    default:
        ARMCI_INIT_HANDLE(&hdl);
        ARMCI_NbPut(cells, dst, half, p, &hdl);
        ARMCI_NbPut(cells + CELLS / 2, (long *)dst + CELLS / 2, half, p, &hdl);
        ARMCI_Wait(&hdl);
    }
}

static void message_after_fence(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n;
    void **base = region_create(CELLS * sizeof(long));
    long *mine = base[me], cells[CELLS];
    int token = 0;
    needs_ranks(2);
    for (int round = 0; round < effort(ROUNDS) && n > 1; round++) {
        slice_fill(mine, 0, sizeof cells);
        armci_msg_barrier();
        fill(cells, round, me);
        write_cells(round % 4, cells, base[right], right);
        ARMCI_Fence(right);
        if (me == 0) armci_msg_snd(TAG, &token, sizeof token, right);
        armci_msg_rcv(TAG, &token, sizeof token, NULL, left);
        if (me != 0) armci_msg_snd(TAG, &token, sizeof token, right);
        ARMCI_Access_begin(mine);
        check_cells(mine, round, left, "load after the message");
        ARMCI_Access_end(mine);
        armci_msg_barrier();
    }
    region_free(base);
}

static void third_party_sees(void)
{
    int me = test_rank(), target = test_ranks() - 1;
    void **base = region_create(CELLS * sizeof(long));
    long cells[CELLS];
    for (int round = 0; round < effort(ROUNDS); round++) {
        int word = -1;
        if (me == 0) {
            memset(cells, 0, sizeof cells);
            ARMCI_Put(cells, base[target], sizeof cells, target);
            fill(cells, round, 0);
            write_cells(round % 4, cells, base[target], target);
            ARMCI_Fence(target);
            word = round;
        }
        armci_msg_brdcst(&word, sizeof word, 0);
        check_long(word, round, "broadcast");
        memset(cells, 0xff, sizeof cells);
        ARMCI_Get(base[target], cells, sizeof cells, target);
        check_cells(cells, round, 0, "get after the fence of another");
        armci_msg_barrier();
    }
    region_free(base);
}

/* Completion towards everybody: by a barrier, or by fences, then a message. */
enum { BARRIER, ALL_FENCE, GROUP_FENCE, FENCES };
static const char *const completions[] = {"ARMCI_Barrier", "ARMCI_AllFence", "ARMCI_GroupFence", "a fence for each"};

static void complete(int by)
{
    ARMCI_Group world;
    if (by == BARRIER) {
        ARMCI_Barrier();
        return;
    }
    if (by == ALL_FENCE) ARMCI_AllFence();
    if (by == GROUP_FENCE) {
        ARMCI_Group_get_world(&world);
        ARMCI_GroupFence(&world);
    }
    for (int p = 0; by == FENCES && p < test_ranks(); p++)
        ARMCI_Fence(p);
    armci_msg_barrier();
}

/* Everybody writes its row on everybody; after that call all rows are there. */
static void exchange_rows(const void *row)
{
    int me = test_rank(), n = test_ranks(), by = *(const int *)row;
    void **base = region_create((size_t)n * CELLS * sizeof(long));
    long *mine = base[me], cells[CELLS];
    for (int round = 0; round < effort(ROUNDS / 2); round++) {
        slice_fill(mine, 0, (size_t)n * sizeof cells);
        armci_msg_barrier();
        fill(cells, round, me);
        for (int p = 0; p < n; p++)
            write_cells(round % 4, cells, (long *)base[p] + me * CELLS, p);
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
    int me = test_rank(), n = test_ranks(), last = n - 1, list[16];
    void **base = region_create(CELLS * sizeof(long) * (size_t)n), *group_base[16];
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

static void group_fence_of_some(void)
{
    int me = test_rank(), n = test_ranks(), members = (n + 1) / 2, list[16];
    void **base = region_create((size_t)n * CELLS * sizeof(long));
    long cells[CELLS];
    ARMCI_Group group;
    list_ranks(0, 2, list);
    ARMCI_Group_create(members, list, &group);
    if (me % 2 == 0) {
        fill(cells, 3, me);
        for (int i = 0; i < members; i++)
            ARMCI_Put(cells, (long *)base[list[i]] + me * CELLS, sizeof cells, list[i]);
        ARMCI_GroupFence(&group);
        armci_msg_group_barrier(&group);
        ARMCI_Access_begin(base[me]);
        for (int i = 0; i < members; i++)
            check_cells((long *)base[me] + list[i] * CELLS, 3, list[i], "load after the fence of a group");
        ARMCI_Access_end(base[me]);
        armci_msg_group_barrier(&group);
        ARMCI_Group_free(&group);
    }
    region_done(base);
}

/* Fences with nothing to complete, before, between and after operations, with and without regions. */
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

static const struct test tests[] = {
    {"a message after a fence: the target sees the data", message_after_fence},
    {"after a fence a third process sees the data", third_party_sees},
    {"fences for each process complete everything", ONE_ROW(exchange_rows, int, FENCES)},
    {"ARMCI_AllFence completes everything", ONE_ROW(exchange_rows, int, ALL_FENCE)},
    {"ARMCI_GroupFence of the world completes everything", ONE_ROW(exchange_rows, int, GROUP_FENCE)},
    {"ARMCI_GroupFence of some completes towards them", group_fence_of_some},
    {"ARMCI_Barrier completes everything", ONE_ROW(exchange_rows, int, BARRIER)},
    {"fence for a process that a group region excludes", fence_outside_a_group_region},
    {"fences with nothing pending", nothing_pending},
};
SUITE();
