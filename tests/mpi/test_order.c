/* test_order.c - location consistency: a process sees its own blocking operations on one target in the order issued,
 * whatever their form; and non-blocking ones that it has waited for. */
#include "lanes.h"
#include "op.h"

enum { LANE = 32 * 1024, ROOM = 24 * 1024 };

enum form { CONTIGUOUS, STRIDED, VECTOR, VALUE, FORMS };

/* The caller's place of work for one mixture. */
struct work {
    struct lanes lanes;
    int type;
    unsigned char *local, *expected; /* ROOM bytes each: the buffer and its model */
};

static struct sides sides_of(const struct work *w, int target)
{
    return (struct sides){w->local, w->expected, lanes_remote(&w->lanes, target), lanes_mirror(&w->lanes, target), target};
}

static void mix_contiguous(struct rng *r, const struct op *op, struct work *w, int target)
{
    size_t unit = element_size(w->type), n = unit * (size_t)rng_between(r, 1, rng_chance(r, 10) ? 1400 : 60);
    size_t here = unit * (size_t)rng_between(r, 0, (int)((ROOM - n) / unit));
    size_t there = unit * (size_t)rng_between(r, 0, (int)((LANE / 4 * 3 - n) / unit));
    struct sides sides = sides_of(w, target);
    armci_hdl_t handle = new_handle();
    op_bytes(op, &sides, here, there, n, &handle);
    op_wait(op, &handle);
}

static void mix_strided(struct rng *r, const struct op *op, struct work *w, int target)
{
    struct patch_wish wish = {
        .kind = {(enum patch_kind)rng_between(r, 0, PATCH_INTERLEAVED), (enum patch_kind)rng_between(r, 0, PATCH_NEGATIVE)},
        .room = {ROOM, LANE / 4},
        .max_bytes = 3000,
        .min_levels = 1,
        .max_levels = 3,
        .unit = (int)element_size(w->type),
    };
    struct patch p = patch_draw(r, &wish);
    struct sides sides = sides_of(w, target);
    armci_hdl_t handle = new_handle();
    op_patch(op, &sides, &p, &handle);
    op_wait(op, &handle);
}

static void mix_vector(struct rng *r, const struct op *op, struct work *w, int target)
{
    enum { SEGMENTS = 12 };
    size_t unit = element_size(w->type), n = unit * (size_t)rng_between(r, 1, 6), from[SEGMENTS], to[SEGMENTS];
    struct sides sides = sides_of(w, target);
    armci_hdl_t handle = new_handle();
    for (size_t i = 0; i < SEGMENTS; i++) {
        from[i] = n * 2 * i;
        to[i] = unit * (size_t)rng_between(r, 0, (int)((LANE / 4 - n) / unit));
    }
    op_segments(op, &sides, SEGMENTS, n, from, to, &handle);
}

static void mix_value(struct rng *r, const struct op *op, struct work *w, int target)
{
    size_t there = sizeof(int) * (size_t)rng_between(r, 0, 500);
    char *remote = lanes_remote(&w->lanes, target) + there;
    unsigned char *mirror = lanes_mirror(&w->lanes, target) + there;
    int value;
    memcpy(&value, w->local, sizeof value);
    if (op->kind == OP_PUT) {
        check_long(ARMCI_PutValueInt(value, remote, target), 0, "ARMCI_PutValueInt: code");
        memcpy(mirror, &value, sizeof value);
    } else {
        memcpy(&value, mirror, sizeof value);
        check_long(ARMCI_GetValueInt(remote, target), value, "ARMCI_GetValueInt from %d among other operations", target);
    }
}

/* One operation of any kind and form, blocking or not, on a target that is often the same as before; gets are checked at once. */
static void mix_one(struct rng *r, struct work *w, int target)
{
    static void (*const forms[FORMS])(struct rng *, const struct op *, struct work *, int) = {
        mix_contiguous,
        mix_strided,
        mix_vector,
        mix_value,
    };
    enum form form = (enum form)rng_between(r, 0, w->type == ARMCI_ACC_INT ? VALUE : VECTOR);
    struct op op = {.kind = (enum op_kind)rng_between(r, OP_PUT, form == VALUE ? OP_GET : OP_ACC),
                    .how = (enum op_how)rng_between(r, OP_BLOCKING, OP_IMPLICIT),
                    .type = w->type};
    op.scale = rng_chance(r, 50) ? scale_one(w->type) : scale_other(w->type, r);
    if (op.kind != OP_GET) {
        element_fill(w->type, r, w->local, ROOM);
        memcpy(w->expected, w->local, ROOM);
    }
    forms[form](r, &op, w, target);
    check_bytes(w->local, w->expected, ROOM, "%s of form %d with %d among other operations: local buffer", op_name(&op, ""), (int)form,
                target);
}

