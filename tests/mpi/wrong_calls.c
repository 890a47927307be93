/* wrong_calls.c - the table of wrong calls: every function that takes a process, an address, a count, a type... is given
 * a bad one.  All processes make each call at the same time, so that collective ones come back. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <armcix.h>

enum { LONGS = 64, BYTES = LONGS * (int)sizeof(long) };

static struct {
    void **base, **guard; /* a region, and one beside it */
    int p, n;             /* the process that calls go to, the number of processes */
    char *there;          /* its slice */
    long here[LONGS];     /* the local buffer */
    armci_hdl_t hdl;
    ARMCI_Group none, world; /* no group at all; the world */
    void *gone;              /* where a region was that is freed */
} c;

static void pattern(long *longs, int who)
{
    for (int i = 0; i < LONGS; i++)
        longs[i] = 1000L * who + i + 7;
}

void wrong_calls_prepare(void)
{
    void **freed = region_create(1 << 16);

    c.n = test_ranks();
    c.p = (test_rank() + 1) % c.n;
    c.gone = freed[c.p];
    region_free(freed);
    c.base = region_create(BYTES);
    c.guard = region_create(BYTES);
    c.there = c.base[c.p];
    ARMCI_Access_begin(c.base[test_rank()]);
    pattern(c.base[test_rank()], test_rank());
    pattern(c.guard[test_rank()], test_rank() + 100);
    ARMCI_Access_end(c.base[test_rank()]);
    pattern(c.here, 50);
    memset(&c.none, 0, sizeof c.none);
    c.none.comm = MPI_COMM_NULL;
    c.none.rank = -1;
    ARMCI_Group_get_world(&c.world);
    ARMCI_INIT_HANDLE(&c.hdl);
    ARMCI_Barrier();
}

void wrong_calls_end(void)
{
    region_free(c.base);
    region_free(c.guard);
}

void wrong_calls_check_untouched(const char *after)
{
    long expected[LONGS];

    ARMCI_WaitAll();
    ARMCI_Barrier();
    ARMCI_Access_begin(c.base[test_rank()]);
    pattern(expected, test_rank());
    check_bytes(c.base[test_rank()], expected, sizeof expected, "the region after %s", after);
    pattern(expected, test_rank() + 100);
    check_bytes(c.guard[test_rank()], expected, sizeof expected, "the region beside after %s", after);
    ARMCI_Access_end(c.base[test_rank()]);
    pattern(expected, 50);
    check_bytes(c.here, expected, sizeof expected, "the local buffer after %s", after);
}

/* ------------------------------------------------------------------ strided and vector calls in one line */

enum verb { PUT, GET, ACC };

static int strided(enum verb verb, void *remote, int levels, int count0, int count1, int stride, int p)
{
    int count[20] = { count0, count1, 1, 1 }, strides[20] = { stride, BYTES, BYTES, BYTES };
    int packed[20] = { 8, 8, 8, 8 };
    double one = 1;

    if (verb == PUT)
        return ARMCI_PutS(c.here, packed, remote, strides, count, levels, p);
    if (verb == GET)
        return ARMCI_GetS(remote, strides, c.here, packed, count, levels, p);
    return ARMCI_AccS(ARMCI_ACC_DBL, &one, c.here, packed, remote, strides, count, levels, p);
}

/* Three segments of `bytes`, the last at `remote`. */
static int vector(enum verb verb, void *remote, int bytes, int segments, int entries, int p)
{
    void *local[3] = { c.here, c.here + 8, c.here + 16 }, *far[3] = { c.there, c.there + 64, remote };
    armci_giov_t iov = { local, far, bytes, segments };
    double one = 1;

    if (verb == PUT)
        return ARMCI_PutV(&iov, entries, p);
    if (verb == ACC)
        return ARMCI_AccV(ARMCI_ACC_DBL, &one, &iov, entries, p);
    iov.src_ptr_array = far;
    iov.dst_ptr_array = local;
    return ARMCI_GetV(&iov, entries, p);
}

static int acc(int type, void *scale, void *dst, int bytes)
{
    return ARMCI_Acc(type, scale, c.here, dst, bytes, c.p);
}

