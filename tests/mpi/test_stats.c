/* test_stats.c - statistics (ARMCI_STATS): what is written at the end is exactly what the program
 * did, on every rank.
 *
 * ARMCI is started and ended by each test, with the statistics going to a file that rank 0 reads
 * then. What a rank does depends on its number, so that figures of one rank do not pass for
 * another's. */
#include <stdarg.h>
#include <unistd.h>

#include "harness.h"

static char file[256];
static char document[1 << 20]; /* of rank 0 */

static void start(int *argc, char ***argv)
{
    const char *threads = getenv("TEST_THREADS");
    int provided;
    if (threads && strcmp(threads, "multiple") == 0)
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(argc, argv);
    snprintf(file, sizeof file, "%s/armci-test-stats.%ld.json",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
}

/* The first rank alone is told to count. */
static void start_counting(void)
{
    if (test_rank() == 0) setenv("ARMCI_STATS", file, 1);
    ARMCI_Init();
}

static void read_document(void)
{
    FILE *in = fopen(file, "r");
    size_t used = 0;
    if (check(in != NULL, "no file %s", file)) {
        used = fread(document, 1, sizeof document - 1, in);
        fclose(in);
    }
    document[used] = '\0';
    check(used < sizeof document - 1, "the file is larger than expected");
}

/* End ARMCI; rank 0 has the document, the others skip what follows. */
static bool stop_counting(void)
{
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    unsetenv("ARMCI_STATS");
    if (test_rank() != 0) return false;
    read_document();
    unlink(file);
    return true;
}

/* Where the part of a rank begins; -1: the sum of all. */
static const char *part(int rank)
{
    char head[40];
    const char *found;
    snprintf(head, sizeof head, rank < 0 ? "\"total\": " : "{\"rank\": %d,", rank);
    found = strstr(document, head);
    check(found != NULL, "nothing of rank %d", rank);
    return found ? found : "";
}

/* The function's line; "" where the rank did not call it. */
static const char *line_of(int rank, const char *function)
{
    static char line[4000];
    char head[80];
    const char *begin = part(rank), *end = begin, *found;
    if (*begin) end = strstr(begin + 1, rank < 0 ? "}}\n" : "\"regions\"");
    snprintf(head, sizeof head, "{\"name\": \"%s\"", function);
    found = strstr(begin, head);
    if (found == NULL || end == NULL || found > end) return "";
    snprintf(line, sizeof line, "%.*s", (int)strcspn(found, "\n"), found);
    return line;
}

/* A number after "key": in a text; -1: none. */
static double number(const char *text, const char *key)
{
    char head[40];
    const char *found;
    snprintf(head, sizeof head, "\"%s\": ", key);
    found = strstr(text, head);
    return found ? strtod(found + strlen(head), NULL) : -1;
}

static void expect(int rank, const char *function, long calls, long bytes)
{
    const char *line = line_of(rank, function);
    check_long((long)number(line, "calls"), calls, "rank %d, calls of %s", rank, function);
    check_long((long)number(line, "bytes"), bytes, "rank %d, bytes of %s", rank, function);
}

/* The function's line, or the whole part of a rank (-1: the sum), holds the text. */
static void __attribute__((format(printf, 3, 4)))
expect_text(int rank, const char *function, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *where = function ? line_of(rank, function) : part(rank);
    check(strstr(where, text) != NULL, "rank %d, %s: no %s in %.4000s", rank,
          function ? function : "all", text, where);
}
#define expect_in_part(RANK, ...) expect_text(RANK, NULL, __VA_ARGS__)

/* Transfers, bytes and contiguous pieces of the paths whose names begin so, in a rank's part. */
static void expect_travelled(int rank, const char *path, long transfers, long bytes, long segments)
{
    const char *at = strstr(part(rank), "\"travelled\": ");
    size_t length = at ? strcspn(at, "\n") : 0;
    const char *end = at ? at + length : NULL;
    long seen_transfers = 0, seen_bytes = 0, seen_segments = 0;
    for (; at && (at = strstr(at, "{\"path\": ")) != NULL && at < end; at++) {
        if (strncmp(at + strlen("{\"path\": \""), path, strlen(path)) != 0) continue;
        seen_transfers += (long)number(at, "transfers");
        seen_bytes += (long)number(at, "bytes");
        seen_segments += (long)number(at, "segments");
    }
    check_long(seen_transfers, transfers, "rank %d, transfers by %s", rank, path);
    check_long(seen_bytes, bytes, "rank %d, bytes by %s", rank, path);
    check_long(seen_segments, segments, "rank %d, pieces by %s", rank, path);
}

/* How many calls the pairs [from, calls] after "key" count. */
static long calls_in_buckets(const char *line, const char *key)
{
    const char *at = strstr(line, key), *end = at ? strstr(at, "]]") : NULL;
    long sum = 0;
    for (; at && end && (at = strstr(at, ", ")) != NULL && at < end; at++)
        if (at[2] != '[') sum += strtol(at + 2, NULL, 10);
    return sum;
}

static int next_of(int rank)
{
    return (rank + 1) % test_ranks();
}

static bool is_set_to(const char *variable, const char *value)
{
    const char *set = getenv(variable);
    return set && strcmp(set, value) == 0;
}

/* How rank r's transfers to rank p go. The names of MPI's paths begin with "rma"; this program has
 * threads from MPI where it spans nodes.
 */
static const char *expected_path(int r, int p)
{
    double node = number(part(r), "node");
    if (is_set_to("ARMCI_SHM", "no")) return "rma";
    if (number(part(p), "node") == node) return "direct";
    return test_makes_windows() || is_set_to("ARMCI_SHM", "mpi") ? "rma" : "server";
}

static bool spans_nodes(void)
{
    for (int p = 1; p < test_ranks(); p++)
        if (number(part(p), "node") != number(part(0), "node")) return true;
    return false;
}

/* MPI makes all accumulates on memory that it makes some of. */
static const char *expected_path_of_acc(int r, int p)
{
    const char *path = expected_path(r, p);
    return spans_nodes() && strcmp(expected_path(0, test_ranks() - 1), "rma") == 0 ? "rma" : path;
}

struct count {
    long transfers, bytes, segments;
};

/* Transfers of rank r to the next one: accumulates, and all others. */
static void expect_paths(int r, struct count acc, struct count others)
{
    const char *path = expected_path(r, next_of(r)),
               *path_of_acc = expected_path_of_acc(r, next_of(r));
    bool same = strcmp(path, path_of_acc) == 0;
    struct count all = {acc.transfers + others.transfers, acc.bytes + others.bytes,
                        acc.segments + others.segments};
    if (!same) expect_travelled(r, path_of_acc, acc.transfers, acc.bytes, acc.segments);
    if (same) others = all;
    expect_travelled(r, path, others.transfers, others.bytes, others.segments);
    expect_travelled(r, "", all.transfers, all.bytes, all.segments);
}

enum { SLICE = 1 << 20 };

static long times(int r)
{
    return 100 + 7 * r;
}

static void contiguous_calls(void)
{
    static double buffer[1024];
    double one = 1;
    int me, right;
    start_counting();
    me = test_rank();
    right = next_of(me);
    void **base = region_create(SLICE);
    for (long i = 0; i < times(me); i++) {
        ARMCI_Put(buffer, base[right], 8, right);
        ARMCI_Get(base[right], buffer, 5000, right);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, buffer, base[right], 16, right);
        ARMCI_NbPut(buffer, base[right], 24, right, NULL);
        ARMCI_NbGet(base[right], buffer, 100, right, NULL);
        ARMCI_NbAcc(ARMCI_ACC_DBL, &one, buffer, base[right], 40, right, NULL);
        ARMCI_WaitAll();
    }
    ARMCI_Put(buffer, base[right], 0, right);
    region_free(base);
    if (!stop_counting()) return;
    long all = 0;
    for (int r = 0; r < test_ranks(); r++) {
        long n = times(r), target = next_of(r);
        all += n;
        expect(r, "ARMCI_Put", n + 1, 8 * n);
        expect(r, "ARMCI_Get", n, 5000 * n);
        expect(r, "ARMCI_Acc", n, 16 * n);
        expect(r, "ARMCI_NbPut", n, 24 * n);
        expect(r, "ARMCI_NbGet", n, 100 * n);
        expect(r, "ARMCI_NbAcc", n, 40 * n);
        expect(r, "ARMCI_WaitAll", n, 0);
        expect_text(r, "ARMCI_Put", "\"sizes\": [[0, 1], [8, %ld]]", n);
        expect_text(r, "ARMCI_Get", "\"sizes\": [[4096, %ld]]", n);
        expect_text(r, "ARMCI_NbAcc",
                    "\"family\": \"acc\", \"form\": \"contiguous\", \"blocking\": false");
        expect_in_part(r, "\"targets\": [[%ld, %ld, %ld, %ld, %ld, %ld, %ld, 0, 0]]", target,
                       2 * n + 1, 32 * n, 2 * n, 5100 * n, 2 * n, 56 * n);
        expect_paths(r, (struct count){2 * n, 56 * n, 2 * n},
                     (struct count){4 * n, 5132 * n, 4 * n});
    }
    expect(-1, "ARMCI_Get", all, 5000 * all);
    expect_travelled(-1, "", 6 * all, 5188 * all, 6 * all);
}

