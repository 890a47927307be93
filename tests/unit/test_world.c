/* test_world.c - memory that the tables of the world and of groups take in a process of a job with
 * a million ranks, 128 on each node. MPI and the library's collectives are replaced: all other
 * ranks contribute what the caller would in their place. */
#define _GNU_SOURCE
#include <malloc.h>
#include <sys/mman.h>

#include "core/op.h"
#include "mem/lookup.h"
#include "mpi/coll.h"
#include "mpi/team.h"
#include "mpi/world.h"
#include "unit.h"

enum { RANKS = 1 << 20, ON_NODE = 128, ME = 2 * ON_NODE };

/* ---- MPI ---- */

static MPI_Comm new_comm(void)
{
    return MPI_COMM_SELF; /* any but MPI_COMM_NULL and MPI_COMM_WORLD */
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = ME;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = RANKS;
    return MPI_SUCCESS;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request)
{
    (void)comm;
    *copy = new_comm();
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
    (void)function;
    *handler = MPI_ERRORS_RETURN;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int MPI_Errhandler_free(MPI_Errhandler *handler)
{
    (void)handler;
    return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    (void)comm, (void)key, (void)value;
    *found = 0;
    return MPI_SUCCESS;
}

/* ---- collectives ---- */

/* Bytes of its own memory that the process has touched. */
static size_t touched(void)
{
    char line[128];
    size_t kib = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) && sscanf(line, "Anonymous: %zu", &kib) != 1) {
    }
    fclose(f);
    ck_assert_uint_gt(kib, 0);
    return kib << 10;
}

static size_t most_touched; /* while the tables of the world are filled */

void __wrap_armcii_coll_wait(MPI_Request *request);
void __wrap_armcii_coll_wait(MPI_Request *request)
{
    (void)request;
}

bool __wrap_armcii_coll_is_one_node(MPI_Comm comm);
bool __wrap_armcii_coll_is_one_node(MPI_Comm comm)
{
    (void)comm;
    return false;
}

MPI_Comm __wrap_armcii_coll_split_by_node(MPI_Comm comm, int key);
MPI_Comm __wrap_armcii_coll_split_by_node(MPI_Comm comm, int key)
{
    (void)comm, (void)key;
    return new_comm();
}

/* Each node is led by its first process. The world asks for the number of nodes, and for the
 * leaders of all processes in blocks. */
void __wrap_armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm);
void __wrap_armcii_coll_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm)
{
    static int first;
    int *all = to;
    (void)from, (void)op, (void)comm;
    ck_assert(type == MPI_INT);
    if (n == 1) {
        *all = RANKS / ON_NODE;
        first = 0;
        return;
    }
    for (int i = 0; i < n; i++, first++)
        all[i] = first / ON_NODE * ON_NODE;
    ck_assert_int_le(first, RANKS);
#ifndef __SANITIZE_ADDRESS__ /* looking touches memory of its own */
    const size_t now = touched();
    if (now > most_touched) most_touched = now;
#endif
}

/* The first process of the caller's node tells its rank. */
void __wrap_armcii_coll_bcast(void *data, int bytes, int root, MPI_Comm comm);
void __wrap_armcii_coll_bcast(void *data, int bytes, int root, MPI_Comm comm)
{
    (void)comm;
    ck_assert_int_eq(root, 0);
    ck_assert_int_eq(bytes, (int)sizeof(int));
    *(int *)data = ME / ON_NODE * ON_NODE;
}

void __wrap_armcii_coll_barrier(MPI_Comm comm);
void __wrap_armcii_coll_barrier(MPI_Comm comm)
{
    (void)comm;
}

/* Tags, or a truth. */
void __wrap_armcii_coll_sendrecv(const void *out, struct peer to, void *in, struct peer from,
                                 int bytes, MPI_Comm comm);
void __wrap_armcii_coll_sendrecv(const void *out, struct peer to, void *in, struct peer from,
                                 int bytes, MPI_Comm comm)
{
    (void)to, (void)from, (void)comm;
    memcpy(in, out, (size_t)bytes);
}

int __wrap_armcii_coll_create(MPI_Comm comm, int n, const int ranks[], int tag, MPI_Comm *part);
int __wrap_armcii_coll_create(MPI_Comm comm, int n, const int ranks[], int tag, MPI_Comm *part)
{
    (void)comm, (void)n, (void)ranks, (void)tag;
    *part = new_comm();
    return MPI_SUCCESS;
}

/* ---- tests ---- */

/* Bytes that the process has allocated. */
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void); /* gcc 12 has no header for it */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0"; /* what is freed is touched no longer */
}

static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes();
}
#else
static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}
#endif

/* A line of the process's status, in bytes. */
static size_t status(const char *name)
{
    char line[128];
    size_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %zu", &kib);
    fclose(f);
    ck_assert_uint_gt(kib, 0);
    return kib << 10;
}

static void *of_node;

