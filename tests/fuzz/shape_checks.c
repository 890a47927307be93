/* shape_checks.c - everything a shape answers, held against the list of its bytes. */
#include "shape_checks.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shape/copy.h"

static char *first_segment(const struct shape *s, int side)
{
    return side == SHAPE_LOCAL ? s->local : s->remote;
}

void check_walk(const struct sample *m)
{
    struct bytes seen = {0};
    bytes_add_shape(&seen, &m->shape);
    check_same_bytes(m, "walk", &seen);
    bytes_free(&seen);
}

/* Does `level` go on, on both sides, where the one below ends? */
static bool is_dense(const struct shape *s, int level)
{
    for (int side = 0; side < 2; side++) {
        ptrdiff_t unit = level > 1 ? s->stride[side][level - 2] : 1;
        if (s->stride[side][level - 1] != unit * (ptrdiff_t)s->count[level - 1]) return false;
    }
    return true;
}

void check_simplest(const char *text, const struct shape *s)
{
    if (s->form == SHAPE_VECTOR) {
        ck_assert_msg(s->nsegs > 1, "%s: a vector of %zu segments", text, s->nsegs);
        return;
    }
    ck_assert_msg((s->form == SHAPE_CONTIGUOUS) == (s->levels == 0), "%s: form %d, %d levels", text, (int)s->form,
                  s->levels);
    for (int level = 1; level <= s->levels; level++) {
        ck_assert_msg(s->count[level] > 1, "%s: level %d has count %zu", text, level, s->count[level]);
        ck_assert_msg(!is_dense(s, level), "%s: level %d could be merged", text, level);
    }
}

void check_hull(const struct sample *m)
{
    for (int side = 0; side < 2; side++) {
        uintptr_t want_lo = UINTPTR_MAX, want_hi = 0;
        char *lo, *hi;
        for (size_t i = 0; i < m->expected.n; i++) {
            uintptr_t at = (uintptr_t)m->expected.pair[i].at[side];
            want_lo = at < want_lo ? at : want_lo;
            want_hi = at + 1 > want_hi ? at + 1 : want_hi;
        }
        enum shape_status status = armcii_shape_range(&m->shape, (enum shape_side)side, &lo, &hi);
        ck_assert_msg(status == SHAPE_OK, "%s: range of side %d: status %d", m->text, side, (int)status);
        bool same = m->expected.n == 0 ? lo == hi : (uintptr_t)lo == want_lo && (uintptr_t)hi == want_hi;
        ck_assert_msg(same, "%s: range of side %d: %zu bytes from arena + %td", m->text, side, (size_t)(hi - lo),
                      lo - m->arena[side]);
    }
}

/* The same bytes in another order: the levels turned round, walked backwards. */
static struct shape turned(const struct shape *s)
{
    struct shape t = *s;
    for (int level = 0; level < s->levels; level++) {
        int other = s->levels - 1 - level;
        t.count[level + 1] = s->count[other + 1];
        for (int side = 0; side < 2; side++)
            t.stride[side][level] = -s->stride[side][other];
    }
    return t;
}

void check_disjoint(const struct sample *m)
{
    struct shape other = turned(&m->shape);
    for (int side = 0; side < 2; side++) {
        bool is = sample_is_disjoint(m, (enum shape_side)side);
        bool said = armcii_shape_is_disjoint(&m->shape, (enum shape_side)side);
        bool must = m->shape.form == SHAPE_VECTOR || armcii_shape_nests(&m->shape, (enum shape_side)side);
        ck_assert_msg(is || !said, "%s: side %d overlaps itself: said to be disjoint", m->text, side);
        ck_assert_msg(said || !is || !must, "%s: side %d is disjoint: said to overlap", m->text, side);
        ck_assert_msg(said == armcii_shape_is_disjoint(&other, (enum shape_side)side),
                      "%s: side %d: disjoint in one order of the levels only", m->text, side);
    }
}

/* In a dense array whose rows are the strides, does segment number n, `offset` bytes from the first one, stand at the
 * indices that it has in the block? */
