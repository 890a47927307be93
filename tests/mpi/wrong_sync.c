/* wrong_sync.c - wrong calls that complete, wait, lock, notify, or change a value atomically. */
#include <limits.h>

#include "wrong_calls.h"

/* Nothing is stored locally. */
static int rmw(int op, void *remote, int p)
{
    long old = 3;
    int result = ARMCI_Rmw(op, &old, remote, 1, p);
    check_long(old, 3, "the local value after a wrong ARMCI_Rmw");
    return result;
}

/* `is` a size: bytes of the operand. */
struct operand {
    char *address;
    int size;
};
enum { INT = sizeof(int), LONG = sizeof(long) };

static void *right_operand(int is)
{
    static struct operand o;
    o = (struct operand){stage.there, is};
    return &o;
}

static int wrong_operands(struct row *row, void *arguments)
{
    struct operand *o = arguments;
    MISTAKE(null, 0, 0, ADDRESS, "prem", "", o->address = NULL);
    MISTAKE(local, 0, 0, ADDRESS, "prem", "0x", o->address = stage.nowhere);
    MISTAKE(gone, 0, 0, ADDRESS, "prem", "0x", o->address = stage.gone);
    MISTAKE(before, 0, 0, ADDRESS, "prem", "0x", o->address = stage.there - o->size);
    MISTAKE(after, 0, 0, ADDRESS, "prem", "0x", o->address = stage.there + SLICE + 4);
    MISTAKE(end_of_memory, 0, 0, ADDRESS, "prem", "0x",
            o->address = (char *)(UINTPTR_MAX - (uintptr_t)o->size + 1));
    MISTAKE(half, 0, 0, ALIGN, "prem", "0x", o->address = stage.there + o->size / 2);
    MISTAKE(odd, 0, 0, ALIGN, "prem", "0x", o->address = stage.there + 1);
    MISTAKE(leaves, LONG, 0, RANGE, "prem", "0x", o->address = stage.there + SLICE - 4);
    return 0;
}

static int operations(struct row *row, void *arguments)
{
    struct operand *o = arguments;
    FUNCTION_OF(ARMCI_Rmw, "prem", "add_", INT, rmw(ARMCI_FETCH_AND_ADD, o->address, stage.p));
    FUNCTION_OF(ARMCI_Rmw, "prem", "add_long_", LONG,
                rmw(ARMCI_FETCH_AND_ADD_LONG, o->address, stage.p));
    FUNCTION_OF(ARMCI_Rmw, "prem", "swap_", INT, rmw(ARMCI_SWAP, o->address, stage.p));
    FUNCTION_OF(ARMCI_Rmw, "prem", "swap_long_", LONG, rmw(ARMCI_SWAP_LONG, o->address, stage.p));
    return 0;
}

static int notify_wait(int p)
{
    int waits = -5, result = -armci_notify_wait(p, &waits);
    check_long(waits, -5, "*pval after a wrong armci_notify_wait");
    return result;
}

