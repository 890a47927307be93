/* test_completion.c - what completes non-blocking operations besides ARMCI_Wait: freeing,
 * ARMCI_Test, fences, barriers; and that the library keeps nothing of operations that are complete,
 * whatever completed them. */
#include "harness.h"
#include "own_memory.h"

enum { MIB = 1 << 20, BYTES = 8 * MIB, MARK = 7 };

/* Between two nodes, half of the ranks away is the other one. */
static int far_rank(void)
{
    return (test_rank() + (test_ranks() + 1) / 2) % test_ranks();
}

/* Start an operation between rank 0's slice and `local`, which have BYTES each. Returns how many
 * bytes come to `local`. */
typedef size_t start_function(char *remote, char *local, armci_hdl_t *handle);

static size_t get_contiguous(char *remote, char *local, armci_hdl_t *handle)
{
    ARMCI_NbGet(remote, local, BYTES, 0, handle);
    return BYTES;
}

static size_t get_strided(char *remote, char *local, armci_hdl_t *handle)
{
    enum { ROW = 64 << 10 };
    int far[] = {2 * ROW}, near[] = {ROW}, count[] = {ROW, BYTES / ROW / 2};
    ARMCI_NbGetS(remote, far, local, near, count, 1, 0, handle);
    return BYTES / 2;
}

static size_t get_implicit(char *remote, char *local, armci_hdl_t *handle)
{
    (void)handle;
    ARMCI_NbGet(remote, local, BYTES, 0, NULL);
    return BYTES;
}

enum { PIECE = 1000, ROOM = 4096 };

/* At distances that differ. */
static size_t get_vector(char *remote, char *local, armci_hdl_t *handle)
{
    enum { PIECES = BYTES / ROOM };
    static void *from[PIECES], *to[PIECES];
    armci_giov_t iov = {from, to, PIECE, PIECES};
    for (int i = 0; i < PIECES; i++) {
        from[i] = remote + ROOM * i + i % 3 * 8;
        to[i] = local + PIECE * i;
    }
    ARMCI_NbGetV(&iov, 1, 0, handle);
    return PIECES * PIECE;
}

static size_t get_aggregate(char *remote, char *local, armci_hdl_t *handle)
{
    enum { KEPT = 1000 };
    ARMCI_SET_AGGREGATE_HANDLE(handle);
    for (int i = 0; i < KEPT; i++)
        ARMCI_NbGet(remote + ROOM * i + i % 3 * 8, local + PIECE * i, PIECE, 0, handle);
    return KEPT * PIECE;
}

static size_t put_contiguous(char *remote, char *local, armci_hdl_t *handle)
{
    ARMCI_NbPut(local, remote, BYTES, 0, handle);
    return 0;
}

static size_t put_aggregate(char *remote, char *local, armci_hdl_t *handle)
{
    enum { KEPT = 1000 };
    ARMCI_SET_AGGREGATE_HANDLE(handle);
    for (int i = 0; i < KEPT; i++)
        ARMCI_NbPut(local + PIECE * i, remote + ROOM * i, PIECE, 0, handle);
    return 0;
}

static const struct {
    start_function *start;
    const char *what;
} starts[] = {
    {get_contiguous, "a get of 8 MiB"},
    {get_strided, "a strided get of 4 MiB"},
    {get_vector, "a get of uneven pieces"},
    {get_aggregate, "gets that an aggregate handle keeps"},
    {get_implicit, "an implicit get"},
    {put_contiguous, "a put of 8 MiB"},
    {put_aggregate, "puts that an aggregate handle keeps"},
};
enum { STARTS = sizeof starts / sizeof *starts };

static void check_come(const char *local, size_t bytes, const char *what, const char *how)
{
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; i++)
        wrong += local[i] != MARK;
    check_long((long)wrong, 0, "%s, then %s: bytes of %zu that have not come", what, how, bytes);
}

/* Called by all while the last rank has an operation under way with rank 0's slice; returns whether
 * the slices are freed now. */
typedef bool complete_function(void **base);

static bool free_region(void **base)
{
    ARMCI_Free(base[test_rank()]);
    return true;
}

