/* thread.c - the progress loop, the thread that runs it, its affinity, and the events that end its
 * sleep: epoll over the sockets of this process, and an eventfd for wakeups. */
#define _GNU_SOURCE
#include "progress/thread.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/log.h"

static int wakeup_fd = -1, doorbell_fd = -1, epfd = -1;

/* How well events predict messages.  They are reliable above 0. */
static int score;
enum { SCORE_MIN = -4, SCORE_MAX = 4, MISS_COST = 2 };
static unsigned misses;

/* ---- events: descriptors ---- */

static bool is_internet_socket(int fd)
{
    int domain;
    socklen_t size = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

/* Edge-triggered: data that nobody reads end one sleep only.  Fails if the descriptor is watched
 * already. */
static void add_fd(int fd, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLET};
    epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
}

void armcii_event_add_fd(int fd)
{
    add_fd(fd, EPOLLIN);
}

void armcii_event_add_sockets(void)
{
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors) return;
    for (struct dirent *e = readdir(descriptors); e; e = readdir(descriptors)) {
        int fd = atoi(e->d_name);
        if (is_internet_socket(fd)) add_fd(fd, EPOLLIN | EPOLLOUT);
    }
    closedir(descriptors);
}

void armcii_event_start(void)
{
    wakeup_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epfd = epoll_create1(EPOLL_CLOEXEC);
    if (wakeup_fd < 0)
        armcii_fatal("no descriptor for a thread that waits for messages"); /* without epfd, no
                                                                               event is seen */
    armcii_event_add_sockets();
    score = 0; /* a process that finds no messages itself never sees that its network raises no
                  events */
    misses = 0;
}

void armcii_event_end(void)
{
    if (epfd >= 0) close(epfd);
    close(wakeup_fd);
    epfd = wakeup_fd = -1; /* a late wakeup must not reach another file with this number */
}

/* ---- events: sleep ---- */

void armcii_event_wakeup(void)
{
    eventfd_write(wakeup_fd, 1);
}

bool armcii_event_drain(void)
{
    enum { BATCH = 16 };
    struct epoll_event events[BATCH];
    bool any = false;
    while (epoll_wait(epfd, events, BATCH, 0) > 0)
        any = true;
    return any;
}

void armcii_event_set_doorbell(int fd)
{
    doorbell_fd = fd;
}

static void read_doorbell(void)
{
    char unused;
    while (recv(doorbell_fd, &unused, sizeof unused, MSG_DONTWAIT) >= 0)
        continue;
}

/* Until a wakeup, a datagram, or the timeout; or data for `fd`, if it is not -1: then true. */
static bool wait_for(int fd, long timeout)
{
    struct timespec t = {timeout / 1000000, timeout % 1000000 * 1000};
    struct pollfd fds[] = {{.fd = wakeup_fd, .events = POLLIN},
                           {.fd = doorbell_fd, .events = POLLIN},
                           {.fd = fd, .events = POLLIN}};
    eventfd_t wakeups;
    ppoll(fds, sizeof fds / sizeof fds[0], &t, NULL);
    if (fds[0].revents) eventfd_read(wakeup_fd, &wakeups);
    if (fds[1].revents) read_doorbell();
    return fds[2].revents != 0;
}

bool armcii_event_wait(long timeout)
{
    return wait_for(epfd, timeout) && armcii_event_drain();
}

bool armcii_event_wait_ignoring_fds(long timeout)
{
    return wait_for(-1, timeout);
}

/* ---- events: score ---- */

/* A miss may come from a socket that is not watched yet.  Search for such sockets if the miss ended
 * a long sleep, else at every miss whose number is a power of two. */
void armcii_event_account(bool signaled)
{
    if (signaled || armcii_event_drain()) { /* the event may follow the message */
        if (score < SCORE_MAX) score++;
        return;
    }
    bool was_reliable = score > 0;
    score = score - MISS_COST > SCORE_MIN ? score - MISS_COST : SCORE_MIN;
    misses++;
    if (was_reliable || (misses & (misses - 1)) == 0) armcii_event_add_sockets();
}

bool armcii_event_is_reliable(void)
{
    return score > 0;
}

/* ---- state ---- */

static const struct loop_policy *policy;
static struct {
    long last_work;    /* by armcii_clock */
    bool slept;        /* since then */
    bool signaled;     /* an event ended the last sleep */
    bool drained;      /* an event preceded the last poll, with no sleep between */
    unsigned spurious; /* events in a row that brought no work */
} state;
static atomic_bool stopping, asleep; /* asleep: for long, and no event ends the sleep */

