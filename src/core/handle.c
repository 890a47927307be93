/* handle.c - the table of handles.  Whoever waits between nodes lets other threads into the library meanwhile: they may use the implicit
 * handle, too, fence what other handles keep, and make new slots.
 *
 * Fences, barriers, ARMCI_WaitProc and a free complete operations without looking at handles.  What is complete leaves the table when room
 * is needed: then all slots are looked at, and the table doubles unless half of it has become free.  So memory is bounded by what was
 * outstanding at a time, and an operation costs the same however many there were before. */
#include "core/handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/fault.h"
#include "base/stats.h"
#include "base/backoff.h"
#include "core/aggregate.h"

/* A slot's operations wait in a list; tag 0 marks a free slot. */
struct slot {
    unsigned index, tag, former;  /* former: the tag before it became aggregate, or plain; or 0 */
    bool aggregate;               /* as the tag says */
    struct aggregate kept;        /* requests not yet issued */
    struct request *operations; /* from `first` on, up to n */
    size_t first, n, room;
    uint64_t removed;             /* operations that were in the list, ever */
    unsigned waiters, issuing;    /* threads that wait or test; those that send what it kept */
    unsigned passing;             /* threads that stand here in the list of those that keep */
    bool keeps;                   /* is it in that list? */
    struct slot *next, *previous; /* there */
    unsigned next_free;
};

/* Cookies that name no slot: an unused handle, and an aggregate one that has nothing yet. */
static const armci_hdl_t UNUSED = {0, 0};
static const armci_hdl_t EMPTY_AGGREGATE = {0xffffffffu, 0xa66e6a7eu};

enum { IMPLICIT = 0, NONE = -1 };
static struct slot **slots; /* [0] is the implicit handle; they stay where they are */
static unsigned slot_count, first_free; /* first_free 0: none */
static unsigned last_number;            /* of a tag */
static struct slot *keeping;            /* slots with requests not yet issued, or that are being issued */
size_t armcii_handles_queued;          /* how many */
static size_t copied, most_copied;      /* bytes that operations hold; those beyond which complete ones are looked for */
enum { COPIED = 1 << 20 };

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
    armcii_handles_queued = 0;
    keeping = NULL;
    copied = 0;
    most_copied = COPIED;
}

/* ---- operations of a slot ---- */

static size_t bytes_of(const struct buffer *list)
{
    size_t sum = 0;
    for (; list; list = list->next)
        sum += sizeof *list + list->bytes;
    return sum;
}

static void release_copies(const struct request *req)
{
    copied -= bytes_of(req->buffers);
    armcii_buffers_free(req->buffers);
}

static void remove_first(struct slot *s)
{
    release_copies(&s->operations[s->first]);
    s->removed++;
    if (++s->first == s->n) s->first = s->n = 0;
}

static void release(struct slot *s)
{
    while (s->n > 0) remove_first(s);
}

