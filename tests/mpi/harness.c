/* harness.c - main() of every multi-process test: runs the suite, collects the result. */
#include <dirent.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "nodes.h"
#include "harness.h"

enum { SHOWN_PER_TEST = 4, EXIT_SKIPPED = 77, DEFAULT_SEED = 1 };

static struct {
    MPI_Comm comm;
    int rank, ranks;
    atomic_long errors, checks; /* of the running test, here */
    bool skipped;               /* the running test, here */
    char reason[200];           /* why */
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

/* Count one error and print it, one line: the call, then what was wrong with it. */
static void fail(const char *wrong, const char *format, va_list arguments)
{
    char call[400];
    if (atomic_fetch_add(&state.errors, 1) >= SHOWN_PER_TEST) return;
    vsnprintf(call, sizeof call, format, arguments);
    printf("rank %d: %s%s%s\n", state.rank, call, *wrong ? ": " : "", wrong);
    fflush(stdout);
}

/* The rest of a check that fails. */
#define FAIL(WRONG)                                                                                \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        fail(WRONG, format, arguments);                                                            \
        va_end(arguments);                                                                         \
        return false;                                                                              \
    } while (0)

long test_errors(void)
{
    return state.errors;
}

bool check(bool ok, const char *format, ...)
{
    state.checks++;
    if (ok) return true;
    FAIL("");
}

bool check_long(long seen, long expected, const char *format, ...)
{
    char wrong[100];
    state.checks++;
    if (seen == expected) return true;
    snprintf(wrong, sizeof wrong, "expected %ld, seen %ld", expected, seen);
    FAIL(wrong);
}

bool check_double(double seen, double expected, const char *format, ...)
{
    char wrong[100];
    state.checks++;
    if (seen >= expected && seen <= expected) return true;
    snprintf(wrong, sizeof wrong, "expected %.17g, seen %.17g", expected, seen);
    FAIL(wrong);
}

bool check_time(double seconds, double limit, const char *format, ...)
{
    char wrong[100];
    state.checks++;
    if (seconds <= limit || !getenv("ARMCI_TEST_LONG")) return true;
    snprintf(wrong, sizeof wrong, "expected at most %.4f s, seen %.4f s", limit, seconds);
    FAIL(wrong);
}

bool check_bytes(const void *seen, const void *expected, size_t n, const char *format, ...)
{
    const unsigned char *s = seen, *e = expected;
    size_t first = 0, different = 0;
    char wrong[160];
    state.checks++;
    if (n == 0 || memcmp(seen, expected, n) == 0) return true;
    while (s[first] == e[first])
        first++;
    for (size_t i = first; i < n; i++)
        different += s[i] != e[i];
    snprintf(wrong, sizeof wrong, "byte %zu of %zu expected 0x%02x, seen 0x%02x; %zu bytes differ",
             first, n, e[first], s[first], different);
    FAIL(wrong);
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

bool needs_few_ranks(int n)
{
    if (state.ranks > n) skip("takes too much on more than %d ranks", n);
    return state.ranks <= n;
}

int next_distance(int d)
{
    return state.ranks <= 4 || d == 0 ? d + 1 : 2 * d;
}

bool needs_threads(void)
{
    int level;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        skip("MPI gives thread level %d, not MPI_THREAD_MULTIPLE", level);
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
    if (state.ranks <= 2) return getenv("ARMCI_TEST_LONG") ? n : (n + 2) / 3;
    int part = state.ranks > 8 ? state.ranks : 8;
    return n > part ? n / part : 1;
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
    return transport && strcmp(transport, "rma") == 0 &&
           !(level == MPI_THREAD_MULTIPLE && is_open_mpi_4());
}

bool test_on_rdma(void)
{
    const char *network = getenv("HOSTS_NETWORK");
    return network && strcmp(network, "rdma") == 0;
}

bool test_mpi_serves(void)
{
    const char *shm = getenv("ARMCI_SHM"), *transport = getenv("ARMCI_TRANSPORT");
    return (shm && strcmp(shm, "no") == 0) || test_makes_windows() ||
           (transport && strcmp(transport, "rdma") == 0 && !test_on_rdma());
}

bool test_has_server(void)
{
    const char *progress = getenv("ARMCI_PROGRESS");
    if (test_makes_windows() && is_open_mpi_4()) return false;
    return !getenv("ARMCI_NODES") && !getenv("ARMCI_SHM") &&
           (!progress || strcmp(progress, "none") != 0);
}

struct rng rng_stream(uint64_t number)
{
    struct rng r = {.state = state.seed * 0x9e3779b97f4a7c15u + number};
    r.state = rng_next(&r);
    return r;
}

armci_hdl_t new_handle(void)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    return handle;
}

armci_hdl_t new_aggregate(void)
{
    armci_hdl_t handle = new_handle();
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    return handle;
}

int list_ranks(int first, int step, int list[])
{
    int n = 0;
    for (int p = first; p >= 0 && p < state.ranks; p += step)
        list[n++] = p;
    return n;
}

