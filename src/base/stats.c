/* stats.c - counting: the clock, visits, and what is noted inside them. */
#include "base/stats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/lock.h"

enum {
    MOST_ROWS = 256,       /* public functions are fewer */
    SLOTS = 1024,          /* of the table from names to rows */
    QUICK_BYTES = 4096,    /* direct transfers up to these are quick calls */
    INTERRUPTED_NS = 20000, /* a quick call that takes so long was interrupted */
    CALIBRATION_NS = 300000
};

struct stats armcii_stats;
bool armcii_stats_on;

static struct slot {
    const char *name; /* the caller's own string: known by its address */
    struct stats_row *row;
} slots[SLOTS];
static double ns_per_tick;
static uint64_t clock_ns; /* what reading the clock twice adds to a visit */
static uint32_t chance;

/* What a thread's running visit is about. */
struct visit {
    unsigned depth;
    struct stats_row *row;
    uint64_t begun; /* ticks; 0: not timed */
    bool sampled;   /* the function is mostly quick: only some calls are timed */
    bool slow;      /* this call is not */
    size_t bytes;
    enum stats_path path;
};
static struct visit only_visit;
static _Thread_local struct visit visit_of_thread;

/* Without threads the way to a thread's own variable is saved. */
static struct visit *visit(void)
{
    return armcii_lock_is_enabled() ? &visit_of_thread : &only_visit;
}

/* A lock of its own: some calls wait for other processes, and must not hold the library's. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
    if (armcii_lock_is_enabled()) pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    if (armcii_lock_is_enabled()) pthread_mutex_unlock(&mutex);
}

/* ---- the clock ---- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The processor's counter where there is one that runs evenly; else nanoseconds.  Never 0. */
static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc() | 1;
#else
    return now_ns() | 1;
#endif
}

/* From ticks of two readings; processors whose counters differ may give a negative number. */
static uint64_t to_ns(uint64_t from, uint64_t to)
{
    int64_t n = (int64_t)(to - from);
    return n > 0 ? (uint64_t)((double)n * ns_per_tick) : 0;
}

/* Both clocks at once: of several readings the one that nothing came between. */
struct instant {
    uint64_t ns, ticks;
};
static struct instant begun;

static struct instant read_clocks(void)
{
    enum { READINGS = 20 };
    struct instant best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = ticks(), ns = now_ns(), after = ticks();
        if (after - before >= least) continue;
        least = after - before;
        best = (struct instant){ns, before + least / 2};
    }
    return best;
}

static double ns_per_tick_since(struct instant from)
{
    struct instant now = read_clocks();
    return (double)(now.ns - from.ns) / (double)(now.ticks - from.ticks);
}

static void calibrate(void)
{
    struct instant first = read_clocks();
    while (now_ns() - first.ns < CALIBRATION_NS) {}
    ns_per_tick = ns_per_tick_since(first);
    clock_ns = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t a = ticks(), took = to_ns(a, ticks());
        if (took < clock_ns) clock_ns = took;
    }
}

static void scale_time(uint64_t *ns, double factor)
{
    *ns = (uint64_t)((double)*ns * factor);
}

/* The whole run tells the counter's rate better than the beginning did. */
static void correct_times(void)
{
    double factor = ns_per_tick_since(begun) / ns_per_tick;
    for (size_t i = 0; i < armcii_stats.n; i++) {
        struct stats_row *row = &armcii_stats.rows[i];
        scale_time(&row->longest, factor);
        for (int p = 0; p < STATS_PATHS; p++) {
            scale_time(&row->by[p].ns, factor);
            scale_time(&row->by[p].quick_ns, factor);
            scale_time(&row->by[p].interrupted_ns, factor);
        }
    }
}

/* ---- start and end ---- */

void armcii_stats_start(int processes)
{
    armcii_stats = (struct stats){.processes = processes};
    armcii_stats.rows = calloc(MOST_ROWS, sizeof *armcii_stats.rows);
    armcii_stats.targets = calloc((size_t)processes, sizeof *armcii_stats.targets);
    if (!armcii_stats.rows || !armcii_stats.targets) armcii_fatal("out of memory for statistics of %d processes", processes);
    memset(slots, 0, sizeof slots);
    only_visit = visit_of_thread = (struct visit){0};
    calibrate();
    begun = read_clocks();
    armcii_stats_on = true;
}

void armcii_stats_stop(void)
{
    armcii_stats_on = false;
    armcii_stats.elapsed_ns = now_ns() - begun.ns;
    correct_times();
}

void armcii_stats_end(void)
{
    free(armcii_stats.rows);
    free(armcii_stats.targets);
    armcii_stats = (struct stats){0};
}

/* ---- rows ---- */

static struct stats_row *row_by_name(const char *name)
{
    for (size_t i = 0; i < armcii_stats.n; i++)
        if (strncmp(armcii_stats.rows[i].name, name, STATS_NAME - 1) == 0) return &armcii_stats.rows[i];
    if (armcii_stats.n == MOST_ROWS) armcii_fatal("statistics of more than %d functions", MOST_ROWS);
    struct stats_row *row = &armcii_stats.rows[armcii_stats.n++];
    strncpy(row->name, name, STATS_NAME - 1);
    return row;
}

