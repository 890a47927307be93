/* test_traffic.c - how many messages a process sends in a collective call, and to how many others:
 * few, whatever the number of processes. The program counts by MPI's profiling interface. Messages
 * inside MPI's own collectives are not seen; their calls are counted. */
#include <stdatomic.h>

#include "pretended_nodes.h"
#include "harness.h"

static atomic_long messages, collectives;
static atomic_bool is_peer[MOST_RANKS];

/* ---- the calls of the library ---- */

static void count_message(int to, MPI_Comm comm)
{
    MPI_Group here, world;
    int process;
    PMPI_Comm_group(comm, &here);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(here, 1, &to, world, &process);
    PMPI_Group_free(&here);
    PMPI_Group_free(&world);
    messages++;
    is_peer[process] = true;
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count_message(to, comm);
    return PMPI_Send(buffer, n, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count_message(to, comm);
    return PMPI_Isend(buffer, n, type, to, tag, comm, request);
}

/* A collective call with these parameters and arguments. */
/* clang-format off */
#define COLLECTIVE(NAME, PARAMETERS, ARGUMENTS) int MPI_##NAME PARAMETERS { collectives++; return PMPI_##NAME ARGUMENTS; }
COLLECTIVE(Barrier, (MPI_Comm comm), (comm))
COLLECTIVE(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
COLLECTIVE(Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm), (data, n, type, root, comm))
COLLECTIVE(Ibcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *r), (data, n, type, root, comm, r))
COLLECTIVE(Allreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (from, to, n, type, op, comm))
COLLECTIVE(Iallreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *r),
           (from, to, n, type, op, comm, r))
COLLECTIVE(Allgather, (const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype other, MPI_Comm comm),
           (from, n, type, to, m, other, comm))
COLLECTIVE(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
COLLECTIVE(Comm_idup, (MPI_Comm comm, MPI_Comm *copy, MPI_Request *request), (comm, copy, request))
COLLECTIVE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *part), (comm, color, key, part))
COLLECTIVE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part), (comm, group, tag, part))
/* clang-format on */

static int ranks_on_a_node(void)
{
    const char *text = getenv("ARMCI_TEST_NODE");
    return text ? atoi(text) : test_ranks();
}

/* ---- what is counted ---- */

/* Of one call: the most of any process. */
struct traffic {
    long of_leaders, of_others; /* messages of the first process of a node, of all others */
    long peers, collectives;
};