static int rmw(int op, void *prem, int p)
{
    int result, old = 3;
    long old_long = 3;
    bool is_long = op == ARMCI_FETCH_AND_ADD_LONG || op == ARMCI_SWAP_LONG;

    result = is_long ? ARMCI_Rmw(op, &old_long, prem, 1, p) : ARMCI_Rmw(op, &old, prem, 1, p);
    check(old == 3 && old_long == 3, "ARMCI_Rmw with a wrong argument stored %d, %ld", old, old_long);
    return result;
}

/* ------------------------------------------------------------------ process numbers */

static int put_rank_n(void) { return ARMCI_Put(c.here, c.there, 8, c.n); }
static int put_rank_negative(void) { return ARMCI_Put(c.here, c.there, 8, -1); }
static int get_rank_n(void) { return ARMCI_Get(c.there, c.here, 8, c.n); }
static int acc_rank(void) { double one = 1; return ARMCI_Acc(ARMCI_ACC_DBL, &one, c.here, c.there, 8, INT_MAX); }
static int puts_rank(void) { return strided(PUT, c.there, 1, 8, 2, 16, c.n); }
static int gets_rank(void) { return strided(GET, c.there, 1, 8, 2, 16, -7); }
static int putv_rank(void) { return vector(PUT, c.there + 128, 8, 3, 1, c.n); }
static int nbput_rank(void) { return ARMCI_NbPut(c.here, c.there, 8, c.n, &c.hdl); }
static int nbget_rank(void) { return ARMCI_NbGet(c.there, c.here, 8, -1, NULL); }
static int put_value_rank(void) { return ARMCI_PutValueLong(1, c.there, c.n); }
static int get_value_rank(void) { ARMCI_GetValueLong(c.there, c.n); return SAYS_NOTHING; }
static int put_flag_rank(void) { return ARMCI_Put_flag(c.here, c.there, 8, (int *)(void *)(c.there + 64), 1, c.n); }
static int rmw_rank(void) { return rmw(ARMCI_FETCH_AND_ADD, c.there, c.n); }
static int fence_rank(void) { ARMCI_Fence(c.n); return SAYS_NOTHING; }
static int wait_rank(void) { return ARMCI_WaitProc(-1); }
static int notify_rank(void) { return -armci_notify(c.n); }
static int notify_wait_rank(void) { int v; return -armci_notify_wait(-1, &v); }
static int absolute_rank(void) { return -ARMCI_Absolute_id(&c.world, c.n); }
static int group_rank(void)
{
    ARMCI_Group out;

    ARMCI_Group_create(1, &c.n, &out);
    return SAYS_NOTHING;
}
static int group_twice(void)
{
    int list[2] = { 0, 0 };
    ARMCI_Group out;

    ARMCI_Group_create(c.n > 1 ? 2 : 1, c.n > 1 ? list : &c.n, &out);
    return SAYS_NOTHING;
}

/* ------------------------------------------------------------------ addresses */

static int put_null(void) { return ARMCI_Put(c.here, NULL, 8, c.p); }
static int put_from_null(void) { return ARMCI_Put(NULL, c.there, 8, c.p); }
static int put_local(void) { return ARMCI_Put(c.here, c.here + 8, 8, c.p); }
static int put_gone(void) { return ARMCI_Put(c.here, (char *)c.gone + 32768, 8, c.p); }
static int get_local(void) { return ARMCI_Get(c.here, c.here + 8, 8, c.p); }
static int get_to_null(void) { return ARMCI_Get(c.there, NULL, 8, c.p); }
static int acc_local(void) { double one = 1; return acc(ARMCI_ACC_DBL, &one, c.here + 8, 8); }
static int acc_no_scale(void) { return acc(ARMCI_ACC_DBL, NULL, c.there, 8); }
static int puts_local(void) { return strided(PUT, c.here + 8, 1, 8, 2, 16, c.p); }
static int putv_local(void) { return vector(PUT, c.here + 40, 8, 3, 1, c.p); }
static int getv_local(void) { return vector(GET, c.here + 40, 8, 3, 1, c.p); }
static int rmw_local(void) { return rmw(ARMCI_SWAP_LONG, c.here, c.p); }
static int rmw_nowhere(void) { return ARMCI_Rmw(ARMCI_SWAP, NULL, c.there, 1, c.p); }
static int put_value_local(void) { return ARMCI_PutValueInt(1, c.here, c.p); }
static int free_local(void) { return ARMCI_Free(c.here); }
static int free_inside(void) { return ARMCI_Free((char *)c.base[test_rank()] + 8); }
static int access_local(void) { ARMCI_Access_begin(c.here); return SAYS_NOTHING; }
static int mode_get_local(void) { check(ARMCIX_Mode_get(c.here) < 0, "ARMCIX_Mode_get"); return SAYS_NOTHING; }
static int malloc_null(void) { return ARMCI_Malloc(NULL, 8); }

