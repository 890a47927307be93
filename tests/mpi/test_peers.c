/* test_peers.c - collective calls in the world and in groups of every size, also for check-peers, which counts the processes that each
 * process sends to in one run. */
#include "harness.h"

static void allocate_and_free(ARMCI_Group *group)
{
    void **base = need_memory((size_t)test_ranks() * sizeof *base);
    check_long(ARMCI_Malloc_group(base, 4096, group), 0, "ARMCI_Malloc_group");
    check_long(ARMCI_Free_group(base[test_rank()], group), 0, "ARMCI_Free_group");
    free(base);
}

/* Every member gets what every other contributes. */
static void exchange(ARMCI_Group *group, int n)
{
    void **all = need_zeroed((size_t)n * sizeof *all);
    all[test_rank()] = (char *)NULL + 1000 + test_rank();
    armci_exchange_address_grp(all, n, group);
    for (int i = 0; i < n; i++)
        check_long((char *)all[i] - (char *)NULL, 1000 + i, "of member %d of %d", i, n);
    free(all);
}

/* The first n processes. */
static void create_group(int n, ARMCI_Group *world)
{
    ARMCI_Group group;
    int *list = need_memory((size_t)test_ranks() * sizeof *list);
    list_ranks(0, 1, list);
    if (test_rank() < n) {
        ARMCI_Group_create_child(n, list, &group, world);
        exchange(&group, n);
        allocate_and_free(&group);
        ARMCI_Group_free(&group);
    }
    free(list);
}

static void collectives(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    exchange(&world, test_ranks());
    allocate_and_free(&world);
    create_group(test_ranks(), &world);
    check_long(ARMCI_Create_mutexes(3), 0, "ARMCI_Create_mutexes");
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    ARMCI_Barrier();
}

static void groups_of_every_size(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    for (int n = 1; n <= test_ranks(); n++)
        create_group(n, &world);
}

static const struct test tests[] = {
    {"collective calls of the world", collectives},
    {"groups of every size", groups_of_every_size},
};
SUITE();
