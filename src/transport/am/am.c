/* am.c - the transport am: starting and ending, regions, mutexes; and the table of its functions. */
#include "transport/am/am.h"

#include <mpi.h>
#include <stdlib.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "progress/thread.h"
#include "transport/am/client.h"
#include "transport/am/endpoint.h"
#include "transport/am/progress.h"
#include "transport/am/progress_rank.h"
#include "transport/am/proto.h"
#include "transport/am/server.h"
#include "transport/shm/shm.h"
#include "base/lock.h"
#include "transport/shm/node.h"

static MPI_Comm comm = MPI_COMM_NULL; /* requests and their replies, nothing else */

/* ---- start and end ---- */

/* This process serves memory of its node from now on. */
static void become_server(void)
{
    armcii_server_start(comm);
    armcii_progress_thread_wake();
}

static void start_process(void)
{
    armcii_endpoints_start(comm);
    armcii_barrier_start(comm);
    if (armcii_world->server_of[armcii_world->rank] == armcii_world->rank) become_server();
    if (armcii_world->progress_ranks == 0) armcii_am_progress_start();
}

static void end_process(void)
{
    armcii_endpoints_end();
    armcii_coll_barrier(armcii_world->comm);
    if (armcii_world->progress_ranks == 0)
        armcii_am_progress_end();
    else
        armcii_progress_rank_stop();
    armcii_barrier_end();
}

void armcii_am_start(void)
{
    MPI_Comm_dup(armcii_world->all, &comm);
    if (armcii_world_is_member())
        start_process();
    else
        armcii_server_start(comm);
}

void armcii_am_end(void)
{
    if (armcii_world_is_member()) end_process();
    armcii_server_end();
    MPI_Comm_free(&comm);
}

/* ---- regions ---- */

/* Who serves a slice to processes of other nodes. */
struct served {
    int server;
    int64_t delta; /* from the owner's addresses to the server's; AM_EXPORTED: the server finds it among the owner's exports */
};

struct am_region {
    char *server_map;       /* on a node's first member: where the progress rank has mapped the segment; NULL: there is none */
    size_t server_bytes;    /* of that mapping */
    struct served served[]; /* [team size] */
};

static struct am_region *new_part(int members)
{
    struct am_region *part = calloc(1, sizeof *part + (size_t)members * sizeof part->served[0]);
    if (!part) armcii_fatal("out of memory for the tables of a region of %d processes", members);
    return part;
}

/* The first member on each node shows the progress rank there its segment.  0, or nonzero on every member where one cannot map it. */
static int map_in_progress_ranks(struct region *r, bool first)
{
    int failed = 0, any;
    if (armcii_world->progress_ranks == 0) return 0;
    if (first) {
        struct segment_handle handle = armcii_segment_handle(r->shm->segment.descriptor);
        r->am->server_bytes = r->shm->segment.bytes;
        r->am->server_map = armcii_progress_rank_map(&handle, r->am->server_bytes);
        failed = r->am->server_map == NULL;
    }
    armcii_coll_allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, r->team->comm);
    return any;
}

/* Tells the members on this node where their server sees each of their slices. */
static void see_slices(const struct region *r, char *seen[])
{
    ptrdiff_t shift = r->am->server_map ? r->am->server_map - r->shm->segment.memory : 0;
    for (int i = 0; i < r->team->size; i++) seen[i] = r->mapped[i] ? r->mapped[i] + shift : NULL;
    armcii_coll_bcast(seen, r->team->size * (int)sizeof *seen, 0, armcii_team_scope_comm(r->team, TEAM_NODE));
}

static void exchange_served(struct region *r, int first)
{
    struct team *team = r->team;
    char **seen = calloc((size_t)team->size, sizeof *seen);
    if (!seen) armcii_fatal("out of memory for the tables of a region of %d processes", team->size);
    see_slices(r, seen);
    int server = armcii_world->progress_ranks == 0 ? team->to_world[first] : armcii_world->server_of[armcii_world->rank];
    struct served mine = {server, seen[team->rank] - r->base[team->rank]};
    armcii_coll_allgather(&mine, r->am->served, (int)sizeof mine, team->comm);
    free(seen);
}

/* The server that each node has from the start finds all that is exported there. */
static int attach_memget(struct region *r)
{
    for (int i = 0; i < r->team->size; i++) r->am->served[i] = (struct served){armcii_world->server_of[i], AM_EXPORTED};
    return 0;
}

/* A node's progress rank serves its slices; where there is none, the team's first member there. */
static int attach(struct region *r)
{
    int first = armcii_scope_member(armcii_team_scope(r->team, TEAM_NODE), 0);
    r->am = new_part(r->team->size);
    if (r->memget) return attach_memget(r);
    if (map_in_progress_ranks(r, first == r->team->rank) != 0) {
        if (r->am->server_map) armcii_progress_rank_unmap(r->am->server_map, r->am->server_bytes);
        free(r->am);
        r->am = NULL;
        return -1;
    }
    if (first == r->team->rank && armcii_world->progress_ranks == 0) become_server();
    exchange_served(r, first);
    return 0;
}

static void detach(struct region *r)
{
    if (r->memget) {
        armcii_server_release(NULL, (char *)UINTPTR_MAX);
    } else {
        armcii_coll_barrier(r->team->comm); /* a server may still be at work for another member */
        armcii_server_release(r->shm->segment.memory, r->shm->segment.memory + r->shm->segment.bytes);
    }
    if (r->am->server_map) armcii_progress_rank_unmap(r->am->server_map, r->am->server_bytes);
    free(r->am);
    r->am = NULL;
}

