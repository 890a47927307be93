/* test_direct.c - accumulates by load and store: sums, updates under the locks of all bytes of an
 * element, bounded holds, no lock left held; stores that a fence waits for. */
#include "../../tools/lib/element.h"
#include "shape/accumulate.h"
#include "shape_model.h"
#include "transport/shm/shm.h"
#include "node/node.h"
#include "unit.h"

static struct stripe stripes[STRIPES];

enum { PROCESS = 3, ARENA = 12 * STRIPE_BLOCK, LOCAL = ARENA };
/* The target's memory begins inside of a block, and of a long element. */
enum { SHIFT = 1096 };
static _Alignas(STRIPE_BLOCK) char blocks[SHIFT + ARENA];
static char *const arena = blocks + SHIFT;
static _Alignas(16) char wanted[ARENA], local[LOCAL];

static char *remote(size_t offset)
{
    return arena + offset;
}

static int locks_taken(void)
{
    int n = 0;
    for (int i = 0; i < STRIPES; i++)
        n += atomic_load(&stripes[i].taken);
    return n;
}

/* ---- kernels that check the locks: replace src/shape/accumulate.c ---- */

static void check_locked(const char *at)
{
    uintptr_t block = armcii_stripe_block((uintptr_t)at);
    if (atomic_load(&armcii_stripe_of(stripes, PROCESS, block)->taken))
        return; /* ck_assert costs a system call even if it holds */
    ck_abort_msg("byte %td is updated without its lock", at - arena);
}

static void check_update(const char *dst, size_t bytes)
{
    if (dst < arena || dst + bytes > arena + ARENA)
        ck_abort_msg("an update leaves the target's memory");
    check_locked(dst);
    check_locked(dst + bytes - 1);
}

/* Called for an update of `bytes` bytes in pieces of whole elements. */
static void check_hold(enum element e, size_t piece, size_t bytes)
{
    static unsigned calls;
    if (piece % armcii_elements[e].size != 0)
        ck_abort_msg("%zu bytes of %s are no whole elements", piece, armcii_elements[e].name);
    if (bytes > STRIPE_BLOCK) ck_abort_msg("a lock is held for %zu bytes", bytes);
    if (calls++ % 64 == 0) ck_assert_int_le(locks_taken(), 2);
}

static void add(enum element e, const void *scale, char *dst, const char *src, size_t bytes)
{
    _Alignas(16) char product[STRIPE_BLOCK]; /* whole elements */
    for (size_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < sizeof product ? bytes - at : sizeof product;
        armcii_scale_copy(e, scale, src + at, product, n);
        add_elements(e, dst + at, product, n);
    }
}

/* The linker lets these functions replace those of the library (--wrap). */
__typeof__(armcii_accumulate) __wrap_armcii_accumulate;
__typeof__(armcii_accumulate_rows) __wrap_armcii_accumulate_rows;

void __wrap_armcii_accumulate(enum element e, const void *scale, void *dst, const void *src,
                              size_t bytes)
{
    check_hold(e, bytes, bytes);
    check_update(dst, bytes);
    add(e, scale, dst, src, bytes);
}

void __wrap_armcii_accumulate_rows(enum element e, const void *scale, void *dst,
                                   ptrdiff_t dst_stride, const void *src, ptrdiff_t src_stride,
                                   size_t bytes, size_t n)
{
    check_hold(e, bytes, bytes * n);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++) {
        check_update((char *)dst + i * dst_stride, bytes);
        add(e, scale, (char *)dst + i * dst_stride, (const char *)src + i * src_stride, bytes);
    }
}

/* ---- values ---- */

/* 1 or 2 of that type. */
static const void *factor(enum element e, int number)
{
    static union scale factors[2];
    factors[number - 1] = scale_of((int)e, number, 0);
    return &factors[number - 1];
}

static void begin(enum element e, uint64_t seed)
{
    struct rng r = rng_start(seed);
    element_fill((int)e, &r, arena, ARENA);
    element_fill((int)e, &r, local, LOCAL);
    memcpy(wanted, arena, ARENA);
}

static void check_arena(const char *what, unsigned number)
{
    ck_assert_int_eq(locks_taken(), 0);
    if (memcmp(arena, wanted, ARENA) == 0) return;
    size_t at = 0;
    while (arena[at] == wanted[at])
        at++;
    ck_abort_msg("%s %u: byte %zu is wrong", what, number, at);
}

