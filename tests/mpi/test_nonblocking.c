/* test_nonblocking.c - handles: where they lie, thousands of them, and Test; aggregate handles with
 * requests of all forms; what else they do is in the random programs. */
#include <armcix.h>

#include "lanes.h"
#include "op.h"

enum { CELL = 16, TIMEOUT = 10 /* seconds */ };

/* A lane of cells of 16 bytes each on every target: operation i of a test uses cell i, here and
 * there. */
struct cells {
    struct lanes lanes;
    unsigned char *local, *expected;
    int n;
};

static struct cells cells_create(int n, uint64_t stream)
{
    struct cells c = {.lanes = lanes_create((size_t)n * CELL, 16), .n = n};
    struct rng r = rng_stream(90000 + 100 * stream + (uint64_t)test_rank());
    c.local = need_memory((size_t)n * CELL);
    c.expected = need_memory((size_t)n * CELL);
    element_fill(ARMCI_ACC_LNG, &r, c.lanes.mirror, (size_t)test_ranks() * (size_t)n * CELL);
    element_fill(ARMCI_ACC_LNG, &r, c.local, (size_t)n * CELL);
    memcpy(c.expected, c.local, (size_t)n * CELL);
    lanes_load(&c.lanes);
    return c;
}

/* Issue an operation of that kind on cell i of the target, non-blocking with the handle (NULL:
 * implicit). */
static void issue(struct cells *c, enum op_kind kind, int i, int target, armci_hdl_t *hdl)
{
    struct op op = {.kind = kind,
                    .how = hdl ? OP_HANDLE : OP_IMPLICIT,
                    .type = ARMCI_ACC_LNG,
                    .scale.l = i % 2 ? 1 : -2};
    size_t at = (size_t)i * CELL;
    op_contiguous(&op, c->local + at, lanes_remote(&c->lanes, target) + at, CELL, target, hdl);
    op_model(&op, c->expected + at, lanes_mirror(&c->lanes, target) + at, CELL);
}

/* Both sides are as they should be. */
static void cells_end(struct cells *c, const char *what)
{
    check_bytes(c->local, c->expected, (size_t)c->n * CELL, "%s: local buffers", what);
    lanes_end(&c->lanes, what);
    free(c->local);
    free(c->expected);
}

static enum op_kind kind_of(int i)
{
    return (enum op_kind)(i % 3);
}

static int target_of(int i)
{
    return (test_rank() + i / 3) % test_ranks();
}

static void check_cell(const struct cells *c, int i, const char *what)
{
    check_bytes(c->local + i * CELL, c->expected + i * CELL, CELL, "%s: operation %d", what, i);
}

static int test_until_complete(armci_hdl_t *handle)
{
    int state = 1;
    for (double begun = MPI_Wtime(); state != 0 && MPI_Wtime() - begun < TIMEOUT;)
        state = ARMCI_Test(handle);
    return state;
}

static void test_tests(void)
{
    struct cells c = cells_create(effort(90), 4);
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < c.n; i++) {
        issue(&c, kind_of(i), i, target_of(i), &handle);
        check_long(test_until_complete(&handle), 0, "ARMCI_Test in the end");
        check_cell(&c, i, "ARMCI_Test");
    }
    cells_end(&c, "ARMCI_Test");
}

/* One operation a handle, waited for in any order. */
static void test_many_handles(void)
{
    struct cells c = cells_create(effort(5000), 5);
    struct rng r = rng_stream(8);
    armci_hdl_t *handle = need_memory((size_t)c.n * sizeof *handle);
    int *order = need_memory((size_t)c.n * sizeof *order);
    for (int i = 0; i < c.n; i++) {
        ARMCI_INIT_HANDLE(&handle[i]);
        issue(&c, kind_of(i), i, target_of(i), &handle[i]);
    }
    rng_permutation(&r, c.n, order);
    for (int k = 0; k < c.n; k++) {
        check_long(ARMCI_Wait(&handle[order[k]]), 0, "many handles: ARMCI_Wait: code");
        check_cell(&c, order[k], "many handles");
    }
    cells_end(&c, "many handles");
    free(order);
    free(handle);
}