/* n calls of each with `rows` rows of 64 bytes. */
static void call_strided(long n, void *buffer, void *there, int to)
{
    int stride[1] = {128}, count[2] = {64, 6}, joined[1] = {64};
    double one = 1;
    for (long i = 0; i < n; i++) {
        ARMCI_PutS(buffer, stride, there, stride, count, 1, to);
        ARMCI_GetS(there, joined, buffer, joined, count, 1, to); /* contiguous in fact */
        ARMCI_NbAccS(ARMCI_ACC_DBL, &one, buffer, stride, there, stride, count, 1, to, NULL);
        ARMCI_WaitProc(to);
    }
}

static void call_vector(long n, char *buffer, char *there, int to)
{
    void *here[3] = {buffer, buffer + 100, buffer + 300},
         *far[3] = {there, there + 100, there + 300};
    armci_giov_t list = {here, far, 50, 3};
    for (long i = 0; i < n; i++)
        ARMCI_PutV(&list, 1, to);
}

static void strided_and_vector_calls(void)
{
    static double buffer[1024];
    int right = next_of(test_rank());
    start_counting();
    void **base = region_create(SLICE);
    call_strided(times(test_rank()), buffer, base[right], right);
    call_vector(times(test_rank()), (char *)buffer, base[right], right);
    region_free(base);
    if (!stop_counting()) return;
    for (int r = 0; r < test_ranks(); r++) {
        long n = times(r);
        expect(r, "ARMCI_PutS", n, 384 * n);
        expect(r, "ARMCI_GetS", n, 384 * n);
        expect(r, "ARMCI_NbAccS", n, 384 * n);
        expect(r, "ARMCI_PutV", n, 150 * n);
        expect(r, "ARMCI_WaitProc", n, 0);
        expect_text(r, "ARMCI_PutS", "\"segments\": [[4, %ld]]", n);
        expect_text(r, "ARMCI_GetS", "\"segments\": [[1, %ld]]", n);
        expect_text(r, "ARMCI_PutV", "\"segments\": [[2, %ld]]", n);
        expect_text(r, "ARMCI_NbAccS", "\"form\": \"strided\"");
        expect_text(r, "ARMCI_PutV", "\"form\": \"vector\"");
        expect_paths(r, (struct count){n, 384 * n, 6 * n}, (struct count){3 * n, 918 * n, 10 * n});
    }
}

