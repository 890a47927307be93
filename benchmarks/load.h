/* load.h - operations for measurements under load: 8-byte operations, and long transfers that may
 * remain outstanding while the process leaves the library. Calls only ARMCI. */
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

/* State of one thread: a buffer, lists of addresses, and the number of operations of each kind. */
struct load_worker {
    const struct load *load;
    char *local, *block; /* block: for load_direct, else NULL */
    void **there, **here;
    int pieces; /* of a vector */
    unsigned long random;
    long done[SMALL_OPERATIONS];
};

/* Allocate the region; each rank already owns a mutex. Collective; false if out of memory. */
bool load_open(struct load *load);
/* Free it. Collective. */
void load_close(struct load *load);

/* pieces: of 1 KiB, in each LONG_GET_VECTOR. */
bool load_worker_open(struct load_worker *worker, const struct load *load, int number, int pieces);
void load_worker_close(struct load_worker *worker);

/* Execute a small operation; it is complete on return. */
void load_small(struct load_worker *worker, enum small_operation operation, int target);
/* Start a long transfer, which ARMCI_Wait and a fence complete. */
void load_start(struct load_worker *worker, enum long_transfer transfer, int target,
                armci_hdl_t *handle);

/* A direct transfer of 1 to 32 MiB within the memory of the caller, and what it needs; false if out
 * of memory. */
bool load_prepare_direct(struct load_worker *worker);
void load_direct(struct load_worker *worker);

/* 0 <= result < below. */
int load_random(struct load_worker *worker, int below);

/* Collective, with a barrier: do the counters of all slices match the numbers of operations of all
 * processes? */
bool load_is_right(const struct load *load, const long done[SMALL_OPERATIONS]);

#endif
