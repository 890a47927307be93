/* server.c - serving requests. */
#include "transport/am/server.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lock.h"
#include "base/fault.h"
#include "base/backoff.h"
#include "transport/am/bufpool.h"
#include "transport/am/mutex_server.h"
#include "transport/am/proto.h"
#include "transport/shm/apply.h"
#include "transport/shm/node.h"
#include "transport/shm/export.h"

/* Messages are received into slots.  The order of requests is kept for each client, and nothing of a client that stalls keeps others
 * waiting: what has arrived is served if it is the next message of its sender.  All slots may hold messages of which only a part has come:
 * then there are more. */
enum { SLOTS = 8, MOST_SLOTS = 64 };
static char *slot[MOST_SLOTS];
static MPI_Request receives[MOST_SLOTS];
static int sender[MOST_SLOTS]; /* of a message that has arrived and was not served; or NONE */
static unsigned long posted[MOST_SLOTS], posts; /* numbers of the receives, in the order in which they were posted */
static int slots;
enum { NONE = -1 };

static struct client {
    uint16_t next;    /* sequence number of the message to be served next */
    uint16_t replies; /* under way from buffers of the pool */
} *clients; /* [ranks of comm] */

enum { SHORT = 64 };
/* What is on its way out, or, for large puts, in. */
struct transit {
    struct transit *next;
    MPI_Request request;
    int client;
    int large;         /* large put: to be acknowledged with this tag; else 0 */
    char word[SHORT];  /* what is short */
    char *buffer;      /* what is not; or NULL */
    char *lo, *hi;     /* zero-copy: the memory it is sent from, or received into */
    size_t bytes;      /* of room */
};
_Static_assert((int)AM_REPLY_MAX <= (int)BUFPOOL_LARGEST, "a reply has a buffer of the pool");
static struct transit *in_transit, *unused;
static struct transit **next_look = &in_transit; /* where the next visit goes on */
static int count_in_transit;

/* Gets that found no buffer, in the order in which they came. */
struct deferred {
    struct deferred *next;
    int client;
    _Alignas(8) char record[];
};
static struct deferred *first_deferred, **last_deferred = &first_deferred;
static bool buffers_came_back;
static struct bufpool pool = {.most = 4 << 20};

static MPI_Comm comm;
static struct am_decoded decoded;
static pthread_mutex_t serving = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool here;
static atomic_uint polls; /* of threads that wait in the library */
static bool (*served_before)(void);

/* ---- transits ---- */

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

/* May a reply to the client have a buffer for so many bytes?  Who takes no replies keeps what it has of the pool, and gets no more; others
 * do not wait for it: each may have one buffer whatever the pool has in_use. */
static bool has_buffer_for(int client, size_t bytes)
{
    return bytes <= SHORT || clients[client].replies == 0 || armcii_bufpool_can_alloc(&pool, bytes);
}

/* With room for so many bytes, of which `has_buffer_for` was true. */
static struct transit *new_transit(int client, size_t bytes)
{
    struct transit *t = take_unused();
    *t = (struct transit){.next = in_transit, .request = MPI_REQUEST_NULL, .client = client, .bytes = bytes};
    if (bytes > SHORT) {
        t->buffer = armcii_bufpool_alloc_beyond(&pool, bytes);
        clients[client].replies++;
    }
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
    if (t->buffer) {
        armcii_bufpool_free(&pool, t->buffer, t->bytes);
        clients[t->client].replies--;
        buffers_came_back = true;
    }
    t->next = unused;
    unused = t;
    count_in_transit--;
}

static void send_reply(struct transit *t, int tag)
{
    MPI_Isend(room_of(t), (int)t->bytes, MPI_BYTE, t->client, tag, comm, &t->request);
}

/* With at most SHORT bytes. */
static void reply_with(const void *data, size_t bytes, int client, int tag)
{
    struct transit *t = new_transit(client, bytes);
    memcpy(t->word, data, bytes);
    send_reply(t, tag);
}

static void acknowledge(int client, struct am_ack ack)
{
    atomic_thread_fence(memory_order_seq_cst); /* what is acknowledged is seen by all */
    reply_with(&ack, sizeof ack, client, AM_TAG_ACK);
}

