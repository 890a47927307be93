/* handle.c - the table of handles.
 *
 * A wait for another node releases the global lock: other threads may use the implicit handle,
 * flush queued requests and add entries.
 *
 * Fences, barriers, ARMCI_WaitProc and a free complete operations without visiting handles.
 * Completed operations are removed when an entry is needed: a sweep visits all entries, and the
 * table doubles unless half of the entries become free. Memory is bounded by the largest number of
 * outstanding operations; the cost per operation is constant. */
#include "core/handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/backoff.h"

/* So many lists of a handle may alternate (core/aggregate.h). */
enum { QUEUES = 64 };

/* An entry has them while requests are queued; they keep their memory for the next one. */
struct queues {
    struct aggregate queue[QUEUES]; /* first: see give_queues */
    struct queues *next;
};

/* State of a handle; tag 0 marks a free entry. */
struct handle_entry {
    unsigned index, tag,
        former; /* former: the tag before the last switch between aggregate and plain; 0: none */
    bool aggregate;             /* as the tag encodes */
    struct aggregate *queues;   /* requests not yet issued; NULL: none are */
    int queue_count;            /* of them that have been used; the others are empty */
    int last_queue;             /* the one of the last request */
    struct request *operations; /* [first, n) */
    size_t first, n, room;
    uint64_t removed;           /* number of operations removed so far */
    unsigned waiters, flushing; /* threads in wait or test; threads that flush the queue */
    unsigned visitors; /* threads whose walk over `queued` is at this entry, or that wait for a
                          flush of it */
    bool is_queued;    /* is in the list `queued` */
    struct handle_entry *next, *previous; /* in that list */
    unsigned next_free;
};

/* Cookies without an entry: an unused handle, and an unused aggregate handle. */
static const armci_hdl_t UNUSED = {0, 0};
static const armci_hdl_t EMPTY_AGGREGATE = {0xffffffffu, 0xa66e6a7eu};

enum { IMPLICIT = 0, NONE = -1 };
static struct {
    struct handle_entry **entries;    /* [0] is the implicit handle; an entry never moves */
    unsigned entry_count, first_free; /* first_free 0: none */
    unsigned last_number;             /* of a tag */
    struct handle_entry *queued; /* entries with queued requests, or with a flush in progress */
    struct queues *spare;        /* queues that no entry has */
    size_t copied,
        sweep_limit; /* bytes of copies held by operations; the amount that triggers a sweep */
} handles;
size_t armcii_handles_queued; /* their number */
enum { SWEEP_BYTES = 1 << 20 };

static struct handle_entry *new_entry(unsigned index, unsigned next_free)
{
    struct handle_entry *s = calloc(1, sizeof *s);
    if (!s) armcii_fatal("out of memory for handles");
    s->index = index;
    s->next_free = next_free;
    return s;
}

void armcii_handles_start(void)
{
    handles.entries = malloc(sizeof *handles.entries);
    if (!handles.entries) armcii_fatal("out of memory for handles");
    handles.entries[IMPLICIT] = new_entry(IMPLICIT, 0);
    handles.entry_count = 1;
    handles.first_free = 0;
    armcii_handles_queued = 0;
    handles.queued = NULL;
    handles.copied = 0;
    handles.sweep_limit = SWEEP_BYTES;
}

/* ---- operations of an entry ---- */

static size_t bytes_of(const struct buffer *list)
{
    size_t sum = 0;
    for (; list; list = list->next)
        sum += sizeof *list + list->bytes;
    return sum;
}

static void release_copies(const struct request *req)
{
    handles.copied -= bytes_of(req->buffers);
    armcii_buffers_free(req->buffers);
}

static void remove_first(struct handle_entry *s)
{
    release_copies(&s->operations[s->first]);
    s->removed++;
    if (++s->first == s->n) s->first = s->n = 0;
}

static void remove_all(struct handle_entry *s)
{
    while (s->n > 0)
        remove_first(s);
}

/* Keeps the order of the other operations. Requires that no thread waits for the entry. */
static void drop_complete(struct handle_entry *s)
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

static void take_queues(struct handle_entry *s)
{
    struct queues *queues = handles.spare;
    if (queues)
        handles.spare = queues->next;
    else
        queues = armcii_alloc(1, sizeof *queues, "an aggregate handle");
    s->queues = queues->queue;
}

