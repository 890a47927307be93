/* hang.h - the report about long waits (ARMCI_HANG_REPORT): a thread looks every tenth of a second
 * how long the calls of this process last; SIGUSR1 prints the same at once.  Recording takes no
 * lock, and printing neither: it may happen in a signal handler. */
#ifndef ARMCII_HANG_H
#define ARMCII_HANG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct observed {
    bool hang;  /* the report is on; if not, nothing below must be called but start and end */
    bool calls; /* public functions announce calls: for the report, for statistics, or for both */
};
extern struct observed armcii_observed;

/* Before MPI starts, where ARMCI starts it: has the program a handler for SIGUSR1? */
void armcii_hang_find_handler(void);
/* seconds 0: off.  A handler that the program has for SIGUSR1 stays; one of the object that
 * contains mpi_function, the MPI library, is called after the report. */
void armcii_hang_start(int rank, unsigned long seconds, void (*mpi_function)(void));
void armcii_hang_end(void);

/* The call of a public function that a thread of the program is in, or its last one; calls inside
 * of a call are part of it. The thread writes it. The report reads it at any time: single values
 * are whole, several may be of different calls. */
struct call {
    unsigned depth; /* of nested calls */
    _Atomic(const char *) function;
    atomic_long begun, ended; /* nanoseconds; begun 0: not in a call */
    atomic_int target;        /* -1: unknown, or all */
    atomic_int before;        /* of a mutex; -1: nobody */
    atomic_bool reported;
    _Atomic(const char *) what; /* the last transfer; NULL: none yet */
    atomic_int to;
    atomic_uintptr_t base;
    atomic_size_t size, offset, bytes;
    struct {                   /* for statistics */
        struct stats_row *row; /* NULL outside of calls that are counted */
        size_t bytes;
        int path;
        bool carried; /* by a transport, since the last transfer of this call */
    } counted;
};
struct call *armcii_call_own(void);

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