/* ------------------------------------------------------------------ ranges */

static int put_beyond(void) { return ARMCI_Put(c.here, c.there + BYTES - 8, 9, c.p); }
static int get_beyond(void) { return ARMCI_Get(c.there, c.here, BYTES + 1, c.p); }
static int acc_beyond(void) { double one = 1; return acc(ARMCI_ACC_DBL, &one, c.there + BYTES - 8, 16); }
static int puts_beyond(void) { return strided(PUT, c.there, 1, 8, LONGS / 2 + 1, 16, c.p); }
static int puts_before(void) { return strided(PUT, c.there, 1, 8, 2, -16, c.p); }
static int gets_beyond(void) { return strided(GET, c.there + 8, 1, 16, LONGS / 2, 16, c.p); }
static int accs_beyond(void) { return strided(ACC, c.there, 1, 8, 2, BYTES, c.p); }
static int putv_beyond(void) { return vector(PUT, c.there + BYTES - 8, 16, 3, 1, c.p); }
static int accv_beyond(void) { return vector(ACC, c.there + BYTES - 8, 16, 3, 1, c.p); }
static int nbget_beyond(void) { return ARMCI_NbGet(c.there + 8, c.here, BYTES, c.p, &c.hdl); }

/* ------------------------------------------------------------------ counts */

static int put_negative(void) { return ARMCI_Put(c.here, c.there, -1, c.p); }
static int nbacc_negative(void)
{
    long one = 1;

    return ARMCI_NbAcc(ARMCI_ACC_LNG, &one, c.here, c.there, -8, c.p, NULL);
}
static int puts_negative(void) { return strided(PUT, c.there, 1, 8, -2, 16, c.p); }
static int puts_negative_bytes(void) { return strided(PUT, c.there, 1, -8, 2, 16, c.p); }
static int puts_negative_levels(void) { return strided(PUT, c.there, -1, 8, 2, 16, c.p); }
static int puts_many_levels(void) { return strided(PUT, c.there, 17, 8, 2, 16, c.p); }
static int puts_overflow(void)
{
    int count[4] = { INT_MAX, INT_MAX, INT_MAX, INT_MAX }, strides[3] = { 8, 8, 8 };

    return ARMCI_PutS(c.here, strides, c.there, strides, count, 3, c.p);
}
static int putv_negative(void) { return vector(PUT, c.there, 8, 3, -1, c.p); }
static int putv_negative_bytes(void) { return vector(PUT, c.there, -8, 3, 1, c.p); }
static int putv_negative_segments(void) { return vector(GET, c.there, 8, -3, 1, c.p); }
static int malloc_negative(void) { void *base[64]; return ARMCI_Malloc(base, -8); }
static int malloc_local_negative(void)
{
    check(!ARMCI_Malloc_local(-1), "ARMCI_Malloc_local(-1)");
    return SAYS_NOTHING;
}
static int copy_negative(void) { ARMCI_Copy(c.here, c.here + 8, -1); return SAYS_NOTHING; }
static int mutexes_negative(void) { return ARMCI_Create_mutexes(-1); }
static int group_empty(void) { ARMCI_Group out; ARMCI_Group_create(0, &c.p, &out); return SAYS_NOTHING; }
static int memget_zero(void) { armci_meminfo_t info; ARMCI_Memget(0, &info, 0); return SAYS_NOTHING; }
static int memat_null(void) { check(!ARMCI_Memat(NULL, 0), "ARMCI_Memat(NULL)"); return SAYS_NOTHING; }
static int exchange_few(void) { void *table[64]; armci_exchange_address(table, c.n + 1); return SAYS_NOTHING; }

/* ------------------------------------------------------------------ types, alignment */

