/* harness.c - main() of every multi-process test: runs the suite, collects the verdict. */
#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <armcix.h>

enum { SHOWN_PER_TEST = 4, EXIT_SKIPPED = 77, DEFAULT_SEED = 1 };

static struct {
    MPI_Comm comm;
    int rank, ranks;
    long errors;      /* of the running test, here */
    bool skipped;     /* the running test, here */
    char reason[200]; /* why */
    uint64_t seed;
    const char *only; /* part of a promise, NULL: all */
} state = {.seed = DEFAULT_SEED};

MPI_Comm test_comm(void)
{
    return state.comm;
}

int test_rank(void)
{
    return state.rank;
}

int test_ranks(void)
{
    return state.ranks;
}

/* ------------------------------------------------------------------ checks */

/* Count one error and print it, one line: the call, then what was wrong with it. */
static void fail(const char *wrong, const char *format, va_list arguments)
{
    char call[400];

    state.errors++;
    if (state.errors > SHOWN_PER_TEST) return;
    vsnprintf(call, sizeof call, format, arguments);
    printf("rank %d: %s%s%s\n", state.rank, call, *wrong ? ": " : "", wrong);
    fflush(stdout);
}

bool check(bool ok, const char *format, ...)
{
    va_list arguments;

    if (ok) return true;
    va_start(arguments, format);
    fail("", format, arguments);
    va_end(arguments);
    return false;
}

bool check_long(long seen, long expected, const char *format, ...)
{
    char wrong[100];
    va_list arguments;

    if (seen == expected) return true;
    snprintf(wrong, sizeof wrong, "expected %ld, seen %ld", expected, seen);
    va_start(arguments, format);
    fail(wrong, format, arguments);
    va_end(arguments);
    return false;
}

bool check_double(double seen, double expected, const char *format, ...)
{
    char wrong[100];
    va_list arguments;

    if (seen >= expected && seen <= expected) return true;
    snprintf(wrong, sizeof wrong, "expected %.17g, seen %.17g", expected, seen);
    va_start(arguments, format);
    fail(wrong, format, arguments);
    va_end(arguments);
    return false;
}

bool check_bytes(const void *seen, const void *expected, size_t n, const char *format, ...)
{
    const unsigned char *s = seen, *e = expected;
    size_t first = 0, different = 0;
    char wrong[160];
    va_list arguments;

    if (n == 0 || memcmp(seen, expected, n) == 0) return true;
    while (s[first] == e[first])
        first++;
    for (size_t i = first; i < n; i++)
        different += s[i] != e[i];
    snprintf(wrong, sizeof wrong, "byte %zu of %zu expected 0x%02x, seen 0x%02x; %zu bytes differ", first, n, e[first], s[first],
             different);
    va_start(arguments, format);
    fail(wrong, format, arguments);
    va_end(arguments);
    return false;
}

void skip(const char *format, ...)
{
    va_list arguments;

    state.skipped = true;
    va_start(arguments, format);
    vsnprintf(state.reason, sizeof state.reason, format, arguments);
    va_end(arguments);
}

void expect_abort(const char *text)
{
    if (state.rank == 0) {
        printf("expect-abort: %s\n", text);
        fflush(stdout);
    }
    MPI_Barrier(state.comm);
}

bool needs_ranks(int n)
{
    if (state.ranks < n) skip("needs %d ranks", n);
    return state.ranks >= n;
}

bool needs_threads(void)
{
    int level;

    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) skip("MPI gives thread level %d, not MPI_THREAD_MULTIPLE", level);
    return level == MPI_THREAD_MULTIPLE;
}

bool needs_segments(void)
{
    bool has = on_all_ranks(lines_with("/proc/self/maps", "memfd:armci") > 0);

    if (!has) skip("memory is the MPI library's, or not shared");
    return has;
}

static struct {
    FILE *file;
    int saved; /* the real standard error */
    char text[2000];
} caught;

void catch_errors(void)
{
    caught.file = tmpfile();
    if (caught.file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    fflush(stderr);
    caught.saved = dup(STDERR_FILENO);
    dup2(fileno(caught.file), STDERR_FILENO);
}

const char *caught_errors(void)
{
    fflush(stderr);
    dup2(caught.saved, STDERR_FILENO);
    close(caught.saved);
    rewind(caught.file);
    caught.text[fread(caught.text, 1, sizeof caught.text - 1, caught.file)] = '\0';
    fclose(caught.file);
    return caught.text;
}

bool on_all_ranks(bool here)
{
    int mine = here, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, state.comm);
    return all;
}

int effort(int n)
{
    if (state.ranks <= 2) return n;
    return n > 8 ? n / 8 : 1;
}

double trial_time(double seconds)
{
    return getenv("ARMCI_TEST_LONG") ? seconds : 0.4 * seconds;
}

/* Its windows between nodes do not support threads. */
static bool is_open_mpi_4(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(library, &length);
    return strncmp(library, "Open MPI v4", 11) == 0;
}

bool test_makes_windows(void)
{
    int level;
    const char *transport = getenv("ARMCI_TRANSPORT");

    MPI_Query_thread(&level);
    return transport && strcmp(transport, "rma") == 0 && !(level == MPI_THREAD_MULTIPLE && is_open_mpi_4());
}

bool test_has_server(void)
{
    const char *progress = getenv("ARMCI_PROGRESS");

    if (test_makes_windows() && is_open_mpi_4()) return false;
    return !getenv("ARMCI_NODES") && !getenv("ARMCI_SHM") && (!progress || strcmp(progress, "none") != 0);
}

