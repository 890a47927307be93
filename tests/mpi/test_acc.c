/* test_acc.c - accumulate by all ranks at once onto the same elements: nothing is lost, in any form
 * and type. */
#include "op.h"

enum { ELEMENTS = 1500, OWN = 24 };
enum form { CONTIGUOUS, STRIDED, VECTOR };

/* A region that all ranks accumulate onto, and what the caller has added to each slice.  The
 * elements begin `shift` bytes into each slice; OWN bytes for each rank follow. */
struct shared {
    int type;
    size_t bytes, shift;
    void **base;
    unsigned char *given; /* [ranks][bytes] */
};

static char *elements_of(const struct shared *s, int rank)
{
    return (char *)s->base[rank] + s->shift;
}

static void fill_zero(struct shared *s)
{
    memset(s->given, 0, (size_t)test_ranks() * s->bytes);
    slice_fill(elements_of(s, test_rank()), 0, s->bytes);
    ARMCI_Barrier();
}

static struct shared shared_create(int type, size_t shift)
{
    struct shared s = {.type = type, .bytes = ELEMENTS * element_size(type), .shift = shift};
    s.base = region_create(s.shift + s.bytes + OWN * (size_t)test_ranks());
    s.given = need_memory((size_t)test_ranks() * s.bytes);
    fill_zero(&s);
    return s;
}

static void shared_free(struct shared *s)
{
    ARMCI_Barrier();
    region_free(s->base);
    free(s->given);
}

/* The caller's slice must be the sum of what all ranks gave to it. */
static void shared_verify(struct shared *s, const char *what)
{
    size_t all = (size_t)test_ranks() * s->bytes;
    unsigned char *given = need_memory(all), *sum = need_memory(s->bytes);
    union scale one = scale_one(s->type);
    char *mine = elements_of(s, test_rank());
    MPI_Alltoall(s->given, (int)s->bytes, MPI_BYTE, given, (int)s->bytes, MPI_BYTE, test_comm());
    memset(sum, 0, s->bytes);
    for (int r = 0; r < test_ranks(); r++)
        element_accumulate(s->type, &one, given + (size_t)r * s->bytes, sum, s->bytes);
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    check_bytes(mine, sum, s->bytes, "%s of %s by all ranks: sum", what, element_name(s->type));
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    free(given);
    free(sum);
}

/* The caller puts into its own bytes right behind the sums, and reads them back. */
static void use_own_bytes(struct rng *r, const struct shared *s, int target)
{
    char *own = elements_of(s, target) + s->bytes + OWN * test_rank();
    unsigned char sent[OWN], seen[OWN] = {0};
    rng_bytes(r, sent, OWN);
    ARMCI_Put(sent, own, OWN, target);
    ARMCI_Get(own, seen, OWN, target);
    check_bytes(seen, sent, OWN, "own bytes behind the sums of %d", target);
}

static void accumulate_contiguous(struct rng *r, const struct op *op, const struct sides *sides,
                                  armci_hdl_t *hdl)
{
    size_t size = element_size(op->type), n = (size_t)rng_between(r, 1, ELEMENTS);
    op_bytes(op, sides, 0, size * (size_t)rng_between(r, 0, ELEMENTS - (int)n), n * size, hdl);
}

static void accumulate_strided(struct rng *r, const struct op *op, const struct sides *sides,
                               armci_hdl_t *hdl)
{
    size_t bytes = ELEMENTS * element_size(op->type);
    struct patch_wish wish = {
        .kind = {(enum patch_kind)rng_between(r, 0, PATCH_REPEATED),
                 (enum patch_kind)rng_between(r, 0, PATCH_NEGATIVE)},
        .room = {bytes, bytes},
        .max_bytes = bytes / 2,
        .min_levels = 1,
        .max_levels = 4,
        .unit = (int)element_size(op->type),
    };
    struct patch p = patch_draw(r, &wish);
    op_patch(op, sides, &p, hdl);
}

