/* wrong_functions.c - every function with right arguments, and the mistakes that only it allows. */
#include "wrong_table.h"

/* ---- calls that look at more than the code, or need something before and after */

/* Nothing is stored locally. */
static int rmw(int op)
{
    long old = 3;
    int result = ARMCI_Rmw(op, a.out ? &old : NULL, a.remote, 1, a.proc);
    check_long(old, 3, "the local value after a wrong ARMCI_Rmw");
    return result;
}

static int notify_wait(void)
{
    int waits = -5, result = -armci_notify_wait(a.proc, a.out ? &waits : NULL);
    check_long(waits, -5, "*pval after a wrong armci_notify_wait");
    return result;
}

static int aggregated(int (*call)(void))
{
    int code;
    ARMCI_INIT_HANDLE(&stage.hdl);
    ARMCI_SET_AGGREGATE_HANDLE(&stage.hdl);
    code = call();
    check_long(ARMCI_Wait(&stage.hdl), 0, "ARMCI_Wait for an aggregate handle without a request");
    ARMCI_UNSET_AGGREGATE_HANDLE(&stage.hdl);
    return code;
}

static int put(void)
{
    return ARMCI_NbPut(a.local, a.remote, a.bytes, a.proc, &stage.hdl);
}
static int get(void)
{
    return ARMCI_NbGet(a.remote, a.local, a.bytes, a.proc, &stage.hdl);
}
static int accumulate(void)
{
    return ARMCI_NbAcc(a.datatype, a.scale, a.local, a.remote, a.bytes, a.proc, &stage.hdl);
}
static int put_int(void)
{
    return ARMCI_NbPutValueInt(-1, a.remote, a.proc, &stage.hdl);
}

/* Process 0 holds no slice of one region, all others pass those of another. */
static int free_empty_or_other(void)
{
    void *base[MOST_RANKS];
    int code;
    check_long(ARMCI_Malloc(base, stage.me == 0 ? 0 : 64), 0, "ARMCI_Malloc");
    code = stage.n < 3 ? ARMCI_Free(stage.mine + 8)
                       : ARMCI_Free(stage.me == 1   ? base[1]
                                    : stage.me == 0 ? NULL
                                                    : stage.mine);
    check_long(ARMCI_Free(base[stage.me]), 0, "ARMCI_Free of the right ones");
    return code;
}

/* Of a group, by the world. */
static int free_group_larger(void)
{
    void *base[1];
    int code;
    check_long(ARMCI_Malloc_group(base, 64, &stage.self), 0, "ARMCI_Malloc_group");
    code = ARMCI_Free_group(base[0], &stage.world);
    check_long(ARMCI_Free_group(base[0], &stage.self), 0, "ARMCI_Free_group of the right group");
    return code;
}

static int memget(void)
{
    armci_meminfo_t before;
    memset(&a.memory, 0x5a, sizeof a.memory);
    before = a.memory;
    ARMCI_Memget((size_t)a.size, a.info, a.mode);
    check_bytes(&a.memory, &before, sizeof before, "the description after a wrong ARMCI_Memget");
    return NO_CODE;
}

/* Describe memory of process p that cannot be. */
static void describe_memory(const void *base, long bytes)
{
    a.memory.idlist[0] = (long)(intptr_t)base;
    a.memory.idlist[1] = bytes;
}

/* Memory that is: of the caller, or of p. */
static armci_meminfo_t *memory_of(int process)
{
    static armci_meminfo_t mine, theirs;
    if (mine.addr == NULL) {
        ARMCI_Memget(MEMGET, &mine, 0);
        MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (stage.me + stage.n - 1) % stage.n, TAG, &theirs,
                     sizeof theirs, MPI_BYTE, stage.p, TAG, test_comm(), MPI_STATUS_IGNORE);
    }
    return process == stage.me ? &mine : &theirs;
}

/* Address that, or with another size. */
static void take_memory(int process, long offset)
{
    a.memory = *memory_of(process);
    a.offset = offset;
}
static void resize_memory(int process, long bytes)
{
    take_memory(process, 0);
    a.memory.idlist[1] = bytes;
}

/* Where no memory is shared, another process's size must be believed. */
static void enlarge_neighbour(void)
{
    bool shared = ARMCIX_Local_address(memory_of(stage.p)->armci_addr, stage.p) != NULL;
    resize_memory(stage.p, shared ? 1L << 40 : -1);
}

void wrong_calls_check_memget(void)
{
    armci_meminfo_t *theirs = memory_of(stage.p);
    long value = 70 + stage.me, *there = ARMCI_Memat(theirs, MEMGET - (long)sizeof value), seen = 0;
    check((char *)there == theirs->armci_addr + MEMGET - sizeof value,
          "ARMCI_Memat of the neighbour's last long: %p", (void *)there);
    check(ARMCI_Memat(theirs, MEMGET) == theirs->armci_addr + MEMGET, "ARMCI_Memat of the end");
    check_long(ARMCI_Put(&value, there, sizeof value, stage.p), 0,
               "ARMCI_Put to memory of ARMCI_Memget");
    check_long(ARMCI_Get(there, &seen, sizeof seen, stage.p), 0,
               "ARMCI_Get from memory of ARMCI_Memget");
    check_long(seen, value, "what was put to memory of ARMCI_Memget");
    ARMCI_Barrier();
    ARMCI_Memctl(memory_of(stage.me));
}

