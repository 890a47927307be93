/* statistics.c - counts calls, bytes and time; at the end, each process sends its counts to the
 * first, which adds them up and reports. */
#include "observe/observe.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <armcix.h>

#include "base/config.h"
#include "base/hang.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "mpi/world.h"

struct stats armcii_stats;

static struct {
    const char *functions[STATS_MOST_ROWS]; /* of each row, the string of its first call: most
                                                      calls are found by its address */
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    long clock_ns; /* what two readings of the clock add to a call */
    /* Not the global lock: calls that wait for other processes do not hold it. */
    pthread_mutex_t mutex;
} counting = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
    if (armcii_lock.enabled) pthread_mutex_lock(&counting.mutex);
}

static void unlock(void)
{
    if (armcii_lock.enabled) pthread_mutex_unlock(&counting.mutex);
}

static long measure_clock(void)
{
    long least = LONG_MAX;
    for (int i = 0; i < 100; i++) {
        long before = armcii_clock_ns(), took = armcii_clock_ns() - before;
        if (took < least) least = took;
    }
    return least;
}

void armcii_stats_start(int processes)
{
    armcii_stats = (struct stats){.processes = processes};
    armcii_stats.rows = calloc(STATS_MOST_ROWS, sizeof *armcii_stats.rows);
    armcii_stats.targets = calloc((size_t)processes, sizeof *armcii_stats.targets);
    if (!armcii_stats.rows || !armcii_stats.targets)
        armcii_fatal("out of memory for statistics of %d processes", processes);
    counting.clock_ns = measure_clock();
    armcii_stats.begun_ns = (uint64_t)armcii_clock_ns();
    armcii_stats.on = true;
}

void armcii_stats_stop(void)
{
    armcii_stats.on = false;
    armcii_stats.elapsed_ns = (uint64_t)armcii_clock_ns() - armcii_stats.begun_ns;
}

void armcii_stats_end(void)
{
    free(armcii_stats.rows);
    free(armcii_stats.targets);
    armcii_stats = (struct stats){0};
}

/* ---- calls ---- */

static struct stats_row *row_of(const char *function)
{
    struct stats *s = &armcii_stats;
    for (size_t i = 0; i < s->n; i++)
        if (counting.functions[i] == function) return &s->rows[i];
    for (size_t i = 0; i < s->n; i++)
        if (strncmp(s->rows[i].name, function, STATS_NAME - 1) == 0) return &s->rows[i];
    if (s->n == STATS_MOST_ROWS)
        armcii_fatal("statistics of more than %d functions", STATS_MOST_ROWS);
    counting.functions[s->n] = function;
    strncpy(s->rows[s->n].name, function, STATS_NAME - 1);
    return &s->rows[s->n++];
}

void armcii_stats_call(struct call *c)
{
    lock();
    struct stats_row *row = row_of(c->function);
    unlock();
    c->counted.row = row;
    c->counted.bytes = 0;
    c->counted.path = 0;
    c->counted.carried = false;
}

static int bucket_of(uint64_t n)
{
    int b = n ? 64 - __builtin_clzll(n) : 0;
    return b < STATS_BUCKETS ? b : STATS_BUCKETS - 1;
}

static void add_call(struct stats_row *row, const struct call *c, uint64_t ns)
{
    struct stats_cell *cell = &row->by[c->counted.path];
    cell->calls++;
    cell->bytes += c->counted.bytes;
    cell->ns += ns;
    row->took[bucket_of(ns)]++;
    if (ns > row->longest) row->longest = ns;
}

void armcii_stats_called(struct call *c)
{
    long took = c->ended - c->begun - counting.clock_ns;
    lock();
    add_call(c->counted.row, c, took > 0 ? (uint64_t)took : 0);
    unlock();
    c->counted.row = NULL;
}

/* ---- inside a call ---- */

void armcii_stats_carried(enum path path, size_t bytes, size_t segments)
{
    struct stats_carried *carried = &armcii_stats.carried[path];
    struct call *c = armcii_call_own();
    c->counted.path = (int)path;
    c->counted.carried = true;
    lock();
    carried->transfers++;
    carried->bytes += bytes;
    carried->segments += segments;
    unlock();
}

