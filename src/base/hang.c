/* hang.c - records of the calls in progress, their report, and the thread that looks at them. */
#define _GNU_SOURCE
#include "base/hang.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/thread.h"

enum { THREADS = 64, TEXT = 1024 }; /* further threads are not reported */
static struct {
    struct call calls[THREADS];
    atomic_uint threads;
    struct {
        _Atomic(const char *) what;
        atomic_int client;
        atomic_long when;
    } served;
    struct {
        atomic_int count;
        atomic_int mutex, owner; /* of the last one; mutex -1: released */
    } holds;
    int own_rank;
    long limit; /* nanoseconds */
    bool handles_signal, belongs_to_program;
    void (*next_handler)(int); /* of the MPI library, or SIG_DFL */
    pthread_t watcher;
    pthread_mutex_t mutex;
    pthread_cond_t ends;
    bool ending;
} hang = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};
static _Thread_local struct call *mine __attribute__((tls_model("initial-exec")));

struct observed armcii_observed;

/* ---- recording ---- */

struct call *armcii_call_own(void)
{
    static _Thread_local struct call further;
    if (!mine) {
        unsigned i =
            atomic_load(&hang.threads) < THREADS ? atomic_fetch_add(&hang.threads, 1) : THREADS;
        mine = i < THREADS ? &hang.calls[i] : &further;
    }
    return mine;
}

void armcii_hang_queue(int before)
{
    atomic_store_explicit(&armcii_call_own()->before, before, memory_order_relaxed);
}

void armcii_hang_collective(unsigned long number, int processes)
{
    struct call *c = armcii_call_own();
    atomic_store_explicit(&c->processes, processes, memory_order_relaxed);
    atomic_store_explicit(&c->collective, number, memory_order_relaxed);
}

void armcii_hang_hold(int mutex, int owner)
{
    atomic_store_explicit(&hang.holds.owner, owner, memory_order_relaxed);
    atomic_store_explicit(&hang.holds.mutex, mutex, memory_order_relaxed);
    atomic_fetch_add_explicit(&hang.holds.count, 1, memory_order_relaxed);
}

void armcii_hang_release(int mutex, int owner)
{
    if (atomic_load(&hang.holds.mutex) == mutex && atomic_load(&hang.holds.owner) == owner)
        atomic_store_explicit(&hang.holds.mutex, -1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&hang.holds.count, 1, memory_order_relaxed);
}

void armcii_hang_served(const char *what, int client)
{
    atomic_store(&hang.served.client, client);
    atomic_store(&hang.served.when, armcii_clock_ns());
    atomic_store(&hang.served.what, what);
}

/* ---- the report: no memory, no lock, no stream ---- */

struct line {
    char text[TEXT];
    size_t used;
};

static void add(struct line *l, const char *text)
{
    size_t length = strlen(text), room = TEXT - 1 - l->used;
    if (length > room) length = room;
    memcpy(l->text + l->used, text, length);
    l->used += length;
}

static void add_number(struct line *l, uintptr_t n, unsigned base)
{
    char digits[24], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = "0123456789abcdef"[n % base];
    while (n /= base);
    add(l, at);
}

static void add_rank(struct line *l, int rank)
{
    add(l, "rank ");
    add_number(l, (uintptr_t)rank, 10);
}

/* Tenths of seconds. */
static void add_seconds(struct line *l, long ns)
{
    unsigned long tenths = ns > 0 ? (unsigned long)ns / 100000000 : 0;
    add_number(l, tenths / 10, 10);
    add(l, ".");
    add_number(l, tenths % 10, 10);
    add(l, " s");
}

static void add_transfer(struct line *l, const struct call *c)
{
    const char *what = atomic_load(&c->what);
    if (!what) return;
    add(l, "; last transfer: ");
    add(l, what);
    add(l, " of ");
    add_number(l, atomic_load(&c->bytes), 10);
    add(l, " bytes, ");
    add_rank(l, atomic_load(&c->to));
    add(l, ", at offset ");
    add_number(l, atomic_load(&c->offset), 10);
    add(l, " of the region of ");
    add_number(l, atomic_load(&c->size), 10);
    add(l, " bytes at 0x");
    add_number(l, atomic_load(&c->base), 16);
}

static void add_call(struct line *l, const struct call *c, long now)
{
    long begun = atomic_load(&c->begun), ended = atomic_load(&c->ended);
    if (begun == 0) {
        add(l, ended ? "in no call of ARMCI for " : "in no call of ARMCI that waits");
        if (ended) add_seconds(l, now - ended);
        add(l, "; the last was ");
        add(l, atomic_load(&c->function));
        return;
    }
    add(l, "in ");
    add(l, atomic_load(&c->function));
    if (begun != CALL_UNTIMED) {
        add(l, begun < 0 ? " for at least " : " for ");
        add_seconds(l, begun < 0 ? now + begun : now - begun);
    }
    if (atomic_load(&c->target) >= 0) {
        add(l, ", process: ");
        add_rank(l, atomic_load(&c->target));
    }
    if (atomic_load(&c->before) >= 0) {
        add(l, ", the mutex is held by, or goes first to, ");
        add_rank(l, atomic_load(&c->before));
    }
}