/* They count where they are requested. */
static void aggregated_calls(void)
{
    static double buffer[1024];
    int right = next_of(test_rank());
    start_counting();
    void **base = region_create(SLICE);
    armci_hdl_t handle = new_aggregate();
    for (long i = 0; i < times(test_rank()); i++)
        ARMCI_NbPut(buffer + i, (double *)base[right] + 2 * i, 8, right, &handle);
    ARMCI_Wait(&handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    region_free(base);
    if (!stop_counting()) return;
    for (int r = 0; r < test_ranks(); r++) {
        bool quick = strcmp(expected_path(r, next_of(r)), "direct") == 0 || r == next_of(r);
        expect(r, "ARMCI_NbPut", times(r), 8 * times(r));
        expect(r, "ARMCI_Wait", 1, 0);
        expect_in_part(r, ", 0, 0, 0, 0, 0, 0]]");
        expect_travelled(r, "", times(r), 8 * times(r), times(r));
        if (!quick)
            expect_text(r, "ARMCI_NbPut",
                        "{\"path\": \"aggregated\", \"calls\": %ld, \"bytes\": %ld,", times(r),
                        8 * times(r));
    }
}

static void other_calls(void)
{
    int me = test_rank(), right = next_of(me);
    long seen = 0, n = times(me);
    start_counting();
    void **base = region_create(64);
    ARMCI_Create_mutexes(1);
    for (long i = 0; i < n; i++) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, base[right], 1, right);
        ARMCI_PutValueInt(1, (int *)base[right] + 4, right);
        ARMCI_GetValueDouble((double *)base[right] + 4, right);
        ARMCI_Lock(0, me);
        ARMCI_Unlock(0, me);
        ARMCI_Fence(right);
    }
    for (int i = 0; i < 10; i++) {
        int x[3] = {1, 2, 3};
        ARMCI_Barrier();
        ARMCI_AllFence();
        armci_msg_igop(x, 3, "+");
    }
    ARMCI_Destroy_mutexes();
    region_free(base);
    if (!stop_counting()) return;
    for (int r = 0; r < test_ranks(); r++) {
        n = times(r);
        expect(r, "ARMCI_Rmw", n, 8 * n);
        expect(r, "ARMCI_PutValueInt", n, 4 * n);
        expect(r, "ARMCI_GetValueDouble", n, 8 * n);
        expect_text(r, "ARMCI_PutValueInt", "\"family\": \"value\"");
        expect(r, "ARMCI_Lock", n, 0);
        expect(r, "ARMCI_Unlock", n, 0);
        expect_text(r, "ARMCI_Unlock", "\"family\": \"lock\"");
        expect(r, "ARMCI_Fence", n, 0);
        expect(r, "ARMCI_AllFence", 10, 0);
        expect(r, "ARMCI_Barrier", 10, 0);
        expect(r, "armci_msg_igop", 10, 0);
        expect(r, "ARMCI_Malloc", 1, 0);
        expect(r, "ARMCI_Create_mutexes", 1, 0);
        expect_travelled(r, "", 3 * n, 20 * n, 3 * n);
        expect_in_part(r, "\"targets\": [[%d, %ld, %ld, %ld, %ld, 0, 0, %ld, %ld]]", next_of(r), n,
                       4 * n, n, 8 * n, n, 8 * n);
    }
}

