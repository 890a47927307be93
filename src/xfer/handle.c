/* handle.c - the table of handles.  Whoever waits between hosts lets other threads into the library meanwhile: they may use the implicit
 * handle, too, fence what other handles keep, and make new slots. */
#include "xfer/handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/stats.h"
#include "base/wait.h"
#include "server/client.h"
#include "server/thread.h"
#include "xfer/aggregate.h"

/* A slot's operations wait in a list; tag 0 marks a free slot. */
struct slot {
    unsigned index, tag;
    bool aggregate;
    struct aggregate kept;        /* requests not yet issued */
    struct operation *operations; /* from `first` on, up to n */
    size_t first, n, room;
    uint64_t removed;             /* operations that were in the list, ever */
    unsigned waiters, issuing;    /* threads in armcii_handle_wait; those that send what it kept */
    unsigned next_free;
};

/* Cookies that name no slot: an unused handle, and an aggregate one that has nothing yet. */
static const armci_hdl_t UNUSED = {0, 0};
static const armci_hdl_t EMPTY_AGGREGATE = {0xffffffffu, 0xa66e6a7eu};

enum { IMPLICIT = 0, NONE = -1 };
static struct slot **slots; /* [0] is the implicit handle; they stay where they are */
static unsigned slot_count, first_free; /* first_free 0: none */
static unsigned last_tag;
size_t armcii_handles_keeping; /* slots with requests not yet issued */

static struct slot *new_slot(unsigned index, unsigned next_free)
{
    struct slot *s = calloc(1, sizeof *s);
    if (!s) armcii_fatal("out of memory for handles");
    s->index = index;
    s->next_free = next_free;
    return s;
}

void armcii_handles_start(void)
{
    slots = malloc(sizeof *slots);
    if (!slots) armcii_fatal("out of memory for handles");
    slots[IMPLICIT] = new_slot(IMPLICIT, 0);
    slot_count = 1;
    first_free = 0;
    armcii_handles_keeping = 0;
}

static void remove_first(struct slot *s)
{
    free(s->operations[s->first].buffer);
    s->removed++;
    if (++s->first == s->n) s->first = s->n = 0;
}

/* What another thread has kept meanwhile stays. */
static void release(struct slot *s)
{
    while (s->n > 0) remove_first(s);
    if (!armcii_aggregate_is_for(&s->kept, -1)) armcii_aggregate_clear(&s->kept);
}

void armcii_handles_end(void)
{
    for (unsigned i = 0; i < slot_count; i++) {
        release(slots[i]);
        free(slots[i]->operations);
        armcii_aggregate_free(&slots[i]->kept);
        free(slots[i]);
    }
    free(slots);
    slots = NULL;
    slot_count = 0;
}

/* Tags look random, so that garbage in an uninitialised handle does not meet one. */
static unsigned new_tag(void)
{
    last_tag++;
    unsigned tag = last_tag * 2654435761u ^ 0x5bd1e995u;
    return tag ? tag : new_tag();
}

static struct slot *find(const armci_hdl_t *handle)
{
    if (!handle) return slots[IMPLICIT];
    if (handle->slot == IMPLICIT || handle->slot >= slot_count) return NULL;
    struct slot *s = slots[handle->slot];
    return s->tag != 0 && s->tag == handle->tag ? s : NULL;
}

static void grow(void)
{
    unsigned count = slot_count < 8 ? 16 : 2 * slot_count;
    struct slot **bigger = realloc(slots, count * sizeof *slots);
    if (!bigger) armcii_fatal("out of memory for %u handles", count);
    for (unsigned i = slot_count; i < count; i++) bigger[i] = new_slot(i, i + 1 < count ? i + 1 : 0);
    first_free = slot_count;
    slots = bigger;
    slot_count = count;
}

static bool is_empty_aggregate(const armci_hdl_t *handle)
{
    return handle->slot == EMPTY_AGGREGATE.slot && handle->tag == EMPTY_AGGREGATE.tag;
}

/* The handle's slot; a fresh one where it has none. */
static struct slot *obtain(armci_hdl_t *handle)
{
    struct slot *s = find(handle);
    if (s) return s;
    if (!first_free) grow();
    bool aggregate = is_empty_aggregate(handle);
    handle->slot = first_free;
    s = slots[first_free];
    first_free = s->next_free;
    s->tag = handle->tag = new_tag();
    s->aggregate = aggregate;
    return s;
}

/* The implicit handle is for ever; of several that wait the last gives it back. */
static void give_back(struct slot *s)
{
    if (s->index == IMPLICIT || s->waiters > 0 || s->issuing > 0 || s->tag == 0) return;
    release(s);
    s->tag = 0;
    s->next_free = first_free;
    first_free = s->index;
}

/* The same target again: the newest ticket covers the older ones, unless each brings a buffer, or somebody waits for one of them. */
static bool covers(const struct slot *s, const struct operation *op)
{
    const struct operation *last = s->n ? &s->operations[s->n - 1] : NULL;
    if (!last || s->waiters > 0 || op->buffer || op->asked || last->asked) return false;
    return last->region_id == op->region_id && last->target == op->target;
}

static void make_room(struct slot *s)
{
    if (s->n < s->room) return;
    size_t waiting = s->n - s->first, room = 2 * waiting >= s->room ? 2 * s->room + 4 : s->room;
    if (s->first > 0) memmove(s->operations, s->operations + s->first, waiting * sizeof *s->operations);
    struct operation *bigger = realloc(s->operations, room * sizeof *bigger);
    if (!bigger) armcii_fatal("out of memory for %zu outstanding operations", room);
    s->operations = bigger;
    s->room = room;
    s->first = 0;
    s->n = waiting;
}

