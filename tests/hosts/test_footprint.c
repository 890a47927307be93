/* test_footprint.c - jobs that span nodes: memory that the library itself takes in each process, at rest and while everybody works on
 * the memory of everybody of the other nodes; memory of a server that is stopped for a time, MPI's included.  check-footprint compares
 * its figures on 2, 8 and 32 ranks. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../mpi/harness.h"
#include "../mpi/own_memory.h"

static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    own_memory_start();
    ARMCI_Init();
}

enum { OPERATIONS = 192, ROUNDS = 4, PIECE = 32 << 10, ROOM = 2 * PIECE, ROWS = 64, ROW = PIECE / ROWS };
/* Of the library's own in a process, whatever the number of ranks; tables that grow with it take 1 KiB a rank at most. */
enum { MOST = 16 << 20, MOST_PER_RANK = 1 << 10 };

/* A slice: what is only read, every byte the rank; what is only added to. */
struct slice {
    unsigned char constant[ROOM];
    double sums[PIECE / sizeof(double)];
};

struct work {
    void **base;
    int far, *list; /* ranks of other nodes */
    char *local;    /* [OPERATIONS][ROOM] */
    double ones[PIECE / sizeof(double)];
    armci_hdl_t handle[OPERATIONS];
};

static void find_far(struct work *w)
{
    w->list = need_memory((size_t)test_ranks() * sizeof *w->list);
    for (int p = 0; p < test_ranks(); p++)
        if (!armci_domain_same_id(ARMCI_DOMAIN_SMP, p)) w->list[w->far++] = p;
}

static void get_by_vector(const struct slice *there, char *local, int target, armci_hdl_t *handle)
{
    void *from[ROWS], *to[ROWS];
    armci_giov_t iov = {from, to, ROW, ROWS};
    for (int i = 0; i < ROWS; i++) {
        from[i] = (char *)(uintptr_t)there->constant + 2 * ROW * i;
        to[i] = local + ROW * i;
    }
    ARMCI_NbGetV(&iov, 1, target, handle);
}

/* What replies, and what is sent, take memory for: all kinds in turn. */
static void issue(struct work *w, int i, int target)
{
    struct slice *there = w->base[target];
    char *local = w->local + (size_t)i * ROOM;
    int far[] = {2 * ROW}, near[] = {ROW}, rows[] = {ROW, ROWS};
    double one = 1;
    ARMCI_INIT_HANDLE(&w->handle[i]);
    if (i % 4 == 0)
        ARMCI_NbGet(there->constant, local, PIECE, target, &w->handle[i]);
    else if (i % 4 == 1)
        ARMCI_NbGetS(there->constant, far, local, near, rows, 1, target, &w->handle[i]);
    else if (i % 4 == 2)
        get_by_vector(there, local, target, &w->handle[i]);
    else
        ARMCI_NbAcc(ARMCI_ACC_DBL, &one, w->ones, there->sums, PIECE, target, &w->handle[i]);
}

/* As many operations in flight on 2 ranks as on 32: with one process, or spread over many. */
static void load(struct work *w)
{
    for (int i = 0; i < OPERATIONS; i++)
        issue(w, i, w->list[(i / 4 + test_rank()) % w->far]);
    for (int i = 0; i < OPERATIONS; i++) {
        unsigned char owner = (unsigned char)w->list[(i / 4 + test_rank()) % w->far], expected[PIECE];
        ARMCI_Wait(&w->handle[i]);
        memset(expected, owner, PIECE);
        if (i % 4 != 3) check_bytes(w->local + (size_t)i * ROOM, expected, PIECE, "get %d in kind from %d", i % 4, owner);
    }
    ARMCI_AllFence();
}

static void check_sums(const struct work *w)
{
    const struct slice *mine = w->base[test_rank()];
    double here = mine->sums[0], all;
    check_double(mine->sums[PIECE / sizeof(double) - 1], here, "the last of the sums, as the first");
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, test_comm());
    check_double(all, (double)(ROUNDS * OPERATIONS / 4 * test_ranks()), "what was accumulated in all");
}

/* The lowest rank of a node is its server. */
static bool is_server(void)
{
    return armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP), 0) == test_rank();
}

/* The largest of servers, of the others; rank 0 prints them. */
static void print_largest(long at_rest, long loaded)
{
    long mine[6] = {0}, all[6];
    memcpy(mine + (is_server() ? 0 : 3), (long[]){at_rest / 1024, loaded / 1024, kib_in("/proc/self/status", "VmHWM:")}, 3 * sizeof(long));
    MPI_Reduce(mine, all, 6, MPI_LONG, MPI_MAX, 0, test_comm());
    if (test_rank() == 0)
        printf("KiB on %d ranks: server %ld at rest, %ld loaded, process %ld; others %ld at rest, %ld loaded, process %ld\n", test_ranks(),
               all[0], all[1], all[2], all[3], all[4], all[5]);
}

static void footprint(void)
{
    static struct work w;
    long at_rest = own_memory_in_use();
    find_far(&w);
    if (!on_all_ranks(w.far > 0)) {
        skip("one node");
        return;
    }
    w.base = region_create(sizeof(struct slice));
    w.local = need_memory((size_t)OPERATIONS * ROOM);
    for (size_t i = 0; i < PIECE / sizeof(double); i++)
        w.ones[i] = 1;
    memset(w.base[test_rank()], 0, sizeof(struct slice));
    memset(w.base[test_rank()], test_rank(), ROOM);
    ARMCI_Barrier();
    for (int i = 0; i < ROUNDS; i++)
        load(&w);
    ARMCI_Barrier();
    check_sums(&w);
    long loaded = own_memory_most();
    print_largest(at_rest, loaded);
    check(at_rest > 0, "no memory of the library was counted");
    check(loaded <= MOST + (long)test_ranks() * MOST_PER_RANK, "the library took %ld KiB at most", loaded / 1024);
    region_free(w.base);
    free(w.local);
    free(w.list);
}

