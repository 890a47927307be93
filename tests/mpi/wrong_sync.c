/* wrong_sync.c - wrong calls that complete, wait, lock, notify, or change a value atomically. */
#include "wrong_calls.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ read-modify-write */

/* Nothing is stored locally. */
static int rmw(int op, void *remote, int p)
{
    long old = 3;
    int result = ARMCI_Rmw(op, &old, remote, 1, p);

    check_long(old, 3, "the local value after a wrong ARMCI_Rmw");
    return result;
}
static int rmw_rank(int p) { return rmw(ARMCI_FETCH_AND_ADD, stage.there, p); }
static int op_negative(void) { return rmw(-1, stage.there, stage.p); }
static int op_unknown(void) { return rmw(ARMCI_SWAP_LONG + 1, stage.there, stage.p); }
static int op_largest(void) { return rmw(INT_MAX, stage.there, stage.p); }
static int op_smallest(void) { return rmw(INT_MIN, stage.there, stage.p); }
static int to_null(void) { return ARMCI_Rmw(ARMCI_SWAP, NULL, stage.there, 1, stage.p); }

struct operation {
    const char *name;
    int op, size;
};
static const struct operation operations[] = {
    { "add", ARMCI_FETCH_AND_ADD, sizeof(int) },
    { "add_long", ARMCI_FETCH_AND_ADD_LONG, sizeof(long) },
    { "swap", ARMCI_SWAP, sizeof(int) },
    { "swap_long", ARMCI_SWAP_LONG, sizeof(long) },
};

/* Where `prem` points, for an operand of `size` bytes. */
static char *at_null(int size) { (void)size; return NULL; }
static char *at_local(int size) { (void)size; return stage.nowhere; }
static char *at_gone(int size) { (void)size; return stage.gone; }
static char *at_before(int size) { return stage.there - size; }
static char *at_after(int size) { (void)size; return stage.there + SLICE + 4; }
static char *at_end_of_memory(int size) { return (char *)(UINTPTR_MAX - (uintptr_t)size + 1); }
static char *at_half(int size) { return stage.there + size / 2; }
static char *at_odd(int size) { (void)size; return stage.there + 1; }
static char *at_last_int(int size) { (void)size; return stage.there + SLICE - 4; }

struct place {
    const char *name;
    int code;
    const char *value;
    char *(*address)(int size);
    int size; /* of the operands it is wrong for; 0: any */
};
static const struct place places[] = {
    { "null", ARMCI_ERR_ADDRESS, "", at_null, 0 },
    { "local", ARMCI_ERR_ADDRESS, "0x", at_local, 0 },
    { "gone", ARMCI_ERR_ADDRESS, "0x", at_gone, 0 },
    { "before", ARMCI_ERR_ADDRESS, "0x", at_before, 0 },
    { "after", ARMCI_ERR_ADDRESS, "0x", at_after, 0 },
    { "end_of_memory", ARMCI_ERR_ADDRESS, "0x", at_end_of_memory, 0 },
    { "half", ARMCI_ERR_ALIGN, "0x", at_half, 0 },
    { "odd", ARMCI_ERR_ALIGN, "0x", at_odd, 0 },
    { "leaves", ARMCI_ERR_RANGE, "0x", at_last_int, sizeof(long) },
};

static int rmw_at(const void *form, const void *mistake)
{
    const struct operation *o = form;

    return rmw(o->op, ((const struct place *)mistake)->address(o->size), stage.p);
}

static void add_operations(void)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            struct wrong_call w = { .code = places[k].code, .function = "ARMCI_Rmw", .argument = "prem",
                                    .value = places[k].value, .of_family = rmw_at, .form = &operations[i],
                                    .mistake = &places[k] };
            if (places[k].size && places[k].size != operations[i].size)
                continue;
            snprintf(w.name, sizeof w.name, "ARMCI_Rmw.%s_%s", operations[i].name, places[k].name);
            wrong_calls_add(w);
        }
}

/* ------------------------------------------------------------------ completion, handles, notification */

