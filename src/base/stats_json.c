/* stats_json.c - the statistics as one JSON document, which armci-stats reads; doc/statistics.md describes it. */
#include <inttypes.h>

#include "base/stats_job.h"

/* "name": seconds, to the nanosecond; by whole numbers, since the program's locale may write fractions with a comma. */
static void add_seconds(struct text *t, const char *name, double seconds)
{
    uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
    armcii_text_add(t, "\"%s\": %" PRIu64 ".%09" PRIu64, name, ns / 1000000000, ns % 1000000000);
}

/* Pairs [from, calls]: calls whose number is `from` or more, and less than twice that. */
static void add_buckets(struct text *t, const char *name, const uint64_t buckets[])
{
    const char *comma = "";
    armcii_text_add(t, ", \"%s\": [", name);
    for (int b = 0; b < STATS_BUCKETS; b++) {
        if (!buckets[b]) continue;
        armcii_text_add(t, "%s[%" PRIu64 ", %" PRIu64 "]", comma, armcii_stats_bucket_from(b), buckets[b]);
        comma = ", ";
    }
    armcii_text_add(t, "]");
}

static void add_cells(struct text *t, const struct stats_row *row)
{
    const char *comma = "";
    armcii_text_add(t, ", \"paths\": [");
    for (int p = 0; p < STATS_PATHS; p++) {
        const struct stats_cell *c = &row->by[p];
        if (!c->calls) continue;
        armcii_text_add(t, "%s{\"path\": \"%s\", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64 ", ", comma,
                        armcii_stats_path_name((enum stats_path)p), c->calls, c->bytes);
        add_seconds(t, "seconds", armcii_stats_seconds(c));
        armcii_text_add(t, "}");
        comma = ", ";
    }
    armcii_text_add(t, "]");
}

static void add_function(struct text *t, const struct stats_row *row)
{
    armcii_text_add(t, "{\"name\": \"%s\", \"family\": \"%s\", \"form\": \"%s\", \"blocking\": %s", row->name,
                    armcii_stats_family_name(armcii_stats_family(row->name)), armcii_stats_form(row->name),
                    armcii_stats_is_nonblocking(row->name) ? "false" : "true");
    armcii_text_add(t, ", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64 ", ", armcii_stats_row_calls(row), armcii_stats_row_bytes(row));
    add_seconds(t, "seconds", armcii_stats_row_seconds(row));
    armcii_text_add(t, ", ");
    add_seconds(t, "longest", (double)row->longest * 1e-9);
    add_cells(t, row);
    add_buckets(t, "sizes", row->sizes);
    add_buckets(t, "segments", row->segments);
    add_buckets(t, "nanoseconds", row->took);
    armcii_text_add(t, "}");
}

static void add_functions(struct text *t, const struct stats_row rows[], size_t n, const char *indent)
{
    armcii_text_add(t, "\"functions\": [");
    for (size_t i = 0; i < n; i++) {
        armcii_text_add(t, "%s\n%s", i ? "," : "", indent);
        add_function(t, &rows[i]);
    }
    armcii_text_add(t, "]");
}

static void add_travels(struct text *t, const struct stats_travel travels[])
{
    const char *comma = "";
    armcii_text_add(t, "\"travelled\": [");
    for (int p = STATS_DIRECT; p < STATS_PATHS; p++) {
        if (!travels[p].transfers) continue;
        armcii_text_add(t, "%s{\"path\": \"%s\", \"transfers\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"segments\": %" PRIu64 "}", comma,
                        armcii_stats_path_name((enum stats_path)p), travels[p].transfers, travels[p].bytes, travels[p].segments);
        comma = ", ";
    }
    armcii_text_add(t, "]");
}

/* One row of the matrix of who asked whom: [rank, put calls, put bytes, get ..., acc ..., rmw ...]. */
static void add_targets(struct text *t, const struct stats_far far[], size_t n)
{
    armcii_text_add(t, "\"targets\": [");
    for (size_t i = 0; i < n; i++) {
        armcii_text_add(t, "%s[%d", i ? ", " : "", far[i].target);
        for (int k = 0; k < STATS_KINDS; k++) armcii_text_add(t, ", %" PRIu64 ", %" PRIu64, far[i].of.calls[k], far[i].of.bytes[k]);
        armcii_text_add(t, "]");
    }
    armcii_text_add(t, "]");
}

static void add_regions(struct text *t, const struct stats_regions *r)
{
    armcii_text_add(t, "\"regions\": {\"made\": %" PRIu64 ", \"most\": %" PRIu64 ", \"bytes_most\": %" PRIu64 "}", r->made, r->most,
                    r->bytes_most);
}

void armcii_stats_json_begin(struct text *t, const struct stats_job *job)
{
    armcii_text_add(t, "{\"format\": \"armci-stats 1\",\n \"library\": ");
    armcii_text_add_quoted(t, job->library);
    armcii_text_add(t, ",\n \"mpi\": ");
    armcii_text_add_quoted(t, job->mpi);
    armcii_text_add(t, ",\n \"size\": %d, \"nodes\": %d,\n \"processes\": [", job->processes, job->nodes);
}

void armcii_stats_json_process(struct text *t, const struct stats_process *p)
{
    armcii_text_add(t, "%s\n  {\"rank\": %d, \"node\": %d, ", p->rank ? "," : "", p->rank, p->node);
    add_seconds(t, "seconds", p->seconds);
    armcii_text_add(t, ",\n   ");
    add_functions(t, armcii_stats_rows(p), p->rows, "    ");
    armcii_text_add(t, ",\n   ");
    add_travels(t, p->travels);
    armcii_text_add(t, ",\n   ");
    add_targets(t, armcii_stats_targets(p), p->targets);
    armcii_text_add(t, ",\n   ");
    add_regions(t, &p->regions);
    armcii_text_add(t, "}");
}

void armcii_stats_json_end(struct text *t, const struct stats_job *job)
{
    armcii_text_add(t, "],\n \"total\": {");
    add_seconds(t, "seconds", job->seconds);
    armcii_text_add(t, ",\n  ");
    add_functions(t, job->rows, job->n, "   ");
    armcii_text_add(t, ",\n  ");
    add_travels(t, job->travels);
    armcii_text_add(t, ",\n  ");
    add_regions(t, &job->regions);
    armcii_text_add(t, "}}\n");
}
