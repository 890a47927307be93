/* test_groups.c - groups: made by their members alone, nested, copied, overlapping, with
 * regions. */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* The caller's place in list, -1 where it is not in. */
static int place_in(const int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == test_rank()) return i;
    return -1;
}

/* A group of the processes in list in the world, made by the members alone. */
static void make_group(int n, int *list, ARMCI_Group *group)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    if (place_in(list, n) >= 0) ARMCI_Group_create_child(n, list, group, &world);
}

/* All that can be asked of a group of the processes in list: ranks, size, translation,
 * communicator. */
static void check_group(ARMCI_Group *group, const int *list, int n, const char *what)
{
    int place = place_in(list, n), rank = -2, size = -2, comm_rank = -2, comm_size = -2;
    MPI_Comm comm = armci_group_comm(group);
    check_long(ARMCI_Group_rank(group, &rank), 0, "%s: ARMCI_Group_rank", what);
    check_long(rank, place, "%s: rank", what);
    ARMCI_Group_size(group, &size);
    check_long(size, n, "%s: size", what);
    check_long(group->rank, place, "%s: rank in the struct", what);
    check_long(group->size, n, "%s: size in the struct", what);
    for (int i = 0; i < n; i++) {
        check_long(ARMCI_Absolute_id(group, i), list[i], "%s: ARMCI_Absolute_id(%d)", what, i);
        check_long(group->grp_to_abs[i], list[i], "%s: grp_to_abs[%d]", what, i);
    }
    check(comm == group->comm && comm != MPI_COMM_NULL, "%s: communicator", what);
    MPI_Comm_rank(comm, &comm_rank);
    MPI_Comm_size(comm, &comm_size);
    check_long(comm_rank, place, "%s: rank in the communicator", what);
    check_long(comm_size, n, "%s: size of the communicator", what);
}

/* Every member writes to every other by its process number, and adds in the group: collective over
 * the members. A receive of the program for any message on the group's communicator catches none
 * of the library's. */
static void use_group(ARMCI_Group *group, const int *list, int n, const char *what)
{
    int place = place_in(list, n), sum = 1 + place, token = place, in = -1;
    void *base[MOST_RANKS];
    MPI_Request any;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, armci_group_comm(group), &any);
    check_long(ARMCI_Malloc_group(base, (armci_size_t)(MOST_RANKS * sizeof(int)), group), 0,
               "%s: ARMCI_Malloc_group", what);
    for (int i = 0; i < n; i++) {
        int value = 100 * place + i;
        ARMCI_Put(&value, (int *)base[i] + place, sizeof value, list[i]);
    }
    ARMCI_AllFence();
    armci_msg_group_barrier(group);
    for (int i = 0; i < n; i++)
        for (int from = 0; from < n; from++) {
            int seen = -1;
            ARMCI_Get((int *)base[i] + from, &seen, sizeof seen, list[i]);
            check_long(seen, 100 * from + i, "%s: what %d wrote on %d", what, from, i);
        }
    armci_msg_group_igop(&sum, 1, "+", group);
    check_long(sum, n * (n + 1) / 2, "%s: sum over the group", what);
    armci_msg_group_barrier(group);
    check_long(ARMCI_Free_group(base[place], group), 0, "%s: ARMCI_Free_group", what);
    MPI_Send(&token, 1, MPI_INT, (place + 1) % n, 99, armci_group_comm(group));
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    check_long(in, (place + n - 1) % n, "%s: the program's own message", what);
}

static void check_and_free(ARMCI_Group *group, const int *list, int n, const char *what)
{
    if (place_in(list, n) < 0) return;
    check_group(group, list, n, what);
    use_group(group, list, n, what);
    ARMCI_Group_free(group);
}

static void world_group(void)
{
    int n = test_ranks(), list[MOST_RANKS];
    ARMCI_Group world, fallback;
    list_ranks(0, 1, list);
    ARMCI_Group_get_world(&world);
    check_group(&world, list, n, "world");
    use_group(&world, list, n, "world");
    ARMCI_Group_get_default(&fallback);
    check_group(&fallback, list, n, "default group at start");
}

