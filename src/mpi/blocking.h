/* blocking.h - calls of MPI that block: backoff while MPI spins, outside of the global lock.
 *
 * MPI has no nonblocking function that creates a communicator of some processes of another. MPI
 * libraries spin in those calls, MPICH without a yield: if processes outnumber processors, each
 * message there takes as many ticks of the scheduler as processes share a processor. So a timer
 * interrupts the calling thread from time to time, and its signal handler sleeps. */
#ifndef ARMCII_BLOCKING_H
#define ARMCII_BLOCKING_H

#include <stdbool.h>

/* A blocking call of one thread. */
struct blocking {
    unsigned entries; /* of the global lock */
    bool has_timer;
    int timer; /* of the kernel */
    long sleeps;
};

/* In a call of MPI that may be interrupted by signals: one that makes communicators, but no memory.
 */
void armcii_blocking_begin(struct blocking *call);
void armcii_blocking_end(struct blocking *call);

#endif
