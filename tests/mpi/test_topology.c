/* test_topology.c - domains, nodes and what depends on them fit together, also with
 * ARMCI_NODES=rank. */
#include "harness.h"

enum { MOST = 64 };

static bool every_rank_a_node(void)
{
    const char *value = getenv("ARMCI_NODES");
    return value != NULL && strcmp(value, "rank") == 0;
}

static void domains_partition(void)
{
    int n = test_ranks(), domains = armci_domain_count(ARMCI_DOMAIN_SMP), seen[MOST] = {0},
        total = 0;
    check(domains >= 1 && domains <= n, "%d domains", domains);
    for (int d = 0; d < domains; d++) {
        int members = armci_domain_nprocs(ARMCI_DOMAIN_SMP, d), last = -1;
        check(members >= 1 && members <= n, "%d processes in domain %d", members, d);
        for (int i = 0; i < members; i++) {
            int p = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, d, i);
            if (!check(p >= 0 && p < n, "process %d of domain %d is %d", i, d, p)) return;
            check(p > last, "process %d of domain %d is %d after %d", i, d, p, last);
            check_long(armci_domain_id(ARMCI_DOMAIN_SMP, p), d, "domain of process %d", p);
            seen[p]++;
            last = p;
        }
        total += members;
    }
    check_long(total, n, "processes in all domains");
    for (int p = 0; p < n; p++)
        check_long(seen[p], 1, "how often process %d is in a domain", p);
}

static void my_domain(void)
{
    int me = test_rank(), mine = armci_domain_my_id(ARMCI_DOMAIN_SMP);
    check_long(mine, armci_domain_id(ARMCI_DOMAIN_SMP, me), "own domain");
    check_long(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1),
               armci_domain_nprocs(ARMCI_DOMAIN_SMP, mine), "processes in the own domain");
    for (int p = 0; p < test_ranks(); p++) {
        bool same = armci_domain_id(ARMCI_DOMAIN_SMP, p) == mine;
        check_long(armci_domain_same_id(ARMCI_DOMAIN_SMP, p), same, "armci_domain_same_id(%d)", p);
        check_long(ARMCI_Same_node(p), same, "ARMCI_Same_node(%d)", p);
        check_long(armci_sameclusnode(p), same, "armci_sameclusnode(%d)", p);
    }
    check_long(ARMCI_Same_node(me), 1, "ARMCI_Same_node of oneself");
}

static void all_agree(void)
{
    int n = test_ranks(), mine[MOST], first[MOST];
    for (int p = 0; p < n; p++)
        mine[p] = first[p] = armci_domain_id(ARMCI_DOMAIN_SMP, p);
    MPI_Bcast(first, n, MPI_INT, 0, test_comm());
    check_bytes(mine, first, (size_t)n * sizeof(int), "table of domains");
}

/* What MPI says about shared memory, or one node each where that is asked for. */
static void nodes_are_real(void)
{
    MPI_Comm near;
    int neighbours = -1;
    MPI_Comm_split_type(test_comm(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &neighbours);
    MPI_Comm_free(&near);
    if (every_rank_a_node()) neighbours = 1;
    check_long(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1), neighbours, "processes on this node");
    if (every_rank_a_node())
        check_long(armci_domain_count(ARMCI_DOMAIN_SMP), test_ranks(),
                   "domains with ARMCI_NODES=rank");
}

/* Is the memory of p where the caller could load it? */
static bool is_near(int p)
{
    return ARMCI_Uses_shm() && ARMCI_Same_node(p);
}

/* Byte i of a rank's slice. */
static char byte_of(int rank, int i)
{
    return (char)(rank * 7 + i % 251 * 13 + 93);
}

/* Where slices of neighbours are said to be shared, loads find what was stored and put, and stores
 * are seen. */
static void shared_where_said(void)
{
    enum { BYTES = 3 * 4096 + 24 };
    int n = test_ranks(), me = test_rank();
    void **base = region_create(BYTES);
    char *mine = base[me];
    static const int offsets[] = {0, 1, 4095, 4096, 9000, BYTES - 1};
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    check_long(ARMCI_Uses_shm_grp(&world), ARMCI_Uses_shm(), "ARMCI_Uses_shm_grp of the world");
    check(ARMCI_Uses_shm() == 0 || ARMCI_Uses_shm() == 1, "ARMCI_Uses_shm() = %d",
          ARMCI_Uses_shm());
    ARMCI_Access_begin(mine);
    for (int i = 0; i < BYTES; i++)
        mine[i] = byte_of(me, i);
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    for (int p = 0; p < n; p++) {
        char *there = ARMCIX_Local_address(base[p], p);
        check((there != NULL) == is_near(p) || every_rank_a_node(),
              "ARMCIX_Local_address of rank %d, which is %s, is %p", p, is_near(p) ? "near" : "far",
              (void *)there);
        if (!there) continue;
        check(p != me || there == mine, "the own slice is elsewhere");
        for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
            char *at = (char *)base[p] + offsets[i];
            check(ARMCIX_Local_address(at, p) == there + offsets[i],
                  "byte %d of rank %d is elsewhere", offsets[i], p);
            check_long(there[offsets[i]], byte_of(p, offsets[i]), "load of byte %d of rank %d",
                       offsets[i], p);
        }
        there[2000 + me] = (char)(100 + me);
        ARMCI_Put(&(char){(char)(50 + me)}, (char *)base[p] + 5000 + me, 1, p);
        check_long(there[5000 + me], 50 + me, "load after ARMCI_Put");
        ARMCI_Fence(p);
    }
    ARMCI_Barrier();
    for (int p = 0; p < n; p++) {
        if (!is_near(p)) continue;
        check_long(mine[2000 + p], 100 + p, "what rank %d stored", p);
        check_long(mine[5000 + p], 50 + p, "what rank %d put", p);
    }
    region_done(base);
}

static void limit_is_a_hint(void)
{
    void **base;
    ARMCI_Set_shm_limit(1);
    base = region_create(1 << 20);
    ARMCI_PutValueInt(7, (char *)base[test_rank()] + (1 << 20) - 8, test_rank());
    check_long(ARMCI_GetValueInt((char *)base[test_rank()] + (1 << 20) - 8, test_rank()), 7,
               "last bytes");
    region_free(base);
}

static const struct test tests[] = {
    {"every process is in one domain", domains_partition},
    {"the own domain and who is in it", my_domain},
    {"all processes see the same domains", all_agree},
    {"domains are the nodes of MPI, or one each", nodes_are_real},
    {"shared memory where it is said to be", shared_where_said},
    {"ARMCI_Set_shm_limit limits nothing", limit_is_a_hint},
};
SUITE();
