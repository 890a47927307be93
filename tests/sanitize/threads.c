/* threads.c [--without-lock] - the parts of the library without MPI from several threads at once,
 * for ThreadSanitizer; results are exact. Under the lock: the address index. Each thread makes
 * and frees teams, while it looks for another one that stays, as messages do, and asks for its
 * scopes. Without: what may be called at any time, on shared data that is only read. Elements in
 * shared memory: under the locks of their blocks.  --without-lock leaves the global lock off, which
 * must be found. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "base/lock.h"
#include "mem/lookup.h"
#include "shape/accumulate.h"
#include "shape/copy.h"
#include "shape/overlap.h"
#include "shape/shape.h"
#include "node/heap.h"
#include "node/node.h"
#include "transport/shm/shm.h"
#include "mpi/coll.h"
#include "mpi/errors.h"
#include "mpi/team.h"
#include "mpi/world.h"

enum { THREADS = 4, ROUNDS = 300, PROCESSES = 3, WORDS = 4096, ROWS = 16 };

static struct index *index_of_all;
static long entered; /* under the lock */
static struct stripe stripes[STRIPES];
static double sums[WORDS]; /* under their stripes */
static char source[ROWS * 64];
static struct shape shared_shape; /* read by all */

static void expect(bool right, const char *what)
{
    if (right) return;
    fprintf(stdout, "wrong: %s\n", what);
    exit(1);
}

/* ---- under the lock */

/* The global lock is taken twice, as when one of its functions calls another. */
static void use_index(int thread, int round)
{
    const uintptr_t base = (uintptr_t)(thread + 1) << 20, lo = base + (uintptr_t)(round % 50) * 64;
    const int process = round % PROCESSES;
    armcii_lock_enter();
    armcii_lock_enter();
    entered++;
    expect(armcii_index_find(index_of_all, process, lo) == NULL, "found before it was there");
    struct interval mine = {.lo = lo, .hi = lo + 32, .region = (struct region *)base};
    expect(armcii_index_insert(index_of_all, process, mine), "no memory for an interval");
    armcii_lock_exit();
    armcii_lock_exit();
    armcii_lock_enter();
    const struct interval *found = armcii_index_find(index_of_all, process, lo + 31);
    expect(found != NULL && found->region == (struct region *)base,
           "not found although it is there");
    armcii_index_remove(index_of_all, process, lo, lo + 1);
    armcii_lock_exit();
}

/* ---- teams, which take the lock themselves; --without-lock runs none, so that the index is what
 * is found */

static struct world the_world;
const struct world *const armcii_world = &the_world;
static atomic_int comms;

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    return *rank = 0;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 1;
    return 0;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    return (*group = comm) * 0;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    return *comm = MPI_COMM_NULL;
}

/* Waits for others. */
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    (void)comm, (void)group, (void)tag;
    sched_yield();
    *made = atomic_fetch_add(&comms, 1) + 1;
    return 0;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return MPI_Comm_create_group(comm, group, 0, made);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *made)
{
    (void)n, (void)ranks;
    return (*made = group) * 0;
}

int MPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other,
                              int translated[])
{
    (void)group, (void)n, (void)ranks, (void)other;
    return translated[0] = 0;
}

int MPI_Group_free(MPI_Group *group)
{
    return *group = 0;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    (void)comm, (void)key, (void)value;
    return *found = 0;
}

/* Of src/mpi/coll.c: waits for others without the lock. */
void armcii_coll_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    (void)buffer, (void)bytes, (void)root, (void)comm;
    unsigned entries = armcii_lock_suspend();
    sched_yield();
    armcii_lock_resume(entries);
}

void armcii_coll_sendrecv(const void *out, struct peer to, void *in, struct peer from, int bytes,
                          MPI_Comm comm)
{
    (void)out, (void)to, (void)in, (void)from, (void)bytes, (void)comm;
    expect(false, "a message of the only member");
}

void armcii_coll_barrier(MPI_Comm comm)
{
    int unused = 0;
    armcii_coll_bcast(&unused, 0, 0, comm);
}

int armcii_coll_create(MPI_Comm comm, int n, const int ranks[], int tag, MPI_Comm *part)
{
    (void)n, (void)ranks;
    unsigned entries = armcii_lock_suspend();
    int rc = MPI_Comm_create_group(comm, 0, tag, part);
    armcii_lock_resume(entries);
    return rc;
}

bool armcii_coll_all(bool mine, MPI_Comm comm)
{
    (void)comm;
    return mine;
}

/* Not called here. */
int armcii_coll_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    (void)color, (void)key;
    *part = comm;
    return MPI_SUCCESS;
}

