/* test_peers.c - every kind of collective call once, for check-peers, which counts the processes that each process sends to. */
#include "harness.h"

static void allocate_and_free(ARMCI_Group *group)
{
    void **base = need_memory((size_t)test_ranks() * sizeof *base);
    check_long(ARMCI_Malloc_group(base, 4096, group), 0, "ARMCI_Malloc_group");
    check_long(ARMCI_Free_group(base[test_rank()], group), 0, "ARMCI_Free_group");
    free(base);
}

static void create_group(ARMCI_Group *world)
{
    ARMCI_Group group;
    int *list = need_memory((size_t)test_ranks() * sizeof *list), n = list_ranks(0, 1, list);
    ARMCI_Group_create_child(n, list, &group, world);
    allocate_and_free(&group);
    ARMCI_Group_free(&group);
    free(list);
}

static void collectives(void)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    allocate_and_free(&world);
    create_group(&world);
    check_long(ARMCI_Create_mutexes(3), 0, "ARMCI_Create_mutexes");
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    ARMCI_Barrier();
}

static const struct test tests[] = {
    {"collective calls of every kind", collectives},
};
SUITE();