static int fence(int p) { ARMCI_Fence(p); return SAYS_NOTHING; }
static int wait_for(int p) { return ARMCI_WaitProc(p); }
static int notify(int p) { return -armci_notify(p); }
static int notify_wait(int p)
{
    int waits = -5, result = -armci_notify_wait(p, &waits);

    check_long(waits, -5, "*pval after a wrong armci_notify_wait");
    return result;
}
static int notify_wait_null(void) { return -armci_notify_wait(stage.p, NULL); }
static int init_null(void) { ARMCI_INIT_HANDLE(NULL); return SAYS_NOTHING; }
static int set_null(void) { ARMCI_SET_AGGREGATE_HANDLE(NULL); return SAYS_NOTHING; }
static int unset_null(void) { ARMCI_UNSET_AGGREGATE_HANDLE(NULL); return SAYS_NOTHING; }

/* ------------------------------------------------------------------ mutexes */

static int lock(int mutex, int p) { ARMCI_Lock(mutex, p); return SAYS_NOTHING; }
static int unlock(int mutex, int p) { ARMCI_Unlock(mutex, p); return SAYS_NOTHING; }

static int create_negative(void) { return ARMCI_Create_mutexes(-1); }
static int create_smallest(void) { return ARMCI_Create_mutexes(INT_MIN); }
static int destroy_none(void) { return ARMCI_Destroy_mutexes(); }
static int lock_none(void) { return lock(0, stage.p); }
static int unlock_none(void) { return unlock(0, stage.p); }

/* The calls below are made while everybody has one mutex. */
static int with_one(int (*call)(int mutex, int p), int mutex, int p)
{
    int result;

    ARMCI_Create_mutexes(1);
    result = call(mutex, p);
    ARMCI_Destroy_mutexes();
    return result;
}
static int create_again(int mutex, int p)
{
    (void)mutex, (void)p;
    return ARMCI_Create_mutexes(1);
}
static int lock_again(int mutex, int p)
{
    ARMCI_Lock(mutex, p);
    ARMCI_Lock(mutex, p);
    ARMCI_Unlock(mutex, p);
    return SAYS_NOTHING;
}
static int unlock_again(int mutex, int p)
{
    ARMCI_Lock(mutex, p);
    ARMCI_Unlock(mutex, p);
    ARMCI_Unlock(mutex, p);
    return SAYS_NOTHING;
}
/* Everybody holds the own mutex and unlocks the neighbour's; alone, nobody holds any. */
static int unlock_neighbour(int mutex, int p)
{
    if (stage.n > 1)
        ARMCI_Lock(mutex, stage.me);
    MPI_Barrier(test_comm());
    ARMCI_Unlock(mutex, p);
    MPI_Barrier(test_comm());
    if (stage.n > 1)
        ARMCI_Unlock(mutex, stage.me);
    return SAYS_NOTHING;
}
static int destroy_twice(void)
{
    ARMCI_Create_mutexes(2);
    ARMCI_Destroy_mutexes();
    return ARMCI_Destroy_mutexes();
}
static int create_twice(void) { return with_one(create_again, 0, 0); }
static int lock_rank(int p) { return with_one(lock, 0, p); }
static int unlock_rank(int p) { return with_one(unlock, 0, p); }
static int lock_one(void) { return with_one(lock, 1, stage.p); }
static int lock_negative(void) { return with_one(lock, -1, stage.p); }
static int lock_largest(void) { return with_one(lock, INT_MAX, stage.p); }
static int lock_smallest(void) { return with_one(lock, INT_MIN, stage.me); }
static int lock_twice(void) { return with_one(lock_again, 0, stage.me); }
static int unlock_one(void) { return with_one(unlock, 1, stage.p); }
static int unlock_negative(void) { return with_one(unlock, -1, stage.p); }
static int unlock_largest(void) { return with_one(unlock, INT_MAX, stage.me); }
static int unlock_unheld(void) { return with_one(unlock, 0, stage.p); }
static int unlock_twice(void) { return with_one(unlock_again, 0, stage.me); }
static int unlock_of_neighbour(void) { return with_one(unlock_neighbour, 0, stage.p); }

