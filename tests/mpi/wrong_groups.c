/* wrong_groups.c - wrong groups for every function that takes one; wrong calls that make groups or ask about nodes. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdio.h>

/* ------------------------------------------------------------------ what is no group */

struct wrong_group {
    const char *name;
    ARMCI_Group *group; /* NULL: NULL */
};
static const struct wrong_group wrong_groups[] = {
    { "none", &stage.none },       { "garbage", &stage.garbage }, { "freed", &stage.freed },
    { "foreign", &stage.foreign }, { "null", NULL },
};

/* ------------------------------------------------------------------ the functions */

static void *table[MOST_RANKS];
static int rank_list[1];

static int malloc_in(ARMCI_Group *g) { return ARMCI_Malloc_group(table, 8, g); }
static int malloc_memdev_in(ARMCI_Group *g) { return ARMCI_Malloc_group_memdev(table, 8, g, "node"); }
static int free_in(ARMCI_Group *g) { return ARMCI_Free_group(stage.mine, g); }
static int free_nothing_in(ARMCI_Group *g) { return ARMCI_Free_group(NULL, g); }
static int mode_in(ARMCI_Group *g) { return ARMCIX_Mode_set(ARMCIX_MODE_ALL, stage.mine, g); }
static int fence_in(ARMCI_Group *g) { ARMCI_GroupFence(g); return SAYS_NOTHING; }
static int absolute_in(ARMCI_Group *g) { return -ARMCI_Absolute_id(g, 0); }
static int free_group(ARMCI_Group *g) { ARMCI_Group_free(g); return SAYS_NOTHING; }
static int set_default(ARMCI_Group *g) { ARMCI_Group_set_default(g); return SAYS_NOTHING; }
static int communicator_of(ARMCI_Group *g)
{
    check(armci_group_comm(g) == MPI_COMM_NULL, "armci_group_comm gives a communicator");
    return SAYS_NOTHING;
}
static int mutexes_in(ARMCI_Group *g)
{
    check(!ARMCIX_Create_mutexes_hdl(1, g), "ARMCIX_Create_mutexes_hdl gives a set");
    return SAYS_NOTHING;
}

/* A group that could not be made has no members. */
static int no_group(const ARMCI_Group *g, int code)
{
    check(g->comm == MPI_COMM_NULL && g->rank == -1 && g->size == 0, "a group: rank %d, size %d", g->rank, g->size);
    return code;
}
static int child_of(ARMCI_Group *g)
{
    ARMCI_Group out = stage.garbage;

    ARMCI_Group_create_child(1, rank_list, &out, g);
    return no_group(&out, SAYS_NOTHING);
}
static int split_of(ARMCI_Group *g)
{
    ARMCI_Group out;

    return ARMCIX_Group_split(g, 0, 0, &out);
}
static int dup_of(ARMCI_Group *g)
{
    ARMCI_Group out;

    return ARMCIX_Group_dup(g, &out);
}

static int barrier_in(ARMCI_Group *g) { armci_msg_group_barrier(g); return SAYS_NOTHING; }
static int tree_in(ARMCI_Group *g)
{
    int at[4] = { -7, -7, -7, -7 };

    armci_msg_group_bintree(SCOPE_ALL, &at[0], &at[1], &at[2], &at[3], g);
    check(at[0] == -7 && at[1] == -7 && at[2] == -7 && at[3] == -7, "a place in the tree of no group");
    return SAYS_NOTHING;
}
static int bcast_in(ARMCI_Group *g)
{
    armci_msg_group_bcast_scope(SCOPE_ALL, stage.here, 8, 0, g);
    return SAYS_NOTHING;
}
static int gop_in(ARMCI_Group *g)
{
    armci_msg_group_gop_scope(SCOPE_ALL, stage.here, 1, "+", ARMCI_LONG, g);
    return SAYS_NOTHING;
}
static int igop_in(ARMCI_Group *g) { armci_msg_group_igop((int *)(void *)stage.here, 1, "+", g); return SAYS_NOTHING; }
static int lgop_in(ARMCI_Group *g) { armci_msg_group_lgop((void *)stage.here, 1, "+", g); return SAYS_NOTHING; }
static int llgop_in(ARMCI_Group *g) { armci_msg_group_llgop((void *)stage.here, 1, "+", g); return SAYS_NOTHING; }
static int fgop_in(ARMCI_Group *g) { armci_msg_group_fgop((void *)stage.here, 1, "+", g); return SAYS_NOTHING; }
static int dgop_in(ARMCI_Group *g) { armci_msg_group_dgop((void *)stage.here, 1, "+", g); return SAYS_NOTHING; }
static int exchange_in(ARMCI_Group *g) { armci_exchange_address_grp(table, 1, g); return SAYS_NOTHING; }