/* Release what is complete; a large put that is in place is acknowledged.  Each visit looks at some of them, the next at the next. */
static bool advance_transits(void)
{
    enum { LOOKS = 32 };
    bool any = false;
    for (int left = count_in_transit < LOOKS ? count_in_transit : LOOKS; left > 0; left--) {
        if (!*next_look) next_look = &in_transit;
        struct transit *t = *next_look;
        int done;
        MPI_Test(&t->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            next_look = &t->next;
            continue;
        }
        *next_look = t->next;
        leave_transit(t);
        any = true;
        if (t->large) acknowledge(t->client, (struct am_ack){.large = t->large});
    }
    return any;
}

/* ---- requests ---- */

/* Where the record's memory is here. */
static ptrdiff_t delta_of(const struct am_header *r, const void *address)
{
    char *base, *mapped;
    size_t bytes;
    if (r->delta != AM_EXPORTED) return (ptrdiff_t)r->delta;
    if (!armcii_export_find(armcii_node->rank_of[r->owner], address, &base, &bytes, &mapped))
        armcii_fatal("another node asks for %p of process %d: it is no memory of ARMCI_Memget, or cannot be mapped here", address, r->owner);
    return mapped - base;
}

static const void *first_address(const struct shape *s)
{
    return s->form == SHAPE_VECTOR ? s->runs[0].remote[0] : s->remote;
}

static void serve_put(const struct am_header *r, const struct shape *s)
{
    armcii_apply_put(s, delta_of(r, first_address(s)));
}

static void serve_acc(const struct am_header *r, const struct shape *s)
{
    armcii_apply_accumulate((enum element)r->element, r->scale, r->owner, delta_of(r, first_address(s)), s);
}

/* Moderate data are copied, so that MPI has them at once; more than that goes from its place.  So does what is strided while those who
 * asked for much, and compute, leave no room to pack it: the next requests do not wait for them. */
static bool goes_from_place(const struct shape *s)
{
    if (s->form == SHAPE_CONTIGUOUS) return s->bytes > armcii_am_eager_max();
    return !armcii_bufpool_can_alloc(&pool, s->bytes) && armcii_am_can_zcopy(s, SHAPE_REMOTE);
}

static void reply_packed(const struct am_header *r, struct shape *s, int client)
{
    struct transit *t = new_transit(client, s->bytes);
    armcii_shape_set_packed(s, room_of(t));
    armcii_apply_get(s, delta_of(r, first_address(s)));
    send_reply(t, r->tag);
}

/* Later requests of the client may overtake it: its blocking gets have nothing behind them, and others are not ordered. */
static void defer(const struct am_header *r, int client)
{
    struct deferred *d = malloc(sizeof *d + r->length);
    if (!d) armcii_fatal("out of memory for a request");
    d->next = NULL;
    d->client = client;
    memcpy(d->record, r, r->length);
    *last_deferred = d;
    last_deferred = &d->next;
}

/* Those that find a buffer now. */
static bool serve_deferred(void)
{
    bool any = false;
    buffers_came_back = false;
    for (struct deferred **link = &first_deferred, *d; (d = *link) != NULL;) {
        const struct am_header *r = (const struct am_header *)(void *)d->record;
        if (!has_buffer_for(d->client, r->bytes)) {
            link = &d->next;
            continue;
        }
        armcii_am_decode(r, &decoded);
        reply_packed(r, &decoded.shape, d->client);
        if (!d->next) last_deferred = link;
        *link = d->next;
        free(d);
        any = true;
    }
    return any;
}

/* For data that go straight from or into their place, which begins with *first. */
static struct transit *new_zero_copy(const struct am_header *r, const struct shape *s, int client, char **first)
{
    struct transit *t = new_transit(client, 0);
    ptrdiff_t delta = delta_of(r, s->remote);
    armcii_shape_range(s, SHAPE_REMOTE, &t->lo, &t->hi);
    t->lo += delta;
    t->hi += delta;
    *first = s->remote + delta;
    return t;
}

static void serve_get(const struct am_header *r, struct shape *s, int client)
{
    if (goes_from_place(s)) {
        char *first;
        struct transit *t = new_zero_copy(r, s, client, &first);
        armcii_am_send(comm, (struct am_zcopy){first, s, SHAPE_REMOTE}, client, r->tag, &t->request);
    } else if (has_buffer_for(client, s->bytes)) {
        reply_packed(r, s, client);
    } else {
        defer(r, client);
    }
}