static void fill_tables(void)
{
    of_node = mmap(NULL, armcii_world->table_bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(of_node, MAP_FAILED);
    armcii_world_fill_tables(of_node);
}

static size_t before, resident_before;

static void begin(void)
{
    before = most_touched = touched();
    resident_before = status("VmRSS");
    armcii_world_create(MPI_COMM_WORLD, false);
    fill_tables();
    armcii_team_create_world();
}

static void end(void)
{
    armcii_team_free_all();
    munmap(of_node, armcii_world->table_bytes);
    armcii_world_free();
}

static void check_per_rank(const char *what, double bytes, double most)
{
    printf("%s: %g bytes a rank\n", what, bytes / RANKS);
    ck_assert_msg(bytes <= most * RANKS, "%s: %g bytes a rank, more than %g", what, bytes / RANKS,
                  most);
}

TEST(fixed_tables)
{
    armcii_lookup_start();
    armcii_notify_start();
    check_per_rank("fixed tables of a process", (double)(touched() - before), 0.5);
    check_per_rank("fixed tables of a node", (double)armcii_world->table_bytes, 32);
    armcii_notify_end();
    armcii_lookup_end();
}

/* While leaders are gathered, and at the end, when this process has filled the tables of the node.
 */
TEST(peak_of_the_start)
{
#ifndef __SANITIZE_ADDRESS__ /* its shadow counts */
    const double shared = (double)armcii_world->table_bytes,
                 gathering = (double)most_touched - (double)before,
                 resident = (double)status("VmHWM") - (double)resident_before;
    ck_assert_msg(resident > 0.95 * shared, "a peak of %g bytes is not measured", resident);
    ck_assert_msg(gathering > RANKS / 16.0 * sizeof(int), "%g bytes are not measured", gathering);
    check_per_rank("a process at the start", gathering, 1);
    check_per_rank("the same at its end", resident - shared, 1);
#endif
}

TEST(tables_say_who_is_where)
{
    const struct world *w = armcii_world;
    ck_assert_int_eq(w->nodes, RANKS / ON_NODE);
    ck_assert_int_eq(w->node, ME / ON_NODE);
    ck_assert_int_eq(w->domain, ME / ON_NODE);
    for (int rank = 0; rank < RANKS; rank += 77777) {
        ck_assert_int_eq(w->node_of[rank], rank / ON_NODE * ON_NODE);
        ck_assert_int_eq(w->local_rank_of[rank], rank % ON_NODE);
        ck_assert_int_eq(armcii_domain_member(w->domain_of[rank], rank % ON_NODE), rank);
        ck_assert_int_eq(armcii_world_node_number(w->node_of[rank]), rank / ON_NODE);
        ck_assert_int_eq(armcii_team_rank(armcii_team_world(), rank), rank);
    }
    ck_assert(armcii_team_is_on_node(armcii_team_world(), RANKS - ON_NODE));
}

/* Groups of the even ranks, or of those of even nodes, in this order. */
static int in_order(int i)
{
    return 2 * i;
}

static int reversed(int i)
{
    return RANKS - 2 - 2 * i;
}

static int even_nodes(int i)
{
    return i / ON_NODE * 2 * ON_NODE + i % ON_NODE;
}

static const struct group_row {
    const char *what;
    int (*member)(int i);
    bool on_every_node;
    double bytes; /* a member */
} groups[] = {{"a group of every other rank", in_order, true, 4.01},
              {"the same, descending", reversed, true, 8.01},
              {"a group of every other node", even_nodes, false, 4.01}};

TABLE_TEST(groups_have_no_table_of_the_world, groups)
{
    enum { MEMBERS = RANKS / 2 };
    const struct group_row *g = &groups[_i];
    struct team *team;
    int *ranks = malloc(MEMBERS * sizeof *ranks);
    ck_assert_ptr_nonnull(ranks);
    for (int i = 0; i < MEMBERS; i++)
        ranks[i] = g->member(i);
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* count bytes, not pages */
    size_t at_first = allocated();
    ck_assert(armcii_team_create_by_members(armcii_team_world(), MEMBERS, ranks, &team));
    ck_assert_int_eq(armcii_team_scope(team, TEAM_NODE)->n,
                     g->on_every_node ? ON_NODE / 2 : ON_NODE);
    double bytes = (double)(allocated() - at_first) / MEMBERS;
    printf("%s: %g bytes a member\n", g->what, bytes);
    ck_assert_msg(bytes <= g->bytes, "%s: %g bytes a member", g->what, bytes);
    for (int i = 0; i < MEMBERS; i += 777) {
        ck_assert_int_eq(armcii_team_rank(team, ranks[i]), i);
        ck_assert(armcii_team_is_on_node(team, armcii_world->node_of[ranks[i]]));
    }
    for (int rank = g->on_every_node ? 1 : ON_NODE; rank < RANKS; rank += 2 * ON_NODE) {
        ck_assert_int_eq(armcii_team_rank(team, rank), -1);
        ck_assert_int_eq(armcii_team_is_on_node(team, armcii_world->node_of[rank]),
                         g->on_every_node);
    }
    free(ranks);
}

const struct unit unit = {.begin = begin, .end = end};
