/* shm.c - the transport shm. */
#include "transport/shm/shm.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/world.h"
#include "transport/shm/apply.h"
#include "transport/shm/export.h"
#include "transport/shm/mcs.h"
#include "transport/shm/node.h"

/* ---- regions ---- */

static int alloc(struct region *r)
{
    struct team *team = r->team;
    bool one_node = armcii_world_is_one_node(team->size, team->to_world);
    MPI_Comm comm = one_node ? team->comm : armcii_team_scope_comm(team, TEAM_NODE);
    const struct scope *here = armcii_team_scope(team, TEAM_NODE);
    struct shm_region *part = calloc(1, sizeof *part);
    size_t *sizes = calloc((size_t)team->size, sizeof *sizes);
    char **slices = calloc((size_t)team->size, sizeof *slices);
    if (!part || !sizes || !slices) armcii_fatal("out of memory for the tables of a region of %d processes", team->size);
    for (int i = 0; i < here->n; i++)
        sizes[i] = r->bytes[armcii_scope_member(here, i)];
    int failed = armcii_segment_create_open(&part->segment, armcii_node->kind, comm, sizes, slices) != 0, any = failed;
    if (!one_node) armcii_coll_allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, team->comm);
    if (any && !failed) armcii_segment_free(&part->segment);
    for (int i = 0; i < here->n && !any; i++)
        r->mapped[armcii_scope_member(here, i)] = slices[i];
    if (any)
        free(part);
    else
        r->shm = part;
    free(sizes);
    free(slices);
    return any;
}

static int attach(struct region *r)
{
    if (r->shm) armcii_segment_close(&r->shm->segment); /* the server of `am` has opened it by now */
    return 0;
}

static void detach(struct region *r)
{
    if (r->memget) armcii_exports_end();
    if (!r->shm) return;
    armcii_segment_free(&r->shm->segment);
    free(r->shm);
    r->shm = NULL;
}

/* ---- memory of ARMCI_Memget: exported to the node ---- */

static char *memget_alloc(size_t bytes)
{
    return armcii_export_create(bytes);
}

static void memget_free(char *memory)
{
    (void)memory; /* exports end with the region */
}

static bool memget_find(int process, const void *address, char **base, size_t *bytes, char **mapped)
{
    int rank = armcii_node->rank_of[process];
    return process != armcii_world->rank && rank >= 0 && armcii_export_find(rank, address, base, bytes, mapped);
}

/* ---- operations ---- */

static int start(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req)
{
    ptrdiff_t delta = raddr->mapped - raddr->lo;
    (void)lo, (void)hi;
    req->path = PATH_DIRECT;
    switch (op->verb.kind) {
    case RMA_PUT: armcii_apply_put(&op->shape, delta); break;
    case RMA_GET: armcii_apply_get(&op->shape, delta); break;
    case RMA_ACC: armcii_apply_accumulate(op->verb.element, op->scale, op->target, delta, &op->shape); break;
    }
    return 0;
}

static void order(const struct raddr *raddr, int target, struct rma_verb verb, const char *lo, const char *hi)
{
    (void)raddr, (void)target, (void)verb, (void)lo, (void)hi;
    armcii_drain_stores();
}

static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes, void *remote, long operand)
{
    (void)target;
    return armcii_apply_rmw(update, bytes, (char *)remote + (raddr->mapped - raddr->lo), operand);
}

/* ---- mutexes ---- */

/* Queue nodes are numbered by unsigned ints. */
static bool has_mutexes(const struct team *team, unsigned total)
{
    if (armcii_node->kind == SEGMENT_NONE || !armcii_world_is_one_node(team->size, team->to_world)) return false;
    return (size_t)total * (size_t)team->size < UINT_MAX;
}

const struct transport armcii_shm = {
    .name = "shm",
    .region_alloc = alloc,
    .region_attach = attach,
    .region_detach = detach,
    .memget_alloc = memget_alloc,
    .memget_free = memget_free,
    .memget_find = memget_find,
    .start = start,
    .order = order,
    .rmw = rmw,
    .rmw_path = PATH_DIRECT,
    .has_mutexes = has_mutexes,
    .mutexes_create = armcii_shm_mcs_create,
    .mutexes_free = armcii_shm_mcs_free,
    .lock = armcii_shm_mcs_lock,
    .trylock = armcii_shm_mcs_trylock,
    .unlock = armcii_shm_mcs_unlock,
    .barrier = armcii_node_barrier,
};