/* Since the last measurement, or the start of the program. */
static struct traffic measure(void)
{
    long mine[4] = {0}, most[4];
    PMPI_Barrier(MPI_COMM_WORLD); /* servers have sent what they owe */
    mine[test_rank() % ranks_on_a_node() != 0] = messages;
    for (int i = 0; i < test_ranks(); i++)
        mine[2] += is_peer[i];
    mine[3] = collectives;
    messages = collectives = 0;
    for (int i = 0; i < MOST_RANKS; i++)
        is_peer[i] = false;
    PMPI_Allreduce(mine, most, 4, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    return (struct traffic){most[0], most[1], most[2], most[3]};
}

/* Rounded up. */
static int log2_of(int n)
{
    int log = 0;
    while (1 << log < n)
        log++;
    return log;
}

/* ---- the calls ---- */

static void init(void)
{
    /* the start of this program has called ARMCI_Init */
}

static void *equal[MOST_RANKS], *unequal[MOST_RANKS], *of_group[MOST_RANKS];
static ARMCI_Group half;
static int members;

static int in_half(void)
{
    return test_rank() < members;
}

static void malloc_equal(void)
{
    ARMCI_Malloc(equal, 4096);
}

static void malloc_unequal(void)
{
    ARMCI_Malloc(unequal, 64 * (1 + test_rank()));
}

static void free_equal(void)
{
    ARMCI_Free(equal[test_rank()]);
}

static void free_unequal(void)
{
    ARMCI_Free(unequal[test_rank()]);
}

static void barrier(void)
{
    ARMCI_Barrier();
}

/* Every process has a put under way to the other end of the job. */
static void put_and_fence(void)
{
    int to = test_ranks() - 1 - test_rank();
    ARMCI_PutValueInt(1, unequal[to], to);
    ARMCI_Fence(to);
}

static void put_with_flag(void)
{
    int to = test_ranks() - 1 - test_rank(), value = 1, *at = unequal[to];
    ARMCI_Put_flag(&value, at, sizeof value, at + 1, 1, to);
}

static void fence(void)
{
    ARMCI_Fence(test_ranks() - 1 - test_rank());
}

static void put_and_all_fence(void)
{
    int to = test_ranks() - 1 - test_rank();
    ARMCI_PutValueInt(1, unequal[to], to);
    ARMCI_AllFence();
}

static void create_group(void)
{
    int list[MOST_RANKS];
    members = (test_ranks() + 1) / 2;
    for (int i = 0; i < members; i++)
        list[i] = i;
    if (in_half()) ARMCI_Group_create(members, list, &half);
}

static void malloc_group(void)
{
    if (in_half()) ARMCI_Malloc_group(of_group, 64, &half);
}

static void free_group(void)
{
    if (in_half()) ARMCI_Free_group(of_group[test_rank()], &half);
}

static void end_group(void)
{
    if (in_half()) ARMCI_Group_free(&half);
}

static void create_mutexes(void)
{
    ARMCI_Create_mutexes(1);
}

/* Mutexes of all processes of the caller's node: those of one at a time. */
static void lock_on_node(void)
{
    int on_a_node = ranks_on_a_node(), first = test_rank() / on_a_node * on_a_node;
    for (int p = first; p < first + on_a_node && p < test_ranks(); p++) {
        ARMCI_Lock(0, p);
        ARMCI_Unlock(0, p);
    }
}

static void destroy_mutexes(void)
{
    ARMCI_Destroy_mutexes();
}

/* Messages of a process: multiples of the rounded base-2 logarithms of numbers of nodes and
 * processes, and a constant.  `half`: of the group, half of all. */
struct count {
    int nodes, processes, half_nodes, half_processes, each_on_node, constant;
};

/* clang-format off */
static const struct row {
    const char *name;
    void (*call)(void);
    struct count leaders, others;
    int collectives;    /* at most */
    bool leaders_probe; /* the count of leaders is a bound: they measure the network, in pairs */
} rows[] = {
    {"ARMCI_Init", init, {.processes = 1, .constant = 80}, {.processes = 1}, 37, true},
    {"the first ARMCI_Malloc", malloc_equal, {.nodes = 2}, {0}, 9},
    {"ARMCI_Free", free_equal, {.nodes = 1}, {0}, 0},
    {"ARMCI_Malloc", malloc_equal, {.nodes = 2}, {0}, 0},
    {"ARMCI_Free", free_equal, {.nodes = 1}, {0}, 0},
    {"ARMCI_Malloc of different sizes", malloc_unequal, {.nodes = 3}, {0}, 0},
    {"ARMCI_Barrier", barrier, {.nodes = 1}, {0}, 0},
    /* The leader of a node acknowledges the puts of all processes of another one. */
    {"a put and ARMCI_Fence", put_and_fence, {.each_on_node = 1, .constant = 1}, {.constant = 1}, 0},
    {"ARMCI_Put_flag", put_with_flag, {.constant = 1}, {.constant = 1}, 0},
    {"ARMCI_Fence behind it", fence, {.each_on_node = 1, .constant = 1}, {.constant = 1}, 0},
    {"a put and ARMCI_AllFence", put_and_all_fence, {.each_on_node = 1, .constant = 1}, {.constant = 1}, 0},
    {"ARMCI_Group_create", create_group, {.half_processes = 2}, {.half_processes = 2}, 1},
    {"the group's first ARMCI_Malloc_group", malloc_group, {.half_nodes = 2}, {0}, 9},
    {"ARMCI_Free_group", free_group, {.half_nodes = 1}, {0}, 0},
    {"ARMCI_Malloc_group", malloc_group, {.half_nodes = 2}, {0}, 0},
    {"ARMCI_Free_group", free_group, {.half_nodes = 1}, {0}, 0},
    {"ARMCI_Group_free", end_group, {0}, {0}, 1},
    {"ARMCI_Free of different sizes", free_unequal, {.nodes = 1}, {0}, 0},
    {"ARMCI_Create_mutexes", create_mutexes, {.nodes = 1}, {0}, 3},
    {"locks of the own node", lock_on_node, {0}, {0}, 0},
    {"ARMCI_Destroy_mutexes", destroy_mutexes, {0}, {0}, 1},
};
/* clang-format on */

static int part(int n, int each)
{
    return (n + each - 1) / each;
}

static int messages_of(const struct count *c)
{
    const int ranks = test_ranks(), each = ranks_on_a_node(), some = (ranks + 1) / 2;
    return c->nodes * log2_of(part(ranks, each)) + c->processes * log2_of(ranks) +
           c->half_nodes * log2_of(part(some, each)) + c->half_processes * log2_of(some) +
           c->each_on_node * each + c->constant;
}

/* Of an odd number of nodes one is in two pairs. */
static void few_messages(void)
{
    enum { PAIR_COLLECTIVES = 4 };
    const int ranks = test_ranks();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        r->call();
        struct traffic t = measure();
        if (test_rank() > 0) continue;
        printf("%-40s messages %2ld, %2ld, peers %2ld, collectives %2ld\n", r->name, t.of_leaders,
               t.of_others, t.peers, t.collectives);
        const int of_leaders = messages_of(&r->leaders);
        check(r->leaders_probe ? t.of_leaders <= of_leaders : t.of_leaders == of_leaders,
              "%s: %ld messages of a leader, expected %d", r->name, t.of_leaders, of_leaders);
        check_long(t.of_others, ranks_on_a_node() > 1 ? messages_of(&r->others) : 0,
                   "messages of another process in %s", r->name);
        check(t.peers <= 2 * log2_of(ranks) + 2, "%s: messages to %ld processes", r->name, t.peers);
        const int of_second_pair =
            r->leaders_probe && part(ranks, ranks_on_a_node()) % 2 ? PAIR_COLLECTIVES : 0;
        check(t.collectives <= r->collectives + of_second_pair, "%s: %ld collective calls of MPI",
              r->name, t.collectives);
    }
}