static int walk(void)
{
    memset(&a.walked, 0x5a, sizeof a.walked);
    armci_stride_info_init(a.walk, stage.here, a.levels, a.remote_stride, a.count);
    return a.walk ? nothing(!armci_stride_info_has_more(a.walk)) : NO_CODE;
}

/* The value of a call that is made between two others: what comes first, the call, what comes last.
 */
static int finish(int result, void (*last)(void))
{
    last();
    return result;
}

static void destroy_mutexes(void)
{
    ARMCI_Destroy_mutexes();
}
static void unlock_own(void)
{
    ARMCI_Unlock(0, stage.me);
}

/* The call is made while everybody has one mutex. */
#define WITH_ONE(CALL) finish((ARMCI_Create_mutexes(1), (CALL)), destroy_mutexes)
#define LOCK()         SILENT(ARMCI_Lock(a.mutex, a.proc))
#define UNLOCK()       SILENT(ARMCI_Unlock(a.mutex, a.proc))

/* Everybody holds the own mutex and unlocks the neighbour's; alone, nobody holds any. */
static void unlock_neighbour(void)
{
    if (stage.n > 1) ARMCI_Lock(0, stage.me);
    MPI_Barrier(test_comm());
    ARMCI_Unlock(0, stage.p);
    MPI_Barrier(test_comm());
    if (stage.n > 1) ARMCI_Unlock(0, stage.me);
}

static int destroy_null(void)
{
    int result = ARMCIX_Destroy_mutexes_hdl(NULL);
    ARMCI_Lock(0, stage.p);
    ARMCI_Unlock(0, stage.p);
    return result;
}

/* The set that a call below uses. */
static armcix_mutex_hdl_t set;

static void create_set(ARMCI_Group *group)
{
    set = ARMCIX_Create_mutexes_hdl(1, group);
}
static void destroy_set(void)
{
    ARMCIX_Destroy_mutexes_hdl(set);
}
armcix_mutex_hdl_t destroyed_set(void)
{
    create_set(NULL);
    destroy_set();
    return set;
}
static void unlock_own_of_set(void)
{
    ARMCIX_Unlock_hdl(set, 0, stage.me);
}

#define WITH_SET(CALL)  finish((create_set(NULL), (CALL)), destroy_set)
#define LOCK_SET(SET)   SILENT(ARMCIX_Lock_hdl(SET, a.mutex, a.proc))
#define UNLOCK_SET(SET) SILENT(ARMCIX_Unlock_hdl(SET, a.mutex, a.proc))

static int try_set(armcix_mutex_hdl_t it)
{
    check_long(ARMCIX_Trylock_hdl(it, a.mutex, a.proc), 1, "a wrong ARMCIX_Trylock_hdl");
    return NO_CODE;
}

/* The mutexes of a set are not those of ARMCI_Create_mutexes. */
static int destroy_own(void)
{
    int result = ARMCI_Destroy_mutexes();
    ARMCIX_Lock_hdl(set, 0, stage.p);
    ARMCIX_Unlock_hdl(set, 0, stage.p);
    return result;
}

/* A group that a running library could not make has no members. */
static int no_group(void)
{
    if (ARMCI_Initialized() && a.new_group)
        check(a.created.comm == MPI_COMM_NULL && a.created.rank == -1 && a.created.size == 0,
              "a group: rank %d, size %d", a.created.rank, a.created.size);
    return NO_CODE;
}

static int rcv(void)
{
    int length = -5;
    armci_msg_rcv(TAG, a.x, a.len, &length, a.proc);
    check_long(length, -5, "*msglen after a wrong armci_msg_rcv");
    return NO_CODE;
}

static int rcv_any(void)
{
    int length = -5, from = armci_msg_rcvany(TAG, a.x, a.len, &length);
    check(from < 0, "armci_msg_rcvany gives process %d", from);
    check_long(length, -5, "*msglen after a wrong armci_msg_rcvany");
    return NO_CODE;
}

/* A message round the ring that does not fit the buffer of a receive from any rank or from the
 * left; afterwards a larger buffer receives it. One process alone, to which MPI need not deliver
 * what it sends itself, passes a negative length. */
static int too_long(bool any)
{
    int length = 0;
    char larger[24] = "", message[24] = "this takes 24 bytes ...";
    a.len = stage.n == 1 ? -1 : any ? 0 : 23;
    a.proc = (stage.me + stage.n - 1) % stage.n;
    if (stage.n > 1) armci_msg_snd(TAG, message, sizeof message, stage.p);
    if (any)
        rcv_any();
    else
        rcv();
    if (stage.n == 1) return NO_CODE;
    armci_msg_rcv(TAG, larger, sizeof larger, &length, a.proc);
    check_long(length, sizeof message, "bytes of the message that was too long");
    check_bytes(larger, message, sizeof message, "the message that was too long");
    return NO_CODE;
}

