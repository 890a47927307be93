/* armci_model.c - random puts, gets and accumulates of every shape against a model.
 *
 * Every rank has a separate lane in every slice and a mirror of it. In a round all elements are of
 * one type, so that sums are exact.
 */
#include "probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/call.h"
#include "../lib/element.h"
#include "../lib/patch.h"

enum { LANE = 6008, LEVELS = 3, MOST_BYTES = 3000, PIECES = 64, OPERATIONS = 14 };

enum form { CONTIGUOUS, STRIDED, VECTOR, VALUE, AGGREGATE, FORMS };
enum verb { PUT = CALL_PUT, GET = CALL_GET, ACC = CALL_ACC };

struct model {
    char **base;
    char *mirror; /* [ranks][LANE] */
    char local[LANE], expected[LANE];
    int type, unit;
    struct rng rng;
    struct finding *f;
};

static const char *const form_names[] = {"contiguous", "strided", "vector", "value", "aggregate"};
static const char *const verb_names[] = {"put", "get", "accumulate"};

/* ---------------------------------------------------------------- the model -------- */

static void apply(struct model *m, enum verb verb, const union scale *scale, const struct patch *p,
                  char *mirror)
{
    size_t n = (size_t)p->count[0];
    if (verb == GET) patch_copy(p, REMOTE, mirror, m->expected);
    if (verb == PUT) patch_copy(p, LOCAL, m->local, mirror);
    for (size_t i = 0; verb == ACC && i < patch_segments(p); i++)
        element_accumulate(m->type, scale, m->local + patch_offset(p, LOCAL, i),
                           mirror + patch_offset(p, REMOTE, i), n);
}

static enum patch_kind draw_kind(struct model *m)
{
    return (enum patch_kind)rng_between(&m->rng, PATCH_NESTED, PATCH_NEGATIVE);
}

/* A patch with gaps between its segments, few segments for vectors; for a value: 8 bytes. */
static struct patch draw(struct model *m, enum form form)
{
    int levels = form == CONTIGUOUS || form == VALUE ? 0 : form == STRIDED ? LEVELS : 1;
    struct patch_wish wish = {.kind = {draw_kind(m), draw_kind(m)},
                              .room = {LANE / 16 * 16, LANE / 16 * 16},
                              .max_bytes = MOST_BYTES,
                              .min_levels = levels > 0,
                              .max_levels = levels,
                              .unit = m->unit};
    struct patch p = patch_draw(&m->rng, &wish);
    if (form == CONTIGUOUS) p.count[0] = m->unit * rng_between(&m->rng, 1, MOST_BYTES / m->unit);
    if (form == VALUE) p.count[0] = 8;
    for (int side = 0; levels == 0 && side < 2; side++)
        p.start[side] =
            (size_t)(rng_between(&m->rng, 0, (LANE - 8 - p.count[0]) / m->unit) * m->unit);
    return p;
}

/* ---------------------------------------------------------------- calls ------------ */

/* The segments, beginning with a random one. */
static void vector(struct model *m, const struct call *c, const struct patch *p, char *there)
{
    void *local[PIECES], *remote[PIECES];
    size_t n = patch_segments(p), turn = (size_t)rng_below(&m->rng, (long)n);
    for (size_t i = 0; i < n; i++) {
        local[i] = m->local + patch_offset(p, LOCAL, (i + turn) % n);
        remote[i] = there + patch_offset(p, REMOTE, (i + turn) % n);
    }
    bool get = c->verb == CALL_GET;
    call_vector(c, &(armci_giov_t){get ? remote : local, get ? local : remote, p->count[0], (int)n},
                1);
}

/* 8 bytes from or to a register. */
static void value(enum verb verb, char *local, char *remote, int target)
{
    long value;
    memcpy(&value, local, sizeof value);
    if (verb == PUT) ARMCI_PutValueLong(value, remote, target);
    if (verb == GET) value = ARMCI_GetValueLong(remote, target);
    memcpy(local, &value, sizeof value);
}

static void aggregate(struct model *m, const struct call *c, const struct patch *p, char *there)
{
    ARMCI_SET_AGGREGATE_HANDLE(c->handle);
    for (size_t i = 0; i < patch_segments(p); i++)
        call_contiguous(c, m->local + patch_offset(p, LOCAL, i), there + patch_offset(p, REMOTE, i),
                        p->count[0]);
}

