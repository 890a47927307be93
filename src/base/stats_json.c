/* stats_json.c - the statistics as one JSON document, which armci-stats reads; doc/statistics.md describes it. */
#include "base/json.h"
#include "base/stats_job.h"

/* Pairs [from, calls]: calls whose number is `from` or more, and less than twice that. */
static void add_buckets(struct json *j, const char *key, const uint64_t buckets[])
{
    armcii_json_open(j, key, '[');
    for (int b = 0; b < STATS_BUCKETS; b++) {
        if (!buckets[b]) continue;
        armcii_json_open(j, NULL, '[');
        armcii_json_count(j, NULL, armcii_stats_bucket_from(b));
        armcii_json_count(j, NULL, buckets[b]);
        armcii_json_close(j, ']');
    }
    armcii_json_close(j, ']');
}

static void add_cells(struct json *j, const struct stats_row *row)
{
    armcii_json_open(j, "paths", '[');
    for (int p = 0; p < PATHS; p++) {
        const struct stats_cell *c = &row->by[p];
        if (!c->calls) continue;
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "path", armcii_stats_path_name((enum path)p));
        armcii_json_count(j, "calls", c->calls);
        armcii_json_count(j, "bytes", c->bytes);
        armcii_json_real(j, "seconds", 9, (double)c->ns * 1e-9);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

static void add_functions(struct json *j, const struct stats_row rows[], size_t n)
{
    armcii_json_line(j);
    armcii_json_open(j, "functions", '[');
    for (const struct stats_row *row = rows; row < rows + n; row++) {
        struct stats_cell sum = armcii_stats_row_total(row);
        armcii_json_line(j);
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "name", row->name);
        armcii_json_text(j, "family", armcii_stats_family_name(armcii_stats_family(row->name)));
        armcii_json_text(j, "form", armcii_stats_form(row->name));
        armcii_json_bool(j, "blocking", !armcii_stats_is_nonblocking(row->name));
        armcii_json_count(j, "calls", sum.calls);
        armcii_json_count(j, "bytes", sum.bytes);
        armcii_json_real(j, "seconds", 9, (double)sum.ns * 1e-9);
        armcii_json_real(j, "longest", 9, (double)row->longest * 1e-9);
        add_cells(j, row);
        add_buckets(j, "sizes", row->sizes);
        add_buckets(j, "segments", row->segments);
        add_buckets(j, "nanoseconds", row->took);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

static void add_travels(struct json *j, const struct stats_travel travels[])
{
    armcii_json_line(j);
    armcii_json_open(j, "travelled", '[');
    for (int p = PATH_DIRECT; p < PATHS; p++) {
        if (!travels[p].transfers) continue;
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "path", armcii_stats_path_name((enum path)p));
        armcii_json_count(j, "transfers", travels[p].transfers);
        armcii_json_count(j, "bytes", travels[p].bytes);
        armcii_json_count(j, "segments", travels[p].segments);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

/* A row of the communication matrix: [rank, put calls, put bytes, get ..., acc ..., rmw ...] for each target. */
static void add_targets(struct json *j, const struct stats_far far[], size_t n)
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

static void add_regions(struct json *j, const struct stats_regions *r)
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
    add_functions(j, armcii_stats_rows(p), p->rows);
    add_travels(j, p->travels);
    add_targets(j, armcii_stats_targets(p), p->targets);
    add_regions(j, &p->regions);
    armcii_json_close(j, '}');
}

void armcii_stats_json_end(struct json *j, const struct stats_job *job)
{
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_open(j, "total", '{');
    armcii_json_real(j, "seconds", 9, job->seconds);
    add_functions(j, job->rows, job->n);
    add_travels(j, job->travels);
    add_regions(j, &job->regions);
    armcii_json_close(j, '}');
    armcii_json_close(j, '}');
}