static int tree(bool group)
{
    int at[4] = {-7, -7, -7, -7}, *to[4];
    for (int i = 0; i < 4; i++)
        to[i] = i == a.left_out ? NULL : &at[i];
    if (group)
        armci_msg_group_bintree(a.scope, to[0], to[1], to[2], to[3], a.group);
    else
        armci_msg_bintree(a.scope, to[0], to[1], to[2], to[3]);
    for (int i = 0; i < 4; i++)
        check_long(at[i], -7, "place %d after a wrong call of armci_msg_bintree", i);
    return NO_CODE;
}

static int exchange(bool group)
{
    void *before[MOST_RANKS];
    memset(a.table, 0x5a, sizeof a.table);
    memcpy(before, a.table, sizeof before);
    if (group)
        armci_exchange_address_grp(a.base, a.n, a.group);
    else
        armci_exchange_address(a.base, a.n);
    check_bytes(a.table, before, sizeof before, "the addresses after a wrong exchange");
    return NO_CODE;
}

/* ---- functions, each with the mistakes that only it allows */

#define PUT "rank:proc remote:dst local:src"
#define GET "rank:proc remote:src local:dst get"
#define PUTS                                                                                       \
    PUT " remote_stride:dst_stride_ar local_stride:src_stride_ar length:count[0] strided levels "  \
        "patch"
#define GETS GET " remote_stride:src_stride_ar local_stride:dst_stride_ar strided levels patch"
#define PUTV                                                                                       \
    "rank:proc remote:iov local:iov[0].src_ptr_array[2] second:iov[1].src_ptr_array[1] "           \
    "length:iov.bytes vector"
#define GETV                                                                                       \
    "rank:proc remote:iov local:iov[0].dst_ptr_array[2] second:iov[1].dst_ptr_array[1] vector get"

#define LOCAL_SIDE  a.local, a.local_stride
#define REMOTE_SIDE a.remote, a.remote_stride
#define PATCH       a.count, a.levels, a.proc
#define SCALE       a.datatype, a.scale

