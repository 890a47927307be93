/* test_progress.c - jobs that span nodes: the target computes without a call into MPI or ARMCI; the first of each operation after a
 * silence, and a thousand of them, are over while it does.  The program calls plain MPI_Init and sets no variable. */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../mpi/op.h"

enum { TIMES = 1000, FIRSTS = 5, ROOM = 4096, SEGMENTS = 16, SEGMENT = 40 };
/* Seconds.  On an idle machine the first takes at most 0.002, a thousand 0.1; a machine that others use as well needs more. */
static const double COMPUTING = 2.0, GIVEN_UP = 40.0, SILENCE = 0.02, FIRST_LIMIT = 0.1, TIMES_LIMIT = 4.0;

struct slice {
    int computing, told, back; /* told: all is over */
    long counter;
    char room[ROOM];
};

/* What is done to the slice of the target, and what its room should hold. */
struct work {
    int target;
    struct slice *there;
    long added;
    char local[ROOM], mirror[ROOM];
    struct sides sides; /* of these */
};

struct operation {
    const char *name;
    void (*once)(struct work *w, const struct op *op);
    struct op op;
};

static void be_silent(void)
{
    double until = now() + SILENCE;
    while (now() < until)
        ;
}

static void contiguous(struct work *w, const struct op *op)
{
    op_bytes(op, &w->sides, 0, 0, SEGMENTS * SEGMENT, NULL);
}

static void strided(struct work *w, const struct op *op)
{
    struct patch p = {.levels = 1, .count = {SEGMENT, SEGMENTS}, .stride = {{48}, {120}}};
    op_patch(op, &w->sides, &p, NULL);
}

static void vector(struct work *w, const struct op *op)
{
    size_t from[SEGMENTS], to[SEGMENTS];
    for (size_t i = 0; i < SEGMENTS; i++) {
        from[i] = 56 * i;
        to[i] = 72 * (SEGMENTS - i);
    }
    op_segments(op, &w->sides, SEGMENTS, SEGMENT, from, to, NULL);
}

static void rmw(struct work *w, const struct op *op)
{
    long seen = -1;
    (void)op;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, &w->there->counter, 3, w->target);
    check_long(seen, w->added, "FETCH_AND_ADD_LONG");
    w->added += 3;
}

static void lock(struct work *w, const struct op *op)
{
    (void)op;
    ARMCI_Lock(0, w->target);
    ARMCI_Unlock(0, w->target);
}

static const struct operation operations[] = {
    {"put", contiguous, {.kind = OP_PUT}}, {"get", contiguous, {.kind = OP_GET}},       {"acc", contiguous, {.kind = OP_ACC}},
    {"putS", strided, {.kind = OP_PUT}},   {"getS", strided, {.kind = OP_GET}},         {"accS", strided, {.kind = OP_ACC}},
    {"putV", vector, {.kind = OP_PUT}},    {"getV", vector, {.kind = OP_GET}},          {"accV", vector, {.kind = OP_ACC}},
    {"rmw", rmw, {.kind = OP_GET}},        {"lock and unlock", lock, {.kind = OP_GET}},
};

/* By windows inside a node, too, MPI spins while it waits: where ranks outnumber processors each call may cost several time slices. On an
 * emulated processor a strided get has taken 4 ms. */
static int times(void)
{
    return test_on_rdma() || (test_makes_windows() && test_ranks() > 2) ? TIMES / 10 : TIMES;
}

