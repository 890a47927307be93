/* test_nonblocking.c - handles: explicit, implicit, reused, uninitialised, many at a time, many operations on one;
 * Wait, Test, WaitProc, WaitAll. */
#include "lanes.h"
#include "op.h"

enum { CELL = 16, TIMEOUT = 10 /* seconds */ };

/* A lane of cells of 16 bytes each on every target: operation i of a test uses cell i, here and there. */
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

/* Issue an operation of that kind on cell i of the target, non-blocking with the handle (NULL: implicit). */
static void issue(struct cells *c, enum op_kind kind, int i, int target, armci_hdl_t *hdl)
{
    struct op op = {.kind = kind, .how = hdl ? OP_HANDLE : OP_IMPLICIT, .type = ARMCI_ACC_LNG, .scale.l = i % 2 ? 1 : -2};
    size_t at = (size_t)i * CELL;
    op_contiguous(&op, c->local + at, lanes_remote(&c->lanes, target) + at, CELL, target, hdl);
    op_model(&op, c->expected + at, lanes_mirror(&c->lanes, target) + at, CELL);
}

static void check_local(const struct cells *c, const char *what)
{
    check_bytes(c->local, c->expected, (size_t)c->n * CELL, "%s: local buffers", what);
}

/* Both sides are as they should be. */
static void cells_end(struct cells *c, const char *what)
{
    check_local(c, what);
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

static void test_handle_reused(void)
{
    struct cells c = cells_create(effort(600), 1);
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < c.n; i++) {
        issue(&c, kind_of(i), i, target_of(i), &handle);
        check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of a handle used %d times: code", i + 1);
        check_bytes(c.local + i * CELL, c.expected + i * CELL, CELL, "operation %d with a reused handle", i);
    }
    cells_end(&c, "one handle, again and again");
}

static void test_handle_garbage(void)
{
    struct cells c = cells_create(effort(600), 2);
    struct rng r = rng_stream(3);
    for (int i = 0; i < c.n; i++) {
        armci_hdl_t handle;
        if (i < 4)
            memset(&handle, i < 2 ? 0 : 0xff, sizeof handle);
        else if (i % 2)
            rng_bytes(&r, &handle, sizeof handle);
        else
            handle = (armci_hdl_t){(unsigned)i % 9, (unsigned)i % 5};
        issue(&c, kind_of(i), i, target_of(i), &handle);
        check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of a handle that was not initialised: code");
        check_bytes(c.local + i * CELL, c.expected + i * CELL, CELL, "operation %d, handle not initialised", i);
    }
    cells_end(&c, "handles that were not initialised");
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

static void test_handle_copied(void)
{
    struct cells c = cells_create(30, 4);
    for (int i = 0; i < c.n; i++) {
        armci_hdl_t handle, copy;
        ARMCI_INIT_HANDLE(&handle);
        issue(&c, kind_of(i), i, target_of(i), &handle);
        copy = handle;
        memset(&handle, 0xdd, sizeof handle);
        check_long(ARMCI_Wait(&copy), 0, "ARMCI_Wait of a copied handle: code");
    }
    cells_end(&c, "copied handles");
}

static void test_unused_handle(void)
{
    armci_hdl_t handle = new_handle();
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of a handle without operations: code");
    check_long(ARMCI_Test(&handle), 0, "ARMCI_Test of a handle without operations");
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait a second time: code");
    check_long(ARMCI_Wait(NULL), 0, "ARMCI_Wait(NULL) without operations: code");
    check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll without operations: code");
    for (int t = 0; t < test_ranks(); t++)
        check_long(ARMCI_WaitProc(t), 0, "ARMCI_WaitProc(%d) without operations: code", t);
}

static void test_one_handle_for_all(void)
{
    struct cells c = cells_create(effort(3000), 5);
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < c.n; i++)
        issue(&c, kind_of(i), i, target_of(i), &handle);
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of a handle with %d operations: code", c.n);
    cells_end(&c, "one handle, many operations");
}

/* Several regions and shapes on one handle: contiguous in one, strided in the other. */
static void test_one_handle_two_regions(void)
{
    struct cells one = cells_create(100, 6), other = cells_create(200, 7);
    struct patch p = {.levels = 1, .count = {8, 2}, .stride = {{CELL}, {CELL}}};
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < one.n; i++) {
        int target = target_of(i);
        size_t at = 2 * (size_t)i * CELL;
        struct op op = {.kind = kind_of(i), .how = OP_HANDLE, .type = ARMCI_ACC_LNG, .scale.l = 3};
        issue(&one, kind_of(i + 1), i, target, &handle);
        struct sides sides = {other.local + at, other.expected + at, lanes_remote(&other.lanes, target) + at,
                              lanes_mirror(&other.lanes, target) + at, target};
        op_patch(&op, &sides, &p, &handle);
    }
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of a handle over two regions: code");
    cells_end(&one, "one handle, two regions: contiguous");
    cells_end(&other, "one handle, two regions: strided");
}

static void test_many_handles(void)
{
    struct cells c = cells_create(effort(5000), 8);
    armci_hdl_t *handles = need_memory((size_t)c.n * sizeof *handles);
    int *order = need_memory((size_t)c.n * sizeof *order);
    struct rng r = rng_stream(8);
    for (int i = 0; i < c.n; i++) {
        ARMCI_INIT_HANDLE(&handles[i]);
        issue(&c, kind_of(i), i, target_of(i), &handles[i]);
    }
    rng_permutation(&r, c.n, order);
    for (int i = 0; i < c.n; i++) {
        int k = order[i];
        check_long(ARMCI_Wait(&handles[k]), 0, "ARMCI_Wait of one of %d handles: code", c.n);
        check_bytes(c.local + k * CELL, c.expected + k * CELL, CELL, "operation %d of %d outstanding", k, c.n);
    }
    cells_end(&c, "many handles");
    free(handles);
    free(order);
}