static void attach(struct slot *s, const struct operation *op)
{
    if (op->ticket == 0 && op->asked == 0) return;
    if (op->asked) armcii_thread_wake(); /* it goes on while the program computes */
    if (covers(s, op)) {
        s->operations[s->n - 1].ticket = op->ticket;
        return;
    }
    make_room(s);
    s->operations[s->n++] = *op;
}

/* Complete what is in the list now: others may add to it, complete and remove meanwhile. */
static void finish_operations(struct slot *s)
{
    const uint64_t end = s->removed + (s->n - s->first);
    while (s->removed < end) {
        const uint64_t which = s->removed;
        struct operation op = s->operations[s->first];
        op.buffer = NULL; /* is freed by who removes it */
        armcii_transfer_finish(&op);
        if (s->removed == which) remove_first(s);
    }
}

/* Hand what was kept to the engine, as one vector transfer.  What joins meanwhile goes later. */
static int issue_kept(struct slot *s)
{
    struct transfer t;
    struct operation op;
    struct aggregate going = s->kept;
    if (!armcii_aggregate_take(&going, &t)) return 0;
    s->kept = (struct aggregate){0};
    s->issuing++;
    int rc = armcii_transfer_start(&t, &op);
    if (rc == 0) attach(s, &op);
    armcii_aggregate_taken(&going, &s->kept);
    s->issuing--;
    armcii_handles_keeping--;
    return rc;
}

/* What another thread is sending is on its way when this returns. */
static void await_issue(const struct slot *s)
{
    struct patience p = {0};
    while (s->issuing > 0) armcii_client_let_go_on(&p);
}

/* An aggregate handle keeps requests of one kind to one process; another kind or process first sends off what is there. */
static int keep(struct slot *s, const struct transfer *t, bool copy)
{
    int rc = armcii_aggregate_fits(&s->kept, t) ? 0 : issue_kept(s);
    if (rc) return rc;
    bool first = !armcii_aggregate_is_for(&s->kept, -1);
    rc = armcii_aggregate_add(&s->kept, t, copy);
    if (rc) return rc;
    if (first) armcii_handles_keeping++;
    armcii_stats_travels(STATS_KEPT, t->shape.bytes, t->shape.nsegs);
    armcii_transfer_count(t);
    return 0;
}

bool armcii_handle_keep_next(armci_hdl_t *handle, enum rma_kind kind, int target, void *local, void *remote, size_t bytes)
{
    struct slot *s = find(handle);
    if (!s || !s->aggregate || !armcii_aggregate_join(&s->kept, kind, target, local, remote, bytes)) return false;
    armcii_stats_travels(STATS_KEPT, bytes, 1);
    armcii_stats_asked((enum stats_kind)kind, target, bytes, 1);
    return true;
}

static bool is_aggregate(const armci_hdl_t *handle)
{
    const struct slot *s = find(handle);
    return s ? s->aggregate : is_empty_aggregate(handle);
}

int armcii_handle_start(armci_hdl_t *handle, const struct transfer *t)
{
    if (is_aggregate(handle) && armcii_aggregate_wants(t)) return keep(obtain(handle), t, false);
    struct operation op;
    int rc = armcii_transfer_start(t, &op);
    if (rc) return rc;
    if (op.ticket || op.asked) attach(obtain(handle), &op);
    armcii_transfer_count(t);
    return 0;
}

/* A value has no memory to wait in: kept by an aggregate handle, else complete at once. */
int armcii_handle_start_value(armci_hdl_t *handle, const struct transfer *t)
{
    return is_aggregate(handle) ? keep(obtain(handle), t, true) : armcii_transfer_blocking(t);
}

int armcii_handle_wait(armci_hdl_t *handle)
{
    struct slot *s = find(handle);
    if (!s) {
        armcii_stats_quick();
        return 0;
    }
    armcii_stats_slow();
    s->waiters++;
    await_issue(s);
    int rc = issue_kept(s);
    if (!armcii_mutant("wait-does-nothing")) finish_operations(s);
    s->waiters--;
    if (handle) *handle = s->aggregate ? EMPTY_AGGREGATE : UNUSED;
    give_back(s);
    return rc;
}

void armcii_handle_clear(armci_hdl_t *handle)
{
    *handle = UNUSED;
}

void armcii_handle_set_aggregate(armci_hdl_t *handle)
{
    struct slot *s = find(handle);
    if (s)
        s->aggregate = true;
    else
        *handle = EMPTY_AGGREGATE;
}

int armcii_handle_unset_aggregate(armci_hdl_t *handle)
{
    struct slot *s = find(handle);
    if (!s) {
        if (is_empty_aggregate(handle)) *handle = UNUSED;
        return 0;
    }
    s->aggregate = false;
    return issue_kept(s);
}

int armcii_handles_issue_kept(int target)
{
    int rc = 0;
    for (unsigned i = 0; i < slot_count && armcii_handles_keeping > 0; i++) {
        await_issue(slots[i]);
        if (armcii_aggregate_is_for(&slots[i]->kept, target)) {
            int failed = issue_kept(slots[i]);
            if (failed) rc = failed;
        }
    }
    return rc;
}

/* An aggregate handle goes on collecting: it keeps its slot. */
void armcii_handles_release_all(void)
{
    for (unsigned i = 0; i < slot_count; i++) {
        release(slots[i]);
        if (!slots[i]->aggregate) give_back(slots[i]);
    }
}
