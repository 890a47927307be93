/* test_vector.c - vectors and patches beyond those of the random programs: empty ones, many
 * thousand segments, long ones, local segments in two regions, strides without meaning, memory onto
 * itself. */
#include <limits.h>

#include "lanes.h"
#include "op.h"

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

/* A local lane and a remote one; in the latter the second half is remote. */
enum { HALF = 8 * 1024, LANE = 2 * HALF };

static void run_vector(enum op_kind kind)
{
    enum { SEGMENTS = 20, STEP = 64 };
    struct rng r = rng_stream(81000 + 10 * (uint64_t)kind + (uint64_t)test_rank());
    struct lanes one = lanes_create(LANE, 64), other = lanes_create(LANE, 64);
    struct op op = {.kind = kind,
                    .how = OP_BLOCKING,
                    .type = ARMCI_ACC_DBL,
                    .scale = scale_other(ARMCI_ACC_DBL, &r)};
    int me = test_rank(), target = (me + 1) % test_ranks();
    void *here[2][SEGMENTS], *there[2][SEGMENTS];
    armci_giov_t v[2];
    element_fill(ARMCI_ACC_DBL, &r, one.mirror, (size_t)test_ranks() * LANE);
    element_fill(ARMCI_ACC_DBL, &r, other.mirror, (size_t)test_ranks() * LANE);
    lanes_load(&one);
    lanes_load(&other);
    for (int e = 0; e < 2; e++) {
        struct lanes *home = e ? &one : &other;
        for (int i = 0; i < SEGMENTS; i++) {
            size_t from = (size_t)(STEP * ((i * 7) % SEGMENTS)),
                   to = HALF + (size_t)(STEP * (e * SEGMENTS + i));
            here[e][i] = lanes_remote(home, me) + from;
            there[e][i] = lanes_remote(&other, target) + to;
            op_model(&op, lanes_mirror(home, me) + from, lanes_mirror(&other, target) + to, 40);
        }
        v[e] = (armci_giov_t){kind == OP_GET ? there[e] : here[e],
                              kind == OP_GET ? here[e] : there[e], 40, SEGMENTS};
    }
    op_vector(&op, v, 2, target, NULL);
    lanes_verify(&one, op_name(&op, "V"));
    lanes_verify(&other, op_name(&op, "V"));
    lanes_free(&one);
    lanes_free(&other);
}

static void test_vectors(void)
{
    for (int kind = OP_PUT; kind <= OP_ACC; kind++)
        run_vector((enum op_kind)kind);
}

/* Long segments, and more bytes than fit any internal buffer of a few kB. */
static void test_large(void)
{
    enum { BIG = 700 * 1024 };
    if (!needs_few_ranks(32)) return;
    struct lanes l = lanes_create(BIG, 16);
    struct rng r = rng_stream(7 + (uint64_t)test_rank());
    struct patch p = {
        .levels = 1, .count = {8193, 60}, .stride = {{8193}, {9001}}, .start = {0, 3}};
    struct op put = {.kind = OP_PUT}, get = {.kind = OP_GET};
    unsigned char *local = need_memory(BIG), *back = need_memory(BIG);
    for (int t = 0; t < test_ranks(); t++) {
        rng_bytes(&r, local, BIG);
        op_strided(&put, local, lanes_remote(&l, t), &p, t, NULL);
        patch_copy(&p, LOCAL, local, lanes_mirror(&l, t));
        op_strided(&get, back, lanes_remote(&l, t), &p, t, NULL);
        check_bytes(back, local, 8193 * 60, "ARMCI_GetS from %d, %s", t, patch_text(&p));
    }
    lanes_end(&l, "ARMCI_PutS of 60 segments of 8193 bytes");
    free(local);
    free(back);
}