static void run_mixture(int type)
{
    struct rng r = rng_stream(60000 + 100 * (uint64_t)type + (uint64_t)test_rank());
    struct work w = {.lanes = lanes_create(LANE, 16), .type = type};
    int target = 0;
    w.local = need_memory(ROOM);
    w.expected = need_memory(ROOM);
    element_fill(type, &r, w.lanes.mirror, (size_t)test_ranks() * LANE);
    lanes_load(&w.lanes);
    element_fill(type, &r, w.local, ROOM);
    memcpy(w.expected, w.local, ROOM);
    for (int i = 0; i < effort(250); i++) {
        if (i % 7 == 0) target = rng_between(&r, 0, test_ranks() - 1);
        mix_one(&r, &w, target);
    }
    lanes_end(&w.lanes, "a mixture of all operations");
    free(w.local);
    free(w.expected);
}

static void test_mixture(void)
{
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
        run_mixture(type);
}

static const int sizes[] = {8, 64, 512, 8208, 160000}; /* 8, or multiples of 16 */
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 160000 };

/* Buffers of LARGEST bytes for one pair: what is sent first, then, and what comes back. */
struct pair {
    char *remote;
    double *first, *second, *back, *model;
    size_t bytes;
    int target;
};

static const double scale_of_pairs = 2;

/* Put, get or accumulate p->bytes bytes, contiguous or as doubles one by one (the same bytes). */
static void issue(const struct pair *p, enum op_kind kind, bool in_pieces, double *local)
{
    struct op op = {.kind = kind, .how = OP_BLOCKING, .type = ARMCI_ACC_DBL, .scale.d = {scale_of_pairs}};
    struct patch shape = {.levels = 2, .count = {8, (int)(p->bytes / 16), 2}, .stride = {{16, 8}, {16, 8}}};
    if (in_pieces && p->bytes >= 16)
        op_strided(&op, local, p->remote, &shape, p->target, NULL);
    else
        op_contiguous(&op, local, p->remote, p->bytes, p->target, NULL);
}

static void apply(const struct pair *p, enum op_kind kind, const double *local)
{
    for (size_t i = 0; i < p->bytes / sizeof(double); i++)
        p->model[i] = kind == OP_PUT ? local[i] : p->model[i] + scale_of_pairs * local[i];
}

/* first and second (put or acc), then a get: what is seen must be the model; pieces: bit i says operation i is strided. */
static void try_pair(struct rng *r, struct pair *p, enum op_kind first, enum op_kind second, unsigned pieces)
{
    static const char *const names[] = {"put", "get", "acc"};
    element_fill(ARMCI_ACC_DBL, r, p->first, p->bytes);
    element_fill(ARMCI_ACC_DBL, r, p->second, p->bytes);
    issue(p, first, pieces & 1, p->first);
    apply(p, first, p->first);
    issue(p, second, pieces & 2, p->second);
    apply(p, second, p->second);
    memset(p->back, 0xff, p->bytes);
    issue(p, OP_GET, pieces & 4, p->back);
    check_bytes(p->back, p->model, p->bytes, "%s, %s, get of %zu bytes at %d (strided: %u)", names[first], names[second], p->bytes,
                p->target, pieces);
}

struct kinds {
    enum op_kind first, second;
};

