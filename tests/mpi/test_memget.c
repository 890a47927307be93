/* test_memget.c - non-collective global memory: ARMCI_Memget, its description sent about, Memat,
 * Memdt, Memctl. */
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

enum { TAG = 71, PIECES = 20 };

static void is_refused(int rc, const char *where)
{
    const char *printed = caught_errors();
    check_long(rc, ARMCI_ERR_ADDRESS, "code of a put to %s", where);
    check(strstr(printed, "the address lies in no global region of the process") != NULL,
          "a put to %s printed: %s", where, printed);
}

static void no_address(armci_meminfo_t *info, char *base, long bytes, long offset)
{
    info->idlist[0] = (long)(intptr_t)base;
    info->idlist[1] = bytes;
    catch_errors();
    void *address = ARMCI_Memat(info, offset);
    caught_errors();
    check(!address, "ARMCI_Memat of %p + %ld, %ld bytes", (void *)base, offset, bytes);
}

/* Where nothing can be: the lowest page, and the addresses of the kernel. */
static void refuse_wild_addresses(armci_meminfo_t *info)
{
    char *const wild[] = {(char *)8, (char *)64, (char *)4095, (char *)-64, (char *)-4096};
    char value = 5;
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        no_address(info, wild[i], 8, 0);
        catch_errors();
        is_refused(ARMCI_Put(&value, wild[i], 1, info->cpid), "a wild address");
    }
}

/* The first test: no process knows such memory yet. */
static void failures_change_nothing(void)
{
    static char outside[64]; /* of no allocation of ARMCI */
    char value = 5, *mine = outside, *theirs[MOST_RANKS];
    int next = (test_rank() + 1) % test_ranks();
    armci_meminfo_t info = {.cpid = next}, own;
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, theirs, sizeof mine, MPI_BYTE, test_comm());
    no_address(&info, theirs[next], sizeof outside, -1);
    no_address(&info, theirs[next], sizeof outside, sizeof outside + 1);
    catch_errors();
    is_refused(ARMCI_Put(&value, theirs[next], 1, next), "memory of a failing ARMCI_Memat");
    refuse_wild_addresses(&info);
    ARMCI_Memget(8, &own, 0); /* from here on unknown addresses may be such memory */
    refuse_wild_addresses(&info);
    ARMCI_Barrier();
    check_long(outside[0], 0, "memory that ARMCI does not have");
    ARMCI_Memctl(&own);
}

/* Before any other process has opened such memory: the descriptions stay with their owners. */
static void queued_puts_are_ordered(void)
{
    enum { SIZE = 32 };
    int next = (test_rank() + 1) % test_ranks();
    char data[3][16], *theirs[MOST_RANKS];
    armci_meminfo_t own;
    armci_hdl_t hdl;
    for (int i = 0; i < 3; i++)
        memset(data[i], i + 1, sizeof data[i]);
    ARMCI_Memget(SIZE, &own, 0);
    memset(own.addr, 0, SIZE);
    MPI_Allgather(&own.addr, sizeof own.addr, MPI_BYTE, theirs, sizeof own.addr, MPI_BYTE,
                  test_comm());
    ARMCI_INIT_HANDLE(&hdl);
    ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    ARMCI_NbPut(data[0], theirs[next], 16, next, &hdl);
    ARMCI_NbPut(data[1], theirs[next] + 8, 16, next, &hdl);
    ARMCI_NbPut(data[2], theirs[next], 16, next, &hdl);
    ARMCI_Wait(&hdl);
    ARMCI_Barrier();
    for (int i = 0; i < SIZE; i++)
        check_long(((char *)own.addr)[i], i < 16 ? 3 : i < 24 ? 2 : 0, "byte %d", i);
    ARMCI_Memctl(&own);
}

