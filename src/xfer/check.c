/* check.c - looking at every transfer a second time. */
#include "xfer/check.h"

#include <stdlib.h>
#include <string.h>

#include <armcix.h>

#include "base/config.h"
#include "base/log.h"
#include "gmr/reach.h"
#include "gmr/region.h"
#include "mpi/patient.h"
#include "shm/apply.h"
#include "team/world.h"
#include "xfer/look.h"
#include "xfer/pending.h"
#include "xfer/sums.h"
#include "xfer/twin.h"
#include "xfer/verdict.h"

enum { PART = 1 << 18 }; /* bytes looked at at a time: they stay in the processor's cache */

struct check_counts armcii_check_counts;
bool armcii_check_is_on;
static bool has_threads; /* of the program: any level but MPI_THREAD_SINGLE allows them */

/* ---- does it look right? ---- */

/* Is the remote side of s what the local side holds?  seen: s->bytes bytes. */
static bool is_same_in(const struct place *place, int target, const struct shape *s, char *seen)
{
    struct shape_iter it;
    struct segment seg;
    armcii_look(place, target, s, seen);
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg); seen += seg.bytes)
        if (memcmp(seen, seg.local, seg.bytes) != 0) return false;
    return true;
}

static bool is_same(const struct transfer *t, const struct place *place)
{
    const struct shape *s = &t->shape;
    size_t room = s->form == SHAPE_VECTOR || s->bytes < PART ? s->bytes : PART, position = 0;
    struct shape part;
    char *seen = malloc(room);
    bool same = true;
    if (!seen) return true; /* no memory: not looked at */
    if (room == s->bytes)
        same = is_same_in(place, t->target, s, seen);
    else
        while (same && armcii_shape_part(s, PART, &position, &part)) same = is_same_in(place, t->target, &part, seen);
    free(seen);
    return same;
}

/* The sums that an accumulate is to leave, where nobody else adds meanwhile: what is there before and what is added.  NULL: no memory. */
static char *sums_of(const struct transfer *t, const struct place *place)
{
    enum element e = t->verb.element;
    char *sums = malloc(t->shape.bytes), *addends = malloc(t->shape.bytes);
    if (sums && addends) {
        armcii_look(place, t->target, &t->shape, sums);
        armcii_scale_pack(e, t->scale ? t->scale : armcii_element_one(e), &t->shape, addends);
        armcii_sums_add(e, sums, addends, t->shape.bytes);
    } else {
        free(sums);
        sums = NULL;
    }
    free(addends);
    return sums;
}

static bool is_sum(const struct transfer *t, const struct place *place, const char *sums)
{
    char *seen = sums ? malloc(t->shape.bytes) : NULL;
    if (!seen) return true;
    armcii_look(place, t->target, &t->shape, seen);
    bool same = armcii_sums_compare(t->verb.element, seen, sums, t->shape.bytes, 0) == t->shape.bytes;
    free(seen);
    return same;
}

/* ---- who may be the reason that it does not ---- */

bool armcii_check_is_alone(const struct place *place)
{
    return place->region->team->size == 1 && !place->region->attached && !has_threads;
}

/* The program says (ARMCIX_Mode_set) that nobody else touches these bytes now. */
static bool is_promised(const struct transfer *t, const struct place *place)
{
    enum { CONFLICT_FREE = ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE };
    int mode = place->region->mode;
    if (t->verb.kind == RMA_ACC || place->region->attached || has_threads) return false; /* others may accumulate */
    return (mode & CONFLICT_FREE) == CONFLICT_FREE || (t->verb.kind == RMA_GET && (mode & ARMCIX_MODE_READ_ONLY) != 0);
}

/* May nobody else write to the local side, since it is no global memory, mapped or own? */
static bool is_local_side_private(const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    struct place place;
    if (armcii_program_stores) return false;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);) {
        if (armcii_region_locate(armcii_world->rank, seg.local, &place)) return false;
        if (armcii_region_locate(armcii_world->rank, seg.local + seg.bytes - 1, &place)) return false;
    }
    return true;
}

/* What the two sides hold after the transfer follows from the shape alone only where its pieces do not meet. */
static bool is_plain(const struct shape *s)
{
    return armcii_shape_is_disjoint(s, SHAPE_LOCAL) && armcii_shape_is_disjoint(s, SHAPE_REMOTE);
}

static void judge(const struct transfer *t, const struct place *place)
{
    bool alone = armcii_check_is_alone(place) || is_promised(t, place), plain = is_plain(&t->shape);
    if (alone && plain && is_local_side_private(&t->shape))
        armcii_verdict_transfer(t, place, "other bytes than expected, and no other process may touch them");
    armcii_twin_try(t, place);
    if (plain) armcii_check_counts.unclear++;
}

/* ---- in the place of the engine's last step ---- */

/* Complete on return, there too: the look comes after. */
static int issue_and_look(const struct transfer *t, const struct place *place, const char *lo, const char *hi, struct operation *op)
{
    bool adds = t->verb.kind == RMA_ACC;
    armcii_pending_fence(t->target);
    char *sums = adds ? sums_of(t, place) : NULL;
    int rc = armcii_transfer_issue_plainly(t, place, lo, hi, op);
    if (rc == 0) {
        armcii_transfer_finish(op);
        armcii_pending_fence(t->target);
        armcii_check_counts.checked++;
        if (!(adds ? is_sum(t, place, sums) : is_same(t, place))) judge(t, place);
    }
    free(sums);
    return rc;
}

/* What it does is collective: a launcher may have taken the variable to some hosts only. */
static bool one_asks_for_it(void)
{
    int mine = armcii_config->check, any;
    armcii_patient_allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, armcii_world->comm);
    return any;
}

void armcii_check_start(void)
{
    int level;
    armcii_check_counts = (struct check_counts){0};
    armcii_check_is_on = one_asks_for_it();
    if (!armcii_check_is_on) return;
    MPI_Query_thread(&level);
    has_threads = level > MPI_THREAD_SINGLE;
    armcii_twin_start();
    armcii_reach_switch(false);
    armcii_transfer_issue = issue_and_look;
}

void armcii_check_end(void)
{
    long mine[2] = {armcii_check_counts.checked, armcii_check_counts.unclear}, all[2];
    if (!armcii_check_is_on) return;
    armcii_check_is_on = false;
    armcii_transfer_issue = armcii_transfer_issue_plainly;
    armcii_reach_switch(true);
    armcii_patient_reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, armcii_world->comm);
    if (!armcii_config->verbose || armcii_world->rank != 0) return;
    armcii_say("ARMCI_CHECK: %ld operations checked, none proved wrong; %ld looked different and were right when done again where nobody "
               "else writes: other processes changed the bytes meanwhile, or it was wrong only once",
               all[0], all[1]);
}
