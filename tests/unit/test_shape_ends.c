/* test_shape_ends.c - shapes of any arguments, up to the ends of the address space, against 128-bit
 * arithmetic. No memory stands behind the addresses. */
#include <limits.h>

#include "shape_model.h"
#include "unit.h"

enum { SEEDS = 20000, PICKS = 8, RUNS = 3, MEMBERS = 4 };

/* Wide enough for any address that arguments of 32 and 64 bits can lead to. */
typedef __int128 wide;

/* ---- arguments */

static uint64_t any_word(struct rng *r)
{
    uint64_t step = rng_next(r) % 32;
    switch (rng_below(r, 7)) {
    case 0: return step;
    case 1: return UINT64_MAX - step;
    case 2: return ((uint64_t)1 << 63) - step;
    case 3: return ((uint64_t)1 << 63) + step;
    case 4: return (uint64_t)1 << (step * 2);
    case 5: return rng_next(r) >> 32;
    default: return rng_next(r);
    }
}

static int any_int(struct rng *r)
{
    int step = rng_between(r, 0, 31);
    switch (rng_below(r, 6)) {
    case 0: return rng_between(r, INT8_MIN, INT8_MAX);
    case 1: return (int)(int32_t)(uint32_t)rng_next(r);
    case 2: return INT_MAX - step;
    case 3: return INT_MIN + step;
    case 4: return 1 << (step % 31);
    default: return -(1 << (step % 31));
    }
}

struct strided_call {
    int levels, count[SHAPE_MAX_LEVELS + 1], stride[2][SHAPE_MAX_LEVELS];
    uintptr_t base[2];
};

/* Half of the calls have counts that are likely to be accepted. */
static void any_strided(struct strided_call *c, struct rng *r)
{
    bool likely = rng_chance(r, 50);
    *c = (struct strided_call){.levels = likely ? rng_between(r, 0, 4)
                                                : rng_between(r, -2, SHAPE_MAX_LEVELS + 2)};
    for (int i = 0; i <= SHAPE_MAX_LEVELS; i++)
        c->count[i] = i > c->levels ? 0 : likely ? rng_between(r, 0, 300) : any_int(r);
    for (int side = 0; side < 2; side++) {
        c->base[side] = any_word(r);
        for (int i = 0; i < c->levels && i < SHAPE_MAX_LEVELS; i++)
            c->stride[side][i] = any_int(r);
    }
}

/* ---- what the call means */

/* Bytes in all, for counts >= 0; what is more than 2^100 counts as 2^100. */
static wide call_bytes(const struct strided_call *c)
{
    const wide most = (wide)1 << 100;
    wide total = 1;
    for (int i = 0; i <= c->levels; i++) {
        if (c->count[i] == 0) return 0;
        total = total > most / c->count[i] ? most : total * c->count[i];
    }
    return total;
}

static wide call_address(const struct strided_call *c, int side, wide n)
{
    wide at = (wide)c->base[side] + n % c->count[0];
    n /= c->count[0];
    for (int level = 1; level <= c->levels; level++) {
        at += n % c->count[level] * c->stride[side][level - 1];
        n /= c->count[level];
    }
    return at;
}

static void call_range(const struct strided_call *c, int side, wide *lo, wide *hi)
{
    *lo = (wide)c->base[side];
    *hi = *lo + c->count[0];
    for (int level = 1; level <= c->levels; level++) {
        wide reach = (wide)(c->count[level] - 1) * c->stride[side][level - 1];
        *(reach < 0 ? lo : hi) += reach;
    }
}

static enum shape_status expected_status(const struct strided_call *c)
{
    if (c->levels < 0 || c->levels > SHAPE_MAX_LEVELS) return SHAPE_BAD_LEVELS;
    for (int i = 0; i <= c->levels; i++)
        if (c->count[i] < 0) return SHAPE_BAD_COUNT;
    wide bytes = call_bytes(c), lo, hi;
    for (int side = 0; bytes > 0 && side < 2; side++) {
        call_range(c, side, &lo, &hi);
        if (lo < 0 || hi > (wide)UINTPTR_MAX) return SHAPE_OVERFLOW;
    }
    return bytes > PTRDIFF_MAX ? SHAPE_OVERFLOW : SHAPE_OK;
}

/* ---- what the shape says */

