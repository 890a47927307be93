/* test_order.c - a process sees what it put and accumulated in the order issued, in all sizes:
 * pairs of operations, contiguous or strided; the random programs mix all kinds. */
#include "lanes.h"
#include "op.h"

static const int sizes[] = {8, 64, 512, 8208, 160000, 600000}; /* 8, or multiples of 16 */
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 600000 };

/* Buffers of LARGEST bytes for one pair: what is sent first, then, and what comes back. */
struct pair {
    char *remote;
    double *first, *second, *back, *model;
    size_t bytes;
    int target;
};

static const double scale_of_pairs = 2;

/* Put, get or accumulate p->bytes bytes, contiguous or in rows (the same bytes): of a double, of
 * 250 doubles where there are most bytes, since windows take 2 s for a million rows. */
static void issue(const struct pair *p, enum op_kind kind, bool in_pieces, double *local)
{
    struct op op = {
        .kind = kind, .how = OP_BLOCKING, .type = ARMCI_ACC_DBL, .scale.d = {scale_of_pairs}};
    int row = p->bytes == LARGEST ? 2000 : 8;
    struct patch shape = {.levels = 2,
                          .count = {row, (int)p->bytes / row / 2, 2},
                          .stride = {{2 * row, row}, {2 * row, row}}};
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

/* first and second (put or acc), then a get: what is seen must be the model; pieces: bit i says
 * operation i is strided. */
static void try_pair(struct rng *r, struct pair *p, enum op_kind first, enum op_kind second,
                     unsigned pieces)
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
    check_bytes(p->back, p->model, p->bytes, "%s, %s, get of %zu bytes at %d (strided: %u)",
                names[first], names[second], p->bytes, p->target, pieces);
}

struct kinds {
    enum op_kind first, second;
};

static void run_pairs(const void *row)
{
    const struct kinds *kinds = row;
    int n = test_ranks() <= 2 ? SIZES : SIZES - 2;
    struct lanes l = lanes_create((size_t)sizes[n - 1], 16);
    struct rng r = rng_stream(70000 + (uint64_t)test_rank());
    struct pair p = {.first = need_memory(LARGEST),
                     .second = need_memory(LARGEST),
                     .back = need_memory(LARGEST)};
    for (int t = 0; t < test_ranks(); t = next_distance(t)) {
        p.target = (test_rank() + t) % test_ranks();
        p.remote = lanes_remote(&l, p.target);
        p.model = (double *)(void *)lanes_mirror(&l, p.target);
        for (int s = 0; s < n; s++) {
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

#define PAIR(FIRST, SECOND) ONE_ROW(run_pairs, struct kinds, FIRST, SECOND)

/* A vector of many short segments and a long one, which am carries, is under way when a contiguous
 * put or get meets a short segment. By the route rdma another transport carries that. */
static void long_behind_short(void)
{
    enum { SEGMENTS = 800, BYTES = 70000, ROUNDS = 200 };
    static long data[SEGMENTS];
    static char rest[BYTES];
    void *base[MOST_RANKS], *from[SEGMENTS], *to[SEGMENTS], *long_from = rest, *long_to;
    ARMCI_Malloc(base, 2 * sizeof data + BYTES);
    const int target = test_ranks() - 1 - test_rank();
    long *there = base[target], seen;
    long_to = there + 2 * SEGMENTS;
    for (int i = 0; i < SEGMENTS; i++) {
        from[i] = &data[i];
        to[i] = &there[2 * i];
    }
    armci_giov_t vector[] = {{from, to, sizeof data[0], SEGMENTS},
                             {&long_from, &long_to, BYTES, 1}};
    ARMCI_Barrier();
    for (long i = 1; i <= ROUNDS; i++) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        data[SEGMENTS - 1] = i;
        ARMCI_NbPutV(vector, 2, target, &handle);
        long expected = i % 2 ? i : -i;
        if (i % 2 == 0) ARMCI_Put(&expected, to[SEGMENTS - 1], sizeof expected, target);
        ARMCI_Get(to[SEGMENTS - 1], &seen, sizeof seen, target);
        bool right = check_long(seen, expected, "behind a vector put, in round %ld", i);
        ARMCI_Wait(&handle);
        ARMCI_Fence(target);
        ARMCI_Get(to[SEGMENTS - 1], &seen, sizeof seen, target);
        if (!check_long(seen, expected, "at the end of round %ld", i) || !right) break;
    }
    ARMCI_Barrier();
    ARMCI_Free(base[test_rank()]);
}

static const struct test tests[] = {
    {"put, put, get", PAIR(OP_PUT, OP_PUT)},
    {"put, accumulate, get", PAIR(OP_PUT, OP_ACC)},
    {"accumulate, put, get", PAIR(OP_ACC, OP_PUT)},
    {"accumulate, accumulate, get", PAIR(OP_ACC, OP_ACC)},
    {"a vector of short segments and a long one, then a put or a get", long_behind_short},
};
SUITE();