/* Others stay, in their order.  Nobody waits for the slot. */
static void drop_complete(struct slot *s)
{
    size_t left = 0;
    for (size_t i = s->first; i < s->n; i++) {
        if (armcii_op_is_complete(&s->operations[i]))
            release_copies(&s->operations[i]);
        else
            s->operations[left++] = s->operations[i];
    }
    s->first = 0;
    s->n = left;
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

/* ---- slots and cookies ---- */

/* Tags look random, so that garbage in an uninitialised handle does not meet one.  Each has a number, odd for an aggregate handle: that is
 * still known when the slot has gone. */
enum { TAG_MASK = 0x5bd1e995 };
static unsigned number_of(unsigned tag)
{
    return (tag ^ TAG_MASK) * 244002641u;
}

static unsigned new_tag(bool aggregate)
{
    last_number += 2;
    unsigned tag = (last_number + aggregate) * 2654435761u ^ TAG_MASK;
    return tag ? tag : new_tag(aggregate);
}
_Static_assert(244002641u * 2654435761u == 1, "one undoes the other");

static struct slot *find(const armci_hdl_t *handle)
{
    if (!handle) return slots[IMPLICIT];
    if (handle->slot == IMPLICIT || handle->slot >= slot_count) return NULL;
    struct slot *s = slots[handle->slot];
    return handle->tag != 0 && (s->tag == handle->tag || s->former == handle->tag) ? s : NULL;
}

/* The implicit handle is for ever; of several that wait the last gives it back. */
static void give_back(struct slot *s)
{
    if (s->index == IMPLICIT || s->waiters > 0 || s->issuing > 0 || s->keeps || s->tag == 0) return;
    release(s);
    s->tag = s->former = 0;
    s->next_free = first_free;
    first_free = s->index;
}

/* Drop what is complete in all slots, and give back those with nothing left.  Returns how many that were. */
static unsigned sweep(void)
{
    unsigned given = 0;
    for (unsigned i = 0; i < slot_count; i++) {
        struct slot *s = slots[i];
        if (s->waiters > 0 || s->issuing > 0) continue;
        drop_complete(s);
        if (s->index == IMPLICIT || s->tag == 0 || s->n > 0 || s->keeps) continue;
        give_back(s);
        given++;
    }
    return given;
}

/* There are free ones behind them. */
static void grow(void)
{
    unsigned count = slot_count < 8 ? 16 : 2 * slot_count;
    struct slot **bigger = realloc(slots, count * sizeof *slots);
    if (!bigger) armcii_fatal("out of memory for %u handles", count);
    for (unsigned i = slot_count; i < count; i++)
        bigger[i] = new_slot(i, i + 1 < count ? i + 1 : first_free);
    first_free = slot_count;
    slots = bigger;
    slot_count = count;
}

static void make_slots(void)
{
    if (2 * sweep() < slot_count) grow();
}

/* Its slot was given back, or it never had one. */
static bool is_empty_aggregate(const armci_hdl_t *handle)
{
    unsigned number = number_of(handle->tag);
    if (handle->slot == EMPTY_AGGREGATE.slot && handle->tag == EMPTY_AGGREGATE.tag) return true;
    return handle->slot != IMPLICIT && handle->slot < slot_count && number % 2 == 1 && number <= last_number + 1;
}

/* The handle's slot; a fresh one where it has none. */
static struct slot *obtain(armci_hdl_t *handle)
{
    struct slot *s = find(handle);
    if (s) return s;
    if (!first_free) make_slots();
    bool aggregate = is_empty_aggregate(handle);
    handle->slot = first_free;
    s = slots[first_free];
    first_free = s->next_free;
    s->tag = handle->tag = new_tag(aggregate);
    s->aggregate = aggregate;
    return s;
}

/* The slot becomes aggregate, or plain; copies of the handle name it, too, until it is given back. */
static void rename_slot(struct slot *s, armci_hdl_t *handle, bool aggregate)
{
    if (s->aggregate == aggregate) return;
    unsigned tag = s->former ? s->former : new_tag(aggregate); /* of two tags one says aggregate, the other does not */
    s->former = s->tag;
    s->tag = handle->tag = tag;
    s->aggregate = aggregate;
}

/* ---- starting ---- */

/* The same target again: the newest request covers the older ones, unless each brings copies, or somebody waits for one of them. */
static bool covers(const struct slot *s, const struct request *req)
{
    const struct request *last = s->n ? &s->operations[s->n - 1] : NULL;
    if (!last || s->waiters > 0 || req->buffers || req->region_id == 0) return false;
    return last->transport == req->transport && last->region_id == req->region_id && last->target == req->target;
}

static void make_room(struct slot *s)
{
    if (s->n < s->room) return;
    if (s->waiters == 0) drop_complete(s);
    size_t waiting = s->n - s->first, room = 2 * waiting >= s->room ? 2 * s->room + 4 : s->room;
    if (s->first > 0) memmove(s->operations, s->operations + s->first, waiting * sizeof *s->operations);
    struct request *bigger = realloc(s->operations, room * sizeof *bigger);
    if (!bigger) armcii_fatal("out of memory for %zu outstanding operations", room);
    s->operations = bigger;
    s->room = room;
    s->first = 0;
    s->n = waiting;
}

static void attach(struct slot *s, const struct request *req)
{
    if (!req->transport) {
        armcii_buffers_free(req->buffers);
        return;
    }
    if (req->transport->leave) req->transport->leave();
    if (covers(s, req)) {
        s->operations[s->n - 1].id = req->id;
        return;
    }
    make_room(s);
    s->operations[s->n++] = *req;
    copied += bytes_of(req->buffers);
    if (copied <= most_copied) return;
    sweep();
    most_copied = 2 * copied + COPIED;
}

/* Complete what is in the list now: others may add to it, complete and remove meanwhile. */
static void finish_operations(struct slot *s)
{
    const uint64_t end = s->removed + (s->n - s->first);
    while (s->removed < end) {
        const uint64_t which = s->removed;
        struct request req = s->operations[s->first];
        req.buffers = NULL; /* are freed by who removes it */
        armcii_op_finish(&req);
        if (s->removed == which) remove_first(s);
    }
}

/* The same without waiting: false where something is not complete. */
static bool test_operations(struct slot *s)
{
    const uint64_t end = s->removed + (s->n - s->first);
    while (s->removed < end) {
        const uint64_t which = s->removed;
        struct request req = s->operations[s->first];
        if (!armcii_op_test(&req)) return false;
        if (s->removed == which) remove_first(s);
    }
    return true;
}

/* ---- what aggregate handles keep ---- */

static void enter_keeping(struct slot *s)
{
    if (s->keeps) return;
    s->keeps = true;
    s->previous = NULL;
    s->next = keeping;
    if (keeping) keeping->previous = s;
    keeping = s;
    armcii_handles_queued++;
}

/* Where nothing and nobody keeps it there. */
static void leave_keeping(struct slot *s)
{
    if (!s->keeps || armcii_aggregate_is_for(&s->kept, -1) || s->issuing > 0 || s->passing > 0) return;
    s->keeps = false;
    *(s->previous ? &s->previous->next : &keeping) = s->next;
    if (s->next) s->next->previous = s->previous;
    armcii_handles_queued--;
}

/* Hand what was kept to the engine, as one vector transfer.  What joins meanwhile goes later. */
static int issue_kept(struct slot *s)
{
    struct op op;
    struct request req = {0};
    struct aggregate going = s->kept;
    if (!armcii_aggregate_take(&going, &op)) return 0;
    s->kept = (struct aggregate){0};
    s->issuing++;
    int rc = armcii_op_start(&op, &req);
    if (going.values) req.buffers = going.values; /* values are put: nothing was scaled */
    attach(s, &req);
    armcii_aggregate_taken(&going, &s->kept);
    s->issuing--;
    leave_keeping(s);
    return rc;
}

/* What another thread is sending is on its way when this returns. */
static void await_issue(const struct slot *s)
{
    struct backoff p = {0};
    while (s->issuing > 0) armcii_progress_wait(&p);
}

/* An aggregate handle keeps requests of one kind to one process; another kind or process first sends off what is there. */
static int keep(struct slot *s, const struct op *op, bool copy)
{
    int rc = 0;
    while (rc == 0 && !armcii_aggregate_fits(&s->kept, op)) rc = issue_kept(s); /* another thread may keep something meanwhile */
    if (rc) return rc;
    rc = armcii_aggregate_add(&s->kept, op, copy);
    if (rc) return rc;
    enter_keeping(s);
    armcii_stats_travels(STATS_AGGREGATED, op->shape.bytes, op->shape.nsegs);
    armcii_op_count(op);
    return 0;
}

bool armcii_handle_queue_next(armci_hdl_t *handle, enum rma_kind kind, int target, void *local, void *remote, size_t bytes)
{
    struct slot *s = find(handle);
    if (!s || !s->aggregate || !armcii_aggregate_join(&s->kept, kind, target, local, remote, bytes)) return false;
    armcii_stats_travels(STATS_AGGREGATED, bytes, 1);
    armcii_stats_asked((enum stats_kind)kind, target, bytes, 1);
    return true;
}

static bool is_aggregate(const armci_hdl_t *handle)
{
    const struct slot *s = find(handle);
    return s ? s->aggregate : is_empty_aggregate(handle);
}

int armcii_handle_start(armci_hdl_t *handle, const struct op *op)
{
    if (is_aggregate(handle) && armcii_aggregate_wants(op)) return keep(obtain(handle), op, false);
    struct request req;
    int rc = armcii_op_start(op, &req);
    if (rc) return rc;
    if (req.transport) attach(obtain(handle), &req);
    armcii_op_count(op);
    return 0;
}

/* A value has no memory to wait in: kept by an aggregate handle, else complete at once. */
int armcii_handle_start_value(armci_hdl_t *handle, const struct op *op)
{
    return is_aggregate(handle) ? keep(obtain(handle), op, true) : armcii_op_blocking(op);
}

/* ---- completion ---- */

/* Nothing is outstanding, unless another thread has started something meanwhile. */
static void retire(struct slot *s, armci_hdl_t *handle)
{
    bool goes_on = s->n > 0 || s->issuing > 0 || armcii_aggregate_is_for(&s->kept, -1);
    if (goes_on && !armcii_fault("wait-does-nothing")) return;
    if (handle) *handle = s->aggregate ? EMPTY_AGGREGATE : UNUSED;
    give_back(s);
}

/* The slot that a thread waits for or tests from now on; NULL: nothing is outstanding. */
static struct slot *join_waiters(const armci_hdl_t *handle)
{
    struct slot *s = find(handle);
    if (!s) return NULL;
    s->waiters++;
    return s;
}

int armcii_handle_wait(armci_hdl_t *handle)
{
    struct slot *s = join_waiters(handle);
    if (!s) return 0;
    await_issue(s);
    int rc = issue_kept(s);
    if (!armcii_fault("wait-does-nothing")) finish_operations(s);
    s->waiters--;
    retire(s, handle);
    return rc;
}

/* A program that tests again and again waits in fact: all goes on, and others are served, by each test that finds something outstanding. */
int armcii_handle_test(armci_hdl_t *handle)
{
    enum { UNDER_WAY = 1 };
    struct backoff p = {0};
    struct slot *s = join_waiters(handle);
    if (!s) return 0;
    int rc = issue_kept(s);
    bool complete = test_operations(s);
    if (!complete) {
        armcii_progress_wait(&p);
        complete = test_operations(s);
    }
    s->waiters--;
    if (s->issuing > 0 || !complete) return rc ? rc : UNDER_WAY;
    retire(s, handle);
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
        rename_slot(s, handle, true);
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
    rename_slot(s, handle, false);
    return issue_kept(s);
}

int armcii_handles_flush_queued(int target)
{
    int rc = 0;
    struct slot *next;
    for (struct slot *s = keeping; s; s = next) {
        s->passing++; /* it stays in the list while others come and go */
        await_issue(s);
        if (armcii_aggregate_is_for(&s->kept, target)) {
            int failed = issue_kept(s);
            if (failed) rc = failed;
        }
        next = s->next;
        s->passing--;
        leave_keeping(s);
    }
    return rc;
}
