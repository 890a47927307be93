/* stats_job.c - adds up the counts of processes; classifies public functions by their names. */
#include "base/stats_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

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

static void add_cell(struct stats_cell *to, const struct stats_cell *from)
{
    to->calls += from->calls;
    to->bytes += from->bytes;
    to->ns += from->ns;
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
    job->rows = calloc(STATS_MOST_ROWS, sizeof *job->rows);
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
    if (job->n == STATS_MOST_ROWS) armcii_fatal("statistics of more than %d functions", STATS_MOST_ROWS);
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
    line->in[armcii_stats_family(row->name)] += (double)sum.ns * 1e-9;
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
        job->travels[i].transfers += p->travels[i].transfers;
        job->travels[i].bytes += p->travels[i].bytes;
        job->travels[i].segments += p->travels[i].segments;
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

/* ---- names of public functions ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "PutS" for "ARMCI_NbPutS". */
static const char *essence(const char *function)
{
    const char *after = strchr(function, '_');
    const char *name = after ? after + 1 : function;
    return begins(name, "Nb") ? name + 2 : name;
}

bool armcii_stats_is_nonblocking(const char *function)
{
    const char *after = strchr(function, '_');
    return after && begins(after + 1, "Nb");
}

/* The first that matches. */
static const struct {
    const char *begin;
    enum stats_family family;
} families[] = {
    {"PutValue", FAMILY_VALUE},  {"GetValue", FAMILY_VALUE},      {"Put", FAMILY_PUT},
    {"Get", FAMILY_GET},         {"Access", FAMILY_MEMORY},       {"Acc", FAMILY_ACC},
    {"Rmw", FAMILY_RMW},         {"Wait", FAMILY_WAIT},           {"Test", FAMILY_WAIT},
    {"Fence", FAMILY_FENCE},     {"AllFence", FAMILY_FENCE},      {"GroupFence", FAMILY_FENCE},
    {"Barrier", FAMILY_BARRIER}, {"msg_barrier", FAMILY_BARRIER}, {"msg_group_barrier", FAMILY_BARRIER},
    {"msg_", FAMILY_MESSAGE},    {"exchange", FAMILY_MESSAGE},    {"Lock", FAMILY_LOCK},
    {"Unlock", FAMILY_LOCK},     {"Trylock", FAMILY_LOCK},        {"notify", FAMILY_NOTIFY},
    {"Malloc", FAMILY_MEMORY},   {"Free", FAMILY_MEMORY},         {"Mem", FAMILY_MEMORY},
};

enum stats_family armcii_stats_family(const char *function)
{
    const char *name = essence(function);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (begins(name, families[i].begin)) return families[i].family;
    return FAMILY_OTHER;
}

const char *armcii_stats_family_name(enum stats_family family)
{
    static const char *const names[FAMILIES] = {"put",     "get",  "acc",    "value",   "rmw",    "wait", "fence",
                                                "barrier", "lock", "notify", "message", "memory", "other"};
    return names[family];
}

const char *armcii_stats_form(const char *function)
{
    switch (armcii_stats_family(function)) {
    case FAMILY_VALUE: return "contiguous";
    case FAMILY_PUT:
    case FAMILY_GET:
    case FAMILY_ACC: break;
    default: return "";
    }
    char form = essence(function)[3]; /* after the three letters of put, get, acc */
    return form == 'S' ? "strided" : form == 'V' ? "vector" : "contiguous";
}
