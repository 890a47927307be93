/* armci_model.c - random puts, gets and accumulates of every shape against a model.
 *
 * Every rank has a lane of its own in every slice and a mirror of it.  In a round all elements are of one type, so that
 * sums are exact.
 */
#include "use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

enum { LANE = 6008, LEVELS = 3, PIECES = 64, OPERATIONS = 14, BYTES = -1 };

enum form { CONTIGUOUS, STRIDED, VECTOR, VALUE, AGGREGATE, FORMS };
enum verb { PUT, GET, ACC };

/* A strided patch on both sides. */
struct patch {
    int levels, count[LEVELS + 1], stride[2][LEVELS], offset[2]; /* [0] local, [1] remote */
};

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

static int unit_of(int type)
{
    static const int sizes[] = {sizeof(int),    sizeof(long),      sizeof(float),
                                sizeof(double), 2 * sizeof(float), 2 * sizeof(double)};
    return type == BYTES ? 1 : sizes[type];
}

/* ---------------------------------------------------------------- elements --------- */

/* Small whole numbers of the round's type. */
static void fill(struct model *m, char *buffer, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        int value = rng_between(&m->rng, 0, 9);
        if (m->type == BYTES) buffer[i] = (char)(value + 1);
        if (m->type == ARMCI_ACC_INT && i % 4 == 0) memcpy(buffer + i, &value, 4);
        if (m->type == ARMCI_ACC_LNG && i % 8 == 0) memcpy(buffer + i, &(long){value}, 8);
        if ((m->type == ARMCI_ACC_FLT || m->type == ARMCI_ACC_CPL) && i % 4 == 0)
            memcpy(buffer + i, &(float){(float)value}, 4);
        if ((m->type == ARMCI_ACC_DBL || m->type == ARMCI_ACC_DCP) && i % 8 == 0)
            memcpy(buffer + i, &(double){value}, 8);
    }
}

/* to += scale * from, for complex numbers with scale (k, 1). */
static void add_scaled(int type, int k, char *to, const char *from, int bytes)
{
    float f[4];
    double d[4];
    for (int i = 0; i < bytes; i += unit_of(type)) {
        void *t = to + i;
        const void *s = from + i;
        if (type == ARMCI_ACC_INT) *(int *)t += k * *(const int *)s;
        if (type == ARMCI_ACC_LNG) *(long *)t += k * *(const long *)s;
        if (type == ARMCI_ACC_FLT) *(float *)t += (float)k * *(const float *)s;
        if (type == ARMCI_ACC_DBL) *(double *)t += k * *(const double *)s;
        if (type == ARMCI_ACC_CPL) {
            memcpy(f, t, 8), memcpy(f + 2, s, 8);
            f[0] += (float)k * f[2] - f[3], f[1] += (float)k * f[3] + f[2];
            memcpy(t, f, 8);
        }
        if (type == ARMCI_ACC_DCP) {
            memcpy(d, t, 16), memcpy(d + 2, s, 16);
            d[0] += k * d[2] - d[3], d[1] += k * d[3] + d[2];
            memcpy(t, d, 16);
        }
    }
}

/* The scale (k, or (k, 1) for complex numbers) in the round's type. */
static void *scale_of(int type, int k)
{
    static int i;
    static long l;
    static float f[2];
    static double d[2];
    i = k, l = k, f[0] = (float)k, f[1] = 1, d[0] = k, d[1] = 1;
    void *const of[] = {&i, &l, f, d, f, d};
    return of[type];
}

/* ---------------------------------------------------------------- the model -------- */

/* Offset of piece number i on a side. */
static int piece_offset(const struct patch *p, int side, int i)
{
    int offset = p->offset[side];
    for (int level = 0; level < p->levels; level++) {
        offset += i % p->count[level + 1] * p->stride[side][level];
        i /= p->count[level + 1];
    }
    return offset;
}

static int pieces(const struct patch *p)
{
    int n = 1;
    for (int level = 0; level < p->levels; level++)
        n *= p->count[level + 1];
    return n;
}

static void apply(struct model *m, enum verb verb, int k, const struct patch *p, char *mirror)
{
    for (int i = 0; i < pieces(p); i++) {
        char *remote = mirror + piece_offset(p, 1, i), *local = m->local + piece_offset(p, 0, i);
        if (verb == PUT) memcpy(remote, local, (size_t)p->count[0]);
        if (verb == GET) memcpy(m->expected + piece_offset(p, 0, i), remote, (size_t)p->count[0]);
        if (verb == ACC) add_scaled(m->type, k, remote, local, p->count[0]);
    }
}

