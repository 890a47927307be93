/* test_instructions.c - the library's own instructions in short operations: at the caller, and at
 * the server of another node that waits in the library. They depend on the compiler, not on the
 * machine, its load or the MPI library, whose instructions are not counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "pretended_nodes.h"
#include "harness.h"
#include "nodes.h"

/* ---- single steps ---- */

#if defined __x86_64__ && defined __OPTIMIZE__ && !defined __clang__
enum { CAN_COUNT = 1 };
/* With the trap flag set the processor raises SIGTRAP behind each instruction. */
#define TRAP_FLAG(CHANGE)                                                                          \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n " CHANGE "\n popfq\n lea 128(%%rsp), "     \
                     "%%rsp" ::                                                                    \
                         : "memory", "cc")
#define START_STEPS TRAP_FLAG("orq $0x100, (%%rsp)")
#define END_STEPS   TRAP_FLAG("andq $~0x100, (%%rsp)")
#define INSTRUCTION(CONTEXT)                                                                       \
    ((uintptr_t)((const ucontext_t *)(CONTEXT))->uc_mcontext.gregs[REG_RIP])
#else
enum { CAN_COUNT = 0 };
#define START_STEPS          (void)0
#define END_STEPS            (void)0
#define INSTRUCTION(CONTEXT) ((void)(CONTEXT), (uintptr_t)0)
#endif

enum { MOST_SAMPLES = 16 };
static struct {
    uintptr_t lo, hi; /* the library's instructions */
    pthread_t main;
    bool are_on, is_alone; /* is_alone: no other thread serves */
    long count, sample[MOST_SAMPLES];
    int samples;
} steps;

static void count_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    steps.count += INSTRUCTION(context) - steps.lo < steps.hi - steps.lo;
}

/* One sample is complete; the next one begins. */
static void cut(void)
{
    if (steps.samples < MOST_SAMPLES) steps.sample[steps.samples++] = steps.count;
    steps.count = 0;
}

static bool are_mine(void)
{
    return steps.are_on && pthread_equal(pthread_self(), steps.main);
}

static void start_steps(void)
{
    steps.count = 0;
    steps.are_on = true;
    START_STEPS;
}

static void end_steps(void)
{
    END_STEPS;
    steps.are_on = false;
}

/* MPI takes no steps: most instructions are its own. A server sends one message for each operation.
 */
/* clang-format off */
#define WITHOUT_STEPS(NAME, BEFORE, PARAMETERS, ARGUMENTS)                                         \
    int MPI_##NAME PARAMETERS                                                                      \
    {                                                                                              \
        if (!are_mine()) return PMPI_##NAME ARGUMENTS;                                             \
        END_STEPS;                                                                                 \
        BEFORE;                                                                                    \
        int rc = PMPI_##NAME ARGUMENTS;                                                            \
        START_STEPS;                                                                               \
        return rc;                                                                                 \
    }
WITHOUT_STEPS(Isend, if (steps.is_alone) cut(),
              (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
              (data, n, type, to, tag, comm, request))
WITHOUT_STEPS(Irecv, ,
              (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
              (data, n, type, from, tag, comm, request))
WITHOUT_STEPS(Test, , (MPI_Request *request, int *done, MPI_Status *status), (request, done, status))
WITHOUT_STEPS(Testsome, ,
              (int n, MPI_Request requests[], int *done, int which[], MPI_Status statuses[]),
              (n, requests, done, which, statuses))
WITHOUT_STEPS(Iprobe, , (int from, int tag, MPI_Comm comm, int *there, MPI_Status *status), (from, tag, comm, there, status))
WITHOUT_STEPS(Improbe, ,
              (int from, int tag, MPI_Comm comm, int *there, MPI_Message *message, MPI_Status *status),
              (from, tag, comm, there, message, status))
/* clang-format on */

/* The library's thread would serve what a thread that is stepped serves late. */
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    if (steps.is_alone && !pthread_equal(pthread_self(), steps.main)) return EBUSY;
    return real(mutex);
}

/* ---- the library's instructions ---- */

/* Of the object that has ARMCI_Put; false if that is the program, whose own are not to be counted.
 */
static bool find_library(void)
{
    Dl_info library, program;
    char line[512], flags[5];
    uintptr_t lo, hi;
    if (!dladdr((void *)(uintptr_t)ARMCI_Put, &library) ||
        !dladdr((void *)(uintptr_t)cut, &program) || library.dli_fbase == program.dli_fbase)
        return false;
    const char *name = strrchr(library.dli_fname, '/');
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, name ? name : library.dli_fname) &&
            sscanf(line, "%zx-%zx %4s", &lo, &hi, flags) == 3 && flags[2] == 'x') {
            steps.lo = lo;
            steps.hi = hi;
        }
    if (maps) fclose(maps);
    return steps.hi > 0;
}

/* ---- operations ---- */

enum { ORIGIN = 0, NEAR = 1, FAR = 2, RANKS = 3 };
static long local, *remote[RANKS];

static void put(int target)
{
    ARMCI_Put(&local, remote[target], sizeof local, target);
}

static void get(int target)
{
    ARMCI_Get(remote[target], &local, sizeof local, target);
}

static void acc(int target)
{
    double one = 1, zero = 0;
    ARMCI_Acc(ARMCI_ACC_DBL, &one, &zero, remote[target], sizeof zero, target);
}

