/* statistics.c - the life of the profiler in a job; at the end, each process sends its counts to
 * the first, which adds them up and reports. */
#define _GNU_SOURCE
#include "prof.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/json.h"
#include "base/ascii.h"

static struct {
    char *variables[2]; /* ARMCI_STATS, ARMCI_HANG_REPORT while they are hidden */
    unsigned depth;     /* of initializations */
    void **slots;       /* [size]: addresses in their processes */
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
} job;

/* ---- files ---- */

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
        if (!f->file && errno != EEXIST) return;
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

/* Leave nothing of a report that is not complete. */
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
    open_file(&f, armcii_prof.file);
    if (f.file)
        close_file(&f, false);
    else
        armcii_prof_warn("ARMCI_STATS: %s cannot be written (%s): there will be a table",
                         armcii_prof.file, strerror(errno));
}

bool armcii_stats_may_replace(const char *file)
{
    static const char begin[] = "{\"format\": \"armci-stats ";
    char text[sizeof begin] = "";
    struct stat status;
    if (lstat(file, &status) != 0) return errno == ENOENT;
    if (!S_ISREG(status.st_mode)) return false;
    FILE *f = fopen(file, "r");
    bool is_report = f && fgets(text, sizeof text, f) && strcmp(text, begin) == 0;
    if (f) fclose(f);
    return is_report;
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
    armcii_stats_job_begin(&r->job, armcii_prof.size);
    r->job.library = PARMCI_RMA_Version();
    r->job.mpi = job.mpi;
    r->job.nodes = armcii_prof.nodes;
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
    armcii_prof_warn("ARMCI_STATS: %s cannot be written: %s", r->file.name, strerror(errno));
    return false;
}

/* The table is one write, so that no other process's lines come between its lines. */
static void print_table(const struct stats_job *of)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    armcii_stats_table(f, of);
    if (fclose(f) == 0) fwrite(text, 1, size, stderr);
    free(text);
}

/* ---- gathering ---- */

static bool is_used(const struct stats_row *row)
{
    struct stats_cell sum = armcii_stats_row_total(row);
    return sum.calls > 0;
}

/* A call in progress counts as if it ended now: its transfers are counted, and a job that hangs is
 * killed inside it. */
static void add_calls_in_progress(void)
{
    long now = armcii_prof_clock();
    for (struct call *c = armcii_prof.slot->calls; c < armcii_prof.slot->calls + CALL_THREADS;
         c++) {
        long begun = atomic_load(&c->begun);
        if (begun > 0)
            armcii_stats_add_call(&armcii_stats.rows[atomic_load(&c->function)], PATH_NONE, 0,
                                  now > begun ? (uint64_t)(now - begun) : 0);
    }
}

/* The counts of this process in one block of *bytes bytes; the caller frees it. */
static struct stats_process *pack(size_t *bytes)
{
    struct stats *s = &armcii_stats;
    struct stats_process *p =
        armcii_prof_alloc(1, sizeof *p + (size_t)armcii_prof_functions * sizeof *s->rows +
                                 (size_t)armcii_prof.size * sizeof(struct stats_far));
    p->rank = armcii_prof.rank;
    p->node = armcii_prof.node;
    uint64_t elapsed = s->on ? (uint64_t)armcii_prof_clock() - s->begun_ns : s->elapsed_ns;
    p->seconds = (double)elapsed * 1e-9;
    memcpy(p->carried, s->carried, sizeof p->carried);
    p->regions = s->regions;
    struct stats_row *rows = (struct stats_row *)(p + 1);
    for (int i = 0; i < armcii_prof_functions; i++) {
        if (!is_used(&s->rows[i])) continue;
        rows[p->rows] = s->rows[i];
        snprintf(rows[p->rows++].name, STATS_NAME, "%s", armcii_prof_names[i]);
    }
    struct stats_far *far = (struct stats_far *)(rows + p->rows);
    for (int i = 0; i < armcii_prof.size; i++) {
        const struct stats_target *t = &s->targets[i];
        if (t->calls[STATS_PUT] || t->calls[STATS_GET] || t->calls[STATS_ACC] ||
            t->calls[STATS_RMW])
            far[p->targets++] = (struct stats_far){i, *t};
    }
    *bytes = (size_t)((char *)(far + p->targets) - (char *)p);
    return p;
}

