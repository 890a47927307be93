/* test_stats.c - statistics: the table of made-up processes to the character, and the JSON
 * writer. */
#include <math.h>

#include "unit.h"
#include "../../tools/lib/json.h"
#include "../../tools/prof/prof.h"

/* Of the profiler, only the report is linked. */
void *armcii_prof_alloc(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

enum { MS = 1000000, KIB_4 = 13, EIGHT = 4, MIB_2 = 22, ONE = 1 }; /* nanoseconds; buckets */

static struct stats_process *process(int rank, double seconds, size_t rows, size_t targets)
{
    struct stats_process *p =
        calloc(1, sizeof *p + rows * sizeof(struct stats_row) + targets * sizeof(struct stats_far));
    ck_assert_ptr_nonnull(p);
    p->rank = rank;
    p->seconds = seconds;
    p->rows = rows;
    p->targets = targets;
    return p;
}

static struct stats_row *row(struct stats_process *p, size_t i, const char *name, enum path path,
                             struct stats_cell cell)
{
    struct stats_row *r = (struct stats_row *)(p + 1) + i;
    strcpy(r->name, name);
    r->by[path] = cell;
    return r;
}

static void target(struct stats_process *p, size_t i, struct stats_far far)
{
    memcpy((char *)(p + 1) + p->rows * sizeof(struct stats_row) + i * sizeof far, &far, sizeof far);
}

/* Strided puts, gets, and a wait for the other process. */
static struct stats_process *first_process(void)
{
    struct stats_process *p = process(0, 2.0, 3, 2);
    struct stats_row *puts = row(p, 0, "ARMCI_PutS", PATH_DIRECT,
                                 (struct stats_cell){.calls = 10, .bytes = 40960, .ns = 500 * MS});
    puts->sizes[KIB_4] = 10;
    puts->segments[EIGHT] = 10;
    struct stats_row *gets = row(p, 1, "ARMCI_Get", PATH_DIRECT,
                                 (struct stats_cell){.calls = 1000, .bytes = 8000, .ns = 100 * MS});
    gets->sizes[EIGHT] = 1000;
    gets->segments[ONE] = 1000;
    row(p, 2, "ARMCI_Barrier", PATH_NONE, (struct stats_cell){.calls = 4, .ns = 250 * MS})
        ->longest = 200 * MS;
    target(p, 0, (struct stats_far){0, {.calls = {0, 1000}, .bytes = {0, 8000}}});
    target(p, 1, (struct stats_far){1, {.calls = {10}, .bytes = {40960}}});
    p->carried[PATH_DIRECT] = (struct stats_carried){1010, 48960, 1080};
    p->regions = (struct stats_regions){.made = 3, .most = 2, .bytes_most = 1 << 20};
    return p;
}

/* The same function on another path, and locks; twice as long. */
static struct stats_process *second_process(void)
{
    struct stats_process *p = process(1, 6.0, 2, 1);
    struct stats_row *puts =
        row(p, 0, "ARMCI_PutS", PATH_SERVER,
            (struct stats_cell){.calls = 1, .bytes = 3 << 20, .ns = 1000 * MS});
    puts->sizes[MIB_2] = 1;
    puts->segments[EIGHT] = 1;
    row(p, 1, "ARMCI_Lock", PATH_NONE, (struct stats_cell){.calls = 2, .ns = 80 * MS})->longest =
        70 * MS;
    target(p, 0, (struct stats_far){0, {.calls = {1}, .bytes = {3 << 20}}});
    p->carried[PATH_SERVER] = (struct stats_carried){1, 3 << 20, 9};
    p->regions = (struct stats_regions){.made = 3, .most = 4, .bytes_most = 1 << 19};
    return p;
}

static void add(struct stats_job *job, struct stats_process *p)
{
    armcii_stats_job_add(job, p);
    free(p);
}

/* The table as text, which the caller frees; ends the job. */
static char *table(struct stats_job *job)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(f);
    armcii_stats_table(f, job);
    ck_assert_int_eq(fclose(f), 0);
    armcii_stats_job_end(job);
    return text;
}

static void expect_table(struct stats_job *job, const char *expected)
{
    char *text = table(job);
    ck_assert_str_eq(text, expected);
    free(text);
}

TEST(two_processes)
{
    struct stats_job job;
    armcii_stats_job_begin(&job, 2);
    job.nodes = 2;
    add(&job, first_process());
    add(&job, second_process());
    expect_table(&job, "ARMCI statistics: 2 processes, 2 nodes, 6.000 s from ARMCI_Init to "
                       "ARMCI_Finalize, 24.1 % of it in ARMCI\n"
                       "  function                   path                  calls      bytes    "
                       "seconds % time  us a call\n"
                       "  ARMCI_PutS                 server                    1    3.0 MiB     "
                       "1.0000   12.5 1000000.00\n"
                       "  ARMCI_PutS                 direct                   10   40.0 KiB     "
                       "0.5000    6.2   50000.00\n"
                       "  ARMCI_Barrier              -                         4          -     "
                       "0.2500    3.1   62500.00\n"
                       "  ARMCI_Get                  direct                 1000    7.8 KiB     "
                       "0.1000    1.2     100.00\n"
                       "  ARMCI_Lock                 -                         2          -     "
                       "0.0800    1.0   40000.00\n"
                       "  path              transfers      bytes   segments\n"
                       "  direct                 1010   47.8 KiB       1080\n"
                       "  server                    1    3.0 MiB          9\n"
                       "  transfers by size (lower bound: calls)\n"
                       "    put      4.0 KiB: 10  2.0 MiB: 1\n"
                       "    get      8 B: 1000\n"
                       "  strided transfers by segments (lower bound: calls)\n"
                       "    put      8: 11\n"
                       "  longest waiting call, ms: barrier 200.000, lock 70.000\n"
                       "  top communication pairs\n"
                       "    1 -> 0: 3.0 MiB in 1 calls\n"
                       "    0 -> 1: 40.0 KiB in 10 calls\n"
                       "    0 -> 0: 7.8 KiB in 1000 calls\n"
                       "  process       calls      bytes in ARMCI,s      wait     fence   barrier  "
                       "    lock   message  peak memory\n"
                       "  0              1014   47.8 KiB     0.8500    0.0000    0.0000    0.2500  "
                       "  0.0000    0.0000      1.0 MiB\n"
                       "  1                 3    3.0 MiB     1.0800    0.0000    0.0000    0.0000  "
                       "  0.0800    0.0000    512.0 KiB\n"
                       "  local segments: 6 created, at most 4 at a time; peak memory of all "
                       "processes: 1.5 MiB\n");
}

