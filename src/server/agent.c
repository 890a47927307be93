/* agent.c - serving requests. */
#include "server/agent.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wait.h"
#include "server/pool.h"
#include "server/queues.h"
#include "server/wire.h"
#include "shm/apply.h"
#include "shm/host.h"
#include "shm/offer.h"

/* Messages are received into a ring, in order, so that those of one sender are served in the order in which they were sent. */
enum { SLOTS = 8 };
static char (*ring)[WIRE_BATCH];
static MPI_Request arrivals[SLOTS];
static int next_slot;

enum { SHORT = 64 };
/* What is on its way out, or, for large puts, in. */
struct transit {
    struct transit *next;
    MPI_Request request;
    int client, large; /* large put: to be acknowledged with this tag; else 0 */
    char word[SHORT];  /* what is short */
    char *buffer;      /* what is not; or NULL */
    size_t bytes;      /* of room */
};
_Static_assert((int)WIRE_REPLY <= (int)POOL_LARGEST, "a reply has a buffer of the pool");
static struct transit *in_transit, *unused;
enum { MOST = 1024 };
static int count_in_transit;
static struct pool pool = {.most = 4 << 20};

static MPI_Comm comm;
static struct wire_decoded decoded;
static pthread_mutex_t serving = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool here;
static atomic_uint polls; /* of threads that wait in the library */
static bool (*served_before)(void);

/* ---- transits ---- */

static bool advance_transits(void);

static struct transit *take_unused(void)
{
    struct transit *t = unused;
    if (t)
        unused = t->next;
    else
        t = malloc(sizeof *t);
    if (!t) armcii_fatal("out of memory for a reply");
    return t;
}

/* With room for so many bytes.  However many ask, the memory is bounded: replies that nobody has taken yet keep later requests waiting. */
static struct transit *new_transit(size_t bytes)
{
    char *buffer = NULL;
    while (count_in_transit >= MOST || (bytes > SHORT && !(buffer = armcii_pool_take(&pool, bytes)))) advance_transits();
    struct transit *t = take_unused();
    *t = (struct transit){.next = in_transit, .request = MPI_REQUEST_NULL, .buffer = buffer, .bytes = bytes};
    in_transit = t;
    count_in_transit++;
    return t;
}

static char *room_of(struct transit *t)
{
    return t->buffer ? t->buffer : t->word;
}

/* It is complete, and no longer in the list. */
static void leave_transit(struct transit *t)
{
    if (t->buffer) armcii_pool_leave(&pool, t->buffer, t->bytes);
    t->next = unused;
    unused = t;
    count_in_transit--;
}

static void send_reply(struct transit *t, const void *data, size_t bytes, int client, int tag)
{
    MPI_Isend(data, (int)bytes, MPI_BYTE, client, tag, comm, &t->request);
}

static void reply_with(const void *data, size_t bytes, int client, int tag)
{
    struct transit *t = new_transit(bytes);
    send_reply(t, memcpy(room_of(t), data, bytes), bytes, client, tag);
}

static void acknowledge(int client, struct wire_ack ack)
{
    reply_with(&ack, sizeof ack, client, WIRE_TAG_ACK);
}