static int acc_type(void) { double one = 1; return acc(6, &one, c.there, 8); }
static int acc_type_negative(void) { double one = 1; return acc(-1, &one, c.there, 8); }
static int rmw_type(void) { return rmw(4, c.there, c.p); }
static int gop_scope(void) { armci_msg_gop_scope(3, c.here, 1, "+", ARMCI_LONG); return SAYS_NOTHING; }
static int gop_operator(void) { armci_msg_lgop(c.here, 1, "xyz"); return SAYS_NOTHING; }
static int gop_floating_or(void) { armci_msg_dgop((double *)(void *)c.here, 1, "or"); return SAYS_NOTHING; }
static int gop_type(void) { armci_msg_gop_scope(SCOPE_ALL, c.here, 1, "+", 5); return SAYS_NOTHING; }
static int sel_operator(void) { armci_msg_sel(c.here, 8, "+", ARMCI_LONG, 1); return SAYS_NOTHING; }
static int acc_misaligned(void) { double one = 1; return acc(ARMCI_ACC_DBL, &one, c.there + 4, 8); }
static int acc_int_misaligned(void) { int one = 1; return acc(ARMCI_ACC_INT, &one, c.there + 2, 8); }
static int acc_part(void) { double one = 1; return acc(ARMCI_ACC_DBL, &one, c.there, 12); }
static int accs_misaligned(void) { return strided(ACC, c.there, 1, 8, 3, 20, c.p); }
static int accv_misaligned(void) { return vector(ACC, c.there + 132, 8, 3, 1, c.p); }
static int rmw_misaligned(void) { return rmw(ARMCI_FETCH_AND_ADD, c.there + 2, c.p); }
static int rmw_long_misaligned(void) { return rmw(ARMCI_SWAP_LONG, c.there + 4, c.p); }

/* ------------------------------------------------------------------ mutexes, groups, handles, the rest */

static int lock_none(void) { ARMCI_Lock(0, c.p); return SAYS_NOTHING; }
static int destroy_none(void) { return ARMCI_Destroy_mutexes(); }

/* `call` while everybody has one mutex. */
static int with_mutexes(int (*call)(void))
{
    int result;

    ARMCI_Create_mutexes(1);
    result = call();
    ARMCI_Destroy_mutexes();
    return result;
}
static int lock_first(void) { ARMCI_Lock(1, c.p); return SAYS_NOTHING; }
static int lock_second(void) { ARMCI_Lock(0, c.n); return SAYS_NOTHING; }
static int unlock_first(void) { ARMCI_Unlock(0, c.p); return SAYS_NOTHING; }
static int create_again(void) { return ARMCI_Create_mutexes(1); }
static int lock_range(void) { return with_mutexes(lock_first); }
static int lock_rank(void) { return with_mutexes(lock_second); }
static int unlock_unheld(void) { return with_mutexes(unlock_first); }
static int create_twice(void) { return with_mutexes(create_again); }

static int malloc_no_group(void) { void *base[64]; return ARMCI_Malloc_group(base, 8, &c.none); }
static int group_rank_none(void) { armci_msg_group_barrier(&c.none); return SAYS_NOTHING; }
static int fence_no_group(void) { ARMCI_GroupFence(&c.none); return SAYS_NOTHING; }
static int free_world(void) { ARMCI_Group_free(&c.world); return SAYS_NOTHING; }
static int split_no_group(void) { ARMCI_Group out; return ARMCIX_Group_split(&c.none, 0, 0, &out); }
static int null_handle(void) { ARMCI_INIT_HANDLE(NULL); return SAYS_NOTHING; }
static int aggregate_null(void) { ARMCI_SET_AGGREGATE_HANDLE(NULL); return SAYS_NOTHING; }
static int destroy_null(void) { return ARMCIX_Destroy_mutexes_hdl(NULL); }
static int mode_unknown(void) { return ARMCIX_Mode_set(0x4000, c.base[test_rank()], &c.world); }
static int memget_flag(void) { armci_meminfo_t info; ARMCI_Memget(8, &info, 1); return SAYS_NOTHING; }

