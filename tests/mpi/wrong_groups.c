/* wrong_groups.c - wrong groups for every function that takes one; wrong calls that make groups or
 * ask about nodes. */
#include <limits.h>

#include "wrong_calls.h"

enum { NULL_IS_RIGHT = 1, NO_MEMBER_IS_RIGHT = 2 };

static void *right_group(int is)
{
    static ARMCI_Group *group;
    (void)is;
    return &group;
}

static int invalid_groups(struct row *row, void *arguments)
{
    ARMCI_Group **group = arguments;
    MISTAKE(group_none, 0, NO_MEMBER_IS_RIGHT, GROUP, "", "", *group = &stage.none);
    MISTAKE(group_garbage, 0, 0, GROUP, "", "", *group = &stage.garbage);
    MISTAKE(group_freed, 0, 0, GROUP, "", "", *group = &stage.freed);
    MISTAKE(group_foreign, 0, NO_MEMBER_IS_RIGHT, GROUP, "", "", *group = &stage.foreign);
    MISTAKE(group_null, 0, NULL_IS_RIGHT, GROUP, "", "", *group = NULL);
    return 0;
}

/* The group that a wrong call should have made. */
static ARMCI_Group out;

static ARMCI_Group *new_group(void)
{
    out = stage.garbage;
    return &out;
}

/* A group that could not be made has no members. */
static int no_group(void)
{
    check(out.comm == MPI_COMM_NULL && out.rank == -1 && out.size == 0, "a group: rank %d, size %d",
          out.rank, out.size);
    return NO_CODE;
}

static int tree_in(ARMCI_Group *g)
{
    int at[4] = {-7, -7, -7, -7};
    armci_msg_group_bintree(SCOPE_ALL, &at[0], &at[1], &at[2], &at[3], g);
    check(at[0] == -7 && at[1] == -7 && at[2] == -7 && at[3] == -7,
          "a place in the tree of an invalid group");
    return NO_CODE;
}

#define GROUP_FUNCTION(NAME, CALL)  FUNCTION_OF(NAME, "group", NULL, 0, CALL)
#define PARENT_FUNCTION(NAME, CALL) FUNCTION_OF(NAME, "parent", NULL, 0, CALL)

static int with_group(struct row *row, void *arguments)
{
    ARMCI_Group **g = arguments;
    static void *table[MOST_RANKS];
    static int list[1];
    void *here = stage.here;
    GROUP_FUNCTION(ARMCI_Malloc_group, ARMCI_Malloc_group(table, 8, *g));
    GROUP_FUNCTION(ARMCI_Malloc_group_memdev, ARMCI_Malloc_group_memdev(table, 8, *g, "node"));
    GROUP_FUNCTION(ARMCI_Free_group, ARMCI_Free_group(stage.mine, *g));
    FUNCTION_OF(ARMCI_Free_group, "group", "nothing_of_", 0, ARMCI_Free_group(NULL, *g));
    GROUP_FUNCTION(ARMCIX_Mode_set, ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.mine, *g));
    GROUP_FUNCTION(ARMCI_GroupFence, SILENT(ARMCI_GroupFence(*g)));
    GROUP_FUNCTION(ARMCI_GroupBarrier, SILENT(ARMCI_GroupBarrier(*g)));
    GROUP_FUNCTION(ARMCI_Absolute_id, -ARMCI_Absolute_id(*g, 0));
    /* NULL: see below. */
    FUNCTION_OF(ARMCI_Group_free, "group", NULL, NULL_IS_RIGHT | NO_MEMBER_IS_RIGHT,
                SILENT(ARMCI_Group_free(*g)));
    GROUP_FUNCTION(ARMCI_Group_set_default, SILENT(ARMCI_Group_set_default(*g)));
    GROUP_FUNCTION(armci_group_comm,
                   gives_nothing(armci_group_comm(*g) == MPI_COMM_NULL, "armci_group_comm"));
    FUNCTION_OF(ARMCIX_Create_mutexes_hdl, "group", NULL, NULL_IS_RIGHT,
                gives_nothing(!ARMCIX_Create_mutexes_hdl(1, *g), "ARMCIX_Create_mutexes_hdl"));
    PARENT_FUNCTION(ARMCI_Group_create_child,
                    (ARMCI_Group_create_child(1, list, new_group(), *g), no_group()));
    PARENT_FUNCTION(ARMCIX_Group_split, ARMCIX_Group_split(*g, 0, 0, &out));
    PARENT_FUNCTION(ARMCIX_Group_dup, ARMCIX_Group_dup(*g, &out));
    GROUP_FUNCTION(armci_msg_group_barrier, SILENT(armci_msg_group_barrier(*g)));
    GROUP_FUNCTION(armci_msg_group_bintree, tree_in(*g));
    GROUP_FUNCTION(armci_grp_clus_brdcst, SILENT(armci_grp_clus_brdcst(here, 8, 0, 1, *g)));
    GROUP_FUNCTION(armci_msg_group_bcast_scope,
                   SILENT(armci_msg_group_bcast_scope(SCOPE_ALL, here, 8, 0, *g)));
    GROUP_FUNCTION(armci_msg_group_gop_scope,
                   SILENT(armci_msg_group_gop_scope(SCOPE_ALL, here, 1, "+", ARMCI_LONG, *g)));
    GROUP_FUNCTION(armci_msg_group_igop, SILENT(armci_msg_group_igop(here, 1, "+", *g)));
    GROUP_FUNCTION(armci_msg_group_lgop, SILENT(armci_msg_group_lgop(here, 1, "+", *g)));
    GROUP_FUNCTION(armci_msg_group_llgop, SILENT(armci_msg_group_llgop(here, 1, "+", *g)));
    GROUP_FUNCTION(armci_msg_group_fgop, SILENT(armci_msg_group_fgop(here, 1, "+", *g)));
    GROUP_FUNCTION(armci_msg_group_dgop, SILENT(armci_msg_group_dgop(here, 1, "+", *g)));
    GROUP_FUNCTION(armci_exchange_address_grp, SILENT(armci_exchange_address_grp(table, 1, *g)));
    return 0;
}

