/* test_order.c - location consistency: a process sees its own blocking operations on one target in
 * the order issued, whatever their form; and non-blocking ones that it has waited for. */
#include "mixture.h"

/* A large lane, and a few elements that all operations meet on. */
static void test_mixture(void)
{
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
        for (int large = 0; large < 2; large++) {
            struct mixture m = mixture_create(type, large ? 32 * 1024 : 6 * element_size(type),
                                              60000 + 100 * (uint64_t)type);
            for (int i = 0; i < effort(large ? 250 : 1500); i++)
                mixture_step(&m);
            mixture_end(&m, "a mixture of all operations");
        }
}

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

/* Put, get or accumulate p->bytes bytes, contiguous or as doubles one by one (the same bytes). */
static void issue(const struct pair *p, enum op_kind kind, bool in_pieces, double *local)
{
    struct op op = {
        .kind = kind, .how = OP_BLOCKING, .type = ARMCI_ACC_DBL, .scale.d = {scale_of_pairs}};
    struct patch shape = {
        .levels = 2, .count = {8, (int)(p->bytes / 16), 2}, .stride = {{16, 8}, {16, 8}}};
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
            check_long(seen[(k * 331) % n], 7 * k + t,
                       "ARMCI_Get at %d after %d ARMCI_Put of 8 bytes, element %ld", t, n, k);
    }
    region_done(base);
}

/* The buffer of a blocking put may be reused at once, that of a non-blocking one after Wait. */
static void test_buffer_reuse(void)
{
    enum { N = 300, BYTES = 4000 };
    int n = effort(N), target = (test_rank() + 1) % test_ranks();
    struct lanes l = lanes_create((size_t)n * BYTES, 16);
    struct rng r = rng_stream(71000 + (uint64_t)test_rank());
    static char buffer[BYTES];
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

#define PAIR(FIRST, SECOND) ONE_ROW(run_pairs, struct kinds, FIRST, SECOND)

static const struct test tests[] = {
    {"any mixture of operations stays in order", test_mixture},
    {"put, put, get", PAIR(OP_PUT, OP_PUT)},
    {"put, accumulate, get", PAIR(OP_PUT, OP_ACC)},
    {"accumulate, put, get", PAIR(OP_ACC, OP_PUT)},
    {"accumulate, accumulate, get", PAIR(OP_ACC, OP_ACC)},
    {"many small puts, one get", test_many_puts_one_get},
    {"a put's buffer may be reused", test_buffer_reuse},
};
SUITE();