enum { NULL_IS_RIGHT = 1, NO_MEMBER_IS_RIGHT = 2 };

struct group_form {
    const char *function, *argument;
    int (*call)(ARMCI_Group *g);
    int but; /* what is no mistake */
    const char *what; /* added to the names, where a function is there twice */
};
static const struct group_form forms[] = {
    { "ARMCI_Malloc_group", "group", malloc_in, 0, "" },
    { "ARMCI_Malloc_group_memdev", "group", malloc_memdev_in, 0, "" },
    { "ARMCI_Free_group", "group", free_in, 0, "" },
    { "ARMCI_Free_group", "group", free_nothing_in, 0, "_of_nothing" },
    { "ARMCIX_Mode_set", "group", mode_in, 0, "" },
    { "ARMCI_GroupFence", "group", fence_in, 0, "" },
    { "ARMCI_Absolute_id", "group", absolute_in, 0, "" },
    { "ARMCI_Group_free", "group", free_group, NULL_IS_RIGHT | NO_MEMBER_IS_RIGHT, "" }, /* NULL: see below */
    { "ARMCI_Group_set_default", "group", set_default, 0, "" },
    { "armci_group_comm", "group", communicator_of, 0, "" },
    { "ARMCIX_Create_mutexes_hdl", "group", mutexes_in, NULL_IS_RIGHT, "" },
    { "ARMCI_Group_create_child", "parent", child_of, 0, "" },
    { "ARMCIX_Group_split", "parent", split_of, 0, "" },
    { "ARMCIX_Group_dup", "parent", dup_of, 0, "" },
    { "armci_msg_group_barrier", "group", barrier_in, 0, "" },
    { "armci_msg_group_bintree", "group", tree_in, 0, "" },
    { "armci_msg_group_bcast_scope", "group", bcast_in, 0, "" },
    { "armci_msg_group_gop_scope", "group", gop_in, 0, "" },
    { "armci_msg_group_igop", "group", igop_in, 0, "" },
    { "armci_msg_group_lgop", "group", lgop_in, 0, "" },
    { "armci_msg_group_llgop", "group", llgop_in, 0, "" },
    { "armci_msg_group_fgop", "group", fgop_in, 0, "" },
    { "armci_msg_group_dgop", "group", dgop_in, 0, "" },
    { "armci_exchange_address_grp", "group", exchange_in, 0, "" },
};

static int call_with_group(const void *form, const void *mistake)
{
    return ((const struct group_form *)form)->call(((const struct wrong_group *)mistake)->group);
}

static bool is_mistake(const struct group_form *f, const struct wrong_group *g)
{
    if (g->group == NULL)
        return !(f->but & NULL_IS_RIGHT);
    if (g->group == &stage.none || g->group == &stage.foreign)
        return !(f->but & NO_MEMBER_IS_RIGHT);
    return true;
}

static void add_groups(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (size_t k = 0; k < sizeof wrong_groups / sizeof wrong_groups[0]; k++) {
            struct wrong_call w = { .code = ARMCI_ERR_GROUP, .function = forms[i].function,
                                    .argument = forms[i].argument, .value = "", .of_family = call_with_group,
                                    .form = &forms[i], .mistake = &wrong_groups[k] };
            if (!is_mistake(&forms[i], &wrong_groups[k]))
                continue;
            snprintf(w.name, sizeof w.name, "%s.group_%s%s", w.function, wrong_groups[k].name, forms[i].what);
            wrong_calls_add(w);
        }
}

/* ------------------------------------------------------------------ making groups */