/* So often, with what it writes in place at the target; in seconds. */
static double time_of(struct work *w, const struct operation *o, int times)
{
    struct op op = o->op;
    double begun = now();
    op.type = ARMCI_ACC_DBL;
    op.scale = scale_one(op.type);
    for (int i = 0; i < times; i++)
        o->once(w, &op);
    if (op.kind != OP_GET) ARMCI_Fence(w->target);
    return now() - begun;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_operation(struct work *w, const struct operation *o, struct rng *r)
{
    char seen[ROOM];
    double first[FIRSTS], many;
    if (o->op.kind != OP_GET) element_fill(ARMCI_ACC_DBL, r, w->local, ROOM);
    for (int i = 0; i < FIRSTS; i++) {
        be_silent();
        first[i] = time_of(w, o, 1);
    }
    qsort(first, FIRSTS, sizeof *first, ascending);
    many = time_of(w, o, times());
    printf("%-16s first %7.3f ms (of %d: %.3f to %.3f), %d in %7.2f ms\n", o->name, 1e3 * first[FIRSTS / 2], FIRSTS, 1e3 * first[0],
           1e3 * first[FIRSTS - 1], times(), 1e3 * many);
    fflush(stdout);
    check(first[FIRSTS / 2] < FIRST_LIMIT, "%s: the first took %.3f s while the target computed", o->name, first[FIRSTS / 2]);
    check(many < TIMES_LIMIT, "%s: %d took %.3f s while the target computed", o->name, times(), many);
    ARMCI_Get(w->there->room, seen, ROOM, w->target);
    check_bytes(seen, w->mirror, ROOM, "the target's memory after %s", o->name);
}

/* No call into MPI or ARMCI in here. */
static void compute(volatile struct slice *mine)
{
    double begun = now();
    volatile double sum = 0;
    mine->computing = 1;
    while (now() < begun + COMPUTING || (!mine->told && now() < begun + GIVEN_UP))
        for (int i = 0; i < 1000; i++)
            sum = sum + (double)i;
    mine->back = 1;
}

static void operate(struct work *w)
{
    struct rng r = rng_stream(87000);
    while (ARMCI_GetValueInt(&w->there->computing, w->target) == 0)
        ;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        check_operation(w, &operations[i], &r);
    check_long(ARMCI_GetValueInt(&w->there->back, w->target), 0, "after all: has the target come back");
    ARMCI_PutValueInt(1, &w->there->told, w->target);
    ARMCI_Fence(w->target);
}

static void let_work(int worker)
{
    struct work w = {.target = test_ranks() - 1};
    if (!on_all_ranks(test_has_server())) {
        skip("no server: the target would have to enter MPI");
        return;
    }
    void **base = region_zeroed(sizeof(struct slice));
    w.there = base[w.target];
    w.sides = (struct sides){w.local, w.local, w.there->room, w.mirror, w.target};
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    if (test_rank() == w.target)
        compute(base[w.target]);
    else if (test_rank() == worker)
        operate(&w);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    region_free(base);
}

static void from_another_node(void)
{
    let_work(0);
}

static void from_the_same_node(void)
{
    if (test_ranks() < 3)
        skip("needs 2 ranks on a node");
    else
        let_work(test_ranks() - 2);
}

/* The file `name` of a thread of this process, from the line that begins with `start`, or "". */
static void read_of_thread(const char *thread, const char *name, const char *start, char *text, size_t room)
{
    char path[64 + NAME_MAX];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, name);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, (int)room, f))
        if (strncmp(text, start, strlen(start)) == 0) {
            fclose(f);
            return;
        }
    text[0] = '\0';
    if (f) fclose(f);
}

/* The progress thread; 0: there is none.  *blocked: the signals that it blocks. */
static long library_thread(unsigned long *blocked)
{
    char text[64];
    long found = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(threads)) != NULL && !found;) {
        read_of_thread(e->d_name, "comm", "armci-progress", text, sizeof text);
        if (!text[0]) continue;
        found = atol(e->d_name);
        read_of_thread(e->d_name, "status", "SigBlk:", text, sizeof text);
        *blocked = strtoul(text + strlen("SigBlk:"), NULL, 16);
    }
    closedir(threads);
    return found;
}

static unsigned long bit_of(int signal)
{
    return 1UL << (signal - 1);
}

enum { SIGNALS = 20 };
static atomic_long handled_by[SIGNALS];
static atomic_int handled;

static void note_thread(int signal)
{
    (void)signal;
    handled_by[atomic_fetch_add(&handled, 1) % SIGNALS] = gettid();
}

/* MPI's threads may take it. */
static void send_what_main_blocks(void)
{
    sigset_t usr1, former;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &former);
    for (int i = 0; i < SIGNALS; i++) {
        kill(getpid(), SIGUSR1);
        be_silent();
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}

static void signals_go_elsewhere(void)
{
    const char *progress = getenv("ARMCI_PROGRESS");
    struct sigaction noting = {.sa_handler = note_thread}, former;
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    unsigned long blocked = 0;
    if (!on_all_ranks(test_has_server()) || (progress && strcmp(progress, "rank") == 0)) {
        skip("no thread of the library");
        return;
    }
    long thread = library_thread(&blocked);
    check(thread > 0, "there is no thread armci-progress");
    check((blocked & bit_of(SIGUSR1)) && (blocked & bit_of(SIGALRM)) && (blocked & bit_of(SIGTERM)), "it blocks %lx only", blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        check(!(blocked & bit_of(faults[i])), "it blocks signal %d", faults[i]);
    sigaction(SIGUSR1, &noting, &former);
    send_what_main_blocks();
    sigaction(SIGUSR1, &former, NULL);
    check(handled > 0, "no signal came");
    for (int i = 0; i < handled && i < SIGNALS; i++)
        check(handled_by[i] != thread, "the progress thread ran the handler");
}

static const struct test tests[] = {
    {"the first of each operation and a thousand of it end while the target computes", from_another_node},
    {"so do those of another process of its node", from_the_same_node},
    {"the progress thread runs no signal handler of the program", signals_go_elsewhere},
};
SUITE();