/* ---- affinity ---- */

static long program_thread;
static cpu_set_t allowed;    /* processors of the progress thread */
static bool can_bind, bound; /* can_bind: until the kernel refuses */
static cpu_set_t others; /* processors that no process of the job uses, if the system has them */
static bool avoids, dedicated;

/* Remove a processor and those that share its core: a list such as "0,64" or "0-1". */
static void remove_core(size_t cpu)
{
    char path[96], separator = ',';
    unsigned first, last = 0;
    CPU_CLR(cpu, &others);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list",
             cpu);
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fscanf(f, "%u", &first) == 1) {
        for (unsigned i = separator == '-' ? last : first; i <= first && i < CPU_SETSIZE; i++)
            CPU_CLR(i, &others);
        last = first;
        if (fscanf(f, "%c", &separator) != 1) break;
    }
    fclose(f);
}

void armcii_affinity_avoid(const uint64_t *taken, size_t words)
{
    memset(&others, 0xff, sizeof others);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && cpu / 64 < words; cpu++)
        if (taken[cpu / 64] >> cpu % 64 & 1) remove_core(cpu);
    avoids = true;
}

/* The kernel refuses where no processor of the set exists or is in the cpuset of this process. */
static void take_processor(void)
{
    dedicated = avoids && sched_setaffinity(0, sizeof others, &others) == 0;
    if (dedicated) can_bind = false;
    avoids = false;
}

void armcii_affinity_init(void)
{
    program_thread = syscall(SYS_gettid);
    can_bind = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    bound = false;
}

/* The last processor of a thread: field 39 of its stat file.  Field 2 may contain spaces, and ends
 * with the last bracket.  -1: unknown. */