static int create(int n, int *list)
{
    ARMCI_Group out = stage.garbage;

    ARMCI_Group_create(n, list, &out);
    return no_group(&out, SAYS_NOTHING);
}
static int create_child(int n, int *list)
{
    ARMCI_Group out = stage.garbage;

    ARMCI_Group_create_child(n, list, &out, &stage.world);
    return no_group(&out, SAYS_NOTHING);
}
static int create_of(int rank) { return create(1, &rank); }
static int create_child_of(int rank) { return create_child(1, &rank); }
static int create_of_none(void) { return create(0, &stage.me); }
static int create_of_few(void) { return create(-1, &stage.me); }
static int create_of_many(void) { return create(stage.n + 1, &stage.me); }
static int create_of_most(void) { return create(INT_MAX, &stage.me); }
static int create_of_least(void) { return create(INT_MIN, &stage.me); }
static int create_of_null(void) { return create(1, NULL); }
static int create_no_out(void) { ARMCI_Group_create(1, &stage.me, NULL); return SAYS_NOTHING; }
static int child_of_none(void) { return create_child(0, &stage.me); }
static int child_of_few(void) { return create_child(-2, &stage.me); }
static int child_of_many(void) { return create_child(stage.n + 1, &stage.me); }
static int child_of_null(void) { return create_child(1, NULL); }
static int child_no_out(void)
{
    ARMCI_Group_create_child(1, &stage.me, NULL, &stage.world);
    return SAYS_NOTHING;
}
/* A rank of the world that the parent, the caller alone, has not. */
static int child_of_self(void)
{
    ARMCI_Group out = stage.garbage;
    int rank = 1;

    ARMCI_Group_create_child(1, &rank, &out, &stage.self);
    return no_group(&out, SAYS_NOTHING);
}
/* The caller twice; alone, a rank that is not there takes its place, since a group of 2 has too many members. */
static int twice(int (*make)(int, int *))
{
    int list[2] = { stage.me, stage.me };

    return stage.n > 1 ? make(2, list) : make(1, &stage.n);
}
static int create_twice(void) { return twice(create); }
static int child_twice(void) { return twice(create_child); }

static int free_world(void)
{
    ARMCI_Group copy = stage.world;

    ARMCI_Group_free(&copy);
    return SAYS_NOTHING;
}
static int free_null(void) { ARMCI_Group_free(NULL); return SAYS_NOTHING; }
static int rank_of_null(void) { int rank; return ARMCI_Group_rank(NULL, &rank); }
static int rank_to_null(void) { return ARMCI_Group_rank(&stage.world, NULL); }
static int size_of_null(void) { int size; ARMCI_Group_size(NULL, &size); return SAYS_NOTHING; }
static int size_to_null(void) { ARMCI_Group_size(&stage.world, NULL); return SAYS_NOTHING; }
static int default_to_null(void) { ARMCI_Group_get_default(NULL); return SAYS_NOTHING; }
static int world_to_null(void) { ARMCI_Group_get_world(NULL); return SAYS_NOTHING; }
static int absolute(int rank) { return -ARMCI_Absolute_id(&stage.world, rank); }
static int absolute_of_self(void) { return -ARMCI_Absolute_id(&stage.self, 1); }
static int split_to_null(void) { return ARMCIX_Group_split(&stage.world, 0, 0, NULL); }
static int dup_to_null(void) { return ARMCIX_Group_dup(&stage.world, NULL); }

/* ------------------------------------------------------------------ nodes: a wrong argument gives a negative number */