/* ------------------------------------------------------------------ sets of mutexes */

typedef int set_call(armcix_mutex_hdl_t set, int mutex, int p);
static int lock_set(armcix_mutex_hdl_t set, int mutex, int p)
{
    ARMCIX_Lock_hdl(set, mutex, p);
    return SAYS_NOTHING;
}
static int unlock_set(armcix_mutex_hdl_t set, int mutex, int p)
{
    ARMCIX_Unlock_hdl(set, mutex, p);
    return SAYS_NOTHING;
}
static int try_set(armcix_mutex_hdl_t set, int mutex, int p)
{
    check_long(ARMCIX_Trylock_hdl(set, mutex, p), 1, "a wrong ARMCIX_Trylock_hdl");
    return SAYS_NOTHING;
}
static int destroy_set(armcix_mutex_hdl_t set, int mutex, int p)
{
    (void)mutex, (void)p;
    return ARMCIX_Destroy_mutexes_hdl(set);
}
static int lock_set_again(armcix_mutex_hdl_t set, int mutex, int p)
{
    ARMCIX_Lock_hdl(set, mutex, p);
    ARMCIX_Lock_hdl(set, mutex, p);
    ARMCIX_Unlock_hdl(set, mutex, p);
    return SAYS_NOTHING;
}

static int with_set(set_call *call, int mutex, int p)
{
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, NULL);
    int result = call(set, mutex, p);

    ARMCIX_Destroy_mutexes_hdl(set);
    return result;
}
static int lock_set_rank(int p) { return with_set(lock_set, 0, p); }
static int try_set_rank(int p) { return with_set(try_set, 0, p); }
static int unlock_set_rank(int p) { return with_set(unlock_set, 0, p); }
static int lock_set_one(void) { return with_set(lock_set, 1, stage.p); }
static int lock_set_negative(void) { return with_set(lock_set, -1, stage.p); }
static int lock_set_twice(void) { return with_set(lock_set_again, 0, stage.me); }
static int try_set_one(void) { return with_set(try_set, 1, stage.p); }
static int try_set_smallest(void) { return with_set(try_set, INT_MIN, stage.p); }
static int unlock_set_one(void) { return with_set(unlock_set, 1, stage.p); }
static int unlock_set_unheld(void) { return with_set(unlock_set, 0, stage.p); }

/* A set is none of ARMCI's own mutexes, and they are no set. */
static int destroy_own(armcix_mutex_hdl_t set, int mutex, int p)
{
    int result = ARMCI_Destroy_mutexes();

    ARMCIX_Lock_hdl(set, mutex, p);
    ARMCIX_Unlock_hdl(set, mutex, p);
    return result;
}
static int destroy_own_beside_set(void) { return with_set(destroy_own, 0, stage.p); }
static int destroy_null(int mutex, int p)
{
    int result = ARMCIX_Destroy_mutexes_hdl(NULL);

    ARMCI_Lock(mutex, p);
    ARMCI_Unlock(mutex, p);
    return result;
}
static int destroy_set_beside_own(void) { return with_one(destroy_null, 0, stage.p); }

/* A set over the caller alone has a rank 0 only. */
static int lock_rank_of_other(void)
{
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &stage.self);

    ARMCIX_Lock_hdl(set, 0, 1);
    ARMCIX_Destroy_mutexes_hdl(set);
    return SAYS_NOTHING;
}

