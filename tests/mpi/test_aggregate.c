/* test_aggregate.c - aggregate handles, and values put without blocking. */
#include "lanes.h"
#include "op.h"

enum { CELL = 16 };

struct batch {
    int n;
    unsigned kinds; /* a mask of 1 << enum op_kind, in runs of `run` */
    int run;
    bool all_targets, mixed_lengths;
    uint64_t stream;
};

/* A batch, then Wait, and the same once more with the same handle, which is still an aggregate. */
static void aggregate(const struct batch *b)
{
    int n = effort(b->n);
    size_t bytes = (size_t)n * CELL;
    struct lanes l = lanes_create(bytes, 16);
    struct rng r = rng_stream(95000 + 10 * b->stream + (uint64_t)test_rank());
    unsigned char *local = need_memory(bytes), *expected = need_memory(bytes);
    armci_hdl_t handle = new_aggregate();
    element_fill(ARMCI_ACC_INT, &r, l.mirror, (size_t)test_ranks() * bytes);
    lanes_load(&l);
    for (int round = 0; round < 2; round++) {
        element_fill(ARMCI_ACC_INT, &r, local, bytes);
        memcpy(expected, local, bytes);
        for (int i = 0; i < n; i++) {
            struct op op = {.how = OP_HANDLE, .type = ARMCI_ACC_INT, .scale.i = i % 5 ? 1 : 2};
            int kind = i / b->run % 3;
            while (!(b->kinds & 1u << kind))
                kind = (kind + 1) % 3;
            op.kind = (enum op_kind)kind;
            int target = (test_rank() + 1 + (b->all_targets ? i / 2 : 0)) % test_ranks();
            struct sides sides = {local, expected, lanes_remote(&l, target),
                                  lanes_mirror(&l, target), target};
            size_t at = (size_t)i * CELL;
            op_bytes(&op, &sides, at, at, b->mixed_lengths ? 4 + 4 * (size_t)(i % 4) : 12, &handle);
        }
        check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of an aggregate handle: code");
        check_bytes(local, expected, bytes, "local buffers of %d aggregated requests", n);
        lanes_verify(&l, "aggregated requests");
    }
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    lanes_free(&l);
    free(local);
    free(expected);
}

static void aggregate_all(const void *row)
{
    for (const struct batch *b = row; b->n > 0; b++)
        aggregate(b);
}

/* Other calls on an aggregate handle: strided and vector requests between contiguous ones. */
static void test_other_forms(void)
{
    enum { N = 60, BYTES = N * 64 };
    struct lanes l = lanes_create(BYTES, 16);
    struct rng r = rng_stream(96000 + (uint64_t)test_rank());
    unsigned char local[BYTES], expected[BYTES];
    struct patch p = {.levels = 1, .count = {8, 3}, .stride = {{16}, {20}}};
    int target = (test_rank() + 1) % test_ranks();
    struct sides sides = {local, expected, lanes_remote(&l, target), lanes_mirror(&l, target),
                          target};
    void *here[N], *there[N];
    armci_hdl_t handle = new_aggregate();
    rng_bytes(&r, local, BYTES);
    memcpy(expected, local, BYTES);
    for (int i = 0; i < N; i++) {
        struct op op = {.kind = i % 2 ? OP_PUT : OP_GET, .how = OP_HANDLE};
        size_t at = (size_t)i * 64;
        here[i] = local + at;
        there[i] = lanes_remote(&l, target) + at;
        if (i % 3 == 0) {
            op_bytes(&op, &sides, at, at, 50, &handle);
        } else if (i % 3 == 1) {
            p.start[LOCAL] = p.start[REMOTE] = at;
            op_patch(&op, &sides, &p, &handle);
        } else {
            armci_giov_t v = {i % 2 ? &here[i] : &there[i], i % 2 ? &there[i] : &here[i], 33, 1};
            op_vector(&op, &v, 1, target, &handle);
            op_model(&op, expected + at, lanes_mirror(&l, target) + at, 33);
        }
    }
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of an aggregate handle: code");
    check_bytes(local, expected, BYTES, "local buffers of requests of all forms");
    lanes_end(&l, "requests of all forms on an aggregate handle");
}

static void test_other_waits(void)
{
    struct lanes l = lanes_create(3 * 64, 16);
    int target = (test_rank() + 1) % test_ranks();
    unsigned char local[3 * 64], back[3 * 64];
    armci_hdl_t put, get;
    for (int i = 0; i < 3 * 64; i++)
        local[i] = (unsigned char)(i + 1);
    ARMCI_INIT_HANDLE(&put);
    ARMCI_SET_AGGREGATE_HANDLE(&put);
    ARMCI_INIT_HANDLE(&get);
    ARMCI_SET_AGGREGATE_HANDLE(&get);
    for (int i = 0; i < 64; i++)
        ARMCI_NbPut(local + i, lanes_remote(&l, target) + i, 1, target, &put);
    check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll: code");
    memset(back, 0, sizeof back);
    for (int i = 0; i < 64; i++)
        ARMCI_NbGet(lanes_remote(&l, target) + i, back + i, 1, target, &get);
    check_long(ARMCI_WaitProc(target), 0, "ARMCI_WaitProc: code");
    check_bytes(back, local, 64, "gets of an aggregate handle after ARMCI_WaitProc");
    for (int i = 64; i < 128; i++)
        ARMCI_NbPut(local + i, lanes_remote(&l, target) + i, 1, target, &put);
    memcpy(lanes_mirror(&l, target), local, 128);
    lanes_verify(&l, "puts of an aggregate handle, after a barrier");
    check_long(ARMCI_Wait(&put), 0, "ARMCI_Wait after the barrier: code");
    check_long(ARMCI_Wait(&get), 0, "ARMCI_Wait after ARMCI_WaitProc: code");
    lanes_free(&l);
}