static wide shape_address(const struct shape *s, int side, wide n)
{
    wide at = (wide)(uintptr_t)(side == SHAPE_LOCAL ? s->local : s->remote) + n % s->count[0];
    n /= (wide)s->count[0];
    for (int level = 1; level <= s->levels; level++) {
        at += n % (wide)s->count[level] * s->stride[side][level - 1];
        n /= (wide)s->count[level];
    }
    return at;
}

static wide below(struct rng *r, wide n)
{
    return (wide)rng_next(r) % n;
}

static void check_range(const struct shape *s, int side, wide want_lo, wide want_hi)
{
    char *lo, *hi;
    ck_assert(armcii_shape_range(s, (enum shape_side)side, &lo, &hi) == SHAPE_OK);
    ck_assert_msg((wide)(uintptr_t)lo == want_lo && (wide)(uintptr_t)hi == want_hi,
                  "range of side %d: [%p, %p)", side, (void *)lo, (void *)hi);
}

/* Bytes of the part that begins at byte `first` of the call are where the call has them. */
static void check_bytes(const struct strided_call *c, const struct shape *part, wide first,
                        struct rng *r)
{
    for (int i = 0; i < PICKS; i++) {
        wide n = i == 0 ? 0 : i == 1 ? (wide)part->bytes - 1 : below(r, (wide)part->bytes);
        for (int side = 0; side < 2; side++)
            ck_assert_msg(shape_address(part, side, n) == call_address(c, side, first + n),
                          "byte %zu + %zu of side %d is elsewhere", (size_t)first, (size_t)n, side);
    }
}

static void check_parts(const struct strided_call *c, const struct shape *s, struct rng *r)
{
    size_t limit = (size_t)any_word(r), position = 0, before = 0;
    struct shape part;
    for (int i = 0; i < PICKS && armcii_shape_chunk(s, limit, &position, &part); i++) {
        ck_assert_msg(part.bytes > 0 && part.bytes <= (limit < 16 ? 16 : limit) &&
                          part.bytes == position - before,
                      "limit %zu: part of %zu bytes at %zu", limit, part.bytes, before);
        check_simplest("part", &part);
        check_bytes(c, &part, (wide)before, r);
        before = position;
    }
}

/* No two bytes of a side that is said to be disjoint have one address. */
static void check_disjoint(const struct strided_call *c, const struct shape *s, struct rng *r)
{
    for (int side = 0; side < 2; side++) {
        bool disjoint = armcii_shape_is_disjoint(s, (enum shape_side)side);
        for (int i = 0; disjoint && i < PICKS; i++) {
            wide a = below(r, (wide)s->bytes), b = below(r, (wide)s->bytes);
            ck_assert_msg(a == b || call_address(c, side, a) != call_address(c, side, b),
                          "bytes %zu and %zu of side %d are the same", (size_t)a, (size_t)b, side);
        }
    }
}

static void check_packed(const struct strided_call *c, struct shape *s, struct rng *r)
{
    const uintptr_t buffer = 1 << 12;
    armcii_shape_set_packed(s, (char *)buffer);
    check_simplest("packed", s);
    wide n = below(r, (wide)s->bytes);
    ck_assert(shape_address(s, SHAPE_LOCAL, n) == (wide)buffer + n);
    ck_assert(shape_address(s, SHAPE_REMOTE, n) == call_address(c, SHAPE_REMOTE, n));
}

/* Returns whether the call is accepted and moves something. */
static bool check_strided(struct rng *r)
{
    struct strided_call c;
    struct shape s, before;
    wide lo[2], hi[2];
    any_strided(&c, r);
    memset(&before, 0x5a, sizeof before);
    memcpy(&s, &before, sizeof s);
    enum shape_status status =
        strided_in_range(&s, (void *)c.base[SHAPE_LOCAL], c.stride[SHAPE_LOCAL],
                         (void *)c.base[SHAPE_REMOTE], c.stride[SHAPE_REMOTE], c.count, c.levels);
    ck_assert_msg(status == expected_status(&c), "status: expected %d, seen %d",
                  (int)expected_status(&c), (int)status);
    ck_assert_msg(status == SHAPE_OK || memcmp(&s, &before, sizeof s) == 0,
                  "written although refused");
    if (status != SHAPE_OK) return false;
    ck_assert_msg((wide)s.bytes == call_bytes(&c), "%zu bytes", s.bytes);
    check_simplest("strided", &s);
    if (s.bytes == 0) return false;
    for (int side = 0; side < 2; side++) {
        call_range(&c, side, &lo[side], &hi[side]);
        check_range(&s, side, lo[side], hi[side]);
    }
    check_bytes(&c, &s, 0, r);
    check_disjoint(&c, &s, r);
    if (lo[0] == 0 || lo[1] == 0) return true; /* C lets no pointer come to address 0 */
    check_parts(&c, &s, r);
    check_packed(&c, &s, r);
    return true;
}