static bool is_at(const struct shape *s, int side, ptrdiff_t offset, size_t n)
{
    for (int level = 0; level < s->levels; level++) {
        ptrdiff_t row = s->stride[side][level], above = PTRDIFF_MAX;
        if (level + 1 < s->levels) above = s->stride[side][level + 1];
        if (offset < 0 || offset % above / row != (ptrdiff_t)(n % s->count[level + 1])) return false;
        n /= s->count[level + 1];
    }
    return s->levels == 0 ? offset == 0 : offset % s->stride[side][0] == 0;
}

/* By the definition of a dense array: whole rows of rows, and all of the block inside of them. */
static bool nests_by_definition(const struct shape *s, int side)
{
    ptrdiff_t row = 1;
    for (int level = 0; level < s->levels; level++) {
        ptrdiff_t stride = s->stride[side][level];
        if (stride < 1 || stride % row != 0 || (ptrdiff_t)s->count[level] * row > stride) return false;
        row = stride;
    }
    return s->form != SHAPE_VECTOR;
}

void check_nests(const struct sample *m)
{
    const struct shape *s = &m->shape;
    for (int side = 0; side < 2; side++) {
        bool said = armcii_shape_nests(s, (enum shape_side)side);
        ck_assert_msg(said == nests_by_definition(s, side), "%s: side %d: said to nest: %d", m->text, side, said);
        if (!said) continue;
        struct shape_iter it;
        struct segment seg;
        armcii_shape_begin(&it, s);
        for (size_t n = 0; armcii_shape_next(&it, &seg); n++) {
            ptrdiff_t offset = (side == SHAPE_LOCAL ? seg.local : seg.remote) - first_segment(s, side);
            ck_assert_msg(is_at(s, side, offset, n), "%s: side %d: segment %zu is elsewhere in the array", m->text,
                          side, n);
        }
    }
}

/* By looking at every segment. */
static bool all_aligned(const struct shape *s, int side, size_t unit)
{
    struct shape_iter it;
    struct segment seg;
    armcii_shape_begin(&it, s);
    while (armcii_shape_next(&it, &seg))
        if ((uintptr_t)(side == SHAPE_LOCAL ? seg.local : seg.remote) % unit != 0 || seg.bytes % unit != 0)
            return false;
    return true;
}

void check_aligned(const struct sample *m)
{
    for (size_t unit = 1; unit <= 16; unit *= 2)
        for (int side = 0; side < 2; side++)
            ck_assert_msg(armcii_shape_is_aligned(&m->shape, (enum shape_side)side, unit) ==
                              all_aligned(&m->shape, side, unit),
                          "%s: side %d, multiples of %zu: expected %d", m->text, side, unit,
                          all_aligned(&m->shape, side, unit));
}

void check_parts(const struct sample *m, size_t limit)
{
    const struct shape *s = &m->shape;
    if (s->form == SHAPE_VECTOR) return;
    size_t position = 0, most = limit < 16 ? 16 : limit, parts = 0;
    struct bytes seen = {0};
    struct shape part;
    for (; armcii_shape_part(s, limit, &position, &part); parts++) {
        size_t within = seen.n % s->count[0], piece = s->count[0] <= most ? s->count[0] : 16;
        ck_assert_msg(part.bytes > 0 && part.bytes <= most, "%s: limit %zu: a part of %zu bytes", m->text, limit,
                      part.bytes);
        ck_assert_msg(within % piece == 0, "%s: limit %zu: a segment is cut at %zu", m->text, limit, within);
        check_simplest(m->text, &part);
        bytes_add_shape(&seen, &part);
        ck_assert_msg(position == seen.n, "%s: limit %zu: position %zu after %zu bytes", m->text, limit, position,
                      seen.n);
    }
    check_same_bytes(m, "parts", &seen);
    bytes_free(&seen);
    ck_assert_msg(most < s->bytes || parts == (s->bytes > 0), "%s: limit %zu: %zu parts", m->text, limit, parts);
}

/* ---- packing */

static void check_pack(const struct sample *m, int side, char *buffer)
{
    size_t n = m->expected.n;
    armcii_shape_pack(&m->shape, (enum shape_side)side, buffer);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(buffer[i] == *m->expected.pair[i].at[side], "%s: side %d: byte %zu is packed wrongly", m->text,
                      side, i);
}

