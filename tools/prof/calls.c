/* calls.c - records the calls of this process: what each thread is in, for reports, and counts, for
 * statistics. */
#include "prof.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

struct prof armcii_prof;
struct stats armcii_stats;

static struct {
    pthread_mutex_t mutex; /* of the counts: several threads may call */
    struct region {
        const void *base;
        uint64_t bytes;
    } * regions; /* of this process */
    size_t region_count, region_room;
} calls = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int thread = -1; /* index into the slot's calls */
static _Thread_local unsigned depth;  /* of nested calls */

long armcii_prof_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

void *armcii_prof_alloc(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory) {
        armcii_prof_warn("out of memory for statistics: %zu bytes", n * size);
        abort();
    }
    return memory;
}

void armcii_prof_warn(const char *format, ...)
{
    char text[4500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "ARMCI warning: rank %d: %s\n", armcii_prof.rank, text);
}

void armcii_stats_lock(void)
{
    pthread_mutex_lock(&calls.mutex);
}

void armcii_stats_unlock(void)
{
    pthread_mutex_unlock(&calls.mutex);
}

/* ---- the record for reports ---- */

#define SET(member, value) atomic_store_explicit(&(member), value, memory_order_relaxed)

static struct call *own_call(void)
{
    static _Thread_local struct call further;
    struct slot *slot = armcii_prof.slot;
    if (thread < 0) thread = (int)atomic_fetch_add(&slot->threads, 1);
    return thread < CALL_THREADS ? &slot->calls[thread] : &further;
}

struct span armcii_prof_enter(int function, int target, bool is_collective)
{
    struct span s = {.function = function};
    if (!armcii_prof.running || depth++ > 0) return s;
    struct call *c = s.call = own_call();
    SET(c->function, function);
    SET(c->target, target);
    SET(c->mutex, -1);
    SET(c->collective, is_collective ? atomic_fetch_add(&armcii_prof.slot->collectives, 1) + 1 : 0);
    SET(c->reported, false);
    SET(armcii_prof.slot->silent, false);
    s.counted = armcii_stats.on;
    if (s.counted) PARMCIX_Counters(s.before, PATHS - PATH_SERVER);
    s.begun = armcii_prof_clock();
    SET(c->begun, s.begun);
    return s;
}

void armcii_prof_leave(struct span *s)
{
    if (depth > 0) depth--;
    if (!s->call) return;
    long now = armcii_prof_clock(), took = now - s->begun - armcii_stats.clock_ns;
    SET(s->call->ended, now);
    SET(s->call->begun, 0);
    if (!s->counted || !armcii_stats.on) return;
    armcii_stats_lock();
    armcii_stats_add_call(&armcii_stats.rows[s->function], s->path, s->bytes,
                          took > 0 ? (uint64_t)took : 0);
    armcii_stats_unlock();
}

void armcii_prof_await(struct span *s, int mutex)
{
    if (s->call) SET(s->call->mutex, mutex);
}

void armcii_prof_hold(int mutex, int owner)
{
    struct slot *slot = armcii_prof.slot;
    if (!armcii_prof.running) return;
    SET(slot->owner, owner);
    SET(slot->mutex, mutex);
    atomic_fetch_add(&slot->held, 1);
}

void armcii_prof_release(int mutex, int owner)
{
    struct slot *slot = armcii_prof.slot;
    if (!armcii_prof.running || atomic_load(&slot->held) == 0) return;
    if (atomic_load(&slot->mutex) == mutex && atomic_load(&slot->owner) == owner)
        SET(slot->mutex, -1);
    atomic_fetch_sub(&slot->held, 1);
}

/* ---- counts ---- */

static int bucket_of(uint64_t n)
{
    int b = n ? 64 - __builtin_clzll(n) : 0;
    return b < STATS_BUCKETS ? b : STATS_BUCKETS - 1;
}

void armcii_stats_add_call(struct stats_row *row, enum path path, uint64_t bytes, uint64_t ns)
{
    struct stats_cell *cell = &row->by[path];
    cell->calls++;
    cell->bytes += bytes;
    cell->ns += ns;
    row->took[bucket_of(ns)]++;
    if (ns > row->longest) row->longest = ns;
}

/* The counter that has grown since the call began names the path; memory that is shared is reached
 * by loads and stores; what else has not been sent is in an aggregate handle. */
static enum path path_of(const struct span *s, int target, const void *remote)
{
    unsigned long now[PATHS - PATH_SERVER];
    PARMCIX_Counters(now, PATHS - PATH_SERVER);
    for (int i = 0; i < PATHS - PATH_SERVER; i++)
        if (now[i] != s->before[i]) return (enum path)(PATH_SERVER + i);
    return PARMCIX_Local_address((void *)(uintptr_t)remote, target) ? PATH_DIRECT : PATH_AGGREGATED;
}