static void rmw(int target)
{
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &local, remote[target], 1, target);
}

static void put_fence(int target)
{
    put(target);
    ARMCI_Fence(target);
}

static void acc_fence(int target)
{
    acc(target);
    ARMCI_Fence(target);
}

static void lock_unlock(int target)
{
    ARMCI_Lock(0, target);
    ARMCI_Unlock(0, target);
}

#ifdef OPEN_MPI
enum { FAMILY = 1 }; /* its any-source receives are posted when a message has arrived */
#else
enum { FAMILY = 0 };
#endif

/* The counts were recorded with GCC 12 at -O2, for MPICH and Open MPI; those of a server where one
 * serves. An origin polls once in vain before the answer comes, or not at all. */
static const struct row {
    const char *name;
    void (*call)(int target);
    int target;
    long origin[2], server[2];
} rows[] = {
    {"put, 8 bytes", put, NEAR, {31, 31}, {0}},
    {"get, 8 bytes", get, NEAR, {29, 29}, {0}},
    {"accumulate, 8 bytes", acc, NEAR, {215, 215}, {0}},
    {"fetch and add", rmw, NEAR, {88, 88}, {0}},
    {"put, 8 bytes, and fence", put_fence, NEAR, {223, 223}, {0}},
    {"lock and unlock", lock_unlock, NEAR, {514, 514}, {0}},
    {"get, 8 bytes, of another node", get, FAR, {1120, 1120}, {1055, 1224}},
    {"put, 8 bytes, and fence, to another node", put_fence, FAR, {1100, 1100}, {901, 1070}},
    {"accumulate, 8 bytes, and fence, to another node", acc_fence, FAR, {1120, 1120}, {1019, 1188}},
    {"fetch and add on another node", rmw, FAR, {840, 840}, {890, 1059}},
    {"lock and unlock on another node", lock_unlock, FAR, {1250, 1250}, {1673, 1839}},
};

/* ---- counting ---- */

static int compare(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The median: a few wait longer for others. */
static long median(void)
{
    qsort(steps.sample, (size_t)steps.samples, sizeof steps.sample[0], compare);
    const long m = steps.samples > 0 ? steps.sample[steps.samples / 2] : -1;
    steps.samples = 0;
    return m;
}

static void repeat(const struct row *r, int times)
{
    for (int i = 0; i < times; i++)
        r->call(r->target);
}

static long count_at_origin(const struct row *r)
{
    enum { WARM = 4, SAMPLES = 7 };
    repeat(r, WARM);
    for (int i = 0; i < SAMPLES; i++) {
        start_steps();
        r->call(r->target);
        end_steps();
        cut();
    }
    return median();
}

/* The server waits in ARMCI_Barrier. */
static long count_at_server(void)
{
    steps.is_alone = true;
    PMPI_Barrier(MPI_COMM_WORLD);
    start_steps();
    ARMCI_Barrier();
    end_steps();
    steps.is_alone = false;
    return median();
}

static void check_row(const struct row *r)
{
    enum { CYCLES = 10, ROOM = 10 };
    long origin = 0, server = 0;
    if (test_rank() == ORIGIN) origin = count_at_origin(r);
    ARMCI_Barrier();
    if (r->server[FAMILY] > 0 && test_rank() == FAR) {
        server = count_at_server();
    } else if (r->server[FAMILY] > 0) {
        PMPI_Barrier(MPI_COMM_WORLD);
        if (test_rank() == ORIGIN) repeat(r, CYCLES);
        ARMCI_Barrier();
    }
    PMPI_Bcast(&server, 1, MPI_LONG, FAR, MPI_COMM_WORLD);
    if (test_rank() != ORIGIN) return;
    printf("%-48s %5ld %5ld\n", r->name, origin, server);
    check(origin > 0 && 100 * origin <= (100 + ROOM) * r->origin[FAMILY],
          "%s: %ld instructions at the origin, recorded %ld", r->name, origin, r->origin[FAMILY]);
    check(100 * server <= (100 + ROOM) * r->server[FAMILY],
          "%s: %ld instructions at the server, recorded %ld", r->name, server, r->server[FAMILY]);
}

static void check_rows(void)
{
    void *base[RANKS];
    ARMCI_Malloc(base, sizeof(long));
    for (int i = 0; i < RANKS; i++)
        remote[i] = base[i];
    *remote[test_rank()] = 0;
    ARMCI_Create_mutexes(1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
    ARMCI_Destroy_mutexes();
    ARMCI_Free(base[test_rank()]);
}

static void few_instructions(void)
{
    struct sigaction former, action = {.sa_sigaction = count_step, .sa_flags = SA_SIGINFO};
    if (!needs_ranks(RANKS) || !needs_few_ranks(RANKS)) return;
    if (!on_all_ranks(CAN_COUNT && find_library())) {
        skip("needs x86-64, GCC's optimization and a shared libarmci");
        return;
    }
    need_pretended_nodes();
    steps.main = pthread_self();
    sigaction(SIGTRAP, &action, &former);
    check_rows();
    sigaction(SIGTRAP, &former, NULL);
}

static const struct test tests[] = {
    {"a short operation takes few instructions of the library", few_instructions},
};
SUITE(.start = start_threaded);