/* How many messages the caller sends while the last process makes n calls; no process makes a
 * collective call of the library. */
static long messages_while(int n, void (*call)(int i, const void *what), const void *what)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const long before = messages;
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n && test_rank() == test_ranks() - 1; i++)
        call(i, what);
    PMPI_Barrier(MPI_COMM_WORLD);
    return messages - before;
}

/* Mutexes of one owner, or of two in turn; with a fence behind each unlock, or without. */
struct locks {
    int owners;
    bool fenced;
};

static void lock_and_unlock(int i, const void *what)
{
    const struct locks *l = what;
    const int owner = i % l->owners * ranks_on_a_node();
    ARMCI_Lock(0, owner);
    ARMCI_Unlock(0, owner);
    if (l->fenced) ARMCI_AllFence();
}

/* A server replies to a lock, and does not acknowledge the unlock: the reply to the next lock does.
 * If that goes to another node, or a fence comes first, an acknowledgement is requested beside the
 * lock, or with the unlock: no message of a client does nothing else. */
static void locks_between_nodes(void)
{
    enum { PAIRS = 400, FIRST = 4, FEW = PAIRS / 20 };
    const struct locks of_one = {1, false}, of_two = {2, false}, with_fences = {1, true};
    const bool two_servers = 3 * ranks_on_a_node() <= test_ranks();
    ARMCI_Create_mutexes(1);
    messages_while(FIRST, lock_and_unlock, &of_one); /* connects */
    const long one = messages_while(PAIRS, lock_and_unlock, &of_one),
               two = two_servers ? messages_while(PAIRS, lock_and_unlock, &of_two) : 0,
               fenced = messages_while(PAIRS, lock_and_unlock, &with_fences),
               one_again = messages_while(PAIRS, lock_and_unlock, &of_one);
    if (test_rank() == 0) {
        check(one <= PAIRS + FEW, "%ld messages of a server for %d locks and unlocks", one, PAIRS);
        check(two <= PAIRS + FEW, "%ld messages of one of two servers for %d locks and unlocks",
              two, PAIRS);
        check(one_again <= PAIRS + FEW, "%ld messages of a server for %d locks and unlocks",
              one_again, PAIRS);
    }
    if (test_rank() == test_ranks() - 1)
        check(fenced <= 2 * PAIRS + FEW,
              "%ld messages of a client for %d locks, unlocks and fences", fenced, PAIRS);
    ARMCI_Destroy_mutexes();
}

