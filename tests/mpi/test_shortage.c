/* test_shortage.c - regions that cannot be had: an error code on every rank, a message with sizes,
 * and no harm to what comes after. */
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

enum { MIB = 1 << 20 };

static int malloc_and_listen(void **base, long bytes, char *text, size_t room)
{
    catch_errors();
    int rc = ARMCI_Malloc(base, bytes);
    snprintf(text, room, "%s", caught_errors());
    return rc;
}

/* The numbers before " MiB". */
static int read_sizes(const char *text, size_t size[], int most)
{
    int n = 0;
    for (const char *at = strstr(text, " MiB"); at && n < most; at = strstr(at + 1, " MiB")) {
        const char *begin = at;
        while (begin > text && begin[-1] >= '0' && begin[-1] <= '9')
            begin--;
        if (begin < at) size[n++] = strtoull(begin, NULL, 10);
    }
    return n;
}

static void still_works(void)
{
    int me = test_rank(), next = (me + 1) % test_ranks(),
        before = (me + test_ranks() - 1) % test_ranks();
    void **base = region_create(100000);
    ARMCI_PutValueInt(1000 + me, (char *)base[next] + 99996, next);
    ARMCI_Barrier();
    check_long(ARMCI_GetValueInt((char *)base[me] + 99996, me), 1000 + before,
               "a put into a region made afterwards");
    region_done(base);
}

static void more_than_there_is(void)
{
    void *base[MOST_RANKS];
    size_t available = memory_available(), size[2] = {0, 0};
    long bytes = (long)(available / (size_t)test_ranks() / MIB * 2 * MIB);
    char text[2000];
    MPI_Bcast(&bytes, 1, MPI_LONG, 0, test_comm());
    check_long(malloc_and_listen(base, bytes, text, sizeof text), ARMCI_ERR_MEMORY,
               "ARMCI_Malloc(%ld) by each rank: code", bytes);
    if (check_long(read_sizes(text, size, 2), 2, "sizes in the message '%s'", text)) {
        check_long((long)size[0], bytes / MIB * test_ranks(), "MiB asked for in '%s'", text);
        check(size[1] < size[0] && size[1] > 0, "MiB available in '%s'", text);
    }
    still_works();
}

static void sums_that_wrap(void)
{
    void *base[MOST_RANKS];
    char text[2000];
    int n = test_ranks();
    const long sizes[][2] = {
        {LONG_MAX, LONG_MAX}, {LONG_MAX - 4095, LONG_MAX - 4095}, {1L << 62, (1L << 62) + 8192}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        long bytes = sizes[i][test_rank() == n - 1];
        check_long(malloc_and_listen(base, bytes, text, sizeof text), ARMCI_ERR_MEMORY,
                   "ARMCI_Malloc(%ld) by one of %d: code", bytes, n);
    }
    still_works();
}

/* One rank can open nothing more: a region needs no descriptor. */
static void no_descriptor_left(void)
{
    void *base[MOST_RANKS];
    if (!needs_segments()) return;
    for (int who = 0; who < test_ranks(); who++) {
        struct rlimit before, none;
        int next = dup(2);
        close(next);
        getrlimit(RLIMIT_NOFILE, &before);
        none = before;
        none.rlim_cur = (rlim_t)next;
        if (test_rank() == who) setrlimit(RLIMIT_NOFILE, &none);
        int rc = ARMCI_Malloc(base, 4 * MIB);
        setrlimit(RLIMIT_NOFILE, &before);
        check_long(rc, 0, "ARMCI_Malloc where rank %d can open no file: code", who);
        if (rc == 0) check_long(ARMCI_Free(base[test_rank()]), 0, "ARMCI_Free");
    }
    still_works();
}

/* Batch systems limit the size of files; memory is not a file. */
static void limited_files(void)
{
    void *base[MOST_RANKS];
    struct rlimit before, small;
    if (!needs_segments()) return;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = MIB;
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = ARMCI_Malloc(base, 4 * MIB);
    setrlimit(RLIMIT_FSIZE, &before);
    check(rc == 0 || rc == ARMCI_ERR_MEMORY, "ARMCI_Malloc where files may have 1 MiB: code %d",
          rc);
    check(on_all_ranks(rc == 0) == (rc == 0),
          "ARMCI_Malloc where files may have 1 MiB: codes differ");
    if (rc == 0) check_long(ARMCI_Free(base[test_rank()]), 0, "ARMCI_Free");
    still_works();
}