static int contiguous(void)
{
    CODE(ARMCI_Put, PUT " contiguous", a.local, a.remote, a.bytes, a.proc);
    CODE(ARMCI_Get, GET " contiguous", a.remote, a.local, a.bytes, a.proc);
    CODE(ARMCI_Acc, PUT " contiguous acc length:bytes", SCALE, a.local, a.remote, a.bytes, a.proc);
    CALL(ARMCI_NbPut, PUT " contiguous", put());
    CODE(ARMCI_NbGet, GET " contiguous", a.remote, a.local, a.bytes, a.proc, NULL);
    CALL(ARMCI_NbAcc, PUT " contiguous acc length:bytes", accumulate());
    CODE(ARMCI_Put_flag, PUT " contiguous flag", a.local, a.remote, a.bytes, a.flag, 1, a.proc);
    CALL(ARMCI_NbPut, PUT " contiguous aggregate", aggregated(put));
    CALL(ARMCI_NbGet, GET " contiguous aggregate", aggregated(get));
    CALL(ARMCI_NbAcc, PUT " contiguous aggregate acc length:bytes", aggregated(accumulate));
    /* What is read wrongly is 0. */
#define VALUES(TYPE)                                                                               \
    CODE(ARMCI_PutValue##TYPE, "rank:proc remote:dst value", -1, a.remote, a.proc);                \
    CODE(ARMCI_NbPutValue##TYPE, "rank:proc remote:dst value", -1, a.remote, a.proc, a.hdl);       \
    ZERO(ARMCI_GetValue##TYPE, "rank:proc remote:src value", a.remote, a.proc)
    VALUES(Int);
    VALUES(Long);
    VALUES(Float);
    VALUES(Double);
    CALL(ARMCI_NbPutValueInt, "rank:proc remote:dst value aggregate", aggregated(put_int));
    return 0;
}

static int strided_and_vector(void)
{
    CODE(ARMCI_PutS, PUTS, LOCAL_SIDE, REMOTE_SIDE, PATCH);
    CODE(ARMCI_GetS, GETS, REMOTE_SIDE, LOCAL_SIDE, PATCH);
    CODE(ARMCI_AccS, PUTS " acc", SCALE, LOCAL_SIDE, REMOTE_SIDE, PATCH);
    CODE(ARMCI_NbPutS, PUTS, LOCAL_SIDE, REMOTE_SIDE, PATCH, NULL);
    CODE(ARMCI_NbGetS, GETS, REMOTE_SIDE, LOCAL_SIDE, PATCH, &stage.hdl);
    CODE(ARMCI_NbAccS, PUTS " acc", SCALE, LOCAL_SIDE, REMOTE_SIDE, PATCH, &stage.hdl);
    CODE(ARMCI_PutS_flag, PUTS " flag", LOCAL_SIDE, REMOTE_SIDE, a.count, a.levels, a.flag, 1,
         a.proc);
    CODE(ARMCI_PutS_flag_dir, PUTS " flag", LOCAL_SIDE, REMOTE_SIDE, a.count, a.levels, a.flag, 1,
         a.proc);
    CODE(ARMCI_PutV, PUTV, a.iov, a.entries, a.proc);
    CODE(ARMCI_GetV, GETV, a.iov, a.entries, a.proc);
    CODE(ARMCI_AccV, PUTV " acc", SCALE, a.iov, a.entries, a.proc);
    CODE(ARMCI_NbPutV, PUTV, a.iov, a.entries, a.proc, &stage.hdl);
    CODE(ARMCI_NbGetV, GETV, a.iov, a.entries, a.proc, &stage.hdl);
    CODE(ARMCI_NbAccV, PUTV " acc", SCALE, a.iov, a.entries, a.proc, NULL);
    return 0;
}

static int allocation(void)
{
    CODE(ARMCI_Malloc, "base size", a.base, a.size);
    /* 4 of them are 0, in 64 bits. */
    WRONG(quarter, MEMORY, "bytes", "4611686018427387904", a.size = 1L << 62);
    CODE(ARMCI_Malloc_group, "base size group:group self", a.base, a.size, a.group);
    CODE(ARMCI_Malloc_memdev, "base size", a.base, a.size, NULL);
    CODE(ARMCI_Malloc_group_memdev, "base size group:group", a.base, a.size, a.group, "node");
    ZERO(ARMCI_Malloc_local, "size", a.size);
    CODE(ARMCI_Free, "free ptr", a.ptr);
    WRONG_CALL(empty_or_other, ADDRESS, "ptr", "", free_empty_or_other());
    CODE(ARMCI_Free_memdev, "free ptr", a.ptr);
    CODE(ARMCI_Free_group, "free ptr group:group", a.ptr, a.group);
    WRONG(other, GROUP, "group", "0x", a.group = &stage.self);
    WRONG(local_of_self, ADDRESS, "ptr", "0x", a.ptr = stage.nowhere, a.group = &stage.self);
    WRONG_CALL(larger, GROUP, "group", "0x", free_group_larger());
    CODE(ARMCI_Free_group, "prefix:nothing_of_ not_off group:group", NULL, a.group);
    return 0;
}

static int memory_of_one_process(void)
{
    CALL(ARMCI_Memget, "info", memget());
    WRONG(zero, COUNT, "bytes", "0", a.size = 0);
    WRONG(negative, COUNT, "bytes", "18446744073709551608", a.size = -8);
    WRONG(largest, MEMORY, "bytes", "9223372036854775807", a.size = LONG_MAX);
    WRONG(flag, ARGUMENT, "memflg", "1", a.mode = 1);
    WRONG(flag_negative, ARGUMENT, "memflg", "-1", a.mode = -1);
    ZERO(ARMCI_Memat, "info", a.info, a.offset);
    WRONG(nothing, ADDRESS, "meminfo", "", a.info->cpid = stage.p);
    WRONG(empty, ADDRESS, "meminfo", "0x", describe_memory(stage.nowhere, 0));
    WRONG(negative, ADDRESS, "meminfo", "0x", describe_memory(stage.nowhere, -8));
    WRONG(largest, ADDRESS, "meminfo", "0x", describe_memory(stage.nowhere, LONG_MAX));
    WRONG(high, ADDRESS, "meminfo", "0x", describe_memory((void *)-64, 8));
    /* A region is no such memory. */
    WRONG(region, ADDRESS, "meminfo", "0x", describe_memory(stage.there + 8, 8));
    WRONG(rank, RANK, "meminfo->cpid", "n", a.info->cpid = stage.n);
    WRONG(rank_negative, RANK, "meminfo->cpid", "-1", a.info->cpid = -1);
#define WRONG_MEMAT(...) WRONG_AT(BESIDE_MEMGET, __VA_ARGS__)
    WRONG_MEMAT(before, RANGE, "offset", "-1 (of 64 bytes)", take_memory(stage.me, -1));
    WRONG_MEMAT(after, RANGE, "offset", "65 (of 64 bytes)", take_memory(stage.me, MEMGET + 1));
    WRONG_MEMAT(neighbour_after, RANGE, "offset", "65 (of 64 bytes)",
                take_memory(stage.p, MEMGET + 1));
    WRONG_MEMAT(smallest_offset, RANGE, "offset", "-9223372036854775808",
                take_memory(stage.p, LONG_MIN));
    WRONG_MEMAT(largest_offset, RANGE, "offset", "9223372036854775807",
                take_memory(stage.p, LONG_MAX));
    WRONG_MEMAT(no_size, ADDRESS, "meminfo", "0x", resize_memory(stage.p, 0));
    WRONG_MEMAT(negative_size, ADDRESS, "meminfo", "0x", resize_memory(stage.p, -MEMGET));
    WRONG_MEMAT(largest_size, ADDRESS, "meminfo", "0x", resize_memory(stage.p, LONG_MAX));
    WRONG_MEMAT(larger, ADDRESS, "meminfo", "0x", resize_memory(stage.me, MEMGET + 1));
    WRONG_MEMAT(larger_neighbour, ADDRESS, "meminfo", "0x", enlarge_neighbour());
    VOID(ARMCI_Memdt, "info", a.info, 0);
    VOID(ARMCI_Memctl, "info", a.info);
    WRONG(nothing, ADDRESS, "meminfo", "", a.info->cpid = stage.me);
    WRONG(rank, ADDRESS, "meminfo", "", a.info->cpid = INT_MIN);
    return 0;
}

static int access_and_copies(void)
{
    VOID(ARMCI_Access_begin, "ptr slice", a.ptr);
    VOID(ARMCI_Access_end, "ptr slice", a.ptr);
    CODE(ARMCIX_Mode_set, "ptr slice group:group", a.mode, a.ptr, a.group);
    WRONG(zero, ARGUMENT, "mode", "0", a.mode = 0);
    WRONG(unknown, ARGUMENT, "mode", "0x21", a.mode = 0x20 | ARMCIX_MODE_ALL);
    WRONG(negative, ARGUMENT, "mode", "0xffffffff", a.mode = -1);
    WRONG(smallest, ARGUMENT, "mode", "0x80000000", a.mode = INT_MIN);
    WRONG(largest, ARGUMENT, "mode", "0x7fffffff", a.mode = INT_MAX);
    WRONG(other_group, GROUP, "group", "", a.group = &stage.self);
    NEGATIVE(ARMCIX_Mode_get, "ptr slice", a.ptr);
    VOID(armci_read_strided, "levels patch pack not_off", a.ptr, a.levels, a.remote_stride, a.count,
         a.buf);
    VOID(armci_write_strided, "levels patch pack not_off", a.ptr, a.levels, a.remote_stride,
         a.count, a.buf);
    VOID(ARMCI_Copy, "len:n not_off", a.local, a.buf, a.len);
    WRONG(from_null, ADDRESS, "src", "NULL", a.local = NULL);
    WRONG(to_null, ADDRESS, "dst", "NULL", a.buf = NULL);
    CALL(armci_stride_info_init, "levels walk not_off", walk());
    WRONG(levels_many, COUNT, "stride_levels", "9", a.levels = ARMCI_MAX_STRIDE_LEVEL + 1);
    WRONG(count_negative, COUNT, "seg_count", "seg_count[2] = -2", set_patch(2, -2, 16),
          a.counts[1] = 2);
    WRONG(overflow, COUNT, "seg_count", "2 levels", set_patch(2, INT_MAX, 16), a.counts[2] = 2);
    WRONG(strides_null, ADDRESS, "stride_arr", "NULL", a.remote_stride = NULL);
    WRONG(counts_null, ADDRESS, "seg_count", "NULL", set_patch(0, 0, 0), a.count = NULL);
    VOID(armci_stride_info_destroy, "walk not_off", a.walk);
    VOID(armci_stride_info_next, "walk not_off", a.walk);
    ZERO(armci_stride_info_size, "walk not_off", a.walk);
    ZERO(armci_stride_info_count, "walk not_off", a.walk);
    ZERO(armci_stride_info_pos, "walk not_off", a.walk);
    ZERO(armci_stride_info_seg_ptr, "walk not_off", a.walk);
    ZERO(armci_stride_info_seg_size, "walk not_off", a.walk);
    ZERO(armci_stride_info_seg_off, "walk not_off", a.walk);
    ZERO(armci_stride_info_has_more, "walk not_off", a.walk);
    return 0;
}

static int completion(void)
{
    CALL(ARMCI_Rmw, "rank:proc rmw", rmw(a.op));
    WRONG(op_unknown, TYPE, "op", "4", a.op = ARMCI_SWAP_LONG + 1);
    WRONG(to_null, ADDRESS, "ploc", "NULL", a.out = NULL);
    CALL(ARMCI_Rmw, "operand not_off prefix:add_", rmw(ARMCI_FETCH_AND_ADD));
    CALL(ARMCI_Rmw, "operand not_off prefix:add_long_ long", rmw(ARMCI_FETCH_AND_ADD_LONG));
    CALL(ARMCI_Rmw, "operand not_off prefix:swap_", rmw(ARMCI_SWAP));
    CALL(ARMCI_Rmw, "operand not_off prefix:swap_long_ long", rmw(ARMCI_SWAP_LONG));
    MINUS_CODE(armci_notify, "rank:proc", a.proc);
    CALL(armci_notify_wait, "rank:proc", notify_wait());
    WRONG(null, ADDRESS, "pval", "NULL", a.out = NULL);
    VOID(ARMCI_INIT_HANDLE, "hdl not_off", a.hdl);
    VOID(ARMCI_SET_AGGREGATE_HANDLE, "hdl", a.hdl);
    VOID(ARMCI_UNSET_AGGREGATE_HANDLE, "hdl", a.hdl);
    CODE(ARMCI_Wait, "", a.hdl);
    CODE(ARMCI_Test, "", a.hdl);
    CODE(ARMCI_WaitProc, "rank:proc", a.proc);
    CODE(ARMCI_WaitAll, "", );
    VOID(ARMCI_Fence, "rank:proc", a.proc);
    VOID(ARMCI_AllFence, "", );
    VOID(ARMCI_GroupFence, "group:group", a.group);
    VOID(ARMCI_Barrier, "", );
    VOID(ARMCI_GroupBarrier, "group:group", a.group);
    VOID(ARMCIX_Progress, "", );
    return 0;
}

static int mutexes(void)
{
    CODE(ARMCI_Create_mutexes, "len:count", a.len);
    WRONG_CALL(twice, MUTEX, "count", "1", WITH_ONE(ARMCI_Create_mutexes(1)));
    CODE(ARMCI_Destroy_mutexes, "", );
    WRONG(none, MUTEX, "mutexes", "none", (void)0);
    WRONG(twice, MUTEX, "mutexes", "none", ARMCI_Create_mutexes(2), ARMCI_Destroy_mutexes());
    WRONG_CALL(sets_only, MUTEX, "mutexes", "none", WITH_SET(destroy_own()));
    VOID(ARMCI_Lock, "", a.mutex, a.proc);
    WRONG(none, MUTEX, "mutex", "0", (void)0);
    VOID(ARMCI_Unlock, "", a.mutex, a.proc);
    WRONG(none, MUTEX, "mutex", "0", (void)0);
    CALL(ARMCI_Lock, "rank:proc mutex not_off", WITH_ONE(LOCK()));
    WRONG_CALL(twice, MUTEX, "mutex", "0",
               WITH_ONE(finish((a.proc = stage.me, ARMCI_Lock(0, a.proc), LOCK()), unlock_own)));
    CALL(ARMCI_Unlock, "rank:proc mutex not_off", WITH_ONE(UNLOCK()));
    WRONG(unheld, MUTEX, "mutex", "0", (void)0);
    WRONG_CALL(
        twice, MUTEX, "mutex", "0",
        WITH_ONE((a.proc = stage.me, ARMCI_Lock(0, a.proc), ARMCI_Unlock(0, a.proc), UNLOCK())));
    WRONG_CALL(of_neighbour, MUTEX, "mutex", "0", WITH_ONE(SILENT(unlock_neighbour())));
    ZERO(ARMCIX_Create_mutexes_hdl, "len:count group:group null_group", a.len, a.group);
    CODE(ARMCIX_Destroy_mutexes_hdl, "set", a.set);
    WRONG(twice, HANDLE, "hdl", "0x", a.set = destroyed_set());
    WRONG_CALL(own_only, HANDLE, "hdl", "", WITH_ONE(destroy_null()));
    CALL(ARMCIX_Lock_hdl, "set of_set", LOCK_SET(a.set));
    CALL(ARMCIX_Trylock_hdl, "set of_set", try_set(a.set));
    CALL(ARMCIX_Unlock_hdl, "set of_set", UNLOCK_SET(a.set));
    CALL(ARMCIX_Lock_hdl, "rank:proc mutex not_off", WITH_SET(LOCK_SET(set)));
    WRONG_CALL(twice, MUTEX, "mutex", "0",
               WITH_SET(finish((a.proc = stage.me, ARMCIX_Lock_hdl(set, 0, a.proc), LOCK_SET(set)),
                               unlock_own_of_set)));
    /* A set over the caller alone has a rank 0 only. */
    WRONG_CALL(no_such_member, RANK, "proc", "1",
               finish((create_set(&stage.self), a.proc = 1, LOCK_SET(set)), destroy_set));
    CALL(ARMCIX_Trylock_hdl, "rank:proc mutex not_off", WITH_SET(try_set(set)));
    CALL(ARMCIX_Unlock_hdl, "rank:proc mutex not_off", WITH_SET(UNLOCK_SET(set)));
    WRONG(unheld, MUTEX, "mutex", "0", (void)0);
    return 0;
}

static int groups(void)
{
    CALL(ARMCI_Group_create, "create", (ARMCI_Group_create(a.n, a.list, a.new_group), no_group()));
    CALL(ARMCI_Group_create_child, "create group:parent",
         (ARMCI_Group_create_child(a.n, a.list, a.new_group, a.group), no_group()));
    /* Rank 1 of the world, which the parent, the caller alone, does not have. */
    WRONG(not_in_parent, RANK, "pid_list", "pid_list[0] = 1", a.ranks[0] = 1,
          a.group = &stage.self);
    CODE(ARMCIX_Group_split, "group:parent new:new_group", a.group, 0, 0, a.new_group);
    CODE(ARMCIX_Group_dup, "group:parent new:new_group", a.group, a.new_group);
    VOID(ARMCI_Group_free, "group:group no_member", a.group);
    WRONG(world, GROUP, "group", "world", (void)0);
    CODE(ARMCI_Group_rank, "asked not_off", a.group, a.out);
    WRONG(rank_null, ADDRESS, "rank", "NULL", a.out = NULL);
    VOID(ARMCI_Group_size, "asked not_off", a.group, a.out);
    WRONG(size_null, ADDRESS, "size", "NULL", a.out = NULL);
    VOID(ARMCI_Group_set_default, "group:group", a.group);
    VOID(ARMCI_Group_get_default, "new:group_out", a.new_group);
    VOID(ARMCI_Group_get_world, "new:group_out", a.new_group);
    MINUS_CODE(ARMCI_Absolute_id, "group:group rank:group_rank", a.group, a.proc);
    WRONG(of_self, RANK, "group_rank", "1", a.group = &stage.self, a.proc = 1);
    CALL(armci_group_comm, "group:group", nothing(armci_group_comm(a.group) == MPI_COMM_NULL));
    CALL(ARMCIX_Get_world_comm, "", nothing(ARMCIX_Get_world_comm() == MPI_COMM_NULL));
    NEGATIVE(armci_domain_nprocs, "domain rank:id minus_one", a.domain, a.proc);
    WRONG(id_below, RANK, "id", "-2", a.proc = -2);
    NEGATIVE(armci_domain_id, "domain rank:glob_proc_id", a.domain, a.proc);
    NEGATIVE(armci_domain_glob_proc_id, "domain rank:id", a.domain, a.proc, a.member);
    WRONG(member_many, RANK, "loc_proc_id", "n", a.proc = 0, a.member = stage.n);
    WRONG(member_negative, RANK, "loc_proc_id", "-1", a.proc = 0, a.member = -1);
    WRONG(member_largest, RANK, "loc_proc_id", "2147483647", a.proc = 0, a.member = INT_MAX);
    NEGATIVE(armci_domain_my_id, "domain", a.domain);
    NEGATIVE(armci_domain_count, "domain", a.domain);
    ZERO(armci_domain_same_id, "domain rank:proc", a.domain, a.proc);
    ZERO(ARMCI_Same_node, "rank:proc", a.proc);
    ZERO(armci_sameclusnode, "rank:proc", a.proc);
    ZERO(ARMCIX_Local_address, "rank:proc", a.remote, a.proc);
    WRONG(null, ADDRESS, "address", "", a.remote = NULL);
    WRONG(local, ADDRESS, "address", "0x", a.remote = stage.nowhere);
    WRONG(gone, ADDRESS, "address", "0x", a.remote = stage.gone);
    WRONG(before, ADDRESS, "address", "0x", a.remote = stage.there - 1);
    WRONG(after, ADDRESS, "address", "0x", a.remote = stage.there + SLICE);
    ZERO(ARMCI_Uses_shm, "", );
    ZERO(ARMCI_Uses_shm_grp, "", a.group);
    return 0;
}

static int reductions(void)
{
#define REDUCTIONS(TYPE, IS)                                                                       \
    VOID(armci_msg_##TYPE##gop, "op " IS, a.x, a.n, a.operation);                                  \
    VOID(armci_msg_clus_##TYPE##gop, "op " IS, a.x, a.n, a.operation);                             \
    VOID(armci_msg_group_##TYPE##gop, "op group:group " IS, a.x, a.n, a.operation, a.group)
    REDUCTIONS(i, "");
    REDUCTIONS(l, "self");
    REDUCTIONS(ll, "");
    REDUCTIONS(f, "floating self");
    REDUCTIONS(d, "floating");
#define TYPED a.x, a.n, a.operation, a.datatype
    VOID(armci_msg_gop_scope, "op op_scope typed", a.scope, TYPED);
    VOID(armci_msg_group_gop_scope, "op op_scope typed group:group", a.scope, TYPED, a.group);
    VOID(armci_msg_reduce, "op typed", TYPED);
    VOID(armci_msg_reduce_scope, "op op_scope typed", a.scope, TYPED);
    VOID(armci_msg_sel, "op typed record", TYPED, 1);
    VOID(armci_msg_sel_scope, "op op_scope typed record", a.scope, TYPED, 1);
    return 0;
}

static int messages(void)
{
    VOID(armci_msg_snd, "rank:to buffer:buffer len:len", TAG, a.x, a.len, a.proc);
    CALL(armci_msg_rcv, "rank:from buffer:buffer len:buflen", rcv());
    WRONG_CALL(short, COUNT, "buflen", "", too_long(false));
    CALL(armci_msg_rcvany, "buffer:buffer len:buflen", rcv_any());
    WRONG_CALL(short, COUNT, "buflen", "", too_long(true));
    VOID(armci_msg_barrier, "", );
    VOID(armci_msg_group_barrier, "group:group", a.group);
    CALL(armci_msg_bintree, "scope tree", tree(false));
    CALL(armci_msg_group_bintree, "scope tree group:group", tree(true));
    VOID(armci_msg_bcast, "rank:root buffer:buffer len:len", a.x, a.len, a.proc);
    VOID(armci_msg_brdcst, "rank:root buffer:buffer len:len", a.x, a.len, a.proc);
    VOID(armci_msg_bcast_scope, "rank:root buffer:buffer len:len scope", a.scope, a.x, a.len,
         a.proc);
    VOID(armci_msg_group_bcast_scope, "rank:root buffer:buf len:len scope group:group", a.scope,
         a.x, a.len, a.proc, a.group);
    /* A process that is no member of the group. */
    WRONG(root_of_other, RANK, "root", "", a.proc = stage.n > 1 ? stage.p : stage.n,
          a.group = &stage.self);
    VOID(armci_msg_clus_brdcst, "buffer:buf len:len", a.x, a.len);
    VOID(armci_grp_clus_brdcst, "rank:grp_master buffer:buf len:len group:group", a.x, a.len,
         a.proc, a.n, a.group);
    WRONG(none, COUNT, "grp_clus_nproc", "0", a.proc = 0, a.n = 0);
    WRONG(many, COUNT, "grp_clus_nproc", "2147483647", a.proc = 0, a.n = INT_MAX);
    CALL(armci_exchange_address, "", exchange(false));
    WRONG(many, COUNT, "n", "", a.n = stage.n + 1);
    WRONG(none, COUNT, "n", "0", a.n = 0);
    WRONG(negative, COUNT, "n", "-1", a.n = -1);
    WRONG(largest, COUNT, "n", "2147483647", a.n = INT_MAX);
    WRONG(null, ADDRESS, "ptr_ar", "NULL", a.n = stage.n, a.base = NULL);
    CALL(armci_exchange_address_grp, "group:group self", exchange(true));
    WRONG(many, COUNT, "n", "2", a.n = 2);
    WRONG(smallest, COUNT, "n", "-2147483648", a.n = INT_MIN);
    WRONG(null, ADDRESS, "ptr_ar", "NULL", a.base = NULL);
    return 0;
}

/* They may be called at any time, or end the job. */
static int never_wrong(void)
{
#define TWO_NEVER_WRONG(NAME, OTHER)                                                               \
    ROW(NO_CODE, .function = #NAME, .words = NULL);                                                \
    ROW(NO_CODE, .function = #OTHER, .words = NULL)
    TWO_NEVER_WRONG(ARMCI_Free_local, ARMCI_Set_shm_limit);
    TWO_NEVER_WRONG(ARMCI_Initialized, ARMCI_Cleanup);
    TWO_NEVER_WRONG(ARMCI_Error, ARMCI_RMA_Version);
    TWO_NEVER_WRONG(ARMCIX_Counters, armci_timer);
    ROW(NO_CODE, .function = "ARMCIX_Set_error_handler", .words = NULL);
    TWO_NEVER_WRONG(armci_msg_init, armci_msg_init_comm);
    TWO_NEVER_WRONG(armci_msg_finalize, armci_msg_abort);
    return 0;
}

static int starts(void)
{
    CODE(ARMCI_Init, "not_off", );
    WRONG_AT(MPI_ENDED, mpi_ended, STATE, "state", "", (void)0);
    CODE(ARMCI_Init_args, "not_off", NULL, NULL);
    WRONG_AT(MPI_ENDED, mpi_ended, STATE, "state", "", (void)0);
    CODE(ARMCI_Init_thread, "not_off", a.n);
    WRONG(unknown, ARGUMENT, "requested", "77", a.n = 77);
    WRONG(negative, ARGUMENT, "requested", "", a.n = MPI_THREAD_SINGLE - 1);
    WRONG_AT(MPI_ENDED, mpi_ended, STATE, "state", "", a.n = MPI_THREAD_SINGLE);
    CODE(ARMCI_Init_thread_comm, "not_off comm", a.n, a.comm);
    WRONG(unknown, ARGUMENT, "requested", "", a.n = MPI_THREAD_MULTIPLE + 1);
    CALL(ARMCI_Init_mpi_comm, "not_off comm", nothing(ARMCI_Init_mpi_comm(a.comm) == 0));
    CODE(ARMCI_Finalize, "not_off", );
    WRONG_AT(ARMCI_UNUSED, off, STATE, "state", "", (void)0);
    NEGATIVE(armci_msg_me, "not_off", );
    WRONG_AT(MPI_OFF, mpi_off, STATE, "state", "", (void)0);
    NEGATIVE(armci_msg_nproc, "not_off", );
    WRONG_AT(MPI_OFF, mpi_off, STATE, "state", "", (void)0);
    return 0;
}

call_table *const function_tables[] = {contiguous,
                                       strided_and_vector,
                                       allocation,
                                       memory_of_one_process,
                                       access_and_copies,
                                       completion,
                                       mutexes,
                                       groups,
                                       reductions,
                                       messages,
                                       starts,
                                       never_wrong,
                                       NULL};
