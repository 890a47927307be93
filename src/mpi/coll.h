/* coll.h - nonblocking collectives with progress, and the end of MPI. Each collective does
 * what the MPI function of its name does. If processes outnumber processors, or requests of other
 * nodes must be served meanwhile, it uses the nonblocking MPI function and makes progress while it
 * waits.
 *
 * Each collective releases the global lock while it waits: other threads may run collectives of
 * other groups and change all state that the lock protects. */
#ifndef ARMCII_COLL_H
#define ARMCII_COLL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Collective over all later users. Keeps nonblocking collectives on all of them if one wants them:
 * MPI does not match a blocking collective with a nonblocking one. Before, all collectives are
 * nonblocking. */
void armcii_coll_start(bool wanted, MPI_Comm comm);
void armcii_coll_end(void);

void armcii_coll_barrier(MPI_Comm comm);
void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm);
void armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm);
/* The result replaces x[0..n) on rank 0. */
void armcii_coll_reduce(void *x, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/* Gather `bytes` of each process, which contributes `mine`, in all[]; mine may be the caller's
 * place there. A reduction of all[]: a process exchanges messages with few others. */
void armcii_coll_allgather(const void *mine, void *all, int bytes, MPI_Comm comm);
/* True if `mine` is true on every process. */
bool armcii_coll_all(bool mine, MPI_Comm comm);

/* True if `mine` is the same number on every process. */
bool armcii_coll_same(uint64_t mine, MPI_Comm comm);

/* Waits for the request of a nonblocking collective, with progress. */
void armcii_coll_wait(MPI_Request *request);

/* ---- creation of communicators, collective over comm ----
 *
 * MPI has a nonblocking function for duplicates only; the others back off as comm.c says.
 *
 * They return MPI's code, which is MPI_SUCCESS unless the caller has asked for codes (errors.h). */

int armcii_coll_dup(MPI_Comm comm, MPI_Comm *copy);
/* As MPI_Comm_split and, for processes that share memory, MPI_Comm_split_type. */
int armcii_coll_split(MPI_Comm comm, int color, int key, MPI_Comm *created);
MPI_Comm armcii_coll_split_by_node(MPI_Comm comm, int key);
/* Collective. True if all of comm share a node. Decided without MPI_Comm_split_type, which spins in
 * MPICH (0.3 s for 64 processes on 2 processors); false where a tool or the program has an
 * MPI_Comm_split_type of its own, or MPICH's environment divides the host. */
bool armcii_coll_is_one_node(MPI_Comm comm);
/* A communicator of n ranks of comm, in that order, collective over these only. */
int armcii_coll_create(MPI_Comm comm, int n, const int ranks[], int tag, MPI_Comm *created);

/* Tags of messages on the control communicator (world.h). */
enum {
    CONTROL_TEST_EVENTS,          /* transport/rma/rma.c */
    CONTROL_MUTEX_LINK,           /* transport/rma/mcs.c */
    CONTROL_MUTEX_GRANT,          /* the same */
    CONTROL_NOTIFY,               /* core/notify.c */
    CONTROL_PROBE,                /* transport/probe.c */
    CONTROL_NOTHING,              /* no message has it */
    CONTROL_TEAM_FIRST = 1 << 10, /* each process chooses one for each of its teams (mpi/team.c) */
    CONTROL_TEAM_LAST = (1 << 14) - 1,
    CONTROL_CREATE_FIRST, /* creation of communicators; up to MPI_TAG_UB */
};

/* The other process of a message, and the message's tag. */
struct peer {
    int rank, tag;
};

/* Sends `bytes` to one process and receives as many from another; the two may be the same. */
void armcii_coll_sendrecv(const void *out, struct peer to, void *in, struct peer from, int bytes,
                          MPI_Comm comm);

void armcii_coll_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm);
/* Waits until a message has arrived. */
void armcii_coll_probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
/* Waits for a message and receives it. Returns false if it has more than `room` bytes: the message
 * stays, and *status has its length. Several threads may receive, if all receives of the
 * communicator use this function. */
bool armcii_coll_receive(void *buffer, int room, int from, int tag, MPI_Comm comm,
                         MPI_Status *status);

/* ---- the end of MPI ---- */

/* Collective over comm; once for each set of processes. Makes MPI_Finalize end for MPI libraries in
 * which a process that enters it earlier makes the others hang. Does nothing unless a quirk
 * requires it, or if comm has processes outside of MPI_COMM_WORLD, which may end at another
 * time. */
void armcii_finalize_prepare(MPI_Comm comm);
/* Makes MPI_Finalize call the function at its beginning, as the deletion of an attribute of
 * MPI_COMM_SELF; later ones run first. */
void armcii_finalize_call(int (*end)(MPI_Comm, int, void *, void *), void *value);
/* Collective over comm (pmi.c). Makes all processes of MPI_COMM_WORLD make progress while
 * MPI_Finalize waits at the launcher's barrier. False: not all of them are here, or their launcher
 * is unknown. */
bool armcii_pmi_prepare_progress(MPI_Comm comm);

#endif
