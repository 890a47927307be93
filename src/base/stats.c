/* stats.c - counts calls, bytes and time. */
#include "base/stats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/lock.h"

struct stats armcii_stats;
bool armcii_stats_on;

static const char *functions[STATS_MOST_ROWS]; /* of each row, the string of its first call: most calls are found by its address */
static uint64_t clock_ns;                      /* what two readings of the clock add to a visit */

static _Thread_local struct visit {
    unsigned depth;
    struct stats_row *row; /* NULL outside of visits */
    uint64_t begun;
    size_t bytes;
    enum path path;
} visit __attribute__((tls_model("initial-exec")));

/* Not the global lock: calls that wait for other processes do not hold it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
    if (armcii_lock_is_enabled()) pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    if (armcii_lock_is_enabled()) pthread_mutex_unlock(&mutex);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t measure_clock(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t before = now_ns(), took = now_ns() - before;
        if (took < least) least = took;
    }
    return least;
}

void armcii_stats_start(int processes)
{
    armcii_stats = (struct stats){.processes = processes};
    armcii_stats.rows = calloc(STATS_MOST_ROWS, sizeof *armcii_stats.rows);
    armcii_stats.targets = calloc((size_t)processes, sizeof *armcii_stats.targets);
    if (!armcii_stats.rows || !armcii_stats.targets) armcii_fatal("out of memory for statistics of %d processes", processes);
    visit = (struct visit){0};
    clock_ns = measure_clock();
    armcii_stats.begun_ns = now_ns();
    armcii_stats_on = true;
}

void armcii_stats_stop(void)
{
    armcii_stats_on = false;
    armcii_stats.elapsed_ns = now_ns() - armcii_stats.begun_ns;
}

void armcii_stats_end(void)
{
    free(armcii_stats.rows);
    free(armcii_stats.targets);
    armcii_stats = (struct stats){0};
}

/* ---- visits ---- */

static struct stats_row *row_of(const char *function)
{
    struct stats *s = &armcii_stats;
    for (size_t i = 0; i < s->n; i++)
        if (functions[i] == function) return &s->rows[i];
    for (size_t i = 0; i < s->n; i++)
        if (strncmp(s->rows[i].name, function, STATS_NAME - 1) == 0) return &s->rows[i];
    if (s->n == STATS_MOST_ROWS) armcii_fatal("statistics of more than %d functions", STATS_MOST_ROWS);
    functions[s->n] = function;
    strncpy(s->rows[s->n].name, function, STATS_NAME - 1);
    return &s->rows[s->n++];
}

void armcii_stats_enter(const char *function)
{
    if (visit.depth++ > 0) return;
    lock();
    struct stats_row *row = row_of(function);
    unlock();
    visit = (struct visit){.depth = 1, .row = row, .begun = now_ns()};
}

static int bucket_of(uint64_t n)
{
    int b = n ? 64 - __builtin_clzll(n) : 0;
    return b < STATS_BUCKETS ? b : STATS_BUCKETS - 1;
}

uint64_t armcii_stats_bucket_from(int bucket)
{
    return bucket ? (uint64_t)1 << (bucket - 1) : 0;
}

void armcii_stats_leave(void)
{
    if (visit.depth == 0 || --visit.depth > 0) return; /* 0: the call began before statistics did */
    uint64_t took = now_ns() - visit.begun, ns = took > clock_ns ? took - clock_ns : 0;
    struct stats_row *row = visit.row;
    struct stats_cell *cell = &row->by[visit.path];
    lock();
    cell->calls++;
    cell->bytes += visit.bytes;
    cell->ns += ns;
    row->took[bucket_of(ns)]++;
    if (ns > row->longest) row->longest = ns;
    unlock();
    visit.row = NULL;
}

/* ---- inside a visit ---- */

void armcii_stats_note_asked(enum stats_kind kind, int target, size_t bytes, size_t segments)
{
    if (!visit.row) return;
    struct stats_target *t = &armcii_stats.targets[target];
    visit.bytes += bytes;
    lock();
    visit.row->sizes[bucket_of(bytes)]++;
    visit.row->segments[bucket_of(segments)]++;
    t->calls[kind]++;
    t->bytes[kind] += bytes;
    unlock();
}

void armcii_stats_note_path(enum path path, size_t bytes, size_t segments)
{
    struct stats_travel *travel = &armcii_stats.travels[path];
    visit.path = path;
    lock();
    travel->transfers++;
    travel->bytes += bytes;
    travel->segments += segments;
    unlock();
}

void armcii_stats_note_at_once(enum stats_kind kind, int target, size_t bytes)
{
    if (bytes > 0) armcii_stats_note_path(PATH_DIRECT, bytes, 1);
    armcii_stats_note_asked(kind, target, bytes, bytes > 0);
}

void armcii_stats_note_region(bool made, size_t bytes)
{
    struct stats_regions *r = &armcii_stats.regions;
    lock();
    r->made += made;
    r->now = made ? r->now + 1 : r->now - 1;
    r->bytes_now = made ? r->bytes_now + bytes : r->bytes_now - bytes;
    if (r->now > r->most) r->most = r->now;
    if (r->bytes_now > r->bytes_most) r->bytes_most = r->bytes_now;
    unlock();
}

const char *armcii_stats_path_name(enum path path)
{
    static const char *const names[PATHS] = {
        "-", "aggregated", "direct", "server", "rma contiguous", "rma datatype", "rma batched", "rma conservative", "rma atomic",
    };
    return names[path];
}
