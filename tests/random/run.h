/* run.h - a program while it runs. */
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include <mpi.h>

#include "model.h"
#include "program.h"

/* What an rmw on a shared cell returned. All long: it is sent as such. */
struct outcome {
    long area, offset, rank, sequence, old, operand, swaps;
};

struct run {
    MPI_Comm comm; /* the tester's own */
    struct program *p;
    struct phase *ph;
    armci_hdl_t handle[HANDLES + 1]; /* the last one for puts that tell */
    struct replay replay;
    const struct op **getting; /* gets that nobody waited for */
    int gets, get_room;
    struct outcome *outcome;
    int outcomes, outcome_room;
    int notified[MAX_RANKS], received[MAX_RANKS]; /* since the start of the job */
    long operations, bytes;                       /* checked */
};

/* execute.c: run the program from beginning to end. Ends the job where something is wrong. */
void run_program(struct run *run, uint64_t seed);
void run_op(struct run *run, const struct op *op);

/* issue.c: carry a transfer out, or start it; remember what a get must bring. */
void issue_transfer(struct run *run, const struct op *op, armci_hdl_t *handle);
/* A get from the own slice that packs, unpacks or copies. */
void issue_pack(struct run *run, const struct op *op);
/* Look at the gets that `wait` completes. */
void issue_completed(struct run *run, const struct op *wait);

/* joint.c: operations of several processes */
void joint_section(struct run *run, const struct op *op);
void joint_tell(struct run *run, const struct op *op);
void joint_hear(struct run *run, const struct op *op);
void joint_send(struct run *run, const struct op *op);
void joint_receive(struct run *run, const struct op *op);

/* collective.c */
void collective_reduce(struct run *run, const struct op *op);

/* world.c: groups, regions, mutexes */
void world_begin(struct run *run);
void world_group_create(struct run *run, const struct op *op);
void world_group_free(struct run *run, const struct op *op);
void world_region_create(struct run *run, const struct op *op);
void world_region_free(struct run *run, const struct op *op);
void world_end(struct run *run);

/* cells.c: rmw */
void cells_rmw(struct run *run, const struct op *op);
/* Do the outcomes of all fit into one order of events?  Sets what the cells should hold. */
void cells_settle(struct run *run);

/* check.c: wrong answers end the job with a report. */
void check_status(struct run *run, const struct op *op, int status);
/* Are seen[0..n), at this place, what they should be? */
void check_bytes(struct run *run, const struct op *op, const char *what, int rank, int memory,
                 long offset, const char *expected, const char *seen, long n);
void check_number(struct run *run, const struct op *op, const char *what, long expected, long seen);
/* The part at this offset of a shared area. */
void check_part(struct run *run, const struct op *op, const struct area *a, long offset,
                const char *seen);
/* All own memory against the model. */
void check_memory(struct run *run);
void check_slice(struct run *run, const struct op *op, int region);

/* place.c: where each process is, for hangs and crashes */
void place_begin(MPI_Comm comm, const char *path, int hang);
void place_program(uint64_t seed);
void place_set(int phase, long unit, long sequence, const char *what);

/* Functions that other ARMCI libraries may lack. */
extern int armci_notify(int proc) __attribute__((weak));
extern int armci_notify_wait(int proc, int *pval) __attribute__((weak));
extern void ARMCI_GroupFence(ARMCI_Group *group) __attribute__((weak));
extern int ARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr,
                               int dst_stride_ar[], int count[], int stride_levels, int *flag,
                               int value, int proc) __attribute__((weak));
extern void armci_exchange_address(void *ptr_ar[], int n) __attribute__((weak));
extern void armci_exchange_address_grp(void *ptr_ar[], int n, ARMCI_Group *group)
    __attribute__((weak));

#endif
