/* calls.c - put, get, accumulate and their request-based forms, shape by shape. */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/element.h"

enum { SLICE = 196608, MOST_BYTES = 65536 };

struct basic {
    MPI_Datatype type;
    int size, element;
};

/* One shape: the elements and their layout on both sides. */
struct attempt {
    enum call call;
    struct basic basic;
    int count;
    struct layout local, remote;
    int shift;                                         /* of the remote side */
    char *origin, *expected, *result, *packed, *there; /* buffers of SLICE bytes */
};

const char *call_name(enum call call)
{
    static const char *const names[] = {"Put",  "Get",  "Accumulate",  "Get_accumulate",
                                        "Rput", "Rget", "Raccumulate", "Rget_accumulate"};
    return names[call];
}

static bool adds(enum call call)
{
    return call == CALL_ACC || call == CALL_GETACC || call == CALL_RACC || call == CALL_RGETACC;
}
static bool fetches(enum call call)
{
    return call == CALL_GETACC || call == CALL_RGETACC;
}
static bool reads(enum call call)
{
    return call == CALL_GET || call == CALL_RGET;
}
static bool requests(enum call call)
{
    return call >= CALL_RPUT;
}

/* ---------------------------------------------------------------- elements --------- */

static struct basic draw_basic(struct rng *r, enum call call)
{
    const struct basic all[] = {{MPI_BYTE, 1, TYPE_BYTES},
                                {MPI_INT, sizeof(int), ARMCI_ACC_INT},
                                {MPI_DOUBLE, sizeof(double), ARMCI_ACC_DBL},
                                {MPI_LONG, sizeof(long), ARMCI_ACC_LNG},
                                {MPI_FLOAT, sizeof(float), ARMCI_ACC_FLT}};
    return all[rng_between(r, adds(call), 4)];
}

/* ---------------------------------------------------------------- the model -------- */

/* Apply the call to the model: to the mirror, or to the local buffer (`expected`). */
static void model(struct attempt *t, struct area *a)
{
    char *remote = a->mirror + t->shift;
    memcpy(t->expected, reads(t->call) ? t->origin : t->result, SLICE);
    layout_pack(&t->remote, remote, t->there);
    if (reads(t->call)) {
        layout_unpack(&t->local, t->there, t->expected);
        return;
    }
    if (fetches(t->call)) layout_unpack(&t->local, t->there, t->expected);
    layout_pack(&t->local, t->origin, t->packed);
    if (adds(t->call)) {
        union scale one = scale_one(t->basic.element);
        element_accumulate(t->basic.element, &one, t->packed, t->there,
                           (size_t)(t->count * t->basic.size));
        layout_unpack(&t->remote, t->there, remote);
    } else {
        layout_unpack(&t->remote, t->packed, remote);
    }
}

static int issue(struct attempt *t, struct area *a, MPI_Request *request)
{
    MPI_Aint at = a->origin + t->shift;
    MPI_Datatype l = t->local.type, r = t->remote.type;
    int to = job->target, m = t->local.times, n = t->remote.times;
    switch (t->call) {
    case CALL_PUT: return MPI_Put(t->origin, m, l, to, at, n, r, a->win);
    case CALL_GET: return MPI_Get(t->origin, m, l, to, at, n, r, a->win);
    case CALL_ACC: return MPI_Accumulate(t->origin, m, l, to, at, n, r, MPI_SUM, a->win);
    case CALL_GETACC:
        return MPI_Get_accumulate(t->origin, m, l, t->result, m, l, to, at, n, r, MPI_SUM, a->win);
    case CALL_RPUT: return MPI_Rput(t->origin, m, l, to, at, n, r, a->win, request);
    case CALL_RGET: return MPI_Rget(t->origin, m, l, to, at, n, r, a->win, request);
    case CALL_RACC: return MPI_Raccumulate(t->origin, m, l, to, at, n, r, MPI_SUM, a->win, request);
    default:
        return MPI_Rget_accumulate(t->origin, m, l, t->result, m, l, to, at, n, r, MPI_SUM, a->win,
                                   request);
    }
}

static const char *describe(const struct attempt *t, char *text, size_t size)
{
    snprintf(text, size, "%d bytes, %s at the origin, %s at the target", t->count * t->basic.size,
             layout_kind_name(t->local.kind), layout_kind_name(t->remote.kind));
    return text;
}

