/* generate.c - the phases of a program: a layout, then one random step after the other. */
#include "maker.h"
#include "model.h"

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
        {make_transfer, 700, FAMILIES},      {make_access, 30, FAMILY_ACCESS},
        {make_pack, 10, FAMILY_PACK},        {make_rmw, 90, FAMILY_RMW},
        {make_wait, 60, FAMILY_NONBLOCKING}, {make_fence, 25, FAMILY_FENCE},
        {make_sections, 12, FAMILY_LOCK},    {make_telling, 50, FAMILIES},
        {make_message, 10, FAMILY_MESSAGE},  {make_reduce, 8, FAMILY_REDUCE},
        {make_barrier, 3, FAMILY_BARRIER},   {region_step, 9, FAMILY_REGION},
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
    long wanted = (long)options->ops * p->ranks,
         steps = 20 * wanted; /* with few families many steps make nothing */
    while (made(p, ph) < wanted && steps-- > 0)
        step(&m);
}

/* ---- operations of one process ---- */

/* ---- transfers ---- */

/* What may be done in an area with this rule. */
static bool rule_allows(const struct area *a, enum verb verb)
{
    switch (a->rule) {
    case RULE_OWN_BYTES: return verb != ACC;
    case RULE_OWN_ELEMENTS: return true;
    case RULE_SHARED_ACC: return verb == ACC || (verb == GET && !area_is_unaligned(a));
    case RULE_READ_ONLY: return verb == GET;
    default: return false;
    }
}

static bool verb_is_on(enum verb verb)
{
    return has(verb == PUT ? FAMILY_PUT : verb == GET ? FAMILY_GET : FAMILY_ACC);
}

static bool choose_verb(struct maker *m, const struct area *a, enum verb *verb)
{
    static const enum verb verbs[] = {PUT, PUT, GET, GET, ACC, ACC};
    for (int tries = 0; tries < 8; tries++) {
        *verb = verbs[rng_below(&m->rng, 6)];
        if (rule_allows(a, *verb) && verb_is_on(*verb)) return true;
    }
    return false;
}

static bool choose_form(struct maker *m, enum verb verb, enum form *form)
{
    static const enum form forms[] = {CONTIGUOUS, CONTIGUOUS, CONTIGUOUS, STRIDED, STRIDED,
                                      STRIDED,    VECTOR,     VECTOR,     VALUE};
    static const enum family families[] = {FAMILY_CONTIGUOUS, FAMILY_STRIDED, FAMILY_VECTOR,
                                           FAMILY_VALUE};
    for (int tries = 0; tries < 8; tries++) {
        *form = forms[rng_below(&m->rng, 9)];
        if (has(families[*form]) && !(verb == ACC && *form == VALUE)) return true;
    }
    return false;
}

static void choose_mode(struct maker *m, struct op *op)
{
    op->mode = BLOCKING;
    if (!has(FAMILY_NONBLOCKING) || rng_chance(&m->rng, 55)) return;
    op->mode = rng_chance(&m->rng, 70) ? EXPLICIT : IMPLICIT;
    op->handle = op->mode == EXPLICIT ? (int)rng_below(&m->rng, HANDLES) : IMPLICIT_HANDLE;
}

static void choose_scale(struct maker *m, const struct area *a, struct transfer *t)
{
    static const int factors[] = {1, 1, 1, 2, 3, -1, -2, 0};
    bool shared = a->rule == RULE_SHARED_ACC, complex = part_of(a->type) < size_of(a->type);
    t->scale[0] = shared ? rng_between(&m->rng, 1, 3) : factors[rng_below(&m->rng, 8)];
    t->scale[1] = !shared && complex ? rng_between(&m->rng, -1, 2) : 0;
}

static struct content content_for(const struct program *p, const struct op *op,
                                  const struct area *a, enum verb verb)
{
    struct content content = {
        .seed = op->seed, .type = verb == GET ? TYPE_BYTES : a->type, .unit = 0};
    if (verb == ACC && a->rule == RULE_SHARED_ACC) content.unit = area_unit(p, op->rank);
    return content;
}

/* Fill in a transfer of this form in area i.  false: it cannot be. */
static bool shape_op(struct maker *m, struct op *op, int i, enum verb verb, enum form form)
{
    struct area *a = &m->ph->area[i];
    struct wish wish = {.origin = op->rank,
                        .blocking = op->mode == BLOCKING,
                        .area = a,
                        .index = i,
                        .verb = verb,
                        .form = form};
    wish.content = content_for(m->p, op, a, verb);
    if (!shape_transfer(m->p, m->ph, &m->rng, &wish, &op->t)) return false;
    if (verb != ACC) return true;
    choose_scale(m, a, &op->t);
    return a->rule != RULE_SHARED_ACC ||
           shared_add(m->p, a, &op->t, a->totals + op->rank * area_parts(a));
}

static int choose_area(struct maker *m, int rank)
{
    static const enum rule rules[] = {RULE_OWN_BYTES,    RULE_OWN_BYTES,    RULE_OWN_BYTES,
                                      RULE_OWN_ELEMENTS, RULE_OWN_ELEMENTS, RULE_OWN_ELEMENTS,
                                      RULE_SHARED_ACC,   RULE_SHARED_ACC,   RULE_READ_ONLY};
    return make_find_area(m, rules[rng_below(&m->rng, sizeof rules / sizeof rules[0])], rank);
}