/* ---- transfers ---- */

/* By the transport shm. */
static void run_op(struct op_verb verb, const void *scale, const struct shape *s)
{
    static struct region region;
    const struct raddr raddr = {
        .region = &region, .lo = remote(0), .hi = remote(ARENA), .is_mapped = true};
    struct op op = {.verb = verb, .scale = scale, .target = PROCESS, .shape = *s};
    struct request req = {0};
    ck_assert_int_eq(armcii_shm.start(&op, &raddr, &req), 0);
    ck_assert(req.transport == NULL);
}

static void accumulate(enum element e, const void *scale, const struct shape *s)
{
    run_op((struct op_verb){OP_ACC, e}, scale, s);
}

/* The same on `wanted`, segment by segment. */
static void model(enum element e, const void *scale, const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    for (armcii_shape_begin(&it, s); armcii_shape_next(&it, &seg);)
        add(e, scale, wanted + (seg.remote - remote(0)), seg.local, seg.bytes);
}

/* ---- contiguous ---- */

/* Where the first block begins in the arena. */
static size_t first_border(void)
{
    return STRIPE_BLOCK - (uintptr_t)remote(0) % STRIPE_BLOCK;
}

/* Pieces that begin and end around block borders, at every offset of an element. */
ROW_TEST(contiguous_across_blocks, ELEMENT_COUNT)
{
    enum element e = (enum element)_i;
    size_t size = armcii_elements[e].size;
    unsigned number = 0;
    begin(e, 1);
    for (size_t before = 0; before <= 2 * size; before++)
        for (size_t n = 1; n <= 3 * STRIPE_BLOCK / size; n = n < 4 ? n + 1 : n * 7) {
            size_t at = first_border() - before;
            const void *scale = number % 3 ? factor(e, 2) : NULL;
            armcii_apply_accumulate_segment(e, scale, PROCESS, remote(at), local, n * size);
            add(e, scale ? scale : factor(e, 1), wanted + at, local, n * size);
            check_arena("piece", number++);
        }
}

ROW_TEST(contiguous_over_many_blocks, ELEMENT_COUNT)
{
    enum element e = (enum element)_i;
    struct shape s;
    begin(e, 2);
    armcii_shape_contiguous(&s, local, remote(0), ARENA);
    accumulate(e, factor(e, 2), &s);
    model(e, factor(e, 2), &s);
    check_arena("all of it", 0);
    accumulate(e, NULL, &s);
    model(e, factor(e, 1), &s);
    check_arena("all of it, scale NULL", 1);
}

/* ---- strided ---- */

/* A stride: zero, small, about a block, larger; either sign. */
static int draw_stride(struct rng *r)
{
    int reach[] = {0, 64, 2000, STRIPE_BLOCK + 64, 2 * STRIPE_BLOCK};
    int most = reach[rng_between(r, 0, 4)];
    return rng_between(r, -most, most);
}

/* A random position of the first segment such that all are in `room` bytes; false if they do not
 * fit. */
static bool place(const int stride[], const int count[], int levels, size_t room, struct rng *r,
                  size_t *start)
{
    long lo = 0, hi = count[0];
    for (int i = 0; i < levels; i++) {
        long last = (long)stride[i] * (count[i + 1] - 1);
        *(last < 0 ? &lo : &hi) += last;
    }
    if (hi - lo > (long)room) return false;
    *start = (size_t)(-lo + rng_between(r, 0, (int)((long)room - (hi - lo))));
    return true;
}

/* One random patch; false if it does not fit. */
static bool patch(enum element e, unsigned seed)
{
    struct rng r = rng_start(seed);
    int levels = rng_between(&r, 1, 3), count[4], here[3], there[3];
    size_t size = armcii_elements[e].size, from, to;
    struct shape s;
    count[0] =
        (int)size * (rng_between(&r, 0, 3) ? rng_between(&r, 1, 6)
                                           : rng_between(&r, 1, 2 * STRIPE_BLOCK / (int)size));
    for (int i = 0; i < levels; i++) {
        count[i + 1] = rng_between(&r, 1, 24);
        here[i] = draw_stride(&r);
        there[i] = draw_stride(&r);
    }
    if (!place(here, count, levels, LOCAL, &r, &from) ||
        !place(there, count, levels, ARENA, &r, &to))
        return false;
    ck_assert_int_eq(armcii_shape_strided(&s, local + from, here, remote(to), there, count, levels),
                     SHAPE_OK);
    const void *scale = seed % 2 ? factor(e, 2) : NULL;
    accumulate(e, scale, &s);
    model(e, scale ? scale : factor(e, 1), &s);
    check_arena("patch of seed", seed);
    return true;
}

