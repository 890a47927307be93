/* hang.h - the report about long waits (ARMCI_HANG_REPORT): a thread looks every tenth of a second
 * how long the calls of this process last; SIGUSR1 prints the same at once.  Recording takes no
 * lock, and printing neither: it may happen in a signal handler. */
#ifndef ARMCII_HANG_H
#define ARMCII_HANG_H

#include <stdbool.h>
#include <stddef.h>

/* Is the report on?  If not, nothing below must be called but start and end. */
extern bool armcii_hang_on;

/* Before MPI starts, where ARMCI starts it: has the program a handler for SIGUSR1? */
void armcii_hang_find_handler(void);
/* seconds 0: off.  A handler that the program has for SIGUSR1 stays; one of the object that
 * contains mpi_function, the MPI library, is called after the report. */
void armcii_hang_start(int rank, unsigned long seconds, void (*mpi_function)(void));
void armcii_hang_end(void);

/* The calling thread enters a public function, and leaves it; nested calls belong to the first.
 * target: -1: unknown, or all. */
void armcii_hang_enter(const char *function, int target);
void armcii_hang_leave(void);

/* The calling thread starts a transfer: `bytes` bytes from `offset` of the slice [base, base +
 * size) of the target. */
struct hang_transfer {
    const char *what;
    int target;
    const void *base;
    size_t size, offset, bytes;
};
void armcii_hang_transfer(const struct hang_transfer *transfer);

/* The calling thread waits for a mutex; `before`, a rank, has it or is the next to get it. */
void armcii_hang_queue(int before);

/* The server has served a request of a client. */
void armcii_hang_served(const char *what, int client);

#endif
