/* test_local_in_global.c - transfers whose local buffer lies in global memory: of another region,
 * and of the same. */
#include "lanes.h"
#include "op.h"

/* Each lane has two halves: the first of my lane at home is the local buffer, the second of my lane
 * on the target the remote one. */
enum { HALF = 8 * 1024, LANE = 2 * HALF };

/* One transfer of random shape between my local half in `at_home` and a remote half in `away`
 * (maybe the same region). */
static void transfer(struct rng *r, const struct op *op, struct lanes *at_home, struct lanes *away,
                     int target)
{
    int me = test_rank(), unit = (int)element_size(op->type);
    struct patch_wish wish = {
        .kind = {(enum patch_kind)rng_between(r, 0, PATCH_NEGATIVE),
                 (enum patch_kind)rng_between(r, 0, PATCH_NEGATIVE)},
        .room = {HALF, HALF},
        .max_bytes = 3000,
        .max_levels = 4,
        .unit = unit,
    };
    struct patch p = patch_draw(r, &wish);
    char *local = lanes_remote(at_home, me);
    unsigned char *local_mirror = lanes_mirror(at_home, me);
    struct sides sides = {local, local_mirror, lanes_remote(away, target) + HALF,
                          lanes_mirror(away, target) + HALF, target};
    armci_hdl_t handle = new_handle();
    if (op->kind != OP_GET) { /* new content each time */
        element_fill(op->type, r, local_mirror, HALF);
        ARMCI_Access_begin(local);
        memcpy(local, local_mirror, HALF);
        ARMCI_Access_end(local);
    }
    op_patch(op, &sides, &p, &handle);
    op_wait(op, &handle);
    ARMCI_Access_begin(local);
    check_bytes(local, local_mirror, HALF, "%s with %d, %s: local buffer in global memory",
                op_name(op, "S"), target, patch_text(&p));
    ARMCI_Access_end(local);
}

struct what {
    enum op_kind kind;
    bool same_region;
};

static void run(const void *row)
{
    const struct what *what = row;
    enum op_kind kind = what->kind;
    struct rng r = rng_stream(80000 + 10 * (uint64_t)kind + (uint64_t)test_rank());
    struct lanes one = lanes_create(LANE, 64), other = lanes_create(LANE, 64);
    struct lanes *home = what->same_region ? &other : &one;
    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type)) {
        element_fill(type, &r, one.mirror, (size_t)test_ranks() * LANE);
        element_fill(type, &r, other.mirror, (size_t)test_ranks() * LANE);
        lanes_load(&one);
        lanes_load(&other);
        for (int i = 0; i < effort(60); i++) {
            struct op op = {.kind = kind, .how = (enum op_how)(i % 3), .type = type};
            op.scale = rng_chance(&r, 50) ? scale_one(type) : scale_other(type, &r);
            transfer(&r, &op, home, &other, rng_between(&r, 0, test_ranks() - 1));
        }
        lanes_verify(&one, "region of local buffers");
        lanes_verify(&other, "region of remote buffers");
    }
    lanes_free(&one);
    lanes_free(&other);
}

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

#define RUN(...) ONE_ROW(run, struct what, __VA_ARGS__)

static const struct test tests[] = {
    {"put from another region", RUN(OP_PUT, false)},
    {"get into another region", RUN(OP_GET, false)},
    {"accumulate from another region", RUN(OP_ACC, false)},
    {"put from the same region", RUN(OP_PUT, true)},
    {"get into the same region", RUN(OP_GET, true)},
    {"accumulate from the same region", RUN(OP_ACC, true)},
    {"vectors with local segments in two regions", test_vectors},
};
SUITE();