void armcii_stats_note_transfer(enum stats_kind kind, int target, size_t bytes, size_t segments,
                                bool queued)
{
    struct call *c = armcii_call_own();
    if (!c->counted.row) return;
    struct stats_target *t = &armcii_stats.targets[target];
    if (queued)
        c->counted.path = PATH_AGGREGATED;
    else if (!c->counted.carried && bytes > 0)
        armcii_stats_carried(PATH_DIRECT, bytes, segments);
    c->counted.carried = false;
    c->counted.bytes += bytes;
    lock();
    c->counted.row->sizes[bucket_of(bytes)]++;
    c->counted.row->segments[bucket_of(segments)]++;
    t->calls[kind]++;
    t->bytes[kind] += bytes;
    unlock();
}

void armcii_stats_region(bool made, size_t bytes)
{
    struct stats_regions *r = &armcii_stats.regions;
    if (!armcii_stats.on) return;
    lock();
    r->made += made;
    r->now = made ? r->now + 1 : r->now - 1;
    r->bytes_now = made ? r->bytes_now + bytes : r->bytes_now - bytes;
    if (r->now > r->most) r->most = r->now;
    if (r->bytes_now > r->bytes_most) r->bytes_most = r->bytes_now;
    unlock();
}

/* ---- the job ---- */

/* A report is written to a new file beside the one of that name, and renamed when it is complete: a
 * job that is killed leaves no incomplete report, and an earlier one stays. Devices and pipes are
 * written directly. */
struct stats_file {
    FILE *file; /* NULL: it cannot be written */
    const char *name;
    char path[PATH_MAX];
    bool renamed_at_end;
};

/* Create a file that nobody else has: `name`.part, or with a number where that exists. */
static void create_beside(struct stats_file *f)
{
    enum { ATTEMPTS = 1000 };
    for (int i = 0; i < ATTEMPTS && !f->file; i++) {
        const char *format = i ? "%s.part%d" : "%s.part";
        if (snprintf(f->path, sizeof f->path, format, f->name, i) >= (int)sizeof f->path) return;
        f->file = fopen(f->path, "wx"); /* exclusively: follows no link */
        if (errno != EEXIST) return;
    }
}

static void open_file(struct stats_file *f, const char *name)
{
    struct stat status;
    *f = (struct stats_file){.name = name};
    f->renamed_at_end = stat(name, &status) != 0 || S_ISREG(status.st_mode);
    if (f->renamed_at_end)
        create_beside(f);
    else
        f->file = fopen(name, "w");
}

/* Nothing remains of a report that is not complete. */
static bool close_file(struct stats_file *f, bool complete)
{
    bool written = !ferror(f->file) && complete;
    written = fclose(f->file) == 0 && written;
    if (!f->renamed_at_end) return written;
    written = written && rename(f->path, f->name) == 0;
    if (!written) unlink(f->path);
    return written;
}

/* Warn now rather than after the run. */
static void try_file(void)
{
    struct stats_file f;
    if (!armcii_config->stats_file) return;
    open_file(&f, armcii_config->stats_file);
    if (f.file)
        close_file(&f, false);
    else
        armcii_warn("ARMCI_STATS: %s cannot be written (%s): there will be a table",
                    armcii_config->stats_file, strerror(errno));
}

void armcii_statistics_start(void)
{
    if (!armcii_config->stats) return;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    armcii_version_line(library, counting.mpi, sizeof counting.mpi);
    if (armcii_world->rank == 0) try_file();
    armcii_stats_start(armcii_world->size);
    armcii_killed_start();
}

/* ---- the report ---- */

struct report {
    struct stats_file file;
    struct json json; /* file NULL: a table */
    struct stats_job job;
};

static void begin_report(struct report *r)
{
    *r = (struct report){.json.file = NULL};
    armcii_stats_job_begin(&r->job, armcii_world->size);
    r->job.library = ARMCI_RMA_Version();
    r->job.mpi = counting.mpi;
    r->job.nodes = armcii_world->domains;
}

static void begin_file(struct report *r, const char *name)
{
    open_file(&r->file, name);
    r->json = (struct json){.file = r->file.file};
    if (r->json.file) armcii_stats_json_begin(&r->json, &r->job);
}

static void add_process(struct report *r, const struct stats_process *p)
{
    armcii_stats_job_add(&r->job, p);
    if (r->json.file) armcii_stats_json_process(&r->json, p);
}

static bool end_file(struct report *r)
{
    if (!r->json.file) return false;
    armcii_stats_json_end(&r->json, &r->job);
    if (close_file(&r->file, true)) return true;
    armcii_warn("ARMCI_STATS: %s cannot be written: %s", r->file.name, strerror(errno));
    return false;
}