/* Descriptors, and mappings of the library's segments. */
static long count_resources(void)
{
    return lines_with("/proc/self/maps", "memfd:armci") + descriptors();
}

enum { MOST_REGIONS = 2000 };
static void *bases[MOST_REGIONS][MOST_RANKS];

/* Regions of `bytes` a rank until there is an error, which all ranks get at the same one; returns
 * how many there are. */
static int malloc_until_refused(long bytes, int most)
{
    char text[2000];
    int n = 0, rc = 0;
    while (n < most && (rc = malloc_and_listen(bases[n], bytes, text, sizeof text)) == 0)
        n++;
    int differ = n, highest;
    MPI_Allreduce(&differ, &highest, 1, MPI_INT, MPI_MAX, test_comm());
    check_long(n, highest, "regions of %ld bytes before the error", bytes);
    check(n == most || rc == ARMCI_ERR_MEMORY, "code %d after %d regions of %ld bytes", rc, n,
          bytes);
    return n;
}

static void free_regions(int from, int n)
{
    for (int i = from; i < n; i++)
        check_long(ARMCI_Free(bases[i][test_rank()]), 0, "ARMCI_Free");
}

/* Nobody touches them: so the kernel still calls all of their memory available. */
/* Small regions that come and go between them must not make room for those that stay, which are
 * below what is granted without a look at the system, 16 MiB. Of slices of less than 64 KiB the
 * heap keeps the pages; of longer ones it gives them back. */
static void more_beside_small_ones(void)
{
    long bytes = 16L * MIB / test_ranks() - 65536, available = (long)memory_available();
    void *small[2][MOST_RANKS];
    int n = 0;
    if (!needs_segments()) return;
    MPI_Bcast(&available, 1, MPI_LONG, 0, test_comm());
    catch_errors();
    for (int rc = 0; rc == 0 && n < MOST_REGIONS; n += rc == 0) {
        const long slice = n % 16 == 0 ? 2 * MIB - 4096 : 60000;
        for (int i = 0; i < 2 && rc == 0; i++)
            rc = ARMCI_Malloc(small[i], slice);
        for (int i = 0; i < 2 && rc == 0; i++)
            memset(small[i][test_rank()], 1, (size_t)slice); /* untouched memory takes none */
        for (int i = 0; i < 2 && rc == 0; i++)
            rc = ARMCI_Free(small[i][test_rank()]);
        if (rc == 0) rc = ARMCI_Malloc(bases[n], bytes);
    }
    caught_errors();
    check(n > 10 && n * bytes * test_ranks() <= available,
          "%d regions of %ld bytes on each rank, where %ld are available", n, bytes, available);
    free_regions(0, n);
    still_works();
}

static void more_together_than_there_is(void)
{
    long bytes = (long)(memory_available() / (size_t)test_ranks() * 3 / 10);
    if (!needs_segments()) return;
    MPI_Bcast(&bytes, 1, MPI_LONG, 0, test_comm());
    long before = count_resources();
    for (int round = 0; round < 2; round++) {
        int n = malloc_until_refused(bytes, 8);
        check(n >= 2 && n <= 3, "round %d: %d regions of 3 tenths of the memory", round, n);
        free_regions(0, n);
    }
    check_long(count_resources(), before, "descriptors and mappings afterwards");
    still_works();
}