/* What is refused moves nothing; it is a call all the same. */
static void refused_calls(void)
{
    double value = 0;
    setenv("ARMCI_ERRORS", "return", 1);
    start_counting();
    void **base = region_create(64);
    check(ARMCI_Put(&value, (char *)base[0] + 60, 8, 0) != 0, "a put across the end");
    check(ARMCI_Put(&value, base[0], 8, test_ranks()) != 0, "a put to nobody");
    check_long(ARMCI_Put(&value, base[0], 8, 0), 0, "a right put");
    region_free(base);
    unsetenv("ARMCI_ERRORS");
    if (!stop_counting()) return;
    expect(0, "ARMCI_Put", 3, 8);
    expect_text(0, "ARMCI_Put", "\"sizes\": [[8, 1]]");
}

static void memory_of_regions(void)
{
    start_counting();
    void **first = region_create((size_t)(1000 + test_rank())), **second = region_create(5000);
    region_free(first);
    void **third = region_create(300);
    region_free(second);
    region_free(third);
    if (!stop_counting()) return;
    for (int r = 0; r < test_ranks(); r++) {
        expect_in_part(r, "\"regions\": {\"made\": 3, \"most\": 2, \"bytes_most\": %d}", 6000 + r);
    }
    expect_in_part(-1, "\"regions\": {\"made\": %d, \"most\": 2, \"bytes_most\": %d}",
                   3 * test_ranks(), 6000 * test_ranks() + test_ranks() * (test_ranks() - 1) / 2);
}