static int create(int n, int *list)
{
    ARMCI_Group_create(n, list, new_group());
    return no_group();
}

static int child(int n, int *list)
{
    ARMCI_Group_create_child(n, list, new_group(), &stage.world);
    return no_group();
}

/* Rank 1 of the world, which the parent, the caller alone, does not have. */
static int child_of_self(void)
{
    int rank = 1;
    ARMCI_Group_create_child(1, &rank, new_group(), &stage.self);
    return no_group();
}

/* The caller twice; alone, a rank that is not there takes its place, since a group of 2 has too
 * many members. */
static int twice(int (*make)(int, int *))
{
    int list[2] = {stage.me, stage.me};
    return stage.n > 1 ? make(2, list) : make(1, &stage.n);
}

static int free_world(void)
{
    ARMCI_Group copy = stage.world;
    ARMCI_Group_free(&copy);
    return NO_CODE;
}

static int creation(struct row *row)
{
    int *me = &stage.me, below = -1, largest = INT_MAX, smallest = INT_MIN;
    WRONG(ARMCI_Group_create, n_zero, COUNT, "n", "0", create(0, me));
    WRONG(ARMCI_Group_create, n_negative, COUNT, "n", "-1", create(-1, me));
    WRONG(ARMCI_Group_create, n_many, COUNT, "n", "", create(stage.n + 1, me));
    WRONG(ARMCI_Group_create, n_largest, COUNT, "n", "2147483647", create(INT_MAX, me));
    WRONG(ARMCI_Group_create, n_smallest, COUNT, "n", "-2147483648", create(INT_MIN, me));
    WRONG(ARMCI_Group_create, list_null, ADDRESS, "pid_list", "NULL", create(1, NULL));
    WRONG(ARMCI_Group_create, out_null, ADDRESS, "group_out", "NULL",
          SILENT(ARMCI_Group_create(1, me, NULL)));
    WRONG(ARMCI_Group_create, list_n, RANK, "pid_list", "pid_list[0] = ", create(1, &stage.n));
    WRONG(ARMCI_Group_create, list_negative, RANK, "pid_list", "pid_list[0] = -1",
          create(1, &below));
    WRONG(ARMCI_Group_create, list_largest, RANK, "pid_list", "pid_list[0] = 2147483647",
          create(1, &largest));
    WRONG(ARMCI_Group_create, list_smallest, RANK, "pid_list", "pid_list[0] = -2147483648",
          create(1, &smallest));
    WRONG(ARMCI_Group_create, twice, RANK, "pid_list", "pid_list[", twice(create));
    WRONG(ARMCI_Group_create_child, n_zero, COUNT, "n", "0", child(0, me));
    WRONG(ARMCI_Group_create_child, n_negative, COUNT, "n", "-2", child(-2, me));
    WRONG(ARMCI_Group_create_child, n_many, COUNT, "n", "", child(stage.n + 1, me));
    WRONG(ARMCI_Group_create_child, list_null, ADDRESS, "pid_list", "NULL", child(1, NULL));
    WRONG(ARMCI_Group_create_child, out_null, ADDRESS, "group_out", "NULL",
          SILENT(ARMCI_Group_create_child(1, me, NULL, &stage.world)));
    WRONG(ARMCI_Group_create_child, list_n, RANK, "pid_list", "pid_list[0] = ", child(1, &stage.n));
    WRONG(ARMCI_Group_create_child, list_negative, RANK, "pid_list", "pid_list[0] = -1",
          child(1, &below));
    WRONG(ARMCI_Group_create_child, not_in_parent, RANK, "pid_list", "pid_list[0] = 1",
          child_of_self());
    WRONG(ARMCI_Group_create_child, twice, RANK, "pid_list", "pid_list[", twice(child));
    WRONG(ARMCIX_Group_split, null, ADDRESS, "new_group", "NULL",
          ARMCIX_Group_split(&stage.world, 0, 0, NULL));
    WRONG(ARMCIX_Group_dup, null, ADDRESS, "new_group", "NULL",
          ARMCIX_Group_dup(&stage.world, NULL));
    OFF(ARMCI_Group_create, SILENT(ARMCI_Group_create(1, me, &out)));
    OFF(ARMCI_Group_create_child, SILENT(ARMCI_Group_create_child(1, me, &out, &stage.none)));
    OFF(ARMCIX_Group_split, ARMCIX_Group_split(&stage.none, 0, 0, &out));
    OFF(ARMCIX_Group_dup, ARMCIX_Group_dup(&stage.none, &out));
    return 0;
}