static void serve_put_large(const struct am_header *r, const struct shape *s, int client)
{
    char *first;
    struct transit *t = new_zero_copy(r, s, client, &first);
    t->large = r->tag;
    armcii_am_receive(comm, (struct am_zcopy){first, s, SHAPE_REMOTE}, client, r->tag + AM_TAG_DATA, &t->request);
}

static void serve_rmw(const struct am_header *r, const struct shape *s, int client)
{
    long operand;
    memcpy(&operand, r->scale, sizeof operand);
    long old = armcii_apply_rmw((enum rmw_update)r->element, s->bytes, s->remote + delta_of(r, s->remote), operand);
    reply_with(&old, sizeof old, client, r->tag);
}

static void grant(int client, int tag, int granted)
{
    reply_with(&granted, sizeof granted, client, tag);
}

static void serve_lock(const struct am_header *r, int client)
{
    if (armcii_mutex_server_enqueue(r->runs, r->owner, r->remote, client, r->tag)) grant(client, r->tag, 1);
}

static void serve_trylock(const struct am_header *r, int client)
{
    grant(client, r->tag, armcii_mutex_server_try(r->runs, r->owner, r->remote));
}

static void serve_unlock(const struct am_header *r)
{
    int client, tag;
    if (armcii_mutex_server_release(r->runs, r->owner, r->remote, &client, &tag)) grant(client, tag, 1);
}

static void serve(const struct am_header *r, int client)
{
    if (r->kind == AM_LOCK) { serve_lock(r, client); return; }
    if (r->kind == AM_TRYLOCK) { serve_trylock(r, client); return; }
    if (r->kind == AM_UNLOCK) { serve_unlock(r); return; }
    armcii_am_decode(r, &decoded);
    struct shape *s = &decoded.shape;
    if (armcii_am_has_data((enum am_kind)r->kind)) armcii_shape_set_packed(s, decoded.data);
    switch ((enum am_kind)r->kind) {
    case AM_PUT: serve_put(r, s); break;
    case AM_ACC: serve_acc(r, s); break;
    case AM_GET: serve_get(r, s, client); break;
    case AM_PUT_RNDV: serve_put_large(r, s, client); break;
    default: serve_rmw(r, s, client); break;
    }
}

static const struct am_message *head_of(int i)
{
    return (const struct am_message *)(void *)slot[i];
}

static void serve_message(int i)
{
    const struct am_message *head = head_of(i);
    const char *message = slot[i];
    int client = sender[i];
    for (size_t at = sizeof *head; at < head->bytes;) {
        const struct am_header *r = (const struct am_header *)(const void *)(message + at);
        at += r->length;
        serve(r, client);
    }
    if (head->acknowledge) acknowledge(client, (struct am_ack){.bytes = (int32_t)head->bytes});
}

static struct am_receive requests_in(void)
{
    return (struct am_receive){comm, AM_TAG_REQUEST, AM_MESSAGE_MAX};
}

static void expect_message(int i)
{
    struct am_receive inbox = requests_in();
    sender[i] = NONE;
    posted[i] = ++posts;
    armcii_am_receive_post(&inbox, slot[i], &receives[i]);
}

static void new_slot(void)
{
    slot[slots] = malloc(AM_MESSAGE_MAX);
    if (!slot[slots]) armcii_fatal("out of memory for messages from other nodes");
    receives[slots] = MPI_REQUEST_NULL;
    sender[slots++] = NONE;
}

/* No receive is posted for it, and nothing in it is to be served. */
static bool is_free(int i)
{
    return receives[i] == MPI_REQUEST_NULL && sender[i] == NONE;
}

/* Begin to receive into slots for which no receive is posted. */
static void pick_up(void)
{
    struct am_receive inbox = requests_in();
    for (int i = 0; i < slots; i++)
        if (is_free(i)) {
            if (!armcii_am_receive_unexpected(&inbox, slot[i], &receives[i])) return;
            posted[i] = ++posts;
        }
}

/* Looking at all slots costs as much as several looks at one: a client that stalls may cost others so many microseconds. */
static bool is_time_to_look_at_all(void)
{
    enum { INTERVAL = 200 };
    static long last;
    long now = armcii_clock();
    if (now - last < INTERVAL) return false;
    last = now;
    return true;
}

/* The one that the next message comes to, or the one that stalls; NONE where no receive is posted. */
static int oldest_slot(void)
{
    int oldest = NONE;
    for (int i = 0; i < slots; i++)
        if (receives[i] != MPI_REQUEST_NULL && (oldest == NONE || posted[i] < posted[oldest])) oldest = i;
    return oldest;
}

