/* fake_job.c - one process of a simulated job. */
#include "fake_job.h"

#include <armcix.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "mpi/coll.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "transport/rma/rma.h"
#include "transport/route.h"

enum { MAX_REGIONS = 64, MAX_SETTING = 80 };

static struct world the_world;
const struct world *const armcii_world = &the_world;

static const struct route by_rma = {"rma", &armcii_rma, &armcii_rma, &armcii_rma, false, NULL};

/* Replaces src/transport/route.c. */
void armcii_route_region(struct region *r)
{
    r->near = r->far = &by_rma;
}

/* A region and its team. */
struct entry {
    struct region region;
    struct team team;
    bool used;
};
static struct entry *entries[MAX_REGIONS];
static size_t entry_count;
static uint64_t last_id;
static bool is_running;

/* ---- the world team, to which regions created by the library belong ---- */

static struct team world_team;

static void create_world_team(void)
{
    int n = the_world.size;
    world_team = (struct team){.size = n, .rank = the_world.rank};
    world_team.to_world = malloc((size_t)n * sizeof(int));
    ck_assert_ptr_nonnull(world_team.to_world);
    for (int i = 0; i < n; i++)
        world_team.to_world[i] = i;
}

struct team *armcii_team_world(void)
{
    return &world_team;
}

/* The members of these teams are consecutive. */
int armcii_team_rank(const struct team *team, int process)
{
    int rank = process - team->to_world[0];
    return rank >= 0 && rank < team->size ? rank : -1;
}

bool armcii_team_is_on_node(const struct team *team, int node)
{
    (void)team;
    return node == 0;
}

void armcii_team_hold(struct team *team)
{
    team->users++;
}

void armcii_team_release(struct team *team)
{
    team->users--;
}

/* Never called, since armcii_node has no shared memory. */
const struct scope *armcii_team_scope(struct team *team, enum team_scope scope)
{
    (void)team, (void)scope;
    ck_abort_msg("unexpected call of armcii_team_scope");
}

MPI_Comm armcii_team_scope_comm(struct team *team, enum team_scope scope)
{
    (void)team, (void)scope;
    ck_abort_msg("unexpected call of armcii_team_scope_comm");
}

/* ---- begin and end ---- */

static void fail_on_warning(const char *warning)
{
    ck_abort_msg("%s", warning);
}

static void configure(const struct job *job)
{
    char text[JOB_SETTINGS + 1][MAX_SETTING] = {"ARMCI_ERRORS=return"};
    char *environment[JOB_SETTINGS + 2] = {text[0]};
    for (int i = 0; i < JOB_SETTINGS && job->setting[i]; i++) {
        snprintf(text[i + 1], sizeof text[i + 1], "%s", job->setting[i]);
        environment[i + 1] = text[i + 1];
    }
    armcii_config_read(environment, fail_on_warning);
}

void job_start(struct job job)
{
    job_end();
    is_running = true;
    enum fake_order order = job.order == FAKE_AT_ONCE ? FAKE_REVERSED : job.order;
    the_world = (struct world){.rank = job.me, .size = job.processes ? job.processes : 4};
    create_world_team();
    configure(&job);
    armcii_quirks_decide(job.library ? job.library : "", job.several_nodes, armcii_config->quirks);
    fake_mpi_start(job.at_once ? FAKE_AT_ONCE : order, (unsigned)the_world.size, job.seed);
    armcii_lookup_start();
    armcii_transports[0] = NULL;
    armcii_transports_add(&armcii_rma);
    armcii_rma_start(false, false);
    armcii_handles_start();
    entry_count = 0;
}

static void free_entry(struct entry *e)
{
    struct region *r = &e->region;
    for (int i = 0; e->used && i < e->team.size; i++)
        armcii_lookup_remove(e->team.to_world[i], r->base[i], r);
    struct rma_region *part = armcii_rma_part(r);
    if (e->used && part->window == &part->own) armcii_window_free(part->window);
    free(r->base);
    free(r->bytes);
    if (part) free(part->pad);
    free(part);
    r->attached = NULL;
    free(e->team.to_world);
    r->base = NULL;
    r->bytes = NULL;
    e->team = (struct team){0};
    e->used = false;
}

void job_end(void)
{
    if (!is_running) return;
    is_running = false;
    armcii_aggregates_flush(-1, false);
    armcii_fence_all();
    armcii_handles_end();
    armcii_rma_end();
    for (size_t i = 0; i < entry_count; i++) {
        free_entry(entries[i]);
        free(entries[i]);
    }
    armcii_lookup_end();
    ck_assert_int_eq(world_team.users, 0);
    free(world_team.to_world);
    fake_mpi_end();
}

/* ---- regions ---- */