/* Groups of every kind of list: one, all, reversed, even, all but the first, rotated. */
static void lists_of_every_kind(void)
{
    int n = test_ranks(), list[MOST_RANKS], members;
    ARMCI_Group group;
    for (int kind = 0; kind < 6; kind++) {
        members = 0;
        for (int i = 0; i < n; i++) {
            int candidate[6] = {n - 1, i, n - 1 - i, i, i, (i + 1) % n};
            bool in[6] = {i == 0, true, true, i % 2 == 0, i > 0 || n == 1, true};
            if (in[kind]) list[members++] = candidate[kind];
        }
        make_group(members, list, &group);
        check_and_free(&group, list, members, "group of a list");
        if (kind % 2) armci_msg_barrier();
    }
}

static void called_by_all(void)
{
    int n = test_ranks(), list[MOST_RANKS], members = 0, rank = 7, size = -1;
    ARMCI_Group group;
    members = list_ranks(n - 1, -2, list);
    ARMCI_Group_create(members, list, &group);
    if (place_in(list, members) >= 0) {
        check_group(&group, list, members, "group that all called for");
        use_group(&group, list, members, "group that all called for");
    } else {
        check(ARMCI_Group_rank(&group, &rank) != 0, "ARMCI_Group_rank of no member returns 0");
        check_long(rank, -1, "rank of no member");
        check_long(group.rank, -1, "rank of no member in the struct");
        check(group.comm == MPI_COMM_NULL, "no member has a communicator");
        ARMCI_Group_size(&group, &size);
        check(size == members || size == 0, "size seen by no member is %d", size);
    }
    ARMCI_Group_free(&group);
}

/* All processes in reversed order, then all but the last of those, and so on down to one (on more
 * than 8 ranks an eighth at a time): lists count in the parent. */
static void nested(void)
{
    enum { MOST_LEVELS = 8 };
    int n = test_ranks(), absolute[MOST_RANKS] = {0}, ranks[MOST_RANKS], sizes[MOST_LEVELS] = {n},
        levels = 1, depth = 0;
    ARMCI_Group chain[MOST_LEVELS];
    for (int size = n - (n + 7) / 8; size >= 1; size -= (n + 7) / 8)
        sizes[levels++] = size;
    list_ranks(n - 1, -1, absolute);
    list_ranks(n - 1, -1, ranks);
    ARMCI_Group_create(n, ranks, &chain[0]);
    check_group(&chain[0], absolute, n, "reversed world");
    for (int level = 1; level < levels; level++) {
        int size = sizes[level];
        for (int i = 0; i < size; i++)
            ranks[i] = i;
        if (place_in(absolute, size) < 0) continue;
        ARMCI_Group_create_child(size, ranks, &chain[level], &chain[level - 1]);
        depth = level;
        check_group(&chain[depth], absolute, size, "nested group");
    }
    for (int level = levels - 1; level >= 0; level--)
        if (place_in(absolute, sizes[level]) >= 0)
            use_group(&chain[level], absolute, sizes[level], "nested group");
    for (; depth >= 0; depth--)
        ARMCI_Group_free(&chain[depth]);
    ARMCI_Barrier();
}

/* A group of the processes of the caller's parity: list and size are set too. */
static int make_parity_group(int *list, ARMCI_Group *mine)
{
    int n = test_ranks(), members = 0;
    for (int parity = 0; parity < 2 && parity < n; parity++) {
        int other[MOST_RANKS] = {0}, others = 0;
        ARMCI_Group unused;
        for (int p = parity; p < n; p += 2)
            other[others++] = p;
        make_group(others, other, test_rank() % 2 == parity ? mine : &unused);
        if (test_rank() % 2 == parity) {
            members = others;
            memcpy(list, other, sizeof other);
        }
    }
    return members;
}