/* ------------------------------------------------------------------ random numbers */

struct rng rng_stream(uint64_t number)
{
    struct rng r = {.state = state.seed * 0x9e3779b97f4a7c15u + number};

    r.state = rng_next(&r);
    return r;
}

/* ------------------------------------------------------------------ memory */

void *need_memory(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (p == NULL) {
        fprintf(stderr, "rank %d: no memory for %zu bytes\n", state.rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

void **region_create(size_t bytes)
{
    void **base = need_memory((size_t)state.ranks * sizeof *base);

    check_long(ARMCI_Malloc(base, (armci_size_t)bytes), 0, "ARMCI_Malloc(%zu bytes)", bytes);
    return base;
}

void **region_zeroed(size_t bytes)
{
    void **base = region_create(bytes);

    ARMCI_Access_begin(base[state.rank]);
    memset(base[state.rank], 0, bytes);
    ARMCI_Access_end(base[state.rank]);
    ARMCI_Barrier();
    return base;
}

size_t memory_available(void)
{
    size_t kilobytes = 0;
    char line[200];
    FILE *file = fopen("/proc/meminfo", "r");

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %zu kB", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes << 10;
}

long lines_with(const char *path, const char *text)
{
    char line[1000];
    long n = 0;
    FILE *file = fopen(path, "r");

    while (file && fgets(line, sizeof line, file))
        n += strstr(line, text) != NULL;
    if (file) fclose(file);
    return n;
}

void region_free(void **base)
{
    check_long(ARMCI_Free(base[state.rank]), 0, "ARMCI_Free");
    free(base);
}

void region_done(void **base)
{
    ARMCI_Barrier();
    region_free(base);
}

/* ------------------------------------------------------------------ running the suite */

/* Does the promise contain the text, where _ stands for a blank? */
static bool is_wanted(const char *promise, const char *text)
{
    for (const char *start = promise; *start; start++) {
        size_t i = 0;
        while (text[i] && (text[i] == start[i] || (text[i] == '_' && start[i] == ' ')))
            i++;
        if (!text[i]) return true;
    }
    return false;
}

static void read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--seed=", 7) == 0) {
            state.seed = strtoull(argv[i] + 7, NULL, 0);
        } else if (strncmp(argv[i], "--only=", 7) == 0) {
            state.only = argv[i] + 7;
        } else if (strcmp(argv[i], "--list") == 0) {
            for (const struct test *t = suite.tests; t->promise; t++)
                puts(t->promise);
            exit(0);
        } else {
            fprintf(stderr, "usage: %s [--seed=N] [--only=TEXT] [--list]\n", argv[0]);
            exit(2);
        }
    }
}

enum verdict { PASSED, FAILED, SKIPPED };

/* Run one test on all ranks; the verdict is the same everywhere. */
static enum verdict run_test(const struct test *t)
{
    long mine[3], sum[3];
    double begun = MPI_Wtime();

    state.errors = 0;
    state.skipped = false;
    if (t->run)
        t->run();
    else
        t->run_row(t->row);
    MPI_Barrier(state.comm);
    mine[0] = state.errors;
    mine[1] = state.errors > 0;
    mine[2] = state.skipped;
    MPI_Allreduce(mine, sum, 3, MPI_LONG, MPI_SUM, state.comm);
    if (state.rank == 0) {
        if (sum[0] > 0)
            printf("FAIL %s: %ld errors on %ld ranks", t->promise, sum[0], sum[1]);
        else if (sum[2] > 0)
            printf("SKIP %s: %s", t->promise, state.reason);
        else
            printf("PASS %s", t->promise);
        printf(" [%.2f s]\n", MPI_Wtime() - begun);
        fflush(stdout);
    }
    return sum[0] > 0 ? FAILED : sum[2] > 0 ? SKIPPED : PASSED;
}

/* Run the wanted tests.  Returns the exit status. */
static int run_suite(void)
{
    int count[3] = {0, 0, 0};

    for (const struct test *t = suite.tests; t->promise; t++)
        if (state.only == NULL || is_wanted(t->promise, state.only)) count[run_test(t)]++;
    if (state.rank == 0) {
        printf("%d passed, %d failed, %d skipped on %d ranks, --seed=%llu\n", count[PASSED], count[FAILED], count[SKIPPED], state.ranks,
               (unsigned long long)state.seed);
        fflush(stdout);
    }
    if (count[FAILED] > 0 || count[PASSED] + count[SKIPPED] == 0) return 1;
    return count[PASSED] > 0 ? 0 : EXIT_SKIPPED;
}

static void start_default(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    if (ARMCI_Init() != 0) {
        fprintf(stderr, "ARMCI_Init failed\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void start_threaded(int *argc, char ***argv)
{
    int level;

    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    if (ARMCI_Init_thread(MPI_THREAD_MULTIPLE) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void stop_default(void)
{
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    int status;

    read_arguments(argc, argv);
    (suite.start ? suite.start : start_default)(&argc, &argv);
    MPI_Comm_dup(ARMCI_Initialized() ? ARMCIX_Get_world_comm() : MPI_COMM_WORLD, &state.comm);
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.ranks);
    status = run_suite();
    state.errors = 0;
    (suite.stop ? suite.stop : stop_default)();
    return state.errors > 0 ? 1 : status;
}