/* ---------------------------------------------------------------- shapes ----------- */

/* Strides of one side that hold what is below them, and where the patch begins; false when it does not fit.  Sometimes
 * backwards. */
static bool place(struct model *m, struct patch *p, int side)
{
    int extent = p->count[0], below = 0;
    for (int level = 0; level < p->levels; level++) {
        int stride = extent + rng_between(&m->rng, 0, 7) * m->unit, back = rng_between(&m->rng, 0, 9) == 0;
        extent += stride * (p->count[level + 1] - 1);
        if (back) below += stride * (p->count[level + 1] - 1);
        p->stride[side][level] = back ? -stride : stride;
    }
    if (extent > LANE - 16) return false;
    p->offset[side] = below + rng_between(&m->rng, 0, (LANE - 8 - extent) / m->unit) * m->unit;
    return true;
}

static void draw(struct model *m, struct patch *p, enum form form)
{
    do {
        p->levels = form == CONTIGUOUS || form == VALUE ? 0 : form == STRIDED ? rng_between(&m->rng, 1, LEVELS) : 1;
        int most = form == CONTIGUOUS ? LANE / 2 : 300;
        p->count[0] = form == VALUE ? 8 : rng_between(&m->rng, 1, most / m->unit) * m->unit;
        for (int level = 0; level < p->levels; level++)
            p->count[level + 1] = rng_between(&m->rng, 1, form == STRIDED ? 5 : 20);
    } while (!place(m, p, 0) || !place(m, p, 1));
}

/* ---------------------------------------------------------------- calls ------------ */

static void call_contiguous(struct model *m, enum verb verb, void *scale, const struct patch *p, char *there,
                            int target, armci_hdl_t *h)
{
    char *local = m->local + p->offset[0], *remote = there + p->offset[1];
    if (verb == PUT)
        h ? ARMCI_NbPut(local, remote, p->count[0], target, h) : ARMCI_Put(local, remote, p->count[0], target);
    if (verb == GET)
        h ? ARMCI_NbGet(remote, local, p->count[0], target, h) : ARMCI_Get(remote, local, p->count[0], target);
    if (verb == ACC)
        h ? ARMCI_NbAcc(m->type, scale, local, remote, p->count[0], target, h)
          : ARMCI_Acc(m->type, scale, local, remote, p->count[0], target);
}

static void call_strided(struct model *m, enum verb verb, void *scale, struct patch *p, char *there, int target,
                         armci_hdl_t *h)
{
    char *local = m->local + p->offset[0], *remote = there + p->offset[1];
    int *ls = p->stride[0], *rs = p->stride[1], *n = p->count, levels = p->levels;
    if (verb == PUT)
        h ? ARMCI_NbPutS(local, ls, remote, rs, n, levels, target, h)
          : ARMCI_PutS(local, ls, remote, rs, n, levels, target);
    if (verb == GET)
        h ? ARMCI_NbGetS(remote, rs, local, ls, n, levels, target, h)
          : ARMCI_GetS(remote, rs, local, ls, n, levels, target);
    if (verb == ACC)
        h ? ARMCI_NbAccS(m->type, scale, local, ls, remote, rs, n, levels, target, h)
          : ARMCI_AccS(m->type, scale, local, ls, remote, rs, n, levels, target);
}

/* The pieces in a random order. */
static void call_vector(struct model *m, enum verb verb, void *scale, const struct patch *p, char *there, int target,
                        armci_hdl_t *h)
{
    void *local[PIECES], *remote[PIECES];
    int n = pieces(p), turn = rng_between(&m->rng, 0, n - 1);
    for (int i = 0; i < n; i++) {
        local[i] = m->local + piece_offset(p, 0, (i + turn) % n);
        remote[i] = there + piece_offset(p, 1, (i + turn) % n);
    }
    armci_giov_t v = {verb == GET ? remote : local, verb == GET ? local : remote, p->count[0], n};
    if (verb == PUT) h ? ARMCI_NbPutV(&v, 1, target, h) : ARMCI_PutV(&v, 1, target);
    if (verb == GET) h ? ARMCI_NbGetV(&v, 1, target, h) : ARMCI_GetV(&v, 1, target);
    if (verb == ACC) h ? ARMCI_NbAccV(m->type, scale, &v, 1, target, h) : ARMCI_AccV(m->type, scale, &v, 1, target);
}