static int negative(int result, const char *function)
{
    check(result < 0, "%s gives %d", function, result);
    return SAYS_NOTHING;
}
static int zero(int result, const char *function)
{
    check_long(result, 0, "%s", function);
    return SAYS_NOTHING;
}
static int nprocs(int domain, int id) { return negative(armci_domain_nprocs(domain, id), "armci_domain_nprocs"); }
static int nprocs_of(int id) { return nprocs(ARMCI_DOMAIN_SMP, id); }
static int nprocs_domain(void) { return nprocs(1, -1); }
static int nprocs_none(void) { return nprocs(ARMCI_DOMAIN_SMP, -2); }
static int domain_of(int domain, int p) { return negative(armci_domain_id(domain, p), "armci_domain_id"); }
static int domain_of_rank(int p) { return domain_of(ARMCI_DOMAIN_SMP, p); }
static int domain_unknown(void) { return domain_of(-1, 0); }
static int member(int domain, int id, int p)
{
    return negative(armci_domain_glob_proc_id(domain, id, p), "armci_domain_glob_proc_id");
}
static int member_of(int id) { return member(ARMCI_DOMAIN_SMP, id, 0); }
static int member_domain(void) { return member(INT_MAX, 0, 0); }
static int member_many(void) { return member(ARMCI_DOMAIN_SMP, 0, stage.n); }
static int member_negative(void) { return member(ARMCI_DOMAIN_SMP, 0, -1); }
static int member_largest(void) { return member(ARMCI_DOMAIN_SMP, 0, INT_MAX); }
static int my_domain(void) { return negative(armci_domain_my_id(1), "armci_domain_my_id"); }
static int my_domain_negative(void) { return negative(armci_domain_my_id(INT_MIN), "armci_domain_my_id"); }
static int domains(void) { return negative(armci_domain_count(2), "armci_domain_count"); }
static int domains_negative(void) { return negative(armci_domain_count(-1), "armci_domain_count"); }
static int same_domain(int domain, int p) { return zero(armci_domain_same_id(domain, p), "armci_domain_same_id"); }
static int same_domain_rank(int p) { return same_domain(ARMCI_DOMAIN_SMP, p); }
static int same_domain_unknown(void) { return same_domain(1, 0); }
static int same_node(int p) { return zero(ARMCI_Same_node(p), "ARMCI_Same_node"); }
static int same_cluster_node(int p) { return zero(armci_sameclusnode(p), "armci_sameclusnode"); }

static int address_of(void *address, int p)
{
    check(!ARMCIX_Local_address(address, p), "ARMCIX_Local_address gives an address");
    return SAYS_NOTHING;
}
static int address_rank(int p) { return address_of(stage.there, p); }
static int address_null(void) { return address_of(NULL, stage.p); }
static int address_local(void) { return address_of(stage.nowhere, stage.p); }
static int address_gone(void) { return address_of(stage.gone, stage.p); }
static int address_before(void) { return address_of(stage.there - 1, stage.p); }
static int address_after(void) { return address_of(stage.there + SLICE, stage.p); }

/* ------------------------------------------------------------------ the list */

static const struct rank_form ranks[] = {
    { "ARMCI_Absolute_id", "group_rank", absolute, false },
    { "armci_domain_nprocs", "id", nprocs_of, true },
    { "armci_domain_id", "glob_proc_id", domain_of_rank, false },
    { "armci_domain_glob_proc_id", "id", member_of, false },
    { "armci_domain_same_id", "proc", same_domain_rank, false },
    { "ARMCI_Same_node", "proc", same_node, false },
    { "armci_sameclusnode", "proc", same_cluster_node, false },
    { "ARMCIX_Local_address", "proc", address_rank, false },
    { NULL, NULL, NULL, false },
};

static int list_n(void) { return create_of(stage.n); }
static int list_negative(void) { return create_of(-1); }
static int list_largest(void) { return create_of(INT_MAX); }
static int list_smallest(void) { return create_of(INT_MIN); }
static int child_list_n(void) { return create_child_of(stage.n); }
static int child_list_negative(void) { return create_child_of(-1); }