ROW_TEST(strided, ELEMENT_COUNT)
{
    enum element e = (enum element)_i;
    const unsigned patches = (unsigned)unit_effort(600);
    unsigned done = 0;
    begin(e, 3);
    for (unsigned seed = 0; seed < patches; seed++)
        done += patch(e, seed);
    ck_assert_uint_gt(done, patches / 3);
}

/* Rows at the same address, more than one hold covers. */
ROW_TEST(rows_on_one_another, ELEMENT_COUNT)
{
    enum element e = (enum element)_i;
    int count[2] = {(int)armcii_elements[e].size * 40, 500}, here[1] = {8}, there[1] = {0};
    struct shape s;
    begin(e, 4);
    ck_assert_int_eq(
        armcii_shape_strided(&s, local, here, remote(first_border() - 16), there, count, 1),
        SHAPE_OK);
    accumulate(e, factor(e, 2), &s);
    model(e, factor(e, 2), &s);
    check_arena("rows on one another", 0);
}

/* ---- vector ---- */

ROW_TEST(vector, ELEMENT_COUNT)
{
    enum element e = (enum element)_i;
    enum { SEGMENTS = 50 };
    struct rng r = rng_start(5);
    size_t size = armcii_elements[e].size;
    begin(e, 5);
    for (unsigned round = 0; round < (unsigned)unit_effort(100); round++) {
        void *here[SEGMENTS], *there[SEGMENTS];
        struct vector_run run = {
            here, there, size * (size_t)rng_between(&r, 1, round % 10 ? 8 : STRIPE_BLOCK / 16),
            SEGMENTS};
        int last = (int)(ARENA - run.bytes);
        for (int i = 0; i < SEGMENTS; i++) {
            here[i] = local + rng_between(&r, 0, last);
            there[i] = remote((size_t)rng_between(&r, 0, last));
        }
        struct shape s;
        ck_assert_int_eq(armcii_shape_vector(&s, &run, 1), SHAPE_OK);
        accumulate(e, NULL, &s);
        model(e, factor(e, 1), &s);
        check_arena("list", round);
    }
}

/* ---- stores that are noted ---- */

/* A fence after any store must wait for it, an accumulate's too. */
TEST(stores_are_noted)
{
    long there = 0, here = 5;
    struct shape s;
    armcii_stores_pending = false;
    armcii_apply_put_segment((char *)&there, &here, sizeof here);
    ck_assert_int_eq(there, 5);
    ck_assert(armcii_stores_pending);
    armcii_drain_stores();
    ck_assert(!armcii_stores_pending);
    armcii_apply_get_segment((const char *)&there, &here, sizeof here);
    ck_assert(!armcii_stores_pending);
    armcii_apply_accumulate_segment(ELEMENT_LONG, NULL, PROCESS, remote(0), &here, sizeof here);
    ck_assert_msg(armcii_stores_pending, "a fence would not wait for an accumulate");
    armcii_drain_stores();
    armcii_shape_contiguous(&s, local, remote(0), 64);
    accumulate(ELEMENT_LONG, NULL, &s);
    ck_assert_msg(armcii_stores_pending, "a fence would not wait for an accumulate");
    armcii_drain_stores();
    run_op((struct op_verb){.kind = OP_PUT}, NULL, &s);
    ck_assert_msg(armcii_stores_pending, "a fence would not wait for a put");
}

/* A server works without the global lock, and its stores for others are not this process's own. */
TEST(stores_for_others_are_not_noted)
{
    struct shape s;
    armcii_shape_contiguous(&s, local, remote(0), 64);
    armcii_drain_stores();
    armcii_apply_put(&s);
    armcii_apply_accumulate(ELEMENT_LONG, NULL, PROCESS, &s);
    ck_assert(!armcii_stores_pending);
}

static void use_stripes(void)
{
    ((struct node *)armcii_node)->stripes = stripes;
}

const struct unit unit = {.begin = use_stripes};
