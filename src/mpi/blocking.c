/* blocking.c - backoff in calls of MPI that block, by a timer whose signal handler sleeps. */
#define _GNU_SOURCE
#include "mpi/blocking.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"

/* Its default action is nothing, and debuggers do not stop there. Where the program uses it, MPI
 * spins. */
enum { SIGNAL = SIGURG };

/* In nanoseconds. The first interrupt comes late: most calls of processes that have a processor
 * each are shorter. Each sleep lasts for the timer slack of the thread longer, 50 microseconds by
 * default. The run between two sleeps grows: where an interrupt takes long, as under valgrind, MPI
 * advances, too. */
enum { FIRST = 200000, RUN = 50000, LONGER = 1000, LONGEST = 100000000, SLEEP = 1000 };

static _Thread_local struct blocking *current __attribute__((tls_model("initial-exec")));
static struct {
    unsigned calls; /* of all threads, in progress */
    struct sigaction program_action;
} blocking;

/* Once, so that no interrupt is left behind when the process is slower than the timer. */
static void set_timer(const struct blocking *call, long nanoseconds)
{
    const struct itimerspec once = {.it_value = {.tv_nsec = nanoseconds}};
    syscall(SYS_timer_settime, call->timer, 0, &once, NULL);
}

static long next_run(const struct blocking *call)
{
    long run = RUN + LONGER * call->sleeps;
    return run < LONGEST ? run : LONGEST;
}

static void sleep_on_timer(int number, siginfo_t *info, void *context)
{
    int error = errno;
    (void)number, (void)context;
    if (current && info->si_code == SI_TIMER) {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP}, NULL);
        current->sleeps++;
        set_timer(current, next_run(current));
    }
    errno = error;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == sleep_on_timer;
}

static bool is_unused(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) &&
           (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN);
}

/* Under the global lock, as restore_action. */
static bool install_action(void)
{
    struct sigaction now,
        action = {.sa_sigaction = sleep_on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t blocked;
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, SIGNAL))
        return false;
    if (sigaction(SIGNAL, NULL, &now) != 0) return false;
    if (is_ours(&now)) return true;
    if (!is_unused(&now)) return false;
    sigemptyset(&action.sa_mask);
    blocking.program_action = now;
    return sigaction(SIGNAL, &action, NULL) == 0;
}

static void restore_action(void)
{
    struct sigaction now;
    if (sigaction(SIGNAL, NULL, &now) == 0 && is_ours(&now))
        sigaction(SIGNAL, &blocking.program_action, NULL);
}

/* glibc has no name for the member before 2.41. */
static struct sigevent interrupt_of_this_thread(void)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGNAL;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    return event;
}

void armcii_blocking_begin(struct blocking *call)
{
    armcii_lock_enter();
    blocking.calls++;
    struct sigevent event = interrupt_of_this_thread();
    *call = (struct blocking){.has_timer = install_action()};
    if (call->has_timer)
        call->has_timer = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &call->timer) == 0;
    armcii_lock_exit();
    call->entries = armcii_lock_suspend();
    current = call;
    if (call->has_timer) set_timer(call, FIRST);
}

/* The interrupt of a deleted timer, if it is pending, arrives before the system call returns. */
void armcii_blocking_end(struct blocking *call)
{
    if (call->has_timer) syscall(SYS_timer_delete, call->timer);
    current = NULL;
    armcii_lock_resume(call->entries);
    armcii_lock_enter();
    if (--blocking.calls == 0) restore_action();
    armcii_lock_exit();
}