/* By the string's address, which is quick; strings are compared when an address is new. */
static struct stats_row *row_of(const char *function)
{
    size_t i = ((uintptr_t)function >> 2) * 0x9e3779b1u % SLOTS, tried = 0;
    while (slots[i].name && slots[i].name != function && ++tried < SLOTS) i = (i + 1) % SLOTS;
    if (slots[i].name == function) return slots[i].row;
    struct stats_row *row = row_by_name(function);
    if (!slots[i].name) slots[i] = (struct slot){function, row};
    return row;
}

/* ---- visits ---- */

/* Calls until the next one that is timed: 16 on average, by chance, so that no rhythm of the program meets it. */
static unsigned next_distance(void)
{
    chance = chance * 1664525u + 1013904223u;
    return chance >> 27;
}

static bool is_timed(struct stats_row *row)
{
    if (!row->is_quick) return true;
    if (row->untimed-- > 0) return false;
    row->untimed = next_distance();
    return true;
}

void armcii_stats_enter(const char *function)
{
    struct visit *v = visit();
    if (v->depth++ > 0) return;
    lock();
    struct stats_row *row = row_of(function);
    bool sampled = row->is_quick, timed = is_timed(row);
    unlock();
    *v = (struct visit){.depth = 1, .row = row, .sampled = sampled, .begun = timed ? ticks() : 0};
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

static bool is_quick(enum stats_path path, size_t bytes)
{
    return path <= STATS_DIRECT && bytes <= QUICK_BYTES;
}

static void add_time(struct stats_row *row, struct stats_cell *cell, bool quick, uint64_t ns)
{
    ns = ns > clock_ns ? ns - clock_ns : 0;
    if (quick && ns >= INTERRUPTED_NS) {
        cell->interrupted++;
        cell->interrupted_ns += ns;
    } else if (quick) {
        cell->quick_timed++;
        cell->quick_ns += ns;
    } else {
        cell->ns += ns;
    }
    if (ns > row->longest) row->longest = ns;
    row->took[bucket_of(ns)]++;
}

void armcii_stats_leave(void)
{
    struct visit *v = visit();
    if (v->depth == 0 || --v->depth > 0) return; /* 0: it entered before statistics began */
    uint64_t ended = v->begun ? ticks() : 0;
    struct stats_row *row = v->row;
    struct stats_cell *cell = &row->by[v->path];
    lock();
    bool quick = v->sampled && !v->slow;
    cell->calls++;
    cell->bytes += v->bytes;
    cell->quick += quick;
    if (v->begun) add_time(row, cell, quick, to_ns(v->begun, ended));
    unlock();
    v->row = NULL;
}

/* A rare interruption counts as itself: as a sample it would stand for sixteen that nobody saw.  Where they are many, calls are so. */
double armcii_stats_seconds(const struct stats_cell *cell)
{
    enum { RARE = 8 };
    double quick = (double)cell->quick, once = (double)cell->interrupted_ns, sampled = (double)cell->quick_ns;
    uint64_t timed = cell->quick_timed + cell->interrupted;
    if (timed == 0) return (double)cell->ns * 1e-9;
    if (cell->interrupted * RARE > timed) return ((double)cell->ns + (once + sampled) * quick / (double)timed) * 1e-9;
    return ((double)cell->ns + once + sampled * (quick - (double)cell->interrupted) / (double)cell->quick_timed) * 1e-9;
}

/* ---- notes ---- */

void armcii_stats_note_asked(enum stats_kind kind, int target, size_t bytes, size_t segments)
{
    struct visit *v = visit();
    if (!v->row) return;
    struct stats_target *t = &armcii_stats.targets[target];
    v->bytes += bytes;
    lock();
    v->row->sizes[bucket_of(bytes)]++;
    v->row->segments[bucket_of(segments)]++;
    t->calls[kind]++;
    t->bytes[kind] += bytes;
    unlock();
}

void armcii_stats_note_quick(void)
{
    struct visit *v = visit();
    lock();
    if (v->row) v->row->is_quick = true;
    unlock();
}

void armcii_stats_note_slow(void)
{
    struct visit *v = visit();
    v->slow = true;
    if (!v->begun) v->begun = ticks();
}

void armcii_stats_note_path(enum stats_path path, size_t bytes, size_t segments)
{
    struct visit *v = visit();
    struct stats_travel *travel = &armcii_stats.travels[path];
    lock();
    travel->transfers++; /* of STATS_AGGREGATED: requests, which travel later */
    travel->bytes += bytes;
    travel->segments += segments;
    if (is_quick(path, bytes) && v->row) v->row->is_quick = true;
    unlock();
    if (!is_quick(path, bytes)) armcii_stats_note_slow();
    v->path = path;
}

void armcii_stats_note_at_once(enum stats_kind kind, int target, size_t bytes)
{
    if (bytes > 0) armcii_stats_note_path(STATS_DIRECT, bytes, 1);
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

/* ---- names of paths ---- */

static const char *const path_names[STATS_PATHS] = {
    "-", "kept", "direct", "server", "rma contiguous", "rma datatype", "rma batched", "rma conservative", "rma atomic",
};

const char *armcii_stats_path_name(enum stats_path path)
{
    return path_names[path];
}