static int completion(struct row *row)
{
    WRONG(ARMCI_Rmw, op_negative, TYPE, "op", "-1", rmw(-1, stage.there, stage.p));
    WRONG(ARMCI_Rmw, op_unknown, TYPE, "op", "4", rmw(ARMCI_SWAP_LONG + 1, stage.there, stage.p));
    WRONG(ARMCI_Rmw, op_largest, TYPE, "op", "2147483647", rmw(INT_MAX, stage.there, stage.p));
    WRONG(ARMCI_Rmw, op_smallest, TYPE, "op", "-2147483648", rmw(INT_MIN, stage.there, stage.p));
    WRONG(ARMCI_Rmw, to_null, ADDRESS, "ploc", "NULL",
          ARMCI_Rmw(ARMCI_SWAP, NULL, stage.there, 1, stage.p));
    WRONG(armci_notify_wait, null, ADDRESS, "pval", "NULL", -armci_notify_wait(stage.p, NULL));
    WRONG(ARMCI_INIT_HANDLE, null, HANDLE, "hdl", "NULL", SILENT(ARMCI_INIT_HANDLE(NULL)));
    WRONG(ARMCI_SET_AGGREGATE_HANDLE, null, HANDLE, "hdl", "NULL",
          SILENT(ARMCI_SET_AGGREGATE_HANDLE(NULL)));
    WRONG(ARMCI_UNSET_AGGREGATE_HANDLE, null, HANDLE, "hdl", "NULL",
          SILENT(ARMCI_UNSET_AGGREGATE_HANDLE(NULL)));
    OFF(ARMCI_Rmw, rmw(ARMCI_FETCH_AND_ADD, stage.there, 0));
    OFF(ARMCI_Wait, ARMCI_Wait(NULL));
    OFF(ARMCI_Test, ARMCI_Test(&stage.hdl));
    OFF(ARMCI_WaitProc, ARMCI_WaitProc(0));
    OFF(ARMCI_WaitAll, ARMCI_WaitAll());
    OFF(ARMCI_Fence, SILENT(ARMCI_Fence(0)));
    OFF(ARMCI_AllFence, SILENT(ARMCI_AllFence()));
    OFF(ARMCI_GroupFence, SILENT(ARMCI_GroupFence(&stage.none)));
    OFF(ARMCI_Barrier, SILENT(ARMCI_Barrier()));
    OFF(ARMCI_GroupBarrier, SILENT(ARMCI_GroupBarrier(&stage.none)));
    OFF(ARMCIX_Progress, SILENT(ARMCIX_Progress()));
    OFF(armci_notify, -armci_notify(0));
    OFF(armci_notify_wait, notify_wait(0));
    OFF(ARMCI_SET_AGGREGATE_HANDLE, SILENT(ARMCI_SET_AGGREGATE_HANDLE(&stage.hdl)));
    OFF(ARMCI_UNSET_AGGREGATE_HANDLE, SILENT(ARMCI_UNSET_AGGREGATE_HANDLE(&stage.hdl)));
    return 0;
}