static void check_unpack(const struct sample *m, int side, char *buffer, char *want)
{
    size_t n = m->expected.n;
    for (size_t i = 0; i < n; i++)
        buffer[i] = (char)(buffer[i] + 1 + (char)(i % 100));
    memcpy(want, m->arena[side], m->size[side]);
    for (size_t i = 0; i < n; i++)
        want[m->expected.pair[i].at[side] - m->arena[side]] = buffer[i];
    armcii_shape_unpack(&m->shape, (enum shape_side)side, buffer);
    for (size_t i = 0; i < m->size[side]; i++)
        ck_assert_msg(m->arena[side][i] == want[i], "%s: side %d: byte %zu is unpacked wrongly", m->text, side, i);
}

void check_packing(const struct sample *m)
{
    for (int side = 0; side < 2; side++) {
        char *buffer = malloc(m->expected.n + !m->expected.n), *want = malloc(m->size[side] + 1);
        ck_assert(buffer != NULL && want != NULL);
        check_pack(m, side, buffer);
        check_unpack(m, side, buffer, want);
        free(buffer);
        free(want);
    }
}

/* ---- copies between both sides; the remote one is in memory of its own, at its addresses + delta */

static void copy_to(const struct sample *m, enum shape_side to, char *mapped, char *want)
{
    ptrdiff_t delta = mapped - m->arena[SHAPE_REMOTE];
    char *target = to == SHAPE_REMOTE ? mapped : m->arena[SHAPE_LOCAL];
    memcpy(want, target, m->size[to]);
    for (size_t i = 0; i < m->expected.n; i++) {
        const struct pair *p = &m->expected.pair[i];
        char from = to == SHAPE_REMOTE ? *p->at[SHAPE_LOCAL] : p->at[SHAPE_REMOTE][delta];
        want[p->at[to] - m->arena[to]] = from;
    }
    armcii_copy_shape(&m->shape, to, delta);
    for (size_t i = 0; i < m->size[to]; i++)
        ck_assert_msg(target[i] == want[i], "%s: copy to side %d: byte %zu of the arena", m->text, (int)to, i);
}

void check_copy(const struct sample *m)
{
    size_t size = m->size[SHAPE_REMOTE], most = size > m->size[SHAPE_LOCAL] ? size : m->size[SHAPE_LOCAL];
    char *mapped = malloc(size + !size), *want = malloc(most + 1);
    ck_assert(mapped != NULL && want != NULL);
    for (size_t i = 0; i < size; i++)
        mapped[i] = (char)(i * 11 + i / 256);
    copy_to(m, SHAPE_REMOTE, mapped, want);
    for (size_t i = 0; i < size; i++)
        mapped[i] = (char)(mapped[i] + 1 + (char)(i % 50));
    copy_to(m, SHAPE_LOCAL, mapped, want);
    free(mapped);
    free(want);
}

static void check_packed_copy(const struct sample *m, char *buffer)
{
    struct sample packed = *m;
    packed.arena[SHAPE_LOCAL] = buffer;
    packed.size[SHAPE_LOCAL] = m->expected.n;
    memset(buffer, 0x35, m->expected.n + 1);
    check_copy(&packed);
    ck_assert_msg(buffer[m->expected.n] == 0x35, "%s: copied beyond a packed buffer", m->text);
}

void check_packed_side(struct sample *m, size_t limit)
{
    char *buffer = malloc(m->expected.n + 1), *lo, *hi;
    ck_assert_ptr_nonnull(buffer);
    struct bytes seen = {0};
    for (size_t i = 0; i < m->expected.n; i++)
        m->expected.pair[i].at[SHAPE_LOCAL] = buffer + i;
    armcii_shape_set_packed(&m->shape, buffer);
    bytes_add_shape(&seen, &m->shape);
    check_same_bytes(m, "packed", &seen);
    check_simplest(m->text, &m->shape);
    ck_assert_msg(armcii_shape_is_disjoint(&m->shape, SHAPE_LOCAL), "%s: packed, but said to overlap", m->text);
    enum shape_status status = armcii_shape_range(&m->shape, SHAPE_LOCAL, &lo, &hi);
    ck_assert_msg(status == SHAPE_OK && lo == buffer && hi == buffer + m->expected.n, "%s: range of a packed side",
                  m->text);
    check_parts(m, limit);
    check_packed_copy(m, buffer);
    bytes_free(&seen);
    free(buffer);
}
