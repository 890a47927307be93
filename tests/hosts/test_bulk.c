/* test_bulk.c - jobs that span nodes: much data in many messages at once, in both directions,
 * beside loads and stores of neighbours: no message may be taken for another. */
#include "../mpi/lanes.h"
#include "../mpi/op.h"

static const int burst_sizes[] = {8, 48, 1000, 8192, 20000, 70000};
enum { BURST = sizeof burst_sizes / sizeof *burst_sizes, BURST_ROOM = 100000 };

/* Put, accumulate or get pieces of all sizes with everybody without waiting; then wait in any
 * order. */
static void burst_of(enum op_kind kind, struct lanes *l, struct rng *r)
{
    int n = test_ranks(), order[64 * BURST];
    struct op op = {
        .kind = kind, .how = OP_HANDLE, .type = ARMCI_ACC_DBL, .scale = scale_one(ARMCI_ACC_DBL)};
    armci_hdl_t *handle = need_memory((size_t)(n * BURST) * sizeof *handle);
    unsigned char *local = need_memory((size_t)n * BURST_ROOM);
    element_fill(ARMCI_ACC_DBL, r, local, (size_t)n * BURST_ROOM);
    rng_permutation(r, n * BURST, order);
    for (int k = 0; k < n * BURST; k++) {
        int i = order[k], target = i / BURST;
        size_t at = 0, bytes = (size_t)burst_sizes[i % BURST];
        for (int j = 0; j < i % BURST; j++)
            at += (size_t)burst_sizes[j];
        ARMCI_INIT_HANDLE(&handle[i]);
        op_contiguous(&op, local + target * BURST_ROOM + at, lanes_remote(l, target) + at, bytes,
                      target, &handle[i]);
        if (kind != OP_GET)
            op_model(&op, local + target * BURST_ROOM + at, lanes_mirror(l, target) + at, bytes);
    }
    rng_shuffle(r, order, n * BURST);
    for (int k = 0; k < n * BURST; k++)
        op_wait(&op, &handle[order[k]]);
    if (kind == OP_GET)
        for (int t = 0; t < n; t++)
            check_bytes(local + t * BURST_ROOM, lanes_mirror(l, t), 99248,
                        "gets of all sizes from %d at once", t);
    free(local);
    free(handle);
}

static void bursts(void)
{
    struct lanes l = lanes_create(BURST_ROOM, 16);
    struct rng r = rng_stream(84000 + (uint64_t)test_rank());
    for (int i = 0; i < effort(24); i++) {
        burst_of(OP_PUT, &l, &r);
        burst_of(OP_ACC, &l, &r);
        burst_of(OP_GET, &l, &r);
    }
    lanes_end(&l, "bursts to everybody");
}

/* A piece of every form: in one, as 10 rows with gaps, as 100 segments in falling order. */
static void cross_one(struct rng *r, const struct op *op, struct lanes *l, unsigned char *local,
                      unsigned char *model, int target)
{
    size_t part = 8 * (size_t)rng_between(r, 2, rng_chance(r, 50) ? 30 : 100), all = 100 * part;
    struct patch rows = {.levels = 1,
                         .count = {(int)(10 * part), 10},
                         .stride = {{(int)(10 * part)}, {(int)(12 * part)}}};
    struct sides sides = {local, model, lanes_remote(l, target), lanes_mirror(l, target), target};
    size_t from[100], to[100];
    int form = rng_between(r, 0, 2);
    armci_hdl_t handle = new_handle();
    for (size_t i = 0; i < 100; i++) {
        from[i] = i * part;
        to[i] = (99 - i) * part;
    }
    if (form == 0)
        op_bytes(op, &sides, 0, 0, all, &handle);
    else if (form == 1)
        op_patch(op, &sides, &rows, &handle);
    else
        op_segments(op, &sides, 100, part, from, to, &handle);
    op_wait(op, &handle);
}

/* Neighbours in rank do the opposite of each other at the same time: one puts or accumulates, the
 * other gets. */
static void crossing(void)
{
    int me = test_rank(), n = test_ranks();
    struct lanes l = lanes_create(120 * 800, 16);
    struct rng r = rng_stream(85000 + (uint64_t)me);
    unsigned char *local = need_memory(100 * 800), *model = need_memory(100 * 800);
    for (int i = 0; i < effort(600); i++) {
        int target = (me + 1 + i / 2 % n) % n;
        enum op_kind update = rng_chance(&r, 70) ? OP_PUT : OP_ACC;
        struct op op = {.kind = (i + me) % 2 ? update : OP_GET,
                        .how = (enum op_how)rng_between(&r, OP_BLOCKING, OP_IMPLICIT),
                        .type = ARMCI_ACC_DBL,
                        .scale = scale_one(ARMCI_ACC_DBL)};
        element_fill(ARMCI_ACC_DBL, &r, local, 100 * 800);
        memcpy(model, local, 100 * 800);
        cross_one(&r, &op, &l, local, model, target);
        check_bytes(local, model, 100 * 800, "local side of %s with %d", op_name(&op, ""), target);
    }
    lanes_end(&l, "large transfers in both directions");
    free(local);
    free(model);
}

static const struct test tests[] = {
    {"many non-blocking operations to everybody at once", bursts},
    {"large transfers in both directions at once", crossing},
};
SUITE();
