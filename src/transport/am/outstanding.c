/* outstanding.c - the list of operations that are not complete locally. */
#include "transport/am/outstanding.h"

#include <stdlib.h>
#include <string.h>
#include <stdbool.h>

#include "base/log.h"
#include "transport/am/proto.h"

enum { MAX_OUTSTANDING = 256 };
static struct outstanding *list[MAX_OUTSTANDING];
static MPI_Request requests[MAX_OUTSTANDING]; /* one array for MPI_Testsome: a call of MPI costs as much as a message */
static int list_size;
atomic_uint armcii_outstanding_count; /* the list and those not yet started */
struct bufpool armcii_outstanding_buffers = {.max_bytes = 8 << 20};

struct outstanding *armcii_outstanding_new(uint64_t id, int owner)
{
    if (armcii_outstanding_count >= MAX_OUTSTANDING) return NULL;
    struct outstanding *o = armcii_alloc(1, sizeof *o, "an operation");
    o->id = id;
    o->owner = owner;
    armcii_outstanding_count++;
    return o;
}

/* Copy the addresses: the program may reuse its lists before the data arrive. */
static void copy_addresses(struct outstanding *o, const struct shape *s)
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
    o->shape = *s;
    o->buffer = buffer;
    if (s->form == SHAPE_VECTOR) copy_addresses(o, s);
}

void armcii_outstanding_start(struct outstanding *o, MPI_Request request)
{
    list[list_size] = o;
    requests[list_size++] = request;
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

/* Remove completed entries, in order. */
static void compact(void)
{
    int n = 0;
    for (int i = 0; i < list_size; i++) {
        if (!list[i]) continue;
        list[n] = list[i];
        requests[n++] = requests[i];
    }
    list_size = n;
}

bool armcii_outstanding_progress(void)
{
    static MPI_Status statuses[MAX_OUTSTANDING]; /* compilers take MPI_STATUSES_IGNORE for an array that is too short */
    int done, index[MAX_OUTSTANDING];
    if (list_size == 0) return false;
    MPI_Testsome(list_size, requests, &done, index, statuses);
    if (done == 0 || done == MPI_UNDEFINED) return false;
    for (int i = 0; i < done; i++) {
        complete(list[index[i]]);
        list[index[i]] = NULL;
    }
    compact();
    return true;
}

bool armcii_outstanding_has(uint64_t id)
{
    for (int i = 0; i < list_size; i++)
        if (list[i]->id == id) return true;
    return false;
}

bool armcii_outstanding_to(int owner, uint64_t id)
{
    for (int i = 0; i < list_size; i++)
        if ((owner < 0 || list[i]->owner == owner) && list[i]->id <= id) return true;
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