static void give_queues(struct handle_entry *s)
{
    if (!s->queues) return;
    struct queues *queues = (struct queues *)(void *)s->queues;
    queues->next = handles.spare;
    handles.spare = queues;
    s->queues = NULL;
    s->queue_count = s->last_queue = 0;
}

static void free_queues(void)
{
    while (handles.spare) {
        struct queues *queues = handles.spare;
        handles.spare = queues->next;
        for (int q = 0; q < QUEUES; q++)
            armcii_aggregate_free(&queues->queue[q]);
        free(queues);
    }
    armcii_aggregate_forget();
}

void armcii_handles_end(void)
{
    for (unsigned i = 0; i < handles.entry_count; i++) {
        remove_all(handles.entries[i]);
        free(handles.entries[i]->operations);
        give_queues(handles.entries[i]);
        free(handles.entries[i]);
    }
    free_queues();
    free(handles.entries);
    handles.entries = NULL;
    handles.entry_count = 0;
}

/* ---- entries and cookies ---- */

/* Tags are scrambled numbers, so that an uninitialised handle is unlikely to match one. The number
 * is odd for an aggregate handle, so that a stale aggregate cookie differs from a plain one. */
enum { TAG_MASK = 0x5bd1e995 };
static unsigned number_of(unsigned tag)
{
    return (tag ^ TAG_MASK) * 244002641u;
}

static unsigned new_tag(bool aggregate)
{
    handles.last_number += 2;
    unsigned tag = (handles.last_number + aggregate) * 2654435761u ^ TAG_MASK;
    return tag ? tag : new_tag(aggregate);
}
_Static_assert(244002641u * 2654435761u == 1, "the factors are inverse to each other");

static struct handle_entry *find(const armci_hdl_t *handle)
{
    if (!handle) return handles.entries[IMPLICIT];
    if (handle->slot == IMPLICIT || handle->slot >= handles.entry_count) return NULL;
    struct handle_entry *s = handles.entries[handle->slot];
    return handle->tag != 0 && (s->tag == handle->tag || s->former == handle->tag) ? s : NULL;
}

/* No thread is at the entry. The implicit handle is never freed. */
static void free_slot(struct handle_entry *s)
{
    if (s->index == IMPLICIT || s->is_queued) return;
    remove_all(s);
    s->tag = s->former = 0;
    s->next_free = handles.first_free;
    handles.first_free = s->index;
}

/* Drop completed operations in all entries and free empty entries; returns the number of freed
 * entries.
 */
static unsigned sweep(void)
{
    unsigned freed = 0;
    for (unsigned i = 0; i < handles.entry_count; i++) {
        struct handle_entry *s = handles.entries[i];
        if (s->waiters > 0 || s->flushing > 0) continue;
        drop_complete(s);
        if (s->index == IMPLICIT || s->tag == 0 || s->n > 0 || s->is_queued) continue;
        free_slot(s);
        freed++;
    }
    return freed;
}

/* The new entries go to the front of the free list. */
static void grow(void)
{
    unsigned count = handles.entry_count < 8 ? 16 : 2 * handles.entry_count;
    struct handle_entry **bigger = realloc(handles.entries, count * sizeof *handles.entries);
    if (!bigger) armcii_fatal("out of memory for %u handles", count);
    for (unsigned i = handles.entry_count; i < count; i++)
        bigger[i] = new_entry(i, i + 1 < count ? i + 1 : handles.first_free);
    handles.first_free = handles.entry_count;
    handles.entries = bigger;
    handles.entry_count = count;
}

/* An aggregate handle without an entry: never used, or its entry was freed. */
static bool is_empty_aggregate(const armci_hdl_t *handle)
{
    unsigned number = number_of(handle->tag);
    if (handle->slot == EMPTY_AGGREGATE.slot && handle->tag == EMPTY_AGGREGATE.tag) return true;
    return handle->slot != IMPLICIT && handle->slot < handles.entry_count && number % 2 == 1 &&
           number <= handles.last_number + 1;
}

/* The handle's entry; allocates one if it has none. */
static struct handle_entry *obtain(armci_hdl_t *handle)
{
    struct handle_entry *s = find(handle);
    if (s) return s;
    if (!handles.first_free && 2 * sweep() < handles.entry_count) grow();
    bool aggregate = is_empty_aggregate(handle);
    handle->slot = handles.first_free;
    s = handles.entries[handles.first_free];
    handles.first_free = s->next_free;
    s->tag = handle->tag = new_tag(aggregate);
    s->aggregate = aggregate;
    return s;
}