/* Release what is complete; a large put that is in place is acknowledged. */
static bool advance_transits(void)
{
    bool any = false;
    for (struct transit **link = &in_transit; *link;) {
        struct transit *t = *link;
        int done;
        MPI_Test(&t->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        leave_transit(t);
        any = true;
        if (t->large) {
            atomic_thread_fence(memory_order_seq_cst);
            acknowledge(t->client, (struct wire_ack){.large = t->large});
            return true; /* the list has changed */
        }
    }
    return any;
}

/* ---- requests ---- */

/* Where the record's memory is here. */
static ptrdiff_t delta_of(const struct wire_record *r, const void *address)
{
    char *base, *mapped;
    size_t bytes;
    if (r->delta != WIRE_OFFER) return (ptrdiff_t)r->delta;
    if (!armcii_offer_find(armcii_host->rank_of[r->owner], address, &base, &bytes, &mapped))
        armcii_fatal("another host asks for %p of process %d, which is no memory of ARMCI_Memget", address, r->owner);
    return mapped - base;
}

static const void *first_address(const struct shape *s)
{
    return s->form == SHAPE_VECTOR ? s->runs[0].remote[0] : s->remote;
}

static void serve_put(const struct wire_record *r, const struct shape *s)
{
    armcii_apply_put(s, delta_of(r, first_address(s)));
}

static void serve_acc(const struct wire_record *r, const struct shape *s)
{
    armcii_apply_accumulate((enum element)r->element, r->scale, r->owner, delta_of(r, first_address(s)), s);
}

/* Moderate data are copied, so that MPI has them at once; more than that goes from its place.  So does what is strided while those who
 * asked for much, and compute, leave no room to pack it: the next requests do not wait for them. */
static bool goes_from_place(const struct shape *s)
{
    if (s->form == SHAPE_CONTIGUOUS) return s->bytes > armcii_wire_at_once();
    return !armcii_pool_has(&pool, s->bytes) && armcii_wire_suits_mpi(s, SHAPE_REMOTE);
}

static void serve_get(const struct wire_record *r, struct shape *s, int client)
{
    ptrdiff_t delta = delta_of(r, first_address(s));
    if (goes_from_place(s)) {
        struct transit *t = new_transit(0);
        armcii_wire_send(comm, (struct wire_place){s->remote + delta, s, SHAPE_REMOTE}, client, r->tag, &t->request);
        return;
    }
    struct transit *t = new_transit(s->bytes);
    armcii_shape_set_packed(s, room_of(t));
    armcii_apply_get(s, delta);
    send_reply(t, room_of(t), s->bytes, client, r->tag);
}

static void serve_put_large(const struct wire_record *r, const struct shape *s, int client)
{
    struct transit *t = new_transit(0);
    struct wire_place place = {s->remote + delta_of(r, s->remote), s, SHAPE_REMOTE};
    t->client = client;
    t->large = r->tag;
    armcii_wire_receive(comm, place, client, r->tag + WIRE_TAG_DATA, &t->request);
}

static void serve_rmw(const struct wire_record *r, const struct shape *s, int client)
{
    long operand;
    memcpy(&operand, r->scale, sizeof operand);
    long old = armcii_apply_rmw((enum apply_update)r->element, s->bytes, s->remote + delta_of(r, s->remote), operand);
    reply_with(&old, sizeof old, client, r->tag);
}

static void grant(int client, int tag, int granted)
{
    reply_with(&granted, sizeof granted, client, tag);
}

static void serve_lock(const struct wire_record *r, int client)
{
    if (armcii_queue_join(r->runs, r->owner, r->remote, client, r->tag)) grant(client, r->tag, 1);
}

static void serve_trylock(const struct wire_record *r, int client)
{
    grant(client, r->tag, armcii_queue_try(r->runs, r->owner, r->remote));
}

static void serve_unlock(const struct wire_record *r)
{
    int client, tag;
    if (armcii_queue_leave(r->runs, r->owner, r->remote, &client, &tag)) grant(client, tag, 1);
}

static void serve(const struct wire_record *r, int client)
{
    if (r->kind == WIRE_LOCK) { serve_lock(r, client); return; }
    if (r->kind == WIRE_TRYLOCK) { serve_trylock(r, client); return; }
    if (r->kind == WIRE_UNLOCK) { serve_unlock(r); return; }
    armcii_wire_decode(r, &decoded);
    struct shape *s = &decoded.shape;
    if (armcii_wire_has_data((enum wire_kind)r->kind)) armcii_shape_set_packed(s, decoded.data);
    switch ((enum wire_kind)r->kind) {
    case WIRE_PUT: serve_put(r, s); break;
    case WIRE_ACC: serve_acc(r, s); break;
    case WIRE_GET: serve_get(r, s, client); break;
    case WIRE_PUT_LARGE: serve_put_large(r, s, client); break;
    default: serve_rmw(r, s, client); break;
    }
}

static void serve_batch(char *message, int client)
{
    const struct wire_batch *head = (const struct wire_batch *)(void *)message;
    for (size_t at = sizeof *head; at < head->bytes;) {
        const struct wire_record *r = (const struct wire_record *)(void *)(message + at);
        at += r->length;
        serve(r, client);
    }
    if (head->acknowledge) {
        atomic_thread_fence(memory_order_seq_cst);
        acknowledge(client, (struct wire_ack){.batches = 1});
    }
}

static struct wire_inbox requests_in(void)
{
    return (struct wire_inbox){comm, WIRE_TAG_REQUEST, WIRE_BATCH};
}

static void expect_message(int slot)
{
    struct wire_inbox inbox = requests_in();
    armcii_wire_expect(&inbox, ring[slot], &arrivals[slot]);
}

static bool serve_arrivals(void)
{
    bool any = false;
    struct wire_inbox inbox = requests_in();
    for (;;) {
        int client;
        if (!armcii_wire_arrived(&inbox, ring[next_slot], &arrivals[next_slot], &client)) return any;
        serve_batch(ring[next_slot], client);
        expect_message(next_slot);
        next_slot = (next_slot + 1) % SLOTS;
        any = true;
    }
}

bool armcii_agent_is_here(void)
{
    return atomic_load_explicit(&here, memory_order_acquire);
}

bool armcii_agent_serve(void)
{
    if (!armcii_agent_is_here() || pthread_mutex_trylock(&serving) != 0) return false;
    bool any = serve_arrivals();
    if (in_transit) any |= advance_transits();
    pthread_mutex_unlock(&serving);
    return any;
}

bool armcii_agent_poll(void)
{
    if (!armcii_agent_is_here()) return false;
    atomic_fetch_add_explicit(&polls, 1, memory_order_relaxed);
    return armcii_agent_serve();
}

unsigned armcii_agent_help(void)
{
    return atomic_load_explicit(&polls, memory_order_relaxed);
}

/* ---- start and end ---- */

void armcii_agent_start(MPI_Comm requests)
{
    if (armcii_agent_is_here()) return;
    comm = requests;
    ring = malloc(SLOTS * sizeof *ring);
    if (!ring) armcii_fatal("out of memory for messages from other hosts");
    next_slot = 0;
    for (int i = 0; i < SLOTS; i++) expect_message(i);
    served_before = armcii_wait_serve;
    armcii_wait_serve = armcii_agent_poll;
    atomic_store(&here, true);
}

static void free_transits(struct transit *list)
{
    while (list) {
        struct transit *t = list;
        list = t->next;
        free(t);
    }
}

void armcii_agent_end(void)
{
    if (!armcii_agent_is_here()) return;
    armcii_wait_serve = served_before;
    atomic_store(&here, false);
    while (in_transit) advance_transits();
    struct wire_inbox inbox = requests_in();
    for (int i = 0; i < SLOTS; i++) armcii_wire_end_receive(&inbox, &arrivals[(next_slot + i) % SLOTS]);
    armcii_queues_forget();
    free_transits(unused);
    unused = NULL;
    armcii_pool_empty(&pool);
    free(decoded.runs);
    decoded = (struct wire_decoded){0};
    free(ring);
    ring = NULL;
}