static void add_received(struct report *r, int rank)
{
    MPI_Status status;
    int bytes;
    MPI_Probe(rank, 0, armcii_prof.comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct stats_process *p = armcii_prof_alloc((size_t)bytes, 1);
    MPI_Recv(p, bytes, MPI_BYTE, rank, 0, armcii_prof.comm, MPI_STATUS_IGNORE);
    add_process(r, p);
    free(p);
}

void armcii_stats_finish(void)
{
    size_t bytes;
    armcii_stats.elapsed_ns = (uint64_t)armcii_prof_clock() - armcii_stats.begun_ns;
    armcii_stats.on = false;
    struct stats_process *mine = pack(&bytes);
    if (armcii_prof.rank == 0) {
        struct report r;
        begin_report(&r);
        if (*armcii_prof.file) begin_file(&r, armcii_prof.file);
        add_process(&r, mine);
        for (int i = 1; i < armcii_prof.size; i++)
            add_received(&r, i);
        if (!end_file(&r)) print_table(&r.job);
        armcii_stats_job_end(&r.job);
    } else {
        MPI_Send(mine, (int)bytes, MPI_BYTE, 0, 0, armcii_prof.comm);
    }
    free(mine);
}

void armcii_stats_write_own(const char *file)
{
    struct report r;
    size_t bytes;
    armcii_stats_lock();
    add_calls_in_progress();
    struct stats_process *mine = pack(&bytes);
    armcii_stats_unlock();
    begin_report(&r);
    r.job.partial = true;
    begin_file(&r, file);
    add_process(&r, mine);
    end_file(&r);
    armcii_stats_job_end(&r.job);
    free(mine);
}

/* ---- start and end ---- */

static const char *const variables[2] = {"ARMCI_STATS", "ARMCI_HANG_REPORT"};

/* The settings of rank 0. */
struct settings {
    bool stats;
    long limit;
    char file[sizeof armcii_prof.file];
};

static bool is_one_of(const char *text, const char *const words[])
{
    for (; *words; words++)
        if (armcii_is_word(*words, text, strlen(text))) return true;
    return false;
}

static void read_settings(struct settings *s)
{
    static const char *const on[] = {"1", "yes", "y", "true", "t", "on", NULL}, *const off[] = {
                                                                                    "",      "0",
                                                                                    "no",    "n",
                                                                                    "false", "f",
                                                                                    "off",   NULL};
    const char *stats = job.variables[0], *limit = job.variables[1];
    char *end = NULL;
    if (stats && !is_one_of(stats, off)) {
        s->stats = true;
        if (strpbrk(stats, "./") && strlen(stats) < sizeof s->file)
            snprintf(s->file, sizeof s->file, "%s", stats);
        else if (!is_one_of(stats, on))
            armcii_prof_warn("ARMCI_STATS=%.80s is neither yes, no nor a file name with a dot or a "
                             "slash: there will be a table",
                             stats);
    }
    if (limit) s->limit = strtol(limit, &end, 10);
    if (limit && (end == limit || *end || s->limit < 0 || s->limit > 1000000)) {
        armcii_prof_warn("ARMCI_HANG_REPORT=%.80s is no number of seconds", limit);
        s->limit = 0;
    }
}

/* libarmci says that the variables have no effect where it sees them. */
void armcii_prof_before_init(void)
{
    int mpi_runs;
    if (armcii_prof.running) return;
    MPI_Initialized(&mpi_runs);
    if (!mpi_runs) armcii_prof_find_handler();
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(variables[i]);
        job.variables[i] = value ? strdup(value) : NULL;
        unsetenv(variables[i]);
    }
}

static void show_variables(void)
{
    for (int i = 0; i < 2; i++) {
        if (job.variables[i]) setenv(variables[i], job.variables[i], 1);
        free(job.variables[i]);
        job.variables[i] = NULL;
    }
}

/* Collective: memory in which the processes of a node see each other's calls. */
static void make_slots(void)
{
    struct prof *p = &armcii_prof;
    job.slots = armcii_prof_alloc((size_t)p->size, sizeof *job.slots);
    p->peers = armcii_prof_alloc((size_t)p->size, sizeof(struct slot *));
    if (PARMCI_Malloc(job.slots, sizeof(struct slot)) != 0) abort();
    p->slot = job.slots[p->rank];
    memset(p->slot, 0, sizeof *p->slot);
    atomic_store(&p->slot->pid, getpid());
    atomic_store(&p->slot->mutex, -1);
    for (int i = 0; i < CALL_THREADS; i++)
        atomic_store(&p->slot->calls[i].function, CALL_NONE);
    MPI_Barrier(p->comm);
    for (int i = 0; i < p->size; i++)
        p->peers[i] = i == p->rank ? p->slot : PARMCIX_Local_address(job.slots[i], i);
}

/* Collective; ARMCI still runs. */
static void stop(void)
{
    if (!armcii_prof.running) return;
    if (armcii_stats.on) armcii_stats_finish();
    armcii_prof_watch_end();
    armcii_prof.running = false;
    PARMCI_Free(armcii_prof.slot);
    free(job.slots);
    free(armcii_prof.peers);
    MPI_Comm_free(&armcii_prof.comm);
}

static void start(void)
{
    struct prof *p = &armcii_prof;
    struct settings s = {.stats = false};
    int length;
    MPI_Comm_dup(PARMCIX_Get_world_comm(), &p->comm);
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->size);
    p->node = parmci_domain_my_id(ARMCI_DOMAIN_SMP);
    p->nodes = parmci_domain_count(ARMCI_DOMAIN_SMP);
    MPI_Get_library_version(job.mpi, &length);
    job.mpi[strcspn(job.mpi, "\r\n")] = '\0';
    for (char *c = job.mpi; *c; c++)
        if (*c == '\t') *c = ' ';
    if (p->rank == 0) read_settings(&s);
    MPI_Bcast(&s, (int)sizeof s, MPI_BYTE, 0, p->comm);
    snprintf(p->file, sizeof p->file, "%s", s.file);
    p->limit = s.limit * 1000000000L;
    if (p->rank == 0 && *p->file) try_file();
    make_slots();
    if (s.stats) armcii_stats_start();
    armcii_prof.running = true;
    armcii_prof_watch_start();
}

void armcii_prof_after_init(bool succeeded)
{
    if (succeeded && job.depth++ == 0) start();
    show_variables();
}

/* A process that waits here is reported, too. */
void armcii_prof_finalize(int function)
{
    if (!armcii_prof.running || --job.depth > 0) return;
    struct span s = armcii_prof_enter(function, -1, true);
    s.counted = false;
    PARMCI_Barrier();
    armcii_prof_leave(&s);
    stop();
}

/* A program that calls no ARMCI_Finalize: libarmci ends in its MPI_Finalize, or by an attribute. */
int MPI_Finalize(void)
{
    int (*next)(void);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
    job.depth = 0;
    stop();
    return next ? next() : PMPI_Finalize();
}