static const struct single_call singles[] = {
    { "ARMCI_Group_create", "n_zero", ARMCI_ERR_COUNT, "n", "0", create_of_none },
    { "ARMCI_Group_create", "n_negative", ARMCI_ERR_COUNT, "n", "-1", create_of_few },
    { "ARMCI_Group_create", "n_many", ARMCI_ERR_COUNT, "n", "", create_of_many },
    { "ARMCI_Group_create", "n_largest", ARMCI_ERR_COUNT, "n", "2147483647", create_of_most },
    { "ARMCI_Group_create", "n_smallest", ARMCI_ERR_COUNT, "n", "-2147483648", create_of_least },
    { "ARMCI_Group_create", "list_null", ARMCI_ERR_ADDRESS, "pid_list", "NULL", create_of_null },
    { "ARMCI_Group_create", "out_null", ARMCI_ERR_ADDRESS, "group_out", "NULL", create_no_out },
    { "ARMCI_Group_create", "list_n", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = ", list_n },
    { "ARMCI_Group_create", "list_negative", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = -1", list_negative },
    { "ARMCI_Group_create", "list_largest", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = 2147483647", list_largest },
    { "ARMCI_Group_create", "list_smallest", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = -2147483648", list_smallest },
    { "ARMCI_Group_create", "twice", ARMCI_ERR_RANK, "pid_list", "pid_list[", create_twice },
    { "ARMCI_Group_create_child", "n_zero", ARMCI_ERR_COUNT, "n", "0", child_of_none },
    { "ARMCI_Group_create_child", "n_negative", ARMCI_ERR_COUNT, "n", "-2", child_of_few },
    { "ARMCI_Group_create_child", "n_many", ARMCI_ERR_COUNT, "n", "", child_of_many },
    { "ARMCI_Group_create_child", "list_null", ARMCI_ERR_ADDRESS, "pid_list", "NULL", child_of_null },
    { "ARMCI_Group_create_child", "out_null", ARMCI_ERR_ADDRESS, "group_out", "NULL", child_no_out },
    { "ARMCI_Group_create_child", "list_n", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = ", child_list_n },
    { "ARMCI_Group_create_child", "list_negative", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = -1",
      child_list_negative },
    { "ARMCI_Group_create_child", "not_in_parent", ARMCI_ERR_RANK, "pid_list", "pid_list[0] = 1", child_of_self },
    { "ARMCI_Group_create_child", "twice", ARMCI_ERR_RANK, "pid_list", "pid_list[", child_twice },
    { "ARMCI_Group_free", "world", ARMCI_ERR_GROUP, "group", "world", free_world },
    { "ARMCI_Group_free", "null", ARMCI_ERR_ADDRESS, "group", "NULL", free_null },
    { "ARMCI_Group_rank", "group_null", ARMCI_ERR_ADDRESS, "group", "NULL", rank_of_null },
    { "ARMCI_Group_rank", "rank_null", ARMCI_ERR_ADDRESS, "rank", "NULL", rank_to_null },
    { "ARMCI_Group_size", "group_null", ARMCI_ERR_ADDRESS, "group", "NULL", size_of_null },
    { "ARMCI_Group_size", "size_null", ARMCI_ERR_ADDRESS, "size", "NULL", size_to_null },
    { "ARMCI_Group_get_default", "null", ARMCI_ERR_ADDRESS, "group_out", "NULL", default_to_null },
    { "ARMCI_Group_get_world", "null", ARMCI_ERR_ADDRESS, "group_out", "NULL", world_to_null },
    { "ARMCI_Absolute_id", "of_self", ARMCI_ERR_RANK, "group_rank", "1", absolute_of_self },
    { "ARMCIX_Group_split", "null", ARMCI_ERR_ADDRESS, "new_group", "NULL", split_to_null },
    { "ARMCIX_Group_dup", "null", ARMCI_ERR_ADDRESS, "new_group", "NULL", dup_to_null },
    { "armci_domain_nprocs", "domain", ARMCI_ERR_ARGUMENT, "domain", "1", nprocs_domain },
    { "armci_domain_nprocs", "id_below", ARMCI_ERR_RANK, "id", "-2", nprocs_none },
    { "armci_domain_id", "domain", ARMCI_ERR_ARGUMENT, "domain", "-1", domain_unknown },
    { "armci_domain_glob_proc_id", "domain", ARMCI_ERR_ARGUMENT, "domain", "2147483647", member_domain },
    { "armci_domain_glob_proc_id", "member_many", ARMCI_ERR_RANK, "loc_proc_id", "n", member_many },
    { "armci_domain_glob_proc_id", "member_negative", ARMCI_ERR_RANK, "loc_proc_id", "-1", member_negative },
    { "armci_domain_glob_proc_id", "member_largest", ARMCI_ERR_RANK, "loc_proc_id", "2147483647", member_largest },
    { "armci_domain_my_id", "domain", ARMCI_ERR_ARGUMENT, "domain", "1", my_domain },
    { "armci_domain_my_id", "domain_smallest", ARMCI_ERR_ARGUMENT, "domain", "-2147483648", my_domain_negative },
    { "armci_domain_count", "domain", ARMCI_ERR_ARGUMENT, "domain", "2", domains },
    { "armci_domain_count", "domain_negative", ARMCI_ERR_ARGUMENT, "domain", "-1", domains_negative },
    { "armci_domain_same_id", "domain", ARMCI_ERR_ARGUMENT, "domain", "1", same_domain_unknown },
    { "ARMCIX_Local_address", "null", ARMCI_ERR_ADDRESS, "address", "", address_null },
    { "ARMCIX_Local_address", "local", ARMCI_ERR_ADDRESS, "address", "0x", address_local },
    { "ARMCIX_Local_address", "gone", ARMCI_ERR_ADDRESS, "address", "0x", address_gone },
    { "ARMCIX_Local_address", "before", ARMCI_ERR_ADDRESS, "address", "0x", address_before },
    { "ARMCIX_Local_address", "after", ARMCI_ERR_ADDRESS, "address", "0x", address_after },
    { NULL, NULL, 0, NULL, NULL, NULL },
};

static int create_off(void) { ARMCI_Group out; ARMCI_Group_create(1, rank_list, &out); return SAYS_NOTHING; }
static int child_off(void)
{
    ARMCI_Group out;

    ARMCI_Group_create_child(1, rank_list, &out, &stage.none);
    return SAYS_NOTHING;
}
static int free_off(void) { return free_group(&stage.garbage); }
static int set_default_off(void) { return set_default(&stage.none); }
static int get_default_off(void) { ARMCI_Group out; ARMCI_Group_get_default(&out); return SAYS_NOTHING; }
static int get_world_off(void) { ARMCI_Group out; ARMCI_Group_get_world(&out); return SAYS_NOTHING; }
static int absolute_off(void) { return absolute(0); }
static int communicator_off(void) { return communicator_of(&stage.none); }
static int split_off(void) { return split_of(&stage.none); }
static int dup_off(void) { return dup_of(&stage.none); }
static int world_off(void)
{
    check(ARMCIX_Get_world_comm() == MPI_COMM_NULL, "ARMCIX_Get_world_comm gives a communicator");
    return SAYS_NOTHING;
}
static int nprocs_off(void) { return nprocs(ARMCI_DOMAIN_SMP, 0); }
static int domain_off(void) { return domain_of(ARMCI_DOMAIN_SMP, 0); }
static int member_off(void) { return member(ARMCI_DOMAIN_SMP, 0, 0); }
static int my_domain_off(void) { return negative(armci_domain_my_id(ARMCI_DOMAIN_SMP), "armci_domain_my_id"); }
static int domains_off(void) { return negative(armci_domain_count(ARMCI_DOMAIN_SMP), "armci_domain_count"); }
static int same_domain_off(void) { return same_domain(ARMCI_DOMAIN_SMP, 0); }
static int same_node_off(void) { return same_node(0); }
static int same_cluster_node_off(void) { return same_cluster_node(0); }

static int shared_off(void) { return zero(ARMCI_Uses_shm(), "ARMCI_Uses_shm"); }
static int shared_in_off(void) { return zero(ARMCI_Uses_shm_grp(&stage.none), "ARMCI_Uses_shm_grp"); }
static int address_off(void) { return address_rank(0); }

static const struct off_call off[] = {
    { "ARMCI_Group_create", create_off },
    { "ARMCI_Group_create_child", child_off },
    { "ARMCI_Group_free", free_off },
    { "ARMCI_Group_set_default", set_default_off },
    { "ARMCI_Group_get_default", get_default_off },
    { "ARMCI_Group_get_world", get_world_off },
    { "ARMCI_Absolute_id", absolute_off },
    { "armci_group_comm", communicator_off },
    { "ARMCIX_Group_split", split_off },
    { "ARMCIX_Group_dup", dup_off },
    { "ARMCIX_Get_world_comm", world_off },
    { "armci_domain_nprocs", nprocs_off },
    { "armci_domain_id", domain_off },
    { "armci_domain_glob_proc_id", member_off },
    { "armci_domain_my_id", my_domain_off },
    { "armci_domain_count", domains_off },
    { "armci_domain_same_id", same_domain_off },
    { "ARMCI_Same_node", same_node_off },
    { "armci_sameclusnode", same_cluster_node_off },
    { "ARMCIX_Local_address", address_off },
    { "ARMCI_Uses_shm", shared_off },
    { "ARMCI_Uses_shm_grp", shared_in_off },
    { NULL, NULL },
};

static const struct off_call never[] = {
    { "ARMCI_Set_shm_limit", NULL },
    { NULL, NULL },
};

void wrong_groups_collect(void)
{
    add_groups();
    wrong_calls_add_ranks(ranks);
    wrong_calls_add_singles(RUNNING, singles);
    wrong_calls_add_off(ARMCI_OFF, "state", off);
    wrong_calls_add_off(NEVER, "state", never);
}
