/* fuzz_wild.c - strided and vector calls with any arguments: what is refused, and sums and products
 * up to the ends of the address space, against 128-bit arithmetic. */
#include <check.h>
#include <string.h>

#include "input.h"
#include "shape_model.h"

enum { PARTS = 24, SEGMENTS = 24, PAIRS = 8 };

/* Wide enough for any address that arguments of 32 and 64 bits can lead to. */
typedef __int128 wide;

/* Arguments of a strided call.  No memory stands behind these addresses. */
struct strided_call {
    int levels, count[SHAPE_MAX_LEVELS + 1], stride[2][SHAPE_MAX_LEVELS];
    uintptr_t base[2];
};

/* Any levels (also too few, too many), counts, strides and addresses. */
static void call_wild(struct strided_call *c, struct input *in)
{
    *c = (struct strided_call){.levels = input_between(in, -2, SHAPE_MAX_LEVELS + 2)};
    for (int i = 0; i <= SHAPE_MAX_LEVELS; i++)
        c->count[i] = i <= c->levels ? input_int(in) : 0;
    for (int i = 0; i < c->levels && i < SHAPE_MAX_LEVELS; i++)
        for (int side = 0; side < 2; side++)
            c->stride[side][i] = input_int(in);
    for (int side = 0; side < 2; side++)
        c->base[side] = input_word(in);
}

static enum shape_status call_shape(const struct strided_call *c, struct shape *s)
{
    return armcii_shape_strided(s, (void *)c->base[SHAPE_LOCAL], c->stride[SHAPE_LOCAL],
                                (void *)c->base[SHAPE_REMOTE], c->stride[SHAPE_REMOTE], c->count,
                                c->levels);
}

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

/* Address of byte number n of the call. */
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

/* Ends of all bytes of a call that is not empty. */
static void call_range(const struct strided_call *c, int side, wide *lo, wide *hi)
{
    *lo = (wide)c->base[side];
    *hi = *lo + c->count[0];
    for (int level = 1; level <= c->levels; level++) {
        wide reach = (wide)(c->count[level] - 1) * c->stride[side][level - 1];
        *(reach < 0 ? lo : hi) += reach;
    }
}

/* Address of byte number n of a contiguous or strided shape. */
static wide shape_address(const struct shape *s, int side, size_t n)
{
    wide at = (wide)(uintptr_t)(side == SHAPE_LOCAL ? s->local : s->remote) + n % s->count[0];
    n /= s->count[0];
    for (int level = 1; level <= s->levels; level++) {
        at += (wide)(n % s->count[level]) * s->stride[side][level - 1];
        n /= s->count[level];
    }
    return at;
}

/* A number in 0..n-1, for any n > 0. */
static wide below(struct input *in, wide n)
{
    return (wide)input_word(in) % n;
}

static bool same_address(const char *at, wide want)
{
    return (wide)(uintptr_t)at == want;
}

/* ---- strided */

static bool leaves_address_space(const struct strided_call *c)
{
    for (int side = 0; side < 2; side++) {
        wide lo, hi;
        call_range(c, side, &lo, &hi);
        if (lo < 0 || hi > (wide)UINTPTR_MAX) return true;
    }
    return false;
}

/* No object is at address 0: C does not let pointers come to it. */
static bool reaches_zero(const struct strided_call *c)
{
    for (int side = 0; side < 2; side++) {
        wide lo, hi;
        call_range(c, side, &lo, &hi);
        if (lo == 0) return true;
    }
    return false;
}

static enum shape_status expected_status(const struct strided_call *c)
{
    if (c->levels < 0 || c->levels > SHAPE_MAX_LEVELS) return SHAPE_BAD_LEVELS;
    for (int i = 0; i <= c->levels; i++)
        if (c->count[i] < 0) return SHAPE_BAD_COUNT;
    wide bytes = call_bytes(c);
    if (bytes == 0) return SHAPE_OK;
    return bytes > PTRDIFF_MAX || leaves_address_space(c) ? SHAPE_OVERFLOW : SHAPE_OK;
}

static void check_ends(const struct strided_call *c, const struct shape *s)
{
    for (int side = 0; side < 2; side++) {
        wide want_lo, want_hi;
        char *lo, *hi;
        call_range(c, side, &want_lo, &want_hi);
        ck_assert(armcii_shape_range(s, (enum shape_side)side, &lo, &hi) == SHAPE_OK);
        ck_assert_msg(same_address(lo, want_lo) && same_address(hi, want_hi),
                      "range of side %d: [%p, %p)", side, (void *)lo, (void *)hi);
    }
}