/* After MPI_Wait: check what the request promises. The buffer of a put may be reused, so it is
 * overwritten. */
static bool is_kept(struct attempt *t)
{
    if (reads(t->call)) return memcmp(t->origin, t->expected, SLICE) == 0;
    if (fetches(t->call)) return memcmp(t->result, t->expected, SLICE) == 0;
    memset(t->origin, 0x5a, SLICE);
    return true;
}

/* ---------------------------------------------------------------- one shape -------- */

/* Two long rows on either side: some libraries have a separate path for these, row by row. */
static void draw_long_rows(struct attempt *t, struct rng *r)
{
    int block = MOST_BYTES / 2 / t->basic.size;
    t->count = 2 * block;
    layout_draw_rows(&t->local, r, t->basic.type, t->basic.size, 2, block);
    layout_draw_rows(&t->remote, r, t->basic.type, t->basic.size, 2, block);
}

static void draw_layouts(struct attempt *t, struct rng *r, unsigned kinds)
{
    int most = MOST_BYTES >> rng_between(r, 0, 13);
    t->count = rng_between(r, 1, most / t->basic.size + 1);
    layout_draw(&t->local, r, kinds, t->basic.type, t->basic.size, t->count, SLICE);
    layout_draw(&t->remote, r, kinds, t->basic.type, t->basic.size, t->count, SLICE);
}

static void draw(struct attempt *t, struct rng *r, unsigned kinds, int number)
{
    if (kinds & 1u << LAYOUT_VECTOR && number % 16 == 15)
        draw_long_rows(t, r);
    else
        draw_layouts(t, r, kinds);
    t->shift = rng_between(r, 0, (SLICE - t->remote.extent) / t->basic.size) * t->basic.size;
    element_fill(t->basic.element, r, t->origin, SLICE);
    memset(t->result, 0x11, SLICE);
}

/* Before a sum the owner stores elements of this type in its slice. */
static void prepare_target(struct attempt *t, struct area *a, int number)
{
    struct rng own = {.state = (unsigned)(number * 1000 + job->rank)},
               theirs = {.state = (unsigned)(number * 1000 + job->target)};
    element_fill(t->basic.element, &own, a->slice, SLICE);
    element_fill(t->basic.element, &theirs, a->mirror, SLICE);
    MPI_Win_sync(a->win);
    MPI_Barrier(job->comm);
}

static void try_one(struct finding *f, struct attempt *t, struct area *a)
{
    char text[160];
    int at = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    model(t, a);
    bool issued = area_call(f, issue(t, a, &request), call_name(t->call)), in_time = true;
    if (issued && requests(t->call)) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        in_time = is_kept(t);
    }
    MPI_Win_flush(job->target, a->win);
    bool right = area_matches(a, &at);
    if (!issued) return;
    if (reads(t->call)) right = memcmp(t->origin, t->expected, SLICE) == 0;
    if (fetches(t->call)) right = right && memcmp(t->result, t->expected, SLICE) == 0;
    found(f, right && in_time, "%s, %s",
          right ? "complete before the data are there" : "wrong data",
          describe(t, text, sizeof text));
}

void calls_try(struct finding *f, enum call call, unsigned kinds, int shapes, double seconds)
{
    struct area a;
    struct attempt t = {.call = call};
    struct rng r = {.state = 12345 + 77ull * (unsigned)job->rank + (unsigned)call},
               all = {.state = (unsigned)call}; /* the same on all ranks */
    double begun = now();
    if (!area_possible(f) || !area_open(&a, area_used(), SLICE, f)) return;
    char *room = malloc((size_t)5 * SLICE);
    t.origin = room;
    t.expected = room + SLICE;
    t.result = room + 2 * SLICE;
    t.packed = room + 3 * SLICE;
    t.there = room + 4 * SLICE;
    for (int i = 0; i < shapes && !(i % 8 == 0 && i && over(begun, seconds)); i++) {
        t.basic = draw_basic(&all, call);
        draw(&t, &r, kinds, i);
        if (adds(call)) prepare_target(&t, &a, i);
        try_one(f, &t, &a);
        layout_free(&t.local);
        layout_free(&t.remote);
    }
    tell(f, "%ld shapes a rank, up to 64 KiB", f->tried);
    free(room);
    area_close(&a);
}
