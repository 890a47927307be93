/* stall.c - maximum latency of 8-byte operations while all threads of all processes send long
 * transfers to one another, compute, sleep and leave the library with outstanding transfers, and
 * one calls direct transfers without pause. A row is one operation, timed by the others.
 *
 * The time that the thread waited for a processor is reported, too; that of the server's thread is
 * not known. */
#include "row.h"

#include "load.h"

#include <fcntl.h>
#include <math.h>
#include <message.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 512 };

/* Logarithmic classes: 32 for each power of two of nanoseconds. */
enum { PER_OCTAVE = 32, CLASSES = 40 * PER_OCTAVE };

struct histogram {
    long count[CLASSES];
    double worst; /* ns */
};

struct worker {
    struct load_worker load;
    enum small_operation operation; /* the timed operation */
    double end;                     /* ns of sample_clock */
    bool leaves;                    /* sleeps with an outstanding transfer, repeatedly */
    double away;
    bool copies;    /* calls direct transfers without pause: the process, or a thread of it */
    double longest; /* ns of one of those */
    struct histogram times, waits, rests; /* rests: times without waits */
};

/* ---- histograms ---- */

static void note(struct histogram *h, double time)
{
    int class = time > 1 ? (int)(log2(time) * PER_OCTAVE) : 0;
    h->count[class < CLASSES ? class : CLASSES - 1]++;
    if (time > h->worst) h->worst = time;
}

/* The upper bound of the class that contains the quantile, at most the worst time. */
static double quantile(const struct histogram *h, double part)
{
    long all = 0, seen = 0;
    for (int i = 0; i < CLASSES; i++)
        all += h->count[i];
    for (int i = 0; i < CLASSES; i++) {
        seen += h->count[i];
        if (seen > 0 && (double)seen >= part * (double)all)
            return fmin(exp2((i + 1.0) / PER_OCTAVE), h->worst);
    }
    return 0;
}

static void add(struct histogram *to, const struct histogram *h)
{
    for (int i = 0; i < CLASSES; i++)
        to->count[i] += h->count[i];
    to->worst = fmax(to->worst, h->worst);
}

/* Add the histograms of all processes. Collective. */
static void add_all(struct histogram *h)
{
    armci_msg_lgop(h->count, CLASSES, "+");
    armci_msg_dgop(&h->worst, 1, "max");
}

/* ---- one thread ---- */

static void compute(double nanoseconds)
{
    for (double until = sample_clock() + nanoseconds; sample_clock() < until;)
        continue;
}

static void sleep_for(double nanoseconds)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(nanoseconds / 1e9),
                                 .tv_nsec = (long)fmod(nanoseconds, 1e9)},
              NULL);
}

/* Nanoseconds that the calling thread has waited for a processor since its start (/proc); 0 if
 * unknown. */
static double time_without_processor(void)
{
    static _Thread_local int file = -1;
    char text[64] = "";
    double waited = 0;
    if (file < 0) file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (pread(file, text, sizeof text - 1, 0) < 0 || sscanf(text, "%*f %lf", &waited) != 1)
        return 0;
    return waited;
}

/* A random other rank; in a job of one rank the caller. */
static int other(struct worker *w)
{
    const struct load *load = w->load.load;
    return load->ranks == 1 ? 0
                            : (load->me + 1 + load_random(&w->load, load->ranks - 1)) % load->ranks;
}

static void time_small(struct worker *w)
{
    double waited = time_without_processor(), begun = sample_clock();
    load_small(&w->load, w->operation, other(w));
    double time = sample_clock() - begun;
    waited = time_without_processor() - waited;
    note(&w->times, time);
    note(&w->waits, waited);
    note(&w->rests, fmax(time - waited, 0));
}

/* A long transfer; the thread sleeps before it waits for it. */
static void transfer(struct worker *w, double away)
{
    armci_hdl_t handle;
    int target = other(w);
    enum long_transfer kind = (enum long_transfer)load_random(&w->load, LONG_TRANSFERS);
    load_start(&w->load, kind, target, &handle);
    sleep_for(away);
    if (kind == LONG_GET_VECTOR) ARMCI_Wait(&handle); /* the others use no handle */
}