/* ARMCI_Group_create counts in the default group; nothing else is changed by it. */
static void default_group(void)
{
    int me = test_rank(), n = test_ranks(), absolute[MOST_RANKS], members, last;
    void *base[MOST_RANKS];
    ARMCI_Group world, mine, seen, small;
    ARMCI_Group_get_world(&world);
    members = make_parity_group(absolute, &mine);
    last = members - 1;
    ARMCI_Group_set_default(&mine);
    ARMCI_Group_get_default(&seen);
    check_group(&seen, absolute, members, "default group");
    if (me == absolute[last]) {
        ARMCI_Group_create(1, &last, &small);
        check_group(&small, &absolute[last], 1, "group made in the default group");
        ARMCI_Group_free(&small);
    }
    check_long(armci_msg_me(), me, "armci_msg_me is not changed by the default group");
    check_long(armci_msg_nproc(), n, "armci_msg_nproc is not changed by the default group");
    ARMCI_Malloc(base, 8);
    ARMCI_PutValueInt(me, base[(me + 1) % n], (me + 1) % n);
    ARMCI_Barrier();
    check_long(ARMCI_GetValueInt(base[me], me), (me + n - 1) % n,
               "ARMCI_Malloc is not changed by the default group");
    ARMCI_Free(base[me]);
    ARMCI_Group_set_default(&world);
    ARMCI_Group_free(&mine);
}

static void copied_by_value(void)
{
    int n = test_ranks(), list[MOST_RANKS];
    ARMCI_Group original, copy;
    for (int i = 0; i < n; i++)
        list[i] = (i + 1) % n;
    ARMCI_Group_create(n, list, &original);
    copy = original;
    memset(&original, 0x5a, sizeof original);
    check_group(&copy, list, n, "copy of a group");
    use_group(&copy, list, n, "copy of a group");
    ARMCI_Group_set_default(&copy);
    ARMCI_Group_get_default(&original);
    check_group(&original, list, n, "copy of a group, out of the default");
    ARMCI_Group_get_world(&original);
    ARMCI_Group_set_default(&original);
    ARMCI_Group_free(&copy);
}

/* A group and a region on it: a number for each member, a sum, a counter; ranks are those of the
 * world. */
enum { SUM = MOST_RANKS, COUNTER, NUMBERS };
struct part {
    ARMCI_Group group;
    int size, rank[MOST_RANKS], place; /* place: the caller's, -1: no member */
    long *base[MOST_RANKS];
};

/* The ranks first, first + step, ... below `end`. */
static void create_part(struct part *g, int first, int end, int step)
{
    *g = (struct part){.size = 0};
    for (int p = first; p < end; p += step)
        g->rank[g->size++] = p;
    g->place = place_in(g->rank, g->size);
    make_group(g->size, g->rank, &g->group);
    if (g->place >= 0)
        check_long(ARMCI_Malloc_group((void **)g->base, NUMBERS * sizeof(long), &g->group), 0,
                   "ARMCI_Malloc_group");
}

static void free_part(struct part *g)
{
    if (g->place < 0) return;
    check_long(ARMCI_Free_group(g->base[g->place], &g->group), 0, "ARMCI_Free_group");
    check_group(&g->group, g->rank, g->size, "one of overlapping groups");
    ARMCI_Group_free(&g->group);
}

/* Every member writes to every other and adds to one counter; then each looks at its own slice. */
static void use_part(struct part *g, long mark)
{
    long one = 1, ticket, *mine = g->place >= 0 ? g->base[g->place] : NULL;
    if (!mine) return;
    slice_fill(mine, 0, NUMBERS * sizeof(long));
    armci_msg_group_barrier(&g->group);
    for (int i = 0; i < g->size; i++) {
        ARMCI_PutValueLong(mark + g->place, g->base[i] + g->place, g->rank[i]);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, g->base[i] + SUM, sizeof one, g->rank[i]);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, g->base[i] + COUNTER, 1, g->rank[i]);
    }
    ARMCI_AllFence();
    armci_msg_group_barrier(&g->group);
    ARMCI_Access_begin(mine);
    for (int i = 0; i < g->size; i++)
        check_long(mine[i], mark + i, "group of %d: what member %d put", g->size, i);
    check_long(mine[SUM], g->size, "group of %d: accumulated", g->size);
    check_long(mine[COUNTER], g->size, "group of %d: tickets", g->size);
    ARMCI_Access_end(mine);
}