/* Everybody holds the own mutex and unlocks the neighbour's; alone, nobody holds any. */
static void unlock_neighbour(void)
{
    if (stage.n > 1) ARMCI_Lock(0, stage.me);
    MPI_Barrier(test_comm());
    ARMCI_Unlock(0, stage.p);
    MPI_Barrier(test_comm());
    if (stage.n > 1) ARMCI_Unlock(0, stage.me);
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
#define WITH_ONE(CALL)   finish((ARMCI_Create_mutexes(1), (CALL)), destroy_mutexes)
#define LOCK(MUTEX, P)   SILENT(ARMCI_Lock(MUTEX, P))
#define UNLOCK(MUTEX, P) SILENT(ARMCI_Unlock(MUTEX, P))

static int destroy_null(void)
{
    int result = ARMCIX_Destroy_mutexes_hdl(NULL);
    ARMCI_Lock(0, stage.p);
    ARMCI_Unlock(0, stage.p);
    return result;
}

static int mutexes(struct row *row)
{
    int me = stage.me, p = stage.p;
    WRONG(ARMCI_Create_mutexes, negative, COUNT, "count", "-1", ARMCI_Create_mutexes(-1));
    WRONG(ARMCI_Create_mutexes, smallest, COUNT, "count", "-2147483648",
          ARMCI_Create_mutexes(INT_MIN));
    WRONG(ARMCI_Create_mutexes, twice, MUTEX, "count", "1", WITH_ONE(ARMCI_Create_mutexes(1)));
    WRONG(ARMCI_Destroy_mutexes, none, MUTEX, "mutexes", "none", ARMCI_Destroy_mutexes());
    WRONG(ARMCI_Destroy_mutexes, twice, MUTEX, "mutexes", "none",
          (ARMCI_Create_mutexes(2), ARMCI_Destroy_mutexes(), ARMCI_Destroy_mutexes()));
    WRONG(ARMCI_Lock, none, MUTEX, "mutex", "0", LOCK(0, p));
    WRONG(ARMCI_Lock, mutex_one, MUTEX, "mutex", "1", WITH_ONE(LOCK(1, p)));
    WRONG(ARMCI_Lock, mutex_negative, MUTEX, "mutex", "-1", WITH_ONE(LOCK(-1, p)));
    WRONG(ARMCI_Lock, mutex_largest, MUTEX, "mutex", "2147483647", WITH_ONE(LOCK(INT_MAX, p)));
    WRONG(ARMCI_Lock, mutex_smallest, MUTEX, "mutex", "-2147483648", WITH_ONE(LOCK(INT_MIN, me)));
    WRONG(ARMCI_Lock, twice, MUTEX, "mutex", "0",
          WITH_ONE(finish((ARMCI_Lock(0, me), LOCK(0, me)), unlock_own)));
    WRONG(ARMCI_Unlock, none, MUTEX, "mutex", "0", UNLOCK(0, p));
    WRONG(ARMCI_Unlock, mutex_one, MUTEX, "mutex", "1", WITH_ONE(UNLOCK(1, p)));
    WRONG(ARMCI_Unlock, mutex_negative, MUTEX, "mutex", "-1", WITH_ONE(UNLOCK(-1, p)));
    WRONG(ARMCI_Unlock, mutex_largest, MUTEX, "mutex", "2147483647", WITH_ONE(UNLOCK(INT_MAX, me)));
    WRONG(ARMCI_Unlock, unheld, MUTEX, "mutex", "0", WITH_ONE(UNLOCK(0, p)));
    WRONG(ARMCI_Unlock, twice, MUTEX, "mutex", "0",
          WITH_ONE((ARMCI_Lock(0, me), ARMCI_Unlock(0, me), UNLOCK(0, me))));
    WRONG(ARMCI_Unlock, of_neighbour, MUTEX, "mutex", "0", WITH_ONE(SILENT(unlock_neighbour())));
    WRONG(ARMCIX_Destroy_mutexes_hdl, own_only, HANDLE, "hdl", "", WITH_ONE(destroy_null()));
    OFF(ARMCI_Create_mutexes, ARMCI_Create_mutexes(1));
    OFF(ARMCI_Destroy_mutexes, ARMCI_Destroy_mutexes());
    OFF(ARMCI_Lock, LOCK(0, p));
    OFF(ARMCI_Unlock, UNLOCK(0, p));
    return 0;
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

static armcix_mutex_hdl_t destroyed_set(void)
{
    create_set(NULL);
    destroy_set();
    return set;
}

static void unlock_own_of_set(void)
{
    ARMCIX_Unlock_hdl(set, 0, stage.me);
}

#define WITH_SET(CALL)            finish((create_set(NULL), (CALL)), destroy_set)
#define LOCK_SET(SET, MUTEX, P)   SILENT(ARMCIX_Lock_hdl(SET, MUTEX, P))
#define UNLOCK_SET(SET, MUTEX, P) SILENT(ARMCIX_Unlock_hdl(SET, MUTEX, P))

static int try_set(armcix_mutex_hdl_t it, int mutex, int p)
{
    check_long(ARMCIX_Trylock_hdl(it, mutex, p), 1, "a wrong ARMCIX_Trylock_hdl");
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

static int sets(struct row *row)
{
    armcix_mutex_hdl_t garbage = (armcix_mutex_hdl_t)(void *)stage.nowhere;
    int me = stage.me, p = stage.p;
#define CREATE(COUNT, GROUP)                                                                       \
    gives_nothing(!ARMCIX_Create_mutexes_hdl(COUNT, GROUP), "ARMCIX_Create_mutexes_hdl")
    WRONG(ARMCI_Destroy_mutexes, sets_only, MUTEX, "mutexes", "none", WITH_SET(destroy_own()));
    WRONG(ARMCIX_Create_mutexes_hdl, negative, COUNT, "count", "-1", CREATE(-1, NULL));
    WRONG(ARMCIX_Create_mutexes_hdl, smallest, COUNT, "count", "-2147483648",
          CREATE(INT_MIN, &stage.self));
    WRONG(ARMCIX_Destroy_mutexes_hdl, null, HANDLE, "hdl", "", ARMCIX_Destroy_mutexes_hdl(NULL));
    WRONG(ARMCIX_Destroy_mutexes_hdl, garbage, HANDLE, "hdl", "0x",
          ARMCIX_Destroy_mutexes_hdl(garbage));
    WRONG(ARMCIX_Destroy_mutexes_hdl, twice, HANDLE, "hdl", "0x",
          ARMCIX_Destroy_mutexes_hdl(destroyed_set()));
    WRONG(ARMCIX_Lock_hdl, null, HANDLE, "hdl", "", LOCK_SET(NULL, 0, 0));
    WRONG(ARMCIX_Lock_hdl, garbage, HANDLE, "hdl", "0x", LOCK_SET(garbage, 0, 0));
    WRONG(ARMCIX_Lock_hdl, destroyed, HANDLE, "hdl", "0x", LOCK_SET(destroyed_set(), 0, p));
    WRONG(ARMCIX_Lock_hdl, mutex_one, MUTEX, "mutex", "1", WITH_SET(LOCK_SET(set, 1, p)));
    WRONG(ARMCIX_Lock_hdl, mutex_negative, MUTEX, "mutex", "-1", WITH_SET(LOCK_SET(set, -1, p)));
    WRONG(ARMCIX_Lock_hdl, twice, MUTEX, "mutex", "0",
          WITH_SET(finish((ARMCIX_Lock_hdl(set, 0, me), LOCK_SET(set, 0, me)), unlock_own_of_set)));
    /* A set over the caller alone has a rank 0 only. */
    WRONG(ARMCIX_Lock_hdl, no_such_member, RANK, "proc", "1",
          finish((create_set(&stage.self), LOCK_SET(set, 0, 1)), destroy_set));
    WRONG(ARMCIX_Trylock_hdl, null, HANDLE, "hdl", "", try_set(NULL, 0, 0));
    WRONG(ARMCIX_Trylock_hdl, garbage, HANDLE, "hdl", "0x", try_set(garbage, 0, 0));
    WRONG(ARMCIX_Trylock_hdl, destroyed, HANDLE, "hdl", "0x", try_set(destroyed_set(), 0, p));
    WRONG(ARMCIX_Trylock_hdl, mutex_one, MUTEX, "mutex", "1", WITH_SET(try_set(set, 1, p)));
    WRONG(ARMCIX_Trylock_hdl, mutex_smallest, MUTEX, "mutex", "-2147483648",
          WITH_SET(try_set(set, INT_MIN, p)));
    WRONG(ARMCIX_Unlock_hdl, null, HANDLE, "hdl", "", UNLOCK_SET(NULL, 0, 0));
    WRONG(ARMCIX_Unlock_hdl, garbage, HANDLE, "hdl", "0x", UNLOCK_SET(garbage, 0, 0));
    WRONG(ARMCIX_Unlock_hdl, destroyed, HANDLE, "hdl", "0x", UNLOCK_SET(destroyed_set(), 0, p));
    WRONG(ARMCIX_Unlock_hdl, mutex_one, MUTEX, "mutex", "1", WITH_SET(UNLOCK_SET(set, 1, p)));
    WRONG(ARMCIX_Unlock_hdl, unheld, MUTEX, "mutex", "0", WITH_SET(UNLOCK_SET(set, 0, p)));
    OFF(ARMCIX_Create_mutexes_hdl, CREATE(1, NULL));
    OFF(ARMCIX_Destroy_mutexes_hdl, ARMCIX_Destroy_mutexes_hdl(NULL));
    OFF(ARMCIX_Lock_hdl, LOCK_SET(NULL, 0, 0));
    OFF(ARMCIX_Trylock_hdl, try_set(NULL, 0, 0));
    OFF(ARMCIX_Unlock_hdl, UNLOCK_SET(NULL, 0, 0));
    return 0;
}

static int with_rank(struct row *row, void *arguments)
{
    int *rank = arguments;
    RANK(ARMCI_Rmw, "proc", 0, rmw(ARMCI_FETCH_AND_ADD, stage.there, *rank));
    RANK(ARMCI_Fence, "proc", 0, SILENT(ARMCI_Fence(*rank)));
    RANK(ARMCI_WaitProc, "proc", 0, ARMCI_WaitProc(*rank));
    RANK(armci_notify, "proc", 0, -armci_notify(*rank));
    RANK(armci_notify_wait, "proc", 0, notify_wait(*rank));
    RANK(ARMCI_Lock, "proc", 0, WITH_ONE(LOCK(0, *rank)));
    RANK(ARMCI_Unlock, "proc", 0, WITH_ONE(UNLOCK(0, *rank)));
    RANK(ARMCIX_Lock_hdl, "proc", 0, WITH_SET(LOCK_SET(set, 0, *rank)));
    RANK(ARMCIX_Trylock_hdl, "proc", 0, WITH_SET(try_set(set, 0, *rank)));
    RANK(ARMCIX_Unlock_hdl, "proc", 0, WITH_SET(UNLOCK_SET(set, 0, *rank)));
    return 0;
}

void wrong_sync_collect(void)
{
    static const struct product atomics = {operations, wrong_operands, right_operand, NULL, ALWAYS};
    wrong_calls_add_product(&atomics);
    wrong_calls_add_ranks(with_rank);
    wrong_calls_add(completion);
    wrong_calls_add(mutexes);
    wrong_calls_add(sets);
}