/* Rank 0 comes late: the others wait in the barrier; nobody has waited long in anything else. */
static void time_in_barrier(void)
{
    start_counting();
    if (test_rank() == 0) usleep(200000);
    ARMCI_Barrier();
    ARMCI_Barrier();
    if (!stop_counting()) return;
    double sum = number(line_of(0, "ARMCI_Barrier"), "seconds");
    for (int r = 1; r < test_ranks(); r++) {
        double waited = number(line_of(r, "ARMCI_Barrier"), "seconds"),
               whole = number(part(r), "seconds");
        double longest = number(line_of(r, "ARMCI_Barrier"), "longest");
        sum += waited;
        check(waited > 0.1 && waited < 1.01 * whole,
              "rank %d waited %g s in the barrier of %g s in all", r, waited, whole);
        check(longest > 0.1 && longest < 1.001 * waited,
              "rank %d waited %g s in one of its barriers, %g s in both", r, longest, waited);
        check_long(calls_in_buckets(line_of(r, "ARMCI_Barrier"), "nanoseconds"), 2,
                   "rank %d, barriers whose time is known", r);
    }
    double total = number(line_of(-1, "ARMCI_Barrier"), "seconds");
    check(total > 0.999 * sum && total < 1.001 * sum, "%g s in all barriers, %g s by ranks", total,
          sum);
}

/* Of quick calls some are timed: an estimate is between nothing and the time of the loop. */
static void time_of_quick_calls(void)
{
    double value = 1, took = 0;
    start_counting();
    void **base = region_create(64);
    for (int i = 0; i < 100000; i++) {
        double begun = MPI_Wtime();
        ARMCI_Put(&value, base[test_rank()], 8, test_rank());
        took += MPI_Wtime() - begun;
    }
    region_free(base);
    if (!stop_counting()) return;
    double seconds = number(line_of(0, "ARMCI_Put"), "seconds");
    check(seconds > 0 && seconds < 3 * took, "%g s of %g s", seconds, took);
    expect(0, "ARMCI_Put", 100000, 800000);
}

enum { PUTS_OF_THREAD = 20000, THREADS = 2 };
static void **shared_base;

static void *put_often(void *which)
{
    double value = 1;
    int right = next_of(test_rank());
    for (int i = 0; i < PUTS_OF_THREAD; i++) {
        ARMCI_Put(&value, (double *)shared_base[right] + *(int *)which, 8, right);
        if (i % 100 == 0) armci_msg_me();
    }
    return NULL;
}

static void calls_of_threads(void)
{
    int which[THREADS] = {0, 1}, level;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) {
        skip("MPI allows no threads here: TEST_THREADS=multiple");
        return;
    }
    start_counting();
    shared_base = region_create(64);
    run_threads(THREADS, put_often, which, sizeof *which);
    region_free(shared_base);
    if (!stop_counting()) return;
    for (int r = 0; r < test_ranks(); r++)
        expect(r, "ARMCI_Put", THREADS * PUTS_OF_THREAD, 8L * THREADS * PUTS_OF_THREAD);
}

static void nothing_when_off(void)
{
    double value = 1;
    ARMCI_Init();
    void **base = region_create(64);
    ARMCI_Put(&value, base[0], 8, 0);
    region_free(base);
    ARMCI_Finalize();
    check(access(file, F_OK) != 0, "a file was written although statistics are off");
}

static const struct test tests[] = {
    {"contiguous calls, bytes, sizes, targets", contiguous_calls},
    {"strided and vector calls, segments", strided_and_vector_calls},
    {"requests of an aggregate handle", aggregated_calls},
    {"rmw, values, locks, fences, barriers, messages", other_calls},
    {"calls that are refused", refused_calls},
    {"memory of regions", memory_of_regions},
    {"time in a barrier", time_in_barrier},
    {"time of quick calls", time_of_quick_calls},
    {"calls of several threads", calls_of_threads},
    {"nothing when off", nothing_when_off},
};
SUITE(.start = start, .stop = stop_mpi);