enum { FRAGMENTED = 60000 }; /* bytes of several messages */

static void put_fragments(int i, const void *there)
{
    static char data[FRAGMENTED];
    (void)i;
    ARMCI_Put(data, (void *)there, FRAGMENTED, 0);
    ARMCI_Fence(0);
}

/* A put of several messages is acknowledged with its last one, if it takes less than half of the
 * window, which is part of 4 MiB of all clients. */
static void fragments_between_nodes(void)
{
    enum { PUTS = 200, FEW = PUTS / 20, MOST = 32 };
    void *base[MOST_RANKS];
    if (!needs_few_ranks(MOST)) return;
    ARMCI_Malloc(base, FRAGMENTED);
    const long sent = messages_while(PUTS, put_fragments, base[0]);
    if (test_rank() == 0)
        check(sent <= PUTS + FEW, "%ld messages of a server for %d puts", sent, PUTS);
    if (test_rank() == test_ranks() - 1)
        check(sent >= 2 * PUTS, "%ld messages of a client for %d puts of %d bytes", sent, PUTS,
              FRAGMENTED);
    ARMCI_Free(base[test_rank()]);
}

static void count_up(int i, const void *there)
{
    long seen;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, (void *)there, 1, 0);
    check_long(seen, i, "count %d", i);
}

/* The reply to a counter is all that a server sends, however small the window. */
static void counters_between_nodes(void)
{
    enum { COUNTS = 200, FEW = COUNTS / 20 };
    void **base = region_zeroed(sizeof(long));
    const long sent = messages_while(COUNTS, count_up, base[0]);
    if (test_rank() == 0)
        check(sent <= COUNTS + FEW, "%ld messages of a server for %d counts", sent, COUNTS);
    region_done(base);
}

/* What flags_between_nodes puts: these of an aggregate handle, one with the flag, the flag. */
enum { QUEUED = 4 };

static void put_behind_queued(int i, const void *where)
{
    const long data[QUEUED] = {i + 1, 2, 3, 4};
    long *there = (void *)where;
    armci_hdl_t handle = new_aggregate();
    for (int k = 0; k < QUEUED; k++)
        ARMCI_NbPut((void *)&data[k], &there[k], sizeof data[k], 0, &handle);
    ARMCI_Put_flag((void *)data, &there[QUEUED], sizeof data[0], (int *)(void *)&there[QUEUED + 1],
                   i + 1, 0);
    ARMCI_Wait(&handle);
    ARMCI_Fence(0);
}

/* What an aggregate handle has queued travels with the flag behind it, also where nothing is
 * unacknowledged; the fence requests the acknowledgement by another message. */
static void flags_between_nodes(void)
{
    enum { FLAGS = 200, FEW = FLAGS / 20 };
    void **base = region_zeroed((2 + QUEUED) * sizeof(long));
    const long *there = base[0];
    const long sent = messages_while(FLAGS, put_behind_queued, base[0]);
    if (test_rank() == test_ranks() - 1)
        check(sent <= 2 * FLAGS + FEW, "%ld messages of a client for %d flags and fences", sent,
              FLAGS);
    if (test_rank() == 0)
        check(there[0] == FLAGS && there[QUEUED - 1] == QUEUED &&
                  *(const int *)(const void *)&there[QUEUED + 1] == FLAGS,
              "%ld, %ld, flag %ld", there[0], there[QUEUED - 1], there[QUEUED + 1]);
    region_done(base);
}

static const struct test tests[] = {
    {"collective calls send as many messages as the model says, to few processes", few_messages},
    {"a server sends one message for a lock and its unlock", locks_between_nodes},
    {"a server acknowledges a put of several messages once", fragments_between_nodes},
    {"what is queued in an aggregate handle travels with a flag", flags_between_nodes},
    {"a server sends one message for a count", counters_between_nodes},
};
SUITE(.start = start_threaded);
