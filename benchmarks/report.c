/* report.c - the table on standard output and the file in JSON. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *word;
    long bytes;
    struct result result;
};

static struct {
    const struct report_head *head;
    struct line *lines;
    int count, room, wrong;
    struct instructions instructions;
} report;

void report_begin(const struct report_head *head)
{
    report.head = head;
    printf("ARMCI   %s\nMPI     %s\nranks   %d, of which %d on this machine with %ld cores\n", head->armci, head->mpi,
           head->ranks, head->ranks_here, head->cores);
    printf("Towards rank %d on %s machine\n", head->ranks > 1 ? 1 : 0, head->target_here ? "this" : "another");
    printf("memcpy: the time of memcpy for as many bytes, in the same buffers%s,\ndivided by the time of the row.\n",
           head->same_memory ? "" : " but to rank 0's own slice");
    if (head->ranks_here > head->cores)
        printf("WARNING: more ranks than cores: ranks that wait take time from those that work; times are too long.\n");
}

static const struct line *find(const char *word, const char *name)
{
    for (int i = 0; i < report.count; i++) {
        if (strcmp(report.lines[i].word, word) == 0 && strcmp(report.lines[i].result.name, name) == 0)
            return &report.lines[i];
    }
    return NULL;
}

/* The times that a row's are divided by; all 0: none. */
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

/* The unit that gives a number between 1 and 1000, and its length in ns. */
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
        printf("  %.2f (%.2f) of the bandwidth of %s", 1 / result->versus_ratio, 1 / result->versus_median,
               result->versus);
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
    print_time(", processor", tail->waited);
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
        printf("%-30s none was done in time\n", result->name);
        return;
    }
    printf("%-30s %8.2f %8.2f %5.0f %% %-4s", result->name, result->time.best / length, result->time.median / length,
           100 * result->time.spread, unit);
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
            fprintf(stderr, "armci-bench: no memory for the row %s\n", line->result.name);
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
    if (report.count == 0 || strcmp(report.lines[report.count - 1].word, word) != 0) print_head(word);
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

static void write_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') {
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            if (*text == '"' || *text == '\\') putc('\\', file);
            putc(*text, file);
        }
    }
    putc('"', file);
}

static void write_head(FILE *file)
{
    const struct report_head *head = report.head;
    fprintf(file, "{\"label\": ");
    write_text(file, head->label ? head->label : head->armci);
    fprintf(file, ",\n \"armci\": ");
    write_text(file, head->armci);
    fprintf(file, ",\n \"mpi\": ");
    write_text(file, head->mpi);
    fprintf(file, ",\n \"ranks\": %d, \"ranks_here\": %d, \"cores\": %ld, \"seconds_per_row\": %g,\n", head->ranks,
            head->ranks_here, head->cores, head->seconds);
    fprintf(file, " \"target_here\": %s,\n", head->target_here ? "true" : "false");
    fprintf(file, " \"memcpy_in_same_memory\": %s,\n", head->same_memory ? "true" : "false");
}

/* Pairs of computation and total, in ns. */
static void write_curve(FILE *file, const struct curve *curve)
{
    fprintf(file, ", \"hidden\": %.4f, \"curve_ns\": [", curve->hidden);
    for (int i = 0; i < CURVE_POINTS; i++)
        fprintf(file, "%s[%.1f, %.1f]", i ? ", " : "", curve->work[i], curve->total[i]);
    putc(']', file);
}

static void write_row(FILE *file, const struct line *line)
{
    const struct result *result = &line->result;
    fprintf(file, "  {\"group\": ");
    write_text(file, line->word);
    fprintf(file, ", \"name\": ");
    write_text(file, result->name);
    fprintf(file, ", \"valid\": %s", result->valid ? "true" : "false");
    if (result->valid && result->time.best > 0) {
        fprintf(file, ", \"best_ns\": %.3f, \"median_ns\": %.3f, \"spread\": %.4f", result->time.best,
                result->time.median, result->time.spread);
    }
    if (line->bytes > 0) fprintf(file, ", \"bytes\": %ld", line->bytes);
    if (result->memcpy_best > 0) {
        fprintf(file, ", \"memcpy_ns\": %.3f, \"memcpy_ratio\": %.4f", result->memcpy_best,
                result->memcpy_best / result->time.best);
    }
    if (result->versus_ratio > 0) {
        fprintf(file, ", \"versus\": ");
        write_text(file, result->versus);
        if (result->beside.best > 0)
            fprintf(file, ", \"versus_best_ns\": %.3f, \"versus_median_ns\": %.3f", result->beside.best, result->beside.median);
        fprintf(file, ", \"versus_ratio\": %.4f, \"versus_median_ratio\": %.4f", result->versus_ratio,
                result->versus_median);
    }
    if (result->curve) write_curve(file, result->curve);
    if (result->tail) {
        fprintf(file, ", \"p999_ns\": %.0f, \"worst_ns\": %.0f, \"processor_worst_ns\": %.0f", result->tail->p999, result->tail->worst,
                result->tail->waited);
    }
    putc('}', file);
}

static void write_instructions(FILE *file)
{
    const struct instructions *counts = &report.instructions;
    bool first = true;
    if (counts->count == 0) return;
    fprintf(file, ",\n \"instructions_method\": ");
    write_text(file, counts->method);
    fprintf(file, ",\n \"instructions\": {");
    for (int i = 0; i < counts->count; i++) {
        if (counts->of[i].per_call <= 0) continue;
        fputs(first ? "" : ", ", file);
        write_text(file, counts->of[i].name);
        fprintf(file, ": %.1f", counts->of[i].per_call);
        first = false;
    }
    putc('}', file);
}

static bool write_json(const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file) {
        fprintf(stderr, "armci-bench: cannot write %s\n", name);
        return false;
    }
    write_head(file);
    fprintf(file, " \"rows\": [");
    for (int i = 0; i < report.count; i++) {
        fputs(i ? ",\n" : "\n", file);
        write_row(file, &report.lines[i]);
    }
    fprintf(file, "\n ]");
    write_instructions(file);
    fprintf(file, "}\n");
    bool written = !ferror(file);
    written = fclose(file) == 0 && written;
    if (!written) fprintf(stderr, "armci-bench: cannot write all of %s\n", name);
    return written;
}

bool report_end(const char *json)
{
    if (report.wrong > 0)
        printf("\n%d of %d rows WRONG\n", report.wrong, report.count);
    else if (report.count > 0)
        printf("\nall data right\n");
    return !json || write_json(json);
}