/* Handles that are none. */
static armcix_mutex_hdl_t destroyed_set(void)
{
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, NULL);

    ARMCIX_Destroy_mutexes_hdl(set);
    return set;
}
static armcix_mutex_hdl_t garbage_set(void) { return (armcix_mutex_hdl_t)(void *)stage.nowhere; }
static int lock_no_set(void) { return lock_set(NULL, 0, 0); }
static int try_no_set(void) { return try_set(NULL, 0, 0); }
static int unlock_no_set(void) { return unlock_set(NULL, 0, 0); }
static int destroy_no_set(void) { return destroy_set(NULL, 0, 0); }
static int lock_garbage(void) { return lock_set(garbage_set(), 0, 0); }
static int try_garbage(void) { return try_set(garbage_set(), 0, 0); }
static int unlock_garbage(void) { return unlock_set(garbage_set(), 0, 0); }
static int destroy_garbage(void) { return destroy_set(garbage_set(), 0, 0); }
static int lock_destroyed(void) { return lock_set(destroyed_set(), 0, stage.p); }
static int try_destroyed(void) { return try_set(destroyed_set(), 0, stage.p); }
static int unlock_destroyed(void) { return unlock_set(destroyed_set(), 0, stage.p); }
static int destroy_destroyed(void) { return destroy_set(destroyed_set(), 0, 0); }
static int create_set(int count, ARMCI_Group *group)
{
    check(!ARMCIX_Create_mutexes_hdl(count, group), "ARMCIX_Create_mutexes_hdl(%d) gives a set", count);
    return SAYS_NOTHING;
}
static int create_set_negative(void) { return create_set(-1, NULL); }
static int create_set_smallest(void) { return create_set(INT_MIN, &stage.self); }

/* ------------------------------------------------------------------ the list */

static const struct rank_form ranks[] = {
    { "ARMCI_Rmw", "proc", rmw_rank, false },
    { "ARMCI_Fence", "proc", fence, false },
    { "ARMCI_WaitProc", "proc", wait_for, false },
    { "armci_notify", "proc", notify, false },
    { "armci_notify_wait", "proc", notify_wait, false },
    { "ARMCI_Lock", "proc", lock_rank, false },
    { "ARMCI_Unlock", "proc", unlock_rank, false },
    { "ARMCIX_Lock_hdl", "proc", lock_set_rank, false },
    { "ARMCIX_Trylock_hdl", "proc", try_set_rank, false },
    { "ARMCIX_Unlock_hdl", "proc", unlock_set_rank, false },
    { NULL, NULL, NULL, false },
};

