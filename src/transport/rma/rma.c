/* rma.c - the transport rma: progress thread, start and end, regions, operations and the table of
 * its functions. */
#include "transport/rma/rma.h"

#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/config.h"
#include "base/log.h"
#include "mpi/coll.h"
#include "mpi/progress.h"
#include "mpi/quirks.h"
#include "mpi/world.h"
#include "progress/event.h"
#include "progress/loop.h"
#include "node/heap.h"
#include "node/agree.h"
#include "node/node.h"
#include "node/cpus.h"
#include "node/doorbell.h"
#include "node/pass.h"
#include "shape/copy.h"

/* ---- the progress thread ----
 *
 * It drives MPI while the program computes. MPI does not report whether a poll made progress, so
 * events count as work: those of sockets, and doorbells of this node's processes. */

static struct {
    bool sockets_raise_events; /* for messages between nodes, by the test at start */
    bool watches_all;          /* all sockets that may carry messages are watched */
    unsigned sleeps;           /* so far */
    unsigned mpi_calls;        /* of the program, at the last poll */
    bool target_is_passive;
    uint64_t last_id; /* of a region */
    int windows;      /* of regions and chunks */
    struct rma_chunk *lasting;
    bool has_thread;
} rma;

static enum progress_work poll_once(void)
{
    armcii_mpi_progress(armcii_world->control);
    rma.mpi_calls = armcii_mpi_progress_calls(); /* without the call above */
    bool any = armcii_event_drain();
    any |= armcii_doorbell_clear();
    if (any) rma.watches_all = false; /* the message may be from a new connection */
    return any ? WORK_REMOTE : WORK_NONE;
}

/* True if another thread is in MPI, or was since the last call. Two threads in MPI wait for each
 * other. */
static bool is_helped(void)
{
    unsigned calls = armcii_mpi_progress_calls();
    bool any = calls != rma.mpi_calls || armcii_mpi_is_progressing();
    rma.mpi_calls = calls;
    if (any) rma.watches_all = false; /* the program may have made connections */
    return any;
}

static enum progress_wait choose_wait(void)
{
    bool neighbours_ring = armcii_node->size == 1 || armcii_doorbell_fd() >= 0;
    if (!rma.sockets_raise_events) return WAIT_POLL;
    return rma.watches_all && neighbours_ring ? WAIT_EVENTS : WAIT_SOME_EVENTS;
}

static void end_sleep(bool signaled)
{
    enum { SLEEPS = 64 }; /* between two searches for sockets */
    armcii_doorbell_end_sleep();
    if (signaled) rma.watches_all = false;
    if (++rma.sleeps % SLEEPS != 0) return;
    armcii_event_add_sockets();
    rma.watches_all = true;
}

static const struct loop_policy policy = {
    .poll = poll_once,
    .polls = 1,
    .is_helped = is_helped,
    .choose_wait = choose_wait,
    .idle_us = RMA_IDLE_US,
    .begin_sleep = armcii_doorbell_begin_sleep,
    .end_sleep = end_sleep,
    .events = EVENTS_ARE_WORK,
};

/* Each process receives a message from the leader of the next node. */
static void exchange(void)
{
    const struct world *w = armcii_world;
    int previous = w->leaders[(w->node + w->nodes - 1) % w->nodes],
        next = w->leaders[(w->node + 1) % w->nodes];
    for (int p = 0; w->leaders[w->node] == w->rank && p < w->size; p++)
        if (w->node_of[p] == previous)
            MPI_Send(NULL, 0, MPI_BYTE, p, CONTROL_TEST_EVENTS, w->control);
    MPI_Recv(NULL, 0, MPI_BYTE, next, CONTROL_TEST_EVENTS, w->control, MPI_STATUS_IGNORE);
}

/* True if messages between nodes raise events. The first exchange makes the connections; the second
 * tests them, when all processes watch. */
static bool test_events(void)
{
    exchange();
    armcii_event_add_sockets();
    armcii_event_drain();
    armcii_coll_barrier(armcii_world->control);
    exchange();
    return armcii_event_drain();
}

/* ---- regions ---- */

/* MPI libraries limit communicators, of which a window takes one, and the program needs some. */
enum { MAX_OPTIONAL_WINDOWS = 512 };

/* A window over a chunk of the heap, for all its regions: each process exposes all of the chunk.
 * Those of the world's chunks last until the end, so that creating and freeing a region need no
 * call of MPI; those of groups are freed with their last region. */
struct rma_chunk {
    struct window window;
    int users;              /* regions, and the list */
    struct rma_chunk *next; /* in the list of those that last */
};

/* The part of a region with its own window, not yet created. */
static struct rma_region *new_part(void)
{
    struct rma_region *part = armcii_alloc(1, sizeof *part, "a region");
    part->id = ++rma.last_id;
    part->window = &part->own;
    return part;
}

static int set_or_free(int rc, struct region *r, struct rma_region *part)
{
    if (rc == 0) {
        r->attached = part;
        rma.windows++;
    } else {
        free(part);
    }
    return rc;
}

