/* shared.c - counting in shared areas. */
#include "shared.h"

#include <string.h>

#include "layout.h"

/* Add sign * what the accumulate adds, up to the segment `last` (inclusive, -1: all).  Returns the segment that passed the budget,
 * or -1. */
static int add(const struct program *p, const struct area *a, const struct transfer *t, int sign, int last, unsigned char counts[])
{
    struct walk w;
    struct segment s;
    long part = part_of(a->type);
    int at = 0, over = -1;
    for (walk_begin(&w, t); over < 0 && (last < 0 || at <= last) && walk_next(&w, &s); at++)
        for (long i = 0; i < s.bytes; i += part) {
            unsigned char *count = &counts[area_part_at(a, s.remote + i)];
            *count = (unsigned char)(*count + sign * t->scale[0] * pattern_number(t->content.seed, s.local + i, 1));
            if (*count > area_budget(p)) over = at;
        }
    return over;
}

/* A segment adds at most 6 to a part: no counter wraps before it is seen to be too large. */
bool shared_add(const struct program *p, const struct area *a, const struct transfer *t, unsigned char counts[])
{
    int over = add(p, a, t, 1, -1, counts);
    if (over >= 0) add(p, a, t, -1, over, counts);
    return over < 0;
}

static bool is_shared_acc(const struct op *op)
{
    return op->kind == OP_TRANSFER && op->t.verb == ACC && op->t.area >= 0;
}

void shared_recount(struct program *p, struct phase *ph)
{
    for (int i = 0; i < ph->areas; i++)
        if (ph->area[i].totals) memset(ph->area[i].totals, 0, (size_t)(area_parts(&ph->area[i]) * p->ranks));
    for (int rank = 0; rank < p->ranks; rank++)
        for (int i = 0; i < ph->stream[rank].n; i++) {
            const struct op *op = &ph->stream[rank].op[i];
            if (!is_shared_acc(op)) continue;
            const struct area *a = &ph->area[op->t.area];
            add(p, a, &op->t, 1, -1, a->totals + rank * area_parts(a));
        }
}

bool shared_may_be(const struct program *p, const struct area *a, long part, long seen, long *least, int *rank)
{
    long start = area_start_number(a, area_part_offset(a, part)), rest = seen - start, base = area_budget(p) + 1;
    *least = start + a->done[part] * area_unit(p, p->me);
    *rank = p->me;
    for (int r = 0; r < p->ranks; r++) {
        long digit = rest % base;
        rest /= base;
        long total = a->totals[r * area_parts(a) + part];
        if (digit >= 0 && digit <= total && (r != p->me || digit == a->done[part])) continue;
        *rank = r;
        return false;
    }
    return rest == 0;
}
