/* load.h - what processes do to one another under load: 8-byte operations on every other process, and long transfers that a process may
 * leave under way.  Only ARMCI is called. */
#ifndef ARMCI_BENCH_LOAD_H
#define ARMCI_BENCH_LOAD_H

#include <armci.h>
#include <stdbool.h>

/* 8-byte operations, each complete at the target. */
enum small_operation { SMALL_GET, SMALL_PUT, SMALL_ACC, SMALL_RMW, SMALL_LOCK, SMALL_OPERATIONS };

/* Transfers of more than 64 KiB. */
enum long_transfer { LONG_ACC, LONG_PUT_STRIDED, LONG_GET_VECTOR, LONG_TRANSFERS };

struct load {
    int me, ranks;
    void **base; /* a slice on each rank */
};

/* One thread's part: a buffer, lists of addresses, and how often it did each operation. */
struct load_worker {
    const struct load *load;
    char *local;
    void **there, **here;
    int pieces; /* of a vector */
    unsigned long random;
    long done[SMALL_OPERATIONS];
};

/* Make the region; each rank has a mutex already.  Collective; false where memory is short. */
bool load_open(struct load *load);
/* Free it.  Collective. */
void load_close(struct load *load);

/* pieces: of 1 KiB, in each LONG_GET_VECTOR. */
bool load_worker_open(struct load_worker *worker, const struct load *load, int number, int pieces);
void load_worker_close(struct load_worker *worker);

/* Carry a small operation out; when it returns, it is complete. */
void load_small(struct load_worker *worker, enum small_operation operation, int target);
/* Start a long transfer: it is not complete when this returns.  Then ARMCI_Wait and a fence complete it. */
void load_start(struct load_worker *worker, enum long_transfer transfer, int target, armci_hdl_t *handle);

/* 0 <= result < below. */
int load_random(struct load_worker *worker, int below);

/* After a barrier: are the counters in all slices what so many operations of this process (and the others' numbers) leave?  Collective. */
bool load_is_right(const struct load *load, const long done[SMALL_OPERATIONS]);

#endif