/* Some gets leave the buffer as it is before, some puts send what is there. */
static void choose_fill(struct maker *m, struct op *op)
{
    bool reuse = op->t.form != VALUE && op->t.content.type == TYPE_BYTES && rng_chance(&m->rng, 20);
    op->t.fill = !reuse;
}

void make_transfer(struct maker *m)
{
    int rank = make_random_rank(m), area = choose_area(m, rank);
    enum verb verb;
    enum form form;
    if (area < 0 || !choose_verb(m, &m->ph->area[area], &verb) || !choose_form(m, verb, &form))
        return;
    struct op *op = make_op(m, rank, OP_TRANSFER);
    choose_mode(m, op);
    if (form == VALUE && verb == GET) {
        op->mode = BLOCKING;
        op->handle = IMPLICIT_HANDLE;
    }
    if (shape_op(m, op, area, verb, form))
        choose_fill(m, op);
    else
        make_undo(m, rank);
}

void make_access(struct maker *m)
{
    static const enum rule rules[] = {RULE_OWN_BYTES, RULE_OWN_ELEMENTS, RULE_READ_ONLY};
    int rank = make_random_rank(m), area = make_find_area(m, rules[rng_below(&m->rng, 3)], rank);
    enum verb verb;
    if (area < 0 || m->ph->area[area].rank != rank || !choose_verb(m, &m->ph->area[area], &verb))
        return;
    struct op *op = make_op(m, rank, OP_ACCESS);
    if (!shape_op(m, op, area, verb == ACC ? PUT : verb, CONTIGUOUS)) make_undo(m, rank);
}

void make_pack(struct maker *m)
{
    static const enum rule rules[] = {RULE_OWN_BYTES, RULE_OWN_ELEMENTS, RULE_READ_ONLY};
    int rank = make_random_rank(m), area = make_find_area(m, rules[rng_below(&m->rng, 3)], rank);
    if (area < 0 || m->ph->area[area].rank != rank) return;
    struct op *op = make_op(m, rank, OP_PACK);
    if (!shape_op(m, op, area, GET, rng_chance(&m->rng, 70) ? STRIDED : CONTIGUOUS))
        make_undo(m, rank);
}

/* ---- rmw ---- */

/* Values that are swapped into shared cells are unlike all others, and far enough apart for what is
 * added. */
static int choose_operand(struct maker *m, const struct op *op, const struct area *a)
{
    bool swap = op->rmw == ARMCI_SWAP || op->rmw == ARMCI_SWAP_LONG;
    if (a->rule == RULE_OWN_ELEMENTS)
        return rng_between(&m->rng, swap ? -1000 : -5, swap ? 1000 : 5);
    return swap ? (int)((op->sequence + 1) * 4096 & 0x7fffffff) : rng_between(&m->rng, 1, 3);
}

void make_rmw(struct maker *m)
{
    int rank = make_random_rank(m),
        i = make_find_area(m, rng_chance(&m->rng, 70) ? RULE_SHARED_RMW : RULE_OWN_ELEMENTS, rank);
    if (i < 0) return;
    const struct area *a = &m->ph->area[i];
    if ((a->type != ARMCI_ACC_INT && a->type != ARMCI_ACC_LNG) || area_is_unaligned(a)) return;
    struct op *op = make_op(m, rank, OP_RMW);
    bool swap = (a->rule == RULE_OWN_ELEMENTS || a->swaps) && rng_chance(&m->rng, 50);
    op->area = i;
    op->peer = a->rank;
    op->region = a->region;
    op->offset = area_cell_offset(a, rng_below(&m->rng, area_cells(a)));
    op->rmw = swap ? ARMCI_SWAP : ARMCI_FETCH_AND_ADD;
    if (a->type == ARMCI_ACC_LNG) op->rmw = swap ? ARMCI_SWAP_LONG : ARMCI_FETCH_AND_ADD_LONG;
    op->operand = choose_operand(m, op, a);
}

/* ---- completion ---- */

void make_wait(struct maker *m)
{
    static const enum kind kinds[] = {OP_WAIT,          OP_WAIT,           OP_WAIT,
                                      OP_TEST,          OP_WAIT_PROC,      OP_WAIT_ALL,
                                      OP_SET_AGGREGATE, OP_UNSET_AGGREGATE};
    enum kind kind = kinds[rng_below(&m->rng, has(FAMILY_AGGREGATE) ? 8 : 6)];
    struct op *op = make_op(m, make_random_rank(m), kind);
    op->handle = (int)rng_below(&m->rng, HANDLES);
    op->peer = make_random_rank(m);
    if (kind == OP_WAIT && has(FAMILY_WAIT_NULL) && rng_chance(&m->rng, 25))
        op->handle = IMPLICIT_HANDLE;
}

static int group_of(struct maker *m, int rank)
{
    for (int tries = 0; tries < 10; tries++) {
        int g = (int)rng_below(&m->rng, m->p->groups);
        if (m->p->group[g].alive && group_has(&m->p->group[g], rank)) return g;
    }
    return WORLD;
}

void make_fence(struct maker *m)
{
    static const enum kind kinds[] = {OP_FENCE, OP_FENCE, OP_ALL_FENCE, OP_GROUP_FENCE};
    int rank = make_random_rank(m);
    struct op *op = make_op(m, rank, kinds[rng_below(&m->rng, has(FAMILY_GROUP_FENCE) ? 4 : 3)]);
    op->peer = make_random_rank(m);
    op->group = group_of(m, rank);
}