static void run_pairs(const void *row)
{
    const struct kinds *kinds = row;
    struct lanes l = lanes_create(LARGEST, 16);
    struct rng r = rng_stream(70000 + (uint64_t)test_rank());
    struct pair p = {.first = need_memory(LARGEST), .second = need_memory(LARGEST), .back = need_memory(LARGEST)};
    for (int t = 0; t < test_ranks(); t++) {
        p.target = (test_rank() + t) % test_ranks();
        p.remote = lanes_remote(&l, p.target);
        p.model = (double *)(void *)lanes_mirror(&l, p.target);
        for (int s = 0; s < (test_ranks() <= 2 ? SIZES : SIZES - 1); s++) {
            p.bytes = (size_t)sizes[s];
            for (unsigned pieces = 0; pieces < 8; pieces++)
                try_pair(&r, &p, kinds->first, kinds->second, pieces);
        }
    }
    lanes_end(&l, "pairs of operations");
    free(p.first);
    free(p.second);
    free(p.back);
}

static void test_many_puts_one_get(void)
{
    enum { MOST = 1000 };
    int n = effort(MOST);
    size_t bytes = (size_t)n * sizeof(long);
    void **base = region_create(bytes * (size_t)test_ranks());
    long seen[MOST];
    for (int i = 0; i < test_ranks(); i++) {
        int t = (test_rank() + i) % test_ranks();
        long *remote = (long *)base[t] + n * test_rank();
        for (long k = 0; k < n; k++) {
            long value = 7 * k + t;
            ARMCI_Put(&value, remote + (k * 331) % n, sizeof value, t);
        }
        ARMCI_Get(remote, seen, (int)bytes, t);
        for (long k = 0; k < n; k++)
            check_long(seen[(k * 331) % n], 7 * k + t, "ARMCI_Get at %d after %d ARMCI_Put of 8 bytes, element %ld", t, n, k);
    }
    region_done(base);
}

/* The buffer of a blocking put may be reused at once, that of a non-blocking one after Wait. */
static void test_buffer_reuse(void)
{
    enum { N = 300, BYTES = 4000 };
    struct lanes l = lanes_create(N * BYTES, 16);
    struct rng r = rng_stream(71000 + (uint64_t)test_rank());
    static char buffer[BYTES];
    int n = effort(N), target = (test_rank() + 1) % test_ranks();
    for (int i = 0; i < n; i++) {
        struct op put = {.kind = OP_PUT, .how = (enum op_how)(i % 3)};
        armci_hdl_t handle = new_handle();
        rng_bytes(&r, buffer, BYTES);
        op_contiguous(&put, buffer, lanes_remote(&l, target) + i * BYTES, BYTES, target, &handle);
        op_wait(&put, &handle);
        memcpy(lanes_mirror(&l, target) + i * BYTES, buffer, BYTES);
        memset(buffer, 0xee, BYTES);
    }
    lanes_end(&l, "puts from a buffer that is reused");
}

static void test_fence_then_message(void)
{
    void **base = region_create(sizeof(int));
    int me = test_rank(), n = test_ranks(), to = (me + 1) % n, from = (me + n - 1) % n;
    for (int round = 1; round <= effort(100); round++) {
        int value = 1000 * round + me, token = round, seen = 0;
        ARMCI_Put(&value, base[to], sizeof value, to);
        ARMCI_Fence(to);
        MPI_Sendrecv(&token, 1, MPI_INT, to, 0, &seen, 1, MPI_INT, from, 0, test_comm(), MPI_STATUS_IGNORE);
        ARMCI_Access_begin(base[me]);
        check_long(*(volatile int *)base[me], 1000 * round + from, "own memory after rank %d's put, fence and message", from);
        ARMCI_Access_end(base[me]);
        MPI_Sendrecv(&token, 1, MPI_INT, from, 1, &seen, 1, MPI_INT, to, 1, test_comm(), MPI_STATUS_IGNORE);
    }
    region_done(base);
}

#define PAIR(FIRST, SECOND) ONE_ROW(run_pairs, struct kinds, FIRST, SECOND)

static const struct test tests[] = {
    {"any mixture of operations stays in order", test_mixture},
    {"put, put, get", PAIR(OP_PUT, OP_PUT)},
    {"put, accumulate, get", PAIR(OP_PUT, OP_ACC)},
    {"accumulate, put, get", PAIR(OP_ACC, OP_PUT)},
    {"accumulate, accumulate, get", PAIR(OP_ACC, OP_ACC)},
    {"many small puts, one get", test_many_puts_one_get},
    {"a put's buffer may be reused", test_buffer_reuse},
    {"put and fence before a message are seen after it", test_fence_then_message},
};
SUITE();
