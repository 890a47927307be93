/* fake_job.h - the engine (src/gmr, path, xfer) started over fake_mpi.h as one process of a job that is not there: its
 * world, configuration, quirks and regions.  Takes the place of src/mpi/world.c and team.c. */
#ifndef FAKE_JOB_H
#define FAKE_JOB_H

#include "fake_mpi.h"
#include "mem/directory.h"
#include "core/handle.h"
#include "transport/rma/pending.h"
#include "core/op.h"

enum { JOB_SETTINGS = 6 };

/* A job with all that is not set: 4 processes, this one is 0, no library quirk, operations at the worst time. */
struct job {
    int processes, me;
    enum fake_order order;            /* FAKE_AT_ONCE counts as not set, see job_at_once */
    bool at_once;                     /* effects without delay */
    unsigned seed;
    const char *library;              /* text of MPI_Get_library_version */
    bool several_nodes;
    const char *setting[JOB_SETTINGS]; /* NAME=value; up to a NULL */
};

/* Start it.  Wrong arguments return their code. */
void job_start(struct job job);
/* Complete everything, end the layers, check that nothing is left. */
void job_end(void);

/* A region of `bytes` bytes on each of `members` processes from `first` on; over memory that is there, one slice.
 * Freed by job_region_free, or else by job_end. */
struct region *job_region(int first, int members, size_t bytes);
struct region *job_region_over(int process, char *memory, size_t bytes);
void job_region_free(struct region *region);
/* The address of byte `offset` of a process's slice. */
char *job_address(const struct region *region, int process, size_t offset);

/* Transfers of contiguous bytes, all but ready to start. */
struct op job_put(int target, void *local, void *remote, size_t bytes);
struct op job_get(int target, void *local, void *remote, size_t bytes);
/* Accumulate of ints or doubles, with scale 1. */
struct op job_acc(enum element e, int target, void *local, void *remote, size_t bytes);
/* Start and, for blocking, finish; fail where that does. */
struct request job_nonblocking(struct op t);
void job_blocking(struct op t);

#endif
