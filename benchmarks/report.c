/* report.c - the table on standard output and the file in JSON. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/lib/json.h"

struct line {
    const char *word;
    long bytes;
    struct result result;
};

static struct {
    const struct report_head *head;
    const char *json, *running; /* the file, and the row that is measured; NULL: none */
    struct line *lines;
    int count, room, wrong;
    struct instructions instructions;
} report;

void report_begin(const struct report_head *head, const char *json)
{
    report.head = head;
    report.json = json;
    printf("ARMCI   %s\nMPI     %s\n", head->armci, head->mpi);
    printf("ranks   %d, %d of them on this machine with %ld cores: %s\n", head->ranks,
           head->ranks_here, head->cores, head->processor);
    printf("Towards rank %d on %s machine\n", head->ranks > 1 ? 1 : 0,
           head->target_here ? "this" : "another");
    printf("memcpy: the time of memcpy for the same bytes in the same buffers%s,\ndivided by the "
           "time of the row.\n",
           head->same_memory ? "" : " but to rank 0's own segment");
    if (head->ranks_here > head->cores)
        printf("WARNING: more ranks than cores: waiting ranks slow down the others, and the times "
               "are too long.\n");
    fflush(stdout);
}

static const struct line *find(const char *word, const char *name)
{
    for (int i = 0; i < report.count; i++) {
        if (strcmp(report.lines[i].word, word) == 0 &&
            strcmp(report.lines[i].result.name, name) == 0)
            return &report.lines[i];
    }
    return NULL;
}

/* The reference times of a row; all 0: none. */
static struct timing reference(const char *word, const struct result *result)
{
    const struct line *earlier = result->versus ? find(word, result->versus) : NULL;
    if (result->beside.best > 0 || !earlier) return result->beside;
    return earlier->result.time;
}

static void relate(const char *word, struct result *result)
{
    struct timing other = reference(word, result);
    if (other.best <= 0) return;
    result->versus_ratio = result->time.best / other.best;
    result->versus_median = result->time.median / other.median;
}

/* The unit in which the time is between 1 and 1000; stores its length in ns. */
static const char *unit_for(double time, double *length)
{
    *length = time < 1e3 ? 1 : time < 1e6 ? 1e3 : time < 1e9 ? 1e6 : 1e9;
    return time < 1e3 ? "ns" : time < 1e6 ? "us" : time < 1e9 ? "ms" : "s";
}

static void print_head(const char *word)
{
    printf("\n%-30s %8s %8s %7s %-4s %7s\n", word, "best", "median", "spread", "unit", "memcpy");
}

static void print_relation(const struct result *result)
{
    if (result->rate)
        printf("  %.2f (%.2f) of the bandwidth of %s", 1 / result->versus_ratio,
               1 / result->versus_median, result->versus);
    else
        printf("  %.2f (%.2f) x %s", result->versus_ratio, result->versus_median, result->versus);
}

static void print_time(const char *what, double time)
{
    double length;
    const char *unit = unit_for(time, &length);
    printf("%s %.1f %s", what, time / length, unit);
}

static void print_tail(const struct tail *tail)
{
    print_time("  99.9 %", tail->p999);
    print_time(", worst", tail->worst);
    if (tail->waited + tail->rest + tail->direct <= 0) return; /* not measured */
    print_time(", processor", tail->waited);
    print_time(", rest", tail->rest);
    print_time(", direct", tail->direct);
}

static void print_row(const struct result *result)
{
    double length;
    const char *unit = unit_for(result->time.best, &length);

    if (!result->valid) {
        printf("%-30s WRONG data\n", result->name);
        return;
    }
    if (result->time.best <= 0) {
        printf("%-30s no operation completed in time\n", result->name);
        return;
    }
    printf("%-30s %8.2f %8.2f %5.0f %% %-4s", result->name, result->time.best / length,
           result->time.median / length, 100 * result->time.spread, unit);
    if (result->memcpy_best > 0) printf(" %7.2f", result->memcpy_best / result->time.best);
    if (result->memcpy_best <= 0 && (result->versus_ratio > 0 || result->curve)) printf("%8s", "");
    if (result->versus_ratio > 0) print_relation(result);
    if (result->curve) printf("  %.0f %% hidden", 100 * result->curve->hidden);
    if (result->tail) print_tail(result->tail);
    printf("\n");
}

