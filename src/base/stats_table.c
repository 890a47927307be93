/* stats_table.c - the statistics as a table; functions in the order of their time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats_job.h"

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

static void add_title(FILE *out, const struct stats_job *job)
{
    double all = 0;
    for (int i = 0; i < job->processes; i++)
        all += inside(&job->lines[i]);
    fprintf(out, "ARMCI statistics: %d processes, %d nodes, %.3f s from ARMCI_Init to ARMCI_Finalize, %.1f %% of it in ARMCI\n",
            job->processes, job->nodes, job->seconds, percent(all, seconds_of_all(job)));
}

/* A function on one path. */
struct entry {
    const struct stats_row *row;
    int path;
};

static const struct stats_cell *cell_of(const struct entry *e)
{
    return &e->row->by[e->path];
}

static int longer_first(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (cell_of(x)->ns > cell_of(y)->ns) return -1;
    if (cell_of(x)->ns < cell_of(y)->ns) return 1;
    return x->path - y->path;
}

static void add_entry(FILE *out, const struct entry *e, double of)
{
    const struct stats_cell *c = cell_of(e);
    double seconds = (double)c->ns * 1e-9;
    fprintf(out, "  %-26s %-16s %10" PRIu64 " %10s %10.4f %6.1f %10.2f\n", e->row->name, armcii_stats_path_name((enum path)e->path),
            c->calls, c->bytes ? amount(c->bytes).text : "-", seconds, percent(seconds, of), seconds * 1e6 / (double)c->calls);
}

/* All processes together, longest first. */
static void add_functions(FILE *out, const struct stats_job *job)
{
    struct entry *entries = calloc(job->n * PATHS + 1, sizeof *entries);
    size_t n = 0;
    if (!entries) return;
    for (size_t i = 0; i < job->n; i++)
        for (int p = 0; p < PATHS; p++)
            if (job->rows[i].by[p].calls) entries[n++] = (struct entry){&job->rows[i], p};
    qsort(entries, n, sizeof *entries, longer_first);
    fprintf(out, "  %-26s %-16s %10s %10s %10s %6s %10s\n", "function", "path", "calls", "bytes", "seconds", "% time", "us a call");
    for (size_t i = 0; i < n; i++)
        add_entry(out, &entries[i], seconds_of_all(job));
    free(entries);
}

static void add_travels(FILE *out, const struct stats_job *job)
{
    fprintf(out, "  %-16s %10s %10s %10s\n", "path", "transfers", "bytes", "segments");
    for (int p = PATH_DIRECT; p < PATHS; p++) {
        const struct stats_travel *v = &job->travels[p];
        if (!v->transfers) continue;
        fprintf(out, "  %-16s %10" PRIu64 " %10s %10" PRIu64 "\n", armcii_stats_path_name((enum path)p), v->transfers,
                amount(v->bytes).text, v->segments);
    }
}

/* Sum of a family's buckets; `sizes` or `segments` of each row by its offset. */
static bool sum_buckets(const struct stats_job *job, enum stats_family family, size_t field, const char *form, uint64_t sum[])
{
    bool any = false;
    for (int b = 0; b < STATS_BUCKETS; b++)
        sum[b] = 0;
    for (size_t i = 0; i < job->n; i++) {
        const uint64_t *of = (const uint64_t *)((const char *)&job->rows[i] + field);
        if (armcii_stats_family(job->rows[i].name) != family || (form && armcii_stats_form(job->rows[i].name)[0] != form[0])) continue;
        for (int b = 0; b < STATS_BUCKETS; b++) {
            sum[b] += of[b];
            any = any || of[b];
        }
    }
    return any;
}

static void add_sizes(FILE *out, const struct stats_job *job)
{
    uint64_t sum[STATS_BUCKETS];
    const char *head = "  transfers by size (lower bound: calls)\n";
    for (int f = FAMILY_PUT; f <= FAMILY_VALUE; f++) {
        if (!sum_buckets(job, (enum stats_family)f, offsetof(struct stats_row, sizes), NULL, sum)) continue;
        fprintf(out, "%s    %-7s", head, armcii_stats_family_name((enum stats_family)f));
        head = "";
        for (int b = 0; b < STATS_BUCKETS; b++)
            if (sum[b]) fprintf(out, "  %s: %" PRIu64, amount(armcii_stats_bucket_from(b)).text, sum[b]);
        fprintf(out, "\n");
    }
}