static const struct single_call singles[] = {
    { "ARMCI_Rmw", "op_negative", ARMCI_ERR_TYPE, "op", "-1", op_negative },
    { "ARMCI_Rmw", "op_unknown", ARMCI_ERR_TYPE, "op", "4", op_unknown },
    { "ARMCI_Rmw", "op_largest", ARMCI_ERR_TYPE, "op", "2147483647", op_largest },
    { "ARMCI_Rmw", "op_smallest", ARMCI_ERR_TYPE, "op", "-2147483648", op_smallest },
    { "ARMCI_Rmw", "to_null", ARMCI_ERR_ADDRESS, "ploc", "NULL", to_null },
    { "armci_notify_wait", "null", ARMCI_ERR_ADDRESS, "pval", "NULL", notify_wait_null },
    { "ARMCI_INIT_HANDLE", "null", ARMCI_ERR_HANDLE, "hdl", "NULL", init_null },
    { "ARMCI_SET_AGGREGATE_HANDLE", "null", ARMCI_ERR_HANDLE, "hdl", "NULL", set_null },
    { "ARMCI_UNSET_AGGREGATE_HANDLE", "null", ARMCI_ERR_HANDLE, "hdl", "NULL", unset_null },
    { "ARMCI_Create_mutexes", "negative", ARMCI_ERR_COUNT, "count", "-1", create_negative },
    { "ARMCI_Create_mutexes", "smallest", ARMCI_ERR_COUNT, "count", "-2147483648", create_smallest },
    { "ARMCI_Create_mutexes", "twice", ARMCI_ERR_MUTEX, "count", "1", create_twice },
    { "ARMCI_Destroy_mutexes", "none", ARMCI_ERR_MUTEX, "mutexes", "none", destroy_none },
    { "ARMCI_Destroy_mutexes", "sets_only", ARMCI_ERR_MUTEX, "mutexes", "none", destroy_own_beside_set },
    { "ARMCI_Destroy_mutexes", "twice", ARMCI_ERR_MUTEX, "mutexes", "none", destroy_twice },
    { "ARMCI_Lock", "none", ARMCI_ERR_MUTEX, "mutex", "0", lock_none },
    { "ARMCI_Lock", "mutex_one", ARMCI_ERR_MUTEX, "mutex", "1", lock_one },
    { "ARMCI_Lock", "mutex_negative", ARMCI_ERR_MUTEX, "mutex", "-1", lock_negative },
    { "ARMCI_Lock", "mutex_largest", ARMCI_ERR_MUTEX, "mutex", "2147483647", lock_largest },
    { "ARMCI_Lock", "mutex_smallest", ARMCI_ERR_MUTEX, "mutex", "-2147483648", lock_smallest },
    { "ARMCI_Lock", "twice", ARMCI_ERR_MUTEX, "mutex", "0", lock_twice },
    { "ARMCI_Unlock", "none", ARMCI_ERR_MUTEX, "mutex", "0", unlock_none },
    { "ARMCI_Unlock", "mutex_one", ARMCI_ERR_MUTEX, "mutex", "1", unlock_one },
    { "ARMCI_Unlock", "mutex_negative", ARMCI_ERR_MUTEX, "mutex", "-1", unlock_negative },
    { "ARMCI_Unlock", "mutex_largest", ARMCI_ERR_MUTEX, "mutex", "2147483647", unlock_largest },
    { "ARMCI_Unlock", "unheld", ARMCI_ERR_MUTEX, "mutex", "0", unlock_unheld },
    { "ARMCI_Unlock", "twice", ARMCI_ERR_MUTEX, "mutex", "0", unlock_twice },
    { "ARMCI_Unlock", "of_neighbour", ARMCI_ERR_MUTEX, "mutex", "0", unlock_of_neighbour },
    { "ARMCIX_Create_mutexes_hdl", "negative", ARMCI_ERR_COUNT, "count", "-1", create_set_negative },
    { "ARMCIX_Create_mutexes_hdl", "smallest", ARMCI_ERR_COUNT, "count", "-2147483648", create_set_smallest },
    { "ARMCIX_Destroy_mutexes_hdl", "own_only", ARMCI_ERR_HANDLE, "hdl", "", destroy_set_beside_own },
    { "ARMCIX_Destroy_mutexes_hdl", "null", ARMCI_ERR_HANDLE, "hdl", "", destroy_no_set },
    { "ARMCIX_Destroy_mutexes_hdl", "garbage", ARMCI_ERR_HANDLE, "hdl", "0x", destroy_garbage },
    { "ARMCIX_Destroy_mutexes_hdl", "twice", ARMCI_ERR_HANDLE, "hdl", "0x", destroy_destroyed },
    { "ARMCIX_Lock_hdl", "null", ARMCI_ERR_HANDLE, "hdl", "", lock_no_set },
    { "ARMCIX_Lock_hdl", "garbage", ARMCI_ERR_HANDLE, "hdl", "0x", lock_garbage },
    { "ARMCIX_Lock_hdl", "destroyed", ARMCI_ERR_HANDLE, "hdl", "0x", lock_destroyed },
    { "ARMCIX_Lock_hdl", "mutex_one", ARMCI_ERR_MUTEX, "mutex", "1", lock_set_one },
    { "ARMCIX_Lock_hdl", "mutex_negative", ARMCI_ERR_MUTEX, "mutex", "-1", lock_set_negative },
    { "ARMCIX_Lock_hdl", "twice", ARMCI_ERR_MUTEX, "mutex", "0", lock_set_twice },
    { "ARMCIX_Lock_hdl", "no_such_member", ARMCI_ERR_RANK, "proc", "1", lock_rank_of_other },
    { "ARMCIX_Trylock_hdl", "null", ARMCI_ERR_HANDLE, "hdl", "", try_no_set },
    { "ARMCIX_Trylock_hdl", "garbage", ARMCI_ERR_HANDLE, "hdl", "0x", try_garbage },
    { "ARMCIX_Trylock_hdl", "destroyed", ARMCI_ERR_HANDLE, "hdl", "0x", try_destroyed },
    { "ARMCIX_Trylock_hdl", "mutex_one", ARMCI_ERR_MUTEX, "mutex", "1", try_set_one },
    { "ARMCIX_Trylock_hdl", "mutex_smallest", ARMCI_ERR_MUTEX, "mutex", "-2147483648", try_set_smallest },
    { "ARMCIX_Unlock_hdl", "null", ARMCI_ERR_HANDLE, "hdl", "", unlock_no_set },
    { "ARMCIX_Unlock_hdl", "garbage", ARMCI_ERR_HANDLE, "hdl", "0x", unlock_garbage },
    { "ARMCIX_Unlock_hdl", "destroyed", ARMCI_ERR_HANDLE, "hdl", "0x", unlock_destroyed },
    { "ARMCIX_Unlock_hdl", "mutex_one", ARMCI_ERR_MUTEX, "mutex", "1", unlock_set_one },
    { "ARMCIX_Unlock_hdl", "unheld", ARMCI_ERR_MUTEX, "mutex", "0", unlock_set_unheld },
    { NULL, NULL, 0, NULL, NULL, NULL },
};

