/* comm.c - creation of communicators, with backoff while MPI blocks.
 *
 * MPI has no nonblocking function that creates a communicator of some processes of another. MPI
 * libraries spin in those calls, MPICH without a yield: if processes outnumber processors, each
 * message there takes as many ticks of the scheduler as processes share a processor. So a timer
 * interrupts the calling thread from time to time, and its signal handler sleeps. */
#define _GNU_SOURCE
#include "mpi/coll.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/lock.h"
#include "base/host.h"

/* SIGURG is ignored by default, and debuggers do not stop at it. If the program handles SIGURG
 * itself, no interrupt sleeps. */
enum { SIGNAL = SIGURG };

/* In nanoseconds. The first interrupt comes late: most calls of processes that have a processor
 * each are shorter. Each sleep lasts for the timer slack of the thread longer, 50 microseconds by
 * default. The run between two sleeps grows: where an interrupt takes long, as under valgrind, MPI
 * advances, too. */
enum { FIRST = 200000, RUN = 50000, LONGER = 1000, LONGEST = 100000000, SLEEP = 1000 };

/* A blocking call of one thread. */
struct blocking {
    unsigned entries; /* of the global lock */
    bool has_timer;
    int timer; /* of the kernel */
    long sleeps;
};

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

/* Before a call of MPI that may be interrupted by signals: one that makes communicators, but no
 * memory. It runs outside of the global lock. */
static void begin_blocking(struct blocking *call)
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
static void end_blocking(struct blocking *call)
{
    if (call->has_timer) syscall(SYS_timer_delete, call->timer);
    current = NULL;
    armcii_lock_resume(call->entries);
    armcii_lock_enter();
    if (--blocking.calls == 0) restore_action();
    armcii_lock_exit();
}

/* ---- the functions ---- */

int armcii_coll_dup(MPI_Comm comm, MPI_Comm *copy)
{
    MPI_Request request;
    int code = MPI_Comm_idup(comm, copy, &request);
    if (code == MPI_SUCCESS) armcii_coll_wait(&request);
    return code;
}

int armcii_coll_split(MPI_Comm comm, int color, int key, MPI_Comm *created)
{
    struct blocking call;
    begin_blocking(&call);
    int code = MPI_Comm_split(comm, color, key, created);
    end_blocking(&call);
    return code;
}

MPI_Comm armcii_coll_split_by_node(MPI_Comm comm, int key)
{
    MPI_Comm of_node;
    struct blocking call;
    begin_blocking(&call);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &of_node);
    end_blocking(&call);
    return of_node;
}

/* Variables of MPICH that make nodes of parts of a host. */
static bool is_host_divided(void)
{
    static const char *const names[] = {
        "MPIR_CVAR_NOLOCAL",          "MPIR_CVAR_CH3_NOLOCAL",          "MPIR_CVAR_NUM_CLIQUES",
        "MPIR_CVAR_ODD_EVEN_CLIQUES", "MPIR_CVAR_CH3_ODD_EVEN_CLIQUES", "MPICH_NOLOCAL",
        "MPICH_NUM_CLIQUES",          "MPICH_ODD_EVEN_CLIQUES"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (armcii_config_variable(names[i])) return true;
    return false;
}

/* The host of this process, where MPI_Comm_split_type is MPI's own and would make one node of it;
 * else 0. MPI says who shares its memory; this library's is shared by whatever runs on a kernel.
 */
static uint64_t node_id(void)
{
    int (*volatile of_job)(MPI_Comm, int, int, MPI_Info, MPI_Comm *) = MPI_Comm_split_type;
    int (*volatile of_mpi)(MPI_Comm, int, int, MPI_Info, MPI_Comm *) = PMPI_Comm_split_type;
    bool is_one = of_job == of_mpi && !is_host_divided();
    return is_one ? armcii_host_id() : 0;
}

bool armcii_coll_is_one_node(MPI_Comm comm)
{
    uint64_t id = node_id();
    return armcii_coll_same(id, comm) && id != 0;
}

static MPI_Group group_of(MPI_Comm comm, int n, const int ranks[])
{
    MPI_Group all, some;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, n, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

int armcii_coll_create(MPI_Comm comm, int n, const int ranks[], int tag, MPI_Comm *created)
{
    MPI_Group some = group_of(comm, n, ranks);
    struct blocking call;
    begin_blocking(&call);
    int code = MPI_Comm_create_group(comm, some, tag, created);
    end_blocking(&call);
    MPI_Group_free(&some);
    return code;
}