static void do_something(struct worker *w)
{
    double length = 1e3 * load_random(&w->load, 2000);
    switch (load_random(&w->load, 16)) {
    case 0: transfer(w, 0); return;
    case 1: transfer(w, length); return;
    case 2: compute(length); return;
    case 3: sleep_for(length); return;
    default: time_small(w);
    }
}

static void copy(struct worker *w)
{
    while (sample_clock() < w->end) {
        double begun = sample_clock();
        load_direct(&w->load);
        w->longest = fmax(w->longest, sample_clock() - begun);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    if (w->copies) {
        copy(w);
        return NULL;
    }
    double begun = sample_clock(), leave = begun;
    while (sample_clock() < w->end) {
        do_something(w);
        if (!w->leaves || sample_clock() < leave) continue;
        transfer(w, w->away);
        leave = sample_clock() + 3 * w->away;
    }
    return NULL;
}

/* ---- a row ---- */

static bool open_workers(struct worker *workers, int threads, const struct load *load,
                         enum small_operation operation, double seconds)
{
    bool right = true;
    for (int i = 0; i < threads; i++) {
        struct worker *w = &workers[i];
        *w = (struct worker){.operation = operation,
                             .leaves = load->me == load->ranks - 1 && i == threads - 1};
        w->away = fmin(0.1 * seconds, 1) * 1e9;
        w->copies = load->me == 0 && i == 0 && load->ranks * threads > 1;
        right = load_worker_open(&w->load, load, i, PIECES) &&
                (!w->copies || load_prepare_direct(&w->load)) && right;
    }
    return site_all(right);
}

static void run_workers(struct worker *workers, int threads, double seconds)
{
    pthread_t thread[MOST_THREADS];
    double end = sample_clock() + seconds * 1e9;
    for (int i = 0; i < threads; i++)
        workers[i].end = end;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, &workers[i]) != 0) abort();
    work(&workers[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    ARMCI_AllFence();
}

static bool collect(struct worker *workers, int threads, const struct load *load,
                    struct histogram *times, struct histogram *waits, struct histogram *rests)
{
    long done[SMALL_OPERATIONS] = {0};
    for (int i = 0; i < threads; i++) {
        add(times, &workers[i].times);
        add(waits, &workers[i].waits);
        add(rests, &workers[i].rests);
        for (int k = 0; k < SMALL_OPERATIONS; k++)
            done[k] += workers[i].load.done[k];
        load_worker_close(&workers[i].load);
    }
    add_all(times);
    add_all(waits);
    add_all(rests);
    return load_is_right(load, done);
}

static const struct row rows[SMALL_OPERATIONS] = {
    [SMALL_GET] = {.name = "get 8 B"},
    [SMALL_PUT] = {.name = "put 8 B + fence"},
    [SMALL_ACC] = {.name = "acc 8 B + fence"},
    [SMALL_RMW] = {.name = "rmw fetch-and-add long"},
    [SMALL_LOCK] = {.name = "lock, get, put, unlock"},
};

static void measure(const struct row *row, const struct site *site, double seconds,
                    struct result *result)
{
    static struct histogram times, waits, rests;
    static struct tail tails[SMALL_OPERATIONS];
    enum small_operation operation = (enum small_operation)(row - rows);
    struct load load;
    struct worker *workers = calloc((size_t)site->threads, sizeof *workers);

    *result = (struct result){.name = row->name};
    times = waits = rests = (struct histogram){.worst = 0};
    if (!site_all(workers && load_open(&load)) ||
        !open_workers(workers, site->threads, &load, operation, seconds)) {
        free(workers);
        return;
    }
    site_barrier();
    run_workers(workers, site->threads, seconds);
    double longest = workers[0].longest;
    result->valid = collect(workers, site->threads, &load, &times, &waits, &rests);
    load_close(&load);
    free(workers);
    armci_msg_dgop(&longest, 1, "max");
    tails[operation] =
        (struct tail){quantile(&times, 0.999), times.worst, waits.worst, rests.worst, longest};
    result->time = (struct timing){.best = quantile(&times, 0), .median = quantile(&times, 0.5)};
    result->time.spread = (quantile(&times, 0.9) - quantile(&times, 0.1)) / result->time.median;
    result->tail = &tails[operation];
}

const struct group group_stall = {
    .word = "stall", .count = SMALL_OPERATIONS, .rows = rows, .measure = measure};
