/* test_acc.c - accumulate by all ranks at once onto the same elements: nothing is lost, in any form and type. */
#include <stdlib.h>
#include <string.h>

#include "op.h"

enum { ELEMENTS = 1500 };
enum form { CONTIGUOUS, STRIDED, VECTOR };

/* A region that all ranks accumulate onto, and what the caller has added to each slice. */
struct shared {
    int type;
    size_t bytes;
    void **base;
    unsigned char *given; /* [ranks][bytes] */
};

static void fill_zero(struct shared *s)
{
    void *mine = s->base[test_rank()];

    memset(s->given, 0, (size_t)test_ranks() * s->bytes);
    ARMCI_Access_begin(mine);
    memset(mine, 0, s->bytes);
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
}

static struct shared shared_create(int type)
{
    struct shared s = { .type = type, .bytes = ELEMENTS * element_size(type) };

    s.base = region_create(s.bytes);
    s.given = need_memory((size_t)test_ranks() * s.bytes);
    fill_zero(&s);
    return s;
}

static void shared_free(struct shared *s)
{
    ARMCI_Barrier();
    region_free(s->base);
    free(s->given);
}

/* The caller's slice must be the sum of what all ranks gave to it. */
static void shared_verify(struct shared *s, const char *what)
{
    size_t all = (size_t)test_ranks() * s->bytes;
    unsigned char *given = need_memory(all), *sum = need_memory(s->bytes);
    union scale one = scale_one(s->type);
    void *mine = s->base[test_rank()];

    MPI_Alltoall(s->given, (int)s->bytes, MPI_BYTE, given, (int)s->bytes, MPI_BYTE, test_comm());
    memset(sum, 0, s->bytes);
    for (int r = 0; r < test_ranks(); r++)
        element_accumulate(s->type, &one, given + (size_t)r * s->bytes, sum, s->bytes);
    ARMCI_Barrier();
    ARMCI_Access_begin(mine);
    check_bytes(mine, sum, s->bytes, "%s of %s by all ranks: sum", what, element_name(s->type));
    ARMCI_Access_end(mine);
    ARMCI_Barrier();
    free(given);
    free(sum);
}

/* ------------------------------------------------------------------ one accumulate of each form, with its model */

static void accumulate_contiguous(struct rng *r, const struct op *op, struct shared *s, char *local, int target,
                                  armci_hdl_t *hdl)
{
    size_t size = element_size(s->type), n = (size_t)rng_between(r, 1, ELEMENTS);
    size_t at = size * (size_t)rng_between(r, 0, ELEMENTS - (int)n);

    op_contiguous(op, local, (char *)s->base[target] + at, n * size, target, hdl);
    op_model(op, local, s->given + (size_t)target * s->bytes + at, n * size);
}

static void accumulate_strided(struct rng *r, const struct op *op, struct shared *s, char *local, int target,
                               armci_hdl_t *hdl)
{
    struct patch_wish wish = {
        .kind = { (enum patch_kind)rng_between(r, 0, PATCH_REPEATED),
                  (enum patch_kind)rng_between(r, 0, PATCH_NEGATIVE) },
        .room = { s->bytes, s->bytes },
        .max_bytes = s->bytes / 2,
        .min_levels = 1,
        .max_levels = 4,
        .unit = (int)element_size(s->type),
    };
    struct patch p = patch_draw(r, &wish);

    op_strided(op, local, s->base[target], &p, target, hdl);
    for (size_t i = 0; i < patch_segments(&p); i++)
        op_model(op, local + patch_offset(&p, LOCAL, i),
                 s->given + (size_t)target * s->bytes + patch_offset(&p, REMOTE, i), (size_t)p.count[0]);
}