/* Bytes picked by the input are where the call puts them. */
static void check_bytes(const struct strided_call *c, const struct shape *s, struct input *in)
{
    for (int i = 0; i < PAIRS; i++) {
        wide n = below(in, (wide)s->bytes);
        for (int side = 0; side < 2; side++)
            ck_assert_msg(shape_address(s, side, (size_t)n) == call_address(c, side, n),
                          "byte %zu of side %d is elsewhere", (size_t)n, side);
    }
}

static void check_first_segments(const struct strided_call *c, const struct shape *s)
{
    struct shape_iter it;
    struct segment seg;
    wide n = 0;
    armcii_shape_begin(&it, s);
    for (int i = 0; i < SEGMENTS && armcii_shape_next(&it, &seg); i++) {
        ck_assert_msg(seg.bytes == s->count[0] &&
                          same_address(seg.local, call_address(c, SHAPE_LOCAL, n)) &&
                          same_address(seg.remote, call_address(c, SHAPE_REMOTE, n)),
                      "segment %d is elsewhere", i);
        n += (wide)seg.bytes;
    }
    ck_assert(n == (wide)s->bytes || n == SEGMENTS * (wide)s->count[0]);
}

/* No two segments picked by the input touch a byte in common on a side that is said to be disjoint.
 */
static void check_claims(const struct strided_call *c, const struct shape *s, struct input *in)
{
    for (int side = 0; side < 2; side++) {
        bool disjoint = armcii_shape_is_disjoint(s, (enum shape_side)side);
        ck_assert_msg(disjoint || !armcii_shape_nests(s, (enum shape_side)side),
                      "side %d nests, but overlaps", side);
        for (int i = 0; disjoint && i < PAIRS; i++) {
            wide a = below(in, (wide)s->bytes), b = below(in, (wide)s->bytes);
            ck_assert_msg(a == b || call_address(c, side, a) != call_address(c, side, b),
                          "bytes %zu and %zu of side %d are the same", (size_t)a, (size_t)b, side);
        }
    }
}

static void check_alignment(const struct strided_call *c, const struct shape *s, struct input *in)
{
    size_t unit = (size_t)1 << input_between(in, 0, 12);
    for (int side = 0; side < 2; side++) {
        bool said = armcii_shape_is_aligned(s, (enum shape_side)side, unit);
        for (int i = 0; said && i < PAIRS; i++) {
            wide n = below(in, (wide)s->bytes);
            ck_assert_msg(call_address(c, side, n - n % (wide)unit) % (wide)unit == 0,
                          "byte %zu of side %d", (size_t)n, side);
        }
        bool bits = (c->base[side] | (size_t)c->count[0]) % unit != 0;
        for (int level = 0; level < c->levels; level++)
            bits |= c->count[level + 1] > 1 && c->stride[side][level] % (int)unit != 0;
        ck_assert_msg(said || bits, "side %d is aligned to %zu", side, unit);
    }
}

/* The first parts begin where the one before ended, and are the bytes of the whole. */
static void check_first_parts(const struct strided_call *c, const struct shape *s, struct input *in)
{
    size_t limit = (size_t)input_word(in), most = limit < 16 ? 16 : limit, position = 0, before = 0;
    struct shape part;
    for (int i = 0; i < PARTS && armcii_shape_part(s, limit, &position, &part);
         i++, before = position) {
        ck_assert_msg(part.bytes > 0 && part.bytes <= most && part.bytes == position - before,
                      "limit %zu: part of %zu bytes at %zu", limit, part.bytes, before);
        check_simplest("part", &part);
        size_t picked[] = {0, part.bytes - 1, (size_t)below(in, (wide)part.bytes)};
        for (int k = 0; k < 6; k++)
            ck_assert_msg(shape_address(&part, k % 2, picked[k / 2]) ==
                              call_address(c, k % 2, (wide)before + (wide)picked[k / 2]),
                          "limit %zu: byte %zu of the part at %zu", limit, picked[k / 2], before);
    }
    ck_assert_msg(position <= s->bytes, "position %zu", position);
}

static void check_set_packed(const struct strided_call *c, struct shape *s, struct input *in)
{
    const uintptr_t buffer = 1 << 12;
    armcii_shape_set_packed(s, (char *)buffer);
    check_simplest("packed", s);
    for (int i = 0; i < PAIRS; i++) {
        wide n = below(in, (wide)s->bytes);
        ck_assert_msg(shape_address(s, SHAPE_LOCAL, (size_t)n) == (wide)buffer + n,
                      "byte %zu, packed", (size_t)n);
        ck_assert_msg(shape_address(s, SHAPE_REMOTE, (size_t)n) == call_address(c, SHAPE_REMOTE, n),
                      "byte %zu opposite a packed one", (size_t)n);
    }
}

