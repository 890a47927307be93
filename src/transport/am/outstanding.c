/* outstanding.c - the list of operations that are not complete locally. */
#include "transport/am/outstanding.h"

#include <stdlib.h>
#include <string.h>
#include <stdbool.h>

#include "base/log.h"
#include "transport/am/proto.h"

enum { MOST = 256 };
static struct outstanding *list[MOST];
static MPI_Request requests[MOST]; /* apart, so that one call tests all of them: each call of MPI costs as much as a message */
static int listed;
atomic_uint armcii_outstanding_count; /* and those to be listed */
struct bufpool armcii_outstanding_buffers = {.most = 8 << 20};

struct outstanding *armcii_outstanding_new(uint64_t ticket, int owner)
{
    if (armcii_outstanding_count >= MOST) return NULL;
    struct outstanding *o = calloc(1, sizeof *o);
    if (!o) armcii_fatal("out of memory for an operation");
    o->ticket = ticket;
    o->owner = owner;
    armcii_outstanding_count++;
    return o;
}

/* The program may reuse its lists of addresses before the data come. */
static void keep_addresses(struct outstanding *o, const struct shape *s)
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

void armcii_outstanding_unpacks(struct outstanding *o, const struct shape *s, char *buffer)
{
    o->shape = *s;
    o->buffer = buffer;
    if (s->form == SHAPE_VECTOR) keep_addresses(o, s);
}

void armcii_outstanding_started(struct outstanding *o, MPI_Request request)
{
    list[listed] = o;
    requests[listed++] = request;
}

static void complete(struct outstanding *o)
{
    if (o->buffer) {
        armcii_shape_unpack(&o->shape, SHAPE_LOCAL, o->buffer);
        armcii_bufpool_free(&armcii_outstanding_buffers, o->buffer, o->shape.bytes);
    }
    if (o->tag) armcii_tag_free(o->tag);
    free(o->addresses);
    free(o);
    armcii_outstanding_count--;
}

/* Those that are still to come, in their order. */
static void close_gaps(void)
{
    int kept = 0;
    for (int i = 0; i < listed; i++) {
        if (!list[i]) continue;
        list[kept] = list[i];
        requests[kept++] = requests[i];
    }
    listed = kept;
}

bool armcii_outstanding_progress(void)
{
    static MPI_Status statuses[MOST]; /* compilers take MPI_STATUSES_IGNORE for an array that is too short */
    int done, which[MOST];
    if (listed == 0) return false;
    MPI_Testsome(listed, requests, &done, which, statuses);
    if (done == 0 || done == MPI_UNDEFINED) return false;
    for (int i = 0; i < done; i++) {
        complete(list[which[i]]);
        list[which[i]] = NULL;
    }
    close_gaps();
    return true;
}

bool armcii_outstanding_has(uint64_t ticket)
{
    for (int i = 0; i < listed; i++)
        if (list[i]->ticket == ticket) return true;
    return false;
}

bool armcii_outstanding_of(int owner, uint64_t ticket)
{
    for (int i = 0; i < listed; i++)
        if ((owner < 0 || list[i]->owner == owner) && list[i]->ticket <= ticket) return true;
    return false;
}

/* ---- tags of replies ---- */

static bool in_use[AM_TAGS];
static int last_tag, tags_in_use;

int armcii_tag_alloc(void)
{
    if (tags_in_use == AM_TAGS) return 0;
    do
        last_tag = (last_tag + 1) % AM_TAGS;
    while (in_use[last_tag]);
    in_use[last_tag] = true;
    tags_in_use++;
    return AM_TAG_FIRST + last_tag;
}

void armcii_tag_free(int tag)
{
    in_use[tag - AM_TAG_FIRST] = false;
    tags_in_use--;
}

/* ---- rendezvous puts ---- */

static struct entry {
    struct entry *next;
    struct rndv_put put;
    uint64_t number; /* from 1 on */
} *entries;
static uint64_t added;

void armcii_rndv_add(const struct rndv_put *put)
{
    struct entry *e = malloc(sizeof *e);
    if (!e) armcii_fatal("out of memory for a put");
    *e = (struct entry){entries, *put, ++added};
    entries = e;
}

void armcii_rndv_remove(int server, int tag)
{
    for (struct entry **link = &entries; *link; link = &(*link)->next) {
        struct entry *e = *link;
        if (e->put.server != server || e->put.tag != tag) continue;
        *link = e->next;
        free(e);
        return;
    }
}

bool armcii_rndv_any(void)
{
    return entries != NULL;
}

uint64_t armcii_rndv_count(void)
{
    return added;
}

bool armcii_rndv_have_server(int server, uint64_t count)
{
    const struct entry *e = entries;
    while (e && (e->put.server != server || e->number > count)) e = e->next;
    return e != NULL;
}

bool armcii_rndv_overlap(int owner, const char *lo, const char *hi)
{
    for (const struct entry *e = entries; e; e = e->next)
        if (e->put.owner == owner && e->put.lo < hi && lo < e->put.hi) return true;
    return false;
}
