/* load.c - 8-byte operations and long transfers between all processes. */
#include "load.h"

#include <message.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1024,          /* bytes of a vector's piece */
    ACC_BYTES = 200 << 10, /* in one segment */
    SEGMENT = 2048,
    SEGMENTS = 100,
    STRIDE = 4096,
    DISTANCE = 1536, /* between pieces, plus up to 480 */
    LOCAL_BYTES = 12 << 20,
    MOST_MIB = 32, /* of a direct transfer */
    SLICE_BYTES = (MOST_MIB << 20) + 4096
};

/* The beginning of a slice. Long transfers use the rest: they read it, write zeros or add zeros.
 */
struct counters {
    long fetched, locked, put;
    double added;
};

static struct counters *counters_of(const struct load *load, int rank)
{
    return load->base[rank];
}

static char *room_of(const struct load *load, int rank)
{
    return (char *)load->base[rank] + 4096;
}

bool load_open(struct load *load)
{
    load->me = armci_msg_me();
    load->ranks = armci_msg_nproc();
    load->base = calloc((size_t)load->ranks, sizeof *load->base);
    if (!load->base || ARMCI_Malloc(load->base, SLICE_BYTES) != 0) return false;
    memset(load->base[load->me], 0, SLICE_BYTES);
    ARMCI_Barrier();
    return true;
}

void load_close(struct load *load)
{
    ARMCI_Barrier();
    ARMCI_Free(load->base[load->me]);
    free(load->base);
}

bool load_worker_open(struct load_worker *worker, const struct load *load, int number, int pieces)
{
    *worker = (struct load_worker){.load = load,
                                   .pieces = pieces,
                                   .random = 1000UL * (unsigned long)load->me +
                                             (unsigned long)number + 1};
    worker->local = calloc(1, LOCAL_BYTES);
    worker->there = calloc((size_t)pieces, sizeof *worker->there);
    worker->here = calloc((size_t)pieces, sizeof *worker->here);
    return worker->local && worker->there && worker->here;
}

void load_worker_close(struct load_worker *worker)
{
    free(worker->local);
    free(worker->block);
    free(worker->there);
    free(worker->here);
}

int load_random(struct load_worker *worker, int below)
{
    worker->random = worker->random * 6364136223846793005UL + 1442695040888963407UL;
    return (int)((worker->random >> 33) % (unsigned long)below);
}

/* The counter that a lock protects. */
static void count_under_lock(struct counters *there, int target)
{
    long value;
    ARMCI_Lock(0, target);
    ARMCI_Get(&there->locked, &value, sizeof value, target);
    value++;
    ARMCI_Put(&value, &there->locked, sizeof value, target);
    ARMCI_Unlock(0, target);
}

void load_small(struct load_worker *worker, enum small_operation operation, int target)
{
    struct counters *there = counters_of(worker->load, target);
    long value = 4711;
    double one = 1;

    worker->done[operation]++;
    switch (operation) {
    case SMALL_GET: ARMCI_Get(&there->put, &value, sizeof value, target); return;
    case SMALL_PUT:
        ARMCI_Put(&value, &there->put, sizeof value, target);
        ARMCI_Fence(target);
        return;
    case SMALL_ACC:
        ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, &there->added, sizeof one, target);
        ARMCI_Fence(target);
        return;
    case SMALL_RMW: ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, &there->fetched, 1, target); return;
    case SMALL_LOCK: count_under_lock(there, target); return;
    case SMALL_OPERATIONS: return;
    }
}

/* Pieces at irregular distances. */
static void start_vector(struct load_worker *worker, int target, armci_hdl_t *handle)
{
    char *room = room_of(worker->load, target);
    for (int i = 0; i < worker->pieces; i++) {
        worker->there[i] = room + (size_t)i * DISTANCE + (size_t)((long)i * i % 61) * 8;
        worker->here[i] = worker->local + (size_t)i * PIECE;
    }
    armci_giov_t vector = {.src_ptr_array = worker->there,
                           .dst_ptr_array = worker->here,
                           .bytes = PIECE,
                           .ptr_array_len = worker->pieces};
    ARMCI_NbGetV(&vector, 1, target, handle);
}

/* A blocking put or accumulate may not be complete at the target when it returns. */
void load_start(struct load_worker *worker, enum long_transfer transfer, int target,
                armci_hdl_t *handle)
{
    char *room = room_of(worker->load, target), *zeros = worker->local + (LOCAL_BYTES - (1 << 20));
    int strides[] = {STRIDE}, counts[] = {SEGMENT, SEGMENTS};
    double one = 1;

    ARMCI_INIT_HANDLE(handle);
    switch (transfer) {
    case LONG_ACC: ARMCI_Acc(ARMCI_ACC_DBL, &one, zeros, room, ACC_BYTES, target); return;
    case LONG_PUT_STRIDED: ARMCI_PutS(zeros, strides, room, strides, counts, 1, target); return;
    case LONG_GET_VECTOR: start_vector(worker, target, handle); return;
    case LONG_TRANSFERS: return;
    }
}

bool load_prepare_direct(struct load_worker *worker)
{
    worker->block = calloc(MOST_MIB, 1 << 20);
    return worker->block;
}

void load_direct(struct load_worker *worker)
{
    int me = worker->load->me, doublings = load_random(worker, 6);
    ARMCI_Put(worker->block, room_of(worker->load, me), 1 << (20 + doublings), me);
}

bool load_is_right(const struct load *load, const long done[SMALL_OPERATIONS])
{
    const struct counters *mine = counters_of(load, load->me);
    long sums[SMALL_OPERATIONS], seen[3];

    ARMCI_Barrier();
    memcpy(sums, done, sizeof sums);
    seen[0] = mine->fetched;
    seen[1] = mine->locked;
    seen[2] = (long)mine->added;
    armci_msg_lgop(sums, SMALL_OPERATIONS, "+");
    armci_msg_lgop(seen, 3, "+");
    return seen[0] == sums[SMALL_RMW] && seen[1] == sums[SMALL_LOCK] && seen[2] == sums[SMALL_ACC];
}