static void group_of_all(ARMCI_Group *group)
{
    int list[64];
    ARMCI_Group_create(list_ranks(test_ranks() - 1, -1, list), list, group);
}

static bool free_group(void **base)
{
    ARMCI_Group group;
    (void)base;
    group_of_all(&group);
    ARMCI_Group_free(&group);
    return false;
}

static bool free_own_memory(void **base)
{
    armci_meminfo_t meminfo;
    (void)base;
    ARMCI_Memget(1000, &meminfo, 0);
    ARMCI_Memctl(&meminfo);
    return false;
}

static void complete_one(start_function *start, const char *what, complete_function *complete,
                         const char *how, char *local)
{
    int me = test_rank(), last = test_ranks() - 1;
    void *base[64];
    armci_hdl_t handle = new_handle();
    size_t come = 0;
    ARMCI_Malloc(base, me == 0 ? BYTES : 64);
    memset(base[me], MARK, me == 0 ? BYTES : 64);
    memset(local, 0, me == last ? BYTES : 0);
    ARMCI_Barrier();
    if (me == last) come = start(base[0], local, &handle);
    bool freed = complete(base);
    check_come(local, come, what, how);
    check_long(ARMCI_Wait(&handle), 0, "%s, then %s, then ARMCI_Wait", what, how);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    if (!freed) ARMCI_Free(base[me]);
}

struct freeing {
    complete_function *complete;
    const char *how;
};

static void complete_all(const void *row)
{
    const struct freeing *by = row;
    char *local = need_memory(test_rank() == test_ranks() - 1 ? BYTES : 1);
    for (int i = 0; i < STARTS; i++)
        complete_one(starts[i].start, starts[i].what, by->complete, by->how, local);
    free(local);
}

/* Only rank 0 has a slice: the others free what they have not got. */
static void freeing_empty_slices(void)
{
    int me = test_rank(), last = test_ranks() - 1;
    char *local = need_memory(BYTES);
    void *base[64];
    ARMCI_Group group;
    armci_hdl_t handle;
    group_of_all(&group);
    for (int i = 0; i < STARTS; i++) {
        size_t come = 0;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_Malloc_group(base, me == 0 ? BYTES : 0, &group);
        char *there = base[last]; /* rank 0 is the last of the group */
        if (me == 0) memset(there, MARK, BYTES);
        memset(local, 0, me == last ? BYTES : 0);
        ARMCI_Barrier();
        if (me == last) come = starts[i].start(there, local, &handle);
        ARMCI_Free_group(me == 0 ? there : NULL, &group);
        check_come(local, come, starts[i].what, "ARMCI_Free_group");
        check_long(ARMCI_Wait(&handle), 0, "%s, then ARMCI_Free_group, then ARMCI_Wait",
                   starts[i].what);
        ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    }
    ARMCI_Group_free(&group);
    free(local);
}

/* Can the library tell without waiting?  Where it goes by loads and stores operations are complete
 * at once, by windows the call waits. */
static bool can_test(int target)
{
    return !armci_domain_same_id(ARMCI_DOMAIN_SMP, target) && !test_makes_windows() &&
           ARMCI_Uses_shm();
}

/* True if the first call of ARMCI_Test took less than half of the time of the operation. */
static bool test_one(start_function *start, const char *what, char *remote, char *local)
{
    armci_hdl_t handle = new_handle();
    long unfinished = 0;
    memset(local, 0, BYTES);
    size_t come = start(remote, local, &handle);
    double begun = now();
    bool more = ARMCI_Test(&handle) != 0;
    double asked = now() - begun, until = begun + 20;
    for (; more && now() < until; unfinished++)
        more = ARMCI_Test(&handle) != 0;
    double took = now() - begun;
    check(!more, "%s: ARMCI_Test never said 0", what);
    check_come(local, come, what, "ARMCI_Test until it says 0");
    check_long(ARMCI_Test(&handle), 0, "%s: ARMCI_Test of what is complete", what);
    check_long(ARMCI_Wait(&handle), 0, "%s: ARMCI_Wait of what ARMCI_Test completed", what);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    return unfinished > 0 && asked < took / 2;
}