static int rmw_off(void) { return rmw_rank(0); }
static int wait_off(void) { return ARMCI_Wait(NULL); }
static int test_off(void) { return ARMCI_Test(&stage.hdl); }
static int wait_proc_off(void) { return ARMCI_WaitProc(0); }
static int wait_all_off(void) { return ARMCI_WaitAll(); }
static int fence_off(void) { return fence(0); }
static int all_fence_off(void) { ARMCI_AllFence(); return SAYS_NOTHING; }
static int group_fence_off(void) { ARMCI_GroupFence(&stage.none); return SAYS_NOTHING; }
static int barrier_off(void) { ARMCI_Barrier(); return SAYS_NOTHING; }
static int progress_off(void) { ARMCIX_Progress(); return SAYS_NOTHING; }
static int notify_off(void) { return notify(0); }
static int notify_wait_off(void) { return notify_wait(0); }
static int set_off(void) { ARMCI_SET_AGGREGATE_HANDLE(&stage.hdl); return SAYS_NOTHING; }
static int unset_off(void) { ARMCI_UNSET_AGGREGATE_HANDLE(&stage.hdl); return SAYS_NOTHING; }
static int create_off(void) { return ARMCI_Create_mutexes(1); }
static int create_set_off(void) { return create_set(1, NULL); }

static const struct off_call off[] = {
    { "ARMCI_Rmw", rmw_off },
    { "ARMCI_Wait", wait_off },
    { "ARMCI_Test", test_off },
    { "ARMCI_WaitProc", wait_proc_off },
    { "ARMCI_WaitAll", wait_all_off },
    { "ARMCI_Fence", fence_off },
    { "ARMCI_AllFence", all_fence_off },
    { "ARMCI_GroupFence", group_fence_off },
    { "ARMCI_Barrier", barrier_off },
    { "ARMCIX_Progress", progress_off },
    { "armci_notify", notify_off },
    { "armci_notify_wait", notify_wait_off },
    { "ARMCI_SET_AGGREGATE_HANDLE", set_off },
    { "ARMCI_UNSET_AGGREGATE_HANDLE", unset_off },
    { "ARMCI_Create_mutexes", create_off },
    { "ARMCI_Destroy_mutexes", destroy_none },
    { "ARMCI_Lock", lock_none },
    { "ARMCI_Unlock", unlock_none },
    { "ARMCIX_Create_mutexes_hdl", create_set_off },
    { "ARMCIX_Destroy_mutexes_hdl", destroy_no_set },
    { "ARMCIX_Lock_hdl", lock_no_set },
    { "ARMCIX_Trylock_hdl", try_no_set },
    { "ARMCIX_Unlock_hdl", unlock_no_set },
    { NULL, NULL },
};

void wrong_sync_collect(void)
{
    add_operations();
    wrong_calls_add_ranks(ranks);
    wrong_calls_add_singles(RUNNING, singles);
    wrong_calls_add_off(ARMCI_OFF, "state", off);
}
