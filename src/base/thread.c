/* thread.c - threads of the library beside those of the program. */
#define _GNU_SOURCE
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

bool armcii_thread_create(pthread_t *thread, void *(*run)(void *))
{
    sigset_t blocked, former;
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &former);
    bool created = pthread_create(thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return created;
}