static void keep(const struct line *line)
{
    if (report.count == report.room) {
        int room = report.room ? 2 * report.room : 64;
        struct line *lines = realloc(report.lines, (size_t)room * sizeof *lines);
        if (!lines) {
            fprintf(stderr, "armci-bench: out of memory for the row %s\n", line->result.name);
            exit(1);
        }
        report.lines = lines;
        report.room = room;
    }
    report.lines[report.count++] = *line;
}

void report_row(const char *word, const struct row *row, struct result *result)
{
    relate(word, result);
    if (report.count == 0 || strcmp(report.lines[report.count - 1].word, word) != 0)
        print_head(word);
    print_row(result);
    fflush(stdout);
    report.wrong += !result->valid;
    keep(&(struct line){word, row_bytes(row), *result});
}

void report_instructions(const struct instructions *counts)
{
    report.instructions = *counts;
    printf("\n%-30s %8s\n", "instructions", "per call");
    for (int i = 0; i < counts->count; i++) {
        if (counts->of[i].per_call > 0)
            printf("%-30s %8.1f\n", counts->of[i].name, counts->of[i].per_call);
        else
            printf("%-30s %s\n", counts->of[i].name, "not available");
    }
    printf("counted by %s\n", counts->method);
}

static void add_head(struct json *j)
{
    const struct report_head *head = report.head;
    armcii_json_text(j, "label", head->label ? head->label : head->armci);
    armcii_json_text(j, "armci", head->armci);
    armcii_json_text(j, "mpi", head->mpi);
    armcii_json_text(j, "processor", head->processor);
    armcii_json_count(j, "ranks", (uint64_t)head->ranks);
    armcii_json_count(j, "ranks_here", (uint64_t)head->ranks_here);
    armcii_json_count(j, "cores", (uint64_t)head->cores);
    armcii_json_real(j, "seconds_per_row", 6, head->seconds);
    armcii_json_bool(j, "target_here", head->target_here);
    armcii_json_bool(j, "memcpy_in_same_memory", head->same_memory);
    if (report.running) armcii_json_text(j, "running", report.running);
}

/* Pairs of computation and total, in ns. */
static void add_curve(struct json *j, const struct curve *curve)
{
    armcii_json_real(j, "hidden", 4, curve->hidden);
    armcii_json_open(j, "curve_ns", '[');
    for (int i = 0; i < CURVE_POINTS; i++) {
        armcii_json_open(j, NULL, '[');
        armcii_json_real(j, NULL, 1, curve->work[i]);
        armcii_json_real(j, NULL, 1, curve->total[i]);
        armcii_json_close(j, ']');
    }
    armcii_json_close(j, ']');
}

static void add_versus(struct json *j, const struct result *result)
{
    armcii_json_text(j, "versus", result->versus);
    if (result->beside.best > 0) {
        armcii_json_real(j, "versus_best_ns", 3, result->beside.best);
        armcii_json_real(j, "versus_median_ns", 3, result->beside.median);
    }
    armcii_json_real(j, "versus_ratio", 4, result->versus_ratio);
    armcii_json_real(j, "versus_median_ratio", 4, result->versus_median);
}