static int processor_of(long thread)
{
    enum { SPACES = 37 }; /* from field 2 to field 39 */
    char path[64], text[1024];
    int processor = -1;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    char *at = strrchr(text, ')');
    for (int i = 0; at && i < SPACES; i++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%d", &processor) == 1 ? processor : -1;
}

void armcii_affinity_bind(void)
{
    cpu_set_t set;
    if (bound || !can_bind) return;
    int processor = processor_of(program_thread);
    if (processor < 0 || processor >= CPU_SETSIZE || !CPU_ISSET((size_t)processor, &allowed))
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    can_bind = bound = sched_setaffinity(0, sizeof set, &set) == 0;
}

void armcii_affinity_unbind(void)
{
    if (bound) sched_setaffinity(0, sizeof allowed, &allowed);
    bound = false;
}

void armcii_affinity_migrate(void)
{
    armcii_affinity_unbind();
    armcii_affinity_bind();
    armcii_affinity_unbind();
}

/* ---- work ---- */

static void note_work(void)
{
    armcii_affinity_unbind();
    state.last_work = armcii_clock();
    state.slept = false;
    state.spurious = 0;
}

static void note_found(enum progress_work found)
{
    if (state.slept && policy->events != EVENTS_ARE_WORK)
        armcii_event_account(state.signaled || state.drained);
    state.signaled = state.drained = false;
    if (found == WORK_REMOTE) note_work();
}

/* ---- sleep ---- */

/* may_sleep, or NULL, is asked when others see that the thread sleeps. */
static void sleep_in(bool (*wait)(long timeout), long timeout, bool (*may_sleep)(void))
{
    enum { LATE_US = 200 }; /* a later end means that the processor was busy */
    if (timeout > POLL_US) armcii_affinity_bind();
    long due = armcii_clock() + timeout;
    atomic_store(&asleep,
                 timeout > HELPED_US && (wait != armcii_event_wait || !armcii_event_is_reliable()));
    state.signaled = !atomic_load(&stopping) && (!may_sleep || may_sleep()) && wait(timeout);
    atomic_store(&asleep, false);
    if (armcii_clock() > due + LATE_US) armcii_affinity_migrate();
    state.slept = true;
    state.drained = false;
}

static enum progress_wait choose_wait(void)
{
    return policy->choose_wait ? policy->choose_wait() : WAIT_POLL;
}

static bool needs_wakeup(void)
{
    return choose_wait() == WAIT_WAKEUP;
}

static void sleep_after_spurious_event(void)
{
    enum { MAX_DOUBLINGS = 4 };
    sleep_in(armcii_event_wait_ignoring_fds,
             POLL_US << (state.spurious < MAX_DOUBLINGS ? state.spurious : MAX_DOUBLINGS), NULL);
    state.spurious++;
}

/* A request that raises no event waits for at most a hundredth of the silence before it. */
static long idle_timeout(void)
{
    enum { PART = 100 };
    long part = (armcii_clock() - state.last_work) / PART;
    if (part < policy->idle_us) return policy->idle_us;
    return part < MOST_IDLE_US ? part : MOST_IDLE_US;
}

static long timeout_of(enum progress_wait wait)
{
    switch (wait) {
    case WAIT_PENDING: return PENDING_US;
    case WAIT_SOME_EVENTS: return policy->idle_us;
    case WAIT_EVENTS: return EVENT_US;
    default: return armcii_clock() < state.last_work + WARM_US ? POLL_US : idle_timeout();
    }
}

static void sleep_on_events(enum progress_wait wait)
{
    sleep_in(armcii_event_wait, timeout_of(wait), policy->begin_sleep);
    if (policy->end_sleep) policy->end_sleep(state.signaled);
    if (!state.signaled)
        state.spurious = 0;
    else if (policy->events == EVENTS_ARE_WORK)
        note_work();
}

/* ---- the loop ---- */

static void back_off(void)
{
    long idle = armcii_clock() - state.last_work;
    if (idle < SPIN_US) {
        armcii_pause();
        return;
    }
    if (idle < WARM_US && policy->yields && armcii_backoff_spin_limit == SPIN_LIMIT) {
        sched_yield();
        return;
    }
    enum progress_wait wait = choose_wait();
    if (wait == WAIT_WAKEUP) {
        sleep_in(armcii_event_wait_ignoring_fds, WAKEUP_US, needs_wakeup);
    } else if (policy->events == EVENTS_SHARED && !state.slept) {
        state.drained =
            armcii_event_drain(); /* events of work that is done; poll once more for later ones */
        state.slept = true;
    } else if (wait == WAIT_POLL && dedicated) {
        armcii_pause();
    } else if (policy->events == EVENTS_SHARED && state.signaled) {
        sleep_after_spurious_event();
    } else {
        sleep_on_events(wait);
    }
}

void armcii_progress_loop_step(void)
{
    if (policy->is_helped && policy->is_helped()) {
        sleep_in(armcii_event_wait_ignoring_fds, HELPED_US, NULL);
        if (policy->spins_after_help) note_work();
        return;
    }
    enum progress_work found = WORK_NONE;
    for (int i = 0; i < policy->polls && !found; i++)
        found = policy->poll();
    if (found) note_found(found);
    back_off();
}

/* ---- start and end ---- */

static void start_loop(const struct loop_policy *p)
{
    policy = p;
    memset(&state, 0, sizeof state);
    state.last_work = armcii_clock();
    armcii_event_start();
}

/* A thread with a shorter slice than the running one runs as soon as it wakes, on Linux 6.12 and
 * later; else it may wait for the end of that slice, 3 ms by default. Where the kernel has no such
 * slices, nothing changes. */
static void use_short_slices(void)
{
    enum { SLICE_NS = 100000 }; /* the kernel's least */
    struct { /* sched_attr of the kernel, which older C libraries do not declare */
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {0};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
    if (attributes.policy != SCHED_OTHER) return;
    attributes.runtime = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

static void use_exact_timers(void)
{
    prctl(PR_SET_TIMERSLACK, 1000UL); /* nanoseconds that a sleep may be longer; 50000 by default */
}

void armcii_progress_loop_start(const struct loop_policy *p)
{
    start_loop(p);
    use_exact_timers();
}

void armcii_progress_loop_end(void)
{
    armcii_event_end();
}

static pthread_t thread;
static bool exists;

static void *run(void *unused)
{
    (void)unused;
    use_exact_timers();
    use_short_slices();
    take_processor();
    while (!atomic_load(&stopping))
        armcii_progress_loop_step();
    return NULL;
}

/* The program's signal handlers run in the program's threads: this one blocks all signals except
 * those of its faults, since the kernel kills a process that blocks these. */
static int create_without_signals(void)
{
    sigset_t blocked, former;
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &former);
    int error = pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return error;
}

void armcii_progress_thread_start(const struct loop_policy *p)
{
    start_loop(p);
    atomic_store(&stopping, false);
    armcii_affinity_init();
    if (create_without_signals() != 0) armcii_fatal("no thread for operations between nodes");
    pthread_setname_np(thread, THREAD_NAME);
    exists = true;
}

void armcii_progress_thread_end(void)
{
    if (!exists) return;
    exists = false;
    atomic_store(&stopping, true);
    armcii_event_wakeup();
    pthread_join(thread, NULL);
    armcii_event_end();
}

void armcii_progress_thread_wake_if_asleep(void)
{
    if (atomic_load(&asleep)) armcii_event_wakeup();
}