/* GA keeps a handle inside a list node: its neighbours must stay as they are. */
static void test_handle_bounds(void)
{
    struct node {
        uint32_t before[4];
        armci_hdl_t handle;
        uint32_t after[8];
    } node, kept;
    struct cells c = cells_create(60, 3);
    check_long((long)sizeof(armci_hdl_t), 8, "sizeof(armci_hdl_t)");
    memset(&node, 0x3c, sizeof node);
    kept = node;
    for (int i = 0; i < c.n; i++) {
        if (i % 2) ARMCI_INIT_HANDLE(&node.handle);
        if (i % 20 == 19) ARMCI_SET_AGGREGATE_HANDLE(&node.handle);
        issue(&c, kind_of(i), i, target_of(i), &node.handle);
        ARMCI_Test(&node.handle);
        check_long(ARMCI_Wait(&node.handle), 0, "ARMCI_Wait: code");
        if (i % 20 == 19) ARMCI_UNSET_AGGREGATE_HANDLE(&node.handle);
        check_bytes(node.before, kept.before, sizeof node.before, "memory before the handle");
        check_bytes(node.after, kept.after, sizeof node.after, "memory behind the handle");
    }
    cells_end(&c, "handle inside a struct");
}

static void test_large(void)
{
    enum { BIG = 1024 * 1024 };
    struct lanes l = lanes_create(2 * BIG, 16);
    struct rng r = rng_stream(15 + (uint64_t)test_rank());
    int target = (test_rank() + 1) % test_ranks();
    char *out = need_memory(BIG), *in = need_memory(BIG);
    armci_hdl_t put, get;
    rng_bytes(&r, l.mirror, (size_t)test_ranks() * 2 * BIG);
    lanes_load(&l);
    rng_bytes(&r, out, BIG);
    ARMCI_INIT_HANDLE(&put);
    ARMCI_INIT_HANDLE(&get);
    check_long(ARMCI_NbGet(lanes_remote(&l, target) + BIG, in, BIG, target, &get), 0,
               "ARMCI_NbGet: code");
    check_long(ARMCI_NbPut(out, lanes_remote(&l, target), BIG, target, &put), 0,
               "ARMCI_NbPut: code");
    memcpy(lanes_mirror(&l, target), out, BIG);
    check_long(ARMCI_Wait(&put), 0, "ARMCI_Wait: code");
    memset(out, 0, BIG);
    check_long(ARMCI_Wait(&get), 0, "ARMCI_Wait: code");
    check_bytes(in, lanes_mirror(&l, target) + BIG, BIG, "ARMCI_NbGet of 1 MiB");
    lanes_end(&l, "ARMCI_NbPut of 1 MiB");
    free(out);
    free(in);
}

/* ---- aggregate handles ---- */

/* The two halves of cell i as rows or as segments, the upper one first. The description of the
 * request ends with the call. */
static void issue_halves(struct cells *c, enum op_kind kind, bool as_vector, int i, int target,
                         armci_hdl_t *hdl)
{
    enum { HALF = CELL / 2 };
    struct op op = {.kind = kind, .how = OP_HANDLE, .type = ARMCI_ACC_LNG, .scale.l = 1};
    size_t at = (size_t)i * CELL;
    char *local = (char *)c->local + at, *remote = lanes_remote(&c->lanes, target) + at;
    char *from = kind == OP_GET ? remote : local, *to = kind == OP_GET ? local : remote;
    void *sources[2] = {from + HALF, from}, *places[2] = {to + HALF, to};
    armci_giov_t iov = {sources, places, HALF, 2};
    int stride = -HALF, count[2] = {HALF, 2};
    long one = 1;
    if (as_vector)
        op_vector(&op, &iov, 1, target, hdl);
    else if (kind == OP_PUT)
        ARMCI_NbPutS(from + HALF, &stride, to + HALF, &stride, count, 1, target, hdl);
    else if (kind == OP_GET)
        ARMCI_NbGetS(from + HALF, &stride, to + HALF, &stride, count, 1, target, hdl);
    else
        ARMCI_NbAccS(ARMCI_ACC_LNG, &one, from + HALF, &stride, to + HALF, &stride, count, 1,
                     target, hdl);
    memset(sources, 0xff, sizeof sources);
    memset(places, 0xff, sizeof places);
    memset(&iov, 0xff, sizeof iov);
    one = stride = count[0] = count[1] = 1000000;
    op_model(&op, c->expected + at, lanes_mirror(&c->lanes, target) + at, CELL);
}