static int use_of_groups(struct row *row)
{
    int to;
    WRONG(ARMCI_Group_free, world, GROUP, "group", "world", free_world());
    WRONG(ARMCI_Group_free, null, ADDRESS, "group", "NULL", SILENT(ARMCI_Group_free(NULL)));
    WRONG(ARMCI_Group_rank, group_null, ADDRESS, "group", "NULL", ARMCI_Group_rank(NULL, &to));
    WRONG(ARMCI_Group_rank, rank_null, ADDRESS, "rank", "NULL",
          ARMCI_Group_rank(&stage.world, NULL));
    WRONG(ARMCI_Group_size, group_null, ADDRESS, "group", "NULL",
          SILENT(ARMCI_Group_size(NULL, &to)));
    WRONG(ARMCI_Group_size, size_null, ADDRESS, "size", "NULL",
          SILENT(ARMCI_Group_size(&stage.world, NULL)));
    WRONG(ARMCI_Group_get_default, null, ADDRESS, "group_out", "NULL",
          SILENT(ARMCI_Group_get_default(NULL)));
    WRONG(ARMCI_Group_get_world, null, ADDRESS, "group_out", "NULL",
          SILENT(ARMCI_Group_get_world(NULL)));
    WRONG(ARMCI_Absolute_id, of_self, RANK, "group_rank", "1", -ARMCI_Absolute_id(&stage.self, 1));
    OFF(ARMCI_Group_free, SILENT(ARMCI_Group_free(&stage.garbage)));
    OFF(ARMCI_Group_set_default, SILENT(ARMCI_Group_set_default(&stage.none)));
    OFF(ARMCI_Group_get_default, SILENT(ARMCI_Group_get_default(&out)));
    OFF(ARMCI_Group_get_world, SILENT(ARMCI_Group_get_world(&out)));
    OFF(ARMCI_Absolute_id, -ARMCI_Absolute_id(&stage.world, 0));
    OFF(armci_group_comm,
        gives_nothing(armci_group_comm(&stage.none) == MPI_COMM_NULL, "armci_group_comm"));
    OFF(ARMCIX_Get_world_comm,
        gives_nothing(ARMCIX_Get_world_comm() == MPI_COMM_NULL, "ARMCIX_Get_world_comm"));
    return 0;
}

enum { SMP = ARMCI_DOMAIN_SMP };
#define NEGATIVE(FUNCTION, ...) gives_nothing(FUNCTION(__VA_ARGS__) < 0, #FUNCTION)
#define ZERO(FUNCTION, ...)     gives_nothing(!FUNCTION(__VA_ARGS__), #FUNCTION)

static int with_rank(struct row *row, void *arguments)
{
    int *rank = arguments;
    RANK(ARMCI_Absolute_id, "group_rank", 0, -ARMCI_Absolute_id(&stage.world, *rank));
    RANK(armci_domain_nprocs, "id", MINUS_ONE_IS_RIGHT, NEGATIVE(armci_domain_nprocs, SMP, *rank));
    RANK(armci_domain_id, "glob_proc_id", 0, NEGATIVE(armci_domain_id, SMP, *rank));
    RANK(armci_domain_glob_proc_id, "id", 0, NEGATIVE(armci_domain_glob_proc_id, SMP, *rank, 0));
    RANK(armci_domain_same_id, "proc", 0, ZERO(armci_domain_same_id, SMP, *rank));
    RANK(ARMCI_Same_node, "proc", 0, ZERO(ARMCI_Same_node, *rank));
    RANK(armci_sameclusnode, "proc", 0, ZERO(armci_sameclusnode, *rank));
    RANK(ARMCIX_Local_address, "proc", 0, ZERO(ARMCIX_Local_address, stage.there, *rank));
    return 0;
}

