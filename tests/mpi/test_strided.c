/* test_strided.c - strided put, get and accumulate, blocking and not, of random shapes against a
 * model. */
#include "lanes.h"
#include "op.h"

enum { LANE = 24 * 1024, ROOM = 20 * 1024, ANY = -1, EACH_OP = -1 };

/* What a batch of transfers looks like.  op: an enum op_kind, or EACH_OP in turn.  Kinds: an enum
 * patch_kind, or ANY of those allowed there. */
struct batch {
    int op;
    enum op_how how;
    int local, remote;
    int min_levels, max_levels;
    int n;
};

static int draw_kind(struct rng *r, int wanted, bool may_repeat)
{
    if (wanted != ANY) return wanted;
    return rng_between(r, 0, may_repeat ? PATCH_REPEATED : PATCH_NEGATIVE);
}

static struct patch draw(struct rng *r, const struct batch *b, int unit)
{
    struct patch_wish wish = {
        .kind = {[LOCAL] = (enum patch_kind)draw_kind(r, b->local, b->op != OP_GET),
                 [REMOTE] = (enum patch_kind)draw_kind(r, b->remote, b->op == OP_GET)},
        .room = {ROOM, LANE / (size_t)unit * (size_t)unit},
        .max_bytes = 4096,
        .min_levels = b->min_levels,
        .max_levels = b->max_levels,
        .unit = unit,
    };
    return patch_draw(r, &wish);
}

/* One transfer with the target, the same with the mirror; the whole local buffer is compared. */
static void transfer(struct rng *r, const struct batch *b, const struct lanes *l, int type,
                     int target)
{
    static unsigned char local[ROOM], expected[ROOM];
    struct patch p = draw(r, b, (int)element_size(type));
    struct op op = {.kind = (enum op_kind)b->op, .how = b->how, .type = type};
    struct sides sides = {local, expected, lanes_remote(l, target), lanes_mirror(l, target),
                          target};
    armci_hdl_t handle = new_handle();
    if (b->op == OP_ACC) op.scale = rng_chance(r, 50) ? scale_one(type) : scale_other(type, r);
    element_fill(type, r, local, ROOM);
    memcpy(expected, local, ROOM);
    op_patch(&op, &sides, &p, &handle);
    op_wait(&op, &handle);
    check_bytes(local, expected, ROOM, "%s with %d, %s: local buffer", op_name(&op, "S"), target,
                patch_text(&p));
}

static void run_typed(struct rng *r, const struct batch *b, struct lanes *l, int type, int n)
{
    struct op name = {.kind = (enum op_kind)b->op, .how = b->how, .type = type};
    element_fill(type, r, l->mirror, (size_t)test_ranks() * LANE);
    lanes_load(l);
    for (int i = 0; i < n; i++)
        transfer(r, b, l, type, rng_between(r, 0, test_ranks() - 1));
    lanes_verify(l, op_name(&name, "S"));
}

static void run_batch(const struct batch *b)
{
    static uint64_t number;
    struct rng r = rng_stream(1000 * ++number + (uint64_t)test_rank());
    struct lanes l = lanes_create(LANE, 16);
    if (b->op != OP_ACC)
        run_typed(&r, b, &l, TYPE_BYTES, effort(b->n));
    else
        for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
            run_typed(&r, b, &l, type, effort(b->n / ELEMENT_TYPES));
    lanes_free(&l);
}

/* A test runs batches up to one of no transfers. */
static void run_batches(const void *row)
{
    for (const struct batch *b = row; b->n > 0; b++) {
        struct batch one = *b;
        for (int op = OP_PUT; op <= OP_ACC; op++) {
            one.op = op;
            if (b->op == EACH_OP || b->op == op) run_batch(&one);
        }
    }
}

#define BATCHES(...)       ROWS(run_batches, struct batch, __VA_ARGS__)
#define ANY_SHAPE(OP, HOW) OP, HOW, ANY, ANY, 0, 8, 200

/* A count of 0 at any level, whatever the strides: nothing moves. */
static void test_count_zero(void)
{
    struct lanes l = lanes_create(4096, 16);
    double local[16] = {0}, zero[16] = {0};
    for (int zero_at = 0; zero_at <= 3; zero_at++) {
        struct patch p = {
            .levels = 3, .count = {8, 2, 2, 2}, .stride = {{8, 16, 32}, {8, 24, 100}}};
        p.count[zero_at] = 0;
        for (int kind = OP_PUT; kind <= OP_ACC; kind++) {
            struct op op = {.kind = (enum op_kind)kind, .how = OP_BLOCKING, .type = ARMCI_ACC_DBL};
            op.scale = scale_one(ARMCI_ACC_DBL);
            local[0] = 1;
            op_strided(&op, local, lanes_remote(&l, 0), &p, 0, NULL);
            check_double(local[0], 1, "%s, %s", op_name(&op, "S"), patch_text(&p));
        }
    }
    check_bytes(local + 1, zero + 1, sizeof local - sizeof *local,
                "local buffer after strided transfers of 0 bytes");
    lanes_end(&l, "strided transfers of 0 bytes");
}

