/* shm.h - the transport shm: loads, stores and atomic instructions on memory that the processes of a node share.  Operations are complete
 * when they return; a fence drains the processor's stores. */
#ifndef ARMCII_SHM_H
#define ARMCII_SHM_H

#include "transport/transport.h"
#include "transport/shm/segment.h"

extern const struct transport armcii_shm;

struct shm_region {
    struct shm_segment segment; /* the memory of the members on this node */
};

/* ---- exported segments ----
 *
 * Memory that one process allocates alone and the node can map.  Each is an anonymous file; another process opens it through /proc when it
 * first needs an address in it.  The node control block lists the exports. */

/* Called after armcii_node_start. */
void armcii_exports_start(void);
/* Free the own exports and unmap those of others.  No process uses them any more. */
void armcii_exports_end(void);

/* Find and map the export of a process that contains the address.  *base is its address there, *mapped here.  False: there is none, or the
 * process is on another node. */
bool armcii_export_find(int process, const void *address, char **base, size_t *bytes, char **mapped);

/* ---- mutexes (mcs.c) ----
 *
 * The queue lock of J. Mellor-Crummey and M. Scott ("Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", ACM TOCS
 * 9(1), 1991).  Each waiter spins on its own cache line until its predecessor passes the lock on.  The functions are those of struct
 * transport.  A wait releases the global lock at each backoff step. */

void *armcii_shm_mcs_create(struct team *team, const int count[], unsigned total, unsigned long name);
void armcii_shm_mcs_free(void *set);
void armcii_shm_mcs_lock(void *set, int owner, int mutex, unsigned *slot);
bool armcii_shm_mcs_trylock(void *set, int owner, int mutex, unsigned *slot);
void armcii_shm_mcs_unlock(void *set, int owner, int mutex, unsigned slot);

#endif