static void add_segments(FILE *out, const struct stats_job *job)
{
    uint64_t sum[STATS_BUCKETS];
    const char *head = "  strided transfers by segments (lower bound: calls)\n";
    for (int f = FAMILY_PUT; f <= FAMILY_ACC; f++) {
        if (!sum_buckets(job, (enum stats_family)f, offsetof(struct stats_row, segments), "strided", sum)) continue;
        fprintf(out, "%s    %-7s", head, armcii_stats_family_name((enum stats_family)f));
        head = "";
        for (int b = 0; b < STATS_BUCKETS; b++)
            if (sum[b]) fprintf(out, "  %" PRIu64 ": %" PRIu64, armcii_stats_bucket_from(b), sum[b]);
        fprintf(out, "\n");
    }
}

static void add_waits(FILE *out, const struct stats_job *job)
{
    fprintf(out, "  longest waiting call, ms:");
    const char *comma = "";
    for (int f = FAMILY_WAIT; f <= FAMILY_LOCK; f++) {
        uint64_t longest = 0;
        bool any = false;
        for (size_t i = 0; i < job->n; i++) {
            if (armcii_stats_family(job->rows[i].name) != (enum stats_family)f) continue;
            any = true;
            if (job->rows[i].longest > longest) longest = job->rows[i].longest;
        }
        if (any) fprintf(out, "%s %s %.3f", comma, armcii_stats_family_name((enum stats_family)f), (double)longest * 1e-6);
        if (any) comma = ",";
    }
    fprintf(out, "%s\n", *comma ? "" : " none");
}

static void add_pairs(FILE *out, const struct stats_job *job)
{
    if (job->top[0].calls) fprintf(out, "  top communication pairs\n");
    for (const struct stats_pair *p = job->top; p < job->top + STATS_TOP_PAIRS && p->calls; p++)
        fprintf(out, "    %d -> %d: %s in %" PRIu64 " calls\n", p->from, p->to, amount(p->bytes).text, p->calls);
}

static void add_processes(FILE *out, const struct stats_job *job)
{
    static const enum stats_family shown[] = {FAMILY_WAIT, FAMILY_FENCE, FAMILY_BARRIER, FAMILY_LOCK, FAMILY_MESSAGE};
    fprintf(out, "  %-8s %10s %10s %10s", "process", "calls", "bytes", "in ARMCI,s");
    for (size_t f = 0; f < sizeof shown / sizeof shown[0]; f++)
        fprintf(out, " %9s", armcii_stats_family_name(shown[f]));
    fprintf(out, " %12s\n", "peak memory");
    for (int i = 0; i < job->processes && i < MOST_LINES; i++) {
        const struct stats_line *l = &job->lines[i];
        fprintf(out, "  %-8d %10" PRIu64 " %10s %10.4f", i, l->calls, amount(l->bytes).text, inside(l));
        for (size_t f = 0; f < sizeof shown / sizeof shown[0]; f++)
            fprintf(out, " %9.4f", l->in[shown[f]]);
        fprintf(out, " %12s\n", amount(l->memory).text);
    }
    if (job->processes > MOST_LINES) fprintf(out, "  ... %d more processes: see ARMCI_STATS=FILE\n", job->processes - MOST_LINES);
}

void armcii_stats_table(FILE *out, const struct stats_job *job)
{
    add_title(out, job);
    add_functions(out, job);
    add_travels(out, job);
    add_sizes(out, job);
    add_segments(out, job);
    add_waits(out, job);
    add_pairs(out, job);
    add_processes(out, job);
    fprintf(out, "  local segments: %" PRIu64 " created, at most %" PRIu64 " at a time; peak memory of all processes: %s\n",
            job->regions.made, job->regions.most, amount(job->regions.bytes_most).text);
}