TEST(strided_calls_up_to_the_ends_of_the_address_space)
{
    int accepted = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct rng r = rng_start(seed);
        accepted += check_strided(&r);
    }
    ck_assert_msg(accepted > SEEDS / 10 && accepted < SEEDS / 2, "%d accepted", accepted);
}

/* ---- vectors */

struct vector_call {
    struct vector_run run[RUNS];
    size_t nruns;
    void *at[2][RUNS][MEMBERS];
};

/* A run that moves nothing may be told to have any number of segments. */
static void any_vector(struct vector_call *v, struct rng *r)
{
    v->nruns = (size_t)rng_between(r, 0, RUNS);
    for (size_t k = 0; k < v->nruns; k++) {
        size_t bytes = any_word(r), n = (size_t)rng_between(r, 0, MEMBERS);
        v->run[k] =
            (struct vector_run){v->at[0][k], v->at[1][k], bytes, bytes == 0 ? any_word(r) : n};
        for (int i = 0; i < 2 * MEMBERS; i++)
            v->at[i % 2][k][i / 2] = (void *)any_word(r);
    }
}

/* Does a segment of that side leave the address space, or overlap another one? Its ends otherwise.
 */
struct facts {
    bool outside, overlap;
    wide lo, hi;
};

static struct facts look(const struct vector_call *v, int side)
{
    wide begin[RUNS * MEMBERS], end[RUNS * MEMBERS];
    int n = 0;
    struct facts f = {.lo = (wide)1 << 64, .hi = 0};
    for (size_t k = 0; k < v->nruns; k++) {
        for (size_t i = 0; v->run[k].bytes > 0 && i < v->run[k].n; i++, n++) {
            begin[n] = (wide)(uintptr_t)v->at[side][k][i];
            end[n] = begin[n] + (wide)v->run[k].bytes;
            f.outside |= end[n] > (wide)UINTPTR_MAX;
            f.lo = begin[n] < f.lo ? begin[n] : f.lo;
            f.hi = end[n] > f.hi ? end[n] : f.hi;
            for (int other = 0; other < n; other++)
                f.overlap |= begin[n] < end[other] && begin[other] < end[n];
        }
    }
    return f;
}

static void check_side(const struct vector_call *v, const struct shape *s, int side)
{
    struct facts f = look(v, side);
    char *lo = NULL, *hi = NULL;
    if (!f.outside) {
        check_range(s, side, f.lo, f.hi);
    } else {
        ck_assert(armcii_shape_range(s, (enum shape_side)side, &lo, &hi) == SHAPE_OVERFLOW);
        ck_assert_msg(lo == NULL && hi == NULL, "side %d: written although refused", side);
        if (s->form != SHAPE_VECTOR) return; /* asked only after the range */
    }
    ck_assert_msg(armcii_shape_is_disjoint(s, (enum shape_side)side) == (!f.outside && !f.overlap),
                  "side %d: disjoint: expected %d", side, !f.outside && !f.overlap);
}

TEST(vectors_up_to_the_ends_of_the_address_space)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct rng r = rng_start(seed);
        struct vector_call v;
        struct shape s;
        wide bytes = 0;
        any_vector(&v, &r);
        for (size_t k = 0; k < v.nruns; k++)
            bytes += (wide)v.run[k].bytes * (wide)v.run[k].n;
        enum shape_status status = armcii_shape_vector(&s, v.run, v.nruns);
        ck_assert_msg(status == (bytes > PTRDIFF_MAX ? SHAPE_OVERFLOW : SHAPE_OK), "status %d",
                      (int)status);
        if (status != SHAPE_OK) continue;
        ck_assert_msg((wide)s.bytes == bytes, "%zu bytes", s.bytes);
        for (int side = 0; side < 2 && bytes > 0; side++)
            check_side(&v, &s, side);
    }
}
