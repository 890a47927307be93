/* watch.c - a thread that reports calls that wait, at SIGUSR1 or after ARMCI_HANG_REPORT seconds,
 * and writes the counts of this process at SIGTERM.
 *
 * Handlers only wake the thread. It calls no MPI, and does not wait for the reader of a pipe. */
#define _GNU_SOURCE
#include "prof.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Launchers kill all processes as soon as one has ended: time for the others to write. Open MPI's
 * sends SIGKILL 1 s after SIGTERM. */
enum { DELAY = 400000000, LOOK_MS = 100 };

static struct {
    bool runs;
    int wake[2]; /* a pipe: 'u' SIGUSR1, 't' SIGTERM, 'e' the end */
    int out;     /* where reports go */
    pid_t process;
    pthread_t thread;
    bool program_handles_usr1, handles_usr1, handles_term, terminated;
    struct sigaction former_usr1, former_term;
    char part[4200]; /* FILE.RANK; "": none */
} watch;

/* ---- lines ---- */

/* A private description of standard error, so that it alone does not block. */
static int open_output(void)
{
    struct stat status;
    if (fstat(STDERR_FILENO, &status) != 0) return -1;
    if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) return STDERR_FILENO;
    int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return fd >= 0 ? fd : STDERR_FILENO;
}

struct line {
    char text[1024];
    size_t used;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
    va_end(args);
    l->used += (size_t)n < sizeof l->text - l->used ? (size_t)n : sizeof l->text - l->used - 1;
}

/* Write the line, unless nobody reads. */
static void print(struct line *l)
{
    struct pollfd p = {.fd = watch.out, .events = POLLOUT};
    add(l, "\n");
    if (poll(&p, 1, 0) == 1 && write(watch.out, l->text, l->used) < 0) return;
}

static double seconds(long ns)
{
    return ns > 0 ? (double)(ns / 100000000) / 10 : 0;
}

/* ---- what a process does ---- */

/* The rank on this node whose last mutex this is; -1: unknown. */
static int holder_of(int mutex, int owner)
{
    for (int i = 0; i < armcii_prof.size; i++) {
        const struct slot *s = armcii_prof.peers[i];
        if (s && atomic_load(&s->held) > 0 && atomic_load(&s->mutex) == mutex &&
            atomic_load(&s->owner) == owner)
            return i;
    }
    return -1;
}

static void add_call(struct line *l, const struct call *c, long now)
{
    long begun = atomic_load(&c->begun);
    int target = atomic_load(&c->target), mutex = atomic_load(&c->mutex);
    const char *name = armcii_prof_names[atomic_load(&c->function)];
    if (begun == 0) {
        add(l, "in no call of ARMCI for %.1f s; the last was %s",
            seconds(now - atomic_load(&c->ended)), name);
        return;
    }
    add(l, "in %s for %.1f s", name, seconds(now - begun));
    if (target >= 0) add(l, ", process: rank %d", target);
    if (mutex >= 0 && holder_of(mutex, target) >= 0)
        add(l, ", the mutex is held by rank %d", holder_of(mutex, target));
    if (atomic_load(&c->collective))
        add(l, ", collective %lu of %d processes", atomic_load(&c->collective), armcii_prof.size);
}

static void add_mutexes(struct line *l, const struct slot *s)
{
    int held = atomic_load(&s->held);
    if (held <= 0) return;
    add(l, "; mutexes held: %d", held);
    if (atomic_load(&s->mutex) >= 0)
        add(l, ", the last one: %d of rank %d", atomic_load(&s->mutex), atomic_load(&s->owner));
}

/* The letter that the kernel has for the state of a process; T: stopped. '?': unknown. */
static char state_of(int pid)
{
    char path[40], text[256] = "", *end;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f) return '?';
    end = fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
    fclose(f);
    return end && end[1] == ' ' ? end[2] : '?';
}

static bool is_stopped(const struct slot *s)
{
    char state = state_of(atomic_load(&s->pid));
    return state == 'T' || state == 't';
}

/* c: NULL: a process without calls. */
static void report(int rank, const struct call *c, long now)
{
    struct line l = {.used = 0};
    const struct slot *s = armcii_prof.peers[rank];
    add(&l, "ARMCI hang report: rank %d: ", rank);
    if (c)
        add_call(&l, c, now);
    else
        add(&l, "no call of ARMCI yet");
    add_mutexes(&l, s);
    if (rank != armcii_prof.rank && is_stopped(s)) add(&l, "; the process is stopped (SIGSTOP)");
    print(&l);
}