/* Look at the slot whose turn it is, and now and then at all.  Returns whether any message is complete. */
static bool note_arrivals(bool all)
{
    int done = 0, which[MOST_SLOTS];
    MPI_Status statuses[MOST_SLOTS];
    pick_up();
    if (all) {
        MPI_Testsome(slots, receives, &done, which, statuses);
        if (done == MPI_UNDEFINED) done = 0;
    } else if ((which[0] = oldest_slot()) != NONE) {
        MPI_Test(&receives[which[0]], &done, &statuses[0]);
    }
    for (int i = 0; i < done; i++) sender[which[i]] = statuses[i].MPI_SOURCE;
    return done > 0;
}

static bool is_next_of_sender(int i)
{
    return head_of(i)->sequence == clients[sender[i]].next || armcii_fault("message-order-ignored");
}

/* Each message that is the next of its sender; true when there was any. */
static bool serve_those_in_order(void)
{
    bool any = false;
    for (int i = 0; i < slots; i++) {
        if (sender[i] == NONE || !is_next_of_sender(i)) continue;
        clients[sender[i]].next++;
        serve_message(i);
        expect_message(i);
        any = true;
    }
    return any;
}

/* Is there a message though no slot waits for one? */
static bool are_all_taken(void)
{
    int there;
    for (int i = 0; i < slots; i++)
        if (is_free(i)) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, AM_TAG_REQUEST, comm, &there, MPI_STATUS_IGNORE);
    return there;
}

/* Serves at most one message for each slot, so that who calls may look at what it waits for. */
static bool serve_arrivals(void)
{
    bool any = false, all = is_time_to_look_at_all();
    if (note_arrivals(all))
        while (serve_those_in_order()) any = true;
    else if (all && slots < MOST_SLOTS && are_all_taken())
        new_slot();
    return any;
}

bool armcii_server_is_here(void)
{
    return atomic_load_explicit(&here, memory_order_acquire);
}

bool armcii_server_serve(void)
{
    if (!armcii_server_is_here() || pthread_mutex_trylock(&serving) != 0) return false;
    bool any = serve_arrivals();
    if (in_transit) any |= advance_transits();
    if (buffers_came_back && first_deferred) any |= serve_deferred();
    pthread_mutex_unlock(&serving);
    return any;
}

bool armcii_server_poll(void)
{
    if (!armcii_server_is_here()) return false;
    atomic_fetch_add_explicit(&polls, 1, memory_order_relaxed);
    return armcii_server_serve();
}

static bool is_in_transit(const char *lo, const char *hi)
{
    pthread_mutex_lock(&serving);
    const struct transit *t = in_transit;
    while (t && !(t->lo < hi && lo < t->hi)) t = t->next;
    pthread_mutex_unlock(&serving);
    return t != NULL;
}

void armcii_server_release(const char *lo, const char *hi)
{
    struct backoff p = {0};
    while (armcii_server_is_here() && is_in_transit(lo, hi)) {
        if (armcii_server_serve())
            p = (struct backoff){0};
        else
            armcii_backoff_yield(&p);
        armcii_lock_yield();
    }
}

unsigned armcii_server_poll_count(void)
{
    return atomic_load_explicit(&polls, memory_order_relaxed);
}

/* ---- start and end ---- */

void armcii_server_start(MPI_Comm requests)
{
    if (armcii_server_is_here()) return;
    comm = requests;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    clients = calloc((size_t)ranks, sizeof *clients);
    if (!clients) armcii_fatal("out of memory for messages from other nodes");
    while (slots < SLOTS) {
        new_slot();
        expect_message(slots - 1);
    }
    served_before = armcii_progress_hook;
    armcii_progress_hook = armcii_server_poll;
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

void armcii_server_end(void)
{
    if (!armcii_server_is_here()) return;
    armcii_progress_hook = served_before;
    atomic_store(&here, false);
    while (in_transit) advance_transits();
    struct am_receive inbox = requests_in();
    armcii_am_receives_drain(&inbox, slots, receives);
    while (slots > 0) free(slot[--slots]);
    armcii_mutex_server_clear();
    free_transits(unused);
    unused = NULL;
    armcii_bufpool_drain(&pool);
    assert(!first_deferred); /* all have finished their gets */
    free(decoded.runs);
    decoded = (struct am_decoded){0};
    free(clients);
    clients = NULL;
}
