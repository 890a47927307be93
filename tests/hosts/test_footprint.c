/* test_footprint.c - jobs that span nodes: memory that the library itself takes in each process, at
 * rest and while everybody works on the memory of everybody of the other nodes; memory of a server
 * that is stopped for a time, MPI's included.  test_footprint.py compares its figures on 2, 8 and
 * 32 ranks. */
#include <pthread.h>
#include <signal.h>
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

enum {
    OPERATIONS = 192,
    ROUNDS = 4,
    PIECE = 32 << 10,
    ROOM = 2 * PIECE,
    ROWS = 64,
    ROW = PIECE / ROWS
};
/* Of the library's own in a process, whatever the number of ranks; tables that grow with it take 1
 * KiB a rank at most. */
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
        unsigned char owner = (unsigned char)w->list[(i / 4 + test_rank()) % w->far],
                      expected[PIECE];
        ARMCI_Wait(&w->handle[i]);
        memset(expected, owner, PIECE);
        if (i % 4 != 3)
            check_bytes(w->local + (size_t)i * ROOM, expected, PIECE, "get %d in kind from %d",
                        i % 4, owner);
    }
    ARMCI_AllFence();
}

static void check_sums(const struct work *w)
{
    const struct slice *mine = w->base[test_rank()];
    double here = mine->sums[0], all;
    check_double(mine->sums[PIECE / sizeof(double) - 1], here,
                 "the last of the sums, as the first");
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, test_comm());
    check_double(all, (double)(ROUNDS * OPERATIONS / 4 * test_ranks()),
                 "what was accumulated in all");
}

/* The lowest rank of a node is its server. */
static bool is_server(void)
{
    return armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP), 0) ==
           test_rank();
}

/* The largest of servers, of the others; rank 0 prints them. */
static void print_largest(long at_rest, long loaded)
{
    long mine[6] = {0}, all[6];
    memcpy(mine + (is_server() ? 0 : 3),
           (long[]){at_rest / 1024, loaded / 1024, kib_in("/proc/self/status", "VmHWM:")},
           3 * sizeof(long));
    MPI_Reduce(mine, all, 6, MPI_LONG, MPI_MAX, 0, test_comm());
    if (test_rank() == 0)
        printf("KiB on %d ranks: server %ld at rest, %ld loaded, process %ld; others %ld at rest, "
               "%ld loaded, process %ld\n",
               test_ranks(), all[0], all[1], all[2], all[3], all[4], all[5]);
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
    check(loaded <= MOST + (long)test_ranks() * MOST_PER_RANK, "the library took %ld KiB at most",
          loaded / 1024);
    region_free(w.base);
    free(w.local);
    free(w.list);
}

/* ---- a server and many clients ---- */

enum { WORDS = 2048, SUM_WORDS = 512, LARGE = 100 << 10, IN_FLIGHT = 32, STOPPED_S = 2 };
/* What a server may grow by. */
enum { SERVER_MOST = 4 << 20, SERVER_MOST_PER_CLIENT = 4 << 10 };
/* What all clients get from: a patch of WIDTH words a row in rows of PITCH words, each word its
 * number. */
enum { WIDTH = 128, PITCH = 2 * WIDTH, MOST_ROWS = 8192, SMALL_SEGMENTS = 2000 };

/* Each client's, in the memory of rank 0. */
struct target {
    long words[WORDS]; /* all the number of the last put */
    double sums[SUM_WORDS];
    unsigned char large[256 << 10];
};

/* What a client does for a time, and checks. */
struct client {
    struct target *to;
    const long *patch;
    long rounds, words[IN_FLIGHT][WORDS], seen[IN_FLIGHT];
    long *rows; /* [IN_FLIGHT] of the load's size */
    armci_hdl_t put[IN_FLIGHT], get[IN_FLIGHT];
    double ones[SUM_WORDS];
    unsigned char large[256 << 10];
};

struct server_load {
    const char *name;
    bool stops; /* the server, for a time */
    size_t bytes;
    void (*round)(struct client *c, const struct server_load *load);
    void (*finish)(struct client *c, const struct server_load *load);
};

static long patch_word(size_t i)
{
    return (long)(i / WIDTH * PITCH + i % WIDTH);
}

static void check_rows(const long *rows, const struct server_load *load)
{
    size_t n = load->bytes / sizeof(long), i = 0;
    while (i < n && rows[i] == patch_word(i))
        i++;
    if (i < n) check_long(rows[i], patch_word(i), "word %zu of %zu in %s", i, n, load->name);
}

static void get_patch(struct client *c, const struct server_load *load)
{
    int far[] = {PITCH * sizeof(long)}, near[] = {WIDTH * sizeof(long)},
        count[] = {near[0], (int)load->bytes / near[0]};
    ARMCI_GetS((void *)(uintptr_t)c->patch, far, c->rows, near, count, 1, 0);
    check_rows(c->rows, load);
}

