/* layout.c - slices are cut into zones; a zone is one area, or several that interleave like the
 * teeth of combs. */
#include "model.h"
#include "options.h"

enum { SLOT = 8, LEAST_ZONE = 32 };

long area_unit(const struct program *p, int rank)
{
    long unit = 1;
    for (int r = 0; r < rank; r++)
        unit *= area_budget(p) + 1;
    return unit;
}

/* All digits and the numbers at the beginning fit into the 24 bits of a float. */
int area_budget(const struct program *p)
{
    int bits = 22 / p->ranks;
    return (1 << (bits < 7 ? bits : 7)) - 1;
}

bool area_is_typed(const struct area *a)
{
    if (a->rule == RULE_MAILBOX) return a->type != TYPE_BYTES;
    return a->rule == RULE_OWN_ELEMENTS || a->rule == RULE_SHARED_ACC ||
           a->rule == RULE_SHARED_RMW || a->rule == RULE_LOCKED;
}

bool area_is_unaligned(const struct area *a)
{
    return a->start % SLOT != 0 || a->period % SLOT != 0;
}

/* ---- positions ---- */

static long count_in(const struct area *a, long size)
{
    return a->teeth * (a->width / size);
}

static long offset_of(const struct area *a, long i, long size)
{
    long in_tooth = a->width / size;
    return a->start + i / in_tooth * a->period + i % in_tooth * size;
}

bool area_covers(const struct area *a, long offset)
{
    long at = offset - a->start;
    return at >= 0 && at / a->period < a->teeth && at % a->period < a->width;
}

long area_parts(const struct area *a)
{
    return count_in(a, part_of(a->type));
}

long area_part_at(const struct area *a, long offset)
{
    long part = part_of(a->type), at = offset - a->start;
    return at / a->period * (a->width / part) + at % a->period / part;
}

long area_part_offset(const struct area *a, long part)
{
    return offset_of(a, part, part_of(a->type));
}

long area_cells(const struct area *a)
{
    return count_in(a, size_of(a->type));
}

long area_cell_offset(const struct area *a, long cell)
{
    return offset_of(a, cell, size_of(a->type));
}

/* ---- contents ---- */

/* The cells under a mutex all hold the same number. */
long area_start_number(const struct area *a, long offset)
{
    return pattern_number(a->seed, a->rule == RULE_LOCKED ? 0 : offset, 0);
}

void area_refresh(const struct area *a, char *slice)
{
    for (long i = 0; i < area_parts(a); i++) {
        long offset = area_part_offset(a, i);
        element_store(a->type, slice + offset, area_start_number(a, offset));
    }
}

/* ---- cutting ---- */

static struct area *new_area(struct phase *ph)
{
    if (ph->areas == ph->room) {
        ph->room = ph->room ? 2 * ph->room : 64;
        ph->area = need(realloc(ph->area, (size_t)ph->room * sizeof *ph->area));
    }
    return &ph->area[ph->areas++];
}

static enum rule choose_rule(struct rng *rng, bool comb)
{
    long n = rng_below(rng, 100);
    if (n < 30) return RULE_OWN_BYTES;
    if (n < 52) return has(FAMILY_ACC) || has(FAMILY_RMW) ? RULE_OWN_ELEMENTS : RULE_OWN_BYTES;
    if (n < 72) return has(FAMILY_ACC) ? RULE_SHARED_ACC : RULE_OWN_BYTES;
    if (n < 77) return has(FAMILY_RMW) ? RULE_SHARED_RMW : RULE_OWN_BYTES;
    if (n < 81) return has(FAMILY_LOCK) ? RULE_LOCKED : RULE_OWN_BYTES;
    if (n < 90) return comb ? RULE_OWN_BYTES : RULE_MAILBOX;
    if (n < 96) return comb || !has(FAMILY_LOCAL_IN_GLOBAL) ? RULE_OWN_BYTES : RULE_LOCAL;
    return RULE_READ_ONLY;
}

static int choose_type(struct rng *rng, enum rule rule)
{
    if (rule == RULE_LOCKED) return ARMCI_ACC_LNG;
    if (rule == RULE_SHARED_RMW) return rng_chance(rng, 50) ? ARMCI_ACC_INT : ARMCI_ACC_LNG;
    return (int)rng_below(rng, 6);
}

static int choose_owner(const struct program *p, const struct area *a, struct rng *rng)
{
    const struct group *group = &p->group[p->region[a->region].group];
    if (a->rule == RULE_LOCAL) return a->rank;
    if (a->rule == RULE_OWN_BYTES || a->rule == RULE_OWN_ELEMENTS || a->rule == RULE_MAILBOX)
        return group->member[rng_below(rng, group->n)];
    return -1;
}