/* A level of one segment has a stride that nobody may look at. */
static void test_unused_strides(void)
{
    static const int wild[] = {8, 0, 1, -8, 3, INT_MAX, INT_MIN};
    enum { LEVELS = 3, WILD = sizeof wild / sizeof *wild, BYTES = 2048 };
    for (int i = 0; i < WILD * LEVELS; i++) {
        int levels = 1 + i % LEVELS, target = (test_rank() + 1) % test_ranks(), one = 1,
            count[LEVELS + 1] = {BYTES - 8, 1, 1, 1}, far[LEVELS], near[LEVELS];
        struct lanes l = lanes_create(BYTES, 16);
        unsigned char local[BYTES], back[BYTES], *want = (void *)lanes_mirror(&l, target);
        char *remote = lanes_remote(&l, target);
        for (int k = 0; k < LEVELS; k++) {
            far[k] = wild[i % WILD];
            near[k] = wild[(i + k + 3) % WILD];
        }
        fill_bytes(local, BYTES, i);
        check_long(ARMCI_PutS(local, near, remote, far, count, levels, target), 0, "ARMCI_PutS");
        memcpy(want, local, BYTES - 8);
        memset(local, 1, BYTES);
        check_long(ARMCI_AccS(ARMCI_ACC_INT, &one, local, near, remote, far, count, levels, target),
                   0, "ARMCI_AccS");
        for (int k = 0; k < (BYTES - 8) / 4; k++)
            ((unsigned *)(void *)want)[k] += 0x01010101;
        memset(back, 7, BYTES);
        check_long(ARMCI_GetS(remote, far, back, near, count, levels, target), 0, "ARMCI_GetS");
        check_bytes(back, want, BYTES - 8, "%d levels, strides %d and %d", levels, far[0], near[0]);
        check_long(back[BYTES - 8], 7, "the byte behind");
        lanes_end(&l, "patches of one segment");
    }
}

/* Memory of the caller is source and target at once: puts and gets change nothing, an accumulate
 * doubles. */
static void test_onto_itself(void)
{
    enum { ROWS = 20, ROW = 64, LONGS = ROWS * ROW };
    void **base = region_zeroed(LONGS * sizeof(long));
    int me = test_rank(), count[] = {ROW / 2 * sizeof(long), ROWS}, stride[] = {ROW * sizeof(long)};
    long *mine = base[me], one = 1;
    void *parts[] = {mine, mine + ROW, mine + 5 * ROW};
    armci_giov_t vector = {parts, parts, ROW / 2 * sizeof(long), 3};
    for (int i = 0; i < LONGS; i++)
        mine[i] = i + me;
    check_long(ARMCI_Put(mine, mine, LONGS * sizeof(long), me), 0, "ARMCI_Put");
    check_long(ARMCI_Get(mine, mine, LONGS * sizeof(long), me), 0, "ARMCI_Get");
    check_long(ARMCI_PutS(mine, stride, mine, stride, count, 1, me), 0, "ARMCI_PutS");
    check_long(ARMCI_GetS(mine, stride, mine, stride, count, 1, me), 0, "ARMCI_GetS");
    check_long(ARMCI_PutV(&vector, 1, me), 0, "ARMCI_PutV");
    check_long(ARMCI_GetV(&vector, 1, me), 0, "ARMCI_GetV");
    ARMCI_Fence(me);
    for (int i = 0; i < LONGS; i++)
        check_long(mine[i], i + me, "put and get: element %d", i);
    ARMCI_Acc(ARMCI_ACC_LNG, &one, mine, mine, LONGS * sizeof(long), me);
    ARMCI_AccS(ARMCI_ACC_LNG, &one, mine, stride, mine, stride, count, 1, me);
    ARMCI_AccV(ARMCI_ACC_LNG, &one, &vector, 1, me);
    ARMCI_Fence(me);
    for (int i = 0; i < LONGS; i++) {
        int row = i / ROW, times = i % ROW >= ROW / 2 ? 2 : row > 1 && row != 5 ? 4 : 8;
        check_long(mine[i], (long)times * (i + me), "accumulate: element %d", i);
    }
    region_done(base);
}

static const struct test tests[] = {
    {"an empty vector does nothing", test_nothing},
    {"vectors of many thousand segments", NULL, test_many, &many},
    {"many thousand segments that overlap", NULL, test_many, &overlapping_many},
    {"patches of half a megabyte", test_large},
    {"vectors with local segments in two regions", test_vectors},
    {"strides of levels with one segment do not matter", test_unused_strides},
    {"memory may be source and target at once", test_onto_itself},
};
SUITE();