/* ---- a stopped server ---- */

enum { WORDS = 2048, SUM_WORDS = 512, LARGE = 100 << 10, GETS = 32, STOPPED_S = 2 };
/* What a server may grow by. */
enum { SERVER_MOST = 4 << 20, SERVER_MOST_PER_CLIENT = 4 << 10 };

/* Each client's, in the memory of rank 0. */
struct target {
    long words[WORDS]; /* all the number of the last put */
    double sums[SUM_WORDS];
    unsigned char large[LARGE];
};

struct stream {
    struct target *to;
    long rounds, words[GETS][WORDS], seen[GETS];
    armci_hdl_t put[GETS], get[GETS];
    double ones[SUM_WORDS];
    unsigned char large[LARGE];
};

static void finish_round(struct stream *s, long round)
{
    if (round < 0) return;
    ARMCI_Wait(&s->put[round % GETS]);
    ARMCI_Wait(&s->get[round % GETS]);
    check_long(s->seen[round % GETS], round, "a get behind the put of round %ld", round);
}

/* The last word of a put is got at once, behind it. */
static void stream_round(struct stream *s, long round)
{
    int i = (int)(round % GETS);
    double one = 1;
    finish_round(s, round - GETS);
    for (int k = 0; k < WORDS; k++)
        s->words[i][k] = round;
    ARMCI_INIT_HANDLE(&s->put[i]);
    ARMCI_INIT_HANDLE(&s->get[i]);
    ARMCI_NbPut(s->words[i], s->to->words, sizeof s->to->words, 0, &s->put[i]);
    ARMCI_NbGet(&s->to->words[WORDS - 1], &s->seen[i], sizeof(long), 0, &s->get[i]);
    ARMCI_NbAcc(ARMCI_ACC_DBL, &one, s->ones, s->to->sums, sizeof s->to->sums, 0, NULL);
    if (round % 4 == 0) ARMCI_NbPut(s->large, s->to->large, LARGE, 0, NULL);
}

static void stream_for(struct stream *s, double seconds)
{
    for (double until = now() + seconds; now() < until; s->rounds++)
        stream_round(s, s->rounds);
    for (long round = s->rounds < GETS ? 0 : s->rounds - GETS; round < s->rounds; round++)
        finish_round(s, round);
    ARMCI_WaitAll();
    ARMCI_Fence(0);
}

static void check_target(struct stream *s)
{
    static struct target here;
    unsigned char expected[LARGE];
    memset(expected, test_rank(), LARGE);
    ARMCI_Get(s->to, &here, sizeof here, 0);
    check_long(here.words[0], s->rounds - 1, "the first word of the last put");
    check_double(here.sums[0], (double)s->rounds, "the first sum");
    check_double(here.sums[SUM_WORDS - 1], (double)s->rounds, "the last sum");
    check_bytes(here.large, expected, LARGE, "the large put");
}

static void *stop_for_a_time(void *server)
{
    pid_t process = *(const pid_t *)server;
    kill(process, SIGSTOP);
    nanosleep(&(struct timespec){.tv_sec = STOPPED_S}, NULL);
    kill(process, SIGCONT);
    return NULL;
}

static void stream_while_stopped(struct stream *s, pid_t server)
{
    pthread_t stopper;
    bool stops = test_rank() == test_ranks() - 1 && pthread_create(&stopper, NULL, stop_for_a_time, &server) == 0;
    check(stops || test_rank() < test_ranks() - 1, "no thread to stop the server");
    stream_for(s, STOPPED_S);
    if (stops) pthread_join(stopper, NULL);
}

/* The largest resident size counts from now on. */
static bool forget_largest(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    bool ok = f && fputs("5", f) >= 0;
    return f && fclose(f) == 0 && ok;
}

static void stopped_server(void)
{
    static struct stream s;
    bool far = !armci_domain_same_id(ARMCI_DOMAIN_SMP, 0);
    int clients = far;
    pid_t server = getpid();
    if (!on_all_ranks(test_has_server())) {
        skip("no server: MPI decides what it keeps");
        return;
    }
    armci_msg_igop(&clients, 1, "+");
    MPI_Bcast(&server, sizeof server, MPI_BYTE, 0, test_comm());
    void **base = region_zeroed(sizeof(struct target) * (size_t)test_ranks());
    s.to = (struct target *)base[0] + test_rank();
    for (int k = 0; k < SUM_WORDS; k++)
        s.ones[k] = 1;
    memset(s.large, test_rank(), LARGE);
    if (far) ARMCI_PutValueLong(0, s.to->words, 0); /* connects */
    ARMCI_Barrier();
    long before = kib_in("/proc/self/status", "VmRSS:");
    if (test_rank() == 0) check(forget_largest(), "/proc/self/clear_refs");
    ARMCI_Barrier();
    if (far) stream_while_stopped(&s, server);
    ARMCI_Barrier();
    long grown = kib_in("/proc/self/status", "VmHWM:") - before, most = (SERVER_MOST + clients * SERVER_MOST_PER_CLIENT) >> 10;
    if (test_rank() == 0) {
        printf("server stopped for %d s, %d clients: %ld KiB more\n", STOPPED_S, clients, grown);
        check(grown <= most, "the server grew by %ld KiB, more than %ld KiB", grown, most);
    }
    if (far) check_target(&s);
    region_free(base);
}

static const struct test tests[] = {
    {"a server that is stopped takes little memory for its clients", stopped_server},
    {"the library's own memory is bounded, however much the ranks transfer", footprint},
};
SUITE(.start = start);