static void issue(struct model *m, enum form form, enum verb verb, union scale *scale,
                  struct patch *p, int target, bool blocking)
{
    char *there = m->base[target] + job->rank * LANE, *local = m->local + p->start[LOCAL],
         *remote = there + p->start[REMOTE];
    armci_hdl_t handle;
    struct call c = {(unsigned)verb, blocking && form != AGGREGATE, &handle, m->type, scale,
                     target};
    ARMCI_INIT_HANDLE(&handle);
    switch (form) {
    case CONTIGUOUS: call_contiguous(&c, local, remote, p->count[0]); break;
    case STRIDED:
        call_strided(&c, local, p->stride[LOCAL], remote, p->stride[REMOTE], p->count, p->levels);
        break;
    case VECTOR: vector(m, &c, p, there); break;
    case VALUE: value(verb, local, remote, target); return;
    default: aggregate(m, &c, p, there);
    }
    if (!c.blocking) ARMCI_Wait(&handle);
}

/* ---------------------------------------------------------------- rounds ----------- */

static void operate(struct model *m)
{
    int target = rng_between(&m->rng, 0, job->size - 1);
    enum verb verb = (enum verb)rng_between(&m->rng, PUT, m->type == TYPE_BYTES ? GET : ACC);
    enum form form = (enum form)rng_between(&m->rng, 0, FORMS - 1);
    union scale scale = scale_other(m->type, &m->rng);
    if (form == VALUE && (verb == ACC || m->unit > 8)) form = CONTIGUOUS;
    struct patch p = draw(m, form);
    element_fill(m->type, &m->rng, m->local, LANE / (size_t)m->unit * (size_t)m->unit);
    memcpy(m->expected, m->local, LANE);
    apply(m, verb, &scale, &p, m->mirror + target * LANE);
    issue(m, form, verb, &scale, &p, target, rng_chance(&m->rng, 67));
    found(m->f, memcmp(m->local, m->expected, LANE) == 0, "%s %s of %zu bytes: %s",
          form_names[form], verb_names[verb], patch_segments(&p) * (size_t)p.count[0],
          verb == GET ? "wrong data" : "changed its local buffer");
    if (rng_chance(&m->rng, 20)) ARMCI_Fence(target);
}

/* Zero every lane; zero bytes are 0 in every type. */
static void begin_round(struct model *m, int type)
{
    m->type = type;
    m->unit = (int)element_size(type);
    memset(m->local, 0, LANE);
    memset(m->mirror, 0, (size_t)job->size * LANE);
    for (int p = 0; p < job->size; p++)
        ARMCI_Put(m->local, m->base[p] + job->rank * LANE, LANE, p);
}

/* The owner compares its slice with the mirrors of the ranks that wrote there. */
static void compare(struct model *m)
{
    char *theirs = malloc((size_t)job->size * LANE);
    ARMCI_Barrier();
    MPI_Alltoall(m->mirror, LANE, MPI_BYTE, theirs, LANE, MPI_BYTE, job->comm);
    ARMCI_Access_begin(m->base[job->rank]);
    for (int p = 0; p < job->size; p++) {
        const char *seen = m->base[job->rank] + p * LANE, *right = theirs + p * LANE;
        int at = 0;
        while (at < LANE && seen[at] == right[at])
            at++;
        found(m->f, at == LANE,
              "after operations on %s: memory of rank %d differs at byte %d of rank %d's part",
              m->type == TYPE_BYTES ? "bytes" : "numbers", job->rank, at, p);
    }
    ARMCI_Access_end(m->base[job->rank]);
    ARMCI_Barrier();
    free(theirs);
}

void model_run(struct finding *f, double seconds, unsigned seed)
{
    static struct model m;
    double begun = now();
    m = (struct model){.f = f, .rng = rng_start(seed * 100ull + (unsigned)job->rank)};
    m.base = malloc((size_t)job->size * sizeof *m.base);
    m.mirror = malloc((size_t)job->size * LANE);
    ARMCI_Malloc((void **)m.base, job->size * LANE + 8 * job->rank);
    for (int round = 0; round < 7 || !over(begun, seconds); round++) { /* each type at least once */
        begin_round(&m, round % (ELEMENT_TYPES + 1));
        for (int i = 0; i < OPERATIONS; i++)
            operate(&m);
        compare(&m);
    }
    ARMCI_Free(m.base[job->rank]);
    free(m.base);
    free(m.mirror);
}