/* Switch the entry between aggregate and plain; copies of the handle stay valid until the entry is
 * freed. */
static void set_kind(struct handle_entry *s, armci_hdl_t *handle, bool aggregate)
{
    if (s->aggregate == aggregate) return;
    unsigned tag =
        s->former ? s->former : new_tag(aggregate); /* the former tag encodes the other kind */
    s->former = s->tag;
    s->tag = handle->tag = tag;
    s->aggregate = aggregate;
}

/* ---- starting ---- */

/* Completion of req implies that of the entry's last operation: same target, no copies to free, no
 * waiter. */
static bool covers_last(const struct handle_entry *s, const struct request *req)
{
    const struct request *last = s->n ? &s->operations[s->n - 1] : NULL;
    if (!last || s->waiters > 0 || req->buffers || req->channel == 0) return false;
    return last->transport == req->transport && last->channel == req->channel &&
           last->target == req->target;
}

static void make_room(struct handle_entry *s)
{
    if (s->n < s->room) return;
    if (s->waiters == 0) drop_complete(s);
    size_t waiting = s->n - s->first, room = 2 * waiting >= s->room ? 2 * s->room + 4 : s->room;
    if (s->first > 0)
        memmove(s->operations, s->operations + s->first, waiting * sizeof *s->operations);
    struct request *bigger = realloc(s->operations, room * sizeof *bigger);
    if (!bigger) armcii_fatal("out of memory for %zu outstanding operations", room);
    s->operations = bigger;
    s->room = room;
    s->first = 0;
    s->n = waiting;
}

static void attach(struct handle_entry *s, const struct request *req)
{
    if (!req->transport) {
        armcii_buffers_free(req->buffers);
        return;
    }
    if (covers_last(s, req)) {
        s->operations[s->n - 1].id = req->id;
        return;
    }
    make_room(s);
    s->operations[s->n++] = *req;
    handles.copied += bytes_of(req->buffers);
    if (handles.copied <= handles.sweep_limit) return;
    sweep();
    handles.sweep_limit = 2 * handles.copied + SWEEP_BYTES;
}

/* A call returns with the operations of the entry outstanding. */
static void push(const struct handle_entry *s)
{
    const struct request *last = s->n ? &s->operations[s->n - 1] : NULL;
    if (last && last->transport->push) last->transport->push();
}

/* Complete the operations now in the list; other threads may add, complete and remove operations
 * meanwhile. */
static void finish_operations(struct handle_entry *s)
{
    const uint64_t end = s->removed + (s->n - s->first);
    while (s->removed < end) {
        const uint64_t which = s->removed;
        struct request req = s->operations[s->first];
        req.buffers = NULL; /* remove_first frees them */
        armcii_op_wait(&req);
        if (s->removed == which) remove_first(s);
    }
}

/* The same without waiting; false if an operation is incomplete. */
static bool test_operations(struct handle_entry *s)
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

/* ---- queues of aggregate handles ---- */

static bool has_queued(const struct handle_entry *s)
{
    for (int q = 0; q < s->queue_count; q++)
        if (armcii_aggregate_has(&s->queues[q], -1)) return true;
    return false;
}

static void link_queued(struct handle_entry *s)
{
    if (s->is_queued) return;
    s->is_queued = true;
    s->previous = NULL;
    s->next = handles.queued;
    if (handles.queued) handles.queued->previous = s;
    handles.queued = s;
    armcii_handles_queued++;
}

/* Does nothing while requests are queued or a thread is at the entry. */
static void unlink_queued(struct handle_entry *s)
{
    if (!s->is_queued || has_queued(s) || s->flushing > 0 || s->visitors > 0) return;
    s->is_queued = false;
    *(s->previous ? &s->previous->next : &handles.queued) = s->next;
    if (s->next) s->next->previous = s->previous;
    armcii_handles_queued--;
    give_queues(s);
}

/* Wait until the flushes of other threads have issued their requests. The entry stays, but its
 * queues may have gone. */