/* 40 segments of 1 to 12 elements anywhere, overlapping ones too. */
static void accumulate_vector(struct rng *r, const struct op *op, struct shared *s, char *local, int target,
                              armci_hdl_t *hdl)
{
    enum { SEGMENTS = 40 };
    size_t size = element_size(s->type);
    int n = rng_between(r, 1, 12);
    void *here[SEGMENTS], *there[SEGMENTS];
    armci_giov_t v = { here, there, n * (int)size, SEGMENTS };

    for (int i = 0; i < SEGMENTS; i++) {
        size_t at = size * (size_t)rng_between(r, 0, ELEMENTS - n);
        here[i] = local + size * (size_t)rng_between(r, 0, ELEMENTS - n);
        there[i] = (char *)s->base[target] + at;
        op_model(op, here[i], s->given + (size_t)target * s->bytes + at, (size_t)v.bytes);
    }
    op_vector(op, &v, 1, target, hdl);
    if (op->how != OP_BLOCKING) /* the arrays end here */
        op_wait(op, hdl);
}

static void accumulate(struct rng *r, enum form form, const struct op *op, struct shared *s, char *local, int target,
                       armci_hdl_t *hdl)
{
    if (form == CONTIGUOUS)
        accumulate_contiguous(r, op, s, local, target, hdl);
    else if (form == STRIDED)
        accumulate_strided(r, op, s, local, target, hdl);
    else
        accumulate_vector(r, op, s, local, target, hdl);
}

/* Every rank: n accumulates of form first, first + 1, ... last in turn, to random targets.  Non-blocking ones are
 * waited for together, at the end. */
static void run_type(struct rng *r, int type, enum form first, enum form last, enum op_how how, int n)
{
    struct shared s = shared_create(type);
    struct op op = { .kind = OP_ACC, .how = how, .type = type };
    char *local = need_memory(s.bytes), *kept = need_memory(s.bytes);
    armci_hdl_t handle;

    ARMCI_INIT_HANDLE(&handle);
    element_fill(type, r, local, s.bytes);
    memcpy(kept, local, s.bytes);
    for (int i = 0; i < n; i++) {
        enum form form = first + (enum form)i % (last - first + 1);
        op.scale = i % 2 ? scale_one(type) : scale_other(type, r);
        accumulate(r, form, &op, &s, local, i % 3 ? 0 : rng_between(r, 0, test_ranks() - 1), &handle);
    }
    op_wait(&op, &handle);
    check_bytes(local, kept, s.bytes, "source of %s", op_name(&op, ""));
    shared_verify(&s, op_name(&op, ""));
    shared_free(&s);
    free(local);
    free(kept);
}

static void run(enum form first, enum form last, enum op_how how, int n)
{
    static uint64_t number;
    struct rng r = rng_stream(20000 + 1000 * ++number + (uint64_t)test_rank());

    for (int type = element_first(); type < ELEMENT_TYPES; type = element_next(type))
        run_type(&r, type, first, last, how, effort(n));
}

static void test_contiguous(void)
{
    run(CONTIGUOUS, CONTIGUOUS, OP_BLOCKING, 100);
}

static void test_strided(void)
{
    run(STRIDED, STRIDED, OP_BLOCKING, 100);
}

static void test_vector(void)
{
    run(VECTOR, VECTOR, OP_BLOCKING, 100);
}

static void test_mixed(void)
{
    run(CONTIGUOUS, VECTOR, OP_BLOCKING, 120);
}

static void test_nonblocking(void)
{
    run(CONTIGUOUS, CONTIGUOUS, OP_HANDLE, 60);
    run(STRIDED, STRIDED, OP_HANDLE, 60);
    run(CONTIGUOUS, VECTOR, OP_HANDLE, 60);
    run(CONTIGUOUS, VECTOR, OP_IMPLICIT, 60);
}

/* ------------------------------------------------------------------ the same few bytes, again and again */

