/* test_vector.c - vector put, get and accumulate: many segments, random order, overlaps, several
 * regions, against a model. */
#include "lanes.h"
#include "op.h"

enum { LANE = 16 * 1024, ROOM = 16 * 1024, REGIONS = 3, MOST_ENTRIES = 6, MOST_SEGMENTS = 2000 };

/* One vector call being drawn: entries, and for each segment its place here and there. */
struct vector {
    armci_giov_t iov[MOST_ENTRIES];
    int entries;
    int n; /* segments in all */
    void *local[MOST_SEGMENTS], *remote[MOST_SEGMENTS], *mirror[MOST_SEGMENTS],
        *expected[MOST_SEGMENTS];
    size_t bytes[MOST_SEGMENTS];
};

struct wish {
    int entries;      /* 1..MOST_ENTRIES */
    int per_entry;    /* at most; 0 and 1 are drawn too */
    int longest;      /* units */
    int regions;      /* 1..REGIONS */
    bool overlapping; /* on the remote side */
    int n;            /* calls */
};

/* What a test runs: these kinds of calls, blocking or not. */
struct runs {
    const struct wish *wish;
    enum op_kind first, last;
    unsigned hows;         /* a mask of 1 << enum op_how */
    unsigned hows_of_many; /* the same on more than 2 ranks; 0: as on fewer */
};

/* Append an entry of n segments of `bytes` bytes; its arrays are parts of v's. */
static void add_entry(struct vector *v, enum op_kind kind, int n, size_t bytes)
{
    armci_giov_t *e = &v->iov[v->entries++];
    e->bytes = (int)bytes;
    e->ptr_array_len = n;
    e->src_ptr_array = (kind == OP_GET ? v->remote : v->local) + v->n;
    e->dst_ptr_array = (kind == OP_GET ? v->local : v->remote) + v->n;
    for (int i = 0; i < n; i++)
        v->bytes[v->n + i] = bytes;
    v->n += n;
}

static void draw_entries(struct rng *r, const struct wish *w, enum op_kind kind, size_t unit,
                         struct vector *v)
{
    v->entries = v->n = 0;
    for (int e = 0; e < w->entries; e++) {
        int n = rng_chance(r, 15) ? rng_between(r, 0, 1) : rng_between(r, 1, w->per_entry);
        size_t bytes = rng_chance(r, 4) ? 0 : unit * (size_t)rng_between(r, 1, w->longest);
        add_entry(v, kind, n, bytes);
    }
}

/* The places of all segments on one side, disjoint and in random order, in a room of `room` bytes:
 * segment i at at[i]. false: no room. */
static bool place_disjoint(struct rng *r, const struct vector *v, size_t unit, size_t room,
                           size_t at[])
{
    int order[MOST_SEGMENTS];
    size_t used = 0;
    rng_permutation(r, v->n, order);
    for (int i = 0; i < v->n; i++) {
        used += unit * (size_t)(rng_chance(r, 50) ? 0 : rng_between(r, 0, 3));
        at[order[i]] = used;
        used += v->bytes[order[i]];
    }
    return used <= room;
}

static void place_anywhere(struct rng *r, const struct vector *v, size_t unit, size_t room,
                           size_t at[])
{
    for (int i = 0; i < v->n; i++)
        at[i] = unit * (size_t)rng_between(r, 0, (int)((room - v->bytes[i]) / unit));
}

/* Draw a whole call; the remote side spreads over the regions. */
static void draw_vector(struct rng *r, const struct wish *w, enum op_kind kind, size_t unit,
                        struct lanes l[], int target, char *local, char *expected, struct vector *v)
{
    static size_t here[MOST_SEGMENTS], there[MOST_SEGMENTS];
    size_t room = LANE / unit * unit;
    do {
        draw_entries(r, w, kind, unit, v);
        if (w->overlapping) place_anywhere(r, v, unit, room / 8, there);
    } while (!place_disjoint(r, v, unit, ROOM, here) ||
             (!w->overlapping && !place_disjoint(r, v, unit, room, there)));
    for (int i = 0; i < v->n; i++) {
        struct lanes *one = &l[rng_between(r, 0, w->regions - 1)];
        v->local[i] = local + here[i];
        v->expected[i] = expected + here[i];
        v->remote[i] = lanes_remote(one, target) + there[i];
        v->mirror[i] = lanes_mirror(one, target) + there[i];
    }
}