/* The table is one write, so that no other process's lines come between its lines. */
static void print_table(const struct stats_job *job)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) armcii_fatal("out of memory for statistics");
    armcii_stats_table(f, job);
    if (fclose(f) != 0) armcii_fatal("out of memory for statistics");
    armcii_log_text(text);
    free(text);
}

/* ---- gathering ---- */

/* The counts of this process in one block of *bytes bytes; the caller frees it. */
static struct stats_process *pack(size_t *bytes)
{
    const struct stats *s = &armcii_stats;
    size_t n = s->n;
    size_t targets = 0, rows = n * sizeof *s->rows;
    *bytes = sizeof(struct stats_process) + rows + (size_t)s->processes * sizeof(struct stats_far);
    struct stats_process *p = calloc(1, *bytes);
    if (!p) armcii_fatal("out of memory for statistics");
    p->rank = armcii_world->rank;
    p->node = armcii_world->domain;
    p->seconds = (double)(s->on ? (uint64_t)armcii_clock_ns() - s->begun_ns : s->elapsed_ns) * 1e-9;
    memcpy(p->carried, s->carried, sizeof p->carried);
    p->regions = s->regions;
    p->rows = n;
    memcpy(p + 1, s->rows, rows);
    struct stats_far *far = (struct stats_far *)((char *)(p + 1) + rows);
    for (int i = 0; i < s->processes; i++) {
        const struct stats_target *t = &s->targets[i];
        if (t->calls[STATS_PUT] || t->calls[STATS_GET] || t->calls[STATS_ACC] ||
            t->calls[STATS_RMW])
            far[targets++] = (struct stats_far){i, *t};
    }
    p->targets = targets;
    *bytes = sizeof *p + rows + targets * sizeof *far;
    return p;
}

static struct stats_process *receive_from(int rank)
{
    MPI_Status status;
    int bytes;
    armcii_coll_probe(rank, CONTROL_STATISTICS, armcii_world->control, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct stats_process *p = malloc((size_t)bytes);
    if (!p) armcii_fatal("out of memory for statistics of %d bytes", bytes);
    MPI_Recv(p, bytes, MPI_BYTE, rank, CONTROL_STATISTICS, armcii_world->control,
             MPI_STATUS_IGNORE);
    return p;
}

static void gather(struct stats_process *mine)
{
    struct report r;
    begin_report(&r);
    if (armcii_config->stats_file) begin_file(&r, armcii_config->stats_file);
    add_process(&r, mine);
    for (int i = 1; i < armcii_world->size; i++) {
        struct stats_process *p = receive_from(i);
        add_process(&r, p);
        free(p);
    }
    if (!end_file(&r)) print_table(&r.job);
    armcii_stats_job_end(&r.job);
}

/* A call in progress counts as if it ended now: its transfers are counted, and a job that hangs is
 * killed inside it. */
static void add_calls_in_progress(struct stats_process *p)
{
    struct stats_row *rows = (struct stats_row *)(p + 1);
    unsigned count;
    struct call *calls = armcii_calls(&count);
    long now = armcii_clock_ns();
    for (struct call *c = calls; c < calls + count; c++) {
        long begun = atomic_load(&c->begun);
        struct stats_row *row = c->counted.row;
        if (begun <= CALL_UNTIMED || !row || row >= armcii_stats.rows + p->rows) continue;
        add_call(&rows[row - armcii_stats.rows], c, now > begun ? (uint64_t)(now - begun) : 0);
    }
}

void armcii_stats_write_own(const char *file)
{
    struct report r;
    size_t bytes;
    lock();
    struct stats_process *mine = pack(&bytes);
    add_calls_in_progress(mine);
    unlock();
    begin_report(&r);
    r.job.partial = true;
    begin_file(&r, file);
    add_process(&r, mine);
    end_file(&r);
    armcii_stats_job_end(&r.job);
    free(mine);
}

void armcii_statistics_end(void)
{
    size_t bytes;
    if (!armcii_stats.on) return;
    armcii_stats_stop();
    struct stats_process *mine = pack(&bytes);
    if (armcii_world->rank == 0)
        gather(mine);
    else
        armcii_coll_send(mine, (int)bytes, 0, CONTROL_STATISTICS, armcii_world->control);
    free(mine);
    armcii_killed_end();
    armcii_stats_end();
}
