/* thread.c - numbers of threads, threads of the library beside those of the program, and their
 * time slices. */
#define _GNU_SOURCE
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local unsigned long armcii_thread_given __attribute__((tls_model("initial-exec")));

unsigned long armcii_thread_give_number(void)
{
    static atomic_ulong given;
    return armcii_thread_given = atomic_fetch_add(&given, 1) + 1;
}

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

/* sched_attr of the kernel, which older C libraries do not declare. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

uint64_t armcii_timeslice_set(uint64_t nanoseconds)
{
    struct attributes a = {0};
    if (nanoseconds == 0 || syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0) return 0;
    if (a.policy != SCHED_OTHER) return 0;
    uint64_t before = a.runtime;
    a.runtime = nanoseconds;
    return syscall(SYS_sched_setattr, 0, &a, 0) == 0 ? before : 0;
}