/* The smallest shape whose strides do not nest: 3 rows of 4 segments 12 bytes apart, rows 55 bytes
 * apart. */
static void test_not_multiples(void)
{
    struct lanes l = lanes_create(256, 16);
    struct patch p = {
        .levels = 2, .count = {5, 4, 3}, .stride = {{5, 20}, {12, 55}}, .start = {0, 1}};
    struct op put = {.kind = OP_PUT}, get = {.kind = OP_GET};
    unsigned char local[60], back[60];
    for (int i = 0; i < 60; i++)
        local[i] = (unsigned char)(i + 1);
    for (int t = 0; t < test_ranks(); t++) {
        op_strided(&put, local, lanes_remote(&l, t), &p, t, NULL);
        patch_copy(&p, LOCAL, local, lanes_mirror(&l, t));
        memset(back, 0, sizeof back);
        op_strided(&get, back, lanes_remote(&l, t), &p, t, NULL);
        check_bytes(back, local, sizeof back, "ARMCI_GetS from %d, %s", t, patch_text(&p));
    }
    lanes_end(&l, "ARMCI_PutS of strides 12 and 55");
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

static const struct test tests[] = {
    {"blocking strided put of any shape", BATCHES({ANY_SHAPE(OP_PUT, OP_BLOCKING)})},
    {"blocking strided get of any shape", BATCHES({ANY_SHAPE(OP_GET, OP_BLOCKING)})},
    {"blocking strided accumulate of any shape", BATCHES({ANY_SHAPE(OP_ACC, OP_BLOCKING)})},
    {"non-blocking strided put of any shape",
     BATCHES({ANY_SHAPE(OP_PUT, OP_HANDLE)}, {ANY_SHAPE(OP_PUT, OP_IMPLICIT)})},
    {"non-blocking strided get of any shape",
     BATCHES({ANY_SHAPE(OP_GET, OP_HANDLE)}, {ANY_SHAPE(OP_GET, OP_IMPLICIT)})},
    {"non-blocking strided accumulate of any shape",
     BATCHES({ANY_SHAPE(OP_ACC, OP_HANDLE)}, {ANY_SHAPE(OP_ACC, OP_IMPLICIT)})},
    {"strides that nest", BATCHES({EACH_OP, OP_BLOCKING, PATCH_NESTED, PATCH_NESTED, 1, 4, 60})},
    {"strides that do not nest",
     BATCHES({EACH_OP, OP_BLOCKING, PATCH_LOOSE, PATCH_LOOSE, 2, 4, 60})},
    {"strides of 12 and 55 bytes", test_not_multiples},
    {"interleaved strides",
     BATCHES({EACH_OP, OP_BLOCKING, PATCH_INTERLEAVED, PATCH_INTERLEAVED, 2, 4, 60})},
    {"negative strides", BATCHES({EACH_OP, OP_BLOCKING, PATCH_NEGATIVE, PATCH_NEGATIVE, 1, 4, 60})},
    {"8 stride levels",
     BATCHES({EACH_OP, OP_BLOCKING, PATCH_LOOSE, PATCH_LOOSE, 8, 8, 60},
             {EACH_OP, OP_BLOCKING, PATCH_INTERLEAVED, PATCH_INTERLEAVED, 8, 8, 60})},
    {"up to 16 stride levels",
     BATCHES({EACH_OP, OP_BLOCKING, PATCH_LOOSE, PATCH_LOOSE, 9, 16, 60})},
    {"a source read more than once", BATCHES({OP_PUT, OP_BLOCKING, PATCH_REPEATED, ANY, 1, 4, 60},
                                             {OP_GET, OP_BLOCKING, ANY, PATCH_REPEATED, 1, 4, 60},
                                             {OP_ACC, OP_BLOCKING, PATCH_REPEATED, ANY, 1, 4, 60})},
    {"accumulate counts each of its overlapping segments",
     BATCHES({OP_ACC, OP_BLOCKING, ANY, PATCH_REPEATED, 1, 4, 90})},
    {"a count of 0 transfers nothing", test_count_zero},
    {"patches of half a megabyte", test_large},
};
SUITE();
