/* test_names.c - every public function has its name and its profiling name, and a program may put itself in between. */
#include "harness.h"

/* Each function of the headers under both names; check-headers compares this list with the headers. */
typedef void (*function)(void);
static const struct {
    const char *name;
    function plain, profiling;
} names[] = {
#define UPPER(name)                                                                                                                        \
    {                                                                                                                                      \
        "ARMCI_" #name, (function)ARMCI_##name, (function)PARMCI_##name                                                                    \
    }
#define EXTENSION(name)                                                                                                                    \
    {                                                                                                                                      \
        "ARMCIX_" #name, (function)ARMCIX_##name, (function)PARMCIX_##name                                                                 \
    }
#define LOWER(name)                                                                                                                        \
    {                                                                                                                                      \
        "armci_" #name, (function)armci_##name, (function)parmci_##name                                                                    \
    }
    /* clang-format off */
    UPPER(Init), UPPER(Init_args), UPPER(Init_thread), UPPER(Init_thread_comm), UPPER(Init_mpi_comm),
    UPPER(Initialized), UPPER(Finalize), UPPER(Cleanup), UPPER(Error), UPPER(RMA_Version), UPPER(Malloc), UPPER(Free),
    UPPER(Malloc_group), UPPER(Free_group), UPPER(Malloc_local), UPPER(Free_local), UPPER(Malloc_memdev),
    UPPER(Malloc_group_memdev), UPPER(Free_memdev), UPPER(Memget), UPPER(Memat), UPPER(Memdt), UPPER(Memctl),
    UPPER(Access_begin), UPPER(Access_end), UPPER(Copy), UPPER(Put), UPPER(Get), UPPER(Acc), UPPER(PutS), UPPER(GetS),
    UPPER(AccS), UPPER(PutV), UPPER(GetV), UPPER(AccV), UPPER(Put_flag), UPPER(PutS_flag), UPPER(PutS_flag_dir),
    UPPER(PutValueInt), UPPER(PutValueLong), UPPER(PutValueFloat), UPPER(PutValueDouble), UPPER(GetValueInt),
    UPPER(GetValueLong), UPPER(GetValueFloat), UPPER(GetValueDouble), LOWER(write_strided), LOWER(read_strided),
    LOWER(stride_info_init), LOWER(stride_info_destroy), LOWER(stride_info_size), LOWER(stride_info_pos),
    LOWER(stride_info_next), LOWER(stride_info_seg_ptr), LOWER(stride_info_seg_size), LOWER(stride_info_seg_off),
    LOWER(stride_info_has_more), UPPER(INIT_HANDLE), UPPER(NbPut), UPPER(NbGet), UPPER(NbAcc), UPPER(NbPutS),
    UPPER(NbGetS), UPPER(NbAccS), UPPER(NbPutV), UPPER(NbGetV), UPPER(NbAccV), UPPER(NbPutValueInt),
    UPPER(NbPutValueLong), UPPER(NbPutValueFloat), UPPER(NbPutValueDouble), UPPER(SET_AGGREGATE_HANDLE),
    UPPER(UNSET_AGGREGATE_HANDLE), UPPER(Wait), UPPER(Test), UPPER(WaitProc), UPPER(WaitAll), UPPER(Fence),
    UPPER(AllFence), UPPER(GroupFence), UPPER(Barrier), UPPER(Rmw), UPPER(Create_mutexes), UPPER(Destroy_mutexes),
    UPPER(Lock), UPPER(Unlock), LOWER(notify), LOWER(notify_wait), UPPER(Group_create), UPPER(Group_create_child),
    UPPER(Group_free), UPPER(Group_rank), UPPER(Group_size), UPPER(Group_set_default), UPPER(Group_get_default),
    UPPER(Group_get_world), UPPER(Absolute_id), LOWER(group_comm), LOWER(domain_nprocs), LOWER(domain_id),
    LOWER(domain_glob_proc_id), LOWER(domain_my_id), LOWER(domain_count), LOWER(domain_same_id), UPPER(Same_node),
    LOWER(sameclusnode), UPPER(Uses_shm), UPPER(Uses_shm_grp), UPPER(Set_shm_limit), LOWER(msg_init),
    LOWER(msg_finalize), LOWER(msg_me), LOWER(msg_nproc), LOWER(msg_abort), LOWER(timer), LOWER(msg_snd),
    LOWER(msg_rcv), LOWER(msg_rcvany), LOWER(msg_barrier), LOWER(msg_group_barrier), LOWER(msg_bintree),
    LOWER(msg_group_bintree), LOWER(msg_bcast), LOWER(msg_bcast_scope), LOWER(msg_brdcst),
    LOWER(msg_group_bcast_scope), LOWER(msg_sel), LOWER(msg_sel_scope), LOWER(msg_reduce), LOWER(msg_reduce_scope),
    LOWER(msg_gop_scope), LOWER(msg_igop), LOWER(msg_lgop), LOWER(msg_llgop), LOWER(msg_fgop), LOWER(msg_dgop),
    LOWER(msg_group_gop_scope), LOWER(msg_group_igop), LOWER(msg_group_lgop), LOWER(msg_group_llgop),
    LOWER(msg_group_fgop), LOWER(msg_group_dgop), LOWER(msg_clus_brdcst), LOWER(msg_clus_igop), LOWER(msg_clus_lgop),
    LOWER(msg_clus_llgop), LOWER(msg_clus_fgop), LOWER(msg_clus_dgop), LOWER(exchange_address),
    LOWER(exchange_address_grp), EXTENSION(Group_split), EXTENSION(Group_dup), EXTENSION(Local_address), EXTENSION(Mode_set),
    EXTENSION(Mode_get), EXTENSION(Create_mutexes_hdl), EXTENSION(Destroy_mutexes_hdl), EXTENSION(Lock_hdl),
    EXTENSION(Trylock_hdl), EXTENSION(Unlock_hdl), EXTENSION(Progress), EXTENSION(Get_world_comm),
/* clang-format on */
#undef UPPER
#undef EXTENSION
#undef LOWER
};
enum { NAMES = sizeof names / sizeof *names };