static void strided(struct input *in)
{
    struct strided_call c;
    struct shape s, before;
    call_wild(&c, in);
    memset(&before, 0x5a, sizeof before);
    memcpy(&s, &before, sizeof s);
    enum shape_status status = call_shape(&c, &s), want = expected_status(&c);
    ck_assert_msg(status == want, "status: expected %d, seen %d", (int)want, (int)status);
    if (status != SHAPE_OK) {
        ck_assert_msg(memcmp(&s, &before, sizeof s) == 0, "written although refused");
        return;
    }
    ck_assert_msg((wide)s.bytes == call_bytes(&c), "%zu bytes", s.bytes);
    check_simplest("wild", &s);
    if (s.bytes == 0) return;
    check_ends(&c, &s);
    if (reaches_zero(&c)) return;
    check_bytes(&c, &s, in);
    check_first_segments(&c, &s);
    check_claims(&c, &s, in);
    check_alignment(&c, &s, in);
    check_first_parts(&c, &s, in);
    check_set_packed(&c, &s, in);
}

/* ---- vector */

enum { RUNS = 3, MEMBERS = 4 };

struct vector_call {
    struct vector_run run[RUNS];
    size_t nruns;
    void *at[2][RUNS][MEMBERS];
};

/* Any lengths and addresses.  A run that moves nothing may be told to have any number of segments.
 */
static void choose_runs(struct vector_call *v, struct input *in)
{
    v->nruns = (size_t)input_between(in, 0, RUNS);
    for (size_t r = 0; r < v->nruns; r++) {
        size_t bytes = input_word(in), n = input_byte(in) % (MEMBERS + 1);
        if (bytes == 0) n = input_word(in);
        v->run[r] = (struct vector_run){v->at[0][r], v->at[1][r], bytes, n};
        for (int i = 0; i < 2 * MEMBERS; i++)
            v->at[i % 2][r][i / 2] = (void *)input_word(in);
    }
}

/* Does a segment of that side leave the address space, or overlap another one?  Its ends otherwise.
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
    for (size_t r = 0; r < v->nruns; r++) {
        if (v->run[r].bytes == 0) continue;
        for (size_t i = 0; i < v->run[r].n; i++, n++) {
            begin[n] = (wide)(uintptr_t)v->at[side][r][i];
            end[n] = begin[n] + (wide)v->run[r].bytes;
            f.outside |= end[n] > (wide)UINTPTR_MAX;
            f.lo = begin[n] < f.lo ? begin[n] : f.lo;
            f.hi = end[n] > f.hi ? end[n] : f.hi;
            for (int k = 0; k < n; k++)
                f.overlap |= begin[n] < end[k] && begin[k] < end[n];
        }
    }
    return f;
}

static wide bytes_of_runs(const struct vector_call *v)
{
    wide total = 0;
    for (size_t r = 0; r < v->nruns; r++)
        total += (wide)v->run[r].bytes * (wide)v->run[r].n;
    return total;
}

static void check_side(const struct vector_call *v, const struct shape *s, int side)
{
    struct facts f = look(v, side);
    char *lo = NULL, *hi = NULL;
    enum shape_status status = armcii_shape_range(s, (enum shape_side)side, &lo, &hi);
    ck_assert_msg(status == (f.outside ? SHAPE_OVERFLOW : SHAPE_OK), "range of side %d: status %d",
                  side, (int)status);
    if (f.outside)
        ck_assert_msg(lo == NULL && hi == NULL, "range of side %d: written although refused", side);
    else
        ck_assert_msg(same_address(lo, f.lo) && same_address(hi, f.hi),
                      "range of side %d: [%p, %p)", side, (void *)lo, (void *)hi);
    if (s->form != SHAPE_VECTOR && f.outside) return; /* asked only after the range */
    ck_assert_msg(armcii_shape_is_disjoint(s, (enum shape_side)side) == (!f.outside && !f.overlap),
                  "side %d: disjoint: expected %d", side, !f.outside && !f.overlap);
}

static void vector(struct input *in)
{
    struct vector_call v;
    struct shape s;
    choose_runs(&v, in);
    wide bytes = bytes_of_runs(&v);
    enum shape_status status = armcii_shape_vector(&s, v.run, v.nruns);
    ck_assert_msg(status == (bytes > PTRDIFF_MAX ? SHAPE_OVERFLOW : SHAPE_OK), "status %d",
                  (int)status);
    if (status != SHAPE_OK) return;
    ck_assert_msg((wide)s.bytes == bytes, "%zu bytes", s.bytes);
    for (int side = 0; side < 2 && bytes > 0; side++)
        check_side(&v, &s, side);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    if (input_byte(&in) % 2)
        vector(&in);
    else
        strided(&in);
    return 0;
}
