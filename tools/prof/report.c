/* report.c - adds up the counts of processes; writes them as a JSON document
 * (doc/tuning.md) and as a table. */
#include "prof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"

static void add_cell(struct stats_cell *to, const struct stats_cell *from)
{
    to->calls += from->calls;
    to->bytes += from->bytes;
    to->ns += from->ns;
}

/* ---- names of public functions ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "NbPutS" for "ARMCI_NbPutS". */
static const char *without_prefix(const char *function)
{
    const char *after = strchr(function, '_');
    return after ? after + 1 : function;
}

static bool is_nonblocking(const char *function)
{
    return begins(without_prefix(function), "Nb");
}

/* "PutS" for "ARMCI_NbPutS". */
static const char *essence(const char *function)
{
    return without_prefix(function) + (is_nonblocking(function) ? 2 : 0);
}

/* The first that matches. */
static const struct {
    const char *begin;
    enum stats_family family;
} families[] = {
    {"PutValue", FAMILY_VALUE},
    {"GetValue", FAMILY_VALUE},
    {"Put", FAMILY_PUT},
    {"Get", FAMILY_GET},
    {"Access", FAMILY_MEMORY},
    {"Acc", FAMILY_ACC},
    {"Rmw", FAMILY_RMW},
    {"Wait", FAMILY_WAIT},
    {"Test", FAMILY_WAIT},
    {"Fence", FAMILY_FENCE},
    {"AllFence", FAMILY_FENCE},
    {"GroupFence", FAMILY_FENCE},
    {"Barrier", FAMILY_BARRIER},
    {"GroupBarrier", FAMILY_BARRIER},
    {"msg_barrier", FAMILY_BARRIER},
    {"msg_group_barrier", FAMILY_BARRIER},
    {"msg_", FAMILY_MESSAGE},
    {"exchange", FAMILY_MESSAGE},
    {"Lock", FAMILY_LOCK},
    {"Unlock", FAMILY_LOCK},
    {"Trylock", FAMILY_LOCK},
    {"notify", FAMILY_NOTIFY},
    {"Malloc", FAMILY_MEMORY},
    {"Free", FAMILY_MEMORY},
    {"Mem", FAMILY_MEMORY},
};

static enum stats_family family_of(const char *function)
{
    const char *name = essence(function);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (begins(name, families[i].begin)) return families[i].family;
    return FAMILY_OTHER;
}

static const char *family_name(enum stats_family family)
{
    static const char *const names[FAMILIES] = {"put",     "get",    "acc",     "value", "rmw",
                                                "wait",    "fence",  "barrier", "lock",  "notify",
                                                "message", "memory", "other"};
    return names[family];
}

static const char *form_of(const char *function)
{
    switch (family_of(function)) {
    case FAMILY_VALUE: return "contiguous";
    case FAMILY_PUT:
    case FAMILY_GET:
    case FAMILY_ACC: break;
    default: return "";
    }
    char form = essence(function)[3]; /* after the three letters of put, get, acc */
    return form == 'S' ? "strided" : form == 'V' ? "vector" : "contiguous";
}

struct stats_cell armcii_stats_row_total(const struct stats_row *row)
{
    struct stats_cell sum = {0};
    for (int p = 0; p < PATHS; p++)
        add_cell(&sum, &row->by[p]);
    return sum;
}

void armcii_stats_job_begin(struct stats_job *job, int processes)
{
    *job = (struct stats_job){.library = "", .mpi = "", .processes = processes};
    job->rows = armcii_prof_alloc(STATS_MOST_ROWS, sizeof *job->rows);
    job->lines = armcii_prof_alloc((size_t)processes, sizeof *job->lines);
}

void armcii_stats_job_end(struct stats_job *job)
{
    free(job->rows);
    free(job->lines);
}

static struct stats_row *row_for(struct stats_job *job, const char *name)
{
    for (size_t i = 0; i < job->n; i++)
        if (strcmp(job->rows[i].name, name) == 0) return &job->rows[i];
    struct stats_row *row = &job->rows[job->n++];
    memcpy(row->name, name, STATS_NAME);
    return row;
}