/* 8 bytes from or to a register. */
static void call_value(struct model *m, enum verb verb, const struct patch *p, char *there, int target)
{
    long value;
    char *local = m->local + p->offset[0], *remote = there + p->offset[1];
    memcpy(&value, local, sizeof value);
    if (verb == PUT) ARMCI_PutValueLong(value, remote, target);
    if (verb == GET) value = ARMCI_GetValueLong(remote, target);
    if (verb == GET) memcpy(local, &value, sizeof value);
}

static void call_aggregate(struct model *m, enum verb verb, void *scale, const struct patch *p, char *there, int target,
                           armci_hdl_t *h)
{
    ARMCI_SET_AGGREGATE_HANDLE(h);
    for (int i = 0; i < pieces(p); i++) {
        struct patch piece = {.count = {p->count[0]}, .offset = {piece_offset(p, 0, i), piece_offset(p, 1, i)}};
        call_contiguous(m, verb, scale, &piece, there, target, h);
    }
}

static void call(struct model *m, enum form form, enum verb verb, int k, struct patch *p, int target, bool blocking)
{
    char *there = m->base[target] + job->rank * LANE;
    void *scale = verb == ACC ? scale_of(m->type, k) : NULL;
    armci_hdl_t handle, *h = blocking && form != AGGREGATE ? NULL : &handle;
    ARMCI_INIT_HANDLE(&handle);
    switch (form) {
    case CONTIGUOUS:
        call_contiguous(m, verb, scale, p, there, target, h);
        break;
    case STRIDED:
        call_strided(m, verb, scale, p, there, target, h);
        break;
    case VECTOR:
        call_vector(m, verb, scale, p, there, target, h);
        break;
    case VALUE:
        call_value(m, verb, p, there, target);
        return;
    default:
        call_aggregate(m, verb, scale, p, there, target, h);
    }
    if (h) ARMCI_Wait(h);
}

/* ---------------------------------------------------------------- rounds ----------- */

static void operate(struct model *m)
{
    struct patch p = {0};
    int target = rng_between(&m->rng, 0, job->size - 1), k = rng_between(&m->rng, 1, 3);
    enum verb verb = (enum verb)rng_between(&m->rng, 0, m->type == BYTES ? 1 : 2);
    enum form form = (enum form)rng_between(&m->rng, 0, FORMS - 1);
    if (form == VALUE && (verb == ACC || m->unit > 8)) form = CONTIGUOUS;
    draw(m, &p, form);
    fill(m, m->local, LANE / m->unit * m->unit);
    memcpy(m->expected, m->local, LANE);
    apply(m, verb, k, &p, m->mirror + target * LANE);
    call(m, form, verb, k, &p, target, rng_between(&m->rng, 0, 2) > 0);
    found(m->f, memcmp(m->local, m->expected, LANE) == 0, "%s %s of %d bytes: %s", form_names[form], verb_names[verb],
          pieces(&p) * p.count[0], verb == GET ? "wrong data" : "changed its local buffer");
    if (rng_between(&m->rng, 0, 4) == 0) ARMCI_Fence(target);
}

/* Every lane becomes zero, which is 0 in every type. */
static void begin_round(struct model *m, int type)
{
    m->type = type;
    m->unit = unit_of(type);
    memset(m->local, 0, LANE);
    memset(m->mirror, 0, (size_t)job->size * LANE);
    for (int p = 0; p < job->size; p++)
        ARMCI_Put(m->local, m->base[p] + job->rank * LANE, LANE, p);
}

/* The owner looks at its slice, and compares it with the mirrors of those who wrote there. */
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
        found(m->f, at == LANE, "after operations on %s: memory of rank %d differs at byte %d of rank %d's part",
              m->type == BYTES ? "bytes" : "numbers", job->rank, at, p);
    }
    ARMCI_Access_end(m->base[job->rank]);
    ARMCI_Barrier();
    free(theirs);
}

void model_run(struct finding *f, double seconds, unsigned seed)
{
    static struct model m;
    double begun = now();
    m = (struct model){.f = f, .rng = {.state = seed * 100ull + (unsigned)job->rank}};
    m.base = malloc((size_t)job->size * sizeof *m.base);
    m.mirror = malloc((size_t)job->size * LANE);
    ARMCI_Malloc((void **)m.base, job->size * LANE + 8 * job->rank);
    for (int round = 0; round < 7 || !over(begun, seconds); round++) { /* each type at least once */
        begin_round(&m, round % 7 - 1);
        for (int i = 0; i < OPERATIONS; i++)
            operate(&m);
        compare(&m);
    }
    ARMCI_Free(m.base[job->rank]);
    free(m.base);
    free(m.mirror);
}