static unsigned threads_of(const struct slot *s)
{
    unsigned n = atomic_load(&s->threads);
    return n < CALL_THREADS ? n : CALL_THREADS;
}

/* The call of a process whose threads are all outside of calls, or NULL if one is inside; the one
 * that ended last. */
static const struct call *last_call(const struct slot *s)
{
    const struct call *last = NULL;
    for (const struct call *c = s->calls; c < s->calls + threads_of(s); c++) {
        if (atomic_load(&c->begun)) return NULL;
        if (!last || atomic_load(&c->ended) > atomic_load(&last->ended)) last = c;
    }
    return last;
}

/* Report the processes of the node that stand still: stopped, or outside of calls for that long.
 * One process of the node reports each of them. */
static void report_silent(long now, long limit)
{
    for (int i = 0; i < armcii_prof.size; i++) {
        struct slot *s = armcii_prof.peers[i];
        if (!s || i == armcii_prof.rank) continue;
        const struct call *last = last_call(s);
        bool away = threads_of(s) == 0 || (last && now - atomic_load(&last->ended) > limit);
        if ((away || is_stopped(s)) && !atomic_exchange(&s->silent, true))
            report(i, last ? last : threads_of(s) ? &s->calls[0] : NULL, now);
    }
}

/* ---- different collectives ---- */

/* The collective of all processes that this process has waited in for `limit`; NULL: none. */
static const struct call *waiting_collective(const struct slot *s, long now, long limit)
{
    for (const struct call *c = s->calls; c < s->calls + threads_of(s); c++) {
        long begun = atomic_load(&c->begun);
        if (begun && atomic_load(&c->collective) && now - begun >= limit) return c;
    }
    return NULL;
}

/* Say it where two processes of the node wait in different functions that all must call. */
static void report_contradiction(long now, long limit)
{
    struct slot *own = armcii_prof.slot;
    const struct call *mine = waiting_collective(own, now, limit);
    if (!mine) return;
    for (int i = 0; i < armcii_prof.size; i++) {
        struct slot *s = armcii_prof.peers[i];
        const struct call *c = s && s != own ? waiting_collective(s, now, limit) : NULL;
        if (!c || atomic_load(&c->function) == atomic_load(&mine->function)) continue;
        if (atomic_exchange(&s->contradicted, true) || atomic_exchange(&own->contradicted, true))
            return;
        struct line l = {.used = 0};
        add(&l, "ARMCI hang report: different collectives: rank %d is in %s, rank %d in %s",
            armcii_prof.rank, armcii_prof_names[atomic_load(&mine->function)], i,
            armcii_prof_names[atomic_load(&c->function)]);
        print(&l);
        return;
    }
}

/* ---- the thread ---- */

static void report_all(void)
{
    const struct slot *s = armcii_prof.slot;
    long now = armcii_prof_clock();
    for (unsigned i = 0; i < threads_of(s); i++)
        report(armcii_prof.rank, &s->calls[i], now);
    if (threads_of(s) == 0) report(armcii_prof.rank, NULL, now);
    report_contradiction(now, LOOK_MS * 1000000L);
}

static void look(void)
{
    struct slot *s = armcii_prof.slot;
    long now = armcii_prof_clock();
    bool waits = false;
    for (unsigned i = 0; i < threads_of(s); i++) {
        struct call *c = &s->calls[i];
        long begun = atomic_load(&c->begun);
        if (begun == 0 || now - begun < armcii_prof.limit) continue;
        waits = true;
        if (!atomic_exchange(&c->reported, true)) report(armcii_prof.rank, c, now);
    }
    if (!waits) return;
    report_silent(now, armcii_prof.limit);
    report_contradiction(now, armcii_prof.limit);
}

static void restore_term(void);

static void leave_counts(void)
{
    watch.terminated = true;
    if (armcii_stats_may_replace(watch.part))
        armcii_stats_write_own(watch.part);
    else
        armcii_prof_warn("ARMCI_STATS: %s is no report of ARMCI and stays", watch.part);
    nanosleep(&(struct timespec){.tv_nsec = DELAY}, NULL);
    restore_term();
    kill(watch.process, SIGTERM);
}