/* ---- operations ---- */

static struct remote remote_of(const struct raddr *raddr, int target)
{
    const struct served *served = &raddr->region->am->served[raddr->rank];
    return (struct remote){target, served->server, served->delta};
}

static int start(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req)
{
    struct remote to = remote_of(raddr, op->target);
    (void)lo, (void)hi;
    req->path = PATH_SERVER;
    switch (op->verb.kind) {
    case RMA_PUT: req->ticket = armcii_client_put(&to, &op->shape); break;
    case RMA_GET: req->ticket = armcii_client_get(&to, &op->shape); break;
    case RMA_ACC: req->ticket = armcii_client_accumulate(&to, op->verb.element, op->scale, &op->shape); break;
    }
    if (req->ticket) req->transport = &armcii_am;
    return 0;
}

static void wait(const struct request *req)
{
    armcii_client_finish(req->ticket);
}

static bool is_complete(const struct request *req)
{
    return armcii_client_is_complete(req->ticket);
}

static void fence_region(struct region *r, int target)
{
    if (!r->am) return;
    if (target >= 0) {
        armcii_endpoints_fence(target);
    } else {
        armcii_endpoints_fence_all();
        armcii_client_finish_all(-1);
    }
}

static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes, void *remote, long operand)
{
    struct remote to = remote_of(raddr, target);
    return armcii_client_rmw(&to, update, bytes, remote, operand);
}

/* ---- mutexes: the server of the owner's node keeps their queues (mutex_server.h) ---- */

struct am_mutexes {
    const struct team *team;
    unsigned long name;
};

static void *mutexes_create(struct team *team, const int count[], unsigned total, unsigned long name)
{
    struct am_mutexes *set = malloc(sizeof *set);
    (void)count, (void)total;
    if (!set) armcii_fatal("out of memory for mutexes");
    *set = (struct am_mutexes){team, name};
    return set;
}

static void mutexes_free(void *set)
{
    free(set);
}

static void lock(void *set, int owner, int mutex, unsigned *slot)
{
    const struct am_mutexes *s = set;
    int process = s->team->to_world[owner];
    (void)slot;
    armcii_client_lock(armcii_world->server_of[process], s->name, process, (uint64_t)mutex);
}

static bool trylock(void *set, int owner, int mutex, unsigned *slot)
{
    const struct am_mutexes *s = set;
    int process = s->team->to_world[owner];
    (void)slot;
    return armcii_client_trylock(armcii_world->server_of[process], s->name, process, (uint64_t)mutex);
}

static void unlock(void *set, int owner, int mutex, unsigned slot)
{
    const struct am_mutexes *s = set;
    int process = s->team->to_world[owner];
    (void)slot;
    armcii_client_unlock(armcii_world->server_of[process], s->name, process, (uint64_t)mutex);
}

static bool progress(void)
{
    bool any = armcii_endpoints_progress();
    return armcii_server_poll() || any;
}

const struct transport armcii_am = {
    .name = "am",
    .region_attach = attach, .region_detach = detach,
    .start = start, .wait = wait, .is_complete = is_complete, .test = is_complete, .wait_all = armcii_client_finish_all,
    .leave = armcii_progress_thread_wake_if_asleep,
    .fence = armcii_endpoints_fence, .fence_team = armcii_endpoints_fence_team, .fence_all = armcii_endpoints_fence_all,
    .is_quiet = armcii_endpoints_are_quiet, .fence_region = fence_region,
    .rmw = rmw, .rmw_path = PATH_SERVER,
    .mutexes_create = mutexes_create, .mutexes_free = mutexes_free, .lock = lock, .trylock = trylock, .unlock = unlock,
    .barrier = armcii_barrier, .progress = progress,
};

/* ---- barrier ---- */

static MPI_Comm comm;
static int *speakers; /* [nodes]: the process of each that sends messages */
static int my_node;   /* position in speakers */

void armcii_barrier_start(MPI_Comm requests)
{
    const struct world *w = armcii_world;
    comm = requests;
    speakers = malloc((size_t)w->nodes * sizeof *speakers);
    if (!speakers) armcii_fatal("out of memory for tables of %d nodes", w->nodes);
    for (int r = 0, n = 0; r < w->size; r++) {
        if (w->node_of[r] != r) continue;
        if (r == w->node_of[w->rank]) my_node = n;
        speakers[n++] = r;
    }
}

void armcii_barrier_end(void)
{
    free(speakers);
    speakers = NULL;
}

/* A dissemination barrier, as in transport/shm/node.c. */
static void meet_nodes(void)
{
    int n = armcii_world->nodes;
    armcii_lock_enter();
    for (int round = 0, distance = 1; distance < n; round++, distance *= 2) {
        MPI_Request requests[2];
        MPI_Irecv(NULL, 0, MPI_BYTE, speakers[(my_node - distance + n) % n], AM_TAG_BARRIER + round, comm, &requests[0]);
        MPI_Isend(NULL, 0, MPI_BYTE, speakers[(my_node + distance) % n], AM_TAG_BARRIER + round, comm, &requests[1]);
        armcii_endpoints_wait(&requests[0]);
        armcii_endpoints_wait(&requests[1]);
    }
    armcii_lock_exit();
}

void armcii_barrier(void)
{
    armcii_node_barrier();
    if (speakers[my_node] == armcii_world->rank) meet_nodes();
    armcii_node_barrier();
}
