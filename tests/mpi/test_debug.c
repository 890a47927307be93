/* test_debug.c - what ARMCI_DEBUG_ALLOC shows, which the rows of the suite set: operations that the
 * access mode of a region forbids, and with `slow` programs that store into new memory without a
 * barrier. Without the variable nothing is refused. */
#include "harness.h"

enum { CELLS = 16 };

static bool is_set(const char *word)
{
    const char *value = getenv("ARMCI_DEBUG_ALLOC");
    return value && strcmp(value, "no") != 0 && (!word || strcmp(value, word) == 0);
}

/* ---- access modes ---- */

static long mine[CELLS];

enum kinds { PUT = 1, GET = 2, ACC = 4 };

/* Every way to write, read or add to the slice of process p; bit `kind` says whether `call` must
 * be refused. */
static void try_all(void *there, int p, unsigned refused, const char *mode)
{
    int stride[1] = {16}, count[2] = {8, 2};
    long one = 1, flag_at = CELLS - 1;
    int *flag = (int *)((long *)there + flag_at), old = 0;
    void *local_list[2] = {&mine[0], &mine[2]}, *remote_list[2] = {there, (long *)there + 2};
    armci_giov_t put = {.src_ptr_array = local_list,
                        .dst_ptr_array = remote_list,
                        .bytes = 8,
                        .ptr_array_len = 2},
                 get = {.src_ptr_array = remote_list,
                        .dst_ptr_array = local_list,
                        .bytes = 8,
                        .ptr_array_len = 2};
    armci_hdl_t hdl = new_handle(), all = new_aggregate();
#define TRY(KIND, CALL)                                                                            \
    do {                                                                                           \
        catch_errors();                                                                            \
        int code = CALL;                                                                           \
        const char *printed = caught_errors();                                                     \
        check_long(code, refused &(KIND) ? ARMCI_ERR_ARGUMENT : 0, "%s: " #CALL, mode);            \
        check(!strstr(printed, "ARMCIX_Mode_set") == !(refused & (KIND)), "%s: " #CALL ": %s",     \
              mode, printed);                                                                      \
    } while (0)
    TRY(PUT, ARMCI_Put(mine, there, 8, p));
    TRY(PUT, ARMCI_PutS(mine, stride, there, stride, count, 1, p));
    TRY(PUT, ARMCI_PutV(&put, 1, p));
    TRY(PUT, ARMCI_PutValueLong(0, there, p));
    TRY(PUT, ARMCI_NbPut(mine, there, 8, p, &hdl));
    TRY(PUT, ARMCI_NbPut(mine, there, 8, p, &all));
    TRY(PUT, ARMCI_Put_flag(mine, there, 8, flag, 0, p));
    TRY(PUT, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, there, 0, p));
    TRY(PUT, ARMCI_Rmw(ARMCI_SWAP, &old, there, 0, p));
    TRY(GET, ARMCI_Get(there, mine, 8, p));
    TRY(GET, ARMCI_GetS(there, stride, mine, stride, count, 1, p));
    TRY(GET, ARMCI_GetV(&get, 1, p));
    TRY(GET, ARMCI_NbGet(there, mine, 8, p, &hdl));
    TRY(ACC, ARMCI_Acc(ARMCI_ACC_LNG, &one, mine, there, 8, p));
    TRY(ACC, ARMCI_AccS(ARMCI_ACC_LNG, &one, mine, stride, there, stride, count, 1, p));
    TRY(ACC, ARMCI_AccV(ARMCI_ACC_LNG, &one, &put, 1, p));
    ARMCI_Wait(&hdl);
    ARMCI_Wait(&all);
}

static void broken_modes_are_refused(void)
{
    static const struct {
        int mode;
        unsigned refused;
        const char *name;
    } cases[] = {{ARMCIX_MODE_READ_ONLY, PUT | ACC, "read-only"},
                 {ARMCIX_MODE_ACC_ONLY, PUT | GET, "accumulates only"},
                 {ARMCIX_MODE_CONFLICT_FREE, 0, "conflict-free"},
                 {ARMCIX_MODE_READ_ONLY | ARMCIX_MODE_ALL, 0, "all, too"},
                 {ARMCIX_MODE_ALL, 0, "all"}};
    int me = test_rank(), n = test_ranks();
    void **base = region_zeroed(sizeof mine), **other = region_zeroed(sizeof mine);
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    memset(mine, 0, sizeof mine);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_long(ARMCIX_Mode_set(cases[i].mode, base[me], &world), 0, "ARMCIX_Mode_set");
        for (int p = 0; p < n; p++) {
            try_all(base[p], p, is_set(NULL) ? cases[i].refused : 0, cases[i].name);
            try_all(other[p], p, 0, "another region");
        }
        ARMCI_Barrier();
    }
    region_free(other);
    region_free(base);
}

/* ---- stores after an allocation ---- */

/* Clear the new slice, and write into the neighbour's: how many times is what was put lost? Right
 * programs have a barrier in between. */
static long lost_puts(int times, bool synchronizes)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n;
    long lost = 0;
    for (int i = 0; i < times; i++) {
        void *base[MOST_RANKS];
        long value = 1 + i;
        check_long(ARMCI_Malloc(base, sizeof value), 0, "ARMCI_Malloc");
        *(volatile long *)base[me] = 0;
        if (synchronizes) ARMCI_Barrier();
        ARMCI_Put(&value, base[right], sizeof value, right);
        ARMCI_Barrier();
        lost += *(volatile long *)base[me] != value;
        ARMCI_Barrier();
        ARMCI_Free(base[me]);
    }
    armci_msg_lgop(&lost, 1, "+");
    return lost;
}

static void missing_barriers_show(void)
{
    if (!needs_ranks(2)) return;
    check_long(lost_puts(4, true), 0, "puts lost by a right program");
    if (!is_set("slow") || !ARMCI_Uses_shm()) return; /* windows may wait for their target */
    long lost = lost_puts(4, false);
    check(lost > 0, "a program without a barrier has lost nothing");
}

static void start_returning(int *argc, char ***argv)
{
    setenv("ARMCI_ERRORS", "return", 1);
    MPI_Init(argc, argv);
    ARMCI_Init();
}

static const struct test tests[] = {
    {"what an access mode forbids is refused, if modes are checked", broken_modes_are_refused},
    {"a missing barrier after an allocation shows", missing_barriers_show},
};
SUITE(.start = start_returning);