/* A handle that is no aggregate any more works as a plain one; and an aggregate without requests
 * can be waited for. */
static void test_unset(void)
{
    struct lanes l = lanes_create(64, 16);
    int target = (test_rank() + 1) % test_ranks();
    long value = 77;
    armci_hdl_t handle = new_aggregate();
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of an aggregate handle without requests: code");
    check_long(ARMCI_Test(&handle), 0, "ARMCI_Test of an aggregate handle without requests");
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    check_long(ARMCI_NbPut(&value, lanes_remote(&l, target), sizeof value, target, &handle), 0,
               "ARMCI_NbPut: code");
    check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait: code");
    memcpy(lanes_mirror(&l, target), &value, sizeof value);
    check_long(ARMCI_GetValueLong(lanes_remote(&l, target), target), 77,
               "value put with a handle that was an aggregate");
    lanes_end(&l, "a handle that was an aggregate");
}

static void put_values(struct lanes *l, int i, int target, armci_hdl_t *hdl)
{
    char *remote = lanes_remote(l, target) + 32 * i;
    unsigned char *mirror = lanes_mirror(l, target) + 32 * i;
    int vi = -i - 1;
    long vl = 1L << (i % 60);
    float vf = (float)i + 0.5f;
    double vd = 1.0 / (i + 1);
    check_long(ARMCI_NbPutValueInt(vi, remote, target, hdl), 0, "ARMCI_NbPutValueInt: code");
    check_long(ARMCI_NbPutValueFloat(vf, remote + 4, target, hdl), 0,
               "ARMCI_NbPutValueFloat: code");
    check_long(ARMCI_NbPutValueLong(vl, remote + 8, target, hdl), 0, "ARMCI_NbPutValueLong: code");
    check_long(ARMCI_NbPutValueDouble(vd, remote + 16, target, hdl), 0,
               "ARMCI_NbPutValueDouble: code");
    memcpy(mirror, &vi, sizeof vi);
    memcpy(mirror + 4, &vf, sizeof vf);
    memcpy(mirror + 8, &vl, sizeof vl);
    memcpy(mirror + 16, &vd, sizeof vd);
}

static void run_values(const void *row)
{
    bool implicit = *(const bool *)row;
    enum { N = 200 };
    struct lanes l = lanes_create(32 * N, 16);
    for (int t = 0; t < test_ranks(); t++) {
        armci_hdl_t handle;
        long seen = 0;
        memset(&handle, 0x5c, sizeof handle); /* never initialised */
        for (int i = 0; i < N; i++)
            put_values(&l, i, t, implicit ? NULL : &handle);
        check_long(ARMCI_Wait(implicit ? NULL : &handle), 0, "ARMCI_Wait after NbPutValue: code");
        ARMCI_Get(lanes_remote(&l, t) + 8 + 32 * 9, &seen, sizeof seen, t);
        check_long(seen, 1L << 9, "ARMCI_Get at %d after ARMCI_NbPutValueLong and Wait", t);
    }
    lanes_end(&l, "values put without blocking");
}

enum { PUT = 1 << OP_PUT, GET = 1 << OP_GET, ACC = 1 << OP_ACC };
#define BATCHES(...) ROWS(aggregate_all, struct batch, __VA_ARGS__)

static const struct test tests[] = {
    {"aggregated puts", BATCHES({1000, PUT, 1, false, false, 1}, {1000, PUT, 1, false, true, 2})},
    {"aggregated gets", BATCHES({1000, GET, 1, false, false, 3}, {1000, GET, 1, false, true, 4})},
    {"aggregated accumulates",
     BATCHES({1000, ACC, 1, false, false, 5}, {1000, ACC, 1, false, true, 6})},
    {"aggregated requests of all kinds to all ranks",
     BATCHES({600, PUT | GET | ACC, 1, true, true, 7}, {600, PUT | GET | ACC, 20, true, false, 8},
             {1, PUT, 1, false, false, 9})},
    {"strided and vector requests on an aggregate handle", test_other_forms},
    {"WaitAll, WaitProc and a barrier complete aggregates", test_other_waits},
    {"an aggregate handle made plain again", test_unset},
    {"NbPutValue of four types with a handle", ONE_ROW(run_values, bool, false)},
    {"NbPutValue of four types with the implicit handle", ONE_ROW(run_values, bool, true)},
};
SUITE();