static void add_row(struct stats_row *to, const struct stats_row *from)
{
    for (int p = 0; p < PATHS; p++)
        add_cell(&to->by[p], &from->by[p]);
    for (int b = 0; b < STATS_BUCKETS; b++) {
        to->sizes[b] += from->sizes[b];
        to->segments[b] += from->segments[b];
        to->took[b] += from->took[b];
    }
    if (from->longest > to->longest) to->longest = from->longest;
}

static void add_line(struct stats_line *line, const struct stats_row *row)
{
    struct stats_cell sum = armcii_stats_row_total(row);
    line->calls += sum.calls;
    line->bytes += sum.bytes;
    line->in[family_of(row->name)] += (double)sum.ns * 1e-9;
}

static void add_pair(struct stats_job *job, struct stats_pair pair)
{
    for (int i = 0; i < STATS_TOP_PAIRS; i++) {
        struct stats_pair *b = &job->top[i];
        if (b->calls && b->bytes >= pair.bytes) continue;
        struct stats_pair out = *b;
        *b = pair;
        pair = out;
    }
}

static struct stats_pair traffic(int from, const struct stats_far *far)
{
    struct stats_pair pair = {.from = from, .to = far->target};
    for (int k = 0; k < STATS_KINDS; k++) {
        pair.calls += far->of.calls[k];
        pair.bytes += far->of.bytes[k];
    }
    return pair;
}

void armcii_stats_job_add(struct stats_job *job, const struct stats_process *p)
{
    struct stats_line *line = &job->lines[p->rank];
    const struct stats_row *rows = armcii_stats_rows(p);
    for (size_t i = 0; i < p->rows; i++) {
        add_row(row_for(job, rows[i].name), &rows[i]);
        add_line(line, &rows[i]);
    }
    for (int i = 0; i < PATHS; i++) {
        job->carried[i].transfers += p->carried[i].transfers;
        job->carried[i].bytes += p->carried[i].bytes;
        job->carried[i].segments += p->carried[i].segments;
    }
    for (size_t i = 0; i < p->targets; i++)
        add_pair(job, traffic(p->rank, &armcii_stats_targets(p)[i]));
    line->seconds = p->seconds;
    line->memory = p->regions.bytes_most;
    if (p->seconds > job->seconds) job->seconds = p->seconds;
    job->regions.made += p->regions.made;
    if (p->regions.most > job->regions.most) job->regions.most = p->regions.most;
    job->regions.bytes_most += p->regions.bytes_most;
}

/* The smallest number in a bucket. */
static uint64_t bucket_from(int bucket)
{
    return bucket ? (uint64_t)1 << (bucket - 1) : 0;
}

static const char *path_name(enum path path)
{
    static const char *const names[PATHS] = {
        "-",           "aggregated",       "direct",     "server", "rma contiguous", "rma datatype",
        "rma batched", "rma conservative", "rma atomic",
    };
    return names[path];
}

/* ---- JSON ---- */

/* Pairs [from, calls]: calls whose number is `from` or more, and less than twice that. */
static void write_buckets(struct json *j, const char *key, const uint64_t buckets[])
{
    armcii_json_open(j, key, '[');
    for (int b = 0; b < STATS_BUCKETS; b++) {
        if (!buckets[b]) continue;
        armcii_json_open(j, NULL, '[');
        armcii_json_count(j, NULL, bucket_from(b));
        armcii_json_count(j, NULL, buckets[b]);
        armcii_json_close(j, ']');
    }
    armcii_json_close(j, ']');
}

