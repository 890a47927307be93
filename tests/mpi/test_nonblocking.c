/* test_nonblocking.c - handles: explicit, implicit, reused, uninitialised, many at a time, many
 * operations on one; Wait, Test, WaitProc, WaitAll. */
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

/* A script: n operations, operation i with handle i modulo `handles` (EACH: one for each
 * operation), the last of which is the implicit one if `implicit`; and what completes them. */
enum { EACH = -1 };
struct script {
    const char *what;
    int n, handles;
    bool implicit, to_oneself;
    enum completion {
        WAIT_AT_ONCE,
        TEST_AT_ONCE,
        WAIT_AT_THE_END,
        WAIT_NULL_NOW_AND_THEN,
        BARRIER,
        WAIT_PROC,
        WAIT_ALL
    } by;
};

static int target_in(const struct script *s, int i)
{
    return s->to_oneself ? test_rank() : target_of(i);
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

static void after_each(const struct script *s, const struct cells *c, int i, armci_hdl_t *handle)
{
    if (s->by == WAIT_NULL_NOW_AND_THEN && i % 500 == 499)
        check_long(ARMCI_Wait(NULL), 0, "ARMCI_Wait(NULL): code");
    if (s->by != WAIT_AT_ONCE && s->by != TEST_AT_ONCE) return;
    if (s->by == TEST_AT_ONCE)
        check_long(test_until_complete(handle), 0, "%s: ARMCI_Test in the end", s->what);
    if (s->by == WAIT_AT_ONCE)
        check_long(ARMCI_Wait(handle), 0, "%s: ARMCI_Wait %d: code", s->what, i);
    check_cell(c, i, s->what);
}

/* Wait for all handles in any order; the cell of the only operation of a handle is complete then.
 */
static void wait_at_the_end(const struct script *s, const struct cells *c, armci_hdl_t handle[],
                            int handles)
{
    int *order = need_memory((size_t)handles * sizeof *order);
    struct rng r = rng_stream(8);
    rng_permutation(&r, handles, order);
    for (int k = 0; k < handles; k++) {
        check_long(ARMCI_Wait(&handle[order[k]]), 0, "%s: ARMCI_Wait: code", s->what);
        if (handles == c->n) check_cell(c, order[k], s->what);
    }
    free(order);
}

static void wait_for_each_process(const struct script *s, const struct cells *c)
{
    for (int t = 0; t < test_ranks(); t++) {
        check_long(ARMCI_WaitProc(t), 0, "ARMCI_WaitProc(%d): code", t);
        for (int i = 0; i < c->n; i++)
            if (target_in(s, i) == t) check_cell(c, i, "after ARMCI_WaitProc");
    }
}

static void run_script(const void *row)
{
    static uint64_t number = 4;
    const struct script *s = row;
    struct cells c = cells_create(effort(s->n), ++number);
    int handles = s->handles == EACH ? c.n : s->handles, places = handles + s->implicit;
    armci_hdl_t *handle = need_memory((size_t)places * sizeof *handle);
    for (int k = 0; k < handles; k++)
        ARMCI_INIT_HANDLE(&handle[k]);
    for (int i = 0; i < c.n; i++) {
        armci_hdl_t *h = i % places < handles ? &handle[i % places] : NULL;
        issue(&c, kind_of(i), i, target_in(s, i), h);
        after_each(s, &c, i, h);
    }
    if (s->by == BARRIER) lanes_verify(&c.lanes, s->what);
    if (s->by == WAIT_PROC) wait_for_each_process(s, &c);
    if (s->by == WAIT_ALL || s->by == WAIT_NULL_NOW_AND_THEN) {
        check_long(ARMCI_WaitAll(), 0, "%s: ARMCI_WaitAll: code", s->what);
        check_local(&c, s->what);
    }
    wait_at_the_end(s, &c, handle, handles);
    if (s->implicit) check_long(ARMCI_WaitAll(), 0, "%s: ARMCI_WaitAll at the end: code", s->what);
    cells_end(&c, s->what);
    free(handle);
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
        check_bytes(c.local + i * CELL, c.expected + i * CELL, CELL,
                    "operation %d, handle not initialised", i);
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
        struct sides sides = {other.local + at, other.expected + at,
                              lanes_remote(&other.lanes, target) + at,
                              lanes_mirror(&other.lanes, target) + at, target};
        op_patch(&op, &sides, &p, &handle);
    }
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of a handle over two regions: code");
    cells_end(&one, "one handle, two regions: contiguous");
    cells_end(&other, "one handle, two regions: strided");
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

#define SCRIPT(...) ONE_ROW(run_script, struct script, __VA_ARGS__)

static const struct test tests[] = {
    {"a handle may be used again after Wait",
     SCRIPT("one handle, again and again", 600, 1, false, false, WAIT_AT_ONCE)},
    {"a handle need not be initialised", test_handle_garbage},
    {"nothing outside the 8 bytes of a handle is written", test_handle_bounds},
    {"a wait without operations is no error", test_unused_handle},
    {"one handle, thousands of operations to all ranks",
     SCRIPT("one handle, many operations", 3000, 1, false, false, WAIT_AT_THE_END)},
    {"one handle over two regions", test_one_handle_two_regions},
    {"thousands of handles, any order of Wait",
     SCRIPT("many handles", 5000, EACH, false, false, WAIT_AT_THE_END)},
    {"the implicit handle",
     SCRIPT("implicit handle", 3000, 0, true, false, WAIT_NULL_NOW_AND_THEN)},
    {"a barrier completes operations that nobody waited for",
     SCRIPT("only a barrier", 200, 1, true, false, BARRIER)},
    {"WaitProc completes all operations on a process",
     SCRIPT("ARMCI_WaitProc", 300, 1, true, false, WAIT_PROC)},
    {"WaitAll completes everything", SCRIPT("ARMCI_WaitAll", 300, 3, true, false, WAIT_ALL)},
    {"Test returns 0 in the end", SCRIPT("ARMCI_Test", 90, 1, false, false, TEST_AT_ONCE)},
    {"non-blocking to oneself",
     SCRIPT("operations on oneself", 90, EACH, false, true, TEST_AT_ONCE)},
    {"large non-blocking transfers", test_large},
};
SUITE();