static long operations(void)
{
    unsigned long by[ARMCIX_RMA_CONSERVATIVE + 1];
    long sum = 0;
    ARMCIX_Counters(by, (int)(sizeof by / sizeof *by));
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        sum += (long)by[i];
    return sum;
}

/* Requests of these kinds in all forms, to all targets in turn, on one handle. */
static void collect(struct cells *c, int kinds, armci_hdl_t *many)
{
    for (int i = 0; i < c->n; i++) {
        const enum op_kind kind = (enum op_kind)(i % kinds);
        if (i / kinds % 3 == 2)
            issue(c, kind, i, target_of(i), many);
        else
            issue_halves(c, kind, i / kinds % 3 == 1, i, target_of(i), many);
    }
    check_long(ARMCI_Wait(many), 0, "an aggregate handle: ARMCI_Wait: code");
}

static void test_aggregate(void)
{
    const int kinds = 2; /* puts and gets: some MPI libraries accumulate no vectors */
    armci_hdl_t many = new_aggregate();
    for (int turn = 0; turn < 2; turn++) {
        struct cells c = cells_create(1200, 20 + (uint64_t)turn);
        long before = operations();
        collect(&c, kinds, &many);
        long issued = operations() - before;
        check(issued <= 2L * test_ranks(),
              "%d puts and gets of %d processes on an aggregate handle are %ld operations", c.n,
              test_ranks(), issued);
        cells_end(&c, "puts and gets on an aggregate handle");
    }
    struct cells c = cells_create(1200, 22);
    collect(&c, kinds + 1, &many);
    ARMCI_UNSET_AGGREGATE_HANDLE(&many);
    cells_end(&c, "an aggregate handle");
}

/* Puts of any length and form on the same bytes are done in their order. */
static void test_overlapping_puts(void)
{
    enum { LANE = 48 << 10, LONGEST = 40 << 10, PUTS = 60 };
    struct lanes l = lanes_create(LANE, 16);
    struct rng r = rng_stream(7000 + (uint64_t)test_rank());
    int target = (test_rank() + 1) % test_ranks();
    char *local = need_memory(LANE);
    armci_hdl_t many = new_aggregate();
    rng_bytes(&r, (unsigned char *)local, LANE);
    lanes_load(&l);
    for (int i = 0; i < PUTS; i++) {
        int bytes = rng_between(&r, 1, i % 5 == 4 ? LONGEST : 300), rows = i % 3 == 0 ? 1 : 2;
        size_t at = (size_t)rng_between(&r, 0, i % 2 ? 600 : LANE - bytes) % (size_t)(LANE - bytes),
               from = (size_t)rng_between(&r, 0, LANE - bytes);
        int length = bytes / rows, near = length, far = length > 2 ? length - 1 : length;
        int count[2] = {length, rows};
        if (rows == 1)
            ARMCI_NbPut(local + from, lanes_remote(&l, target) + at, bytes, target, &many);
        else
            ARMCI_NbPutS(local + from, &near, lanes_remote(&l, target) + at, &far, count, 1, target,
                         &many);
        for (int row = 0; row < rows; row++)
            memcpy(lanes_mirror(&l, target) + at + row * far, local + from + row * near,
                   (size_t)length);
    }
    check_long(ARMCI_Wait(&many), 0, "overlapping puts: ARMCI_Wait: code");
    ARMCI_UNSET_AGGREGATE_HANDLE(&many);
    lanes_end(&l, "overlapping puts on an aggregate handle");
    free(local);
}

static const struct test tests[] = {
    {"nothing outside the 8 bytes of a handle is written", test_handle_bounds},
    {"thousands of handles, any order of Wait", test_many_handles},
    {"Test returns 0 in the end", test_tests},
    {"large non-blocking transfers", test_large},
    {"an aggregate handle makes few operations of many", test_aggregate},
    {"overlapping puts on an aggregate handle", test_overlapping_puts},
};
SUITE();