static void *zeroed(int n, size_t size)
{
    void *p = calloc((size_t)n, size);
    ck_assert_ptr_nonnull(p);
    return p;
}

/* A region without its window, on `members` processes from `first`. */
static struct region *new_region(int first, int members)
{
    ck_assert_uint_lt(entry_count, MAX_REGIONS);
    struct entry *e = entries[entry_count++] = zeroed(1, sizeof *e);
    e->used = true;
    e->team = (struct team){
        .size = members, .rank = the_world.rank - first, .to_world = zeroed(members, sizeof(int))};
    for (int i = 0; i < members; i++)
        e->team.to_world[i] = first + i;
    e->region.near = e->region.far = &by_rma;
    e->region.mode = ARMCIX_MODE_ALL;
    e->region.team = &e->team;
    e->region.base = zeroed(members, sizeof(char *));
    e->region.bytes = zeroed(members, sizeof(size_t));
    struct rma_region *part = zeroed(1, sizeof *part);
    part->window = &part->own;
    part->id = ++last_id;
    part->pad = zeroed(members, sizeof(size_t));
    e->region.attached = part;
    return &e->region;
}

static struct region *enter(struct region *r, size_t bytes)
{
    struct rma_region *part = armcii_rma_part(r);
    for (int i = 0; i < r->team->size; i++) {
        r->base[i] = fake_memory(part->window, i);
        r->bytes[i] = bytes;
        part->pad[i] = fake_pad(part->window, i);
        armcii_lookup_add(r->team->to_world[i], r->base[i], bytes, r, false);
    }
    fake_forget();
    return r;
}

struct region *job_region(int first, int members, size_t bytes)
{
    struct region *r = new_region(first, members);
    fake_mpi.members = (unsigned)members;
    ck_assert_int_eq(armcii_window_create(armcii_rma_part(r)->window, bytes, 1, WINDOW_MEMORY_MPI,
                                          MPI_COMM_NULL),
                     0);
    return enter(r, bytes);
}

struct region *job_region_over(int process, char *memory, size_t bytes)
{
    struct region *r = new_region(process, 1);
    fake_window_over(armcii_rma_part(r)->window, 1, &memory, &bytes);
    return enter(r, bytes);
}

struct region *job_region_within(struct region *extent, size_t displacement, size_t bytes)
{
    int members = extent->team->size;
    struct region *r = new_region(extent->team->to_world[0], members);
    struct rma_region *part = armcii_rma_part(r);
    part->window = armcii_rma_part(extent)->window;
    for (int i = 0; i < members; i++) {
        part->pad[i] = displacement;
        r->base[i] = fake_memory(part->window, i) + displacement;
        r->bytes[i] = bytes;
        armcii_lookup_add(r->team->to_world[i], r->base[i], bytes, r, false);
    }
    return r;
}

void job_region_free(struct region *region)
{
    for (size_t i = 0; i < entry_count; i++)
        if (region == &entries[i]->region) free_entry(entries[i]);
}

char *job_address(const struct region *region, int process, size_t offset)
{
    return region->base[armcii_team_rank(region->team, process)] + offset;
}

/* ---- transfers ---- */

struct op job_ranged(struct op t)
{
    ck_assert_int_eq(armcii_shape_range(&t.shape, SHAPE_REMOTE, &t.lo, &t.hi), SHAPE_OK);
    return t;
}

static struct op contiguous(const char *caller, struct op_verb verb, int target, void *local,
                            void *remote, size_t bytes)
{
    struct op t = {.caller = caller, .verb = verb, .target = target};
    armcii_shape_contiguous(&t.shape, local, remote, bytes);
    return job_ranged(t);
}

struct op job_put(int target, void *local, void *remote, size_t bytes)
{
    return contiguous("ARMCI_Put", (struct op_verb){.kind = OP_PUT}, target, local, remote, bytes);
}

struct op job_get(int target, void *local, void *remote, size_t bytes)
{
    return contiguous("ARMCI_Get", (struct op_verb){.kind = OP_GET}, target, local, remote, bytes);
}

struct op job_acc(enum element e, int target, void *local, void *remote, size_t bytes)
{
    static const int one_int = 1;
    static const double one_double = 1;
    struct op t =
        contiguous("ARMCI_Acc", (struct op_verb){OP_ACC, e}, target, local, remote, bytes);
    t.scale = e == ELEMENT_INT ? (const void *)&one_int : &one_double;
    return t;
}

struct request job_nonblocking(struct op t)
{
    struct request op;
    t = job_ranged(t);
    ck_assert_int_eq(armcii_op_start(&t, &op), 0);
    return op;
}

void job_blocking(struct op t)
{
    t = job_ranged(t);
    ck_assert_int_eq(armcii_op_blocking(&t), 0);
}