static void get_patches(struct client *c, const struct server_load *load)
{
    enum { PATCHES = 8 };
    int far[] = {PITCH * sizeof(long)}, near[] = {WIDTH * sizeof(long)},
        count[] = {near[0], (int)load->bytes / near[0]};
    size_t words = load->bytes / sizeof(long);
    for (size_t i = 0; i < PATCHES; i++) {
        ARMCI_INIT_HANDLE(&c->get[i]);
        ARMCI_NbGetS((void *)(uintptr_t)c->patch, far, c->rows + i * words, near, count, 1, 0,
                     &c->get[i]);
    }
    for (size_t i = 0; i < PATCHES; i++) {
        ARMCI_Wait(&c->get[i]);
        check_rows(c->rows + i * words, load);
    }
}

/* Words at places that are no patch. */
static size_t scattered_word(size_t i)
{
    return 3 * i + i % 2;
}

static void get_words_by_vector(struct client *c, const struct server_load *load)
{
    static void *from[SMALL_SEGMENTS], *to[IN_FLIGHT][SMALL_SEGMENTS];
    (void)load;
    for (int k = 0; k < IN_FLIGHT; k++) {
        for (size_t i = 0; i < SMALL_SEGMENTS; i++) {
            from[i] = (void *)(uintptr_t)&c->patch[scattered_word(i)];
            to[k][i] = c->words[k] + i;
        }
        armci_giov_t iov = {.src_ptr_array = from,
                            .dst_ptr_array = to[k],
                            .bytes = sizeof(long),
                            .ptr_array_len = SMALL_SEGMENTS};
        ARMCI_INIT_HANDLE(&c->get[k]);
        ARMCI_NbGetV(&iov, 1, 0, &c->get[k]);
    }
    for (int k = 0; k < IN_FLIGHT; k++) {
        ARMCI_Wait(&c->get[k]);
        for (size_t i = 0; i < SMALL_SEGMENTS; i++)
            if (c->words[k][i] != (long)scattered_word(i))
                check_long(c->words[k][i], (long)scattered_word(i), "word %zu of a vector", i);
    }
}

static void get_words(struct client *c, const struct server_load *load)
{
    enum { GETS = 1000 };
    long seen[GETS];
    (void)load;
    for (int i = 0; i < GETS; i++)
        ARMCI_NbGet((void *)(uintptr_t)&c->patch[i], &seen[i], sizeof(long), 0, NULL);
    ARMCI_WaitAll();
    for (int i = 0; i < GETS; i++)
        check_long(seen[i], i, "a word");
}

static void put_large(struct client *c, const struct server_load *load)
{
    memset(c->large, (int)c->rounds, load->bytes);
    ARMCI_Put(c->large, c->to->large, (int)load->bytes, 0);
}

static void check_large(struct client *c, const struct server_load *load)
{
    static unsigned char here[256 << 10];
    ARMCI_Get(c->to->large, here, (int)load->bytes, 0);
    check_bytes(here, c->large, load->bytes, "the last put of %s", load->name);
}

static void accumulate(struct client *c, const struct server_load *load)
{
    double one = 1;
    (void)load;
    ARMCI_NbAcc(ARMCI_ACC_DBL, &one, c->ones, c->to->sums, sizeof c->to->sums, 0, NULL);
}

static void check_client_sums(struct client *c, const struct server_load *load)
{
    static double here[SUM_WORDS];
    ARMCI_Get(c->to->sums, here, sizeof here, 0);
    check_double(here[0], (double)c->rounds, "the first sum of %s", load->name);
    check_double(here[SUM_WORDS - 1], (double)c->rounds, "the last sum of %s", load->name);
}

static void finish_round(struct client *c, long round)
{
    if (round < 0) return;
    ARMCI_Wait(&c->put[round % IN_FLIGHT]);
    ARMCI_Wait(&c->get[round % IN_FLIGHT]);
    check_long(c->seen[round % IN_FLIGHT], round, "a get behind the put of round %ld", round);
}

/* The last word of a put is got at once, behind it; now and then a large put, and a patch. */
static void mix(struct client *c, const struct server_load *load)
{
    long round = c->rounds;
    int i = (int)(round % IN_FLIGHT);
    finish_round(c, round - IN_FLIGHT);
    for (int k = 0; k < WORDS; k++)
        c->words[i][k] = round;
    ARMCI_INIT_HANDLE(&c->put[i]);
    ARMCI_INIT_HANDLE(&c->get[i]);
    ARMCI_NbPut(c->words[i], c->to->words, sizeof c->to->words, 0, &c->put[i]);
    ARMCI_NbGet(&c->to->words[WORDS - 1], &c->seen[i], sizeof(long), 0, &c->get[i]);
    accumulate(c, load);
    memset(c->large, 7, LARGE);
    if (round % 4 == 0) ARMCI_NbPut(c->large, c->to->large, LARGE, 0, NULL);
    if (round % 16 == 2) get_patch(c, load);
}

static void finish_mix(struct client *c, const struct server_load *load)
{
    long word;
    for (long round = c->rounds < IN_FLIGHT ? 0 : c->rounds - IN_FLIGHT; round < c->rounds; round++)
        finish_round(c, round);
    ARMCI_WaitAll();
    ARMCI_Get(&c->to->words[0], &word, sizeof word, 0);
    check_long(word, c->rounds - 1, "the first word of the last put");
    check_client_sums(c, load);
}

