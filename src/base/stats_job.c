/* stats_job.c - figures of processes put together. */
#include "base/stats_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { MOST_ROWS = 256 };

struct stats_process *armcii_stats_pack(int rank, int node, size_t *bytes)
{
    const struct stats *s = &armcii_stats;
    size_t targets = 0, rows = s->n * sizeof *s->rows;
    *bytes = sizeof(struct stats_process) + rows + (size_t)s->processes * sizeof(struct stats_far);
    struct stats_process *p = calloc(1, *bytes);
    if (!p) armcii_fatal("out of memory for statistics");
    p->rank = rank;
    p->node = node;
    p->seconds = (double)s->elapsed_ns * 1e-9;
    memcpy(p->travels, s->travels, sizeof p->travels);
    p->regions = s->regions;
    p->rows = s->n;
    memcpy(p + 1, s->rows, rows);
    struct stats_far *far = (struct stats_far *)((char *)(p + 1) + rows);
    for (int i = 0; i < s->processes; i++) {
        const struct stats_target *t = &s->targets[i];
        if (t->calls[STATS_PUT] || t->calls[STATS_GET] || t->calls[STATS_ACC] || t->calls[STATS_RMW])
            far[targets++] = (struct stats_far){i, *t};
    }
    p->targets = targets;
    *bytes = sizeof *p + rows + targets * sizeof *far;
    return p;
}

double armcii_stats_row_seconds(const struct stats_row *row)
{
    double sum = 0;
    for (int p = 0; p < STATS_PATHS; p++) sum += armcii_stats_seconds(&row->by[p]);
    return sum;
}

uint64_t armcii_stats_row_calls(const struct stats_row *row)
{
    uint64_t sum = 0;
    for (int p = 0; p < STATS_PATHS; p++) sum += row->by[p].calls;
    return sum;
}

uint64_t armcii_stats_row_bytes(const struct stats_row *row)
{
    uint64_t sum = 0;
    for (int p = 0; p < STATS_PATHS; p++) sum += row->by[p].bytes;
    return sum;
}

void armcii_stats_job_begin(struct stats_job *job, int processes)
{
    *job = (struct stats_job){.library = "", .mpi = "", .processes = processes};
    job->rows = calloc(MOST_ROWS, sizeof *job->rows);
    job->lines = calloc((size_t)processes, sizeof *job->lines);
    if (!job->rows || !job->lines) armcii_fatal("out of memory for statistics of %d processes", processes);
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
    if (job->n == MOST_ROWS) armcii_fatal("statistics of more than %d functions", MOST_ROWS);
    struct stats_row *row = &job->rows[job->n++];
    memcpy(row->name, name, STATS_NAME);
    return row;
}

/* The estimate is made for each process, and then is a time like any other. */
static void add_row(struct stats_row *to, const struct stats_row *from)
{
    for (int p = 0; p < STATS_PATHS; p++) {
        to->by[p].calls += from->by[p].calls;
        to->by[p].bytes += from->by[p].bytes;
        to->by[p].ns += (uint64_t)(armcii_stats_seconds(&from->by[p]) * 1e9);
    }
    for (int b = 0; b < STATS_BUCKETS; b++) {
        to->sizes[b] += from->sizes[b];
        to->segments[b] += from->segments[b];
        to->took[b] += from->took[b];
    }
    if (from->longest > to->longest) to->longest = from->longest;
}

static void add_line(struct stats_line *line, const struct stats_row *row)
{
    line->calls += armcii_stats_row_calls(row);
    line->bytes += armcii_stats_row_bytes(row);
    line->in[armcii_stats_family(row->name)] += armcii_stats_row_seconds(row);
}

static void add_busy(struct stats_job *job, struct busy pair)
{
    for (int i = 0; i < BUSIEST; i++) {
        struct busy *b = &job->busiest[i];
        if (b->calls && b->bytes >= pair.bytes) continue;
        struct busy out = *b;
        *b = pair;
        pair = out;
    }
}

static struct busy traffic(int from, const struct stats_far *far)
{
    struct busy pair = {.from = from, .to = far->target};
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
    for (int i = 0; i < STATS_PATHS; i++) {
        job->travels[i].transfers += p->travels[i].transfers;
        job->travels[i].bytes += p->travels[i].bytes;
        job->travels[i].segments += p->travels[i].segments;
    }
    for (size_t i = 0; i < p->targets; i++) add_busy(job, traffic(p->rank, &armcii_stats_targets(p)[i]));
    line->seconds = p->seconds;
    line->memory = p->regions.bytes_most;
    if (p->seconds > job->seconds) job->seconds = p->seconds;
    job->regions.made += p->regions.made;
    if (p->regions.most > job->regions.most) job->regions.most = p->regions.most;
    job->regions.bytes_most += p->regions.bytes_most;
}