enum window_memory armcii_rma_window_memory(const struct team *team)
{
    return armcii_quirks->shared_windows_on_one_node &&
                   armcii_world_is_one_node(team->size, team->to_world)
               ? WINDOW_MEMORY_SHARED
               : WINDOW_MEMORY_MPI;
}

/* Memory of MPI, for a region that is not in the heap. */
static int attach_allocated(struct region *r)
{
    struct rma_region *part = new_part();
    int rc = armcii_window_create(&part->own, armcii_slice_bytes(r, r->team->rank),
                                  armcii_quirks->slice_unit, armcii_rma_window_memory(r->team),
                                  r->team->comm);
    if (set_or_free(rc, r, part) != 0) return rc;
    part->pad = armcii_alloc((size_t)r->team->size, sizeof *part->pad,
                             "the tables of a region of %d processes", r->team->size);
    armcii_coll_allgather(&part->own.base, r->base, (int)sizeof *r->base, r->team->comm);
    armcii_coll_allgather(&part->own.pad, part->pad, (int)sizeof *part->pad, r->team->comm);
    return 0;
}

/* Some MPI libraries cannot create a dynamic window of one process. With others it shares memory
 * with windows that disjoint groups create, as allocated windows do: those that run ARMCI, too, on
 * another part of the job. */
static bool may_be_dynamic(const struct team *team)
{
    int processes;
    if (team->size == 1) return false;
    if (armcii_rma_window_memory(team) == WINDOW_MEMORY_MPI) return true;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return armcii_coll_all(processes - team->size < 2, team->comm);
}

static int attach_memget(struct region *r)
{
    struct rma_region *part = new_part();
    return set_or_free(
        may_be_dynamic(r->team) ? armcii_window_create_dynamic(&part->own, r->team->comm) : -1, r,
        part);
}

/* If the route has a fallback, all members fail together. A window that only some members could
 * create stays, because freeing it is collective. Crashes with such windows inside a node do not
 * matter: these carry what goes to other nodes. */
static int create_over(const struct region *r, struct window *w, void *memory, size_t bytes)
{
    bool optional = r->far->fallback != NULL;
    if (optional && !armcii_coll_all(rma.windows < MAX_OPTIONAL_WINDOWS, r->team->comm)) return -1;
    int rc = armcii_window_create_over(w, memory, bytes, r->team->comm);
    return !optional || armcii_coll_all(rc == 0, r->team->comm) ? rc : -1;
}

static int attach_own(struct region *r)
{
    struct rma_region *part = new_part();
    const int me = r->team->rank;
    int rc = create_over(r, &part->own, armcii_region_base(r, me), armcii_slice_bytes(r, me));
    return set_or_free(rc, r, part);
}

/* What the caller reserves for the window of the region's chunk: a network that carries out RMA by
 * itself keeps all of it in place, touched or not. */
static size_t bytes_in_place(const struct region *r)
{
    return rma.target_is_passive && r->team->agreement->local_rank == 0 ? r->range.chunk->bytes : 0;
}

static int create_chunk_window(const struct region *r, struct chunk *c)
{
    struct rma_chunk *x = armcii_alloc(1, sizeof *x, "a window");
    int rc = create_over(r, &x->window, armcii_heap->base + c->offset, c->bytes);
    if (rc != 0) {
        free(x);
        c->is_refused = r->far->fallback != NULL;
        return rc;
    }
    armcii_reservation_add(bytes_in_place(r));
    rma.windows++;
    c->attached = x;
    if (r->team == armcii_team_world()) {
        x->users = 1;
        x->next = rma.lasting;
        rma.lasting = x;
    }
    return 0;
}

static int attach_to_chunk(struct region *r)
{
    struct chunk *c = r->range.chunk;
    if (c->is_refused || (!c->attached && create_chunk_window(r, c) != 0)) return -1;
    struct rma_chunk *x = c->attached;
    x->users++;
    struct rma_region *part = new_part();
    part->window = &x->window;
    part->origin = armcii_heap->base + c->offset;
    r->attached = part;
    return 0;
}

static int attach(struct region *r)
{
    if (r->memget) return attach_memget(r);
    if (r->base) return attach_allocated(r);
    return r->range.chunk ? attach_to_chunk(r) : attach_own(r);
}

static void free_window(struct window *w)
{
    armcii_window_free(w);
    rma.windows--;
}

static void detach_from_chunk(const struct region *r)
{
    struct chunk *c = r->range.chunk;
    struct rma_chunk *x = c->attached;
    if (--x->users > 0) return;
    armcii_reservation_release(bytes_in_place(r));
    free_window(&x->window);
    free(x);
    c->attached = NULL;
}

static void detach(struct region *r)
{
    struct rma_region *part = armcii_rma_part(r);
    if (!part) return;
    if (r->range.chunk)
        detach_from_chunk(r);
    else
        free_window(part->window);
    free(part->pad);
    free(part);
    r->attached = NULL;
}

static void free_lasting_windows(void)
{
    while (rma.lasting) {
        struct rma_chunk *x = rma.lasting;
        rma.lasting = x->next;
        free_window(&x->window);
        free(x);
    }
}