static void *stop_for_a_time(void *server)
{
    pid_t process = *(const pid_t *)server;
    kill(process, SIGSTOP);
    nanosleep(&(struct timespec){.tv_sec = STOPPED_S}, NULL);
    kill(process, SIGCONT);
    return NULL;
}

static void work(struct client *c, const struct server_load *load, pid_t server)
{
    pthread_t stopper;
    bool stops = load->stops && test_rank() == test_ranks() - 1 &&
                 pthread_create(&stopper, NULL, stop_for_a_time, &server) == 0;
    check(stops || !load->stops || test_rank() < test_ranks() - 1, "no thread to stop the server");
    for (double until = now() + (load->stops ? STOPPED_S : 1); now() < until || c->rounds == 0;
         c->rounds++)
        load->round(c, load);
    if (load->finish) load->finish(c, load);
    ARMCI_Fence(0);
    if (stops) pthread_join(stopper, NULL);
}

/* Of this process, that of its regions excepted, KiB. */
static long own_kib(void)
{
    return kib_in("/proc/self/status", "RssAnon:");
}

/* MPI libraries keep what each kind of message took, so the loads of one job add up: together they
 * may take twice as much as one. */
static void check_growth(const struct server_load *load, int clients, long before, long first)
{
    long largest = kib_in("/proc/self/status", "VmHWM:") - not_own_kib(),
         most = (SERVER_MOST + clients * SERVER_MOST_PER_CLIENT) >> 10;
    printf("%s, server %s, %d clients: %ld KiB more, %ld with the loads before\n", load->name,
           load->stops ? "stopped for 2 s" : "running", clients, largest - before, largest - first);
    check(largest - before <= most, "the server grew by %ld KiB, more than %ld KiB",
          largest - before, most);
    check(largest - first <= 2 * most, "the server grew by %ld KiB in all, more than %ld KiB",
          largest - first, 2 * most);
}

static void measured_work(struct client *c, const struct server_load *load, bool far, pid_t server)
{
    static long first; /* when all clients are connected and have done nothing */
    int clients = far;
    armci_msg_igop(&clients, 1, "+");
    if (far) ARMCI_PutValueLong(0, c->to->words, 0); /* connects */
    ARMCI_Barrier();
    long before = own_kib();
    if (first == 0) first = before;
    if (test_rank() == 0) check(forget_largest(), "/proc/self/clear_refs");
    ARMCI_Barrier();
    if (far) work(c, load, server);
    ARMCI_Barrier();
    if (test_rank() == 0) check_growth(load, clients, before, first);
}

static void serve_clients(const void *row)
{
    static struct client c;
    const struct server_load *load = row;
    bool far = !armci_domain_same_id(ARMCI_DOMAIN_SMP, 0);
    pid_t server = getpid();
    if (!on_all_ranks(test_has_server())) {
        skip("no server: MPI decides what it keeps");
        return;
    }
    MPI_Bcast(&server, sizeof server, MPI_BYTE, 0, test_comm());
    void **base = region_zeroed(sizeof(struct target) * (size_t)test_ranks());
    void **patches = region_create(test_rank() == 0 ? (size_t)MOST_ROWS * PITCH * sizeof(long) : 0);
    for (size_t i = 0; test_rank() == 0 && i < (size_t)MOST_ROWS * PITCH; i++)
        ((long *)patches[0])[i] = (long)i;
    c = (struct client){.to = (struct target *)base[0] + test_rank(), .patch = patches[0]};
    c.rows = far ? need_memory(8 * load->bytes + 1) : NULL;
    for (int k = 0; k < SUM_WORDS; k++)
        c.ones[k] = 1;
    measured_work(&c, load, far, server);
    free(c.rows);
    region_free(patches);
    region_free(base);
}

/* clang-format off */
#define LOAD(...) NULL, serve_clients, &(const struct server_load){__VA_ARGS__}
#define BOTH(NAME, ...) \
    {"a server's memory is bounded: " NAME, LOAD(NAME, false, __VA_ARGS__)}, \
    {"a server that is stopped takes little memory: " NAME, LOAD(NAME, true, __VA_ARGS__)}
/* clang-format on */

static const struct test tests[] = {
    BOTH("strided gets of 8 MiB", 8 << 20, get_patch),
    BOTH("strided gets of 512 KiB, eight in flight", 512 << 10, get_patches),
    BOTH("vectors of 2000 words, many in flight", 0, get_words_by_vector),
    BOTH("gets of a word, many in flight", 0, get_words),
    BOTH("puts of 8 KiB", 8 << 10, put_large, check_large),
    BOTH("puts of 256 KiB", 256 << 10, put_large, check_large),
    BOTH("accumulates", 0, accumulate, check_client_sums),
    BOTH("all kinds in turn", 512 << 10, mix, finish_mix),
    {"the library's own memory is bounded, however much the ranks transfer", footprint},
};
SUITE(.start = start);
