/* generate.c - the phases of a program: a layout, then one random step after the other. */
#include "generate.h"

#include "layout.h"
#include "maker.h"

void generate_begin(struct program *p)
{
    struct rng rng = rng_start(p->seed ^ 0x6d757465u);
    for (int r = 0; r < p->ranks; r++)
        p->mutexes[r] = (int)rng_below(&rng, MAX_MUTEXES + 1);
    if (p->mutexes[0] == 0) p->mutexes[0] = 1;
}

struct op *make_op(struct maker *m, int rank, enum kind kind)
{
    struct op *op = phase_append(m->p, m->ph, rank, kind);
    op->seed = rng_next(&m->rng);
    return op;
}

void make_undo(struct maker *m, int rank)
{
    m->ph->stream[rank].n--;
}

int make_random_rank(struct maker *m)
{
    return (int)rng_below(&m->rng, m->p->ranks);
}

static bool may_use(const struct program *p, const struct area *a, int rank)
{
    if (rank < 0) return true;
    if (a->owner >= 0) return a->owner == rank;
    return group_has(&p->group[p->region[a->region].group], rank);
}

int make_find_area(struct maker *m, enum rule rule, int rank)
{
    for (int tries = 0; tries < 20 && m->ph->areas > 0; tries++) {
        int i = (int)rng_below(&m->rng, m->ph->areas);
        const struct area *a = &m->ph->area[i];
        if (a->rule == rule && m->p->region[a->region].alive && may_use(m->p, a, rank)) return i;
    }
    return -1;
}

static int alive_regions(const struct program *p)
{
    int n = 0;
    for (int r = 0; r < p->regions; r++)
        n += p->region[r].alive;
    return n;
}

static void region_step(struct maker *m)
{
    enum { MOST_ALIVE = 7, LEAST_ALIVE = 2 };
    int alive = alive_regions(m->p);
    if (alive > LEAST_ALIVE && rng_chance(&m->rng, alive >= MOST_ALIVE ? 100 : 40))
        make_region_end(m);
    else
        make_region(m, has(FAMILY_GROUP) ? -1 : WORLD);
}

static void group_step(struct maker *m)
{
    if (rng_chance(&m->rng, 60))
        make_group(m);
    else
        make_group_end(m);
}

static void step(struct maker *m)
{
    static const struct {
        void (*make)(struct maker *);
        int weight;
        enum family family;
    } steps[] = {
        {make_transfer, 700, FAMILIES},   {make_access, 30, FAMILY_ACCESS},    {make_pack, 10, FAMILY_PACK},
        {make_rmw, 90, FAMILY_RMW},       {make_wait, 60, FAMILY_NONBLOCKING}, {make_fence, 25, FAMILY_FENCE},
        {make_sections, 12, FAMILY_LOCK}, {make_telling, 50, FAMILIES},        {make_message, 10, FAMILY_MESSAGE},
        {make_reduce, 8, FAMILY_REDUCE},  {make_barrier, 3, FAMILY_BARRIER},   {region_step, 9, FAMILY_REGION},
        {group_step, 8, FAMILY_GROUP},
    };
    enum { STEPS = sizeof steps / sizeof steps[0] };
    int total = 0, at = 0;
    for (int i = 0; i < STEPS; i++)
        total += steps[i].weight;
    long n = rng_below(&m->rng, total);
    while (n >= steps[at].weight)
        n -= steps[at++].weight;
    m->p->units++;
    if (steps[at].family == FAMILIES || has(steps[at].family)) steps[at].make(m);
}

static void begin_program(struct maker *m)
{
    if (has(FAMILY_LOCK)) {
        m->p->units++;
        make_mutexes(m);
    }
    for (int i = rng_between(&m->rng, 2, 3); i > 0; i--) {
        m->p->units++;
        make_region(m, WORLD);
    }
}

static long made(const struct program *p, const struct phase *ph)
{
    long n = 0;
    for (int r = 0; r < p->ranks; r++)
        n += ph->stream[r].n;
    return n;
}

void generate_phase(struct program *p, struct phase *ph)
{
    struct maker m = {p, ph, rng_start(ph->seed)};
    for (int r = 0; r < p->regions; r++)
        if (p->region[r].alive) layout_region(p, ph, r, &m.rng);
    if (ph->number == 0) begin_program(&m);
    long wanted = (long)options->ops * p->ranks, steps = 20 * wanted; /* with few families many steps make nothing */
    while (made(p, ph) < wanted && steps-- > 0)
        step(&m);
}