void run_threads(int n, void *(*work)(void *), void *jobs, size_t size)
{
    pthread_t threads[n];
    for (int t = 0; t < n; t++)
        pthread_create(&threads[t], NULL, work, (char *)jobs + (size_t)t * size);
    for (int t = 0; t < n; t++)
        pthread_join(threads[t], NULL);
}

void *need_memory(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (p == NULL) {
        fprintf(stderr, "rank %d: no memory for %zu bytes\n", state.rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

void *need_zeroed(size_t bytes)
{
    return memset(need_memory(bytes), 0, bytes);
}

void fill_bytes(void *bytes, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)(i * 5 + (i >> 8) + (size_t)seed * 29 + 7);
}

void **region_create(size_t bytes)
{
    void **base = need_memory((size_t)state.ranks * sizeof *base);
    check_long(ARMCI_Malloc(base, (armci_size_t)bytes), 0, "ARMCI_Malloc(%zu bytes)", bytes);
    return base;
}

void slice_fill(void *mine, int byte, size_t bytes)
{
    ARMCI_Access_begin(mine);
    memset(mine, byte, bytes);
    ARMCI_Access_end(mine);
}

void **region_zeroed(size_t bytes)
{
    void **base = region_create(bytes);
    slice_fill(base[state.rank], 0, bytes);
    ARMCI_Barrier();
    return base;
}

long kib_in(const char *path, const char *key)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) kib = strtol(line + strlen(key), NULL, 10);
    if (file) fclose(file);
    return kib;
}

bool forget_largest(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    bool ok = f && fputs("5", f) >= 0;
    return f && fclose(f) == 0 && ok;
}

long not_own_kib(void)
{
    return kib_in("/proc/self/status", "RssShmem:") + kib_in("/proc/self/status", "RssFile:");
}

size_t memory_available(void)
{
    return (size_t)kib_in("/proc/meminfo", "MemAvailable:") << 10;
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

/* Resident KiB of the library's segments. */
static long library_kib(void)
{
    char line[1000];
    long kib = 0;
    bool ours = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' '))
            ours = strstr(line, "memfd:armci") != NULL;
        if (ours && strncmp(line, "Rss:", 4) == 0) kib += strtol(line + 4, NULL, 10);
    }
    if (maps) fclose(maps);
    return kib;
}

/* True for what is neither a socket of MPI nor one of the two files in /proc that the progress
 * thread has open for a moment before each long sleep. */
static bool counts(int descriptor)
{
    char path[64];
    char file[64];
    int domain;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &(socklen_t){sizeof domain}) == 0)
        return domain == AF_UNIX;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(path, file, sizeof file - 1);
    if (length < 0) return false;
    file[length] = '\0';
    return fnmatch("/proc/[0-9]*/fd", file, 0) != 0 &&
           fnmatch("/proc/[0-9]*/task/*/stat", file, 0) != 0;
}

long descriptors(void)
{
    long n = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && counts(atoi(entry->d_name))) n++;
    if (folder) closedir(folder);
    return n;
}

/* With the address sanitizer what is allocated: what is freed stays resident. */
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void); /* gcc 12 has no header for it */

long process_kib(void)
{
    return (long)(__sanitizer_get_current_allocated_bytes() >> 10);
}
#else
long process_kib(void)
{
    return kib_in("/proc/self/status", "RssAnon:") + kib_in("/proc/self/status", "RssShmem:");
}
#endif

struct held held(void)
{
    MPI_Barrier(test_comm());
    return (struct held){library_kib(), process_kib(), lines_with("/proc/self/maps", "memfd:armci"),
                         lines_with("/proc/self/maps", ""), descriptors()};
}