/* A process that the system stops for the time of the operation says nothing about ARMCI_Test: one
 * try of a few must show that the call does not wait. */
static void test_often(start_function *start, const char *what, char *remote, char *local, bool can)
{
    enum { TRIES = 5 };
    bool at_once = test_one(start, what, remote, local);
    if (!can || (start != get_contiguous && start != get_strided)) return;
    for (int i = 1; i < TRIES && !at_once; i++)
        at_once = test_one(start, what, remote, local);
    check(at_once, "%s: ARMCI_Test waits, in %d tries", what, TRIES);
}

static void testing(void)
{
    bool mine = test_rank() == test_ranks() - 1;
    char *local = need_memory(mine ? BYTES : 1);
    void **base = region_create(test_rank() == 0 ? BYTES : 64);
    armci_hdl_t unused = new_handle();
    if (test_rank() == 0) memset(base[0], MARK, BYTES);
    ARMCI_Barrier();
    check_long(ARMCI_Test(&unused), 0, "ARMCI_Test of an unused handle");
    check_long(ARMCI_Test(NULL), 0, "ARMCI_Test of the implicit handle without operations");
    for (int i = 0; i < STARTS && mine; i++)
        if (starts[i].start != get_implicit)
            test_often(starts[i].start, starts[i].what, base[0], local, can_test(0));
    region_done(base);
    free(local);
}

static void **cells; /* a slice for BATCH operations on everybody */
enum { SMALL = 64, LARGE = 70000, BATCH = 8 };

/* By what BATCH operations towards a target are completed, and what share of the operations is
 * tried with it. */
enum {
    BY_WAIT,
    BY_TEST,
    BY_WAIT_PROC,
    BY_WAIT_ALL,
    BY_FENCE,
    BY_ALL_FENCE,
    BY_GROUP_FENCE,
    BY_BARRIER,
    BY_FREE,
    COMPLETIONS
};
static const struct {
    const char *how;
    int share;
} completions[COMPLETIONS] = {
    [BY_WAIT] = {"ARMCI_Wait", 1},
    [BY_TEST] = {"ARMCI_Test", 1},
    [BY_WAIT_PROC] = {"ARMCI_WaitProc", 1},
    [BY_WAIT_ALL] = {"ARMCI_WaitAll", 1},
    [BY_FENCE] = {"ARMCI_Fence", 1},
    [BY_ALL_FENCE] = {"ARMCI_AllFence", 1},
    [BY_GROUP_FENCE] = {"ARMCI_GroupFence", 1},
    [BY_BARRIER] = {"ARMCI_Barrier", 4},
    [BY_FREE] = {"ARMCI_Free", 4},
};

/* Handles are looked at only where that cannot be avoided. */
static void complete_batch(int completion, armci_hdl_t *handles[BATCH], int target)
{
    ARMCI_Group world;
    switch (completion) {
    case BY_WAIT:
        for (int i = 0; i < BATCH; i++)
            ARMCI_Wait(handles[i]);
        break;
    case BY_TEST:
        for (int i = 0; i < BATCH; i++)
            while (ARMCI_Test(handles[i]) != 0)
                ;
        break;
    case BY_WAIT_PROC: ARMCI_WaitProc(target); break;
    case BY_WAIT_ALL: ARMCI_WaitAll(); break;
    case BY_FENCE: ARMCI_Fence(target); break;
    case BY_ALL_FENCE: ARMCI_AllFence(); break;
    case BY_GROUP_FENCE:
        ARMCI_Group_get_world(&world);
        ARMCI_GroupFence(&world);
        break;
    case BY_BARRIER: ARMCI_Barrier(); break;
    default: region_free(cells); cells = region_create(BATCH * LARGE);
    }
}

enum how_kept { FRESH, REUSED, IMPLICIT, FRESH_AGGREGATE, REUSED_AGGREGATE, HANDLES };
static const char *const handle_names[] = {
    "a fresh handle each time", "a handle used again", "the implicit handle",
    "a fresh aggregate handle each time", "an aggregate handle used again"};

enum work { GET, PUT_LARGE, PUT_VALUES, WORKS };
static const char *const work_names[] = {"gets", "large puts", "values"};