static int puts_seen, barriers_seen, messages_seen; /* calls that came through the functions below */

/* The program's own ARMCI_Put takes the place of the library's, which stays in reach under its profiling name. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    puts_seen++;
    return PARMCI_Put(src, dst, bytes, proc);
}

void ARMCI_Barrier(void)
{
    barriers_seen++;
    PARMCI_Barrier();
}

void armci_msg_igop(int *x, int n, char *op)
{
    messages_seen++;
    parmci_msg_igop(x, n, op);
}

static void all_are_there(void)
{
    for (int i = 0; i < NAMES; i++) {
        check(names[i].plain != NULL, "%s is not there", names[i].name);
        check(names[i].profiling != NULL, "the profiling name of %s is not there", names[i].name);
    }
    check(names[0].plain != names[1].plain, "two functions at one address");
}

static void the_program_in_between(void)
{
    int me = test_rank(), n = test_ranks(), right = (me + 1) % n, value = 40 + me, sum = 1;
    void **base = region_create(sizeof value);
    puts_seen = barriers_seen = messages_seen = 0;
    check_long(ARMCI_Put(&value, base[right], sizeof value, right), 0, "ARMCI_Put");
    ARMCI_Barrier();
    armci_msg_igop(&sum, 1, "+");
    check_long(puts_seen, 1, "puts seen by the program");
    check_long(barriers_seen, 1, "barriers seen by the program");
    check_long(messages_seen, 1, "reductions seen by the program");
    check_long(sum, n, "sum");
    check_long(PARMCI_GetValueInt(base[me], me), 40 + (me + n - 1) % n, "what was put");
    PARMCI_Barrier(); /* everybody has read */
    PARMCI_Barrier();
    value += 100;
    check_long(PARMCI_Put(&value, base[right], sizeof value, right), 0, "PARMCI_Put");
    PARMCI_Barrier();
    check_long(puts_seen, 1, "puts seen by the program after PARMCI_Put");
    check_long(ARMCI_GetValueInt(base[me], me), 140 + (me + n - 1) % n, "what was put through the profiling name");
    PARMCI_Barrier();
    region_free(base);
}

static void the_library_stays_inside(void)
{
    int me = test_rank(), value = 3, one = 1;
    void **base = region_create(64);
    puts_seen = barriers_seen = messages_seen = 0;
    ARMCI_PutValueInt(value, base[me], me);
    ARMCI_Acc(ARMCI_ACC_INT, &one, &one, base[me], sizeof one, me);
    ARMCI_Create_mutexes(1);
    ARMCI_Destroy_mutexes();
    PARMCI_Barrier();
    region_free(base);
    check_long(puts_seen + barriers_seen + messages_seen, 0, "calls of the library through replaced names");
}

static const struct test tests[] = {
    {"every function has both names", all_are_there},
    {"the program may put itself in between", the_program_in_between},
    {"the library does not call itself through the program", the_library_stays_inside},
};
SUITE();