/* Untouched regions leave less than the mutexes need. */
static void more_mutexes_than_there_is(void)
{
    enum { LEFT = 256 * MIB, MUTEXES = 1 << 26 /* of 16 bytes, on all ranks */ };
    long bytes = (long)(memory_available() / (size_t)test_ranks() / 2);
    int n = 0, count = MUTEXES / test_ranks();
    if (!needs_segments()) return;
    MPI_Bcast(&bytes, 1, MPI_LONG, 0, test_comm());
    catch_errors();
    for (; bytes > LEFT / test_ranks() / 2; bytes /= 2)
        n += ARMCI_Malloc(bases[n], bytes) == 0;
    int rc = ARMCI_Create_mutexes(count);
    caught_errors();
    check_long(rc, ARMCI_ERR_MEMORY, "ARMCI_Create_mutexes(%d) beside %d regions: code", count, n);
    if (rc == 0) ARMCI_Destroy_mutexes();
    free_regions(0, n);
    check_long(ARMCI_Create_mutexes(100000), 0, "ARMCI_Create_mutexes where there is memory");
    ARMCI_Lock(99999, 0);
    ARMCI_Unlock(99999, 0);
    check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
    still_works();
}

static void more_by_memget_than_there_is(void)
{
    armci_meminfo_t info[8];
    size_t bytes = memory_available() / 10 * 3;
    int n = 0;
    if (!needs_segments()) return;
    memset(info, 0, sizeof info);
    if (test_rank() == 0 && test_ranks() > 1) {
        for (bool more = true; more && n < 8; n += more) {
            ARMCI_Memget(bytes, &info[n], 0);
            more = info[n].addr != NULL;
        }
        check(n >= 2 && n <= 3, "%d allocations of 3 tenths of the memory", n);
        while (n > 0)
            ARMCI_Memctl(&info[--n]);
    }
    MPI_Barrier(test_comm());
    still_works();
}

/* test_cgroup.py runs this one in a control group of so many MiB: whatever is given out can be
 * touched. */
static void within_a_group(void)
{
    const char *text = getenv("ARMCI_TEST_GROUP_MIB");
    long group = text ? strtol(text, NULL, 10) * MIB : 0, bytes = group / 4 / test_ranks();
    if (!text) {
        skip("ARMCI_TEST_GROUP_MIB is not set");
        return;
    }
    int n = malloc_until_refused(bytes, 8);
    check(n >= 2 && n <= 3, "%d regions of a quarter of the group's memory", n);
    for (int i = 0; i < n; i++)
        memset(bases[i][test_rank()], 1, (size_t)bytes);
    MPI_Barrier(test_comm());
    free_regions(n - 1, n);
    check_long(ARMCI_Malloc(bases[n - 1], bytes), 0,
               "a region in place of a freed one, beside others that are in use");
    memset(bases[n - 1][test_rank()], 1, (size_t)bytes);
    free_regions(0, n);
}

static void small_ones_within_a_group(void)
{
    const char *text = getenv("ARMCI_TEST_GROUP_MIB");
    long group = text ? strtol(text, NULL, 10) : 0, bytes = MIB / test_ranks();
    if (!text) {
        skip("ARMCI_TEST_GROUP_MIB is not set");
        return;
    }
    int n = malloc_until_refused(bytes, MOST_REGIONS);
    check(n > group / 3 && n < group, "%d regions of 1 MiB in a group of %ld MiB", n, group);
    for (int i = 0; i < n; i++)
        memset(bases[i][test_rank()], 1, (size_t)bytes);
    MPI_Barrier(test_comm());
    free_regions(0, n);
    still_works();
}

static void start_returning(int *argc, char ***argv)
{
    setenv("ARMCI_ERRORS", "return", 1);
    MPI_Init(argc, argv);
    ARMCI_Init();
}

static const struct test tests[] = {
    {"more memory than there is gives an error with sizes", more_than_there_is},
    {"more memory together than there is gives an error", more_together_than_there_is},
    {"more memory together than there is gives an error, also beside small regions that come and "
     "go",
     more_beside_small_ones},
    {"more mutexes than there is memory for give an error", more_mutexes_than_there_is},
    {"more memory by ARMCI_Memget than there is gives an error", more_by_memget_than_there_is},
    {"a control group bounds all regions together", within_a_group},
    {"a control group bounds small regions together", small_ones_within_a_group},
    {"sizes whose sum wraps around give an error", sums_that_wrap},
    {"a process without a descriptor left gives all an error", no_descriptor_left},
    {"a limit on the size of files ends no process", limited_files},
};
SUITE(.start = start_returning);