static void start_work(enum work work, int which, int target, armci_hdl_t *handle)
{
    static char local[BATCH][LARGE];
    char *remote = (char *)cells[target] + (ptrdiff_t)which * LARGE;
    if (work == GET)
        ARMCI_NbGet(remote, local[which], SMALL, target, handle);
    else if (work == PUT_LARGE)
        ARMCI_NbPut(local[which], remote, LARGE, target, handle);
    else
        for (int i = 0; i < 3; i++)
            ARMCI_NbPutValueLong(i, (long *)(void *)remote + 2 * i, target, handle);
}

static void work_on(enum work work, enum how_kept kept, int c, int n, armci_hdl_t *reused)
{
    int target = far_rank();
    armci_hdl_t fresh[BATCH], *handles[BATCH];
    for (int done = 0; done < n; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            ARMCI_INIT_HANDLE(&fresh[i]);
            if (kept == FRESH_AGGREGATE) ARMCI_SET_AGGREGATE_HANDLE(&fresh[i]);
            handles[i] = kept == IMPLICIT                             ? NULL
                         : kept == REUSED || kept == REUSED_AGGREGATE ? reused
                                                                      : &fresh[i];
            start_work(work, i, target, handles[i]);
        }
        complete_batch(c, handles, target);
        ARMCI_WaitProc(target); /* a fence says little of gets */
    }
}

static void keep_nothing(enum work work, enum how_kept kept, int c)
{
    enum {
        SLACK = 5120
    }; /* more requests may meet at a server than before; a leak in a list of operations is more */
    int n = 64 / completions[c].share;
    armci_hdl_t reused = new_handle();
    if (kept == REUSED_AGGREGATE) ARMCI_SET_AGGREGATE_HANDLE(&reused);
    work_on(work, kept, c, n, &reused);
    long more = 0;
    int again = 1;
    for (int round = 0; round < 3 && again; round++) { /* a leak grows in each */
        long before = own_memory_in_use();
        work_on(work, kept, c, n, &reused);
        more = own_memory_in_use() - before;
        again = more > SLACK;
        armci_msg_igop(&again, 1, "max"); /* all, since some completions are collective */
    }
    check(more <= SLACK, "%d %s, %s, completed by %s: %ld bytes more than after as many before", n,
          work_names[work], handle_names[kept], completions[c].how, more);
    check_long(ARMCI_Wait(&reused), 0, "ARMCI_Wait afterwards");
    ARMCI_UNSET_AGGREGATE_HANDLE(&reused);
    ARMCI_Wait(NULL);
    ARMCI_Barrier();
}

/* Large puts take a handle as gets do; values wait in aggregate handles alone. */
static bool is_worth_a_try(enum work work, enum how_kept kept)
{
    if (work == PUT_LARGE) return kept == FRESH || kept == IMPLICIT;
    return work == GET || kept == FRESH_AGGREGATE || kept == REUSED_AGGREGATE;
}

static void keeping(void)
{
    cells = region_create(BATCH * LARGE);
    check(own_memory_in_use() > 0, "no memory of the library was counted");
    for (int work = 0; work < WORKS; work++)
        for (int kept = 0; kept < HANDLES; kept++)
            for (int c = 0; c < COMPLETIONS && is_worth_a_try((enum work)work, (enum how_kept)kept);
                 c++)
                keep_nothing((enum work)work, (enum how_kept)kept, c);
    region_free(cells);
}

static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    own_memory_start();
    ARMCI_Init();
}

static const struct test tests[] = {
    {"ARMCI_Free completes operations under way",
     ONE_ROW(complete_all, struct freeing, free_region, "ARMCI_Free")},
    {"ARMCI_Free_group completes operations where most slices are empty", freeing_empty_slices},
    {"ARMCI_Group_free completes operations under way",
     ONE_ROW(complete_all, struct freeing, free_group, "ARMCI_Group_free")},
    {"ARMCI_Memctl completes operations under way",
     ONE_ROW(complete_all, struct freeing, free_own_memory, "ARMCI_Memctl")},
    {"ARMCI_Test says at once whether an operation is complete", testing},
    {"the library keeps no memory for complete operations", keeping},
};
SUITE(.start = start);
