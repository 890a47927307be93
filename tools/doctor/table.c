/* table.c - the table of results, on standard output and as JSON. */
#include "table.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"
#include "figures.h"
#include "probe.h"
#include "report.h"

enum {
    MOST_ROWS = 128,
    MOST_FACTS = 24,
    MOST_SPEEDS = 128,
    MOST_ADVICE = 8,
    INDENT = 41,
    WIDTH = 119
};

struct row {
    const struct probe *probe;
    enum outcome outcome;
    char text[400], workaround[200];
};
struct fact {
    char name[40], value[300];
};
struct speed {
    char path[40], what[32];
    double microseconds, mibs;
};

static struct {
    struct row row[MOST_ROWS];
    struct fact fact[MOST_FACTS];
    struct speed speed[MOST_SPEEDS];
    char advice[MOST_ADVICE][300];
    int rows, facts, speeds, advices, status;
    bool probing, finished, unwritten;
    const char *json, *report;
    enum section section;
} table;

void table_start(const struct options *o)
{
    memset(&table, 0, sizeof table);
    table.json = o->json;
    table.report = o->report;
    table.probing = o->probe;
    table.section = SECTION_START;
}

/* ---------------------------------------------------------------- JSON ------------- */

static void add_facts(struct json *j)
{
    armcii_json_line(j);
    armcii_json_open(j, "facts", '{');
    for (int i = 0; i < table.facts; i++) {
        armcii_json_line(j);
        armcii_json_text(j, table.fact[i].name, table.fact[i].value);
    }
    armcii_json_close(j, '}');
}

