/* thread.h - threads of the library beside those of the program. */
#ifndef ARMCII_THREAD_H
#define ARMCII_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* The program's signal handlers run in the program's threads: this one blocks all signals except
 * those of its faults, since the kernel kills a process that blocks these. False: no thread. */
bool armcii_thread_create(pthread_t *thread, void *(*run)(void *));

#endif
