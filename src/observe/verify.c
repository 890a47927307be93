/* verify.c - looking at every transfer a second time. */
#include "observe/verify.h"

#include <stdlib.h>
#include <string.h>

#include <armcix.h>

#include "base/config.h"
#include "base/log.h"
#include "mem/addr_cache.h"
#include "mem/region.h"
#include "mpi/coll.h"
#include "transport/shm/apply.h"
#include "mpi/world.h"
#include "observe/readback.h"
#include "transport/rma/pending.h"
#include "observe/reference.h"
#include "observe/replay.h"
#include "observe/report.h"

enum { PART = 1 << 18 }; /* bytes looked at at a time: they stay in the processor's cache */

struct verify_counts armcii_verify_counts;
bool armcii_verify_is_on;
static bool has_threads; /* of the program: any level but MPI_THREAD_SINGLE allows them */

/* ---- does it look right? ---- */

/* Is the remote side of s what the local side holds?  seen: s->bytes bytes. */
static bool is_same_in(const struct raddr *raddr, int target, const struct shape *s, char *seen)
{
    struct shape_iter it;
    struct segment seg;
    armcii_readback(raddr, target, s, seen);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); seen += seg.bytes)
        if (memcmp(seen, seg.local, seg.bytes) != 0) return false;
    return true;
}

static bool is_same(const struct op *op, const struct raddr *raddr)
{
    const struct shape *s = &op->shape;
    size_t room = s->form == SHAPE_VECTOR || s->bytes < PART ? s->bytes : PART, position = 0;
    struct shape part;
    char *seen = malloc(room);
    bool same = true;
    if (!seen) return true; /* no memory: not looked at */
    if (room == s->bytes)
        same = is_same_in(raddr, op->target, s, seen);
    else
        while (same && armcii_shape_part(s, PART, &position, &part)) same = is_same_in(raddr, op->target, &part, seen);
    free(seen);
    return same;
}

/* The sums that an accumulate is to leave, where nobody else adds meanwhile: what is there before and what is added.  NULL: no memory. */
static char *sums_of(const struct op *op, const struct raddr *raddr)
{
    enum element e = op->verb.element;
    char *sums = malloc(op->shape.bytes), *addends = malloc(op->shape.bytes);
    if (sums && addends) {
        armcii_readback(raddr, op->target, &op->shape, sums);
        armcii_scale_pack(e, op->scale ? op->scale : armcii_element_one(e), &op->shape, addends);
        armcii_reference_add(e, sums, addends, op->shape.bytes);
    } else {
        free(sums);
        sums = NULL;
    }
    free(addends);
    return sums;
}

static bool is_sum(const struct op *op, const struct raddr *raddr, const char *sums)
{
    char *seen = sums ? malloc(op->shape.bytes) : NULL;
    if (!seen) return true;
    armcii_readback(raddr, op->target, &op->shape, seen);
    bool same = armcii_reference_compare(op->verb.element, seen, sums, op->shape.bytes, 0) == op->shape.bytes;
    free(seen);
    return same;
}

/* ---- who may be the reason that it does not ---- */

bool armcii_verify_is_alone(const struct raddr *raddr)
{
    return raddr->region->team->size == 1 && !raddr->region->attached && !has_threads;
}

/* The program says (ARMCIX_Mode_set) that nobody else touches these bytes now. */
static bool is_promised(const struct op *op, const struct raddr *raddr)
{
    enum { CONFLICT_FREE = ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE };
    int mode = raddr->region->mode;
    if (op->verb.kind == RMA_ACC || raddr->region->attached || has_threads) return false; /* others may accumulate */
    return (mode & CONFLICT_FREE) == CONFLICT_FREE || (op->verb.kind == RMA_GET && (mode & ARMCIX_MODE_READ_ONLY) != 0);
}

/* May nobody else write to the local side, since it is no global memory, mapped or own? */
static bool is_local_side_private(const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    struct raddr raddr;
    if (armcii_program_stores) return false;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) {
        if (armcii_region_locate(armcii_world->rank, seg.local, &raddr)) return false;
        if (armcii_region_locate(armcii_world->rank, seg.local + seg.bytes - 1, &raddr)) return false;
    }
    return true;
}

/* What the two sides hold after the transfer follows from the shape alone only where its pieces do not meet. */
static bool is_plain(const struct shape *s)
{
    return armcii_shape_is_disjoint(s, SHAPE_LOCAL) && armcii_shape_is_disjoint(s, SHAPE_REMOTE);
}

static void judge(const struct op *op, const struct raddr *raddr)
{
    bool alone = armcii_verify_is_alone(raddr) || is_promised(op, raddr), plain = is_plain(&op->shape);
    if (alone && plain && is_local_side_private(&op->shape))
        armcii_report_op(op, raddr, "other bytes than expected, and no other process may touch them");
    armcii_replay(op, raddr);
    if (plain) armcii_verify_counts.unclear++;
}

/* ---- in place of the engine's last step ---- */

/* Complete on return, there too: the look comes after. */
static int issue_and_look(const struct op *op, const struct raddr *raddr, const char *lo, const char *hi, struct request *req)
{
    bool adds = op->verb.kind == RMA_ACC;
    armcii_pending_fence(op->target);
    char *sums = adds ? sums_of(op, raddr) : NULL;
    int rc = armcii_op_issue_unverified(op, raddr, lo, hi, req);
    if (rc == 0) {
        armcii_op_finish(req);
        armcii_pending_fence(op->target);
        armcii_verify_counts.checked++;
        if (!(adds ? is_sum(op, raddr, sums) : is_same(op, raddr))) judge(op, raddr);
    }
    free(sums);
    return rc;
}

/* What it does is collective: a launcher may have taken the variable to some nodes only. */
static bool one_asks_for_it(void)
{
    int mine = armcii_config->verify, any;
    armcii_coll_allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, armcii_world->comm);
    return any;
}

void armcii_verify_start(void)
{
    int level;
    armcii_verify_counts = (struct verify_counts){0};
    armcii_verify_is_on = one_asks_for_it();
    if (!armcii_verify_is_on) return;
    MPI_Query_thread(&level);
    has_threads = level > MPI_THREAD_SINGLE;
    armcii_replay_start();
    armcii_addr_cache_enable(false);
    armcii_op_issue = issue_and_look;
}

void armcii_verify_end(void)
{
    long mine[2] = {armcii_verify_counts.checked, armcii_verify_counts.unclear}, all[2];
    if (!armcii_verify_is_on) return;
    armcii_verify_is_on = false;
    armcii_op_issue = armcii_op_issue_unverified;
    armcii_addr_cache_enable(true);
    armcii_coll_reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, armcii_world->comm);
    if (!armcii_config->verbose || armcii_world->rank != 0) return;
    armcii_say("ARMCI_VERIFY: %ld operations checked, none proved wrong; %ld looked different and were right when done again where nobody "
               "else writes: other processes changed the bytes meanwhile, or it was wrong only once",
               all[0], all[1]);
}
