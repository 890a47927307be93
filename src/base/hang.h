/* hang.h - the report about long waits: SIGUSR1 prints what the calls of this process wait for.
 * With ARMCI_HANG_REPORT a thread looks every tenth of a second how long they last, too, and prints
 * the same for one that lasts too long. Without it, times are known only from the first SIGUSR1
 * on, and calls that wait for nobody may go unrecorded. Recording takes no lock, and printing
 * neither: it may happen in a signal handler. */
#ifndef ARMCII_HANG_H
#define ARMCII_HANG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct observed {
    bool hang;  /* calls have a time limit: transfers and served requests are recorded, too */
    bool calls; /* all calls are recorded, with their times: for the limit, statistics, or both */
};
extern struct observed armcii_observed;

/* Before MPI starts, where ARMCI starts it: has the program a handler for SIGUSR1? */
void armcii_hang_find_handler(void);
/* seconds: the limit of a call; 0: none. A handler that the program has for SIGUSR1 stays; one of
 * the object that contains mpi_function, the MPI library, is called after the report. */
void armcii_hang_start(int rank, unsigned long seconds, void (*mpi_function)(void));
void armcii_hang_end(void);

/* The call of a public function that a thread of the program is in, or its last one; calls inside
 * of a call are part of it. The thread writes it. The report reads it at any time: single values
 * are whole, several may be of different calls. */
struct call {
    unsigned depth; /* of nested calls */
    _Atomic(const char *) function;
    atomic_long begun;       /* nanoseconds; 0: not in a call; CALL_UNTIMED; negative: not later */
    atomic_long ended;       /* 0: unknown */
    atomic_int target;       /* -1: unknown, or all */
    atomic_int before;       /* of a mutex; -1: nobody */
    atomic_ulong collective; /* its number; 0: none */
    atomic_int processes;    /* that take part in it */
    atomic_bool reported;
    _Atomic(const char *) what; /* the last transfer; NULL: none yet */
    atomic_int to;
    atomic_uintptr_t base; /* of the slice, which has `size` bytes */
    atomic_size_t size, offset, bytes;
    struct {                   /* for statistics */
        struct stats_row *row; /* NULL outside of calls that are counted */
        size_t bytes;
        int path;
        bool carried; /* by a transport, since the last transfer of this call */
    } counted;
};
enum { CALL_UNTIMED = 1 };
struct call *armcii_call_own(void);
/* Those of the first `*count` threads. */
struct call *armcii_calls(unsigned *count);

/* The calling thread waits for a mutex; `before`, a rank, has it or is the next to get it. */
void armcii_hang_queue(int before);
/* The calling thread is in the collective of that number of a group with so many processes. */
void armcii_hang_collective(unsigned long number, int processes);
/* This process holds a mutex of `owner`, or no longer. */
void armcii_hang_hold(int mutex, int owner);
void armcii_hang_release(int mutex, int owner);

/* The server has served a request of a client. */
void armcii_hang_served(const char *what, int client);

#endif