static void wait_for_flushes(struct handle_entry *s)
{
    struct backoff p = {0};
    if (s->flushing == 0) return;
    s->visitors++;
    while (s->flushing > 0)
        armcii_progress_wait(&p);
    s->visitors--;
    unlink_queued(s);
}

/* Issue the requests of queue q as one vector transfer, behind those that other threads issue now:
 * puts of one handle keep their order. Requests queued meanwhile stay. more: the caller starts or
 * completes others at once. */
static int flush_queue(struct handle_entry *s, int q, bool more)
{
    struct op op;
    struct request req = {0};
    wait_for_flushes(s);
    if (q >= s->queue_count) return 0;
    struct aggregate *queue = &s->queues[q], sent = *queue;
    if (!armcii_aggregate_make_op(&sent, &op)) return 0;
    op.more = more;
    *queue = (struct aggregate){0};
    s->flushing++;
    int rc = armcii_op_start(&op, &req);
    if (sent.copies)
        req.buffers =
            sent.copies; /* only puts are copied: the engine allocates no buffer for them */
    attach(s, &req);
    armcii_aggregate_recycle(&sent, queue);
    s->flushing--;
    unlink_queued(s);
    return rc;
}

/* The queues with requests to the target, or to anybody (-1). */
static int flush_queues(struct handle_entry *s, int target, bool more)
{
    int rc = 0;
    for (int q = 0; q < s->queue_count; q++) {
        if (!armcii_aggregate_has(&s->queues[q], target)) continue;
        int failed = flush_queue(s, q, more);
        if (failed) rc = failed;
    }
    return rc;
}

/* A put that is not queued comes behind those that are. */
static int flush_puts(struct handle_entry *s, int target)
{
    int rc = 0;
    wait_for_flushes(s);
    for (int q = 0; q < s->queue_count; q++) {
        if (s->queues[q].verb.kind != OP_PUT || !armcii_aggregate_has(&s->queues[q], target))
            continue;
        int failed = flush_queue(s, q, false);
        if (failed) rc = failed;
    }
    return rc;
}

static int following(const struct handle_entry *s, int queue)
{
    return queue + 1 < s->queue_count ? queue + 1 : 0;
}

/* The queue with requests like op; else an empty one; else the one behind the last one used.
 * Requests often come in turns. */
static int queue_for(struct handle_entry *s, const struct op *op, const struct raddr *raddr)
{
    int empty = -1, q = s->last_queue;
    if (!s->queues) take_queues(s);
    for (int i = 0; i < s->queue_count; i++, q = following(s, q)) {
        if (armcii_aggregate_matches(&s->queues[q], op, raddr)) return q;
        if (!armcii_aggregate_has(&s->queues[q], -1)) empty = q;
    }
    if (empty >= 0) return empty;
    return s->queue_count < QUEUES ? s->queue_count++ : following(s, s->last_queue);
}

static int queue_request(armci_hdl_t *handle, const struct op *op, const struct raddr *raddr,
                         bool copy)
{
    struct handle_entry *s = obtain(handle);
    while (s->last_queue = queue_for(s, op, raddr),
           !armcii_aggregate_has_room(&s->queues[s->last_queue], op, raddr)) {
        int rc = flush_queue(s, s->last_queue, false);
        push(s);
        if (rc) return rc;
    }
    armcii_aggregate_add(&s->queues[s->last_queue], handle, op, raddr, copy);
    link_queued(s);
    return 0;
}

struct aggregate *armcii_handle_list(const armci_hdl_t *handle, const struct aggregate_key *key,
                                     const void *remote)
{
    struct aggregate *recent = armcii_aggregate_recent_for(handle, key, remote);
    if (recent) return recent;
    struct handle_entry *s = find(handle);
    if (!s || !s->aggregate) return NULL;
    for (int i = 0, q = s->last_queue; i < s->queue_count; i++, q = following(s, q)) {
        if (!armcii_aggregate_is_for(&s->queues[q], key, remote)) continue;
        s->last_queue = q;
        return &s->queues[q];
    }
    return NULL;
}

static bool is_aggregate(const armci_hdl_t *handle)
{
    const struct handle_entry *s = find(handle);
    return s ? s->aggregate : is_empty_aggregate(handle);
}