static void add_collective(struct line *l, const struct call *c)
{
    if (atomic_load(&c->begun) == 0 || atomic_load(&c->collective) == 0) return;
    add(l, ", collective ");
    add_number(l, atomic_load(&c->collective), 10);
    add(l, " of a group of ");
    add_number(l, (uintptr_t)atomic_load(&c->processes), 10);
    add(l, " processes");
}

static void add_mutexes(struct line *l)
{
    int count = atomic_load(&hang.holds.count), last = atomic_load(&hang.holds.mutex);
    if (count <= 0) return;
    add(l, "; mutexes held: ");
    add_number(l, (uintptr_t)count, 10);
    if (last < 0) return;
    add(l, ", the last one: ");
    add_number(l, (uintptr_t)last, 10);
    add(l, " of ");
    add_rank(l, atomic_load(&hang.holds.owner));
}

static void add_server(struct line *l, long now)
{
    const char *what = atomic_load(&hang.served.what);
    if (!what) return;
    add(l, "; the server here last served ");
    add(l, what);
    add(l, " of ");
    add_rank(l, atomic_load(&hang.served.client));
    add(l, ", ");
    add_seconds(l, now - atomic_load(&hang.served.when));
    add(l, " ago");
}

/* c: NULL: a process without calls. */
static void print(const struct call *c, long now)
{
    struct line l = {.used = 0};
    add(&l, "ARMCI hang report: ");
    add_rank(&l, hang.own_rank);
    add(&l, ": ");
    if (c) {
        add_call(&l, c, now);
        add_collective(&l, c);
        add_transfer(&l, c);
    } else {
        add(&l, "no call of ARMCI yet");
    }
    add_mutexes(&l);
    add_server(&l, now);
    l.text[l.used++] = '\n';
    armcii_log_from_signal(l.text, l.used);
}

static unsigned thread_count(void)
{
    unsigned n = atomic_load(&hang.threads);
    return n < THREADS ? n : THREADS;
}

struct call *armcii_calls(unsigned *count)
{
    *count = thread_count();
    return hang.calls;
}

static void print_all(int signal)
{
    int error = errno;
    long now = armcii_clock_ns();
    unsigned n = thread_count();
    for (unsigned i = 0; i < n; i++) {
        struct call *c = &hang.calls[i];
        long untimed = CALL_UNTIMED;
        if (atomic_load(&c->function)) print(c, now);
        atomic_compare_exchange_strong(&c->begun, &untimed, -now);
    }
    if (n == 0) print(NULL, now);
    if (hang.next_handler != SIG_DFL) hang.next_handler(signal);
    errno = error;
}

/* ---- the thread ---- */

static void look(void)
{
    long now = armcii_clock_ns();
    for (unsigned i = 0; i < thread_count(); i++) {
        long begun = atomic_load(&hang.calls[i].begun);
        if (begun <= CALL_UNTIMED || now - begun < hang.limit ||
            atomic_exchange(&hang.calls[i].reported, true))
            continue;
        print(&hang.calls[i], now);
    }
}

static void *watch(void *unused)
{
    pthread_mutex_lock(&hang.mutex);
    while (!hang.ending) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&hang.ends, &hang.mutex, &until);
        pthread_mutex_unlock(&hang.mutex); /* standard error may be a pipe that nobody reads */
        look();
        pthread_mutex_lock(&hang.mutex);
    }
    pthread_mutex_unlock(&hang.mutex);
    return unused;
}

/* ---- SIGUSR1 ---- */

#pragma weak dladdr /* on older systems it is in libdl, which a static link may not name */

static void (*current_handler(void))(int)
{
    struct sigaction now;
    if (sigaction(SIGUSR1, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO)) return SIG_ERR;
    return now.sa_handler;
}

void armcii_hang_find_handler(void)
{
    hang.belongs_to_program = current_handler() != SIG_DFL;
}

static bool are_of_one_object(void (*handler)(int), void (*function)(void))
{
    Dl_info a, b;
    return dladdr && dladdr(*(void **)&handler, &a) && dladdr(*(void **)&function, &b) &&
           a.dli_fbase == b.dli_fbase;
}

static void set_handler(void (*handler)(int))
{
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL);
}

/* MPICH's own handler of SIGUSR1 learns of failed processes: chain to it. */
static void start_handler(void (*mpi_function)(void))
{
    void (*now)(int) = current_handler();
    if (hang.belongs_to_program || hang.handles_signal || now == SIG_ERR ||
        (now != SIG_DFL && !are_of_one_object(now, mpi_function)))
        return;
    hang.next_handler = now;
    hang.handles_signal = true;
    set_handler(print_all);
}

static void end_handler(void)
{
    if (hang.handles_signal && current_handler() == print_all) set_handler(hang.next_handler);
    hang.handles_signal = false;
}

void armcii_hang_start(int rank, unsigned long seconds, void (*mpi_function)(void))
{
    hang.own_rank = rank;
    start_handler(mpi_function);
    if (seconds == 0 || armcii_observed.hang) return;
    hang.limit = (long)seconds * 1000000000;
    hang.ending = false;
    armcii_observed.hang = armcii_thread_create(&hang.watcher, watch);
}

void armcii_hang_end(void)
{
    end_handler();
    if (!armcii_observed.hang) return;
    armcii_observed.hang = false;
    pthread_mutex_lock(&hang.mutex);
    hang.ending = true;
    pthread_cond_signal(&hang.ends);
    pthread_mutex_unlock(&hang.mutex);
    pthread_join(hang.watcher, NULL);
}