static void overlapping(void)
{
    enum { PARTS = 5 };
    static const int free_order[PARTS] = {3, 0, 4, 2, 1};
    int n = test_ranks();
    struct part g[PARTS];
    create_part(&g[0], 0, n, 1);
    create_part(&g[1], 0, n > 1 ? n - 1 : 1, 1);
    create_part(&g[2], n > 1 ? 1 : 0, n, 1);
    create_part(&g[3], 0, n, 2);
    create_part(&g[4], n - 1, n, 1);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < PARTS; i++)
            use_part(&g[i], 1000 * round + 100 * i);
        ARMCI_Barrier();
    }
    for (int f = 0; f < PARTS; f++) {
        free_part(&g[free_order[f]]);
        for (int later = f + 1; later < PARTS; later++)
            use_part(&g[free_order[later]], 7000 + 10 * f);
    }
    ARMCI_Barrier();
}

/* Collective calls of the world and of a group of all; test_peers.py counts the processes that each
 * process sends to meanwhile. */
static void collective_calls(void)
{
    int n = test_ranks(), list[MOST_RANKS];
    ARMCI_Group world, all;
    ARMCI_Group_get_world(&world);
    list_ranks(0, 1, list);
    ARMCI_Group_create_child(n, list, &all, &world);
    for (int i = 0; i < 2; i++) {
        ARMCI_Group *group = i ? &all : &world;
        void *base[MOST_RANKS];
        check_long(ARMCI_Malloc_group(base, 4096, group), 0, "ARMCI_Malloc_group");
        armci_exchange_address_grp(base, n, group);
        check_long(ARMCI_Free_group(base[test_rank()], group), 0, "ARMCI_Free_group");
    }
    ARMCI_Group_free(&all);
    check_long(ARMCI_Create_mutexes(3), 0, "ARMCI_Create_mutexes");
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    ARMCI_Barrier();
}

/* A region outlives a fence, barrier and free of others; made and freed often, nothing runs out. */
static void made_often(void)
{
    int n = test_ranks(), list[MOST_RANKS];
    ARMCI_Group group;
    list_ranks(0, 1, list);
    for (int round = 0; round < effort(40); round++) {
        ARMCI_Group_create(n, list, &group);
        if (round % 10 == 0) use_group(&group, list, n, "group made often");
        ARMCI_Group_free(&group);
    }
}

/* The even, the odd, the lower and the upper half of the ranks in turns. */
static int half_of_ranks(int which, int list[])
{
    int n = test_ranks(), members = 0;
    for (int p = 0; p < n; p++) {
        bool in[] = {p % 2 == 0, p % 2 == 1, p < (n + 1) / 2, p >= (n + 1) / 2};
        if (in[which % 4]) list[members++] = p;
    }
    return members;
}

/* All alive, each with a region whose slices the next members have written. */
static void thousand_at_once(void)
{
    enum { GROUPS = 1000 };
    static ARMCI_Group groups[GROUPS];
    static void *bases[GROUPS][MOST_RANKS];
    int list[MOST_RANKS];
    for (int i = 0; i < GROUPS; i++) {
        int members = half_of_ranks(i, list), place = place_in(list, members);
        if (place < 0) continue;
        int next = (place + 1) % members, value = 1000 * i + next;
        ARMCI_Group_create(members, list, &groups[i]);
        check_long(ARMCI_Malloc_group(bases[i], sizeof(int), &groups[i]), 0,
                   "ARMCI_Malloc_group of group %d", i);
        ARMCI_Put(&value, bases[i][next], sizeof value, list[next]);
    }
    ARMCI_Barrier();
    for (int i = 0; i < GROUPS; i++) {
        int members = half_of_ranks(i, list), place = place_in(list, members);
        if (place < 0) continue;
        for (int m = 0; m < members; m++) {
            int seen = -1;
            ARMCI_Get(bases[i][m], &seen, sizeof seen, list[m]);
            check_long(seen, 1000 * i + m, "group %d, member %d", i, m);
        }
        check_long(ARMCI_Free_group(bases[i][place], &groups[i]), 0, "ARMCI_Free_group");
        ARMCI_Group_free(&groups[i]);
    }
}