void check_held(struct held before)
{
    struct held now = held();
    check(now.library_kib <= before.library_kib + 256,
          "the library's memory grew from %ld KiB to %ld", before.library_kib, now.library_kib);
    check(now.kib <= before.kib + 2048, "memory in use grew from %ld KiB to %ld", before.kib,
          now.kib);
    check_long(now.library_maps, before.library_maps, "mappings of the library's memory");
    check(now.maps <= before.maps + 8, "mappings grew from %ld to %ld", before.maps, now.maps);
    check_long(now.descriptors, before.descriptors, "descriptors");
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

void use_armci(int me, int n, const char *what)
{
    int right = (me + 1) % n, value = 100 + me, ticket = -1, sum = 1, rank = -1, seen[2] = {-1, -1};
    void *base[MOST_RANKS];
    ARMCI_Group world;
    armci_hdl_t handle = new_handle();
    check_long(ARMCI_Initialized(), 1, "%s: ARMCI_Initialized", what);
    check_long(armci_msg_me(), me, "%s: armci_msg_me", what);
    check_long(armci_msg_nproc(), n, "%s: armci_msg_nproc", what);
    check_long(ARMCI_Malloc(base, 3 * sizeof(int)), 0, "%s: ARMCI_Malloc", what);
    slice_fill(base[me], 0, 3 * sizeof(int));
    ARMCI_Barrier();
    check_long(ARMCI_NbPut(&value, base[right], sizeof value, right, &handle), 0, "%s: ARMCI_NbPut",
               what);
    check_long(ARMCI_Wait(&handle), 0, "%s: ARMCI_Wait", what);
    check_long(ARMCI_Acc(ARMCI_ACC_INT, &sum, &sum, (int *)base[right] + 1, sizeof sum, right), 0,
               "%s: ARMCI_Acc", what);
    ARMCI_Fence(right);
    check_long(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &ticket, (int *)base[0] + 2, 1, 0), 0,
               "%s: ARMCI_Rmw", what);
    check(ticket >= 0 && ticket < n, "%s: ARMCI_Rmw gave %d", what, ticket);
    ARMCI_Barrier();
    ARMCI_Get(base[right], seen, sizeof seen, right);
    check_long(seen[0], value, "%s: get of the put", what);
    check_long(seen[1], 1, "%s: get of the accumulate", what);
    check_long(ARMCI_Create_mutexes(1), 0, "%s: ARMCI_Create_mutexes", what);
    ARMCI_Lock(0, right);
    ARMCI_Unlock(0, right);
    check_long(ARMCI_Destroy_mutexes(), 0, "%s: ARMCI_Destroy_mutexes", what);
    armci_msg_igop(&sum, 1, "+");
    check_long(sum, n, "%s: sum", what);
    ARMCI_Group_get_world(&world);
    armci_msg_group_igop(&sum, 1, "max", &world);
    check_long(sum, n, "%s: largest of the sums", what);
    ARMCI_Group_rank(&world, &rank);
    check_long(rank, me, "%s: rank in the world", what);
    check_long(ARMCI_Free(base[me]), 0, "%s: ARMCI_Free", what);
}

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
            for (const struct test *t = suite.tests; t < suite.tests + suite.n; t++)
                puts(t->promise);
            exit(0);
        } else {
            fprintf(stderr, "usage: %s [--seed=N] [--only=TEXT] [--list]\n", argv[0]);
            exit(2);
        }
    }
}

enum result { PASSED, FAILED, SKIPPED };

/* Run one test on all ranks; the result is the same everywhere. */
static enum result run_test(const struct test *t)
{
    long mine[4], sum[4];
    double begun = MPI_Wtime();
    state.errors = state.checks = 0;
    state.skipped = false;
    if (t->run)
        t->run();
    else
        t->run_row(t->row);
    MPI_Barrier(state.comm);
    mine[0] = state.errors;
    mine[1] = state.errors > 0;
    mine[2] = state.skipped;
    mine[3] = state.checks;
    MPI_Allreduce(mine, sum, 4, MPI_LONG, MPI_SUM, state.comm);
    if (state.rank == 0) {
        if (sum[0] > 0)
            printf("FAIL %s: %ld errors on %ld ranks", t->promise, sum[0], sum[1]);
        else if (sum[2] > 0)
            printf("SKIP %s: %s", t->promise, state.reason);
        else
            printf("PASS %s", t->promise);
        printf(" [%.2f s, %ld checks]\n", MPI_Wtime() - begun, sum[3]);
        fflush(stdout);
    }
    return sum[0] > 0 ? FAILED : sum[2] > 0 ? SKIPPED : PASSED;
}

/* Run the wanted tests. Returns the exit status. */
static int run_suite(void)
{
    int count[3] = {0, 0, 0};
    for (const struct test *t = suite.tests; t < suite.tests + suite.n; t++)
        if (state.only == NULL || is_wanted(t->promise, state.only)) count[run_test(t)]++;
    if (state.rank == 0) {
        printf("%d passed, %d failed, %d skipped on %d ranks, --seed=%llu\n", count[PASSED],
               count[FAILED], count[SKIPPED], state.ranks, (unsigned long long)state.seed);
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

void start_mpi(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
}

void stop_mpi(void)
{
    MPI_Finalize();
}

static void stop_default(void)
{
    check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    MPI_Finalize();
}

/* With a limited address space there is no arena. */
static void limit_address_space(void)
{
    struct rlimit limit = {.rlim_cur = (rlim_t)1 << 40, .rlim_max = (rlim_t)1 << 40};
    if (getenv("ARMCI_TEST_ADDRESS_SPACE")) setrlimit(RLIMIT_AS, &limit);
}

int main(int argc, char **argv)
{
    int status;
    read_arguments(argc, argv);
    limit_address_space();
    (suite.start ? suite.start : start_default)(&argc, &argv);
    if (ARMCI_Initialized()) need_pretended_nodes();
    MPI_Comm_dup(ARMCI_Initialized() ? ARMCIX_Get_world_comm() : MPI_COMM_WORLD, &state.comm);
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.ranks);
    status = run_suite();
    state.errors = 0;
    (suite.stop ? suite.stop : stop_default)();
    return state.errors > 0 ? 1 : status;
}