int armcii_coll_dup(MPI_Comm comm, MPI_Comm *copy)
{
    *copy = comm;
    return MPI_SUCCESS;
}

/* Of src/mpi/errors.c: nothing fails here. */
MPI_Errhandler armcii_errors_ask(MPI_Comm comm)
{
    return comm;
}

void armcii_errors_end(MPI_Comm comm, MPI_Errhandler before)
{
    expect(before == comm, "another communicator");
}

void armcii_errors_ask_here(bool ask)
{
    (void)ask;
}

bool armcii_errors_is_made(int code, MPI_Comm comm)
{
    return code == MPI_SUCCESS && comm != MPI_COMM_NULL;
}

static const struct heap no_heap;
const struct heap *const armcii_heap = &no_heap;

/* Of src/transport/transport.c. */
const struct slice_run *armcii_slice_run(const struct region *r, int member)
{
    (void)r, (void)member;
    expect(false, "a slice of unequal ones");
    return NULL;
}

unsigned armcii_region_refuses(const struct region *r)
{
    (void)r;
    return 0;
}

static void start_world(void)
{
    static int zero[1], bounds[2] = {0, 1};
    the_world = (struct world){.comm = 1, .control = 1, .size = 1, .domains = 1, .nodes = 1};
    the_world.domain_of = the_world.node_of = the_world.members = zero;
    the_world.identity = the_world.leaders = zero;
    the_world.first_member = bounds;
    atomic_store(&comms, 1);
    armcii_team_create_world();
}

static void use_team(struct team *team)
{
    expect(armcii_team_find(team->comm, team->number) == team, "a team that is there");
    for (enum team_scope scope = TEAM_ALL; scope < TEAM_SCOPES; scope++) {
        expect(armcii_team_scope_comm(team, scope) != MPI_COMM_NULL, "communicator of a scope");
        expect(armcii_scope_rank(team, scope, 0) == 0 && armcii_tree(team, scope).root == 0,
               "rank in a scope");
    }
}

/* A collective call holds the lock, and a group that is used by one thread is not freed by another.
 */
static void use_teams(void)
{
    armcii_lock_enter();
    int zero = 0;
    struct team *mine = NULL;
    armcii_team_create_by_members(armcii_team_world(), 1, &zero, &mine);
    armcii_lock_exit();
    use_team(mine);
    armcii_lock_enter();
    armcii_team_close(mine);
    armcii_lock_exit();
}

/* ---- without it */

static void use_shapes(char *own)
{
    char packed[ROWS * 24];
    struct shape mine = shared_shape, part;
    mine.local = own;
    size_t position = 0, parts = 0;
    while (armcii_shape_chunk(&mine, 100, &position, &part)) {
        armcii_copy_shape(&part, SHAPE_LOCAL);
        parts++;
    }
    expect(parts == 4, "parts");
    expect(armcii_shape_is_disjoint(&mine, SHAPE_LOCAL) && armcii_shape_nests(&mine, SHAPE_REMOTE),
           "shape");
    for (int row = 0; row < ROWS; row++)
        expect(memcmp(own + 32 * row, source + 64 * row, 24) == 0, "copied");
    armcii_shape_pack(&mine, packed);
    for (int row = 0; row < ROWS; row++)
        expect(memcmp(packed + 24 * row, source + 64 * row, 24) == 0, "packed");
}

static void use_tree(int thread)
{
    struct overlap_tree *tree = armcii_overlap_create(100);
    expect(tree != NULL, "no memory for a tree");
    for (uintptr_t i = 0; i < 100; i++) {
        uintptr_t lo = i * 37 % 100 * 16 + (uintptr_t)thread;
        expect(armcii_overlap_insert(tree, lo, lo + 16) == OVERLAP_NONE, "overlap");
    }
    expect(armcii_overlap_insert(tree, 800, 801) == OVERLAP_FOUND, "no overlap");
    armcii_overlap_free(tree);
}

static void use_kernels(void)
{
    const long two = 2;
    long values[40], scaled[40];
    for (long i = 0; i < 40; i++)
        values[i] = i;
    armcii_scale_copy(ELEMENT_LONG, &two, values, scaled, sizeof values);
    armcii_accumulate(ELEMENT_LONG, &two, scaled, values, sizeof values);
    for (long i = 0; i < 40; i++)
        expect(scaled[i] == 4 * i, "accumulated");
}

