/* fake_job.h - the engine (src/core, src/mem, src/transport/rma) over fake_mpi.h, as one process of
 * a simulated job: world, configuration, quirks and regions. Replaces src/mpi/world.c and team.c.
 */
#ifndef FAKE_JOB_H
#define FAKE_JOB_H

#include "fake_mpi.h"
#include "mem/lookup.h"
#include "core/handle.h"
#include "transport/rma/rma.h"
#include "core/op.h"

enum { JOB_SETTINGS = 6 };

/* Defaults: 4 processes, this one is 0, no library quirk, each operation takes effect as late as
 * allowed. */
struct job {
    int processes, me;
    enum fake_order order; /* FAKE_AT_ONCE counts as not set: use at_once */
    bool at_once;          /* operations take effect immediately */
    unsigned seed;
    const char *library; /* text of MPI_Get_library_version */
    bool several_nodes;
    const char *setting[JOB_SETTINGS]; /* NAME=value, NULL-terminated */
};

/* Start the job, after the end of the one that runs. Invalid arguments of ARMCI calls return an
 * error code. */
void job_start(struct job job);
/* For unit.end. If a job runs: complete everything, end the layers, check that nothing is left. */
void job_end(void);

/* A region of `bytes` bytes on each of `members` processes from `first`; a region of one slice over
 * existing memory. Freed by job_region_free or job_end. */
struct region *job_region(int first, int members, size_t bytes);
struct region *job_region_over(int process, char *memory, size_t bytes);
/* Part of another region, which is no longer found there, on its window. */
struct region *job_region_within(struct region *extent, size_t displacement, size_t bytes);
void job_region_free(struct region *region);
/* The address of byte `offset` of a process's slice. */
char *job_address(const struct region *region, int process, size_t offset);

/* t with the range of its remote side. */
struct op job_ranged(struct op t);
/* Contiguous transfers, not yet started. */
struct op job_put(int target, void *local, void *remote, size_t bytes);
struct op job_get(int target, void *local, void *remote, size_t bytes);
/* Accumulate of ints or doubles, with scale 1. */
struct op job_acc(enum element e, int target, void *local, void *remote, size_t bytes);
/* Start and, if blocking, finish; the test fails if the operation does. */
struct request job_nonblocking(struct op t);
void job_blocking(struct op t);

#endif