TEST(nothing_was_called)
{
    struct stats_job job;
    armcii_stats_job_begin(&job, 1);
    job.nodes = 1;
    add(&job, process(0, 0, 0, 0));
    expect_table(
        &job,
        "ARMCI statistics: 1 processes, 1 nodes, 0.000 s from ARMCI_Init to ARMCI_Finalize, 0.0 % "
        "of it in ARMCI\n"
        "  function                   path                  calls      bytes    seconds % time  us "
        "a call\n"
        "  path              transfers      bytes   segments\n"
        "  longest waiting call, ms: none\n"
        "  process       calls      bytes in ARMCI,s      wait     fence   barrier      lock   "
        "message  peak memory\n"
        "  0                 0        0 B     0.0000    0.0000    0.0000    0.0000    0.0000    "
        "0.0000          0 B\n"
        "  local segments: 0 created, at most 0 at a time; peak memory of all processes: 0 B\n");
}

/* A line for each of 32 processes, then how many more there are; of the pairs the eight with most
 * bytes. */
TEST(many_processes)
{
    struct stats_job job;
    armcii_stats_job_begin(&job, 40);
    for (int i = 0; i < 40; i++) {
        struct stats_process *p = process(i, 1, 0, 1);
        target(p, 0, (struct stats_far){0, {.calls = {1}, .bytes = {(uint64_t)(i * 7 % 40)}}});
        add(&job, p);
    }
    char *text = table(&job);
    ck_assert_ptr_nonnull(strstr(text, "\n  31     "));
    ck_assert_ptr_null(strstr(text, "\n  32     "));
    ck_assert_ptr_nonnull(strstr(text, "\n  ... 8 more processes: see ARMCI_STATS=FILE\n"));
    ck_assert_ptr_nonnull(strstr(
        text,
        "pairs\n    17 -> 0: 39 B in 1 calls\n    34 -> 0: 38 B in 1 calls\n    11 -> 0: 37 B"));
    ck_assert_ptr_nonnull(strstr(text, "    16 -> 0: 32 B in 1 calls\n  process"));
    free(text);
}

/* What `write` writes is exactly the text. */
static void expect_json(void (*write)(struct json *j), const char *expected)
{
    char *text;
    size_t size;
    struct json j = {.file = open_memstream(&text, &size)};
    ck_assert_ptr_nonnull(j.file);
    write(&j);
    ck_assert_int_eq(fclose(j.file), 0);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void write_nested(struct json *j)
{
    armcii_json_open(j, NULL, '{');
    armcii_json_count(j, "count", UINT64_MAX);
    armcii_json_open(j, "empty", '[');
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_open(j, "rows", '[');
    armcii_json_bool(j, NULL, true);
    armcii_json_line(j);
    armcii_json_open(j, NULL, '{');
    armcii_json_null(j, "none");
    armcii_json_close(j, '}');
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_close(j, '}');
}

static void write_reals(struct json *j)
{
    static const double reals[] = {0, -1.25, INFINITY, NAN};
    armcii_json_open(j, NULL, '[');
    for (int i = 0; i < 4; i++)
        armcii_json_real(j, NULL, 3, reals[i]);
    armcii_json_real(j, NULL, 0, 1234.5678);
    armcii_json_close(j, ']');
}

static void write_texts(struct json *j)
{
    armcii_json_open(j, NULL, '{');
    armcii_json_text(j, "a \"quoted\" key", "back\\slash, new\nline, \x01");
    armcii_json_text(j, "utf-8",
                     "gr\xc3\xb6\xc3\x9f"
                     "e \xe2\x82\xac \xf0\x9f\x98\x80");
    armcii_json_text(j, "not utf-8", "\xff, \xc3(, cut \xe2\x82");
    armcii_json_close(j, '}');
}

TEST(json)
{
    expect_json(write_nested, "{\"count\": 18446744073709551615, \"empty\": [],\n \"rows\": "
                              "[true,\n  {\"none\": null}]\n}\n");
    expect_json(write_reals, "[0.000, -1.250, null, null, 1235]\n");
    expect_json(write_texts,
                "{\"a \\\"quoted\\\" key\": \"back\\\\slash, new\\u000aline, \\u0001\", "
                "\"utf-8\": \"gr\xc3\xb6\xc3\x9f"
                "e \xe2\x82\xac \xf0\x9f\x98\x80\", "
                "\"not utf-8\": \"\\ufffd, \\ufffd(, cut \\ufffd\\ufffd\"}\n");
}