static int nodes(struct row *row)
{
    WRONG(armci_domain_nprocs, domain, ARGUMENT, "domain", "1",
          NEGATIVE(armci_domain_nprocs, 1, -1));
    WRONG(armci_domain_nprocs, id_below, RANK, "id", "-2", NEGATIVE(armci_domain_nprocs, SMP, -2));
    WRONG(armci_domain_id, domain, ARGUMENT, "domain", "-1", NEGATIVE(armci_domain_id, -1, 0));
    WRONG(armci_domain_glob_proc_id, domain, ARGUMENT, "domain", "2147483647",
          NEGATIVE(armci_domain_glob_proc_id, INT_MAX, 0, 0));
    WRONG(armci_domain_glob_proc_id, member_many, RANK, "loc_proc_id", "n",
          NEGATIVE(armci_domain_glob_proc_id, SMP, 0, stage.n));
    WRONG(armci_domain_glob_proc_id, member_negative, RANK, "loc_proc_id", "-1",
          NEGATIVE(armci_domain_glob_proc_id, SMP, 0, -1));
    WRONG(armci_domain_glob_proc_id, member_largest, RANK, "loc_proc_id", "2147483647",
          NEGATIVE(armci_domain_glob_proc_id, SMP, 0, INT_MAX));
    WRONG(armci_domain_my_id, domain, ARGUMENT, "domain", "1", NEGATIVE(armci_domain_my_id, 1));
    WRONG(armci_domain_my_id, domain_smallest, ARGUMENT, "domain", "-2147483648",
          NEGATIVE(armci_domain_my_id, INT_MIN));
    WRONG(armci_domain_count, domain, ARGUMENT, "domain", "2", NEGATIVE(armci_domain_count, 2));
    WRONG(armci_domain_count, domain_negative, ARGUMENT, "domain", "-1",
          NEGATIVE(armci_domain_count, -1));
    WRONG(armci_domain_same_id, domain, ARGUMENT, "domain", "1", ZERO(armci_domain_same_id, 1, 0));
    WRONG(ARMCIX_Local_address, null, ADDRESS, "address", "",
          ZERO(ARMCIX_Local_address, NULL, stage.p));
    WRONG(ARMCIX_Local_address, local, ADDRESS, "address", "0x",
          ZERO(ARMCIX_Local_address, stage.nowhere, stage.p));
    WRONG(ARMCIX_Local_address, gone, ADDRESS, "address", "0x",
          ZERO(ARMCIX_Local_address, stage.gone, stage.p));
    WRONG(ARMCIX_Local_address, before, ADDRESS, "address", "0x",
          ZERO(ARMCIX_Local_address, stage.there - 1, stage.p));
    WRONG(ARMCIX_Local_address, after, ADDRESS, "address", "0x",
          ZERO(ARMCIX_Local_address, stage.there + SLICE, stage.p));
    OFF(armci_domain_nprocs, NEGATIVE(armci_domain_nprocs, SMP, 0));
    OFF(armci_domain_id, NEGATIVE(armci_domain_id, SMP, 0));
    OFF(armci_domain_glob_proc_id, NEGATIVE(armci_domain_glob_proc_id, SMP, 0, 0));
    OFF(armci_domain_my_id, NEGATIVE(armci_domain_my_id, SMP));
    OFF(armci_domain_count, NEGATIVE(armci_domain_count, SMP));
    OFF(armci_domain_same_id, ZERO(armci_domain_same_id, SMP, 0));
    OFF(ARMCI_Same_node, ZERO(ARMCI_Same_node, 0));
    OFF(armci_sameclusnode, ZERO(armci_sameclusnode, 0));
    OFF(ARMCIX_Local_address, ZERO(ARMCIX_Local_address, stage.there, 0));
    OFF(ARMCI_Uses_shm, ZERO(ARMCI_Uses_shm));
    OFF(ARMCI_Uses_shm_grp, ZERO(ARMCI_Uses_shm_grp, &stage.none));
    NEVER_WRONG(ARMCI_Set_shm_limit);
    return 0;
}

void wrong_groups_collect(void)
{
    static const struct product groups = {with_group, invalid_groups, right_group, NULL, ALWAYS};
    wrong_calls_add_product(&groups);
    wrong_calls_add_ranks(with_rank);
    wrong_calls_add(creation);
    wrong_calls_add(use_of_groups);
    wrong_calls_add(nodes);
}
