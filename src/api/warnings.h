/* warnings.h - what is wrong with a job although it runs: slower, less asynchronous, or likely to
 * fail later. */
#ifndef ARMCII_WARNINGS_H
#define ARMCII_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "node/segment.h"

/* Facts collected after the start. A condition that the user configured is not reported. */
struct job_facts {
    long launched; /* processes that the launcher started, of which MPI sees only this one; 0: MPI
                      sees them */
    const char *unknown_mpi; /* the version of an MPI library whose defects are unknown; NULL: they
                                are known */
    int ranks, nodes;
    bool threads;      /* MPI provides MPI_THREAD_MULTIPLE on every process */
    bool refused;      /* but the system gives some process no thread */
    bool asynchronous; /* operations between nodes complete without calls of their target */
    enum progress_policy progress;
    enum shm_policy allowed; /* ARMCI_SHM */
    bool shares_memory;
    enum obstacle obstacle;       /* why it does not */
    size_t processes, processors; /* on this kernel */
    bool oversubscribed;          /* some processes share a processor */
};

/* A warning of the table; NULL after the last. */
struct warning {
    const char *name;
    long (*severity)(const struct job_facts *s); /* 0 if the condition does not hold; rank 0 prints
                                                    the maximum over all ranks */
    const char *text;                            /* %ld: the severity; NULL: describe writes it */
    void (*describe)(const struct job_facts *s, long severity, char *text, size_t size);
    const char *remedy;
    enum { OF_JOB, OF_NODE } scope; /* the line names nobody, or a rank on the node */
};
const struct warning *armcii_warning(size_t i);
void armcii_warning_describe(const struct warning *w, const struct job_facts *s, long severity,
                             char *text, size_t size);

/* Collective over the world: rank 0 prints a line for each warning that concerns a process, unless
 * ARMCI_VERBOSE=-1. `library` is the text of MPI_Get_library_version. */
void armcii_warnings_print(const char *library);

#endif