static void one_allocates(void)
{
    enum { SIZE = 3000 };
    int me = test_rank(), n = test_ranks();
    unsigned char data[SIZE], seen[SIZE];
    for (int owner = 0; owner < n; owner++) {
        armci_meminfo_t info;
        memset(&info, 0, sizeof info);
        if (me == owner) {
            ARMCI_Memget(SIZE, &info, 0);
            check(info.addr != NULL && (uintptr_t)info.addr % 8 == 0, "ARMCI_Memget gave %p",
                  (void *)info.addr);
            check_long(info.cpid, me, "cpid");
            check_long((long)info.size, SIZE, "size");
            memset(info.addr, 0, SIZE);
        }
        armci_msg_brdcst(&info, sizeof info, owner);
        int writer = (owner + 1) % n;
        fill_bytes(data, SIZE, owner);
        if (me == writer) {
            check_long(ARMCI_Put(data, ARMCI_Memat(&info, 0), 1000, info.cpid), 0,
                       "put at offset 0");
            check_long(ARMCI_Put(data + 1000, ARMCI_Memat(&info, 1000), 2000, info.cpid), 0,
                       "put at offset 1000");
        }
        ARMCI_Barrier();
        memset(seen, 0, sizeof seen);
        check_long(ARMCI_Get(ARMCI_Memat(&info, 0), seen, SIZE, info.cpid), 0, "get");
        check_bytes(seen, data, SIZE, "get from the memory of %d", owner);
        if (me == owner) check_bytes(info.addr, data, SIZE, "load in the owner");
        ARMCI_Memdt(&info, 0);
        ARMCI_Barrier();
        if (me == owner) ARMCI_Memctl(&info);
    }
}

/* The description goes from hand to hand in a ring; everybody adds on everybody's memory. */
static void descriptions_travel(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, left = (me + n - 1) % n, one = 1;
    armci_meminfo_t mine, travelling, next;
    ARMCI_Memget(64 * sizeof(int), &mine, 0);
    memset(mine.addr, 0, 64 * sizeof(int));
    ARMCI_Barrier();
    travelling = mine;
    for (int hop = 0; hop < n; hop++) {
        int *there = ARMCI_Memat(&travelling, 3 * (long)sizeof(int)), old = -1;
        check_long(travelling.cpid, (me + n - hop) % n, "whose memory after %d hops", hop);
        ARMCI_Acc(ARMCI_ACC_INT, &one, &one, there, sizeof one, travelling.cpid);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, there + 1, 2, travelling.cpid);
        check(old >= 0 && old < 2 * n && old % 2 == 0, "rmw gave %d", old);
        if (n == 1) break;
        if (me == 0) armci_msg_snd(TAG, &travelling, sizeof travelling, right);
        armci_msg_rcv(TAG, &next, sizeof next, NULL, left);
        if (me != 0) armci_msg_snd(TAG, &travelling, sizeof travelling, right);
        travelling = next;
    }
    ARMCI_Barrier();
    check_long(((int *)(void *)mine.addr)[3], n, "sum of the accumulates");
    check_long(((int *)(void *)mine.addr)[4], 2 * n, "sum of the rmw");
    check_long(((int *)(void *)mine.addr)[2] + ((int *)(void *)mine.addr)[5], 0,
               "the cells beside");
    ARMCI_Barrier();
    ARMCI_Memctl(&mine);
}

/* Many pieces per process, different sizes, freed in another order and allocated again: they never
 * overlap. */
static void pieces_do_not_overlap(void)
{
    int me = test_rank(), order[PIECES];
    armci_meminfo_t info[PIECES];
    struct rng r = rng_stream(40 + (uint64_t)me);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < PIECES; i++) {
            int size = 1 + rng_between(&r, 0, i % 3 ? 100 : 5000);
            ARMCI_Memget((size_t)size, &info[i], 0);
            fill_bytes(info[i].addr, (size_t)size, i + round);
            order[i] = i;
        }
        rng_shuffle(&r, order, PIECES);
        for (int i = 0; i < PIECES; i++) {
            armci_meminfo_t *piece = &info[order[i]];
            unsigned char expected[5200], seen[5200];
            int size = (int)piece->size;
            fill_bytes(expected, (size_t)size, order[i] + round);
            check_bytes(piece->addr, expected, piece->size, "piece %d by load", order[i]);
            ARMCI_Get(ARMCI_Memat(piece, 0), seen, size, me);
            check_bytes(seen, expected, piece->size, "piece %d by get", order[i]);
            ARMCI_Memctl(piece);
        }
    }
    ARMCI_Barrier();
}

/* Allocation in some processes only, while others are in a barrier or do nothing. */
static void not_collective(void)
{
    int me = test_rank();
    armci_meminfo_t info[3];
    if (me % 2 == 0)
        for (int i = 0; i < 3; i++)
            ARMCI_Memget((size_t)(10 << i), &info[i], 0);
    ARMCI_Barrier();
    if (me % 2 == 0)
        for (int i = 2; i >= 0; i--) {
            int value = 0;
            ARMCI_PutValueInt(i + 7, ARMCI_Memat(&info[i], 4), me);
            ARMCI_Get(ARMCI_Memat(&info[i], 4), &value, sizeof value, me);
            check_long(value, i + 7, "value in piece %d", i);
            ARMCI_Memctl(&info[i]);
        }
}