static void *run(void *unused)
{
    struct pollfd p = {.fd = watch.wake[0], .events = POLLIN};
    char word = '\0';
    while (word != 'e') {
        int ready = poll(&p, 1, armcii_prof.limit ? LOOK_MS : -1);
        if (armcii_prof.limit) look();
        if (ready != 1 || read(watch.wake[0], &word, 1) != 1) continue;
        if (word == 'u') report_all();
        if (word == 't' && !watch.terminated) leave_counts();
    }
    return unused;
}

static void wake(char word)
{
    if (write(watch.wake[1], &word, 1) < 0) return; /* full: the thread has much to say */
}

/* ---- signals ---- */

#pragma weak dladdr /* on older systems it is in libdl, which a static link may not name */

static bool is_of_mpi(void (*handler)(int))
{
    Dl_info a, b;
    int (*function)(int *, char ***) = PMPI_Init;
    return dladdr && dladdr(*(void **)&handler, &a) && dladdr(*(void **)&function, &b) &&
           a.dli_fbase == b.dli_fbase;
}

static void on_usr1(int number)
{
    int error = errno;
    if (getpid() == watch.process) wake('u');
    if (watch.former_usr1.sa_handler != SIG_DFL) watch.former_usr1.sa_handler(number);
    errno = error;
}

static void on_term(int number)
{
    int error = errno;
    if (getpid() == watch.process) {
        wake('t');
    } else { /* a child of fork, without the thread */
        sigaction(number, &watch.former_term, NULL);
        kill(getpid(), number);
    }
    errno = error;
}

/* Leave a handler that the program has set since. */
static void restore(int number, void (*handler)(int), const struct sigaction *former)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == handler)
        sigaction(number, former, NULL);
}

static void restore_term(void)
{
    restore(SIGTERM, on_term, &watch.former_term);
}

void armcii_prof_find_handler(void)
{
    struct sigaction now;
    watch.program_handles_usr1 = sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler != SIG_DFL;
}

/* MPICH's own handler of SIGUSR1 learns of failed processes: chain to it. */
static void handle_usr1(void)
{
    struct sigaction *former = &watch.former_usr1;
    if (watch.program_handles_usr1 || sigaction(SIGUSR1, NULL, former) != 0 ||
        (former->sa_flags & SA_SIGINFO) ||
        (former->sa_handler != SIG_DFL && !is_of_mpi(former->sa_handler)))
        return;
    watch.handles_usr1 = true;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_usr1, .sa_flags = SA_RESTART}, NULL);
}

static void handle_term(void)
{
    struct stat status;
    const char *file = armcii_prof.file;
    if (!armcii_stats.on || !*file || (stat(file, &status) == 0 && !S_ISREG(status.st_mode)))
        return;
    snprintf(watch.part, sizeof watch.part, "%s.%d", file, armcii_prof.rank);
    if (armcii_stats_may_replace(watch.part)) unlink(watch.part); /* of an earlier job */
    if (sigaction(SIGTERM, NULL, &watch.former_term) != 0 ||
        watch.former_term.sa_handler == SIG_IGN)
        return;
    watch.handles_term = true;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_term, .sa_flags = SA_RESTART}, NULL);
}

/* ---- start and end ---- */

static bool create_thread(void)
{
    sigset_t blocked, former;
    sigfillset(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &former);
    bool created = pthread_create(&watch.thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return created;
}

void armcii_prof_watch_start(void)
{
    bool handled = watch.program_handles_usr1;
    memset(&watch, 0, sizeof watch);
    watch.program_handles_usr1 = handled;
    watch.process = getpid();
    watch.out = open_output();
    if (pipe2(watch.wake, O_CLOEXEC | O_NONBLOCK) != 0 || !create_thread()) {
        armcii_prof_warn("no thread for reports about calls that wait");
        return;
    }
    watch.runs = true;
    handle_usr1();
    handle_term();
}

void armcii_prof_watch_end(void)
{
    if (!watch.runs) return;
    watch.runs = false;
    if (watch.handles_usr1) restore(SIGUSR1, on_usr1, &watch.former_usr1);
    if (watch.handles_term) restore_term();
    wake('e');
    pthread_join(watch.thread, NULL);
    /* A handler of the program let it go on. */
    if (watch.terminated && armcii_stats_may_replace(watch.part)) unlink(watch.part);
    close(watch.wake[0]);
    close(watch.wake[1]);
    if (watch.out != STDERR_FILENO) close(watch.out);
}