/* 40 segments of 1 to 12 elements anywhere, overlapping ones too. */
static void accumulate_vector(struct rng *r, const struct op *op, const struct sides *sides,
                              armci_hdl_t *hdl)
{
    enum { SEGMENTS = 40 };
    size_t size = element_size(op->type), from[SEGMENTS], to[SEGMENTS];
    int n = rng_between(r, 1, 12);
    for (int i = 0; i < SEGMENTS; i++) {
        to[i] = size * (size_t)rng_between(r, 0, ELEMENTS - n);
        from[i] = size * (size_t)rng_between(r, 0, ELEMENTS - n);
    }
    op_segments(op, sides, SEGMENTS, (size_t)n * size, from, to, hdl);
}

/* Every rank: n accumulates of form first, first + 1, ... last in turn, to random targets.
 * Non-blocking ones are waited for together, at the end. */
static void run_type(struct rng *r, int type, size_t shift, enum form first, enum form last,
                     enum op_how how, int n)
{
    static void (*const accumulate[])(struct rng *, const struct op *, const struct sides *,
                                      armci_hdl_t *) = {accumulate_contiguous, accumulate_strided,
                                                        accumulate_vector};
    struct shared s = shared_create(type, shift);
    struct op op = {.kind = OP_ACC, .how = how, .type = type};
    char *local = need_memory(s.bytes), *kept = need_memory(s.bytes);
    armci_hdl_t handle = new_handle();
    element_fill(type, r, local, s.bytes);
    memcpy(kept, local, s.bytes);
    for (int i = 0; i < n; i++) {
        enum form form = first + (enum form)i % (last - first + 1);
        op.scale = i % 2 ? scale_one(type) : scale_other(type, r);
        int target = i % 3 ? 0 : rng_between(r, 0, test_ranks() - 1);
        struct sides sides = {local, local, elements_of(&s, target),
                              s.given + (size_t)target * s.bytes, target};
        accumulate[form](r, &op, &sides, &handle);
        if (i % 3 == 0) use_own_bytes(r, &s, target);
    }
    op_wait(&op, &handle);
    check_bytes(local, kept, s.bytes, "source of %s", op_name(&op, ""));
    shared_verify(&s, op_name(&op, ""));
    shared_free(&s);
    free(local);
    free(kept);
}

struct runs {
    enum form first, last;
    enum op_how how;
    int n; /* 0: no more */
};

static void run_all(const void *row)
{
    static uint64_t number;
    for (const struct runs *all = row; all->n > 0; all++) {
        struct rng r = rng_stream(20000 + 1000 * ++number + (uint64_t)test_rank());
        for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
            run_type(&r, type, 0, all->first, all->last, all->how, effort(all->n));
    }
}

static void test_unaligned(void)
{
    struct rng r = rng_stream(29000 + (uint64_t)test_rank());
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type)) {
        size_t part = element_size(type) / (size_t)element_parts(type);
        for (size_t shift = 1; shift < part; shift += 2)
            run_type(&r, type, shift, CONTIGUOUS, VECTOR, shift % 4 == 1 ? OP_BLOCKING : OP_HANDLE,
                     effort(40));
    }
}

enum { ROWS = 24, MOST_BETWEEN = 15 };
enum call_of_rows { STRIDED_ROWS, VECTOR_ROWS, AGGREGATED_ROWS, CALLS };

/* Rows of n elements whose starts are an odd number of bytes apart: aligned ones and others take
 * turns. */
struct rows {
    int n;
    size_t bytes, stride[2]; /* of a row; local, remote */
};

static void add_rows(const struct op *op, enum call_of_rows call, const struct rows *rows,
                     char *local, char *remote, int target)
{
    struct patch p = {.levels = 1, .count = {(int)rows->bytes, ROWS}};
    void *here[ROWS], *there[ROWS];
    armci_giov_t v = {here, there, (int)rows->bytes, ROWS};
    armci_hdl_t handle = new_handle();
    p.stride[LOCAL][0] = (int)rows->stride[0];
    p.stride[REMOTE][0] = (int)rows->stride[1];
    if (call == AGGREGATED_ROWS) ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (int i = 0; i < ROWS; i++) {
        here[i] = local + (size_t)i * rows->stride[0];
        there[i] = remote + (size_t)i * rows->stride[1];
        if (call == AGGREGATED_ROWS)
            op_contiguous(op, here[i], there[i], rows->bytes, target, &handle);
    }
    if (call == STRIDED_ROWS)
        op_strided(op, local, remote, &p, target, &handle);
    else if (call == VECTOR_ROWS)
        op_vector(op, &v, 1, target, &handle);
    op_wait(op, &handle);
    if (call == AGGREGATED_ROWS) ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
}