/* Queue op if the handle collects such requests; *queued: it did. 0 or an error code. */
static int try_to_queue(armci_hdl_t *handle, const struct op *op, bool copy, bool *queued)
{
    struct raddr raddr;
    *queued = false;
    if (!is_aggregate(handle) || op->shape.bytes == 0) return 0;
    int rc = armcii_op_locate(op, &raddr);
    if (rc) return rc;
    *queued = raddr.region && armcii_aggregate_accepts(op, &raddr);
    if (*queued) return queue_request(handle, op, &raddr, copy);
    struct handle_entry *s = find(handle);
    return s && op->verb.kind == OP_PUT ? flush_puts(s, op->target) : 0;
}

int armcii_handle_start(armci_hdl_t *handle, const struct op *op)
{
    struct request req;
    bool queued;
    int rc = try_to_queue(handle, op, false, &queued);
    if (rc || queued) return rc;
    rc = armcii_op_start(op, &req);
    if (rc || !req.transport) return rc;
    struct handle_entry *s = obtain(handle);
    attach(s, &req);
    push(s);
    return 0;
}

int armcii_handle_start_value(armci_hdl_t *handle, const struct op *op)
{
    bool queued;
    int rc = try_to_queue(handle, op, true, &queued);
    return rc || queued ? rc : armcii_op_blocking(op);
}

/* ---- completion ---- */

/* Free the entry and reset the cookie, unless another thread has started an operation meanwhile, or
 * is at the entry: the handle must name it as long. */
static void retire(struct handle_entry *s, armci_hdl_t *handle)
{
    const bool is_busy =
        s->n > 0 || s->waiters > 0 || s->flushing > 0 || s->visitors > 0 || has_queued(s);
    if (is_busy) return;
    if (handle && find(handle) == s) *handle = s->aggregate ? EMPTY_AGGREGATE : UNUSED;
    free_slot(s);
}

/* Register the caller as a waiter of the handle's entry; NULL: nothing is outstanding. */
static struct handle_entry *begin_wait(const armci_hdl_t *handle)
{
    struct handle_entry *s = find(handle);
    if (!s) return NULL;
    s->waiters++;
    return s;
}

int armcii_handle_wait(armci_hdl_t *handle)
{
    struct handle_entry *s = begin_wait(handle);
    if (!s) return 0;
    wait_for_flushes(s);
    int rc = flush_queues(s, -1, false);
    finish_operations(s);
    s->waiters--;
    retire(s, handle);
    return rc;
}

/* A test that finds something outstanding makes progress, since programs poll. */
int armcii_handle_test(armci_hdl_t *handle)
{
    enum { PENDING = 1 };
    struct backoff p = {0};
    struct handle_entry *s = begin_wait(handle);
    if (!s) return 0;
    const bool issues = has_queued(s) && s->flushing == 0; /* else it would wait */
    int rc = issues ? flush_queues(s, -1, false) : 0;
    bool complete = test_operations(s);
    if (!complete) {
        armcii_progress_wait(&p);
        complete = test_operations(s);
    }
    s->waiters--;
    if (issues && !complete) push(s);
    if (s->flushing > 0 || !complete || has_queued(s)) return rc ? rc : PENDING;
    retire(s, handle);
    return rc;
}

void armcii_handle_clear(armci_hdl_t *handle)
{
    *handle = UNUSED;
}

void armcii_handle_set_aggregate(armci_hdl_t *handle)
{
    struct handle_entry *s = find(handle);
    if (s)
        set_kind(s, handle, true);
    else
        *handle = EMPTY_AGGREGATE;
}

int armcii_handle_unset_aggregate(armci_hdl_t *handle)
{
    struct handle_entry *s = find(handle);
    if (!s) {
        if (is_empty_aggregate(handle)) *handle = UNUSED;
        return 0;
    }
    set_kind(s, handle, false);
    wait_for_flushes(s);
    int rc = flush_queues(s, -1, false);
    push(s);
    return rc;
}

int armcii_aggregates_flush_slow(int target, bool more)
{
    int rc = 0;
    struct handle_entry *next;
    for (struct handle_entry *s = handles.queued; s; s = next) {
        s->visitors++; /* keeps the entry in the list while other threads change it */
        wait_for_flushes(s);
        int failed = flush_queues(s, target, more);
        if (failed) rc = failed;
        push(s);
        next = s->next;
        s->visitors--;
        unlink_queued(s);
    }
    return rc;
}
