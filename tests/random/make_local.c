/* make_local.c - random operations that concern one process and its target. */
#include "layout.h"
#include "maker.h"
#include "shapes.h"
#include "shared.h"

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
    static const enum form forms[] = {CONTIGUOUS, CONTIGUOUS, CONTIGUOUS, STRIDED, STRIDED, STRIDED, VECTOR, VECTOR, VALUE};
    static const enum family families[] = {FAMILY_CONTIGUOUS, FAMILY_STRIDED, FAMILY_VECTOR, FAMILY_VALUE};
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

static struct content content_for(const struct program *p, const struct op *op, const struct area *a, enum verb verb)
{
    struct content content = {.seed = op->seed, .type = verb == GET ? TYPE_BYTES : a->type, .unit = 0};
    if (verb == ACC && a->rule == RULE_SHARED_ACC) content.unit = area_unit(p, op->rank);
    return content;
}

/* Fill in a transfer of this form in area i.  false: it cannot be. */
static bool shape_op(struct maker *m, struct op *op, int i, enum verb verb, enum form form)
{
    struct area *a = &m->ph->area[i];
    struct wish wish = {.origin = op->rank, .blocking = op->mode == BLOCKING, .area = a, .index = i, .verb = verb, .form = form};
    wish.content = content_for(m->p, op, a, verb);
    if (!shape_transfer(m->p, m->ph, &m->rng, &wish, &op->t)) return false;
    if (verb != ACC) return true;
    choose_scale(m, a, &op->t);
    return a->rule != RULE_SHARED_ACC || shared_add(m->p, a, &op->t, a->totals + op->rank * area_parts(a));
}

static int choose_area(struct maker *m, int rank)
{
    static const enum rule rules[] = {RULE_OWN_BYTES,    RULE_OWN_BYTES,  RULE_OWN_BYTES,  RULE_OWN_ELEMENTS, RULE_OWN_ELEMENTS,
                                      RULE_OWN_ELEMENTS, RULE_SHARED_ACC, RULE_SHARED_ACC, RULE_READ_ONLY};
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
    if (area < 0 || !choose_verb(m, &m->ph->area[area], &verb) || !choose_form(m, verb, &form)) return;
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
    if (area < 0 || m->ph->area[area].rank != rank || !choose_verb(m, &m->ph->area[area], &verb)) return;
    struct op *op = make_op(m, rank, OP_ACCESS);
    if (!shape_op(m, op, area, verb == ACC ? PUT : verb, CONTIGUOUS)) make_undo(m, rank);
}

void make_pack(struct maker *m)
{
    static const enum rule rules[] = {RULE_OWN_BYTES, RULE_OWN_ELEMENTS, RULE_READ_ONLY};
    int rank = make_random_rank(m), area = make_find_area(m, rules[rng_below(&m->rng, 3)], rank);
    if (area < 0 || m->ph->area[area].rank != rank) return;
    struct op *op = make_op(m, rank, OP_PACK);
    if (!shape_op(m, op, area, GET, rng_chance(&m->rng, 70) ? STRIDED : CONTIGUOUS)) make_undo(m, rank);
}

/* ---- rmw ---- */

/* Values that are swapped into shared cells are unlike all others, and far enough apart for what is added. */
static int choose_operand(struct maker *m, const struct op *op, const struct area *a)
{
    bool swap = op->rmw == ARMCI_SWAP || op->rmw == ARMCI_SWAP_LONG;
    if (a->rule == RULE_OWN_ELEMENTS) return rng_between(&m->rng, swap ? -1000 : -5, swap ? 1000 : 5);
    return swap ? (int)((op->sequence + 1) * 4096 & 0x7fffffff) : rng_between(&m->rng, 1, 3);
}

void make_rmw(struct maker *m)
{
    int rank = make_random_rank(m), i = make_find_area(m, rng_chance(&m->rng, 70) ? RULE_SHARED_RMW : RULE_OWN_ELEMENTS, rank);
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
    static const enum kind kinds[] = {OP_WAIT, OP_WAIT, OP_WAIT, OP_TEST, OP_WAIT_PROC, OP_WAIT_ALL, OP_SET_AGGREGATE, OP_UNSET_AGGREGATE};
    enum kind kind = kinds[rng_below(&m->rng, has(FAMILY_AGGREGATE) ? 8 : 6)];
    struct op *op = make_op(m, make_random_rank(m), kind);
    op->handle = (int)rng_below(&m->rng, HANDLES);
    op->peer = make_random_rank(m);
    if (kind == OP_WAIT && has(FAMILY_WAIT_NULL) && rng_chance(&m->rng, 25)) op->handle = IMPLICIT_HANDLE;
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
