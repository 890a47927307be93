/* call.c - arguments of strided calls with any numbers in them, and their addresses. */
#include "call.h"

static const uintptr_t middle = (uintptr_t)1 << 62;

void call_wild(struct strided_call *c, struct input *in)
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

void call_of_units(struct strided_call *c, struct input *in, int most, int unit)
{
    *c = (struct strided_call){.levels = input_between(in, 0, 8), .base = {middle, 2 * middle}};
    c->count[0] = unit * input_between(in, 0, 63);
    int total = c->count[0];
    for (int level = 1; level <= c->levels; level++) {
        int n = input_between(in, 0, 15), below[2] = {c->count[0], c->count[0]};
        c->count[level] = total * n > most ? 1 : n;
        for (int side = 0; side < 2; side++) {
            if (level > 1) below[side] = c->stride[side][level - 2];
            int64_t dense = (int64_t)below[side] * (level > 1 ? c->count[level - 1] : 1);
            int64_t stride = input_byte(in) % 2 ? dense + (int64_t)below[side] * (input_byte(in) % 4) : input_int(in);
            c->stride[side][level - 1] = (int)(int32_t)stride;
        }
        total *= c->count[level];
    }
}

enum shape_status call_shape(const struct strided_call *c, struct shape *s)
{
    return armcii_shape_strided(s, (void *)c->base[SHAPE_LOCAL], c->stride[SHAPE_LOCAL], (void *)c->base[SHAPE_REMOTE],
                                c->stride[SHAPE_REMOTE], c->count, c->levels);
}

wide call_bytes(const struct strided_call *c)
{
    const wide most = (wide)1 << 100;
    wide total = 1;
    for (int i = 0; i <= c->levels; i++) {
        if (c->count[i] == 0) return 0;
        total = total > most / c->count[i] ? most : total * c->count[i];
    }
    return total;
}

wide call_address(const struct strided_call *c, int side, wide n)
{
    wide at = (wide)c->base[side] + n % c->count[0];
    n /= c->count[0];
    for (int level = 1; level <= c->levels; level++) {
        at += n % c->count[level] * c->stride[side][level - 1];
        n /= c->count[level];
    }
    return at;
}

void call_hull(const struct strided_call *c, int side, wide *lo, wide *hi)
{
    *lo = (wide)c->base[side];
    *hi = *lo + c->count[0];
    for (int level = 1; level <= c->levels; level++) {
        wide way = (wide)(c->count[level] - 1) * c->stride[side][level - 1];
        *(way < 0 ? lo : hi) += way;
    }
}

wide shape_address(const struct shape *s, int side, size_t n)
{
    wide at = (wide)(uintptr_t)(side == SHAPE_LOCAL ? s->local : s->remote) + n % s->count[0];
    n /= s->count[0];
    for (int level = 1; level <= s->levels; level++) {
        at += (wide)(n % s->count[level]) * s->stride[side][level - 1];
        n /= s->count[level];
    }
    return at;
}