const struct wrong_call wrong_calls[] = {
    { "put_rank_n", ARMCI_ERR_RANK, "ARMCI_Put", "proc", "n", put_rank_n },
    { "put_rank_negative", ARMCI_ERR_RANK, "ARMCI_Put", "proc", "-1", put_rank_negative },
    { "get_rank_n", ARMCI_ERR_RANK, "ARMCI_Get", "proc", "n", get_rank_n },
    { "acc_rank", ARMCI_ERR_RANK, "ARMCI_Acc", "proc", "2147483647", acc_rank },
    { "puts_rank", ARMCI_ERR_RANK, "ARMCI_PutS", "proc", "n", puts_rank },
    { "gets_rank", ARMCI_ERR_RANK, "ARMCI_GetS", "proc", "-7", gets_rank },
    { "putv_rank", ARMCI_ERR_RANK, "ARMCI_PutV", "proc", "n", putv_rank },
    { "nbput_rank", ARMCI_ERR_RANK, "ARMCI_NbPut", "proc", "n", nbput_rank },
    { "nbget_rank", ARMCI_ERR_RANK, "ARMCI_NbGet", "proc", "-1", nbget_rank },
    { "put_value_rank", ARMCI_ERR_RANK, "ARMCI_PutValueLong", "proc", "n", put_value_rank },
    { "get_value_rank", ARMCI_ERR_RANK, "ARMCI_GetValueLong", "proc", "n", get_value_rank },
    { "put_flag_rank", ARMCI_ERR_RANK, "ARMCI_Put_flag", "proc", "n", put_flag_rank },
    { "rmw_rank", ARMCI_ERR_RANK, "ARMCI_Rmw", "proc", "n", rmw_rank },
    { "fence_rank", ARMCI_ERR_RANK, "ARMCI_Fence", "proc", "n", fence_rank },
    { "wait_rank", ARMCI_ERR_RANK, "ARMCI_WaitProc", "proc", "-1", wait_rank },
    { "notify_rank", ARMCI_ERR_RANK, "armci_notify", "proc", "n", notify_rank },
    { "notify_wait_rank", ARMCI_ERR_RANK, "armci_notify_wait", "proc", "-1", notify_wait_rank },
    { "absolute_rank", ARMCI_ERR_RANK, "ARMCI_Absolute_id", "group_rank", "n", absolute_rank },
    { "group_rank", ARMCI_ERR_RANK, "ARMCI_Group_create", "pid_list", "", group_rank },
    { "group_twice", ARMCI_ERR_RANK, "ARMCI_Group_create", "pid_list", "", group_twice },
    { "lock_rank", ARMCI_ERR_RANK, "ARMCI_Lock", "proc", "n", lock_rank },
    { "put_null", ARMCI_ERR_ADDRESS, "ARMCI_Put", "dst", "", put_null },
    { "put_from_null", ARMCI_ERR_ADDRESS, "ARMCI_Put", "src", "NULL", put_from_null },
    { "put_local", ARMCI_ERR_ADDRESS, "ARMCI_Put", "dst", "0x", put_local },
    { "put_gone", ARMCI_ERR_ADDRESS, "ARMCI_Put", "dst", "0x", put_gone },
    { "get_local", ARMCI_ERR_ADDRESS, "ARMCI_Get", "src", "0x", get_local },
    { "get_to_null", ARMCI_ERR_ADDRESS, "ARMCI_Get", "dst", "NULL", get_to_null },
    { "acc_local", ARMCI_ERR_ADDRESS, "ARMCI_Acc", "dst", "0x", acc_local },
    { "acc_no_scale", ARMCI_ERR_ADDRESS, "ARMCI_Acc", "scale", "NULL", acc_no_scale },
    { "puts_local", ARMCI_ERR_ADDRESS, "ARMCI_PutS", "dst", "0x", puts_local },
    { "putv_local", ARMCI_ERR_ADDRESS, "ARMCI_PutV", "", "0x", putv_local },
    { "getv_local", ARMCI_ERR_ADDRESS, "ARMCI_GetV", "", "0x", getv_local },
    { "rmw_local", ARMCI_ERR_ADDRESS, "ARMCI_Rmw", "prem", "0x", rmw_local },
    { "rmw_nowhere", ARMCI_ERR_ADDRESS, "ARMCI_Rmw", "ploc", "NULL", rmw_nowhere },
    { "put_value_local", ARMCI_ERR_ADDRESS, "ARMCI_PutValueInt", "dst", "0x", put_value_local },
    { "free_local", ARMCI_ERR_ADDRESS, "ARMCI_Free", "ptr", "0x", free_local },
    { "free_inside", ARMCI_ERR_ADDRESS, "ARMCI_Free", "ptr", "0x", free_inside },
    { "access_local", ARMCI_ERR_ADDRESS, "ARMCI_Access_begin", "ptr", "0x", access_local },
    { "mode_get_local", ARMCI_ERR_ADDRESS, "ARMCIX_Mode_get", "ptr", "0x", mode_get_local },
    { "memat_null", ARMCI_ERR_ADDRESS, "ARMCI_Memat", "meminfo", "NULL", memat_null },
    { "malloc_null", ARMCI_ERR_ADDRESS, "ARMCI_Malloc", "base_ptrs", "NULL", malloc_null },
    { "put_beyond", ARMCI_ERR_RANGE, "ARMCI_Put", "dst", "0x", put_beyond },
    { "get_beyond", ARMCI_ERR_RANGE, "ARMCI_Get", "src", "0x", get_beyond },
    { "acc_beyond", ARMCI_ERR_RANGE, "ARMCI_Acc", "dst", "0x", acc_beyond },
    { "puts_beyond", ARMCI_ERR_RANGE, "ARMCI_PutS", "dst", "0x", puts_beyond },
    { "puts_before", ARMCI_ERR_RANGE, "ARMCI_PutS", "dst", "0x", puts_before },
    { "gets_beyond", ARMCI_ERR_RANGE, "ARMCI_GetS", "src", "0x", gets_beyond },
    { "accs_beyond", ARMCI_ERR_RANGE, "ARMCI_AccS", "dst", "0x", accs_beyond },
    { "putv_beyond", ARMCI_ERR_RANGE, "ARMCI_PutV", "", "0x", putv_beyond },
    { "accv_beyond", ARMCI_ERR_RANGE, "ARMCI_AccV", "", "0x", accv_beyond },
    { "nbget_beyond", ARMCI_ERR_RANGE, "ARMCI_NbGet", "src", "0x", nbget_beyond },
    { "put_negative", ARMCI_ERR_COUNT, "ARMCI_Put", "bytes", "-1", put_negative },
    { "nbacc_negative", ARMCI_ERR_COUNT, "ARMCI_NbAcc", "bytes", "-8", nbacc_negative },
    { "puts_negative", ARMCI_ERR_COUNT, "ARMCI_PutS", "count", "", puts_negative },
    { "puts_negative_bytes", ARMCI_ERR_COUNT, "ARMCI_PutS", "count", "", puts_negative_bytes },
    { "puts_negative_levels", ARMCI_ERR_COUNT, "ARMCI_PutS", "stride_levels", "-1", puts_negative_levels },
    { "puts_many_levels", ARMCI_ERR_COUNT, "ARMCI_PutS", "stride_levels", "17", puts_many_levels },
    { "puts_overflow", ARMCI_ERR_COUNT, "ARMCI_PutS", "count", "", puts_overflow },
    { "putv_negative", ARMCI_ERR_COUNT, "ARMCI_PutV", "iov_len", "-1", putv_negative },
    { "putv_negative_bytes", ARMCI_ERR_COUNT, "ARMCI_PutV", "iov", "-8", putv_negative_bytes },
    { "getv_negative_segments", ARMCI_ERR_COUNT, "ARMCI_GetV", "iov", "-3", putv_negative_segments },
    { "malloc_negative", ARMCI_ERR_COUNT, "ARMCI_Malloc", "bytes", "-8", malloc_negative },
    { "malloc_local_negative", ARMCI_ERR_COUNT, "ARMCI_Malloc_local", "bytes", "-1", malloc_local_negative },
    { "copy_negative", ARMCI_ERR_COUNT, "ARMCI_Copy", "n", "-1", copy_negative },
    { "mutexes_negative", ARMCI_ERR_COUNT, "ARMCI_Create_mutexes", "count", "-1", mutexes_negative },
    { "group_empty", ARMCI_ERR_COUNT, "ARMCI_Group_create", "n", "0", group_empty },
    { "memget_zero", ARMCI_ERR_COUNT, "ARMCI_Memget", "bytes", "0", memget_zero },
    { "exchange_few", ARMCI_ERR_COUNT, "armci_exchange_address", "n", "", exchange_few },
    { "acc_type", ARMCI_ERR_TYPE, "ARMCI_Acc", "datatype", "6", acc_type },
    { "acc_type_negative", ARMCI_ERR_TYPE, "ARMCI_Acc", "datatype", "-1", acc_type_negative },
    { "rmw_type", ARMCI_ERR_TYPE, "ARMCI_Rmw", "op", "4", rmw_type },
    { "gop_scope", ARMCI_ERR_TYPE, "armci_msg_gop_scope", "scope", "3", gop_scope },
    { "gop_operator", ARMCI_ERR_TYPE, "armci_msg_lgop", "op", "\"xyz\"", gop_operator },
    { "gop_floating_or", ARMCI_ERR_TYPE, "armci_msg_dgop", "op", "\"or\"", gop_floating_or },
    { "gop_type", ARMCI_ERR_TYPE, "armci_msg_gop_scope", "", "", gop_type },
    { "sel_operator", ARMCI_ERR_TYPE, "armci_msg_sel", "op", "\"+\"", sel_operator },
    { "acc_misaligned", ARMCI_ERR_ALIGN, "ARMCI_Acc", "dst", "0x", acc_misaligned },
    { "acc_int_misaligned", ARMCI_ERR_ALIGN, "ARMCI_Acc", "dst", "0x", acc_int_misaligned },
    { "acc_part", ARMCI_ERR_ALIGN, "ARMCI_Acc", "bytes", "12", acc_part },
    { "accs_misaligned", ARMCI_ERR_ALIGN, "ARMCI_AccS", "dst", "", accs_misaligned },
    { "accv_misaligned", ARMCI_ERR_ALIGN, "ARMCI_AccV", "", "", accv_misaligned },
    { "rmw_misaligned", ARMCI_ERR_ALIGN, "ARMCI_Rmw", "prem", "0x", rmw_misaligned },
    { "rmw_long_misaligned", ARMCI_ERR_ALIGN, "ARMCI_Rmw", "prem", "0x", rmw_long_misaligned },
    { "lock_none", ARMCI_ERR_MUTEX, "ARMCI_Lock", "mutex", "0", lock_none },
    { "lock_range", ARMCI_ERR_MUTEX, "ARMCI_Lock", "mutex", "1", lock_range },
    { "unlock_unheld", ARMCI_ERR_MUTEX, "ARMCI_Unlock", "mutex", "0", unlock_unheld },
    { "destroy_none", ARMCI_ERR_MUTEX, "ARMCI_Destroy_mutexes", "", "", destroy_none },
    { "create_twice", ARMCI_ERR_MUTEX, "ARMCI_Create_mutexes", "count", "", create_twice },
    { "malloc_no_group", ARMCI_ERR_GROUP, "ARMCI_Malloc_group", "group", "", malloc_no_group },
    { "barrier_no_group", ARMCI_ERR_GROUP, "armci_msg_group_barrier", "group", "", group_rank_none },
    { "fence_no_group", ARMCI_ERR_GROUP, "ARMCI_GroupFence", "group", "", fence_no_group },
    { "split_no_group", ARMCI_ERR_GROUP, "ARMCIX_Group_split", "", "", split_no_group },
    { "free_world", ARMCI_ERR_GROUP, "ARMCI_Group_free", "group", "", free_world },
    { "destroy_null", ARMCI_ERR_HANDLE, "ARMCIX_Destroy_mutexes_hdl", "hdl", "NULL", destroy_null },
    { "null_handle", ARMCI_ERR_HANDLE, "ARMCI_INIT_HANDLE", "hdl", "NULL", null_handle },
    { "aggregate_null", ARMCI_ERR_HANDLE, "ARMCI_SET_AGGREGATE_HANDLE", "hdl", "NULL", aggregate_null },
    { "mode_unknown", ARMCI_ERR_ARGUMENT, "ARMCIX_Mode_set", "mode", "0x4000", mode_unknown },
    { "memget_flag", ARMCI_ERR_ARGUMENT, "ARMCI_Memget", "memflg", "1", memget_flag },
    { NULL, 0, NULL, NULL, NULL, NULL },
};
