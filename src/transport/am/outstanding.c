/* outstanding.c - operations that are not complete locally, and the tags of their replies. */
#include "transport/am/outstanding.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport/am/proto.h"

enum { MAX_OUTSTANDING = 256 };
static struct {
    struct outstanding *op[MAX_OUTSTANDING];
    MPI_Request request[MAX_OUTSTANDING]; /* one array for MPI_Testsome: a call of MPI costs as much
                                             as a message */
    struct outstanding *spare[MAX_OUTSTANDING]; /* of completed operations, for the next ones */
    int spares;
    int size;
    atomic_uint count; /* of op, the short gets, and those not yet started; any thread may read it
                          without the lock */
    MPI_Status statuses[MAX_OUTSTANDING]; /* compilers take MPI_STATUSES_IGNORE for an array that is
                                             too short */
    struct {
        bool is_used[AM_TAGS];
        int last, count; /* the last one given; of those in use */
    } tags;              /* of replies */
} outstanding;
struct bufpool armcii_outstanding_buffers = {.max_bytes = 8 << 20};

struct outstanding *armcii_outstanding_new(uint64_t id, int owner)
{
    if (outstanding.count >= MAX_OUTSTANDING) return NULL;
    struct outstanding *o = outstanding.spares > 0 ? outstanding.spare[--outstanding.spares]
                                                   : armcii_alloc(1, sizeof *o, "an operation");
    o->id = id;
    o->owner = owner;
    o->tag = o->data_tag = 0;
    o->buffer = NULL;
    o->addresses = NULL;
    outstanding.count++;
    return o;
}

/* Copy the addresses: the program may reuse its lists before the data arrive. */
__attribute__((noinline)) static void copy_addresses(struct outstanding *o, const struct shape *s)
{
    size_t runs_bytes = s->nruns * sizeof(struct vector_run);
    o->addresses = malloc(runs_bytes + s->nsegs * sizeof(void *));
    if (!o->addresses) armcii_fatal("out of memory for a get");
    struct vector_run *runs = (struct vector_run *)(void *)o->addresses;
    void **at = (void **)(void *)(runs + s->nruns);
    for (size_t i = 0; i < s->nruns; i++) {
        runs[i] = s->runs[i];
        memcpy(at, s->runs[i].local, runs[i].n * sizeof(void *));
        runs[i].local = at;
        at += runs[i].n;
    }
    o->shape.runs = runs;
}

void armcii_outstanding_set_unpack(struct outstanding *o, const struct shape *s, char *buffer)
{
    armcii_shape_copy(&o->shape, s);
    o->buffer = buffer;
    if (s->form == SHAPE_VECTOR) copy_addresses(o, s);
}

void armcii_outstanding_set_send(struct outstanding *o, const struct shape *s, int server, int tag)
{
    armcii_shape_copy(&o->shape, s);
    o->server = server;
    o->data_tag = tag;
}

void armcii_outstanding_start(struct outstanding *o, MPI_Request request, size_t bytes)
{
    o->awaited = bytes;
    outstanding.op[outstanding.size] = o;
    outstanding.request[outstanding.size++] = request;
}

/* The server has posted the receive. */
static void send_data(struct outstanding *o, MPI_Request *request)
{
    armcii_am_send_zcopy((struct am_zcopy){o->shape.local, &o->shape, SHAPE_LOCAL}, o->server,
                         o->data_tag, request);
    o->data_tag = 0;
    o->awaited = AM_SENDS;
}

/* A longer reply ends the job by MPI: the receive has no room for it. */
static void check_reply(const struct outstanding *o, const MPI_Status *status)
{
    const size_t bytes = armcii_am_received(status);
    if (bytes != o->awaited)
        armcii_fatal("rank %d sent an invalid reply: %zu bytes instead of %zu", status->MPI_SOURCE,
                     bytes, o->awaited);
}