static void check_first(armci_meminfo_t *info, int expected)
{
    int value = 0;
    void *there = ARMCI_Memat(info, 0);
    if (check(there != NULL, "ARMCI_Memat of memory of rank %d", info->cpid))
        check_long(ARMCI_Get(there, &value, sizeof value, info->cpid), 0, "ARMCI_Get");
    check_long(value, expected, "value in memory of rank %d", info->cpid);
}

/* Nobody but the owner can open anything more, neighbours and servers included. What was added
 * before has made the connections. */
static void no_descriptor_left(void)
{
    int n = test_ranks();
    for (int owner = 0; owner < n; owner++) {
        armci_meminfo_t info[2];
        struct rlimit before, none;
        memset(info, 0, sizeof info);
        for (int i = 0; i < 2 && test_rank() == owner;
             i++) { /* the second does not fit into what the first has */
            ARMCI_Memget((size_t)(4 << 20) << i, &info[i], 0);
            *(int *)(void *)info[i].addr = 100 + i;
        }
        MPI_Bcast(info, sizeof info, MPI_BYTE, owner, test_comm());
        check_first(&info[0], 100);
        MPI_Barrier(test_comm());
        int next = dup(2);
        close(next);
        getrlimit(RLIMIT_NOFILE, &before);
        none = before;
        none.rlim_cur = (rlim_t)next;
        if (test_rank() != owner) setrlimit(RLIMIT_NOFILE, &none);
        MPI_Barrier(test_comm());
        check_first(&info[1], 101);
        MPI_Barrier(test_comm());
        setrlimit(RLIMIT_NOFILE, &before);
        for (int i = 0; i < 2 && test_rank() == owner; i++)
            ARMCI_Memctl(&info[i]);
    }
}

/* Addresses outside all regions are taken for memory of ARMCI_Memget, except where regions are. */
static void check_region(ARMCI_Group *group)
{
    enum { BYTES = (2 << 20) + 64 };
    void *base[MOST_RANKS];
    const int next = (group->rank + 1) % group->size, proc = ARMCI_Absolute_id(group, next);
    char value = 5;
    ARMCI_Malloc_group(base, BYTES, group);
    char *there = base[next];
    catch_errors();
    is_refused(ARMCI_Put(&value, there + BYTES, 1, proc), "bytes behind a slice");
    catch_errors();
    check_long(ARMCI_Free_group(base[group->rank], group), 0, "ARMCI_Free_group: code");
    is_refused(ARMCI_Put(&value, there + 8, 1, proc), "a freed region");
}

static void regions_are_no_such_memory(void)
{
    int me = test_rank(), n = test_ranks(), members[MOST_RANKS];
    armci_meminfo_t info;
    if (!ARMCI_Uses_shm()) {
        skip("MPI knows what memory there is");
        return;
    }
    ARMCI_Group group;
    ARMCI_Group_get_world(&group);
    ARMCI_Memget(8, &info, 0);
    *(int *)(void *)info.addr = me;
    check_region(&group);
    for (int i = 0; i < n; i++)
        members[i] = n - 1 - i;
    ARMCI_Group_create(n, members, &group);
    check_region(&group);
    ARMCI_Group_free(&group);
    check_long(ARMCI_GetValueInt(ARMCI_Memat(&info, 0), me), me, "memory of ARMCI_Memget");
    ARMCI_Memctl(&info);
}

static void start_returning(int *argc, char ***argv)
{
    setenv("ARMCI_ERRORS", "return", 1);
    MPI_Init(argc, argv);
    ARMCI_Init();
}

static const struct test tests[] = {
    {"an ARMCI_Memat that fails changes nothing", failures_change_nothing},
    {"puts on an aggregate handle are ordered where nobody has a description",
     queued_puts_are_ordered},
    {"one process allocates, all use it", one_allocates},
    {"descriptions sent in messages are good anywhere", descriptions_travel},
    {"pieces do not overlap, whatever the order of frees", pieces_do_not_overlap},
    {"only some processes allocate", not_collective},
    {"processes without a descriptor left reach memory added meanwhile", no_descriptor_left},
    {"what was or is a region is no memory of one process", regions_are_no_such_memory},
};
SUITE(.start = start_returning);