static void test_implicit(void)
{
    struct cells c = cells_create(effort(3000), 9);
    for (int i = 0; i < c.n; i++) {
        issue(&c, kind_of(i), i, target_of(i), NULL);
        if (i % 500 == 499) check_long(ARMCI_Wait(NULL), 0, "ARMCI_Wait(NULL): code");
    }
    check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll: code");
    cells_end(&c, "implicit handle");
}

/* Nothing is waited for but by the barrier: puts and accumulates are in place after it. */
static void test_barrier_completes(void)
{
    struct cells c = cells_create(200, 10);
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < c.n; i++)
        issue(&c, i % 2 ? OP_PUT : OP_ACC, i, target_of(i), i % 3 ? NULL : &handle);
    lanes_verify(&c.lanes, "operations that only the barrier completes");
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait after the barrier: code");
    check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll after the barrier: code");
    cells_end(&c, "operations after the barrier");
}

static void test_wait_proc(void)
{
    struct cells c = cells_create(300, 11);
    armci_hdl_t handle = new_handle();
    for (int i = 0; i < c.n; i++)
        issue(&c, kind_of(i), i, target_of(i), i % 2 ? &handle : NULL);
    for (int t = 0; t < test_ranks(); t++) {
        check_long(ARMCI_WaitProc(t), 0, "ARMCI_WaitProc(%d): code", t);
        for (int i = 0; i < c.n; i++)
            if (target_of(i) == t)
                check_bytes(c.local + i * CELL, c.expected + i * CELL, CELL, "operation %d after ARMCI_WaitProc(%d)", i, t);
    }
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait after ARMCI_WaitProc: code");
    cells_end(&c, "ARMCI_WaitProc");
}

static void test_wait_all(void)
{
    struct cells c = cells_create(300, 12);
    armci_hdl_t handles[3];
    for (int k = 0; k < 3; k++)
        ARMCI_INIT_HANDLE(&handles[k]);
    for (int i = 0; i < c.n; i++)
        issue(&c, kind_of(i), i, target_of(i), i % 4 ? &handles[i % 4 - 1] : NULL);
    check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll: code");
    check_local(&c, "after ARMCI_WaitAll");
    for (int k = 0; k < 3; k++)
        check_long(ARMCI_Wait(&handles[k]), 0, "ARMCI_Wait after ARMCI_WaitAll: code");
    cells_end(&c, "ARMCI_WaitAll");
}

static void test_test(void)
{
    struct cells c = cells_create(90, 13);
    for (int i = 0; i < c.n; i++) {
        armci_hdl_t handle = new_handle();
        double begun = MPI_Wtime();
        int state = 1;
        issue(&c, kind_of(i), i, target_of(i), &handle);
        while (state != 0 && MPI_Wtime() - begun < TIMEOUT)
            state = ARMCI_Test(&handle);
        check_long(state, 0, "ARMCI_Test until the operation is complete");
        check_bytes(c.local + i * CELL, c.expected + i * CELL, CELL, "operation %d after ARMCI_Test", i);
        check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait after ARMCI_Test: code");
    }
    cells_end(&c, "ARMCI_Test");
}

static void test_to_oneself(void)
{
    struct cells c = cells_create(90, 14);
    int me = test_rank();
    for (int i = 0; i < c.n; i++) {
        armci_hdl_t handle = new_handle();
        issue(&c, kind_of(i), i, me, &handle);
        if (i % 2) check(ARMCI_Test(&handle) >= 0, "ARMCI_Test of an operation on oneself");
        check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of an operation on oneself: code");
    }
    cells_end(&c, "operations on oneself");
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
    check_long(ARMCI_NbGet(lanes_remote(&l, target) + BIG, in, BIG, target, &get), 0, "ARMCI_NbGet: code");
    check_long(ARMCI_NbPut(out, lanes_remote(&l, target), BIG, target, &put), 0, "ARMCI_NbPut: code");
    memcpy(lanes_mirror(&l, target), out, BIG);
    check_long(ARMCI_Wait(&put), 0, "ARMCI_Wait: code");
    memset(out, 0, BIG);
    check_long(ARMCI_Wait(&get), 0, "ARMCI_Wait: code");
    check_bytes(in, lanes_mirror(&l, target) + BIG, BIG, "ARMCI_NbGet of 1 MiB");
    lanes_end(&l, "ARMCI_NbPut of 1 MiB");
    free(out);
    free(in);
}

static const struct test tests[] = {
    {"a handle may be used again after Wait", test_handle_reused},
    {"a handle need not be initialised", test_handle_garbage},
    {"nothing outside the 8 bytes of a handle is written", test_handle_bounds},
    {"a copied handle can be waited for", test_handle_copied},
    {"a wait without operations is no error", test_unused_handle},
    {"one handle, thousands of operations to all ranks", test_one_handle_for_all},
    {"one handle over two regions", test_one_handle_two_regions},
    {"thousands of handles, any order of Wait", test_many_handles},
    {"the implicit handle", test_implicit},
    {"a barrier completes operations that nobody waited for", test_barrier_completes},
    {"WaitProc completes all operations on a process", test_wait_proc},
    {"WaitAll completes everything", test_wait_all},
    {"Test returns 0 in the end", test_test},
    {"non-blocking to oneself", test_to_oneself},
    {"large non-blocking transfers", test_large},
};
SUITE();