static void transfer(struct rng *r, const struct wish *w, const struct op *op, struct lanes l[],
                     int target)
{
    static char local[ROOM], expected[ROOM];
    static struct vector v;
    size_t unit = element_size(op->type);
    armci_hdl_t handle = new_handle();
    element_fill(op->type, r, local, ROOM);
    memcpy(expected, local, ROOM);
    draw_vector(r, w, op->kind, unit, l, target, local, expected, &v);
    for (int i = 0; i < v.n; i++)
        op_model(op, v.expected[i], v.mirror[i], v.bytes[i]);
    op_vector(op, v.iov, v.entries, target, &handle);
    op_wait(op, &handle);
    check_bytes(local, expected, ROOM,
                "%s of %d entries, %d segments, first of %zu bytes, with %d: local buffer",
                op_name(op, "V"), v.entries, v.n, v.n ? v.bytes[0] : 0, target);
}

/* w->n calls with random targets; accumulates: that many in all, of every type. */
static void run_typed(struct rng *r, const struct wish *w, enum op_kind kind, enum op_how how,
                      struct lanes l[], int type)
{
    struct op op = {.kind = kind, .how = how, .type = type};
    int n = effort(kind == OP_ACC ? w->n / ELEMENT_TYPES : w->n);
    for (int i = 0; i < w->regions; i++) {
        element_fill(type, r, l[i].mirror, (size_t)test_ranks() * LANE);
        lanes_load(&l[i]);
    }
    for (int i = 0; i < n; i++) {
        if (kind == OP_ACC) op.scale = rng_chance(r, 50) ? scale_one(type) : scale_other(type, r);
        transfer(r, w, &op, l, rng_between(r, 0, test_ranks() - 1));
    }
    for (int i = 0; i < w->regions; i++)
        lanes_verify(&l[i], op_name(&op, "V"));
}

static void run(const struct wish *w, enum op_kind kind, enum op_how how)
{
    static uint64_t number;
    struct rng r = rng_stream(5000 + 1000 * ++number + (uint64_t)test_rank());
    struct lanes l[REGIONS];
    for (int i = 0; i < w->regions; i++)
        l[i] = lanes_create(LANE, 16);
    if (kind != OP_ACC)
        run_typed(&r, w, kind, how, l, TYPE_BYTES);
    else
        for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
            run_typed(&r, w, kind, how, l, type);
    for (int i = 0; i < w->regions; i++)
        lanes_free(&l[i]);
}

static const struct wish any = {
    .entries = 4, .per_entry = 40, .longest = 16, .regions = 1, .n = 60};
static const struct wish overlap = {
    .entries = 3, .per_entry = 40, .longest = 20, .regions = 1, .overlapping = true, .n = 60};
static const struct wish several = {
    .entries = 4, .per_entry = 30, .longest = 16, .regions = REGIONS, .n = 48};
static const struct wish single = {
    .entries = 1, .per_entry = 1, .longest = 300, .regions = 1, .n = 48};

static void run_all(const void *row)
{
    const struct runs *all = row;
    unsigned hows = test_ranks() > 2 && all->hows_of_many ? all->hows_of_many : all->hows;
    for (int kind = (int)all->first; kind <= (int)all->last; kind++)
        for (int how = OP_BLOCKING; how <= OP_IMPLICIT; how++)
            if (hows & 1u << how) run(all->wish, (enum op_kind)kind, (enum op_how)how);
}

/* No entry, entries without segments, segments without bytes: nothing moves and no pointer is
 * looked at. */
static void test_nothing(void)
{
    struct lanes l = lanes_create(64, 16);
    void *here[3] = {NULL, NULL, NULL}, *there[3] = {NULL, NULL, NULL};
    armci_giov_t empty[3] = {{here, there, 0, 3}, {NULL, NULL, 8, 0}, {here, there, 0, 0}};
    for (int kind = OP_PUT; kind <= OP_ACC; kind++) {
        struct op op = {.kind = (enum op_kind)kind, .how = OP_BLOCKING, .type = ARMCI_ACC_DBL};
        op.scale = scale_one(ARMCI_ACC_DBL);
        op_vector(&op, empty, 0, 0, NULL);
        op_vector(&op, empty + 1, 1, 0, NULL);
        op_vector(&op, empty, 3, 0, NULL);
    }
    lanes_end(&l, "empty vectors");
}