/* All ranks add the same numbers to the same rows of rank 0, whose bytes between the rows stay as
 * they are. */
static void add_everywhere(int type, enum call_of_rows call, const struct rows *rows, size_t shift)
{
    enum { TIMES = 4, GAP = 0x3c };
    size_t room = shift + ROWS * rows->stride[1], local_room = 3 + ROWS * rows->stride[0];
    struct op op = {
        .kind = OP_ACC, .how = call == STRIDED_ROWS ? OP_BLOCKING : OP_HANDLE, .type = type};
    char *local = need_memory(local_room), *wanted = need_memory(room), *seen = need_memory(room);
    void **base = region_create(room);
    struct rng r = rng_stream(29500);
    op.scale = call == VECTOR_ROWS ? scale_one(type) : scale_other(type, &r);
    memset(wanted, GAP, room);
    for (size_t i = 0; i < ROWS; i++) {
        element_fill(type, &r, local + 3 + i * rows->stride[0], rows->bytes);
        memset(wanted + shift + i * rows->stride[1], 0, rows->bytes);
    }
    if (test_rank() == 0) check_long(ARMCI_Put(wanted, base[0], (int)room, 0), 0, "ARMCI_Put");
    ARMCI_Barrier();
    for (int i = 0; i < TIMES; i++)
        add_rows(&op, call, rows, local + 3, (char *)base[0] + shift, 0);
    for (int i = 0; i < TIMES * test_ranks(); i++)
        for (size_t row = 0; row < ROWS; row++)
            op_model(&op, local + 3 + row * rows->stride[0], wanted + shift + row * rows->stride[1],
                     rows->bytes);
    ARMCI_Barrier();
    ARMCI_Get(base[0], seen, (int)room, 0);
    check_bytes(seen, wanted, room, "rows of %d %s, %zu bytes apart, from byte %zu on: sums",
                rows->n, element_name(type), rows->stride[1], shift);
    region_done(base);
    free(local);
    free(wanted);
    free(seen);
}

static void test_odd_strides(void)
{
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
        for (size_t between = 1; between <= MOST_BETWEEN; between += 7)
            for (enum call_of_rows call = 0; call < CALLS; call++) {
                size_t n = (between + (size_t)call) % 2 ? 5 : 1;
                struct rows rows = {.n = (int)n, .bytes = n * element_size(type)};
                rows.stride[0] = rows.bytes + 5;
                rows.stride[1] = rows.bytes + between;
                add_everywhere(type, call, &rows, (between + (size_t)call) % 8);
            }
}

/* Elements that overlap one another in part have no meaningful sum; nothing else is touched, and
 * all calls succeed. */
static void test_partial_overlaps(void)
{
    enum { GAP = 0x3c, EDGE = 16, HULL = 8 + 3 * 19, ROOM = 2 * EDGE + HULL };
    void **base = region_create(ROOM);
    int target = (test_rank() + 1) % test_ranks(), stride = 3, count[] = {8, 20};
    unsigned char edge[ROOM], seen[ROOM];
    double one = 1, ones[20];
    void *here[20], *there[20];
    armci_giov_t v = {here, there, 8, 20};
    memset(edge, GAP, ROOM);
    for (int i = 0; i < 20; i++) {
        ones[i] = i;
        here[i] = ones + i;
        there[i] = (char *)base[target] + EDGE + (i * 7 % 20) * 3;
    }
    ARMCI_Put(edge, base[target], ROOM, target);
    check_long(ARMCI_AccS(ARMCI_ACC_DBL, &one, ones, (int[]){8}, (char *)base[target] + EDGE,
                          &stride, count, 1, target),
               0, "ARMCI_AccS, doubles 3 bytes apart");
    check_long(ARMCI_AccV(ARMCI_ACC_DBL, &one, &v, 1, target), 0,
               "ARMCI_AccV, doubles 3 bytes apart");
    ARMCI_Get(base[target], seen, ROOM, target);
    check_bytes(seen, edge, EDGE, "bytes before doubles that overlap");
    check_bytes(seen + EDGE + HULL, edge, EDGE, "bytes behind doubles that overlap");
    region_done(base);
}