/* Rmw is for aligned integers. */
static bool needs_alignment(enum rule rule)
{
    return rule == RULE_SHARED_RMW || rule == RULE_LOCKED;
}

/* Elements may begin anywhere. */
static void shift(struct area *a, struct rng *rng)
{
    if (needs_alignment(a->rule) || a->width < 3 * SLOT || !has(FAMILY_UNALIGNED) ||
        !rng_chance(rng, 30))
        return;
    long by = rng_below(rng, SLOT);
    a->start += by;
    a->width -= by;
}

/* Bytes: neither beginning nor end is aligned. Elements: a whole number of them; few where many
 * meet. */
static void trim(struct area *a, struct rng *rng)
{
    if (a->rule == RULE_MAILBOX) return;
    if (!area_is_typed(a)) {
        long before = rng_below(rng, a->width / 3 < SLOT ? a->width / 3 : SLOT);
        long after = rng_below(rng, a->width / 3 < SLOT ? a->width / 3 : SLOT);
        a->start += before;
        a->width -= before + after;
        return;
    }
    long size = size_of(a->type);
    shift(a, rng);
    if (needs_alignment(a->rule)) {
        a->teeth = a->teeth < 3 ? a->teeth : 3;
        a->width = a->width < 4 * size ? a->width : 4 * size;
    }
    a->width -= a->width % size;
    if (a->width == 0) {
        a->rule = RULE_READ_ONLY;
        a->type = TYPE_BYTES;
        a->owner = -1;
        a->width = SLOT;
    }
}

static void choose_mutex(const struct program *p, struct area *a, struct rng *rng)
{
    do
        a->node = (int)rng_below(rng, p->ranks);
    while (p->mutexes[a->node] == 0);
    a->mutex = (int)rng_below(rng, p->mutexes[a->node]);
}

static void add_area(struct program *p, struct phase *ph, struct area a, struct rng *rng)
{
    do
        a.rule = choose_rule(rng, a.teeth > 1);
    while (needs_alignment(a.rule) && area_is_unaligned(&a));
    a.type = TYPE_BYTES;
    a.owner = choose_owner(p, &a, rng);
    bool numbers = a.rule == RULE_MAILBOX && has(FAMILY_ACC) && rng_chance(rng, 50);
    if (area_is_typed(&a) || numbers) a.type = choose_type(rng, a.rule);
    a.seed = rng_next(rng);
    a.swaps = rng_chance(rng, 40);
    trim(&a, rng);
    if (a.rule == RULE_LOCKED) choose_mutex(p, &a, rng);
    if (a.rule == RULE_SHARED_ACC) {
        a.totals = phase_memory(ph, (size_t)(area_parts(&a) * p->ranks));
        a.done = phase_memory(ph, (size_t)area_parts(&a));
    }
    *new_area(ph) = a;
}

static void add_combs(struct program *p, struct phase *ph, struct area zone, struct rng *rng)
{
    enum { MOST = 4 };
    long width[MOST], period = 0;
    int combs = rng_between(rng, 2, MOST);
    bool odd =
        has(FAMILY_UNALIGNED) && rng_chance(rng, 40); /* strides are multiples of the period */
    for (int i = 0; i < combs; i++)
        period += width[i] = odd ? rng_range(rng, SLOT, 6 * SLOT) : SLOT * rng_range(rng, 1, 6);
    zone.teeth = (int)(zone.width / period);
    if (zone.teeth < 2) {
        zone.teeth = 1;
        zone.period = zone.width;
        add_area(p, ph, zone, rng);
        return;
    }
    zone.period = period;
    for (int i = 0; i < combs; i++) {
        zone.width = width[i];
        add_area(p, ph, zone, rng);
        zone.start += width[i];
    }
}

static void layout_slice(struct program *p, struct phase *ph, int r, int rank, struct rng *rng)
{
    long bytes = p->region[r].bytes[rank], at = 0;
    while (bytes - at >= LEAST_ZONE) {
        long width = rng_range(rng, LEAST_ZONE, options->longest / 64 << rng_below(rng, 6));
        if (bytes - at - width < LEAST_ZONE) width = bytes - at;
        width -= width % SLOT;
        struct area zone = {
            .region = r, .rank = rank, .start = at, .width = width, .period = width, .teeth = 1};
        if (rng_chance(rng, 45))
            add_combs(p, ph, zone, rng);
        else
            add_area(p, ph, zone, rng);
        at += width;
    }
}

void layout_region(struct program *p, struct phase *ph, int r, struct rng *rng)
{
    const struct group *group = &p->group[p->region[r].group];
    for (int i = 0; i < group->n; i++)
        layout_slice(p, ph, r, group->member[i], rng);
}