static void use_configuration(int thread, int round)
{
    armcii_config_ensure();
    expect(armcii_config->outstanding_limit == 77 && armcii_config->errors == ERRORS_RETURN,
           "configuration");
    if (round % 50 != 0) return;
    armcii_warn("thread %d round %d", thread, round);
    expect(armcii_error(-5, "ARMCI_Put", "proc", "it is none", "%d", thread) == -5, "error code");
}

/* ---- elements of shared memory */

static void use_stripes(int round)
{
    const double one = 1;
    double ones[16];
    for (int i = 0; i < 16; i++)
        ones[i] = 1;
    double *at = &sums[(size_t)round * 16 % WORDS];
    struct stripe *s = armcii_stripe_of(stripes, 0, armcii_stripe_block((uintptr_t)at));
    struct stripe *last = armcii_stripe_of(stripes, 0, armcii_stripe_block((uintptr_t)(at + 15)));
    armcii_stripe_lock(s < last ? s : last);
    if (s != last) armcii_stripe_lock(s < last ? last : s);
    armcii_accumulate(ELEMENT_DOUBLE, &one, at, ones, sizeof ones);
    if (s != last) armcii_stripe_unlock(s < last ? last : s);
    armcii_stripe_unlock(s < last ? s : last);
}

static struct node the_node = {.stripes = stripes};
const struct node *const armcii_node = &the_node;
_Thread_local bool armcii_stores_pending; /* of src/transport/transport.c */

/* As a server, without the lock; then as a fence. */
static void serve_and_fence(char *own)
{
    struct shape s;
    armcii_shape_contiguous(&s, source, own, 64);
    armcii_apply_put(&s);
    expect(memcmp(own, source, 64) == 0, "put for another process");
    armcii_lock_enter();
    armcii_drain_stores();
    armcii_stores_pending = true;
    armcii_lock_exit();
}

static void *work(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    char own[ROWS * 32];
    for (int round = 0; round < ROUNDS; round++) {
        use_index(thread, round);
        if (armcii_lock.enabled) use_teams();
        use_shapes(own);
        use_tree(thread);
        use_kernels();
        use_configuration(thread, round);
        use_stripes(round);
        if (armcii_lock.enabled) serve_and_fence(own);
    }
    return NULL;
}

/* ---- before and after */

static void prepare(bool lock)
{
    static char *environment[] = {"ARMCI_ERRORS=return", "ARMCI_OUTSTANDING_LIMIT=77", NULL};
    static const int count[] = {24, ROWS}, dense[] = {64}, apart[] = {32};
    static char any[ROWS * 32];
    expect(armcii_config_read(environment, NULL) == 0, "environment");
    armcii_lock_enable(lock);
    index_of_all = armcii_index_create(PROCESSES);
    expect(index_of_all != NULL, "no memory for an index");
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (char)(i * 7);
    enum shape_status status =
        armcii_shape_strided(&shared_shape, any, apart, source, dense, count, 1);
    expect(status == SHAPE_OK, "shape");
}

/* Every line of the log is whole: what threads wrote does not mix. */
static void check_log(FILE *log)
{
    char line[256];
    int lines = 0, thread, round, code;
    rewind(log);
    for (; fgets(line, sizeof line, log) != NULL; lines++) {
        char end = 0;
        int warning =
            sscanf(line, "ARMCI warning: rank 3: thread %d round %d%c", &thread, &round, &end);
        if (warning != 3)
            code = sscanf(line, "ARMCI error: rank 3: ARMCI_Put: proc = %d: it is none%c", &thread,
                          &end);
        expect((warning == 3 || code == 2) && end == '\n', line);
    }
    expect(lines == THREADS * (ROUNDS / 50) * 2, "number of lines in the log");
}

static void check_sums(void)
{
    for (int i = 0; i < WORDS; i++) {
        int rounds = 0;
        for (int round = 0; round < ROUNDS; round++)
            rounds += round * 16 % WORDS == i / 16 * 16;
        expect(sums[i] == THREADS * rounds, "sum");
    }
}

int main(int argc, char **argv)
{
    const bool lock = argc < 2 || strcmp(argv[1], "--without-lock") != 0;
    pthread_t threads[THREADS];
    FILE *log = tmpfile();
    expect(log != NULL && dup2(fileno(log), STDERR_FILENO) >= 0, "no file for the log");
    armcii_log_set_rank(3);
    armcii_backoff.spin_limit = 20;
    prepare(lock);
    start_world();
    for (intptr_t i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, work, (void *)i) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    expect(entered == (long)THREADS * ROUNDS, "times entered");
    check_sums();
    check_log(log);
    armcii_team_free_all();
    armcii_index_free(index_of_all);
    fclose(log);
    puts("all right");
    return 0;
}