static const int many = 20000, overlapping_many = 5000;

/* n doubles, each a separate segment, in random order; `twice`: each place also a second time. */
static void many_segments(enum op_kind kind, int n, bool twice)
{
    size_t bytes = (size_t)n * sizeof(double);
    struct lanes l = lanes_create(bytes, 16);
    struct rng r = rng_stream(9000 + (uint64_t)test_rank());
    struct op op = {.kind = kind,
                    .how = OP_BLOCKING,
                    .type = ARMCI_ACC_DBL,
                    .scale = scale_other(ARMCI_ACC_DBL, &r)};
    int all = twice ? 2 * n : n, target = (test_rank() + 1) % test_ranks();
    int *order = need_memory((size_t)all * sizeof *order);
    void **here = need_memory((size_t)all * sizeof *here),
         **there = need_memory((size_t)all * sizeof *there);
    double *local = need_memory((size_t)all * sizeof *local),
           *expected = need_memory((size_t)all * sizeof *local);
    armci_giov_t v = {kind == OP_GET ? there : here, kind == OP_GET ? here : there, sizeof(double),
                      all};
    element_fill(ARMCI_ACC_DBL, &r, l.mirror, (size_t)test_ranks() * bytes);
    lanes_load(&l);
    element_fill(ARMCI_ACC_DBL, &r, local, (size_t)all * sizeof *local);
    memcpy(expected, local, (size_t)all * sizeof *local);
    for (int i = 0; i < all; i++)
        order[i] = i % n;
    rng_shuffle(&r, order, all);
    for (int i = 0; i < all; i++) {
        size_t at = (size_t)order[i] * sizeof(double);
        here[i] = local + i;
        there[i] = lanes_remote(&l, target) + at;
        op_model(&op, expected + i, lanes_mirror(&l, target) + at, sizeof(double));
    }
    op_vector(&op, &v, 1, target, NULL);
    check_bytes(local, expected, (size_t)all * sizeof *local, "%s of %d segments: local buffer",
                op_name(&op, "V"), all);
    lanes_end(&l, "a vector of many segments");
    free(order);
    free(here);
    free(there);
    free(local);
    free(expected);
}

static void test_many(const void *n)
{
    bool twice = n == &overlapping_many;
    for (int kind = OP_PUT; kind <= OP_ACC; kind++)
        many_segments((enum op_kind)kind, effort(*(const int *)n), twice);
}

enum {
    BLOCKING = 1 << OP_BLOCKING,
    WITH_HANDLE = 1 << OP_HANDLE,
    EACH = BLOCKING | WITH_HANDLE | 1 << OP_IMPLICIT
};
#define RUNS(...) ONE_ROW(run_all, struct runs, __VA_ARGS__)

static const struct test tests[] = {
    {"vector put of mixed lengths in random order", RUNS(&any, OP_PUT, OP_PUT, EACH)},
    {"vector get of mixed lengths in random order", RUNS(&any, OP_GET, OP_GET, EACH)},
    {"vector accumulate of mixed lengths in random order", RUNS(&any, OP_ACC, OP_ACC, EACH)},
    {"overlapping segments: put leaves the last",
     RUNS(&overlap, OP_PUT, OP_PUT, BLOCKING | WITH_HANDLE)},
    {"overlapping segments: get reads each", RUNS(&overlap, OP_GET, OP_GET, BLOCKING)},
    {"overlapping segments: accumulate counts each",
     RUNS(&overlap, OP_ACC, OP_ACC, BLOCKING | WITH_HANDLE)},
    {"segments in several regions",
     RUNS(&several, OP_PUT, OP_ACC, BLOCKING | WITH_HANDLE, BLOCKING)},
    {"a vector of one segment", RUNS(&single, OP_PUT, OP_ACC, BLOCKING)},
    {"an empty vector does nothing", test_nothing},
    {"vectors of many thousand segments", NULL, test_many, &many},
    {"many thousand segments that overlap", NULL, test_many, &overlapping_many},
};
SUITE();