static void add_rows(struct json *j)
{
    armcii_json_line(j);
    armcii_json_open(j, "rows", '[');
    for (const struct row *r = table.row; r < table.row + table.rows; r++) {
        armcii_json_line(j);
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "name", r->probe->name);
        armcii_json_text(j, "title", r->probe->title);
        armcii_json_text(j, "section", section_title(r->probe->section));
        armcii_json_text(j, "result", outcome_word(r->outcome));
        armcii_json_text(j, "text", r->text);
        armcii_json_text(j, "workaround", r->workaround);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

static void add_speeds(struct json *j)
{
    armcii_json_line(j);
    armcii_json_open(j, "speeds", '[');
    for (const struct speed *s = table.speed; s < table.speed + table.speeds; s++) {
        armcii_json_line(j);
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "path", s->path);
        armcii_json_text(j, "what", s->what);
        armcii_json_real(j, "microseconds", 3, s->microseconds);
        armcii_json_real(j, "MiB_per_second", 1, s->mibs);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
}

void table_add_json(struct json *j, const char *key)
{
    armcii_json_open(j, key, '{');
    armcii_json_text(j, "program", "armci-doctor");
    add_facts(j);
    add_rows(j);
    add_speeds(j);
    armcii_json_line(j);
    armcii_json_open(j, "advice", '[');
    for (int i = 0; i < table.advices; i++)
        armcii_json_text(j, NULL, table.advice[i]);
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_bool(j, "probing", table.probing);
    armcii_json_bool(j, "finished", table.finished);
    armcii_json_count(j, "status", (uint64_t)table.status);
    armcii_json_line(j);
    armcii_json_close(j, '}');
}

static void write_table(FILE *out)
{
    table_add_json(&(struct json){.file = out}, NULL);
}

/* Replace the file *name, unless that is NULL. *name becomes NULL if the file cannot be written. */
static void write_file(const char **name, void (*write)(FILE *out))
{
    char new_name[4096];
    if (!*name) return;
    snprintf(new_name, sizeof new_name, "%s.new", *name);
    FILE *f = fopen(new_name, "w");
    if (f) write(f);
    if (f && fclose(f) == 0 && rename(new_name, *name) == 0) return;
    fprintf(stderr, "armci-doctor: ");
    perror(*name);
    *name = NULL;
    table.unwritten = true;
}

/* Called after each row, so that the files are complete if the job ends early. */
static void write_files(void)
{
    write_file(&table.json, write_table);
    write_file(&table.report, report_write);
}

/* ---------------------------------------------------------------- text ------------- */

static void take_fact(const struct line *l)
{
    if (table.facts == MOST_FACTS) return;
    for (int i = 0; i < table.facts; i++)
        if (strcmp(table.fact[i].name, l->field[1]) == 0) return; /* repeated by a later job */
    struct fact *f = &table.fact[table.facts++];
    snprintf(f->name, sizeof f->name, "%s", l->field[1]);
    snprintf(f->value, sizeof f->value, "%s", l->field[2]);
    printf("%-15s %s\n", f->name, f->value);
}

/* Words after column INDENT, in lines of at most WIDTH columns. */
static void print_wrapped(const char *text)
{
    int column = INDENT;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column + 1 + n > WIDTH && column > INDENT) column = printf("\n%*s", INDENT, "") - 1;
        column += printf(" %.*s", n, text);
        text += n;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void print_row(const struct row *r)
{
    if (r->probe->section != table.section) printf("\n%s\n", section_title(r->probe->section));
    table.section = r->probe->section;
    bool defect = table.probing && (r->outcome == WRONG || r->outcome == AVOIDED);
    printf("  %-7s %-31s", defect ? "DEFECT" : outcome_word(r->outcome), r->probe->title);
    print_wrapped(r->text);
    if (r->workaround[0]) printf("%*s-> %s\n", INDENT + 1, "", r->workaround);
}

static void add_row(const struct probe *probe, enum outcome outcome, const char *text,
                    const char *workaround)
{
    if (table.rows == MOST_ROWS || !probe || table_has(probe->name)) return;
    struct row *r = &table.row[table.rows++];
    *r = (struct row){.probe = probe, .outcome = outcome};
    snprintf(r->text, sizeof r->text, "%s", text);
    snprintf(r->workaround, sizeof r->workaround, "%s", workaround);
    if (outcome != UNTRIED) print_row(r);
    if (probe->section == SECTION_ROUTES && outcome != UNTRIED) figures_print();
}

static void take_row(const struct line *l)
{
    enum outcome outcome;
    if (outcome_of_word(l->field[2], &outcome))
        add_row(probe_named(l->field[1]), outcome, l->field[3], l->field[4]);
}

static void take_speed(const struct line *l)
{
    if (table.speeds == MOST_SPEEDS) return;
    struct speed *s = &table.speed[table.speeds++];
    snprintf(s->path, sizeof s->path, "%s", l->field[1]);
    snprintf(s->what, sizeof s->what, "%s", l->field[2]);
    s->microseconds = strtod(l->field[3], NULL);
    s->mibs = strtod(l->field[4], NULL);
}

static void take_advice(const struct line *l)
{
    if (table.advices < MOST_ADVICE)
        snprintf(table.advice[table.advices++], sizeof table.advice[0], "%s", l->field[1]);
}

void table_take(const struct line *l)
{
    static const struct {
        const char *kind;
        void (*take)(const struct line *l);
    } kinds[] = {
        {"fact", take_fact}, {"row", take_row}, {"speed", take_speed}, {"advice", take_advice}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(l->field[0], kinds[i].kind) == 0) kinds[i].take(l);
    figures_take(l);
    if (strcmp(l->field[0], "begin") == 0) return;
    write_files();
    fflush(stdout);
}

bool table_has(const char *name)
{
    for (int i = 0; i < table.rows; i++)
        if (strcmp(table.row[i].probe->name, name) == 0) return true;
    return false;
}

void table_untried(const char *name)
{
    add_row(probe_named(name), UNTRIED, "not tried: the job ended before", "");
}

static int count(enum outcome v)
{
    int n = 0;
    for (int i = 0; i < table.rows; i++)
        n += table.row[i].outcome == v;
    return n;
}

static void print_untried(void)
{
    if (!count(UNTRIED)) return;
    printf("\nNot tried, since the job ended before:");
    for (int i = 0, column = 38; i < table.rows; i++) {
        const char *name = table.row[i].probe->name;
        if (table.row[i].outcome != UNTRIED) continue;
        if (column + 1 + (int)strlen(name) > WIDTH) column = printf("\n   ") - 1;
        column += printf(" %s", name);
    }
    printf("\n");
}

/* Were the paths in use tested? */
static bool use_is_tested(void)
{
    for (int i = 0; i < table.rows; i++)
        if (strcmp(table.row[i].probe->name, "armci") == 0) return table.row[i].outcome != UNTRIED;
    return false;
}

/* List the measured paths in order; returns their number. */
static int list_paths(const char *paths[])
{
    int n = 0;
    for (int i = 0; i < table.speeds; i++) {
        int k = 0;
        while (k < n && strcmp(paths[k], table.speed[i].path) != 0)
            k++;
        if (k == n) paths[n++] = table.speed[i].path;
    }
    return n;
}

static void print_speed(const struct speed *s)
{
    printf("%17.2f", s->microseconds);
}

/* A line for each measurement, a column for each path. */
static void print_speeds(void)
{
    const char *paths[MOST_SPEEDS];
    int n = list_paths(paths);
    if (n == 0) return;
    printf("\nMicroseconds, from rank 0 to a rank on another node if there is one\n%-26s", "");
    for (int k = 0; k < n; k++)
        printf("%17.16s", strncmp(paths[k], "ARMCI_", 6) == 0 ? paths[k] + 6 : paths[k]);
    printf("\n");
    for (int i = 0; i < table.speeds && strcmp(table.speed[i].path, paths[0]) == 0; i++) {
        printf("  %-24s", table.speed[i].what);
        for (int j = 0; j < table.speeds; j++)
            if (strcmp(table.speed[j].what, table.speed[i].what) == 0) print_speed(&table.speed[j]);
        printf("\n");
    }
}

static void print_sum(void)
{
    if (table.probing) {
        printf("\n%d correct, %d with a defect, %d not possible here\n", count(PASS),
               count(AVOIDED) + count(WRONG), count(SKIPPED));
        return;
    }
    printf("\n%d pass, %d avoided (an MPI defect that ARMCI works around), %d WRONG, %d unused "
           "(wrong, but not "
           "in use), %d skipped\n",
           count(PASS), count(AVOIDED), count(WRONG), count(UNUSED), count(SKIPPED));
    printf("%s\n", table.status == 0 ? "Every ARMCI path in use is correct."
                   : count(WRONG)
                       ? "ARMCI IS NOT SAFE HERE: see the rows that say WRONG."
                       : "ARMCI was not tested: it is not known whether it is correct here.");
}

int table_end(const char *hint)
{
    int wrong = count(WRONG) + (table.probing ? count(AVOIDED) : 0);
    table.finished = count(UNTRIED) == 0;
    table.status = wrong > 0 || table.rows == 0 || (!table.probing && !use_is_tested()) ? 1 : 0;
    print_speeds();
    print_untried();
    if (hint) printf("%s\n", hint);
    for (int i = 0; i < table.advices; i++)
        printf("%s%s\n", i ? "" : "\n", table.advice[i]);
    print_sum();
    fflush(stdout);
    write_files();
    return table.unwritten ? 2 : table.status;
}