static void add_row(struct json *j, const struct line *line)
{
    const struct result *result = &line->result;
    armcii_json_line(j);
    armcii_json_open(j, NULL, '{');
    armcii_json_text(j, "group", line->word);
    armcii_json_text(j, "name", result->name);
    armcii_json_bool(j, "valid", result->valid);
    if (result->valid && result->time.best > 0) {
        armcii_json_real(j, "best_ns", 3, result->time.best);
        armcii_json_real(j, "median_ns", 3, result->time.median);
        armcii_json_real(j, "spread", 4, result->time.spread);
    }
    if (result->round_trip > 0) armcii_json_real(j, "round_trip_ns", 0, result->round_trip);
    if (line->bytes > 0) armcii_json_count(j, "bytes", (uint64_t)line->bytes);
    if (result->memcpy_best > 0) {
        armcii_json_real(j, "memcpy_ns", 3, result->memcpy_best);
        armcii_json_real(j, "memcpy_ratio", 4, result->memcpy_best / result->time.best);
    }
    if (result->versus_ratio > 0) add_versus(j, result);
    if (result->curve) add_curve(j, result->curve);
    if (result->tail) {
        armcii_json_real(j, "p999_ns", 0, result->tail->p999);
        armcii_json_real(j, "worst_ns", 0, result->tail->worst);
    }
    if (result->tail && result->tail->waited + result->tail->rest + result->tail->direct > 0) {
        armcii_json_real(j, "processor_worst_ns", 0, result->tail->waited);
        armcii_json_real(j, "rest_worst_ns", 0, result->tail->rest);
        armcii_json_real(j, "direct_worst_ns", 0, result->tail->direct);
    }
    armcii_json_close(j, '}');
}

static void add_instructions(struct json *j)
{
    const struct instructions *counts = &report.instructions;
    if (counts->count == 0) return;
    armcii_json_line(j);
    armcii_json_text(j, "instructions_method", counts->method);
    armcii_json_open(j, "instructions", '{');
    for (int i = 0; i < counts->count; i++)
        if (counts->of[i].per_call > 0)
            armcii_json_real(j, counts->of[i].name, 1, counts->of[i].per_call);
    armcii_json_close(j, '}');
}

static bool write_json(const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file) {
        fprintf(stderr, "armci-bench: cannot write %s\n", name);
        return false;
    }
    struct json j = {.file = file};
    armcii_json_open(&j, NULL, '{');
    add_head(&j);
    armcii_json_open(&j, "rows", '[');
    for (int i = 0; i < report.count; i++)
        add_row(&j, &report.lines[i]);
    armcii_json_close(&j, ']');
    add_instructions(&j);
    armcii_json_close(&j, '}');
    bool written = !ferror(file);
    written = fclose(file) == 0 && written;
    if (!written) fprintf(stderr, "armci-bench: cannot write all of %s\n", name);
    return written;
}

void report_running(const char *name)
{
    report.running = name;
    if (report.json) write_json(report.json);
}

/* The put or get of 64 KiB and more that is slowest in relation to memcpy; NULL: none was compared
 * in the same memory. */
static const struct line *slowest_copy(void)
{
    const struct line *slowest = NULL;
    double most = 0;
    for (const struct line *l = report.lines;
         report.head->same_memory && l < report.lines + report.count; l++) {
        const struct result *r = &l->result;
        bool compared = strcmp(l->word, "bandwidth") == 0 && r->memcpy_best > 0 &&
                        r->time.best > 0 && l->bytes >= 64 << 10;
        if (!compared || strncmp(r->name, "acc", 3) == 0 || r->time.best <= most * r->memcpy_best)
            continue;
        most = r->time.best / r->memcpy_best;
        slowest = l;
    }
    return slowest;
}

/* Inside a node a long put or get is a copy, so it should take no longer than one. */
static void print_copies(void)
{
    const double limit = 1.1;
    const struct line *slowest = slowest_copy();
    if (!slowest) return;
    double ratio = slowest->result.time.best / slowest->result.memcpy_best;
    printf("\nput and get of 64 KiB to 64 MiB: at most %.2f x memcpy (%s), %s\n", ratio,
           slowest->result.name, ratio <= limit ? "as fast as it" : "SLOWER than it");
}

bool report_end(void)
{
    report.running = NULL;
    print_copies();
    if (report.wrong > 0)
        printf("\n%d of %d rows WRONG\n", report.wrong, report.count);
    else if (report.count > 0)
        printf("\nall data correct\n");
    return !report.json || write_json(report.json);
}
