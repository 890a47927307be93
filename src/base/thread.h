/* thread.h - numbers of threads, threads of the library beside those of the program, and their
 * time slices. */
#ifndef ARMCII_THREAD_H
#define ARMCII_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* 0: the thread has none yet. initial-exec: access needs no function call. */
extern _Thread_local unsigned long armcii_thread_given __attribute__((tls_model("initial-exec")));
unsigned long armcii_thread_give_number(void);
/* The number of the calling thread, not 0: no other one has it, or gets it when this one has
 * ended. */
static inline unsigned long armcii_thread_number(void)
{
    return armcii_thread_given ? armcii_thread_given : armcii_thread_give_number();
}

/* The program's signal handlers run in the program's threads: this one blocks all signals except
 * those of its faults, since the kernel kills a process that blocks these. False: no thread. */
bool armcii_thread_create(pthread_t *thread, void *(*run)(void *));

/* The shortest that Linux has, in nanoseconds. */
enum { TIMESLICE_SHORT = 100000 };

/* A thread with a shorter slice than the running one runs as soon as it wakes, on Linux 6.12 and
 * later; else it may wait for the end of that slice, 3 ms by default. Returns the slice until now;
 * 0, which may be set again and changes nothing, where the kernel has no such slices or the thread
 * another scheduling policy. */
uint64_t armcii_timeslice_set(uint64_t nanoseconds);

#endif