/* ---- start and end ---- */

static void start_thread(void)
{
    rma.sockets_raise_events = test_events();
    rma.watches_all = false;
    armcii_doorbells_start(PASS_MOST);
    armcii_progress_thread_start(&policy);
    if (armcii_doorbell_fd() >= 0) armcii_event_add_fd(armcii_doorbell_fd());
}

void armcii_rma_start(bool with_thread, bool passive_target)
{
    rma.target_is_passive = passive_target;
    armcii_backoff.serves_unseen = !passive_target;
    armcii_pending_start();
    rma.has_thread = with_thread;
    if (with_thread) start_thread();
}

void armcii_rma_end(void)
{
    free_lasting_windows();
    if (rma.has_thread) {
        armcii_progress_thread_end();
        armcii_doorbells_end();
    }
    rma.has_thread = false;
    armcii_backoff.serves_unseen = false;
    armcii_pending_end();
}

/* ---- memory of ARMCI_Memget ---- */

static int memget_attach(struct region *r, char *memory, size_t bytes)
{
    return armcii_window_attach(armcii_rma_part(r)->window, memory, bytes);
}

/* ---- operations ---- */

/* True if an operation on memory of the caller writes what it reads. MPI forbids that. */
static bool meets_itself(const struct op *op)
{
    char *lo, *hi;
    return op->target == armcii_world->rank &&
           armcii_shape_range(&op->shape, SHAPE_LOCAL, &lo, &hi) == SHAPE_OK && lo < op->hi &&
           op->lo < hi;
}

static void complete_on(struct region *r, int target)
{
    armcii_pending_complete(&(struct op_set){.target = target, .region = r}, COMPLETE_REMOTE);
}

static int copy_onto_itself(const struct op *op, const struct raddr *raddr)
{
    complete_on(raddr->region, op->target);
    armcii_copy_shape(&op->shape, op->verb.kind == OP_GET ? SHAPE_LOCAL : SHAPE_REMOTE);
    return 0;
}

/* MPI does not scale, so scaled data are packed into a buffer first; the packed shape may use a
 * simpler method. On the route rdma, strided operations come here only with long segments. */
static int start(const struct op *op, const struct raddr *raddr, struct request *req)
{
    struct shape packed;
    bool onto_itself = meets_itself(op);
    if (onto_itself && op->verb.kind != OP_ACC) return copy_onto_itself(op, raddr);
    struct rma_op r = {.verb = op->verb,
                       .target = op->target,
                       .shape = &op->shape,
                       .window = armcii_rma_part(raddr->region)->window,
                       .rank = raddr->rank,
                       .origin = armcii_rma_origin(raddr),
                       .by_segment = raddr->route->shaped != &armcii_rma};
    if (onto_itself || armcii_op_is_scaled(op)) {
        int rc = armcii_op_pack(op, &packed, &req->buffers);
        if (rc) return rc;
        r.shape = &packed;
    }
    armcii_rma_choose(&r);
    req->transport = &armcii_rma;
    armcii_count(r.path);
    req->id =
        armcii_pending_order_before_issue(raddr, op->target, op->verb, op->lo, op->hi, r.calls);
    req->channel = armcii_rma_part(raddr->region)->id;
    req->target = op->target;
    armcii_rma_issue(&r);
    return 0;
}

/* MPI reports completion only for flushed operations, so a test completes the operation. */
static bool test(const struct request *req)
{
    armcii_pending_wait(req);
    return true;
}

/* A read-modify-write is ordered as a put. */
static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                void *remote, long operand)
{
    long old = 0;
    int small;
    armcii_count(PATH_ATOMIC);
    armcii_pending_order_before_issue(raddr, target, (struct op_verb){.kind = OP_PUT}, remote,
                                      (char *)remote + bytes, 1);
    armcii_window_fetch_and_op(armcii_rma_part(raddr->region)->window, update, raddr->rank,
                               (char *)remote - armcii_rma_origin(raddr), bytes, &operand, &old);
    complete_on(raddr->region, target);
    memcpy(&small, &old, sizeof small);
    return bytes == sizeof(long) ? old : small;
}

static void complete(const struct op_set *which, unsigned how)
{
    armcii_pending_complete(which, how);
    if (which->region && which->target == armcii_world->rank)
        armcii_window_sync(armcii_rma_part(which->region)->window);
}

/* ---- progress ---- */

/* MPI does not report whether there was work. */
static bool progress(void)
{
    if (!rma.target_is_passive) armcii_mpi_progress(armcii_world->control);
    return false;
}

const struct transport armcii_rma = {
    .name = "rma",
    .region_attach = attach,
    .region_detach = detach,
    .memget_attach = memget_attach,
    .start = start,
    .joins = armcii_rma_joins,
    .wait = armcii_pending_wait,
    .is_complete = armcii_pending_is_complete,
    .test = test,
    .order = armcii_pending_order_before_local,
    .complete = complete,
    .is_quiet = armcii_pending_is_quiet,
    .rmw = rmw,
    .progress = progress,
};
