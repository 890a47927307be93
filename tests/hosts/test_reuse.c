/* test_reuse.c - jobs that span nodes: large regions are freed, and their memory goes back to the
 * system and is used again, while transfers of other regions are under way. A network adapter may
 * still have the old pages registered: data would go there, or come from there. */
#include "../mpi/harness.h"

enum { MIB = 1 << 20, PIECE = MIB, LARGEST = 6 * MIB, LASTING = 4 * MIB };

/* Byte i of what `from` sends to `to` in a round. */
static void fill(unsigned char *at, size_t bytes, int from, int to, int round)
{
    uint64_t state = (uint64_t)(round * 10007 + from * 101 + to + 1);
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        memcpy(at + i, &state, 8);
    }
}

static unsigned char *piece, *seen;

/* A region of a team, by its members' world ranks. */
struct members {
    int n, me;
    int rank[MOST_RANKS];
    ARMCI_Group *group; /* NULL: the world */
};

static void exchange_in(const struct members *m, void *base[], size_t bytes, int round)
{
    int to = (m->me + 1 + round % (m->n > 1 ? m->n - 1 : 1)) % m->n;
    size_t at = bytes - PIECE;
    fill(piece, PIECE, m->rank[m->me], m->rank[to], round);
    ARMCI_Put(piece, (char *)base[to] + at, PIECE, m->rank[to]);
    ARMCI_AllFence();
    armci_msg_group_barrier(m->group);
    memset(seen, 0, PIECE);
    ARMCI_Get((char *)base[to] + at, seen, PIECE, m->rank[to]);
    check_bytes(seen, piece, PIECE, "round %d: what rank %d has put to %d", round, m->rank[m->me],
                m->rank[to]);
    /* The own slice as the local buffer: the client's adapter registers it, too. */
    memcpy(base[m->me], piece, PIECE);
    ARMCI_Put(base[m->me], (char *)base[to] + at, PIECE, m->rank[to]);
    ARMCI_Get((char *)base[to] + at, (char *)base[m->me] + PIECE, PIECE, m->rank[to]);
    check_bytes((unsigned char *)base[m->me] + PIECE, piece, PIECE,
                "round %d: what rank %d has put to %d from its slice", round, m->rank[m->me],
                m->rank[to]);
    armci_msg_group_barrier(m->group);
}

static void come_and_go(const struct members *m, int rounds)
{
    void *base[MOST_RANKS];
    for (int round = 0; round < rounds; round++) {
        size_t bytes = (size_t)(LARGEST - round % 4 * MIB);
        check_long(ARMCI_Malloc_group(base, (armci_size_t)bytes, m->group), 0,
                   "ARMCI_Malloc_group");
        fill(base[m->me], 64, 0, 0, 0);
        exchange_in(m, base, bytes, round);
        check_long(ARMCI_Free_group(base[m->me], m->group), 0, "ARMCI_Free_group");
    }
}

static struct members members_from(int first, ARMCI_Group *group)
{
    struct members m = {.me = test_rank() - first, .group = group};
    for (int p = first; p < test_ranks(); p++)
        m.rank[m.n++] = p;
    return m;
}

/* Rank 0, which is a server, is no member of the last rounds' group; it has a region of its own
 * with all others, whose gets are under way. */
static void reuse(void)
{
    int me = test_rank(), n = test_ranks(), far = n - 1 - me;
    void *lasting[MOST_RANKS];
    unsigned char *there = need_memory(LASTING);
    armci_hdl_t handle;
    piece = need_memory(PIECE);
    seen = need_memory(PIECE);
    check_long(ARMCI_Malloc(lasting, LASTING), 0, "ARMCI_Malloc");
    fill(lasting[me], LASTING, me, me, -1);
    ARMCI_Barrier();
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(lasting[far], there, LASTING, far, &handle);
    struct members all = members_from(0, NULL), some = members_from(1, NULL);
    ARMCI_Group world, but_first;
    ARMCI_Group_get_world(&world);
    all.group = &world;
    come_and_go(&all, effort(12));
    if (me > 0 && n > 2) {
        ARMCI_Group_create(some.n, some.rank, &but_first);
        some.group = &but_first;
        come_and_go(&some, effort(12));
        ARMCI_Group_free(&but_first);
    }
    ARMCI_Wait(&handle);
    unsigned char *wanted = need_memory(LASTING);
    fill(wanted, LASTING, far, far, -1);
    check_bytes(there, wanted, LASTING, "the slice of rank %d", far);
    ARMCI_Barrier();
    ARMCI_Free(lasting[me]);
    free(wanted);
    free(there);
    free(piece);
    free(seen);
}

static const struct test tests[] = {
    {"large regions come and go, and their memory is used again", reuse},
};
SUITE(.start = start_threaded);