static void add_transfer(struct span *s, int kind, int target, const void *remote, uint64_t bytes,
                         uint64_t segments)
{
    if (!s->counted || !armcii_stats.on) return;
    struct stats_row *row = &armcii_stats.rows[s->function];
    struct stats_target *t = &armcii_stats.targets[target];
    enum path path = bytes ? path_of(s, target, remote) : PATH_NONE;
    if (bytes) s->path = path;
    s->bytes += bytes;
    armcii_stats_lock();
    if (bytes) {
        armcii_stats.carried[path].transfers++;
        armcii_stats.carried[path].bytes += bytes;
        armcii_stats.carried[path].segments += segments;
    }
    row->sizes[bucket_of(bytes)]++;
    row->segments[bucket_of(segments)]++;
    t->calls[kind]++;
    t->bytes[kind] += bytes;
    armcii_stats_unlock();
}

void armcii_prof_contiguous(struct span *s, int kind, int target, const void *remote,
                            uint64_t bytes)
{
    add_transfer(s, kind, target, remote, bytes, bytes > 0);
}

/* Rows that are adjacent on both sides are one segment. */
void armcii_prof_strided(struct span *s, int kind, int target, const void *remote,
                         const int *src_stride, const int *dst_stride, const int *count, int levels)
{
    uint64_t run = (uint64_t)count[0], segments = 1;
    for (int i = 0; i < levels; i++) {
        if (segments == 1 && (uint64_t)src_stride[i] == run && (uint64_t)dst_stride[i] == run)
            run *= (uint64_t)count[i + 1];
        else
            segments *= (uint64_t)count[i + 1];
    }
    add_transfer(s, kind, target, remote, run * segments, run && segments ? segments : 0);
}

void armcii_prof_vector(struct span *s, int kind, int target, const armci_giov_t *iov, int n)
{
    uint64_t bytes = 0, segments = 0;
    const void *remote = NULL;
    for (int i = 0; i < n; i++) {
        if (iov[i].ptr_array_len <= 0 || iov[i].bytes <= 0) continue;
        bytes += (uint64_t)iov[i].bytes * (uint64_t)iov[i].ptr_array_len;
        segments += (uint64_t)iov[i].ptr_array_len;
        remote = kind == STATS_GET ? iov[i].src_ptr_array[0] : iov[i].dst_ptr_array[0];
    }
    add_transfer(s, kind, target, remote, bytes, segments);
}

/* ---- regions ---- */

void armcii_prof_allocated(const void *base, uint64_t bytes)
{
    struct stats_regions *r = &armcii_stats.regions;
    if (!armcii_stats.on) return;
    armcii_stats_lock();
    if (calls.region_count == calls.region_room) {
        size_t room = 2 * calls.region_room + 16;
        struct region *more = realloc(calls.regions, room * sizeof *more);
        if (!more) abort();
        calls.regions = more;
        calls.region_room = room;
    }
    calls.regions[calls.region_count++] = (struct region){base, bytes};
    r->made++;
    r->bytes_now += bytes;
    if (++r->now > r->most) r->most = r->now;
    if (r->bytes_now > r->bytes_most) r->bytes_most = r->bytes_now;
    armcii_stats_unlock();
}

void armcii_prof_freed(const void *base)
{
    struct stats_regions *r = &armcii_stats.regions;
    if (!armcii_stats.on) return;
    armcii_stats_lock();
    size_t i = calls.region_count;
    while (i > 0 && calls.regions[i - 1].base != base)
        i--;
    if (i > 0) {
        r->now--;
        r->bytes_now -= calls.regions[i - 1].bytes;
        calls.regions[i - 1] = calls.regions[--calls.region_count];
    }
    armcii_stats_unlock();
}

/* The least time between two readings. */
static long measure_clock(void)
{
    long least = 1000000000;
    for (int i = 0; i < 100; i++) {
        long before = armcii_prof_clock(), took = armcii_prof_clock() - before;
        if (took < least) least = took;
    }
    return least;
}

void armcii_stats_start(void)
{
    free(armcii_stats.rows);
    free(armcii_stats.targets);
    armcii_stats = (struct stats){.clock_ns = measure_clock()};
    armcii_stats.rows = armcii_prof_alloc((size_t)armcii_prof_functions, sizeof *armcii_stats.rows);
    armcii_stats.targets =
        armcii_prof_alloc((size_t)armcii_prof.size, sizeof *armcii_stats.targets);
    calls.region_count = 0;
    armcii_stats.begun_ns = (uint64_t)armcii_prof_clock();
    armcii_stats.on = true;
}