static void test_precision(void)
{
    void **base = region_create(16);
    int target = (test_rank() + 1) % test_ranks();
    long l = (1L << 40) + 1, l_scale = (1L << 20) + 3, l_seen = 5;
    double d = 1099511627777.0, d_scale = 3, d_seen = 0.5;
    ARMCI_Put(&l_seen, base[target], 8, target);
    ARMCI_Put(&d_seen, (char *)base[target] + 8, 8, target);
    ARMCI_Acc(ARMCI_ACC_LNG, &l_scale, &l, base[target], 8, target);
    ARMCI_Acc(ARMCI_ACC_DBL, &d_scale, &d, (char *)base[target] + 8, 8, target);
    ARMCI_Get(base[target], &l_seen, 8, target);
    ARMCI_Get((char *)base[target] + 8, &d_seen, 8, target);
    check_long(l_seen, 5 + l * l_scale, "ARMCI_Acc long of 2^40 + 1 scaled by 2^20 + 3");
    check_double(d_seen, 0.5 + d * d_scale, "ARMCI_Acc double of 2^40 + 1 scaled by 3");
    region_done(base);
}

static void test_scales(void)
{
    void **base = region_create(64);
    int target = (test_rank() + 1) % test_ranks();
    float start[4] = {1, 2, 3, 4}, add[4] = {10, 20, 30, 40}, seen[4], i_unit[2] = {0, 1};
    float zero = 0, minus = -1, turned[4] = {1 - 20, 2 + 10, 3 - 40, 4 + 30},
          less[4] = {-9, -18, -27, -36};
    ARMCI_Put(start, base[target], 16, target);
    ARMCI_Acc(ARMCI_ACC_FLT, &zero, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, start, 16, "ARMCI_Acc float with scale 0");
    ARMCI_Acc(ARMCI_ACC_FLT, &minus, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, less, 16, "ARMCI_Acc float with scale -1");
    ARMCI_Put(start, base[target], 16, target);
    ARMCI_Acc(ARMCI_ACC_CPL, i_unit, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, turned, 16, "ARMCI_Acc complex with scale i");
    region_done(base);
}

#define RUNS(...) ROWS(run_all, struct runs, __VA_ARGS__)

static const struct test tests[] = {
    {"all ranks on the same elements: contiguous",
     RUNS({CONTIGUOUS, CONTIGUOUS, OP_BLOCKING, 100})},
    {"all ranks on overlapping strided patches", RUNS({STRIDED, STRIDED, OP_BLOCKING, 100})},
    {"all ranks on overlapping vectors", RUNS({VECTOR, VECTOR, OP_BLOCKING, 100})},
    {"contiguous, strided and vector at once", RUNS({CONTIGUOUS, VECTOR, OP_BLOCKING, 120})},
    {"non-blocking accumulates, many outstanding",
     RUNS({CONTIGUOUS, CONTIGUOUS, OP_HANDLE, 60}, {STRIDED, STRIDED, OP_HANDLE, 60},
          {CONTIGUOUS, VECTOR, OP_HANDLE, 60}, {CONTIGUOUS, VECTOR, OP_IMPLICIT, 60})},
    {"unaligned elements", test_unaligned},
    {"rows an odd number of bytes apart", test_odd_strides},
    {"elements that overlap in part", test_partial_overlaps},
    {"long and double keep their precision", test_precision},
    {"scales 0, -1 and i", test_scales},
};
SUITE();