static void recycle(struct outstanding *o)
{
    free(o->addresses);
    outstanding.spare[outstanding.spares++] = o;
    outstanding.count--;
}

static void complete_outstanding(struct outstanding *o)
{
    if (o->buffer) {
        if (o->awaited != AM_SENDS) armcii_shape_unpack(&o->shape, o->buffer);
        armcii_bufpool_free(&armcii_outstanding_buffers, o->buffer, o->shape.bytes);
    }
    if (o->tag) armcii_tag_free(o->tag);
    recycle(o);
}

/* Remove completed operations, in order. */
static void compact_outstanding(void)
{
    int n = 0;
    for (int i = 0; i < outstanding.size; i++) {
        if (!outstanding.op[i]) continue;
        outstanding.op[n] = outstanding.op[i];
        outstanding.request[n++] = outstanding.request[i];
    }
    outstanding.size = n;
}

bool armcii_outstanding_progress(void)
{
    int done, index[MAX_OUTSTANDING];
    if (outstanding.size == 0) return false;
    MPI_Testsome(outstanding.size, outstanding.request, &done, index, outstanding.statuses);
    if (done == 0 || done == MPI_UNDEFINED) return false;
    for (int i = 0; i < done; i++) {
        struct outstanding *o = outstanding.op[index[i]];
        if (o->awaited != AM_SENDS) check_reply(o, &outstanding.statuses[i]);
        if (o->data_tag) {
            send_data(o, &outstanding.request[index[i]]);
        } else {
            complete_outstanding(o);
            outstanding.op[index[i]] = NULL;
        }
    }
    compact_outstanding();
    return true;
}

/* ---- short gets ---- */

void armcii_short_gets_add(struct short_gets *gets, struct outstanding *o)
{
    o->next = NULL;
    *(gets->first ? &gets->last->next : &gets->first) = o;
    gets->last = o;
    gets->started++;
}

unsigned armcii_short_gets_complete(struct short_gets *gets, const char *replies, size_t bytes)
{
    unsigned n = 0;
    size_t replied = 0;
    for (const struct outstanding *o = gets->first; o && replied < bytes; o = o->next, n++)
        replied += armcii_am_padded(o->shape.bytes);
    if (replied != bytes) return 0;
    for (unsigned i = 0; i < n; i++) {
        struct outstanding *o = gets->first;
        gets->first = o->next;
        armcii_shape_unpack(&o->shape, replies);
        replies += armcii_am_padded(o->shape.bytes);
        recycle(o);
    }
    gets->done += n;
    return n;
}

/* ---- all of them ---- */

void armcii_outstanding_end(void)
{
    while (outstanding.spares > 0)
        free(outstanding.spare[--outstanding.spares]);
    armcii_bufpool_drain(&armcii_outstanding_buffers);
}

bool armcii_outstanding_any(void)
{
    return outstanding.count > 0;
}

bool armcii_outstanding_has(uint64_t id)
{
    for (int i = 0; i < outstanding.size; i++)
        if (outstanding.op[i]->id == id) return true;
    return false;
}

bool armcii_outstanding_to(int owner, uint64_t id)
{
    for (int i = 0; i < outstanding.size; i++)
        if ((owner < 0 || outstanding.op[i]->owner == owner) && outstanding.op[i]->id <= id)
            return true;
    return false;
}

/* ---- tags of replies ---- */

int armcii_tag_alloc(void)
{
    if (outstanding.tags.count == AM_TAGS) return 0;
    do
        outstanding.tags.last = (outstanding.tags.last + 1) % AM_TAGS;
    while (outstanding.tags.is_used[outstanding.tags.last]);
    outstanding.tags.is_used[outstanding.tags.last] = true;
    outstanding.tags.count++;
    return AM_TAG_FIRST + outstanding.tags.last;
}

void armcii_tag_free(int tag)
{
    outstanding.tags.is_used[tag - AM_TAG_FIRST] = false;
    outstanding.tags.count--;
}