/* Every rank adds 1 to one double and one int of rank 0, many times. */
static void test_hot_spot(void)
{
    void **base = region_create(16);
    double one = 1, seen[2] = { 0, 0 };
    int i_one = 1, i_seen, n = effort(2000);

    if (test_rank() == 0)
        check_long(ARMCI_Put(seen, base[0], 16, 0), 0, "ARMCI_Put");
    ARMCI_Barrier();
    for (int i = 0; i < n; i++) {
        ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, base[0], 8, 0);
        ARMCI_Acc(ARMCI_ACC_INT, &i_one, &i_one, (char *)base[0] + 8, 4, 0);
    }
    ARMCI_Barrier();
    ARMCI_Get(base[0], seen, 16, 0);
    memcpy(&i_seen, seen + 1, sizeof i_seen);
    check_double(seen[0], (double)n * test_ranks(), "sum of %d ARMCI_Acc double by every rank", n);
    check_long(i_seen, (long)n * test_ranks(), "sum of %d ARMCI_Acc int by every rank", n);
    ARMCI_Barrier();
    region_free(base);
}

/* Long keeps 64 bits, double 53, also through the product with the scale. */
static void test_precision(void)
{
    void **base = region_create(16);
    int target = (test_rank() + 1) % test_ranks();
    long l = (1L << 40) + 1, l_scale = (1L << 20) + 3, l_seen = 5;
    double d = 1099511627777.0, d_scale = 3, d_seen = 0.5;

    ARMCI_Put(&l_seen, base[target], 8, target);
    ARMCI_Put(&d_seen, (char *)base[target] + 8, 8, target);
    ARMCI_Acc(ARMCI_ACC_LNG, &l_scale, &l, base[target], 8, target);
    ARMCI_Acc(ARMCI_ACC_DBL, &d_scale, &d, (char *)base[target] + 8, 8, target);
    ARMCI_Get(base[target], &l_seen, 8, target);
    ARMCI_Get((char *)base[target] + 8, &d_seen, 8, target);
    check_long(l_seen, 5 + l * l_scale, "ARMCI_Acc long of 2^40 + 1 scaled by 2^20 + 3");
    check_double(d_seen, 0.5 + d * d_scale, "ARMCI_Acc double of 2^40 + 1 scaled by 3");
    ARMCI_Barrier();
    region_free(base);
}

/* A scale of 0 adds nothing, one of -1 subtracts. */
static void test_scales(void)
{
    void **base = region_create(64);
    int target = (test_rank() + 1) % test_ranks();
    float start[4] = { 1, 2, 3, 4 }, add[4] = { 10, 20, 30, 40 }, seen[4], i_unit[2] = { 0, 1 };
    float zero = 0, minus = -1, turned[4] = { 1 - 20, 2 + 10, 3 - 40, 4 + 30 }, less[4] = { -9, -18, -27, -36 };

    ARMCI_Put(start, base[target], 16, target);
    ARMCI_Acc(ARMCI_ACC_FLT, &zero, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, start, 16, "ARMCI_Acc float with scale 0");
    ARMCI_Acc(ARMCI_ACC_FLT, &minus, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, less, 16, "ARMCI_Acc float with scale -1");
    ARMCI_Put(start, base[target], 16, target);
    ARMCI_Acc(ARMCI_ACC_CPL, i_unit, add, base[target], 16, target);
    ARMCI_Get(base[target], seen, 16, target);
    check_bytes(seen, turned, 16, "ARMCI_Acc complex with scale i");
    ARMCI_Barrier();
    region_free(base);
}

static const struct test tests[] = {
    { "all ranks on the same elements: contiguous", test_contiguous },
    { "all ranks on overlapping strided patches", test_strided },
    { "all ranks on overlapping vectors", test_vector },
    { "contiguous, strided and vector at once", test_mixed },
    { "non-blocking accumulates, many outstanding", test_nonblocking },
    { "one element, thousands of times", test_hot_spot },
    { "long and double keep their precision", test_precision },
    { "scales 0, -1 and i", test_scales },
    { NULL, NULL },
};

const struct suite suite = { .tests = tests };