/* Where the PMIx of Open MPI 5 maps files: the library must find another place for its memory. */
__attribute__((constructor)) static void map_as_pmix(void)
{
    static const uintptr_t places[] = {0x1fc0bc000000, 0x3f8154000000};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        mmap((void *)places[i], 4096, PROT_READ, /* may be taken already */
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static void thousand_groups(void)
{
    struct held before = {0};
    if (!needs_few_ranks(8)) return;
    /* More communicators than MPICH has at a time. Where ranks wait for a processor, two rounds
     * pass until each has seen all pages of the small regions. */
    for (int round = 0; round < 8; round++) {
        thousand_at_once();
        if (round == 2) before = held();
    }
    check_held(before);
}

static void split(void)
{
    int me = test_rank(), n = test_ranks(), list[MOST_RANKS], members = 0, rank = 9;
    ARMCI_Group world, part;
    ARMCI_Group_get_world(&world);
    for (int p = n - 1; p >= 0; p--)
        if (p % 2 == me % 2) list[members++] = p;
    check_long(ARMCIX_Group_split(&world, me % 2, -me, &part), 0, "ARMCIX_Group_split");
    check_group(&part, list, members, "part of a split");
    use_group(&part, list, members, "part of a split");
    ARMCI_Group_free(&part);
    check_long(ARMCIX_Group_split(&world, me == 0 ? 3 : -1, 0, &part), 0,
               "ARMCIX_Group_split with a negative color");
    if (me == 0) {
        check_group(&part, &me, 1, "part of one");
        use_group(&part, &me, 1, "part of one");
    } else {
        check(ARMCI_Group_rank(&part, &rank) != 0 && rank == -1, "rank %d with a negative color",
              rank);
    }
    ARMCI_Group_free(&part);
}

static void duplicate(void)
{
    int n = test_ranks(), list[MOST_RANKS];
    ARMCI_Group first, second;
    list_ranks(n - 1, -1, list);
    ARMCI_Group_create(n, list, &first);
    check_long(ARMCIX_Group_dup(&first, &second), 0, "ARMCIX_Group_dup");
    check(first.comm != second.comm, "the duplicate has the communicator of the original");
    ARMCI_Group_free(&first);
    check_group(&second, list, n, "duplicate");
    use_group(&second, list, n, "duplicate");
    ARMCI_Group_free(&second);
}

static void malloc_and_free(ARMCI_Group *group)
{
    void *base[MOST_RANKS];
    int place;
    ARMCI_Group_rank(group, &place);
    check_long(ARMCI_Malloc_group(base, 64, group), 0, "ARMCI_Malloc_group");
    check_long(ARMCI_Free_group(base[place], group), 0, "ARMCI_Free_group");
}

/* Rank 2 waits for rank 3, which waits for rank 0, which waits for a get from rank 2.  Meanwhile
 * rank 2 has an early message from rank 1 for another group, which must not keep rank 2 from making
 * progress. Ranks 0 and 1 are on one node, 2 and 3 on another. */
static void early_message(void)
{
    enum { TAG = 7, GETS = 20 };
    int between[] = {1, 2}, near[] = {2, 3}, me = test_rank();
    ARMCI_Group across = {0}, beside = {0};
    if (!needs_ranks(4)) return;
    void **base = region_zeroed(sizeof(int));
    make_group(2, between, &across);
    make_group(2, near, &beside);
    if (place_in(between, 2) >= 0)
        malloc_and_free(&across); /* the first allocation makes progress by other means */
    if (place_in(near, 2) >= 0) malloc_and_free(&beside);
    ARMCI_Barrier();
    if (me == 0) {
        usleep(50000); /* until the message has arrived; if it has not, the test is easier */
        for (int i = 0; i < GETS; i++)
            check_long(ARMCI_GetValueInt(base[2], 2), 0, "value of rank 2");
        MPI_Send(NULL, 0, MPI_BYTE, 3, TAG, MPI_COMM_WORLD);
    }
    if (me == 3) MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (place_in(near, 2) >= 0) malloc_and_free(&beside);
    if (place_in(between, 2) >= 0) malloc_and_free(&across);
    if (place_in(near, 2) >= 0) ARMCI_Group_free(&beside);
    if (place_in(between, 2) >= 0) ARMCI_Group_free(&across);
    region_free(base);
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_group_of_all(ARMCI_Group *group)
{
    int everyone[MOST_RANKS];
    for (int i = 0; i < test_ranks(); i++)
        everyone[i] = i;
    make_group(test_ranks(), everyone, group);
}

/* Rank 0 comes late, and the others leave the processor until then; test_progress.c has the waits
 * that must not. */
static void late_member(void)
{
    enum { LATE = 300000 }; /* microseconds */
    ARMCI_Group group;
    if (test_mpi_serves()) {
        skip("they serve it");
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank() == 0) usleep(LATE);
    double used = processor_time();
    make_group_of_all(&group);
    used = processor_time() - used;
    check(used < 0.5e-6 * LATE, "%.0f ms of processor time while a member is %d ms late",
          1e3 * used, LATE / 1000);
    ARMCI_Group_free(&group);
}

/* ---- SIGURG, by which the library lets a process sleep in MPI's calls (mpi/comm.c) ---- */

static volatile sig_atomic_t urgent;

static void count_urgent(int number)
{
    (void)number;
    urgent = urgent + 1;
}

/* Its action is the program's after each call; the program gets no signal but its own. */
static void signal_of_program(void)
{
    ARMCI_Group group;
    void (*const actions[])(int) = {SIG_DFL, SIG_IGN, count_urgent};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        struct sigaction now, program = {.sa_handler = actions[i]};
        sigaction(SIGURG, &program, NULL);
        make_group_of_all(&group);
        ARMCI_Group_free(&group);
        sigaction(SIGURG, NULL, &now);
        check(!(now.sa_flags & SA_SIGINFO) && now.sa_handler == actions[i],
              "action %zu of SIGURG is not the program's", i);
    }
    raise(SIGURG);
    check_long(urgent, 1, "signals of the program");
    sigaction(SIGURG, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

/* Each process makes groups of itself as often as it likes, and uses memory there. */
static void groups_of_one(void)
{
    int me = test_rank();
    long three = 3, old;
    for (int i = 0; i < 5 * (me % 4 + 1); i++) {
        ARMCI_Group group;
        void *base[1];
        ARMCI_Group_create(1, &me, &group);
        check_long(ARMCI_Malloc_group(base, 16 << i, &group), 0, "ARMCI_Malloc_group");
        memset(base[0], 0, 16);
        ARMCI_Acc(ARMCI_ACC_LNG, &three, &three, base[0], sizeof three, me);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, base[0], 1, me);
        check_long(old, 9, "group %d: the sum", i);
        check_long(ARMCI_GetValueLong(base[0], me), 10, "group %d: the word", i);
        check_long(ARMCI_Free_group(base[0], &group), 0, "ARMCI_Free_group");
        ARMCI_Group_free(&group);
    }
}

static const struct test tests[] = {
    {"the world and the default group", world_group},
    {"a group leaves SIGURG to the program", signal_of_program},
    {"groups of lists of every kind", lists_of_every_kind},
    {"all processes call, some are no members", called_by_all},
    {"groups in groups", nested},
    {"ARMCI_Group_create counts in the default group", default_group},
    {"a copy of the struct is as good as the original", copied_by_value},
    {"overlapping groups with regions at the same time", overlapping},
    {"groups made and freed often", made_often},
    {"groups of one, each process as often as it likes", groups_of_one},
    {"1000 groups of half the ranks at once", thousand_groups},
    {"collective calls of all processes", collective_calls},
    {"ARMCIX_Group_split", split},
    {"ARMCIX_Group_dup", duplicate},
    {"members that wait for a late one leave the processor", late_member},
    {"a process makes progress while it has an early message of another group", early_message},
};
SUITE();