static void write_cells(struct json *j, const struct stats_row *row)
{
    armcii_json_open(j, "paths", '[');
    for (int p = 0; p < PATHS; p++) {
        const struct stats_cell *c = &row->by[p];
        if (!c->calls) continue;
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "path", path_name((enum path)p));
        armcii_json_count(j, "calls", c->calls);
        armcii_json_count(j, "bytes", c->bytes);
        armcii_json_real(j, "seconds", 9, (double)c->ns * 1e-9);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

static void write_functions(struct json *j, const struct stats_row rows[], size_t n)
{
    armcii_json_line(j);
    armcii_json_open(j, "functions", '[');
    for (const struct stats_row *row = rows; row < rows + n; row++) {
        struct stats_cell sum = armcii_stats_row_total(row);
        armcii_json_line(j);
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "name", row->name);
        armcii_json_text(j, "family", family_name(family_of(row->name)));
        armcii_json_text(j, "form", form_of(row->name));
        armcii_json_bool(j, "blocking", !is_nonblocking(row->name));
        armcii_json_count(j, "calls", sum.calls);
        armcii_json_count(j, "bytes", sum.bytes);
        armcii_json_real(j, "seconds", 9, (double)sum.ns * 1e-9);
        armcii_json_real(j, "longest", 9, (double)row->longest * 1e-9);
        write_cells(j, row);
        write_buckets(j, "sizes", row->sizes);
        write_buckets(j, "segments", row->segments);
        write_buckets(j, "nanoseconds", row->took);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

static void write_carried(struct json *j, const struct stats_carried carried[])
{
    armcii_json_line(j);
    armcii_json_open(j, "travelled", '[');
    for (int p = 0; p < PATHS; p++) {
        if (!carried[p].transfers) continue;
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "path", path_name((enum path)p));
        armcii_json_count(j, "transfers", carried[p].transfers);
        armcii_json_count(j, "bytes", carried[p].bytes);
        armcii_json_count(j, "segments", carried[p].segments);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

/* A row of the communication matrix: [rank, put calls, put bytes, get ..., acc ..., rmw ...] for
 * each target. */
static void write_targets(struct json *j, const struct stats_far far[], size_t n)
{
    armcii_json_line(j);
    armcii_json_open(j, "targets", '[');
    for (size_t i = 0; i < n; i++) {
        armcii_json_open(j, NULL, '[');
        armcii_json_count(j, NULL, (uint64_t)far[i].target);
        for (int k = 0; k < STATS_KINDS; k++) {
            armcii_json_count(j, NULL, far[i].of.calls[k]);
            armcii_json_count(j, NULL, far[i].of.bytes[k]);
        }
        armcii_json_close(j, ']');
    }
    armcii_json_close(j, ']');
}

static void write_regions(struct json *j, const struct stats_regions *r)
{
    armcii_json_line(j);
    armcii_json_open(j, "regions", '{');
    armcii_json_count(j, "made", r->made);
    armcii_json_count(j, "most", r->most);
    armcii_json_count(j, "bytes_most", r->bytes_most);
    armcii_json_close(j, '}');
}

void armcii_stats_json_begin(struct json *j, const struct stats_job *job)
{
    armcii_json_open(j, NULL, '{');
    armcii_json_text(j, "format", "armci-stats 1");
    armcii_json_text(j, "library", job->library);
    armcii_json_text(j, "mpi", job->mpi);
    armcii_json_count(j, "size", (uint64_t)job->processes);
    if (job->partial) armcii_json_bool(j, "partial", true);
    armcii_json_count(j, "nodes", (uint64_t)job->nodes);
    armcii_json_open(j, "processes", '[');
}

void armcii_stats_json_process(struct json *j, const struct stats_process *p)
{
    armcii_json_line(j);
    armcii_json_open(j, NULL, '{');
    armcii_json_count(j, "rank", (uint64_t)p->rank);
    armcii_json_count(j, "node", (uint64_t)p->node);
    armcii_json_real(j, "seconds", 9, p->seconds);
    write_functions(j, armcii_stats_rows(p), p->rows);
    write_carried(j, p->carried);
    write_targets(j, armcii_stats_targets(p), p->targets);
    write_regions(j, &p->regions);
    armcii_json_close(j, '}');
}

void armcii_stats_json_end(struct json *j, const struct stats_job *job)
{
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_open(j, "total", '{');
    armcii_json_real(j, "seconds", 9, job->seconds);
    write_functions(j, job->rows, job->n);
    write_carried(j, job->carried);
    write_regions(j, &job->regions);
    armcii_json_close(j, '}');
    armcii_json_close(j, '}');
}

/* ---- the table, functions in the order of their time ---- */

enum { MOST_LINES = 32 };

/* A number of bytes in 10 characters. */
struct amount {
    char text[16];
};
static struct amount amount(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct amount a;
    double n = (double)bytes;
    int unit = 0;
    while (n >= 1024 && unit < 6) {
        n /= 1024;
        unit++;
    }
    snprintf(a.text, sizeof a.text, unit ? "%.1f %s" : "%.0f %s", n, units[unit]);
    return a;
}

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

static double seconds_of_all(const struct stats_job *job)
{
    double sum = 0;
    for (int i = 0; i < job->processes; i++)
        sum += job->lines[i].seconds;
    return sum;
}

static double inside(const struct stats_line *line)
{
    double sum = 0;
    for (int f = 0; f < FAMILIES; f++)
        sum += line->in[f];
    return sum;
}

static void print_title(FILE *out, const struct stats_job *job)
{
    double all = 0;
    for (int i = 0; i < job->processes; i++)
        all += inside(&job->lines[i]);
    fprintf(out,
            "ARMCI statistics: %d processes, %d nodes, %.3f s from ARMCI_Init to ARMCI_Finalize, "
            "%.1f %% of it in ARMCI\n",
            job->processes, job->nodes, job->seconds, percent(all, seconds_of_all(job)));
}

/* A function on one path. */
struct entry {
    const char *function;
    enum path path;
    struct stats_cell cell;
};

static int longer_first(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->cell.ns != y->cell.ns) return x->cell.ns > y->cell.ns ? -1 : 1;
    return (int)x->path - (int)y->path;
}

/* All processes together, longest first. */
static void print_functions(FILE *out, const struct stats_job *job)
{
    struct entry *entries = armcii_prof_alloc(job->n * PATHS + 1, sizeof *entries);
    size_t n = 0;
    for (size_t i = 0; i < job->n; i++)
        for (int p = 0; p < PATHS; p++)
            if (job->rows[i].by[p].calls)
                entries[n++] = (struct entry){job->rows[i].name, (enum path)p, job->rows[i].by[p]};
    qsort(entries, n, sizeof *entries, longer_first);
    fprintf(out, "  %-26s %-16s %10s %10s %10s %6s %10s\n", "function", "path", "calls", "bytes",
            "seconds", "% time", "us a call");
    for (const struct entry *e = entries; e < entries + n; e++) {
        double seconds = (double)e->cell.ns * 1e-9;
        fprintf(out, "  %-26s %-16s %10" PRIu64 " %10s %10.4f %6.1f %10.2f\n", e->function,
                path_name(e->path), e->cell.calls, e->cell.bytes ? amount(e->cell.bytes).text : "-",
                seconds, percent(seconds, seconds_of_all(job)),
                seconds * 1e6 / (double)e->cell.calls);
    }
    free(entries);
}

static void print_paths(FILE *out, const struct stats_job *job)
{
    fprintf(out, "  %-16s %10s %10s %10s\n", "path", "transfers", "bytes", "segments");
    for (int p = 0; p < PATHS; p++) {
        const struct stats_carried *v = &job->carried[p];
        if (!v->transfers) continue;
        fprintf(out, "  %-16s %10" PRIu64 " %10s %10" PRIu64 "\n", path_name((enum path)p),
                v->transfers, amount(v->bytes).text, v->segments);
    }
}

/* The buckets of the families from put to `last`, of functions of that form (NULL: all). `field`:
 * the offset of the buckets in a row. */
static void print_buckets(FILE *out, const struct stats_job *job, const char *head,
                          enum stats_family last, const char *form, size_t field, bool are_bytes)
{
    for (int f = FAMILY_PUT; f <= (int)last; f++) {
        uint64_t sum[STATS_BUCKETS] = {0};
        bool any = false;
        for (size_t i = 0; i < job->n; i++) {
            const struct stats_row *row = &job->rows[i];
            const uint64_t *of = (const uint64_t *)((const char *)row + field);
            if ((int)family_of(row->name) != f || (form && strcmp(form_of(row->name), form) != 0))
                continue;
            for (int b = 0; b < STATS_BUCKETS; b++) {
                sum[b] += of[b];
                any = any || of[b];
            }
        }
        if (!any) continue;
        fprintf(out, "%s    %-7s", head, family_name((enum stats_family)f));
        head = "";
        for (int b = 0; b < STATS_BUCKETS; b++) {
            if (sum[b] && are_bytes)
                fprintf(out, "  %s: %" PRIu64, amount(bucket_from(b)).text, sum[b]);
            else if (sum[b])
                fprintf(out, "  %" PRIu64 ": %" PRIu64, bucket_from(b), sum[b]);
        }
        fprintf(out, "\n");
    }
}

static void print_waits(FILE *out, const struct stats_job *job)
{
    fprintf(out, "  longest waiting call, ms:");
    const char *comma = "";
    for (int f = FAMILY_WAIT; f <= FAMILY_LOCK; f++) {
        const struct stats_row *longest = NULL;
        for (const struct stats_row *row = job->rows; row < job->rows + job->n; row++)
            if ((int)family_of(row->name) == f && (!longest || row->longest > longest->longest))
                longest = row;
        if (!longest) continue;
        fprintf(out, "%s %s %.3f", comma, family_name((enum stats_family)f),
                (double)longest->longest * 1e-6);
        comma = ",";
    }
    fprintf(out, "%s\n", *comma ? "" : " none");
}

static void print_pairs(FILE *out, const struct stats_job *job)
{
    if (job->top[0].calls) fprintf(out, "  top communication pairs\n");
    for (const struct stats_pair *p = job->top; p < job->top + STATS_TOP_PAIRS && p->calls; p++)
        fprintf(out, "    %d -> %d: %s in %" PRIu64 " calls\n", p->from, p->to,
                amount(p->bytes).text, p->calls);
}

static void print_processes(FILE *out, const struct stats_job *job)
{
    static const enum stats_family shown[] = {FAMILY_WAIT, FAMILY_FENCE, FAMILY_BARRIER,
                                              FAMILY_LOCK, FAMILY_MESSAGE};
    fprintf(out, "  %-8s %10s %10s %10s", "process", "calls", "bytes", "in ARMCI,s");
    for (size_t f = 0; f < sizeof shown / sizeof shown[0]; f++)
        fprintf(out, " %9s", family_name(shown[f]));
    fprintf(out, " %12s\n", "peak memory");
    for (int i = 0; i < job->processes && i < MOST_LINES; i++) {
        const struct stats_line *l = &job->lines[i];
        fprintf(out, "  %-8d %10" PRIu64 " %10s %10.4f", i, l->calls, amount(l->bytes).text,
                inside(l));
        for (size_t f = 0; f < sizeof shown / sizeof shown[0]; f++)
            fprintf(out, " %9.4f", l->in[shown[f]]);
        fprintf(out, " %12s\n", amount(l->memory).text);
    }
    if (job->processes > MOST_LINES)
        fprintf(out, "  ... %d more processes: see ARMCI_STATS=FILE\n",
                job->processes - MOST_LINES);
}

void armcii_stats_table(FILE *out, const struct stats_job *job)
{
    print_title(out, job);
    print_functions(out, job);
    print_paths(out, job);
    print_buckets(out, job, "  transfers by size (lower bound: calls)\n", FAMILY_VALUE, NULL,
                  offsetof(struct stats_row, sizes), true);
    print_buckets(out, job, "  strided transfers by segments (lower bound: calls)\n", FAMILY_ACC,
                  "strided", offsetof(struct stats_row, segments), false);
    print_waits(out, job);
    print_pairs(out, job);
    print_processes(out, job);
    fprintf(out,
            "  local segments: %" PRIu64 " created, at most %" PRIu64
            " at a time; peak memory of all processes: %s\n",
            job->regions.made, job->regions.most, amount(job->regions.bytes_most).text);
}
